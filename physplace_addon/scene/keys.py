# SPDX-License-Identifier: GPL-3.0-or-later
"""A path as keyframes of location and rotation, one state a key, in the object's action or action slot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from bpy.types import FCurve, Object

from .errors import SceneError
from .transform import TRANSFORM, Channels, rotation_property, set_channels

if TYPE_CHECKING:
    from bpy.types import ActionFCurves  # Blender 5 has another type for them


def key_path(obj: Object, path: Sequence[Channels], first_frame: int, frame_step: int) -> int:
    """Key each of a path's channels on successive frames, linear in between. Returns the last frame.

    The object is left as the last key has it.
    """
    properties = ("location", rotation_property(obj.rotation_mode))
    frames = [first_frame + frame_step * i for i in range(len(path))]
    for frame, values in zip(frames, path, strict=True):
        set_channels(obj, values)
        for name in properties:
            if not obj.keyframe_insert(name, frame=frame):
                raise SceneError(
                    obj.name, f"its {name} cannot be keyed", "check its action and keying settings"
                )
    for curve in _curves(obj):
        if curve.data_path in properties:
            _set_linear(curve, frames[0], frames[-1])
    return frames[-1]


def own_action_without_transform(obj: Object) -> None:
    """Give an object that shares its action with another one of its own, without location and rotation."""
    data = obj.animation_data
    if data is None or data.action is None:
        return
    layered: Any = data  # action slots are not in the stubs of Blender 4.2
    slot = getattr(layered, "action_slot", None)
    layered.action = data.action.copy()
    if slot is not None:
        layered.action_slot = layered.action.slots[slot.identifier]
    for curves in _curve_lists(obj):
        for curve in [curve for curve in curves if curve.data_path in TRANSFORM]:
            curves.remove(curve)


def _curves(obj: Object) -> Iterator[FCurve]:
    for curves in _curve_lists(obj):
        yield from curves


def _curve_lists(obj: Object) -> Iterator[ActionFCurves]:
    data = obj.animation_data
    action = data.action if data else None
    if data is None or action is None:
        return
    slot = getattr(data, "action_slot", None)
    if slot is None:  # Blender before 4.4: an action is a list of curves
        yield action.fcurves
        return
    layers = getattr(action, "layers", ())  # not in the stubs of Blender 4.2
    bags = (strip.channelbag(slot) for layer in layers for strip in layer.strips)
    yield from (bag.fcurves for bag in bags if bag is not None)


def _set_linear(curve: FCurve, first: int, last: int) -> None:
    for key in curve.keyframe_points:
        if first <= key.co[0] <= last:
            key.interpolation = "LINEAR"
    curve.update()
