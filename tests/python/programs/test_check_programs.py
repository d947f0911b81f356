"""sycl.debug("check") in whole programs: what their kernels reach by the names of their parameters."""

import re

import numpy as np
import pytest

import pysycl as sycl
from pysycl import opencl

TEXT = """
typedef struct { float a; int b; } both;
kernel void shift(global const float *x, global float *y, int o)
{
    size_t i = get_global_id(0);
    y[i] = x[i + o];
}

kernel __attribute__((reqd_work_group_size(4, 1, 1)))
void mixed(global float *x, constant float *c, local float *l, int n,
           volatile global int *k, global both *s)
{
    size_t i = get_global_id(0);
    if (i == 0) { float x[99]; x[40] = 1; l[0] = x[40]; }
    for (int k = 0; k < 1; k++) { both x = {k, 3}; l[1] = x.b; }
    barrier(CLK_LOCAL_MEM_FENCE);
    n++;
    atomic_add(&k[i % (n - 1)], (int)l[0]);
    s[i].b = *(k + 1) * (int)l[1];
    x[n] = c[0];
}

kernel void wide(global float4 *x, global float *y)
{
    y[get_global_id(0)] = x[get_global_id(0)].w; \\
    vstore4(x[0],
            get_global_id(0), y);
}
"""


@pytest.fixture(scope="module")
def program():
    return sycl.Program(TEXT)


@pytest.fixture
def told(queue):
    """What a launch says; "" where nothing is wrong. Each time with memory of its own."""

    def tell(range, kernel, *arguments):
        try:
            queue.parallel_for(range, kernel, *arguments)
            queue.wait_and_throw()
        except sycl.BoundsError as error:
            return error.what().splitlines()[0] if error.site is not None else "nowhere"
        return ""

    return tell


def test_what_was_out_of_bounds(program, told):
    x, y = np.arange(16, dtype="f4"), np.zeros(16, "f4")
    with sycl.debug("check"):
        assert told(16, program.shift, x, y, 0) == ""
        assert y.tolist() == x.tolist()
        assert told(16, program.shift, x, y, 1) == (
            "shift: x[16] is out of bounds: x has 16 elements (index 16, line 6 of the program)"
        )
        assert told(16, program.shift, x, y, -1) == (
            "shift: x[-1] is out of bounds: x has 16 elements (index -1, line 6 of the program)"
        )
        assert told(1, program.shift, None, y, 0) == (
            "shift: x[0] is out of bounds: x has 0 elements (index 0, line 6 of the program)"
        )


def test_all_that_kernels_have(program, told):
    """Parameters of every kind and type, names that mean something else in a block, atomics, attributes."""
    x, c, k, s = np.zeros(16, "f4"), np.full(1, 7, "f4"), np.zeros(4, "i4"), np.zeros(4, [("a", "f4"), ("b", "i4")])

    def mixed(n, x=x, k=k, s=s):
        return told(sycl.NdRange(4, 4), program.mixed, x, c, sycl.local(4, "f4"), n, k, s)

    with sycl.debug("check"):
        assert mixed(4) == ""
        assert (x[5], k.tolist(), s["b"].tolist()[1]) == (7, [1] * 4, 3)
        assert mixed(15) == "mixed: x[16] is out of bounds: x has 16 elements (index 16, line 20 of the program)"
        assert mixed(4, k=k[:3]) == "mixed: k[3] is out of bounds: k has 3 elements (index 3, line 18 of the program)"
        assert mixed(4, s=s[:3]) == "mixed: s[3] is out of bounds: s has 3 elements (index 3, line 19 of the program)"
        assert mixed(1, k=k[:1]) == "mixed: k[1] is out of bounds: k has 1 element (index 1, line 19 of the program)"


def test_vectors(program, told):
    x = np.zeros(16, "f4")
    with sycl.debug("check"):
        assert told(4, program.wide, x, np.zeros(16, "f4")) == ""
        assert told(4, program.wide, x[:12], np.zeros(16, "f4")).startswith("wide: x[3] is out of bounds: x has 3 elem")
        assert re.match(r"wide: y\[15\] is out .* has 15 elem", told(4, program.wide, x, np.zeros(15, "f4")))


def test_parts(program, queue, told):
    """A program's pointer to a part begins where the buffer does; a sub-buffer is memory of its own."""

    def part(n, o, shape, range, offset):
        with sycl.Buffer(np.zeros(shape, "f4")) as b:
            try:
                with queue.submit(wait=True) as h:
                    x = sycl.Accessor(b, h, mode="read", range=range, offset=offset)
                    h.parallel_for(n, program.shift, x, np.zeros(99, "f4"), o)
            except sycl.BoundsError as error:
                return error.what().splitlines()[0]
        return ""

    outside = "shift: x[{0}] is not in the accessor's range, which begins at element {1} of x (index {0}, line 6 of the program)"
    with sycl.debug("check"):
        assert part(8, 4, 16, 8, 4) == ""
        assert part(9, 4, 16, 8, 4) == outside.format(12, 4)
        assert part(1, 3, 16, 8, 4) == outside.format(3, 4)
        for row in (6, 11):
            assert part(3, row, (4, 5), (2, 3), (1, 1)) == ""
            assert part(1, row - 1, (4, 5), (2, 3), (1, 1)) == outside.format(row - 1, 6)
            assert part(1, row + 3, (4, 5), (2, 3), (1, 1)) == outside.format(row + 3, 6)
        for row in (26, 30, 46, 50):  # planes of 5 rows of 4: of planes 1 and 2 rows 1 and 2, the columns 2 and 3
            assert part(2, row, (3, 5, 4), (2, 2, 2), (1, 1, 2)) == ""
            assert part(1, row - 1, (3, 5, 4), (2, 2, 2), (1, 1, 2)) == outside.format(row - 1, 26)
            assert part(1, row + 2, (3, 5, 4), (2, 2, 2), (1, 1, 2)) == outside.format(row + 2, 26)
        with sycl.Buffer(np.zeros(16, "f4")) as b:
            assert told(8, program.shift, b[4:12], np.zeros(8, "f4"), 0) == ""
            assert " x[8] is out of bounds: x has 8 elements" in told(8, program.shift, b[4:12], np.zeros(8, "f4"), 1)


