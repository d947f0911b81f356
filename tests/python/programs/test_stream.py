"""Streams as Python sees them: where the text goes, who writes it, and wrong use."""

import gc
import io
import signal
import sys
import threading

import numpy as np
import pytest

import pysycl as sycl

HELLO = sycl.Program("""
__kernel void hello(stream out, int number) { stream_put(out, "hello "); stream_put(out, number); stream_endl(out); }
__kernel void plain(__global int *x) { x[0] = 1; }
__kernel void count(stream out, int n) { for (int i = 0; i < n; i++) { stream_put(out, i); stream_endl(out); } }
""")


def hello(queue, number, stream=None):
    with queue.submit() as h:
        h.single_task(HELLO.hello, stream or sycl.Stream(64, 64, h), number)
    return h.event


def test_text_goes_to_what_sys_stdout_is_then(queue, monkeypatch):
    event = hello(queue, 1)
    event.wait()
    later = io.StringIO()
    event = hello(queue, 2)
    event.wait()
    monkeypatch.setattr(sys, "stdout", later)
    hello(queue, 3).wait()
    assert later.getvalue() == "hello 3\n"


def test_commands_print_in_the_order_in_which_they_end(device, capsys):
    queue = sycl.Queue(device, in_order=True)
    for number in range(20):
        hello(queue, number)
    queue.wait()
    assert capsys.readouterr().out == "".join(f"hello {number}\n" for number in range(20))


def test_a_stream_without_a_group_is_for_any_command(queue, capsys):
    stream = sycl.Stream(64, 64)
    for number in range(3):
        queue.single_task(HELLO.hello, stream, number).wait()
    queue.parallel_for(1, HELLO.hello, stream, 3).wait()
    assert capsys.readouterr().out == "hello 0\nhello 1\nhello 2\nhello 3\n"
    assert not stream.overflowed
    queue.single_task(HELLO.count, stream, 1000).wait()
    assert stream.overflowed
    assert capsys.readouterr().out.startswith("0\n1\n2\n3\n")


