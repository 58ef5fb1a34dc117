"""Edges against solids: in, out and on, held against exact brute force.

Bouma and Vanecek 1991, sections 5 and 10.
"""

from collections.abc import Callable

import numpy as np
import pytest

from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.bodies.topology import topology_of
from physplace_addon.core.collision.classification import IN, OUT, EdgeClassification, classify_edges
from physplace_addon.core.mesh.inside import windings
from tests.amounts import drawn
from tests.core.dirty_meshes import dirty
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES, SQUARE_POINTS, SQUARE_TRIANGLES, beside, voxels
from tests.oracles.edge_classification import Oracle

NAMES = ("vertex", "edge", "face", "in", "out", "end")
Mesh = tuple[np.ndarray, np.ndarray]


def labels(found: EdgeClassification, edge: int) -> list[tuple[str, int, str, int]]:
    rows = range(found.start[edge], found.start[edge + 1])
    return [
        (NAMES[found.at[i]], int(found.at_entity[i]), NAMES[found.after[i]], int(found.after_entity[i]))
        for i in rows
    ]


def kinds(found: EdgeClassification, edge: int = 0) -> list[str]:
    """What is at the places and between them, by turns."""
    return [word for at, _, after, _ in labels(found, edge) for word in (at, after)][:-1]


def cube() -> Body:
    return polyhedron(2.0 * CUBE_POINTS, CUBE_TRIANGLES, "cube")


def classified(body: Body, start: tuple[float, ...], end: tuple[float, ...]) -> list[str]:
    return kinds(classify_edges(np.array([[start, end]], dtype=float), body))


def test_an_edge_through_a_cube_is_out_in_out() -> None:
    assert classified(cube(), (-3, 0, 0), (3, 0, 0)) == ["out", "out", "face", "in", "face", "out", "out"]


def test_an_edge_over_a_face_is_on_it_between_its_edges() -> None:
    assert classified(cube(), (-3, 0, 1), (3, 0, 1)) == ["out", "out", "edge", "face", "edge", "out", "out"]


def test_an_edge_along_an_edge_is_on_it_between_its_vertices() -> None:
    assert classified(cube(), (-3, 1, 1), (3, 1, 1)) == [
        *("out", "out", "vertex", "edge", "vertex", "out", "out")
    ]


def test_an_edge_beside_a_vertex_touches_it() -> None:
    assert classified(cube(), (0, 2, 1), (2, 0, 1)) == ["out", "out", "vertex", "out", "out"]


def test_an_edge_from_vertex_to_vertex_through_the_cube_is_in() -> None:
    assert classified(cube(), (-1, -1, -1), (1, 1, 1)) == ["vertex", "in", "vertex"]


def test_an_edge_inside_a_face_is_on_the_whole_of_it() -> None:
    assert classified(cube(), (-0.5, 0.25, 1), (0.5, -0.25, 1)) == ["face", "face", "face"]


def test_figure_9_of_the_paper() -> None:
    """In by an edge, out by a face, to an edge, along a face to a vertex, and away."""
    outline = np.array([[-1, 4], [0, 0], [2, -1], [2, 0.5], [3, 0], [5, 0], [5, 2], [6, 4]])
    solid = polyhedron(*_prism(outline, 1.0), "solid")
    found = classified(solid, (-3, 0, 0), (13, 0, 2))
    assert found == [
        *("out", "out", "edge", "in", "face", "out", "edge", "face", "vertex", "out", "out"),
    ]


def test_a_sheet_has_no_inside() -> None:
    sheet = polyhedron(SQUARE_POINTS, SQUARE_TRIANGLES, "sheet")
    assert classified(sheet, (0.3, 0.4, -1), (0.3, 0.4, 1)) == ["out", "out", "face", "out", "out"]


def test_edges_far_away_are_out() -> None:
    assert classified(cube(), (50, 50, 50), (51, 50, 50)) == ["out", "out", "out"]


@pytest.mark.parametrize("edges", [np.zeros((1, 2, 3)), np.full((1, 2, 3), np.nan), np.zeros((2, 3))])
def test_an_edge_without_length_is_refused(edges: np.ndarray) -> None:
    with pytest.raises(ValueError, match="edges"):
        classify_edges(edges, cube())


def test_points_that_doubles_cannot_tell_apart_are_told_apart() -> None:
    """Edges pass an edge of the cube one bit outside of it, on it, and one bit inside."""
    ends = np.array([[[0.5, 1.5, 0.0], [1.5, 0.5, 0.0]]] * 3)
    ends[0, 0, 1], ends[2, 0, 1] = np.nextafter(1.5, 2.0), np.nextafter(1.5, 1.0)
    found = classify_edges(ends, cube())
    assert kinds(found, 0) == ["out", "out", "out"]
    assert kinds(found, 1) == ["out", "out", "edge", "out", "out"]
    assert kinds(found, 2) == ["out", "out", "face", "in", "face", "out", "out"]


