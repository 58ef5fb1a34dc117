"""The derivatives of the equations of a rest, which `newton_refinement` states.

A contact's own 17 columns are those of its two bodies' x (6 each), its displacements d1, d2 on its features
(2 each) and its force f.  They are scattered into the columns of the whole system: x of all bodies, then all
displacements, then all forces.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from ..arrays import Bools, Floats, Ints
from ..contact.system import EDGE, FACE, FIXED, ContactSystem, FeatureGeometry, InterfacePoints
from ..mechanics.coordinates import Coordinates
from ..optimization.step_qp import MANY
from ..rigid import skew
from ..vectors import cross

_SHIFT1, _TURN1, _SHIFT2, _TURN2 = slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 12)
_ALONG1, _ALONG2, _FORCE = slice(12, 14), slice(14, 16), 16
_COLUMNS = 17
# Singular values, over the largest, that count as zero: redundant contacts make the system singular.
_RANK = 1e-8
# Weight of the solution's square beside that of the residual, for many bodies.
_FAINT = 1e-6
# Solutions of that system that are added up.
_REPEATS = 4


@dataclass(frozen=True, eq=False)
class RefinedContacts:
    """The k contacts evaluated in the world, lengths in units of R.

    Attributes:
        first: the geometry of the first features.
        second: that of the second features.
        offset: D (k, 3), from the second point to the first.
        arm1: r (k, 3) of the first body's point from its centre of mass.
        arm2: that of the second body, zero where it does not move.
        normal: n (k, 3).
        sine: (k,), of the angle between two edges, at least 1e-6.
    """

    first: FeatureGeometry
    second: FeatureGeometry
    offset: Floats
    arm1: Floats
    arm2: Floats
    normal: Floats
    sine: Floats


def closed_rows(points: InterfacePoints) -> Bools:
    """Return which contacts (k,) close in all three directions.

    A vertex on an edge or on a vertex closes along its normal alone.
    """
    closed: Bools = (points.dim1 == FACE) | (points.dim2 == FACE)
    closed |= (points.dim1 == EDGE) & (points.dim2 == EDGE)
    return closed


def wrench_of(system: ContactSystem, at: RefinedContacts, points: InterfacePoints, forces: Floats) -> Floats:
    """Return the wrench (6 m,) of contact forces (k,) on the bodies."""
    total, pushes = np.zeros((len(system), 6)), forces[:, None] * at.normal
    for bodies, arms, sign in ((points.body1, at.arm1, 1.0), (points.body2, at.arm2, -1.0)):
        rows = bodies != FIXED
        scale = (system.radii / system.radius)[bodies[rows], None]
        wrenches = np.concatenate([scale * pushes[rows], cross(arms[rows], pushes[rows])], axis=1)
        np.add.at(total, bodies[rows], sign * wrenches)
    return total.ravel()


def newton_step(
    system: ContactSystem,
    at: RefinedContacts,
    points: InterfacePoints,
    forces: Floats,
    change: Floats,
    errors: Floats,
    coordinates: Coordinates,
    load: Floats,
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the next step (q, d1, d2, df), by least squares of least norm; of many bodies sparse.

    Args:
        system: the bodies.
        at: the evaluated contacts (k).
        points: the contacts (k).
        forces: (k,), in units of the external force.
        change: (6 m, 6 m), the derivative of the external wrench by x.
        errors: (7 k + d,), the violations of the equations.
        coordinates: what may move.
        load: the whole wrench (6 m,) on the bodies.

    Returns:
        q (d,), d1 (k, 2), d2 (k, 2) and df (k,).
    """
    k, d = len(points), coordinates.size(system)
    matrix = _matrix(system, at, points, forces, change)
    if coordinates.bend:
        matrix = _by_coordinates(matrix, system, coordinates, load)
    if d > MANY and not coordinates.bend:
        solution = least_squares_of_many(matrix, -errors)
    else:
        solution = np.linalg.lstsq(matrix.toarray(), -errors, rcond=_RANK)[0].astype(np.float64)
    displacements = solution[d : d + 4 * k].reshape(k, 4)
    return solution[:d], displacements[:, :2], displacements[:, 2:], solution[d + 4 * k :]


