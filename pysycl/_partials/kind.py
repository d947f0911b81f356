"""What all kinds of partial results have."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

from pysycl._algorithms.axes import axes_of, kept_shape
from pysycl._algorithms.call import Options
from pysycl._algorithms.operand import operand
from pysycl.errors import InvalidParameterError

if TYPE_CHECKING:
    import numpy as np

    from pysycl._data.host_memory import Array


class Kind:
    """A kind of partial result. Arrays of them are NumPy arrays of `dtype`, of any shape."""

    __slots__ = ("dtype", "result")
    dtype: np.dtype[Any]
    result: np.dtype[Any]
    """Of results."""

    def nothing(self, shape: tuple[int, ...]) -> Array:
        """Partials of no elements."""
        import numpy as np

        return np.zeros(shape, self.dtype)

    def started(self, x: Any, options: Options, first: int) -> Callable[[], Any]:
        """Begins to find the partials of elements, of which there are some, and gives what waits for them. `first`: the
        index of the first one."""
        raise NotImplementedError

    def joined(self, a: Array, b: Array) -> Array:
        """Partials of the elements of both, those of a before those of b."""
        raise NotImplementedError

    def ended(self, parts: Array) -> Any:
        """The results."""
        raise NotImplementedError

    def merged(self, parts: Array) -> Array:
        """Many made one along the first axis, in their order: neighbours in pairs, then pairs."""
        import numpy as np

        while len(parts) > 1:
            odd = parts[len(parts) - len(parts) % 2 :]
            half = self.joined(parts[0 : len(parts) - 1 : 2], parts[1::2])
            parts = np.concatenate([half, odd]) if len(odd) else half
        return parts[0] if len(parts) else self.nothing(parts.shape[1:])

    def begun(self, parts: Array, initial: Any) -> Any:
        """The results, with an initial value."""
        if initial is not None:
            raise InvalidParameterError(f"initial: this reduction takes none, got {initial!r}")
        return self.ended(parts)

    # -- for all kinds alike --

    def of(self, x: Any, options: Options, first: int = 0) -> Array:
        """The partials of an array: of shape (), or of the axes that are kept. Of no elements without any device."""
        return self.start(x, options, first)()

    def start(self, x: Any, options: Options, first: int = 0) -> Callable[[], Array]:
        """The same, begun: a call of what it gives waits for what is in a device's memory."""
        import numpy as np

        it = operand(x, "x")
        axes = axes_of(options.axis, len(it.shape))
        shape = kept_shape(it.shape, axes, options.keepdims)
        if prod(it.shape) == 0:
            return lambda: self.nothing(shape)
        end = self.started(x, options._replace(out=None), first)
        return lambda: np.asarray(end()).astype(self.dtype, copy=False).reshape(shape)

    def merge(self, parts: Any, axis: Any, keepdims: bool) -> Array:
        """Partials merged along axes, in row-major order."""
        import numpy as np

        array = self.checked(parts)
        axes = axes_of(axis, array.ndim)
        shape = kept_shape(array.shape, axes, keepdims)
        if len(axes) == 1 and array.shape[axes[0]] == 1:
            return array.reshape(shape)
        flat = np.moveaxis(array, axes, range(len(axes)))
        flat = flat.reshape(prod(flat.shape[: len(axes)]), *flat.shape[len(axes) :])
        return np.asarray(self.merged(np.ascontiguousarray(flat)), self.dtype).reshape(shape)

    def checked(self, parts: Any, what: str = "parts") -> Array:
        """An array of this kind's partials, aligned."""
        import numpy as np

        if isinstance(parts, tuple | list) and not parts:
            raise InvalidParameterError(
                f"{what}: expected partial results, got none; that of no elements is identity()"
            )
        try:
            array = np.asarray(parts)
        except ValueError:
            raise InvalidParameterError(f"{what}: expected partial results of one shape, got several") from None
        if array.dtype != self.dtype:
            found = f"{array.dtype}" if array.dtype != object else f"{parts!r}"
            raise InvalidParameterError(f"{what}: expected partial results of {self.dtype}, got {found}")
        return array if array.flags.aligned else array.copy()
