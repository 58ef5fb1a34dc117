"""Impacts, and the events of contact in their order (Bouma and Vanecek 1991, section 7)."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest

from physplace_addon.core.bodies import Body
from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.dynamics.contacts import SurfaceLaws
from physplace_addon.core.dynamics.driving.tracks import Track
from physplace_addon.core.dynamics.events import Event, EventKind
from physplace_addon.core.dynamics.impacts import impact_at
from physplace_addon.core.dynamics.scene import Scene
from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.dynamics.state import SimulationStatus
from physplace_addon.core.rigid import Pose, quaternion_exponential
from tests.bodies_of_the_paper import sphere

from .scenes import DOWN, GRAVITY, UPRIGHT, at, block, brick_wall, floor, simulation, standing


def happened(made: Simulation) -> list[Event]:
    return [event for state in made.states for event in state.events]


def in_steps(made: Simulation) -> list[tuple[float, list[EventKind]]]:
    """The times at which something happens, and what, in its order."""
    groups = groupby(happened(made), lambda event: event.time)
    return [(time, [event.kind for event in events]) for time, events in groups]


def rises(made: Simulation) -> float:
    """The largest rise of the energy in a step, over its start above the floor."""
    energies = np.array([state.energy for state in made.states])
    return float(np.diff(energies).max() / energies[0])


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.5, 0.9])
def test_a_block_bounces_with_its_restitution(restitution: float) -> None:
    made = simulation(
        [block()], [Pose(UPRIGHT, np.array([0.0, 0.0, 1.5]))], [floor()], restitution=restitution
    )
    made.run(0.6)
    hits = [event for event in happened(made) if event.kind is EventKind.COLLISION]
    first = [event for event in hits if event.time == hits[0].time]
    assert len(first) == 4  # its corners, at once
    drop = 1.0 - 0.9 * made.scene.hold
    assert hits[0].time == pytest.approx(np.sqrt(2.0 * drop / GRAVITY), rel=1e-7)
    assert [event.speed for event in first] == pytest.approx([np.sqrt(2.0 * GRAVITY * drop)] * 4, rel=1e-7)
    after = next(state for state in made.states if state.time > hits[0].time)
    speed = after.motion.velocity(made.scene.inertia)[0, 2] + GRAVITY * (after.time - hits[0].time)
    if restitution > 0.0:
        assert speed / first[0].speed == pytest.approx(restitution, rel=1e-6)
    assert rises(made) < 1e-9


def test_a_bouncing_block_comes_to_rest_after_finitely_many_impacts() -> None:
    made = simulation([block()], [Pose(UPRIGHT, np.array([0.0, 0.0, 1.0]))], [floor()], restitution=0.5)
    made.run(3.0)
    assert made.status is SimulationStatus.AT_REST
    assert len({event.time for event in happened(made) if event.kind is EventKind.COLLISION}) < 12
    assert rises(made) < 1e-9


def test_a_bead_of_a_millimetre_bounces_when_it_must() -> None:
    """In a step it falls by many times its size, and gravity changes its speed by much."""
    size, restitution = 1e-3, 0.9
    made = simulation(
        [block(size, size, size)],
        [Pose(UPRIGHT, np.array([0.0, 0.0, 1.5 * size]))],
        [floor()],
        restitution=restitution,
    )
    made.run(0.02)
    hit = next(event for event in happened(made) if event.kind is EventKind.COLLISION)
    before = next(state for state in made.states if state.time == hit.time)
    drop = size - (before.motion.centre[0, 2] + made.scene.origin[2] - 0.5 * size)
    assert before.motion.centre[0, 2] + made.scene.origin[2] - 0.5 * size < 1.3 * made.scene.hold
    assert hit.time == pytest.approx(np.sqrt(2.0 * drop / GRAVITY), rel=1e-9)
    flown = made.state.time - hit.time
    speed = made.state.motion.velocity(made.scene.inertia)[0, 2] + GRAVITY * flown
    assert speed / hit.speed == pytest.approx(restitution, rel=1e-9)


def test_an_exact_ball_rolls_and_bounces() -> None:
    ball = sphere().body
    down = GRAVITY * np.array([np.sin(0.2), 0.0, -np.cos(0.2)])
    made = simulation([ball], [Pose(UPRIGHT, np.array([0.0, 0.0, 1.0 + 1e-5]))], [floor()], gravity=down)
    made.run(0.2)
    speed_up = 5.0 / 7.0 * GRAVITY * np.sin(0.2)
    assert made.state.motion.centre[0, 0] == pytest.approx(0.02 * speed_up, abs=1e-9)
    assert made.state.motion.spin[0, 1] == pytest.approx(0.2 * speed_up, abs=1e-9)
    made = simulation([ball], [Pose(UPRIGHT, np.array([0.0, 0.0, 1.3]))], [floor()], restitution=0.5)
    made.run(0.3)
    (hit,) = [event for event in happened(made) if event.kind is EventKind.COLLISION]
    assert hit.time == pytest.approx(np.sqrt(0.6 / GRAVITY), abs=1e-5)


def test_what_hits_elsewhere_changes_no_rate_of_an_island() -> None:
    """A block that slides, and another one that hits the floor far away."""
    poses = [standing(block(), -5.0), standing(block(), 5.0)]
    scene = Scene.of([block()] * 2, poses, [floor()], SurfaceLaws(np.ones(3), np.zeros(3)), DOWN)
    velocity = np.array([[0.4, 0.0, -0.01], [0.3, 0.0, -3.0]])
    made = Simulation(scene, scene.motion(poses, velocity, np.zeros((2, 3))))
    impact = impact_at(scene, made.moment)
    assert impact is not None
    assert sorted(set(impact.contacts.points.body1[impact.hits].tolist())) == [1]
    assert (impact.moment.motion.rates[0] == made.moment.motion.rates[0]).all()
    opening, _ = impact.contacts.speeds(impact.moment.motion.rates)
    assert opening[impact.contacts.points.body1 == 1].min() > -1e-9


def test_a_tumbling_block_comes_to_rest_without_gaining_energy() -> None:
    turn = np.array([[1.0, 2.0, 3.0]])
    pose = Pose(quaternion_exponential(np.array([0.3, 0.5, 0.2])), np.array([0.0, 0.0, 1.2]))
    made = simulation([block()], [pose], [floor()], restitution=0.3, spin=turn)
    made.run(6.0)
    assert made.status is SimulationStatus.AT_REST
    assert rises(made) < 1e-5
    assert made.state.motion.centre[0, 2] == pytest.approx(0.5, abs=2e-5)


def test_a_block_slides_off_an_edge() -> None:
    """Figure 5b of the paper: the support is left point by point, and then falls away."""
    cube = block(0.4, 0.4, 0.4)
    table = at(block(2.0, 2.0, 1.0), np.array([0.0, 0.0, -0.5]))
    velocity = np.array([[2.0, 0.0, 0.0]])
    made = simulation([cube], [standing(cube, 0.5)], [table], friction=0.05, velocity=velocity)
    made.run(0.6)
    steps = in_steps(made)
    assert [kinds for _, kinds in steps] == [
        [EventKind.SUPPORT_LEFT] * 2 + [EventKind.NEW_CONTACT] * 2,  # leading corners, the table's edge
        [EventKind.SEPARATION] * 2,  # trailing corners, as it begins to tip
        [EventKind.SUPPORT_LEFT] * 2,  # the edge
    ]
    slowing = 0.05 * GRAVITY
    passes = [(2.0 - np.sqrt(4.0 - 2.0 * slowing * way)) / slowing for way in (0.3, 0.5)]
    assert [time for time, _ in steps[:2]] == pytest.approx(passes, abs=made.scene.step)
    assert len(made.state.touching) == 0
    assert made.state.motion.centre[0, 2] < -0.1
    assert rises(made) < 1e-5


def test_a_block_that_slides_meets_a_step() -> None:
    """Figure 6 of the paper: a sliding contact becomes a collision with another face."""
    cube = block(0.4, 0.4, 0.4)
    step = at(block(1.0, 2.0, 0.2), np.array([1.2, 0.0, 0.1]))
    velocity = np.array([[2.0, 0.0, 0.0]])
    made = simulation([cube], [standing(cube)], [floor(), step], friction=0.2, velocity=velocity)
    made.run(0.35)
    assert [kinds for _, kinds in in_steps(made)] == [
        [EventKind.COLLISION] * 4,
        [EventKind.NEW_CONTACT] * 4 + [EventKind.SLIP_ENDS] * 4,
    ]
    hit = next(event for event in happened(made) if event.kind is EventKind.COLLISION)
    assert hit.place[0] == pytest.approx(0.7, abs=1e-4)
    slowing = 0.2 * GRAVITY
    arrival = (2.0 - np.sqrt(4.0 - 2.0 * slowing * 0.5)) / slowing
    assert hit.time == pytest.approx(arrival, abs=1e-4)
    assert rises(made) < 1e-9


def test_thin_plates_that_are_fast_do_not_pass_through_each_other() -> None:
    plate = block(1.0, 1.0, 0.002)
    poses = [Pose(UPRIGHT, np.array([0.0, 0.0, z])) for z in (0.0, 0.5)]
    velocity = np.array([[0.0, 0.0, 60.0], [0.0, 0.0, -60.0]])
    made = simulation([plate, plate], poses, [], gravity=np.zeros(3), velocity=velocity, restitution=0.5)
    made.run(0.05)
    heights = made.state.motion.centre[:, 2]
    assert heights[1] - heights[0] > 0.002
    relative = np.diff(made.state.motion.velocity(made.scene.inertia)[:, 2])[0]
    assert relative == pytest.approx(60.0, rel=1e-6)


def test_bodies_that_overlap_at_the_start_are_refused() -> None:
    made = simulation([block(), block()], [standing(block()), standing(block(), 0.5)], [floor()])
    assert made.status is SimulationStatus.INTERFERING_START
    assert made.step() is made.state


@pytest.mark.parametrize("shape", [block(1.0, 0.2, 0.2), sphere().body])
def test_a_body_that_nothing_touches_falls_on_its_parabola(shape: Body) -> None:
    velocity, spin = np.array([[1.0, 0.0, 2.0]]), np.array([[0.3, 0.2, 1.0]])
    made = simulation([shape], [Pose(UPRIGHT, np.zeros(3))], [], velocity=velocity, spin=spin)
    made.run(1.0)
    exact = velocity[0] + [0.0, 0.0, -0.5 * GRAVITY]
    assert np.abs(made.state.motion.centre[0] - exact).max() < 1e-12


def test_bodies_whose_motion_is_given_go_through_what_does_not_move_freely() -> None:
    """A lift rises out of the floor, and takes a block with it."""
    lift, cube = block(2.0, 2.0, 0.2), block()
    low, high = Pose(UPRIGHT, np.array([0.0, 0.0, -0.05])), Pose(UPRIGHT, np.array([0.0, 0.0, 0.45]))
    poses = [standing(cube, floor_at=0.05), low]
    laws = SurfaceLaws(np.full(3, 0.5), np.zeros(3))
    scene = Scene.of([cube, lift], poses, [floor()], laws, DOWN, {1: Track.of([0.0, 0.5], [low, high])})
    made = Simulation(scene, scene.motion(poses, np.zeros((2, 3)), np.zeros((2, 3))))
    made.run(0.3)
    assert made.status is SimulationStatus.RUNNING
    centre = made.state.motion.centre
    assert centre[1, 2] == pytest.approx(0.25, abs=1e-9)
    assert centre[0, 2] - centre[1, 2] == pytest.approx(0.6, abs=2e-5)
    made.run(0.6)
    assert made.state.motion.centre[0, 2] > 1.05  # it was thrown up when the lift stopped


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_where_many_contacts_touch_only_what_bounces_is_met_at_its_own_time(restitution: float) -> None:
    """Nine blocks stand on the floor, and a tenth one falls beside them."""
    box, drop = block(), 0.03
    poses = [*[standing(box, 1.5 * number) for number in range(9)], standing(box, -3.0, floor_at=drop)]
    made = simulation([box] * 10, poses, [floor()], restitution=restitution)
    made.run(22.0 * made.scene.step)
    hits = [event for event in happened(made) if event.kind is EventKind.COLLISION]
    first = [event for event in hits if event.time == hits[0].time]
    assert len(first) == 4
    assert {event.bodies for event in hits} == {(9, FIXED)}
    assert max(abs(event.place[2]) for event in hits) < 1e-4, "they are where they are at that time"
    falls = np.sqrt(2.0 * drop / GRAVITY)
    if restitution == 0.0:
        times = np.diff([state.time for state in made.states])
        assert times == pytest.approx(made.scene.step)  # no step was cut short
        assert len(hits) == 4
        assert falls <= hits[0].time <= falls + 2.0 * made.scene.step
        assert made.state.motion.centre[9, 2] == pytest.approx(0.5, abs=2e-5)
    else:
        assert hits[0].time == pytest.approx(falls, rel=1e-4)
    assert np.abs(made.state.motion.centre[:9] - made.states[0].motion.centre[:9]).max() < 1e-9
    assert rises(made) < 1e-9


def test_what_falls_on_a_wall_bounces_with_its_restitution() -> None:
    """The step stops it with all contacts of the wall, which open at least as fast as they are to."""
    size, drop = (0.24, 0.12, 0.08), 0.03
    bricks, poses = brick_wall(3, 3, size)
    fell = Pose(UPRIGHT, np.array([size[0], 0.0, 3.5 * size[2] + drop]))
    made = simulation([*bricks, bricks[0]], [*poses, fell], [floor()], restitution=0.5)
    while not any(event.kind is EventKind.COLLISION for event in made.step().events):
        assert made.state.time < 0.2
    state = made.state
    hits = [event for event in state.events if event.kind is EventKind.COLLISION]
    speed = max(event.speed for event in hits)
    assert speed == pytest.approx(np.sqrt(2.0 * GRAVITY * drop), abs=2.0 * GRAVITY * made.scene.step)
    up = state.motion.velocity(made.scene.inertia)[-1, 2]
    assert 0.5 * speed - 2.0 * GRAVITY * made.scene.step < up <= (0.5 + 1e-6) * speed
    assert rises(made) < 1e-9
