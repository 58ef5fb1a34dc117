"""A corner that stands on the border of a face may slide off it: what rests on it is not at rest."""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.placement import Placement, Status
from tests.core.placement.household import BOTTLE, PAN, ends_of, lathe, placed, single, start
from tests.oracles.free_moves import Resting, greatest_fall, small_motions
from tests.oracles.soups import Soup

MOST = 1e-3  # fall of a rest, over the size of the motion


def fall(placement: Placement, count: int = 100) -> float:
    """The greatest fall, over its size, that a small random motion of the last state gives."""
    body = placement.setup.bodies[0]
    world = np.concatenate([other.triangles for other in placement.setup.world])
    centre = placement.state.pose.points(body.mass.center)
    at = Resting(Soup.of(ends_of(placement)), Soup.of(world), centre, body.radius)
    return greatest_fall(at, small_motions(np.random.default_rng(4), count))


@pytest.mark.parametrize("seed", [0, 2])
def test_a_bottle_slides_off_the_rim_of_a_pan(seed: int) -> None:
    """A foot of it came to the border of a face of the rim, and seemed to be held there."""
    bottle, pan = single(lathe(BOTTLE, 16), "bottle"), single(lathe(PAN, 24), "pan")
    placement = placed(bottle, start([seed, 6, 3], 1.6), pan)
    assert placement.status is Status.BALANCED
    assert fall(placement) < MOST
