# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies of an object with its children, linked as Blender's Duplicate Linked makes them.

Data is shared. The copies are in the same collections and under the same parent. What refers from one member
of the family to another (a modifier, a constraint, a driver, a custom property) refers to the copy's member.
A copy's action is its own, without location and rotation: the copy has another path.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import bpy
from bpy.types import Context, Modifier, Object, bpy_struct

from ..access import custom_properties, pointers, takes_objects, view_layer_of
from ..blobs.objects import END
from ..reading.definitions import CURVES, PREFIX
from ..reading.masses import CENTER
from .actions import own_action_without_transform

# Custom properties that may be the name of an object.
BY_NAME = frozenset({CENTER, END, *(PREFIX + curve for curve in CURVES.values())})


def duplicate(context: Context, obj: Object) -> Object:
    """Return a copy of an object and its children."""
    family = [obj, *obj.children_recursive]
    copies = {member: _copy(member) for member in family}
    for member, copy in copies.items():
        if member.parent in copies:
            inverse = member.matrix_parent_inverse.copy()
            copy.parent = copies[member.parent]
            copy.matrix_parent_inverse = inverse
        _relink(copy, copies)
    view_layer_of(context).update()
    for member, copy in copies.items():
        if member.hide_get():
            copy.hide_set(True)
    own_action_without_transform(copies[obj])
    return copies[obj]


def remove(obj: Object) -> None:
    """Remove a copy and its children."""
    for member in (*obj.children_recursive, obj):
        action = member.animation_data.action if member.animation_data else None
        bpy.data.objects.remove(member)
        if action is not None and action.users == 0:
            bpy.data.actions.remove(action)


def select_only(context: Context, objects: Sequence[Object]) -> None:
    """Select some objects and nothing else; the last becomes active. None outside the view layer."""
    layer = view_layer_of(context)
    for obj in layer.objects.selected:
        obj.select_set(False)
    there = [obj for obj in objects if obj.name in layer.objects]
    for obj in there:
        obj.select_set(True)
    if there:
        layer.objects.active = there[-1]


@dataclass(frozen=True)
class Selected:
    """The names of the selected objects and of the active one."""

    names: frozenset[str]
    active: str

    @classmethod
    def of(cls, context: Context) -> Selected:
        """Return the present selection."""
        layer = view_layer_of(context)
        names = frozenset(obj.name for obj in layer.objects.selected)
        return cls(names, layer.objects.active.name if layer.objects.active else "")

    def restore(self, context: Context) -> None:
        """Restore the selection, as far as the objects still exist."""
        layer = view_layer_of(context)
        for obj in layer.objects:
            obj.select_set(obj.name in self.names)
        layer.objects.active = layer.objects.get(self.active)


def _copy(member: Object) -> Object:
    copy = member.copy()
    assert isinstance(copy, Object)
    for collection in member.users_collection:
        is_in = collection in copy.users_collection  # Blender itself puts rigid bodies into their world's
        if takes_objects(collection) and not is_in:
            collection.objects.link(copy)
    return copy


def _relink(copy: Object, copies: Mapping[Object, Object]) -> None:
    for modifier in copy.modifiers:
        _relink_struct(modifier, copies)
        if modifier.type == "NODES":
            _relink_inputs(modifier, copies)
    _relink_properties(copy, copies)
    for constraint in copy.constraints:
        _relink_struct(constraint, copies)
        for target in getattr(constraint, "targets", ()):
            _relink_struct(target, copies)
    for curve in copy.animation_data.drivers if copy.animation_data else ():
        for variable in curve.driver.variables if curve.driver else ():
            for target in variable.targets:
                if isinstance(target.id, Object):
                    target.id = copies.get(target.id, target.id)


def _relink_properties(copy: Object, copies: Mapping[Object, Object]) -> None:
    for key, value in list(custom_properties(copy).items()):
        named = bpy.data.objects.get(value) if isinstance(value, str) and key in BY_NAME else value
        if isinstance(named, Object) and named in copies:
            copy[key] = copies[named].name if isinstance(value, str) else copies[named]


def _relink_struct(struct: bpy_struct, copies: Mapping[Object, Object]) -> None:
    for name in pointers(struct):
        value: Any = getattr(struct, name)
        if isinstance(value, Object) and value in copies:
            setattr(struct, name, copies[value])


def _relink_inputs(modifier: Modifier, copies: Mapping[Object, Object]) -> None:
    properties = getattr(modifier, "properties", None)
    if properties is not None:  # from Blender 5.2 on: a struct an input
        for prop in properties.inputs.bl_rna.properties:
            if prop.type == "POINTER" and prop.identifier != "rna_type":
                _relink_struct(getattr(properties.inputs, prop.identifier), copies)
        return
    inputs = cast("MutableMapping[str, object]", modifier)
    for name, value in list(inputs.items()):
        if isinstance(value, Object) and value in copies:
            inputs[name] = copies[value]
