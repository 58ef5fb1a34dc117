"""Closest points of points, segments and triangles, against sampling and against their own conditions."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.collision import (
    EDGE,
    FACE,
    VERTEX,
    closest_on_segments,
    closest_on_triangle,
    projects_inside,
    triangles_intersect,
)
from tests.core.collision.soups import (
    closest_on_triangles,
    hostile_soup,
    random_soup,
    sampled_distance_of_points,
)

SCALES = pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])


def on_triangle(barycentric: Floats, triangles: Floats) -> Floats:
    result: Floats = np.einsum("ki,kij->kj", barycentric, triangles)
    return result


@SCALES
def test_no_sampled_point_of_a_triangle_is_nearer(rng: np.random.Generator, scale: float) -> None:
    triangles = scale * hostile_soup(rng, 400)
    points = scale * rng.normal(size=(400, 3))
    found = closest_on_triangle(points, triangles)
    distance = np.linalg.norm(on_triangle(found.barycentric, triangles) - points, axis=1)
    sampled = sampled_distance_of_points(points, triangles)
    assert (distance <= sampled + 1e-14 * scale).all()
    assert (found.barycentric >= 0.0).all()
    assert np.allclose(found.barycentric.sum(axis=1), 1.0, rtol=0.0, atol=1e-14)


def test_the_region_names_the_feature_that_is_nearest() -> None:
    triangle = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    inside, sides = [[0.2, 0.2, 3]], [[0.5, -1, 2], [1, 1, 0], [-1, 0.5, 1]]
    points = np.array(inside + sides + [[-1, -1, 0], [3, -1, 0], [0, 4, 1]])
    region = closest_on_triangle(points, np.repeat(triangle[None], 7, axis=0)).region
    expected = [FACE, EDGE, EDGE + 1, EDGE + 2, VERTEX, VERTEX + 1, VERTEX + 2]
    assert region.tolist() == expected


def test_a_corner_over_itself_is_that_corner(rng: np.random.Generator) -> None:
    triangles = random_soup(rng, 50)
    for corner in range(3):
        found = closest_on_triangle(triangles[:, corner], triangles)
        assert (found.region == VERTEX + corner).all()
        assert np.array_equal(found.barycentric[:, corner], np.ones(50))


@SCALES
def test_no_sampled_points_of_two_segments_are_nearer(rng: np.random.Generator, scale: float) -> None:
    first, second = rng.normal(size=(2, 500, 2, 3)) * scale
    second[::5, 1] = second[::5, 0] + 0.7 * (first[::5, 1] - first[::5, 0])
    second[1::5, 1] = second[1::5, 0]
    first[2::10, 1] = first[2::10, 0]
    second[3::10] = first[3::10]
    s, t, s_inside, t_inside = closest_on_segments(first, second)
    u = np.linspace(0.0, 1.0, 41)[:, None]
    distance = np.linalg.norm(at(first, s[:, None]) - at(second, t[:, None]), axis=1)
    for k in range(500):
        between = at(first[k], u)[:, None] - at(second[k], u)[None]
        assert distance[k] <= np.sqrt((between**2).sum(axis=2).min()) + 1e-14 * scale
    assert np.array_equal(s_inside, (s > 0.0) & (s < 1.0))
    assert np.array_equal(t_inside, (t > 0.0) & (t < 1.0))


def at(segment: Floats, parameter: Floats) -> Floats:
    return segment[..., 0, :] + parameter * (segment[..., 1, :] - segment[..., 0, :])


def test_no_pairs_are_no_answer() -> None:
    none = np.zeros((0, 3, 3))
    assert closest_on_triangle(np.zeros((0, 3)), none).region.shape == (0,)
    assert closest_on_segments(np.zeros((0, 2, 3)), np.zeros((0, 2, 3))).s.shape == (0,)
    assert triangles_intersect(none, none).hit.shape == (0,)
    assert closest_on_triangles(none, none)[0].shape == (0,)


@SCALES
def test_what_stands_over_a_triangle_is_named_and_little_beside(
    rng: np.random.Generator, scale: float
) -> None:
    triangles = scale * hostile_soup(rng, 4000)
    weights = rng.dirichlet([0.3, 0.3, 0.3], size=4000)
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    size = np.linalg.norm(normal, axis=1)
    up = normal / np.where(size > 0.0, size, 1.0)[:, None]
    height = 0.1 * scale * rng.uniform(-1.0, 1.0, 4000)
    over = on_triangle(weights, triangles) + height[:, None] * up
    assert np.array_equal(projects_inside(over, triangles, 0.1 * scale, 1e-12 * scale), np.arange(4000))
    points = over + 0.3 * scale * rng.normal(size=over.shape)
    named = np.zeros(4000, bool)
    named[projects_inside(points, triangles, 0.1 * scale, 1e-12 * scale)] = True
    found = closest_on_triangle(points, triangles)
    distance = np.linalg.norm(on_triangle(found.barycentric, triangles) - points, axis=1)
    stout = size > 1e-6 * scale**2
    assert np.array_equal(named[stout], ((found.region == FACE) & (distance <= 0.1 * scale))[stout])
