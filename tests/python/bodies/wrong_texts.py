"""Texts with a mistake, over all faces that take texts: for each the text's name, the line that is quoted, the word that
the caret stands below, and more words of the message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import pysycl as sycl

F = np.arange(64, dtype="f4")
G = np.zeros(64, "f4")
K = np.arange(64, dtype="i4")
Z = np.zeros(64, "c8")
PAIR = np.dtype([("key", "f4"), ("at", "i4")])
P = np.zeros(64, PAIR)
ND = sycl.NdRange((64,), (16,))
LONG = "x[i] = " + " + ".join(["x[i]"] * 200) + " + yy;"


class Case(NamedTuple):
    """One mistake."""

    name: str
    call: Callable[[sycl.Queue], object]
    where: str
    """How the message begins: the text's name."""
    line: str
    """The user's line; in part, where it is long."""
    at: str
    """What the caret stands below; behind the line: ""."""
    says: str = ""


CASES: list[Case] = []


def variables(queue: sycl.Queue, count: int, dtype: Any = "f4") -> sycl.UsmArray:
    """Memory to reduce into; skips where there is none."""
    if not queue.device.has("usm_shared_allocations"):
        pytest.skip("no unified shared memory")
    return sycl.malloc_shared(count, dtype, queue)


def _body(
    name: str,
    text: str,
    at: str,
    *,
    where: str = "body",
    line: str | None = None,
    says: str = "",
    over: Any = 64,
    **given: Any,
) -> None:
    def call(queue: sycl.Queue) -> object:
        made = {
            key: value(queue) if callable(value) and not isinstance(value, type) else value
            for key, value in given.items()
        }
        return queue.parallel_for(over, text, **made)

    CASES.append(Case(name, call, where, text if line is None else line, at, says))


def _reduces(op: Any, dtype: Any = "f4") -> Callable[[sycl.Queue], Any]:
    return lambda queue: sycl.reduction(variables(queue, 1, dtype), op)


def _whole(name: str, function: Callable[[], object], where: str, line: str, at: str, says: str = "") -> None:
    CASES.append(Case(name, lambda _: function(), where, line, at, says))


# -- bodies --

_body("a name that is not given", "x[i] = 2 * y[i];", "y[i]", x=F, says="No argument 'y' is given: 'x' is.")
_body("nearly a name", "x[i] = 2 * Scal;", "Scal", x=F, says="No argument 'Scal' is given: 'x' is.")
_body("a function", "x[i] = sqr(x[i]);", "sqr(", x=F, says="'sqr'")
_body("the second line", "float t = x[i];\n  t = t +* 2;\nx[i] = t;", "* 2", line="  t = t +* 2;", x=F)
_body("no semicolon", "x[i] = 2", "", x=F)
_body("a type", "flaot t = 1; x[i] = t;", "flaot", x=F)
_body("a constant argument", "c = 2; x[i] = c;", "= 2", x=F, c=1.0)
_body("a member", "p[i].kye = 1;", "kye", p=P, says="kye")
_body("a second of two", "x[i] = a + a + b + b;", "b + b", x=F, a=1.0)
_body("a long line", LONG, "yy", line="+ yy;", x=F)
_body("tabs", "\tx[i]\t=\tyy;", "yy", x=F)
_body("an id of another range", "x(i0, i1) = i2;", "i2", over=(8, 8), x=F.reshape(8, 8), says="There is no 'i2' here")
_body("nd-range", "x[i] = local_id(0) + y;", "y;", over=ND, x=F)
_body("a brace", "if (x[i] > 0) { x[i] = 1;", "{", x=F)
_body("a brace too many", "x[i] = 1; }", "}", x=F)
_body("an option", "x[i] = W;", "W", x=F, options="-DW=yy")
_body("preamble", "x[i] = h(x[i]);", "w;", where="preamble", line="float h(float v) { return v * w; }", x=F,
      preamble="float h(float v) { return v * w; }")  # fmt: skip
_body("preamble, second line", "x[i] = h(x[i]);", "; }", where="preamble", line="{ return v ** ; }", x=F,
      preamble="float h(float v)\n{ return v ** ; }")  # fmt: skip
