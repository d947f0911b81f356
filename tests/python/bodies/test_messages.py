"""What errors in texts say: the text that the user wrote, by its name, with a caret, and nothing of what was made of it."""

import itertools
import re

import numpy as np
import pytest
from wrong_texts import CASES, MEMBERS, REFUSED, Case, F, G, variables

import pysycl as sycl

OURS = re.compile(
    r"syc_|SYC_|_syc|\bin_x|map_x|\br0(_t)?\b|op_[0-9a-f]{12}|__private|typeof|/tmp/|_cl_|<Spelling|\.clh|#line|static inline"
)


def caret_of(lines: list[str]) -> tuple[str, str] | None:
    """The quoted line, and what stands above the caret's column in it, from there on."""
    for above, below in itertools.pairwise(lines):
        if re.fullmatch(r" *\| *\t*[ \t]*\^", below) and " | " in above:
            line, column = above.split(" | ", 1)[1], below.split("| ", 1)[1].index("^")
            return line, line[column:]
    return None


def hold(case: Case, message: str) -> None:
    """Holds a message against what it should say."""
    lines = message.splitlines()
    assert OURS.search(message) is None, message
    assert lines[0].startswith(f"{case.where}:"), message
    assert case.where == "kernel.cl" or "kernel.cl" not in message, message
    assert case.where == "preamble" or not re.search(r"preamble:\d", message), message
    assert case.says in message, message
    found = caret_of(lines)
    assert found is not None, message
    line, rest = found
    assert case.line in line, message
    assert rest.startswith(case.at) and (case.at.strip() != "" or rest.strip() == ""), message
    assert max(map(len, lines[1:])) < 200, message


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.filterwarnings("ignore:the reduction by .* has no identity")
def test_a_wrong_text(queue: sycl.Queue, case: Case) -> None:
    with pytest.raises((sycl.BuildError, sycl.InvalidParameterError, sycl.NdRangeError)) as caught:
        case.call(queue)
    hold(case, str(caught.value))


@pytest.mark.parametrize("name", REFUSED)
def test_a_name_that_no_argument_can_have(queue: sycl.Queue, name: str) -> None:
    for value in (F, 2.0):
        with pytest.raises(sycl.KernelArgumentError, match=f"^body: an argument cannot be named '{name}'"):
            queue.parallel_for(64, f"out[i] = {name}[i];", out=G, **{name: value})


def test_an_argument_that_a_text_does_not_name() -> None:
    """The text has its own name in each function that takes one."""
    why = ": unknown name 'y': an argument of that name is given, and the text does not use it$"
    with pytest.raises(sycl.KernelArgumentError, match=f"^expression{why}"):
        sycl.transform("x", x=F, y=2.0)
    with pytest.raises(sycl.KernelArgumentError, match=f"^text{why}"):
        sycl.generate(4, "l.append(i);", l="i4", y=F)
    with pytest.raises(sycl.KernelArgumentError, match=f"^first text{why}"):
        sycl.Queue().parallel_scan(64, "t += x[i];", None, x=F, y=F, t=sycl.scanner(sycl.plus, "f4"))
    with pytest.raises(sycl.KernelArgumentError, match=f"^body{why}"):
        sycl.Queue().parallel_scan(64, "t += x[i];", "x[i] = t;", x=F, y=F, t=sycl.scanner(sycl.plus, "f4"))
    with pytest.raises(sycl.KernelArgumentError, match="^text: an argument cannot be named 'float': that is a word"):
        sycl.generate(4, "l.append(float);", l="i4", **{"float": F})


def test_a_text_with_a_lists_name_elsewhere() -> None:
    """In comments, strings, and as a member's name."""
    text = """held v = { 3 }, *w = &v; // l += 1
if (i < 0) printf("l += 1 \\" l"); /* l */
l . append (v.l + w->l);"""
    assert sycl.generate(2, text, l="i4", preamble="typedef struct { int l; } held;").values.tolist() == [6, 6]


@pytest.mark.parametrize("name", MEMBERS)
def test_a_name_that_no_member_can_have(queue: sycl.Queue, name: str) -> None:
    with pytest.raises(sycl.KernelArgumentError, match=f"field '{name}' of .* is a word of OpenCL C; rename the field"):
        queue.parallel_for(64, "s[i].b = 1;", s=np.zeros(64, [(name, "f4"), ("b", "i4")]))


def test_a_name_that_the_text_has_a_macro_of(queue: sycl.Queue) -> None:
    for more in ({"preamble": "#define scale 3"}, {"options": "-Dscale=3"}):
        with pytest.raises(sycl.BuildError) as caught:
            queue.parallel_for(64, "out[i] = scale;", out=G, scale=2.0, **more)
        message = str(caught.value)
        assert message.startswith("body: an argument cannot be named 'scale': the compiler has something else of that")
        assert OURS.search(message) is None and "\n" not in message


def test_options_that_are_none(queue: sycl.Queue) -> None:
    with pytest.raises(sycl.BuildError) as caught:
        queue.parallel_for(64, "out[i] = 1;", out=G, options="-cl-foo")
    assert str(caught.value) == f"options: '-cl-foo' are none that {queue.device.name} takes"


def test_a_function_that_only_the_linker_misses(queue: sycl.Queue) -> None:
    if queue.device.platform.name == "Oclgrind":
        pytest.skip("it misses no function before the launch")
    with pytest.raises(sycl.BuildError) as caught:
        queue.parallel_for(64, "/* g(0) */ int g_ = 1;\nout[i] = h(g_) + g(g_);", out=G,
                           preamble="int g(int);\nint h(int v) { return v; }")  # fmt: skip
    lines = str(caught.value).splitlines()
    assert lines[0] == f"body:2:18: call to undefined function 'g' (built for {queue.device.name})"
    assert lines[1:3] == ["    2 | out[i] = h(g_) + g(g_);", f"      | {' ' * 17}^"]
    assert "'g'" in lines[3] and len(lines) == 4


def test_further_errors_are_listed_in_words_of_the_text(queue: sycl.Queue) -> None:
    with pytest.raises(sycl.BuildError) as caught:
        queue.parallel_for(64, "out[i] = one;\nr += two;", out=G, r=sycl.reduction(variables(queue, 1), sycl.plus))
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("body:1:10: ") and len(lines) == 5
    assert re.fullmatch("body:2:6: use of undeclared identifier 'two'.*", lines[4])
    assert "two" in (caught.value.build_log or "")
