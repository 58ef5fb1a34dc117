"""Subdivided meshes are read as the limit surfaces that Blender draws them towards."""

from __future__ import annotations

from typing import Any, cast

import bpy
import numpy as np
import pytest
from scipy.spatial import cKDTree

from physplace_addon.core.placement import Placement, Status
from physplace_addon.core.surfaces.subdivision.limit import limit_of
from physplace_addon.scene.reading.scenario import Scenario, read
from physplace_addon.scene.reading.subdivision import DEFORMED_CAGES, cage_of
from tests.blender_data import current_scene, mesh_of, of_type
from tests.core.surfaces.subdivision import cages
from tests.scene import scenes

HEIGHT = 68 / 81  # of the limit of a cube of side 2: its face's middle, (16 v + 4 (edges) + diagonals) / 36
STEP = {"levels": 3, "quality": 10}


def mesh_object(name: str) -> bpy.types.Object:
    """A cage of the core's tests in Blender."""
    points, cage = cages.cages()[name]
    faces = np.split(cage.corners, cage.starts[1:-1])
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points.tolist(), [], [face.tolist() for face in faces])
    sharp: dict[tuple[int, ...], float] = {}
    for half, (a, b) in enumerate(zip(cage.corners.tolist(), cage.heads.tolist(), strict=True)):
        sharp[min(a, b), max(a, b)] = np.sqrt(cage.edge_sharpness[half] / 10)
    edges = of_type(mesh.attributes.new("crease_edge", "FLOAT", "EDGE"), bpy.types.FloatAttribute)
    edges.data.foreach_set("value", [sharp[tuple(sorted(edge.vertices))] for edge in mesh.edges])
    vertices = of_type(mesh.attributes.new("crease_vert", "FLOAT", "POINT"), bpy.types.FloatAttribute)
    vertices.data.foreach_set("value", np.sqrt(cage.vertex_sharpness / 10))
    made = bpy.data.objects.new(name, mesh)
    current_scene().collection.objects.link(made)
    return made


def subdivided(made: bpy.types.Object, **settings: object) -> bpy.types.SubsurfModifier:
    modifier = of_type(made.modifiers.new("Subdivision", "SUBSURF"), bpy.types.SubsurfModifier)
    for key, value in settings.items():
        setattr(modifier, key, value)
    return modifier


def displayed(made: bpy.types.Object) -> np.ndarray:
    """The points of the evaluated mesh (n, 3)."""
    evaluated = made.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    points = np.array([vertex.co for vertex in mesh.vertices], dtype=float)
    evaluated.to_mesh_clear()
    return points


@pytest.mark.parametrize("sharp_corners", [False, True])
@pytest.mark.parametrize("name", ["cube", "hard top", "soft top", "crossing creases", "five", "open fan"])
def test_the_limit_is_where_blender_has_it(name: str, sharp_corners: bool) -> None:
    made = mesh_object(name)
    rule = "PRESERVE_CORNERS" if sharp_corners else "ALL"
    subdivided(made, **STEP, use_limit_surface=True, boundary_smooth=rule)
    source = np.array([vertex.co for vertex in mesh_of(made).vertices], dtype=float)
    whole = all(len(face.vertices) == 4 for face in mesh_of(made).polygons)
    points, cage = cages.quadrilaterals(source, cage_of(mesh_of(made), True), sharp_corners)
    nets, lines = limit_of(cage, points), np.linspace(0, 1, 9 if whole else 5)
    at = np.stack(np.meshgrid(lines, lines, indexing="ij"), axis=-1).reshape(-1, 2)
    ours = nets.slopes(np.repeat(np.arange(len(nets)), len(at)), np.tile(at, (len(nets), 1))).point
    theirs = displayed(made)
    assert np.max(cKDTree(theirs).query(ours)[0]) < 5e-7
    assert np.max(cKDTree(ours).query(theirs)[0]) < 5e-7


@pytest.mark.slow
def test_a_subdivided_cube_rests_on_its_limit_at_any_display_level() -> None:
    heights, shapes = [], []
    for levels in (1, 2, 3, 4):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        scenes.floor()
        made = mesh_object("cube")
        made.location, made.rotation_euler = (0.2, 0.1, 3.0), (0.3, -0.4, 0.2)
        subdivided(made, levels=levels)
        scenes.activate(made)
        scene = read(bpy.context)
        assert "limit surface of 6 faces" in scene.subject.body.notes
        shapes.append(scene.subject.body.triangles)
        if levels in (1, 4):
            heights.append(rest_height(scene))
    assert all(np.array_equal(shape, shapes[0]) for shape in shapes)
    np.testing.assert_allclose(heights, HEIGHT, rtol=0, atol=1e-9)


def rest_height(scene: Scenario) -> float:
    placement = Placement(scene.subject.body, scene.subject.pose, scene.world)
    while placement.status is Status.RUNNING:
        state = placement.step()
    assert placement.status is Status.BALANCED
    return float(state.pose.translation[2])


def test_what_changes_the_faces_after_or_before_leaves_the_displayed_mesh() -> None:
    scenes.floor()
    made = mesh_object("cube")
    subdivided(made, levels=2)
    mirror = made.modifiers.new("Mirror", "MIRROR")
    scenes.activate(made)
    for _ in range(2):
        body = read(bpy.context).subject.body
        assert body.face_flat.all()
        assert any('"Mirror"' in note for note in body.notes)
        made.modifiers.move(1, 0)
    mirror.show_viewport = False
    assert not read(bpy.context).subject.body.face_flat.any()


@pytest.mark.slow
def test_the_cage_is_as_shape_keys_and_deforming_modifiers_leave_it() -> None:
    scenes.floor()
    made = mesh_object("cube")
    made.shape_key_add(name="Basis")
    key = made.shape_key_add(name="Longer")
    for number, vertex in enumerate(mesh_of(made).vertices):
        cast("Any", key.data[number]).co = vertex.co * 3.0
    key.value = 0.5
    bend = of_type(made.modifiers.new("Stretch", "SIMPLE_DEFORM"), bpy.types.SimpleDeformModifier)
    bend.deform_method, bend.factor = "STRETCH", 0.0
    subdivided(made, levels=1)
    scenes.activate(made)
    if bpy.app.version < DEFORMED_CAGES:
        assert any("no deformed cage" in note for note in read(bpy.context).subject.body.notes)
        return
    longer = read(bpy.context).subject.body.mass.volume
    key.value = 0.0
    plain = read(bpy.context).subject.body.mass.volume
    np.testing.assert_allclose(longer, 8 * plain, rtol=1e-6)
    bend.factor = 0.5
    assert abs(read(bpy.context).subject.body.mass.volume - plain) > 0.01 * plain


def test_a_modifier_that_subdivides_no_times_or_simply_shows_the_polyhedron() -> None:
    scenes.floor()
    made = mesh_object("cube")
    modifier = subdivided(made, levels=0)
    scenes.activate(made)
    assert read(bpy.context).subject.body.face_flat.all()
    modifier.levels, modifier.subdivision_type = 1, "SIMPLE"
    assert read(bpy.context).subject.body.face_flat.all()
