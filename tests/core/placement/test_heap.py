"""Several bodies move at once and push one another: a heap is balanced as a whole."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from benchmarks import heaps
from physplace_addon.core.contact.system import Adjusted
from physplace_addon.core.errors import PlacementError
from physplace_addon.core.placement import Connection, Placement, Settings, Status
from physplace_addon.core.placement.stepping import solve_step
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import box, floor, sphere

UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])
PULL = Connection(np.zeros(3), np.zeros(3))
SETTINGS = Settings(eps_max=0.2, step_limit=1000)


def at(*place: float) -> Pose:
    return Pose(UPRIGHT, np.array(place, dtype=float))


@lru_cache
def tower() -> Placement:
    """Three cubes dropped in a row above one another, a little off."""
    cube = box().body
    poses = [at(0.0, 0.0, 0.6), at(0.1, 0.05, 1.8), at(0.05, -0.1, 3.0)]
    placement = Placement.of_several([cube] * 3, poses, [floor()], SETTINGS)
    placement.run()
    return placement


@pytest.mark.slow
def test_a_tower_that_stands_is_left_standing() -> None:
    placement = tower()
    assert placement.status is Status.BALANCED
    heights = sorted(pose.translation[2] for pose in placement.state.poses)
    assert np.abs(np.array(heights) - [0.5, 1.5, 2.5]).max() < 1e-8


def test_each_body_carries_those_above_it() -> None:
    certificates = tower().certificates()
    for certificate, carried in zip(certificates, (3.0, 2.0, 1.0), strict=True):
        below = certificate.contacts.normal[:, 2] > 0.5
        assert abs(certificate.contacts.force[below].sum() - carried) < 1e-6
        assert abs(certificate.contacts.force[~below].sum() - (carried - 1.0)) < 1e-6
        assert certificate.residual_force < 1e-6
        assert certificate.residual_torque < 1e-6
        assert certificate.stable


def test_what_one_body_feels_the_other_feels_the_other_way() -> None:
    lowest, middle, _ = tower().certificates()
    above = lowest.contacts.normal[:, 2] < -0.5
    below = middle.contacts.normal[:, 2] > 0.5
    assert np.abs(lowest.contacts.position[above] - middle.contacts.position[below]).max() < 1e-8
    assert np.abs(lowest.contacts.normal[above] + middle.contacts.normal[below]).max() < 1e-9
    assert np.abs(lowest.contacts.force[above] - middle.contacts.force[below]).max() < 1e-9


@pytest.mark.slow
def test_balls_dropped_together_do_not_overlap_on_the_way_and_come_to_rest() -> None:
    ball = sphere(0.5, resolution=(24, 12)).body
    wall = np.eye(4)
    walls = []
    for x, y in ((1.8, 0), (-1.8, 0), (0, 1.8), (0, -1.8)):
        wall[:3, 3] = x, y, 1.0
        walls.append(box((0.5, 3.0, 2.0) if x else (3.0, 0.5, 2.0)).body.transformed(wall))
    poses = [at(0.02 * i, 0.03 * (i % 2), 0.7 + 1.1 * i) for i in range(3)]
    placement = Placement.of_several([ball] * 3, poses, [floor(), *walls], SETTINGS)
    placement.run()
    assert placement.status in (Status.BALANCED, Status.AT_ENERGY_MINIMUM)
    for state in placement.states:
        centres = np.array([pose.translation for pose in state.poses])
        apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)[np.triu_indices(3, 1)]
        assert apart.min() >= 1.0 - 1e-9
        assert centres[:, 2].min() >= 0.5 - 1e-9
        assert np.abs(centres[:, :2]).max() <= 0.8 + 1e-9


def test_a_body_that_falls_past_everything_is_said_to_have_no_support() -> None:
    ball = sphere(0.5).body
    table = box((1.0, 1.0, 0.1)).body
    placement = Placement.of_several([ball, ball], [at(0.0, 0.0, 1.0), at(5.0, 0.0, 1.0)], [table], SETTINGS)
    placement.run()
    assert placement.status is Status.NO_SUPPORT


def test_a_heavy_body_weighs_on_a_light_one() -> None:
    small, large = box((0.5, 0.5, 0.5)).body, box((1.0, 1.0, 0.5)).body
    poses = [at(0.0, 0.0, 0.6), at(0.1, 0.0, 2.0)]
    placement = Placement.of_several([small, large], poses, [floor()], SETTINGS)
    assert placement.run().status is Status.BALANCED
    lower = placement.certificates()[0]
    above = lower.contacts.normal[:, 2] < -0.5
    floor_force = lower.contacts.force[~above].sum()
    assert abs(lower.contacts.force[above].sum() / floor_force - 0.8) < 1e-6  # 4 of 5 parts


@pytest.mark.slow
def test_a_pebble_falls_beside_a_block_as_fast_as_the_block() -> None:
    block, pebble = box((0.5, 0.5, 0.5)).body, box((0.0125, 0.0125, 0.0125)).body
    poses = [at(0.0, 0.0, 0.6), Pose(np.array([1.0, 0.1, 0.2, 0.1]), np.array([0.1, 0.0, 1.325]))]
    placement = Placement.of_several([block, pebble], poses, [floor()], Settings(eps_max=0.2, step_limit=100))
    assert placement.run().status is Status.BALANCED
    assert abs(placement.state.poses[1].translation[2] - 1.0125) < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("mixed", [False, True])
def test_what_tumbles_into_a_bin_at_once_comes_to_rest_without_overlap(mixed: bool) -> None:
    bodies, poses, world = heaps.heap(mixed, 8, 1)
    placement = Placement.of_several(bodies, poses, world, Settings(eps_max=0.2))
    assert placement.run().status is Status.BALANCED
    assert placement.steps < 80
    still = [Pose.identity()] * len(world)
    for state in placement.states[::5] + placement.states[-1:]:
        assert heaps.overlap([*bodies, *world], [*state.poses, *still]) < 1e-10
    residuals = [max(c.residual_force, c.residual_torque) for c in placement.certificates()]
    assert max(residuals) < 1e-6


@pytest.mark.slow
def test_hardly_a_step_of_a_heap_fails() -> None:
    placement, failed, _ = heaps.run(False, 15, 0)
    assert placement.status is Status.BALANCED
    assert failed <= 3
    assert placement.steps <= 80


def test_all_that_nothing_supports_falls_in_one_step() -> None:
    cube = box().body
    poses = [at(2.0 * i, 0.0, 2.0 + i) for i in range(3)] + [at(0.0, 0.0, 8.0)]
    placement = Placement.of_several([cube] * 4, poses, [floor()], SETTINGS)
    placement.step()
    near = 0.2 * SETTINGS.eps_max * cube.radius
    heights = [pose.translation[2] for pose in placement.state.poses]
    assert np.abs(np.array(heights) - [0.5 + near, 0.5 + near, 0.5 + near, 1.5 + 2.0 * near]).max() < 1e-6


def test_bodies_that_fall_past_where_others_were_do_not_obstruct_one_another() -> None:
    bodies, poses, world = heaps.heap(True, 120, 0)
    placement = Placement.of_several(bodies, poses, world, SETTINGS)
    before = placement.state
    after = placement.step()
    assert len(placement.states) == 2
    assert np.count_nonzero(before.system.centres[:, 2] - after.system.centres[:, 2] > 0.1) > 100
    assert heaps.overlap(bodies, after.poses) == 0.0
    assert after.local_points.gap.min() > 0.0


def test_a_body_that_is_blocked_goes_slower_and_the_others_do_not() -> None:
    cube = box().body
    poses = [at(0.0, 0.0, 2.0), at(3.0, 0.0, 2.0)]
    placement = Placement.of_several([cube] * 2, poses, [floor()], SETTINGS)
    state = placement.state.slowed(np.array([0]), np.array([0.1, 0.2]))
    step = solve_step(placement.problem, state)
    assert step is not None
    lengths = state.coordinates.lengths(state.system, step.x)
    assert 0.02 < lengths[0] <= 0.05
    assert 0.1 < lengths[1] <= 0.2
    assert state.pace is not None
    assert state.pace.tolist() == [0.25, 1.0]
    taken = Adjusted(state.system, state.local_points)
    later = state.followed_by(taken, state.energy, Settings(recovery=2.0), None)
    assert later.pace is not None
    assert later.pace.tolist() == [0.5, 1.0]
    assert later.followed_by(taken, state.energy, Settings(recovery=2.0), None).pace is None


def test_a_body_that_goes_on_as_it_went_meets_less_and_less_viscosity() -> None:
    cube = box().body
    placement = Placement.of_several([cube] * 2, [at(0.0, 0.0, 2.0), at(3.0, 0.0, 2.0)], [floor()], SETTINGS)
    state, on, turned = placement.state, np.ones(12), np.repeat([1.0, -1.0], 6)
    taken = Adjusted(state.system, state.local_points)
    eases = []
    for motion in (on, on, on, turned):
        state = state.followed_by(taken, state.energy, SETTINGS, motion)
        eases.append(None if state.ease is None else state.ease.tolist())
    assert eases == [None, [0.5, 0.5], [0.25, 0.25], [0.125, 1.0]]


def test_a_pose_for_each_body_is_asked_for() -> None:
    with pytest.raises(PlacementError, match="a pose for each body"):
        Placement.of_several([box().body], [], [floor()])
    with pytest.raises(PlacementError, match="a pose for each body"):
        Placement.of_several([], [], [floor()])


def test_bodies_that_start_inside_one_another_interfere() -> None:
    cube = box().body
    placement = Placement.of_several([cube, cube], [at(0, 0, 2.0), at(0.3, 0.2, 2.1)], [floor()])
    assert placement.status is Status.INTERFERING_START
    same = Placement.of_several([cube, cube], [at(0, 0, 2.0), at(0, 0, 2.0)], [floor()])
    assert same.status is Status.INTERFERING_START


def test_of_bodies_that_interfere_each_is_told_with_which_ones_and_how_deep() -> None:
    cube, far = box().body, sphere(0.5).body
    poses = [at(0, 0, 2.0), at(0.3, 0.2, 2.1), at(5.0, 0, 0.45)]
    bodies = [replace(cube, name="one"), replace(cube, name="two"), replace(far, name="ball")]
    placement = Placement.of_several(bodies, poses, [floor()], Settings(gravity=None), [PULL])
    one, two, ball = placement.certificates()
    assert (one.overlapped, two.overlapped, ball.overlapped) == (("two",), ("one",), ("floor",))
    assert one.overlap > 0.1
    assert abs(ball.overlap - 0.05) < 1e-6
    assert two.message == 'it overlaps "one": move it clear'
