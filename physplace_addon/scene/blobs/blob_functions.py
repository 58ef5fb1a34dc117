# SPDX-License-Identifier: GPL-3.0-or-later
"""How the elements of a blob become one implicit function, and which of its parameters are each element's.

In a sum, balls and cylinders are Gaussians that flow into each other; other elements are united with them.
Subtracted elements are taken away last. A blob that is a part of another is one element of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ...core.arrays import Bools
from ...core.implicit import (
    Blob,
    CylinderField,
    ImplicitFunction,
    Scaled,
    SphereField,
    difference,
    intersection,
    union,
)
from ..access import custom_properties
from ..errors import SceneError
from .elements.elements import Cylinder, Element, Sphere, as_length
from .elements.kinds import KINDS
from .empty_transforms import BlobSpace
from .objects import (
    BIAS,
    BIAS_OF_RADII,
    BLOB,
    COMBINATIONS,
    ELEMENT,
    FROZEN,
    INTERSECTION,
    OTHER_END,
    SMOOTH,
    SUBTRACT,
    SUM,
    is_blob,
    is_on,
    number_of,
    parts_of,
)

Number = TypeVar("Number", bound=np.generic)
Combine = Callable[[Sequence[ImplicitFunction], float], ImplicitFunction]


@dataclass(frozen=True, eq=False)
class ParameterSlot:
    """An element, and the place of its parameters among the whole function's."""

    element: Element
    first: int

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the element's empties."""
        return tuple(transform.name for transform in self.element.transforms)

    def of(self, parameters: NDArray[Number]) -> NDArray[Number]:
        """Return the element's own among all parameters (m,): a view."""
        return parameters[self.first : self.first + len(self.element.free)]

    def after(self, count: int) -> ParameterSlot:
        """Return the slot behind so many more parameters."""
        return ParameterSlot(self.element, self.first + count)


@dataclass(frozen=True, eq=False)
class BlobFunction:
    """An implicit function made of elements.

    Attributes:
        function: the function, with m parameters.
        slots: the elements it is made of.
        free: (m,), which parameters sculpting may change.
    """

    function: ImplicitFunction
    slots: tuple[ParameterSlot, ...]
    free: Bools


@dataclass(frozen=True, eq=False)
class _Read:
    """A part of a blob, whether it is subtracted, and its element; None for a blob."""

    part: BlobFunction
    subtracts: bool
    element: Element | None


def read_function(blob: Object, frame: BlobSpace) -> BlobFunction:
    """Return the function of a blob in a space: its own, or that of the blob it is a part of.

    Raises SceneError for a property without meaning, and for a blob without elements.
    """
    combination = custom_properties(blob)[BLOB]
    if combination not in COMBINATIONS:
        known = ", ".join(f'"{name}"' for name in COMBINATIONS)
        raise SceneError(blob.name, f'its property "{BLOB}" is {combination!r}', f"set it to one of {known}")
    smooth = number_of(blob, SMOOTH, 0.0)
    if smooth < 0.0:
        raise SceneError(blob.name, f'its property "{SMOOTH}" is {smooth:g}', "set it to 0 or more")
    read = [_read(obj, frame) for obj in parts_of(blob) if custom_properties(obj).get(ELEMENT) != OTHER_END]
    kept = [each for each in read if not each.subtracts]
    taken = [each.part for each in read if each.subtracts]
    if not kept:
        none = f'it has no elements, children with the property "{ELEMENT}"'
        found = "all its elements are subtracted" if taken else none
        raise SceneError(blob.name, found, "add one (Add Blob, with the blob active)")
    whole = _kept(blob, combination, kept, smooth)
    if not taken:
        return whole
    function = difference(whole.function, [part.function for part in taken], smooth)
    return _joined(function, [whole, *taken], smooth)


def _read(obj: Object, frame: BlobSpace) -> _Read:
    subtracts = is_on(obj, SUBTRACT)
    if is_blob(obj):
        return _Read(read_function(obj, frame), subtracts, None)
    kind = custom_properties(obj)[ELEMENT]
    if not isinstance(kind, str) or kind not in KINDS:
        known = ", ".join(f'"{name}"' for name in KINDS)
        raise SceneError(obj.name, f'its property "{ELEMENT}" is {kind!r}', f"set it to one of {known}")
    element = KINDS[kind].read(obj, frame)
    free = element.free & (not is_on(obj, FROZEN))
    return _Read(BlobFunction(element.function, (ParameterSlot(element, 0),), free), subtracts, element)


def _kept(blob: Object, combination: str, read: Sequence[_Read], smooth: float) -> BlobFunction:
    """Return what is not subtracted, combined."""
    if combination == SUM:
        summed = [each for each in read if isinstance(each.element, (Sphere, Cylinder))]
        others = [each.part for each in read if not isinstance(each.element, (Sphere, Cylinder))]
        parts = [_sum(blob, summed), *others] if summed else others
        return _combined(union, parts, smooth)
    combine = intersection if combination == INTERSECTION else union
    return _combined(combine, [each.part for each in read], smooth)


def _combined(combine: Combine, parts: Sequence[BlobFunction], smooth: float) -> BlobFunction:
    if len(parts) == 1:
        return parts[0]
    return _joined(combine([part.function for part in parts], smooth), parts, smooth)


def _joined(function: ImplicitFunction, parts: Sequence[BlobFunction], smooth: float) -> BlobFunction:
    """Return a function of parts: the radius of a smooth combination, then the parameters of each."""
    slots: list[ParameterSlot] = []
    free = [np.zeros(1 if smooth > 0.0 else 0, dtype=bool)]
    first = len(free[0])
    for part in parts:
        slots += [slot.after(first) for slot in part.slots]
        free.append(part.free)
        first += len(part.free)
    return BlobFunction(function, tuple(slots), np.concatenate(free))


def _sum(blob: Object, read: Sequence[_Read]) -> BlobFunction:
    """Return the sum of Gaussians, as a length; parameters: the fixed bias, all balls, all cylinders."""
    bias = number_of(blob, BIAS, BIAS_OF_RADII)
    if bias <= 0.0:
        raise SceneError(blob.name, f'its property "{BIAS}" is {bias:g}', "set it above 0, as 0.37")
    rows: dict[type, list[NDArray[np.float64]]] = {Sphere: [], Cylinder: []}
    ordered = [each for kind in rows for each in read if isinstance(each.element, kind)]
    slots, free, first = [], [np.zeros(1, dtype=bool)], 1
    for each in ordered:
        assert isinstance(each.element, (Sphere, Cylinder))
        rows[type(each.element)].append(each.element.row)
        slots.append(ParameterSlot(each.element, first))
        free.append(each.part.free)
        first += len(each.part.free)
    fields = [
        field(np.array(rows[kind]))
        for kind, field in ((Sphere, SphereField), (Cylinder, CylinderField))
        if rows[kind]
    ]
    mean = float(np.mean([row[-1] for own in rows.values() for row in own]))
    return BlobFunction(
        Scaled(Blob(bias, tuple(fields)), as_length(mean)), tuple(slots), np.concatenate(free)
    )
