# SPDX-License-Identifier: GPL-3.0-or-later
"""The bowl and the spoon of Snyder's Figure 1, as exact surfaces, and a floor."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from bpy.types import Object

from ..access import scene_of
from ..writing.display import refresh_mesh
from .solids import surface

HANDLE_SHARE = 0.36  # of the distance to the next point: close to a circle's 0.39 for gentle turns

Knot = tuple[float, float, float, float]  # position and direction in the plane of the curve

BOWL: tuple[Knot, ...] = (
    (0.000, 0.060, 1.0, 0.0),  # the hollow of the foot
    (0.300, 0.045, 1.0, -0.35),
    (0.370, 0.000, 1.0, 0.0),  # the ring it stands on
    (0.425, 0.050, 0.15, 1.0),
    (0.560, 0.110, 1.0, 0.38),  # the wall
    (0.900, 0.400, 0.42, 1.0),
    (1.000, 0.680, 0.22, 1.0),
    (0.988, 0.705, -1.0, 0.0),  # the rim
    (0.962, 0.685, -0.22, -1.0),
    (0.850, 0.410, -0.48, -1.0),
    (0.520, 0.155, -1.0, -0.34),
    (0.000, 0.100, -1.0, 0.0),
)
SPOON_BOWL: tuple[Knot, ...] = (
    (0.000, 0.000, 1.0, 0.0),
    (0.130, 0.042, 1.0, 0.70),
    (0.186, 0.105, 0.40, 1.0),
    (0.180, 0.114, -1.0, 0.0),
    (0.172, 0.107, -0.40, -1.0),
    (0.118, 0.052, -1.0, -0.66),
    (0.000, 0.014, -1.0, 0.0),
)
HANDLE: tuple[Knot, ...] = (  # x and z: from inside the spoon's bowl, over its rim, to the end one holds
    (0.235, 0.088, 1.0, 0.42),
    (0.500, 0.170, 1.0, 0.14),
    (1.300, 0.215, 1.0, -0.10),
)
STRETCH = (1.45, 1.0, 1.0)  # makes the round shell the long one of a spoon


def bowl(name: str = "Bowl") -> Object:
    """Add a thick shell with a rounded rim and a ring to stand on, and return it."""
    return _revolution(name, BOWL, tolerance=4e-4)


def spoon(name: str = "Spoon") -> Object:
    """Add a slender handle, slightly bent, that carries the shell as its child: one rigid body; return it."""
    handle = surface(name, "tube", path=_curve(f"{name} path", HANDLE).name, radius=0.026)
    refresh_mesh(handle, tolerance=2e-4)
    shell = _revolution(f"{name} shell", SPOON_BOWL, tolerance=2e-4)
    shell.parent, shell.scale = handle, STRETCH
    return handle


def floor(name: str = "Floor", size: float = 40.0) -> Object:
    """Add a wide plane at height zero."""
    plane = surface(name, "plane", size_x=size, size_y=size)
    refresh_mesh(plane)
    return plane


def _revolution(name: str, knots: Sequence[Knot], tolerance: float) -> Object:
    obj = surface(name, "revolution", profile=_curve(f"{name} profile", knots).name)
    refresh_mesh(obj, tolerance=tolerance)
    return obj


def _curve(name: str, knots: Sequence[Knot]) -> Object:
    """Add a Bezier curve in the plane y = 0 through knots, hidden: it only defines a surface."""
    data = bpy.data.curves.new(name, "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("BEZIER")
    spline.bezier_points.add(len(knots) - 1)
    numbers = np.array(knots)
    places, directions = numbers[:, :2], numbers[:, 2:] / np.linalg.norm(numbers[:, 2:], axis=1)[:, None]
    reach = HANDLE_SHARE * np.linalg.norm(np.diff(places, axis=0), axis=1)[:, None]
    before, after = np.concatenate([reach[:1], reach]), np.concatenate([reach, reach[-1:]])
    for attribute, points in (
        ("co", places),
        ("handle_left", places - before * directions),
        ("handle_right", places + after * directions),
    ):
        spline.bezier_points.foreach_set(attribute, np.insert(points, 1, 0.0, axis=1).ravel())
    for point in spline.bezier_points:
        point.handle_left_type = point.handle_right_type = "ALIGNED"
    obj = bpy.data.objects.new(name, data)
    scene_of(bpy.context).collection.objects.link(obj)
    obj.hide_viewport = obj.hide_render = True
    return obj
