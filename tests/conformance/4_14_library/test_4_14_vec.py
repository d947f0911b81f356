"""Vec on the host: making and operators; and that it lies where kernels look for it. SYCL 2020, 4.14.2."""

import itertools
import operator

import numpy as np
import pytest

import pysycl as sycl

COUNTS = (2, 3, 4, 8, 16)
TYPES = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "long": "i8", "ulong": "u8",
    "half": "f2", "float": "f4", "double": "f8",
}  # fmt: skip
INTEGERS = [word for word, kind in TYPES.items() if kind[0] != "f"]
BINARY = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
INTEGER_ONLY = {
    "%": operator.mod, "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift,
    ">>": operator.rshift,
}  # fmt: skip
IN_PLACE = {
    "+": operator.iadd, "-": operator.isub, "*": operator.imul, "/": operator.itruediv, "%": operator.imod,
    "&": operator.iand, "|": operator.ior, "^": operator.ixor, "<<": operator.ilshift, ">>": operator.irshift,
}  # fmt: skip


def vec(word, count):
    return getattr(sycl, f"{word}{count}")


def values_of(v):
    return [each.item() for each in v]


def supported(device):
    return [w for w in TYPES if (w != "half" or device.has("fp16")) and (w != "double" or device.has("fp64"))]


def wrapped(value, kind):
    """A whole number as the bits of the type have it."""
    bits = int(kind[1]) * 8
    value &= 2**bits - 1
    return value - 2**bits if kind[0] == "i" and value >> (bits - 1) else value


def in_c(sign, x, y, kind):
    """What C has for two integers of the type."""
    if sign in "/%":
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        return wrapped(quotient if sign == "/" else x - quotient * y, kind)
    if sign in ("<<", ">>"):
        y %= int(kind[1]) * 8
    return wrapped({**BINARY, **INTEGER_ONLY}[sign](x, y), kind)


def samples(kind, count, rng):
    limits = np.iinfo(kind)
    some = rng.integers(limits.min, limits.max, 2 * count, kind, endpoint=True)
    some[:2] = limits.min, limits.max
    some[count:] = np.where(some[count:] == 0, 1, some[count:])
    return some[:count].tolist(), some[count:].tolist()


# -- on the device --


@pytest.mark.spec("D329", "D355")
def test_arrays_of_all_types_lie_as_on_the_device(queue):
    """Sizes, steps and values as the kernel sees them, and each component where the host has it."""
    every = [(word, count) for word in supported(queue.device) for count in COUNTS]
    arrays, lines = {}, []
    for k, (word, count) in enumerate(every):
        x = np.zeros(3, vec(word, count))
        for n, name in enumerate(x.dtype.names):
            x[name] = np.arange(3) + 3 * n
        arrays[f"a{k}"] = x
        swizzle = "10" if count == 2 else "0123456789ABCDEF"[:count]
        lines.append(f"out[{k}] = sizeof(a{k}[0]);")
        lines.append(f"out[{k} + {len(every)}] = (ulong)&a{k}[2] - (ulong)&a{k}[1];")
        lines.append(f"out[{k} + {2 * len(every)}] = __builtin_offsetof(struct {{ char c; {word}{count} v; }}, v);")
        lines.append(f"a{k}[0] = a{k}[2].s{swizzle};")
    out = np.zeros(3 * len(every), np.uint64)
    queue.single_task("\n".join(lines), out=out, **arrays)
    for k, (word, count) in enumerate(every):
        size = np.dtype(TYPES[word]).itemsize * (4 if count == 3 else count)
        assert out[k :: len(every)].tolist() == [size] * 3, (word, count)
        assert vec(word, count).byte_size == vec(word, count).dtype.itemsize == size
        expected = [2 + 3 * n for n in range(count)]
        assert list(arrays[f"a{k}"][0]) == (expected[::-1] if count == 2 else expected), (word, count)