_body("a macro's reducer", "ADD(x[i]);", "r +=", where="preamble", line="#define ADD(v) r += v", x=F,
      r=_reduces(sycl.plus), preamble="#define TWICE(x) (2 * x)\n#define ADD(v) r += v",
      says="the reducer 'r' is known in the body only: define the macro 'ADD' there")  # fmt: skip
_body("a macro's reducer beside another use", "r += 1; ADD(x[i]);", "r.", where="preamble", x=F, r=_reduces(sycl.plus),
      line="#define ADD(v) r.combine(v)", preamble="#define ADD(v) r.combine(v)")  # fmt: skip
_body("a helper's reducer", "r += 1; add(x[i]);", "r +=", where="preamble", line="void add(float v) { r += v; }", x=F,
      r=_reduces(sycl.plus), preamble="void add(float v) { r += v; }", says="'r' is known in the body only")  # fmt: skip
_body("a helper's array", "x[i] = first();", "x[0]", where="preamble", line="float first() { return x[0]; }", x=F,
      preamble="float first() { return x[0]; }", says="'x' is known in the body only")  # fmt: skip
_body("a struct's type", "pair v = p[i]; x[i] = v.key;", "pair", p=P, x=F,
      says="No argument 'pair' is given: 'p' and 'x' are. Types of structs: 'p_t'.")  # fmt: skip
_body("a reducer's type", "best.combine(made(p[i]));", "pair", where="preamble", line="pair made(p_t v) { return v; }", p=P,
      best=_reduces(sycl.BinaryOp("a.key < b.key ? a : b"), PAIR), preamble="pair made(p_t v) { return v; }",
      says="Types of structs: 'p_t', 'best_t'.")  # fmt: skip
_body("an operator's expression", "r += x[i];", "r +=", x=F, r=_reduces(sycl.BinaryOp("a * b", identity=1)),
      says="the reducer 'r' combines by 'a * b', and not by '+='")  # fmt: skip
_body("an operator's operands", "best.combine(p[i]);", "+ b", where="operator of best", line="a + b", p=P,
      best=_reduces(sycl.BinaryOp("a + b"), PAIR), says="('T' and 'T')")  # fmt: skip
_body("an operator for a value", "x[i] = least * x[i];", "least", x=F, least=sycl.BinaryOp("a < b ? a : b"),
      says="'least' is an operator: group functions take it")  # fmt: skip
_body("a variable's number", "bins[x[i]] += 1;", "x[i]", x=F, says="('int' and 'float')",
      bins=lambda queue: sycl.reduction(sycl.span(variables(queue, 4)), sycl.plus))  # fmt: skip
_body("a constant's name", "x[i] = c * 2;", "c *", x=F, c=sycl.SpecConstant("f4", 2.0), says="its value is SPEC(c)")

# -- groups and their operators --

_body(
    "no operator",
    "x[i] = group_reduce(work_group, x[i], pluss);",
    "group_reduce",
    over=ND,
    x=F,
    says="'pluss' is no operator",
)
_body("a group's operator", "x[i] = group_reduce(work_group, x[i], least);", "group_reduce", over=ND, x=F,
      least=sycl.BinaryOp("a < c ? a : b"), says="In operator least there is no 'c', but a, b and T")  # fmt: skip
_body("a group's operator of structs", "p[i] = group_reduce(work_group, p[i], least);", "group_reduce", over=ND, p=P,
      least=sycl.BinaryOp("a.kye < b.key ? a : b"), says="'a.kye < b.key ? a : b'")  # fmt: skip

# -- reducers --

for _over in (64, ND):
    _body(
        f"reducer's value, {_over}",
        "r += x[i] * yy;",
        "yy",
        over=_over,
        x=F,
        r=_reduces(sycl.plus),
        says="'x' and 'r' are",
    )
    _body(f"reducer's operator, {_over}", "r.combine(x[i]);", "c * b", over=_over, where="operator of r",
          line="a + c * b", x=F, r=_reduces(sycl.BinaryOp("a + c * b", identity=0)),
          says="In operator of r there is no 'c', but a, b and T")  # fmt: skip
_body("reducer's operator's function", "r.combine(x[i]);", "sqr", where="operator of r", line="sqr(a) + b", x=F,
      r=_reduces(sycl.BinaryOp("sqr(a) + b", identity=0)))  # fmt: skip
