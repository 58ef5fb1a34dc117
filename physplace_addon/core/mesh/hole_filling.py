"""Hole filling: the solid that an open mesh stands for if its holes are small, such as a bust without a
bottom.

Faces joined across edges where exactly two meet are a part.  Each loop of its border is filled with a fan of
triangles from the loop's middle.  With g the centroid of the filled part, V its volume and L the volume of
the cones from g to the filling, the part is a solid if L <= SMALL V.  The ratio L / V is invariant under
affine maps.  It is 1/6 for a box or a cylinder of any height without its top, 2/9 for a shallow bowl, 1/4 for
a cone without its base, 1/3 for a tube: these are vessels and sheets.  It is 1/9 for a ball that is cut off
at 0.7 of its radius below the middle.

If all solids together have less than half of the area, the whole mesh is a sheet.  Otherwise the parts that
are not solid have no mass.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats, Ints, box_of, chosen
from .edges import EdgeTable, component_labels, shell_labels
from .mass import areas, signed_volumes
from .shells import LEAST_VOLUME, shells

SMALL = 1.0 / 8.0
"""Largest share of a solid's volume under its filled holes: between a cut ball (1/9) and an open box
(1/6)."""


@dataclass(frozen=True, eq=False)
class FilledMesh:
    """Triangles (k, 3, 3) that bound a solid, consistently oriented, and notes on their shells."""

    corners: Floats
    notes: tuple[str, ...]


def filled_mesh(corners: Floats, triangles: Ints, edges: EdgeTable) -> FilledMesh | None:
    """Return the solid of an open mesh, or None if the mesh is a sheet.

    Args:
        corners: (t, 3, 3), lengths.
        triangles: (t, 3), oriented alike where possible.
        edges: of the triangles.
    """
    low, high = box_of(corners.reshape(-1, 3))
    middle, diagonal = 0.5 * (low + high), float(np.linalg.norm(high - low))
    corners = corners - middle
    part = shell_labels(edges, edges.paired)
    sides = _border(part, triangles, edges)
    filling, owner = _fill_triangles(corners, triangles, part, sides), part[sides // 3]
    area = np.bincount(part, weights=areas(corners)).astype(np.float64, copy=False)
    full = _is_solid(corners, part, filling, owner, LEAST_VOLUME * diagonal * area)
    one_sided = edges.paired & (edges.balance != 0)  # a Moebius strip, for instance
    full[part[edges.faces[one_sided, 0]]] = False
    if not full.any() or area[full].sum() < 0.5 * area.sum():
        return None
    shell = np.cumsum(full) - 1
    solid = np.concatenate([corners[full[part]], filling[full[owner]]])
    label = np.concatenate([shell[part[full[part]]], shell[owner[full[owner]]]])
    found = shells(solid, label, np.ones(len(solid), dtype=bool))
    if found.volume <= LEAST_VOLUME * diagonal * float(area.sum()):
        return None
    solid[found.turned] = solid[found.turned, ::-1]
    return FilledMesh(chosen(solid, found.filled) + middle, found.notes)


def _border(part: Ints, triangles: Ints, edges: EdgeTable) -> Ints:
    """Return the sides (s,) at which parts end; part (t,) is that of each triangle.

    A part does not end at an edge that it runs along as often one way as the other.
    """
    edge = np.repeat(np.arange(len(edges.count)), edges.count)
    alone = ~edges.paired[edge]
    sides = edges.order[alone]
    start, end = _ends(triangles, sides)
    places = np.unique(edge[alone] * (int(part.max()) + 1) + part[sides // 3], return_inverse=True)[1].ravel()
    balance = np.bincount(places, weights=np.where(start < end, 1, -1))
    ending: Ints = sides[balance[places] != 0.0]
    return ending


def _ends(triangles: Ints, sides: Ints) -> tuple[Ints, Ints]:
    """Return the vertices (s,) at the start and at the end of sides (s,) of triangles (t, 3)."""
    return triangles.ravel()[sides], triangles[sides // 3, (sides + 1) % 3]


def _fill_triangles(corners: Floats, triangles: Ints, part: Ints, sides: Ints) -> Floats:
    """Return the triangles (s, 3, 3) that fill holes, one at each side (s,) of a border."""
    vertices = int(triangles.max()) + 1
    ends = np.stack(_ends(triangles, sides), axis=1) + vertices * part[sides // 3, None]
    nodes = np.unique(ends, return_inverse=True)[1].reshape(-1, 2)
    loop = component_labels(nodes, int(nodes.max(initial=-1)) + 1)[nodes[:, 0]]
    start, end = corners[sides // 3, sides % 3], corners[sides // 3, (sides + 1) % 3]
    total = np.zeros((int(loop.max(initial=-1)) + 1, 3))
    np.add.at(total, loop, 0.5 * (start + end))
    middle = total / np.bincount(loop)[:, None]
    return np.stack([end, start, middle[loop]], axis=1)


def _is_solid(corners: Floats, part: Ints, filling: Floats, owner: Ints, least: Floats) -> Bools:
    """Return which parts (p,) are solids.

    Args:
        corners, part: faces (t, 3, 3) and the part (t,) of each.
        filling, owner: triangles (s, 3, 3) that fill holes and the part (s,) of each.
        least: volumes (p,) that a solid must exceed.
    """
    every, whose = np.concatenate([corners, filling]), np.concatenate([part, owner])
    volumes = signed_volumes(every)
    volume = np.bincount(whose, weights=volumes)
    some = np.abs(volume) > least
    moments = 0.25 * volumes * (every[:, 0] + every[:, 1] + every[:, 2]).T
    first = np.stack([np.bincount(whose, weights=moment) for moment in moments], axis=1)
    centroid = first / np.where(some, volume, 1.0)[:, None]
    under = np.abs(signed_volumes(filling - centroid[owner][:, None]))
    small = np.bincount(owner, weights=under, minlength=len(volume)) <= SMALL * np.abs(volume)
    solid: Bools = some & small
    return solid
