# SPDX-License-Identifier: GPL-3.0-or-later
"""A blob's frames, solved and written into keys of its elements; and removed again.

A baked element has an action of its own: a copy of the artist's, in which the baked channels are keyed on
every frame, linearly. Its former action and the former values of the baked channels are kept in custom
properties, so that removing the bake restores it exactly, and another bake begins with the artist's keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import bpy
from bpy.types import Action, Context, Object

from ...core.implicit.control.state import SculptStatus
from ..access import custom_properties, scene_of
from ..errors import SceneError
from ..writing.actions import curves_of, own_action_without, slot_of, use_former_action
from ..writing.animated_values import AnimatedValues
from ..writing.keys import GENERATED
from .elements.elements import EmptyUpdate
from .empties import numbers, write_update
from .frames import UNBAKED, BlobFrames, read_frames
from .objects import family_of

GROUP = "Blob"
ACTION, SLOT = "physplace_unbaked_action", "slot"
MISSING = ""  # the value of a custom property that was not there
Frames = Mapping[int, Iterable[EmptyUpdate]]


@dataclass(frozen=True, eq=False)
class _FormerBake:
    """The bake that an element had: its action and slot, and what the element was before it, as stored."""

    obj: Object
    action: Action | None
    slot: str
    unbaked: dict[str, Any]
    unbaked_action: Action | None

    def put_back(self) -> None:
        """Give the element its bake again."""
        _store(self.obj, self.unbaked, self.unbaked_action)
        _use_action(self.obj, self.action, self.slot)


@dataclass(frozen=True, eq=False)
class Baked:
    """The number of baked frames, and those where the surface cannot pass through all control points."""

    frames: int
    unreached: tuple[int, ...]


def bake(context: Context, blob: Object, first: int, last: int) -> Baked:
    """Key the elements of a blob in every frame from the first to the last.

    The surface follows its keyed control points and elements, not the bake that it had before. Raises
    SceneError, with the blob and that bake as they were.
    """
    with _kept_without_keys(context, blob):
        former, done = _taken(blob), False
        try:
            if former:
                _show(context)
            baked = _baked(context, blob, first, last)
            done = True
        finally:
            if done:
                _discard(former)
            else:
                _discard(_taken(blob))
                for element in former:
                    element.put_back()
    for obj in _baked_elements(blob):
        action = _action_of(obj)
        if action is not None:
            action.name = f"{obj.name} Baked"
    return baked


def _baked(context: Context, blob: Object, first: int, last: int) -> Baked:
    """Solve a blob without a bake in its frames, and key its elements."""
    frames = BlobFrames(blob, first)
    read_frames(context, [frames], last)
    unreached, updates = [], {}
    for frame in range(first, last + 1):
        model, state = frames.at(frame)
        updates[frame] = model.updates()
        if state.stuck.any() or state.status is SculptStatus.VANISHED:
            unreached.append(frame)
    _write(updates)
    return Baked(len(updates), tuple(unreached))


def free(context: Context, blob: Object) -> bool:
    """Restore the keys and values that a blob's elements had before they were baked.

    Returns whether any was baked. Raises SceneError where an action cannot be exchanged.
    """
    with _kept_without_keys(context, blob):
        former = _taken(blob)
        _discard(former)
    return bool(former)


@contextmanager
def _kept_without_keys(context: Context, blob: Object) -> Iterator[None]:
    """Show the frame anew after the block, with all that was changed without a key, but for what is baked.

    If the block fails, that is as it was, too.
    """
    values, bakes, done = AnimatedValues.of_all(), dict[int, set[str]](), False

    def note() -> None:
        for obj in _baked_elements(blob):
            bakes.setdefault(obj.session_uid, set()).update(custom_properties(obj)[UNBAKED].keys())

    note()
    try:
        yield
        done = True
    finally:
        note()
        if bakes:
            _show(context)
            values.put_back(bakes if done else None)


def _baked_elements(blob: Object) -> list[Object]:
    return [obj for obj in family_of(blob) if UNBAKED in custom_properties(obj)]


def _taken(blob: Object) -> list[_FormerBake]:
    """Take the bakes from a blob's elements. Raises SceneError where an action cannot be exchanged."""
    for obj in family_of(blob):
        _check_not_tweaked(obj)
    return [_taken_from(obj) for obj in _baked_elements(blob)]


