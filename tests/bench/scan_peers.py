"""The scans of other packages, for tests/bench/scan.py: each where it is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import pysycl as sycl

Array = np.ndarray[Any, Any]
Call = Callable[[], object]
PEERS = ("NumPy", "Numba", "PyOpenCL", "CuPy", "torch")

# The serial loops that Numba compiles: what somebody at a prompt would write.
LOOPS = {
    "sum": "    one = y.dtype.type(0)\n    for i in range(x.size):\n        one += x[i]\n        y[i] = one\n",
    "max": "    one = x[0]\n    for i in range(x.size):\n        one = max(one, x[i])\n        y[i] = one\n",
    "affine": (
        "    k, d = np.float32(1), np.float32(0)\n    for i in range(x.size):\n        d = d * x[i].k + x[i].d\n"
        "        k = k * x[i].k\n        y[i].k = k\n        y[i].d = d\n"
    ),
    "segments": (
        "    one = y.dtype.type(0)\n    for i in range(x.size):\n        if more[i]:\n            one = y.dtype.type(0)\n"
        "        one += x[i]\n        y[i] = one\n"
    ),
    "select": "    k = 0\n    for i in range(x.size):\n        if x[i] > more:\n            y[k] = x[i]\n            k += 1\n",
}


def numba_loop(name: str, x: Array, y: Array, more: Any = None) -> Call | None:
    """A serial loop from x to y."""
    try:
        import numba
    except ImportError:
        return None
    scope: dict[str, Any] = {"np": np}
    exec(f"def scan(x, y, more):\n{LOOPS[name]}", scope)
    compiled = numba.njit(scope["scan"])
    return lambda: compiled(x, y, more)


def _pyopencl(queue: sycl.Queue, name: str, x: Array, dtype: Any) -> Call | None:
    try:
        import pyopencl
        import pyopencl.array
        from pyopencl.scan import GenericScanKernel
        from pyopencl.tools import dtype_to_ctype
    except ImportError:
        return None
    context = pyopencl.Context.from_int_ptr(queue.context.int_ptr)
    own = pyopencl.CommandQueue(context, pyopencl.Device.from_int_ptr(queue.device._lanes[0]))
    kind = np.dtype(dtype)
    if kind.itemsize % 4 != 0:  # which its scans cannot have
        return None
    neutral = "0" if name == "sum" else "-INFINITY" if kind.kind == "f" else str(np.iinfo(kind).min + 1)
    kernel = GenericScanKernel(
        context, kind, f"__global {dtype_to_ctype(x.dtype)} *x, __global {dtype_to_ctype(kind)} *y", "x[i]",
        "a + b" if name == "sum" else "max(a, b)", neutral, "y[i] = item;",
    )  # fmt: skip
    given = pyopencl.array.to_device(own, x)
    result = pyopencl.array.empty(own, x.shape, kind)

    def run() -> None:
        kernel(given, result, queue=own)
        own.finish()

    return run


def _cupy(name: str, x: Array, dtype: Any) -> Call | None:
    try:
        import cupy
    except ImportError:
        return None
    given, result = cupy.asarray(x), cupy.empty(x.shape, dtype)
    if name != "sum":
        return None

    def run() -> None:
        cupy.cumsum(given, dtype=dtype, out=result)
        cupy.cuda.runtime.deviceSynchronize()

    return run


def _torch(name: str, x: Array, dtype: Any) -> Call | None:
    try:
        import torch
    except ImportError:
        return None
    if not torch.cuda.is_available() or x.dtype.kind == "u":
        return None
    given = torch.from_numpy(x).cuda()
    kind = getattr(torch, np.dtype(dtype).name)

    def run() -> None:
        (torch.cumsum(given, 0, dtype=kind) if name == "sum" else torch.cummax(given, 0))
        torch.cuda.synchronize()

    return run


def peers(queue: sycl.Queue, name: str, x: Array, dtype: Any, shared: bool) -> Iterator[tuple[str, Call]]:
    """Whatever is installed, and made for the device."""
    if shared:
        y = np.empty(x.shape, dtype)
        function = np.add if name == "sum" else np.maximum
        yield "NumPy", lambda: function.accumulate(x, dtype=dtype, out=y)
        loop = numba_loop(name, x, np.empty(x.shape, dtype))
        if loop is not None:
            yield "Numba", loop
    others = (
        ("PyOpenCL", _pyopencl(queue, name, x, dtype)),
        ("CuPy", None if shared else _cupy(name, x, dtype)),
        ("torch", None if shared else _torch(name, x, dtype)),
    )
    yield from ((peer, call) for peer, call in others if call is not None)
