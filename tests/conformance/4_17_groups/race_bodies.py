"""Bodies with reducers in all the forms that they can have, launched on Oclgrind (reduction_races.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from race_log import RaceLog

import pysycl as sycl
from pysycl import _core
from pysycl.reductions import _along

PAIR = np.dtype([("value", np.int32), ("at", np.int32)])
FLOAT4 = np.dtype([(f"s{k}", np.float32) for k in range(4)])
LEAST = sycl.BinaryOp("b.value < a.value || (b.value == a.value && b.at < a.at) ? b : a")
LATER = sycl.BinaryOp("a > b ? a : b", identity=-5)
ACCURACIES = ("fast", "pairwise", "compensated", "exact")

# Oclgrind takes what lies in place of freed memory for written: buffers stay.
kept: list[sycl.Buffer] = []
log = RaceLog()

Case = tuple[str, Callable[[sycl.Queue], None]]


class Variable(NamedTuple):
    """What a reducer is of, what it holds before, and what it should hold then."""

    op: Any
    old: Any
    expected: Any
    fresh: bool = False
    array: bool = False
    options: Any = MappingProxyType({})


def buffer(values: Any) -> sycl.Buffer:
    kept.append(sycl.Buffer(np.array(values, ndmin=1)))
    return kept[-1]


def same(name: str, memory: sycl.Buffer, expected: Any) -> None:
    with memory.host_access("read") as found:
        assert np.array_equal(found, np.atleast_1d(expected)), f"{name}: {found}, and not {expected}"


def combine(
    queue: sycl.Queue, where: Any, text: str, given: dict[str, Any], variables: dict[str, Variable], **options: Any
) -> None:
    """One launch. `given` are arrays that the text reads, numbers, and functions of the handler."""
    memory = {name: buffer(v.old) for name, v in variables.items()}
    with queue.submit() as h:
        values: dict[str, Any] = {}
        for name, value in given.items():
            values[name] = h.read(buffer(value)) if isinstance(value, np.ndarray) else value
            values[name] = value(h) if callable(value) else values[name]
        for name, v in variables.items():
            if v.array:
                of = sycl.Accessor(memory[name], h, "discard_write") if v.fresh else h.read_write(memory[name])
                values[name] = sycl.reduction(of, v.op, **v.options)
            else:
                values[name] = sycl.reduction(memory[name], h, v.op, initialize_to_identity=v.fresh, **v.options)
        h.parallel_for(where, text, **values, **options)
    queue.wait_and_throw()
    for name, v in variables.items():
        same(name, memory[name], v.expected)


def forced(shape: str | None = None, span: str | None = None, row: str | None = None, meant: str = "") -> None:
    log.meant = meant
    _core.force_shape(shape)  # type: ignore[arg-type]
    _core.force_span(span)
    _core.force_reduction_row(row)


# -- scalars --

# The loop is there because nobody knows then what an element costs, so few elements are worth a work-item.
SCALARS = """
    const int x = v[i];
    for (int k = 0; k < 2; k++) total += x;
    top.combine(x);
    bits ^= (ulong)x << 20;
    odd.combine(x % 7 == 6);
    best.value_type own = {x, (int)i};
    best.combine(own);
    later.combine(x);
