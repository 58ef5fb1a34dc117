"""Any body takes part in a simulation: blobs, Blender's metaballs, open meshes, exact sheets."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest

from physplace_addon.core.jobs import finished
from physplace_addon.scene.dynamics.reading import read_dynamics
from tests.addon import mixed_objects
from tests.addon.blobs.two_balls import two_balls
from tests.blender_data import current_scene, physplace
from tests.core import polygon_meshes
from tests.scene import scenes
from tests.scene.dynamics.rigid_scenes import select

HALF = [(0.0, -1.0), *((float(np.sin(a)), float(-np.cos(a))) for a in np.linspace(0.0, 0.5 * np.pi, 7)[1:])]


def mesh(name: str, polygons: polygon_meshes.Mesh) -> bpy.types.Object:
    data = bpy.data.meshes.new(name)
    points, faces = polygons
    data.from_pydata(points.tolist(), [], faces)
    return scenes.linked(bpy.data.objects.new(name, data))


def lowest(obj: bpy.types.Object) -> float:
    """The height of the lowest point of an object's body where it is now."""
    select(obj)
    found = finished(read_dynamics(bpy.context, 1))
    (body,), (subject,) = found.bodies, found.subjects
    return float(subject.pose.points(body.triangles.reshape(-1, 3))[:, 2].min())


MOVERS: dict[str, Callable[[], bpy.types.Object]] = {
    "blob": two_balls,
    "metaballs": mixed_objects.blob,
    "open mesh": lambda: mesh("Shell", polygon_meshes.lathe(HALF, 24)),
    "sheet": lambda: mesh("Sheet", polygon_meshes.grid()),
    "exact sheet": lambda: scenes.surface("Plane", "plane", size_x=1.0, size_y=2.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MOVERS)
def test_it_falls_onto_the_floor_and_stays_above_it(name: str) -> None:
    scenes.floor()
    obj = MOVERS[name]()
    obj.location.z, obj.rotation_euler.y = 9.0, 0.2
    obj.location.z += 0.2 - lowest(obj)
    select(obj)
    assert physplace.simulate(frames=8) == {"FINISHED"}
    current_scene().frame_set(9)
    assert -1e-6 < lowest(obj) < 1e-3  # of its triangles, which may be inside of the surface


@pytest.mark.slow
def test_a_cube_falls_onto_a_blob_and_rolls_off_it() -> None:
    scenes.floor().location.z = -3.0
    two_balls()
    cube = scenes.cube("Cube", (-1.1, 0.2, 3.0))
    select(cube)
    assert physplace.simulate(frames=14) == {"FINISHED"}
    current_scene().frame_set(15)
    matrix = scenes.world_matrix(cube)
    assert matrix[2, 3] > 0.5, "the blob, of radius 1 there, has stopped it"
    assert np.abs(matrix[:3, :3] - np.eye(3)).max() > 1e-3, "it tips"
    assert "Cube" in {obj.name for obj in bpy.context.selected_objects}
