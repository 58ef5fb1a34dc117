# SPDX-License-Identifier: GPL-3.0-or-later
"""The preferences: what is dropped, how long a tick works, the memory for bodies, colours, and keys."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import bpy
from bpy.props import BoolProperty, FloatProperty, FloatVectorProperty, IntProperty
from bpy.types import AddonPreferences, Context

from ..overlay.colours import DEFAULT, Colour, MarkColours, choose_colours
from ..overlay.drawing import draw_anew
from ..scene.access import present
from ..scene.reading.kept_bodies import LIMIT, kept
from .keys.keymaps import draw_keymaps
from .keys.pie_key import draw_key
from .placing.dropped import drops_placed, place_dropped

COLOURS: Final = ("contact", "sticking", "force", "carries", "tips", "overlap", "pull")
MEGABYTE: Final = 1e6  # bytes
TICK = 16.0  # milliseconds of work in a tick, unless the artist chose another: one frame of 60 a second


def _on_cache(preferences: AddonPreferences, _context: Context) -> None:
    assert isinstance(preferences, PhysPlacePreferences)
    kept.limit = MEGABYTE * preferences.cache
    kept.trim()


def _on_dropped(preferences: AddonPreferences, _context: Context) -> None:
    assert isinstance(preferences, PhysPlacePreferences)
    place_dropped(preferences.place_dropped)


def _on_colour(preferences: AddonPreferences, _context: Context) -> None:
    assert isinstance(preferences, PhysPlacePreferences)
    choose_colours(preferences.colours())
    draw_anew()


def _colour(name: str, description: str, default: Colour) -> dict[str, object]:
    """Return the words of a property for a colour of marks."""
    return {
        "name": name,
        "description": description,
        "default": default,
        "subtype": "COLOR_GAMMA",
        "size": 4,
        "min": 0.0,
        "max": 1.0,
        "update": _on_colour,
    }


class PhysPlacePreferences(AddonPreferences):
    """The extension's preferences."""

    bl_idname = present(__package__).rpartition(".")[0]

    if TYPE_CHECKING:
        tick: float
        cache: int
        place_dropped: bool
        contact: Colour
        sticking: Colour
        force: Colour
        carries: Colour
        tips: Colour
        overlap: Colour
        pull: Colour
    else:
        tick: FloatProperty(
            name="Milliseconds per Redraw",
            description=(
                "How long PhysPlace works before the view is drawn again: longer comes to the result sooner, "
                "shorter keeps the view smoother"
            ),
            default=TICK,
            min=1.0,
            soft_max=100.0,
        )
        cache: IntProperty(
            name="Memory in Megabytes",
            description=(
                "How much memory PhysPlace may use to keep the shapes of objects, so that the next placement "
                "among them begins sooner. When it is full, those that were used longest ago are forgotten"
            ),
            default=round(LIMIT / MEGABYTE),
            min=0,
            soft_max=8192,
            update=_on_cache,
        )
        place_dropped: BoolProperty(
            name="Place What Is Dropped",
            description=(
                "An object or collection that is dragged into a 3D view, such as an asset from the asset "
                "browser, falls from there until it rests"
            ),
            default=False,
            update=_on_dropped,
        )
        contact: FloatVectorProperty(
            **_colour("Contacts", "Where objects touch: outlines, lines and points", DEFAULT.contact)
        )
        sticking: FloatVectorProperty(
            **_colour(
                "Contacts That Stick",
                "Contacts that you made stick while placing: they slide but do not separate",
                DEFAULT.sticking,
            )
        )
        force: FloatVectorProperty(**_colour("Forces", "The arrows of contact forces", DEFAULT.force))
        carries: FloatVectorProperty(
            **_colour("Support", "What the object stands on, where that carries it", DEFAULT.carries)
        )
        tips: FloatVectorProperty(
            **_colour("Support That Tips", "What it stands on, where its centre is not above", DEFAULT.tips)
        )
        overlap: FloatVectorProperty(
            **_colour("Overlaps", "Where objects overlap, and what is in the way", DEFAULT.overlap)
        )
        pull: FloatVectorProperty(
            **_colour("Pulls and Ties", "What pulls an object, and where to", DEFAULT.pull)
        )

    def draw(self, context: Context) -> None:
        """Draw what is dropped, the time of a tick, the memory, colours, and the keys."""
        layout = present(self.layout)
        layout.use_property_split = True
        layout.label(text="Placing")
        layout.prop(self, "place_dropped")
        layout.prop(self, "tick")
        layout.prop(self, "cache")
        layout.label(text="Colors in the View")
        column = layout.column(align=True)
        for name in COLOURS:
            column.prop(self, name)
        layout.label(text="Keys")
        draw_key(context, layout)
        draw_keymaps(context, layout)

    def colours(self) -> MarkColours:
        """Return the colours of marks."""
        return replace(DEFAULT, **{name: tuple(getattr(self, name)) for name in COLOURS})


@contextmanager
def colours_chosen() -> Iterator[None]:
    """Draw marks in the preferences' colours until the block ends."""
    chosen = _chosen(bpy.context)
    choose_colours(DEFAULT if chosen is None else chosen.colours())
    try:
        yield
    finally:
        choose_colours(DEFAULT)


@contextmanager
def bodies_kept() -> Iterator[None]:
    """Keep bodies within the preferences' limit until the block ends; then forget all of them."""
    chosen = _chosen(bpy.context)
    kept.limit = LIMIT if chosen is None else MEGABYTE * chosen.cache
    try:
        yield
    finally:
        kept.clear()


@contextmanager
def what_is_dropped_placed() -> Iterator[None]:
    """Place what is dropped, if the preferences say so, until the block ends."""
    chosen = _chosen(bpy.context)
    with drops_placed(chosen is not None and chosen.place_dropped):
        yield


def _chosen(context: Context) -> PhysPlacePreferences | None:
    """Return the preferences; None where the extension is registered by a script."""
    addons = present(context.preferences).addons
    name = PhysPlacePreferences.bl_idname
    chosen = addons[name].preferences if name in addons else None
    return chosen if isinstance(chosen, PhysPlacePreferences) else None


def tick_seconds(context: Context) -> float:
    """Return how long a tick may work, in seconds."""
    chosen = _chosen(context)
    return 1e-3 * (TICK if chosen is None else chosen.tick)
