"""Random calls of the device-wide reductions, each held against NumPy, and sums of floating-point numbers against bounds
that follow from the number of elements.

A *kind* of case fixes what decides the kernels (function, type, axes, how the array lies in memory); its cases vary sizes,
values and the rest, so that many cases need few kernels. `python tests/conformance/reduce_cases.py --count 100000`."""

from __future__ import annotations

import argparse
import itertools
import math
import sys
import time
import warnings

import numpy as np

import pysycl as sycl

INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
FLOATS = ["f2", "f4", "f8"]
COMPLEX = ["c8", "c16"]
SIZES = [2, 3, 7, 31, 32, 33, 63, 64, 65, 127, 128, 129, 251, 255, 256, 257]
LONG = [1021, 1023, 1024, 1025, 4093, 4095, 4096, 4097, 10007]
ORDERED = ["?", *INTEGERS, *FLOATS]
ALL = [*ORDERED, *COMPLEX]
MOST = 20000  # elements

# Each function with the types that it is for.
FUNCTIONS = {
    "sum": ALL, "prod": ALL, "min": ORDERED, "max": ORDERED, "any": ALL, "all": ALL, "mean": ALL, "var": ALL, "std": ALL,
    "argmin": ORDERED, "argmax": ORDERED, "minmax": ORDERED, "count_nonzero": ALL, "norm": [*INTEGERS, *FLOATS, *COMPLEX],
    "dot": ALL, "map": FLOATS, "reduce": [*INTEGERS],
}  # fmt: skip
TAKE_WHERE = {"sum", "prod", "min", "max", "any", "all", "mean", "var", "std"}
TAKE_INITIAL = {"sum", "prod", "min", "max"}


def unit(dtype):
    """The relative error of one operation on elements of a type."""
    real = np.zeros(0, dtype).real.dtype
    return float(np.finfo(real).eps)


class Kind:
    """What decides the kernels of its cases."""

    def __init__(self, rng, name=None, dtype=None):
        self.name = name or str(rng.choice(list(FUNCTIONS)))
        self.dtype = np.dtype(dtype or str(rng.choice(FUNCTIONS[self.name])))
        self.ndim = int(rng.choice([1, 1, 2, 2, 2, 3, 3, 4, 5]))
        if self.name == "dot":
            self.ndim = 1
        several = [None, *itertools.chain(*(itertools.combinations(range(self.ndim), k) for k in (1, 2, 3)))]
        self.axis = several[rng.integers(len(several))]
        if self.name in ("argmin", "argmax", "norm", "minmax") and self.axis is not None:
            self.axis = int(self.axis[0])
        if self.name == "dot" or (self.name == "norm" and self.axis is None):
            self.axis = None
        self.order = rng.permutation(self.ndim) if rng.random() < 0.5 else np.arange(self.ndim)
        self.steps = [int(step) for step in rng.choice([1, 1, 1, 1, 2, -1, -2, 0], self.ndim)]
        self.where = self.name in TAKE_WHERE and rng.random() < 0.25
        self.initial = self.name in TAKE_INITIAL and (
            rng.random() < 0.2 or (self.where and self.name in ("min", "max"))
        )
        self.keepdims = bool(rng.random() < 0.3) and self.name != "dot"
        self.order_of_norm = [None, 2, 1, 0, np.inf, -np.inf, 3][rng.integers(7)] if self.name == "norm" else None
        if self.name == "norm" and self.axis is None and self.ndim > 1:
            self.order_of_norm = None

    def __repr__(self):
        words = (
            self.name,
            str(self.dtype),
            f"axis={self.axis}",
            f"order={list(map(int, self.order))}",
            f"{self.steps}",
        )
        more = [word for word in ("where", "initial", "keepdims") if getattr(self, word)]
        return " ".join([*words, *more])


