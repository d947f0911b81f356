"""Partial results of variances: one pass about a guess, and another one where the guess is far off."""

import numpy as np
import pytest

import pysycl as sycl
from pysycl._algorithms import again
from pysycl._partials import moments
from pysycl._reductions.reduce_object import Reduce

COUNT = 200_000


def numbers(dtype: str) -> np.ndarray:
    rng = np.random.default_rng(3)
    found = rng.normal(size=COUNT) * 40 + 7
    return (found + 1j * rng.normal(size=COUNT) if np.dtype(dtype).kind == "c" else found).astype(dtype)


def passes(made: Reduce, x: object) -> tuple[np.ndarray, int]:
    """A partial result, and how many kernels it took."""
    with sycl.profile() as p:
        part = made.partial(x)
    return part, len([command for command in p.commands if command.kind == "kernel"])


@pytest.mark.parametrize("dtype", ["i2", "u8", "f2", "f4", "f8", "c8"])
@pytest.mark.parametrize("held", [np.asarray, sycl.Buffer])
def test_elements_are_read_once(dtype: str, held: object) -> None:
    """The guess is of some of them alone."""
    x = numbers(dtype)
    wide = x.astype("c16" if x.dtype.kind == "c" else "f8")
    part, kernels = passes(sycl.make_reduce(sycl.var, dtype), held(x))
    assert kernels == 2
    assert part["count"] == COUNT
    np.testing.assert_allclose(part["mean"], wide.mean(), rtol=1e-12)
    np.testing.assert_allclose(part["squares"], wide.var() * COUNT, rtol=1e-12)


@pytest.mark.parametrize(("axis", "order"), [(None, "C"), (None, "F"), (1, "C"), ((0, 2), "C")])
def test_a_guess_has_elements_from_all_over(axis: object, order: str) -> None:
    """Of tables whose rows and columns are far apart: some of one would need another pass."""
    x = np.random.default_rng(4).normal(size=(32, 64, 64))
    for d, far in enumerate((1e3, 2e3, 4e3)):
        x += far * np.arange(x.shape[d]).reshape([-1 if k == d else 1 for k in range(3)])
    x = np.asarray(x, order=order)
    made = sycl.make_reduce(sycl.var, "f8", axis=axis)
    part, kernels = passes(made, x)
    assert kernels == 2
    np.testing.assert_allclose(made.result(part), x.var(axis=axis), rtol=1e-12)


@pytest.mark.parametrize("held", [np.asarray, sycl.Buffer])
@pytest.mark.parametrize("options", [{}, {"map": "x + 1.0"}])
def test_a_guess_that_is_far_off_is_followed_by_another_pass(
    held: object, options: dict, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one element that is unlike all others, whose squares would cancel."""
    monkeypatch.setattr(moments, "_SAMPLES", 1)
    x = np.random.default_rng(5).normal(size=(COUNT, 2))
    x[0, 1] = 1e9
    made = sycl.make_reduce(sycl.var, "f8", axis=0, **options)
    part, kernels = passes(made, held(x))
    assert kernels == 3
    np.testing.assert_allclose(made.result(part), x.var(axis=0), rtol=1e-14)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("at", [0, 1, COUNT - 1])
def test_what_is_no_number_makes_none(value: float, at: int) -> None:
    x = numbers("f8")
    x[at] = value
    made = sycl.make_reduce(sycl.var, "f8")
    assert np.isnan(made.result(made.partial(x)))


def test_squares_that_are_infinite() -> None:
    x = numbers("f8")
    x[5] = 1e200
    made = sycl.make_reduce(sycl.var, "f8")
    assert made.result(made.partial(x)) == np.inf
    assert made.result(made.partial(np.full(COUNT, 0.1))) == pytest.approx(0, abs=1e-30)


def test_its_commands_are_kept_for_calls_to_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else each call on a GPU would be prepared anew, while the other GPU waits."""
    plans = []
    made = again._plan_of
    monkeypatch.setattr(again, "_plan_of", lambda *given: plans.append(made(*given)) or plans[-1])
    again.forget()
    queue = sycl.Queue()
    both = sycl.split([queue])
    x = numbers("f4")
    for _ in range(3):
        found = sycl.std(both.put(x), queue=both)
        np.testing.assert_allclose(found, x.astype("f8").std(), rtol=1e-6)
    assert len(plans) == 1
    assert plans[0] is not None
