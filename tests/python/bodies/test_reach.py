"""Launches are refused whose work-items surely touch what is not there: which accesses are seen, and what is said."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core


@pytest.fixture(scope="module")
def q() -> Iterator[sycl.Queue]:
    with sycl.Queue() as queue:
        yield queue


def array(*shape: int, dtype: Any = "f4") -> np.ndarray:
    return np.zeros(shape, dtype)


X8, X12, X11, M34, M31 = array(8), array(12), array(11), array(3, 4), array(3, 1)
N9, N8 = np.int32(9), np.int32(8)
POINT = np.dtype([("a", "f4"), ("b", "i4")])
ROWS = np.dtype([("a", "f4", (4,)), ("b", "i4")])

# Range, text, arguments, what is said; None: nothing.
SEEN: list[tuple[Any, str, dict[str, Any], str | None]] = [
    (12, "s[i] = 1;", {"s": X12}, None),
    (12, "s[i] = 1;", {"s": X8}, r"^body: s\[i\] reaches element 11, and s has 8 elements \(range 12; line 1, column 1 of"),
    (12, "s[i - 1] = 1;", {"s": X12}, r"s\[i - 1\] reaches element -1, and s has 12 elements"),
    (12, "s[11 - i] = 1;", {"s": X12}, None),
    (12, "s[11 - i] = 1;", {"s": X11}, "reaches element 11"),
    (12, "s[c - i] = 1;", {"s": X12, "c": np.int64(10)}, "reaches element -1"),
    (4, "s[a * i + b] = 1;", {"s": X12, "a": np.int16(3), "b": np.int32(2)}, None),
    (4, "s[a * i + b] = 1;", {"s": X12, "a": np.int16(3), "b": np.int32(3)}, "reaches element 12"),
    (0, "s[i + 99] = 1;", {"s": X8}, None),
    (8, "y[i + 1] = x[i] + x[i - 1];", {"x": X8, "y": X12}, r"x\[i - 1\] reaches element -1"),
    (12, "if (i < 4) y[i + 1] = 1; x[i] = 2;", {"x": X8, "y": X8}, r"x\[i\] reaches element 11"),
    (5, "*s = 1; *(s + 7) = i;", {"s": X8}, None),
    (5, "*(s + i + 4) = i;", {"s": X8}, r"\*\(s \+ i \+ 4\) reaches element 8"),
    (5, "(s + 4)[i] = i;", {"s": X8}, "reaches element 8"),
    (3, "vstore4(vload4(i, s), i, s);", {"s": X12}, None),
    (3, "vstore4(vload4(i, s), i, s);", {"s": X11}, r"vload4\(i, s\) reaches element 11, and s has 11"),
    ((3, 4), "x[i0 * n1 + i1] = 1;", {"x": M34}, None),
    ((3, 4), "x[i0 * n1 + i1] = y[i1];", {"x": M34, "y": array(3)},
     r"y\[i1\] reaches element 3, and y has 3 elements \(range \(3, 4\)"),
    ((3, 4), "x(i0, i1) = y(i0, i1);", {"x": M34, "y": M31},
     r"y\(i0, i1\) reaches index 3 in dimension 1, where the size of y is 1: its shape is \(3, 1\)"),
    ((3, 4), "x(i0, i1) = y(i0, 0);", {"x": M34, "y": M31}, None),
    ((3, 4), "x(i0 + 1, i1) = 1;", {"x": M34}, "reaches index 3 in dimension 0"),
    ((3, 4), "x(i0 - 1, i1) = 1;", {"x": M34}, "reaches index -1 in dimension 0"),
    ((2, 3, 4), "x(i0, i2, i1) = 1;", {"x": array(2, 3, 4)}, "reaches index 3 in dimension 1"),
    ((3, 4), "x[i] = 1;", {"x": X11}, r"x\[i\] reaches element 11"),
    ((3, 4), "x[i - i1] = x[i0 * 4 + i1];", {"x": X12}, None),  # all in one: i is i0 * n1 + i1
    (6, "for (int k = 0; k < 2; k++) x[2 * i + k] = k;", {"x": X12}, None),
    (6, "for (int k = 0; k < 2; k++) x[2 * i + k] = k;", {"x": X11}, r"reaches element 11, and x has 11"),
    (6, "for (int k = 0; k <= n; k += 2) x[k] = i;", {"x": X8, "n": N9}, "reaches element 8"),
    (6, "for (int k = n; k-- > 0;) x[k] = i;", {"x": X8, "n": N9}, None),  # not one that is understood
    (6, "for (int k = n - 1; k >= 0; k--) x[k] = i;", {"x": X8, "n": N9}, "reaches element 8"),
    (6, "for (int k = 0; k < n; k++) if (k != 8) x[k] = i;", {"x": X8, "n": N9}, None),
    (6, "for (int r = 0; r < 2; r++) for (int k = 0; k < 4; k++) x[4 * r + k] = i;", {"x": array(7)}, "reaches element 7"),
    (None, "for (int k = 0; k < 9; k++) x[k] = k;", {"x": X8}, r"reaches element 8, and x has 8 elements \(a single task"),
    (12, "x[i].b = 1;", {"x": array(11, dtype=POINT)}, r"x\[i\] reaches element 11"),
    (12, "x->b = i;", {"x": array(0, dtype=POINT)}, "reaches element 0, and x has 0 elements"),
    (12, "const long at = i + 1; x[at] = 1;", {"x": X12}, r"x\[at\] reaches element 12"),
    (12, "if (i < n) x[i] = 1;", {"x": X8, "n": N8}, None),
    (12, "if (i < n) x[i] = 1;", {"x": X8, "n": N9}, "reaches element 8"),
    (12, "if (i <= n) { x[i] = 1; }", {"x": X8, "n": N8}, "reaches element 8"),
    (12, "if (n > i) x[i] = 1; else x[i - n] = 2;", {"x": X8, "n": N8}, None),
    (12, "if (i >= n) return; x[i] = 1;", {"x": X8, "n": N8}, None),
    (12, "if (i >= n) return; x[i] = 1;", {"x": X8, "n": N9}, "reaches element 8"),
    (12, "if (i > 0 && i + 1 < n0) x[i - 1] = x[i + 1];", {"x": X12}, None),
    (12, "if (i > 0 && i < n0) x[i - 1] = x[i + 1];", {"x": X12}, "reaches element 12"),
    (12, "x[i] = i > 0 ? x[i - 1] : x[i + 1];", {"x": X12}, None),
    (12, "x[i] = i > 0 && x[i - 1] > 0;", {"x": X12}, None),
    (12, "if (i == 3) x[i] = 1;", {"x": array(4)}, None),
    (12, "if (i == 3) x[i] = 1;", {"x": array(3)}, "reaches element 3"),
    (12, "if (i != 0 && i != 11) x[i - 1] = x[i + 1];", {"x": X12}, None),
    ((3, 4), "if (i0 < 2 && i1 > 0) x(i0 + 1, i1 - 1) = 1;", {"x": M34}, None),
    (sycl.NdRange(8, 4), "x[group_id(0) * local_range(0) + local_id(0)] = 1;", {"x": X8}, None),
    (sycl.NdRange(8, 4), "x[group_id(0) * local_range(0) + local_id(0) + 1] = 1;", {"x": X8}, "reaches element 8"),
    (sycl.NdRange(8, 4), "x[global_id(0)] = i;", {"x": array(7)}, "reaches element 7"),
    (sycl.NdRange(8, 4), "t[local_id(0)] = 1; x[i] = t[0];", {"x": X8, "t": sycl.local(3, np.float32)}, "t has 3 elements"),
    (sycl.NdRange(8, 4), "t[local_id(0)] = 1; group_barrier(work_group); x[i] = t[0];", {"x": X8, "t": sycl.local(3, np.float32)},
     r"t\[local_id\(0\)\] reaches element 3, and t has 3 elements"),
    (sycl.NdRange(8, 4), "x[i + 1] = group_reduce(work_group, x[i], plus);", {"x": X8}, "reaches element 8"),
    (sycl.NdRange(8, 4), "float s = group_reduce(work_group, i < 7 ? x[i + 1] : 0.0f, plus); x[i] = s;", {"x": X8}, None),
    (8, "int a = ({ if (i > 2) return; 1; }); x[i + 6 * a] = a;", {"x": X8}, None),  # a text's own: what follows is not told
    (sycl.NdRange(8, 4, 2), "x[i] = global_id(0);", {"x": X8}, None),
    (12, "x[i] = 1;", {"x": array(24)[::2]}, None),
    (12, "x[i] = 1;", {"x": array(24)[::3]}, "and x has 8 elements"),
]  # fmt: skip

# What may be lawful, and nobody can tell.
NOT_SEEN = [
    "if (i * 7 % 5 < n) x[i] = 1;",
    "if (y[0] > 0) x[i] = 1;",
    "while (y[0] > 0) x[i] = 1;",
    "for (int k = 0; k < y[0]; k++) x[i] = 1;",
    "for (int k = 0; k < 4; k++) { if (y[k] == 0) break; x[i] = 1; }",
    "for (int k = 0; k < 4; k++) { if (y[k] == 0) continue; x[i] = 1; }",
    "if (y[0] == 0) return; x[i] = 1;",
    "if (i > 3) { if (y[0] == 0) return; } x[i] = 1;",
    "{ if (i > 3) { if (y[0] == 0) return; } x[i] = 1; }",
    "int k = i; k %= 8; x[k] = 1;",
    "int k = 0; k += i < 8 ? i : 0; x[k] = 1;",
    "{ long i = 3; x[i] = 1; }",
    "{ float x[12]; x[i] = 1; (void)x[0]; } (void)x[0];",
    "__global float *z = &x[12]; (void)z;",
    "__global float *z = x + 12; (void)z;",
    "(void)sizeof(x[99]);",
    "(void)(y[0] > 0 && x[i] > 0); (void)(y[0] == 0 || x[i] > 0); (void)(y[0] > 0 ? x[i] : 0);",
    "x[i % 8] = 1; x[i & 7] = 2; x[i / 2] = 3; x[i >> 1] = 4;",
    "x[(uchar)(i * 256)] = 1; x[(uint)(4294967295u * 2u) * 0] = 1;",
    "x[min((int)i, 7)] = 1;",
    "switch (n) { case 1: x[i] = 1; }",
    "goto end; x[i] = 1; end: ;",
    "if (n == 1) x[i] = 1; else if (n == 2) x[i] = 2;",
    "if ((uint)i - 4u < 4u) x[i] = 1;",
    "for (uint k = 0; k + 1 < n; k++) { x[k & 7] = 1; k += 2; }",
    "__global float *x8 = x; x8 += 4; x8[i < 4 ? i : 0] = 1;",
    "do { if (y[0] == 0) break; x[i] = 1; } while (0);",
    "#define AT(k) ((k) < 8 ? (k) : 7)\nx[AT(i)] = 1;",
]  # fmt: skip


@pytest.mark.parametrize(
    ("where", "text", "arguments", "words"), SEEN, ids=lambda value: value if isinstance(value, str) else ""
)
def test_what_is_seen(q: sycl.Queue, where: Any, text: str, arguments: dict[str, Any], words: str | None) -> None:
    if words is None:
        _core.body_reach(q, where, text, **arguments)
        return
    with pytest.raises(sycl.BoundsError, match=words) as caught:
        _core.body_reach(q, where, text, **arguments)
    assert isinstance(caught.value, (IndexError, sycl.AccessorError))


@pytest.mark.parametrize("text", NOT_SEEN)
def test_what_nobody_can_tell(q: sycl.Queue, text: str) -> None:
    given = {"x": X8, "y": X8, "n": N9}
    words = re.findall(r"\w+", text)
    _core.body_reach(q, 12, text, **{name: value for name, value in given.items() if name in words})


def test_an_array_in_a_struct_may_be_an_address(q: sycl.Queue) -> None:
    _core.body_reach(q, 12, "__global float *p = x[i].a; (void)p;", x=array(11, dtype=ROWS))
    with pytest.raises(sycl.BoundsError):
        _core.body_reach(q, 12, "x[i].b = 1;", x=array(11, dtype=ROWS))


def test_nothing_is_launched(q: sycl.Queue) -> None:
    big = array(64)
    with pytest.raises(sycl.BoundsError):
        q.parallel_for(12, "s[i] = 1;", s=big[8:16])
    with pytest.raises(sycl.BoundsError), q.submit() as h:
        h.parallel_for(12, "s[i] = 1;", s=big[8:16])
    q.wait_and_throw()
    assert not big.any()


def test_the_caret_is_in_the_users_text(q: sycl.Queue) -> None:
    """Also where the text was rewritten on its way, and where a macro's text has the access."""
    total = sycl.malloc_shared(1, np.float32, q)
    text = "float v = 0;\ntotal += x[i] + v; total.combine( x[i + 1]);"
    with pytest.raises(sycl.BoundsError) as caught:
        _core.body_reach(q, 12, text, x=X12, total=sycl.reduction(total, sycl.plus))
    lines = str(caught.value).splitlines()
    assert "line 2, column 35 of the body" in lines[0]
    assert lines[1].endswith("total += x[i] + v; total.combine( x[i + 1]);")
    assert lines[1].index("x[i + 1]") == lines[2].index("^")
    with pytest.raises(
        sycl.BoundsError, match=r"x\[i\] reaches element 11, and x has 8 elements \(range 12; line 1 of"
    ):
        _core.body_reach(q, 12, "FIRST = 1;", preamble="#define FIRST x[i]", x=X8)


