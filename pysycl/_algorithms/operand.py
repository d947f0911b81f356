"""What an algorithm over whole arrays reads: memory from its lowest element on, and how its elements lie in it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from pysycl import _core
from pysycl._algorithms.axes import steps_over
from pysycl._data.host_memory import arrays_of, element_type
from pysycl._vectors.vector_types import vec_dtype
from pysycl.errors import InvalidObjectError, InvalidParameterError

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array

# The types in OpenCL C of the dtypes that there are numbers of; float16 is read as float, since not all devices have it,
# and complex numbers as vectors of their parts, which compilers add faster than structs.
_C_TYPES: Final = {
    "?": "uchar", "i1": "char", "u1": "uchar", "i2": "short", "u2": "ushort", "i4": "int", "u4": "uint", "i8": "long",
    "u8": "ulong", "f2": "float", "f4": "float", "f8": "double", "c8": "float2", "c16": "double2",
}  # fmt: skip
_COMPLEX: Final = {"c8": "cfloat", "c16": "cdouble"}
_NUMBERS: Final = "bool, integers of 8 to 64 bits, float16, float32, float64, complex64 or complex128"

ARRAY, USM, BUFFER = "array", "usm", "buffer"
"""What kind of memory an operand is, and a result should be."""


class Operand(NamedTuple):
    """Elements, wherever they are. Strides and the offset count elements."""

    kind: str
    memory: Any
    """What a body is given: one-dimensional, or a Buffer."""
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    """Where in the memory the element of index 0, 0, ... is."""
    source: Any
    """The UsmArray, Buffer or array of a subclass that it was made of; results are to be like it."""


def c_type(dtype: np.dtype[Any]) -> str:
    """The type in OpenCL C of what is loaded of a dtype; "" for a struct, whose name the body does not know."""
    return "uchar" if dtype.kind == "b" else _C_TYPES.get(dtype.str[1:], "")


def user_type(dtype: np.dtype[Any]) -> str:
    """The type of an element in a text of the user's."""
    return _COMPLEX.get(dtype.str[1:], "") or c_type(dtype)


