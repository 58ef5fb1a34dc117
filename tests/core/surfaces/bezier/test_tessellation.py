"""Triangles over patches: the proven bound, what is shared, and what owns the edges."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import exact
from physplace_addon.core.errors import SurfaceError
from physplace_addon.core.surfaces.bezier.nets import BezierNets
from tests.core.surfaces.bezier.patched_bodies import BODIES, CLOSED, NETS, samples
from tests.core.surfaces.point_distances import distances, thin_distances

each_body = pytest.mark.parametrize("name", BODIES)


@pytest.mark.slow
@pytest.mark.parametrize("resolution", [(2, 2), (4, 6), (11, 9)])
@each_body
def test_the_surface_lies_within_the_triangles_grown_by_their_bounds(
    name: str, resolution: tuple[int, int], rng: np.random.Generator
) -> None:
    body = BODIES[name]
    mesh = body.tessellate(resolution)
    for number, sheet in enumerate(body.surfaces):
        own = mesh.face == number
        apart = distances(sheet.geometry(*samples(sheet, 400, rng)).point, mesh.points[mesh.corners[own]])
        assert np.all((apart - mesh.bound[own]).min(axis=1) <= 0.0)


@pytest.mark.parametrize("name", ["pebble", "hill", "tip", "pot", "lid"])
def test_every_cell_is_within_its_own_bound_of_its_two_triangles(name: str, rng: np.random.Generator) -> None:
    """Densely: no point over a cell is farther from both of them."""
    for net in NETS[name][:: max(1, len(NETS[name]) // 6)]:
        bounds = BezierNets(net[None], np.zeros(1, bool)).cell_bounds(0, 3, 2)[0].reshape(3, 2)
        for i, j in np.ndindex(3, 2):
            at = rng.uniform(0, 1, (400, 2))
            u, v = (i + np.append(at[:, 0], [0, 1, 0, 1])) / 3, (j + np.append(at[:, 1], [0, 0, 1, 1])) / 2
            points = np.einsum("ki,kj,ijx->kx", weights(u), weights(v), net)
            corners = points[-4:]
            apart = [thin_distances(points[:-4], corners[list(c)]) for c in ((0, 1, 2), (3, 2, 1))]
            assert np.min(apart, axis=0).max() <= bounds[i, j] + 1e-14


def weights(t: Floats) -> Floats:
    return np.stack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3], axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pebble", "pot", "lid"])
def test_the_bound_is_not_much_more_than_the_distance(name: str, rng: np.random.Generator) -> None:
    body = BODIES[name]
    mesh = body.tessellate((9, 9))
    most = 0.0
    for number, sheet in enumerate(body.surfaces):
        triangles = mesh.points[mesh.corners[mesh.face == number]]
        apart = distances(sheet.geometry(*samples(sheet, 800, rng)).point, triangles)
        most = max(most, apart.min(axis=1).max())
    assert mesh.bound.max() < 6.0 * most


@each_body
def test_a_tolerance_is_kept(name: str) -> None:
    tolerance = 0.01 * BODIES[name].size
    assert BODIES[name].tessellate(tolerance=tolerance).bound.max() <= 1.0001 * tolerance


def test_by_default_the_teapot_gets_some_thousand_triangles() -> None:
    for name in ("pot", "lid"):
        assert 2000 < len(BODIES[name].tessellate().corners) < 12_000


@each_body
def test_corners_lie_at_their_parameters_on_the_surface(name: str) -> None:
    mesh = BODIES[name].tessellate((5, 7))
    for number, sheet in enumerate(BODIES[name].surfaces):
        own = mesh.face == number
        uv = mesh.uv[own].reshape(-1, 2)
        points = sheet.geometry(np.zeros(len(uv), dtype=np.intp), uv).point
        np.testing.assert_allclose(points, mesh.points[mesh.corners[own]].reshape(-1, 3), atol=2e-14)


@each_body
def test_all_corners_of_a_triangle_are_on_one_patch_and_it_faces_outward(name: str) -> None:
    mesh = BODIES[name].tessellate((9, 9))
    for number, sheet in enumerate(BODIES[name].surfaces):
        own = mesh.face == number
        patch = sheet.layout.patch_parameters(mesh.uv[own].reshape(-1, 2))[0].reshape(-1, 3)
        assert (patch == patch[:, :1]).all()
        a, b, c = np.moveaxis(mesh.points[mesh.corners[own]], 1, 0)
        area = np.cross(b - a, c - a)
        assert np.linalg.norm(area, axis=1).min() > 1e-9
        normal = sheet.geometry(np.zeros(own.sum(), dtype=np.intp), mesh.uv[own].mean(axis=1)).normal
        assert np.mean(np.einsum("ki,ki->k", area, normal) > 0.0) > 0.995


@pytest.mark.parametrize("name", ["pebble", "lunes", "pot", "lid", "tip"])
def test_a_face_is_watertight_by_its_indices_up_to_its_open_sides(name: str) -> None:
    mesh = BODIES[name].tessellate((5, 6))
    sides = np.concatenate([mesh.corners[:, [0, 1]], mesh.corners[:, [1, 2]], mesh.corners[:, [2, 0]]])
    forward = {tuple(side) for side in sides.tolist()}
    alone = [side for side in forward if side[::-1] not in forward]
    assert len(forward) == len(sides)
    assert len(alone) == len(mesh.segments)
    assert len(np.unique(mesh.corners)) == len(mesh.points)


@pytest.mark.parametrize("name", CLOSED)
def test_the_polyhedron_fills_most_of_the_solid(name: str) -> None:
    mesh = BODIES[name].tessellate((21, 21))
    corners = mesh.points[mesh.corners]
    volume = np.einsum("ki,ki->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    assert volume == pytest.approx(BODIES[name].mass.volume, rel=0.01)


@pytest.mark.parametrize("name", ["cube", "hill", "tip", "pot", "lid"])
def test_pieces_of_an_edge_follow_its_curve_within_their_bound(name: str) -> None:
    body = BODIES[name]
    mesh = body.tessellate((5, 6))
    for number, curve in enumerate(body.curves):
        own = mesh.segment_edge == number
        t, segments = mesh.segment_t[own], mesh.segments[own]
        assert own.any()
        for share in (0.0, 0.3, 0.5, 1.0):
            between = (1 - share) * t[:, 0] + share * t[:, 1]
            at = curve.geometry(np.zeros(len(t), dtype=np.intp), between).point
            along = segments[:, 1] - segments[:, 0]
            off = at - segments[:, 0]
            part = np.clip(np.sum(off * along, axis=1) / np.sum(along * along, axis=1), 0, 1)
            off -= part[:, None] * along
            assert np.all(np.linalg.norm(off, axis=1) <= mesh.segment_bound[own] + 1e-14)


@pytest.mark.parametrize("name", ["cube", "hill", "tip", "pot", "lid"])
def test_every_piece_of_an_edge_is_a_side_of_its_owner(name: str) -> None:
    mesh = BODIES[name].tessellate((5, 6))
    owner = mesh.points[mesh.corners[mesh.segment_owner]]
    apart = np.linalg.norm(mesh.segments[:, :, None] - owner[:, None], axis=3)
    assert np.all(apart.min(axis=2) < 1e-14)


@pytest.mark.parametrize("name", ["cube", "hill", "tip"])
def test_vertices_are_corners_of_their_owners(name: str) -> None:
    mesh = BODIES[name].tessellate((5, 6))
    owner = mesh.points[mesh.corners[mesh.vertex_owner]]
    assert np.all(np.linalg.norm(owner - BODIES[name].vertices[:, None], axis=2).min(axis=1) < 1e-14)


@pytest.mark.slow
def test_a_hopeless_tolerance_is_refused() -> None:
    with pytest.raises(SurfaceError, match="tolerance"):
        BODIES["pot"].tessellate(tolerance=1e-9)
    with pytest.raises(SurfaceError, match="positive"):
        BODIES["pot"].tessellate(tolerance=0.0)


def test_the_body_of_an_open_pot_says_so_and_may_be_stretched() -> None:
    body = exact(BODIES["pot"], "pot")
    assert not body.closed
    assert "area" in body.notes[0]
    wide = body.transformed(np.diag([2.0, 1.0, 1.0, 1.0]))
    assert wide.mass.center[0] > 1.5 * body.mass.center[0]
    assert wide.radius > body.radius
