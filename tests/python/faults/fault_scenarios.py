"""What calls of drivers are made to fail in, and the loops that do it: run in child interpreters by test_faults.py.

A scenario is a function that makes everything it needs, checks its own results and leaves nothing behind. Each call that
it makes of an OpenCL entry is made to fail once, with several codes, and so is each allocation of the core.
"""

import ctypes
import faulthandler
import gc
import json
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator

import fault_scenarios_memory as memory
import numpy as np
from fault_scenarios_bundles import bundles
from fault_scenarios_recordings import recordings

import pysycl as sycl
from pysycl import _core

HANG_SECONDS = 100  # a run takes 6, but machines are shared
SETTLE_SECONDS = 5.0
QUIET = 20  # looks, a hundredth of a second apart
CALLS = 20  # of one entry in one scenario, counted from the first, that are made to fail

SOURCE = """
kernel void add(global float *y, global const float *x, float a, uint n)
{ size_t i = get_global_id(0); if (i < n) y[i] += a * x[i]; }
kernel void churn(global uint *y, global uint *x, uint a, uint n)
{ size_t i = get_global_id(0); if (i < n) y[i] = 31 * y[i] + x[i] + a; }
kernel void bump(global uint *y, uint n)
{ size_t i = get_global_id(0); if (i < n) y[i] += 1; }
kernel void mirror(global uint *y, global const uint *x, uint n)
{ size_t i = get_global_id(0); if (i < n) y[i] = x[i]; }
"""
BROKEN = "kernel void add(global float *y, global const float *x, float a, uint n) { }\n#error broken\n"

CLASS_OF_CODE = {
    -4: sycl.MemoryAllocationError,
    -5: sycl.SyclRuntimeError,
    -6: sycl.MemoryAllocationError,
    -11: sycl.BuildError,
    -15: sycl.CompileProgramError,
    -17: sycl.LinkProgramError,
    -18: sycl.FeatureNotSupportedError,
    -30: sycl.InvalidParameterError,
    -33: sycl.InvalidObjectError,
    -34: sycl.InvalidObjectError,
    -36: sycl.InvalidObjectError,
    -38: sycl.InvalidObjectError,
    -42: sycl.InvalidObjectError,
    -44: sycl.InvalidObjectError,
    -46: sycl.KernelError,
    -48: sycl.InvalidObjectError,
    -51: sycl.KernelArgumentError,
    -54: sycl.NdRangeError,
    -58: sycl.EventError,
    -59: sycl.InvalidError,
}
OUT_OF_RESOURCES = -5
CODES = (OUT_OF_RESOURCES, -6)
MORE_CODES = {
    "BuildProgram": (-11, -59),
    "CompileProgram": (-15,),
    "CreateBuffer": (-4, -34),
    "CreateCommandQueue": (-30, -33),
    "CreateContext": (-33,),
    "CreateKernel": (-46,),
    "CreateProgramWithBinary": (-42,),
    "CreateSubDevices": (-18, -30),
    "EnqueueMarkerWithWaitList": (-36,),
    "EnqueueNDRangeKernel": (-4, -54),
    "EnqueueReadBuffer": (-38,),
    "EnqueueWriteBuffer": (-38,),
    "GetEventInfo": (-58,),
    "LinkProgram": (-17,),
    "ReleaseCommandQueue": (-36,),
    "ReleaseContext": (-34,),
    "ReleaseDevice": (-33,),
    "ReleaseEvent": (-58,),
    "ReleaseKernel": (-48,),
    "ReleaseMemObject": (-38,),
    "ReleaseProgram": (-44,),
    "RetainCommandQueue": (-36,),
    "RetainContext": (-34,),
    "RetainDevice": (-33,),
    "RetainEvent": (-58,),
    "RetainProgram": (-44,),
    "SetKernelArg": (-51,),
    "WaitForEvents": (-58,),
}
MAY_BE_ABSORBED = {
    "Flush": "the dispatcher waits once more",
    "GetEventInfo": "a look at a command that is looked at again",
    "GetEventProfilingInfo": "times that nobody asks for: the scenario that asks is another",
    "GetProgramBuildInfo": "a build that fails keeps its own error, without the log",
    "RetainEvent": "an event that cannot be held for a look is looked at again, one that cannot be named is waited for",
    "WaitForEvents": "after another failure, so that its memory can go",
}


