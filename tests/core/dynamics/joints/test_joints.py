"""Joints as equations: their derivatives, what each kind allows, and what has no meaning."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.dynamics.joints.closure import closed_joints
from physplace_addon.core.dynamics.joints.forces import damper_rows, spring_energy, spring_wrench
from physplace_addon.core.dynamics.motion import Motion, anchor_frames
from physplace_addon.core.errors import JointError
from physplace_addon.core.mechanics.inertia import Inertia
from physplace_addon.core.mechanics.joints import (
    FREE,
    LOCKED,
    Anchors,
    Axis,
    Joint,
    Motor,
    Spring,
    ball,
    fixed,
    generic,
    hinge,
    motor,
    piston,
    slider,
)
from physplace_addon.core.mechanics.joints.equations import (
    JointRows,
    Joints,
    coordinate_rows,
    equation_rows,
    limit_rows,
    motor_rows,
)
from physplace_addon.core.rigid import Pose, quaternion_exponential, quaternion_matrix

KINDS: list[tuple[Callable[[Anchors], Joint], int]] = [
    (ball, 3), (hinge, 5), (slider, 5), (piston, 4), (fixed, 6), (motor, 0)
]  # fmt: skip
DRIVEN = Axis(lower=-0.4, upper=0.7, spring=Spring(3.0, 0.2, 0.1), motor=Motor(2.0, 5.0))
UNIVERSAL = (LOCKED, FREE, FREE)


def some_inertia(count: int) -> Inertia:
    values = np.linspace(0.0, 1.0, count)
    return Inertia(
        1.0 + values,
        0.7 + values,
        np.stack([0.1 * values, 0.2 - values, 0.3 * values], axis=1),
        quaternion_matrix(quaternion_exponential(np.linspace([0.3, 0.1, 0.5], [1.0, -0.4, 0.2], count))),
        np.linspace([0.2, 0.3, 0.4], [0.5, 0.6, 0.9], count),
    )


def some_motion(rng: np.random.Generator, count: int) -> Motion:
    rotation = quaternion_exponential(rng.normal(size=(count, 3)))
    return Motion(rng.normal(size=(count, 3)), rotation, rng.normal(size=(count, 6)))


def random_pose(rng: np.random.Generator) -> Pose:
    return Pose(rng.normal(size=4), rng.normal(size=3))


def some_joints(rng: np.random.Generator, inertia: Inertia) -> Joints:
    pairs = [(0, 1), (1, 2), (FIXED, 2), (0, FIXED), (2, 0)]
    anchors = [Anchors(f"{i}", *pair, random_pose(rng), random_pose(rng)) for i, pair in enumerate(pairs)]
    joints = [
        ball(anchors[0]),
        hinge(anchors[1], DRIVEN),
        piston(anchors[2], DRIVEN, DRIVEN),
        fixed(anchors[3]),
        generic(anchors[4], (FREE, DRIVEN, LOCKED), (LOCKED, DRIVEN, DRIVEN)),
    ]
    return Joints.of(joints, inertia)


def differences(value: Callable[[Motion], Floats], inertia: Inertia, motion: Motion) -> Floats:
    """The derivative (k, 6 m) of values (k,) by the twists."""
    step = 1e-6
    columns = []
    for unit in np.eye(6 * len(motion)):
        twist = step * unit.reshape(-1, 6)
        ahead, behind = motion.displaced(inertia, twist), motion.displaced(inertia, -twist)
        columns.append((value(ahead) - value(behind)) / (2.0 * step))
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("rows_of", [equation_rows, limit_rows])
def test_rows_are_the_derivatives_of_their_values(rows_of: Callable[..., JointRows]) -> None:
    rng = np.random.default_rng(1)
    inertia = some_inertia(3)
    joints = some_joints(rng, inertia)
    for _ in range(5):
        motion = some_motion(rng, 3)
        rows = rows_of(anchor_frames(joints, inertia, motion))

        def value(at: Motion) -> Floats:
            return rows_of(anchor_frames(joints, inertia, at)).value

        expected = differences(value, inertia, motion)
        assert rows.dense(3) == pytest.approx(expected, abs=1e-8 * (1.0 + np.abs(expected).max()))
        assert rows.sparse(3).toarray() == pytest.approx(rows.dense(3), abs=0.0)
        rates = rng.normal(size=(3, 6))
        assert rows.rates(rates) == pytest.approx(rows.dense(3) @ rates.ravel(), abs=1e-12)
        along = rng.normal(size=len(rows))
        assert rows.wrench(along, 3).ravel() == pytest.approx(along @ rows.dense(3), abs=1e-12)


def test_springs_pull_down_their_energy() -> None:
    rng = np.random.default_rng(2)
    inertia = some_inertia(3)
    joints, motion = some_joints(rng, inertia), some_motion(rng, 3)

    def energy(at: Motion) -> Floats:
        return np.array([spring_energy(anchor_frames(joints, inertia, at))])

    wrench = spring_wrench(anchor_frames(joints, inertia, motion), 3)
    assert wrench.ravel() == pytest.approx(-differences(energy, inertia, motion)[0], abs=1e-7)


def test_forces_between_two_bodies_have_no_total_force_or_torque() -> None:
    rng = np.random.default_rng(3)
    inertia = some_inertia(2)
    anchors = Anchors("pair", 0, 1, random_pose(rng), random_pose(rng))
    joints = Joints.of([fixed(anchors)], inertia)
    motion = some_motion(rng, 2)
    rows = equation_rows(anchor_frames(joints, inertia, motion))
    wrench = rows.wrench(rng.normal(size=6), 2)
    force = wrench[:, :3] / inertia.radius[:, None]
    torque = wrench[:, 3:] + np.cross(motion.centre, force)
    assert force.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-13)
    assert torque.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-13)


@pytest.mark.parametrize(("kind", "equations"), KINDS)
def test_a_kind_locks_its_axes_and_is_singular_at_no_angle(
    kind: Callable[[Anchors], Joint], equations: int
) -> None:
    inertia = some_inertia(2)
    axis = 2 if kind is hinge else 0
    for angle in np.linspace(-np.pi, np.pi, 9):
        turned = Pose(quaternion_exponential(angle * np.eye(3)[axis]), np.zeros(3))
        anchors = Anchors("joint", 0, 1, Pose.identity(), turned.inverse())
        motion = Motion(inertia.centre, np.tile([1.0, 0, 0, 0], (2, 1)), np.zeros((2, 6)))
        if kind in (hinge, piston, motor):
            joints = Joints.of([kind(anchors)], inertia)
        else:
            joints = Joints.of([kind(replace(anchors, frame2=Pose.identity()))], inertia)
        rows = equation_rows(anchor_frames(joints, inertia, motion))
        assert len(rows) == equations
        assert rows.value == pytest.approx(np.zeros(equations), abs=1e-14)
        singular = np.linalg.svd(rows.dense(2), compute_uv=False)
        assert np.all(singular > 0.1)


@pytest.mark.parametrize("angles", [(0.3, 0.2), (2.0, 0.0), (3.1, 0.1), (-1.5, 1.5)])
def test_a_universal_joint_has_rows_of_the_same_size_at_any_angle(angles: tuple[float, float]) -> None:
    inertia = some_inertia(2)
    joints = Joints.of(
        [generic(Anchors("cross", FIXED, 0, Pose.identity(), Pose.identity()), (LOCKED,) * 3, UNIVERSAL)],
        inertia,
    )
    turn = quaternion_exponential(np.array([[0.0, *angles], [0.0, 0.0, 0.0]]))
    rows = equation_rows(anchor_frames(joints, inertia, Motion(inertia.centre, turn, np.zeros((2, 6)))))
    assert rows.value[3] == pytest.approx(0.0, abs=1e-15)
    assert np.linalg.norm(rows.blocks[3, 1]) == pytest.approx(1.0, abs=1e-12)


def test_the_turns_of_a_hinge_are_counted() -> None:
    inertia = some_inertia(1)
    joints = Joints.of([hinge(Anchors("axle", FIXED, 0, Pose.identity(), Pose.identity()))], inertia)
    near = None
    for angle in np.arange(0.0, 40.0, 1.5):
        turn = quaternion_exponential(np.array([[0.0, 0.0, angle]]))
        frames = anchor_frames(joints, inertia, Motion(np.zeros((1, 3)), turn, np.zeros((1, 6))))
        near = frames.coordinates(near)
        assert near[0, 5] == pytest.approx(angle, abs=1e-12)


def test_rates_of_motors_limits_and_dampers_are_in_units_of_the_greatest_radius() -> None:
    rng = np.random.default_rng(5)
    inertia = some_inertia(2)
    anchors = Anchors("rail", 0, 1, random_pose(rng), random_pose(rng))
    joints = Joints.of([slider(anchors, DRIVEN)], inertia)
    frames = anchor_frames(joints, inertia, some_motion(rng, 2))
    rows, greatest = motor_rows(frames)
    assert joints.length == pytest.approx(1.7)
    assert rows.value == pytest.approx([2.0 / 1.7])
    assert greatest == pytest.approx([5.0 * 1.7])
    at = float(coordinate_rows(frames, ~joints.locked).value[0])
    assert limit_rows(frames).value == pytest.approx([at + 0.4 / 1.7, 0.7 / 1.7 - at])
    assert damper_rows(frames)[1] == pytest.approx([0.2 * 1.7**2])


@pytest.mark.parametrize(
    ("joint", "message"),
    [
        (ball(Anchors("knee", 1, 1, Pose.identity(), Pose.identity())), '"knee".*itself'),
        (ball(Anchors("knee", FIXED, FIXED, Pose.identity(), Pose.identity())), '"knee".*the world'),
        (ball(Anchors("knee", 0, 7, Pose.identity(), Pose.identity())), '"knee".*body 7, there are 2'),
        (hinge(Anchors("knee", 0, 1, Pose.identity(), Pose.identity()), Axis(lower=1, upper=0)), "limits"),
        (
            hinge(Anchors("knee", 0, 1, Pose.identity(), Pose.identity()), Axis(True, motor=Motor(1))),
            "locked",
        ),
        (hinge(Anchors("knee", 0, 1, Pose.identity(), Pose.identity()), Axis(spring=Spring(-1))), "negative"),
        (hinge(Anchors("knee", 0, 1, Pose.identity(), Pose.identity()), Axis(motor=Motor(np.nan))), "finite"),
    ],
)
def test_a_joint_without_meaning_is_an_error_that_names_it(joint: Joint, message: str) -> None:
    with pytest.raises(JointError, match=message):
        Joints.of([joint], some_inertia(2))


def test_a_joint_of_a_scene_frame_needs_its_bodies() -> None:
    with pytest.raises(JointError, match="body 3, there are 1"):
        Anchors.at("knee", 0, 3, Pose.identity(), [Pose.identity()])


def test_an_open_chain_is_closed_by_a_small_motion() -> None:
    rng = np.random.default_rng(7)
    inertia = some_inertia(3)
    motion = some_motion(rng, 3)
    poses = motion.poses(inertia)
    pairs = [(FIXED, 0), (0, 1), (1, 2)]
    anchors = [
        Anchors.at(f"{i}", *pair, Pose(rng.normal(size=4), rng.normal(size=3)), poses)
        for i, pair in enumerate(pairs)
    ]
    joints = Joints.of([hinge(anchors[0]), ball(anchors[1]), hinge(anchors[2])], inertia)
    moved = motion.displaced(inertia, 0.2 * rng.normal(size=(3, 6)))
    closed = closed_joints(joints, inertia, moved)
    rows = equation_rows(anchor_frames(joints, inertia, closed))
    assert np.abs(rows.value).max() < 1e-12
    assert np.abs(rows.rates(closed.rates)).max() < 1e-12
    assert np.abs(closed.centre - moved.centre).max() < 2.0


def test_joints_that_contradict_one_another_are_an_error() -> None:
    inertia = some_inertia(1)
    identity = Pose.identity()
    motion = Motion(np.zeros((1, 3)), identity.rotation[None], np.zeros((1, 6)))
    near, far = Pose(identity.rotation, np.zeros(3)), Pose(identity.rotation, np.array([5.0, 0.0, 0.0]))
    joints = Joints.of(
        [ball(Anchors("left", FIXED, 0, near, near)), ball(Anchors("right", FIXED, 0, far, near))], inertia
    )
    with pytest.raises(JointError, match=r'"(left|right)": it cannot be closed.*gap of 2\.5'):
        closed_joints(joints, inertia, motion)


@pytest.mark.parametrize("kind", [ball, hinge, slider, piston, fixed])
def test_seated_joints_are_closed_where_bodies_are_a_little_beside_them(
    kind: Callable[[Anchors], Joint],
) -> None:
    rng = np.random.default_rng(3)
    inertia = some_inertia(2)
    joints = Joints.of([kind(Anchors("beside", 0, 1, random_pose(rng), random_pose(rng)))], inertia)
    closed = closed_joints(joints, inertia, some_motion(rng, 2))
    beside = closed.displaced(inertia, 1e-5 * rng.normal(size=(2, 6)))
    seated = joints.seated(anchor_frames(joints, inertia, beside))
    frames = anchor_frames(seated, inertia, beside)
    assert np.abs(frames.residuals()[seated.locked]).max() < 1e-14
    before = anchor_frames(joints, inertia, closed).coordinates()
    assert np.abs(frames.coordinates() - before)[~seated.locked].max(initial=0.0) < 1e-3
