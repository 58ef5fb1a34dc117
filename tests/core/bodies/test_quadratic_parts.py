"""Quadratic models of parts of curved faces, beside points of the true faces."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body, polyhedron
from physplace_addon.core.bodies.part_rows import PartRows
from physplace_addon.core.bodies.quadratic_parts import QuadraticParts, QuadraticRows
from physplace_addon.core.bodies.surface_parts import SurfaceParts
from tests.core.meshes import CUBE_POINTS, CUBE_TRIANGLES

from .test_surface_parts import KINDS

SAMPLES = 60


def products(coordinates: Floats) -> Floats:
    return np.asarray(coordinates * np.roll(coordinates, -1, axis=-1))


def missed(
    rng: np.random.Generator, body: Body, parts: PartRows, models: QuadraticRows
) -> tuple[Floats, Floats, Floats]:
    """How far points of the faces are from the maps, along the normals and beside them, and from the heights
    (k,).
    """
    shares = rng.dirichlet([0.7] * 3, size=(len(parts.across), SAMPLES))
    face = np.repeat(body.triangle_face[parts.triangle], SAMPLES)
    points = body.face_points(face, (shares @ parts.uv).reshape(-1, 2)).reshape(-1, SAMPLES, 3)
    error = points - shares @ parts.corners - 4.0 * products(shares) @ models.sides
    across = (error * parts.normal[:, None]).sum(axis=2)
    along = np.linalg.norm(error - across[..., None] * parts.normal[:, None], axis=2)
    apart = points - parts.corners[:, :1]
    height = (apart * parts.normal[:, None]).sum(axis=2)
    sides = (parts.corners[:, 1:] - parts.corners[:, :1]).transpose(0, 2, 1)
    last = np.einsum("kij,knj->kni", np.linalg.pinv(sides), apart)
    feet = np.concatenate([1.0 - last.sum(axis=2, keepdims=True), last], axis=2)
    height -= (products(feet) @ models.bulges[:, :, None])[..., 0]
    return np.abs(across).max(axis=1), along.max(axis=1), np.abs(height).max(axis=1)


@pytest.mark.parametrize("kind", KINDS)
def test_faces_are_within_the_bounds_of_their_models(kind: str) -> None:
    rng, body = np.random.default_rng(4), KINDS[kind]()
    curved = np.flatnonzero(body.triangle_bound > 0.0)
    parts = SurfaceParts.of(body)
    models = QuadraticParts.of(body, parts)
    numbers = parts.of_triangles(rng.choice(curved, min(120, len(curved)), replace=False))
    for _ in range(5):
        own = numbers[parts.rows(numbers).pole < 0]
        rows, found = parts.rows(own), models.rows(own)
        across, along, height = missed(rng, body, rows, found)
        assert (across <= found.across).all()
        assert (along <= found.along).all()
        assert (height <= found.height).all()
        assert (found.across <= rows.across).all()
        assert (found.height <= rows.across).all()
        numbers = parts.children(numbers)[0]
        numbers = rng.choice(numbers, min(500, len(numbers)), replace=False)


@pytest.mark.parametrize("kind", ["torus", "knot", "superquadric"])
def test_what_models_leave_out_falls_to_an_eighth(kind: str) -> None:
    body = KINDS[kind]()
    parts = SurfaceParts.of(body)
    models = QuadraticParts.of(body, parts)
    numbers = parts.of_triangles(np.arange(50))
    before = models.rows(numbers).height.max()
    for _ in range(3):
        numbers = parts.children(numbers)[0]
    assert models.rows(numbers).height.max() < 1.6 * before / 8.0**3


def test_caps_and_flat_triangles_are_flat() -> None:
    ball, cube = KINDS["sphere"](), polyhedron(CUBE_POINTS, CUBE_TRIANGLES, "cube")
    for body, polar in ((ball, True), (cube, False)):
        parts = SurfaceParts.of(body)
        numbers = np.unique(parts.of_triangles(np.arange(len(body.triangles))))
        numbers = numbers[(parts.rows(numbers).pole >= 0) == polar]
        rows, found = parts.rows(numbers), QuadraticParts.of(body, parts).rows(numbers)
        assert len(numbers)
        assert not found.sides.any()
        assert not found.bulges.any()
        np.testing.assert_array_equal(found.height, rows.across)
        np.testing.assert_array_equal(found.across, rows.across)
        np.testing.assert_array_equal(found.along, rows.along)


def test_models_do_not_depend_on_what_was_asked_before() -> None:
    first, second = KINDS["bowl"](), KINDS["bowl"]()
    heights = []
    for body, at_once in ((first, False), (second, True)):
        parts = SurfaceParts.of(body)
        models = QuadraticParts.of(body, parts)
        numbers = parts.of_triangles(np.arange(40, 60))
        for _ in range(2):
            if not at_once:
                models.rows(numbers)
            numbers = parts.children(numbers)[0]
        rows = parts.rows(numbers)
        order = np.lexsort(rows.uv.reshape(len(numbers), -1).T)
        heights.append(models.rows(numbers).height[order])
    np.testing.assert_array_equal(*heights)
