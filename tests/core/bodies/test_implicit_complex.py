"""The boundary of an implicit body: faces, a tessellation that bounds its error, geodesics."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.bodies.implicit_solid import blob_body
from physplace_addon.core.implicit import blobby_spheres
from physplace_addon.core.implicit.polygonize.surface_sampling import surface_samples
from tests.core.bodies.blob_bodies import BIAS, RADIUS, ball_of, lump, patches_of, somewhere


def test_the_tessellation_is_as_near_as_it_says() -> None:
    body = lump()
    triangle, face, uv, _ = somewhere(body, 20000)
    point = body.face_geometry(face, uv).point
    away = np.full(len(point), np.inf)
    for own in (triangle, triangle ^ 1):  # both halves of a patch
        corners = body.triangles[own]
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        plane = np.abs(np.einsum("ki,ki->k", point - corners[:, 0], normal)) / np.linalg.norm(normal, axis=1)
        away = np.minimum(away, plane)
    assert (away <= body.triangle_bound[triangle]).all()
    assert body.triangle_bound.max() <= 0.01


def test_a_geodesic_over_the_patches_ends_at_the_nearest_point() -> None:
    body = blob_body(ball_of(), "ball", tolerance=0.02)
    _, face, uv, _ = somewhere(body, 500)
    there = body.face_geometry(face, uv)
    random = np.random.default_rng(3)
    way = np.einsum("kab,ka->kb", there.frame, random.uniform(-0.05, 0.05, (500, 2)))
    end = body.face_geometry(face, body.face_move(face, uv, way)).point
    target = there.point + way
    nearest = RADIUS * target / np.linalg.norm(target, axis=1)[:, None]
    assert np.linalg.norm(end - nearest, axis=1).max() <= 2e-3


def test_each_part_of_a_surface_is_a_face() -> None:
    function = blobby_spheres(BIAS, [[0, 0, 0], [4, 0, 0]], [1.0, 1.0])
    body = blob_body(function, "two", surface_samples(function, 0.4), 0.2, tolerance=0.03)
    assert body.face_count == 2
    assert body.mass.center == pytest.approx([2, 0, 0], abs=1e-9)
    assert len(np.unique(body.triangle_corners)) == body.point_count


def test_geodesics_are_traced_over_polynomials_and_need_no_value_of_f(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    body = lump()
    _, face, uv, _ = somewhere(body, 50)
    frame = body.face_geometry(face, uv).frame
    kind = type(patches_of(body).function)
    for name in ("value", "gradient", "hessian"):
        monkeypatch.setattr(kind, name, lambda *_: pytest.fail("F was evaluated"))
    moved = body.face_move(face, uv, 0.02 * frame[:, 0])
    assert (np.abs(moved - uv).max(axis=1) > 0.0).all()
