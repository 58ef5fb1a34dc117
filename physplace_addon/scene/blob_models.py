# SPDX-License-Identifier: GPL-3.0-or-later
"""A blob, read from its empties as an implicit function in its own coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from bpy.types import Context, Object
from numpy.typing import NDArray

from ..core.arrays import Bools, Floats
from ..core.implicit import Blob, CylinderField, ImplicitFunction, SphereField
from ..core.implicit.frozen import Frozen
from .access import custom_properties
from .blob_kinds import KINDS, Cylinder, Element, Seating, Sphere
from .blob_seats import Frame, Seat
from .blobs import (
    BIAS,
    BIAS_OF_RADII,
    BLOB,
    COMBINATIONS,
    ELEMENT,
    FROZEN,
    OTHER_END,
    SIGMA,
    SMOOTH,
    SUBTRACT,
    controls_of,
    family_of,
    is_on,
    number_of,
    parts_of,
)
from .errors import SceneError

Number = TypeVar("Number", bound=np.generic)

LEAST_BIAS = 1e-6


@dataclass(frozen=True, eq=False)
class Slot:
    """An element and where its parameters are among those of the whole function."""

    element: Element
    first: int

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the element's empties."""
        return tuple(seat.name for seat in self.element.seats)

    def of(self, parameters: NDArray[Number]) -> NDArray[Number]:
        """Its own among all parameters (m,)."""
        return parameters[self.first : self.first + len(self.element.parameters)]


@dataclass(frozen=True, eq=False)
class Part:
    """A function, the slots of the elements that it is made of, and which parameters may change (m,)."""

    function: ImplicitFunction
    slots: tuple[Slot, ...]
    free: Bools


@dataclass(frozen=True, eq=False)
class BlobModel:
    """A blob in its own coordinates. frame (4, 4) brings them to the world; sigma is what the artist asks the
    particles to be spread by, 0 for as many as its size wants; combination: what is set on the blob.
    """

    name: str
    frame: Floats
    function: ImplicitFunction
    slots: tuple[Slot, ...]
    free: Bools
    sigma: float
    controls: tuple[Seat, ...]
    combination: tuple[object, ...]

    def seatings(self) -> list[Seating]:
        """What its parameters are written as to the empties."""
        own = self.function.parameters
        return [seating for slot in self.slots for seating in slot.element.seatings(slot.of(own))]

    def sculpted(self, grabbed: frozenset[str] = frozenset()) -> Frozen:
        """The function of those parameters that sculpting may change: none of elements that the artist
        holds.
        """
        free = self.free.copy()
        for slot in self.slots:
            if grabbed.intersection(slot.names):
                slot.of(free)[:] = False
        return Frozen(self.function, free)

    def with_sculpted(self, sculpted: ImplicitFunction) -> BlobModel:
        """The model with the parameters that sculpting has come to."""
        return replace(self, function=sculpted.whole) if isinstance(sculpted, Frozen) else self

    def without_rounding(self, before: BlobModel, moved: frozenset[str]) -> BlobModel:
        """The model with the parameters that an earlier one had, but for elements with empties that were
        moved.

        What is read from empties is in single precision.
        """
        known = {slot.names: slot.of(before.function.parameters) for slot in before.slots}
        parameters = self.function.parameters.copy()
        for slot in self.slots:
            own = known.get(slot.names)
            if (
                own is not None
                and not moved.intersection(slot.names)
                and len(own) == len(slot.of(parameters))
            ):
                slot.of(parameters)[:] = own
        return replace(self, function=self.function.with_parameters(parameters))

    def is_made_as(self, other: BlobModel) -> bool:
        """Whether another model has the same elements, combined and frozen in the same way."""
        mine = [(type(slot.element), slot.names, slot.first) for slot in self.slots]
        theirs = [(type(slot.element), slot.names, slot.first) for slot in other.slots]
        fixed = np.ones(len(self.free), dtype=bool)
        for slot in self.slots:
            slot.of(fixed)[:] = False
        return (
            mine == theirs
            and self.combination == other.combination
            and np.array_equal(self.free, other.free)
            and np.array_equal(self.function.parameters[fixed], other.function.parameters[fixed])
        )

    @property
    def names(self) -> frozenset[str]:
        """The names of its empties, control points too."""
        parts = {name for slot in self.slots for name in slot.names}
        return frozenset({self.name, *parts, *(seat.name for seat in self.controls)})


def read_blob(context: Context, blob: Object) -> BlobModel:
    """Read a blob as it is seen now. Raises SceneError, naming the object, the property and a remedy."""
    frame = Frame.of(blob)
    part = _read(context, blob, frame)
    sigma = number_of(blob, SIGMA, 0.0)
    if sigma < 0.0:
        raise SceneError(blob.name, f'its property "{SIGMA}" is {sigma:g}', "set it to 0 or more")
    controls = tuple(frame.seat(control) for control in controls_of(context, blob))
    return BlobModel(
        blob.name,
        frame.matrix,
        part.function,
        part.slots,
        part.free,
        sigma,
        controls,
        _combination(context, blob),
    )


def _combination(context: Context, blob: Object) -> tuple[object, ...]:
    """All that says how the elements are combined, on the blob and on those that are parts of it."""
    return tuple(
        (obj.name, key, custom_properties(obj).get(key))
        for obj in family_of(context, blob)
        for key in (BLOB, SMOOTH, SUBTRACT)
    )


def _read(context: Context, blob: Object, frame: Frame) -> Part:
    combination = custom_properties(blob)[BLOB]
    if combination not in COMBINATIONS:
        known = ", ".join(f'"{name}"' for name in COMBINATIONS)
        raise SceneError(blob.name, f'its property "{BLOB}" is {combination!r}', f"set it to one of {known}")
    elements = [
        (_element(context, part, frame), is_on(part, FROZEN))
        for part in parts_of(context, blob)
        if custom_properties(part).get(ELEMENT) != OTHER_END
    ]
    if not elements:
        raise SceneError(blob.name, "it has no elements", "add one (Add Blob, with the blob active)")
    return _sum(blob, elements)


def _element(context: Context, obj: Object, frame: Frame) -> Element:
    kind = custom_properties(obj)[ELEMENT]
    if not isinstance(kind, str) or kind not in KINDS:
        known = ", ".join(f'"{name}"' for name in KINDS)
        raise SceneError(obj.name, f'its property "{ELEMENT}" is {kind!r}', f"set it to one of {known}")
    return KINDS[kind].read(context, obj, frame)


def _sum(blob: Object, elements: Sequence[tuple[Element, bool]]) -> Part:
    """The sum of Gaussians: first the bias, which stays, then all balls, then all cylinders."""
    bias = number_of(blob, BIAS, BIAS_OF_RADII)
    if bias < LEAST_BIAS:
        raise SceneError(blob.name, f'its property "{BIAS}" is {bias:g}', "set it above 0, as 0.37")
    ordered = [each for kind in (Sphere, Cylinder) for each in elements if isinstance(each[0], kind)]
    fields = [
        field(np.array([element.parameters for element, _ in elements if isinstance(element, kind)]))
        for kind, field in ((Sphere, SphereField), (Cylinder, CylinderField))
        if any(isinstance(element, kind) for element, _ in elements)
    ]
    slots, free, first = [], [np.zeros(1, dtype=bool)], 1
    for element, frozen in ordered:
        count = len(element.parameters)
        slots.append(Slot(element, first))
        free.append(np.full(count, not frozen))
        first += count
    return Part(Blob(bias, tuple(fields)), tuple(slots), np.concatenate(free))
