"""Errors of what is made of scans: in the user's words, with the user's text and a caret below what is wrong."""

import re

import numpy as np
import pytest

import pysycl as sycl

X = np.arange(5, dtype=np.float32)
PAIR = [("u", "f4"), ("v", "f4")]
PAIRS = np.zeros(5, PAIR)
# What is called, the argument's name, where in it, and what the message says.
WRONG = [
    (lambda: sycl.cumsum(X, map="sqr(x)"), "map:1:1", "sqr(x)", "In map there is no 'sqr', but x"),
    (lambda: sycl.inclusive_scan(X, "a + b *"), "op:1:8", "a + b *", "expected expression"),
    (lambda: sycl.reduce(X, "a + b -"), "op:1:8", "a + b -", "expected expression"),
    (lambda: sycl.inclusive_scan(X, "mx(a, b)"), "op:1:1", "mx(a, b)", "In op there is no 'mx', but a, b and T"),
    (lambda: sycl.cumsum(X, map="x +"), "map:1:4", "x +", ""),
    (lambda: sycl.inclusive_scan(X, "(T){a.u, b.v}", map="(T){x, y}", dtype=PAIR), "map:1:8", "(T){x, y}", "no 'y', but x"),
    (lambda: sycl.select(X, "x > sqr(x)"), "condition:1:5", "x > sqr(x)", "In condition there is no 'sqr', but x"),
    (lambda: sycl.split_by(X, "y > 1"), "condition:1:1", "y > 1", "In condition there is no 'y', but x"),
    (lambda: sycl.select(X, "x; 1"), "condition:1:2", "x; 1", "a condition is one expression, without statements"),
    (lambda: sycl.sort(X, by="a < b;"), "by:1:6", "a < b;", "an order is one expression, without statements"),
    (lambda: sycl.select(X, "x > (1"), "condition:1:5", "x > (1", "a '(' is never closed"),
    (lambda: sycl.transform("x + sqr(a)", x=X, a=2), "expression:1:5", "x + sqr(a)", "In expression there is no 'sqr', but x, a"),
    (lambda: sycl.transform("x; 3", x=X), "expression:1:2", "x; 3", "an expression is one expression"),
    (lambda: sycl.generate(3, "int j = 0;\nl.append(k);", l="i4"), "text:2:10", "l.append(k);", "In text there is no 'k'"),
    (lambda: sycl.generate(3, "l.append(i); }", l="i4"), "text:1:14", "l.append(i); }", "a '}' closes nothing"),
    (lambda: sycl.generate(3, "l.append(i, i);", l="i4"), "text:1:11", "l.append(i, i);", "l.append(value) takes one value"),
    (lambda: sycl.generate(3, "l.append();", l="i4"), "text:1:10", "l.append();", "l.append(value) takes one value"),
    (lambda: sycl.generate(3, "\nif (l.size() < 3) l.append(i);", l="i4"), "text:2:5", "if (l.size() < 3) l.append(i);",
     "the list l has l.append(value), and nothing else"),
    (lambda: sycl.generate(3, "l.append(foo(i));", l="i4"), "text:1:10", "l.append(foo(i));", "'foo'"),
    (lambda: sycl.generate(3, "l.append(x[i]); x[i] = 1;", l="i4", x=X), "text:1:17", "l.append(x[i]); x[i] = 1;",
     "may run several times for an element, so it writes to no array, as to 'x'"),
    (lambda: sycl.select(X, "x = 3"), "condition:1:3", "x = 3", "C writes == to compare"),
    (lambda: sycl.select(X, "x > 0 and x < 3"), "condition:1:7", "x > 0 and x < 3", "C writes && for 'and'"),
    (lambda: sycl.select(PAIRS, "x.w > 1"), "condition:1:3", "x.w > 1", "no member named 'w' in 'x_t'"),
    (lambda: sycl.transform("x[i] + 1", x=X), "expression:1:2", "x[i] + 1", "an array's name is its element"),
    (lambda: sycl.inclusive_scan(X, "a += b"), "op:1:3", "a += b", "cannot assign to variable 'a'"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_the_users_text_and_a_caret(number):
    call, place, line, told = WRONG[number]
    with pytest.raises((sycl.BuildError, sycl.InvalidParameterError)) as error:
        call()
    message = str(error.value)
    assert message.startswith(f"{place}: "), message
    shown = re.search(rf"^ *\d+ \| {re.escape(line)}\n *\| (?P<before> *)\^", message, re.M)
    assert shown and len(shown["before"]) == int(place.rpartition(":")[2]) - 1, message
    assert told in message
    assert "reduction" not in message  # of bodies' numbers, which a condition has not
    assert not re.search(r"map_x|_at\b|syc_|\bt\.combine|_offsets|_count", message), message


# Without a text of the user's.
KEYS = np.array([1, 1, 2])
CALLS = [
    (lambda: sycl.cumsum(X, axis=1.0), "axis: expected None or an int, got 1.0"),
    (lambda: sycl.select(X, None), "condition: expected OpenCL C in x, or a mask of bool, got None"),
    (lambda: sycl.split_by(X, abs), "condition: expected OpenCL C in x, or a mask of bool, got <built-in function abs>"),
    (lambda: sycl.repeat(X, [1, 2, 0, 1, 1], length=9), "length: 9, and the counts make 5"),
    (lambda: sycl.repeat(X, 2, length=9), "length: 9, and the counts make 10"),
    (lambda: sycl.repeat([[1, 2]], 2, 0, length=3), "length: 3, and the counts make 2"),
    (lambda: sycl.repeat(sycl.Buffer(X), sycl.Buffer(X.astype("i4")), length="9"), "length: expected an int, got '9'"),
    (lambda: sycl.repeat(sycl.Buffer(X), sycl.Buffer(X.astype("i4")), length=-1), "length: -1 is negative"),
    (lambda: sycl.scan_by_key(KEYS, [1, 2]), "keys: the shape (3,) for 2 values"),
    (lambda: sycl.scan_by_key([[1, 2]], [[1, 2]]), "values: expected one dimension, got the shape (1, 2)"),
    (lambda: sycl.reduce_by_key(KEYS, sycl.plus, KEYS), "values: expected bool, integers of 8 to 64 bits, float16, float32, "
     "float64, complex64 or complex128, got object"),
    (lambda: sycl.segmented_reduce(X, None), "segments: expected offsets, flags or keys, got None"),
    (lambda: sycl.segmented_reduce(X, ("keys", ["a"] * 5)), "segments: expected bool, integers of 8 to 64 bits, float16, "
     "float32, float64, complex64 or complex128, got <U1"),
    (lambda: sycl.segmented_reduce(X, [0, 4, 2, 5]), "segments: offsets that become smaller, 2 behind 4"),
    (lambda: sycl.generate(3, "l.push(i);", l="i4"), "text:1:1: the list l has l.append(value), and nothing else"),
    (lambda: sycl.generate(3, "int k = i;", l="i4"), "l: the text appends nothing to it: l.append(value)"),
    (lambda: sycl.generate(3, "l.append(i);", l="i4", capacity="a"), "capacity: expected an int, got 'a'"),
    (lambda: sycl.generate(3, "l.append(x[i]);", l="f4", capacity={"k": 3}, x=sycl.Buffer(X)), "capacity: where arguments are "
     "device memory it must be said, since nobody waits for the number of values, and that of the list l is not"),
    (lambda: sycl.generate(3, "l.append(i);", l="i4", preamble=3), "preamble: expected OpenCL C, got 3"),
    (lambda: sycl.diff(X, prepend="a"), "prepend: expected bool, integers of 8 to 64 bits"),
    (lambda: sycl.diff(np.zeros((2, 3)), append=[[1, 2]]), "append: the shape (1, 2), and x has (2, 3); along"),
    (lambda: sycl.diff(np.zeros((2, 3)), prepend=[1, 2]), "prepend: the shape (2,), and x has (2, 3)"),
    (lambda: sycl.make_scan(X), "op: expected a function object such as plus, a BinaryOp, or OpenCL C in a and b, got array"),
    (lambda: sycl.make_scan("a +"), "expression 'a +': it does not mention b"),
    (lambda: sycl.make_scan(map="x; 1"), "map:1:2: a map is one expression, without statements"),
    (lambda: sycl.make_scan(initial="a"), "initial: 'a' is no value of float32"),
    (lambda: sycl.make_scan(axis="a"), "axis: expected None or an int, got 'a'"),
    (lambda: sycl.scanner("f4", sycl.plus), "op: expected a function object such as plus, or a BinaryOp, got 'f4'"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_what_was_given_by_its_name(number):
    call, told = CALLS[number]
    with pytest.raises(sycl.InvalidParameterError) as error:
        call()
    assert str(error.value).startswith(told)


ARGUMENTS = [
    (lambda: sycl.generate(3, "l.append(x);", l="i4", x=None), "generate(): 'x' is None; expected an array, an accessor or a "
     "number\n  given: x=None"),
    (lambda: sycl.generate(3, "l.append(k * y[i]);", l="i4", y=X, k=2**64), "generate(): 'k' does not fit: 18446744073709551616 "
     "has more than 64 bits\n  given: y=float32[5], k=18446744073709551616\n"),
    (lambda: sycl.generate(3, "l.append(x[0]);", l="i4", x=sycl.local(4, "f4")), "text: 'x' is local memory, which the texts"),
    (lambda: sycl.transform("x + y", x=X, y=2**64), "transform(): 'y' does not fit: 18446744073709551616 has more than 64 bits\n"
     "  given: y=18446744073709551616\n"),
    (lambda: sycl.transform("x + y", x=X.astype("f4"), y=1e300), "transform(): 'y' does not fit: 1e+300 is out of range"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(ARGUMENTS)))
def test_arguments_of_the_function_that_was_called(number):
    """No name that the user did not write: neither of the kernel, nor of what it is given besides."""
    call, told = ARGUMENTS[number]
    with pytest.raises(sycl.KernelArgumentError) as error:
        call()
    assert str(error.value).startswith(told)


def test_bounds_of_appended_values():
    """As of any body: what is surely read is known at the launch, and what appending does besides is done when values are
    counted, too."""
    with pytest.raises(sycl.BoundsError, match=r"^text: x\[i\] reaches element 8, and x has 5 elements"):
        sycl.generate(9, "l.append(x[i]);", l="f4", x=X)
    found = sycl.generate(4, "int k = 0; while (k < i) l.append(k++);", l="i4")
    assert found.values.tolist() == [0, 0, 1, 0, 1, 2] and found.offsets.tolist() == [0, 0, 1, 3, 6]
    assert sycl.generate(3, "l.append((l_t){i, 2 * i});", l=PAIR).values["v"].tolist() == [0, 2, 4]
