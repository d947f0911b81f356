"""Random programs whose kernels have reducers, each launched over ranges of all kinds and held against NumPy.

A *kernel* fixes the text: which reducers, of which types and operators, scalars or arrays; how the work-item finds its
place; whether it returns early, loops, or asks for its group. Its launches vary ranges, offsets, groups, old values and
data. `python tests/conformance/4_10_kernels/program_reducers.py --count 200` makes that many kernels."""

from __future__ import annotations

import argparse
import itertools
import time

import numpy as np

import pysycl as sycl

WHOLE = {"char": "i1", "ushort": "u2", "int": "i4", "uint": "u4", "long": "i8", "ulong": "u8"}
REAL = {"float": "f4", "double": "f8"}
BITS = ["bit_and", "bit_or", "bit_xor"]
UFUNC = {
    "plus": np.add, "multiplies": np.multiply, "minimum": np.minimum, "maximum": np.maximum,
    "bit_and": np.bitwise_and, "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor,
}  # fmt: skip
WORD = {"plus": "+=", "multiplies": "*=", "bit_and": "&=", "bit_or": "|=", "bit_xor": "^="}
HELPERS = """
#define SKIP(what) if (what) return
typedef struct { int low, high; } limits;
int within(int value, limits l) { return value >= l.low && value < l.high; }
kernel void unrelated(global int *x) { x[0] = 1; }
"""
PLACES = [
    "const int i = (int)get_global_id(0) + w0 * ((int)get_global_id(1) + w1 * (int)get_global_id(2));",
    "const size_t i = get_global_id(0) + w0 * (get_global_id(1) + w1 * get_global_id(2));",
    "uint i = get_global_id(2); i = i * w1 + get_global_id(1); i = i * w0 + get_global_id(0);",
]
GROUP_PLACE = """const uint l = get_local_id(0), size = get_local_size(0);
    const int i = get_group_id(0) * size + l;
    local int own[64];
    own[l] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    const int next = own[(l + 1) % size];"""
BINS = 7


class Reducer:
    def __init__(self, rng, index, fp64):
        types = {**WHOLE, **(REAL if fp64 else {"float": "f4"})}
        self.type = str(rng.choice(list(types)))
        self.dtype = np.dtype(types[self.type])
        self.op = str(rng.choice(["plus", "minimum", "maximum", *([] if self.type in REAL else ["multiplies", *BITS])]))
        self.array = bool(rng.random() < 0.3)
        self.name = "rstu"[index]

    def declaration(self):
        return f"reducer({self.type}, {self.op}) {self.name}{'[]' if self.array else ''}"

    def statement(self, value, style):
        at = f"{self.name}[((uint)x[i] + 16) % {BINS}]" if self.array else self.name
        value = f"({self.type})({value} | 1)" if self.op == "multiplies" else f"({self.type})({value})"
        return f"{at} {WORD[self.op]} {value};" if self.op in WORD and style else f"{at}.combine({value});"

    def start(self):
        return np.full(BINS if self.array else 1, 3, self.dtype)

    def identity(self):
        limits = np.iinfo(self.dtype) if self.dtype.kind in "iu" else None
        low, high = (limits.min, limits.max) if limits else (-np.inf, np.inf)
        known = {"multiplies": 1, "minimum": high, "maximum": low, "bit_and": ~self.dtype.type(0) if limits else 0}
        return np.full_like(self.start(), known.get(self.op, 0))

    def expected(self, fresh, values, data):
        """`values` are what the work-items combine, one after the other, and `data` the elements that choose the bins."""
        result = self.identity() if fresh else self.start()
        values = (values | 1 if self.op == "multiplies" else values).astype(self.dtype)
        with np.errstate(over="ignore"):
            UFUNC[self.op].at(result, (data + 16) % BINS if self.array else np.zeros(len(data), int), values)
        return result


