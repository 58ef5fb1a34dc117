"""The contact forces of a state, as its certificate reports them and as the overlay draws them."""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import Floats, Ints
from ..contact.system import InterfacePoints
from ..mechanics.balance import certified_forces
from .problem import Problem
from .state import State


@dataclass(frozen=True, eq=False)
class ContactForces:
    """The k touching points of a state and the forces that act there.

    Attributes:
        points: the touching points, each in the frame of its second body (`ContactSystem.in_world`).
        rows: the rows (k,) of these points among `State.local_points` and `State.points`.
        bilateral: the rows, among the k, of the bilateral contacts.
        gradients: J (k, 6 m), the gradients of gap / R.
        forces: (k,), in units of one weight; negative only where a bilateral contact pulls.
        residual: the wrench (6 m,) that they leave unbalanced.
    """

    points: InterfacePoints
    rows: Ints
    bilateral: Ints
    gradients: Floats
    forces: Floats
    residual: Floats


def contact_forces(problem: Problem, state: State) -> ContactForces:
    """Return the contact forces of a state: even ones, of least residual (`certified_forces`)."""
    system, points = state.system, state.local_points
    rows = problem.touching_rows(system, points)
    touching = points.take(rows)
    gradients, wrench = system.gradients(touching), problem.external.wrench(system)
    bilateral = state.bilateral.rows(touching)
    forces = certified_forces(wrench, gradients, bilateral)
    return ContactForces(touching, rows, bilateral, gradients, forces, wrench + gradients.T @ forces)
