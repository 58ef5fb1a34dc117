"""Blobs that are keyed: baked, shown while they are played, and placed as they are shown."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from physplace_addon.operators.blobs import playback
from physplace_addon.overlay.disks import BlobMarks
from physplace_addon.overlay.drawing import open_drawings
from physplace_addon.overlay.layers import Primitive
from physplace_addon.scene.access import custom_properties, present
from physplace_addon.scene.blobs import baking, frames
from physplace_addon.scene.blobs.models import read_blob
from tests.addon.blobs.two_balls import off
from tests.addon.running import refused
from tests.blender_data import animation_of, current_scene, current_view_layer, drive, physplace
from tests.scene import scenes


@pytest.fixture
def keyed(blob: bpy.types.Object) -> bpy.types.Object:
    """The blob with its right end keyed to move out, and one of its balls to rise and turn, on six frames."""
    scenes.activate(blob)
    control, ball = bpy.data.objects["Control"], bpy.data.objects["Sphere"]
    for frame, way in ((1, 0.0), (6, 0.5)):
        control.location.x, ball.location.z, ball.rotation_euler.x = 2.0 + way, 0.4 * way, way
        control.keyframe_insert("location", frame=frame)
        ball.keyframe_insert("location", index=2, frame=frame)
        ball.keyframe_insert("rotation_euler", frame=frame)
    blob["blob.sigma"] = 0.3
    current_scene().frame_set(1)
    return blob


def key_property(obj: bpy.types.Object, name: str, values: dict[int, float]) -> None:
    """Key a custom property, by its values in frames."""
    for frame, value in values.items():
        obj[name] = value
        obj.keyframe_insert(f'["{name}"]', frame=frame)


def in_frames(blob: bpy.types.Object) -> np.ndarray:
    """The parameters of its surface in each of the six frames, which are played twice."""
    found = []
    for frame in (*range(1, 7), *range(1, 7)):
        current_scene().frame_set(frame)
        found.append(read_blob(blob).function.parameters)
    np.testing.assert_array_equal(found[:6], found[6:])
    return np.array(found[:6])


def test_a_bake_follows_keyed_control_points_and_is_freed_without_a_trace(keyed: bpy.types.Object) -> None:
    before, actions = in_frames(keyed), set(bpy.data.actions.keys())
    assert physplace.blob_bake(frame_start=1, frame_end=6) == {"FINISHED"}
    baked = in_frames(keyed)
    for frame in (1, 3, 6):
        current_scene().frame_set(frame)
        assert off(keyed) < 5e-3
    assert bpy.data.objects["Sphere"].rotation_euler.x == pytest.approx(0.5), "its other keys still count"
    assert physplace.blob_bake(frame_start=1, frame_end=6) == {"FINISHED"}
    np.testing.assert_array_equal(in_frames(keyed), baked)
    assert physplace.blob_free_bake() == {"FINISHED"}
    np.testing.assert_array_equal(in_frames(keyed), before)
    assert set(bpy.data.actions.keys()) == actions
    assert bpy.data.objects["Sphere.001"].animation_data is None
    assert not physplace.blob_free_bake.poll()


def test_a_strip_that_is_being_tweaked_is_told_and_nothing_is_baked(keyed: bpy.types.Object) -> None:
    data = animation_of(bpy.data.objects["Sphere"])
    strip = data.nla_tracks.new().strips.new("Rise", 1, present(data.action))
    data.action, data.nla_tracks.active, strip.select = None, data.nla_tracks[0], True
    data.use_tweak_mode = True
    refused(physplace.blob_bake, keyed, 'object "Sphere": one of its strips is being tweaked')


def test_a_driven_element_is_not_baked_and_may_be_frozen(keyed: bpy.types.Object) -> None:
    drive(bpy.data.objects["Sphere.001"], "location", "frame", 0)
    before, actions = in_frames(keyed), set(bpy.data.actions.keys())
    refused(physplace.blob_bake, keyed, "a driver owns its location", frame_start=1, frame_end=6)
    assert set(bpy.data.actions.keys()) == actions
    np.testing.assert_array_equal(in_frames(keyed), before)
    bpy.data.objects["Sphere.001"]["blob.frozen"] = True
    assert physplace.blob_bake(frame_start=1, frame_end=6) == {"FINISHED"}


def test_a_bake_that_fails_leaves_the_one_before_it(keyed: bpy.types.Object) -> None:
    before = in_frames(keyed)
    assert physplace.blob_bake(frame_start=1, frame_end=6) == {"FINISHED"}
    baked, actions = in_frames(keyed), set(bpy.data.actions.keys())
    drive(bpy.data.objects["Sphere.001"], "location", "frame", 0)
    refused(physplace.blob_bake, keyed, "a driver owns its location", frame_start=1, frame_end=6)
    bpy.data.objects["Sphere.001"].driver_remove("location", 0)
    assert set(bpy.data.actions.keys()) == actions
    np.testing.assert_array_equal(in_frames(keyed), baked)
    assert physplace.blob_free_bake() == {"FINISHED"}
    np.testing.assert_array_equal(in_frames(keyed), before)


def test_a_bake_that_is_interrupted_half_way_leaves_the_one_before_it(
    keyed: bpy.types.Object, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert physplace.blob_bake(frame_start=1, frame_end=6) == {"FINISHED"}
    baked, actions = in_frames(keyed), set(bpy.data.actions.keys())

    def interrupted(_obj: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(baking, "_finish", interrupted)
    with pytest.raises(KeyboardInterrupt):
        baking.bake(bpy.context, keyed, 1, 6)
    assert set(bpy.data.actions.keys()) == actions
    np.testing.assert_array_equal(in_frames(keyed), baked)


def test_a_baked_element_may_have_a_linked_duplicate(keyed: bpy.types.Object) -> None:
    assert physplace.blob_bake(frame_start=1, frame_end=6) == {"FINISHED"}
    for obj in bpy.data.objects:
        obj.select_set(obj.name == "Sphere")
    bpy.ops.object.duplicate(linked=True)
    scenes.activate(keyed)
    assert physplace.blob_bake(frame_start=1, frame_end=6) == {"FINISHED"}
    assert physplace.blob_free_bake() == {"FINISHED"}
    assert not any("physplace_unbaked" in custom_properties(obj) for obj in bpy.data.objects)
    assert not [action for action in bpy.data.actions if "Baked" in action.name]


def test_a_property_that_an_element_lacks_is_gone_again_with_the_bake(keyed: bpy.types.Object) -> None:
    ball = bpy.data.objects["Sphere.001"]
    ball["blob.element"] = "quadric"
    for name, value in {"blob.xx": 1.0, "blob.yy": 1.0, "blob.zz": 1.0, "blob.one": -1.0}.items():
        ball[name] = value
    before = {name for name, _ in custom_properties(ball).items()}
    scenes.activate(keyed)
    assert physplace.blob_bake(frame_start=1, frame_end=3) == {"FINISHED"}
    assert {name for name, _ in custom_properties(ball).items()} - before > {"physplace_unbaked"}
    assert physplace.blob_free_bake() == {"FINISHED"}
    assert {name for name, _ in custom_properties(ball).items()} == before


def test_what_was_moved_without_a_key_stays_where_it_is(keyed: bpy.types.Object) -> None:
    cube = scenes.cube("Cube")
    cube.keyframe_insert("location", frame=1)
    cube.location.y = 0.25
    scenes.activate(keyed)
    assert physplace.blob_bake(frame_start=1, frame_end=6) == {"FINISHED"}
    assert cube.location.y == 0.25
    assert physplace.blob_free_bake() == {"FINISHED"}
    assert cube.location.y == 0.25


def test_the_thinness_may_be_keyed_and_another_order_of_elements_is_refused(keyed: bpy.types.Object) -> None:
    key_property(keyed, "blob.bias", {1: 0.37, 6: 0.2})
    assert physplace.blob_bake(frame_start=1, frame_end=6) == {"FINISHED"}
    current_scene().frame_set(6)
    assert off(keyed) < 5e-3
    physplace.blob_free_bake()
    ball = bpy.data.objects["Sphere"]
    key_property(ball, "blob.subtract", {1: False, 6: True})
    says = "made of other parts on frame 6 than on frame 1"
    refused(physplace.blob_bake, keyed, says, frame_start=1, frame_end=6)


def shown_in(frame: int) -> BlobMarks | None:
    """What playback shows of the blob in a frame, as Blender's handlers and timer have it do."""
    current_scene().frame_set(frame)
    while playback.playback.show(bpy.context, may_go=True) is not playback.Progress.DONE:
        assert not playback.playback.marks, "nothing is shown until it is solved"
    assert current_scene().frame_current == frame
    return playback.playback.marks.get("Blob")


