"""All external forces together, on all m bodies of a system (d = 6 m): what contacts have to balance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..contact.system import ContactSystem
from ..errors import PlacementError
from ..mesh.mass import comparable
from .forces import Force, Gravity

_PRESSED = 1e-3  # least size of the forces on a body, over the greatest on any: others may press it with that
_LEAST_OWN = 1e-9  # least size of a body's own forces, over the greatest: keeps what no force pulls from zero


@dataclass(frozen=True, eq=False)
class ExternalWrench:
    """Gravity, None where there is none, and other forces.  All methods return sums over them.

    internal: forces between the bodies, such as springs in joints, with which these fall like others.
    """

    gravity: Gravity | None
    others: tuple[Force, ...] = ()
    internal: tuple[Force, ...] = ()

    @classmethod
    def of(
        cls, direction: Sequence[float] | None, others: Sequence[Force], system: ContactSystem, origin: Floats
    ) -> ExternalWrench:
        """Return gravity along a direction (3,), with the bodies' weights, and other forces.

        Args:
            direction: of gravity, in the world, of any length; None for no gravity.
            others: the other forces, in the world.
            system: the bodies that they act on.
            origin: the place (3,), in the world, of the system's own origin.

        Raises PlacementError for a force on a body that is not there, or no force at all.
        """
        if direction is None and not others:
            raise PlacementError("no force acts: give gravity a direction, or add a force")
        for force in others:
            for number in (getattr(force, "body", 0), getattr(force, "other", None) or 0):
                if not 0 <= number < len(system):
                    raise PlacementError(f"force on body {number}: there are {len(system)} moving bodies")
        gravity = None if direction is None else Gravity.along(direction, weights_of(system))
        return cls(gravity, tuple(force.seen_from(origin) for force in others))

    @property
    def _all(self) -> list[Force]:
        own: list[Force] = [] if self.gravity is None else [self.gravity]
        return [*own, *self.others, *self.internal]

    @property
    def falls_freely(self) -> bool:
        """Whether gravity alone acts."""
        return self.gravity is not None and not self.others

    def wrench(self, system: ContactSystem) -> Floats:
        """Return the sum of all wrenches (d,)."""
        total: Floats = np.sum([force.wrench(system) for force in self._all], axis=0)
        return total

    @property
    def pushes(self) -> bool:
        """Whether a force acts that has no energy."""
        return not all(force.has_energy for force in self._all)

    def descent(self, system: ContactSystem) -> Floats:
        """Return the wrench (d,) of the forces that have an energy, which falls along it."""
        parts = [force.wrench(system) for force in self._all if force.has_energy]
        total: Floats = np.sum(parts, axis=0) if parts else np.zeros(6 * len(system))
        return total

    def energy(self, system: ContactSystem) -> float:
        """Return the sum of all energies, in units of one body's weight times R."""
        return float(sum(force.energy(system) for force in self._all))

    def change(self, system: ContactSystem) -> Floats:
        """Return the derivative (d, d) of the wrench by the bodies' twists."""
        total: Floats = np.sum([force.change(system) for force in self._all], axis=0)
        return total

    def stiffness(self, system: ContactSystem) -> Floats:
        """Return the bound (d, d) from above on the energy's second derivative."""
        total: Floats = np.sum([force.stiffness(system) for force in self._all], axis=0)
        return total

    def sizes(self, system: ContactSystem) -> Floats:
        """Return how strongly each body is pulled (m,): the sizes of all forces on it, added up, in the scale
        of its wrench.  For a light body among heavy ones it is a share of what these may press it with.
        """
        return _sizes(system, self._all, _PRESSED)

    def own_sizes(self, system: ContactSystem) -> Floats:
        """Return the same (m,) without that share; almost 0 for a body that no force acts on."""
        return _sizes(system, self._all, _LEAST_OWN)

    def sizes_of_pushes(self, system: ContactSystem) -> Floats:
        """Return `sizes` (m,) of the forces that have no energy alone, if there are any."""
        return _sizes(system, [force for force in self._all if not force.has_energy] or self._all, _PRESSED)


def _sizes(system: ContactSystem, forces: Sequence[Force], share: float) -> Floats:
    """Return the sizes (m,) of forces, but at least a share of the greatest, in the scale of wrenches."""
    total: Floats = np.sum([force.sizes(system) for force in forces], axis=0)
    scaled: Floats = np.maximum(total, share * float(total.max())) * system.radii / system.radius
    return scaled


def weights_of(system: ContactSystem) -> Floats:
    """Return the bodies' weights (m,), of mean 1: masses if they can be compared, else the cubes of R_b."""
    masses = [body.body.mass for body in system.bodies]
    known = comparable(masses)
    weights = np.array([mass.mass for mass in masses]) if known else system.radii**3
    relative: Floats = weights / weights.mean()
    return relative
