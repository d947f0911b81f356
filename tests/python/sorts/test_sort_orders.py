"""Orders by a text, of structs, by several keys, in segments; and orders that are none."""

import itertools

import numpy as np
import pytest
from sort_cases import elements, same
from sweeps import sweep

import pysycl as sycl
from pysycl._sorts.sort_rows import force_sort_row

KEYED = np.dtype([("key", "i4"), ("value", "f4")])


@pytest.fixture
def keyed():
    rng = np.random.default_rng(1)
    found = np.zeros(5003, KEYED)
    found["key"], found["value"] = rng.integers(-9, 9, 5003), rng.normal(size=5003)
    return found


@pytest.fixture(params=["merges", "merges of tiles"])
def merges(request):
    """Both forms of merges: tiles of a CPU have few elements, so that there are many."""
    force_sort_row(request.param)
    yield
    force_sort_row(None)


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 16, 17, 64, 65, 1000, 5003])
def test_by_a_text_is_stable(queue, merges, keyed, size):
    x = keyed[:size]
    order = np.argsort(-x["key"], kind="stable")
    same(sycl.sort(x, by="a.key > b.key", queue=queue), x[order])
    same(sycl.argsort(x, by="a.key > b.key", queue=queue), order)
    y = x.copy()
    assert sycl.sort(y, by="a.key > b.key", out=y, queue=queue) is y
    same(y, x[order])


def test_by_a_text_of_large_elements(queue, merges):
    """Of which few or none fit in local memory."""
    for size in (100, 700, 5000):
        x = np.zeros(300, [("key", "i2"), ("rest", "u1", size)])
        x["key"], x["rest"] = np.random.default_rng(9).integers(0, 40, 300), np.arange(300)[:, None] % 251
        same(sycl.sort(x, by="a.key < b.key", queue=queue), x[np.argsort(x["key"], kind="stable")])


def test_by_a_text_of_any_type_and_axis(queue, merges):
    rng = np.random.default_rng(2)
    for dtype in ("i1", "f2", "u4", "f4"):
        x = elements(rng, dtype, (40, 90), "random")
        for axis in (0, 1, None):
            same(sycl.sort(x, axis, by="a > b", queue=queue), np.flip(np.sort(x, axis), axis))
    z = elements(rng, "c8", (700,), "random")
    order = np.argsort(z.real**2 + z.imag**2, kind="stable")
    same(sycl.sort(z, by="cabs2(a) < cabs2(b)", queue=queue), z[order])
    assert sycl.sort(np.array([3, -1, 2], "i4"), by="a < b // ends with a comment", queue=queue).tolist() == [-1, 2, 3]


def test_structs_go_by_their_fields(queue, keyed):
    same(sycl.sort(keyed, queue=queue), np.sort(keyed))
    same(sycl.argsort(keyed, queue=queue), np.argsort(keyed, kind="stable"))
    nested = np.zeros(600, [("a", "u1", 2), ("z", "c8"), ("in", [("s", "i2")])])
    rng = np.random.default_rng(3)
    nested["a"], nested["in"]["s"] = rng.integers(0, 2, (600, 2)), rng.integers(-3, 3, 600)
    nested["z"] = rng.integers(0, 2, 600) + 1j * rng.integers(0, 2, 600)
    keys = nested["in"]["s"], nested["z"].imag, nested["z"].real, nested["a"][:, 1], nested["a"][:, 0]
    same(sycl.argsort(nested, queue=queue), np.lexsort(keys))
    again = keyed.copy()
    assert sycl.sort(again, out=again, queue=queue) is again
    same(again, np.sort(keyed))


@pytest.mark.parametrize(
    "text",
    sweep(
        ["1", "0", "a != b", "a >= b", "(a * 7919u) % 101 < (b * 104729u) % 97", "a % 3 > b % 2"],
        ["1", "a % 3 > b % 2"],
    ),
)
def test_orders_that_are_none_lose_no_element(queue, merges, text):
    for size in (2, 7, 33, 4099):
        x = np.random.default_rng(1).integers(0, 1000, size).astype("u4")
        same(np.sort(sycl.sort(x, by=text, queue=queue)), np.sort(x))
        same(np.sort(sycl.argsort(x, by=text, queue=queue)), np.arange(size))


