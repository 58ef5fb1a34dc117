"""The second derivatives of joints' equations and coordinates by the twists of their two bodies.

Notation as in `equations`: frames A, (w, v), anchors p, arms r, and twists (dX, theta) of bodies A and B that
turn about their own centres of mass by exact rotations.  A' = theta x A, A'' = theta x (theta x A), and so
for arms.  x' H x is the second derivative along twists x = (dX_A, a, dX_B, b), lengths not yet over R.

Shifts.  d_k = A_k . l up to a constant, l = p_B - c_A, l' = dX_B + b x r_B - dX_A, l'' = b x (b x r_B):

    A_k'' . l + 2 A_k' . l' + A_k . l'',    (a x (a x A)) . l = (a . l) (a . A) - (A . l) |a|^2,
    2 (a x A) . l' = 2 a . [A]x l'.

Turns.  q = a* b goes to a* exp(-a) exp(b) b: with s = -|b - a|^2 / 4 and u = -1/2 a x b,

    q'' = s q + (0, A' u) q.

Let c be the row in the scene, f' = c . (b - a), of a turn f.  For f = 2 v_k that is

    f'' = -c . (a x b) - 1/2 v_k |b - a|^2,

and for the twist angle f = 2 atan2(v_k, w), n = w^2 + v_k^2, r = A (-w v + v_k (w e_k + v x e_k)),

    f'' = -c . (a x b) - (c . (b - a)) (r . (b - a)) / n,

as v_k'' and w'' have their parts with s in common.  r = 0 where the other two turns are zero.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from ...rigid import skew
from ...vectors import cross, dot
from .equations import AnchorFrames, JointRows

_EYE = np.eye(3)


def equation_hessians(frames: AnchorFrames, rows: JointRows) -> Floats:
    """Return the second derivatives (k, 12, 12) of the equations `rows`, by the twists of both bodies."""
    own = _OfRows(frames, rows)
    spread = -0.5 * np.take_along_axis(own.v, own.axis[:, None], axis=1)[:, :, None] * _EYE
    return own.hessians(spread)


def coordinate_hessians(frames: AnchorFrames, rows: JointRows, sign: Floats | None = None) -> Floats:
    """Return the second derivatives (k, 12, 12) of coordinates, by the twists of both bodies.

    Args:
        frames: of the joints.
        rows: coordinates, or limits of coordinates.
        sign: 1 or -1 (k,) for each row: -1 for one that is minus the coordinate; all 1 if it is None.
    """
    own = _OfRows(frames, rows)
    each, axis = np.arange(len(rows)), own.axis
    v_axis = own.v[each, axis][:, None]
    unit = _EYE[axis]
    inner = -own.w * own.v + v_axis * (own.w * unit + cross(own.v, unit))
    far = (own.axes @ inner[:, :, None])[:, :, 0]
    size = own.w**2 + v_axis**2
    outer = own.row[:, :, None] * (far / np.where(size > 0.0, size, 1.0))[:, None]
    return own.hessians(-0.5 * (outer + outer.transpose(0, 2, 1)), sign)


class _OfRows:
    """What the k rows need of their joints: axes A (k, 3, 3), v (k, 3), w (k, 1), the rows c (k, 3)."""

    def __init__(self, frames: AnchorFrames, rows: JointRows) -> None:
        joint = rows.joint
        self._shift = rows.axis < 3
        self.axis = rows.axis % 3
        self._count = len(rows)
        self.axes = frames.axes[joint]
        self.w, self.v = frames.turn[joint, :1], frames.turn[joint, 1:]
        self.row = rows.blocks[:, 1, 3:]
        self._radius = frames.radius[joint]
        self._length = frames.joints.length
        self._arm = frames.arms[joint, 1]
        self._lever = frames.arms[joint, 0] + frames.points[joint, 1] - frames.points[joint, 0]

    def hessians(self, spread: Floats, sign: Floats | None = None) -> Floats:
        """Return the second derivatives; spread (k, 3, 3): D in (b - a)' D (b - a), of turns."""
        factor = np.ones(self._count) if sign is None else sign
        shifts = factor[:, None, None] * self._of_shifts()  # rows of turns have their sign in c
        found = np.where(self._shift[:, None, None], shifts, self._of_turns(spread))
        # the columns of shifts are by dX, those of twists by dX / R_b
        units = np.ones((self._count, 2, 2, 3))
        units[:, :, 0] = self._radius[:, :, None]
        flat = units.reshape(self._count, 12)
        scaled: Floats = flat[:, :, None] * found * flat[:, None]
        return scaled

    def _of_turns(self, spread: Floats) -> Floats:
        out = np.zeros((self._count, 12, 12))
        mixed = 0.5 * skew(self.row) - spread
        out[:, 3:6, 3:6] = out[:, 9:, 9:] = spread
        out[:, 3:6, 9:] = mixed
        out[:, 9:, 3:6] = mixed.transpose(0, 2, 1)
        return out

    def _of_shifts(self) -> Floats:
        out = np.zeros((self._count, 12, 12))
        along = self.axes[np.arange(self._count), :, self.axis]
        turned = skew(along)
        out[:, 3:6, 3:6] = _bent(along, self._lever)
        out[:, 9:, 9:] = _bent(along, self._arm)
        out[:, 3:6, :3], out[:, 3:6, 6:9] = -turned, turned
        out[:, 3:6, 9:] = -turned @ skew(self._arm)
        lower = out[:, 3:6].copy()
        lower[:, :, 3:6] = 0.0
        out[:, :, 3:6] += lower.transpose(0, 2, 1)
        return out / self._length


def _bent(along: Floats, arm: Floats) -> Floats:
    """Return the matrices (k, 3, 3) of (t . r) (t . A) - (A . r) |t|^2."""
    outer = 0.5 * along[:, :, None] * arm[:, None]
    bent: Floats = outer + outer.transpose(0, 2, 1) - dot(along, arm)[:, None, None] * _EYE
    return bent
