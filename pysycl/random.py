"""Random numbers, as numpy.random has them, which are the same on every device: `Generator(seed)`.

They are functions of a key and a counter (Philox 4x32-10), so that there is no state to be passed on, and kernels have
them too: `random_uniform(key, i)` and its like, see kernels/device/random.clh. The numbers of a generator in a kernel are

    q.parallel_for(n, "y[i] = random_uniform(key, position + i);", y=y, key=g.key, position=g.position)

which is what `g.uniform(size=n, dtype="f4")` would give next.
"""

from __future__ import annotations

from functools import cache
from math import prod
from operator import index
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from pysycl import _core
from pysycl._algorithms.axes import axes_of
from pysycl._algorithms.call import Call, options_of
from pysycl._algorithms.operand import USM, Operand, as_numbers, operand
from pysycl._data.host_memory import any_shape
from pysycl._data.usm_array import UsmArray
from pysycl._sorts.sort_calls import argsort
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    import numpy as np

    from pysycl.queue import Queue

# Elements of a block, in which a work-item makes them. The first and the last block may be cut by the array's ends.
_BLOCK: Final = """\
const {kind}{width} made = {value};
const long at = {width} * (long)i - before;
if (at >= 0 && at + {width} <= size)
    vstore{width}(made, 0, y + at);
else {{
{ends}
}}"""


@cache
def _block_of(what: str, itemsize: int) -> tuple[int, str]:
    """How many elements of a floating-point type a block has, and the text that makes one of a distribution."""
    width, word = (4, "float") if itemsize == 4 else (2, "double")
    function = f"random_{what}{width}" if width == 4 else f"random_{what}_double{width}"
    ends = [f"    if (at + {k} >= 0 && at + {k} < size)\n        y[at + {k}] = made.s{k};" for k in range(width)]
    value = f"fma(({word}{width})scale, {function}(key, block + (ulong)i), ({word}{width})start)"
    return width, _BLOCK.format(kind=word, width=width, value=value, ends="\n".join(ends))


