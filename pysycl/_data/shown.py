"""Showing a buffer in a notebook or in IPython: what a cell shows there is kept, in Out[n] and _, and is no use of it."""

from __future__ import annotations

import sys
import weakref
from typing import Any

_registered: set[int] = set()  # shells


def shown(memory: Any) -> dict[str, str]:
    """The shown text of a buffer or image; as soon as the cell has ended, its last reference may be the user's own."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None and id(shell) not in _registered:
        _registered.add(id(shell))
        shell.events.register("post_run_cell", _let_go)
    return {"text/plain": repr(memory)}


def _let_go(result: Any = None) -> None:
    """The cell has ended: weak references take the places of buffers among the results that are kept."""
    shell = sys.modules["IPython"].get_ipython()
    places = (
        shell.user_ns.get("_oh", {}),
        shell.user_ns,
        shell.user_ns_hidden,
        vars(shell.displayhook),
        vars(result) if result is not None else {},
    )
    for place in places:
        for name in [name for name, value in place.items() if _is_result(name) and _is_memory(value)]:
            place[name] = weakref.proxy(place[name])


def _is_result(name: str | int) -> bool:
    """A name that IPython gives to results, in one of its places."""
    if isinstance(name, int):
        return True
    return name in ("_", "__", "___", "result") or (name.startswith("_") and name[1:].isdigit())


def _is_memory(value: Any) -> bool:
    from pysycl._data.memory_object import MemoryObject

    return issubclass(type(value), MemoryObject)  # a weak reference would answer for what it leads to