def test_memory_of_all_kinds(q: sycl.Queue) -> None:
    text = "x[i] = 1;"
    with sycl.Buffer(array(12)) as b:
        for given, fits, fails in ((b, 12, 13), (b[4:8], 4, 5), (sycl.malloc_device(12, np.float32, q), 12, 13)):
            _core.body_reach(q, fits, text, x=given)
            with pytest.raises(sycl.BoundsError, match=f"and x has {fits} elements"):
                _core.body_reach(q, fails, text, x=given)
        with pytest.raises(sycl.BoundsError, match="reaches element 5, and x has 5 elements"), q.submit() as h:
            h.parallel_for(6, text, x=sycl.Accessor(b, h, mode="write", range=5, offset=3))
    with sycl.Buffer(array(4, 6)) as b, q.submit() as h:
        part = sycl.Accessor(b, h, mode="read_write", range=(2, 3), offset=(1, 2))
        with pytest.raises(sycl.BoundsError, match="reaches index 3 in dimension 1, where the size of x is 3"):
            h.parallel_for((2, 4), "x(i0, i1) = 1;", x=part)
        with pytest.raises(sycl.BoundsError, match="reaches element 9, and x has 9 elements"):
            h.parallel_for(10, text, x=part)
        h.parallel_for((2, 3), "x(i0, i1) = 1;", x=part)


