"""The kernel cache: what a second process need not compile, what is never taken for an entry, and many processes at once.

PYSYCL_TEST_CORRUPTIONS: how many damaged entries are tried on the device (6).
PYSYCL_TEST_COLD: processes and kernels that start together on an empty cache ("3 2"; the whole thing is "16 200").
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import pytest

import pysycl as sycl

CORRUPTIONS = int(os.environ.get("PYSYCL_TEST_CORRUPTIONS", "6"))
PROCESSES, KERNELS = (int(word) for word in os.environ.get("PYSYCL_TEST_COLD", "3 2").split())

# `index`: of the device under test. What a child finds: q, x, run(text), and how many programs came from texts.
PRELUDE = """
import os, sys, time
import numpy as np
import pysycl as sycl
from pysycl import _core
device = sycl.devices()[{index}]
q = sycl.Queue(device)
_core.fault_install(device.platform._driver_index)
SCALE = "__kernel void scale(__global float *x, float a) {{ x[get_global_id(0)] *= a; }}"
def run(text=SCALE, expected=6.0):
    x = np.full(1000, 2.0, np.float32)
    q.parallel_for(x.size, sycl.Program(text).scale, x, 3.0).wait()
    assert (x == expected).all(), x
def from_text():
    return _core.fault_calls("CreateProgramWithSource")
def from_binaries():
    return _core.fault_calls("CreateProgramWithBinary")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "kernels"


@pytest.fixture
def prelude(device: sycl.Device) -> str:
    if not device._facts["binaries"]:
        pytest.skip("the driver's programs are compiled quicker than they could be read")
    return PRELUDE.format(index=sycl.devices().index(device))


class Child(Protocol):
    """Runs code in a process with a cache of this test's own; what it printed."""

    def __call__(self, code: str, **env: str) -> str: ...


@pytest.fixture
def child(run_python: Any, prelude: str, folder: Path) -> Child:
    def run(code: str, **env: str) -> str:
        settings = {"PYSYCL_CACHE_DIR": str(folder), "PYSYCL_CACHE": None, **env}
        return str(run_python(prelude + textwrap.dedent(code), settings, timeout=300).stdout)

    return run


