"""What a body cannot be given or be: each mistake is found before anything runs, and told in full."""

import re

import numpy as np
import pytest

import pysycl as sycl

X = np.zeros(10, np.float32)
TEN = sycl.NdRange(10, 5)


def refused(kind: type[sycl.SyclError], queue: sycl.Queue, *args: object, **arguments: object) -> str:
    with pytest.raises(kind) as caught:
        queue.parallel_for(*args, **arguments)
    return str(caught.value)


def given(line: str, at: str) -> str:
    """The last two lines of a message: what was given, and the marks under one of it."""
    return f"\n  given: {line}\n         {' ' * line.index(at)}{'^' * len(at)}"


# -- names --


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("i", "in a body that is the linear id; choose another name"),
        ("n1", "in a body that is the range in dimension 1; choose another name"),
        ("local_id", "in a body that is the id within the work-group; choose another name"),
        ("float", "that is a word of OpenCL C; choose another name"),
        ("kernel", "that is a word of OpenCL C; choose another name"),
        ("return", "that is a word of OpenCL C; choose another name"),
        ("a b", "it is no C identifier"),
        ("größe", "it is no C identifier"),
        ("syc_x", "names that begin with 'syc_' belong to pysycl"),
        ("get_global_id", "names that begin so are functions of OpenCL C that the kernel calls; choose another name"),
    ],
)
def test_names_that_an_argument_cannot_have(queue: sycl.Queue, name: str, words: str) -> None:
    message = refused(sycl.KernelArgumentError, queue, 10, f"{name}[0] = 0;", **{name: X})
    assert message == f"body: an argument cannot be named '{name}': {words}"


@pytest.mark.parametrize("name", ["min", "max", "step", "length", "dot", "x_t", "depend", "names", "text", "self"])
def test_names_that_an_argument_can_have(queue: sycl.Queue, name: str) -> None:
    x = np.zeros(1000, np.float32)
    queue.parallel_for(1000, f"{name}[i] = i;", **{name: x}).wait()
    assert np.array_equal(x, np.arange(1000, dtype=np.float32))


def test_an_unknown_name(queue: sycl.Queue) -> None:
    message = refused(sycl.KernelArgumentError, queue, 10, "y[i] = x[i];", x=X, y=X, z=3)
    assert message == "body: unknown name 'z': an argument of that name is given, and the text does not use it"


@pytest.mark.parametrize(("name", "word"), [("x", "X"), ("scale", "scael"), ("scale", "Scale"), ("scale", "scales")])
def test_nearly_a_name(queue: sycl.Queue, name: str, word: str) -> None:
    message = refused(sycl.KernelArgumentError, queue, 10, f"y[i] =\n  {word}[i];", y=X, **{name: X})
    near = word != "scael"  # two letters
    assert message == f"body: unknown name '{name}': " + (
        f"the text has '{word}' in line 2, and an argument is called '{name}'\n    2 |   {word}[i];\n      |   ^"
        if near
        else "an argument of that name is given, and the text does not use it"
    )


def test_a_missing_name(queue: sycl.Queue) -> None:
    message = refused(sycl.BuildError, queue, 10, "y[i] =\n  w[i];", y=X)
    lines = message.splitlines()
    assert lines[0].startswith("body:2:3: use of undeclared identifier 'w'")
    assert lines[1:4] == ["    2 |   w[i];", "      |   ^", "No argument 'w' is given: 'y' is."]


@pytest.mark.parametrize(("keyword", "expected"), [
    ("name", "the name of the kernel as a string"),
    ("preamble", "OpenCL C text"),
    ("options", "a string or strings"),
])  # fmt: skip
def test_the_keywords_of_the_launch_are_no_arguments(queue: sycl.Queue, keyword: str, expected: str) -> None:
    message = refused(sycl.KernelArgumentError, queue, 10, "y[i] = 0;", y=X, **{keyword: np.float32(2)})
    assert message == f"{keyword}: expected {expected}, got {np.float32(2)!r}; no argument of a body can have this name"


