"""A progress bar on a terminal; a few plain lines where the output is kept."""

from typing import TextIO

WIDTH = 40


class Progress:
    """Shows how much of `total` is done. On a terminal one line is redrawn, elsewhere each quarter is a line."""

    def __init__(self, label: str, total: int, stream: TextIO) -> None:
        self.label, self.total, self.stream = label, total, stream
        self._quarter = 0

    def update(self, done: int) -> None:
        share = done / self.total
        if self.stream.isatty():
            filled = round(WIDTH * share)
            end = "\n" if done == self.total else ""
            self.stream.write(f"\r{self.label} [{'#' * filled}{'.' * (WIDTH - filled)}] {share:4.0%}{end}")
            self.stream.flush()
        elif int(4 * share) > self._quarter:
            self._quarter = int(4 * share)
            self.stream.write(f"{self.label}: {share:.0%}\n")
            self.stream.flush()
