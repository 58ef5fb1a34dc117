"""Limit surfaces against endless refinement, finite differences, and their own triangles."""

import numpy as np
import pytest

from physplace_addon.core.bodies.curved_meshes import limit_complex
from physplace_addon.core.collision.closest_points import closest_on_triangle
from physplace_addon.core.errors import SurfaceError
from physplace_addon.core.mesh.mass import mass_of_triangles
from physplace_addon.core.surfaces.subdivision.limit import limit_of
from physplace_addon.core.surfaces.subdivision.tessellation import Lattice, bounds_of
from tests.core.surfaces import cages

CAGES = cages.cages()
CLOSED = ["cube", "hard top", "soft top", "dart", "corner of creases", "five"]
each_cage = pytest.mark.parametrize("name", CAGES)
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def body_of(points, cage):
    return limit_complex(points, cage)[0]


def limit(name):
    points, cage = cages.quadrilaterals(*CAGES[name])
    return points, cage, limit_of(cage, points)


def places(nets, count, rng, margin=0.0):
    patch = rng.integers(0, len(nets), count)
    return patch, rng.uniform(margin, 1.0 - margin, (count, 2))


@each_cage
def test_points_are_where_endless_refinement_leads(name, rng):
    points, cage, nets = limit(name)
    patch, at = places(nets, 3, rng)
    at[0] *= 1e-3
    at[1] = [1.0 - 1e-9, 1e-9]
    found = nets.slopes(patch, at).point
    expected = [cages.refined_at(points, cage, face, uv) for face, uv in zip(patch.tolist(), at, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.ptp(points, axis=0).max())


@each_cage
def test_derivatives_are_those_of_differences(name, rng):
    nets, step = limit(name)[2], 2.0**-16
    patch = rng.integers(0, len(nets), 24)
    at = (rng.integers(0, 64, (24, 2)) + rng.uniform(0.1, 0.9, (24, 2))) / 64  # not where patches meet
    ours = nets.derivatives(patch, at)
    for axis, first, seconds in ((0, ours.du, ("duu", "duv")), (1, ours.dv, ("duv", "dvv"))):
        shift = step * np.eye(2)[axis]
        ahead, behind = nets.derivatives(patch, at + shift), nets.derivatives(patch, at - shift)
        difference = (ahead.point - behind.point) / (2 * step)
        np.testing.assert_allclose(first, difference, rtol=0, atol=1e-7 * np.abs(first).max())
        for name_, by in zip(seconds, ("du", "dv"), strict=True):
            difference = (getattr(ahead, by) - getattr(behind, by)) / (2 * step)
            exact = getattr(ours, name_)
            np.testing.assert_allclose(exact, difference, rtol=0, atol=1e-7 * max(np.abs(exact).max(), 1.0))


@each_cage
def test_there_is_a_plane_and_a_bounded_curvature_even_at_extraordinary_vertices(name):
    nets = limit(name)[2]
    patch = np.repeat(np.arange(len(nets)), 4)
    for away in (0.0, 1e-15, 1e-9):
        at = np.abs(np.tile(CORNERS, (len(nets), 1)) - away)
        slopes, normal, form = nets.forms(patch, at)
        np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, atol=1e-12)
        size = np.linalg.norm(slopes.along, axis=1) ** 2
        assert np.isfinite(form).all()
        assert np.abs(form[:, 0, 0] / size).max() < 200


@pytest.mark.parametrize("name", ["cube", "hard top", "soft top", "dart", "mixed", "twelve", "open fan"])
def test_no_point_is_farther_from_its_triangles_than_their_bound(name, rng):
    body = body_of(*CAGES[name])
    nets, cells = body.nets.take(rng.integers(0, len(body.nets), 4)), 2
    counts = np.full((len(nets), 2), cells)
    bounds = bounds_of(nets, counts, 1e-3)
    patch, place = Lattice(counts).cells()
    corners = nets.slopes(
        np.repeat(patch, 4), ((place[:, None] + [[0, 0], [1, 0], [0, 1], [1, 1]]) / cells).reshape(-1, 2)
    ).point.reshape(-1, 4, 3)
    at = (place[:, None] + rng.random((1, 20, 2)) ** 2) / cells
    points = nets.slopes(np.repeat(patch, 20), at.reshape(-1, 2)).point
    dense = [distance(points, np.repeat(corners[:, three], 20, axis=0)) for three in ([0, 1, 2], [3, 2, 1])]
    assert np.all(np.min(dense, axis=0).reshape(-1, 20).max(axis=1) <= bounds + 1e-12)


