"""Programs that came as pickles: equal ones are one object while it lives, or is among the latest. As the argument of many
tasks a program is built once in each process, not once in each task."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakValueDictionary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pysycl.binary_op import Operator
    from pysycl.program import Program
    from pysycl.spec_constant import SpecConstant

_MOST_KEPT: Final = 64

_alive: Final[WeakValueDictionary[Any, Program]] = WeakValueDictionary()
_latest: Final[OrderedDict[Any, Program]] = OrderedDict()
_lock: Final = Lock()


def remember(
    program: Program, options: str, constants: Mapping[str, SpecConstant], operators: Mapping[str, Operator]
) -> tuple[Any, ...]:
    """The program is the one that its pickles stand for in this process, if there is none yet: what makes it again."""
    arguments = type(program), program.source, options, dict(constants), dict(operators)
    with _lock:
        _alive.setdefault(_key(*arguments), program)
    return arguments


def received(
    face: type[Program], source: str, options: str, constants: dict[str, SpecConstant], operators: dict[str, Operator]
) -> Program:
    """The program that a pickle stands for."""
    key = _key(face, source, options, constants, operators)
    with _lock:
        found = _alive.get(key)
    if found is None:
        found = face(source, options, None, constants, operators)
    with _lock:
        found = _alive.setdefault(key, found)
        _latest[key] = found
        _latest.move_to_end(key)
        dropped = _latest.popitem(last=False)[1] if len(_latest) > _MOST_KEPT else None
    del dropped  # without the lock: its end may run anything
    return found


def _key(*arguments: Any) -> tuple[Any, ...]:
    face, source, options, constants, operators = arguments
    return face, source, options, frozenset(constants.items()), frozenset(operators.items())
