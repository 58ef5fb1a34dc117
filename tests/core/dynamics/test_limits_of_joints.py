"""Joints that run into their limits: when, how fast, and with which bounce, against closed forms."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body
from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.dynamics.contacts import SurfaceLaws
from physplace_addon.core.dynamics.events import Event, EventKind
from physplace_addon.core.dynamics.scene import HOLD, Scene
from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.mechanics.joints import Anchors, Axis, Joint, hinge, slider
from physplace_addon.core.rigid import Pose

from .scenes import DOWN, GRAVITY, UPRIGHT, at, block, floor

_ABOUT_Y = np.array([np.cos(np.pi / 4), np.sin(np.pi / 4), 0.0, 0.0])  # turns z to -y
_TO_X = np.array([np.cos(np.pi / 4), 0.0, -np.sin(np.pi / 4), 0.0])  # turns x to z


def jointed(
    bodies: list[Body],
    poses: list[Pose],
    world: list[Body],
    joints: list[Joint],
    restitution: float = 0.0,
    velocity: Floats | None = None,
) -> Simulation:
    count = len(bodies) + len(world)
    laws = SurfaceLaws(np.zeros(count), np.full(count, restitution**0.5))
    scene = Scene.of(bodies, poses, world, laws, DOWN, joints=joints)
    still = np.zeros((len(bodies), 3))
    return Simulation(scene, scene.motion(poses, still if velocity is None else velocity, still))


def limits(made: Simulation) -> list[Event]:
    events = [event for state in made.states for event in state.events]
    return [event for event in events if event.kind is EventKind.LIMIT_REACHED]


def pendulum(axis: Axis, world: list[Body]) -> Simulation:
    """A bar of length 1 that is let go where it points along x; its turn is how far it has fallen."""
    bar, pose = block(1.0, 0.2, 0.2), Pose(UPRIGHT, np.array([0.5, 0.0, 0.0]))
    pin = hinge(Anchors.at("pin", 0, FIXED, Pose(_ABOUT_Y, np.zeros(3)), [pose]), axis)
    return jointed([bar], [pose], world, [pin])


def fall(angle: float) -> tuple[float, float]:
    """The time in which the bar falls by an angle, and its spin then."""
    moment = 1.0 / 12.0 * (1.0 + 0.04) + 0.25
    rate = GRAVITY * 0.5 / moment

    def rates(_: float, state: Floats) -> Floats:
        return np.array([state[1], rate * np.cos(state[0])])

    def there(_: float, state: Floats) -> float:
        return float(state[0] - angle)

    found = solve_ivp(rates, (0.0, 5.0), np.zeros(2), "DOP853", events=[there], rtol=1e-12, atol=1e-13)
    assert found.t_events is not None
    assert found.y_events is not None
    return float(found.t_events[0][0]), float(found.y_events[0][0, 1])


def beside(gap: float) -> Body:
    """A wall along the bar's side, so near that its step looks at it."""
    return at(block(8.0, 1.0, 8.0), np.array([0.0, 0.6 + gap, 0.0]))


@pytest.mark.parametrize("touches", [False, True])
@pytest.mark.parametrize("restitution", [0.0, 0.4, 0.8])
def test_a_pendulum_hits_its_stop_when_it_must_and_bounces(restitution: float, touches: bool) -> None:
    stop = 1.2
    world = [beside(HOLD * block(1.0, 0.2, 0.2).radius)] if touches else []
    made = pendulum(Axis(lower=-stop, upper=stop, restitution=restitution), world)
    time, spin = fall(stop)
    made.run(time + 0.05)
    hit = limits(made)[0]
    assert hit.time == pytest.approx(time, abs=2e-5 if touches else 1e-8)
    assert hit.speed == pytest.approx(spin * made.scene.joints.length, rel=1e-4 if touches else 1e-7)
    assert (hit.joint, hit.bodies) == (0, (0, FIXED))
    assert hit.place == pytest.approx(np.zeros(3), abs=1e-9)
    number = next(i for i, state in enumerate(made.states) if state.time >= hit.time - 1e-12)
    after = next(state for state in made.states[number:] if state.time > hit.time + 1e-9)
    speed = abs(after.motion.spin[0, 1])
    if restitution == 0.0:
        assert speed < 1e-7
        assert abs(abs(after.coordinates[0, 5]) - stop) < 1e-8
        return
    # to where it is now, upwards, from the speed of the bounce
    moment = 1.0 / 12.0 * (1.0 + 0.04) + 0.25
    gained = GRAVITY * (np.sin(stop) - np.sin(abs(after.coordinates[0, 5]))) / moment
    back = np.sqrt(speed**2 + gained) / (hit.speed / made.scene.joints.length)
    assert back == pytest.approx(restitution, rel=2e-5 if touches else 1e-6)
    energies = np.array([state.energy for state in made.states])
    assert np.diff(energies).max() <= 1e-9 * np.ptp(energies)


