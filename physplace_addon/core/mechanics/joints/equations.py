"""Joints as equations and inequalities of the bodies' twists, all joints and axes of one motion at once.

A joint of body A (first) and B has anchor frames (p_A, a) and (p_B, b) in the scene, with unit quaternions a
and b, the axes A = R(a), and r = p - c from the centre of mass.  What is measured in the frame of A is

    the shift d = A' (p_B - p_A),    and the turn (w, v) = a* b,

with v (3,) the vector part.  Small twists (dX, theta) of both bodies change them by

    d_k:  A_k . (dX_B + theta_B x r_B - dX_A - theta_A x (p_B - c_A)),
    v:    1/2 (w - [v]) A' (theta_B - theta_A),    w: -1/2 v . A' (theta_B - theta_A).

Equations.  A locked shift is d_k / R = 0, a locked turn 2 v_k = 0, R the greatest radius of the bodies.  The
rows of the locked v_k are orthonormal wherever these are zero, at any angle of the free ones: with v = z e_3
a hinge's are (w, -z, 0) and (z, w, 0), w^2 + z^2 = 1.  So no position of a hinge, a universal joint or a weld
is singular.

Coordinates.  A free shift is d_k / R.  A free turn is the twist angle phi_k = 2 atan2(v_k, w), the angle
itself where the other turns are locked, and its rate is

    (w (w, v x .)_k + v_k v .) A' (omega_B - omega_A) / (w^2 + v_k^2);

it has no meaning only where the frames' axes k are opposite.  atan2 gives it but for whole turns; these are
counted by asking for the angle that is nearest to one known before.

The twists are those of `mechanics.coordinates.FreeBodies`, (dX / R_b, theta) of each body, so that a row J of
a gap by the twists, a contact's or a limit's, and a row of a joint have the same columns.  The world's
columns are left out.  A multiplier of a row is a torque, or a force times R.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from ...arrays import SHARED, ArrayRecord, Bools, Floats, Ints
from ...contact.system import FIXED
from ...quaternions import matrices, products, relative_turns
from ...rigid import skew
from ...vectors import length
from ..inertia import Inertia
from .kinds import Joint, Motor, Spring

_ALIGNMENTS = 3  # of frames that are almost aligned: each squares what is left
_NO_SPRING = Spring()
_NO_MOTOR = Motor(np.nan)


@dataclass(frozen=True, eq=False)
class Joints(ArrayRecord):
    """The joints of m bodies as arrays of n rows.

    body (n, 2): the numbers of the first and the second body, FIXED for the world.
    turn (n, 2, 4): the anchor frames' unit quaternions in the bodies' own frames.
    arm (n, 2, 3): from the centres of mass to the anchors, in the anchors' axes, lengths.
    locked (n, 6): the axes that are equations, shifts first.
    lower, upper, stiffness, damping, rest (n, 6): of `Axis` and `Spring`.
    speed, greatest (n, 6): of `Motor`; speed is NaN where there is none.
    restitution (n, 6): of `Axis`.
    strength (n, 2), seconds (n,): the greatest force and torque, and the time of impacts, of `Strength`.
    collide (n,): whether the two bodies may not go through each other.
    number (n,): which they are of those that `of` was given; names: of all of these.
    length: R.
    """

    body: Ints
    turn: Floats
    arm: Floats
    locked: Bools
    lower: Floats
    upper: Floats
    stiffness: Floats
    damping: Floats
    rest: Floats
    speed: Floats
    greatest: Floats
    restitution: Floats
    strength: Floats
    seconds: Floats
    collide: Bools
    number: Ints
    length: float = field(metadata=SHARED)
    names: tuple[str, ...] = field(metadata=SHARED)

    def __len__(self) -> int:
        return len(self.body)

    @classmethod
    def of(cls, joints: Sequence[Joint], inertia: Inertia) -> Joints:
        """Return joints of bodies as arrays.

        Raises:
            JointError: a joint has no meaning.
        """
        for joint in joints:
            joint.check(len(inertia))
        anchors = [joint.anchors for joint in joints]
        body = np.array([(each.first, each.second) for each in anchors], np.intp).reshape(-1, 2)
        frames = [frame for each in anchors for frame in (each.frame1, each.frame2)]
        centre = np.concatenate([inertia.centre, np.zeros((1, 3))])[body.ravel()]
        arms = [(frame.translation - own) @ frame.matrix for frame, own in zip(frames, centre, strict=True)]
        axes = [axis for joint in joints for axis in joint.axes]
        springs = [axis.spring or _NO_SPRING for axis in axes]
        motors = [axis.motor or _NO_MOTOR for axis in axes]
        return cls(
            body,
            np.array([frame.rotation for frame in frames]).reshape(-1, 2, 4),
            np.array(arms).reshape(-1, 2, 3),
            np.array([axis.locked for axis in axes], np.bool_).reshape(-1, 6),
            _by_axis([axis.lower for axis in axes]),
            _by_axis([axis.upper for axis in axes]),
            _by_axis([spring.stiffness for spring in springs]),
            _by_axis([spring.damping for spring in springs]),
            _by_axis([spring.rest for spring in springs]),
            _by_axis([motor.speed for motor in motors]),
            _by_axis([motor.greatest for motor in motors]),
            _by_axis([axis.restitution for axis in axes]),
            np.array([(each.strength.force, each.strength.torque) for each in joints]).reshape(-1, 2),
            np.array([joint.strength.seconds for joint in joints], np.float64),
            np.array([joint.collide for joint in joints], np.bool_),
            np.arange(len(joints)),
            float(inertia.radius.max()),
            tuple(each.name for each in anchors),
        )

    def name(self, row: int) -> str:
        """Return the name of the joint in a row."""
        return self.names[int(self.number[row])]

    def linkages(self, count: int) -> Ints:
        """Return for each of m bodies the number of the linkage that joints make it a part of."""
        both = self.body[(self.body != FIXED).all(axis=1)]
        graph = sparse.coo_array((np.ones(len(both)), (both[:, 0], both[:, 1])), (count, count))
        return np.asarray(connected_components(graph, directed=False)[1], np.intp)

    def seated(self, frames: AnchorFrames) -> Joints:
        """Return the joints with first anchors moved and turned along locked axes to where second ones are:
        so they are closed at their frames, whose residuals are small.
        """
        locked, turn = self.locked[:, 3:], frames.turn
        free = np.where(locked[:, :, None] & locked[:, None], 0.0, np.eye(3))
        aligned = _UNTURNED.repeat(len(self), axis=0)
        for _ in range(_ALIGNMENTS):
            lack = np.where(locked, turn[:, 1:], 0.0)
            change = turn[:, 0, None, None] * np.eye(3) - skew(turn[:, 1:])
            change = np.where(locked[:, :, None] & locked[:, None], change, 0.0) + free
            by = np.linalg.solve(change, lack[:, :, None])[:, :, 0]
            by = np.concatenate([np.ones((len(self), 1)), by], axis=1)
            by /= length(by)[:, None]
            aligned, turn = products(aligned, by), relative_turns(by, turn)
        back = matrices(aligned).transpose(0, 2, 1)
        arm, turned = self.arm.copy(), self.turn.copy()
        shift = ((frames.points[:, 1] - frames.points[:, 0])[:, None] @ frames.axes)[:, 0]
        arm[:, 0] = (back @ self.arm[:, 0, :, None])[:, :, 0]
        arm[:, 0] += np.where(self.locked[:, :3], (back @ shift[:, :, None])[:, :, 0], 0.0)
        turned[:, 0] = products(self.turn[:, 0], aligned)
        return replace(self, arm=arm, turn=turned)

    @property
    def units(self) -> Floats:
        """What a coordinate of each axis (6,) is multiplied with for its length or radians."""
        return np.array([self.length] * 3 + [1.0] * 3)


def _by_axis(values: Sequence[float]) -> Floats:
    return np.array(values, np.float64).reshape(-1, 6)


@dataclass(frozen=True, eq=False)
class JointRows(ArrayRecord):
    """k rows by the twists of a joint's two bodies.

    blocks (k, 2, 6): by (dX / R_b, dTheta) of the first and of the second body; what it is for the world has
        no meaning.
    body (k, 2): these.
    value (k,): what the rows are the derivative of.
    joint, axis (k,): where a row belongs to.
    """

    blocks: Floats
    body: Ints
    value: Floats
    joint: Ints
    axis: Ints

    def __len__(self) -> int:
        return len(self.value)

    def dense(self, count: int) -> Floats:
        """Return the rows (k, 6 m) by the twists of m bodies."""
        rows = np.zeros((len(self), count + 1, 6))
        each = np.arange(len(self))
        rows[each, self.body[:, 0]] = self.blocks[:, 0]
        rows[each, self.body[:, 1]] = self.blocks[:, 1]
        return rows[:, :count].reshape(len(self), 6 * count)

    def sparse(self, count: int) -> sparse.csr_array:
        """Return the rows (k, 6 m) by the twists of m bodies."""
        moving = np.repeat(self.body != FIXED, 6)
        columns = (6 * self.body[:, :, None] + np.arange(6)).ravel()[moving]
        starts = np.concatenate([[0], np.cumsum(6 * (self.body != FIXED).sum(axis=1))])
        return sparse.csr_array((self.blocks.ravel()[moving], columns, starts), (len(self), 6 * count))

    def rates(self, rates: Floats) -> Floats:
        """Return the rates of the rows' values (k,) for rates of twists (m, 6)."""
        with_world = np.concatenate([rates, np.zeros((1, 6))])
        products: Floats = (self.blocks * with_world[self.body]).sum(axis=(1, 2))
        return products

    def wrench(self, multipliers: Floats, count: int) -> Floats:
        """Return the wrench (m, 6) on m bodies by the rates of twists of multipliers (k,)."""
        total = np.zeros((count + 1, 6))
        np.add.at(total, self.body, self.blocks * multipliers[:, None, None])
        return total[:count]

    def with_value(self, value: Floats) -> JointRows:
        """Return the rows with other values (k,)."""
        return JointRows(self.blocks, self.body, value, self.joint, self.axis)