def _discard(former: Sequence[_FormerBake]) -> None:
    """Remove the actions of bakes that nothing uses any more; linked duplicates share one."""
    for action in {element.action for element in former if element.action is not None}:
        if action.users == 0:
            bpy.data.actions.remove(action)


def _show(context: Context) -> None:
    scene = scene_of(context)
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)


def _write(frames: Frames) -> None:
    """Store what the elements were, and key them. Raises SceneError for a driven channel."""
    for updates in frames.values():
        for update in updates:
            _check_not_driven(bpy.data.objects[update.name], update)
    for updates in frames.values():
        for update in updates:
            obj = bpy.data.objects[update.name]
            if UNBAKED not in custom_properties(obj):
                _begin(obj, update)
    for frame, updates in frames.items():
        for update in updates:
            _key(bpy.data.objects[update.name], update, frame)
    for name in {update.name for updates in frames.values() for update in updates}:
        _finish(bpy.data.objects[name])


def _check_not_tweaked(obj: Object) -> None:
    if obj.animation_data is not None and obj.animation_data.use_tweak_mode:
        raise SceneError(
            obj.name,
            "one of its strips is being tweaked",
            "leave tweak mode in the Nonlinear Animation",
        )


def _check_not_driven(obj: Object, update: EmptyUpdate) -> None:
    data = obj.animation_data
    driven = {driver.data_path for driver in data.drivers} if data is not None else set()
    for path in driven.intersection(update.paths(obj)):
        raise SceneError(
            obj.name, f"a driver owns its {path}", "remove the driver, or set the element Frozen"
        )


def _begin(obj: Object, update: EmptyUpdate) -> None:
    """Store an element's values and action, and give it an action of its own."""
    paths = update.paths(obj)
    unbaked = {SLOT: slot_of(obj), **{path: _value(obj, path) for path in paths}}
    _store(obj, unbaked, _action_of(obj))
    own_action_without(obj, paths)


def _store(obj: Object, unbaked: Mapping[str, Any], action: Action | None) -> None:
    """Keep with an element what it was before it was baked."""
    obj[UNBAKED] = unbaked
    if action is not None:
        obj[ACTION] = action


def _use_action(obj: Object, action: Action | None, slot: str) -> None:
    """Make an element use an action and a slot, or none."""
    if action is not None:
        obj.animation_data_create()
        use_former_action(obj, action, slot)
    elif obj.animation_data is not None:
        obj.animation_data.action = None


def _action_of(obj: Object) -> Action | None:
    return None if obj.animation_data is None else obj.animation_data.action


def _key(obj: Object, update: EmptyUpdate, frame: int) -> None:
    kind: Any = GENERATED
    write_update(obj, update)
    for path in update.paths(obj):
        if not obj.keyframe_insert(path, frame=frame, group=GROUP, keytype=kind):
            raise SceneError(obj.name, f"its {path} cannot be keyed", "unlock it, or check its action")


def _finish(obj: Object) -> None:
    own = custom_properties(obj)[UNBAKED]
    for curve in curves_of(obj):
        if curve.data_path in own:
            for point in curve.keyframe_points:
                point.interpolation = "LINEAR"
            curve.update()


def _taken_from(obj: Object) -> _FormerBake:
    """Restore what an element was before it was baked."""
    own, data = custom_properties(obj), obj.animation_data
    before, action = own[UNBAKED].to_dict(), own.get(ACTION)
    former = _FormerBake(obj, _action_of(obj), slot_of(obj), before, action)
    _use_action(obj, action, before[SLOT])
    if action is None and data is not None and not len(data.drivers) and not len(data.nla_tracks):
        obj.animation_data_clear()
    for path, value in before.items():
        if value == MISSING and path.startswith("["):
            own.pop(path[2:-2], None)
        elif path.startswith("["):
            obj[path[2:-2]] = value
        elif path != SLOT:
            setattr(obj, path, value)
    for key in (UNBAKED, ACTION):
        if key in own:
            del obj[key]
    return former


def _value(obj: Object, path: str) -> Any:
    """Return the value at a data path of an object: a number, or several; MISSING for none."""
    if path.startswith("["):
        return custom_properties(obj).get(path[2:-2], MISSING)
    return list(numbers(getattr(obj, path)))
