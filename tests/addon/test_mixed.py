"""Whatever has a shape can be placed: text, curves, metaballs, instances, what an armature deforms, dirt."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from tests.addon.mixed_objects import KINDS, added, blob, chain, collection, rigged, seen, spread, triangles
from tests.addon.primitives import made
from tests.addon.running import place, refused
from tests.blender_data import (
    active_object,
    current_scene,
    mesh_of,
    of_type,
    physplace,
    property_names,
    scene_settings,
)
from tests.core.dirty_meshes import dirty
from tests.oracles.triangles import crossings
from tests.scene import scenes

AT_REST = {"BALANCED", "AT_ENERGY_MINIMUM"}


def _rests_on_the_floor(obj: bpy.types.Object) -> dict[str, Any]:
    """Place an object over a floor: what is seen of it stands on the floor, and nothing is below it."""
    scenes.floor()
    obj.location.z, obj.rotation_euler = 4.0, (0.4, 0.3, 0.2)
    report = place(obj)
    assert report["status"] in AT_REST
    assert abs(seen("Floor")[:, :, 2].min()) < 2e-6
    return report


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_whatever_has_a_shape_is_placed_by_what_is_seen_of_it(kind: str) -> None:
    obj = KINDS[kind]()
    before = _area(seen())
    _rests_on_the_floor(obj)
    assert _area(seen("Floor")) == pytest.approx(before, rel=1e-3)


def _area(triangles: np.ndarray) -> float:
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    return float(np.linalg.norm(normal, axis=1).sum())


@pytest.mark.parametrize("axis", [0, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_whatever_has_a_shape_is_met_where_it_is_seen(kind: str, axis: int) -> None:
    """A plate falls flat onto its farthest point: in two steps it is at it, and not in it."""
    KINDS[kind]().rotation_euler = (0.3, 0.1, 0.0)
    standing = seen()
    farthest = standing.reshape(-1, 3)[standing[..., axis].argmax()]
    plate = scenes.cube("Plate", farthest + 2.0 * np.eye(3)[axis])
    plate.scale = np.where(np.eye(3)[axis] > 0.0, 0.1, 2.0).tolist()
    settings = scene_settings()
    settings.use_scene_gravity, settings.gravity, settings.step_limit = False, -np.eye(3)[axis], 2
    place(plate)
    faces = triangles(mesh_of(plate), scenes.world_matrix(plate))
    assert abs(faces[..., axis].min() - farthest[axis]) < 0.05
    assert len(crossings(faces, standing, 1e-5)) == 0


def test_what_geometry_nodes_instance_is_one_body() -> None:
    points = spread()
    assert _rests_on_the_floor(points)["status"] == "BALANCED"
    assert points.location.z == pytest.approx(1.2, abs=1e-5)


def test_instanced_collections_within_one_another_are_one_body() -> None:
    holder = collection()
    _rests_on_the_floor(holder)
    assert holder.matrix_world.to_3x3().col[0].z == pytest.approx(0.0, abs=1e-5)


def test_what_an_armature_deforms_is_placed_as_it_is_at_the_current_frame() -> None:
    rigged()
    assert np.ptp(seen().reshape(-1, 3), axis=0)[2] > 2.2
    current_scene().frame_set(1)
    assert np.ptp(seen().reshape(-1, 3), axis=0)[2] < 2.1


def test_a_part_of_a_blob_is_refused_while_the_rest_stays() -> None:
    ball = blob()
    child = ball.children[0]
    child.parent = None
    for part in (ball, child):
        refused(physplace.place, part, "one blob with")


def test_what_is_hidden_or_excluded_of_a_family_is_no_part_of_it() -> None:
    chain()
    assert len(seen()) == 3 * 12


@pytest.mark.slow
def test_the_monkey_mirrored_and_thick_is_placed() -> None:
    bpy.ops.mesh.primitive_monkey_add()
    monkey = active_object()
    mesh_of(monkey).materials.clear()
    monkey.modifiers.new("Mirror", "MIRROR")
    of_type(monkey.modifiers.new("Solidify", "SOLIDIFY"), bpy.types.SolidifyModifier).thickness = 0.05
    _rests_on_the_floor(monkey)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["circle_add", "ico_sphere_add", "metaball capsule", "bezier_curve_add"])
def test_a_primitive_is_placed_as_it_comes(name: str) -> None:
    """`python -m benchmarks.primitives` places all of them."""
    scenes.floor()
    assert place(made(name))["status"] in AT_REST
    assert abs(seen("Floor")[:, :, 2].min()) < 1e-6


def test_a_shape_that_depends_on_what_stays_is_refused() -> None:
    rigged()
    skin = bpy.data.objects["Skin"]
    refused(physplace.place, skin, '"Skin".*modifier "Armature" depends on "Rig", which does not move')
    cutter, cube = scenes.cube("Cutter", (9.0, 0.0, 0.0)), scenes.cube("Cut", (9.5, 0.0, 0.0))
    of_type(cube.modifiers.new("Boolean", "BOOLEAN"), bpy.types.BooleanModifier).object = cutter
    refused(physplace.place, cube, '"Cut".*"Cutter"')


def test_a_face_with_a_hole_is_as_it_is_seen() -> None:
    """A face whose border runs in along a bridge, around the hole, and back."""
    outer = [(-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0)]
    inner = [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)]
    mesh = bpy.data.meshes.new("Frame")
    mesh.from_pydata([(x, y, 0.0) for x, y in outer + inner], [], [(0, 1, 2, 3, 0, 4, 5, 6, 7, 4)])
    frame = added("Frame", mesh)
    report = _rests_on_the_floor(frame)
    assert "1 faces with holes in them; 2 open borders, of 8 edges" in "; ".join(report["notes"])
    peg = scenes.cube("Peg", (0.0, 0.0, 5.0))
    peg.scale = (0.5, 0.5, 0.5)
    assert place(peg)["status"] == "BALANCED"
    assert peg.location.z == pytest.approx(0.5, abs=1e-5)


@pytest.mark.slow
def test_a_loaded_die_rests_on_its_heavy_side() -> None:
    scenes.floor()
    die = scenes.cube("Die", (0.0, 0.0, 3.0))
    lead = scenes.linked(bpy.data.objects.new("Lead", None), (0.8, 0.0, 0.0))
    lead.parent = die
    die.rotation_euler = (0.1, 0.6, 0.3)
    assert place(die)["status"] == "BALANCED"
    assert scenes.world_matrix(die)[2, 2] == pytest.approx(1.0, abs=1e-5)
    die["physplace_center_of_mass"] = "Lead"
    die.location, die.rotation_euler = (0.0, 0.0, 3.0), (0.1, 0.6, 0.3)
    assert place(die)["status"] == "BALANCED"
    assert scenes.world_matrix(die)[2, 0] == pytest.approx(-1.0, abs=1e-5)


def test_placing_a_dirty_mesh_changes_nothing_in_it() -> None:
    scenes.floor(half=30.0)
    dirt = dirty(40)
    mesh = bpy.data.meshes.new("Dirty")
    mesh.from_pydata(dirt.points.tolist(), [(0, 5)], dirt.triangles.tolist())
    obj = scenes.linked(bpy.data.objects.new("Dirty", mesh), (0.0, 0.0, 30.0))

    def content() -> list[object]:
        points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        mesh.vertices.foreach_get("co", points)
        faces = [tuple(polygon.vertices) for polygon in mesh.polygons]
        return [
            points.tobytes(),
            faces,
            [tuple(edge.vertices) for edge in mesh.edges],
            sorted(property_names(mesh)),
        ]

    before = content()
    assert place(obj)["status"] in AT_REST
    assert content() == before
