"""Random scans against NumPy: a small number here, by hand as many as are asked for (scan_random.py)."""

import os

import numpy as np
import pytest
import scan_cases
import scan_random
from sweeps import sweep

COUNT = int(os.environ.get("PYSYCL_RANDOM_SCANS", "6"))
SEED = int(os.environ.get("PYSYCL_RANDOM_SEED", "0"))
MAKES = [scan_random.texts, scan_random.function]


# Lines of every length among neighbours, each row of the table, several scanners: what differs most.
@pytest.mark.parametrize(
    ("number", "make"),
    sweep(
        [(number, make) for number in range(max(COUNT, 60)) for make in MAKES],
        [(number, MAKES[number % 2]) for number in range(COUNT)],
    ),
    ids=lambda value: getattr(value, "__name__", None),
)
def test_cases(queue, number, make):
    rows = scan_random.rows_of(queue.device)
    run = scan_random.Run(queue, [rows[number % len(rows)]])
    run.kind(SEED + number, make, 12)
    assert run.done.total() > 0 and not run.wrong, run.wrong


def serially(track, x, keep, initial):
    """What a scanner comes to, element by element, in one line."""
    start, held = track.begin(initial, 1)
    state, has, found = start, held, []
    for k in range(len(x)):
        if track.restarts and k > 0 and keep[k] > 200:
            state, has = start, held
        before = state
        for _ in range(int(track.times(keep)[k])):
            state, has = (track.operator.combine(state, x[k : k + 1]) if has else x[k : k + 1]), True
        found.append((state[0].tolist(), before[0].tolist()))
    return found, state[0].tolist()


@pytest.mark.parametrize("number", range(40))
def test_cases_themselves(number):
    rng = np.random.default_rng(number)
    for track in scan_cases.Kind(rng).tracks:
        n = int(rng.integers(0, 40))
        x, keep = scan_cases.values(rng, n, track.operator), rng.integers(150, 256, n).astype("u1")
        initial = scan_cases.values(rng, 1, track.operator)[0] if track.initial else None
        after, before, last = track(x[:, None], keep[:, None], initial)
        found, end = serially(track, x, keep, initial)
        assert [*zip(after[:, 0].tolist(), before[:, 0].tolist(), strict=True)] == found, track
        assert last[0].tolist() == end, track
