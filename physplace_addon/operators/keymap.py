# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of placing, simulating, posing and sculpting, in keymaps that the preferences edit.

Blender has no modal keymaps for Python's operators. So these keymaps belong to no editor and do nothing by
themselves: their items name actions, and a running operator looks up its events in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import bpy
from bpy.props import EnumProperty
from bpy.types import Context, Event, KeyMapItem, Operator, UILayout

from ..scene.access import present, window_manager_of
from .key_hints import KeyHint

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

# an action's name, its description, its key, and whether that is pressed with Shift, Ctrl and Alt
KeyAction = tuple[str, str, str, bool, bool, bool]

LIST = "LIST"  # the action that shows all keys over the view
SHOWN = 5  # how many keys the status bar shows beside that one: more do not fit into 1,280 pixels
_LIST_KEYS: KeyAction = ("All Keys", "List all keys over the view, or no more", "H", False, False, False)


@dataclass(frozen=True)
class ActionKeymap:
    """A keymap whose keys name actions.

    name: the keymap's name. operator: the `bl_idname` of its items. actions: each action by its identifier,
    the most needed ones first: the status bar shows `SHOWN` of them, and the key that lists all. also: fixed
    keys for actions, which are not shown.
    """

    name: str
    operator: str
    actions: Mapping[str, KeyAction]
    also: Mapping[str, str]

    def action_of(self, context: Context, event: Event) -> str | None:
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
        lists = [hint for hint in hints if hint.text == self.actions[LIST][0]] if LIST in self.actions else []
        others = [hint for hint in hints if hint not in lists]
        return [*others[:SHOWN], *lists] if lists else others

    def all_hints(self, context: Context) -> list[KeyHint]:
        """Return the keys of all actions that have one, with the actions' names."""
        items = [item for item in self._in_order(self._items(context)) if item.active]
        return [KeyHint.of_item(self.actions[_action(item)][0], item) for item in items]

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
            row.label(text=self.actions[_action(item)][1])
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
            for action, (_, _, key, shift, ctrl, alt) in self.actions.items():
                new: Any = keymap.keymap_items.new
                item = new(self.operator, key, "PRESS", shift=shift, ctrl=ctrl, alt=alt)
                item.properties.action = action
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


