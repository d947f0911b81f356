"""PreparedKernel: a launch that was converted, built and planned once. The class itself is the binding's: a call of an
object of a class derived in Python would cost more than the launch."""

from __future__ import annotations

from pysycl import _core

PreparedKernel = _core.PreparedKernel
