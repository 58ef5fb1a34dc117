# SPDX-License-Identifier: GPL-3.0-or-later
"""A keymap whose keys name actions of an operator that runs.

Blender has no modal keymaps for Python's operators. So these keymaps belong to no editor and do nothing by
themselves: their items name actions, and a running operator looks up its events in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

import bpy
from bpy.props import EnumProperty
from bpy.types import Context, KeyMapItem, Operator, UILayout

from ...scene.access import present, window_manager_of
from ...translations.spoken import spoken
from ..input_events import InputEvent
from .key_hints import KeyHint

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

LIST: Final = "LIST"  # the action that shows all keys over the view
SHOWN: Final = 5  # how many keys the status bar shows beside that one: more do not fit into 1,280 pixels


@dataclass(frozen=True)
class KeyAction:
    """An action: its name, its description, its key, and what is held with that."""

    name: str
    description: str
    key: str
    shift: bool = False
    ctrl: bool = False
    alt: bool = False


@dataclass(frozen=True)
class ActionKeymap:
    """A keymap whose keys name actions.

    name: the keymap's name. operator: the `bl_idname` of its items. label: that operator's. while_: what goes
    on, in words, while the keys count. actions: each action by its identifier,
    the most needed ones first: the status bar shows `SHOWN` of them, and the key that lists all. also: fixed
    keys for actions, which are not shown.
    """

    name: str
    operator: str
    label: str
    while_: str
    actions: Mapping[str, KeyAction]
    also: Mapping[str, str]

    def action_of(self, context: Context, event: InputEvent) -> str | None:
        """Return the action of a pressed key, by the artist's own keymap; None for none."""
        if event.value != "PRESS":
            return None
        for item in self._items(context):
            if item.active and item.type == event.type and _modifiers_agree(item, event):
                return _action(item)
        return self.also.get(event.type)

    def hints(self, context: Context) -> list[KeyHint]:
        """Return the keys that matter most, with what they do, and the key that lists all of them."""
        hints = self.all_hints(context)
        lists_all = self.actions[LIST].name if LIST in self.actions else None
        lists = [hint for hint in hints if hint.text == lists_all]
        others = [hint for hint in hints if hint not in lists]
        return [*others[:SHOWN], *lists] if lists else others

    def all_hints(self, context: Context) -> list[KeyHint]:
        """Return the keys of all actions that have one, with the actions' names."""
        items = [item for item in self._in_order(self._items(context)) if item.active]
        return [KeyHint.of_item(self.actions[_action(item)].name, item) for item in items]

    def keys(self, context: Context) -> dict[str, str]:
        """Return how Blender writes the key of each action that has one."""
        items = [item for item in self._items(context) if item.active]
        return {_action(item): item.to_string(compact=True) for item in items}

    def draw(self, context: Context, layout: UILayout) -> None:
        """Draw all keys, to be edited, each with its description."""
        config = present(window_manager_of(context).keyconfigs.user)
        if self.name not in config.keymaps:
            return
        keymap = config.keymaps[self.name]
        column = layout.column()
        column.use_property_split = False
        column.label(text=self.name)
        column.context_pointer_set("keymap", keymap)
        for item in self._in_order(keymap.keymap_items):
            split = column.split(factor=0.5)
            row = split.row()
            row.prop(item, "active", text="")
            row.label(text=self.actions[_action(item)].description)
            row = split.row()
            row.prop(item, "map_type", text="")
            row.prop(item, "type", text="", full_event=True)
            if item.is_user_modified:
                row.operator("preferences.keyitem_restore", text="", icon="BACK").item_id = item.id

    @contextmanager
    def added(self) -> Iterator[None]:
        """Add the keymap until the block ends. In background there is no configuration to add it to."""
        configs: Any = window_manager_of(bpy.context).keyconfigs  # the stub says that there always is one
        config = configs.addon
        if config is None:
            yield
            return
        # an artist edits Blender's own keymaps with the extensions' items in them: so Blender must have it
        blenders = configs.default.keymaps.new(name=self.name, space_type="EMPTY", region_type="WINDOW")
        keymap = config.keymaps.new(name=self.name, space_type="EMPTY", region_type="WINDOW")
        try:
            for name, action in self.actions.items():
                new: Any = keymap.keymap_items.new
                held = {"shift": action.shift, "ctrl": action.ctrl, "alt": action.alt}
                item = new(self.operator, action.key, "PRESS", **held)
                item.properties.action = name
            yield
        finally:
            config.keymaps.remove(keymap)
            configs.default.keymaps.remove(blenders)

    def _items(self, context: Context) -> Iterator[KeyMapItem]:
        configs = window_manager_of(context).keyconfigs
        for config in (present(configs.user), present(configs.addon)):
            if self.name in config.keymaps and len(config.keymaps[self.name].keymap_items):
                yield from config.keymaps[self.name].keymap_items
                return

    def _in_order(self, items: Iterable[KeyMapItem]) -> list[KeyMapItem]:
        """Return items in the order of the actions: Blender lists an extension's items backwards."""
        order = list(self.actions)
        return sorted(items, key=lambda item: order.index(_action(item)))

    def operator_class(self) -> type[Operator]:
        """Return the operator of the keymap's items, to be registered; its property `action` names one."""
        enum: Any = EnumProperty  # the stub says that it gives nothing
        items = [(key, action.name, action.description) for key, action in self.actions.items()]
        words = {
            "__doc__": f"What a key does while {self.while_}.",
            "__annotations__": {"action": enum(name="Action", description="What the key does", items=items)},
            "bl_idname": self.operator,
            "bl_label": self.label,
            "bl_description": f"What a key does while {self.while_}",
        }
        return type("PHYSPLACE_OT_" + self.operator.partition(".")[2], (_KeyOperator,), words)


class _KeyOperator(Operator):
    """The operator of a keymap's items."""

    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return False: it only names actions."""
        cls.poll_message_set(spoken("It names keys of PhysPlace and does nothing by itself"))
        return False

    def execute(self, context: Context) -> set[OperatorReturnItems]:
        """Do nothing; Blender never calls it, because `poll` refuses."""
        return {"CANCELLED"}


def _action(item: KeyMapItem) -> str:
    action: str = cast("Any", item.properties).action
    return action


def _modifiers_agree(item: KeyMapItem, event: InputEvent) -> bool:
    modifiers = bool(item.shift), bool(item.ctrl), bool(item.alt), bool(item.oskey)
    return modifiers == (event.shift, event.ctrl, event.alt, event.oskey)