class World:
    """The driver under test and what the scenarios share."""

    def __init__(self, library: str | None) -> None:
        self.device = sycl.devices()[0]
        self.driver = self.device.platform._driver_index
        self.library = ctypes.CDLL(library) if library else None
        self.shared: tuple[sycl.Context, sycl.Program] | None = None
        self.y, self.x, self.wide = np.zeros(16, np.float32), np.ones(16, np.float32), np.ones(32, np.float32)
        self.u, self.v = np.zeros(16, np.uint32), np.zeros(16, np.uint32)

    def make(self) -> tuple[sycl.Context, sycl.Program]:
        """A fresh context and program; a real compiler is too slow for that, so there they are kept."""
        return self.shared or (sycl.Context(self.device), sycl.Program(SOURCE))

    def references(self) -> list[int]:
        return [sys.getrefcount(array) for array in (self.y, self.x, self.wide, self.u, self.v)]

    def misuses(self) -> int:
        """Handles that the fake driver was given and that were not good."""
        return int(self.library.fake_error_count()) if self.library else 0

    def call(self, name: str, *args: object) -> int:
        """An entry of the fake driver itself, which returns an object."""
        assert self.library is not None
        function = getattr(self.library, name)
        function.restype = ctypes.c_void_p
        return int(function(*args))


def questions(world: World) -> None:
    assert world.device.platform.name and world.device.platform.version
    assert world.device.max_compute_units == 4
    assert world.device.name and world.device.vendor
    assert world.device.has_extension("cl_khr_no_such_thing") is False


def contexts(world: World) -> None:
    context = sycl.Context(world.device)
    assert context.reference_count == 1
    assert sycl.Context.from_int_ptr(context.int_ptr) == context
    lanes = world.device._lanes
    native = world.call("clCreateContext", None, len(lanes), (ctypes.c_void_p * 2)(*lanes), None, None, None)
    try:
        assert sycl.Context.from_int_ptr(native).devices == [world.device]
    finally:
        assert world.library is not None
        world.library.clReleaseContext(ctypes.c_void_p(native))


def sub_devices(world: World) -> None:
    assert world.library is not None
    parts = world.device.create_sub_devices("partition_equally", 2)
    assert [part.max_compute_units for part in parts] == [2, 2]
    properties = (ctypes.c_ssize_t * 3)(0x1086, 2, 0)
    natives = (ctypes.c_void_p * 2)()
    world.library.clCreateSubDevices(ctypes.c_void_p(world.device.int_ptr), properties, 2, natives, None)
    try:
        part = sycl.Device.from_int_ptr(natives[0] or 0)
        assert part.is_sub_device and part._parent == world.device
        sycl.Queue(part)
    finally:
        for native in natives:
            world.library.clReleaseDevice(ctypes.c_void_p(native))


def queues(world: World) -> None:
    context, _ = world.make()
    queue = sycl.Queue(world.device, context=context, enable_profiling=True)
    again = sycl.Queue.from_int_ptr(queue.int_ptr, context)
    assert queue.reference_count == 2
    assert again.device == world.device
    queue.wait()  # its handle is out: a marker looks for the work of others


def programs(world: World) -> None:
    context, program = world.make()
    assert program.build(context) == ""
    assert program.kernel_names == ("add", "churn", "bump", "mirror")
    assert program.add.work_group_info(context).work_group_size > 0
    wrapped = sycl.Program.from_int_ptr(program.native(context))
    assert wrapped.source == SOURCE
    kernel = sycl.Kernel.from_int_ptr(program.churn._native(context))
    assert kernel.name == "churn"


def broken_programs(world: World) -> None:
    context, program = sycl.Context(world.device), sycl.Program(BROKEN)
    for _ in range(2):
        try:
            program.build(context)
        except sycl.BuildError as error:
            if error.api == "clBuildProgram" and error.cl_code == -11:
                continue  # with its log or without
            raise
        raise AssertionError("the program does not fail to build")


