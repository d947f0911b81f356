"""Streams: text from kernels. SYCL 2020, 4.16."""

import copy
import pickle
import re

import numpy as np
import pytest

import pysycl as sycl


def printed(queue, capfd, source, *args, size=4096, statement=1024, where=1, options=()):
    """What the kernel `f` of a program prints; its first argument is the stream."""
    program = sycl.Program(source, options)
    capfd.readouterr()
    with queue.submit() as h:
        out = sycl.Stream(size, statement, h)
        h.parallel_for(where, program.f, out, *args)
    h.event.wait()
    text = capfd.readouterr().out
    queue.wait_and_throw()
    return text


def puts(*values):
    return "".join(f"    stream_put(out, {value});\n" for value in values)


def kernel(body, parameters=""):
    return f"__kernel void f(stream out{parameters})\n{{\n{body}\n}}\n"


@pytest.mark.spec("D390", "D393")
def test_a_stream_has_two_sizes(queue):
    with queue.submit() as h:
        stream = sycl.Stream(1000, 100, h)
        assert stream.size == 1000
        assert stream.work_item_buffer_size == stream.max_statement_size == 100
    assert repr(stream) == "<pysycl.Stream of 1000 characters>"


@pytest.mark.spec("D389", "D394")
def test_integers_characters_and_strings(queue, capfd):
    body = puts(
        "-1", "' '", "(short)-300", "(char)' '", "(uchar)200", "(char)'/'", "(ushort)65535", "(char)'/'", "4294967295u",
        "(char)'/'", "-9223372036854775807L - 1", "(char)'/'", "18446744073709551615UL", '" text: "', '"\\303\\244\\n"',
    )  # fmt: skip
    # in C the constant ' ' is an int
    expected = "-132-300 200/65535/4294967295/-9223372036854775808/18446744073709551615 text: ä\n"
    assert printed(queue, capfd, kernel(body)) == expected


@pytest.mark.spec("D394")
def test_strings_in_every_memory(queue, capfd):
    source = """
    __constant char fixed[] = "constant ";
    __kernel void f(stream out, __global char *given, __local char *shared)
    {
        char own[] = {'p', 'r', 'i', 'v', 'a', 't', 'e', ' ', 0};
        for (int i = 0; i < 7; i++)
            shared[i] = "local "[i];
        stream_put(out, fixed);
        stream_put(out, given);
        stream_put(out, own);
        stream_put(out, shared);
        stream_put(out, (__global const char *)given + 3);
        stream_endl(out);
    }"""
    given = np.frombuffer(bytearray(b"global \0"), np.int8)
    text = printed(queue, capfd, source, given, sycl.local(8, "i1"), where=sycl.NdRange(1, 1))
    assert text == "constant global private local bal \n"


@pytest.mark.spec("D394")
def test_long_strings_come_in_one_piece(queue, capfd):
    text = "".join(chr(ord("a") + i % 26) for i in range(5000))
    for length in (2047, 2048, 2049, 4096, 5000):
        given = np.frombuffer(bytearray(text[:length].encode() + b"\0"), np.int8)
        body = "stream_put(out, text, stream_setw(1500)); stream_endl(out);"
        assert printed(queue, capfd, kernel(body, ", __global char *text"), given, size=8192) == text[:length] + "\n"


REALS = [0.0, -0.0, 1.0, -1.5, 0.1, 1e-5, 123456.0, 1234567.0, 1e10, 1e38, -1e-38, 3.14159265, float("inf"),
         -float("inf")]  # fmt: skip


@pytest.mark.spec("D394")
def test_default_reals_look_as_in_c(queue, capfd):
    x = np.array(REALS, np.float32)
    body = "for (int i = 0; i < n; i++) { stream_put(out, x[i]); stream_endl(out); }"
    text = printed(queue, capfd, kernel(body, ", __global const float *x, int n"), x, x.size)
    assert text.split() == [f"{value:g}" for value in x]
    text = printed(queue, capfd, kernel(body, ", __global const float *x, int n"), np.array([np.nan], np.float32), 1)
    assert text in {"nan\n", "-nan\n"}