def test_prepared_kernels(q: sycl.Queue) -> None:
    x = array(12)
    k = q.kernel(8, "x[i + o] = i;", x=x, o=4)
    k().wait()
    with pytest.raises(sycl.BoundsError, match="reaches element 12"):
        k(o=5)
    with pytest.raises(sycl.BoundsError, match="reaches element 7, and x has 7 elements"):
        k(x=array(7), o=0)
    k(o=0).wait()
    assert x.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7]
    with pytest.raises(sycl.BoundsError):
        q.kernel(9, "x[i + o] = i;", x=x, o=4)


def test_replays(q: sycl.Queue) -> None:
    """With other numbers and arrays than the recorded ones, of several commands; a larger array has room for more."""
    x, y = array(12), array(12)
    ready = q.kernel(8, "y[i + p] = 2;", y=y, p=np.int64(0))
    with q.record() as g:
        q.parallel_for(8, "x[i + o] = 1;", x=x, o=np.int32(0))
        ready(p=np.int64(1))
        q.parallel_for((2, 3), "m(i0 + r, i1) = 3;", m=array(4, 3), r=np.int32(2))
    with pytest.raises(sycl.BoundsError, match=r"x\[i \+ o\] reaches element 12"):
        g.replay(o=np.int32(5))
    with pytest.raises(sycl.BoundsError, match=r"y\[i \+ p\] reaches element 12"):
        g.replay(o=np.int32(4), p=np.int64(5))
    with pytest.raises(sycl.BoundsError, match="reaches index 4 in dimension 0, where the size of m is 4"):
        g.replay(r=np.int32(3))
    wide, rows = array(13), array(5, 3)
    g.replay(o=np.int32(5), x=wide, p=np.int64(4), r=np.int32(3), m=rows).wait()
    assert wide.tolist() == [0] * 5 + [1] * 8
    assert y.tolist() == [0] * 4 + [2] * 8
    assert rows.tolist() == [[0] * 3] * 3 + [[3] * 3] * 2


