"""Flat faces and straight edges: what the contact code asks of them."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.surfaces.flat import Segments, Triangles


@pytest.fixture
def faces(rng: np.random.Generator) -> Triangles:
    return Triangles.from_corners(rng.normal(size=(50, 3, 3)))


@pytest.fixture
def edges(rng: np.random.Generator) -> Segments:
    ends = rng.normal(size=(20, 2, 3))
    conormals = np.cross((ends[:, 1] - ends[:, 0])[:, None], rng.normal(size=(20, 2, 3)))
    conormals /= np.linalg.norm(conormals, axis=2, keepdims=True)
    conormals[3, 1] = np.nan
    return Segments(ends, np.asarray(conormals, float))


def inside(rng: np.random.Generator, count: int) -> Floats:
    return rng.dirichlet(np.ones(3), size=count)[:, 1:]


def random_affine(rng: np.random.Generator) -> Floats:
    affine = np.eye(4)
    affine[:3] = rng.normal(size=(3, 4))
    return affine


def test_parameters_are_barycentric(rng: np.random.Generator, faces: Triangles) -> None:
    face, uv = np.arange(50), inside(rng, 50)
    weights = np.column_stack([1.0 - uv.sum(axis=1), uv])
    expected = np.einsum("kc,kci->ki", weights, faces.corners)
    assert np.allclose(faces.geometry(face, uv).point, expected, atol=1e-15)
    assert np.allclose(faces.derivatives(face, uv).point, expected, atol=1e-15)


def test_the_frame_is_right_handed_and_flat(rng: np.random.Generator, faces: Triangles) -> None:
    found = faces.geometry(np.arange(50), inside(rng, 50))
    third = np.cross(found.frame[:, 0], found.frame[:, 1])
    assert np.allclose(third, found.normal, atol=1e-14)
    assert np.allclose(np.linalg.norm(found.frame, axis=2), 1.0)
    assert not np.any(found.curvature)
    assert faces.flat


def test_first_derivatives_agree_with_differences(rng: np.random.Generator, faces: Triangles) -> None:
    face, uv, step = np.arange(50), inside(rng, 50), 1e-6
    found = faces.derivatives(face, uv)
    for axis, derivative in enumerate((found.du, found.dv)):
        shift = step * np.eye(2)[axis]
        difference = faces.geometry(face, uv + shift).point - faces.geometry(face, uv - shift).point
        assert np.allclose(difference / (2.0 * step), derivative, atol=1e-9)


def test_no_move_changes_no_parameter(rng: np.random.Generator, faces: Triangles) -> None:
    face, uv = np.arange(50), inside(rng, 50)
    assert np.array_equal(faces.move(face, uv, np.zeros((50, 3))), uv)


def test_a_move_ends_at_the_nearest_point_of_the_triangle(rng: np.random.Generator, faces: Triangles) -> None:
    face, uv = np.repeat(np.arange(50), 20), inside(rng, 1000)
    displacement = rng.normal(size=(1000, 3))
    target = faces.geometry(face, uv).point + displacement
    moved = faces.move(face, uv, displacement)
    assert np.all(moved >= 0.0)
    assert np.all(moved.sum(axis=1) <= 1.0 + 1e-15)
    reached = np.linalg.norm(faces.geometry(face, moved).point - target, axis=1)
    a, b = (part.ravel() for part in np.meshgrid(np.linspace(0, 1, 41), np.linspace(0, 1, 41)))
    grid = np.column_stack([a, b])[a + b <= 1.0 + 1e-12]
    others = np.min(
        [np.linalg.norm(faces.geometry(face, np.tile(at, (1000, 1))).point - target, axis=1) for at in grid],
        axis=0,
    )
    assert np.all(reached <= others + 1e-12)
    assert np.all(others - reached < 0.2)


def test_a_thin_triangle_can_be_moved_on(rng: np.random.Generator) -> None:
    thin = Triangles.from_corners([[[0.0, 0, 0], [1.0, 0, 0], [0.5, 1e-6, 0]]])
    moved = thin.move(np.zeros(1, dtype=int), np.array([[0.1, 0.1]]), np.array([[0.4, 0.0, 1.0]]))
    assert thin.geometry(np.zeros(1, dtype=int), moved).point[0, 0] == pytest.approx(0.55, abs=1e-9)


@pytest.mark.parametrize("mirror", [1.0, -1.0])
def test_an_affine_map_keeps_parameters_and_the_outside(
    rng: np.random.Generator, faces: Triangles, mirror: float
) -> None:
    affine = random_affine(rng)
    affine[:3, 0] *= mirror
    face, uv = np.arange(50), inside(rng, 50)
    before, after = faces.geometry(face, uv), faces.transformed(affine).geometry(face, uv)
    assert np.allclose(after.point, before.point @ affine[:3, :3].T + affine[:3, 3], atol=1e-14)
    covector = before.normal @ np.linalg.inv(affine[:3, :3])
    covector /= np.linalg.norm(covector, axis=1, keepdims=True)
    assert np.allclose(after.normal, covector, atol=1e-12)


def test_joined_faces_and_edges_are_their_parts(
    rng: np.random.Generator, faces: Triangles, edges: Segments
) -> None:
    both = Triangles.join([faces, faces.transformed(-np.eye(4))])
    uv = inside(rng, 50)
    second = faces.transformed(-np.eye(4)).geometry(np.arange(50), uv)
    assert np.array_equal(both.geometry(np.arange(50, 100), uv).normal, second.normal)
    assert both.face_count == 100
    assert Segments.join([edges, edges]).edge_count == 40


def test_an_edge_runs_by_arc_length_and_stops_at_its_ends(rng: np.random.Generator, edges: Segments) -> None:
    edge, t = np.arange(20), rng.random(20)
    length = np.linalg.norm(edges.ends[:, 1] - edges.ends[:, 0], axis=1)
    step = 0.1 * length * np.minimum(t, 1.0 - t)
    found = edges.geometry(edge, t)
    moved = edges.geometry(edge, edges.move(edge, t, step))
    assert np.allclose(moved.point, found.point + step[:, None] * found.tangent, atol=1e-14)
    assert np.array_equal(edges.move(edge, t, np.zeros(20)), t)
    assert np.array_equal(edges.move(edge, t, -2.0 * length), np.zeros(20))
    assert np.array_equal(edges.move(edge, t, 2.0 * length), np.ones(20))


def test_mapped_conormals_stay_in_their_faces(rng: np.random.Generator, edges: Segments) -> None:
    affine = random_affine(rng)
    moved, edge, t = edges.transformed(affine), np.arange(20), np.full(20, 0.3)
    conormals = moved.conormals(edge, t)
    tangent = moved.geometry(edge, t).tangent
    known = ~np.isnan(conormals[..., 0])
    assert int(known.sum()) == 39
    assert np.allclose(np.einsum("eci,ei->ec", conormals, tangent)[known], 0.0, atol=1e-13)
    face_normal = np.cross(tangent[:, None], edges.conormals(edge, t) @ affine[:3, :3].T)
    assert np.allclose(np.einsum("eci,eci->ec", conormals, face_normal)[known], 0.0, atol=1e-12)
    inward = np.einsum("eci,eci->ec", conormals, edges.conormals(edge, t) @ affine[:3, :3].T)
    assert np.all(inward[known] > 0.0)
