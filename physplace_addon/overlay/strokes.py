# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers on the graphics card, drawn in the view that is being redrawn.

To be used within a draw handler only: elsewhere, and without a window, there is no graphics context.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

import bpy
import gpu
import numpy as np
from bpy.types import Preferences, SpaceView3D
from gpu.types import GPUBatch, GPUShader
from gpu_extras.batch import batch_for_shader

from .layers import Layer, Primitive

_HIDDEN = 0.4  # share of the opacity that is left behind a surface
_HAS_POINT_SHADER = bpy.app.version >= (4, 5, 0)  # before it, plain points will do


@dataclass(frozen=True, eq=False)
class Stroke:
    """A layer, its shader, and its vertices on the graphics card."""

    layer: Layer
    shader: GPUShader
    batch: GPUBatch


def strokes_of(layers: Sequence[Layer]) -> list[Stroke]:
    """Send layers to the graphics card and return them as strokes."""
    shaders = {name: _shader(name) for name in {_shader_name(layer) for layer in layers}}
    own = [shaders[_shader_name(layer)] for layer in layers]
    return [Stroke(layer, shader, _batch(shader, layer)) for layer, shader in zip(layers, own, strict=True)]


def _shader(name: str) -> GPUShader:
    return cast("GPUShader", gpu.shader.from_builtin(name))


def _shader_name(layer: Layer) -> str:
    if layer.is_solid:
        return "FLAT_COLOR"
    if layer.primitive is Primitive.LINES:
        return "POLYLINE_UNIFORM_COLOR"
    if layer.primitive is Primitive.POINTS and _HAS_POINT_SHADER:
        return "POINT_UNIFORM_COLOR"
    return "UNIFORM_COLOR"


def _batch(shader: GPUShader, layer: Layer) -> GPUBatch:
    content = {"pos": layer.vertices.astype(np.float32)}
    if layer.colours is not None:
        content["color"] = layer.colours.astype(np.float32)
    indices = None if layer.indices is None else layer.indices.astype(np.int32)
    return batch_for_shader(shader, layer.primitive.value, content, indices=indices)


def overlays_are_shown() -> bool:
    """Return whether the view that is being redrawn shows overlays."""
    space = bpy.context.space_data
    return isinstance(space, SpaceView3D) and space.overlay.show_overlays


def draw(strokes: Sequence[Stroke]) -> None:
    """Draw strokes in order, solid ones first; parts hidden by a surface are drawn fainter."""
    with _blended():
        for stroke in strokes:
            if stroke.layer.is_solid:
                _draw_solid(stroke)
        veils = [stroke for stroke in strokes if not stroke.layer.in_front and not stroke.layer.is_solid]
        for stroke in veils:
            _draw(stroke, "ALWAYS", _HIDDEN)
        for stroke in veils:
            _draw(stroke, "LESS_EQUAL", 1.0)
        for stroke in strokes:
            if stroke.layer.in_front:
                _draw(stroke, "ALWAYS", 1.0)


@contextmanager
def _blended() -> Iterator[None]:
    """Blend colours within the block, and restore the graphics state that Blender expects after it."""
    writes_depth = cast("bool", gpu.state.depth_mask_get())
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_mask_set(False)
    try:
        yield
    finally:
        gpu.state.blend_set("NONE")
        gpu.state.depth_mask_set(writes_depth)
        gpu.state.depth_test_set("NONE")
        gpu.state.point_size_set(1.0)


def _draw_solid(stroke: Stroke) -> None:
    gpu.state.depth_test_set("LESS_EQUAL")
    gpu.state.depth_mask_set(True)
    stroke.shader.bind()
    stroke.batch.draw(stroke.shader)
    gpu.state.depth_mask_set(False)


def _draw(stroke: Stroke, depth_test: str, opacity: float) -> None:
    layer, shader = stroke.layer, stroke.shader
    size = layer.size * cast("Preferences", bpy.context.preferences).system.ui_scale
    gpu.state.depth_test_set(depth_test)
    red, green, blue, alpha = layer.colour
    shader.bind()
    shader.uniform_float("color", (red, green, blue, alpha * opacity))
    if layer.primitive is Primitive.LINES:
        shader.uniform_float("viewportSize", _viewport())
        shader.uniform_float("lineWidth", size)
    elif layer.primitive is Primitive.POINTS:
        gpu.state.point_size_set(size)
    stroke.batch.draw(shader)


def _viewport() -> tuple[float, float]:
    """Return the width and height of the viewport in pixels."""
    _, _, width, height = cast("tuple[int, ...]", gpu.state.viewport_get())
    return float(width), float(height)
