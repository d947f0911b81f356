"""Second texts that are a condition and a statement: elements are chosen without jumps where the statement stores where it
was counted to (csrc/body/scan/second.c). Texts beside those, which look like them, mean what they say."""

from __future__ import annotations

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl
from pysycl import _core

N = 3001

TEXTS = {
    "a statement": "if (t != t.before) y[t.before] = x[i];",
    "braces": "if (t != t.before) { const uint at = t.before; y[at] = x[i]; }",
    "lines": "if (t !=\n    t.before) // kept\n\n  y[t - 1] =\n x[i];",
    "continued": "if (t != \\\n t.before) y[t.before] \\\n = x[i];",
    "return": "if (t == t.before) return; y[t.before] = x[i];",
    "returns": "if (t != t.before) { if (t.before < 0) return; y[t.before] = x[i]; }",
    "else": "if (t == t.before) ; else y[t.before] = x[i];",
    "else behind": "if (t != t.before) y[t.before] = x[i]; else y[n0 - 1] = -1;",
    "two": "if (t != t.before) y[t.before] = 3; if (t != t.before) y[t.before] = x[i];",
    "a block and more": "if (t == 0) { y[t] = 0; } if (t != t.before) y[t.before] = x[i];",
    "an if within": "if (t != t.before) if (t.before + 1 == t) y[t.before] = x[i];",
    "an if with an else": "if (t != t.before) if (t == t.before) y[t] = 7; else y[t.before] = x[i];",
    "a loop": "if (t != t.before) for (uint k = t.before; k < t; k++) y[k] = x[i];",
    "a loop and more": "if (t == 0) for (int k = 0; k < 1; k++) { y[t] = 0; } if (t != t.before) y[t.before] = x[i];",
    "a comma": "if (t.before, t != t.before) y[t.before] = x[i];",
    "a macro": "#define KEPT if (t != t.before)\nKEPT y[t.before] = x[i];",
    "a directive": "if (t != t.before)\n#ifdef NONE\n y[0] = 0;\n#else\n y[t.before] = x[i];\n#endif",
}


@pytest.mark.parametrize(
    ("name", "row"),
    sweep(
        [(name, row) for name in TEXTS for row in (None, "small tiles")],
        [("a statement", None), *((name, "small tiles") for name in TEXTS)],
    ),
)
def test_of_a_condition(queue, name, row):
    _core.force_scan_row(row)
    try:
        rng = np.random.default_rng(len(name))
        for share in (0.5, 0.01, 0.0, 1.0) if name == "a statement" else (0.4,):
            x = np.where(rng.random(N) < share, rng.integers(1, 99, N), 0).astype("i4")
            x[-1] = 0 if share < 1 else 5
            y = np.full(N, -1, "i4")
            queue.parallel_scan(N, "t += x[i] > 0;", TEXTS[name], x=x, y=y, t=sycl.scanner(sycl.plus, "u4")).wait()
            kept = x[x > 0]
            np.testing.assert_array_equal(y, np.append(kept, np.full(N - kept.size, -1)))
    finally:
        _core.force_scan_row(None)


def test_the_condition_reads_what_the_statement_writes_in_place(queue):
    x = np.arange(N, dtype="i4") % 7
    want = np.where(x > 3, 10 * x + np.cumsum(x > 3) % 10, x)
    queue.parallel_scan(
        N, "t += x[i] > 3;", "if (x[i] > 3) { const int at[1] = {i}; x[at[t * 0]] = 10 * x[i] + t % 10; }",
        x=x, t=sycl.scanner(sycl.plus, "i4"),
    ).wait()  # fmt: skip
    np.testing.assert_array_equal(x, want)


