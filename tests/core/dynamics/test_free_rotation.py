"""Free rotation against closed forms, and what it keeps."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from physplace_addon.core.arrays import Floats
from physplace_addon.core.dynamics.composition import EIGHTH_ORDER, FOURTH_ORDER, SIXTH_ORDER
from physplace_addon.core.dynamics.free_rotation import free_motion
from physplace_addon.core.dynamics.motion import Motion
from physplace_addon.core.mechanics.inertia import Inertia
from physplace_addon.core.rigid import quaternion_exponential, quaternion_matrix, quaternion_product

T_HANDLE = (0.5, 1.0, 1.4)  # three different moments: turns about the middle one are unstable
NO_GRAVITY = np.zeros(3)


def inertia_of(*moments: tuple[float, float, float]) -> Inertia:
    """Bodies of mass 2 whose principal axes are turned in their own frames."""
    count = len(moments)
    axes = quaternion_matrix(quaternion_exponential(np.linspace([0.3, -0.2, 0.9], [1.0, 0.5, -0.7], count)))
    return Inertia(np.full(count, 2.0), np.full(count, 1.5), np.zeros((count, 3)), axes, np.array(moments))


def motion_of(inertia: Inertia, principal_spin: Floats) -> Motion:
    """Bodies at the origin that spin at rates (m, 3) about their principal axes."""
    count = len(inertia)
    rotation = quaternion_exponential(np.linspace([-0.4, 1.1, 0.2], [0.1, 0.6, 2.0], count))
    spin = (quaternion_matrix(rotation) @ inertia.axes @ principal_spin[:, :, None])[:, :, 0]
    return Motion(np.zeros((count, 3)), rotation, np.concatenate([np.zeros((count, 3)), spin], axis=1))


def euler(inertia: Inertia, motion: Motion, time: float) -> tuple[Floats, Floats]:
    """The quaternion (4,) and the spin (3,), in the scene, of one body after a time, by Euler's equations."""

    def rates(_: float, state: Floats) -> Floats:
        own = inertia.axes[0] * inertia.moments[0] @ inertia.axes[0].T
        spin = state[4:]
        turning = 0.5 * quaternion_product(state[:4], np.r_[0.0, spin])
        acceleration = np.linalg.solve(own, np.cross(own @ spin, spin))
        return np.concatenate([turning, acceleration])

    start = quaternion_matrix(motion.rotation[0]).T @ motion.spin[0]
    end = solve_ivp(rates, (0, time), np.r_[motion.rotation[0], start], "DOP853", rtol=1e-12, atol=1e-12)
    rotation = end.y[:4, -1] / np.linalg.norm(end.y[:4, -1])
    return rotation, quaternion_matrix(rotation) @ end.y[4:, -1]


@pytest.mark.parametrize(("steps", "order"), [(FOURTH_ORDER, 4), (SIXTH_ORDER, 6), (EIGHTH_ORDER, 8)])
def test_the_steps_of_a_composition_obey_the_conditions_of_its_order(
    steps: tuple[float, ...], order: int
) -> None:
    assert sum(steps) == pytest.approx(1.0, abs=1e-15)
    for power in range(3, order, 2):
        assert sum(step**power for step in steps) == pytest.approx(0.0, abs=1e-15)
    assert steps == steps[::-1]


@pytest.mark.parametrize("h", [1 / 24, 1 / 240, 2.0])
def test_a_t_handle_turns_as_eulers_equations_say(h: float) -> None:
    inertia = inertia_of(T_HANDLE)
    motion = motion_of(inertia, np.array([[0.3, 7.0, -0.2]]))
    rotation, spin = euler(inertia, motion, 2.0)
    for _ in range(round(2.0 / h)):
        motion = free_motion(inertia, motion, NO_GRAVITY, h)
    assert motion.spin[0] == pytest.approx(spin, abs=1e-5)
    assert abs(motion.rotation[0] @ rotation) == pytest.approx(1.0, abs=1e-10)


