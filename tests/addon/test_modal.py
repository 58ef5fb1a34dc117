"""However a modal operator ends, nothing of it listens to the scene afterwards: Blender keeps it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import bpy
import pytest

from physplace_addon.core.jobs import Job, Progress
from physplace_addon.operators import modal, modal_handlers
from physplace_addon.operators.common import Conclusion
from physplace_addon.operators.input_events import EventResult
from physplace_addon.operators.modal import ModalOperator
from physplace_addon.operators.view import View
from physplace_addon.scene import changes
from physplace_addon.scene.errors import SceneError
from tests.addon.test_input_events import event
from tests.scene import scenes

REFUSAL = SceneError("Cube", "a fault", "none")


class _Opened:
    """What is open in a window, without one."""

    def __init__(self, context: Any, operator: Any) -> None:
        self.ended_by: str | None = None

    def view(self, context: Any, event: Any) -> Any:
        """Return a view."""
        return SimpleNamespace()

    def close(self, *_: Any) -> None:
        """Close, or show, nothing."""

    show_text = show_progress = close


def _operator(slices: list[Any], **members: Any) -> Any:
    """Return an operator, made outside of Blender, whose job raises what of its slices is an error."""

    def beginning(self: Any, *_: Any) -> Job[Conclusion]:
        for each in slices:
            if isinstance(each, BaseException):
                raise each
            yield Progress("")
        return Conclusion(True, "done")

    own = {name: each for name, each in vars(ModalOperator).items() if not name.startswith("__")}
    own |= {"watches_scene": True, "beginning": beginning, "bl_label": "Fake", "report": lambda *_: None}
    own |= {"end_reason": lambda *_: None, "handle_event": lambda *_: EventResult.HANDLED}
    return type("Fake", (), own | members)()


def _invoked(operator: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    scenes.activate(scenes.cube())
    monkeypatch.setattr(modal, "OpenSession", _Opened)
    monkeypatch.setattr(modal, "is_for_view", lambda *_: True)
    monkeypatch.setattr(View, "of", lambda *_: SimpleNamespace())
    monkeypatch.setattr(modal, "AT_ONCE", 0.0)
    with suppress(ZeroDivisionError):
        operator.invoke(bpy.context, event("LEFTMOUSE"))
    return operator


@pytest.mark.parametrize("slices", [[], [REFUSAL], [ZeroDivisionError()]])
def test_what_ends_at_once_does_not_listen(slices: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    operator = _invoked(_operator(slices), monkeypatch)
    assert not changes.listeners()
    assert operator not in modal.open_operators()


def _ticked(operator: Any) -> None:
    for _ in range(9):
        operator.modal(bpy.context, event("TIMER"))


def _undone(operator: Any) -> None:
    operator.restore = lambda context: None
    modal_handlers._before_undo()
    _ticked(operator)


ENDS: dict[str, tuple[list[Any], Callable[[Any], object]]] = {
    "done": ([1, 2], _ticked),
    "refused": ([1, 2, REFUSAL], _ticked),
    "fault": ([1, 2, ZeroDivisionError()], _ticked),
    "Esc": ([1] * 99, lambda operator: operator.modal(bpy.context, event("ESC"))),
    "Blender": ([1] * 99, lambda operator: operator.cancel(bpy.context)),
    "undo": ([1] * 99, _undone),
    "file": ([1] * 99, lambda operator: bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)),
}


@pytest.mark.parametrize("end", ENDS)
def test_what_has_run_does_not_listen_however_it_ends(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    slices, ending = ENDS[end]
    operator = _invoked(_operator(slices), monkeypatch)
    assert modal.open_operators() == (operator,)
    assert len(changes.listeners()) == 1
    with suppress(ZeroDivisionError):
        ending(operator)
    assert not modal.open_operators()
    assert not changes.listeners()
