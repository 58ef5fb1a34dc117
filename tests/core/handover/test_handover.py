"""What has almost come to rest is ended at a proven rest, without a jump; or it is said why not."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.dynamics.contacts import SurfaceLaws
from physplace_addon.core.dynamics.driving.tracks import Track
from physplace_addon.core.dynamics.scene import HOLD, Scene
from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.dynamics.state import SimulationState, SimulationStatus
from physplace_addon.core.handover.handover import NO_ROOM, NO_WEIGHT, SLOWED, Handover, HandoverStatus
from physplace_addon.core.handover.placed_islands import FAR, IN_JOINTS, TOO_FAR
from physplace_addon.core.handover.readiness import HARDLY, Readiness
from physplace_addon.core.handover.timed_path import PACE, path_lengths
from physplace_addon.core.mechanics.joints import Anchors, fixed
from physplace_addon.core.placement import Settings, Status, check
from physplace_addon.core.placement.certificate import Certificate
from physplace_addon.core.rigid import Pose, quaternion_exponential
from tests.bodies_of_the_paper import ellipsoid, sphere
from tests.core.dynamics.scenes import (
    DOWN,
    GRAVITY,
    UPRIGHT,
    at,
    block,
    brick_wall,
    floor,
    simulation,
    standing,
)

FRAME = 1.0 / 24.0
ROOM = 100


def until_ready(made: Simulation, longest: float = 6.0) -> None:
    """Go on until all has come to rest, or almost."""
    readiness = Readiness(made.scene)
    while made.status.is_running and made.state.time < longest:
        if readiness.is_ready(made.step()):
            return


def handed_over(made: Simulation) -> Handover:
    """A handover, run to its end, from where a simulation has come to rest, or almost."""
    until_ready(made)
    handover = Handover(made, FRAME, ROOM)
    handover.run()
    return handover


def certificates(handover: Handover) -> list[Certificate]:
    return [certificate for rest in handover.rests for certificate in rest.certificates]


def moves(made: Simulation, states: list[SimulationState]) -> Floats:
    """The farthest that a point moves from each state to the next, over the body's radius."""
    inertia = made.scene.inertia
    return np.array(
        [
            (path_lengths(inertia, one.motion, two.motion) / inertia.radius).max()
            for one, two in pairwise(states)
        ]
    )


def slope(angle: float) -> Floats:
    """Gravity on a floor that is a slope."""
    return GRAVITY * np.array([np.sin(angle), 0.0, -np.cos(angle)])


def falls(height: float, x: float = 0.0) -> Pose:
    return Pose(UPRIGHT, np.array([x, 0.0, height]))


def stack() -> Simulation:
    poses = [falls(0.5 + 0.6 * i, 0.02 * i) for i in range(3)]
    return simulation([block(0.4, 0.4, 0.4)] * 3, poses, [floor()])


def leaning_plank() -> Simulation:
    """Held by friction, at the wall too."""
    wall = at(block(1.0, 9.0, 9.0), np.array([-1.6, 0.0, 0.0]))
    pose = Pose(quaternion_exponential(np.array([0.0, -0.45, 0.0])), np.array([-0.5, 0.0, 1.0]))
    return simulation([block(0.2, 1.0, 2.0)], [pose], [floor(), wall], friction=0.6)


def wall_of_bricks() -> Simulation:
    bricks, poses = brick_wall(3, 3, (0.4, 0.2, 0.2))
    return simulation(bricks, poses, [floor()])


RESTS = {
    "box": lambda: simulation([block()], [falls(1.0)], [floor()], restitution=0.3),
    "box on a slope": lambda: simulation([block()], [falls(0.55)], [floor()], gravity=slope(0.2)),
    "stack": stack,
    "plank": leaning_plank,
    "ball": lambda: simulation([sphere().body], [falls(1.01)], [floor()]),
    "wall": wall_of_bricks,
}


@pytest.mark.parametrize("name", RESTS)
def test_a_simulation_at_rest_ends_at_a_proven_rest_where_gaps_are_closed(name: str) -> None:
    made = RESTS[name]()
    handover = handed_over(made)
    assert made.status is SimulationStatus.AT_REST
    assert handover.status is HandoverStatus.PROVEN
    radius = made.scene.inertia.radius.max()
    for certificate in certificates(handover):
        assert certificate.status in (Status.BALANCED, Status.BALANCED_BY_FRICTION)
        assert certificate.stable
        assert certificate.overlap == 0.0
        assert certificate.gap < 1e-7 * radius
        assert max(certificate.residual_force, certificate.residual_torque) < 1e-6
    assert 0.1 * HOLD < moves(made, [made.state, *handover.states]).max() < 10.0 * HOLD
    assert handover.states[-1].touching.active.all()
    assert not handover.states[-1].motion.rates.any()


