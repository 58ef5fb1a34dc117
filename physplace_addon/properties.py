# SPDX-License-Identifier: GPL-3.0-or-later
"""The properties `scene.physplace`, the settings, and `object.physplace`, the rests of an object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
)
from bpy.types import Collection, Object, PropertyGroup

from .core.placement import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol, TypeVar

    Item = TypeVar("Item", covariant=True)

    class CollectionOf(Protocol[Item]):
        """A collection property, which the stubs do not know."""

        def add(self) -> Item: ...
        def remove(self, index: int) -> None: ...
        def __getitem__(self, index: int) -> Item: ...
        def __iter__(self) -> Iterator[Item]: ...
        def __len__(self) -> int: ...


OVERRIDABLE = {"LIBRARY_OVERRIDABLE"}
OVERRIDABLE_LIST = {"LIBRARY_OVERRIDABLE", "USE_INSERTION"}

PUSH, WORLD, OBJECT = "PUSH", "WORLD", "OBJECT"  # the kinds of a rest's forces
STRENGTH = {
    "name": "Strength",
    "description": "How strong the force is, in weights of the object: more than 1 can lift it",
    "soft_min": 0.01,
    "soft_max": 10.0,
}
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
        "Go on from a rest that the least push would end, such as a ball on top of a ball, "
        "by a small nudge of chance"
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
            name="Never Rise",
            description=(
                "Refuse every step that would raise the object: it then surely comes to an end. "
                "Pushes and nudges always do without"
            ),
            default=_CORE.check_energy,
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
        friction: FloatProperty(**FRICTION)
        alpha: FloatProperty(
            name="Share in Motion",
            description=(
                "How much of the friction also bends the way down; "
                "at 0 it only decides where the object may stop"
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
            description="Chooses the nudges by which unstable rests are left; the same seed, the same way",
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
                "Coulomb's coefficient of simulated surfaces that have neither rigid body settings nor a "
                "property physplace_friction. Those of the two surfaces in contact are multiplied"
            ),
            default=0.5,
            min=0.0,
            soft_max=1.0,
            max=1000.0,
        )
        body_restitution: FloatProperty(
            name="Bounciness",
            description=(
                "How much of their speed simulated surfaces keep in an impact that have neither rigid body "
                "settings nor a property physplace_restitution. Those of the two surfaces are multiplied"
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


class PhysPlaceRestForce(PropertyGroup):
    """A force on an object besides its weight on its path to a rest, in the object's own coordinates."""

    if TYPE_CHECKING:
        kind: str
        point: tuple[float, float, float]
        direction: tuple[float, float, float]
        strength: float
        target: tuple[float, float, float]
        other: Object | None
    else:
        kind: EnumProperty(
            name="Kind",
            description="What the force does",
            items=(
                (PUSH, "Push", "It pushes along a direction that turns with the object"),
                (WORLD, "To a Place", "It draws the point to a place of the world"),
                (OBJECT, "To an Object", "It draws the point to a point of another object"),
            ),
            default=PUSH,
            override=OVERRIDABLE,
        )
        point: FloatVectorProperty(
            name="Point",
            description="Where the force acts, in the object's own coordinates",
            subtype="XYZ",
            override=OVERRIDABLE,
        )
        direction: FloatVectorProperty(
            name="Direction",
            description="Where a push goes, in the object's own coordinates; only the direction counts",
            subtype="XYZ",
            default=(0.0, 0.0, -1.0),
            override=OVERRIDABLE,
        )
        strength: FloatProperty(**STRENGTH, default=1.0, override=OVERRIDABLE)
        target: FloatVectorProperty(
            name="Target",
            description="Where the point is drawn to, in the world or in the other object's own coordinates",
            subtype="XYZ",
            override=OVERRIDABLE,
        )
        other: PointerProperty(
            name="Other Object",
            description="The object that the point is drawn to",
            type=Object,
            override=OVERRIDABLE,
        )


class PhysPlaceRest(PropertyGroup):
    """A rest of an object on a frame: its start, its forces, and its end."""

    if TYPE_CHECKING:
        name: str
        frame: int
        start_location: tuple[float, float, float]
        start_rotation: tuple[float, float, float, float]
        rest_location: tuple[float, float, float]
        rest_rotation: tuple[float, float, float, float]
        keyed_frame: int
        forces: CollectionOf[PhysPlaceRestForce]
    else:
        frame: IntProperty(
            name="Frame",
            description="The frame the rest is keyed on; after a change, place the rests again",
            override=OVERRIDABLE,
        )
        start_location: FloatVectorProperty(
            name="Start",
            description="Where in the world the object falls from",
            subtype="XYZ",
            override=OVERRIDABLE,
        )
        start_rotation: FloatVectorProperty(
            name="Start Rotation",
            description="How the object is turned in the world where it falls from",
            size=4,
            default=(1.0, 0.0, 0.0, 0.0),
            override=OVERRIDABLE,
        )
        rest_location: FloatVectorProperty(
            name="Rest",
            description="Where in the world the object came to rest",
            subtype="XYZ",
            override=OVERRIDABLE,
        )
        rest_rotation: FloatVectorProperty(
            name="Rest Rotation",
            description="How the object is turned in the world where it came to rest",
            size=4,
            default=(1.0, 0.0, 0.0, 0.0),
            override=OVERRIDABLE,
        )
        keyed_frame: IntProperty(
            name="Keyed Frame",
            description="The frame on which the keys of the rest are",
            override=OVERRIDABLE,
        )
        forces: CollectionProperty(
            name="Forces",
            description="What acts on the object besides its weight",
            type=PhysPlaceRestForce,
            override=OVERRIDABLE_LIST,
        )


class PhysPlaceObject(PropertyGroup):
    """The properties of an object: `object.physplace`."""

    if TYPE_CHECKING:
        rests: CollectionOf[PhysPlaceRest]
        active_rest: int
    else:
        rests: CollectionProperty(
            name="Rests",
            description="The rests of the object, each keyed on its frame",
            type=PhysPlaceRest,
            override=OVERRIDABLE_LIST,
        )
        active_rest: IntProperty(
            name="Active Rest",
            description="The number of the rest that is chosen in the list",
            override=OVERRIDABLE,
        )
