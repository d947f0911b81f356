"""Random scans against a serial loop: a small number here, by hand as many as are asked for (scan_cases.py)."""

import os

import numpy as np
import pytest
import scan_cases
import scan_face_cases

from pysycl import _core

COUNT = int(os.environ.get("PYSYCL_RANDOM_SCANS", "6"))
SEED = int(os.environ.get("PYSYCL_RANDOM_SEED", "0"))


@pytest.fixture
def rows(queue):
    yield scan_cases.rows_of(queue.device)
    _core.force_scan_row(None)


# Lines of every length among neighbours, each row of the table, several scanners: what differs most.
@pytest.mark.parametrize("number", range(COUNT))
def test_texts(queue, rows, number):
    rng = np.random.default_rng(SEED + number)
    kind = scan_cases.Kind(rng, None if queue.device.has("fp64") else ["i1", "u2", "i4", "u4", "f4", "c8"])
    _core.force_scan_row(rows[number % len(rows)])
    for _ in range(6):
        scan_cases.check(rng, kind, queue)


@pytest.mark.parametrize("number", range(COUNT))
def test_functions(queue, rows, number):
    rng = np.random.default_rng(SEED + number)
    kind = scan_face_cases.Kind(rng, number, queue.device.has("fp64"))
    for row in (None, rows[number % len(rows)]):
        _core.force_scan_row(row)
        for _ in range(3):
            scan_face_cases.check(rng, kind, queue)
