"""The array types of core, records of arrays that share their rows, and how to go through long arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, Final, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]
Rows = TypeVar("Rows", Floats, Ints)

TINY: Final = float(np.finfo(np.float64).tiny)
"""The least number that is divided by in place of 0."""

PORTION: Final = 8192
"""Rows to work on at once: a few float64 arrays of so many rows fit into the cache of a processor's core."""

SHARED: Final = {"shared": True}
"""Metadata for a field of an ArrayRecord that belongs to all of its rows: `field(metadata=SHARED)`."""

_SPARE: Final = 0.25
"""Share of a size by which a Scratch array is larger, so that slow growth seldom needs a new one."""


@dataclass(frozen=True, eq=False)
class ArrayRecord:
    """Base class of frozen dataclasses whose arrays (k, ...) have one row for each of the same k things.

    A field may also be an ArrayRecord of k rows.  Values of other types, and fields with the metadata SHARED,
    belong to all rows and are passed on as they are.
    """

    def take(self, rows: Ints | Bools | slice) -> Self:
        """Return the given rows: numbers (m,) or a mask (k,) give copies, a slice gives views."""
        if isinstance(rows, slice):
            return type(self)(
                *[
                    value[rows] if own and value.__class__ is np.ndarray else _taken(value, rows, own)
                    for value, own in _values(self)
                ]
            )
        if rows.dtype == np.bool_:
            rows = np.flatnonzero(rows)  # once, and not again for each array
        return type(self)(
            *[
                value.take(rows, axis=0)
                if own and value.__class__ is np.ndarray
                else _taken(value, rows, own)
                for value, own in _values(self)
            ]
        )

    def put(self, rows: Ints | Bools | slice, part: Self) -> None:
        """Write the rows of `part` over the given ones.  Only the owner of fresh arrays may do so."""
        for (value, own), (new, _) in zip(_values(self), _values(part), strict=True):
            if own and isinstance(value, ArrayRecord):
                value.put(rows, new)
            elif own and isinstance(value, np.ndarray):
                value[rows] = new

    def copy(self) -> Self:
        """Return the same rows in arrays of their own."""
        return type(self)(
            *[
                value.copy() if own and isinstance(value, np.ndarray | ArrayRecord) else value
                for value, own in _values(self)
            ]
        )

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """Return the rows of one or more records, one after the other; what is shared is the first one's."""
        layout = _layout(cls)
        return cls(
            *[
                np.concatenate(values) if own and values[0].__class__ is np.ndarray else _joined(values, own)
                for *values, own in zip(*[layout.values(part) for part in parts], layout.own, strict=True)
            ]
        )


class _Layout(NamedTuple):
    """The fields of a kind of record: a function that returns a record's values, and which have rows."""

    values: Callable[[ArrayRecord], tuple[Any, ...]]
    own: tuple[bool, ...]


_LAYOUTS: dict[type[ArrayRecord], _Layout] = {}


def _layout(kind: type[ArrayRecord]) -> _Layout:
    """Return the layout of a kind of record, found once for each: records are taken apart in every step."""
    if kind not in _LAYOUTS:
        names = [field.name for field in fields(kind)]
        several = len(names) > 1
        values = attrgetter(*names) if several else lambda record: (getattr(record, names[0]),)
        _LAYOUTS[kind] = _Layout(values, tuple("shared" not in field.metadata for field in fields(kind)))
    return _LAYOUTS[kind]


def _values(record: ArrayRecord) -> Iterable[tuple[Any, bool]]:
    """Return a record's values, and whether each has rows."""
    layout = _layout(type(record))
    return zip(layout.values(record), layout.own, strict=True)


def _taken(value: Any, rows: Ints | Bools | slice, own: bool) -> Any:
    """Return the rows of a value that is no plain array."""
    if own and isinstance(value, np.ndarray):
        return value[rows]
    return value.take(rows) if own and isinstance(value, ArrayRecord) else value


def _joined(values: list[Any], own: bool) -> Any:
    """Return the rows of values that are no plain arrays, one after the other."""
    if own and isinstance(values[0], np.ndarray):
        return np.concatenate(values)
    return type(values[0]).join(values) if own and isinstance(values[0], ArrayRecord) else values[0]


def portions(count: int) -> list[slice]:
    """Return slices of at most PORTION rows that cover `count` rows.

    Intermediate results then stay in the processor's cache and need no new memory, which is several times as
    fast as arithmetic over hundreds of thousands of rows at once.
    """
    return [slice(first, first + PORTION) for first in range(0, count, PORTION)]


def chosen(rows: Rows, which: Bools) -> Rows:
    """Return the rows (n, ...) that a mask (n,) marks; the same array, not a copy, where it marks all."""
    return rows if which.all() else np.take(rows, np.flatnonzero(which), axis=0)


def box_of(points: Floats) -> tuple[Floats, Floats]:
    """Return the least and the largest coordinates (3,) of points (n, 3); n is at least 1."""
    return np.array([axis.min() for axis in points.T]), np.array([axis.max() for axis in points.T])


class Scratch:
    """Arrays that are kept by name and handed out again, with whatever was left in them.

    A step of a solver over some hundred thousand numbers would otherwise spend more time on getting fresh
    memory pages from the system than on the arithmetic.
    """

    def __init__(self) -> None:
        self._kept: dict[str, Any] = {}

    def floats(self, name: str, count: int, size: int) -> Floats:
        """Return an uninitialized array (count, size); the next call with this name gives the same memory."""
        arrays: Floats = self._arrays(name, count, size, np.float64)
        return arrays

    def ints(self, name: str, count: int, size: int) -> Ints:
        """Return an uninitialized integer array (count, size), as `floats` does."""
        arrays: Ints = self._arrays(name, count, size, np.intp)
        return arrays

    def _arrays(self, name: str, count: int, size: int, kind: type) -> Any:
        kept = self._kept.get(name)
        if kept is None or kept.shape[1] < size:
            kept = self._kept[name] = np.empty((count, int((1.0 + _SPARE) * size)), dtype=kind)
        return kept[:, :size]
