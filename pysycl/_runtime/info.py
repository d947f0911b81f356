"""Info descriptors: one row of a class body is a property of the object, and what `get_info` looks up by name."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, Generic, NoReturn, TypeVar, overload

from pysycl import _core
from pysycl.enums import Backend
from pysycl.errors import BackendMismatchError, InvalidParameterError

T = TypeVar("T")


class Info(Generic[T]):
    """An info descriptor: how to read it from its object, and what it means."""

    def __init__(self, read: Callable[[Any], T], doc: str) -> None:
        self.read = _core.entry(read) if isinstance(read, FunctionType) else read
        self.name = ""
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, obj: None, owner: type) -> Info[T]: ...
    @overload
    def __get__(self, obj: object, owner: type) -> T: ...
    def __get__(self, obj: object | None, owner: type) -> Info[T] | T:
        return self if obj is None else self.read(obj)

    def __set__(self, obj: object, value: Any) -> NoReturn:
        raise AttributeError(f"{self.name} is a fact about the {type(obj).__name__} and cannot be set")

    def __repr__(self) -> str:
        return f"<pysycl info descriptor {self.name}>"


class BackendInfo(Generic[T]):
    """A descriptor that only objects of one backend have: what `get_backend_info` takes. See pysycl.opencl."""

    def __init__(self, backend: Backend, owner: type, read: Callable[[Any], T], doc: str) -> None:
        self.backend, self.owner, self.read = backend, owner, read
        self.__doc__ = doc


class HasInfo:
    """The part of SYCL's information interface that all its classes share."""

    __slots__ = ()

    @classmethod
    def info_names(cls) -> list[str]:
        """The names of all info descriptors, in the order of their tables.

        Returns
        -------
        list[str]

        Examples
        --------
        >>> "max_compute_units" in sycl.Device.info_names()
        True
        """
        return [name for base in reversed(cls.__mro__) for name, row in vars(base).items() if isinstance(row, Info)]

    @overload
    def get_info(self, param: str) -> Any: ...
    @overload
    def get_info(self, param: Info[T]) -> T: ...
    @_core.entry
    def get_info(self, param: str | Info[T]) -> Any:
        """The value of a descriptor, given by name or as `Class.descriptor`. SYCL 2020, 4.5.1.

        Parameters
        ----------
        param
            A descriptor, as `Device.max_compute_units`, or its name.

        Returns
        -------
        object
            Of the descriptor's type.

        Raises
        ------
        InvalidParameterError
            There is no such descriptor; the message names one that is close.

        Examples
        --------
        >>> queue.device.get_info("name") == queue.device.get_info(sycl.Device.name) == queue.device.name
        True
        """
        name = param.name if isinstance(param, Info) else param
        row = getattr(type(self), name, None) if isinstance(name, str) else None
        if not isinstance(row, Info) or (isinstance(param, Info) and row is not param):
            self._refuse(param)
        return row.read(self)

    def get_backend_info(self, param: BackendInfo[T]) -> T:
        """The value of a descriptor that only this object's backend has. SYCL 2020, 4.5.1.

        Parameters
        ----------
        param
            A descriptor of `pysycl.opencl`.

        Returns
        -------
        object
            Of the descriptor's type.

        Raises
        ------
        BackendMismatchError
            A descriptor of another backend.
        InvalidParameterError
            A descriptor of other objects.

        Examples
        --------
        >>> queue.device.get_backend_info(sycl.opencl.device_version).startswith("OpenCL")
        True
        """
        if not isinstance(param, BackendInfo):
            raise TypeError(f"param must be a BackendInfo such as those in pysycl.opencl, not {type(param).__name__}")
        if param.backend is not Backend.opencl:
            raise BackendMismatchError(f"param is of the backend {param.backend.value}; this object's is opencl")
        if not isinstance(self, param.owner):
            raise InvalidParameterError(f"param is for {param.owner.__name__} objects, not for a {type(self).__name__}")
        return param.read(self)

    def _refuse(self, param: object) -> NoReturn:
        names = self.info_names()
        if isinstance(param, str):
            from difflib import get_close_matches  # only for the message: importing it takes milliseconds

            close = get_close_matches(param, names, 1)
            hint = f"did you mean {close[0]!r}?" if close else "info_names() lists them"
            raise InvalidParameterError(f"{type(self).__name__} has no info descriptor {param!r}: {hint}")
        raise InvalidParameterError(
            f"{param!r} is no info descriptor of {type(self).__name__}: info_names() lists them"
        )
