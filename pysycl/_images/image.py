"""UnsampledImage and SampledImage: pixels that kernels read and write by coordinates. SYCL 2020, 4.7.3."""

from __future__ import annotations

import weakref
from math import prod
from typing import TYPE_CHECKING, Any, NoReturn, Self

from pysycl import _core
from pysycl._data.final_data import Host, Life
from pysycl._data.host_memory import sizes
from pysycl._data.memory_object import MemoryObject, WritesBack
from pysycl._images.image_accessor import (
    Access,
    HostSampledImageAccessor,
    HostUnsampledImageAccessor,
    SampledImageAccessor,
    UnsampledImageAccessor,
)
from pysycl._images.image_format import ImageFormat, ImageLayout
from pysycl._images.image_source import Source, sort_out
from pysycl._images.sampler import Sampler
from pysycl.enums import AccessMode, Target, as_enum
from pysycl.errors import InvalidObjectError, InvalidParameterError
from pysycl.ranges import Range, Sizes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike

    from pysycl._data.buffer_mutex import Mutex
    from pysycl._data.host_memory import Array
    from pysycl._data.memory_object import Allocator
    from pysycl.context import Context
    from pysycl.handler import Handler


class ImageLife(Life):
    """The end of an image: what goes out are its pixels, not the gaps between them."""

    def __init__(self, host: Host, layout: ImageLayout, allocator: Allocator | None = None) -> None:
        super().__init__(host, layout.shape, layout.format.dtype, allocator)
        self.layout = layout

    def _contents(self, access: _core.HostAccessor) -> Array:
        return self.layout.pixels(access)


class Image(MemoryObject):
    """Shared by both kinds of images: pixels of one format in one to three dimensions."""

    __slots__ = ("_layout",)
    _layout: ImageLayout
    _contents_access = Access

    @property
    def format(self) -> ImageFormat:
        """A pixel's format in memory."""
        return self._layout.format

    @property
    def range(self) -> Range:
        """Pixels along each dimension, the fastest (x) first."""
        return Range(*self._layout.range)

    @property
    def dimensions(self) -> int:
        """The number of dimensions."""
        return len(self._layout.range)

    @property
    def pitch(self) -> Range:
        """Bytes from row to row, and in three dimensions from slice to slice.

        InvalidObjectError: an image of 1 dimension has none.
        """
        if self.dimensions == 1:
            raise InvalidObjectError("an image of 1 dimension has no pitch")
        return Range(*self._layout.pitch)

    @property
    def size(self) -> int:
        """The number of pixels."""
        return prod(self._layout.range)

    @property
    def count(self) -> int:
        """The same as `size`. Deprecated in SYCL 2020."""
        return self.size

    @property
    def byte_size(self) -> int:
        """The bytes from the first pixel to the last, those between rows and slices among them."""
        return self._layout.byte_size

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of its channels as an array: the range in reverse, and 4."""
        return self._layout.shape

    @property
    def dtype(self) -> Any:
        """The dtype of one channel in memory."""
        return self._layout.format.dtype

    def get_pitch(self) -> Range:
        """The same as `pitch`.

        Returns
        -------
        Range

        Raises
        ------
        InvalidObjectError
            An image of 1 dimension has none.

        Examples
        --------
        >>> sycl.UnsampledImage(None, "r8g8b8a8_unorm", (3, 2)).get_pitch()
        Range(12)
        """
        return self.pitch

    def __repr__(self) -> str:
        words = [self.format.value, " x ".join(map(str, self.range))]
        if self.is_closed:
            words.append("closed")
        else:
            where = self._where()
            words.append(f"current on {where}" if where else "contents undefined")
        return f"<pysycl.{type(self).__name__} {', '.join(words)}>"

    def __copy__(self) -> Self:
        """Another handle on the same image: SYCL's copies are references."""
        import numpy as np

        other = self._handle(0, (self._layout.byte_size,), np.dtype(np.uint8), False)
        other._layout = self._layout
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> NoReturn:
        raise TypeError("an image cannot be deep-copied: make one from a copy of its pixels")

    def __reduce__(self) -> NoReturn:
        raise TypeError("an image cannot be pickled: it lives in one process; pickle its pixels")