def test_within_a_tolerance_an_edge_beside_a_face_is_on_it() -> None:
    beside_face = np.array([[[-0.5, 0.0, 1.0 + 1e-7], [0.5, 0.25, 1.0 - 1e-7]]])
    assert kinds(classify_edges(beside_face, cube())) == ["out", "out", "face", "in", "in"]
    assert kinds(classify_edges(beside_face, cube(), 1e-6)) == ["face", "face", "face"]


def test_within_a_tolerance_an_edge_beside_an_edge_meets_it() -> None:
    past = np.array([[[0.0, 2.0, 0.5], [2.0, 1e-7, 0.5]]])
    assert kinds(classify_edges(past, cube())) == ["out", "out", "out"]
    assert kinds(classify_edges(past, cube(), 1e-6)) == ["out", "out", "edge", "out", "out"]


@pytest.mark.parametrize("seed", [0, 1, 3, 6, 7, 12])
def test_a_tolerance_gives_what_is_exact_for_edges_without_errors(seed: int) -> None:
    rng = np.random.default_rng([17, seed])
    points, triangles = MAKERS[seed % len(MAKERS)](rng)
    body = polyhedron(points, triangles, "solid")
    edges = _edges(rng, points[np.unique(triangles)], np.zeros((1, 3), dtype=int), 120)
    exact = classify_edges(edges, body)
    near = classify_edges(edges + 1e-9 * rng.uniform(-1.0, 1.0, edges.shape), body, 1e-6)
    assert [labels(exact, i) for i in range(len(edges))] == [labels(near, i) for i in range(len(edges))]


@pytest.mark.parametrize("seed", [1, 2, 7, 10, 13, 17, 18, 19, 21, 22, 28, 30, 31, 34, 38])  # solids
def test_what_is_in_a_dirty_solid_has_a_positive_winding_number(seed: int) -> None:
    mesh, rng = dirty(seed), np.random.default_rng([23, seed])
    body = polyhedron(mesh.points, mesh.triangles, "dirty")
    assert body.closed
    low, high = body.points.min(axis=0), body.points.max(axis=0)
    edges = rng.uniform(1.2 * low - 0.2 * high, 1.2 * high - 0.2 * low, (40, 2, 3))
    edges[:20, 0] = body.points[rng.integers(body.point_count, size=20)]
    found = classify_edges(edges, body, 1e-9 * float(np.linalg.norm(high - low)))
    free = np.flatnonzero((found.after == IN) | (found.after == OUT))
    share = 0.5 * (found.parameter[free] + found.parameter[free + 1])[:, None]
    ends = edges[np.searchsorted(found.start, free, side="right") - 1]
    places = (1.0 - share) * ends[:, 0] + share * ends[:, 1]
    assert np.array_equal(windings(body.triangles, places) > 0, found.after[free] == IN)


# Polyhedra with integer coordinates.


def _prism(outline: np.ndarray, height: float) -> Mesh:
    """A prism over a polygon (n, 2), counterclockwise, of which the first corner sees all others."""
    n = len(outline)
    points = np.concatenate([np.insert(outline, 2, z, axis=1) for z in (0.0, height)])
    i, k = np.arange(n), np.arange(1, n - 1)
    j = (i + 1) % n
    sides = [np.stack([i, j, n + j], axis=1), np.stack([i, n + j, n + i], axis=1)]
    caps = [np.stack([0 * k, k + 1, k], axis=1), np.stack([n + 0 * k, n + k, n + k + 1], axis=1)]
    return points, np.concatenate(sides + caps)


def _box(low: tuple[int, ...], high: tuple[int, ...]) -> Mesh:
    return np.array(low) + (CUBE_POINTS + 0.5) * np.subtract(high, low), CUBE_TRIANGLES


def _random_voxels(rng: np.random.Generator) -> Mesh:
    return voxels(rng.random((3, 3, 3)) < rng.uniform(0.3, 0.7))


def _tetrahedron(rng: np.random.Generator) -> Mesh:
    while True:
        points = rng.integers(0, 5, (4, 3)).astype(float)
        volume = np.linalg.det(points[1:] - points[0])
        if abs(volume) > 0.5:
            triangles = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
            return points, triangles if volume > 0 else triangles[:, ::-1]


