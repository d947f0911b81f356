"""On NVIDIA devices group functions are the single instructions that PTX has for them: told from the binary, which is PTX."""

import re
from pathlib import Path

import pytest

import pysycl as sycl

SINGLE = {  # what one call must be, and what may not be in its place
    "group_reduce(sub_group, x, plus)": ("redux.sync.add", "shfl"),
    "group_reduce(sub_group, x, minimum)": ("redux.sync.min.s32", "shfl"),
    "group_reduce(sub_group, x, bit_xor)": ("redux.sync.xor", "shfl"),
    "group_broadcast(sub_group, x, 3)": ("shfl.sync.idx", "bar.sync"),
    "shift_group_left(sub_group, x)": ("shfl.sync.down", "bar.sync"),
    "shift_group_right(sub_group, x)": ("shfl.sync.up", "bar.sync"),
    "permute_group_by_xor(sub_group, x, 1)": ("shfl.sync.bfly", "bar.sync"),
    "select_from_group(sub_group, x, x & 31)": ("shfl.sync.idx", "bar.sync"),
    "group_any_of(sub_group, x > 0)": ("vote.sync.any", "shfl"),
    "group_all_of(sub_group, x > 0)": ("vote.sync.all", "shfl"),
    "(group_barrier(sub_group), x)": ("bar.warp.sync", "bar.sync"),
}


def test_calls_are_single_instructions(device, queue):
    if device._facts["sub_groups"] != 2:
        pytest.skip("its sub-groups are no warps")
    for call, (instruction, other) in SINGLE.items():
        text = f"__kernel void run(__global int *data) {{ int x = data[get_global_id(0)]; data[get_global_id(0)] = {call}; }}"
        ptx = sycl.build(sycl.KernelBundle(text, queue.context)).images[0].native_binary.decode(errors="replace")
        if "redux" in instruction and ".target sm_7" in ptx:
            continue  # the instruction came with sm_80
        assert ptx.count(instruction) == 1, (call, ptx)
        assert other not in ptx, (call, ptx)


def test_no_instruction_names_lanes_that_a_warp_may_lack():
    """The last warp of a group may be short, so a mask is what the sub-group has."""
    for path in (Path(__file__).parents[3] / "kernels").rglob("*.clh"):
        for instruction in re.findall(r'"[^"]*\b(?:shfl|vote|redux|match|bar\.warp)\.sync[^;]*;', path.read_text()):
            assert re.search(r"%\d;$", instruction), (path.name, instruction)


def test_masks_are_constants_where_warps_are_whole(device, queue):
    if device._facts["sub_groups"] != 2:
        pytest.skip("its sub-groups are no warps")
    text = "__kernel {} void run(__global int *d) {{ d[get_global_id(0)] = group_any_of(sub_group, d[0] > 0); }}"
    for required, constant in (("sycl_reqd_work_group_size(64)", True), ("", False)):
        bundle = sycl.build(sycl.KernelBundle(text.format(required), queue.context))
        ptx = bundle.images[0].native_binary.decode(errors="replace")
        mask = re.search(r"vote\.sync\.any\.pred\s+\w+, \w+, ([^;]+);", ptx)[1]
        known = re.search(rf"mov\.\w+\s+{re.escape(mask)}, (?:-1|4294967295|0xffffffff);", ptx, re.I) is not None
        assert known == constant, ptx