_body("reducer's operator of structs", "r.combine(p[i]);", "kye", where="operator of r", line="a.kye < b.key ? a : b", p=P,
      r=_reduces(sycl.BinaryOp("a.kye < b.key ? a : b", identity=np.zeros((), PAIR)[()]), PAIR))  # fmt: skip
_body("another operator", "r *= x[i];", "r *=", x=F, r=_reduces(sycl.plus), says="combines by plus")
_body("reading a reducer", "x[i] = r;", "r;", x=F, r=_reduces(sycl.plus))
_body("a reducer's type", "r.combine(p[i]);", "p[i]", p=P, r=_reduces(sycl.plus))
_body("an array of variables", "r[k[i] % 4] += yy;", "yy", k=K,
      r=lambda queue: sycl.reduction(sycl.span(variables(queue, 4), 4), sycl.plus))  # fmt: skip
_body("variables by constants", "r[0] += 1; r[1] += yy;", "yy",
      r=lambda queue: sycl.reduction(sycl.span(variables(queue, 4), 4), sycl.plus))  # fmt: skip

# -- hierarchical --


def _groups(text: str) -> Callable[[sycl.Queue], object]:
    def call(queue: sycl.Queue) -> None:
        with queue.submit() as h:
            h.parallel_for_work_group((4,), (16,), text, x=F)

    return call


_GROUP = "float t = zz;\nparallel_for_work_item() { x[global_id(0)] = t; }"
_ITEM = "float t = 1;\nparallel_for_work_item() { x[global_id(0)] = t * tt; }"
CASES.append(Case("a group's text", _groups(_GROUP), "body", "float t = zz;", "zz"))
CASES.append(Case("an item's text", _groups(_ITEM), "body", _ITEM.split("\n")[1], "tt"))

# -- whole arrays --

_X, _AB = "In map there is no '{}', but x", "In op there is no '{}', but a, b and T"
for _name in [
    "sum",
    "prod",
    "min",
    "max",
    "any",
    "all",
    "mean",
    "var",
    "std",
    "count_nonzero",
    "norm",
    "minmax",
    "reduce",
]:
    _face = getattr(sycl, _name)
    _whole(f"map of {_name}", lambda face=_face: face(F, map="sqr(x)"), "map", "sqr(x)", "sqr", _X.format("sqr"))  # type: ignore[misc]
_whole("map, wrong case", lambda: sycl.sum(F, map="X * x"), "map", "X * x", "X", _X.format("X"))
_whole("map, lines", lambda: sycl.sum(F, map="x *\n  zz"), "map", "  zz", "zz", _X.format("zz"))
_whole("map, no end", lambda: sycl.sum(F, map="x * "), "map", "x * ", " ")
_whole("map, member", lambda: sycl.sum(F, map="x.y"), "map", "x.y", ".y")
_whole("map, in vectors", lambda: sycl.sum(F, map="x + sin(x, x)"), "map", "x + sin(x, x)", "sin")
_whole("map, ints", lambda: sycl.sum(K, map="x << yy"), "map", "x << yy", "yy")
_whole("map, complex", lambda: sycl.sum(Z, map="x + foo_"), "map", "x + foo_", "foo_")
_whole("map, buffer", lambda: sycl.sum(sycl.Buffer(F), map="sqr(x)"), "map", "sqr(x)", "sqr")
_whole("map, axis", lambda: sycl.sum(F.reshape(8, 8), axis=0, map="1 + sqr(x)"), "map", "1 + sqr(x)", "sqr")
_whole("map, where", lambda: sycl.sum(F, where=F > 3, map="1 + sqr(x)"), "map", "1 + sqr(x)", "sqr")
_whole("map, bracket", lambda: sycl.sum(F, map="(x * 2"), "map", "(x * 2", "(")
_whole("map, second bracket", lambda: sycl.sum(F, map="x * 2)"), "map", "x * 2)", ")")
_whole("map, statement", lambda: sycl.sum(F, map="x * 2;"), "map", "x * 2;", ";")
_whole("map, comment", lambda: sycl.sum(F, map="x * 2 /* x"), "map", "x * 2 /* x", "/*")
_whole("map, groups", lambda: sycl.sum(F, map="barrier(1)"), "map", "barrier(1)", "barrier", "it needs work-groups")
_whole("op, structs", lambda: sycl.reduce(P, "a + b"), "op", "a + b", "+ b", "('T' and 'T')")
_whole("op", lambda: sycl.reduce(F, "a + b * c"), "op", "a + b * c", "c", _AB.format("c"))
_whole("op, function", lambda: sycl.reduce(F, "mx(a, b)"), "op", "mx(a, b)", "mx", _AB.format("mx"))
_whole("op, syntax", lambda: sycl.reduce(F, "a + * * b"), "op", "a + * * b", "* b")
_whole("op, axis", lambda: sycl.reduce(F.reshape(8, 8), "mx(a, b)", axis=1), "op", "mx(a, b)", "mx")
_whole("op, structs", lambda: sycl.reduce(P, "a.kye < b.key ? a : b"), "op", "a.kye < b.key ? a : b", "kye")
_whole("op, types", lambda: sycl.reduce(F, "a & b"), "op", "a & b", "&")
_whole("op, statement", lambda: sycl.reduce(F, "a + b;"), "expression 'a + b;'", "a + b;", ";")
_whole("op and map", lambda: sycl.reduce(F, sycl.BinaryOp("a + b", identity=0), map="x + y"), "map", "x + y", "y")
_whole("make_reduce, map", lambda: sycl.make_reduce(sycl.plus, "f4", map="sqr(x)").plan(100), "map", "sqr(x)", "sqr")
_whole("make_reduce, op", lambda: sycl.make_reduce("mx(a, b)", "f4")(F), "op", "mx(a, b)", "mx")

