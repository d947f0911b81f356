"""Reductions along some dimensions of a body's range, in all the forms that a device can be given them, against NumPy.
What sycl.sum and its like are made of (pysycl.reductions._along)."""

import itertools

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl
from pysycl import _core
from pysycl.reductions import _along

# The rows for CPUs, and those for devices whose work-items are no loops: None is what this device has.
SHAPES = [None, "along", "across", "short", "padded", "teams"]
SIZES = {
    1: [(0,), (1,), (2,), (3,), (31,), (33,), (100,), (1000,)],
    2: [*itertools.product((0, 1, 2, 3, 31, 33, 100), (0, 1, 2, 3, 31, 33, 100)), (1000, 3), (3, 1000), (70, 1000)],
    3: [(2, 3, 1), (33, 1, 31), (3, 100, 2), (0, 3, 2), (3, 0, 2), (3, 2, 0), (7, 5, 300), (300, 7, 5), (5, 300, 7)],
}
# In three dimensions, which have all that two have: masks of each shape that differ in how their kernels go.
SOME_MASKS = {"along": [2, 5], "across": [4], "short": [6], "padded": [4], "teams": [3, 4]}
IDS = {1: "i0", 2: "i0 * n1 + i1", 3: "(i0 * n1 + i1) * n2 + i2"}
PAIR = np.dtype([("value", np.float32), ("at", np.int32)])
LEAST = sycl.BinaryOp("b.value < a.value || (b.value == a.value && b.at < a.at) ? b : a")


@pytest.fixture(params=SHAPES)
def shape(request):
    _core.force_shape(request.param)
    yield request.param
    _core.force_shape(None)


def is_new(shape, mask, dims):
    """Is there a kernel that no other shape has? Forms for short rows are of masks that reduce the last dimension and
    keep another one; elsewhere what is asked for becomes what "along" does. The device's own row is one of these."""
    short = mask >> (dims - 1) & 1 and mask != (1 << dims) - 1
    return dims == 2 if shape is None else shape in ("along", "teams") or short


def indices_of(shape, mask, dims):
    """A text that names nothing but i, which short rows as they lie need, and one that names the ids. In three dimensions
    each mask has one of them in a shape, and the other one in the next that has the mask."""
    both = ("i", IDS[dims])
    if shape == "short":
        return both[:1]
    return both if dims < 3 else [both[(mask + (shape in ("teams", "padded"))) % 2]]


def axes_of(mask, dims):
    return tuple(d for d in range(dims) if mask >> d & 1)


def results(x, mask, dtype):
    """Memory for the results along the axes, with something in it."""
    kept = [size for d, size in enumerate(x.shape) if not mask >> d & 1]
    return np.full(kept, 77, dtype)


def run(queue, x, body, mask, **reducers):
    outs = {name: results(x, mask, dtype) for name, (dtype, _, _) in reducers.items()}
    queue.parallel_for(
        x.shape, body, v=x, **{name: _along(outs[name], op, mask, **more) for name, (_, op, more) in reducers.items()}
    ).wait()
    return outs


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.exhaustive
def test_all_masks_and_sizes(queue, shape, dims):
    """Texts with a linear id, and with one of each dimension."""
    for mask in [mask for mask in range(1, 1 << dims) if is_new(shape, mask, dims)]:
        for index in indices_of(shape, mask, dims):
            check_mask(queue, mask, index, dims)


@pytest.mark.parametrize("shape", SOME_MASKS, indirect=True)
def test_masks_and_sizes(queue, shape):
    for mask in SOME_MASKS[shape]:
        check_mask(queue, mask, indices_of(shape, mask, 3)[0], 3)


def check_mask(queue, mask, index, dims):
    """Two reducers in a kernel, of other types than the elements."""
    for size in SIZES[dims]:
        x = np.random.default_rng(0).integers(-90, 0, size).astype(np.int16)
        got = run(
            queue,
            x,
            f"total += v[{index}]; top.combine(v[{index}]);",
            mask,
            total=(np.int64, sycl.plus, {}),
            top=(np.int16, sycl.maximum, {}),
        )
        axes = axes_of(mask, dims)
        assert np.array_equal(got["total"], x.sum(axes, dtype=np.int64)), (size, axes, index)
        assert np.array_equal(got["top"], x.max(axes, initial=-(2**15))), (size, axes, index)


