"""Projection onto an implicit surface: every way ends on the surface, each by its own rule."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit import Quadrics, Spheres, blobby_spheres, intersection
from physplace_addon.core.implicit.projection import (
    bracketed_heights,
    closest_points,
    distances_to_surface,
    newton_step,
    projected,
    projected_along,
    surface_crossings,
    traced_step,
)
from tests.core.implicit.surfaces import fourteen_spheres

BALL = Spheres.of([[0.0, 0.0, 0.0]], 1.0)


def around(count: int, low: float, high: float, seed: int = 0) -> Floats:
    """Places at distances from low to high from the origin."""
    draw = np.random.default_rng(seed)
    directions = draw.normal(size=(count, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    return directions * draw.uniform(low, high, count)[:, None]


def test_one_newton_step_reaches_a_distance_s_zero_and_tells_how_far_it_was() -> None:
    places = around(50, 0.5, 2.0)
    step, off = newton_step(*BALL.gradient(places), np.inf)
    assert np.allclose(np.linalg.norm(places - step, axis=1), 1.0, rtol=0, atol=1e-14)
    assert np.allclose(off, np.abs(np.linalg.norm(places, axis=1) - 1.0), rtol=0, atol=1e-14)


def test_a_newton_step_is_no_longer_than_allowed_and_still_tells_the_distance() -> None:
    step, off = newton_step(*BALL.gradient(np.array([[3.0, 0.0, 0.0], [1.05, 0.0, 0.0]])), 0.1)
    assert np.allclose(step, [[0.1, 0.0, 0.0], [0.05, 0.0, 0.0]])
    assert np.allclose(off, [2.0, 0.05])


def test_where_the_gradient_is_zero_a_place_stays_and_is_infinitely_far_off() -> None:
    step, off = newton_step(np.array([-1.0, 0.0]), np.zeros((2, 3)), 1.0)
    assert not step.any()
    assert off.tolist() == [np.inf, 0.0]


def test_projected_places_are_on_the_surface_to_rounding() -> None:
    blob = fourteen_spheres()
    places = projected(blob, projected(blob, around(200, 0.8, 1.2), 0.1), 0.1)
    near = np.abs(blob.value(places)) < 1e-13
    assert near.mean() > 0.95
    assert distances_to_surface(*blob.gradient(places[near])).max() < 1e-12


def test_a_traced_step_gives_what_projection_gives_and_the_distance_before_it() -> None:
    places = around(30, 0.9, 1.1)
    ellipsoid = Quadrics.of([1.0, 2.0, 3.0, 0, 0, 0, 0, 0, 0, -1.0])
    found, gradients, off = traced_step(ellipsoid, places, np.full(30, 0.3), 3)
    assert np.allclose(found, projected(ellipsoid, places, 0.3, 3), rtol=0, atol=1e-15)
    before = projected(ellipsoid, places, 0.3, 2)
    assert np.allclose(gradients, ellipsoid.gradient(before)[1], rtol=0, atol=1e-14)
    assert np.allclose(off, distances_to_surface(*ellipsoid.gradient(before)), rtol=0, atol=1e-15)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_closest_points_of_a_blob_far_off_are_on_it_and_about_the_nearest(scale: float) -> None:
    blob = blobby_spheres(0.5, [[0.0, 0.0, 0.0]], [scale])
    radius = scale * np.sqrt(np.log(2.0))
    places = scale * around(40, 1.5, 2.5)
    found = closest_points(blob, places, 2.0 * radius, np.zeros((0, 3)))
    nearest = radius * places / np.linalg.norm(places, axis=1)[:, None]
    assert np.allclose(found, nearest, rtol=0, atol=1e-9 * scale)


def test_where_a_blob_fades_to_nothing_the_nearest_known_point_is_taken() -> None:
    blob = blobby_spheres(0.5, [[0.0, 0.0, 0.0]], [1.0])
    radius = np.sqrt(np.log(2.0))
    known = radius * np.vstack([np.eye(3), -np.eye(3)])
    assert np.array_equal(closest_points(blob, np.array([[0.0, 1e6, 0.0]]), 2.0, known), known[[1]])


def test_along_given_directions_an_acute_edge_is_not_left() -> None:
    """The edge of a lens: F_x of either side leads away from it, the mean of both does not."""
    lens = intersection([Spheres.of([[x, 0.0, 0.0]], 1.0) for x in (-0.9, 0.9)])
    rim = np.sqrt(1.0 - 0.9**2)
    found = projected_along(lens, np.array([[0.0, 1.3 * rim, 0.0]]), np.array([[0.0, 2.0, 0.0]]), np.ones(1))
    assert np.allclose(found, [[0.0, rim, 0.0]], rtol=0, atol=1e-12)


def test_along_a_direction_in_which_f_falls_nothing_moves() -> None:
    place = np.array([[1.2, 0.0, 0.0]])
    assert np.array_equal(projected_along(BALL, place, np.array([[-1.0, 0.0, 0.0]]), np.ones(1)), place)


def test_heights_on_lines_are_found_from_any_start_in_the_bracket() -> None:
    """Gaussians are flat far out: Newton's steps from there leave the bracket and are
    replaced by halvings.
    """
    blob = blobby_spheres(0.5, [[0.0, 0.0, 0.0]], [0.2])
    count = 25
    base, direction = np.zeros((count, 3)), around(count, 1.0, 1.0)
    base += 0.5 * direction
    height = bracketed_heights(blob, base, direction, np.full(count, 0.5), np.linspace(-0.5, 0.5, count))
    assert np.allclose(0.5 + height, 0.2 * np.sqrt(np.log(2.0)), rtol=0, atol=1e-12)


def test_crossings_are_just_inside_between_inside_and_outside() -> None:
    inner, outer = np.zeros((20, 3)), around(20, 1.2, 3.0)
    found = surface_crossings(BALL, inner, outer)
    assert (BALL.value(found) < 0.0).all()
    assert np.abs(BALL.value(found)).max() < 3.0 * 2.0**-16
    assert np.allclose(np.cross(found, outer), 0.0, atol=1e-12)
