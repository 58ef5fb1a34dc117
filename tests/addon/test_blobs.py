"""Blobs as a script has them: added, pinned, sculpted, meshed, baked."""

from __future__ import annotations

from pathlib import Path

import bmesh
import bpy
import numpy as np
import pytest

from physplace_addon.operators import blob_playback
from physplace_addon.operators.blob_session import BlobSession
from physplace_addon.overlay.disks import SHARE, BlobMarks, Floaters, disks
from physplace_addon.overlay.drawing import open_drawings
from physplace_addon.scene import blob_frames
from physplace_addon.scene.blob_models import read_blob
from tests.addon.running import refused
from tests.scene import scenes


@pytest.fixture
def blob() -> bpy.types.Object:
    """Two balls side by side that flow into each other, pinned at both ends."""
    bpy.ops.physplace.blob_add(location=(-1.0, 0.0, 0.0))
    bpy.ops.physplace.blob_add(location=(1.0, 0.0, 0.0))
    bpy.ops.physplace.blob_control_add(location=(2.2, 0.0, 0.0))
    bpy.ops.physplace.blob_control_add(location=(-2.2, 0.0, 0.0))
    return bpy.data.objects["Blob"]


def off(blob: bpy.types.Object) -> float:
    """How far the surface is from its control points at most, in the blob's units."""
    bpy.context.view_layer.update()
    model = read_blob(blob)
    value, slope = model.function.gradient(np.array([seat.centre for seat in model.controls]))
    return float(np.max(np.abs(value) / np.linalg.norm(slope, axis=1)))


def test_elements_are_added_to_the_blob_of_the_active_object_or_begin_another(blob):
    assert [child.name for child in blob.children] == ["Control", "Control.001", "Sphere", "Sphere.001"]
    scenes.activate(bpy.data.objects["Sphere.001"])
    bpy.ops.physplace.blob_add(kind="cylinder", location=(0.0, 0.0, 1.0), radius=0.5)
    assert bpy.context.object.name == "Cylinder"
    assert bpy.context.object.parent == blob
    bpy.ops.physplace.blob_add(new=True, combination="union")
    assert bpy.context.object.parent.name == "Blob.001"
    scenes.activate(scenes.cube())
    bpy.ops.physplace.blob_add(kind="plane")
    assert bpy.context.object.parent.name == "Blob.002"


