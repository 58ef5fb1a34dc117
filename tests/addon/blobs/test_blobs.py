"""Blobs as a script has them: added, pinned, sculpted, meshed, placed."""

from __future__ import annotations

from pathlib import Path

import bmesh
import bpy
import numpy as np
import pytest

from physplace_addon.core.implicit.control.state import SculptStatus
from physplace_addon.operators.blobs.session import BlobSession
from physplace_addon.overlay.disks import SHARE, FloaterDisks, disks
from physplace_addon.scene.access import custom_properties, present
from physplace_addon.scene.blobs.models import read_blob
from physplace_addon.scene.blobs.objects import surface_of
from tests.addon.blobs.two_balls import off
from tests.addon.running import refused
from tests.blender_data import active_object, current_view_layer, mesh_of, physplace
from tests.scene import scenes


def test_elements_are_added_to_the_blob_of_the_active_object_or_begin_another(blob: bpy.types.Object) -> None:
    assert [child.name for child in blob.children] == ["Control", "Control.001", "Sphere", "Sphere.001"]
    scenes.activate(bpy.data.objects["Sphere.001"])
    physplace.blob_add(kind="cylinder", location=(0.0, 0.0, 1.0), radius=0.5)
    assert active_object().name == "Cylinder"
    assert active_object().parent == blob
    physplace.blob_add(new=True, combination="union")
    assert present(active_object().parent).name == "Blob.001"
    scenes.activate(scenes.cube())
    physplace.blob_add(kind="plane")
    assert present(active_object().parent).name == "Blob.002"


def test_a_new_element_has_its_size_in_the_world_and_is_where_it_is_told(blob: bpy.types.Object) -> None:
    blob.scale, blob.location = (-2.0, 2.0, 2.0), (5.0, 0.0, 0.0)
    current_view_layer().update()
    physplace.blob_add(location=(1.0, 2.0, 3.0), radius=0.5)
    made = scenes.world_matrix(active_object())
    np.testing.assert_allclose(made[:3, 3], (1.0, 2.0, 3.0), atol=1e-6)
    assert np.linalg.norm(made[:3, 0]) == pytest.approx(0.5)


def test_control_points_lie_on_the_surface(blob: bpy.types.Object) -> None:
    assert off(blob) < 1e-6


def test_sculpting_without_a_window_takes_the_surface_to_moved_control_points(blob: bpy.types.Object) -> None:
    scenes.activate(blob)
    bpy.data.objects["Control"].location = (2.6, 0.0, 0.4)
    assert off(blob) > 0.1
    assert physplace.blob_sculpt() == {"FINISHED"}
    assert off(blob) < 1e-3
    np.testing.assert_allclose(np.array(bpy.data.objects["Control"].location), (2.6, 0.0, 0.4), atol=1e-6)


def test_a_blob_is_sculpted_alike_far_from_the_origin_and_in_any_size(blob: bpy.types.Object) -> None:
    scenes.activate(blob)
    for location, scale in (((1e4, -1e4, 1e4), (1.0, 1.0, 1.0)), ((0.0, 0.0, 0.0), (1e-3, -1e-3, 1e-3))):
        blob.location, blob.scale = location, scale
        bpy.data.objects["Control"].location.x += 0.2
        current_view_layer().update()
        assert physplace.blob_sculpt() == {"FINISHED"}
        assert off(blob) < 1e-3


def test_an_element_in_the_artists_hands_stays_there_and_the_others_make_up_for_it(
    blob: bpy.types.Object,
) -> None:
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


