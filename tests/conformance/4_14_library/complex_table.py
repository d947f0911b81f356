"""The functions of complex numbers (kernels/complex.clh) against NumPy's of the widest complex type.

    python tests/conformance/complex_table.py [COUNT]

prints the table of kernels/README.md: the largest errors on each device, in ulp of the absolute value of the result."""

import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import pysycl as sycl


class Row(NamedTuple):
    name: str
    text: str
    """Of a and b."""
    exact: Callable[..., Any]
    bound: tuple[float, float]
    """In ulp, of cfloat and cdouble, of the absolute value of the result, or of `size`."""
    real: bool = False
    """The result is a real number."""
    sizes: float = np.inf
    """How much of the exponents' range the operands may have; np.inf: all numbers, zeros and infinities too."""
    size: tuple[Callable[..., Any] | None, Callable[..., Any] | None] = (None, None)


def _quotient(a: Any, b: Any) -> Any:
    """With the infinities and zeros of C's Annex G, which NumPy's has not."""
    result = a / b
    infinite, large = np.isinf(a.real) | np.isinf(a.imag), np.isinf(b.real) | np.isinf(b.imag)
    result = np.where(large & np.isfinite(a), 0, result)
    return np.where(
        (infinite & np.isfinite(b)) | ((b == 0) & ~infinite & (a != 0) & ~np.isnan(a)), complex(np.inf), result
    )


def _size_of_sum(a: Any, b: Any) -> Any:
    return np.abs(a * b) + np.abs(a)


def _size_of_power(a: Any, b: Any) -> Any:
    """exp(b log a): what is rounded away of the exponent counts as often as that is large."""
    return np.abs(np.power(a, b)) * (1 + np.abs(b * np.log(a)))


ROWS = (
    Row("cadd", "cadd(a, b)", lambda a, b: a + b, (0.8, 0.8)),
    Row("csub", "csub(a, b)", lambda a, b: a - b, (0.8, 0.8)),
    Row("cmul", "cmul(a, b)", lambda a, b: a * b, (2.5, 2.5), sizes=0.4),
    Row("cfma", "cfma(a, b, a)", lambda a, b: a * b + a, (2.5, 2.5), sizes=0.4, size=(_size_of_sum, _size_of_sum)),
    Row("cdiv", "cdiv(a, b)", _quotient, (6, 5)),
    Row("cabs", "cabs(a)", lambda a, b: np.abs(a), (4, 4), real=True),
    Row("cabs2", "cabs2(a)", lambda a, b: a.real**2 + a.imag**2, (2, 2), real=True, sizes=0.4),
    Row("carg", "carg(a)", lambda a, b: np.arctan2(a.imag, a.real), (6, 6), real=True),
    Row("conj", "conj(a)", lambda a, b: np.conj(a), (0, 0)),
    Row("csqrt", "csqrt(a)", lambda a, b: np.sqrt(a), (6, 5)),
    Row("cexp", "cexp(a)", lambda a, b: np.exp(a), (9, 9)),
    Row("clog", "clog(a)", lambda a, b: np.log(a), (7, 7)),
    Row("cpow", "cpow(a, b)", lambda a, b: np.power(a, b), (2, 9), sizes=0.05, size=(None, _size_of_power)),
    Row("cpow, whole", "cpow(a, (REAL)5)", lambda a, b: a**5, (12, 12), sizes=0.1),
)


def parts_of(kind: str) -> Any:
    return np.dtype("f4" if kind == "cfloat" else "f8")


def arguments(kind: str, count: int) -> tuple[Any, Any]:
    """Special values beside all others, then numbers of all sizes, of sizes near each other, and near the unit circle."""
    real = parts_of(kind)
    info = np.finfo(real)
    special = np.array(
        [
            0.0,
            -0.0,
            1,
            -1,
            0.5,
            np.pi / 2,
            -3,
            1e-5,
            info.tiny,
            -info.smallest_subnormal,
            info.max,
            -info.max,
            np.inf,
            -np.inf,
            np.nan,
        ],
        real,
    )
    grid = (special[:, None] + np.zeros(1, real)), special[None, :]
    z = np.empty((len(special), len(special)), np.result_type(real, np.complex64))
    z.real, z.imag = grid
    z = z.ravel()
    rng = np.random.default_rng(5)

    def wide(power: float) -> Any:
        span = info.maxexp * power
        made = np.empty(count, z.dtype)
        for part in (made.real, made.imag):
            part[:] = (
                rng.choice([-1, 1], count) * rng.uniform(1, 2, count) * np.exp2(rng.uniform(-span, span - 1, count))
            )
        return made

    circle = np.exp(1j * rng.uniform(-np.pi, np.pi, count)) * (
        1 + rng.normal(size=count) * np.exp2(rng.uniform(-30, -1, count))
    )
    near = rng.normal(size=count) + 1j * rng.normal(size=count)
    a = np.concatenate([np.repeat(z, 16), wide(1), wide(0.1), near, circle])
    b = np.concatenate([rng.choice(z, 16 * len(z)), wide(1), wide(0.1), rng.permutation(near), near])
    return a.astype(z.dtype), b.astype(z.dtype)


