"""Operators that bodies and programs cannot be given, and expressions that do not fit: told at the user's own line."""

import re

import numpy as np
import pytest

import pysycl as sycl
from pysycl._kernels.kernel_operators import FAMILIES
from pysycl._kernels.kernel_text import kernel_text

REDUCE = "out[i] = group_reduce(work_group, x[i], op);"
SCAN = "int k = 0;\n  out[i] = group_exclusive_scan(work_group, {x}, op);"
PLAIN = sycl.BinaryOp("a + b")


def launch(queue: sycl.Queue, text: str, **arguments: object) -> None:
    x, out = np.ones(8, np.float32), np.zeros(8, np.float32)
    queue.parallel_for(sycl.NdRange(8, 8), text, x=x, out=out, **arguments)


@pytest.mark.parametrize(("text", "given", "words"), [
    (REDUCE, {"op": PLAIN, "other": PLAIN}, "operator 'other' is given, and the text does not use it"),
    (REDUCE + " // most", {"op": PLAIN, "most": sycl.plus}, "operator 'most' is given, and the text does not use it"),
    (REDUCE.replace("op", "max"), {"max": PLAIN},
     "operator 'max' is a function of OpenCL C, which drivers may have as a macro"),
    (REDUCE.replace("op", "plus"), {"plus": PLAIN}, "operator 'plus' is a word of pysycl's own in kernels"),
    (REDUCE.replace("op", "sub_group"), {"sub_group": PLAIN},
     "operator 'sub_group' is a word of pysycl's own in kernels"),
    (REDUCE.replace("op", "i0"), {"i0": PLAIN}, "operator 'i0' says where a work-item stands"),
    (REDUCE.replace("op", "float4"), {"float4": PLAIN}, "operator 'float4' is a word of OpenCL C"),
    (REDUCE.replace("op", "syc_op"), {"syc_op": PLAIN}, "operator 'syc_op' begins like pysycl's own words"),
    (f"#define op plus\n{REDUCE}", {"op": PLAIN},
     "operator 'op' is a macro as well: the preprocessor would replace the word before it is an operator"),
    (REDUCE, {"op": PLAIN, "options": "-D op=plus"},
     "operator 'op' is a macro as well: the preprocessor would replace the word before it is an operator"),
    (REDUCE, {"op": sycl.BinaryOp("a + b", name="x")}, "operator 'op': its own name 'x' is that of another argument"),
    (REDUCE, {"op": sycl.BinaryOp("a + b", name="minimum")},
     "operator 'op': its own name 'minimum' is a word of pysycl's own in kernels"),
    (f"{REDUCE} out[i] += group_reduce(work_group, x[i], two);",
     {"op": sycl.BinaryOp("a + b", name="it"), "two": sycl.BinaryOp("a * b", name="it")},
     "operator 'two': its own name 'it' is given by another operator too: each needs a name of its own"),
])  # fmt: skip
def test_words_that_cannot_be(queue, text, given, words):
    with pytest.raises(sycl.KernelArgumentError) as caught:
        launch(queue, text, **given)
    assert str(caught.value) == f"body: {words}"


@pytest.mark.parametrize(("operators", "words"), [
    ({"op": PLAIN, "other": PLAIN}, "operators: 'other' is given, and the text does not use it"),
    ({"o-p": PLAIN}, "operators: expected a C identifier, got 'o-p'"),
    ({"op": "a + b"}, "operators: expected BinaryOps or function objects by their words, got 'a + b'"),
    (PLAIN, "operators: expected BinaryOps or function objects by their words, got BinaryOp('a + b')"),
    ([PLAIN], "operators: BinaryOp('a + b') has no name of its own; give a mapping of names to operators"),
    ([sycl.plus], "operators: plus has no name of its own; give a mapping of names to operators"),
    ([sycl.BinaryOp("a + b", name="op"), sycl.BinaryOp("a * b", name="op")], "operators: two of them are called 'op'"),
    ({"x": PLAIN, "op": PLAIN}, "operators: 'x' is a parameter of kernel 'run' as well"),
    ({"op": sycl.BinaryOp("a + b", (1, 2))},
     "identity: (1, 2) of BinaryOp('a + b', identity=(1, 2)) is neither a number nor a NumPy scalar; of a struct it is "
     "one of a structured array's, such as numpy.array((0, 1.5), dtype)[()]"),
    ({"op": sycl.BinaryOp("a + b", 2**64)},
     f"identity: {2**64} of BinaryOp('a + b', identity={2**64}) does not fit in 64 bits"),
    ({"op": sycl.BinaryOp("a + b", np.datetime64("now"))}, None),
])  # fmt: skip
def test_what_a_program_cannot_be_given(operators, words):
    text = "kernel void run(global int *x) { x[0] = group_reduce(work_group, x[1], op); }"
    with pytest.raises(sycl.InvalidParameterError) as caught:
        sycl.Program(text, operators=operators)
    assert words is None or str(caught.value) == words


