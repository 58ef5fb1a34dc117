"""Which sides and corners of Bezier patches are edges and vertices of their body."""

import numpy as np

from tests.core.surfaces.bezier.patched_bodies import BODIES, NETS


def test_open_sides_and_creases_are_edges_and_sharp_corners_vertices() -> None:
    edges = {name: sum(curve.edge_count for curve in BODIES[name].curves) for name in NETS}
    assert edges == {"pebble": 0, "lunes": 0, "cube": 12, "hill": 4, "tip": 1, "pot": 5, "lid": 1}
    vertices = {name: len(BODIES[name].vertices) for name in NETS}
    assert vertices == {"pebble": 0, "lunes": 0, "cube": 8, "hill": 4, "tip": 1, "pot": 0, "lid": 0}
    assert all(curve.domain.periodic for curve in BODIES["pot"].curves)


def test_a_vertex_knows_the_directions_of_all_its_faces() -> None:
    cube, tip = BODIES["cube"], BODIES["tip"]
    for vertex, cone in zip(cube.vertices, cube.vertex_directions, strict=True):
        assert np.all(cone * (0.5 - vertex) >= -1e-15)
        for axis in np.eye(3) * 2 * (0.5 - vertex):
            assert np.abs(cone - axis).sum(axis=1).min() < 1e-14
    np.testing.assert_allclose(tip.vertices, [[0, 0, 1.2]], atol=1e-15)
    np.testing.assert_allclose(tip.vertex_directions[0][:, 2], -np.sqrt(0.5), atol=0.01)
