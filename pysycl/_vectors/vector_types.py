"""The dtypes of vec and marray: how arrays of them lie in memory, as on the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pysycl._data.host_memory import as_dtype
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

byte: Final = np.uint8
"""SYCL's byte: 8 bits."""
half: Final = np.float16
"""SYCL's half: 16 bits of floating point. Kernels compute with it on devices with the aspect fp16."""
VEC_COUNTS: Final = (1, 2, 3, 4, 8, 16)
NAMES: Final = tuple(f"s{number:X}" for number in range(16))
"""The names of a vec's components, in structured dtypes and in OpenCL C."""
WORDS: Final = {
    np.dtype(kind): word
    for word, kind in (
        ("char", "i1"), ("uchar", "u1"), ("short", "i2"), ("ushort", "u2"), ("int", "i4"), ("uint", "u4"),
        ("long", "i8"), ("ulong", "u8"), ("half", "f2"), ("float", "f4"), ("double", "f8"), ("bool", "?"),
    )
}  # fmt: skip
"""OpenCL C's word for each element type."""


def element_dtype(dtype: DTypeLike, family: str) -> np.dtype[Any]:
    """The element type of a vec or marray. InvalidParameterError: it cannot have it."""
    found: np.dtype[Any] = as_dtype(dtype, family)
    if found not in WORDS:
        raise InvalidParameterError(f"{family}: an element is a number as kernels have it, not {found}")
    if family == "vec" and found.kind == "b":
        raise InvalidParameterError("vec: OpenCL C has no vectors of bool; Marray has them, or take int8")
    return found


def slots_of(count: int) -> int:
    """How many elements a vec takes: a vec of 3 takes the place of 4."""
    return 4 if count == 3 else count


def vec_dtype(dtype: DTypeLike, count: int) -> np.dtype[Any]:
    """The dtype of arrays of vecs: kernels take such an array as a `float4 *`, a body and its helpers too.

    Parameters
    ----------
    dtype
        The element type.
    count
        1, 2, 3, 4, 8 or 16.

    Returns
    -------
    numpy.dtype
        Structured, with the fields s0, s1, ... sF, so that `x["s0"]` is an array of the first components. All at once are
        `x.view(element).reshape(*x.shape, -1)`, for 3 components with one of padding behind them. Of count 1 it is the
        element type itself, as in OpenCL C.

    Notes
    -----
    SYCL 2020, 4.14.2.6: a vec is as long as its elements together, a vec of 3 as long as one of 4. Any structured dtype
    of this form is taken for a vec.

    Examples
    --------
    >>> x = np.zeros(2, sycl.vec_dtype(np.float32, 4))
    >>> event = queue.parallel_for(2, "x[i] = (float4)(i, 0, 0, 1);", x=x)
    >>> x["s0"].tolist(), x["s3"].tolist()
    ([0.0, 1.0], [1.0, 1.0])
    """
    element = element_dtype(dtype, "vec")
    if isinstance(count, bool) or count not in VEC_COUNTS:
        raise InvalidParameterError(f"vec: count is {count!r}, but a vec has 1, 2, 3, 4, 8 or 16 elements")
    if count == 1:
        return element
    size = element.itemsize
    layout: Any = {
        "names": NAMES[:count],
        "formats": [element] * count,
        "offsets": [number * size for number in range(count)],
        "itemsize": slots_of(count) * size,
    }
    made: np.dtype[Any] = np.dtype(layout)
    return made


def marray_dtype(dtype: DTypeLike, count: int) -> np.dtype[Any]:
    """The dtype of arrays of marrays: structured, with one field `s` of `count` elements.

    Parameters
    ----------
    dtype
        The element type.
    count
        1 or more.

    Returns
    -------
    numpy.dtype
        Kernels see a struct with the member `s`, an array: `x[i].s[2]`. On the host `x["s"]` has one dimension more.

    Notes
    -----
    SYCL 2020, 4.14.3.3: an marray lies in memory as a plain array does.

    Examples
    --------
    >>> x = np.zeros(2, sycl.marray_dtype(np.int32, 5))
    >>> event = queue.parallel_for(2, "x[i].s[4] = i + 1;", x=x)
    >>> x["s"][:, 4].tolist()
    [1, 2]
    """
    element = element_dtype(dtype, "marray")
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise InvalidParameterError(f"marray: count is {count!r}, but an marray has 1 or more elements")
    return np.dtype([("s", element, (int(count),))])


def vec_of(dtype: np.dtype[Any]) -> tuple[np.dtype[Any], int] | None:
    """The element type and count, if the dtype is one that `vec_dtype` makes."""
    names = dtype.names or ()
    if len(names) not in VEC_COUNTS[1:] or names != NAMES[: len(names)]:
        return None
    element = dtype[names[0]]
    if element not in WORDS or element.kind == "b" or dtype != vec_dtype(element, len(names)):
        return None
    return element, len(names)
