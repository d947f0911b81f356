"""Writes the C table of kernel texts that csrc/library/embedded.h declares: embed.py OUTPUT FILE..."""

import hashlib
import sys
from pathlib import Path


def c_string(text: str) -> str:
    """The text as adjacent C string literals, a line each."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
    return "\n".join(f'        "{line}\\n"' for line in escaped.splitlines()) or '        ""'


def table(paths: list[Path]) -> str:
    rows = "\n".join(f'    {{"{path.name}",\n{c_string(path.read_text(encoding="utf-8"))}}},' for path in paths)
    digest = hashlib.blake2s(b"".join(path.read_bytes() + b"\0" for path in paths)).hexdigest()
    return (
        "/* The kernel texts of kernels/, written by kernels/embed.py. */\n"
        '#include "library/embedded.h"\n\n'
        f"const syc_kernel_text syc__kernel_texts[] = {{\n{rows}\n    {{NULL, NULL}},\n}};\n"
        f'const char syc__kernel_texts_digest[] = "{digest}";\n'
    )


if __name__ == "__main__":
    output, *inputs = map(Path, sys.argv[1:])
    output.write_text(table(inputs), encoding="utf-8")
