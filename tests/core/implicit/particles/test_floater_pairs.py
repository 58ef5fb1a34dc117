"""Pairs of floaters across a groove: the way between them leads around its bottom."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.implicit.particles.floater_pairs import across_grooves, unfolded
from physplace_addon.core.implicit.particles.floaters import Floaters
from physplace_addon.core.implicit.particles.repulsion import repulsion
from physplace_addon.core.implicit.particles.verlet_list import VerletList, facing_pairs
from tests.core.implicit.particles.scattered_floaters import ALPHA


def on_sides(opening: float, up: Floats, along: Floats, side: Floats) -> tuple[Floats, Floats]:
    """Places (n, 3) so far up the two sides (-1, 1) of a groove along y, and the normals there."""
    half = 0.5 * np.radians(opening)
    out = np.stack([side * np.sin(half), 0.0 * up, 0.0 * up + np.cos(half)], axis=1)
    normals = np.stack([-side * np.cos(half), 0.0 * up, 0.0 * up + np.sin(half)], axis=1)
    return up[:, None] * out + along[:, None] * np.array([0.0, 1.0, 0.0]), normals


@pytest.mark.parametrize("opening", [50.0, 80.0, 90.0, 110.0])
def test_a_way_across_a_groove_is_as_long_as_on_paper(opening: float) -> None:
    draw = np.random.default_rng(3)
    up, along = draw.uniform(0.0, 2.0, (2, 40)), draw.uniform(-1.0, 1.0, (2, 40))
    left, right = (on_sides(opening, up[k], along[k], np.full(40, 2.0 * k - 1.0)) for k in (0, 1))
    apart = (left[0] - right[0]).T
    assert across_grooves(apart, left[1].T, right[1].T)[0].all()
    way = unfolded(apart, left[1].T, right[1].T)
    assert np.allclose(np.linalg.norm(way, axis=0), np.hypot(up[0] + up[1], along[0] - along[1]), rtol=1e-12)
    assert np.allclose(np.einsum("in,ni->n", way, left[1]), 0.0, atol=1e-12)
    uphill = on_sides(opening, np.ones(40), np.zeros(40), np.full(40, -1.0))[0]
    assert np.allclose(np.einsum("in,ni->n", way, uphill), up[0] + up[1], rtol=1e-12)


def test_neither_a_ridge_nor_the_two_faces_of_a_sheet_are_grooves() -> None:
    left, right = (on_sides(80.0, np.ones(1), np.zeros(1), np.array([side])) for side in (-1.0, 1.0))
    apart = (left[0] - right[0]).T
    assert not across_grooves(apart, -left[1].T, -right[1].T)[0].any()
    up = np.array([[0.0], [0.0], [1.0]])
    assert not across_grooves(np.array([[0.3], [0.0], [0.1]]), up, -up)[0].any()


@pytest.mark.parametrize("settled", [False, True])
def test_floaters_of_a_groove_are_driven_as_if_it_were_flat(settled: bool) -> None:
    draw, opening = np.random.default_rng(5), 80.0
    up, along, side = draw.uniform(0.0, 3.0, 60), draw.uniform(-3.0, 3.0, 60), draw.choice([-1.0, 1.0], 60)
    radii = draw.uniform(0.9, 1.1, 60)
    force = radii.copy() if settled else radii
    both = np.triu_indices(60, 1)

    def felt(opening: float) -> tuple[Floats, Floats, Floats, Floats]:
        places, normals = on_sides(opening, up, along, side)
        pairs = facing_pairs(places, normals, *both)
        found = repulsion(places, radii, force, pairs, ALPHA, normals=normals)
        out = on_sides(opening, np.ones(60), 0.0 * along, side)[0]
        climbing = np.einsum("ni,ni->n", found.desired_velocity, out)
        return climbing, found.desired_velocity[:, 1], found.energy, found.stiffness

    for own, flat in zip(felt(opening), felt(180.0), strict=True):
        assert np.allclose(own, flat, rtol=1e-9, atol=1e-9)


def test_kept_pairs_across_a_groove_go_with_births_and_deaths() -> None:
    """A list that was renewed in part has the same pairs across the groove as one that is made anew."""
    draw, kept = np.random.default_rng(6), VerletList()
    count, opening = 1500, 80.0
    up, along = draw.uniform(0.0, 12.0, count), draw.uniform(-30.0, 30.0, count)
    places, normals = on_sides(opening, up, along, draw.choice([-1.0, 1.0], count))
    floaters = Floaters(places, np.ones(count), normals, np.ones(count), np.zeros(count, dtype=np.intp))
    for _ in range(4):
        kept.of(floaters, floaters.radii)
        dead = draw.random(len(floaters)) < 0.02
        kept.without(dead)
        floaters = floaters.without(dead).with_more(floaters.take(np.arange(10)))
        own, anew = (each.of(floaters, floaters.radii).folded for each in (kept, VerletList()))
        assert own is not None
        assert anew is not None
        found, expected = (
            {(min(pair), max(pair)) for pair in zip(each.first.tolist(), each.second.tolist(), strict=True)}
            for each in (own, anew)
        )
        assert expected
        assert found == expected


def test_a_way_between_sides_that_have_become_opposite_is_a_number() -> None:
    """Pairs are kept while each normal turns by less than 26 degrees."""
    normals = np.array([[1.0], [0.0], [0.0]])
    apart = np.array([[0.1], [0.2], [0.0]])
    assert np.isfinite(unfolded(apart, normals, -normals)).all()
