# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of more than a line: Blender cuts a label's middle out where it is too long for the panel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

import blf
from bpy.types import Context, UILayout

from ..scene.access import present

Icon = Literal["INFO", "ERROR", "BLANK1"]
UNIT: Final = 20  # pixels of a button's height, at an interface scale of 1
MARGINS: Final = 3.0  # units beside a text: the panel's borders, its tabs, the label's own
FONT: Final = 0  # Blender's own


def draw_paragraph(context: Context, layout: UILayout, text: str, icon: Icon) -> None:
    """Draw a text in as many lines as the panel needs for it, an icon before the first."""
    preferences = present(context.preferences)
    scale = preferences.system.ui_scale
    blf.size(FONT, present(preferences.ui_styles)[0].widget.points * scale)
    room = present(context.region).width - (MARGINS + 1.0) * UNIT * scale
    column = layout.column(align=True)
    column.scale_y = 0.8  # closer than lines that have nothing to do with each other
    size: Any = blf.dimensions  # the stub says that it returns nothing
    for line in wrapped(text, room, lambda part: float(size(FONT, part)[0])):
        column.label(text=line, icon=icon)
        icon = "BLANK1"


def wrapped(text: str, room: float, width: Callable[[str], float]) -> list[str]:
    """Break a text between words into lines no wider than there is room for; a wider word has its own."""
    lines: list[str] = []
    for word in text.split():
        if lines and width(f"{lines[-1]} {word}") <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
