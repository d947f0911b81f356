"""What `import pysycl` costs beyond `import numpy`: time and memory, in fresh interpreters that take turns.

    python tests/bench/import_time.py [RUNS]

No driver is loaded by an import: the last row shows what the first device query adds. Nothing is asserted.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile

from report import print_machine, print_table

WAYS = {
    "import numpy": "",
    "import numpy, pysycl": "import pysycl",
    "import numpy, pysycl; pysycl.devices()": "import pysycl; pysycl.devices()",
    "import numpy, pyopencl": "import pyopencl",
}
CHILD = """
import time
before = time.perf_counter()
import numpy
between = time.perf_counter()
{rest}
after = time.perf_counter()
fields = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(between - before, after - between, fields["VmRSS"].split()[0])
"""


def run(rest: str, folder: str) -> tuple[float, float, float] | None:
    """Seconds for NumPy, seconds for the rest, MiB in the end; None where the rest cannot be imported."""
    command = [sys.executable, "-c", CHILD.format(rest=rest)]
    # An installed package has bytecode; one that has none gets it in the first turn, which does not count.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    child = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if child.returncode != 0:
        return None
    numpy, more, kib = map(float, child.stdout.split())
    return numpy, more, kib / 1024


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    figures: dict[str, list[tuple[float, float, float]]] = {name: [] for name in WAYS}
    with tempfile.TemporaryDirectory() as folder:  # not the checkout: what is installed is measured
        for turn in range(runs + 1):
            for name, rest in WAYS.items():
                result = run(rest, folder)
                if result is not None and turn > 0:  # the first reads files that later ones find in memory
                    figures[name].append(result)
    print_machine(f"Import, {runs} fresh interpreters each")
    base = min(memory for _, _, memory in figures["import numpy"])
    rows = []
    for name, results in figures.items():
        if not results:
            rows.append([name, *["not installed"] * 4])
            continue
        times = [more * 1e3 for _, more, _ in results]
        memory = [each for _, _, each in results]
        over = statistics.median(memory) - base
        rows.append(
            [name, f"{min(times):.1f}", f"{statistics.median(times):.1f}", f"{min(memory):.1f}", f"{over:+.1f}"]
        )
    numpy = [each * 1e3 for results in figures.values() for each, _, _ in results]
    print_table(["process", "least ms beyond NumPy", "median ms", "RSS MiB", "MiB over NumPy's"], rows)
    print(f"import numpy itself: least {min(numpy):.1f} ms, median {statistics.median(numpy):.1f} ms")


if __name__ == "__main__":
    main()
