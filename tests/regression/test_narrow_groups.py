"""PoCL did parts of a kernel twice for the first item of groups that are one item wide in the last dimension: what stands
between barriers that come under conditions. Sums came out wrong, and a loop that counted such a part did not end.
"""

import subprocess

import numpy as np
import pytest

import pysycl as sycl

# Without the cure this spins in the driver for ever: a child, with a limit.
LOOP = """
import numpy as np
import pysycl as sycl
x, y = np.arange(18, dtype=np.float32), np.zeros(18, np.float32)
sycl.Queue().parallel_for(sycl.NdRange((3, 3), (3, 1)), '''
    for (uint turn = 0; turn < turns; turn++) {
        int at = turn * 9 + group_linear_id * 3 + local_linear_id;
        if (group_linear_id % 2 == 0)
            y[at] = group_broadcast(sub_group, x[at], 0);
    }''', x=x, y=y, turns=np.uint32(2)).wait()
print(y.astype(int).tolist())
"""

TWICE = """
%s kernel void add(global int *y, global int *ids, const uint times)
{
    int i = (global_id(0) * global_range(1) + global_id(1)) * global_range(2) + global_id(2);
    if (group_linear_id %% 2 == 0)
        y[i] += 1;
    for (uint k = 0; k < times; k++) {
        y[i] += 10;
        if (group_linear_id %% 2 == 0) {
            barrier(CLK_GLOBAL_MEM_FENCE);
            y[i] += 100;
        }
    }
    ids[i] = get_local_id(0) + 10 * get_local_id(1) + 100 * get_local_id(2) + 1000 * (int)local_linear_id;
    ids[i] += 100000 * (int)group_linear_id + 10000000 * (global_linear_id == i && get_local_size(0) == 1);
}
"""
RANGES = [((4, 3), (4, 1)), ((2, 6, 3), (2, 3, 1)), ((6, 2, 3), (3, 1, 1)), ((3, 4, 2), (1, 2, 1)), ((3, 4), (1, 1))]


def test_a_loop_ends(run_python):
    try:
        said = run_python(LOOP, timeout=60).stdout
    except subprocess.TimeoutExpired:
        pytest.fail("the kernel had not ended after a minute")
    assert said.strip() == str([0, 0, 0, 0, 0, 0, 6, 6, 6, 9, 9, 9, 0, 0, 0, 15, 15, 15])


@pytest.mark.parametrize("required", [False, True], ids=["any", "required"])
def test_every_item_does_everything_once(queue, required):
    for size, group in RANGES:
        if queue.device.max_work_group_size < np.prod(group):
            continue
        head = f"sycl_reqd_work_group_size{group}" if required else ""
        program = sycl.Program(TWICE % head)
        y, ids = np.zeros(size, np.int32), np.zeros(size, np.int32)
        queue.parallel_for(sycl.NdRange(size, group), program.add, y, ids, np.uint32(3))
        at = np.indices(size)
        local = [one % n for one, n in zip(at, group, strict=True)]
        number = np.ravel_multi_index(
            [one // n for one, n in zip(at, group, strict=True)], [n // m for n, m in zip(size, group, strict=True)]
        )
        own = sum(one * 10**d for d, one in enumerate(reversed(local)))
        own = own + 1000 * np.ravel_multi_index(local, group) + 100000 * number + 10000000
        assert np.array_equal(y, np.where(number % 2 == 0, 331, 30)), (size, group)
        assert np.array_equal(ids, own), (size, group)


def test_a_replay_does_everything_once(queue):
    program, y = sycl.Program(TWICE % ""), np.zeros((4, 3), np.int32)
    with queue.record() as recording:
        queue.parallel_for(sycl.NdRange((4, 3), (4, 1)), program.add, y, np.zeros((4, 3), np.int32), np.uint32(1))
    for _ in range(2):
        recording.replay().wait()
    assert np.array_equal(y, np.broadcast_to([222, 20, 222], (4, 3)))


def test_a_link_does_everything_once(queue):
    wait = "void wait(global int *y) { *y += 10; barrier(CLK_GLOBAL_MEM_FENCE); *y += 100; }"
    run = """
    void wait(global int *y);
    kernel void run(global int *y)
    {
        int i = get_global_id(1) * get_global_size(0) + get_global_id(0);
        y[i] += 1;
        if (get_group_id(0) != 1)
            wait(y + i);
    }"""
    y = np.zeros((4, 3), np.int32)
    parts = [sycl.compile(sycl.KernelBundle(text, queue.context)) for text in (wait, run)]
    queue.parallel_for(sycl.NdRange((4, 3), (4, 1)), sycl.link(parts).get_kernel("run"), y)
    assert np.array_equal(y, np.broadcast_to([111, 1, 111], (4, 3)))


def test_what_has_no_text_is_refused_where_it_would_be_wrong(queue):
    """A binary: nobody knows whether it has barriers. Wider groups are fine, and those of a plain range are chosen so."""
    bundle = sycl.get_kernel_bundle(
        queue.context, "kernel void add(global int *y) { atomic_inc(y + get_global_id(1)); }"
    )
    add = sycl.build(sycl.opencl.create_bundle_with_binary(queue.context, bundle.binary())).get_kernel("add")
    y = np.zeros(4, np.int32)
    queue.parallel_for(sycl.NdRange((1, 4), (1, 4)), add, y)
    queue.parallel_for(sycl.NdRange((4, 1), (1, 1)), add, y)
    if queue.device._facts["repeats_first"]:
        with pytest.raises(sycl.SyclError, match="one item wide in the last dimension"):
            queue.parallel_for(sycl.NdRange((4, 1), (4, 1)), add, y)
    assert y.tolist() == [5, 1, 1, 1]
    queue.parallel_for((4, 1), add, y)
    assert y.tolist() == [6, 2, 2, 2]
    queue.parallel_for((2, 3), add, y)
    assert y.tolist() == [9, 5, 2, 2]