def cached(world: World) -> None:
    """Kept, and made from what was kept. Where the cache fails, the text is compiled."""
    sycl.cache.clear()
    for _ in range(2):
        context, program = sycl.Context(world.device), sycl.Program(SOURCE)
        assert program.build(context) == ""
        assert program.add.work_group_info(context).work_group_size > 0
        sycl.cache.save()


def launches(world: World) -> None:
    """In place or copied, staged, in chains of two queues of two contexts, and waited for in every way."""
    context, program = world.make()
    y, x, wide, u, v = world.y, world.x, world.wide, world.u, world.v
    y[:], x[:], wide[:], u[:], v[:] = 0, 1, 1, 1, 2
    queue = sycl.Queue(world.device, context=context)
    first = queue.parallel_for(sycl.Range(16), program.add, y, x, 2.0, 16)
    second = queue.parallel_for(sycl.Range(16), program.add, y, wide[::2], 1.0, 16, depends_on=first)
    queue.parallel_for(sycl.Range(16), program.churn, u, v, 3, 16)
    second.wait_and_throw()
    queue.single_task(program.churn, v, u, 0, 1)
    other = sycl.Queue(world.device, context=world.make()[0], in_order=True)
    other.parallel_for(sycl.Range(16), program.add, y, x, 4.0, 16)
    other.parallel_for(sycl.Range(16), program.add, wide[1::2], x, 1.0, 16)
    queue.wait_and_throw()
    other.wait_and_throw()
    assert (y == 7).all(), y
    assert (wide[::2] == 1).all() and (wide[1::2] == 2).all(), wide
    assert (u == 36).all(), u
    assert v[0] == 98 and (v[1:] == 2).all(), v


def profiling(world: World) -> None:
    context, program = world.make()
    world.u[:] = world.v[:] = 1
    queue = sycl.Queue(world.device, context=context, enable_profiling=True)
    event = queue.parallel_for(sycl.Range(16), program.churn, world.u, world.v, 3, 16)
    event.wait_and_throw()
    times = event.profiling
    assert times.submit <= times.start <= times.end


def native_events(world: World) -> None:
    context, program = world.make()
    world.u[:] = world.v[:] = 1
    queue = sycl.Queue(world.device, context=context)
    event = queue.parallel_for(sycl.Range(16), program.churn, world.u, world.v, 3, 16)
    event.wait_and_throw()  # from here on a marker stands for it
    again = sycl.Event.from_int_ptr(event.int_ptr, context)
    again.wait()
    assert again.status == sycl.EventCommandStatus.complete
    queue.wait_and_throw()


Scenario = Callable[[World], None]
FAKE_SCENARIOS: tuple[Scenario, ...] = (
    questions,
    contexts,
    sub_devices,
    queues,
    programs,
    broken_programs,
    launches,
    profiling,
    native_events,
)
REAL_SCENARIOS: tuple[Scenario, ...] = (launches, profiling, native_events)
NAMED = {scenario.__name__: scenario for scenario in (*FAKE_SCENARIOS, cached, *memory.SCENARIOS, bundles, recordings)}


def leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from leaves(each)
    else:
        yield error


def without_consequences(errors: list[BaseException], reports: list[str]) -> list[BaseException]:
    """Data that is not as it should be needs no word of its own where an error was told that explains it."""
    told = [error for error in errors if not isinstance(error, memory.WrongResult)]
    return told if told or reports else errors


