"""Triangles of one body that cut through each other or lie on each other: oracles try every pair."""

from collections.abc import Callable

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.collision import build_tree
from physplace_addon.core.collision.self_intersection import self_crossings, self_overlays
from tests.core.collision.soups import hostile_soup, random_soup, sphere
from tests.oracles.triangles import crossings


@pytest.mark.parametrize("soup", [random_soup, hostile_soup])
def test_every_pair_that_cuts_is_found_once(rng: np.random.Generator, soup: Callable[..., Floats]) -> None:
    triangles = soup(rng, 300)
    expected = np.unique(np.sort(crossings(triangles, triangles, 1e-9), axis=1), axis=0)
    found = self_crossings(build_tree(triangles), 1e-9)
    assert len(found) > 20
    assert np.array_equal(found, expected)


def test_neighbours_do_not_cut_each_other(rng: np.random.Generator) -> None:
    ball = sphere(24, 12) + 1e-9 * rng.normal(size=3)
    assert len(self_crossings(build_tree(ball), 1e-12)) == 0


def common_area(first: Floats, second: Floats) -> float:
    """The area that two triangles (3, 2) have in common: the one cut off along each side of the other."""
    left = list(first if np.linalg.det([first[1] - first[0], first[2] - first[0]]) > 0 else first[::-1])
    cutter = second if np.linalg.det([second[1] - second[0], second[2] - second[0]]) > 0 else second[::-1]
    for a, b in zip(cutter, np.roll(cutter, -1, axis=0), strict=True):
        heights = [np.linalg.det([b - a, p - a]) for p in left]
        cut = []
        for i, (p, h) in enumerate(zip(left, heights, strict=True)):
            before, height = left[i - 1], heights[i - 1]
            if h * height < 0.0:
                cut.append(before + height / (height - h) * (p - before))
            if h >= 0.0:
                cut.append(p)
        left = cut
    return float(
        0.5 * abs(sum(np.linalg.det([p, q]) for p, q in zip(left, [*left[1:], *left[:1]], strict=True)))
    )


def test_every_pair_that_lies_on_each_other_is_found_once(rng: np.random.Generator) -> None:
    """Triangles of a lattice, in a few planes that meet: many only share a corner or part of a side."""
    flat = rng.integers(0, 8, size=(150, 3, 2)).astype(float)
    flat = flat[np.abs(np.linalg.det(flat[:, 1:] - flat[:, :1])) > 0.5]
    plane = rng.integers(3, size=len(flat))
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    height = np.array([0.0, 0.0, 1e-3])[plane]
    soup = np.dstack([flat[..., 0], flat[..., 1], np.broadcast_to(height[:, None], flat.shape[:2])])
    soup[plane == 1] = soup[plane == 1][..., [0, 2, 1]]
    expected = [
        (i, j)
        for i in range(len(flat))
        for j in range(i + 1, len(flat))
        if plane[i] == plane[j] and common_area(flat[i], flat[j]) > 1e-9
    ]
    assert len(expected) > 200
    assert np.array_equal(self_overlays(build_tree(soup @ turn.T), 1e-9), expected)
