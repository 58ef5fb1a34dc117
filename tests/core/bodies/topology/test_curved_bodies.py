"""Of bodies with curved faces only what is planar is a face of their topology."""

import numpy as np

from physplace_addon.core.bodies import Body, exact, merge, polyhedron
from physplace_addon.core.bodies.topology import topology_of
from physplace_addon.core.surfaces.kinds import build
from tests.core.bodies.topology.test_topology import counts, window
from tests.core.meshes import (
    CUBE_POINTS,
    CUBE_TRIANGLES,
)


def cylinder() -> Body:
    return exact(build("cylinder", {"radius": 1.0, "height": 2.0}), "cylinder")


def test_of_a_cylinder_only_the_disks_are_planar_faces() -> None:
    found = topology_of(cylinder())
    assert found.face_count == 2
    assert found.edge_curved.all()
    assert found.vertex_curved.all()
    assert np.allclose(np.abs(found.face_normal[:, 2]), 1.0)
    assert np.any(found.triangle_face < 0)


def test_a_small_box_in_a_large_world_with_a_cylinder_stays_a_box() -> None:
    box = polyhedron(1e-4 * CUBE_POINTS, CUBE_TRIANGLES, "box")
    ground = polyhedron(1e4 * CUBE_POINTS + [0.0, 0.0, 1e4], CUBE_TRIANGLES, "ground")
    assert counts(topology_of(merge([box, ground, cylinder()], "world")))[0] == 6 + 6 + 2


def test_a_sphere_has_no_planar_face() -> None:
    found = topology_of(exact(build("sphere", {"radius": 1.0}), "sphere"))
    assert counts(found) == (0, 0, 0)
    assert np.all(found.triangle_face == -1)


def test_a_mirrored_body_keeps_its_outside() -> None:
    affine = np.diag([2.0, 1.0, -3.0, 1.0])
    mirrored = topology_of(polyhedron(*window(), "frame").transformed(affine))
    assert counts(mirrored) == (10, 24, 16)
    assert np.sum(mirrored.edge_angle > 0.0) == 20
    assert np.all(mirrored.face_normal[mirrored.face_normal[:, 2] > 0.5][:, 2] == 1.0)
