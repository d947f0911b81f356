"""What the tests of group functions share: sizes, types, operators with NumPy's, and kernels of many cases."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import pysycl as sycl

SIZES = (1, 2, 3, 7, 16, 31, 32, 33, 64, 100, 255, 256)
C_TYPES = {
    "i1": "char",
    "u1": "uchar",
    "i2": "short",
    "u2": "ushort",
    "i4": "int",
    "u4": "uint",
    "i8": "long",
    "u8": "ulong",
    "f2": "half",
    "f4": "float",
    "f8": "double",
}
Ufunc = Any  # numpy.ufunc, whose members mypy knows little of


def logical(ufunc: Ufunc) -> Callable[[Any, Any], Any]:
    return lambda a, b: ufunc(a, b).astype(a.dtype)


OPERATORS: dict[str, Ufunc] = {
    "plus": np.add,
    "multiplies": np.multiply,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "bit_and": np.bitwise_and,
    "bit_or": np.bitwise_or,
    "bit_xor": np.bitwise_xor,
    "logical_and": logical(np.logical_and),
    "logical_or": logical(np.logical_or),
}
BITWISE = ("bit_and", "bit_or", "bit_xor")
LOGICAL = ("logical_and", "logical_or")


def operators_of(kind: str) -> list[str]:
    return [name for name in OPERATORS if kind[0] != "f" or name not in BITWISE]


def identity_of(name: str, kind: str) -> Any:
    dtype = np.dtype(kind)
    low, high = (-np.inf, np.inf) if kind[0] == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    ones = 0 if kind[0] == "f" else ~dtype.type(0)
    table = {"multiplies": 1, "minimum": high, "maximum": low, "bit_and": ones, "logical_and": 1}
    return dtype.type(table.get(name, 0))


def needs(device: sycl.Device, kind: str) -> None:
    """The device has values of this type."""
    if (kind == "f2" and not device.has("fp16")) or (kind == "f8" and not device.has("fp64")):
        pytest.skip(f"the device has no {C_TYPES[kind]}")


def values_of(kind: str, count: int) -> np.ndarray:
    """Numbers of which sums and products are exact in every order: integers wrap, floats are small powers of two, of
    which few are not 1 or -1."""
    random = np.random.default_rng(count + 7)
    if kind[0] != "f":
        info = np.iinfo(kind)
        return random.integers(info.min, info.max, count, dtype=kind, endpoint=True)
    some = random.choice([1.0, -1.0], count)
    some[: 3 * count // 7 : 50] *= 2
    some[5::40] *= 0.5
    return some.astype(kind)


def scans(op: Callable[[Any, Any], Any], values: np.ndarray, first: Any = None) -> np.ndarray:
    """The inclusive scan of each row, with a value before all others or without."""
    out = values.copy()
    with np.errstate(over="ignore"):
        if first is not None:
            out[:, 0] = op(np.full_like(out[:, 0], first), out[:, 0])
        for k in range(1, values.shape[1]):
            out[:, k] = op(out[:, k - 1], out[:, k])
    return out


def before(inclusive: np.ndarray, first: Any) -> np.ndarray:
    """The exclusive scan that belongs to an inclusive one."""
    out = np.roll(inclusive, 1, 1)
    out[:, 0] = first
    return out


def kernel_of(cases: Sequence[str], kind: str, preamble: str = "") -> str:
    """A kernel whose item i computes every case, an expression in x (its value) and n (items of a group), into row after
    row of `out`. Linear ids, so that launches may have any rank."""
    stores = "\n".join(f"    out[{at} * total + i] = {case};" for at, case in enumerate(cases))
    return f"""{preamble}
    __kernel void run(__global const {C_TYPES[kind]} *data, __global {C_TYPES[kind]} *out)
    {{
        size_t n = local_linear_range, total = n * group_linear_range, i = group_linear_id * n + local_linear_id;
        {C_TYPES[kind]} x = data[i];
        {stores}
    }}
    """


def launch(
    queue: sycl.Queue, program: sycl.Program, data: np.ndarray, cases: int, shape: tuple[int, ...], groups: int = 2
) -> np.ndarray:
    """The cases' rows, by group and item: cases x groups x items."""
    out = np.zeros((cases, groups, data.size // groups), data.dtype)
    queue.parallel_for(sycl.NdRange((groups * shape[0], *shape[1:]), shape), program.run, data, out)
    return out


def is_slow(device: sycl.Device) -> bool:
    """Its driver runs one work-item after another on the calling thread, as debuggers do, which interpret kernels."""
    return not device._facts["thread_safe"] and str(device._facts["items"]) == "singly"


def most_items(device: sycl.Device) -> int:
    """Of a group that the tests launch: where kernels are interpreted, larger ones take seconds."""
    return 64 if is_slow(device) else min(1024, device.max_work_group_size)


def ways(device: sycl.Device) -> list[list[str]]:
    """Build options under which group functions work in all the ways that this device can."""
    if device._facts["sub_groups"] != 1:
        return [[]]
    return [[], ["-DSYC_GROUP_SHAPE=1", "-cl-std=CL3.0"], ["-DSYC_SUB_GROUP_KIND=3"]]


# Combines like the functions x -> a x + b over integers mod 2^32: associative, and the order matters. In 8 and in 32
# bytes, so in one slot of the library's memory and in several.
CHAIN = """
#define SYC_OP_chain(p, q) ((uint2)((p).x * (q).x, (p).x * (q).y + (p).y))
#define SYC_OP_chain8(p, q) ((uint8)((p).s0 * (q).s0, (p).s0 * (q).s1 + (p).s1, 0, 0, 0, 0, 0, 0))
#define LINK(x) ((uint2)((x) | 1, (x)))
#define LINK8(x) ((uint8)((x) | 1, (x), 0, 0, 0, 0, 0, 0))
"""


def chain(values: np.ndarray) -> np.ndarray:
    """The inclusive scan by `chain` of LINK(x): its second component."""
    out, a, b = [], np.uint32(1), np.uint32(0)
    with np.errstate(over="ignore"):
        for x in values.astype(np.uint32):
            a, b = a * (x | np.uint32(1)), a * x + b
            out.append(b)
    return np.array(out).astype(np.int32)
