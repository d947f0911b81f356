"""Handles without weak references, selectors called with anything, values without contents, constants without pickles."""

import gc
import pickle
import subprocess
import sys
import weakref
from typing import Any

import numpy as np
import pytest

import pysycl as sycl

ADD = "kernel void add(global float *x) { x[get_global_id(0)] += SPEC(step); }"


def test_handles_take_weak_references(queue: sycl.Queue) -> None:
    program = sycl.Program("kernel void k(global float *x) { x[0] = 1; }")
    made: list[Any] = [
        queue.device,
        queue.device.platform,
        program.k,
        queue.context,
        queue,
        program,
        queue.fill(sycl.Buffer(4, "f4"), 0),
    ]
    references = [weakref.ref(each) for each in made]
    assert all(reference() is each for reference, each in zip(references, made, strict=True))
    counts = weakref.WeakKeyDictionary({made[0]: 1, made[2]: 2})
    assert counts[queue.device] == 1  # equal handles are one key
    gone = weakref.ref(sycl.Device(queue.device))
    extra = sycl.Kernel.from_int_ptr(program.k.int_ptr)
    kernel = weakref.ref(extra)
    del extra
    gc.collect()
    assert kernel() is None
    assert gone() in (None, queue.device)


@pytest.mark.parametrize(
    "selector",
    [sycl.default_selector, sycl.cpu_selector, sycl.gpu_selector, sycl.accelerator_selector, sycl.host_selector,
     sycl.aspect_selector("cpu")],
)  # fmt: skip
@pytest.mark.parametrize("value", [None, 0, "cpu"])
def test_selectors_rank_devices_only(selector: Any, value: Any) -> None:
    with pytest.raises(sycl.InvalidParameterError, match=f"a selector ranks one Device, got {value!r}"):
        selector(value)


@pytest.mark.parametrize("kind", [sycl.Vec, sycl.float4, sycl.Marray, sycl.Marray["float32", 3]])
def test_values_that_were_not_made_by_their_class(kind: Any) -> None:
    empty = object.__new__(kind)
    for use in (repr, lambda v: v + 1, lambda v: v == v, list, lambda v: v[0], lambda v: v.x, lambda v: np.asarray(v)):
        with pytest.raises((sycl.InvalidObjectError, AttributeError, TypeError)):
            use(empty)
    with pytest.raises(
        sycl.InvalidObjectError, match=f"this {kind.__name__} is empty: it was not made by a call of its class"
    ):
        empty + 1


def test_generator_functions_are_no_host_tasks(queue: sycl.Queue) -> None:
    ran = []

    def generator() -> Any:
        ran.append(1)
        yield

    async def asynchronous() -> Any:
        yield

    for function in (generator, asynchronous):
        with pytest.raises(sycl.InvalidParameterError, match="is a generator function: calling it would run nothing"):
            queue.host_task(function)
        with queue.submit() as h, pytest.raises(sycl.InvalidParameterError, match="generator function"):
            h.host_task(function)
    assert not ran


def test_a_constant_s_pickle_stands_for_it() -> None:
    """In this process for itself, so that what has it as a key finds it; a copy is refused as ever."""
    table = sycl.SpecConstant("i4", [1, 2, 3], "table")
    assert pickle.loads(pickle.dumps(table)) is table
    program = sycl.Program(ADD, spec_constants=[step := sycl.SpecConstant("f4", 2, "step")])
    again, constant = pickle.loads(pickle.dumps((program, step)))
    assert again.spec_constants == {"step": step} and constant is step and again.source == program.source


def test_a_program_with_a_constant_goes_to_another_process(tmp_path: Any) -> None:
    """Two pickles, of the program and of its constant, still belong together."""
    step = sycl.SpecConstant("f4", 2.5, "step")
    program = sycl.Program(ADD, spec_constants=[step])
    (tmp_path / "program").write_bytes(pickle.dumps(program))
    (tmp_path / "step").write_bytes(pickle.dumps(step))
    code = """
import pickle, numpy as np, pysycl as sycl
program, step = (pickle.load(open(name, "rb")) for name in ("program", "step"))
assert program.spec_constants == {"step": step} and step.default == 2.5 and step.dtype == np.float32
queue, x = sycl.Queue(), np.zeros(4, "f4")
queue.parallel_for(4, program.add, x)
with queue.submit() as h:
    h.set_specialization_constant(step, 10)
    h.parallel_for(4, program.add, x)
print(x.tolist(), pickle.loads(pickle.dumps(step)) is step)
"""
    child = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=150)
    assert child.stdout == "[12.5, 12.5, 12.5, 12.5] True\n", child.stderr


def test_a_program_whose_constant_is_gone_says_so() -> None:
    kernel = sycl.Program(ADD, spec_constants=[sycl.SpecConstant("f4", 2, "step")]).kernel("add")
    gc.collect()
    program = kernel.program
    with pytest.raises(TypeError, match="cannot be pickled: nobody holds one of its SpecConstants any more"):
        pickle.dumps(program)


@pytest.mark.parametrize("way", ["close", "with"])
def test_a_callable_for_final_data_that_raises_is_called_once(queue: sycl.Queue, way: str) -> None:
    seen: list[np.ndarray] = []

    def take(contents: np.ndarray) -> None:
        seen.append(contents)
        raise OSError("the disk is full")

    b = sycl.Buffer(4, np.float32)
    b.set_final_data(take)
    queue.fill(b, 2.0)
    with pytest.raises(OSError, match="the disk is full"):
        b.close() if way == "close" else b.__exit__(None, None, None)
    assert b.is_closed
    b.close()
    del b
    gc.collect()
    assert [each.tolist() for each in seen] == [[2] * 4]


def test_a_write_back_that_is_refused_can_be_tried_again(queue: sycl.Queue) -> None:
    """As before: only what has had the data has had it."""
    seen: list[np.ndarray] = []
    b = sycl.Buffer(4, np.float32)
    b.set_final_data(seen.append)
    queue.fill(b, 2.0)
    with b.host_access("read_write"), pytest.raises(sycl.AccessorError):
        b.close()
    assert not b.is_closed and not seen
    b.close()
    assert len(seen) == 1