PLACING = ActionKeymap(
    "PhysPlace: Placing",
    "physplace.placing_key",
    {
        "CONFIRM": ("Confirm", "Leave it here", "RET", False, False, False),
        "CANCEL": ("Cancel", "Put everything back", "ESC", False, False, False),
        "PAUSE": ("Pause", "Pause, or go on from the state that is shown", "SPACE", False, False, False),
        "MOVE": ("Move", "Move it by hand; it slides along what it touches", "G", False, False, False),
        "TURN": ("Turn", "Turn it by hand, as far as what it touches lets it", "R", False, False, False),
        "PULL": ("Pull", "Pull it at the point under the mouse", "LEFTMOUSE", False, False, False),
        "PUSH": ("Push", "Push it at the point under the mouse", "LEFTMOUSE", False, True, False),
        "TIE": (
            "Tie",
            "Tie the point under the mouse to where the next click lands",
            "LEFTMOUSE",
            False,
            False,
            True,
        ),
        "NEXT": ("Next", "Make the next selected object the active one", "TAB", False, False, False),
        "COPY": ("Copy", "Confirm here, and go on with a copy", "D", True, False, False),
        "KEY": ("Key", "Key this rest at the current frame", "K", False, False, False),
        "BILATERAL": (
            "Stick",
            "Let the contact under the mouse slide but not separate, or no more",
            "B",
            False,
            False,
            False,
        ),
        "THROUGH": (
            "Pass Through",
            "Move it through other objects by hand, or no more",
            "I",
            False,
            False,
            False,
        ),
        "EXTRICATE": (
            "Extricate",
            "Free it of what it overlaps by the least motion",
            "E",
            False,
            False,
            False,
        ),
        "FRICTION": ("Friction", "Let friction act, or no more", "F", False, False, False),
        "ENERGY": ("Allow Rising", "Let forces lift it on its way, or no more", "A", False, False, False),
        "LEAVE": ("Tip Over", "Leave an unstable rest by a small nudge", "M", False, False, False),
        "BACK": ("Step Back", "Show the state before", "LEFT_ARROW", False, False, False),
        "FORTH": ("Step Forward", "Show the state after", "RIGHT_ARROW", False, False, False),
        "FAR_BACK": ("10 Back", "Go ten states back", "LEFT_ARROW", True, False, False),
        "FAR_FORTH": ("10 Forward", "Go ten states forward", "RIGHT_ARROW", True, False, False),
        LIST: _LIST_KEYS,
    },
    {"NUMPAD_ENTER": "CONFIRM", "RIGHTMOUSE": "CANCEL"},  # as in all of Blender's own tools
)
SCULPTING = ActionKeymap(
    "PhysPlace: Sculpting",
    "physplace.sculpting_key",
    {
        "CONFIRM": ("Confirm", "Leave the blob as it is", "RET", False, False, False),
        "CANCEL": ("Cancel", "Put the blob back as it was", "ESC", False, False, False),
        "PULL": ("Pull", "Drag the control point under the mouse", "LEFTMOUSE", False, False, False),
        "ADD": (
            "New Control Point",
            "Make a control point where the surface is under the mouse",
            "LEFTMOUSE",
            False,
            True,
            False,
        ),
    },
    {"NUMPAD_ENTER": "CONFIRM"},
)
SIMULATING = ActionKeymap(
    "PhysPlace: Simulating",
    "physplace.simulating_key",
    {
        "CONFIRM": ("Confirm", "Key all frames that were simulated", "RET", False, False, False),
        "CANCEL": ("Cancel", "Put everything back", "ESC", False, False, False),
        "PAUSE": (
            "Pause",
            "Pause, or go on from the frame that is shown; later ones are given up",
            "SPACE",
            False,
            False,
            False,
        ),
        "PULL": (
            "Pull",
            "Pull the object under the mouse at that point, for as long as it is held",
            "LEFTMOUSE",
            False,
            False,
            False,
        ),
        "MOVE": ("Move", "Pause, and move the active object by hand", "G", False, False, False),
        "TURN": ("Turn", "Pause, and turn the active object by hand", "R", False, False, False),
        "BACK": ("Step Back", "Show the frame before", "LEFT_ARROW", False, False, False),
        "FORTH": ("Step Forward", "Show the frame after", "RIGHT_ARROW", False, False, False),
        "FAR_BACK": ("10 Back", "Go ten frames back", "LEFT_ARROW", True, False, False),
        "FAR_FORTH": ("10 Forward", "Go ten frames forward", "RIGHT_ARROW", True, False, False),
        LIST: _LIST_KEYS,
    },
    {"NUMPAD_ENTER": "CONFIRM", "RIGHTMOUSE": "CANCEL"},
)
POSING = ActionKeymap(
    "PhysPlace: Posing",
    "physplace.posing_key",
    {
        "CONFIRM": ("Confirm", "Leave the figure in this pose", "RET", False, False, False),
        "CANCEL": ("Cancel", "Put the figure back", "ESC", False, False, False),
        "GRAB": ("Grab", "Drag the part under the mouse at that point", "LEFTMOUSE", False, False, False),
        "PIN": ("Pin", "Pin the point under the mouse, or release it", "LEFTMOUSE", False, True, False),
        "CYCLE": (
            "Kind of Pin",
            "Let the pin under the mouse, or else the last one, hold its point, its whole part, nothing",
            "TAB",
            False,
            False,
            False,
        ),
        "WHOLE": ("Whole Figure", "Move the whole figure, or no more", "A", False, False, False),
        LIST: _LIST_KEYS,
    },
    {"NUMPAD_ENTER": "CONFIRM", "RIGHTMOUSE": "CANCEL"},
)
SITTING = ActionKeymap(
    "PhysPlace: Sitting Down",
    "physplace.sitting_key",
    {
        "CONFIRM": ("Confirm", "Leave the figure as it is shown", "RET", False, False, False),
        "CANCEL": ("Cancel", "Put the figure back", "ESC", False, False, False),
        "PAUSE": ("Pause", "Pause, or go on from the state that is shown", "SPACE", False, False, False),
        "BACK": ("Step Back", "Show the state before", "LEFT_ARROW", False, False, False),
        "FORTH": ("Step Forward", "Show the state after", "RIGHT_ARROW", False, False, False),
        "FAR_BACK": ("10 Back", "Go ten states back", "LEFT_ARROW", True, False, False),
        "FAR_FORTH": ("10 Forward", "Go ten states forward", "RIGHT_ARROW", True, False, False),
        LIST: _LIST_KEYS,
    },
    {"NUMPAD_ENTER": "CONFIRM", "RIGHTMOUSE": "CANCEL"},
)
ALL = (PLACING, SIMULATING, POSING, SITTING, SCULPTING)


