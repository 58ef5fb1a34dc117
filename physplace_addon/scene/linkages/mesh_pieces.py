# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh that bones deform, taken apart into rigid pieces: each face goes with the bone that has most of it.

The mesh is the one of the armature's rest position, with all other modifiers. With M the matrix of its object
and A that of its armature, a point v is at `L^-1 A^-1 M v` in the frame of a bone with rest matrix L in the
armature, and a piece stays there however the bone is posed. Where the skin blends between bones, it leaves
the pieces a little; they keep their shape. Where a piece was cut from the others it is closed by a cap, so
that the pieces of a closed skin are solids.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from bpy.types import Armature, ArmatureModifier, Context, Depsgraph, Mesh, Object

from ...core import bodies
from ...core.arrays import Floats, Ints
from ...core.errors import MeshError
from ...core.mesh.cut_caps import sides_with_others, with_caps
from ..access import present, view_layer_of
from ..affine import is_singular, linear4
from ..changes import own_changes
from ..dynamics.rigid_bodies import LeftOut
from ..errors import SceneError
from ..reading.kept_bodies import MadeBody, digest, kept
from ..reading.meshes import arrays_of
from .bone_frames import matrix_of

_LEAST = 1e-6  # weight below which a bone has nothing of a vertex


@dataclass(frozen=True, eq=False)
class Piece:
    """The faces of a mesh that go with one bone.

    Attributes:
        owner: the full name of the mesh's object.
        name: of the object.
        bone: the name of the bone.
        points: (n, 3), in the bone's own frame.
        triangles: (t, 3).
    """

    owner: str
    name: str
    bone: str
    points: Floats
    triangles: Ints

    def body(self, stretch: Floats) -> MadeBody:
        """Return its body after the stretch (3, 3) of its bone, kept by what it is made of."""
        key = digest("piece", self.points, self.triangles)
        found = kept.made(key, self._made)
        if found.body is None:
            return found
        return MadeBody(kept.placed(key, found.body, linear4(stretch), self.bone), found.notes)

    def _made(self) -> MadeBody:
        try:
            return MadeBody(bodies.polyhedron(self.points, self.triangles, "mesh"))
        except MeshError as error:
            return MadeBody(None, error=error)


def deformed_meshes(armature: Object, visible: Sequence[Object]) -> list[Object]:
    """Return the visible mesh objects that an armature deforms."""
    return [obj for obj in visible if obj.type == "MESH" and _is_deformed_by(obj, armature)]


def _is_deformed_by(obj: Object, armature: Object) -> bool:
    modifiers = [each for each in obj.modifiers if isinstance(each, ArmatureModifier) and each.show_viewport]
    by_parent = obj.parent == armature and obj.parent_type == "ARMATURE"
    return by_parent or any(each.object == armature for each in modifiers)


def pieces_of(
    context: Context, armature: Object, meshes: Sequence[Object], bones: Sequence[str], left_out: LeftOut
) -> list[Piece]:
    """Return the pieces of meshes that an armature deforms, for some of its bones.

    Faces that no bone moves are left out, and named. Raises SceneError for a mesh whose object is scaled to
    zero.
    """
    if not meshes:
        return []
    with _at_rest(context, armature) as depsgraph:
        found: list[Piece] = []
        for obj in meshes:
            found += _pieces(armature, obj, bones, depsgraph, left_out)
        return found


@contextmanager
def _at_rest(context: Context, armature: Object) -> Iterator[Depsgraph]:
    """Give the scene evaluated with an armature in its rest position; its pose is back after the block."""
    data = armature.data
    assert isinstance(data, Armature)
    before = data.pose_position
    with own_changes(context):
        data.pose_position = "REST"
        try:
            view_layer_of(context).update()
            yield context.evaluated_depsgraph_get()
        finally:
            data.pose_position = before
            view_layer_of(context).update()


def _pieces(
    armature: Object, obj: Object, bones: Sequence[str], depsgraph: Depsgraph, left_out: LeftOut
) -> Iterator[Piece]:
    evaluated = obj.evaluated_get(depsgraph)
    placed = np.linalg.inv(matrix_of(armature.evaluated_get(depsgraph).matrix_world)) @ matrix_of(
        evaluated.matrix_world
    )
    if not np.isfinite(placed).all() or is_singular(placed):
        raise SceneError(obj.name, "its scale is zero", "give it a scale other than zero on every axis")
    data = armature.data
    assert isinstance(data, Armature)
    mesh = present(evaluated.to_mesh(preserve_all_data_layers=True, depsgraph=depsgraph))
    try:
        points, triangles = arrays_of(mesh)
        dominant = _dominant_bones(mesh, triangles, _groups(obj, data, bones))
        if (dominant < 0).any():
            left_out.add("the faces without weights", obj.name)
    finally:
        evaluated.to_mesh_clear()
    beyond = sides_with_others(triangles).reshape(-1, 3) if len(triangles) else np.zeros((0, 3), bool)
    free = (dominant >= 0) & (dominant < len(bones))
    for number in np.unique(dominant[free]).tolist():
        rest = np.linalg.inv(matrix_of(data.bones[bones[number]].matrix_local)) @ placed
        mine = dominant == number
        corners, own = np.unique(triangles[mine], return_inverse=True)
        local = points[corners] @ rest[:3, :3].T + rest[:3, 3]
        closed = with_caps(local, own.reshape(-1, 3), beyond[mine].ravel())
        yield Piece(obj.name_full, obj.name, bones[number], *closed)


def _groups(obj: Object, data: Armature, bones: Sequence[str]) -> Mapping[int, int]:
    """Return the numbers of all bones by the numbers of the vertex groups that they deform, some bones
    first: what others have most of is not theirs.
    """
    names = dict.fromkeys([*bones, *(bone.name for bone in data.bones)])
    numbers = {name: i for i, name in enumerate(names) if data.bones[name].use_deform}
    return {group.index: numbers[group.name] for group in obj.vertex_groups if group.name in numbers}


def _dominant_bones(mesh: Mesh, triangles: Ints, groups: Mapping[int, int]) -> Ints:
    """Return for each triangle the number (t,) of the bone with the greatest weight at its corners, or -1."""
    given = [(i, e.group, e.weight) for i, vertex in enumerate(mesh.vertices) for e in vertex.groups]
    rows, numbers, weights = np.array(given, dtype=np.float64).reshape(-1, 3).T
    bones = np.full(int(numbers.max(initial=-1)) + 1, -1)
    for group, bone in groups.items():
        if group < len(bones):
            bones[group] = bone
    columns = bones[numbers.astype(np.intp)]
    mine = columns >= 0
    if not mine.any():
        return np.full(len(triangles), -1)
    shares = np.zeros((len(mesh.vertices), int(columns.max()) + 1))
    np.maximum.at(shares, (rows[mine].astype(np.intp), columns[mine]), weights[mine])
    first, second, third = triangles.T
    total = shares[first]
    total += shares[second]
    total += shares[third]
    return np.where(total.max(axis=1) > _LEAST, total.argmax(axis=1), -1)
