"""Sampler: how a kernel reads an image between and beyond its pixels. SYCL 2020, 4.7.8."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from pysycl import _core
from pysycl.enums import as_enum

if TYPE_CHECKING:
    from pysycl.context import Context


class AddressingMode(Enum):
    """The meaning of a coordinate beyond the image.

    Examples
    --------
    >>> sycl.Sampler("normalized", sycl.AddressingMode.repeat, "nearest").addressing_mode
    <AddressingMode.repeat: 'repeat'>
    """

    mirrored_repeat = "mirrored_repeat"
    repeat = "repeat"
    clamp_to_edge = "clamp_to_edge"
    clamp = "clamp"
    none = "none"


class FilteringMode(Enum):
    """The value between pixels: the nearest one, or a mixture of the adjacent ones.

    Examples
    --------
    >>> sycl.Sampler("normalized", "repeat", sycl.FilteringMode.linear).filtering_mode
    <FilteringMode.linear: 'linear'>
    """

    nearest = "nearest"
    linear = "linear"


class CoordinateNormalizationMode(Enum):
    """Coordinates from 0.0 to 1.0 across the image, or in pixels.

    Examples
    --------
    >>> normalized = sycl.CoordinateNormalizationMode.normalized
    >>> sycl.Sampler(normalized, "repeat", "nearest").coordinate_normalization_mode is normalized
    True
    """

    normalized = "normalized"
    unnormalized = "unnormalized"


@_core.bind
class Sampler(_core.Sampler):
    """Reads an image: an argument for a kernel's `sampler_t`, and a part of a SampledImage.

    Parameters
    ----------
    coordinate_normalization_mode, addressing_mode, filtering_mode
        Members of CoordinateNormalizationMode, AddressingMode and FilteringMode, or their names.

    Raises
    ------
    InvalidParameterError
        `repeat` or `mirrored_repeat` without normalized coordinates: what they would read is undefined.

    Notes
    -----
    SYCL 2020, 4.7.8. `clamp` reads a border colour beyond the image: zeros. With `none` the caller promises that no
    coordinate leaves the image. Samplers of the same modes are equal.

    Examples
    --------
    >>> sycl.Sampler("unnormalized", "clamp_to_edge", "linear")
    Sampler('unnormalized', 'clamp_to_edge', 'linear')
    """

    __slots__ = ()

    @_core.entry
    def __new__(
        cls,
        coordinate_normalization_mode: CoordinateNormalizationMode | str,
        addressing_mode: AddressingMode | str,
        filtering_mode: FilteringMode | str,
    ) -> Sampler:
        coordinates = as_enum(
            CoordinateNormalizationMode, coordinate_normalization_mode, "coordinate_normalization_mode"
        )
        addressing = as_enum(AddressingMode, addressing_mode, "addressing_mode")
        filtering = as_enum(FilteringMode, filtering_mode, "filtering_mode")
        normalized = coordinates is CoordinateNormalizationMode.normalized
        return super().__new__(cls, normalized, addressing.value, filtering.value)

    @classmethod
    def from_int_ptr(cls, value: int, context: Context) -> Sampler:
        """A sampler around a cl_sampler of the context, which is retained.

        Parameters
        ----------
        value
            The cl_sampler.
        context
            The context that it belongs to.

        Returns
        -------
        Sampler

        Raises
        ------
        SyclError
            The value is no cl_sampler of the context.

        Examples
        --------
        >>> sampler = sycl.Sampler("unnormalized", "clamp", "nearest")
        >>> sycl.Sampler.from_int_ptr(sampler.int_ptr_in(queue.context), queue.context)
        Sampler('unnormalized', 'clamp', 'nearest')
        """
        return cls._from_native(value, context)

    def int_ptr_in(self, context: Context) -> int:
        """The native cl_sampler in a context, as an integer that is valid as long as the sampler.

        Parameters
        ----------
        context
            The context.

        Returns
        -------
        int

        Examples
        --------
        >>> sampler = sycl.Sampler("unnormalized", "clamp", "nearest")
        >>> sampler.int_ptr_in(queue.context) != 0
        True
        """
        return self._native(context)

    @property
    def coordinate_normalization_mode(self) -> CoordinateNormalizationMode:
        """Whether coordinates are normalized."""
        normalized = self._modes[0]
        return CoordinateNormalizationMode.normalized if normalized else CoordinateNormalizationMode.unnormalized

    @property
    def addressing_mode(self) -> AddressingMode:
        """The meaning of a coordinate beyond the image."""
        return AddressingMode(self._modes[1])

    @property
    def filtering_mode(self) -> FilteringMode:
        """The value between pixels."""
        return FilteringMode(self._modes[2])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sampler):
            return NotImplemented
        return self._modes == other._modes

    def __hash__(self) -> int:
        return hash(self._modes)

    def __repr__(self) -> str:
        modes = (self.coordinate_normalization_mode, self.addressing_mode, self.filtering_mode)
        return f"Sampler({', '.join(repr(mode.value) for mode in modes)})"

    def __reduce__(self) -> tuple[Any, ...]:
        modes = (self.coordinate_normalization_mode, self.addressing_mode, self.filtering_mode)
        return type(self), tuple(mode.value for mode in modes)
