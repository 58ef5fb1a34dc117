"""Sequences of random events: what an artist or a script may do while something is placed or dragged.

A sequence is drawn from its seed alone, so that one which fails can be run again. Half of the sequences are
quiet: nothing in them confirms, and nothing but the operator changes what the scene is.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.window.events import SCENES, Event

STEERING = (
    *("SPACE", "LEFT_ARROW", "RIGHT_ARROW", "G", "R", "X", "Y", "Z", "I", "A", "F", "M", "K", "TAB"),
    *("ONE", "TWO", "FIVE", "ZERO", "PERIOD", "MINUS", "BACK_SPACE", "NUMPAD_3", "NUMPAD_MINUS"),
    *("G", "R", "I", "TAB", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "F19"),
)
LEAVING = ("ESC", "RIGHTMOUSE")
CONFIRMING = ("RET", "NUMPAD_ENTER", "D")
QUIET_SCRIPTS = ("place", "drag", "frame", "save", "no_file", "split", "close", "workspace", "mode")
SCRIPTS = (
    *QUIET_SCRIPTS,
    *("undo", "redo", "delete_mover", "delete_floor", "move_mover", "hide_mover", "deselect", "load"),
)


@dataclass(frozen=True)
class Sequence:
    """What is in the scene, and what happens one after another: "wait" lets Blender come after."""

    scene: str
    quiet: bool
    events: tuple[Event, ...]


def described(events: tuple[Event, ...]) -> str:
    """Events in words."""
    return ", ".join(" ".join(_word(word) for word in event) for event in events)


def _word(word: object) -> str:
    if isinstance(word, tuple):
        return "+".join(map(str, word)) or "-"
    return f"{word:.3f}" if isinstance(word, float) else str(word)


def sequence(seed: int) -> Sequence:
    """The sequence of a seed."""
    chance = random.Random(seed)
    quiet = chance.random() < 0.5
    events: list[Event] = [(chance.choice(("place", "place", "drag")),)]
    for _ in range(chance.randint(15, 30)):
        event = _event(chance, quiet)
        events += [event] if _is_steering(event) else [("wait", 1), event, ("wait", 1)]
        if chance.random() < 0.3:
            events.append(("wait", 1))
    return Sequence(chance.choice(tuple(SCENES)), quiet, tuple(events))


def _is_steering(event: Event) -> bool:
    """Whether an operator that is under way still is after it: Blender itself shall not get the next key."""
    return event[0] == "move" or (event[0] == "key" and event[1] in STEERING)


def _event(chance: random.Random, quiet: bool) -> Event:
    kind = chance.random()
    modifiers = tuple(name for name in ("shift", "ctrl", "alt") if chance.random() < 0.12)
    if kind < 0.25:
        return ("move", *_place(chance, ("object", "view", "view", "window")))
    if kind < 0.40:
        return ("script", chance.choice(QUIET_SCRIPTS if quiet else SCRIPTS))
    if kind < 0.45:
        return ("key", chance.choice(LEAVING), ())
    if quiet or kind < 0.75:
        key = chance.choice(STEERING)
        return ("key", key, modifiers)
    if kind < 0.82:
        key = chance.choice(CONFIRMING)
        return ("key", key, ("shift",) if key == "D" else modifiers)
    button = chance.choice(("click", "hold", "release"))
    return (button, *_place(chance, ("object", "view")), modifiers)


def _place(chance: random.Random, places: tuple[str, ...]) -> tuple[str, float, float]:
    """A place on the first object that moves, in the view, or anywhere in the window."""
    return chance.choice(places), chance.random(), chance.random()
