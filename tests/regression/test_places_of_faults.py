"""What is found out while a kernel runs, or by the linker, was told without the line of the text that it is about."""

import warnings

import numpy as np
import pytest

import pysycl as sycl

X, M = np.zeros(16, "f4"), np.zeros((4, 5), "i4")
PROGRAM = """kernel void k(global float *x,
              global const float *y) {
  size_t i = get_global_id(0);
  x[i] = y[i] + y[i + 3];
}"""
BEYOND = {  # by name: range, text, arguments, the line, and what stands above the caret
    "one of several": (16, "\n y[i] = x[i] + x[i % 20 + 3];", {"x": X, "y": X}, 2, "x[i % 20"),
    "in several lines": (16, "y[i] = x[\n i == 5 ? -3 : 0];", {"x": X, "y": X}, 1, "x["),
    "a continued line": (16, "y[i] =\\\n  x[i * n0 * 2 > 9 ? 99 : 0];", {"x": X, "y": X}, 2, "x[i *"),
    "rows": ((4, 5), "if (i0 == 2) m(i0, i1 == 4 ? 9 : i1) = m(0, 0);", {"m": M}, 1, "m(i0, i1 =="),
    "a pointer": (16, "y[i] = *(x + (i == 5 ? 16 : i));", {"x": X, "y": X}, 1, "x + (i"),
    "within another": (16, "y[i] = x[(int)y[i] > 1 ? 0 : 99];", {"x": X, "y": X}, 1, "x[(int)"),
    "of two alike": (
        16,
        "y[i] = x[a[i]] + x[b[i]];",
        {"x": X, "y": X, "a": np.full(16, 99), "b": np.zeros(16, int)},
        1,
        "",
    ),
}


def place_of(message: str) -> tuple[str, str]:
    """The line that is quoted, with its number, and what stands above the caret; "" if there is none."""
    lines = message.splitlines()
    caret = lines[2].index("^") if len(lines) > 2 else len(lines[1])
    return lines[1], lines[1][caret:]


@pytest.mark.parametrize("name", BEYOND)
def test_an_access_of_a_body(queue: sycl.Queue, name: str) -> None:
    over, text, given, number, at = BEYOND[name]
    with sycl.debug("check"), pytest.raises(sycl.BoundsError) as caught:
        queue.parallel_for(over, text, **{key: value.copy() for key, value in given.items()})
    line, rest = place_of(str(caught.value))
    assert f"line {number} of the body)" in str(caught.value).splitlines()[0]
    assert line == f"{number:5} | {text.splitlines()[number - 1]}"
    assert rest.startswith(at) and (rest == "") == (at == "")


def test_an_access_of_an_array_of_reducers(queue: sycl.Queue) -> None:
    bins = sycl.reduction(sycl.span(np.zeros(4, "f4")), sycl.plus)
    with sycl.debug("check"), pytest.raises(sycl.BoundsError) as caught:
        queue.parallel_for(16, "float v = x[i];\n bins[i % 7] += v;", x=X, bins=bins)
    assert place_of(str(caught.value)) == ("    2 |  bins[i % 7] += v;", "bins[i % 7] += v;")


def test_an_access_of_a_program(queue: sycl.Queue) -> None:
    with sycl.debug("check"), pytest.raises(sycl.BoundsError) as caught:
        queue.parallel_for(16, sycl.Program(PROGRAM).k, X.copy(), X)
    assert place_of(str(caught.value)) == ("    4 |   x[i] = y[i] + y[i + 3];", "y[i + 3];")


def test_a_program_with_reducers_is_said_to_be_unchecked(queue: sycl.Queue) -> None:
    program = sycl.Program("kernel void s(global const float *x, reducer(float, plus) r) { r += x[get_global_id(0)]; }")
    total = np.zeros(1, "f4")
    with warnings.catch_warnings(record=True) as caught, sycl.debug("check"):
        warnings.simplefilter("always")
        for _ in range(3):
            queue.parallel_for(16, program.s, X + 1, sycl.reduction(total, sycl.plus))
        queue.wait()
    assert total[0] == 48
    said = [str(each.message) for each in caught if "not checked" in str(each.message)]
    assert said == [
        "check: kernel 's' is not checked: it has reducers, and of texts with reducers only bodies are checked"
    ]


