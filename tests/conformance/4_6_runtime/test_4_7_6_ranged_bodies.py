"""Ranged accessors in bodies begin at their first element, in every form of kernel; empty ones are NULL. SYCL 2020, 4.7.6."""

import numpy as np
import pytest

import pysycl as sycl

FIRST = (1, 2)  # of the part, in a buffer of 6 rows of 7
PART = (3, 4)
INSIDE = np.s_[1:4, 2:6]


def rows(dtype=np.float32):
    return np.arange(42, dtype=dtype).reshape(6, 7)


def part(h, buffer, mode="read_write", **options):
    return sycl.Accessor(buffer, h, mode, range=PART, offset=FIRST, **options)


def changed(buffer, before, wanted):
    """The part is what it should be, and nothing else has changed."""
    expected = before.copy()
    expected[INSIDE] = wanted
    np.testing.assert_array_equal(np.asarray(buffer), expected)


@pytest.mark.spec("H397", "H403", "H411")
def test_every_way_to_an_element(queue):
    """x(i0, i1), and x[k], which counts as the memory does: rows are as long as the buffer's."""
    before, line = rows(), np.arange(40, dtype=np.float32)
    b, c = sycl.Buffer(before.copy()), sycl.Buffer(line.copy())
    seen = sycl.Buffer((3, 4), np.float32)
    text = """
        const float there = x(i0, i1);
        y(i0, i1) = there == x[7 * i0 + i1] && there == *(x + (7 * i0 + i1)) ? there : -1;
        x(i0, i1) = there * 2;
        if (i0 == 0 && i1 == 0) { l[0] += 100; *(l + 1) += 200; vstore2(vload2(1, l) + 300, 1, l); }
    """
    with queue.submit() as h:
        lines = h.read_write(c, range=4, offset=13)
        h.parallel_for(PART, text, x=part(h, b), y=h.write(seen), l=lines)
    np.testing.assert_array_equal(np.asarray(seen), before[INSIDE])
    changed(b, before, 2 * before[INSIDE])
    line[13:17] += 100, 200, 300, 300
    np.testing.assert_array_equal(np.asarray(c), line)


@pytest.mark.spec("H397", "H403")
def test_parts_of_three_dimensions_and_of_parts(queue):
    """A part of a sub-buffer, a part of a reinterpretation, and an offset alone."""
    before = np.arange(5 * 4 * 3, dtype=np.int32).reshape(5, 4, 3)
    cube, wanted = sycl.Buffer(before.copy()), before.copy()
    below = cube.sub_buffer((2, 0, 0), (3, 4, 3))
    flat = below.reinterpret(np.int32, 36)
    with queue.submit() as h:
        x = h.read_write(below, range=(2, 2, 2), offset=(1, 2, 1))
        h.parallel_for((2, 2, 2), "x(i0, i1, i2) += 1000 * (int)(i + 1); x[12 * i0] += 0;", x=x)
    wanted[3:5, 2:4, 1:3] += 1000 * (np.arange(8).reshape(2, 2, 2) + 1)
    with queue.submit() as h:
        h.parallel_for(6, "x[i] = -x[i];", x=h.read_write(flat, offset=30))
    wanted[4, 2:] *= -1
    np.testing.assert_array_equal(np.asarray(cube), wanted)


FORMS = {
    "a loop": (4096, "y[i] = x[i] + 1;"),
    "a condition": (4096, "if (x[i] > 0) y[i] = x[i] + 1;"),
    "vectors": (4096, "y[i] = exp(x[i] * 0) + x[i];"),
    "doubles": (4099, "double v = x[i]; y[i] = (float)(v + 1);"),
    "groups": (sycl.NdRange(4096, 64), "y[i] = x[i] + group_broadcast(work_group, (float)(local_id(0) == 0), 0);"),
    "one item": (None, "for (int k = 0; k < 4096; k++) y[k] = x[k] + 1;"),
}


@pytest.mark.spec("H397")
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_kernel(queue, form):
    """Offsets that are no multiple of a vector, and of no alignment of a driver's; both in one buffer."""
    range_, text = FORMS[form]
    n = 4096 if not isinstance(range_, int) else range_
    values = np.zeros(3 * n, np.float32)
    values[5 : 5 + n] = np.arange(1, n + 1)
    expected = values.copy()
    expected[n + 13 : 2 * n + 13] = np.arange(2, n + 2)
    b = sycl.Buffer(values)
    with queue.submit() as h:
        arguments = {"x": h.read(b, range=n, offset=5), "y": h.write(b, range=n, offset=n + 13)}
        if range_ is None:
            h.single_task(text, **arguments)
        else:
            h.parallel_for(range_, text, **arguments)
    np.testing.assert_array_equal(np.asarray(b), expected)


