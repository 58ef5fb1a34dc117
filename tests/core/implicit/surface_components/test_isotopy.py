from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.implicit import ImplicitFunction, Spheres, blobby_spheres, union
from physplace_addon.core.implicit.surface_components.component_search import components_of
from physplace_addon.core.implicit.surface_components.isotopy import common_boxes
from physplace_addon.core.implicit.surface_components.subdivision import (
    BoxClass,
    ClassifiedBoxes,
    SearchLimits,
    subdivided,
)
from tests.core.implicit.random_parts import random_scene


def boxes_of(function: ImplicitFunction) -> ClassifiedBoxes:
    return subdivided(function, function.box(), SearchLimits())


def moved(function: ImplicitFunction, far: float, seed: int) -> ImplicitFunction:
    """The function with each parameter changed at random by what moves the surface about so far."""
    change = np.random.default_rng(seed).uniform(-far, far, len(function.parameters))
    return function.with_parameters(function.parameters + change * function.scales)


def blobby(*places: float, radius: float = 0.6) -> ImplicitFunction:
    return blobby_spheres(0.4, [[x, 0.1 * x, 0.0] for x in places], radius)


def rises(function: ImplicitFunction, places: np.ndarray, ways: np.ndarray) -> np.ndarray:
    """By differences, whether F rises along directions; it counts as rising where it has levelled off."""
    step = 1e-6 * ways
    return function.value(places + step) > function.value(places - step) - 1e-15


def test_common_boxes_fill_the_cube_and_their_classes_hold_for_both_functions() -> None:
    before, rng = blobby(0.0, 0.7, 1.5), np.random.default_rng(0)
    found = 0
    for seed in range(12):
        after, boxes = moved(before, 0.04, seed), boxes_of(before)
        common = common_boxes(before, after, boxes)
        if common is None:
            continue
        found += 1
        assert not common.which(BoxClass.UNDECIDED).any()
        assert np.sum(common.tree.sides**3) == pytest.approx(common.tree.size**3, rel=1e-12)
        for _ in range(20):
            shares = rng.random((len(common.kind), 3)) - 0.5
            places = common.tree.middles + shares * common.tree.sides[:, None]
            assert np.array_equal(common.tree.box_at(places), np.arange(len(places)))
            for function in (before, after):
                assert (function.value(places[common.which(BoxClass.INSIDE)]) < 0.0).all()
                assert (function.value(places[common.which(BoxClass.OUTSIDE)]) > 0.0).all()
                graph = common.which(BoxClass.GRAPH)
                assert rises(function, places[graph], common.direction[graph]).all()
    assert found >= 10


def test_a_small_change_of_a_surface_of_one_component_is_seen_to_keep_it() -> None:
    kept = 0
    for seed in range(40):
        before = random_scene(3 * seed + 2)[0]  # sums of Gaussians
        first = components_of(before)
        if len(first) != 1 or not first.proven:
            continue
        assert common_boxes(before, before, first.boxes) is not None
        kept += common_boxes(before, moved(before, 1e-3, seed), first.boxes) is not None
    assert kept >= 8


@pytest.mark.parametrize("sharp", [False, True], ids=["blobby", "sharp"])
def test_what_splits_or_merges_is_never_seen_as_kept(sharp: bool) -> None:
    """Two balls that come nearer, so that they meet between two of the places."""

    def balls(apart: float) -> ImplicitFunction:
        if sharp:
            return union([Spheres.of([[0.0, 0.0, 0.0]], 0.5), Spheres.of([[apart, 0.02, 0.03]], 0.5)])
        return blobby(0.0, apart)

    counted = [(own, components_of(own)) for own in map(balls, np.linspace(0.8, 1.6, 17))]
    assert {len(components) for _, components in counted} == {1, 2}
    kept = 0
    for one, components in counted:
        for other, others in counted:
            if not (components.proven and others.proven):
                continue
            common = common_boxes(one, other, components.boxes)
            if len(components) != len(others):
                assert common is None
            kept += common is not None and one is not other
    assert kept >= 10


def test_a_part_that_appears_out_of_nothing_is_not_overlooked() -> None:
    """The sum of two Gaussians at one place is 2 at most, that of the lone one is 1, less than the bias."""
    none = blobby_spheres(1.02, [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [2.0, 0.0, 0.0]], [0.6, 0.6, 0.2])
    there = none.with_parameters(np.concatenate([[0.98], none.parameters[1:]]))
    first = components_of(none)
    assert first.proven
    assert (len(first), len(components_of(there))) == (1, 2)
    assert common_boxes(none, there, first.boxes) is None


def test_a_surface_that_leaves_the_cube_is_not_seen_as_kept() -> None:
    before, boxes = blobby(0.0), boxes_of(blobby(0.0))
    assert common_boxes(before, blobby(0.02), boxes) is not None
    assert common_boxes(before, blobby(0.4), boxes) is None


def test_a_hole_that_opens_is_not_overlooked() -> None:
    """A ring of balls that closes: one component all along."""
    turn = np.linspace(0.0, 2.0 * np.pi, 9)[:-1]
    ring = np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=1)
    closed, open_ = blobby_spheres(0.3, ring, 0.5), blobby_spheres(0.3, ring[1:], 0.5)
    first, second = components_of(open_), components_of(closed)
    assert first.proven
    assert len(first) == len(second) == 1
    assert common_boxes(open_, closed, first.boxes) is None
    assert common_boxes(closed, open_, second.boxes) is None
