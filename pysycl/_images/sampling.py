"""Sampled reads on the host: OpenCL's addressing and filtering, in NumPy. OpenCL C 3.0, "Image Addressing and
Filtering"."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from pysycl._images.sampler import AddressingMode, CoordinateNormalizationMode, FilteringMode, Sampler

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[Any]
    Indices = NDArray[Any]


def _scaled(coordinate: Floats, extent: int, sampler: Sampler) -> Floats:
    """The coordinate in pixels; repeating modes fold it into the image."""
    import numpy as np

    if sampler.coordinate_normalization_mode is CoordinateNormalizationMode.unnormalized:
        return coordinate
    if sampler.addressing_mode is AddressingMode.repeat:
        coordinate = coordinate - np.floor(coordinate)
    elif sampler.addressing_mode is AddressingMode.mirrored_repeat:
        coordinate = np.abs(coordinate - 2.0 * np.rint(0.5 * coordinate))
    return coordinate * extent


def _address(index: Indices, extent: int, mode: AddressingMode) -> Indices:
    """The pixel that an index stands for; what is outside afterwards is border."""
    import numpy as np

    if mode is AddressingMode.repeat:
        return index % extent
    if mode is AddressingMode.clamp:
        return index
    return np.clip(index, 0, extent - 1)


def _weights(coordinate: Floats, extent: int, sampler: Sampler) -> list[tuple[Indices, Floats]]:
    """The pixels along one dimension that make up the result, each with its share."""
    import numpy as np

    place = _scaled(coordinate, extent, sampler)
    if sampler.filtering_mode is FilteringMode.nearest:
        index = np.floor(place).astype(np.int64)
        return [(_address(index, extent, sampler.addressing_mode), np.ones_like(place))]
    low = np.floor(place - 0.5)
    share = place - 0.5 - low
    index = low.astype(np.int64)
    return [
        (_address(index, extent, sampler.addressing_mode), 1.0 - share),
        (_address(index + 1, extent, sampler.addressing_mode), share),
    ]


def sample(pixels: NDArray[Any], coordinates: NDArray[Any], sampler: Sampler) -> NDArray[Any]:
    """The results of sampled reads.

    Parameters
    ----------
    pixels
        Decoded pixels, (..., height, width, 4).
    coordinates
        (..., dimensions): x first, as kernels have it.
    """
    import numpy as np

    rank = pixels.ndim - 1
    extents = pixels.shape[rank - 1 :: -1] if rank > 0 else ()
    places = np.asarray(coordinates, np.float64)
    along = [_weights(places[..., d], extents[d], sampler) for d in range(rank)]
    if sampler.filtering_mode is FilteringMode.nearest:
        return _read(pixels, [each[0][0] for each in along], extents)
    result = np.zeros((*places.shape[:-1], 4))
    for corner in product(*along):
        share = np.prod([weight for _, weight in corner], axis=0)
        result += _read(pixels, [index for index, _ in corner], extents) * share[..., None]
    return result.astype(pixels.dtype)


def _read(pixels: NDArray[Any], indices: list[Indices], extents: tuple[int, ...]) -> NDArray[Any]:
    """One pixel per place, zeros (the border colour of formats with alpha) outside."""
    import numpy as np

    inside = np.ones(indices[0].shape, bool)
    held = []
    for index, extent in zip(indices, extents, strict=True):
        inside &= (index >= 0) & (index < extent)
        held.append(np.clip(index, 0, extent - 1))
    result: NDArray[Any] = np.where(inside[..., None], pixels[tuple(reversed(held))], pixels.dtype.type(0))
    return result
