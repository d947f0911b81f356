"""Elements to be sorted, of each type and pattern."""

import numpy as np

TYPES = ["?", "i1", "u1", "i2", "u2", "f2", "i4", "u4", "f4", "i8", "u8", "f8", "c8", "c16"]
PATTERNS = ["random", "few", "sorted", "reversed", "equal", "organ pipe"]
SIZES = [1, 2, 3, 15, 16, 17, 31, 127, 129, 511, 512, 513, 1021, 4095, 4097, 20_011]


def needs(dtype):
    """The aspect that a device needs for the type, or None."""
    dtype = np.dtype(dtype)
    wide = dtype.itemsize // (2 if dtype.kind == "c" else 1) == 8
    return "fp64" if wide and dtype.kind == "c" else None


def _any(rng, dtype, size):
    if dtype.kind == "b":
        return rng.integers(0, 2, size).astype(dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, size, dtype=dtype, endpoint=True)
    if dtype.kind == "f":
        return rng.normal(size=size).astype(dtype)
    return (rng.normal(size=size) + 1j * rng.normal(size=size)).astype(dtype)


def _few(rng, dtype, size):
    """Of few values, odd ones among them."""
    if dtype.kind in "biu":
        return rng.integers(0, 2 if dtype.kind == "b" else 3, size).astype(dtype)
    values = [-1.5, 0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 2]
    if dtype.kind == "f":
        return rng.choice(values, size).astype(dtype)
    found = np.empty(size, dtype)
    found.real, found.imag = rng.choice(values, size), rng.choice(values, size)
    return found


def elements(rng, dtype, shape, pattern):
    """An array of a pattern; along axes these are what they are by chance."""
    dtype, size = np.dtype(dtype), int(np.prod(shape))
    found = (_few if pattern == "few" else _any)(rng, dtype, size)
    if pattern in ("sorted", "reversed", "organ pipe"):
        found = np.sort(found)
    if pattern == "reversed":
        found = found[::-1].copy()
    elif pattern == "organ pipe":
        found[size // 2 :] = found[size // 2 :][::-1].copy()
    elif pattern == "equal" and size:
        found[:] = found[0]
    return found.reshape(shape)


def same(ours, theirs):
    """Equal arrays: of values, a NaN is a NaN."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, (
        ours.dtype,
        ours.shape,
        theirs.dtype,
        theirs.shape,
    )
    np.testing.assert_array_equal(ours, theirs)
