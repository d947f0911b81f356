"""Fixtures that all Python tests share: devices and queues, the fake driver, child interpreters, and the leak check.

PYSYCL_TEST_DEVICES says on which devices the tests with the fixture `device` run: "all", or a list of words, each a
filter string ("opencl:cpu:1") or a part of a device's or platform's name ("Intel"). Without it: the default one.
"""

import gc
import inspect
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import textwrap
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import Protocol

import numpy as np
import pytest
import side_by_side

import pysycl as sycl
from pysycl import _core
from pysycl._sorts.sort_rows import force_sort_row

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as shells have it in the background, and children would too
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parent.parent

DEVICES = "PYSYCL_TEST_DEVICES"

BUSY = """
__kernel void busy(__global ulong *cell, ulong rounds)
{
    ulong x = rounds;
    for (ulong i = 0; i < rounds; i++)
        x = x * 6364136223846793005UL + (x >> 7);
    cell[0] += x == 1 ? 2 : 1; /* so that no compiler can leave the loop out */
}
"""


class LiveCounts:
    """What is alive of ours and of OpenCL, once the core's threads have let go of what they ran: they do so a moment after
    the last command has ended, on a slow machine a little later."""

    patience = 10.0  # seconds until everything must have been let go of

    @staticmethod
    def now() -> dict[str, int]:
        gc.collect()
        _core.usm_trim(None)
        return _core.live_counts()

    def quiet(self) -> dict[str, int]:
        """What is alive when nothing has changed for a while."""
        counts = self.now()
        same, end = 0, time.monotonic() + self.patience
        while same < 3 and time.monotonic() < end:
            time.sleep(0.002)
            before, counts = counts, self.now()
            same = same + 1 if counts == before else 0
        return counts

    def settled(self, expected: dict[str, int]) -> dict[str, int]:
        """What is alive, as soon as that is what is expected, or when it will not be."""
        end = time.monotonic() + self.patience
        while (counts := self.now()) != expected and time.monotonic() < end:
            time.sleep(0.002)
        return counts


# The fake driver does with kernels of these names what its own text says, whatever stands here. The loops keep pysycl
# from taking them for short.
FAKE_PRELUDE = f"""
import ctypes, gc, os, time
import numpy as np
import pysycl as sycl
from pysycl import _core
{inspect.getsource(LiveCounts)}
live_counts = LiveCounts()
fake = ctypes.CDLL(os.environ["PYSYCL_DRIVERS"])
program = sycl.Program('''
__kernel void add(__global float *y, __global const float *x, float a, uint n) {{ for (;;); }}
__kernel void fill_ids(__global uint *out) {{ for (;;); }}
__kernel void slow(__global uint *out, uint milliseconds) {{ for (;;); }}
__kernel void fail(__global uint *out) {{ for (;;); }}
__kernel void order(__global uint *log, uint value) {{ for (;;); }}
__kernel void churn(__global uint *y, __global const uint *x, uint a, uint n) {{ for (;;); }}
__kernel void bump(__global uint *y, uint n) {{ for (;;); }}
__kernel void mirror(__global uint *y, __global const uint *x, uint n) {{ for (;;); }}
''')
"""
# A platform name for which pysycl's facts say: out-of-order queues, arrays in place.
OUT_OF_ORDER = {"FAKE_PLATFORM_NAME": "Intel (fake)"}


class RunPython(Protocol):
    """Runs code in a fresh interpreter; a failure shows what the child said, unless `check` is False."""

    def __call__(
        self, code: str, env: Mapping[str, str | None] | None = None, *, check: bool = True, timeout: float = 150
    ) -> subprocess.CompletedProcess[str]: ...


def chosen_devices() -> list[str]:
    """The words of PYSYCL_TEST_DEVICES; "all" becomes one number per device."""
    words = [word.strip() for word in os.environ.get(DEVICES, "").split(",") if word.strip()]
    if words == ["all"]:
        return [str(index) for index in range(len(sycl.devices()))]
    return words or ["default"]


def find_device(word: str) -> sycl.Device:
    if word == "default":
        return sycl.Device()
    if word.isdigit():
        return sycl.devices()[int(word)]
    for device in sycl.devices():
        if word.lower() in f"{device.platform.name} {device.name}".lower():
            return device
    return sycl.Device(word)


def pytest_configure(config: pytest.Config) -> None:
    """No test reads or fills the user's own kernel cache: the run has one, which the children share. This process has
    none: hardly any text is compiled twice in it, and PoCL would compile all of them again, to write them."""
    side_by_side.register(config)
    given = os.environ.get("PYSYCL_CACHE")
    os.environ["PYSYCL_CACHE"] = "0"
    sycl.cache.stats()  # it is looked at once
    if given is None:
        del os.environ["PYSYCL_CACHE"]
    else:
        os.environ["PYSYCL_CACHE"] = given
    folder = tempfile.mkdtemp(prefix="pysycl-test-cache-")
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):  # else each of hundreds of children compiles the whole package
        os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = f"{folder}/python"
        sys.dont_write_bytecode = False
    own = "PYSYCL_CACHE_DIR" not in os.environ
    os.environ.setdefault("PYSYCL_CACHE_DIR", f"{folder}/kernels")

    def remove() -> None:
        if own:
            os.environ.pop("PYSYCL_CACHE_DIR", None)
        shutil.rmtree(folder, ignore_errors=True)

    config.add_cleanup(remove)


