"""generate: lists of unknown length. One text is run twice: it counts what it appends, a scan of the counts says where
each list begins, and then it appends."""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from pysycl import _core
from pysycl._algorithms.call import Call, Options
from pysycl._algorithms.map_text import check_block, without_comments
from pysycl._algorithms.operand import ARRAY, operand
from pysycl._data.host_memory import element_type, sizes
from pysycl._kernels.scan_text import scan_text
from pysycl._kernels.scanner import scanner
from pysycl._kernels.user_text import MadeText, Part, preamble_with, refuse
from pysycl._scans.scan_line import known_size
from pysycl.errors import InvalidParameterError
from pysycl.operators import plus

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import SupportsIndex

    from pysycl.queue import Queue


_STRING: Final = r'"(?:[^"\\\n]|\\.)*"'
_APPEND: Final = r"\s*\.\s*append\s*\("


class Lists(NamedTuple):
    """A list for each index: that of i is values[offsets[i]:offsets[i + 1]]."""

    offsets: Any
    """One more than lists; the last one is the number of values."""
    values: Any
    """The lists, one behind the other."""

    @_core.entry
    def trim(self) -> Lists:
        """The lists without the memory behind them. Waits for their number, where they are in device memory."""
        made = getattr(self.offsets, "_made", None)
        if made is not None:
            made.wait()
        count = int(np.asarray(self.offsets)[-1])
        return Lists(self.offsets, self.values[: min(count, self.values.shape[0])])


def generate(
    range: SupportsIndex | Iterable[SupportsIndex], text: str, *, capacity: int | dict[str, int] | None = None,
    preamble: str | None = None, queue: Queue | None = None, **arguments: Any,
) -> Any:  # fmt: skip
    """Lists of unknown length, one for each index, in the order of the indices.

    Parameters
    ----------
    range
        The indices: how many, or a tuple of up to three sizes.
    text
        OpenCL C of one work-item, as a body of `parallel_for`, that appends to lists: `pairs.append(value)`. It is run
        twice, first to count, and must append the same each time: so it may not write to memory.
    capacity
        For how many values there is memory where arguments are in device memory: an int, or a dict by list. Lists that
        do not fit are left out as a whole, and offsets[-1] says how many values there would be.
    preamble
        OpenCL C in front of the kernel.
    queue
        Where it runs. None: the default device.
    **arguments
        Each list by the dtype of its values, `pairs="i4"`; the others are the text's, as a body's.

    Returns
    -------
    Lists
        `offsets` and `values`; of several lists a dict of these by name. NumPy arrays, but where arguments are Buffers or
        UsmArrays: then memory as these, for `capacity` values, and `trim()` waits and cuts.

    Raises
    ------
    InvalidParameterError
        No list among the arguments, a list that the text does not name, or no capacity where one is needed.

    Notes
    -----
    Beyond SYCL; made of `parallel_scan`.

    Examples
    --------
    >>> sycl.generate(4, "for (int j = 0; j < i; j++) below.append(j);", below="i4")
    Lists(offsets=array([0, 0, 1, 3, 6]), values=array([0, 0, 1, 0, 1, 2], dtype=int32))
    """
    if not isinstance(text, str):
        raise InvalidParameterError(f"text: expected OpenCL C, got {text!r}")
    check_block(text, "text")
    shape = sizes(range, "range")
    lists = {name: value for name, value in arguments.items() if _is_type(value)}
    kinds = {name: _value_type(name, value, text) for name, value in lists.items()}
    if not kinds:
        raise InvalidParameterError("the arguments: expected a list among them, as pairs='i4'")
    others = {name: value for name, value in arguments.items() if name not in lists}
    for name in kinds:
        taken = [f"{name}_{what}" for what in ("offsets", "values", "count") if f"{name}_{what}" in arguments]
        if taken:
            raise InvalidParameterError(f"{taken[0]}: a name that the list {name} needs; choose another one")
    call = _call_of(others, queue)
    number = prod(shape)
    offsets = {name: call.like((number + 1,), np.dtype(np.int64)) for name in kinds}
    if number:
        _count(
            call, shape, text, preamble, others, offsets, [name for name, kind in kinds.items() if kind.names is None]
        )
    else:
        for each in offsets.values():
            call.fill(each, np.int64(0))
    values = {name: call.like((_room(call, name, offsets[name], capacity),), kind) for name, kind in kinds.items()}
    if number and any(each.shape[0] for each in values.values()):
        _append(call, shape, text, preamble, others, offsets, values)
    call.ended(*offsets.values(), *values.values())
    found = {name: Lists(offsets[name], values[name]) for name in kinds}
    return found if len(found) > 1 else next(iter(found.values()))


# -- what is asked --


def _is_type(value: Any) -> bool:
    return isinstance(value, str | type | list | np.dtype)  # a body takes no list as an argument


def _is_of_structs(value: Any) -> bool:
    return getattr(getattr(value, "dtype", None), "names", None) is not None


def _value_type(name: str, value: Any, text: str) -> np.dtype[Any]:
    try:
        kind = element_type(np.dtype(value), name)
    except TypeError as error:
        raise InvalidParameterError(f"{name}: {error}") from None
    if kind.kind == "b" or kind.str[1:] == "f2":
        raise InvalidParameterError(f"{name}: lists of {kind} are not there; make it uint8, or float32")
    _check_uses(name, text)
    return kind