"""
GROUPED = "(void)get_local_id(0);"  # keeps the nd-range's own work-items
SHAPES = ("lanes", "stride")
ROWS = ("NVIDIA, strides, local memory", "any device, 16 bytes at a time")
ND_ROWS = (None, "nd-range, PoCL, by the first of a group")
SIZES = (0, 1, 17, 63, 64, 65, 255, 256, 257, 1025)
DIMS = ((7, 33), (300, 3), (3, 5, 17), (2, 1, 65), (4, 0))
ND = (((3,), (1,)), ((2,), (7,)), ((3,), (16,)), ((1,), (33,)), ((2,), (64,)), ((2, 2), (2, 3)), ((1, 2, 2), (2, 2, 3)))


def scalar_variables(v: np.ndarray[Any, Any], fresh: bool) -> dict[str, Variable]:
    v = v.ravel()
    at = int(v.argmin()) if v.size else 0
    best = (v[at], at) if v.size and v[at] <= 900 else (900, -1)
    odd = bool((v % 7 == 6).any())
    bits = np.bitwise_xor.reduce(v.astype(np.uint64) << np.uint64(20), initial=np.uint64(0 if fresh else 5))
    return {
        "total": Variable(sycl.plus, np.int64(-9), (0 if fresh else -9) + 2 * v.sum(), fresh),
        "top": Variable(sycl.maximum, np.int32(20), v.max(initial=-(2**31) if fresh else 20), fresh),
        "bits": Variable(sycl.bit_xor, np.uint64(5), bits, fresh),
        "odd": Variable(sycl.logical_or, np.bool_(False), odd, fresh),
        "best": Variable(LEAST, np.array((900, -1), PAIR), np.array(best, PAIR)),
        "later": Variable(LATER, np.int32(3), v.max(initial=-5 if fresh else 3), fresh),
    }


def values_of(shape: Any) -> np.ndarray[Any, Any]:
    return np.random.default_rng(1).integers(0, 1000, shape).astype(np.int32)


def scalar(queue: sycl.Queue, where: Any, v: np.ndarray[Any, Any], fresh: bool, more: str = "") -> None:
    given = v if v.size else np.zeros(1, np.int32)
    combine(queue, where, SCALARS + more, {"v": given}, scalar_variables(v, fresh))


def scalar_cases() -> Iterator[Case]:
    for name in (*ROWS, *SHAPES):
        how = {"row": name} if name in ROWS else {"shape": name}

        def lines(queue: sycl.Queue, how: Any = how) -> None:
            forced(**how)
            for turn, n in enumerate(SIZES):
                scalar(queue, n, values_of(n), turn % 2 == 0)

        def planes(queue: sycl.Queue, how: Any = how) -> None:
            forced(**how)
            for turn, dims in enumerate(DIMS):
                scalar(queue, dims, values_of(dims), turn % 2 == 0)

        yield f"scalars, {name}", lines
        if name in SHAPES:
            yield f"scalars, {name}, of several dimensions", planes


def offset(queue: sycl.Queue) -> None:
    for shape in ("lanes", "stride"):
        forced(shape)
        x = values_of(700)
        top = Variable(sycl.maximum, np.int32(0), x[30:].max())
        total = Variable(sycl.plus, np.int64(0), x[30:].sum())
        text = "for (int k = 0; k < 1; k++) total += v[i]; top.combine(v[i]);"
        combine(queue, 670, text, {"v": x}, {"total": total, "top": top}, offset=30)


# -- nd-ranges --

TEAMWORK = """
    const size_t l = local_linear_id;
    const int own = v[global_linear_id];
    m[l] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int next = m[local_linear_range - 1 - l], most = group_reduce(work_group, own, maximum);
    total += next;
    top.combine(most - next);
    if (next % 3 == 0) return;
    bits ^= (uint)next;
    bins[next % 5] += most;
"""


def nd_range_cases() -> Iterator[Case]:
    for row in ND_ROWS:
        for groups, local in ND:

            def plain(queue: sycl.Queue, row: Any = row, groups: Any = groups, local: Any = local) -> None:
                forced(row=row, meant="last" if row else "")
                whole = tuple(a * b for a, b in zip(groups, local, strict=True))
                for fresh in (False, True):
                    scalar(queue, sycl.NdRange(whole, local), values_of(whole), fresh, GROUPED)

            yield f"nd-range {groups} of {local}, {row}", plain
    for way in ("local", "shared", "copies"):

        def teamwork(queue: sycl.Queue, way: Any = way) -> None:
            forced(span=way, meant="" if way == "copies" else "fills")
            for groups, local in ND:
                work_together(queue, groups, local)

        yield f"nd-range with local memory, {way}", teamwork


def work_together(queue: sycl.Queue, groups: tuple[int, ...], local: tuple[int, ...]) -> None:
    """The kernel has local memory, barriers and a group function of its own."""
    whole = tuple(a * b for a, b in zip(groups, local, strict=True))
    v = values_of(whole)
    parts = v.reshape([n for pair in zip(groups, local, strict=True) for n in pair])
    order = [*range(0, parts.ndim, 2), *range(1, parts.ndim, 2)]
    rows = parts.transpose(order).reshape(int(np.prod(groups)), -1)
    most = np.broadcast_to(rows.max(axis=1)[:, None], rows.shape)
    stay = rows % 3 != 0
    bins = np.bincount(rows[stay] % 5, most[stay], 5).astype(np.int64)
    variables = {
        "total": Variable(sycl.plus, np.int64(1), 1 + v.sum()),
        "top": Variable(sycl.maximum, np.int32(-1), (most - rows).max()),
        "bits": Variable(sycl.bit_xor, np.uint32(0), np.bitwise_xor.reduce(rows[stay].astype(np.uint32), initial=0)),
        "bins": Variable(sycl.plus, np.full(5, 7, np.int64), bins, fresh=True, array=True),
    }
    size = int(np.prod(local))
    combine(queue, sycl.NdRange(whole, local), TEAMWORK, {"v": v, "m": lambda h: h.local(size, np.int32)}, variables)


# -- along axes --

LINES = """
    const int x = v[INDEX];
    total += x;
    top.combine(x);
    best.value_type own = {x, (int)i1};
    best.combine(own);
