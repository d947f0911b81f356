"""Random calls of the device-wide reductions, each held against NumPy, and sums of floating-point numbers against bounds
that follow from the number of elements.

A *kind* of case fixes what decides the kernels (function, type, axes, how the array lies in memory); its cases vary sizes,
values and the rest, so that many cases need few kernels. `python tests/conformance/reductions/reduce_cases.py --count 100000`."""

from __future__ import annotations

import argparse
import itertools
import math
import sys
import time
import warnings

import numpy as np

import pysycl as sycl
from pysycl import _core

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
    """A row for each result: the elements that it is made of, and which of them count."""
    axes = tuple(range(x.ndim)) if kind.axis is None else tuple(np.atleast_1d(kind.axis))
    rest = [d for d in range(x.ndim) if d not in axes]
    results, each = math.prod(x.shape[d] for d in rest), math.prod(x.shape[d] for d in axes)
    rows = x.transpose([*rest, *axes]).reshape(results, each)
    if where is None:
        return rows, np.ones(rows.shape, np.bool_)
    return rows, np.broadcast_to(where, x.shape).transpose([*rest, *axes]).reshape(rows.shape)


def one_by_fsum(rows, counts, sums):
    """The sums of long double, whose own error is far below the bounds, are what math.fsum says of one row."""
    at = len(rows) // 2
    row = rows[at][counts[at]].astype(np.complex128)
    want = complex(math.fsum(row.real.tolist()), math.fsum(row.imag.tolist()))
    size = math.fsum(np.abs(row).tolist())
    assert abs(complex(sums[at]) - want) <= 2.0**-50 * size, (sums[at], want)


def check_floats(kind, x, where, initial, result):
    """Each result against what it should be, and how far from it rounding can lead: any order of additions, each with an
    error of at most u of what it gives, is n u times the sum of magnitudes off."""
    base = x.dtype if x.dtype.kind in "fc" else np.dtype("f8")
    last = unit(base)  # the result's own rounding
    u = unit(np.float32) if base.itemsize == 2 and kind.name != "dot" else last
    rows, counts = by_result(kind, x, where)
    rows = rows.astype(np.clongdouble if base.kind == "c" else np.longdouble)
    if kind.name == "dot":
        rows = rows * rows[:, ::-1]
    if kind.name == "map":
        rows = rows * rows
    rows = np.where(counts, rows, 1 if kind.name == "prod" else 0)
    n = counts.sum(axis=1)
    if kind.name == "prod":
        want = np.prod(rows, axis=1) * (1 if initial is None else initial)
        bound = ((4 * n + 8) * u + 2 * last) * np.abs(want)
    elif kind.name == "norm":
        want, bound = norm(kind.order_of_norm, rows, u, last)
    else:
        sums = rows.sum(axis=1)
        error = (n + 4) * 4 * u * np.abs(rows).sum(axis=1)
        if len(rows) > 0:
            one_by_fsum(rows, counts, sums)
        if kind.name in ("sum", "dot", "map"):
            want = sums + (initial or 0)
            bound = error + last * (np.abs(want) + abs(initial or 0))
        elif kind.name == "mean":
            want = sums / n
            bound = error / n + 2 * last * np.abs(want)
        else:
            want, bound = variance(rows, counts, sums, error, u, last)
            if kind.name == "std":
                low, high = np.sqrt(np.maximum(want - bound, 0)), np.sqrt(want + bound)
                want = np.sqrt(want)
                bound = high - low + 2 * last * want
    got = np.atleast_1d(result).reshape(-1)
    bound = bound + 1e-7 * (base == "f2")
    right = np.abs(got.astype(rows.dtype) - want) <= bound
    right |= np.isnan(got) & ((n == 0) & (kind.name in ("mean", "var", "std")))
    if base.itemsize == 2:
        right |= np.abs(want) > 65000  # beyond what the type can hold
    at = np.argmin(right) if right.size else 0
    assert right.all(), f"{got[at]} is not {want[at]} within {bound[at]}, of {n[at]} elements"


def variance(rows, counts, sums, error, u, last):
    """Two passes: the error of the mean counts by its square."""
    n = counts.sum(axis=1)
    mean = sums / n
    squares = np.where(counts, np.abs(rows - mean[:, None]) ** 2, 0)
    want = squares.sum(axis=1) / n
    shift = error / n + 2 * u * np.abs(mean)
    return want, (n + 16) * 4 * u * want + 2 * shift * shift + 2 * shift * np.sqrt(want) * u + 2 * last * want


def norm(order, rows, u, last):
    """Norms of vectors."""
    n, size = rows.shape[1], np.abs(rows)
    if order == 0:
        count = (rows != 0).sum(axis=1)
        return count, last * count  # half has no 4095
    if order in (np.inf, -np.inf):
        want = size.max(axis=1, initial=0) if order > 0 else size.min(axis=1)
        return want, (4 * u + 2 * last) * want
    power = 2 if order is None else order
    want = (size**power).sum(axis=1) ** (1 / np.longdouble(power))
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


# Those of single results, and those along dimensions; what suits neither is taken for what is nearest to it.
SHAPES = [None, None, "lanes", "stride", "along", "across", "short", "padded", "columns", "teams"]


def run(asked, queue, say):
    """Cases until there are as many as were asked for: how many, and how many of them were wrong."""
    start, done, wrong, number = time.time(), 0, 0, asked.seed
    while done < asked.count and (not asked.seconds or time.time() - start < asked.seconds):
        rng = np.random.default_rng(number)
        kind = Kind(rng)
        shape = SHAPES[rng.integers(len(SHAPES))] if asked.force else None
        _core.force_shape(shape)
        for _ in range(min(asked.each, asked.count - done)):
            done += 1
            try:
                check(rng, kind, queue=queue)
            except (AssertionError, sycl.SyclError) as error:
                wrong += 1
                say(f"seed {number}, shape {shape}: {error}")
                break
        say(f"seed {number}, {kind!r}, shape {shape}: {done} cases, {wrong} wrong, {time.time() - start:.0f} s")
        number += 1
    _core.force_shape(None)
    return done, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, default=400, help="cases of a kind")
    parser.add_argument("--seconds", type=float, help="no new kind after as long")
    parser.add_argument("--force", action="store_true", help="one of the shapes for each kind, whatever the device is")
    asked = parser.parse_args()
    queue = sycl.Queue()
    print(queue.device.name, flush=True)
    done, wrong = run(asked, queue, lambda line: print(line, flush=True))
    print(f"{done} cases, {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
