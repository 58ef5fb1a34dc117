"""Contacts as rows of a velocity problem: how fast gaps open and slip along both tangents.

Both bodies are taken at one point (`common_points`).  So what they do to each other has no torque in sum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ..arrays import Floats, Ints
from ..contact.system import (
    FIXED,
    ContactSystem,
    InterfacePoints,
    common_points,
    feature_keys,
    rows_nearest,
)
from ..mechanics.surface_numbers import surface_numbers
from ..optimization.friction_cones import tangents
from ..optimization.sparse_rows import rows_of
from ..vectors import cross

_STICKS = 100.0  # coefficient of friction that is as good as more: what presses sticks up to 89.4 degrees


@dataclass(frozen=True, eq=False)
class Contacts:
    """k contacts of m bodies.

    points: the interface points (k,), in the scene.
    rows: J (3 k, 6 m), sparse: of each contact the rates of its gap and of its slip along two tangents,
        lengths a second, by the rates of twists.
    friction, restitution (k,): their coefficients.
    """

    points: InterfacePoints
    rows: sparse.csr_array
    friction: Floats
    restitution: Floats

    def __len__(self) -> int:
        return len(self.points)

    @classmethod
    def of(cls, system: ContactSystem, points: InterfacePoints, surfaces: SurfaceLaws) -> Contacts:
        """Return the rows of points, given in the frames of their pairs."""
        world = system.in_world(points)
        friction, restitution = surfaces.of_points(system, world)
        return cls(world, _rows(system, world), friction, restitution)

    def take(self, chosen: Ints) -> Contacts:
        """Return some of the contacts (n,); themselves where these are all of them in their order."""
        if len(chosen) == len(self) and (chosen == np.arange(len(self))).all():
            return self
        rows = (3 * chosen[:, None] + np.arange(3)).ravel()
        return Contacts(
            self.points.take(chosen),
            rows_of(self.rows, rows),
            self.friction[chosen],
            self.restitution[chosen],
        )

    def speeds(self, rates: Floats) -> tuple[Floats, Floats]:
        """Return how fast gaps open (k,) and the slip (k, 2), lengths a second, at rates (m, 6)."""
        found: Floats = (self.rows @ rates.ravel()).reshape(-1, 3)
        return found[:, 0], found[:, 1:]

    def slip_velocity(self, rates: Floats) -> Floats:
        """Return the slip as vectors (k, 3) in the scene, lengths a second, at rates (m, 6)."""
        across = np.stack(tangents(self.points.normal), axis=1)
        found: Floats = np.einsum("kij,ki->kj", across, self.speeds(rates)[1])
        return found


@dataclass(frozen=True, eq=False)
class SurfaceLaws:
    """The coefficients of friction and restitution of m moving bodies, and after them of p fixed ones.

    Those of a contact are the products of its two bodies', as in Blender's rigid bodies.

    friction, restitution: (m + p,).
    """

    friction: Floats
    restitution: Floats

    def of_points(self, system: ContactSystem, points: InterfacePoints) -> tuple[Floats, Floats]:
        """Return the coefficients of friction and restitution (k,) of points."""
        first, second = surface_numbers(system, points)
        return (
            np.minimum(self.friction[first] * self.friction[second], _STICKS),
            self.restitution[first] * self.restitution[second],
        )


def _rows(system: ContactSystem, world: InterfacePoints) -> sparse.csr_array:
    k, m = len(world), len(system)
    across = np.stack([world.normal, *tangents(world.normal)], axis=1)
    columns, values, numbers = [], [], []
    each = np.arange(k)
    common = common_points(system, world)
    for bodies, sign in ((world.body1, 1.0), (world.body2, -1.0)):
        mine = each[bodies != FIXED]
        body = bodies[mine]
        arm = common[mine] - system.centres[body]
        block = np.empty((len(mine), 3, 6))
        block[:, :, :3] = system.radii[body][:, None, None] * across[mine]
        block[:, :, 3:] = cross(np.repeat(arm[:, None], 3, axis=1), across[mine])
        values.append(sign * block.ravel())
        columns.append(np.broadcast_to((6 * body[:, None] + np.arange(6))[:, None], block.shape).ravel())
        numbers.append(np.repeat((3 * mine[:, None] + np.arange(3)).ravel(), 6))
    entries = (np.concatenate(values), (np.concatenate(numbers), np.concatenate(columns)))
    return sparse.csr_array(entries, shape=(3 * k, 6 * m))


def tracked_each(
    system: ContactSystem, points: InterfacePoints, places: Floats
) -> tuple[Ints, InterfacePoints]:
    """Return which of known points (k,) stay on their features in a system, and these, in their order, there.

    Of several on the same two features each is the one that is nearest to its place (k, 3) in the scene.
    """
    found = system.track(points)
    rows = rows_nearest(feature_keys(points), places, feature_keys(found), system.in_world(found).point1)
    kept = np.flatnonzero(rows >= 0)
    return kept, found.take(rows[kept])
