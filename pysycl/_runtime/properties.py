"""Property lists: SYCL's are keyword arguments here, and this is how an object tells which ones it was made with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pysycl import _core
from pysycl.errors import InvalidObjectError, InvalidParameterError

# Each property of SYCL 2020, and the classes whose constructors take it.
PROPERTIES: Final[Mapping[str, frozenset[str]]] = {
    "use_host_ptr": frozenset({"Buffer", "UnsampledImage", "SampledImage"}),
    "use_mutex": frozenset({"Buffer", "UnsampledImage", "SampledImage"}),
    "context_bound": frozenset({"Buffer", "UnsampledImage", "SampledImage"}),
    "no_init": frozenset({"Accessor", "HostAccessor", "UnsampledImageAccessor", "HostUnsampledImageAccessor"}),
    "enable_profiling": frozenset({"Queue"}),
    "in_order": frozenset({"Queue"}),
    "initialize_to_identity": frozenset({"Reduction"}),
}


def is_property(name: str) -> bool:
    """True if SYCL has a property of this name. SYCL 2020, 4.5.4.

    Parameters
    ----------
    name
        SYCL's name of a property, such as "in_order".

    Returns
    -------
    bool

    Examples
    --------
    >>> sycl.is_property("in_order"), sycl.is_property("fast")
    (True, False)
    """
    return name in PROPERTIES


def is_property_of(name: str, cls: type) -> bool:
    """True if the constructor of `cls` takes the property `name`.

    Parameters
    ----------
    name
        SYCL's name of a property.
    cls
        A class.

    Returns
    -------
    bool

    Raises
    ------
    TypeError
        `cls` is no class.

    Examples
    --------
    >>> sycl.is_property_of("in_order", sycl.Queue), sycl.is_property_of("in_order", sycl.Buffer)
    (True, False)
    """
    if not isinstance(cls, type):
        raise TypeError(f"cls: expected a class, got {cls!r}")
    return any(base.__name__ in PROPERTIES.get(name, ()) for base in cls.__mro__)


class HasProperties:
    """Mixin of the classes that take properties. They say in `_properties` what they were made with."""

    __slots__ = ()

    @property
    def _properties(self) -> Mapping[str, Any]:
        """The properties that were given, with their values: True for those that have none."""
        return {}

    def has_property(self, name: str) -> bool:
        """True if the object was made with the property `name`.

        Parameters
        ----------
        name
            SYCL's name of a property.

        Returns
        -------
        bool

        Raises
        ------
        InvalidParameterError
            SYCL has no such property.

        Examples
        --------
        >>> sycl.Queue(in_order=True).has_property("in_order")
        True
        """
        if not is_property(name):
            raise InvalidParameterError(f"SYCL has no property {name!r}; it has {', '.join(PROPERTIES)}")
        return name in self._properties

    @_core.entry
    def get_property(self, name: str) -> Any:
        """The value of the property `name`.

        Parameters
        ----------
        name
            SYCL's name of a property.

        Returns
        -------
        object
            True for properties that have no value.

        Raises
        ------
        InvalidParameterError
            SYCL has no such property.
        InvalidObjectError
            The object was made without it.

        Examples
        --------
        >>> b = sycl.Buffer(3, np.int32, context_bound=queue.context)
        >>> b.get_property("context_bound").context == queue.context
        True
        """
        if not self.has_property(name):
            raise InvalidObjectError(f"this {type(self).__name__} was made without the property {name!r}")
        return self._properties[name]