def test_a_weight_that_bounces_on_its_limit_comes_to_rest_after_finitely_many_hits() -> None:
    cube, pose = block(), Pose(UPRIGHT, np.array([0.0, 0.0, 0.5]))
    rail = slider(
        Anchors("rail", FIXED, 0, Pose(_TO_X, np.zeros(3)), Pose(_TO_X, np.zeros(3))),
        Axis(lower=0.0, restitution=0.5),
    )
    made = jointed([cube], [pose], [], [rail])
    made.run(2.0)
    hits = limits(made)
    speeds = [event.speed for event in hits if event.speed > made.scene.slow]
    first = np.sqrt(2.0 * GRAVITY * 0.5)
    assert hits[0].time == pytest.approx(first / GRAVITY, rel=1e-7)
    assert speeds == pytest.approx([first * 0.5**i for i in range(len(speeds))], rel=1e-6)
    gaps = [late.time - early.time for early, late in pairwise(hits[: len(speeds)])]
    assert gaps == pytest.approx([2.0 * first * 0.5 ** (i + 1) / GRAVITY for i in range(len(gaps))], rel=1e-6)
    assert 5 < len(hits) < 12
    assert made.state.motion.centre[0, 2] == pytest.approx(0.0, abs=1e-8)
    assert not made.state.motion.rates.any()


def test_events_of_contacts_and_limits_come_in_the_order_of_their_times() -> None:
    """A free cube falls by .2 on the floor, and one on a rail by .3 to its stop."""
    cube = block()
    poses = [Pose(UPRIGHT, np.array([0.0, 0.0, 0.7])), Pose(UPRIGHT, np.array([4.0, 0.0, 2.0]))]
    frame = Pose(_TO_X, np.array([4.0, 0.0, 2.0]))
    rail = slider(Anchors.at("rail", FIXED, 1, frame, poses), Axis(lower=-0.3))
    made = jointed([cube, cube], poses, [floor()], [rail], restitution=0.6)
    made.run(0.45)
    events = [event for state in made.states for event in state.events]
    times = [event.time for event in events]
    assert times == sorted(times)
    kinds = [event.kind for event in events if event.kind in (EventKind.COLLISION, EventKind.LIMIT_REACHED)]
    hits = [EventKind.COLLISION] * 4  # its corners, which hit again later
    assert kinds == [*hits, EventKind.LIMIT_REACHED, *hits]
    assert limits(made)[0].time == pytest.approx(np.sqrt(0.6 / GRAVITY), rel=1e-6)


def test_a_blow_on_a_bar_at_its_stop_is_shared_with_the_stop_at_once() -> None:
    """A bar that rests on its stop is struck by a block: all impulses at once, nothing passes the stop."""
    bar, pose = block(1.0, 0.2, 0.2), Pose(UPRIGHT, np.array([0.5, 0.0, 0.0]))
    pin = hinge(
        Anchors.at("pin", 0, FIXED, Pose(_ABOUT_Y, np.zeros(3)), [pose]), Axis(lower=-0.0001, upper=0.0)
    )
    ball = Pose(UPRIGHT, np.array([0.9, 0.0, 0.3]))
    down = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -2.0]])
    made = jointed([bar, block(0.2, 0.2, 0.2)], [pose, ball], [], [pin], restitution=0.5, velocity=down)
    made.run(0.08)
    turns = np.array([state.coordinates[0, 5] for state in made.states])
    assert turns.min() > -1e-4 - 1e-8
    assert turns.max() < 1e-8
    hit = next(e for state in made.states for e in state.events if e.kind is EventKind.COLLISION)
    assert made.state.motion.velocity(made.scene.inertia)[1, 2] == pytest.approx(
        0.5 * hit.speed - GRAVITY * (made.state.time - hit.time), rel=1e-2
    )