def pytest_collection_finish() -> None:
    """What was imported need not be looked through each time that a test asks what is alive."""
    gc.collect()
    gc.freeze()


PATIENCE = 60.0  # seconds for what is in flight when a test's own time is over
LATE = pytest.StashKey[str]()  # how a test failed whose time was over


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.excinfo is not None and "from pytest-timeout" in str(call.excinfo.value):
        item.stash[LATE] = report.longreprtext
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """A test's time is over once. Where a driver never ends what it was given, the fixtures would wait for it, and the
    tests behind it: so the process ends here. In a run of several, another one goes on with the next test."""
    if LATE not in item.stash:
        return
    left, what = _core.drain(PATIENCE)
    if left == 0:
        return
    if (capture := item.config.pluginmanager.getplugin("capturemanager")) is not None:
        capture.suspend_global_capture(in_=True)
    print(f"\n{item.nodeid}\n{item.stash[LATE]}\nThe device is stuck, and the tests end:\n{what}", file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1)


def pytest_report_header() -> str:
    return f"{DEVICES}: {os.environ.get(DEVICES) or 'not set: only the default device is tested'}"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "device" in metafunc.fixturenames:
        metafunc.parametrize("device", chosen_devices(), indirect=True, scope="session")


@pytest.fixture(params=[False, pytest.param(True, marks=pytest.mark.exhaustive)], ids=["some", "all"])
def thorough(request: pytest.FixtureRequest) -> bool:
    """Whether a test goes through all of its cases, or through those that differ most."""
    return bool(request.param)


@pytest.fixture(scope="session")
def device(request: pytest.FixtureRequest) -> sycl.Device:
    return find_device(str(request.param))


@pytest.fixture
def queue(device: sycl.Device) -> Iterator[sycl.Queue]:
    """An out-of-order queue; what its commands failed with, and the test did not fetch, fails the test."""
    queue = sycl.Queue(device)
    yield queue
    queue.wait_and_throw()


@pytest.fixture
def on_a_device() -> Iterator[None]:
    """Arrays are sorted, searched and counted as memory of a device is, and not by the calling thread and its team."""
    force_sort_row("device")
    yield
    force_sort_row(None)


@pytest.fixture
def needs_usm(device: sycl.Device) -> None:
    """On devices without unified shared memory there is nothing to test."""
    if not device.has("usm_device_allocations"):
        pytest.skip("no unified shared memory")


@pytest.fixture
def run_python(tmp_path: Path) -> RunPython:
    def run(
        code: str, env: Mapping[str, str | None] | None = None, *, check: bool = True, timeout: float = 150
    ) -> subprocess.CompletedProcess[str]:
        environment = dict(os.environ)
        for name, value in (env or {}).items():
            if value is None:
                environment.pop(name, None)
            else:
                environment[name] = value
        child = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        if check and child.returncode != 0:
            pytest.fail(f"the child ended with {child.returncode}\n{child.stdout}\n{child.stderr}")
        return child

    return run


class Busy(Protocol):
    """Submits a command that takes about `seconds` and then adds 1 to cell[0], an array of uint64."""

    def __call__(self, queue: sycl.Queue, cell: np.ndarray, seconds: float = 0.2, **options: object) -> sycl.Event: ...


@pytest.fixture(scope="session")
def busy(device: sycl.Device) -> Busy:
    """Commands that are still under way when the next line of a test runs, on fast and on very slow devices."""
    if not device._facts["thread_safe"]:
        pytest.skip("the driver takes one call at a time: any look at a command waits for its end")
    program = sycl.Program(BUSY)
    queue, cell, rounds, taken = sycl.Queue(device), np.zeros(1, np.uint64), 1000, 0.0
    while taken < 0.02:
        rounds *= 4
        taken = min(seconds_taken(queue, program.busy, cell, rounds) for _ in range(3))  # others use the device, too

    def submit(queue: sycl.Queue, cell: np.ndarray, seconds: float = 0.2, **options: object) -> sycl.Event:
        return queue.single_task(program.busy, cell, int(rounds * seconds / taken), wait=False, **options)

    return submit


def seconds_taken(queue: sycl.Queue, kernel: sycl.Kernel, cell: np.ndarray, rounds: int) -> float:
    queue.single_task(kernel, cell, 1)
    began = time.perf_counter()
    queue.single_task(kernel, cell, rounds)
    return time.perf_counter() - began


