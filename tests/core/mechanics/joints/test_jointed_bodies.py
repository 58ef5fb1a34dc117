"""Jointed bodies: coordinates of every motion that keeps joints closed, in trees and loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.contact.system import FIXED, ContactSystem
from physplace_addon.core.errors import JointError
from physplace_addon.core.mechanics.inertia import Inertia
from physplace_addon.core.mechanics.joints import LOCKED, Anchors, Axis, Joint, Motor, ball, hinge
from physplace_addon.core.mechanics.joints.closure import Positions
from physplace_addon.core.mechanics.joints.equations import (
    JointRows,
    Joints,
    coordinate_rows,
    equation_rows,
    limit_rows,
)
from physplace_addon.core.mechanics.joints.jointed_bodies import JointedBodies
from physplace_addon.core.mechanics.joints.second_derivatives import coordinate_hessians, equation_hessians
from physplace_addon.core.rigid import Pose, quaternion_exponential
from tests.core.mechanics.derivatives import assert_derivatives, near_ellipsoids


def _frame(rng: np.random.Generator, place: Floats | None = None) -> Pose:
    turn = quaternion_exponential(rng.normal(size=3))
    return Pose(turn, rng.normal(size=3) if place is None else place)


def _open_joints(rng: np.random.Generator) -> tuple[Joints, Inertia, Positions]:
    """Joints of three bodies that are far from closed, with all kinds of axes."""
    radius = np.array([0.5, 1.2, 2.0])
    axes = np.tile(np.eye(3), (3, 1, 1))
    inertia = Inertia(np.ones(3), radius, rng.normal(size=(3, 3)), axes, np.ones((3, 3)))
    limited = Axis(lower=-1.0, upper=1.2)
    joints = [
        Joint(Anchors(f"{one} {other}", one, other, _frame(rng), _frame(rng)), (axis,) * 6)
        for one, other, axis in ((0, 1, LOCKED), (1, 2, limited), (FIXED, 2, LOCKED), (0, FIXED, limited))
    ]
    turns = np.array([_frame(rng).rotation for _ in range(3)])
    return Joints.of(joints, inertia), inertia, Positions(rng.normal(size=(3, 3)), turns)


def _spread(blocks: Floats, rows: JointRows, count: int) -> Floats:
    """Second derivatives by two bodies' twists, in the columns of all bodies."""
    whole = np.zeros((len(rows), count + 1, 6, count + 1, 6))
    for i, bodies in enumerate(rows.body):
        own = blocks[i].reshape(2, 6, 2, 6)
        for a in range(2):
            for b in range(2):
                whole[i, bodies[a], :, bodies[b]] += own[a, :, b]
    return whole[:, :count, :, :count].reshape(len(rows), 6 * count, 6 * count)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["equations", "coordinates", "limits"])
