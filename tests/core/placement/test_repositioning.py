"""By hand to a pose: what is in the way is met, however far from the centre of mass it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from physplace_addon.core.placement import Placement
from physplace_addon.core.rigid import Pose, quaternion_exponential
from tests.bodies_of_the_paper import box, sphere

LONG, THIN = 1.0, 0.01


def club() -> object:
    """A thin rod with all its weight at one end."""
    rod = box((LONG, THIN, THIN)).body
    return replace(rod, mass=replace(rod.mass, center=np.array([-LONG, 0.0, 0.0])))


def swung(degrees: float) -> Pose:
    """The rod's pose after a turn about its heavy end, which stands at the origin."""
    turn = Pose(quaternion_exponential([0.0, 0.0, np.radians(degrees)]), np.zeros(3))
    return turn.compose(Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.array([LONG, 0.0, 0.0])))


@pytest.mark.parametrize("at", [20.0, 50.0, 80.0])
def test_the_far_end_of_a_club_does_not_swing_through_a_small_ball(at):
    place = 1.99 * LONG * np.array([np.cos(np.radians(at)), np.sin(np.radians(at)), 0.0])
    ball = sphere(0.02).body.transformed(Pose(np.array([1.0, 0.0, 0.0, 0.0]), place).matrix4)
    placement = Placement(club(), swung(0.0), [ball])
    assert not placement.reposition(swung(90.0))
    assert placement.reposition(swung(at - 2.0))
