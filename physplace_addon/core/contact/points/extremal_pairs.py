"""Extremal pairs of interface points of every kind: side, solution, normal, signed gap and validity.

Snyder 1995, sections 4.1 (the conditioning phase of tracking) and 4.4.  The equations stand in
`minimization`.  A solved pair is *valid* if it is a minimum of the gap inside the domains of both features;
the other stationary pairs are saddles, far sides, or belong to another feature.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...rigid import Poses
from ...vectors import dot
from ..body_pair import CONE_TOLERANCE, AnyPairs, BodyPairs
from ..features import FACE, VERTEX, FeatureGeometry, FeaturePoints
from ..normal_cones import slopes_both_ways
from .interface_points import PARALLEL, SOFT, InterfacePoints
from .iteration import eigen_2x2
from .minimization import (
    ExtremalPairs,
    GapExpansion,
    edge_normal,
    gap_expansion,
    minimize_distance,
    minimize_gap,
)

_HOLLOW = 0.3  # -K R of a start above which the gap is least at the feature's end, and not inside it
_SADDLE = 1e-3  # -K R of a stationary pair above which it is no minimum; a smaller one may be rounding
_UPRIGHT = 1e-9  # difference of two sines: a cone that looks both ways alike shows no side
_COINCIDENT = 1e-13  # of R: distance of two points without face below which it has no direction


def solve_extremal_pairs(
    body_pair: AnyPairs, points: InterfacePoints, known_sides: Bools | bool, patience: int | None = None
) -> tuple[InterfacePoints, Bools]:
    """Solve each pair from its present parameters.

    Args:
        body_pair: the pair, or many pairs.
        points: (k) pairs of features; those on contact curves keep their place along soft directions.
        known_sides: (k,) or one for all: keep `points.side`, or for two edges the direction of
            `points.normal`; else the side follows from the distance.
        patience: rounds after which a pair far from a minimum over a face is given up; None for never.

    Returns:
        The points at their solution, and which (k,) are valid.
    """
    k = len(points)
    known = np.broadcast_to(known_sides, k)
    valid = np.zeros(k, bool)
    solved = points.copy()
    on_world = points.dim2 == FACE
    on_active = (points.dim1 == FACE) & ~on_world
    together = isinstance(body_pair, BodyPairs) and body_pair.active is body_pair.world
    of_faces = [on_world | on_active] if together else [on_world, on_active]
    over_faces = partial(_over_faces, patience=patience)
    solvers = [over_faces for _ in of_faces] + [_without_face]
    for rows, solver in zip([*of_faces, ~(on_world | on_active)], solvers, strict=True):
        if rows.any():
            part, valid[rows] = solver(body_pair, points.take(rows), known[rows])
            solved.put(rows, part)
    return solved, valid


def may_be_minima(body_pair: AnyPairs, starts: InterfacePoints, known_sides: Bools) -> Bools:
    """Return which starts (k,) may lead to a minimum inside their features.

    A straight edge over a hollow, or a flat face against one, has a gap that curves down everywhere, so it is
    least at the feature's end.  known_sides (k,): as in `solve_extremal_pairs`.
    """
    first, second = body_pair.evaluate(starts)
    out = np.ones(len(starts), bool)
    on_world = starts.dim2 == FACE
    on_active = (starts.dim1 == FACE) & ~on_world
    for rows, mover, base, dim in (
        (on_world, first, second, starts.dim1),
        (on_active, second, first, starts.dim2),
    ):
        if rows.any():
            mover, base, dim = mover.take(rows), base.take(rows), dim[rows]
            part = starts.take(rows)
            side = _sides(body_pair, part, mover, base, known_sides[rows])
            terms = gap_expansion(mover, base, side)
            curved = (dim == FACE) & mover.curvature.any(axis=(1, 2))
            radius = body_pair.of_points(part).radius
            out[rows] = curved | (least_curvature(terms, dim) > -_HOLLOW / radius)
    return out


def _over_faces(
    body_pair: AnyPairs, points: InterfacePoints, known_sides: Bools, patience: int | None
) -> tuple[InterfacePoints, Bools]:
    """Solve points over faces of the world, or of the active body, or of either if that is the same one."""
    on_world = points.dim2 == FACE
    mover, base = _movers_and_bases(body_pair, points, on_world)
    side = points.side
    if not known_sides.all():
        side = _sides(body_pair, points, mover.geometry(), base.geometry(), known_sides)
    radius = body_pair.of_points(points).radius
    pairs = minimize_gap(mover, base, side, points.on_curve, radius, SOFT / radius, patience)
    points = _with_solution(points, pairs, side, on_world)
    softest = least_curvature(gap_expansion(pairs.at_first, pairs.at_second, points.side), pairs.first.dim)
    minimum = points.on_curve | (softest > -_SADDLE / radius)
    faces_it = ~on_world | _facing(body_pair, points, pairs.at_first)
    return replace(points, softest=softest), pairs.converged & minimum & faces_it


def _movers_and_bases(
    body_pair: AnyPairs, points: InterfacePoints, on_world: Bools
) -> tuple[FeaturePoints, FeaturePoints]:
    """Return the movers (k) of points, and the faces under them: of the world where `on_world` (k,)."""
    first, second = body_pair.first(points), body_pair.second(points)
    if on_world.all():
        return first, second
    if not on_world.any():
        return second, first
    assert isinstance(first.pose, Poses)
    still = Poses(np.broadcast_to(np.eye(3), first.pose.matrix.shape), np.zeros_like(first.pose.translation))
    second = replace(second, pose=still)
    movers, bases, swapped = first.copy(), second.copy(), ~on_world
    movers.put(swapped, second.take(swapped))
    bases.put(swapped, first.take(swapped))
    return movers, bases


def _sides(
    body_pair: AnyPairs,
    points: InterfacePoints,
    mover: FeatureGeometry,
    base: FeatureGeometry,
    known: Bools,
) -> Floats:
    """Return the sides (k,) of unsolved points, the known ones as they are.

    A trusted base's normal looks outside.  Else a trusted mover must look at the base: its face, or the cone
    of its edge or vertex.  Else the distance decides, and where that is too small the normal cones, if they
    look one way more than the other.
    """
    trusted = body_pair.knows_outside(points)
    height = dot(mover.point - base.point, base.normal)
    side = np.where(trusted | (height >= 0.0), 1.0, -1.0)
    asked = ~trusted & ~known
    if asked.any():
        outward = np.where(points.dim2 == FACE, 1.0, -1.0)[:, None] * base.normal
        up, down = slopes_both_ways(body_pair, points, outward)
        upright = np.isfinite(up) & np.isclose(up, down, rtol=0.0, atol=_UPRIGHT)
        unsure = asked & (np.abs(height) < body_pair.of_points(points).sign_tolerance) & ~upright
        solid = np.where(points.dim2 == FACE, *_of_solids(body_pair, points))
        turns = unsure | (asked & solid & _looks_one_way(up, down))
        side = np.where(turns, np.where(down > up, -1.0, 1.0), side)
    looks = ~trusted & body_pair.active_knows_outside(points) & (points.dim2 == FACE)
    side = np.where(looks, np.where(dot(mover.normal, base.normal) > 0.0, -1.0, 1.0), side)
    return np.where(known, points.side, side)


def _of_solids(body_pair: AnyPairs, points: InterfacePoints) -> tuple[Bools, Bools]:
    """Return which features (k,) of the active body, and of the world, belong to closed solids."""
    active = body_pair.active.of_solid(points.dim1, points.index1)
    return active, body_pair.world.of_solid(points.dim2, points.index2)


def _looks_one_way(up: Floats, down: Floats) -> Bools:
    """Return which pairs (k,) can only touch with a normal on one of two sides, as the slopes on both show.

    The normal cones of a corner of a solid hold a normal and never its opposite, so that the side is known
    however far the corner has gone through.
    """
    one: Bools = (up >= -CONE_TOLERANCE) != (down >= -CONE_TOLERANCE)
    return one


def _with_solution(
    points: InterfacePoints, pairs: ExtremalPairs, side: Floats, on_world: Bools
) -> InterfacePoints:
    outward = side[:, None] * pairs.at_second.normal
    gap = dot(outward, pairs.at_first.point - pairs.at_second.point)
    over = on_world[:, None]
    mover, base, at_mover, at_base = pairs.first, pairs.second, pairs.at_first, pairs.at_second
    return replace(
        points,
        piece1=np.where(on_world, mover.piece, base.piece),
        piece2=np.where(on_world, base.piece, mover.piece),
        param1=np.where(over, mover.param, base.param),
        param2=np.where(over, base.param, mover.param),
        side=side,
        on_curve=points.on_curve | ~pairs.settled,
        point1=np.where(over, at_mover.point, at_base.point),
        point2=np.where(over, at_base.point, at_mover.point),
        normal=np.where(over, outward, -outward),
        gap=gap,
    )


def least_curvature(terms: GapExpansion, dim: Ints) -> Floats:
    """Return the least curvature K (k,), 1/length, of the gap along movers of dimensions dim (k,).

    It is inf for vertices, which cannot slide.
    """
    values = eigen_2x2(terms.hessian)[0]
    return np.where(dim == FACE, values[:, 0], np.where(dim == VERTEX, np.inf, terms.hessian[:, 0, 0]))


def _facing(body_pair: AnyPairs, points: InterfacePoints, at_first: FeatureGeometry) -> Bools:
    """Return which points (k,) have faces that look at each other, as far as the active one's is trusted."""
    trusted = body_pair.active_knows_outside(points)
    return ~trusted | (dot(at_first.normal, points.normal) < 0.0)


