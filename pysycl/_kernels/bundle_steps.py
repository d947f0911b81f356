"""From state to state: what builds, compiles, links and joins kernel bundles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pysycl import _core
from pysycl._kernels.build_options import build_options
from pysycl._kernels.device_image import BundleState
from pysycl._runtime.background import Build
from pysycl.errors import (
    BuildError,
    CompileProgramError,
    InvalidError,
    InvalidObjectError,
    InvalidParameterError,
    LinkProgramError,
    SyclError,
)
from pysycl.kernel_bundle import KernelBundle, make_bundle
from pysycl.program import Program


def _check(what: str, bundles: object, state: BundleState) -> list[KernelBundle]:
    """The bundles of one state, context and set of devices that a function was given."""
    if isinstance(bundles, KernelBundle):
        bundles = [bundles]
    if not isinstance(bundles, Iterable):
        raise InvalidParameterError(f"{what}: expected kernel bundles, got {bundles!r}")
    several = list(bundles)
    if not several:
        raise InvalidObjectError(f"{what}: expected at least one kernel bundle, got none")
    for each in several:
        if not isinstance(each, KernelBundle):
            raise InvalidParameterError(f"{what}: expected kernel bundles, got {each!r}")
        if each._state is not state:
            raise InvalidError(
                f"{what}: expected kernel bundles in the state {state.value}, got one in {each._state.value}"
            )
        if each._context != several[0]._context or set(each._devices) != set(several[0]._devices):
            raise InvalidObjectError(f"{what}: the kernel bundles are of different contexts or devices")
    return several


def _check_aspect(bundle: KernelBundle, aspect: str, error: type[SyclError], what: str) -> None:
    if bundle._devices and not any(device.has(aspect) for device in bundle._devices):
        raise error(
            f"{what}: no device of the kernel bundle has the aspect {aspect}, {bundle._devices[0].name!r} for one"
        )


def _check_kernels(bundle: KernelBundle, programs: Iterable[Program]) -> None:
    """Before a compiler sees them, which would say less clearly that a device lacks something, or not at all."""
    for program in programs:
        for name in program.kernel_names:
            for device in bundle._devices:
                _core.kernel_check(program.kernel(name), device)


def build(bundle: KernelBundle) -> KernelBundle:
    """The executable bundle of one in the state input. SYCL 2020, 4.11.11.

    Parameters
    ----------
    bundle
        A bundle in the state input.

    Returns
    -------
    KernelBundle
        In the state executable.

    Raises
    ------
    BuildError
        A program does not build: with the user's line, a caret, and the log in `build_log`; or there is no compiler.
    KernelNotSupportedError
        A kernel uses double or half, or sub-groups of a size, which a device lacks.
    InvalidError
        The bundle is in another state.

    Examples
    --------
    >>> bundle = sycl.build(sycl.KernelBundle("__kernel void f(__global int *x) { x[0] = 7; }", queue.context))
    >>> y = np.zeros(1, np.int32)
    >>> event = queue.single_task(bundle.get_kernel("f"), y)
    >>> y
    array([7], dtype=int32)
    """
    one = _check("build", bundle, BundleState.input)[0]
    programs = one._variants()
    if any(_core.program_origin(program)[0] == "text" for program in programs):
        _check_aspect(one, "online_compiler", BuildError, "build")
    _check_kernels(one, programs)
    programs = [_executable(program) for program in programs]
    for program in programs:
        program._build(one._context)
    return _derive([one], BundleState.executable, programs)


def _executable(program: Program) -> Program:
    """A binary may be that of a compiled object, which only needs linking."""
    return _core.program_link((program,), "") if _core.program_origin(program)[1] else program


def _derive(bundles: Sequence[KernelBundle], state: BundleState, programs: Iterable[Program]) -> KernelBundle:
    """A bundle made from others: with their constants and values, of which those of the first one count."""
    made = make_bundle(state, bundles[0]._context, bundles[0]._devices, programs)
    for bundle in bundles:
        made._constants = {**bundle._constants, **made._constants}
        made._values = {**bundle._values, **made._values}
    return made


def build_async(bundle: KernelBundle) -> Build[KernelBundle]:
    """As `build`, on another thread: `wait()` or `await` what is returned for the bundle.

    Parameters as for `build`.

    Returns
    -------
    Build
        Of the bundle; what `build` raises is raised by `wait()`.

    Examples
    --------
    >>> work = sycl.build_async(sycl.KernelBundle("__kernel void f(__global int *x) { x[0] = 7; }", queue.context))
    >>> work.wait().kernel_names
    ['f']
    """
    return Build(lambda: build(bundle))


def compile(bundle: KernelBundle) -> KernelBundle:
    """The bundle in the state object of one in the state input, to be linked. SYCL 2020, 4.11.11.

    Parameters
    ----------
    bundle
        A bundle in the state input.

    Returns
    -------
    KernelBundle
        In the state object.

    Raises
    ------
    CompileProgramError
        A program does not compile, is of no text, or there is no compiler.
    KernelNotSupportedError
        A kernel uses double or half, or sub-groups of a size, which a device lacks.
    InvalidError
        The bundle is in another state.

    Examples
    --------
    >>> text = "int next(int x) { return x + 1; } __kernel void f(__global int *x) { x[0] = next(x[0]); }"
    >>> sycl.compile(sycl.KernelBundle(text, queue.context)).state
    <BundleState.object: 'object'>
    """
    one = _check("compile", bundle, BundleState.input)[0]
    _check_aspect(one, "online_compiler", CompileProgramError, "compile")
    programs = one._variants()
    _check_kernels(one, programs)
    objects = []
    for program in programs:
        if not _core.program_origin(program)[1]:  # the binary of a compiled object is one already
            program = _core.program_object(program)
            program._build(one._context)
        objects.append(program)
    return _derive([one], BundleState.object, objects)


def _renamed(program: Program, names: Iterable[str]) -> Program | None:
    """The compiled program with other names for some of its kernels, which another program has as well. None: a binary,
    all of whose kernels others have."""
    if _core.program_origin(program)[0] != "text":
        return program if set(program.kernel_names) - set(names) else None
    options = " ".join([program.options, *(f"-D{name}=syc_other_{name}" for name in names)])
    constants = _core.program_constants(program)
    return _core.program_object(_core.program_with(Program, program.source, options.strip(), constants))


def _same_text(program: Program) -> object:
    if _core.program_origin(program)[0] != "text":
        return program
    return program.source, program.options, _core.program_constants(program)


def _distinct(programs: Iterable[Program]) -> list[Program]:
    """Of several kernels of one name the first one stays, as that is how SYCL has it."""
    found: list[Program] = []
    seen: set[str] = set()
    for program in {_same_text(each): each for each in reversed(list(programs))}.values():
        found.insert(0, program)
    kept = []
    for program in found:
        twice = [name for name in program.kernel_names if name in seen]
        single = _renamed(program, twice) if twice else program
        seen.update(program.kernel_names)
        if single is not None:
            kept.append(single)
    return kept


def link(bundles: KernelBundle | Iterable[KernelBundle], options: str | Sequence[str] = ()) -> KernelBundle:
    """The executable bundle linked of one or more in the state object: functions of one are found from the others.

    Of several kernels of one name the first one stays. SYCL 2020, 4.11.11.

    Parameters
    ----------
    bundles
        Bundles in the state object, of one context and the same devices; or one.
    options
        For the linker.

    Returns
    -------
    KernelBundle
        In the state executable.

    Raises
    ------
    LinkProgramError
        A function is missing or there twice, or there is no linker.
    InvalidObjectError
        There are no bundles, or they are of different contexts or devices.
    InvalidError
        A bundle is in another state.

    Examples
    --------
    >>> user = sycl.KernelBundle("int next(int x); __kernel void f(__global int *x) { x[0] = next(x[0]); }", queue.context)
    >>> library = sycl.KernelBundle("int next(int x) { return x + 1; }", queue.context)
    >>> sycl.link([sycl.compile(user), sycl.compile(library)]).kernel_names
    ['f']
    """
    several = _check("link", bundles, BundleState.object)
    _check_aspect(several[0], "online_linker", LinkProgramError, "link")
    parts = _distinct(program for bundle in several for program in bundle._programs)
    linked = [_core.program_link(tuple(parts), build_options(options, {}))] if parts else []
    for program in linked:
        program._build(several[0]._context)
    return _derive(several, BundleState.executable, linked)


def join(bundles: Iterable[KernelBundle]) -> KernelBundle:
    """One bundle with the kernels of several of the same state. Of several kernels of one name the first one counts.

    Parameters
    ----------
    bundles
        Bundles of one state and context, and for the same devices.

    Returns
    -------
    KernelBundle
        In that state.

    Raises
    ------
    InvalidObjectError
        There are no bundles, or they are of different contexts or devices.
    InvalidError
        They are in different states.

    Notes
    -----
    SYCL 2020, 4.11.11.

    Examples
    --------
    >>> one = sycl.KernelBundle("__kernel void f(__global int *x) { x[0] = 1; }", queue.context)
    >>> other = sycl.KernelBundle("__kernel void g(__global int *x) { x[0] = 2; }", queue.context)
    >>> sycl.join([one, other]).kernel_names
    ['f', 'g']
    """
    several = list(bundles)
    state = several[0]._state if several and isinstance(several[0], KernelBundle) else BundleState.input
    several = _check("join", several, state)
    return _derive(several, state, [program for bundle in several for program in bundle._programs])