def test_other_keywords_of_the_launch(queue: sycl.Queue) -> None:
    assert refused(sycl.NdRangeError, queue, 10, "y[i] = 0;", y=X, offset="a") == (
        "offset: expected whole numbers, got 'a'"
    )
    assert refused(sycl.InvalidParameterError, queue, 10, "y[i] = 0;", y=X, depends_on=3) == (
        "depends_on: expected an Event or Events, got 3"
    )
    with queue.submit() as h:
        words = (
            "parallel_for() got an unexpected keyword argument 'depends_on': a command group waits for what "
            "handler.depends_on(event) names"
        )
        with pytest.raises(TypeError, match=re.escape(words)):
            h.parallel_for(10, "y[i] = 0;", y=X, depends_on=sycl.Event())
        words = "single_task() got an unexpected keyword argument 'offset'"
        with pytest.raises(TypeError, match=re.escape(words)):
            h.single_task("y[0] = 0;", y=X, offset=1)
        h.single_task("y[0] = 0;", y=X)


@pytest.mark.parametrize(("name", "words"), [
    ("for", "body: a kernel cannot be named 'for': it is no free C identifier"),
    ("a b", "name: 'a b' is no name that a kernel can have"),
    ("größe", "name: 'größe' is no name that a kernel can have"),
])  # fmt: skip
def test_names_that_a_kernel_cannot_have(queue: sycl.Queue, name: str, words: str) -> None:
    assert refused(sycl.InvalidParameterError, queue, 10, "y[i] = 0;", y=X, name=name) == words


# -- the text --


@pytest.mark.parametrize("body", ["", " \n\t"])
def test_no_text(queue: sycl.Queue, body: str) -> None:
    assert refused(sycl.InvalidParameterError, queue, 10, body, y=X) == "body: there is no text"


def test_a_nul_in_the_text(queue: sycl.Queue) -> None:
    message = refused(sycl.InvalidParameterError, queue, 10, "y[i] = 0;\0", y=X)
    assert message == "body: a NUL character stands in the text, at 9"


@pytest.mark.parametrize("body", [3, None, b"y[i] = 0;", ["y[i] = 0;"]])
def test_what_is_no_body(queue: sycl.Queue, body: object) -> None:
    words = f"kernel: expected a pysycl.Kernel such as program.name, or the text of a body, got {body!r}"
    assert refused(sycl.InvalidParameterError, queue, 10, body, y=X) == words
    assert refused(sycl.InvalidParameterError, queue, 10, body) == words


def test_arguments_by_position(queue: sycl.Queue) -> None:
    words = "body(): a body takes its arguments by name, such as x=array; {} given by position"
    assert refused(sycl.KernelArgumentError, queue, 10, "y[i] = 0;", X) == words.format("1 is")
    assert refused(sycl.KernelArgumentError, queue, 10, "y[i] = 0;", X, X, y=X) == words.format("2 are")
    with queue.submit() as h:
        h.set_args(X, 2.0)
        with pytest.raises(sycl.KernelArgumentError, match=re.escape(words.format("2 are"))):
            h.parallel_for(10, "y[i] = 0;")


def test_arguments_by_name_for_a_kernel(queue: sycl.Queue) -> None:
    kernel = sycl.Program("__kernel void k(__global float *x) { x[0] = 1; }").k
    words = "parallel_for() got an unexpected keyword argument 'x': the arguments of a Kernel are given by position"
    with pytest.raises(TypeError, match=re.escape(words)):
        queue.parallel_for(10, kernel, x=X)


def test_a_body_that_does_not_compile(queue: sycl.Queue) -> None:
    lines = refused(sycl.BuildError, queue, 10, "float a = 1;\ny[i] = a +;", y=X).splitlines()
    assert lines[0].startswith("body:2:11: expected expression")
    assert lines[1:3] == ["    2 | y[i] = a +;", "      |           ^"]


# -- types, ranks, address spaces --


