"""Operators of the user's own in kernels, and values that are structs. SYCL 2020, 4.17.2 to 4.17.4 and 4.9.2."""

import pickle

import numpy as np
import pytest

import pysycl as sycl

# The runs of equal letters in a text, as a monoid that minds the order: of two texts side by side the first's first
# letter, the second's last, and one change more where they meet. 16 bytes: one slot of the library's memory.
RUNS = np.dtype([("first", "u4"), ("last", "u4"), ("changes", "u4"), ("count", "u4")])
JOIN = (
    "a.count == 0 ? b : b.count == 0 ? a : "
    "(T){a.first, b.last, a.changes + b.changes + (a.last != b.first), a.count + b.count}"
)
C_RUNS = "typedef struct { uint first, last, changes, count; } runs;"
# 2 x 2 matrices beside a byte and a double, or two floats: more than a slot, and padding inside.
MATRIX = np.dtype([("tag", "i1"), ("m", "u4", (2, 2)), ("sum", "f4", (2,)), ("last", "u8")], align=True)
MULTIPLY = (
    "(T){.tag = a.tag + b.tag, .m = {{a.m[0][0] * b.m[0][0] + a.m[0][1] * b.m[1][0], a.m[0][0] * b.m[0][1] + a.m[0][1] * "
    "b.m[1][1]}, {a.m[1][0] * b.m[0][0] + a.m[1][1] * b.m[1][0], a.m[1][0] * b.m[0][1] + a.m[1][1] * b.m[1][1]}}, "
    ".sum = {a.sum[0] + b.sum[0], a.sum[1] + b.sum[1]}, .last = a.last + b.last}"
)
C_MATRIX = "typedef struct { char tag; uint m[2][2]; float sum[2]; ulong last; } matrix;"
# As long as the library's memory for one value of a group, and longer: what moves in pieces.
LONG = np.dtype([("own", "u1", (131,)), ("count", "u2")])
C_LONG = "typedef struct __attribute__((packed)) { uchar own[131]; ushort count; } letters;"