@pytest.mark.spec("D329", "D350", "D355")
def test_values_are_passed_to_kernels(queue):
    given = {word: vec(word, count) for word, count in zip(supported(queue.device), itertools.cycle(COUNTS))}
    total = sum(each.byte_size for each in given.values())
    assert total < 1000  # what every device takes
    lines, arguments = [], {}
    for k, (word, cls) in enumerate(given.items()):
        arguments[f"v{k}"] = cls(*range(k, k + cls.count))
        arguments[f"o{k}"] = np.zeros(1, cls)
        lines.append(f"o{k}[0] = v{k} + ({word})1;")
    single = sycl.Vec["int32", 1](41)
    arguments["o"] = np.zeros(1, np.int32)
    queue.single_task("\n".join([*lines, "o[0] = one + 1;"]), one=single, **arguments).wait()
    for k, cls in enumerate(given.values()):
        assert list(arguments[f"o{k}"][0]) == list(range(k + 1, k + 1 + cls.count)), cls
    assert arguments["o"].tolist() == [42]


def test_a_value_is_passed_as_it_is_when_the_command_is_made(queue):
    v, out = sycl.float3(1, 2, 3), np.zeros(2, sycl.float3)
    with queue.submit() as h:
        h.single_task("out[0] = v; out[1] = w;", v=v, w=v.zxy, out=out)
        v.x = 9
    h.event.wait()
    assert out.tolist() == [(1, 2, 3), (3, 1, 2)]


def test_programs_take_arrays_and_values_of_their_own_types_only(queue):
    program = sycl.Program("__kernel void scale(__global float4 *x, float4 v) { x[get_global_id(0)] *= v; }")
    x = np.ones(3, sycl.float4)
    queue.parallel_for(3, program.scale, x, sycl.float4(1, 2, 3, 4))
    assert x.tolist() == [(1, 2, 3, 4)] * 3
    for wrong in (sycl.int4, sycl.float3):
        with pytest.raises(sycl.KernelArgumentError) as caught:
            queue.parallel_for(3, program.scale, np.zeros(3, wrong), sycl.float4())
        first = f"scale(): argument 1, 'x', is an array of {wrong.__name__}, not of float4"
        assert str(caught.value).splitlines()[0] == first
    with pytest.raises(sycl.KernelArgumentError, match="'v', is not a sequence of 4 numbers"):
        queue.parallel_for(3, program.scale, x, sycl.float3())


def test_vecs_in_structs_accessors_and_shared_memory(queue):
    item = np.dtype([("n", "u1"), ("at", sycl.float3), ("many", sycl.short2, (2,))])
    x = np.zeros(4, item)
    with sycl.Buffer(np.zeros(4, sycl.int4)) as b:
        with queue.submit() as h:
            body = "x[i].at = (float3)(1, 2, i); x[i].many[1].y = sizeof(x_t); b[i].w = i;"
            h.parallel_for(4, body, x=x, b=h.write(b, no_init=True))
        h.event.wait()
        assert np.asarray(b)["s3"].tolist() == [0, 1, 2, 3]
    assert x["at"]["s2"].tolist() == [0, 1, 2, 3]
    assert (x["many"]["s1"][:, 1] == item.itemsize).all()
    if queue.device.has("usm_shared_allocations"):
        u = sycl.malloc_shared(4, sycl.double2 if queue.device.has("fp64") else sycl.float2, queue)
        queue.parallel_for(4, "u[i].y = i;", u=u).wait()
        assert np.asarray(u)["s1"].tolist() == [0, 1, 2, 3]
        sycl.free(u, queue)


