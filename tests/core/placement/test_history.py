"""Every state is kept: going on from any of them, by other forces or by hand, leaves the rest as it was."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from physplace_addon.core.errors import PlacementError
from physplace_addon.core.placement import Local, Placement, Settings, Status, replicated
from physplace_addon.core.rigid import Pose
from tests.bodies_of_the_paper import floor, sphere
from tests.core.placement.experiments import active_of, careless_start, standing

UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])
TILTED = Settings(gravity=(0.1, 0.05, -1.0))


@lru_cache
def dropped() -> Placement:
    """A cube that has come to rest in a goblet."""
    name = "block into goblet"
    placement = Placement(active_of(name).body, careless_start(name, 1), standing(name)[2])
    placement.run()
    assert placement.status is Status.BALANCED
    assert len(placement.states) > 8
    return placement


def same_pose(a: Pose, b: Pose) -> bool:
    return bool((a.rotation == b.rotation).all() and (a.translation == b.translation).all())


@pytest.mark.slow
def test_going_on_from_a_state_under_another_gravity_is_a_fresh_run_from_there_bit_for_bit() -> None:
    placement = dropped()
    resumed = placement.branch(7, settings=TILTED)
    name = "block into goblet"
    fresh = Placement(active_of(name).body, placement.states[7].pose, standing(name)[2], TILTED)
    first, second = resumed.run(), fresh.run()
    assert first.status is second.status is Status.BALANCED
    assert resumed.steps == fresh.steps
    assert same_pose(resumed.state.pose, fresh.state.pose)
    assert len(resumed.states) == 7 + len(fresh.states)


def test_a_branch_leaves_the_placement_it_came_from_as_it_was() -> None:
    placement = dropped()
    poses, status, steps = [s.pose for s in placement.states], placement.status, placement.steps
    branch = placement.branch(3, settings=TILTED)
    branch.run()
    assert all(a is b for a, b in zip(branch.states[:3], placement.states[:3], strict=True))
    assert all(same_pose(s.pose, pose) for s, pose in zip(placement.states, poses, strict=True))
    assert (placement.status, placement.steps) == (status, steps)


def test_a_branch_counts_level_states_from_where_it_begins() -> None:
    ball = sphere(0.5).body
    placement = Placement(ball, Pose(UPRIGHT, np.array([0.0, 0.0, 2.0])), [floor()])
    placement.run()
    for _ in range(10):
        placement = placement.branch()
        assert placement.status is Status.RUNNING
        assert placement.run().status is Status.BALANCED


def test_the_next_copy_starts_where_the_first_did_and_meets_it() -> None:
    ball = sphere(0.5).body
    start = Pose(UPRIGHT, np.array([0.1, 0.0, 3.0]))
    first = Placement(ball, start, [floor()])
    first.run()
    second = replicated(first)
    assert same_pose(second.states[0].pose, start)
    second.run()
    apart = second.state.pose.translation - first.state.pose.translation
    assert np.linalg.norm(apart) >= 1.0 - 1e-9


def test_only_what_is_at_rest_is_copied() -> None:
    placement = Placement(sphere(0.5).body, Pose(UPRIGHT, np.array([0.0, 0.0, 3.0])), [floor()])
    with pytest.raises(PlacementError, match="at rest"):
        replicated(placement)


def test_forces_change_at_any_state() -> None:
    ball = sphere(0.5).body
    placement = Placement(ball, Pose(UPRIGHT, np.array([0.0, 0.0, 3.0])), [floor()])
    placement.run()
    push = Local(np.array([-0.5, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]))
    pushed = placement.branch(settings=Settings(check_energy=False, step_limit=5), forces=[push])
    pushed.run()
    assert pushed.state.pose.translation[0] > 0.05
    back = pushed.branch(settings=Settings(), forces=[])
    assert back.run().status is Status.BALANCED
