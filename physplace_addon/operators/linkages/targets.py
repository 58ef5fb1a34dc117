# SPDX-License-Identifier: GPL-3.0-or-later
"""Which part of a linkage an operator moves, by which of its points, and where to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Armature, Context, Curve, Object

from ...core.arrays import Floats
from ...core.wording import in_words
from ...scene.access import active_object, present
from ...scene.errors import SceneError
from ...scene.linkages.armatures import why_no_part
from ...scene.linkages.linkages import FoundLinkage

POSING_MODES = ("OBJECT", "POSE")


@dataclass(frozen=True, eq=False)
class PointOfPart:
    """A point (3,), in its own frame, of a part, by its number."""

    part: int
    point: Floats


class PosesFigures:
    """Says when an operator that poses a figure can run; of such, armatures count in what it watches over."""

    poses_figures = True

    @classmethod
    def disabled_reason(cls, context: Context) -> str | None:
        """Return why it cannot run now, or None: it needs an active object, in Object or Pose Mode."""
        if context.mode not in POSING_MODES:
            return "Only in Object Mode and Pose Mode: leave the mode you are in first"
        return "There is no active object: click a figure" if active_object(context) is None else None

    @classmethod
    def place_reason(cls, context: Context) -> str | None:
        """Return why it cannot work in this mode, or with this active object; None if it can."""
        return cls.disabled_reason(context)


def part_of_name(context: Context, found: FoundLinkage, name: str) -> int:
    """Return the number of the part of a name; for "" that of the active bone or object.

    Raises SceneError if the linkage has none.
    """
    names = [part.name for part in found.parts]
    chosen = name or _active_name(context, found)
    if chosen in names:
        return names.index(chosen)
    active = present(active_object(context))
    shown = found.part_shown_by(active.name_full)
    if not name and len(shown) == 1:
        return shown[0]
    error = why_no_part(active, chosen) if isinstance(active.data, Armature) else None
    if error is not None:
        raise error
    raise SceneError(
        active.name,
        f'its figure has no part "{chosen}"' if chosen else "no part of its figure is chosen",
        f"name one of {in_words(names)}, or make a bone the active one",
    )


def _active_name(context: Context, found: FoundLinkage) -> str:
    active = present(active_object(context))
    if isinstance(active.data, Armature):
        bone = active.data.bones.active
        return "" if bone is None else bone.name
    return active.name if any(part.name == active.name for part in found.parts) else ""


def point_of_part(found: FoundLinkage, part: int, place: Sequence[float] | None) -> PointOfPart:
    """Return the point of a part at a place (3,) in the world; for None a bone's tip, an object's origin."""
    pose = found.parts[part].pose
    if place is not None:
        return PointOfPart(part, pose.inverse().points(np.array(place, dtype=np.float64)))
    bone = found.parts[part].bone
    if bone is None:
        return PointOfPart(part, np.zeros(3))
    posed = present(bone.armature.object.pose).bones[bone.bone]
    return PointOfPart(part, bone.stretch @ np.array([0.0, posed.bone.length, 0.0]))


def curve_points(obj: Object) -> Floats:
    """Return points (n, 3) along a curve object, in the world, back to the first of a closed one.

    Raises SceneError for one that is no single line.
    """
    curve = obj.data
    splines = list(curve.splines) if isinstance(curve, Curve) else []
    found = obj.to_mesh() if splines else None
    points = np.zeros((0, 3)) if found is None else np.array([vertex.co for vertex in found.vertices])
    has_faces = found is not None and len(found.polygons) > 0
    obj.to_mesh_clear()
    if has_faces:
        raise SceneError(
            obj.name, "its curve has faces", "choose a curve without bevel, extrusion and filling"
        )
    if len(splines) > 1:
        raise SceneError(obj.name, "its curve has several splines", "choose a curve with one spline")
    if len(points) < 2:
        raise SceneError(obj.name, "it is no curve with two points or more", "choose a curve")
    if splines[0].use_cyclic_u:
        points = np.concatenate([points, points[:1]])
    matrix = np.array(obj.matrix_world, dtype=np.float64)
    placed: Floats = points @ matrix[:3, :3].T + matrix[:3, 3]
    return placed


def along(points: Floats, tau: float) -> Floats:
    """Return the point (3,) at a share tau, from 0 to 1, of the length of a polygon (n, 3)."""
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    way = np.concatenate([[0.0], np.cumsum(lengths)])
    at = tau * way[-1]
    return np.array([np.interp(at, way, points[:, axis]) for axis in range(3)])