class Kernel:
    """One text, and what it computes."""

    def __init__(self, rng, fp64=True):
        self.reducers = [Reducer(rng, k, fp64) for k in range(rng.integers(1, 4))]
        self.grouped = bool(rng.random() < 0.25)
        self.skips, self.loops = bool(rng.random() < 0.5), int(rng.choice([1, 1, 3]))
        self.place = GROUP_PLACE if self.grouped else PLACES[rng.integers(len(PLACES))]
        value = "next" if self.grouped else "x[i]"
        lines = [r.statement(f"{value} * k", rng.random() < 0.5) for r in self.reducers]
        body = (
            f"for (int turn = 0; turn < {self.loops}; turn++) {{ {' '.join(lines)} }}"
            if self.loops > 1
            else " ".join(lines)
        )
        skip = "SKIP(within(x[i], between)); " if self.skips else ""
        self.text = f"""{HELPERS}
kernel void f(global const int *x, const int k, {", ".join(r.declaration() for r in self.reducers)}, int w0, int w1,
              global int *out)
{{
    const limits between = {{-2, 1}};
    {self.place}
    out[i] = x[i] + 1;
    {skip}{body}
}}
"""
        self.program = sycl.Program(self.text)

    def run(self, queue, rng, wanted, options, shape):
        """A launch over a range of this shape; an AssertionError says what differs."""
        n = int(np.prod(shape))
        x, k, fresh = rng.integers(-8, 8, n + 64).astype(np.int32), int(rng.integers(-2, 3)), rng.random(3) < 0.5
        offset = options.get("offset", (0,) * len(shape))
        grid = np.meshgrid(*(np.arange(size) + o for size, o in zip(shape, offset, strict=True)), indexing="ij")
        w0, w1 = shape[-1] + offset[-1], (shape[-2] + offset[-2] if len(shape) > 1 else 1)
        at = 0
        for axis, scale in zip(grid, [w0 * w1, w0, 1][-len(shape) :], strict=True):
            at = at + axis.ravel() * scale
        room = int(at.max()) + 1 if n else 1
        x = rng.integers(-8, 8, room).astype(np.int32)
        out, buffers = np.zeros(room, np.int32), [sycl.Buffer(r.start()) for r in self.reducers]
        ops = [getattr(sycl, r.op) for r in self.reducers]
        with queue.submit() as h:
            given = [
                sycl.reduction(h.read_write(b), op, initialize_to_identity=bool(f)) if r.array else
                sycl.reduction(b, h, op, initialize_to_identity=bool(f))
                for r, b, op, f in zip(self.reducers, buffers, ops, fresh, strict=False)
            ]  # fmt: skip
            h.parallel_for(wanted, self.program.f, x, k, *given, w0, w1, out, **options)
        queue.wait()
        chosen = at[(x[at] < -2) | (x[at] >= 1)] if self.skips else at
        values = x[chosen]
        if self.grouped:
            size = wanted.local_range[0]
            values = x[chosen // size * size + (chosen + 1) % size]
        values = np.repeat(values * k, self.loops)
        for r, buffer, f in zip(self.reducers, buffers, fresh, strict=False):
            with buffer.host_access("read") as found:
                expected = r.expected(bool(f), values, np.repeat(x[chosen], self.loops))
                assert np.array_equal(found, expected), (
                    r.declaration(),
                    wanted,
                    options,
                    k,
                    found,
                    expected,
                    self.text,
                )
        assert np.array_equal(out[at], x[at] + 1), (wanted, options, self.text)


def launches(rng, kernel, sizes):
    """(range, options, shape) of some launches: plain ranges of 1 to 3 dimensions, with offsets, and nd-ranges."""
    for n in sizes:
        local = int(rng.choice([1, 3, 16, 64]))
        groups = -(-n // local)
        if kernel.grouped:
            yield sycl.NdRange((groups * local,), (local,)), {}, (groups * local,)
            continue
        yield n, {}, (n,)
        yield sycl.NdRange((groups * local,), (local,)), {}, (groups * local,)
    if not kernel.grouped:
        deep = tuple(int(size) for size in rng.integers(1, 14, rng.integers(2, 4)))
        yield deep, {}, deep
        yield deep, {"offset": tuple(range(1, len(deep) + 1))}, deep


def run(queue, rng, count, sizes):
    cases = 0
    for _ in range(count):
        kernel = Kernel(rng, queue.device.has("fp64"))
        for wanted, options, shape in launches(rng, kernel, sizes):
            kernel.run(queue, rng, wanted, options, shape)
            cases += 1
    return cases


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    queue, began, cases = sycl.Queue(), time.perf_counter(), 0
    for seed in itertools.islice(itertools.count(arguments.seed), arguments.count):
        try:
            cases += run(queue, np.random.default_rng(seed), 1, [0, 1, 63, 1000, 4097])
        except BaseException:
            print("seed", seed)
            raise
    print(f"{arguments.count} kernels, {cases} launches, no mismatch, {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