"""
AXES_SIZES = {2: ((1, 1), (3, 70), (65, 3), (33, 16)), 3: ((5, 7, 12), (12, 3, 6))}
LONG = ((2, 700), (700, 2))  # for the row of any device, whose teams have more items than fold at a time
INDICES = {2: "i0 * n1 + i1", 3: "(i0 * n1 + i1) * n2 + i2"}


def axes_cases() -> Iterator[Case]:
    for shape in (None, "along", "across", "short", "padded", "teams"):
        for dims in (2, 3) if shape is not None else (2,):
            for mask in range(1, 1 << dims):
                rows = mask >> (dims - 1) & 1 and mask != (1 << dims) - 1
                if shape not in (None, "along", "teams") and not rows:
                    continue  # as "along"

                def lines(queue: sycl.Queue, shape: Any = shape, dims: Any = dims, mask: Any = mask) -> None:
                    forced(shape)
                    for size in AXES_SIZES[dims] if shape is not None else LONG:
                        along(queue, size, mask)

                yield f"axes {mask} of {dims}, {shape}", lines


def along(queue: sycl.Queue, size: tuple[int, ...], mask: int) -> None:
    x = values_of(size)
    axes = tuple(d for d in range(len(size)) if mask >> d & 1)
    shape = [n for d, n in enumerate(size) if not mask >> d & 1]
    for index in ("i", INDICES[len(size)]):
        total, top, at = buffer(np.full(shape, 7, np.int64)), buffer(np.full(shape, 7, np.int32)), None
        reducers = {"total": _along(total, sycl.plus, mask), "top": _along(top, sycl.maximum, mask)}
        text = "total += v[i]; top.combine(v[i]);"
        if index != "i":
            at = buffer(np.full(shape, 7, np.int32))
            text = LINES.replace("INDEX", index)
            reducers["best"] = _along(at, LEAST, mask, value_dtype=PAIR, finish="r.value")
        with queue.submit() as h:
            h.parallel_for(size, text, v=h.read(buffer(x)), **reducers)
        queue.wait_and_throw()
        same("total", total, x.sum(axes))
        same("top", top, x.max(axes))
        if at is not None:
            same("best", at, x.min(axes))


def prepared(queue: sycl.Queue) -> None:
    """The same of axes."""
    x = values_of((3, 300))
    for shape in ("along", "teams"):
        forced(shape)
        out = buffer(np.zeros(3, np.int32))
        kernel = queue.kernel(x.shape, "s += v[i] * k;", v=buffer(x), k=1, s=_along(out, sycl.plus, 2))
        for k in (1, 2, 3):
            kernel(k=k).wait()
            same("s", out, k * x.sum(1))


# -- arrays --

WAYS = {
    "lanes": ("copies", "copies folded", "fourfold", "fourfold folded", "alone", "shared"),
    "stride": ("copies", "alone", "shared", "local"),
    "nd-range": ("copies", "shared", "local"),
}
# What may be in the form of lanes, and where variables are filled.
MEANT = {"copies": "last", "fourfold": "last", "copies folded": "folders", "fourfold folded": "folders"}
FILLED = ("shared", "local")
ARRAYS = """
    const uint k = w[i];
    for (int turn = 0; turn < 2; turn++) count[k] += 1u;
    most[k].combine((float)i);
    if (k % 2 == 1) return;
    sums[k] += i;
    any[k].combine(i % 7);
    total += i;
