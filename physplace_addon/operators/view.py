# SPDX-License-Identifier: GPL-3.0-or-later
"""The 3D view that an operator works in: where the mouse is, and what it points at in the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from bpy.types import Area, Context, Event, Region, RegionView3D, SpaceView3D
from bpy_extras import view3d_utils
from mathutils import Vector

from ..core.arrays import Floats
from ..scene.access import view_layer_of, window_manager_of
from ..scene.reading.visible import seen_along
from ..scene.references import by_full_name
from .input_events import InputEvent

NAVIGATION = frozenset(
    {
        *("MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "WHEELINMOUSE", "WHEELOUTMOUSE", "TRACKPADPAN"),
        *("TRACKPADZOOM", "MOUSEROTATE", "MOUSESMARTZOOM", "NDOF_MOTION", "HOME", "NUMPAD_PERIOD"),
        *("NUMPAD_PLUS", "NUMPAD_MINUS", "NUMPAD_SLASH", "NUMPAD_ASTERIX"),
        *(f"NUMPAD_{digit}" for digit in range(10)),
    }
)
# with Ctrl these set the camera, or select more or less
NOT_WITH_CTRL = frozenset({"NUMPAD_0", "NUMPAD_PLUS", "NUMPAD_MINUS"})


@dataclass(frozen=True, eq=False)
class View:
    """An area's 3D view, looked up anew for every event: Blender may free areas and regions in between.

    An area that is split into four has four of them, each a region with a view of its own.
    """

    area: Area
    region: Region
    region_3d: RegionView3D

    @classmethod
    def of(cls, context: Context, event: InputEvent | None = None, before: int = 0) -> View | None:
        """Return the view of the context's area; None if that is no 3D view, or gone.

        Of four views it is the one under the mouse of an event, or else the one whose region had the address
        `before`, or else that of the context's region, or the one that Blender takes for the area's own.
        """
        area = context.area
        if area is None or area.type != "VIEW_3D":
            return None
        regions = [region for region in area.regions if region.type == "WINDOW"]
        chosen = [each for each in regions if event and _holds(each, event.mouse_x, event.mouse_y)]
        chosen += [each for each in regions if each.as_pointer() == before]
        chosen += [each for each in regions if each == context.region]
        region = next(iter([*chosen, *regions[::-1]]), None)
        seen = None if region is None else region.data
        return cls(area, region, seen) if region is not None and isinstance(seen, RegionView3D) else None

    def mouse(self, event: InputEvent) -> Floats:
        """Return where the mouse is (2,), in pixels of the region."""
        return np.array([event.mouse_x - self.region.x, event.mouse_y - self.region.y], dtype=np.float64)

    def pressed(self, event: Event) -> Floats:
        """Return where the mouse was (2,) when it was pressed last, in pixels of the region."""
        x, y = event.mouse_prev_press_x, event.mouse_prev_press_y
        return np.array([x - self.region.x, y - self.region.y], dtype=np.float64)

    def is_under(self, event: InputEvent) -> bool:
        """Return whether the mouse is over the view itself, and not over a bar or a panel in it."""
        x, y = event.mouse_x, event.mouse_y
        over = [each.type for each in self.area.regions if _holds(each, x, y)]
        return over == ["WINDOW"]

    def ray(self, mouse: Floats) -> tuple[Floats, Floats]:
        """Return the origin (3,) and unit direction (3,) of a pixel's ray, in the world."""
        at = Vector(mouse.tolist())
        origin = view3d_utils.region_2d_to_origin_3d(self.region, self.region_3d, at)
        along = view3d_utils.region_2d_to_vector_3d(self.region, self.region_3d, at)
        return np.array(origin, dtype=np.float64), np.array(along, dtype=np.float64)

    def under_mouse(self, mouse: Floats, depth: Floats) -> Floats:
        """Return the point (3,) of the world that a pixel shows, as far away as the point `depth` (3,)."""
        at = view3d_utils.region_2d_to_location_3d(
            self.region, self.region_3d, Vector(mouse.tolist()), Vector(depth.tolist())
        )
        return np.array(at, dtype=np.float64)

    def pixel(self, point: Floats) -> Floats | None:
        """Return the pixel (2,) that shows a point (3,) of the world; None behind the view."""
        seen: Any = view3d_utils.location_3d_to_region_2d  # the stub forgets what is behind the view
        at = seen(self.region, self.region_3d, Vector(point.tolist()))
        return None if at is None else np.array(at, dtype=np.float64)

    @property
    def towards(self) -> Floats:
        """The unit direction (3,) from what is seen to the viewer."""
        back: Floats = np.array(self.region_3d.view_matrix.inverted().col[2][:3], dtype=np.float64)
        return back / float(np.linalg.norm(back))


def _holds(region: Region, x: int, y: int) -> bool:
    inside = region.x <= x < region.x + region.width and region.y <= y < region.y + region.height
    return inside and region.width > 1 and region.height > 1


def nearest_pixel(places: Floats, view: View, mouse: Floats, pixels: float) -> int | None:
    """Return which of some places (k, 3) of the world is seen nearest to the mouse (2,).

    None if all of them are farther from it than so many pixels, or behind the view.
    """
    seen = [view.pixel(place) for place in places]
    off = [np.inf if at is None else float(np.hypot(*(at - mouse))) for at in seen]
    nearest = int(np.argmin(off)) if off else -1
    return nearest if off and off[nearest] <= pixels else None


def object_under(context: Context, view: View, mouse: Floats) -> tuple[str, Floats] | None:
    """Return the full name of the visible object that a pixel shows, and its point (3,); or None."""
    viewport = view.area.spaces.active
    assert isinstance(viewport, SpaceView3D)
    seen = seen_along(context, *view.ray(mouse), viewport)
    return None if seen is None else (seen[0].name_full, seen[1])


def pick_up(context: Context, view: View, mouse: Floats) -> None:
    """Make the object under the mouse the active one if it is selected, as Blender's own tools do.

    It is selected first where the artist's keymap selects with the left mouse.
    """
    if selects_with_left_mouse(context):
        at, before = mouse.astype(int).tolist(), set(view_layer_of(context).objects.selected)
        with context.temp_override(area=view.area, region=view.region):
            bpy.ops.view3d.select(location=at, select_passthrough=True)
        if set(view_layer_of(context).objects.selected) != before:
            bpy.ops.ed.undo_push(message="Select")
    seen = object_under(context, view, mouse)
    objects = view_layer_of(context).objects
    under = None if seen is None else by_full_name(objects).get(seen[0])
    if under is not None and under.select_get():
        objects.active = under


def selects_with_left_mouse(context: Context) -> bool:
    """Return whether the artist's keymap selects with the left mouse, as most do."""
    keymaps: Any = window_manager_of(context).keyconfigs.active
    return getattr(keymaps.preferences, "select_mouse", "LEFT") == "LEFT"


def is_for_view(view: View, event: InputEvent) -> bool:
    """Return whether an event is for the view and neither navigates nor is the mouse's on a bar or panel.

    Bars and panels keep the mouse but not the keys: else a G over the toolbar would start Blender's own Grab.
    """
    if event.type in NAVIGATION and not (event.ctrl and event.type in NOT_WITH_CTRL):
        return False
    area = view.area
    inside = 0 <= event.mouse_x - area.x < area.width and 0 <= event.mouse_y - area.y < area.height
    return view.is_under(event) or (inside and "MOUSE" not in event.type)
