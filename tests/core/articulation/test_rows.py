"""The rows of joints, constraints and goals: values, and derivatives against finite differences."""

from collections.abc import Callable

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.articulation import (
    BodySurface,
    Goal,
    Line,
    Linkage,
    LookAtGoal,
    OrientationGoal,
    Perpendicular,
    PinGoal,
    Plane,
    PointGoal,
    PointOnCurve,
    PointOnSurface,
    Sphere,
    Spline,
    SurfaceGoal,
    universal,
)
from physplace_addon.core.articulation.configuration import Configuration
from physplace_addon.core.articulation.constraints import Constraint
from physplace_addon.core.articulation.equations import Equations, explicit_kkt
from physplace_addon.core.articulation.groups import RigidGroups
from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.mechanics.joints import (
    FREE,
    LOCKED,
    Anchors,
    Axis,
    Joint,
    ball,
    fixed,
    generic,
    hinge,
    piston,
    slider,
)
from physplace_addon.core.rigid import Pose
from tests.core.articulation import figures
from tests.core.articulation.figures import box

KINDS: list[tuple[Callable[[Anchors], Joint], int]] = [
    (ball, 3),
    (hinge, 5),
    (slider, 5),
    (piston, 4),
    (lambda anchors: generic(anchors, (LOCKED, LOCKED, LOCKED), (FREE, FREE, LOCKED)), 4),
    (lambda anchors: generic(anchors, (FREE, LOCKED, FREE), (LOCKED, LOCKED, LOCKED)), 4),
]


def random_pose(rng: np.random.Generator, spread: float = 1.0) -> Pose:
    return Pose(rng.normal(size=4), spread * rng.normal(size=3))


def two_parts(
    rng: np.random.Generator, joint: Callable[[Anchors], Joint] | None = None
) -> tuple[Linkage, list[Pose]]:
    """Two boxes anywhere, which a joint holds where they are."""
    poses = [random_pose(rng), random_pose(rng)]
    anchors = Anchors.at("joint", 0, 1, random_pose(rng), poses)
    parts = [box((1.0, 0.8, 0.6)), box((0.7, 1.2, 0.4))]
    return Linkage.of(parts, [] if joint is None else [joint(anchors)]), poses


def derivative(equations: Equations, at: Configuration, length: float) -> Floats:
    """The derivatives of all rows by twists, by central differences."""
    count, step = 6 * len(at.centre), 1e-6
    columns = []
    for i in range(count):
        twist = np.zeros(count)
        twist[i] = step
        ahead, behind = (
            equations.rows(at.moved(sign * twist.reshape(-1, 6), length)).value for sign in (1.0, -1.0)
        )
        columns.append((ahead - behind) / (2.0 * step))
    return np.stack(columns, axis=1)


def dense(equations: Equations, at: Configuration) -> Floats:
    rows, count = equations.rows(at), len(at.centre)
    out = np.zeros((len(equations), count + 1, 6))
    for slot in (0, 1):
        for i, group in enumerate(equations.body[:, slot]):
            out[i, group] += rows.blocks[i, slot]
    return out[:, :count].reshape(len(equations), -1)


def assert_derivatives(equations: Equations, at: Configuration, tolerance: float = 1e-8) -> None:
    found, expected = dense(equations, at), derivative(equations, at, equations.groups.length)
    assert np.abs(found - expected).max() < tolerance


@pytest.mark.parametrize(("kind", "count"), KINDS)
def test_a_joint_has_a_row_for_each_locked_axis_that_is_zero_where_it_is_closed(
    kind: Callable[[Anchors], Joint], count: int, rng: np.random.Generator
) -> None:
    linkage, poses = two_parts(rng, kind)
    groups, at = RigidGroups.of(linkage, poses)
    equations = Equations.of(groups, (), at)
    assert len(equations) == count
    assert np.abs(equations.rows(at).value).max() < 1e-12
    assert np.linalg.matrix_rank(dense(equations, at)) == count


