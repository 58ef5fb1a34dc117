"""Bare patches, found from the floaters beside them."""

import numpy as np
import pytest

from physplace_addon.core.implicit import Floaters, FloaterSettings, blobby_cylinders
from physplace_addon.core.implicit.particles.coverage import filled_patches
from tests.core.implicit.even import crossings, uncovered
from tests.core.implicit.random_parts import REACH


@pytest.mark.parametrize("radius", [1.1, 1.3, 1.6, 2.0, 4.0])
def test_a_wire_is_filled_from_one_floater_at_its_very_end(radius: float) -> None:
    """There the surface bends away from the tangent plane: what is tried in it is taken back to where the
    floater itself covers it.
    """
    wire = blobby_cylinders(0.5, [[0.0, 0.0, 0.0]], [[20.0, 0.0, 0.0]], radius / REACH)
    settings = FloaterSettings(1.0)
    end = np.array([[-radius, 0.0, 0.0]])
    there = Floaters.at(end, settings.radius)
    slope = wire.gradient(end)[1]
    one = Floaters(there.positions, there.radii, slope, there.desired, there.ages)
    filled = filled_patches(wire, one, settings)
    points, area = crossings(wire, 0.4)
    assert uncovered(filled, points, area) * np.sqrt(2.0 * area / np.sqrt(27.0) / len(filled)) <= 1.8
    assert filled_patches(wire, filled, settings) is filled
