"""A simulation that goes on after a change of the scene, or is pulled; without a window."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest

from physplace_addon.core.errors import PhysPlaceError
from physplace_addon.core.jobs import finished
from physplace_addon.operators.simulating.pulled_point import PulledPoint, strongest
from physplace_addon.operators.simulating.session import SimulationSession
from physplace_addon.scene.access import present
from physplace_addon.scene.dynamics.reading import read_dynamics
from physplace_addon.scene.writing.actions import curves_of
from tests.blender_data import current_scene, current_view_layer
from tests.scene import scenes
from tests.scene.dynamics.rigid_scenes import body, constraint, key, select

FRAMES = 8
PAUSED = 4  # the number of the frame on which it is changed
SECONDS = 0.05  # the time budget of a tick


def _began(*movers: bpy.types.Object, frames: int = FRAMES) -> SimulationSession:
    select(*movers)
    session = finished(SimulationSession.beginning(bpy.context, frames))
    _run(session)
    return session


def _falling(mass: float | None = None) -> SimulationSession:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 3.0))
    if mass is not None:
        body(cube, mass=mass)
    return _began(cube)


def _run(session: SimulationSession) -> None:
    while session.run.is_running and not session.paused:
        if session.tick(SECONDS):
            session.show(bpy.context)


def _paused(session: SimulationSession) -> list[np.ndarray]:
    """Go back to a frame; return where the first object is on each frame so far."""
    found = _matrices(session)
    session.scrub(PAUSED - FRAMES)
    session.show(bpy.context)
    assert session.history.shown == PAUSED
    return found


def _went_on(session: SimulationSession) -> list[np.ndarray]:
    finished(session.going_on(bpy.context))
    _run(session)
    return _matrices(session)


def _matrices(session: SimulationSession, number: int = 0) -> list[np.ndarray]:
    run = session.run
    return [run.scenario.subjects[number].world_matrix(run.poses(i)[number]) for i in range(len(run.frames))]


def _assert_played_back(name: str, expected: list[np.ndarray], first: int = 1) -> None:
    for i, matrix in enumerate(expected):
        current_scene().frame_set(first + i)
        np.testing.assert_allclose(scenes.world_matrix(bpy.data.objects[name]), matrix, atol=1e-5)


def _gravity() -> None:
    current_scene().gravity = (0.0, 0.0, 20.0)


def _mass() -> None:
    present(bpy.data.objects["Cube"].rigid_body).mass = 7.0


def _friction() -> None:
    bpy.data.objects["Floor"]["physplace_friction"] = 0.125


def _step() -> None:
    bpy.data.objects["Floor"].location.z = -0.5


@pytest.mark.parametrize("change", [_gravity, _mass, _friction, _step])
def test_what_is_changed_counts_from_there_on_and_the_frames_before_stay(change: Callable[[], None]) -> None:
    session = _falling(mass=2.0)
    before = _paused(session)
    change()
    after = _went_on(session)
    assert session.has_changed
    assert len(after) == len(before)
    for old, new in zip(before[:PAUSED], after, strict=False):
        np.testing.assert_array_equal(old, new)
    np.testing.assert_allclose(after[PAUSED], before[PAUSED], atol=1e-12)
    session.write(bpy.context)
    _assert_played_back("Cube", after)


def test_new_gravity_bends_the_way_from_there_on_as_it_must() -> None:
    session = _falling()
    before = _paused(session)
    _gravity()
    after = _went_on(session)
    time = (FRAMES - PAUSED) * session.run.scenario.seconds_a_frame
    assert abs(after[-1][2, 3] - before[-1][2, 3] - 0.5 * (20.0 + 9.81) * time**2) < 1e-6


def test_a_new_mass_is_that_of_the_body() -> None:
    session = _falling(mass=2.0)
    _paused(session)
    _mass()
    _went_on(session)
    assert session.run.scenario.bodies[0].mass.mass == 7.0


def test_where_nothing_is_changed_the_same_simulation_goes_on() -> None:
    ghost = scenes.cube("Ghost", (9.0, 0.0, 9.0))
    key(ghost, 1, (9.0, 0.0, 9.0))
    key(ghost, 20, (9.0, 4.0, 4.0))
    current_scene().frame_set(1)
    post, arm = scenes.cube("Post", (0.0, 0.0, 9.0)), scenes.cube("Arm", (3.0, 0.0, 9.0))
    constraint("HINGE", arm, post).location = (1.5, 0.0, 9.0)
    session = _began(arm)
    before = _paused(session)
    after = _went_on(session)
    assert not session.has_changed
    np.testing.assert_array_equal(before, after)


@pytest.mark.slow
def test_a_block_that_tumbles_goes_on_from_any_frame_as_it_did_before_to_the_last_bit() -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 1.8))
    cube.rotation_euler = (0.4, 0.7, 0.1)
    session = _began(cube, frames=10)
    before = _matrices(session)
    for number in (4, 8):
        session.scrub(number - session.history.shown)
        session.show(bpy.context)
        after = _went_on(session)
        assert not session.has_changed
        np.testing.assert_array_equal(before, after)


def test_an_object_that_was_moved_goes_on_from_there_as_fast_as_it_was() -> None:
    session = _falling()
    before = _paused(session)
    bpy.data.objects["Cube"].location.x = 2.0
    assert session.is_undisturbed
    after = _went_on(session)
    shift = np.zeros((4, 4))
    shift[0, 3] = 2.0
    np.testing.assert_array_equal(after[:PAUSED], before[:PAUSED])
    for old, new in zip(before[PAUSED:], after[PAUSED:], strict=True):
        np.testing.assert_allclose(new, old + shift, atol=1e-6)
    session.write(bpy.context)
    _assert_played_back("Cube", after)


def test_moved_on_the_first_frame_it_begins_there_and_put_back_it_is_where_it_was() -> None:
    session = _falling()
    session.scrub(-FRAMES)
    session.show(bpy.context)
    bpy.data.objects["Cube"].location.x = 2.0
    after = _went_on(session)
    assert after[0][0, 3] == 2.0
    session.put_back(bpy.context)
    assert bpy.data.objects["Cube"].location.to_tuple() == (0.0, 0.0, 3.0)
    session.show_again(bpy.context)
    assert session.is_undisturbed
    session.write(bpy.context)
    assert current_scene().frame_current == 1
    assert bpy.data.objects["Cube"].location.to_tuple() == (2.0, 0.0, 3.0)
    _assert_played_back("Cube", after)


def test_a_new_throw_by_keys_counts_on_the_first_frame() -> None:
    session = _falling()
    session.scrub(-FRAMES)
    session.show(bpy.context)
    cube = bpy.data.objects["Cube"]
    key(cube, 0, (-0.1, 0.0, 3.0))
    key(cube, 1, (0.0, 0.0, 3.0))
    after = _went_on(session)
    assert abs(after[-1][0, 3] - 0.1 * FRAMES) < 1e-3


def test_an_added_object_that_is_selected_joins_and_is_keyed_from_there_on() -> None:
    session = _falling()
    _paused(session)
    added = scenes.cube("Added", (5.0, 0.0, 6.0))
    scenes.cube("Stays", (-5.0, 0.0, 6.0))
    select(added)
    _went_on(session)
    assert [subject.name for subject in session.run.scenario.subjects] == ["Cube", "Added"]
    path = _matrices(session, 1)
    assert path[PAUSED][2, 3] == 6.0
    assert path[-1][2, 3] < 5.9
    session.scrub(-FRAMES)
    session.show(bpy.context)
    assert scenes.world_matrix(added)[2, 3] == 6.0
    session.write(bpy.context)
    keys = next(curve for curve in curves_of(added) if curve.data_path == "location").keyframe_points
    assert [point.co[0] for point in keys] == list(range(1 + PAUSED, 2 + FRAMES))
    _assert_played_back("Added", path[PAUSED:], 1 + PAUSED)


@pytest.mark.slow
def test_a_joint_holds_where_it_held_however_the_bodies_have_moved_since() -> None:
    upper, lower = scenes.cube("Upper", (1.5, 0.0, 9.0)), scenes.cube("Lower", (4.5, 0.0, 9.0))
    post = scenes.cube("Post", (-1.5, 0.0, 9.0))
    for place, pair in (((0.0, 0.0, 9.0), (post, upper)), ((3.0, 0.0, 9.0), (upper, lower))):
        holder = constraint("HINGE", *pair, disable_collisions=True)
        holder.location, holder.rotation_euler = place, (np.pi / 2.0, 0.0, 0.0)
    current_view_layer().update()
    session = _began(upper, lower)
    before = [_matrices(session, i) for i in range(2)]
    _paused(session)
    bpy.data.objects["Upper"]["physplace_friction"] = 0.25  # no contact: it changes no motion
    _went_on(session)
    assert session.has_changed
    for i in range(2):
        np.testing.assert_allclose(_matrices(session, i), before[i], atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("changes", [False, True])
def test_a_joint_that_broke_stays_broken_where_it_goes_on(changes: bool) -> None:
    post, weight = scenes.cube("Post", (0.0, 0.0, 9.0)), scenes.cube("Weight", (0.0, 0.0, 3.0))
    body(weight, mass=2.0, linear_damping=0.0)
    bears = 0.9 * 2.0 * 9.81 / 24.0 / 10.0
    constraint("POINT", post, weight, use_breaking=True, breaking_threshold=bears).location = (0.0, 0.0, 6.0)
    current_view_layer().update()
    session = _began(weight)
    before = _paused(session)
    if changes:
        bpy.data.objects["Weight"]["physplace_friction"] = 0.25  # no contact: it changes no motion
    after = _went_on(session)
    assert session.has_changed == changes
    np.testing.assert_allclose(before, after, atol=1e-9 if changes else 0.0)
    seconds = FRAMES / 24.0
    assert abs(after[-1][2, 3] - 3.0 + 0.5 * 9.81 * seconds**2) < 1e-5
    said = session.write(bpy.context)
    assert 'broken: "Joint"' in str(said)
    _assert_played_back("Weight", after)


def test_what_overlaps_where_it_goes_on_is_named_and_all_frames_are_kept() -> None:
    session = _falling()
    _paused(session)
    bpy.data.objects["Floor"].location.z = 2.5
    with pytest.raises(PhysPlaceError, match='"Cube": it overlaps "Floor" at the start; free it'):
        finished(session.going_on(bpy.context))
    assert len(session.run.frames) == FRAMES + 1
    assert session.paused
    bpy.data.objects["Floor"].location.z = 0.0
    _went_on(session)
    assert not session.has_changed


def test_one_that_was_made_passive_is_named() -> None:
    session = _falling(mass=2.0)
    _paused(session)
    present(bpy.data.objects["Cube"].rigid_body).type = "PASSIVE"
    with pytest.raises(
        PhysPlaceError, match='"Cube": it is a passive rigid body, and has moved so far; undo'
    ):
        finished(session.going_on(bpy.context))


def test_a_pull_lifts_it_no_faster_than_time_goes_and_its_states_are_keyed() -> None:
    session = _falling()
    cube = session.run.scenario.poses(session.history.state.motion)[0]
    session.scrub(-FRAMES)
    place = cube.points(np.array([0.5, 0.0, 1.0]))
    session.paused = False
    session.run.go_on_from(0)
    session.history.show_latest()
    session.pulled = PulledPoint.of(session.run.scenario.scene, 0, cube, place, 0, 0.0).towards(
        np.array([3.0, 0.0, 5.0])
    )
    _run(session)
    found = _matrices(session)
    assert found[-1][0, 3] > 0.5
    line = session.marks().pulls[0]
    np.testing.assert_allclose(line[1], (3.0, 0.0, 5.0))
    session.release()
    session.write(bpy.context)
    _assert_played_back("Cube", found)


def test_a_pull_lifts_what_is_joined_to_the_body_too() -> None:
    arm, load = scenes.cube("Arm", (0.0, 0.0, 0.0)), scenes.cube("Load", (3.0, 0.0, 0.0))
    body(arm, mass=1.0)
    body(load, mass=30.0)
    constraint("POINT", arm, load)
    select(arm, load)
    scene = finished(read_dynamics(bpy.context, FRAMES)).scene
    assert strongest(scene, 0) == pytest.approx(10.0 * 9.81 * 31.0, rel=1e-6)


def test_marks_are_where_the_contacts_are_however_far_away_that_is() -> None:
    floor, cube = scenes.floor(), scenes.cube("Cube", (500.0, 300.0, 1.0))
    floor.location = (500.0, 300.0, 0.0)
    session = _began(cube)
    contacts = session.marks().contacts
    assert len(contacts) >= 3
    assert np.abs(contacts - [500.0, 300.0, 0.0]).max() < 1.1
