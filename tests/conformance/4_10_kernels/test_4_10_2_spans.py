"""SYCL 2020 4.9.2 (4.10.2 of the draft): reductions of arrays of variables, in all the ways in which they can be combined:
in copies, in the variables themselves, by atomic operations, in local memory."""

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl
from pysycl import _core

# Forms of the kernel, and ways that each can take.
WAYS = {
    "lanes": ["copies", "copies folded", "fourfold", "fourfold folded", "alone", "shared"],
    "stride": ["copies", "alone", "shared", "local"],
    "nd-range": ["copies", "shared", "local"],
}
FORMS = [(shape, way) for shape, ways in WAYS.items() for way in ways]
SOME_FORMS = [
    ("lanes", "copies folded"), ("lanes", "fourfold"), ("lanes", "alone"), ("stride", "copies"), ("stride", "local"),
    ("nd-range", "shared"),
]  # fmt: skip
# Sizes, and whether the old values are to be forgotten; both where a size has neither bound of a way beside it.
SIZES = [(2, 0), (16, 1), (17, 0), (17, 1), (255, 1), (256, 0), (4097, 0), (4097, 1), (100_000, 0)]
TEXT = """
    uint k = where[i];
    count[k]++;
    most[k].combine((float)i);
    if (k % 2 == 1) return;
    sums[k] += i;
    last[k].combine(i % 7);
    total += i;
"""


def span_of(range_, shape):
    return sycl.NdRange(range_, 16) if shape == "nd-range" else range_


def text_of(text, shape):
    """One that asks for its group keeps the nd-range's own work-items."""
    return f"{text}\n(void)get_local_id(0);" if shape == "nd-range" else text


def array(size, value, dtype):
    return sycl.Buffer(np.array([value] * size, dtype) if isinstance(value, tuple) else np.full(size, value, dtype))


def read(buffer):
    with buffer.host_access("read") as data:
        return data.copy()


def variables(h, buffer, fresh):
    """Their old values count, or they do not."""
    return sycl.Accessor(buffer, h, "discard_write") if fresh else h.read_write(buffer)


def indices(n, size, contended):
    return np.random.default_rng(size).integers(0, 2 if contended else size, n).astype(np.uint32)


@pytest.mark.spec("D043", "D044", "D064", "D068", "D160")
@pytest.mark.parametrize(("shape", "way"), sweep(FORMS, SOME_FORMS))
def test_sizes_and_contention(queue, forced, shape, way):
    """Native operations, a loop around them, 64 bits, a reducer without an identity, and a scalar, in one kernel."""
    forced(shape, way)
    slow = queue.device._facts["items"] == "singly"
    n = 160 if slow else 3200
    # copies for 3200 work-items are many
    largest = 255 if slow else 4097 if (shape, way) == ("nd-range", "copies") else 100_000
    for size, fresh in SIZES:
        if size > largest:
            continue
        where = indices(n, size, contended=size in (2, 256))
        count, most, sums, last = (
            array(size, 3, np.uint32),
            array(size, 1, np.float32),
            array(size, -4, np.int64),
            array(size, 5, np.int32),
        )
        total = array(1, 9, np.int64)
        with queue.submit() as h:
            h.parallel_for(
                span_of(n, shape),
                text_of(TEXT, shape),
                where=where,
                count=sycl.reduction(variables(h, count, fresh), sycl.plus),
                most=sycl.reduction(variables(h, most, fresh), sycl.maximum),
                sums=sycl.reduction(variables(h, sums, fresh), sycl.plus),
                last=sycl.reduction(h.read_write(last), sycl.logical_or),
                total=sycl.reduction(total, h, sycl.plus),
            )
        i, even = np.arange(n), where % 2 == 0
        expected = [np.full(size, 0 if fresh else 3), np.full(size, -np.inf if fresh else 1), np.full(size, 0)]
        expected[2] += 0 if fresh else -4
        np.add.at(expected[0], where, 1)
        np.maximum.at(expected[1], where, i)
        np.add.at(expected[2], where[even], i[even])
        for buffer, values in zip((count, most, sums), expected, strict=True):
            assert np.array_equal(read(buffer), values), (size, way, fresh)
        assert np.array_equal(read(last), np.where(np.isin(np.arange(size), where[even]), 1, 5)), size
        assert read(total)[0] == 9 + i[even].sum()


