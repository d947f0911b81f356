"""What CUB's tests draw their cases from: a type of the user's, sizes, and segments."""

import numpy as np

CUSTOM = np.dtype([("key", "u8"), ("count", "u8")])


def sizes_up_to(most, count=2):
    """CUB's take(count, random(1, most)), and both ends."""
    return [1, *np.random.default_rng(most).integers(1, most, count).tolist(), most]


def segments_of(rng, count, least, most):
    """CUB's gen_uniform_offsets: sizes of segments between two bounds."""
    if least == most:
        cuts = np.arange(0, count, least)
    else:
        lengths = rng.integers(least, most, size=min(count, 4 * count // max(least + most, 1) + 10), endpoint=True)
        cuts = np.concatenate([[0], np.cumsum(lengths)])
        cuts = cuts[cuts < count]
    return np.append(cuts, count)
