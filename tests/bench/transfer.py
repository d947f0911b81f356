"""What data movement costs: zero copy where the device shares the host's memory; elsewhere transfers against the raw speed of
pinned memory.

    python tests/bench/transfer.py [LOG2_BYTES] [ROUNDS]

Nothing is asserted; bytes moved are counted by the core itself.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from report import Contender, print_machine, print_table, ratio, take_turns, version_of

import pysycl as sycl

SOURCE = """
__kernel void scale(__global float4 *x, float a) { x[get_global_id(0)] *= a; }
"""


def moved() -> int:
    counts: Any = sycl.statistics()
    return int(counts["to_device_bytes"] + counts["from_device_bytes"] + counts["staged_bytes"])


def in_and_out(queue: sycl.Queue, kernel: sycl.Kernel, array: np.ndarray[Any, Any]) -> None:
    """An array into a buffer, through a kernel, and back into the array."""
    with sycl.Buffer(array) as buffer, queue.submit() as h:
        h.parallel_for(array.size // 4, kernel, h.read_write(buffer), 1.0)


def round_trip(queue: sycl.Queue, array: np.ndarray[Any, Any], rounds: int) -> None:
    kernel = sycl.Program(SOURCE).scale
    resident = sycl.Buffer(array.shape, array.dtype)
    queue.fill(resident, 1.0).wait()

    def kernel_alone(count: int) -> None:
        for _ in range(count):
            queue.parallel_for(array.size // 4, kernel, resident, 1.0).wait()

    def both_ways(count: int) -> None:
        for _ in range(count):
            in_and_out(queue, kernel, array)

    contenders = [
        Contender("kernel on a resident buffer", kernel_alone),
        Contender("array in, kernel, array out", both_ways),
    ]
    take_turns(contenders, rounds, 1)
    before = moved()
    in_and_out(queue, kernel, array)
    print(f"bytes moved for {array.nbytes} bytes in and out: {moved() - before}\n")
    rows = [
        [c.name, f"{c.least * 1e3:.2f}", f"{c.median * 1e3:.2f}", f"{ratio(c, contenders[0]):.3f}"] for c in contenders
    ]
    print_table(["", "least ms", "median ms", "against the kernel"], rows)


def raw_contenders(queue: sycl.Queue, nbytes: int) -> list[Contender]:
    """clEnqueueWriteBuffer and clEnqueueReadBuffer from pinned and from pageable memory, by PyOpenCL."""
    if version_of("pyopencl") == "not installed":
        return []
    import pyopencl as cl

    context = cl.Context.from_int_ptr(queue.context.int_ptr)
    native = cl.CommandQueue(context, cl.Device.from_int_ptr(queue.device.int_ptr))
    device = cl.Buffer(context, cl.mem_flags.READ_WRITE, nbytes)
    pinned = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR, nbytes)
    mapped, _ = cl.enqueue_map_buffer(native, pinned, cl.map_flags.READ | cl.map_flags.WRITE, 0, (nbytes,), np.uint8)
    mapped[:] = 1
    pageable = np.ones(nbytes, np.uint8)

    def each(host: Any, to_device: bool) -> Any:
        def run(count: int) -> None:
            for _ in range(count):
                cl.enqueue_copy(native, *((device, host) if to_device else (host, device)), is_blocking=True)

        return run

    return [
        Contender("raw write, pinned", each(mapped, True)),
        Contender("raw read, pinned", each(mapped, False)),
        Contender("raw write, pageable", each(pageable, True)),
        Contender("raw read, pageable", each(pageable, False)),
    ]


def transfers(queue: sycl.Queue, nbytes: int, rounds: int) -> None:
    array = np.ones(nbytes, np.uint8)
    usm = sycl.malloc_device(nbytes, np.uint8, queue)

    def to_device(count: int) -> None:
        for _ in range(count):
            queue.memcpy(usm, array)

    def from_device(count: int) -> None:
        for _ in range(count):
            queue.memcpy(array, usm)

    buffer = sycl.Buffer((nbytes,), np.uint8)

    def copy_in(count: int) -> None:
        for _ in range(count):
            queue.copy(array, buffer)

    def copy_out(count: int) -> None:
        for _ in range(count):
            queue.copy(buffer, array)

    contenders = [
        Contender("queue.memcpy, array to device USM", to_device),
        Contender("queue.memcpy, device USM to array", from_device),
        Contender("queue.copy, array to buffer", copy_in),
        Contender("queue.copy, buffer to array", copy_out),
        *raw_contenders(queue, nbytes),
    ]
    take_turns(contenders, rounds, 1)
    raw = {"to": None, "from": None} if len(contenders) == 4 else {"to": contenders[4], "from": contenders[5]}
    rows = []
    for i, c in enumerate(contenders):
        against = raw["to" if i % 2 == 0 else "from"]
        speeds = [f"{nbytes / seconds * 1e-9:.2f}" for seconds in (c.least, c.median)]
        rows.append([c.name, *speeds, f"{1 / ratio(c, against):.3f}" if against else "-"])
    print_table([f"{nbytes / 2**20:g} MiB", "best GB/s", "median GB/s", "of raw pinned speed"], rows)


def main() -> None:
    bits = int(sys.argv[1]) if len(sys.argv) > 1 else 28
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    queue = sycl.Queue()
    print_machine("Data movement", f"device  : {queue.device!r}")
    round_trip(queue, np.ones(2 ** (bits - 2), np.float32), rounds)
    for size in (2**16, 2**20, 2**26, 2**bits):
        transfers(queue, size, rounds)


if __name__ == "__main__":
    main()
