"""The boundary of the body that a subdivision cage stands for: its Catmull-Clark limit surface."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, Ints
from ...errors import SurfaceError
from ..bezier_joins import Joins
from ..parameters import finite_array
from .cage import Cage, prepared
from .complexes import CageComplex, Sheets, boundary_of
from .limit import KIND, limit_of
from .mass import mass_of
from .meshing import bounds_of, degenerate
from .neighbourhoods import corners_of
from .refinement import refined
from .seams import joins_within
from .sheets import LimitSheet, hubs_of


def quadrilaterals(points: ArrayLike, cage: Cage, sharp_corners: bool) -> tuple[Cage, Floats]:
    """Return a prepared cage of quadrilaterals with the same limit, and its points.

    sharp_corners: whether a border keeps the corner of a face that is alone there.
    Raises SurfaceError for no faces, or points (nv, 3) that are not finite.
    """
    at = finite_array(KIND, "points", points)
    if not len(cage.sizes):
        raise SurfaceError(KIND, "cage", "has no faces", "give it faces")
    cage = prepared(cage, sharp_corners)
    if (cage.sizes == 4).all():
        return cage, at
    cage, matrix = refined(cage)
    return cage, np.asarray(matrix @ at)


def subdivision(cage: Cage, points: Floats, closed: bool) -> CageComplex:
    """Return the limit surface of a prepared cage of quadrilaterals, which encloses a solid or not.

    Raises SurfaceError for a surface without tangent planes.
    """
    nets = limit_of(cage, points)
    bad = int(degenerate(nets).sum())
    if bad:
        raise SurfaceError(KIND, "cage", f"{bad} of its faces have no size", "merge its vertices by distance")
    vertices, odd = cage.corners.reshape(-1, 4), ~corners_of(cage).regular.reshape(-1, 4)

    def bounds(rows: Ints, counts: Ints, enough: float) -> Floats:
        return bounds_of(nets.taken(rows), counts, enough)

    def sheets_of(face: Ints, joins: Joins) -> Sheets:
        sheets, origins = [], np.empty((len(face), 2))
        for number in range(int(face.max()) + 1):
            own = np.flatnonzero(face == number)
            mine, none = nets.taken(own), np.full(len(own), -1, dtype=np.intp)
            hubs = hubs_of(mine, vertices[own], odd[own])
            sheets.append(LimitSheet(mine, joins_within(joins, own), (), none, hubs))
            origins[own] = sheets[-1].board.origins
        return tuple(sheets), origins

    return boundary_of(KIND, cage, nets, bounds, sheets_of, closed, mass_of(nets, closed))
