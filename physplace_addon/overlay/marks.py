# SPDX-License-Identifier: GPL-3.0-or-later
"""What there is to see of bodies in contact, as plain arrays in the world's frame: nothing here draws.

Marks are made anew for every state that is shown, so making them asks nothing of a state but a balance of
forces on the points that touch.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..core.arrays import Bools, Floats, Ints
from ..core.bodies import Body
from ..core.contact.points.interface_points import InterfacePoints
from ..core.contact.system import Assembly
from ..core.mechanics.balance import balance
from ..core.mechanics.external_wrench import Load
from ..core.placement import Certificate, Placement, State
from ..core.placement.contact_query import Found
from ..core.placement.problem import Problem
from ..core.rigid import Pose
from .support import Support, support_of

_PRESSES = 1e-3  # of R: what a hand asks for beyond a contact, that counts as pressing into it


@dataclass(frozen=True, eq=False)
class Marks:
    """What is drawn: lengths in scene units, directions unit length, forces in units of the weight.

    contacts (k, 3): points that touch; normals (k, 3): the way each pushes; forces (k,) >= 0.
    extremal (m, 2, 3): pairs of points that are near but apart.  collisions (c, 3): where something is in the
    way, or overlaps.  supports: of each body, its centre of mass and what holds that up.  pulls (p, 2, 3):
    from points of bodies to where a hand or a tie pulls them.  radius: R, the length of a normal whose force
    is the weight.
    """

    contacts: Floats
    normals: Floats
    forces: Floats
    extremal: Floats
    collisions: Floats
    supports: tuple[Support, ...]
    pulls: Floats
    radius: float

    @classmethod
    def none(cls) -> Marks:
        """Nothing to see."""
        nowhere = np.zeros((0, 3))
        no_pairs = np.zeros((0, 2, 3))
        return cls(nowhere, nowhere, np.zeros(0), no_pairs, nowhere, (), no_pairs, 1.0)


def marks_of_state(placement: Placement, state: State) -> Marks:
    """The marks of one of a placement's states: `dataclasses.replace` adds pulls, or collision points."""
    load = Load.of(placement.settings.gravity, placement.forces, state.assembly, state.origin)
    touches = state.local_points.gap < Problem(placement.settings, load).touching * state.assembly.radius
    stuck = state.sticky.rows(state.local_points.take(touches))
    return _marks(state.assembly, state.local_points, touches, state.origin, load, stuck)


def in_the_way(state: State, body: int, target: Pose) -> Floats:
    """Where (c, 3), in the world, a body touches what it would press into on its way to a pose."""
    points, radius = state.points, state.assembly.radius
    shift = target.points(state.poses[body].inverse().points(points.point1)) - points.point1
    towards = np.where(points.body1 == body, 1.0, np.where(points.body2 == body, -1.0, 0.0))
    gained = towards * np.einsum("ij,ij->i", points.normal, shift)
    touches = points.gap < Problem.touching * radius
    presses: Floats = points.point1[touches & (gained < -_PRESSES * radius)]
    return presses


def marks_of_found(found: Found, gravity: tuple[float, float, float]) -> Marks:
    """The marks of a body that is asked what it touches and overlaps where it stands."""
    load = Load.of(gravity, (), found.assembly, found.origin)
    points = found.points.take(found.points.gap >= -found.touching)
    touches = points.gap <= found.touching
    marks = _marks(found.assembly, points, touches, found.origin, load, np.zeros(0, dtype=np.intp))
    return replace(marks, collisions=found.collisions)


def _marks(
    assembly: Assembly, points: InterfacePoints, touches: Bools, origin: Floats, load: Load, stuck: Ints
) -> Marks:
    """Marks of points seen from an origin (3,); stuck: the rows of the touching ones that may pull."""
    touching, world = points.take(touches), assembly.in_world(points)
    contacts, apart = world.take(touches), world.take(~touches)
    direction = None if load.gravity is None else load.gravity.direction
    supports = tuple(
        support_of(centre + origin, _positions(contacts, body) + origin, direction, radius)
        for body, (centre, radius) in enumerate(zip(assembly.centres, assembly.radii.tolist(), strict=True))
    )
    return replace(
        Marks.none(),
        contacts=contacts.point1 + origin,
        normals=contacts.normal,
        forces=np.abs(_forces(load.wrench(assembly), assembly.gradients(touching), stuck)),
        extremal=np.stack([apart.point1, apart.point2], axis=1) + origin,
        supports=supports,
        radius=assembly.radius,
    )


def _forces(wrench: Floats, gradients: Floats, stuck: Ints) -> Floats:
    """Balancing forces (k,), >= 0 but for stuck rows: the least ones where none of those pulls.

    The even ones of a certificate cost many times this.
    """
    least, _ = balance(wrench, gradients, "svd")
    pulling = least < 0.0
    pulling[stuck] = False
    if not pulling.any():
        return least
    forces, _ = balance(wrench, np.concatenate([gradients, -gradients[stuck]]))
    pushing = forces[: len(gradients)].copy()
    pushing[stuck] -= forces[len(gradients) :]
    return pushing


def _positions(contacts: InterfacePoints, body: int) -> Floats:
    """Where a body is touched (k, 3)."""
    mine = (contacts.body1 == body) | (contacts.body2 == body)
    return contacts.take(mine).point1


def marks_of_certificate(
    certificate: Certificate,
    body: Body,
    pose: Pose,
    gravity: tuple[float, float, float] | None,
    collisions: Floats | None = None,
) -> Marks:
    """The marks of a body that was checked at a pose; gravity is a unit vector, or None where nothing falls.

    collisions (c, 3): where it overlaps something (`collision_points`), if it does.
    """
    contacts = certificate.contacts
    direction = None if gravity is None else np.asarray(gravity, dtype=np.float64)
    return Marks(
        contacts.position,
        contacts.normal,
        contacts.force,
        np.zeros((0, 2, 3)),
        np.zeros((0, 3)) if collisions is None else collisions,
        (support_of(pose.points(body.mass.center), contacts.position, direction, body.radius),),
        np.zeros((0, 2, 3)),
        body.radius,
    )
