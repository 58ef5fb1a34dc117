# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a bone is in the world, and which channels put it there.

With A the armature's world matrix, F the bone's pose in the armature (y along the bone) and B its basis, the
matrix of its own channels, Blender has

    world = A F,    F = G B,

where G is what F would be without a basis: the rest pose relative to the parent after the parent's pose,
with what the bone inherits of it, or what a Child Of constraint makes of that. Blender itself gives G for a
parent's pose (`Bone.convert_local_to_pose`); under a constraint it is measured, `G = F B^-1`.

If A G stretches all directions alike, its rotation Q_G and that of the bone, Q, have `Q_G^-1 Q` for the
rotation of B, in a mirrored armature too: a reflection -1 commutes with all rotations. So the anchor frames
Q_G and Q at the head have the bone's own channels for their turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from bpy.types import Object, PoseBone
from mathutils import Matrix

from ...core.arrays import Floats
from .. import rotations
from ..access import present
from ..affine import PoseAndStretch, is_similarity, is_singular, split
from ..errors import SceneError
from ..writing.transform import Channels
from .bone_constraints import is_carried

LEAST_SCALE: Final = 1e-5  # of a bone, up to which the rounding of its place is more than what it carries


@dataclass(frozen=True, eq=False)
class BoneFrame:
    """A bone as it stands.

    Attributes:
        name: of the bone.
        parent: the name of the bone that it hangs on; None for none.
        placed: its pose and stretch in the world.
        unposed: the pose in the world that its frame would have without its own channels.
        unit: the length in the world of a unit of its location, negative in a mirrored armature.
        location: its location (3,) relative to the unposed frame, in its own units.
        carrier: (4, 4), G in the armature, for a bone that a constraint carries; None for all others.
    """

    name: str
    parent: str | None
    placed: PoseAndStretch
    unposed: PoseAndStretch
    unit: float
    location: Floats
    carrier: Floats | None


def matrix_of(matrix: Matrix) -> Floats:
    """Return a matrix of Blender's as an array (4, 4)."""
    return np.array(matrix, dtype=np.float64)


def bone_frame(armature: Object, bone: PoseBone) -> BoneFrame:
    """Return how a bone of an evaluated armature stands.

    Raises:
        SceneError: it is scaled to next to zero, or stretched more along one axis than another.
    """
    whole, pose = matrix_of(armature.matrix_world), matrix_of(bone.matrix)
    world = whole @ pose
    is_nothing = float(np.abs(pose[:3, :3]).max()) <= LEAST_SCALE
    if not np.isfinite(world).all() or is_singular(world) or is_nothing:
        raise refusal(
            armature, bone.name, "is scaled to next to zero", "give it a scale other than zero on every axis"
        )
    carrier = pose @ np.linalg.inv(matrix_of(bone.matrix_basis)) if is_carried(bone) else None
    unposed = carrier if carrier is not None else unposed_matrix(bone, _parent_pose(bone))
    outer = whole @ unposed
    if is_singular(outer) or not is_similarity(outer):
        raise refusal(
            armature,
            bone.name,
            "is stretched more along one axis than another by its parent or its armature",
            "apply the armature's scale (Object > Apply > Scale), and scale bones evenly",
        )
    unit = float(np.cbrt(np.linalg.det(outer[:3, :3])))
    location = (np.linalg.inv(unposed) @ pose)[:3, 3]
    parent = None if bone.parent is None else bone.parent.name
    return BoneFrame(bone.name, parent, split(world), split(outer), unit, location, carrier)


def refusal(armature: Object, bone: str, found: str, remedy: str) -> SceneError:
    """Return the error that names an armature and one of its bones."""
    return SceneError(armature.name, f'its bone "{bone}" {found}', remedy)


def _parent_pose(bone: PoseBone) -> Floats | None:
    return None if bone.parent is None else matrix_of(bone.parent.matrix)


def unposed_matrix(bone: PoseBone, parent_pose: Floats | None) -> Floats:
    """Return G (4, 4) of a bone for the pose (4, 4) of its parent in the armature."""
    return _converted(bone, np.eye(4), parent_pose, invert=False)


def basis_matrix(bone: PoseBone, pose: Floats, parent_pose: Floats | None) -> Floats:
    """Return the basis B (4, 4) that gives a bone a pose (4, 4), for the pose of its parent."""
    return _converted(bone, pose, parent_pose, invert=True)


def _converted(bone: PoseBone, matrix: Floats, parent_pose: Floats | None, *, invert: bool) -> Floats:
    own = bone.bone
    about = {}
    if parent_pose is not None:
        about["parent_matrix"] = Matrix(parent_pose.tolist())
        about["parent_matrix_local"] = present(own.parent).matrix_local
    given = Matrix(matrix.tolist())
    return matrix_of(own.convert_local_to_pose(given, own.matrix_local, **about, invert=invert))


def basis_channels(bone: PoseBone, basis: Floats, previous: Channels) -> Channels:
    """Return the location and rotation of a basis (4, 4) near previous ones; locked channels stay."""
    scale = np.array(bone.scale, dtype=np.float64)
    left, _, right = np.linalg.svd(basis[:3, :3] / scale)
    mode = bone.rotation_mode
    rotation = rotations.values_of(mode, left @ right, previous.rotation)
    if mode in rotations.EULER_ORDERS:
        rotation = np.where(np.array(bone.lock_rotation), previous.rotation, rotation)
    keeps = np.array(bone.lock_location) | bone.bone.use_connect
    return Channels(np.where(keeps, previous.location, basis[:3, 3]), rotation, mode)
