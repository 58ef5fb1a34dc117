"""Smooth-shaded meshes become curved faces through their vertices, with one tangent plane where they meet."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from physplace_addon.core.bodies.body import Body
from physplace_addon.core.bodies.curved_meshes import MOST_PATCHES
from physplace_addon.core.surfaces.bezier.joins import Joins
from physplace_addon.core.surfaces.bezier.sheet import BezierSheet
from physplace_addon.core.surfaces.smooth.gregory import GregoryNets
from tests.core.dirty_meshes import dirty
from tests.core.surfaces.point_distances import distances
from tests.core.surfaces.smooth import smooth_meshes as meshes

ALONG = np.array([0.0, 0.03, 0.2, 0.5, 0.71, 0.99, 1.0])


def all_patches(body: Body) -> Iterator[tuple[GregoryNets, Joins]]:
    for sheet in body.surfaces:
        assert isinstance(sheet, BezierSheet)
        assert isinstance(sheet.nets, GregoryNets)
        yield sheet.nets, sheet.joins


@pytest.mark.slow
@pytest.mark.parametrize("name", ["torus", "sphere", "cylinder", "rounded_slab", "lump"])
def test_faces_meet_in_one_tangent_plane(name: str) -> None:
    body, notes = meshes.body_of(*getattr(meshes, name)())
    assert body is not None
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


def test_the_curved_faces_go_through_the_vertices() -> None:
    points, faces = meshes.lump()
    body = meshes.curved(points, faces)
    nets, _ = next(all_patches(body))
    corners = nets.corners.reshape(-1, 3)
    apart = np.linalg.norm(np.asarray(points)[:, None] - corners, axis=2).min(axis=1)
    assert apart.max() < 1e-15
    ends = np.tile([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], (len(nets), 1))
    normals = nets.forms(np.repeat(np.arange(len(nets)), 4), ends)[1]
    for place in points[::17]:
        here = normals[np.linalg.norm(corners - place, axis=1) < 1e-12]
        np.testing.assert_allclose(here, here[:1].repeat(len(here), axis=0), atol=1e-12)


def reported(body: Body) -> float:
    return float(body.notes[0].split(" curved, ")[1].split(" from ")[0])


@pytest.mark.parametrize("name", ["sphere", "torus", "lump", "cylinder"])
def test_no_curved_face_is_farther_from_the_mesh_than_reported(name: str) -> None:
    points, faces = getattr(meshes, name)()
    body = meshes.curved(points, faces)
    triangles = np.array([(f[0], a, b) for f in faces for a, b in pairwise(f[1:])])
    at = body.surfaces[0].pieces[:: max(1, len(body.surfaces[0].pieces) // 60)]
    random = np.random.default_rng(1)
    uv = (at[:, 0, None] + random.uniform(size=(len(at), 9, 2))).reshape(-1, 2)
    found = body.surfaces[0].derivatives(np.zeros(len(uv), dtype=int), uv).point
    away = distances(found, np.asarray(points, dtype=float)[triangles]).min(axis=1)
    assert 0.0 < away.max() <= 1.02 * reported(body)


def test_a_globe_is_nearly_a_ball() -> None:
    body = meshes.curved(*meshes.sphere(32, 16))
    assert body.closed
    assert body.face_count == 1
    assert body.edge_count == 0
    radii = np.linalg.norm(body.points, axis=1)
    assert radii.min() > 0.9995
    assert radii.max() < 1.0005
    assert body.mass.volume == pytest.approx(4 / 3 * np.pi, rel=1e-4)
    np.testing.assert_allclose(body.mass.center, 0.0, atol=1e-7)


def test_a_cylinder_has_round_rims_and_flat_caps() -> None:
    for flat in ((), (16, 17)):
        body = meshes.curved(*meshes.cylinder(), flat=flat)
        assert (body.face_count, body.edge_count, len(body.vertices)) == (3, 2, 0)
        assert body.mass.volume == pytest.approx(2 * np.pi, rel=1e-5)
        heights = [np.ptp(body.triangles[body.triangle_face == face][..., 2]) for face in range(3)]
        assert sorted(heights)[:2] == pytest.approx([0.0, 0.0], abs=1e-14)


@pytest.mark.parametrize("place", [(1e-3, 0.0), (1e3, 0.0), (1.0, 1e4)])
def test_size_and_place_change_nothing(place: tuple[float, float]) -> None:
    scale, far = place
    points, faces = meshes.cylinder()
    body = meshes.curved(np.asarray(points) * scale + far, faces)
    assert (body.face_count, body.edge_count, len(body.vertices)) == (3, 2, 0)
    assert body.mass.volume == pytest.approx(2 * np.pi * scale**3, rel=1e-4)


def test_faces_that_look_inwards_or_disagree_are_turned() -> None:
    points, faces = meshes.torus()
    mixed = [face[::-1] if i % 3 else face for i, face in enumerate(faces)]
    body = meshes.curved(points, mixed)
    whole = meshes.curved(points, faces)
    assert body.closed
    assert body.face_count == 1
    assert body.mass.volume == pytest.approx(whole.mass.volume, rel=1e-9)


def test_what_cannot_be_curved_says_why() -> None:
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
    body = meshes.curved(doubled, split)
    assert body.closed
    assert body.face_count == 1


@pytest.mark.parametrize("seed", range(0, 48, 4))
def test_dirty_meshes_shaded_smooth_are_curved_or_left_flat(seed: int) -> None:
    mesh = dirty(seed)
    with np.errstate(all="raise", under="ignore"):
        body, _ = meshes.body_of(mesh.points, [tuple(three) for three in mesh.triangles.tolist()])
    if body is not None:
        assert np.isfinite(body.triangles).all()
        assert np.isfinite(body.mass.center).all()


def torus_of(around: int, across: int) -> Body:
    """A torus of quadrilaterals, curved."""
    turn, lean = (2.0 * np.pi * np.arange(count) / count for count in (around, across))
    a, b = (each.ravel() for each in np.meshgrid(turn, lean, indexing="ij"))
    points = np.stack(
        [(1.0 + 0.4 * np.cos(b)) * np.cos(a), (1.0 + 0.4 * np.cos(b)) * np.sin(a), 0.4 * np.sin(b)]
    )
    i, j = (each.ravel() for each in np.indices((around, across)))
    after, above = (i + 1) % around, (j + 1) % across
    faces = np.stack([i * across + j, after * across + j, after * across + above, i * across + above], axis=1)
    return meshes.curved(points.T, faces.tolist())


def test_faces_are_cut_no_finer_than_shows_how_they_bend() -> None:
    """What is cut finer makes every contact search slower, as the square of the cells along a face."""
    coarse, fine = torus_of(12, 8), torus_of(72, 40)
    assert len(coarse.triangles) >= 18 * 12 * 8
    assert len(fine.triangles) == 2 * 72 * 40
    assert fine.triangle_bound.max() < 2.5e-3 * fine.radius


def test_points_alone_are_those_of_the_geometry() -> None:
    body = torus_of(12, 8)
    face, uv = body.triangle_face, body.triangle_uv.mean(axis=1)
    apart = body.face_points(face, uv) - body.face_geometry(face, uv).point
    assert np.abs(apart).max() < 1e-15 * body.radius
    assert np.linalg.norm(body.face_points(face, uv) - body.triangles.mean(axis=1), axis=1).max() < 0.1