def entries(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.syc"))


# -- hits --

# What two processes do one after the other with one cache. `saw` is what each gives to its test.
CASES = {
    "plain": "run(); saw = sycl.cache.stats().bytes > 100",
    "texts and options": """
        run(SCALE.replace("*=", "+="), 5.0)
        x = np.full(10, 2.0, np.float32)
        text = SCALE.replace("*= a", "*= a + B")
        for b in (1, 2) if first else (2, 1):
            q.parallel_for(10, sycl.Program(text, constants={"B": b}).scale, x, 3.0).wait()
        assert x[0] == 2 * 4 * 5, x
    """,
    "a warning": """saw = sycl.Program("#warning beware\\n" + SCALE).build(device)""",
    "structs": """
        pair = np.dtype([("a", np.float32), ("b", np.int32)])
        text = "typedef struct __attribute__((packed)) { float a; int b; } pair; " \\
               "__kernel void add(__global float *x, pair p) " \\
               "{ x[get_global_id(0)] += p.a * p.b; }"
        x = np.ones(100, np.float32)
        q.parallel_for(x.size, sycl.Program(text).add, x, np.array((2, 3), pair)[()]).wait()
        assert (x == 7).all(), x
    """,
    "native objects": """
        text = SCALE + "// of its own"
        program = sycl.Program(text)
        assert sycl.Program.from_int_ptr(program.native(device)).source == text
        assert sycl.Kernel.from_int_ptr(program.scale._native(q.context)).name == "scale"
        again = sycl.Program.from_int_ptr(program.native(device))
        del program
        x = np.ones(100, np.float32)
        sycl.Queue(device).parallel_for(100, again.scale, x, 2.0).wait()
        assert (x == 2).all()
    """,
    "printf": """
        text = '__kernel void say(__global int *x) { printf("says %d %s\\\\n", x[0], "so"); }'
        q.single_task(sycl.Program(text).say, np.array([42], np.int32)).wait()
    """,
}
ALL_CASES = """
    import json
    found, path = {}, os.environ["PATH"]
    for name, case in cases.items():
        os.environ["PATH"] = "/nowhere" if name == "plain" and not first else path
        before, saw, counts = sycl.cache.stats(), None, (from_text(), from_binaries())
        exec(case)
        s = sycl.cache.stats()
        found[name] = dict(hits=s.hits - before.hits, misses=s.misses - before.misses, saw=saw,
                           texts=from_text() - counts[0], binaries=from_binaries() - counts[1],
                           saved=s.seconds_saved - before.seconds_saved)
    sycl.cache.save()  # all, however little time the end of the process gives
    assert s.rejected == s.unsaved == 0, s
    print("\\nfound", json.dumps(found), flush=True)
"""


class Run(NamedTuple):
    """What a process did in each case, and all that it printed."""

    cases: dict[str, dict[str, Any]]
    out: str


class Twice(NamedTuple):
    first: Run
    second: Run
    folder: Path
    kept: int
    """Entries, after the first."""


@pytest.fixture(scope="module")
def twice(device: sycl.Device, tmp_path_factory: pytest.TempPathFactory) -> Twice:
    """The cases in a process with an empty cache, and in another one that finds what the first has left. In the plain case
    not even what some drivers compile at the first launch: they would need a linker, and there is none."""
    if not device._facts["binaries"]:
        pytest.skip("the driver's programs are compiled quicker than they could be read")
    folder, runs, kept = tmp_path_factory.mktemp("kernels"), [], 0
    cases = {name: textwrap.dedent(case) for name, case in CASES.items()}
    for first in (True, False):
        given = f"first, cases = {first}, {cases!r}\n"
        child = start(PRELUDE.format(index=sycl.devices().index(device)) + given + textwrap.dedent(ALL_CASES), folder)
        out, _ = child.communicate(timeout=300)
        assert child.returncode == 0, out
        found = next(line for line in out.splitlines() if line.startswith("found "))
        runs.append(Run(json.loads(found.removeprefix("found ")), out))
        kept = kept if runs[1:] else len(entries(folder))
    return Twice(runs[0], runs[1], folder, kept)


def test_a_second_process_compiles_nothing(twice: Twice) -> None:
    first, second = twice.first.cases["plain"], twice.second.cases["plain"]
    assert [first[what] for what in ("hits", "misses", "texts")] == [0, 1, 1]
    assert [second[what] for what in ("hits", "misses", "texts", "binaries", "saw")] == [1, 0, 0, 1, True]
    assert sum(each["saved"] for each in twice.second.cases.values()) > 0  # one may take longer than compiling did
    assert sum(each["texts"] for each in twice.second.cases.values()) == 0
    assert twice.kept == sum(each["texts"] for each in twice.first.cases.values())


def test_another_text_or_option_is_another_entry(twice: Twice) -> None:
    first, second = twice.first.cases["texts and options"], twice.second.cases["texts and options"]
    assert (first["hits"], first["misses"]) == (0, 3)
    assert (second["hits"], second["misses"], second["texts"]) == (3, 0, 0)


def test_the_compilers_words_survive(twice: Twice) -> None:
    first, second = twice.first.cases["a warning"], twice.second.cases["a warning"]
    assert (first["hits"], second["hits"]) == (0, 1)
    assert "beware" in first["saw"] and first["saw"] == second["saw"]


def test_sizes_of_structs_are_not_asked_again(twice: Twice) -> None:
    assert twice.first.cases["structs"]["texts"] == 2  # the text, and the question
    assert twice.second.cases["structs"]["texts"] == 0


def test_native_programs_and_kernels_are_as_before(twice: Twice) -> None:
    first, second = twice.first.cases["native objects"], twice.second.cases["native objects"]
    assert (first["hits"], first["misses"]) == (0, 1)
    assert (second["hits"], second["misses"]) == (1, 0)


def test_printf_works_in_a_program_from_the_cache(twice: Twice) -> None:
    assert "says 42 so" in twice.first.out and twice.first.cases["printf"]["hits"] == 0
    assert "says 42 so" in twice.second.out and twice.second.cases["printf"]["hits"] == 1


def test_several_programs_from_one_entry(twice: Twice, child: Child) -> None:
    """Each is a program of its own: one that goes takes nothing from the others."""
    code = """
        import gc
        programs = [sycl.Program(SCALE) for _ in range(6)]
        queues = [sycl.Queue(device, context=sycl.Context(device)) for _ in range(3)]
        for n, program in enumerate(programs):
            program.build(queues[n % 3].context)
        del programs[:3]; gc.collect()
        for n, program in enumerate(programs):
            x = np.full(100, 2.0, np.float32)
            queues[n].parallel_for(x.size, program.scale, x, 3.0).wait()
            assert (x == 6).all()
            x = np.full((64, 64), 2.0, np.float32) # another size of group, compiled now if need be
            queues[n].parallel_for(sycl.NdRange((4096,), (16,)), program.scale, x, 3.0).wait()
            assert (x == 6).all()
        assert from_text() == 0 and sycl.cache.stats().hits == 6
    """
    child(code, PYSYCL_CACHE_DIR=str(twice.folder))


def test_variables_that_a_driver_looks_at_are_in_the_key(twice: Twice, child: Child) -> None:
    code = "run(); print(sycl.cache.stats().hits)"
    unknown = {"POCL_UNKNOWN_TO_ALL": "1", "CL_CONFIG_UNKNOWN": "2", "PYSYCL_CACHE_DIR": str(twice.folder)}
    assert [int(child(code, **unknown)) for _ in range(2)] == [0, 1]


def test_another_build_of_a_driver_is_another_entry(run_python: Any, fake_driver: str, folder: Path) -> None:
    """Its library's size and date count: versions and names stay what they are when a driver is built once more."""
    library = folder.with_name("driver.so")
    shutil.copyfile(fake_driver, library)
    code = """
        import pysycl as sycl
        from pysycl import _core
        device = sycl.Device()
        _core.fault_install(device.platform._driver_index)
        sycl.Program("__kernel void fail(__global uint *out) { for (;;); }").build(sycl.Context(device))
        print(_core.fault_calls("CreateProgramWithSource"), _core.fault_calls("CreateProgramWithBinary"))
    """
    own = {
        "PYSYCL_DRIVERS": str(library),
        "PYSYCL_CACHE_DIR": str(folder),
        "PYSYCL_CACHE": None,
        "PYSYCL_SELF_TEST": "0",
    }

    def made(when: int) -> str:
        os.utime(library, (when, when))
        return str(run_python(code, own).stdout).strip()

    assert [made(1_000_000_000), made(1_000_000_000)] == ["1 0", "0 1"]
    assert [made(1_000_000_007), made(1_000_000_007)] == ["1 0", "0 1"]
    with library.open("ab") as file:
        file.write(b" ")
    assert [made(1_000_000_007), made(1_000_000_007)] == ["1 0", "0 1"]
    assert made(1_000_000_000) == "1 0" and len(entries(folder)) == 4


def test_files_that_a_text_includes_are_in_no_key(child: Child, folder: Path, tmp_path: Path) -> None:
    out = child(f"""
        import pathlib
        header = pathlib.Path({str(tmp_path / "factor.h")!r})
        text = f'#include "{{header}}"\\n__kernel void scale(__global float *x, float a) {{{{ x[get_global_id(0)] *= F * a; }}}}'
        for factor in (1, 2):
            header.write_text(f"#define F {{factor}}\\n")
            try:
                run(text, 6.0 * factor)
            except sycl.BuildError:
                print("no files")
    """)
    if "no files" in out:
        pytest.skip("the driver reads no files")
    assert not entries(folder)


# -- what may be wrong with it --


def test_switched_off_it_writes_nothing(child: Child, folder: Path) -> None:
    child(
        """
        run()
        assert sycl.cache.directory is None and sycl.cache.clear() == 0
        sycl.cache.save()
        assert sycl.cache.stats() == (0,) * 9, sycl.cache.stats()
        """,
        PYSYCL_CACHE="0",
    )
    assert not folder.exists()


def test_a_directory_that_is_a_file(child: Child, folder: Path) -> None:
    folder.write_text("mine")
    child("""
        run()
        sycl.cache.save()
        s = sycl.cache.stats()
        assert (s.misses, s.stored, s.unsaved, s.entries) == (1, 0, 1, 0), s
    """)
    assert folder.read_text() == "mine"


def test_damaged_entries_are_compiled_anew(child: Child, folder: Path) -> None:
    """Bits, lengths, zeros, noise, and another program's entry under this name: no wrong result, and no crash."""
    child("run(); run(SCALE.replace('*=', '+='), 5.0)")
    assert len(entries(folder)) == 2
    seed = random.randrange(1 << 30)
    child(f"""
        import random, pathlib
        folder = pathlib.Path(sycl.cache.directory)
        whole = {{path: path.read_bytes() for path in folder.glob("*.syc")}}
        chance = random.Random({seed})
        a, b = whole
        for n in range({CORRUPTIONS}):
            path, other = (a, b) if n % 2 else (b, a)
            good = whole[path]
            bad, at = bytearray(good), chance.randrange(len(good))
            kind = n % 6
            if kind == 0:
                bad[at] ^= 1 << chance.randrange(8)
            elif kind == 1:
                del bad[at:]
            elif kind == 2:
                bad += bytes(chance.randrange(1, 5000))
            elif kind == 3:
                bad[at:] = bytes(len(good) - at)
            elif kind == 4:
                bad = bytearray(whole[other])
            else:
                bad[at:at + 100] = chance.randbytes(len(bad[at:at + 100]))
            path.write_bytes(bad if bytes(bad) != good else b"x")
            texts, binaries = from_text(), from_binaries()
            run(); run(SCALE.replace("*=", "+="), 5.0)  # one of them is damaged
            assert (from_text() - texts, from_binaries() - binaries) == (1, 1), (n, {seed})
            sycl.cache.save()  # else it is done some time later, over what is damaged next
        s = sycl.cache.stats()
        assert s.hits == {CORRUPTIONS} <= s.rejected, s
    """)


def test_the_size_is_limited(child: Child, folder: Path) -> None:
    code = """
        for n in range(6):
            run(SCALE + f"/* {n} {'x' * 100000} */")
            sycl.cache.save()
    """
    child(code, PYSYCL_CACHE_SIZE="1M")
    assert 2 <= len(entries(folder)) <= 6
    assert sum(path.stat().st_size for path in entries(folder)) <= (1 << 20) + (1 << 17)


def test_a_size_that_is_none(child: Child) -> None:
    out = child(
        """
        import warnings
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            sycl.cache.stats()  # it is looked at once
        print(*(str(w.message) for w in caught), sep="\\n")
        """,
        PYSYCL_CACHE_SIZE="plenty",
    )
    assert 'PYSYCL_CACHE_SIZE is "plenty", not a number of bytes such as 500M: it is taken as 256M' in out.splitlines()


def test_the_user_is_asked_for_nothing(run_python: Any, tmp_path: Path) -> None:
    """Where the cache is, for each way of saying so."""
    ask = "import pysycl as sycl; print(sycl.cache.directory)"
    base: dict[str, str | None] = {"PYSYCL_CACHE": None, "PYSYCL_CACHE_DIR": None, "XDG_CACHE_HOME": None, "HOME": "/h"}
    for changes, expected in (
        ({}, "/h/.cache/pysycl"),
        ({"XDG_CACHE_HOME": "/x"}, "/x/pysycl"),
        ({"XDG_CACHE_HOME": "relative"}, "/h/.cache/pysycl"),
        ({"PYSYCL_CACHE_DIR": "/p"}, "/p"),
        ({"PYSYCL_CACHE_DIR": "p"}, f"{tmp_path}/p"),
        ({"HOME": None}, "None"),
        ({"PYSYCL_CACHE": "off"}, "None"),
        ({"PYSYCL_CACHE_SIZE": "0"}, "None"),
    ):
        assert run_python(ask, base | changes).stdout.strip() == expected, changes
    assert not (tmp_path / "p").exists()


def test_the_module() -> None:
    assert isinstance(sycl.cache.stats(), sycl.cache.CacheStatistics)
    assert sycl.cache.directory is None  # tests/conftest.py switches it off; children are asked above
    with pytest.raises(AttributeError, match=r"^module 'pysycl.cache' has no attribute 'directories'$"):
        getattr(sycl.cache, "directories")  # noqa: B009


# -- many processes --


def start(code: str, folder: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYSYCL_CACHE_DIR": str(folder)}
    environment.pop("PYSYCL_CACHE", None)
    return subprocess.Popen(
        [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def test_many_processes_start_cold_together(prelude: str, folder: Path) -> None:
    code = prelude + textwrap.dedent(f"""
        for n in range({KERNELS}):
            run(SCALE.replace("*= a", f"*= a + {{n}}"), 2.0 * (3.0 + n))
        s = sycl.cache.stats()
        assert s.rejected == 0 and s.hits + s.misses == {KERNELS}, s
    """)
    children = [start(code, folder) for _ in range(PROCESSES)]
    for each in children:
        out, _ = each.communicate(timeout=3600)
        assert each.returncode == 0, out
    assert 0 < len(entries(folder)) <= KERNELS
    assert not list(folder.glob(".new-*"))


def test_some_clear_and_some_are_killed_while_others_read(prelude: str, folder: Path, thorough: bool) -> None:
    forever = "for n in range(10 ** 9):\n    sycl.cache.clear(); time.sleep(0.005)\n"
    reader = prelude + "for n in range(4):\n    run(); sycl.cache.save()\nassert sycl.cache.stats().rejected == 0\n"
    clearing = [start(prelude + forever, folder) for _ in range(1 + thorough)]
    writer = prelude + "for n in range(10 ** 9):\n    run(); sycl.cache.save(); print(n, flush=True)\n"
    victims = [start(writer, folder) for _ in range(1 + thorough)]
    readers = [start(reader, folder) for _ in range(1 + thorough)]
    for victim in victims:
        assert victim.stdout is not None and victim.stdout.readline() == "0\n"
        time.sleep(random.uniform(0, 0.5))
        victim.send_signal(signal.SIGKILL)
    for each in readers:
        out, _ = each.communicate(timeout=300)
        assert each.returncode == 0, out
    for each in clearing:
        assert each.poll() is None, each.communicate()[0]
        each.kill()
    for each in (*clearing, *victims):
        each.communicate()
    again = start(reader, folder)  # whatever is left is whole
    out, _ = again.communicate(timeout=300)
    assert again.returncode == 0, out


def test_results_stay_right_with_threads(twice: Twice, child: Child) -> None:
    code = """
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda n: run(SCALE if n % 2 else SCALE.replace("*=", "-="), 6.0 if n % 2 else -1.0), range(16)))
        assert from_text() <= 8, sycl.cache.stats()
        assert sycl.cache.stats().hits >= 8
    """
    child(code, PYSYCL_CACHE_DIR=str(twice.folder))


def test_figures_of_this_process_only_grow() -> None:
    before = sycl.cache.stats()
    sycl.Program(f"__kernel void k(__global int *x) {{ x[0] = {np.random.default_rng().integers(1 << 30)}; }}").build()
    after = sycl.cache.stats()
    assert after.hits >= before.hits and after.misses >= before.misses
