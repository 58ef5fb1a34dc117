"""Ranges of Euler angles: gaps, derivatives against finite differences, and motions that meet them."""

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.articulation import (
    EulerAngles,
    Linkage,
    LinkageScene,
    LinkageSolve,
    LinkageStatus,
    OrientationGoal,
    PointGoal,
)
from physplace_addon.core.articulation.configuration import Configuration
from physplace_addon.core.articulation.equations import Equations
from physplace_addon.core.articulation.groups import RigidGroups
from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.errors import JointError
from physplace_addon.core.mechanics.joints import Anchors, ball
from physplace_addon.core.rigid import Pose, quaternion_from_matrix, rotation_matrix
from tests.core.articulation.figures import box

ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
LOWER, UPPER = np.array([-0.5, -0.3, -0.8]), np.array([0.6, 0.7, 0.4])
FREE = np.full(3, np.inf)


def turned(order: str, angles: Floats) -> Floats:
    """The rotation (3, 3) of Euler angles by axis, the first letter's turn acting first."""
    product = np.eye(3)
    for letter in order:
        axis = "XYZ".index(letter)
        product = rotation_matrix(angles[axis] * np.eye(3)[axis]) @ product
    return product


def two_parts(
    rng: np.random.Generator, order: str, angles: Floats, lower: Floats, upper: Floats
) -> tuple[Linkage, list[Pose]]:
    """Two boxes anywhere, in a ball joint whose frames have some Euler angles between them."""
    first = Pose(rng.normal(size=4), rng.normal(size=3))
    frame1, frame2 = (Pose(rng.normal(size=4), rng.normal(size=3)) for _ in range(2))
    turn = Pose(quaternion_from_matrix(turned(order, angles)), np.zeros(3))
    second = first.compose(frame1).compose(turn).compose(frame2.inverse())
    anchors = Anchors("joint", 0, 1, frame1, frame2)
    parts = [box((1.0, 0.8, 0.6)), box((0.7, 1.2, 0.4))]
    ranges = EulerAngles.of(anchors, order, lower, upper)
    return Linkage.of(parts, [ball(anchors)], constraints=[ranges]), [first, second]


def limit_gaps(linkage: Linkage, poses: list[Pose]) -> tuple[Equations, Configuration]:
    groups, at = RigidGroups.of(linkage, poses)
    return Equations.of(groups, (), at), at


@pytest.mark.parametrize("order", ORDERS)
def test_the_gaps_are_those_of_the_angles_times_the_cosine_of_the_middle_one(
    order: str, rng: np.random.Generator
) -> None:
    angles = np.array([0.3, -0.2, 0.1])
    equations, at = limit_gaps(*two_parts(rng, order, angles, LOWER, UPPER))
    middle = "XYZ".index(order[1])
    share = np.where(np.arange(3) == middle, 1.0, np.cos(angles[middle]))
    by_position = ["XYZ".index(letter) for letter in order]
    expected = np.concatenate(
        [(share * (angles - LOWER))[by_position], (share * (UPPER - angles))[by_position]]
    )
    np.testing.assert_allclose(equations.limits(at).value, expected, atol=1e-12)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("middle", [0.4, 1.2, np.pi / 2.0 - 1e-3])
def test_derivatives_of_gaps_and_of_locked_angles_are_finite_differences(
    order: str, middle: float, rng: np.random.Generator
) -> None:
    angles = np.array([0.3, -0.2, 0.5])
    angles["XYZ".index(order[1])] = middle
    locked = "XYZ".index(order[0])
    lower, upper = LOWER.copy(), UPPER.copy()
    lower[locked] = upper[locked] = 0.25
    equations, at = limit_gaps(*two_parts(rng, order, angles, lower, upper))
    rows, step = equations.limits(at), 1e-7
    batch = equations.batches[-1]
    blocks = batch.rows(at).blocks
    for slot in range(2):
        for i in range(6):
            twist = np.zeros((2, 6))
            twist[slot, i] = step
            ahead, behind = (at.moved(sign * twist, equations.groups.length) for sign in (1.0, -1.0))
            change = (equations.limits(ahead).value - equations.limits(behind).value) / (2.0 * step)
            np.testing.assert_allclose(rows.blocks[:, slot, i], change, atol=1e-5)
            held = (batch.rows(ahead).value - batch.rows(behind).value) / (2.0 * step)
            np.testing.assert_allclose(blocks[:, slot, i], held, atol=1e-5)


@pytest.mark.parametrize("order", ORDERS)
def test_second_derivatives_of_some_limits_are_finite_differences(
    order: str, rng: np.random.Generator
) -> None:
    equations, at = limit_gaps(*two_parts(rng, order, np.array([0.3, -0.2, 0.5]), LOWER, UPPER))
    some, step = np.array([0, 2, 5]), 1e-5
    twists = step * rng.normal(size=(20, 2, 6))
    rows = equations.limits(at)
    hessians = equations.limit_hessians(at, some)
    for twist in twists:
        ahead, behind = (
            equations.limits(at.moved(sign * twist, equations.groups.length)) for sign in (1.0, -1.0)
        )
        bent = (ahead.value + behind.value - 2.0 * rows.value)[some] / step**2
        x = twist.ravel() / step
        np.testing.assert_allclose(np.einsum("i,kij,j->k", x, hessians, x), bent, atol=1e-4)


