"""The options of placing: onto what, how objects stand first, and what Adjust Last Operation changes."""

from __future__ import annotations

import importlib
from types import SimpleNamespace

import bpy
import mathutils
import numpy as np
import pytest

from tests.addon.running import place, refused, run
from tests.blender_data import current_scene, physplace, scene_settings
from tests.scene import scenes


def _tilted_floor(angle: float) -> bpy.types.Object:
    floor = scenes.floor()
    floor.rotation_euler.x = angle
    return floor


def _brick(location: scenes.Location = (0.0, 0.0, 3.0)) -> bpy.types.Object:
    """A flat box, which may rest on any of its sides."""
    brick = scenes.cube("Brick", location)
    brick.scale = (0.5, 0.4, 0.1)
    return brick


def _up(obj: bpy.types.Object) -> np.ndarray:
    """Where an object's z axis points (3,)."""
    axis: np.ndarray = scenes.world_matrix(obj)[:3, 2]
    up: np.ndarray = axis / np.linalg.norm(axis)
    return up


def _collection(name: str, *objects: bpy.types.Object) -> bpy.types.Collection:
    made = bpy.data.collections.new(name)
    current_scene().collection.children.link(made)
    for obj in objects:
        made.objects.link(obj)
    return made


def test_it_falls_through_what_is_not_of_the_collection() -> None:
    floor = scenes.floor()
    shelf = scenes.floor("Shelf", half=2.0)
    shelf.location.z = 1.0
    brick = _brick()
    _collection("Ground", floor)
    run(physplace.place, brick, onto="COLLECTION", onto_collection="Ground")
    assert scenes.world_matrix(brick)[2, 3] == pytest.approx(0.1, abs=1e-5)


def test_it_falls_only_onto_what_else_is_selected() -> None:
    scenes.floor()
    shelf = scenes.floor("Shelf", half=2.0)
    shelf.location.z = 1.0
    veil = scenes.floor("Veil", half=2.0)
    veil.location.z = 2.0
    brick = _brick()
    for obj in (brick, shelf):
        obj.select_set(True)
    scene_settings().onto = "SELECTED"
    assert place(brick)["rests_on"] == ["Shelf"]
    assert scenes.world_matrix(brick)[2, 3] == pytest.approx(1.1, abs=1e-5)


def test_copies_and_dropped_objects_lie_on_each_other_and_on_the_collection() -> None:
    floor, veil = scenes.floor(), scenes.floor("Veil", half=2.0)
    veil.location.z = 0.5
    settings = scene_settings()
    settings.onto, settings.onto_collection = "COLLECTION", _collection("Ground", floor)
    low, high = _brick((0.0, 0.0, 2.0)), _brick((0.0, 0.0, 4.0))
    for obj in (low, high):
        obj.select_set(True)
    scenes.activate(high)
    assert physplace.drop_selected() == {"FINISHED"}
    assert scenes.world_matrix(low)[2, 3] == pytest.approx(0.1, abs=1e-5)
    assert scenes.world_matrix(high)[2, 3] == pytest.approx(0.3, abs=1e-5)


def test_nothing_to_fall_onto_is_refused_with_a_remedy() -> None:
    scenes.floor()
    brick = _brick()
    refused(physplace.place, brick, "no other object is selected", onto="SELECTED")
    refused(physplace.place, brick, "no collection is chosen", onto="COLLECTION")
    refused(physplace.place, brick, "no such collection", onto="COLLECTION", onto_collection="Gone")
    _collection("Own", brick)
    refused(physplace.place, brick, "has no other object", onto="COLLECTION", onto_collection="Own")


@pytest.mark.parametrize("rotation", [(0.6, 0.3, 1.0), (np.pi, 0.0, 0.4), (1.4, -0.2, -2.0)])
def test_what_stands_upright_first_falls_straight_onto_its_base(rotation: tuple[float, float, float]) -> None:
    scenes.floor()
    brick = _brick()
    brick.rotation_euler = rotation
    assert run(physplace.place, brick, stance="UPRIGHT")["status"] == "BALANCED"
    np.testing.assert_allclose(_up(brick), (0.0, 0.0, 1.0), atol=1e-6)
    assert scenes.world_matrix(brick)[2, 3] == pytest.approx(0.1, abs=1e-5)


