"""Function objects, their identities, BinaryOp, and the tokens of groups, on the host. SYCL 2020, 4.17.2 and 4.9.2.1."""

import copy
import math
import pickle

import numpy as np
import pytest

import pysycl as sycl

OBJECTS = {
    "plus": lambda x, y: x + y, "multiplies": lambda x, y: x * y, "bit_and": lambda x, y: x & y,
    "bit_or": lambda x, y: x | y, "bit_xor": lambda x, y: x ^ y, "logical_and": lambda x, y: x != 0 and y != 0,
    "logical_or": lambda x, y: x != 0 or y != 0, "minimum": min, "maximum": max,
}  # fmt: skip
INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
FLOATS = ["f2", "f4", "f8"]


@pytest.mark.spec("D403", "D406")
@pytest.mark.parametrize("name", OBJECTS)
def test_on_numbers_arrays_and_values(name):
    op, call = getattr(sycl, name), OBJECTS[name]
    x, y = [0, 1, 2, 7, 5], [3, 0, 2, 4, 5]
    expected = [call(p, q) for p, q in zip(x, y, strict=True)]
    assert [op(p, q) for p, q in zip(x, y, strict=True)] == expected
    assert op() is op
    for kind in INTEGERS:
        found = op(np.array(x, kind), np.array(y, kind))
        assert found.tolist() == expected
        assert found.dtype == (bool if name.startswith("logical") else kind)
        assert op(np.array(x, kind), 2).tolist() == [call(p, 2) for p in x]
        one = op(np.dtype(kind).type(7), np.dtype(kind).type(4))
        assert one == call(7, 4) and one.shape == ()
    m = op(sycl.Marray["int32", 5](x), sycl.Marray["int32", 5](y))
    assert [each.item() for each in m] == expected
    v = op(2, sycl.int2(3, 2))
    signed = -1 if name.startswith("logical") else 1
    assert [each.item() for each in v] == [signed * call(2, 3), signed * call(2, 2)]


@pytest.mark.spec("D403")
def test_of_floating_point():
    assert sycl.plus(0.5, 1) == 1.5 and sycl.multiplies(np.float32(0.5), 3).dtype == np.float32
    for op in (sycl.bit_and, sycl.bit_or, sycl.bit_xor):
        with pytest.raises(TypeError):
            op(1.0, 2)
        with pytest.raises(TypeError):
            op(np.zeros(2), np.zeros(2))


@pytest.mark.spec("D406")
def test_minimum_and_maximum_keep_one_of_their_arguments():
    """The first where they are equal or one is a NaN: as the definition of min and max has it."""
    values = [0.0, -0.0, 1.5, -math.inf, math.nan]
    for op, beats in ((sycl.minimum, lambda y, x: y < x), (sycl.maximum, lambda y, x: y > x)):
        for x in values:
            for y in values:
                expected = y if beats(y, x) else x
                for kind in (float, np.float16, np.float32, lambda v: np.array([v])):
                    found = float(np.asarray(op(kind(x), kind(y))).ravel()[0])
                    assert math.copysign(1, found) == math.copysign(1, expected)
                    assert found == expected or (math.isnan(found) and math.isnan(expected))


@pytest.mark.spec("D404")
def test_typed_ones():
    op = sycl.plus[np.uint8]
    assert (op(250, 10), op(250, 10).dtype, op.dtype) == (4, np.uint8, np.uint8)
    assert sycl.plus["float32"](0.1, 0.2) == np.float32(0.1) + np.float32(0.2)
    assert sycl.plus[float](1, 2).dtype == np.float64
    assert sycl.logical_and["int32"](5, 6) == 1 and sycl.logical_and["int32"](5, 6).dtype == np.int32
    assert sycl.maximum["i4"](np.arange(3.5), 1).tolist() == [1, 1, 2, 3]
    assert op == sycl.plus["u1"] and hash(op) == hash(sycl.plus["u1"]) and op != sycl.plus and op != sycl.plus["i1"]
    assert repr(sycl.plus) == "plus" and repr(op) == "plus[uint8]"
    assert pickle.loads(pickle.dumps(op)) == op and pickle.loads(pickle.dumps(sycl.minimum)) is sycl.minimum
    with pytest.raises(sycl.InvalidParameterError, match="plus\\[uint8\\] has its type already"):
        op["i4"]
    with pytest.raises(sycl.InvalidParameterError, match="plus\\[complex64\\]: a function object is of numbers"):
        sycl.plus["c8"]
    with pytest.raises(sycl.InvalidParameterError, match="plus takes 2 arguments, 1 given"):
        sycl.plus(1)
    with pytest.raises(AttributeError, match="plus cannot be changed"):
        sycl.plus.name = "minus"


