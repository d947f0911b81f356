"""What SYCL 2020 has that 1.2.1 had not, each in use; and rules that only its glossary has. Appendix E, glossary, 4.5."""

import inspect

import numpy as np
import pytest

import pysycl as sycl

GAIN = sycl.SpecConstant(np.int32, 3, "gain")
TEXT = "__kernel void scaled(__global const int *x, __global int *y) { y[get_global_id(0)] = SPEC(gain) * x[get_global_id(0)]; }"


@pytest.mark.spec("H118")
def test_the_host_has_these_classes():
    classes = [
        sycl.Buffer, sycl.Context, sycl.Device, sycl.Event, sycl.SyclError, sycl.Handler, sycl.Id, sycl.Kernel, sycl.Marray,
        sycl.KernelBundle, sycl.NdRange, sycl.Platform, sycl.Queue, sycl.Range, sycl.SampledImage, sycl.Sampler, sycl.Stream,
        sycl.UnsampledImage, sycl.Vec, sycl.UsmAllocator,
    ]  # fmt: skip
    assert all(inspect.isclass(each) for each in classes) and len(set(classes)) == 20
    assert {"allocator"} <= set(inspect.signature(sycl.Buffer).parameters) & set(
        inspect.signature(sycl.UnsampledImage).parameters
    )


@pytest.mark.spec("D546")
def test_unified_memory_beside_buffers_and_bundles_for_programs(queue):
    """A kernel that a free function builds, with a specialization constant that it asks for, reads one and writes the
    other."""
    if not queue.device.has("usm_device_allocations"):
        pytest.skip("the device has no memory of its own to allocate")
    bundle = sycl.get_kernel_bundle(queue.context, sycl.Program(TEXT, spec_constants=[GAIN]), state="input")
    bundle.set_specialization_constant(GAIN, 5)
    kernel = sycl.build(bundle).get_kernel("scaled")
    x, y = sycl.malloc_device(4, np.int32, queue), sycl.Buffer(4, np.int32)
    queue.copy(np.arange(4, dtype=np.int32), x)
    with queue.submit() as h:
        h.parallel_for(4, kernel, x, h.write(y))
    assert np.asarray(y).tolist() == [0, 5, 10, 15]
    sycl.free(x, queue)


@pytest.mark.spec("D549", "D556")
def test_plain_structs_and_groups_of_both_kinds(queue):
    """Behind a barrier each item finds in both memories what its neighbour has put there before."""
    pair = np.dtype([("value", "f4"), ("place", "i4")])
    given, out = sycl.Buffer(np.array([(k / 2, k) for k in range(64)], pair)), np.zeros((3, 64), pair)
    with queue.submit() as h:
        h.parallel_for(
            sycl.NdRange(64, 32),
            """const uint own = local_id(0), next = (own + 1) % 32;
            tile[own] = x[i]; out(0, i) = x[i];
            group_barrier(work_group);
            out(1, i) = tile[next];
            out(2, i) = out(0, i - own + next);
            out(1, i).place += 100 * group_leader(work_group) + 1000 * group_all_of(sub_group, out(2, i).place < 64);""",
            x=h.read(given),
            out=out,
            tile=h.local(32, pair),
        )
    h.event.wait_and_throw()
    following = [k + 1 if k % 32 != 31 else k - 31 for k in range(64)]
    assert out[0]["place"].tolist() == list(range(64))
    assert out[2]["value"].tolist() == out[1]["value"].tolist() == [k / 2 for k in following]
    assert out[1]["place"].tolist() == [k + 1000 + 100 * (at % 32 == 0) for at, k in enumerate(following)]
    assert all(map(sycl.is_group, (sycl.work_group, sycl.sub_group)))


@pytest.mark.spec("D550")
def test_host_tasks_algorithms_the_larger_group_and_vec(queue):
    x, seen = np.arange(40, dtype=np.int32), []
    out = np.zeros(4, np.int32)
    done = queue.parallel_for(
        sycl.NdRange(8, 8),
        "int s = joint_reduce(work_group, x, x + 40, plus);"
        "if (group_leader(work_group)) { out[0] = s; out[1] = group_linear_range; out[2] = max_local_range(0); }"
        "out[3] = group_broadcast(work_group, x[i], 7);",
        x=x,
        out=out,
    )
    queue.host_task(lambda: seen.append(out.tolist()), depends_on=[done]).wait_and_throw()
    assert seen == [[780, 1, 8, 7]]
    v = sycl.int3(1, -2, 3)
    v[1] = 5
    assert (v[1], list(-v), list(+v)) == (5, [-1, -5, -3], [1, 5, 3])


