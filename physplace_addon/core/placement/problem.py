"""What a placement is given (`Setup`), and what its steps solve (`Problem`): the settings, the external
forces, and the tolerances that follow from them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Floats, Ints
from ..bodies import Body
from ..contact.system import (
    FIXED,
    BilateralContacts,
    ContactSystem,
    InterfacePoints,
    NumberedPair,
    Reach,
    of_pairs,
)
from ..errors import PlacementError
from ..mechanics.coordinates import FREE_BODIES, Coordinates
from ..mechanics.external_wrench import ExternalWrench
from ..mechanics.forces import Force
from ..mechanics.joints import Joint
from ..mechanics.joints.jointed_bodies import JointedBodies
from ..mechanics.joints.springs import JointSprings
from ..mechanics.joints.turn_ranges import TurnRanges
from ..mechanics.origin import near_the_origin
from ..mechanics.surface_numbers import surface_numbers
from ..rigid import Pose
from .settings import Settings

STANDARD_GRAVITY = 9.81
"""Acceleration of gravity, m/s^2."""

_LEAST_VISCOSITY = (
    1e-4  # of one body, over its weight: next to the curvatures of its energy, about 1, nothing
)
_VISCOSITY_OF_SEVERAL = 3.0  # of several, over their weights: saddles of a pile are not run down
_LEVEL = 1e-7  # gap / R at which flat features touch: corners of one plane in single precision are so uneven
_NOISE = 2e-9  # energy, in weights times R, that the noise of the gaps can cost a body


@dataclass(frozen=True, eq=False)
class Setup:
    """All that a placement is given: m moving bodies, their start poses, and what acts on them.

    Attributes:
        bodies: the moving bodies (m), each in its own frame.
        poses: their start poses (m), to the world.
        world: the fixed bodies (n), in the world.
        settings: the settings.
        forces: the external forces besides gravity, in the world.
        bilateral_pairs: pairs of bodies whose contacts are made bilateral when they first touch, by number:
            the moving bodies are 0 to m - 1, those of the world m to m + n - 1.
        joints: between the moving bodies, and of these with the world.
        turn_ranges: equations and limits of their turns besides those of joints; None without any.
        apart: pairs of bodies that may go through each other, by number, the lesser first, FIXED last for
            the world.
        acceleration: of gravity, lengths over s^2, by which springs and brakes of joints compare to weights.
    """

    bodies: tuple[Body, ...]
    poses: tuple[Pose, ...]
    world: tuple[Body, ...]
    settings: Settings
    forces: tuple[Force, ...]
    bilateral_pairs: frozenset[NumberedPair]
    joints: tuple[Joint, ...] = ()
    acceleration: float = STANDARD_GRAVITY
    turn_ranges: TurnRanges | None = None
    apart: frozenset[NumberedPair] = frozenset()

    def __post_init__(self) -> None:
        """Raise PlacementError where surfaces have coefficients of friction, but not one for each body."""
        surfaces, count = self.settings.surface_friction, len(self.bodies) + len(self.world)
        if surfaces is not None and len(surfaces) != count:
            raise PlacementError(f"surface_friction: expected {count} coefficients, found {len(surfaces)}")

    @classmethod
    def of(
        cls,
        bodies: Sequence[Body],
        poses: Sequence[Pose],
        world: Sequence[Body],
        settings: Settings | None,
        forces: Sequence[Force],
        bilateral_pairs: Collection[NumberedPair],
        joints: Sequence[Joint] = (),
        acceleration: float = STANDARD_GRAVITY,
        turn_ranges: TurnRanges | None = None,
        apart: Collection[NumberedPair] = (),
    ) -> Setup:
        """Check what a placement is given.

        Raises PlacementError for no bodies, not a pose for each, a pair that is not of a moving body and
        another one, not a coefficient of friction for each body, or an acceleration that is not above 0; and
        JointError for a joint that has no meaning.
        """
        if not bodies or len(bodies) != len(poses):
            raise PlacementError(f"expected a pose for each body, found {len(bodies)} and {len(poses)}")
        count = len(bodies) + len(world)
        for one, other in bilateral_pairs:
            if one == other or not 0 <= min(one, other) < len(bodies) or max(one, other) >= count:
                found = f"found bodies {one} and {other} of {count}"
                raise PlacementError(f"bilateral contacts: expected a moving body and another one, {found}")
        pairs, settings = frozenset(bilateral_pairs), settings or Settings()
        if not 0.0 < acceleration < np.inf:
            raise PlacementError(f"acceleration: expected a number above 0, found {acceleration}")
        for joint in joints:
            joint.check(len(bodies))
        return cls(
            tuple(bodies),
            tuple(poses),
            tuple(world),
            settings,
            tuple(forces),
            pairs,
            tuple(joints),
            acceleration,
            turn_ranges,
            frozenset(apart),
        )

    def with_pairs(
        self, known: BilateralContacts, touching: InterfacePoints, pairs: Collection[NumberedPair]
    ) -> BilateralContacts:
        """Return known bilateral contacts and those of the touching points that are between some pairs."""
        return known.with_all(touching.take(of_pairs(touching, pairs, len(self.bodies), self.world)))

    def begun(self) -> tuple[ContactSystem, Floats, Coordinates, ExternalWrench]:
        """Return the bodies at the start with their joints closed, the place (3,) of the system's origin,
        what may move, and the external forces.

        Raises:
            JointError: a joint is open by more than moves the bodies a little; it names the joint.
        """
        origin, near, parts = near_the_origin(self.bodies, self.poses, self.world)
        system = ContactSystem.of(self.bodies, near, parts)
        external = ExternalWrench.of(self.settings.gravity, self.forces, system, origin)
        if not self.joints:
            return replace(system, never_meeting=self.apart), origin, FREE_BODIES, external
        joined = [joint.anchors for joint in self.joints if not joint.collide]
        through = [sorted((each.first, each.second)) for each in joined]
        met = frozenset((first, second) for first, second in through if first != FIXED)
        system = replace(system, never_meeting=met | self.apart)
        joints = [joint.seen_from(origin) for joint in self.joints]
        weight = self.acceleration * float(np.mean([body.mass.mass for body in self.bodies]))
        coordinates = JointedBodies.of(joints, system, weight * system.radius, self.turn_ranges)
        if coordinates.joints.stiffness.any():
            external = replace(external, internal=(JointSprings(coordinates),))
        system = replace(coordinates.closed(system), travel=coordinates.largest)
        return system, origin, coordinates, external


@dataclass(frozen=True, eq=False)
class Problem:
    """What the steps of one placement solve.

    Attributes:
        settings: the settings.
        external: the external forces, seen from the solver's origin.
        touching: the gap / R below which an interface point of curved features is a contact.
    """

    settings: Settings
    external: ExternalWrench
    touching: float = 1e-8

    def contacts(self, system: ContactSystem, points: InterfacePoints) -> InterfacePoints:
        """Return those of the points that touch."""
        return points.take(self.touching_rows(system, points))

    def touching_rows(self, system: ContactSystem, points: InterfacePoints) -> Ints:
        """Return which rows (n,) of the points touch.

        Of the corners of a face on a face no more than three can touch exactly; all of them bear the body.
        """
        flat = system.between_flat_features(points)
        most = np.where(flat, max(self.touching, _LEVEL), self.touching)
        rows: Ints = np.nonzero(points.gap < most * system.radius)[0]
        return rows

    def friction(self, system: ContactSystem, points: InterfacePoints) -> Floats:
        """Return Coulomb's coefficients (k,) of the points."""
        surfaces = self.settings.surface_friction
        if surfaces is None:
            return np.full(len(points), self.settings.friction)
        first, second = surface_numbers(system, points)
        each = np.array(surfaces)
        products: Floats = each[first] * each[second]
        return products

    def reach(self, eps: float) -> Reach:
        """Return how far points are searched, over the radii, before a step of eps: as far as it and its
        corrections can go.
        """
        farthest = self.settings.eps_max
        return Reach(
            curved=1.5 * farthest,
            flat=min(1.0, 0.05 / farthest) * farthest,
            samples=2.0 * eps,
            threshold=self.settings.distance_threshold,
        )

    def viscosity(self, system: ContactSystem) -> Floats:
        """Return the viscosity of each body (m,): a cost 1/2 v |x|^2 of its motion x beside the energy.

        It is next to nothing for one body whose energy has a lowest point.  Where forces without energy push,
        a unit force moves the body by eps_max, and what is nearly balanced moves it by as much less, so that
        it does not slide about without end.  Several bodies have some viscosity, too: where one may tilt as
        another slides, their energy has saddles all along a flat pile, down which they would run.  It grows
        with each body's own weight: in the viscosity of heavy bodies a light one would hardly fall.
        """
        if not self.has_lowest:
            return self.external.sizes_of_pushes(system) / self.settings.eps_max
        honey = _LEAST_VISCOSITY if len(system) == 1 else _VISCOSITY_OF_SEVERAL
        return honey * self.external.own_sizes(system)

    @property
    def has_lowest(self) -> bool:
        """Whether a placement ends where the energy is as low as it gets."""
        return self.settings.check_energy and not self.external.pushes

    def rises(self, before: float, system: ContactSystem) -> bool:
        """Return whether the bodies' energy is above one before, by more than noise; False where energies are
        not checked.
        """
        if not self.settings.check_energy:
            return False
        return self.external.energy(system) > before + self.noise(system)

    def noise(self, system: ContactSystem) -> float:
        """Return the energy, in weights times R, that the noise of the gaps can cost."""
        return _NOISE * float(self.external.sizes(system).sum())
