# SPDX-License-Identifier: GPL-3.0-or-later
"""A list of keys with what they do, written over one 3D view until it is closed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import blf
import bpy
from bpy.types import Area, SpaceView3D

from .drawing import redraw_views

FONT: Final = 0  # number of Blender's default font
SIZE: Final = 12.0  # of the text, in pixels at an interface scale of 1
LINE: Final = 1.5  # height of a line over the size of the text
MARGIN: Final = 20.0  # pixels from the view's borders, at an interface scale of 1
SHADOW: Final = 5  # softness of the text's shadow, as blf counts it: legible on any background
WHITE: Final = (1.0, 1.0, 1.0, 1.0)
BLACK: Final = (0.0, 0.0, 0.0, 1.0)

Row = tuple[str, str]


class KeyList:
    """Rows of a key and what it does, at the lower left of the view in which it was opened, until `close`."""

    def __init__(self, area: int, rows: Sequence[Row]) -> None:
        self.rows = tuple(rows)
        self._area = area
        self._handler: Any = SpaceView3D.draw_handler_add(self._draw, (), "WINDOW", "POST_PIXEL")
        redraw_views()

    def close(self) -> None:
        """Stop drawing; closing again does nothing."""
        if self._handler is None:
            return
        handler, self._handler = self._handler, None
        SpaceView3D.draw_handler_remove(handler, "WINDOW")
        redraw_views()

    def _draw(self) -> None:
        area, preferences = bpy.context.area, bpy.context.preferences
        if area is None or area.as_pointer() != self._area or preferences is None:
            return
        scale = preferences.system.ui_scale
        blf.size(FONT, SIZE * scale)
        blf.enable(FONT, blf.SHADOW)
        blf.shadow(FONT, SHADOW, *BLACK)
        blf.color(FONT, *WHITE)
        size: Any = blf.dimensions  # the stub says that it returns nothing
        left = MARGIN * scale + _toolbar_width(area)
        column = max((float(size(FONT, key)[0]) for key, _ in self.rows), default=0.0) + SIZE * scale
        for number, (key, text) in enumerate(reversed(self.rows)):
            height = MARGIN * scale + number * LINE * SIZE * scale
            for at, words in ((left, key), (left + column, text)):
                blf.position(FONT, at, height, 0.0)
                blf.draw(FONT, words)
        blf.disable(FONT, blf.SHADOW)


def _toolbar_width(area: Area) -> int:
    """Return how much of the view the toolbar covers, pixels: nothing where it lies beside the view."""
    tools = [region for region in area.regions if region.type == "TOOLS" and region.alignment == "LEFT"]
    view = next(region for region in area.regions if region.type == "WINDOW")
    return max((region.x + region.width - view.x for region in tools), default=0)
