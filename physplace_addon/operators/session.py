# SPDX-License-Identifier: GPL-3.0-or-later
"""One interactive session for every modal operator: pacing, history, live view, and the one exit.

`Pacing` divides the time of a tick between a solver and Blender, `History` says which of a solver's states is
shown, `InteractiveSession` is what an operator works on, and `OpenSession` is everything that an operator has
open in a window. `OpenSession.close` is the one exit: it takes all of that away.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Generic, TypeVar, cast

import bpy
from bpy.types import Context, Operator, WorkSpace

from ..overlay.drawing import Drawing
from ..overlay.key_list import KeyList
from ..scene.access import present, window_manager_of
from ..translations.spoken import spoken
from .common import CursorProgress
from .input_events import InputEvent
from .keys.key_hints import KeyHint, drawn
from .view import View

BETWEEN_TICKS: Final = 0.001  # seconds between two ticks of a timer, for Blender to draw and to take events
REST: Final = 1.0 / 3.0  # ticks in which nothing is solved that make up for one tick of work
_LARGEST_DEBT: Final = 3.0  # ticks of work that are made up for, however long a step took
_PATIENCE: Final = 1.0  # ticks of work that may be owed before a tick is left to the view

StateT = TypeVar("StateT")


class Pacing:
    """The time budget of a tick: how long a solver works, and which ticks are left to the view.

    Work beyond the budget is a debt to the view, in ticks of work. A tick pays for one tick of work if it
    took long enough for Blender to draw and to take events; where nothing is drawn, a tick is over at once.

    step_seconds: how long the last step took.
    """

    def __init__(self) -> None:
        self.step_seconds = 0.0
        self._debt, self._budget = 0.0, 1.0  # ticks of work that are owed, each of so many seconds
        self._is_paying = False
        self._last_tick = time.perf_counter()

    def work(self, step: Callable[[], bool], seconds: float, *, overruns: bool = True) -> int | None:
        """Take steps for so many seconds, if this tick is not the view's.

        Args:
            step: takes one step; returns False if there was none to take.
            seconds: the time budget of a tick.
            overruns: whether a step may begin that is likely to end after the budget. Steps of equal length,
                one in each tick, look smoother than two in some ticks.

        Returns:
            The number of steps taken; None if this tick is the view's.
        """
        if not self._may_work(seconds):
            return None
        begin, now = time.thread_time(), time.perf_counter()
        end, steps = now + seconds, 0
        while step():
            steps += 1
            before, now = now, time.perf_counter()
            self.step_seconds = now - before
            if now + (0.0 if overruns else self.step_seconds) >= end:
                break
        self._debt = min(self._debt + (time.thread_time() - begin) / seconds, _LARGEST_DEBT)
        return steps

    def _may_work(self, seconds: float) -> bool:
        """Return whether the view has had its time. A debt is paid all at once, in ticks without work."""
        now = time.perf_counter()
        passed, self._last_tick = now - self._last_tick, now
        owed = min(self._debt * (self._budget / seconds), _LARGEST_DEBT)
        self._debt, self._budget = max(owed - min(passed / (REST * seconds), 1.0), 0.0), seconds
        self._is_paying = self._debt > (0.0 if self._is_paying else _PATIENCE)
        return not self._is_paying


class History(Generic[StateT]):
    """The states of a solver, and which of them is shown.

    states: all states so far; the solver appends to them. shown: the number of the state that is shown.
    began: the number of the state from which the solver runs without a change by the artist.
    """

    def __init__(self, states: Sequence[StateT]) -> None:
        self.states = states
        self.shown = self.began = len(states) - 1

    @property
    def state(self) -> StateT:
        """The state that is shown."""
        return self.states[self.shown]

    @property
    def is_latest(self) -> bool:
        """Whether the newest state is shown."""
        return self.shown == len(self.states) - 1

    def show_latest(self, *, begins: bool = False) -> None:
        """Show the newest state; with `begins` it is the one from which the solver runs on."""
        self.shown = len(self.states) - 1
        if begins:
            self.began = self.shown

    def scrub(self, by: int) -> None:
        """Show an earlier or a later state, as far as there is one."""
        self.shown = min(max(self.shown + by, 0), len(self.states) - 1)


class InteractiveSession(ABC):
    """What a modal operator works on: it shows its work in the scene, and can put everything back."""

    @property
    @abstractmethod
    def is_undisturbed(self) -> bool:
        """Whether the scene is still as the session shows it."""

    @property
    def is_following(self) -> bool:
        """Whether something is on its way to where the mouse, or a number, asks it to be."""
        return False

    @property
    def part_done(self) -> float | None:
        """The part of the work that is done, from 0 to 1, where steps take long; None otherwise."""
        return None

    @abstractmethod
    def show_again(self, context: Context) -> None:
        """Show the work in the scene again, after it was put back."""

    @abstractmethod
    def put_back(self, context: Context) -> None:
        """Put back everything that is still there to where it was before the session."""

    @abstractmethod
    def figures(self) -> str:
        """Return the state of the work in one line, for the header."""


class OpenSession:
    """Everything that a modal operator has open in a window: timer, drawing, texts, progress at the cursor.

    ended_by: why the session has ended already, although the operator has had no event since; else None.
    """

    def __init__(self, context: Context, operator: Operator) -> None:
        self.ended_by: str | None = None
        self.drawing = Drawing()
        self._place, self._region = _place_of(context), 0
        self.view(context, None)
        self._status_bar = _StatusBar(context)
        self._progress = CursorProgress()
        self._keys: KeyList | None = None
        manager = window_manager_of(context)
        self._timer = manager.event_timer_add(BETWEEN_TICKS, window=context.window)
        manager.modal_handler_add(operator)

    def view(self, context: Context, event: InputEvent | None) -> View | None:
        """Return the view that an event is for; without one, the view that had the last event.

        None if the context has not the area, scene and view layer that the session was begun in.
        """
        found = View.of(context, event, self._region) if _place_of(context) == self._place else None
        self._region = self._region if found is None else found.region.as_pointer()
        return found

    def show_text(self, context: Context, header: str, hints: Sequence[KeyHint]) -> None:
        """Show figures in the area's header, and keys in the status bar."""
        self._status_bar.show(context, header, hints)

    def toggle_keys(self, context: Context, hints: Sequence[KeyHint]) -> None:
        """List keys over the view, or no more if they are listed."""
        if self._keys is not None:
            self._keys.close()
            self._keys = None
        else:
            area = present(context.area).as_pointer()
            self._keys = KeyList(area, [(hint.key, spoken(hint.text)) for hint in hints])

    def show_progress(self, part: float | None) -> None:
        """Show at the cursor which part of the work is done; None for nothing."""
        self._progress.show(part)

    def close(self, context: Context) -> None:
        """Take away everything that was opened: the one exit of every modal operator."""
        window_manager_of(context).event_timer_remove(self._timer)
        self.drawing.close()
        if self._keys is not None:
            self._keys.close()
        self._progress.show(None)
        self._status_bar.clear(context)


