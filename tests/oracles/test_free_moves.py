"""The judges of polyhedra at rest see what is wrong, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles.arrays import Floats
from tests.oracles.frames import random_rotation
from tests.oracles.free_moves import Resting, greatest_fall, small_motions
from tests.oracles.soups import Soup, deepest_crossing

R = 0.5 * 3.0**0.5


def cube(middle: tuple[float, float, float]) -> Floats:
    """The twelve triangles of a cube of side 1."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners[[three for a, b, c, d in faces for three in ((a, b, c), (a, c, d))]] + middle


def square(half: float, height: float = 0.0) -> Floats:
    """A level square, cut along a diagonal."""
    a, b, c, d = half * np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]])
    corners: Floats = np.array([[a, b, c], [a, c, d]])
    corners[..., 2] = height
    return corners


def fall_of(body: Floats, world: Floats, centre: tuple[float, float, float]) -> float:
    at = Resting(Soup.of(body), Soup.of(world), np.array(centre), R)
    return greatest_fall(at, small_motions(np.random.default_rng(1), 300))


@pytest.mark.parametrize("depth", [1e-10, 1e-7, 1e-3])
def test_a_cube_sunk_into_a_table_is_as_deep_as_it_is_sunk(depth: float) -> None:
    sunk = Soup.of(cube((0.1, 0.0, 0.5 - depth)))
    assert deepest_crossing(sunk, Soup.of(square(3.0))) == pytest.approx(depth, rel=1e-5)


def test_a_corner_sunk_exactly_where_two_triangles_of_a_table_meet_is_seen() -> None:
    tilt = np.linalg.qr(np.array([[1.0, 1.0, 1.0], [1.0, -1.0, 0.0], [0.0, 0.0, 1.0]]).T)[0].T[[1, 2, 0]]
    on_tip = cube((0.0, 0.0, 0.0)) @ tilt.T
    on_tip += [0.0, 0.0, 1e-3 - on_tip[..., 2].min() - 2e-3]
    assert deepest_crossing(Soup.of(on_tip), Soup.of(square(3.0))) == pytest.approx(1e-3, rel=1e-3)


def test_what_only_touches_cuts_nothing_in_any_attitude() -> None:
    random = np.random.default_rng(2)
    for _ in range(20):
        turned = cube((0.0, 0.0, 0.0)) @ random_rotation(random).T
        turned -= [0.0, 0.0, turned[..., 2].min()]
        assert deepest_crossing(Soup.of(turned), Soup.of(square(3.0))) < 1e-14


@pytest.mark.parametrize(("beyond", "falls"), [(-0.01, False), (0.01, True)])
def test_a_cube_falls_if_its_centre_is_beyond_the_border_of_a_table(beyond: float, falls: bool) -> None:
    centre = (1.0 + beyond, 0.0, 0.5)
    assert (fall_of(cube(centre), square(1.0), centre) > 1e-3) is falls


def test_a_cube_just_beside_its_balance_on_an_edge_falls() -> None:
    edge = np.array([[np.cos(0.8), 0.0, np.sin(0.8)], [0.0, 1.0, 0.0], [-np.sin(0.8), 0.0, np.cos(0.8)]])
    tipped = cube((0.0, 0.0, 0.0)) @ edge.T
    tipped -= [0.0, 0.0, tipped[..., 2].min()]
    assert fall_of(tipped, square(3.0), (0.0, 0.0, float(tipped[..., 2].mean()))) > 1e-3


def test_nothing_falls_through_a_sheet_or_rises_through_one() -> None:
    centre = (0.0, 0.0, 0.5)
    under = np.concatenate([square(3.0), square(3.0, -1e-3), square(3.0, 1.0 + 1e-5)])
    assert fall_of(cube(centre), under, centre) <= 0.0
