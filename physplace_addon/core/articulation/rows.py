"""Rows of equations between two groups: their values, derivatives by twists, and how they bend.

Most rows are sums over their two groups of d . (t r + a): d a direction of the scene, r the centre of mass,
a = A c an arm fixed to the group, and t = 1 for a point r + a, 0 for a direction a alone.  A twist (dX / L,
dTheta) changes it by

    d . (t L dX / L + dTheta x a)  +  1/2 ((dTheta . d) (dTheta . a) - |dTheta|^2 d . a)  +  ...,

so that its block is (t L d, a x d), and its second derivative by the same group's turn is

    1/2 (d a' + a d') - (d . a) 1.

There is none by two groups, or by a shift: the Hessian of the Lagrangian is block diagonal, and K^-1 in the
normal equations is a matrix for each group.  Only axes at right angles, shifts, and coordinates of joints, as
those of stiff axes, bend by both of their groups (`RowBatch.hessians`): where goals contradict each other
joints are pressed so hard that Newton's method creeps without that.  The kinds:

    coincident points   p_B - p_A = 0, in the scene's axes: spherical joints, pins, point goals
    equal axes          a_j . b_k = 0, axes of two frames: pins, sliders, universal joints.  Where other rows
                        say that a_k = b_k, d = +-a_j and the arms are a_k and b_k
    shifts              A_k . (p_B - p_A) = 0 along the turning axes of a frame: sliders
    guided points       n . (p_A - s) = 0, s on a surface or curve of B, n its normal there

All lengths are over L.  A direction that turns with a group is taken as it is now, for the bend alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..arrays import ArrayRecord, Bools, Floats, Ints
from ..mechanics.inertia import Inertia
from ..mechanics.joints.equations import AnchorFrames, JointRows, Joints
from ..mechanics.joints.second_derivatives import coordinate_hessians, equation_hessians
from ..rigid import skew
from ..vectors import cross, dot
from .configuration import Configuration


@dataclass(frozen=True, eq=False)
class Rows(ArrayRecord):
    """n rows at one configuration.

    value (n,).  blocks (n, 2, 6): the derivatives by the twists of both groups; those of the world mean
    nothing.
    direction, arm (n, 2, 3): d and a of what bends; 0 where that is not known.
    """

    value: Floats
    blocks: Floats
    direction: Floats
    arm: Floats

    @classmethod
    def straight(cls, value: Floats, blocks: Floats) -> Rows:
        """Return rows whose bend is not known."""
        nothing = np.zeros((len(value), 2, 3))
        return cls(value, blocks, nothing, nothing)


class RowBatch(ABC):
    """Rows of one kind."""

    @property
    @abstractmethod
    def body(self) -> Ints:
        """The groups (n, 2) of the rows, FIXED for the world."""

    @property
    def bends_exactly(self) -> Bools:
        """Whether the directions and arms, or `hessians`, of rows (n,) that hold give all of their second
        derivatives.
        """
        return np.zeros(len(self.body), bool)

    @property
    def bends_both(self) -> bool:
        """Whether `hessians` gives how the rows bend, which directions and arms do not."""
        return False

    @abstractmethod
    def rows(self, configuration: Configuration) -> Rows:
        """Return the rows (n,) at a configuration."""

    def hessians(self, configuration: Configuration) -> Floats:
        """Return what directions and arms leave out of the second derivatives (n, 12, 12) of the rows by the
        twists of both groups, of a batch that bends both.
        """
        return np.zeros((len(self.body), 12, 12))


@dataclass(frozen=True, eq=False)
class CoincidentPoints(RowBatch):
    """Pairs of points that coincide: p_B - p_A = 0.

    pairs (k, 2): the groups A and B.  local (k, 2, 3): the points in their frames.  length: L.
    """

    pairs: Ints
    local: Floats
    length: float

    @property
    def body(self) -> Ints:
        """The groups (3 k, 2) of the rows."""
        return np.repeat(self.pairs, 3, axis=0)

    @property
    def bends_exactly(self) -> Bools:
        """That all of them do."""
        return np.ones(3 * len(self.pairs), bool)

    def rows(self, configuration: Configuration) -> Rows:
        """Return three rows a pair."""
        centre, matrix = configuration.frames
        arm = (matrix[self.pairs] @ self.local[..., None])[..., 0] / self.length
        point = centre[self.pairs] / self.length + arm
        constant, direction = _constant_parts(len(arm))
        blocks = constant.copy()
        turning = arm * _SIGNS
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):  # d of the axis i is e_i: its a x d has -a_k, a_j
            blocks[:, i, :, 3 + j] = turning[:, :, k]
            blocks[:, i, :, 3 + k] = -turning[:, :, j]
        value: Floats = (point[:, 1] - point[:, 0]).ravel()
        return Rows(value, blocks.reshape(-1, 2, 6), direction, np.repeat(arm, 3, axis=0))


_PLACES = np.stack([-np.eye(3), np.eye(3)], axis=1)  # (axis, group, direction)
_SIGNS = np.array([[-1.0], [1.0]])


@lru_cache(maxsize=16)
def _constant_parts(count: int) -> tuple[Floats, Floats]:
    """Return the blocks (k, 3, 2, 6) of coincident points without those by turns, and their directions."""
    blocks = np.zeros((count, 3, 2, 6))
    blocks[..., :3] = _PLACES
    direction = np.broadcast_to(_PLACES, (count, 3, 2, 3)).reshape(-1, 2, 3)
    blocks.flags.writeable = direction.flags.writeable = False
    return blocks, direction


@dataclass(frozen=True, eq=False)
class PerpendicularAxes(RowBatch):
    """Pairs of axes at right angles: u . v = 0, u fixed to group A and v to B.

    pairs (k, 2): the groups.  first, second (k, 3): u and v in their groups' frames.
    partner (k, 3): in the frame of A, the axis that is to equal v where other rows ask for that; NaN where
        none do.
    """

    pairs: Ints
    first: Floats
    second: Floats
    partner: Floats

    @property
    def body(self) -> Ints:
        """The groups (k, 2) of the rows."""
        return self.pairs

    @property
    def bends_exactly(self) -> Bools:
        """That all of them do."""
        return np.ones(len(self.pairs), bool)

    @property
    def bends_both(self) -> bool:
        """That axes without partners do."""
        return bool(np.isnan(self.partner).any())

    def hessians(self, configuration: Configuration) -> Floats:
        """Return (u . v) 1 - v u' by the turns of A and of B, of axes without partners."""
        _, matrix = configuration.frames
        u = _turned(matrix[self.pairs[:, 0]], self.first)
        v = _turned(matrix[self.pairs[:, 1]], self.second)
        mixed = dot(u, v)[:, None, None] * np.eye(3) - v[:, :, None] * u[:, None]
        mixed[~np.isnan(self.partner[:, 0])] = 0.0
        out = np.zeros((len(u), 12, 12))
        out[:, 3:6, 9:], out[:, 9:, 3:6] = mixed, mixed.transpose(0, 2, 1)
        return out

    def rows(self, configuration: Configuration) -> Rows:
        """Return a row a pair."""
        _, matrix = configuration.frames
        axes = matrix[self.pairs[:, 0]]
        u, v = _turned(axes, self.first), _turned(matrix[self.pairs[:, 1]], self.second)
        blocks = np.zeros((len(u), 2, 6))
        blocks[:, 0, 3:] = cross(u, v)
        blocks[:, 1, 3:] = -blocks[:, 0, 3:]
        alone = np.isnan(self.partner[:, :1])
        partner = _turned(axes, np.where(alone, 0.0, self.partner))
        direction = np.stack([np.where(alone, v, -u), u], axis=1)
        arm = np.stack([np.where(alone, u, partner), v], axis=1)
        return Rows(dot(u, v), blocks, direction, arm)