@pytest.mark.spec("D394", "D397")
def test_doubles_in_every_notation(queue, capfd):
    if not queue.device.has("fp64"):
        pytest.skip("no fp64")
    x = np.array([*REALS, 1e300, 5e-324, 0.1 + 0.2])
    for format, spelled in {
        "0": "%g", "stream_setprecision(17)": "%.17g", "stream_fixed": "%f", "stream_scientific": "%e",
        "stream_fixed | stream_setprecision(0)": "%.0f", "stream_scientific | stream_setprecision(12)": "%.12e",
        "stream_showpos | stream_setprecision(3)": "%+.3g", "stream_setw(30)": "%30g",
    }.items():  # fmt: skip
        body = f"for (int i = 0; i < n; i++) {{ stream_put(out, x[i], {format}); stream_endl(out); }}"
        text = printed(queue, capfd, kernel(body, ", __global const double *x, int n"), x, x.size, size=20000)
        assert text == "".join(spelled % value + "\n" for value in x), format
    body = "for (int i = 0; i < n; i++) { stream_put(out, x[i], stream_hexfloat); stream_endl(out); }"
    text = printed(queue, capfd, kernel(body, ", __global const double *x, int n"), x, x.size)
    assert [float.fromhex(word) for word in text.split()] == x.tolist()
    assert "0x1.999999999999ap-4" in text


@pytest.mark.spec("D394")
def test_half_is_printed_as_its_value(queue, capfd):
    if not queue.device.has("fp16"):
        pytest.skip("no fp16")
    x = np.array([1.5, -0.25, 65504.0], np.float16)
    body = "for (int i = 0; i < 3; i++) { stream_put(out, x[i]); stream_endl(out); }"
    assert printed(queue, capfd, kernel(body, ", __global const half *x"), x) == "1.5\n-0.25\n65504\n"


@pytest.mark.spec("D394")
def test_other_pointers_are_addresses(queue, capfd):
    body = """
    int own = 1;
    stream_put(out, x); stream_endl(out);
    stream_put(out, (__global const void *)(x + 1)); stream_endl(out);
    stream_put(out, &own); stream_endl(out);
    stream_put(out, (__global int *)0); stream_endl(out);
    """
    lines = printed(queue, capfd, kernel(body, ", __global float *x"), np.zeros(4, np.float32)).split("\n")
    assert all(re.fullmatch("0x[0-9a-f]+", line) for line in lines[:2])
    assert int(lines[1], 16) - int(lines[0], 16) == 4
    assert re.fullmatch("0x[0-9a-f]+|0", lines[2])
    assert lines[3] == "0"


@pytest.mark.spec("D395")
def test_vectors_by_component(queue, capfd):
    body = puts("(int2)(1, -2)", '" "', "(uchar3)(1, 2, 3)", '" "', "(float4)(1.5f, 2, 3, 4)", '" "',
                "(long8)(1)", '" "', "(ushort16)(7)", '" "', "(int4)(10, 11, 12, 255), stream_hex | stream_setw(3)")  # fmt: skip
    expected = "1, -2 1, 2, 3 1.5, 2, 3, 4 " + ", ".join("1" * 8) + " " + ", ".join("7" * 16) + "   a,   b,   c,  ff"
    assert printed(queue, capfd, kernel(body)) == expected


PLACES = """
__kernel void f(stream out)
{
    if (global_linear_id != 7)
        return;
    stream_put(out, stream_global_id); stream_endl(out);
    stream_put(out, stream_local_id); stream_endl(out);
    stream_put(out, stream_group_id); stream_endl(out);
    stream_put(out, stream_global_range); stream_endl(out);
    stream_put(out, stream_local_range); stream_endl(out);
    stream_put(out, stream_group_range); stream_endl(out);
    stream_put(out, stream_item); stream_endl(out);
    stream_put(out, stream_nd_item); stream_endl(out);
    stream_put(out, stream_group); stream_endl(out);
    stream_put(out, stream_nd_range, stream_setw(2)); stream_endl(out);
}
"""


@pytest.mark.spec("D395")
def test_ids_ranges_and_items_by_component(queue, capfd):
    assert printed(queue, capfd, PLACES, where=sycl.NdRange((2, 6), (1, 3))).splitlines() == [
        "{1, 1}", "{0, 1}", "{1, 0}", "{2, 6}", "{1, 3}", "{2, 2}",
        "item(id: {1, 1}, range: {2, 6})",
        "nd_item(global_id: {1, 1}, local_id: {0, 1})",
        "group(id: {1, 0}, local_range: {1, 3}, global_range: {2, 6}, group_range: {2, 2})",
        "nd_range(global_range: { 2,  6}, local_range: { 1,  3}, offset: { 0,  0})",
    ]  # fmt: skip