def test_playback_shows_each_frame_as_it_is_baked_and_changes_nothing(keyed: bpy.types.Object) -> None:
    before = in_frames(keyed)
    shown = {frame: present(shown_in(frame)).floaters.position for frame in range(1, 7)}
    playback.playback.forget()
    for frame in (5, 1, 6, 3, 2):
        np.testing.assert_array_equal(present(shown_in(frame)).floaters.position, shown[frame])
    solved = frames.solved_model(bpy.context, keyed)
    np.testing.assert_array_equal(in_frames(keyed), before)
    physplace.blob_bake(frame_start=1, frame_end=6)
    current_scene().frame_set(2)
    value, slope = read_blob(keyed).function.gradient(shown[2] - np.array(keyed.location))
    assert np.max(np.abs(value) / np.linalg.norm(slope, axis=1)) < 2e-3
    np.testing.assert_allclose(read_blob(keyed).function.parameters, solved.function.parameters, atol=1e-6)
    assert len(present(shown_in(2)).controls) == 0, "what is baked is shown as it is"


def test_playback_shows_disks_only_where_no_live_mesh_shows_the_surface(keyed: bpy.types.Object) -> None:
    def primitives() -> list[Primitive]:
        return [layer.primitive for drawing in open_drawings() for layer in drawing.layers]

    shown_in(3)
    assert set(primitives()) == {Primitive.POINTS}, "the control points alone"
    keyed["blob.live"] = False
    current_view_layer().update()
    shown_in(4)
    assert set(primitives()) == {Primitive.POINTS, Primitive.TRIANGLES}


