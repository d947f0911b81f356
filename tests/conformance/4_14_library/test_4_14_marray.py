"""Marray on the host: operators with truth values of bool, any number of elements; and as kernels see it. SYCL 2020, 4.14.3."""

import operator
import pickle

import numpy as np
import pytest

import pysycl as sycl

TYPES = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "long": "i8", "ulong": "u8",
    "half": "f2", "float": "f4", "double": "f8", "bool": "?",
}  # fmt: skip
INTEGER_ONLY = {
    "%": operator.mod, "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift,
    ">>": operator.rshift,
}  # fmt: skip
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


def values_of(m):
    return [each.item() for each in m]


@pytest.mark.spec("D364")
def test_arrays_and_values_lie_as_plain_arrays_do(queue):
    """bool is a byte there, and half is stored on every device."""
    lines, arguments = [], {}
    kinds = [word for word in TYPES if word != "half" and (word != "double" or queue.device.has("fp64"))]
    for k, word in enumerate(kinds):
        cls = sycl.Marray[TYPES[word], 3 + k % 4]
        arguments |= {f"a{k}": np.zeros(2, cls), f"v{k}": cls(*([1, 0, 1, 1, 0, 1][: cls.count]))}
        lines.append(f"for (int k = 0; k < {cls.count}; k++) a{k}[1].s[k] = v{k}.s[{cls.count} - 1 - k];")
        lines.append(f"out[{k}] = sizeof(a{k}[0]) + 1000 * sizeof(v{k}) + 1000000 * ((ulong)&a{k}[1] - (ulong)a{k});")
    out = np.zeros(len(kinds), np.uint64)
    queue.single_task("\n".join(lines), out=out, **arguments)
    for k, word in enumerate(kinds):
        cls = type(arguments[f"v{k}"])
        size = cls.count * np.dtype(TYPES[word]).itemsize
        assert cls.byte_size == size == np.dtype(cls).itemsize
        assert out[k] == size * 1001001, word
        assert arguments[f"a{k}"]["s"].tolist() == [[0] * cls.count, values_of(arguments[f"v{k}"])[::-1]]


@pytest.mark.spec("D364", "D408", "D420")
def test_kernels_have_helpers_by_element(queue):
    """Operators, functions, and group functions whose operators go by element."""
    program = sycl.Program(
        """typedef struct { int s[5]; } five;
        #define LESS_ONE(x) ((x) - 1)
        __kernel void f(__global const five *m, __global five *out, __global const five *given)
        {
            const size_t i = get_global_id(0), n = get_global_size(0);
            five x = m[i];
            out[i] = marray_combine(multiplies, marray_combine(plus, x, given[0]), marray_apply(LESS_ONE, x));
            out[n + i] = group_reduce(work_group, x, marray_plus);
            out[2 * n + i] = group_exclusive_scan(work_group, x, marray_maximum);
            out[3 * n + i] = joint_reduce(work_group, m, m + n, given[0], marray_bit_xor);
            out[4 * n + i].s[0] = marray_size(x);
        }"""
    )
    five, items = sycl.Marray["int32", 5], 7
    m, out = np.zeros(items, five), np.zeros((5, items), five)
    values = np.random.default_rng(0).integers(-99, 99, (items, 5)).astype(np.int32)
    m["s"] = values
    given = np.zeros(1, five)
    given["s"] = [[3, 1, 4, 1, 5]]
    queue.parallel_for(sycl.NdRange(items, items), program.f, m, out.reshape(-1), given)
    found, first = out["s"], given["s"]
    assert np.array_equal(found[0], (values + first) * (values - 1))
    assert np.array_equal(found[1], np.tile(values.sum(0), (items, 1)))
    assert np.array_equal(found[2][0], np.full(5, -(2**31)))
    assert np.array_equal(found[2][1:], np.maximum.accumulate(values)[:-1])
    assert np.array_equal(found[3], np.tile(np.bitwise_xor.reduce(values) ^ first[0], (items, 1)))
    assert (found[4][:, 0] == 5).all()


def test_programs_take_them_as_structs(queue):
    text = (
        "typedef struct { int s[5]; } five;\n"
        "__kernel void f(__global int *out, five m) { for (int k = 0; k < 5; k++) out[k] = m.s[k]; }"
    )
    program, out = sycl.Program(text), np.zeros(5, np.int32)
    queue.single_task(program.f, out, sycl.Marray["int32", 5](1, 2, 3, 4, 5))
    assert out.tolist() == [1, 2, 3, 4, 5]
    with pytest.raises(sycl.KernelArgumentError, match="argument 2, 'm', has 16 bytes, but 'five' has 20"):
        queue.single_task(program.f, out, sycl.mint4())


@pytest.mark.spec("D357", "D363")
def test_classes_and_aliases():
    for word, kind in TYPES.items():
        for count in (2, 3, 4, 8, 16):
            cls = getattr(sycl, f"m{word}{count}")
            assert cls is sycl.Marray[kind, count] and cls.__name__ == f"m{word}{count}"
            assert (cls.element_type, cls.count) == (np.dtype(kind), count)
        for count in (1, 5, 100):
            m = sycl.Marray[kind, count](1)
            assert values_of(m) == [1] * count and m.size == len(m) == count
    assert (float(sycl.Marray["f4", 1](2.5)), int(sycl.Marray["u1", 1](7)), bool(sycl.Marray["?", 1](1))) == (
        2.5,
        7,
        True,
    )
    for count in (0, -1, True, 2.0, None):
        with pytest.raises(sycl.InvalidParameterError) as caught:
            sycl.Marray["float32", count]
        assert str(caught.value) == f"marray: count is {count!r}, but an marray has 1 or more elements"
    with pytest.raises(
        sycl.InvalidParameterError, match="marray: an element is a number as kernels have it, not complex64"
    ):
        sycl.marray_dtype("c8", 2)


