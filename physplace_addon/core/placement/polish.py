"""The last steps are Newton's, in full space: pose, points and forces at once (DESIGN section 3).

Unknowns: the pose x = (dX / R, dTheta), each pressing contact's walks d1, d2 on its two features (by arc
length / R), and its force f.  With P1 - P2 = D, arm r = P1 - X, tangents T1, T2 and a target gap c, the
equations are

    closure    D - c n = 0,
    tangency   n . T_a = 0   for the feature that n is not a normal of,
    balance    F_e + sum f n = 0,   T_e + sum f r x n = 0,

and n moves with its owner: a face of the world, n' = -E' h d2; a face of the active body, n' = theta x n +
E' h d1; two edges, the projected derivative of T1 x T2 / |T1 x T2|.  Solving in all of them, rather than for
the pose with the points eliminated, stays regular at flat poles.  Redundant contacts make the system
singular; least squares of least norm keeps what is free where it is: a cylinder does not roll.

Lengths are divided by R and curvatures multiplied by it throughout.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..contact.encounter import Encounter
from ..contact.features import EDGE, FACE, FeatureGeometry, cross, dot
from ..contact.points import InterfacePoints
from ..contact.relaxation import edge_normal
from ..rigid import skew

_ROUNDS = 15
_ENOUGH = 1e-14
_FARTHEST = 1.0  # pose displacement after which it is no polishing any more
_RANK = 1e-8


@dataclass(frozen=True, eq=False)
class Polished:
    """The body at rest on the given contacts: where it stands, its points and their forces; moved (6,) is
    the change of pose; residual, the largest violation of an equation.
    """

    encounter: Encounter
    points: InterfacePoints
    forces: Floats
    moved: Floats
    residual: float


@dataclass(frozen=True, eq=False)
class _Contacts:
    """Evaluated contacts in units of R: offsets D (k, 3), arms r (k, 3), normals (k, 3), and both
    geometries.
    """

    first: FeatureGeometry
    second: FeatureGeometry
    offset: Floats
    arm: Floats
    normal: Floats
    sine: Floats


def polish(
    encounter: Encounter, points: InterfacePoints, forces: Floats, wrench: Floats, clearance: Floats
) -> Polished | None:
    """Bring the active body to rest on `points` (k), starting with `forces` (k,); clearance (k,) is c / R.

    Return None if it does not converge nearby.
    """
    moved, before = np.zeros(6), np.inf
    for _ in range(_ROUNDS):
        at = _evaluate(encounter, points)
        errors = _errors(at, points, forces, wrench, clearance)
        residual = float(np.abs(errors).max())
        if residual < _ENOUGH or (residual < 1e-10 and residual > 0.3 * before):
            break
        if not np.isfinite(residual):
            return None
        before = residual
        x, walk1, walk2, push = _newton(at, points, forces, errors)
        moved = moved + x
        if np.abs(moved).max() > _FARTHEST:
            return None
        first, second = encounter.first(points), encounter.second(points)
        first, second = (
            first.moved(_walked(at.first, walk1, encounter)),
            second.moved(_walked(at.second, walk2, encounter)),
        )
        points = replace(points, param1=first.param, param2=second.param)
        encounter, forces = encounter.displaced(x), forces + push
    if residual > 1e-9:
        return None
    at = _evaluate(encounter, points)
    radius = encounter.radius
    points = replace(
        points,
        point1=at.first.point,
        point2=at.second.point,
        normal=at.normal,
        gap=radius * dot(at.offset, at.normal),
    )
    return Polished(encounter, points, forces, moved, residual)


def _walked(at: FeatureGeometry, walk: Floats, encounter: Encounter) -> Floats:
    step = encounter.radius * walk
    return step[:, 0, None] * at.tangents[:, 0] + step[:, 1, None] * at.tangents[:, 1]


def _evaluate(encounter: Encounter, points: InterfacePoints) -> _Contacts:
    first, second = encounter.evaluate(points)
    first, second = _slid(encounter, points, first, second)
    normal, sine = _normals(points, first, second)
    offset = (first.point - second.point) / encounter.radius
    arm = (first.point - encounter.centre) / encounter.radius
    return _Contacts(
        _scaled(first, encounter.radius), _scaled(second, encounter.radius), offset, arm, normal, sine
    )


def _scaled(at: FeatureGeometry, radius: float) -> FeatureGeometry:
    return replace(at, curvature=radius * at.curvature, bend_vector=radius * at.bend_vector)


def _slid(
    encounter: Encounter, points: InterfacePoints, first: FeatureGeometry, second: FeatureGeometry
) -> tuple[FeatureGeometry, FeatureGeometry]:
    """Put the points of flat faces under their partners and those of straight edges together, past the
    features' ends: a vertex that stands on the border of two triangles of one plane must not stop there.
    """
    offset = first.point - second.point
    world_flat = _flat_faces(points.dim2, points.index2, encounter.world.body.face_flat)
    slide2 = np.where(world_flat[:, None], _tangent_part(second, offset), 0.0)
    active_flat = _flat_faces(points.dim1, points.index1, encounter.active.body.face_flat) & (
        points.dim2 != FACE
    )
    slide1 = np.where(active_flat[:, None], _tangent_part(first, -offset), 0.0)
    straight = _straight(encounter, points)
    if straight.any():
        t1, t2 = first.tangents[:, 0], second.tangents[:, 0]
        cosine, pull1, pull2 = dot(t1, t2), -dot(offset, t1), dot(offset, t2)
        across = np.maximum(1.0 - cosine**2, 1e-12)
        slide1 = np.where(straight[:, None], ((pull1 + cosine * pull2) / across)[:, None] * t1, slide1)
        slide2 = np.where(straight[:, None], ((pull2 + cosine * pull1) / across)[:, None] * t2, slide2)
    return replace(first, point=first.point + slide1), replace(second, point=second.point + slide2)


def _flat_faces(dim: Ints, index: Ints, flat: Bools) -> Bools:
    out: Bools = dim == FACE
    out[out] = flat[index[out]]
    return out


def _straight(encounter: Encounter, points: InterfacePoints) -> Bools:
    out: Bools = (points.dim1 == EDGE) & (points.dim2 == EDGE)
    out[out] = encounter.active.straight[points.index1[out]] & encounter.world.straight[points.index2[out]]
    return out


def _tangent_part(at: FeatureGeometry, offset: Floats) -> Floats:
    along = at.tangents @ offset[:, :, None]
    result: Floats = (at.tangents * along).sum(axis=1)
    return result


def _normals(
    points: InterfacePoints, first: FeatureGeometry, second: FeatureGeometry
) -> tuple[Floats, Floats]:
    by_edges, sine = edge_normal(first, second)
    edges = (points.dim1 == EDGE) & (points.dim2 == EDGE)
    raw = np.where((points.dim2 == FACE)[:, None], second.normal, -first.normal)
    raw = np.where(edges[:, None], by_edges, raw)
    faceless = (points.dim1 != FACE) & (points.dim2 != FACE) & ~edges
    normal = np.where(faceless[:, None], points.normal, points.side[:, None] * raw)
    return normal, np.maximum(sine, 1e-6)


def _closed_rows(points: InterfacePoints) -> Bools:
    """Tell which contacts close in all three directions; a vertex on an edge or a vertex only closes along
    its normal.
    """
    closed: Bools = (points.dim1 == FACE) | (points.dim2 == FACE)
    closed |= (points.dim1 == EDGE) & (points.dim2 == EDGE)
    return closed


def _errors(
    at: _Contacts, points: InterfacePoints, forces: Floats, wrench: Floats, clearance: Floats
) -> Floats:
    """Stack closure (3k), tangency to each side (2k + 2k) and balance (6); what does not apply is zero."""
    closure = at.offset - clearance[:, None] * at.normal
    along_only = ~_closed_rows(points)
    closure = np.where(along_only[:, None], dot(closure, at.normal)[:, None] * at.normal, closure)
    tangent1 = np.where(
        (points.dim2 == FACE)[:, None], (at.first.tangents @ at.normal[:, :, None])[:, :, 0], 0.0
    )
    over_active = (points.dim1 == FACE) & (points.dim2 != FACE)
    tangent2 = np.where(over_active[:, None], (at.second.tangents @ at.normal[:, :, None])[:, :, 0], 0.0)
    force = wrench[:3] + forces @ at.normal
    torque = wrench[3:] + forces @ cross(at.arm, at.normal)
    return np.concatenate([closure.ravel(), tangent1.ravel(), tangent2.ravel(), force, torque])


def _newton(
    at: _Contacts, points: InterfacePoints, forces: Floats, errors: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Solve for the next (x, d1, d2, df) by least squares of least norm."""
    k = len(points)
    point_by = np.zeros((k, 3, 11))  # columns of a contact: x (6), d1 (2), d2 (2), f
    point_by[:, :, :3] = np.eye(3)
    point_by[:, :, 3:6] = -skew(at.arm)
    point_by[:, :, 6:8] = at.first.tangents.transpose(0, 2, 1)
    offset_by = point_by.copy()
    offset_by[:, :, 8:10] = -at.second.tangents.transpose(0, 2, 1)
    closed = _closed_rows(points)
    along = at.normal[:, :, None] * (at.normal[:, None] @ offset_by)
    along[:, :, 6:] = 0.0
    offset_by = np.where(closed[:, None, None], offset_by, along)
    normal_by = _normal_derivative(at, points)
    tangency1 = _tangency(at.first, at.normal, normal_by, 6, True)
    tangency1[points.dim2 != FACE] = 0.0
    tangency2 = _tangency(at.second, at.normal, normal_by, 8, False)
    tangency2[(points.dim1 != FACE) | (points.dim2 == FACE)] = 0.0
    force_by = forces[:, None, None] * normal_by
    force_by[:, :, 10] += at.normal
    arm_by = point_by.copy()
    arm_by[:, :, :3] = 0.0
    turning = skew(at.arm) @ normal_by - skew(at.normal) @ arm_by
    torque_by = forces[:, None, None] * turning
    torque_by[:, :, 10] += cross(at.arm, at.normal)
    matrix = _scattered([offset_by, tangency1, tangency2], [force_by, torque_by], k)
    solution: Floats = np.linalg.lstsq(matrix, -errors, rcond=_RANK)[0].astype(np.float64)
    walks = solution[6 : 6 + 4 * k].reshape(k, 4)
    return solution[:6], walks[:, :2], walks[:, 2:], solution[6 + 4 * k :]