@pytest.mark.parametrize(
    ("shape", "mask"),
    sweep(
        [("teams", 1), ("teams", 2), ("along", 1), ("along", 2), ("across", 2), ("short", 2), ("padded", 2)],
        [("teams", 1)],
    ),
    indirect=["shape"],
)
def test_types_and_operators(queue, shape, mask):
    """A struct without an identity that is finished to its index, a mean, a vector, bool, an operator of one's own."""
    vector = np.dtype([(f"s{k}", np.float32) for k in range(4)])
    body = """
        const float f = v[i0 * n1 + i1];
        least.combine((least_t){f, i1 + 1000 * (int)i0});
        mean += f;
        four += (float4)(1, f, f * f, -f);
        any.combine(f > 0.9f);
        last.combine((uint)(i0 + i1));
    """
    for size in ((3, 50), (100, 3), (40, 130), (1, 1)):
        x = np.random.default_rng(1).random(size).astype(np.float32)
        axis = mask - 1
        got = run(
            queue,
            x,
            body,
            mask,
            least=(np.int32, LEAST, {"value_dtype": PAIR, "finish": "r.at"}),
            mean=(np.float64, sycl.plus, {"value_dtype": np.float32, "finish": f"r / {size[axis]}.0f"}),
            four=(vector, sycl.plus, {}),
            any=(np.bool_, sycl.logical_or, {}),
            last=(np.uint32, sycl.BinaryOp("a > b ? a : b"), {"identity": 0}),
        )
        where = x.argmin(axis)
        expected = where + 1000 * np.arange(size[0]) if axis == 1 else np.arange(size[1]) + 1000 * where
        assert np.array_equal(got["least"], expected), size
        assert np.allclose(got["mean"], x.mean(axis), rtol=1e-5), size
        assert np.allclose(got["four"]["s2"], (x * x).sum(axis), rtol=1e-5), size
        assert np.array_equal(got["four"]["s0"], np.full(len(where), size[axis], np.float32)), size
        assert np.array_equal(got["any"], (x > np.float32(0.9)).any(axis)), size
        assert np.array_equal(got["last"], np.add.outer(*map(np.arange, size)).max(axis)), size


def test_nothing_to_combine(queue, shape, thorough):
    """Without an identity the memory stays; with one it has that."""
    for size, mask in (((0, 5), 1), ((5, 0), 2), ((3, 0, 4), 2)) if thorough else (((3, 0, 4), 2),):
        got = run(
            queue,
            np.zeros(size, np.float32),
            "low.combine((low_t){v[i], 1}); total += v[i];",
            mask,
            low=(PAIR, LEAST, {}),
            total=(np.float32, sycl.plus, {"finish": "r + 1"}),
        )
        assert np.all(got["low"]["value"] == 77) and np.all(got["total"] == 1), size


@pytest.mark.parametrize(
    ("shape", "accuracy"),
    sweep(
        itertools.product(SHAPES, ("compensated", "exact")),
        [("along", "exact"), ("short", "exact"), ("padded", "compensated"), ("teams", "compensated")],
    ),
    indirect=["shape"],
)
def test_accuracies(queue, shape, accuracy, thorough):
    """Sums whose terms are of very different size, along rows and columns, in few results and in many."""
    masks = [mask for mask in (1, 2) if is_new(shape, mask, 2)]
    for size in ((3, 700), (700, 3), (65, 40)):
        for mask in masks if thorough else masks[:1]:
            x = np.random.default_rng(2).integers(-(2**20), 2**20, size).astype(np.float32)
            got = run(queue, x, "s += v[i];", mask, s=(np.float32, sycl.plus, {"accuracy": accuracy}))
            exact = x.sum(mask - 1, dtype=np.float64)
            room = 0 if accuracy == "exact" else 2.0**-19 * np.abs(x).sum(mask - 1)
            assert np.all(np.abs(got["s"] - exact.astype(np.float32)) <= room), (size, mask)


