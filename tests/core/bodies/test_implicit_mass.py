"""The mass inside patches of implicit surfaces: exact for whole ones, and counted once where they overlap."""

import numpy as np
import pytest

from physplace_addon.core.bodies.implicit_mass import solid_mass
from physplace_addon.core.bodies.implicit_solid import blob_body
from tests.core.bodies.blob_bodies import RADIUS, ball_of, lump, patches_of


def test_a_ball_has_its_volume_centre_and_inertia_per_mass() -> None:
    mass = solid_mass([patches_of(blob_body(ball_of(2.0, (1.0, -2.0, 0.5)), "ball", tolerance=0.05))])
    radius = 2.0 * RADIUS
    volume = 4.0 / 3.0 * np.pi * radius**3
    assert mass.volume == pytest.approx(volume, rel=1e-9)
    assert mass.center == pytest.approx([2.0, -4.0, 1.0], abs=1e-9)
    assert mass.inertia == pytest.approx(0.4 * radius**2 * np.eye(3), rel=1e-8, abs=1e-8)


def test_the_mass_of_a_lump_is_that_of_points_in_its_box_that_are_inside() -> None:
    body = lump()
    function = patches_of(body).function
    low, high = function.box()
    places = np.random.default_rng(0).uniform(low, high, (400_000, 3))
    inside = function.value(places) < 0.0
    mass = solid_mass([patches_of(body)])
    assert mass.volume == pytest.approx(inside.mean() * np.prod(high - low), rel=1e-2)
    assert mass.center == pytest.approx(places[inside].mean(axis=0), abs=1e-2)


def test_what_is_in_two_overlapping_balls_counts_once() -> None:
    """Each of two overlapping balls loses its cap of height h in the other."""
    parts = [patches_of(blob_body(ball_of(1.0, (x, 0.0, 0.0)), "ball", tolerance=0.02)) for x in (-0.3, 0.3)]
    cap = RADIUS - 0.3
    volume = 2.0 * (4.0 / 3.0 * np.pi * RADIUS**3 - np.pi * cap**2 * (3.0 * RADIUS - cap) / 3.0)
    assert solid_mass(parts).volume == pytest.approx(volume, rel=3e-4)