def _normal_derivative(at: _Contacts, points: InterfacePoints) -> Floats:
    """dn (k, 3, 11) by x, d1, d2 and f."""
    out = np.zeros((len(points), 3, 11))
    side = points.side[:, None, None]
    world = points.dim2 == FACE
    by_second = -side * (at.second.tangents.transpose(0, 2, 1) @ at.second.curvature)
    out[:, :, 8:10] = np.where(world[:, None, None], by_second, 0.0)
    turning = -skew(at.normal)
    over_active = (points.dim1 == FACE) & ~world
    by_first = side * (at.first.tangents.transpose(0, 2, 1) @ at.first.curvature)
    out[over_active, :, 3:6] = turning[over_active]
    out[over_active, :, 6:8] = by_first[over_active]
    edges = (points.dim1 == EDGE) & (points.dim2 == EDGE)
    if edges.any():
        out[edges] = _edge_normal_derivative(at, points, edges)
    return out


def _edge_normal_derivative(at: _Contacts, points: InterfacePoints, edges: np.ndarray) -> Floats:
    t1, t2, n = at.first.tangents[edges, 0], at.second.tangents[edges, 0], at.normal[edges]
    out = np.zeros((len(t1), 3, 11))
    out[:, :, 3:6] = cross(cross(np.eye(3)[None], t1[:, None]), t2[:, None]).transpose(0, 2, 1)
    out[:, :, 6] = cross(at.first.bend_vector[edges], t2)
    out[:, :, 8] = cross(t1, at.second.bend_vector[edges])
    out *= (points.side[edges] / at.sine[edges])[:, None, None]
    out -= n[:, :, None] * (n[:, None] @ out)
    return out


