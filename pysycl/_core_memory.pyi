"""The part of the stub _core.pyi that is about images and unified shared memory; there is no such module."""

from collections.abc import Sequence
from typing import Any, Final, Self, TypeAlias

from pysycl._core import Accessor, Buffer, HostAccessor
from pysycl._data.usm_address import KindStatistics as _UsmFigures
from pysycl._data.usm_array import UsmArray as _UsmFace
from pysycl.context import Context as _ContextFace
from pysycl.device import Device as _DeviceFace
from pysycl.handler import Handler as _HandlerFace

# -- images: py_image.c; Sampler: py_sampler.c --

_ImageDescription: TypeAlias = tuple[str, tuple[int, ...], tuple[int, ...], int]

def image_layout(format: str, range: Sequence[int], pitch: Sequence[int], /) -> _ImageDescription: ...
def image_description(image: Buffer, /) -> _ImageDescription: ...
def image_address(accessor: Accessor | HostAccessor, /) -> int: ...

class Sampler:
    def __new__(cls, normalized: bool, addressing: str, filtering: str, /) -> Self: ...
    @classmethod
    def _from_native(cls, value: int, context: _ContextFace, /) -> Self: ...
    def _native(self, context: _ContextFace, /) -> int: ...
    @property
    def _modes(self) -> tuple[bool, str, str]: ...

class Stream:
    def __new__(cls, total: int, statement: int, handler: _HandlerFace | None, /) -> Self: ...
    @property
    def size(self) -> int: ...
    @property
    def work_item_buffer_size(self) -> int: ...
    @property
    def overflowed(self) -> bool: ...

# -- UsmArray: py_usm.c; the functions: py_allocation.c --

class UsmArray:
    def free(self) -> None: ...
    def _view(
        self, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any, item: int, /
    ) -> Self: ...
    def _lend(self) -> None: ...
    def _await(self) -> None: ...
    def __bool__(self) -> bool: ...
    shape: Final[tuple[int, ...]]
    strides: Final[tuple[int, ...]]
    size: Final[int]
    nbytes: Final[int]
    itemsize: Final[int]
    ndim: Final[int]
    dtype: Final[Any]
    is_freed: Final[bool]
    ptr: Final[int]
    _alignment: Final[int]
    _kind: Final[int]
    _device: Final[_DeviceFace | None]
    _context: Final[_ContextFace]
    _views: Final[int]

def usm_allocate(
    context: _ContextFace,
    device: _DeviceFace | None,
    kind: int,
    alignment: int,
    shape: tuple[int, ...],
    dtype: Any,
    item: int,
    /,
) -> _UsmFace: ...
def usm_free(address: int, context: _ContextFace | None, /) -> None: ...
def usm_find(address: int, context: _ContextFace | None, /) -> tuple[int, _DeviceFace | None] | None: ...
def usm_supported(device: _DeviceFace, kind: int, /) -> bool: ...
def usm_statistics(context: _ContextFace, kind: int, /) -> _UsmFigures: ...
def usm_set_limit(context: _ContextFace, kind: int, nbytes: int, /) -> None: ...
def usm_trim(context: _ContextFace | None, /) -> int: ...