@pytest.mark.parametrize(("value", "words"), [
    (np.array(["a"]), "is of <U1, for which OpenCL C has no type"),
    (np.array([object()]), "is of object, for which OpenCL C has no type"),
    (np.zeros(3, "g"), f"is of {np.dtype('g')}, for which OpenCL C has no type"),
    (np.longdouble(3), f"is of {np.dtype('g')}, for which OpenCL C has no type"),
    (np.datetime64("2020"), "is of datetime64[Y], for which OpenCL C has no type"),
    (np.zeros(3, "M8[s]"), "cannot share its memory: cannot include dtype 'M' in a buffer"),
    (np.zeros(3, ">f4"), "is in big-endian byte order; devices here are little-endian: pass "
                         "array.astype(array.dtype.newbyteorder('='))"),
    ("text", "is a str, which a body cannot be given"),
    ([1, 2], "is a list, which a body cannot be given: make an array with numpy.asarray"),
    ((1, 2), "is a tuple, which a body cannot be given: make an array with numpy.asarray"),
    (None, "is None; expected an array, an accessor or a number"),
    ({}, "is a dict, which a body cannot be given"),
    (np.float32, "is a type, which a body cannot be given"),
])  # fmt: skip
def test_what_a_body_cannot_be_given(queue: sycl.Queue, value: object, words: str) -> None:
    message = refused(sycl.KernelArgumentError, queue, 10, "y[i] = v[0];", y=X, v=value)
    assert message.splitlines()[0] == f"body(): 'v' {words}"


def test_what_was_given_is_shown(queue: sycl.Queue) -> None:
    message = refused(sycl.KernelArgumentError, queue, 10, "y[i] = v[0];", y=X, v="text", name="mine")
    assert message == "mine(): 'v' is a str, which a body cannot be given" + given(
        "y=float32[10], v='text'", "v='text'"
    )


@pytest.mark.parametrize(("shape", "element", "words"), [
    (10, "x(i0, i1)", "'x' has 1 dimension, and line 1, column 8 has x(...) with 2 indices: x[...] takes its index"),
    (10, "x(i)", "'x' has 1 dimension, and line 1, column 8 has x(...) with 1 index: x[...] takes its index"),
    ((2, 5), "x(i0)", "'x' has 2 dimensions, and line 1, column 8 has x(...) with 1 index: it takes 2, and x[...] "
                      "the linear one"),
    ((2, 5), "x(i0, max(i0, i1), 0)", "'x' has 2 dimensions, and line 1, column 8 has x(...) with 3 indices: it takes "
                                      "2, and x[...] the linear one"),
    ((2, 5, 1), "x()", "'x' has 3 dimensions, and line 1, column 8 has x(...) with 0 indices: it takes 3, and x[...] "
                       "the linear one"),
    ((2, 5, 1, 1), "x(i0, i1, 0, 0)", "'x' has 1 dimension, and line 1, column 8 has x(...) with 4 indices: x[...] "
                                      "takes its index"),
])  # fmt: skip
def test_the_wrong_number_of_indices(queue: sycl.Queue, shape: object, element: str, words: str) -> None:
    x = np.zeros(shape, np.float32)  # type: ignore[call-overload]
    message = refused(sycl.KernelArgumentError, queue, (2, 5), f"y[i] = {element};", y=X, x=x)
    assert message == f"body: {words}\n    1 | y[i] = {element};\n      |        ^"


REFUSED_IN_PLACES = [
    # behind a reducer, whose line is rewritten
    (8, "r += 1; r += x(i0, 2);", sycl.KernelArgumentError, 14),
    (8, "int k = 1;\n\tr += k; x[i] = r_(2), x(i0, 2);", sycl.KernelArgumentError, 24),
    (8, "r += 2; x[i] = 1; fixed[i] = 2;", sycl.KernelArgumentError, 19),
    (8, "r += 1; r += group_reduce(work_group, x[i], plus);", sycl.NdRangeError, 14),
    (18, "r += 1; r += x[i];", sycl.BoundsError, 14),
    (8, "r += 1; r += X[i];", sycl.KernelArgumentError, 14),
    # in a macro: the line alone
    (8, "#define A 1 + \\\n  x(i0, 1)\n r += A;", sycl.KernelArgumentError, 0),
    (8, "#define A fixed[i]\n r += 1; A = 1;", sycl.KernelArgumentError, 0),
]


