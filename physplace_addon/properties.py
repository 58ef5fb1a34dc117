# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of PhysPlace, kept with each scene as `scene.physplace`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntProperty
from bpy.types import PropertyGroup


class PhysPlaceSettings(PropertyGroup):
    """How objects are placed."""

    if TYPE_CHECKING:
        use_scene_gravity: bool
        gravity: tuple[float, float, float]
        eps_max: float
        step_limit: int
        check_energy: bool
        balance: str
        friction: float
        alpha: float
        leave_metastable: bool
        seed: int
        key_path: bool
        frame_step: int
    else:
        use_scene_gravity: BoolProperty(
            name="Scene Gravity",
            description="Fall along the scene's gravity, so that placing agrees with Blender's physics",
            default=True,
        )
        gravity: FloatVectorProperty(
            name="Direction",
            description="The direction things fall in; only the direction counts, not the length",
            subtype="DIRECTION",
            default=(0.0, 0.0, -1.0),
        )
        eps_max: FloatProperty(
            name="Largest Step",
            description=(
                "The largest motion of one step, as a share of the object's radius: "
                "smaller follows the way down more closely, larger arrives in fewer steps"
            ),
            default=0.05,
            min=0.001,
            max=0.5,
            precision=3,
        )
        step_limit: IntProperty(
            name="Step Limit",
            description="Stop after this many steps, even if the object is not at rest yet",
            default=400,
            min=1,
            soft_max=2000,
        )
        check_energy: BoolProperty(
            name="Only Downhill",
            description=(
                "Refuse every step that would raise the object: it then surely comes to an end. "
                "Pushes and nudges always do without"
            ),
            default=True,
        )
        balance: EnumProperty(
            name="Balance",
            description="How the contacts share the weight",
            items=(
                ("NONNEGATIVE", "Pushing Only", "Contacts push and never glue: the true rest"),
                ("SVD", "Singular Values", "The paper's balance, which may pull: to compare with"),
            ),
            default="NONNEGATIVE",
        )
        friction: FloatProperty(
            name="Friction",
            description=(
                "Coulomb's coefficient of all contacts: the object stops where friction can hold it. "
                "0 is perfectly smooth, wood on wood about 0.4"
            ),
            default=0.0,
            min=0.0,
            soft_max=1.0,
            max=1000.0,
        )
        alpha: FloatProperty(
            name="Share in Motion",
            description=(
                "How much of the friction also bends the way down; "
                "at 0 it only decides where the object may stop"
            ),
            default=0.0,
            min=0.0,
            max=1.0,
            subtype="FACTOR",
        )
        leave_metastable: BoolProperty(
            name="Leave Unstable",
            description=(
                "Go on from a rest that the least push would end, such as a ball on top of a ball, "
                "by a small nudge of chance"
            ),
            default=False,
        )
        seed: IntProperty(
            name="Seed",
            description="Chooses the nudges by which unstable rests are left; the same seed, the same way",
            default=0,
            min=0,
        )
        key_path: BoolProperty(
            name="Key the Path",
            description=(
                "Key location and rotation on every step of the way, from the current frame on, "
                "so that the object can be seen to settle; then go to the last frame of it"
            ),
            default=False,
        )
        frame_step: IntProperty(
            name="Frames a Step",
            description="The number of frames from one key of the path to the next",
            default=1,
            min=1,
            soft_max=10,
        )
