"""Ranges of the Euler angles of a turn: what artists set as limits of a joint with two or three free turns.

The turn of the second anchor frame B seen from the first one A is, in the order ijk,

    R = A' B = R_k(c) R_j(b) R_i(a),    sin b = -s R_ki,  tan a = s R_kj / R_kk,  tan c = s R_ji / R_ii,

s = 1 for the cyclic orders and -1 for the others, |b| <= pi/2.  With w = A' (dTheta_B - dTheta_A),

    w = dc e_k + db R_k e_j + da R_k R_j e_i,

and the dual basis of these three axes gives the rates: db = (R_k e_j) . w, since that axis is at right angles
to both others, and their determinant is -s cos b:

    cos b dc = -s (R_k e_j x R_k R_j e_i) . w,    cos b da = -s (e_k x R_k e_j) . w.

With e_i x e_j = s e_k and so on, the three vectors are

    cos b da:  cos c e_i + s sin c e_j,
    db:        -s sin c e_i + cos c e_j,
    cos b dc:  s sin b cos c e_i + sin b sin c e_j + cos b e_k.

At b = +-pi/2 the angles a and c have no meaning.  So their gaps to a limit are taken times cos b, with

    d(cos b g) = cos b dg - sin b g db,

which is finite everywhere, and has the same sign as g.  An angle counts with the whole turns that bring it
nearest to the middle of its range.  A locked angle is an equation of the same form.

A rotation does not tell a from a + 2 pi.  Counted from 0, a and c leap from pi to -pi, and so from one end of
a range that is open at the other to beyond its limit.  So such a range ends at half a turn.  b does not leap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..errors import JointError
from ..mechanics.joints import Anchors
from ..quaternions import matrices, products
from ..rigid import Pose, quaternion_exponential, skew
from .configuration import Configuration
from .constraints import Constraint, Grouping
from .rows import RowBatch, Rows

_ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


@dataclass(frozen=True, eq=False)
class EulerAngles(Constraint):
    """The Euler angles of a turn stay in their ranges.

    frame1, frame2: the anchor frames in the parts' own frames; in the scene for the world.
    order: "XYZ" for R_z R_y R_x, and so on.
    lower, upper (3,): of the angles about x, y and z, radians: infinite for none, equal for a locked one.
    """

    frame1: Pose
    frame2: Pose
    order: str
    lower: Floats
    upper: Floats

    @classmethod
    def of(cls, anchors: Anchors, order: str, lower: Floats, upper: Floats) -> EulerAngles:
        """Return the ranges of the angles between the anchor frames of a joint."""
        first, second = anchors.first, anchors.second
        return cls(anchors.name, first, second, anchors.frame1, anchors.frame2, order, lower, upper)

    def check(self, count: int) -> None:
        """Raise a JointError if the constraint has no meaning for a number of parts."""
        super().check(count)
        if self.order not in _ORDERS:
            raise JointError(self.name, f'its order of angles is "{self.order}"', f"choose one of {_ORDERS}")
        if not (self.lower <= self.upper).all():
            raise JointError(self.name, f"its ranges are {self.lower} to {self.upper}", "put the lower first")

    @property
    def locked(self) -> Bools:
        """Which angles (3,) are locked."""
        return np.asarray(self.lower == self.upper)

    def batch(self, groups: Grouping) -> RowBatch:
        """Return a row for each locked angle."""
        return AngleRows.of([self], groups, limits=False)


@dataclass(frozen=True, eq=False)
class AngleRows(RowBatch):
    """Angles of n turns less a target: locked ones, or gaps to limits.

    pairs (k, 2): the groups of the turns.
    turn (k, 2, 4): the anchor frames' quaternions in the groups' frames.
    axes (k, 3): i, j, k of the orders.  sign (k,): s.
    middle (k, 3): of the ranges by axis; 0 where one is infinite.
    number, position (n,): the turn of a row, and which of its angles: 0 for a, 1 for b, 2 for c.
    target (n,): of the angle.  way (n,): 1 for the angle less the target, -1 for the target less the angle.
    """

    pairs: Ints
    turn: Floats
    axes: Ints
    sign: Floats
    middle: Floats
    number: Ints
    position: Ints
    target: Floats
    way: Floats

    @classmethod
    def of(cls, constraints: Sequence[EulerAngles], groups: Grouping, *, limits: bool) -> AngleRows:
        """Return the rows of locked angles; with `limits`, the gaps of the others to their limits."""
        ends = [((each.first, each.frame1), (each.second, each.frame2)) for each in constraints]
        frames = [[groups.frame(part, frame) for part, frame in pair] for pair in ends]
        axes = np.array([["XYZ".index(letter) for letter in each.order] for each in constraints], np.intp)
        axes = axes.reshape(-1, 3)
        lower = np.array([each.lower for each in constraints]).reshape(-1, 3)
        upper = np.array([each.upper for each in constraints]).reshape(-1, 3)
        lower, upper = _closed(axes, lower, upper)
        with np.errstate(invalid="ignore"):
            middle = np.where(np.isfinite(lower + upper), 0.5 * (lower + upper), 0.0)
        number, position, target, way = [], [], [], []
        for bound, direction in ((lower, 1.0), (upper, -1.0)):
            mine = np.take_along_axis(bound, axes, axis=1)
            locked = np.take_along_axis(lower == upper, axes, axis=1)
            chosen = np.isfinite(mine) & ~locked if limits else locked & (direction > 0.0)
            rows, places = np.nonzero(chosen)
            number.append(rows)
            position.append(places)
            target.append(mine[rows, places])
            way.append(np.full(len(rows), direction))
        return cls(
            np.array([[group for group, _ in pair] for pair in frames], np.intp).reshape(-1, 2),
            np.array([[frame.rotation for _, frame in pair] for pair in frames]).reshape(-1, 2, 4),
            axes,
            np.where((axes[:, 1] - axes[:, 0]) % 3 == 1, 1.0, -1.0),
            middle,
            np.concatenate(number),
            np.concatenate(position),
            np.concatenate(target),
            np.concatenate(way),
        )

    @property
    def body(self) -> Ints:
        """The groups (n, 2) of the rows."""
        return self.pairs[self.number]

    def rows(self, configuration: Configuration) -> Rows:
        """Return a row for each angle."""
        if not len(self.number):
            return Rows.straight(np.zeros(0), np.zeros((0, 2, 6)))
        return self._at(configuration.turns[self.pairs])

    def _at(self, turn: Floats) -> Rows:
        """Return a row for each angle of turns between groups with quaternions (k, 2, 4)."""
        angles, rates, frame = self._angles(turn)
        each = np.arange(len(self.axes))[:, None]
        whole = self.middle[each, self.axes] - angles
        angles = angles + 2.0 * np.pi * np.round(whole / (2.0 * np.pi))
        at = self.number, self.position
        gap = self.way * (angles[at] - self.target)
        cosine, sine = np.cos(angles[:, 1]), np.sin(angles[:, 1])
        outer = self.position != 1
        share = np.where(outer, cosine[self.number], 1.0)
        change = self.way[:, None] * rates[at]  # of the gap, times cos b for outer angles
        bend = np.where(outer, sine[self.number] * gap, 0.0)
        change = change - bend[:, None] * rates[self.number, 1]
        blocks = np.zeros((len(gap), 2, 6))
        blocks[:, 1, 3:] = (frame[self.number] @ change[..., None])[..., 0]
        blocks[:, 0, 3:] = -blocks[:, 1, 3:]
        return Rows.straight(share * gap, blocks)

    def hessians(self, configuration: Configuration, rows: Ints | None = None) -> Floats:
        """Return the second derivatives f'' (n, 12, 12) by the twists of both groups, or those of some rows.

        Turns alone count.  Let c be a row by the second group's turn, in the scene, and D the symmetric part
        of its derivative along turns of that group, by central differences of exact rows.  With turns a and b
        of both, f is a function of exp(-a) exp(b) = exp(b - a - 1/2 a x b + ...), so that

            f'' = (b - a)' D (b - a) - c . (a x b).
        """
        chosen = self if rows is None else self._only(rows)
        count, each = len(chosen.axes), len(chosen.number)
        times = np.arange(7 * count) % count
        both = configuration.turns[chosen.pairs][times]
        both[:, 1] = products(_DIFFERENCES[np.arange(7 * count) // count], both[:, 1])
        found = chosen._repeated(7)._at(both)
        row = found.blocks[:, 1, 3:].reshape(7, each, 3)
        change = (row[1:4] - row[4:]).transpose(1, 2, 0) / (2.0 * _STEP)
        spread = 0.5 * (change + change.transpose(0, 2, 1))
        mixed = 0.5 * skew(row[0]) - spread
        out = np.zeros((each, 12, 12))
        out[:, 3:6, 3:6] = out[:, 9:, 9:] = spread
        out[:, 3:6, 9:] = mixed
        out[:, 9:, 3:6] = mixed.transpose(0, 2, 1)
        return out

    def _only(self, rows: Ints) -> AngleRows:
        """Return some rows, with the turns that these need alone."""
        turns, number = np.unique(self.number[rows], return_inverse=True)
        return self._taken(turns, number.ravel(), rows)

    def _repeated(self, times: int) -> AngleRows:
        """Return the rows several times, each with a turn of its own."""
        turns = np.arange(len(self.axes) * times) % len(self.axes)
        rows = np.arange(len(self.number) * times) % len(self.number)
        number = self.number + len(self.axes) * np.arange(times)[:, None]
        return self._taken(turns, number.ravel(), rows)

    def _taken(self, turns: Ints, number: Ints, rows: Ints) -> AngleRows:
        """Return some turns and rows; number (n,): which of these turns each row has."""
        return AngleRows(
            self.pairs[turns],
            self.turn[turns],
            self.axes[turns],
            self.sign[turns],
            self.middle[turns],
            number,
            self.position[rows],
            self.target[rows],
            self.way[rows],
        )

    def _angles(self, turn: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the angles (a, b, c) (k, 3), their rates by w (k, 3, 3), and A (k, 3, 3).

        The rates of a and c are taken times cos b.
        """
        frames = matrices(products(turn.reshape(-1, 4), self.turn.reshape(-1, 4))).reshape(-1, 2, 3, 3)
        first = frames[:, 0]
        seen = first.transpose(0, 2, 1) @ frames[:, 1]
        each = np.arange(len(seen))
        i, j, k = self.axes.T
        a = np.arctan2(self.sign * seen[each, k, j], seen[each, k, k])
        b = np.arcsin(np.clip(-self.sign * seen[each, k, i], -1.0, 1.0))
        c = np.arctan2(self.sign * seen[each, j, i], seen[each, i, i])
        sine, cosine, rates = np.sin(c), np.cos(c), np.zeros((len(seen), 3, 3))
        rates[each, 0, i], rates[each, 0, j] = cosine, self.sign * sine
        rates[each, 1, i], rates[each, 1, j] = -self.sign * sine, cosine
        lean = np.sin(b)
        rates[each, 2, i], rates[each, 2, j] = self.sign * lean * cosine, lean * sine
        rates[each, 2, k] = np.cos(b)
        return np.stack([a, b, c], axis=1), rates, first


_STEP = 1e-5  # radians, of differences
_DIFFERENCES = np.array(
    [quaternion_exponential(step * axis) for step in (0.0, _STEP, -_STEP) for axis in np.eye(3)]
)[2:]  # once not turned, then about each axis there, and back


def angle_limits(constraints: Sequence[Constraint], groups: Grouping) -> AngleRows | None:
    """Return the gaps of all limits of angles among constraints; None without any."""
    mine = [each for each in constraints if isinstance(each, EulerAngles)]
    rows = AngleRows.of(mine, groups, limits=True) if mine else None
    return rows if rows is not None and len(rows.number) else None


def _closed(axes: Ints, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Return ranges (k, 3) of angles by axis, with ends at half a turn of outer ones open at one side."""
    outer = np.arange(3) != axes[:, 1:2]
    above = outer & (np.abs(lower) <= np.pi) & np.isinf(upper)
    below = outer & (np.abs(upper) <= np.pi) & np.isinf(lower)
    return np.where(below, -np.pi, lower), np.where(above, np.pi, upper)
