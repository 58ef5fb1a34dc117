"""Figures that are posed among things, and among their own parts: they touch and do not pass through."""

from __future__ import annotations

from itertools import pairwise

import bpy
import numpy as np
import pytest

from physplace_addon.core.jobs import finished
from physplace_addon.core.mechanics.origin import near_the_origin
from physplace_addon.operators.linkages import session as linkage_session
from physplace_addon.operators.linkages.session import LinkageSession
from physplace_addon.scene.linkages.reading import reading_linkage
from tests.addon.running import refused
from tests.blender_data import current_view_layer, physplace
from tests.scene import scenes
from tests.scene.linkages import rigs
from tests.scene.linkages.standing_figure import HIP, SEAT, figure_and_chair, overlaps

FEET = ("Foot.L", "Foot.R")


@pytest.mark.slow
def test_three_drags_by_a_script_have_a_standing_figure_sit_on_a_chair_with_its_feet_on_the_floor() -> None:
    rig = figure_and_chair()
    for foot in FEET:
        rigs.bone(rig, foot)["physplace_pin"] = [2.0, 0.0, 0.0, 0.0]
    before = [rigs.bone_matrix(rig, foot) for foot in FEET]
    for part, target in (
        ("Pelvis", (0.0, 0.4, 0.55)),
        ("Chest", (0.0, 0.5, 1.05)),
        ("Hand.L", (0.12, 0.0, 0.6)),
    ):
        assert physplace.linkage_drag(part=part, target=target) == {"FINISHED"}
        assert overlaps() == []
    for foot, matrix in zip(FEET, before, strict=True):
        np.testing.assert_allclose(rigs.bone_matrix(rig, foot), matrix, atol=1e-4)
    hip = rigs.bone_matrix(rig, "Thigh.L")[:3, 3]
    assert SEAT < hip[2] < 0.6 * HIP
    assert 0.2 < hip[1] < 0.6
    knee = rigs.bone_matrix(rig, "Shin.L")
    bend = rigs.bone_matrix(rig, "Thigh.L")[:3, 1] @ knee[:3, 1]
    assert bend < 0.5, "its knees are bent"


@pytest.mark.slow
def test_a_figure_with_pinned_feet_comes_to_rest_where_the_mouse_has_led_it_onto_a_seat() -> None:
    rig = figure_and_chair()
    for foot in FEET:
        rigs.bone(rig, foot)["physplace_pin"] = [2.0, 0.0, 0.0, 0.0]
    session = finished(LinkageSession.beginning(bpy.context, finished(reading_linkage(bpy.context, rig))))
    pelvis = [part.name for part in session.found.parts].index("Pelvis")
    stops = np.array([(0.16, 0.08, 1.0), (0.16, 0.3, 0.8), (0.16, 0.47, 0.5)])
    session.grab(pelvis, stops[0])
    for start, stop in pairwise(stops):
        for share in np.linspace(0.05, 1.0, 20):
            session.follow(start + share * (stop - start))
            session.step()
            session.step()
        after = [session.step() for _ in range(15) if not session.is_still]
        assert session.is_still, f"still moving {len(after)} ticks after the mouse has stopped"
    session.show(bpy.context)
    assert rigs.bone_matrix(rig, "Thigh.L")[2, 3] < 0.5 * (SEAT + HIP)
    assert overlaps() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scale", "place"),
    [
        ((6e-4, 6e-4, 6e-4), (0.0, 0.0, 0.0)),
        ((60.0, 60.0, 60.0), (0.0, 0.0, 0.0)),
        ((-1.0, 1.0, 1.0), (1e4, -8e3, 0.0)),
    ],
)
def test_a_figure_is_seated_alike_at_any_size_mirrored_and_far_away(
    scale: rigs.Point, place: rigs.Point
) -> None:
    rig = figure_and_chair()
    root = scenes.linked(bpy.data.objects.new("Root", None), place)
    root.scale = scale
    for obj in bpy.data.objects:
        if obj.parent is None and obj != root:
            obj.parent = root
    for foot in FEET:
        rigs.bone(rig, foot)["physplace_pin"] = [2.0, 0.0, 0.0, 0.0]
    current_view_layer().update()
    whole = np.array(root.matrix_world, np.float64)
    before = [rigs.bone_matrix(rig, foot) for foot in FEET]
    target = (whole @ (0.0, 0.4, 0.55, 1.0))[:3]
    assert physplace.linkage_drag(part="Pelvis", target=target.tolist()) == {"FINISHED"}
    assert overlaps() == []
    for foot, matrix in zip(FEET, before, strict=True):
        moved = rigs.bone_matrix(rig, foot)[:3, 3] - matrix[:3, 3]
        assert np.abs(moved).max() < 1e-4 * abs(scale[1]) + 1e-3 * (place != (0.0, 0.0, 0.0))
    hip = np.linalg.inv(whole) @ np.append(rigs.bone_matrix(rig, "Pelvis")[:3, 3], 1.0)
    np.testing.assert_allclose(hip[:3], (0.0, 0.43, 0.49), atol=0.01)