@pytest.mark.spec("D342", "D344", "D345", "D347", "D348")
def test_operators_give_what_the_device_gives(queue):
    """Of the same operands, bit by bit."""
    rng = np.random.default_rng(5)
    arguments, lines, expected = {}, [], {}
    for word in ("char", "ushort", "int", "ulong", "float"):
        cls = vec(word, 8)
        if word == "float":
            x, y = cls(rng.normal(size=8)), cls(0.5, -2, np.inf, np.nan, 0, 3, -0.0, 1)
            y.s7 = x.s7
        else:
            x, y = map(cls, samples(TYPES[word], 8, rng))
            x.s3 = y.s3
        signs = [*BINARY, *INTEGER_ONLY] if word != "float" else ["+", "-", "*"]
        arguments |= {f"x_{word}": x, f"y_{word}": y}
        for k, sign in enumerate([*signs, "==", "!=", "<", "<=", ">", ">="]):
            call = {**BINARY, **INTEGER_ONLY}.get(sign) or {
                "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
                ">=": operator.ge,
            }[sign]  # fmt: skip
            if sign in "/%" and word in ("char", "int"):
                y = cls(*(2 if value == -1 else value for value in y))  # the least by -1 is not defined
            name = f"o_{word}_{k}"
            expected[name] = call(x, y)
            arguments[name] = np.zeros(1, type(expected[name]))
            lines.append(f"{name}[0] = x_{word} {sign} y_{word};")
        arguments[f"y_{word}"] = y
    for word in ("char", "int"):
        for k, sign in enumerate([*BINARY, *INTEGER_ONLY]):
            x, y = arguments[f"x_{word}"], arguments[f"y_{word}"]
            expected[f"o_{word}_{k}"] = {**BINARY, **INTEGER_ONLY}[sign](x, y)
    for k, call in enumerate([operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge], 10):
        for word in ("char", "int"):
            expected[f"o_{word}_{k}"] = call(arguments[f"x_{word}"], arguments[f"y_{word}"])
    queue.single_task("\n".join(lines), **arguments).wait()
    for name, value in expected.items():
        got = arguments[name].view(value.element_type)[: value.count]
        assert np.array_equal(got, np.asarray(value), equal_nan=value.element_type.kind == "f"), name


# -- making --


@pytest.mark.spec("D328", "D350")
def test_aliases_and_classes():
    for word, kind in TYPES.items():
        for count in COUNTS:
            cls = vec(word, count)
            assert cls is sycl.Vec[kind, count] is sycl.Vec.of(np.dtype(kind), count)
            assert (cls.element_type, cls.count, cls.__name__) == (np.dtype(kind), count, f"{word}{count}")
            assert issubclass(cls, sycl.Vec) and np.dtype(cls) == sycl.vec_dtype(kind, count)
    for count in (0, 5, 6, 17, True, "4"):
        with pytest.raises(sycl.InvalidParameterError) as caught:
            sycl.Vec["float32", count]
        assert str(caught.value) == f"vec: count is {count!r}, but a vec has 1, 2, 3, 4, 8 or 16 elements"
    for kind in ("c8", "S4", "M8[s]", "O"):
        with pytest.raises(sycl.InvalidParameterError, match="vec: an element is a number as kernels have it, not "):
            sycl.Vec[kind, 2]
    with pytest.raises(sycl.InvalidParameterError, match="vec: OpenCL C has no vectors of bool; Marray has them"):
        sycl.Vec[bool, 2]


@pytest.mark.spec("D331", "D332", "D333")
def test_constructors():
    assert values_of(sycl.int4()) == [0] * 4
    assert values_of(sycl.int4(7)) == [7] * 4
    v = sycl.int3(1, 2, 3)
    assert values_of(sycl.int4(v, 4)) == values_of(sycl.int4(1, sycl.int2(2, 3), 4)) == [1, 2, 3, 4]
    assert values_of(sycl.int4([1, 2], np.array([3, 4]))) == [1, 2, 3, 4]
    other = sycl.int3(v)
    other.x = 9
    assert v.x == 1
    for parts, count in (((1, 2), 2), ((v, v), 6), ((v,), 3)):
        with pytest.raises(sycl.InvalidParameterError) as caught:
            sycl.int4(*parts)
        assert str(caught.value) == f"int4: takes 4 components, {count} given"
    with pytest.raises(sycl.InvalidParameterError) as caught:
        sycl.int4(sycl.uint2(), 1, 2)
    assert str(caught.value) == "int4: takes components of int32, got a uint2; convert it"
    for wrong, error, words in (
        (2.5, TypeError, "char2: an element is an integer, got 2.5"),
        (200, sycl.InvalidParameterError, "char2: 200 is out of range for int8"),
        ("ab", sycl.InvalidParameterError, "char2: expected numbers, got 'ab'"),
        (1j, sycl.InvalidParameterError, "char2: expected numbers, got 1j"),
    ):
        with pytest.raises(error) as caught:
            sycl.char2(wrong)
        assert str(caught.value) == words
    with pytest.raises(sycl.InvalidParameterError, match="half2: 70000.0 is out of range for float16"):
        sycl.half2(70000.0)
    with pytest.raises(TypeError, match="Vec needs an element type and a count: Vec\\['float32', 4\\]"):
        sycl.Vec(1, 2)


