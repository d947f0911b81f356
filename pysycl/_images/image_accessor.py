"""Accessors of images: in kernels images and samplers, on the host pixels and elements. SYCL 2020, 4.7.6.12."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from pysycl import _core
from pysycl._images.image_elements import ImageElements, SampledElements, UnsampledElements
from pysycl._images.image_format import ImageLayout, element_name
from pysycl.enums import AccessMode, Target, as_enum
from pysycl.errors import InvalidParameterError
from pysycl.host_accessor import HostAccessor

if TYPE_CHECKING:
    from types import TracebackType

    from numpy.typing import DTypeLike, NDArray

    from pysycl._images.image import SampledImage, UnsampledImage
    from pysycl.handler import Handler

_MODES = {
    AccessMode.read: (0, False),
    AccessMode.write: (1, False),
    AccessMode.discard_write: (1, True),
}


def mode_of(mode: AccessMode | str, no_init: bool) -> tuple[int, bool]:
    """The core's code of a mode, and whether contents may be dropped. An unsampled image is read or written, not both."""
    wanted = as_enum(AccessMode, mode, "mode")
    if wanted not in _MODES:
        raise InvalidParameterError(
            f"mode: an accessor of an image is for read, write or discard_write, not {wanted.value}"
        )
    code, discards = _MODES[wanted]
    return code, discards or no_init


def layout_of(image: object, sampled: bool) -> ImageLayout:
    """The layout of an image, if it is one of the kind that the accessor is for."""
    from pysycl._images.image import Image, SampledImage

    if not isinstance(image, Image):
        raise InvalidParameterError(f"image: expected an image, got {image!r}")
    if isinstance(image, SampledImage) != sampled:
        kinds = ("a SampledImage", "an UnsampledImage")
        raise InvalidParameterError(
            f"image: an accessor of this kind is for {kinds[not sampled]}, not for {kinds[sampled]}"
        )
    return image._layout


def _group(handler: Handler) -> Handler:
    """The handler that there must be."""
    if handler is None:
        raise InvalidParameterError("handler: images have no placeholder accessors; make one in each command group")
    return handler


def _target_of(target: Target | str, own: Target) -> int:
    wanted = as_enum(Target, target, "target")
    if wanted not in (Target.device, Target.host_task, own):
        raise InvalidParameterError(f"target: an accessor of this image is for device or host_task, not {wanted.value}")
    return 2 if wanted is Target.host_task else 0


class UnsampledImageAccessor(UnsampledElements, _core.Accessor):
    """A command's access to an UnsampledImage: the argument for a kernel's `image2d_t`, or pixels in a host task.

    Parameters
    ----------
    image
        The image.
    handler
        The command group. There are no placeholders of images.
    mode
        `read` (for `read_only` images), `write` or `discard_write` (for `write_only` ones).
    dtype
        The element type, "int4", "uint4", "float4" or "half4" or the dtype of a component. None: the format's own.
    target
        `device`, or `host_task`: then the accessor's methods read and write pixels while the task runs.
    no_init
        The image's contents may be dropped: the command writes all that is read later.

    Notes
    -----
    SYCL 2020, 4.7.6.12. In a kernel images are read and written with OpenCL C's own functions: `read_imagef(image,
    (int2)(x, y))`, `write_imageui(image, (int2)(x, y), colour)`.

    Examples
    --------
    >>> image = sycl.UnsampledImage(np.zeros((2, 3, 4), np.uint8), "r8g8b8a8_unorm", (3, 2))
    >>> found = []
    >>> with queue.submit() as h:
    ...     a = sycl.UnsampledImageAccessor(image, h, "read", target="host_task")
    ...     h.host_task(lambda: found.append(a.read((0, 0)).tolist()))
    >>> h.event.wait()
    >>> found
    [[0.0, 0.0, 0.0, 0.0]]
    """

    __slots__ = ("_element", "_layout")

    @_core.entry
    def __new__(
        cls,
        image: UnsampledImage,
        handler: Handler,
        mode: AccessMode | str = AccessMode.read,
        dtype: DTypeLike | None = None,
        *,
        target: Target | str = Target.device,
        no_init: bool = False,
    ) -> UnsampledImageAccessor:
        layout = layout_of(image, sampled=False)
        code, drops = mode_of(mode, no_init)
        element = element_name(dtype, layout.format)
        where = _target_of(target, Target.unsampled_image)
        self = super().__new__(cls, image, _group(handler), code, where, None, None, drops)
        self._layout, self._element = layout, element
        return self