def test_a_drag_goes_on_where_the_floor_is_deleted_meanwhile() -> None:
    rig = figure_and_chair()
    before = rigs.bone_matrix(rig, "Head")
    scenario = finished(reading_linkage(bpy.context, rig))
    session = finished(LinkageSession.beginning(bpy.context, scenario))
    head = [part.name for part in scenario.found.parts].index("Head")
    place, way = session.poses[head].translation, np.array([0.0, -0.3, -0.2])
    session.grab(head, place)
    session.follow(place + way)
    session.step()
    bpy.data.objects.remove(bpy.data.objects["Floor"])
    finished(session.reading(bpy.context))
    for _ in range(60):
        session.step()
    session.show(bpy.context)
    assert session.is_undisturbed
    np.testing.assert_allclose(rigs.bone_matrix(rig, "Head")[:3, 3], before[:3, 3] + way, atol=1e-3)
    session.put_back(bpy.context)
    np.testing.assert_array_equal(rigs.bone_matrix(rig, "Head"), before)


def test_a_whole_figure_comes_to_the_mouse_though_it_is_read_and_pinned_on_its_way() -> None:
    rig = rigs.armature(rigs.chain(3))
    rigs.carried_boxes(rig)
    session = finished(LinkageSession.beginning(bpy.context, finished(reading_linkage(bpy.context, rig))))
    before = [pose.translation for pose in session.poses]
    way, ticks = np.array([0.0, 5.0, 0.0]), 0
    session.grab(2, before[2])
    session.toggle_whole()
    session.follow(before[2] + way)
    while session.step():
        ticks += 1
        if ticks == 10:
            assert 0.2 < session.poses[2].translation[1] < 4.8, "it is on its way"
            finished(session.reading(bpy.context))
        if ticks == 15:
            session.toggle_pin(0, session.poses[0].translation)
            session.release_pin(0)
    assert ticks > 15
    for pose, place in zip(session.poses, before, strict=True):
        np.testing.assert_allclose(pose.translation, place + way, atol=1e-3)


def test_pins_stay_where_they_were_set_though_a_far_figure_is_seen_from_another_origin() -> None:
    rig = rigs.armature(rigs.chain(3))
    rigs.carried_boxes(rig)
    rig.location = (79.7, 0.0, 0.0)
    rigs.bone(rig, "Bone 0")["physplace_pin"] = [1.0, 0.0, 0.0, 0.0]
    current_view_layer().update()
    session = finished(LinkageSession.beginning(bpy.context, finished(reading_linkage(bpy.context, rig))))
    bodies = [part.body for part in session.found.parts]
    foot, before = session.poses[0].translation, near_the_origin(bodies, session.poses, [])[0]
    target = foot + np.array([2.0, 0.0, 1.5])
    session.grab(2, session.poses[2].points(np.array([0.0, 1.0, 0.0])))
    session.follow(target)
    while session.step():
        pass
    assert np.abs(near_the_origin(bodies, session.poses, [])[0] - before).max() > 1.0
    finished(session.reading(bpy.context))
    while session.step():
        pass
    np.testing.assert_allclose(session.poses[0].translation, foot, atol=1e-4)
    np.testing.assert_allclose(session.poses[2].points(np.array([0.0, 1.0, 0.0])), target, atol=1e-4)


