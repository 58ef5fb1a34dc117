"""Sliver triangles go, and the mesh stays closed."""

import numpy as np

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.mesh.edges import edge_table
from physplace_addon.core.mesh.mass import areas, signed_volumes
from physplace_addon.core.mesh.sliver_triangles import are_slivers, distinct_corners, without_slivers
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES


def cube_with_a_corner_on_a_side() -> tuple[Floats, Ints]:
    """A cube whose first triangle is split, its neighbour not: a sliver fills the seam."""
    points = np.concatenate([CUBE_POINTS, CUBE_POINTS[CUBE_TRIANGLES[0, :2]].mean(axis=0)[None]])
    a, b, c = CUBE_TRIANGLES[0]
    middle = len(CUBE_POINTS)
    halves = [[a, middle, c], [middle, b, c], [a, b, middle]]
    return points, np.concatenate([CUBE_TRIANGLES[1:], halves])


def test_height_over_the_longest_side_decides(rng: np.random.Generator) -> None:
    triangles = np.arange(300).reshape(100, 3)
    points = rng.normal(size=(300, 3))
    longest = np.max(
        [np.linalg.norm(np.roll(points[triangles], 1, axis=1) - points[triangles], axis=2)], axis=(0, 2)
    )
    height = 2.0 * areas(points[triangles]) / longest
    assert np.array_equal(are_slivers(points, triangles, 0.3), height <= 0.3)


def test_a_closed_mesh_stays_closed_without_its_sliver() -> None:
    points, triangles = cube_with_a_corner_on_a_side()
    assert edge_table(triangles).closed
    assert are_slivers(points, triangles, 1e-9).sum() == 1
    found, source = without_slivers(points, triangles, 1e-9)
    assert edge_table(found).closed
    assert not are_slivers(points, found, 1e-9).any()
    assert np.isclose(signed_volumes(points[found]).sum(), signed_volumes(CUBE_POINTS[CUBE_TRIANGLES]).sum())
    parts = np.bincount(source, weights=areas(points[found]), minlength=len(triangles))
    assert np.allclose(parts, areas(points[triangles]))


def test_repeated_corners_are_seen() -> None:
    triangles = np.array([[0, 1, 2], [0, 0, 1], [1, 2, 1], [2, 1, 1]])
    assert distinct_corners(triangles).tolist() == [True, False, False, False]
