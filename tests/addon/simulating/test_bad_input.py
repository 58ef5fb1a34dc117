"""Input that cannot be simulated is named, with a remedy, and changes nothing; what is hard is handled."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest

from physplace_addon.core.dynamics.state import SimulationStatus
from physplace_addon.core.jobs import finished
from physplace_addon.operators.simulating.run import SimulationRun
from physplace_addon.scene.dynamics.reading import read_dynamics
from physplace_addon.scene.writing.actions import curves_of
from tests.addon.running import refused
from tests.blender_data import current_scene, current_view_layer, of_type, physplace
from tests.scene import scenes
from tests.scene.dynamics.rigid_scenes import body, constraint, key, select

FRAMES = 12


def _cube(name: str = "Cube", x: float = 0.0, z: float = 4.0) -> bpy.types.Object:
    return scenes.cube(name, (x, 0.0, z))


def _to_itself() -> None:
    cube = _cube()
    constraint("HINGE", cube, cube)


def _to_nothing() -> None:
    constraint("POINT", None, _cube())


def _to_its_own_child() -> None:
    cube, child = _cube(), _cube("Child", 3.0)
    child.parent = cube
    constraint("FIXED", cube, child)


def _to_what_is_hidden() -> None:
    cube, ghost = _cube(), _cube("Ghost", 5.0)
    constraint("FIXED", cube, ghost)
    ghost.hide_set(True)


def _limits_the_wrong_way_round() -> None:
    limits = {"use_limit_lin_x": True, "limit_lin_x_lower": 2.0, "limit_lin_x_upper": 1.0}
    constraint("SLIDER", _cube(), _cube("Post", 5.0), **limits)


def _a_joint_that_bears_nothing() -> None:
    constraint("FIXED", _cube(), _cube("Post", 5.0), use_breaking=True, breaking_threshold=0.0)


def _joints_that_contradict_each_other() -> None:
    cube, post = _cube(), _cube("Post", 5.0)
    constraint("FIXED", cube, post)
    limits = {"use_limit_lin_x": True, "limit_lin_x_lower": 1.0, "limit_lin_x_upper": 2.0}
    constraint("SLIDER", cube, post, **limits)


def _a_joint_without_a_size() -> None:
    constraint("FIXED", _cube(), _cube("Post", 5.0)).scale = (0.0, 0.0, 0.0)


def _two_that_move_and_overlap() -> None:
    _cube()
    _cube("Other", 1.5)


def _one_that_overlaps_what_stands() -> None:
    _cube(z=0.5)
    scenes.floor()


def _an_animated_parent() -> None:
    parent = _cube("Parent", 9.0)
    key(parent, 1, (9.0, 0.0, 4.0))
    key(parent, 9, (9.0, 0.0, 6.0))
    _cube().parent = parent


def _an_infinite_mass() -> None:
    _cube()["physplace_mass"] = float("inf")


def _no_mass() -> None:
    _cube()["physplace_density"] = 0.0


def _a_mass_that_is_a_word() -> None:
    _cube()["physplace_mass"] = "heavy"


def _a_restitution_above_one() -> None:
    _cube()["physplace_restitution"] = 1.5


def _a_friction_below_zero() -> None:
    _cube()["physplace_friction"] = -0.5


def _a_size_of_zero() -> None:
    _cube().scale = (1.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (_to_itself, '"Joint": its rigid body constraint joins "Cube" to itself; choose two different'),
        (_to_nothing, '"Joint": its rigid body constraint has no First object; choose one'),
        (_to_its_own_child, '"Joint": .* "Cube" and "Child", which move as one; clear the parent'),
        (_to_what_is_hidden, '"Joint": .* joins "Ghost", which is hidden; show that object'),
        (_limits_the_wrong_way_round, '"Joint": the limits .* shift along x are 2 and 1; make the lower'),
        (_a_joint_that_bears_nothing, '"Joint": the breaking threshold .* is 0; set it above 0'),
        (
            _joints_that_contradict_each_other,
            '"Joint.*": it cannot be closed together with the others.*; move',
        ),
        (_a_joint_without_a_size, '"Joint": its rigid body constraint has no axes; give it a scale'),
        (_two_that_move_and_overlap, '"Cube": it overlaps "Other" at the start; free it by Extricate'),
        (_one_that_overlaps_what_stands, '"Cube": it overlaps "Floor" at the start; free it by Extricate'),
        (_an_animated_parent, '"Cube": its parent "Parent" is animated; clear the parent'),
        (_an_infinite_mass, '"Cube": its property "physplace_mass" is inf; set it to a number above 0'),
        (_no_mass, '"Cube": its property "physplace_density" is 0.0; set it to a number above 0'),
        (_a_mass_that_is_a_word, '"Cube": its property "physplace_mass" is \'heavy\'; set it to a number'),
        (_a_restitution_above_one, '"physplace_restitution" is 1.5; set it to a number from 0 to 1'),
        (_a_friction_below_zero, '"physplace_friction" is -0.5; set it to 0 or more'),
        (_a_size_of_zero, '"Cube": .*(scale is zero|flattens).*; give it a scale'),
    ],
)
def test_what_cannot_be_simulated_is_named_and_nothing_is_changed(
    make: Callable[[], None], message: str
) -> None:
    make()
    current_view_layer().update()
    movers = [obj for obj in bpy.data.objects if obj.name in ("Cube", "Other")]
    select(bpy.data.objects["Cube"], *movers)
    refused(physplace.simulate, bpy.data.objects["Cube"], message, frames=FRAMES)
    assert current_scene().frame_current == 1
    assert not any(True for obj in movers for _ in curves_of(obj))


def _run_of(*movers: bpy.types.Object, frames: int = FRAMES) -> SimulationRun:
    select(*movers)
    run = SimulationRun(finished(read_dynamics(bpy.context, frames)))
    finished(run.running())
    return run


def _fastest(run: SimulationRun) -> float:
    """The greatest speed of any point of what moves by itself, on any frame."""
    count, inertia = len(run.scenario.subjects), run.scenario.scene.inertia
    speeds = [
        np.linalg.norm(state.motion.rates.reshape(-1, 2, 3), axis=2).sum(axis=1)[:count]
        * inertia.radius[:count]
        for state in run.frames
    ]
    return float(np.max(speeds))


@pytest.mark.slow
def test_without_gravity_what_rests_stays_and_what_flies_flies_on() -> None:
    current_scene().use_gravity = False
    scenes.floor()
    cube = _cube(z=1.0)
    key(cube, 1, (0.0, 0.0, 1.0))
    flier = _cube("Flier", 4.0)
    key(flier, 0, (3.9, 0.0, 4.0))
    key(flier, 1, (4.0, 0.0, 4.0))
    run = _run_of(cube, flier)
    poses = run.poses(len(run.frames) - 1)
    np.testing.assert_allclose(poses[0].translation, (0.0, 0.0, 1.0), atol=1e-4)
    np.testing.assert_allclose(poses[1].translation, (4.0 + 0.1 * FRAMES, 0.0, 4.0), atol=1e-3)


@pytest.mark.slow
def test_without_gravity_an_impact_adds_no_energy() -> None:
    current_scene().use_gravity = False
    movers = [_cube("Cube", -2.5), _cube("Other", 0.3)]
    for mover in movers:
        mover["physplace_restitution"] = 1.0
    key(movers[0], 0, (-2.7, 0.0, 4.0))
    key(movers[0], 1, (-2.5, 0.0, 4.0))
    run = _run_of(*movers)
    energies = [state.energy for state in run.frames]
    assert max(energies) <= energies[0] * (1.0 + 1e-9)
    assert run.poses(FRAMES)[1].translation[0] > 0.5


def test_more_joints_than_are_needed_hold_and_nothing_flies_off() -> None:
    cube, post = _cube(), _cube("Post", 5.0)
    for kind in ("FIXED", "HINGE", "POINT", "SLIDER"):
        constraint(kind, cube, post)
    run = _run_of(cube)
    np.testing.assert_allclose(run.poses(len(run.frames) - 1)[0].translation, (0.0, 0.0, 4.0), atol=1e-9)
    assert _fastest(run) < 1e-6


def test_a_motor_against_a_joint_that_holds_moves_nothing() -> None:
    cube, post = _cube(), _cube("Post", 5.0)
    constraint("FIXED", cube, post)
    drives = {"use_motor_lin": True, "motor_lin_target_velocity": 50.0, "motor_lin_max_impulse": 1e3}
    constraint("MOTOR", cube, post, **drives)
    assert _fastest(_run_of(cube)) < 1e-6


def test_joined_to_two_that_part_it_ends_there_and_flies_off_to_nowhere() -> None:
    cube = _cube()
    for name, x in (("Left", -4.0), ("Right", 4.0)):
        mover = _cube(name, x)
        key(mover, 1, (x, 0.0, 4.0))
        key(mover, 9, (2.0 * x, 0.0, 4.0))
        constraint("POINT", cube, mover)
    current_scene().frame_set(1)
    run = _run_of(cube)
    assert run.status is SimulationStatus.SQUEEZED
    assert _fastest(run) < 2.0 * 4.0 * 24.0 / 8.0


def test_squeezed_between_what_is_animated_and_what_stands_it_ends_there() -> None:
    scenes.floor()
    cube = _cube(z=1.0)
    press = _cube("Press", z=4.0)
    key(press, 1, (0.0, 0.0, 4.0))
    key(press, 5, (0.0, 0.0, 1.0))
    current_scene().frame_set(1)
    run = _run_of(cube)
    assert run.status is SimulationStatus.SQUEEZED
    assert _fastest(run) < 3.0 * 24.0 / 4.0
    assert run.poses(len(run.frames) - 1)[0].translation[2] > 0.99


@pytest.mark.slow
def test_a_body_ten_million_times_as_heavy_moves_as_it_must_and_pushes_no_one_through_the_floor() -> None:
    scenes.floor()
    cube, heavy = _cube(z=1.0), _cube("Heavy", z=3.5)
    cube["physplace_mass"], heavy["physplace_mass"] = 1e-3, 1e4
    run = _run_of(heavy, cube)
    heights = [[pose.translation[2] for pose in run.poses(number)] for number in range(len(run.frames))]
    assert min(height[1] for height in heights) > 0.9999
    assert min(height[0] for height in heights) > 2.999
    assert _fastest(run) < 2.0 * (2.0 * 9.81 * 0.5) ** 0.5


@pytest.mark.slow
def test_an_extreme_friction_only_holds() -> None:
    scenes.floor()["physplace_friction"] = 1e9
    cube = _cube(z=1.0)
    cube["physplace_friction"] = 1e9
    key(cube, 0, (-0.1, 0.0, 1.0))
    key(cube, 1, (0.0, 0.0, 1.0))
    run = _run_of(cube)
    assert max(state.energy for state in run.frames) <= run.frames[0].energy * (1.0 + 1e-5)
    assert run.poses(1)[0].translation[0] < 0.09, "it tips over its edge, and does not slide"


@pytest.mark.slow
def test_what_is_thrown_very_fast_passes_through_nothing() -> None:
    wall = scenes.floor("Wall")
    wall.rotation_euler = (0.0, np.pi / 2.0, 0.0)
    wall.location.x = 40.0
    cube = _cube()
    key(cube, 0, (-300.0, 0.0, 4.0))
    key(cube, 1, (0.0, 0.0, 4.0))
    body(wall, "PASSIVE")
    run = _run_of(cube)
    speed = 300.0 * 24.0
    assert max(run.poses(number)[0].translation[0] for number in range(len(run.frames))) < 39.1
    assert _fastest(run) < 1.01 * speed * 3**0.5


def test_flat_text_that_lies_in_the_plane_of_the_floor_is_named_with_the_floor() -> None:
    scenes.floor()
    text = scenes.linked(bpy.data.objects.new("Text", bpy.data.curves.new("Text", "FONT")))
    of_type(text.data, bpy.types.TextCurve).body = "I"
    select(text)
    refused(physplace.simulate, text, '"Text": it lies so near to "Floor" at the start', frames=3)
