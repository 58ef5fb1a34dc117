# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks of bodies in contact, drawn in all 3D views of their scene until the drawing is closed.

Contacts are outlines, lines and points, with forces as arrows of length R times the force over the weight.
Near pairs are faint. The centre of mass is a cross with a line to its support polygon, whose border is thick
where it does not carry. Overlaps are points in front of everything, pulls arrows. What a surface hides is
drawn fainter. The floaters of a blob are disks, which hide what they cover.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import bpy
from bpy.types import Scene, SpaceView3D, WindowManager

from .layers import Layer, layers_of
from .marks import Marks
from .strokes import Stroke, draw, overlays_are_shown, strokes_of


class Drawing:
    """Draws marks in every 3D view of the scene in which they are shown, until `close`.

    An error while drawing closes it, so that Blender reports it once and not at every redraw.
    """

    def __init__(self) -> None:
        self._marks = Marks.none()
        self._layers: Sequence[Layer] = ()
        self._strokes: list[Stroke] | None = None
        self._scene = _scene()
        self._handler: Any = SpaceView3D.draw_handler_add(self._draw, (), "WINDOW", "POST_VIEW")
        _open.append(self)

    @property
    def is_open(self) -> bool:
        """Whether it still draws."""
        return self._handler is not None

    @property
    def is_in_scene(self) -> bool:
        """Whether the scene that is shown is the one in which it draws."""
        return _scene() == self._scene

    @property
    def marks(self) -> Marks:
        """The marks that are drawn."""
        return self._marks

    @property
    def layers(self) -> Sequence[Layer]:
        """The layers that are drawn besides marks."""
        return self._layers

    def show(self, marks: Marks) -> None:
        """Replace the marks, and redraw the views."""
        self._marks, self._strokes, self._scene = marks, None, _scene()
        redraw_views()

    def show_layers(self, layers: Sequence[Layer]) -> None:
        """Replace the layers besides marks, and redraw the views."""
        self._layers, self._strokes, self._scene = tuple(layers), None, _scene()
        redraw_views()

    def forget_strokes(self) -> None:
        """Make the strokes anew at the next redraw."""
        self._strokes = None

    def close(self) -> None:
        """Stop drawing; closing again does nothing."""
        if self._handler is None:
            return
        handler, self._handler = self._handler, None
        _open.remove(self)
        SpaceView3D.draw_handler_remove(handler, "WINDOW")
        redraw_views()

    def _draw(self) -> None:
        try:
            if self._strokes is None:
                self._strokes = strokes_of([*self._layers, *layers_of(self._marks)])
            if overlays_are_shown() and self.is_in_scene:
                draw(self._strokes)
        except Exception:
            self.close()
            raise


_open: list[Drawing] = []


def _scene() -> int:
    return cast("Scene", bpy.context.scene).session_uid


def open_drawings() -> tuple[Drawing, ...]:
    """Return the drawings that are not closed yet."""
    return tuple(_open)


def draw_anew() -> None:
    """Draw everything anew, as when colours have changed."""
    for drawing in open_drawings():
        drawing.forget_strokes()
    redraw_views()


def close_all() -> None:
    """Close every drawing: when the extension is disabled, or another file is loaded."""
    for drawing in open_drawings():
        drawing.close()


def redraw_views() -> None:
    """Redraw all 3D views of all windows, with their sidebars but without their headers."""
    for window in cast("WindowManager", bpy.context.window_manager).windows:
        for area in window.screen.areas:
            for region in area.regions:
                if area.type == "VIEW_3D" and region.type in ("WINDOW", "UI"):
                    region.tag_redraw()
