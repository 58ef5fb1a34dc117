"""What a hand does with one of the bodies: it shifts or turns it, all others stand still.

A shift keeps the orientation, a turn keeps the place of a pivot P.  The motions are y = (dX / R, L dTheta),
one half of them zero, L R the farthest that a point of the body can be from P: so |y| is the farthest that a
point moves, over R.

With a = X - P, from the pivot to the centre of mass, dX = dTheta x a + 1/2 dTheta x (dTheta x a), and so,
from J = (J_X, J_T) and H by the body's own six motions,

    J_y = (J_T + a x J_X / R) / L,
    H_y = (T' H T + (1/2 (J_X a' + a J_X') - (J_X . a) 1) / R) / L^2,    T = (-[a]x / R, 1).
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np

from ...arrays import Floats
from ...contact.features import cross
from ...contact.points.interface_points import InterfacePoints
from ...contact.system import Assembly, Pair
from ...rigid import Pose, quaternion_conjugate, quaternion_product, rotation_vector, skew


@dataclass(frozen=True, eq=False)
class Hand:
    """What a hand does with one body: shift it to the target, or turn it about the pivot (3,) to the target's
    orientation.

    free (3, 3): the projection on the directions in which, or about which, it may move.
    """

    body: int
    target: Pose
    pivot: Floats | None
    free: Floats

    @classmethod
    def of(cls, body: int, target: Pose, pivot: Floats | None, axes: Floats | None) -> Hand:
        """axes (k, 3): the directions that are free, of any length; None: all."""
        if axes is None:
            return cls(body, target, pivot, np.eye(3))
        vectors, sizes, _ = np.linalg.svd(np.asarray(axes, dtype=np.float64).reshape(-1, 3).T)
        span = vectors[:, : len(sizes)][:, sizes > 1e-9 * sizes.max(initial=0.0)]
        return cls(body, target, pivot, span @ span.T)


@dataclass(frozen=True, eq=False)
class Held(Assembly):
    """An assembly that moves only as the hand moves one body, by y (6,); all others stand still."""

    hand: Hand = field(kw_only=True)

    @classmethod
    def by(cls, hand: Hand, assembly: Assembly) -> Held:
        """Take hold of a body of the assembly."""
        return cls(*(getattr(assembly, each.name) for each in fields(Assembly)), hand=hand)

    @property
    def pose(self) -> Pose:
        """Where the body stands that is held."""
        return self.poses[self.hand.body]

    @cached_property
    def scale(self) -> float:
        """R of the body that is held."""
        return float(self.radii[self.hand.body])

    @cached_property
    def lever(self) -> float:
        """L."""
        return lever(self, self.hand.body, self._pivot)

    @property
    def _pivot(self) -> Floats:
        assert self.hand.pivot is not None
        return self.hand.pivot

    @cached_property
    def asked(self) -> Floats:
        """y* (6,)."""
        out = np.zeros(6)
        if self.hand.pivot is None:
            out[:3] = self.hand.free @ (self.hand.target.translation - self.pose.translation) / self.scale
        else:
            turn = quaternion_product(self.hand.target.rotation, quaternion_conjugate(self.pose.rotation))
            out[3:] = self.lever * (self.hand.free @ rotation_vector(turn))
        return out

    def displaced(self, x: Floats) -> Held:
        """Move the body by y (6,); by all that is asked, exactly to where it is."""
        poses = list(self.poses)
        whole = np.array_equal(x, self.asked) and np.array_equal(self.hand.free, np.eye(3))
        if self.hand.pivot is None:
            there = self.hand.target.translation if whole else self.pose.translation + self.scale * x[:3]
            poses[self.hand.body] = Pose(self.pose.rotation, there)
        else:
            turned = self.pose.displaced(np.zeros(3), x[3:] / self.lever, self._pivot)
            exactly = Pose(self.hand.target.rotation, turned.translation)
            poses[self.hand.body] = exactly if whole else turned
        return replace(self, poses=tuple(poses))

    def pairs(self, reach: float) -> list[Pair]:
        """Those of the body that is held."""
        return [pair for pair in super().pairs(reach) if self.hand.body in pair]

    def gradients(self, points: InterfacePoints) -> Floats:
        """Return J_y (k, 6)."""
        own = super().gradients(points)[:, self._columns]
        out = np.zeros_like(own)
        if self.hand.pivot is None:
            out[:, :3] = own[:, :3] @ self.hand.free
        else:
            out[:, 3:] = (own[:, 3:] + cross(self._arm, own[:, :3])) @ self.hand.free / self.lever
        return out

    def hessians(self, points: InterfacePoints) -> Floats:
        """Return H_y (k, 6, 6)."""
        own = super().hessians(points)[:, self._columns, self._columns]
        out, free = np.zeros_like(own), self.hand.free
        if self.hand.pivot is None:
            out[:, :3, :3] = free @ own[:, :3, :3] @ free
            return out
        arm, shift = self._arm, super().gradients(points)[:, self._columns][:, :3]
        motion = np.concatenate([-skew(arm), np.eye(3)])
        outer = 0.5 * shift[:, :, None] * arm
        bend = outer + outer.transpose(0, 2, 1) - (shift @ arm)[:, None, None] * np.eye(3)
        out[:, 3:, 3:] = free @ (motion.T @ own @ motion + bend) @ free / self.lever**2
        return out

    @property
    def _columns(self) -> slice:
        return slice(6 * self.hand.body, 6 * self.hand.body + 6)

    @property
    def _arm(self) -> Floats:
        arm: Floats = (self.centres[self.hand.body] - self._pivot) / self.scale
        return arm


def lever(assembly: Assembly, body: int, pivot: Floats) -> float:
    """How far, over R, a point of a body can be from a pivot (3,): from its box, so it may be less."""
    tree, here = assembly.bodies[body].tree, assembly.poses[body].inverse().points(pivot)
    far = np.maximum(np.abs(tree.lower[0] - here), np.abs(tree.upper[0] - here))
    return float(np.sqrt(far @ far) / assembly.radii[body])