def values(rng, shape, dtype, name):
    """Elements with ties, zeros of both signs and, at times, NaN and infinities."""
    if dtype.kind == "b":
        return rng.random(shape) < rng.choice([0.02, 0.5, 0.98, 1.0])
    if dtype.kind in "iu":
        if name in ("var", "std", "mean", "norm"):
            return rng.integers(0, 100, shape).astype(dtype)
        limits = np.iinfo(dtype)
        narrow = rng.random() < 0.5
        low, high = (0, 5) if narrow else (limits.min, limits.max)
        return rng.integers(low, high, shape, dtype=dtype, endpoint=True)
    if name == "prod":
        x = rng.uniform(0.9, 1.1, shape)
    else:
        x = rng.standard_normal(shape) * rng.choice([1, 100]) + rng.choice([0, 0, 50])
        if rng.random() < 0.3:
            x = np.round(x)
    if dtype.kind == "c":
        x = x * np.exp(1j * rng.uniform(0, 6, shape)) if name == "prod" else x + 1j * rng.standard_normal(shape)
    x = x.astype(dtype)
    if name in ("min", "max", "minmax", "argmin", "argmax", "any", "all", "count_nonzero") and x.size:
        for special in (np.nan, np.inf, -np.inf, -0.0, 0.0):
            if rng.random() < 0.3:
                x[rng.random(shape) < rng.choice([0.01, 0.3])] = special
    return x


