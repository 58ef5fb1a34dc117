"""Placing, as an artist's script does it: operators, reports, keyframes, errors."""

from __future__ import annotations

from typing import Literal

import bpy
import numpy as np
import pytest

from tests.addon.running import place, refused
from tests.blender_data import constrain, current_scene, mesh_of, physplace, scene_settings
from tests.scene import scenes

REPORT_KEYS = {
    "status",
    "steps",
    "contacts",
    "overlap",
    "gap",
    "residual_force",
    "residual_torque",
    "required_friction",
    "stable",
    "rests_on",
    "notes",
}


def _refused(obj: bpy.types.Object | None, message: str) -> None:
    refused(physplace.place, obj, message)


def test_a_tilted_cube_comes_to_rest_on_a_face() -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.3, -0.2, 2.5))
    cube.rotation_euler = (0.3, 0.25, 0.7)
    report = place(cube)
    assert set(report) == REPORT_KEYS
    assert report["status"] == "BALANCED"
    assert report["stable"]
    matrix = scenes.world_matrix(cube)
    assert matrix[2, 3] == pytest.approx(1.0, abs=2e-6)
    assert np.abs(matrix[2, :3]).max() == pytest.approx(1.0, abs=1e-6)
    contacts = np.reshape(list(cube["physplace_contacts"]), (-1, 7))
    assert len(contacts) == report["contacts"]
    np.testing.assert_allclose(contacts[:, 2], 0.0, atol=1e-5)
    np.testing.assert_allclose(contacts[:, 3:6], np.tile((0.0, 0.0, 1.0), (len(contacts), 1)), atol=1e-6)
    assert np.all(contacts[:, 6] >= 0.0)


def test_an_exact_sphere_rests_at_its_radius_whatever_its_mesh() -> None:
    scenes.floor()
    ball = scenes.surface("Ball", "sphere", (0.0, 0.0, 3.0), radius=0.7)
    assert place(ball)["status"] == "BALANCED"
    assert scenes.world_matrix(ball)[2, 3] == pytest.approx(0.7, abs=1e-6)


@pytest.mark.slow
def test_a_scaled_sphere_is_an_ellipsoid_and_lies_down() -> None:
    scenes.floor()
    egg = scenes.surface("Egg", "sphere", (0.0, 0.0, 3.0), radius=1.0)
    egg.scale, egg.rotation_euler = (1.0, 0.8, 1.5), (1.2, 0.1, 0.0)
    assert place(egg)["status"] in {"BALANCED", "AT_ENERGY_MINIMUM"}
    assert scenes.world_matrix(egg)[2, 3] == pytest.approx(0.8, abs=1e-5)


def test_it_falls_along_the_scenes_gravity_or_the_settings() -> None:
    wall = scenes.floor("Wall")
    wall.rotation_euler = (0.0, 0.5 * np.pi, 0.0)
    ball = scenes.surface("Ball", "sphere", (-3.0, 0.0, 0.0), radius=0.5)
    settings = scene_settings()
    settings.use_scene_gravity, settings.gravity = False, (1.0, 0.0, 0.0)
    assert place(ball)["status"] == "BALANCED"
    assert scenes.world_matrix(ball)[0, 3] == pytest.approx(-0.5, abs=1e-5)


def test_a_parented_mirrored_object_rests_too() -> None:
    scenes.floor()
    parent = scenes.linked(bpy.data.objects.new("Rig", None), (0.0, 0.0, 1.0))
    parent.rotation_euler, parent.scale = (0.2, 0.5, 0.1), (2.0, 2.0, 2.0)
    cube = scenes.cube("Cube", (0.0, 0.0, 2.0))
    cube.parent, cube.scale = parent, (-0.5, 0.5, 0.25)
    cube.rotation_mode = "QUATERNION"
    assert place(cube)["status"] == "BALANCED"
    lowest = (scenes.world_matrix(cube) @ np.column_stack([scenes.CUBE, np.ones(8)]).T)[2].min()
    assert lowest == pytest.approx(0.0, abs=1e-5)
    assert cube.scale.to_tuple() == (-0.5, 0.5, 0.25)


