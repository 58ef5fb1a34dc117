"""Nudge, push and connect: forces at a point of the object, through the operators."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from tests.addon.running import place, refused, run
from tests.blender_data import current_scene, physplace, scene_settings
from tests.scene import scenes


def _room() -> bpy.types.Object:
    """A floor, a wall whose face is at x = 1.5, and a cube of side 2 on the floor, at the origin."""
    scenes.floor()
    scenes.cube("Wall", (2.5, 0.0, 1.0)).scale = (1.0, 5.0, 2.0)
    return scenes.cube("Cube", (0.0, 0.0, 1.0))


def _cursor(*location: float) -> None:
    current_scene().cursor.location = location


def test_a_push_at_the_cursor_slides_the_object_along_the_floor_to_the_wall() -> None:
    cube = _room()
    scene_settings().key_path = True
    _cursor(-2.0, 0.0, 0.7)
    assert run(physplace.push, cube)["status"] == "BALANCED"
    np.testing.assert_allclose(scenes.world_matrix(cube)[:3, 3], (0.5, 0.0, 1.0), atol=1e-5)
    for frame in range(1, current_scene().frame_current + 1):
        current_scene().frame_set(frame)
        assert scenes.world_matrix(cube)[2, 3] == pytest.approx(1.0, abs=1e-5)


def test_a_pull_goes_the_other_way() -> None:
    cube = _room()
    run(physplace.push, cube, location=(1.2, 0.0, 0.7), direction="PULL")
    assert scenes.world_matrix(cube)[0, 3] == pytest.approx(0.5, abs=1e-5)


def test_a_push_along_a_vector_is_one_in_the_world_whatever_the_object_s_turn_and_scale() -> None:
    cube = _room()
    cube.rotation_euler, cube.scale = (0.0, 0.0, 0.5 * np.pi), (-1.0, 1.0, 1.0)
    run(physplace.push, cube, location=(-1.0, 0.0, 0.7), direction="VECTOR", vector=(5.0, 0.0, 0.0))
    assert scenes.world_matrix(cube)[0, 3] == pytest.approx(0.5, abs=1e-5)
    assert cube.scale.to_tuple() == (-1.0, 1.0, 1.0)


def test_friction_that_is_stronger_than_the_push_holds_the_object() -> None:
    cube = _room()
    scene_settings().friction = 0.6
    report = run(physplace.push, cube, location=(-2.0, 0.0, 0.7), strength=0.5)
    assert report["status"] == "BALANCED_BY_FRICTION"
    assert report["required_friction"] == pytest.approx(0.5, abs=1e-3)
    assert scenes.world_matrix(cube)[0, 3] == pytest.approx(0.0, abs=1e-5)


def test_a_nudge_ends_a_rest_on_an_edge() -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 2.0))
    cube.rotation_euler = (0.0, 0.25 * np.pi, 0.0)
    assert not place(cube)["stable"]
    report = run(physplace.nudge, cube, location=(-2.0, 0.0, 2.0))
    assert report["status"] == "BALANCED"
    assert report["stable"]
    matrix = scenes.world_matrix(cube)
    assert matrix[2, 3] == pytest.approx(1.0, abs=1e-5)
    assert matrix[0, 3] > 0.01


def test_a_connection_draws_the_nearest_point_to_the_target() -> None:
    cube = _room()
    hand = scenes.linked(bpy.data.objects.new("Hand", None), (-0.5, 1.5, 3.0))
    report = run(physplace.connect, cube, target="Hand")
    assert report["status"] == "BALANCED"
    drawn = scenes.world_matrix(cube) @ (-0.5, 1.0, 1.0, 1.0)
    np.testing.assert_allclose(drawn[:3], np.array(hand.location), atol=1e-4)


def test_without_gravity_the_origin_is_drawn_to_the_cursor_itself() -> None:
    cube = _room()
    _cursor(-1.0, 1.0, 2.5)
    run(physplace.connect, cube, anchor="ORIGIN", use_gravity=False, strength=0.5)
    np.testing.assert_allclose(scenes.world_matrix(cube)[:3, 3], (-1.0, 1.0, 2.5), atol=1e-4)


def test_a_given_point_of_a_parented_object_is_drawn() -> None:
    scenes.floor()
    rig = scenes.linked(bpy.data.objects.new("Rig", None), (1.0, 0.0, 0.0))
    rig.rotation_euler, rig.scale = (0.0, 0.0, 0.7), (0.5, 0.5, 0.5)
    cube = scenes.cube("Cube", (0.0, 0.0, 2.0))
    cube.parent = rig
    knob = np.linalg.inv(scenes.world_matrix(cube)) @ (1.0, 0.0, 1.5, 1.0)
    run(physplace.connect, cube, anchor="POINT", point=(1.0, 0.0, 1.5), location=(0.6, 0.2, 2.5))
    np.testing.assert_allclose((scenes.world_matrix(cube) @ knob)[:3], (0.6, 0.2, 2.5), atol=1e-4)


def test_what_the_cursor_gave_is_kept_for_adjusting_and_not_for_the_next_time() -> None:
    for operator in (physplace.push, physplace.nudge, physplace.connect):
        assert operator.get_rna_type().properties["location"].is_skip_save


@pytest.mark.parametrize("operator", ["nudge", "push"])
@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({"strength": 0.0}, "strength above 0"),
        ({"strength": -1.0}, "strength above 0"),
        ({"direction": "VECTOR", "vector": (0.0, 0.0, 0.0)}, "vector.*direction"),
        ({"location": (float("nan"), 0.0, 0.0)}, "location.*finite"),
    ],
)
def test_a_force_without_meaning_is_an_error(
    operator: str, properties: dict[str, object], message: str
) -> None:
    refused(getattr(physplace, operator), _room(), message, **properties)


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({"target": "Nobody"}, '"Nobody".*no such object'),
        ({"target": "Cube"}, '"Cube".*moves with'),
        ({"target": "Part"}, '"Part".*moves with'),
        ({"target": "Disabled"}, '"Disabled": it is .*disabled in viewports'),
        ({"strength": 0.0}, "strength above 0"),
        ({"location": (0.0, float("nan"), 0.0)}, "location.*finite"),
        ({"anchor": "POINT", "point": (0.0, 0.0, float("nan"))}, "point.*finite"),
    ],
)
def test_a_connection_without_meaning_is_an_error(properties: dict[str, object], message: str) -> None:
    cube = _room()
    part = scenes.linked(bpy.data.objects.new("Part", None))
    part.parent = cube
    scenes.linked(bpy.data.objects.new("Disabled", None), (3.0, 0.0, 3.0)).hide_viewport = True
    refused(physplace.connect, cube, message, **properties)


@pytest.mark.parametrize("operator", ["nudge", "push", "connect", "replicate"])
def test_what_cannot_be_placed_cannot_be_pushed_drawn_or_copied_either(operator: str) -> None:
    scenes.floor()
    hollow = scenes.linked(bpy.data.objects.new("Hollow", bpy.data.meshes.new("Hollow")))
    refused(getattr(physplace, operator), hollow, '"Hollow".*no faces')
    refused(getattr(physplace, operator), None, "no active object")
