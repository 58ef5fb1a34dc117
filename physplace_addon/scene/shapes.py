# SPDX-License-Identifier: GPL-3.0-or-later
"""The body of each thing that is visible: its exact surface, that of its splines, the limit of its
subdivision, its curved smooth faces, or the polyhedron of its evaluated mesh.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from bpy.types import Depsgraph

from ..core import bodies
from ..core.arrays import Floats
from ..core.bodies import Body
from ..core.errors import MeshError
from .affine import is_singular
from .blob_bodies import body_of_blob
from .blobs import is_blob
from .definitions import body_of
from .errors import SceneError
from .meshes import triangles_of
from .smooth import smooth_body
from .splines import spline_body
from .subdivision import limit_body
from .visible import Item, original

NOT_FINITE, RESET = "its transform is not finite", "reset its location, rotation and scale"


class Reader:
    """Makes bodies of items; instances of one mesh are cleaned and analysed once.

    `left_out` has the names of objects whose faces bound nothing, as faces without area, and why.
    """

    def __init__(self, depsgraph: Depsgraph) -> None:
        self._depsgraph = depsgraph
        self.left_out: dict[str, MeshError] = {}
        self._known: dict[tuple[str, int], Body | None] = {}

    def body(self, item: Item, affine: Floats) -> Body | None:
        """The item's body after an affine map (4, 4); None for an item without faces, one that is left out,
        or one shrunk to nothing.
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

    def _flattened(self, item: Item, affine: Floats) -> Body | None:
        if item.exact:
            raise SceneError(item.evaluated.name, "its scale is zero", "give it a scale on every axis")
        return self._polyhedron(item, affine)

    def _shown(self, item: Item) -> Body | None:
        make = spline_body if original(item.evaluated).type == "SURFACE" else limit_body
        curved, notes = make(item.evaluated, self._depsgraph)
        if curved is None and not notes:
            curved, notes = smooth_body(item.evaluated, self._depsgraph)
        body = self._polyhedron(item, np.eye(4)) if curved is None else curved
        return None if body is None else replace(body, notes=(*notes, *body.notes))

    def _polyhedron(self, item: Item, affine: Floats) -> Body | None:
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


def _exact(item: Item) -> Body:
    if is_blob(item.evaluated):
        return body_of_blob(original(item.evaluated))
    return body_of(item.evaluated)
