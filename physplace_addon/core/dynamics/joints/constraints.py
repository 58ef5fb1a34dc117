"""Joints as parts of a velocity problem: equations and limits, motors, springs and dampers.

A step of h seconds is half a kick, a drift and half a kick.  With the coordinate x of an axis, its rate y, a
spring K and a damper C, whose multipliers are forces, the impulses of both halves are

    h/2 (-K ((x_0 + x_1) / 2 - r) - C y_d),    h/2 (-K ((x_0 + x_1) / 2 - r) - C ((1 - t) y_d + t y_1)),

y_d the rate in the drift and y_1 that at the end.  The spring alone is the midpoint rule, which keeps its
energy at any stiffness; what the path bends, x_1 - x_0 - h y_d, is found as that of other rows (`step`).  For
one damper alone on a mass 1 / E, with a = h/2 C E, the velocity is multiplied by

    (1 - (1 - t) a) / ((1 + a) (1 + t a)) = exp(-2 a)
    if    t = (a - s) / (a s),    s = 1 - (1 + a) exp(-2 a),

so t is that: 2/3 a where a is small, so that a step is of second order, and near 1 where it is large, so that
strong dampers do not overshoot.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from ...arrays import Bools, Floats
from ...mechanics.inertia import Inertia
from ...mechanics.joints.equations import (
    AnchorFrames,
    JointRows,
    Joints,
    coordinate_rows,
    equation_rows,
    limit_rows,
    motor_rows,
)
from ..motion import Motion, anchor_frames
from .forces import damped, sprung
from .loads import JointForces

AT_LIMIT = 1e-9  # gap of a limit, over R or radians, that is reached
_SMALL = 1e-3  # a below which t is a series


@dataclass(frozen=True, eq=False)
class JointTerms:
    """What joints are in a velocity problem: rows J by the rates u of twists, and conditions on J u and on
    the impulses l along them.

    held: J u equals its values.
    limits: J u is at least its values, l >= 0.
    motors: J u equals its values where |l| <= most (k,); elsewhere l is that, towards them.
    springs: l = its values - slope (p,) J u.
    """

    held: JointRows
    limits: JointRows
    motors: JointRows
    most: Floats
    springs: JointRows
    slope: Floats


class JointImpulses(NamedTuple):
    """The impulses along the rows of the four kinds of `JointTerms`."""

    held: Floats
    limits: Floats
    motors: Floats
    springs: Floats


@dataclass(frozen=True, eq=False)
class JointConstraints:
    """The rows of all joints where bodies are.

    held: locked axes.  limits: gaps to limits.  motors: driven coordinates, their values target rates, and
    greatest (k,), their greatest forces.  springs: coordinates with springs or dampers.
    coordinates (n, 6): of the joints, which turns are counted from.  frames: where they are.
    """

    held: JointRows
    limits: JointRows
    motors: JointRows
    greatest: Floats
    springs: JointRows
    coordinates: Floats
    joints: Joints
    inertia: Inertia
    frames: AnchorFrames

    @classmethod
    def at(cls, joints: Joints, inertia: Inertia, motion: Motion, coordinates: Floats) -> Self:
        """Return the rows of joints at a motion."""
        frames = anchor_frames(joints, inertia, motion)
        return cls(
            equation_rows(frames),
            limit_rows(frames, coordinates),
            *motor_rows(frames),
            _spring_rows(frames, coordinates),
            coordinates,
            joints,
            inertia,
            frames,
        )

    @property
    def nothing_missed(self) -> Floats:
        """Zeros for the held axes, the limits and the springs."""
        return np.zeros(len(self.held) + len(self.limits) + len(self.springs))

    def for_drift(self, missed: Floats, h: float, passing: Bools) -> JointTerms:
        """Return the terms with which h seconds with equal rates end where joints hold.

        missed: by how much residuals, gaps and the coordinates of springs end beside what the rates say.
        passing: limits (k,) that may be passed.
        """
        held, limits, bent = np.split(missed, [len(self.held), len(self.held) + len(self.limits)])
        stiffness, damping, rest = self._springs()
        pull = -0.5 * h * stiffness * (self.springs.value + 0.5 * bent - rest)
        return JointTerms(
            self.held.with_value(-(self.held.value + held) / h),
            self.limits.with_value(-(self.limits.value + limits) / h).take(~passing),
            self._within_limits(1.0 / h),
            0.5 * h * self.greatest,
            self.springs.with_value(pull),
            0.5 * h * (0.5 * h * stiffness + damping),
        )

    def for_rates(self) -> JointTerms:
        """Return the terms of rates with which joints hold on after an impact, in which springs and motors
        do nothing that has a bound.
        """
        unbounded = np.isinf(self.greatest)
        return JointTerms(
            self.held.with_value(np.zeros(len(self.held))),
            self.reached.with_value(np.zeros(len(self.reached))),
            self._within_limits(0.0).take(unbounded),
            self.greatest[unbounded],
            self.springs.take(slice(0)),
            np.zeros(0),
        )

    def for_end(
        self, before: Floats, rates: Floats, blocks: Floats, given: Bools, h: float, slow: float
    ) -> JointTerms:
        """Return the terms with which a step of h seconds ends; what runs into limits is left to an impact.

        Args:
            before: coordinates (n, 6) at its beginning.
            rates: (m, 6) with which bodies have drifted to its end.
            blocks: their mass matrices (m, 6, 6).
            given: whose motion (m,) is given.
            h: the step, s.
            slow: speed, lengths a second, above which it does.
        """
        stiffness, damping, rest = self._springs()
        springs = self.springs
        middle = 0.5 * (before[springs.joint, springs.axis] + springs.value)
        late = _implicit_share(0.5 * h * damping * compliance(springs, blocks, given))
        force = -stiffness * (middle - rest) - (1.0 - late) * damping * springs.rates(rates)
        reached = self.reached
        slowly = self.joints.length * reached.rates(rates) >= -slow
        return replace(
            self.for_rates(),
            limits=reached.take(slowly).with_value(np.zeros(int(slowly.sum()))),
            motors=self._within_limits(0.0),
            most=0.5 * h * self.greatest,
            springs=springs.with_value(0.5 * h * force),
            slope=0.5 * h * late * damping,
        )

    def missed(self, end: Motion, rates: Floats, h: float) -> Floats:
        """Return by how much residuals, gaps and the coordinates of springs end beside what rates (m, 6) say
        after h seconds.
        """
        frames = anchor_frames(self.joints, self.inertia, end)
        after = (
            equation_rows(frames),
            limit_rows(frames, self.coordinates),
            _spring_rows(frames, self.coordinates),
        )
        before = self.held, self.limits, self.springs
        return np.concatenate(
            [now.value - then.value - h * then.rates(rates) for now, then in zip(after, before, strict=True)]
        )

    @cached_property
    def reached(self) -> JointRows:
        """The limits that are reached, their values the gaps."""
        return self.limits.take(self.limits.value <= AT_LIMIT)

    def impulses_of(self, terms: JointTerms, along: JointImpulses) -> JointForces:
        """Return the impulses of joints on their second bodies from those along the rows of terms."""
        rows = JointRows.join([terms.held, terms.limits, terms.motors, terms.springs])
        return JointForces.of(self.frames, rows, np.concatenate(along))

    def _springs(self) -> tuple[Floats, Floats, Floats]:
        """Return the stiffness K, the damping C and the rest r (p,) of springs by their coordinates."""
        at, joints = (self.springs.joint, self.springs.axis), self.joints
        units = joints.units[self.springs.axis]
        return joints.stiffness[at] * units**2, joints.damping[at] * units**2, joints.rest[at] / units

    def _within_limits(self, per_second: float) -> JointRows:
        """Return the motors with target rates that their axes' limits leave: those that lead to them by
        gaps per second, 0 for none that lead beyond a limit that is reached.
        """
        at, joints = (self.motors.joint, self.motors.axis), self.joints
        units = joints.units[self.motors.axis]
        here = self.coordinates[at]
        gaps = [(joints.lower[at] / units - here), (joints.upper[at] / units - here)]
        if per_second > 0.0:
            lower, upper = (per_second * gap for gap in gaps)
        else:
            lower = np.where(gaps[0] >= -AT_LIMIT, 0.0, -np.inf)
            upper = np.where(gaps[1] <= AT_LIMIT, 0.0, np.inf)
        return self.motors.with_value(np.clip(self.motors.value, lower, upper))


def _spring_rows(frames: AnchorFrames, near: Floats) -> JointRows:
    """Return the coordinates that have springs or dampers, and their derivatives."""
    return coordinate_rows(frames, sprung(frames.joints) | damped(frames.joints), near)


def compliance(rows: JointRows, blocks: Floats, given: Bools) -> Floats:
    """Return E (p,), the rate along each row that an impulse 1 along it gives bodies that are free.

    blocks: the mass matrices (m, 6, 6).  given: whose motion (m,) is given, which nothing moves.
    """
    if not len(rows):
        return np.zeros(0)
    with_world = np.concatenate([np.linalg.inv(blocks), np.zeros((1, 6, 6))])
    with_world[:-1][given] = 0.0
    found: Floats = np.einsum("kbi,kbij,kbj->k", rows.blocks, with_world[rows.body], rows.blocks)
    return found


def _implicit_share(a: Floats) -> Floats:
    """Return t (p,) for a (p,)."""
    s = -np.expm1(-2.0 * a) - a * np.exp(-2.0 * a)
    large = a > _SMALL
    exact = (a - s) / np.where(large, a * s, 1.0)
    share: Floats = np.where(large, exact, 2.0 / 3.0 * a * (1.0 - a))
    return share
