"""Bodies from triangle meshes, tidy and hostile."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy import float32, float64
from numpy.typing import ArrayLike

from physplace_addon.core import arrays
from physplace_addon.core.arrays import Ints
from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.bodies.body import Body
from physplace_addon.core.errors import MeshError
from tests.core import polygon_meshes
from tests.core.bodies.polyhedron_structure import check_structure, normals
from tests.core.meshes import (
    CUBE_POINTS,
    CUBE_TRIANGLES,
    SQUARE_POINTS,
    SQUARE_TRIANGLES,
    cube_mesh,
    moebius,
    split,
    torus,
)


@pytest.fixture(autouse=True)
def _short_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small meshes are gone through in portions, as those of ten thousands of triangles are."""
    monkeypatch.setattr(arrays, "PORTION", 17)


def cube() -> Body:
    return polyhedron(CUBE_POINTS, CUBE_TRIANGLES, "cube")


def fans(faces: Sequence[Sequence[int]]) -> Ints:
    return np.array([[face[0], face[i], face[i + 1]] for face in faces for i in range(1, len(face) - 1)])


def test_a_cube_is_twelve_flat_faces_twelve_edges_and_eight_corners() -> None:
    body = cube()
    check_structure(body)
    assert (body.face_count, body.edge_count, len(body.vertices)) == (12, 12, 8)
    assert body.closed
    assert body.notes == ()
    assert body.mass.volume == pytest.approx(1.0)
    assert body.mass.basis == "volume"
    assert body.radius == pytest.approx(np.sqrt(0.75))
    assert np.all(body.face_flat)
    assert np.all(np.einsum("ti,ti->t", normals(body), body.triangles.mean(axis=1)) > 0.0)


def test_conormals_lie_in_the_faces_across_the_edge() -> None:
    body = cube()
    edges = np.arange(body.edge_count)
    conormals = body.edge_conormals(edges, np.full(len(edges), 0.5))
    middle = body.edge_geometry(edges, np.full(len(edges), 0.5))
    assert np.allclose(np.einsum("eci,ei->ec", conormals, middle.tangent), 0.0, atol=1e-15)
    assert np.allclose(np.linalg.norm(conormals, axis=2), 1.0)
    inside = middle.point[:, None] + 0.1 * conormals
    assert np.allclose(np.abs(inside).max(axis=2), 0.5)
    assert np.all(np.abs(np.einsum("ei,ei->e", conormals[:, 0], conormals[:, 1])) < 1e-15)


def test_a_cone_at_a_corner_holds_the_edges_that_leave_it() -> None:
    body = cube()
    for vertex in range(8):
        cone = body.cone_directions[body.cone_start[vertex] : body.cone_start[vertex + 1]]
        inward = body.vertices[vertex] + 1e-3 * cone
        assert np.all(np.abs(inward) <= 0.5 + 1e-15)
        axes = np.abs(cone).max(axis=1) == 1.0
        assert int(axes.sum()) == 3


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_split_vertices_are_welded(rng: np.random.Generator, kind: type[float64] | type[float32]) -> None:
    points, triangles = split(*torus(24, 12))
    order = rng.permutation(len(points))
    shuffled = points[order].astype(kind)
    body = polyhedron(shuffled, np.argsort(order)[triangles], "soup")
    check_structure(body)
    assert body.closed
    assert body.point_count == 24 * 12
    assert "doubled vertices" in body.notes[0]


def test_vertices_a_rounding_apart_are_welded(rng: np.random.Generator) -> None:
    points, triangles = split(*torus(24, 12))
    noisy = points + 1e-8 * rng.uniform(-1.0, 1.0, size=points.shape)
    assert polyhedron(noisy, triangles, "soup").closed


def test_welding_leaves_real_features_alone() -> None:
    thin = cube_mesh()[0] * [1.0, 1.0, 1e-5]
    body = polyhedron(thin, CUBE_TRIANGLES, "thin")
    assert body.closed
    assert body.mass.volume == pytest.approx(1e-5)


@pytest.mark.parametrize("turned", [slice(None), slice(None, None, 3), slice(0, 1)])
def test_faces_turned_over_are_turned_back(turned: slice) -> None:
    points, triangles = torus(24, 12)
    triangles = triangles.copy()
    triangles[turned] = triangles[turned, ::-1]
    body = polyhedron(points, triangles, "turned")
    reference = polyhedron(*torus(24, 12), "torus")
    assert body.closed
    assert body.mass.volume == pytest.approx(reference.mass.volume, rel=1e-14)
    assert np.allclose(normals(body), normals(reference), atol=1e-14)
    assert any("turned" in note for note in body.notes)