@pytest.mark.spec("D405")
def test_they_are_recognised():
    for name in OBJECTS:
        assert sycl.is_native_function_object(getattr(sycl, name))
        assert sycl.is_native_function_object(getattr(sycl, name)["i4"])
    for other in (min, np.add, "plus", sycl.BinaryOp("a + b"), sycl.FunctionObject):
        assert not sycl.is_native_function_object(other)


# -- identities --


def known():
    for kind in [*INTEGERS, *FLOATS, "?"]:
        dtype = np.dtype(kind)
        least, greatest = (-np.inf, np.inf) if dtype.kind == "f" else (0, 1)
        if dtype.kind in "iu":
            least, greatest = np.iinfo(dtype).min, np.iinfo(dtype).max
        table = {"plus": 0, "multiplies": 1, "minimum": greatest, "maximum": least}
        if dtype.kind != "f":
            ones = 1 if dtype.kind == "b" else -1 if dtype.kind == "i" else greatest
            table |= {"bit_and": ones, "bit_or": 0, "bit_xor": 0}
        if dtype.kind == "b":
            table |= {"logical_and": 1, "logical_or": 0}
        yield dtype, table


@pytest.mark.spec("D040", "D052", "D053", "D054", "D055", "D056", "D057", "D058", "D059")
@pytest.mark.parametrize(("dtype", "table"), list(known()), ids=lambda value: str(value)[:8])
def test_identities(dtype, table):
    """Which are known, what they are, and that they change nothing."""
    values = np.array([0, 1] if dtype.kind == "b" else [0, 1, 5, 100], dtype)
    for name in OBJECTS:
        op = getattr(sycl, name)
        assert sycl.has_known_identity(op, dtype) == (name in table)
        if name not in table:
            with pytest.raises(sycl.InvalidParameterError) as caught:
                sycl.known_identity(op, dtype)
            assert str(caught.value) == f"no identity of {name} is known for {dtype}"
            continue
        identity = sycl.known_identity(op, dtype)
        assert identity == table[name] and identity.dtype == dtype
        assert sycl.known_identity(op[dtype]) == identity and sycl.has_known_identity(op[dtype])
        assert np.array_equal(op(identity, values), values) and np.array_equal(op(values, identity), values)


def test_identities_of_nothing():
    for kind in ("c8", [("a", "i4")], "f16", sycl.float4):
        assert not sycl.has_known_identity(sycl.plus, kind)
    with pytest.raises(sycl.InvalidParameterError, match="the identity of plus depends on the type, and none is given"):
        sycl.known_identity(sycl.plus)
    with pytest.raises(sycl.InvalidParameterError, match="op: expected a function object such as plus, or a BinaryOp"):
        sycl.has_known_identity(min, "i4")
    assert sycl.known_identity(sycl.BinaryOp("a + b", 0)) == 0
    assert sycl.known_identity(sycl.BinaryOp("a + b", 0), "f4").dtype == np.float32
    with pytest.raises(sycl.InvalidParameterError, match="no identity of BinaryOp\\('a \\+ b'\\) is known"):
        sycl.known_identity(sycl.BinaryOp("a + b"))


# -- operators of one's own --


