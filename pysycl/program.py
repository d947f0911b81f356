"""Program: OpenCL C text, built for each context when it is first needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import RLock
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from pysycl import _core
from pysycl._kernels.build_options import build_options
from pysycl._kernels.interned import received, remember
from pysycl._runtime.background import Build
from pysycl.context import context_of
from pysycl.errors import InvalidParameterError
from pysycl.spec_constant import SpecConstant, SpecConstants, definitions, find

if TYPE_CHECKING:
    from pysycl._kernels.kernel import Kernel
    from pysycl._kernels.kernel_operators import Operators
    from pysycl.binary_op import Operator
    from pysycl.context import Context
    from pysycl.device import Device


_registry: WeakSet[Program] = WeakSet()
_registry_lock = RLock()  # a collection while it is held may run code that makes programs


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


def _context_for(program: Program, where: Context | Device | str | None) -> Context:
    home = _core.program_home(program) if where is None else None
    return home or context_of(where)