@pytest.mark.spec("D333", "D339", "D355")
def test_sizes_and_a_single_component():
    assert (sycl.float3.get_count(), sycl.float3().get_count(), sycl.float3.get_size(), sycl.half3().get_size()) == (
        3, 3, 16, 8,
    )  # fmt: skip
    for cls in (sycl.float3, sycl.double16, sycl.char2):
        assert all(np.asarray(cls()).__array_interface__["data"][0] % cls.byte_size == 0 for _ in range(20))
    one = sycl.Vec["float32", 1](2.5)
    assert (float(one), int(one), bool(one), bool(one + 1.0 == 3.5)) == (2.5, 2, True, True)
    assert [1, 2, 3][sycl.Vec["int8", 1](2)] == 3
    assert values_of(sycl.float2(1, 2) * one) == [2.5, 5]
    with pytest.raises(TypeError, match="a float2 has 2 components, and no value of its own"):
        float(sycl.float2())
    with pytest.raises(TypeError, match="a int2 has 2 components, and no truth value of its own; see pysycl.math"):
        bool(sycl.float2() == sycl.float2())


# -- operators --


@pytest.mark.spec("D342", "D343", "D344", "D345", "D349")
@pytest.mark.parametrize("word", INTEGERS)
def test_operators_of_integers(word):
    """Every operator with a vec and a number on either side, and in place, against C's rules for whole numbers."""
    kind, rng = TYPES[word], np.random.default_rng(7)
    for count in COUNTS:
        cls = vec(word, count)
        a, b = samples(kind, count, rng)
        x, y, scalar = cls(*a), cls(*b), b[0]
        for sign, call in {**BINARY, **INTEGER_ONLY}.items():
            assert values_of(call(x, y)) == [in_c(sign, p, q, kind) for p, q in zip(a, b, strict=True)], sign
            assert values_of(call(x, scalar)) == [in_c(sign, p, scalar, kind) for p in a], sign
            assert values_of(call(np.dtype(kind).type(scalar), y)) == [in_c(sign, scalar, q, kind) for q in b], sign
            assert type(call(scalar, y)) is cls
            place = cls(x)
            assert IN_PLACE[sign](place, y) is place
            assert values_of(place) == [in_c(sign, p, q, kind) for p, q in zip(a, b, strict=True)], sign
        assert values_of(~x) == [wrapped(~p, kind) for p in a]
        assert values_of(-x) == [wrapped(-p, kind) for p in a]
        assert values_of(+x) == a
        assert values_of(cls(x).inc()) == [wrapped(p + 1, kind) for p in a]
        assert values_of(cls(x).post_dec()) == a


@pytest.mark.spec("D345")
def test_shifts_to_the_right_keep_the_sign_of_signed_types():
    assert values_of(sycl.char2(-128, 64) >> 3) == [-16, 8]
    assert values_of(sycl.uchar2(128, 64) >> 3) == [16, 8]
    assert values_of(sycl.char2(-1, 1) >> 7) == [-1, 0]
    assert values_of(sycl.int2(1, 1) << sycl.int2(33, 31)) == [2, -(2**31)]  # the count modulo the width, as on devices


@pytest.mark.spec("D342", "D343")
@pytest.mark.parametrize("word", ["half", "float", "double"])
def test_operators_of_floating_point(word):
    kind, cls = TYPES[word], vec(word, 4)
    x, y = cls(1.5, -0.0, np.inf, 3), cls(2.25, 0.0, np.inf, 0)
    a, b = np.asarray(x).copy(), np.asarray(y).copy()
    with np.errstate(all="ignore"):
        for sign, call in BINARY.items():
            expected = call(a, b)
            assert expected.dtype == kind
            assert np.array_equal(call(x, y), expected, equal_nan=True), sign
            assert np.array_equal(call(2.0, y), call(np.array(2, kind), b), equal_nan=True), sign
            assert np.array_equal(call(np.float64(2), y), call(np.array(2, kind), b), equal_nan=True), sign
    assert np.signbit(np.asarray(-x)).tolist() == [True, False, True, True]
    assert (values_of(x.post_inc())[0], x.x) == (1.5, 2.5)
    assert (values_of(x.dec())[0], x.x, x.post_dec().x, x.x, x.inc().x) == (1.5, 1.5, 1.5, 0.5, 1.5)


