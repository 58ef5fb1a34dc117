# SPDX-License-Identifier: GPL-3.0-or-later
"""An object among all else that is visible, read once and valid as long as only the object moves.

Reading a scene takes time in proportion to its meshes; comparing transforms is fast. So what was seen is
kept: of the world, each item and its transform; of the object, its parts in its own frame. While these are
equal, the bodies that were read are valid, and only the pose is new.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Context, Depsgraph, Object, Scene

from ...core.arrays import Floats
from ...core.placement.contact_query import ContactQuery, QueriedContacts
from ...core.rigid import Pose
from ..access import custom_properties, evaluated_scene, original, present
from ..affine import NOISE, is_singular, split
from ..blobs.frames import present_model
from ..blobs.objects import is_blob
from .definitions import KIND
from .scenario import Scenario, read
from .smooth import is_faceted
from .subjects.options import PlacementOptions
from .visible import Family, VisibleItem, visible_items

Fingerprint = tuple[str, str, int, tuple[str, ...], bytes]


@dataclass(frozen=True, eq=False)
class SeenPart:
    """A part of the moving object: its fingerprint, and its affine map (4, 4) into the object's frame."""

    fingerprint: Fingerprint
    affine: Floats


@dataclass(frozen=True, eq=False)
class WatchedObject:
    """The object as a body among what it may come near, a contact query, and what was seen of both."""

    scenario: Scenario
    query: ContactQuery
    world: tuple[Fingerprint, ...]
    parts: tuple[SeenPart, ...]

    @classmethod
    def of(cls, context: Context, obj: Object) -> WatchedObject:
        """Return a scene read around an object. Raises PhysPlaceError, which names what cannot be read."""
        scenario = read(context, [obj], PlacementOptions())
        subject = scenario.subject
        world, parts = _seen(evaluated_scene(context), obj, subject.pose)
        return cls(
            scenario, ContactQuery.of(subject.body, subject.pose, scenario.world), tuple(world), tuple(parts)
        )

    def contacts(self, context: Context, obj: Object) -> QueriedContacts | None:
        """Return the contacts and overlaps of the object at its present pose.

        None if the scene must be read again: another object has moved, come or gone, or this one has changed,
        or come near what was too far away to be read.
        """
        depsgraph = evaluated_scene(context)
        matrix = np.array(obj.evaluated_get(depsgraph).matrix_world, dtype=np.float64)
        subject = self.scenario.subject
        if obj.session_uid != subject.reference.uid or not np.isfinite(matrix).all() or is_singular(matrix):
            return None
        pose = split(matrix).pose
        if self.scenario.misses([pose]):
            return None
        world, parts = _seen(depsgraph, obj, pose)
        if tuple(world) != self.world or not self._has(parts, pose):
            return None
        return self.query.at(pose, replace(subject, pose=pose).rounding)

    def _has(self, parts: list[SeenPart], pose: Pose) -> bool:
        """Return whether the object's parts are where they were in its frame, within single precision."""
        if len(parts) != len(self.parts):
            return False
        for part, known in zip(parts, self.parts, strict=True):
            noise = NOISE * np.abs(known.affine).max(axis=0)
            noise[3] += NOISE * np.abs(pose.translation).max()
            if part.fingerprint != known.fingerprint or (np.abs(part.affine - known.affine) > noise).any():
                return False
        return True


def _seen(depsgraph: Depsgraph, obj: Object, pose: Pose) -> tuple[list[Fingerprint], list[SeenPart]]:
    """Return what is visible beside an object, and the parts of the object in its frame at a pose."""
    back = pose.inverse().matrix4
    world: list[Fingerprint] = []
    parts: list[SeenPart] = []
    for item in visible_items(depsgraph, [Family.of(obj)]):
        if item.family is None:
            world.append(_fingerprint(item, depsgraph, item.matrix.tobytes()))
        else:
            parts.append(SeenPart(_fingerprint(item, depsgraph, b""), back @ item.matrix))
    return world, parts


def _fingerprint(item: VisibleItem, depsgraph: Depsgraph, where: bytes) -> Fingerprint:
    """Return what identifies an item, with the definition of its surface."""
    shown = item.evaluated
    definition = _definition(shown, item.exact, present(depsgraph.scene))
    return item.owner, shown.name, shown.data.as_pointer() if shown.data else 0, definition, where


def _definition(shown: Object, exact: bool, scene: Scene) -> tuple[str, ...]:
    """Return all that defines the surface of an object besides its mesh.

    Raises SceneError for a blob that cannot be read.
    """
    if is_blob(shown):
        return (repr(present_model(original(shown))[0].definition),)
    if not exact:
        return ("flat" if is_faceted(original(shown), scene) else "curved",)
    own = custom_properties(shown).items()
    return tuple(f"{key}={value}" for key, value in own if key.startswith(KIND))
