# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes whose last modifier is Subdivision Surface: their cages after the modifiers before it.

The cage is read from the object's own mesh, with its vertices where shape keys and deforming modifiers move
them. With a modifier before that adds or removes faces, or any modifier after, the displayed mesh counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import bmesh
import bpy
import numpy as np
from bpy.types import Depsgraph, FloatAttribute, Mesh, Modifier, Object, SubsurfModifier

from ...core.arrays import Floats, Ints
from ...core.bodies.curved_meshes import subdivided
from ...core.errors import SurfaceError
from ...core.surfaces.subdivision.cage import Cage
from ..access import original
from .kept_bodies import MadeBody, digest
from .meshes import faces_of

FULL = 10.0  # sharpness in Pixar's OpenSubdiv of Blender's crease 1; it grows with the crease's square
DEFORMED_CAGES = (4, 5, 0)  # first Blender that gives deformed cages; older ones give them subdivided
_AS_DISPLAYED = "subdivided as displayed, not to its limit"
_DEFORMING = frozenset(
    {
        "ARMATURE",
        "CAST",
        "CORRECTIVE_SMOOTH",
        "CURVE",
        "DISPLACE",
        "HOOK",
        "LAPLACIANDEFORM",
        "LAPLACIANSMOOTH",
        "LATTICE",
        "MESH_DEFORM",
        "SHRINKWRAP",
        "SIMPLE_DEFORM",
        "SMOOTH",
        "SURFACE_DEFORM",
        "WARP",
        "WAVE",
    }
)


@dataclass(frozen=True, eq=False)
class LimitSource:
    """What a limit surface is made of: a cage, its points (n, 3), and whether its corners stay sharp."""

    points: Floats
    cage: Cage
    sharp_corners: bool

    @property
    def content(self) -> bytes:
        """What the surface is."""
        cage = self.cage
        arrays = cage.corners, cage.starts, cage.edge_sharpness, cage.vertex_sharpness
        return digest("limit", self.points, arrays, self.sharp_corners)

    def made(self) -> MadeBody:
        """Return the body in the mesh's coordinates; none, with the reason, where the display counts."""
        try:
            return MadeBody(subdivided(self.points, self.cage, "mesh", self.sharp_corners))
        except SurfaceError as error:
            return MadeBody(None, (f"{_AS_DISPLAYED}: {error.subject} {error.found}",))


def limit_source(evaluated: Object, depsgraph: Depsgraph) -> tuple[LimitSource | None, tuple[str, ...]]:
    """Return what an object's limit surface is made of.

    Returns:
        source: None for an object that has none, or whose displayed mesh counts instead.
        notes: why the displayed mesh counts instead, if it does.
    """
    modifiers = [modifier for modifier in evaluated.modifiers if _acts(modifier)]
    numbers = [i for i, modifier in enumerate(modifiers) if _subdivides(modifier)]
    source = original(evaluated)
    if not numbers or source.type != "MESH" or not isinstance(source.data, Mesh):
        return None, ()
    before = [modifier for modifier in modifiers[: numbers[-1]] if modifier.type not in _DEFORMING]
    others = [*modifiers[numbers[-1] + 1 :], *before]
    if others:
        return None, (f'{_AS_DISPLAYED}, because of its modifier "{others[0].name}"',)
    last = modifiers[-1]
    assert isinstance(last, SubsurfModifier)
    if not len(source.data.polygons):
        return None, ()
    deformed = len(modifiers) > 1 or source.data.shape_keys is not None
    if deformed and bpy.app.version < DEFORMED_CAGES:
        return None, (f"{_AS_DISPLAYED}: Blender gives no deformed cage before 4.5",)
    cage = cage_of(source.data, last.use_creases)
    points = _points(source, depsgraph, deformed)
    return LimitSource(points, cage, last.boundary_smooth == "PRESERVE_CORNERS"), ()


def _acts(modifier: Modifier) -> bool:
    """Return whether a modifier changes the display; one with zero subdivisions does not."""
    shown = modifier.show_viewport
    return bool(shown and (modifier.levels > 0 if isinstance(modifier, SubsurfModifier) else True))


def _subdivides(modifier: Modifier) -> bool:
    return isinstance(modifier, SubsurfModifier) and modifier.subdivision_type == "CATMULL_CLARK"


def _points(source: Object, depsgraph: Depsgraph, deformed: bool) -> Floats:
    """Return the cage's vertices (n, 3), after shape keys and modifiers if it is deformed."""
    mesh = source.data
    assert isinstance(mesh, Mesh)
    if deformed:
        cage = bmesh.new()
        try:
            cage.from_object(source, depsgraph, cage=True, face_normals=False)
            return np.array([vertex.co for vertex in cage.verts], dtype=np.float64)
        finally:
            cage.free()
    points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", points)
    return points.reshape(-1, 3).astype(np.float64)


def cage_of(mesh: Mesh, creased: bool) -> Cage:
    """Return the cage of a mesh; creased: whether its creases count."""
    corners, edges, starts = faces_of(mesh)
    edge = _sharpness(mesh, "crease_edge", len(mesh.edges), creased)
    vertex = _sharpness(mesh, "crease_vert", len(mesh.vertices), creased)
    vertex[_ends_of_loose(mesh, edges)] = FULL
    return Cage(corners, starts, edge[edges], vertex)


def _sharpness(mesh: Mesh, name: str, count: int, creased: bool) -> Floats:
    values = np.zeros(count, dtype=np.float32)
    attribute = cast("FloatAttribute | None", mesh.attributes.get(name))
    if creased and attribute is not None:
        attribute.data.foreach_get("value", values)
    return np.asarray(values * values * np.float32(FULL), dtype=np.float64)


def _ends_of_loose(mesh: Mesh, used: Ints) -> Ints:
    """Return the vertices of edges without faces: Blender keeps the surface sharp there."""
    ends = np.empty(2 * len(mesh.edges), dtype=np.int32)
    mesh.edges.foreach_get("vertices", ends)
    loose = np.ones(len(mesh.edges), dtype=np.bool_)
    loose[used] = False
    return ends.reshape(-1, 2)[loose].ravel().astype(np.intp)
