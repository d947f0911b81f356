"""Program and Kernel: OpenCL C text, built for each context when it is first needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn
from weakref import WeakSet

from pysycl import _core
from pysycl._kernels.interned import received, remember
from pysycl._kernels.kernel_info import KernelInfo
from pysycl._runtime.background import Build
from pysycl.errors import InvalidParameterError
from pysycl.selector import select
from pysycl.spec_constant import SpecConstant, SpecConstants, definitions, find

if TYPE_CHECKING:
    from pysycl._kernels.kernel_operators import Operators
    from pysycl.binary_op import Operator
    from pysycl.context import Context
    from pysycl.device import Device
    from pysycl.kernel_bundle import KernelBundle


_registry: WeakSet[Program] = WeakSet()
_registry_lock = RLock()  # a collection while it is held may run code that makes programs


def _literal(name: str, value: object) -> str:
    """The OpenCL C spelling of a constant: the same value, to the last bit."""
    if isinstance(value, str):
        return value
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int):
        suffix = "UL" if value > 2**63 - 1 else "L" if not -(2**31) <= value < 2**31 else ""
        if not -(2**63) <= value < 2**64:
            raise InvalidParameterError(f"constants[{name!r}]: {value} does not fit in 64 bits")
        return f"({value}{suffix})" if value < 0 else f"{value}{suffix}"
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise InvalidParameterError(
                f"constants[{name!r}]: {value} has no OpenCL C literal; pass 'INFINITY' or 'NAN'"
            )
        return f"({value.hex()})" if value < 0 else value.hex()
    raise InvalidParameterError(f"constants[{name!r}]: expected a number or OpenCL C text, got {value!r}")


def build_options(options: str | Sequence[str], constants: Mapping[str, object]) -> str:
    """One string for a compiler. InvalidParameterError: an option or constant cannot be given to one."""
    if not isinstance(options, str | Sequence):
        raise InvalidParameterError(f"options: expected a string or strings, got {options!r}")
    words = [options] if isinstance(options, str) else list(options)
    for word in words:
        if not isinstance(word, str) or "\0" in word:
            raise InvalidParameterError(f"options: expected strings without NUL, got {word!r}")
    if words and words[-1].split()[-1:] in (["-D"], ["-I"]):  # PoCL reads past the end of such options
        raise InvalidParameterError(f"options: {words[-1]!r} ends with an option that lacks its value")
    if not isinstance(constants, Mapping):
        raise InvalidParameterError(f"constants: expected a mapping of names to values, got {constants!r}")
    for name, value in constants.items():
        if not (isinstance(name, str) and name.isidentifier() and name.isascii()):
            raise InvalidParameterError(f"constants: {name!r} is not a name that OpenCL C can define")
        text = _literal(name, value)
        if any(c in text for c in "\"' \t\n\0"):
            raise InvalidParameterError(f"constants[{name!r}]: {text!r} has quotes or spaces, which drivers split")
        words.append(f"-D{name}={text}")
    return " ".join(word for word in words if word)


@_core.bind
class Program(_core.Program):
    """OpenCL C text with any number of kernels: `program.name` is the kernel `name`.

    Parameters
    ----------
    source
        The text.
    options
        Build options, such as "-cl-fast-relaxed-math".
    constants
        Names to define before the text, {"N": 16}: numbers keep their value to the last bit, strings are taken as text.
    spec_constants
        The SpecConstants that the text may name as SPEC(name): a mapping of names, or those that have names.
    operators
        BinaryOps and function objects by the words for them in the text, or BinaryOps that have names of their own:
        `group_reduce(work_group, x, least)` with `operators={"least": BinaryOp("a.key < b.key ? a : b")}`.

    Raises
    ------
    InvalidParameterError
        A kernel is defined twice, an option or constant cannot be given to a compiler, or the text has no use for an
        operator.
    BuildError
        A reducer is declared or used as it cannot be.

    Notes
    -----
    A kernel may have reducers for parameters, `reducer(float, plus) total` or `reducer(uint, plus) bins[]`, and is launched
    with a `reduction` in the place of each.

    Nothing is built until a kernel is submitted (or `build` is called): once per context, by one thread, GIL released.
    A build that fails raises BuildError with the line, a caret and the compiler's log, then and every time after.

    Examples
    --------
    >>> program = sycl.Program("__kernel void scale(__global float *x, float a) { x[get_global_id(0)] *= a; }")
    >>> x = np.arange(4, dtype=np.float32)
    >>> event = queue.parallel_for(x.size, program.scale, x, 10)
    >>> x
    array([ 0., 10., 20., 30.], dtype=float32)
    """

    _operators: dict[str, Operator]
    _given: tuple[SpecConstant, ...]  # alive as long as the program that their values are for

    @_core.entry
    def __new__(
        cls,
        source: str,
        options: str | Sequence[str] = (),
        constants: Mapping[str, object] | None = None,
        spec_constants: SpecConstants = (),
        operators: Operators = (),
    ) -> Program:
        if not isinstance(source, str):
            raise InvalidParameterError(f"source: expected OpenCL C text, got {type(source).__name__}")
        words = build_options(options, constants or {})
        if not isinstance(spec_constants, Mapping):
            spec_constants = tuple(spec_constants)
        if operators:
            self = _with_operators(cls, source, words, definitions(spec_constants), operators)
        elif spec_constants:
            self = _core.program_with(cls, source, words, definitions(spec_constants))
        else:
            self = super().__new__(cls, source, words)
        if spec_constants:
            self._given = tuple(spec_constants.values() if isinstance(spec_constants, Mapping) else spec_constants)
        with _registry_lock:
            _registry.add(self)
        return self

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            kernel = self.kernel(name)
        except InvalidParameterError as error:
            raise AttributeError(str(error), name=name, obj=self) from None
        self.__dict__[name] = kernel
        return kernel

    def kernel(self, name: str) -> Kernel:
        """The kernel of a name, also of one that is a word of Python or an attribute of this class.

        Parameters
        ----------
        name
            The kernel's name.

        Returns
        -------
        Kernel

        Raises
        ------
        InvalidParameterError
            It has no such kernel; the message names one that is close.

        Examples
        --------
        >>> sycl.Program("__kernel void build(__global int *x) { x[0] = 1; }").kernel("build").name
        'build'
        """
        if not isinstance(name, str):
            raise InvalidParameterError(f"name: expected the name of a kernel, got {name!r}")
        kernel: Kernel | None = self._kernel(name)
        if kernel is not None:
            return kernel
        names = self.kernel_names
        from difflib import get_close_matches  # only for the message: importing it takes milliseconds

        close = get_close_matches(name, names, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(names) or 'none'}"
        raise InvalidParameterError(f"the program has no kernel {name!r}: {hint}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.kernel_names})

    @_core.entry
    def build(self, where: Context | Device | str | None = None) -> str:
        """Build now, for a context or a device's own.

        Parameters
        ----------
        where
            The context, or what selects the device whose own context it is. None: the default device.

        Returns
        -------
        str
            What the compiler had to say, warnings and all.

        Raises
        ------
        BuildError
            It fails: with the line, a caret and the compiler's log.

        Examples
        --------
        >>> program = sycl.Program("__kernel void f(__global int *x) { x[0] = 1; }")
        >>> log = program.build(queue.context)
        >>> program.is_built_for(queue.context)
        True
        """
        return self._build(_context_for(self, where))

    @_core.entry
    def build_async(self, where: Context | Device | str | None = None) -> Build[str]:
        """Build on another thread, for a context or a device's own.

        Launches that need the build wait for it; a build that is under way or done is not made again.

        Parameters as for `Program.build`.

        Returns
        -------
        Build
            `wait()` for it, or `await` it: that gives the log.

        Examples
        --------
        >>> program = sycl.Program("__kernel void f(__global int *x) { x[0] = 1; }")
        >>> log = program.build_async(queue.context).wait()
        """
        context = _context_for(self, where)
        return Build(lambda: self._build(context))

    @property
    def spec_constants(self) -> dict[str, SpecConstant]:
        """The specialization constants by the names that the text has for them."""
        found = ((name, find(number)) for name, number, _ in _core.program_constants(self))
        return {name: constant for name, constant in found if constant is not None}

    def is_built_for(self, context: Context) -> bool:
        """True if the program has been built for this context already.

        Parameters
        ----------
        context
            The context.

        Returns
        -------
        bool

        Examples
        --------
        >>> program = sycl.Program("__kernel void f(__global int *x) { x[0] = 1; }")
        >>> program.is_built_for(queue.context)
        False
        """
        return self._is_built(context)

    @property
    def int_ptr(self) -> int:
        """The cl_program in the default device's context, or in its own if it has one (see `native`)."""
        return self.native()

    @_core.entry
    def native(self, where: Context | Device | str | None = None) -> int:
        """The cl_program for a context or a device's own, built if need be.

        Parameters as for `Program.build`.

        Returns
        -------
        int
            Valid as long as the program.

        Raises
        ------
        BuildError
            As for `Program.build`.

        Examples
        --------
        >>> sycl.Program("__kernel void f(__global int *x) { x[0] = 1; }").native(queue.context) != 0
        True
        """
        return self._native(_context_for(self, where))

    @classmethod
    def from_int_ptr(cls, value: int) -> Program:
        """The program around a built cl_program, which is retained.

        Parameters
        ----------
        value
            The cl_program.

        Returns
        -------
        Program

        Raises
        ------
        SyclError
            The value is no program, or one that is not built.

        Examples
        --------
        >>> program = sycl.Program("__kernel void f(__global int *x) { x[0] = 1; }")
        >>> sycl.Program.from_int_ptr(program.int_ptr).kernel_names
        ('f',)
        """
        return cls._from_native(value)

    def __repr__(self) -> str:
        return f"<pysycl.Program with {', '.join(self.kernel_names) or 'no kernels'}>"

    def __reduce__(self) -> tuple[Any, ...]:
        operators = self.__dict__.get("_operators", {})
        if _core.program_origin(self) != ("text", False):
            raise TypeError(f"{self!r} cannot be pickled: only a program of plain text can be made again elsewhere")
        constants = self.spec_constants
        if len(_core.program_constants(self)) > len(operators) + len(constants):
            raise TypeError(f"{self!r} cannot be pickled: nobody holds one of its SpecConstants any more")
        return received, remember(self, self.options, constants, operators)


