"""Where two corners meet, the pairs that press are the facets of the cone of forbidden shifts, and no others.

Two convex corners with tangent cones C1 (active) and C2 (world) overlap after a shift t if t is inside the
cone C2 - C1.  Its facets, found here from its rays by a convex hull, are all the contacts that can be there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import OptimizeResult, linprog
from scipy.spatial import ConvexHull

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.bodies.body import Body
from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.regions.flat_pairs import flat_pairs
from physplace_addon.core.placement import Placement, Settings
from physplace_addon.core.rigid import Pose
from tests.core.contact.body_pairs import meet

NEAR = 1e-9  # of R: how far off its corner the active one stands


def corner(rng: np.random.Generator, rays: int) -> tuple[Body, Floats]:
    """A pyramid with its apex at the origin that opens upwards, and its rays (rays, 3)."""
    turn = 2.0 * np.pi * (np.arange(rays) + 0.3 * rng.random(rays)) / rays
    steep = rng.uniform(0.3, 3.0)
    directions = np.stack([np.cos(turn), np.sin(turn), np.full(rays, steep)], axis=1)
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    points = np.concatenate([np.zeros((1, 3)), directions])
    return polyhedron(points, ConvexHull(points).simplices, "corner"), directions


def forbidden(rays1: Floats, rays2: Floats) -> Floats:
    """The outward unit normals (f, 3) of the facets of the cone C2 - C1."""
    rays = np.concatenate([rays2, -rays1, np.zeros((1, 3))])
    hull = ConvexHull(rays)
    through_apex = hull.simplices == len(rays) - 1
    normals: Floats = hull.equations[through_apex.any(axis=1), :3]
    of_cone: Floats = normals[np.abs(hull.equations[through_apex.any(axis=1), 3]) < 1e-12]
    return of_cone


def opposite_corners(rng: np.random.Generator, shift: Floats) -> tuple[BodyPair, Floats, Floats]:
    """A corner over another, its apex a shift (in R) from the other's, and the rays of both as they stand."""
    upper, rays1 = corner(rng, int(rng.integers(3, 7)))
    lower, rays2 = corner(rng, int(rng.integers(3, 7)))
    turned = meet(lower, lower, (np.pi, 0.0, 0.0)).pose
    world = lower.transformed(turned.matrix4)
    tilt = 0.2 * rng.normal(size=3)
    pair = replace(meet(upper, world, tilt, shift * upper.radius), sign_tolerance=1e-13)
    return pair, rays1 @ pair.pose.matrix.T, rays2 @ turned.matrix.T


def every_pair(pair: BodyPair) -> tuple[np.ndarray, np.ndarray]:
    count1, count2 = len(pair.active.body.triangles), len(pair.world.body.triangles)
    first, second = np.divmod(np.arange(count1 * count2), count2)
    return first, second


@pytest.mark.parametrize("seed", range(60))
def test_what_touches_at_a_corner_are_facets_of_the_forbidden_cone(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shift = rng.normal(size=3)
    shift *= NEAR / np.linalg.norm(shift)
    pair, rays1, rays2 = opposite_corners(rng, shift)
    normals = forbidden(rays1, rays2)
    heights = normals @ shift
    if heights.max() <= 0.0:
        shift, heights = -shift, -heights
        pair = pair.at(Pose(pair.pose.rotation, shift * pair.radius))
    points = flat_pairs(pair, *every_pair(pair))
    touching = points.take(points.gap < 1e-6 * pair.radius)
    over_face = touching.take(np.maximum(touching.dim1, touching.dim2) == 2)
    likeness = over_face.normal @ normals.T
    assert (likeness.max(axis=1, initial=-1.0) > 1.0 - 1e-10).all()
    assert _distance_is_held(touching.normal, touching.gap / pair.radius, normals, shift)


def _distance_is_held(found: Floats, gaps: Floats, normals: Floats, shift: Floats) -> bool:
    """Whether the pair of the nearest place on the forbidden cone is there, and it is the lowest."""
    nearest = _nearest_on_cone(normals, shift)
    away = shift - nearest
    distance = np.linalg.norm(away)
    at = np.argmin(gaps)
    return bool(abs(gaps[at] - distance) < 1e-4 * NEAR and found[at] @ away > (1.0 - 1e-6) * distance)


def _nearest_on_cone(normals: Floats, point: Floats) -> Floats:
    """The point of the cone {x: normals x <= 0} nearest to a point, by Dykstra's alternate projections."""
    x, corrections = point.copy(), np.zeros_like(normals)
    for _ in range(4000):
        for i, n in enumerate(normals):
            y = x + corrections[i]
            x = y - max(n @ y, 0.0) * n
            corrections[i] = y - x
    return x


@pytest.mark.parametrize("seed", range(4))
def test_convex_bodies_that_slide_over_their_corners_never_overlap(seed: int) -> None:
    rng = np.random.default_rng([7, seed])
    bodies = []
    for _ in range(2):
        points = rng.normal(size=(9, 3))
        points /= np.linalg.norm(points, axis=1)[:, None]
        bodies.append((polyhedron(points, ConvexHull(points).simplices, "convex"), points))
    (active, mine), (world, theirs) = bodies
    placement = Placement(
        active, Pose(rng.normal(size=4), np.array([*(0.2 * rng.normal(size=2)), 2.5])), [world], Settings()
    )
    for _ in range(30):
        pose = placement.step().pose
        assert penetration(pose.points(mine), theirs) < 1e-9


def penetration(first: Floats, second: Floats) -> float:
    """The radius of the largest ball in both hulls; 0 if they do not overlap."""
    planes = np.concatenate([ConvexHull(first).equations, ConvexHull(second).equations])
    solve: Callable[..., OptimizeResult] = linprog
    found = solve(
        [0.0, 0.0, 0.0, -1.0],
        A_ub=np.column_stack([planes[:, :3], np.ones(len(planes))]),
        b_ub=-planes[:, 3],
        bounds=[(None, None)] * 3 + [(None, 1.0)],
    )
    return max(float(found.x[3]), 0.0)


@pytest.mark.parametrize("beside", [1e-8, 1e-9, 1e-10])
def test_a_corner_in_a_hollow_crease_is_held_back_by_both_faces(beside: float) -> None:
    """The corner stands on one face, so near to an obtuse crease that it projects beside the other one."""
    slope = np.tan(np.radians(15.0))
    valley = np.array([[-2, -2, 2 * slope], [0, -2, 0], [2, -2, 2 * slope]], float)
    points = np.concatenate([valley, valley + np.array([0.0, 4.0, 0.0])])
    crease = polyhedron(points, [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]], "crease")
    upper, _ = corner(np.random.default_rng(1), 5)
    at = np.array([beside, 0.3, slope * beside + 0.1 * beside])
    pair = meet(upper, crease, (0.0, 0.0, 0.0), at)
    found = flat_pairs(pair, *every_pair(pair))
    held = {tuple(np.round(normal, 6)) for normal in found.normal[found.gap < 1e-6 * upper.radius]}
    normals = [np.array([sign * slope, 0.0, 1.0]) / np.hypot(1.0, slope) for sign in (1.0, -1.0)]
    assert held == {tuple(np.round(normal, 6)) for normal in normals}
    assert (found.gap >= 0.0).all()