@dataclass(frozen=True, eq=False)
class AnchorFrames:
    """Where the anchor frames of n joints are.

    axes (n, 3, 3): A, the first frames' axes in the scene as columns.
    points (n, 2, 3): the anchors p in the scene.
    arms (n, 2, 3): r from the centres of mass to the anchors, in the scene.
    turn (n, 4): (w, v), the second frames seen from the first.
    radius (n, 2): R_b of both bodies, 0 for the world.
    """

    joints: Joints
    axes: Floats
    points: Floats
    arms: Floats
    turn: Floats
    radius: Floats

    @classmethod
    def at(cls, joints: Joints, inertia: Inertia, centre: Floats, rotation: Floats) -> AnchorFrames:
        """Return the frames for bodies with centres of mass (m, 3) and unit quaternions (m, 4)."""
        body = joints.body.ravel()
        frames = products(_with_world(rotation, _UNTURNED)[body], joints.turn.reshape(-1, 4))
        axes = matrices(frames)
        arms = (axes @ joints.arm.reshape(-1, 3, 1))[:, :, 0]
        points = _with_world(centre, _ORIGIN)[body] + arms
        turn = relative_turns(frames[::2], frames[1::2])
        radius = _with_world(inertia.radius[:, None], _NO_RADIUS)[joints.body, 0]
        return cls(joints, axes[::2], points.reshape(-1, 2, 3), arms.reshape(-1, 2, 3), turn, radius)

    def residuals(self) -> Floats:
        """Return d / R and 2 v (n, 6)."""
        shift = ((self.points[:, 1] - self.points[:, 0])[:, None] @ self.axes)[:, 0] / self.joints.length
        return np.concatenate([shift, 2.0 * self.turn[:, 1:]], axis=1)

    def coordinates(self, near: Floats | None = None) -> Floats:
        """Return d / R and phi (n, 6), the turns nearest to those of coordinates known before (n, 6).

        With nothing known, a turn is from -pi to pi, or whole turns away from there if it is then within its
        limits.
        """
        values = self.residuals()
        raw = 2.0 * np.arctan2(self.turn[:, 1:], self.turn[:, :1])
        if near is not None:
            values[:, 3:] = _turns_near(raw, near[:, 3:])
            return values
        lower, upper = self.joints.lower[:, 3:], self.joints.upper[:, 3:]
        limited = np.isfinite(lower) & np.isfinite(upper)
        middle = np.zeros_like(raw)
        middle[limited] = 0.5 * (lower[limited] + upper[limited])
        within, principal = _turns_near(raw, middle), _turns_near(raw, np.zeros_like(raw))
        holds = limited & (within >= lower - _ROUNDING) & (within <= upper + _ROUNDING)
        values[:, 3:] = np.where(holds, within, principal)
        return values

    def residual_blocks(self) -> Floats:
        """Return the derivatives (n, 6, 2, 6) of the residuals by the twists of both bodies."""
        w, v = self.turn[:, 0, None, None], self.turn[:, 1:]
        return self._blocks(w * np.eye(3) - skew(v))

    def coordinate_blocks(self) -> Floats:
        """Return the derivatives (n, 6, 2, 6) of the coordinates by the twists of both bodies."""
        w, v = self.turn[:, :1], self.turn[:, 1:]
        change = w[..., None] * (w[..., None] * np.eye(3) - skew(v)) + v[:, :, None] * v[:, None]
        size = w**2 + v**2
        return self._blocks(change / np.where(size > 0.0, size, 1.0)[..., None])

    def _blocks(self, turning: Floats) -> Floats:
        """Return the derivatives of the shifts / R, and of turns by A' (theta_B - theta_A) (n, 3, 3)."""
        blocks = np.empty((len(self.turn), 6, 2, 6))
        rows = self.axes.transpose(0, 2, 1)
        over = 1.0 / self.joints.length
        lever = self.arms[:, 0] + self.points[:, 1] - self.points[:, 0]
        blocks[:, :3, 0, :3] = (-over * self.radius[:, 0])[:, None, None] * rows
        blocks[:, :3, 1, :3] = (over * self.radius[:, 1])[:, None, None] * rows
        blocks[:, :3, 0, 3:] = rows @ (over * skew(lever))
        blocks[:, :3, 1, 3:] = rows @ (-over * skew(self.arms[:, 1]))
        blocks[:, 3:, :, :3] = 0.0
        blocks[:, 3:, 1, 3:] = turning @ rows
        blocks[:, 3:, 0, 3:] = -blocks[:, 3:, 1, 3:]
        return blocks


