"""Points go over planar faces and straight edges from piece to piece, and these have one number each."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import Delaunay

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.bodies.body import Body
from physplace_addon.core.bodies.topology import pieces_of, topology_of
from tests.core.contact.body_pairs import pose
from tests.core.contact.regions.prisms import gridded_cube

TILT = pose((0.3, -0.5, 0.2), (0.4, 1.0, -2.0)).matrix4
MIRRORED = TILT @ np.diag([-1.0, 1.0, 1.0, 1.0])


def square(rng: np.random.Generator, count: int, hole: float = 0.0) -> tuple[Floats, Ints]:
    """The triangles of a square from -1 to 1 in z = 0, of random sizes, a hole in its middle."""
    ring = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    inside = rng.uniform(-0.99, 0.99, (count, 2))
    inside = np.concatenate([ring, hole * ring, inside[np.abs(inside).max(axis=1) > hole]])
    plane = inside if hole else inside[np.r_[:4, 8 : len(inside)]]
    triangles = Delaunay(plane).simplices
    middle = plane[triangles].mean(axis=1)
    a, b, c = plane[triangles].transpose(1, 0, 2)
    turned = (b - a)[:, 0] * (c - a)[:, 1] < (b - a)[:, 1] * (c - a)[:, 0]
    triangles[turned] = triangles[turned][:, ::-1]
    kept = np.abs(middle).max(axis=1) > hole
    return np.column_stack([plane, np.zeros(len(plane))]), triangles[kept].astype(np.intp)


def moved(body: Body, start: Floats, way: Floats, affine: Floats) -> Floats:
    """Where points (k, 3) of the square come to, in its own frame, on ways (k, 3)."""
    corners = (body.triangles @ np.linalg.inv(affine)[:3, :3].T) + np.linalg.inv(affine)[:3, 3]
    a, ab, ac = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    offset = start[:, None] - a
    area = ab[:, 0] * ac[:, 1] - ab[:, 1] * ac[:, 0]
    v = (offset[..., 0] * ac[:, 1] - offset[..., 1] * ac[:, 0]) / area
    w = (ab[:, 0] * offset[..., 1] - ab[:, 1] * offset[..., 0]) / area
    weights = np.stack([1.0 - v - w, v, w], axis=-1)
    triangle = weights.min(axis=2).argmax(axis=1)
    here = weights[np.arange(len(start)), triangle]
    uv = (here[:, None] @ body.triangle_uv[triangle])[:, 0]
    displacement = way @ affine[:3, :3].T
    piece, uv = pieces_of(body).moved_on_faces(body, body.triangle_face[triangle], uv, displacement)
    assert (uv >= -1e-12).all()
    assert (uv.sum(axis=1) <= 1.0 + 1e-12).all()
    at = body.face_geometry(piece, uv).point
    found: Floats = (at - affine[:3, 3]) @ np.linalg.inv(affine[:3, :3]).T
    return found


@pytest.mark.parametrize("affine", [TILT, MIRRORED])
def test_a_point_comes_to_its_goal_over_any_number_of_triangles(
    rng: np.random.Generator, affine: Floats
) -> None:
    points, triangles = square(rng, 150)
    body = polyhedron(points, triangles, "square").transformed(affine)
    assert len(np.unique(pieces_of(body).face)) == 1
    start, goal = (np.column_stack([rng.uniform(-1, 1, (400, 2)), np.zeros(400)]) for _ in range(2))
    np.testing.assert_allclose(moved(body, start, goal - start, affine), goal, atol=1e-12)


def test_a_point_that_leaves_its_face_stops_at_the_border(rng: np.random.Generator) -> None:
    points, triangles = square(rng, 150)
    body = polyhedron(points, triangles, "square").transformed(TILT)
    start = np.column_stack([rng.uniform(-1, 1, (200, 2)), np.zeros(200)])
    turn = rng.uniform(0.0, 2.0 * np.pi, 200)
    way = 4.0 * np.column_stack([np.cos(turn), np.sin(turn), np.zeros(200)])
    np.testing.assert_allclose(np.abs(moved(body, start, way, TILT)).max(axis=1), 1.0, atol=1e-12)


def test_a_point_does_not_go_across_a_hole(rng: np.random.Generator) -> None:
    points, triangles = square(rng, 150, hole=0.4)
    body = polyhedron(points, triangles, "frame").transformed(TILT)
    assert len(np.unique(pieces_of(body).face)) == 1
    start = np.column_stack([np.full(50, -0.9), rng.uniform(-0.39, 0.39, 50), np.zeros(50)])
    found = moved(body, start, np.tile([1.8, 0.0, 0.0], (50, 1)), TILT)
    assert (found[:, 0] <= -0.4 + 1e-12).all()


def test_a_point_goes_along_a_straight_edge_and_stops_at_its_end(rng: np.random.Generator) -> None:
    body = gridded_cube(7).transformed(TILT)
    pieces, topology = pieces_of(body), topology_of(body)
    assert topology.edge_count == 12
    assert len(np.unique(pieces.edge)) == 12
    edge, t = rng.integers(0, body.edge_count, 300), rng.uniform(0.0, 1.0, 300)
    start = body.edge_geometry(edge, t)
    ends = np.stack([_farthest(body, pieces.edge, edge, start.point, s * start.tangent) for s in (-1, 1)], 1)
    way = np.sort(np.einsum("kei,ki->ke", ends - start.point[:, None], start.tangent), axis=1)
    distance = rng.uniform(-1.5, 1.5, 300)
    piece, t = pieces.moved_on_edges(body, edge, t, distance)
    assert (pieces.edge[piece] == pieces.edge[edge]).all()
    expected = start.point + distance.clip(*way.T)[:, None] * start.tangent
    np.testing.assert_allclose(body.edge_geometry(piece, t).point, expected, atol=1e-12)


def _farthest(body: Body, number: Ints, edge: Ints, at: Floats, along: Floats) -> Floats:
    """The end (k, 3) of each whole edge, farthest from points (k, 3) along directions (k, 3)."""
    ends = body.segments.reshape(-1, 3)
    reach = np.einsum("kni,ki->kn", ends[None] - at[:, None], along)
    reach[np.repeat(number[body.segment_edge], 2) != number[edge][:, None]] = -np.inf
    farthest: Floats = ends[reach.argmax(axis=1)]
    return farthest


def test_a_planar_face_has_the_number_of_its_first_triangle(rng: np.random.Generator) -> None:
    body = gridded_cube(5).transformed(TILT)
    pieces, topology = pieces_of(body), topology_of(body)
    for face in range(topology.face_count):
        triangles = np.flatnonzero(topology.triangle_face == face)
        assert (pieces.face[triangles] == triangles.min()).all()
    assert (pieces.planar == topology.triangle_face).all()
    assert len(body.vertices) == 8


def test_pieces_are_known_without_all_of_the_topology() -> None:
    body = gridded_cube(3)
    assert len(np.unique(pieces_of(body).face)) == 6
    assert "topology" not in body.derived
