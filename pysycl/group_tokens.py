"""The group tokens of kernels, work_group and sub_group, as Python objects."""

from __future__ import annotations

from typing import ClassVar, Final


class _Token:
    __slots__ = ()
    token: ClassVar[str]
    """The word for it in kernels."""

    def __repr__(self) -> str:
        return self.token

    def __reduce__(self) -> str:
        return self.token


class Group(_Token):
    """A work-group, as the host can speak of it: the token `work_group`."""

    __slots__ = ()
    token = "work_group"


class SubGroup(_Token):
    """A sub-group, as the host can speak of it: the token `sub_group`."""

    __slots__ = ()
    token = "sub_group"


work_group: Final = Group()
"""The group that a work-item belongs to."""
sub_group: Final = SubGroup()
"""The sub-group that a work-item belongs to."""


def is_group(obj_or_type: object) -> bool:
    """True for groups and sub-groups, and their types: what group functions take.

    Notes
    -----
    SYCL 2020, 4.17.3: is_group and is_group_v.
    """
    return isinstance(obj_or_type, Group | SubGroup) or (
        isinstance(obj_or_type, type) and issubclass(obj_or_type, Group | SubGroup)
    )