def _by_coordinates(
    matrix: sparse.csc_array, system: ContactSystem, coordinates: Coordinates, load: Floats
) -> sparse.csc_array:
    """Return the derivatives by coordinates (d,) in place of those by twists, the balance theirs, too."""
    twists, dense, bodies = coordinates.twists(system), matrix.toarray(), 6 * len(system)
    for body, torque in enumerate(load.reshape(-1, 6)[:, 3:]):
        turns = slice(6 * body + 3, 6 * body + 6)
        dense[-bodies:, :bodies][turns, turns] += 0.5 * skew(torque)
    upper, lower = dense[:-bodies], twists.T @ dense[-bodies:]
    both = np.concatenate([upper, lower])
    found = np.concatenate([both[:, :bodies] @ twists, both[:, bodies:]], axis=1)
    found[len(upper) :, : twists.shape[1]] += coordinates.curvature(system, load[None])[0]
    return sparse.csc_array(found)


def least_squares_of_many(matrix: sparse.csc_array, right: Floats) -> Floats:
    """Return the least squares of A x = b of least norm: x of (A'A + e 1) dx = A'(b - A x), e faint, from 0.

    dx is the lower half of the solution of a sparse system with the residual, [1, A; A', -e 1], which does
    not square A's condition.  Repeated, it is not biased by e where A holds it; elsewhere it stays 0.
    """
    height, width = matrix.shape
    faint = -_FAINT * sparse.eye_array(width, format="csc")
    whole = sparse.block_array([[sparse.eye_array(height), matrix], [matrix.T, faint]], format="csc")
    factors, solution = splu(whole), np.zeros(width)
    for _ in range(_REPEATS):
        left = right - matrix @ solution
        step = factors.solve(np.concatenate([left, np.zeros(width)]))
        solution = solution + np.asarray(step, np.float64)[height:]
    return solution


def _matrix(
    system: ContactSystem, at: RefinedContacts, points: InterfacePoints, forces: Floats, change: Floats
) -> sparse.csc_array:
    scale1, scale2 = _scales(system, points)
    point1_by = _point_by(at.first, at.arm1, scale1, _SHIFT1, _TURN1, _ALONG1)
    point2_by = _point_by(at.second, at.arm2, scale2, _SHIFT2, _TURN2, _ALONG2)
    normal_by = _normal_by(at, points)
    tangency1 = _tangency(at.first, at.normal, normal_by, _TURN1, _ALONG1)
    tangency1[points.dim2 != FACE] = 0.0
    tangency2 = _tangency(at.second, at.normal, normal_by, _TURN2, _ALONG2)
    tangency2[(points.dim1 != FACE) | (points.dim2 == FACE)] = 0.0
    wrench1 = _wrench_by(at.normal, at.arm1, point1_by, normal_by, forces, scale1)
    wrench2 = -_wrench_by(at.normal, at.arm2, point2_by, normal_by, forces, scale2)
    closure = _closure_by(at, points, point1_by - point2_by)
    return _scattered(system, points, [closure, tangency1, tangency2], wrench1, wrench2, change)


def _scales(system: ContactSystem, points: InterfacePoints) -> tuple[Floats, Floats]:
    """Return R_b / R of each contact's first and second body, (k,) each; 1 where the second does not move."""
    radii = system.radii / system.radius
    return radii[points.body1], np.where(points.body2 == FIXED, 1.0, radii[points.body2])


def _point_by(
    at: FeatureGeometry, arm: Floats, scale: Floats, shift: slice, turn: slice, along: slice
) -> Floats:
    """Return dP (k, 3, 17), the derivative of a contact's point."""
    out = np.zeros((len(arm), 3, _COLUMNS))
    out[:, :, shift] = scale[:, None, None] * np.eye(3)
    out[:, :, turn] = -skew(arm)
    out[:, :, along] = at.tangents.transpose(0, 2, 1)
    return out


def _closure_by(at: RefinedContacts, points: InterfacePoints, offset_by: Floats) -> Floats:
    """Return dD (k, 3, 17); for contacts that close along their normal alone, its part along it."""
    along = at.normal[:, :, None] * (at.normal[:, None] @ offset_by)
    along[:, :, 12:] = 0.0
    return np.where(closed_rows(points)[:, None, None], offset_by, along)


def _wrench_by(
    normal: Floats, arm: Floats, point_by: Floats, normal_by: Floats, forces: Floats, scale: Floats
) -> Floats:
    """Return d(f n, f r x n) (k, 6, 17) on a body at whose arm r the contact is."""
    force_by = forces[:, None, None] * normal_by
    force_by[:, :, _FORCE] += normal
    arm_by = point_by.copy()
    arm_by[:, :, _SHIFT1] = arm_by[:, :, _SHIFT2] = 0.0
    torque_by = forces[:, None, None] * (skew(arm) @ normal_by - skew(normal) @ arm_by)
    torque_by[:, :, _FORCE] += cross(arm, normal)
    return np.concatenate([scale[:, None, None] * force_by, torque_by], axis=1)


