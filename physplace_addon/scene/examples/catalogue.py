# SPDX-License-Identifier: GPL-3.0-or-later
"""All examples, and how one is opened: built by code, in a scene of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import bpy
from bpy.types import Context, Object, Scene, Window

from ..access import view_layer_of
from ..writing.duplicate import select_only
from . import moving, still_lifes


@dataclass(frozen=True)
class Example:
    """A scene that a recipe begins with.

    key: how scripts name it; label: how the artist sees it, and its scene is called; shows: what is in it.
    recipe: the manual's page, in docs, that begins with it.
    build: adds its objects to the present scene and returns the one to make active.
    centre, distance: where to look, and from how far.
    """

    key: str
    label: str
    shows: str
    recipe: str
    build: Callable[[], Object]
    centre: tuple[float, float, float]
    distance: float


_ALL: Final = (
    Example(
        "mug_over_table",
        "Mug over a Table",
        "A mug held aslant over two books on a table: the first placement",
        "first-placement",
        still_lifes.mug_over_table,
        (0.6, 0.0, 0.8),
        13.0,
    ),
    Example(
        "spoon_and_bowl",
        "Spoon and Bowl",
        "A bowl over a table and a spoon over the bowl: exact surfaces, placed one after the other",
        "recipes/spoon-in-a-bowl",
        still_lifes.spoon_and_bowl,
        (0.1, 0.0, 0.5),
        5.5,
    ),
    Example(
        "jar_and_sweet",
        "Jar and Sweet",
        "A jar and a sweet over it: copies fall until the jar is full",
        "recipes/fill-a-jar",
        still_lifes.jar_and_sweet,
        (0.0, 0.0, 0.09),
        0.6,
    ),
    Example(
        "table_to_lay",
        "Table to Lay",
        "Tableware over a table: Drop Selected lays it",
        "recipes/lay-a-table",
        still_lifes.table_to_lay,
        (0.0, 0.0, 0.03),
        1.2,
    ),
    Example(
        "mug_over_stairs",
        "Mug over Stairs",
        "A mug over three steps: a rest is keyed on each",
        "recipes/sequence-of-rests",
        still_lifes.mug_over_stairs,
        (3.0, 0.0, 1.2),
        14.0,
    ),
    Example(
        "pedestal",
        "Pedestal for a Creature",
        "A round pedestal: a creature of three blobs is made over it, and stands on it",
        "recipes/creature-from-three-blobs",
        still_lifes.pedestal,
        (0.0, 0.0, 1.0),
        9.0,
    ),
    Example(
        "figure_over_chair",
        "Figure over a Chair",
        "A jointed figure, bent over a chair: it sits down, balanced",
        "recipes/figure-on-a-chair",
        moving.figure_over_chair,
        (0.0, 0.3, 0.6),
        4.0,
    ),
    Example(
        "chain",
        "Chain between Posts",
        "Links on hinges, held up as a V between two posts: they come to hang, balanced",
        "recipes/chain-that-hangs",
        moving.chain,
        (0.9, 0.0, -0.5),
        5.0,
    ),
    Example(
        "wall_and_crate",
        "Wall and Crate",
        "A wall of bricks, and a crate that is keyed to fly at it",
        "recipes/wall-that-falls",
        moving.wall_and_crate,
        (0.0, -0.2, 0.15),
        2.6,
    ),
)
EXAMPLES: Final = {each.key: each for each in _ALL}


def open_example(context: Context, window: Window, example: Example) -> Scene:
    """Return a new scene with an example in it, shown in a window; its object is selected and active."""
    scene = bpy.data.scenes.new(example.label)
    window.scene = scene
    active = example.build()
    view_layer_of(context).update()
    select_only(context, [active])
    return scene