def _turns_near(raw: Floats, known: Floats) -> Floats:
    """Return turns with the whole turns that bring them nearest to known ones, radians."""
    turns: Floats = raw + 2.0 * np.pi * np.round((known - raw) / (2.0 * np.pi))
    return turns


_ROUNDING = 1e-4  # radians that single precision may put a turn beyond a limit
_ORIGIN = np.zeros((1, 3))
_UNTURNED = np.array([[1.0, 0.0, 0.0, 0.0]])
_NO_RADIUS = np.zeros((1, 1))


def _with_world(values: Floats, of_world: Floats) -> Floats:
    """Return the bodies' values with the world's as the last, which FIXED = -1 chooses."""
    return np.concatenate([values, of_world])


def equation_rows(frames: AnchorFrames) -> JointRows:
    """Return the equations of all locked axes: Phi (q,) and its derivatives."""
    joint, axis = np.nonzero(frames.joints.locked)
    return _rows(frames, joint, axis, frames.residual_blocks(), frames.residuals())


def coordinate_rows(frames: AnchorFrames, chosen: Bools, near: Floats | None = None) -> JointRows:
    """Return the coordinates of chosen axes (n, 6) and their derivatives.

    Args:
        frames: of the joints.
        chosen: the axes (n, 6).
        near: coordinates (n, 6) known before, to count whole turns from.
    """
    joint, axis = np.nonzero(chosen)
    return _rows(frames, joint, axis, frames.coordinate_blocks(), frames.coordinates(near))