@pytest.mark.parametrize(("text", "op", "words"), [
    # The compiler's own words differ; what stands before them does not.
    (REDUCE, sycl.BinaryOp("a.key < b.key ? a : b"),
     "body:1:10: group_reduce: the operator op, 'a.key < b.key ? a : b': member reference base type 'float' is not a "
     "structure or union"),
    (SCAN.format(x="x[i]"), sycl.BinaryOp("a + b", np.zeros(1, [("k", "i4")])[0]),
     "body:2:12: group_exclusive_scan: the identity of the operator op, 'a + b': "),
    (REDUCE, sycl.BinaryOp("(float2)(a, b)"),
     "body:1:10: group_reduce: the operator op, '(float2)(a, b)', gives another type than that of its operands"),
    (REDUCE, sycl.plus[np.int32],
     "body:1:10: group_reduce: the operator op, sycl.plus[int32], takes values of that type only"),
    (SCAN.format(x="x[i]"), PLAIN,
     "body:2:12: group_exclusive_scan: the operator op, 'a + b', has no identity, so an init is needed"),
    (SCAN.format(x="(char)x[i]"), sycl.BinaryOp("a + b", 128),
     "body:2:12: group_exclusive_scan: the identity 128 of operator op does not fit the type of the values"),
    (SCAN.format(x="(uint2)((uint)x[i])"), sycl.BinaryOp("a + b", -1),
     "body:2:12: group_exclusive_scan: the identity -1 of operator op does not fit the type of the values"),
    (SCAN.format(x="(int)x[i]"), sycl.BinaryOp("a + b", 0.5),
     "body:2:12: group_exclusive_scan: the identity 0.5 of operator op does not fit the type of the values"),
    (REDUCE.replace("x[i]", "(float2)(x[i])").replace(", op)", ", op).x"), sycl.bit_or,
     "body:1:10: group_reduce: op, sycl.bit_or, takes integers"),
    (REDUCE.replace("op", "pop"), PLAIN, None),
])  # fmt: skip
def test_operators_that_do_not_fit(queue, text, op, words):
    """At the user's line, with the expression and the call; and no page of macros behind it."""
    if words is None:
        with pytest.raises(sycl.KernelArgumentError, match="operator 'op' is given, and the text does not use it"):
            launch(queue, text, op=op)
        return
    with pytest.raises(sycl.BuildError) as caught:
        launch(queue, text, op=op)
    message = str(caught.value).replace("'__generic ", "'")  # as NVIDIA's compiler calls what is in no address space
    assert message.startswith(words), message
    line = int(words[5])
    headline, quoted, caret = message.split("\n")
    assert headline.endswith(f" (built for {queue.device.name})") and "syc_" not in headline
    assert quoted == f"    {line} | {text.splitlines()[line - 1]}" and caret.strip(" |") == "^"
    assert "error" in (caught.value.build_log or "")


def test_every_macro_of_an_operator_is_known():
    """Another word for an operator says all that kernels/ say of it."""
    texts = "".join(kernel_text(name) for name in (
        "operators.clh", "native.clh", "sub_group_ptx.clh", "group_reduce.clh", "group_scan.clh", "sub_group_fold.clh",
        "group_partials.clh", "joint_range.clh", "joint_reduce.clh", "joint_scan.clh"))  # fmt: skip
    words = "plus|multiplies|minimum|maximum|bit_and|bit_or|bit_xor|logical_and|logical_or"
    found = set(re.findall(rf"#define (SYC_\w+?_)(?:{words}) ~", texts))
    assert found == set(FAMILIES)