OPERATORS = """
    uint k = where[i];
    a[k] += (uchar)1; b[k].combine((short)-i); c[k] *= i % 5 == 0 ? 3u : 1u; d[k] ^= (ulong)i << 33; e[k] |= 1 << i % 31;
    f[k] += 0.5f; g[k] += (float2)(1, i); h[k].combine(i == 77); m[k] &= ~(1l << i % 50); p[k].combine((double)i);
    best_value_type q = {x[i], (int)i}; best[k].combine(q);
"""


@pytest.mark.spec("D037", "D039", "D043", "D064", "D068", "D071")
@pytest.mark.parametrize(
    ("shape", "way"),
    sweep(
        [("lanes", "fourfold"), ("lanes", "shared"), ("stride", "local"), ("nd-range", "local")],
        [("lanes", "fourfold"), ("nd-range", "local")],
    ),
)
def test_types_and_operators(queue, forced, shape, way):
    """Bytes, halves of words, vectors, bool and structs, which have no atomic operations, take what they can."""
    if not queue.device.has("fp64"):
        pytest.skip("the device has no fp64")
    forced(shape, way)
    n, size = 992, 7
    pair = np.dtype([("value", np.float32), ("at", np.int32)])
    float2 = np.dtype([("s0", np.float32), ("s1", np.float32)])
    argmin = sycl.BinaryOp("b.value < a.value || (b.value == a.value && b.at < a.at) ? b : a", identity=(np.inf, -1))
    where, i = indices(n, size, contended=False), np.arange(n)
    x = np.random.default_rng(1).integers(0, 200, n).astype(np.float32)
    kinds = {
        "a": (np.uint8, 0, sycl.plus, lambda at: at.sum() % 256),
        "b": (np.int16, 5, sycl.minimum, lambda at: min(5, -i[at].max())),
        "c": (np.uint32, 1, sycl.multiplies, lambda at: pow(3, int((i[at] % 5 == 0).sum()), 2**32)),
        "d": (np.uint64, 0, sycl.bit_xor, lambda at: np.bitwise_xor.reduce(i[at].astype(np.uint64) << np.uint64(33))),
        "e": (np.int32, 0, sycl.bit_or, lambda at: np.bitwise_or.reduce(1 << i[at] % 31)),
        "f": (np.float32, 1, sycl.plus, lambda at: 1 + at.sum() / 2),
        "g": (float2, 0, sycl.plus, lambda at: (at.sum(), i[at].sum())),
        "h": (np.bool_, False, sycl.logical_or, lambda at: bool(at[77])),
        "m": (np.int64, -1, sycl.bit_and, lambda at: ~np.bitwise_or.reduce(np.int64(1) << i[at] % 50)),
        "p": (np.float64, -1, sycl.maximum, lambda at: i[at].max()),
        "best": (pair, (250, -2), argmin, lambda at: (x[at].min(), i[at][x[at].argmin()])),
    }
    buffers = {name: array(size, value, dtype) for name, (dtype, value, _, _) in kinds.items()}
    with queue.submit() as h:
        h.parallel_for(
            span_of(n, shape),
            text_of(OPERATORS.replace("best_value_type", "best.value_type"), shape),
            where=where,
            x=x,
            **{name: sycl.reduction(h.read_write(buffers[name]), kinds[name][2]) for name in kinds},
        )
    for name, (dtype, _, _, expected) in kinds.items():
        values = np.array([expected(where == k) for k in range(size)], dtype)
        assert np.array_equal(read(buffers[name]), values), name


@pytest.mark.spec("D158", "D159", "D160", "D161", "D168")
def test_accessors_of_several_dimensions(queue):
    """Each index drops a dimension: over a range and an nd-range, with PYSYCL_DEBUG=check in test_debug."""
    table, cube = sycl.Buffer(np.full((3, 5), 10, np.int32)), sycl.Buffer(np.full((2, 3, 4), 10, np.int64))
    i = np.arange(480)
    rows, cells = np.full((3, 5), 10), np.zeros((2, 3, 4), np.int64)
    for range_ in (480, sycl.NdRange(480, 8)):
        with queue.submit() as h:
            h.parallel_for(
                range_,
                "r[i % 3][i % 5] += 1; c[i % 2][i % 3][i % 4].combine(i).combine(0); if (i == 0) r[2][4] += r.dimensions;",
                r=sycl.reduction(h.read_write(table), sycl.plus),
                c=sycl.reduction(sycl.Accessor(cube, h, "discard_write"), sycl.plus),
            )
        np.add.at(rows, (i % 3, i % 5), 1)
        rows[2, 4] += 2
    np.add.at(cells, (i % 2, i % 3, i % 4), i)
    assert np.array_equal(read(table), rows) and np.array_equal(read(cube), cells)
    for text, words in (
        ("r[0] += 1;", "is of an array: only its elements can be combined, as r[j][k]"),
        ("r[0][0][0] += 1;", "has an array of 2 dimensions: more subscripts than that are given"),
    ):
        with pytest.raises(sycl.BuildError, match=f"the reducer 'r' {words}".replace("[", r"\[")), queue.submit() as h:
            h.parallel_for(4, text, r=sycl.reduction(h.read_write(table), sycl.plus))


