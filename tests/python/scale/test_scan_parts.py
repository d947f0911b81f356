"""Scans of parts that go on from a start: together they are the scan of the whole."""

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl

AFFINE = np.dtype([("by", "f8"), ("more", "f8")])


def in_parts(scan: object, x: np.ndarray, cuts: list[int], axis: int = 0) -> np.ndarray:
    blocks = np.split(x, cuts, axis)
    if scan.reverse:  # type: ignore[attr-defined]
        blocks = blocks[::-1]
    starts = scan.starts([scan.total(block) for block in blocks])  # type: ignore[attr-defined]
    done = [scan.run(block, start) for block, start in zip(blocks, starts, strict=True)]  # type: ignore[attr-defined]
    return np.concatenate(done[::-1] if scan.reverse else done, axis)  # type: ignore[attr-defined]


KINDS = [
    (sycl.plus, "i4", "fast", None), (sycl.plus, "f4", "exact", 2.5), (sycl.plus, "f8", "exact", None),
    (sycl.plus, "f4", "compensated", None), (sycl.plus, "c8", "exact", None), (sycl.maximum, "f4", "fast", None),
    (sycl.multiplies, "f8", "fast", 2), (sycl.logical_or, "i4", "fast", None), ("a > b ? a : b", "i4", "fast", -5),
]  # fmt: skip
CASES = [(*kind, exclusive, reverse) for kind in KINDS for exclusive in (False, True) for reverse in (False, True)]
TURNS = {
    KINDS[0]: [(False, False), (False, True), (True, False), (True, True)],
    KINDS[1]: [(False, True)],
}
SOME = [
    (*kind, *turn)
    for kind in KINDS
    if kind not in (KINDS[2], KINDS[4], KINDS[6])
    for turn in TURNS.get(kind, [(True, True)])
]


@pytest.mark.parametrize(("op", "dtype", "accuracy", "initial", "exclusive", "reverse"), sweep(CASES, SOME))
def test_parts_are_the_whole(
    op: object, dtype: str, accuracy: str, initial: object, exclusive: bool, reverse: bool
) -> None:
    rng = np.random.default_rng(2)
    x = (rng.normal(size=(3, 400)) * 10.0 ** rng.integers(-6, 6, (3, 400)) if np.dtype(dtype).kind in "fc" else
         rng.integers(0, 90, (3, 400))).astype(dtype)  # fmt: skip
    if op is sycl.multiplies:
        x = np.sign(x)
    if dtype == "c8":
        x = x + np.complex64(1j) * x[:, ::-1]
    scan = sycl.make_scan(op, dtype, axis=1, exclusive=exclusive, reverse=reverse, initial=initial, accuracy=accuracy)
    np.testing.assert_array_equal(in_parts(scan, x, [10, 10, 300], 1), scan(x))


@pytest.mark.parametrize("identity", [None, (1, 0)])
def test_functions_composed_in_their_order(identity: object) -> None:
    rng = np.random.default_rng(3)
    x = np.zeros(300, AFFINE)
    x["by"], x["more"] = rng.uniform(0.9, 1.1, 300), rng.normal(size=300)
    scan = sycl.make_scan(sycl.BinaryOp("(T){a.by * b.by, a.more * b.by + b.more}", identity), AFFINE)
    found, whole = in_parts(scan, x, [0, 70, 250]), scan(x)
    for name in ("by", "more"):
        np.testing.assert_allclose(found[name], whole[name], rtol=1e-12)


def test_device_memory_goes_on_too(queue: sycl.Queue) -> None:
    scan = sycl.make_scan(sycl.plus, "i8", queue=queue)
    found = np.asarray(scan.run(sycl.Buffer(np.arange(5)), np.array(100)))
    np.testing.assert_array_equal(found, 100 + np.cumsum(np.arange(5)))


def test_a_start_is_one_for_each_line() -> None:
    scan = sycl.make_scan(sycl.plus, "i8", axis=0)
    with pytest.raises(
        sycl.InvalidParameterError, match=r"start: expected the shape \(2,\), one for each line, got \(\)"
    ):
        scan.run(np.zeros((3, 2), "i8"), np.array(0))
    exclusive = sycl.make_scan("a > b ? a : b", "i4", exclusive=True, initial=3)
    with pytest.raises(sycl.InvalidParameterError, match="start: no elements, and no identity"):
        exclusive.run(np.zeros(3, "i4"), exclusive.identity())