class _KeyOperator(Operator):
    """The operator of a keymap's items: its property `action` names the action."""

    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return False: it only names actions."""
        cls.poll_message_set("It names keys of PhysPlace and does nothing by itself")
        return False

    def execute(self, context: Context) -> set[OperatorReturnItems]:
        """Do nothing; Blender never calls it, because `poll` refuses."""
        return {"CANCELLED"}


class PHYSPLACE_OT_placing_key(_KeyOperator):
    """The action of a key while an object is placed."""

    bl_idname = PLACING.operator
    bl_label = "Steer a Placement"
    bl_description = "What a key does while an object is being placed"

    if TYPE_CHECKING:
        action: str
    else:
        action: EnumProperty(
            name="Action",
            description="What the key does to the object that is being placed",
            items=[(key, label, text) for key, (label, text, *_) in PLACING.actions.items()],
        )


class PHYSPLACE_OT_simulating_key(_KeyOperator):
    """The action of a key while objects are simulated."""

    bl_idname = SIMULATING.operator
    bl_label = "Steer a Simulation"
    bl_description = "What a key does while objects are being simulated"

    if TYPE_CHECKING:
        action: str
    else:
        action: EnumProperty(
            name="Action",
            description="What the key does to the simulation that is running",
            items=[(key, label, text) for key, (label, text, *_) in SIMULATING.actions.items()],
        )


class PHYSPLACE_OT_posing_key(_KeyOperator):
    """The action of a key while a jointed figure is posed."""

    bl_idname = POSING.operator
    bl_label = "Pose a Figure"
    bl_description = "What a key does while a jointed figure is being posed"

    if TYPE_CHECKING:
        action: str
    else:
        action: EnumProperty(
            name="Action",
            description="What the key does to the figure that is being posed",
            items=[(key, label, text) for key, (label, text, *_) in POSING.actions.items()],
        )


class PHYSPLACE_OT_sitting_key(_KeyOperator):
    """The action of a key while a jointed figure sits down."""

    bl_idname = SITTING.operator
    bl_label = "Steer a Figure That Sits Down"
    bl_description = "What a key does while a jointed figure is sitting down"

    if TYPE_CHECKING:
        action: str
    else:
        action: EnumProperty(
            name="Action",
            description="What the key does to the figure that is sitting down",
            items=[(key, label, text) for key, (label, text, *_) in SITTING.actions.items()],
        )


class PHYSPLACE_OT_sculpting_key(_KeyOperator):
    """The action of a key while a blob is sculpted."""

    bl_idname = SCULPTING.operator
    bl_label = "Sculpt a Blob"
    bl_description = "What a key does while a blob is being sculpted"

    if TYPE_CHECKING:
        action: str
    else:
        action: EnumProperty(
            name="Action",
            description="What the key does to the blob that is being sculpted",
            items=[(key, label, text) for key, (label, text, *_) in SCULPTING.actions.items()],
        )


def draw_keymaps(context: Context, layout: UILayout) -> None:
    """Draw all keymaps, to be edited."""
    for keys in ALL:
        keys.draw(context, layout)


@contextmanager
def added_keymaps() -> Iterator[None]:
    """Add all keymaps until the block ends."""
    with ExitStack() as stack:
        for keys in ALL:
            stack.enter_context(keys.added())
        yield


def _action(item: KeyMapItem) -> str:
    action: str = cast("PHYSPLACE_OT_placing_key", item.properties).action
    return action


def _modifiers_agree(item: KeyMapItem, event: Event) -> bool:
    modifiers = bool(item.shift), bool(item.ctrl), bool(item.alt), bool(item.oskey)
    return modifiers == (event.shift, event.ctrl, event.alt, event.oskey)
