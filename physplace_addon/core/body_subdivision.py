"""A body from a subdivision cage: its faces turned to agree and to look out, as those of any mesh are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Bools, Floats
from .body import Body
from .body_exact import exact
from .mesh.orientation import oriented
from .surfaces.subdivision.bodies import quadrilaterals, subdivision
from .surfaces.subdivision.cage import Cage
from .surfaces.subdivision.complex import CageComplex


def subdivided(points: ArrayLike, cage: Cage, name: str, sharp_corners: bool = False) -> Body:
    """The body of the Catmull-Clark limit of a cage with points (nv, 3).

    sharp_corners: whether a border keeps the corner of a face that is alone there.
    Raises SurfaceError for no faces, points that are not finite, a surface without tangent planes, or one
    that bends too sharply for its triangles.
    """
    found, turned = limit_complex(points, cage, sharp_corners)
    notes = [f"limit surface of {len(cage.sizes)} faces"]
    notes += ["faces turned over to agree, or to look out of the solid"] if turned else []
    body = exact(found, name)
    return replace(body, notes=(*notes, *body.notes))


def limit_complex(points: ArrayLike, cage: Cage, sharp_corners: bool = False) -> tuple[CageComplex, bool]:
    """The limit of a cage as faces, edges and vertices, and whether faces had to be turned over."""
    cage, at = quadrilaterals(points, cage, sharp_corners)
    cage, turned, closed = _turned_outwards(cage, at)
    return subdivision(cage, at, closed), bool(turned.any())


def _turned_outwards(cage: Cage, points: Floats) -> tuple[Cage, Bools, bool]:
    """The cage with faces (nf,) turned over so that they agree and look out of a solid; which ones were; and
    whether they enclose one.

    Edges that were sharp because their faces did not agree stay so.
    """
    quads = cage.corners.reshape(-1, 4)
    halves = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    found = oriented(points, halves, np.zeros(len(halves), dtype=np.bool_))
    turned: Bools = (found.triangles[: len(quads)] != halves[: len(quads)]).any(axis=1)
    corners = np.where(turned[:, None], quads[:, [0, 3, 2, 1]], quads)
    sharp = cage.edge_sharpness.reshape(-1, 4)
    sharp = np.where(turned[:, None], sharp[:, ::-1], sharp)
    return replace(cage, corners=corners.ravel(), edge_sharpness=sharp.ravel()), turned, found.closed
