"""PoCL 3.0 links each kernel with `ld` and ends the process when there is none on the PATH: it is refused with that reason."""

import pytest

import pysycl as sycl

PROGRAM = """
import pysycl as sycl
from pysycl import _core
assert not any("3.0-rc2" in platform.version for platform in sycl.platforms())
print([driver["refusal"] for driver in _core.drivers() if driver["refusal"] and "`ld`" in driver["refusal"]])
"""


@pytest.mark.parametrize("path", [None, "", "/nowhere:/proc"])
def test_without_a_linker_the_driver_is_refused(run_python, path):
    if not any("3.0-rc2" in platform.version for platform in sycl.platforms()):
        pytest.skip("PoCL 3.0 is not here")
    child = run_python(PROGRAM, {"PATH": path})
    assert "which is not on the PATH" in child.stdout