def pairs(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of vectors of the parts of complex numbers, which lie as those do; another one as it is."""
    return vec_dtype(f"f{dtype.itemsize // 2}", 2) if dtype.kind == "c" else dtype


def as_numbers(memory: Any, by_user: bool = False) -> Any:
    """Memory as a body is given it: bool as bytes, complex numbers as vectors of their parts, but for the user's text."""
    kind = memory.dtype.kind
    if kind not in "bc" or (kind == "c" and by_user):
        return memory
    plain = np.dtype(np.uint8) if kind == "b" else pairs(memory.dtype)
    return memory.view(plain) if hasattr(memory, "flags") else memory.reinterpret(plain)


def as_values(numbers: dict[str, Any], by_user: bool) -> dict[str, Any]:
    """The same for arguments that are values."""
    if not numbers:
        return numbers
    return {
        name: as_numbers(np.asarray(value), by_user)[()] if isinstance(value, np.complexfloating) else value
        for name, value in numbers.items()
    }


def check_number(dtype: np.dtype[Any], what: str) -> np.dtype[Any]:
    """The dtype, if it is one that a device has numbers of."""
    if dtype.kind == "b" or (dtype.str[1:] in _C_TYPES and dtype.isnative):
        return dtype
    if dtype.str[1:] in _C_TYPES:
        element_type(dtype, what)
    raise InvalidParameterError(f"{what}: expected {_NUMBERS}, got {dtype}")


def _c_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    return steps_over(shape, range(len(shape)))


def _cover(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, int]:
    """How far the lowest element lies below the first, and how many elements there are from it to the highest."""
    low = high = 0
    for size, step in zip(shape, strides, strict=True):
        if step < 0:
            low -= (size - 1) * step
        else:
            high += (size - 1) * step
    return low, low + high + 1


class _Memory:
    """What NumPy is shown for an array over the memory of another; it keeps that alive."""

    __slots__ = ("__array_interface__", "array")

    def __init__(self, array: Array, address: int, count: int) -> None:
        self.array = array
        self.__array_interface__ = {
            "version": 3, "shape": (count,), "typestr": array.dtype.str, "data": (address, True), "strides": None,
        }  # fmt: skip
        if array.dtype.names is not None:
            self.__array_interface__["descr"] = array.dtype.descr


def _steps(strides: tuple[int, ...], dtype: np.dtype[Any], what: str) -> tuple[int, ...]:
    size = dtype.itemsize
    if any(step % size for step in strides):
        raise InvalidParameterError(
            f"{what}: strides of {strides} bytes are no multiples of the {size} that an element of {dtype} has; pass a copy"
        )
    return tuple(step // size for step in strides)


def _readable(array: Array) -> Array:
    """The array, or its elements in new memory where no device could read them: at odd steps, or with their bytes in the
    order of other machines."""
    dtype = array.dtype
    if array.size == 0 or dtype.itemsize == 0 or (dtype.isnative and not _is_askew(array)):
        return array
    return array.astype(dtype.newbyteorder("="), order="C")


def _is_askew(array: Array) -> bool:
    return not array.flags.c_contiguous and any(step % array.dtype.itemsize for step in array.strides)


def _of_array(array: Array, what: str) -> Operand:
    dtype, shape = array.dtype, array.shape
    if array.flags.c_contiguous or array.size == 0:
        flat = array if array.ndim == 1 else array.reshape(-1)
        return Operand(ARRAY, flat, dtype, shape, _c_strides(shape), 0, None)
    strides = _steps(array.strides, dtype, what)
    below, count = _cover(shape, strides)
    address = array.__array_interface__["data"][0] - below * dtype.itemsize
    memory: Any = _Memory(array, address, count)
    return Operand(ARRAY, np.asarray(memory), dtype, shape, strides, below, None)


def _of_usm(memory: Any, what: str) -> Operand:
    if memory.is_freed:
        raise InvalidObjectError(f"{what}: the memory has been freed")
    dtype, shape = memory.dtype, memory.shape
    if memory.size == 0:
        return Operand(USM, memory, dtype, shape, _c_strides(shape), 0, memory)
    strides = _steps(memory.strides, dtype, what)
    below, count = _cover(shape, strides)
    size = dtype.itemsize
    flat = memory._view(-below * size, (count,), (size,), dtype, size)
    return Operand(USM, flat, dtype, shape, strides, below, memory)


def operand(data: Any, what: str) -> Operand:
    """The operand that an argument is: a Buffer, a UsmArray, or whatever NumPy makes an array of."""
    if type(data) is np.ndarray:  # first, and asked nothing more
        return _of_array(_readable(data), what)
    if isinstance(data, _core.Buffer):
        shape = data.shape
        return Operand(BUFFER, data, data.dtype, shape, _c_strides(shape), 0, data)
    if isinstance(data, _core.UsmArray):
        return _of_usm(data, what)
    masked = sys.modules.get("numpy.ma")
    if masked is not None and isinstance(data, masked.MaskedArray):
        raise InvalidParameterError(
            f"{what}: a masked array, whose mask would be lost; pass x.filled(value), or x.data with where=~x.mask"
        )
    try:
        given = arrays_of(data)[0]
        array = np.asarray(given)
    except (TypeError, ValueError, BufferError) as error:
        raise InvalidParameterError(f"{what}: {error}") from None
    return _of_array(_readable(array), what)._replace(source=given if isinstance(given, np.ndarray) else None)


def array_of(it: Operand) -> Array:
    """The NumPy array that an operand of that kind is."""
    size = it.dtype.itemsize
    steps = tuple([step * size for step in it.strides])
    return np.ndarray(it.shape, it.memory.dtype, it.memory, it.offset * size, steps)


def broadcast(it: Operand, shape: tuple[int, ...], what: str) -> Operand:
    """The operand seen in a shape that it can be repeated to."""
    missing = len(shape) - len(it.shape)
    fits = missing >= 0 and all(own in (1, size) for own, size in zip(it.shape, shape[missing:], strict=True))
    if not fits:
        raise InvalidParameterError(f"{what}: shape {it.shape} cannot be broadcast to {shape}")
    strides = tuple(0 if own == 1 else step for own, step in zip(it.shape, it.strides, strict=True))
    return it._replace(shape=shape, strides=(0,) * missing + strides)
