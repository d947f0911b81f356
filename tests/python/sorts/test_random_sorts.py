"""Random sorts, searches and counts against NumPy: a small number here, by hand as many as are asked for (random_sorts.py)."""

import os

import numpy as np
import pytest
import random_sorts
from sweeps import sweep

COUNT = int(os.environ.get("PYSYCL_RANDOM_SORTS", "6"))
SEED = int(os.environ.get("PYSYCL_RANDOM_SEED", "0"))


@pytest.mark.parametrize("number", sweep(range(COUNT), range(COUNT // 2)))
def test_kinds(queue, number):
    assert random_sorts.check(random_sorts.Kind(np.random.default_rng(SEED + number), queue, 5000), 12) == 0
