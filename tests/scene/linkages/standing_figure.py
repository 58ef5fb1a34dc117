"""A figure of sixteen parts that stands in front of a chair, on a floor: an armature whose bones carry boxes.

It faces -y and is 1.75 high. Knees and elbows are hinges, shoulders and hips are limited by Limit Rotation or
inverse kinematics settings, the back bends a little at each joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils.bvhtree import BVHTree

from physplace_addon.scene.access import present
from tests.blender_data import current_view_layer, mesh_of
from tests.scene import scenes
from tests.scene.linkages import rigs

SEAT = 0.42  # height of the chair's seat
HIP = 0.92


@dataclass(frozen=True)
class _Limb:
    """A bone, and the half sizes of its box across it: in x and in y."""

    name: str
    head: rigs.Point
    tail: rigs.Point
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


def standing_figure(name: str = "Figure") -> bpy.types.Object:
    """The figure alone, as its armature."""
    limbs = _limbs()
    rig = rigs.armature(
        [rigs.BoneSketch(each.name, each.head, each.tail, each.parent, each.connected) for each in limbs],
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
        rigs.bone(rig, name_of_back).ik_stiffness_x = 0.5
    return rig


def _carry(rig: bpy.types.Object, limb: _Limb) -> None:
    """A box along a bone, parented to it; its sides are those of the scene."""
    head, tail = np.array(limb.head, float), np.array(limb.tail, float)
    length = float(np.linalg.norm(tail - head))
    along = (tail - head) / length
    start = head - limb.longer * along
    half = 0.5 * float(np.linalg.norm(tail - start))
    size = np.where(np.abs(along) > 0.5, half, 0.0)
    size[0] = limb.across[0]
    size[2 if abs(along[1]) > 0.5 else 1] = limb.across[1]
    obj = rigs.box(limb.name, (float(size[0]), float(size[1]), float(size[2])))
    obj.location = 0.5 * (start + tail)
    rigs.hang(rig, limb.name, obj)


def _hinge(rig: bpy.types.Object, name: str, ends: tuple[float, float]) -> None:
    posed = rigs.bone(rig, name)
    posed.lock_ik_y = posed.lock_ik_z = posed.use_ik_limit_x = True
    posed.ik_min_x, posed.ik_max_x = ends


def _limit(rig: bpy.types.Object, name: str, *ends: Sequence[float]) -> None:
    posed = rigs.bone(rig, name)
    settings: dict[str, object] = {}
    for letter, (lower, upper) in zip("xyz", ends, strict=True):
        settings |= {f"use_limit_{letter}": True, f"min_{letter}": lower, f"max_{letter}": upper}
    rigs.limit(posed, "LIMIT_ROTATION", **settings)


def chair() -> list[bpy.types.Object]:
    """A chair behind the figure: its seat, its back, and four legs."""
    parts = {
        "Seat": ((0.24, 0.24, 0.02), (0.0, 0.42, SEAT - 0.02)),
        "Back": ((0.24, 0.02, 0.25), (0.0, 0.64, SEAT + 0.25)),
    }
    for x in (-0.21, 0.21):
        for y in (0.21, 0.63):
            parts[f"Leg {x} {y}"] = ((0.02, 0.02, 0.5 * SEAT - 0.02), (x, y, 0.5 * SEAT - 0.02))
    made = []
    for name, (half, place) in parts.items():
        obj = rigs.box(name, half)
        obj.location = place
        made.append(obj)
    return made


def figure_and_chair() -> bpy.types.Object:
    """The figure in front of the chair, on a floor; its feet stand on it."""
    rig = standing_figure()
    chair()
    floor = scenes.floor(half=3.0)
    floor.location.z = 0.004  # a sole is 5 mm above z = 0
    scenes.activate(rig)
    return rig


def overlaps() -> list[tuple[str, str]]:
    """The names of parts of the figure and of things around it that cut one another, as Blender tells."""
    graph = bpy.context.evaluated_depsgraph_get()
    trees, mine = dict[str, BVHTree](), set[str]()
    for obj in bpy.data.objects:
        if obj.type == "MESH":
            matrix = obj.evaluated_get(graph).matrix_world
            mesh = mesh_of(obj)
            points = [matrix @ vertex.co for vertex in mesh.vertices]
            faces = [tuple(face.vertices) for face in mesh.polygons]
            trees[obj.name] = present(BVHTree.FromPolygons(points, faces))
            mine |= {obj.name} if obj.parent is not None else set()
    around = trees.keys() - mine
    return [(part, other) for part in mine for other in around if trees[part].overlap(trees[other])]


def figure_bent_over_the_seat() -> bpy.types.Object:
    """The figure bent as one that sits, a little above the seat and the floor."""
    rig = figure_and_chair()
    for side in ("L", "R"):
        for name, angle in (("Thigh", -1.45), ("Shin", 1.4), ("Arm", -0.3)):
            rigs.set_rotation(rigs.bone(rig, f"{name}.{side}"), "XYZ", (angle, 0.0, 0.0))
    rig.location = (0.0, 0.33, -0.35)
    current_view_layer().update()
    return rig