class Judge:
    """Runs a scenario with something failing, and says what is wrong with what came of it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.called: set[str] = set()
        self.shown: set[str] = set()
        self.failures: list[str] = []
        self.count = 0

    def run(self, scenario: Scenario) -> tuple[list[BaseException], list[str]]:
        """What the scenario raised, one by one, and what was reported while it ran and its objects went."""
        errors: list[BaseException] = []
        with warnings.catch_warnings(record=True) as reports:
            warnings.simplefilter("always")
            try:
                scenario(self.world)
            except BaseException as error:
                traceback.clear_frames(error.__traceback__)
                errors = [leaf.with_traceback(None) for leaf in leaves(error)]
                for leaf in errors:
                    leaf.__context__ = leaf.__cause__ = None
            self.settle()
        return errors, [str(report.message) for report in reports]

    def settle(self) -> None:
        """Waits until nothing is in flight; what was dropped half-way is nobody's to wait for but the drain's."""
        end = time.monotonic() + SETTLE_SECONDS
        while True:
            gc.collect()
            _core.drain(0.1)
            same = _core.live_counts() == self.baseline and self.world.references() == self.references
            if same or time.monotonic() > end:
                return
            time.sleep(0.002)

    def begin(self, scenario: Scenario) -> None:
        """Twice without faults: what is made once is made, and the numbers of living objects are known."""
        for _ in range(2):
            scenario(self.world)
        self.baseline = self.quiet()
        self.references = self.world.references()
        errors, reports = self.run(scenario)
        assert not errors and not reports, (scenario.__name__, errors, reports)

    def quiet(self) -> dict[str, int]:
        """The living objects when nothing has gone for a while: threads let go of what they ran a moment later."""
        counts: list[dict[str, int]] = []
        while len(counts) < QUIET or counts[-1] != counts[-QUIET]:
            gc.collect()
            _core.drain(5.0)
            time.sleep(0.01)
            counts.append(_core.live_counts())
        return counts[-1]

    def check_after(self, scenario: Scenario, what: str) -> None:
        """Nothing is left, no handle was misused, and everything still works."""
        self.count += 1
        live = _core.live_counts()
        grown = {kind: (self.baseline[kind], live[kind]) for kind in live if live[kind] != self.baseline[kind]}
        if grown:
            self.failures.append(f"{what}: alive before and after: {grown}")
            self.baseline = live
        if self.world.references() != self.references:
            self.failures.append(f"{what}: arrays are held: {self.references} {self.world.references()}")
            self.references = self.world.references()
        if self.world.misuses():
            self.failures.append(f"{what}: a bad handle was passed to the driver")
        errors, reports = self.run(scenario)
        if errors or reports:
            self.failures.append(f"{what}: it does not work afterwards: {errors} {reports}")

    def judge_fault(
        self, scenario: Scenario, entry: str, code: int, errors: list[BaseException], reports: list[str]
    ) -> str | None:
        expected = sycl.ProfilingError if entry == "GetEventProfilingInfo" else CLASS_OF_CODE[code]
        if entry in memory.POINTERS:
            expected, code = sycl.MemoryAllocationError, memory.POINTERS[entry]
        if entry in memory.ALLOCATIONS and code == OUT_OF_RESOURCES:
            expected = sycl.MemoryAllocationError
        understates = entry == "EnqueueNDRangeKernel" and self.world.device._facts["understates_groups"]
        for error in without_consequences(errors, reports):
            if understates and code == OUT_OF_RESOURCES:
                alone = "a single work-item" in str(error)
                expected = sycl.KernelNotSupportedError if alone else sycl.NdRangeError
            if (scenario.__name__, entry) == ("usm", "GetDeviceInfo") and type(error) is sycl.FeatureNotSupportedError:
                continue
            if not isinstance(error, sycl.SyclError):
                return f"raised {error!r}"
            if (type(error), error.api, error.cl_code) != (expected, f"cl{entry}", code):
                return f"raised {error!r} of {error.api} with {error.cl_code}, not {expected.__name__}"
        for report in reports:
            if f"cl{entry} " not in report and "profiling" not in report:
                return f"reported {report!r}"
        if errors and entry.startswith("Release"):
            return f"raised {errors!r}, though nobody can do anything about it"
        if errors or reports:
            self.shown.add(entry)
        elif (scenario.__name__, entry) in memory.MAY_BE_ABSORBED:
            return None
        elif entry not in MAY_BE_ABSORBED or (scenario, entry) == (profiling, "GetEventProfilingInfo"):
            return "was dropped"
        return None

    def fault(self, scenario: Scenario, entry: str, nth: int, code: int) -> bool:
        """False when the scenario made no such call this time."""
        _core.fault_install(self.world.driver)
        _core.fault_arm(entry, nth, code)
        errors, reports = self.run(scenario)
        reached = _core.fault_calls(entry) >= nth
        _core.fault_install(None)
        if reached:
            what = f"{scenario.__name__}: call {nth} of {entry} with {code}"
            wrong = self.judge_fault(scenario, entry, code, errors, reports)
            if wrong:
                self.failures.append(f"{what}: {wrong}")
            self.check_after(scenario, what)
        return reached

    def faults(self, scenario: Scenario) -> None:
        """Every entry that the scenario calls fails at its first calls and, where there are more, at its last."""
        self.begin(scenario)
        _core.fault_install(self.world.driver)
        self.run(scenario)
        calls = {entry: _core.fault_calls(entry) for entry in _core.fault_entries()}
        _core.fault_install(None)
        self.called.update(entry for entry, count in calls.items() if count)
        for entry, count in calls.items():
            only = memory.ONLY.get(scenario.__name__)
            if entry in memory.CANNOT_FAIL or (only is not None and entry not in only):
                continue
            most = CALLS if only is None else 3
            numbers = [*range(1, min(count, most) + 1), *range(max(most, count - 1) + 1, count + 1)]
            for nth in numbers:
                codes = CODES + MORE_CODES.get(entry, ())
                if entry == "BuildProgram" and scenario in (broken_programs, bundles):
                    codes = CODES  # the others are what one expects, and say something else of the other's binaries
                for code in codes if nth <= 2 else codes[:1]:
                    self.fault(scenario, entry, nth, code)

    def allocations(self, scenario: Scenario) -> None:
        """The n-th allocation fails, for every n; some have something to fall back on, so a row of successes ends it."""
        self.begin(scenario)
        fine, n = 0, 0
        while fine < 8:
            n += 1
            _core.alloc_fail_at(n)
            errors, reports = self.run(scenario)
            _core.alloc_fail_at(0)
            fine = 0 if errors else fine + 1
            what = f"{scenario.__name__}: allocation {n}"
            told = without_consequences(errors, reports)
            if not all(isinstance(error, MemoryError) and isinstance(error, sycl.SyclError) for error in told):
                self.failures.append(f"{what}: raised {errors!r}")
            if not all("memory" in report for report in reports):
                self.failures.append(f"{what}: reported {reports!r}")
            self.check_after(scenario, what)


def discovery(entry: str, nth: int) -> dict[str, object]:
    """A call that listing the platforms makes fails: the driver is refused with the reason, and that is all.

    Listing happens once per process, and faults need a driver that has been opened: so the listing is first made to run
    out of memory behind the opening, which must leave it as good as new.
    """
    failures, n, opened = [], 0, False
    while not opened:
        n += 1
        _core.alloc_fail_at(n)
        try:
            sycl.platforms()
            failures.append("the platforms are listed before their driver is opened")
            break
        except MemoryError:
            _core.alloc_fail_at(0)
        try:
            _core.fault_install(0)
            opened = True
        except sycl.InvalidError:
            pass
    _core.alloc_fail_at(0)
    _core.fault_arm(entry, nth, -6)
    found = sycl.platforms()
    reached = _core.fault_calls(entry) >= nth
    _core.fault_install(None)
    words = f"cl{entry} failed with CL_OUT_OF_HOST_MEMORY"
    if reached and found:
        failures.append(f"call {nth} of {entry} was dropped: {found}")
    if reached and words not in (_core.drivers()[0]["refusal"] or ""):
        failures.append(f"call {nth} of {entry}: {_core.drivers()[0]['refusal']!r}")
    if reached and words not in _core.describe_drivers():
        failures.append(f"call {nth} of {entry}: {_core.describe_drivers()}")
    return {"called": [entry], "shown": [entry] if reached else [], "failures": failures, "injected": int(reached)}


def main(what: str, names: str, library: str) -> dict[str, object]:
    world = World(library or None)
    if not library:
        world.shared = world.make()
    judge = Judge(world)
    gc.collect()
    gc.freeze()  # what was imported need not be looked through thousands of times
    everything = FAKE_SCENARIOS if library else REAL_SCENARIOS
    for scenario in everything if names == "all" else [NAMED[name] for name in names.split(",")]:
        (judge.faults if what == "faults" else judge.allocations)(scenario)
    called, shown = sorted(judge.called), sorted(judge.shown)
    return {"called": called, "shown": shown, "failures": judge.failures, "injected": judge.count}


if __name__ == "__main__":
    faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
    discovers = sys.argv[1] == "discovery"
    print(json.dumps(discovery(sys.argv[2], int(sys.argv[3])) if discovers else main(*sys.argv[1:])))
