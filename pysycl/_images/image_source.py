"""Host memory as an image's pixels: what fits a format and a range, and what can be used in place."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

from pysycl._data.final_data import Host
from pysycl._data.host_memory import has_shared_elements, view_of
from pysycl._images.image_format import ImageLayout
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array


class Source(NamedTuple):
    """An image's beginning."""

    memory: Array | None
    """Bytes laid out as the image's are, or an array of any strides."""
    array: Array | None
    """The user's."""
    host: Host
    in_place: bool


class _Bytes:
    """All the bytes of an image, from its first pixel to its last, over an array that has strides."""

    def __init__(self, array: Array, size: int) -> None:
        address, read_only = array.__array_interface__["data"]
        self.__array_interface__ = {"data": (address, read_only), "shape": (size,), "typestr": "|u1", "version": 3}
        self.array = array


def _refuse(array: Array, layout: ImageLayout) -> InvalidParameterError:
    return InvalidParameterError(
        f"data: an image of {layout.format.value} with range {layout.range} is an array of shape {layout.shape} and "
        f"dtype {layout.format.dtype}, or {layout.byte_size} bytes; got {array.shape} of {array.dtype}, "
        f"{array.nbytes} bytes"
    )


def _as_pixels(array: Array, layout: ImageLayout) -> Array:
    """The array in the image's shape, without a copy."""
    import numpy as np

    if array.shape == layout.shape and array.dtype == layout.format.dtype:
        return array
    flat = array.ndim == 1 and array.flags.c_contiguous and array.nbytes == layout.byte_size
    if flat and array.dtype in (np.uint8, np.int8, np.dtype("S1"), layout.format.dtype):
        return np.ndarray(layout.shape, layout.format.dtype, array, 0, layout.strides)
    whole = array.shape == layout.shape[:-1] and array.dtype.itemsize == layout.format.pixel_size
    if whole and not array.dtype.hasobject:
        pixels: Array = array[..., None].view(layout.format.dtype)
        return pixels
    raise _refuse(array, layout)


def _agrees(array: Array, layout: ImageLayout) -> bool:
    pairs = zip(array.shape, array.strides, layout.strides, strict=True)
    return all(size == 1 or given == wanted for size, given, wanted in pairs)


def _lay_out(array: Array, layout: ImageLayout, pitched: bool) -> Array:
    import numpy as np

    if _agrees(array, layout):
        return np.asarray(_Bytes(array, layout.byte_size))
    if pitched:
        raise InvalidParameterError(
            f"pitch: an image with the pitches {layout.pitch} has the strides {layout.strides}, but the array has "
            f"{array.strides}"
        )
    return array


def sort_out(data: Any, layout: ImageLayout, pitched: bool, read_only: bool) -> Source:
    """The source of an image. `read_only`: it is never written, whatever the data is."""
    if data is None:
        return Source(None, None, Host.none, False)
    given = data() if isinstance(data, weakref.ref) else data
    try:
        array = view_of(given)
    except (TypeError, ValueError, BufferError) as error:
        raise InvalidParameterError(f"data: {error}") from None
    pixels = _as_pixels(array, layout)
    memory = _lay_out(pixels, layout, pitched)
    host = Host.read if read_only or not array.flags.writeable else Host.written
    if isinstance(data, weakref.ref) and host is Host.written:
        host = Host.shared
    if host is not Host.read and has_shared_elements(pixels):
        raise InvalidParameterError(
            "data: pixels of the array overlap in memory, so they could not be written back; pass a copy"
        )
    return Source(memory, array, host, memory is not pixels and array.flags.writeable)
