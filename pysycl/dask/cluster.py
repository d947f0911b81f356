"""local_cluster: a worker process for each device of this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import cache
from multiprocessing import current_process
from pathlib import Path
from typing import Any, Final

import pysycl as sycl
from pysycl import _core
from pysycl.errors import InvalidError, InvalidParameterError

_GUARD: Final = 'put it below `if __name__ == "__main__":`, since each worker runs the script again as it begins'


def _filter_of(device: Any, here: bool = True) -> str:
    """The words that select a device again in another process. `here`: this one has the same drivers."""
    if isinstance(device, str) and not here:
        return device
    try:
        found = sycl.Device(device)  # which says of words that lead nowhere what there is
    except TypeError:
        raise InvalidParameterError(f"devices: expected Devices or filter strings, got {device!r}") from None
    if isinstance(device, str):
        return device
    if found.filter_string is None:
        raise InvalidParameterError(f"devices: no filter string leads to {found!r} in another process")
    return found.filter_string


def _filters(devices: Any, here: bool) -> list[str]:
    """Filter strings, one for each worker."""
    if devices is None:
        return [_filter_of(device) for device in sycl.devices("gpu") or [sycl.Device()]]
    if isinstance(devices, int) and not isinstance(devices, bool) and devices > 0:
        return [_filter_of(sycl.Device())] * devices
    if not isinstance(devices, str) and isinstance(devices, Sequence) and devices:
        return [_filter_of(each, here) for each in devices]
    raise InvalidParameterError(
        f"devices: expected a list of Devices or filter strings, a number of workers, or None, got {devices!r}"
    )


def _environment(device: str, workers: int) -> dict[str, str]:
    """Of the worker's process, before the driver is loaded. Pools and teams of threads share the cores."""
    found = {"PYSYCL_DEVICE": device}
    if workers > 1 and "gpu" not in device:
        found["POCL_MAX_PTHREAD_COUNT"] = found["PYSYCL_TEAM"] = str(max((os.cpu_count() or 1) // workers, 1))
    return found


@cache
def _cluster_class() -> Any:
    """A cluster that leaves workers to their nannies: Dask's gives one up that is not back after 15 s, for ever, and a worker
    that loads its driver on a busy machine takes longer."""
    from distributed import SpecCluster

    class DeviceCluster(SpecCluster):  # type: ignore[misc, no-untyped-call, unused-ignore]
        def _update_worker_status(self, op: Any, msg: Any) -> None:
            super(SpecCluster, self)._update_worker_status(op, msg)

    return DeviceCluster


def _cure() -> str | None:
    """Of a script that workers cannot run again."""
    name = getattr(sys.modules["__main__"], "__file__", None)
    if name is None:
        return None
    try:
        text = Path(name).read_text(encoding="utf-8")
    except OSError:
        return f"Each worker runs the script again as it begins, and {name!r} is no file."
    return None if "__name__" in text else f"local_cluster in a script: {_GUARD}."


@_core.entry
def local_cluster(
    devices: Any = None, *, asynchronous: bool = False, dashboard_address: str | None = ":8787", silence_logs: Any = 30,
    scheduler_options: dict[str, Any] | None = None, **worker_options: Any,
) -> Any:  # fmt: skip
    """A Dask cluster on this machine: a process for each device, with one thread, whose default device it is.

    Parameters
    ----------
    devices
        None: all GPUs, or else the default device. A list of Devices or filter strings: a worker for each. A number: so
        many workers that share the default device, and its cores.
    asynchronous
        As for `distributed.SpecCluster`.
    dashboard_address
        Of Dask's dashboard; None: there is none.
    silence_logs, scheduler_options, **worker_options
        As for `distributed.SpecCluster`, `Scheduler` and `Nanny`.

    Returns
    -------
    distributed.SpecCluster
        `cluster.get_client()` gives a client. Each worker has the resource `device` once: in a cluster with other workers
        `dask.annotate(resources={"device": 1})` keeps tasks on those with a device.

    Raises
    ------
    InvalidParameterError
        Something else than devices; or options of `LocalCluster` that say how many processes and threads there are.
    SyclRuntimeError
        A filter string that matches no device here, unless `env=` gives workers other drivers.

    Notes
    -----
    Workers start with the driver loaded, and save the kernel cache, which they share, at their end. In a script it stands
    below `if __name__ == "__main__":`, as whatever starts processes.

    Examples
    --------
    >>> import dask.array as da
    >>> import pysycl.dask as sd
    >>> def work():
    ...     with sd.local_cluster(1, dashboard_address=None) as cluster, cluster.get_client():
    ...         return sd.sum(da.arange(10, chunks=4)).compute()
    """
    try:
        from distributed import Nanny, Scheduler
    except ImportError as error:
        raise ImportError("local_cluster needs Dask: python -m pip install 'pysycl[dask]'") from error

    if getattr(current_process(), "_inheriting", False):  # as multiprocessing itself asks
        raise InvalidError(f"local_cluster: a worker has come here: {_GUARD}")
    for name in ("n_workers", "threads_per_worker", "processes"):
        if name in worker_options:
            raise InvalidParameterError(
                f"{name}: `devices` says how many workers, of one thread each: local_cluster(2)"
            )
    filters = _filters(devices, "PYSYCL_DRIVERS" not in worker_options.get("env", {}))
    workers = {
        number: {
            "cls": Nanny,
            "options": {
                "nthreads": 1,
                "resources": {"device": 1},
                "preload": ["pysycl.dask.worker"],
                "silence_logs": silence_logs,
                **worker_options,
                "env": {**_environment(each, len(filters)), **worker_options.get("env", {})},
            },
        }
        for number, each in enumerate(filters)
    }
    options = {"dashboard": dashboard_address is not None, "dashboard_address": dashboard_address or ":0", "port": 0}
    scheduler = {"cls": Scheduler, "options": {**options, "host": "127.0.0.1", **(scheduler_options or {})}}
    try:
        return _cluster_class()(
            workers=workers, scheduler=scheduler, asynchronous=asynchronous, silence_logs=silence_logs
        )
    except RuntimeError as error:  # Dask's, of workers that have not begun; above it is what each of them says
        if (cure := _cure()) is not None:
            error.add_note(cure)
        raise