def shape_of(rng, kind):
    """Sizes around those of vectors and groups, some of them 0 and 1."""
    if kind.ndim == 1:
        return (int(rng.choice([0, 1]) if rng.random() < 0.1 else rng.choice(SIZES + LONG)),)
    shape, left = [1] * kind.ndim, MOST
    for d in rng.permutation(kind.ndim):
        fitting = [size for size in SIZES if size <= left ** (1 / 2) + 1] or [2]
        shape[d] = int(rng.choice([0, 1, 1, 1]) if rng.random() < 0.04 else rng.choice(fitting))
        left = max(left // max(shape[d], 1), 2)
    return tuple(shape)


def array_of(rng, kind, shape):
    """An array of the kind's layout: a permuted, stepped, reversed, repeated view of another."""
    full = [
        1 if step == 0 and size > 0 else size * abs(step) + (step not in (0, 1))
        for size, step in zip(shape, kind.steps, strict=True)
    ]
    base = values(rng, tuple(full[d] for d in kind.order), kind.dtype, kind.name)
    view = base.transpose(np.argsort(kind.order))
    cut = []
    for size, step in zip(shape, kind.steps, strict=True):
        cut.append(slice(None) if step in (0, 1) else slice(None, None, step))
        del size
    view = view[tuple(cut)]
    view = view[tuple(slice(0, size) for size in shape)]
    return np.broadcast_to(view, shape) if view.shape != shape else view


# -- one case --


def numpy_of(kind, x, given):
    """What NumPy says."""
    if kind.name == "minmax":
        return np.min(x, **given), np.max(x, **given)
    if kind.name == "norm":
        return np.linalg.norm(x, kind.order_of_norm, **given)
    if kind.name == "dot":
        return np.dot(x, x[::-1])
    if kind.name == "map":
        return np.sum(x * x, **given)
    if kind.name == "reduce":
        return np.bitwise_xor.reduce(x, **given)
    return getattr(np, kind.name)(x, **given)


def ours_of(kind, x, given, **more):
    """What we say."""
    if kind.name == "norm":
        return sycl.norm(x, kind.order_of_norm, **given, **more)
    if kind.name == "dot":
        return sycl.dot(x, x[::-1], **more)
    if kind.name == "map":
        return sycl.sum(x, map="x * x", **given, **more)
    if kind.name == "reduce":
        return sycl.reduce(x, sycl.bit_xor, **given, **more)
    return getattr(sycl, kind.name)(x, **given, **more)


def by_result(kind, x, where):
    """For each result, the elements that it is made of: x with the reduced axes last and flat."""
    axes = tuple(range(x.ndim)) if kind.axis is None else np.atleast_1d(kind.axis)
    rest = [d for d in range(x.ndim) if d not in axes]
    results, each = math.prod(x.shape[d] for d in rest), math.prod(x.shape[d] for d in axes)
    rows = x.transpose([*rest, *axes]).reshape(results, each)
    if where is None:
        return list(rows)
    masks = np.broadcast_to(where, x.shape).transpose([*rest, *axes]).reshape(rows.shape)
    return [row[mask] for row, mask in zip(rows, masks, strict=True)]


def exact_sum(row):
    """The sum without an error, or with one in the last place."""
    if row.dtype.kind == "c":
        return complex(math.fsum(row.real.tolist()), math.fsum(row.imag.tolist()))
    return math.fsum(row.astype(np.float64).tolist())


def sum_bound(row, u):
    """Any order of additions, each with an error of at most u of what it gives: n u times the sum of magnitudes."""
    return (len(row) + 4) * u * math.fsum(np.abs(row.astype(np.complex128)).tolist())


def check_floats(kind, x, where, initial, result):
    """Each result against what it should be, and how far from it rounding can lead."""
    base = x.dtype if x.dtype.kind in "fc" else np.dtype("f8")
    u = unit(np.float32 if base.itemsize == 2 else base)
    last = unit(base)  # the result's own rounding
    for got, row in zip(np.atleast_1d(result).reshape(-1), by_result(kind, x, where), strict=True):
        n = len(row)
        row = row.astype(np.promote_types(base, "f8") if base.kind == "f" else "c16")
        if kind.name == "dot":
            row = row * row[::-1]
            u = unit(base) if base.itemsize == 2 else u
        if kind.name == "map":
            row = row * row
        if kind.name in ("sum", "dot", "map"):
            want = exact_sum(row) + (initial or 0)
            bound = sum_bound(row, 4 * u) + last * (abs(want) + abs(initial or 0))
        elif kind.name == "prod":
            want = np.prod(row.astype("c16" if base.kind == "c" else np.longdouble)) * (
                1 if initial is None else initial
            )
            bound = ((4 * n + 8) * u + 2 * last) * abs(want)
        elif kind.name == "mean":
            want = exact_sum(row) / n if n else np.nan
            bound = sum_bound(row, 4 * u) / max(n, 1) + 2 * last * abs(want)
        elif kind.name in ("var", "std"):
            want, bound = variance(row, u, last)
            if kind.name == "std":
                want, low = math.sqrt(want) if n else np.nan, math.sqrt(max(want - bound, 0)) if n else 0
                bound = (want - low) * 2 + 2 * last * abs(want)
        else:
            want, bound = norm(kind.order_of_norm, row, u, last)
        if base.itemsize == 2 and abs(want) > 65000:
            continue  # beyond what the type can hold
        wrong = not (np.isnan(got) and n == 0) and not abs(complex(got) - complex(want)) <= bound + 1e-7 * (
            base == "f2"
        )
        assert not wrong, f"{got} is not {want} within {bound}, of {n} elements"


def variance(row, u, last):
    """Two passes: the error of the mean counts by its square."""
    n = len(row)
    if n == 0:
        return np.nan, 0
    row = row.astype("c32" if row.dtype.kind == "c" else np.longdouble)
    want = float(np.mean(np.abs(row - row.mean()) ** 2))
    shift = sum_bound(row.astype("c16"), 4 * u) / n + 2 * u * float(abs(row.mean()))
    return want, (n + 16) * 4 * u * want + 2 * shift * shift + 2 * shift * math.sqrt(want) * u + 2 * last * want


def norm(order, row, u, last):
    """Norms of vectors."""
    n, size = len(row), np.abs(row).astype(np.longdouble)
    if order == 0:
        return float((row != 0).sum()), 0
    if order in (np.inf, -np.inf):
        want = float(size.max() if order > 0 else size.min())
        return want, (4 * u + 2 * last) * want
    power = 2 if order is None else order
    want = float((size**power).sum() ** (1 / np.longdouble(power)))
    return want, ((n + 20) * 2 * u + (64 * u if power == 3 else 0) + 2 * last) * want


def same(ours, theirs):
    """The same values, types and shapes; -0.0 is 0.0."""
    assert type(ours) is type(theirs) or (np.ndim(theirs) == 0 and np.ndim(ours) == 0), (type(ours), type(theirs))
    a, b = np.asarray(ours), np.asarray(theirs)
    assert a.dtype == b.dtype and a.shape == b.shape, (a.dtype, a.shape, b.dtype, b.shape)
    assert np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"), (ours, theirs)


def is_rounded(kind):
    """Whether the result is made of sums or products of floating-point numbers."""
    if kind.name in ("mean", "var", "std", "norm"):
        return True
    return kind.dtype.kind in "fc" and kind.name in ("sum", "prod", "dot", "map")


def given_of(rng, kind, x):
    """The arguments besides x."""
    given = {}
    if kind.name not in ("dot",):
        given["axis"] = kind.axis
        if kind.name not in ("map", "count_nonzero"):
            given["keepdims"] = kind.keepdims
    if kind.name == "reduce" and kind.axis is None and x.ndim != 1:
        given["axis"] = tuple(range(x.ndim))
    if kind.where:
        shape = x.shape if rng.random() < 0.6 else tuple(1 if rng.random() < 0.4 else size for size in x.shape)
        given["where"] = rng.random(shape) < rng.choice([0.1, 0.5, 0.9])
    if kind.initial:
        given["initial"] = kind.dtype.type(rng.integers(0, 3))
    return given


def check(rng, kind, **more):
    """One case; what `more` says goes to us alone."""
    x = array_of(rng, kind, shape_of(rng, kind))
    given = given_of(rng, kind, x)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                theirs = numpy_of(kind, x, given)
            except ValueError:
                theirs = None
            try:
                ours = ours_of(kind, x, given, **more)
            except sycl.InvalidParameterError:
                ours = None
            compare(kind, x, given, ours, theirs)
    except AssertionError as error:
        raise AssertionError(f"{kind!r} shape={x.shape} strides={x.strides}: {error}") from None


def compare(kind, x, given, ours, theirs):
    """A result against NumPy's, or against what it should be."""
    if theirs is None or ours is None:
        assert theirs is None and ours is None, f"one refuses: {ours!r}, {theirs!r}"
    elif kind.name == "minmax":
        same(ours[0], theirs[0])
        same(ours[1], theirs[1])
    elif is_rounded(kind):
        assert ours.dtype == theirs.dtype and np.shape(ours) == np.shape(theirs), (ours, theirs)
        assert type(ours) is type(theirs), (type(ours), type(theirs))
        check_floats(kind, x, given.get("where"), given.get("initial"), ours)
    else:
        same(ours, theirs)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, default=400, help="cases of a kind")
    asked = parser.parse_args()
    queue = sycl.Queue()
    print(queue.device.name, sycl.show_config() if asked.count < 0 else "")
    start, done, wrong = time.time(), 0, 0
    for number in itertools.count(asked.seed):
        if done >= asked.count:
            break
        rng = np.random.default_rng(number)
        kind = Kind(rng)
        for _ in range(min(asked.each, asked.count - done)):
            done += 1
            try:
                check(rng, kind, queue=queue)
            except (AssertionError, sycl.SyclError) as error:
                wrong += 1
                print(f"seed {number}:", error, flush=True)
                break
        if done // asked.each % 5 == 0:
            print(f"{done} cases, {wrong} wrong, {time.time() - start:.0f} s", flush=True)
    print(f"{done} cases, {wrong} wrong, seeds {asked.seed} to {number - 1}, {time.time() - start:.0f} s")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
