"""Normal cones of edges and vertices, beside the geometry that they stand for."""

import numpy as np
import pytest

from physplace_addon.core.contact.features import EDGE, FACE, VERTEX, FeaturePoints
from physplace_addon.core.contact.normal_cones import in_normal_cones, least_slopes, slope_of_both
from physplace_addon.core.contact.regions.flat_pairs import edge_edge, vertex_face, vertex_vertex
from physplace_addon.core.rigid import Pose
from tests.core.contact.body_pairs import body, meet, pose


def vertices(name: str, placed: Pose | None = None) -> FeaturePoints:
    solid = body(name)
    count = len(solid.vertices)
    return FeaturePoints(solid, placed, np.full(count, VERTEX), np.arange(count), np.zeros((count, 2)))


def test_a_cubes_corner_presses_in_the_octant_opposite_to_it(rng: np.random.Generator) -> None:
    """A direction lies in a corner's cone if the whole cube rises from the corner along it."""
    corners, solid = vertices("cube"), body("cube")
    for direction in rng.normal(size=(40, 3)):
        direction /= np.linalg.norm(direction)
        rises, falls = least_slopes(corners, np.broadcast_to(direction, (len(solid.vertices), 3)))
        height = solid.vertices @ direction
        lowest, highest = height <= height.min() + 1e-12, height >= height.max() - 1e-12
        assert ((rises >= 0.0) == lowest).all()
        assert ((falls >= 0.0) == highest).all()


def test_a_cubes_edge_presses_between_the_normals_of_its_faces() -> None:
    solid = body("cube")
    edges = np.arange(len(solid.edge_curve))
    t = solid.segment_t[np.searchsorted(solid.segment_edge, edges)].mean(axis=1)
    points = FeaturePoints(solid, None, np.full(len(edges), EDGE), edges, np.stack([t, 0.0 * t], axis=1))
    at = points.geometry().point
    outward = at / np.linalg.norm(at, axis=1)[:, None]
    rises, falls = least_slopes(points, outward)
    np.testing.assert_allclose(falls, np.sqrt(0.5), atol=1e-12)
    np.testing.assert_allclose(rises, -np.sqrt(0.5), atol=1e-12)


def test_cones_turn_with_their_body(rng: np.random.Generator) -> None:
    placed = pose((0.3, 0.8, -0.4), (1.0, 2.0, 3.0))
    directions = rng.normal(size=(len(body("cube").vertices), 3))
    here = least_slopes(vertices("cube"), directions)
    there = least_slopes(vertices("cube", placed), directions @ placed.matrix.T)
    np.testing.assert_allclose(there, here, atol=1e-13)


def test_faces_are_met_along_their_normals_and_have_no_cone() -> None:
    solid = body("torus")
    faces = FeaturePoints(solid, None, np.array([FACE]), np.array([0]), np.zeros((1, 2)))
    assert (np.array(least_slopes(faces, np.array([[0.0, 0.0, 1.0]]))) == np.inf).all()


def test_the_corner_of_a_box_over_a_table_presses_and_that_over_its_side_does_not() -> None:
    above = meet("cube", "slab", at=(0.0, 0.0, 0.51))
    vertex, face = np.nonzero(np.ones((8, 12)))
    points = vertex_face(above, vertex, face)
    bottom = points.take((points.normal[:, 2] > 0.999) & (points.gap < 0.1) & (points.gap > 0.0))
    assert len(set(bottom.index1.tolist())) == 4
    assert in_normal_cones(above, bottom, 1e-9).all()
    top = points.take((points.normal[:, 2] > 0.999) & ~np.isin(points.index1, bottom.index1))
    assert len(set(top.index1.tolist())) == 4
    assert not in_normal_cones(above, top, 1e-9).any()


@pytest.mark.parametrize("at", [(1.3, 1.2, 1.1), (-1.1, 1.2, 1.4)])
def test_only_the_facing_corners_of_two_boxes_press(at: tuple[float, float, float]) -> None:
    apart = meet("cube", "cube", at=at)
    first, second = np.nonzero(np.ones((8, 8)))
    points = vertex_vertex(apart, first, second)
    real = points.take(slope_of_both(apart, points) >= 0.0)
    assert len(real) == 1
    assert real.gap[0] == pytest.approx(points.gap.min())


def test_crossing_edges_press_where_both_are_lowest() -> None:
    crossed = meet("cube", "cube", (0.25 * np.pi, 0.0, 0.0), (0.0, 0.0, 1.3))
    world = crossed.active.body.transformed(
        np.array(meet("cube", "cube", (0.0, 0.25 * np.pi, 0.0)).pose.matrix4)
    )
    crossed = meet("cube", world, (0.25 * np.pi, 0.0, 0.0), (0.0, 0.0, 1.5))
    count1, count2 = len(crossed.active.body.segments), len(crossed.world.body.segments)
    first, second = np.nonzero(np.ones((count1, count2)))
    points = edge_edge(crossed, first, second)
    real = points.take(in_normal_cones(crossed, points, 1e-9))
    assert len(real) == 1
    np.testing.assert_allclose(real.gap, 1.5 - np.sqrt(2.0), atol=1e-12)