@pytest.mark.spec("D358", "D359", "D360")
def test_making_and_elements():
    m = sycl.Marray["int32", 5](1, sycl.mint2(2, 3), [4, 5])
    assert values_of(m) == [1, 2, 3, 4, 5]
    assert values_of(sycl.mint3()) == [0, 0, 0]
    own = type(m)(m)
    own[0] = 9
    own[1:3] = 7
    assert values_of(own) == [9, 7, 7, 4, 5] and values_of(m) == [1, 2, 3, 4, 5]
    assert [int(each) for each in m] == [1, 2, 3, 4, 5] and m[-1] == 5
    assert values_of(m.assign(3)) == [3] * 5
    assert values_of(m.assign(own)) == [9, 7, 7, 4, 5]
    assert (sycl.mfloat3().size, sycl.mfloat3.byte_size) == (3, 12)
    with pytest.raises(sycl.InvalidParameterError) as caught:
        sycl.mint4(1, sycl.mint2())
    assert str(caught.value) == "mint4: takes 4 components, 3 given"
    for missing in ("x", "lo", "s0", "convert"):
        assert not hasattr(m, missing)
        with pytest.raises(AttributeError):
            setattr(m, missing, 1)


@pytest.mark.spec("D361")
def test_operators():
    x, y = sycl.Marray["int16", 5](7, -7, 7, -7, 300), sycl.Marray["int16", 5](2, 2, -2, -2, 300)
    assert values_of(x / y) == [3, -3, -3, 3, 1] and values_of(x % y) == [1, -1, 1, -1, 0]
    assert values_of(x * y)[-1] == 90000 - 65536
    assert values_of(100 - x) == [93, 107, 93, 107, -200] and values_of(x + np.int8(1))[0] == 8
    assert values_of(x >> 1) == [3, -4, 3, -4, 150] and values_of(~x)[0] == -8 and values_of(-x)[1] == 7
    assert values_of((x & 3) | (x ^ 1))[0] == 7 and values_of(1 << sycl.mint2(3, 4)) == [8, 16]
    place = x
    place <<= 1
    assert place is x and values_of(x) == [14, -14, 14, -14, 600]
    assert values_of(x.post_inc())[0] == 14 and values_of(x.dec())[0] == 14
    f = sycl.mfloat2(1, 2)
    assert values_of(1 / f) == [1, 0.5] and values_of(f * f + 0.5) == [1.5, 4.5]
    for sign, call in INTEGER_ONLY.items():
        with pytest.raises(TypeError) as caught:
            call(f, 1)
        assert str(caught.value) == f"mfloat2 {sign} int: only for integers"
    with pytest.raises(TypeError, match="~mfloat2: only for integers"):
        operator.invert(f)
    for other in (sycl.mint2(), sycl.float2(), sycl.mfloat3(), "a"):
        with pytest.raises(TypeError):
            f + other
        with pytest.raises(TypeError):
            other - f


@pytest.mark.spec("D361")
def test_of_bool_they_compute_with_integers():
    a, b = sycl.mbool4(0, 0, 1, 1), sycl.mbool4(0, 1, 0, 1)
    for call in (operator.add, operator.sub, operator.mul, operator.and_, operator.or_, operator.xor, operator.lshift):
        expected = [call(p, q) != 0 for p, q in ((0, 0), (0, 1), (1, 0), (1, 1))]
        assert values_of(call(a, b)) == expected, call
    assert values_of(~a) == [True] * 4  # ~1 is -2
    assert isinstance(a + b, sycl.mbool4)


@pytest.mark.spec("D362")
def test_comparisons_and_logic_give_bool():
    x, y = sycl.mfloat4(1, 2, np.nan, 3), sycl.mfloat4(1, 3, np.nan, 2)
    for call in COMPARISONS:
        found = call(x, y)
        assert isinstance(found, sycl.mbool4)
        assert values_of(found) == [call(p, q) for p, q in zip(values_of(x), values_of(y), strict=True)]
        assert values_of(call(2, x)) == [call(2.0, p) for p in values_of(x)]
    assert all(not values_of(call(x, y))[2] for call in COMPARISONS if call is not operator.ne)
    assert values_of(sycl.mint3(0, 1, 2).logical_and(sycl.mint3(1, 0, 3))) == [False, False, True]
    assert values_of(sycl.mint3(0, 1, 2).logical_or(0)) == [False, True, True]
    assert values_of(sycl.mint3(0, 1, 2).logical_not()) == [True, False, False]


def test_habits():
    m = sycl.Marray["float32", 5](0.5, 1, 2, 3, 4)
    assert repr(m) == "Marray[float32, 5](0.5, 1.0, 2.0, 3.0, 4.0)" and repr(sycl.mbool2(1, 0)) == "mbool2(True, False)"
    again = pickle.loads(pickle.dumps(m))
    assert type(again) is type(m) and values_of(again) == values_of(m)
    np.asarray(m)[0] = 9
    assert m[0] == 9
    with pytest.raises(TypeError, match="unhashable"):
        hash(m)
    with pytest.raises(TypeError, match="has 5 components, and no truth value of its own"):
        bool(m == m)