def join(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    out = np.empty_like(a)
    out["first"], out["last"] = a["first"], b["last"]
    out["changes"] = a["changes"] + b["changes"] + (a["last"] != b["first"])
    out["count"] = a["count"] + b["count"]
    return np.where(a["count"] == 0, b, np.where(b["count"] == 0, a, out))


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    out = np.zeros_like(a)
    for name in ("tag", "last", "sum"):
        out[name] = a[name] + b[name]
    out["m"] = a["m"] @ b["m"]
    return out


def texts(count: int) -> np.ndarray:
    out = np.zeros(count, RUNS)
    out["first"] = out["last"] = np.random.default_rng(count).integers(0, 3, count)
    out["count"] = 1
    return out


def matrices(count: int) -> np.ndarray:
    random = np.random.default_rng(count)
    out = np.zeros(count, MATRIX)
    out["tag"], out["last"] = random.integers(-100, 100, count), np.arange(count)
    out["m"], out["sum"] = random.integers(0, 2**32, (count, 2, 2)), random.integers(0, 8, (count, 2))
    return out


def folds(op, values: np.ndarray, first: np.ndarray | None = None) -> np.ndarray:
    """The inclusive scans along the last axis, with a value before all others or without."""
    out = values.copy()
    if first is not None:
        out[..., 0] = op(np.broadcast_to(first, out[..., 0].shape), out[..., 0])
    for k in range(1, values.shape[-1]):
        out[..., k] = op(out[..., k - 1], out[..., k])
    return out


def shifted(inclusive: np.ndarray, first: np.ndarray) -> np.ndarray:
    out = np.roll(inclusive, 1, -1)
    out[..., 0] = first
    return out


def same(got: np.ndarray, expected: np.ndarray) -> bool:
    return all(np.array_equal(got[name], expected[name]) for name in got.dtype.names or ())


# -- all functions with one operator --

# By what they are called; PoCL takes seconds for a barrier more where values are long, so those have few cases.
CASES = {
    "reduce": "group_reduce({g}, x, combine)",
    "reduce from": "group_reduce({g}, x, init, combine)",
    "inclusive": "group_inclusive_scan({g}, x, combine)",
    "inclusive from": "group_inclusive_scan({g}, x, combine, init)",
    "exclusive from": "group_exclusive_scan({g}, x, init, combine)",
    "exclusive": "group_exclusive_scan({g}, x, combine)",
    "broadcast": "group_broadcast({g}, x, n / 2)",
}
LONG_CASES = ("reduce from", "exclusive")


def program_of(group: str, declaration: str, kind: str, operators, cases=tuple(CASES)) -> sycl.Program:
    """A kernel whose item i writes each case into a row of `out`."""
    stores = "\n".join(f"out[{at} * total + i] = {CASES[case].format(g=group)};" for at, case in enumerate(cases))
    return sycl.Program(
        f"""
        {declaration}
        __kernel void run(__global const {kind} *data, __global {kind} *out, {kind} init, __global uint *lanes)
        {{
            size_t total = global_linear_range, i = group_linear_id * local_linear_range + local_linear_id;
            uint n = {"local_linear_range" if group == "work_group" else "sub_group_local_range()"};
            {kind} x = data[i];
            lanes[i] = n;
            {stores}
        }}
        """,
        operators=operators,
    )


def check(
    program: sycl.Program, queue: sycl.Queue, shape, values: np.ndarray, op, identity, cases=tuple(CASES)
) -> None:
    """Launches it in two groups of that shape, and compares all rows, by the runs of items that `lanes` tells of."""
    size, init = values.size // 2, values[1].copy()
    out, lanes = np.zeros((len(cases), 2 * size), values.dtype), np.zeros(2 * size, np.uint32)
    queue.parallel_for(sycl.NdRange((2 * shape[0], *shape[1:]), shape), program.run, values, out, init, lanes)
    at = 0
    while at < 2 * size:
        here = values[at : at + int(lanes[at])]
        plain, begun = folds(op, here), folds(op, here, init)
        rows = {
            "reduce": np.repeat(plain[-1:], here.size),
            "reduce from": np.repeat(begun[-1:], here.size),
            "inclusive": plain,
            "inclusive from": begun,
            "exclusive from": shifted(begun, init),
            "exclusive": shifted(plain, identity),
            "broadcast": np.repeat(here[here.size // 2, None], here.size),
        }
        for row, case in zip(out, cases, strict=True):
            assert same(row[at : at + here.size], rows[case]), (case, at, here.size)
        at += here.size


NOTHING = np.zeros(1, RUNS)[0]
UNIT = np.zeros(1, MATRIX)
UNIT["m"] = np.eye(2)


@pytest.mark.spec("D021", "D426", "D427", "D428")
def test_structs_in_work_groups(queue):
    """Operators that do not commute keep the linear order, in groups of any shape."""
    program = program_of("work_group", C_RUNS, "runs", {"combine": sycl.BinaryOp(JOIN, NOTHING)})
    for shape in ((1,), (33,), (2, 3, 7)):
        check(program, queue, shape, texts(2 * int(np.prod(shape))), join, NOTHING)


@pytest.mark.spec("D005", "D006", "D007", "D008", "D009", "D010", "D021")
def test_structs_in_sub_groups(queue):
    """A work-group's sub-groups have its items in their order; the last one may be shorter."""
    program = program_of("sub_group", C_RUNS, "runs", {"combine": sycl.BinaryOp(JOIN, NOTHING)})
    check(program, queue, (5, 8), texts(80), join, NOTHING)


@pytest.mark.spec("D426", "D427")
@pytest.mark.parametrize("group", ["work_group", "sub_group"])
def test_long_structs_are_combined(queue, group):
    """More than the library's memory has for one item; and the operator's own name is the word."""
    operators = [sycl.BinaryOp(MULTIPLY, UNIT[0], name="combine")]
    program = program_of(group, C_MATRIX, "matrix", operators, LONG_CASES)
    check(program, queue, (3, 3), matrices(18), multiply, UNIT[0], LONG_CASES)


@pytest.mark.spec("D004", "D021")
def test_long_structs_move(queue):
    """Of 133 packed bytes, between items of sub-groups and of work-groups."""
    program = sycl.Program(
        C_LONG
        + """
        __kernel void run(__global const letters *data, __global letters *out, __global uint *lanes)
        {
            size_t total = get_global_size(0), i = get_global_id(0);
            uint n = sub_group_local_range(), k = sub_group_local_id();
            letters x = data[i];
            lanes[i] = n;
            out[i] = group_broadcast(work_group, x, local_linear_range - 1);
            out[total + i] = group_broadcast(sub_group, x, n - 1);
            out[2 * total + i] = select_from_group(sub_group, x, n - 1 - k);
        }
        """
    )
    size = 40
    values = np.zeros(2 * size, LONG)
    values["own"] = np.random.default_rng(0).integers(0, 256, (2 * size, 131))
    values["count"] = np.arange(2 * size)
    out, lanes = np.zeros((3, 2 * size), LONG), np.zeros(2 * size, np.uint32)
    queue.parallel_for(sycl.NdRange(2 * size, size), program.run, values, out, lanes)
    assert same(out[0], values[np.repeat([size - 1, 2 * size - 1], size)])
    at = 0
    while at < 2 * size:
        n = int(lanes[at])
        here, k = values[at : at + n], np.arange(n)
        for row, source in ((1, k * 0 + n - 1), (2, n - 1 - k)):
            assert same(out[row, at : at + n], here[source]), (row, at)
        at += n


@pytest.mark.spec("D037")
def test_operators_that_take_one_of_two(queue):
    "The first and the last show where each value stood."
    size, x = 33, np.arange(66, dtype=np.int64)
    first, last, before = (np.zeros(66, np.int64) for _ in range(3))
    queue.parallel_for(
        sycl.NdRange(66, size),
        "first[i] = group_reduce(work_group, x[i], take_a); last[i] = group_reduce(work_group, x[i], take_b); "
        "before[i] = group_exclusive_scan(work_group, x[i], 100L, take_b);",
        x=x, first=first, last=last, before=before,
        take_a=sycl.BinaryOp("((void)b, a)"), take_b=sycl.BinaryOp("((void)a, b)"),
    )  # fmt: skip
    rows = x.reshape(2, size)
    assert np.array_equal(first.reshape(2, size), np.repeat(rows[:, :1], size, 1))
    assert np.array_equal(last.reshape(2, size), np.repeat(rows[:, -1:], size, 1))
    assert np.array_equal(before.reshape(2, size), np.c_[[100, 100], rows[:, :-1]])


@pytest.mark.spec("D412", "D415", "D416")
@pytest.mark.parametrize("group", ["work_group", "sub_group"])
def test_structs_in_joint_algorithms(queue, group):
    text = """
    {declaration}
    __kernel void run(__global const {type} *data, int n, __global {type} *out, {type} init)
    {{
        __global const {type} *end = data + n;
        {type} begun = joint_reduce({group}, data, end, init, combine);
        joint_inclusive_scan({group}, data, end, out + 1, combine);
        joint_exclusive_scan({group}, data, end, out + 1 + n, init, combine);
        if (group_leader({group}))
            out[0] = begun;
    }}
    """
    items = 1 if group == "sub_group" and queue.device._facts["sub_groups"] == 3 else 16
    program = sycl.Program(
        text.format(declaration=C_RUNS, type="runs", group=group),
        operators={"combine": sycl.BinaryOp(JOIN, np.zeros(1, RUNS)[0])},
    )
    for n in (1, 16, 100):
        values, init, out = texts(n), texts(5)[4], np.zeros(1 + 2 * n, RUNS)
        queue.parallel_for(sycl.NdRange(items, items), program.run, values, np.int32(n), out, init)
        plain, begun = folds(join, values), folds(join, values, init)
        expected = (begun[-1:], plain, shifted(begun, init))
        at = 0
        for row, part in enumerate(expected):
            assert same(out[at : at + part.size], part), (n, row)
            at += part.size


# -- words --


def test_a_body_is_given_operators_by_keyword(queue):
    """By the keyword, by the operator's own name, and once more with another operator: the text stays as it is."""
    dtype = np.dtype([("key", "f4"), ("index", "i8")])
    v, out, x = np.zeros(64, dtype), np.zeros(64, dtype), np.arange(64, dtype="i4")
    v["key"], v["index"] = np.random.default_rng(3).permutation(64), np.arange(64)
    least = v.reshape(2, 32)[[0, 1], v["key"].reshape(2, 32).argmin(1)]
    both = np.zeros(64, dtype)
    queue.parallel_for(
        sycl.NdRange(64, 32),
        "out[i] = group_reduce(work_group, v[i], smaller); both[i] = group_reduce(work_group, v[i], least);",
        v=v, out=out, both=both, smaller=sycl.BinaryOp("a.key < b.key ? a : b", name="least"),
    )  # fmt: skip
    assert np.array_equal(out, np.repeat(least, 32)) and np.array_equal(both, out)
    sums = np.zeros(64, "i4")
    for op, expected in (
        (sycl.plus, 992 * 2 - 496 * 3),
        (sycl.maximum, 31),
        (sycl.plus[np.int32], 496),
        (sycl.BinaryOp("a * 2 + b - a", 0), 496),
    ):
        queue.parallel_for(sycl.NdRange(64, 32), "sums[i] = group_reduce(work_group, x[i], op);", x=x, sums=sums, op=op)
        assert sums[0] == expected, op


def test_members_and_types_in_expressions(queue):
    """Members by the names of the operands, helpers of the preamble, T for the type, expressions of several lines."""
    dtype = np.dtype([("a", "i4"), ("b", "i4")])
    v, out = np.zeros(16, dtype), np.zeros(16, dtype)
    v["a"], v["b"] = np.arange(16), 1
    queue.parallel_for(
        sycl.NdRange(16, 16),
        "out[i] = group_inclusive_scan(work_group, v[i], both);",
        preamble="int total(int x, int y) { return x + y; }",
        v=v, out=out, both=sycl.BinaryOp("(T){total(a.a, b.a),\n\t (&a)->b + b . b}"),
    )  # fmt: skip
    assert np.array_equal(out["a"], np.cumsum(v["a"])) and np.array_equal(out["b"], np.arange(1, 17))


def test_identities_of_ones_own(queue):
    """Numbers become the type of the values, vectors too; of structs every kind of member is kept."""
    inner = np.dtype([("x", "i2"), ("y", "u8")])
    dtype = np.dtype(
        {
            "names": ["flag", "f", "c", "vec", "text", "rows", "inside", "z", "d"],
            "formats": ["?", "f4", "c8", sycl.vec_dtype("f4", 4), "S3", ("u1", (2, 3)), inner, "i8", "i4"],
            "offsets": [1, 4, 8, 16, 32, 36, 48, 64, 80],
            "itemsize": 96,
        }
    )
    identity = np.zeros((), dtype)
    identity["z"], identity["flag"], identity["f"], identity["c"] = -(2**63), True, -np.inf, 1.5 - 2j
    identity["vec"], identity["text"], identity["d"] = (1, 2.5, -3, 4), b"a\xff", -(2**31)
    identity["rows"], identity["inside"] = [[1, 2, 3], [4, 5, 255]], (-7, 2**64 - 1)
    v, out = np.zeros(4, dtype), np.zeros(4, dtype)
    queue.parallel_for(
        sycl.NdRange(4, 4), "out[i] = group_exclusive_scan(work_group, v[i], op);",
        v=v, out=out, op=sycl.BinaryOp("((void)a, b)", identity),
    )  # fmt: skip
    for name in dtype.names or ():
        assert np.array_equal(out[name][0], identity[name]), name
    x = np.ones(4, "i8")
    outs = [np.zeros(4, kind) for kind in ("i1", "u8", "f4", sycl.vec_dtype("i4", 4))]
    queue.parallel_for(
        sycl.NdRange(4, 4),
        "o0[i] = group_exclusive_scan(work_group, (char)x[i], low); o1[i] = group_exclusive_scan(work_group, "
        "(ulong)x[i], high); o2[i] = group_exclusive_scan(work_group, (float)x[i], infinite); "
        "o3[i] = group_exclusive_scan(work_group, (int4)x[i], low);",
        x=x, **{f"o{k}": out for k, out in enumerate(outs)}, low=sycl.BinaryOp("max(a, b)", -128),
        high=sycl.BinaryOp("min(a, b)", 2**64 - 1), infinite=sycl.BinaryOp("fmin(a, b)", np.float32(np.inf)),
    )  # fmt: skip
    assert [out[0] for out in outs[:3]] == [-128, 2**64 - 1, np.inf] and all(out[1] == 1 for out in outs[:3])
    assert outs[3][0].tolist() == (-128,) * 4


def test_operators_are_part_of_what_a_program_is(queue):
    """Of bundles, linked programs and pickles, and of the keys by which builds are found."""
    text = """
    __kernel void run(__global const int *x, __global int *out)
    {
        out[get_global_id(0)] = group_reduce(work_group, x[get_global_id(0)], op);
    }
    """
    x, out, range = np.arange(16, dtype="i4"), np.zeros(16, "i4"), sycl.NdRange(16, 16)
    summed, largest = (sycl.Program(text, operators={"op": op}) for op in (sycl.BinaryOp("a + b"), sycl.maximum))
    for program, expected in ((summed, 120), (largest, 15), (pickle.loads(pickle.dumps(summed)), 120)):
        queue.parallel_for(range, program.run, x, out)
        assert out[0] == expected
    bundle = sycl.KernelBundle([largest], queue.context)
    assert not bundle.contains_specialization_constants
    for made in (sycl.build(bundle), sycl.link(sycl.compile(bundle))):
        queue.parallel_for(range, made.get_kernel("run"), x, out)
        assert out[0] == 15


def test_prepared_bodies(queue):
    x, out = np.arange(32, dtype="i4"), np.zeros(32, "i4")
    text = "out[i] = group_reduce(work_group, x[i], op);"
    kernel = queue.kernel(sycl.NdRange(32, 16), text, x=x, out=out, op=sycl.BinaryOp("a > b ? a : b"))
    kernel().wait()
    assert out.tolist() == [15] * 16 + [31] * 16
    other = np.zeros(32, "i4")
    kernel(out=other, x=x[::-1].copy()).wait()
    assert other.tolist() == [31] * 16 + [15] * 16
