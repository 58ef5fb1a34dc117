"""Custom properties of blobs that a script sets count at once, and follow keys and drivers."""

from __future__ import annotations

import bpy
import numpy as np

from physplace_addon.scene.access import custom_properties
from physplace_addon.scene.blobs.frames import solved_model
from tests.blender_data import active_object, current_scene, current_view_layer, drive, physplace

SINGLE = 1e-6  # keys and drivers are evaluated in single precision
PLACES = np.array([[0.0, 0.0, 0.0], [1.0, 0.2, 0.1]])


def _values(blob: bpy.types.Object) -> np.ndarray:
    return solved_model(bpy.context, blob).function.value(PLACES)


def _with_bias(blob: bpy.types.Object, bias: float) -> np.ndarray:
    """The values when the bias is set and Blender has evaluated the blob again."""
    blob["blob.bias"] = bias
    blob.update_tag()
    current_view_layer().update()
    return _values(blob)


def test_a_bias_that_a_script_sets_counts_in_the_next_line(blob: bpy.types.Object) -> None:
    low, high = _with_bias(blob, 0.25), _with_bias(blob, 0.5)
    assert (low != high).all()
    blob["blob.bias"] = 0.25
    np.testing.assert_array_equal(_values(blob), low)


def test_a_keyed_and_a_driven_bias_follow_whatever_a_script_sets(blob: bpy.types.Object) -> None:
    for child in list(blob.children):
        if "blob.control" in custom_properties(child):
            bpy.data.objects.remove(child)
    low, high = _with_bias(blob, 0.25), _with_bias(blob, 0.5)
    for frame, bias in ((1, 0.25), (11, 0.5)):
        blob["blob.bias"] = bias
        blob.keyframe_insert('["blob.bias"]', frame=frame)
    for frame, values in ((1, low), (11, high)):
        current_scene().frame_set(frame)
        np.testing.assert_allclose(_values(blob), values, rtol=SINGLE)
    blob.animation_data_clear()
    drive(blob, '["blob.bias"]', "frame / 8")
    current_scene().frame_set(2)
    np.testing.assert_allclose(_values(blob), low, rtol=SINGLE)
    blob["blob.bias"] = 0.75
    np.testing.assert_allclose(_values(blob), low, rtol=SINGLE)


def test_a_surface_that_a_script_names_is_placed_as_such(blob: bpy.types.Object) -> None:
    bpy.data.objects.remove(blob)
    bpy.ops.mesh.primitive_plane_add(size=20.0)
    bpy.ops.mesh.primitive_cube_add(location=(0.0, 0.0, 3.0))
    obj = active_object()
    obj["surface"], obj["surface.radius"] = "sphere", 0.5
    physplace.place()
    assert obj["physplace_report"]["status"] == "BALANCED"
    assert abs(obj.location.z - 0.5) < 1e-6
