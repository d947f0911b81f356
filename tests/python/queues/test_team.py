"""The team's lane: results are those of the other lanes, whatever else the process and the machine do."""

import itertools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core

KNOWN = ("PoCL 3.0", "PoCL 3.1", "PoCL 5.0")
N = 1 << 16
TEXTS = {
    "triad": "y[i] = x[i] + a * z[i];",
    "polynomial": "float t = x[i]; y[i] = ((a * t + 2) * t + z[i]) * t + 1;",
    "vectors of 16": "y[i] = exp(x[i]) + a * z[i];",
    "conditional": "if (x[i] > 0.5f) y[i] = a * z[i];",
}


@pytest.fixture
def team(queue: sycl.Queue) -> Iterator[Callable[[int], None]]:
    """Sets how many threads there are: 0 leaves the work to the other lanes, 2 and more are so many whatever happens."""
    if not any(each in queue.device.platform.version for each in KNOWN):
        pytest.skip("the driver's code is not called by others")

    def members(most: int) -> None:
        _core.team_insist(most, most > 1)

    yield members
    _core.team_insist(16, False)


def helped(call: Callable[[], object], jobs: int = 1) -> None:
    """The call is done by the team, which looks for the code at the first calls, and finds it after one."""
    call()
    call()
    before = _core.team_counts()[0]
    call()
    assert _core.team_counts()[0] == before + jobs


@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
@pytest.mark.parametrize("n", [N, N + 37])
def test_results_are_those_of_all_lanes(queue: sycl.Queue, team: Callable[[int], None], text: str, n: int) -> None:
    x, z = np.random.default_rng(1).random((2, n), np.float32)
    results = []

    def launch(waits: bool) -> None:
        y = np.zeros(n, np.float32)
        queue.parallel_for(n, text, x=x, y=y, z=z, a=np.float32(3), wait=waits).wait()
        results.append(y.tobytes())

    team(0)
    launch(waits=True)  # the calling thread
    launch(waits=False)  # the driver's threads
    for most in (2, 3, 16):
        team(most)
        helped(lambda: launch(waits=True))
    assert len(results) == 11 and len(set(results)) == 1


REDUCTIONS: dict[str, tuple[str, Any, Any]] = {
    "sum": ("s += x[i];", sycl.plus, np.float32),
    "sum of doubles": ("s += x[i] * z[i];", sycl.plus, np.float64),
    "maximum": ("s.combine(x[i]);", sycl.maximum, np.float32),
    "place": ("s.combine((ulong)(x[i] * 1000) << 32 | (ulong)i);", sycl.minimum, np.uint64),
    "vectors of 16": ("s += exp(x[i]);", sycl.plus, np.float32),
    "conditional": ("if (x[i] > 0.5f) s += z[i];", sycl.plus, np.float32),
}


@pytest.mark.parametrize(("text", "op", "dtype"), REDUCTIONS.values(), ids=list(REDUCTIONS))
@pytest.mark.parametrize("n", [8 * N, 8 * N + 37])
def test_reductions_are_those_of_all_lanes(
    queue: sycl.Queue, team: Callable[[int], None], text: str, op: Any, dtype: Any, n: int
) -> None:
    arrays = dict(zip("xz", np.random.default_rng(1).random((2, n), np.float32), strict=True))
    used = {name: array for name, array in arrays.items() if f"{name}[i]" in text}
    results = []

    def launch(waits: bool = True) -> None:
        total = np.full(1, 3, dtype)
        queue.parallel_for(n, text, s=sycl.reduction(total, op), wait=waits, **used).wait()
        results.append(total.tobytes())

    team(0)
    launch()
    launch(waits=False)
    for most in (2, 3, 16):
        team(most)
        helped(launch)
    assert len(set(results)) == 1


@pytest.mark.exhaustive
def test_code_is_found_where_the_driver_lets_go_of_other_code(queue: sycl.Queue, team: Callable[[int], None]) -> None:
    """PoCL keeps so many objects only, and drops one for each that it loads then."""
    team(2)
    x, y = np.ones(N, np.float32), np.zeros(N, np.float32)
    for k in range(170):
        helped(lambda k=k: queue.parallel_for(N, f"y[i] = x[i] + {k};", x=x, y=y))
        assert (y == 1 + k).all()


