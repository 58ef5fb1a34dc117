"""Events that are kept while a job is worked on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from physplace_addon.operators.input_events import PATIENCE, KeptEvent, KeptEvents, is_escape

PLAIN = KeptEvent("G", "PRESS", False, False, False, False, 10, 20)


class BlenderEvent:
    """What is read of Blender's own event, which is freed when its handler returns."""

    def __init__(self, kept: KeptEvent, is_repeat: bool) -> None:
        self.kept, self.is_repeat = kept, is_repeat

    def __getattr__(self, name: str) -> object:
        return getattr(self.kept, name)


def event(
    kind: str, value: str = "PRESS", *, is_repeat: bool = False, x: int = 0, shift: bool = False
) -> Any:
    """An event as Blender gives it to a handler."""
    return BlenderEvent(replace(PLAIN, type=kind, value=value, mouse_x=x, shift=shift), is_repeat)


def kept(*events: Any) -> KeptEvents:
    """These events, kept one after another."""
    every = KeptEvents()
    for each in events:
        every.keep(each)
    return every


def taken(events: KeptEvents, *, follows: bool = False) -> list[tuple[str, str, int]]:
    return [(each.type, each.value, each.mouse_x) for each in events.taken(lambda: follows)]


def test_what_handlers_use_of_an_event_is_kept() -> None:
    assert list(kept(event("Z", shift=True, x=7)).taken(lambda: False)) == [
        KeptEvent("Z", "PRESS", True, False, False, False, 7, 20)
    ]


def test_events_are_taken_in_their_order_and_once() -> None:
    events = kept(event("G"), event("G", "RELEASE"), event("RET"))
    assert taken(events) == [("G", "PRESS", 0), ("G", "RELEASE", 0), ("RET", "PRESS", 0)]
    assert not events


def test_of_moves_that_follow_one_another_the_last_is_kept() -> None:
    moves = [event(kind, "NOTHING", x=x) for x, kind in enumerate(("MOUSEMOVE", "INBETWEEN_MOUSEMOVE"))]
    assert taken(kept(*moves, *moves)) == [("INBETWEEN_MOUSEMOVE", "NOTHING", 1)]


def test_what_follows_a_move_waits_for_another_tick() -> None:
    events = kept(event("G"), event("MOUSEMOVE", "NOTHING", x=5), event("LEFTMOUSE"))
    assert taken(events) == [("G", "PRESS", 0), ("MOUSEMOVE", "NOTHING", 5)]
    assert taken(events) == [("LEFTMOUSE", "PRESS", 0)]


def test_what_follows_a_move_waits_for_a_session_on_its_way_but_not_for_ever() -> None:
    events = kept(event("MOUSEMOVE", "NOTHING", x=5), event("LEFTMOUSE"))
    assert taken(events, follows=True) == [("MOUSEMOVE", "NOTHING", 5)]
    assert all(taken(events, follows=True) == [] for _ in range(PATIENCE))
    assert taken(events, follows=True) == [("LEFTMOUSE", "PRESS", 0)]


def test_esc_and_another_move_do_not_wait_for_a_session_on_its_way() -> None:
    assert taken(kept(event("ESC")), follows=True) == [("ESC", "PRESS", 0)]
    assert taken(kept(event("MOUSEMOVE", "NOTHING")), follows=True) == [("MOUSEMOVE", "NOTHING", 0)]


def test_an_event_that_is_not_taken_yet_stays() -> None:
    events = kept(event("G"), event("X"))
    assert next(events.taken(lambda: False)).type == "G"
    assert taken(events) == [("X", "PRESS", 0)]


def test_a_key_that_is_held_down_is_kept_once() -> None:
    assert taken(kept(event("LEFT_ARROW"), *[event("LEFT_ARROW", is_repeat=True)] * 9)) == [
        ("LEFT_ARROW", "PRESS", 0)
    ]


def test_only_presses_releases_and_moves_are_kept() -> None:
    assert not kept(
        event("TIMER_REPORT", "NOTHING"), event("WINDOW_DEACTIVATE", "NOTHING"), event("A", "CLICK")
    )


def test_a_release_is_awaited_while_its_press_is_kept() -> None:
    release = event("LEFTMOUSE", "RELEASE")
    assert not kept().awaits(release)
    assert kept(event("LEFTMOUSE")).awaits(release)
    assert not kept(event("LEFTMOUSE")).awaits(event("LEFTMOUSE"))
    assert not kept(event("RIGHTMOUSE")).awaits(release)
    assert not kept(event("LEFTMOUSE"), release).awaits(release)


def test_after_a_failure_only_releases_are_left() -> None:
    events = kept(event("RET"), event("LEFTMOUSE", "RELEASE"), event("MOUSEMOVE", "NOTHING"))
    events.forget_presses()
    assert taken(events) == [("LEFTMOUSE", "RELEASE", 0)]


def test_what_came_since_the_last_escape_is_known() -> None:
    events = kept(event("G"), event("ESC"), event("R"))
    assert events.has_escape
    assert [each.type for each in events.since_escape()] == ["R"]
    assert [each.type for each in kept(event("G"), event("R")).since_escape()] == ["G", "R"]
    assert not kept(event("ESC", "RELEASE")).has_escape


@pytest.mark.parametrize(
    ("kind", "value", "escapes"),
    [
        ("ESC", "PRESS", True),
        ("RIGHTMOUSE", "PRESS", True),
        ("ESC", "RELEASE", False),
        ("RET", "PRESS", False),
    ],
)
def test_esc_and_the_right_mouse_escape(kind: str, value: str, escapes: bool) -> None:
    assert is_escape(event(kind, value)) is escapes
