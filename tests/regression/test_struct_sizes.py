"""A struct passed by value is held against the size that the compiler gives it: PoCL takes any number of bytes and reads
past the end of those that are too few."""

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = sycl.Program("""
typedef struct { int a; float b; } pair;
struct wide { char first; double second; int third[3]; };
__kernel void take_pair(__global int *x, pair p) { x[0] = p.a; x[1] = (int)p.b; }
__kernel void take_wide(__global int *x, struct wide w) { x[0] = w.first; x[1] = (int)w.second; x[2] = w.third[2]; }
""")
PAIR = np.dtype([("a", np.int32), ("b", np.float32)])
WIDE = np.dtype([("first", np.int8), ("second", np.float64), ("third", np.int32, 3)], align=True)


def test_structs_of_the_right_size_arrive(queue):
    x = np.zeros(3, np.int32)
    queue.single_task(PROGRAM.take_pair, x, np.array((7, 8.0), PAIR)[()])
    assert x[:2].tolist() == [7, 8]
    if queue.device.has("fp64"):
        queue.single_task(PROGRAM.take_wide, x, np.array((1, 2.0, (3, 4, 5)), WIDE)[()])
        assert x.tolist() == [1, 2, 5]


@pytest.mark.parametrize("size", [0, 7, 9, 16, 4096, 100_000])
def test_structs_of_another_size_are_refused(queue, size):
    x = np.full(3, -1, np.int32)
    with pytest.raises(sycl.KernelArgumentError, match=f"argument 2, 'p', has {size} bytes, but 'pair' has 8"):
        queue.single_task(PROGRAM.take_pair, x, bytes(size))
    assert (x == -1).all()


def test_an_unaligned_dtype_is_refused(queue):
    packed = np.zeros((), [("first", np.int8), ("second", np.float64), ("third", np.int32, 3)])
    if queue.device.has("fp64"):
        with pytest.raises(sycl.KernelArgumentError, match=r"'struct wide' has 32"):
            queue.single_task(PROGRAM.take_wide, np.zeros(3, np.int32), packed)