class UnsampledImage(Image, WritesBack):
    """Pixels that commands read or write one by one, by whole-number coordinates.

    Parameters
    ----------
    data
        - an array, or anything with the buffer protocol, an array interface or DLPack, whose shape is the range in
          reverse and 4 channels, (..., height, width, 4), of the format's own dtype; or flat bytes, as many as the
          image has. It is wrapped, must be left alone until the image is closed, and has the image's contents then if
          anything wrote to it. A read-only array is never written.
        - a weakref.ref to an array: shared. Written back if somebody still holds the array then.
        - None: undefined contents, and nothing to write back to.
    format
        An ImageFormat or its name.
    range
        Pixels along each dimension. As in SYCL the first extent is the fastest: (width, height, depth).
    pitch
        Bytes from row to row and, in three dimensions, from slice to slice, where rows or slices lie apart in memory;
        the strides of the array must agree. None: the array may have any strides, and the image has none of its own.
    use_host_ptr
        The array must be the storage for the host: host accessors show the array itself.
    use_mutex
        A lock that is held while the data is in use.
    context_bound
        The one context that the image may be used in.
    allocator
        Called with a number of bytes when host memory is needed: returns an object with a writable buffer, or None.

    Raises
    ------
    InvalidParameterError
        Data, format, range and pitch do not agree; the message says how.

    Notes
    -----
    SYCL 2020, 4.7.3. A device that has no images, no such format or none so large refuses the first command that uses
    the image there, with FeatureNotSupportedError. `close`, the end of a `with` block, and garbage collection destroy an
    image, as they do a Buffer.

    Examples
    --------
    >>> pixels = np.zeros((2, 3, 4), np.uint8)
    >>> paint = sycl.Program('''__kernel void paint(write_only image2d_t out) {
    ...     write_imagef(out, (int2)(get_global_id(0), get_global_id(1)), (float4)(1, 0, 0, 1));
    ... }''').paint
    >>> with sycl.UnsampledImage(pixels, "r8g8b8a8_unorm", (3, 2)) as image, queue.submit() as h:
    ...     h.parallel_for((2, 3), paint, h.write(image))
    >>> pixels[1, 2].tolist()
    [255, 0, 0, 255]
    """

    __slots__ = ()
    _accessors = (UnsampledImageAccessor, HostUnsampledImageAccessor)

    @_core.entry
    def __new__(
        cls,
        data: Any,
        format: ImageFormat | str,
        range: Sizes,
        pitch: Sizes | None = None,
        *,
        use_host_ptr: bool = False,
        use_mutex: Mutex | None = None,
        context_bound: Context | None = None,
        allocator: Allocator | None = None,
    ) -> UnsampledImage:
        layout = _layout(format, range, pitch)
        source = sort_out(data, layout, pitch is not None, False)
        self = cls._make(
            *_parts(source, layout, allocator, use_host_ptr), False, use_host_ptr, use_mutex, context_bound
        )
        self._layout = layout
        return self

    @classmethod
    def from_int_ptr(cls, value: int, context: Context) -> UnsampledImage:
        """An image around the cl_mem of an image of the context, which is retained.

        Parameters
        ----------
        value
            The cl_mem.
        context
            The context that it belongs to.

        Returns
        -------
        UnsampledImage
            With the native image's format and range.

        Raises
        ------
        SyclError
            The value is no image of the context, or of a format that pysycl has not.

        Examples
        --------
        >>> image = sycl.UnsampledImage(np.zeros((2, 3, 4), np.uint8), "r8g8b8a8_unorm", (3, 2))
        >>> read = sycl.Program("__kernel void f(read_only image2d_t x) {}").f
        >>> with queue.submit() as h:
        ...     h.parallel_for(1, read, h.read(image))
        >>> (memory,) = sycl.get_native("opencl", image)
        >>> sycl.UnsampledImage.from_int_ptr(memory, queue.context).range
        Range(3, 2)
        """
        import numpy as np

        life = Life(Host.none, (), np.dtype(np.uint8))
        self = cls._from_native(value, context, np.dtype(np.uint8), 1, {}, life, True)
        self._layout = ImageLayout.of(_core.image_description(self))
        life.shape, life.dtype = self._layout.shape, self._layout.format.dtype
        return self

    def _group_access(
        self, handler: Handler, mode: AccessMode, range: Any, offset: Any, no_init: bool, target: Target | str, /
    ) -> UnsampledImageAccessor:
        _whole(range, offset)
        return UnsampledImageAccessor(self, handler, mode, target=target, no_init=no_init)

    @_core.entry
    def host_access(
        self, mode: AccessMode | str = AccessMode.read, dtype: DTypeLike | None = None, *, no_init: bool = False
    ) -> HostUnsampledImageAccessor:
        """The host's access, granted: in a `with` block `read` and `write` take coordinates, and indexing takes elements.

        Parameters
        ----------
        mode
            "read", "write" or "discard_write".
        dtype
            The element type, "int4", "uint4", "float4" or "half4" or the dtype of a component. None: the format's own.
        no_init
            The contents may be dropped.

        Returns
        -------
        HostUnsampledImageAccessor

        Raises
        ------
        InvalidParameterError
            Another mode, or a type that the format cannot be read as.
        AccessorError
            This very thread holds an access that must end before this one could be granted.

        Examples
        --------
        >>> image = sycl.UnsampledImage(np.zeros((2, 3, 4), np.uint8), "r8g8b8a8_unorm", (3, 2))
        >>> with image.host_access("write") as a:
        ...     a.write((2, 0), (1.0, 0.0, 0.0, 1.0))
        >>> with image.host_access() as a:
        ...     a[0, 2].tolist()
        [1.0, 0.0, 0.0, 1.0]
        """
        return HostUnsampledImageAccessor(self, mode, dtype, no_init=no_init)


