"""Kernel arguments: what fits which parameter, and what is refused in which words."""

import re

import numpy as np
import pytest

import pysycl as sycl

DTYPES = {
    "char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
    "long": np.int64, "ulong": np.uint64, "float": np.float32, "double": np.float64,
}  # fmt: skip
INTEGERS = [name for name in DTYPES if name not in ("float", "double")]
VECTORS = {"float4": np.float32, "int2": np.int32, "uchar16": np.uint8, "ushort3": np.uint16, "double8": np.float64}

SOURCE = "".join(
    f"__kernel void put_{t}(__global {t} *out, {t} value) {{ out[get_global_id(0)] = value; }}\n" for t in DTYPES
)
SOURCE += "".join(
    f"__kernel void copy_{t}(__global {t} *out, __global const {t} *in)\n"
    "{ out[get_global_id(0)] = in[get_global_id(0)]; }\n"
    for t in (*DTYPES, *VECTORS)
)
SOURCE += "".join(f"__kernel void put_{t}(__global {t} *out, {t} value) {{ *out = value; }}\n" for t in VECTORS)
SOURCE += """
struct point { float x; int n; };
typedef struct { double d; char c; } pair;
__kernel void move(__global struct point *points, struct point by)
{
    points[get_global_id(0)].x += by.x;
    points[get_global_id(0)].n += by.n;
}
__kernel void pairs(__global pair *pairs, pair by)
{
    pairs[get_global_id(0)].d += by.d;
    pairs[get_global_id(0)].c = by.c;
}
__kernel void widen(__global float *out, __global const half *in)
{
    out[get_global_id(0)] = vload_half(get_global_id(0), in);
}
__kernel void narrow(__global half *out, __global const float *in)
{
    vstore_half(in[get_global_id(0)], get_global_id(0), out);
}
__kernel void constant_sum(__global float *out, __constant float *in, uint n)
{
    for (uint i = 0; i < n; i++)
        out[0] += in[i];
}
__kernel void bytes(__global const void *any, __global uchar *out)
{
    out[get_global_id(0)] = ((__global const uchar *)any)[get_global_id(0)];
}
__kernel void twice(__global float *x) { x[get_global_id(0)] *= 2; }
__kernel void add(__global float *out, __global const float *a, __global const float *b)
{
    out[get_global_id(0)] = a[get_global_id(0)] + b[get_global_id(0)];
}
__kernel void nothing(void) {}
__kernel void scratch(__local float *mine) { mine[0] = 1; }
"""
PROGRAM = sycl.Program(SOURCE)
HALF = sycl.Program("__kernel void put_half(__global half *out, half value) { *out = value; }")


def refusal(queue, kernel, *args, error=sycl.KernelArgumentError, where=1):
    with pytest.raises(error) as caught:
        queue.parallel_for(where, getattr(PROGRAM, kernel), *args)
    return str(caught.value)


def first_line(message):
    return message.split("\n", 1)[0]


def values_of(dtype, count):
    rng = np.random.default_rng(7)
    return rng.integers(0, 256, count * np.dtype(dtype).itemsize, dtype=np.uint8).view(dtype)


# -- arrays --


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("count", [1, 3, 64, 257])
def test_arrays_of_the_parameter_s_type_pass(queue, name, count):
    source, out = values_of(DTYPES[name], count), np.zeros(count, DTYPES[name])
    queue.parallel_for(count, getattr(PROGRAM, f"copy_{name}"), out, source).wait_and_throw()
    assert out.tobytes() == source.tobytes()


@pytest.mark.parametrize("name", DTYPES)
def test_arrays_of_every_other_type_are_refused(queue, name):
    out = np.zeros(2, DTYPES[name])
    for other, dtype in {**DTYPES, "half": np.float16, "complex": np.complex64, "bool": np.bool_}.items():
        if other == name or (other == "bool" and name in ("char", "uchar")):
            continue
        message = refusal(queue, f"copy_{name}", out, np.zeros(2, dtype))
        word = np.dtype(dtype).name
        assert first_line(message) == f"copy_{name}(): argument 2, 'in', is an array of {word}, not of {name}"


