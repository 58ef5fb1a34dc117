# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys with what they do, as the status bar shows them: with Blender's own icons of keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal, cast

import bpy
from bpy.types import Context, Header, KeyMapItem

from ...scene.access import present
from ...translations.spoken import spoken

Modifier = Literal["SHIFT", "CTRL", "ALT", "OS"]

# Events whose icon is not named after them.
_ICONS: Final = {
    "RET": "EVENT_RETURN",
    "SPACE": "EVENT_SPACEKEY",
    "LEFTMOUSE": "MOUSE_LMB",
    "MIDDLEMOUSE": "MOUSE_MMB",
    "RIGHTMOUSE": "MOUSE_RMB",
    "MOUSEMOVE": "MOUSE_MOVE",
    "PAGE_UP": "EVENT_PAGEUP",
    "PAGE_DOWN": "EVENT_PAGEDOWN",
}
# Icons that Blender draws wider than the room it gives them, with the separator that makes up for it.
_WIDE: Final = {
    **dict.fromkeys(("EVENT_ESC", "EVENT_TAB", "EVENT_ALT", "EVENT_HOME", "EVENT_END"), 1.5),
    **dict.fromkeys(("EVENT_SPACEKEY", "EVENT_CTRL", "EVENT_PAUSE", "EVENT_INSERT"), 3.0),
}


@dataclass(frozen=True)
class KeyHint:
    """A key with what it does.

    text: what it does. key: how Blender writes the key. icons: of the modifiers and of the key; none where
    Blender has none for the key.
    """

    text: str
    key: str
    icons: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str, event: str, *modifiers: Modifier) -> KeyHint:
        """Return the hint of a key that is fixed, by its event's type."""
        words = [*(modifier.title() for modifier in modifiers), event.replace("_", " ").capitalize()]
        return cls(text, " ".join(words), _icons(event, modifiers))

    @classmethod
    def of_item(cls, text: str, item: KeyMapItem) -> KeyHint:
        """Return the hint of a key that the artist may have changed."""
        held = (("SHIFT", item.shift), ("CTRL", item.ctrl), ("ALT", item.alt), ("OS", item.oskey))
        modifiers = [name for name, is_held in held if is_held]
        return cls(text, item.to_string(compact=True), _icons(item.type, modifiers))

    def __str__(self) -> str:
        """Return the hint as a text."""
        return f"{self.key}: {self.text}"


def drawn(hints: Sequence[KeyHint]) -> Callable[[Header, Context], None]:
    """Return a function that draws hints in the status bar."""

    def draw(header: Header, context: Context) -> None:
        row = present(header.layout).row()
        for hint in hints:
            part = row.row(align=True)
            if not hint.icons:
                part.label(text=hint.key, translate=False)
            for icon in hint.icons:
                part.label(text="", icon=cast("Any", icon))
                if icon in _WIDE:
                    part.separator(factor=_WIDE[icon])
            part.label(text=spoken(hint.text), translate=False)
            row.separator(factor=0.6)

    return draw


def _icons(event: str, modifiers: Sequence[str]) -> tuple[str, ...]:
    """Return the icons of a key with modifiers; none where Blender has none for the key itself."""
    icon = _ICONS.get(event, f"EVENT_{event}")
    return (*(f"EVENT_{name}" for name in modifiers), icon) if icon in _known_icons() else ()


@cache
def _known_icons() -> frozenset[str]:
    """Return the names of all icons that this Blender has."""
    layout: Any = bpy.types.UILayout.bl_rna  # the stub does not know its functions
    return frozenset(layout.functions["prop"].parameters["icon"].enum_items.keys())
