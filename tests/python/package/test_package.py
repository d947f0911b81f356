"""The package itself: which names it has, where they are from, and that nothing is loaded before it is named."""

import ast
import os
import subprocess
import sys
import types
from importlib import import_module
from pathlib import Path

import pytest

import pysycl as sycl
from pysycl import _core

STUB = Path(sycl.__file__).with_suffix(".pyi")


def stubbed() -> dict[str, str]:
    """What the stub says of each name: the module that it is from."""
    found = {}
    for item in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(item, ast.ImportFrom):
            found |= {alias.name: item.module or "" for alias in item.names if alias.name != "*"}
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            found[item.target.id] = ""
    return found


def run(code: str) -> str:
    """Where no checkout is: one would look for the installed package first."""
    done = subprocess.run([sys.executable, "-c", code], cwd=os.sep, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_stub_has_the_names_that_there_are():
    names = stubbed()
    assert set(sycl.__all__) | {"__all__", "debug", "lifecycle", "math", "random"} == set(names)
    for name, module in names.items():
        found = getattr(sycl, name)
        if module == "pysycl":
            assert found is import_module(f"pysycl.{name}")
        elif module:
            assert found is getattr(import_module(module), name), name
    assert len(set(sycl.__all__)) == len(sycl.__all__)
    assert set(sycl.__all__) < set(dir(sycl))


def test_names_that_are_not_there():
    for name in ("nope", "float5", "_nope", "queue_"):
        with pytest.raises(AttributeError, match=f"module 'pysycl' has no attribute '{name}'"):
            getattr(sycl, name)


def test_names_as_sycl_spells_them():
    for name, ours in ("nd_range", "NdRange"), ("exception_list", "ExceptionList"):
        with pytest.raises(AttributeError) as error:
            getattr(sycl, name)
        assert str(error.value) == f"module 'pysycl' has no attribute {name!r}; did you mean {ours!r}?"


def test_nothing_is_loaded_before_it_is_named():
    loaded = "print(*sorted(m for m in sys.modules if m.startswith('pysycl.')))"
    at_once = run(f"import sys, pysycl; {loaded}").split()
    assert len(at_once) < 16
    heavy = {
        "pysycl.queue",
        "pysycl.buffer",
        "pysycl._images.image",
        "pysycl.opencl",
        "pysycl._vectors.vec",
        "pysycl.usm",
    }
    assert not heavy & set(at_once)
    with_queue = run(f"import sys, pysycl; pysycl.Queue; {loaded}").split()
    assert heavy & set(with_queue) == {"pysycl.queue"}
    slow = "{'numpy', 'asyncio', 'pathlib', 'threading', 'dataclasses', 'inspect'}"
    assert (
        run(f"import sys; before = {{*sys.modules}}; import pysycl; print({slow} & ({{*sys.modules}} - before))")
        == "set()"
    )


def test_functions_with_the_names_of_their_modules_stay_functions():
    out = run(
        "import pysycl.local, pysycl.explain, pysycl.statistics, pysycl.kernel_source, pysycl as sycl\n"
        "sycl.Queue, sycl.Handler\n"
        "print(*(type(f).__name__ for f in (sycl.local, sycl.explain, sycl.statistics, sycl.kernel_source)))"
    )
    assert set(out.split()) == {"function"}
    assert all(isinstance(module, types.ModuleType) for module in (sycl.cache, sycl.opencl, sycl.usm, sycl.math))


def test_c_loads_the_classes_that_it_makes_instances_of():
    out = run("from pysycl import _core\nfor p in _core.platforms(): print(type(p).__module__, type(p).__name__)")
    assert set(out.splitlines()) == {"pysycl.platform Platform"}


def test_many_threads_name_things_at_once():
    out = run(
        "import sys, threading, pysycl as sycl\n"
        "sys.setswitchinterval(1e-6)\n"
        "names, found, gate = sorted(sycl.__all__), [], threading.Barrier(8)\n"
        "def work():\n"
        "    gate.wait()\n"
        "    found.append([id(getattr(sycl, name)) for name in names])\n"
        "threads = [threading.Thread(target=work) for _ in range(8)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "print(len(found), all(each == found[0] for each in found))"
    )
    assert out == "8 True"


def test_only_the_right_classes_can_be_bound():
    class Queue:
        pass

    class Other(_core.Queue):
        pass

    with pytest.raises(TypeError, match=r"bind\(\): 'Queue' must be a subclass of pysycl\._core\.Queue"):
        _core.bind(Queue)
    for wrong in (Other, 3):
        with pytest.raises(TypeError, match=r"bind\(\): .* is none of the classes over the C types"):
            _core.bind(wrong)
    assert type(sycl.Queue()) is sycl.Queue
