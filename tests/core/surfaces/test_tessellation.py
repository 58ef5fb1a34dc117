"""Triangles of exact bodies: the proven bound, sharing of points, and what owns the edges."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.errors import SurfaceError
from physplace_addon.core.surfaces import kinds
from physplace_addon.core.surfaces.analytic import swept
from physplace_addon.core.surfaces.complex import GridComplex
from tests.core.surfaces.analytic.exact_bodies import ALL, CLOSED, SMOOTH, samples
from tests.core.surfaces.curves.trigonometric_paths import trefoil
from tests.core.surfaces.point_distances import distances

COARSE, FINE = (9, 5), (31, 11)
UNIFORM = ["sphere", "torus", "ellipsoid", "bumpy sphere", "capsule", "knot", "rod"]


def on_surface(complex_: GridComplex, rng: np.random.Generator, count: int = 300) -> Floats:
    chosen = [samples(surface, count, rng) for surface in complex_.surfaces]
    pairs = zip(complex_.surfaces, chosen, strict=True)
    return np.concatenate([surface.derivatives(*at).point for surface, at in pairs])


@pytest.mark.parametrize("resolution", [COARSE, FINE])
@pytest.mark.parametrize("name", ALL)
def test_the_surface_lies_within_the_triangles_grown_by_their_bounds(
    name: str, resolution: tuple[int, int], rng: np.random.Generator
) -> None:
    mesh = ALL[name].tessellate(resolution)
    apart = distances(on_surface(ALL[name], rng), mesh.points[mesh.corners])
    assert np.all((apart - mesh.bound).min(axis=1) <= 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", UNIFORM)
def test_the_bound_is_not_much_more_than_the_distance(name: str, rng: np.random.Generator) -> None:
    mesh = ALL[name].tessellate((31, 16))
    apart = distances(on_surface(ALL[name], rng, 800), mesh.points[mesh.corners]).min(axis=1)
    assert mesh.bound.max() < 3.2 * apart.max()


@pytest.mark.parametrize("name", ALL)
def test_a_tolerance_is_kept(name: str) -> None:
    tolerance = 0.01 * ALL[name].size
    assert ALL[name].tessellate(tolerance=tolerance).bound.max() <= 1.0001 * tolerance


@pytest.mark.slow
def test_by_default_a_body_gets_some_thousand_triangles() -> None:
    counts = [len(body.tessellate().corners) for body in SMOOTH.values()]
    assert min(counts) > 1000
    assert max(counts) < 40_000


def test_a_resolution_counts_lines() -> None:
    """The paper's 15x5 mesh of a knot has 56 quadrilaterals."""
    assert len(swept.tube(trefoil(), 0.5).tessellate((15, 5)).corners) == 112
    assert len(kinds.torus(1.0, 0.3).tessellate((15, 5)).corners) == 112


@pytest.mark.parametrize("name", ALL)
def test_corners_lie_at_their_parameters_on_the_surface(name: str) -> None:
    mesh = ALL[name].tessellate(FINE)
    for i, surface in enumerate(ALL[name].surfaces):
        chosen = mesh.face == i
        uv = mesh.uv[chosen].reshape(-1, 2)
        points = surface.derivatives(np.zeros(len(uv), dtype=np.intp), uv).point
        np.testing.assert_allclose(points, mesh.points[mesh.corners[chosen]].reshape(-1, 3), atol=1e-14)
        for axis, interval in enumerate(surface.domain):
            extent = np.ptp(mesh.uv[chosen, :, axis], axis=1)
            assert extent.max() <= interval.length / 2.0 or not interval.periodic


@pytest.mark.parametrize("name", ALL)
def test_no_triangle_lacks_area(name: str) -> None:
    mesh = ALL[name].tessellate(FINE)
    corners = mesh.points[mesh.corners]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert np.linalg.norm(normal, axis=1).min() > 1e-9


@pytest.mark.parametrize("name", SMOOTH)
def test_one_smooth_face_is_watertight_by_its_indices(name: str) -> None:
    mesh = SMOOTH[name].tessellate(COARSE)
    sides = np.concatenate([mesh.corners[:, [0, 1]], mesh.corners[:, [1, 2]], mesh.corners[:, [2, 0]]])
    forward = {tuple(side) for side in sides.tolist()}
    backward = {tuple(side[::-1]) for side in sides.tolist()}
    assert len(forward) == len(sides)
    assert forward == backward
    assert len(np.unique(mesh.corners)) == len(mesh.points)


@pytest.mark.parametrize("name", CLOSED)
def test_the_polyhedron_fills_most_of_the_solid(name: str) -> None:
    mesh = CLOSED[name].tessellate((61, 61))
    corners = mesh.points[mesh.corners]
    volume = np.einsum("ki,ki->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    assert volume == pytest.approx(CLOSED[name].mass.volume, rel=0.06)


@pytest.mark.parametrize("name", ALL)
def test_every_piece_of_an_edge_is_a_side_of_its_owner(name: str) -> None:
    mesh = ALL[name].tessellate(FINE)
    edges = sum(curve.edge_count for curve in ALL[name].curves)
    assert sorted(set(mesh.segment_edge.tolist())) == list(range(edges))
    owner = mesh.points[mesh.corners[mesh.segment_owner]]
    apart = np.linalg.norm(mesh.segments[:, :, None] - owner[:, None], axis=3)
    assert np.all(apart.min(axis=2) < 1e-14)


@pytest.mark.parametrize("name", ["cylinder", "cone", "goblet", "vase", "plane"])
def test_pieces_of_an_edge_follow_its_curve_within_their_bound(name: str) -> None:
    body = ALL[name]
    mesh = body.tessellate(FINE)
    (curve,) = body.curves
    t = mesh.segment_t
    for fraction in (0.0, 0.3, 0.5, 1.0):
        point = curve.geometry(mesh.segment_edge, (1 - fraction) * t[:, 0] + fraction * t[:, 1]).point
        chord = (1 - fraction) * mesh.segments[:, 0] + fraction * mesh.segments[:, 1]
        near = 1e-14 if fraction in (0.0, 1.0) else 0.0
        along = mesh.segments[:, 1] - mesh.segments[:, 0]
        off = point - chord
        off -= ((off * along).sum(axis=1) / (along * along).sum(axis=1))[:, None] * along
        assert np.all(np.linalg.norm(off, axis=1) <= mesh.segment_bound + near)


@pytest.mark.parametrize("name", ["cone", "pointed", "plane"])
def test_vertices_are_corners_of_their_owners(name: str) -> None:
    body = ALL[name]
    mesh = body.tessellate(FINE)
    owner = mesh.points[mesh.corners[mesh.vertex_owner]]
    assert np.all(np.linalg.norm(owner - body.vertices[:, None], axis=2).min(axis=1) < 1e-14)


def test_a_hopeless_tolerance_is_refused() -> None:
    with pytest.raises(SurfaceError, match="tolerance"):
        kinds.sphere(1.0).tessellate(tolerance=1e-12)
