# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure of sixteen parts, an armature whose bones carry boxes, and a chair.

It faces -y and is 1.75 high. Knees and elbows are hinges, shoulders and hips are limited by Limit Rotation or
inverse kinematics settings, the back bends a little at each joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import Object

from ..access import present, view_layer_of
from .armatures import BoneSketch, Point, armature, hang, limit
from .solids import box

SEAT = 0.42  # height of the chair's seat
HIP = 0.92


@dataclass(frozen=True)
class _Limb:
    """A bone, and the half sizes of its box across it: in x and in y."""

    name: str
    head: Point
    tail: Point
    parent: str
    across: tuple[float, float]
    connected: bool = True
    longer: float = 0.0  # by which the box begins before the bone


def _limbs() -> list[_Limb]:
    middle = [
        _Limb("Pelvis", (0, 0, HIP), (0, 0, 1.06), "", (0.16, 0.1), longer=0.05),
        _Limb("Abdomen", (0, 0, 1.06), (0, 0, 1.24), "Pelvis", (0.13, 0.09)),
        _Limb("Chest", (0, 0, 1.24), (0, 0, 1.48), "Abdomen", (0.16, 0.11)),
        _Limb("Head", (0, 0, 1.5), (0, 0, 1.75), "Chest", (0.08, 0.09), connected=False, longer=0.02),
    ]
    return middle + [each for side in (1.0, -1.0) for each in _side(side)]


def _side(x: float) -> list[_Limb]:
    name = "L" if x > 0.0 else "R"
    leg, arm = 0.09 * x, 0.21 * x
    return [
        _Limb(f"Thigh.{name}", (leg, 0, HIP), (leg, 0, 0.5), "Pelvis", (0.07, 0.07), connected=False),
        _Limb(f"Shin.{name}", (leg, 0, 0.5), (leg, 0, 0.08), f"Thigh.{name}", (0.055, 0.055)),
        _Limb(
            f"Foot.{name}",
            (leg, 0.06, 0.045),
            (leg, -0.18, 0.045),
            f"Shin.{name}",
            (0.05, 0.04),
            connected=False,
        ),
        _Limb(f"Arm.{name}", (arm, 0, 1.44), (arm, 0, 1.16), "Chest", (0.045, 0.05), connected=False),
        _Limb(f"Forearm.{name}", (arm, 0, 1.16), (arm, 0, 0.9), f"Arm.{name}", (0.04, 0.04)),
        _Limb(f"Hand.{name}", (arm, 0, 0.9), (arm, 0, 0.74), f"Forearm.{name}", (0.03, 0.045)),
    ]


def upright_figure(name: str = "Figure") -> Object:
    """Add the figure alone, and return its armature."""
    limbs = _limbs()
    rig = armature(
        [BoneSketch(each.name, each.head, each.tail, each.parent, each.connected) for each in limbs],
        name,
    )
    for each in limbs:
        _carry(rig, each)
    for side in ("L", "R"):
        _limit(rig, f"Thigh.{side}", (-2.4, 0.6), (-0.5, 0.5), (-0.7, 0.7))
        _hinge(rig, f"Shin.{side}", (0.0, 2.5))
        _hinge(rig, f"Foot.{side}", (-0.7, 0.7))
        _hinge(rig, f"Forearm.{side}", (-2.5, 0.0))
    for name_of_back in ("Abdomen", "Chest", "Head"):
        _limit(rig, name_of_back, (-0.5, 0.5), (-0.4, 0.4), (-0.3, 0.3))
        present(rig.pose).bones[name_of_back].ik_stiffness_x = 0.5
    return rig


def _carry(rig: Object, limb: _Limb) -> None:
    """A box along a bone, parented to it; its sides are those of the scene."""
    head, tail = np.array(limb.head, float), np.array(limb.tail, float)
    length = float(np.linalg.norm(tail - head))
    along = (tail - head) / length
    start = head - limb.longer * along
    half = 0.5 * float(np.linalg.norm(tail - start))
    size = np.where(np.abs(along) > 0.5, half, 0.0)
    size[0] = limb.across[0]
    size[2 if abs(along[1]) > 0.5 else 1] = limb.across[1]
    obj = box(limb.name, (float(size[0]), float(size[1]), float(size[2])))
    obj.location = 0.5 * (start + tail)
    hang(rig, limb.name, obj)


def _hinge(rig: Object, name: str, ends: tuple[float, float]) -> None:
    posed = present(rig.pose).bones[name]
    posed.lock_ik_y = posed.lock_ik_z = posed.use_ik_limit_x = True
    posed.ik_min_x, posed.ik_max_x = ends


def _limit(rig: Object, name: str, *ends: Sequence[float]) -> None:
    posed = present(rig.pose).bones[name]
    settings: dict[str, object] = {}
    for letter, (lower, upper) in zip("xyz", ends, strict=True):
        settings |= {f"use_limit_{letter}": True, f"min_{letter}": lower, f"max_{letter}": upper}
    limit(posed, "LIMIT_ROTATION", **settings)


def chair() -> list[Object]:
    """Add a chair behind the figure, and return its parts: its seat, its back, and four legs."""
    parts = {
        "Seat": ((0.24, 0.24, 0.02), (0.0, 0.42, SEAT - 0.02)),
        "Back": ((0.24, 0.02, 0.25), (0.0, 0.64, SEAT + 0.25)),
    }
    for x in (-0.21, 0.21):
        for y in (0.21, 0.63):
            parts[f"Leg {x} {y}"] = ((0.02, 0.02, 0.5 * SEAT - 0.02), (x, y, 0.5 * SEAT - 0.02))
    made = []
    for name, (half, place) in parts.items():
        obj = box(name, half)
        obj.location = place
        made.append(obj)
    return made


def bend_to_sit(rig: Object) -> None:
    """Bend the figure as one that sits, a little above the seat and the floor."""
    for side in ("L", "R"):
        for name, angle in (("Thigh", -1.45), ("Shin", 1.4), ("Arm", -0.3)):
            posed = present(rig.pose).bones[f"{name}.{side}"]
            posed.rotation_mode = "XYZ"
            posed.rotation_euler = (angle, 0.0, 0.0)
    rig.location = (0.0, 0.33, -0.35)
    view_layer_of(bpy.context).update()
