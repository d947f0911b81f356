"""Ranges, ids and nd-ranges: SYCL 2020, 4.9.1, and how kernels see them."""

import copy
import itertools
import operator
import pickle
import re

import numpy as np
import pytest

import pysycl as sycl

EXTENTS = [sycl.Range, sycl.Id]
OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "/": operator.floordiv,
    "%": operator.mod, "<<": operator.lshift, ">>": operator.rshift, "&": operator.and_, "|": operator.or_,
    "^": operator.xor, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip
IN_PLACE = {
    "+": operator.iadd, "-": operator.isub, "*": operator.imul, "//": operator.ifloordiv, "/": operator.itruediv,
    "%": operator.imod, "<<": operator.ilshift, ">>": operator.irshift, "&": operator.iand, "|": operator.ior,
    "^": operator.ixor,
}  # fmt: skip
SPELLED = {**OPERATORS, "/": operator.truediv}

PROGRAM = sycl.Program("""
ulong row_major(void)
{
    return ((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) - get_global_offset(1))
        * get_global_size(0) + get_global_id(0) - get_global_offset(0);
}
/* Per work-item: dimensions, then id, range, local id, local range, group id, group count and offset. */
__kernel void describe(__global ulong *out)
{
    __global ulong *row = out + 22 * row_major();
    row[0] = get_work_dim();
    for (uint d = 0; d < 3; d++) {
        row[1 + d] = get_global_id(d);
        row[4 + d] = get_global_size(d);
        row[7 + d] = get_local_id(d);
        row[10 + d] = get_local_size(d);
        row[13 + d] = get_group_id(d);
        row[16 + d] = get_num_groups(d);
        row[19 + d] = get_global_offset(d);
    }
}
""")


def described(queue, where):
    whole = where.global_range if isinstance(where, sycl.NdRange) else where
    out = np.zeros((*whole, 22), np.uint64)
    queue.parallel_for(where, PROGRAM.describe, out)
    names = ["id", "range", "local_id", "local_range", "group", "group_range", "offset"]
    # OpenCL's dimension 0 is SYCL's last.
    parts = {name: out[..., 1 + 3 * k : 1 + 3 * k + len(whole)][..., ::-1] for k, name in enumerate(names)}
    return {"dimensions": out[..., 0], **parts}


@pytest.mark.spec("D080", "D095")
@pytest.mark.parametrize("cls", EXTENTS)
def test_one_to_three_dimensions_and_nothing_else(cls):
    assert [cls(5).dimensions, cls(5, 6).dimensions, cls(5, 6, 7).dimensions] == [1, 2, 3]
    assert tuple(cls(5, 6, 7)) == (5, 6, 7) == tuple(cls((5, 6, 7))) == tuple(cls([5, 6, 7]))
    assert sycl.Id() == sycl.Id(0)
    with pytest.raises(sycl.NdRangeError, match="expected 1 to 3 dimensions, got 4"):
        cls(1, 2, 3, 4)
    with pytest.raises(sycl.NdRangeError, match="expected 1 to 3 dimensions, got 0"):
        cls(())
    with pytest.raises(sycl.NdRangeError, match="expected whole numbers, got"):
        cls(1.5)
    with pytest.raises(sycl.NdRangeError, match=r"-2 in .* is negative; sizes start at 0"):
        cls(3, -2)


@pytest.mark.spec("D096")
def test_an_id_of_a_range():
    assert sycl.Id(sycl.Range(4, 5)) == sycl.Id(4, 5)


@pytest.mark.spec("D082")
@pytest.mark.parametrize(("sizes", "product"), [((7,), 7), ((7, 11), 77), ((7, 11, 13), 1001), ((7, 0), 0)])
def test_the_size_of_a_range_is_the_product(sizes, product):
    assert sycl.Range(*sizes).size() == product