def limit_rows(frames: AnchorFrames, near: Floats | None = None) -> JointRows:
    """Return the gaps between coordinates and their limits, lower ones first, >= 0, and their derivatives.

    Those of shifts are over R; axes without a limit have no row.
    """
    joints = frames.joints
    units, blocks, values = joints.units, frames.coordinate_blocks(), frames.coordinates(near)
    lower, upper = (
        _rows(frames, joint, axis, blocks, values)
        for joint, axis in (np.nonzero(np.isfinite(end)) for end in (joints.lower, joints.upper))
    )
    over = lower.value - (joints.lower / units)[lower.joint, lower.axis]
    under = (joints.upper / units)[upper.joint, upper.axis] - upper.value
    negative = JointRows(-upper.blocks, upper.body, under, upper.joint, upper.axis)
    return JointRows.join([lower.with_value(over), negative])


def motor_rows(frames: AnchorFrames) -> tuple[JointRows, Floats]:
    """Return the driven coordinates, value the target rates (k,), and the greatest multipliers (k,)."""
    joints = frames.joints
    rows = coordinate_rows(frames, ~np.isnan(joints.speed))
    greatest = (joints.greatest * joints.units)[rows.joint, rows.axis]
    return rows.with_value((joints.speed / joints.units)[rows.joint, rows.axis]), greatest


def _rows(frames: AnchorFrames, joint: Ints, axis: Ints, blocks: Floats, values: Floats) -> JointRows:
    return JointRows(blocks[joint, axis], frames.joints.body[joint], values[joint, axis], joint, axis)
