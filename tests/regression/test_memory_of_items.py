"""Work-items that have memory of their own, in forms where one native work-item loops over them: PoCL's compiler took the
memory of all turns for one, once it had been told that turns see nothing of each other, and results were wrong."""

import numpy as np
import pytest

from pysycl import _core

N = 259


@pytest.fixture(params=["item", "loop"])
def shape(request):
    _core.force_shape(request.param)
    yield
    _core.force_shape(None)


CASES = {
    "int t[2]; t[0] = x[AT]; t[1] = 5; y[AT] = t[v[AT] & 1];": lambda x, v: np.where(v % 2 == 1, 5, x),
    "int t[2] = {x[AT] * 3, x[AT]}; t[v[AT] & 1] += 1; y[AT] = t[0] * 1000 + t[1];": lambda x, v: (
        (3 * x + (v % 2 == 0)) * 1000 + x + v % 2
    ),
    "int t = x[AT]; bump(&t, v[AT]); struct two s; s.a[0] = t; s.a[1] = x[AT]; y[AT] = s.a[v[AT] & 1];": lambda x, v: (
        np.where(v % 2 == 1, x, x * 3 ** (v % 3))
    ),
}
PREAMBLE = "struct two { int a[2]; };\nvoid bump(int *p, int n) { for (int k = 0; k < n % 3; k++) *p *= 3; }"


@pytest.mark.parametrize("text", CASES, ids=["chosen", "changed", "pointed"])
def test_items_do_not_see_each_others_memory(queue, shape, text):
    x = np.arange(N, dtype=np.int32)
    v = np.random.default_rng(7).integers(0, 100, N).astype(np.int32)
    plain, grouped = np.zeros(N, np.int32), np.zeros(N, np.int32)
    queue.parallel_for(N, text.replace("AT", "i"), x=x, v=v, y=plain, preamble=PREAMBLE)
    with queue.submit() as h:
        items = f"parallel_for_work_item({N}) {{ {text.replace('AT', 'local_id(0)')} }}"
        h.parallel_for_work_group(1, 1, items, x=x, v=v, y=grouped, preamble=PREAMBLE)
    queue.wait_and_throw()
    assert (plain == CASES[text](x, v)).all()
    assert (grouped == plain).all()


def test_turns_of_one_item_share_its_private_memory(queue, shape):
    """They come one after the other, however well they would go through vectors."""
    text = """
    private_memory(int, m);
    parallel_for_work_item { m = 1; }
    parallel_for_work_item(64) { m = 3 * m + x[local_id(0)] % 3; x[local_id(0)] = m; }
    """
    x = np.arange(64, dtype=np.int32)
    with queue.submit() as h:
        h.parallel_for_work_group(1, 16, text, x=x)
    queue.wait_and_throw()
    expected, m = np.arange(64, dtype=np.int32) % 3, np.ones(16, np.int32)
    for turn in expected.reshape(4, 16):
        m = 3 * m + turn
        turn[:] = m
    assert x.tolist() == expected.tolist()
