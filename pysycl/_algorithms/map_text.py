"""map=: an expression of the user's in `x`, an element, of which the value is taken in its place."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

import numpy as np

from pysycl._algorithms.kinds import accumulated, cast, truth
from pysycl._algorithms.operand import c_type, user_type
from pysycl._kernels.user_text import Part, misplaced, refuse
from pysycl.errors import InvalidParameterError

# Of one to three numbers of one type, and without effects.
_FUNCTIONS: Final = re.compile(
    "a?(cos|sin|tan)h?|atan2|cbrt|ceil|clamp|copysign|erfc?|exp(10|2|m1)?|fabs|fdim|floor|fma|fmax|fmin|hypot|lgamma|"
    "log(10|1p|2)?|mad|max|min|mix|powr?|rint|round|rsqrt|sign|sqrt|tgamma|trunc"
)
_TOKEN: Final = re.compile(
    r"\s+|(?P<number>\d+\.?\d*(?:[eE][-+]?\d+)?[fF]?|\.\d+[fF]?)|(?P<call>[a-z]\w*(?=\s*\())|(?P<x>x\b)"
    r"|[-+*?:,()]|/(?![/*])|[<>=!]=|[<>](?![<>])|&&|\|\||!"
)


# What a map cannot have; a comment within it ends before it does.
_REFUSED: Final = {
    ";": "{} is one expression, without statements",
    "#": "{} has no directives",
    "\\": "{} has no backslashes",
    "\0": "a NUL character stands in it",
}
_COMMENT: Final = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def without_comments(text: str) -> str:
    """The text with blanks in place of comments: what stands where stays."""
    return _COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), text)


def check_map(expression: str, what: str = "map") -> None:
    """InvalidParameterError: more or less than an expression, which would reach beyond the place that it is put into."""
    plain = without_comments(expression)
    which = "an order" if what == "by" else f"a{'n' if what[0] in 'aeio' else ''} {what}"
    found = misplaced(plain, {sign: why.format(which) for sign, why in _REFUSED.items()})
    if found is None and "/*" in plain:
        found = plain.index("/*"), "a comment is never closed"
    if found is not None:
        raise refuse(what, expression, *found)


def check_block(text: str, what: str) -> None:
    """The same for statements, which may end in a comment."""
    found = misplaced(without_comments(text), {"\0": _REFUSED["\0"]})
    if found is not None:
        raise refuse(what, text, *found)


def _inlined(expression: str, dtype: Any, result: Any) -> str | None:
    """The expression of an element {x} itself, of one floating type, where that can be nothing but arithmetic: a body
    that needs no function of the user's may be done as vectors (csrc/body/read/can_pack.c). None: it takes the function."""
    if dtype != result or dtype.str[1:] not in ("f4", "f8"):
        return None
    words: list[str] = []
    at = depth = 0
    while at < len(expression):
        token = _TOKEN.match(expression, at)
        if token is None or (token["call"] and not _FUNCTIONS.fullmatch(token["call"])):
            return None
        word = token[0]
        depth += (word == "(") - (word == ")")
        if depth < 0 or (word in "+-" and words[-1:] == [word]):
            return None
        words.append("{x}" if token["x"] else word)
        at = token.end()
    return f"({c_type(result)})(\n{''.join(words)}\n)" if depth == 0 and words else None


def _mapped(expression: str, name: str, dtype: Any, result: Any) -> str:
    """A function for the user's expression, which sees nothing but the element."""
    # On a line of its own: an error shows that line, and a comment in it ends there. Without brackets around, an error
    # of its type is at the expression.
    if "c" not in dtype.kind + result.kind:
        return f"static inline {c_type(result)} map_{name}(const {c_type(dtype)} {name}) {{ return\n{expression}\n; }}"
    plain, given = c_type(result), c_type(dtype)
    own, value = user_type(result), f"{user_type(dtype)}({name}.x, {name}.y)" if dtype.kind == "c" else name
    convert = f"convert_{own}" if result.kind == "c" else ""
    parts = f"({plain})(y.re, y.im)" if result.kind == "c" else "y"
    # Behind a variable: a call around the expression would be named by what compilers say of it.
    return (
        f"static inline {own} map_of_{name}(const {user_type(dtype)} {name}) "
        f"{{ const __auto_type y =\n{expression}\n; return {convert}(y); }}\n"
        f"static inline {plain} map_{name}(const {given} {name}) "
        f"{{ const {own} y = map_of_{name}({value}); return {parts}; }}"
    )