def test_the_refusal_shows_both_signatures_and_marks_the_argument(queue):
    line = SOURCE[: SOURCE.index("void copy_float(")].count("\n") + 1
    message = refusal(queue, "copy_float", np.zeros((2, 3), np.float32), np.zeros(4, np.float64))
    assert message == (
        "copy_float(): argument 2, 'in', is an array of float64, not of float\n"
        f"  expected: copy_float(__global float *out, __global const float *in)  at kernel.cl:{line}\n"
        "  given:    copy_float(float32[2, 3], float64[4])\n"
        "                                      ^^^^^^^^^^"
    )


def test_the_marker_stands_under_the_first_argument_too(queue):
    lines = refusal(queue, "put_int", 1.5, 3).split("\n")
    assert lines[0] == "put_int(): argument 1, 'out', is a float, not an array"
    assert lines[2] == "  given:    put_int(1.5, 3)"
    assert lines[3] == "                    ^^^"


def test_bool_arrays_are_bytes(queue):
    flags, out = np.array([True, False, True]), np.zeros(3, np.uint8)
    queue.parallel_for(3, PROGRAM.copy_uchar, out, flags).wait_and_throw()
    assert out.tolist() == [1, 0, 1]
    queue.parallel_for(3, PROGRAM.copy_char, flags, np.array([0, 1, 1], np.int8)).wait_and_throw()
    assert flags.tolist() == [False, True, True]


def test_half_arrays_need_no_half_arithmetic(queue):
    source = np.array([0, -0.5, 65504, np.inf, 6e-8], np.float16)
    wide, back = np.zeros(5, np.float32), np.zeros(5, np.float16)
    queue.parallel_for(5, PROGRAM.widen, wide, source)
    queue.parallel_for(5, PROGRAM.narrow, back, wide).wait_and_throw()
    assert (wide == source.astype(np.float32)).all()
    assert back.tobytes() == source.tobytes()
    assert "is an array of float32, not of half" in refusal(queue, "widen", wide, wide)


@pytest.mark.parametrize("name", VECTORS)
def test_arrays_of_components_pass_as_vectors(queue, name):
    width = int(re.sub(r"\D", "", name))
    width = 4 if width == 3 else width
    source = values_of(VECTORS[name], 5 * width).reshape(5, width)
    out = np.zeros_like(source)
    queue.parallel_for(5, getattr(PROGRAM, f"copy_{name}"), out, source)
    kept = slice(None) if "3" not in name else slice(0, 3)
    assert out[:, kept].tobytes() == source[:, kept].tobytes()


def test_a_vector_array_must_hold_whole_vectors(queue):
    message = refusal(queue, "copy_float4", np.zeros(8, np.float32), np.zeros(6, np.float32))
    assert first_line(message) == (
        "copy_float4(): argument 2, 'in', has 24 bytes, not a multiple of the 16 that one float4 takes"
    )


def test_complex_arrays_are_pairs(queue):
    program = sycl.Program(
        "__kernel void conjugate(__global float2 *z) { z[get_global_id(0)].y = -z[get_global_id(0)].y; }"
    )
    z = np.array([1 + 2j, -3.5j, 4], np.complex64)
    expected = z.conj()
    queue.parallel_for(3, program.conjugate, z)
    assert (z == expected).all()
    with pytest.raises(sycl.KernelArgumentError, match="is an array of complex128, not of float"):
        queue.parallel_for(3, program.conjugate, z.astype(np.complex128))


def test_void_pointers_take_any_array(queue):
    out = np.zeros(8, np.uint8)
    for array in (np.arange(1, 9, dtype=np.uint8), np.array([1.5]), np.array([(1, 2)], [("a", "i4"), ("b", "f4")])):
        queue.parallel_for(8, PROGRAM.bytes, array, out)
        assert out.tobytes() == array.tobytes()