@pytest.mark.spec("D081", "D097")
@pytest.mark.parametrize("cls", EXTENTS)
def test_one_dimension_is_read_and_replaced(cls):
    old = a = cls(4, 5, 6)
    assert [a.get(d) for d in range(3)] == [a[d] for d in range(3)] == [4, 5, 6]
    a = a.replace(1, 50)
    assert (a, type(a)) == (cls(4, 50, 6), cls)
    assert old == cls(4, 5, 6)  # a value: what others hold does not change
    assert {old: 1}[cls(4, 5, 6)] == 1
    with pytest.raises(TypeError) as caught:
        a[2] = 7
    assert str(caught.value) == f"a {cls.__name__} does not change; write r = r.replace(2, 7) for r[...] = ..."
    with pytest.raises(sycl.NdRangeError, match="-1 in .* is negative"):
        a.replace(0, -1)
    for wrong in (a.get, a.__getitem__, lambda d: a.replace(d, 1)):
        with pytest.raises(IndexError):
            wrong(3)


@pytest.mark.spec("D083", "D085", "D086", "D099")
@pytest.mark.parametrize("cls", EXTENTS)
@pytest.mark.parametrize("sign", SPELLED)
def test_operators_work_dimension_by_dimension(cls, sign):
    spelled, plain = SPELLED[sign], OPERATORS[sign]
    a, b = (29, 5, 8), (3, 5, 20)
    if sign == "-":
        b = (3, 5, 2)
    for left, right in itertools.product((cls(*a), 64, np.int64(64), a), (cls(*b), 2, np.uint8(2), b)):
        if cls not in (type(left), type(right)):
            continue
        each = zip(*(x if isinstance(x, tuple) else (int(x),) * 3 for x in (left, right)), strict=True)
        result = spelled(left, right)
        assert result == cls(*(int(plain(x, y)) for x, y in each)), (left, right)
        assert type(result) is cls
        assert {type(value) for value in result} == {int}
        if sign in IN_PLACE and type(left) is cls:
            assert IN_PLACE[sign](left, right) == result


@pytest.mark.spec("D084")
@pytest.mark.parametrize("cls", EXTENTS)
def test_comparisons_are_numbers_and_no_truth(cls):
    assert tuple(cls(1, 2, 3) < cls(3, 2, 1)) == (1, 0, 0)
    assert tuple(cls(1, 2, 3) <= 2) == (1, 1, 0)
    assert tuple(operator.le(2, cls(1, 2, 3))) == (0, 1, 1)
    assert (cls(1, 2, 3) < 9) * 5 == cls(5, 5, 5)
    assert all(cls(1, 2) < 9)
    assert not any(cls(1, 2) > 9)
    message = f"{cls.__name__}(1, 0) is neither true nor false as a whole; ask all() or any() of it"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        sorted([cls(2, 1), cls(1, 2)])
    assert max(cls(3), cls(4)) == cls(4)  # of one dimension, as with numbers


@pytest.mark.spec("D087")
@pytest.mark.parametrize("cls", EXTENTS)
def test_logical_operators_are_methods(cls):
    a, b = cls(0, 0, 7), cls(0, 9, 2)
    assert (a.logical_and(b), type(a.logical_and(b))) == (cls(0, 0, 1), cls)
    assert (a.logical_or(b), type(a.logical_or(b))) == (cls(0, 1, 1), cls)
    assert (a.logical_and(2), a.logical_and(0)) == (cls(0, 0, 1), cls(0, 0, 0))
    assert (a.logical_or(2), a.logical_or(0)) == (cls(1, 1, 1), cls(0, 0, 1))


