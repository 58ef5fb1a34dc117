"""The last steps are Newton's, in full space: pose, points and forces at once (DESIGN section 3).

Unknowns: the poses x = (dX / R, dTheta) of the bodies, each pressing contact's walks d1, d2 on its two
features (by arc length / R), and its force f.  With P1 - P2 = D, arms r = P - X, tangents T1, T2 and a target
gap c, the equations are

    closure    D - c n = 0,
    tangency   n . T_a = 0   for the feature that n is not a normal of,
    balance    F_e + sum +-f n = 0,   T_e + sum +-f r x n = 0   of each body (- where it is the second),

and n moves with its owner: a face of the second body, n' = theta_2 x n - E' h d2; a face of the first, n' =
theta_1 x n + E' h d1; two edges, the projected derivative of T1 x T2 / |T1 x T2|.  Solving in all of them,
rather than for the pose with the points eliminated, stays regular at flat poles.  Redundant contacts make the
system singular; least squares of least norm keeps what is free where it is: a cylinder does not roll.

Lengths are divided by R and curvatures multiplied by it throughout; a body's x is in units of its own radius.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Floats
from ..contact.system import EDGE, FACE, FIXED, ContactSystem, FeatureGeometry, InterfacePoints, edge_normal
from ..mechanics.external_wrench import ExternalWrench
from ..vectors import cross, dot
from .refinement_system import RefinedContacts, closed_rows, newton_step

_ROUNDS = 15
_ENOUGH = 1e-14
_FARTHEST = 1.0  # pose displacement after which it is no polishing any more


@dataclass(frozen=True, eq=False)
class Refinement:
    """The bodies at rest on the given contacts: where they stand, their points and their forces; moved (d,)
    is the change of poses; residual, the largest violation of an equation.
    """

    system: ContactSystem
    points: InterfacePoints
    forces: Floats
    moved: Floats
    residual: float


def refine(
    system: ContactSystem, points: InterfacePoints, forces: Floats, load: ExternalWrench, clearance: Floats
) -> Refinement | None:
    """Bring the bodies to rest on `points` (k), starting with `forces` (k,); clearance (k,) is c / R.

    Return None if it does not converge nearby.
    """
    moved, before = np.zeros(6 * len(system)), np.inf
    for _ in range(_ROUNDS):
        at = _evaluate(system, points)
        errors = _errors(system, at, points, forces, load, clearance)
        residual = float(np.abs(errors).max())
        if residual < _ENOUGH or (residual < 1e-10 and residual > 0.3 * before):
            break
        if not np.isfinite(residual):
            return None
        before = residual
        x, walk1, walk2, push = newton_step(system, at, points, forces, load.change(system), errors)
        moved = moved + x
        if np.abs(moved).max() > _FARTHEST:
            return None
        points = system.traced(points, _walked(at.first, walk1, system), _walked(at.second, walk2, system))
        system, forces = system.displaced(x), forces + push
    if residual > 1e-9:
        return None
    return Refinement(system, _found(system, points), forces, moved, residual)


def _found(system: ContactSystem, points: InterfacePoints) -> InterfacePoints:
    """The points where they ended, each in the frame of its second body."""
    at = _evaluate(system, points)
    world = replace(
        points,
        point1=at.first.point,
        point2=at.second.point,
        normal=at.normal,
        gap=system.radius * dot(at.offset, at.normal),
    )
    return system.in_pair_frames(world)


def _walked(at: FeatureGeometry, walk: Floats, system: ContactSystem) -> Floats:
    step = system.radius * walk
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
    """Put the points of flat faces under their partners and those of straight edges together, past the
    features' ends: a vertex that stands on the border of two triangles of one plane must not stop there.
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


def _errors(
    system: ContactSystem,
    at: RefinedContacts,
    points: InterfacePoints,
    forces: Floats,
    load: ExternalWrench,
    clearance: Floats,
) -> Floats:
    """Stack closure (3k), tangency to each side (2k + 2k) and balance (6 m); what does not apply is zero."""
    closure = at.offset - clearance[:, None] * at.normal
    along_only = ~closed_rows(points)
    closure = np.where(along_only[:, None], dot(closure, at.normal)[:, None] * at.normal, closure)
    tangent1 = np.where(
        (points.dim2 == FACE)[:, None], (at.first.tangents @ at.normal[:, :, None])[:, :, 0], 0.0
    )
    over_first = (points.dim1 == FACE) & (points.dim2 != FACE)
    tangent2 = np.where(over_first[:, None], (at.second.tangents @ at.normal[:, :, None])[:, :, 0], 0.0)
    balance = load.wrench(system).reshape(-1, 6)
    pushes = forces[:, None] * at.normal
    for bodies, arms, sign in ((points.body1, at.arm1, 1.0), (points.body2, at.arm2, -1.0)):
        rows = bodies != FIXED
        scale = (system.radii / system.radius)[bodies[rows], None]
        wrenches = np.concatenate([scale * pushes[rows], cross(arms[rows], pushes[rows])], axis=1)
        np.add.at(balance, bodies[rows], sign * wrenches)
    return np.concatenate([closure.ravel(), tangent1.ravel(), tangent2.ravel(), balance.ravel()])
