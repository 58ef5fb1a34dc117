"""Bezier patches: exact points, tangents and curvature, up to the poles; how they join to faces."""

from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest

from physplace_addon.core.errors import SurfaceError
from physplace_addon.core.surfaces.bezier.bodies import bezier
from physplace_addon.core.surfaces.bezier.nets import side_parameters
from physplace_addon.core.surfaces.bezier.sheet import ParameterLayout
from tests.core.surfaces.patched_bodies import BODIES, CLOSED, NETS, flat_patch, partial, samples, sheets

ORDERS = {"point": (0, 0), "du": (1, 0), "dv": (0, 1), "duu": (2, 0), "duv": (1, 1), "dvv": (0, 2)}
each_sheet = pytest.mark.parametrize(("name", "sheet"), sheets(), ids=[name for name, _ in sheets()])


def numbers(vector):
    return np.array([float(x) for x in vector])


def mp_cross(a, b):
    return mp.matrix([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


@each_sheet
def test_derivatives_are_exact_to_second_order(name, sheet, rng):
    face, uv = samples(sheet, 3, rng)
    ours = sheet.derivatives(face, uv)
    for row, (patch, at) in enumerate(zip(*sheet.layout.patch_parameters(uv), strict=True)):
        net, (u, v) = sheet.nets.control[patch], (mp.mpf(x) for x in at.tolist())
        for part, order in ORDERS.items():
            expected = numbers(partial(net, u, v, order))
            scale = 1.0 + np.abs(net).max()
            np.testing.assert_allclose(getattr(ours, part)[row], expected, rtol=0, atol=1e-13 * scale)


@each_sheet
def test_geometry_agrees_with_the_derivatives(name, sheet, rng):
    face, uv = samples(sheet, 300, rng, margin=0.01)
    g, d = sheet.geometry(face, uv), sheet.derivatives(face, uv)
    np.testing.assert_allclose(g.point, d.point, rtol=0, atol=1e-14)
    np.testing.assert_allclose(
        g.frame @ g.frame.transpose(0, 2, 1), np.tile(np.eye(2), (300, 1, 1)), atol=1e-14
    )
    normal = np.cross(d.du, d.dv)
    np.testing.assert_allclose(g.normal, normal / np.linalg.norm(normal, axis=1)[:, None], atol=1e-11)
    second = np.stack([d.duu, d.duv, d.duv, d.dvv], axis=1)
    form = np.einsum("kai,ki->ka", second, g.normal).reshape(-1, 2, 2)
    to_frame = np.linalg.inv(np.einsum("kpi,kai->kpa", np.stack([d.du, d.dv], axis=1), g.frame))
    expected = to_frame @ form @ to_frame.transpose(0, 2, 1)
    scale = 1.0 + np.abs(expected).max(axis=(1, 2))[:, None, None]
    np.testing.assert_allclose(g.curvature / scale, expected / scale, rtol=0, atol=1e-8)


@pytest.mark.parametrize("w", [1e-2, 1e-4, 1e-5, 1e-7, 1e-9, 0.0])
@pytest.mark.parametrize("name", ["pebble", "lunes", "pot", "lid"])
def test_normal_and_curvature_are_right_up_to_a_smooth_pole(name, w, rng):
    """Against 60 digits at the same meridian; at the pole itself, against a place 1e-12 away."""
    sheet = BODIES[name].surfaces[0]
    for patch in np.nonzero(sheet.nets.polar)[0][:2].tolist():
        u = float(rng.uniform(0.1, 0.9))
        uv = sheet.layout.face_parameters(np.array([patch]), np.array([[u, 1.0 - w]]))
        g = sheet.geometry(np.zeros(1, dtype=np.intp), uv)
        v = 1 - mp.mpf(1e-12) if w == 0.0 else mp.mpf(1.0 - w)
        normal, tensor = reference_curvature(sheet.nets.control[patch], mp.mpf(u), v)
        near = 1e-12 if w > 0.0 else 1e-10
        np.testing.assert_allclose(g.normal[0], normal, rtol=0, atol=near)
        ours = g.frame[0].T @ g.curvature[0] @ g.frame[0]
        np.testing.assert_allclose(ours, tensor, rtol=0, atol=2e-5 * np.abs(tensor).max())


def reference_curvature(net, u, v):
    """Unit normal, and the second fundamental form as a symmetric tensor (3, 3), in 60 digits."""
    with mp.workdps(60):
        d = {part: partial(net, u, v, order) for part, order in ORDERS.items()}
        normal = mp_cross(d["du"], d["dv"])
        normal /= mp.norm(normal)
        first = mp.matrix(2, 2)
        form = mp.matrix(2, 2)
        for i, a in enumerate(("du", "dv")):
            for j, b in enumerate(("du", "dv")):
                first[i, j] = mp.fdot(d[a], d[b])
        form[0, 0], form[1, 1] = mp.fdot(normal, d["duu"]), mp.fdot(normal, d["dvv"])
        form[0, 1] = form[1, 0] = mp.fdot(normal, d["duv"])
        dual = first**-1 * mp.matrix([list(d["du"]), list(d["dv"])])
        tensor = dual.T * form * dual
        return numbers(normal), np.array([[float(tensor[i, j]) for j in range(3)] for i in range(3)])


@each_sheet
def test_both_sides_of_a_smooth_join_have_one_point_and_one_tangent_plane(name, sheet):
    patch, side = (np.repeat(column, 9) for column in np.nonzero(sheet.joins.smooth))
    at = side_parameters(side, np.tile(np.linspace(0.02, 0.98, 9), len(side) // 9))
    there = sheet.joins.patch[patch, side], sheet.joins.parameters_beyond(side, patch, at)
    face = np.zeros(len(patch), dtype=np.intp)
    g, h = (sheet.geometry(face, sheet.layout.face_parameters(*place)) for place in ((patch, at), there))
    np.testing.assert_allclose(g.point, h.point, rtol=0, atol=1e-14)
    np.testing.assert_allclose(g.normal, h.normal, rtol=0, atol=1e-12)


def test_the_board_gives_back_what_it_was_given(rng):
    for count in (1, 2, 5, 9, 17, 32, 400):
        board = ParameterLayout(count)
        patch, at = rng.integers(0, count, 500), rng.integers(0, 2, (500, 2)) * 1.0
        at[::2] = rng.uniform(0, 1, (250, 2))
        again, uv = board.patch_parameters(board.face_parameters(patch, at))
        assert (again == patch).all()
        np.testing.assert_allclose(uv, at, rtol=0, atol=1e-14)
        assert (board.face_parameters(again, uv) == board.face_parameters(patch, at)).all()


def test_smooth_joins_make_one_face_and_creases_several():
    assert [len(BODIES[name].surfaces) for name in NETS] == [1, 1, 6, 1, 1, 3, 1]


def test_open_sides_and_creases_are_edges_and_sharp_corners_vertices():
    edges = {name: sum(curve.edge_count for curve in BODIES[name].curves) for name in NETS}
    assert edges == {"pebble": 0, "lunes": 0, "cube": 12, "hill": 4, "tip": 1, "pot": 5, "lid": 1}
    vertices = {name: len(BODIES[name].vertices) for name in NETS}
    assert vertices == {"pebble": 0, "lunes": 0, "cube": 8, "hill": 4, "tip": 1, "pot": 0, "lid": 0}
    assert all(curve.domain.periodic for curve in BODIES["pot"].curves)


def test_only_a_body_without_open_sides_is_closed():
    assert [name for name in NETS if BODIES[name].closed] == CLOSED


def test_a_cube_of_patches_has_the_mass_of_a_cube():
    mass = BODIES["cube"].mass
    assert mass.volume == pytest.approx(1.0, rel=1e-14)
    np.testing.assert_allclose(mass.center, 0.5, rtol=1e-14)
    np.testing.assert_allclose(mass.inertia, np.eye(3) / 6.0, atol=1e-14)


@pytest.mark.parametrize("name", ["pebble", "lunes"])
def test_the_mass_of_a_solid_is_that_of_a_fine_mesh_of_it(name):
    """A mesh's volume errs by the square of its cells: two of them say what it tends to."""
    volumes = []
    for lines in (61, 121):
        mesh = BODIES[name].tessellate((lines, lines))
        corners = mesh.points[mesh.corners]
        volumes.append(np.einsum("ki,ki->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0)
    limit = volumes[1] + (volumes[1] - volumes[0]) / 3.0
    assert BODIES[name].mass.volume == pytest.approx(limit, rel=1e-7)


@pytest.mark.parametrize("name", CLOSED)
def test_normals_of_a_solid_point_out_of_it(name, rng):
    body = BODIES[name]
    middle = body.mass.center
    for sheet in body.surfaces:
        g = sheet.geometry(*samples(sheet, 200, rng))
        assert np.all(np.einsum("ki,ki->k", g.normal, g.point - middle) > 0.0)


@pytest.mark.parametrize("name", ["pebble", "cube", "pot", "lid"])
def test_it_does_not_matter_which_way_patches_are_given(name, rng):
    """Their order, their corners and their sides: the body is the same, and all of it faces one way."""
    nets = NETS[name][rng.permutation(len(NETS[name]))]
    for number in range(1, len(nets)):
        nets[number] = np.rot90(nets[number], rng.integers(4), axes=(0, 1))
        if rng.integers(2):
            nets[number] = nets[number].transpose(1, 0, 2)
    body, usual = bezier(nets), BODIES[name]
    assert len(body.surfaces) == len(usual.surfaces)
    assert len(body.curves) == len(usual.curves)
    assert body.mass.volume == pytest.approx(usual.mass.volume, rel=1e-13)
    np.testing.assert_allclose(body.mass.center, usual.mass.center, atol=1e-13)
    for sheet in body.surfaces:
        patch, side = np.nonzero(sheet.joins.smooth)
        at = side_parameters(side, np.full(len(side), 0.3))
        there = sheet.joins.patch[patch, side], sheet.joins.parameters_beyond(side, patch, at)
        face = np.zeros(len(patch), dtype=np.intp)
        g, h = (sheet.geometry(face, sheet.layout.face_parameters(*place)) for place in ((patch, at), there))
        assert np.all(np.einsum("ki,ki->k", g.normal, h.normal) > 0.99)


@pytest.mark.parametrize("edge_name", ["cube", "hill", "tip", "pot", "lid"])
def test_edges_have_the_tangent_and_the_curvature_of_their_curve(edge_name):
    for curve in BODIES[edge_name].curves:
        inner = curve.knots[:-1, None] + np.diff(curve.knots)[:, None] * np.array([0.1, 0.4, 0.8])
        t, edge = inner.ravel(), np.zeros(inner.size, dtype=np.intp)
        h = 1e-5
        low, here, high = (curve.geometry(edge, t + shift) for shift in (-h, 0.0, h))
        first, second = (high.point - low.point) / (2 * h), (high.point - 2 * here.point + low.point) / h**2
        speed = np.linalg.norm(first, axis=1)[:, None]
        np.testing.assert_allclose(here.tangent, first / speed, atol=1e-8)
        across = second - np.sum(second * here.tangent, axis=1, keepdims=True) * here.tangent
        np.testing.assert_allclose(here.curvature, across / speed**2, atol=2e-4)


def test_edges_are_walked_by_arc_length():
    for curve in BODIES["pot"].curves:
        edge, t = np.zeros(1, dtype=np.intp), np.array([0.1])
        way = 0.0
        for _ in range(40):
            here = curve.geometry(edge, t).point
            t = curve.move(edge, t, np.array([0.01]))
            way += float(np.linalg.norm(curve.geometry(edge, t).point - here))
        assert way == pytest.approx(0.4, rel=2e-3)


def test_conormals_point_into_the_faces_of_an_edge():
    body = BODIES["cube"]
    for curve in body.curves:
        middle = curve.geometry(np.zeros(1, dtype=np.intp), np.array([0.5]))
        inward = curve.conormals(np.zeros(1, dtype=np.intp), np.array([0.5]))[0]
        np.testing.assert_allclose(inward.sum(axis=0), 2 * (0.5 - middle.point[0]), atol=1e-14)
        np.testing.assert_allclose(inward @ middle.tangent[0], 0.0, atol=1e-14)
    open_edge = BODIES["lid"].curves[0].conormals(np.zeros(1, dtype=np.intp), np.array([0.3]))[0]
    assert open_edge[0, 2] == pytest.approx(1.0)
    assert np.isnan(open_edge[1]).all()


def test_a_vertex_knows_the_directions_of_all_its_faces():
    cube, tip = BODIES["cube"], BODIES["tip"]
    for vertex, cone in zip(cube.vertices, cube.vertex_directions, strict=True):
        assert np.all(cone * (0.5 - vertex) >= -1e-15)
        for axis in np.eye(3) * 2 * (0.5 - vertex):
            assert np.abs(cone - axis).sum(axis=1).min() < 1e-14
    np.testing.assert_allclose(tip.vertices, [[0, 0, 1.2]], atol=1e-15)
    np.testing.assert_allclose(tip.vertex_directions[0][:, 2], -np.sqrt(0.5), atol=0.01)


def test_numbers_of_another_shape_are_refused():
    with pytest.raises(SurfaceError, match=r"\(n, 4, 4, 3\)"):
        bezier(np.zeros((4, 4, 3)))
    with pytest.raises(SurfaceError, match="finite"):
        bezier(np.full((1, 4, 4, 3), np.nan))


def test_a_band_with_one_side_only_is_refused():
    turn = np.linspace(0, 2 * np.pi, 5)
    half = 0.3 * np.column_stack([np.cos(turn / 2), np.sin(turn / 2)])
    middle = np.column_stack([np.cos(turn), np.sin(turn), 0 * turn])
    lines = []
    for m, (out, up) in zip(middle, half, strict=True):
        radial = m / np.linalg.norm(m)
        lines.append((m + out * radial + [0, 0, up], m - out * radial - [0, 0, up]))
    nets = []
    along, across = np.arange(4)[:, None, None] / 3, np.arange(4)[None, :, None] / 3
    for (a, b), (c, d) in pairwise(lines):
        nets.append((1 - along) * (a + across * (b - a)) + along * (c + across * (d - c)))
    with pytest.raises(SurfaceError, match="one side"):
        bezier(np.array(nets))


def test_a_patch_with_neighbouring_sides_of_no_length_is_refused():
    net = flat_patch([0, 0, 0], [1, 0, 0], [0, 1, 0])
    net[0], net[:, 0] = net[0, 0], net[0, 0]
    with pytest.raises(SurfaceError, match="in one point"):
        bezier(net[None])
