"""Shared by handles on things of the runtime: a copy is the same thing again. SYCL 2020, 4.5.2."""

from __future__ import annotations

from typing import Any, Self

from pysycl._runtime.info import HasInfo
from pysycl.enums import Backend


class Handle:
    """A handle on one thing. SYCL's copies are references to it, so they are the handle itself."""

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class BackendHandle(Handle, HasInfo):
    """A handle on something that the backend has too: devices, contexts, queues, events, kernels."""

    __slots__ = ()

    @property
    def backend(self) -> Backend:
        """The backend: always OpenCL."""
        return Backend.opencl

    @property
    def is_host(self) -> bool:
        """False: SYCL 2020 has no host device."""
        return False
