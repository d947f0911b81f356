"""Errors: one exception class per error code, what a code means, and the list that an async handler gets.

The classes below SyclError are made by the core from the same table as its status codes, so none can be missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from pysycl import _core
from pysycl._runtime.error_texts import TEXTS

if TYPE_CHECKING:
    from pysycl.context import Context


class Errc(Enum):
    """SYCL's error codes. The draft's names, and its `_error` spellings, are aliases of the final specification's.

    Examples
    --------
    >>> sycl.make_error_code("build").value is sycl.Errc.build
    True
    >>> sycl.Errc.invalid_object is sycl.Errc.invalid
    True
    """

    success = "success"
    runtime = "runtime"
    kernel = "kernel"
    accessor = "accessor"
    nd_range = "nd_range"
    event = "event"
    kernel_argument = "kernel_argument"
    build = "build"
    invalid = "invalid"
    memory_allocation = "memory_allocation"
    platform = "platform"
    profiling = "profiling"
    feature_not_supported = "feature_not_supported"
    kernel_not_supported = "kernel_not_supported"
    backend_mismatch = "backend_mismatch"

    invalid_parameter = "invalid"
    invalid_object = "invalid"
    compile_program = "build"
    link_program = "build"

    runtime_error = "runtime"
    kernel_error = "kernel"
    accessor_error = "accessor"
    nd_range_error = "nd_range"
    event_error = "event"
    invalid_parameter_error = "invalid"
    invalid_object_error = "invalid"
    build_error = "build"
    compile_program_error = "build"
    link_program_error = "build"
    memory_allocation_error = "memory_allocation"
    platform_error = "platform"
    profiling_error = "profiling"

    @classmethod
    def _missing_(cls, value: object) -> Errc | None:
        """Aliases are found by name too: Errc("invalid_object")."""
        return cls.__members__.get(value) if isinstance(value, str) else None


class ErrorCategory(NamedTuple):
    """Whose numbers an error code's value is.

    Attributes
    ----------
    name
        "sycl" or "opencl".

    Examples
    --------
    >>> sycl.sycl_category().name
    'sycl'
    """

    name: str

    def message(self, value: object) -> str:
        """The words for a value of this category.

        Parameters
        ----------
        value
            A code's value: an Errc, or a number.

        Returns
        -------
        str

        Examples
        --------
        >>> sycl.sycl_category().message(sycl.Errc.build)
        'sycl: build'
        """
        return f"{self.name}: {value.value if isinstance(value, Errc) else value}"


_SYCL = ErrorCategory("sycl")
_OPENCL = ErrorCategory("opencl")


class ErrorCode(NamedTuple):
    """A value and the category that gives it a meaning.

    Attributes
    ----------
    value
        An Errc, or OpenCL's number.
    category
        Whose code it is.

    Examples
    --------
    >>> code = sycl.make_error_code(sycl.Errc.invalid)
    >>> code.category.message(code.value)
    'sycl: invalid'
    """

    value: Errc | int
    category: ErrorCategory


def sycl_category() -> ErrorCategory:
    """The category of SYCL's own codes.

    Returns
    -------
    ErrorCategory

    Examples
    --------
    >>> sycl.sycl_category() == sycl.make_error_code("runtime").category
    True
    """
    return _SYCL


def error_category_for(backend: object) -> ErrorCategory:
    """The category of a backend's codes: for OpenCL, the values are its cl_int codes.

    Parameters
    ----------
    backend
        A Backend or its name: "opencl".

    Returns
    -------
    ErrorCategory

    Raises
    ------
    InvalidParameterError
        Another backend, which has no codes.

    Examples
    --------
    >>> sycl.error_category_for("opencl").message(-5)
    'opencl: -5'
    """
    name = getattr(backend, "value", backend)
    if name != "opencl":
        raise InvalidParameterError(f"backend is {name!r}, but the only backend with error codes is 'opencl'")
    return _OPENCL


def make_error_code(code: Errc | str) -> ErrorCode:
    """The error code for one of SYCL's.

    Parameters
    ----------
    code
        An Errc or its name.

    Returns
    -------
    ErrorCode

    Raises
    ------
    ValueError
        A name that no code has.

    Examples
    --------
    >>> sycl.make_error_code("kernel_argument").value
    <Errc.kernel_argument: 'kernel_argument'>
    """
    return ErrorCode(Errc(code), _SYCL)


make_error_condition = make_error_code


class SyclError(Exception):
    """The base of everything that pysycl raises by itself.

    Parameters
    ----------
    *args
        In any of SYCL's forms: a message; a code (an Errc or its name) and a message; a number, its ErrorCategory and a
        message; each of them optionally behind a leading Context.
    context
        The context that the error belongs to; the same as the leading one.

    Examples
    --------
    >>> try:
    ...     queue.parallel_for(3, "y[i] = nothing;", y=np.zeros(3))
    ... except sycl.SyclError as error:
    ...     print(type(error).__name__, error.code)
    BuildError Errc.build
    """

    _errc: str = "runtime"
    cl_code: int = 0
    """OpenCL's code, 0 when no OpenCL call failed."""
    api: str | None = None
    """The OpenCL entry that failed."""
    build_log: str | None = None
    """The compiler's log, where one is to blame."""
    site: str | None = None
    """file:line that submitted the command that failed."""

    def __init__(self, *args: Any, context: Context | None = None) -> None:
        rest = list(args)
        if rest and isinstance(rest[0], _core.Context):
            context = rest.pop(0)
        code = rest[0] if rest else None
        if isinstance(code, Errc):
            self._errc = rest.pop(0).value
        elif isinstance(code, int) and len(rest) > 1 and isinstance(rest[1], ErrorCategory):
            if rest[1] == _OPENCL:
                self.cl_code = code
            del rest[:2]
        self._context = context
        super().__init__(*rest)

    @property
    def code(self) -> Errc:
        """SYCL's error code."""
        return Errc(self._errc)

    @property
    def error_code(self) -> ErrorCode:
        """The most telling code: OpenCL's own where there is one, else SYCL's."""
        return ErrorCode(self.cl_code, _OPENCL) if self.cl_code else ErrorCode(self.code, _SYCL)

    @property
    def category(self) -> ErrorCategory:
        """The category of `error_code`."""
        return self.error_code.category

    def what(self) -> str:
        """The message; never empty.

        Returns
        -------
        str

        Examples
        --------
        >>> sycl.SyclError(sycl.Errc.invalid, "no such thing").what()
        'no such thing'
        >>> sycl.SyclError(sycl.Errc.invalid).what()
        'pysycl: invalid'
        """
        return str(self) or f"pysycl: {self.code.value}"

    @property
    def has_context(self) -> bool:
        """True if the error belongs to a context."""
        return self._context is not None

    @property
    def context(self) -> Context:
        """The context that the error belongs to. InvalidObjectError: it has none."""
        if self._context is None:
            raise InvalidObjectError("the error belongs to no context")
        return self._context