class SampledImageAccessor(SampledElements, _core.Accessor):
    """A command's access to a SampledImage: it reads, through the image's sampler.

    Parameters
    ----------
    image, handler, dtype, target
        As for UnsampledImageAccessor.

    Notes
    -----
    SYCL 2020, 4.7.6.12. A kernel takes the sampler as another argument: `read_imagef(image, sampler, (float2)(x, y))`,
    with `accessor.sampler` for its `sampler_t`.

    Examples
    --------
    >>> sampler = sycl.Sampler("unnormalized", "clamp_to_edge", "linear")
    >>> image = sycl.SampledImage(np.ones((1, 2, 4), np.float32), "r32g32b32a32_sfloat", sampler, (2, 1))
    >>> read = sycl.Program('''__kernel void f(read_only image2d_t image, sampler_t how, __global float *y) {
    ...     y[0] = read_imagef(image, how, (float2)(1.0f, 0.5f)).x;
    ... }''').f
    >>> y = sycl.Buffer(1, np.float32)
    >>> with queue.submit() as h:
    ...     a = sycl.SampledImageAccessor(image, h)
    ...     h.parallel_for(1, read, a, a.sampler, h.write(y))
    >>> np.asarray(y)
    array([1.], dtype=float32)
    """

    __slots__ = ("_element", "_layout", "_sampler")

    @_core.entry
    def __new__(
        cls,
        image: SampledImage,
        handler: Handler,
        dtype: DTypeLike | None = None,
        *,
        target: Target | str = Target.device,
    ) -> SampledImageAccessor:
        layout = layout_of(image, sampled=True)
        element = element_name(dtype, layout.format)
        where = _target_of(target, Target.sampled_image)
        self = super().__new__(cls, image, _group(handler), 0, where, None, None, False)
        self._layout, self._element, self._sampler = layout, element, image.sampler
        return self


class Access(HostAccessor):
    """The host's access to the memory of an image."""

    __slots__ = ()

    def _view(self) -> NDArray[Any]:
        image: Any = self._buffer
        pixels: NDArray[Any] = image._layout.pixels(self)
        return pixels


class _OfHost(ImageElements):
    """Shared by the host's accessors of images: the access, from its beginning to its end."""

    __slots__ = ()

    _access: Access

    @property
    def _mode(self) -> int:
        return self._access._mode

    @property
    def no_init(self) -> bool:
        """True if earlier contents may be dropped."""
        return self._access.no_init

    @property
    def is_closed(self) -> bool:
        """True once the access has ended."""
        return self._access.is_closed

    @property
    def pixels(self) -> NDArray[Any]:
        """The pixels as they lie in memory, (..., height, width, 4) channels: a view, of use until the access ends.

        InvalidObjectError: it has ended.
        """
        return self._access.data

    def close(self) -> None:
        """End the access: commands that wait for it may start. Again is harmless.

        Examples
        --------
        >>> a = sycl.UnsampledImage(np.zeros((2, 3, 4), np.uint8), "r8g8b8a8_unorm", (3, 2)).host_access()
        >>> a.read((0, 0)).tolist()
        [0.0, 0.0, 0.0, 0.0]
        >>> a.close()
        """
        self._access.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class HostUnsampledImageAccessor(_OfHost, UnsampledElements):
    """The host's access to an UnsampledImage, from the constructor's return until `close` or the end of a `with` block.

    Parameters
    ----------
    image
        The image.
    mode
        "read", "write" or "discard_write".
    dtype
        The element type, "int4", "uint4", "float4" or "half4" or the dtype of a component. None: the format's own.
    no_init
        The contents may be dropped.

    Notes
    -----
    SYCL 2020, 4.7.6.12. `read` and `write` take coordinates, x first; indexing and `numpy.asarray` give and take
    elements, the slowest dimension first; `pixels` is the memory itself.

    Examples
    --------
    >>> image = sycl.UnsampledImage(np.zeros((2, 3, 4), np.uint8), "r8g8b8a8_unorm", (3, 2))
    >>> with sycl.HostUnsampledImageAccessor(image, "read") as a:
    ...     np.asarray(a).shape
    (2, 3, 4)
    """

    __slots__ = ("__weakref__", "_access", "_element", "_layout")

    @_core.entry
    def __init__(
        self,
        image: UnsampledImage,
        mode: AccessMode | str = AccessMode.read,
        dtype: DTypeLike | None = None,
        *,
        no_init: bool = False,
    ) -> None:
        self._layout = layout_of(image, sampled=False)
        self._element = element_name(dtype, self._layout.format)
        code, drops = mode_of(mode, no_init)
        self._access = Access._granted(image, code, None, None, drops)


class HostSampledImageAccessor(_OfHost, SampledElements):
    """The host's access to a SampledImage: it reads, through the image's sampler.

    Parameters
    ----------
    image
        The image.
    dtype
        The element type, "int4", "uint4", "float4" or "half4" or the dtype of a component. None: the format's own.

    Notes
    -----
    SYCL 2020, 4.7.6.12.

    Examples
    --------
    >>> sampler = sycl.Sampler("normalized", "repeat", "nearest")
    >>> image = sycl.SampledImage(np.ones((1, 2, 4), np.float32), "r32g32b32a32_sfloat", sampler, (2, 1))
    >>> with sycl.HostSampledImageAccessor(image) as a:
    ...     a.read((1.75, 0.5)).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """

    __slots__ = ("__weakref__", "_access", "_element", "_layout", "_sampler")

    @_core.entry
    def __init__(self, image: SampledImage, dtype: DTypeLike | None = None) -> None:
        self._layout = layout_of(image, sampled=True)
        self._element = element_name(dtype, self._layout.format)
        self._sampler = image.sampler
        self._access = Access._granted(image, 0, None, None, False)
