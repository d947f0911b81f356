"""Structured dtypes as C structs: layouts, what the device's compiler checks of them, and what cannot be one."""

import ctypes

import numpy as np
import pytest

import pysycl as sycl
from pysycl._data import struct_types

PLAIN = np.dtype([("a", "i4"), ("b", "f4")])
PADDED = np.dtype([("a", "i1"), ("b", "f4"), ("c", "u2"), ("d", "i8")], align=True)
PACKED = np.dtype([("a", "i1"), ("b", "f4"), ("c", "u2"), ("d", "i8")])
NESTED = np.dtype([("n", "i4"), ("at", [("x", "f4"), ("y", "f4")]), ("m", "f4", (2, 3)), ("end", "u1")], align=True)
PACKED_INSIDE = np.dtype([("n", "i4"), ("at", [("k", "u1"), ("x", "f4")]), ("z", "f4")])
HOLES = np.dtype({"names": ["early", "late"], "formats": ["i2", "f4"], "offsets": [2, 12], "itemsize": 24})
MIXED = np.dtype([("flag", "?"), ("z", "c8"), ("name", "S5"), ("raw", "V3"), ("many", "S2", (4,))])
DTYPES = {
    "plain": PLAIN, "padded": PADDED, "packed": PACKED, "nested": NESTED, "packed inside": PACKED_INSIDE, "holes": HOLES,
    "mixed": MIXED,
}  # fmt: skip


def filled(dtype: np.dtype, count: int = 10) -> np.ndarray:
    """Bytes without meaning, but none that is a NaN."""
    raw = np.random.default_rng(3).integers(0, 60, count * dtype.itemsize, np.uint8)
    return raw.view(dtype)


@pytest.mark.spec("D302", "D306")
@pytest.mark.parametrize("name", DTYPES)
def test_every_field_is_where_the_host_has_it(queue: sycl.Queue, name: str) -> None:
    """Copied field by field by the kernel, and found by the host."""
    dtype = DTYPES[name]
    x, y = filled(dtype), np.zeros(10, dtype)
    lines = []
    for field in dtype.names or ():
        base, shape = dtype[field].subdtype or (dtype[field], ())
        size = (*shape, *([base.itemsize] if base.kind in "SV" and base.names is None else []))
        subscripts = "".join(f"[k{d}]" for d in range(len(size)))
        loops = "".join(f"for (int k{d} = 0; k{d} < {n}; k{d}++) " for d, n in enumerate(size))
        lines.append(f"{loops}y[i].{field}{subscripts} = x[i].{field}{subscripts};")
    queue.parallel_for(10, "\n".join(lines), x=x, y=y)
    for field in dtype.names or ():
        assert np.array_equal(x[field], y[field]), field


@pytest.mark.parametrize("name", DTYPES)
def test_whole_structs_are_values(queue: sycl.Queue, name: str) -> None:
    dtype = DTYPES[name]
    x, y = filled(dtype), np.zeros(10, dtype)
    queue.parallel_for(10, "x_t copy = x[i]; y[i] = copy;", x=x, y=y)
    assert np.array_equal(x, y)


@pytest.mark.spec("D303", "D306")
def test_by_value(queue: sycl.Queue) -> None:
    one = np.zeros((), NESTED)
    one["n"], one["at"], one["m"] = 7, (0.5, 1.5), np.arange(6).reshape(2, 3)
    out = np.zeros(4, np.float32)
    body = "out[0] = one.n; out[1] = one.at.y; out[2] = one.m[1][2]; out[3] = sizeof(one);"
    queue.single_task(body, out=out, one=one[()])
    assert out.tolist() == [7, 1.5, 5, NESTED.itemsize]


def test_buffers_accessors_usm_and_local_memory(queue: sycl.Queue) -> None:
    x = filled(PADDED, 16)
    with sycl.Buffer(x.copy()) as b:
        out = np.zeros(16, PADDED)
        body = "t[local_id(0)] = b[i]; barrier(CLK_LOCAL_MEM_FENCE); out[i] = t[3 - local_id(0)];"
        with queue.submit() as h:
            tile = h.local(4, PADDED)
            h.parallel_for(sycl.NdRange(16, 4), body, b=h.read(b), t=tile, out=out)
        h.event.wait()
        assert np.array_equal(out.reshape(4, 4), x.reshape(4, 4)[:, ::-1])
    if queue.device.has("usm_device_allocations"):
        u = sycl.malloc_device(16, PADDED, queue)
        queue.memcpy(u, x)
        queue.wait()
        queue.parallel_for(16, "u[i].b = out[i].b;", u=u, out=out)
        queue.memcpy(x, u).wait()
        assert np.array_equal(x["b"], out["b"])
        sycl.free(u, queue)


def test_misplaced_arrays_of_aligned_structs(queue: sycl.Queue) -> None:
    """The array begins where C would not allow its elements to be."""
    raw = np.zeros(10 * PADDED.itemsize + 1, np.uint8)
    x = raw[1:].view(PADDED)
    queue.parallel_for(10, "x[i].d = i + 1;", x=x).wait()
    assert np.array_equal(x["d"], np.arange(1, 11))