@pytest.mark.slow
def test_a_tumbling_t_handle_keeps_its_energy_and_angular_momentum_over_a_thousand_turns() -> None:
    inertia = inertia_of(T_HANDLE)
    motion = motion_of(inertia, np.array([[1e-3, 2.0 * np.pi, 1e-3]]))
    energy, momentum = motion.kinetic_energy(inertia), motion.angular_momentum(inertia)
    furthest, flips = 0.0, 0
    middle = inertia.axes[0, :, 1]
    upward = True
    for _ in range(1000):
        motion = free_motion(inertia, motion, NO_GRAVITY, 1.0)
        furthest = max(furthest, abs(motion.kinetic_energy(inertia) / energy - 1.0))
        now = bool((quaternion_matrix(motion.rotation[0]) @ middle) @ momentum[0] > 0.0)
        flips, upward = flips + (now != upward), now
    assert furthest < 1e-6
    assert flips > 50
    change = np.linalg.norm(motion.angular_momentum(inertia) - momentum) / np.linalg.norm(momentum)
    assert change < 1e-12


def test_a_body_with_an_axis_of_symmetry_turns_exactly_at_any_step() -> None:
    inertia = inertia_of((1.0, 1.0, 2.0), (0.2, 1.0, 1.0), (1.0, 1.0, 1.0))
    motion = motion_of(inertia, np.array([[0.5, 3.0, 8.0], [9.0, -1.0, 0.3], [1.0, 2.0, 3.0]]))
    for body in range(3):
        one, alone = inertia.take(np.array([body])), motion.take(np.array([body]))
        rotation, spin = euler(one, alone, 5.0)
        end = free_motion(one, alone, NO_GRAVITY, 5.0)
        assert end.spin[0] == pytest.approx(spin, abs=1e-9)
        assert abs(end.rotation[0] @ rotation) == pytest.approx(1.0, abs=1e-14)


def test_a_motion_and_its_reverse_lead_back() -> None:
    inertia = inertia_of(T_HANDLE, (1.0, 1.2, 2.0))
    start = motion_of(inertia, np.array([[1.0, 5.0, -2.0], [0.1, 2.0, 0.3]]))
    gravity = np.array([0.0, 0.0, -9.81])
    back = free_motion(inertia, free_motion(inertia, start, gravity, 0.7), gravity, -0.7)
    assert back.rotation == pytest.approx(start.rotation, abs=1e-13)
    assert back.rates == pytest.approx(start.rates, abs=1e-12)
    assert back.centre == pytest.approx(start.centre, abs=1e-14)


def test_many_bodies_turn_as_each_does_alone() -> None:
    inertia = inertia_of(T_HANDLE, (1.0, 1.0, 2.0), (0.3, 0.31, 0.5))
    motion = motion_of(inertia, np.array([[1.0, 5.0, -2.0], [0.1, 2.0, 0.3], [4.0, 0.0, 1.0]]))
    together = free_motion(inertia, motion, NO_GRAVITY, 0.02)
    for body in range(3):
        alone = free_motion(inertia.take(np.array([body])), motion.take(np.array([body])), NO_GRAVITY, 0.02)
        assert together.spin[body] == pytest.approx(alone.spin[0], abs=1e-7)


def test_a_thrown_body_follows_its_parabola() -> None:
    inertia = inertia_of(T_HANDLE)
    start = Motion(np.array([[1.0, 2.0, 3.0]]), np.array([[1.0, 0, 0, 0]]), np.array([[2.0, 0, 4, 0, 0, 1]]))
    end = free_motion(inertia, start, np.array([0.0, 0.0, -10.0]), 0.5)
    assert end.centre[0] == pytest.approx([2.5, 2.0, 3.0 + 3.0 - 1.25], abs=1e-14)
    assert end.velocity(inertia)[0] == pytest.approx([3.0, 0.0, 1.0], abs=1e-14)
