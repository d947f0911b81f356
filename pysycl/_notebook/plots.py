"""Bars by matplotlib, which is imported here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def bars(
    ax: Any, names: Sequence[str], groups: Mapping[str, Sequence[float]], title: str, unit: str, *, log: bool = False
) -> Any:
    """Bars that lie: for each name one of each group. The axes, new ones where `ax` is None."""
    figure = None
    if ax is None:
        from matplotlib import pyplot

        inches = max(1.6, 1.4 + 0.06 * len(names) * len(groups))
        figure, ax = pyplot.subplots(layout="constrained", figsize=(8, inches))
    height = 0.8 / max(len(groups), 1)
    for k, (label, values) in enumerate(groups.items()):
        places = [number + (k - (len(groups) - 1) / 2) * height for number in range(len(names))]
        ax.barh(places, values, height, label=label)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlabel(unit)
    ax.set_title(title)
    if log:
        ax.set_xscale("log")
    if len(groups) > 1 and figure is not None:
        figure.legend(loc="outside lower center", ncols=min(len(groups), 3), fontsize="small")
    elif len(groups) > 1:
        ax.legend()
    return ax
