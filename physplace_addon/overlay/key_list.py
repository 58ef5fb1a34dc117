# SPDX-License-Identifier: GPL-3.0-or-later
"""A list of keys with what they do, written over one 3D view until it is closed.

Where the view is too low for all rows below each other, they stand in columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import Any, Final

import blf
import bpy
from bpy.types import Area, Region, SpaceView3D

from .drawing import redraw_views

FONT: Final = 0  # number of Blender's default font
SIZE: Final = 12.0  # of the text, in pixels at an interface scale of 1
LINE: Final = 1.5  # height of a line over the size of the text
MARGIN: Final = 20.0  # pixels from the view's borders, at an interface scale of 1
VIEW_NAME: Final = 45.0  # height of the view's and the object's names at the top, at an interface scale of 1
HEADERS: Final = ("HEADER", "TOOL_HEADER")
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
        room = _view(area).height - _covered_above(area) - (2.0 * MARGIN + VIEW_NAME) * scale
        for text, x, y in laid_out(self.rows, SIZE * scale, room, lambda words: float(size(FONT, words)[0])):
            blf.position(FONT, left + x, MARGIN * scale + y, 0.0)
            blf.draw(FONT, text)
        blf.disable(FONT, blf.SHADOW)


def laid_out(
    rows: Sequence[Row], size: float, room: float, width: Callable[[str], float]
) -> list[tuple[str, float, float]]:
    """Return each text with where it begins, right of and above the list's lower left corner, in pixels.

    The rows are below each other as far as the room is high enough, and otherwise in columns of one height.

    Args:
        rows: the rows, from the top.
        size: the height of the text, pixels.
        room: how high the list may be, pixels.
        width: returns the width of a text, pixels.
    """
    most = max(1, int(room / (LINE * size)))
    count = ceil(len(rows) / ceil(len(rows) / most)) if rows else 1
    placed: list[tuple[str, float, float]] = []
    left = 0.0
    for first in range(0, len(rows), count):
        column = rows[first : first + count]
        second = left + max(width(key) for key, _ in column) + size
        for number, (key, text) in enumerate(column):
            height = (min(count, len(rows)) - 1 - number) * LINE * size
            placed += [(key, left, height), (text, second, height)]
        left = second + max(width(text) for _, text in column) + 2.0 * size
    return placed


def _view(area: Area) -> Region:
    return next(region for region in area.regions if region.type == "WINDOW")


def _covered_above(area: Area) -> int:
    """Return how much of the view's height headers cover, pixels: nothing where they lie beside it."""
    view = _view(area)
    top = view.y + view.height
    headers = [region for region in area.regions if region.type in HEADERS and region.alignment == "TOP"]
    return max((top - region.y for region in headers if region.height > 1), default=0)


def _toolbar_width(area: Area) -> int:
    """Return how much of the view the toolbar covers, pixels: nothing where it lies beside the view."""
    tools = [region for region in area.regions if region.type == "TOOLS" and region.alignment == "LEFT"]
    view = _view(area)
    return max((region.x + region.width - view.x for region in tools), default=0)