@pytest.mark.spec("D088")
def test_division_truncates_and_what_is_no_size_is_refused():
    assert sycl.Range(7, 9) / 2 == sycl.Range(7, 9) // 2 == sycl.Range(3, 4)
    assert 100 / sycl.Range(7, 9) == sycl.Range(14, 11)
    top = (1 << 64) - 1
    assert sycl.Range(top) - top == sycl.Range(0)
    for wrong, message in {
        lambda: sycl.Range(3, 9) - 4: "Range(3, 9) - 4: -1 in (-1, 5) is negative; sizes start at 0",
        lambda: 4 - sycl.Id(5): "4 - Id(5): -1 in (-1,) is negative; sizes start at 0",
        lambda: sycl.Range(7) // 0: "Range(7) // 0: integer division or modulo by zero",
        lambda: sycl.Range(7) << -1: "Range(7) << -1: negative shift count",
        lambda: sycl.Range(1) << 10**15: f"Range(1) << {10**15}: {1 << 64:#x} is more than a size can be ({top:#x})",
        lambda: 2 * sycl.Range(1 << 63): f"2 * Range({1 << 63}): {1 << 64:#x} is more than a size can be ({top:#x})",
        lambda: sycl.Id(1 << 64): f"Id: {1 << 64:#x} is more than a size can be ({top:#x})",
        lambda: sycl.Range(3) + sycl.Id(1, 2): "Range(3) has 1 dimensions, Id(1, 2) has 2",
    }.items():
        with pytest.raises(sycl.NdRangeError) as caught:
            wrong()
        assert str(caught.value) == message
    for nothing in ("a", 1.5, None, [1]):
        with pytest.raises(TypeError):
            sycl.Range(3) + nothing


def test_numpys_arrays_take_ranges_as_shapes():
    assert (np.array([1, 2]) * sycl.Range(2, 3)).tolist() == (sycl.Range(2, 3) * np.array([1, 2])).tolist() == [2, 6]
    assert np.zeros(sycl.Range(2, 3)).shape == (2, 3)
    assert np.prod(sycl.Range(2, 3)) == 6


@pytest.mark.spec("D079", "H138")
@pytest.mark.parametrize("make", [lambda *n: sycl.Range(*n), lambda *n: sycl.Id(*n), lambda *n: sycl.NdRange(n, n, n)])
def test_equality_compares_all_members(make):
    assert make(2, 3) == make(2, 3)
    assert hash(make(2, 3)) == hash(make(2, 3))
    assert make(2, 3) != make(3, 2)
    assert make(2, 3) != make(2, 3, 1)
    for twin in (copy.copy(make(2, 3)), copy.deepcopy(make(2, 3)), pickle.loads(pickle.dumps(make(2, 3)))):
        assert twin == make(2, 3)
        assert type(twin) is type(make(2, 3))


@pytest.mark.spec("D079")
def test_nd_ranges_differ_by_each_of_their_members():
    same = sycl.NdRange((8, 8), (2, 4), (1, 1))
    assert same != sycl.NdRange((8, 16), (2, 4), (1, 1))
    assert same != sycl.NdRange((8, 8), (4, 4), (1, 1))
    assert same != sycl.NdRange((8, 8), (2, 4))


@pytest.mark.spec("D090", "D091")
def test_the_parts_of_an_nd_range():
    plain, moved = sycl.NdRange((8, 12), (2, 3)), sycl.NdRange((8, 12), (2, 3), (1, 5))
    assert (plain.global_range, plain.local_range, plain.offset) == (
        sycl.Range(8, 12), sycl.Range(2, 3), sycl.Id(0, 0),
    )  # fmt: skip
    assert moved.offset == sycl.Id(1, 5)
    assert type(moved.offset) is sycl.Id
    assert moved.dimensions == 2
    assert sycl.NdRange(64, 8).global_range == sycl.Range(64)
    with pytest.raises(sycl.NdRangeError, match=r"local_range \(8,\) has 1 dimensions, global_range has 2"):
        sycl.NdRange((8, 8), 8)
    with pytest.raises(sycl.NdRangeError, match=r"offset \(1, 1\) has 2 dimensions, global_range has 1"):
        sycl.NdRange(8, 8, (1, 1))


@pytest.mark.spec("D092")
def test_the_groups_of_an_nd_range():
    assert sycl.NdRange((8, 12, 5), (2, 3, 5)).group_range == sycl.Range(4, 4, 1)
    with pytest.raises(sycl.NdRangeError, match="has no groups: its local range holds a 0"):
        _ = sycl.NdRange(8, 0).group_range


