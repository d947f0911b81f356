"""Hierarchical kernels: what is given to the outer call. SYCL 2020, 4.9.4.2.3 (4.10.7.2 of the draft)."""

import numpy as np
import pytest

TEXT = """
atomic_inc(entered);
if (group_linear_id == 0) {
    seen[0] = group_range(0); seen[1] = group_range(1); seen[2] = group_range(2);
    seen[3] = local_range(0); seen[4] = local_range(1); seen[5] = local_range(2);
}
parallel_for_work_item { atomic_inc(items); atomic_inc(&of[group_linear_id]); }
"""


@pytest.mark.spec("D206")
@pytest.mark.parametrize("size", [None, 1, 3], ids=["no size", "groups of 1", "groups of 3"])
@pytest.mark.parametrize("groups", [(5,), (2, 3), (2, 3, 2)], ids=str)
def test_how_many_groups_and_how_large(queue, groups, size):
    """The number of groups is the first argument, in elements of no kind; the size of a group is the second, or left to the
    runtime, which then takes one for all of them."""
    rank, count = len(groups), int(np.prod(groups))
    sizes = None if size is None else (size,) * (rank - 1) + (2 * size,)
    entered, items, of, seen = (np.zeros(n, np.int32) for n in (1, 1, count, 6))
    text = TEXT
    for d in range(rank, 3):
        text = text.replace(f"group_range({d})", "1").replace(f"local_range({d})", "1")
    with queue.submit() as h:
        arguments = {"entered": entered, "items": items, "of": of, "seen": seen}
        h.parallel_for_work_group(*([groups] if sizes is None else [groups, sizes]), text, **arguments)
    h.event.wait()
    queue.wait_and_throw()
    assert entered[0] == count
    assert tuple(seen[:rank]) == groups
    if sizes is not None:
        assert tuple(seen[3 : 3 + rank]) == sizes
    each = int(np.prod(seen[3:]))
    assert each >= 1 and items[0] == each * count and of.tolist() == [each] * count
