# SPDX-License-Identifier: GPL-3.0-or-later
"""The curves of an object's active action (of its slot, from Blender 4.4 on), and the action itself."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import bpy
from bpy.types import Action, FCurve, Key, Keyframe, NodeTree, Object, Scene

from ..access import view_layer_of
from .action_state import ActionState, curve_lists
from .animated_values import AnimatedValues
from .transform import TRANSFORM, channels, set_channels

if TYPE_CHECKING:
    from bpy.types import ActionFCurves  # Blender 5 has another type for them

SAME_FRAME = 0.01  # frames, closer than which Blender takes two keys for one


def curves_of(obj: Object | Scene | Key | NodeTree) -> Iterator[FCurve]:
    """Yield the curves of the slot of an object, a scene or shape keys, in its active action."""
    for curves in _curve_lists(obj):
        yield from curves


def key_at(curve: FCurve, frame: float) -> Keyframe | None:
    """Return a curve's key on a frame; None if there is none."""
    return next((point for point in curve.keyframe_points if abs(point.co[0] - frame) < SAME_FRAME), None)


def own_action_without_transform(obj: Object) -> None:
    """Give an object a copy of its action, without the curves of location and rotation."""
    own_action_without(obj, TRANSFORM)


def own_action_without(obj: Object, paths: Collection[str]) -> None:
    """Give an object a copy of its action, if it has one, without the curves of some data paths."""
    data = obj.animation_data
    if data is None or data.action is None:
        return
    identifier = slot_of(obj)
    data.action = data.action.copy()
    use_slot(obj, identifier)
    for curves in _curve_lists(obj):
        for curve in [curve for curve in curves if curve.data_path in paths]:
            curves.remove(curve)


def slot_of(obj: Object) -> str:
    """Return the identifier of the action slot that an object uses; "" for none, and before Blender 4.4."""
    layered: Any = obj.animation_data  # action slots are not in the stubs of Blender 4.2
    slot = getattr(layered, "action_slot", None)
    return slot.identifier if slot is not None else ""


def use_slot(obj: Object, identifier: str) -> None:
    """Make an object use a slot of its action, if the action has it."""
    layered: Any = obj.animation_data
    if identifier and identifier in layered.action.slots:
        layered.action_slot = layered.action.slots[identifier]


@contextmanager
def keys_restored_on_error(obj: Object, *, always: bool = False) -> Iterator[None]:
    """Restore the keys in the object's action, and its channels, if the block fails, or always.

    So are the values of all that is animated in the object, and in all that uses its action: these may
    differ from their keys, which count again then. The action stays the same data-block; one that got no key
    is not touched. Such blocks may be one within another.
    """
    data = obj.animation_data
    action = data.action if data else None
    state, before, done = ActionState(action) if action else None, channels(obj), False
    slot = slot_of(obj) if action else ""
    values = AnimatedValues.of_users(action, obj)
    try:
        yield
        done = not always
    finally:
        if not done:
            if state is None:
                changed = _remove_new_action(obj, had_data=data is not None)
            elif changed := state.put_back():
                use_former_action(obj, state.action, slot)
            if changed:
                view_layer_of(bpy.context).update()  # else keys are evaluated after the values are set
                values.put_back()
            set_channels(obj, before)


def use_former_action(obj: Object, action: Action, slot: str) -> None:
    """Make an object use an action and a slot again; Blender 4.2 takes away an action without keys."""
    data: Any = obj.animation_data
    if data.action != action:
        data.action = action
    if slot_of(obj) != slot:
        data.action_slot = None
        use_slot(obj, slot)


def _remove_new_action(obj: Object, had_data: bool) -> bool:
    """Remove the action that an object without one has got; return whether there is one."""
    data = obj.animation_data
    action = data.action if data else None
    if data is not None and action is not None:
        data.action = None
        bpy.data.actions.remove(action)
    if data is not None and not had_data:
        obj.animation_data_clear()
    return action is not None


def _curve_lists(obj: Object | Scene | Key | NodeTree) -> Iterator[ActionFCurves]:
    data = obj.animation_data
    yield from () if data is None else curve_lists(data)
