"""Solving interface points: each pair's extremal pair, its side, its normal and its signed gap, for every
kind at once.

Snyder 1995, sections 4.1 (the conditioning phase of tracking) and 4.4.  See `relaxation` for the equations.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import dot
from ..body_pair import BodyPair
from ..features import FACE, VERTEX, FeatureGeometry
from ..normal_cones import rises_of_both
from ..regions.flat_pairs import PARALLEL
from .interface_points import InterfacePoints
from .iteration import eigen_2x2
from .linearization import SOFT
from .minimization import ExtremalPairs, FaceTerms, edge_normal, face_terms, minimize_distance, minimize_gap

_HOLLOW = 0.3  # K R below minus which a start is given up
_UPRIGHT = 1e-9  # sine of the angle below which a normal cone, of an edge that stands upright, tells no side
_SADDLE = 1e-3  # K R below minus which a stationary pair is not a minimum


def solve_extremal_pairs(
    body_pair: BodyPair, points: InterfacePoints, known_sides: Bools | bool
) -> tuple[InterfacePoints, Bools]:
    """Solve each pair from where it stands; return the points (k) and which are stationary minima inside
    their domains (k,).

    known_sides (k,), or of all: keep `points.side`, or of two edges the way that `points.normal` looks; else
    tell it from the distance.
    """
    k = len(points)
    known = np.broadcast_to(known_sides, k)
    valid = np.zeros(k, bool)
    solved = points.copy()
    on_world = points.dim2 == FACE
    on_active = (points.dim1 == FACE) & ~on_world
    for rows, solver in (
        (on_world, _on_world),
        (on_active, _on_active),
        (~(on_world | on_active), _by_distance),
    ):
        if rows.any():
            part, valid[rows] = solver(body_pair, points.take(rows), known[rows])
            solved.put(rows, part)
    return solved, valid


def promising(body_pair: BodyPair, starts: InterfacePoints, known_sides: Bools) -> Bools:
    """Tell which starts over faces may lead to a minimum, shape (k,): not those whose gap curves down all
    the same - a straight edge over a hollow, a flat face against one - and so is least at the feature's end.
    known_sides (k,): as in `solve_points`.
    """
    first, second = body_pair.evaluate(starts)
    out = np.ones(len(starts), bool)
    on_world = starts.dim2 == FACE
    views = (
        (on_world, first, second, starts.dim1),
        ((starts.dim1 == FACE) & ~on_world, second, first, starts.dim2),
    )
    for rows, mover, base, dim in views:
        if rows.any():
            mover, base, dim = mover.take(rows), base.take(rows), dim[rows]
            part = starts.take(rows)
            side = _sides(body_pair, part, mover, base, known_sides[rows])
            terms = face_terms(mover, base, side)
            curved = (dim == FACE) & mover.curvature.any(axis=(1, 2))
            out[rows] = curved | (softest_of(terms, dim) > -_HOLLOW / body_pair.radius)
    return out


def _on_world(
    body_pair: BodyPair, points: InterfacePoints, known_sides: Bools
) -> tuple[InterfacePoints, Bools]:
    points, valid, relaxed = _over_faces(body_pair, points, known_sides, True)
    return points, valid & _facing(body_pair, points, relaxed.at_first)


def _on_active(
    body_pair: BodyPair, points: InterfacePoints, known_sides: Bools
) -> tuple[InterfacePoints, Bools]:
    points, valid, _ = _over_faces(body_pair, points, known_sides, False)
    return points, valid


def _over_faces(
    body_pair: BodyPair, points: InterfacePoints, known_sides: Bools, on_world: bool
) -> tuple[InterfacePoints, Bools, ExtremalPairs]:
    mover, base = body_pair.first(points), body_pair.second(points)
    if not on_world:
        mover, base = base, mover
    side = points.side
    if not known_sides.all():
        side = _sides(body_pair, points, mover.geometry(), base.geometry(), known_sides)
    relaxed = minimize_gap(mover, base, side, points.on_curve, body_pair.radius, SOFT / body_pair.radius)
    points, valid = _judged(relaxed, _filled(points, relaxed, side, on_world), body_pair.radius)
    return points, valid, relaxed


def _sides(
    body_pair: BodyPair,
    points: InterfacePoints,
    mover: FeatureGeometry,
    base: FeatureGeometry,
    known: Bools,
) -> Floats:
    """Keep the known sides and tell the others: a trusted base's normal is outward; else a trusted mover's
    face must look at it; else the distance tells, and where that is too small the normal cones, if they can.
    """
    trusted = body_pair.knows_outside(points)
    height = dot(mover.point - base.point, base.normal)
    side = np.where(trusted | (height >= 0.0), 1.0, -1.0)
    unsure = ~trusted & (np.abs(height) < body_pair.sign_tolerance)
    if unsure.any():
        outward = np.where(points.dim2 == FACE, 1.0, -1.0)[:, None] * base.normal
        up, down = rises_of_both(body_pair, points, outward)
        upright = np.isfinite(up) & np.isclose(up, down, rtol=0.0, atol=_UPRIGHT)
        side = np.where(unsure & ~upright, np.where(down > up, -1.0, 1.0), side)
    looks = ~trusted & body_pair.active_knows_outside(points) & (points.dim2 == FACE)
    side = np.where(looks, np.where(dot(mover.normal, base.normal) > 0.0, -1.0, 1.0), side)
    return np.where(known, points.side, side)


def _filled(points: InterfacePoints, relaxed: ExtremalPairs, side: Floats, on_world: bool) -> InterfacePoints:
    outward = side[:, None] * relaxed.at_second.normal
    gap = dot(outward, relaxed.at_first.point - relaxed.at_second.point)
    one, two, at1, at2 = relaxed.first, relaxed.second, relaxed.at_first, relaxed.at_second
    if not on_world:
        one, two, at1, at2 = two, one, at2, at1
    return replace(
        points,
        param1=one.param,
        param2=two.param,
        side=side,
        on_curve=points.on_curve | ~relaxed.settled,
        point1=at1.point,
        point2=at2.point,
        normal=outward if on_world else -outward,
        gap=gap,
    )


def _judged(relaxed: ExtremalPairs, points: InterfacePoints, radius: float) -> tuple[InterfacePoints, Bools]:
    terms = face_terms(relaxed.at_first, relaxed.at_second, points.side)
    softest = softest_of(terms, relaxed.first.dim)
    minimum = points.on_curve | (softest > -_SADDLE / radius)
    return replace(points, softest=softest), relaxed.converged & minimum


def softest_of(terms: FaceTerms, dim: Ints) -> Floats:
    """Return the least curvature (k,) of the gap along movers of dimensions dim (k,); inf for vertices."""
    values = eigen_2x2(terms.stiffness)[0]
    return np.where(dim == FACE, values[:, 0], np.where(dim == VERTEX, np.inf, terms.stiffness[:, 0, 0]))


def _facing(body_pair: BodyPair, points: InterfacePoints, at_first: FeatureGeometry) -> Bools:
    """Two faces of which the active one's normal is trusted must look at each other."""
    trusted = body_pair.active_knows_outside(points)
    return ~trusted | (dot(at_first.normal, points.normal) < 0.0)


