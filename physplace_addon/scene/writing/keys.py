# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of location and rotation, in the object's active action or action slot, as Blender inserts them.

Those of a bone are in the action of its armature, in a group with the bone's name.

The artist's settings for new keys count: only where needed, type, interpolation, handles, cycles. The keys of
the path to a rest have Blender's type for generated keys and are linear: each is a state of the placement,
and another placement may replace them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from bpy.types import Context, FCurve, Keyframe, Object, PoseBone, Scene

from ...core.arrays import Floats
from ..access import present, scene_of
from ..errors import SceneError
from .actions import curves_of, key_at
from .key_reduction import MotionScale, needed_keys
from .transform import TRANSFORM, Channels, channels, rotation_property, set_channels

NEEDED, AVAILABLE, REPLACE = "INSERTKEY_NEEDED", "INSERTKEY_AVAILABLE", "INSERTKEY_REPLACE"
ONLY_IF = frozenset({NEEDED, AVAILABLE, REPLACE})
GENERATED = "GENERATED"
GROUP = "Object Transforms"  # the group that Blender's own operators put these channels into
Keyed = Object | PoseBone
SHOWN = 1e-6  # largest float32 error of a curve at its key, over the channel's largest value


@dataclass(frozen=True)
class KeyOptions:
    """On which frames a path is keyed.

    Attributes:
        first_frame: the first state's frame.
        frame_step: the number of frames from one state to the next.
        in_turn: whether several objects move one after another; else all at once.
        error: the largest error over R of a state that is left out and shown between its neighbours.
    """

    first_frame: int
    frame_step: int
    in_turn: bool = False
    error: float = 0.0


@dataclass(frozen=True, eq=False)
class Key:
    """An object's channels on a frame; on_path: generated on the path to a rest, not the rest itself."""

    frame: int
    values: Channels
    on_path: bool


@dataclass(frozen=True)
class Keying:
    """How new keys are made: `keyframe_insert`'s options, the type of key, its interpolation and handles."""

    options: frozenset[str]
    kind: str
    interpolation: str
    handle: str

    @classmethod
    def of(cls, context: Context) -> Keying:
        """Return the settings for keys that the artist inserts."""
        edit = present(context.preferences).edit
        tools = scene_of(context).tool_settings
        options = {NEEDED} if edit.use_keyframe_insert_needed else set()
        options |= {"INSERTKEY_CYCLE_AWARE"} if tools.use_keyframe_cycle_aware else set()
        kind, interpolation = str(tools.keyframe_type), str(edit.keyframe_new_interpolation_type)
        return cls(frozenset(options), kind, interpolation, str(edit.keyframe_new_handle_type))

    @classmethod
    def automatic(cls, context: Context) -> Keying | None:
        """Return the settings for automatic keying; None if that is off."""
        edit, tools = present(context.preferences).edit, scene_of(context).tool_settings
        if not tools.use_keyframe_insert_auto:
            return None
        by_hand = cls.of(context)
        chosen = {
            NEEDED: edit.use_auto_keyframe_insert_needed,
            AVAILABLE: edit.use_keyframe_insert_available,
            REPLACE: tools.auto_keying_mode == "REPLACE_KEYS",
        }
        options = {option for option, is_on in chosen.items() if is_on}
        return replace(by_hand, options=(by_hand.options - ONLY_IF) | options)


def path_keys(
    path: Sequence[Channels], first_frame: int, last_frame: int, measure: MotionScale, error: float
) -> list[Key]:
    """Return the keys of a path on whole frames: the first state, the last, and those needed between.

    Of states that fall on one frame the last one counts.
    """
    frames = np.rint(np.linspace(first_frame, last_frame, len(path))).astype(int).tolist()
    states = list(dict(zip(frames, path, strict=True)).items())
    times, values = [frame for frame, _ in states], [values for _, values in states]
    chosen = needed_keys(values, times, measure, error)
    return [Key(times[i], values[i], i < len(states) - 1) for i in chosen]


def insert_automatically(context: Context, obj: Keyed, frame: int) -> None:
    """Key the location and rotation of an object or a bone as they are, if automatic keying is on."""
    keying = Keying.automatic(context)
    if keying is not None:
        names = [name for name in _names(obj) if _is_in_keying_set(scene_of(context), obj, name)]
        insert_keys(obj, [Key(frame, channels(obj), on_path=False)], keying, names)


def insert_keys(obj: Keyed, keys: Sequence[Key], keying: Keying, names: Sequence[str] | None = None) -> None:
    """Insert keys in the order of their frames; the object keeps the values of the last one.

    Keys that exist already get the new values and keep their handles.

    Args:
        obj: the object, or a bone.
        keys: the keys.
        keying: the settings for new keys.
        names: the properties to key; location and rotation if None.

    Raises:
        SceneError: for a channel that cannot be keyed.
    """
    names = _names(obj) if names is None else names
    paths = {_path(obj, name): name for name in names}
    before = {_address(curve): _frames(curve) for curve in _curves(obj)}
    for key in keys:
        set_channels(obj, key.values)
        for name in names:
            _insert(obj, name, -1, key, keying)
    for curve in _curves(obj):
        if curve.data_path in paths:
            _style(curve, keys, before.get(_address(curve), frozenset()), keying)
    if NEEDED in keying.options:
        _insert_where_off(obj, keys, replace(keying, options=keying.options - {NEEDED}), paths)