@pytest.mark.spec("D342", "D344", "D345", "D349")
def test_what_floating_point_does_not_have():
    v = sycl.float2(1, 2)
    for sign, call in INTEGER_ONLY.items():
        for other in (v, 2):
            with pytest.raises(TypeError) as caught:
                call(v, other)
            assert str(caught.value) == f"float2 {sign} {type(other).__name__}: only for integers"
        with pytest.raises(TypeError, match="only for integers"):
            IN_PLACE[sign](v, 1)
    with pytest.raises(TypeError) as caught:
        operator.invert(v)
    assert str(caught.value) == "~float2: only for integers"
    assert values_of(v) == [1, 2]


def test_operands_that_do_not_go_together():
    with pytest.raises(TypeError) as caught:
        sycl.float2() + sycl.int2()
    assert str(caught.value) == "float2 + int2: convert one to the element type of the other"
    with pytest.raises(TypeError, match="float2 \\* float3: other counts"):
        sycl.float2() * sycl.float3()
    with pytest.raises(TypeError, match="int2: an element is an integer, got 0.5"):
        sycl.int2() + 0.5
    with pytest.raises(sycl.InvalidParameterError, match="uchar2: -1 is out of range for uint8"):
        sycl.uchar2() - (-1)
    for other in ("a", None, [1, 2], np.zeros(2)):
        with pytest.raises(TypeError):
            sycl.float2() + other
        with pytest.raises(TypeError):
            other + sycl.float2()
    for call in (operator.truediv, operator.mod):
        with pytest.raises(ZeroDivisionError):
            call(sycl.int2(1, 2), sycl.int2(1, 0))


@pytest.mark.spec("D347", "D348", "D349")
def test_comparisons_and_logic():
    signed = {1: "char", 2: "short", 4: "int", 8: "long"}
    for word, kind in TYPES.items():
        result = vec(signed[np.dtype(kind).itemsize], 3)
        x, y = vec(word, 3)(1, 2, 3), vec(word, 3)(3, 2, 1)
        for call, expected in (
            (operator.eq, [0, -1, 0]), (operator.ne, [-1, 0, -1]), (operator.lt, [-1, 0, 0]), (operator.le, [-1, -1, 0]),
            (operator.gt, [0, 0, -1]), (operator.ge, [0, -1, -1]),
        ):  # fmt: skip
            assert type(call(x, y)) is result
            assert values_of(call(x, y)) == expected
            assert values_of(call(2, x)) == [-1 if call(2, p) else 0 for p in (1, 2, 3)]
    nan = sycl.double2(np.nan, 1)
    assert all(
        values_of(c(nan, nan))[0] == 0 for c in (operator.eq, operator.lt, operator.le, operator.gt, operator.ge)
    )
    assert values_of(nan != nan) == [-1, 0]  # as on devices


@pytest.mark.spec("D346")
def test_logic():
    x = sycl.float4(0, 1, np.nan, -0.0)
    assert isinstance(x.logical_and(1), sycl.int4)
    assert values_of(x.logical_and(1)) == [0, -1, -1, 0]
    assert values_of(x.logical_or(sycl.float4(0, 0, 0, 2))) == [0, -1, -1, -1]
    assert values_of(x.logical_not()) == [-1, 0, 0, -1]
    assert values_of(sycl.logical_and(2, sycl.uchar2(0, 3))) == [0, -1]


def test_a_class_derived_from_one(queue):
    """Its bytes are one element, whatever it says; what it raises is raised."""

    class Own(sycl.float4):
        def _as_element(self):
            if given is None:
                raise KeyError("none")
            return given

    out = np.zeros(1, sycl.float4)
    given = np.ones(1, sycl.float4)[0]
    queue.single_task("out[0] = v;", out=out, v=Own())
    assert out.tolist() == [(1, 1, 1, 1)]
    for wrong, words in ((3, "cannot share its memory"), (np.zeros(3), "for which OpenCL C has no type")):
        given = wrong
        with pytest.raises(sycl.KernelArgumentError, match=f"'v' .*{words}"):
            queue.single_task("out[0] = v;", out=out, v=Own())
    given = None
    with pytest.raises(KeyError, match="none"):
        queue.single_task("out[0] = v;", out=out, v=Own())
