"""Boxes, and what was found of where they touch."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from tests.blender_data import (
    current_scene,
    mesh_of,
    physplace,
)
from tests.scene import scenes


def box(name: str, size: tuple[float, float, float], middle: tuple[float, float, float]) -> bpy.types.Object:
    """A box of some size about its middle."""
    made = scenes.cube(name, middle)
    mesh_of(made).vertices.foreach_set("co", (0.5 * scenes.CUBE * size).ravel())
    return made


def find(*objects: bpy.types.Object, **properties: object) -> dict[str, Any]:
    """Select just these objects, and find their contact regions; returns the report."""
    for obj in bpy.data.objects:
        obj.select_set(obj in objects)
    assert physplace.contact_regions(**properties) == {"FINISHED"}
    return report()


def report() -> dict[str, Any]:
    """The report that the scene carries."""
    found: dict[str, Any] = current_scene()["physplace_regions"].to_dict()
    return found


def points_of(region: dict[str, Any]) -> np.ndarray:
    """The points (n, 3) of a region."""
    return np.reshape(region["points"], (-1, 3))


def corners(region: dict[str, Any], digits: int = 5) -> set[tuple[float, ...]]:
    """The points of a region, rounded."""
    return {tuple(point) for point in (np.round(points_of(region), digits) + 0.0).tolist()}


def dimensions(found: dict[str, Any]) -> list[int]:
    return sorted(region["dimension"] for region in found["regions"])