@pytest.mark.parametrize(
    ("dtype", "row"),
    sweep(
        [(dtype, row) for dtype in ("u1", "i2", "u4", "i8", "f4") for row in (None, "small tiles")],
        [("u1", None), ("u4", None), ("i2", "small tiles"), ("i8", "small tiles"), ("f4", "small tiles")],
    ),
)
def test_of_what_contributes(queue, dtype, row):
    """The condition that a sum changes: by whatever it is, also beyond its type's range, beside another scanner."""
    rng = np.random.default_rng(7)
    x = np.where(rng.random(N) < 0.4, rng.integers(-3, 100, N), 0).astype(dtype)
    count, sums, at = np.zeros(1, dtype), np.zeros(N, dtype), np.full(N, -1, "i4")
    with np.errstate(over="ignore"):
        every = np.add(np.cumsum(x, dtype=dtype), np.dtype(dtype).type(5), dtype=dtype)
    chosen = np.flatnonzero(x)
    _core.force_scan_row(row)
    try:
        queue.parallel_scan(
            N, "t += x[i]; k += x[i] != 0;", "if (t.before != t) { sums[k.before] = t; at[k - 1] = i; }",
            x=x, sums=sums, at=at, t=sycl.scanner(sycl.plus, dtype, initial=5, total=count),
            k=sycl.scanner(sycl.plus, "u4"),
        ).wait()  # fmt: skip
    finally:
        _core.force_scan_row(None)
    np.testing.assert_array_equal(at[: chosen.size], chosen)
    assert (at[chosen.size :] == -1).all()
    np.testing.assert_array_equal(sums[: chosen.size], every[chosen])
    assert count[0] == every[-1]


@pytest.mark.parametrize("axis", [0, 1])
def test_of_what_contributes_along_lines(queue, axis):
    x = np.random.default_rng(8).integers(-1, 2, (37, 2113)).astype("i4")
    y = np.zeros_like(x)
    queue.parallel_scan(
        x.shape, "t += x(i0, i1);", "if (t != t.before) y[i0 * n1 + i1 + 0 * t] = t;",
        axis=axis, x=x, y=y, t=sycl.scanner(sycl.plus, "i4"),
    ).wait()  # fmt: skip
    np.testing.assert_array_equal(y, np.where(x != 0, np.cumsum(x, axis), 0))


# -- a second text that only stores --


def past(launch):
    return "nontemporal" in launch.source


@pytest.mark.parametrize(
    ("word", "dtype"),
    sweep(
        [(word, dtype) for word in ("t", "t.before") for dtype in ("u1", "i2", "i4", "f4", "i8")],
        [("t", "u1"), ("t", "i8"), ("t.before", "i2"), ("t.before", "f4"), ("t.before", "i4")],
    ),
)
def test_results_go_past_the_caches(queue, dtype, word):
    """At any address, with elements in front of the first whole vector and behind the last."""
    if not queue.device._facts["shares_host_memory"]:
        pytest.skip("this is for CPUs")
    rng = np.random.default_rng(9)
    _core.force_scan_row("small tiles")
    try:
        for n in (1, 15, 37, 38, 1000, 4099):
            for at in (0, 1, 7):
                x, whole = rng.integers(0, 9, n).astype(dtype), np.full(n + 9, 77, dtype)
                launch = queue.scan_kernel(
                    n,
                    "t += x[i];",
                    f"y[i] = {word};",
                    x=x,
                    y=whole[at : at + n],
                    t=sycl.scanner(sycl.plus, dtype, initial=3),
                )
                assert past(launch)
                launch().wait()
                want = 3 + np.cumsum(x, dtype=dtype) - (x if word == "t.before" else 0)
                np.testing.assert_array_equal(whole[at : at + n], want.astype(dtype))
                assert (whole[:at] == 77).all() and (whole[at + n :] == 77).all()
    finally:
        _core.force_scan_row(None)


