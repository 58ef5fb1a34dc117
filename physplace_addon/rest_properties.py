# SPDX-License-Identifier: GPL-3.0-or-later
"""The property `object.physplace`: the rests of an object, each keyed on its frame, and a blob's switch."""

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
from bpy.types import Object, PropertyGroup

from .blob_properties import has_own_join_width, set_own_join_width

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
        own_join_width: bool
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
        own_join_width: BoolProperty(
            name="Own Join Width",
            description=(
                "Whether the join of this element of a blob has a width of its own; "
                "else it is as wide as the blob's joins"
            ),
            options=set(),
            get=has_own_join_width,
            set=set_own_join_width,
            override=OVERRIDABLE,
        )
