# SPDX-License-Identifier: GPL-3.0-or-later
"""Surface objects as the exact patches of their splines.

Shape keys and modifiers change a surface as displayed, or its control points in a way that Blender does not
tell: then the displayed mesh stands.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from bpy.types import Depsgraph, Object, Spline, SurfaceCurve

from ..core import bodies
from ..core.bodies import Body
from ..core.errors import SurfaceError
from ..core.surfaces.bezier.splines import SplineSheet, spline_surface
from .curves import control_points
from .knots import Direction
from .visible import original

_AS_DISPLAYED = "its mesh as displayed, not its exact surface"


def spline_body(evaluated: Object, depsgraph: Depsgraph) -> tuple[Body | None, tuple[str, ...]]:
    """The body of a surface object's splines, in its local coordinates; None for an object that has none.

    Also notes on why the displayed mesh is taken instead.
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
    """Whether Blender shows a spline, and as a surface."""
    shown = spline.type == "NURBS" and not spline.hide
    return shown and Direction.u(spline).is_valid and Direction.v(spline).is_valid


def _changed_by(source: Object) -> str:
    """What makes an object be displayed other than its splines are; empty if nothing does."""
    if isinstance(source.data, SurfaceCurve) and source.data.shape_keys is not None:
        return "its shape keys"
    acting = [modifier.name for modifier in source.modifiers if modifier.show_viewport]
    return f'its modifier "{acting[0]}"' if acting else ""


def sheet_of(spline: Spline) -> SplineSheet:
    """A NURBS surface, with the points of its cyclic directions once more at their ends."""
    u, v = Direction.u(spline), Direction.v(spline)
    points = control_points(spline).reshape(v.count, u.count, 4).swapaxes(0, 1)[np.ix_(u.rows, v.rows)]
    return SplineSheet(points[..., :3], points[..., 3], (u.knots, v.knots))
