"""Compilers wrote "1 error generated." to the process's standard error, beside the exception that tells the error."""

import re
from collections.abc import Callable

import numpy as np
import pytest

import pysycl as sycl

# NVIDIA's compiler writes this by itself and takes no option against it.
COUNTS = re.compile(r"(\d+ (errors?|warnings?)( and \d+ (errors?|warnings?))? generated\.\n)*")
Y = np.zeros(64, np.float32)
WRONG: dict[str, Callable[[sycl.Queue], object]] = {
    "body": lambda q: q.parallel_for(64, "y[i] = foo; int z = 9.3 + bar;", y=Y),
    "body beyond the short declarations": lambda q: q.parallel_for(64, "y[i] = 1 +; #error x", y=Y),
    "reducer": lambda q: q.parallel_for(64, "r += foo;", r=sycl.reduction(np.zeros(1, "f4"), sycl.plus)),
    "map": lambda q: sycl.sum(Y, map="x + foo", queue=q),
    "program": lambda q: q.parallel_for(64, sycl.Program("__kernel void k(__global float *p) { p[0] = foo; }").k, Y),
    "object": lambda q: sycl.compile(sycl.KernelBundle("__kernel void k(__global int *p) { *p = foo; }", q.context)),
    "options": lambda q: q.parallel_for(64, "y[i] = 1;", y=Y, options="-Werror -DY=( -no-such"),
    "linker": lambda q: q.parallel_for(64, "y[i] = only_declared(1);", y=Y, preamble="int only_declared(int);"),
}


def silent(queue: sycl.Queue, capfd: pytest.CaptureFixture[str]) -> bool:
    out, err = capfd.readouterr()
    allowed = queue.device.vendor.startswith("NVIDIA") and COUNTS.fullmatch(err) is not None
    return out == "" and (err == "" or allowed)


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_text(queue: sycl.Queue, capfd: pytest.CaptureFixture[str], text: str) -> None:
    if text == "linker" and queue.device.platform.name == "Oclgrind":
        pytest.skip("it misses no function before the launch")
    with pytest.raises(sycl.BuildError):
        WRONG[text](queue)
    assert silent(queue, capfd)


def test_a_text_with_warnings(queue: sycl.Queue, capfd: pytest.CaptureFixture[str]) -> None:
    """That it has them is no reason to write, or to say less of a text that is wrong."""
    y = np.zeros(64, np.float32)
    queue.parallel_for(64, "y[i] = i;\n#warning hello\n", y=y)
    assert y.tolist() == list(range(64))
    assert silent(queue, capfd)
    with pytest.raises(sycl.BuildError) as caught:
        queue.parallel_for(64, "int k = 1;\n  y[i] = k + foo;", y=y)
    assert str(caught.value).splitlines()[1:3] == ["    2 |   y[i] = k + foo;", "      |              ^"]
    assert "error" in str(caught.value.build_log)