def test_the_path_is_keyed_when_asked() -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 2.0))
    cube.rotation_euler = (0.3, 0.2, 0.0)
    start = scenes.world_matrix(cube)
    settings = scene_settings()
    settings.key_path, settings.frame_step = True, 2
    current_scene().frame_set(10)
    place(cube)
    rest = scenes.world_matrix(cube)
    last = current_scene().frame_current
    assert last > 10
    current_scene().frame_set(10)
    np.testing.assert_allclose(scenes.world_matrix(cube), start, atol=1e-6)
    current_scene().frame_set(last)
    np.testing.assert_allclose(scenes.world_matrix(cube), rest, atol=1e-6)
    for frame in range(10, last + 1, 2):
        current_scene().frame_set(frame)
        corners = scenes.world_matrix(cube) @ np.column_stack([scenes.CUBE, np.ones(8)]).T
        assert corners[2].min() > -1e-5


def test_without_a_floor_it_would_fall_for_ever_and_stays() -> None:
    cube = scenes.cube("Cube", (0.0, 0.0, 2.0))
    before = scenes.world_matrix(cube)
    report = place(cube)
    assert report["status"] == "NO_SUPPORT"
    assert report["steps"] <= 200
    np.testing.assert_array_equal(scenes.world_matrix(cube), before)


def test_beside_the_floor_it_would_fall_for_ever_and_stays() -> None:
    scenes.floor(half=1.0)
    cube = scenes.cube("Cube", (7.0, 0.0, 2.0))
    before = scenes.world_matrix(cube)
    assert place(cube)["status"] == "NO_SUPPORT"
    np.testing.assert_array_equal(scenes.world_matrix(cube), before)


def test_a_start_that_interferes_is_named_and_not_moved() -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 0.5))
    cube.rotation_euler = (0.3, 0.2, 0.0)
    before = scenes.world_matrix(cube)
    assert place(cube)["status"] == "INTERFERING_START"
    np.testing.assert_array_equal(scenes.world_matrix(cube), before)


def test_what_was_assumed_of_an_open_mesh_is_noted() -> None:
    scenes.floor()
    sheet = scenes.floor("Sheet", half=1.0)
    sheet.location.z = 1.0
    report = place(sheet)
    assert report["status"] == "BALANCED"
    assert any("area" in note for note in report["notes"])


def test_two_objects_at_one_place_interfere() -> None:
    scenes.cube("Twin")
    assert place(scenes.cube("Other twin"))["status"] == "INTERFERING_START"


def test_one_triangle_has_an_end() -> None:
    scenes.floor()
    mesh = bpy.data.meshes.new("Triangle")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0.3)], [], [(0, 1, 2)])
    report = place(scenes.linked(bpy.data.objects.new("Triangle", mesh), (0.0, 0.0, 1.0)))
    assert report["status"] in {"BALANCED", "AT_ENERGY_MINIMUM", "STUCK", "STEP_LIMIT"}


def test_check_moves_nothing_and_reports() -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 1.0))
    before = scenes.world_matrix(cube)
    scenes.activate(cube)
    assert physplace.check() == {"FINISHED"}
    assert set(cube["physplace_report"].to_dict()) == REPORT_KEYS
    np.testing.assert_array_equal(scenes.world_matrix(cube), before)


def test_nothing_active_is_an_error() -> None:
    scenes.cube()
    _refused(None, "no active object")


def test_an_object_without_faces_is_an_error() -> None:
    scenes.floor()
    _refused(
        scenes.linked(bpy.data.objects.new("Hollow", bpy.data.meshes.new("Hollow"))), '"Hollow".*no faces'
    )


