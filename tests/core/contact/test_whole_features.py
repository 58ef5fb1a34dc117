"""Planar faces and straight edges are one feature each, however a mesh divides them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import Delaunay

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.bodies.body import Body
from physplace_addon.core.contact.bilateral import BilateralContacts
from physplace_addon.core.contact.features import EDGE, FACE, VERTEX
from physplace_addon.core.contact.points.interface_points import InterfacePoints, feature_keys
from physplace_addon.core.contact.system import ContactSystem, Reach
from physplace_addon.core.rigid import Pose
from tests.core.contact.body_pairs import body, pose
from tests.core.contact.regions.prisms import gridded_cube

REACH = Reach(0.1, 0.1, 0.1)


def floor(rng: np.random.Generator) -> Body:
    """A level square of many triangles, of random sizes."""
    plane = np.concatenate(
        [4.0 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]), rng.uniform(-4, 4, (600, 2))]
    )
    points = np.column_stack([plane, np.zeros(len(plane))])
    return polyhedron(points, Delaunay(plane).simplices, "floor")


def found(system: ContactSystem) -> InterfacePoints:
    """All points of a system of which nothing is known."""
    return system.generate(REACH, InterfacePoints.none(), None)


def keys(points: InterfacePoints) -> set[tuple[int, ...]]:
    """The pairs of features of points."""
    return {tuple(key) for key in feature_keys(points).tolist()}


def test_a_corner_over_any_number_of_triangles_of_one_face_is_one_point(rng: np.random.Generator) -> None:
    system = ContactSystem.of([body("cube")], [pose((0.0, 0.0, 0.3), (0.0, 0.0, 0.5 + 1e-9))], [floor(rng)])
    points = found(system)
    assert len(points) == 4
    assert len(set(points.index2.tolist())) == 1
    assert len(set(points.piece2.tolist())) > 1


def test_a_corner_that_slides_over_triangles_is_tracked(rng: np.random.Generator) -> None:
    system = ContactSystem.of([body("cube")], [pose((0.0, 0.0, 0.3), (0.0, 0.0, 0.5 + 1e-9))], [floor(rng)])
    known = found(system)
    for _ in range(20):
        shift = np.array([*rng.uniform(-0.3, 0.3, 2), 0.0, 0.0, 0.0, rng.uniform(-0.5, 0.5)])
        system = system.displaced(shift - 0.2 * np.r_[system.poses[0].translation[:2], np.zeros(4)])
        tracked, fresh = system.track(known), found(system)
        assert keys(tracked) == keys(fresh) == keys(known)
        order, other = np.argsort(tracked.index1), np.argsort(fresh.index1)
        np.testing.assert_allclose(tracked.point2[order], fresh.point2[other], atol=1e-12)
        assert (tracked.piece2[order] == fresh.piece2[other]).all()
        known = tracked


def crossing(at: Floats) -> ContactSystem:
    """A cube of cells on one of its edges, across the edge of another such."""
    upper = pose((0.25 * np.pi, 0.0, 0.0), at + np.array([0.0, 0.0, np.sqrt(2.0) + 1e-3]))
    lower = pose((0.0, 0.25 * np.pi, 0.0)).matrix4
    return ContactSystem.of([gridded_cube(5)], [upper], [gridded_cube(5).transformed(lower)])


@pytest.mark.parametrize("joint", [False, True])
def test_two_straight_edges_that_cross_are_one_point(joint: bool) -> None:
    """Also where two cells of both meet: no vertex is there."""
    points = found(crossing(np.array([0.1, -0.1, 0.0]) if joint else np.array([0.03, 0.07, 0.0])))
    near = points.take(points.gap < 2e-3)
    assert near.dim1.tolist() == near.dim2.tolist() == [EDGE]
    assert near.gap[0] == pytest.approx(1e-3, abs=1e-12)


def test_an_edge_that_slides_along_another_stays_the_same_contact(rng: np.random.Generator) -> None:
    start = crossing(np.zeros(3))
    known = found(start)
    known = known.take(known.gap < 2e-3)
    tied = BilateralContacts.of(known)
    for shift in rng.uniform(-0.4, 0.4, (20, 2)):
        system = crossing(np.array([*shift, 0.0]))
        tracked = system.track(known)
        assert keys(tracked) == keys(known)
        assert len(tied.rows(tracked)) == 1
        np.testing.assert_allclose(tracked.point2[0, :2], tracked.point1[0, :2], atol=1e-12)
        known = tracked


def test_a_mesh_inside_flat_faces_and_straight_edges_adds_no_points(rng: np.random.Generator) -> None:
    place = Pose.identity().displaced([0.1, 0.2, 0.55], [0.02, -0.03, 0.4], np.zeros(3))
    coarse, fine = (
        found(ContactSystem.of([gridded_cube(cells)], [place], [body("slab")])) for cells in (1, 6)
    )
    assert sorted(coarse.kinds()) == sorted(fine.kinds())
    np.testing.assert_allclose(np.sort(coarse.gap), np.sort(fine.gap), atol=1e-12)
    assert {VERTEX, FACE} <= set(coarse.dim1.tolist()) | set(coarse.dim2.tolist())