"""
BINS = ((2, False), (17, True), (65, False))


def array_cases() -> Iterator[Case]:
    for shape, ways in WAYS.items():
        for way in ways:

            def arrays(queue: sycl.Queue, shape: Any = shape, way: Any = way) -> None:
                meant = "fills" if way in FILLED else MEANT.get(way, "") if shape == "lanes" else ""
                for size, fresh in BINS:
                    forced(
                        None if shape == "nd-range" else shape, way, meant=meant if fresh or way not in FILLED else ""
                    )
                    histogram(queue, shape == "nd-range", size, fresh)

            yield f"arrays, {shape}, {way}", arrays


def histogram(queue: sycl.Queue, grouped: bool, size: int, fresh: bool) -> None:
    n = 96 if grouped else 600
    w = np.random.default_rng(size).integers(0, size, n).astype(np.uint32)
    i, even = np.arange(n), w % 2 == 0
    count, most, sums = np.full(size, 0 if fresh else 3), np.full(size, -np.inf if fresh else 1.0), np.full(size, -4)
    np.add.at(count, w, 2)
    np.maximum.at(most, w, i)
    np.add.at(sums, w[even], i[even])
    variables = {
        "count": Variable(sycl.plus, np.full(size, 3, np.uint32), count, fresh, True),
        "most": Variable(sycl.maximum, np.ones(size, np.float32), most, fresh, True),
        "sums": Variable(sycl.plus, np.full(size, -4, np.int64), sums + 4 * fresh, fresh, True),
        "any": Variable(
            sycl.logical_or, np.full(size, 5), np.where(np.isin(np.arange(size), w[even]), 1, 5), array=True
        ),
        "total": Variable(sycl.plus, np.int64(9), 9 + i[even].sum()),
    }
    where = sycl.NdRange(n, 16) if grouped else n
    for _ in range(2 if size == 17 else 1):  # what a launch leaves behind is what the next one needs
        combine(queue, where, ARRAYS + GROUPED * grouped, {"w": w}, variables)


NAMED = """
    const int x = v[i];
    for (int turn = 0; turn < 2; turn++) sums[3] += x;
    if (x % 2 == 1) sums[0] += 1;
    most[1].combine(x);
    best.value_type own = {x, (int)i};
    best[2].combine(own);
