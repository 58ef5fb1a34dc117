"""A model of several meshes under an empty is one thing."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from tests.addon.running import place
from tests.blender_data import physplace, scene_settings
from tests.scene import scenes


def _model(location: scenes.Location = (0.0, 0.0, 3.0)) -> tuple[bpy.types.Object, list[bpy.types.Object]]:
    """A block and its lid, which lies loose on it, under one empty in another."""
    file = scenes.linked(bpy.data.objects.new("File", None), location)
    root = scenes.linked(bpy.data.objects.new("Root", None))
    root.parent = file
    parts = [scenes.cube("Block"), scenes.cube("Lid", (0.0, 0.0, 1.3))]
    parts[1].scale.z = 0.3
    for part in parts:
        part.parent = root
    return file, parts


@pytest.mark.parametrize("number", [0, 1])
def test_any_part_stands_for_the_whole(number: int) -> None:
    scenes.floor()
    file, parts = _model()
    between = np.linalg.inv(scenes.world_matrix(parts[0])) @ scenes.world_matrix(parts[1])
    scenes.activate(parts[number])
    assert physplace.place() == {"FINISHED"}
    assert file["physplace_report"]["status"] == "BALANCED"
    assert scenes.world_matrix(file)[2, 3] == pytest.approx(1.0, abs=1e-5)
    after = np.linalg.inv(scenes.world_matrix(parts[0])) @ scenes.world_matrix(parts[1])
    np.testing.assert_allclose(after, between, atol=1e-6)
    assert parts[number].location.to_tuple()[:2] == (0.0, 0.0)


def test_parts_selected_together_are_one_thing() -> None:
    scenes.floor()
    file, parts = _model()
    for part in parts:
        part.select_set(True)
    scenes.activate(parts[1])
    assert physplace.drop_selected() == {"FINISHED"}
    assert scenes.world_matrix(file)[2, 3] == pytest.approx(1.0, abs=1e-5)


def test_parts_move_apart_where_that_is_chosen() -> None:
    scenes.floor()
    file, parts = _model()
    scene_settings().whole_models = False
    before = scenes.world_matrix(file)
    parts[1].location.x = 5.0
    assert place(parts[1])["status"] == "BALANCED"
    np.testing.assert_array_equal(scenes.world_matrix(file), before)
    assert scenes.world_matrix(parts[1])[2, 3] == pytest.approx(0.3, abs=1e-5)


def test_an_empty_that_holds_one_shape_stays() -> None:
    scenes.floor()
    handle = scenes.linked(bpy.data.objects.new("Handle", None), (0.0, 0.0, 1.0))
    cube = scenes.cube("Cube", (0.0, 0.0, 2.0))
    cube.parent = handle
    before = scenes.world_matrix(handle)
    place(cube)
    np.testing.assert_array_equal(scenes.world_matrix(handle), before)
    assert scenes.world_matrix(cube)[2, 3] == pytest.approx(1.0, abs=1e-5)