@pytest.mark.parametrize("kind", [kind for kind, _ in KINDS])
def test_derivatives_of_joints_are_finite_differences_anywhere(
    kind: Callable[[Anchors], Joint], rng: np.random.Generator
) -> None:
    linkage, poses = two_parts(rng, kind)
    groups, at = RigidGroups.of(linkage, poses)
    equations = Equations.of(groups, (), at)
    assert_derivatives(equations, at)
    assert_derivatives(equations, at.moved(0.4 * rng.normal(size=(2, 6)), groups.length))


def test_how_axes_of_joints_bend_by_both_of_their_groups_is_a_second_difference(
    rng: np.random.Generator,
) -> None:
    linkage, poses = two_parts(rng, ball)
    half_locked = generic(linkage.joints[0].anchors, (FREE, FREE, FREE), (FREE, FREE, LOCKED))
    stiff = Linkage.of(linkage.parts, linkage.joints, stiffness={0: (0, 0, 0, 3.0, 2.0, 1.0)})
    for each, count in ((stiff, 3), (Linkage.of(linkage.parts, [half_locked]), 1)):
        groups, reference = RigidGroups.of(each, poses)
        equations, step = Equations.of(groups, (), reference), 1e-4
        at = reference.moved(0.4 * rng.normal(size=(2, 6)), groups.length)
        assert len(equations.bending_both) == count
        found = equations.hessians(at)
        for _ in range(5):
            twist = rng.normal(size=(2, 6))
            values = [
                equations.rows(at.moved(s * step * twist, groups.length)).value for s in (-1.0, 0.0, 1.0)
            ]
            second = (values[0] - 2.0 * values[1] + values[2])[equations.bending_both] / step**2
            bent = np.einsum("i,nij,j->n", twist.ravel(), found, twist.ravel())
            np.testing.assert_allclose(bent, second, atol=1e-5)


@pytest.mark.parametrize(
    "locked",
    [
        ((FREE, LOCKED, LOCKED), (FREE, FREE, FREE)),
        ((FREE, LOCKED, FREE), (FREE, FREE, FREE)),
        None,
    ],
    ids=["two shifts", "one shift", "universal"],
)
def test_how_shifts_and_axes_at_right_angles_bend_is_a_second_difference(
    locked: tuple[tuple[Axis, Axis, Axis], tuple[Axis, Axis, Axis]] | None, rng: np.random.Generator
) -> None:
    linkage, poses = two_parts(rng, ball)
    anchors = linkage.joints[0].anchors
    joint, constraints = (
        (generic(anchors, *locked), []) if locked else (ball(anchors), [universal(anchors)[1]])
    )
    jointed = Linkage.of(linkage.parts, [joint], constraints=constraints)
    groups, reference = RigidGroups.of(jointed, poses)
    equations, step = Equations.of(groups, (), reference), 1e-4
    at = reference.moved(0.4 * rng.normal(size=(2, 6)), groups.length)
    rows, mixed = equations.rows(at), equations.hessians(at)
    assert len(equations.bending_both)
    assert equations.bend_exactly.all()
    for _ in range(5):
        twist = rng.normal(size=(2, 6))
        values = [equations.rows(at.moved(s * step * twist, groups.length)).value for s in (-1.0, 0.0, 1.0)]
        second = (values[0] - 2.0 * values[1] + values[2]) / step**2
        turn = twist[equations.body, 3:]
        along = np.einsum("nsi,nsi->ns", turn, rows.direction) * np.einsum("nsi,nsi->ns", turn, rows.arm)
        across = (turn**2).sum(axis=2) * np.einsum("nsi,nsi->ns", rows.direction, rows.arm)
        bent = (along - across).sum(axis=1)
        bent[equations.bending_both] += np.einsum("i,nij,j->n", twist.ravel(), mixed, twist.ravel())
        np.testing.assert_allclose(bent, second, atol=1e-5)


