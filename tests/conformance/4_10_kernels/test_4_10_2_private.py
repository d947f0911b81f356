"""SYCL 2020 4.9.2 (4.10.2 of the draft): reductions of arrays of which a kernel names few variables, all by constants: each
work-item has accumulators of its own for those, in every form that reducers of one variable have."""

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl
from pysycl import _core

SHAPES = ["lanes", "stride", "nd-range"]
PAIR = np.dtype([("value", np.float32), ("at", np.int32)])
FLOAT2 = np.dtype([("s0", np.float32), ("s1", np.float32)])
LEAST = sycl.BinaryOp("b.value < a.value || (b.value == a.value && b.at < a.at) ? b : a")
# Operators, types, old values that count and do not, subscripts of all kinds, several dimensions; an array with other
# subscripts and a variable beside them; what only some work-items combine, and a `return`.
TEXT = """
    sums[0] += i; sums[3] += (long)i * i; if (i % 3 == 1) ++sums[2 * 1 + (0x3)];
    most[1].combine(x[i]); most[0u].combine(-x[i]).combine(-1000.0f);
    bits[2] ^= 1u << i % 31;
    any[1].combine(i == 30);
    grid[1][3] += 1; grid[0][2] += i % 5;
    pairs[0] += (float2)(1, i % 7);
    bins[i % 3] += 2;
    best.value_type q = {x[i], (int)i};
    best[1].combine(q);
    total += i;
    if (i % 2 == 1) return;
    last[1].combine(i % 4 == 0);
    small[15] += (uchar)3;
"""
NAMED = ["sums", "most", "bits", "any", "grid", "pairs", "best", "last", "small"]


def needs(queue, *aspects):
    for aspect in aspects:
        if not queue.device.has(aspect):
            pytest.skip(f"the device has no {aspect}")


def read(buffer):
    with buffer.host_access("read") as data:
        return data.copy()


def arrays():
    """Old values, the operator, and whether the old values count."""
    return {
        "sums": (np.full(7, 5, np.int64), sycl.plus, False),
        "most": (np.full(3, -3, np.float32), sycl.maximum, True),
        "bits": (np.full(4, 1 << 30, np.uint32), sycl.bit_xor, True),
        "any": (np.zeros(2, np.bool_), sycl.logical_or, True),
        "grid": (np.full((2, 4), 10, np.int32), sycl.plus, True),
        "pairs": (np.zeros(2, FLOAT2), sycl.plus, False),
        "bins": (np.full(3, 1, np.uint32), sycl.plus, True),
        "best": (np.array([(3, 3)] * 3, PAIR), LEAST, True),
        "last": (np.full(2, 8, np.int32), sycl.logical_or, True),
        "small": (np.full(17, 200, np.uint8), sycl.plus, True),
        "total": (np.full(1, 9, np.int64), sycl.plus, True),
    }


def expected(n, x):
    i = np.arange(n)
    even = i[i % 2 == 0]
    out = {name: values.copy() for name, (values, _, _) in arrays().items()}
    out["sums"][:] = 0
    out["sums"][[0, 3, 5]] = i.sum(), (i * i).sum(), (i % 3 == 1).sum()
    if n > 0:
        out["most"][:2] = max(-3, *(-x)), max(-3, *x)
        least = x.argmin()
        out["best"][1] = (x[least], least) if x[least] < 3 else (3, 3)
    out["bits"][2] ^= np.bitwise_xor.reduce(np.uint32(1) << (i % 31).astype(np.uint32), initial=np.uint32(0))
    out["any"][1] = n > 30
    out["grid"][1, 3] += n
    out["grid"][0, 2] += (i % 5).sum()
    out["pairs"][:] = (0, 0)
    out["pairs"][0] = (n, (i % 7).sum())
    out["bins"] += 2 * np.bincount(i % 3, minlength=3).astype(np.uint32)
    out["last"][1] = 1 if len(even) else 8
    out["small"][15] = (200 + 3 * len(even)) % 256
    out["total"][0] += i.sum()
    return out