def _insert(obj: Keyed, name: str, index: int, key: Key, keying: Keying) -> None:
    kind: Any = GENERATED if key.on_path else keying.kind
    options: Any = set(keying.options)
    group = GROUP if isinstance(obj, Object) else obj.name
    done = obj.keyframe_insert(name, index=index, frame=key.frame, group=group, options=options, keytype=kind)
    if not done and not options & ONLY_IF:
        found = f"its {name} cannot be keyed"
        if isinstance(obj, PoseBone):
            found = f'the {name} of its bone "{obj.name}" cannot be keyed'
        raise SceneError(
            _owner(obj).name,
            found,
            "unlock the channel, or check its action and keying settings",
        )


def _insert_where_off(obj: Keyed, keys: Sequence[Key], keying: Keying, paths: Mapping[str, str]) -> None:
    """Insert keys that were not needed when they came, but are since later keys bend the curve.

    paths: the names of the properties by the data paths of their curves.
    """
    for key in keys:
        set_channels(obj, key.values)
        for curve in [curve for curve in _curves(obj) if curve.data_path in paths]:
            name = paths[curve.data_path]
            wanted = _values(key.values, name)
            if abs(curve.evaluate(key.frame) - wanted[curve.array_index]) > SHOWN * np.abs(wanted).max():
                _insert(obj, name, curve.array_index, key, keying)
                _style(curve, [key], frozenset(), keying)


def _style(curve: FCurve, keys: Sequence[Key], before: frozenset[float], keying: Keying) -> None:
    """Set the interpolation and handles of new keys; those of a path become linear."""
    for key in keys:
        point = key_at(curve, key.frame)
        if point is None:
            continue
        if point.co[0] not in before:
            _set_style(point, keying.interpolation, keying.handle)
        if key.on_path:
            point.interpolation = "LINEAR"
    curve.update()


def _set_style(point: Keyframe, interpolation: Any, handle: Any) -> None:
    point.interpolation = interpolation
    point.handle_left_type = point.handle_right_type = handle


def channels_before(obj: Object, frame: int) -> Channels:
    """Return the channels at the last key before a frame; the object's own if there is none."""
    values = channels(obj)
    turn = rotation_property(obj.rotation_mode)
    curves = [curve for curve in curves_of(obj) if curve.data_path == turn]
    earlier = [time for curve in curves for time in _frames(curve) if time < frame]
    rotation = values.rotation.copy()
    for curve in curves if earlier else ():
        rotation[curve.array_index] = curve.evaluate(max(earlier))
    return replace(values, rotation=rotation)


def last_set_key_before(obj: Object, frame: int) -> float | None:
    """Return the frame of the last key before a frame that is not a generated one; None if there is none."""
    points = [point for curve in transform_curves(obj) for point in curve.keyframe_points]
    frames = [float(point.co[0]) for point in points if point.type != GENERATED and point.co[0] < frame]
    return max(frames, default=None)


def remove_path_keys(obj: Object, frame: int) -> None:
    """Remove the generated keys before the rest on a frame."""
    first = last_set_key_before(obj, frame)
    for curve in list(transform_curves(obj)):
        points = curve.keyframe_points
        for point in reversed(list(points)):
            on_path = point.type == GENERATED and point.co[0] < frame
            if on_path and (first is None or point.co[0] > first):
                points.remove(point, fast=True)
        curve.update()


def remove_key(obj: Object, frame: int) -> None:
    """Remove the key of the transform on a frame, and the generated keys before it."""
    remove_path_keys(obj, frame)
    for curve in list(transform_curves(obj)):
        if key_at(curve, frame) is not None:
            obj.keyframe_delete(curve.data_path, index=curve.array_index, frame=frame)


def _curves(obj: Keyed) -> Iterator[FCurve]:
    """Yield the curves of the action of an object, or of the object that a bone is of."""
    return curves_of(_owner(obj))


def _owner(obj: Keyed) -> Object:
    """Return the object whose action has the curves of an object or a bone."""
    owner = obj.id_data
    assert isinstance(owner, Object)
    return owner


def _path(obj: Keyed, name: str) -> str:
    """Return the data path of a property in the action."""
    return name if isinstance(obj, Object) else str(obj.path_from_id(name))


def _names(obj: Keyed) -> tuple[str, str]:
    return "location", rotation_property(obj.rotation_mode)


def _is_in_keying_set(scene: Scene, obj: Keyed, name: str) -> bool:
    """Return whether automatic keying may key a property: only the keying set, if it is limited to it."""
    active = scene.keying_sets_all.active
    if not scene.tool_settings.use_keyframe_insert_keyingset or active is None:
        return True
    if active.paths:
        wanted = _path(obj, name)
        return any(path.id == obj.id_data and path.data_path == wanted for path in active.paths)
    return ("Loc" if name == "location" else "Rot") in active.bl_idname  # Blender's own: LocRotScale, ...


def transform_curves(obj: Object) -> Iterator[FCurve]:
    """Return the curves of an object's location and rotation, in any rotation mode."""
    return (curve for curve in curves_of(obj) if curve.data_path in TRANSFORM)


def _values(values: Channels, name: str) -> Floats:
    return values.location if name == "location" else values.rotation


def _address(curve: FCurve) -> tuple[str, int]:
    return curve.data_path, curve.array_index


def _frames(curve: FCurve) -> frozenset[float]:
    return frozenset(float(point.co[0]) for point in curve.keyframe_points)
