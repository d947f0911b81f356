"""PoCL before 7.0 mistook launches of one kernel that ran at a time for each other, and ended the process.

It loads a kernel's code once for each widest grid and kind of offset, but a launch that ends lets go of whatever entry
stands first: another one, if a wider launch began meanwhile, one with another offset, or a question for binaries.
"""

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

LAUNCHES = """
import time
import numpy as np
import pysycl as sycl
from pysycl import _core

TEXT = '''sycl_reqd_work_group_size(1) __kernel void spin(__global float *x, uint turns)
{
    float a = get_global_id(0);
    for (uint k = 0; k < turns; k++)
        a = a * 0.999f + x[get_global_id(0)];
    x[get_global_id(0)] = a;
}'''
program = sycl.Program(TEXT)
queue = sycl.Queue()
memory = [sycl.malloc_shared(64, np.float32, queue) for _ in range(12)]
for x in memory:
    queue.fill(x, 1, 64).wait()

def launch(which, count, turns=20000000, offset=0):
    given = {"offset": (offset,)} if offset else {}
    return queue.submit(lambda h: h.parallel_for(
        sycl.NdRange((count,), (1,), *((offset,) if offset else ())), program.spin, memory[which], np.uint32(turns)))

"""

WAYS = {
    "kept": """
launch(0, 2, 50000000)
_core.cache_save()
launch(0, 2)
""",
    "wider": """
for which in range(6):
    launch(which, 2)
time.sleep(0.1)
launch(6, 3)
""",
    "offsets": """
for which in range(6):
    launch(which, 2)
time.sleep(0.1)
launch(6, 2, offset=1)
""",
    "replayed": """
with queue.record() as recording:
    for which in range(7):
        launch(which, 2 + which // 6)
recording.replay()
""",
    "binaries": """
launch(0, 2, 50000000)
_core.program_binary(program, queue.context, queue.device)
launch(0, 2)
""",
}


def test_launches_under_way_are_not_mistaken(run_python: Callable[..., Any], tmp_path: Path) -> None:
    code = textwrap.dedent(LAUNCHES) + "".join(f"{text}queue.wait()\nprint('{way}')\n" for way, text in WAYS.items())
    assert run_python(code, {"PYSYCL_CACHE_DIR": str(tmp_path)}).stdout.split() == list(WAYS)