def test_a_new_element_has_its_size_in_the_world_and_is_where_it_is_told(blob):
    blob.scale, blob.location = (-2.0, 2.0, 2.0), (5.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    bpy.ops.physplace.blob_add(location=(1.0, 2.0, 3.0), radius=0.5)
    made = scenes.world_matrix(bpy.context.object)
    np.testing.assert_allclose(made[:3, 3], (1.0, 2.0, 3.0), atol=1e-6)
    assert np.linalg.norm(made[:3, 0]) == pytest.approx(0.5)


def test_control_points_lie_on_the_surface(blob):
    assert off(blob) < 1e-6


def test_sculpting_without_a_window_takes_the_surface_to_moved_control_points(blob):
    scenes.activate(blob)
    bpy.data.objects["Control"].location = (2.6, 0.0, 0.4)
    assert off(blob) > 0.1
    assert bpy.ops.physplace.blob_sculpt() == {"FINISHED"}
    assert off(blob) < 1e-3
    np.testing.assert_allclose(bpy.data.objects["Control"].location, (2.6, 0.0, 0.4), atol=1e-6)


def test_a_blob_is_sculpted_alike_far_from_the_origin_and_in_any_size(blob):
    scenes.activate(blob)
    for location, scale in (((1e4, -1e4, 1e4), (1.0, 1.0, 1.0)), ((0.0, 0.0, 0.0), (1e-3, -1e-3, 1e-3))):
        blob.location, blob.scale = location, scale
        bpy.data.objects["Control"].location.x += 0.2
        bpy.context.view_layer.update()
        assert bpy.ops.physplace.blob_sculpt() == {"FINISHED"}
        assert off(blob) < 1e-3


def test_an_element_in_the_artists_hands_stays_there_and_the_others_make_up_for_it(blob):
    session = BlobSession(bpy.context, blob)
    session.settle(100)
    ball = bpy.data.objects["Sphere"]
    for _ in range(8):
        ball.location.z += 0.05
        session.tick(bpy.context, 0.01)
    assert ball.location.z == pytest.approx(0.4)
    session.settle(200)
    session.write(bpy.context)
    assert off(blob) < 2e-3
    assert ball.location.z == pytest.approx(0.4)


def test_a_control_point_that_is_deleted_while_it_is_held_is_let_go_of(blob):
    session = BlobSession(bpy.context, blob)
    session.take("Control")
    session.pull("Control", np.array([3.5, 0.0, 0.0]))
    session.tick(bpy.context, 0.01)
    bpy.data.objects.remove(bpy.data.objects["Control"])
    session.tick(bpy.context, 0.01)
    assert session.held is None
    assert session.state.controls.names == ("Control.001",)
    bpy.data.objects["Control.001"].name = "Left"
    session.tick(bpy.context, 0.01)
    assert session.state.controls.names == ("Left",)


def test_a_cylinder_that_has_lost_its_other_end_is_said_until_it_is_there_again(blob):
    bpy.ops.physplace.blob_add(kind="cylinder", location=(0.0, 0.0, 1.0), radius=0.5)
    session = BlobSession(bpy.context, blob)
    end = bpy.data.objects["Cylinder End"]
    bpy.context.scene.collection.objects.unlink(end)
    bpy.context.view_layer.update()
    session.tick(bpy.context, 0.01)
    assert "other end is lost" in session.figures()
    bpy.context.scene.collection.objects.link(end)
    bpy.context.view_layer.update()
    session.tick(bpy.context, 0.01)
    assert session.problem is None


def test_a_blob_that_is_flattened_or_renamed_while_it_is_sculpted_is_waited_for_and_followed(blob):
    """A size that is typed goes through zero, as in S 0.5."""
    session = BlobSession(bpy.context, blob)
    blob.scale = (0.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    session.tick(bpy.context, 0.01)
    assert "its scale is zero" in session.figures()
    assert len(session.marks().layers()) == 2, "what was seen last is still shown"
    blob.scale, blob.name = (0.5, 0.5, 0.5), "Amoeba"
    bpy.context.view_layer.update()
    session.tick(bpy.context, 0.01)
    assert session.is_undisturbed
    assert session.figures().startswith("Amoeba: ")
    session.put_back(bpy.context)
    assert bpy.data.objects["Blob"].scale.x == 1.0


def test_the_size_of_particles_is_followed_while_a_blob_is_sculpted(blob):
    session = BlobSession(bpy.context, blob)
    for size, says in (
        (0.5, "2 control points"),
        (1e-9, '"blob.sigma" is 1e-09'),
        (0.25, "2 control points"),
    ):
        blob["blob.sigma"] = size
        session.look(bpy.context)
        session.settle(100)
        assert says in session.figures()
        if session.problem is None:
            assert session.state.floaters.radii.mean() == pytest.approx(size, rel=0.2)


def test_a_mesh_of_the_surface_is_closed_and_goes_with_the_blob(blob):
    scenes.activate(blob)
    assert bpy.ops.physplace.blob_mesh(particle_size=0.15) == {"FINISHED"}
    made = bpy.context.object
    assert made.parent == blob
    work = bmesh.new()
    work.from_mesh(made.data)
    assert all(edge.is_manifold and edge.is_contiguous for edge in work.edges)
    points = np.random.default_rng(1).uniform((-1.5, -1.5, -1.5), (3.5, 1.5, 1.5), (200_000, 3))
    inside = read_blob(blob).function.value(points) < 0.0
    assert work.calc_volume(signed=True) == pytest.approx(45.0 * inside.mean(), rel=0.02)
    work.free()


def test_particles_become_empties_or_one_mesh_of_disks_on_the_surface(blob):
    scenes.activate(blob)
    blob["blob.sigma"] = 0.25
    model = read_blob(blob)
    for kind in ("EMPTIES", "DISKS"):
        assert bpy.ops.physplace.blob_particles(made_as=kind) == {"FINISHED"}
        made = bpy.context.object
        assert made.parent == blob
        if kind == "EMPTIES":
            matrices = np.array([child.matrix_basis for child in made.children])
            places, normals = matrices[:, :3, 3], matrices[:, :3, 1]
        else:
            places = np.array([face.center for face in made.data.polygons])
            normals = np.array([face.normal for face in made.data.polygons])
        value, slope = model.function.gradient(places)
        unit = slope / np.linalg.norm(slope, axis=1)[:, None]
        assert len(places) > 100
        assert np.abs(value).max() < 1e-3
        assert np.einsum("ij,ij->i", unit, normals).min() > 0.999, kind
    shown = [each for each in bpy.context.evaluated_depsgraph_get().object_instances if each.is_instance]
    assert len(shown) == len(places)


@pytest.fixture
def keyed(blob) -> bpy.types.Object:
    """The blob with its right end keyed to move out, and one of its balls to rise and turn, on six frames."""
    scenes.activate(blob)
    control, ball = bpy.data.objects["Control"], bpy.data.objects["Sphere"]
    for frame, way in ((1, 0.0), (6, 0.5)):
        control.location.x, ball.location.z, ball.rotation_euler.x = 2.0 + way, 0.4 * way, way
        control.keyframe_insert("location", frame=frame)
        ball.keyframe_insert("location", index=2, frame=frame)
        ball.keyframe_insert("rotation_euler", frame=frame)
    blob["blob.sigma"] = 0.3
    bpy.context.scene.frame_set(1)
    return blob


def in_frames(blob: bpy.types.Object) -> np.ndarray:
    """The parameters of its surface in each of the six frames, which are played twice."""
    found = []
    for frame in (*range(1, 7), *range(1, 7)):
        bpy.context.scene.frame_set(frame)
        found.append(read_blob(blob).function.parameters)
    np.testing.assert_array_equal(found[:6], found[6:])
    return np.array(found[:6])


def test_a_bake_follows_keyed_control_points_and_is_freed_without_a_trace(keyed):
    before, actions = in_frames(keyed), set(bpy.data.actions.keys())
    assert bpy.ops.physplace.blob_bake(frame_start=1, frame_end=6) == {"FINISHED"}
    baked = in_frames(keyed)
    for frame in (1, 3, 6):
        bpy.context.scene.frame_set(frame)
        assert off(keyed) < 5e-3
    assert bpy.data.objects["Sphere"].rotation_euler.x == pytest.approx(0.5), "its other keys still count"
    assert bpy.ops.physplace.blob_bake(frame_start=1, frame_end=6) == {"FINISHED"}
    np.testing.assert_array_equal(in_frames(keyed), baked)
    assert bpy.ops.physplace.blob_free_bake() == {"FINISHED"}
    np.testing.assert_array_equal(in_frames(keyed), before)
    assert set(bpy.data.actions.keys()) == actions
    assert bpy.data.objects["Sphere.001"].animation_data is None
    assert not bpy.ops.physplace.blob_free_bake.poll()


def test_a_strip_that_is_being_tweaked_is_told_and_nothing_is_baked(keyed):
    data = bpy.data.objects["Sphere"].animation_data
    strip = data.nla_tracks.new().strips.new("Rise", 1, data.action)
    data.action, data.nla_tracks.active, strip.select = None, data.nla_tracks[0], True
    data.use_tweak_mode = True
    refused(bpy.ops.physplace.blob_bake, keyed, 'object "Sphere": one of its strips is being tweaked')


def test_a_driven_element_is_not_baked_and_may_be_frozen(keyed):
    bpy.data.objects["Sphere.001"].driver_add("location", 0).driver.expression = "frame"
    before, actions = in_frames(keyed), set(bpy.data.actions.keys())
    refused(bpy.ops.physplace.blob_bake, keyed, "a driver owns its location", frame_start=1, frame_end=6)
    assert set(bpy.data.actions.keys()) == actions
    np.testing.assert_array_equal(in_frames(keyed), before)
    bpy.data.objects["Sphere.001"]["blob.frozen"] = True
    assert bpy.ops.physplace.blob_bake(frame_start=1, frame_end=6) == {"FINISHED"}


def test_the_thinness_may_be_keyed_and_another_order_of_elements_is_refused(keyed):
    for frame, bias in ((1, 0.37), (6, 0.2)):
        keyed["blob.bias"] = bias
        keyed.keyframe_insert('["blob.bias"]', frame=frame)
    assert bpy.ops.physplace.blob_bake(frame_start=1, frame_end=6) == {"FINISHED"}
    bpy.context.scene.frame_set(6)
    assert off(keyed) < 5e-3
    bpy.ops.physplace.blob_free_bake()
    ball = bpy.data.objects["Sphere"]
    for frame in (1, 6):
        ball["blob.subtract"] = frame == 6
        ball.keyframe_insert('["blob.subtract"]', frame=frame)
    says = "made of other parts on frame 6 than on frame 1"
    refused(bpy.ops.physplace.blob_bake, keyed, says, frame_start=1, frame_end=6)


def shown_in(frame: int) -> BlobMarks | None:
    """What playback shows of the blob in a frame, as Blender's handlers and timer have it do."""
    bpy.context.scene.frame_set(frame)
    while blob_playback.playback.show(bpy.context, may_go=True) is not blob_playback.Progress.DONE:
        assert not blob_playback.playback.marks, "nothing is shown until it is solved"
    assert bpy.context.scene.frame_current == frame
    return blob_playback.playback.marks.get("Blob")


def test_playback_shows_each_frame_as_it_is_baked_and_changes_nothing(keyed):
    before = in_frames(keyed)
    shown = {frame: shown_in(frame).floaters.position for frame in range(1, 7)}
    blob_playback.playback.forget()
    for frame in (5, 1, 6, 3, 2):
        np.testing.assert_array_equal(shown_in(frame).floaters.position, shown[frame])
    solved = blob_frames.as_it_is_shown(bpy.context, keyed)
    np.testing.assert_array_equal(in_frames(keyed), before)
    bpy.ops.physplace.blob_bake(frame_start=1, frame_end=6)
    bpy.context.scene.frame_set(2)
    value, slope = read_blob(keyed).function.gradient(shown[2] - np.array(keyed.location))
    assert np.max(np.abs(value) / np.linalg.norm(slope, axis=1)) < 2e-3
    np.testing.assert_allclose(read_blob(keyed).function.parameters, solved.function.parameters, atol=1e-6)
    assert len(shown_in(2).controls) == 0, "what is baked is shown as it is"


def overlap_of(blob: bpy.types.Object) -> tuple[float, str]:
    """How deep a check says that a blob is, and what it says besides."""
    scenes.activate(blob)
    bpy.ops.physplace.check()
    report = blob["physplace_report"].to_dict()
    return report["overlap"], report["notes"]


def test_a_keyed_blob_is_placed_as_playback_shows_it_and_else_the_report_says_so(keyed):
    wall = scenes.cube(location=(2.4, 0.0, 0.0))
    shown_in(6)
    solved, notes = overlap_of(keyed)
    assert solved == pytest.approx(0.1, abs=5e-3), "its control point is 0.1 inside the wall"
    assert "keyed" not in notes
    blob_playback.playback.forget()
    as_keyed, notes = overlap_of(keyed)
    assert as_keyed > 0.4
    assert "not where its control points take them" in notes
    scenes.activate(wall)
    bpy.ops.physplace.check()
    assert "Blob: its elements are where they are keyed" in wall["physplace_report"]["notes"]


def test_what_playback_shows_goes_when_the_blob_is_hidden(keyed):
    assert shown_in(2) is not None
    keyed.hide_set(True)
    bpy.context.view_layer.update()
    assert not blob_playback.playback.marks


def test_what_playback_shows_goes_when_the_blob_is_changed_and_comes_with_the_next_frame(keyed):
    before = shown_in(5).floaters.position
    blob_playback._on_update(bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    assert blob_playback.playback.marks, "nothing was changed"
    bpy.data.objects["Sphere.001"].scale *= 1.5
    bpy.context.view_layer.update()
    assert not blob_playback.playback.marks
    assert not open_drawings()
    assert not np.array_equal(shown_in(5).floaters.position, before)
    keyed["blob.play"] = False
    assert shown_in(6) is None
    keyed["blob.play"] = True
    bpy.context.scene.frame_set(5, subframe=0.5)
    assert blob_playback.playback.show(bpy.context, may_go=True) is blob_playback.Progress.DONE
    assert not blob_playback.playback.marks, "between frames nothing is solved"
    keyed["blob.bias"] = -1.0
    bpy.context.view_layer.update()
    assert shown_in(5) is None
    assert '"blob.bias" is -1' in blob_playback.playback.problem


def test_what_has_no_meaning_is_refused_and_nothing_is_changed(blob):
    scenes.activate(None)
    assert not bpy.ops.physplace.blob_sculpt.poll()
    scenes.activate(scenes.cube())
    assert not bpy.ops.physplace.blob_mesh.poll()
    blob["blob"] = "heap"
    for operator in (bpy.ops.physplace.blob_sculpt, bpy.ops.physplace.blob_mesh, bpy.ops.physplace.blob_bake):
        refused(operator, blob, r'object "Blob": its property "blob" is \'heap\'')
    refused(bpy.ops.physplace.blob_control_add, blob, "heap", location=(0.0, 0.0, 1.0))
    blob["blob"], blob["blob.sigma"] = "sum", 1e-6
    refused(bpy.ops.physplace.blob_sculpt, blob, '"blob.sigma" is 1e-06')
    refused(bpy.ops.physplace.blob_mesh, blob, '"blob.sigma" is 1e-06')
    refused(bpy.ops.physplace.blob_bake, blob, "the last frame is 1", frame_start=5, frame_end=1)


def test_a_blob_without_elements_is_said_to_have_none(blob):
    for obj in [child for child in blob.children if "blob.element" in child]:
        bpy.data.objects.remove(obj)
    says = r'object "Blob": it has no elements, .*"blob.element"; add one \(Add Blob'
    ops = bpy.ops.physplace
    for operator in (ops.place, ops.check, ops.blob_sculpt, ops.blob_mesh, ops.blob_bake, ops.blob_particles):
        refused(operator, blob, says)
    refused(ops.blob_control_add, blob, says, location=(0.0, 0.0, 1.0))
    scenes.activate(blob)
    bpy.ops.physplace.blob_add(location=(0.0, 0.0, 1.0))
    assert ops.check() == {"FINISHED"}


def test_a_surface_without_end_gives_no_mesh(blob):
    bpy.ops.physplace.blob_add(new=True, kind="plane", combination="union")
    refused(bpy.ops.physplace.blob_mesh, bpy.context.object.parent, "the surface is infinite")


def test_a_saved_file_has_the_blob(blob, tmp_path: Path):
    before = read_blob(blob).function.parameters
    path = str(tmp_path / "blob.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    again = read_blob(bpy.data.objects["Blob"])
    np.testing.assert_array_equal(again.function.parameters, before)
    assert len(again.controls) == 2


def test_a_blob_is_placed_by_its_exact_surface():
    """A ball of a sum is a ball: it lies on the floor at its radius, whichever of its parts is active."""
    scenes.floor()
    bpy.ops.physplace.blob_add(location=(0.0, 0.0, 2.0), radius=0.7)
    bpy.ops.physplace.blob_mesh(particle_size=0.2)
    scenes.activate(bpy.data.objects["Sphere"])
    assert bpy.ops.physplace.place() == {"FINISHED"}
    report = bpy.data.objects["Blob"]["physplace_report"].to_dict()
    assert report["status"] == "BALANCED"
    assert scenes.world_matrix(bpy.data.objects["Sphere"])[2, 3] == pytest.approx(0.7, abs=1e-5)


def test_a_sharp_edge_is_refused_with_the_property_that_rounds_it():
    scenes.floor()
    bpy.ops.physplace.blob_add(location=(0.0, 0.0, 3.0), combination="difference")
    bpy.ops.physplace.blob_add(location=(0.0, 0.0, 3.8), radius=0.6, subtract=True)
    bowl = bpy.context.object.parent
    refused(bpy.ops.physplace.place, bowl, r'object "Blob": .* sharp edge near .*; raise "blob.smooth"')


def test_disks_stay_tangent_to_a_surface_that_is_stretched_and_mirrored():
    rng = np.random.default_rng(4)
    normal = rng.normal(size=(300, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    normal[0], normal[1] = (0.0, 0.0, -1.0), (0.0, 0.0, 1.0)
    affine = np.diag([-2.0, 1.0, 0.5, 1.0])
    affine[:3, 3] = (1.0, 2.0, 3.0)
    moved = Floaters(normal, normal, np.full(300, 0.2)).moved(affine)
    corners, triangles = disks(moved)
    rim = corners.reshape(300, -1, 3) - moved.position[:, None]
    np.testing.assert_allclose(np.einsum("nsi,ni->ns", rim, moved.normal), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(rim, axis=2), SHARE * 0.2, rtol=1e-12)
    on = (moved.position - affine[:3, 3]) / np.diag(affine)[:3] ** 2
    np.testing.assert_allclose(moved.normal, on / np.linalg.norm(on, axis=1)[:, None], atol=1e-12)
    turn = np.cross(*(corners[triangles[:, k]] - corners[triangles[:, 0]] for k in (1, 2)))
    assert np.all(np.einsum("ti,ti->t", turn, np.repeat(moved.normal, len(triangles) // 300, axis=0)) > 0.0)
