# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn of bodies in contact, as plain arrays in the world's frame: nothing here draws.

The forces are those of the certificate of the same state: nothing is solved here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..core.arrays import Bools, Floats
from ..core.contact.system import ContactSystem, InterfacePoints, regions_of_points
from ..core.mechanics.balance import certified_forces
from ..core.mechanics.external_wrench import ExternalWrench
from ..core.mechanics.forces import Gravity
from ..core.placement import Placement, State
from ..core.placement.contact_forces import contact_forces
from ..core.placement.contact_query import QueriedContacts
from ..core.placement.problem import Problem
from ..core.rigid import Pose
from .support import Support, support_of

_PRESSES = 1e-3  # distance over R that a body must be asked to go into a contact for that contact to block it


@dataclass(frozen=True, eq=False)
class Marks:
    """What is drawn: lengths in scene units, directions of unit length, forces over the weight.

    Attributes:
        contacts: (k, 3), points that touch.
        normals: (k, 3), the direction in which each contact pushes.
        forces: (k,), negative only where a bilateral contact pulls.
        bilateral: (k,), which contacts slide but do not separate.
        extremal: (m, 2, 3), pairs of near points that do not touch.
        collisions: (c, 3), points of collision or overlap.
        patches: what touches, each a point (1, 3), a line (2, 3), or the corners (n, 3) of a face in order.
        supports: of each body, its centre of mass and support polygon.
        pulls: (p, 2, 3), from points of bodies to where they are pulled.
        radius: R, the drawn length of a force equal to the weight.
    """

    contacts: Floats
    normals: Floats
    forces: Floats
    bilateral: Bools
    extremal: Floats
    collisions: Floats
    patches: tuple[Floats, ...]
    supports: tuple[Support, ...]
    pulls: Floats
    radius: float

    @classmethod
    def none(cls) -> Marks:
        """Return marks without any content."""
        nowhere = np.zeros((0, 3))
        no_pairs = np.zeros((0, 2, 3))
        no_contacts = np.zeros(0, dtype=bool)
        return cls(nowhere, nowhere, np.zeros(0), no_contacts, no_pairs, nowhere, (), (), no_pairs, 1.0)


def marks_of_state(placement: Placement, state: State) -> Marks:
    """Return the marks of one of a placement's states.

    Pulls and collision points are added with `dataclasses.replace`.
    """
    found = contact_forces(placement.problem, state)
    touches = np.zeros(len(state.local_points), bool)
    touches[found.rows] = True
    gravity = placement.problem.external.gravity
    marks = _marks(state.system, state.local_points, touches, state.origin, gravity, found.forces)
    bilateral = np.zeros(len(found.rows), dtype=bool)
    bilateral[found.bilateral] = True
    forces = np.where(bilateral, found.forces, marks.forces)
    return replace(marks, bilateral=bilateral, forces=forces)


def blocking_contacts(state: State, body: int, target: Pose) -> Floats:
    """Return where (c, 3), in the world, a body touches what blocks its way to a pose."""
    points, radius = state.points, state.system.radius
    shift = target.points(state.poses[body].inverse().points(points.point1)) - points.point1
    towards = np.where(points.body1 == body, 1.0, np.where(points.body2 == body, -1.0, 0.0))
    gained = towards * np.einsum("ij,ij->i", points.normal, shift)
    touches = points.gap < Problem.touching * radius
    presses: Floats = points.point1[touches & (gained < -_PRESSES * radius)]
    return presses


def marks_of_found(found: QueriedContacts, gravity: tuple[float, float, float]) -> Marks:
    """Return the marks of a body that touches and overlaps others where it stands.

    gravity: its direction in the world, of any length.
    """
    external = ExternalWrench.of(gravity, (), found.system, found.origin)
    points = found.points.take(found.points.gap >= -found.touching)
    touches = points.gap <= found.touching
    gradients = found.system.gradients(points.take(touches))
    forces = certified_forces(external.wrench(found.system), gradients, np.zeros(0, dtype=np.intp))
    marks = _marks(found.system, points, touches, found.origin, external.gravity, forces)
    return replace(marks, collisions=found.collisions)


def _marks(
    system: ContactSystem,
    points: InterfacePoints,
    touches: Bools,
    origin: Floats,
    gravity: Gravity | None,
    forces: Floats,
) -> Marks:
    """Return the marks of points, seen from an origin (3,); forces: those at the points that touch."""
    world = system.in_world(points)
    contacts, apart = world.take(touches), world.take(~touches)
    direction = None if gravity is None else gravity.direction
    supports = tuple(
        support_of(centre + origin, _positions(contacts, body) + origin, direction, radius)
        for body, (centre, radius) in enumerate(zip(system.centres, system.radii.tolist(), strict=True))
    )
    return replace(
        Marks.none(),
        contacts=contacts.point1 + origin,
        normals=contacts.normal,
        forces=np.abs(forces),
        bilateral=np.zeros(len(contacts), dtype=bool),
        patches=_patches(contacts, system.radius, origin),
        extremal=np.stack([apart.point1, apart.point2], axis=1) + origin,
        supports=supports,
        radius=system.radius,
    )


def _patches(contacts: InterfacePoints, radius: float, origin: Floats) -> tuple[Floats, ...]:
    """Return what touching points span, seen from an origin (3,): points, lines, outlines of faces."""
    regions = regions_of_points(contacts, radius)[0]
    return tuple(regions.points_of(number).point1 + origin for number in range(len(regions)))


def _positions(contacts: InterfacePoints, body: int) -> Floats:
    """Return the points (k, 3) where a body is touched."""
    mine = (contacts.body1 == body) | (contacts.body2 == body)
    return contacts.take(mine).point1