class Generator:
    """A generator of random numbers, as numpy.random.Generator: the numbers of a seed are the same on every device, and
    however they are split into calls, as far as these have one dtype and distribution.

    Parameters
    ----------
    seed
        An int, a sequence of ints, or a numpy.random.SeedSequence, which says what is made. None: numbers that nobody can
        foresee, from the operating system.

    Raises
    ------
    InvalidParameterError
        A seed that is negative, or no number.

    Notes
    -----
    Beyond SYCL. Threads may share a generator: each call has numbers of its own.

    Examples
    --------
    >>> g = sycl.random.Generator(7)
    >>> g.integers(0, 10, size=4)
    array([8, 9, 7, 2])
    >>> bool((sycl.random.Generator(7).integers(0, 10, size=2) == [8, 9]).all())
    True
    """

    __slots__ = ("_lock", "_position", "key")

    key: np.uint64
    """What the numbers are a function of, besides their position: what kernels are given."""

    def __init__(self, seed: Any = None) -> None:
        import numpy as np

        try:
            sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
        except (TypeError, ValueError):
            wanted = "an int that is not negative, several of them, or None"
            raise InvalidParameterError(f"seed: expected {wanted}, got {seed!r}") from None
        self.key = sequence.generate_state(1, np.uint64)[0]
        self._position = 0
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"<pysycl.random.Generator key={int(self.key):#018x} position={self._position}>"

    @property
    def position(self) -> np.uint64:
        """The number of the next element. Kernels that make elements by themselves set it behind those."""
        import numpy as np

        return np.uint64(self._position)

    @position.setter
    def position(self, value: int) -> None:
        value = index(value)
        if not 0 <= value < 2**64:
            raise InvalidParameterError(f"position: expected an int from 0 to 2**64 - 1, got {value}")
        with self._lock:
            self._position = value

    def _taken(self, count: int) -> int:
        with self._lock:
            first = self._position
            self._position = (first + count) % 2**64
        return first

    # -- distributions --

    @_core.entry
    def uniform(
        self, low: float = 0.0, high: float = 1.0, size: Any = None, dtype: Any = None, *, out: Any = None,
        queue: Queue | None = None,
    ) -> Any:  # fmt: skip
        """Numbers from low on and below high, each as likely as the others.

        Parameters
        ----------
        low, high
            Numbers. Where their distance is large beside the type's precision, a result may be rounded to high.
        size
            The shape: an int or a tuple. None: one number, or the shape of `out`.
        dtype
            float32 or float64. None: that of `out`, or float64.
        out
            Where the numbers go: a NumPy array, a Buffer or a UsmArray.
        queue
            Where they are made. None: the default device, or that of `out`.

        Returns
        -------
        numpy.ndarray, NumPy scalar, Buffer, UsmArray
            `out`, or what NumPy has.

        Raises
        ------
        InvalidParameterError
            Bounds that are no finite numbers, another dtype, or an `out` of another shape or type.

        Examples
        --------
        >>> x = sycl.random.Generator(7).uniform(-1, 1, size=1000)
        >>> bool((x >= -1).all() and (x < 1).all())
        True
        >>> b = sycl.Buffer(1000, np.float32)
        >>> sycl.random.Generator(7).uniform(out=b) is b
        True
        """
        low, high = _number(low, "low"), _number(high, "high")
        return self._made("uniform", _number(high - low, "high - low"), low, size, dtype, out, queue)

    @_core.entry
    def normal(
        self, loc: float = 0.0, scale: float = 1.0, size: Any = None, dtype: Any = None, *, out: Any = None,
        queue: Queue | None = None,
    ) -> Any:  # fmt: skip
        """Numbers of the normal distribution.

        Parameters
        ----------
        loc
            The mean.
        scale
            The standard deviation.
        size, dtype, out, queue
            As for `random.Generator.uniform`.

        Returns
        -------
        numpy.ndarray, NumPy scalar, Buffer, UsmArray
            As for `random.Generator.uniform`.

        Raises
        ------
        InvalidParameterError
            A standard deviation below 0; or as for `uniform`.

        Examples
        --------
        >>> x = sycl.random.Generator(7).normal(10, 2, size=100000)
        >>> round(float(x.mean()), 1), round(float(x.std()), 1)
        (10.0, 2.0)
        """
        loc, scale = _number(loc, "loc"), _number(scale, "scale")
        if scale < 0:
            raise InvalidParameterError(f"scale: a standard deviation is not negative, got {scale}")
        return self._made("normal", scale, loc, size, dtype, out, queue)

    @_core.entry
    def integers(
        self, low: int, high: int | None = None, size: Any = None, dtype: Any = None, endpoint: bool = False, *,
        out: Any = None, queue: Queue | None = None,
    ) -> Any:  # fmt: skip
        """Integers, each exactly as likely as the others.

        Parameters
        ----------
        low
            The least; without high, what all are below.
        high
            What all are below. None: they are from 0 on, and below low.
        size
            As for `random.Generator.uniform`.
        dtype
            One of integers, or bool. None: that of `out`, or int64.
        endpoint
            Whether high itself may be among them.
        out, queue
            As for `random.Generator.uniform`.

        Returns
        -------
        numpy.ndarray, NumPy scalar, Buffer, UsmArray
            As for `random.Generator.uniform`.

        Raises
        ------
        InvalidParameterError
            No integers between the bounds, bounds beyond the type; or as for `uniform`.

        Examples
        --------
        >>> x = sycl.random.Generator(7).integers(1, 6, size=1000, endpoint=True)
        >>> int(x.min()), int(x.max())
        (1, 6)
        """
        import numpy as np

        kind = _dtype_of(dtype, out, "i8", "biu", "bool or one of integers")
        first, last = (0, low) if high is None else (low, high)
        try:
            first, last = index(first), index(last) - (not endpoint)
        except TypeError:
            raise InvalidParameterError(f"low, high: expected ints, got {low!r} and {high!r}") from None
        least, most = (0, 1) if kind.kind == "b" else (int(np.iinfo(kind).min), int(np.iinfo(kind).max))
        if first > last:
            raise InvalidParameterError(f"low >= high: no integer is from {first} on and {last} at most")
        for name, bound in (("low", first), ("high", last)):
            if not least <= bound <= most:
                raise InvalidParameterError(f"{name}: {bound} is out of bounds for {kind}")
        call, memory, count = _begin(size, kind, out, queue)
        position = np.uint64(self._taken(count))
        if count:
            call.run(
                count, "y[i] = first + random_integer(key, position + (ulong)i, n);",
                {
                    "y": as_numbers(operand(memory, "out").memory), "key": self.key, "position": position,
                    "first": np.uint64(first % 2**64),
                    "n": np.uint64((last - first + 1) % 2**64),
                },
            )  # fmt: skip
        return call.give(memory)

    def _made(self, what: str, scale: float, start: float, size: Any, dtype: Any, out: Any, queue: Queue | None) -> Any:
        """Numbers of a distribution, times `scale` and plus `start`."""
        import numpy as np

        kind = _dtype_of(dtype, out, "f8", "f", "float32 or float64")
        call, memory, count = _begin(size, kind, out, queue)
        position = self._taken(count)
        if count:
            width, text = _block_of(what, kind.itemsize)
            before = position % width
            # Memory has no steps here, and is known from earlier calls as it is.
            given = operand(memory, "out").memory if isinstance(memory, np.ndarray) else memory
            call.run(
                -(-(before + count) // width),
                text,
                {
                    "y": given, "key": self.key, "block": np.uint64(position // width),
                    "before": np.int64(before), "size": np.int64(count), "scale": kind.type(scale), "start": kind.type(start),
                },
            )  # fmt: skip
        return call.give(memory)

    # -- orders --

    @_core.entry
    def permutation(self, x: Any, axis: int = 0) -> Any:
        """The elements of an array in a random order along an axis, or the numbers below an int.

        Parameters
        ----------
        x
            A NumPy array, or what NumPy makes one of; or an int.
        axis
            The axis along which the order is another.

        Returns
        -------
        numpy.ndarray
            A new one.

        Raises
        ------
        InvalidParameterError
            x is neither an int nor an array of one dimension at least.

        Examples
        --------
        >>> sycl.sort(sycl.random.Generator(7).permutation(5))
        array([0, 1, 2, 3, 4])
        """
        import numpy as np

        if isinstance(x, int | np.integer) and not isinstance(x, bool):
            if x < 0:
                raise InvalidParameterError(f"x: expected an array, or an int that is not negative, got {x}")
            return self._order(int(x))
        array = _array(x)
        (along,) = axes_of(index(axis), array.ndim)
        return np.take(array, self._order(array.shape[along]), along)

    @_core.entry
    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Brings an array into a random order along an axis, in place.

        Parameters
        ----------
        x
            A NumPy array.
        axis
            The axis along which the order is another.

        Raises
        ------
        InvalidParameterError
            x is no array that can be written to, of one dimension at least.

        Examples
        --------
        >>> x = np.arange(5)
        >>> sycl.random.Generator(7).shuffle(x)
        >>> sycl.sort(x)
        array([0, 1, 2, 3, 4])
        """
        import numpy as np

        if not isinstance(x, np.ndarray):
            raise InvalidParameterError(f"x: expected a NumPy array, which is shuffled in place, got {x!r}")
        if not x.flags.writeable:
            raise InvalidParameterError("x: the array is read-only")
        array = _array(x)
        (along,) = axes_of(index(axis), array.ndim)
        x[...] = np.take(array, self._order(array.shape[along]), along)

    def _order(self, count: int) -> Any:
        """A permutation of the numbers below count: that which sorts as many random numbers of 64 bits."""
        return argsort(self.integers(0, 2**64 - 1, count, "u8", endpoint=True))


# -- what was asked --


def _number(value: Any, what: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InvalidParameterError(f"{what}: expected a number, got {value!r}") from None
    if number - number != 0:
        raise InvalidParameterError(f"{what}: expected a finite number, got {number}")
    return number


def _dtype_of(dtype: Any, out: Any, otherwise: str, kinds: str, words: str) -> np.dtype[Any]:
    import numpy as np

    wanted = dtype if dtype is not None else getattr(out, "dtype", otherwise)
    try:
        kind = np.dtype(wanted)
    except TypeError:
        kind = np.dtype(object)
    if kind.kind not in kinds or not kind.isnative or (kinds == "f" and kind.itemsize not in (4, 8)):
        raise InvalidParameterError(f"dtype: expected {words}, got {wanted}")
    return kind


def _begin(size: Any, kind: np.dtype[Any], out: Any, queue: Any) -> tuple[Call, Any, int]:
    """The call, the memory of its result, and how many elements that has."""
    import numpy as np

    options = options_of(None, False, None, None, out, queue)
    out = options.out
    is_memory = isinstance(out, _core.Buffer | _core.UsmArray)
    held = tuple(getattr(out, "shape", ()))
    shape = held if size is None else any_shape(size, "size")
    if type(out) is UsmArray and not out.is_freed:  # of which a view would be another memory to the launch
        it = Operand(USM, out, out.dtype, held, (), 0, out)
    else:
        it = operand(out if is_memory else np.empty(0), "out")
    call = Call(it, options, shape)
    memory = call.result(kind)
    if isinstance(out, np.ndarray) and out.dtype != kind:
        raise InvalidParameterError(f"out: expected elements of {kind}, got {out.dtype}")
    return call, memory, prod(shape)


def _array(x: Any) -> Any:
    import numpy as np

    if isinstance(x, _core.Buffer | _core.UsmArray):
        raise InvalidParameterError(
            "x: expected a NumPy array; of device memory, permute indices: permutation(x.shape[0])"
        )
    array = np.asarray(x)
    if array.ndim == 0:
        raise InvalidParameterError(f"x: expected an int, or an array of one dimension at least, got {x!r}")
    return array