def overlap_of(blob: bpy.types.Object) -> tuple[float, str]:
    """How deep a check says that a blob is, and what it says besides."""
    scenes.activate(blob)
    physplace.check()
    report = blob["physplace_report"].to_dict()
    return report["overlap"], "; ".join(report["notes"])


@pytest.mark.slow
def test_a_keyed_blob_is_placed_as_playback_shows_it_and_else_the_report_says_so(
    keyed: bpy.types.Object,
) -> None:
    wall = scenes.cube(location=(2.4, 0.0, 0.0))
    shown_in(6)
    solved, notes = overlap_of(keyed)
    assert solved == pytest.approx(0.1, abs=5e-3), "its control point is 0.1 inside the wall"
    assert "keyed" not in notes
    playback.playback.forget()
    as_keyed, notes = overlap_of(keyed)
    assert as_keyed > 0.4
    assert "not where its control points take them" in notes
    scenes.activate(wall)
    physplace.check()
    assert "Blob: its elements are where they are keyed" in "; ".join(wall["physplace_report"]["notes"])


def test_what_playback_shows_goes_when_the_blob_is_hidden(keyed: bpy.types.Object) -> None:
    assert shown_in(2) is not None
    keyed.hide_set(True)
    current_view_layer().update()
    assert not playback.playback.marks


def test_what_playback_shows_goes_when_the_blob_is_changed_and_comes_with_the_next_frame(
    keyed: bpy.types.Object,
) -> None:
    before = present(shown_in(5)).floaters.position
    playback._on_update(current_scene(), bpy.context.evaluated_depsgraph_get())
    assert playback.playback.marks, "nothing was changed"
    bpy.data.objects["Sphere.001"].scale *= 1.5
    current_view_layer().update()
    assert not playback.playback.marks
    assert not open_drawings()
    assert not np.array_equal(present(shown_in(5)).floaters.position, before)
    keyed["blob.play"] = False
    assert shown_in(6) is None
    keyed["blob.play"] = True
    current_scene().frame_set(5, subframe=0.5)
    assert playback.playback.show(bpy.context, may_go=True) is playback.Progress.DONE
    assert not playback.playback.marks, "between frames nothing is solved"
    keyed["blob.bias"] = -1.0
    current_view_layer().update()
    assert shown_in(5) is None
    assert '"blob.bias" is -1' in playback.playback.problem


def test_a_weight_may_be_keyed_whichever_element_has_it(blob: bpy.types.Object) -> None:
    physplace.blob_add(location=(0.0, 0.0, 0.0))
    blob["blob.sigma"] = 0.3
    scenes.activate(blob)
    for ball in [child for child in blob.children if "blob.element" in custom_properties(child)]:
        key_property(ball, "blob.weight", {1: 1.0, 3: 1.5})
        assert physplace.blob_bake(frame_start=1, frame_end=3) == {"FINISHED"}
        current_scene().frame_set(3)
        assert off(blob) < 5e-3
        physplace.blob_free_bake()
        ball.animation_data_clear()
        ball["blob.weight"] = 1.0
