"""The topology of meshes: edges, fans, components and the Euler characteristic."""

import numpy as np

from physplace_addon.core.implicit.polygonize.mesh_topology import MeshTopology, area_vectors

TETRAHEDRON = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
CORNERS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


def test_a_tetrahedron_is_a_sphere() -> None:
    topology = MeshTopology.of(TETRAHEDRON, 4)
    assert len(topology.ends) == 6
    assert (topology.triangles_at_edge == 2).all()
    assert not topology.non_manifold.any()
    assert topology.euler_characteristic == 2
    for triangle, edges in zip(TETRAHEDRON, topology.edge_of, strict=True):
        for i in range(3):
            assert sorted([triangle[i], triangle[(i + 1) % 3]]) == topology.ends[edges[i]].tolist()


def test_an_edge_without_a_second_triangle_is_no_manifold() -> None:
    topology = MeshTopology.of(TETRAHEDRON[:3], 5)
    assert topology.non_manifold.tolist() == [True, False, True, True, False]
    assert topology.used.tolist() == [True, True, True, True, False]


def test_two_bodies_that_meet_in_a_point_are_no_manifold_there_only() -> None:
    both = np.concatenate([TETRAHEDRON, np.where(TETRAHEDRON == 0, 0, TETRAHEDRON + 3)])
    topology = MeshTopology.of(both, 7)
    assert np.flatnonzero(topology.non_manifold).tolist() == [0]
    assert len(np.unique(topology.component_labels)) == 1


def test_two_bodies_apart_are_two_components() -> None:
    topology = MeshTopology.of(np.concatenate([TETRAHEDRON, TETRAHEDRON + 4]), 8)
    assert topology.component_labels.tolist() == [0] * 4 + [1] * 4
    assert topology.euler_characteristic == 4


def test_area_vectors_of_a_closed_mesh_point_outwards_and_add_up_to_nothing() -> None:
    vectors = area_vectors(CORNERS, TETRAHEDRON)
    assert np.allclose(vectors.sum(axis=0), 0.0, atol=1e-15)
    outwards = CORNERS[TETRAHEDRON].mean(axis=1) - CORNERS.mean(axis=0)
    assert (np.einsum("ti,ti->t", vectors, outwards) > 0.0).all()
    assert np.allclose(np.linalg.norm(vectors, axis=1), [0.5, 0.5, np.sqrt(0.75), 0.5])
