"""What may move: coordinates q (d,) of a contact system, and the chain rule that gaps and wrenches obey.

A contact system differentiates gaps by the twists of its m bodies: six numbers a body, x = (dX_b / R_b,
dTheta_b), the shift of its own centre of mass, over its own radius, and its rotation vector.  A kind of
coordinates says which poses a change of q leads to, and how x follows from it to second order,

    x(dq) = T dq + 1/2 dq' C dq + ...,    T (6 m, d),  C_a (d, d) symmetric for each a of the 6 m.

All else is the chain rule: with J (6 m,) and H (6 m, 6 m) of a gap by the twists, and a wrench w (6 m,),

    J_q = J T,    H_q = T' H T + sum_a J_a C_a,    w_q = T' w.

So every solver shares every line of contact code.  Placement moves free bodies (`FreeBodies`), manipulation
moves one (`placement.manipulation.coordinates`), and a new kind is one small class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace

import numpy as np

from ..arrays import Floats, Ints
from ..contact.system import ContactSystem, InterfacePoints
from ..optimization.step_qp import TrustRegion

_ROUNDING = 1e-12  # motion, over R_b, that is rounding


class Coordinates(ABC):
    """One kind of coordinates.  It is a value: the system that it moves is given to each method."""

    @property
    def moving(self) -> tuple[int, ...] | None:
        """The numbers of the bodies that may move, None for all: pairs of others are not searched."""
        return None

    @abstractmethod
    def size(self, system: ContactSystem) -> int:
        """Return d, the number of coordinates."""

    @abstractmethod
    def displaced(self, system: ContactSystem, x: Floats) -> ContactSystem:
        """Return the system with its coordinates changed by x (d,), exactly, however large x is."""

    @abstractmethod
    def twists(self, system: ContactSystem) -> Floats:
        """Return T (6 m, d), the derivative of the bodies' twists (dX / R_b, dTheta) by the coordinates."""

    @abstractmethod
    def curvature(self, system: ContactSystem, gradients: Floats) -> Floats:
        """Return sum_a J_a C_a (k, d, d) for gradients J (k, 6 m) by the twists: what the paths of the bodies
        bend, in the direction of each gradient.
        """

    def gradients(self, system: ContactSystem, points: InterfacePoints) -> Floats:
        """Return the derivatives J_q (k, d) of the points' gap / R by the coordinates."""
        product: Floats = system.gradients(points) @ self.twists(system)
        return product

    def hessians(self, system: ContactSystem, points: InterfacePoints) -> Floats:
        """Return the second derivatives H_q (k, d, d) of the points' gap / R by the coordinates."""
        twists = self.twists(system)
        bending = self.curvature(system, system.gradients(points))
        product: Floats = twists.T @ system.hessians(points) @ twists + bending
        return product

    def wrench(self, system: ContactSystem, wrench: Floats) -> Floats:
        """Return the generalized force T' w (d,) of a wrench w (6 m,) on the bodies."""
        product: Floats = self.twists(system).T @ wrench
        return product

    def stiffness(self, system: ContactSystem, stiffness: Floats, wrench: Floats) -> Floats:
        """Return the energy's curvature T' K T - sum_a w_a C_a (d, d) by the coordinates.

        Args:
            system: the bodies.
            stiffness: K (6 m, 6 m), its curvature by the twists.
            wrench: w (6 m,), minus its gradient by the twists.
        """
        twists = self.twists(system)
        product: Floats = twists.T @ stiffness @ twists - self.curvature(system, wrench[None])[0]
        return product

    def of_blocks(self, values: Floats) -> Floats:
        """Return for each block (b,) the greatest of the bodies' values (m,)."""
        return np.array([values.max() if self.moving is None else values[list(self.moving)].max()])

    def blocks(self, system: ContactSystem) -> Ints:
        """Return the block (d,) that each coordinate belongs to in a trust region: one for all."""
        return np.zeros(self.size(system), np.intp)

    def lengths(self, system: ContactSystem, x: Floats) -> Floats:
        """Return the farthest, over R_b, that a point of a body moves by x (d,), for each block (b,).

        It is to first order: no point of a body is farther than R_b from its centre of mass, as a rule.
        """
        return np.array([_of_twists(self.twists(system) @ x).max()])

    def length(self, system: ContactSystem, x: Floats) -> float:
        """Return the greatest of the `lengths` of x (d,)."""
        return float(self.lengths(system, x).max())

    def trust_region(self, system: ContactSystem, radius: float | Floats) -> TrustRegion:
        """Return the region of steps whose blocks are no longer than a radius, over R_b: one for all or
        (b,).
        """
        return TrustRegion(radius, self.blocks(system), lambda x: self.lengths(system, x))


class FreeBodies(Coordinates):
    """Every body moves freely: the coordinates are the twists themselves, a block of six for each body."""

    def size(self, system: ContactSystem) -> int:
        """Return 6 m."""
        return 6 * len(system)

    def displaced(self, system: ContactSystem, x: Floats) -> ContactSystem:
        """Return the system with each body turned about its centre of mass and shifted, by x (6 m,).

        Bodies that rounding alone would move stay where they are.  Those that have moved, now or in
        displacements before, are the system's `moving` ones.
        """
        x = np.where(np.repeat(_of_twists(x) > _ROUNDING, 6), x, 0.0)
        moved = set(np.flatnonzero(_of_twists(x)).tolist()).union(system.moving or ())
        return replace(system.displaced(x), moving=tuple(sorted(moved)))

    def twists(self, system: ContactSystem) -> Floats:
        """Return the identity (6 m, 6 m)."""
        return np.eye(6 * len(system))

    def curvature(self, system: ContactSystem, gradients: Floats) -> Floats:
        """Return zeros (k, 6 m, 6 m): twists are linear in themselves."""
        return np.zeros((*gradients.shape, gradients.shape[1]))

    def gradients(self, system: ContactSystem, points: InterfacePoints) -> Floats:
        """Return the derivatives J (k, 6 m) of the points' gap / R by the twists."""
        return system.gradients(points)

    def hessians(self, system: ContactSystem, points: InterfacePoints) -> Floats:
        """Return the second derivatives H (k, 6 m, 6 m) of the points' gap / R by the twists."""
        return system.hessians(points)

    def wrench(self, system: ContactSystem, wrench: Floats) -> Floats:
        """Return the wrench (6 m,) itself."""
        return wrench

    def stiffness(self, system: ContactSystem, stiffness: Floats, wrench: Floats) -> Floats:
        """Return the curvature (6 m, 6 m) itself."""
        return stiffness

    def of_blocks(self, values: Floats) -> Floats:
        """Return the values (m,): each body is a block."""
        return values

    def blocks(self, system: ContactSystem) -> Ints:
        """Return the body (6 m,) of each coordinate."""
        return np.repeat(np.arange(len(system)), 6)

    def lengths(self, system: ContactSystem, x: Floats) -> Floats:
        """Return the shift plus the turn of each body (m,): the farthest, over R_b, that a point moves."""
        return _of_twists(x)


FREE_BODIES = FreeBodies()


def _of_twists(twists: Floats) -> Floats:
    """Return the shift plus the turn (m,) of twists (6 m,)."""
    parts = twists.reshape(-1, 2, 3)
    far: Floats = np.sqrt(np.einsum("bij,bij->bi", parts, parts)).sum(axis=1)
    return far
