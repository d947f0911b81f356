"""Sorts by tiles of local memory against NumPy: the form of devices with warps, forced on others, where each work-item ranks
its words alone."""

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
import random_sorts
from sort_cases import PATTERNS, elements, needs, same

import pysycl as sycl
from pysycl import _core
from pysycl._algorithms import spare
from pysycl._sorts import sort_tiles
from pysycl._sorts.sort_rows import force_sort_row

TILE = sort_tiles._LOOPED.length
SIZES = [1, TILE - 1, TILE, TILE + 1, 2 * TILE, 513, 3001]


@pytest.fixture(autouse=True)
def tiles():
    force_sort_row("tiles")
    yield
    force_sort_row(None)


@pytest.fixture(params=[0, None], ids=["waits for nobody", "waits"])
def polls(request, monkeypatch):
    """How often an item looks for what another group leaves: never, so that it counts all by itself; or as it does, where
    atomics count the chunks of a line together."""
    if request.param is None:
        monkeypatch.setattr(sort_tiles, "_PARTS", 0)
    else:
        monkeypatch.setattr(sort_tiles, "_POLLS", request.param)


def check(queue, dtype, call, expected):
    rng = np.random.default_rng(21)
    for size in SIZES:
        for pattern in PATTERNS:
            for shape in ((size,), (3, size)):
                x = elements(rng, dtype, shape, pattern)
                same(call(x, -1, queue=queue), expected(x, -1, kind="stable"))


def test_keys(queue, polls):
    check(queue, "u1", sycl.sort, np.sort)
    x = elements(np.random.default_rng(22), "u1", (3, 3001), "random")
    y = x.copy()
    assert sycl.sort(y, out=y, queue=queue) is y
    same(y, np.sort(x))


def test_positions(queue):
    check(queue, "i2", sycl.argsort, np.argsort)


@pytest.mark.exhaustive
@pytest.mark.parametrize("dtype", ["f2", "u4", "f4", "i8", "f8", "c8"])
def test_types(queue, dtype, polls):
    if (aspect := needs(dtype)) is not None and not queue.device.has(getattr(sycl.Aspect, aspect)):
        pytest.skip(f"the device lacks {aspect}")
    check(queue, dtype, sycl.sort, np.sort)
    check(queue, dtype, sycl.argsort, np.argsort)


def test_it_is_the_form_of_devices_with_warps(queue):
    force_sort_row(None)
    told = sycl.make_sort("i2", queue=queue).plan(1 << 20).explain()
    assert ("row       tiles" in told) == (queue.device._facts["sub_groups"] == 2)


class Lender(NamedTuple):
    is_cpu: bool
    global_mem_size: int


def lent(memory=1 << 20, is_cpu=False):
    device = Lender(is_cpu, memory)
    return spare.Spare(SimpleNamespace(device=device, context="a context"))


@pytest.fixture
def nothing_is_kept(monkeypatch):
    monkeypatch.setattr(spare, "_kept", {})
    monkeypatch.setattr(spare, "_count", [0, 0])


def test_memory_is_kept_for_the_next_call(nothing_is_kept):
    u4 = np.dtype("u4")
    first = lent()
    one, two = first.take(1000, u4), first.take(1000, u4)
    assert one is not two
    assert first.give_back() == 8000
    second = lent()
    again = [second.take(1000, u4) for _ in range(3)]
    assert {id(one), id(two)} == {id(each) for each in again[:2]} and again[2] not in (one, two)
    assert second.take(1000, np.dtype("i4")) not in (one, two)


def test_no_more_than_a_part_of_the_memory_is_kept(nothing_is_kept):
    u1 = np.dtype("u1")
    call = lent(memory=8000)
    taken = [call.take(size, u1) for size in (400, 500, 1001)]
    call.give_back()  # the largest alone is more than may be kept
    call = lent(memory=8000)
    found = [call.take(size, u1) for size in (400, 500, 1001)]
    assert found[0] is taken[0] and found[1] is taken[1] and found[2] is not taken[2]
    call.give_back()
    call = lent(memory=8000)
    call.take(200, u1)
    call.give_back()  # 1100 bytes would be kept: the oldest go
    call = lent(memory=8000)
    assert call.take(400, u1) is not taken[0]
    assert call.take(500, u1) is taken[1]


def test_what_a_recording_uses_is_lent_to_nobody(queue, nothing_is_kept):
    """A replay may come at any time, between two commands of another call."""
    call = lent()
    one = call.take(10, np.dtype("u4"))
    with queue.record() as recording:
        queue.parallel_for(10, "one[i] = 1;", one=one)
        call.give_back()
    assert lent().take(10, np.dtype("u4")) is not one
    recording.replay().wait()


@pytest.mark.parametrize(("place", "name"), [(_core, "usm_allocate"), (sycl.Queue, "parallel_for")])
def test_what_is_kept_is_let_go_where_memory_lacks(queue, nothing_is_kept, monkeypatch, place, name):
    def lacks(*given, **named):
        if spare._kept:
            raise sycl.MemoryAllocationError("no memory")
        return real(*given, **named)

    call = lent()
    call.take(100, np.dtype("u1"))
    call.give_back()
    x = sycl.malloc_shared(100, "i4", queue)
    x.view()[:] = range(100)
    real = getattr(place, name)
    monkeypatch.setattr(place, name, lacks)
    same(sycl.sort(x, descending=True).view(), np.arange(100, dtype="i4")[::-1])
    assert (100, "|u1") not in [key[2:] for key in spare._kept]  # the sort's own may be there
    with pytest.raises(sycl.MemoryAllocationError):
        spare.with_room(lambda: allocate_none())


def allocate_none():
    raise sycl.MemoryAllocationError("no memory")


def test_what_was_in_kept_memory_does_not_matter(queue, nothing_is_kept, monkeypatch, thorough):
    """A CPU keeps none: here each call's memory has something in it."""

    def dirty(self, size, dtype):
        return sycl.Buffer(np.full(size, 0xA5, dtype), copy=True)

    monkeypatch.setattr(spare.Spare, "take", dirty)
    for number, name in enumerate(["sort", "argsort", "by_key", "top", "parted", "merge"]):
        rows = ("tiles", "digits", "buckets", "merges", "digits of places", "threshold")
        for row in rows if thorough else rows[number : number + 1]:
            kind = random_sorts.Kind(np.random.default_rng(number), queue, 3000)
            kind.name, kind.row, kind.dtype = name, row, np.dtype("f4")
            assert random_sorts.check(kind, 3) == 0
    force_sort_row("merges of tiles")
    for size in (5, 300):
        x = np.random.default_rng(size).permutation(size).astype("i4")
        same(sycl.sort(x, by="a > b", queue=queue), np.arange(size, dtype="i4")[::-1])


def test_a_cpu_keeps_none(nothing_is_kept):
    call = lent(is_cpu=True)
    one = call.take(10, np.dtype("u1"))
    call.give_back()
    assert lent(is_cpu=True).take(10, np.dtype("u1")) is not one
