"""Features of polyhedra: the sharp edges, and the vertices at their ends."""

import numpy as np

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.mesh.edges import edge_table
from physplace_addon.core.mesh.features import MeshFeatures, mesh_features
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES


def features_of(points: Floats, triangles: Ints) -> MeshFeatures:
    return mesh_features(points, triangles, edge_table(triangles))


def test_diagonals_of_flat_faces_are_no_features() -> None:
    found = features_of(CUBE_POINTS, CUBE_TRIANGLES)
    assert len(found.ends) == 12
    assert len(found.vertices) == 8
    lengths = np.linalg.norm(found.ends[:, 1] - found.ends[:, 0], axis=1)
    assert np.allclose(lengths, lengths[0])


def test_conormals_are_unit_across_the_edge_and_into_the_faces() -> None:
    found = features_of(CUBE_POINTS, CUBE_TRIANGLES)
    along = found.ends[:, 1] - found.ends[:, 0]
    assert np.allclose(np.linalg.norm(found.conormals, axis=2), 1.0)
    assert np.allclose(np.einsum("ei,esi->es", along, found.conormals), 0.0)
    inward = CUBE_POINTS.mean(axis=0) - found.ends.mean(axis=1)
    assert (np.einsum("ei,esi->es", inward, found.conormals) > 0.0).all()
    assert np.allclose(np.einsum("ei,ei->e", found.conormals[:, 0], found.conormals[:, 1]), 0.0)


def test_the_cone_of_a_vertex_is_all_edges_that_leave_it() -> None:
    found, table = features_of(CUBE_POINTS, CUBE_TRIANGLES), edge_table(CUBE_TRIANGLES)
    degree = np.bincount(table.ends.ravel())
    assert np.array_equal(np.diff(found.cone_start), degree)
    assert np.allclose(np.linalg.norm(found.cone_directions, axis=1), 1.0)


def test_a_border_has_one_conormal() -> None:
    found = features_of(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]]))
    assert np.isfinite(found.conormals[:, 0]).all()
    assert np.isnan(found.conormals[:, 1]).all()


def test_where_three_faces_meet_no_conormal_restricts() -> None:
    points = np.array([[0.0, 0, 0], [0, 0, 1], [1, 0, 0], [-1, 1, 0], [-1, -1, 0]])
    found = features_of(points, np.array([[0, 1, 2], [0, 1, 3], [0, 1, 4]]))
    shared = np.isnan(found.conormals).all(axis=(1, 2))
    assert shared.sum() == 1