class SyclWarning(RuntimeWarning):
    """Failures that no caller is there to receive: of destructors, and of commands whose errors nobody fetched.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", sycl.SyclWarning)  # in a test: no failure goes unseen
    ...     queue.wait()
    """


class ExceptionList(tuple[SyclError, ...]):
    """The asynchronous errors that a handler gets, oldest first.

    Examples
    --------
    >>> def show(errors):
    ...     for error in errors:
    ...         print(error)
    >>> sycl.Queue(async_handler=show).throw_asynchronous()  # nothing has failed, so it is not called
    """

    __slots__ = ()

    def size(self) -> int:
        """How many there are.

        Returns
        -------
        int

        Examples
        --------
        >>> sycl.ExceptionList([sycl.SyclError("lost")]).size()
        1
        """
        return len(self)


class AsyncErrorGroup(SyclError, ExceptionGroup[SyclError]):
    """Several asynchronous errors at once, for which there is no handler: for `except SyclError` and for `except*`.

    As a SyclError it has the code, and all that goes with it, of the first of them.

    Parameters
    ----------
    message
        Of the group.
    errors
        One at least, oldest first.

    Examples
    --------
    >>> def first():
    ...     raise ValueError("first")
    >>> def second():
    ...     raise KeyError("second")
    >>> q = sycl.Queue()
    >>> events = [q.host_task(first), q.host_task(second)]
    >>> try:
    ...     q.wait_and_throw()
    ... except sycl.AsyncErrorGroup as group:
    ...     print(len(group.exceptions))
    2
    """

    def __new__(cls, message: str, errors: Sequence[SyclError]) -> AsyncErrorGroup:
        return ExceptionGroup.__new__(cls, message, errors)

    def __init__(self, message: str, errors: Sequence[SyclError]) -> None:
        first = errors[0]
        self._errc, self._context, self.site = first._errc, first._context, first.site
        self.cl_code, self.api, self.build_log = first.cl_code, first.api, first.build_log

    def derive(self, excs: Sequence[SyclError]) -> AsyncErrorGroup:  # type: ignore[override]
        """A group of the same kind for some of its errors: called by `except*`, `split` and `subgroup`.

        Parameters
        ----------
        excs
            The errors.

        Returns
        -------
        AsyncErrorGroup

        Examples
        --------
        >>> group = sycl.AsyncErrorGroup("two", [sycl.SyclError("a"), sycl.ProfilingError("b")])
        >>> group.subgroup(sycl.ProfilingError).exceptions
        (ProfilingError('b'),)
        """
        return AsyncErrorGroup(self.message, list(excs))


_made = _core.make_errors(SyclError, SyclWarning)
for _name, _class in _made.items():
    _class.__doc__ = TEXTS[_name]

if TYPE_CHECKING:

    class SyclRuntimeError(SyclError, RuntimeError): ...

    class KernelError(SyclError, RuntimeError): ...

    class AccessorError(SyclError, ValueError): ...

    class BoundsError(AccessorError, IndexError): ...

    class NdRangeError(SyclError, ValueError): ...

    class EventError(SyclError): ...

    class KernelArgumentError(SyclError, TypeError): ...

    class BuildError(SyclError): ...

    class CompileProgramError(BuildError): ...

    class LinkProgramError(BuildError): ...

    class InvalidError(SyclError, ValueError): ...

    class InvalidParameterError(InvalidError): ...

    class InvalidObjectError(InvalidError): ...

    class MemoryAllocationError(SyclError, MemoryError): ...

    class PlatformError(SyclError): ...

    class ProfilingError(SyclError): ...

    class FeatureNotSupportedError(SyclError): ...

    class KernelNotSupportedError(FeatureNotSupportedError): ...

    class BackendMismatchError(SyclError): ...

    class ForkedProcessError(SyclRuntimeError): ...

    class ClosedError(SyclRuntimeError): ...

else:
    globals().update(_made)
del _name, _class

ERROR_CLASSES = tuple(_made)
"""Names of the classes that the core makes."""