def test_constant_memory(queue):
    out, table = np.zeros(1, np.float32), np.arange(10, dtype=np.float32)
    table.flags.writeable = False
    queue.single_task(PROGRAM.constant_sum, out, table, 10).wait_and_throw()
    assert out[0] == 45


def test_what_is_no_array_is_refused(queue):
    out = np.zeros(2, np.float32)
    wrong = {
        "is a list, not an array: make one with numpy.asarray": [1.0, 2.0],
        "is a tuple, not an array: make one with numpy.asarray": (1.0, 2.0),
        "is a float, not an array": 1.0,
        "is a str, not an array": "ab",
        "is a object, not an array": object(),
        "is a LocalAccessor, not an array": sycl.local(2, np.float32),
    }
    for words, value in wrong.items():
        message = first_line(refusal(queue, "copy_float", out, value))
        assert message.startswith("copy_float(): argument 2, 'in', ")
        assert words.removeprefix("is a ") in message, message


def test_other_buffers_pass_too(queue):
    out = bytearray(4)
    queue.parallel_for(4, PROGRAM.copy_uchar, out, b"\x01\x02\x03\x04").wait_and_throw()
    assert out == b"\x01\x02\x03\x04"
    queue.parallel_for(4, PROGRAM.copy_uchar, memoryview(out), bytes(4)).wait_and_throw()
    assert out == bytes(4)


def test_a_read_only_array_for_a_writable_pointer_is_refused(queue):
    frozen = np.zeros(2, np.float32)
    frozen.flags.writeable = False
    assert first_line(refusal(queue, "twice", frozen)) == (
        "twice(): argument 1, 'x', is a read-only array, and the kernel may write through '__global float *x': "
        "declare it const or pass a writable array"
    )
    out = np.zeros(2, np.float32)
    queue.parallel_for(2, PROGRAM.copy_float, out, frozen)


@pytest.mark.spec("H112")
def test_arrays_in_foreign_byte_order_are_refused(queue):
    swapped = np.zeros(2, np.dtype(np.float32).newbyteorder())
    message = refusal(queue, "copy_float", np.zeros(2, np.float32), swapped)
    assert first_line(message) == (
        "copy_float(): argument 2, 'in', is an array in big-endian byte order; devices here are little-endian: "
        "pass array.astype(array.dtype.newbyteorder('='))"
    )
    queue.parallel_for(2, PROGRAM.copy_float, np.zeros(2, np.float32), np.zeros(2, "<f4"))


def test_object_arrays_are_refused(queue):
    assert "argument 2, 'in', " in refusal(queue, "copy_long", np.zeros(1, np.int64), np.array([None]))
    assert "whose memory cannot be shared" in refusal(
        queue, "copy_long", np.zeros(1, np.int64), np.array(["2020"], "M8[Y]")
    )


# -- numbers --


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_pass_up_to_their_limits_and_no_further(queue, name):
    limits = np.iinfo(DTYPES[name])
    out, kernel = np.zeros(1, DTYPES[name]), f"put_{name}"
    for value in (limits.min, 0, 1, limits.max):
        queue.single_task(getattr(PROGRAM, kernel), out, value).wait_and_throw()
        assert out[0] == value
        queue.single_task(getattr(PROGRAM, kernel), out, DTYPES[name](value)).wait_and_throw()
        assert out[0] == value
    for value in (limits.min - 1, limits.max + 1, 1 << 64, -(1 << 64), 10**40):
        message = first_line(refusal(queue, kernel, out, value))
        assert message == f"{kernel}(): argument 2, 'value', is out of range for the type {name}"
    for value in (1.0, np.float32(1), np.float64(2)):
        message = first_line(refusal(queue, kernel, out, value))
        assert message == f"{kernel}(): argument 2, 'value', is not an integer for the type {name}"
    for value in (None, "1", [1], {}):
        message = first_line(refusal(queue, kernel, out, value))
        assert message == f"{kernel}(): argument 2, 'value', is not a number for the type {name}"


