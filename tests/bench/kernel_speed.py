"""Large simple kernels: the same memory traffic through pysycl, PyOpenCL and NumPy, and the best local size.

    python tests/bench/kernel_speed.py [LOG2_N [ROUNDS]]

pysycl launches a plain range and chooses the group itself; PyOpenCL is given a good local size, on the same context's
pool device. A second table shows what each local size gives through pysycl's own nd-range. Nothing is asserted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from report import Contender, print_machine, print_table, ratio, repeated, take_turns, version_of

import pysycl as sycl

SOURCE = """
__kernel void copy(__global float *x, __global const float *y, __global const float *z, float a)
{
    size_t i = get_global_id(0);
    x[i] = y[i];
}
__kernel void saxpy(__global float *x, __global const float *y, __global const float *z, float a)
{
    size_t i = get_global_id(0);
    x[i] = a * y[i] + x[i];
}
__kernel void triad(__global float *x, __global const float *y, __global const float *z, float a)
{
    size_t i = get_global_id(0);
    x[i] = y[i] + a * z[i];
}
"""
STREAMS = {"copy": 2, "saxpy": 3, "triad": 3}  # arrays read or written
LOCAL_SIZES = (64, 128, 256, 512, 1024, 2048, 4096)
GOOD_LOCAL, SCALE = 256, 1e-3


def aligned(n: int) -> np.ndarray:
    """On a page: all contenders get the same memory, and no part of the difference is alignment."""
    raw = np.zeros(n * 4 + 4096, np.uint8)
    start = -raw.ctypes.data % 4096
    return raw[start : start + 4 * n].view(np.float32)


class Arrays:
    def __init__(self, n: int) -> None:
        self.n = n
        self.x, self.y, self.z, self.spare = (aligned(n) for _ in range(4))
        self.y[:], self.z[:] = 1.0, 2.0


def by_numpy(name: str, a: Arrays) -> Callable[[], object]:
    scale = np.float32(SCALE)

    def copy() -> None:
        np.copyto(a.x, a.y)

    def saxpy() -> None:
        np.multiply(a.y, scale, out=a.spare)
        np.add(a.x, a.spare, out=a.x)

    def triad() -> None:
        np.multiply(a.z, scale, out=a.spare)
        np.add(a.y, a.spare, out=a.x)

    return {"copy": copy, "saxpy": saxpy, "triad": triad}[name]


def good_local(n: int) -> tuple[int] | None:
    """None, the driver's own choice, where the good size does not divide n."""
    return (GOOD_LOCAL,) if n % GOOD_LOCAL == 0 else None


def by_pyopencl(queue: sycl.Queue, program: sycl.Program, name: str, a: Arrays) -> Callable[[], object]:
    import pyopencl as cl

    context = cl.Context.from_int_ptr(queue.context.int_ptr)
    own = cl.CommandQueue(context, cl.Device.from_int_ptr(queue.device._lanes[0]))
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
    kernel = cl.Kernel(cl.Program.from_int_ptr(program.native(queue.context)), name)
    buffers = [cl.Buffer(context, flags, hostbuf=each) for each in (a.x, a.y, a.z)]

    def call() -> None:
        kernel.set_args(*buffers, np.float32(SCALE))
        cl.enqueue_nd_range_kernel(own, kernel, (a.n,), good_local(a.n))
        own.finish()

    return call


def compare(queue: sycl.Queue, program: sycl.Program, a: Arrays, rounds: int) -> None:
    rows = []
    for name, streams in STREAMS.items():
        kernel = program.kernel(name)

        def own(kernel: sycl.Kernel = kernel) -> None:
            queue.parallel_for(a.n, kernel, a.x, a.y, a.z, SCALE).wait()

        contenders = [Contender("pysycl, range", repeated(own))]
        if version_of("pyopencl") != "not installed":
            how = f"local {GOOD_LOCAL}" if good_local(a.n) else "the driver's local size"
            contenders.append(Contender(f"PyOpenCL, {how}", repeated(by_pyopencl(queue, program, name, a))))
        contenders.append(Contender("NumPy", repeated(by_numpy(name, a))))
        take_turns(contenders, rounds, 1)
        for each in contenders:
            best, typical = (streams * 4 * a.n / seconds / 1e9 for seconds in (each.least, each.median))
            rows.append([name, each.name, f"{best:.1f}", f"{typical:.1f}", f"{ratio(each, contenders[0]):.2f}"])
    print(f"n = {a.n} floats; GB/s count each array that the kernel reads or writes once:\n")
    print_table(["kernel", "contender", "best GB/s", "median GB/s", "x pysycl's time"], rows)


def local_sizes(queue: sycl.Queue, program: sycl.Program, a: Arrays, rounds: int) -> None:
    rows = []
    for name, streams in STREAMS.items():
        kernel, contenders = program.kernel(name), []
        most = kernel.work_group_info(queue.context).work_group_size
        sizes = [local for local in LOCAL_SIZES if local <= most]
        for local in sizes:

            def grouped(kernel: sycl.Kernel = kernel, local: int = local) -> None:
                queue.parallel_for(sycl.NdRange((a.n,), (local,)), kernel, a.x, a.y, a.z, SCALE).wait()

            contenders.append(Contender(str(local), repeated(grouped)))
        take_turns(contenders, rounds, 1)
        rows.append([name, *(f"{streams * 4 * a.n / each.least / 1e9:.1f}" for each in contenders)])
        best = min(contenders, key=lambda each: each.median)
        rows.append([f"  x the time with {best.name}", *(f"{ratio(each, best):.2f}" for each in contenders)])
    print(f"Local sizes, n = {a.n}, best GB/s of {rounds}, and times round by round:\n")
    print_table(["kernel", *map(str, sizes)], rows)


def main() -> None:
    n = 1 << (int(sys.argv[1]) if len(sys.argv) > 1 else 24)
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    queue, program = sycl.Queue(), sycl.Program(SOURCE)
    chosen = queue.device._facts
    print_machine(
        "Speed of large simple kernels",
        f"driver  : {queue.device.platform.name} {queue.device.platform.version}, {queue.device.name}",
        f"facts   : {chosen['row']}, local size of a plain range at most {chosen['local_size']}",
    )
    compare(queue, program, Arrays(n), rounds)
    compare(queue, program, Arrays(n - 1), rounds)
    for size in (n >> 8, n):
        local_sizes(queue, program, Arrays(size), rounds)


if __name__ == "__main__":
    main()