def test_the_rest_is_one_by_itself() -> None:
    """It is checked anew from the last pose alone, by the friction that the two surfaces have together."""
    made = RESTS["box on a slope"]()
    handover = handed_over(made)
    (pose,) = made.scene.poses(handover.states[-1].motion)
    down = tuple((made.scene.gravity / GRAVITY).tolist())
    found = check(block(), pose, [floor()], Settings(gravity=down, friction=0.5))
    assert found.status is Status.BALANCED_BY_FRICTION
    assert found.required_friction == pytest.approx(np.tan(0.2), rel=1e-4)
    assert check(block(), pose, [floor()], Settings(gravity=down, friction=0.2)).status is Status.RUNNING


def rolling_ball(speed: float, gravity: Floats = DOWN) -> Simulation:
    velocity, spin = np.array([[speed, 0.0, 0.0]]), np.array([[0.0, speed, 0.0]])
    return simulation(
        [sphere().body], [falls(1.0 + HOLD)], [floor()], gravity=gravity, velocity=velocity, spin=spin
    )


def test_a_ball_that_hardly_rolls_is_slowed_to_rest_without_a_jump_of_its_speed() -> None:
    speed = 0.45 * HARDLY * np.sqrt(GRAVITY)  # of its centre; its fastest point has twice that
    made = rolling_ball(speed)
    handover = handed_over(made)
    assert handover.status is HandoverStatus.PROVEN
    count = round(2.0 * SLOWED / FRAME)
    assert len(handover.states) == count + 1
    before = 2.0 * speed * FRAME
    frames = moves(made, [made.states[0], *handover.states])[1:]
    assert frames[0] == pytest.approx(before * (1.0 - 1.5 / count), rel=1e-3)
    assert np.diff(frames[:-1]) == pytest.approx(-before / count, rel=1e-3)
    assert frames[-1] < 2.0 * HOLD


def test_a_way_to_the_rest_that_may_be_seen_is_gone_slowly() -> None:
    """An egg that leans a little comes upright."""
    egg = ellipsoid((1.0, 1.0, 0.7)).body
    lean = Pose(quaternion_exponential(np.array([0.0, 4e-3, 0.0])), np.array([0.0, 0.0, 0.7001]))
    made = simulation([egg], [lean], [floor()])
    interval, start = 0.25 * FRAME, made.state
    handover = Handover(made, interval, ROOM)
    assert handover.run() is HandoverStatus.PROVEN
    assert 1e-3 < moves(made, [start, handover.states[-1]])[0] < FAR
    assert certificates(handover)[0].contacts.position[0] == pytest.approx((0.0, 0.0, 0.0), abs=0.01)
    slow = round(2.0 * SLOWED / interval)
    way = moves(made, handover.states[slow - 1 :])
    fastest = PACE * np.sqrt(GRAVITY * egg.radius) / egg.radius
    assert 0.7 * fastest * interval < way.max() <= fastest * interval
    assert len(way) > 6
    assert np.abs(np.diff([0.0, *way, 0.0])).max() < 0.6 * way.max()


def test_a_rest_that_is_far_away_is_not_taken_and_the_simulation_goes_on() -> None:
    made = rolling_ball(0.0, slope(1e-3))
    start = made.state
    handover = Handover(made, FRAME, ROOM)
    assert handover.run() is HandoverStatus.REFUSED
    assert [each.reason for each in handover.refused] == [TOO_FAR]
    assert handover.states == []
    assert made.state is start
    made.run(0.5)
    expected = 0.5 * 5.0 / 7.0 * GRAVITY * np.sin(1e-3) * 0.5**2
    assert made.state.motion.centre[0, 0] == pytest.approx(expected, rel=1e-3)


def test_what_falls_or_swings_is_not_ready() -> None:
    for made in (
        simulation([block()], [falls(3.0)], [floor()]),
        rolling_ball(2.0 * HARDLY * np.sqrt(GRAVITY)),
    ):
        readiness = Readiness(made.scene)
        while made.state.time < 0.5:
            assert not readiness.is_ready(made.step())


def jointed_blocks() -> Simulation:
    """Two blocks that stand far apart, one of them fixed to the world."""
    cube = block()
    poses = [standing(cube), standing(cube, 9.0)]
    anchors = Anchors.at("weld", FIXED, 1, poses[1], poses)
    laws = SurfaceLaws(np.full(3, 0.5), np.zeros(3))
    scene = Scene.of([cube, cube], poses, [floor()], laws, DOWN, joints=[fixed(anchors)])
    still = np.zeros((2, 3))
    return Simulation(scene, scene.motion(poses, still, still))


