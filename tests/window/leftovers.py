"""What a modal operator might leave behind when it ends: a session, a drawing, a timer, texts in the bars."""

from __future__ import annotations

import gc
import importlib
import sys
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, ClassVar

import bpy
import numpy as np

from tests.blender_data import operators_of, preferences, window_manager
from tests.window import extension, framebuffer
from tests.window.user import User

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


STATUS_BAR = 18  # rows of pixels with its words


class COUNTING_OT_timers(bpy.types.Operator):
    """Hears all that modal operators hear, counts the ticks of timers and lets everything pass."""

    bl_idname = "counting.timers"
    bl_label = "Count Timers"

    heard: ClassVar[int] = 0
    done: ClassVar[bool] = False

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        type(self).heard, type(self).done = 0, False
        window_manager().modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[OperatorReturnItems]:
        if event.type == "TIMER":
            type(self).heard += 1
        return {"FINISHED", "PASS_THROUGH"} if self.done else {"PASS_THROUGH"}


@dataclass(frozen=True, eq=False)
class BarPixels:
    """The bars at the view's top, where an operator's header is, and at the window's bottom, as seen."""

    top: np.ndarray
    bottom: np.ndarray

    @classmethod
    async def of(cls, user: User) -> BarPixels:
        """Look at them."""
        user.area.tag_redraw()
        await user.move_to(user.place)
        await user.wait()
        picture = framebuffer.screen(user.screen_dump)[::-1]
        area, height = user.area, user.region("HEADER").height + user.region("TOOL_HEADER").height
        above = area.y + area.height
        return cls(picture[above - height : above].copy(), picture[:STATUS_BAR].copy())


@dataclass(frozen=True, eq=False)
class ShownBars:
    """The bars before an operator began, and with what it tells in them."""

    before: BarPixels
    meanwhile: BarPixels

    @classmethod
    async def of(cls, user: User, before: BarPixels) -> ShownBars:
        """What an operator that has begun tells."""
        meanwhile = await BarPixels.of(user)
        assert (meanwhile.top != before.top).any()
        assert (meanwhile.bottom != before.bottom).any()
        return cls(before, meanwhile)


def drawings() -> list[object]:
    """What draws in the views by a handler of the extension's, or would if it were still handled."""
    gc.unfreeze()  # what is frozen is not among the objects
    return [
        each
        for each in gc.get_objects()
        if str(type(each).__module__).startswith(extension.MODULE)  # a descriptor, of some of Blender's types
        and getattr(each, "_handler", None) is not None
    ]


def timed_functions() -> list[FunctionType]:
    """The functions of the extension's modules that are loaded, which a timer of Blender's may call."""
    modules = [module for name, module in sys.modules.items() if name.startswith(extension.MODULE)]
    return [each for module in modules for each in vars(module).values() if isinstance(each, FunctionType)]


async def timers(user: User, ticks: int = 5) -> int:
    """How often timers of operators tick in the window meanwhile."""
    if not hasattr(bpy.types, COUNTING_OT_timers.__name__):
        bpy.utils.register_class(COUNTING_OT_timers)
    with bpy.context.temp_override(window=user.window, area=user.area, region=user.region()):
        assert operators_of("counting").timers("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    await user.wait(ticks)
    COUNTING_OT_timers.done = True
    await user.move_to(user.place)
    return COUNTING_OT_timers.heard


def assert_nothing_is_open() -> None:
    """No session of an operator, and nothing that draws."""
    assert extension.open_sessions() == []
    if extension.MODULE in preferences().addons:
        drawing = importlib.import_module(f"{extension.MODULE}.overlay.drawing")
        assert drawing.open_drawings() == ()


async def assert_nothing_is_left(user: User, shown_bars: ShownBars) -> None:
    """Nothing is open, no timer ticks, and Blender's own texts are in the bars again."""
    assert_nothing_is_open()
    assert await timers(user) == 0
    after = await BarPixels.of(user)
    np.testing.assert_array_equal(after.top, shown_bars.before.top)
    assert (after.bottom != shown_bars.meanwhile.bottom).any()
