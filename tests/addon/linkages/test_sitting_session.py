"""*Sit Down* under the artist's eyes: what is shown is what is written, whatever happens while it waits."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import bpy
import numpy as np
import pytest

from physplace_addon.core.jobs import finished
from physplace_addon.operators.linkages.sit import PHYSPLACE_OT_linkage_sit
from physplace_addon.operators.linkages.sitting import SittingSession, sitting_figure
from physplace_addon.operators.view import View
from physplace_addon.scene.errors import SceneError
from tests.addon.linkages.test_sitting_down import arm, ends_of
from tests.addon.test_input_events import event
from tests.blender_data import current_view_layer, report_of
from tests.scene import scenes


def _paused(states: int) -> SittingSession:
    """Two limp bars that have begun to come down, and wait after so many steps."""
    session = SittingSession(finished(sitting_figure(bpy.context, arm()[0], 0.0, 0.5)))
    while f"state {states} of {states}" not in session.figures():
        assert session.is_running
        session.tick(1e-9)
    session.show(bpy.context)
    session.paused = True
    return session


def _shown(session: SittingSession) -> np.ndarray:
    session.show(bpy.context)
    current_view_layer().update()
    return np.array([ends_of(bpy.data.objects[f"Bar {i}"]) for i in range(2)])


def test_what_is_shown_is_written_after_a_failure() -> None:
    session = _paused(4)
    session.scrub(-2)
    shown = _shown(session)
    bar = bpy.data.objects["Bar 1"]
    bar.scale.x = -1.0
    with pytest.raises(SceneError):
        session.write(bpy.context)
    bar.scale.x = 1.0
    session.scrub(10)
    assert "state 2 of 2" in session.figures()
    np.testing.assert_array_equal(_shown(session), shown)
    session.write(bpy.context)
    current_view_layer().update()
    written = [ends_of(bpy.data.objects[f"Bar {i}"]) for i in range(2)]
    np.testing.assert_allclose(written, shown, atol=1e-6)


def test_a_change_while_it_waits_keeps_the_state_and_is_read_once_it_goes_on() -> None:
    session = _paused(4)
    session.scrub(-2)
    shown = _shown(session)
    scenes.floor().location.z = (
        -1.92
    )  # the lower bar, which ends .05 before its end, would come down to -1.95
    current_view_layer().update()
    session.note_difference()
    assert not session.has_to_read()
    np.testing.assert_array_equal(_shown(session), shown)
    assert "state 2 of 4" in session.figures()
    session.toggle_pause()
    assert session.has_to_read()
    assert not any(session.tick(1.0) for _ in range(5)), "no step among what is not there any more"
    finished(session.reading(bpy.context))
    assert "state 2 of 2" in session.figures()
    np.testing.assert_allclose(_shown(session), shown, atol=1e-6)
    while session.is_running:
        session.tick(1.0)
    assert _shown(session)[..., 2].min() > -1.98


def test_a_change_while_it_waits_is_read_before_it_is_left() -> None:
    scenes.floor().location.z = -2.5
    session = _paused(2)
    bpy.data.objects["Floor"].location.z = -0.5  # where the bars are
    current_view_layer().update()
    session.note_difference()
    session.write(bpy.context)
    assert report_of(bpy.data.objects["Bar 1"])["status"] == "INTERFERING_START"


def test_why_it_could_not_be_left_is_shown_until_a_key_is_pressed() -> None:
    operator: Any = SimpleNamespace(session=_paused(2), _message="", _show=lambda context: None)
    sit = PHYSPLACE_OT_linkage_sit
    sit.confirm_failed(operator, bpy.context, SceneError("Bar 0", "it leans", "straighten it"))
    sit.handle_event(operator, bpy.context, cast("View", None), event("LEFT_ARROW", "RELEASE"))
    assert "it leans" in sit.header(operator)
    sit.handle_event(operator, bpy.context, cast("View", None), event("LEFT_ARROW"))
    assert "state 1 of 2" in sit.header(operator)