def test_what_joints_hold_stays_where_it_is_and_is_named() -> None:
    made = jointed_blocks()
    handover = handed_over(made)
    assert handover.status is HandoverStatus.PARTLY_PROVEN
    assert [(each.bodies, each.reason) for each in handover.refused] == [((1,), IN_JOINTS)]
    assert [rest.bodies.tolist() for rest in handover.rests] == [[0]]
    end = handover.states[-1]
    assert (end.motion.centre[1] == made.state.motion.centre[1]).all()
    assert end.motion.centre[0, 2] < made.state.motion.centre[0, 2]


def test_without_gravity_or_frames_nothing_is_handed_over() -> None:
    floating = simulation([block()], [falls(3.0)], [floor()], gravity=np.zeros(3))
    floating.run(1.0)
    handover = Handover(floating, FRAME, ROOM)
    assert handover.status is HandoverStatus.REFUSED
    assert handover.refused[0].reason == NO_WEIGHT
    made = RESTS["box"]()
    until_ready(made)
    handover = Handover(made, FRAME, 0)
    assert handover.status is HandoverStatus.REFUSED
    assert handover.refused[0].reason == NO_ROOM


def test_islands_that_cannot_meet_are_placed_by_themselves() -> None:
    cube = block()
    near = 2.0 * FAR * cube.radius
    poses = [standing(cube, x) for x in (0.0, 1.0 + 0.5 * near, 3.0 + near)]
    handover = handed_over(simulation([cube] * 3, poses, [floor()]))
    assert [rest.bodies.tolist() for rest in handover.rests] == [[0, 1], [2]]


def test_a_given_motion_that_is_over_lets_a_simulation_end() -> None:
    """A lift that stands still in its last frames: what is on it comes to rest, and is placed there."""
    cube, lift = block(), block(2.0, 2.0, 0.2)
    low, high = (Pose(UPRIGHT, np.array([0.0, 0.0, z])) for z in (0.5, 1.0))
    poses = [standing(cube, floor_at=0.6), low]
    track = Track.of([0.0, 0.5, 4.0, 9.0], [low, high, high, high])
    laws = SurfaceLaws(np.full(3, 0.5), np.zeros(3))
    scene = Scene.of([cube, lift], poses, [floor()], laws, DOWN, {1: track})
    still = np.zeros((2, 3))
    made = Simulation(scene, scene.motion(poses, still, still))
    handover = handed_over(made)
    assert 0.5 < made.state.time < 2.0
    assert handover.status is HandoverStatus.PROVEN
    assert scene.poses(handover.states[-1].motion)[0].translation[2] == pytest.approx(1.6, abs=1e-8)


LIFT, ASIDE = falls(0.5), falls(0.5, 9.0)
ON_A_LIFT, ON_THE_FLOOR = (falls(z + 1.5 * HOLD) for z in (1.1, 0.5))
AMONG_LIFTS = {
    "on the second of two lifts": ([ON_A_LIFT, ASIDE, LIFT], 0),
    "on a lift that is numbered before it": ([LIFT, ON_A_LIFT], 1),
    "on the floor beside a lift": ([ON_THE_FLOOR, ASIDE], 0),
}


@pytest.mark.parametrize("name", AMONG_LIFTS)
def test_at_a_rest_among_given_motions_contacts_are_those_that_the_simulation_had(name: str) -> None:
    """Lifts that stand still, and one free cube: going on tells of no contact lost or new."""
    poses, free = AMONG_LIFTS[name]
    bodies = [block() if i == free else block(2.0, 2.0, 0.2) for i in range(len(poses))]
    tracks = {i: Track.of([0.0, 0.1, 0.2], [poses[i]] * 3) for i in range(len(poses)) if i != free}
    count = len(poses) + 1
    laws = SurfaceLaws(np.full(count, 0.5), np.zeros(count))
    scene = Scene.of(bodies, poses, [floor()], laws, DOWN, tracks)
    still = np.zeros((len(poses), 3))
    made = Simulation(scene, scene.motion(poses, still, still))
    until_ready(made)
    before = made.state.touching.keys
    handover = Handover(made, FRAME, ROOM)
    assert handover.run() is HandoverStatus.PROVEN
    after = handover.states[-1].touching.keys
    assert {*map(tuple, after.tolist())} == {*map(tuple, before.tolist())}
    assert len(after) >= 4
    made.go_on_from(handover.states[-1])
    assert made.step().events == ()