def _tangency(at: FeatureGeometry, normal: Floats, normal_by: Floats, column: int, turns: bool) -> Floats:
    """d(n . T_a) (k, 2, 11): the normal's own change, the feature's bend under its walk, its turn with the
    body.
    """
    out = at.tangents @ normal_by
    out[:, :, column : column + 2] += at.bend(normal)
    if turns:
        out[:, :, 3:6] += cross(at.tangents, normal[:, None, :])
    return out


def _scattered(local: list[Floats], shared: list[Floats], k: int) -> Floats:
    """Place the contacts' blocks: columns x, then (d1, d2) of each contact, then f of each."""
    rows = sum(block.shape[1] for block in local) * k
    matrix = np.zeros((rows + 6, 6 + 5 * k))
    start = 0
    for block in local:
        height = block.shape[1]
        for i in range(k):
            here = slice(start + i * height, start + (i + 1) * height)
            matrix[here, :6] = block[i, :, :6]
            matrix[here, 6 + 4 * i : 10 + 4 * i] = block[i, :, 6:10]
        start += height * k
    for j, block in enumerate(shared):
        here = slice(start + 3 * j, start + 3 * j + 3)
        matrix[here, :6] = block[:, :, :6].sum(axis=0)
        matrix[here, 6 : 6 + 4 * k] = block[:, :, 6:10].transpose(1, 0, 2).reshape(3, 4 * k)
        matrix[here, 6 + 4 * k :] = block[:, :, 10].T
    return matrix
