# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials, light, camera and renders."""

from __future__ import annotations

from pathlib import Path

import bpy
from bpy.types import Material, Object
from mathutils import Vector

SAMPLES = 24
WIDTH, HEIGHT = 640, 480
BOUNCES = 5


def material(name: str, color: tuple[float, float, float], **inputs: float) -> Material:
    """A Principled material; inputs by the socket's name, spaces as underscores."""
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*color, 1.0)
    for key, value in inputs.items():
        shader.inputs[key.replace("_", " ")].default_value = value
    return made


def paint(obj: Object, coat: Material) -> None:
    """Give an object and all its children one material."""
    for part in (obj, *obj.children_recursive):
        part.data.materials.clear()
        part.data.materials.append(coat)


def light_and_camera(target: tuple[float, float, float], distance: float) -> None:
    """A soft key light, a fill and a rim light about a target, and a camera that looks at it."""
    scale = distance / 4.0
    focus = Vector(target)
    _area(
        "Key",
        focus + scale * Vector((-2.2, -1.6, 3.6)),
        focus,
        150.0 * scale**2,
        2.2 * scale,
        (1.0, 0.95, 0.88),
    )
    _area(
        "Fill",
        focus + scale * Vector((3.5, -2.0, 2.0)),
        focus,
        36.0 * scale**2,
        3.5 * scale,
        (0.85, 0.92, 1.0),
    )
    _area(
        "Rim", focus + scale * Vector((1.0, 3.6, 2.6)), focus, 110.0 * scale**2, 1.6 * scale, (1.0, 1.0, 1.0)
    )
    world = bpy.data.worlds.new("Studio")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.60, 0.66, 0.75, 1.0)
    world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.42
    bpy.context.scene.world = world
    lens = bpy.data.cameras.new("Camera")
    lens.lens = 55.0
    camera = bpy.data.objects.new("Camera", lens)
    bpy.context.scene.collection.objects.link(camera)
    camera.location = focus + distance * Vector((0.50, -1.0, 0.80)).normalized()
    _look_at(camera, focus)
    bpy.context.scene.camera = camera


def render(path: Path, samples: int = SAMPLES) -> None:
    """Render the scene as it is with Cycles on the processor."""
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = samples
    scene.cycles.use_denoising = True
    scene.cycles.denoising_prefilter = "FAST"
    scene.cycles.max_bounces = BOUNCES
    scene.render.resolution_x, scene.render.resolution_y = WIDTH, HEIGHT
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "PNG"
    for stamp in (
        "filename",
        "date",
        "time",
        "render_time",
    ):  # a picture to show, not a log of who made it where
        setattr(scene.render, f"use_stamp_{stamp}", False)
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    print(f"Rendered {path}")


def _area(
    name: str, location: Vector, target: Vector, power: float, size: float, color: tuple[float, float, float]
) -> None:
    lamp = bpy.data.lights.new(name, "AREA")
    lamp.energy, lamp.size, lamp.color = power, size, color
    obj = bpy.data.objects.new(name, lamp)
    bpy.context.scene.collection.objects.link(obj)
    obj.location = location
    _look_at(obj, target)


def _look_at(obj: Object, target: Vector) -> None:
    obj.rotation_euler = (target - obj.location).to_track_quat("-Z", "Y").to_euler()
