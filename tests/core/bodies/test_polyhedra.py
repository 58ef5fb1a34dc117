"""Bodies from triangle meshes, tidy and hostile."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy import float32, float64
from numpy.typing import ArrayLike

from physplace_addon.core import arrays
from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.bodies import polyhedron
from physplace_addon.core.bodies.body import Body
from physplace_addon.core.errors import MeshError
from physplace_addon.core.mesh.inside import encloses, winding_number
from tests.core import polygon_meshes
from tests.core.meshes import (
    CUBE_POINTS,
    CUBE_TRIANGLES,
    SQUARE_POINTS,
    SQUARE_TRIANGLES,
    beside,
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


def cube_mesh(size: float = 1.0, center: ArrayLike = (0.0, 0.0, 0.0)) -> tuple[Floats, Ints]:
    return size * CUBE_POINTS + np.asarray(center), CUBE_TRIANGLES


def fans(faces: Sequence[Sequence[int]]) -> Ints:
    return np.array([[face[0], face[i], face[i + 1]] for face in faces for i in range(1, len(face) - 1)])


def normals(body: Body) -> Floats:
    a, b, c = body.triangles[:, 0], body.triangles[:, 1], body.triangles[:, 2]
    normal = np.cross(b - a, c - a)
    result: Floats = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    return result


def check_structure(body: Body) -> None:
    """What holds for every polyhedron, whatever its state."""
    corners = body.face_geometry(np.repeat(body.triangle_face, 3), body.triangle_uv.reshape(-1, 2))
    assert np.allclose(corners.point, body.triangles.reshape(-1, 3), rtol=0.0, atol=1e-14 * body.radius)
    assert np.allclose(corners.normal[::3], normals(body), atol=1e-9)
    assert np.array_equal(body.points[body.triangle_corners], body.triangles)
    ends = body.edge_geometry(np.repeat(body.segment_edge, 2), body.segment_t.reshape(-1))
    assert np.allclose(ends.point, body.segments.reshape(-1, 3), rtol=0.0, atol=1e-14 * body.radius)
    owners = body.triangles[body.segment_owner]
    for end in range(2):
        assert np.all(np.any(np.all(owners == body.segments[:, None, end], axis=2), axis=1))
    beside_vertex = body.triangles[body.vertex_owner]
    assert np.all(np.any(np.all(beside_vertex == body.vertices[:, None], axis=2), axis=1))
    assert np.allclose(np.linalg.norm(body.cone_directions, axis=1), 1.0)
    assert len(body.cone_start) == len(body.vertices) + 1
    assert body.cone_start[-1] == len(body.cone_directions)
    assert np.linalg.norm(body.points - body.points.mean(axis=0), axis=1).max() <= 2.0 * body.radius


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


def test_a_shell_inside_out_beside_a_good_one_is_turned() -> None:
    inverted = (cube_mesh(1.0, (3.0, 0.0, 0.0))[0], CUBE_TRIANGLES[:, ::-1])
    body = polyhedron(*beside(cube_mesh(2.0), inverted), "two cubes")
    assert body.closed
    assert body.mass.volume == pytest.approx(9.0)


@pytest.mark.parametrize("inverted", [False, True])
def test_a_cavity_stays_a_cavity(inverted: bool) -> None:
    points, triangles = beside(cube_mesh(2.0), (cube_mesh(1.0)[0], CUBE_TRIANGLES[:, ::-1]))
    body = polyhedron(points, triangles[:, ::-1] if inverted else triangles, "hollow")
    assert body.closed
    assert body.mass.volume == pytest.approx(7.0)


@pytest.mark.parametrize("offset", [(1.0, 1.0, 0.0), (1.0, 1.0, 1.0)])
def test_solids_that_touch_in_an_edge_or_a_corner_stay_solid(offset: tuple[float, float, float]) -> None:
    body = polyhedron(*beside(cube_mesh(), cube_mesh(1.0, offset)), "touching")
    check_structure(body)
    assert body.closed
    assert body.mass.volume == pytest.approx(2.0)


CUBE_CUT_OTHERWISE = np.array(
    [
        [*corners]
        for (a, b, c), (_, _, d) in CUBE_TRIANGLES.reshape(6, 2, 3)
        for corners in ((b, c, d), (b, d, a))
    ]
)
"""The cube's triangles with the other diagonals."""


