"""One state of a placement: a frozen value, free of overlap."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..contact.system import Adjusted, BilateralContacts, ContactSystem, InterfacePoints
from ..mechanics.coordinates import FREE_BODIES, Coordinates
from ..rigid import Pose
from .settings import Settings

_SAME_WAY = 0.8  # cosine of two steps of a body that goes on as it went
_LEAST_EASE = 1.0 / 64.0  # viscosity left, over the usual one: beside the curvatures of the energy, nothing
_SHARE = 0.1  # of the longest step that failed: least length that counts for the others that failed


@dataclass(frozen=True, eq=False)
class State:
    """One valid state.

    The solver works about an origin near the bodies, so that coordinates do not lose digits far from that of
    the world; `pose`, `poses` and `points` are in the world.

    Attributes:
        system: the bodies where they stand, seen from the origin.
        local_points: their interface points, each in the frame of its second body.
        bilateral: the contacts that may not separate.
        origin: the place (3,), in the world, of the system's origin.
        energy: the external forces' pseudo potential energy, in units of one body's weight times R.
        eps: the longest next step, over R.
        coordinates: what may move.
        pace: the longest next step of each block (b,) of coordinates, over eps: less than 1 for those that
            have failed.
        ease: the viscosity of each body (m,) in the next step, over the usual one: less than 1 for those that
            go on as they went.
        motion: the twists (6 m,) of the step that led here; None after a fall or a failure.
    """

    system: ContactSystem
    local_points: InterfacePoints
    bilateral: BilateralContacts
    origin: Floats
    energy: float
    eps: float
    coordinates: Coordinates = FREE_BODIES
    pace: Floats | None = None
    ease: Floats | None = None
    motion: Floats | None = None

    @property
    def longest(self) -> float | Floats:
        """The longest next step, over R: one for all blocks of coordinates or (b,)."""
        return self.eps if self.pace is None else self.eps * self.pace

    def slowed(self, blocks: Ints, lengths: Floats) -> State:
        """Return the state with shorter next steps of some blocks, such as bodies, less than half of those
        that failed.

        Args:
            blocks: their numbers.
            lengths: of the steps (b,) that failed, over R.
        """
        pace = np.ones(len(lengths)) if self.pace is None else self.pace.copy()
        taken = np.maximum(lengths, _SHARE * lengths[blocks].max())[blocks] / self.eps
        pace[blocks] = 0.5 * np.minimum(pace[blocks], taken)
        return replace(self, pace=pace, ease=None, motion=None)

    def followed_by(self, taken: Adjusted, energy: float, settings: Settings, motion: Floats | None) -> State:
        """Return the next state, to which a step x = motion (d,) led; None for another motion."""
        system, points = taken
        twists = None if motion is None else self.coordinates.motion(self.system, motion)
        return State(
            system,
            points,
            self.bilateral.followed(points),
            self.origin,
            energy,
            min(settings.recovery * self.eps, settings.eps_max),
            self.coordinates.counted_from(system),
            self._recovered(settings.recovery),
            self._eased(twists),
            twists,
        )

    def _eased(self, now: Floats | None) -> Floats | None:
        """Return the ease (m,) after twists (6 m,): half of it for a body that went the same way twice.

        Near a saddle of the energy a body goes faster in each step by a factor that its viscosity keeps near
        1: it would need many steps to leave.
        """
        if now is None or self.motion is None or len(self.system) == 1:
            return None
        ease = np.ones(len(self.system)) if self.ease is None else self.ease
        a, b = self.motion.reshape(-1, 6), now.reshape(-1, 6)
        along, sizes = (a * b).sum(axis=1), np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
        on: Bools = (sizes > 0.0) & (along > _SAME_WAY * sizes)
        found: Floats = np.where(on, np.maximum(0.5 * ease, _LEAST_EASE), 1.0)
        return found

    def _recovered(self, factor: float) -> Floats | None:
        """Return the pace (m,) after a step that succeeded, greater by a factor; None where all are 1."""
        if self.pace is None or (factor * self.pace >= 1.0).all():
            return None
        pace: Floats = np.minimum(factor * self.pace, 1.0)
        return pace

    @property
    def pose(self) -> Pose:
        """Where the body's frame stands in the world; of several, the first one's."""
        return self.poses[0]

    @cached_property
    def poses(self) -> tuple[Pose, ...]:
        """Where each body's frame stands in the world."""
        return tuple(Pose(pose.rotation, pose.translation + self.origin) for pose in self.system.poses)

    @cached_property
    def points(self) -> InterfacePoints:
        """The interface points, in the world."""
        local = self.system.in_world(self.local_points)
        return replace(local, point1=local.point1 + self.origin, point2=local.point2 + self.origin)
