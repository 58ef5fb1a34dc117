"""Recipes of the manual, done with mouse and keys in a window, sentence by sentence as their pages say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import bpy
import pytest
from bpy_extras import view3d_utils
from mathutils import Vector

from physplace_addon.scene.examples.catalogue import EXAMPLES
from tests.addon.recipes.by_script import SceneEyes
from tests.addon.recipes.pages import recipes
from tests.addon.recipes.phrases import follow, verify
from tests.blender_data import active_object, current_scene, physplace
from tests.window import extension
from tests.window.user import Place, User

AROUND = ((0, 0), (2, 0), (-2, 0), (0, 2), (0, -2))  # pixels: so thin is a handle


class Steps:
    """Takes down what hands are to do: (what, with which words)."""

    def __init__(self) -> None:
        self.all: list[tuple[str, tuple[Any, ...]]] = []

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *words: self.all.append((name, words))


class WindowHands:
    """Does what a recipe says, as an artist would."""

    def __init__(self, user: User) -> None:
        self._user = user

    async def choose(self, entry: str, button: str) -> None:
        """Open an example; its menu is Blender's own."""
        (example,) = [each for each in EXAMPLES.values() if each.label == entry]
        user = self._user
        with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
            assert physplace.example_open("INVOKE_DEFAULT", example=example.key) == {"FINISHED"}, button
        await user.wait()

    async def click(self, names: list[str]) -> None:
        """Click objects, each but the first with Shift."""
        self._user.space.show_region_ui = False
        await self._user.wait()
        for number, name in enumerate(names):
            await self._user.click(self._seen(name), shift=number > 0)
            assert active_object().name == name

    async def press(self, button: str) -> None:
        """Press a button of the sidebar; confirm once it is at rest."""
        user = self._user
        await user.open_tab()
        await user.click_button(f"physplace.{_names()[button]}")
        await user.until(lambda: any(": at rest" in line for line in extension.headers()), ticks=2000)
        await user.move_to(self._in_the_view())
        await user.press("RET")
        await user.until(lambda: not extension.open_sessions())

    async def move(self, name: str, axis: str, distance: float) -> None:
        """Move the active object along an axis with Blender's own keys."""
        assert active_object().name == name, "it has to be clicked first"
        await self._user.move_to(self._in_the_view())
        await self._user.press("G")
        await self._user.press(axis)
        await self._user.type_text(f"{distance:g}")
        await self._user.press("RET")

    def _in_the_view(self) -> Place:
        region = self._user.region()
        return region.x + region.width // 3, region.y + region.height // 3

    def _seen(self, name: str) -> Place:
        """A place of the window where an object is seen, and nothing else some pixels around it."""
        obj = current_scene().objects[name]
        evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
        for corner in cast("Any", evaluated.data).vertices:
            x, y = self._user.at(obj.matrix_world @ corner.co)
            if all(self._under((x + dx, y + dy)) == name for dx, dy in AROUND):
                return x, y
        raise AssertionError(f"{name} is not seen")

    def _under(self, place: Place) -> str:
        """The name of what is seen at a place of the window; "" for nothing."""
        region, view = self._user.region(), self._user.view
        at = Vector((place[0] - region.x, place[1] - region.y))
        ray = view3d_utils.region_2d_to_vector_3d(region, view, at)
        eye = view3d_utils.region_2d_to_origin_3d(region, view, at)
        scene = cast("Any", current_scene())  # the stub says that a ray gives nothing
        hits, *_, found, _ = scene.ray_cast(bpy.context.evaluated_depsgraph_get(), eye, ray)
        return str(found.name) if hits else ""


def _names() -> dict[str, str]:
    """The names of operators by their buttons' words."""
    return {getattr(physplace, name).get_rna_type().name: name for name in dir(physplace)}


@pytest.mark.parametrize("page", ["first-placement", "recipes/spoon-in-a-bowl"])
async def test_a_recipe_done_in_the_window_gives_what_its_page_says(user: User, page: str) -> None:
    (recipe,) = [each for each in recipes() if each.name == page]
    steps, hands = Steps(), WindowHands(user)
    follow(recipe.steps, cast("Any", steps))
    for what, words in steps.all:
        await getattr(hands, what)(*words)
    verify(recipe.claims, SceneEyes())
    await user.screenshot(page.rpartition("/")[2])
