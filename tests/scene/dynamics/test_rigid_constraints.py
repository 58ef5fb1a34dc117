"""Each kind of rigid body constraint as a joint; and those that join nothing."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest

from physplace_addon.core.contact.system import FIXED
from physplace_addon.core.dynamics.simulation import Simulation
from physplace_addon.core.dynamics.state import SimulationStatus
from physplace_addon.core.mechanics.joints import (
    FREE,
    LOCKED,
    UNBREAKABLE,
    Axis,
    Joint,
    Motor,
    Spring,
    Strength,
)
from physplace_addon.core.rigid import Pose
from physplace_addon.scene.access import present
from physplace_addon.scene.dynamics.rigid_bodies import LeftOut
from physplace_addon.scene.dynamics.rigid_constraints import Joinable, joints_of
from physplace_addon.scene.errors import SceneError
from tests.blender_data import current_scene, current_view_layer
from tests.scene import scenes
from tests.scene.dynamics.rigid_scenes import body, constraint, names, read

IMPULSE_SECONDS = 0.01
STAYS = (LOCKED, LOCKED, LOCKED)


def _joinable(visible: tuple[str, ...] = ("Arm", "Post")) -> Joinable:
    pose = Pose(np.array([1.0, 0.0, 0.0, 0.0]), np.array([2.0, 0.0, 0.0]))
    return Joinable({"Arm": 0, "Hand": 0}, 1, [pose], frozenset(visible), IMPULSE_SECONDS)


def _objects() -> tuple[bpy.types.Object, bpy.types.Object]:
    return scenes.cube("Post", (-2.0, 0.0, 0.0)), scenes.cube("Arm", (2.0, 0.0, 0.0))


def _joint(kind: str, **settings: object) -> Joint:
    post, arm = _objects()
    constraint(kind, post, arm, **settings)
    (joint,) = joints_of(current_scene(), _joinable(), LeftOut())
    return joint


def _near(axis: Axis, lower: float, upper: float) -> None:
    assert (axis.lower, axis.upper) == pytest.approx((lower, upper))


def test_a_fixed_constraint_locks_all_axes() -> None:
    assert _joint("FIXED").axes == (*STAYS, *STAYS)


def test_a_point_is_a_ball_joint() -> None:
    assert _joint("POINT").axes == (*STAYS, FREE, FREE, FREE)


def test_a_hinge_turns_about_z_between_limits_that_blender_measures_backwards() -> None:
    joint = _joint("HINGE", use_limit_ang_z=True, limit_ang_z_lower=-0.25, limit_ang_z_upper=0.5)
    assert joint.axes[:5] == (*STAYS, LOCKED, LOCKED)
    _near(joint.axes[5], -0.5, 0.25)


def test_a_hinge_without_limits_turns_freely() -> None:
    assert _joint("HINGE").axes[5] == FREE


def test_a_slider_shifts_along_x_between_limits() -> None:
    joint = _joint("SLIDER", use_limit_lin_x=True, limit_lin_x_lower=-0.25, limit_lin_x_upper=0.5)
    _near(joint.axes[0], -0.25, 0.5)
    assert joint.axes[1:] == (LOCKED, LOCKED, *STAYS)


def test_a_piston_shifts_along_and_turns_about_x() -> None:
    limits = {"use_limit_ang_x": True, "limit_ang_x_lower": -0.25, "limit_ang_x_upper": 0.5}
    joint = _joint("PISTON", **limits)
    assert joint.axes[0] == FREE
    _near(joint.axes[3], -0.25, 0.5)
    assert joint.axes[1:3] + joint.axes[4:] == (LOCKED, LOCKED, LOCKED, LOCKED)


def test_a_generic_constraint_locks_frees_and_limits_each_axis() -> None:
    joint = _joint(
        "GENERIC",
        **{"use_limit_lin_y": True, "limit_lin_y_lower": 0.0, "limit_lin_y_upper": 0.0},
        **{"use_limit_ang_x": True, "limit_ang_x_lower": -0.25, "limit_ang_x_upper": 0.5},
        use_spring_x=True,
    )
    assert joint.axes[:3] == (FREE, LOCKED, FREE)
    _near(joint.axes[3], -0.5, 0.25)
    assert joint.axes[4:] == (FREE, FREE)


def test_springs_act_on_their_axes() -> None:
    settings = {"use_spring_x": True, "spring_stiffness_x": 3.0, "spring_damping_x": 0.25}
    turns = {"use_spring_ang_z": True, "spring_stiffness_ang_z": 5.0, "spring_damping_ang_z": 0.5}
    joint = _joint("GENERIC_SPRING", **settings, **turns)
    assert joint.axes[0] == Axis(spring=Spring(3.0, 0.25))
    assert joint.axes[5] == Axis(spring=Spring(5.0, 0.5))
    assert joint.axes[1:5] == (FREE, FREE, FREE, FREE)


def test_a_motor_drives_x_with_at_most_its_impulse_in_a_substep() -> None:
    settings = {"use_motor_ang": True, "motor_ang_target_velocity": 2.0, "motor_ang_max_impulse": 0.5}
    joint = _joint("MOTOR", **settings)
    assert joint.axes[0] == FREE
    assert joint.axes[3] == Axis(motor=Motor(-2.0, 0.5 / IMPULSE_SECONDS))


def test_the_anchor_is_where_the_object_of_the_constraint_stands() -> None:
    holder = constraint("POINT", *_objects())
    holder.location, holder.scale = (1.0, 2.0, 3.0), (2.0, 2.0, 2.0)
    current_view_layer().update()
    (joint,) = joints_of(current_scene(), _joinable(), LeftOut())
    anchors = joint.anchors
    assert (anchors.name, anchors.first, anchors.second) == ("Joint", FIXED, 0)
    np.testing.assert_allclose(anchors.frame1.translation, (1.0, 2.0, 3.0))
    np.testing.assert_allclose(anchors.frame2.translation, (-1.0, 2.0, 3.0))


def test_what_joins_nothing_that_moves_and_what_is_disabled_does_not_count() -> None:
    post, arm = _objects()
    constraint("POINT", post, scenes.cube("Other"))
    constraint("POINT", post, arm, enabled=False)
    assert joints_of(current_scene(), _joinable(), LeftOut()) == []


def test_what_is_left_out_is_named() -> None:
    left_out = LeftOut()
    constraint("GENERIC_SPRING", *_objects(), use_spring_x=True, spring_type="SPRING1")
    joints_of(current_scene(), _joinable(), left_out)
    assert left_out.notes() == ('the old springs of "Joint"',)


def test_a_breaking_threshold_is_a_force_over_a_substep() -> None:
    joint = _joint("POINT", use_breaking=True, breaking_threshold=0.5)
    force = 0.5 / IMPULSE_SECONDS
    assert joint.strength == Strength(force, force, IMPULSE_SECONDS)


def test_a_joint_that_cannot_break_bears_everything() -> None:
    assert _joint("POINT", breaking_threshold=0.5).strength == UNBREAKABLE


def test_limits_bounce_by_the_property_of_the_object_that_has_the_constraint() -> None:
    holder = constraint("HINGE", *_objects(), use_limit_ang_z=True)
    holder["physplace_restitution"] = 0.25
    (joint,) = joints_of(current_scene(), _joinable(), LeftOut())
    assert joint.axes[5].restitution == 0.25


@pytest.mark.parametrize("kind", ["POINT", "HINGE", "FIXED"])
@pytest.mark.parametrize(("share", "falls"), [(0.98, True), (1.02, False)])
def test_a_weight_tears_its_joint_off_where_blenders_own_simulation_does(
    kind: str, share: float, falls: bool
) -> None:
    post, weight = scenes.cube("Post", (0.0, 0.0, 6.0)), scenes.cube("Weight", (0.0, 0.0, 0.0))
    body(post, "PASSIVE")
    body(weight, mass=2.0, linear_damping=0.0, angular_damping=0.0)
    threshold = share * 2.0 * 9.81 / 24.0 / 10.0
    holder = constraint(kind, post, weight, use_breaking=True, breaking_threshold=threshold)
    holder.location = (0.0, 0.0, 3.0)
    current_scene().render.fps = 24
    found = read(weight)
    made = Simulation(found.scene, found.motion)
    made.run(10.0 / 24.0)
    assert (made.state.motion.centre[0, 2] < -0.5) == falls
    assert made.broken_names(made.state) == ["Joint"] * falls
    for frame in range(1, 12):
        current_scene().frame_set(frame)
    graph = present(bpy.context.evaluated_depsgraph_get())
    assert (weight.evaluated_get(graph).matrix_world.translation.z < -0.5) == falls


def test_what_is_joined_goes_through_its_partner_where_collisions_are_disabled() -> None:
    """An arm stands in the post that it is hinged to."""
    post, arm = scenes.cube("Post", (0.0, 0.0, 0.0)), scenes.cube("Arm", (1.5, 0.0, 0.0))
    constraint("HINGE", post, arm, disable_collisions=True)
    found = read(arm)
    assert names(found) == ["Arm", "Post"]
    assert len(found.bodies) == 2
    made = Simulation(found.scene, found.motion)
    assert made.status.is_running
    made.run(0.1)
    assert made.state.motion.centre[1] == pytest.approx(np.zeros(3), abs=1e-12)


def test_what_is_joined_collides_where_that_is_asked_for() -> None:
    post, arm = scenes.cube("Post", (0.0, 0.0, 0.0)), scenes.cube("Arm", (1.5, 0.0, 0.0))
    constraint("HINGE", post, arm, disable_collisions=False)
    found = read(arm)
    assert len(found.bodies) == 1
    assert Simulation(found.scene, found.motion).status is SimulationStatus.INTERFERING_START


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda post, arm: constraint("POINT", None, arm), "has no First object; choose one"),
        (lambda post, arm: constraint("POINT", arm, None), "has no Second object; choose one"),
        (lambda post, arm: constraint("POINT", arm, arm), 'joins "Arm" to itself'),
        (
            lambda post, arm: constraint("POINT", post, arm, use_breaking=True, breaking_threshold=0.0),
            "breaking threshold of its rigid body constraint is 0; set it above 0",
        ),
        (lambda post, arm: constraint("POINT", arm, scenes.cube("Hand")), 'joins "Arm" and "Hand", which'),
        (lambda post, arm: constraint("POINT", arm, scenes.cube("Ghost")), '"Ghost", which is hidden'),
        (
            lambda post, arm: constraint("HINGE", post, arm, use_limit_ang_z=True, limit_ang_z_lower=1.0),
            "turn about z are 1 and 0.785398; make the lower",
        ),
    ],
)
def test_a_constraint_that_cannot_be_is_an_error(
    make: Callable[[bpy.types.Object, bpy.types.Object], bpy.types.Object], message: str
) -> None:
    make(*_objects())
    with pytest.raises(SceneError, match=message) as refused:
        joints_of(current_scene(), _joinable(), LeftOut())
    assert refused.value.name == "Joint"


def test_a_constraint_without_a_size_is_an_error() -> None:
    constraint("POINT", *_objects()).scale = (0.0, 1.0, 1.0)
    current_view_layer().update()
    with pytest.raises(SceneError, match="no axes"):
        joints_of(current_scene(), _joinable(), LeftOut())
