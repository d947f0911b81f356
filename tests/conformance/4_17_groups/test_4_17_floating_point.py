"""NaN, infinities and -0.0 in group functions: what comes out, as the table of kernels/README.md has it."""

import functools

import group_kernels as gk
import numpy as np
import pytest

import pysycl as sycl

INF, NAN = np.inf, np.nan
OPERATORS = ("plus", "multiplies", "minimum", "maximum")
CASES = {  # a kernel for each
    what: [f"group_{what}({group}, x, {op})" for group in ("work_group", "sub_group") for op in OPERATORS]
    for what in ("reduce", "inclusive_scan", "exclusive_scan")
}

# In the items of a group -> what group_reduce gives for plus, multiplies, minimum, maximum. Every device gives these: IEEE
# says it of sums and products, whatever their order, and no NaN meets a minimum here.
EVERYWHERE = [
    ([INF, 1.0, 2.0, 3.0], [INF, INF, 1.0, INF]),
    ([-INF, 1.0, 2.0, 3.0], [-INF, -INF, -INF, 3.0]),
    ([1.0, INF, -INF, 2.0], [NAN, -INF, -INF, INF]),
    ([INF, INF, INF, INF], [INF, INF, INF, INF]),
    ([0.0, INF, 1.0, 1.0], [INF, NAN, 0.0, INF]),
    ([-1.0, 0.0, 3.0, 2.0], [4.0, -0.0, -1.0, 3.0]),
    ([-0.0, -0.0, -0.0, -0.0], [-0.0, 0.0, -0.0, -0.0]),
]
# Of minimum and maximum with a NaN, and with zeros of both signs: where the library's own operator decides. A NaN that comes
# first stays, any other is passed over; of equal values the first stays.
IN_ORDER = [
    ([NAN, 1.0, 2.0, 3.0], [NAN, NAN]),
    ([1.0, NAN, 2.0, 0.5], [0.5, 2.0]),
    ([1.0, 2.0, 3.0, NAN], [1.0, 3.0]),
    ([NAN, NAN, NAN, NAN], [NAN, NAN]),
    ([0.0, -0.0, 0.0, -0.0], [0.0, 0.0]),
    ([-0.0, 0.0, 0.0, -0.0], [-0.0, -0.0]),
    ([INF, NAN, -INF, 1.0], [-INF, INF]),
]


def same(found, expected):
    """The very number, a NaN, or a zero of the same sign."""
    found, expected = np.asarray(found, "f8"), np.asarray(expected, "f8")
    return (np.isnan(found) & np.isnan(expected)) | ((found == expected) & (np.signbit(found) == np.signbit(expected)))


def results(device, queue, kind, rows, functions=tuple(CASES)):
    """By options: case -> rows x items."""
    gk.needs(device, kind)
    data = np.array([values for values, _ in rows], kind)
    for options in gk.ways(device):
        out = {}
        for cases in map(CASES.get, functions):
            program = program_of(tuple(cases), kind, tuple(options))
            out |= zip(cases, gk.launch(queue, program, data.ravel(), len(cases), (4,), len(rows)), strict=True)
        yield options, out


@functools.cache
def program_of(cases, kind, options):
    """All tests take the same: compilers take their time over many calls."""
    return sycl.Program(gk.kernel_of(cases, kind), list(options))


def whole(device, options, group):
    """The library's own operators decide: none of the device's functions do."""
    return device._facts["groups"] == 3 or ("-DSYC_SUB_GROUP_KIND=3" in options and group == "sub_group")


@pytest.mark.spec("D406", "D426")
@pytest.mark.parametrize("kind", ["f2", "f4", "f8"])
def test_what_every_device_gives(device, queue, kind):
    for options, out in results(device, queue, kind, EVERYWHERE, ("reduce",)):
        for at, (values, expected) in enumerate(EVERYWHERE):
            for op, value in zip(OPERATORS, expected, strict=True):
                for group in ("work_group", "sub_group"):
                    found = out[f"group_reduce({group}, x, {op})"][at]
                    # a sum may begin with the identity, 0.0, which takes the sign of a zero
                    right = found == 0 if op == "plus" and value == 0 else same(found, value)
                    assert right.all(), (options, group, op, values, found)
                    assert same(found[1:], found[0]).all()


@pytest.mark.spec("D406", "D426", "D427", "D428")
def test_minimum_and_maximum_in_the_order_of_the_items(device, queue):
    for options, out in results(device, queue, "f4", IN_ORDER):
        for at, (values, expected) in enumerate(IN_ORDER):
            for op, value in zip(("minimum", "maximum"), expected, strict=True):
                for group in ("work_group", "sub_group"):
                    found = {what: out[f"group_{what}({group}, x, {op})"][at]
                             for what in ("reduce", "inclusive_scan", "exclusive_scan")}  # fmt: skip
                    if not whole(device, options, group):  # the device's own: a value or the identity, in every item
                        assert same(found["reduce"], found["reduce"][0]).all()
                        assert np.isnan(found["reduce"][0]) or found["reduce"][0] in (*values, INF, -INF)
                        continue
                    one, running, start = expected_of(op, np.array(values))
                    assert same(one, value)
                    assert same(found["reduce"], one).all(), (options, group, op, values)
                    assert same(found["inclusive_scan"], running).all(), (options, group, op, values)
                    assert same(found["exclusive_scan"], start).all(), (options, group, op, values)


def expected_of(op, values):
    """`b < a ? b : a` and `a < b ? b : a`, from the first item on; the exclusive scan starts at the identity, and with a
    NaN behind it that stays, until something less or greater comes."""
    identity = INF if op == "minimum" else -INF

    def run(a, rest):
        out = [a]
        for b in rest:
            a = b if (b < a if op == "minimum" else a < b) else a
            out.append(a)
        return out

    running = run(values[0], values[1:])
    return running[-1], running, run(identity, values[:-1])


@pytest.mark.spec("D406")
def test_nans_in_sums_and_products_reach_all_that_come_after(device, queue):
    rows = [([1.0, NAN, 2.0, 3.0], None), ([NAN, 1.0, 2.0, 3.0], None), ([INF, -INF, 1.0, 1.0], None)]
    for _, out in results(device, queue, "f4", rows):
        for group in ("work_group", "sub_group"):
            for op in ("plus", "multiplies"):
                scans = [
                    out[f"group_{what}({group}, x, {op})"] for what in ("reduce", "inclusive_scan", "exclusive_scan")
                ]
                assert np.isnan(scans[0][:2]).all()
                assert np.isnan(scans[1][0]).tolist() == [False, True, True, True]
                assert np.isnan(scans[1][1]).all()
                assert np.isnan(scans[2][0]).tolist() == [False, False, True, True]
                assert np.isnan(scans[2][1]).tolist() == [False, True, True, True]
            assert np.isnan(out[f"group_reduce({group}, x, plus)"][2]).all()
            assert (out[f"group_reduce({group}, x, multiplies)"][2] == -INF).all()
