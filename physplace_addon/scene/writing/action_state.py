# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of an action as values, and the way back to them in the same action.

The action stays the data-block that it is, and what has not changed is not touched: one that cannot be keyed,
such as a linked one, stays linked. Settings and modifiers of a curve, and those of its group, are put back
only with one that lost its last key.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from bpy.types import Action, FCurve
from numpy.typing import NDArray

if TYPE_CHECKING:
    from bpy.types import ActionFCurves  # Blender 5 has another type for them

_CHOICES: Final = ("handle_left_type", "handle_right_type", "interpolation", "easing", "type")
_FLAGS: Final = ("select_control_point", "select_left_handle", "select_right_handle")
_NUMBERS: Final = ("back", "amplitude", "period")
_POINTS: Final = ("co", "handle_left", "handle_right")
_NOT_SET: Final = frozenset({"data_path", "array_index", "is_valid"})  # of what is made anew

_Address = tuple[int, str, int]  # the handle of the slot (0 before Blender 4.4), the data path, the index


@dataclass(frozen=True, eq=False)
class _GroupState:
    """A group of curves: its name, its settings, and its colours where it has its own."""

    name: str
    settings: dict[str, Any]
    colours: dict[str, Any]

    @classmethod
    def of(cls, group: Any) -> _GroupState:
        """Return a group as it is."""
        colours = _settings_of(group.colors) if group.color_set == "CUSTOM" else {}
        return cls(group.name, _settings_of(group), colours)

    def found_or_made(self, bag: Any) -> Any:
        """Return the group of this name; one that is made has these settings."""
        group = bag.groups.get(self.name)
        if group is None:
            group = bag.groups.new(self.name)
            _set(group, self.settings)
            _set(group.colors, self.colours)
        return group


@dataclass(frozen=True, eq=False)
class _ModifierState:
    """A modifier of a curve: its type, its settings, and those of the points of an envelope."""

    kind: str
    settings: dict[str, Any]
    points: list[dict[str, Any]]

    @classmethod
    def of(cls, modifier: Any) -> _ModifierState:
        """Return a modifier as it is."""
        points = [_settings_of(point) for point in getattr(modifier, "control_points", ())]
        return cls(modifier.type, _settings_of(modifier), points)

    def make(self, curve: Any) -> None:
        """Add a modifier like it to a curve."""
        modifier = curve.modifiers.new(self.kind)
        for _ in range(2):  # the bounds of a range hold each other
            _set(modifier, self.settings)
        for settings in self.points:
            _set(modifier.control_points.add(settings["frame"]), settings)


@dataclass(frozen=True, eq=False)
class _CurveState:
    """A curve: its group, its settings and modifiers, and its keys' values by the names of properties."""

    group: _GroupState | None
    settings: dict[str, Any]
    modifiers: list[_ModifierState]
    keys: dict[str, NDArray[Any]]

    @classmethod
    def of(cls, curve: FCurve) -> _CurveState:
        """Return a curve as it is."""
        return cls(
            None if curve.group is None else _GroupState.of(curve.group),
            _settings_of(curve),
            [_ModifierState.of(modifier) for modifier in curve.modifiers],
            _keys_of(curve),
        )

    def put_back(self, curve: FCurve) -> bool:
        """Give a curve these keys if it has others; return whether it had."""
        now, count = _keys_of(curve), len(self.keys["back"])
        if all(np.array_equal(values, now[name]) for name, values in self.keys.items()):
            return False
        points = curve.keyframe_points
        points.clear()
        points.add(count)
        for name, values in self.keys.items():
            points.foreach_set(name, values)
        return True


