# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an object that is moved takes all that hangs on it along, as the one rigid body that is placed.

A child may be held by a constraint or a driver, and a modifier may make another shape wherever its object
stands. Nothing in Blender's data says so beforehand. So the parts of an object, each in the frame of the
object, are held against themselves before and after a motion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from bpy.types import Context, Depsgraph, Mesh, Object
from scipy.spatial import cKDTree

from ...core.arrays import Floats
from ..access import evaluated_scene, original
from ..affine import split
from ..blobs.objects import family_of, is_blob
from ..errors import SceneError
from ..reading.definitions import definition_of, has_definition
from ..reading.meshes import triangles_of
from ..reading.visible import Family, VisibleItem, visible_items

if TYPE_CHECKING:
    from ..reading.subjects.subject import Subject

SAME: Final = 1e-3  # largest change, over R, of where a part is or of its shape
_AXES: Final = np.concatenate([np.zeros((1, 3)), np.eye(3)])  # points that follow a frame


@dataclass(frozen=True, eq=False)
class _Part:
    """A part of an object: its name, the points (n, 3) of its shape in the object's frame, and, of an exact
    surface, what that is.
    """

    name: str
    points: Floats
    content: bytes

    def differs(self, other: _Part, room: float) -> bool:
        """Return whether it is elsewhere, or of another shape, by more than a length."""
        first, second = self.points, other.points
        if self.content != other.content or (len(first) == 0) != (len(second) == 0):
            return True
        if len(first) != len(second):  # as where two faces that are cut meet, by rounding
            first, second = (np.stack([each.min(axis=0), each.max(axis=0)]) for each in (first, second))
        return bool(len(first)) and not _are_near(first, second, room)


def _are_near(first: Floats, second: Floats, room: float) -> bool:
    """Return whether points (n, 3) have gone no farther than a length.

    They may be in another order, as those of metaballs are: then each has one of the others near it.
    """
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        return False
    if bool(np.abs(first - second).max() <= room):
        return True
    pairs = ((first, second), (second, first))
    return all(bool(np.max(cKDTree(one).query(other)[0]) <= room) for one, other in pairs)


@contextmanager
def moved_as_one(context: Context, subjects: Sequence[Subject]) -> Iterator[None]:
    """Raise SceneError after the block unless the objects were moved in it with all that hangs on them.

    It names the part that was not, or the object whose shape depends on where it stands.
    """
    watched = [subject for subject in subjects if not _is_plain(subject.object)]
    before = _parts(context, watched)
    yield
    for subject, parts, now in zip(watched, before, _parts(context, watched), strict=True):
        _check_alike(subject, parts, now)


def _check_alike(subject: Subject, before: Sequence[_Part], now: Sequence[_Part]) -> None:
    obj, room = subject.object, SAME * subject.body.radius + 2.0 * subject.rounding
    differing = [one.name for one, other in zip(before, now, strict=False) if one.differs(other, room)]
    if not differing and len(before) == len(now):
        return
    if differing and differing[0] != obj.name:
        raise SceneError(
            differing[0],
            f'it does not move along with "{obj.name}", on which it hangs: a constraint, a driver or a '
            "modifier decides where it is",
            "mute or apply that, or unparent it",
        )
    if obj.type == "META":
        raise SceneError(
            obj.name,
            "it is a metaball, which melts into those of its name that it comes near",
            "convert it to a mesh (Object > Convert > Mesh)",
        )
    raise SceneError(
        obj.name,
        "its shape depends on where it stands: a modifier, a driver or a simulation changes it as it moves",
        "mute or apply that",
    )


def _is_plain(obj: Object) -> bool:
    """Return whether an object is a mesh alone, which has one shape wherever it stands."""
    mesh = obj.data
    is_alone = not obj.children and obj.instance_type == "NONE" and not len(obj.modifiers)
    return is_alone and isinstance(mesh, Mesh) and mesh.shape_keys is None and not has_definition(obj)


def _parts(context: Context, subjects: Sequence[Subject]) -> list[list[_Part]]:
    """Return the parts of each object, in the frame in which it stands now."""
    if not subjects:
        return []
    depsgraph, objects = evaluated_scene(context), [subject.object for subject in subjects]
    frames = [_frame(obj, depsgraph) for obj in objects]
    found: list[list[_Part]] = [[] for _ in objects]
    for item in visible_items(depsgraph, [Family.of(obj) for obj in objects]):
        if item.family is not None:
            found[item.family].append(_part(item, frames[item.family]))
    for number, obj in enumerate(objects):
        if is_blob(obj):
            found[number] += _elements(obj, frames[number], depsgraph)
    return found


def _frame(obj: Object, depsgraph: Depsgraph) -> Floats:
    """Return what takes the world into an object's frame, as it stands now (4, 4)."""
    matrix = np.array(obj.evaluated_get(depsgraph).matrix_world, dtype=np.float64)
    return split(matrix).pose.inverse().matrix4


def _part(item: VisibleItem, frame: Floats) -> _Part:
    shown, name = item.evaluated, original(item.shower).name
    if item.exact:
        content = b"" if is_blob(shown) else definition_of(shown).content
        return _Part(name, _placed(_AXES, frame @ item.matrix), content)
    mesh = triangles_of(shown)
    points = np.zeros((0, 3)) if mesh is None else mesh.points
    return _Part(name, _placed(points, frame @ item.matrix), b"")


def _elements(blob: Object, frame: Floats, depsgraph: Depsgraph) -> list[_Part]:
    matrices = [
        (obj.name, np.array(obj.evaluated_get(depsgraph).matrix_world, dtype=np.float64))
        for obj in family_of(blob)
        if obj != blob
    ]
    return [_Part(name, _placed(_AXES, frame @ matrix), b"") for name, matrix in matrices]


def _placed(points: Floats, affine: Floats) -> Floats:
    moved: Floats = points @ affine[:3, :3].T + affine[:3, 3]
    return moved
