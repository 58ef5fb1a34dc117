"""Real scenes, placed by the button, one object after the other with Tab: Esc puts all back; confirmed, each
object is where the solver has it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import pytest

from tests.blender_data import property_names, scene_settings, window_manager
from tests.scene import scenes
from tests.window import extension, real_objects
from tests.window.user import User

FLOAT32 = 4e-6  # of the largest coordinate: a few products of single-precision matrices
QUIET_TICKS = 5
LARGE_STEPS = 0.3
BESIDE = (7.0, -4.0, 0.0)

Facts = dict[str, dict[str, Any]]


def facts() -> Facts:
    """What Blender lets one set of each object, but for location and rotation; its custom properties."""
    free = (
        "location",
        "rotation_euler",
        "rotation_quaternion",
        "rotation_axis_angle",
        "matrix_",
        "dimensions",
    )
    return {
        obj.name: {
            rna.identifier: _value(obj, rna)
            for rna in obj.bl_rna.properties
            if not (rna.is_readonly or rna.identifier.startswith(free))
        }
        | {
            "parent inverse": np.array(obj.matrix_parent_inverse).tolist(),
            "properties": property_names(obj) - {"physplace"},
        }
        for obj in bpy.data.objects
    }


def _value(obj: bpy.types.Object, rna: bpy.types.Property) -> object:
    value = getattr(obj, rna.identifier)
    return tuple(value) if getattr(rna, "is_array", False) else str(value)


def channels() -> dict[str, tuple[float, ...]]:
    """The location and rotation of each object, as they are stored."""
    names = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle")
    return {obj.name: tuple(x for name in names for x in getattr(obj, name)) for obj in bpy.data.objects}


def matrices() -> dict[str, np.ndarray]:
    """The world matrix of each object."""
    return {obj.name: scenes.world_matrix(obj) for obj in bpy.data.objects}


async def until_still(user: User) -> None:
    """Wait until nothing moves any more."""
    before, quiet = channels(), 0
    for _ in range(1500):
        await user.wait(1)
        now = channels()
        before, quiet = now, quiet + 1 if now == before else 0
        if quiet == QUIET_TICKS:
            return
    raise AssertionError("something still moves")


def moved_as_told(name: str, before: np.ndarray) -> np.ndarray:
    """Where the motion that the solver made of an object's start and end takes its world matrix."""
    numbers = np.array(bpy.data.objects[name]["physplace_start"].to_list())
    start, end = (pose_matrix(part[:3], part[3:]) for part in (numbers[:7], numbers[7:]))
    moved: np.ndarray = end @ np.linalg.inv(start) @ before
    return moved


def pose_matrix(location: np.ndarray, quaternion: np.ndarray) -> np.ndarray:
    w, x, y, z = quaternion
    matrix = np.eye(4)
    matrix[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    matrix[:3, 3] = location
    return matrix


def lowest(name: str) -> float:
    """The height of the lowest corner of what a cube, or an instance of one, shows."""
    corners = np.column_stack([scenes.CUBE, np.ones(8)])
    return float((scenes.world_matrix(bpy.data.objects[name]) @ corners.T)[2].min())


async def look(user: User) -> None:
    """See all of the scene from the front and above, with the tab open."""
    await user.look_from_the_front((7.0, 3.0, 1.0), 34.0)
    user.view.view_rotation = (0.85, 0.5, 0.1, 0.17)
    await user.open_tab()
    scene_settings().eps_max = LARGE_STEPS
    user.scene_is_ready()


async def place_all(user: User, count: int) -> None:
    """Wait until the objects have come to rest, one after the other."""
    assert extension.open_sessions() == ["PHYSPLACE_OT_place"]
    await user.move_to(user.at(BESIDE))
    await until_still(user)
    for _ in range(count - 1):
        await user.press("TAB")
        await until_still(user)


@pytest.mark.parametrize(
    "kind",
    ["turned_and_scaled_in_many_ways", "held_by_all_that_may_hold", "above_all_that_is_a_world"],
)
async def test_objects_of_real_scenes_stand_where_the_solver_has_them(user: User, kind: str) -> None:
    build: Callable[[], list[str]] = getattr(real_objects, kind)
    names = build()
    scenes.activate(bpy.data.objects[names[0]])
    await look(user)
    before, places, given = matrices(), channels(), facts()
    button = await user.find_button("physplace.place")
    await user.click(button)
    await place_all(user, 2)
    await user.press("ESC")
    assert channels() == places
    assert facts() == given
    await user.click(button)
    await place_all(user, len(names))
    await user.screenshot(kind)
    await user.press("RET")
    rested, after = channels(), facts()
    for name, matrix in matrices().items():
        expected = moved_as_told(name, before[name]) if name in names else before[name]
        np.testing.assert_allclose(matrix, expected, atol=FLOAT32 * np.abs(expected).max(), err_msg=name)
        kept = {"physplace_start", "physplace_report", "physplace_contacts"} if name in names else set()
        assert after[name].pop("properties") == given[name].pop("properties") | kept
    assert after == given
    for number, name in enumerate(names):
        ground = number + 0.5 if kind == "above_all_that_is_a_world" else 0.0
        assert lowest(name) == pytest.approx(ground, abs=2e-5), name
        assert bpy.data.objects[name]["physplace_report"]["status"] == "BALANCED", name
    await user.undo()
    assert channels() == places
    await user.redo()
    assert channels() == rested


async def test_what_may_not_be_moved_is_refused_by_name_with_a_remedy(user: User) -> None:
    refused = real_objects.refused_with_a_reason()
    await look(user)
    places, given = channels(), facts()
    button = None
    for name, words in refused.items():
        scenes.activate(bpy.data.objects[name])
        button = await user.find_button("physplace.place") if button is None else button
        await user.click(button)
        if name == "DAMPED_TRACK":
            await user.screenshot("refused")
        await user.move_to(user.at(BESIDE))
        await user.press("ESC")  # a message that has popped up goes
        told = last_message(user)
        for word in (f'"{name}"', *words):
            assert word in told, (name, told)
        assert extension.open_sessions() == []
    assert channels() == places
    assert facts() == given


def last_message(user: User) -> str:
    """What Blender has reported last, as its Info editor lists it."""
    kind = user.area.type
    user.area.type = "INFO"
    with bpy.context.temp_override(window=user.window, area=user.window.screen.areas[0]):
        bpy.ops.info.select_all(action="SELECT")
        bpy.ops.info.report_copy()
    user.window.screen.areas[0].type = kind
    lines = str(window_manager().clipboard).splitlines()
    return [line for line in lines if line and not line.startswith("bpy.ops")][-1]
