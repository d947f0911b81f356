"""OneElement: memory of one element as the number that is in it, to Python's own conversions."""

from __future__ import annotations

from typing import Any

from pysycl import _core
from pysycl.errors import InvalidParameterError


class OneElement:
    """The sum of a Buffer or of unified shared memory: `float(total)`, `total.item()`, `f"{total:.3f}"`, `total < 3`.

    Each waits for what was submitted to make it, and copies it. Of more elements than one these raise, but for `format`
    without a specification, which is the repr.
    """

    __slots__ = ()

    def _contents(self) -> Any:
        """A NumPy array of the elements, when they have been made."""
        raise NotImplementedError

    @_core.entry
    def item(self) -> Any:
        """The one element, as Python's number.

        Returns
        -------
        int, float, complex, bool, tuple
            As NumPy's item has it.

        Raises
        ------
        InvalidParameterError
            There are more, or none.

        Examples
        --------
        >>> total = sycl.sum(sycl.Buffer(np.arange(5)))
        >>> total.item()
        10
        """
        size = getattr(self, "size", 0)
        if size != 1:
            raise InvalidParameterError(f"item: the memory has {size} elements, and one alone is a number")
        return self._contents().item()

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __format__(self, specification: str) -> str:
        return format(self.item(), specification) if specification else str(self)

    def __lt__(self, other: Any) -> Any:
        return self.item() < other

    def __le__(self, other: Any) -> Any:
        return self.item() <= other

    def __gt__(self, other: Any) -> Any:
        return self.item() > other

    def __ge__(self, other: Any) -> Any:
        return self.item() >= other
