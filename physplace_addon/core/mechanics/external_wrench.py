"""All external forces together, on all bodies of an system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..contact.system import ContactSystem
from ..errors import PlacementError
from ..mesh.mass import comparable
from .forces import Force, Gravity

_PRESSED = 1e-3  # of the greatest force on any body: what the others' forces may do to one
_NEXT_TO_NOTHING = 1e-9


@dataclass(frozen=True, eq=False)
class ExternalWrench:
    """Gravity, None where there is none, and other forces.  All methods give sums over them."""

    gravity: Gravity | None
    others: tuple[Force, ...] = ()

    @classmethod
    def of(
        cls, direction: Sequence[float] | None, others: Sequence[Force], system: ContactSystem, origin: Floats
    ) -> ExternalWrench:
        """Gravity along a direction, with the bodies' weights, and other forces, in a world seen from the
        origin (3,).  Raises PlacementError for a force on a body that is not there, or no force at all.
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
        return own + list(self.others)

    @property
    def falls_freely(self) -> bool:
        """Whether gravity alone acts."""
        return self.gravity is not None and not self.others

    def wrench(self, system: ContactSystem) -> Floats:
        """The sum of all wrenches (d,)."""
        total: Floats = np.sum([force.wrench(system) for force in self._all], axis=0)
        return total

    @property
    def pushes(self) -> bool:
        """Whether a force acts that has no energy."""
        return not all(force.has_energy for force in self._all)

    def descent(self, system: ContactSystem) -> Floats:
        """The wrench (d,) of the forces that have an energy: along it that falls."""
        parts = [force.wrench(system) for force in self._all if force.has_energy]
        total: Floats = np.sum(parts, axis=0) if parts else np.zeros(6 * len(system))
        return total

    def energy(self, system: ContactSystem) -> float:
        """The sum of all energies."""
        return float(sum(force.energy(system) for force in self._all))

    def change(self, system: ContactSystem) -> Floats:
        """The derivative (d, d) of the wrench."""
        total: Floats = np.sum([force.change(system) for force in self._all], axis=0)
        return total

    def stiffness(self, system: ContactSystem) -> Floats:
        """The bound (d, d) on the energy's curvature."""
        total: Floats = np.sum([force.stiffness(system) for force in self._all], axis=0)
        return total

    def sizes(self, system: ContactSystem) -> Floats:
        """How strongly each body is pulled, all forces added up (m,), in the scale of its wrench; of a light
        one among heavy ones, a share of what these may press it with.
        """
        return _sizes(system, self._all, _PRESSED)

    def own_sizes(self, system: ContactSystem) -> Floats:
        """The same without what others press it with; next to nothing for a body that no force pulls at."""
        return _sizes(system, self._all, _NEXT_TO_NOTHING)

    def sizes_of_pushes(self, system: ContactSystem) -> Floats:
        """The same of the forces that have no energy, if there are any."""
        return _sizes(system, [force for force in self._all if not force.has_energy] or self._all, _PRESSED)


def _sizes(system: ContactSystem, forces: Sequence[Force], share: float) -> Floats:
    """The forces' sizes (m,), but at least a share of the greatest."""
    total: Floats = np.sum([force.sizes(system) for force in forces], axis=0)
    scaled: Floats = np.maximum(total, share * float(total.max())) * system.radii / system.radius
    return scaled


def weights_of(system: ContactSystem) -> Floats:
    """The bodies' weights (m,), 1 in the mean: the masses if they can be compared, else the cubes of R."""
    masses = [body.body.mass for body in system.bodies]
    known = comparable(masses)
    weights = np.array([mass.mass for mass in masses]) if known else system.radii**3
    relative: Floats = weights / weights.mean()
    return relative
