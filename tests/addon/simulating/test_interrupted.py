"""What an artist changes while something is simulated: it waits, says so, and no frame is lost."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import bpy
import pytest

from physplace_addon.core.jobs import finished
from physplace_addon.operators.simulating import simulate
from physplace_addon.operators.simulating.session import SimulationSession
from physplace_addon.scene.changes import own_changes
from physplace_addon.scene.errors import SceneError
from tests.blender_data import current_view_layer
from tests.scene import scenes
from tests.scene.dynamics.rigid_scenes import key, select

SECONDS = 0.05  # the time budget of a tick


def _session() -> SimulationSession:
    scenes.floor()
    cube = scenes.cube("Cube", (0.0, 0.0, 3.0))
    select(cube)
    with own_changes(bpy.context):  # as a modal operator works
        return finished(SimulationSession.beginning(bpy.context, 8))


def _difference(session: SimulationSession) -> str | None:
    return session.difference(bpy.context, is_next=True)


def _show(session: SimulationSession) -> None:
    with own_changes(bpy.context):
        session.show(bpy.context)


def _show_next(session: SimulationSession) -> None:
    with own_changes(bpy.context):
        session.show_next(bpy.context)


def _delete_floor() -> None:
    bpy.data.objects.remove(bpy.data.objects["Floor"])


def _hide_floor() -> None:
    bpy.data.objects["Floor"].hide_set(True)


def _move_floor() -> None:
    bpy.data.objects["Floor"].location.z -= 1.0


@pytest.mark.parametrize("change", [_delete_floor, _hide_floor, _move_floor])
def test_what_something_else_changes_is_said_once_and_counts_from_there_on(
    change: Callable[[], None],
) -> None:
    session = _session()
    while len(session.run.frames) < 3:
        if session.tick(SECONDS):
            assert _difference(session) is None, "its own changes do not count"
            _show_next(session)
    change()
    current_view_layer().update()
    difference = _difference(session)
    assert difference is not None
    assert difference.startswith('"Floor"')
    session.pause()
    kept = len(session.run.frames)
    finished(session.going_on(bpy.context))
    assert session.has_changed
    assert len(session.run.frames) == kept, "no frame is lost"
    assert _difference(session) is None


def test_what_changes_while_it_is_read_is_said_once_it_runs() -> None:
    scenes.floor()
    select(scenes.cube("Cube", (0.0, 0.0, 3.0)))
    beginning = SimulationSession.beginning(bpy.context, 8)
    next(beginning)
    _move_floor()
    current_view_layer().update()
    session = finished(beginning)
    assert _difference(session) == '"Floor" changed meanwhile'


def test_what_changes_while_it_is_read_again_is_said_once_it_goes_on() -> None:
    session = _session()
    session.pause()
    _move_floor()
    going_on = session.going_on(bpy.context)
    next(going_on)
    bpy.data.objects["Floor"].location.z += 1.0
    current_view_layer().update()
    finished(going_on)
    assert _difference(session) == '"Floor" changed meanwhile'


def test_showing_the_same_frame_again_forgets_nothing() -> None:
    session = _session()
    _show(session)
    _delete_floor()
    _show(session)
    assert _difference(session) == '"Floor" came into view or went out of it'


def test_renaming_and_what_is_animated_change_nothing() -> None:
    lamp = scenes.cube("Lamp", (9.0, 0.0, 9.0))
    lamp.hide_viewport = True
    lamp.keyframe_insert("hide_viewport", frame=4)
    lamp.hide_viewport = False
    lamp.keyframe_insert("hide_viewport", frame=1)
    key(lamp, 1, (9.0, 0.0, 9.0))
    key(lamp, 9, (9.0, 0.0, 4.0))
    session = _session()
    bpy.data.objects["Floor"].name = "Ground"
    while session.run.is_running:
        if session.tick(SECONDS):
            assert _difference(session) is None
            _show_next(session)
    assert not lamp.visible_get()


def test_a_scale_that_is_mirrored_meanwhile_is_named_where_its_motion_is_keyed() -> None:
    session = _session()
    while session.run.is_running:
        session.tick(SECONDS)
    cube = bpy.data.objects["Cube"]
    cube.scale.x = -1.0
    with pytest.raises(SceneError, match='"Cube": its scale is not what it was') as found:
        session.write(bpy.context)
    assert "driver" not in str(found.value)
    assert cube.animation_data is None
    assert cube.location.to_tuple() == (0.0, 0.0, 3.0)
    cube.scale.x = 1.0
    session.show_again(bpy.context)
    assert "frames 1 to 9" in session.write(bpy.context).text


def test_a_scene_that_was_changed_is_an_undo_step_only_where_its_motion_is_keyed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session, pushed = _session(), list[str]()
    session.pause()
    _move_floor()
    finished(session.going_on(bpy.context))
    while session.run.is_running:
        session.tick(SECONDS)
    cube = bpy.data.objects["Cube"]

    def push(message: str) -> None:
        assert cube.animation_data is None, "undo leaves the scene without the keys"
        assert cube.location.to_tuple() == (0.0, 0.0, 3.0)
        pushed.append(message)

    undo = SimpleNamespace(ops=SimpleNamespace(ed=SimpleNamespace(undo_push=push)))
    monkeypatch.setattr(simulate, "bpy", undo)
    operator: Any = SimpleNamespace(session=session, frames=0)
    cube.scale.x = -1.0
    for _ in range(2):
        with pytest.raises(SceneError, match="its scale is not what it was"):
            simulate.PHYSPLACE_OT_simulate.confirm(operator, bpy.context)
        session.show_again(bpy.context)
    assert pushed == []
    cube.scale.x = 1.0
    conclusion = simulate.PHYSPLACE_OT_simulate.confirm(operator, bpy.context)
    assert "frames 1 to 9" in conclusion.text
    assert pushed == ["Change Scene"]
