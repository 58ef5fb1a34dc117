"""Typed access to Blender's data, for tests.

Blender's type stubs call values optional that are always there, and know only the base classes of what a
collection makes. The functions here give the exact types, so that no test needs a cast.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

import bpy
from bpy.types import (
    ID,
    Action,
    AnimData,
    Curve,
    FCurve,
    Mesh,
    NodeTree,
    Object,
    Preferences,
    Scene,
    Struct,
    ViewLayer,
    WindowManager,
)

from physplace_addon.scene.access import custom_properties, extended, present

if TYPE_CHECKING:
    from physplace_addon.operators.placing.live_check import PhysPlaceSwitches
    from physplace_addon.properties import PhysPlaceSettings
    from physplace_addon.rest_properties import PhysPlaceObject

Kind = TypeVar("Kind")


class Operator(Protocol):
    """An operator as scripts call it."""

    def __call__(self, *context: str, **properties: object) -> set[str]: ...
    def poll(self) -> bool: ...
    def get_rna_type(self) -> Struct: ...


class Operators(Protocol):
    """The operators of one name space of `bpy.ops`."""

    def __getattr__(self, name: str) -> Operator: ...


def operators_of(name: str) -> Operators:
    """Return the operators of a name space of `bpy.ops`."""
    return cast("Operators", getattr(bpy.ops, name))


physplace = operators_of("physplace")


def of_type(value: object, kind: type[Kind]) -> Kind:
    """Return a value whose stub gives only a base class of its kind.

    Raises TypeError if it is of another kind.
    """
    if not isinstance(value, kind):
        raise TypeError(f"expected {kind.__name__}, found {value!r}")
    return value


def current_scene() -> Scene:
    """Return the context's scene."""
    return present(bpy.context.scene)


def current_view_layer() -> ViewLayer:
    """Return the context's view layer."""
    return present(bpy.context.view_layer)


def window_manager() -> WindowManager:
    """Return Blender's only window manager."""
    return present(bpy.context.window_manager)


def preferences() -> Preferences:
    """Return the artist's preferences."""
    return present(bpy.context.preferences)


def active_object() -> Object:
    """Return the context's object, which must be there."""
    return present(bpy.context.object)


def scene_settings() -> PhysPlaceSettings:
    """Return the settings of PhysPlace that the context's scene carries."""
    settings: PhysPlaceSettings = extended(current_scene()).physplace
    return settings


def switches() -> PhysPlaceSwitches:
    """Return the switches of PhysPlace, such as that of the live check."""
    found: PhysPlaceSwitches = extended(window_manager()).physplace
    return found


def rests_of(obj: Object) -> PhysPlaceObject:
    """Return what PhysPlace keeps with an object: its rests."""
    kept: PhysPlaceObject = extended(obj).physplace
    return kept


def report_of(obj: Object) -> dict[str, Any]:
    """Return the report that an object carries."""
    report: dict[str, Any] = custom_properties(obj)["physplace_report"].to_dict()
    return report


def property_names(block: ID) -> set[str]:
    """Return the names of a data-block's custom properties."""
    return {name for name, _ in custom_properties(block).items()}


def mesh_of(obj: Object) -> Mesh:
    """Return an object's mesh."""
    return of_type(obj.data, Mesh)


def curve_of(obj: Object) -> Curve:
    """Return an object's curve, surface or text."""
    return of_type(obj.data, Curve)


def animation_of(block: Object) -> AnimData:
    """Return the animation data of an object that has some."""
    return present(block.animation_data)


def action_of(block: Object) -> Action:
    """Return the action of an object that has one."""
    return present(animation_of(block).action)


def drive(block: Object, path: str, expression: str, index: int = -1) -> FCurve:
    """Drive a property of an object by an expression."""
    curve = block.driver_add(path, index)
    present(curve.driver).expression = expression
    return curve


def constrain(obj: Object, kind: str, target: Object) -> None:
    """Give an object a constraint with a target."""
    constraint = cast("Any", obj.constraints).new(kind)
    constraint.target = target


def load_object(path: Path, name: str, *, link: bool = False) -> Object:
    """Return an object of another file, appended or linked; it is in no collection yet."""
    with cast("Any", bpy.data.libraries).load(str(path), link=link) as (_, wanted):
        wanted.objects = [name]
    return of_type(wanted.objects[0], Object)


def display_type_of(obj: Object) -> str:
    """Return how the viewport shows an object now."""
    return obj.display_type


def geometry_nodes(name: str) -> NodeTree:
    """Return a new tree of geometry nodes, from a geometry to a geometry, with no nodes in it."""
    group = of_type(cast("Any", bpy.data.node_groups).new(name, "GeometryNodeTree"), NodeTree)
    for direction in ("INPUT", "OUTPUT"):
        present(group.interface).new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    return group
