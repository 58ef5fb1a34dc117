"""Catmull-Clark refinement: weights that sum to one, creases that stay, and the limit point that is known."""

import numpy as np
import pytest

from physplace_addon.core.surfaces.subdivision.limit import limit_of
from physplace_addon.core.surfaces.subdivision.refinement import (
    CORNER,
    CREASE,
    DART,
    SMOOTH,
    refine,
    vertex_kinds,
)
from tests.core.surfaces.subdivision import cages


@pytest.mark.parametrize("name", cages.cages())
def test_every_new_point_is_a_mean_of_old_ones(name: str) -> None:
    points, cage = cages.quadrilaterals(*cages.cages()[name])
    finer, matrix = refine(cage)
    np.testing.assert_allclose(matrix.toarray().sum(axis=1), 1.0, atol=1e-14)
    assert matrix.shape == (len(points) + len(cage.ends) + len(cage.sizes), len(points))
    assert (finer.sizes == 4).all()
    assert len(finer.sizes) == 4 * len(cage.sizes)


def test_an_infinitely_sharp_edge_is_cut_in_its_middle() -> None:
    points, cage = cages.quadrilaterals(*cages.cube({(0, 1): np.inf}))
    _, matrix = refine(cage)
    edge = np.flatnonzero((cage.ends == [0, 1]).all(axis=1))[0]
    new = (matrix @ points)[len(points) + edge]
    np.testing.assert_allclose(new, 0.5 * (points[0] + points[1]), atol=1e-15)


def test_vertices_are_named_by_their_sharp_edges() -> None:
    _, cage = cages.quadrilaterals(*cages.cube())
    sharp = np.zeros(len(cage.ends))
    sharp[[number for number, ends in enumerate(cage.ends.tolist()) if 0 in ends]] = 1.0
    kinds = vertex_kinds(cage, sharp, np.zeros(8))
    assert kinds[0] == CORNER
    assert sorted(kinds[1:].tolist()) == [SMOOTH] * 4 + [DART] * 3
    assert CREASE not in kinds


def test_the_limit_of_a_smooth_vertex_of_n_quadrilaterals_is_the_known_mean() -> None:
    """(n^2 v + 4 (neighbours) + (opposite corners)) / (n (n + 5)): Halstead, Kass and DeRose 1993."""
    points, cage = cages.quadrilaterals(*cages.cube())
    found = limit_of(cage, points).slopes(np.array([0]), np.array([[0.0, 0.0]])).point[0]
    vertex = points[cage.corners[0]]
    apart = np.abs(points - vertex).sum(axis=1)
    near, diagonal = points[np.isclose(apart, 2.0)], points[np.isclose(apart, 4.0)]
    expected = (9.0 * vertex + 4.0 * near.sum(axis=0) + diagonal.sum(axis=0)) / 24.0
    np.testing.assert_allclose(found, expected, atol=1e-14)
