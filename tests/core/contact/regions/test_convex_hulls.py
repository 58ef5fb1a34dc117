import numpy as np
from scipy.spatial import ConvexHull

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.contact.regions.convex_hulls import hull_corners
from physplace_addon.core.rigid import rotation_matrix
from tests.oracles.exact_polyhedron import Point


def in_space(plane: Floats, turn: Floats, shift: Floats) -> tuple[Floats, Floats]:
    """Points (m, 3) in a plane of space, and the plane's normal."""
    rotation = rotation_matrix(turn)
    return np.column_stack([plane, np.zeros(len(plane))]) @ rotation.T + shift, rotation[:, 2]


def random_sets(rng: np.random.Generator, count: int) -> tuple[list[Floats], Floats, Ints, Floats]:
    """Sets of points in a plane, and the same in planes of space: points, sets and normals."""
    flat = [rng.normal(size=(rng.integers(3, 60), 2)) * rng.uniform(0.01, 10.0, 2) for _ in range(count)]
    spread = [in_space(plane, rng.normal(size=3), rng.normal(size=3)) for plane in flat]
    group = np.repeat(np.arange(count), [len(plane) for plane in flat])
    normals = np.array([normal for _, normal in spread])
    return flat, np.concatenate([points for points, _ in spread]), group, normals


def test_the_hulls_of_many_sets_at_once_are_those_of_each(rng: np.random.Generator) -> None:
    flat, points, group, normals = random_sets(rng, 200)
    rows = hull_corners(points, group, normals)
    assert (np.diff(group[rows]) >= 0).all()
    starts = np.searchsorted(group, np.arange(200))
    for number, plane in enumerate(flat):
        own = rows[group[rows] == number] - starts[number]
        expected = ConvexHull(plane).vertices.tolist()
        turn = expected.index(own[0])
        assert own.tolist() == expected[turn:] + expected[:turn]  # both counterclockwise


def grid_points(width: int, height: int) -> list[Point]:
    return [(x, y, 0) for x in range(width) for y in range(height)]


def test_points_on_the_sides_of_a_hull_and_points_twice_are_left_out(rng: np.random.Generator) -> None:
    points = np.array(grid_points(7, 4) * 2, dtype=np.float64)
    shuffled = points[rng.permutation(len(points))]
    corners = shuffled[hull_corners(shuffled, np.zeros(len(points), np.intp), np.array([[0.0, 0.0, 1.0]]))]
    assert len(corners) == 4
    assert {tuple(corner) for corner in corners.tolist()} == {
        (0.0, 0.0, 0.0),
        (6.0, 0.0, 0.0),
        (6.0, 3.0, 0.0),
        (0.0, 3.0, 0.0),
    }


def test_no_corner_of_a_fine_circle_is_lost() -> None:
    angle = 2.0 * np.pi * np.arange(10_000) / 10_000
    circle = np.column_stack([5.0 + np.cos(angle), np.sin(angle) - 3.0, np.full(len(angle), 2.0)])
    rows = hull_corners(circle, np.zeros(len(circle), np.intp), np.array([[0.0, 0.0, 1.0]]))
    assert len(rows) == len(circle)


def test_slivers_far_from_the_origin_keep_their_corners() -> None:
    shape = np.array([[0, 0, 0], [1000, 0, 0], [2000, 0.001, 0], [1000, 0.001, 0]])
    sliver = shape + np.array([1e5, 1e5, 0.0])
    rows = hull_corners(sliver, np.zeros(4, np.intp), np.array([[0.0, 0.0, 1.0]]))
    assert sorted(rows.tolist()) == [0, 1, 2, 3]
