"""Rods on hinges about the scene's axis y, and what other equations say of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.integrate import solve_ivp

from physplace_addon.core.arrays import Floats
from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.dynamics.motion import Motion
from physplace_addon.core.mechanics.inertia import Inertia
from physplace_addon.core.mechanics.joints import FREE, Anchors, Axis, hinge
from physplace_addon.core.mechanics.joints.equations import Joints
from physplace_addon.core.rigid import Pose, quaternion_from_matrix

GRAVITY = 9.81
DOWN = (0.0, 0.0, -GRAVITY)
HINGE_FRAME = quaternion_from_matrix(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]))


@dataclass(frozen=True)
class Rods:
    """Rods from point to point; lengths (n,), masses (n,), moments (n,) about y through their middles."""

    inertia: Inertia
    poses: list[Pose]
    length: Floats

    @property
    def moment(self) -> Floats:
        return np.asarray(self.inertia.moments[:, 1])

    def at_rest(self) -> Motion:
        nothing = np.zeros((len(self.inertia), 3))
        return Motion.of(self.inertia, self.poses, nothing, nothing)


def along(angle: float) -> Floats:
    """The direction at an angle from straight down."""
    return np.array([np.sin(angle), 0.0, -np.cos(angle)])


def rods(ends: Sequence[tuple[Floats, Floats]]) -> Rods:
    """Rods of mass 1 + their length, of three different moments, between points of the plane y = 0."""
    poses, lengths = [], []
    for start, end in ends:
        size = float(np.linalg.norm(end - start))
        x = (end - start) / size
        y = np.array([0.0, 1.0, 0.0])
        matrix = np.stack([x, y, np.cross(x, y)], axis=1)
        poses.append(Pose(quaternion_from_matrix(matrix), 0.5 * (start + end)))
        lengths.append(size)
    length = np.array(lengths)
    mass = 1.0 + length
    moments = mass[:, None] * length[:, None] ** 2 * np.array([0.01, 1 / 12, 0.09])
    count = len(length)
    inertia = Inertia(mass, 0.5 * length, np.zeros((count, 3)), np.tile(np.eye(3), (count, 1, 1)), moments)
    return Rods(inertia, poses, length)


def hinges(
    bodies: Rods, pins: Sequence[tuple[int, int, Floats]], axes: Sequence[Axis] | None = None
) -> Joints:
    """Hinges (first, second, point) about y."""
    chosen = axes or [FREE] * len(pins)
    return Joints.of(
        [
            hinge(Anchors.at(f"pin {i}", first, second, Pose(HINGE_FRAME, at), bodies.poses), axis)
            for i, ((first, second, at), axis) in enumerate(zip(pins, chosen, strict=True))
        ],
        bodies.inertia,
    )


def chain(angles: Sequence[float], axes: Sequence[Axis] | None = None) -> tuple[Rods, Joints]:
    """Rods of length 1 that hang one from the other, the first from the origin."""
    points = [np.zeros(3)]
    for angle in angles:
        points.append(points[-1] + along(angle))
    bodies = rods(list(pairwise(points)))
    pins = [(i - 1 if i else FIXED, i, points[i]) for i in range(len(angles))]
    return bodies, hinges(bodies, pins, axes)


def energy(inertia: Inertia, motion: Motion) -> float:
    """Kinetic energy and that of gravity."""
    return motion.kinetic_energy(inertia) + GRAVITY * float((inertia.mass * motion.centre[:, 2]).sum())


def integrated(rates: Callable[[float, Floats], Floats], start: Floats, time: float) -> Floats:
    """The end of a solution of ordinary differential equations, to 1e-12."""
    end = solve_ivp(rates, (0.0, time), start, "DOP853", rtol=1e-12, atol=1e-12)
    return np.asarray(end.y[:, -1])


def double_pendulum(bodies: Rods, angles: tuple[float, float], time: float) -> Floats:
    """The two angles after a time from rest, by Lagrange's equations."""
    (m1, m2), (l1, l2), (i1, i2) = bodies.inertia.mass, bodies.length, bodies.moment
    own = np.array([i1 + m1 * l1**2 / 4 + m2 * l1**2, i2 + m2 * l2**2 / 4])
    coupling = m2 * l1 * l2 / 2
    weight = GRAVITY * np.array([m1 * l1 / 2 + m2 * l1, m2 * l2 / 2])

    def rates(_: float, state: Floats) -> Floats:
        change = state[0] - state[1]
        off = coupling * np.cos(change)
        bend = coupling * np.sin(change) * np.array([-(state[3] ** 2), state[2] ** 2])
        matrix = np.array([[own[0], off], [off, own[1]]])
        acceleration = np.linalg.solve(matrix, bend - weight * np.sin(state[:2]))
        return np.concatenate([state[2:], acceleration])

    return integrated(rates, np.array([*angles, 0.0, 0.0]), time)[:2]


