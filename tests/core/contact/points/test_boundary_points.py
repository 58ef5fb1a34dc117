"""Closest points on the boundary of a whole body, and depths inside it."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core import bodies
from physplace_addon.core.contact.points.boundary_points import (
    closest_boundary_point,
    closest_boundary_points,
    depths_inside,
)
from physplace_addon.core.surfaces import kinds
from tests.bodies_of_the_paper import box
from tests.core.surfaces.analytic.exact_bodies import ALL

KINDS = ["torus", "ellipsoid", "apple", "knot", "cylinder", "cone", "dish"]


def _many_points(body: bodies.Body) -> np.ndarray:
    """Points all over the exact faces."""
    weights = np.array([(1, 1, 1), (4, 1, 1), (1, 4, 1), (1, 1, 4), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    uv = ((weights / weights.sum(axis=1, keepdims=True)) @ body.triangle_uv).reshape(-1, 2)
    return body.face_geometry(np.repeat(body.triangle_face, len(weights)), uv).point


@pytest.mark.parametrize("kind", KINDS)
def test_no_point_of_the_boundary_is_nearer(kind: str, rng: np.random.Generator) -> None:
    body = bodies.exact(ALL[kind], kind)
    points = _many_points(body)
    for place in rng.normal(size=(12, 3)) * body.radius:
        found = closest_boundary_point(body, place)
        nearest = np.linalg.norm(points - place, axis=1).min()
        assert np.linalg.norm(found.point - place) <= nearest + 1e-9 * body.radius
        assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-12)


def test_of_a_sphere_it_is_the_point_on_the_ray_inside_and_outside(rng: np.random.Generator) -> None:
    ball = bodies.exact(kinds.sphere(1.3), "ball")
    for place in rng.normal(size=(20, 3)):
        found = closest_boundary_point(ball, place)
        ray = place / np.linalg.norm(place)
        np.testing.assert_allclose(found.point, 1.3 * ray, atol=1e-9)
        np.testing.assert_allclose(found.normal, ray, atol=1e-9)


def test_of_a_box_it_is_clamped_to_the_faces() -> None:
    body = box((1.0, 2.0, 3.0)).body
    half = body.points.max(axis=0)
    found = closest_boundary_point(body, np.array([0.2, 0.1, 9.0]))
    np.testing.assert_allclose(found.point, (0.2, 0.1, half[2]), atol=1e-12)
    np.testing.assert_allclose(found.normal, (0.0, 0.0, 1.0), atol=1e-12)


def test_at_an_edge_the_face_that_looks_most_there_gives_the_normal() -> None:
    body = box((1.0, 1.0, 1.0)).body
    half = body.points.max(axis=0)
    found = closest_boundary_point(body, half * [1.0, 0.0, 1.0] + [2.0, 0.0, 0.1])
    np.testing.assert_allclose(found.point, half * [1.0, 0.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(found.normal, (1.0, 0.0, 0.0), atol=1e-12)


def test_a_sheet_looks_to_the_side_asked_from() -> None:
    sheet = bodies.exact(kinds.plane(2.0, 2.0), "sheet")
    for side in (1.0, -1.0):
        found = closest_boundary_point(sheet, np.array([0.3, 0.1, 0.5 * side]))
        np.testing.assert_allclose(found.point, (0.3, 0.1, 0.0), atol=1e-12)
        np.testing.assert_allclose(found.normal, (0.0, 0.0, side), atol=1e-12)


@pytest.mark.parametrize("kind", ["torus", "cylinder", "dish"])
def test_of_many_places_each_has_its_own_point(kind: str, rng: np.random.Generator) -> None:
    body = bodies.exact(ALL[kind], kind)
    places = rng.normal(size=(20, 3)) * body.radius
    every = closest_boundary_points(body, places)
    for place, point, normal in zip(places, every.point, every.normal, strict=True):
        alone = closest_boundary_point(body, place)
        np.testing.assert_array_equal(point, alone.point)
        np.testing.assert_array_equal(normal, alone.normal)


def test_depths_in_a_cylinder_are_those_of_its_formula(rng: np.random.Generator) -> None:
    """Also under its chords, over its rims and in their planes, where the tessellation would be wrong."""
    body = bodies.exact(kinds.cylinder(0.5, 2.0), "cylinder")
    angle, off = rng.uniform(0.0, 2.0 * np.pi, 300), 10.0 ** rng.uniform(-9.0, -1.0, 300)
    radius = np.where(np.arange(300) % 2, 0.5 + rng.choice([-1.0, 1.0], 300) * off, 0.49)
    height = np.where(np.arange(300) % 3, 1.0 + rng.choice([-1.0, 0.0, 1.0], 300) * off[::-1], 0.301)
    places = np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=1)
    beyond = np.stack([radius - 0.5, height - 1.0], axis=1)
    outside = np.linalg.norm(beyond.clip(min=0.0), axis=1)
    exact = np.where((beyond < 0.0).all(axis=1), -beyond.max(axis=1), -outside)
    found = depths_inside(body, places, np.full(300, 3.0))
    np.testing.assert_allclose(found, exact, atol=1e-12)
    near = depths_inside(body, places, np.full(300, 0.05))
    assert (np.isnan(near) == (np.abs(exact) > 0.05)).all()
