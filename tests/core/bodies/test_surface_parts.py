"""Parts of triangles of curved faces, beside points of the true faces."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats, Ints
from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.bodies.part_rows import PartRows
from physplace_addon.core.bodies.surface_parts import SurfaceParts, reach_of_parts
from physplace_addon.core.collision import closest_on_triangle
from tests import bodies_of_the_paper as paper
from tests.core.bodies import blob_bodies
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES

KINDS: dict[str, Callable[[], Body]] = {
    "sphere": lambda: paper.sphere().body,
    "torus": lambda: paper.torus().body,
    "cone": lambda: paper.cone().body,
    "cylinder": lambda: paper.cylinder().body,
    "superquadric": lambda: paper.superquadric().body,
    "knot": lambda: paper.knot().body,
    "bowl": lambda: paper.turned("bowl", paper.BOWL).body,
    "pot": lambda: paper.pot().body,
    "blob": blob_bodies.lump,
}
SAMPLES = 12


def sampled(rng: np.random.Generator, body: Body, parts: PartRows) -> Floats:
    """Points (k, SAMPLES, 3) of the true face over each part: of a cap, over its rectangle of parameters."""
    weight = rng.dirichlet([0.7] * 3, size=(len(parts.across), SAMPLES))
    uv = weight @ parts.uv
    at = np.flatnonzero(parts.pole >= 0)
    free, share = parts.pole[at], rng.uniform(size=(len(at), SAMPLES))
    one, other = parts.uv[at, 1, free][:, None], parts.uv[at, 2, free][:, None]
    uv[at, :, free] = one + share * (other - one)
    face = np.repeat(body.triangle_face[parts.triangle], SAMPLES)
    return body.face_points(face, uv.reshape(-1, 2)).reshape(-1, SAMPLES, 3)


def deviations(points: Floats, parts: PartRows) -> tuple[Floats, Floats]:
    """How far points (k, n, 3) are from parts at most, along their normals and in their planes (k,)."""
    over = np.repeat(parts.corners, points.shape[1], axis=0)
    flat = points.reshape(-1, 3)
    closest = (closest_on_triangle(flat, over).barycentric[:, None] @ over)[:, 0]
    away = (flat - closest).reshape(points.shape)
    height = (away * parts.normal[:, None]).sum(axis=2)
    beside = away - height[..., None] * parts.normal[:, None]
    return np.abs(height).max(axis=1), np.linalg.norm(beside, axis=2).max(axis=1)


@pytest.mark.parametrize("kind", KINDS)
def test_pieces_of_faces_are_within_the_bounds_of_their_parts(kind: str) -> None:
    rng, body = np.random.default_rng(1), KINDS[kind]()
    curved = np.flatnonzero(body.triangle_bound > 0.0)
    parts = SurfaceParts.of(body)
    numbers = parts.of_triangles(rng.choice(curved, min(80, len(curved)), replace=False))
    whole = parts.rows(numbers[parts.rows(numbers).pole < 0])
    most = body.triangle_bound.max() + reach_of_parts(body)
    assert whole.bound.max(initial=0.0) <= most
    for _ in range(6):
        rows = parts.rows(numbers)
        across, along = deviations(sampled(rng, body, rows), rows)
        assert (across <= rows.across).all()
        assert (along <= rows.along).all()
        numbers = parts.children(numbers)[0]
        numbers = rng.choice(numbers, min(600, len(numbers)), replace=False)


@pytest.mark.parametrize("kind", ["sphere", "cone", "cylinder", "bowl"])
def test_parts_leave_nothing_out_at_poles(kind: str) -> None:
    rng, body = np.random.default_rng(2), KINDS[kind]()
    parts = SurfaceParts.of(body)
    every = parts.rows(parts.of_triangles(np.arange(len(body.triangles))))
    polar = np.flatnonzero(every.pole >= 0)[:3]
    assert len(polar)
    points = sampled(rng, body, every.take(polar))
    for number, own in zip(polar.tolist(), points, strict=True):
        numbers: Ints = parts.of_triangles(every.triangle[[number]])
        for _ in range(3):
            numbers = parts.children(numbers)[0]
        rows = parts.rows(numbers)
        over = np.repeat(own[None], len(numbers), axis=0)
        corners = np.repeat(rows.corners, SAMPLES, axis=0)
        flat = over.reshape(-1, 3)
        closest = (closest_on_triangle(flat, corners).barycentric[:, None] @ corners)[:, 0]
        away = np.linalg.norm(flat - closest, axis=1).reshape(len(numbers), SAMPLES)
        assert (away <= rows.bound[:, None]).any(axis=0).all()


@pytest.mark.parametrize("kind", ["torus", "knot"])
def test_the_bounds_of_parts_fall_to_a_quarter(kind: str) -> None:
    body = KINDS[kind]()
    parts = SurfaceParts.of(body)
    numbers = parts.of_triangles(np.arange(50))
    before = parts.rows(numbers).bound.max()
    for _ in range(3):
        numbers = parts.children(numbers)[0]
    assert parts.rows(numbers).bound.max() < 1.2 * before / 4.0**3


def test_flat_triangles_are_exact() -> None:
    body = polyhedron(CUBE_POINTS, CUBE_TRIANGLES, "cube")
    rows = SurfaceParts.of(body).rows(SurfaceParts.of(body).of_triangles(np.arange(12)))
    assert not rows.bound.any()
    assert reach_of_parts(body) == 0.0
