"""Bodies drawn home: the slope is that of what is to be least, nothing overlaps on the way, and it ends where
contacts hold what is left of the pull.
"""

from __future__ import annotations

import numpy as np
import pytest

from physplace_addon.core.bodies import Body
from physplace_addon.core.contact.system import RETURN_CLEARANCE, ContactSystem
from physplace_addon.core.placement.depenetration.least_motion import (
    LeastMotion,
    cleared,
    least_displacement,
    least_motion_from,
)
from physplace_addon.core.placement.state import State
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import sphere
from tests.core.contact.body_pairs import body, pose

BALL = sphere(1.0, resolution=(24, 13)).body


def drawn(
    active: Body, start: Pose, end: Pose, world: list[Body], clearance: float = RETURN_CLEARANCE
) -> tuple[State, LeastMotion]:
    """One body drawn from `end` to `start`, as far as a world lets it; and its home."""
    home = LeastMotion((start,), clearance)
    clear = cleared(ContactSystem.of([active], [end], world), 1e-9)
    assert clear is not None
    return least_motion_from(clear, home), home


def test_the_pull_is_the_slope_of_half_the_square_of_the_displacement(rng: np.random.Generator) -> None:
    bodies, starts = [body("cube"), BALL], (pose((0.3, 0.2, 0.1)), pose((0.0, -0.4, 0.3), (1.0, 2.0, 0.5)))
    home = LeastMotion(starts)
    system = ContactSystem.of(bodies, starts, []).displaced(0.4 * rng.normal(size=12))
    pull, step = home.pull(system), 1e-6
    for i in range(12):
        x = step * np.eye(12)[i]
        change = home.energy(system.displaced(x)) - home.energy(system.displaced(-x))
        assert abs(pull[i] + 0.5 * change / step) < 1e-8


def test_a_body_that_is_not_moved_is_not_displaced_by_rounding() -> None:
    start = pose((0.3, 0.2, 0.1), (0.1, 0.2, 0.3))
    assert (LeastMotion((start,)).displacement(ContactSystem.of([BALL], [start], [])) == 0.0).all()


def test_with_nothing_in_the_way_a_body_comes_home() -> None:
    end, home = drawn(
        body("cube"), pose(at=(0.0, 0.0, 0.6)), pose((0.5, -0.3, 0.2), (0.3, 0.4, 2.0)), [body("slab")]
    )
    assert np.abs(home.displacement(end.system)).max() < 1e-7


@pytest.mark.parametrize("clearance", [RETURN_CLEARANCE, 0.02])
def test_over_a_floor_a_ball_comes_to_stand_over_its_home_with_the_clearance_asked_for(
    clearance: float,
) -> None:
    start = pose(at=(0.2, 0.3, 0.4))
    end, home = drawn(BALL, start, pose(at=(0.9, -0.2, 1.4)), [body("slab")], clearance)
    place = end.system.poses[0].translation
    assert np.abs(place[:2] - [0.2, 0.3]).max() < 1e-6
    assert abs(place[2] - 1.0 - clearance) < 1e-3 * clearance + 1e-8
    assert home.unbalanced(end) < 1e-6


def test_a_body_that_nothing_holds_is_not_where_it_should_be() -> None:
    start, end = pose(at=(0.0, 0.0, 0.4)), pose(at=(0.0, 0.0, 1.5))
    home = LeastMotion((start,))
    clear = cleared(ContactSystem.of([BALL], [end], [body("slab")]), 1e-9)
    assert clear is not None
    untouched = least_motion_from(clear, LeastMotion((end,)))
    assert home.unbalanced(untouched) == 1.0


def test_what_cannot_become_the_least_is_given_up() -> None:
    start, end = pose(at=(0.0, 0.0, -3.0)), pose(at=(3.0, 0.5, 1.2))
    clear = cleared(ContactSystem.of([BALL], [end], [body("slab")]), 1e-9)
    assert clear is not None
    home = LeastMotion((start,))
    assert home.size(least_motion_from(clear, home, 0.5)) > home.size(least_motion_from(clear, home)) + 0.1


@pytest.mark.parametrize("depth", [1e-4, 0.01, 0.05])
def test_a_shallow_overlap_is_lifted_by_its_depth(depth: float) -> None:
    start = pose(at=(0.1, 0.2, 0.5 - depth))
    found = least_displacement(
        ContactSystem.of([body("cube")], [start], [body("slab")]), LeastMotion((start,)), 0.1
    )
    assert found is not None
    moved = found[0].poses[0].translation - start.translation
    assert np.abs(moved - [0.0, 0.0, depth]).max() < 1e-6


def test_an_overlap_deeper_than_was_looked_for_is_not_lifted() -> None:
    start = pose(at=(0.1, 0.2, 0.2))
    assert (
        least_displacement(
            ContactSystem.of([body("cube")], [start], [body("slab")]), LeastMotion((start,)), 0.1
        )
        is None
    )


def test_what_only_lies_behind_a_thin_wall_is_not_lifted() -> None:
    plate = body("cube").transformed(np.diag([8.0, 8.0, 0.01, 1.0]))
    start = pose((0.3, 0.2, 0.1), (0.1, 0.2, 0.8))
    lowest = start.points(body("cube").triangles)[..., 2].min()
    start = start.displaced((0.0, 0.0, 0.006 - lowest), np.zeros(3), np.zeros(3))
    found = least_displacement(
        ContactSystem.of([body("cube")], [start], [plate]), LeastMotion((start,)), 0.02
    )
    assert found is not None
    assert found[0].poses[0] is start
