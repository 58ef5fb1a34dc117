"""Work that takes long runs in slices: the window lives on, the header says what is done, and Esc ends it."""

from __future__ import annotations

import importlib
import time
import weakref

import bpy
import numpy as np
import pytest

from physplace_addon.scene.access import extended
from physplace_addon.scene.writing.actions import curves_of
from tests.blender_data import (
    current_scene,
    operators_of,
    physplace,
    property_names,
    scene_settings,
    switches,
)
from tests.scene import scenes
from tests.window import extension
from tests.window.leftovers import assert_nothing_is_open
from tests.window.user import User, tick

LARGE = 0.2  # of R: steps four times as large as they are by default
LONGEST_TICK = 3.0  # seconds: a slice of what is done here takes a few hundredths on an idle machine


def monkeys(count: int) -> list[bpy.types.Object]:
    """Monkeys with Subdivision Surface, each of its own shape, one above another."""
    made = []
    for number in range(count):
        bpy.ops.mesh.primitive_monkey_add(location=(0.0, 0.0, 2.0 + 3.0 * number))
        monkey = bpy.context.object
        assert monkey is not None
        assert isinstance(monkey.data, bpy.types.Mesh)
        monkey.data.vertices[0].co.x += 0.01 * number
        monkey.modifiers.new("Subdivision", "SUBSURF")
        made.append(monkey)
    return made


async def in_front(user: User, active: bpy.types.Object) -> None:
    """The scene is ready, with one object selected and active."""
    bpy.ops.object.select_all(action="DESELECT")
    active.select_set(True)
    scenes.activate(active)
    await user.look_from_the_front()
    user.scene_is_ready()
    await user.move_to(user.at((4.0, 0.0, 4.0)))


def pressed(user: User, name: str, **properties: object) -> set[str]:
    """Press a button in the viewport; what the operator answers."""
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        answer: set[str] = getattr(physplace, name)("INVOKE_DEFAULT", **properties)
        return answer


async def headers_until_it_ends(user: User) -> tuple[list[str], float]:
    """The headers that are shown until nothing runs any more, and the longest time of a tick."""
    seen: list[str] = []
    longest = 0.0
    while extension.open_sessions():
        seen += [line for line in extension.headers() if line not in seen]
        before = time.perf_counter()
        await tick()
        longest = max(longest, time.perf_counter() - before)
    return seen, longest


async def test_reading_says_what_is_read_and_escape_ends_it(user: User) -> None:
    scenes.floor()
    upper = monkeys(4)[-1]
    await in_front(user, upper)
    place = upper.location.copy()
    assert pressed(user, "place") == {"RUNNING_MODAL"}
    await user.until(lambda: any("Reading" in line and "of" in line for line in extension.headers()))
    await user.press("ESC")
    assert_nothing_is_open()
    assert upper.location == place


async def test_copies_fall_while_the_window_lives_and_escape_leaves_no_copy(user: User) -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 9.0))
    cube.rotation_euler = (0.4, 0.3, 0.2)
    await in_front(user, cube)
    assert pressed(user, "replicate", count=30) == {"RUNNING_MODAL"}
    await user.until(lambda: any("Copy 3 of 31" in line for line in extension.headers()))
    await user.press("ESC")
    assert_nothing_is_open()
    assert len(bpy.data.objects) == 2
    assert cube.location.z == pytest.approx(9.0)


@pytest.mark.parametrize("change", ["move", "hide", "rename"])
async def test_a_job_ends_with_nothing_changed_when_the_scene_changes(user: User, change: str) -> None:
    floor, cube = scenes.floor(), scenes.cube("Cube", (0.0, 0.0, 9.0))
    cube.rotation_euler = (0.4, 0.3, 0.2)
    await in_front(user, cube)
    assert pressed(user, "replicate", count=60) == {"RUNNING_MODAL"}
    await user.until(lambda: any("Copy 3 of 61" in line for line in extension.headers()))
    if change == "move":
        floor.location.z = 0.5
    elif change == "hide":
        floor.hide_set(True)
    else:
        cube.name = "Crate"
    await user.wait(20)
    assert_nothing_is_open()
    assert len(bpy.data.objects) == 2
    assert cube.location.z == pytest.approx(9.0)


