"""What the sentences of recipes mean. A sentence that none of these phrases fits is an error.

In a step **bold** is what is clicked, pressed or chosen, and names an object, a button or an entry of a menu;
*slanted* is the name of a panel or of a property.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

BOLD = r"\*\*([^*]+)\*\*"
SLANTED = r"\*([^*]+?)\*"
NUMBER = r"(-?\d+(?:\.\d+)?)"


class Hands(Protocol):
    """Who does what a recipe says."""

    def choose(self, entry: str, button: str) -> None:
        """Choose an entry of the menu that a button opens."""

    def click(self, names: list[str]) -> None:
        """Select objects, the last one active."""

    def press(self, button: str) -> None:
        """Press a button of the sidebar, and wait until it is done."""

    def press_until_rest(self, button: str) -> None:
        """Press a button of the sidebar, wait until what moves is at rest, and confirm."""

    def press_and_enter(self, button: str) -> None:
        """Press a button of the sidebar, and Enter."""

    def press_until(self, button: str, frame: int) -> None:
        """Press a button that simulates, and confirm at a frame."""

    def adjust(self, name: str, value: str) -> None:
        """Set a property of what was pressed last."""

    def set(self, panel: str, name: str, value: str) -> None:
        """Set a property in a panel of the sidebar."""

    def put_cursor(self, place: list[float]) -> None:
        """Put the 3D cursor at a place."""

    def move(self, name: str, axis: str, distance: float) -> None:
        """Move an object along an axis of the world."""

    def go_to(self, frame: int) -> None:
        """Go to a frame."""


class Eyes(Protocol):
    """Who sees what has come of a recipe."""

    def report_says(self, name: str, sentence: str) -> None:
        """Check the last report of an object."""

    def nothing_overlaps(self) -> None:
        """Check that no object is inside another."""

    def is_within(self, name: str, count: int, other: str) -> None:
        """Check that so many objects whose names begin alike are inside another one."""

    def stands_higher(self, name: str, frame: int, height: float, before: int) -> None:
        """Check how much higher an object is on a frame than on one before."""

    def lies_lower(self, name: str, below: float) -> None:
        """Check that an object is at a height, at most."""

    def is_between(self, name: str, height: float, other: float) -> None:
        """Check that an object's height is between two heights."""


Phrase = tuple[str, Callable[..., None]]


def _steps(hands: Hands) -> list[Phrase]:
    return [
        (rf"Choose {BOLD} under {BOLD}", hands.choose),
        (rf"Click {BOLD}", lambda name: hands.click([name])),
        (rf"Click ({BOLD}(?:(?:, | and ){BOLD})*), each but the first with Shift", _clicked(hands)),
        (rf"Press {BOLD}", hands.press),
        (rf"Press {BOLD}, wait until it is at rest, and press \*\*Enter\*\*", hands.press_until_rest),
        (rf"Press {BOLD}, and \*\*Enter\*\*", hands.press_and_enter),
        (rf"Press {BOLD}, wait for frame (\d+), and press \*\*Enter\*\*", _until(hands)),
        (rf"In \*Adjust Last Operation\* set {SLANTED} to {BOLD}", hands.adjust),
        (rf"In the panel {SLANTED} set {SLANTED} to {BOLD}", hands.set),
        (
            rf"Put the 3D cursor at {NUMBER}, {NUMBER}, {NUMBER}",
            lambda *at: hands.put_cursor([*map(float, at)]),
        ),
        (rf"Move {BOLD} by {NUMBER} along ([XYZ])", lambda name, by, axis: hands.move(name, axis, float(by))),
        (r"Go to frame (\d+)", lambda frame: hands.go_to(int(frame))),
    ]


def _clicked(hands: Hands) -> Callable[..., None]:
    return lambda names, *_: hands.click(re.findall(BOLD, names))


def _until(hands: Hands) -> Callable[..., None]:
    return lambda button, frame: hands.press_until(button, int(frame))


def _claims(eyes: Eyes) -> list[Phrase]:
    return [
        (rf"The last report of {BOLD} says \*(.+)\*", eyes.report_says),
        (r"Nothing overlaps", eyes.nothing_overlaps),
        (rf"At least (\d+) objects named {BOLD} are inside {BOLD}", _within(eyes)),
        (
            rf"On frame (\d+) {BOLD} stands {NUMBER} higher than on frame (\d+)",
            lambda frame, name, by, before: eyes.stands_higher(name, int(frame), float(by), int(before)),
        ),
        (rf"{BOLD} is no higher than {NUMBER}", lambda name, below: eyes.lies_lower(name, float(below))),
        (
            rf"{BOLD} is between {NUMBER} and {NUMBER} high",
            lambda name, *at: eyes.is_between(name, *map(float, at)),
        ),
    ]


def _within(eyes: Eyes) -> Callable[..., None]:
    return lambda count, name, other: eyes.is_within(name, int(count), other)


def follow(steps: list[str], hands: Hands) -> None:
    """Do what the sentences of steps say, one after another."""
    for step in steps:
        _understood(step, _steps(hands))


def verify(claims: list[str], eyes: Eyes) -> None:
    """Check what the sentences of claims say."""
    for claim in claims:
        _understood(claim, _claims(eyes))


def _understood(sentence: str, phrases: list[Phrase]) -> None:
    for pattern, meaning in phrases:
        found = re.fullmatch(pattern + r"\.", sentence)
        if found is not None:
            meaning(*found.groups())
            return
    raise AssertionError(f"no phrase of a recipe: {sentence}")