@pytest.mark.spec("D395")
def test_an_item_of_three_dimensions_with_an_offset(queue, capfd):
    program = sycl.Program(
        "__kernel void f(stream out) { if (global_linear_id == 5) { stream_put(out, stream_item); stream_endl(out); } }"
    )
    with queue.submit() as h:
        h.parallel_for((1, 2, 3), program.f, sycl.Stream(100, 100, h), offset=(10, 20, 30))
    h.event.wait()
    assert capfd.readouterr().out == "item(id: {10, 21, 32}, range: {1, 2, 3}, offset: {10, 20, 30})\n"


@pytest.mark.spec("D396", "D397")
def test_bases_signs_and_widths(queue, capfd):
    body = puts("255, stream_hex", '" "', "255, stream_hex | stream_showbase", '" "', "8, stream_oct | stream_showbase",
                '" "', "-1, stream_hex", '" "', "(short)-1, stream_hex", '" "', "5, stream_showpos", '" "',
                "-5, stream_showpos", '" "', "5u, stream_showpos", '"|"', "42, stream_setw(6)", '"|"',
                '"ab", stream_setw(4)', '"|"', "1.5f, stream_setw(8) | stream_fixed | stream_setprecision(2)", '"|"',
                "7, stream_setw(-3)", '"|"')  # fmt: skip
    expected = "ff 0xff 010 ffffffff ffff +5 -5 5|    42|  ab|    1.50|7|"
    assert printed(queue, capfd, kernel(body)) == expected


@pytest.mark.spec("D398")
def test_a_format_is_for_its_own_statement(queue, capfd):
    body = puts("255, stream_hex | stream_setw(6)", '" "', "255", '" "', "0.123456789f, stream_setprecision(2)", '" "',
                "0.123456789f")  # fmt: skip
    assert printed(queue, capfd, kernel(body)) == "    ff 255 0.12 0.123457"


@pytest.mark.spec("D391", "D396", "D399")
def test_what_an_item_writes_between_flushes_stays_together(queue, capfd):
    body = """
    int i = (int)global_id(0);
    for (int round = 0; round < 3; round++) {
        stream_put(out, "<"); stream_put(out, i); stream_put(out, ":"); stream_put(out, round); stream_put(out, ">");
        stream_flush(out);
        stream_put(out, "("); stream_put(out, i); stream_put(out, ")");
        stream_endl(out);
    }
    stream_put(out, "[end of "); stream_put(out, i); stream_put(out, "]");
    """
    text = printed(queue, capfd, kernel(body), size=20000, where=200)
    pieces = re.findall(r"<\d+:\d>|\(\d+\)\n|\[end of \d+\]", text)
    assert "".join(pieces) == text  # nothing in between, so nothing is mixed
    expected = [piece for i in range(200) for piece in (f"({i})\n",) * 3]
    expected += [f"<{i}:{round}>" for i in range(200) for round in range(3)]
    expected += [f"[end of {i}]" for i in range(200)]
    assert sorted(pieces) == sorted(expected)
    for i in (0, 99, 199):  # an item's own pieces keep their order
        own = [piece for piece in pieces if piece.startswith((f"<{i}:", f"({i})", f"[end of {i}]"))]
        assert own == [p for r in range(3) for p in (f"<{i}:{r}>", f"({i})\n")] + [f"[end of {i}]"]


@pytest.mark.spec("D391")
def test_text_that_is_never_flushed_comes_at_the_end(queue, capfd):
    body = 'stream_put(out, "a"); if (global_id(0) == 1) return; stream_put(out, "b");'
    text = printed(queue, capfd, kernel(body), where=2)
    assert text in {"aba", "aab"}


@pytest.mark.spec("D392")
@pytest.mark.parametrize("size", [1, 7, 100])
def test_overflow_drops_text_and_harms_nothing(queue, capfd, size):
    guard = np.arange(64, dtype=np.int32)
    body = 'for (int i = 0; i < 1000; i++) stream_put(out, "0123456789"); guard[global_id(0)] += 1;'
    program = sycl.Program(kernel(body, ", __global int *guard"))
    with queue.submit() as h:
        stream = sycl.Stream(size, 16, h)
        h.parallel_for(64, program.f, stream, guard)
    h.event.wait()
    text = capfd.readouterr().out
    assert text == ("0123456789" * 10)[:size] + f"\n[cut: the stream has room for {size} characters]\n"
    assert stream.overflowed
    assert (guard == np.arange(1, 65)).all()


