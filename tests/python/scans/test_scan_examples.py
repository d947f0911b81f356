"""The examples in the docstrings of scans, and of random numbers: they give what stands there."""

import doctest
from importlib import import_module
from operator import attrgetter

import numpy as np
import pytest

import pysycl as sycl

NAMES = [
    "inclusive_scan", "exclusive_scan", "cumsum", "cumprod", "cummin", "cummax", "cumulative_sum", "cumulative_prod", "diff",
    "select", "flatnonzero", "split_by", "unique_consecutive", "run_length", "repeat", "reduce_by_key", "scan_by_key",
    "segmented_reduce", "generate", "transform", "make_scan", "random.Generator",
    "histogram", "histogram2d", "bincount", "searchsorted", "digitize",
    "nansum", "nanmean", "nanmin", "nanmax", "nanvar", "nanstd", "average", "cov", "corrcoef", "group_by",
    "isin", "union1d", "intersect1d", "setdiff1d",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_examples(queue, name):
    text = getattr(import_module(attrgetter(name)(sycl).__module__), name.split(".")[-1]).__doc__
    examples = doctest.DocTestParser().get_doctest(text, {"sycl": sycl, "np": np, "q": queue}, name, None, 0)
    assert examples.examples, "no example"
    told: list[str] = []
    done = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(examples, out=told.append)
    assert done.failed == 0, "".join(told)
