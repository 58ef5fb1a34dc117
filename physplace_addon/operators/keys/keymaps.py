# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of placing, simulating, posing, sitting down and sculpting, which the preferences edit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

from bpy.types import Context, UILayout

from .action_keymap import LIST, ActionKeymap, KeyAction

_LIST_KEYS: Final = KeyAction("All Keys", "List all keys over the view, or no more", "H")
_ENTER: Final = {"NUMPAD_ENTER": "CONFIRM"}
_AS_BLENDERS_TOOLS: Final = {**_ENTER, "RIGHTMOUSE": "CANCEL"}


def _scrubbing(what: str) -> dict[str, KeyAction]:
    """Return the actions that go through the states of a solver, or whatever they are called."""
    return {
        "BACK": KeyAction("Step Back", f"Show the {what} before", "LEFT_ARROW"),
        "FORTH": KeyAction("Step Forward", f"Show the {what} after", "RIGHT_ARROW"),
        "FAR_BACK": KeyAction("10 Back", f"Go ten {what}s back", "LEFT_ARROW", shift=True),
        "FAR_FORTH": KeyAction("10 Forward", f"Go ten {what}s forward", "RIGHT_ARROW", shift=True),
    }


PLACING = ActionKeymap(
    "PhysPlace: Placing",
    "physplace.placing_key",
    "Steer a Placement",
    "an object is being placed",
    {
        "CONFIRM": KeyAction("Confirm", "Leave it here", "RET"),
        "CANCEL": KeyAction("Cancel", "Put everything back", "ESC"),
        "PAUSE": KeyAction("Pause", "Pause, or go on from the state that is shown", "SPACE"),
        "MOVE": KeyAction("Move", "Move it by hand; it slides along what it touches", "G"),
        "TURN": KeyAction("Turn", "Turn it by hand, as far as what it touches lets it", "R"),
        "PULL": KeyAction("Pull", "Pull it at the point under the mouse", "LEFTMOUSE"),
        "PUSH": KeyAction("Push", "Push it at the point under the mouse", "LEFTMOUSE", ctrl=True),
        "TIE": KeyAction(
            "Tie", "Tie the point under the mouse to where the next click lands", "LEFTMOUSE", alt=True
        ),
        "NEXT": KeyAction("Next", "Make the next selected object the active one", "TAB"),
        "COPY": KeyAction("Copy", "Confirm here, and go on with a copy", "D", shift=True),
        "KEY": KeyAction("Key", "Key this rest at the current frame", "K"),
        "BILATERAL": KeyAction(
            "Stick", "Let the contact under the mouse slide but not separate, or no more", "B"
        ),
        "THROUGH": KeyAction("Pass Through", "Move it through other objects by hand, or no more", "I"),
        "EXTRICATE": KeyAction("Extricate", "Free it of what it overlaps by the least motion", "E"),
        "FRICTION": KeyAction("Friction", "Let friction act, or no more", "F"),
        "ENERGY": KeyAction("Allow Rising", "Let forces lift it on its way, or no more", "A"),
        "LEAVE": KeyAction("Tip Over", "Leave an unstable rest by a small nudge", "M"),
        **_scrubbing("state"),
        LIST: _LIST_KEYS,
    },
    _AS_BLENDERS_TOOLS,
)
SCULPTING = ActionKeymap(
    "PhysPlace: Sculpting",
    "physplace.sculpting_key",
    "Sculpt a Blob",
    "a blob is being sculpted",
    {
        "CONFIRM": KeyAction("Confirm", "Leave the blob as it is", "RET"),
        "CANCEL": KeyAction("Cancel", "Put the blob back as it was", "ESC"),
        "PULL": KeyAction("Pull", "Drag the control point under the mouse", "LEFTMOUSE"),
        "ADD": KeyAction(
            "New Control Point",
            "Make a control point where the surface is under the mouse",
            "LEFTMOUSE",
            ctrl=True,
        ),
    },
    _ENTER,
)
SIMULATING = ActionKeymap(
    "PhysPlace: Simulating",
    "physplace.simulating_key",
    "Steer a Simulation",
    "objects are being simulated",
    {
        "CONFIRM": KeyAction("Confirm", "Key all frames that were simulated", "RET"),
        "CANCEL": KeyAction("Cancel", "Put everything back", "ESC"),
        "PAUSE": KeyAction(
            "Pause", "Pause, or go on from the frame that is shown; later ones are given up", "SPACE"
        ),
        "PULL": KeyAction(
            "Pull", "Pull the object under the mouse at that point, for as long as it is held", "LEFTMOUSE"
        ),
        "MOVE": KeyAction("Move", "Pause, and move the active object by hand", "G"),
        "TURN": KeyAction("Turn", "Pause, and turn the active object by hand", "R"),
        **_scrubbing("frame"),
        LIST: _LIST_KEYS,
    },
    _AS_BLENDERS_TOOLS,
)
POSING = ActionKeymap(
    "PhysPlace: Posing",
    "physplace.posing_key",
    "Pose a Figure",
    "a jointed figure is being posed",
    {
        "CONFIRM": KeyAction("Confirm", "Leave the figure in this pose", "RET"),
        "CANCEL": KeyAction("Cancel", "Put the figure back", "ESC"),
        "GRAB": KeyAction("Grab", "Drag the part under the mouse at that point", "LEFTMOUSE"),
        "PIN": KeyAction("Pin", "Pin the point under the mouse, or release it", "LEFTMOUSE", ctrl=True),
        "CYCLE": KeyAction(
            "Kind of Pin",
            "Let the pin under the mouse, or else the last one, hold its point, its whole part, nothing",
            "TAB",
        ),
        "WHOLE": KeyAction("Whole Figure", "Move the whole figure, or no more", "A"),
        LIST: _LIST_KEYS,
    },
    _AS_BLENDERS_TOOLS,
)
SITTING = ActionKeymap(
    "PhysPlace: Sitting Down",
    "physplace.sitting_key",
    "Steer a Figure That Sits Down",
    "a jointed figure is sitting down",
    {
        "CONFIRM": KeyAction("Confirm", "Leave the figure as it is shown", "RET"),
        "CANCEL": KeyAction("Cancel", "Put the figure back", "ESC"),
        "PAUSE": KeyAction("Pause", "Pause, or go on from the state that is shown", "SPACE"),
        **_scrubbing("state"),
        LIST: _LIST_KEYS,
    },
    _AS_BLENDERS_TOOLS,
)
ALL = (PLACING, SIMULATING, POSING, SITTING, SCULPTING)
OPERATORS = tuple(keys.operator_class() for keys in ALL)


def draw_keymaps(context: Context, layout: UILayout) -> None:
    """Draw all keymaps, to be edited."""
    for keys in ALL:
        keys.draw(context, layout)


@contextmanager
def added_keymaps() -> Iterator[None]:
    """Add all keymaps until the block ends."""
    with ExitStack() as stack:
        for keys in ALL:
            stack.enter_context(keys.added())
        yield