class ActionState:
    """An action's slots, layers, groups, curves and keys as they were when this was made."""

    def __init__(self, action: Action) -> None:
        self.action = action
        self._slots, self._layers = _handles(action), len(getattr(action, "layers", ()))
        self._groups = {(slot, group.name) for slot, bag in _bags(action) for group in bag.groups}
        self._curves = {address: _CurveState.of(curve) for address, curve in _curves(action)}

    def put_back(self) -> bool:
        """Take the action back to it where it differs; return whether it differed."""
        changed = self._remove_new()
        bags, there = dict(_bags(self.action)), dict(_curves(self.action))
        for address, state in self._curves.items():
            curve = there.get(address)
            if curve is None:
                curve = _made(bags[address[0]], address, state)
            changed |= state.put_back(curve)
        if changed:
            self.action.update_tag()
        return changed

    def _remove_new(self) -> bool:
        """Remove the slots, layers, curves and groups that were not there; return whether there were any."""
        action: Any = self.action
        bags = dict(_bags(action))
        new = [address for address, _ in _curves(action) if address not in self._curves]
        for address in new:
            bags[address[0]].fcurves.remove(dict(_curves(action))[address])
        for slot, bag in bags.items():
            for group in [group for group in bag.groups if (slot, group.name) not in self._groups]:
                bag.groups.remove(group)
        slots = [slot for slot in getattr(action, "slots", ()) if slot.handle not in self._slots]
        layers = list(getattr(action, "layers", ()))[self._layers :]
        for layer in layers:
            action.layers.remove(layer)
        for slot in slots:
            action.slots.remove(slot)
        return bool(new or slots or layers)


def _keys_of(curve: FCurve) -> dict[str, NDArray[Any]]:
    points = curve.keyframe_points
    count, found = len(points), dict[str, NDArray[Any]]()
    kinds = (
        (_CHOICES, np.int32, 1),
        (_FLAGS, np.bool_, 1),
        (_NUMBERS, np.float32, 1),
        (_POINTS, np.float32, 2),
    )
    for names, kind, size in kinds:
        for name in names:
            found[name] = np.empty(size * count, dtype=kind)
            points.foreach_get(name, found[name])
    return found


def _settings_of(struct: Any) -> dict[str, Any]:
    """Return all that may be set of a curve, a modifier, a group or the like, by the names of properties."""
    names = [each.identifier for each in struct.bl_rna.properties if _is_setting(each)]
    return {name: plain(getattr(struct, name)) for name in names}


def _is_setting(each: Any) -> bool:
    is_one = each.type not in ("POINTER", "COLLECTION")
    return is_one and not each.is_readonly and each.identifier not in _NOT_SET


def _set(struct: Any, settings: dict[str, Any]) -> None:
    for name, value in settings.items():
        setattr(struct, name, value)


def plain(value: Any) -> Any:
    """Return the value of a property without Blender's hold on it: an array as a tuple."""
    is_one = isinstance(value, (str, bytes, set)) or not hasattr(value, "__len__")
    return value if is_one else tuple(value)


def _made(bag: Any, address: _Address, state: _CurveState) -> FCurve:
    """Return a new curve in the place of one that lost its last key, with all that one had but its keys."""
    _, path, index = address
    curve: Any = bag.fcurves.new(path, index=index)
    _set(curve, state.settings)
    for modifier in state.modifiers:
        modifier.make(curve)
    curve.group = None if state.group is None else state.group.found_or_made(bag)
    made: FCurve = curve
    return made


def curve_lists(holder: Any) -> Iterator[ActionFCurves]:
    """Yield the lists of curves of the slot, in the action, that animation data or an NLA strip has."""
    if holder.action is None:
        return
    if not hasattr(holder, "action_slot"):  # Blender before 4.4: an action is a list of curves
        yield holder.action.fcurves
        return
    if holder.action_slot is None:
        return
    layers = getattr(holder.action, "layers", ())
    bags = (strip.channelbag(holder.action_slot) for layer in layers for strip in layer.strips)
    yield from (bag.fcurves for bag in bags if bag is not None)


def curves_in(action: Action) -> Iterator[FCurve]:
    """Yield all curves of an action, whatever slot they are of."""
    return (curve for _, curve in _curves(action))


def _handles(action: Any) -> frozenset[int]:
    return frozenset(slot.handle for slot in getattr(action, "slots", ()))


def _curves(action: Any) -> Iterator[tuple[_Address, FCurve]]:
    for slot, bag in _bags(action):
        for curve in bag.fcurves:
            yield (slot, curve.data_path, curve.array_index), curve


def _bags(action: Any) -> Iterator[tuple[int, Any]]:
    """Yield what holds curves and groups by the slot's handle: the action itself before Blender 4.4."""
    if not hasattr(action, "slots"):
        yield 0, action
        return
    for layer in action.layers:
        for strip in layer.strips:
            yield from ((bag.slot_handle, bag) for bag in strip.channelbags)
