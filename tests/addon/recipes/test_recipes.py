"""Each recipe of the manual is done as its page says, sentence by sentence, and by its script.

Here by calls; `tests/window/test_recipes.py` does the pages with mouse and keys.
"""

from __future__ import annotations

import runpy
from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import pytest

from physplace_addon.scene.examples.catalogue import EXAMPLES
from tests.addon.recipes.by_script import AllButTheLast, SceneEyes, ScriptHands
from tests.addon.recipes.pages import LONG, Recipe, recipes
from tests.addon.recipes.phrases import follow, verify

RECIPES = recipes()


@pytest.mark.parametrize(
    "recipe",
    [pytest.param(each, id=each.name, marks=[pytest.mark.slow] * (each.name in LONG)) for each in RECIPES],
)
def test_a_recipe_does_what_its_page_says_and_its_script_is_the_same(
    recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(recipe.steps) > 1
    assert recipe.claims
    hands = ScriptHands()
    follow(recipe.steps, hands)
    hands.finish()
    verify(recipe.claims, SceneEyes())
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    script = AllButTheLast(len(hands.calls))
    monkeypatch.setattr(bpy.ops, "physplace", script, raising=False)
    (tmp_path / "recipe.py").write_text(recipe.script)
    runpy.run_path(str(tmp_path / "recipe.py"))
    assert [call.operator for call in script.calls] == [call.operator for call in hands.calls]
    said, written = hands.calls[-1], script.calls[-1]
    assert replace(written, places={}) == replace(said, places={})
    assert written.places.keys() == said.places.keys()
    for name, matrix in said.places.items():
        np.testing.assert_allclose(written.places[name], matrix, atol=1e-6, err_msg=name)


def test_a_sentence_that_is_no_phrase_is_refused() -> None:
    with pytest.raises(AssertionError, match="no phrase"):
        follow(["Press the red button."], ScriptHands())


def test_every_example_has_its_recipe_which_begins_with_it() -> None:
    pages = {recipe.name: recipe for recipe in RECIPES}
    for example in EXAMPLES.values():
        first = pages[example.recipe].steps[0]
        assert first == f"Choose **{example.label}** under **Open Example**."