@pytest.mark.parametrize("count", [2, 5])
@pytest.mark.parametrize("other", [CUBE_TRIANGLES, CUBE_CUT_OTHERWISE], ids=["alike", "otherwise"])
def test_solids_glued_at_faces_are_one_solid_without_walls(count: int, other: Ints) -> None:
    cubes = [
        (cube_mesh(1.0, (float(i), 0.0, 0.0))[0], other if i % 2 else CUBE_TRIANGLES) for i in range(count)
    ]
    body = polyhedron(*beside(*cubes), "glued")
    check_structure(body)
    assert body.closed
    assert body.mass.volume == pytest.approx(count)
    assert body.face_count == 2 * (4 * count + 2)
    assert body.notes[-1] == f"{2 * (count - 1)} triangles of walls inside left out"


def test_a_doubled_face_outside_of_glued_solids_is_no_wall() -> None:
    points, triangles = beside(cube_mesh(), cube_mesh(1.0, (1.0, 0.0, 0.0)))
    body = polyhedron(points, np.vstack([triangles, triangles[:2, ::-1]]), "glued")
    assert body.closed
    assert body.mass.volume == pytest.approx(2.0)


def test_a_square_from_one_solid_to_another_is_no_wall() -> None:
    """What is left without it is a solid, but it is not inside of that."""
    points, triangles = beside(cube_mesh(), cube_mesh(1.0, (2.0, 0.0, 0.0)))
    square = np.array([[7, 6, 10], [7, 10, 11]])
    body = polyhedron(points, np.vstack([triangles, square, square[:, ::-1]]), "bridge")
    assert not body.closed
    assert body.face_count == 26


@pytest.mark.parametrize("turn", [1, -1])
def test_a_solid_that_is_there_twice_and_cut_otherwise_counts_once(turn: int) -> None:
    body = polyhedron(CUBE_POINTS, np.vstack([CUBE_TRIANGLES, CUBE_CUT_OTHERWISE[:, ::turn]]), "twice")
    check_structure(body)
    assert body.closed
    assert body.mass.volume == pytest.approx(1.0)
    assert body.notes == ("12 triangles of doubled faces merged",)


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


def test_a_shell_inside_out_in_the_hole_of_a_ring_is_no_cavity() -> None:
    ring = torus(24, 12)
    body = polyhedron(*beside(ring, (cube_mesh(0.9)[0], CUBE_TRIANGLES[:, ::-1])), "ring and cube")
    assert body.closed
    assert body.mass.volume == pytest.approx(polyhedron(*ring, "ring").mass.volume + 0.9**3)


@pytest.mark.parametrize("inverted", [False, True])
def test_matter_inside_matter_adds_none_and_matter_in_a_cavity_does(inverted: bool) -> None:
    hollow = (cube_mesh(2.0)[0], CUBE_TRIANGLES[:, ::-1])
    shells = (cube_mesh(3.0), hollow, cube_mesh(1.0), cube_mesh(0.5))
    points, triangles = beside(*shells)
    body = polyhedron(points, triangles[:, ::-1] if inverted else triangles, "shells")
    assert body.closed
    assert body.mass.volume == pytest.approx(27.0 - 8.0 + 1.0)
    assert body.notes[-2:] == ("1 inner shells taken as cavities", "1 inner shells that add no mass")


def test_many_shells_know_their_places(rng: np.random.Generator) -> None:
    """Against the winding number, for boxes in and around a ring."""
    places = 3.5 * rng.uniform(-1.0, 1.0, size=(200, 3)) * [1.0, 1.0, 0.4]
    ring = torus(48, 24)
    inside = encloses(ring[0][ring[1]], places)
    assert np.array_equal(inside, [winding_number(place, ring[0][ring[1]]) > 0.5 for place in places])
    assert 20 < inside.sum() < 180


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
