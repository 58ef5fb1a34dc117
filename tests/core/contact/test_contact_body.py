"""What a body prepared for contact knows of its triangles."""

import gc
import weakref

import numpy as np
import pytest

from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.contact.contact_body import ContactBody, dihedral_tolerances
from physplace_addon.core.contact.features import EDGE, FACE, VERTEX
from tests.core.contact.body_pairs import body, prepared


def test_bodies_are_prepared_once_alone_and_as_a_world() -> None:
    cube, cylinder = body("cube"), body("cylinder")
    alone, world = ContactBody.of([cube]), ContactBody.of([cube, cylinder])
    assert ContactBody.of([cube]) is alone
    assert ContactBody.of([cube, cylinder]) is world
    assert len(ContactBody.of([cube, cube]).body.triangles) == 2 * len(cube.triangles)
    assert ContactBody.of([cube, cylinder]) is not world


def test_what_is_prepared_is_freed_with_its_body() -> None:
    cube = body("cube").transformed(np.diag([2.0, 2.0, 2.0, 1.0]))
    gone = weakref.ref(ContactBody.of([cube]))
    del cube
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("name", ["cube", "cone", "cylinder", "bowl", "torus"])
def test_every_segment_and_vertex_is_owned_once_by_a_triangle_that_touches_it(name: str) -> None:
    found = prepared(name)
    solid, every = found.body, np.arange(len(found.body.triangles))
    owner, segment = found.segments.of_rows(every)
    assert sorted(segment.tolist()) == list(range(len(solid.segments)))
    owner, vertex = found.vertices.of_rows(every)
    assert sorted(vertex.tolist()) == list(range(len(solid.vertices)))
    away = np.linalg.norm(solid.triangles[owner] - solid.vertices[vertex][:, None], axis=2).min(axis=1)
    assert away.max(initial=0.0) <= 1e-9


def test_a_cube_is_plain_and_a_cylinder_only_where_it_owns_no_rim() -> None:
    assert prepared("cube").is_plain
    cylinder = prepared("cylinder")
    assert not cylinder.is_plain
    disks = cylinder.triangle_flat
    assert disks.any()
    assert (cylinder.triangle_plain <= disks).all()
    assert np.abs(cylinder.body.triangles[disks][:, :, 2]).min() == pytest.approx(1.0)


def test_faces_edges_and_vertices_know_whether_they_are_flat_or_straight() -> None:
    cylinder, cube = prepared("cylinder"), prepared("cube")
    dims, first = np.array([FACE, EDGE, VERTEX]), np.zeros(3, int)
    assert cube.flat_or_straight(dims, first).tolist() == [True, True, False]
    assert cube.flat_face(dims, first).tolist() == [True, False, False]
    faces = np.arange(len(cylinder.body.face_flat))
    assert cylinder.flat_face(np.full(len(faces), FACE), faces).tolist() == cylinder.body.face_flat.tolist()
    assert not cylinder.flat_or_straight(np.array([EDGE]), np.array([0])).any()


def test_only_closed_bodies_know_their_outside() -> None:
    world = ContactBody.of([body("cube"), body("plane")])
    assert world.trusted.tolist() == [True] * len(body("cube").face_surface) + [False]


@pytest.mark.parametrize(("height", "kept"), [(0.0, 0.0), (2e-7, 1.0), (1e-3, 0.0)])
def test_the_dihedral_tolerance_is_the_sine_of_an_angle_that_rounding_made(
    height: float, kept: float
) -> None:
    corners = [[-4.0, -4.0, -height], [4.0, -4.0, 0.0], [4.0, 4.0, -height], [-4.0, 4.0, 0.0]]
    square = polyhedron(corners, [[0, 1, 3], [1, 2, 3]], "square")
    found = dihedral_tolerances(square, np.ones(2, bool))
    across = 2.0 * height / np.hypot(4.0, 4.0)  # each triangle falls by the height over half a diagonal
    np.testing.assert_allclose(found, kept * across, rtol=1e-6, atol=1e-18)