def test_an_order_that_is_none_behind_the_first_elements(queue, merges):
    x = np.arange(300, dtype="u4")
    same(np.sort(sycl.sort(x, by="a > 200 && b > 200 ? a % 3 > b % 2 : a < b", queue=queue)), x)


def test_errors_in_a_text_are_at_the_users_own(queue, merges):
    x = np.arange(50, dtype="i4")
    with pytest.raises(sycl.BuildError, match=r"by:1:5.*'q'") as error:
        sycl.sort(x, by="a < q", queue=queue)
    assert "a < q" in str(error.value) and "syc_" not in str(error.value)
    for text, words in (
        ("a <", "by:1"),
        ("a < b; x", "by:1:6"),
        ("a < b)", "by:1:6"),
        ("", "by: expected"),
        (3, "by: expected"),
    ):
        with pytest.raises(sycl.SyclError, match=words):
            sycl.sort(x, by=text, queue=queue)
    with pytest.raises(sycl.InvalidParameterError, match="descending: by= says"):
        sycl.sort(x, by="a < b", descending=True)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_lexsort(queue, axis):
    rng = np.random.default_rng(5)
    keys = (
        rng.integers(0, 3, (30, 700)),
        elements(rng, "f4", (30, 700), "few"),
        rng.integers(0, 3, (30, 700)).astype("u1"),
    )
    for some in (keys, keys[:2], keys[::-1], keys[1:2]):
        same(sycl.lexsort(some, axis, queue=queue), np.lexsort(some, axis))
    with pytest.raises(sycl.InvalidParameterError, match=r"keys: one has the shape \(2,\), and the last one \(3,\)"):
        sycl.lexsort(([1, 2], [1, 2, 3]), queue=queue)
    with pytest.raises(sycl.InvalidParameterError, match="keys: expected one at least"):
        sycl.lexsort((), queue=queue)


@pytest.mark.parametrize("dtype", ["i4", "f8", "c8"])
def test_segments(queue, dtype):
    if dtype == "f8" and not queue.device.has("fp64"):
        pytest.skip("the device has no fp64")
    rng = np.random.default_rng(6)
    for count in (1, 7, 300):
        x = elements(rng, dtype, (3001,), "random")
        offsets = np.concatenate([[0], np.sort(rng.integers(0, 3001, count - 1)), [3001]])
        parts = [slice(a, b) for a, b in itertools.pairwise(offsets)]
        same(sycl.sort(x, segments=offsets, queue=queue), np.concatenate([np.sort(x[part]) for part in parts]))
        wanted = np.concatenate([part.start + np.argsort(x[part], kind="stable") for part in parts])
        same(sycl.argsort(x, segments=offsets, queue=queue), wanted)
        same(sycl.argsort(sycl.Buffer(x), segments=sycl.Buffer(offsets), queue=queue), wanted)
    for offsets, words in (
        ([0, 5], "leave elements out"),
        ([0, 9, 5, 3001], "become smaller"),
        ([0, 4000], "from 0 to 4000"),
    ):
        with pytest.raises(sycl.InvalidParameterError, match=words):
            sycl.sort(x, segments=offsets, queue=queue)


def test_values_go_with_their_keys(queue, keyed):
    keys = keyed["key"].copy()
    order = np.argsort(keys, kind="stable")
    for values in (keyed, np.arange(5003, dtype="i8"), elements(np.random.default_rng(7), "f2", (5003,), "few")):
        found = sycl.sort_by_key(keys, values, queue=queue)
        same(found[0], keys[order])
        same(found[1], values[order])
    found = sycl.sort_by_key(keyed, keys, by="a.value < b.value", queue=queue)
    same(found[1], keys[np.argsort(keyed["value"], kind="stable")])
    found = sycl.sort_by_key(sycl.Buffer(keys), sycl.Buffer(keyed), queue=queue)
    same(found[1], keyed[order])
    table = keys[:5000].reshape(50, 100)
    found = sycl.sort_by_key(table, table * 2, 0, queue=queue)
    same(found[1], np.sort(table, 0) * 2)
    with pytest.raises(
        sycl.InvalidParameterError, match=r"values: the shape \(5002,\), and keys have the shape \(5003,\)"
    ):
        sycl.sort_by_key(keys, keyed[:-1], queue=queue)
    with pytest.raises(sycl.InvalidParameterError, match="values: expected memory of the kind of the keys"):
        sycl.sort_by_key(keys, sycl.Buffer(keys), queue=queue)