def test_code_is_found_whoever_launched_first(queue: sycl.Queue, team: Callable[[int], None]) -> None:
    """By other lanes, and by several threads at once: all have kernels of one name and one size of group."""
    x = np.ones(N, np.float32)
    y = np.zeros((8, N), np.float32)

    def launch(k: int) -> None:
        queue.parallel_for(N, f"y[i] = x[i] + {k}.5f;", x=x, y=y[k], wait=True)

    team(0)
    launch(0)
    queue.parallel_for(N, "y[i] = x[i] + 1.5f;", x=x, y=y[1], wait=False).wait()
    team(2)
    threads = [threading.Thread(target=launch, args=(k,)) for k in range(2, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(8):
        helped(lambda k=k: launch(k))
        assert (y[k] == 1.5 + k).all()


def test_small_launches_need_no_command_of_the_drivers(queue: sycl.Queue, team: Callable[[int], None]) -> None:
    x = np.arange(64, dtype=np.float32)
    launches = {}
    for most in (0, 1, 16):
        team(most)
        y, total = np.zeros((2, 64), np.float32), np.zeros(1, np.float32)
        both = [
            queue.kernel(64, "y[i] = a * x[i];", x=x, y=y[0], a=2.0),
            queue.kernel(64, "s += x[i];", x=x, s=sycl.reduction(total, sycl.plus)),
        ]
        for launch in 3 * both:
            launch()
        _core.fault_install(queue.device.platform._driver_index)
        for launch in both:
            launch()
        launches[most] = _core.fault_calls("EnqueueNDRangeKernel"), _core.fault_calls("CreateBuffer")
        _core.fault_install(None)
        np.testing.assert_array_equal(y, [2 * x, 0 * x])
        assert total[0] == 4 * x.sum()
    assert launches[0][0] == 2 and launches[1] == launches[16] == (0, 0)


def test_arguments_of_all_kinds(queue: sycl.Queue, team: Callable[[int], None]) -> None:
    team(3)
    x, y = np.arange(N, dtype=np.float32), np.zeros(N, np.float32)
    helped(
        lambda: queue.parallel_for(
            N, "y[i] = x[i] + v.s0 + v.sF + w.s2;", x=x, y=y, v=sycl.float16(*range(16)), w=sycl.float3(1, 2, 3)
        )
    )
    np.testing.assert_array_equal(y, x + 18)

    helped(lambda: queue.parallel_for(N, "y[i] = x[i] + c + (float)d;", x=x, y=y, c=np.int8(-5), d=np.float64(2.5)))
    np.testing.assert_array_equal(y, x - 2.5)

    rows, twice = np.arange(N, dtype=np.float32).reshape(64, -1), np.zeros((64, N // 64), np.float32)
    helped(lambda: queue.parallel_for(rows.shape, "r[i] = 2 * m[i];", r=twice, m=rows))
    np.testing.assert_array_equal(twice, 2 * rows)


def test_memory_of_all_kinds(queue: sycl.Queue, team: Callable[[int], None]) -> None:
    team(3)
    text, x = "y[i] = 2 * x[i];", np.arange(N + 8, dtype=np.float32)
    part, y = x[5:-3], np.zeros(N, np.float32)
    helped(lambda: queue.parallel_for(N, text, x=part, y=y))
    np.testing.assert_array_equal(y, 2 * part)

    shared = sycl.malloc_shared(N, np.float32, queue)
    helped(lambda: queue.parallel_for(N, text, x=part, y=shared, wait=True))
    np.testing.assert_array_equal(np.asarray(shared), 2 * part)

    buffer = sycl.Buffer(np.zeros(N, np.float32))
    helped(lambda: queue.parallel_for(N, text, x=part, y=buffer, wait=True))
    with buffer.host_access("read") as seen:
        np.testing.assert_array_equal(np.asarray(seen), 2 * part)

    strided = np.zeros((N, 2), np.float32)[:, 0]  # copied: not the team's
    queue.parallel_for(N, text, x=part, y=strided).wait()
    np.testing.assert_array_equal(strided, 2 * part)

    odd = np.zeros(4 * N + 1, np.uint8)[1:].view(np.float32)  # so is this
    queue.parallel_for(N, text, x=part, y=odd).wait()
    np.testing.assert_array_equal(odd, 2 * part)


def test_texts_that_are_not_the_teams(queue: sycl.Queue, team: Callable[[int], None]) -> None:
    team(3)
    x, counts = np.ones(N, np.float32), sycl.reduction(sycl.span(np.zeros(64, np.float32), 64), sycl.plus)
    before = _core.team_counts()[0]
    for _ in range(3):
        queue.parallel_for(N, 'if (x[i] > 2) printf("%f", x[i]);', x=x).wait()
        queue.parallel_for(N, "x[i] *= 1.0f;", x=x, options="-cl-denorms-are-zero").wait()
        queue.parallel_for(N, "s[i % 64] += x[i];", x=x, s=counts).wait()
        queue.parallel_for(sycl.NdRange(N, 64), "x[i] *= 1.0f;", x=x).wait()
    assert _core.team_counts()[0] == before


def test_numbers_are_rounded_and_kept_as_by_the_driver(queue: sycl.Queue, team: Callable[[int], None]) -> None:
    tiny = np.full(N, 1e-40, np.float32)
    results = []
    for most in (0, 4):
        team(most)
        y = np.zeros(N, np.float32)
        for _ in range(3):
            queue.parallel_for(N, "y[i] = x[i] * 0.5f;", x=tiny, y=y).wait()
        results.append(y)
    assert (results[0] > 0).all()
    np.testing.assert_array_equal(*results)


def test_times_and_order(queue: sycl.Queue, team: Callable[[int], None]) -> None:
    team(2)
    timed, x = sycl.Queue(queue.device, in_order=True, enable_profiling=True), np.zeros(N, np.float32)
    before = _core.team_counts()[0]
    events = [timed.parallel_for(N, "x[i] = 2 * x[i] + 1;", x=x) for _ in range(20)]
    assert _core.team_counts()[0] > before
    np.testing.assert_array_equal(x, 2**20 - 1)
    times = [each.profiling for each in events]
    assert all(each.submit <= each.start < each.end for each in times)
    assert all(first.end <= second.start for first, second in itertools.pairwise(times))


def test_times_are_those_that_are_asked_for(queue: sycl.Queue, team: Callable[[int], None]) -> None:
    """Small launches and large ones, of all lanes: the driver keeps none in a queue without profiling."""
    for most in (0, 1, 2):
        team(most)
        for n in (64, N):
            launch = queue.kernel(n, "x[i] += 1;", x=np.zeros(n, np.float32))
            for _ in range(3):
                launch()
            assert queue.graph().commands[-1].seconds is None


SOAK = """
import threading
import numpy as np
import pysycl as sycl
from pysycl import _core

def work(seed, count, queue):
    rng = np.random.default_rng(seed)
    arrays = [rng.random((3, 1 << 17)).astype(np.float32) for _ in range(3)]
    memory = sycl.malloc_shared(1 << 17, np.float32, queue)
    for launch in range(count):
        x, y, z = arrays[launch % 3]
        if seed == 0 and launch % 5 == 0:
            _core.team_insist(int(rng.integers(0, 6)), bool(launch % 3))
        n, at, a = int(rng.integers(1, 1 << 16)), int(rng.integers(0, 64)), np.float32(launch % 97)
        x, y, z = x[at : at + n], y[at : at + n], z[at : at + n]
        if launch % 7 == 0:
            y = np.asarray(memory)[:n]
        queue.parallel_for(n, TEXTS[launch % 2], x=x, y=y, z=z, a=a).wait()
        probe = rng.integers(0, n, 32)
        expected = x[probe] + a * z[probe] if launch % 2 else (x[probe] - a) * z[probe]
        assert np.allclose(y[probe], expected, rtol=1e-5, atol=1e-5), (seed, launch, n)

TEXTS = ["y[i] = (x[i] - a) * z[i];", "y[i] = x[i] + a * z[i];"]
failed = []
def guarded(*args):
    try:
        work(*args)
    except BaseException as error:
        failed.append(error)
queue = sycl.Queue()
threads = [threading.Thread(target=guarded, args=(seed, LAUNCHES // 3, queue)) for seed in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(failed)
"""


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("launches", [1500, pytest.param(1_000_000, marks=pytest.mark.exhaustive)])
def test_launches_of_threads_beside_each_other(
    team: Callable[[int], None], run_python: Callable[..., Any], launches: int
) -> None:
    child = run_python(SOAK.replace("LAUNCHES", str(launches)), timeout=3500)
    assert child.stdout.strip() == "[]"


LOOP = """
import numpy as np
import pysycl as sycl
from pysycl import _core
queue, x = sycl.Queue(), np.ones(1 << 16, np.float32)
def launch():
    queue.parallel_for(x.size, "x[i] = 0.5f * x[i] + 0.5f;", x=x).wait()
def launches(count):
    for _ in range(count):
        launch()
    assert (x == 1).all()
"""


def test_the_environment_says_how_many(team: Callable[[int], None], run_python: Callable[..., Any]) -> None:
    count = LOOP + "launches(50)\nprint(_core.team_counts()[0])"
    assert run_python(count, {"PYSYCL_TEAM": "0"}).stdout.split() == ["0"]
    assert run_python(count, {"PYSYCL_TEAM": "1"}).stdout.split() == ["0"]
    assert 'PYSYCL_TEAM is "many"' in run_python(count, {"PYSYCL_TEAM": "many"}).stderr


def test_one_processor_has_no_team(team: Callable[[int], None], run_python: Callable[..., Any]) -> None:
    code = "import os\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n" + LOOP
    assert run_python(code + "launches(50)\nprint(_core.team_counts()[0])").stdout.split() == ["0"]


def test_a_fork_is_refused_and_the_parent_goes_on(team: Callable[[int], None], run_python: Callable[..., Any]) -> None:
    child = run_python(
        "import os\n"
        + LOOP
        + """
_core.team_insist(4, True)
launches(50)
pid = os.fork()
if pid == 0:
    try:
        launch()
    except sycl.SyclError as error:
        os._exit(7 if "forked" in str(error) else 8)
    os._exit(9)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
launches(50)
"""
    )
    assert child.stdout.split() == ["7"]


def test_the_process_ends_while_threads_watch(team: Callable[[int], None], run_python: Callable[..., Any]) -> None:
    child = run_python(
        LOOP
        + """
import threading
_core.team_insist(4, True)
launches(20)
def for_ever():
    while True:
        launch()
threading.Thread(target=for_ever, daemon=True).start()
launches(50)
print("end")
""",
        timeout=60,
    )
    assert child.stdout.split() == ["end"] and child.returncode == 0


def test_ctrl_c_ends_a_loop_of_launches(team: Callable[[int], None], run_python: Callable[..., Any]) -> None:
    child = run_python(
        LOOP
        + """
import os, signal, threading
_core.team_insist(4, True)
launches(20)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True:
        launch()
except KeyboardInterrupt:
    print("interrupted")
launches(20)
""",
        timeout=60,
    )
    assert child.stdout.split() == ["interrupted"]


def test_busy_neighbours_do_not_stop_it(team: Callable[[int], None], run_python: Callable[..., Any]) -> None:
    """Each processor has a process that never sleeps: what waits for a thread that does not run would take for ever."""
    child = run_python(
        LOOP
        + """
import os, subprocess, sys
busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in os.sched_getaffinity(0)]
try:
    launches(1000)
    print("done")
finally:
    for each in busy:
        each.kill()
""",
        timeout=100,
    )
    assert child.stdout.split() == ["done"]
