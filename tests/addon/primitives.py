"""Blender's own primitives, as its Add menu makes them: those with faces, and curves with a bevel."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import bpy

from tests.blender_data import active_object, of_type, operators_of

MESHES = tuple(
    f"{kind}_add"
    for kind in (
        "circle",
        "cone",
        "cube",
        "cylinder",
        "grid",
        "ico_sphere",
        "monkey",
        "plane",
        "torus",
        "uv_sphere",
    )
)
CURVES = ("bezier_circle_add", "bezier_curve_add", "nurbs_circle_add", "nurbs_curve_add", "nurbs_path_add")
SURFACES = tuple(f"nurbs_surface_{kind}_add" for kind in ("cylinder", "sphere", "surface", "torus"))
BLOBS = ("BALL", "CAPSULE", "PLANE", "ELLIPSOID", "CUBE")


def _mesh(name: str) -> None:
    getattr(bpy.ops.mesh, f"primitive_{name}")(**({"fill_type": "NGON"} if name == "circle_add" else {}))


def _curve(name: str) -> None:
    getattr(bpy.ops.curve, f"primitive_{name}")()
    of_type(active_object().data, bpy.types.Curve).bevel_depth = 0.1


def _surface(name: str) -> None:
    getattr(bpy.ops.surface, f"primitive_{name}")()


def _blob(kind: str) -> None:
    operators_of("object").metaball_add(type=kind)


MAKERS: dict[str, Callable[[], object]] = {
    **{name: partial(_mesh, name) for name in MESHES},
    **{name: partial(_curve, name) for name in CURVES},
    **{name: partial(_surface, name) for name in SURFACES},
    **{f"metaball {kind.lower()}": partial(_blob, kind) for kind in BLOBS},
    "text": lambda: bpy.ops.object.text_add(),
}


def made(name: str) -> bpy.types.Object:
    """A primitive, high over the origin and turned."""
    MAKERS[name]()
    obj = active_object()
    obj.location, obj.rotation_euler = (0.0, 0.0, 4.0), (0.4, 0.3, 0.2)
    return obj