@pytest.mark.parametrize(
    ("text", "preamble", "quoted", "at"),
    [
        ("x[i] = 1; if (i < 4)\n  group_barrier(work_group);", "", "    2 |   group_barrier(work_group);", "group_barrier"),
        ("x[i] = group_broadcast(work_group, 1.0f, i % 3);", "", None, "group_broadcast"),
        ("x[i] = f(i);", "float f(long k) {\n  if (k < 3) group_barrier(work_group);\n  return 1; }",
         "    2 |   if (k < 3) group_barrier(work_group);", "group_barrier"),
    ],
)  # fmt: skip
def test_a_group_function_that_not_all_come_to(
    queue: sycl.Queue, text: str, preamble: str, quoted: str | None, at: str
) -> None:
    with sycl.debug("collectives"), pytest.raises(sycl.KernelError) as caught:
        queue.parallel_for(sycl.NdRange(16, 8), text, preamble=preamble, x=X.copy())
    line, rest = place_of(str(caught.value))
    assert line == quoted or (quoted is None and text in line)
    assert rest.startswith(at)


def test_a_group_function_of_a_program(queue: sycl.Queue) -> None:
    source = "kernel void k(global float *y) {\n  if (get_global_id(0) < 3)\n    barrier(1);\n  y[0] = 1; }"
    with sycl.debug("collectives"), pytest.raises(sycl.KernelError) as caught:
        queue.parallel_for(sycl.NdRange(16, 8), sycl.Program(source).k, X.copy())
    assert place_of(str(caught.value)) == ("    3 |     barrier(1);", "barrier(1);")


def test_a_function_that_no_program_to_link_defines(queue: sycl.Queue) -> None:
    if queue.device.platform.name == "Oclgrind":
        pytest.skip("it misses no function before the launch")
    first = "float known(float v) { return v; }"
    second = (
        "float known(float);\nfloat only(float);\nkernel void k(global float *x) {\n  x[0] = known(1) + only(2);\n}"
    )
    parts = [sycl.compile(sycl.KernelBundle(text, queue.context)) for text in (first, second)]
    with pytest.raises(sycl.LinkProgramError) as caught:
        sycl.link(parts)
    message = str(caught.value)
    assert message.splitlines()[0] == (
        "line 4 of program 2: call to function 'only', which none of the programs to link defines"
    )
    assert place_of(message) == ("    4 |   x[0] = known(1) + only(2);", "only(2);")


@pytest.mark.parametrize("whole", [False, True], ids=["body", "program"])
@pytest.mark.parametrize("buffers", [False, True], ids=["arrays", "buffers"])
def test_replays_are_held_against_the_memory_that_they_have(queue: sycl.Queue, whole: bool, buffers: bool) -> None:
    """Not that which was recorded."""
    source = "kernel void k(global float *x, global const int *at) { x[at[get_global_id(0)]] = 1; }"
    at, made = np.full(8, 12, "i4"), sycl.Buffer if buffers else np.array
    with sycl.debug("check"):
        with queue.record() as g:
            if whole:
                queue.parallel_for(8, sycl.Program(source).k, made(np.zeros(8, "f4")), at)
            else:
                queue.parallel_for(8, "x[at[i]] = 1;", x=made(np.zeros(8, "f4")), at=at)
        larger = made(np.zeros(16, "f4"))
        g.replay(x=larger).wait_and_throw()
        assert np.asarray(larger).nonzero()[0].tolist() == [12]
        with pytest.raises(sycl.BoundsError, match=r"x\[12\] is out of bounds: x has 12 elements"):
            g.replay(x=made(np.zeros(12, "f4"))).wait_and_throw()
        with pytest.raises(sycl.BoundsError, match=r"x\[12\] is out of bounds: x has 8 elements"):
            g.replay().wait_and_throw()


def test_a_replay_with_memory_in_place_of_a_part_has_that_part(queue: sycl.Queue) -> None:
    at, whole = np.full(8, 12, "i4"), sycl.Buffer(np.zeros(32, "f4"))
    with sycl.debug("check"):
        with queue.record() as g, queue.submit() as h:
            h.parallel_for(8, "x[at[i]] = 1;", x=h.write(whole, range=8, offset=4), at=at)
        with pytest.raises(sycl.BoundsError, match="x has 8 elements"):
            g.replay(x=sycl.Buffer(np.zeros(40, "f4"))).wait_and_throw()
        other = sycl.Buffer(np.zeros(32, "f4"))
        g.replay(x=sycl.Accessor(other, mode="write", range=16, offset=4)).wait_and_throw()
        assert np.asarray(other).nonzero()[0].tolist() == [16]
