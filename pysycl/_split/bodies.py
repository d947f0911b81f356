"""Bodies over own elements: which arguments are cut into blocks, and that `i` says nothing but which element it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from pysycl._algorithms.map_text import without_comments
from pysycl._split.parts import Parts
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

_INDEX: Final = re.compile(r"\b(?:i|i0|n0|get_global_\w+)\b")


def cut_arguments(size: int, body: str, arguments: Mapping[str, Any]) -> set[str]:
    """The names of those that are cut: all that the body reads and writes as `x[i]`. Others are given whole, to be read."""
    import numpy as np

    rest = without_comments(body)
    cut = set()
    for name, value in arguments.items():
        if not isinstance(value, np.ndarray | Parts) or len(value.shape) == 0:
            continue
        without = re.sub(rf"\b{re.escape(name)}\s*\[\s*i\s*\]", " ", rest)
        if without == rest or re.search(rf"\b{re.escape(name)}\b", without) is not None:
            if isinstance(value, Parts):
                raise InvalidParameterError(
                    f"{name}: it is in the memories of several devices, and the body has it in another form than {name}[i]"
                )
            continue
        if len(value.shape) != 1 or value.shape[0] != size:
            raise InvalidParameterError(
                f"{name}: expected {size} elements, as many as the range has, got the shape {value.shape}"
            )
        cut.add(name)
        rest = without
    if found := _INDEX.search(rest):
        raise InvalidParameterError(
            f"the body says {found[0]!r} beside subscripts such as x[i] of arrays that it has in no other form: over several "
            "devices each work-item touches its own elements alone, and counts from the beginning of its device's block"
        )
    return cut