def test_other_results_do_not(queue):
    x, y, wide = np.ones((40, 50), "i4"), np.zeros((40, 50), "i4"), np.zeros((40, 50), "i8")
    other = sycl.BinaryOp("a > b ? a : b")
    texts = [
        ("y[i] = t;", {"reverse": True}), ("y[i] = t;", {"axis": 0}), ("y[i] = t; ;", {}), ("y[i] += t;", {}), ("y[i] = -t;", {}),
        ("y[i + 0] = t;", {}), ("if (t > 0) y[i] = t;", {}), ("wide[i] = t;", {"wide": wide}),
        ("y[i] = t;", {"preamble": "#define NONE"}),
        ("y[i] = t;", {"t": sycl.scanner(other, "i4", initial=0)}),
    ]  # fmt: skip
    _core.force_scan_row("small tiles")
    try:
        for second, more in texts:
            given = {"x": x, "y": y, "t": sycl.scanner(sycl.plus, "i4"), **more}
            if "wide" in more:
                del given["y"]
            assert not past(queue.scan_kernel(x.shape, "t.combine(x[i]);", second, **given)), second
        lines = {"axis": 1, "x": x, "y": y, "t": sycl.scanner(sycl.plus, "i4")}
        assert past(queue.scan_kernel(x.shape, "t += x[i];", "y[i] = t;", **lines)) == queue.device.is_cpu
    finally:
        _core.force_scan_row(None)
    few = queue.scan_kernel(x.shape, "t += x[i];", "y[i] = t;", x=x, y=y, t=sycl.scanner(sycl.plus, "i4"))
    assert not past(few)


@pytest.mark.parametrize("dtype", sweep(["u1", "i2", "i4", "f4", "i8", "f8"], ["u1", "i4", "f8"]))
def test_results_go_from_registers(queue, dtype):
    """Of more bytes than caches hold, where loops become vectors: whole vectors of the result, wherever it begins; but sums
    of floating-point numbers that are to be the same each time."""
    if not queue.device.is_cpu or str(queue.device._facts["items"]) == "singly":
        pytest.skip("this is for CPUs")
    looped = str(queue.device._facts["items"]) == "looped"
    size = np.dtype(dtype).itemsize
    n = (16 << 20) // size + 7001
    x = np.random.default_rng(3).integers(0, 3, n).astype(dtype)
    x[-1], bits = 2, b""
    want = 3 + np.cumsum(x, dtype="u8" if x.dtype.kind in "iu" else "f8")
    for row in ("one work-item", "chained tiles"):
        for at in (0, 1, 7) if row == "one work-item" else (5,):
            for determinism in ("any", "run_to_run"):
                whole, total = np.full(n + 9, 77, dtype), np.zeros(1, dtype)
                y = whole[at : at + n]
                t = sycl.scanner(sycl.plus, dtype, initial=3, total=total, determinism=determinism)
                _core.force_scan_row(row)
                try:
                    launch = queue.scan_kernel(n, "t += x[i];", "y[i] = t;", x=x, y=y, t=t)
                finally:
                    _core.force_scan_row(None)
                assert past(launch) and ("syc_apart" in launch.source) == (looped and determinism == "any")
                launch().wait()
                assert total[0] == y[-1]
                assert (whole[:at] == 77).all() and (whole[at + n :] == 77).all()
                if x.dtype.kind in "iu":
                    np.testing.assert_array_equal(y, want.astype(dtype))
                else:
                    np.testing.assert_allclose(y, want, rtol=1e-5 if dtype == "f4" else 1e-13)
                if determinism == "run_to_run" and row == "one work-item":
                    bits = y.tobytes() if at == 0 else bits
                    assert y.tobytes() == bits