def test_what_runs_again(program, queue):
    """What one call, or one replay, got wrong is not held against the next."""
    x, y = np.zeros(16, "f4"), np.zeros(16, "f4")
    with sycl.debug("check"):
        prepared = queue.kernel(16, program.shift, x, y, 0)
        with queue.record() as g:
            queue.parallel_for(16, program.shift, x, y, 0)
        for again in (prepared, g.replay):
            for o in (0, 2, 0):
                if o == 0:
                    again(o=o)
                    queue.wait_and_throw()
                    continue
                with pytest.raises(sycl.BoundsError, match=r"shift: x\[1[67]\] is out of bounds"):
                    again(o=o)


def test_only_while_it_is_on(program, queue, live_counts):
    """The same kernel, without the checks and with them. Without them nothing is made."""
    x, y = np.arange(64, dtype="f4"), np.zeros(16, "f4")
    before = live_counts.quiet()["program"]
    own = sycl.Program(TEXT)
    queue.parallel_for(16, own.shift, x[:16], y, 0)
    assert live_counts.quiet()["program"] == before + 1
    with sycl.debug("check"), pytest.raises(sycl.BoundsError):
        queue.parallel_for(16, own.shift, x[:16], y, 1)
    assert live_counts.quiet()["program"] == before + 2
    queue.parallel_for(16, own.shift, x[:16], y, 1)  # what lies behind is there
    assert y.tolist()[:15] == x[1:16].tolist()
    del own
    assert live_counts.quiet()["program"] == before


def test_other_ways_to_a_program(queue, told):
    """Constants, operators, options, and texts that are linked."""
    near, most = sycl.SpecConstant("i4", 0), sycl.BinaryOp("a < b ? b : a", name="most")
    f = "int beyond(int i);\n\nkernel void f(global int *x) { x[get_global_id(0)] = beyond(SPEC(near)) + LAST; }\n"
    g = "kernel void g(global int *x) { x[group_reduce(work_group, (int)get_local_id(0) + LAST, most)] = 3; }\n"
    other = "int beyond(int i) { return i + 5; }"
    program = sycl.Program(f + g + other, ["-DLAST=1"], spec_constants={"near": near}, operators=[most])
    objects = [
        sycl.compile(sycl.KernelBundle(sycl.Program(f.replace("SPEC(near)", "1"), ["-DLAST=2"]), queue.context)),
        sycl.compile(sycl.KernelBundle(other, queue.context)),
    ]
    linked = sycl.link(objects).get_kernel("f")
    x, outside = np.zeros(4, "i4"), "{}: x[4] is out of bounds: x has 4 elements (index 4, line {} of the program)"
    with sycl.debug("check"):
        assert told(4, program.f, x) == "" and x.tolist() == [6] * 4
        assert told(5, program.f, x) == outside.format("f", 3)
        assert told(sycl.NdRange(3, 3), program.g, x) == "" and x.tolist() == [6, 6, 6, 3]
        assert told(sycl.NdRange(4, 4), program.g, x) == outside.format("g", 4)
        assert told(4, linked, x) == "" and x.tolist() == [8] * 4
        assert told(5, linked, x) == outside.format("f", 3)


def test_what_cannot_be_checked_says_so_once(queue, told):
    """A text that is not here, and one where another kernel calls the kernel: they run as ever."""
    called = sycl.Program(
        "kernel void f(global int *x) { x[0] += 1; } kernel void g(global int *x) { f(x); x[1] += 1; }"
    )
    bundle = sycl.get_kernel_bundle(queue.context, "kernel void h(global int *x) { x[0] += 1; }")
    binary = sycl.build(opencl.create_bundle_with_binary(queue.context, bundle.binary()))
    x = np.zeros(2, "i4")
    with sycl.debug("check"):
        assert told(1, called.g, x) == "" and x.tolist() == [1, 1]
        for kernel, why in ((called.f, "compiler"), (binary.get_kernel("h"), "its text is not here")):
            with pytest.warns(sycl.SyclWarning, match=rf"check: kernel '[fh]' is not checked: .*{why}"):
                assert told(1, kernel, x) == ""
            assert told(1, kernel, x) == ""
    assert x.tolist() == [5, 1]