@pytest.mark.parametrize(("size", "text", "error", "column"), REFUSED_IN_PLACES)
def test_a_refusal_shows_the_users_line(
    queue: sycl.Queue, size: int, text: str, error: type[sycl.SyclError], column: int
) -> None:
    """In the columns that the user knows, whatever the line was rewritten to."""
    given = {"fixed": np.broadcast_to(np.float32(1), 32), "x": np.zeros(8, np.float32)}
    given = {name: value for name, value in given.items() if re.search(rf"\b{name}\b", text, re.I)}
    with pytest.raises(error) as caught:
        queue.parallel_for(
            size, text, r=sycl.reduction(np.zeros(1, np.float32), sycl.plus), preamble="int r_(int k);", **given
        )
    lines, quoted = str(caught.value).splitlines(), text.splitlines()
    caret = "".join(c if c == "\t" else " " for c in quoted[-1][: column - 1]) + "^"
    assert lines[1:] == [f"{len(quoted):5} | {quoted[-1]}", f"      | {caret}"][: 1 + (column > 0)]
    if "column" in lines[0] or not column:
        assert f"column {column}" in lines[0] if column else "column" not in lines[0]


def test_local_memory_needs_an_nd_range(queue: sycl.Queue) -> None:
    tile = sycl.local(4, np.float32)
    words = "body(): 't' is local memory, which belongs to a work-group: launch the body over an NdRange, not "
    tail = given("y=float32[10], t=<pysycl.LocalAccessor of 16 bytes>", "t=<pysycl.LocalAccessor of 16 bytes>")
    message = refused(sycl.KernelArgumentError, queue, 10, "y[i] = t[0];", y=X, t=tile)
    assert message == words + "over a plain range" + tail
    with pytest.raises(sycl.KernelArgumentError) as caught:
        queue.single_task("y[0] = t[0];", y=X, t=tile)
    assert str(caught.value) == words + "as a single task" + tail


@pytest.mark.parametrize("word", ["local_id", "barrier", "group_linear_id"])
def test_groups_need_an_nd_range(queue: sycl.Queue, word: str) -> None:
    text = {"local_id": "local_id(0)", "barrier": "barrier(CLK_LOCAL_MEM_FENCE)"}.get(word, word)
    message = refused(sycl.NdRangeError, queue, 10, f"y[i] = 0; {text};", y=X)
    assert message == (
        f"body: '{word}' at line 1{', column 11' if text != word else ''} needs work-groups, and a plain range has none "
        f"of its own: use an NdRange\n    1 | y[i] = 0; {text};{f'{chr(10)}      |{11 * chr(32)}^' if text != word else ''}"
    )


def test_the_wrong_address_space(queue: sycl.Queue) -> None:
    helper = "float first(__local float *p) { return p[0]; }"
    message = refused(sycl.BuildError, queue, TEN, "y[i] = first(y);", y=X, preamble=helper)
    assert message.startswith("body:1:")
    assert "address space" in message
    assert "    1 | y[i] = first(y);" in message


# -- what may be written --


def test_what_may_only_be_read(queue: sycl.Queue) -> None:
    fixed = np.broadcast_to(np.float32(1), 10)
    words = "body: 'x' is read-only, and the body writes to it at line 2, column 1"
    for text, x in ("x[i] = 0;", fixed), ("x[i] += 0;", bytes(10)):
        message = refused(sycl.KernelArgumentError, queue, 10, f"y[i] = 0;\n{text}", y=X, x=x)
        assert message == f"{words}\n    2 | {text}\n      | ^"
    with sycl.Buffer(np.zeros(10, np.float32)) as b, queue.submit() as h:
        accessor = h.read(b)
        with pytest.raises(sycl.KernelArgumentError, match=re.escape(words)):
            h.parallel_for(10, "y[i] = 0;\nx[i]++;", y=X, x=accessor)
        h.parallel_for(10, "y[i] = 0;", y=X)


def test_elements_that_share_memory(queue: sycl.Queue) -> None:
    x = np.lib.stride_tricks.as_strided(np.zeros(4, np.float32), (10,), (0,))
    message = refused(sycl.KernelArgumentError, queue, 10, "x[i] = 0;", x=x)
    words = "body(): 'x' is an array whose elements overlap in memory, and the body writes to it: pass a copy"
    assert message == words + given("x=float32[10]", "x=float32[10]")