def _with_operators(
    face: type[Program], source: str, options: str, front: tuple[Any, ...], operators: Operators
) -> Program:
    from pysycl._kernels.kernel_operators import by_words, check_parameters, program_operators

    named = by_words(operators)
    made: Program = _core.program_with(face, source, options, front + program_operators(source, options, named))
    check_parameters(named, ((name, made.kernel(name).parameters) for name in made.kernel_names))
    made._operators = named
    return made


def registered() -> list[Program]:
    """The programs of text that are alive in this process, in no order."""
    with _registry_lock:
        return list(_registry)


class WorkGroupInfo(NamedTuple):
    """One device's limits for one kernel.

    Examples
    --------
    >>> info = sycl.Program("__kernel void f(__global int *x) { x[0] = 1; }").f.work_group_info(queue.device)
    >>> info.compile_work_group_size is None, info.work_group_size > 0
    (True, True)
    """

    work_group_size: int
    """The most work-items that a group may have."""
    preferred_work_group_size_multiple: int
    compile_work_group_size: tuple[int, int, int] | None
    """The local size that the kernel's own text requires, in SYCL's order of dimensions."""
    local_mem_size: int
    private_mem_size: int


@_core.bind
class Kernel(KernelInfo, _core.Kernel):
    """A kernel of a program. It is passed to parallel_for or single_task together with its arguments.

    Notes
    -----
    SYCL 2020, 4.11.14. One that a kernel bundle gave can be launched in queues of the bundle's context only.

    Examples
    --------
    >>> kernel = sycl.Program("__kernel void f(__global int *x) { x[get_global_id(0)] = 7; }").f
    >>> kernel.signature
    'f(__global int *x)'
    >>> x = np.zeros(3, np.int32)
    >>> event = queue.parallel_for(3, kernel, x)
    >>> x
    array([7, 7, 7], dtype=int32)
    """

    __slots__ = ("__weakref__", "_own_bundle")
    _own_bundle: KernelBundle

    @property
    def _bundle(self) -> KernelBundle | None:
        """The kernel bundle that gave it."""
        return getattr(self, "_own_bundle", None)

    @property
    def signature(self) -> str:
        """The kernel's declaration."""
        return f"{self.name}({', '.join(self.parameters)})"

    @_core.entry
    def work_group_info(self, where: Context | Device | str | None = None) -> WorkGroupInfo:
        """The device's limits for the kernel; builds it if need be.

        Parameters
        ----------
        where
            A device, or a context, whose first device counts. None: the kernel's own context.

        Returns
        -------
        WorkGroupInfo

        Raises
        ------
        BuildError
            The program does not build.

        Examples
        --------
        >>> kernel = sycl.Program("__kernel void f(__global int *x) { x[0] = 1; }").f
        >>> kernel.work_group_info(queue.device).work_group_size > 0
        True
        """
        context = self.context if where is None else context_of(where)
        device = where if isinstance(where, _core.Device) else context.devices[0]
        return WorkGroupInfo(*self._limits(context, device))

    @property
    def int_ptr(self) -> int:
        """A cl_kernel in the kernel's context, which no launch uses, valid as long as this object."""
        return self._native(self.context)

    @classmethod
    def from_int_ptr(cls, value: int) -> Kernel:
        """The kernel of the same name in the program that a cl_kernel belongs to.

        Parameters
        ----------
        value
            The cl_kernel.

        Returns
        -------
        Kernel

        Raises
        ------
        SyclError
            The value is no kernel of a driver that pysycl has loaded.

        Examples
        --------
        >>> kernel = sycl.Program("__kernel void f(__global int *x) { x[0] = 1; }").f
        >>> sycl.Kernel.from_int_ptr(kernel.int_ptr).name
        'f'
        """
        return cls._from_native(value)

    def __call__(self, *args: object, **kwargs: object) -> NoReturn:
        raise TypeError(f"a kernel is not called but submitted: queue.parallel_for(range, program.{self.name}, ...)")

    def __reduce__(self) -> tuple[Any, ...]:
        return _kernel_of, (self.program, self.name)

    def __repr__(self) -> str:
        return f"<pysycl.Kernel {self.signature}>"


def _kernel_of(program: Program, name: str) -> Kernel:
    return program.kernel(name)


def _context_for(program: Program, where: Context | Device | str | None) -> Context:
    home = _core.program_home(program) if where is None else None
    return home or context_of(where)


def context_of(where: Context | Device | str | None) -> Context:
    """The context itself, or that of the queues of the device that is given or selected."""
    if isinstance(where, _core.Context):
        return where
    return _core.default_context(select(where))
