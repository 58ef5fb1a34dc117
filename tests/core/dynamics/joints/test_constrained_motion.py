"""Bodies with joints in time, against equations of motion of other coordinates."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.dynamics.joints.constrained_motion import ConstrainedMotion
from physplace_addon.core.dynamics.motion import Motion
from physplace_addon.core.mechanics.inertia import Inertia
from physplace_addon.core.mechanics.joints import (
    Anchors,
    Axis,
    Joint,
    Motor,
    Spring,
    Strength,
    ball,
    hinge,
    slider,
)
from physplace_addon.core.mechanics.joints.equations import Joints
from physplace_addon.core.rigid import Pose, quaternion_matrix, quaternion_product
from tests.core.dynamics.joints.linkages import (
    DOWN,
    GRAVITY,
    FourBar,
    Rods,
    along,
    chain,
    double_pendulum,
    energy,
    integrated,
)


def followed(solver: ConstrainedMotion, bodies: Rods, time: float, h: float) -> Motion:
    """The motion after a time, along which energy is kept and joints stay closed."""
    start = energy(bodies.inertia, solver.motion)
    scale = GRAVITY * float((bodies.inertia.mass * bodies.length).sum())
    for _ in range(round(time / h)):
        motion = solver.step(h)
        assert energy(bodies.inertia, motion) == pytest.approx(start, abs=1e-8 * scale)
        assert solver.residual < 1e-10
        assert not solver.blocked
    return motion


def pendulum_angle(bodies: Rods, angle: float, time: float, spin: float = 0.0, damping: float = 0.0) -> float:
    mass, size = float(bodies.inertia.mass[0]), float(bodies.length[0])
    moment = float(bodies.moment[0]) + mass * size**2 / 4

    def rates(_: float, state: Floats) -> Floats:
        torque = -mass * GRAVITY * size / 2 * np.sin(state[0]) - damping * state[1]
        return np.array([state[1], torque / moment])

    return float(integrated(rates, np.array([angle, spin]), time)[0])


@pytest.mark.parametrize(
    ("h", "time"),
    [
        (1 / 24, 2.0),
        pytest.param(1 / 240, 1.0, marks=pytest.mark.slow),
    ],
)
def test_a_rod_on_a_hinge_swings_as_a_pendulum(h: float, time: float) -> None:
    bodies, joints = chain([2.5])
    motion = followed(ConstrainedMotion(bodies.inertia, joints, bodies.at_rest(), DOWN), bodies, time, h)
    expected = 0.5 * along(pendulum_angle(bodies, 2.5, time))
    assert motion.centre[0] == pytest.approx(expected, abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("h", "time", "angles"), [(1 / 24, 3.0, (2.0, 2.5)), (1 / 240, 0.5, (1.5, 1.5))])
def test_a_double_pendulum_follows_lagranges_equations(
    h: float, time: float, angles: tuple[float, float]
) -> None:
    bodies, joints = chain(angles)
    solver = ConstrainedMotion(bodies.inertia, joints, bodies.at_rest(), DOWN)
    motion = followed(solver, bodies, time, h)
    one, two = double_pendulum(bodies, angles, time)
    assert motion.centre[0] == pytest.approx(0.5 * along(one), abs=1e-5)
    assert motion.centre[1] == pytest.approx(along(one) + 0.5 * along(two), abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("h", "time"), [(1 / 24, 2.0), (1 / 240, 0.2)])
def test_a_loop_of_four_hinges_follows_the_equation_of_its_one_angle(h: float, time: float) -> None:
    linkage = FourBar(0.5, 1.4, 1.0, complex(1.3, 0.1))
    bodies, joints = linkage.build(1.2)
    solver = ConstrainedMotion(bodies.inertia, joints, bodies.at_rest(), DOWN)
    motion = followed(solver, bodies, time, h)
    angle = linkage.end(bodies, 1.2, time)
    expected = 0.25 * np.array([np.cos(angle), 0.0, np.sin(angle)])
    assert motion.centre[0] == pytest.approx(expected, abs=1e-5)


def test_a_body_on_a_ball_joint_turns_as_euler_says() -> None:
    bodies, _ = chain([1.0])
    joints = Joints.of([ball(Anchors.at("socket", FIXED, 0, Pose.identity(), bodies.poses))], bodies.inertia)
    rest = bodies.at_rest()
    spin = np.array([0.3, 2.0, 1.0])
    rates = np.concatenate([np.cross(spin, rest.centre[0]) / bodies.inertia.radius[0], spin])
    start = Motion(rest.centre, rest.rotation, rates[None])
    mass = float(bodies.inertia.mass[0])
    arm = np.array([0.5, 0.0, 0.0])  # in the body's own frame
    own = np.diag(bodies.inertia.moments[0]) + mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))

    def change(_: float, state: Floats) -> Floats:
        turn = quaternion_matrix(state[:4] / np.linalg.norm(state[:4]))
        weight = mass * np.array(DOWN) @ turn
        torque = np.cross(arm, weight) + np.cross(own @ state[4:], state[4:])
        turning = 0.5 * quaternion_product(state[:4], np.concatenate([[0.0], state[4:]]))
        return np.concatenate([turning, np.linalg.solve(own, torque)])

    own_spin = spin @ quaternion_matrix(rest.rotation[0])
    end = integrated(change, np.concatenate([rest.rotation[0], own_spin]), 4.0)
    motion = followed(ConstrainedMotion(bodies.inertia, joints, start, DOWN), bodies, 4.0, 1 / 24)
    expected = quaternion_matrix(end[:4] / np.linalg.norm(end[:4])) @ arm
    assert motion.centre[0] == pytest.approx(expected, abs=1e-6)


def test_a_damped_pendulum_loses_energy_as_its_equation_says() -> None:
    bodies, joints = chain([2.0], [Axis(spring=Spring(damping=0.8))])
    solver = ConstrainedMotion(bodies.inertia, joints, bodies.at_rest(), DOWN)
    for _ in range(48):
        motion = solver.step(1 / 24)
    angle = pendulum_angle(bodies, 2.0, 2.0, damping=0.8)
    assert motion.centre[0] == pytest.approx(0.5 * along(angle), abs=1e-6)


def one_body() -> tuple[Inertia, Motion]:
    inertia = Inertia(
        np.array([2.0]), np.array([0.5]), np.zeros((1, 3)), np.eye(3)[None], np.array([[0.3, 0.4, 0.5]])
    )
    return inertia, Motion(np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]]), np.zeros((1, 6)))


HERE = Pose.identity()


def test_a_weight_on_a_spring_slides_to_and_fro() -> None:
    inertia, start = one_body()
    rail = slider(Anchors("rail", FIXED, 0, HERE, HERE), Axis(spring=Spring(stiffness=50.0, rest=0.2)))
    solver = ConstrainedMotion(inertia, Joints.of([rail], inertia), start, (0.0, 0.0, -9.81))
    for _ in range(48):
        motion = solver.step(1 / 24)
    assert motion.centre[0] == pytest.approx([0.2 - 0.2 * np.cos(5.0 * 2.0), 0.0, 0.0], abs=1e-7)


def test_a_motor_turns_a_wheel_for_ever() -> None:
    inertia, start = one_body()
    axle = hinge(Anchors("axle", FIXED, 0, HERE, HERE), Axis(motor=Motor(20.0)))
    solver = ConstrainedMotion(inertia, Joints.of([axle], inertia), start)
    for _ in range(24):
        solver.step(1 / 24)
    assert solver.coordinates[0, 5] == pytest.approx(20.0, abs=1e-9)


def test_a_weak_motor_pushes_with_its_greatest_torque_until_it_has_its_speed() -> None:
    inertia, start = one_body()
    axle = hinge(Anchors("axle", FIXED, 0, HERE, HERE), Axis(motor=Motor(3.0, greatest=1.0)))
    solver = ConstrainedMotion(inertia, Joints.of([axle], inertia), start)
    for _ in range(24):
        motion = solver.step(1 / 24)
    assert motion.spin[0, 2] == pytest.approx(2.0, abs=1e-9)  # torque 1 over moment 0.5
    for _ in range(24):
        motion = solver.step(1 / 24)
    assert motion.spin[0, 2] == pytest.approx(3.0, abs=1e-9)


def test_a_pendulum_keeps_between_its_limits() -> None:
    bodies, joints = chain([1.0], [Axis(lower=-0.5, upper=2.0)])
    solver = ConstrainedMotion(bodies.inertia, joints, bodies.at_rest(), DOWN)
    for _ in range(72):
        motion = solver.step(1 / 24)
        turn = solver.coordinates[0, 5]
        assert -0.5 - 1e-7 <= turn <= 2.0 + 1e-7
    assert abs(motion.centre[0, 1]) < 1e-12


def test_a_sliding_body_falls_onto_its_limit_and_its_weight_is_carried() -> None:
    inertia, start = one_body()
    rail = slider(Anchors("rail", FIXED, 0, HERE, HERE), Axis(lower=-0.3, upper=1.0))
    solver = ConstrainedMotion(inertia, Joints.of([rail], inertia), start, (-10.0, 0.0, 0.0))
    for _ in range(24):
        motion = solver.step(1 / 24)
    assert motion.centre[0] == pytest.approx([-0.3, 0.0, 0.0], abs=1e-8)
    assert np.abs(motion.rates).max() < 1e-9


def breaks(rail: Joint, share: float, force: float, gravity: tuple[float, float, float]) -> bool:
    """Whether a rail breaks within a second that bears a share of a force, and blows of any strength."""
    inertia, start = one_body()
    strength = Strength(force=share * force, seconds=100.0)
    joint = Joint(rail.anchors, rail.axes, strength=strength)
    solver = ConstrainedMotion(inertia, Joints.of([joint], inertia), start, gravity)
    for _ in range(24):
        solver.step(1 / 24)
        if solver.broken.any():
            return True
    return False


@pytest.mark.parametrize("share", [0.999999, 1.000001])
def test_a_rail_breaks_by_its_spring_and_the_weight_together_or_by_what_lies_on_its_limit(
    share: float,
) -> None:
    sprung = slider(Anchors("rail", FIXED, 0, HERE, HERE), Axis(spring=Spring(stiffness=50.0, rest=0.2)))
    assert breaks(sprung, share, np.hypot(10.0, 2.0 * 9.81), (0.0, 0.0, -9.81)) == (share < 1.0)
    limited = slider(Anchors("rail", FIXED, 0, HERE, HERE), Axis(lower=-0.3, upper=1.0))
    assert breaks(limited, share, 20.0, (-10.0, 0.0, 0.0)) == (share < 1.0)


def test_a_sliding_body_leaves_its_limit_when_it_is_pulled_away() -> None:
    inertia, start = one_body()
    rail = slider(Anchors("rail", FIXED, 0, HERE, HERE), Axis(lower=0.0))
    solver = ConstrainedMotion(inertia, Joints.of([rail], inertia), start, (2.0, 0.0, 0.0))
    for _ in range(24):
        motion = solver.step(1 / 24)
    assert motion.centre[0, 0] == pytest.approx(1.0, abs=1e-9)
