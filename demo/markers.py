# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts made visible: an orange ball at each, and an arrow along its normal, longer for more force."""

from __future__ import annotations

import bpy
import numpy as np
from bpy.types import Collection, Material, Mesh, Object
from mathutils import Vector

from demo import studio
from physplace_addon.core.arrays import Floats
from physplace_addon.scene.access import scene_of
from physplace_addon.scene.writing.report import CONTACTS, FLOATS_A_CONTACT

COLLECTION = "Contacts"
LONGEST_NEEDLE = 12.0  # ball radii


def mark(obj: Object, radius: float) -> int:
    """Show an object's reported contacts with balls of a radius; returns how many there are."""
    contacts = np.reshape(list(obj[CONTACTS]), (-1, FLOATS_A_CONTACT))
    coat = studio.material("Contact", (1.0, 0.35, 0.0), Roughness=0.4)
    studio.glow(coat, (1.0, 0.25, 0.0), 1.0)
    target, ball, needle = _collection(), _ball(coat), _needle(coat)
    strongest = max(float(contacts[:, 6].max(initial=0.0)), 1e-12)
    for number, (*place, nx, ny, nz, force) in enumerate(contacts.tolist()):
        turn = Vector((nx, ny, nz)).to_track_quat("Z", "Y")
        length = LONGEST_NEEDLE * max(force / strongest, 0.1)
        for name, mesh, scale in (("ball", ball, (1.0, 1.0, 1.0)), ("normal", needle, (1.0, 1.0, length))):
            part = bpy.data.objects.new(f"{obj.name} contact {number} {name}", mesh)
            part.location, part.scale = place, [radius * factor for factor in scale]
            part.rotation_mode, part.rotation_quaternion = "QUATERNION", turn
            part["physplace_ignore"] = True
            target.objects.link(part)
    return len(contacts)


def _collection() -> Collection:
    found = bpy.data.collections.get(COLLECTION)
    if found is None:
        found = bpy.data.collections.new(COLLECTION)
        scene_of(bpy.context).collection.children.link(found)
    return found


def _ball(coat: Material) -> Mesh:
    angles, heights = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False), np.linspace(0.0, np.pi, 13)
    profile = np.column_stack([np.sin(heights), -np.cos(heights)])
    return _turned("Contact ball", profile, angles, coat)


def _needle(coat: Material) -> Mesh:
    angles = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    profile = np.array([[0.0, 0.0], [0.28, 0.0], [0.28, 0.8], [0.7, 0.8], [0.0, 1.0]])
    return _turned("Contact normal", profile, angles, coat)


def _turned(name: str, profile: Floats, angles: Floats, coat: Material) -> Mesh:
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    points = [(r * x, r * y, z) for r, z in profile for x, y in circle]
    rows, count = len(profile), len(angles)
    faces = [
        (i * count + j, i * count + (j + 1) % count, (i + 1) * count + (j + 1) % count, (i + 1) * count + j)
        for i in range(rows - 1)
        for j in range(count)
    ]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], faces)
    mesh.shade_smooth()
    mesh.materials.append(coat)
    return mesh