def test_accessors_of_other_groups(queue: sycl.Queue) -> None:
    made: list[sycl.Accessor] = []
    with sycl.Buffer(np.zeros(10, np.float32)) as b:
        queue.submit(lambda h: made.append(h.read(b)))
        words = "body(): 'x' is an accessor whose command group has ended: make one in each group"
        line = "y=float32[10], x=Accessor read float32 (10,)"
        with pytest.raises(sycl.AccessorError) as caught:
            queue.parallel_for(10, "y[i] = x[i];", y=X, x=made[0])
        assert str(caught.value) == words + given(line, "x=Accessor read float32 (10,)")
        with queue.submit() as h, pytest.raises(sycl.AccessorError) as caught:
            h.parallel_for(10, "y[i] = x[i];", y=X, x=sycl.Accessor(b, mode="read"))
        assert str(caught.value).splitlines()[0] == (
            "body(): 'x' is a placeholder that the command group has not required: call handler.require(accessor) first"
        )
    message = refused(sycl.KernelArgumentError, queue, 10, "y[i] = x[i];", y=X, x=b)
    assert message.splitlines()[0] == "body(): 'x' is a buffer that has been closed"


def test_memory_of_another_context(queue: sycl.Queue) -> None:
    if not queue.device.has("usm_device_allocations"):
        pytest.skip("no unified shared memory")
    other = sycl.Queue(queue.device, context=sycl.Context(queue.device))
    x = sycl.malloc_device(10, np.float32, other)
    message = refused(sycl.KernelArgumentError, queue, 10, "x[i] = 0;", x=x)
    assert message.splitlines()[0] == "body(): 'x' is a UsmArray of another context than the queue's"
    sycl.free(x, other)
    message = refused(sycl.KernelArgumentError, other, 10, "x[i] = 0;", x=x)
    assert message.splitlines()[0] == "body(): 'x' is a UsmArray whose memory has been freed"


# -- the device --


def test_types_that_the_device_lacks(queue: sycl.Queue) -> None:
    for aspect, dtype, word in (("fp16", np.float16, "half"), ("fp64", np.float64, "double")):
        if queue.device.has(aspect):
            continue
        message = refused(
            sycl.KernelNotSupportedError, queue, 10, "x[i] = x[i] + 1;", x=np.zeros(10, dtype), name="mine"
        )
        assert message == f"kernel 'mine' uses {word}, and device '{queue.device.name}' has no {aspect}"


def test_types_that_every_device_lacks(run_fake) -> None:
    """A device without double and half: the body is refused at the submission, and so is its number."""
    child = run_fake(
        """
        queue = sycl.Queue()
        assert not queue.device.has("fp16")
        try:
            queue.parallel_for(10, "x[i] = x[i] + 1;", x=np.zeros(10, np.float16))
        except sycl.KernelNotSupportedError as error:
            print(error)
        """
    )
    assert child.stdout.startswith("kernel 'body' uses half, and device '")
    assert child.stdout.endswith("' has no fp16\n")


# -- groups --


def test_two_commands_in_a_group(queue: sycl.Queue) -> None:
    y = np.zeros(10, np.float32)

    def group(h: sycl.Handler) -> None:
        h.parallel_for(10, "y[i] = 1;", y=y)
        h.single_task("y[0] = 2;", y=y)

    with pytest.raises(sycl.InvalidError) as caught:
        queue.submit(group)
    assert str(caught.value) == "single_task: the command group has a command already; it can have one"
    queue.wait()
    assert not y.any()


def test_a_group_that_fails_submits_nothing(queue: sycl.Queue) -> None:
    y = np.zeros(10, np.float32)

    def group(h: sycl.Handler) -> None:
        h.parallel_for(10, "y[i] = 1;", y=y)
        raise KeyError

    with pytest.raises(KeyError):
        queue.submit(group)
    queue.wait()
    assert not y.any()


def test_a_refused_body_leaves_the_group_open(queue: sycl.Queue) -> None:
    y = np.zeros(10, np.float32)
    with queue.submit() as h:
        with pytest.raises(sycl.KernelArgumentError):
            h.parallel_for(10, "y[i] = 1;", y=y, z=3)
        h.parallel_for(10, "y[i] = 2;", y=y)
    h.event.wait()
    assert np.array_equal(y, np.full(10, 2))
