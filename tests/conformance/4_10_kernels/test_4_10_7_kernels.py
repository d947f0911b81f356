"""SYCL 2020 4.9.4.2 and 4.12: invoking kernels, their index spaces, and what their arguments may be; with bodies."""

import numpy as np
import pytest

import pysycl as sycl


@pytest.mark.spec("D183")
def test_a_name_is_optional(queue):
    y = np.zeros(4, np.int32)
    assert queue.kernel(4, "y[i] = 1;", y=y).name == "body"
    assert queue.kernel(4, "y[i] = 1;", y=y, name="mine").name == "mine"
    queue.parallel_for(4, "y[i] += 1;", y=y)
    queue.parallel_for(4, "y[i] += 1;", y=y, name="mine")
    assert y.tolist() == [2] * 4


@pytest.mark.spec("D184", "D198")
def test_a_single_task_runs_once(queue):
    count = np.zeros(1, np.int32)
    for _ in range(3):
        queue.single_task("count[0] += 1;", count=count)
    assert count[0] == 3
    with pytest.raises(sycl.BuildError, match="undeclared identifier 'i'"):
        queue.single_task("count[i] += 1;", count=count)
    with pytest.raises(sycl.KernelArgumentError, match="not as a single task"):
        queue.single_task("count[0] = t[0];", count=count, t=sycl.local(1, np.int32))


@pytest.mark.spec("D198")
def test_the_accessors_of_a_task_are_its_groups(queue):
    with sycl.Buffer(np.zeros(1, np.int32)) as b:
        made = []
        queue.submit(lambda h: made.append(h.read_write(b)))
        with queue.submit() as h:
            own = h.read_write(b)
            with pytest.raises(sycl.AccessorError, match="an accessor whose command group has ended"):
                h.single_task("x[0] = 1;", x=made[0])
            h.single_task("x[0] = 1;", x=own)
        assert np.asarray(b)[0] == 1


@pytest.mark.spec("D185", "D191", "D199", "D201")
@pytest.mark.parametrize("given", [6, (6,), [6], sycl.Range(6), (2, 3), sycl.Range(2, 3), [2, 3], (1, 2, 3)])
def test_ranges_and_their_shorthand(queue, given):
    """Every spelling of a range runs each of its items once, in groups of the runtime's choice."""
    dims = 1 if given == 6 else len(given)
    out = np.zeros(6, np.int32)
    queue.parallel_for(given, f"out[i] += 1 + (int)i{dims - 1} * 0;", out=out)
    assert out.tolist() == [1] * 6


@pytest.mark.spec("D191", "D200")
def test_an_id_or_an_integer_index_makes_no_difference(queue):
    ways = ("out[i] = i;", "out[i0] = i0;", "out[get_global_id(0)] = get_global_id(0);")
    results = []
    for body in ways:
        out = np.zeros(100, np.int32)
        queue.parallel_for(100, body, out=out)
        results.append(out)
    assert all(np.array_equal(out, np.arange(100)) for out in results)


@pytest.mark.spec("D104", "D185", "D203", "D205")
def test_offsets_are_added_to_each_index(queue):
    seen = np.zeros((5, 5, 5), np.int32)
    queue.parallel_for((3, 3, 3), "seen(i0, i1, i2) += 1;", seen=seen)
    assert seen[:3, :3, :3].sum() == seen.sum() == 27
    seen[:] = 0
    queue.parallel_for((3, 3, 3), "seen(i0, i1, i2) += 1;", seen=seen, offset=(1, 1, 1))
    assert seen[1:4, 1:4, 1:4].sum() == seen.sum() == 27
    seen[:] = 0
    where = sycl.NdRange((4, 2, 2), (2, 1, 2), (1, 2, 3))
    queue.parallel_for(where, "seen(i0, i1, i2) += 1;", seen=seen)
    assert seen[1:5, 2:4, 3:5].sum() == seen.sum() == 16


