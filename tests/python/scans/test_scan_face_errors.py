"""Errors of what is made of scans: in the user's words, with the user's text and a caret below what is wrong."""

import re

import numpy as np
import pytest

import pysycl as sycl

X = np.arange(5, dtype=np.float32)
PAIR = [("u", "f4"), ("v", "f4")]
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
    assert not re.search(r"map_x|_at\b|syc_|\bt\.combine|_offsets|_count", message), message
