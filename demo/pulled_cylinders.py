# SPDX-License-Identifier: GPL-3.0-or-later
"""Figure 2 of Witkin and Heckbert (1994): superimposed blobby cylinders, pulled into shape by control points.

Three cylinders stand in one place, all but for a slight tilt. Each picture after the first is one pull of
the surface: a control point is set on it and dragged, while those of the pulls before stay where they were
left. Radii and bias are frozen, so what a pull can do is to take a cylinder by its end. Disks tangent to the
surface are the floaters; balls are the control points, the light one that of the pull.
"""

from __future__ import annotations

import math
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

from demo import studio
from demo.studio import Quality
from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit import blobby_cylinders
from physplace_addon.core.implicit.control.sculpting import Sculpting
from physplace_addon.core.implicit.control.state import SculptSettings, SculptState
from physplace_addon.core.implicit.functions.frozen import Frozen
from physplace_addon.core.implicit.particles.floaters import FloaterSettings
from physplace_addon.scene.access import present, scene_of

TILT = 0.06
RADIUS, BIAS = 0.42, 0.5
SPACING = 0.085
PULLS = (
    ((-0.3, 0.0, -1.6), (-0.60, 0.0, -0.75)),
    ((0.3, 0.0, -1.6), (0.60, 0.0, -0.75)),
    ((-0.3, 0.0, 1.6), (-1.15, 0.0, -0.10)),
    ((0.3, 0.0, 1.6), (1.15, 0.0, -0.10)),
    ((0.0, 0.0, 1.6), (0.0, 0.0, 0.55)),
)
STEPS = 150  # of a pull, at most
SETTLING = 60
DISK_SIDES = 14
DISK_SHARE = 0.95  # of a floater's radius
BALL = 0.09
VIEW = ((0.0, 0.0, -0.1), 10.0)


def run(out: Path, quality: Quality) -> int:
    """Pull, and render a picture of each pull into a folder; 0 if the surface follows every point."""
    sculpting = Sculpting(_cylinders(), SculptSettings(FloaterSettings(SPACING)), np.random.default_rng(0))
    _steps(sculpting, SETTLING)
    _picture(out / "pulled-cylinders-0.png", sculpting.state, None, quality)
    followed = True
    for number, (place, way) in enumerate(PULLS, 1):
        index = sculpting.add(_nearest(sculpting.state, place))
        start = sculpting.state.controls.position[index]
        sculpting.drag(index, start + way)
        pulled = _pulled(sculpting, index)
        sculpting.release(index)
        _steps(sculpting, SETTLING)
        state = sculpting.state
        followed &= float(state.off.max()) < 1e-3 * SPACING
        print(
            f"pull {number}: {pulled} steps, {len(state.floaters)} floaters, control points off by at most "
            f"{state.off.max() / SPACING:.0e} of the spacing"
        )
        _picture(out / f"pulled-cylinders-{number}.png", state, index, quality)
    return 0 if followed else 1


def _cylinders() -> Frozen:
    ways = np.array([[0.0, 0.0, 1.0], [TILT, 0.0, 1.0], [-TILT, 0.0, 1.0]])
    whole = blobby_cylinders(BIAS, -ways, ways, RADIUS)
    return Frozen(whole, np.array([not name.endswith(("bias", "radius")) for name in whole.names]))


def _steps(sculpting: Sculpting, count: int) -> None:
    for _ in range(count):
        sculpting.step()


def _pulled(sculpting: Sculpting, index: int) -> int:
    """Step until a point is where it is pulled to; return the steps."""
    for count in range(1, STEPS + 1):
        if sculpting.step().left[index] < 1e-2 * SPACING:
            return count
    return STEPS


def _nearest(state: SculptState, place: tuple[float, float, float]) -> Floats:
    away = state.floaters.positions - np.array(place)
    nearest: Floats = state.floaters.positions[np.argmin(np.einsum("ri,ri->r", away, away))]
    return nearest


def _picture(path: Path, state: SculptState, pulled: int | None, quality: Quality) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scales = studio.material("Floaters", (0.72, 0.44, 0.16), Roughness=0.45)
    studio.mesh_of(_add_mesh("Floaters", *_disks(state))).materials.append(scales)
    coats = [
        studio.material("Pinned", (0.03, 0.05, 0.12), Roughness=0.3),
        studio.material("Pulled", (0.10, 0.45, 0.80), Roughness=0.3),
    ]
    for index, place in enumerate(state.controls.position):
        bpy.ops.mesh.primitive_uv_sphere_add(radius=BALL, location=place)
        studio.mesh_of(present(bpy.context.object)).materials.append(coats[index == pulled])
        bpy.ops.object.shade_smooth()
    studio.light_and_camera(*VIEW)
    camera = present(scene_of(bpy.context).camera)
    camera.location = Vector(VIEW[0]) + VIEW[1] * Vector((0.15, -1.0, 0.12)).normalized()
    studio.look_at(camera, Vector(VIEW[0]))
    studio.render(path, quality)


def _disks(state: SculptState) -> tuple[Floats, list[tuple[int, ...]]]:
    """Disks tangent to the surface: corners (r * sides, 3) and faces."""
    floaters, normals = state.floaters, state.floaters.normals
    axis = np.eye(3)[np.argmin(np.abs(normals), axis=1)]
    across = np.cross(normals, axis)
    across /= np.linalg.norm(across, axis=1)[:, None]
    along = np.cross(normals, across)
    angles = np.arange(DISK_SIDES) * 2.0 * math.pi / DISK_SIDES
    rims = np.cos(angles)[:, None] * across[:, None] + np.sin(angles)[:, None] * along[:, None]
    corners = floaters.positions[:, None] + DISK_SHARE * floaters.radii[:, None, None] * rims
    rows = np.arange(len(floaters) * DISK_SIDES).reshape(-1, DISK_SIDES)
    return corners.reshape(-1, 3), [tuple(row) for row in rows.tolist()]


def _add_mesh(name: str, corners: Floats, faces: list[tuple[int, ...]]) -> bpy.types.Object:
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners.tolist(), [], faces)
    made = bpy.data.objects.new(name, mesh)
    scene_of(bpy.context).collection.objects.link(made)
    return made
