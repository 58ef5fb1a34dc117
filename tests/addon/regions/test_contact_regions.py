"""Contact Regions as a script runs it: what it finds, reports, draws and clears."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from physplace_addon.operators.regions.shown import shown
from physplace_addon.scene.writing.region_report import last_regions
from tests.addon.blobs.two_balls import two_balls
from tests.addon.regions.found_regions import box, corners, dimensions, find, points_of, report
from tests.addon.running import place
from tests.blender_data import (
    current_scene,
    current_view_layer,
    load_object,
    mesh_of,
    of_type,
    physplace,
    property_names,
)
from tests.scene import scenes


def test_a_small_box_on_a_big_one_is_one_face_of_four_points() -> None:
    small = box("Small", (1.0, 1.0, 1.0), (0.25, 0.0, 0.5))
    found = find(box("Big", (4.0, 4.0, 2.0), (0.0, 0.0, -1.0)), small)
    assert found["count"] == len(found["regions"]) == 1
    (region,) = found["regions"]
    assert (region["object_1"], region["object_2"], region["dimension"]) == ("Big", "Small", 2)
    assert region["entity_1"].startswith("face ")
    assert region["entity_2"].startswith("face ")
    np.testing.assert_allclose(region["normal"], (0.0, 0.0, -1.0), atol=1e-12)
    assert corners(region) == {(x, y, 0.0) for x in (-0.25, 0.75) for y in (-0.5, 0.5)}
    np.testing.assert_allclose(region["gaps"], 0.0, atol=1e-7)
    assert region["penetration"] is False
    assert found["penetrations"] == []


def test_a_point_a_line_and_a_face_are_told_apart() -> None:
    table = box("Table", (20.0, 20.0, 1.0), (0.0, 0.0, -0.5))
    on_face = box("Lies", (1.0, 1.0, 1.0), (-6.0, 0.0, 0.5))
    on_edge = box("On its edge", (1.0, 1.0, 1.0), (0.0, 0.0, np.sqrt(0.5)))
    on_edge.rotation_euler = (np.pi / 4.0, 0.0, 0.0)
    on_corner = box("On its corner", (1.0, 1.0, 1.0), (6.0, 0.0, np.sqrt(0.75)))
    on_corner.rotation_euler = (np.pi / 4.0, np.arctan(np.sqrt(0.5)), 0.0)
    found = find(table, on_face, on_edge, on_corner)
    by_name = {region["object_1"]: region for region in found["regions"]}
    assert {name: region["dimension"] for name, region in by_name.items()} == {
        "Lies": 2,
        "On its edge": 1,
        "On its corner": 0,
    }
    assert corners(by_name["On its edge"]) == {(-0.5, 0.0, 0.0), (0.5, 0.0, 0.0)}
    assert corners(by_name["On its corner"]) == {(6.0, 0.0, 0.0)}
    for region in by_name.values():
        assert region["object_2"] == "Table"
        np.testing.assert_allclose(region["normal"], (0.0, 0.0, 1.0), atol=1e-6)


def test_one_selected_object_is_compared_with_all_that_is_visible() -> None:
    cubes = [scenes.cube(name, (0.0, 0.0, 2.0 * i)) for i, name in enumerate("ABCD")]
    cubes[3].hide_set(True)
    found = find(cubes[2])
    assert [(one["object_1"], one["object_2"]) for one in found["regions"]] == [("C", "B")]
    found = find(cubes[1])
    assert {(one["object_1"], one["object_2"]) for one in found["regions"]} == {("B", "A"), ("B", "C")}


def test_a_part_of_a_model_alone_stands_for_the_whole() -> None:
    table = scenes.floor("Table", 5.0)
    model = scenes.linked(bpy.data.objects.new("Model", None))
    one, other = scenes.cube("One", (-1.0, 0.0, 1.0)), scenes.cube("Other", (1.0, 0.0, 1.0))
    one.parent = other.parent = model
    touching = {(each["object_1"], each["object_2"]) for each in find(one)["regions"]}
    assert touching == {("One", table.name), ("Other", table.name)}, "its own parts are not compared"


def test_a_cylinder_stands_on_a_face_and_lies_on_a_line() -> None:
    table = box("Table", (20.0, 20.0, 1.0), (0.0, 0.0, -0.5))
    stands = scenes.surface("Stands", "cylinder", (0.0, 0.0, 1.0), radius=0.5, height=2.0)
    lies = scenes.surface("Lies", "cylinder", (5.0, 0.0, 0.5), radius=0.5, height=2.0)
    lies.rotation_euler = (np.pi / 2.0, 0.0, 0.0)
    found = find(table, stands, lies)
    by_name = {region["object_1"]: region for region in found["regions"]}
    assert {name: region["dimension"] for name, region in by_name.items()} == {"Stands": 2, "Lies": 1}
    np.testing.assert_allclose(np.linalg.norm(points_of(by_name["Stands"])[:, :2], axis=1), 0.5, atol=1e-5)
    ends = points_of(by_name["Lies"])
    np.testing.assert_allclose(ends[:, 0], 5.0, atol=1e-3)
    assert np.ptp(ends[:, 1]) == pytest.approx(2.0, abs=1e-3)
    for region in by_name.values():
        np.testing.assert_allclose(region["normal"], (0.0, 0.0, 1.0), atol=1e-6)


def test_a_meshed_cylinder_is_one_face_however_many_sides_it_has() -> None:
    table = box("Table", (20.0, 20.0, 1.0), (0.0, 0.0, -0.5))
    bpy.ops.mesh.primitive_cylinder_add(vertices=64, radius=1.0, depth=2.0, location=(0.0, 0.0, 1.0))
    (region,) = find(table, bpy.data.objects["Cylinder"])["regions"]
    assert region["dimension"] == 2
    assert len(region["gaps"]) == 64


def test_a_ball_touches_in_a_point() -> None:
    table = box("Table", (20.0, 20.0, 1.0), (0.0, 0.0, -0.5))
    ball = scenes.surface("Ball", "sphere", (3.0, 4.0, 0.5), radius=0.5)
    (region,) = find(table, ball)["regions"]
    assert region["dimension"] == 0
    np.testing.assert_allclose(region["points"], (3.0, 4.0, 0.0), atol=1e-5)


def test_a_text_stands_on_its_letters() -> None:
    table = box("Table", (20.0, 20.0, 1.0), (0.0, 0.0, -0.5))
    curve = of_type(bpy.data.curves.new("Text", "FONT"), bpy.types.TextCurve)
    curve.body, curve.extrude, curve.size = "H", 0.25, 2.0
    text = scenes.linked(bpy.data.objects.new("Text", curve))
    current_view_layer().update()
    text.location.z = -min(corner[2] for corner in text.bound_box)
    found = find(text, table)
    (region,) = found["regions"]
    assert (region["object_1"], region["dimension"]) == ("Table", 2)


@pytest.mark.slow
def test_a_blob_that_was_placed_touches_what_it_rests_on() -> None:
    blob = two_balls()
    floor = box("Table", (20.0, 20.0, 1.0), (0.0, 0.0, -3.5))
    assert place(blob)["status"] in ("BALANCED", "AT_ENERGY_MINIMUM")
    found = find(blob, floor)
    (region,) = found["regions"]
    assert region["dimension"] == 1  # it touches in two points of one face
    np.testing.assert_allclose(points_of(region)[:, 2], -3.0, atol=1e-5)
    np.testing.assert_allclose(np.sort(points_of(region)[:, 0]), (-1.0, 1.0), atol=0.2)
    assert found["penetrations"] == []


@pytest.mark.parametrize("place", [(0.0, 0.0, 0.0), (3.0e4, -2.0e4, 1.0e4)], ids=["near", "far"])
def test_mirrored_scaled_and_parented_objects_touch_where_they_are_seen(
    place: tuple[float, float, float],
) -> None:
    parent = scenes.linked(bpy.data.objects.new("Parent", None), place)
    parent.scale = (2.0, 2.0, 2.0)
    one, other = scenes.cube("One", (0.0, 0.0, -1.0)), scenes.cube("Other", (1.0, 0.0, 1.0))
    for obj in (one, other):
        obj.parent = parent
    other.scale = (-1.0, -0.5, 1.0)
    (region,) = find(one, other)["regions"]
    assert region["dimension"] == 2
    expected = {(x, y, 0.0) for x in (0.0, 2.0) for y in (-1.0, 1.0)}
    assert {tuple(x) for x in (points_of(region) - place).round(2).tolist()} == expected
    np.testing.assert_allclose(region["normal"], (0.0, 0.0, -1.0), atol=1e-6)


def test_objects_that_overlap_are_named_with_their_depth() -> None:
    table = box("Table", (20.0, 20.0, 1.0), (0.0, 0.0, -0.5))
    found = find(box("Box", (1.0, 1.0, 1.0), (0.0, 0.0, 0.4)), table)
    (overlap,) = found["penetrations"]
    assert (overlap["object_1"], overlap["object_2"]) == ("Box", "Table")
    assert overlap["depth"] == pytest.approx(0.1, abs=1e-6)
    assert len(overlap["points"]) % 3 == 0
    assert len(overlap["points"]) > 0
    assert all(region["penetration"] for region in found["regions"])
    found = find(box("Inside", (0.1, 0.1, 0.1), (5.0, 5.0, -0.5)), table)
    assert [one["depth"] for one in found["penetrations"]] == [float("inf")]


def test_surfaces_within_the_tolerance_touch() -> None:
    table = box("Table", (20.0, 20.0, 1.0), (0.0, 0.0, -0.5))
    over = box("Over", (1.0, 1.0, 1.0), (0.0, 0.0, 0.501))
    assert find(over, table)["count"] == 0
    (region,) = find(over, table, tolerance=0.002)["regions"]
    assert region["dimension"] == 2
    np.testing.assert_allclose(region["gaps"], 0.001, atol=1e-6)


@pytest.mark.parametrize(
    ("tolerance", "said"),
    [
        (float("nan"), "tolerance: it is nan; give a finite length"),
        (float("inf"), "tolerance: .* give"),
        (1e6, 'tolerance: 1000 km is too large for "Over", .* give at most 8.66025 cm'),
    ],
)
def test_a_tolerance_that_is_no_small_length_is_refused_and_changes_nothing(
    tolerance: float, said: str
) -> None:
    table = box("Table", (20.0, 20.0, 1.0), (0.0, 0.0, -0.5))
    over = box("Over", (1.0, 1.0, 1.0), (0.0, 0.0, 0.5))
    before = find(over, table)
    drawn = shown()
    with pytest.raises(RuntimeError, match=said):
        physplace.contact_regions(tolerance=tolerance)
    assert report() == before
    assert shown() is drawn


def test_what_is_left_out_is_noted_in_a_list_that_a_file_keeps(tmp_path: Path) -> None:
    odd = scenes.linked(bpy.data.objects.new("Odd; name", None))
    cubes = [scenes.cube(name, (0.0, 0.0, 2.0 * i)) for i, name in enumerate("AB")]
    notes = find(*cubes, odd)["notes"]
    assert len(notes) == 1
    assert notes[0].startswith('"Odd; name" is left out')
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "notes.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "notes.blend"))
    assert report()["notes"] == notes
    found = last_regions(current_scene())
    assert found is not None
    assert found["notes"] == notes


def test_without_a_selection_or_a_second_object_it_is_refused() -> None:
    a = scenes.cube("A")
    assert not physplace.contact_regions.poll()
    empty = scenes.linked(bpy.data.objects.new("Empty", None))
    a.select_set(True)
    empty.select_set(True)
    with pytest.raises(RuntimeError, match='object "Empty": it has no faces'):
        physplace.contact_regions()
    assert "physplace_regions" not in property_names(current_scene())


def test_a_linked_object_is_looked_at_too(tmp_path: Path) -> None:
    path = tmp_path / "library.blend"
    bpy.data.libraries.write(str(path), {scenes.cube("Linked")})
    bpy.data.objects.remove(bpy.data.objects["Linked"])
    linked = load_object(path, "Linked", link=True)
    current_scene().collection.objects.link(linked)
    found = find(linked, scenes.cube("Own", (0.0, 0.0, 2.0)))
    assert [(one["object_1"], one["object_2"]) for one in found["regions"]] == [("Linked", "Own")]


def test_a_smooth_shaded_ball_is_what_is_seen_or_curved_where_that_is_asked_for() -> None:
    table = box("Table", (20.0, 20.0, 1.0), (0.0, 0.0, -0.5))
    bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=8, radius=1.0)
    ball = bpy.data.objects["Sphere"]
    mesh_of(ball).shade_smooth()
    ball.rotation_euler = (np.pi / 16.0, 0.0, 0.0)
    current_view_layer().update()
    low = min((ball.matrix_world @ vertex.co).z for vertex in mesh_of(ball).vertices)
    ball.location.z = -low
    flat = find(ball, table)
    assert dimensions(flat) == [1]
    assert flat["penetrations"] == []
    ball["physplace_faceted"] = 0
    curved = find(ball, table)
    assert [one["depth"] > 0.0 for one in curved["penetrations"]] == [True]


def test_what_another_program_has_written_is_no_report() -> None:
    current_scene()["physplace_regions"] = "none"
    assert last_regions(current_scene()) is None
    current_scene()["physplace_regions"] = {"count": 1}
    assert last_regions(current_scene()) is None


def test_two_cubes_in_one_place_overlap_by_half_their_side() -> None:
    found = find(scenes.cube("One", (0.3, 0.2, 1.0)), scenes.cube("Other", (0.3, 0.2, 1.0)))
    assert [pair["depth"] for pair in found["penetrations"]] == [pytest.approx(1.0, abs=1e-6)]