# -- structs: messages call their types as the text may --

TRIPLE = np.dtype([("u", "f4"), ("v", "f4"), ("w", "f4")])
Q = np.zeros(64, TRIPLE)
_ADD = sycl.BinaryOp("a + b")
_whole(
    "map, struct",
    lambda: sycl.reduce(P, "a.at < b.at ? a : b", map="x + 1"),
    "map",
    "x + 1",
    "+ 1",
    "('x_t' and 'int')",
)
_whole("map, another struct", lambda: sycl.reduce(P, "a.u < b.u ? a : b", map="x", dtype=TRIPLE), "map", "x", "x",
       "'T' with an expression of incompatible type 'x_t'")  # fmt: skip
for _of in (
    lambda op, **how: sycl.reduce(P, op, **how),
    lambda op, **how: sycl.inclusive_scan(P, op, **how),
):
    _whole("map's type", lambda of=_of: of("a.u < b.u ? a : b", map="x.at + (T){1, 2, 3}", dtype=TRIPLE), "map",  # type: ignore[misc]
           "x.at + (T){1, 2, 3}", "+", "('int' and 'T')")  # fmt: skip
_whole("map's names", lambda: sycl.inclusive_scan(P, "a.u < b.u ? a : b", map="(T){q, 2, 3}", dtype=TRIPLE), "map",
       "(T){q, 2, 3}", "q", "In map there is no 'q', but x and T, and")  # fmt: skip
_whole("scan's operator", lambda: sycl.inclusive_scan(P, _ADD), "op", "a + b", "+ b", "('T' and 'T')")
_whole("operator by key", lambda: sycl.reduce_by_key(K, P, _ADD), "op", "a + b", "+ b", "('T' and 'T')")
_whole("condition", lambda: sycl.select(P, "x > 1"), "condition", "x > 1", "> 1", "('x_t' and 'int')")
_whole("by", lambda: sycl.sort(P, by="a < b"), "by", "a < b", "< b", "('x_t' and 'x_t')")
_body("two operators of structs", "r.combine(p[i]); s.combine(q[i]);", "+ b", where="operator of s", line="a + b", p=P, q=Q,
      r=_reduces(sycl.BinaryOp("a.at < b.at ? a : b"), PAIR), s=_reduces(sycl.BinaryOp("a + b"), TRIPLE),
      says="('T' and 'T')")  # fmt: skip
_whole(
    "transform",
    lambda: sycl.transform("p + q", p=P, q=Q, dtype=PAIR),
    "expression",
    "p + q",
    "+ q",
    "('p_t' and 'q_t')",
)
_whole("transform's result", lambda: sycl.transform("q", q=Q, dtype=PAIR), "expression", "q", "q",
       "to 'T' from incompatible type 'q_t'")  # fmt: skip
