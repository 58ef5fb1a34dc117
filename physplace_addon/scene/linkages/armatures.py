# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature as a linkage: its bones are the parts, what they carry are the parts' bodies.

A bone carries the objects that are parented to it, with all that moves with these, and the faces of deformed
meshes of which it has most (`mesh_pieces`). One that carries nothing, with one below it that does, is a part,
too, whose body nothing touches: an octahedron of its length. Bones with nothing on or below them do not take
part: they follow. So do those that something else owns, with all below them; these are named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Armature, Context, Depsgraph, Object, PoseBone

from ...core import bodies
from ...core.arrays import Floats
from ...core.bodies import Body
from ..access import evaluated_scene, present
from ..dynamics.rigid_bodies import LeftOut, leave_out_lost_faces_of
from ..errors import SceneError
from ..reading.masses import BodyPart, body_part, combined_body
from ..reading.meshes import GEOMETRY_TYPES
from ..reading.shapes import BodyReader
from ..reading.subjects.movers import check_editable
from ..reading.visible import Family, visible_items
from ..references import ObjectReference
from ..writing.transform import basis_of, scale_of
from .bone_constraints import owners_of_bones
from .bone_frames import BoneFrame, bone_frame, refusal
from .bone_joints import BoneJoints
from .linkages import BonePlace, FoundLinkage, Part
from .mesh_pieces import Piece, deformed_meshes, pieces_of

_WIDTH = 0.1  # of the octahedron of a bone without a mesh, over its length
_FREE_IT = "mute or remove what owns it"


def read_armature(context: Context, armature: Object) -> FoundLinkage:
    """Return an armature's bones as a linkage.

    Raises:
        SceneError: it is linked, no bone carries a mesh, or a bone has no meaning; it names what is wrong.
    """
    check_editable(armature)
    if isinstance(armature.data, Armature) and armature.data.pose_position == "REST":
        remedy = "choose Pose Position in the properties of its data"
        raise SceneError(armature.name, "it is shown in its rest position", remedy)
    left_out = LeftOut()
    depsgraph = evaluated_scene(context)
    free = _free_bones(armature, left_out)
    carried = _carried_objects(armature, free)
    visible = [obj for obj in present(context.view_layer).objects if obj.visible_get()]
    deformed = deformed_meshes(armature, visible)
    pieces = pieces_of(context, armature, deformed, free, left_out)
    depsgraph = evaluated_scene(context)
    reader = _ArmatureReader(armature, depsgraph, left_out)
    parts = reader.parts(free, carried, pieces)
    if not any(part.is_solid for part in parts):
        raise _without_bodies(context, armature, visible, deformed)
    evaluated = armature.evaluated_get(depsgraph)
    numbers = {part.name: number for number, part in enumerate(parts)}
    maker = BoneJoints(evaluated, numbers, tuple(part.pose for part in parts), left_out)
    pose = present(evaluated.pose)
    joints = [joint for part in parts for joint in maker.of(pose.bones[part.name], reader.frames[part.name])]
    hanging = [child for child in armature.children if child.parent_type == "BONE"]
    names = frozenset(name for child in hanging for name in Family.of(child).names)
    families = names | {obj.name_full for obj in deformed} | {armature.name_full}
    return FoundLinkage(tuple(parts), tuple(joints), families, left_out.notes())


def _without_bodies(
    context: Context, armature: Object, visible: Sequence[Object], deformed: Sequence[Object]
) -> SceneError:
    """Return the error for an armature none of whose free bones carries a mesh.

    It names the first bone that something owns, if that or a bone below it carries something.
    """
    bones, owners = [bone.name for bone in _parents_first(armature)], owners_of_bones(armature)
    shapes = {obj.name_full for obj in visible if obj.type in GEOMETRY_TYPES or obj.is_instancer}
    objects = _carried_objects(armature, bones)
    carrying = {name for name in objects if any(Family.of(obj).names & shapes for obj in objects[name])}
    carrying |= {piece.bone for piece in pieces_of(context, armature, deformed, bones, LeftOut())}
    for name in bones:
        below = {each.name for each in present(armature.pose).bones[name].children_recursive}
        if name in owners and carrying & {name, *below}:
            return refusal(armature, name, f"does not move by itself, as {owners[name]}", _FREE_IT)
    return SceneError(
        armature.name,
        "none of its bones carries a visible mesh",
        "parent meshes to its bones (Ctrl P, Bone), or give a mesh an Armature modifier and weights",
    )


def _free_bones(armature: Object, left_out: LeftOut) -> list[str]:
    """Return the names of the bones that nothing owns, parents first."""
    owners, free = owners_of_bones(armature), list[str]()
    for bone in _parents_first(armature):
        if bone.name in owners:
            left_out.add(f"the motion by itself, as {owners[bone.name]},", bone.name)
        elif bone.parent is None or bone.parent.name in free:
            free.append(bone.name)
    return free


def why_no_part(armature: Object, name: str) -> SceneError | None:
    """Return the error that says why a bone is no part of its armature's figure; None for no bone of it."""
    bones, owners = present(armature.pose).bones, owners_of_bones(armature)
    if name not in bones:
        return None
    for each in (bones[name], *bones[name].parent_recursive):
        if each.name in owners:
            found = f"does not move by itself, as {owners[each.name]}"
            found = found if each.name == name else f'hangs on "{each.name}", which {found}'
            return refusal(armature, name, found, _FREE_IT)
    remedy = "parent a mesh to it (Ctrl P, Bone), or choose a bone that has one"
    return refusal(armature, name, "carries no visible mesh, and none hangs on it", remedy)