@pytest.mark.spec("D094")
def test_no_size_of_an_nd_range_may_be_0(queue):
    out = np.zeros((2, 2, 22), np.uint64)
    for d, local in enumerate([(0, 1), (1, 0)]):
        with pytest.raises(sycl.NdRangeError) as caught:
            queue.parallel_for(sycl.NdRange((2, 2), local), PROGRAM.describe, out)
        assert str(caught.value) == (
            f"nd-range of kernel 'describe': global (2, 2), local {local}: "
            f"the local size in dimension {d} is 0; it must be at least 1"
        )
    queue.parallel_for(sycl.NdRange((0, 2), (1, 1)), PROGRAM.describe, out)
    assert not out.any()  # more than SYCL has: no items at all is what an empty array needs


@pytest.mark.spec("H120")
def test_an_int_stands_for_one_dimension(queue):
    assert described(queue, sycl.Range(5))["range"].ravel().tolist() == [5] * 5
    out = np.zeros((5, 22), np.uint64)
    queue.parallel_for(5, PROGRAM.describe, out)
    queue.parallel_for(np.int64(5), PROGRAM.describe, out)
    queue.parallel_for((5,), PROGRAM.describe, out)
    assert out[:, 1].tolist() == list(range(5))


@pytest.mark.spec("D078", "H036", "H038")
@pytest.mark.parametrize("sizes", [(1,), (63,), (257,), (3, 7), (17, 1), (2, 3, 5), (1, 1, 13)])
def test_a_plain_range_gives_every_id_once(queue, sizes):
    seen = described(queue, sycl.Range(*sizes))
    ids = np.stack(np.meshgrid(*map(np.arange, sizes), indexing="ij"), -1)
    assert (seen["id"] == ids).all()
    assert (seen["range"] == sizes).all()
    assert (seen["dimensions"] == len(sizes)).all()
    assert (seen["local_range"] * seen["group_range"] == sizes).all()


@pytest.mark.spec("H036", "H037", "D128")
@pytest.mark.parametrize(
    ("whole", "group", "offset"),
    [((64,), (16,), (0,)), ((64,), (64,), (5,)), ((6, 8), (2, 4), (0, 0)), ((6, 8), (3, 1), (100, 7)),
     ((4, 6, 8), (2, 3, 4), (0, 0, 0)), ((4, 6, 8), (1, 2, 8), (1, 2, 3))],
)  # fmt: skip
def test_a_work_item_knows_its_place(queue, whole, group, offset):
    seen = described(queue, sycl.NdRange(whole, group, offset))
    ids = np.stack(np.meshgrid(*map(np.arange, whole), indexing="ij"), -1)
    assert (seen["id"] == ids + offset).all()
    assert (seen["local_id"] == ids % group).all()
    assert (seen["group"] == ids // group).all()
    assert (seen["local_range"] == group).all()
    assert (seen["group_range"] == np.array(whole) // group).all()
    assert (seen["offset"] == offset).all()


@pytest.mark.spec("D104")
def test_the_offset_of_a_plain_range_is_in_the_id(queue):
    out = np.zeros((5, 22), np.uint64)
    queue.parallel_for(5, PROGRAM.describe, out, offset=1000)
    assert out[:, 1].tolist() == [1000, 1001, 1002, 1003, 1004]


@pytest.mark.spec("D093", "H069")
def test_a_global_range_that_is_no_multiple_is_refused(queue):
    out = np.zeros((8, 9, 22), np.uint64)
    with pytest.raises(sycl.NdRangeError) as caught:
        queue.parallel_for(sycl.NdRange((8, 9), (4, 2)), PROGRAM.describe, out)
    assert str(caught.value) == (
        "nd-range of kernel 'describe': global (8, 9), local (4, 2): "
        "the global size 9 in dimension 1 is not a multiple of the local size 2"
    )
    assert caught.value.code is sycl.Errc.nd_range
    assert isinstance(caught.value, ValueError)
    assert not out.any()