def _without_face(
    body_pair: AnyPairs, points: InterfacePoints, known_sides: Bools
) -> tuple[InterfacePoints, Bools]:
    radius = body_pair.of_points(points).radius
    pairs = minimize_distance(body_pair.first(points), body_pair.second(points), radius)
    at1, at2 = pairs.at_first, pairs.at_second
    offset = at1.point - at2.point
    distance = np.sqrt(dot(offset, offset))
    straight_out = offset / np.maximum(distance, 1e-300)[:, None]
    raw, sine = edge_normal(at1, at2)
    crossing = sine > PARALLEL
    raw = np.where(crossing[:, None], raw, straight_out)
    height = dot(raw, offset)
    points = replace(
        points,
        piece1=pairs.first.piece,
        piece2=pairs.second.piece,
        param1=pairs.first.param,
        param2=pairs.second.param,
        point1=at1.point,
        point2=at2.point,
    )
    # not `points.side` of known ones: T1 x T2 turns round where two edges pass through being parallel
    towards = np.where(known_sides, dot(raw, points.normal), height)
    if not known_sides.all():
        up, down = slopes_both_ways(body_pair, points, raw)
        unsure = np.abs(height) < body_pair.of_points(points).sign_tolerance
        solids = np.logical_and(*_of_solids(body_pair, points)) & crossing
        turns = ~known_sides & (unsure | (solids & _looks_one_way(up, down)))
        towards = np.where(turns, np.where(down > up, -1.0, 1.0), towards)
    side = np.where(crossing & (towards < 0.0), -1.0, 1.0)
    points = replace(points, side=side, normal=side[:, None] * raw, gap=side * height)
    valid = pairs.converged & (crossing | (distance > _COINCIDENT * radius))
    return points, valid