def _parents_first(armature: Object) -> list[PoseBone]:
    below = dict[str, list[PoseBone]]()
    for bone in present(armature.pose).bones:
        below.setdefault("" if bone.parent is None else bone.parent.name, []).append(bone)
    found = below.get("", []).copy()
    for bone in found:
        found += below.get(bone.name, [])
    return found


def _carried_objects(armature: Object, bones: Sequence[str]) -> dict[str, list[Object]]:
    """Return the objects that are parented to bones, by the bones' names."""
    carried: dict[str, list[Object]] = {}
    for child in armature.children:
        if child.parent_type == "BONE" and child.parent_bone in bones:
            carried.setdefault(child.parent_bone, []).append(child)
    return carried


@dataclass(frozen=True, eq=False)
class _Carried:
    """What a bone carries: bodies in its frame, and the full names of the objects that show them."""

    bodies: list[Body]
    shown: set[str]


class _ArmatureReader:
    """Makes the parts of an armature.

    Attributes:
        frames: of the bones that are parts, by their names.
    """

    def __init__(self, armature: Object, depsgraph: Depsgraph, left_out: LeftOut) -> None:
        self._armature, self._depsgraph, self._left_out = armature, depsgraph, left_out
        self._evaluated = armature.evaluated_get(depsgraph)
        self._reader = BodyReader(depsgraph)
        self.frames: dict[str, BoneFrame] = {}

    def parts(
        self, bones: Sequence[str], objects: dict[str, list[Object]], pieces: Sequence[Piece]
    ) -> list[Part]:
        """Return the parts, parents first."""
        pose = present(self._evaluated.pose)
        needed = self._needed(bones, {*objects, *(piece.bone for piece in pieces)})
        self.frames = {name: bone_frame(self._evaluated, pose.bones[name]) for name in needed}
        carried = {name: _Carried([], set()) for name in needed}
        self._add_objects(carried, objects)
        for piece in pieces:
            self._add_piece(carried[piece.bone], piece)
        for name, error in self._reader.left_out.items():
            self._left_out.add(f"the shape, since {error.found},", name)
        return [self._part(name, carried[name]) for name in needed]

    def _needed(self, bones: Sequence[str], carrying: set[str]) -> list[str]:
        """Return the bones that carry something, or have one below them that does."""
        wanted = set[str]()
        for name in reversed(bones):
            parent = present(self._armature.pose).bones[name].parent
            if name in carrying or name in wanted:
                wanted |= {name} | ({parent.name} if parent is not None else set())
        return [name for name in bones if name in wanted]

    def _add_objects(self, carried: dict[str, _Carried], objects: dict[str, list[Object]]) -> None:
        owners = [(bone, obj) for bone, each in objects.items() for obj in each]
        parts: list[list[BodyPart]] = [[] for _ in owners]
        for item in visible_items(self._depsgraph, [Family.of(obj) for _, obj in owners]):
            if item.family is not None:
                placed = self.frames[owners[item.family][0]].placed
                own = self._reader.body(item, placed.pose.inverse().matrix4 @ item.matrix)
                parts[item.family] += [] if own is None else [body_part(own, item.evaluated, item.shower)]
        for (bone, obj), found in zip(owners, parts, strict=True):
            carried[bone].shown.update(Family.of(obj).names)
            if found:
                pose, members = self.frames[bone].placed.pose, [obj, *obj.children_recursive]
                body = combined_body(found, members, pose, self._depsgraph)
                leave_out_lost_faces_of(self._left_out, body, obj.name)
                carried[bone].bodies.append(body)

    def _add_piece(self, carried: _Carried, piece: Piece) -> None:
        made = piece.body(self.frames[piece.bone].placed.stretch)
        if made.error is not None:
            self._left_out.add(
                f"the faces that follow bone {piece.bone}, since {made.error.found},", piece.name
            )
        if made.body is not None:
            leave_out_lost_faces_of(self._left_out, made.body, piece.name)
            carried.bodies.append(made.body)
            carried.shown.add(piece.owner)

    def _part(self, name: str, carried: _Carried) -> Part:
        frame = self.frames[name]
        own = carried.bodies
        body = bodies.merge(own, name) if own else _octahedron(self._length(name), name)
        whole = np.array(self._evaluated.matrix_world, dtype=np.float64)
        reference = ObjectReference.of(self._armature)
        scale, outer = scale_of(self._evaluated), whole @ np.linalg.pinv(basis_of(self._evaluated))
        place = BonePlace(reference, name, whole, frame.placed.stretch, frame.carrier, scale, outer)
        return Part(name, body, frame.placed.pose, bool(own), bone=place, shown=frozenset(carried.shown))

    def _length(self, name: str) -> Floats:
        """Return the bone's length along each axis (3,) of its frame: y alone counts for its sign."""
        bone = present(self._evaluated.pose).bones[name]
        along: Floats = self.frames[name].placed.stretch @ np.array([0.0, bone.bone.length, 0.0])
        return along


def _octahedron(along: Floats, name: str) -> Body:
    """Return an octahedron from the origin to a point (3,) of the axis y."""
    length = float(along[1])
    half = _WIDTH * abs(length)
    points = np.array(
        [
            [0.0, 0.0, 0.0],
            [0.0, length, 0.0],
            *([x * half, 0.5 * length, z * half] for x, z in ((1, 0), (0, 1), (-1, 0), (0, -1))),
        ]
    )
    ring = [(2 + i, 2 + (i + 1) % 4) for i in range(4)]
    triangles = np.array([*((0, a, b) for a, b in ring), *((1, b, a) for a, b in ring)])
    return bodies.polyhedron(points, triangles, name)
