"""When an iteration on pairs of features gives one up."""

from __future__ import annotations

import numpy as np

from physplace_addon.core.contact.points.iteration import Progress


def rounds(share, size, most=18):
    """For how many rounds a pair goes on that is asked to move by sizes, and moves a share of them."""
    progress, place, still = Progress(1.0), np.zeros((1, 3)), np.zeros((1, 3))
    for count in range(most):
        if not progress.going(np.array([size(count)]), place.copy(), still)[0]:
            return count
        place[0, 0] += share * size(count)
    return most


def test_a_pair_that_stands_at_a_border_or_creeps_along_it_is_given_up():
    assert rounds(0.0, lambda _: 0.1) == 1
    assert rounds(0.3, lambda _: 0.1) == 4


def test_a_pair_that_does_as_it_should_or_comes_nearer_goes_on():
    assert rounds(1.0, lambda _: 0.1) == 18
    assert rounds(0.45, lambda count: 0.1 * 0.45**count) == 18
