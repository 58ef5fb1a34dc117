"""Curves of smooth-shaded meshes: near to arcs of circles, with directions across them into their faces."""

import numpy as np
import pytest

from physplace_addon.core.surfaces.bernstein import bernstein
from physplace_addon.core.surfaces.smooth.network import arc_cubics, cross_boundary_directions


@pytest.mark.parametrize(("angle", "error"), [(np.pi / 8, 1e-6), (np.pi / 4, 1e-4), (np.pi / 2, 3e-3)])
def test_an_edge_of_a_circle_is_nearly_its_arc(angle: float, error: float) -> None:
    start, stop = np.array([[1.0, 0.0, 0.0]]), np.array([[np.cos(angle), np.sin(angle), 0.0]])
    leaving, coming = np.array([[0.0, 1.0, 0.0]]), np.array([[np.sin(angle), -np.cos(angle), 0.0]])
    control = arc_cubics(start, stop, leaving, coming)[0]
    points = bernstein(np.linspace(0.0, 1.0, 101), 0)[:, 0] @ control
    assert np.abs(np.linalg.norm(points, axis=1) - 1.0).max() < error


def test_a_straight_edge_is_run_through_evenly() -> None:
    start, stop = np.zeros((1, 3)), np.array([[3.0, 0.0, 0.0]])
    along = np.array([[1.0, 0.0, 0.0]])
    assert arc_cubics(start, stop, along, -along)[0, :, 0].tolist() == [0.0, 1.0, 2.0, 3.0]


def test_directions_across_an_edge_are_at_right_angles_to_it_and_to_the_normal(
    rng: np.random.Generator,
) -> None:
    control = rng.normal(size=(5, 4, 3))
    normal = np.cross(control[:, 1] - control[:, 0], rng.normal(size=(5, 3)))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    across = cross_boundary_directions(control, np.stack([normal, normal], axis=1))[:, 0]
    np.testing.assert_allclose(np.linalg.norm(across, axis=1), 1.0, atol=1e-14)
    np.testing.assert_allclose((across * normal).sum(axis=1), 0.0, atol=1e-14)
    chord = control[:, 1] - control[:, 0]
    np.testing.assert_allclose((across * chord).sum(axis=1), 0.0, atol=1e-13)
