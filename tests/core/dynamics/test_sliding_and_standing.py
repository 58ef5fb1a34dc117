"""Contact that lasts: slides, rests, walls and a rocking block against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from physplace_addon.core.dynamics.bending import Bending
from physplace_addon.core.dynamics.events import EventKind
from physplace_addon.core.dynamics.scene import HOLD
from physplace_addon.core.dynamics.state import SimulationStatus
from physplace_addon.core.dynamics.step import Drift, drifted
from physplace_addon.core.jobs import finished
from physplace_addon.core.rigid import Pose, quaternion_exponential, rotation_matrix

from .scenes import GRAVITY, UPRIGHT, at, block, brick_wall, floor, simulation, standing


def tilted(angle: float) -> np.ndarray:
    """Gravity as on a slope that falls towards +x."""
    return GRAVITY * np.array([np.sin(angle), 0.0, -np.cos(angle)])


@pytest.mark.parametrize("friction", [0.0, 0.3, 0.54])
def test_a_block_slides_down_a_slope_as_its_closed_form_says(friction: float) -> None:
    cube, angle = block(), 0.5
    made = simulation([cube], [standing(cube)], [floor()], gravity=tilted(angle), friction=friction)
    start = made.state.motion.centre[0]
    made.run(0.5)
    speed_up = GRAVITY * (np.sin(angle) - friction * np.cos(angle))
    moved = made.state.motion.centre[0] - start
    assert np.abs(moved - [0.125 * speed_up, 0.0, 0.0]).max() < 1e-10
    velocity = made.state.motion.velocity(made.scene.inertia)[0]
    assert np.abs(velocity - [0.5 * speed_up, 0.0, 0.0]).max() < 1e-10


def test_a_block_on_a_slope_below_the_angle_of_friction_stands_still() -> None:
    cube = block()
    made = simulation([cube], [standing(cube)], [floor()], gravity=tilted(0.5), friction=0.56)
    start = made.state.motion.centre[0]
    made.run(0.5)
    assert np.abs(made.state.motion.centre[0] - start).max() < 1e-12


def test_friction_ends_a_slide_where_its_closed_form_says_and_when() -> None:
    cube, friction, velocity = block(), 0.3, np.array([[1.0, 0.5, 0.0]])
    made = simulation([cube], [standing(cube)], [floor()], friction=friction, velocity=velocity)
    start = made.state.motion.centre[0]
    made.run(2.0)
    speed = np.linalg.norm(velocity)
    slowing = friction * GRAVITY
    moved = made.state.motion.centre[0] - start
    assert np.abs(moved - velocity[0] * speed / (2.0 * slowing)).max() < 1e-10
    ends = [
        event.time for state in made.states for event in state.events if event.kind is EventKind.SLIP_ENDS
    ]
    assert len(ends) == 4
    assert np.abs(np.array(ends) - speed / slowing).max() < 1e-10
    assert made.status is SimulationStatus.AT_REST


def test_a_slide_that_ends_in_the_first_step_is_an_event() -> None:
    made = simulation([block()], [standing(block())], [floor()], velocity=np.array([[0.01, 0.0, 0.0]]))
    made.step()
    ends = [event.time for event in made.state.events if event.kind is EventKind.SLIP_ENDS]
    assert len(ends) == 4
    assert ends == pytest.approx([0.01 / (0.5 * GRAVITY)] * 4, rel=1e-9)
    assert all(event.kind is EventKind.SLIP_ENDS for event in made.state.events)


@pytest.mark.parametrize("size", [1e-3, 1.0, 100.0])
def test_a_slide_does_not_know_the_size_of_its_block(size: float) -> None:
    cube, step = block(size, size, size), np.sqrt(size) / 240.0
    world = [floor(wide=20.0 * size)]
    made = simulation([cube], [standing(cube)], world, friction=0.3, gravity=tilted(0.5), step=step)
    start = made.state.motion.centre[0]
    made.run(60.0 * step)
    speed_up = GRAVITY * (np.sin(0.5) - 0.3 * np.cos(0.5))
    moved = made.state.motion.centre[0] - start
    assert np.abs(moved - [0.5 * speed_up * (60.0 * step) ** 2, 0.0, 0.0]).max() < 1e-9 * size


def test_a_slide_far_from_the_origin_is_the_same() -> None:
    cube, far = block(), np.array([1e5, -2e5, 3e4])
    made = simulation(
        [cube],
        [Pose(UPRIGHT, standing(cube).translation + far)],
        [at(floor(), far)],
        gravity=tilted(0.5),
        friction=0.3,
    )
    start = made.scene.poses(made.state.motion)[0].translation
    made.run(0.2)
    speed_up = GRAVITY * (np.sin(0.5) - 0.3 * np.cos(0.5))
    moved = made.scene.poses(made.state.motion)[0].translation - start
    assert np.abs(moved - [0.02 * speed_up, 0.0, 0.0]).max() < 1e-9


@pytest.mark.parametrize("size", [1.0, 1e-3])
def test_a_rocking_block_falls_flat_when_its_closed_form_says(size: float) -> None:
    cube, angle = block(size, size, size), 0.05
    corner = rotation_matrix(np.array([0.0, angle, 0.0])) @ [0.5 * size, 0.0, -0.5 * size]
    at = np.array([-corner[0], 0.0, -corner[2] + 1e-5 * cube.radius])
    pose = Pose(quaternion_exponential(np.array([0.0, angle, 0.0])), at)
    made = simulation([cube], [pose], [floor(wide=20.0 * size)], friction=0.9)
    energy = made.state.energy
    times: list[float] = []
    angles: list[float] = []
    while not times or angles[-1] > 0.015:
        turn = made.state.motion.rotation[0]
        times.append(made.state.time)
        angles.append(2.0 * np.arctan2(turn[2], turn[0]))
        made.step()
        assert abs(made.state.energy - energy) < 1e-5 * energy
    # about an edge: 1/2 I w^2 = m g r (cos(a - t) - cos(a - t0)), the centre at r from it, a = 45 degrees
    inertia, arm, diagonal = (1.0 / 6.0 + 0.5) * size**2, np.sqrt(0.5) * size, np.pi / 4.0

    def seconds_a_root(root: float) -> float:
        now = angle - root**2
        drop = np.cos(diagonal - angle) - np.cos(diagonal - now)
        return float(2.0 * root / np.sqrt(2.0 * GRAVITY * arm / inertia * drop))

    last = angles[-1]
    exact = quad(seconds_a_root, 1e-12, np.sqrt(angle - last))[0]
    assert abs(times[-1] - exact) < 1e-4 * exact


def test_a_wall_of_bricks_stands() -> None:
    bodies, poses = brick_wall(4, 3, (0.24, 0.12, 0.08))
    made = simulation(bodies, poses, [floor()], friction=0.6)
    start = made.state.motion.centre
    made.run(0.2)
    assert np.abs(made.state.motion.centre - start).max() < 1e-12
    made.run(1.0)
    assert made.status is SimulationStatus.AT_REST


def test_a_block_falls_in_a_slot_that_leaves_it_less_room_than_contacts_keep() -> None:
    cube = block()
    room = 0.45e-5 * cube.radius
    walls = [at(block(1.0, 3.0, 9.0), np.array([side * (1.0 + room), 0.0, 0.0])) for side in (-1.0, 1.0)]
    made = simulation([cube], [Pose(UPRIGHT, np.zeros(3))], walls, friction=0.0)
    made.run(0.3)
    assert made.state.time == pytest.approx(0.3)
    assert made.state.motion.centre[0] == pytest.approx([0.0, 0.0, -0.045 * GRAVITY], abs=2e-5)


def test_what_closes_slowly_while_it_slips_takes_a_whole_step() -> None:
    """A contact that stops it stops its slip at once: there is no time at which friction ends that."""
    body = block()
    pose = standing(body)
    lifted = Pose(pose.rotation, pose.translation + np.array([0.0, 0.0, HOLD * body.radius]))
    slow = 1.5 * GRAVITY / 240.0
    made = simulation([body], [lifted], [floor()], velocity=np.array([[0.1 * slow, 0.0, -0.3 * slow]]))
    made.step()
    assert made.state.time == made.scene.step
    assert np.abs(made.state.motion.rates).max() < 1e-9


def test_a_small_tile_that_spins_in_place_takes_whole_steps() -> None:
    """Its corners turn by a third of a radian in a step, and slip: the path of no gap bends."""
    tile = block(0.1, 0.1, 0.02)
    spin = np.array([[0.0, 0.0, 20.0]])
    made = simulation([tile], [standing(tile)], [floor()], friction=0.0, spin=spin, step=1.0 / 60.0)
    made.run(0.2)
    assert len(made.states) <= 14
    assert made.state.motion.spin[0, 2] == pytest.approx(20.0, rel=1e-9)


@pytest.mark.parametrize("share", [0.5, 0.1])
def test_a_shorter_drift_that_begins_with_a_longer_one_is_the_same(share: float) -> None:
    """Forces and bending of the longer one only say where the search begins."""
    turn = quaternion_exponential(np.array([0.0, 0.3, 0.0]))
    spin = np.array([[0.0, 2.0, 0.5]])
    made = simulation([block()], [Pose(turn, np.array([0.0, 0.0, 0.63]))], [floor()], spin=spin)
    made.run(0.1)
    moment, scene = made.moment, made.scene
    assert moment.touching.any()
    nothing, none = np.zeros(len(moment.points), bool), np.zeros(0, bool)
    longer = finished(drifted(scene, moment, scene.step, nothing, none))
    alone = finished(drifted(scene, moment, share * scene.step, nothing, none))
    assert isinstance(longer, Drift)
    assert isinstance(alone, Drift)
    begun = finished(drifted(scene, moment, share * scene.step, nothing, none, longer))
    assert isinstance(begun, Drift)
    assert np.abs(begun.motion.centre - alone.motion.centre).max() < 2e-3 * scene.hold
    assert np.abs(longer.motion.centre - alone.motion.centre).max() > scene.hold


def test_bending_matters_more_where_there_is_less_room() -> None:
    """Of many contacts: an error is small beside the gap to be kept, or beside the gap where that is less."""
    count, hold = 40, 1e-5
    known, found = Bending.none(count), Bending.none(count)
    found.opened[7] = 0.1 * hold
    gap = np.full(count, 3.0 * hold)
    assert found.is_nearly(known, gap, hold)
    gap[7] = 0.3 * hold
    assert not found.is_nearly(known, gap, hold)


def test_bending_may_not_use_up_the_gap_however_much_there_is_of_it() -> None:
    """Of many contacts: a gap may open a tenth more than was thought, and not by more than the gap less."""
    count, hold = 40, 1e-5
    known, found = Bending.none(count), Bending.none(count)
    known.opened[7], found.opened[7] = -10.0 * hold, -9.0 * hold
    gap = np.full(count, 2.0 * hold)
    assert found.is_nearly(known, gap, hold)
    assert not known.is_nearly(found, gap, hold)
