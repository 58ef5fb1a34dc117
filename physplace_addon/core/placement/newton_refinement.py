"""Newton refinement of a rest: the last steps, in poses, contact points and contact forces at once.

Near a rest the set of pressing contacts stays the same, and the conditions of balance (Snyder 1995, section
5.2) are equations.  Unknowns: the poses x = (dX / R, dTheta) of the bodies, each pressing contact's
displacements d1, d2 on its two features (arc length / R), and its force f.  With P1 - P2 = D, arms r = P - X,
tangents T1, T2 and a target gap c, the equations are

    closure    D - c n = 0,
    tangency   n . T_a = 0   for the feature that n is not a normal of,
    balance    F_e + sum +-f n = 0,   T_e + sum +-f r x n = 0   of each body (- where it is the second),

and n moves with its owner: a face of the second body, n' = theta_2 x n - E' h d2; a face of the first, n' =
theta_1 x n + E' h d1; two edges, the projected derivative of T1 x T2 / |T1 x T2|.  Solving in all of them,
rather than for the pose with the points eliminated, stays regular at flat poles.  Redundant contacts make the
system singular; least squares of least norm keeps what is free where it is: a cylinder does not roll.

Lengths are divided by R and curvatures multiplied by it throughout; a body's x is in units of its own radius.

Bodies that are not free have coordinates q of which x is a function, x = T q + 1/2 q' C q.  Then the unknowns
are q, and balance is T' w = 0, w the whole wrench on the bodies.  Its derivative is

    T' (dw/dx + 1/2 [t]x) T + sum_a w_a C_a,

where [t]x / 2, t the torque on each body, makes of the derivative of a torque in the scene the second
derivative of the energy along rotation vectors: there w is not zero, as joints react to it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Floats
from ..contact.system import EDGE, FACE, FIXED, ContactSystem, FeatureGeometry, InterfacePoints, edge_normal
from ..mechanics.coordinates import FREE_BODIES, Coordinates
from ..mechanics.external_wrench import ExternalWrench
from ..vectors import dot
from .refinement_system import RefinedContacts, closed_rows, newton_step, wrench_of

# Most Newton steps; two to five are usual.
_ROUNDS = 15
# Largest violation of an equation, in units of R and of the external force, that counts as solved.
_ENOUGH = 1e-14
# Largest displacement in x, beyond which the rest is another one.
_FARTHEST = 1.0


@dataclass(frozen=True, eq=False)
class Refinement:
    """The bodies at rest on given contacts.

    Attributes:
        system: the bodies at rest.
        points: their contacts (k), each in the frame of its second body.
        forces: (k,), in units of the external force.
        moved: (6 m,), the change of poses, (dX / R, dTheta) of each body.
        residual: the largest violation of an equation.
    """

    system: ContactSystem
    points: InterfacePoints
    forces: Floats
    moved: Floats
    residual: float


def refine(
    system: ContactSystem,
    points: InterfacePoints,
    forces: Floats,
    external: ExternalWrench,
    clearance: Floats,
    coordinates: Coordinates = FREE_BODIES,
) -> Refinement | None:
    """Return the bodies at rest on given contacts; None if Newton's method does not converge nearby.

    Args:
        system: the bodies near the rest.
        points: the pressing contacts (k).
        forces: (k,), a first guess of their forces.
        external: the external wrench.
        clearance: c / R of each contact (k,).
        coordinates: what may move.
    """
    moved, before = np.zeros(6 * len(system)), np.inf
    for _ in range(_ROUNDS):
        at = _evaluate(system, points)
        load = external.wrench(system) + wrench_of(system, at, points, forces)
        errors = np.concatenate([_errors(at, points, clearance), coordinates.wrench(system, load)])
        residual = float(np.abs(errors).max(initial=0.0))
        if residual < _ENOUGH or (residual < 1e-10 and residual > 0.3 * before):
            break
        if not np.isfinite(residual):
            return None
        before = residual
        change = external.change(system)
        x, along1, along2, push = newton_step(system, at, points, forces, change, errors, coordinates, load)
        moved = moved + coordinates.motion(system, x)
        if np.abs(moved).max() > _FARTHEST:
            return None
        points = system.traced(
            points, _displacement(at.first, along1, system), _displacement(at.second, along2, system)
        )
        system, forces = _displaced(system, x, coordinates), forces + push
    if residual > 1e-9:
        return None
    return Refinement(system, _points_at_rest(system, points), forces, moved, residual)


def _displaced(system: ContactSystem, x: Floats, coordinates: Coordinates) -> ContactSystem:
    """Return the system after a step; of free bodies however small it is."""
    return coordinates.displaced(system, x) if coordinates.bend else system.displaced(x)


def _points_at_rest(system: ContactSystem, points: InterfacePoints) -> InterfacePoints:
    """Return the points where they ended, each in the frame of its second body."""
    at = _evaluate(system, points)
    world = replace(
        points,
        point1=at.first.point,
        point2=at.second.point,
        normal=at.normal,
        gap=system.radius * dot(at.offset, at.normal),
    )
    return system.in_pair_frames(world)


def _displacement(at: FeatureGeometry, along: Floats, system: ContactSystem) -> Floats:
    step = system.radius * along
    return step[:, 0, None] * at.tangents[:, 0] + step[:, 1, None] * at.tangents[:, 1]


def _evaluate(system: ContactSystem, points: InterfacePoints) -> RefinedContacts:
    first, second = system.evaluate(points)
    first, second = _slid(system, points, first, second)
    normal, sine = _normals(system.in_world(points), first, second)
    radius = system.radius
    arm2 = (second.point - system.centres[points.body2]) / radius
    return RefinedContacts(
        _scaled(first, radius),
        _scaled(second, radius),
        (first.point - second.point) / radius,
        (first.point - system.centres[points.body1]) / radius,
        np.where((points.body2 == FIXED)[:, None], 0.0, arm2),
        normal,
        sine,
    )


def _scaled(at: FeatureGeometry, radius: float) -> FeatureGeometry:
    return replace(at, curvature=radius * at.curvature, curvature_vector=radius * at.curvature_vector)


def _slid(
    system: ContactSystem, points: InterfacePoints, first: FeatureGeometry, second: FeatureGeometry
) -> tuple[FeatureGeometry, FeatureGeometry]:
    """Return the geometries with points of flat faces and straight edges moved next to their partners.

    They may move past the features' ends: a vertex on the border of two triangles of one plane must not stop
    there.
    """
    offset = first.point - second.point
    flat1, flat2 = system.flat_sides(points)
    under = flat2 & (points.dim2 == FACE)
    slide2 = np.where(under[:, None], _tangent_part(second, offset), 0.0)
    over = flat1 & (points.dim1 == FACE) & (points.dim2 != FACE)
    slide1 = np.where(over[:, None], _tangent_part(first, -offset), 0.0)
    straight = flat1 & flat2 & (points.dim1 == EDGE) & (points.dim2 == EDGE)
    if straight.any():
        t1, t2 = first.tangents[:, 0], second.tangents[:, 0]
        cosine, pull1, pull2 = dot(t1, t2), -dot(offset, t1), dot(offset, t2)
        across = np.maximum(1.0 - cosine**2, 1e-12)
        slide1 = np.where(straight[:, None], ((pull1 + cosine * pull2) / across)[:, None] * t1, slide1)
        slide2 = np.where(straight[:, None], ((pull2 + cosine * pull1) / across)[:, None] * t2, slide2)
    return replace(first, point=first.point + slide1), replace(second, point=second.point + slide2)


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


def _errors(at: RefinedContacts, points: InterfacePoints, clearance: Floats) -> Floats:
    """Return closure (3k) and tangency to each side (2k + 2k); others are 0."""
    closure = at.offset - clearance[:, None] * at.normal
    along_only = ~closed_rows(points)
    closure = np.where(along_only[:, None], dot(closure, at.normal)[:, None] * at.normal, closure)
    tangent1 = np.where(
        (points.dim2 == FACE)[:, None], (at.first.tangents @ at.normal[:, :, None])[:, :, 0], 0.0
    )
    over_first = (points.dim1 == FACE) & (points.dim2 != FACE)
    tangent2 = np.where(over_first[:, None], (at.second.tangents @ at.normal[:, :, None])[:, :, 0], 0.0)
    return np.concatenate([closure.ravel(), tangent1.ravel(), tangent2.ravel()])
