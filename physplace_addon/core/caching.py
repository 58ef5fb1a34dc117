"""Properties that are computed once for each object.

Until Python 3.12 those of functools take a lock whenever one is computed, so that threads do not compute it
twice. In a solver's step, which makes many small objects and computes few properties of each, the lock takes
more time than most of what is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

Value = TypeVar("Value")


class cached_property(Generic[Value]):
    """A property that is computed when it is first read, and then kept in the object's `__dict__`.

    It is functools.cached_property without the lock: threads that read it at the same time may each compute
    it.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute, self._name = compute, compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Value: ...

    def __get__(self, instance: object | None, owner: type | None = None) -> Self | Value:
        """Return the value, and keep it: from then on the object's own attribute is found first."""
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._compute(instance)
        return value
