"""Dragging in a viewport that is split into four views."""

from __future__ import annotations

import bpy
import numpy as np
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Vector

from physplace_addon.scene.access import present
from tests.blender_data import of_type
from tests.scene import scenes
from tests.window.test_dragging import cube_at, with_the_tool
from tests.window.user import Place, User

PIXEL = 0.1  # scene units that a pixel of these views shows, and more


def view_of(region: bpy.types.Region) -> bpy.types.RegionView3D:
    return of_type(region.data, bpy.types.RegionView3D)


def seen_at(region: bpy.types.Region, point: Vector) -> Place:
    """Where one of the four views shows a point of the scene, in pixels of the window."""
    at = present(location_3d_to_region_2d(region, view_of(region), point))
    return round(region.x + at.x), round(region.y + at.y)


async def split_into_four(user: User) -> list[bpy.types.Region]:
    """Split the viewport; return the regions that look along the axes."""
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        bpy.ops.screen.region_quadview()
    regions = [region for region in user.area.regions if region.type == "WINDOW"][:3]
    for region in regions:
        view_of(region).view_distance = 10.0
    await user.wait()
    return regions


def at(point: Vector) -> np.ndarray:
    return np.array(point, dtype=np.float64)


async def test_an_object_follows_the_mouse_in_each_of_four_views(user: User) -> None:
    await with_the_tool(user, height=3.0)
    for region in await split_into_four(user):
        right, up, _ = (column.xyz for column in view_of(region).view_matrix.inverted().col[:3])
        before = cube_at()
        grip, across = before - 0.8 * right - 0.8 * up, 0.8 * right + 0.6 * up
        await user.move_to(seen_at(region, grip))
        await user.hold()
        await user.glide_to(seen_at(region, grip + across), steps=20)
        await user.wait(30)
        await user.release()
        np.testing.assert_allclose(at(cube_at() - before), at(across), rtol=0.0, atol=PIXEL)


async def test_a_key_counts_in_the_view_under_the_mouse(user: User) -> None:
    scenes.floor()
    scenes.activate(scenes.cube("Cube", (0.0, 0.0, 3.0)))
    await user.open_tab()
    user.scene_is_ready()
    regions = await split_into_four(user)
    await user.click_button("physplace.place")
    await user.press("SPACE")
    for region in regions:
        right, up, _ = (column.xyz for column in view_of(region).view_matrix.inverted().col[:3])
        before = cube_at()
        across = -0.8 * right + 0.6 * up
        await user.move_to(seen_at(region, before))
        await user.press("G")
        await user.glide_to(seen_at(region, before + across), steps=20)
        await user.wait(30)
        await user.press("RET")
        np.testing.assert_allclose(at(cube_at() - before), at(across), rtol=0.0, atol=PIXEL)
    await user.press("ESC")
