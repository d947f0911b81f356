"""Tasks that are no blocks of an array: tables of unknown length, merged in a tree, in their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pysycl.dask.blocks import Work

_WIDTH: Final = 8


def task(name: str, function: Callable[..., Any], block: Any, *arguments: Any) -> Any:
    """A task, whose errors say whose it is."""
    from dask.delayed import delayed as lazily

    return lazily(Work(name, function), pure=True)(*arguments, block_id=block)


def merged(name: str, parts: list[Any], function: Callable[..., Any], *arguments: Any) -> Any:
    """`function(list, *arguments)` of neighbours, until one is left."""
    while len(parts) > 1:
        parts = [
            task(name, function, f"merge {k}", parts[k : k + _WIDTH], *arguments) for k in range(0, len(parts), _WIDTH)
        ]
    return parts[0]
