"""A picture in the terminal: half blocks in colour where the stream can show them, characters elsewhere."""

import os
import shutil
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

SHADES = " .:-=+*%@#"


def shrink(values: NDArray[np.float64], rows: int, columns: int) -> NDArray[np.float64]:
    """The mean of each cell when `values` is laid on a grid of rows x columns; what does not divide is cut off."""
    height, width = values.shape[0] // rows, values.shape[1] // columns
    cells = values[: height * rows, : width * columns].reshape(rows, height, columns, width)
    result: NDArray[np.float64] = cells.mean(axis=(1, 3))
    return result


def _colour(value: float) -> tuple[int, int, int]:
    """From black over blue and orange to white, for 0 to 1."""
    return (
        int(255 * min(1.0, max(0.0, 2.2 * value - 0.5))),
        int(255 * min(1.0, max(0.0, 2.0 * value - 0.7))),
        int(255 * min(1.0, max(0.0, min(3.0 * value, 1.4 - value)))),
    )


def in_colour(values: NDArray[np.float64], rows: int, columns: int) -> str:
    """Two pixels a character: the upper half block, its foreground above and its background below."""
    pixels = shrink(values, 2 * rows, columns)
    lines = []
    for row in range(rows):
        cells = []
        for above, below in zip(pixels[2 * row], pixels[2 * row + 1], strict=True):
            (r, g, b), (s, h, c) = _colour(float(above)), _colour(float(below))
            cells.append(f"\x1b[38;2;{r};{g};{b}m\x1b[48;2;{s};{h};{c}m\u2580")
        lines.append("".join(cells) + "\x1b[0m")
    return "\n".join(lines)


def in_characters(values: NDArray[np.float64], rows: int, columns: int) -> str:
    pixels = shrink(values, rows, columns)
    index = np.clip(pixels * len(SHADES), 0, len(SHADES) - 1).astype(int)
    return "\n".join("".join(SHADES[i] for i in line).rstrip() for line in index)


def shows_colour(stream: TextIO) -> bool:
    """A terminal that takes colours and UTF-8, and a user who does not object (NO_COLOR)."""
    encoding = (stream.encoding or "").lower().replace("-", "")
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return stream.isatty() and encoding == "utf8" and wanted


def picture(values: NDArray[np.float64], stream: TextIO) -> str:
    """The picture of a square array of numbers from 0 to 1, as wide as the stream's terminal allows."""
    width, height = shutil.get_terminal_size((80, 30)) if stream.isatty() else (80, 44)
    columns = max(16, min(width - 1, 2 * (height - 4), 96))
    draw = in_colour if shows_colour(stream) else in_characters
    return draw(values, columns // 2, columns)