def _normal_by(at: RefinedContacts, points: InterfacePoints) -> Floats:
    """Return dn (k, 3, 17): the normal turns with its owner and bends with the displacement on it."""
    out = np.zeros((len(points), 3, _COLUMNS))
    side = points.side[:, None, None]
    on_second = points.dim2 == FACE
    on_first = (points.dim1 == FACE) & ~on_second
    edges = (points.dim1 == EDGE) & (points.dim2 == EDGE)
    turning = -skew(at.normal)
    second: Bools = ~on_first & ~edges
    out[second, :, _TURN2] = turning[second]
    by_second = -side * (at.second.tangents.transpose(0, 2, 1) @ at.second.curvature)
    out[on_second, :, _ALONG2] = by_second[on_second]
    by_first = side * (at.first.tangents.transpose(0, 2, 1) @ at.first.curvature)
    out[on_first, :, _TURN1] = turning[on_first]
    out[on_first, :, _ALONG1] = by_first[on_first]
    if edges.any():
        out[edges] = _edge_normal_by(at, points, edges)
    return out


def _edge_normal_by(at: RefinedContacts, points: InterfacePoints, edges: Bools) -> Floats:
    t1, t2, n = at.first.tangents[edges, 0], at.second.tangents[edges, 0], at.normal[edges]
    out = np.zeros((len(t1), 3, _COLUMNS))
    axes = np.eye(3)[None]
    out[:, :, _TURN1] = cross(cross(axes, t1[:, None]), t2[:, None]).transpose(0, 2, 1)
    out[:, :, _TURN2] = cross(t1[:, None], cross(axes, t2[:, None])).transpose(0, 2, 1)
    out[:, :, _ALONG1.start] = cross(at.first.curvature_vector[edges], t2)
    out[:, :, _ALONG2.start] = cross(t1, at.second.curvature_vector[edges])
    out *= (points.side[edges] / at.sine[edges])[:, None, None]
    out -= n[:, :, None] * (n[:, None] @ out)
    return out


def _tangency(at: FeatureGeometry, normal: Floats, normal_by: Floats, turn: slice, along: slice) -> Floats:
    """Return d(n . T_a) (k, 2, 17).

    Its terms are the normal's own change, the curvature along the displacement, and the body's rotation.
    """
    out = at.tangents @ normal_by
    out[:, :, along] += at.curvature_along(normal)
    out[:, :, turn] += cross(at.tangents, normal[:, None, :])
    return out


def _scattered(
    system: ContactSystem,
    points: InterfacePoints,
    local: list[Floats],
    wrench1: Floats,
    wrench2: Floats,
    change: Floats,
) -> sparse.csc_array:
    """Return the whole matrix: the contacts' blocks, and their wrenches in the rows of their bodies, with the
    derivative of the external wrench.
    """
    k, m = len(points), len(system)
    columns = _columns(points, k, m)
    spare = 6 * m + 5 * k  # where the columns of what stands still end up
    parts: list[tuple[Ints, Ints, Floats]] = []
    start = 0
    for block in local:
        height = block.shape[1]
        rows = start + np.arange(height * k).reshape(k, height)
        parts.append(_entries(rows, columns, block))
        start += height * k
    for bodies, block in ((points.body1, wrench1), (points.body2, wrench2)):
        moving = bodies != FIXED
        rows = start + 6 * bodies[moving, None] + np.arange(6)
        parts.append(_entries(rows, columns[moving], block[moving]))
    row, column = np.nonzero(change)
    parts.append((start + row, column, change[row, column]))
    rows, across, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    whole = sparse.csc_array((values, (rows, across)), (start + 6 * m, spare + 1))
    return whole[:, :spare]


def _entries(rows: Ints, columns: Ints, block: Floats) -> tuple[Ints, Ints, Floats]:
    """Return the rows, columns and values (n,) of the entries that are not 0 of blocks (k, a, b)."""
    there = np.nonzero(block)
    return rows[there[0], there[1]], columns[there[0], there[2]], block[there]


def _columns(points: InterfacePoints, k: int, m: int) -> Ints:
    """Return the columns (k, 17), among all unknowns, of each contact's own ones."""
    out = np.empty((k, _COLUMNS), np.intp)
    out[:, :6] = 6 * points.body1[:, None] + np.arange(6)
    second = 6 * points.body2[:, None] + np.arange(6)
    out[:, 6:12] = np.where((points.body2 == FIXED)[:, None], 6 * m + 5 * k, second)
    out[:, 12:16] = 6 * m + 4 * np.arange(k)[:, None] + np.arange(4)
    out[:, _FORCE] = 6 * m + 4 * k + np.arange(k)
    return out
