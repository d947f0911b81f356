"""Parts of an array along an axis, by their indices: where select and repeat have found which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pysycl._algorithms.body_text import stored
from pysycl._algorithms.operand import c_type
from pysycl._algorithms.transform import Elementwise

if TYPE_CHECKING:
    from pysycl._algorithms.call import Options
    from pysycl._algorithms.operand import Operand


class Taken(Elementwise):
    """A call whose result has other parts along an axis than x has."""

    __slots__ = ("axis", "base", "length")

    def __init__(self, x: Operand, options: Options, axis: int, length: int, behind: Any = None) -> None:
        """`behind`: the event of the command that makes the indices."""
        shape = tuple(length if d == axis else size for d, size in enumerate(x.shape))
        super().__init__(x, options, shape)
        self.axis, self.length, self.event = axis, length, behind
        steps = tuple(0 if d == axis else step for d, step in enumerate(x.strides))
        self.base = x._replace(shape=shape, strides=steps)

    def take(
        self, index: str, operands: dict[str, Operand], condition: str = "", or_zero: bool = False, **numbers: Any
    ) -> Any:  # fmt: skip
        """The result: the part of each index, an expression. Where a condition is not true, zeros or, without
        `or_zero`, whatever the memory has."""
        import numpy as np

        kind = self.x.dtype
        where = f"{{x_at.at}} + ({index}) * x_step"
        element = f"vload_half({where}, x_at)" if kind.str[1:] == "f2" else f"x_at[{where}]"
        text = stored("out_at", "{out_at.at}", element, kind)
        if condition:
            text = f"if ({condition}) {{{{ {text} }}}}"
        if or_zero:
            zero = "(x_at_t){{0}}" if kind.names is not None else f"({c_type(kind)})(0)"
            text += f" else {{{{ {stored('out_at', '{out_at.at}', zero, kind)} }}}}"
        step = np.int64(self.x.strides[self.axis])
        return self.apply(text, kind, {"x_at": self.base, **operands}, x_step=step, **numbers)

    def along(self, it: Operand) -> Operand:
        """What there is one of for each part of the result, in the result's shape."""
        steps = tuple(it.strides[0] if d == self.axis else 0 for d in range(len(self.result_shape)))
        return it._replace(shape=self.result_shape, strides=steps)
