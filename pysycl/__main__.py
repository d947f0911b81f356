"""python -m pysycl: the doctor. python -m pysycl demo: the demo. The exit status is 1 when a check fails."""

import argparse
import os
import sys


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m pysycl",
        description="Without a command: lists drivers and devices and checks that each computes correctly.",
    )
    parser.add_argument("--limit", type=float, default=300.0, help="seconds that one driver may take (default: 300)")
    commands = parser.add_subparsers(dest="command")
    demo_parser = commands.add_parser("demo", help="real work on the default device, checked against NumPy")
    demo_parser.add_argument("--device", help='a filter string such as "gpu" or "opencl:cpu:1"')
    demo_parser.add_argument("--size", type=int, default=4096, help="points a side, a multiple of 128 (default: 4096)")
    chosen = parser.parse_args(arguments)
    if chosen.command == "demo":
        from pysycl._doctor.demo import demo

        return 0 if demo(chosen.device, chosen.size) else 1
    from pysycl._doctor.doctor import doctor

    return 0 if doctor(limit=chosen.limit) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # the reader, `head` perhaps, has seen enough; what is buffered goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
