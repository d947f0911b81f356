"""ImageFormat: how an image's pixels lie in memory, and what reading and writing one means. SYCL 2020, 4.7.3."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pysycl import _core
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike, NDArray

    Pixels: TypeAlias = NDArray[Any]


class ImageFormat(Enum):
    """Four channels of a pixel: their order, bits and meaning.

    `unorm` channels are read as 0.0 to 1.0, `sint`, `uint` and `sfloat` ones as what they are. The provisional
    specification's spellings `r32b32g32a32_sint`, `r32b32g32a32_uint` and `r16b16g16a16_sfloat` are aliases.

    Examples
    --------
    >>> sycl.UnsampledImage(None, sycl.ImageFormat.r8g8b8a8_unorm, (3, 2)).byte_size
    24
    """

    r8g8b8a8_unorm = "r8g8b8a8_unorm"
    r16g16b16a16_unorm = "r16g16b16a16_unorm"
    r8g8b8a8_sint = "r8g8b8a8_sint"
    r16g16b16a16_sint = "r16g16b16a16_sint"
    r32g32b32a32_sint = "r32g32b32a32_sint"
    r8g8b8a8_uint = "r8g8b8a8_uint"
    r16g16b16a16_uint = "r16g16b16a16_uint"
    r32g32b32a32_uint = "r32g32b32a32_uint"
    r16g16b16a16_sfloat = "r16g16b16a16_sfloat"
    r32g32b32a32_sfloat = "r32g32b32a32_sfloat"
    b8g8r8a8_unorm = "b8g8r8a8_unorm"

    r32b32g32a32_sint = r32g32b32a32_sint
    r32b32g32a32_uint = r32g32b32a32_uint
    r16b16g16a16_sfloat = r16g16b16a16_sfloat

    @property
    def kind(self) -> str:
        """The kind of a channel: "unorm", "sint", "uint" or "sfloat"."""
        return self.value.rpartition("_")[2]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of one channel in memory."""
        import numpy as np

        bits = int(self.value.split("g")[0][1:])
        letter = {"unorm": "u", "sint": "i", "uint": "u", "sfloat": "f"}[self.kind]
        return np.dtype(f"{letter}{bits // 8}")

    @property
    def pixel_size(self) -> int:
        """Bytes of one pixel."""
        return 4 * self.dtype.itemsize

    @property
    def channel_order(self) -> tuple[int, int, int, int]:
        """Where red, green, blue and alpha lie among the four channels in memory."""
        return (2, 1, 0, 3) if self.value.startswith("b8") else (0, 1, 2, 3)


# The element types that accessors of images have (H359), by SYCL's name: the dtype of one component.
_ELEMENTS = {"int4": "int32", "uint4": "uint32", "float4": "float32", "half4": "float16"}
_NATURAL = {"unorm": "float4", "sfloat": "float4", "sint": "int4", "uint": "uint4"}


def element_name(dtype: DTypeLike | None, format: ImageFormat) -> str:
    """The element type that `dtype` names: "int4", "uint4", "float4" or "half4", the dtype of one component, or None
    for the one that loses nothing.

    A channel that is an integer is read and written as integers of its kind, any other as float or half: what OpenCL's
    read_imagei, read_imageui, read_imagef and read_imageh are for.
    """
    import numpy as np

    if dtype is None:
        return _NATURAL[format.kind]
    name = dtype if isinstance(dtype, str) and dtype in _ELEMENTS else None
    if name is None:
        try:
            wanted = np.dtype(dtype)
        except TypeError:
            raise InvalidParameterError(f"dtype: {dtype!r} is no element type; images have {_names()}") from None
        scalar = wanted.base if wanted.shape in ((), (4,)) else wanted
        name = next((each for each, component in _ELEMENTS.items() if scalar == component), None)
    if name is None:
        raise InvalidParameterError(f"dtype: an accessor of an image has elements {_names()}, not {dtype!r}")
    natural = _NATURAL[format.kind]
    if name != natural and not (natural == "float4" and name == "half4"):
        raise InvalidParameterError(
            f"dtype: pixels of {format.value} are read and written as {natural}, which {name} is not"
        )
    return name


def _names() -> str:
    return ", ".join(_ELEMENTS)


def component_dtype(element: str) -> np.dtype[Any]:
    """The dtype of one component of "int4", "uint4", "float4" or "half4"."""
    import numpy as np

    return np.dtype(_ELEMENTS[element])


def decode(pixels: Pixels, format: ImageFormat, element: str) -> Pixels:
    """Pixels as they lie in memory, (..., 4), as elements: red, green, blue, alpha."""
    import numpy as np

    ordered = pixels[..., format.channel_order]
    if format.kind != "unorm":
        return ordered.astype(component_dtype(element))
    most = float(np.iinfo(format.dtype).max)
    return (ordered.astype(np.float64) / most).astype(component_dtype(element))


def encode(colors: Any, format: ImageFormat) -> Pixels:
    """Elements (..., 4) as pixels in memory: rounded to the nearest and saturated, as OpenCL writes them."""
    import numpy as np

    given = np.asarray(colors)
    if given.shape[-1:] != (4,):
        raise InvalidParameterError(f"color: expected 4 components, red, green, blue and alpha, got {colors!r}")
    given = given[..., format.channel_order]
    if format.kind == "sfloat":
        with np.errstate(over="ignore"):
            narrowed: Pixels = given.astype(format.dtype)
        return narrowed
    limits = np.iinfo(format.dtype)
    if format.kind == "unorm":
        scaled = np.nan_to_num(given.astype(np.float64), nan=0.0) * limits.max
        return np.clip(np.rint(scaled), 0, limits.max).astype(format.dtype)
    if given.dtype.kind not in "iub":
        raise InvalidParameterError(f"color: the channels of {format.value} are integers, not {given.dtype}")
    clipped: Pixels = np.clip(given, limits.min, limits.max)
    return clipped.astype(format.dtype)


class ImageLayout(NamedTuple):
    """How all pixels of an image lie in host memory."""

    format: ImageFormat
    range: tuple[int, ...]
    """Pixels along each dimension, the fastest first."""
    pitch: tuple[int, ...]
    """Bytes from row to row and from slice to slice, as far as there are such."""
    byte_size: int

    @classmethod
    def of(cls, description: tuple[str, tuple[int, ...], tuple[int, ...], int]) -> ImageLayout:
        """The layout that the core describes."""
        name, extents, pitch, size = description
        return cls(ImageFormat(name), extents, pitch, size)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of all channels as an array: (depth, height, width, 4), as far as there are such dimensions."""
        return (*reversed(self.range), 4)

    @property
    def strides(self) -> tuple[int, ...]:
        """The strides of that array."""
        return (*reversed(self.pitch), self.format.pixel_size, self.format.dtype.itemsize)

    def pixels(self, accessor: Any) -> Pixels:
        """The array over the memory of an accessor that the host may use now."""
        import numpy as np

        writes = bool(accessor._mode)
        interface = {
            "version": 3,
            "data": (_core.image_address(accessor), not writes),
            "shape": self.shape,
            "strides": self.strides,
            "typestr": self.format.dtype.str,
        }
        return np.asarray(_Memory(accessor, interface))


class _Memory:
    """Keeps alive the memory of an array over an accessor."""

    def __init__(self, accessor: Any, interface: dict[str, Any]) -> None:
        self.accessor = accessor
        self.__array_interface__ = interface
