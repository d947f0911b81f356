"""PoCL's programs are built with the declarations of those built-in functions that they name, and come out as with all."""

from typing import Any

import pytest

import pysycl as sycl

CODE = """
import numpy as np
import pysycl as sycl
from pysycl import _core
device = next(d for d in sycl.devices() if "PoCL 3.0-rc2" in d.platform.version)
q = sycl.Queue(device)
_core.fault_install(device.platform._driver_index)
def builds(body, front="", options=()):
    before = _core.fault_calls("BuildProgram")
    try:
        program = sycl.Program(front + "__kernel void f(__global float *x) { " + body + " }", list(options))
        x = np.ones(1, np.float32)
        q.single_task(program.f, x).wait()
    except sycl.BuildError as error:
        x = [str(error).splitlines()[0]]
    return _core.fault_calls("BuildProgram") - before, x[0]
assert builds("x[0] = hypot(3.0f, 4.0f) + as_float(0) + get_global_id(0);") == (1, 5.0)
assert builds("float a[4] = {1, 2, 3, 4}; float4 v = vload4(0, a); x[0] = dot(v, v) + OP(-2.0f);", "", ["-DOP=fabs"]) == (1, 32.0)
assert builds("double v = 3; x[0] = fast_length(v * v);") == (1, 9.0)
assert builds("x[0] = NAME(f, abs)(-3.0f);", "#define NAME(a, b) a##b\\n") == (1, 3.0)
# A name that is not seen: what the compiler says is asked again, of all declarations.
assert builds("x[0] = fa\\\\\\nbs(-3.0f);") == (2, 3.0)
count, error = builds("x[0] = no_such(-3.0f);")
assert count == 2 and error.startswith("kernel.cl:1:"), (count, error)
"""


@pytest.mark.skipif(
    not any("PoCL 3.0-rc2" in device.platform.version for device in sycl.devices()), reason="PoCL 3.0 is not here"
)
def test_declarations_of_what_is_named_are_enough(run_python: Any) -> None:
    run_python(CODE, {"PYSYCL_CACHE": "0"})