@pytest.fixture(scope="session")
def c_compiler() -> str:
    """A C compiler, as the installation had one."""
    candidates = (os.environ.get("CC"), (sysconfig.get_config_var("CC") or "").split(" ")[0], "cc", "gcc", "clang")
    found = next((path for name in candidates if name and (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no C compiler")
    return found


@pytest.fixture(scope="session")
def fake_driver(c_compiler: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Path of the fake OpenCL driver of the C tests. Give it to a child as PYSYCL_DRIVERS."""
    sources = sorted((ROOT / "tests/c/driver").glob("fake_driver*.c"))
    library = tmp_path_factory.mktemp("driver") / "fake_driver.so"
    command = [c_compiler, "-std=gnu11", "-shared", "-fPIC", "-pthread", f"-I{ROOT / 'csrc'}", f"-I{ROOT / 'tests/c'}"]
    subprocess.run([*command, *map(str, sources), "-o", str(library)], check=True, timeout=120)
    return str(library)


@pytest.fixture
def run_fake(run_python: RunPython, fake_driver: str) -> RunPython:
    """As run_python, with the fake driver alone. The code finds np, os, time, sycl, live_counts, the driver's controls
    as `fake`, and its kernels in `program`."""

    def run(
        code: str, env: Mapping[str, str | None] | None = None, *, check: bool = True, timeout: float = 150
    ) -> subprocess.CompletedProcess[str]:
        # Without the kernel cache, so that the calls which a test counts do not hang on the tests before it; and without
        # the self-test, since the driver computes nothing but its own kernels.
        own = {"PYSYCL_DRIVERS": fake_driver, "PYSYCL_CACHE": "0", "PYSYCL_SELF_TEST": "0"}
        environment = {**own, **OUT_OF_ORDER, **(env or {})}
        return run_python(FAKE_PRELUDE + textwrap.dedent(code), environment, check=check, timeout=timeout)

    return run


@pytest.fixture(scope="session")
def on_oclgrind() -> dict[str, str | None]:
    """The environment of a child whose only driver is Oclgrind; what it finds is raised where a command was submitted."""
    found = [path for path, _ in _core.candidates()[0] if "oclgrind" in Path(path).name]
    if not found:
        pytest.skip("Oclgrind is not among the drivers that are found here")
    return {"PYSYCL_DRIVERS": found[0], "PYSYCL_DEBUG": "oclgrind,sync", "PYSYCL_DEVICE": None}


class Copying(Protocol):
    """The environment of a child whose devices compute like the default one and have memory of their own: `kind` is
    "unknown" (nothing is known of the driver) or "gpu" (it is taken for NVIDIA's)."""

    def __call__(self, kind: str = "unknown") -> dict[str, str | None]: ...


@pytest.fixture(scope="session")
def copying(c_compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Copying:
    """PoCL in disguise (tests/c/driver/copying_driver.c): two devices, to and from which all data is copied."""
    found = [one["path"] for one in _core.drivers() if one["refusal"] is None and "pocl" in Path(one["path"]).name]
    if not found:
        pytest.skip("PoCL is not here")
    library = tmp_path_factory.mktemp("driver") / "copying_pocl.so"
    source = ROOT / "tests/c/driver/copying_driver.c"
    command = [c_compiler, "-std=gnu11", "-shared", "-fPIC", f"-I{ROOT / 'csrc'}", str(source), "-o", str(library)]
    subprocess.run(command, check=True, timeout=120)

    def environment(kind: str = "unknown") -> dict[str, str | None]:
        disguise = {"COPYING_NAME": "NVIDIA CUDA", "COPYING_TYPE": "gpu"} if kind == "gpu" else {}
        return {
            "PYSYCL_DRIVERS": str(library),
            "PYSYCL_DEVICE": None,
            "COPYING_DRIVER": found[0],
            "POCL_DEVICES": "pthread pthread",
            "PYSYCL_CACHE": "0",  # what is known of PoCL's binaries is not known of another name's
            "PYSYCL_SELF_TEST": "0",  # the ways of the one that it is taken for
            **disguise,
        }

    return environment


@pytest.fixture
def live_counts() -> LiveCounts:
    return LiveCounts()


@pytest.fixture
def no_leaks(live_counts: LiveCounts) -> Iterator[None]:
    """No object of ours or of OpenCL is alive after the test that was not before it."""
    before = live_counts.quiet()
    yield
    end = time.monotonic() + live_counts.patience
    while True:
        after = live_counts.now()
        grown = {kind: (before[kind], after[kind]) for kind in after if after[kind] > before[kind]}
        if not grown or time.monotonic() > end:
            break
        time.sleep(0.01)
    assert not grown, f"alive before and after the test: {grown}"


@pytest.fixture
def forced() -> Iterator[Callable[[str | None, str | None], None]]:
    """Makes bodies with reducers take a form, and their arrays a way."""

    def force(shape: str | None, way: str | None) -> None:
        _core.force_shape(None if shape == "nd-range" else shape)
        _core.force_span(way)

    yield force
    force(None, None)
    _core.force_reduction_row(None)