@pytest.mark.parametrize("name", ["float", "double"])
def test_floating_point_numbers_pass_to_the_last_bit(queue, name):
    dtype = DTYPES[name]
    out, kernel = np.zeros(1, dtype), getattr(PROGRAM, f"put_{name}")
    limits = np.finfo(dtype)
    numbers = [0.0, -0.0, 1 / 3, np.pi, limits.max, -limits.max, limits.tiny, np.inf, -np.inf]
    for value in [*numbers, np.float64(0.1), np.float32(0.1), np.float16(0.1), 7, True, 1 << 60]:
        queue.single_task(kernel, out, value).wait_and_throw()
        assert out.tobytes() == np.array([value], dtype).tobytes(), value
    queue.single_task(kernel, out, np.nan).wait_and_throw()
    assert np.isnan(out[0])


def test_numbers_beyond_floating_point_are_refused(queue):
    out, wide = np.zeros(1, np.float32), np.zeros(1, np.float64)
    for value in (1e39, -1e39, np.finfo(np.float64).max, 10**400):
        assert "is out of range for the type float" in refusal(queue, "put_float", out, value)
    assert "is out of range for the type double" in refusal(queue, "put_double", wide, 10**400)
    for value in (1j, np.complex64(1), "1.0", None, [1.0], b"1"):
        assert "is not a number for the type float" in refusal(queue, "put_float", out, value)


def test_numbers_that_raise_of_themselves_keep_their_exception(queue):
    class Broken:
        def __float__(self):
            raise ZeroDivisionError("mine")

        def __index__(self):
            raise ZeroDivisionError("mine too")

    with pytest.raises(ZeroDivisionError, match="mine"):
        queue.single_task(PROGRAM.put_float, np.zeros(1, np.float32), Broken())
    with pytest.raises(ZeroDivisionError, match="mine too"):
        queue.single_task(PROGRAM.put_int, np.zeros(1, np.int32), Broken())


def test_half_by_value_where_the_device_has_it(queue):
    out = np.zeros(1, np.float16)
    if not queue.device.has("fp16"):
        with pytest.raises(sycl.KernelNotSupportedError, match="kernel 'put_half' uses half, and device"):
            queue.single_task(HALF.put_half, out, 0.1)
        return
    queue.single_task(HALF.put_half, out, 0.1)
    assert out[0] == np.float16(0.1)
    with pytest.raises(sycl.KernelArgumentError, match="is out of range for the type half"):
        queue.single_task(HALF.put_half, out, 70000.0)


@pytest.mark.spec("H110", "H119")
@pytest.mark.parametrize("name", VECTORS)
def test_vectors_by_value(queue, name):
    width = int(re.sub(r"\D", "", name))
    out = np.zeros(16, VECTORS[name])
    for given in (tuple(range(1, width + 1)), list(range(1, width + 1)), np.arange(1, width + 1, dtype=VECTORS[name])):
        queue.single_task(getattr(PROGRAM, f"put_{name}"), out, given)
        assert out[:width].tolist() == list(range(1, width + 1))
    kernel = f"put_{name}"
    words = f"is not a sequence of {width} numbers"
    for wrong in ((1,) * (width + 1), (1,) * (width - 1), 3, None, ()):
        assert words in refusal(queue, kernel, out, wrong)
    assert "is not a number" in refusal(queue, kernel, out, ("a",) * width)


@pytest.mark.spec("H119")
def test_ids_and_ranges_by_value(queue):
    out = np.zeros(2, np.int32)
    queue.single_task(PROGRAM.put_int2, out, sycl.Id(3, 4))
    assert out.tolist() == [3, 4]
    queue.single_task(PROGRAM.put_int2, out, sycl.Range(5, 6))
    assert out.tolist() == [5, 6]


# -- structs --