@pytest.mark.spec("H397")
def test_reducers_and_hierarchical_kernels(queue):
    before = rows(np.int32)
    b, total, line = sycl.Buffer(before.copy()), sycl.Buffer(np.zeros(1, np.int32)), sycl.Buffer(np.arange(5000))
    with queue.submit() as h:
        out = sycl.reduction(total, h, sycl.plus)
        h.parallel_for(PART, "t += x(i0, i1);", x=part(h, b, "read"), t=out)
    assert np.asarray(total)[0] == before[INSIDE].sum()
    long = sycl.Buffer(np.zeros(1, np.int64))
    with queue.submit() as h:
        out = sycl.reduction(long, h, sycl.plus)
        h.parallel_for(3001, "t += x[i];", x=h.read(line, range=3001, offset=7), t=out)
    assert np.asarray(long)[0] == np.arange(7, 3008).sum()
    with queue.submit() as h:
        x = part(h, b)
        text = "long row = group_id(0); parallel_for_work_item { x(row, local_id(0)) += 500; }"
        h.parallel_for_work_group(3, 4, text, x=x)
    changed(b, before, before[INSIDE] + 500)


@pytest.mark.spec("H397", "H402")
def test_prepared_kernels_and_placeholders(queue):
    before = rows()
    b, other = sycl.Buffer(before.copy()), sycl.Buffer(before.copy())
    place = sycl.Accessor(b, range=PART, offset=FIRST)
    step = queue.kernel(PART, "x(i0, i1) += a;", x=place, a=1.0)
    step()
    step(a=10.0)
    step(x=sycl.Accessor(other, range=PART, offset=FIRST)).wait()
    changed(b, before, before[INSIDE] + 11)
    changed(other, before, before[INSIDE] + 1)
    step(x=sycl.Accessor(other, range=PART, offset=(0, 0)), a=0.5).wait()  # another offset is another number
    before[INSIDE] += 1
    before[:3, :4] += 0.5
    np.testing.assert_array_equal(np.asarray(other), before)
    with queue.submit() as h:
        h.require(place)
        h.parallel_for(PART, "x(i0, i1) = 3;", x=place)
    changed(b, rows(), 3)


@pytest.mark.spec("H397")
def test_recordings_and_replays(queue):
    before = rows()
    b, other = sycl.Buffer(before.copy()), sycl.Buffer(before.copy())
    with queue.record() as g, queue.submit() as h:
        h.parallel_for(PART, "x(i0, i1) += a;", x=part(h, b), a=1.0)
    g.replay()
    g.replay(a=4.0)
    g.replay(x=other).wait()  # the same part of another buffer
    changed(b, before, before[INSIDE] + 5)
    changed(other, before, before[INSIDE] + 1)


@pytest.mark.spec("H397")
def test_constant_memory_and_structs(queue):
    kind = np.dtype([("k", "i4"), ("v", "f8")])
    table, out = sycl.Buffer(np.arange(9, dtype=np.int32)), sycl.Buffer(np.zeros(7, kind))
    with queue.submit() as h:
        x = h.read(table, range=3, offset=4, target="constant_buffer")
        h.parallel_for(3, "y[i].k = x[i]; y[i].v = 2 * x[i];", x=x, y=h.write(out, range=3, offset=2))
    assert np.asarray(out)["k"].tolist() == [0, 0, 4, 5, 6, 0, 0]
    assert np.asarray(out)["v"].tolist() == [0, 0, 8, 10, 12, 0, 0]


@pytest.mark.spec("H397")
def test_devices_with_memory_of_their_own(run_python, copying):
    code = """
        import numpy as np
        import pysycl as sycl
        q = sycl.Queue()
        before = np.arange(42, dtype=np.float32).reshape(6, 7)
        b = sycl.Buffer(before.copy())
        for a in (1.0, 10.0):
            with q.submit() as h:
                x, y = h.read(b, range=(3, 4), offset=(0, 1)), h.read_write(b, range=(3, 4), offset=(3, 3))
                h.parallel_for((3, 4), "y(i0, i1) += a * x(i0, i1);", x=x, y=y, a=a)
        before[3:, 3:] += 11 * before[:3, 1:5]
        assert np.array_equal(np.asarray(b), before)
        q.wait_and_throw()
    """
    run_python(code, copying("gpu"))


