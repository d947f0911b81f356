"""What a buffer is made of: the host's memory, a shape, values that are copied, or a reference."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from pysycl import _core
from pysycl._data.final_data import Host
from pysycl._data.host_memory import element_type, has_memory, has_shared_elements, is_shape, shaped, sizes, view_of
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike

    from pysycl._data.host_memory import Array
    from pysycl.ranges import Sizes


class Source(NamedTuple):
    """A buffer's beginning."""

    array: Array | None
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    host: Host
    users: bool  # the array is the user's, and in use as long as the buffer lives
    kept: Array | None = None  # an array made for the user to look at


def _from_array(array: Array, host: Host, dtype: DTypeLike | None, range: Sizes | None) -> Source:
    kind = element_type(array.dtype, "array")
    if dtype is not None and element_type(dtype) != kind:
        raise InvalidParameterError(
            f"dtype: the array's elements are {kind}, not {element_type(dtype)}; use reinterpret() on the buffer, or "
            "copy=True to convert them"
        )
    shape = sizes(array.shape if range is None else range, "array" if range is None else "range")
    array = shaped(array, shape)
    if host in (Host.written, Host.shared) and has_shared_elements(array):
        raise InvalidParameterError(
            "array: its elements overlap in memory, so they could not be written back; pass a copy, or read_only=True"
        )
    return Source(array, shape, kind, host, users=True)


def _copied(data: Any, dtype: DTypeLike | None, range: Sizes | None) -> Source:
    import numpy as np

    if not isinstance(data, Iterable | np.generic) and not has_memory(data):
        raise InvalidParameterError(f"data: expected an array, a shape or an iterable, got {data!r}")
    if isinstance(data, Iterable) and not hasattr(data, "__len__") and not isinstance(data, np.ndarray | np.generic):
        data = list(data)
    try:
        array = np.array(data, dtype, order="C")
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(f"data: {error}") from None
    kind = element_type(array.dtype, "data")
    shape = sizes(array.shape if range is None else range, "data" if range is None else "range")
    return Source(shaped(array, shape), shape, kind, Host.none, users=False)


def _new(shape: Any, dtype: DTypeLike | None) -> Source:
    if dtype is None:
        raise InvalidParameterError(
            f"dtype: {shape!r} is taken as a shape, which needs a dtype, as in Buffer({shape!r}, np.float32); "
            "data goes in as an array or a list"
        )
    return Source(None, sizes(shape), element_type(dtype), Host.none, users=False)


def _shared(reference: weakref.ref[Any], dtype: DTypeLike | None, range: Sizes | None) -> Source:
    import numpy as np

    array = reference()
    if not isinstance(array, np.ndarray):
        raise InvalidParameterError(f"data: the weak reference must be to a NumPy array, it is to {array!r}")
    source = _from_array(array, Host.shared, dtype, None)
    if range is not None and sizes(range) != source.shape:
        raise InvalidParameterError("range: a shared array has its own shape")
    return source


def _for_the_user(dtype: DTypeLike | None, range: Sizes | None) -> Source:
    import numpy as np

    if range is None or dtype is None:
        raise InvalidParameterError("data: None stands for an array that is made here; give its range and dtype")
    array = np.zeros(sizes(range, "range"), element_type(dtype))
    return Source(array, array.shape, array.dtype, Host.written, users=True, kept=array)


def sort_out(
    data: Any, dtype: DTypeLike | None, range: Sizes | None, copy: bool | None, owned: bool, read_only: bool
) -> Source:
    if isinstance(data, _core.Buffer):
        raise InvalidParameterError(
            "data: a Buffer is no host data; copy.copy() gives another handle on it, copy.deepcopy() a copy, and "
            "reinterpret() another type or shape"
        )
    if data is None:
        return _for_the_user(dtype, range)
    if isinstance(data, weakref.ref):
        return _shared(data, dtype, range)
    if isinstance(data, str):
        raise InvalidParameterError(f"data: {data!r} is text; a buffer is made from numbers")
    if has_memory(data):
        if copy:
            return _copied(data, dtype, range)
        try:
            array = view_of(data)
        except (TypeError, ValueError, BufferError) as error:
            if copy is False:
                raise InvalidParameterError(
                    f"copy: the memory of {type(data).__name__} cannot be used: {error}"
                ) from None
            return _copied(data, dtype, range)
        only_read = read_only or not array.flags.writeable
        return _from_array(array, Host.none if owned else Host.read if only_read else Host.written, dtype, range)
    if is_shape(data):
        if range is not None:
            raise InvalidParameterError(f"range: {data!r} is taken as the shape; give one of the two")
        return _new(data, dtype)
    if copy is False:
        raise InvalidParameterError(f"copy: a {type(data).__name__} has no memory of its own that could be used")
    return _copied(data, dtype, range)


def fits_in_place(array: Array) -> bool:
    return array.flags.writeable and array.flags.c_contiguous and array.flags.aligned