def _shells(rng: np.random.Generator) -> Mesh:
    """Boxes in boxes, their insides out or not, and beside each other at edges, vertices and faces."""
    meshes = [_box((0, 0, 0), (5, 5, 5)), _box((1, 1, 1), (4, 4, 4)), _box((2, 2, 2), (3, 3, 3))]
    meshes.append(
        [_box((5, 5, 0), (7, 7, 3)), _box((5, 5, 5), (6, 6, 6)), _box((5, 1, 1), (6, 3, 3))][rng.integers(3)]
    )
    turned = rng.random(4) < 0.5
    return beside(*((p, t[:, ::-1] if over else t) for (p, t), over in zip(meshes, turned, strict=True)))


def _star_prism(rng: np.random.Generator) -> Mesh:
    outline = np.array([[0, 0], [4, 0], [4, 4], [3, 1], [2, 3], [1, 4]], dtype=float)
    return _prism(outline + np.insert(rng.integers(0, 2, (5, 2)), 0, 0, axis=0), float(rng.integers(1, 4)))


def _sheet(rng: np.random.Generator) -> Mesh:
    points, triangles = _random_voxels(rng)
    return points, triangles[rng.random(len(triangles)) < 0.7]


def _crossing(rng: np.random.Generator) -> Mesh:
    """Two solids that go through each other."""
    return beside(_tetrahedron(rng), _random_voxels(rng))


MAKERS: tuple[Callable[[np.random.Generator], Mesh], ...] = (
    *(_random_voxels, _tetrahedron, _shells, _star_prism, _sheet, _crossing),
)
SHEARS = (
    np.eye(3),
    np.array([[1, 4, 0], [0, 1, 0], [0, 3, 1]]),
    np.array([[1, 0, 7], [2, 1, 0], [0, 0, 1]]),
)
"""Integer maps that keep volumes: all incidences stay, and triangles become slivers."""


def _edges(rng: np.random.Generator, points: np.ndarray, triangles: np.ndarray, count: int) -> np.ndarray:
    """Integer edges around a mesh: anywhere, from its vertices, and along its sides and diagonals."""
    low, high = points.min(axis=0).astype(int) - 1, points.max(axis=0).astype(int) + 2
    ends = rng.integers(low, high, (count, 2, 3)).astype(float)
    third = count // 3
    ends[:third, 0] = points[rng.integers(len(points), size=third)]
    sides = points[triangles[rng.integers(len(triangles), size=third)]][:, :2]
    along = sides[:, 1] - sides[:, 0]
    before, after = rng.integers(-1, 2, (2, third, 1))
    ends[third : 2 * third] = np.stack([sides[:, 0] + before * along, sides[:, 1] + after * along], axis=1)
    edges: np.ndarray = ends[(ends[:, 0] != ends[:, 1]).any(axis=1)]
    return edges


def _assert_equals_brute_force(mesh: Mesh, edges: np.ndarray) -> int:
    body = polyhedron(*mesh, "solid")
    found, oracle = classify_edges(edges, body), Oracle(topology_of(body))
    for i, edge in enumerate(edges):
        expected = oracle.sequence(edge)
        assert labels(found, i) == [(*at, *after) for at, _, after in expected], edge.tolist()
        points = found.point[found.start[i] : found.start[i + 1]]
        exact = np.array([[float(x) for x in point] for _, point, _ in expected])
        assert np.abs(points - exact).max() < 1e-13 * np.abs(mesh[0]).max()
    return len(edges)


def _compared(seed: int, count: int) -> int:
    rng = np.random.default_rng([13, seed])
    points, triangles = MAKERS[seed % len(MAKERS)](rng)
    used = np.unique(triangles)
    points = np.where(np.isin(np.arange(len(points)), used)[:, None], points, points[used[0]])
    edges = _edges(rng, points, triangles, count)
    shear = SHEARS[rng.integers(len(SHEARS))]
    return _assert_equals_brute_force((points @ shear.T, triangles), edges @ shear.T)


def test_classification_equals_brute_force() -> None:
    assert sum(_compared(seed, 40) for seed in range(18)) > 600


@pytest.mark.parametrize("shift", [0.0, 2.0**30])
def test_neither_size_nor_place_changes_what_is_exact(shift: float) -> None:
    """Numbers of many digits take the way through integers of any size."""
    rng = np.random.default_rng(5)
    points, triangles = _random_voxels(rng)
    edges = _edges(rng, points[np.unique(triangles)], np.zeros((1, 3), dtype=int), 60)
    plain = classify_edges(edges, polyhedron(points, triangles, "solid"))
    scale = 1.0 + 2.0**-20
    moved = classify_edges(scale * (edges + shift), polyhedron(scale * (points + shift), triangles, "solid"))
    assert [labels(plain, i) for i in range(len(edges))] == [labels(moved, i) for i in range(len(edges))]


@pytest.mark.slow
def test_classification_of_thousands_of_edges_equals_brute_force() -> None:
    seeds = drawn(12, thorough=66)
    assert sum(_compared(seed, 180) for seed in range(100, 100 + seeds)) > 152 * seeds
