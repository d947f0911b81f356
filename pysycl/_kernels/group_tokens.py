"""The group tokens of kernels, work_group and sub_group, as Python objects."""

from __future__ import annotations

from typing import ClassVar, Final

import numpy as np

from pysycl.enums import MemoryScope
from pysycl.ranges import Id, Range


class _Token:
    __slots__ = ()
    token: ClassVar[str]
    """The word for it in kernels."""
    id_type: ClassVar[type[Id]] = Id
    range_type: ClassVar[type[Range]] = Range
    linear_id_type: ClassVar[type[np.integer]]
    """Of what its queries give in kernels."""
    fence_scope: ClassVar[MemoryScope]
    """Whom a group_barrier without a scope is for."""

    def __init__(self) -> None:
        raise TypeError(f"a {type(self).__name__} is the runtime's and cannot be made: there is pysycl.{self.token}")

    def __repr__(self) -> str:
        return self.token

    def __reduce__(self) -> str:
        return self.token


class Group(_Token):
    """A work-group, as the host can speak of it: the token `work_group`.

    Examples
    --------
    >>> sycl.is_group(sycl.Group)
    True
    >>> isinstance(sycl.work_group, sycl.Group)
    True
    """

    __slots__ = ()
    token = "work_group"
    linear_id_type = np.int64
    fence_scope = MemoryScope.work_group


class SubGroup(_Token):
    """A sub-group, as the host can speak of it: the token `sub_group`.

    Examples
    --------
    >>> isinstance(sycl.sub_group, sycl.SubGroup)
    True
    """

    __slots__ = ()
    token = "sub_group"
    linear_id_type = np.uint32
    fence_scope = MemoryScope.sub_group
    dimensions: ClassVar[int] = 1


work_group: Final = Group.__new__(Group)
"""The group that a work-item belongs to."""
sub_group: Final = SubGroup.__new__(SubGroup)
"""The sub-group that a work-item belongs to."""


def is_group(obj_or_type: object) -> bool:
    """True for groups and sub-groups, and their types: what group functions take.

    Parameters
    ----------
    obj_or_type
        Anything.

    Returns
    -------
    bool

    Notes
    -----
    SYCL 2020, 4.17.3: is_group and is_group_v.

    Examples
    --------
    >>> sycl.is_group(sycl.work_group), sycl.is_group(3)
    (True, False)
    """
    return isinstance(obj_or_type, Group | SubGroup) or (
        isinstance(obj_or_type, type) and issubclass(obj_or_type, Group | SubGroup)
    )
