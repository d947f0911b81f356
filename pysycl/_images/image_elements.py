"""Pixels and elements of images, as accessors have them on the host. SYCL 2020, 4.7.6.12."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from pysycl._images.image_format import ImageLayout, component_dtype, decode, encode
from pysycl._images.sampling import sample
from pysycl._runtime.properties import HasProperties
from pysycl.enums import AccessMode
from pysycl.errors import InvalidParameterError
from pysycl.ranges import Range

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import DTypeLike, NDArray

    from pysycl._images.sampler import Sampler


class ImageElements(HasProperties):
    """Shared by accessors of images: their facts, and on the host their pixels."""

    __slots__ = ()

    _layout: ImageLayout
    _element: str
    if TYPE_CHECKING:

        @property
        def _mode(self) -> int: ...
        @property
        def no_init(self) -> bool: ...

    @property
    def _properties(self) -> Mapping[str, Any]:
        return {"no_init": True} if self.no_init else {}

    @property
    def range(self) -> Range:
        """Pixels along each dimension, the fastest first."""
        return Range(*self._layout.range)

    @property
    def dimensions(self) -> int:
        """The image's number of dimensions."""
        return len(self._layout.range)

    @property
    def size(self) -> int:
        """The number of pixels."""
        return prod(self._layout.range)

    @property
    def count(self) -> int:
        """SYCL's older word for `size`."""
        return self.size

    @property
    def byte_size(self) -> int:
        """The bytes of the image."""
        return self._layout.byte_size

    @property
    def element_type(self) -> str:
        """The type that one pixel is read and written as: "int4", "uint4", "float4" or "half4"."""
        return self._element

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of one component of an element."""
        return component_dtype(self._element)

    @property
    def mode(self) -> AccessMode:
        """The accessor's mode."""
        return AccessMode.write if self._mode else AccessMode.read

    @property
    def pixels(self) -> NDArray[Any]:
        """The pixels as they lie in memory, (..., height, width, 4) channels: a view.

        InvalidObjectError: there is no memory now. That of a command's accessor is there in its host task only.
        """
        return self._layout.pixels(self)

    def _elements(self) -> NDArray[Any]:
        if self._mode:
            raise InvalidParameterError("the accessor only writes: ask for an accessor of mode read")
        return decode(self.pixels, self._layout.format, self._element)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("the elements of an image are made from its pixels: only a copy of them can be had")
        import numpy as np

        elements: NDArray[Any] = np.asarray(self._elements(), dtype)
        return elements

    def __repr__(self) -> str:
        size = " x ".join(map(str, self._layout.range))
        return f"<pysycl.{type(self).__name__} of {size} {self._element}, {self.mode.value}>"


