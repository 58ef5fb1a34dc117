"""Is the start free of overlap?  What rounding alone explains is lifted away; anything deeper is refused.

Two flat triangles that meet, interface points with a negative gap, and a body wholly inside another (no
surfaces meet) are told apart here.  A negative gap counts only if one of its points lies inside the other
body: behind a thin wall there is one, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..bodies import Body
from ..collision import near_pairs
from ..contact.body_pair import Encounter
from ..contact.features import cross, dot
from ..contact.points.generation import Reach
from ..contact.points.interface_points import InterfacePoints, spread_out
from ..contact.system import Assembly, grouped
from ..optimization.step_qp import length
from ..rigid import Pose
from .problem import CLEARANCE, OVERLAP
from .stepping import Moved, lift_clear

_ROUNDS = 5
_UNSURE = 1e-4  # gap / R below which the cones tell the side at the start: it may be a depth
_FAR = 100.0  # distance / R from the origin at which coordinates begin to lose digits that matter
PROBE_DEPTH = 1e-3
_AT_ONCE = 20_000  # points times triangles
_PROBES = 16  # triangles of a body under which is looked
_ASIDE = 1e-6  # distance / R to either side of a point that is inside only if both are


def near_the_origin(
    actives: Sequence[Body], poses: Sequence[Pose], world: Sequence[Body]
) -> tuple[Floats, tuple[Pose, ...], tuple[Body, ...]]:
    """Move the scene so that bodies far from the world's origin stand at it.

    Return the place (3,) that became the origin, zero if the bodies are near it, and the poses and the fixed
    bodies as seen from there.
    """
    centres = [pose.points(body.mass.center) for body, pose in zip(actives, poses, strict=True)]
    centre: Floats = np.mean(centres, axis=0)
    if np.sqrt(centre @ centre) < _FAR * max(body.radius for body in actives):
        return np.zeros(3), tuple(poses), tuple(world)
    back = np.eye(4)
    back[:3, 3] = -centre
    return (
        centre,
        tuple(Pose(pose.rotation, pose.translation - centre) for pose in poses),
        tuple(body.transformed(back) for body in world),
    )


def clear_start(assembly: Assembly, reach: Reach, tolerance: float) -> Moved | None:
    """Return the assembly, lifted clear of overlaps no deeper than `tolerance` (a length), and its points.

    Return None if bodies interfere.
    """
    given, radius = assembly, assembly.radius
    assembly = replace(assembly, sure=max(_UNSURE, 2.0 * tolerance / radius))
    for pair in assembly.pairs(0.0):
        encounter, solids = assembly.encounter(pair), assembly.solids(pair)
        depth = max(PROBE_DEPTH * encounter.radius, 4.0 * tolerance)
        if contained(encounter, solids) or flush_inside(encounter, solids, depth):
            return None
    for _ in range(_ROUNDS):
        points = _overlaps_and_gaps(assembly, reach, tolerance)
        if len(points) and points.gap.min() < -tolerance:
            return None
        least = np.where(assembly.flat(points), 0.5 * CLEARANCE, -OVERLAP) * radius
        collides = assembly.collides(points, OVERLAP)
        if (points.gap >= least).all() and not collides:
            return (given.at(assembly.poses) if assembly.poses is not given.poses else given), points
        lift = lift_clear(assembly, points.take(points.gap < tolerance))
        if lift is None or length(lift) > 4.0 * tolerance / radius + 2.0 * CLEARANCE:
            return None
        assembly = assembly.displaced(lift)
    return None


def _overlaps_and_gaps(assembly: Assembly, reach: Reach, tolerance: float) -> InterfacePoints:
    """Find the points of an assembly of which nothing is known, without those behind walls."""
    points = assembly.find(reach, InterfacePoints.none(), None)
    behind = np.zeros(len(points), bool)
    for pair, rows in grouped(points):
        encounter = assembly.encounter(pair)
        behind[rows] = behind_walls(encounter, assembly.solids(pair), points.take(rows), tolerance)
    return points.take(~behind)


def behind_walls(
    encounter: Encounter, bodies: Sequence[Body], points: InterfacePoints, tolerance: float
) -> Bools:
    """Tell which points with a depth are no overlap, shape (k,): neither point lies inside the other body.

    Only of points deeper than the tessellations' bounds can these tell.
    """
    bounds = encounter.active.body.triangle_bound.max() + encounter.world.body.triangle_bound.max()
    doubtful = np.nonzero(points.gap < -max(tolerance, float(bounds)))[0]
    behind = np.zeros(len(points), bool)
    if len(doubtful):
        deep = points.take(doubtful)
        aside = np.minimum(_ASIDE * encounter.radius, -0.25 * deep.gap)[:, None] * deep.normal
        within = np.ones(len(doubtful), bool)
        for shift in (aside, -aside):  # on the very surface, as where it stands, a point is not inside
            in_active = _inside(encounter.active.body, encounter.pose.inverse().points(deep.point2 + shift))
            in_world = np.any([_inside(body, deep.point1 + shift) for body in bodies], axis=0)
            within &= in_active | in_world
        behind[doubtful] = ~within
    return behind


def contained(encounter: Encounter, bodies: Sequence[Body]) -> bool:
    """Tell whether the active body lies wholly inside a solid of the world, or a body of the world in it."""
    mine = encounter.pose.points(_inner_points(encounter.active.body))
    for body in bodies:
        other = encounter.pose.inverse().points(_inner_points(body))
        if _inside(body, mine).all() or _inside(encounter.active.body, other).all():
            return True
    return False


def flush_inside(encounter: Encounter, bodies: Sequence[Body], depth: float) -> bool:
    """Tell whether a flat face of one body goes on inside another although nothing crosses: a brick lowered
    into its like, side on side, shows neither corners nor edges inside.
    """
    active, world = encounter.active, encounter.world
    pairs = near_pairs(active.tree, encounter.pose, world.tree, 0.0)
    mine = np.unique(pairs[active.triangle_flat[pairs[:, 0]], 0])
    others = np.unique(pairs[world.triangle_flat[pairs[:, 1]], 1])
    if not active.body.closed or len(mine) == 0 or len(others) == 0:
        return False
    under = encounter.pose.points(_just_under(active.body.triangles[_some(active.body, mine)], depth))
    below = _just_under(world.body.triangles[_some(world.body, others)], depth)
    if any(_inside(body, under).any() for body in bodies):
        return True
    trusted = world.trusted[world.body.triangle_face[_some(world.body, others)]]
    return bool((_inside(active.body, encounter.pose.inverse().points(below)) & trusted).any())


def _some(body: Body, triangles: Ints) -> Ints:
    return triangles[spread_out(body.triangles[triangles].mean(axis=1), _PROBES)]


def _just_under(triangles: Floats, depth: float) -> Floats:
    normal = cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normal /= np.sqrt(dot(normal, normal))[:, None]
    under: Floats = triangles.mean(axis=1) - depth * normal
    return under


def _inner_points(body: Body) -> Floats:
    """Return points (6, 3) just under the surface at the body's farthest triangles; of an open body, on
    them.
    """
    centres = body.triangles.mean(axis=1)
    some = body.triangles[np.concatenate([centres.argmin(axis=0), centres.argmax(axis=0)])]
    return _just_under(some, PROBE_DEPTH * body.radius if body.closed else 0.0)


def _inside(body: Body, points: Floats) -> Bools:
    if not body.closed:
        return np.zeros(len(points), bool)
    lower, upper = body.triangles.min(axis=(0, 1)), body.triangles.max(axis=(0, 1))
    boxed = ((points > lower) & (points < upper)).all(axis=1)
    inside = np.zeros(len(points), bool)
    inside[boxed] = winding_number(points[boxed], body.triangles) > 0.5
    return inside


def winding_number(points: Floats, triangles: Floats) -> Floats:
    """Return how often triangles (t, 3, 3) wind around points (..., 3), (...): the sum of their solid angles
    (Van Oosterom and Strackee 1983) over the full one; 1 inside a closed outward-wound surface, 0 outside.
    """
    places = points.reshape(-1, 3)
    numbers = np.zeros(len(places))
    at_once = max(1, _AT_ONCE // len(triangles))
    for begin in range(0, len(places), at_once):
        rows = slice(begin, begin + at_once)
        a, b, c = (triangles - places[rows, None, None]).transpose(2, 0, 1, 3)
        la, lb, lc = np.sqrt(dot(a, a)), np.sqrt(dot(b, b)), np.sqrt(dot(c, c))
        volume = dot(a, cross(b, c))
        cosine = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
        numbers[rows] = np.arctan2(volume, cosine).sum(axis=1) / (2.0 * np.pi)
    return numbers.reshape(points.shape[:-1])