def _check_uses(name: str, text: str) -> None:
    """InvalidParameterError: the list is asked for something else than to take one value, or for nothing."""
    plain = without_comments(text)
    uses = [use for use in re.finditer(rf"{_STRING}|(?<![\w.])(?<!->){name}\b({_APPEND})?", plain) if use[0][0] != '"']
    if not uses:
        raise InvalidParameterError(f"{name}: the text appends nothing to it: {name}.append(value)")
    for use in uses:
        if not use[1]:
            raise refuse("text", text, use.start(), f"the list {name} has {name}.append(value), and nothing else")
        at = _second_value(plain, use.end())
        if at is not None:
            raise refuse("text", text, at, f"{name}.append(value) takes one value")


def _second_value(plain: str, at: int) -> int | None:
    """Behind an opened bracket: the comma that ends the first value; or the bracket that closes, where there is none."""
    depth, begin = 0, at
    while depth > 0 or plain[at] not in ",)":
        depth += (plain[at] in "([{") - (plain[at] in ")]}")
        at += 1
    return at if plain[at] == "," or not plain[begin:at].strip() else None


def _call_of(arguments: dict[str, Any], queue: Any) -> Call:
    """The call: its results are memory like the first argument that is device memory."""
    for name, value in arguments.items():
        if isinstance(value, _core.Buffer | _core.UsmArray):
            return Call(operand(value, name), Options(queue=queue), ())
    return Call(operand(np.empty(0), ""), Options(queue=queue), ())


def _room(call: Call, name: str, offsets: Any, capacity: Any) -> int:
    """For how many values there is to be memory."""
    found = capacity.get(name) if isinstance(capacity, dict) else capacity
    if found is not None:
        return known_size(found, "capacity")
    if call.x.kind != ARRAY:
        of = f", and that of the list {name} is not" if isinstance(capacity, dict) else ""
        raise InvalidParameterError(
            "capacity: where arguments are device memory it must be said, since nobody waits for the number of values"
            + of
        )
    return int(offsets[-1])


# -- the two passes --


def _ids(shape: tuple[int, ...]) -> list[str]:
    return ["i"] if len(shape) == 1 else [f"i{d}" for d, _ in enumerate(shape)]


def _text_of(
    begin: str, text: str, end: str, names: Iterable[str], appends: Iterable[str], written: str, parts: tuple[Part, ...]
) -> MadeText:  # fmt: skip
    """The user's text as a block, and the names that it may say. What appends to the lists is `written` anew, in as many
    characters, so that errors are told where they are. `parts`: of the preamble."""
    made = text
    for name in appends:
        made = re.sub(rf"\b{name}(\s*)\.(\s*)append(\s*)\(", written.format(name) + r"\1\2\3(", made)
    types = " ".join(f"{name}_values_t {name}_t {name}_list {name}" for name in appends)
    user = Part("body", 3, "text", text, ", ".join(names), types)
    return MadeText(f"{begin}\n{{\n{made}\n}}\n{end}", (user, *parts), ("generate", tuple(names)))


def _count(
    call: Call, shape: tuple[int, ...], text: str, preamble: str | None, arguments: dict[str, Any],
    offsets: dict[str, Any], numbers: Iterable[str],
) -> None:  # fmt: skip
    """`numbers`: the lists whose values are computed here, too, as those of structs cannot be, whose type is not there
    yet: what a value does besides, and which elements it surely takes, must be known from the first."""
    whole = np.dtype(np.int64)
    begin = " ".join(f"struct {name}_list {{ uint at; }} {name} = {{ 0 }};" for name in offsets)
    counted = " ".join(f"{name}_count.combine((long){name}.at);" for name in offsets)
    structs = [f"{name}_t" for name, value in arguments.items() if _is_of_structs(value)]
    made, parts = preamble_with({}, preamble, structs)
    first = _text_of(begin, text, counted, [*offsets, *arguments, *_ids(shape)], numbers, "{0}.at++, ", parts)
    last = prod(shape) - 1
    second = " ".join(
        f"{name}_offsets[i] = {name}_count.before; if (i == last_index) {name}_offsets[i + 1] = {name}_count;"
        for name in offsets
    )
    own = {f"{name}_offsets": each for name, each in offsets.items()}
    counts = {f"{name}_count": scanner(plus, whole) for name in offsets}
    numbers = {"last_index": np.int64(last), "preamble": f"{made or ''}\n#define append(...) at++"}
    call.run(shape, scan_text(shape, first, MadeText(second)), {**arguments, **own, **counts, **numbers})


def _append(
    call: Call, shape: tuple[int, ...], text: str, preamble: str | None, arguments: dict[str, Any],
    offsets: dict[str, Any], values: dict[str, Any],
) -> None:  # fmt: skip
    begin = " ".join(
        f"struct {name}_list {{ __typeof__({name}_values + 0) at; }} {name} = {{ {name}_values + {name}_offsets[i] }};"
        for name in values
    )
    fits = " && ".join(f"{name}_offsets[i + 1] <= {name}_room" for name in values)
    own: dict[str, Any] = {}
    made, parts = preamble_with({}, preamble, [])
    for name, each in values.items():
        own |= {f"{name}_offsets": offsets[name], f"{name}_values": each, f"{name}_room": np.int64(each.shape[0])}
        made = f"{made or ''}\ntypedef {name}_values_t {name}_t;" if _is_of_structs(each) else made
    body = _text_of(
        f"if ({fits}) {{ {begin}", text, "}", [*offsets, *arguments, *_ids(shape)], values, "*{0}.at++=", parts
    )
    call.run(shape, body, {**arguments, **own, **({"preamble": made} if made else {})})