async def test_a_job_goes_on_when_what_is_selected_or_lit_changes(user: User) -> None:
    floor, cube = scenes.floor(), scenes.cube("Cube", (0.0, 0.0, 9.0))
    cube.rotation_euler = (0.4, 0.3, 0.2)
    lamp = scenes.linked(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT")))
    scene_settings().eps_max = LARGE
    await in_front(user, cube)
    assert pressed(user, "replicate", count=4) == {"RUNNING_MODAL"}
    await user.until(lambda: any("Copy" in line for line in extension.headers()))
    lamp.location.z = 5.0
    floor.select_set(True)
    await user.until(lambda: not extension.open_sessions())
    assert len(bpy.data.objects) == 7


async def test_a_job_that_ends_leaves_one_undo_step(user: User) -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 9.0))
    cube.rotation_euler = (0.4, 0.3, 0.2)
    await in_front(user, cube)
    bpy.ops.ed.undo_push(message="before")
    assert pressed(user, "replicate", count=3) == {"RUNNING_MODAL"}
    headers, longest = await headers_until_it_ends(user)
    assert any("\u2588" in line for line in headers)
    assert longest < LONGEST_TICK
    assert len(bpy.data.objects) == 5
    await user.undo()
    assert len(bpy.data.objects) == 2


async def test_what_is_hidden_while_it_falls_is_in_its_way_no_more(user: User) -> None:
    scenes.floor()
    scenes.cube("Table", (0.0, 0.0, 1.0))
    cube = scenes.cube("Cube", (0.0, 0.0, 6.0))
    await in_front(user, cube)
    assert pressed(user, "place") == {"RUNNING_MODAL"}
    await user.until(lambda: "at rest" in " ".join(extension.headers()) or cube.location.z < 3.001)
    bpy.data.objects["Table"].hide_set(True)
    await user.until(lambda: cube.location.z < 1.001)
    bpy.data.objects["Table"].hide_set(False)
    await user.press("ESC")
    assert cube.location.z == pytest.approx(6.0)


async def test_what_is_outside_of_local_view_is_in_nobodys_way(user: User) -> None:
    floor = scenes.floor()
    scenes.cube("Table", (0.0, 0.0, 1.0))
    cube = scenes.cube("Cube", (0.0, 0.0, 6.0))
    await in_front(user, cube)
    floor.select_set(True)
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        operators_of("view3d").localview()
    await user.wait()
    assert user.space.local_view is not None
    assert pressed(user, "place") == {"RUNNING_MODAL"}
    await user.until(lambda: np.isclose(cube.location.z, 1.0, atol=1e-3))
    await user.press("ESC")


async def test_what_is_outside_of_local_view_is_neither_checked_nor_compared(user: User) -> None:
    scenes.cube("Other", (0.5, 0.0, 0.0))
    await in_front(user, scenes.cube("Cube"))
    switches().live_check = True
    live_check = importlib.import_module(f"{extension.MODULE}.operators.placing.live_check")
    await user.until(lambda: live_check.running().line.startswith("Overlaps by"))
    assert pressed(user, "contact_regions") == {"FINISHED"}
    assert len(current_scene()["physplace_regions"]["penetrations"]) == 1
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        operators_of("view3d").localview()
    assert pressed(user, "contact_regions") == {"FINISHED"}
    assert len(current_scene()["physplace_regions"]["penetrations"]) == 0
    await user.until(lambda: live_check.running().line == "No overlap, 0 contacts")
    switches().live_check = False


async def test_what_overlaps_is_named_and_freed_by_one_key(user: User) -> None:
    scenes.floor()
    scenes.cube("Table", (0.0, 0.0, 1.0))
    crate = scenes.cube("Crate", (0.0, 0.0, 2.9))
    await in_front(user, crate)
    assert pressed(user, "place") == {"RUNNING_MODAL"}
    await user.until(lambda: any('overlaps "Table"' in line for line in extension.headers()))
    await user.press("E")
    await user.until(lambda: abs(crate.location.z - 3.0) < 1e-3)
    await user.press("RET")
    assert_nothing_is_open()
    assert crate.location.z == pytest.approx(3.0, abs=1e-3)


