# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials, light, camera and renders."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

import bpy
from bpy.types import AreaLight, Material, Mesh, Node, Object
from mathutils import Vector

from demo.quiet import progress
from physplace_addon.scene.access import present, scene_of

BOUNCES = 4

Color = tuple[float, float, float]


@dataclass(frozen=True)
class Quality:
    """Width and height of a picture in pixels, and samples a pixel; Cycles' denoiser does the rest."""

    width: int = 640
    height: int = 480
    samples: int = 8


FULL = Quality()
SMALL = Quality(width=160, height=120, samples=4)


class _Valued(Protocol):
    """A node's input that has a value: Blender's stubs know only the inputs that have none."""

    default_value: object


class _WithEngine(Protocol):
    """A scene's render settings: the stubs know only Blender's own engine."""

    engine: str


class _CyclesSettings(Protocol):
    """The settings that Cycles, an add-on, adds to a scene; the stubs know no add-on's."""

    device: str
    samples: int
    use_denoising: bool
    denoising_prefilter: str
    max_bounces: int
    use_light_tree: bool


class _Cycles(Protocol):
    """A scene with Cycles' settings."""

    @property
    def cycles(self) -> _CyclesSettings: ...


def material(name: str, color: Color, **inputs: float) -> Material:
    """Return a new Principled material; `inputs` are named like its sockets, with underscores for spaces."""
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    _set_input(_shader(made), "Base Color", (*color, 1.0))
    adjust(made, **inputs)
    return made


def adjust(coat: Material, **inputs: float) -> None:
    """Set inputs of a Principled material, named like its sockets, with underscores for spaces."""
    for key, value in inputs.items():
        _set_input(_shader(coat), key.replace("_", " "), value)


def glow(coat: Material, color: Color, strength: float) -> None:
    """Let a Principled material emit light of this color."""
    _set_input(_shader(coat), "Emission Color", (*color, 1.0))
    _set_input(_shader(coat), "Emission Strength", strength)


def mesh_of(obj: Object) -> Mesh:
    """Return an object's mesh.

    Raises:
        TypeError: the object has no mesh.
    """
    if not isinstance(obj.data, Mesh):
        raise TypeError(f'"{obj.name}": expected a mesh, found {obj.type}')
    return obj.data


def paint(obj: Object, coat: Material) -> None:
    """Give an object and all its children one material."""
    for part in (obj, *obj.children_recursive):
        materials = mesh_of(part).materials
        materials.clear()
        materials.append(coat)


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
    background = present(world.node_tree).nodes["Background"]
    _set_input(background, "Color", (0.60, 0.66, 0.75, 1.0))
    _set_input(background, "Strength", 0.42)
    scene = scene_of(bpy.context)
    scene.world = world
    lens = bpy.data.cameras.new("Camera")
    lens.lens = 55.0
    camera = bpy.data.objects.new("Camera", lens)
    scene.collection.objects.link(camera)
    camera.location = focus + distance * Vector((0.50, -1.0, 0.80)).normalized()
    look_at(camera, focus)
    scene.camera = camera


def render(path: Path, quality: Quality = FULL) -> None:
    """Render the scene as it is to a PNG file, with Cycles on the processor."""
    scene = scene_of(bpy.context)
    cast("_WithEngine", scene.render).engine = "CYCLES"
    cycles = cast("_Cycles", scene).cycles
    cycles.device = "CPU"
    cycles.samples = quality.samples
    cycles.use_denoising = True
    cycles.denoising_prefilter = "FAST"
    cycles.max_bounces = BOUNCES
    cycles.use_light_tree = False  # it costs a quarter of the time, and there are only three lamps
    scene.render.resolution_x, scene.render.resolution_y = quality.width, quality.height
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "PNG"
    # A picture to show, not a log of who made it where.
    scene.render.use_stamp_filename = scene.render.use_stamp_date = False
    scene.render.use_stamp_time = scene.render.use_stamp_render_time = False
    scene.render.filepath = str(path)
    with progress(f"Rendering {path.name}"):
        bpy.ops.render.render(write_still=True)


def look_at(obj: Object, target: Vector) -> None:
    """Turn an object so that its local -Z axis points at a target, and its local Y axis up."""
    obj.rotation_euler = (target - obj.location).to_track_quat("-Z", "Y").to_euler()


def _shader(coat: Material) -> Node:
    return present(coat.node_tree).nodes["Principled BSDF"]


def _set_input(node: Node, name: str, value: float | tuple[float, ...]) -> None:
    cast("_Valued", node.inputs[name]).default_value = value


def _area(name: str, location: Vector, target: Vector, power: float, size: float, color: Color) -> None:
    lamp = cast("AreaLight", bpy.data.lights.new(name, "AREA"))
    lamp.energy, lamp.size, lamp.color = power, size, color
    obj = bpy.data.objects.new(name, lamp)
    scene_of(bpy.context).collection.objects.link(obj)
    obj.location = location
    look_at(obj, target)