@pytest.mark.parametrize("dtype", ["i4", "i8", "f8"])
def test_totals_from_registers(queue, dtype):
    """Wherever the last tile's vectors end: at the end of all, or in front of a few more elements."""
    if not queue.device.is_cpu or str(queue.device._facts["items"]) == "singly":
        pytest.skip("this is for CPUs")
    x = np.random.default_rng(5).integers(1, 9, 4 * 37).astype(dtype)
    _core.force_scan_row("small tiles")
    try:
        for n in range(1, x.size + 1):
            y, total = np.zeros(n, dtype), np.zeros(1, dtype)
            t = sycl.scanner(sycl.plus, dtype, total=total)
            queue.parallel_scan(n, "t += x[i];", "y[i] = t;", x=x[:n], y=y, t=t).wait()
            assert total[0] == y[-1] == x[:n].sum()
    finally:
        _core.force_scan_row(None)


# -- few compute units --


@pytest.mark.parametrize(("units", "row"), [(1, "one work-item"), (2, "one work-item"), (3, "chained tiles")])
def test_few_units_leave_numbers_to_one_work_item(queue, units, row):
    """It keeps up with the memory, and tiles are read twice; of what takes computing, others do their part."""
    if not queue.device._facts["shares_host_memory"] or queue.device.max_compute_units < units:
        pytest.skip("this is for CPUs of as many units")
    if queue.device.max_compute_units > units:
        queue = sycl.Queue(queue.device.create_sub_devices("partition_equally", units)[0])
    n = 1 << 23
    x, y = (sycl.malloc_shared(n, "i4", queue) for _ in range(2))
    x[:] = np.arange(n) % 3
    some = sycl.BinaryOp("a + b + a * b", identity=0)
    for op, row_of in ((sycl.plus, row), (some, "chained tiles")):
        launch = queue.scan_kernel(n, "t.combine(x[i]);", "y[i] = t;", x=x, y=y, t=sycl.scanner(op, "i4"))
        assert f"row       {row_of}" in str(launch.explanation)
        if op is sycl.plus:
            assert past(launch) and "__builtin_prefetch" in launch.source
            launch().wait()
            np.testing.assert_array_equal(np.asarray(y), np.cumsum(np.asarray(x), dtype="i4"))


# -- segments in vectors --


VECTOR_ROWS = ["one work-item", "chained tiles", "small tiles"]


@pytest.mark.parametrize(
    ("row", "dtype"),
    sweep(
        [(row, dtype) for row in VECTOR_ROWS for dtype in ("u1", "i2", "i4", "f4", "f8")],
        [
            (row, dtype)
            for dtypes, row in zip(("u1 f8", "i4", "u1 i2 f4"), VECTOR_ROWS, strict=True)
            for dtype in dtypes.split()
        ],
    ),
)
def test_segments_in_vectors(queue, row, dtype):
    """Segments of one element to all, that begin in the first lane or the last; the value before each element, too."""
    rng = np.random.default_rng(11)
    _core.force_scan_row(row)
    try:
        for n in (1, 64, 65, 5003, 70_001):
            for share in (1.0, 0.3, 0.01, 0.0):
                x, heads = rng.integers(-3, 4, n).astype(dtype), (rng.random(n) < share).astype("u1")
                y, before, total = np.zeros_like(x), np.zeros_like(x), np.zeros(1, dtype)
                launch = queue.scan_kernel(
                    n, "t.restart(heads[i] != 0); t += x[i];", "y[i] = t; before[i] = t.before;",
                    x=x, y=y, before=before, heads=heads, t=sycl.scanner(sycl.plus, dtype, initial=2, total=total),
                )  # fmt: skip
                launch().wait()
                if queue.device._facts["shares_host_memory"]:
                    assert "syc_prefix_t" in launch.source
                heads[0] = 1
                starts = np.flatnonzero(heads)
                sums = np.cumsum(x, dtype=dtype)
                base = np.repeat(np.append(x.dtype.type(0), sums[starts[1:] - 1]), np.diff(starts, append=n))
                want = (sums - base + x.dtype.type(2)).astype(dtype)
                np.testing.assert_array_equal(y, want)
                np.testing.assert_array_equal(before, (want - x).astype(dtype))
                assert total[0] == want[-1]
    finally:
        _core.force_scan_row(None)