@pytest.mark.spec("D551")
def test_accessors(queue):
    b = sycl.Buffer(np.arange(6, dtype=np.int32))
    placeholder = sycl.Accessor(b)
    assert placeholder.is_placeholder and placeholder.mode is sycl.AccessMode.read_write
    assert (placeholder.size, placeholder.byte_size, placeholder.max_size >= 6, placeholder.empty) == (
        6,
        24,
        True,
        False,
    )
    with queue.submit() as h:
        h.require(placeholder)
        h.parallel_for(6, "a[i] += 1;", a=placeholder)
    assert sycl.Accessor(sycl.Buffer(np.zeros(3), read_only=True)).mode is sycl.AccessMode.read
    assert sycl.Accessor(b, target="constant_buffer").mode is sycl.AccessMode.read
    with pytest.raises(sycl.SyclError), queue.submit() as h:
        h.parallel_for(6, "a[i] += 1;", a=h.read(b))
    with b.host_access() as a:
        assert list(a) == [1, 2, 3, 4, 5, 6] and len(a) == 6 and a[-1] == 6
    with b.host_access("read") as a, pytest.raises(ValueError, match="read-only"):
        a[0] = 1


@pytest.mark.spec("D552", "D556")
def test_selectors_rank_and_the_highest_rank_wins(queue):
    devices = sycl.devices()
    for best in devices:
        assert sycl.Device(lambda d, best=best: 7 if d == best else 3) == best
        assert sycl.Device(lambda d, best=best: 0 if d == best else -1) == best
    with pytest.raises(sycl.SyclError):
        sycl.Device(lambda d: -1)
    assert sycl.SampledImage is not sycl.UnsampledImage
    assert not issubclass(sycl.SampledImage, sycl.UnsampledImage) and not hasattr(sycl, "Image")
    total, counter = sycl.Buffer(np.zeros(1, np.int32)), np.zeros(1, np.int32)
    with queue.submit() as h:
        h.parallel_for(
            100,
            "total += (int)i; atomic_fetch_add(counter, 1);",
            total=sycl.reduction(total, h, sycl.plus),
            counter=counter,
        )
    h.event.wait_and_throw()
    assert (np.asarray(total)[0], counter[0]) == (4950, 100)


@pytest.mark.spec("D553")
def test_one_class_of_errors_has_codes(queue):
    every = [value for name in dir(sycl) if inspect.isclass(value := getattr(sycl, name)) and name.endswith("Error")]
    assert len(every) > 15 and all(issubclass(each, sycl.SyclError) for each in every)
    with pytest.raises(sycl.SyclError) as caught:
        queue.parallel_for(sycl.NdRange(8, 3), "x[i] = 1;", x=np.zeros(8))
    assert caught.value.code is sycl.Errc.nd_range and sycl.opencl.get_error_code(caught.value) == 0
    with pytest.raises(sycl.BuildError) as caught:
        sycl.Program("__kernel void f( {").build(queue.device)
    assert (
        caught.value.code is sycl.Errc.build and sycl.opencl.get_error_code(caught.value) == caught.value.cl_code != 0
    )
    assert queue.device.has(sycl.Aspect.cpu) is queue.device.is_cpu
    assert queue.device.has(sycl.Aspect.fp64) is ("cl_khr_fp64" in queue.device.extensions)


@pytest.mark.spec("D554")
def test_a_group_is_submitted_whole_or_not_at_all(queue):
    x, kept = sycl.Buffer(np.full((2, 3), 7, np.int32)), []

    def breaks(h):
        kept.append(h)
        h.parallel_for((2, 3), "x(i0, i1) = 1;", x=h.write(x))
        raise KeyError("none")

    with pytest.raises(KeyError):
        queue.submit(breaks)
    queue.wait_and_throw()
    assert np.asarray(x).tolist() == [[7] * 3] * 2
    with pytest.raises(sycl.InvalidError, match="a handler is of use inside its submit"):
        kept[0].single_task("y[0] = 1;", y=np.zeros(1))
    with queue.submit() as h:
        h.parallel_for((2, 3), "x(i0, i1) = 10 * i0 + i1;", x=h.write(x))
    assert np.asarray(x).tolist() == [[0, 1, 2], [10, 11, 12]]
