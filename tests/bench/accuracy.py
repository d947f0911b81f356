"""How far off the functions of each driver are, in ulp: the table of kernels/README.md.

    python tests/bench/accuracy.py [ARGUMENTS [WIDTH]]

A column for each device that pysycl finds (PYSYCL_DRIVERS names others): the largest errors of float and of double, of
scalars, or of vectors as wide as WIDTH, over special values, neighbours of 1 and of multiples of pi / 2, small numbers,
and any bits. What is more than OpenCL allows is bold. Exact values have 64 bits of mantissa, those of erf, erfc and tgamma
53, so that their error in double is known to half an ulp. Of a half_ or native_ function it is the error for arguments
from 0.25 to 0.875.
"""

import sys
from pathlib import Path

import numpy as np

import pysycl as sycl

sys.path.insert(0, str(Path(__file__).parent.parent / "conformance/4_14_library"))

import math_table as table


def rows_of(kind: str) -> list[table.Row]:
    """Without what has to be exact, which the tests look at."""
    return [row for row in table.rows_of(kind) if max(row.bound) > 0.5 or row.name in ("sqrt", "fma")]


def shown(error: float, bound: float) -> str:
    text = f"{error:.2f}" if error < 100 else f"{error:.2g}"
    return f"**{text}**" if error > bound * 1.001 else text


def main(count: str = "4800", width: str = "1") -> None:
    devices = [device for platform in sycl.Platform.get_platforms() for device in platform.get_devices()]
    cells: dict[str, list[list[str]]] = {row.name: [[] for _ in devices] for row in rows_of("float")}
    limits: dict[str, list[str]] = {name: [] for name in cells}
    for kind in ("float", "double"):
        given, rows = table.arguments(kind, int(count)), rows_of(kind)
        exact = [table.expected(row, given) for row in rows]
        for row in rows:
            limits[row.name].append("any" if row.name.startswith("native_") else f"{row.bound_of(kind):g}")
        for at, device in enumerate(devices):
            if kind == "double" and not device.has("fp64"):
                continue
            got = table.compute(sycl.Queue(device), kind, int(width), rows, given)
            for row, values, true in zip(rows, got, exact, strict=True):
                apart = np.where(table.asked(row, given), table.errors(values, true), 0)
                bound = np.inf if row.name.startswith("native_") else row.bound_of(kind)
                cells[row.name][at].append(shown(float(apart.max()), bound))
    print(f"| float / double | at most | {' | '.join(f'{d.name}, {d.driver_version}' for d in devices)} |")
    print("| --- " * (2 + len(devices)) + "|")
    for name, columns in cells.items():
        print(f"| `{name}` | {' / '.join(limits[name])} | {' | '.join(' / '.join(column) for column in columns)} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