GOALS: list[Callable[[np.random.Generator], Goal]] = [
    lambda rng: PointGoal(0, rng.normal(size=3), rng.normal(size=3)),
    lambda rng: OrientationGoal(1, Pose(rng.normal(size=4), np.zeros(3)).rotation),
    lambda rng: LookAtGoal(0, rng.normal(size=3), rng.normal(size=3), 5.0 * rng.normal(size=3)),
    lambda rng: PinGoal(1, random_pose(rng)),
    lambda rng: SurfaceGoal(0, rng.normal(size=3), Plane(rng.normal(size=3), rng.normal(size=3))),
    lambda rng: SurfaceGoal(1, rng.normal(size=3), Sphere(rng.normal(size=3), 0.7)),
    lambda rng: SurfaceGoal(0, rng.normal(size=3), Line(rng.normal(size=3), rng.normal(size=3))),
]


@pytest.mark.parametrize("make", GOALS)
def test_derivatives_of_goals_are_finite_differences_near_and_far(
    make: Callable[[np.random.Generator], Goal], rng: np.random.Generator
) -> None:
    linkage, poses = two_parts(rng)
    groups, at = RigidGroups.of(linkage, poses)
    for _ in range(6):
        goal = make(rng)
        equations = Equations.of(groups, [goal], at)
        if isinstance(goal, LookAtGoal):  # farther than a radian away it is led to a place on the way
            at = nearly_pointing(groups, at, goal)
        assert_derivatives(equations, at, 1e-7)


def nearly_pointing(groups: RigidGroups, at: Configuration, goal: LookAtGoal) -> Configuration:
    """The configuration turned so that the goal is nearly met: derivatives are those of a small sine."""
    for _ in range(20):
        equations = Equations.of(groups, [goal], at)
        rows = equations.rows(at)
        step = -np.linalg.pinv(rows.blocks[:, 0, 3:]) @ rows.value
        twists = np.zeros((len(groups), 6))
        twists[goal.part, 3:] = step
        at = at.moved(twists, groups.length)
    return at


CONSTRAINTS: list[Callable[[list[Pose], Floats, Floats], Constraint]] = [
    lambda poses, p, q: PointOnSurface("x", 0, 1, seen(poses[0], p), Plane(seen(poses[1], p), q)),
    lambda poses, p, q: PointOnSurface(
        "x", 0, 1, seen(poses[0], p), Sphere(seen(poses[1], p) + q, float(np.linalg.norm(q)))
    ),
    lambda poses, p, q: PointOnCurve("x", 0, 1, seen(poses[0], p), Line(seen(poses[1], p) - 2.0 * q, q)),
    lambda poses, p, q: PointOnCurve(
        "x",
        0,
        1,
        seen(poses[0], p),
        Spline(np.array([[-1.0, 0, 0], [0, 0.2, 0], [1, 0, 0]]) + seen(poses[1], p)),
    ),
    lambda poses, p, q: PointOnSurface("x", FIXED, 1, p, Plane(seen(poses[1], p), q)),
    lambda poses, p, q: Perpendicular("x", 0, 1, p, q),
]


def seen(pose: Pose, point: Floats) -> Floats:
    return pose.inverse().points(point)


@pytest.mark.parametrize("make", CONSTRAINTS)
def test_derivatives_of_constraints_are_finite_differences_where_they_hold(
    make: Callable[[list[Pose], Floats, Floats], Constraint], rng: np.random.Generator
) -> None:
    linkage, poses = two_parts(rng)
    constraint = make(poses, rng.normal(size=3), rng.normal(size=3))
    linkage = Linkage.of(linkage.parts, [], constraints=[constraint])
    groups, at = RigidGroups.of(linkage, poses)
    equations = Equations.of(groups, (), at)
    closed = at
    for _ in range(30):  # onto the guide by Newton's method with the rows themselves
        step = -np.linalg.pinv(dense(equations, closed)) @ equations.rows(closed).value
        closed = closed.moved(step.reshape(-1, 6), groups.length)
    assert np.abs(equations.rows(closed).value).max() < 1e-12
    assert_derivatives(equations, closed, 1e-7)