@pytest.mark.spec("D035", "D043")
def test_launches_in_turn(queue, forced):
    """What a launch leaves behind is what the next one needs: counters and tickets are as they were."""
    where = indices(2000, 300, contended=False)
    for shape, way in (("lanes", "copies folded"), ("lanes", "shared"), ("stride", "local")):
        forced(shape, way)
        counts = array(300, 7, np.uint32)
        for _ in range(5):
            with queue.submit() as h:
                h.parallel_for(
                    2000, "c[v[i]] += 1;", v=where, c=sycl.reduction(variables(h, counts, fresh=True), sycl.plus)
                )
        assert np.array_equal(read(counts), np.bincount(where, minlength=300)), way


@pytest.mark.spec("D044")
def test_copies_are_bounded(queue):
    """Copies that nobody could have are refused, with the reducer's name; what is atomic takes none."""
    pair = np.dtype([("value", np.float32), ("at", np.int32)])
    many, small = array(1 << 16, 0, pair), array(1 << 16, 0, np.uint32)
    lesser = sycl.BinaryOp("b.value < a.value ? b : a", identity=(0, 0))
    words = (
        r"'p' is an array of 65536 variables, of which each of 65536 work-items has a copy: 32768 MiB, which are more "
        "than can be had"
    )
    with pytest.raises(sycl.MemoryAllocationError, match=words), queue.submit() as h:
        h.parallel_for(
            sycl.NdRange(1 << 16, 16),
            "p.value_type v = {-1, get_local_id(0)}; p[i].combine(v);",
            p=sycl.reduction(h.read_write(many), lesser),
        )
    with queue.submit() as h:
        h.parallel_for(sycl.NdRange(1 << 16, 16), "p[i] += 2u;", p=sycl.reduction(h.read_write(small), sycl.plus))
    assert (read(small) == 2).all()


@pytest.mark.spec("D043")
def test_too_many_arrays(queue):
    buffers = {f"r{k}": array(2, 0, np.int32) for k in range(17)}
    text = "".join(f"r{k}[i] += {k};" for k in range(17))
    words = "'r16' is one array of variables more than the 16 that a kernel can have"
    with pytest.raises(sycl.InvalidParameterError, match=words), queue.submit() as h:
        h.parallel_for(2, text, **{n: sycl.reduction(h.read_write(b), sycl.plus) for n, b in buffers.items()})


@pytest.mark.spec("D043")
@pytest.mark.parametrize(
    ("shape", "way"), [("lanes", "fourfold"), ("lanes", "alone"), ("stride", "local"), ("nd-range", "shared")]
)
def test_subscripts_are_checked(queue, forced, shape, way):
    """What is undefined is told where it is asked for, with the line and the value."""
    where = np.arange(64) % 9
    text = "c[v[i] + far] += 1;\nt[v[i] % 3][v[i] % 5 + wide] += 1;"

    def launch(**numbers):
        counts, table = array(10, 0, np.int32), sycl.Buffer(np.zeros((3, 5), np.int32))
        with queue.submit() as h:
            h.parallel_for(
                span_of(64, shape),
                text_of(text, shape),
                v=where,
                c=sycl.reduction(h.read_write(counts), sycl.plus),
                t=sycl.reduction(h.read_write(table), sycl.plus),
                **numbers,
            )
        queue.wait_and_throw()
        return read(counts)

    forced(shape, way)
    _core.debug_check(True)
    try:
        assert np.array_equal(launch(far=1, wide=0), np.append(0, np.bincount(where)))
        with pytest.raises(
            sycl.AccessorError,
            match=r"c\[1[0-7]\] is out of bounds: c has 10 elements \(index 1[0-7], line 1 of the body\)",
        ):
            launch(far=9, wide=0)
        with pytest.raises(
            sycl.AccessorError,
            match=r"t\[...\]\[[5-8]\] is out of bounds: the range of t in dimension 1 is 5 \(index [5-8], line 2 of the body\)",
        ):
            launch(far=0, wide=4)
    finally:
        _core.debug_check(False)
