"""The boundary representation of polyhedra: faces, loops, edges and vertices of shapes that are known."""

import numpy as np

from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.bodies.topology import Topology, topology_of
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES, SQUARE_POINTS, SQUARE_TRIANGLES


def made(points: np.ndarray, triangles: np.ndarray) -> Topology:
    return topology_of(polyhedron(points, triangles, "body"))


def test_a_cube_has_six_faces_twelve_edges_and_eight_vertices() -> None:
    cube = made(CUBE_POINTS, CUBE_TRIANGLES)
    assert (cube.face_count, cube.edge_count, cube.vertex_count) == (6, 12, 8)
    assert np.allclose(cube.edge_angle, 0.5 * np.pi, rtol=0.0, atol=1e-15)
    assert np.all(cube.face_area == 1.0)
    assert np.all(cube.face_offset == 0.5)
    assert cube.loop_outer.all()
    assert np.all(np.diff(cube.loop_start) == 4)
    assert np.all(np.diff(cube.vertex_edge_start) == 3)
    assert np.all(np.diff(cube.vertex_face_start) == 3)


def test_a_square_has_one_loop_and_borders_without_angles() -> None:
    square = made(SQUARE_POINTS, SQUARE_TRIANGLES)
    assert (square.face_count, square.edge_count, square.vertex_count) == (1, 4, 4)
    assert np.isnan(square.edge_angle).all()


def test_the_topology_of_a_body_is_made_once() -> None:
    body = polyhedron(CUBE_POINTS, CUBE_TRIANGLES, "cube")
    assert topology_of(body) is topology_of(body)
