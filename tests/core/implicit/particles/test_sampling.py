"""Adaptive sampling: from few floaters to an even cover, and what disturbs it."""

from dataclasses import replace
from typing import TypedDict, Unpack

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.errors import SamplingError
from physplace_addon.core.implicit import (
    Ellipsoids,
    Floaters,
    FloaterSettings,
    HalfSpaces,
    Sampling,
    Spheres,
    blobby_spheres,
    union,
)
from physplace_addon.core.implicit.functions.base import ImplicitFunction
from physplace_addon.core.implicit.functions.gaussians.blob import Blob
from tests.core.implicit.even import crossings, density, off, uncovered, variation
from tests.core.implicit.surfaces import blobby_cylinder, fourteen_spheres, torus

DT = 0.03


class Spacing(TypedDict, total=False):
    """Where spacing varies, and how many floaters there may be: see `FloaterSettings`."""

    turn: float
    focus: Floats
    focus_size: float
    focus_share: float
    bounds: Floats
    most: int


def lives(
    function: ImplicitFunction,
    radius: float,
    steps: int,
    seed: int = 0,
    start: Floats | None = None,
    **settings: Unpack[Spacing],
) -> list[Floaters]:
    """The floaters after each of so many steps on a still surface, at first the one given, or seeds."""
    sampling = Sampling(FloaterSettings(radius, **settings), np.random.default_rng(seed))
    floaters = sampling.first_floaters(function) if start is None else Floaters.at(start, radius)
    states = [floaters]
    for _ in range(steps):
        states.append(sampling.advance(states[-1], function))
    return states


@pytest.mark.parametrize(
    ("function", "radius"),
    [(blobby_cylinder(), 0.12), (torus(), 0.15), (fourteen_spheres(), 0.15)],
    ids=["cylinder", "torus", "fourteen spheres"],
)
def test_from_one_floater_a_surface_is_evenly_covered_and_then_left_alone(
    function: ImplicitFunction, radius: float
) -> None:
    points, area = crossings(function, 0.4 * radius)
    states = lives(function, radius, 600, start=points[:1])
    population = np.array([len(state) for state in states])
    assert population[0] == 1
    assert (
        states[1].radii.max() <= 4.0 * radius
    )  # who feels nobody does not grow to the surface's size at once
    assert population[45] >= 0.9 * population[-1]
    assert (population[60:] == population[60]).all()
    assert 0.32 <= density(states[-1], area, radius) <= 0.37
    for state in (states[100], states[-1]):
        assert variation(state) <= 0.05
        assert uncovered(state, points, area) <= 1.25
    assert off(function, states[100]) <= 1e-5


def test_a_cylinder_stretched_to_thrice_its_length_is_even_again_in_sixty_steps() -> None:
    """Figure 1."""
    radius, long = 0.13, blobby_cylinder(6.0)
    before = blobby_cylinder(2.0)
    stretch = (long.parameters - before.parameters) / 8.0
    sampling = Sampling(FloaterSettings(radius), np.random.default_rng(1))
    floaters = lives(before, radius, 80)[-1]
    for _ in range(8):
        after = before.with_parameters(before.parameters + stretch)
        floaters = sampling.advance(floaters, before, stretch / DT, after)
        before = after
        assert off(after, floaters) <= 0.2
    points, area = crossings(long, 0.4 * radius)
    assert uncovered(floaters, points, area) > 2.0
    for _ in range(60):
        floaters = sampling.advance(floaters, before)
        assert off(before, floaters) <= 0.2
    assert variation(floaters) <= 0.05
    assert uncovered(floaters, points, area) <= 1.25
    assert 0.32 <= density(floaters, area, radius) <= 0.37
    assert off(before, floaters) <= 1e-5