@pytest.mark.slow
def test_a_figure_that_is_let_go_on_a_fast_way_stops_at_what_was_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(linkage_session, "SETTLING", 60.0)
    rig = rigs.armature(rigs.chain(3))
    rigs.carried_boxes(rig)
    wall = rigs.box("Wall", (3.0, 0.02, 3.0))
    wall.location = (0.0, -4.0, 1.0)
    current_view_layer().update()
    scenario = finished(reading_linkage(bpy.context, rig))
    assert "Wall" not in scenario.world.owners
    session = finished(LinkageSession.beginning(bpy.context, scenario))
    tip = [part.name for part in scenario.found.parts].index("Bone 2")
    session.grab(tip, session.poses[tip].translation)
    session.follow(session.poses[tip].translation - np.array([0.0, 4.3, 0.0]))
    for _ in session.settling(bpy.context):
        session.show(bpy.context)
    assert session.is_still
    assert -4.0 < session.poses[tip].translation[1] < -3.5, "it has come to the wall"
    assert overlaps() == []
    session.put_back(bpy.context)


def test_a_bone_without_a_mesh_passes_through_things() -> None:
    rig = rigs.armature(rigs.chain(4))
    rigs.carried_box(rig, "Bone 0")
    rigs.carried_box(rig, "Bone 3")
    rigs.bone(rig, "Bone 0").lock_location = (True, True, True)
    wall = rigs.box("Wall", (0.2, 0.2, 0.2))
    wall.location = (0.0, 0.0, 1.5)
    current_view_layer().update()
    scenes.activate(rig)
    assert physplace.linkage_solve(part="Bone 3", target=(0.5, 0.0, 3.8)) == {"FINISHED"}


def test_a_part_that_overlaps_the_world_at_the_start_is_named() -> None:
    rig = rigs.armature(rigs.chain(3))
    rigs.carried_boxes(rig)
    wall = rigs.box("Wall", (0.3, 0.3, 0.3))
    wall.location = (0.0, 0.0, 1.5)
    current_view_layer().update()
    refused(physplace.linkage_solve, rig, '"Bone 1" overlaps "Wall"', part="Bone 2", target=(1.0, 0.0, 2.0))


def test_parts_that_overlap_themselves_at_rest_are_posed_and_named(capfd: pytest.CaptureFixture[str]) -> None:
    rig = rigs.armature(rigs.chain(3))
    rigs.carried_boxes(rig)
    thick = bpy.data.objects["Box Bone 2"]
    thick.scale = (1.0, 5.0, 1.0)  # down to the first bone
    current_view_layer().update()
    scenes.activate(rig)
    assert physplace.linkage_solve(part="Bone 2", target=(1.0, 0.0, 2.5)) == {"FINISHED"}
    assert 'the contact of "Bone 0" with "Bone 2", which overlap' in capfd.readouterr().out


def test_a_drag_is_prepared_in_slices_and_one_that_is_ended_leaves_the_scene_as_it_was() -> None:
    rig = figure_and_chair()
    scenario = finished(reading_linkage(bpy.context, rig))
    names = [part.name for part in scenario.found.parts]
    before = [rigs.bone_matrix(rig, name) for name in FEET]
    job = LinkageSession.beginning(bpy.context, scenario)
    words = {next(job).words for _ in range(len(names) + 3)}
    assert "Preparing what stands around it" in words
    job.close()
    for name, matrix in zip(FEET, before, strict=True):
        np.testing.assert_array_equal(rigs.bone_matrix(rig, name), matrix)
    session = finished(LinkageSession.beginning(bpy.context, scenario))
    assert len(session.poses) == len(names)