class _StatusBar:
    """The header of an area and the status bar of a workspace.

    Both are kept by their addresses, because either may be gone, or not shown, when they are cleared. Only
    new texts are set, because Blender draws the bars again for each.
    """

    def __init__(self, context: Context) -> None:
        self._area = present(context.area).as_pointer()
        self._workspace = present(context.workspace).as_pointer()
        self._shown: tuple[str | None, Sequence[KeyHint] | None] = (None, None)

    def show(self, context: Context, header: str, hints: Sequence[KeyHint]) -> None:
        """Show a text and keys; the area and the workspace are those of the context."""
        before, self._shown = self._shown, (header, tuple(hints))
        if before[0] != header:
            present(context.area).header_text_set(spoken(header))
        if before[1] != self._shown[1]:
            # the stub says that it takes a text alone
            cast("Any", present(context.workspace)).status_text_set(drawn(hints))

    def clear(self, context: Context) -> None:
        """Give the header and the status bar back to Blender."""
        for screen in bpy.data.screens:
            for area in screen.areas:
                if area.as_pointer() == self._area:
                    area.header_text_set(None)
        for workspace in bpy.data.workspaces:
            if workspace.as_pointer() == self._workspace:
                _clear_status(context, workspace)


def _clear_status(context: Context, workspace: WorkSpace) -> None:
    """Clear a workspace's status text: Blender itself would clear only that of the context's workspace."""
    if workspace == context.workspace:
        workspace.status_text_set(None)
        return
    with context.temp_override(workspace=workspace):
        workspace.status_text_set(None)


def one_line(parts: Iterable[str]) -> str:
    """Return figures as one line of the header."""
    return "   |   ".join(parts)


def _place_of(context: Context) -> tuple[int, str, str]:
    """Return the address of the area, and the names of the scene and the view layer; 0 and "" for none."""
    area, scene, layer = context.area, context.scene, context.view_layer
    return (
        0 if area is None else area.as_pointer(),
        "" if scene is None else scene.name_full,
        "" if layer is None else layer.name,
    )
