"""A text is a block of its own: what it declares is its own, whatever it is called."""

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core

N = 100
# Each is right by itself: y[k] is the work-item's element, and x is read-only.
LOCALS = [
    "const long k = i; { const int i = 3; y[k] = x[k] + i; }",
    "const long k = i0; int j, i; i = 3; j = 0; y[k] = x[k] + i + j;",
    "y[i] = x[i] + 3; { float x = 1; x = 2; x++; }",
    "y[i] = x[i] + 3; { float y[2] = {1, 2}, *x = y; x[1] = 7; }",
    "float t = x[i]; for (int x = 0; x < 3; x++) t += 1; y[i] = t;",
    "y[i] = x[i] + 3; struct {int x, i; } s = {1, 2}; s.x = s.i;",
    "const long k = i; const float v = x[i]; { enum { i = 1, x }; y[k] = v + i + x; }",
    "const long k = i; const int n0 = 3, n = 1; y[k] = x[k] + n0 * n;",
    "if (n0 < 0) goto x; y[i] = x[i] + 3; x: ;",
]
FIRST = [  # nothing but the text's own
    "const int i = 3; const long k = global_id(0); y[k] = x[k] + i;",
    "const long i = global_id(0); int i0 = 1, n0 = 2; y[i] = x[i] + i0 + n0;",
    "const long k = i; int a = 3; y[k] = x[k] + a;",
]


@pytest.mark.parametrize("shape", ["item", "loop", None])
def test_locals_of_bodies(queue: sycl.Queue, shape: str | None) -> None:
    x = np.arange(N, dtype=np.float32)
    x.flags.writeable = False
    try:
        _core.force_shape(shape)
        for text in [*LOCALS, *FIRST]:
            y = np.zeros(N, np.float32)
            queue.parallel_for(N, text, x=x, y=y, **({"a": 5} if "int a" in text else {}))
            assert np.array_equal(y, x + 3), text
    finally:
        _core.force_shape(None)


@pytest.mark.parametrize("local", ["", "__local float tile[10]; tile[local_id(0)] = x[global_id(0)];"])
def test_locals_in_work_groups(queue: sycl.Queue, local: str) -> None:
    """Local memory has to stand at the kernel's outermost level; what the text calls its own need not be there then."""
    x, y = np.arange(N, dtype=np.float32), np.zeros(N, np.float32)
    text = local + "const int i = 3, a = 1, n0 = 1; const long k = global_id(0); y[k] = x[k] + i * a * n0;"
    queue.parallel_for(sycl.NdRange(N, 10), text, x=x, y=y, a=7)
    assert np.array_equal(y, x + 3)


REDUCING = [
    "r += x[i];",
    "struct {int r;} s; s.r = x[i]; r += s.r;",
    "struct S {int a, r;}; struct S s = {.r = x[i]}; r.combine(s.r);",
    "r += x[i]; { int r = 3; r = r + 1; }",
    "{ int q, r; r = 3; q = r; r -= q; } r += x[i];",
    "{ int *r = 0; (void)r; } r += x[i];",
    "for (int r = 0; r < 3; r++) {} r += x[i];",
    "for (int r = 0; r < 3; r++) if (r == 1) { int k = r; } r += x[i];",
    "{ enum {a, r}; int k = r; } r += x[i];",
    "if (x[i] < 0) goto r; r += x[i]; r: ;",
    "#define ADD(v) r += (v)\nADD(x[i]);",
    "#define ADD(r) ((r) + 1)\nr += ADD(x[i]) - 1;",
    "#define R r\nR += x[i];",
    "#define TWICE(v) (r += (v), r.combine(v))\nif (x[i] % 2) TWICE(x[i]); else { r += x[i] + 1; } r += (x[i] % 2 ? -x[i] : -1);",
    "int k = x[i] > 5 ? x[i] * 1 : x[i]; r += k;",
    "#ifdef r\n#endif\nr += x[i];",
]


def total(queue: sycl.Queue, text: str, x: np.ndarray, whole: bool) -> int:
    result = np.zeros(1, np.int32)
    with sycl.Buffer(result) as b, queue.submit() as h:
        if whole:
            source = "kernel void k(global const int *x, reducer(int, plus) r) { const int i = get_global_id(0);\n"
            h.parallel_for(N, sycl.Program(source + text + "\n}").k, x, sycl.reduction(b, h, sycl.plus))
        else:
            h.parallel_for(N, text, x=x, r=sycl.reduction(b, h, sycl.plus))
    return int(result[0])


@pytest.mark.parametrize("whole", [False, True], ids=["body", "program"])
def test_what_is_called_like_a_reducer(queue: sycl.Queue, whole: bool) -> None:
    x = np.arange(N, dtype=np.int32)
    for text in REDUCING:
        assert total(queue, text, x, whole) == N * (N - 1) // 2, text


def test_what_is_called_like_an_array_of_reducers(queue: sycl.Queue) -> None:
    """Named by constants, and by others."""
    for k in ("0", "i % 1"):
        text = f"{{ int r[2] = {{1, 2}}; r[1] = 3; }} struct {{int r[2];}} s; s.r[0] = 1; r[{k}] += s.r[0]; r[1] += 2;"
        bins = np.zeros(2, np.int32)
        with sycl.Buffer(bins) as b, queue.submit() as h:
            h.parallel_for(N, text, r=sycl.reduction(h.read_write(b), sycl.plus))
        assert bins.tolist() == [N, 2 * N]


def test_a_reducer_is_still_no_variable(queue: sycl.Queue) -> None:
    x = np.arange(N, dtype=np.int32)
    for text in ("{ int r = 1; } x[i] + r;", "r += x[i]; int k = r;", "for (int r = 0; r < 2; r++) ; r = 3;"):
        with pytest.raises(sycl.BuildError, match="the reducer 'r'"):
            total(queue, text, x, False)
