"""The solid that an open mesh stands for, where its holes are small: as a bust without a bottom.

Faces joined over edges where exactly two meet are a part. Each loop of its border gets a lid, a fan of
triangles from its middle. With g the centroid of a part and its lids, V their volume and L that of the cones
from g to the lids, the part is a solid if L <= SMALL V. The share L / V stays the same under affine maps. It
is 1/6 for a box or a cylinder of any height without its top, 2/9 for a shallow bowl, 1/4 for a cone without
its base, 1/3 for a tube: these are vessels and sheets. It is 1/9 for a ball that is cut off 0.7 of its radius
below the middle.

Solids that have less than half of all the area are trimmings on a sheet, and the whole is a sheet. Otherwise
what is no solid weighs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats, Ints, box_of, chosen
from .edges import EdgeTable, components, connected
from .mass import areas, signed_volumes
from .shells import LEAST_VOLUME, shells

SMALL = 1.0 / 8.0  # share of the volume under the lids, up to which they are lids of a solid


@dataclass(frozen=True, eq=False)
class Hull:
    """Triangles (k, 3, 3) that bound matter, wound alike, and what was found of the shells they make."""

    corners: Floats
    notes: tuple[str, ...]


def hull_of(corners: Floats, triangles: Ints, edges: EdgeTable) -> Hull | None:
    """The solid of an open mesh: corners (t, 3, 3) of triangles (t, 3) with their edges, that agree where
    they can; None if it is rather a sheet.
    """
    low, high = box_of(corners.reshape(-1, 3))
    middle, diagonal = 0.5 * (low + high), float(np.linalg.norm(high - low))
    corners = corners - middle
    part = connected(edges, edges.paired)
    sides = _border(part, triangles, edges)
    lids, owner = _lids(corners, triangles, part, sides), part[sides // 3]
    area = np.bincount(part, weights=areas(corners)).astype(np.float64, copy=False)
    full = _is_solid(corners, part, lids, owner, LEAST_VOLUME * diagonal * area)
    one_sided = edges.paired & (edges.balance != 0)  # as a Moebius strip
    full[part[edges.faces[one_sided, 0]]] = False
    if not full.any() or area[full].sum() < 0.5 * area.sum():
        return None
    shell = np.cumsum(full) - 1
    solid = np.concatenate([corners[full[part]], lids[full[owner]]])
    label = np.concatenate([shell[part[full[part]]], shell[owner[full[owner]]]])
    found = shells(solid, label, np.ones(len(solid), dtype=bool))
    if found.volume <= LEAST_VOLUME * diagonal * float(area.sum()):
        return None
    solid[found.turned] = solid[found.turned, ::-1]
    return Hull(chosen(solid, found.filled) + middle, found.notes)


def _border(part: Ints, triangles: Ints, edges: EdgeTable) -> Ints:
    """The sides (s,) at which parts (t,) end: side s of triangle i is 3 i + s. Where a part comes to an edge
    one way as often as the other, it does not end there.
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
    """The vertices (s,) from and to which sides (s,) of triangles run."""
    return triangles.ravel()[sides], triangles[sides // 3, (sides + 1) % 3]


def _lids(corners: Floats, triangles: Ints, part: Ints, sides: Ints) -> Floats:
    """The triangles (s, 3, 3) of the lids, one at each side (s,) of a border."""
    vertices = int(triangles.max()) + 1
    ends = np.stack(_ends(triangles, sides), axis=1) + vertices * part[sides // 3, None]
    nodes = np.unique(ends, return_inverse=True)[1].reshape(-1, 2)
    loop = components(nodes, int(nodes.max(initial=-1)) + 1)[nodes[:, 0]]
    start, end = corners[sides // 3, sides % 3], corners[sides // 3, (sides + 1) % 3]
    total = np.zeros((int(loop.max(initial=-1)) + 1, 3))
    np.add.at(total, loop, 0.5 * (start + end))
    middle = total / np.bincount(loop)[:, None]
    return np.stack([end, start, middle[loop]], axis=1)


def _is_solid(corners: Floats, part: Ints, lids: Floats, owner: Ints, least: Floats) -> Bools:
    """Which parts (p,) are solids: faces (t, 3, 3) and lids (s, 3, 3), the part of each, and the least
    volumes (p,) of any.
    """
    every, whose = np.concatenate([corners, lids]), np.concatenate([part, owner])
    volumes = signed_volumes(every)
    volume = np.bincount(whose, weights=volumes)
    some = np.abs(volume) > least
    moments = 0.25 * volumes * (every[:, 0] + every[:, 1] + every[:, 2]).T
    first = np.stack([np.bincount(whose, weights=moment) for moment in moments], axis=1)
    centroid = first / np.where(some, volume, 1.0)[:, None]
    under = np.abs(signed_volumes(lids - centroid[owner][:, None]))
    small = np.bincount(owner, weights=under, minlength=len(volume)) <= SMALL * np.abs(volume)
    solid: Bools = some & small
    return solid
