"""The contact forces of a state, as its certificate reports them and as the overlay draws them.

All is by the state's coordinates: what joints forbid needs no force of contacts.  Limits of joints that are
closed push like contacts; brakes hold up to their greatest forces.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from ..contact.system import ContactSystem, InterfacePoints
from ..mechanics.balance import forces_with_brakes
from ..mechanics.coordinates import Coordinates
from ..mechanics.friction import balance_with_brakes
from .problem import Problem
from .state import State

CLOSED_LIMIT = 1e-8
"""Gap to a limit, radians or lengths over a body's radius, at which it is met."""


@dataclass(frozen=True, eq=False)
class ContactForces:
    """The k touching points of a state and the forces that act there.

    Attributes:
        points: the touching points, each in the frame of its second body (`ContactSystem.in_world`).
        rows: the rows (k,) of these points among `State.local_points` and `State.points`.
        bilateral: the rows, among the k, of the bilateral contacts.
        gradients: J (k, d), the gradients of gap / R by the state's coordinates.
        forces: (k,), in units of one weight; negative only where a bilateral contact pulls.
        residual: the wrench (6 m,) that they leave unbalanced.
        limits: the numbers (n,) of the limits of joints that are met, among those that are near.
        limit_forces: (n,) >= 0, theirs.
        braking: (b,), the generalized forces of the brakes.
    """

    points: InterfacePoints
    rows: Ints
    bilateral: Ints
    gradients: Floats
    forces: Floats
    residual: Floats
    limits: Ints
    limit_forces: Floats
    braking: Floats


def contact_forces(problem: Problem, state: State) -> ContactForces:
    """Return the contact forces of a state: even ones, of least residual (`certified_forces`)."""
    system, points, coordinates = state.system, state.local_points, state.coordinates
    rows = problem.touching_rows(system, points)
    touching = points.take(rows)
    gradients = coordinates.gradients(system, touching)
    wrench = coordinates.wrench(system, problem.external.wrench(system))
    bilateral = state.bilateral.rows(touching)
    limits, brakes = coordinates.limits(system), coordinates.brakes(system)
    met: Ints = np.flatnonzero(limits.gaps < CLOSED_LIMIT)
    every = np.concatenate([gradients, limits.gradients[met]]) if len(met) else gradients
    forces, braking = forces_with_brakes(wrench, every, bilateral, brakes.gradients, brakes.greatest)
    residual = wrench + every.T @ forces
    if len(braking):
        residual = residual + brakes.gradients.T @ braking
    count = len(touching)
    on_bodies = coordinates.on_bodies(system, residual)
    return ContactForces(
        touching, rows, bilateral, gradients, forces[:count], on_bodies, met, forces[count:], braking
    )


@dataclass(frozen=True, eq=False)
class FrictionForces:
    """The forces of k touching points with friction.

    Attributes:
        forces: (k, 3), in the scene, on the first bodies, in units of one weight.
        residual: the wrench (6 m,) that they leave unbalanced.
        limits, limit_forces, braking: as in `ContactForces`.
    """

    forces: Floats
    residual: Floats
    limits: Ints
    limit_forces: Floats
    braking: Floats


def forces_with_friction(
    problem: Problem, system: ContactSystem, touching: InterfacePoints, coordinates: Coordinates
) -> FrictionForces:
    """Return the forces of contacts with the friction of the settings (Snyder 1995, section 5.2)."""
    normals = system.in_world(touching).normal
    wrench = coordinates.wrench(system, problem.external.wrench(system))
    limits, brakes = coordinates.limits(system), coordinates.brakes(system)
    met: Ints = np.flatnonzero(limits.gaps < CLOSED_LIMIT)
    found = balance_with_brakes(
        wrench,
        coordinates.wrench_maps(system, touching),
        normals,
        problem.friction(system, touching),
        limits.gradients[met],
        brakes.gradients,
        brakes.greatest,
    )
    on_bodies = coordinates.on_bodies(system, found.residual)
    return FrictionForces(found.forces, on_bodies, met, found.pushing, found.braking)
