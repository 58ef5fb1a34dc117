# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples of motion and of figures: each function adds its objects, and returns the one to make active."""

from __future__ import annotations

from itertools import pairwise
from math import atan2, pi, sqrt
from typing import Final

import bpy
from bpy.types import Collection, Object

from ..access import present, scene_of, view_layer_of
from ..writing.actions import curves_of
from .figure import bend_to_sit, chair, upright_figure
from .solids import CLAY, LINEN, OAK, RED, STEEL, box, linked, paint

Place = tuple[float, float, float]

SOLE: Final = 0.005  # height of the figure's soles above the armature's origin
LINKS: Final = 10  # of the chain, an even number
LINK: Final = 0.3  # length of a link, from joint to joint
SPAN: Final = 1.8  # from post to post
BRICK: Final = (0.24, 0.12, 0.08)  # size of a brick
THROWN: Final = (1, 5)  # frames on which the crate is keyed


def figure_over_chair() -> Object:
    """A figure that is bent as one that sits, a little above a chair."""
    rig = upright_figure()
    for part in chair():
        paint(part, OAK)
    floor = box("Floor", (1.5, 1.5, 0.02))
    floor.location = (0.0, 0.0, -0.02 + SOLE - 0.001)
    paint(floor, LINEN)
    paint(rig, CLAY)
    bend_to_sit(rig)
    return rig


def chain() -> Object:
    """A chain of flat links on hinges that is held up as a V between two posts."""
    corners = _corners_of_a_v()
    links = [_link(number, *ends) for number, ends in enumerate(pairwise(corners))]
    parts = [_post("Left Post", -0.05), *links, _post("Right Post", SPAN + 0.05)]
    view_layer_of(bpy.context).update()
    scene = scene_of(bpy.context)
    bpy.ops.rigidbody.world_add()
    world = present(scene.rigidbody_world)
    world.collection = bpy.data.collections.new("Chain")
    world.constraints = bpy.data.collections.new("Joints")
    for part in parts:
        world.collection.objects.link(part)
    for post in (parts[0], parts[-1]):
        present(post.rigid_body).type = "PASSIVE"
    for place, one, other in zip(corners, parts, parts[1:], strict=False):
        _hinge(world.constraints, place, one, other)
    view_layer_of(bpy.context).update()
    return parts[1]


def _corners_of_a_v() -> list[Place]:
    """Return the places of the joints of the chain, from the left post to the right one."""
    half = LINKS // 2
    across = 0.5 * SPAN / half
    down = sqrt(LINK**2 - across**2)
    return [(across * i, 0.0, down * (abs(i - half) - half)) for i in range(LINKS + 1)]


def _post(name: str, x: float) -> Object:
    post = box(name, (0.05, 0.1, 0.2))
    post.location = (x, 0.0, -0.19)
    paint(post, OAK)
    return post


def _link(number: int, start: Place, end: Place) -> Object:
    """Add a link between two places of the plane y = 0, a little shorter than that."""
    link = box(f"Link {number + 1}", (0.5 * LINK - 0.02, 0.06, 0.01))
    link.location = [0.5 * (a + b) for a, b in zip(start, end, strict=True)]
    link.rotation_euler.y = -atan2(end[2] - start[2], end[0] - start[0])
    paint(link, STEEL)
    return link


def _hinge(joints: Collection, place: Place, one: Object, other: Object) -> None:
    """Join two objects by a hinge about y."""
    axis = linked(bpy.data.objects.new(f"Hinge {one.name}", None), place)
    axis.rotation_euler.x = 0.5 * pi
    axis.empty_display_size = 0.05
    joints.objects.link(axis)
    joint = present(axis.rigid_body_constraint)
    joint.type = "HINGE"
    joint.object1, joint.object2 = one, other


def wall_and_crate() -> Object:
    """A wall of bricks on a floor, and a crate that is keyed to fly at it."""
    floor = box("Floor", (2.0, 2.0, 0.02))
    floor.location.z = -0.02
    paint(floor, OAK)
    for row in range(3):
        for column in range(2):
            brick = box(f"Brick {row + 1}{'AB'[column]}", [0.5 * side for side in BRICK])
            shift = column - 0.5 + 0.25 * (-1) ** row
            brick.location = (1.02 * BRICK[0] * shift, 0.0, BRICK[2] * (row + 0.5))
            paint(brick, (CLAY, RED)[(row + column) % 2])
    return _thrown_crate()


def _thrown_crate() -> Object:
    crate = box("Crate", (0.06, 0.06, 0.06))
    paint(crate, STEEL)
    for frame, y in zip(THROWN, (1.0, 0.3), strict=True):
        crate.location = (0.05, y, 0.22)
        crate.keyframe_insert("location", frame=frame)
    for curve in curves_of(crate):
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    scene_of(bpy.context).frame_set(THROWN[1])
    return crate
