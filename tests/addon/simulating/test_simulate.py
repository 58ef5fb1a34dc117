"""Simulate, run as a script does: what moves gets keys that show its motion, and nothing else changes."""

from __future__ import annotations

from typing import Any, cast

import bpy
import numpy as np
import pytest

from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.dynamics.state import SimulationState
from physplace_addon.core.jobs import Slices, finished
from physplace_addon.operators.simulating.run import SimulationRun
from physplace_addon.scene.access import present
from physplace_addon.scene.dynamics.reading import read_dynamics
from physplace_addon.scene.writing.actions import curves_of
from tests.addon.running import refused
from tests.blender_data import current_scene, physplace, scene_settings
from tests.scene import scenes
from tests.scene.dynamics.rigid_scenes import body, constraint, key, select

FRAMES = 11
SAME = 1e-5  # over the body's size


def _falling(mode: str = "XYZ") -> bpy.types.Object:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 1.6))
    cube.rotation_mode = cast("Any", mode)
    if mode == "XYZ":
        cube.rotation_euler = (0.1, 0.2, 0.3)
    select(cube)
    return cube


def _simulate(frames: int = FRAMES) -> None:
    assert physplace.simulate(frames=frames) == {"FINISHED"}


def _simulated_matrices(frames: int = FRAMES) -> list[np.ndarray]:
    """The world matrices of the first selected object, frame by frame, as the solver has them."""
    scenario = finished(read_dynamics(bpy.context, frames))
    run = SimulationRun(scenario)
    finished(run.running())
    subject = scenario.subjects[0]
    return [subject.world_matrix(scenario.poses(state.motion)[0]) for state in run.frames]


def _shown(obj: bpy.types.Object, frame: int) -> np.ndarray:
    current_scene().frame_set(frame)
    return scenes.world_matrix(obj)


def _key_frames(obj: bpy.types.Object, path: str = "location") -> list[float]:
    curve = next(curve for curve in curves_of(obj) if curve.data_path == path)
    return [float(point.co[0]) for point in curve.keyframe_points]


@pytest.mark.parametrize("mode", ["XYZ", "QUATERNION", "AXIS_ANGLE"])
def test_its_keys_show_the_simulated_motion(mode: str) -> None:
    cube = _falling(mode)
    expected = _simulated_matrices()
    _simulate()
    assert current_scene().frame_current == 1
    assert _key_frames(cube) == list(range(1, len(expected) + 1))
    for i, matrix in enumerate(expected):
        np.testing.assert_allclose(_shown(cube, 1 + i), matrix, atol=SAME)
    assert _shown(cube, FRAMES)[2, 3] < 1.5


def test_steps_lead_to_the_next_frame_also_after_an_impact(monkeypatch: pytest.MonkeyPatch) -> None:
    """No short step goes to where the one that ended early would have ended."""
    _falling()
    scenario = finished(read_dynamics(bpy.context, FRAMES))
    frame, step = scenario.seconds_a_frame, scenario.scene.step
    ended: list[tuple[float, float, float]] = []

    def watched(simulation: Simulation, until: float) -> Slices[SimulationState]:
        start = simulation.state.time
        state = yield from stepping_towards(simulation, until)
        ended.append((start, until, state.time))
        return state

    stepping_towards = Simulation.stepping_towards
    monkeypatch.setattr(Simulation, "stepping_towards", watched)
    finished(SimulationRun(scenario).running())
    start, until, end = np.array(ended).T
    np.testing.assert_allclose(until / frame, np.round(until / frame), atol=1e-9)
    equal = (until - start) / np.ceil((until - start) / step - 1e-9)
    hit = end - start < (1.0 - 1e-9) * equal
    assert hit.any()
    np.testing.assert_allclose((end - start)[~hit], equal[~hit], rtol=1e-9)


def test_all_frames_to_the_end_of_the_scene_are_simulated_unless_a_number_is_given() -> None:
    cube = _falling()
    current_scene().frame_end = 5
    assert physplace.simulate() == {"FINISHED"}
    assert _key_frames(cube) == [1, 2, 3, 4, 5]


def test_what_has_come_to_rest_gets_no_more_keys() -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 1.0))
    select(cube)
    _simulate(100)
    assert _key_frames(cube)[-1] < 50
    np.testing.assert_allclose(_shown(cube, 100)[:3, 3], (0.0, 0.0, 1.0), atol=1e-4)


