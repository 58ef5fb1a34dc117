"""A body that is pulled at a point: against closed forms, walls, joints, and what its energy may be."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.dynamics.contacts import SurfaceLaws
from physplace_addon.core.dynamics.driving.pulls import RATE, Pull, PullError
from physplace_addon.core.dynamics.driving.tracks import Track
from physplace_addon.core.dynamics.motion import Motion
from physplace_addon.core.dynamics.scene import Scene
from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.dynamics.state import SimulationStatus
from physplace_addon.core.mechanics.joints import Anchors, ball
from physplace_addon.core.rigid import Pose, quaternion_exponential

from .scenes import DOWN, GRAVITY, UPRIGHT, block, brick_wall, floor, simulation, standing

NOWHERE = np.zeros(3)
STRONG = 1e4  # lengths over s^2


def centred() -> Pose:
    return Pose(UPRIGHT, np.zeros(3))


def pulled_to(made: Simulation, goal: list[float], strongest: float = STRONG, at: Floats = NOWHERE) -> Pull:
    pull = Pull(0, at, np.array(goal), strongest)
    made.pull(pull)
    return pull


def ended(made: Simulation) -> SimulationStatus:
    return made.status


def places(made: Simulation, pull: Pull) -> Floats:
    """Where the pulled point was, in the scene, state by state."""
    own = pull.seen_from(made.scene.origin)
    return np.array([own.place(made.scene.inertia, s.motion) for s in made.states]) + made.scene.origin


def test_a_free_body_follows_the_closed_form_of_critical_damping() -> None:
    errors = []
    for step in (1.0 / 240.0, 1.0 / 480.0):
        made = simulation([block()], [centred()], [], gravity=NOWHERE, step=step)
        pull = pulled_to(made, [0.3, -0.2, 0.5])
        made.run(0.5)
        times = np.array([state.time for state in made.states])
        left = (1.0 + RATE * times) * np.exp(-RATE * times)
        expected = (1.0 - left)[:, None] * pull.goal
        errors.append(np.abs(places(made, pull) - expected).max())
    assert errors[0] < 0.02
    assert errors[1] < 0.6 * errors[0], "it is of the first order"


@pytest.mark.parametrize(
    ("distance", "step"),
    [(1e-4, 1.0 / 240.0), (1.0, 1.0 / 480.0), (1.0, 1.0 / 24.0), (30.0, 1.0 / 120.0), (1e4, 1.0 / 24.0)],
)
def test_it_settles_at_the_goal_without_going_past_it_from_however_far_away(
    distance: float, step: float
) -> None:
    made = simulation([block()], [centred()], [], gravity=NOWHERE, step=step)
    pull = pulled_to(made, [distance, 0.0, 0.0], 100.0)
    made.run(1.0 + 0.4 * np.sqrt(distance))
    past = places(made, pull)[:, 0] / distance
    assert past.max() < 1.0 + 1e-9
    assert abs(past[-1] - 1.0) < 1e-4


@pytest.mark.parametrize("step", [1.0 / 60.0, 0.2, 5.0])
def test_it_comes_to_rest_at_any_step_wherever_it_is_pulled(step: float) -> None:
    made = simulation([block(2.0, 1.0, 0.3)], [centred()], [], gravity=NOWHERE, step=step)
    pull = pulled_to(made, [0.5, 0.3, -0.4], at=np.array([1.0, 0.5, 0.15]))
    made.run(max(2.0, 40.0 * step))
    assert np.abs(places(made, pull)[-1] - pull.goal).max() < 0.05
    assert made.state.energy < 0.5 * 0.6 * (RATE * 3.0) ** 2


def test_a_weight_hangs_below_its_goal_by_what_the_spring_needs() -> None:
    made = simulation([block()], [centred()], [])
    pull = pulled_to(made, [0.0, 0.0, 0.2])
    made.run(1.5)
    part = (1.0 - np.exp(-RATE * made.scene.step)) / (RATE * made.scene.step)
    assert abs(places(made, pull)[-1, 2] - (0.2 - GRAVITY / (RATE * part) ** 2)) < 1e-8
    assert np.abs(made.state.motion.rates).max() < 1e-7, "it hangs still, and does not only seem to"
    assert made.status.is_running


def test_a_body_pulled_at_its_end_hangs_down_from_there() -> None:
    rod = block(0.1, 0.1, 2.0)
    tilted = Pose(quaternion_exponential(np.array([0.0, 0.4, 0.0])), np.zeros(3))
    made = simulation([rod], [tilted], [])
    pull = pulled_to(made, tilted.points(np.array([0.0, 0.0, 1.0])).tolist(), at=np.array([0.0, 0.0, 1.0]))
    made.run(2.0)
    found = places(made, pull)
    assert np.abs(found - pull.goal).max() < 0.15, "the point stays near"
    height = np.array([state.motion.centre[0, 2] for state in made.states])
    assert height.max() < height[0] + 1e-6


def test_its_force_is_the_strongest_at_most_and_a_heavy_body_stays_where_it_stands() -> None:
    cube = block()
    made = simulation([cube], [standing(cube)], [floor()], friction=0.5)
    start = made.state.motion.centre[0]
    pulled_to(made, [30.0, 0.0, 0.5], strongest=0.49 * GRAVITY)
    made.run(0.5)
    assert np.abs(made.state.motion.centre[0] - start).max() < 1e-9
    pulled_to(made, [30.0, 0.0, 0.5], strongest=0.7 * GRAVITY)
    made.run(0.7)
    moved = made.state.motion.centre[0] - start
    assert abs(moved[0] - 0.5 * 0.2 * GRAVITY * 0.2**2) < 0.01


def test_a_body_pulled_against_a_wall_and_through_a_floor_goes_through_neither() -> None:
    cube, wall = block(), block(1.0, 6.0, 6.0).transformed(Pose(UPRIGHT, np.array([2.0, 0.0, 3.0])).matrix4)
    made = simulation([cube], [standing(cube)], [floor(), wall], friction=0.3)
    pull = pulled_to(made, [50.0, 0.0, -20.0], strongest=20.0 * GRAVITY)
    made.run(0.6)
    found = np.array([state.motion.centre[0] for state in made.states]) + made.scene.origin
    assert found[:, 0].max() < 1.0
    assert found[:, 2].min() > 0.5
    assert found[-1, 0] > 0.99
    assert np.abs(made.state.motion.rates).max() < 1e-6, "it is held there"
    assert np.abs(places(made, pull)[-1] - [1.0, 0.0, 0.5]).max() < 1e-3


def test_what_it_puts_in_is_all_that_the_energy_of_the_bodies_rises_by() -> None:
    sizes = (0.4, 0.2, 0.2)
    bricks, poses = brick_wall(2, 2, sizes)
    made = simulation(bricks, poses, [floor()], restitution=0.3)
    made.pull(Pull(0, np.array([0.15, -0.1, 0.05]), np.array([0.5, -2.0, 1.5]), 10.0 * GRAVITY))
    made.run(0.25)
    gained = np.array([state.energy - state.work for state in made.states])
    scale = max(state.energy for state in made.states) - min(state.energy for state in made.states)
    assert made.state.work > 0.0
    assert np.diff(gained).max() < 1e-5 * scale
    centre = made.state.motion.centre[0] + made.scene.origin
    assert centre[1] < -0.2, "it is pulled out"


def test_the_guard_against_gain_takes_nothing_of_what_a_pull_gives() -> None:
    made = simulation([block()], [centred()], [], gravity=NOWHERE)
    pulled_to(made, [1e3, 0.0, 0.0], strongest=3.0)
    made.run(1.0)
    velocity = made.state.motion.velocity(made.scene.inertia)[0]
    assert np.abs(velocity - [3.0, 0.0, 0.0]).max() < 1e-9
    assert abs(made.state.energy - made.state.work) < 1e-9


def test_what_sleeps_wakes_with_its_island_when_it_is_pulled() -> None:
    cube = block()
    poses = [standing(cube), Pose(UPRIGHT, np.array([0.0, 0.0, 1.5 + 3e-5]))]
    made = simulation([cube, cube], poses, [floor()])
    made.run(2.0)
    assert ended(made) is SimulationStatus.AT_REST
    end = made.state.time
    pulled_to(made, [-3.0, 0.0, 0.5], strongest=2.0 * GRAVITY)
    assert ended(made) is SimulationStatus.RUNNING
    made.run(end + 0.1)
    assert made.state.motion.centre[0, 0] < -0.01
    assert not made.state.sleep.asleep.any()
    made.pull(None)
    made.run(end + 10.0)
    assert ended(made) is SimulationStatus.AT_REST


def test_while_it_is_pulled_nothing_comes_to_rest() -> None:
    made = simulation([block()], [centred()], [], gravity=NOWHERE)
    pulled_to(made, [0.0, 0.0, 0.0])
    made.run(1.0)
    assert ended(made) is SimulationStatus.RUNNING
    made.pull(None)
    made.run(2.0)
    assert ended(made) is SimulationStatus.AT_REST


def _pendulum() -> Simulation:
    """A rod that hangs from the world by its upper end."""
    rod = block(0.1, 0.1, 2.0)
    pose = Pose(UPRIGHT, np.array([0.0, 0.0, 4.0]))
    anchors = Anchors.at("joint", 0, FIXED, Pose(UPRIGHT, np.array([0.0, 0.0, 5.0])), [pose])
    laws = SurfaceLaws(np.ones(1), np.zeros(1))
    scene = Scene.of([rod], [pose], [], laws, DOWN, joints=[ball(anchors)])
    return Simulation(scene, scene.motion([pose], np.zeros((1, 3)), np.zeros((1, 3))))


def test_a_joint_holds_against_a_pull_and_lets_go_on_what_it_leaves_free() -> None:
    made = _pendulum()
    pull = pulled_to(made, [8.0, 0.0, 5.0], strongest=20.0 * GRAVITY, at=np.array([0.0, 0.0, -1.0]))
    made.run(1.0)
    top = Pull(0, np.array([0.0, 0.0, 1.0]), NOWHERE, 1.0)
    assert np.abs(places(made, top) - [0.0, 0.0, 5.0]).max() < 1e-9
    found = places(made, pull)
    np.testing.assert_allclose(np.linalg.norm(found - [0.0, 0.0, 5.0], axis=1), 2.0, atol=1e-9)
    assert found[-1, 0] > 1.95
    gained = np.array([state.energy - state.work for state in made.states])
    assert np.diff(gained).max() < 1e-4 * np.ptp([state.energy for state in made.states])


def test_the_same_pulls_give_the_same_motion_again_from_an_earlier_state() -> None:
    made = simulation([block()], [centred()], [floor(-2.0)])
    made.run(0.1)
    begin = made.state
    ends: list[Motion] = []
    for _ in range(2):
        pulled_to(made, [1.0, 0.0, 1.0])
        made.run(0.4)
        ends.append(made.state.motion)
        made.go_on_from(begin)
        assert made.state.work == begin.work
    np.testing.assert_array_equal(ends[0].centre, ends[1].centre)


@pytest.mark.parametrize(
    ("pull", "found"),
    [
        (Pull(2, NOWHERE, NOWHERE, 1.0), "no body 2"),
        (Pull(1, NOWHERE, NOWHERE, 1.0), "no body 1 that moves"),
        (Pull(0, NOWHERE, np.array([np.nan, 0.0, 0.0]), 1.0), "a point and a goal"),
        (Pull(0, NOWHERE, NOWHERE, 0.0), "must be positive"),
        (Pull(0, NOWHERE, NOWHERE, np.inf), "must be positive"),
    ],
)
def test_a_pull_without_a_meaning_is_refused(pull: Pull, found: str) -> None:
    far = Pose(UPRIGHT, np.array([9.0, 0.0, 0.0]))
    laws = SurfaceLaws(np.ones(2), np.zeros(2))
    scene = Scene.of([block(), block()], [centred(), far], [], laws, DOWN, {1: Track.of([0.0], [far])})
    made = Simulation(scene, scene.motion([centred(), far], np.zeros((2, 3)), np.zeros((2, 3))))
    with pytest.raises(PullError, match=found):
        made.pull(pull)
