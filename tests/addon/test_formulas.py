"""Formulas in the artist's hands: placed, shown, and shown again when a constant changes."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from physplace_addon.scene.access import present
from physplace_addon.scene.writing.surface_meshes import definition_error
from tests.addon.running import place, refused
from tests.blender_data import current_scene, current_view_layer, mesh_of, physplace
from tests.scene import scenes
from tests.scene.reading.test_definitions import RING, ring


def size(obj: bpy.types.Object) -> np.ndarray:
    """The largest of an object's mesh along x, y and z (3,); zeros for an empty one."""
    mesh = mesh_of(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    points = np.zeros(3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", points)
    largest: np.ndarray = np.abs(points.reshape(-1, 3)).max(axis=0, initial=0.0)
    return largest


def changed(obj: bpy.types.Object, key: str, value: object) -> None:
    """Type a custom property, as Blender's own panel does."""
    obj[key] = value
    obj.update_tag()
    current_view_layer().update()


@pytest.mark.slow
def test_a_formula_is_placed_by_its_true_surface_and_gets_a_mesh() -> None:
    scenes.floor()
    obj = ring(location=(0.0, 0.0, 2.0))
    obj.rotation_euler = 0.3, 0.2, 0.1
    report = place(obj)
    assert report["status"] == "BALANCED"
    assert obj.location.z == pytest.approx(0.25, abs=1e-6)
    np.testing.assert_allclose(size(obj), [1.25, 1.25, 0.25], atol=5e-3)
    assert mesh_of(obj).polygons[0].use_smooth


def test_the_mesh_follows_a_constant_that_is_typed_keyed_or_driven() -> None:
    obj, empty = ring(), scenes.linked(bpy.data.objects.new("Empty", None))
    current_view_layer().update()
    assert size(obj)[2] == pytest.approx(0.25, abs=2e-3)
    changed(obj, "surface.r", 0.4)
    assert size(obj)[2] == pytest.approx(0.4, abs=2e-3)
    for frame, value in ((1, 0.1), (11, 0.5)):
        obj["surface.r"] = value
        obj.keyframe_insert('["surface.r"]', frame=frame)
    current_scene().frame_set(11)
    assert size(obj)[2] == pytest.approx(0.5, abs=2e-3)
    driver = present(obj.driver_add('["surface.R"]').driver)
    variable = driver.variables.new()
    variable.name, variable.type = "x", "TRANSFORMS"
    variable.targets[0].id, variable.targets[0].transform_type = empty, "LOC_X"
    driver.expression = "x"
    empty.location.x = 3.0
    current_view_layer().update()
    assert size(obj)[0] == pytest.approx(3.5, abs=2e-2)


@pytest.mark.slow
def test_the_mesh_is_as_near_to_the_surface_as_is_asked() -> None:
    obj = ring()
    counts = []
    for tolerance in (0.02, 0.0005):
        changed(obj, "physplace_tolerance", tolerance)
        mesh = mesh_of(obj)
        corners = np.array([[mesh.vertices[i].co for i in face.vertices] for face in mesh.polygons])
        share = np.random.default_rng(1).dirichlet((1.0, 1.0, 1.0), 8)
        x, y, z = np.moveaxis(np.einsum("sc,fci->sfi", share, corners), -1, 0)
        assert np.abs(np.hypot(np.hypot(x, y) - 1.0, z) - 0.25).max() < tolerance
        counts.append(len(corners))
    assert 20 * counts[0] < counts[1] < 60 * counts[0]
    changed(obj, "physplace_tolerance", -1.0)
    assert '"physplace_tolerance" is -1.0' in definition_error(obj)


def test_a_half_typed_formula_leaves_the_mesh_and_is_refused_by_name() -> None:
    scenes.floor()
    obj = ring(location=(0.0, 0.0, 2.0))
    current_view_layer().update()
    before = size(obj)
    changed(obj, "surface.z", "r*sin(")
    np.testing.assert_array_equal(size(obj), before)
    assert definition_error(obj).startswith('object "Ring": surface "formula": z: character 7')
    refused(physplace.place, obj, r'object "Ring": surface "formula": z: character 7(.|\n)*\n.*\^')
    changed(obj, "surface.z", RING["z"] + " + 1")
    assert size(obj)[2] == pytest.approx(1.25, abs=2e-3)
    assert definition_error(obj) == ""


def test_a_mesh_is_made_once() -> None:
    obj = ring()
    current_view_layer().update()
    mesh_of(obj).vertices[0].co = 9.0, 9.0, 9.0
    obj.location.x = 1.0
    current_view_layer().update()
    assert size(obj)[2] == 9.0


def test_a_mesh_is_shared_by_equal_formulas_only() -> None:
    obj, other = ring(), ring("Other")
    other.data = obj.data
    current_view_layer().update()
    assert size(obj)[2] == pytest.approx(0.25, abs=2e-3)
    mesh_of(obj).vertices[0].co = 9.0, 9.0, 9.0
    changed(obj, "surface.unrelated", 1.0)
    assert size(obj)[2] == 9.0
    other.data = mesh_of(other).copy()
    changed(other, "surface.r", 0.3)
    assert size(other)[2] == pytest.approx(0.3, abs=2e-3)


def test_a_tube_along_formulas_is_shown_too() -> None:
    path: dict[str, Any] = {"path.x": "t", "path.y": "0", "path.z": "t^2/4", "path.t": "-1, 1"}
    obj = scenes.surface("Rod", "tube", **path, radius=0.2)
    current_view_layer().update()
    np.testing.assert_allclose(size(obj)[1], 0.2, atol=2e-3)
    changed(obj, "surface.radius", 0.3)
    np.testing.assert_allclose(size(obj)[1], 0.3, atol=3e-3)
