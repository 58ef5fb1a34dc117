"""Recipes of the manual, done with mouse and keys in a window, sentence by sentence as their pages say."""

from __future__ import annotations

from typing import Any, cast

import pytest

from tests.addon.recipes.by_script import SceneEyes
from tests.addon.recipes.pages import LONG, recipes
from tests.addon.recipes.phrases import follow, verify
from tests.window.hands import Steps, WindowHands
from tests.window.user import User

# A script does pages that are not long on every Blender (tests/addon); in a window CI does each on one.
PAGES = [
    pytest.param(
        recipe.name, id=recipe.name, marks=pytest.mark.slow if recipe.name in LONG else pytest.mark.computed
    )
    for recipe in recipes()
]


@pytest.mark.parametrize("page", PAGES)
async def test_a_recipe_done_in_the_window_gives_what_its_page_says(user: User, page: str) -> None:
    (recipe,) = [each for each in recipes() if each.name == page]
    steps, hands = Steps(), WindowHands(user)
    follow(recipe.steps, cast("Any", steps))
    for what, words in steps.all:
        await getattr(hands, what)(*words)
    await user.screenshot(page.rpartition("/")[2])
    verify(recipe.claims, SceneEyes())