def _by_distance(
    body_pair: BodyPair, points: InterfacePoints, known_sides: Bools
) -> tuple[InterfacePoints, Bools]:
    relaxed = minimize_distance(body_pair.first(points), body_pair.second(points), body_pair.radius)
    at1, at2 = relaxed.at_first, relaxed.at_second
    offset = at1.point - at2.point
    distance = np.sqrt(dot(offset, offset))
    straight_out = offset / np.maximum(distance, 1e-300)[:, None]
    raw, sine = edge_normal(at1, at2)
    crossing = sine > PARALLEL
    raw = np.where(crossing[:, None], raw, straight_out)
    height = dot(raw, offset)
    points = replace(
        points, param1=relaxed.first.param, param2=relaxed.second.param, point1=at1.point, point2=at2.point
    )
    # of what is known not points.side: T1 x T2 turns round where two edges pass through being parallel
    towards = np.where(known_sides, dot(raw, points.normal), height)
    unsure = ~known_sides & (np.abs(height) < body_pair.sign_tolerance)
    if unsure.any():
        up, down = rises_of_both(body_pair, points, raw)
        towards = np.where(unsure, np.where(down > up, -1.0, 1.0), towards)
    side = np.where(crossing & (towards < 0.0), -1.0, 1.0)
    points = replace(points, side=side, normal=side[:, None] * raw, gap=side * height)
    valid = relaxed.converged & (crossing | (distance > 1e-13 * body_pair.radius))
    return points, valid
