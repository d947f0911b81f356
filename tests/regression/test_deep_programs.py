"""A text that goes deep ended the process: PoCL's clang ran out of stack, on 10^5 open braces and on sums of 10^5 terms.

Brackets are counted before a driver sees them, and drivers compile on a stack that is deep enough for the rest.
"""

import subprocess
import sys
import textwrap

import pytest

import pysycl as sycl

DEEP = 20_000  # PoCL 3.0 ended with a stack of 8 MiB


@pytest.mark.parametrize("bracket", ["{", "(", "["])
def test_brackets_that_are_never_closed(bracket: str) -> None:
    with pytest.raises(sycl.InvalidParameterError) as caught:
        sycl.Program("__kernel void f(__global int *x)\n{\n" + bracket * 100_000)
    assert str(caught.value) == (
        f"source opens '{bracket}' in line 3 inside 256 others that are still open; compilers take no more"
    )


def test_brackets_of_a_macro() -> None:
    lines = ["#define M0 (", *(f"#define M{n} M{n - 1} M{n - 1}" for n in range(1, 10))]
    with pytest.raises(sycl.InvalidParameterError, match=r"source opens '\(' in line 11 inside 256 others"):
        sycl.Program("\n".join([*lines, "__kernel void f(void) { M9 }"]))


@pytest.mark.parametrize("depth", [200, 256])
def test_what_compilers_take_is_built(device: sycl.Device, depth: int) -> None:
    source = f"__kernel void f(__global int *x) {{ x[0] = {'(' * depth}1{')' * depth}; }}"
    program = sycl.Program(source)
    if depth < 256:
        program.build(sycl.Context(device))
    many = "".join("{ x[0] += 1; }" for _ in range(1000))
    sycl.Program(f"__kernel void f(__global int *x) {{ {many} }}")


@pytest.mark.parametrize("text", ["'x[0] = ' + '- ' * N + '1;'", "'x[0] = ' + '1 + ' * N + '1;'"])
def test_long_expressions_do_not_end_the_process(text: str) -> None:
    code = f"""
        import pysycl as sycl
        N = {DEEP}
        program = sycl.Program("__kernel void f(__global int *x) {{ " + {text} + " }}")
        try:
            program.build()
        except sycl.BuildError:
            pass  # a driver may say no
        print("alive")
    """
    child = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120)
    assert child.stdout.strip() == "alive", child.stderr


def test_parts_and_probes_are_compiled_on_a_deep_stack_too() -> None:
    code = f"""
        import numpy as np
        import pysycl as sycl
        text = (
            "typedef struct __attribute__((packed)) {{ char a; int b; }} pair;"
            "__kernel void f(__global int *x, pair p) {{ x[0] = " + "- " * {DEEP} + "p.b; }}"
        )
        queue, x = sycl.Queue(), np.zeros(1, np.int32)
        for step in (
            lambda: queue.single_task(sycl.Program(text).f, x, bytes(5)).wait_and_throw(),
            lambda: sycl.link(sycl.compile(sycl.KernelBundle(text, queue.context))),
        ):
            try:
                step()
            except sycl.SyclError:
                pass  # a driver may say no
        print("alive")
    """
    child = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120)
    assert child.stdout.strip() == "alive", child.stderr