def test_a_mesh_of_places_that_are_not_numbers_is_an_error_and_one_such_place_is_told(
    capfd: pytest.CaptureFixture[str],
) -> None:
    scenes.floor()
    broken = scenes.cube("Broken", (0.0, 0.0, 3.0))
    mesh_of(broken).vertices[0].co.y = float("nan")
    report = place(broken)
    assert report["status"] == "BALANCED"
    assert "faces left out that have no place" in str(report["notes"])
    assert 'Warning: "Broken": At rest on "Floor", stable; "Broken": ' in capfd.readouterr().out
    mesh_of(broken).vertices.foreach_set("co", np.full(24, np.nan, dtype=np.float32))
    mesh_of(broken).update()
    _refused(broken, '"Broken".*not finite numbers')


def test_a_zero_scale_is_an_error() -> None:
    scenes.floor()
    flat = scenes.cube("Flat", (0.0, 0.0, 3.0))
    flat.scale.z = 0.0
    _refused(flat, '"Flat".*scale')


def test_an_unknown_surface_is_an_error_that_names_it() -> None:
    scenes.floor()
    _refused(scenes.surface("Odd", "spher", (0.0, 0.0, 3.0), radius=1.0), '"Odd".*spher')


def test_a_surface_that_is_no_text_is_an_error() -> None:
    odd = scenes.surface("Odd", "sphere", radius=1.0)
    odd["surface"] = 3
    _refused(odd, '"Odd".*"surface"')


def test_a_negative_radius_is_an_error_that_names_it() -> None:
    scenes.floor()
    _refused(scenes.surface("Odd", "sphere", (0.0, 0.0, 3.0), radius=-1.0), '"Odd".*radius')


def test_a_missing_profile_is_an_error_that_names_it() -> None:
    _refused(scenes.surface("Bowl", "revolution", profile="Nobody"), '"Bowl".*surface.profile.*Nobody')


def test_a_constraint_that_owns_the_transform_is_an_error_and_nothing_moves() -> None:
    scenes.floor()
    target = scenes.linked(bpy.data.objects.new("Target", None), (0.0, 0.0, 4.0))
    cube = scenes.cube("Held", (0.0, 0.0, 4.0))
    constrain(cube, "COPY_LOCATION", target)
    _refused(cube, '"Held".*its constraint "Copy Location" owns its transform; mute')


def test_gravity_without_a_direction_is_an_error() -> None:
    scenes.floor()
    current_scene().gravity = (0.0, 0.0, 0.0)
    _refused(scenes.cube("Cube", (0.0, 0.0, 3.0)), "gravity")


def test_edit_mode_is_refused_with_the_reason() -> None:
    scenes.floor()
    scenes.activate(scenes.cube("Cube", (0.0, 0.0, 3.0)))
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="Object Mode"):
        physplace.place()
    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize("kind", ["LIGHT", "CAMERA", "EMPTY"])
def test_what_can_have_no_faces_is_greyed_and_says_why(kind: Literal["LIGHT", "CAMERA", "EMPTY"]) -> None:
    scenes.floor()
    bpy.ops.object.add(type=kind, location=(0.0, 0.0, 2.0))
    obj = bpy.data.objects[kind.title()]
    scenes.activate(obj)
    for operator in (physplace.place, physplace.check, physplace.drop_selected, physplace.push):
        assert not operator.poll()
        with pytest.raises(RuntimeError, match=f"is an? {kind.lower()}, which has no faces"):
            operator()
    scenes.cube("Hung on it").parent = obj
    assert physplace.place.poll()


def test_the_notes_are_about_what_it_touches() -> None:
    for name, place_x in (("Under", 0.0), ("Beside", 2.3)):
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata(scenes.CUBE.tolist(), [], [*scenes.CUBE_FACES, scenes.CUBE_FACES[0]])
        scenes.linked(bpy.data.objects.new(name, mesh), (place_x, 0.0, -1.0))
    bpy.data.objects["Beside"].scale.z = 3.0
    report = place(scenes.cube("Cube", (0.0, 0.0, 3.0)))
    notes = "; ".join(report["notes"])
    assert "Under: " in notes
    assert "Beside" not in notes