@pytest.mark.parametrize("changed", ["nothing", "moved", "added"])
def test_a_drag_is_taken_back_and_what_was_changed_meanwhile_stays(
    blob: bpy.types.Object, changed: str
) -> None:
    session = BlobSession(bpy.context, blob)
    session.settle(100)
    session.write(bpy.context)
    objects = [bpy.data.objects[name] for name in ("Control", "Control.001", "Sphere.001", "Sphere")]
    before = [(np.array(obj.location), np.array(obj.scale)) for obj in objects]
    session.begin_drag("Control")
    session.pull("Control", np.array([3.0, 0.4, 0.0]))
    for tick in range(30):
        if tick == 25 and changed == "moved":
            objects[-1].location.z += 0.1
        if tick == 25 and changed == "added":
            physplace.blob_control_add(location=(-1.0, 0.0, 1.2))
        session.tick(bpy.context, 0.01)
    assert np.abs(np.array(objects[2].location) - before[2][0]).max() > 0.05
    if changed == "moved":
        before[-1] = np.array(objects[-1].location), np.array(objects[-1].scale)
    session.cancel_drag(bpy.context)
    session.write(bpy.context)
    for obj, (place, size) in zip(objects, before, strict=True):
        np.testing.assert_allclose(np.array(obj.location), place, atol=1e-6)
        np.testing.assert_allclose(np.array(obj.scale), size, atol=1e-6)
    assert ("Control.002" in bpy.data.objects) == (changed == "added")


def test_a_control_point_that_is_deleted_while_it_is_dragged_is_released(blob: bpy.types.Object) -> None:
    session = BlobSession(bpy.context, blob)
    session.begin_drag("Control")
    session.pull("Control", np.array([3.5, 0.0, 0.0]))
    session.tick(bpy.context, 0.01)
    bpy.data.objects.remove(bpy.data.objects["Control"])
    session.tick(bpy.context, 0.01)
    assert session.dragged is None
    assert session.state.controls.names == ("Control.001",)
    bpy.data.objects["Control.001"].name = "Left"
    session.tick(bpy.context, 0.01)
    assert session.state.controls.names == ("Left",)


def test_a_cylinder_that_has_lost_its_other_end_is_said_until_it_is_there_again(
    blob: bpy.types.Object,
) -> None:
    physplace.blob_add(kind="cylinder", location=(0.0, 0.0, 1.0), radius=0.5)
    session = BlobSession(bpy.context, blob)
    end = bpy.data.objects["Cylinder End"]
    (home,) = end.users_collection
    home.objects.unlink(end)
    current_view_layer().update()
    session.tick(bpy.context, 0.01)
    assert "other end is lost" in session.figures()
    home.objects.link(end)
    current_view_layer().update()
    session.tick(bpy.context, 0.01)
    assert session.problem is None


def test_a_blob_that_is_flattened_or_renamed_while_it_is_sculpted_is_waited_for_and_followed(
    blob: bpy.types.Object,
) -> None:
    """A size that is typed goes through zero, as in S 0.5."""
    session = BlobSession(bpy.context, blob)
    blob.scale = (0.0, 0.0, 0.0)
    current_view_layer().update()
    session.tick(bpy.context, 0.01)
    assert "its scale is zero" in session.figures()
    assert len(session.marks().layers()) == 2, "what was seen last is still shown"
    blob.scale, blob.name = (0.5, 0.5, 0.5), "Amoeba"
    current_view_layer().update()
    session.tick(bpy.context, 0.01)
    assert session.is_undisturbed
    assert session.figures().startswith('"Amoeba": ')
    session.put_back(bpy.context)
    assert bpy.data.objects["Blob"].scale.x == 1.0


def test_the_size_of_particles_is_followed_while_a_blob_is_sculpted(blob: bpy.types.Object) -> None:
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


def test_a_mesh_of_the_surface_is_closed_and_goes_with_the_blob(blob: bpy.types.Object) -> None:
    scenes.activate(blob)
    assert physplace.blob_mesh(particle_size=0.15) == {"FINISHED"}
    made = active_object()
    assert made.parent == blob
    surface = surface_of(blob)
    assert surface is not None
    assert (surface.display_type, surface.hide_render, surface.visible_get()) == ("BOUNDS", True, True)
    assert (made.display_type, made.hide_render) == ("TEXTURED", False)
    work = bmesh.new()
    work.from_mesh(mesh_of(made))
    assert all(edge.is_manifold and edge.is_contiguous for edge in work.edges)
    points = np.random.default_rng(1).uniform((-1.5, -1.5, -1.5), (3.5, 1.5, 1.5), (200_000, 3))
    inside = read_blob(blob).function.value(points) < 0.0
    assert work.calc_volume(signed=True) == pytest.approx(45.0 * inside.mean(), rel=0.02)
    work.free()


