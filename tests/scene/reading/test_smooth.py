"""Smooth-shaded meshes are read as the curved faces that their shading tells of, flat ones as polyhedra."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

import physplace_addon
from physplace_addon.core.placement import Placement, Status
from physplace_addon.scene.reading.scenario import read
from tests.core.surfaces.smooth import smooth_meshes as meshes
from tests.scene import scenes


@pytest.fixture
def settings():
    physplace_addon.register()
    yield bpy.context.scene.physplace
    physplace_addon.unregister()


def shown(points, faces, smooth=True, height=3.0):
    """A mesh in the scene, over a floor, active."""
    scenes.floor()
    mesh = bpy.data.meshes.new("Thing")
    mesh.from_pydata([list(map(float, point)) for point in points], [], faces)
    mesh.polygons.foreach_set("use_smooth", np.full(len(faces), smooth))
    mesh.update()
    made = scenes.linked(bpy.data.objects.new("Thing", mesh), (0.1, 0.2, height))
    scenes.activate(made)
    return made


def body():
    return read(bpy.context).subject.body


def is_curved(found):
    return not found.face_flat.all()


def test_only_smooth_faces_that_meet_at_small_angles_are_curved():
    made = shown(*meshes.sphere())
    assert "128 faces curved" in body().notes[0]
    made.data.polygons.foreach_set("use_smooth", np.zeros(len(made.data.polygons), dtype=bool))
    made.data.update()
    assert not is_curved(body())


def test_sharp_edges_and_flat_caps_are_kept():
    points, faces = meshes.cylinder()
    made = shown(points, faces)
    for face in made.data.polygons[-2:]:
        face.use_smooth = False
    for edge in made.data.edges:
        edge.use_edge_sharp = set(edge.vertices) == {0, 16}
    made.data.update()
    found = body()
    assert (found.face_count, found.edge_count, len(found.vertices)) == (3, 3, 2)


def test_objects_and_the_scene_may_keep_their_facets(settings):
    made = shown(*meshes.sphere())
    assert is_curved(body())
    made["physplace_faceted"] = True
    assert not is_curved(body())
    del made["physplace_faceted"]
    settings.curve_smooth = False
    assert not is_curved(body())
    made["physplace_faceted"] = False
    assert is_curved(body())


def test_modifiers_count_and_a_subdivided_mesh_is_its_limit():
    made = shown(*meshes.cube())
    assert not is_curved(body())
    bevel = made.modifiers.new("Bevel", "BEVEL")
    bevel.width, bevel.segments = 0.3, 4
    assert is_curved(body())
    assert "faces curved" in body().notes[0]
    bevel.show_viewport = False
    made.modifiers.new("Subdivision", "SUBSURF").levels = 1
    assert "limit surface" in body().notes[0]


def test_a_globe_rests_on_its_round_as_high_as_reported():
    shown(*meshes.sphere())
    scene = read(bpy.context)
    placement = Placement(scene.subject.body, scene.subject.pose, scene.world)
    certificate = placement.run()
    assert certificate.status is Status.BALANCED
    assert certificate.overlap <= 1e-9 * scene.subject.body.radius
    reported = float(scene.subject.body.notes[0].split(" curved, ")[1].split(" from ")[0])
    height = float(placement.states[-1].pose.translation[2])
    assert np.cos(np.pi / 16) < height < 1.0 + reported


def test_a_cylinder_that_lies_on_its_wavy_side_is_at_rest_where_its_contacts_carry_it():
    made = shown(*meshes.cylinder(32), height=1.3)
    for edge in made.data.edges:
        edge.use_edge_sharp = edge.vertices[0] // 32 == edge.vertices[1] // 32
    made.data.update()
    made.rotation_euler = (1.57, 0.1, 0.0)
    scene = read(bpy.context)
    placement = Placement(scene.subject.body, scene.subject.pose, scene.world)
    certificate = placement.run()
    assert certificate.residual_torque < 1e-6
    assert certificate.status is Status.BALANCED


def test_many_smooth_faces_stay_flat_and_it_is_said():
    shown(*meshes.torus(around=120, across=90))
    found = body()
    assert not is_curved(found)
    assert "more than" in found.notes[0]