@pytest.mark.spec("H396", "H397")
def test_checked_bodies_know_the_part(run_python):
    """PYSYCL_DEBUG=check: bounds are the accessor's, and what lies between its rows is not in it."""
    code = """
        import numpy as np
        import pysycl as sycl
        q = sycl.Queue()
        def told(text):
            b, line = sycl.Buffer(np.zeros((6, 7), np.float32)), sycl.Buffer(np.zeros(9, np.float32))
            cube = sycl.Buffer(np.zeros((4, 5, 6), np.float32))
            try:
                with q.submit() as h:
                    parts = {
                        "x": h.read_write(b, range=(3, 4), offset=(1, 2)),
                        "l": h.read_write(line, range=4, offset=2),
                        "z": h.read_write(cube, range=(2, 3, 4), offset=(1, 1, 1)),
                    }
                    used = {name: part for name, part in parts.items() if name + "(" in text or name + "[" in text}
                    h.parallel_for((3, 4), text, **used)
                q.wait_and_throw()
            except sycl.AccessorError as error:
                print(str(error).split(" (index")[0])
            else:
                print("fine", [int(np.asarray(each).sum()) for each in (b, line, cube)])

        told("x(i0, i1) = 1; x[7 * i0 + i1] += 1; l[i1] = 2; z(i0 % 2, i1 % 3, i1) = 3;")
        told("x(i0, i1 == 3 ? 4 : i1) = 5;")
        told("x(i0 == 2 ? 3 : i0, i1) = 5;")
        told("x[i0 == 2 && i1 == 3 ? 17 : 0] = 2;")
        told("x[i0 == 2 && i1 == 3 ? 18 : 0] = 2;")
        told("x[i0 == 2 && i1 == 3 ? 5 : 0] = 2;")
        told("l[i1 == 3 ? 4 : i1] = 2;")
        told("l[i1 == 3 ? -1 : i1] = 2;")
        told("z(i0 % 2, i1 == 3 ? 3 : 0, i1) = 1;")
        told("z[i1 == 3 ? 6 * 3 : 0] = 4;")
        told("z[i1 == 3 ? 6 * 2 + 4 : 0] = 4;")
    """
    lines = run_python(code, env={"PYSYCL_DEBUG": "check"}).stdout.splitlines()
    assert lines == [
        "fine [24, 8, 24]",
        "body: x(..., 4) is out of bounds: the range of x in dimension 1 is 4",
        "body: x(3, ...) is out of bounds: the range of x in dimension 0 is 3",
        "fine [4, 0, 0]",
        "body: x[18] is out of bounds: x has 18 elements",
        "body: x[5] is not in the accessor's range: it lies between two rows of x",
        "body: l[4] is out of bounds: l has 4 elements",
        "body: l[-1] is out of bounds: l has 4 elements",
        "body: z(..., 3, ...) is out of bounds: the range of z in dimension 1 is 3",
        "body: z[18] is not in the accessor's range: it lies between two rows of z",
        "body: z[16] is not in the accessor's range: it lies between two rows of z",
    ]


PROGRAM = sycl.Program("""
__kernel void f(__global const float *x, __global int *y, __constant int *c, __global float *z)
{
    y[get_global_id(0)] = (x ? 1 : 0) + (c ? 2 : 0) + (z ? 4 : 0);
}
""")


@pytest.mark.spec("H401", "H412")
def test_an_empty_accessor_is_null(queue):
    b, seen = sycl.Buffer(np.ones(4, np.float32)), np.zeros(4, np.int32)
    constants = sycl.Buffer(np.ones(4, np.int32))
    for given, expected in (
        ((sycl.Accessor(), sycl.Accessor(), b), 4),
        ((b, None, None), 1),
        ((None, constants, sycl.Accessor()), 2),
        ((None, None, None), 0),
        ((b, constants, b), 7),
    ):
        x, c, z = given
        queue.parallel_for(4, PROGRAM.f, x, seen, c, z)
        assert seen.tolist() == [expected] * 4
    queue.parallel_for(4, "y[i] = x ? (int)x[i] : 7;", x=sycl.Accessor(), y=seen)
    assert seen.tolist() == [7] * 4
    with queue.record() as g:
        queue.parallel_for(4, PROGRAM.f, None, seen, constants, b)
    seen[:] = 0
    g.replay().wait()
    assert seen.tolist() == [6] * 4
    with pytest.raises(sycl.KernelArgumentError, match="__local|local"):
        queue.parallel_for(4, sycl.Program("__kernel void g(__local int *l) { l[0] = 1; }").g, None)