def test_of_a_mesh_of_disks_the_view_shows_the_particles_alone(blob: bpy.types.Object) -> None:
    scenes.activate(blob)
    blob["blob.sigma"] = 0.5
    assert physplace.blob_particles(made_as="DISKS") == {"FINISHED"}
    count = len(mesh_of(active_object()).polygons)
    seen = bpy.context.evaluated_depsgraph_get().object_instances
    assert [each.is_instance for each in seen if present(each.object).name == "Particle"] == [True] * count


def test_particles_become_empties_or_one_mesh_of_disks_on_the_surface(blob: bpy.types.Object) -> None:
    scenes.activate(blob)
    blob["blob.sigma"] = 0.25
    model = read_blob(blob)
    for kind in ("EMPTIES", "DISKS"):
        assert physplace.blob_particles(made_as=kind) == {"FINISHED"}
        made = active_object()
        assert made.parent == blob
        if kind == "EMPTIES":
            matrices = np.array([child.matrix_basis for child in made.children])
            places, normals = matrices[:, :3, 3], matrices[:, :3, 1]
        else:
            places = np.array([face.center for face in mesh_of(made).polygons])
            normals = np.array([face.normal for face in mesh_of(made).polygons])
        value, slope = model.function.gradient(places)
        unit = slope / np.linalg.norm(slope, axis=1)[:, None]
        assert len(places) > 100
        assert np.abs(value).max() < 1e-3
        assert np.einsum("ij,ij->i", unit, normals).min() > 0.999, kind
    shown = [each for each in bpy.context.evaluated_depsgraph_get().object_instances if each.is_instance]
    assert len(shown) == len(places)


def test_what_has_no_meaning_is_refused_and_nothing_is_changed(blob: bpy.types.Object) -> None:
    scenes.activate(None)
    assert not physplace.blob_sculpt.poll()
    scenes.activate(scenes.cube())
    assert not physplace.blob_mesh.poll()
    blob["blob"] = "heap"
    for operator in (physplace.blob_sculpt, physplace.blob_mesh, physplace.blob_bake):
        refused(operator, blob, r'object "Blob": its property "blob" is \'heap\'')
    refused(physplace.blob_control_add, blob, "heap", location=(0.0, 0.0, 1.0))
    blob["blob"], blob["blob.sigma"] = "sum", 1e-6
    refused(physplace.blob_sculpt, blob, '"blob.sigma" is 1e-06')
    refused(physplace.blob_mesh, blob, '"blob.sigma" is 1e-06')
    refused(physplace.blob_bake, blob, "the last frame is 1", frame_start=5, frame_end=1)


def test_a_blob_without_elements_is_said_to_have_none(blob: bpy.types.Object) -> None:
    for obj in [child for child in blob.children if "blob.element" in custom_properties(child)]:
        bpy.data.objects.remove(obj)
    says = r'object "Blob": it has no elements, .*"blob.element"; add one \(Add Blob'
    ops = physplace
    for operator in (ops.place, ops.check, ops.blob_sculpt, ops.blob_mesh, ops.blob_bake, ops.blob_particles):
        refused(operator, blob, says)
    refused(ops.blob_control_add, blob, says, location=(0.0, 0.0, 1.0))
    scenes.activate(blob)
    physplace.blob_add(location=(0.0, 0.0, 1.0))
    assert ops.check() == {"FINISHED"}


def test_a_surface_without_end_gives_no_mesh(blob: bpy.types.Object) -> None:
    physplace.blob_add(new=True, kind="plane", combination="union")
    refused(physplace.blob_mesh, active_object().parent, "the surface is infinite")


