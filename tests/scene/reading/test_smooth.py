"""Meshes are read as the flat faces that are seen, or as curved ones where that is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
import numpy as np
import pytest

import physplace_addon
from physplace_addon.core.bodies import Body
from physplace_addon.core.placement import Placement, Status
from physplace_addon.scene.reading.scenario import read
from tests.blender_data import mesh_of, of_type, scene_settings
from tests.core.surfaces.smooth import smooth_meshes as meshes
from tests.scene import scenes

if TYPE_CHECKING:
    from physplace_addon.properties import PhysPlaceSettings


@pytest.fixture
def settings() -> Iterator[PhysPlaceSettings]:
    physplace_addon.register()
    yield scene_settings()
    physplace_addon.unregister()


def shown(
    points: Sequence[Sequence[float]],
    faces: Sequence[Sequence[int]],
    smooth: bool = True,
    height: float = 3.0,
    faceted: int | None = 0,
) -> bpy.types.Object:
    """A mesh in the scene, over a floor, active; faceted: its property `physplace_faceted`, None for none."""
    scenes.floor()
    mesh = bpy.data.meshes.new("Thing")
    mesh.from_pydata([list(map(float, point)) for point in points], [], list(faces))
    mesh.polygons.foreach_set("use_smooth", np.full(len(faces), smooth))
    mesh.update()
    made = scenes.linked(bpy.data.objects.new("Thing", mesh), (0.1, 0.2, height))
    scenes.activate(made)
    if faceted is not None:
        made["physplace_faceted"] = faceted
    return made


def body() -> Body:
    return read(bpy.context).subject.body


def is_curved(found: Body) -> bool:
    return not bool(found.face_flat.all())


def test_only_smooth_faces_that_meet_at_small_angles_are_curved() -> None:
    made = shown(*meshes.sphere())
    assert "128 faces curved" in body().notes[0]
    mesh_of(made).polygons.foreach_set("use_smooth", np.zeros(len(mesh_of(made).polygons), dtype=bool))
    mesh_of(made).update()
    assert not is_curved(body())


def test_sharp_edges_and_flat_caps_are_kept() -> None:
    points, faces = meshes.cylinder()
    made = shown(points, faces)
    for face in mesh_of(made).polygons[-2:]:
        face.use_smooth = False
    for edge in mesh_of(made).edges:
        edge.use_edge_sharp = set(edge.vertices) == {0, 16}
    mesh_of(made).update()
    found = body()
    assert (found.face_count, found.edge_count, len(found.vertices)) == (3, 3, 2)


def test_a_mesh_is_its_flat_faces_however_it_is_shaded(settings: PhysPlaceSettings) -> None:
    points, faces = meshes.sphere()
    made = shown(points, faces, faceted=None)
    assert not settings.curve_smooth
    assert not is_curved(body())
    gap = np.linalg.norm(body().vertices[:, None] - np.asarray(points, dtype=np.float64), axis=2)
    assert gap.shape == (len(points), len(points))
    assert gap.min(axis=0).max() < 1e-6
    mesh_of(made).shade_flat()
    assert not is_curved(body())


def test_the_scene_curves_smooth_faces_and_an_object_keeps_its_own(settings: PhysPlaceSettings) -> None:
    made = shown(*meshes.sphere(), faceted=None)
    settings.curve_smooth = True
    assert is_curved(body())
    made["physplace_faceted"] = 1
    assert not is_curved(body())
    made["physplace_faceted"] = True
    assert not is_curved(body())
    settings.curve_smooth = False
    made["physplace_faceted"] = 0
    assert is_curved(body())
    made["physplace_faceted"] = False
    assert is_curved(body())


def test_without_the_extension_s_settings_faces_are_flat() -> None:
    shown(*meshes.sphere(), faceted=None)
    assert not is_curved(body())


@pytest.mark.parametrize("on", [True, False])
def test_a_file_keeps_the_setting_that_it_was_saved_with(
    settings: PhysPlaceSettings, tmp_path: Path, on: bool
) -> None:
    shown(*meshes.sphere(), faceted=None)
    settings.curve_smooth = on
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "kept.blend"))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert not scene_settings().curve_smooth
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "kept.blend"))
    assert scene_settings().curve_smooth is on
    assert is_curved(body()) is on


def test_modifiers_count_and_a_subdivided_mesh_is_its_limit() -> None:
    made = shown(*meshes.cube())
    assert not is_curved(body())
    bevel = of_type(made.modifiers.new("Bevel", "BEVEL"), bpy.types.BevelModifier)
    bevel.width, bevel.segments = 0.3, 4
    assert is_curved(body())
    assert "faces curved" in body().notes[0]
    bevel.show_viewport = False
    of_type(made.modifiers.new("Subdivision", "SUBSURF"), bpy.types.SubsurfModifier).levels = 1
    assert "limit surface" in body().notes[0]


def test_a_globe_rests_on_its_round_as_high_as_reported() -> None:
    shown(*meshes.sphere())
    scene = read(bpy.context)
    placement = Placement(scene.subject.body, scene.subject.pose, scene.world)
    certificate = placement.run()
    assert certificate.status is Status.BALANCED
    assert certificate.overlap <= 1e-9 * scene.subject.body.radius
    reported = float(scene.subject.body.notes[0].split(" curved, ")[1].split(" from ")[0])
    height = float(placement.states[-1].pose.translation[2])
    assert np.cos(np.pi / 16) < height < 1.0 + reported


def test_a_smooth_shaded_globe_rests_on_one_of_the_facets_that_are_seen() -> None:
    points, faces = meshes.sphere()
    shown(points, faces, faceted=None).rotation_euler = (0.9, 0.2, 0.0)
    scene = read(bpy.context)
    placement = Placement(scene.subject.body, scene.subject.pose, scene.world)
    certificate = placement.run()
    assert certificate.status is Status.BALANCED
    assert certificate.stable
    a, b, c = np.moveaxis(np.array([[points[corner] for corner in face[:3]] for face in faces]), 1, 0)
    normals = np.cross(b - a, c - a)
    facets = np.abs(np.einsum("ij,ij->i", normals, a)) / np.linalg.norm(normals, axis=1)
    height = float(placement.states[-1].pose.translation[2])
    assert np.abs(height - facets).min() < 1e-6


@pytest.mark.slow
def test_a_cylinder_that_lies_on_its_wavy_side_is_at_rest_where_its_contacts_carry_it() -> None:
    made = shown(*meshes.cylinder(32), height=1.3)
    for edge in mesh_of(made).edges:
        edge.use_edge_sharp = edge.vertices[0] // 32 == edge.vertices[1] // 32
    mesh_of(made).update()
    made.rotation_euler = (1.57, 0.1, 0.0)
    scene = read(bpy.context)
    placement = Placement(scene.subject.body, scene.subject.pose, scene.world)
    certificate = placement.run()
    assert certificate.residual_torque < 1e-6
    assert certificate.status is Status.BALANCED


def test_many_smooth_faces_stay_flat_and_it_is_said() -> None:
    shown(*meshes.torus(around=120, across=90))
    found = body()
    assert not is_curved(found)
    assert "more than" in found.notes[0]
