"""Solving interface points: each pair's extremal pair, its side, its normal and its signed gap, for every
kind at once.

Snyder 1995, sections 4.1 (the conditioning phase of tracking) and 4.4.  See `relaxation` for the equations.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import Bools, Floats, Ints
from .cones import rise_of_both
from .encounter import Encounter
from .features import FACE, VERTEX, FeatureGeometry, dot
from .linearization import SOFT
from .points import InterfacePoints
from .polyhedral import PARALLEL
from .relaxation import FaceTerms, Relaxed, edge_normal, eigen_2x2, face_terms, relax_distance, relax_on_face

_HOLLOW = 0.3  # K R below minus which a start is given up
_SADDLE = 1e-3  # K R below minus which a stationary pair is not a minimum


def solve_points(
    encounter: Encounter, points: InterfacePoints, known_sides: bool
) -> tuple[InterfacePoints, Bools]:
    """Solve each pair from where it stands; return the points (k) and which are stationary minima inside
    their domains (k,).

    known_sides: keep `points.side` (tracking); else tell it from the distance (creation).
    """
    k = len(points)
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
            part, valid[rows] = solver(encounter, points.take(rows), known_sides)
            solved.put(rows, part)
    return solved, valid


def promising(encounter: Encounter, starts: InterfacePoints) -> Bools:
    """Tell which starts over faces may lead to a minimum, shape (k,): not those whose gap curves down all
    the same - a straight edge over a hollow, a flat face against one - and so is least at the feature's end.
    """
    first, second = encounter.evaluate(starts)
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
            side = _first_sides(encounter, part, mover, base, encounter.knows_outside(part))
            terms = face_terms(mover, base, side)
            curved = (dim == FACE) & mover.curvature.any(axis=(1, 2))
            out[rows] = curved | (softest_of(terms, dim) > -_HOLLOW / encounter.radius)
    return out


def _on_world(
    encounter: Encounter, points: InterfacePoints, known_sides: bool
) -> tuple[InterfacePoints, Bools]:
    points, valid, relaxed = _over_faces(encounter, points, known_sides, True)
    return points, valid & _facing(encounter, points, relaxed.at_first)


def _on_active(
    encounter: Encounter, points: InterfacePoints, known_sides: bool
) -> tuple[InterfacePoints, Bools]:
    points, valid, _ = _over_faces(encounter, points, known_sides, False)
    return points, valid


def _over_faces(
    encounter: Encounter, points: InterfacePoints, known_sides: bool, on_world: bool
) -> tuple[InterfacePoints, Bools, Relaxed]:
    mover, base = encounter.first(points), encounter.second(points)
    if not on_world:
        mover, base = base, mover
    side = points.side
    if not known_sides:
        trusted = encounter.knows_outside(points)
        side = _first_sides(encounter, points, mover.geometry(), base.geometry(), trusted)
    relaxed = relax_on_face(mover, base, side, points.held, encounter.radius, SOFT / encounter.radius)
    points, valid = _judged(relaxed, _filled(points, relaxed, side, on_world), encounter.radius)
    return points, valid, relaxed


def _first_sides(
    encounter: Encounter,
    points: InterfacePoints,
    mover: FeatureGeometry,
    base: FeatureGeometry,
    trusted: Bools,
) -> Floats:
    """Tell the sides of new points: a trusted base's normal is outward; else a trusted mover's face must
    look at it; else the distance tells, and where that is too small the normal cones.
    """
    height = dot(mover.point - base.point, base.normal)
    side = np.where(trusted | (height >= 0.0), 1.0, -1.0)
    unsure = ~trusted & (np.abs(height) < encounter.sure)
    if unsure.any():
        outward = np.where(points.dim2 == FACE, 1.0, -1.0)[:, None] * base.normal
        up, down = rise_of_both(encounter, points, outward), rise_of_both(encounter, points, -outward)
        side = np.where(unsure, np.where(down > up, -1.0, 1.0), side)
    looks = ~trusted & encounter.active_knows_outside(points) & (points.dim2 == FACE)
    return np.where(looks, np.where(dot(mover.normal, base.normal) > 0.0, -1.0, 1.0), side)


def side_is_certain(encounter: Encounter, points: InterfacePoints) -> Bools:
    """Tell which points' sides follow from a trusted normal, whatever the distance, shape (k,)."""
    certain = encounter.active_knows_outside(points)
    faces = points.dim2 == FACE
    certain[faces] |= encounter.world.trusted[points.index2[faces]]
    return certain


def _filled(points: InterfacePoints, relaxed: Relaxed, side: Floats, on_world: bool) -> InterfacePoints:
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
        held=points.held | ~relaxed.settled,
        point1=at1.point,
        point2=at2.point,
        normal=outward if on_world else -outward,
        gap=gap,
    )


def _judged(relaxed: Relaxed, points: InterfacePoints, radius: float) -> tuple[InterfacePoints, Bools]:
    terms = face_terms(relaxed.at_first, relaxed.at_second, points.side)
    softest = softest_of(terms, relaxed.first.dim)
    minimum = points.held | (softest > -_SADDLE / radius)
    return replace(points, softest=softest), relaxed.converged & minimum


def softest_of(terms: FaceTerms, dim: Ints) -> Floats:
    """Return the least curvature (k,) of the gap along movers of dimensions dim (k,); inf for vertices."""
    values = eigen_2x2(terms.stiffness)[0]
    return np.where(dim == FACE, values[:, 0], np.where(dim == VERTEX, np.inf, terms.stiffness[:, 0, 0]))


def _facing(encounter: Encounter, points: InterfacePoints, at_first: FeatureGeometry) -> Bools:
    """Two faces of which the active one's normal is trusted must look at each other."""
    trusted = encounter.active_knows_outside(points)
    return ~trusted | (dot(at_first.normal, points.normal) < 0.0)


def _by_distance(
    encounter: Encounter, points: InterfacePoints, known_sides: bool
) -> tuple[InterfacePoints, Bools]:
    relaxed = relax_distance(encounter.first(points), encounter.second(points), encounter.radius)
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
    side = points.side
    if not known_sides:
        up, down = rise_of_both(encounter, points, raw), rise_of_both(encounter, points, -raw)
        unsure = np.abs(height) < encounter.sure
        side = np.where(unsure, np.where(down > up, -1.0, 1.0), np.where(height < 0.0, -1.0, 1.0))
    side = np.where(crossing, side, 1.0)
    points = replace(points, side=side, normal=side[:, None] * raw, gap=side * height)
    valid = relaxed.converged & (crossing | (distance > 1e-13 * encounter.radius))
    return points, valid
