# SPDX-License-Identifier: GPL-3.0-or-later
"""The preferences: how long a tick works, and the keys of placing and sculpting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.props import FloatProperty
from bpy.types import AddonPreferences, Context

from ..scene.access import present
from .keymap import draw_keymaps

TICK = 16.0  # milliseconds of work in a tick, unless the artist chose another: one frame of 60 a second


class PhysPlacePreferences(AddonPreferences):
    """The extension's preferences."""

    bl_idname = present(__package__).rpartition(".")[0]

    if TYPE_CHECKING:
        tick: float
    else:
        tick: FloatProperty(
            name="Work a Tick",
            description=(
                "How many milliseconds placing works before the view is drawn again: "
                "more arrives sooner, less keeps the view smoother"
            ),
            default=TICK,
            min=1.0,
            soft_max=100.0,
        )

    def draw(self, context: Context) -> None:
        """Draw the time of a tick, and the keys."""
        layout = present(self.layout)
        layout.use_property_split = True
        layout.prop(self, "tick")
        draw_keymaps(context, layout)


def tick_seconds(context: Context) -> float:
    """Return how long a tick may work, in seconds."""
    addons = present(context.preferences).addons
    name = PhysPlacePreferences.bl_idname
    chosen = addons[name].preferences if name in addons else None
    return 1e-3 * (chosen.tick if isinstance(chosen, PhysPlacePreferences) else TICK)