def test_a_sheet_has_its_area_for_mass_and_edges_with_one_face() -> None:
    body = polyhedron(SQUARE_POINTS, SQUARE_TRIANGLES, "sheet")
    check_structure(body)
    assert not body.closed
    assert body.mass.basis == "area"
    assert body.edge_count == 4
    assert np.allclose(body.mass.center, [0.5, 0.5, 0.0])
    conormals = body.edge_conormals(np.arange(4), np.zeros(4))
    assert np.all(np.isnan(conormals[:, 1]))
    assert not np.any(np.isnan(conormals[:, 0]))


def test_a_sheet_modelled_with_both_sides_is_one_sheet() -> None:
    both = np.concatenate([SQUARE_TRIANGLES, SQUARE_TRIANGLES[:, ::-1]])
    body = polyhedron(SQUARE_POINTS, both, "double")
    assert body.face_count == 2
    assert not body.closed
    assert any("doubled faces" in note for note in body.notes)


def test_a_sheet_whose_back_is_cut_the_other_way_encloses_nothing() -> None:
    back = np.array([[0, 3, 1], [1, 3, 2]])
    body = polyhedron(SQUARE_POINTS, np.concatenate([SQUARE_TRIANGLES, back]), "flat pillow")
    assert not body.closed
    assert body.mass.basis == "area"
    assert body.edge_count == 4


def test_three_faces_on_one_edge_leave_it_unrestricted() -> None:
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, -1, 1], [0, 0, 1]])
    body = polyhedron(points, [[0, 1, 2], [0, 1, 3], [0, 1, 4]], "fin")
    check_structure(body)
    assert body.edge_count == 7
    shared = np.all(np.abs(body.segments[:, :, 1:]) < 1e-15, axis=(1, 2))
    assert int(shared.sum()) == 1
    assert np.all(np.isnan(body.edge_conormals(np.flatnonzero(shared), np.zeros(1))))


def test_a_moebius_strip_is_a_sheet() -> None:
    body = polyhedron(*moebius(20), "moebius")
    check_structure(body)
    assert not body.closed


def test_a_corner_on_the_side_of_a_face_leaves_the_solid_closed() -> None:
    points = np.vstack([CUBE_POINTS, 0.5 * (CUBE_POINTS[0] + CUBE_POINTS[1])])
    with_needle = np.vstack([CUBE_TRIANGLES[1:], [[8, 1, 3], [0, 8, 3], [0, 1, 8]]])
    body = polyhedron(points, with_needle, "needle")
    check_structure(body)
    assert body.closed
    assert body.mass.volume == pytest.approx(1.0)
    assert body.edge_count == 13


def test_a_triangle_of_no_area_alone_is_dropped() -> None:
    points = np.vstack([SQUARE_POINTS, [[2.0, 0.0, 0.0]]])
    triangles = np.vstack([SQUARE_TRIANGLES, [[0, 1, 4], [2, 2, 3]]])
    body = polyhedron(points, triangles, "debris")
    assert body.face_count == 2
    assert body.mass.volume == pytest.approx(1.0)
    assert "2 triangles of no area" in body.notes[0]


def test_flat_regions_have_no_features_inside() -> None:
    grid = np.stack(np.meshgrid(np.arange(5.0), np.arange(5.0), [0.0], indexing="ij"), axis=-1).reshape(-1, 3)
    i, j = (part.ravel() for part in np.meshgrid(np.arange(4), np.arange(4), indexing="ij"))
    a, b, c, d = 5 * i + j, 5 * i + 5 + j, 5 * i + 6 + j, 5 * i + 1 + j
    triangles = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    body = polyhedron(grid, triangles, "grid")
    check_structure(body)
    assert body.edge_count == 16
    assert len(body.vertices) == 4
    on_border = np.any((body.vertices[:, :2] == 0.0) | (body.vertices[:, :2] == 4.0), axis=1)
    assert np.all(on_border)


def test_one_triangle_is_a_body() -> None:
    body = polyhedron(SQUARE_POINTS[:3], [[0, 1, 2]], "triangle")
    check_structure(body)
    assert (body.face_count, body.edge_count, len(body.vertices)) == (1, 3, 3)


def test_a_mesh_far_away_keeps_its_mass() -> None:
    far = np.array([1e5, 2e5, -3e5])
    body = polyhedron(CUBE_POINTS + far, CUBE_TRIANGLES, "far")
    assert body.closed
    assert np.allclose(body.mass.center - far, 0.0, atol=1e-10)
    assert body.mass.volume == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("nowhere", [np.nan, np.inf])