def test_a_universal_joint_turns_about_the_two_arms_of_its_cross_and_no_other_axis(
    rng: np.random.Generator,
) -> None:
    linkage, poses = two_parts(rng)
    joint, cross = universal(Anchors.at("cross", 0, 1, random_pose(rng), poses))
    linkage = Linkage.of(linkage.parts, [joint], constraints=[cross])
    groups, at = RigidGroups.of(linkage, poses)
    equations = Equations.of(groups, (), at)
    assert len(equations) == 4
    assert np.abs(equations.rows(at).value).max() < 1e-12
    assert_derivatives(equations, at)
    frame = poses[0].compose(joint.anchors.frame1)
    for axis, free in ((0, True), (1, True), (2, False)):
        turned = poses[1].displaced(np.zeros(3), 0.3 * frame.matrix[:, axis], frame.translation)
        error = np.abs(equations.rows(groups.configuration([poses[0], turned])).value).max()
        assert (error < 1e-12) == free


def test_welded_parts_are_one_group_whose_joints_have_no_rows(rng: np.random.Generator) -> None:
    poses = [random_pose(rng) for _ in range(4)]
    parts = [box((1.0, 0.8, 0.6))] * 4
    joints = [
        fixed(Anchors.at("weld", 0, 1, random_pose(rng), poses)),
        fixed(Anchors.at("weld again", 1, 2, random_pose(rng), poses)),
        ball(Anchors.at("free", 2, 3, random_pose(rng), poses)),
        ball(Anchors.at("inside", 0, 2, random_pose(rng), poses)),
    ]
    groups, at = RigidGroups.of(Linkage.of(parts, joints), poses)
    assert len(groups) == 2
    assert len(set(groups.part_group[:3].tolist())) == 1
    assert len(Equations.of(groups, (), at)) == 3
    for pose, expected in zip(groups.poses(at), poses, strict=True):
        assert np.abs(pose.matrix4 - expected.matrix4).max() < 1e-12


def test_what_is_welded_to_the_world_does_not_move(rng: np.random.Generator) -> None:
    poses = [random_pose(rng), random_pose(rng)]
    joints = [
        fixed(Anchors.at("weld", FIXED, 0, random_pose(rng), poses)),
        ball(Anchors.at("b", 0, 1, poses[0], poses)),
    ]
    groups, at = RigidGroups.of(Linkage.of([box((1.0, 1.0, 1.0))] * 2, joints), poses)
    assert groups.part_group.tolist() == [FIXED, 0]
    moved = groups.poses(at.moved(rng.normal(size=(1, 6)), groups.length))
    assert moved[0] is groups.offsets[0]


def test_the_ring_of_the_paper_has_212_variables_and_1455_non_zeros() -> None:
    ring = figures.ring(19, tilt=True)
    groups, at = RigidGroups.of(ring.linkage, ring.poses)
    tip = ring.poses[4].points(np.array([0.1, 0.02, 0.03]))
    equations = Equations.of(groups, [PointGoal(4, np.array([0.1, 0.02, 0.03]), tip)], at)
    matrix = explicit_kkt(equations, at)
    assert matrix.shape == (212, 212)
    assert matrix.nnz == 1455


def test_a_goal_on_a_body_is_on_its_boundary(rng: np.random.Generator) -> None:
    linkage, poses = two_parts(rng)
    surface = BodySurface(box((1.0, 1.0, 1.0)))
    groups, at = RigidGroups.of(linkage, poses)
    equations = Equations.of(groups, [SurfaceGoal(0, np.array([3.0, 0.1, 0.2]), surface)], at)
    assert_derivatives(equations, at, 1e-6)
