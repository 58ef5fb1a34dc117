# SPDX-License-Identifier: GPL-3.0-or-later
"""How the elements of a blob become one implicit function, and which of its parameters are each element's.

In a sum, balls and cylinders are Gaussians that flow into each other, each with a weight; other elements are
united with them. Subtracted elements are taken away last. A blob that is a part of another is one element of
it. Parts whose joins have a width of their own are joined one by one, after all others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
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
from ...core.implicit.functions.gaussians.fields import Field
from ...core.implicit.functions.gaussians.weighted_sum import GaussianGroup, WeightedSum
from ...core.implicit.functions.mirrored import Mirrored
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
    JOIN,
    MIRROR,
    OTHER_END,
    SMOOTH,
    SUBTRACT,
    SUM,
    WEIGHT,
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
    """A part of a blob.

    Attributes:
        part: its function.
        subtracts: whether it is taken away.
        element: its element; None for a blob.
        width: how wide its join is, in the blob's units.
        weight: what it counts in a sum, without unit.
        is_mirrored: whether it has a twin on the other side of the blob's plane x = 0.
    """

    part: BlobFunction
    subtracts: bool
    element: Element | None
    width: float
    weight: float = 1.0
    is_mirrored: bool = False

    @property
    def is_summed(self) -> bool:
        """Whether it is a Gaussian in a sum."""
        return isinstance(self.element, (Sphere, Cylinder))

    @property
    def joined(self) -> BlobFunction:
        """Its function, united with its mirror image if it has one."""
        if not self.is_mirrored:
            return self.part
        return replace(self.part, function=Mirrored(self.part.function, self.width))


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
    read = [
        _read(obj, frame, smooth)
        for obj in parts_of(blob)
        if custom_properties(obj).get(ELEMENT) != OTHER_END
    ]
    kept = [each for each in read if not each.subtracts]
    taken = [each for each in read if each.subtracts]
    if not kept:
        none = f'it has no elements, children with the property "{ELEMENT}"'
        found = "all its elements are subtracted" if taken else none
        raise SceneError(blob.name, found, "add one (Add Blob, with the blob active)")
    whole = _kept(blob, combination, kept, smooth)
    return _less(whole, taken, smooth)


def _less(whole: BlobFunction, taken: Sequence[_Read], smooth: float) -> BlobFunction:
    """Return a function less what is subtracted: first all whose joins have the blob's width."""
    alike = [each for each in taken if each.width == smooth]
    groups = [alike, *([each] for each in taken if each.width != smooth)]
    for group in groups:
        if group:
            parts, width = [each.joined for each in group], group[0].width
            function = difference(whole.function, [part.function for part in parts], width)
            whole = _joined(function, [whole, *parts], width)
    return whole


def _read(obj: Object, frame: BlobSpace, smooth: float) -> _Read:
    """Return a part of a blob, joined by the blob's width unless it has its own. Raises SceneError."""
    subtracts, width, is_mirrored = is_on(obj, SUBTRACT), number_of(obj, JOIN, -1.0), is_on(obj, MIRROR)
    width = smooth if width < 0.0 else width
    if is_blob(obj):
        return _Read(read_function(obj, frame), subtracts, None, width, is_mirrored=is_mirrored)
    kind = custom_properties(obj)[ELEMENT]
    if not isinstance(kind, str) or kind not in KINDS:
        known = ", ".join(f'"{name}"' for name in KINDS)
        raise SceneError(obj.name, f'its property "{ELEMENT}" is {kind!r}', f"set it to one of {known}")
    element = KINDS[kind].read(obj, frame)
    free = element.free & (not is_on(obj, FROZEN))
    part = BlobFunction(element.function, (ParameterSlot(element, 0),), free)
    return _Read(part, subtracts, element, width, number_of(obj, WEIGHT, 1.0), is_mirrored)


def _kept(blob: Object, combination: str, read: Sequence[_Read], smooth: float) -> BlobFunction:
    """Return what is not subtracted, combined."""
    if combination == SUM:
        summed = [each for each in read if each.is_summed]
        others = [each for each in read if not each.is_summed]
        first = [_Read(_sum(blob, summed), False, None, smooth)] if summed else []
        return _combined(union, [*first, *others], smooth)
    return _combined(intersection if combination == INTERSECTION else union, read, smooth)


def _combined(combine: Combine, read: Sequence[_Read], smooth: float) -> BlobFunction:
    """Return parts combined: first all whose joins have the blob's width, then the others one by one."""
    alike = [each for each in read if each.width == smooth] or [read[0]]
    parts = [each.joined for each in alike]
    whole = parts[0]
    if len(parts) > 1:
        whole = _joined(combine([part.function for part in parts], smooth), parts, smooth)
    for each in read:
        if each not in alike:
            pair = [whole, each.joined]
            whole = _joined(combine([part.function for part in pair], each.width), pair, each.width)
    return whole


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
    slots, free, first = [], [np.zeros(1, dtype=bool)], 1
    groups: list[tuple[tuple[float, bool], list[Field]]] = []
    radii: list[float] = []
    for kind, field in ((Sphere, SphereField), (Cylinder, CylinderField)):
        own = [(each, each.element) for each in read if isinstance(each.element, kind)]
        for key, alike in groupby(own, lambda pair: (pair[0].weight, pair[0].is_mirrored)):
            rows = []
            for each, element in alike:
                rows.append(element.row)
                slots.append(ParameterSlot(element, first))
                free.append(each.part.free)
                first += len(each.part.free)
            if not groups or groups[-1][0] != key:
                groups.append((key, []))
            groups[-1][1].append(field(np.array(rows)))
            radii += [row[-1] for row in rows]
    function = _sum_of(bias, groups)
    scaled = Scaled(function, as_length(float(np.mean(radii))))
    return BlobFunction(scaled, tuple(slots), np.concatenate(free))


def _sum_of(bias: float, groups: Sequence[tuple[tuple[float, bool], Sequence[Field]]]) -> ImplicitFunction:
    """Return a sum of fields by their weight and whether they are mirrored."""
    if [key for key, _ in groups] == [(1.0, False)]:
        return Blob(bias, tuple(groups[0][1]))
    return WeightedSum(bias, tuple(GaussianGroup(*key, tuple(fields)) for key, fields in groups))