def test_threads_wait_for_text_that_another_one_writes(device, monkeypatch):
    """Each thread finds its own line written when its wait is over, whoever wrote it."""
    lines = []

    class Slow(io.StringIO):
        def write(self, text):
            threading.Event().wait(0.001)
            lines.extend(text.splitlines())
            return len(text)

    missing = []

    def work(first):
        queue = sycl.Queue(device)
        for number in range(first, first + 10):
            hello(queue, number).wait()
            if f"hello {number}" not in lines:
                missing.append(number)

    monkeypatch.setattr(sys, "stdout", Slow())
    threads = [threading.Thread(target=work, args=(1000 * k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not missing
    assert len(lines) == 40


def test_stdout_may_use_pysycl_itself(queue, monkeypatch):
    lines = []

    class Curious(io.StringIO):
        def write(self, text):
            lines.append(text)
            if text == "hello 1\n":
                hello(queue, 2).wait()
            return len(text)

    monkeypatch.setattr(sys, "stdout", Curious())
    hello(queue, 1).wait()
    queue.wait()
    assert lines == ["hello 1\n", "hello 2\n"]


def test_no_stdout_is_no_error(queue, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    hello(queue, 1).wait()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_error_of_stdout_is_said_and_harms_no_command(queue, monkeypatch):
    said = []
    monkeypatch.setattr(sys, "unraisablehook", lambda hook: said.append(hook.exc_value))

    class Broken(io.StringIO):
        def write(self, text):
            raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Broken())
        hello(queue, 1).wait()
    assert [str(error) for error in said] == ["disk full"]
    hello(queue, 2).wait()


def test_ctrl_c_while_text_is_written_ends_the_wait(queue, monkeypatch):
    class Interrupted(io.StringIO):
        def write(self, text):
            raise KeyboardInterrupt

    def wait():
        hello(queue, 1).wait()
        for _ in range(1000):  # the interpreter looks at signals now and then
            pass

    # Where the tests run in the background of a shell, SIGINT is ignored, and Python with it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", Interrupted())
            with pytest.raises(KeyboardInterrupt):
                wait()
    finally:
        signal.signal(signal.SIGINT, before)


def test_text_comes_at_exit_when_nobody_waits(run_python):
    child = run_python("""
    import pysycl as sycl
    program = sycl.Program("__kernel void f(stream out) { stream_put(out, 7); stream_endl(out); }")
    queue = sycl.Queue()
    with queue.submit() as h:
        h.single_task(program.f, sycl.Stream(10, 10, h))
    print("submitted")
    """)
    assert sorted(child.stdout.split()) == ["7", "submitted"]


def test_a_failed_command_prints_nothing(run_python, fake_driver):
    """The fake driver runs no text; a command that fails has none."""
    child = run_python(
        """
        import pysycl as sycl
        program = sycl.Program("__kernel void fail(stream out) { stream_put(out, 7); for (;;); }")
        queue = sycl.Queue()
        with queue.submit() as h:
            h.single_task(program.fail, sycl.Stream(10, 10, h))
        try:
            queue.wait_and_throw()
        except sycl.SyclError as error:
            print(type(error).__name__)
        """,
        env={"PYSYCL_DRIVERS": str(fake_driver)},
    )
    assert child.stdout == "KernelError\n"


def test_wrong_sizes_are_refused(queue):
    with pytest.raises(sycl.InvalidParameterError) as caught:
        sycl.Stream(0, 10)
    assert str(caught.value) == "total_size: 0 characters; a stream has 1 to 268435456"
    with pytest.raises(sycl.InvalidParameterError, match="^total_size: 268435457 characters"):
        sycl.Stream(2**28 + 1, 10)
    with pytest.raises(sycl.InvalidParameterError) as caught:
        sycl.Stream(10, 0)
    assert str(caught.value) == "max_statement_size: 0 characters; a statement has at least 1"
    with pytest.raises(TypeError):
        sycl.Stream("10", 10)


def test_a_stream_belongs_to_its_group(queue):
    with queue.submit() as h:
        stream = sycl.Stream(10, 10, h)
    expected = "hello(): argument 1, 'out', is a stream of another command group: make one in each group"
    with pytest.raises(sycl.KernelArgumentError) as caught:
        hello(queue, 1, stream)
    assert str(caught.value).startswith(expected)
    with pytest.raises(sycl.KernelArgumentError) as caught:
        queue.single_task(HELLO.hello, stream, 1)
    assert str(caught.value).startswith(expected)
    with pytest.raises(sycl.InvalidError, match="Stream: the command group of this handler has ended"):
        sycl.Stream(10, 10, h)
    with pytest.raises(sycl.InvalidParameterError, match="Stream: expected the Handler of a command group, got 5"):
        sycl.Stream(10, 10, 5)


def test_streams_and_other_arguments_are_told_apart(queue):
    with pytest.raises(sycl.KernelArgumentError) as caught:
        queue.single_task(HELLO.hello, 3, 1)
    assert str(caught.value).startswith("hello(): argument 1, 'out', is a int, not a Stream")
    with pytest.raises(sycl.KernelArgumentError, match=r"^plain\(\): argument 1, 'x', is a Stream"):
        queue.single_task(HELLO.plain, sycl.Stream(10, 10))


def test_streams_leave_nothing_behind(queue, no_leaks):
    def give_up(h):
        h.single_task(HELLO.hello, sycl.Stream(10, 10, h), 1)
        raise RuntimeError

    for number in range(5):
        hello(queue, number).wait()
    with pytest.raises(RuntimeError):
        queue.submit(give_up)
    gc.collect()


# -- bodies --


def body(queue, text, **arguments):
    with queue.submit() as h:
        h.parallel_for(2, text, out=sycl.Stream(64, 64, h), **arguments)
    return h.event


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("out << ;", "body:1:5: there is nothing to write behind this '<<'\n    1 | out << ;\n      |     ^"),
        ("int k;\nout << k", "body:2:1: this statement has no ';' at its end\n    2 | out << k\n      | ^"),
        ("int k = out << i;",
         "body:1:9: a stream is written to in a statement of its own\n    1 | int k = out << i;\n      |         ^"),
    ],
)  # fmt: skip
def test_a_statement_that_is_none_is_refused_with_its_place(queue, text, message):
    with pytest.raises(sycl.BuildError) as caught:
        body(queue, text)
    assert str(caught.value) == message


def test_an_unknown_name_in_a_statement_is_told_by_its_line(queue):
    with pytest.raises(sycl.BuildError) as caught:
        body(queue, "int k = 0;\nout << k\n    << nothing << endl;").wait()
    message = str(caught.value)
    assert message.startswith("body:3:8: ")
    assert "    3 |     << nothing << endl;\n      |        ^\n" in message
    assert "No argument 'nothing' is given" in message


def test_a_number_beside_a_stream_is_no_shift(queue, capsys):
    body(queue, "if (i == 0) out << a << ' ' << x << endl;", a=2.5, x=np.float32(0.5)).wait()
    assert capsys.readouterr().out == "2.5 0.5\n"


def test_a_stream_is_of_use_only_as_one(queue):
    with pytest.raises(sycl.BuildError, match=r"^body:1:11: .*syc_stream"):
        queue.parallel_for(2, "x[i] = out[i];", x=np.zeros(2, np.float32), out=sycl.Stream(10, 10))


def test_a_prepared_kernel_prints_each_time(queue, capsys):
    kernel = queue.kernel(1, "out << a << endl;", out=sycl.Stream(64, 64), a=1)
    events = [kernel(), kernel(a=2), kernel()]
    for event in events:
        event.wait()
    assert sorted(capsys.readouterr().out.split()) == ["1", "1", "2"]


def test_the_generated_text_can_be_read(queue):
    source = sycl.kernel_source("out << hex << x[i] << endl;", 4, x=np.zeros(4, np.int32), out=sycl.Stream(64, 64))
    assert "{ stream_put(out, x[i], stream_hex); stream_endl(out); }" in source
