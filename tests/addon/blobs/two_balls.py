"""A blob to try things on, and how well its surface keeps to its control points."""

from __future__ import annotations

import bpy
import numpy as np

from physplace_addon.scene.blobs.models import read_blob
from tests.blender_data import current_view_layer, physplace


def two_balls() -> bpy.types.Object:
    """Two balls side by side that flow into each other, pinned at both ends."""
    physplace.blob_add(location=(-1.0, 0.0, 0.0))
    physplace.blob_add(location=(1.0, 0.0, 0.0))
    physplace.blob_control_add(location=(2.2, 0.0, 0.0))
    physplace.blob_control_add(location=(-2.2, 0.0, 0.0))
    return bpy.data.objects["Blob"]


def off(blob: bpy.types.Object) -> float:
    """How far the surface is from its control points at most, in the blob's units."""
    current_view_layer().update()
    model = read_blob(blob)
    value, slope = model.function.gradient(np.array([transform.centre for transform in model.controls]))
    return float(np.max(np.abs(value) / np.linalg.norm(slope, axis=1)))
