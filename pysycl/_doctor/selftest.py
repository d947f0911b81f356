"""The self-test: what a device computes rightly, found out when a program needs it first, and remembered.

Before the first program that uses a *family* of kernels (group functions of work-groups, say) is built for a device, a
kernel of that family with known answers runs there, in the way that pysycl thinks best. Where that gives wrong answers,
the next way is tried, and programs take the first that is right. What was found out is kept beside the kernel cache;
PYSYCL_SELF_TEST=0 turns the test off, and the ways that pysycl thinks best are believed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pysycl import _core

if TYPE_CHECKING:
    from pysycl.device import Device

VARIABLE = "PYSYCL_SELF_TEST"
NOT_YET, RIGHT, REPLACED, REFUSED, UNTESTED = "not yet", "right", "replaced", "refused", "untested"


class Verdict(NamedTuple):
    """The finding about a family on a device: ``right``, ``replaced`` by another way, ``refused`` since none is right
    (which is a wrong answer, or that it does not build, start or end: `words` say which, with the compiler's first ones),
    ``untested`` since the test could not be made, or ``not yet`` used."""

    family: str
    state: str
    words: str  # what was wrong
    way: str | None  # that is taken
    kept: bool  # an earlier process has found it out
    seconds: float


def verdicts(device: Device) -> list[Verdict]:
    """One for each family that pysycl uses on the device."""
    return [Verdict(*found) for found in _core.known_verdicts(device)]


def find_out(device: Device, at: int) -> Verdict:
    """Number `at` of the verdicts, after a test if there was none."""
    _core.known_find_out(_core.default_context(device), at)
    return verdicts(device)[at]
