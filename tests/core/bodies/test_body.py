"""Bodies moved, stretched, mirrored, merged; bodies from exact surfaces."""

from dataclasses import replace

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body, exact, merge, polyhedron
from physplace_addon.core.bodies.body import sheet_mass
from physplace_addon.core.errors import PhysPlaceError
from physplace_addon.core.mesh.mass import AREA, mass_of_corners
from physplace_addon.core.rigid import Pose
from physplace_addon.core.surfaces import kinds
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES, SQUARE_POINTS, SQUARE_TRIANGLES


def cube() -> Body:
    return polyhedron(CUBE_POINTS, CUBE_TRIANGLES, "cube")


def bodies() -> dict[str, Body]:
    return {
        "cube": cube(),
        "sheet": polyhedron(SQUARE_POINTS, SQUARE_TRIANGLES, "sheet"),
        "torus": exact(kinds.torus(2.0, 0.5), "torus", resolution=(17, 9)),
        "cone": exact(kinds.cone(1.0, 2.0), "cone", resolution=(17, 9)),
        "cylinder": exact(kinds.cylinder(1.0, 2.0), "cylinder", resolution=(17, 9)),
    }


def affine_map(kind: str, rng: np.random.Generator) -> Floats:
    pose = Pose(rng.normal(size=4), rng.normal(size=3)).matrix4
    scales: dict[str, list[float]] = {
        "rigid": [1, 1, 1],
        "scaled": [3, 3, 3],
        "mirrored": [-1, 1, 1],
        "stretched": [2, 0.5, -1],
    }
    result: Floats = pose @ np.diag([*scales[kind], 1.0]).astype(float)
    return result


