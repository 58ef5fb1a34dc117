"""Elements of every kind: read from their empties, seen, sculpted, placed, and written back."""

from __future__ import annotations

from typing import Any, cast

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from physplace_addon.operators.blobs.session import BlobSession
from physplace_addon.scene.access import custom_properties, extended
from physplace_addon.scene.blobs.meshes import spread_over
from physplace_addon.scene.blobs.models import read_blob
from physplace_addon.scene.errors import SceneError
from tests.addon.blobs.two_balls import off
from tests.blender_data import active_object, current_view_layer, mesh_of, physplace
from tests.scene import scenes

SOLIDS = ("flat_cylinder", "box", "rounded_box", "torus", "cone")
# the volumes that they have at radius 1 with sharp edges, and how much of it rounding may take away
VOLUMES = {
    "flat_cylinder": (2.0 * np.pi, 0.03),
    "box": (8.0, 0.005),
    "rounded_box": (8.0, 0.15),
    "torus": (2.0 * np.pi**2 * 0.09, 0.02),
    "cone": (2.0 / 3.0 * np.pi, 0.3),
}


def volume(obj: bpy.types.Object) -> float:
    """The volume within a blob's live mesh, in the blob's units."""
    current_view_layer().update()
    mesh = mesh_of(obj)
    mesh.calc_loop_triangles()
    corners = np.array([[mesh.vertices[i].co for i in each.vertices] for each in mesh.loop_triangles])
    return float(np.linalg.det(corners).sum() / 6.0)


def add(kind: str) -> bpy.types.Object:
    physplace.blob_add(kind=kind, radius=1.0)
    blob = bpy.data.objects["Blob"]
    blob["blob.sigma"] = 0.08
    blob.update_tag()
    return blob


@pytest.mark.parametrize("kind", SOLIDS)
def test_a_solid_is_as_large_as_its_empty_is_drawn(kind: str) -> None:
    blob = add(kind)
    whole, less = VOLUMES[kind]
    assert whole * (1.0 - less) < volume(blob) < whole * 1.01
    active_object().scale = (-2.0, 1.0, 1.0)
    if kind != "torus":  # whose ring is an ellipse then, of a tube that is as thick
        assert 2.0 * whole * (1.0 - 1.5 * less) < volume(blob) < 2.05 * whole


