"""A complex number of Python, in a body with a struct, had no room among the bytes of the arguments: it overwrote others."""

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl

KINDS = [("c8", 1), ("c16", 1), ("c16", 2), ("c8", 20)]


# The room that needs no allocation is full with the others alone (14 and two sizes), or with all; or it is one of its own.
@pytest.mark.parametrize(
    ("dtype", "count", "others"),
    sweep(
        [(*kind, others) for kind in KINDS for others in (0, 12, 13, 14, 15, 16, 40)],
        [(*kind, others) for kind in KINDS for others in ((14, 40) if kind == KINDS[-1] else (0, 13, 14, 40))],
    ),
)
def test_complex_numbers_beside_others(queue: sycl.Queue, dtype: str, count: int, others: int) -> None:
    z, x, s = np.zeros(count, dtype), np.zeros(40, np.float32), np.zeros(1, [("a", "i2"), ("b", "f4")])
    numbers = {f"c{k}": complex(k + 1, -k) for k in range(count)}
    weak = {f"f{k}": k + 0.5 for k in range(others)}
    text = "".join(f"z[{k}] = c{k};" for k in range(count)) + "".join(f"x[{k}] = f{k};" for k in range(others))
    with queue.submit() as h:
        h.parallel_for(1, text + f"x[39] = {others}; s->a = {count};", z=z, x=x, s=s, **numbers, **weak)
    assert z.tolist() == list(numbers.values())
    assert x.tolist()[:others][:39] == list(weak.values())[:39]
    assert s["a"] == count
