# SPDX-License-Identifier: GPL-3.0-or-later
"""The property `scene.physplace`, the settings. Operators have some of them as options, defined here too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
)
from bpy.types import Collection, PropertyGroup

from .core.placement import Settings

_CORE = Settings()
LARGEST_STEP = {
    "name": "Largest Step",
    "description": (
        "The largest motion of one step, as a share of the object's radius: "
        "smaller follows the way down more closely, larger arrives in fewer steps"
    ),
    "default": _CORE.eps_max,
    "min": 0.001,
    "max": 0.5,
    "precision": 3,
}
FRICTION = {
    "name": "Friction",
    "description": (
        "Coulomb's coefficient of all contacts: the object stops where friction can hold it. "
        "0 is perfectly smooth, wood on wood about 0.4"
    ),
    "default": _CORE.friction,
    "min": 0.0,
    "soft_max": 1.0,
    "max": 1000.0,
}
LEAVE_UNSTABLE = {
    "name": "Leave Unstable",
    "description": (
        "Where the object comes to rest but the least push would tip it, such as a ball on top of "
        "a ball, give it a small random push and go on"
    ),
    "default": _CORE.leave_metastable,
}
ONTO = {
    "name": "Onto",
    "description": "What objects may come to rest on; they pass through all else",
    "items": (
        ("EVERYTHING", "Everything", "On everything that is visible"),
        ("SELECTED", "Selected", "Only on the other selected objects, with their children"),
        ("COLLECTION", "Collection", "Only on the objects of a collection, with their children"),
    ),
    "default": "EVERYTHING",
}
STANCE = {
    "name": "Stand",
    "description": "How objects are turned before they fall, by the least turn: so they keep their heading",
    "items": (
        ("AS_IT_IS", "As It Is", "They fall as they hang"),
        ("UPRIGHT", "Upright", "Their own z axes point against the direction they fall in"),
        ("GROUND", "Along the Ground", "Their own z axes stand upright on the ground that is below them"),
    ),
    "default": "AS_IT_IS",
}


class PhysPlaceSettings(PropertyGroup):
    """How objects are placed."""

    if TYPE_CHECKING:
        stance: str
        onto: str
        onto_collection: Collection | None
        whole_models: bool
        place_on_release: bool
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
        free_depth: float
        key_path: bool
        frame_step: int
        key_error: float
        curve_smooth: bool
        steps_per_second: int
        body_friction: float
        body_restitution: float
        end_at_proven_rest: bool
    else:
        stance: EnumProperty(**STANCE)
        onto: EnumProperty(**ONTO)
        onto_collection: PointerProperty(
            name="Collection", description="The collection that objects may come to rest on", type=Collection
        )
        whole_models: BoolProperty(
            name="Whole Models",
            description=(
                "A model of several meshes under an empty is one thing, as importers make it: any part of it "
                "stands for the whole"
            ),
            default=True,
        )
        place_on_release: BoolProperty(
            name="Place on Release",
            description=(
                "While an object is dragged with contact, a ghost shows the rest that it would take from "
                "there. When it is released it goes there"
            ),
            default=False,
        )
        use_scene_gravity: BoolProperty(
            name="Scene Gravity",
            description="Fall along the scene's gravity, so that placing agrees with Blender's physics",
            default=True,
        )
        gravity: FloatVectorProperty(
            name="Direction",
            description="The direction things fall in; only the direction counts, not the length",
            subtype="DIRECTION",
            default=_CORE.gravity,
        )
        eps_max: FloatProperty(**LARGEST_STEP)
        step_limit: IntProperty(
            name="Step Limit",
            description="Stop after this many steps, even if the object is not at rest yet",
            default=_CORE.step_limit,
            min=1,
            soft_max=2000,
        )
        check_energy: BoolProperty(
            name="Prevent Rising",
            description=(
                "Refuse every step that would raise the object, so that placing surely ends. "
                "While you push or nudge it, it may rise in any case"
            ),
            default=_CORE.check_energy,
        )
        balance: EnumProperty(
            name="Balance",
            description="How the contacts share the weight",
            items=(
                ("NONNEGATIVE", "Pushing Only", "Contacts push and never glue: the true rest"),
                (
                    "SVD",
                    "Pulling, Too",
                    "Contacts may also hold the object back, as if glued: only for comparison with "
                    "Snyder's method of 1995",
                ),
            ),
            default="NONNEGATIVE",
        )
        friction: FloatProperty(**FRICTION)
        alpha: FloatProperty(
            name="Friction While Moving",
            description=(
                "How much of the friction acts while the object slides. At 0 it slides as without "
                "friction, and friction only decides where it may stop"
            ),
            default=_CORE.alpha,
            min=0.0,
            max=1.0,
            subtype="FACTOR",
        )
        curve_smooth: BoolProperty(
            name="Curve Smooth Faces",
            description=(
                "Curve the smooth-shaded faces of meshes that meet at less than 60 degrees, through their "
                "vertices. Off, a mesh that is not subdivided is the flat faces that are seen. An object's "
                "property physplace_faceted, 1 for flat and 0 for curved, comes before this"
            ),
            default=False,
        )
        leave_metastable: BoolProperty(**LEAVE_UNSTABLE)
        seed: IntProperty(
            name="Seed",
            description=(
                "Number that the random pushes out of unstable rests are drawn from. The same seed "
                "gives the same result"
            ),
            default=_CORE.seed,
            min=0,
        )
        free_depth: FloatProperty(
            name="Free at Start",
            description=(
                "What overlaps at the start no deeper than this share of the object's radius is freed by the "
                "least motion, as an imported object that sinks a little into the table. 0 frees nothing"
            ),
            default=0.01,
            min=0.0,
            max=0.1,
            precision=3,
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
        key_error: FloatProperty(
            name="Key Error",
            description=(
                "Leave out keys of the path as long as no point of the object is shown farther off "
                "than this, as a share of its radius. At 0 every step is keyed"
            ),
            default=0.0,
            min=0.0,
            soft_max=0.2,
            precision=3,
        )
        steps_per_second: IntProperty(
            name="Steps a Second",
            description=(
                "The least number of steps of a simulation in a second: more of them follow fast motion more "
                "closely, and take longer"
            ),
            default=240,
            min=24,
            soft_max=960,
            max=10000,
        )
        body_friction: FloatProperty(
            name="Friction",
            description=(
                "How rough objects are in a simulation: 0 is perfectly smooth. Where two objects touch, "
                "their numbers are multiplied. An object with rigid body settings, or with a property "
                "physplace_friction, has its own"
            ),
            default=0.5,
            min=0.0,
            soft_max=1.0,
            max=1000.0,
        )
        body_restitution: FloatProperty(
            name="Bounciness",
            description=(
                "How much of its speed an object keeps when it hits another: 0 does not bounce, 1 loses "
                "nothing. The numbers of the two are multiplied. An object with rigid body settings, or with "
                "a property physplace_restitution, has its own"
            ),
            default=0.0,
            min=0.0,
            max=1.0,
        )
        end_at_proven_rest: BoolProperty(
            name="End at Proven Rest",
            description=(
                "What has almost come to rest in a simulation is placed: it ends at a rest that is proven, "
                "where objects touch exactly"
            ),
            default=True,
        )
