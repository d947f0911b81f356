"""Host memory on its way in: what counts as an array, which element types there are, and how a shape is spelled."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias

from pysycl import _core
from pysycl.errors import InvalidParameterError
from pysycl.ranges import Range

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

CPU = 1  # DLPack's word for the host's own memory
MOST_DIMENSIONS = 3

_known: set[np.dtype[Any]] = set()


def as_dtype(given: Any, what: str = "dtype") -> np.dtype[Any]:
    """NumPy's dtype of it. TypeError, with the argument's name before NumPy's words: it says none."""
    import numpy as np

    try:
        kind: np.dtype[Any] = np.dtype(given)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what}: {error}") from None
    return kind


def element_type(dtype: DTypeLike, what: str = "dtype") -> np.dtype[Any]:
    """The element type of a buffer. InvalidParameterError: a device has no such elements."""
    import numpy as np

    kind = as_dtype(dtype, what)
    if kind in _known:
        return kind
    if kind.hasobject:
        raise InvalidParameterError(f"{what}: {kind} holds Python objects, which a device cannot")
    if kind.subdtype is not None:
        raise InvalidParameterError(f"{what}: {kind} is an array type; its dimensions belong into the shape")
    if kind.itemsize == 0:
        raise InvalidParameterError(f"{what}: elements of {kind} have no bytes")
    if not kind.isnative:
        native = kind.newbyteorder("=")
        raise InvalidParameterError(
            f"{what}: {kind} is in the byte order of another kind of machine; convert it with array.astype({native!r})"
        )
    try:
        empty: Any = np.empty(0, kind)
        memoryview(empty)
    except (ValueError, BufferError):
        raise InvalidParameterError(
            f"{what}: {kind} has no format that the buffer protocol knows; use a view of it as integers"
        ) from None
    _known.add(kind)
    return kind


def has_memory(data: object) -> bool:
    """True if the object is an array, or says by some protocol that it can be seen as one."""
    import numpy as np

    if isinstance(data, np.ndarray):
        return True
    if data is None or type(data) in (tuple, int):  # mostly a shape: asked nothing more
        return False
    if isinstance(data, np.generic | type):  # a class has the attributes, too, but no memory
        return False
    protocols = ("__array_interface__", "__array_struct__", "__dlpack__", "__array__")
    return any(hasattr(data, name) for name in protocols) or _exports(data)


def _exports(data: object) -> bool:
    try:
        memoryview(data).release()  # type: ignore[arg-type]
    except (TypeError, BufferError, ValueError):
        return False
    return True


def view_of(data: object) -> Array:
    """An array over the object's own memory. TypeError, BufferError or ValueError: there is none that can be shared.

    Asked in turn: the buffer protocol, NumPy's array interface, DLPack (the host's memory only), and `__array__` where
    it promises not to copy.
    """
    import numpy as np

    if isinstance(data, np.ndarray):
        return data
    if isinstance(data, _core.Buffer):
        raise BufferError("an array over a buffer is always a copy: use host_access() for the memory itself")
    if _exports(data):
        return np.asarray(memoryview(data))  # type: ignore[arg-type]
    if hasattr(data, "__array_interface__") or hasattr(data, "__array_struct__"):
        return np.asarray(data)
    if hasattr(data, "__dlpack__"):
        device = data.__dlpack_device__() if hasattr(data, "__dlpack_device__") else (CPU, 0)
        if device[0] != CPU:
            raise BufferError(f"its memory is on DLPack device {tuple(device)}, not on the host")
        return np.from_dlpack(data)
    if hasattr(data, "__array__"):
        return np.asarray(data, copy=False)
    raise TypeError(f"a {type(data).__name__} is no array, and has no protocol that makes it one")