def test_keys_that_the_allowed_error_makes_needless_are_left_out() -> None:
    cube = _falling()
    expected = _simulated_matrices()
    scene_settings().key_error = 0.01
    _simulate()
    assert len(_key_frames(cube)) < FRAMES
    for i, matrix in enumerate(expected):
        np.testing.assert_allclose(_shown(cube, 1 + i), matrix, atol=0.02)


def test_simulated_again_it_moves_the_same_way_and_has_no_keys_of_before() -> None:
    cube = _falling()
    _simulate(FRAMES + 6)
    expected = [_shown(cube, frame) for frame in range(1, FRAMES + 2)]
    current_scene().frame_set(1)
    _simulate()
    assert _key_frames(cube) == list(range(1, FRAMES + 2))
    for i, matrix in enumerate(expected):
        np.testing.assert_allclose(_shown(cube, 1 + i), matrix, atol=SAME)


def test_the_key_on_the_first_frame_and_keys_of_other_channels_stay() -> None:
    cube = _falling()
    key(cube, 1, cube.location.to_tuple())
    for frame in (3, 9):
        cube.keyframe_insert("scale", frame=frame)
    _simulate()
    first = next(curve for curve in curves_of(cube) if curve.data_path == "location").keyframe_points[0]
    assert first.type == "KEYFRAME"
    assert _key_frames(cube, "scale") == [3, 9]
    np.testing.assert_allclose(_shown(cube, 1)[:3, 3], (0.0, 0.0, 1.6), atol=1e-7)


def test_a_kicked_body_goes_on_as_its_keys_moved_it() -> None:
    current_scene().use_gravity = False
    cube = scenes.cube()
    key(cube, 1, (0.0, 0.0, 0.0))
    key(cube, 3, (1.0, 0.0, 0.0))
    current_scene().frame_set(3)
    select(cube)
    _simulate(4)
    np.testing.assert_allclose(_shown(cube, 7)[:3, 3], (3.0, 0.0, 0.0), atol=1e-3)


def test_blender_s_own_rigid_bodies_leave_it_to_its_keys_and_it_can_be_simulated_again() -> None:
    cube = _falling()
    body(cube)
    body(bpy.data.objects["Floor"], "PASSIVE")
    select(cube)
    expected = _simulated_matrices()
    for _ in range(2):
        _simulate()
        assert present(cube.rigid_body).kinematic
        for frame in range(1, FRAMES + 1):  # in order, as Blender's own simulation goes
            np.testing.assert_allclose(_shown(cube, frame), expected[frame - 1], atol=SAME)
        current_scene().frame_set(1)
    assert present(current_scene().rigidbody_world).enabled


def test_what_was_undone_is_as_it_was() -> None:
    cube = _falling()
    bpy.ops.ed.undo_push(message="Before")
    before = scenes.world_matrix(cube)
    _simulate()
    bpy.ops.ed.undo_push(message="Simulate")
    bpy.ops.ed.undo()
    cube = bpy.data.objects["Cube"]
    assert list(curves_of(cube)) == []
    np.testing.assert_array_equal(scenes.world_matrix(cube), before)


def test_one_that_overlaps_something_is_refused() -> None:
    cube = _falling()
    cube.location.z = 0.5
    refused(physplace.simulate, cube, 'object "Cube": it overlaps "Floor" at the start; free it', frames=5)


def test_a_constraint_that_owns_it_is_refused() -> None:
    cube = _falling()
    limit: Any = cube.constraints.new("LIMIT_LOCATION")
    limit.use_max_z = True
    refused(physplace.simulate, cube, 'object "Cube": its constraint "Limit Location" owns', frames=5)


def test_a_joint_to_nothing_is_refused() -> None:
    cube = _falling()
    constraint("HINGE", cube, None)
    cube.select_set(True)
    refused(physplace.simulate, cube, 'object "Joint": its rigid body constraint has no Second', frames=5)


def test_a_shared_action_is_refused_and_all_keys_stay() -> None:
    cube, other = _falling(), scenes.cube("Other", (4.0, 0.0, 3.0))
    cube.keyframe_insert("scale", frame=1)
    data: Any = present(other.animation_data_create())
    data.action = present(cube.animation_data).action
    if hasattr(data, "action_slot"):
        data.action_slot = data.action.slots[0]
    select(cube, other)
    refused(physplace.simulate, cube, 'object "Other": it shares its action .* with "Cube"', frames=5)
    assert _key_frames(cube, "scale") == [1]
    assert {curve.data_path for curve in curves_of(cube)} == {"scale"}


def test_there_must_be_frames_left() -> None:
    cube = _falling()
    current_scene().frame_end = 1
    refused(physplace.simulate, cube, "the present frame 1 is not before the scene's last frame 1")