@pytest.mark.parametrize("rise", [0.0, 1.0], ids=["straight", "bouncing"])
def test_floaters_of_a_ball_that_passes_another_stay_on_theirs(rise: float) -> None:
    """A step goes a radius far, and the other ball is a third of one away: as a ball bounces off, those that
    it leaves behind are nearer to the other one.

    Ages that are a thousand apart tell the floaters from each other, whatever becomes of their order.
    """
    radius, apart = 0.06, 1000

    def balls(place: float) -> ImplicitFunction:
        passing = [place, 0.82 + rise * abs(place), 0.0]
        return union([Spheres.of([[0.0, 0.0, 0.0]], 0.4), Spheres.of([passing], 0.4)])

    places = np.arange(-15.0, 16.0) * radius / np.hypot(1.0, rise)
    before, sampling = balls(places[0]), Sampling(FloaterSettings(radius), np.random.default_rng(3))
    floaters = sampling.first_floaters(before)
    for _ in range(70):
        floaters = sampling.advance(floaters, before)
    for place in places[1:]:
        floaters = replace(floaters, ages=apart * np.arange(1, len(floaters) + 1))
        on_first = floaters.positions[:, 1] < 0.41
        after = balls(place)
        rate = (after.parameters - before.parameters) / DT
        floaters, before = sampling.advance(floaters, before, rate, after), after
        assert off(after, floaters) <= 0.1
        own = floaters.ages // apart - 1  # -1 for those that came in this step, and for their parents
        known = own >= 0
        assert np.count_nonzero(known) > 0.5 * len(on_first)
        np.testing.assert_array_equal(floaters.positions[known, 1] < 0.41, on_first[own[known]])


@pytest.mark.parametrize(("scale", "place"), [(1e-3, 0.0), (1e3, 0.0), (1.0, 1e4)])
def test_floaters_live_alike_at_any_scale_and_far_from_the_origin(scale: float, place: float) -> None:
    def three(scale: float, place: float) -> Blob:
        centres = np.array([[0.0, 0.0, 0.0], [0.6, 0.0, 0.0], [0.0, 0.7, 0.2]])
        return blobby_spheres(0.5, scale * centres + place, scale * np.array([0.6, 0.5, 0.4]))

    here = lives(three(1.0, 0.0), 0.15, 50)
    there = lives(three(scale, place), scale * 0.15, 50)
    assert [len(state) for state in there] == [len(state) for state in here]
    moved = (there[-1].positions - place) / scale
    assert np.allclose(moved, here[-1].positions, rtol=0.0, atol=1e-3 * 0.15)


@pytest.mark.parametrize("apart", [0.7, 0.8, 0.9])
def test_floaters_do_not_gather_at_the_bottom_of_a_groove(apart: float) -> None:
    """Balls of radius .5 meet in a groove that is 91, 74 and 52 degrees open."""
    radius, half = 0.05, 0.5 * apart
    balls = union([Spheres.of([[side * half, 0.0, 0.0]], 0.5) for side in (-1.0, 1.0)])
    before, floaters = lives(balls, radius, 100)[-2:]
    assert 0.32 <= density(floaters, 4.0 * np.pi * 0.5 * (0.5 + half), radius) <= 0.37
    assert np.linalg.norm(floaters.positions - before.positions, axis=1).max() <= 0.06 * radius
    assert at_the_bottom(floaters, half, 0.1 * radius, radius) <= 0.35
    assert 0.25 <= at_the_bottom(floaters, half, radius, radius) <= 0.45


def at_the_bottom(floaters: Floaters, half: float, wide: float, radius: float) -> float:
    """The density in bands beside the groove of two balls of radius .5 with centres +-half on the x axis."""
    turn = np.arccos(np.clip((np.abs(floaters.positions[:, 0]) - half) / 0.5, -1.0, 1.0))
    climbed = 0.5 * (np.pi - np.arccos(half / 0.5) - turn)
    length = 2.0 * 2.0 * np.pi * np.sqrt(0.25 - half * half)  # of both sides
    return float(np.count_nonzero(climbed < wide) * radius**2 / (length * wide))


@pytest.mark.parametrize("apart", [0.8, 0.9])
def test_floaters_do_not_gather_in_a_groove_while_it_is_dragged(apart: float) -> None:
    """By the straight way there were 1.1 to 1.7 beside the bottom, five times too many."""
    radius, sampling = 0.05, Sampling(FloaterSettings(0.05), np.random.default_rng(0))

    def balls(half: float) -> ImplicitFunction:
        return union([Spheres.of([[side * half, 0.0, 0.0]], 0.5) for side in (-1.0, 1.0)])

    before = balls(0.5 * apart)
    floaters = sampling.first_floaters(before)
    for _ in range(100):
        floaters = sampling.advance(floaters, before)
    for turn in 2.0 * np.pi * np.arange(240) / 120.0:
        half = 0.5 * apart + 0.01 * np.sin(turn)
        after = balls(half)
        rate = (after.parameters - before.parameters) / DT
        floaters, before = sampling.advance(floaters, before, rate, after), after
    assert at_the_bottom(floaters, half, 0.3 * radius, radius) <= 0.5
    assert 0.25 <= at_the_bottom(floaters, half, radius, radius) <= 0.5


