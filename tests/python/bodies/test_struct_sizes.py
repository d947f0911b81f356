"""Arrays of structs: an element of the array is an element of the kernel's struct, or the call is refused."""

from collections.abc import Callable

import numpy as np
import pytest

import pysycl as sycl

SOURCE = """
typedef struct { double d; int n; char c; } natural;                        /* 16 bytes by C's rule */
typedef struct { double d; double e; char c; } wide;                        /* 24 */
typedef struct __attribute__((packed)) { double d; int n; char c; } tight;  /* 13: only the compiler tells */
__kernel void naturals(__global natural *x) { x[get_global_id(0)].n = 7; }
__kernel void wides(__global wide *x) { x[get_global_id(0)].c = 7; }
__kernel void tights(__global tight *x) { x[get_global_id(0)].n = 7; }
__kernel void read_tights(__global const tight *x, __global int *n) { n[get_global_id(0)] = x[get_global_id(0)].n; }
"""
PROGRAM = sycl.Program(SOURCE)
NATURAL = np.dtype([("d", "f8"), ("n", "i4"), ("c", "i1")], align=True)
PACKED = np.dtype([("d", "f8"), ("n", "i4"), ("c", "i1")])
assert (NATURAL.itemsize, PACKED.itemsize) == (16, 13)

WAYS: dict[str, Callable[[np.ndarray, sycl.Queue], object]] = {
    "array": lambda array, queue: array,
    "buffer": lambda array, queue: sycl.Buffer(array.copy()),
    "usm": lambda array, queue: sycl.malloc_device(len(array), array.dtype, queue),
}


def refusal(queue: sycl.Queue, kernel: sycl.Kernel, *arguments: object) -> str:
    with pytest.raises(sycl.KernelArgumentError) as caught:
        queue.parallel_for(24, kernel, *arguments)
    return str(caught.value).splitlines()[0]


def test_elements_of_the_right_size(queue: sycl.Queue) -> None:
    naturals, tights, numbers = np.zeros(3, NATURAL), np.zeros(3, PACKED), np.zeros(3, np.int32)
    queue.parallel_for(3, PROGRAM.naturals, naturals).wait_and_throw()
    queue.parallel_for(3, PROGRAM.tights, tights).wait_and_throw()
    queue.parallel_for(3, PROGRAM.read_tights, tights, numbers).wait_and_throw()
    assert naturals["n"].tolist() == tights["n"].tolist() == numbers.tolist() == [7, 7, 7]


@pytest.mark.spec("H110")
@pytest.mark.parametrize("way", WAYS)
def test_elements_of_another_size_are_refused(queue: sycl.Queue, way: str) -> None:
    """As many bytes may be a multiple of both sizes: 24 of 13 bytes are 13 of 24."""
    noun = {"array": "an array", "buffer": "a buffer", "usm": "a UsmArray"}[way]
    small, large = (WAYS[way](np.zeros(24, dtype), queue) for dtype in (PACKED, NATURAL))
    assert refusal(queue, PROGRAM.wides, small) == (
        f"wides(): argument 1, 'x', is {noun} whose elements have 13 bytes, but 'wide' has 24"
    )
    assert refusal(queue, PROGRAM.wides, large) == (
        f"wides(): argument 1, 'x', is {noun} whose elements have 16 bytes, but 'wide' has 24"
    )
    assert refusal(queue, PROGRAM.tights, large) == (
        f"tights(): argument 1, 'x', has elements of 16 bytes, but 'tight' has 13 on device '{queue.device.name}'"
    )


def test_accessors_are_held_against_it_too(queue: sycl.Queue) -> None:
    buffer = sycl.Buffer(np.zeros(24, PACKED))
    with pytest.raises(
        sycl.KernelArgumentError, match="is an accessor whose elements have 13 bytes, but 'wide' has 24"
    ):
        queue.submit(lambda h: h.parallel_for(13, PROGRAM.wides, h.read_write(buffer)))


MEMBERS = [
    "char a; double b; char c;",
    "char a, b[3], c[2][3]; short d;",
    "float3 a; char b;",
    "const unsigned long a; unsigned b; size_t c;",
    "short a; struct { char b; int c[2]; } d[3]; char e;",
    "union { char a; float4 b; long c[3]; } d; bool e;",
    "enum { P, Q } a; char b;",
    "uchar16 a; ushort3 b; int2 c; char d;",
    "double8 a; char b;",
    "float a[2 * 3 + 1]; long int b;",
]


def test_sizes_are_the_compilers_own(queue: sycl.Queue) -> None:
    """What the text alone tells of a struct is what every device's compiler makes of it."""
    kinds = range(len(MEMBERS))
    text = "".join(f"typedef struct {{ {MEMBERS[k].replace('P, Q', f'P{k}, Q{k}')} }} s{k};\n" for k in kinds)
    text += (
        "__kernel void sizes(__global ulong *out) {\n" + "".join(f"out[{k}] = sizeof(s{k});\n" for k in kinds) + "}\n"
    )
    text += "".join(f"__kernel void take{k}(__global s{k} *x) {{}}\n" for k in kinds)
    program = sycl.Program(text)
    sizes = np.zeros(len(MEMBERS), np.uint64)
    queue.single_task(program.sizes, sizes)
    for k in kinds:
        wrong = refusal(queue, getattr(program, f"take{k}"), np.zeros(1, np.dtype([("x", "V7")])))
        assert wrong == (
            f"take{k}(): argument 1, 'x', is an array whose elements have 7 bytes, but 's{k}' has {sizes[k]}"
        )
