"""SYCL's functions of numbers, on the host by the names that kernels have them by: `pysycl.math.clamp`, `cospi`, `dot`.

They take Python's numbers, NumPy arrays (also of vecs, `numpy.zeros(n, sycl.float4)`, but for the geometric functions, any, all
and the selects), Vec and Marray, and give the same. Numbers and arrays follow NumPy's rules for types;
beside a Vec or an Marray a number takes its element type. What SYCL returns through a pointer is a second result:
`sine, cosine = sincos(x)`. half and float are computed in double and rounded once, so that the results are at least as near
as OpenCL demands of a device.

`native` and `half_precision` hold SYCL's functions of these namespaces.

Notes
-----
SYCL 2020, 4.17.5 to 4.17.9. Where a device may do as it likes, the host is of one mind: clamp, min and max with a NaN
follow the comparisons of their definition.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from pysycl._math.geometric_functions import GEOMETRIC
from pysycl._math.host_function import make
from pysycl._math.integer_functions import COMMON, INTEGER
from pysycl._math.math_functions import LOOSE, MATH
from pysycl._math.relational_functions import RELATIONAL, TESTS

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{row.name: make(row) for row in (*MATH, *INTEGER, *COMMON, *TESTS)},
    **GEOMETRIC,
    **RELATIONAL,
}
"""All by name."""
native: Any = SimpleNamespace(**{row.name: make(row) for row in LOOSE})
"""Functions of any accuracy; on the host they are as accurate as the others."""
half_precision: Any = SimpleNamespace(**vars(native))
"""Functions of some 10 bits' accuracy; on the host they are as accurate as the others."""


def __getattr__(name: str) -> Callable[..., Any]:
    try:
        return FUNCTIONS[name]
    except KeyError:
        raise AttributeError(f"module 'pysycl.math' has no function {name!r}") from None


def __dir__() -> list[str]:
    return sorted([*FUNCTIONS, "half_precision", "native"])
