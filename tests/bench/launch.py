"""What a launch costs: pysycl against the same OpenCL calls in C, against PyOpenCL and against Numba, all in one process.

    python tests/bench/launch.py [ROUNDS [in-a-row]]

One driver serves all: pysycl opens it, the C loop calls it through the context that pysycl gives, and PyOpenCL wraps the
same context. Where the driver has a calling-thread device beside its pool (PoCL), both are measured. Launches in a row
use memory that stays the device's. Nothing is asserted.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import cycle, islice, repeat
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from report import Contender, difference, print_machine, print_table, ratio, take_turns, version_of

import pysycl as sycl
from pysycl import _core

SOURCE = """
__kernel void axpy(__global float *x, __global const float *y, float a, uint n)
{
    size_t i = get_global_id(0);
    if (i < n)
        x[i] += a * y[i];
}
/* The same with a loop, whose length no launch can know: pysycl leaves such a kernel to the pool. */
__kernel void axpy_loop(__global float *x, __global const float *y, float a, uint n)
{
    for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
        x[i] += a * y[i];
}
"""
ITEMS, SCALE = 64, 2.0
MAKE_BUFFERS, WAIT_EACH, KEEP_ARGUMENTS, WAIT_LIST, FLUSH_EACH, NO_EVENT = 1, 2, 4, 8, 16, 32  # of launch_loop.c
PER_ROUND, WAITED_PER_ROUND = 500, 400
HERE = Path(__file__).resolve().parent


def build_loop(folder: str) -> ctypes.CDLL:
    """launch_loop.c as a shared library, optimised as Python extensions are."""
    candidates = (os.environ.get("CC"), (sysconfig.get_config_var("CC") or "").split(" ")[0], "cc", "gcc", "clang")
    compiler = next((path for name in candidates if name and (path := shutil.which(name))), None)
    if compiler is None:
        sys.exit("launch.py needs a C compiler for the loop that it compares with")
    library = Path(folder, "launch_loop.so")
    include = f"-I{HERE.parent.parent / 'csrc'}"
    command = [compiler, "-O2", "-std=gnu11", "-shared", "-fPIC", include, str(HERE / "launch_loop.c")]
    subprocess.run([*command, "-o", str(library)], check=True)
    loop = ctypes.CDLL(str(library))
    loop.loop_create.restype = ctypes.c_void_p
    loop.loop_create.argtypes = [ctypes.c_void_p] * 3 + [
        ctypes.c_char_p,
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_int,
    ]
    loop.loop_run.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_float, ctypes.c_uint32]
    loop.loop_run.argtypes += [ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p]
    return loop


class Loop(Protocol):
    """`count` launches in C; `each_ns` is the address of as many doubles, one for the time of each, or None."""

    def __call__(self, count: int, each_ns: Any = None) -> None: ...


class Setting:
    """The arrays, the program and the driver's objects that all contenders share."""

    def __init__(self, loop: ctypes.CDLL) -> None:
        self.loop = loop
        self.queue = sycl.Queue()
        self.program = sycl.Program(SOURCE)
        self.program.build(self.queue.context)
        self.x, self.y = np.zeros(ITEMS, np.float32), np.ones(ITEMS, np.float32)
        lanes = self.queue.device._lanes
        self.devices = {"pool": lanes[0]} | ({"calling thread": lanes[1]} if len(lanes) > 1 else {})

    def c_loop(self, lane: str, kernel: str, how: int, shared: bool = True, in_order: bool = True) -> Loop:
        handles = (self.queue.context.int_ptr, self.devices[lane], self.program.native(self.queue.context))
        addresses = (self.x.ctypes.data, self.y.ctypes.data) if shared else (None, None)
        loop = self.loop.loop_create(*handles, kernel.encode(), *addresses, self.x.nbytes, in_order)
        if not loop:
            sys.exit("the C loop could not make its OpenCL objects")

        def run(count: int, each_ns: Any = None) -> None:
            code = self.loop.loop_run(loop, count, SCALE, ITEMS, ITEMS, ITEMS, how, each_ns)
            if code != 0:
                sys.exit(f"the C loop failed with OpenCL's code {code}")

        return run


# The same kernels as bodies; the range is all that there is to do.
BODIES = {
    "axpy": "if (i < n) x[i] += a * y[i];",
    "axpy_loop": f"for (ulong j = i; j < n; j += {ITEMS}) x[j] += a * y[j];",
}
# Its subscripts are held against the arrays' sizes at each launch whose numbers are new.
STENCIL = "if (i > 0 && i < n - 1) x[i] = a * (y[i - 1] + y[i + 1]);"


