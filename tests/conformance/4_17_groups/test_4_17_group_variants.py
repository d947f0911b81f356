"""Kernels of group functions that are drawn at random (group_variants.py), against NumPy; and values that no slot holds.

PYSYCL_GROUP_VARIANTS says how many kernels (default 3), PYSYCL_RANDOM_SEED from which seed on; both are printed.
"""

import os
import random

import group_kernels as gk
import group_reference as reference
import group_variants
import numpy as np
import pytest

import pysycl as sycl

COUNT = int(os.environ.get("PYSYCL_GROUP_VARIANTS", "3"))
SEED = int(os.environ.get("PYSYCL_RANDOM_SEED", random.randrange(2**32)))


@pytest.mark.timeout(300 + 10 * COUNT)
@pytest.mark.spec("D403", "D406", "D407", "D408", "D410", "D411", "D412", "D413", "D414", "D415", "D416")
@pytest.mark.spec("D418", "D420")
@pytest.mark.spec("D422", "D423", "D424", "D425", "D426", "D427", "D428", "D429", "D431")
@pytest.mark.spec("D022", "D023", "D367")
def test_random_variants(queue, capsys):
    with capsys.disabled():
        print(f" [PYSYCL_RANDOM_SEED={SEED}, {COUNT} kernels] ", end="", flush=True)
    for n in range(COUNT):
        group_variants.check(queue, SEED + n, group_variants.How(gk.is_slow(queue.device)))


@pytest.mark.parametrize("wrong", ["scan", "reduce", "bound"])
def test_a_wrong_reference_is_noticed(queue, monkeypatch, wrong):
    """The comparison can fail: exclusive for inclusive, a value left out, floats that are off by less than a rounding."""
    scan, reduce, inclusive = reference.scan, reference.reduce, reference.inclusive
    if wrong == "scan":
        monkeypatch.setattr(reference, "scan", lambda op, v, init, includes: scan(op, v, init, not includes))
    elif wrong == "reduce":
        monkeypatch.setattr(reference, "reduce", lambda op, v, init: reduce(op, v, None))
    else:
        monkeypatch.setattr(reference, "inclusive", lambda op, v: (inclusive(op, v)[0] * 1.1, inclusive(op, v)[1]))

    def check_some():
        for seed in range(12):
            group_variants.check(queue, seed, group_variants.How(small=True))

    with pytest.raises(AssertionError, match="variant seed"):
        check_some()


def test_the_variants_are_of_all_kinds(device):
    """What the seeds bring: every function, rank, form, type and operator."""
    made = [group_variants.Variant(seed, device, build=False) for seed in range(1600)]
    texts = [one.text() for one in made]
    assert {one.rank for one in made} == {1, 2, 3}
    functions = ["broadcast", "any_of", "all_of", "none_of", "reduce", "inclusive_scan", "exclusive_scan", "leader"]
    words = [f"group_{name}({group}" for name in functions for group in ("work_group", "sub_group")]
    words += ["shift_group_left", "shift_group_right", "permute_group_by_xor", "select_from_group", "group_barrier("]
    words += [
        f"joint_{name}(" for name in ("reduce", "inclusive_scan", "exclusive_scan", "any_of", "all_of", "none_of")
    ]
    words += [f", {op}" for op in (*gk.OPERATORS, "chain")]
    words += ["helper", "static uint of", "turn < turns", "group_linear_id % 2 == 0", "__local", "bool v", "long8 v"]
    words += [f"{gk.C_TYPES[kind]} v" for kind in gk.C_TYPES if group_variants.has(device, kind)]
    for word in words:
        assert sum(word in text for text in texts) > 2, word
    assert sum(one.whole for one in made) > 100 and sum(not one.whole for one in made) > 100


# Each once with a width that needs several slots, and one that a driver has been seen to get wrong.
@pytest.mark.spec("D420", "D426", "D427", "D428")
@pytest.mark.parametrize("kind", ["double3", "uint16"])
def test_values_larger_than_a_slot(device, queue, kind):
    scalar, width = kind.rstrip("0123456789"), int(kind.lstrip("doubleint"))
    if scalar == "double" and not device.has("fp64"):
        pytest.skip("the device has no double")
    pitch, dtype = 4 if width == 3 else width, np.dtype("f8" if scalar == "double" else "u4")
    program = sycl.Program(f"""
    kernel void run(global const {scalar} *x, global {scalar} *out)
    {{
        size_t i = get_global_id(0), total = get_global_size(0);
        {kind} v = vload{width}(i, x);
        vstore{width}(group_reduce(work_group, v, plus), i, out);
        vstore{width}(group_inclusive_scan(work_group, v, plus), total + i, out);
        vstore{width}(group_exclusive_scan(sub_group, v, plus), 2 * total + i, out);
        vstore{width}(group_broadcast(work_group, v, 1), 3 * total + i, out);
        vstore{width}(select_from_group(sub_group, v, sub_group_size() - 1 - sub_group_local_id()), 4 * total + i, out);
    }}
    """)
    x = np.random.default_rng(pitch).integers(0, 100, (2, 4, width)).astype(dtype)
    out = np.zeros((5, 2, 4, width), dtype)
    queue.parallel_for(sycl.NdRange((8,), (4,)), program.run, x, out)
    sums = x.cumsum(1, dtype)
    assert np.array_equal(out[0], np.repeat(sums[:, -1:], 4, 1))
    assert np.array_equal(out[1], sums)
    assert np.array_equal(out[2], sums - x)
    assert np.array_equal(out[3], np.repeat(x[:, 1:2], 4, 1))
    assert np.array_equal(out[4], x[:, ::-1])


@pytest.mark.spec("D425")
def test_votes_take_conditions_of_any_type(device, queue):
    cases = [
        f"group_any_of({g}, {x}) + 2 * group_all_of({g}, {x}) + 4 * group_none_of({g}, {x})"
        for g in ("work_group", "sub_group")
        for x in ("0.25f * x", "(long)x << 40", "(char)(x ? 128 : 0)", "x != 0")
    ]
    program = sycl.Program(gk.kernel_of(cases, "i4"))
    for data, answer in (([0, 0, 0], 4), ([0, 1, 0], 1), ([1, 1, 1], 3)):
        out = gk.launch(queue, program, np.array(data * 2, np.int32), len(cases), (3,))
        assert (out == answer).all(), (data, out[:, 0, 0])