def angles_of(order: str, linkage: Linkage, poses: tuple[Pose, ...]) -> Floats:
    """The Euler angles (3,) between the frames of the joint, from the turn's matrix alone."""
    anchors = linkage.joints[0].anchors
    first = poses[0].compose(anchors.frame1).matrix if anchors.first != FIXED else anchors.frame1.matrix
    seen = first.T @ poses[anchors.second].compose(anchors.frame2).matrix
    i, j, k = ("XYZ".index(letter) for letter in order)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    found = np.empty(3)
    found[i] = np.arctan2(sign * seen[k, j], seen[k, k])
    found[j] = np.arcsin(-sign * seen[k, i])
    found[k] = np.arctan2(sign * seen[j, i], seen[i, i])
    return found


@pytest.mark.parametrize("order", ORDERS)
def test_a_turn_beyond_the_limits_stops_at_them(order: str, rng: np.random.Generator) -> None:
    linkage, poses = two_parts(rng, order, np.zeros(3), LOWER, UPPER)
    anchors = linkage.joints[0].anchors
    asked = turned(order, np.array([0.2, 1.1, 0.1]) if order[1] == "Y" else np.array([1.2, 0.1, 0.1]))
    turn = Pose(quaternion_from_matrix(asked), np.zeros(3))
    goal = poses[0].compose(anchors.frame1).compose(turn).compose(anchors.frame2.inverse())
    scene = LinkageScene.of(linkage, poses)
    pin = OrientationGoal(0, poses[0].rotation, weight=1e4)
    solver = LinkageSolve(scene, scene.start, [pin, OrientationGoal(1, goal.rotation)])
    for _ in range(100):
        solver.step()
        if not solver.status.is_running:
            break
    assert solver.status is LinkageStatus.AT_LIMIT
    angles = angles_of(order, linkage, solver.state.poses)
    assert (angles >= LOWER - 1e-6).all()
    assert (angles <= UPPER + 1e-6).all()
    assert min(np.abs(angles - LOWER).min(), np.abs(angles - UPPER).min()) < 1e-6


@pytest.mark.parametrize("order", ORDERS)
def test_a_range_that_is_open_at_one_side_ends_at_half_a_turn(order: str, rng: np.random.Generator) -> None:
    """An angle beyond it leaps to the other side of the limit: a figure stops there, and is not lost."""
    first = "XYZ".index(order[0])
    start, upper = np.zeros(3), FREE.copy()
    start[first], upper[first] = -2.8, 0.4
    linkage, poses = two_parts(rng, order, start, -FREE, upper)
    anchors = linkage.joints[0].anchors
    beyond = start - 0.6 * np.eye(3)[first]
    turn = Pose(quaternion_from_matrix(turned(order, beyond)), np.zeros(3))
    goal = poses[0].compose(anchors.frame1).compose(turn).compose(anchors.frame2.inverse())
    scene = LinkageScene.of(linkage, poses, clearances=False)
    pin = OrientationGoal(0, poses[0].rotation, weight=1e4)
    solver = LinkageSolve(scene, scene.start, [pin, OrientationGoal(1, goal.rotation)])
    for _ in range(100):
        solver.step()
        if not solver.status.is_running:
            break
    assert solver.status is LinkageStatus.AT_LIMIT
    angle = angles_of(order, linkage, solver.state.poses)[first]
    assert np.pi - abs(angle) < 1e-6


def test_a_locked_angle_stays_while_the_others_turn(rng: np.random.Generator) -> None:
    lower, upper = -FREE, FREE.copy()
    lower[0] = upper[0] = 0.3
    linkage, poses = two_parts(rng, "XYZ", np.array([0.3, 0.1, -0.2]), lower, upper)
    scene = LinkageScene.of(linkage, poses)
    tip = np.array([0.0, 0.6, 0.0])
    target = poses[1].points(tip) + np.array([0.2, 0.1, -0.3])
    solver = LinkageSolve(scene, scene.start, [PointGoal(1, tip, target)])
    while solver.status.is_running:
        solver.step()
    assert solver.status is LinkageStatus.REACHED
    assert angles_of("XYZ", linkage, solver.state.poses)[0] == pytest.approx(0.3, abs=1e-8)


def test_ranges_without_a_meaning_are_refused(rng: np.random.Generator) -> None:
    with pytest.raises(JointError, match="put the lower first"):
        two_parts(rng, "XYZ", np.zeros(3), UPPER, LOWER)
    with pytest.raises(JointError, match="its order of angles"):
        two_parts(rng, "XYX", np.zeros(3), LOWER, UPPER)


def test_limits_alone_have_no_rows_of_equations(rng: np.random.Generator) -> None:
    linkage, poses = two_parts(rng, "XYZ", np.zeros(3), -np.ones(3), np.ones(3))
    equations, at = limit_gaps(linkage, poses)
    assert len(equations.limits(at)) == 6
    assert all(len(batch.body) for batch in equations.batches)