def test_the_same_seed_lives_the_same_life() -> None:
    one, other = (lives(fourteen_spheres(), 0.25, 40)[-1] for _ in range(2))
    assert np.array_equal(one.positions, other.positions)


def test_a_few_floaters_on_a_small_ball_do_not_sit_still() -> None:
    """Two at its ends feel too little of each other to split by the paper's rule, once radii are cut."""
    ball = blobby_spheres(0.5, [[0.0, 0.0, 0.0]], 0.6)
    reach = ball.box()[1, 0]
    population = [
        len(state) for state in lives(ball, 0.1, 40, start=np.array([[reach, 0, 0], [-reach, 0, 0]]))
    ]
    assert population[-1] > 50


def test_a_ball_smaller_than_a_floaters_share_of_the_area_keeps_a_few() -> None:
    ball = blobby_spheres(0.5, [[0.0, 0.0, 0.0]], 0.1)
    population = [len(state) for state in lives(ball, 0.3, 200)]
    assert len(set(population[60:])) == 1
    assert 1 <= population[-1] <= 8


def test_a_ball_that_shrinks_under_its_crowd_keeps_some_floaters() -> None:
    ball = blobby_spheres(0.5, [[0.0, 0.0, 0.0]], 1.0)
    floaters = lives(ball, 0.1, 50)[-1]
    sampling = Sampling(FloaterSettings(0.1), np.random.default_rng(0))
    small = blobby_spheres(0.5, [[0.0, 0.0, 0.0]], 0.25)
    population = []
    for _ in range(80):
        floaters = sampling.advance(floaters, ball, None, small)
        ball = small
        population.append(len(floaters))
    assert min(population) >= 4
    assert density(floaters, crossings(small, 0.03)[1], 0.1) < 0.5


def test_radii_follow_curvature_and_attention() -> None:
    function = blobby_cylinder(3.0)
    bent = lives(function, 0.3, 60, turn=0.25)[-1]
    across = function.box()[1, 2]  # the radius of the cylinder: the normal turns by 1 / across over a length
    assert np.allclose(bent.desired[np.abs(bent.positions[:, 0]) < 1.0], 0.25 * across, rtol=1e-2)
    place = np.array([[1.5, 0.0, across]])
    states = lives(function, 0.2, 160, focus=place, focus_size=1.0, focus_share=0.4)
    seen = states[-1]
    near = np.linalg.norm(seen.positions - place, axis=1) < 0.3
    assert seen.radii[near].mean() < 0.6 * seen.radii[seen.positions[:, 0] < 0.0].mean()
    assert len({len(state) for state in states[100:]}) == 1  # no stream from fine to coarse


def test_an_infinite_surface_is_sampled_within_bounds() -> None:
    floor = HalfSpaces.of([[0.0, 0.0, 1.0]], [[0.0, 0.0, 0.0]])
    with pytest.raises(SamplingError, match="surface: it is infinite; give bounds"):
        lives(floor, 0.2, 1)
    box = np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]])
    covered = lives(floor, 0.2, 80, bounds=box)[-1]
    assert 30 < len(covered) < 60  # 34.5 by its area, and those on its rim stand for half their area
    assert np.abs(covered.positions).max() <= 1.0 + 1e-9


def test_a_disc_as_thin_as_paper_is_not_left_over_its_rim() -> None:
    population = [len(state) for state in lives(Ellipsoids.of([0, 0, 0], [1.0, 1.0, 1e-5]), 0.15, 60)]
    assert 50 < population[-1] < 300  # 100 by its area, and Newton's steps see some surface beyond its rim


def test_of_two_floaters_at_one_place_one_goes_and_the_other_spreads() -> None:
    states = lives(
        blobby_spheres(0.5, [[0.0, 0.0, 0.0]], 0.6), 0.1, 60, start=np.array([[0.5, 0, 0], [0.5, 0, 0]])
    )
    assert min(len(state) for state in states) == 1
    assert min(state.radii.min() for state in states) >= 0.02 * 0.1
    assert len(states[-1]) > 80


def test_there_are_no_more_floaters_than_asked_for() -> None:
    population = [len(state) for state in lives(blobby_cylinder(), 0.05, 60, most=500)]
    assert max(population) == 500