@dataclass(frozen=True, eq=False)
class FrameShifts(RowBatch):
    """Shifts along axes of turning frames: A_k . (p_B - p_A) = 0.

    pairs (k, 2): the groups.  local (k, 2, 3): the points.  axis (k, 3): A_k in the frame of the first.
        length: L.
    """

    pairs: Ints
    local: Floats
    axis: Floats
    length: float

    @property
    def body(self) -> Ints:
        """The groups (k, 2) of the rows."""
        return self.pairs

    @property
    def bends_exactly(self) -> Bools:
        """That all of them do."""
        return np.ones(len(self.pairs), bool)

    @property
    def bends_both(self) -> bool:
        """That they do: the axis x turns while the second point, with the arm c, moves."""
        return True

    def hessians(self, configuration: Configuration) -> Floats:
        """Return [x] by the turn of A and the shift of B, less the shift of A, and (x . c) 1 - c x' by both
        turns.
        """
        _, matrix = configuration.frames
        axis = _turned(matrix[self.pairs[:, 0]], self.axis)
        arm = _turned(matrix[self.pairs[:, 1]], self.local[:, 1]) / self.length
        half, across = np.zeros((len(axis), 12, 12)), skew(axis)
        half[:, 3:6, :3], half[:, 3:6, 6:9] = -across, across
        half[:, 3:6, 9:] = dot(axis, arm)[:, None, None] * np.eye(3) - arm[:, :, None] * axis[:, None]
        whole: Floats = half + half.transpose(0, 2, 1)
        return whole

    def rows(self, configuration: Configuration) -> Rows:
        """Return a row an axis."""
        centre, matrix = configuration.frames
        axes = matrix[self.pairs]
        arm = (axes @ self.local[..., None])[..., 0] / self.length
        point = centre[self.pairs] / self.length + arm
        apart = point[:, 1] - point[:, 0]
        axis = _turned(axes[:, 0], self.axis)
        arm[:, 0] += apart  # the first frame turns about its own centre, with what is at the second point
        direction = np.stack([-axis, axis], axis=1)
        blocks = np.concatenate([direction, cross(arm, direction)], axis=2)
        return Rows(dot(axis, apart), blocks, np.stack([axis, axis], axis=1), arm)