def pipelined(call: Callable[..., object], name: str) -> Callable[..., object]:
    """Launches on the pool follow each other without a wait; on the calling thread each has ended when it returns.

    Keywords that are unpacked at each call, none of them too, would cost more than what the launch is compared for.
    """
    return partial(call, wait=False) if name == "axpy_loop" else call


def body_launches(setting: Setting, name: str) -> Callable[[int], None]:
    """The body with the same arguments, found again each time by its text and their types."""
    launch, wait = pipelined(setting.queue.parallel_for, name), setting.queue.wait
    x, y, body = setting.x, setting.y, BODIES[name]

    def run(count: int) -> None:
        for _ in repeat(None, count):
            launch(ITEMS, body, x=x, y=y, a=SCALE, n=ITEMS)
        wait()

    return run


def stencil_launches(setting: Setting, changing: bool) -> Callable[[int], None]:
    """A body that looks at neighbours, with a new number each time or without."""
    launch, wait, x, y = setting.queue.parallel_for, setting.queue.wait, setting.x, setting.y
    numbers = cycle(range(ITEMS // 2, ITEMS) if changing else (ITEMS,))

    def run(count: int) -> None:
        for n in islice(numbers, count):
            launch(ITEMS, STENCIL, x=x, y=y, a=SCALE, n=n)
        wait()

    return run


def prepared_launches(setting: Setting, name: str, changing: bool) -> Callable[[int], None]:
    """A launch that is kept, with a new number each time or without."""
    wait = setting.queue.wait
    kernel = pipelined(setting.queue.kernel(ITEMS, BODIES[name], x=setting.x, y=setting.y, a=SCALE, n=ITEMS), name)

    def run(count: int) -> None:
        for _ in repeat(None, count):
            kernel()
        wait()

    def run_changing(count: int) -> None:
        for _ in repeat(None, count):
            kernel(a=SCALE)
        wait()

    return run_changing if changing else run


def pysycl_launches(setting: Setting, kernel: sycl.Kernel) -> Callable[[int], None]:
    """Launches one after the other; what has not ended by then is waited for once."""
    launch, wait = pipelined(setting.queue.parallel_for, kernel.name), setting.queue.wait
    x, y = setting.x, setting.y

    def run(count: int) -> None:
        for _ in repeat(None, count):
            launch(ITEMS, kernel, x, y, SCALE, ITEMS)
        wait()

    return run


class PyOpenCL:
    """PyOpenCL on the same context: its kernel with typed scalars, called and with arguments set one by one."""

    def __init__(self, setting: Setting, lane: str, name: str) -> None:
        import pyopencl as cl

        self.cl, self.setting = cl, setting
        self.context = cl.Context.from_int_ptr(setting.queue.context.int_ptr)
        self.queue = cl.CommandQueue(self.context, cl.Device.from_int_ptr(setting.devices[lane]))
        self.kernel = cl.Kernel(cl.Program.from_int_ptr(setting.program.native(setting.queue.context)), name)
        self.kernel.set_scalar_arg_dtypes([None, None, np.float32, np.uint32])
        self.flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
        self.x, self.y = self.buffers()

    def buffers(self) -> tuple[Any, Any]:
        arrays = (self.setting.x, self.setting.y)
        x, y = (self.cl.Buffer(self.context, self.flags, hostbuf=array) for array in arrays)
        return x, y

    def call(self, count: int) -> None:
        kernel, queue, x, y, size = self.kernel, self.queue, self.x, self.y, (ITEMS,)
        for _ in repeat(None, count):
            kernel(queue, size, size, x, y, SCALE, ITEMS)
        queue.finish()

    def call_with_arrays(self, count: int) -> None:
        kernel, queue, buffer, size = self.kernel, self.queue, self.cl.Buffer, (ITEMS,)
        context, flags, x, y = self.context, self.flags, self.setting.x, self.setting.y
        for _ in repeat(None, count):
            mx, my = buffer(context, flags, hostbuf=x), buffer(context, flags, hostbuf=y)
            kernel(queue, size, size, mx, my, SCALE, ITEMS)
        queue.finish()

    def enqueue(self, count: int) -> None:
        kernel, queue, x, y, size = self.kernel, self.queue, self.x, self.y, (ITEMS,)
        enqueue, a, n = self.cl.enqueue_nd_range_kernel, np.float32(SCALE), np.uint32(ITEMS)
        for _ in repeat(None, count):
            kernel.set_args(x, y, a, n)
            enqueue(queue, kernel, size, size)
        queue.finish()

    def wait_each(self) -> None:
        self.kernel(self.queue, (ITEMS,), (ITEMS,), self.x, self.y, SCALE, ITEMS).wait()


def numba_call(setting: Setting) -> Callable[[], None] | None:
    """The same work by a function that Numba compiles with parallel=True; None where Numba is not installed."""
    if version_of("numba") == "not installed":
        return None
    from numba import njit, prange

    def axpy(x: Any, y: Any, a: Any, n: int) -> None:
        for i in prange(n):
            x[i] += a * y[i]

    compiled, a = njit(parallel=True)(axpy), np.float32(SCALE)
    return lambda: compiled(setting.x, setting.y, a, ITEMS)


def repeated(call: Callable[[], object]) -> Callable[[int], None]:
    def run(count: int) -> None:
        for _ in repeat(None, count):
            call()

    return run


def print_calls(setting: Setting) -> None:
    """Which OpenCL calls one launch makes, by pysycl's own census of the driver's table."""
    for where, name in {"calling thread": "axpy", "pool": "axpy_loop"}.items():
        kernel = setting.program.kernel(name)
        pysycl_launches(setting, kernel)(1)
        _core.fault_install(setting.queue.device.platform._driver_index)
        pysycl_launches(setting, kernel)(PER_ROUND)
        calls = {entry: _core.fault_calls(entry) / PER_ROUND for entry in _core.fault_entries()}
        _core.fault_install(None)
        words = [f"{number:.1f} cl{entry}" for entry, number in calls.items() if number >= 0.1]
        print(f"pysycl's OpenCL calls for one launch, {where}:\n    " + ", ".join(words))
    print(
        "the C loop's: 4 clSetKernelArg, 1 clEnqueueNDRangeKernel, 1 clReleaseEvent; where each launch has ended when the\n"
        "    next begins also 1 clWaitForEvents, 1 clGetEventInfo; with arrays also 2 clCreateBuffer, 2 clReleaseMemObject\n"
    )


def print_launches(
    contenders: Sequence[Contender], rounds: int, clock: Callable[[], float], first: str, second: str = "C, arrays"
) -> None:
    take_turns(contenders, rounds, PER_ROUND, clock)
    own = next(contender for contender in contenders if contender.name == first)
    same = next(contender for contender in contenders if contender.name == second)
    rows = [
        [
            contender.name,
            f"{contender.least * 1e6:.2f}",
            f"{contender.median * 1e6:.2f}",
            f"{difference(contender, same) * 1e6:+.2f}",
            f"{ratio(contender, own):.2f}",
        ]
        for contender in contenders
    ]
    print_table(["contender", "least us", "median us", f"us over {second}", "x pysycl"], rows)


def launches(setting: Setting, lane: str, kernel: str, rounds: int) -> None:
    """A launch that is over when the next begins on the calling thread, a pipeline of launches on the pool."""
    here = lane == "calling thread"
    how = WAIT_EACH if here else 0
    arrays, ready = setting.c_loop(lane, kernel, how | MAKE_BUFFERS), setting.c_loop(lane, kernel, how)
    contenders = [
        Contender("pysycl, arrays", pysycl_launches(setting, setting.program.kernel(kernel))),
        Contender("pysycl, a body, arrays", body_launches(setting, kernel)),
        Contender("pysycl, prepared", prepared_launches(setting, kernel, False)),
        Contender("pysycl, prepared, a new number", prepared_launches(setting, kernel, True)),
        Contender("C, arrays", arrays),
        Contender("C, buffers made once", ready),
    ]
    if here:
        contenders += [
            Contender("pysycl, a stencil, arrays", stencil_launches(setting, False)),
            Contender("pysycl, a stencil, a new number", stencil_launches(setting, True)),
        ]
    if version_of("pyopencl") != "not installed":
        peer = PyOpenCL(setting, lane, kernel)
        contenders += [
            Contender("PyOpenCL kernel(...), arrays", peer.call_with_arrays),
            Contender("PyOpenCL kernel(...), buffers made once", peer.call),
            Contender("PyOpenCL set_args + enqueue, buffers made once", peer.enqueue),
        ]
    end = "each has ended when the next begins" if here else f"pipelined, waited for after {PER_ROUND}"
    clock = "CPU time of the thread, which does all the work" if here else "wall time"
    print(f"Launch of a 4-argument kernel, {ITEMS} items, on the {lane}'s device; {end}; {clock}:\n")
    print_launches(contenders, rounds, time.thread_time if here else time.perf_counter, "pysycl, arrays")


def prepared_of(queue: sycl.Queue, kernel: Any, *given: Any) -> Callable[[int], None]:
    prepared, wait = queue.kernel(sycl.NdRange((ITEMS,), (ITEMS,)), kernel, *given, SCALE, ITEMS), queue.wait

    def run(count: int) -> None:
        for _ in repeat(None, count):
            prepared()
        wait()

    return run


def launches_in_a_row(setting: Setting, rounds: int) -> None:
    """Prepared kernels whose arguments never change, each after the one before because both use the same memory."""
    kernel, shared = setting.program.axpy_loop, setting.queue.device._facts["shares_host_memory"]
    contenders = []
    for order, in_order in (("in order", True), ("any order", False)):
        queue = sycl.Queue(setting.queue.device, context=setting.queue.context, in_order=in_order)
        usm = [sycl.malloc_device(ITEMS, np.float32, queue) for _ in "xy"]
        buffers = [sycl.Buffer(np.zeros(ITEMS, np.float32)) for _ in "xy"]
        contenders.append(Contender(f"pysycl, {order}, unified shared memory", prepared_of(queue, kernel, *usm)))
        contenders.append(Contender(f"pysycl, {order}, buffers", prepared_of(queue, kernel, *buffers)))
        for words, how in {
            "arguments set, event, flush": FLUSH_EACH,
            "event, flush": KEEP_ARGUMENTS | FLUSH_EACH,
            "event": KEEP_ARGUMENTS,
            "nothing": KEEP_ARGUMENTS | NO_EVENT,
            "arguments set, wait list, event, flush": WAIT_LIST | FLUSH_EACH,
            "wait list, event, flush": WAIT_LIST | KEEP_ARGUMENTS | FLUSH_EACH,
        }.items():
            if in_order or how & WAIT_LIST:
                run = setting.c_loop("pool", "axpy_loop", how, shared, in_order)
                contenders.append(Contender(f"C, {order}: {words}", run))
    print(f"A kernel of {ITEMS} items in a row, waited for after {PER_ROUND}; wall time:\n")
    names = "pysycl, in order, unified shared memory", "C, in order: event, flush"
    print_launches(contenders, rounds, time.perf_counter, *names)


def timed_each(call: Callable[[], object], count: int) -> list[float]:
    times = []
    clock = time.perf_counter
    for _ in repeat(None, count):
        before = clock()
        call()
        times.append(clock() - before)
    return times


def c_timed_each(run: Loop) -> Callable[[int], list[float]]:
    def measure(count: int) -> list[float]:
        each = np.empty(count)
        run(count, each.ctypes.data)
        return list(each * 1e-9)

    return measure


def launch_and_wait(setting: Setting, rounds: int) -> None:
    """Every launch timed by itself, so that the slow ones show: medians and 99th percentiles."""
    kernel, queue, x, y = setting.program.axpy, setting.queue, setting.x, setting.y

    def timed(call: Callable[[], object]) -> Callable[[int], list[float]]:
        return lambda count: timed_each(call, count)

    ways = {"pysycl, arrays": timed(lambda: queue.parallel_for(ITEMS, kernel, x, y, SCALE, ITEMS))}
    for lane in setting.devices:
        ways[f"C, arrays, {lane}"] = c_timed_each(setting.c_loop(lane, "axpy", WAIT_EACH | MAKE_BUFFERS))
        ways[f"C, launch and wait alone, {lane}"] = c_timed_each(
            setting.c_loop(lane, "axpy", WAIT_EACH | KEEP_ARGUMENTS)
        )
        if version_of("pyopencl") != "not installed":
            ways[f"PyOpenCL kernel(...).wait(), buffers made once, {lane}"] = timed(
                PyOpenCL(setting, lane, "axpy").wait_each
            )
    if (call := numba_call(setting)) is not None:
        ways["Numba, parallel=True"] = timed(call)
    figures: dict[str, list[float]] = {name: [] for name in ways}
    for measure in ways.values():
        measure(WAITED_PER_ROUND)
    for _ in range(rounds):
        for name, measure in ways.items():
            figures[name] += measure(WAITED_PER_ROUND)
    print(f"Launch and wait, {ITEMS} items, each timed by itself ({rounds * WAITED_PER_ROUND} times):\n")
    own = statistics.median(figures["pysycl, arrays"])
    rows = []
    for name, seconds in figures.items():
        least, middle, slow = np.percentile(seconds, [0, 50, 99])
        rows.append([name, *(f"{value * 1e6:.2f}" for value in (least, middle, slow)), f"{middle / own:.2f}"])
    print_table(["contender", "least us", "median us", "p99 us", "median x pysycl"], rows)
    if version_of("numba") == "not installed":
        print("Numba is not installed: its parallel call was not measured.\n")


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    with tempfile.TemporaryDirectory() as folder:
        setting = Setting(build_loop(folder))
        platform = setting.queue.device.platform
        print_machine("Launches", f"driver  : {platform.name} {platform.version}, {setting.queue.device.name}")
        launches_in_a_row(setting, rounds)
        if "in-a-row" in sys.argv:
            return
        print_calls(setting)
        if "calling thread" in setting.devices:
            launches(setting, "calling thread", "axpy", rounds)
        launches(setting, "pool", "axpy_loop", rounds)
        launch_and_wait(setting, rounds)


if __name__ == "__main__":
    main()
