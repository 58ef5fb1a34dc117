"""Figures with curved parts, and figures in a curved world: true surfaces are not passed through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import pytest

from physplace_addon.core.arrays import Floats
from physplace_addon.core.articulation import Linkage, LinkageDrag, LinkageScene, LinkageState, PointGoal
from physplace_addon.core.bodies import Body, exact
from physplace_addon.core.bodies.implicit_solid import blob_body
from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.mechanics.joints import Anchors, ball
from physplace_addon.core.rigid import Pose
from physplace_addon.core.surfaces import kinds
from tests.core.articulation import figures
from tests.core.bodies import blob_bodies

LENGTH, RADIUS = 1.0, 0.25
BLOB_SCALE = RADIUS / blob_bodies.RADIUS


@lru_cache
def ball_body() -> Body:
    return exact(kinds.sphere(RADIUS), "ball")


@lru_cache
def blob() -> Body:
    return blob_body(blob_bodies.ball_of(BLOB_SCALE), "blob", tolerance=0.04 * RADIUS)


@lru_cache
def cylinder() -> Body:
    return exact(kinds.cylinder(RADIUS, 2.0 * RADIUS), "cylinder")


def arm(end: Body) -> figures.Figure:
    """A rod from a ball joint in the world along x, and a body at its end on another one."""
    poses = [figures.at(np.array([0.5 * LENGTH, 0.0, 0.0])), figures.at(np.array([LENGTH, 0.0, 0.0]))]
    joints = [
        ball(Anchors.at("base", FIXED, 0, figures.at(np.zeros(3)), poses)),
        ball(Anchors.at("wrist", 0, 1, poses[1], poses)),
    ]
    rod = figures.box((0.9 * LENGTH, 0.05, 0.05), "rod")
    return figures.Figure(Linkage.of([rod, end], joints, names=["rod", "end"]), poses)


def placed(body: Body, place: Sequence[float]) -> Body:
    """A body moved to a place."""
    return body.transformed(figures.at(np.array(place)).matrix4)


def lowest_of_ball(pose: Pose) -> float:
    return float(pose.translation[2]) - RADIUS


def lowest_of_cylinder(pose: Pose) -> float:
    axis = abs(float(pose.matrix[2, 2]))
    return float(pose.translation[2]) - RADIUS * axis - RADIUS * float(np.sqrt(max(1.0 - axis**2, 0.0)))


def dragged(
    figure: figures.Figure, world: list[Body], shift: Floats, judge: Callable[[LinkageState], float]
) -> None:
    """A drag of the end along a shift and back; at each tick what is between the surfaces is not negative."""
    scene = LinkageScene.of(figure.linkage, figure.poses, world)
    start = scene.start.poses[1].translation
    drag = LinkageDrag(scene, scene.start, [PointGoal(1, np.zeros(3), start)])
    touched = 0
    for share in (*np.linspace(0.0, 1.0, 7)[1:], *np.ones(2), *np.linspace(1.0, 0.0, 4)[1:]):
        drag.move_to([PointGoal(1, np.zeros(3), start + share * shift)])
        state = drag.step()
        assert judge(state) > 0.0
        assert state.joint_error < 1e-6
        touched += len(state.contacts) > 0
    assert touched >= 3
    assert drag.status.is_running or drag.state.goal_errors.max() < 1e-5, "it came back"


@pytest.mark.parametrize(
    ("end", "lowest"),
    [(ball_body, lowest_of_ball), (blob, lowest_of_ball), (cylinder, lowest_of_cylinder)],
)
def test_a_curved_part_stops_at_a_floor(end: Callable[[], Body], lowest: Callable[[Pose], float]) -> None:
    height = -0.45
    floor = placed(figures.box((6.0, 6.0, 0.2), "floor"), (0.0, 0.0, height - 0.1))
    dragged(arm(end()), [floor], np.array([-0.1, 0.0, -0.6]), lambda state: lowest(state.poses[1]) - height)


@pytest.mark.parametrize(("end", "post"), [(ball_body, blob), (ball_body, ball_body)])
def test_a_curved_part_slides_around_a_curved_thing(
    end: Callable[[], Body], post: Callable[[], Body]
) -> None:
    place = np.array([0.8, 0.05, -0.55])

    def between(state: LinkageState) -> float:
        return float(np.linalg.norm(state.poses[1].translation - place)) - 2.0 * RADIUS

    dragged(arm(end()), [placed(post(), place.tolist())], np.array([-0.4, 0.0, -0.8]), between)


def test_two_curved_parts_of_one_figure_touch() -> None:
    first = arm(ball_body())
    sides = [0.4, -0.4]
    poses = [pose.displaced((0.0, y, 0.0), np.zeros(3), np.zeros(3)) for y in sides for pose in first.poses]
    joints = []
    for side, y in enumerate(sides):
        rod, tip = 2 * side, 2 * side + 1
        joints.append(
            ball(Anchors.at(f"base {side}", FIXED, rod, figures.at(np.array([0.0, y, 0.0])), poses))
        )
        joints.append(ball(Anchors.at(f"wrist {side}", rod, tip, poses[tip], poses)))
    parts = list(first.linkage.parts) * 2
    figure = figures.Figure(Linkage.of(parts, joints), poses)

    def between(state: LinkageState) -> float:
        return float(np.linalg.norm(state.poses[1].translation - state.poses[3].translation)) - 2.0 * RADIUS

    dragged(figure, [], np.array([-0.05, -0.45, 0.0]), between)
