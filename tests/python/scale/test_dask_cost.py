"""What docs/guide/scale.md says of tasks and bytes, counted in runs with 2, 4 and 8 workers."""

from math import ceil

import numpy as np
import pytest

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

import pysycl.dask as sd  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own

BLOCKS = 4  # of each worker


def tree(blocks: int, width: int) -> int:
    """Tasks of a tree, down to one."""
    count = 0
    while blocks > 1:
        blocks = ceil(blocks / width)
        count += blocks
    return count


# By blocks, n, of an array that is in memory: tasks, and bytes that all of them give besides blocks of x.
COST = {
    "sum": (lambda x: sd.sum(x, accuracy="exact"), lambda n: n + tree(n, 4) + 1),
    "cumsum": (lambda x: sd.cumsum(x), lambda n: 4 * n + 3),
    "histogram": (lambda x: sd.histogram(x, 16, (0, 1))[0], lambda n: n + tree(n, 4) + 1),
    "sort": (sd.sort, lambda n: n * n + 5 * n + 2),
    "unique": (sd.unique, lambda n: n + tree(n, 8) + 1),
}


class Counter(distributed.SchedulerPlugin):
    """Tasks that have been done, and the bytes of what they gave."""

    def __init__(self) -> None:
        self.tasks: dict[str, int] = {}

    def transition(self, key, start, finish, *args, nbytes=None, **kwargs) -> None:
        if start == "processing" and finish == "memory":
            self.tasks[str(key)] = nbytes or 0


@pytest.mark.parametrize("workers", [2, 4, 8])
def test_tasks_are_as_many_as_is_said(workers: int) -> None:
    n = BLOCKS * workers
    x = np.random.default_rng(workers).random(n * 64).astype("f4")
    found, said = {}, {}
    with (
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        cluster.get_client() as client,
    ):
        blocks = client.persist(da.from_array(x, chunks=64))
        distributed.wait(blocks)
        for name, (lazily, count) in COST.items():
            counter = Counter()
            cluster.scheduler.add_plugin(counter, name=name)
            client.compute(lazily(blocks)).result()
            cluster.scheduler.remove_plugin(name)
            found[name], said[name] = len(counter.tasks), count(n)
    assert found == said