"""


def private_cases() -> Iterator[Case]:
    """Variables that the text names by constants, of arrays that have others, too."""
    for shape, row in (("lanes", None), ("stride", None), *((None, row) for row in ND_ROWS)):

        def variables(queue: sycl.Queue, shape: Any = shape, row: Any = row) -> None:
            for fresh in (False, True):
                forced(shape, "private", row, "last" if row else "")
                v = values_of(640)
                sums, most = (np.zeros(70, int), np.full(5, -(2**31))) if fresh else (np.full(70, 4), np.full(5, 4))
                sums[3] += 2 * v.sum()
                sums[0] += (v % 2 == 1).sum()
                most[1] = v.max()
                best = np.full(4, np.array((900, -1), PAIR))
                own = best.copy()
                own[2] = (v.min(), v.argmin())
                given = {
                    "sums": Variable(sycl.plus, np.full(70, 4, np.int64), sums, fresh, True),
                    "most": Variable(sycl.maximum, np.full(5, 4, np.int32), most, fresh, True),
                    "best": Variable(LEAST, best, own, array=True),
                }
                where = 640 if shape else sycl.NdRange(640, 64)
                combine(queue, where, NAMED + GROUPED * (shape is None), {"v": v}, given)

        yield f"arrays of which few are named, {shape}, {row}", variables


# -- accuracies --


def accuracy_cases() -> Iterator[Case]:
    for shape in ("lanes", "stride", "nd-range"):

        def sums(queue: sycl.Queue, shape: Any = shape) -> None:
            forced(None if shape == "nd-range" else shape)
            for n in (16, 64, 640):
                x = values_of(n).astype(np.float32) / 8
                text = "for (int k = 0; k < 1; k++) {" + " ".join(f"{name} += x[i];" for name in ACCURACIES) + "}"
                variables = {
                    name: Variable(sycl.plus, np.float32(2), np.float32(2 + x.sum()), options={"accuracy": name})
                    for name in ACCURACIES
                }
                where = sycl.NdRange(n, 16) if shape == "nd-range" else n
                combine(queue, where, text + GROUPED * (shape == "nd-range"), {"x": x}, variables)

        def bins(queue: sycl.Queue, shape: Any = shape) -> None:
            forced(None if shape == "nd-range" else shape, "copies")
            x, k = values_of(320).astype(np.float32) / 8, np.arange(320, dtype=np.uint32) % 5
            expected = np.bincount(k, x, 5).astype(np.float32)
            text = "exact[k[i]] += x[i]; compensated[k[i]] += x[i];"
            variables = {
                name: Variable(sycl.plus, np.zeros(5, np.float32), expected, array=True, options={"accuracy": name})
                for name in ("exact", "compensated")
            }
            where = sycl.NdRange(320, 16) if shape == "nd-range" else 320
            combine(queue, where, text + GROUPED * (shape == "nd-range"), {"x": x, "k": k}, variables)

        yield f"accuracies, {shape}", sums
        yield f"accuracies of arrays, {shape}", bins
    for shape in ("along", "across", "teams"):  # Oclgrind cannot do what clang makes of the others

        def lines(queue: sycl.Queue, shape: Any = shape) -> None:
            forced(shape)
            x = values_of((33, 20)).astype(np.float32) / 8
            for mask in (1, 2):
                outs = {name: buffer(np.zeros(x.shape[2 - mask], np.float32)) for name in ACCURACIES}
                with queue.submit() as h:
                    h.parallel_for(
                        x.shape, " ".join(f"{name} += x[i];" for name in outs), x=h.read(buffer(x)),
                        **{name: _along(out, sycl.plus, mask, accuracy=name) for name, out in outs.items()},
                    )  # fmt: skip
                queue.wait_and_throw()
                for name, out in outs.items():
                    same(name, out, x.sum(mask - 1))

        yield f"accuracies along axes, {shape}", lines


# -- vectors --

PACKED = "r += x[i] * y[i]; if (x[i] > 300) top.combine(sqrt(y[i] * y[i])); count += x[i] > 500;"


def packs(queue: sycl.Queue) -> None:
    forced("pack")
    for n in (1, 15, 16, 17, 143, 600):
        x, y = values_of(n).astype(np.float32) / 64, values_of((2, n))[1].astype(np.float32)
        variables = {
            "r": Variable(sycl.plus, np.float64(1), 1 + (x.astype(float) * y).sum()),
            "top": Variable(sycl.maximum, np.float32(-1), y[x > 300].max(initial=-1)),
            "count": Variable(sycl.plus, np.int32(2), 2 + (x > 500).sum()),
        }
        combine(queue, n, PACKED, {"x": x, "y": y}, variables)


def vectors(queue: sycl.Queue) -> None:
    for shape in ("lanes", "stride", None):
        forced(shape)
        x = values_of(320)
        four = np.array([(320.0, x.sum(), -x.sum(), 7)], FLOAT4)
        text = "for (int k = 0; k < 1; k++) four += (float4)(1, x[i], -x[i], 0);"
        where = 320 if shape else sycl.NdRange(320, 16)
        old = np.array([(0, 0, 0, 7)], FLOAT4)
        combine(queue, where, text + GROUPED * (shape is None), {"x": x}, {"four": Variable(sycl.plus, old, four)})


PARTS: dict[str, Callable[[], Iterator[Case]]] = {
    "scalars": lambda: iter([*scalar_cases(), ("offset", offset)]),
    "nd-ranges": nd_range_cases,
    "axes": lambda: iter([*axes_cases(), ("prepared", prepared)]),
    "arrays": array_cases,
    "named": private_cases,
    "vectors": lambda: iter([("packs", packs), ("vectors", vectors)]),
    "accuracies": accuracy_cases,
}
