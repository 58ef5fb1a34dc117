"""Refinement of a mesh until it is as near to the surface as asked, with the same topology."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.implicit import FormulaFunction, ImplicitFunction, Spheres, union
from physplace_addon.core.implicit.polygonize.mesh_topology import MeshTopology, area_vectors
from physplace_addon.core.implicit.polygonize.refinement import bisected_at_longest_edges, refined
from physplace_addon.core.implicit.projection import projected
from tests.oracles.triangles import crossings

BALL = Spheres.of([[0.0, 0.0, 0.0]], 1.0)
OCTAHEDRON = np.vstack([np.eye(3), -np.eye(3)])
FACES = np.array([[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]])


def closed(points: Floats, triangles: Ints) -> int:
    """The Euler characteristic of a mesh that is a manifold, wound outwards."""
    topology = MeshTopology.of(triangles, len(points))
    assert not topology.non_manifold.any()
    assert (np.einsum("ti,ti->t", area_vectors(points, triangles), points[triangles].mean(axis=1)) > 0).all()
    return topology.euler_characteristic


def test_a_refined_octahedron_is_a_sphere_within_the_distance_asked_for() -> None:
    points, triangles, distance = refined(BALL, OCTAHEDRON, FACES, 0.01)
    assert distance <= 0.01
    assert closed(points, triangles) == 2
    assert np.allclose(np.linalg.norm(points, axis=1), 1.0, rtol=0, atol=1e-12)
    weights = np.random.default_rng(0).dirichlet(np.ones(3), (20, len(triangles)))
    inner = np.einsum("stc,tci->sti", weights, points[triangles])
    assert (1.0 - np.linalg.norm(inner, axis=2)).max() < 1.1 * 0.01


def test_a_mesh_that_is_near_enough_stays_as_it_is() -> None:
    points, triangles, distance = refined(BALL, OCTAHEDRON, FACES, 0.5)
    assert np.array_equal(points, OCTAHEDRON)
    assert np.array_equal(triangles, FACES)
    assert 0.4 < distance <= 0.5


def test_cutting_one_triangle_cuts_its_neighbour_and_leaves_no_gap() -> None:
    which = np.zeros(8, dtype=bool)
    which[0] = True
    points, triangles = bisected_at_longest_edges(BALL, OCTAHEDRON, FACES, which)
    assert (len(points), len(triangles)) == (7, 10)
    assert closed(points, triangles) == 2


def test_triangles_across_a_narrow_slit_are_no_farther_from_the_surface_than_from_their_corners() -> None:
    """In the middle of the slit the slope is 0, which says nothing of the distance."""
    slit = FormulaFunction.read("0.0001 - x^2")
    points = np.array([[0.01, 0.0, 0.0], [0.01, 0.02, 0.0], [-0.01, 0.0, 0.0], [-0.01, 0.0, 0.02]])
    triangles = np.array([[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]])
    found, _, distance = refined(slit, points, triangles, 0.02)
    assert np.array_equal(found, points)
    assert 0.005 < distance <= 0.02


def seamed_balls(rng: np.random.Generator) -> tuple[ImplicitFunction, Floats, Ints]:
    """Two balls in each other, and a mesh through points that know nothing of the crease between them."""
    balls = union([Spheres.of([x, 0.0, 0.0], 0.7) for x in (-0.45, 0.45)])
    ways = rng.normal(size=(300, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    hull = ConvexHull(ways)
    triangles = hull.simplices.astype(np.intp)
    inwards = np.einsum("ti,ti->t", area_vectors(ways, triangles), ways[triangles[:, 0]]) < 0.0
    triangles[inwards] = triangles[inwards, ::-1]
    return balls, projected(balls, 1.2 * ways, 0.1, 30), triangles


def crossing(points: Floats, triangles: Ints) -> int:
    """How many pairs of triangles cross each other, by the oracle; both ways around."""
    corners = points[triangles]
    return len(crossings(corners, corners, 1e-9))


def test_triangles_across_a_crease_are_no_farther_from_the_surface_than_is_returned() -> None:
    """They are far away between all their middles."""
    rng = np.random.default_rng(0)
    balls, points, triangles = seamed_balls(rng)
    points, triangles, distance = refined(balls, points, triangles, 0.01)
    assert distance <= 0.01
    assert crossing(points, triangles) == 0
    shares = rng.dirichlet([1.0, 1.0, 1.0], size=16)
    places = np.einsum("sc,tci->tsi", shares, points[triangles]).reshape(-1, 3)
    away = np.linalg.norm(places - projected(balls, places, 0.1), axis=1)
    assert away.max() <= distance / 0.85


@pytest.mark.parametrize("seed", [1, 3, 4])
def test_a_mesh_that_does_not_cross_itself_is_not_made_to(seed: int) -> None:
    """Midpoints near the crease lead to its other side, some past others: these come as near as they can."""
    balls, points, triangles = seamed_balls(np.random.default_rng(seed))
    assert crossing(points, triangles) == 0
    found, cut, distance = refined(balls, points, triangles, 0.01)
    assert crossing(found, cut) == 0
    topology = MeshTopology.of(cut, len(found))
    assert topology.euler_characteristic == 2
    assert not topology.non_manifold.any()
    away = np.linalg.norm(found - projected(balls, found, 0.1), axis=1)
    assert away.max() <= distance * (1.0 + 1e-12)
