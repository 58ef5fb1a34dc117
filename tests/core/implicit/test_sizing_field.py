"""The sizing field: the greatest curvature, and radii that follow it and a focus."""

import numpy as np
import pytest

from physplace_addon.core.implicit import FloaterSettings, Quadrics, Spheres
from physplace_addon.core.implicit.sizing_field import desired_repulsion_radii, greatest_curvature
from tests.core.implicit.surfaces import torus


@pytest.mark.parametrize("radius", [1e-3, 1.0, 50.0])
def test_a_sphere_is_curved_by_one_over_its_radius(radius: float) -> None:
    places = radius * np.eye(3)
    curvature = greatest_curvature(Spheres.of([[0.0, 0.0, 0.0]], radius), places)
    assert np.allclose(curvature * radius, 1.0, rtol=0, atol=1e-12)


def test_of_two_principal_curvatures_the_greater_counts_whatever_its_sign() -> None:
    """A torus of radii 1 and 0.4: 1 / 0.4 by the tube, -1 / 0.6 about the hole."""
    places = np.array([[0.6, 0.0, 0.0], [1.4, 0.0, 0.0]])
    assert np.allclose(greatest_curvature(torus(1.0, 0.4), places), 2.5, rtol=0, atol=1e-9)
    assert np.allclose(greatest_curvature(torus(1.0, 0.7), np.array([[0.3, 0.0, 0.0]])), 1.0 / 0.3)


def test_a_plane_is_not_curved_and_a_place_without_gradient_infinitely() -> None:
    plane = Quadrics.of([0, 0, 0, 0, 0, 0, 0, 0, 1.0, 0.0])
    assert not greatest_curvature(plane, np.ones((2, 3))).any()
    ball = Quadrics.of([1.0, 1.0, 1.0, 0, 0, 0, 0, 0, 0, -1.0])
    assert np.isinf(greatest_curvature(ball, np.zeros((1, 3)))).all()


def test_radii_are_the_artists_but_where_the_normal_turns_too_far() -> None:
    ball, places = Spheres.of([[0.0, 0.0, 0.0]], 0.5), 0.5 * np.eye(3)
    assert np.allclose(desired_repulsion_radii(ball, places, FloaterSettings(0.2)), 0.2)
    assert np.allclose(desired_repulsion_radii(ball, places, FloaterSettings(0.2, turn=0.2)), 0.1)
    assert np.allclose(desired_repulsion_radii(ball, places, FloaterSettings(0.2, turn=1e-3)), 0.25 * 0.2)


def test_radii_shrink_smoothly_towards_a_focus() -> None:
    ball = Spheres.of([[0.0, 0.0, 0.0]], 1.0)
    settings = FloaterSettings(0.2, focus=np.array([[1.0, 0.0, 0.0]]), focus_size=1.0, focus_share=0.4)
    angle = np.linspace(0.0, np.pi, 50)
    places = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    radii = desired_repulsion_radii(ball, places, settings)
    assert radii[0] == pytest.approx(0.08)
    assert np.allclose(radii[np.linalg.norm(places - places[0], axis=1) >= 1.0], 0.2)
    assert (np.diff(radii) >= -1e-15).all()