def test_replays_with_other_accessors(q: sycl.Queue) -> None:
    """Memory in place of a part's has the same part; an accessor brings its own: where it begins, and how far it goes."""
    first, other = (sycl.Buffer(np.zeros(16, "i4")) for _ in range(2))
    rows, plane = sycl.Buffer(np.zeros((4, 5), "i4")), sycl.Buffer(np.zeros((3, 7), "i4"))

    def part(b: sycl.Buffer, range: object, offset: object) -> sycl.Accessor:
        return sycl.Accessor(b, mode="read_write", range=range, offset=offset)

    with q.record() as g:
        with q.submit() as h:
            x, m = part(first, 4, 4), part(rows, (2, 3), (1, 1))
            h.require(x)
            h.parallel_for(4, "x[i + o] += 1;", x=x, o=np.int32(0))
        with q.submit() as h:
            h.require(m)
            h.parallel_for((2, 3), "m(i0, i1 + p) += 1;", m=m, p=np.int32(0))
        q.parallel_for(4, "w[i] += 1;", w=sycl.Parameter("w", other))

    def done(b: sycl.Buffer) -> list[int]:
        return np.flatnonzero(np.asarray(b)).tolist()

    with pytest.raises(sycl.BoundsError, match=r"x\[i \+ o\] reaches element 4, and x has 4 elements"):
        g.replay(x=other, o=np.int32(1))
    with pytest.raises(sycl.BoundsError, match=r"x\[i \+ o\] reaches element 3, and x has 3 elements"):
        g.replay(x=part(other, 3, 9))
    with pytest.raises(sycl.BoundsError, match=r"m\(i0, i1 \+ p\) reaches index 3 in dimension 1"):
        g.replay(m=part(plane, (2, 3), (0, 4)), p=np.int32(1))
    with pytest.raises(sycl.BoundsError, match=r"m\(i0, i1 \+ p\) reaches index 1 in dimension 0"):
        g.replay(m=part(plane, (1, 3), (0, 4)))
    with pytest.raises(sycl.KernelArgumentError, match=r"'w' is an accessor of another kind"):
        g.replay(w=part(first, 4, 4))
    assert done(first) == done(other) == done(plane) == []
    g.replay(x=part(other, 5, 9), o=np.int32(1), m=part(plane, (2, 4), (1, 3)), p=np.int32(1), w=first).wait()
    assert (done(first), done(other)) == ([0, 1, 2, 3], [10, 11, 12, 13])
    assert done(plane) == [7 + 4, 7 + 5, 7 + 6, 14 + 4, 14 + 5, 14 + 6]
    g.replay(w=first).wait()
    assert (done(first), done(rows)) == ([0, 1, 2, 3, 4, 5, 6, 7], [6, 7, 8, 11, 12, 13])