def test_offsets_and_what_else_a_body_does(queue, shape):
    """Ids begin elsewhere; a work-item writes an array besides, and leaves early."""
    if not is_new(shape, 1, 2):
        pytest.skip("another shape has the same kernel")
    x = np.arange(12 * 70, dtype=np.int32).reshape(12, 70)
    y, out = np.zeros_like(x), np.zeros(70, np.int32)
    queue.parallel_for(
        (10, 70),
        "if (i1 % 7 == 3) return; y[i0 * 70 + i1] = 1; s += v[i0 * 70 + i1] + n0;",
        offset=(2, 0),
        v=x,
        y=y,
        s=_along(out, sycl.plus, 1),
    )
    left = np.arange(70) % 7 != 3
    assert np.array_equal(out, np.where(left, x[2:].sum(0) + 100, 0))
    assert np.array_equal(y, np.where(left, np.arange(12)[:, None] >= 2, False))


@pytest.mark.parametrize("kind", ["buffer", "usm"])
def test_memory_and_launches(queue, shape, kind):
    """Results in a buffer and in unified shared memory, prepared, and launched again and again: nothing is left over."""
    if kind == "usm" and not queue.device.has("usm_shared_allocations"):
        pytest.skip("the device has no shared memory")
    x = np.random.default_rng(3).integers(0, 9, (3, 5000)).astype(np.int32)
    out = sycl.Buffer(np.zeros(3, np.int32)) if kind == "buffer" else sycl.malloc_shared(3, np.int32, queue)
    kernel = queue.kernel(x.shape, "s += v[i] * k;", v=x, k=1, s=_along(out, sycl.plus, 2))
    for k in (1, 2, 3, 4):
        kernel(k=k)
    queue.wait()
    with out.host_access("read") if kind == "buffer" else _Seen(out) as data:
        assert np.array_equal(data, 4 * x.sum(1))


class _Seen:
    def __init__(self, memory):
        self.memory = memory

    def __enter__(self):
        return self.memory.view()

    def __exit__(self, *_):
        pass


WORDS = {
    None: "row",
    "along": "along: ",
    "across": "across: ",
    "short": "short: ",
    "padded": "padded: ",
    "teams": "teams: ",
}


def test_what_is_said(queue, shape):
    out = np.zeros(200, np.float32)
    kernel = queue.kernel((200, 12), "s += v[i];", v=np.zeros((200, 12), np.float32), s=_along(out, sycl.plus, 2))
    assert WORDS[shape] in kernel.explanation and "200 results" in kernel.explanation


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"s": ((5,), 1)}, "body(): 's' has 5 variables, and the range asks for 4"),
        ({"s": ((4,), 1), "t": ((3,), 2)}, "body: the reductions 's' and 't' are of other dimensions"),
        ({"s": ((4,), 5)}, "body: the reductions are of dimensions 0x5, and the range has 2"),
    ],
)
def test_refusals(queue, given, message):
    reducers = {name: _along(np.zeros(size, np.int32), sycl.plus, mask) for name, (size, mask) in given.items()}
    with pytest.raises(sycl.InvalidParameterError) as caught:
        queue.parallel_for((3, 4), " ".join(f"{name} += 1;" for name in reducers), **reducers)
    assert str(caught.value).startswith(message)


def test_no_nd_range(queue):
    with pytest.raises(sycl.InvalidParameterError) as caught:
        queue.parallel_for(sycl.NdRange((4, 4), (2, 2)), "s += 1;", s=_along(np.zeros(4, np.int32), sycl.plus, 1))
    assert str(caught.value) == "body: reductions of some dimensions are for a plain range, and not for an nd-range"


def test_read_only_results(queue):
    out = np.zeros(4, np.int32)
    out.flags.writeable = False
    with pytest.raises(sycl.KernelArgumentError) as caught:
        queue.parallel_for((3, 4), "s += 1;", s=_along(out, sycl.plus, 1))
    assert str(caught.value).startswith("body(): 's' is into an array that may only be read")
