"""What a modal operator might leave behind when it ends: a session, a drawing, a timer, words in its bars."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import ClassVar

import bpy
import numpy as np

from tests.window import extension, framebuffer
from tests.window.hand import Hand

STATUS_BAR = 18  # rows of pixels with its words


class COUNTING_OT_timers(bpy.types.Operator):
    """Hears all that modal operators hear, counts the ticks of timers and lets everything pass."""

    bl_idname = "counting.timers"
    bl_label = "Count Timers"

    heard: ClassVar[int] = 0
    done: ClassVar[bool] = False

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        type(self).heard, type(self).done = 0, False
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if event.type == "TIMER":
            type(self).heard += 1
        return {"FINISHED", "PASS_THROUGH"} if self.done else {"PASS_THROUGH"}


@dataclass(frozen=True, eq=False)
class Bars:
    """The bars at the view's top, where an operator's header is, and at the window's bottom, as seen."""

    top: np.ndarray
    bottom: np.ndarray

    @classmethod
    async def of(cls, hand: Hand) -> Bars:
        """Look at them."""
        hand.area.tag_redraw()
        await hand.move_to(hand.place)
        await hand.wait()
        picture = framebuffer.screen(hand.screen_dump)[::-1]
        area, height = hand.area, hand.region("HEADER").height + hand.region("TOOL_HEADER").height
        above = area.y + area.height
        return cls(picture[above - height : above].copy(), picture[:STATUS_BAR].copy())


@dataclass(frozen=True, eq=False)
class Told:
    """The bars before an operator began, and with what it tells in them."""

    before: Bars
    meanwhile: Bars

    @classmethod
    async def of(cls, hand: Hand, before: Bars) -> Told:
        """What an operator that has begun tells."""
        meanwhile = await Bars.of(hand)
        assert (meanwhile.top != before.top).any()
        assert (meanwhile.bottom != before.bottom).any()
        return cls(before, meanwhile)


async def timers(hand: Hand, ticks: int = 5) -> int:
    """How often timers of operators tick in the window meanwhile."""
    if not hasattr(bpy.types, COUNTING_OT_timers.__name__):
        bpy.utils.register_class(COUNTING_OT_timers)
    with bpy.context.temp_override(window=hand.window, area=hand.area, region=hand.region()):
        assert bpy.ops.counting.timers("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    await hand.wait(ticks)
    COUNTING_OT_timers.done = True
    await hand.move_to(hand.place)
    return COUNTING_OT_timers.heard


def assert_nothing_is_open() -> None:
    """No session of an operator, and nothing that draws."""
    assert extension.open_sessions() == []
    if extension.MODULE in bpy.context.preferences.addons:
        drawing = importlib.import_module(f"{extension.MODULE}.overlay.drawing")
        assert drawing.open_drawings() == ()


async def assert_nothing_is_left(hand: Hand, told: Told) -> None:
    """Nothing is open, nothing ticks, and nothing is told any more; Blender has words of its own below."""
    assert_nothing_is_open()
    assert await timers(hand) == 0
    after = await Bars.of(hand)
    np.testing.assert_array_equal(after.top, told.before.top)
    assert (after.bottom != told.meanwhile.bottom).any()
