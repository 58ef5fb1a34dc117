"""The coordinates of one body that is moved by hand: it is shifted or turned, all others stand still.

A shift keeps the orientation; a turn keeps the place of a pivot P.  Either has three coordinates, or as many
as axes are free: with an orthonormal basis B (3, k) of these,

    shift    dX = R_b B q,
    turn     dTheta = B q / L,    L R_b the farthest that a point of the body can be from P.

So |q| is the farthest that a point of the body moves, over its radius R_b.

With a = (X - P) / R_b, from the pivot to the centre of mass, a turn by dTheta shifts the centre of mass by
R_b (dTheta x a + 1/2 dTheta x (dTheta x a)) to second order.  So the derivative of the twists is T =
(-[a]x, 1) B / L, and their curvature, summed with a gradient J = (J_X, J_T) by the twists,

    sum_a J_a C_a = B' (1/2 (J_X a' + a J_X') - (J_X . a) 1) B / L^2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats
from ...contact.system import ContactSystem
from ...mechanics.coordinates import Coordinates
from ...rigid import Pose, quaternion_conjugate, quaternion_product, rotation_vector, skew

_DEPENDENT = 1e-9  # over the largest: a smaller singular value of the axes is rounding


@dataclass(frozen=True, eq=False)
class ManipulatedBody(Coordinates):
    """One body on its way to a target: shifted to its place, or turned about a pivot to its orientation.

    Attributes:
        body: its number among the moving bodies.
        target: the pose that it is brought to, in the solver's frame; only one half of it counts.
        pivot: the point (3,) that a turn keeps, in the solver's frame; None for a shift.
        basis: B (3, k), the orthonormal directions in which, or about which, it may move.
    """

    body: int
    target: Pose
    pivot: Floats | None
    basis: Floats

    @classmethod
    def of(cls, body: int, target: Pose, pivot: Floats | None, axes: Floats | None) -> ManipulatedBody:
        """Return the coordinates that leave free the span of axes (n, 3), of any length; None for all."""
        basis = np.eye(3)
        if axes is not None:
            vectors, sizes, _ = np.linalg.svd(np.asarray(axes, dtype=np.float64).reshape(-1, 3).T)
            span = vectors[:, : len(sizes)][:, sizes > _DEPENDENT * sizes.max(initial=0.0)]
            basis = span if span.shape[1] < 3 else basis
        return cls(body, target, pivot, basis)

    @property
    def moving(self) -> tuple[int, ...]:
        """The one body."""
        return (self.body,)

    def size(self, system: ContactSystem) -> int:
        """Return k, 0 to 3."""
        return int(self.basis.shape[1])

    def remaining(self, system: ContactSystem) -> Floats:
        """Return the change of coordinates (k,) that leads to the target, the shorter way round."""
        pose = system.poses[self.body]
        if self.pivot is None:
            shift: Floats = self.basis.T @ (self.target.translation - pose.translation) / self._radius(system)
            return shift
        turn = quaternion_product(self.target.rotation, quaternion_conjugate(pose.rotation))
        turned: Floats = self._lever(system, self.pivot) * (self.basis.T @ rotation_vector(turn))
        return turned

    def displaced(self, system: ContactSystem, x: Floats) -> ContactSystem:
        """Return the system with the body moved by x (k,); by all that remains, exactly to the target."""
        poses = list(system.poses)
        pose = poses[self.body]
        whole = self.basis.shape[1] == 3 and np.array_equal(x, self.remaining(system))
        if self.pivot is None:
            there = pose.translation + self._radius(system) * (self.basis @ x)
            poses[self.body] = Pose(pose.rotation, self.target.translation if whole else there)
        else:
            turn = self.basis @ x / self._lever(system, self.pivot)
            turned = pose.displaced(np.zeros(3), turn, self.pivot)
            poses[self.body] = Pose(self.target.rotation, turned.translation) if whole else turned
        return system.at(poses)

    def twists(self, system: ContactSystem) -> Floats:
        """Return T (6 m, k): zero but for the six rows of the body."""
        out = np.zeros((6 * len(system), self.basis.shape[1]))
        shift, turn = slice(6 * self.body, 6 * self.body + 3), slice(6 * self.body + 3, 6 * self.body + 6)
        if self.pivot is None:
            out[shift] = self.basis
        else:
            lever = self._lever(system, self.pivot)
            out[shift] = -skew(self._arm(system, self.pivot)) @ self.basis / lever
            out[turn] = self.basis / lever
        return out

    def curvature(self, system: ContactSystem, gradients: Floats) -> Floats:
        """Return how the turn of the centre of mass about the pivot bends gaps (n, k, k); 0 for a shift."""
        size = self.basis.shape[1]
        if self.pivot is None:
            return np.zeros((len(gradients), size, size))
        arm, shift = self._arm(system, self.pivot), gradients[:, 6 * self.body : 6 * self.body + 3]
        outer = 0.5 * shift[:, :, None] * arm
        bend = outer + outer.transpose(0, 2, 1) - (shift @ arm)[:, None, None] * np.eye(3)
        product: Floats = self.basis.T @ bend @ self.basis / self._lever(system, self.pivot) ** 2
        return product

    def lengths(self, system: ContactSystem, x: Floats) -> Floats:
        """Return |x| (1,): the farthest that a point of the body moves, over its radius."""
        return np.array([np.sqrt(np.einsum("i,i->", x, x))])

    def _radius(self, system: ContactSystem) -> float:
        return float(system.radii[self.body])

    def _arm(self, system: ContactSystem, pivot: Floats) -> Floats:
        arm: Floats = (system.centres[self.body] - pivot) / self._radius(system)
        return arm

    def _lever(self, system: ContactSystem, pivot: Floats) -> float:
        """Return L: how far, over R_b, a point of the body's box can be from the pivot."""
        tree, here = system.bodies[self.body].tree, system.poses[self.body].inverse().points(pivot)
        far = np.maximum(np.abs(tree.lower[0] - here), np.abs(tree.upper[0] - here))
        return float(np.sqrt(far @ far) / system.radii[self.body])
