"""What is drawn in the viewport, pixel by pixel, and the live check while an object is grabbed."""

from __future__ import annotations

import importlib
from dataclasses import replace
from types import ModuleType

import bpy
import numpy as np

from physplace_addon.overlay.colours import DEFAULT
from tests.blender_data import switches
from tests.scene import scenes
from tests.window import extension, framebuffer
from tests.window.user import Place, User

YELLOW, ORANGE, RED, PINK, WHITE = (
    colour[:3] for colour in (DEFAULT.contact, DEFAULT.force, DEFAULT.overlap, DEFAULT.pull, DEFAULT.centre)
)


def module(name: str) -> ModuleType:
    """A module of the installed extension."""
    return importlib.import_module(f"{extension.MODULE}.{name}")


def count(user: User, place: Place, colour: tuple[float, float, float], reach: int = 10) -> int:
    """How many pixels within reach of a place have a colour, nearly."""
    picture = framebuffer.screen(user.screen_dump)
    x, y = place[0], len(picture) - 1 - place[1]
    near = picture[y - reach : y + reach + 1, x - reach : x + reach + 1].astype(float) / 255.0
    return int((np.abs(near - colour).max(axis=2) < 0.12).sum())


async def alone(user: User) -> None:
    """Nothing is in the scene; it is seen from the front."""
    await user.look_from_the_front((0.0, 0.0, 2.0), 12.0)
    user.scene_is_ready()


async def test_each_kind_of_mark_is_drawn_in_its_colour(user: User) -> None:
    await alone(user)
    marks = replace(
        module("overlay.marks").Marks.none(),
        contacts=np.array([[-2.0, 0.0, 0.0]]),
        normals=np.array([[0.0, 0.0, 1.0]]),
        forces=np.array([0.5]),
        bilateral=np.zeros(1, dtype=bool),
        patches=(np.array([[-2.0, 0.0, 0.0]]),),
        radius=4.0,
        collisions=np.array([[2.0, 0.0, 0.0]]),
        pulls=np.array([[[-2.0, 0.0, 4.0], [2.0, 0.0, 4.0]]]),
        supports=(
            module("overlay.support").support_of(
                np.array([0.0, 0.0, 2.0]), np.array([[-1.0, 0.0, 1.0], [1.0, 0.0, 1.0]]), -np.eye(3)[2], 1.0
            ),
        ),
    )
    drawing = module("overlay.drawing").Drawing()
    drawing.show(marks)
    await user.screenshot("marks")
    for point, colour, least in (
        ((-2.0, 0.0, 0.0), YELLOW, 15),
        ((-2.0, 0.0, 1.0), ORANGE, 15),
        ((-2.0, 0.0, 1.9), ORANGE, 25),
        ((2.0, 0.0, 0.0), RED, 60),
        ((-2.0, 0.0, 4.0), PINK, 20),
        ((0.0, 0.0, 4.0), PINK, 15),
        ((0.0, 0.0, 2.0), WHITE, 8),
    ):
        assert count(user, user.at(point), colour) >= least, (point, colour)
    assert count(user, user.at((-2.0, 0.0, 2.5)), ORANGE) == 0  # a force of 0.5 at R = 4 ends at 2
    scene = user.window.scene
    user.window.scene = bpy.data.scenes.new("Other")
    await user.wait()
    assert count(user, user.at((2.0, 0.0, 0.0)), RED) == 0, "another scene is seen there"
    user.window.scene = scene
    await user.wait()
    assert count(user, user.at((2.0, 0.0, 0.0)), RED) >= 60
    drawing.close()
    await user.wait()
    assert count(user, user.at((2.0, 0.0, 0.0)), RED) == 0


async def test_a_collision_is_seen_through_what_hides_it(user: User) -> None:
    await alone(user)
    scenes.cube("Cube", (0.0, -3.0, 2.0))
    drawing = module("overlay.drawing").Drawing()
    drawing.show(replace(module("overlay.marks").Marks.none(), collisions=np.array([[0.0, 0.0, 2.0]])))
    await user.wait()
    assert count(user, user.at((0.0, 0.0, 2.0)), RED) >= 60
    drawing.close()


async def test_the_live_check_follows_an_object_that_is_grabbed(user: User) -> None:
    scenes.floor()
    scenes.cube("Wall", (3.0, 0.0, 1.5)).scale = (1.0, 2.0, 1.5)
    cube = scenes.cube("Cube", (0.0, 0.0, 1.0))
    cube.select_set(True)
    scenes.activate(cube)
    await user.look_from_the_front((0.0, 0.0, 1.0), 14.0)
    await user.open_tab()
    user.scene_is_ready()
    live_check = module("operators.placing.live_check")
    switches().live_check = True
    await user.until(lambda: live_check.running().line.startswith("No overlap"))
    assert len(live_check.running().marks.contacts) >= 4
    await user.screenshot("live_check_contacts")
    await user.move_to(user.at((0.0, 0.0, 1.0)))
    await user.press("G")
    await user.press("X")
    await user.glide_to(user.at((1.5, 0.0, 1.0)), 15)
    await user.until(lambda: live_check.running().line.startswith("Overlaps by"))
    await user.screenshot("live_check_overlap")
    assert count(user, user.at((2.0, 0.0, 0.0)), RED) >= 60
    await user.press("ESC")
    await user.until(lambda: live_check.running().line.startswith("No overlap"))
    assert count(user, user.at((2.0, 0.0, 0.0)), RED) == 0
    await user.move_to(user.at((0.0, 0.0, 1.0)))
    await user.press("TAB")
    await user.until(lambda: "Object Mode" in live_check.running().line)
    await user.press("TAB")
    await user.until(lambda: live_check.running().line.startswith("No overlap"))
    await user.press("H")
    await user.until(lambda: live_check.running().line.endswith("is hidden"))
    await user.undo()
    await user.until(lambda: live_check.running().line.startswith("No overlap"))
    switches().live_check = False
    await user.wait()
    assert module("overlay.drawing").open_drawings() == ()


async def test_opening_another_file_ends_the_live_check(user: User) -> None:
    scenes.activate(scenes.cube())
    switches().live_check = True
    await user.wait()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    await user.wait()
    assert not switches().live_check
    assert module("overlay.drawing").open_drawings() == ()
