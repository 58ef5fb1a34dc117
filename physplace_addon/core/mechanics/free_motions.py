"""Motions by which bodies in contact may fall, where contacts at one place are alternatives.

Where both bodies are convex around a touching place, a corner on an edge for instance, the pairs of features
that touch there have different normals.  A motion is free if it obeys *one* of these pairs: the facets of the
cone that the other body leaves free are alternatives.  Where one body is hollow, all of them bind.  A balance
of forces on all rows proves a rest only in the second case.

So each *relaxed* set of rows is looked at: one row alone at a place, or none of them.  A row that holds for
certain, as that of a corner far inside a face does, is in all sets: in a heap nearly all are.  The residual
of the best forces on a set, F_e + sum f_i J_i, is the steepest motion that obeys its rows.  Whether such a
motion is free is for the collision check to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..contact.system import ContactSystem, InterfacePoints, grouped, surely_hold
from ..optimization.non_negative import non_negative_least_squares
from ..optimization.step_qp import solve_qp

_SAME_ROW = 1e-6  # largest difference of the gradients of two contacts that bind alike
_MANY = 200  # coordinates above which one sparse QP is faster than non-negative least squares
_MOST_CHOICES = 64  # joint choices at several places that are looked at
_INSIDE = 3.0  # distance from borders, over the length of a motion, at which a contact holds during it
_LEAST_SINE = 1e-2  # of the angle between normals and the borders of their cones at which edges hold


def places(points: InterfacePoints, distance: float) -> Ints:
    """Return a number (k,) for the place of each point; those of two bodies within a distance share one.

    Args:
        points: interface points (k), in the world.
        distance: a length.
    """
    offset = points.point1[:, None] - points.point1
    near: Bools = np.einsum("ijk,ijk->ij", offset, offset) <= distance**2
    near &= (points.body1[:, None] == points.body1) & (points.body2[:, None] == points.body2)
    first: Ints = near.argmax(axis=1) if len(points) else np.zeros(0, np.intp)
    return first


def firm_contacts(system: ContactSystem, points: InterfacePoints, length: float) -> Bools:
    """Return which points (k,) hold for certain during motions of a length, over R."""
    firm = np.zeros(len(points), bool)
    for pair, rows in grouped(points):
        distance = _INSIDE * length * float(system.radii.max())
        firm[rows] = surely_hold(system.body_pair(pair), points.take(rows), distance, _LEAST_SINE)
    return firm


def falling_motions(
    wrench: Floats,
    gradients: Floats,
    place: Ints,
    bilateral: Ints,
    least: float,
    firm: Bools | None = None,
) -> Floats:
    """Return motions (n, d), of length 1, along which the external forces push, and some relaxed set lets go.

    Args:
        wrench: F_e (d,), the external wrench.
        gradients: J (k, d) of the touching contacts.
        place: the place (k,) of each contact.
        bilateral: the rows of contacts that may not separate.
        least: the slope, in the units of the wrench, below which a motion does not count.
        firm: which contacts (k,) hold for certain; none if it is None.
    """
    if len(wrench) == 0:
        return np.zeros((0, 0))
    motions: list[Floats] = []
    pressing: Bools | None = None  # of all rows; a set that has them all leaves no other motion
    for kept in relaxed_sets(gradients, place, firm):
        if pressing is not None and not (pressing & ~kept).any():
            continue
        forces, motion = _pushed(wrench, gradients[kept], gradients[bilateral])
        pressing = forces > 0.0 if pressing is None else pressing
        slope = float(np.sqrt(motion @ motion))
        if slope > least:
            motion = motion / slope
            if not any(known @ motion > 1.0 - _SAME_ROW for known in motions):
                motions.append(motion)
    return np.array(motions).reshape(-1, len(wrench))


def _pushed(wrench: Floats, gradients: Floats, held: Floats) -> tuple[Floats, Floats]:
    """Return the best forces (k,) on contacts (k, d), and the motion (d,) that they leave, which keeps those
    that may not separate (b, d).
    """
    if len(wrench) > _MANY:
        both = np.concatenate([gradients, held])
        equations = len(gradients) + np.arange(len(held))
        step = solve_qp(np.eye(len(wrench)), wrench, both, np.zeros(len(both)), equations)
        assert step is not None  # 0 obeys all rows
        return step.forces[: len(gradients)], step.x
    rows = np.concatenate([gradients, held, -held])
    if len(rows) == 0:
        return np.zeros(0), wrench
    forces = non_negative_least_squares(rows.T, -wrench)
    return forces[: len(gradients)], wrench + rows.T @ forces


def relaxed_sets(gradients: Floats, place: Ints, firm: Bools | None = None) -> Iterator[Bools]:
    """Yield sets of rows, as masks (k,): all rows; one row alone at a place; a place left out; and one row
    alone at each of several places.  Places of a firm (k,) contact are left as they are.
    """
    everything = np.ones(len(place), bool)
    yield everything
    chosen = []
    for number in np.setdiff1d(place, [] if firm is None else place[firm]):
        mine = place == number
        alternatives = _distinct(gradients, mine)
        if len(alternatives) > 1:
            chosen.append([everything & ~mine | only for only in alternatives])
            yield from chosen[-1]
        yield ~mine
    if len(chosen) > 1:
        for choice in islice(product(*chosen), _MOST_CHOICES):
            yield np.logical_and.reduce(choice)


def _distinct(gradients: Floats, mine: Bools) -> list[Bools]:
    """Return the rows of one place as masks (k,), those that bind alike together."""
    left, found = mine.copy(), []
    while left.any():
        row = int(np.argmax(left))
        alike = left & (np.abs(gradients - gradients[row]).max(axis=1) < _SAME_ROW)
        found.append(alike)
        left &= ~alike
    return found
