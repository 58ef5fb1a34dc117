"""The live check follows the active object.

Without a window its timer does not run: the tests look instead.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest

import physplace_addon
from physplace_addon.operators.placing import live_check
from physplace_addon.overlay.drawing import Drawing, open_drawings
from physplace_addon.scene.reading import scenario, watch
from physplace_addon.scene.reading.subjects.options import PlacementOptions
from tests.blender_data import (
    active_object,
    current_view_layer,
    mesh_of,
    physplace,
    scene_settings,
    switches,
    window_manager,
)
from tests.scene import scenes

HANDLERS = ("depsgraph_update_post", "frame_change_post", "undo_post", "redo_post", "load_pre")


def switch(on: bool) -> None:
    switches().live_check = on


def looked() -> live_check.LiveCheck:
    """The live check after it has looked at the scene as it is now."""
    current_view_layer().update()
    live_check._check()
    live = live_check.running()
    assert live is not None
    return live


def handlers() -> list[object]:
    """What the live check has among Blender's handlers."""
    lists = [getattr(bpy.app.handlers, name) for name in HANDLERS]
    return [handler for each in lists for handler in each if handler.__module__ == live_check.__name__]


@pytest.fixture
def cube() -> bpy.types.Object:
    """A cube of side 2 that stands on a floor, and is the active object, under the live check."""
    scenes.floor()
    obj = scenes.cube(location=(0.0, 0.0, 1.0))
    scenes.activate(obj)
    switch(True)
    return obj


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the objects around which the scene was read."""
    names: list[str] = []
    read = scenario.read

    def noted(
        context: bpy.types.Context, movers: list[bpy.types.Object], *options: PlacementOptions
    ) -> object:
        names.append(movers[0].name)
        return read(context, movers, *options)

    monkeypatch.setattr(watch, "read", noted)
    return names


def test_it_tells_contacts_overlap_and_nothing_as_the_object_is_moved(cube: bpy.types.Object) -> None:
    live = looked()
    assert live.line.startswith("No overlap, ")
    assert len(live.marks.contacts) >= 4
    assert live.marks.supports[0].carries
    cube.location.z = 0.75
    assert looked().line.startswith("Overlaps by 25 cm")
    assert len(live.marks.collisions) > 0
    cube.location.z = 5.0
    assert looked().line == "No overlap, 0 contacts"
    assert len(live.marks.contacts) == 0


@pytest.mark.slow
def test_it_follows_a_blob_whose_elements_are_moved(cube: bpy.types.Object) -> None:
    physplace.blob_add(new=True, location=(0.0, 0.0, 3.5), radius=1.0)
    scenes.activate(bpy.data.objects["Sphere"])
    assert looked().line == "No overlap, 0 contacts"
    bpy.data.objects["Sphere"].location.z = -0.75
    assert looked().line.startswith("Overlaps by")


def test_it_reads_the_scene_once_while_only_the_object_moves(
    cube: bpy.types.Object, readings: list[str]
) -> None:
    child = scenes.cube("Child", (4.0, 0.3, 0.7))
    child.parent = cube
    looked()
    for place, turn in zip(np.random.default_rng(1).normal(size=(20, 3)), range(20), strict=True):
        cube.location = place.tolist()
        cube.rotation_euler = (0.1 * turn, 0.2 * turn, -0.3 * turn)
        looked()
    assert readings == ["Cube"]


def test_it_reads_again_what_has_changed(cube: bpy.types.Object, readings: list[str]) -> None:
    other = scenes.cube("Other", (1.5, 0.0, 1.0))
    child = scenes.cube("Child", (0.0, 0.0, 9.0))
    child.parent = cube
    ball = scenes.surface("Ball", "sphere", (0.0, 9.0, 0.0), radius=1.0)
    looked()
    changes: list[Callable[[], object]] = [
        lambda: setattr(other, "location", (5.0, 0.0, 1.0)),
        lambda: setattr(child, "location", (0.0, 0.0, 8.0)),
        lambda: setattr(cube, "scale", (2.0, 1.0, 1.0)),
        lambda: ball.__setitem__("surface.radius", 2.0),
        lambda: other.hide_set(True),
        lambda: bpy.data.objects.remove(child),
        lambda: scenes.activate(ball),
    ]
    for count, change in enumerate(changes, start=2):
        change()
        ball.update_tag()
        looked()
        assert len(readings) == count
    assert readings[-1] == "Ball"


def test_it_sees_what_it_is_moved_to_from_far_away(cube: bpy.types.Object) -> None:
    scenes.cube("Far", (8.0, 0.0, 1.0))
    assert "No overlap" in looked().line
    cube.location.x = 7.0
    assert "Overlaps" in looked().line


def test_it_sees_a_mesh_that_was_edited(cube: bpy.types.Object) -> None:
    looked()
    for vertex in mesh_of(cube).vertices:
        vertex.co.z *= 1.5
    mesh_of(cube).update()
    assert looked().line.startswith("Overlaps by 50 cm")


def test_it_says_why_there_is_nothing_to_see(cube: bpy.types.Object) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    assert "Object Mode" in looked().line
    bpy.ops.object.mode_set(mode="OBJECT")
    cube.hide_set(True)
    assert looked().line == '"Cube" is hidden'
    cube.hide_set(False)
    assert len(looked().marks.contacts) >= 4
    bpy.data.objects.remove(cube)
    live = looked()
    assert "no active object" in live.line
    assert len(live.marks.contacts) == 0
    scenes.activate(scenes.linked(bpy.data.objects.new("Empty", None)))
    assert "no faces" in looked().line


def test_an_object_inside_another_is_said_to_be(cube: bpy.types.Object) -> None:
    cube.location.z = 9.0
    scenes.cube("Around", (0.0, 0.0, 9.0)).scale = (2.0, 2.0, 2.0)
    assert looked().line.startswith("Wholly inside")


def test_a_change_of_the_scene_calls_for_one_look(cube: bpy.types.Object) -> None:
    looked()
    bpy.app.timers.unregister(live_check._check)
    cube.location.z = 2.0
    current_view_layer().update()
    assert bpy.app.timers.is_registered(live_check._check)


def test_while_another_tool_draws_it_shows_nothing(cube: bpy.types.Object) -> None:
    other = Drawing()
    assert len(looked().marks.contacts) == 0
    other.close()
    assert len(looked().marks.contacts) >= 4


def test_switched_off_it_leaves_nothing_behind(cube: bpy.types.Object) -> None:
    looked()
    switch(True)  # on already
    assert len(open_drawings()) == 1
    assert len(handlers()) == len(HANDLERS)
    switch(False)
    switch(False)
    assert open_drawings() == ()
    assert handlers() == []
    assert not bpy.app.timers.is_registered(live_check._check)
    assert not switches().live_check


def test_it_ends_with_the_file(cube: bpy.types.Object, tmp_path: Path) -> None:
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    looked()
    bpy.ops.wm.open_mainfile(filepath=path)
    assert open_drawings() == ()
    assert not switches().live_check
    assert handlers() == []


def test_it_ends_with_the_extension(cube: bpy.types.Object) -> None:
    looked()
    physplace_addon.unregister()
    assert open_drawings() == ()
    assert handlers() == []
    assert not hasattr(window_manager(), "physplace")
    physplace_addon.register()


def test_it_goes_on_after_undo(cube: bpy.types.Object) -> None:
    bpy.ops.ed.undo_push(message="before")
    cube.location.z = 0.75
    bpy.ops.ed.undo_push(message="moved")
    assert looked().line.startswith("Overlaps")
    bpy.ops.ed.undo()
    assert looked().line.startswith("No overlap")


def test_a_drawing_that_failed_switches_it_off(cube: bpy.types.Object) -> None:
    looked()
    open_drawings()[0].close()
    live_check._check()
    assert live_check.running() is None


def test_it_sees_smooth_faces_curved_as_soon_as_that_is_asked_for() -> None:
    scenes.floor()
    bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=8, location=(0.0, 0.0, 0.99))
    ball = active_object()
    mesh_of(ball).shade_smooth()
    ball.rotation_euler = (np.pi / 16, 0.0, 0.0)
    switch(True)
    assert looked().line.startswith("No overlap")
    scene_settings().curve_smooth = True
    assert looked().line.startswith("Overlaps by")
    ball["physplace_faceted"] = 1
    assert looked().line.startswith("No overlap")