def test_faces_without_a_place_are_left_out(nowhere: float) -> None:
    points = np.vstack([CUBE_POINTS, [[nowhere, 0.0, 0.0], [5.0, 0.0, 0.0]]])
    body = polyhedron(points, np.vstack([CUBE_TRIANGLES, [[0, 1, 8], [1, 8, 9]]]), "cube")
    check_structure(body)
    assert body.closed
    assert body.radius == pytest.approx(np.sqrt(0.75))
    assert "2 faces left out that have no place" in body.notes[0]


def test_a_face_of_many_corners_doubled_and_cut_otherwise_leaves_the_solid_closed() -> None:
    points, faces = polygon_meshes.cylinder()
    body = polyhedron(points, fans([*faces, faces[-1][::-1], faces[-2][::-1]]), "cylinder")
    check_structure(body)
    assert body.closed
    assert body.mass.volume == pytest.approx(6.0)
    assert body.notes == ("20 triangles of doubled faces merged",)


def test_a_corner_on_the_side_of_a_doubled_face_leaves_one_face() -> None:
    points = np.vstack([SQUARE_POINTS, 0.5 * (SQUARE_POINTS[0] + SQUARE_POINTS[1])])
    body = polyhedron(points, fans([[4, 1, 2, 3, 0], [0, 3, 2, 1, 4], [0, 1, 4]]), "sheet")
    check_structure(body)
    assert body.mass.volume == pytest.approx(1.0)
    assert body.edge_count == 5


NOWHERE = np.where(np.arange(8)[:, None] == 0, CUBE_POINTS, np.nan)


@pytest.mark.parametrize(
    ("points", "triangles", "says"),
    [
        (np.empty((0, 3)), np.empty((0, 3), dtype=int), "no faces"),
        (CUBE_POINTS, np.empty((0, 3), dtype=int), "no faces"),
        ([], [], "no faces"),
        (NOWHERE, CUBE_TRIANGLES, "not finite"),
        (CUBE_POINTS, CUBE_TRIANGLES + 1, "names a vertex"),
        (CUBE_POINTS, CUBE_TRIANGLES - 1, "names a vertex"),
        (np.zeros((8, 3)), CUBE_TRIANGLES, "no size"),
        (CUBE_POINTS * [1.0, 0.0, 0.0], CUBE_TRIANGLES, "no area"),
        (CUBE_POINTS[:, :2], CUBE_TRIANGLES, "shape"),
        (CUBE_POINTS, CUBE_TRIANGLES.astype(float), "shape"),
    ],
)
def test_a_mesh_that_bounds_nothing_is_refused_by_name(
    points: ArrayLike, triangles: ArrayLike, says: str
) -> None:
    with pytest.raises(MeshError, match=says) as caught:
        polyhedron(points, triangles, "broken")
    assert '"broken"' in str(caught.value)


def test_a_vertex_that_no_face_uses_may_be_anything() -> None:
    assert polyhedron(np.vstack([CUBE_POINTS, [[np.nan] * 3]]), CUBE_TRIANGLES, "cube").closed


@pytest.mark.parametrize("seed", range(5))
def test_random_soups_have_sound_structure(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 3, size=(40, 3)).astype(float)
    triangles = rng.integers(0, 40, size=(120, 3))
    body = polyhedron(points, triangles, "soup")
    check_structure(body)
    assert not body.closed
    sides = np.sort(body.triangle_corners[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    assert body.edge_count <= len(np.unique(sides, axis=0))


@pytest.mark.parametrize("seed", range(3))
def test_features_agree_with_a_loop_over_edges(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points, triangles = torus(9, 7)
    points = np.round(points + 0.2 * rng.normal(size=points.shape), 1)
    body = polyhedron(points, triangles[rng.random(len(triangles)) < 0.8], "torn")
    faces: dict[frozenset[int], list[list[int]]] = {}
    for triangle in body.triangle_corners.tolist():
        for side in range(3):
            edge = frozenset((triangle[side], triangle[side - 2]))
            faces.setdefault(edge, []).append(triangle)
    kept = 0
    for edge, around in faces.items():
        apart = [next(iter(set(triangle) - edge)) for triangle in around]
        a, b = (body.points[end] for end in edge)
        flat = False
        if len(around) == 2:
            c, d = (body.points[corner] for corner in apart)
            n, m = np.cross(b - a, c - a), np.cross(b - a, d - a)
            flat = np.linalg.norm(np.cross(n, m)) < 1e-7 * np.linalg.norm(n) * np.linalg.norm(m) and n @ m < 0
        kept += not flat
    assert body.edge_count == kept