@pytest.mark.spec("D037", "D043", "D044", "D064", "D068", "D160", "D168")
@pytest.mark.filterwarnings("ignore:the reduction by BinaryOp.* has no identity")
@pytest.mark.parametrize("shape", sweep(SHAPES, ["stride", "nd-range"]))
def test_types_operators_and_sizes(queue, forced, shape, thorough):
    """All of them in one kernel; what no work-item combines keeps its value, or gets the identity."""
    forced(shape, "private")
    text = TEXT + ("(void)get_local_id(0);" if shape == "nd-range" else "")
    some = (0, 64) if shape == "nd-range" else (0, 1, 33, 4097)
    for n in (0, 1, 2, 3, 31, 33, 64, 4097) if thorough else some:
        x = np.random.default_rng(n).integers(-50, 50, n).astype(np.float32)
        given = arrays()
        buffers = {name: sycl.Buffer(values) for name, (values, _, _) in given.items()}
        group = next(size for size in (16, 11, 3, 1) if n % size == 0)
        range_ = sycl.NdRange(n, group) if shape == "nd-range" else n
        with queue.submit() as h:
            reductions = {
                name: sycl.reduction(
                    h.read_write(buffers[name]) if counts else sycl.Accessor(buffers[name], h, "discard_write"), op
                )
                for name, (_, op, counts) in given.items()
            }
            h.parallel_for(range_, text, x=x, **reductions)
        queue.wait_and_throw()
        for name, values in expected(n, x).items():
            assert np.array_equal(read(buffers[name]), values), (name, n)


@pytest.mark.spec("D043")
@pytest.mark.parametrize("shape", ["pack", "lanes", "stride", "NVIDIA, 16 bytes at a time"])
def test_own_elements(queue, forced, shape):
    """What goes through vectors of 16, or is read 16 bytes at a time; launches in turn find what they need."""
    needs(queue, "fp64", "usm_shared_allocations")
    forced(None if shape.startswith("NVIDIA") else shape, "private")
    _core.force_reduction_row(shape if shape.startswith("NVIDIA") else None)
    out, top = sycl.malloc_shared(4, np.float32, queue), sycl.malloc_shared(2, np.float32, queue)
    text = "m[0] += 1; m[1] += sqrt(x[i]); m[3] += x[i] * x[i]; if (x[i] > 0.5f) m[2] += x[i]; t[1].combine(x[i]);"
    for n in (1, 15, 33, 1000, 20011):
        x = np.random.default_rng(n).random(n, np.float32)
        top.view()[:] = -1
        kernel = queue.kernel(
            n,
            text,
            x=x,
            m=sycl.reduction(sycl.span(out), sycl.plus, initialize_to_identity=True),
            t=sycl.reduction(sycl.span(top), sycl.maximum),
        )
        assert ("stride" if shape not in ("pack", "lanes") else "lanes") in kernel.explanation
        for _ in range(3):
            kernel().wait()
        wide = x.astype(np.float64)
        sums = [n, np.sqrt(wide).sum(), wide[x > np.float32(0.5)].sum(), (wide * wide).sum()]
        # each of at most n / 64 + 64 additions in a row, and a root, a square or a conversion before them
        assert np.all(np.abs(out.view() - sums) <= (n / 64 + 70) * 2**-24 * np.array(sums)), n
        assert list(top.view()) == [-1, x.max()]


