"""An object with `surface = "bezier"` is the patches of which its mesh is the control points."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
import pytest

from physplace_addon.core.placement import Placement, Status
from physplace_addon.core.surfaces.bezier.bodies import bezier
from physplace_addon.scene.errors import SceneError
from physplace_addon.scene.reading.scenario import read
from tests import teapot
from tests.blender_data import mesh_of
from tests.core.surfaces.bezier.test_control_meshes import grid, islands
from tests.scene import scenes


def control_mesh(points: np.ndarray, faces: Sequence[Sequence[int]]) -> bpy.types.Object:
    scenes.floor()
    mesh = bpy.data.meshes.new("Cage")
    mesh.from_pydata(np.asarray(points).tolist(), [], list(faces))
    made = scenes.linked(bpy.data.objects.new("Cage", mesh), (0.0, 0.0, 3.0))
    made["surface"] = "bezier"
    scenes.activate(made)
    return made


def test_a_hill_of_control_points_rests_on_its_patch() -> None:
    i, j = (axis.ravel().astype(float) for axis in np.indices((4, 4)))
    inner = ((i % 3 > 0) & (j % 3 > 0)).astype(float)
    control_mesh(np.stack([i - 1.5, j - 1.5, -inner], axis=1), grid(3, 3))
    scene = read(bpy.context)
    assert scene.subject.body.face_count == 1
    placement = Placement(scene.subject.body, scene.subject.pose, scene.world)
    assert placement.run().status is Status.BALANCED
    height = float(placement.states[-1].pose.translation[2])
    assert height == pytest.approx(0.75**2, abs=1e-7)  # four inner points of sixteen, of weight 3/8 each


def test_a_mesh_that_makes_no_nets_is_refused_by_name() -> None:
    made = control_mesh(*(np.zeros((0, 3)), []))
    with pytest.raises(SceneError, match=r"Cage.*mesh.*no faces"):
        read(bpy.context)
    mesh_of(made).from_pydata(scenes.CUBE.tolist(), [], list(scenes.CUBE_FACES))
    with pytest.raises(SceneError, match=r"0 corners.*seams"):
        read(bpy.context)
    for edge in mesh_of(made).edges:
        edge.use_seam = True
    with pytest.raises(SceneError, match="3 by 3"):
        read(bpy.context)


def test_patches_without_a_tangent_plane_are_refused_by_name() -> None:
    i, j = (axis.ravel().astype(float) for axis in np.indices((4, 4)))
    for points in ((i, 0.0 * j, 0.0 * i), (np.maximum(i + j - 2.0, 0.0), j * (i + j > 2.0), i * j)):
        control_mesh(np.stack(points, axis=1), grid(3, 3))
        with pytest.raises(SceneError, match=r'"Cage.*: surface "bezier": p'):
            read(bpy.context)
        bpy.ops.wm.read_factory_settings(use_empty=True)


def test_the_teapot_can_be_modelled_as_a_mesh() -> None:
    nets = teapot.pot_nets()
    control_mesh(*islands(nets))
    body, same = read(bpy.context).subject.body, bezier(nets)
    assert body.face_count == len(same.surfaces)
    assert body.closed == same.closed
    np.testing.assert_allclose(body.mass.center, same.mass.center, atol=1e-6)
