# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of an action as values, and the way back to them in the same action.

The action stays the data-block that it is, and what has not changed is not touched: one that cannot be keyed,
such as a linked one, stays linked. Settings of a curve are put back only with one that lost its last key.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from bpy.types import Action, FCurve
from numpy.typing import NDArray

_CHOICES: Final = ("handle_left_type", "handle_right_type", "interpolation", "easing", "type")
_FLAGS: Final = ("select_control_point", "select_left_handle", "select_right_handle")
_NUMBERS: Final = ("back", "amplitude", "period")
_POINTS: Final = ("co", "handle_left", "handle_right")
_OF_CURVES: Final = ("extrapolation", "color_mode", "color", "lock", "mute", "hide")

_Address = tuple[int, str, int]  # the handle of the slot (0 before Blender 4.4), the data path, the index


@dataclass(frozen=True, eq=False)
class _CurveState:
    """A curve: its group ("" for none), its settings, and its keys' values by the names of properties."""

    group: str
    settings: dict[str, Any]
    keys: dict[str, NDArray[Any]]

    @classmethod
    def of(cls, curve: FCurve) -> _CurveState:
        """Return a curve as it is."""
        settings = {
            name: tuple(curve.color[:]) if name == "color" else getattr(curve, name) for name in _OF_CURVES
        }
        return cls(curve.group.name if curve.group is not None else "", settings, _keys_of(curve))

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


def _made(bag: Any, address: _Address, state: _CurveState) -> FCurve:
    """Return a new curve in the place of one that lost its last key, with that one's group and settings."""
    _, path, index = address
    curve: Any = bag.fcurves.new(path, index=index)
    for name, value in state.settings.items():
        setattr(curve, name, value)
    if state.group:
        there = bag.groups.get(state.group)
        curve.group = bag.groups.new(state.group) if there is None else there
    made: FCurve = curve
    return made


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
