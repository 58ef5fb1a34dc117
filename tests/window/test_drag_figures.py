"""A drag in numbers, by the tool, its gizmo and G: no kick, no hysteresis, and the speed along a wall."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Euler

from tests.blender_data import current_view_layer, physplace
from tests.scene import scenes
from tests.window import extension
from tests.window.drags import Track, place_of
from tests.window.user import User

TOOL = "physplace.drag_tool"
ARROW = 55  # pixels from the object to the middle of an arrow
SMALL = 0.01  # of R: what a drag may differ by from what is asked


def tilted_wall() -> np.ndarray:
    """A wall through the origin that stands askew; its normal."""
    wall = scenes.floor("Wall", 20.0)
    wall.rotation_euler = (0.15, -0.2, 0.0)
    current_view_layer().update()
    return np.array(wall.matrix_world.col[2].xyz)


def child_of_a_mirror() -> bpy.types.Object:
    """A cube, stretched and mirrored, in a parent that is turned, enlarged and mirrored."""
    parent = scenes.linked(bpy.data.objects.new("Parent", None), (1.0, 2.0, 0.5))
    parent.rotation_euler, parent.scale = (0.3, 0.2, 0.7), (-1.5, -1.5, -1.5)
    cube = scenes.cube("Cube", (-0.5, 1.3, -2.6))
    cube.parent, cube.scale, cube.rotation_mode = parent, (0.6, -0.8, 0.5), "QUATERNION"
    current_view_layer().update()
    return cube


def radius(cube: bpy.types.Object) -> float:
    corners = scenes.CUBE @ np.array(cube.matrix_world)[:3, :3].T
    return float(np.linalg.norm(corners, axis=1).max())


def depth(normal: np.ndarray) -> float:
    """How far the cube is from a wall through the origin."""
    world = np.array(bpy.data.objects["Cube"].matrix_world)
    return float(((scenes.CUBE @ world[:3, :3].T + world[:3, 3]) @ normal).min())


async def with_the_tool(user: User, cube: bpy.types.Object) -> None:
    cube.select_set(True)
    scenes.activate(cube)
    user.scene_is_ready()
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        bpy.ops.wm.tool_set_by_id(name=TOOL)
    await user.wait()


@pytest.mark.computed
async def test_the_tool_drags_without_kick_or_hysteresis_and_along_a_tilted_wall(user: User) -> None:
    normal, cube = tilted_wall(), child_of_a_mirror()
    small = SMALL * radius(cube)
    view = user.view
    view.view_perspective, view.view_rotation = "PERSP", Euler((1.1, 0.0, 0.5)).to_quaternion()
    view.view_location, view.view_distance = (0.0, 0.0, 1.5), 16.0
    user.space.show_gizmo = False
    await with_the_tool(user, cube)
    before = cube.matrix_world.copy()
    start = user.at(place_of("Cube"))
    await user.move_to(start)
    await user.hold()
    track = Track(user, "Cube")
    await track.glide((start[0] + 8, start[1] + 9), 1)
    await track.until_it_stands()
    await track.glide((start[0] + 90, start[1] + 110), 12)
    await track.until_it_stands()
    assert np.abs(track.at[-1] - track.asked[-1]).max() < 1e-5
    await track.glide(start, 6)
    await track.until_it_stands()
    assert track.most_beyond_what_was_asked() < small
    assert track.most_beyond_the_mouse() < small
    assert np.abs(track.at[-1] - track.at[0]).max() < 1e-5
    below = user.at(place_of("Cube") - 4.0 * normal)
    await track.glide(below, 6)
    await track.until_it_stands()
    touched = len(track.at) - 1
    assert abs(depth(normal)) < 1e-5
    await track.glide((below[0] + 25, below[1] + 4), 20)
    assert track.most_beyond_what_was_asked() < small
    assert track.since(touched).most_beside_the_mouse(normal) < small
    assert abs(depth(normal)) < 1e-5
    await user.screenshot("dragged-along-a-wall")
    await user.release()
    assert extension.open_sessions() == []
    assert np.abs(place_of("Cube") - track.at[-1]).max() < 1e-5
    assert np.array(cube.matrix_world)[:3, :3] == pytest.approx(np.array(before)[:3, :3], abs=1e-6)
    await user.undo()
    assert np.abs(place_of("Cube") - track.at[0]).max() < 1e-6


async def test_an_arrow_drags_along_its_axis_from_a_contact_on(user: User) -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 1.0))
    small = SMALL * radius(cube)
    await user.look_from_the_front()
    await with_the_tool(user, cube)
    await user.screenshot("drag-tool")
    x, y = user.at(place_of("Cube"))
    await user.move_to((x + ARROW, y))
    await user.hold()
    track = Track(user, "Cube", along=(1.0, 0.0, 0.0))
    await track.glide((x + ARROW + 70, y - 60), 15)
    await track.until_it_stands()
    assert np.abs(track.at[-1] - track.asked[-1]).max() < 1e-5
    assert place_of("Cube")[0] > 2.0
    await track.glide((x + ARROW, y), 6)
    await track.until_it_stands()
    assert track.most_beyond_what_was_asked() < small
    assert np.abs(track.at - track.at[0])[:, 1:].max() < 1e-6, "it keeps to its axis"
    assert np.abs(track.at[-1] - track.at[0]).max() < 1e-5
    await user.release()
    assert extension.open_sessions() == []


@pytest.mark.computed
async def test_g_drags_along_the_floor_that_it_rests_on(user: User) -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 1.0))
    small = SMALL * radius(cube)
    scenes.activate(cube)
    await user.look_from_the_front()
    user.scene_is_ready()
    await user.move_to(user.at((3.0, 0.0, 4.0)))
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        physplace.place("INVOKE_DEFAULT")
    await user.wait(10)
    await user.press("G")
    track = Track(user, "Cube")
    x, y = user.place
    await track.glide((x + 25, y - 40), 20)
    await track.until_it_stands()
    up = np.array([0.0, 0.0, 1.0])
    assert track.most_beyond_what_was_asked() < small
    assert track.most_beside_the_mouse(up) < small
    assert abs(depth(up)) < 1e-5
    await track.glide((x, y), 6)
    await track.until_it_stands()
    assert np.abs(track.at[-1] - track.at[0]).max() < 1e-5
    await user.press("ESC")
    await user.press("ESC")
