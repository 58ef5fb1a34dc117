# SPDX-License-Identifier: GPL-3.0-or-later
"""Events of the mouse and the keys, and those that are kept until a job has ended.

While a session reads the scene it can handle nothing. What the artist does meanwhile is kept, and handled in
its order once the session goes on: else a button that is let go in these ticks would stay pressed for the
session. Blender frees an event when its handler returns, so what handlers use of it is copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, Protocol

from bpy.types import Event

MOVES: Final = ("MOUSEMOVE", "INBETWEEN_MOUSEMOVE")
ESCAPES: Final = ("ESC", "RIGHTMOUSE")
PATIENCE: Final = 60  # ticks that a session has for a move, before what came after it: a second or more


class InputEvent(Protocol):
    """What handlers use of an event, of Blender's own and of one that was kept."""

    @property
    def type(self) -> str:
        """The key or button, by Blender's name, or a move of the mouse."""

    @property
    def value(self) -> str:
        """PRESS, RELEASE, or another of Blender's names for what happened to it."""

    @property
    def shift(self) -> bool:
        """Whether Shift is held."""

    @property
    def ctrl(self) -> bool:
        """Whether Ctrl is held."""

    @property
    def alt(self) -> bool:
        """Whether Alt is held."""

    @property
    def oskey(self) -> bool:
        """Whether the key of the operating system is held."""

    @property
    def mouse_x(self) -> int:
        """Where the mouse is, in pixels of the window from its left."""

    @property
    def mouse_y(self) -> int:
        """Where the mouse is, in pixels of the window from below."""


class EventResult(Enum):
    """What a modal operator did with an event, or wants because of it."""

    HANDLED = auto()
    PASS_THROUGH = auto()  # to Blender
    CONFIRM = auto()
    CANCEL = auto()


@dataclass(frozen=True)
class KeptEvent:
    """An `InputEvent` that outlives Blender's own event."""

    type: str
    value: str
    shift: bool
    ctrl: bool
    alt: bool
    oskey: bool
    mouse_x: int
    mouse_y: int

    @classmethod
    def of(cls, event: InputEvent) -> KeptEvent:
        """Return an event, kept."""
        held = event.shift, event.ctrl, event.alt, event.oskey
        return cls(event.type, event.value, *held, event.mouse_x, event.mouse_y)


class KeptEvents:
    """Events in the order in which they came, until they are handled."""

    def __init__(self) -> None:
        self._events: list[KeptEvent] = []
        self._ticks = 0  # since the last event was taken

    def __bool__(self) -> bool:
        return bool(self._events)

    def keep(self, event: Event) -> None:
        """Keep a press, a release or a move; of moves that follow one another only the last.

        A key that is held down is kept once: its repetitions go on by themselves after the job.
        """
        kept = KeptEvent.of(event)
        if kept.type in MOVES:
            if self._events and self._events[-1].type in MOVES:
                self._events.pop()
            self._events.append(kept)
        elif kept.value in ("PRESS", "RELEASE") and not event.is_repeat:
            self._events.append(kept)

    def awaits(self, event: InputEvent) -> bool:
        """Return whether an event is the release of what is kept as pressed, wherever the mouse is."""
        if event.value != "RELEASE":
            return False
        values = [kept.value for kept in self._events if kept.type == event.type]
        return values[-1:] == ["PRESS"]

    def taken(self, follows: Callable[[], bool]) -> Iterator[KeptEvent]:
        """Yield the events that are handled in a tick, in their order, and forget them.

        They end with the first move: the session has the tick to follow it. As long as it does, there are
        no others, up to `PATIENCE` ticks. Another move, and Esc, need not wait for that.

        Args:
            follows: returns whether something is on its way to where the mouse, or a number, asks it to be.
        """
        self._ticks += 1
        while self._events and not (self._waits(self._events[0]) and follows()):
            self._ticks = 0
            event = self._events.pop(0)
            yield event
            if event.type in MOVES:
                return

    def _waits(self, event: KeptEvent) -> bool:
        return self._ticks <= PATIENCE and event.type not in MOVES and not is_escape(event)

    def forget_presses(self) -> None:
        """Forget all but the releases."""
        self._events = [kept for kept in self._events if kept.value == "RELEASE"]

    @property
    def has_escape(self) -> bool:
        """Whether an Esc is among them."""
        return any(is_escape(kept) for kept in self._events)

    def since_escape(self) -> list[KeptEvent]:
        """Return the events after the last Esc, or all if there is none."""
        after: list[KeptEvent] = []
        for kept in self._events:
            after = [] if is_escape(kept) else [*after, kept]
        return after


def is_escape(event: InputEvent) -> bool:
    """Return whether Esc or the right mouse was pressed."""
    return event.value == "PRESS" and event.type in ESCAPES