def test_a_saved_file_has_the_blob(blob: bpy.types.Object, tmp_path: Path) -> None:
    before = read_blob(blob).function.parameters
    path = str(tmp_path / "blob.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    again = read_blob(bpy.data.objects["Blob"])
    np.testing.assert_array_equal(again.function.parameters, before)
    assert len(again.controls) == 2


def test_a_blob_is_placed_by_its_exact_surface() -> None:
    """A ball of a sum is a ball: it lies on the floor at its radius, whichever of its parts is active."""
    scenes.floor()
    physplace.blob_add(location=(0.0, 0.0, 2.0), radius=0.7)
    physplace.blob_mesh(particle_size=0.2)
    scenes.activate(bpy.data.objects["Sphere"])
    assert physplace.place() == {"FINISHED"}
    report = bpy.data.objects["Blob"]["physplace_report"].to_dict()
    assert report["status"] == "BALANCED"
    assert scenes.world_matrix(bpy.data.objects["Sphere"])[2, 3] == pytest.approx(0.7, abs=1e-5)


def test_a_sharp_edge_is_refused_with_the_property_that_rounds_it() -> None:
    scenes.floor()
    physplace.blob_add(location=(0.0, 0.0, 3.0), combination="difference")
    physplace.blob_add(location=(0.0, 0.0, 3.8), radius=0.6, subtract=True)
    bowl = active_object().parent
    refused(physplace.place, bowl, r'object "Blob": .* sharp edge near .*; raise "blob.smooth"')


def test_disks_stay_tangent_to_a_surface_that_is_stretched_and_mirrored() -> None:
    rng = np.random.default_rng(4)
    normal = rng.normal(size=(300, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    normal[0], normal[1] = (0.0, 0.0, -1.0), (0.0, 0.0, 1.0)
    affine = np.diag([-2.0, 1.0, 0.5, 1.0])
    affine[:3, 3] = (1.0, 2.0, 3.0)
    moved = FloaterDisks(normal, normal, np.full(300, 0.2)).moved(affine)
    corners, triangles = disks(moved)
    rim = corners.reshape(300, -1, 3) - moved.position[:, None]
    np.testing.assert_allclose(np.einsum("nsi,ni->ns", rim, moved.normal), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(rim, axis=2), SHARE * 0.2, rtol=1e-12)
    on = (moved.position - affine[:3, 3]) / np.diag(affine)[:3] ** 2
    np.testing.assert_allclose(moved.normal, on / np.linalg.norm(on, axis=1)[:, None], atol=1e-12)
    one, other = (corners[triangles[:, k]] - corners[triangles[:, 0]] for k in (1, 2))
    turn = np.cross(one, other)
    assert np.all(np.einsum("ti,ti->t", turn, np.repeat(moved.normal, len(triangles) // 300, axis=0)) > 0.0)


def test_what_is_moved_while_a_setting_is_refused_stays_where_it_was_moved(blob: bpy.types.Object) -> None:
    session, ball = BlobSession(bpy.context, blob), bpy.data.objects["Sphere"]
    session.tick(bpy.context, 0.01)
    blob["blob.sigma"] = 1e-5
    session.tick(bpy.context, 0.01)
    assert "sigma" in session.figures()
    ball.location.z = 0.5
    session.tick(bpy.context, 0.01)
    assert "sigma" in session.figures()
    blob["blob.sigma"] = 0.1
    session.tick(bpy.context, 0.01)
    assert "sigma" not in session.figures()
    assert ball.location.z == pytest.approx(0.5)


def test_a_surface_that_becomes_endless_is_cut_off(blob: bpy.types.Object) -> None:
    session = BlobSession(bpy.context, blob)
    session.tick(bpy.context, 0.01)
    scenes.activate(blob)
    physplace.blob_add(kind="plane", location=(0.0, 0.0, 0.0))
    for _ in range(3):
        session.tick(bpy.context, 0.02)
    assert session.problem is None
    assert session.state.status is not SculptStatus.ENDLESS
    floaters = session.state.floaters.positions
    assert len(floaters) > 0
    assert np.isfinite(floaters).all()
