"""A simulation ends at a proven rest: what Check Rest finds there, and what is seen on the way."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.jobs import finished
from physplace_addon.operators.simulating.run import SimulationRun
from physplace_addon.operators.simulating.session import SimulationSession
from physplace_addon.scene.dynamics.reading import read_dynamics
from physplace_addon.scene.writing.actions import curves_of
from tests.addon.running import run
from tests.blender_data import current_scene, physplace, scene_settings
from tests.core import polygon_meshes
from tests.scene import scenes
from tests.scene.dynamics.rigid_scenes import select

FRAMES = 120
FRICTION = 0.25  # of two surfaces with the panel's
BOWL = [(0.0, 0.0), (0.3, 0.0), (0.6, 0.12), (0.85, 0.35), (1.0, 0.7)]
BOWL += [(0.95, 0.7), (0.8, 0.38), (0.56, 0.17), (0.28, 0.05), (0.0, 0.05)]
SEEN = 1e-3  # over the size: the largest jump at the hand-over


def mesh(name: str, polygons: polygon_meshes.Mesh, location: tuple[float, float, float]) -> bpy.types.Object:
    data = bpy.data.meshes.new(name)
    points, faces = polygons
    data.from_pydata(points.tolist(), [], faces)
    return scenes.linked(bpy.data.objects.new(name, data), location)


def box_on_a_table() -> list[bpy.types.Object]:
    scenes.floor()
    return [scenes.cube("Box", (0.0, 0.0, 1.4))]


def three_boxes() -> list[bpy.types.Object]:
    scenes.floor()
    return [scenes.cube(f"Box {i}", (0.1 * i, 0.0, 1.02 + 2.1 * i)) for i in range(3)]


def spoon_in_a_bowl() -> list[bpy.types.Object]:
    scenes.floor()
    mesh("Bowl", polygon_meshes.lathe(BOWL, 24), (0.0, 0.0, 0.001))
    points, faces = polygon_meshes.cube()
    spoon = mesh("Spoon", (points * (0.5, 0.06, 0.02), faces), (0.1, 0.05, 0.6))
    spoon.rotation_euler = (0.2, 0.4, 0.3)
    return [spoon]


def ball_in_a_dish() -> list[bpy.types.Object]:
    mesh("Dish", polygon_meshes.lathe(BOWL, 24), (0.0, 0.0, 0.0))
    return [scenes.surface("Ball", "sphere", (0.02, 0.0, 0.6), radius=0.5)]


SCENES = {
    "box on a table": box_on_a_table,
    "three boxes": three_boxes,
    "spoon in a bowl": spoon_in_a_bowl,
    "ball in a dish": ball_in_a_dish,
}


def frames_of(names: list[str], last: int) -> Floats:
    """The world matrices (f, n, 4, 4) of objects, frame by frame, up to the last."""
    found = []
    for frame in range(1, last + 1):
        current_scene().frame_set(frame)
        found.append([scenes.world_matrix(bpy.data.objects[name]) for name in names])
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENES)
def test_it_ends_where_check_rest_says_at_rest_and_no_jump_is_seen(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    objects = SCENES[name]()
    names = [obj.name for obj in objects]
    select(*objects)
    assert physplace.simulate(frames=FRAMES) == {"FINISHED"}
    assert "at rest, proven: contact forces" in capfd.readouterr().out
    location = next(curve for curve in curves_of(objects[0]) if curve.data_path == "location")
    last = round(location.keyframe_points[-1].co[0])
    assert last < FRAMES
    matrices = frames_of(names, last + 1)
    assert (matrices[last] == matrices[last - 1]).all()
    jumps = np.abs(np.diff(matrices, axis=0)).max(axis=(1, 2, 3))
    assert 0.0 < jumps[last - 2] < SEEN
    scene_settings().friction = FRICTION
    for name_of_one in names:
        assert run(physplace.check, bpy.data.objects[name_of_one])["status"].startswith("BALANCED")


def test_a_box_on_a_table_touches_it_exactly() -> None:
    (cube,) = box_on_a_table()
    select(cube)
    assert physplace.simulate(frames=FRAMES) == {"FINISHED"}
    current_scene().frame_set(FRAMES)
    assert scenes.world_matrix(cube)[2, 3] == pytest.approx(1.0, abs=2e-7)


def test_without_it_the_gap_of_the_simulation_stays(capfd: pytest.CaptureFixture[str]) -> None:
    (cube,) = box_on_a_table()
    select(cube)
    scene_settings().end_at_proven_rest = False
    assert physplace.simulate(frames=FRAMES) == {"FINISHED"}
    said = capfd.readouterr().out
    assert "everything has come to rest" in said
    assert "proven" not in said
    current_scene().frame_set(FRAMES)
    assert 5e-6 < scenes.world_matrix(cube)[2, 3] - 1.0 < 2e-5


@pytest.mark.slow
def test_it_is_said_why_no_rest_is_proven(capfd: pytest.CaptureFixture[str]) -> None:
    (cube,) = box_on_a_table()
    select(cube)
    run_of = SimulationRun(finished(read_dynamics(bpy.context, FRAMES)))
    finished(run_of.running())
    frames = run_of.last_frame - 2  # one too few
    assert physplace.simulate(frames=frames) == {"FINISHED"}
    said = capfd.readouterr().out
    assert 'no rest is proven: "Box": too little time is left for the way to it' in said


def test_what_moves_on_to_the_last_frame_says_nothing_of_rests(capfd: pytest.CaptureFixture[str]) -> None:
    (cube,) = box_on_a_table()
    select(cube)
    assert physplace.simulate(frames=4) == {"FINISHED"}
    assert "proven" not in capfd.readouterr().out


def to_the_end(session: SimulationSession) -> None:
    while session.run.is_running:
        if session.tick(0.02):
            session.show(bpy.context)


def test_the_session_shows_it_and_the_way_there_can_be_scrubbed() -> None:
    (cube,) = box_on_a_table()
    select(cube)
    session = finished(SimulationSession.beginning(bpy.context, FRAMES))
    to_the_end(session)
    assert session.figures().startswith("at rest, proven: contact forces balance it   |   frame")
    assert len(session.marks().contacts) == 4
    assert scenes.world_matrix(cube)[2, 3] == pytest.approx(1.0, abs=2e-7)
    end, count = session.history.state.motion.centre.copy(), len(session.run.frames)
    for back in (1, 5):
        session.scrub(-back)
        session.show(bpy.context)
        assert session.figures().startswith("paused, it moves")
        finished(session.going_on(bpy.context))
        to_the_end(session)
        assert len(session.run.frames) == count
        np.testing.assert_allclose(session.run.frames[-1].motion.centre, end, rtol=0.0, atol=1e-12)
