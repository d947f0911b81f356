"""pysycl on dask arrays: NumPy's functions, lazily, block by block on the devices of the workers.

    import dask.array as da
    import pysycl.dask as sd

    with sd.local_cluster() as cluster, cluster.get_client():
        x = da.random.random(10**9, chunks=10**8)
        sd.sum(x, map="exp(-x)", accuracy="exact").compute()

Blocks are NumPy arrays, and all functions give dask arrays. A text of the user's is looked at when the function is called.
Needs Dask: `python -m pip install 'pysycl[dask]'`.
"""

try:
    import dask.array as _da
except ImportError as error:
    raise ImportError("pysycl.dask needs Dask: python -m pip install 'pysycl[dask]'") from error

from pysycl.dask.cluster import local_cluster
from pysycl.dask.counted import bincount, histogram
from pysycl.dask.elements import select, transform
from pysycl.dask.keyed import reduce_by_key, unique
from pysycl.dask.order import argsort, sort, top_k
from pysycl.dask.reduced import all, any, argmax, argmin, max, mean, min, prod, reduce, std, sum, var
from pysycl.dask.scanned import cumsum, exclusive_scan, inclusive_scan

__all__ = [
    "all", "any", "argmax", "argmin", "argsort", "bincount", "cumsum", "exclusive_scan", "histogram", "inclusive_scan",
    "local_cluster", "max", "mean", "min", "prod", "reduce", "reduce_by_key", "select", "sort", "std", "sum", "top_k",
    "transform", "unique", "var",
]  # fmt: skip

del _da