@pytest.mark.parametrize("kind", SOLIDS)
def test_a_sheared_solid_is_that_of_its_axes(kind: str) -> None:
    blob = add(kind)
    before, element = volume(blob), active_object()
    element.matrix_parent_inverse = Matrix(
        ((1.0, 0.6, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    )
    assert volume(blob) == pytest.approx(before, rel=0.03)


def test_a_cone_that_is_mirrored_keeps_its_apex_above() -> None:
    blob = add("cone")
    for scale in ((1.0, 1.0, 1.0), (-1.0, 1.0, 1.0), (1.0, 1.0, -1.0)):
        active_object().scale = scale
        current_view_layer().update()
        high = np.sign(scale[2]) * np.array([[0.0, 0.0, 0.6], [0.0, 0.0, -0.6]]) + [0.5, 0.0, 0.0]
        value = read_blob(blob).function.value(high)
        assert value[0] > 0.0 > value[1]


@pytest.mark.slow
@pytest.mark.parametrize("kind", SOLIDS)
def test_a_solid_is_sculpted_and_written_back_as_it_is_solved(kind: str) -> None:
    blob = add(kind)
    element = active_object()
    element.rotation_euler = (0.3, 0.2, 0.1)
    current_view_layer().update()
    physplace.blob_control_add(location=(1.0, 0.1, 0.2))
    physplace.blob_control_add(location=(-1.0, 0.0, 0.1))
    scenes.activate(blob)
    bpy.data.objects["Control"].location.x += 0.2
    assert physplace.blob_sculpt() == {"FINISHED"}
    assert off(blob) < 2e-3
    assert custom_properties(element)["blob.tube" if kind == "torus" else "blob.rounding"] == {
        "torus": 0.3,
        "box": 0.0,
        "rounded_box": 0.3,
    }.get(kind, 0.1)


@pytest.mark.slow
def test_a_torus_is_placed_flat_on_a_floor() -> None:
    scenes.floor()
    blob = add("torus")
    blob.location.z = 2.0
    blob.rotation_euler = (0.1, 0.05, 0.0)
    current_view_layer().update()
    scenes.activate(blob)
    assert physplace.place() == {"FINISHED"}
    report = cast("Any", custom_properties(blob)["physplace_report"])
    assert report["overlap"] <= 1e-6
    assert report["gap"] <= 1e-4
    assert blob.location.z == pytest.approx(0.3, abs=2e-3)


def test_a_length_without_meaning_is_named() -> None:
    add("torus")
    active_object()["blob.tube"] = 0.0
    with pytest.raises(RuntimeError, match=r'object "Torus": its property "blob.tube" is 0; set it above 0'):
        physplace.blob_sculpt()


def two_in_a_row(distance: float = 1.0) -> tuple[bpy.types.Object, bpy.types.Object, bpy.types.Object]:
    """A blob of two balls, and the balls."""
    physplace.blob_add(location=(0.0, 0.0, 0.0))
    physplace.blob_add(location=(distance, 0.0, 0.0))
    return bpy.data.objects["Blob"], bpy.data.objects["Sphere"], bpy.data.objects["Sphere.001"]


def value_at(blob: bpy.types.Object, *place: float) -> float:
    current_view_layer().update()
    return float(read_blob(blob).function.value(np.array([place]))[0])


def test_a_negative_element_dents_a_sum_and_a_greater_weight_swells_it() -> None:
    blob, _, second = two_in_a_row()
    whole = volume(blob)
    second["blob.weight"] = 2.0
    second.update_tag()
    assert volume(blob) > 1.1 * whole
    second["blob.weight"] = -1.0
    second.update_tag()
    dented = volume(blob)
    assert 0.1 * whole < dented < 0.5 * whole
    physplace.blob_control_add(location=(-1.0, 0.0, 0.0))
    bpy.data.objects["Control"].location.x -= 0.2
    scenes.activate(blob)
    assert physplace.blob_sculpt() == {"FINISHED"}
    assert off(blob) < 2e-3


def test_each_join_has_its_own_width() -> None:
    physplace.blob_add(combination="union")
    blob = bpy.data.objects["Blob"]
    for x in (1.5, -1.5):
        physplace.blob_add(kind="box", location=(x, 0.0, 0.0), radius=0.7)
    left, right = (-0.98, 0.0, 0.75), (0.98, 0.0, 0.75)
    assert value_at(blob, *left) > 0.0
    bpy.data.objects["Box.001"]["blob.join"] = 0.8
    assert value_at(blob, *left) < 0.0 < value_at(blob, *right)
    blob["blob.smooth"] = 0.8
    bpy.data.objects["Box.001"]["blob.join"] = 0.0
    assert value_at(blob, *right) < 0.0 < value_at(blob, *left)
    bpy.data.objects["Box.001"]["blob.subtract"] = True
    assert value_at(blob, -0.9, 0.0, 0.0) > 0.0


@pytest.mark.parametrize("combination", ["sum", "union"])
def test_a_mirrored_element_has_a_twin_that_is_sculpted_with_it(combination: str) -> None:
    physplace.blob_add(combination=combination)
    blob = bpy.data.objects["Blob"]
    physplace.blob_add(location=(1.2, 0.0, 0.5), radius=0.6)
    ball = active_object()
    ball["blob.mirror"] = True
    assert value_at(blob, -1.3, 0.0, 0.7) < 0.0
    physplace.blob_control_add(location=(1.9, 0.0, 0.6))
    bpy.data.objects["Control"].location.x += 0.3
    bpy.data.objects["Sphere"]["blob.frozen"] = True
    scenes.activate(blob)
    assert physplace.blob_sculpt() == {"FINISHED"}
    assert off(blob) < 2e-3
    current_view_layer().update()
    place = np.array(bpy.data.objects["Control"].location)
    assert abs(value_at(blob, -place[0], place[1], place[2])) < 2e-3


def test_particles_are_smaller_where_the_surface_bends_and_near_what_is_dragged() -> None:
    blob, _, second = two_in_a_row(2.5)
    second.scale = (0.3, 0.3, 0.3)
    current_view_layer().update()
    even = spread_over(read_blob(blob))
    blob["blob.turn"] = 0.25
    bent = spread_over(read_blob(blob))
    assert len(bent) > 1.2 * len(even)
    small = bent.positions[:, 0] > 2.2
    assert bent.radii[small].mean() < 0.7 * bent.radii[~small].mean()
    blob["blob.turn"] = 0.0
    blob["blob.focus"] = 1.0
    physplace.blob_control_add(location=(-1.0, 0.0, 0.0))
    session = BlobSession(bpy.context, blob)
    session.settle(60)
    session.begin_drag("Control")
    session.pull("Control", np.array([-1.1, 0.0, 0.0]))
    for _ in range(60):
        session.solver.step()
    floaters = session.state.floaters
    near = np.linalg.norm(floaters.positions - [-1.1, 0.0, 0.0], axis=1) < 0.4
    assert floaters.radii[near].mean() < 0.8 * floaters.radii[~near].mean()
    blob["blob.turn"] = -1.0
    with pytest.raises(SceneError, match="set it to 0 or more"):
        read_blob(blob)


def test_an_element_gets_a_width_of_its_own_from_the_blob_s_joins_and_gives_it_up() -> None:
    blob = add("box")
    element, switches = active_object(), extended(active_object()).physplace
    blob["blob.smooth"] = 0.3
    assert not switches.own_join_width
    switches.own_join_width = True
    assert element["blob.join"] == pytest.approx(0.3)
    element["blob.join"] = 0.1
    switches.own_join_width = True
    assert element["blob.join"] == pytest.approx(0.1), "it had one already"
    switches.own_join_width = False
    assert element["blob.join"] == -1.0
    assert not switches.own_join_width


def test_what_is_no_element_gets_no_join_width_and_the_switch_has_no_keys() -> None:
    cube = scenes.cube()
    extended(cube).physplace.own_join_width = True
    assert "blob.join" not in custom_properties(cube)
    with pytest.raises(TypeError, match="not animatable"):
        cube.keyframe_insert("physplace.own_join_width")