class UnsampledElements(ImageElements):
    """Pixels one by one, by whole-number coordinates."""

    __slots__ = ()

    def _index(self, coords: Any) -> tuple[NDArray[Any], ...]:
        import numpy as np

        places = _coordinates(coords, self.dimensions)
        if places.dtype.kind not in "iu":
            raise InvalidParameterError(f"coords: {coords!r} are no whole numbers")
        if np.any(places < 0) or np.any(places >= np.array(self._layout.range)):
            raise IndexError(f"coords: {coords!r} lies outside the image of {' x '.join(map(str, self._layout.range))}")
        return tuple(places[..., d] for d in reversed(range(self.dimensions)))

    def read(self, coords: Any) -> NDArray[Any]:
        """The element at a pixel.

        Parameters
        ----------
        coords
            x, or (x, y), or (x, y, z), or an array of such places, whose elements are given in its shape. A fourth
            component after x, y and z is ignored, as in SYCL's int4.

        Returns
        -------
        numpy.ndarray
            Red, green, blue and alpha, along the last dimension.

        Raises
        ------
        InvalidParameterError
            The accessor only writes, or the coordinates are no whole numbers, or not as many as the image has dimensions.
        IndexError
            A place outside the image.

        Examples
        --------
        >>> pixels = np.zeros((2, 3, 4), np.uint8)
        >>> pixels[1, 2] = 255
        >>> with sycl.UnsampledImage(pixels, "r8g8b8a8_unorm", (3, 2)).host_access() as a:
        ...     a.read((2, 1)).tolist()
        [1.0, 1.0, 1.0, 1.0]
        """
        if self._mode:
            raise InvalidParameterError("the accessor only writes: ask for an accessor of mode read")
        return decode(self.pixels[self._index(coords)], self._layout.format, self._element)

    def write(self, coords: Any, color: Any) -> None:
        """Writes the element at a pixel, or those at an array of places, converted to the image's format.

        Parameters
        ----------
        coords
            As `read` has them.
        color
            Red, green, blue and alpha, along the last dimension.

        Raises
        ------
        InvalidParameterError
            The accessor only reads, or the coordinates are no whole numbers, or not as many as the image has dimensions.
        IndexError
            A place outside the image.

        Examples
        --------
        >>> image = sycl.UnsampledImage(np.zeros((2, 3, 4), np.uint8), "r8g8b8a8_unorm", (3, 2))
        >>> with image.host_access("write") as a:
        ...     a.write((2, 1), (1.0, 0.0, 0.0, 1.0))
        >>> with image.host_access() as a:
        ...     a.pixels[1, 2].tolist()
        [255, 0, 0, 255]
        """
        if not self._mode:
            raise InvalidParameterError("the accessor only reads: ask for an accessor of mode write")
        self.pixels[self._index(coords)] = encode(color, self._layout.format)

    def __getitem__(self, index: Any) -> NDArray[Any]:
        """Elements by array index, the slowest dimension first."""
        elements: NDArray[Any] = self._elements()[index]
        return elements

    def __setitem__(self, index: Any, colors: Any) -> None:
        """Writes elements by array index, the slowest dimension first; `index` names whole pixels."""
        import numpy as np

        if not self._mode:
            raise InvalidParameterError("the accessor only reads: ask for an accessor of mode write")
        target = self.pixels
        wanted = np.broadcast_to(np.asarray(colors), target[index].shape)
        target[index] = encode(wanted, self._layout.format)


class SampledElements(ImageElements):
    """Elements read through the image's sampler."""

    __slots__ = ()

    _sampler: Sampler

    @property
    def sampler(self) -> Sampler:
        """How the image is read. A kernel gets it as an argument of its own, for its `sampler_t`."""
        return self._sampler

    def read(self, coords: Any) -> NDArray[Any]:
        """The results of reads at floating-point coordinates, as OpenCL's rules for the sampler's modes say.

        Parameters
        ----------
        coords
            x, or (x, y), or (x, y, z), or an array of such places, whose elements are given in its shape: fractions, in
            pixels, or from 0.0 to 1.0 where the sampler normalizes.

        Returns
        -------
        numpy.ndarray
            Red, green, blue and alpha, along the last dimension.

        Raises
        ------
        InvalidParameterError
            Another number of coordinates than the image has dimensions.

        Examples
        --------
        >>> pixels = np.zeros((1, 2, 4), np.float32)
        >>> pixels[0, 1] = 1
        >>> sampler = sycl.Sampler("unnormalized", "clamp_to_edge", "linear")
        >>> with sycl.SampledImage(pixels, "r32g32b32a32_sfloat", sampler, (2, 1)).host_access() as a:
        ...     a.read((1.25, 0.5)).tolist()
        [0.75, 0.75, 0.75, 0.75]
        """
        places = _coordinates(coords, self.dimensions)
        return sample(self._elements(), places, self._sampler)


def _coordinates(coords: Any, rank: int) -> NDArray[Any]:
    """Places as an array (..., rank)."""
    import numpy as np

    places = np.asarray(coords)
    if rank == 1:
        return places[..., None]
    if places.ndim == 0 or places.shape[-1] not in ((3, 4) if rank == 3 else (rank,)):
        raise InvalidParameterError(
            f"coords: expected {rank} numbers for an image of {rank} dimensions, got {coords!r}"
        )
    return places[..., :rank]