@dataclass(frozen=True, eq=False)
class JointAxes(RowBatch):
    """Axes of joints: their equations' residuals, or their coordinates less a target.

    joints: k of them.  inertia: of the groups.  joint, axis (n,): the rows.
    target (n,): of the coordinates, shifts over L and turns; NaN for the residual of an equation.
    near (k, 6): coordinates from which whole turns are counted.
    """

    joints: Joints
    inertia: Inertia
    joint: Ints
    axis: Ints
    target: Floats
    near: Floats

    @property
    def body(self) -> Ints:
        """The groups (n, 2) of the rows."""
        return self.joints.body[self.joint]

    @property
    def bends_exactly(self) -> Bools:
        """That all of them do."""
        return np.ones(len(self.joint), bool)

    @property
    def bends_both(self) -> bool:
        """That they do."""
        return True

    def rows(self, configuration: Configuration) -> Rows:
        """Return a row an axis."""
        frames = self._frames(configuration)
        if self._is_equation:
            at = self.joint, self.axis
            return Rows.straight(frames.residuals()[at], frames.residual_blocks()[at])
        value = frames.coordinates(self.near)[self.joint, self.axis] - self.target
        return Rows.straight(value, frames.coordinate_blocks()[self.joint, self.axis])

    def hessians(self, configuration: Configuration) -> Floats:
        """Return their second derivatives (n, 12, 12)."""
        frames, at = self._frames(configuration), (self.joint, self.axis)
        nothing = np.zeros(len(self.joint))
        if self._is_equation:
            blocks = frames.residual_blocks()[at]
            return equation_hessians(frames, JointRows(blocks, self.body, nothing, *at))
        blocks = frames.coordinate_blocks()[at]
        return coordinate_hessians(frames, JointRows(blocks, self.body, nothing, *at))

    @property
    def _is_equation(self) -> bool:
        return bool(np.isnan(self.target).all())

    def _frames(self, configuration: Configuration) -> AnchorFrames:
        return AnchorFrames.at(self.joints, self.inertia, configuration.centre, configuration.turn)


def merged(batches: Sequence[RowBatch]) -> list[RowBatch]:
    """Return batches of the same rows in the same order: neighbours with coincident points are one."""
    found: list[RowBatch] = []
    for batch in batches:
        last = found[-1] if found else None
        if isinstance(batch, CoincidentPoints) and isinstance(last, CoincidentPoints):
            pairs, local = (
                np.concatenate([last.pairs, batch.pairs]),
                np.concatenate([last.local, batch.local]),
            )
            found[-1] = CoincidentPoints(pairs, local, batch.length)
        else:
            found.append(batch)
    return found


def joined_rows(batches: Sequence[RowBatch], configuration: Configuration) -> Rows:
    """Return the rows of batches, one after the other."""
    parts = [batch.rows(configuration) for batch in batches]
    return parts[0] if len(parts) == 1 else Rows.join(parts)


def _turned(axes: Floats, local: Floats) -> Floats:
    turned: Floats = (axes @ local[..., None])[..., 0]
    return turned
