"""What a placement is to solve: its settings and loads, and the tolerances that follow from them."""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import Floats
from ..contact.points.generation import Reach
from ..contact.points.interface_points import InterfacePoints
from ..contact.system import Assembly
from ..mechanics.external_wrench import Load
from .settings import Settings

CLEARANCE = 1e-10  # c / R: contacts are closed to this gap
OVERLAP = 1e-11  # depth / R that a state may keep
_LEAST_VISCOSITY = 1e-4
_VISCOSITY_OF_SEVERAL = 3.0
_NOISE = 2e-9  # energy that the noise of the gaps can cost a body


@dataclass(frozen=True, eq=False)
class Problem:
    """The settings and the external forces of one placement; touching: gap / R of a contact."""

    settings: Settings
    load: Load
    touching: float = 1e-8

    def contacts(self, assembly: Assembly, points: InterfacePoints) -> InterfacePoints:
        """Return those of the points that touch."""
        return points.take(points.gap < self.touching * assembly.radius)

    def reach(self, eps: float) -> Reach:
        """How far points are looked for, over the radii: as far as one step and its corrections can go."""
        farthest = self.settings.eps_max
        return Reach(
            curved=1.5 * farthest,
            flat=min(1.0, 0.05 / farthest) * farthest,
            samples=2.0 * eps,
            threshold=self.settings.distance_threshold,
        )

    def viscosity(self, assembly: Assembly) -> Floats:
        """What a motion of each body (m,) costs beside the energy it gains, over R: next to nothing for one
        body whose energy tells the end.

        Where it does not, the body is pushed through honey: a unit force moves it by eps_max, what is all but
        balanced by as much less, so that it does not slide about under a force that no energy ends.  Several
        bodies are in something of the kind, too: where one may tilt as another slides, their energy has
        saddles all along a flat pile, down which they would go for no good reason.  It is as thick as each
        one's own weight asks: in that of the heavy ones a light one would hardly fall.
        """
        if not self.has_lowest:
            return self.load.sizes_of_pushes(assembly) / self.settings.eps_max
        honey = _LEAST_VISCOSITY if len(assembly) == 1 else _VISCOSITY_OF_SEVERAL
        return honey * self.load.own_sizes(assembly)

    @property
    def has_lowest(self) -> bool:
        """Whether there is no more to come once the energy is as low as it gets."""
        return self.settings.check_energy and not self.load.pushes

    def rises(self, before: float, assembly: Assembly) -> bool:
        """Whether the bodies' energy is above another one, by more than noise; never if it is not checked."""
        if not self.settings.check_energy:
            return False
        return self.load.energy(assembly) > before + self.noise(assembly)

    def noise(self, assembly: Assembly) -> float:
        """The energy that the noise of the gaps can cost."""
        return _NOISE * float(self.load.sizes(assembly).sum())