@dataclass(frozen=True)
class FourBar:
    """A crank at the origin, a rocker at a second pivot, and a coupler between their ends.

    Angles are from the axis x towards z.
    """

    crank: float
    coupler: float
    rocker: float
    pivot: complex

    def points(self, angle: complex) -> tuple[tuple[complex, complex], tuple[complex, complex]]:
        """(x, z) of the ends of the crank and of the rocker; analytic in the crank's angle."""
        px, pz = self.crank * np.cos(angle), self.crank * np.sin(angle)
        wx, wz = self.pivot.real - px, self.pivot.imag - pz
        far = np.sqrt(wx**2 + wz**2)
        s = (far**2 + self.coupler**2 - self.rocker**2) / (2.0 * far)
        height = np.sqrt(self.coupler**2 - s**2)
        return (px, pz), (px + (s * wx - height * wz) / far, pz + (s * wz + height * wx) / far)

    def build(self, angle: float) -> tuple[Rods, Joints]:
        (px, pz), (qx, qz) = self.points(angle)
        origin, pivot = np.zeros(3), np.array([self.pivot.real, 0.0, self.pivot.imag])
        p, q = np.real(np.array([px, 0.0, pz])), np.real(np.array([qx, 0.0, qz]))
        bodies = rods([(origin, p), (p, q), (pivot, q)])
        pins = [(FIXED, 0, origin), (0, 1, p), (1, 2, q), (2, FIXED, pivot)]
        return bodies, hinges(bodies, pins)

    def end(self, bodies: Rods, angle: float, time: float) -> float:
        """The crank's angle after a time from rest: M a'' + M' a'^2 / 2 + V' = 0."""
        mass, moment = bodies.inertia.mass, bodies.moment
        step = 1e-30

        def mass_of(a: complex) -> complex:
            (px, pz), (qx, qz) = self.points(a)
            b = np.array([qx - px, qz - pz]) / self.coupler
            c = np.array([qx - self.pivot.real, qz - self.pivot.imag]) / self.rocker
            e = np.array([np.cos(a), np.sin(a)])
            turn_b = -self.crank * (e[1] * c[0] - e[0] * c[1]) / (self.coupler * (b[1] * c[0] - b[0] * c[1]))
            turn_c = self.crank * (e[1] * b[0] - e[0] * b[1]) / (self.rocker * (c[1] * b[0] - c[0] * b[1]))
            p_rate = self.crank * np.array([-e[1], e[0]])
            middle = p_rate + 0.5 * self.coupler * turn_b * np.array([-b[1], b[0]])
            total: complex = (moment[0] + mass[0] * self.crank**2 / 4) + moment[1] * turn_b**2
            total += mass[1] * (middle @ middle)
            total += (moment[2] + mass[2] * self.rocker**2 / 4) * turn_c**2
            return total

        def height(a: complex) -> complex:
            (_, pz), (_, qz) = self.points(a)
            raised: complex = (
                GRAVITY * (mass[0] * pz + mass[1] * (pz + qz) + mass[2] * (self.pivot.imag + qz)) / 2
            )
            return raised

        def rates(_: float, state: Floats) -> Floats:
            at = complex(state[0], step)
            inertia, weight = mass_of(at), height(at).imag / step
            acceleration = -(0.5 * inertia.imag / step * state[1] ** 2 + weight) / inertia.real
            return np.array([state[1], acceleration])

        return float(integrated(rates, np.array([angle, 0.0]), time)[0])