POINT = np.dtype([("x", np.float32), ("n", np.int32)])
PAIR = np.dtype([("d", np.float64), ("c", np.int8)], align=True)


@pytest.mark.spec("H110")
def test_structs_in_arrays_and_by_value(queue):
    points = np.array([(1.5, 1), (2.5, 2), (3.5, 3)], POINT)
    queue.parallel_for(3, PROGRAM.move, points, np.array((0.25, 40), POINT)[()])
    assert points.tolist() == [(1.75, 41), (2.75, 42), (3.75, 43)]
    pairs = np.zeros(2, PAIR)
    queue.parallel_for(2, PROGRAM.pairs, pairs, np.array([(2.5, 7)], PAIR))
    assert pairs.tolist() == [(2.5, 7), (2.5, 7)]


@pytest.mark.spec("H110")
def test_what_is_no_struct_is_refused(queue):
    points = np.zeros(1, POINT)
    assert "is an array of float32, not of the struct 'struct point'" in refusal(
        queue, "move", np.zeros(2, np.float32), points[0]
    )
    for value in (1.5, None, (1.5, 2), {"x": 1}):
        assert "not a structured scalar for 'struct point'" in refusal(queue, "move", points, value)


# -- counts and kinds of arguments --


def test_the_number_of_arguments_is_checked(queue):
    x = np.zeros(1, np.float32)
    line = SOURCE[: SOURCE.index("void add(")].count("\n") + 1
    assert refusal(queue, "add", x, x) == (
        "add(): takes 3 arguments, 2 given\n"
        f"  expected: add(__global float *out, __global const float *a, __global const float *b)  at kernel.cl:{line}\n"
        "  given:    add(float32[1], float32[1])"
    )
    assert first_line(refusal(queue, "add", x, x, x, x)) == "add(): takes 3 arguments, 4 given"
    assert first_line(refusal(queue, "twice")) == "twice(): takes 1 argument, 0 given"
    assert first_line(refusal(queue, "nothing", x)) == "nothing(): takes 0 arguments, 1 given"
    queue.parallel_for(1, PROGRAM.nothing).wait_and_throw()


def test_local_memory_is_asked_for_with_local(queue):
    for value in (4, None, np.zeros(4, np.float32)):
        message = first_line(refusal(queue, "scratch", value))
        assert message.startswith("scratch(): argument 1, 'mine', is a ")
        assert message.endswith("; local memory is asked for with pysycl.local(shape, dtype)")


def test_refused_arguments_leave_nothing_behind(queue, no_leaks):
    array = bytearray(8)
    for _ in range(10):
        refusal(queue, "copy_uchar", array, 1.5)
        refusal(queue, "copy_float", array, array)
    array.extend(b"x")  # a bytearray that is still pinned could not grow


def test_arrays_are_let_go_after_the_command(queue):
    array = bytearray(8)
    queue.parallel_for(8, PROGRAM.copy_uchar, array, bytes(8)).wait_and_throw()
    queue.wait()
    array.extend(b"x")


def test_what_is_no_kernel_is_refused(queue):
    words = re.escape("kernel: expected a pysycl.Kernel such as program.name, or the text of a body, got 3")
    with pytest.raises(sycl.InvalidParameterError, match=words):
        queue.parallel_for(1, 3)
    with pytest.raises(sycl.InvalidParameterError, match=words):
        queue.submit(lambda h: h.parallel_for(1, 3))
    with pytest.raises(TypeError, match=r"parallel_for\(\) needs a range and a kernel before the kernel's arguments"):
        queue.parallel_for(1)
    with pytest.raises(TypeError, match=r"single_task\(\) needs a kernel before the kernel's arguments"):
        queue.single_task()
    with pytest.raises(TypeError, match="unexpected keyword argument 'ofset'"):
        queue.parallel_for(1, PROGRAM.nothing, ofset=1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'offset'"):
        queue.single_task(PROGRAM.nothing, offset=1)
