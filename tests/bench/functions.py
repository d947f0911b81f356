"""Functions of bodies on each driver against Numba's and NumPy's: processor time of an element, and errors.

    python tests/bench/functions.py [NAME[,NAME...] [LOG2_N]]

A column for each device that pysycl finds: PYSYCL_DRIVERS names several, which then take turns with the peers in one process.
Intel's runtime calls its SVML, and so does Numba where it finds that. A cell is nanoseconds of an element, on all threads,
least of many rounds, and the largest error in ulp of the true value.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from report import print_machine, print_table

import pysycl as sycl

Call = Callable[[], object]
ROUNDS, CALLS = 15, 4

# Expressions of x and z in OpenCL C, NumPy and Numba; the least and the most of x. z is between -3 and 3.
FUNCTIONS = {
    "exp": ("exp(x[i])", "np.exp(x)", (-10, 10)),
    "log": ("log(x[i])", "np.log(x)", (1e-3, 1e3)),
    "sin": ("sin(x[i])", "np.sin(x)", (-20, 20)),
    "pow": ("pow(x[i], z[i])", "np.power(x, z)", (0.1, 10)),
    "tanh": ("tanh(x[i])", "np.tanh(x)", (-3, 3)),
}
TYPES = {"half": np.float16, "float": np.float32, "double": np.float64}


def exact_of(expression: str, x: Any, z: Any) -> Any:
    wide = np.longdouble if x.dtype == np.float64 else np.float64
    return eval(expression, {"np": np, "x": x.astype(wide), "z": z.astype(wide)})


def error_of(got: Any, exact: Any) -> float:
    """In units of the last place that the true value has in its type."""
    return float((np.abs(got.astype(exact.dtype) - exact) / np.spacing(np.abs(exact).astype(got.dtype))).max())


def numba_call(expression: str, x: Any, z: Any, y: Any) -> Call | None:
    try:
        import numba
    except ImportError:
        return None
    scope: dict[str, Any] = {"np": np}
    of_one = expression.replace("np.power(x, z)", "x[i] ** z[i]").replace("(x)", "(x[i])")
    exec(f"def loop(x, z, y):\n    for i in range(x.size):\n        y[i] = {of_one}\n", scope)
    compiled = numba.njit(scope["loop"])
    return lambda: compiled(x, z, y)


def numpy_call(expression: str, x: Any, z: Any, y: Any) -> Call:
    return eval("lambda: " + expression[:-1] + ", out=y)", {"np": np, "x": x, "y": y, "z": z})


def body_call(queue: sycl.Queue, text: str, x: Any, z: Any, y: Any) -> Call | None:
    if (x.dtype == np.float16 and not queue.device.has("fp16")) or (
        x.dtype == np.float64 and not queue.device.has("fp64")
    ):
        return None
    given = {"x": x, "y": y} | ({"z": z} if "z" in text else {})
    prepared = queue.kernel(x.size, f"y[i] = {text};", **given)
    return lambda: prepared().wait()


def cells_of(calls: list[Call | None], y: Any, exact: Any) -> list[str]:
    least, errors = [float("inf")] * len(calls), [0.0] * len(calls)
    for turn in range(ROUNDS + 1):
        for at, call in enumerate(calls):
            if call is None:
                continue
            before = time.process_time()
            for _ in range(CALLS):
                call()
            took = (time.process_time() - before) / CALLS / y.size * 1e9
            if turn == 0:  # compiles
                errors[at] = error_of(y, exact)
                y[:] = 0
            else:
                least[at] = min(least[at], took)
    return ["-" if call is None else f"{least[at]:.2f} {errors[at]:.2f}" for at, call in enumerate(calls)]


def main() -> None:
    names = sys.argv[1].split(",") if len(sys.argv) > 1 else list(FUNCTIONS)
    n = 1 << (int(sys.argv[2]) if len(sys.argv) > 2 else 16)
    warnings.simplefilter("ignore")
    devices = [device for platform in sycl.Platform.get_platforms() for device in platform.get_devices()]
    queues = [sycl.Queue(device) for device in devices]
    print_machine("Functions of bodies", *(f"driver  : {device.platform.version}" for device in devices))
    rng, rows = np.random.default_rng(11), []
    for name in names:
        text, expression, limits = FUNCTIONS[name]
        for word, dtype in TYPES.items():
            x, z = rng.uniform(*limits, n).astype(dtype), rng.uniform(-3, 3, n).astype(dtype)
            y = np.zeros(n, dtype)
            calls = [body_call(queue, text, x, z, y) for queue in queues]
            calls += [None if dtype == np.float16 else numba_call(expression, x, z, y), numpy_call(expression, x, z, y)]
            rows.append([f"{name}, {word}", *cells_of(calls, y, exact_of(expression, x, z))])
    print_table(["ns, ulp", *(device.platform.name for device in devices), "Numba", "NumPy"], rows)


if __name__ == "__main__":
    main()
