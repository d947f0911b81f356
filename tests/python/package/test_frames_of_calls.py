"""Whatever a public function, constructor, method or property refuses, the traceback shows one frame of the package at most.

All of them are called with things that they hardly expect; what an error says is other tests' matter.
"""

import inspect
import os
import traceback
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import numpy as np
import pytest

import pysycl as sycl
from pysycl import _core

PACKAGE = os.path.dirname(sycl.__file__)
TEXT = "__kernel void k(__global float *x) { x[0] = 1; }"

ODD: list[Callable[[sycl.Queue], object]] = [
    lambda q: object(),
    lambda q: "text",
    lambda q: -1,
    lambda q: 1 << 70,
    lambda q: None,
    lambda q: np.zeros((2, 3), np.complex64),
    lambda q: sycl.Buffer((8,), "f4"),
    lambda q: (1, 2, 3, 4),
    lambda q: lambda *_: 3,
]

THINGS: dict[str, Callable[[sycl.Queue], object]] = {
    "platform": lambda q: q.device.platform,
    "device": lambda q: q.device,
    "context": lambda q: q.context,
    "queue": lambda q: q,
    "event": lambda q: q.submit(lambda h: None),
    "buffer": lambda q: sycl.Buffer((8,), "f4"),
    "shared": lambda q: sycl.malloc_shared(4, "f4", q) if q.device.has("usm_shared_allocations") else None,
    "memory of the device": lambda q: (
        sycl.malloc_device(4, "f4", q) if q.device.has("usm_device_allocations") else None
    ),
    "host access": lambda q: sycl.Buffer((8,), "f4").host_access("read"),
    "image": lambda q: sycl.UnsampledImage(np.zeros((4, 4, 4), "f4"), "r32g32b32a32_sfloat", (4, 4)),
    "sampler": lambda q: sycl.Sampler("normalized", "clamp", "linear"),
    "program": lambda q: sycl.Program(TEXT),
    "kernel": lambda q: sycl.Program(TEXT).k,
    "bundle": lambda q: sycl.KernelBundle(TEXT, q.context),
    "built bundle": lambda q: sycl.build(sycl.KernelBundle(TEXT, q.context)),
    "prepared": lambda q: q.kernel(4, "x[i] = 1;", x=np.zeros(4, "f4")),
    "range": lambda q: sycl.Range(3),
    "id": lambda q: sycl.Id(3, 4),
    "nd_range": lambda q: sycl.NdRange((4,), (2,)),
    "vector": lambda q: sycl.float4(1, 2, 3, 4),
    "array of numbers": lambda q: sycl.Marray["f4", 3](1, 2, 3),
    "constant": lambda q: sycl.SpecConstant("i4", 3),
    "operator": lambda q: sycl.BinaryOp("a + b"),
    "reduction": lambda q: sycl.reduction(np.zeros(1, "f4"), sycl.plus),
    "reduce": lambda q: sycl.make_reduce(),
    "recording": lambda q: q.record(),
    "graph": lambda q: q.graph(),
    "allocator": lambda q: sycl.UsmAllocator("host", q) if q.device.has("usm_host_allocations") else None,
}
# What waits for things, ends them, measures or prints them, or changes the process.
SPARED = {"close", "debug", "show_config", "trim_memory", "tune", "wait", "wait_and_throw"}
DUNDERS = {
    "add",
    "array",
    "bool",
    "call",
    "contains",
    "dlpack",
    "eq",
    "float",
    "getitem",
    "int",
    "iter",
    "len",
    "lt",
    "setitem",
}


def frames_of(error: BaseException) -> list[str]:
    found = traceback.extract_tb(error.__traceback__)
    return [f"{os.path.basename(each.filename)}:{each.name}" for each in found if each.filename.startswith(PACKAGE)]


def ways(function: Callable[..., object]) -> Iterator[tuple[int, str | None]]:
    """How many odd things it is given by place, and the name that it is given one by."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        yield from ((0, None), (1, None), (2, None))
        return
    placed = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    needed = [each for each in placed if each.default is each.empty]
    for count in {0, 1, len(needed), min(len(placed), 4)}:
        yield count, None
    for each in parameters:
        if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY):
            yield len([other for other in needed if other is not each]), each.name


def refusals(queue: sycl.Queue, function: Callable[..., object]) -> Iterator[sycl.SyclError]:
    for make in ODD:
        for count, name in ways(function):
            try:
                function(*[make(queue)] * count, **({name: make(queue)} if name else {}))
            except sycl.SyclError as error:
                yield error
            except Exception:  # Python's own, and NumPy's: they keep what frames they have
                pass


def deep(queue: sycl.Queue, function: Callable[..., object]) -> set[str]:
    found = [frames_of(error) for error in refusals(queue, function)]
    return {" > ".join(frames) for frames in found if len(frames) > 1}


def members(thing: object) -> Iterator[str]:
    for name in dir(type(thing)):
        if name not in SPARED and (not name.startswith("_") or name.strip("_") in DUNDERS):
            yield name


def deep_members(queue: sycl.Queue, thing: object) -> dict[str, set[str]]:
    found = {}
    for name in members(thing):
        try:
            member = getattr(thing, name)
        except sycl.SyclError as error:
            found[name] = {" > ".join(frames_of(error))} if len(frames_of(error)) > 1 else set()
        except Exception:
            continue
        else:
            found[name] = deep(queue, member) if callable(member) else set()
    return {name: chains for name, chains in found.items() if chains}


def test_functions() -> None:
    """They are entries where they are exported, so that none needs a call."""
    names = [name for name in sycl.__all__ if inspect.isfunction(inspect.unwrap(getattr(sycl, name)))]
    assert len(names) > 80
    assert [name for name in names if not isinstance(getattr(sycl, name), _core.Entry)] == []


@pytest.mark.filterwarnings("ignore")
def test_constructors_and_functions_of_opencl(queue: sycl.Queue) -> None:
    classes = {name: getattr(sycl, name) for name in sycl.__all__ if isinstance(getattr(sycl, name), type)}
    classes = {name: each for name, each in classes.items() if not issubclass(each, BaseException | Enum)}
    functions = {name: each for name, each in vars(sycl.opencl).items() if inspect.isfunction(inspect.unwrap(each))}
    asked = classes | {name: each for name, each in functions.items() if not name.startswith("_")}
    assert len(classes) > 40 and len(asked) > len(classes) + 12
    found = {name: deep(queue, each) for name, each in asked.items()}
    assert {name: chains for name, chains in found.items() if chains} == {}


@pytest.mark.parametrize("name", THINGS)
def test_members(queue: sycl.Queue, name: str) -> None:
    thing = THINGS[name](queue)
    if thing is None:
        pytest.skip("the device has no such memory")
    assert deep_members(queue, thing) == {}


def test_members_of_a_handler(queue: sycl.Queue) -> None:
    found = {}

    class Enough(Exception):
        pass

    def group(h: sycl.Handler) -> Any:
        found.update(deep_members(queue, h))
        raise Enough

    with pytest.raises(Enough):
        queue.submit(group)
    assert found == {}


def test_a_chain_is_seen(queue: sycl.Queue) -> None:
    buffer = sycl.Buffer((8,), "f4")
    assert deep(queue, lambda *key: sycl.Buffer.__getitem__.__wrapped__(buffer, *key)) != set()
    assert deep(queue, lambda *key: sycl.Buffer.__getitem__(buffer, *key)) == set()