@pytest.mark.spec("D101", "D102", "D106", "D107")
def test_items(queue):
    """Ids and ranges per dimension, in SYCL's order; the linear id by its formula."""
    shape = (3, 4, 5)
    out = np.zeros((*shape, 7), np.int64)
    body = """
    ulong at = 7 * ((i0 * n1 + i1) * n2 + i2);
    out[at] = i0; out[at + 1] = i1; out[at + 2] = i2;
    out[at + 3] = n0; out[at + 4] = n1; out[at + 5] = n2; out[at + 6] = i;
    """
    queue.parallel_for(shape, body, out=out)
    for index in np.ndindex(shape):
        linear = index[2] + index[1] * shape[2] + index[0] * shape[2] * shape[1]
        assert out[index].tolist() == [*index, *shape, linear]


@pytest.mark.spec("D109", "D110", "D111", "D112", "D114", "D115", "D116", "D186", "D204")
def test_nd_items(queue):
    whole, group, offset = (4, 6), (2, 3), (10, 20)
    words = ("global_id", "local_id", "group_id", "group_range", "global_range", "local_range", "global_offset")
    values = [f"{word}({d})" for word in words for d in range(2)]
    values += ["global_linear_id", "local_linear_id", "group_linear_id"]
    out = np.zeros((*whole, len(values)), np.int64)
    stores = "\n".join(f"out[at + {k}] = {value};" for k, value in enumerate(values))
    body = f"ulong at = {len(values)} * global_linear_id;\n{stores}"
    queue.parallel_for(sycl.NdRange(whole, group, offset), body, out=out)
    for i0, i1 in np.ndindex(whole):
        local, place, groups = (i0 % 2, i1 % 3), (i0 // 2, i1 // 3), (2, 2)
        expected = [i0 + 10, i1 + 20, *local, *place, *groups, *whole, *group, *offset]
        expected += [i0 * 6 + i1, local[0] * 3 + local[1], place[0] * 2 + place[1]]
        assert out[i0, i1].tolist() == expected


@pytest.mark.spec("D202")
@pytest.mark.parametrize("body", ["x[i] = 0; barrier(CLK_LOCAL_MEM_FENCE);", "__local int t[4]; x[i] = t[0];"])
def test_a_plain_range_has_no_groups(queue, body):
    with pytest.raises(sycl.NdRangeError, match="a plain range has n"):
        queue.parallel_for(16, body, x=np.zeros(16, np.int32))
    with pytest.raises(sycl.KernelArgumentError, match="not over a plain range"):
        queue.parallel_for(16, "x[i] = t[0];", x=np.zeros(16, np.int32), t=sycl.local(4, np.int32))


@pytest.mark.spec("D204")
def test_an_nd_range_has_local_memory_and_barriers(queue):
    x = np.arange(32, dtype=np.int32)
    body = """
    t[local_id(0)] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[i] = t[(local_id(0) + 1) % local_range(0)];
    """
    queue.parallel_for(sycl.NdRange(32, 8), body, x=x, t=sycl.local(8, np.int32))
    assert np.array_equal(x.reshape(4, 8), np.roll(np.arange(32).reshape(4, 8), -1, 1))


@pytest.mark.spec("D189")
def test_kernel_objects_take_every_form(queue):
    program = sycl.Program("__kernel void mark(__global int *x) { x[get_global_id(0)] += 1; }")
    x = np.zeros(8, np.int32)
    with queue.submit() as h:
        h.single_task(program.mark, x)
    queue.parallel_for(8, program.mark, x)
    queue.parallel_for(2, program.mark, x, offset=3)
    queue.parallel_for(sycl.NdRange(4, 2), program.mark, x)
    queue.wait()
    assert x.tolist() == [3, 2, 2, 3, 2, 1, 1, 1]


@pytest.mark.spec("D295", "D298", "D303")
def test_values_are_captured_by_copy(queue):
    """A kernel has the values of its submission, and cannot write to them."""
    out, k = np.zeros(4, np.int32), np.int32(5)
    with queue.submit() as h:
        h.parallel_for(4, "out[i] = k;", out=out, k=k)
        k = np.int32(6)
    h.event.wait()
    assert out.tolist() == [5] * 4
    with pytest.raises(sycl.BuildError, match="const"):
        queue.parallel_for(4, "k = 3; out[i] = k;", out=out, k=k)


@pytest.mark.spec("D296", "D301")
def test_memory_goes_in_by_accessors_and_unified_shared_memory(queue):
    with sycl.Buffer(np.arange(8, dtype=np.float32)) as b, sycl.Buffer(8, np.float32) as c:
        with queue.submit() as h:
            tile = h.local(4, np.float32)
            body = "t[local_id(0)] = b[i]; barrier(CLK_LOCAL_MEM_FENCE); c[i] = t[3 - local_id(0)];"
            h.parallel_for(sycl.NdRange(8, 4), body, b=h.read(b), c=h.write(c), t=tile)
        assert np.asarray(c).tolist() == [3, 2, 1, 0, 7, 6, 5, 4]
    if queue.device.has("usm_device_allocations"):
        with sycl.malloc_device(8, np.float32, queue) as u:
            queue.parallel_for(8, "u[i] = i;", u=u).wait()
            out = np.zeros(8, np.float32)
            queue.memcpy(out, u)
            assert np.array_equal(out, np.arange(8))


@pytest.mark.spec("D297")
def test_a_kernel_that_holds_its_arguments(queue):
    """What a named function object is in C++: the text, and members that become arguments."""
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    scale = queue.kernel(8, "y[i] = a * x[i];", x=x, y=y, a=2.0, name="scale")
    assert list(scale.arguments) == ["x", "y", "a"]
    assert scale.arguments["x"] is x
    scale().wait()
    assert np.array_equal(y, 2 * x)


@pytest.mark.spec("D303")
@pytest.mark.parametrize("value", [object(), {"a": 1}, "text", [1, 2], lambda: 1])
def test_what_is_not_trivially_copyable_is_refused(queue, value):
    with pytest.raises(sycl.KernelArgumentError, match=r"^body\(\): 'v' is a "):
        queue.parallel_for(4, "x[i] = v;", x=np.zeros(4, np.int32), v=value)


@pytest.mark.spec("D303")
def test_samplers_are_arguments(queue):
    if not queue.device.has("image"):
        pytest.skip("no images")
    image = sycl.UnsampledImage(np.full((2, 2, 4), 3, np.float32), "r32g32b32a32_sfloat", (2, 2))
    sampler = sycl.Sampler("unnormalized", "clamp_to_edge", "nearest")
    out = np.zeros(4, np.float32)
    queue.parallel_for((2, 2), "out[i] = read_imagef(m, s, (int2)((int)i1, (int)i0)).x;", m=image, s=sampler, out=out)
    assert out.tolist() == [3] * 4


@pytest.mark.spec("D305")
def test_addresses_are_no_arguments(queue):
    """A number is a number: what memory is, only the object that owns it can say."""
    x = np.zeros(4, np.float32)
    with pytest.raises(sycl.BuildError, match=r"p\[i\] = 0"):
        queue.parallel_for(4, "p[i] = 0;", p=x.ctypes.data)


@pytest.mark.spec("D098")
def test_ids_index_accessors_of_their_rank(queue):
    x = np.zeros((3, 4), np.int32)
    queue.parallel_for((3, 4), "x(i0, i1) = i;", x=x)
    assert np.array_equal(x, np.arange(12).reshape(3, 4))
    with pytest.raises(
        sycl.KernelArgumentError, match="'x' has 2 dimensions, and line 1, column 1 has .* with 1 index"
    ):
        queue.parallel_for((3, 4), "x(i0) = i;", x=x)


@pytest.mark.spec("D535", "D537")
def test_dimensions_are_turned_round(queue):
    """SYCL's ids are OpenCL's from behind, also in the raw words of OpenCL C; 1-D is unchanged."""
    for shape in ((5,), (3, 5), (2, 3, 5)):
        d = len(shape)
        out = np.zeros((*shape, 2 * d), np.int64)
        stores = "".join(f"out[at + {k}] = i{k}; out[at + {d + k}] = get_global_id({k});" for k in range(d))
        queue.parallel_for(shape, f"ulong at = i * {2 * d}; {stores}", out=out)
        for index in np.ndindex(shape):
            assert out[index].tolist() == [*index, *reversed(index)]


@pytest.mark.spec("D535")
def test_local_sizes_and_offsets_are_turned_round(queue):
    out = np.zeros(6, np.int64)
    body = (
        "if (i == 0) { for (int d = 0; d < 3; d++) { out[d] = get_local_size(d); out[3 + d] = get_global_offset(d); } }"
    )
    queue.parallel_for(sycl.NdRange((4, 3, 2), (4, 1, 2), (7, 8, 9)), body, out=out)
    assert out.tolist() == [2, 1, 4, 9, 8, 7]