def test_binary_op():
    op = sycl.BinaryOp(" a.key < b.key ? a : b ", name="least")
    assert (op.expression, op.identity, op.name) == ("a.key < b.key ? a : b", None, "least")
    assert repr(op) == "BinaryOp('a.key < b.key ? a : b', name='least')"
    same = sycl.BinaryOp("a.key < b.key ? a : b", name="least")
    assert op == same and hash(op) == hash(same) and op is not same
    nameless = [sycl.BinaryOp("a + b"), sycl.BinaryOp("a + b", identity=0), sycl.BinaryOp("b + a")]
    assert len({op, *nameless}) == 4 and repr(nameless[1]) == "BinaryOp('a + b', identity=0)"
    assert nameless[0].name == nameless[1].name != nameless[2].name
    assert nameless[0].name.isidentifier()
    for each in (op, *nameless):
        assert pickle.loads(pickle.dumps(each)) == copy.deepcopy(each) == each
    for attribute in ("name", "expression", "other"):
        with pytest.raises(AttributeError, match="a BinaryOp cannot be changed"):
            setattr(op, attribute, "x")
    with pytest.raises(AttributeError, match="a BinaryOp cannot be changed"):
        del op.name
    identity = np.zeros(1, [("key", "i4")])
    held = sycl.BinaryOp("a.key < b.key ? a : b", identity[0])
    identity["key"] = 5
    assert held.identity["key"] == 0
    with pytest.raises(ValueError, match="read-only|assignment destination"):
        held.identity["key"] = 1
    for text in ("(T){a.x + b.x, a.y * b.y}", "max(a, b)", "a[0] + b[0]", "a\n+\nb", "other.a + a * b"):
        assert sycl.BinaryOp(text).expression == text


@pytest.mark.parametrize(("text", "words"), [
    ("a + 1", "expression 'a + 1': it does not mention b; the operands are a and b"),
    ("x.a + b", "expression 'x.a + b': it does not mention a; the operands are a and b"),
    ("aa + b", "expression 'aa + b': it does not mention a; the operands are a and b"),
    ("", "expression '': it does not mention a; the operands are a and b"),
    ("a + b;", "expression 'a + b;': an operator is one expression, without statements"),
    ("({ int c = a; c + b; })", "expression '({ int c = a; c + b; })': an operator is one expression, without statements"),
    ("(a + b", "expression '(a + b': a '(' is never closed"),
    ("a + b)", "expression 'a + b)': a ')' closes nothing"),
    ("(a + b]", "expression '(a + b]': a ']' closes nothing"),
    ("a + b // c", "expression 'a + b // c': an operator has no comments"),
    ("a /* */ + b", "expression 'a /* */ + b': an operator has no comments"),
    ("#define a b", "expression '#define a b': an operator has no directives"),
    ('a + b + "x"', "expression 'a + b + \"x\"': an operator has no strings"),
    ("a + b\\", "expression 'a + b\\\\': an operator has no backslashes"),
    ("a + b\0", "expression 'a + b\\x00': a NUL character stands in it"),
    (None, "expression: expected text such as 'a + b', got None"),
])  # fmt: skip
def test_expressions_that_are_none(text, words):
    with pytest.raises(sycl.InvalidParameterError) as caught:
        sycl.BinaryOp(text)
    assert str(caught.value).splitlines()[0] == words


@pytest.mark.parametrize(("name", "words"), [
    ("2x", "name: expected a C identifier, got '2x'"),
    ("", "name: expected a C identifier, got ''"),
    (3, "name: expected a C identifier, got 3"),
    ("float4", "name: 'float4' is a word of OpenCL C"),
    ("while", "name: 'while' is a word of OpenCL C"),
])  # fmt: skip
def test_names_that_are_none(name, words):
    with pytest.raises(sycl.InvalidParameterError) as caught:
        sycl.BinaryOp("a + b", name=name)
    assert str(caught.value) == words


def test_an_identity_is_one_value():
    with pytest.raises(
        sycl.InvalidParameterError, match="identity: expected one value, got an array of shape \\(3,\\)"
    ):
        sycl.BinaryOp("a + b", np.zeros(3))


# -- groups --


@pytest.mark.spec("D017")
def test_groups():
    for group in (sycl.work_group, sycl.sub_group, sycl.Group, sycl.SubGroup):
        assert sycl.is_group(group)
    for other in (None, 3, "work_group", sycl.Range(3), sycl.NdRange, sycl.MemoryScope.work_group, object):
        assert not sycl.is_group(other)
    assert repr(sycl.work_group) == "work_group" and repr(sycl.sub_group) == "sub_group"
    assert pickle.loads(pickle.dumps(sycl.sub_group)) is copy.copy(sycl.sub_group) is sycl.sub_group