def distance(points, triangles):
    """Distances (k,) of points to triangles."""
    on = closest_on_triangle(points, triangles)
    return np.linalg.norm((on.barycentric[:, None] @ triangles)[:, 0] - points, axis=1)


@pytest.mark.parametrize("name", CLOSED)
def test_the_mass_of_a_solid_is_that_of_its_triangles_made_small(name):
    body = body_of(*CAGES[name])
    volumes = []
    for lines in (9, 17):
        mesh = body.tessellate(resolution=(lines, lines))
        volumes.append(mass_of_triangles(mesh.points, mesh.corners).volume)
    assert body.closed
    np.testing.assert_allclose(body.mass.volume, volumes[1] + (volumes[1] - volumes[0]) / 3.0, rtol=3e-4)


@pytest.mark.parametrize("name", ["cube", "five", "twelve"])
def test_a_walk_from_an_extraordinary_vertex_leads_all_around_it(name, rng):
    sheet = body_of(*CAGES[name]).surfaces[0]
    patch, corner = np.nonzero(sheet.extraordinary.of_corner >= 0)
    uv = sheet.layout.face_parameters(patch, np.abs(CORNERS[corner] - 1e-7))
    face, turn = np.zeros(len(uv), dtype=np.intp), rng.uniform(0, 2 * np.pi, (len(uv), 1))
    start = sheet.geometry(face, uv)
    way = 0.03 * (np.cos(turn) * start.frame[:, 0] + np.sin(turn) * start.frame[:, 1])
    end = sheet.geometry(face, sheet.move(face, uv, way))
    miss = start.point + way - end.point
    beside = miss - (miss * end.normal).sum(axis=1, keepdims=True) * end.normal
    assert np.linalg.norm(beside, axis=1).max() < 0.05 * 0.03
    np.testing.assert_array_equal(sheet.move(face, uv, 0.0 * way), uv)


def test_a_cube_turned_inside_out_is_the_same_solid():
    points, cage = cages.cube()
    inside_out = cages.cage_of(cages.CUBE, [face[::-1] for face in cages.CUBE_FACES])
    (one, turned), (other, turned_too) = limit_complex(points, cage), limit_complex(*inside_out)
    assert turned != turned_too
    np.testing.assert_allclose(one.mass.volume, other.mass.volume, rtol=1e-12)
    for body in (one, other):
        sheet = body.surfaces[0]
        found = sheet.geometry(np.zeros(1, int), sheet.layout.origins[:1] + 0.5)
        assert (found.point * found.normal).sum() > 0.0


def test_creases_are_edges_and_where_they_end_or_meet_there_are_vertices():
    def parts(name):
        body = body_of(*CAGES[name])
        return len(body.surfaces), len(body.curves), len(body.vertices)

    assert parts("cube") == (1, 0, 0)
    assert parts("hard top") == (2, 1, 0)
    assert parts("soft top") == (1, 0, 0)
    assert parts("dart") == (1, 1, 2)
    assert parts("corner of creases") == (1, 3, 4)
    assert parts("three on an edge") == (3, 6, 2)


@pytest.mark.parametrize("name", ["hard top", "dart", "mixed", "open fan", "crossing creases"])
def test_edges_lie_on_the_faces_beside_them(name, rng):
    body = body_of(*CAGES[name])
    for chain in body.curves:
        t = rng.uniform(*np.array([0.001, 0.999]) * chain.domain.upper, 20)
        found = chain.geometry(np.zeros(20, int), t)
        piece, share = chain._place(t)
        for sides in (chain.first, chain.second):
            rows = np.flatnonzero(sides.patch[piece] >= 0)
            on = body.nets.slopes(sides.patch[piece[rows]], sides.at(piece[rows], share[rows])).point
            np.testing.assert_allclose(on, found.point[rows], rtol=0, atol=1e-11)
        inward = chain.conormals(np.zeros(20, int), t)
        known = np.isfinite(inward).all(axis=2)
        np.testing.assert_allclose(np.einsum("kix,kx->ki", inward, found.tangent)[known], 0.0, atol=1e-9)
        assert known[:, 0].all()


def test_a_cage_without_faces_or_size_is_refused_by_name():
    with pytest.raises(SurfaceError, match="no faces"):
        body_of(np.zeros((0, 3)), cages.cage_of(np.zeros((0, 3)), [])[1])
    with pytest.raises(SurfaceError, match="no size"):
        body_of(*cages.cage_of(np.zeros((4, 3)), [(0, 1, 2, 3)]))