async def test_a_copy_after_a_pull_begins_where_there_is_room(user: User) -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 1.5))
    await in_front(user, cube)
    assert pressed(user, "place") == {"RUNNING_MODAL"}
    await user.until(lambda: abs(cube.location.z - 1.0) < 1e-3)
    await user.press("G")
    await user.press("X")
    await user.type_text("0.5")
    await user.until(lambda: abs(cube.location.x - 0.5) < 1e-3)
    await user.press("RET")
    await user.press("D", shift=True)
    await user.until(lambda: len(bpy.data.objects) == 3 and not extension.open_operators()[0].is_busy)
    assert not any("overlaps" in line for line in extension.headers())
    await user.press("RET")
    assert_nothing_is_open()


async def test_what_a_session_held_is_freed_when_it_ends(user: User) -> None:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 3.0))
    await in_front(user, cube)
    assert pressed(user, "place") == {"RUNNING_MODAL"}
    await user.until(lambda: cube.location.z < 1.1)
    solver = weakref.ref(extension.open_operators()[0].session.steered.solver)
    assert solver() is not None
    await user.press("ESC")
    assert solver() is None


SLICED = ("extricate", "push", "nudge", "connect", "replicate", "drop_selected", "keyframe_rest")
ON_RESTS = ("rests_replace", "rest_push_add", "rest_connection_add")


def everything() -> dict[str, object]:
    """The frame, and for each object by name its matrix, its keys and what is stored on it."""
    found: dict[str, object] = {"frame": current_scene().frame_current}
    for obj in bpy.data.objects:
        data = obj.animation_data
        curves = [] if data is None or data.action is None else list(curves_of(obj))
        keys = sorted((point.co[0], point.co[1]) for curve in curves for point in curve.keyframe_points)
        rests = extended(obj).physplace.rests
        stored = sorted(property_names(obj)), [(rest.frame, len(rest.forces)) for rest in rests]
        found[obj.name] = tuple(np.array(obj.matrix_world).ravel()), keys, stored
    return found


@pytest.mark.computed
@pytest.mark.parametrize("name", [*SLICED, *ON_RESTS])
async def test_escape_half_way_leaves_everything_as_it_was(user: User, name: str) -> None:
    scenes.floor()
    monkey = monkeys(1)[0]
    cube = scenes.cube("Cube", (6.0, 0.2, 3.0))
    await in_front(user, cube)
    if name in ON_RESTS:
        assert physplace.keyframe_rest() == {"FINISHED"}
        current_scene().frame_set(10)
        cube.location = (6.0, 0.1, 4.0)
    assert isinstance(monkey.data, bpy.types.Mesh)
    monkey.data.vertices[1].co.y += 0.01 * (1 + [*SLICED, *ON_RESTS].index(name))  # no body of it is kept
    cube.data = monkey.data  # which takes long enough to be read that a key can be pressed
    cube.modifiers.new("Subdivision", "SUBSURF")
    await in_front(user, cube)
    before = everything()
    assert pressed(user, name) == {"RUNNING_MODAL"}
    assert extension.open_operators()[0].is_busy
    await user.press("ESC")
    assert_nothing_is_open()
    assert everything() == before


async def test_rests_are_placed_again_in_slices_and_undone_at_once(user: User) -> None:
    scenes.floor()
    below = monkeys(1)[0]
    below.modifiers.clear()
    scene_settings().eps_max = LARGE
    cube = scenes.cube("Cube", (0.3, 0.2, 5.0))
    await in_front(user, cube)
    for frame in (1, 20):
        current_scene().frame_set(frame)
        cube.location = (0.1 * frame, 0.2, 5.0)
        assert physplace.keyframe_rest() == {"FINISHED"}
    below.location.z += 1.0
    assert isinstance(below.data, bpy.types.Mesh)
    below.data.vertices[0].co.y += 0.02
    current_scene().frame_set(7)
    await in_front(user, cube)
    before = everything()
    assert pressed(user, "rests_replace") == {"RUNNING_MODAL"}
    frames: set[int] = set()
    headers: list[str] = []
    while extension.open_sessions():
        frames.add(current_scene().frame_current)
        headers += extension.headers()
        await tick()
    assert frames == {7}, "no other frame is ever shown"
    assert any("\u2588" in line or "\u2591" in line for line in headers)
    assert everything() != before
    await user.undo()
    assert everything() == before
