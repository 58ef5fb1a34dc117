"""Ranges of Euler angles for placement: second derivatives are those of differences, and limits hold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.articulation import AngleRanges, EulerAngles
from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.mechanics.joints import Anchors, ball
from physplace_addon.core.mechanics.joints.closure import Positions
from physplace_addon.core.mechanics.joints.equations import JointRows
from physplace_addon.core.placement import Placement, Settings, Status
from physplace_addon.core.placement.problem import Setup
from physplace_addon.core.rigid import Pose, quaternion_exponential
from tests.core.placement.figures import block

Rows = Callable[[Positions], JointRows]


def _frame(rng: np.random.Generator) -> Pose:
    return Pose(quaternion_exponential(rng.normal(size=3)), np.zeros(3))


@pytest.mark.parametrize("order", ["XYZ", "ZXY", "YXZ"])
def test_second_derivatives_are_those_of_differences(order: str) -> None:
    rng = np.random.default_rng(2)
    lower, upper = np.array([-1.0, 0.3, -0.2]), np.array([1.0, 0.3, 0.7])
    ranges = {
        0: EulerAngles.of(Anchors("one", 0, 1, _frame(rng), _frame(rng)), order, lower, upper),
        1: EulerAngles.of(Anchors("other", 1, 2, _frame(rng), _frame(rng)), order, lower, upper),
    }
    found = AngleRanges.of(ranges)
    here = Positions(np.zeros((3, 3)), np.array([_frame(rng).rotation for _ in range(3)]))
    for rows, hessians in zip((found.equations, found.limits), found.hessians(here), strict=True):
        base = rows(here)
        assert len(base) == len(hessians) > 0

        def value(twists: Floats, rows: Rows = rows) -> Floats:
            return rows(here.displaced(np.ones(3), twists)).value

        for _ in range(5):
            x = np.zeros((3, 6))
            x[:, 3:] = rng.normal(size=(3, 3))
            step = 1e-4
            change = (value(step * x) + value(-step * x) - 2.0 * base.value) / step**2
            own = x[base.body].reshape(len(base), 12)
            assert np.abs(change - np.einsum("ki,kij,kj->k", own, hessians, own)).max() < 1e-5


def test_an_angle_stops_a_rod_that_hangs_from_a_ball() -> None:
    """A level rod along x may sink about y by no more than the limit, and turns about nothing else."""
    rod = block((1.0, 0.1, 0.1), "rod")
    pose = Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.5, 0.0, 0.0]))
    anchors = Anchors.at("shoulder", FIXED, 0, Pose.identity(), [pose])
    lower, upper = np.array([-0.1, -0.4, 0.0]), np.array([0.1, 0.4, 0.0])
    ranges = AngleRanges.of({0: EulerAngles.of(anchors, "XYZ", lower, upper)})
    setup = Setup.of([rod], [pose], [], Settings(), (), (), [ball(anchors)], turn_ranges=ranges)
    placement = Placement.from_setup(setup)
    placement.run()
    assert placement.status is Status.BALANCED
    axis = placement.state.pose.matrix[:, 0]
    assert np.allclose(axis, [np.cos(0.4), 0.0, -np.sin(0.4)], atol=1e-9)