@pytest.mark.spec("D390", "D392", "D393")
def test_the_total_is_what_was_asked_for_and_a_statement_may_be_longer(queue, capfd):
    """One text of 10 characters and a flush, in streams that have room for fewer, as many, and more of them."""
    text = 'out << "0123456789" << flush; if (k == 2) out << "end" << endl;'
    for size, cut in ((1, True), (9, True), (29, True), (30, True), (33, True), (34, False), (35, False)):
        with queue.submit() as h:
            stream = sycl.Stream(size, 3, h)
            h.single_task("for (int k = 0; k < 3; k++) { " + text + " }", out=stream)
        h.event.wait()
        whole = "0123456789" * 3 + "end\n"
        note = f"[cut: the stream has room for {size} characters]\n"
        assert capfd.readouterr().out == (whole[:size] + "\n" + note if cut else whole)
        assert stream.overflowed is cut
        assert (stream.size, stream.work_item_buffer_size) == (size, 3)
    umlauts = sycl.Program('__kernel void f(stream out) { stream_put(out, "a\\303\\244b"); }')
    with queue.submit() as h:
        h.single_task(umlauts.f, sycl.Stream(2, 10, h))
    h.event.wait()
    assert capfd.readouterr().out == "a\n[cut: the stream has room for 2 characters]\n"


@pytest.mark.spec("D390", "D392")
def test_as_many_characters_as_the_stream_has_always_come_out(queue, capfd):
    body = "stream_put(out, 5L, stream_setw(1)); stream_flush(out);"
    assert printed(queue, capfd, kernel(body), size=64, where=64) == "5" * 64


@pytest.mark.spec("D399")
def test_text_is_out_before_the_event_is_complete(queue, capfd):
    program = sycl.Program(kernel('stream_put(out, "done"); stream_endl(out);'))
    for finish in (
        lambda event: event.wait(),
        lambda event: queue.wait(),
        lambda event: [None for _ in iter(lambda: event.status, sycl.EventCommandStatus.complete)],
    ):
        with queue.submit() as h:
            h.single_task(program.f, sycl.Stream(64, 64, h))
        finish(h.event)
        assert capfd.readouterr().out == "done\n"


@pytest.mark.spec("D399")
def test_two_streams_of_one_kernel(queue, capfd):
    source = """__kernel void f(stream a, stream b)
    {
        stream_put(a, "a1 "); stream_put(b, "b1 "); stream_put(a, "a2 "); stream_put(b, "b2 ");
    }"""
    program = sycl.Program(source)
    with queue.submit() as h:
        a, b = sycl.Stream(64, 64, h), sycl.Stream(64, 64, h)
        h.single_task(program.f, a, b)
    h.event.wait()
    assert capfd.readouterr().out in {"a1 a2 b1 b2 ", "b1 b2 a1 a2 "}
    with queue.submit() as h:
        both = sycl.Stream(64, 64, h)
        h.single_task(program.f, both, both)
    h.event.wait()
    assert capfd.readouterr().out == "a1 b1 a2 b2 "


@pytest.mark.spec("D400")
def test_a_copy_of_a_stream_is_the_same_stream(queue):
    stream = sycl.Stream(10, 10)
    assert copy.copy(stream) is stream
    assert copy.deepcopy(stream) is stream
    assert stream == stream
    assert stream != sycl.Stream(10, 10)
    with pytest.raises(TypeError, match="a stream cannot be pickled"):
        pickle.dumps(stream)


def test_streams_go_to_helper_functions(queue, capfd):
    source = """
    void show(stream to, const int value) { stream_put(to, value * 2); stream_endl(to); }
    __kernel void f(stream out) { show(out, 21); }"""
    assert printed(queue, capfd, source) == "42\n"


def test_sub_devices_print_too(device, capfd):
    try:
        parts = device.create_sub_devices("partition_equally", 1)
    except sycl.SyclError:
        pytest.skip("the device cannot be partitioned")
    program = sycl.Program(kernel("stream_put(out, 6 * 7); stream_endl(out);"))
    queue = sycl.Queue(parts[0])
    with queue.submit() as h:
        h.single_task(program.f, sycl.Stream(64, 64, h))
    h.event.wait()
    assert capfd.readouterr().out == "42\n"


# -- in bodies --


def printed_by_body(queue, capfd, text, where=1, size=8192, **arguments):
    capfd.readouterr()
    with queue.submit() as h:
        h.parallel_for(where, text, out=sycl.Stream(size, 1024, h), **arguments)
    h.event.wait()
    printed = capfd.readouterr().out
    queue.wait_and_throw()
    return printed