def test_other_exporters(queue: sycl.Queue) -> None:
    class Point(ctypes.Structure):
        _fields_ = (("x", ctypes.c_int), ("y", ctypes.c_double))

    if not queue.device.has("fp64"):
        pytest.skip("no double")
    points = (Point * 5)()
    queue.parallel_for(5, "p[i].x = i; p[i].y = i * 0.5;", p=points).wait()
    assert [(p.x, p.y) for p in points] == [(k, k * 0.5) for k in range(5)]


def test_the_types_have_names(queue: sycl.Queue) -> None:
    """In the preamble too; one dtype is one type by several names."""
    x, y = filled(PLAIN), np.zeros(10, PLAIN)
    helper = "y_t swapped(x_t v) { x_t w = {(int)v.b, (float)v.a}; return w; }"
    queue.parallel_for(10, "y[i] = swapped(x[i]);", x=x, y=y, preamble=helper)
    assert np.array_equal(y["b"], x["a"].astype(np.float32))


def test_names_that_are_taken(queue: sycl.Queue) -> None:
    text, types = struct_types.declare([("x", struct_types.layout(PLAIN)), ("x_t", struct_types.layout(PACKED))])
    assert types == {"x": "x_t_", "x_t": "x_t_t"}
    assert text.startswith("typedef struct {")


def test_the_declaration() -> None:
    text, types = struct_types.declare([("p", struct_types.layout(HOLES))])
    assert types == {"p": "p_t"}
    assert text.splitlines()[:7] == [
        "typedef struct {",
        "    uchar _padding0[2];",
        "    short early;",
        "    uchar _padding2[8];",
        "    float late;",
        "    uchar _padding4[8];",
        "} p_t;",
    ]
    layouts = {name: struct_types.layout(dtype) for name, dtype in DTYPES.items()}
    assert {name for name, layout in layouts.items() if layout.packed} == {"packed", "packed inside", "mixed"}
    assert {name: layout.alignment for name, layout in layouts.items()} == {
        "plain": 4, "padded": 8, "packed": 1, "nested": 4, "packed inside": 1, "holes": 4, "mixed": 1,
    }  # fmt: skip


@pytest.mark.spec("D302")
@pytest.mark.parametrize(("dtype", "words"), [
    (np.dtype([("a", "i2")]), r"the device has another size than the host, 2 bytes, for \[\('a', '<i2'\)\]"),
    (np.dtype([("a", "i2"), ("b", "i4")]), r"the device has field 'b' elsewhere than the host, at byte 2, in "
                                           r"\[\('a', '<i2'\), \('b', '<i4'\)\]"),
])  # fmt: skip
def test_a_device_that_lays_it_out_otherwise(
    queue: sycl.Queue, monkeypatch: pytest.MonkeyPatch, dtype: np.dtype, words: str
) -> None:
    """The check is made by the device's compiler: with a wrong declaration it does not build."""
    monkeypatch.setitem(struct_types._TYPES, ("i", 2), ("int", 2))
    with pytest.raises(sycl.BuildError, match=words):
        queue.parallel_for(4, f"(void)x[i].a; (void){len(words)};", x=np.zeros(4, dtype))


@pytest.mark.parametrize(("dtype", "words"), [
    ([("float", "i4")], "field 'float' of [('float', '<i4')] is a word of OpenCL C; rename the field"),
    ([("float4", "i4")], "field 'float4' of [('float4', '<i4')] is a word of OpenCL C; rename the field"),
    ([("a b", "i4")], "field 'a b' of [('a b', '<i4')] has a name that no C struct can have; rename the field"),
    ([("größe", "i4")], "field 'größe' of [('größe', '<i4')] has a name that no C struct can have; rename the field"),
    ([("at", [("if", "i4")])], "field 'at.if' of [('if', '<i4')] is a word of OpenCL C; rename the field"),
    ([("n", "g")], f"field 'n' of [('n', '{np.dtype('g').str}')] is of {np.dtype('g')}, "
                   "for which OpenCL C has no type"),
])  # fmt: skip
def test_dtypes_that_no_struct_can_be(queue: sycl.Queue, dtype: object, words: str) -> None:
    """By the message's first line; how NumPy spells a dtype is its own affair."""
    kind = np.dtype(dtype)  # type: ignore[call-overload]
    with pytest.raises(sycl.KernelArgumentError) as caught:
        queue.parallel_for(4, "(void)x[i];", x=np.zeros(4, kind))
    assert str(caught.value).splitlines()[0] == f"body(): 'x' {words}"


def test_dtypes_of_another_machine(queue: sycl.Queue) -> None:
    with pytest.raises(
        sycl.KernelArgumentError, match="field 'a' of .* is in the byte order of another kind of machine"
    ):
        queue.parallel_for(4, "(void)x[i];", x=np.zeros(4, [("a", ">i4")]))


def test_fields_that_share_bytes() -> None:
    union = np.dtype({"names": ["a", "b"], "formats": ["i4", "i4"], "offsets": [0, 2]})
    with pytest.raises(ValueError, match="field 'b' of .* shares bytes with another field"):
        struct_types.layout(union)
