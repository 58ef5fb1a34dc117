# SPDX-License-Identifier: GPL-3.0-or-later
"""A blob, read from its empties as an implicit function in the blob's own coordinates.

`floater_settings` gives the radius of the particles (Witkin and Heckbert's floaters) on its surface, and the
box in which the surface is looked for.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import bpy
import numpy as np
from bpy.types import Object

from ...core.arrays import Bools, Floats
from ...core.implicit import Frozen, ImplicitFunction
from ...core.implicit.control.state import SculptSettings
from ...core.implicit.particles.floaters import FloaterSettings
from ..access import custom_properties
from ..errors import SceneError
from .blob_functions import ParameterSlot, read_function
from .elements.elements import EmptyUpdate
from .empty_transforms import BlobSpace, EmptyTransform
from .objects import (
    BLOB,
    FOCUS,
    FORMULA,
    JOIN,
    KEEP_NORMALS,
    MIRROR,
    SIGMA,
    SMOOTH,
    SUBTRACT,
    TURN,
    WEIGHT,
    check_depth,
    controls_of,
    family_of,
    is_on,
    number_of,
    shared_ends,
)

FINEST = 0.003  # smallest radius of particles over the blob's size: about 120,000 of them on a ball
SHARE = 0.04  # their radius over the blob's size, unless set: about 680 on a ball
ROOM = 4.0  # how far an unbounded surface is followed beyond its elements, over the largest one's radius


@dataclass(frozen=True, eq=False)
class BlobModel:
    """A blob in its own coordinates.

    Attributes:
        name: the blob object's name.
        frame: (4, 4), from the blob's coordinates to the world.
        function: its implicit function, below 0 inside.
        slots: its elements, each with the place of its parameters among the function's.
        free: (m,), which parameters sculpting may change.
        sigma: the radius of its particles in the blob's units; 0: chosen by its size.
        controls: its control points.
        combination: all properties that say how the elements combine.
        turn: by how many radians the surface may turn over a particle's radius; 0: by any.
        focus: how far from a dragged control point particles are smaller, in the blob's units; 0: nowhere.
        keeps_normals: whether the surface keeps its direction at a control point that is dragged.
    """

    name: str
    frame: Floats
    function: ImplicitFunction
    slots: tuple[ParameterSlot, ...]
    free: Bools
    sigma: float
    controls: tuple[EmptyTransform, ...]
    combination: tuple[object, ...]
    turn: float = 0.0
    focus: float = 0.0
    keeps_normals: bool = False

    @property
    def settings(self) -> tuple[float, float, float, bool]:
        """What the settings of sculpting depend on."""
        return self.sigma, self.turn, self.focus, self.keeps_normals

    def updates(self) -> list[EmptyUpdate]:
        """Return what its parameters are written as, to the empties of elements that may change."""
        own, slots = self.function.parameters, [slot for slot in self.slots if slot.of(self.free).any()]
        return [update for slot in slots for update in slot.element.updates(slot.of(own))]

    @property
    def definition(self) -> tuple[object, ...]:
        """All that its surface depends on, as a value that can be compared and hashed."""
        kinds = tuple((type(slot.element).__name__, slot.names) for slot in self.slots)
        places = tuple(
            transform.matrix.tobytes() for slot in self.slots for transform in slot.element.transforms
        )
        return self.combination, kinds, places, self.function.parameters.tobytes()

    def with_current_controls(self, names: Collection[str]) -> BlobModel:
        """Return the model with some of its control points, given by name, read anew. Raises SceneError."""
        frame = BlobSpace(self.name, self.frame)
        anew = [
            frame.transform_of(bpy.data.objects[transform.name]) if transform.name in names else transform
            for transform in self.controls
        ]
        return replace(self, controls=tuple(anew))

    def sculpted(self, grabbed: frozenset[str] = frozenset()) -> Frozen:
        """Return the function of the parameters that may change; those of grabbed empties are fixed."""
        free = self.free.copy()
        for slot in self.slots:
            if grabbed.intersection(slot.names):
                slot.of(free)[:] = False
        return Frozen(self.function, free)

    def with_sculpted(self, sculpted: ImplicitFunction) -> BlobModel:
        """Return the model with the parameters of a sculpted function."""
        return replace(self, function=sculpted.whole) if isinstance(sculpted, Frozen) else self

    def without_rounding(self, before: BlobModel, moved: frozenset[str]) -> BlobModel:
        """Return the model with an earlier one's parameters, except for elements whose empties were moved.

        What is read from empties is in single precision; the earlier parameters are in double precision.
        """
        known = {slot.names: slot.of(before.function.parameters) for slot in before.slots}
        parameters = self.function.parameters.copy()
        for slot in self.slots:
            own, now = known.get(slot.names), slot.of(parameters)
            if own is not None and not moved.intersection(slot.names) and len(own) == len(now):
                now[slot.element.reproducible] = own[slot.element.reproducible]
        return replace(self, function=self.function.with_parameters(parameters))

    def is_made_as(self, other: BlobModel) -> bool:
        """Return whether another model has the same elements, in the same order and equally frozen."""
        mine = [(type(slot.element), slot.names, slot.first) for slot in self.slots]
        theirs = [(type(slot.element), slot.names, slot.first) for slot in other.slots]
        return mine == theirs and np.array_equal(self.free, other.free)

    def is_combined_as(self, other: BlobModel) -> bool:
        """Return whether another model has the same elements, combined in the same way."""
        fixed = np.ones(len(self.free), dtype=bool)
        for slot in self.slots:
            slot.of(fixed)[:] = False
        return (
            self.is_made_as(other)
            and self.combination == other.combination
            and np.array_equal(self.function.parameters[fixed], other.function.parameters[fixed])
        )

    @property
    def names(self) -> frozenset[str]:
        """The names of its empties, control points included."""
        parts = {name for slot in self.slots for name in slot.names}
        return frozenset({self.name, *parts, *(transform.name for transform in self.controls)})


def read_blob(blob: Object) -> BlobModel:
    """Return a blob as it is now. Raises SceneError, which names the object, the property and a remedy."""
    check_depth(blob)
    frame = replace(BlobSpace.of(blob), shared=shared_ends(blob))
    part = read_function(blob, frame)
    sigma, turn, focus = (_not_negative(blob, key) for key in (SIGMA, TURN, FOCUS))
    controls = tuple(frame.transform_of(control) for control in controls_of(blob))
    return BlobModel(
        blob.name,
        frame.matrix,
        part.function,
        part.slots,
        part.free,
        sigma,
        controls,
        _combination(blob),
        turn,
        focus,
        is_on(blob, KEEP_NORMALS),
    )


def _not_negative(blob: Object, key: str) -> float:
    """Return a number of a blob's, 0 unless set. Raises SceneError for one below 0."""
    value = number_of(blob, key, 0.0)
    if value < 0.0:
        raise SceneError(blob.name, f'its property "{key}" is {value:g}', "set it to 0 or more")
    return value


