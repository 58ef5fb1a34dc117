"""Two bodies near one another, for the tests of contact.  Rotation vectors are in radians."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body, exact, polyhedron
from physplace_addon.core.collision import free_travel
from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.contact_body import ContactBody
from physplace_addon.core.contact.features import FACE
from physplace_addon.core.contact.points.creation import Reach
from physplace_addon.core.contact.points.extremal_pairs import solve_extremal_pairs
from physplace_addon.core.contact.points.generation import generate_interface_points
from physplace_addon.core.contact.points.interface_points import InterfacePoints
from physplace_addon.core.contact.system import ContactSystem
from physplace_addon.core.rigid import Pose
from physplace_addon.core.surfaces import kinds
from physplace_addon.core.surfaces.analytic import swept
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES

UPRIGHT = (0.0, 0.0, 0.0)
BOWL = [(0.0, 0.0), (1.0, 0.1), (1.6, 0.7), (1.8, 1.5), (1.7, 1.5), (1.45, 0.75), (0.9, 0.25), (0.0, 0.15)]
MAKERS = {
    "ball": lambda: exact(kinds.sphere(1.0), "ball"),
    "small ball": lambda: exact(kinds.sphere(0.3), "small ball"),
    "ellipsoid": lambda: exact(kinds.superquadric(1.2, 1.0, 0.8), "ellipsoid"),
    "torus": lambda: exact(kinds.torus(1.0, 0.3), "torus"),
    "cone": lambda: exact(kinds.cone(1.0, 2.0), "cone"),
    "cylinder": lambda: exact(kinds.cylinder(0.5, 2.0), "cylinder"),
    "plane": lambda: exact(kinds.plane(8.0, 8.0), "plane"),
    "bowl": lambda: exact(
        swept.revolution(BOWL, sharp=[False, False, False, True, True, False, False, False]), "bowl"
    ),
    "slab": lambda: polyhedron((CUBE_POINTS - [0.0, 0.0, 0.5]) * [8.0, 8.0, 1.0], CUBE_TRIANGLES, "slab"),
    "cube": lambda: polyhedron(CUBE_POINTS, CUBE_TRIANGLES, "cube"),
}


@lru_cache
def body(name: str) -> Body:
    """The named body."""
    return MAKERS[name]()


@lru_cache
def prepared(name: str) -> ContactBody:
    """The named body, prepared for contact."""
    return ContactBody.of([body(name)])


def pose(turn: ArrayLike = UPRIGHT, at: ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
    """The pose turned by a rotation vector, radians, with the body's origin at a point."""
    return Pose.identity().displaced(at, turn, np.zeros(3))


def meet(
    active: str | Body,
    world: str | Body,
    turn: ArrayLike = UPRIGHT,
    at: ArrayLike = (0.0, 0.0, 0.0),
) -> BodyPair:
    """The pair of two bodies, the active one turned and moved."""
    first, second = (prepared(b) if isinstance(b, str) else ContactBody.of([b]) for b in (active, world))
    return BodyPair.of(first, second, pose(turn, at))


def as_system(body_pair: BodyPair) -> ContactSystem:
    """The same pair as a system of one moving body."""
    return ContactSystem((body_pair.active,), (body_pair.pose,), body_pair.world, (body_pair.world.body,))


def lowered(body_pair: BodyPair, gap: float) -> BodyPair | None:
    """The active body let down along -z until it is about `gap` from the world; None if it would pass by."""
    way = free_travel(
        body_pair.active.tree, body_pair.pose, body_pair.world.tree, np.array([0.0, 0.0, -1.0]), gap
    )
    if not np.isfinite(way):
        return None
    return body_pair.displaced(np.array([0.0, 0.0, -way / body_pair.radius, 0.0, 0.0, 0.0]))


def everything_within(body_pair: BodyPair, reach: float, before: BodyPair | None = None) -> InterfacePoints:
    """All interface points with a gap below `reach`."""
    return generate_interface_points(body_pair, Reach(reach, reach, reach), InterfacePoints.none(), before)


def settle_at(body_pair: BodyPair, point: InterfacePoints, gap: float) -> tuple[BodyPair, InterfacePoints]:
    """Shift the active body along the normal of one point until the gap of that point is the given one."""
    for _ in range(4):
        shift = (gap - point.gap[0]) * point.normal[0] / body_pair.radius
        body_pair = body_pair.displaced(np.concatenate([shift, np.zeros(3)]))
        point, valid = solve_extremal_pairs(body_pair, point, known_sides=True)
        assert valid.all()
    assert abs(point.gap[0] - gap) < 1e-12
    return body_pair, point


def chance_meeting(
    active: str,
    world: str,
    kind: str,
    rng: np.random.Generator,
    about: ArrayLike = UPRIGHT,
    spread: float = np.pi,
    aside: float = 0.8,
) -> tuple[BodyPair, InterfacePoints]:
    """A random pose near the world, and in it one interface point of a kind, soft in no direction.

    about, spread: rotation vectors are drawn around `about`; aside: how far from the axis the body comes
    down.
    """
    for _ in range(200):
        turn = np.asarray(about) + spread * rng.uniform(-1.0, 1.0, 3)
        start = meet(active, world, turn, (*(aside * rng.uniform(-1.0, 1.0, 2)), 6.0))
        near = lowered(start, 0.02)
        if near is None:
            continue
        points = everything_within(near, 0.1 * near.radius)
        fit = ~points.on_curve & (np.array(points.kinds(), dtype=object) == kind)
        for row in np.nonzero(fit)[0]:
            point = points.take(slice(row, row + 1))
            if is_sharp(near, point):
                return near, point
    raise AssertionError(f"{active} over {world}: no {kind} in 200 tries")


def is_sharp(body_pair: BodyPair, point: InterfacePoints) -> bool:
    """Whether the pair is well away from a degenerate one: stiff, or with edges that really cross."""
    if FACE in (int(point.dim1[0]), int(point.dim2[0])):
        return bool(point.softest[0] * body_pair.radius > 0.35)
    first, second = body_pair.evaluate(point)
    return bool(np.linalg.norm(np.cross(first.tangents[0, 0], second.tangents[0, 0])) > 0.4)


def largest_hole(points: Floats) -> float:
    """The widest angle about the z axis without a point."""
    angles = np.sort(np.arctan2(points[:, 1], points[:, 0]))
    return float(np.diff(np.concatenate([angles, [angles[0] + 2.0 * np.pi]])).max())


def sheet_over_spike(rise: float, at: tuple[float, float, float]) -> BodyPair:
    """An open sheet over a corner at the origin: a level face, and one that goes up from its border at x = 0
    by `rise`.
    """
    corners = np.array([[0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [-0.5, 0.0, rise]])
    sheet = polyhedron(corners, np.array([[0, 2, 1], [0, 1, 3]]), "bent sheet")
    corners = np.array([[-0.3, -0.3, -1.0], [0.3, -0.3, -1.0], [0.0, 0.4, -1.0], [0.0, 0.0, 0.0]])
    spike = polyhedron(corners, np.array([[0, 1, 3], [1, 2, 3], [2, 0, 3]]), "spike")
    upright = Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.array(at))
    return BodyPair.of(ContactBody.of([sheet]), ContactBody.of([spike]), upright)
