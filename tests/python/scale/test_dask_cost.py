"""What docs/guide/scale.md says of tasks, of bytes that move and of memory, counted in runs with 2, 4 and 8 workers."""

from math import ceil
from time import monotonic, sleep

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


def levels(blocks: int, width: int) -> int:
    """Of such a tree."""
    return 1 + levels(ceil(blocks / width), width) if blocks > 1 else 0


ITEM, BINS, PIECE = 4, 16, 64
SIZE = 1 << 14  # elements of a block
BLOCK = ITEM * SIZE

# Of n blocks in p workers, as docs/guide/scale.md has it: tasks, the most bytes that workers send each other, and the most that
# all of them have beside the blocks that are given. What has moved is in two workers.
COST = {
    "sum": (
        lambda x: sd.sum(x, accuracy="exact"),
        lambda n: n + tree(n, 16),
        lambda n, p: 88 * (n + tree(n, 16)),
        lambda n, p: 2 * 88 * (n + tree(n, 16)),
    ),
    "cumsum": (
        lambda x: sd.cumsum(x),
        lambda n: 4 * n + 2,
        lambda n, p: ITEM * n * (p + 1),
        lambda n, p: BLOCK * n + 1000 * n,
    ),
    "histogram": (
        lambda x: sd.histogram(x, BINS, (0, 1))[0],
        lambda n: n + tree(n, 16),
        lambda n, p: 8 * BINS * (n + tree(n, 16)),
        lambda n, p: 2 * 8 * BINS * (n + tree(n, 16)),
    ),
    "sort": (
        sd.sort,
        lambda n: n * n + 5 * n + 1,
        lambda n, p: ITEM * n * (SIZE + 64 + p) + PIECE * n * n,
        lambda n, p: 4 * BLOCK * n,
    ),
    "unique": (
        sd.unique,
        lambda n: n + tree(n, 8) + 1,
        lambda n, p: levels(n, 8) * BLOCK * n,
        lambda n, p: 2 * (levels(n, 8) + 1) * BLOCK * n,
    ),
}


class Counter(distributed.SchedulerPlugin):
    """Tasks that have been done."""

    def __init__(self) -> None:
        self.tasks: set[str] = set()

    def transition(self, key, start, finish, *args, **kwargs) -> None:
        if start == "processing" and finish == "memory":
            self.tasks.add(str(key))


class Most(distributed.WorkerPlugin):
    """The most bytes that a worker has had."""

    def setup(self, worker) -> None:
        self.worker = worker
        worker.most = 0

    def transition(self, key, start, finish, **kwargs) -> None:
        self.worker.most = max(self.worker.most, self.worker.state.nbytes)


def begin_again(cluster, given: int) -> None:
    """Once workers have let go of all but what is given."""
    end = monotonic() + 20
    while sum(worker.state.nbytes for worker in cluster.workers.values()) > given and monotonic() < end:
        sleep(0.01)
    for worker in cluster.workers.values():
        worker.most = worker.state.nbytes


def sent(cluster) -> int:
    """Bytes from worker to worker, not those that the client asked for."""
    sendings = [each for worker in cluster.workers.values() for each in worker.transfer_outgoing_log]
    return sum(sum(each["keys"].values()) for each in sendings if each["who"])


@pytest.mark.parametrize("workers", [2, 4, 8])
def test_tasks_bytes_and_memory_are_as_is_said(workers: int) -> None:
    n = BLOCKS * workers
    x = np.random.default_rng(workers).random(n * SIZE).astype("f4")
    # Blocks of this test are small, and a busy scheduler would move them. Of real ones it knows that they are dear.
    dear = {"distributed.scheduler.bandwidth": "1 kB", "distributed.scheduler.work-stealing": False}
    with (
        dask.config.set(dear),
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        cluster.get_client() as client,
    ):
        blocks = client.persist(da.from_array(x, chunks=SIZE))
        distributed.wait(blocks)
        client.register_plugin(Most(), name="most")
        for name, (lazily, tasks, most, had) in COST.items():
            begin_again(cluster, x.nbytes)
            counter, before = Counter(), sent(cluster)
            cluster.scheduler.add_plugin(counter, name=name)
            found = client.persist(lazily(blocks))  # a result that is gathered moves, too, as any dask array's does
            distributed.wait(found)
            cluster.scheduler.remove_plugin(name)
            moved = sent(cluster) - before
            assert (name, len(counter.tasks)) == (name, tasks(n))
            assert 0 < moved <= most(n, workers), (name, moved, most(n, workers))
            beside = sum(worker.most for worker in cluster.workers.values()) - x.nbytes
            assert had(n, workers) / 20 <= beside <= had(n, workers), (name, beside, had(n, workers))
            del found