def parts_of_map(
    expression: str | None, what: str, statement: str, lines: int, preamble: str | None
) -> tuple[Part, ...]:
    """Where the map, or the condition, stands: in the preamble, or in a statement behind so many lines as often as there is
    an element."""
    if expression is None:
        return ()
    if preamble is not None:
        # What structs are combined into; compilers may say the type of a scan's result y, which is the same.
        combined = re.search(r"typedef (\w+) T;", preamble.split("\n", 1)[0])
        knows, types = ("x and T", f"{combined[1]} T y_t T") if combined else ("x", "")
        return (Part("preamble", 2, what, expression, knows, types),)
    inline = re.sub(r"(?<!\w)x\b", "{x}", expression)
    found = re.finditer(re.escape(f"(\n{inline}\n)"), statement)
    return tuple(Part("body", lines + statement.count("\n", 0, at.start()) + 2, what, expression, "x") for at in found)


def text_of_map(map: Any) -> str:
    """The map, if it is a text."""
    if not isinstance(map, str) or not map.strip():
        raise InvalidParameterError(f"map: expected OpenCL C in x, got {map!r}")
    return map


def element_of(map: Any, given: np.dtype[Any], to: np.dtype[Any]) -> tuple[str, str | None]:
    """The expression of an element as another type, and the function for that if there is a map."""
    if map is None:
        return cast("{x}", given, to), None
    return _mapped_element(text_of_map(map), given, to)


@lru_cache(256)
def _mapped_element(map: str, given: np.dtype[Any], to: np.dtype[Any]) -> tuple[str, str | None]:
    acc = accumulated(to)
    check_map(map)
    plain = _inlined(map, given, acc)
    if plain is not None and to.kind != "b":
        return plain, None
    return cast("map_x({x})", acc, to) if to.kind == "b" else "map_x({x})", _mapped(map, "x", given, acc)


def truth_of(map: Any, given: np.dtype[Any]) -> tuple[str, str | None]:
    """Whether an element, or the map of it, is something."""
    if map is None:
        return cast("{x}", given, np.dtype(np.bool_)), None
    element, preamble = element_of(map, given, accumulated(given))
    return f"(uchar)({truth(element, given)})", preamble


def condition_of(text: str, given: np.dtype[Any]) -> tuple[str, str]:
    """Whether an element fulfils a condition of the user's in `x`, and the function for that."""
    check_map(text, "condition")
    kind = "x_t" if given.names is not None else user_type(given)
    value = f"{kind}({{x}}.x, {{x}}.y)" if given.kind == "c" else "{x}"
    return f"map_x({value})", f"static inline uchar map_x(const {kind} x) {{ return (\n{text}\n) ? 1 : 0; }}"


def struct_of(map: str | None, given: np.dtype[Any], track: str = "r0") -> tuple[str, str | None]:
    """The same of an element as a struct: the map may name that T. `track`: what elements are combined into."""
    if map is None:
        return "{x}", None
    check_map(map)
    kind = "x_t" if given.names is not None else user_type(given)
    value = f"{kind}({{x}}.x, {{x}}.y)" if given.kind == "c" else "{x}"
    return f"map_x({value})", (
        f"static inline {track}_t map_x(const {kind} x) {{ typedef {track}_t T; const T mapped =\n{map}\n; return mapped; }}"
    )


def whole_of(map: Any, given: np.dtype[Any], to: np.dtype[Any], track: str = "r0") -> tuple[str, str | None]:
    """The same for an operator of the user's: structs, and complex numbers that are no vectors of their parts."""
    if to.names is not None:
        return struct_of(map, given, track)
    element, preamble = element_of(map, given, to)
    if to.kind != "c":
        return element, preamble
    own = user_type(to)
    whole = f"static inline {own} whole(const {c_type(to)} v) {{ return {own}(v.x, v.y); }}"
    return f"whole({element})", f"{preamble or ''}\n{whole}"
