"""Options of a build, and constants as options, as one string."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pysycl.errors import InvalidParameterError


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