@pytest.mark.spec("D043", "D044")
def test_accuracy_and_order(queue, forced):
    """As of one variable: exact where that is asked for, and the same bits each time."""
    needs(queue, "fp64", "usm_shared_allocations")
    n = 5003
    x = np.random.default_rng(3).random(n, np.float32)
    out = sycl.malloc_shared(2, np.float32, queue)
    forced(None, "private")
    for accuracy in ("compensated", "exact"):
        found = set()
        for _ in range(3):
            out.view()[:] = 0
            queue.parallel_for(
                n,
                "r[1] += x[i]; r[0] += i % 2 == 0 ? 1e8f : -1e8f;",
                x=x,
                r=sycl.reduction(sycl.span(out), sycl.plus, accuracy=accuracy, determinism="run_to_run"),
            )
            found.add(out.view().tobytes())
        assert len(found) == 1
        assert out.view()[0] == np.float32(1e8), accuracy
        assert out.view()[1] == pytest.approx(np.float32(np.sum(x, dtype=np.float64)), rel=2**-22), accuracy


@pytest.mark.spec("D043")
def test_which_have_them(queue):
    """explain() says so; where a constant is none, too large or too far, arrays are combined as ever, and checked."""
    needs(queue, "usm_shared_allocations")
    out = sycl.Buffer(np.zeros(20, np.uint32))

    def said(text):
        explained = str(sycl.explain(text, 1000, queue_or_device=queue, r=sycl.reduction(sycl.span(memory), sycl.plus)))
        return "in accumulators as reducers of one variable have" in explained

    memory = sycl.malloc_shared(20, np.uint32, queue)
    assert said("r[0] += i; r[19]++;") and said("r[(1 + 2) * 4 % 7]++;")
    assert said("".join(f"r[{k}]++;" for k in range(16)))
    assert not said("".join(f"r[{k}]++;" for k in range(17)))
    for text in (
        "if (i) r[20]++;",
        "r[i % 3]++;",
        "r[0]++; r[i % 3]++;",
        "r[2 - 3]++;",
        "r[1 ? 2 : 3]++;",
        "r[4294967296]++;",
    ):
        assert not said(text), text
    _core.debug_check(True)
    try:
        with queue.submit() as h:
            h.parallel_for(100, "r[19] += 2; r[3]++;", r=sycl.reduction(h.read_write(out), sycl.plus))
        queue.wait_and_throw()
        assert read(out)[19] == 200 and read(out)[3] == 100
        words = r"r\[20\] is out of bounds: r has 20 elements \(index 20, line 2 of the body\)"
        with queue.submit() as h:
            h.parallel_for(4, "r[19] += 2;\nif (i) r[20]++;", r=sycl.reduction(h.read_write(out), sycl.plus))
        with pytest.raises(sycl.AccessorError, match=words):
            queue.wait_and_throw()
    finally:
        _core.debug_check(False)


PROGRAM = """
kernel void moments(global const float *x, ulong n, reducer(double, plus) m[], reducer(float, maximum) top[])
{
    const ulong i = get_global_id(0);
    if (i >= n)
        return;
    m[0] += 1; m[1] += x[i]; m[2] += (double)x[i] * x[i];
    top[1].combine(x[i]);
}
"""


@pytest.mark.spec("D043")
def test_programs(queue):
    """A kernel of a whole program is launched as a body is."""
    needs(queue, "fp64")
    program = sycl.Program(PROGRAM)
    x = np.random.default_rng(5).random(3001, np.float32)
    for range_, fresh in ((3001, True), (sycl.NdRange(3072, 64), False)):
        moments, top = sycl.Buffer(np.full(3, 2.0)), sycl.Buffer(np.full(3, 0.5, np.float32))
        with queue.submit() as h:
            memory = sycl.Accessor(moments, h, "discard_write") if fresh else h.read_write(moments)
            h.parallel_for(
                range_,
                program.moments,
                x,
                np.uint64(3001),
                sycl.reduction(memory, sycl.plus),
                sycl.reduction(h.read_write(top), sycl.maximum),
            )
        queue.wait_and_throw()
        wide = x.astype(np.float64)
        sums = np.array([3001, wide.sum(), (wide * wide).sum()]) + (0 if fresh else 2)
        assert np.allclose(read(moments), sums, rtol=1e-13, atol=0)
        assert list(read(top)) == [0.5, x.max(), 0.5]
