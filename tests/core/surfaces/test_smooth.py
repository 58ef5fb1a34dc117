"""Smooth-shaded meshes become curved faces through their vertices, with one tangent plane where they meet."""

from __future__ import annotations

from itertools import pairwise

import mpmath
import numpy as np
import pytest

from physplace_addon.core.bodies.curved_meshes import MOST_PATCHES
from physplace_addon.core.surfaces.bernstein import bernstein
from physplace_addon.core.surfaces.geometry import HullDeviation
from physplace_addon.core.surfaces.smooth.gregory import GregoryNets
from tests.core.dirty_meshes import dirty
from tests.core.surfaces import smooth_meshes as meshes
from tests.core.surfaces.test_tessellation import distances

ALONG = np.array([0.0, 0.03, 0.2, 0.5, 0.71, 0.99, 1.0])


def random_nets(count=4, seed=5):
    random = np.random.default_rng(seed)
    control, twists = random.normal(size=(count, 4, 4, 3)), random.normal(size=(count, 2, 2, 3))
    return GregoryNets(control, np.zeros(count, dtype=bool), twists)


def by_definition(nets, patch, axis, u, v):
    """A coordinate of a patch, its inner points moved between two places, in 30 digits."""
    u, v = mpmath.mpf(u), mpmath.mpf(v)
    weights = [[mpmath.binomial(3, i) * t**i * (1 - t) ** (3 - i) for i in range(4)] for t in (u, v)]
    total = mpmath.mpf(0)
    for i in range(4):
        for j in range(4):
            point = mpmath.mpf(nets.control[patch, i, j, axis])
            if i in (1, 2) and j in (1, 2):
                s, t = (u, 1 - u)[i - 1], (v, 1 - v)[j - 1]
                half = mpmath.mpf(nets.twists[patch, i - 1, j - 1, axis]) / 2
                point = (s * (point + half) + t * (point - half)) / (s + t)
            total += weights[0][i] * weights[1][j] * point
    return total


def test_points_and_derivatives_are_those_of_the_definition():
    nets = random_nets()
    at = np.array([[0.3, 0.6], [1e-3, 0.25], [0.999, 1e-4], [0.5, 0.5]])
    found = nets.derivatives(np.arange(4), at)
    names = {"point": (0, 0), "du": (1, 0), "dv": (0, 1), "duu": (2, 0), "duv": (1, 1), "dvv": (0, 2)}
    with mpmath.workdps(40):
        for patch, (u, v) in enumerate(at.tolist()):
            for name, order in names.items():
                for axis in (0, 2):
                    exact = mpmath.diff(lambda *x: by_definition(nets, patch, axis, *x), (u, v), order)  # noqa: B023
                    assert getattr(found, name)[patch, axis] == pytest.approx(float(exact), abs=4e-12)


def test_no_point_is_farther_from_its_triangles_than_the_bound():
    nets = random_nets(5)
    counts = np.array([[1, 1], [2, 3], [4, 4], [7, 5], [9, 9]])
    bounds, first = nets.bounds(counts), 0
    random = np.random.default_rng(2)
    for patch, (nu, nv) in enumerate(counts.tolist()):
        for cell in range(nu * nv):
            low, size = np.array(divmod(cell, nv)) / (nu, nv), 1 / np.array([nu, nv])
            corner = low + size * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
            corners = nets.slopes(np.full(4, patch), corner).point
            points = nets.slopes(np.full(40, patch), low + size * random.uniform(size=(40, 2))).point
            away = distances(points, corners[[[0, 1, 2], [3, 2, 1]]]).min(axis=1)
            assert away.max() <= bounds[first + cell]
        first += nu * nv


