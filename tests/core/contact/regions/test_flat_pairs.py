"""Flat features: no near pair is missed, the distance tells the sides, and inner edges press nobody."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.bodies.body import Body
from physplace_addon.core.contact.body_pair import BodyPair
from physplace_addon.core.contact.points.interface_points import InterfacePoints
from physplace_addon.core.contact.regions.flat_pairs import face_vertex, flat_pairs
from tests.core.contact.body_pairs import meet, sheet_over_spike
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES, SQUARE_POINTS, SQUARE_TRIANGLES


def all_pairs(body_pair: BodyPair) -> InterfacePoints:
    """Every pair of triangles, near or not."""
    count1, count2 = len(body_pair.active.body.triangles), len(body_pair.world.body.triangles)
    return flat_pairs(body_pair, *np.divmod(np.arange(count1 * count2), count2))


def convex(rng: np.random.Generator, count: int = 12) -> Body:
    points = rng.normal(size=(count, 3))
    return polyhedron(points, ConvexHull(points).simplices, "convex")


def point_to_segment(p: Floats, a: Floats, b: Floats) -> float:
    t = np.clip((p - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
    return float(np.linalg.norm(p - a - t * (b - a)))


def point_to_triangle(p: Floats, triangle: Floats) -> float:
    a, b, c = triangle
    inner = np.linalg.solve(np.stack([b - a, c - a, np.cross(b - a, c - a)], axis=1), p - a)
    if inner[0] >= 0.0 and inner[1] >= 0.0 and inner[0] + inner[1] <= 1.0:
        return float(abs(inner[2]) * np.linalg.norm(np.cross(b - a, c - a)))
    return min(point_to_segment(p, *triangle[[i, j]]) for i, j in ((0, 1), (1, 2), (2, 0)))


def segment_to_segment(first: Floats, second: Floats) -> float:
    (a, b), (c, d) = first, second
    ends = [point_to_segment(p, c, d) for p in (a, b)] + [point_to_segment(p, a, b) for p in (c, d)]
    normal = np.cross(b - a, d - c)
    s, t, _ = np.linalg.solve(np.stack([b - a, c - d, normal], axis=1), c - a)
    if 0.0 <= s <= 1.0 and 0.0 <= t <= 1.0:
        ends.append(abs((c - a) @ normal) / np.linalg.norm(normal))
    return min(ends)


def brute_force_distance(body_pair: BodyPair) -> float:
    """The distance of two convex polyhedra that do not meet, feature by feature."""
    a = body_pair.pose.points(body_pair.active.body.triangles)
    b = body_pair.world.body.triangles
    edges = [mesh[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2, 3) for mesh in (a, b)]
    bound = 2.0 * float(np.linalg.norm(a.mean(axis=(0, 1)) - b.mean(axis=(0, 1))))
    best = bound
    for points, mesh in ((a.reshape(-1, 3), b), (b.reshape(-1, 3), a)):
        for p in np.unique(points, axis=0):
            best = min([best, *(point_to_triangle(p, triangle) for triangle in mesh)])
    for first in edges[0]:
        best = min([best, *(segment_to_segment(first, second) for second in edges[1])])
    return float(best)


@pytest.mark.parametrize("seed", range(6))
def test_the_least_gap_is_the_distance_of_the_polyhedra(seed: int) -> None:
    rng = np.random.default_rng(seed)
    aside = rng.normal(size=3)
    body_pair = meet(convex(rng), convex(rng), rng.normal(size=3), 4.0 * aside / np.linalg.norm(aside))
    points = all_pairs(body_pair)
    distance = brute_force_distance(body_pair)
    assert distance > 0.0
    assert abs(points.gap.min() - distance) < 1e-12
    offset = points.point1 - points.point2
    assert np.abs(offset - points.gap[:, None] * points.normal).max() < 1e-12


def test_a_face_on_a_face_is_held_at_all_its_corners() -> None:
    points = all_pairs(meet("cube", "cube", turn=(0.0, 0.0, 0.5), at=(0.0, 0.0, 1.2)))
    near = points.take(np.abs(points.gap - 0.2) < 1e-12)
    assert np.abs(near.normal - [0.0, 0.0, 1.0]).max() < 1e-12
    crossings = near.take(np.array(near.kinds(), dtype=object) == "edge/edge")
    assert len(np.unique(np.round(crossings.point1, 9), axis=0)) == 8
    around = near.point1[:, :2]
    assert (ConvexHull(around).volume - ConvexHull(crossings.point1[:, :2]).volume) < 1e-12


@pytest.mark.parametrize("wound", [1, -1])
@pytest.mark.parametrize("height", [0.1, -0.1])
def test_over_an_open_sheet_the_distance_tells_the_side(wound: int, height: float) -> None:
    sheet = polyhedron(4.0 * SQUARE_POINTS - [2.0, 2.0, 0.0], SQUARE_TRIANGLES[:, ::wound], "sheet")
    points = all_pairs(meet("cube", sheet, turn=(0.7, 0.3, 0.1), at=(0.0, 0.0, height * 12.0)))
    assert points.gap.min() > 0.0
    near = points.take(points.gap < points.gap.min() + 1e-9)
    assert np.abs(near.normal - [0.0, 0.0, np.sign(height)]).max() < 1e-12


@pytest.mark.parametrize("height", [1e-12, 0.0, -1e-12])
def test_where_the_distance_is_nothing_the_body_stays_on_its_side(height: float) -> None:
    points = all_pairs(meet("cube", floor_of(4, 0.0), at=(0.1, 0.2, 0.5 + height)))
    near = points.take(np.abs(points.gap) < 1e-9)
    assert len(near) >= 4
    over_faces = near.take(near.dim2 == 2)
    lower = near.take(near.dim2 != 2)
    assert np.abs(lower.normal - [0.0, 0.0, 1.0]).max(initial=0.0) < 1e-9
    assert np.abs(over_faces.normal - [0.0, 0.0, 1.0]).max(initial=0.0) < 1e-9


def floor_of(cells: int, step: float, rng: np.random.Generator | None = None) -> Body:
    """A floor of 2 cells^2 triangles over [-3, 3]^2, its inner points up or down by at most `step`."""
    line = np.linspace(-3.0, 3.0, cells + 1)
    x, y = np.meshgrid(line, line, indexing="ij")
    z = np.zeros_like(x) if rng is None else step * rng.uniform(-1.0, 1.0, x.shape)
    a = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)[None]).ravel()
    b, c, d = a + cells + 1, a + cells + 2, a + 1
    triangles = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return polyhedron(np.stack([x, y, z], axis=-1).reshape(-1, 3), triangles, "floor")


@pytest.mark.parametrize("step", [0.0, 1e-9, 1e-6])
def test_inner_edges_of_a_floor_do_not_press_a_box_that_slides_over_them(
    step: float, rng: np.random.Generator
) -> None:
    body_pair = meet("cube", floor_of(8, step, rng))
    for x in np.linspace(0.0, 0.75, 7):
        moved = meet("cube", body_pair.world.body, (0.0, 0.0, 0.3), (x, 0.3 * x, 0.5 + 2.0 * step + 1e-7))
        points = all_pairs(moved)
        near = points.take(points.gap < 0.05)
        assert len(near) >= 4
        assert np.abs(near.normal - [0.0, 0.0, 1.0]).max() < 8.0 * step + 1e-12


def test_the_wall_of_a_step_does_press() -> None:
    world = polyhedron(CUBE_POINTS * [1.0, 8.0, 1.0], CUBE_TRIANGLES, "step")
    points = all_pairs(meet("cube", world, at=(1.05, 0.0, 0.1)))
    near = points.take(points.gap < 0.06)
    assert len(near) >= 4
    assert np.abs(near.normal - [1.0, 0.0, 0.0]).max() < 1e-12


def test_a_box_flush_with_the_one_under_it_touches_its_top_alone() -> None:
    for height in (1.0, 1.0 + 1e-10, 1.0 - 1e-12):
        points = all_pairs(meet("cube", "cube", at=(0.0, 0.0, height)))
        touching = points.take(points.gap < 1e-6)
        assert len(touching) >= 4
        assert np.abs(touching.normal[:, 2] - 1.0).max() < 1e-9


def test_what_stands_behind_a_face_of_a_solid_is_no_matter_of_that_face() -> None:
    points = all_pairs(meet("cube", "cube", at=(-1e-4, 2e-5, 1.0 + 1e-10)))
    near = points.take(points.gap < 1e-3)
    assert np.abs(near.normal[:, 2] - 1.0).max() < 1e-9


@pytest.mark.parametrize(("rise", "count"), [(0.6, 0), (-0.6, 1)])
def test_a_corner_just_beside_a_face_meets_it_across_a_hollow_edge_alone(rise: float, count: int) -> None:
    """Beside a convex edge it is behind the other face's plane, from where that edge would look hollow."""
    body_pair = sheet_over_spike(rise, (-1e-9, 0.0, 1e-10))
    points = face_vertex(body_pair, np.array([1]), np.array([3]))
    assert len(points) == count
    assert len(face_vertex(body_pair, np.array([0]), np.array([3]))) == 1