def _combination(blob: Object) -> tuple[object, ...]:
    """Return all properties that say how the elements combine, on the blob and on its parts."""
    return tuple(
        (obj.name, key, custom_properties(obj).get(key))
        for obj in family_of(blob)
        for key in (BLOB, SMOOTH, SUBTRACT, WEIGHT, JOIN, MIRROR, FORMULA)
    )


def sculpt_settings(model: BlobModel) -> SculptSettings:
    """Return the settings with which a blob is sculpted. Raises SceneError as `floater_settings`."""
    return SculptSettings(floater_settings(model), keep_normals=model.keeps_normals)


def floater_settings(model: BlobModel) -> FloaterSettings:
    """Return the settings of a blob's particles: radius and box, in the blob's units.

    Raises SceneError for a radius so small that there would be hundreds of thousands of particles.
    """
    box = model.function.box()
    ends = bool(np.all(np.isfinite(box)))
    bounds = surface_bounds(model)
    shown = box if bounds is None else bounds
    size = float(np.max(shown[1] - shown[0])) if ends or bounds is not None else 1.0
    radius = model.sigma if model.sigma > 0.0 else SHARE * size
    if radius < FINEST * size:
        found = f'its property "{SIGMA}" is {radius:g}, which would be hundreds of thousands of particles'
        raise SceneError(model.name, found, f"set it to {FINEST * size:.2g} or more, or to 0")
    return FloaterSettings(radius=radius, turn=model.turn, focus_size=model.focus, bounds=bounds)


def surface_bounds(model: BlobModel) -> Floats | None:
    """Return the box (2, 3) that cuts off a blob's surface without end; None where it ends."""
    box = model.function.box()
    return None if np.isfinite(box).all() else _room(model, box)


def surface_box(model: BlobModel) -> Floats:
    """Return a box (2, 3), in the blob's units, in which its surface is shown.

    It is the surface's own, or a room about the elements where the surface has no end. Without a surface the
    lowest corner is above the highest.
    """
    box = model.function.box()
    if bool(np.all(np.isfinite(box))):
        return box
    room = _room(model, box)
    return box if room is None else room


def _room(model: BlobModel, box: Floats) -> Floats | None:
    """Return a box (2, 3) around the elements, cut by that of the surface; None for an empty surface."""
    if np.any(box[0] > box[1]):
        return None
    centres = np.array([transform.centre for slot in model.slots for transform in slot.element.transforms])
    size = max(transform.radius for slot in model.slots for transform in slot.element.transforms)
    room = np.stack([centres.min(axis=0) - ROOM * size, centres.max(axis=0) + ROOM * size])
    cut = np.stack([np.maximum(room[0], box[0]), np.minimum(room[1], box[1])])
    return cut if np.all(cut[0] < cut[1]) else room
