"""What is steered, without a window: what is done to it, what is told of it, and how it is put back."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, cast

import bpy
import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.jobs import finished
from physplace_addon.core.placement import Status
from physplace_addon.operators.placing.item import PlacementItem
from physplace_addon.operators.placing.manipulation.point_handle import PointAction
from physplace_addon.operators.placing.manipulation.transform_input import TransformInput
from physplace_addon.operators.placing.record import PlacementRecord, read_records, write_records
from physplace_addon.operators.placing.session import PlacementSession
from physplace_addon.operators.session import REST
from physplace_addon.operators.view import View
from physplace_addon.overlay.marks import blocking_contacts
from physplace_addon.scene import differences
from physplace_addon.scene.access import present
from physplace_addon.scene.errors import SceneError
from physplace_addon.scene.writing.actions import curves_of
from tests.blender_data import current_view_layer, physplace
from tests.scene import scenes

SECONDS = 1e-9  # one step a tick
NOWHERE = np.zeros(2)


@dataclass
class Pointing:
    """A view whose mouse points at a place."""

    at: Floats

    def under_mouse(self, _mouse: Floats, _depth: Floats) -> Floats:
        return self.at


def at_rest(item: PlacementItem) -> PlacementItem:
    """The placement, run to its end."""
    while item.steered.is_running:
        item.steered.advance(1.0)
    return item


def cube_on_a_floor() -> PlacementItem:
    """A cube of side 2 that came to rest on a floor."""
    scenes.floor()
    return at_rest(finished(PlacementItem.beginning(bpy.context, [scenes.cube("Cube", (0.0, 0.0, 1.5))])))


def test_after_a_step_longer_than_a_tick_two_are_left_to_the_view() -> None:
    scenes.floor()
    item = finished(PlacementItem.beginning(bpy.context, [scenes.cube("Cube", (0.0, 0.0, 1.5))]))
    assert [item.steered.advance(SECONDS) for _ in range(4)] == [True, False, False, True]
    assert len(item.steered.solver.states) == 3


def test_however_long_its_steps_are_a_hand_is_followed_every_third_tick() -> None:
    item = cube_on_a_floor()
    start, states = item.poses[0], []
    for tick in range(1, 13):
        target = start.displaced(0.01 * tick * np.array([1.0, 0.0, 0.0]), np.zeros(3), start.translation)
        assert item.steered.drag(target, 0, None, None, SECONDS)
        states.append(len(item.steered.solver.states))
    followed = np.diff(states) > 0
    assert 3 <= followed.sum() <= 6
    assert item.poses[0].translation[0] >= start.translation[0] + 0.09


def test_ticks_that_are_over_at_once_leave_the_view_no_time() -> None:
    item, seconds = cube_on_a_floor(), 3e-4
    target = item.poses[0].displaced(np.array([9.0, 0.0, 0.0]), np.zeros(3), item.poses[0].translation)

    def until_it_moves() -> float:
        before = item.steered.state
        while item.steered.state is before:
            begin = time.perf_counter()
            assert item.steered.drag(target, 0, None, None, seconds)
        return begin

    until_it_moves()
    end = time.perf_counter()
    assert until_it_moves() - end >= 2.0 * REST * seconds


@dataclass
class Facing:
    """A view in which a pixel is a unit of length along x."""

    def under_mouse(self, mouse: Floats, _depth: Floats) -> Floats:
        return np.array([mouse[0], 0.0, 0.0])

    def pixel(self, point: Floats) -> Floats:
        return np.array([point[0], point[2]])

    def mouse(self, event: float) -> Floats:
        return np.array([event, 0.0])


def test_what_a_hand_holds_is_shown_anew_only_once_it_has_moved() -> None:
    scenes.floor()
    session = finished(
        PlacementSession.beginning(bpy.context, [scenes.cube("Cube", (0.0, 0.0, 3.0))], together=False)
    )
    pose = session.item.poses[0]
    session.transform = TransformInput(False, pose, pose.translation, np.zeros(2))
    view, seen, states, headers = cast("View", Facing()), [], [1], [""]
    for tick in range(1, 15):
        session.follow(view, np.array([0.01 * min(tick, 8), 0.0]))
        seen.append(session.tick(bpy.context, view, SECONDS))
        states.append(len(session.steered.solver.states))
        headers.append(session.figures())
    assert seen == (np.diff(states) > 0).tolist()
    assert seen == [before != after for before, after in pairwise(headers)]
    assert any(seen)
    assert not any(seen[-3:])
    assert session.item.poses[0].translation[0] == pytest.approx(0.08)


def test_all_states_of_many_pulls_share_what_was_prepared_of_the_bodies() -> None:
    item = cube_on_a_floor()
    handle = item.handle_at(PointAction.PULL, 0, np.array([1.0, 0.0, 1.0]))
    systems = []
    for angle in np.linspace(0.0, 6.0, 12):
        pointing = Pointing(9.0 * np.array([np.cos(angle), np.sin(angle), 0.1]))
        item.pull(cast("View", pointing), NOWHERE, handle)
        item.steered.solver.step()
        systems.append(item.steered.solver.state.system)
    assert len({id(body) for system in systems for body in (*system.bodies, system.fixed)}) == 2


def test_a_pull_that_stays_the_same_lets_the_solver_run_on() -> None:
    item = cube_on_a_floor()
    handle = item.handle_at(PointAction.PULL, 0, np.array([1.0, 0.0, 1.0]))
    pointing = Pointing(np.array([9.0, 0.0, 1.0]))
    item.pull(cast("View", pointing), NOWHERE, handle)
    pulled = item.steered.solver
    assert any(item.steered.advance(SECONDS) for _ in range(3))
    item.pull(cast("View", pointing), NOWHERE, handle)
    assert item.steered.solver is pulled
    pointing.at = np.array([0.0, 9.0, 1.0])
    item.pull(cast("View", pointing), NOWHERE, handle)
    assert item.steered.solver is not pulled


def test_only_what_the_hand_presses_into_is_in_the_way() -> None:
    wall = scenes.floor("Wall", half=5.0)
    wall.rotation_euler, wall.location = (0.0, -0.5 * np.pi, 0.0), (1.0, 0.0, 5.0)
    item = cube_on_a_floor()
    here = item.poses[0]
    towards = here.displaced(np.array([0.1, 0.0, 0.0]), np.zeros(3), here.translation)
    item.steered.drag(towards, 0, None, None, 1.0)

    def pressed(*shift: float) -> Floats:
        pose = item.poses[0]
        target = pose.displaced(np.array(shift), np.zeros(3), pose.translation)
        return blocking_contacts(item.steered.state, 0, target)

    assert len(pressed(0.5, 0.0, 0.0)) > 0
    np.testing.assert_allclose(pressed(0.5, 0.0, 0.0)[:, 0], 1.0, atol=1e-5)
    np.testing.assert_allclose(pressed(0.0, 0.0, -0.5)[:, 2], 0.0, atol=1e-5)
    assert len(pressed(-0.5, 0.0, 0.0)) == 0
    assert len(pressed(0.0, 0.0, 0.5)) == 0


def two_in_turn() -> PlacementSession:
    """Two cubes placed one after the other; the second is under way."""
    scenes.floor()
    movers = [scenes.cube("Cube", (0.0, 0.0, 1.5)), scenes.cube("Other", (4.0, 0.0, 1.5))]
    session = finished(PlacementSession.beginning(bpy.context, movers, together=False))
    at_rest(session.item)
    session.show(bpy.context)
    finished(session.next(bpy.context))
    return session


def test_if_one_cannot_be_keyed_none_is_written() -> None:
    session = two_in_turn()
    at_rest(session.item)
    cube, other = (bpy.data.objects[name] for name in ("Cube", "Other"))
    for obj in (cube, other):
        obj.keyframe_insert("location", frame=1)
    cube.location.z, other.location.z = 1.5, 1.5
    next(iter(curves_of(other))).mute = True
    session = finished(PlacementSession.beginning(bpy.context, [cube, other], together=False))
    for _ in range(2):
        at_rest(session.item)
        session.show(bpy.context)
        session.key_here(bpy.context)
        if session.item.subjects[0].name == "Cube":
            finished(session.next(bpy.context))
    with pytest.raises(SceneError, match='"Other": curves of its location or rotation are muted'):
        session.write(bpy.context)
    session.put_back(bpy.context)
    for obj in (cube, other):
        assert obj.location.z == 1.5
        keys = [len(curve.keyframe_points) for curve in curves_of(obj)]
        assert keys == [1, 1, 1]


def test_one_that_was_placed_before_and_is_moved_by_something_else_is_a_disturbance() -> None:
    session = two_in_turn()
    assert session.is_undisturbed
    bpy.data.objects["Cube"].location.y += 1.0
    assert not session.is_undisturbed


def test_a_world_of_which_something_is_deleted_is_a_disturbance() -> None:
    item = cube_on_a_floor()
    item.show(bpy.context)
    assert item.is_undisturbed
    bpy.data.objects.remove(bpy.data.objects["Floor"])
    assert not item.is_undisturbed


def test_one_that_is_renamed_meanwhile_is_placed_under_its_new_name() -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 1.5))
    session = finished(PlacementSession.beginning(bpy.context, [cube], together=False))
    session.steered.advance(SECONDS)
    session.show(bpy.context)
    cube.name = "Crate"
    scenes.cube("Cube", (5.0, 0.0, 5.0))
    assert session.is_undisturbed
    session.put_back(bpy.context)
    assert cube.location.z == 1.5
    at_rest(session.item)
    assert PlacementRecord.of(session.item).names == ("Crate",)
    session.write(bpy.context)
    assert scenes.world_matrix(cube)[2, 3] == pytest.approx(1.0, abs=1e-5)
    assert bpy.data.objects["Cube"].location.z == 5.0


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "ZYX"])
def test_one_whose_rotation_mode_is_changed_meanwhile_is_put_back_in_that_mode(
    mode: Literal["QUATERNION", "AXIS_ANGLE", "ZYX"],
) -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 2.5))
    cube.rotation_euler = (0.3, 0.2, 0.1)
    before = scenes.world_matrix(cube)
    session = finished(PlacementSession.beginning(bpy.context, [cube], together=False))
    for _ in range(4):
        session.steered.advance(1.0)
    session.show(bpy.context)
    cube.rotation_mode = mode
    assert not session.is_undisturbed
    session.put_back(bpy.context)
    np.testing.assert_allclose(scenes.world_matrix(cube), before, atol=1e-6)
    assert cube.rotation_mode == mode


def test_one_that_is_deleted_is_a_disturbance_also_if_another_takes_its_name() -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 1.5))
    session = finished(PlacementSession.beginning(bpy.context, [cube], together=False))
    bpy.data.objects.remove(cube)
    scenes.cube("Cube", (0.0, 0.0, 1.5))
    assert not session.is_undisturbed
    session.put_back(bpy.context)


def test_a_world_of_which_something_is_renamed_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differences, "LOOKS_AROUND", 0.0)
    item = cube_on_a_floor()
    bpy.data.objects["Floor"].name = "Ground"
    assert item.is_undisturbed
    assert item.is_outdated(bpy.context)
    finished(item.reading(bpy.context, 0, None))
    assert item.is_undisturbed
    assert item.scenario.owners == ("Ground",)
    bpy.data.objects.remove(bpy.data.objects["Ground"])
    assert not item.is_undisturbed


def test_put_back_and_shown_again_all_are_where_they_were_shown() -> None:
    session = two_in_turn()
    at_rest(session.item)
    session.show(bpy.context)
    shown = {name: scenes.world_matrix(bpy.data.objects[name]) for name in ("Cube", "Other")}
    session.put_back(bpy.context)
    assert bpy.data.objects["Cube"].location.z == bpy.data.objects["Other"].location.z == 1.5
    assert session.is_undisturbed
    session.show_again(bpy.context)
    for name, matrix in shown.items():
        np.testing.assert_array_equal(scenes.world_matrix(bpy.data.objects[name]), matrix)
    assert present(current_view_layer().objects.active).name == "Other"


def test_one_that_overlaps_is_not_left_for_the_next() -> None:
    scenes.floor()
    movers = [scenes.cube("Cube", (0.0, 0.0, 0.5)), scenes.cube("Other", (4.0, 0.0, 1.5))]
    session = finished(PlacementSession.beginning(bpy.context, movers, together=False))
    with pytest.raises(SceneError, match="overlaps"):
        finished(session.next(bpy.context))


def test_ways_are_the_same_after_they_were_text() -> None:
    item = cube_on_a_floor()
    handle = item.handle_at(PointAction.TIE, 0, np.array([1.0, 0.0, 1.0]))
    item.ties.append(handle.tie(np.array([4.0, 0.1, 0.2])))
    assert PlacementRecord.of(item).poses == ()  # nobody has moved it by hand
    item.put(0, item.poses[0].displaced((0.1, 0.2, 0.3), np.zeros(3), np.zeros(3)))
    way = PlacementRecord.of(item)
    (read,) = read_records(write_records([way]))
    assert (read.names, read.goes_on) == (way.names, way.goes_on)
    np.testing.assert_array_equal(read.poses[0].matrix4, way.poses[0].matrix4)
    np.testing.assert_array_equal(read.ties[0].target, way.ties[0].target)
    np.testing.assert_array_equal(read.ties[0].point, way.ties[0].point)


@pytest.mark.parametrize("text", ["no records", "[1]", "{}x", '[{"names": ["Cube"]}]', "[[]]"])
def test_a_text_that_holds_no_ways_is_refused_and_nothing_moves(
    text: str,
) -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 1.5))
    scenes.activate(cube)
    with pytest.raises(RuntimeError, match="Ways holds no records of placements: leave it empty"):
        physplace.place(ways=text)
    assert cube.location.z == 1.5


def test_what_is_confirmed_on_its_way_was_left_there() -> None:
    item = cube_on_a_floor()
    cube = item.subjects[0].object
    item.steered.scrub(-1)
    (outcome,) = item.write(bpy.context)
    assert outcome.certificate.status is Status.INTERRUPTED
    assert cube["physplace_report"]["status"] == "INTERRUPTED"
