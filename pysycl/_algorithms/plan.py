"""What an algorithm's object tells of itself: how it would do arrays of a shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

import numpy as np

from pysycl._algorithms.call import _recording, recorded
from pysycl._data.host_memory import any_shape
from pysycl._runtime.lines import Lines

if TYPE_CHECKING:
    from pysycl._data.host_memory import Array


class Plan(NamedTuple):
    """How arrays of one shape are done: `make_reduce(...).plan(shape)` makes it."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    passes: tuple[Any, ...]
    """The prepared kernels: `range`, `source`, `explanation` and `temporary_bytes` of each."""

    @property
    def temporary_bytes(self) -> int:
        """Bytes of the device's memory that a call takes besides its elements and results: for the partial results of
        groups. They are kept for calls to come, and calls that run at the same time have as many each."""
        return sum(each.temporary_bytes for each in self.passes)

    def plot(self, ax: Any = None) -> Any:
        """Draw the passes: how many work-items each has, with matplotlib.

        Parameters
        ----------
        ax
            The axes to draw into; None: new ones.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        from pysycl._notebook.plots import bars

        sizes = [prod(each.range or (1,)) for each in self.passes]
        names = [f"pass {k + 1}" for k in range(len(sizes))]
        return bars(ax, names, {"work-items": sizes}, f"{self.dtype} {self.shape}", "work-items", log=True)

    def _repr_html_(self) -> str:
        from pysycl._notebook.html import details, table

        rows = [
            (
                k + 1,
                " x ".join(map(str, each.range or (1,))),
                f"{each.temporary_bytes} B",
                _form_of(each.explanation),
            )
            for k, each in enumerate(self.passes)
        ]
        return table(("pass", "work-items", "temporary", "form"), rows, left=(3,)) + details("explain", self.explain())

    def explain(self) -> Lines:
        """Lines that say which form each pass takes, and why."""
        return Lines("\n".join(each.explanation for each in self.passes) or "no elements: nothing is launched")


class Told(NamedTuple):
    """What a plan is told of a whole call, before its passes."""

    explanation: str
    temporary_bytes: int
    range: Any = None
    source: str = ""


def tell(explanation: str, temporary_bytes: int = 0) -> None:
    """Tells the plan that is made, if one is."""
    if _recording.passes is not None:
        _recording.passes.insert(0, Told(explanation, temporary_bytes))


def _form_of(explanation: str) -> str:
    """The name of the row that was chosen, which stands in a line of its own."""
    return next((line[3:].strip() for line in explanation.split("\n") if line.startswith("row ")), "")


def plan_of(call: Callable[[Array], Any], shape: SupportsIndex | Iterable[SupportsIndex], dtype: np.dtype[Any]) -> Plan:
    """The passes of a call with an array of the shape. Kernels are built, and nothing runs."""
    sizes = any_shape(shape, "shape")
    like: Array = np.zeros(sizes, dtype)  # memory that nobody touches is none; some calls look at it
    with recorded() as passes:
        call(like)
    return Plan(sizes, dtype, tuple(passes))