class SampledImage(Image):
    """Pixels that commands read through a sampler, between and beyond them.

    Parameters
    ----------
    data
        As for UnsampledImage, but there must be data, and it is never written.
    format
        An ImageFormat or its name.
    sampler
        A Sampler: how the image is read. A kernel gets it as an argument of its own.
    range, pitch, use_host_ptr, use_mutex, context_bound
        As for UnsampledImage.

    Raises
    ------
    InvalidParameterError
        Data, format, range and pitch do not agree; the message says how.

    Notes
    -----
    SYCL 2020, 4.7.3.2. Its accessors read only.

    Examples
    --------
    >>> pixels = np.zeros((1, 2, 4), np.float32)
    >>> pixels[0, 1] = 1
    >>> sampler = sycl.Sampler("unnormalized", "clamp_to_edge", "linear")
    >>> image = sycl.SampledImage(pixels, "r32g32b32a32_sfloat", sampler, (2, 1))
    >>> with image.host_access() as a:
    ...     a.read((1.0, 0.5)).tolist()
    [0.5, 0.5, 0.5, 0.5]
    """

    __slots__ = ("_sampler",)
    _sampler: Sampler
    _accessors = (SampledImageAccessor, HostSampledImageAccessor)

    @_core.entry
    def __new__(
        cls,
        data: Any,
        format: ImageFormat | str,
        sampler: Sampler,
        range: Sizes,
        pitch: Sizes | None = None,
        *,
        use_host_ptr: bool = False,
        use_mutex: Mutex | None = None,
        context_bound: Context | None = None,
    ) -> SampledImage:
        if not isinstance(sampler, Sampler):
            raise InvalidParameterError(f"sampler: expected a Sampler, got {sampler!r}")
        if data is None or isinstance(data, weakref.ref):
            raise InvalidParameterError(f"data: a SampledImage is made from pixels, not from {data!r}")
        layout = _layout(format, range, pitch)
        source = sort_out(data, layout, pitch is not None, True)
        self = cls._make(*_parts(source, layout, None, use_host_ptr), True, use_host_ptr, use_mutex, context_bound)
        self._layout = layout
        self._sampler = sampler
        return self

    @property
    def sampler(self) -> Sampler:
        """How the image is read."""
        return self._sampler

    def _group_access(
        self, handler: Handler, mode: AccessMode, range: Any, offset: Any, no_init: bool, target: Target | str, /
    ) -> SampledImageAccessor:
        _whole(range, offset)
        _only_reads(mode)
        return SampledImageAccessor(self, handler, target=target)

    @_core.entry
    def host_access(
        self, mode: AccessMode | str = AccessMode.read, dtype: DTypeLike | None = None
    ) -> HostSampledImageAccessor:
        """The host's access, granted: in a `with` block its `read(coords)` goes through the sampler.

        Parameters
        ----------
        mode
            "read": there is no other.
        dtype
            The element type, "int4", "uint4", "float4" or "half4" or the dtype of a component. None: the format's own.

        Returns
        -------
        HostSampledImageAccessor

        Raises
        ------
        InvalidParameterError
            Another mode.
        AccessorError
            This very thread holds an access that must end before this one could be granted.

        Examples
        --------
        >>> sampler = sycl.Sampler("unnormalized", "clamp_to_edge", "nearest")
        >>> image = sycl.SampledImage(np.full((2, 2, 4), 255, np.uint8), "r8g8b8a8_unorm", sampler, (2, 2))
        >>> with image.host_access() as a:
        ...     a.read((-7.0, 0.5)).tolist()
        [1.0, 1.0, 1.0, 1.0]
        """
        _only_reads(mode)
        return HostSampledImageAccessor(self, dtype)

    def __copy__(self) -> Self:
        other = super().__copy__()
        other._sampler = self._sampler
        return other


def _parts(
    source: Source, layout: ImageLayout, allocator: Allocator | None, use_host_ptr: bool
) -> tuple[ImageLife, Array | None, tuple[int, ...], np.dtype[Any], Array | None, bool, tuple[Any, ...]]:
    """The arguments of `_make` for an image."""
    import numpy as np

    if use_host_ptr and not source.in_place:
        raise InvalidParameterError(
            "use_host_ptr: the memory cannot be the image's own: it must be an array that is writable, and whose "
            "rows lie one after the other, or as `pitch` says"
        )
    life, dtype = ImageLife(source.host, layout, allocator), np.dtype(np.uint8)
    description = (layout.format.value, layout.range, layout.pitch)
    return life, source.memory, (layout.byte_size,), dtype, source.array, source.in_place, (description,)


def _whole(range: object, offset: object) -> None:
    if range is not None or offset is not None:
        raise InvalidParameterError("range and offset: an accessor of an image covers all of it")


def _only_reads(mode: AccessMode | str) -> None:
    if as_enum(AccessMode, mode, "mode") is not AccessMode.read:
        raise InvalidParameterError("mode: a SampledImage can be read only")


def _layout(format: ImageFormat | str, range: Sizes, pitch: Sizes | None) -> ImageLayout:
    kind = as_enum(ImageFormat, format, "format")
    pitches = () if pitch is None else sizes(pitch, "pitch")
    return ImageLayout.of(_core.image_layout(kind.value, sizes(range, "range"), pitches))
