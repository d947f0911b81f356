"""The cases of a parametrized sweep, of which the default run has those that differ most (tests/README.md)."""

from collections.abc import Collection, Iterable

import pytest


def exhaustive(*values: object) -> object:
    """A case for pytest.mark.parametrize that only the exhaustive run has."""
    return pytest.param(*values, marks=pytest.mark.exhaustive)


def sweep(cases: Iterable[object], some: Collection[object]) -> list[object]:
    """The cases, those that are not among `some` for the exhaustive run alone."""
    every = list(cases)
    assert all(case in every for case in some), some
    return [
        case if case in some else exhaustive(*case) if isinstance(case, tuple) else exhaustive(case) for case in every
    ]
