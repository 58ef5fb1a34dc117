"""Triangles of one body that cut through each other, against an oracle that tries every pair."""

import numpy as np
import pytest

from physplace_addon.core.collision import build
from physplace_addon.core.collision.self_crossing import self_crossings
from tests.core.collision.soups import hostile_soup, random_soup, sphere
from tests.oracles.triangles import crossings


@pytest.mark.parametrize("soup", [random_soup, hostile_soup])
def test_every_pair_that_cuts_is_found_once(rng, soup):
    triangles = soup(rng, 300)
    expected = np.unique(np.sort(crossings(triangles, triangles, 1e-9), axis=1), axis=0)
    found = self_crossings(build(triangles), 1e-9)
    assert len(found) > 20
    assert np.array_equal(found, expected)


def test_neighbours_do_not_cut_each_other(rng):
    ball = sphere(24, 12) + 1e-9 * rng.normal(size=3)
    assert len(self_crossings(build(ball), 1e-12)) == 0