def test_the_least_turn_to_upright_keeps_the_heading() -> None:
    scenes.floor()
    brick = _brick()
    brick.rotation_euler = (0.0, 0.5, 0.0)
    run(physplace.place, brick, stance="UPRIGHT")
    np.testing.assert_allclose(scenes.world_matrix(brick)[:3, 0], (0.5, 0.0, 0.0), atol=1e-6)


def test_what_stands_along_the_ground_falls_onto_a_slope_without_turning() -> None:
    slope = _tilted_floor(0.3)
    brick = _brick()
    brick.rotation_euler = (0.0, 0.4, 0.5)
    run(physplace.place, brick, stance="GROUND", friction=0.5)
    np.testing.assert_allclose(_up(brick), _up(slope), atol=1e-6)
    fell_from = mathutils.Quaternion(brick["physplace_start"][3:7])
    np.testing.assert_allclose(fell_from.to_matrix().col[2], _up(slope), atol=1e-6)


def test_direction_step_friction_and_unstable_rests_are_the_operators_own() -> None:
    wall = scenes.floor("Wall")
    wall.rotation_euler.y = 0.5 * np.pi
    ball = scenes.surface("Ball", "sphere", (-3.0, 0.0, 0.0), radius=0.5)
    coarse = run(physplace.place, ball, direction=(2.0, 0.0, 0.0), step=0.2, leave_unstable=False)
    assert scenes.world_matrix(ball)[0, 3] == pytest.approx(-0.5, abs=1e-5)
    assert coarse["status"] == "BALANCED"
    settings = scene_settings()
    assert settings.use_scene_gravity
    assert settings.eps_max == pytest.approx(0.05)


def test_an_unstable_rest_is_left_if_the_operator_says_so() -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 2.0))
    cube.rotation_euler.x = 0.25 * np.pi
    assert not run(physplace.place, cube, leave_unstable=False)["stable"]
    cube.location.z = 2.0
    assert run(physplace.place, cube, leave_unstable=True)["stable"]
    assert scenes.world_matrix(cube)[2, 3] == pytest.approx(1.0, abs=1e-5)


def _copies(seed: int, turn: str) -> list[np.ndarray]:
    """The world matrices of three copies of a brick on a floor."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scenes.floor()
    scenes.activate(_brick((0.0, 0.0, 6.0)))
    assert physplace.replicate(count=2, turn=turn, seed=seed) == {"FINISHED"}
    return [scenes.world_matrix(obj) for obj in bpy.data.objects if obj.name.startswith("Brick")]


def test_copies_turned_by_chance_are_the_same_for_the_same_seed_only() -> None:
    first, again, other = _copies(1, "HEADING"), _copies(1, "HEADING"), _copies(2, "HEADING")
    np.testing.assert_array_equal(first, again)
    assert np.abs(np.array(first) - other).max() > 0.01
    for matrix in first:
        assert matrix[2, 2] == pytest.approx(0.1, abs=1e-6)
    headings = [np.arctan2(matrix[1, 0], matrix[0, 0]) for matrix in first]
    assert len({round(heading, 3) for heading in headings}) == len(first)


@pytest.mark.parametrize("name", ["place", "drop_selected", "replicate"])
def test_blender_s_presets_of_an_operator_keep_its_options(name: str) -> None:
    presets = importlib.import_module("bl_operators.presets")
    kept = presets.AddPresetOperator.preset_values.fget(SimpleNamespace(operator=f"PHYSPLACE_OT_{name}"))
    options = {"stance", "onto", "onto_collection", "direction", "step", "friction", "leave_unstable"}
    assert {f"op.{option}" for option in options} <= set(kept)
    assert "op.ways" not in kept
    assert "PRESET" in getattr(bpy.types, f"PHYSPLACE_OT_{name}").bl_options