def test_parts_of_patches_differ_from_their_hulls_by_no_more_than_the_slack():
    nets, random = random_nets(5), np.random.default_rng(3)
    patch, cells = np.repeat(np.arange(5), 40), 2.0 ** random.integers(0, 5, size=(200, 1))
    lower = np.minimum(np.floor(cells * random.uniform(0.0, 1.1, size=(200, 2))), cells - 1) / cells
    size = np.repeat(1.0 / cells, 2, axis=1)
    along = random.normal(size=(200, 3))
    along /= np.linalg.norm(along, axis=1)[:, None]
    hulls = nets.hulls(patch, lower, lower + size)
    slack, one_way = HullDeviation.of(hulls), HullDeviation.of(hulls, along)
    assert (one_way.second <= slack.second).all()
    assert (slack.second[cells[:, 0] == 16.0].max(axis=0) < 0.04 * slack.second.max(axis=0)).all()
    for _ in range(20):
        at = random.uniform(size=(200, 2))
        weights = bernstein(at, 1)
        jets = nets.jets(patch, lower + size * at, 1)
        for a, b, more, less in (
            (0, 0, slack.point, one_way.point),
            (1, 0, slack.first[:, 0], one_way.first[:, 0]),
            (0, 1, slack.first[:, 1], one_way.first[:, 1]),
        ):
            scale = size[:, :1] ** a * size[:, 1:] ** b
            part = np.einsum("ki,kj,kijx->kx", weights[:, 0, a], weights[:, 1, b], hulls.control)
            aside = part - scale * jets[:, a, b]
            assert (np.linalg.norm(aside, axis=1) <= more + 1e-13).all()
            assert (np.abs(np.einsum("kx,kx->k", aside, along)) <= less + 1e-13).all()


def all_patches(body):
    for sheet in body.surfaces:
        yield sheet.nets, sheet.joins


