"""The motion of rigid bodies that nothing touches: free rotation about the centre of mass, and its parabola.

The kinetic energy of rotation is, with the angular momentum P in principal axes and I_1 <= I_2 <= I_3,

    H = P_1^2 / 2 I_1 + P_2^2 / 2 I_2 + P_3^2 / 2 I_3
      = |P|^2 / 2 I_2 + b_1 P_1^2 / 2 + b_3 P_3^2 / 2,    b_i = 1 / I_i - 1 / I_2.

The three flows are exact rotations.  That of |P|^2 / 2 I_2 turns the body about the angular momentum L in the
scene by |L| h / I_2, leaves P alone, and commutes with the other two.  That of b_i P_i^2 / 2 turns the body
about its axis i by b_i P_i h, and leaves P_i alone.  So H is split into (1 3 1) rather than (1 2 3 2 1) with
three full energies (McLachlan 1993; Reich 1994): fewer rotations, and exact for a body with b_1 = 0 or b_3 =
0, an axis of symmetry.  The product is symmetric and of second order, and Suzuki's composition makes it one
of fourth.  L is left as it is, to the last bit: each flow turns P and the body by inverse rotations.

The steps.  The error of a step h comes from commutators of the two rates r_i = |b_i| |L|, and vanishes with
either; its leading terms in the smaller one, r, are r_max^4 r h^5.  Each body is given so many steps that
h (r_max^4 r)^(1/5) is at most a fixed angle.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..arrays import ArrayRecord, Floats
from ..mechanics.inertia import Inertia
from ..quaternions import matrices, products
from ..vectors import dot
from .composition import FOURTH_ORDER, strang_products
from .motion import Motion

_LONGEST_TURN = 0.1  # radians of (r_max^4 r)^(1/5) h in a step: keeps the energy of a T handle to 3e-8


@dataclass(frozen=True, eq=False)
class PrincipalAxes(ArrayRecord):
    """What free rotation needs of m bodies, in the order of their principal moments.

    axes (m, 3, 3): right-handed principal axes in the bodies' own frames, as columns, I_1 <= I_2 <= I_3.
    inverse (m, 3): 1 / I_i.  first, third (m,): b_1 >= 0 and b_3 <= 0.  All 1 / (mass length^2).
    """

    axes: Floats
    inverse: Floats
    first: Floats
    third: Floats

    @classmethod
    def of(cls, inertia: Inertia) -> PrincipalAxes:
        """Return the principal axes of bodies, whose moments may be in any order."""
        order = np.argsort(inertia.moments, axis=1, kind="stable")
        axes = np.take_along_axis(inertia.axes, order[:, None], axis=2)
        axes[:, :, 0] *= np.linalg.det(axes)[:, None]
        inverse = 1.0 / np.take_along_axis(inertia.moments, order, axis=1)
        return cls(axes, inverse, inverse[:, 0] - inverse[:, 1], inverse[:, 2] - inverse[:, 1])

    def in_scene(self, rotation: Floats) -> Floats:
        """Return the principal axes (m, 3, 3) in the scene of bodies turned by quaternions (m, 4)."""
        axes: Floats = matrices(rotation) @ self.axes
        return axes

    def inverse_tensors(self, in_scene: Floats) -> Floats:
        """Return the inverse inertia tensors (m, 3, 3) in the scene of bodies with axes (m, 3, 3) there."""
        tensors: Floats = (in_scene * self.inverse[:, None]) @ in_scene.transpose(0, 2, 1)
        return tensors


@lru_cache(maxsize=8)
def _axes_of(inertia: Inertia) -> PrincipalAxes:
    """Return the principal axes of bodies, found once for those that a scene moves again and again."""
    return PrincipalAxes.of(inertia)


def free_motion(inertia: Inertia, motion: Motion, gravity: Floats, h: float) -> Motion:
    """Return the motion of m bodies after a time h, s, in which only a uniform gravity acts on them.

    The centres of mass follow their parabolas exactly.

    Args:
        inertia: of the bodies.
        motion: at the beginning.
        gravity: acceleration (3,), lengths over s^2.
        h: time, s; it may be negative.
    """
    velocity = motion.velocity(inertia)
    momentum = motion.angular_momentum(inertia)
    axes = _axes_of(inertia)
    rotation = free_rotation(axes, motion.rotation, momentum, h)
    spin = (axes.inverse_tensors(axes.in_scene(rotation)) @ momentum[:, :, None])[:, :, 0]
    shift_rate = motion.rates[:, :3] + h * gravity / inertia.radius[:, None]
    centre = motion.centre + h * velocity + 0.5 * h * h * gravity
    return Motion(centre, rotation, np.concatenate([shift_rate, spin], axis=1))


def free_rotation(axes: PrincipalAxes, rotation: Floats, momentum: Floats, h: float) -> Floats:
    """Return how m bodies are turned after rotating freely for a time h, unit quaternions (m, 4).

    Args:
        axes: of the bodies.
        rotation: unit quaternions (m, 4) at the beginning.
        momentum: angular momenta L (m, 3) in the scene, mass times length^2 over s; they stay.
        h: time, s; it may be negative.
    """
    products = strang_products(FOURTH_ORDER, _steps(axes, momentum, h))
    return composed_rotation(axes, rotation, axes.in_scene(rotation), momentum, h, products)


def composed_rotation(
    axes: PrincipalAxes,
    rotation: Floats,
    in_scene: Floats,
    momentum: Floats,
    h: float,
    products: tuple[list[float], list[float]],
) -> Floats:
    """Return how m bodies are turned, as `free_rotation`, by a given product of rotations.

    Args:
        axes: of the bodies.
        rotation: unit quaternions (m, 4) at the beginning.
        in_scene: the principal axes (m, 3, 3) in the scene at the beginning.
        momentum: angular momenta L (m, 3) in the scene.
        h: time, s.
        products: times, over h, of the rotations about axis 1, and of those about axis 3 that follow each of
            them but the last.
    """
    first, third = products
    principal = (momentum[:, None] @ in_scene)[:, 0].T.copy()
    turn = np.zeros((4, len(rotation)))
    turn[0] = 1.0
    for one, three in zip(first, [*third, 0.0], strict=True):
        _turn(turn, principal, _FIRST, one * h * axes.first)
        if three:
            _turn(turn, principal, _THIRD, three * h * axes.third)
    return _turned(axes, rotation, momentum, h, turn)


def short_rotation(
    axes: PrincipalAxes, rotation: Floats, in_scene: Floats, momentum: Floats, h: float
) -> Floats:
    """Return how m bodies are turned (m, 4) by one (1 3 1), of second order; arguments as above.

    The half angles A, B, C of the three rotations multiply to the quaternion
    (cos B cos(A + C), cos B sin(A + C), sin B sin(C - A), sin B cos(C - A)) in principal axes.
    """
    one, two, three = (momentum[:, None] @ in_scene)[:, 0].T
    quarter, half = 0.25 * h * axes.first, 0.5 * h * axes.third
    before = quarter * one
    c, s = np.cos(2.0 * before), np.sin(2.0 * before)
    middle = half * (c * three - s * two)
    after = quarter * (np.cos(2.0 * middle) * one + np.sin(2.0 * middle) * (c * two + s * three))
    turn = np.empty((4, len(rotation)))
    cosine, sine, total, change = np.cos(middle), np.sin(middle), before + after, after - before
    turn[0], turn[1] = cosine * np.cos(total), cosine * np.sin(total)
    turn[2], turn[3] = sine * np.sin(change), sine * np.cos(change)
    return _turned(axes, rotation, momentum, h, turn)


def _turned(axes: PrincipalAxes, rotation: Floats, momentum: Floats, h: float, turn: Floats) -> Floats:
    """Return bodies (m, 4) turned by quaternions (4, m) in principal axes, then about their momenta."""
    own = np.empty((len(rotation), 4))
    own[:, 0] = turn[0]
    own[:, 1:] = (axes.axes @ turn[1:].T[:, :, None])[:, :, 0]
    about = np.empty((len(rotation), 4))
    size = np.sqrt(dot(momentum, momentum))
    half = (0.5 * h) * axes.inverse[:, 1] * size
    about[:, 0] = np.cos(half)
    about[:, 1:] = (np.sin(half) / np.where(size > 0.0, size, 1.0))[:, None] * momentum
    turned = products(about, products(rotation, own))
    unit: Floats = turned / np.sqrt(dot(turned, turned))[:, None]
    return unit


_FIRST, _THIRD = (0, 1, 2), (2, 0, 1)  # an axis and the next two, in the right-handed order


def _turn(turn: Floats, principal: Floats, order: tuple[int, int, int], time_over_moment: Floats) -> None:
    """Turn bodies about a principal axis by the angle b_i P_i h, in place.

    Args:
        turn: quaternions (4, m) in principal axes, multiplied from the right.
        principal: P (3, m).
        order: the axis and the next two.
        time_over_moment: h b_i (m,).
    """
    axis, next_axis, last_axis = order
    half = 0.5 * time_over_moment * principal[axis]
    c, s = np.cos(half), np.sin(half)
    w, x, y, z = turn[0], turn[1 + axis], turn[1 + next_axis], turn[1 + last_axis]
    turn[0], turn[1 + axis] = c * w - s * x, c * x + s * w
    turn[1 + next_axis], turn[1 + last_axis] = c * y + s * z, c * z - s * y
    cosine, sine = (c - s) * (c + s), 2.0 * s * c
    y, z = principal[next_axis], principal[last_axis]
    principal[next_axis], principal[last_axis] = cosine * y + sine * z, cosine * z - sine * y


def _steps(axes: PrincipalAxes, momentum: Floats, h: float) -> int:
    """Return the number of steps that the body which needs most of them needs."""
    one, other = np.abs(axes.first), np.abs(axes.third)
    rates = np.maximum(one, other) ** 0.8 * np.minimum(one, other) ** 0.2 * np.sqrt(dot(momentum, momentum))
    return max(1, int(np.ceil(abs(h) * rates.max(initial=0.0) / _LONGEST_TURN)))
