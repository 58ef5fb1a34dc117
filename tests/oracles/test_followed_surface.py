"""Surfaces that are followed from given places, against what is known of balls and rings."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.arrays import Floats
from tests.oracles.followed_surface import followed_surface


def ring_and_ball(x: Floats) -> Floats:
    """A ring of radius 1 as thin as a wire of radius .01, and a ball of radius .2 in its middle."""
    ring = np.hypot(np.hypot(x[:, 0], x[:, 1]) - 1.0, x[:, 2]) - 0.01
    return np.asarray(np.minimum(ring, np.linalg.norm(x, axis=1) - 0.2))


def test_a_thin_ring_is_followed_all_around_and_the_ball_only_if_a_place_is_on_it() -> None:
    start = np.array([[1.01, 0.0, 0.0]])
    coarse, ring = (followed_surface(ring_and_ball, start, step) for step in (0.005, 0.0025))
    assert (ring.components, ring.euler_characteristic) == (1, 0)
    assert (4.0 * ring.area - coarse.area) / 3.0 == pytest.approx(4.0 * np.pi**2 * 0.01, rel=0.005)
    both = followed_surface(ring_and_ball, np.array([[1.01, 0.0, 0.0], [0.0, 0.2, 0.0]]), 0.005)
    assert (both.components, both.euler_characteristic) == (2, 2)
    assert both.area - coarse.area == pytest.approx(4.0 * np.pi * 0.2**2, rel=0.005)