_whole("transform's names", lambda: sycl.transform("p.at * y", p=P, x=F, dtype="f4"), "expression", "p.at * y", "y",
       "In expression there is no 'y', but p, x, p_t, and")  # fmt: skip
_whole("transform's preamble", lambda: sycl.transform("f(p)", p=P, dtype="f4", preamble="// f\nfloat f(r_t v)\n{ return 1; }"),
       "preamble", "float f(r_t v)", "r_t", "In preamble there is no 'r_t', but p_t, its own names, and")  # fmt: skip

# -- lists --


def _lists(
    name: str, text: str, line: str, at: str, says: str, where: str = "text", over: Any = 8, **given: Any
) -> None:
    _whole(name, lambda: sycl.generate(over, text, **given), where, line, at, says)


_APART = "the list l has l.append(value), and nothing else"
_lists("a list added to", "l.append(i);\nl += 1;", "l += 1;", "l +=", _APART, l="i4")
_lists("a list in a list", "l.append(i); m.append(l);", "m.append(l);", "l);", _APART, l="i4", m="i4")
_lists(
    "a list's value", "l.append(p[i]);", "l.append(p[i]);", "(p", "to 'l_t' from incompatible type 'p_t'", p=P, l=TRIPLE
)
_lists(
    "a list's name", "l.append(x[i]\n + y);", " + y);", "y", "In text there is no 'y', but l, x, i, and", x=F, l="i4"
)
_lists(
    "a list's ids",
    "l.append(i2);",
    "l.append(i2);",
    "i2",
    "In text there is no 'i2', but l, i0, i1, and",
    l="i4",
    over=(2, 3),
)
_lists("a list's preamble", "l.append(f(p[i]));", "int f(r_t v) { return 1; }", "r_t",
       "In preamble there is no 'r_t', but p_t, its own names, and", where="preamble", p=P, l="i4",
       preamble="int f(r_t v) { return 1; }")  # fmt: skip

# -- programs --


def _program(
    name: str, text: str, line: str, at: str, *args: Any, over: Any = 64, says: str = "", **given: Any
) -> None:
    def call(queue: sycl.Queue) -> object:
        made = [each(queue) if callable(each) else each for each in args]
        return queue.parallel_for(over, sycl.Program(text, **given).k, *made)

    CASES.append(Case(name, call, "kernel.cl", line, at, says))


_HEAD = "__kernel void k(__global float *x)\n"
_SUMS = "__kernel void k(__global float *x, reducer(float, plus) r)\n"
_program("program", _HEAD + "{ x[get_global_id(0)] = yy; }", "{ x[get_global_id(0)] = yy; }", "yy", F)
_program("program with constants", _HEAD + "{ x[0] = N * yy; }", "{ x[0] = N * yy; }", "yy", F, constants={"N": 4})
_program("program's reducer", _SUMS + "{ r += x[get_global_id(0)] * yy; }", "{ r += x[get_global_id(0)] * yy; }", "yy", F,
         _reduces(sycl.plus))  # fmt: skip
_program("a macro in front of a program's reducer", "#define ADD(v) r += v\n" + _SUMS + "{ ADD(x[0]); }", "#define ADD(v) r += v",
         "r +=", F, _reduces(sycl.plus), says="the reducer 'r' is known in the kernel only")  # fmt: skip
_program("program's operator", _HEAD + "{ x[0] = group_reduce(work_group, x[0], least); }",
         "{ x[0] = group_reduce(work_group, x[0], least); }", "group_reduce", F, over=ND,
         operators={"least": sycl.BinaryOp("a < c ? a : b")}, says="In operator least there is no 'c'")  # fmt: skip

# -- names that an argument, a member or an option cannot have --

REFUSED = [
    *["M_PI", "FLT_MAX", "CLK_LOCAL_MEM_FENCE", "INFINITY", "NULL", "__LINE__", "INT_MAX", "M_SQRT1_2_F"],
    *["barrier", "work_group_barrier", "sub_group_shuffle", "get_global_id", "vload4"],
    *["float", "int4", "for", "half", "size_t", "kernel", "__global", "work_group", "i", "n0", "global_id"],
]
MEMBERS = ["float", "if", "M_PI", "DBL_EPSILON"]