@pytest.mark.parametrize("name", ["torus", "sphere", "cylinder", "rounded_slab", "lump"])
def test_faces_meet_in_one_tangent_plane(name):
    body, notes = meshes.body_of(*getattr(meshes, name)())
    assert not notes
    crossed = 0
    for nets, joins in all_patches(body):
        patch, side = np.nonzero(joins.smooth)
        crossed += len(patch)
        patch, side = np.repeat(patch, len(ALONG)), np.repeat(side, len(ALONG))
        t = np.tile(ALONG, len(patch) // len(ALONG))
        fixed = side % 2
        at = np.where((side < 2)[:, None], np.stack([fixed, t], 1), np.stack([t, fixed], 1))
        here = nets.forms(patch, at)
        there = nets.forms(joins.patch[patch, side], joins.parameters_beyond(side, patch, at))
        np.testing.assert_allclose(here[0].point, there[0].point, atol=1e-13)
        np.testing.assert_allclose(here[1], there[1], atol=1e-9)
    assert crossed


def test_the_curved_faces_go_through_the_vertices():
    points, faces = meshes.lump()
    body, _ = meshes.body_of(points, faces)
    nets = body.surfaces[0].nets
    corners = nets.corners.reshape(-1, 3)
    apart = np.linalg.norm(np.asarray(points)[:, None] - corners, axis=2).min(axis=1)
    assert apart.max() < 1e-15
    ends = np.tile([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], (len(nets), 1))
    normals = nets.forms(np.repeat(np.arange(len(nets)), 4), ends)[1]
    for place in points[::17]:
        here = normals[np.linalg.norm(corners - place, axis=1) < 1e-12]
        np.testing.assert_allclose(here, here[:1].repeat(len(here), axis=0), atol=1e-12)


def reported(body):
    return float(body.notes[0].split(" curved, ")[1].split(" from ")[0])


@pytest.mark.parametrize("name", ["sphere", "torus", "lump", "cylinder"])
def test_no_curved_face_is_farther_from_the_mesh_than_reported(name):
    points, faces = getattr(meshes, name)()
    body, _ = meshes.body_of(points, faces)
    triangles = np.array([(f[0], a, b) for f in faces for a, b in pairwise(f[1:])])
    at = body.surfaces[0].pieces[:: max(1, len(body.surfaces[0].pieces) // 60)]
    random = np.random.default_rng(1)
    uv = (at[:, 0, None] + random.uniform(size=(len(at), 9, 2))).reshape(-1, 2)
    found = body.surfaces[0].derivatives(np.zeros(len(uv), dtype=int), uv).point
    away = distances(found, np.asarray(points, dtype=float)[triangles]).min(axis=1)
    assert 0.0 < away.max() <= 1.02 * reported(body)


def test_a_globe_is_nearly_a_ball():
    body, _ = meshes.body_of(*meshes.sphere(32, 16))
    assert body.closed
    assert body.face_count == 1
    assert body.edge_count == 0
    radii = np.linalg.norm(body.points, axis=1)
    assert radii.min() > 0.9995
    assert radii.max() < 1.0005
    assert body.mass.volume == pytest.approx(4 / 3 * np.pi, rel=1e-4)
    np.testing.assert_allclose(body.mass.center, 0.0, atol=1e-7)


def test_a_cylinder_has_round_rims_and_flat_caps():
    for flat in ((), (16, 17)):
        body, _ = meshes.body_of(*meshes.cylinder(), flat=flat)
        assert (body.face_count, body.edge_count, len(body.vertices)) == (3, 2, 0)
        assert body.mass.volume == pytest.approx(2 * np.pi, rel=1e-5)
        heights = [np.ptp(body.triangles[body.triangle_face == face][..., 2]) for face in range(3)]
        assert sorted(heights)[:2] == pytest.approx([0.0, 0.0], abs=1e-14)


def test_a_large_face_stays_flat_when_its_edges_are_rounded():
    body, _ = meshes.body_of(*meshes.rounded_slab())
    assert body.face_count == 1
    inner = body.points[np.hypot(body.points[:, 0], body.points[:, 1]) < 0.85]
    np.testing.assert_allclose(np.abs(inner[:, 2] - 0.25), 0.25, atol=1e-14)


def test_marked_edges_and_wide_angles_are_creases():
    points, faces = meshes.torus()
    ring = [(i, (i + 1) % 24) for i in range(24)]
    body, _ = meshes.body_of(points, faces, sharp=ring)
    assert (body.face_count, body.edge_count) == (1, 1)
    assert meshes.body_of(*meshes.cube()) == (None, ())
    none, notes = meshes.body_of(*meshes.cone())
    assert none is None
    assert "no smooth surface" in notes[0]


def test_normals_set_by_hand_are_followed_and_part_faces():
    points, faces = meshes.sphere()
    at = np.asarray(points, dtype=float)[np.concatenate([np.array(face) for face in faces])]
    plain, _ = meshes.body_of(points, faces)
    body, _ = meshes.body_of(points, faces, wanted=at)
    assert abs(body.mass.volume - 4 / 3 * np.pi) < abs(plain.mass.volume - 4 / 3 * np.pi)
    cage = meshes.cage_of(faces, points)
    a, b, c = (at[cage.starts[:-1] + i] for i in range(3))
    flat = np.repeat(np.cross(b - a, c - a), cage.sizes, axis=0)
    assert meshes.body_of(points, faces, wanted=flat) == (None, ())


@pytest.mark.parametrize("place", [(1e-3, 0.0), (1e3, 0.0), (1.0, 1e4)])
def test_size_and_place_change_nothing(place):
    scale, far = place
    points, faces = meshes.cylinder()
    body, _ = meshes.body_of(np.asarray(points) * scale + far, faces)
    assert (body.face_count, body.edge_count, len(body.vertices)) == (3, 2, 0)
    assert body.mass.volume == pytest.approx(2 * np.pi * scale**3, rel=1e-4)


def test_faces_that_look_inwards_or_disagree_are_turned():
    points, faces = meshes.torus()
    mixed = [face[::-1] if i % 3 else face for i, face in enumerate(faces)]
    body, _ = meshes.body_of(points, mixed)
    whole, _ = meshes.body_of(points, faces)
    assert body.closed
    assert body.face_count == 1
    assert body.mass.volume == pytest.approx(whole.mass.volume, rel=1e-9)


def test_what_cannot_be_curved_says_why():
    points, faces = meshes.sphere()
    none, notes = meshes.body_of(points, [*faces, faces[0]])
    assert none is None
    assert "has to be cleaned" in notes[0]
    many = int(np.sqrt(MOST_PATCHES)) + 1
    none, notes = meshes.body_of(*meshes.torus(around=many, across=many))
    assert none is None
    assert str(MOST_PATCHES) in notes[0]
    doubled = [*points, points[3]]
    split = [tuple(len(points) if vertex == 3 else vertex for vertex in faces[3]), *faces[:3], *faces[4:]]
    body, _ = meshes.body_of(doubled, split)
    assert body.closed
    assert body.face_count == 1


@pytest.mark.parametrize("seed", range(0, 48, 4))
def test_dirty_meshes_shaded_smooth_are_curved_or_left_flat(seed):
    mesh = dirty(seed)
    with np.errstate(all="raise", under="ignore"):
        body, _ = meshes.body_of(mesh.points, [tuple(three) for three in mesh.triangles.tolist()])
    if body is not None:
        assert np.isfinite(body.triangles).all()
        assert np.isfinite(body.mass.center).all()
