"""Marray: a short array of numbers that is a value, on the host as in kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pysycl._vectors.components import Components
from pysycl._vectors.vector_types import WORDS, element_dtype, marray_dtype

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike


class Marray(Components):
    """Any number of elements of one type: `Marray["float32", 5](1, 2, 3, 4, 5)`, or `mfloat4(1, 2, 3, 4)`.

    As a kernel argument it is passed by value, as a struct whose member `s` is an array: `m.s[2]`. `numpy.zeros(n,
    mfloat4)` is an array of them.

    Notes
    -----
    SYCL 2020, 4.14.3. Comparisons give an Marray of bool. The operators are those of Vec; of bool they compute as C does,
    with integers that are true unless 0.

    Examples
    --------
    >>> m = sycl.Marray["float32", 3](1, 2, 3)
    >>> list((m * 2)[k].item() for k in range(3))
    [2.0, 4.0, 6.0]
    """

    __slots__ = ()

    @staticmethod
    def _types(element: DTypeLike, count: int) -> tuple[np.dtype[Any], np.dtype[Any]]:
        return element_dtype(element, "marray"), marray_dtype(element, count)

    @staticmethod
    def _class_name(element: np.dtype[Any], count: int) -> str:
        alias = count in (2, 3, 4, 8, 16)
        return f"m{WORDS[element]}{count}" if alias else f"Marray[{element}, {count}]"

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.count
