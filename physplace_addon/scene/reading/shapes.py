# SPDX-License-Identifier: GPL-3.0-or-later
"""The body of each visible thing.

It is the object's exact surface, the exact patches of its splines, the limit of its subdivision, its curved
smooth faces, or the polyhedron of its evaluated mesh.

A surface object is the exact patches of its splines, unless shape keys or modifiers change it: these change
the displayed surface, or its control points, in a way that Blender's API does not give. Then its body is the
polyhedron of the displayed mesh, and a note says why.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from bpy.types import Depsgraph, Object, Spline, SurfaceCurve

from ...core import bodies
from ...core.arrays import Floats
from ...core.bodies import Body
from ...core.errors import MeshError, SurfaceError
from ...core.surfaces.bezier.splines import SplineSheet, spline_surface
from ..access import original
from ..affine import is_singular
from ..blobs.bodies import body_of_blob
from ..blobs.objects import is_blob
from ..errors import SceneError
from .curves import Direction, control_points
from .definitions import body_of
from .meshes import triangles_of
from .smooth import smooth_body
from .subdivision import limit_body
from .visible import VisibleItem

NOT_FINITE, RESET = "its transform is not finite", "reset its location, rotation and scale"
_AS_DISPLAYED = "its mesh as displayed, not its exact surface"


class BodyReader:
    """Makes bodies of visible items; a mesh with several instances is read once.

    Attributes:
        left_out: for each object whose faces bound nothing (such as faces without area), by name, the reason.
    """

    def __init__(self, depsgraph: Depsgraph) -> None:
        self._depsgraph = depsgraph
        self.left_out: dict[str, MeshError] = {}
        self._known: dict[tuple[str, int], Body | None] = {}

    def body(self, item: VisibleItem, affine: Floats) -> Body | None:
        """Return an item's body after an affine map (4, 4).

        None for an item without faces, one that is left out, or one whose scale is zero on all axes. Raises
        SceneError for a map that is not finite, and for an exact surface flattened by a zero scale.
        """
        name = item.evaluated.name
        if not np.all(np.isfinite(affine)):
            raise SceneError(name, NOT_FINITE, RESET)
        if not affine[:3, :3].any():
            return None
        if is_singular(affine):
            return self._flattened(item, affine)
        key = (name, item.evaluated.data.as_pointer() if item.evaluated.data else 0)
        if key not in self._known:
            self._known[key] = _exact(item) if item.exact else self._shown(item)
        known = self._known[key]
        return None if known is None else known.transformed(affine, name=name)

    def _flattened(self, item: VisibleItem, affine: Floats) -> Body | None:
        if item.exact:
            raise SceneError(item.evaluated.name, "its scale is zero", "give it a scale on every axis")
        return self._polyhedron(item, affine)

    def _shown(self, item: VisibleItem) -> Body | None:
        make = spline_body if original(item.evaluated).type == "SURFACE" else limit_body
        curved, notes = make(item.evaluated, self._depsgraph)
        if curved is None and not notes:
            curved, notes = smooth_body(item.evaluated, self._depsgraph)
        body = self._polyhedron(item, np.eye(4)) if curved is None else curved
        return None if body is None else replace(body, notes=(*notes, *body.notes))

    def _polyhedron(self, item: VisibleItem, affine: Floats) -> Body | None:
        mesh = triangles_of(item.evaluated)
        if mesh is None or len(mesh.triangles) == 0:
            return None
        with np.errstate(invalid="ignore"):  # a place that is not finite stays so
            moved = mesh.points @ affine[:3, :3].T + affine[:3, 3]
        try:
            body = bodies.polyhedron(moved, mesh.triangles, item.evaluated.name)
        except MeshError as error:
            self.left_out[item.evaluated.name] = error
            return None
        holed = [f"{mesh.holed} faces with holes in them"] if mesh.holed else []
        return replace(body, notes=(*holed, *body.notes))


def _exact(item: VisibleItem) -> Body:
    if is_blob(item.evaluated):
        return body_of_blob(original(item.evaluated))
    return body_of(item.evaluated)


def spline_body(evaluated: Object, depsgraph: Depsgraph) -> tuple[Body | None, tuple[str, ...]]:
    """Return the body of a surface object's splines, in its local coordinates.

    Returns:
        body: None for an object that has no such splines, or whose displayed mesh counts instead.
        notes: why the displayed mesh counts instead, if it does.
    """
    source = original(evaluated)
    if not isinstance(source.data, SurfaceCurve):
        return None, ()
    surface = source.evaluated_get(depsgraph).data
    assert isinstance(surface, SurfaceCurve)
    sheets = [sheet_of(spline) for spline in surface.splines if _is_sheet(spline)]
    if not sheets:
        return None, ()
    because = _changed_by(source)
    if because:
        return None, (f"{_AS_DISPLAYED}, because of {because}",)
    try:
        body = bodies.exact(spline_surface(sheets), source.name)
    except SurfaceError as error:
        return None, (f"{_AS_DISPLAYED}: {error.subject} {error.found}",)
    return replace(body, notes=("exact surface of its splines", *body.notes)), ()


def _is_sheet(spline: Spline) -> bool:
    """Return whether Blender shows a spline as a surface."""
    shown = spline.type == "NURBS" and not spline.hide
    return shown and Direction.u(spline).is_valid and Direction.v(spline).is_valid


def _changed_by(source: Object) -> str:
    """Return what makes the display of an object differ from its splines; empty if nothing does."""
    if isinstance(source.data, SurfaceCurve) and source.data.shape_keys is not None:
        return "its shape keys"
    acting = [modifier.name for modifier in source.modifiers if modifier.show_viewport]
    return f'its modifier "{acting[0]}"' if acting else ""


def sheet_of(spline: Spline) -> SplineSheet:
    """Return a NURBS surface; the first points of its cyclic directions stand again at their ends."""
    u, v = Direction.u(spline), Direction.v(spline)
    points = control_points(spline).reshape(v.count, u.count, 4).swapaxes(0, 1)[np.ix_(u.rows, v.rows)]
    return SplineSheet(points[..., :3], points[..., 3], (u.knots, v.knots))