def test_second_derivatives_of_joints_are_those_of_differences(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    joints, inertia, here = _open_joints(rng)

    def rows_at(x: Floats) -> JointRows:
        frames = here.displaced(inertia.radius, x.reshape(3, 6)).frames(joints, inertia)
        if kind == "equations":
            return equation_rows(frames)
        return limit_rows(frames) if kind == "limits" else coordinate_rows(frames, ~joints.locked)

    nowhere, frames = np.zeros(18), here.frames(joints, inertia)
    rows = rows_at(nowhere)
    sign = np.repeat([1.0, -1.0], len(rows) // 2) if kind == "limits" else None
    blocks = (
        equation_hessians(frames, rows) if kind == "equations" else coordinate_hessians(frames, rows, sign)
    )
    hessians, step = _spread(blocks, rows, 3), 1e-4
    for _ in range(10):
        x = rng.normal(size=18)
        x /= np.linalg.norm(x)
        change = rows_at(step * x).value + rows_at(-step * x).value - 2.0 * rows.value
        assert np.abs(change / step**2 - np.einsum("i,kij,j->k", x, hessians, x)).max() < 2e-6


def _jointed(seed: int, loop: bool = False) -> tuple[ContactSystem, JointedBodies]:
    """Two ellipsoids near balls and each other, joined with one another; in a loop with the world, too."""
    system, rng = near_ellipsoids(seed), np.random.default_rng(seed)
    middle = 0.5 * (system.centres[0] + system.centres[1])

    def anchors(name: str, first: int, second: int, place: Floats) -> Anchors:
        return Anchors.at(name, first, second, _frame(rng, place), system.poses)

    joints = [ball(anchors("elbow", 0, 1, middle))]
    if loop:
        joints.append(ball(anchors("left", FIXED, 0, system.centres[0] - [2.0, 0.3, 0.0])))
        joints.append(ball(anchors("right", 1, FIXED, system.centres[1] + [0.3, 0.5, 2.0])))
    else:
        joints.append(hinge(anchors("foot", FIXED, 0, system.centres[0] - [0.5, 0.3, 1.0])))
    return system, JointedBodies.of(joints, system)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("loop", [False, True])
def test_gaps_of_jointed_bodies_have_the_derivatives_of_differences(seed: int, loop: bool) -> None:
    system, bodies = _jointed(seed, loop)
    assert bodies.size(system) == (3 if loop else 4)
    assert_derivatives(bodies, system)


@pytest.mark.parametrize("loop", [False, True])
def test_joints_stay_closed_however_far_bodies_move(loop: bool) -> None:
    system, bodies = _jointed(1, loop)
    rng = np.random.default_rng(1)
    for size in (1e-3, 0.1, 1.0):
        for _ in range(10):
            x = rng.normal(size=bodies.size(system))
            there = bodies.displaced(system, size * x / np.linalg.norm(x))
            assert there is not system
            rows, _ = bodies.reactions(there, np.zeros(12))
            assert np.abs(rows.value).max() < 1e-11


def test_a_joint_stops_at_its_limit() -> None:
    system, _ = _jointed(0)
    frame = Pose(quaternion_exponential(np.array([0.3, 0.2, 0.1])), system.centres[0] - [0.5, 0.3, 1.0])
    foot = hinge(Anchors.at("foot", FIXED, 0, frame, system.poses), Axis(lower=-0.5, upper=0.2))
    bodies = JointedBodies.of([foot], system)
    turn = bodies.of_motion(system, np.concatenate([_turning(system, frame), np.zeros(6)]))
    for sign, limit in ((1.0, 0.2), (-1.0, -0.5)):
        there = bodies.displaced(system, sign * turn)
        assert abs(bodies.frames(there).coordinates()[0, 5] - limit) < 1e-12
        assert bodies.limits(there).gaps.min() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(("limits", "turns"), [((2.8, 3.5), 0), ((-3.5, -2.9), -1), ((-1.0, 1.0), -1)])
def test_a_turn_of_which_nothing_is_known_is_within_its_limits_where_it_can_be(
    limits: tuple[float, float], turns: int
) -> None:
    system, _ = _jointed(0)
    frame = Pose(quaternion_exponential(np.array([0.3, 0.2, 0.1])), system.centres[0] - [0.5, 0.3, 1.0])
    anchors = Anchors.at("foot", FIXED, 0, frame, system.poses)
    bodies = JointedBodies.of([hinge(anchors, Axis(lower=limits[0], upper=limits[1]))], system)
    pose, other = system.poses
    turned = pose.displaced(np.zeros(3), 3.3 * frame.matrix[:, 2], frame.translation)
    found = bodies.frames(system.at([turned, other])).coordinates()[0, 5]
    assert found == pytest.approx(3.3 + 2.0 * np.pi * turns, abs=1e-9)


def _turning(system: ContactSystem, frame: Pose) -> Floats:
    """The twist of body 0 for a turn by 1 about the axis z of a frame."""
    axis = frame.matrix[:, 2]
    arm = (system.centres[0] - frame.translation) / system.radii[0]
    return np.concatenate([np.cross(axis, arm), axis])


def test_limits_have_the_derivatives_of_differences() -> None:
    system, _ = _jointed(0)
    rng = np.random.default_rng(3)
    limited = (Axis(lower=-0.3, upper=0.5),) * 3
    place = 0.5 * (system.centres[0] + system.centres[1])
    elbow = ball(Anchors.at("elbow", 0, 1, _frame(rng, place), system.poses), limited)
    bodies = JointedBodies.of([elbow], system)
    moved = bodies.displaced(system, 0.03 * rng.normal(size=9))
    found, unit, step = bodies.limits(moved), np.eye(9), 1e-4

    def gaps(x: Floats) -> Floats:
        return bodies.limits(bodies.displaced(moved, x)).gaps

    first = np.array([gaps(step * a) - gaps(-step * a) for a in unit]).T / (2.0 * step)
    assert np.abs(found.gradients - first).max() < 1e-7
    for a in unit:
        second = (gaps(step * a) + gaps(-step * a) - 2.0 * found.gaps) / step**2
        assert np.abs(second - np.einsum("i,kij,j->k", a, found.hessians, a)).max() < 1e-5


def test_reactions_balance_what_no_free_motion_feels() -> None:
    system, bodies = _jointed(0, loop=True)
    wrench = np.random.default_rng(0).normal(size=12)
    rows, multipliers = bodies.reactions(system, wrench)
    left = wrench + rows.wrench(multipliers, 2).ravel()
    assert np.abs(left - bodies.on_bodies(system, bodies.wrench(system, wrench))).max() < 1e-12


def test_what_is_held_does_not_move() -> None:
    system, _ = _jointed(0)
    place = 0.5 * (system.centres[0] + system.centres[1])
    frame = _frame(np.random.default_rng(0), place)
    brake = Axis(motor=Motor(0.0, 2.0))
    elbow = ball(Anchors.at("elbow", 0, 1, frame, system.poses), (brake, brake, Axis()))
    bodies = JointedBodies.of([elbow], system, energy=4.0)
    assert np.array_equal(bodies.brakes(system).greatest, [0.5, 0.5])
    held = bodies.holding(system, np.zeros(0, np.intp), np.array([1]))
    assert (bodies.size(system), held.size(system), len(held.brakes(system))) == (9, 8, 1)
    there = held.displaced(system, 0.3 * np.ones(8))
    before, now = (bodies.frames(each).coordinates()[0] for each in (system, there))
    assert abs(now[4] - before[4]) < 1e-12
    assert abs(now[5] - before[5]) > 1e-2


def test_a_joint_that_is_driven_is_named() -> None:
    system, _ = _jointed(0)
    anchors = Anchors.at("wheel", 0, 1, Pose.identity(), system.poses)
    with pytest.raises(JointError, match=r"wheel.*a motor drives it"):
        JointedBodies.of([hinge(anchors, Axis(motor=Motor(1.0)))], system)


def test_bodies_that_do_not_move_keep_their_poses() -> None:
    system, bodies = _jointed(0)
    assert bodies.displaced(system, np.zeros(4)) is system
    alone = JointedBodies.of([], replace(system, moving=()))
    x = np.zeros(12)
    x[7] = 0.1
    there = alone.displaced(replace(system, moving=()), x)
    assert there.poses[0] is system.poses[0]
    assert there.moving == (1,)
