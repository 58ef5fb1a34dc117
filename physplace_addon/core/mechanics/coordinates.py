"""What may move: coordinates q (d,) of a contact system, and the chain rule that gaps and wrenches obey.

A contact system differentiates gaps by the twists of its m bodies: six numbers a body, x = (dX_b / R_b,
dTheta_b), the shift of its own centre of mass, over its own radius, and its rotation vector.  A kind of
coordinates says which poses a change of q leads to, and how x follows from it to second order,

    x(dq) = T dq + 1/2 dq' C dq + ...,    T (6 m, d),  C_a (d, d) symmetric for each a of the 6 m.

All else is the chain rule: with J (6 m,) and H (6 m, 6 m) of a gap by the twists, and a wrench w (6 m,),

    J_q = J T,    H_q = T' H T + sum_a J_a C_a,    w_q = T' w.

So every solver shares every line of contact code.  Placement moves free bodies (`FreeBodies`) or jointed ones
(`joints.jointed_bodies`), manipulation moves one (`placement.manipulation.coordinates`), and a new kind is
one small class.

Coordinates may have limits of their own, g(q) >= 0, and some of them may be braked: friction in a joint holds
them against any generalized force up to a greatest one.  Free bodies have neither.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..arrays import Floats, Ints
from ..contact.system import ContactSystem, InterfacePoints
from ..optimization.step_qp import MANY, MANY_DENSE, TrustRegion

ROUNDING = 1e-12
"""Motion, over R_b, that is rounding."""


@dataclass(frozen=True, eq=False)
class CoordinateLimits:
    """n inequalities g(q) >= 0 that coordinates obey by themselves, such as limits of joints.

    gaps (n,): g, lengths over a body's radius or radians.
    gradients (n, d), hessians (n, d, d): its first and second derivatives by the coordinates.
    """

    gaps: Floats
    gradients: Floats
    hessians: Floats

    def __len__(self) -> int:
        return len(self.gaps)

    @classmethod
    def none(cls, size: int) -> CoordinateLimits:
        """Return no limits of d coordinates."""
        return cls(np.zeros(0), np.zeros((0, size)), np.zeros((0, size, size)))


@dataclass(frozen=True, eq=False)
class Brakes:
    """b motions that friction in joints holds.

    gradients (b, d): the derivatives of what moves, shifts over a body's radius or turns, by the coordinates.
    greatest (b,): the greatest generalized forces, in weights times R.
    """

    gradients: Floats
    greatest: Floats

    def __len__(self) -> int:
        return len(self.greatest)

    @classmethod
    def none(cls, size: int) -> Brakes:
        """Return no brakes of d coordinates."""
        return cls(np.zeros((0, size)), np.zeros(0))


class Coordinates(ABC):
    """One kind of coordinates.  It is a value: the system that it moves is given to each method."""

    bend: ClassVar[bool] = True
    """Whether the paths of bodies may bend, so that the energy curves without contacts, too."""

    many: int = MANY_DENSE
    """The number of coordinates above which programmes are taken as sparse."""

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

    def wrench_maps(self, system: ContactSystem, points: InterfacePoints) -> Floats:
        """Return the maps T' G (k, d, 3) of forces at the points to generalized forces."""
        product: Floats = self.twists(system).T @ system.wrench_maps(points)
        return product

    def motion(self, system: ContactSystem, x: Floats) -> Floats:
        """Return the twists T x (6 m,) of a change x (d,), to first order."""
        product: Floats = self.twists(system) @ x
        return product

    def of_motion(self, system: ContactSystem, motion: Floats) -> Floats:
        """Return the change (d,) whose twists are nearest to given ones (6 m,), or (n, d) to (n, 6 m)."""
        return np.linalg.lstsq(self.twists(system), motion.T, rcond=None)[0].astype(np.float64).T

    def on_bodies(self, system: ContactSystem, force: Floats) -> Floats:
        """Return the least wrench (6 m,) whose generalized force is a given one (d,): what is not balanced
        where joints react.
        """
        return np.linalg.lstsq(self.twists(system).T, force, rcond=None)[0].astype(np.float64)

    def limits(self, system: ContactSystem) -> CoordinateLimits:
        """Return the limits that are near: a step of a usual length may meet them."""
        return CoordinateLimits.none(self.size(system))

    def limit_rows(self, system: ContactSystem) -> tuple[Floats, Floats]:
        """Return the gaps (n,) and gradients (n, d) of the limits that are near."""
        found = self.limits(system)
        return found.gaps, found.gradients

    def brakes(self, system: ContactSystem) -> Brakes:
        """Return what friction holds."""
        return Brakes.none(self.size(system))

    def holding(self, system: ContactSystem, limits: Ints, brakes: Ints) -> Coordinates:
        """Return coordinates of the motions that keep some limits and brakes, by number, as they are."""
        return self

    def counted_from(self, system: ContactSystem) -> Coordinates:
        """Return the coordinates with whole turns counted from where the bodies are now."""
        return self

    def falling_together(self, system: ContactSystem) -> Ints | None:
        """Return numbers (m,) of what falls as one, -1 for a body that is joined to the world; None where
        each body falls by itself.
        """
        return None

    def blocks_of_bodies(self, system: ContactSystem, bodies: Ints) -> Ints:
        """Return the numbers of the blocks that some bodies, by number, belong to, each once."""
        return np.zeros(min(len(bodies), 1), np.intp)

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
        return np.array([twist_lengths(self.twists(system) @ x).max()])

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

    bend = False
    many = MANY

    def size(self, system: ContactSystem) -> int:
        """Return 6 m."""
        return 6 * len(system)

    def displaced(self, system: ContactSystem, x: Floats) -> ContactSystem:
        """Return the system with each body turned about its centre of mass and shifted, by x (6 m,).

        Bodies that rounding alone would move stay where they are.  Those that have moved, now or in
        displacements before, are the system's `moving` ones.
        """
        x = np.where(np.repeat(twist_lengths(x) > ROUNDING, 6), x, 0.0)
        moved = set(np.flatnonzero(twist_lengths(x)).tolist()).union(system.moving or ())
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

    def wrench_maps(self, system: ContactSystem, points: InterfacePoints) -> Floats:
        """Return the maps G (k, 6 m, 3) themselves."""
        return system.wrench_maps(points)

    def motion(self, system: ContactSystem, x: Floats) -> Floats:
        """Return the twists (6 m,) themselves."""
        return x

    def of_motion(self, system: ContactSystem, motion: Floats) -> Floats:
        """Return the twists themselves."""
        return motion

    def on_bodies(self, system: ContactSystem, force: Floats) -> Floats:
        """Return the wrench (6 m,) itself."""
        return force

    def blocks_of_bodies(self, system: ContactSystem, bodies: Ints) -> Ints:
        """Return the bodies: each is a block."""
        return bodies

    def of_blocks(self, values: Floats) -> Floats:
        """Return the values (m,): each body is a block."""
        return values

    def blocks(self, system: ContactSystem) -> Ints:
        """Return the body (6 m,) of each coordinate."""
        return np.repeat(np.arange(len(system)), 6)

    def lengths(self, system: ContactSystem, x: Floats) -> Floats:
        """Return the shift plus the turn of each body (m,): the farthest, over R_b, that a point moves."""
        return twist_lengths(x)


FREE_BODIES = FreeBodies()


def twist_lengths(twists: Floats) -> Floats:
    """Return the shift plus the turn (m,) of twists (6 m,): the farthest, over R_b, that a point moves."""
    parts = twists.reshape(-1, 2, 3)
    far: Floats = np.sqrt(np.einsum("bij,bij->bi", parts, parts)).sum(axis=1)
    return far
