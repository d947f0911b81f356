"""The sums and maxima of other packages, for tests/bench/reduce.py: each where it is installed."""

from __future__ import annotations

import ctypes
import functools
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import pysycl as sycl

Array = np.ndarray[Any, Any]
Call = Callable[[], object]
Row = Callable[[int], object]
HERE = Path(__file__).resolve().parent


def _numba(operation: str) -> Callable[[Array], object] | None:
    try:
        import numba
    except ImportError:
        return None
    step = "one += x[i]" if operation == "sum" else "one = max(one, x[i])"
    start = "x.dtype.type(0)" if operation == "sum" else "x[0]"
    text = f"def reduce(x):\n    one = {start}\n    for i in prange(x.size):\n        {step}\n    return one\n"
    scope: dict[str, Any] = {"prange": numba.prange}
    exec(text, scope)
    # without fast-math its loop is scalar, one addition after the other; ours may combine in any order, too
    compiled: Callable[[Array], object] = numba.njit(parallel=True, fastmath=True)(scope["reduce"])
    return compiled


def _pyopencl(queue: sycl.Queue, x: Array, operation: str) -> Call | None:
    try:
        import pyopencl
        import pyopencl.array
        from pyopencl.reduction import ReductionKernel
        from pyopencl.tools import dtype_to_ctype
    except ImportError:
        return None
    context = pyopencl.Context.from_int_ptr(queue.context.int_ptr)
    own = pyopencl.CommandQueue(context, pyopencl.Device.from_int_ptr(queue.device._lanes[0]))
    name = dtype_to_ctype(x.dtype)
    neutral = "0" if operation == "sum" else "-INFINITY" if x.dtype.kind == "f" else str(np.iinfo(x.dtype).min + 1)
    join = "a + b" if operation == "sum" else "max(a, b)"
    kernel = ReductionKernel(
        context, x.dtype, neutral, reduce_expr=join, map_expr="x[i]", arguments=f"__global {name} *x"
    )
    given = pyopencl.array.to_device(own, x)
    return lambda: kernel(given, queue=own).get()


def _dpnp(x: Array, operation: str) -> Call | None:
    try:
        import dpnp
    except ImportError:
        return None
    try:
        given = dpnp.asarray(x)
    except Exception as error:  # it is installed, and finds no device
        warnings.warn(f"dpnp is left out: {error}", stacklevel=1)
        return None
    function = dpnp.sum if operation == "sum" else dpnp.max
    return lambda: dpnp.asnumpy(function(given))


def _cupy(x: Array, operation: str) -> Row | None:
    try:
        import cupy
    except ImportError:
        return None
    given = cupy.asarray(x)
    out = cupy.empty((), x.dtype)
    function = cupy.sum if operation == "sum" else cupy.max

    def run(count: int) -> None:
        for _ in range(count):
            function(given, out=out)
        cupy.cuda.runtime.deviceSynchronize()

    return run


CUB_TYPES = {"f32": "float", "f64": "double", "i32": "int", "i64": "long long"}


@functools.cache
def _cub_library(kind: str, operation: str) -> ctypes.CDLL:
    with tempfile.TemporaryDirectory(prefix="cub_reduce") as folder:
        library = str(Path(folder, "cub_reduce.so"))
        options = ["-O3", "-shared", "-Xcompiler", "-fPIC", f"-DTYPE={CUB_TYPES[kind]}"]
        options.append(f"-DMAXIMUM={int(operation == 'max')}")
        subprocess.run(["nvcc", *options, str(HERE / "cub_reduce.cu"), "-o", library], check=True)
        return ctypes.CDLL(library)


def build_cub(kinds: Sequence[str]) -> None:
    """All that will be asked for at once, since nvcc takes its time."""
    if shutil.which("nvcc") is not None:
        with ThreadPoolExecutor() as pool:
            for operation in ("sum", "max"):
                list(pool.map(_cub_library, kinds, [operation] * len(kinds)))


def _cub(x: Array, operation: str) -> Row | None:
    if shutil.which("nvcc") is None:
        return None
    cub = _cub_library(x.dtype.kind + str(8 * x.itemsize), operation)
    cub.cub_close()  # what it had of the last size
    if cub.cub_open(x.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(x.size)) != 0:
        return None
    size = ctypes.c_size_t(x.size)
    return lambda count: cub.cub_run(size, ctypes.c_size_t(count))


PEERS = ("NumPy", "Numba", "PyOpenCL", "dpnp", "CuPy", "CUB")


def peers(queue: sycl.Queue, x: Array, operation: str) -> Iterator[tuple[str, Call]]:
    """Whatever is installed and made for a device that has the host's memory; each call gives the result."""
    yield "NumPy", x.sum if operation == "sum" else x.max
    numba = _numba(operation)
    if numba is not None:
        yield "Numba", lambda: numba(x)
    others = (("PyOpenCL", _pyopencl(queue, x, operation)), ("dpnp", _dpnp(x, operation)))
    yield from ((name, call) for name, call in others if call is not None)


def peers_on_gpu(x: Array, operation: str) -> Iterator[tuple[str, Row]]:
    """The same for a GPU: each call begins so many reductions behind each other, and ends when the last has."""
    others = (("CuPy", _cupy(x, operation)), ("CUB", _cub(x, operation)))
    yield from ((name, row) for name, row in others if row is not None)