@pytest.mark.spec("D391", "D394", "D396", "D397", "D398")
@pytest.mark.parametrize("where", [8, sycl.NdRange(8, 4)], ids=["range", "nd_range"])
def test_bodies_write_as_sycl_does(queue, capfd, where):
    x = np.array([1, -2.5, 1e10, 0.1, 3, 4, 5, 6], np.float32)
    text = printed_by_body(queue, capfd, 'out << "x[" << i << "] = " << setw(8) << x[i] << endl;', where, x=x)
    assert sorted(text.splitlines()) == sorted(f"x[{i}] = {x[i]:8g}" for i in range(8))


@pytest.mark.spec("D394", "D396", "D397", "D398")
def test_every_manipulator_in_bodies(queue, capfd):
    statements = {
        "255 << ' ' << hex << 255 << ' ' << oct << 255 << ' ' << dec << 255": "255 ff 377 255",
        "hex << showbase << 255 << ' ' << noshowbase << 255": "0xff ff",
        "showpos << 1 << ' ' << noshowpos << 1": "+1 1",
        'setw(4) << 1 << "|" << 23': "   1   |  23",
        "setprecision(2) << 3.14159f << ' ' << fixed << 3.14159f": "3.1 3.14",
        "scientific << 1500.0f << ' ' << defaultfloat << 1500.0f": "1.500000e+03 1500",
        "hexfloat << 1.5f": "0x1.8p+0",
        '(int3)(1, 2, 3) << " " << (uchar2)(200, 7)': "1, 2, 3 200, 7",
        "a << ' ' << b << ' ' << c": "2.5 7 1",
        "sycl::hex << 16": "10",
    }
    text = "".join(f"out << {statement} << endl;\n" for statement in statements)
    text += "out << 255 << ' ' << 0.123456789f << endl;"  # nothing lasts beyond its statement
    expected = [*statements.values(), "255 0.123457"]
    assert printed_by_body(queue, capfd, text, a=2.5, b=7, c=True).splitlines() == expected


@pytest.mark.spec("D395")
def test_places_in_bodies(queue, capfd):
    text = "if (i == 5) out << item << ' ' << global_id << ' ' << global_range << endl;"
    assert printed_by_body(queue, capfd, text, (2, 3)) == "item(id: {1, 2}, range: {2, 3}) {1, 2} {2, 3}\n"
    text = (
        "if (i == 5) out << nd_item << group << nd_range << local_id << group_id << local_range << group_range << endl;"
    )
    assert printed_by_body(queue, capfd, text, sycl.NdRange((2, 6), (1, 3))) == (
        "nd_item(global_id: {0, 5}, local_id: {0, 2})"
        "group(id: {0, 1}, local_range: {1, 3}, global_range: {2, 6}, group_range: {2, 2})"
        "nd_range(global_range: {2, 6}, local_range: {1, 3}, offset: {0, 0})"
        "{0, 2}{0, 1}{1, 3}{2, 2}\n"
    )


def test_an_item_with_an_offset_in_a_body(queue, capfd):
    with queue.submit() as h:
        h.parallel_for((1, 2), "out << item << endl;", offset=(10, 20), out=sycl.Stream(200, 100, h))
    h.event.wait()
    assert sorted(capfd.readouterr().out.splitlines()) == [
        "item(id: {10, 20}, range: {1, 2}, offset: {10, 20})", "item(id: {10, 21}, range: {1, 2}, offset: {10, 20})",
    ]  # fmt: skip


@pytest.mark.spec("D391")
def test_text_of_bodies_is_not_mixed(queue, capfd):
    """Also where one work-item takes a run of elements."""
    text = printed_by_body(
        queue, capfd, "for (int k = 0; k < 3; k++) out << '<' << i << ':' << k << '>' << endl;", 500, 50000
    )
    assert sorted(text.splitlines()) == sorted(f"<{i}:{k}>" for i in range(500) for k in range(3))


def test_a_single_task_body_prints(queue, capfd):
    with queue.submit() as h:
        h.single_task("out << word << ' ' << 6 * 7 << endl;", out=sycl.Stream(64, 64, h),
                      word=np.frombuffer(bytearray(b"answer\0"), np.int8))  # fmt: skip
    h.event.wait()
    assert capfd.readouterr().out == "answer 42\n"


def test_helpers_of_a_body_take_streams(queue, capfd):
    with queue.submit() as h:
        h.parallel_for(1, "show(out, 21); stream_put(out, 1); out << endl;", out=sycl.Stream(64, 64, h),
                       preamble="void show(stream to, int value) { stream_put(to, 2 * value, stream_hex); }")  # fmt: skip
    h.event.wait()
    assert capfd.readouterr().out == "2a1\n"