def check_consistent(body: Body) -> None:
    """Every stand-in lies on its feature, is wound outward, and stays within its bound."""
    scale = body.radius
    for corner in range(3):
        found = body.face_geometry(body.triangle_face, body.triangle_uv[:, corner])
        assert np.allclose(found.point, body.triangles[:, corner], rtol=0.0, atol=1e-12 * scale)
    middle = body.face_geometry(body.triangle_face, body.triangle_uv.mean(axis=1))
    a, b, c = np.moveaxis(body.triangles, 1, 0)
    normal = np.cross(b - a, c - a)
    assert np.all(np.einsum("ti,ti->t", normal, middle.normal) > 0.0)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    height = np.abs(np.einsum("ti,ti->t", middle.point - a, normal))
    assert np.all(height <= body.triangle_bound * (1.0 + 1e-9) + 1e-12 * scale)
    for end in range(2):
        at_end = body.edge_geometry(body.segment_edge, body.segment_t[:, end])
        assert np.allclose(at_end.point, body.segments[:, end], rtol=0.0, atol=1e-12 * scale)
    assert np.array_equal(body.points[body.triangle_corners], body.triangles)
    owners = body.triangles[body.segment_owner]
    gap = np.linalg.norm(owners[:, :, None] - body.segments[:, None], axis=3).min(axis=1)
    assert np.all(gap <= 1e-12 * scale)
    vertex_gap = np.linalg.norm(body.triangles[body.vertex_owner] - body.vertices[:, None], axis=2).min(
        axis=1
    )
    assert np.all(vertex_gap <= 1e-12 * scale)
    assert np.linalg.norm(body.cone_directions, axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("name", ["cube", "sheet", "torus", "cone", "cylinder"])
@pytest.mark.parametrize("kind", ["rigid", "scaled", "mirrored", "stretched"])
def test_a_mapped_body_is_consistent(rng: np.random.Generator, name: str, kind: str) -> None:
    body = bodies()[name]
    check_consistent(body)
    affine = affine_map(kind, rng)
    moved = body.transformed(affine, "moved")
    check_consistent(moved)
    assert moved.name == "moved"
    assert moved.closed == body.closed
    assert np.allclose(moved.triangles.mean(), (body.triangles @ affine[:3, :3].T + affine[:3, 3]).mean())


@pytest.mark.parametrize("kind", ["rigid", "scaled", "mirrored", "stretched"])
def test_a_mapped_cube_is_the_cube_of_mapped_points(rng: np.random.Generator, kind: str) -> None:
    affine = affine_map(kind, rng)
    moved = cube().transformed(affine)
    twin = polyhedron(CUBE_POINTS @ affine[:3, :3].T + affine[:3, 3], CUBE_TRIANGLES, "twin")
    assert moved.mass.volume == pytest.approx(twin.mass.volume, rel=1e-13)
    assert np.allclose(moved.mass.center, twin.mass.center, atol=1e-13)
    assert np.allclose(moved.mass.inertia, twin.mass.inertia, atol=1e-13)
    assert moved.radius == pytest.approx(twin.radius, rel=1e-12)
    assert np.sort(moved.segments.sum(axis=(1, 2))) == pytest.approx(np.sort(twin.segments.sum(axis=(1, 2))))


@pytest.mark.parametrize("kind", ["rigid", "scaled", "mirrored", "stretched"])
@pytest.mark.parametrize("name", ["cube", "sheet"])
def test_a_mass_that_was_given_and_a_density_stay_through_a_map(
    kind: str, name: str, rng: np.random.Generator
) -> None:
    body, affine = bodies()[name], affine_map(kind, rng)
    measure = body.transformed(affine).mass.volume
    given = replace(body, mass=body.mass.weighing(7.0)).transformed(affine).mass
    assert given.given
    assert given.mass == pytest.approx(7.0)
    dense = replace(body, mass=replace(body.mass, density=4.0)).transformed(affine).mass
    assert not dense.given
    assert dense.mass == pytest.approx(4.0 * measure)


def test_a_mirrored_sheet_is_stretched_with_its_area(rng: np.random.Generator) -> None:
    affine = affine_map("stretched", rng)
    sheet = polyhedron(SQUARE_POINTS, SQUARE_TRIANGLES, "sheet").transformed(affine)
    assert sheet.mass.volume == pytest.approx(1.0)
    assert sheet.mass.basis == "area"


@pytest.mark.parametrize("affine", [np.diag([1.0, 1.0, 0.0, 1.0]), np.full((4, 4), np.nan), np.eye(3)])
def test_a_map_that_flattens_is_refused_by_name(affine: Floats) -> None:
    with pytest.raises(PhysPlaceError, match='"cube"'):
        cube().transformed(affine)


def test_a_compound_is_its_parts(rng: np.random.Generator) -> None:
    parts = [body.transformed(affine_map("rigid", rng)) for body in bodies().values()]
    parts.insert(2, parts[0].transformed(affine_map("mirrored", rng)))
    whole = merge(parts, "heap")
    check_consistent(whole)
    assert whole.face_count == sum(part.face_count for part in parts)
    assert not whole.closed
    assert whole.mass.basis == "area"
    assert any("sheet: " in note for note in whole.notes)
    first_face, first_edge = 0, 0
    for part in parts:
        face = np.arange(part.face_count)
        uv = rng.dirichlet(np.ones(3), size=part.face_count)[:, 1:]
        found, expected = whole.face_geometry(face + first_face, uv), part.face_geometry(face, uv)
        assert np.array_equal(found.point, expected.point)
        assert np.array_equal(found.normal, expected.normal)
        assert np.array_equal(found.curvature, expected.curvature)
        edge, t = np.arange(part.edge_count), rng.random(part.edge_count)
        conormals = whole.edge_conormals(edge + first_edge, t)
        assert np.array_equal(conormals, part.edge_conormals(edge, t), equal_nan=True)
        first_face, first_edge = first_face + part.face_count, first_edge + part.edge_count


def test_queries_in_any_order_give_the_same_answers(rng: np.random.Generator) -> None:
    whole = merge(list(bodies().values()), "heap")
    order = rng.permutation(len(whole.triangles))
    uv = whole.triangle_uv.mean(axis=1)
    straight = whole.face_geometry(whole.triangle_face, uv)
    mixed = whole.face_geometry(whole.triangle_face[order], uv[order])
    assert np.array_equal(mixed.frame, straight.frame[order])
    displacement = 0.1 * rng.normal(size=(len(order), 3))
    moved = whole.face_move(whole.triangle_face, uv, displacement)
    assert np.array_equal(
        whole.face_move(whole.triangle_face[order], uv[order], displacement[order]), moved[order]
    )
    edges = rng.integers(0, whole.edge_count, size=30)
    t = np.full(30, 0.25)
    forward = whole.edge_move(edges, t, np.full(30, 0.01))
    assert np.array_equal(whole.edge_move(edges[::-1], t, np.full(30, 0.01)), forward[::-1])


def test_queries_of_nothing_give_nothing() -> None:
    for body in (cube(), bodies()["torus"], merge([cube(), bodies()["torus"]], "both")):
        none = np.empty(0, dtype=np.intp)
        assert body.face_geometry(none, np.empty((0, 2))).curvature.shape == (0, 2, 2)
        assert body.edge_conormals(none, np.empty(0)).shape == (0, 2, 3)
        assert body.edge_geometry(none, np.empty(0)).point.shape == (0, 3)


def test_closed_parts_add_their_masses() -> None:
    far = np.eye(4)
    far[0, 3] = 4.0
    whole = merge([cube(), cube().transformed(far)], "two")
    assert whole.closed
    assert whole.mass.volume == pytest.approx(2.0)
    assert np.allclose(whole.mass.center, [2.0, 0.0, 0.0])
    assert whole.radius == pytest.approx(np.hypot(2.5, np.sqrt(0.5)))


def test_one_body_merges_to_itself_and_none_is_refused() -> None:
    assert merge([cube()], "alone").name == "alone"
    with pytest.raises(PhysPlaceError, match="at least one"):
        merge([], "nothing")


def test_an_exact_mass_does_not_know_the_tessellation() -> None:
    coarse, fine = (exact(kinds.torus(2.0, 0.5), "torus", resolution=r) for r in ((7, 5), (81, 41)))
    assert np.array_equal(coarse.mass.inertia, fine.mass.inertia)
    assert coarse.mass.volume == pytest.approx(2.0 * np.pi**2 * 2.0 * 0.25, rel=1e-13)
    assert coarse.triangle_bound.max() > fine.triangle_bound.max() > 0.0


def test_a_stretched_shell_has_the_area_of_the_stretched_surface() -> None:
    """An oblate ellipsoid of revolution: its area is known in closed form."""
    a, c = 2.0, 0.5
    stretch = np.diag([a, a, c, 1.0])
    shell = sheet_mass(exact(kinds.sphere(1.0), "ball").transformed(stretch).surfaces)
    e = np.sqrt(1.0 - (c / a) ** 2)
    expected = 2.0 * np.pi * a**2 + np.pi * c**2 / e * np.log((1.0 + e) / (1.0 - e))
    assert shell.volume == pytest.approx(expected, rel=1e-12)
    assert np.allclose(shell.center, 0.0, atol=1e-14)
    fine = exact(kinds.sphere(1.0), "ball", resolution=(161, 81)).transformed(stretch)
    assert np.allclose(shell.inertia, mass_of_corners(fine.triangles, AREA).inertia, rtol=2e-3, atol=1e-6)


def test_a_body_says_what_it_is_in_one_line() -> None:
    assert repr(cube()) == "Body('cube': 12 faces, 12 edges, 8 vertices, 12 triangles)"
