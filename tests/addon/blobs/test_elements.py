"""Elements of every kind: read from their empties, seen, sculpted, placed, and written back."""

from __future__ import annotations

from typing import Any, cast

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from physplace_addon.scene.access import custom_properties
from physplace_addon.scene.blobs.models import read_blob
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


@pytest.mark.parametrize("kind", ["flat_cylinder", "rounded_box", "torus"])
def test_a_rounded_solid_is_placed_flat_on_a_floor(kind: str) -> None:
    scenes.floor()
    blob = add(kind)
    blob.location.z = 2.0
    blob.rotation_euler = (0.1, 0.05, 0.0)
    current_view_layer().update()
    scenes.activate(blob)
    assert physplace.place() == {"FINISHED"}
    report = cast("Any", custom_properties(blob)["physplace_report"])
    assert report["overlap"] <= 1e-6
    assert report["gap"] <= 1e-4
    half = 0.3 if kind == "torus" else 1.0
    assert blob.location.z == pytest.approx(half, abs=2e-3)


def test_a_length_without_meaning_is_named() -> None:
    add("torus")
    active_object()["blob.tube"] = 0.0
    with pytest.raises(RuntimeError, match=r'object "Torus": its property "blob.tube" is 0; set it above 0'):
        physplace.blob_sculpt()
