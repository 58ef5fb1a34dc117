"""Is the start free of overlap?  What rounding alone explains is lifted away; anything deeper is refused.

Two flat triangles that meet, interface points with a negative gap, and a body wholly inside another (no
surfaces meet) are told apart here.  A negative gap counts only if one of its points lies inside the other
body: behind a thin wall there is one, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..arrays import Bools, Floats
from ..bodies import Body
from ..contact.crossing import triangles_cross, unexplained_collisions
from ..contact.encounter import Encounter
from ..contact.features import cross, dot
from ..contact.finding import Reach, find_points, flat_pair
from ..contact.linearization import gap_gradient
from ..contact.points import InterfacePoints
from ..rigid import Pose
from .programme import length, solve_programme

CLEARANCE = 1e-10  # c / R: contacts are closed to this gap
OVERLAP = 1e-11  # depth / R that a state may keep
_ROUNDS = 5
_UNSURE = 1e-4  # gap / R below which the cones tell the side at the start: it may be a depth
_FAR = 100.0  # distance / R from the origin at which coordinates begin to lose digits that matter
_PROBE_DEPTH = 1e-3


def near_the_origin(active: Body, pose: Pose, world: Sequence[Body]) -> tuple[Floats, Pose, tuple[Body, ...]]:
    """Move the scene so that a body far from the world's origin stands at it.

    Return the place (3,) that became the origin, zero if the body is near it, and the pose and the bodies as
    seen from there.
    """
    centre = pose.points(active.mass.center)
    if np.sqrt(centre @ centre) < _FAR * active.radius:
        return np.zeros(3), pose, tuple(world)
    back = np.eye(4)
    back[:3, 3] = -centre
    return (
        centre,
        Pose(pose.rotation, pose.translation - centre),
        tuple(body.transformed(back) for body in world),
    )


def clear_start(
    encounter: Encounter, bodies: Sequence[Body], reach: Reach, tolerance: float
) -> tuple[Encounter, InterfacePoints] | None:
    """Return the encounter, lifted clear of overlaps no deeper than `tolerance` (a length), and its points.

    Return None if the bodies interfere.
    """
    given = encounter
    encounter = replace(encounter, sure=max(_UNSURE * given.radius, 2.0 * tolerance))
    if contained(encounter, bodies):
        return None
    for _ in range(_ROUNDS):
        points = find_points(encounter, reach, InterfacePoints.none(), None)
        points = points.take(~behind_walls(encounter, bodies, points, tolerance))
        if len(points) and points.gap.min() < -tolerance:
            return None
        if len(unexplained_collisions(encounter, points)):
            return None
        least = np.where(flat_pair(encounter, points), 0.5 * CLEARANCE, -OVERLAP) * encounter.radius
        if (points.gap >= least).all() and not triangles_cross(encounter, OVERLAP * encounter.radius):
            return given.at(encounter.pose) if encounter.pose is not given.pose else given, points
        lift = lift_clear(encounter, points.take(points.gap < tolerance))
        if lift is None or length(lift) > 4.0 * tolerance / encounter.radius + 2.0 * CLEARANCE:
            return None
        encounter = encounter.displaced(lift)
    return None


def lift_clear(encounter: Encounter, points: InterfacePoints) -> Floats | None:
    """Return the least change of pose (6,) that gives every point the clearance, to first order; None if
    none does.
    """
    gradients = gap_gradient(points, encounter.centre, encounter.radius)
    step = solve_programme(np.eye(6), np.zeros(6), gradients, CLEARANCE - points.gap / encounter.radius)
    return None if step is None else step.x


def behind_walls(
    encounter: Encounter, bodies: Sequence[Body], points: InterfacePoints, tolerance: float
) -> Bools:
    """Tell which points with a depth are no overlap, shape (k,): neither point lies inside the other body."""
    doubtful = np.nonzero(points.gap < -tolerance)[0]
    behind = np.zeros(len(points), bool)
    if len(doubtful):
        point1, point2 = points.point1[doubtful], points.point2[doubtful]
        in_active = _inside(encounter.active.body, encounter.pose.inverse().points(point2))
        in_world = np.any([_inside(body, point1) for body in bodies], axis=0)
        behind[doubtful] = ~(in_active | in_world)
    return behind


def contained(encounter: Encounter, bodies: Sequence[Body]) -> bool:
    """Tell whether the active body lies wholly inside a solid of the world, or a body of the world in it."""
    mine = encounter.pose.points(_inner_points(encounter.active.body))
    for body in bodies:
        other = encounter.pose.inverse().points(_inner_points(body))
        if _inside(body, mine).all() or _inside(encounter.active.body, other).all():
            return True
    return False


def _inner_points(body: Body) -> Floats:
    """Return points (6, 3) just under the surface at the body's farthest triangles; of an open body, on
    them.
    """
    centres = body.triangles.mean(axis=1)
    some = body.triangles[np.concatenate([centres.argmin(axis=0), centres.argmax(axis=0)])]
    normal = cross(some[:, 1] - some[:, 0], some[:, 2] - some[:, 0])
    normal /= np.sqrt(dot(normal, normal))[:, None]
    depth = _PROBE_DEPTH * body.radius if body.closed else 0.0
    found: Floats = some.mean(axis=1) - depth * normal
    return found


def _inside(body: Body, points: Floats) -> Bools:
    if not body.closed:
        return np.zeros(len(points), bool)
    lower, upper = body.triangles.min(axis=(0, 1)), body.triangles.max(axis=(0, 1))
    boxed = ((points > lower) & (points < upper)).all(axis=1)
    inside = np.zeros(len(points), bool)
    for i in np.nonzero(boxed)[0]:
        inside[i] = winding_number(points[i], body.triangles) > 0.5
    return inside


def winding_number(point: Floats, triangles: Floats) -> float:
    """Return how often triangles (t, 3, 3) wind around a point (3,): the sum of their solid angles (Van
    Oosterom and Strackee 1983) over the full one; 1 inside a closed outward-wound surface, 0 outside.
    """
    a, b, c = (triangles - point).transpose(1, 0, 2)
    la, lb, lc = np.sqrt(dot(a, a)), np.sqrt(dot(b, b)), np.sqrt(dot(c, c))
    volume = dot(a, cross(b, c))
    cosine = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
    return float(np.arctan2(volume, cosine).sum() / (2.0 * np.pi))
