# SPDX-License-Identifier: GPL-3.0-or-later
"""The 3D view that an operator works in: where its mouse is, and what that points at in the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from bpy.types import Area, Context, Event, Region, RegionView3D, SpaceView3D
from bpy_extras import view3d_utils
from mathutils import Vector

from ..core.arrays import Floats
from ..scene.access import scene_of, view_layer_of, window_manager_of


@dataclass(frozen=True, eq=False)
class View:
    """An area's 3D view, looked up anew for every event: Blender may free areas and regions in between."""

    area: Area
    region: Region
    region_3d: RegionView3D

    @classmethod
    def of(cls, context: Context) -> View | None:
        """The view of the context's area; None if that is no 3D view, or gone."""
        area = context.area
        if area is None or area.type != "VIEW_3D":
            return None
        space = area.spaces.active
        assert isinstance(space, SpaceView3D)
        region = next((region for region in area.regions if region.type == "WINDOW"), None)
        if region is None or space.region_3d is None:
            return None
        return cls(area, region, space.region_3d)

    def mouse(self, event: Event) -> Floats:
        """Where the mouse is (2,), in pixels of the region."""
        return np.array([event.mouse_x - self.region.x, event.mouse_y - self.region.y], dtype=np.float64)

    def pressed(self, event: Event) -> Floats:
        """Where the mouse was (2,) when it was pressed last, in pixels of the region."""
        x, y = event.mouse_prev_press_x, event.mouse_prev_press_y
        return np.array([x - self.region.x, y - self.region.y], dtype=np.float64)

    def is_under(self, event: Event) -> bool:
        """Whether the mouse is over the view itself, and not over a bar or a panel in it."""
        x, y = event.mouse_x, event.mouse_y
        over = [each.type for each in self.area.regions if _holds(each, x, y)]
        return over == ["WINDOW"]

    def ray(self, mouse: Floats) -> tuple[Floats, Floats]:
        """The origin (3,) and unit direction (3,) of what a pixel sees."""
        at = Vector(mouse.tolist())
        origin = view3d_utils.region_2d_to_origin_3d(self.region, self.region_3d, at)
        along = view3d_utils.region_2d_to_vector_3d(self.region, self.region_3d, at)
        return np.array(origin, dtype=np.float64), np.array(along, dtype=np.float64)

    def under_mouse(self, mouse: Floats, depth: Floats) -> Floats:
        """The point (3,) that a pixel shows, as far away as the point `depth` (3,)."""
        at = view3d_utils.region_2d_to_location_3d(
            self.region, self.region_3d, Vector(mouse.tolist()), Vector(depth.tolist())
        )
        return np.array(at, dtype=np.float64)

    def pixel(self, point: Floats) -> Floats | None:
        """Where a point (3,) is seen (2,); None behind the view."""
        seen: Any = view3d_utils.location_3d_to_region_2d  # the stub forgets what is behind the view
        at = seen(self.region, self.region_3d, Vector(point.tolist()))
        return None if at is None else np.array(at, dtype=np.float64)

    @property
    def towards(self) -> Floats:
        """The direction (3,) from what is seen to the eye."""
        back: Floats = np.array(self.region_3d.view_matrix.inverted().col[2][:3], dtype=np.float64)
        return back / float(np.linalg.norm(back))


def _holds(region: Region, x: int, y: int) -> bool:
    inside = region.x <= x < region.x + region.width and region.y <= y < region.y + region.height
    return inside and region.width > 1 and region.height > 1


def object_under(context: Context, view: View, mouse: Floats) -> tuple[str, Floats] | None:
    """The full name of the visible object that a pixel shows, and the point (3,) of it; None for none."""
    origin, along = view.ray(mouse)
    depsgraph = context.evaluated_depsgraph_get()
    scene: Any = scene_of(context)  # the stub says that it gives nothing
    hit, point, _, _, found, _ = scene.ray_cast(depsgraph, Vector(origin.tolist()), Vector(along.tolist()))
    return (found.name_full, np.array(point, dtype=np.float64)) if hit else None


def pick_up(context: Context, view: View, mouse: Floats) -> None:
    """Make the object under the mouse the active one if it is selected, and select it if the artist's left
    mouse does that: so do Blender's own tools.
    """
    if selects_with_left_mouse(context):
        at, before = mouse.astype(int).tolist(), set(view_layer_of(context).objects.selected)
        with context.temp_override(area=view.area, region=view.region):
            bpy.ops.view3d.select(location=at, select_passthrough=True)
        if set(view_layer_of(context).objects.selected) != before:
            bpy.ops.ed.undo_push(message="Select")
    seen = object_under(context, view, mouse)
    objects = view_layer_of(context).objects
    if seen is not None and seen[0] in objects and objects[seen[0]].select_get():
        objects.active = objects[seen[0]]


def selects_with_left_mouse(context: Context) -> bool:
    """Whether the artist's keymap selects with the left mouse, as most do."""
    keymaps: Any = window_manager_of(context).keyconfigs.active
    return getattr(keymaps.preferences, "select_mouse", "LEFT") == "LEFT"