def test_each_launch_is_looked_at(q: sycl.Queue) -> None:
    """The same text and types again, with one thing changed: what was in bounds before says nothing of it."""
    text = "if (i0 < n) x[i0 * w + i1 * 5 + i2 + (int)global_id(0) - (int)i0] += m(i1, i2);"
    x, m, flat = np.zeros(60, "i4"), np.ones((4, 5), "i4"), np.ones((2, 10), "i4")

    def launch(range: object = (3, 4, 5), offset: object = None, **changes: object) -> None:
        given = {"x": x, "m": m, "n": np.int32(3), "w": np.int32(20)} | changes
        q.parallel_for(range, text, offset=offset, **given)

    wrong: list[dict[str, object]] = [
        {"w": np.int32(27)},
        {"x": x[:47]},
        {"m": flat},
        {"m": m[:3]},
        {"range": (3, 5, 5)},
        {"range": (4, 4, 5), "n": np.int32(4), "w": np.int32(18)},
        {"offset": (0, 0, 1)},
    ]
    for changes in wrong:
        for _ in range(2):
            launch()
            with pytest.raises(sycl.BoundsError):
                launch(**changes)
    assert x.sum() == 2 * len(wrong) * 60
    text = "x[local_id(0) + 8 * group_id(0)] = 1;"
    for size in (8, 4):  # of groups
        for _ in range(2):
            q.parallel_for(sycl.NdRange(16, 8), text, x=x[:16])
            if size == 4:
                with pytest.raises(sycl.BoundsError, match="reaches element 27"):
                    q.parallel_for(sycl.NdRange(16, size), text, x=x[:16])