def array_over(memory: Any, dtype: np.dtype[Any]) -> Array:
    """An array of the type over memory of ours that has the buffer protocol."""
    import numpy as np

    view = memoryview(memory)
    if dtype.names is not None and view.c_contiguous and view.nbytes:  # of whose format NumPy makes a dtype in 50 us
        return np.frombuffer(view, np.uint8).view(dtype).reshape(view.shape)
    try:
        array = np.asarray(view)
    except RuntimeError:  # NumPy cannot read what it writes for structs with padding at their end, such as float3
        array = np.frombuffer(memory, np.uint8).view(dtype).reshape(memory.shape)
    return array if array.dtype == dtype else array.view(dtype)


def has_elements(other: object) -> bool:
    """True for what NumPy compares element by element: numbers and arrays, and lists of them."""
    import numpy as np

    return isinstance(other, int | float | complex | list | tuple | np.ndarray | np.generic)


def compared(memory: Any, other: Any, *, differ: bool = False) -> Any:
    """The elements of a Buffer or UsmArray that are equal, or that differ, as an array, when they have been made."""
    import numpy as np

    return (np.not_equal if differ else np.equal)(memory._contents(), other)


def arrays_of(*given: Any) -> tuple[Any, ...]:
    """The arguments of a function of the host's, with arrays for what tells of its memory by some other protocol."""
    return tuple(view_of(each) if _tells(each) else each for each in given)


def _tells(data: Any) -> bool:
    import numpy as np

    if isinstance(data, np.ndarray | np.generic | type | int | float | complex) or hasattr(data, "__array__"):
        return False
    return hasattr(data, "__array_interface__") or hasattr(data, "__array_struct__") or hasattr(data, "__dlpack__")


def any_shape(shape: SupportsIndex | Iterable[SupportsIndex], what: str = "shape") -> tuple[int, ...]:
    """A shape of any number of dimensions."""
    try:
        several = isinstance(shape, tuple) or hasattr(shape, "__len__") or not isinstance(shape, SupportsIndex)
        result = tuple(map(index, shape)) if several else (index(shape),)  # type: ignore[arg-type]
    except TypeError:
        raise InvalidParameterError(f"{what}: expected an int or a tuple of ints, got {shape!r}") from None
    if min(result, default=0) < 0:
        raise InvalidParameterError(f"{what}: {min(result)} in {result} is negative")
    return result


def sizes(shape: SupportsIndex | Iterable[SupportsIndex], what: str = "shape") -> tuple[int, ...]:
    """A shape of one to three dimensions. An empty one is that of a single element."""
    result = any_shape(shape, what)
    if len(result) > MOST_DIMENSIONS:
        raise InvalidParameterError(f"{what}: {result} has {len(result)} dimensions; SYCL has at most three")
    return result or (1,)


def is_shape(data: object) -> bool:
    """True for what can only be meant as a size: an int, a tuple, a Range."""
    return isinstance(data, tuple | Range) or (isinstance(data, SupportsIndex) and not hasattr(data, "shape"))


def shaped(array: Array, shape: tuple[int, ...]) -> Array:
    """The array seen in another shape of as many elements, without a copy."""
    if array.shape == shape:
        return array
    if array.size != prod(shape):
        raise InvalidParameterError(f"range: {shape} has {prod(shape)} elements, but the array has {array.size}")
    result = array.reshape(shape)
    if array.size > 0 and result.__array_interface__["data"][0] != array.__array_interface__["data"][0]:
        raise InvalidParameterError(f"range: an array of these strides cannot be seen as {shape} without a copy")
    return result


def has_shared_elements(array: Array) -> bool:
    """True if several indices lead to the same bytes, or come so close that it takes a search to tell."""
    if array.flags.c_contiguous or array.flags.f_contiguous or array.size < 2:
        return False
    steps = sorted((abs(step), size) for step, size in zip(array.strides, array.shape, strict=True) if size > 1)
    reach = array.itemsize
    for step, size in steps:
        if step < reach:
            return True
        reach = step * (size - 1) + reach
    return False