def compute(queue: sycl.Queue, kind: str, a: Any, b: Any) -> list[Any]:
    """All rows in one kernel each half, since a compiler takes its time for all of them."""
    real = parts_of(kind)
    results = [np.empty(len(a), real if row.real else a.dtype) for row in ROWS]
    text = "".join(f"r{k}[i] = {row.text};\n" for k, row in enumerate(ROWS)).replace(
        "REAL", "double" if real.itemsize == 8 else "float"
    )
    queue.parallel_for(
        len(a), f"const {kind} a = x[i], b = y[i];\n{text}", x=a, y=b, **{f"r{k}": r for k, r in enumerate(results)}
    ).wait()
    return results


def _wide(exact: Callable[..., Any], a: Any, b: Any) -> Any:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return exact(a.astype(np.clongdouble), b.astype(np.clongdouble))


def asked(row: Row, a: Any, b: Any) -> Any:
    """The operands that the row's bound is for."""
    if row.sizes == np.inf:
        return np.ones(len(a), bool)
    most = np.exp2(np.finfo(a.dtype).maxexp * row.sizes)
    with np.errstate(all="ignore"):
        within = [(np.abs(part) < most) & (np.abs(part) > 1 / most) for z in (a, b) for part in (z.real, z.imag)]
    return np.logical_and.reduce(within)


def errors(row: Row, got: Any, a: Any, b: Any) -> Any:
    """In ulp. Where there is no finite value: 0 if both are infinite, or both not numbers."""
    info = np.finfo(got.dtype)
    true, size_of = _wide(row.exact, a, b), row.size[a.dtype.itemsize > 8]
    with np.errstate(all="ignore"):
        size = np.abs(true)
        whole = size if size_of is None else _wide(size_of, a, b)
        unit = np.maximum(np.exp2(np.floor(np.log2(np.maximum(whole, info.tiny)))) * info.eps, info.smallest_subnormal)
        apart = np.abs(got.astype(true.dtype) - true) / unit
        rounded = true.astype(got.dtype)
    infinite, nan = np.isinf(rounded), np.isnan(rounded) & ~np.isinf(rounded)
    most = np.isfinite(size) & (size > info.max.astype(size.dtype) * (1 - 16 * info.eps))  # may be rounded to infinity
    same = most | np.where(infinite, np.isinf(got), np.isnan(got) & ~np.isinf(got))
    return np.where(infinite | nan, np.where(same, 0, np.inf), np.where(most & np.isinf(got), 0, apart))


def largest(row: Row, got: Any, a: Any, b: Any) -> tuple[float, Any]:
    """The largest error of the row, and where it is."""
    apart = np.where(asked(row, a, b), errors(row, got, a, b), 0)
    at = int(np.argmax(apart))
    return float(apart[at]), (a[at], b[at], got[at])


def main(count: str = "20000") -> None:
    devices = [device for platform in sycl.Platform.get_platforms() for device in platform.get_devices()]
    cells: dict[str, list[list[str]]] = {row.name: [[] for _ in devices] for row in ROWS}
    for kind in ("cfloat", "cdouble"):
        a, b = arguments(kind, int(count))
        for at, device in enumerate(devices):
            if kind == "cdouble" and not device.has("fp64"):
                continue
            for row, got in zip(ROWS, compute(sycl.Queue(device), kind, a, b), strict=True):
                cells[row.name][at].append(f"{largest(row, got, a, b)[0]:.2f}")
    print(f"| cfloat / cdouble | at most | {' | '.join(d.name for d in devices)} |")
    print("| --- " * (2 + len(devices)) + "|")
    for row in ROWS:
        bound = " / ".join(f"{each:g}" for each in row.bound)
        print(f"| `{row.name}` | {bound} | {' | '.join(' / '.join(c) for c in cells[row.name])} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
