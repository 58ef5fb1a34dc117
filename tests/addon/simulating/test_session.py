"""A simulation as it is steered: paused, scrubbed, taken up from a frame, put back; without a window."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.dynamics.state import SimulationState
from physplace_addon.core.jobs import Slices, finished
from physplace_addon.operators.simulating.session import SimulationSession
from tests.blender_data import current_scene
from tests.scene import scenes
from tests.scene.dynamics.rigid_scenes import key, select

FRAMES = 8
SECONDS = 0.05  # the time budget of a tick


def _session() -> SimulationSession:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 3.0))
    select(cube)
    return finished(SimulationSession.beginning(bpy.context, FRAMES))


def _run(session: SimulationSession) -> None:
    while session.run.is_running and not session.paused:
        if session.tick(SECONDS):
            session.show(bpy.context)


def _height() -> float:
    return float(scenes.world_matrix(bpy.data.objects["Cube"])[2, 3])


def test_it_is_shown_on_its_frame_as_it_goes() -> None:
    session = _session()
    _run(session)
    assert current_scene().frame_current == session.frame == 1 + FRAMES
    assert _height() < 2.5
    assert session.is_undisturbed
    assert session.is_on_its_frame(bpy.context)
    assert session.figures().startswith("all frames are done   |   frame 9 of 9, 0.33 s   |   0 contacts")


def test_it_goes_on_from_the_frame_that_is_shown_and_later_ones_are_given_up() -> None:
    session = _session()
    _run(session)
    end = _height()
    session.scrub(-3)
    session.show(bpy.context)
    assert current_scene().frame_current == 6
    assert _height() > end
    assert len(session.run.frames) == FRAMES + 1
    finished(session.going_on(bpy.context))
    assert len(session.run.frames) == FRAMES - 2
    _run(session)
    assert _height() == end, "the same frames come again"


def test_paused_it_waits() -> None:
    session = _session()
    session.pause()
    assert not session.tick(SECONDS)
    assert "paused" in session.figures()


def test_put_back_everything_is_as_it_was_and_can_be_shown_again() -> None:
    ghost = scenes.cube("Ghost", (9.0, 0.0, 9.0))
    key(ghost, 1, (9.0, 0.0, 9.0))
    key(ghost, 9, (9.0, 0.0, 4.0))
    current_scene().frame_set(1)
    ghost.location.y = 0.25  # without a key
    session = _session()
    _run(session)
    below = _height()
    assert bpy.data.objects["Ghost"].location.z == 4.0
    session.put_back(bpy.context)
    assert current_scene().frame_current == 1
    np.testing.assert_array_equal(ghost.location, (9.0, 0.25, 9.0))
    assert _height() == 3.0
    session.show_again(bpy.context)
    assert _height() == below


def test_a_frame_that_somebody_else_changes_is_noticed() -> None:
    session = _session()
    session.show(bpy.context)
    current_scene().frame_set(5)
    assert not session.is_on_its_frame(bpy.context)


def test_a_slice_of_a_run_is_a_part_of_one_step_however_many_things_happen_in_a_frame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scenes.floor()
    cubes = [scenes.cube(f"Cube {i}", (4.0 * i, 0.0, 1.9)) for i in range(3)]
    for i, cube in enumerate(cubes):
        cube.rotation_euler = (0.3 + 0.1 * i, 0.4, 0.2)
    select(*cubes)
    session = finished(SimulationSession.beginning(bpy.context, 8))
    taken, stepping = [0], Simulation.stepping

    def counted(*args: Any) -> Slices[SimulationState]:
        taken[0] += 1
        return stepping(*args)

    monkeypatch.setattr(Simulation, "stepping", counted)
    slices = 0
    while session.run.is_running:
        session.run.step()
        slices += 1
        assert 4 * taken[0] <= slices + 4
    assert taken[0] > 80  # ten a frame, and more: some end at a hit


def test_a_step_that_is_not_finished_is_given_up_with_the_frames_after_the_one_that_is_shown() -> None:
    session = _session()
    while len(session.run.frames) < 6:
        session.run.step()
    later = session.run.frames[5].motion.centre
    for _ in range(3):
        session.run.step()
    session.run.go_on_from(2)
    while len(session.run.frames) < 6:
        session.run.step()
    np.testing.assert_array_equal(session.run.frames[5].motion.centre, later)


def test_an_object_that_is_renamed_while_it_is_paused_is_keyed() -> None:
    session = _session()
    _run(session)
    session.pause()
    bpy.data.objects["Cube"].name = "Box"
    session.write(bpy.context)
    current_scene().frame_set(1 + FRAMES)
    assert scenes.world_matrix(bpy.data.objects["Box"])[2, 3] < 3.0
