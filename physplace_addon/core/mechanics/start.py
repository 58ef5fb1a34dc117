"""The start: overlaps that rounding explains are corrected, deeper ones are refused.

Four kinds of overlap are looked for: flat triangles that cross, true surfaces that cross where one of them is
open, interface points with a negative gap, and a loose part wholly inside another body, whose surfaces need
not meet.  A negative gap counts only if one of its two points lies so deep inside the other body
(`point_depths`).  An open sheet has no inside, so that a corner that has gone through it looks like one that
is on its other side: there the surfaces themselves must not cross.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..arrays import Floats, Ints
from ..bodies import Body
from ..collision import near_pairs
from ..contact.system import (
    CONTACT_CLEARANCE,
    OVERLAP,
    Adjusted,
    BodyPair,
    ContactSystem,
    InterfacePoints,
    Reach,
    between,
    grouped,
    least_correction,
    spread_out,
    surface_crossings,
    unexplained_contacts,
)
from ..mesh.edges import component_labels
from ..mesh.inside import windings
from ..vectors import cross, dot
from .coordinates import FREE_BODIES, Coordinates
from .point_depths import between_solids, inside_solid, without_overlap

# Corrections of the start; each is a Newton step, so that a start that rounding explains takes one or two.
_ROUNDS = 5
# Longest correction over R of any depth: what is wedged between two faces goes much farther than it is deep.
_WEDGED = 1e-4
# Depth over R that single precision explains.
_FINEST = 1e-6
# Gap over R below which normal cones decide on which side two features are, since it may be a depth.
_UNSURE = 1e-4
# Depth over R of the points under a face that are tested for being inside: above rounding, below any detail.
PROBE_DEPTH = 1e-3
# Triangles of a body under which points are tested.
_PROBES = 16
# Points of a connected part that are tested for being inside.
_OF_PART = 6


def clear_start(
    system: ContactSystem, reach: Reach, tolerance: float, coordinates: Coordinates = FREE_BODIES
) -> Adjusted | None:
    """Return the system free of overlaps, and its interface points; None if bodies interfere.

    What single precision explains is tried first: within the tolerance normal cones decide on which side of
    an open sheet a body is, and may be wrong where the tolerance is coarse.

    Args:
        system: the bodies where they start.
        reach: how far interface points are searched, over the radii.
        tolerance: the depth, in scene units, up to which overlaps are corrected by the least change of poses.
        coordinates: what may move.
    """
    for depth in sorted({min(tolerance, _FINEST * system.radius), tolerance}):
        found = _cleared(system, reach, depth, coordinates)
        if found is not None:
            return found
    return None


def _cleared(
    system: ContactSystem, reach: Reach, tolerance: float, coordinates: Coordinates
) -> Adjusted | None:
    """Return as `clear_start` by one tolerance."""
    given, radius = system, system.radius
    farthest = max(4.0 * tolerance / radius, _WEDGED) + 2.0 * CONTACT_CLEARANCE
    system = replace(system, sign_tolerance=max(_UNSURE, 2.0 * tolerance / radius))
    for pair in system.pairs(0.0):
        body_pair, solids = system.body_pair(pair), system.solids(pair)
        depth = max(PROBE_DEPTH * body_pair.radius, 4.0 * tolerance)
        if contained(body_pair, solids) or flush_inside(body_pair, solids, depth):
            return None
        if crosses_open_surface(body_pair, 4.0 * tolerance):
            return None
    for _ in range(_ROUNDS):
        points = overlaps_and_gaps(system, reach, tolerance)
        if len(points) and points.gap.min() < -tolerance:
            return None
        least = np.where(system.between_flat_features(points), 0.5 * CONTACT_CLEARANCE, -OVERLAP) * radius
        collides = system.misses_collision(points, OVERLAP) or _meets_unexplained(system, points)
        if (points.gap >= least).all() and not collides:
            return Adjusted(given.at(system.poses) if system.poses is not given.poses else given, points)
        lift = least_correction(system, coordinates, points.take(points.gap < tolerance))
        if lift is None or coordinates.length(system, lift) > farthest:
            return None
        system = coordinates.displaced(system, lift) if coordinates.bend else system.displaced(lift)
    return None


def _meets_unexplained(system: ContactSystem, points: InterfacePoints) -> bool:
    """Return whether surfaces of any pair meet although none of its points touches."""
    return any(
        len(unexplained_contacts(system.body_pair(pair), points.take(between(points, pair))))
        for pair in system.pairs(0.0)
    )


def overlaps_and_gaps(system: ContactSystem, reach: Reach, tolerance: float) -> InterfacePoints:
    """Return the interface points of a system of which nothing is known, without depths that are none.

    Args:
        system: the bodies, which may overlap.
        reach: how far interface points are searched, over the radii.
        tolerance: the depth, in scene units, that is no overlap.  Between solids shallower ones are measured,
            too: edges that are all but parallel have a sign that is as good as chance.
    """
    points = system.generate(reach, InterfacePoints.none(), None)
    spurious, finest = np.zeros(len(points), bool), min(tolerance, OVERLAP * system.radius)
    for pair, rows in grouped(points):
        body_pair, some = system.body_pair(pair), points.take(rows)
        depths = np.where(between_solids(body_pair, some), finest, tolerance)
        spurious[rows] = without_overlap(body_pair, system.solids(pair), some, depths)
    return points.take(~spurious)


def crosses_open_surface(body_pair: BodyPair, depth: float) -> bool:
    """Return whether the true surface of an open body crosses that of the other body, deeper than `depth`, a
    length; flat faces that cross each other do not count.
    """
    if body_pair.active.trusted.all() and body_pair.world.trusted.all():
        return False
    triangles = surface_crossings(body_pair, depth).triangles
    faces1 = body_pair.active.body.triangle_face[triangles[:, 0]]
    faces2 = body_pair.world.body.triangle_face[triangles[:, 1]]
    return bool((~body_pair.active.trusted[faces1] | ~body_pair.world.trusted[faces2]).any())


def contained(body_pair: BodyPair, bodies: Sequence[Body]) -> bool:
    """Return whether a connected part of the active body, or all of an open one, lies wholly inside one of
    the bodies, or the other way round.
    """
    active = body_pair.active.body
    mine = body_pair.pose.points(_inner_points(active))
    for body in bodies:
        other = body_pair.pose.inverse().points(_inner_points(body))
        if _holds_a_part(body, mine) or _holds_a_part(active, other):
            return True
    return False


def _holds_a_part(solid: Body, points: Floats) -> bool:
    """Return whether all points of a part are inside a solid, of the points (6 p, 3) of p parts.

    There may be thousands of parts, so a ray from one point of each chooses those that are tested.
    """
    if not solid.closed:
        return False
    parts = points.reshape(-1, _OF_PART, 3)
    corners = solid.triangles.reshape(-1, 3)
    boxed = ((parts > corners.min(axis=0)) & (parts < corners.max(axis=0))).all(axis=(1, 2))
    parts = parts[boxed]
    if len(parts) > 1:
        parts = parts[windings(solid.triangles, parts[:, 0]) > 0]
    return any(bool(inside_solid(solid, part).all()) for part in parts)


def flush_inside(body_pair: BodyPair, bodies: Sequence[Body], depth: float) -> bool:
    """Return whether a flat face of one body goes on inside another although no triangles cross.

    A brick lowered into its like, side on side, has neither corners nor edges inside.  Points `depth` (scene
    units) under flat faces that touch are tested.
    """
    active, world = body_pair.active, body_pair.world
    pairs = near_pairs(active.tree, body_pair.pose, world.tree, 0.0)
    mine = np.unique(pairs[active.triangle_flat[pairs[:, 0]], 0])
    others = np.unique(pairs[world.triangle_flat[pairs[:, 1]], 1])
    if not active.body.closed or len(mine) == 0 or len(others) == 0:
        return False
    under = body_pair.pose.points(_just_under(active.body.triangles[_some(active.body, mine)], depth))
    below = _just_under(world.body.triangles[_some(world.body, others)], depth)
    if any(inside_solid(body, under).any() for body in bodies):
        return True
    trusted = world.trusted[world.body.triangle_face[_some(world.body, others)]]
    return bool((inside_solid(active.body, body_pair.pose.inverse().points(below)) & trusted).any())


def _some(body: Body, triangles: Ints) -> Ints:
    return triangles[spread_out(body.triangles[triangles].mean(axis=1), _PROBES)]


def _just_under(triangles: Floats, depth: float) -> Floats:
    normal = cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normal /= np.sqrt(dot(normal, normal))[:, None]
    under: Floats = triangles.mean(axis=1) - depth * normal
    return under


def _inner_points(body: Body) -> Floats:
    """Return points (6 p, 3) just under the surface at the farthest triangles of a solid's p connected parts,
    six of each; of an open body, whose parts may be flat, six on its own farthest triangles.
    """
    known = body.derived.get("inner points")
    if not isinstance(known, np.ndarray):
        part = _connected_parts(body) if body.closed else np.zeros(len(body.triangles), np.intp)
        ends = np.cumsum(np.bincount(part))
        orders = [np.lexsort((along, part)) for along in body.triangles.mean(axis=1).T]
        some = [order[rows] for rows in (np.append(0, ends[:-1]), ends - 1) for order in orders]
        triangles = body.triangles[np.stack(some, axis=1).ravel()]
        known = _just_under(triangles, PROBE_DEPTH * body.radius if body.closed else 0.0)
        body.derived["inner points"] = known
    return known


def _connected_parts(body: Body) -> Ints:
    """Return the number (t,) of the connected part of each triangle: a corner in common connects."""
    corners = np.unique(body.triangles.reshape(-1, 3), axis=0, return_inverse=True)[1].reshape(-1, 3)
    label = component_labels(np.concatenate([corners[:, :2], corners[:, 1:]]), int(corners.max()) + 1)
    part: Ints = label[corners[:, 0]]
    return part
