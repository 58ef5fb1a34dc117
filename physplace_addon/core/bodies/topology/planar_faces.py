"""Planar faces: triangles that lie in one plane as a whole, joined across edges.

Two triangles may join across an edge if exactly they meet there, they agree on which side is out, and the
corner of each that is not on the edge is within a tolerance of the other's plane.  For a sliver, whose own
normal is mostly rounding, one of the two heights is enough.

1. Triangles that join with both heights form regions.  A region's plane has the sum of its triangles' area
   vectors as normal, and lies halfway between its lowest and its highest corner.  A region within the
   tolerance of its plane is done.  Another, such as a smooth bend of many small facets, falls apart into its
   triangles.
2. Regions grow.  In each round some regions ask their largest neighbour to take them.  It does so if their
   corners are within the tolerance of its plane; if not, the two never join.  So every region is planar as a
   whole in every round, and a bend becomes a few strips that are planar within the tolerance.

The tolerance is a share of the size of a shell (triangles joined across edges), so that a small part of a
large body keeps its faces.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from ...arrays import ArrayRecord, Bools, Floats, Ints
from ...mesh.edges import HASH_FACTOR, EdgeTable, component_labels, stable_order
from ...vectors import cross, dot, length, length_and_unit

PLANAR = 3e-7
"""Largest distance of a face's corners from its plane, over the largest coordinate of its shell: five times
the rounding of float32.  A prism of 10,000 sides has 4e-7."""

FARTHEST = 64.0
"""Largest coordinate of a shell that counts, over half its size: float32 rounds it by 4e-6 of the size."""

_THIN = 16.0
"""Height of a triangle over its longest side, in tolerances, below which its own normal is not used."""


@dataclass(frozen=True, eq=False)
class Facets(ArrayRecord):
    """The triangles of a mesh: first corner (t, 3), area vector and unit normal (t, 3), tolerance (t,).

    corners (t, 3, 3), lengths.  thin (t,): whether the unit normal is mostly rounding error.
    """

    corners: Floats
    area: Floats
    normal: Floats
    tolerance: Floats
    thin: Bools


@dataclass(frozen=True, eq=False)
class Planes:
    """The planes of f regions of triangles: unit normals (f, 3), points (f, 3) on them, areas (f,).

    deviation (f,): the farthest corner off the plane, a length.
    """

    normal: Floats
    point: Floats
    area: Floats
    deviation: Floats


def planar_faces(facets: Facets, edges: EdgeTable, flat: Bools) -> tuple[Ints, Planes]:
    """Return the planar face (t,) of each triangle, numbered by their first triangles, -1 for curved ones;
    and the planes of the faces.

    Args:
        facets: the triangles.
        edges: their edges.
        flat: which triangles (t,) belong to flat faces.
    """
    sides, heights = _facing(facets, edges, flat)
    first, second = sides.T // 3
    within = heights <= np.minimum(facets.tolerance[first], facets.tolerance[second])[:, None]
    agree = dot(facets.normal[first], facets.normal[second]) > 0.0
    both = within.all(axis=1) & agree
    label = component_labels(np.stack([first[both], second[both]], axis=1), len(flat))
    label = _fallen_apart(facets, label)
    some = within.any(axis=1) & (agree | facets.thin[first] | facets.thin[second])
    some &= label[first] != label[second]
    label, guide = _grown(facets, label, np.stack([first[some], second[some]], axis=1))
    label = _numbered(np.where(flat, label, -1))
    rows = np.flatnonzero(flat)
    return label, _best_planes(facets.take(rows), label[rows], guide[rows])


def _best_planes(facets: Facets, label: Ints, guide: Floats) -> Planes:
    """Return the planes of faces, label (t,) of the facets, within the tolerance.

    guide (t, 3): the normals of planes within the tolerance, for faces that are not so near to their own.
    """
    count = int(label.max(initial=-1)) + 1
    planes = planes_of(facets, label, count)
    poor = planes.deviation > _least(facets.tolerance, label, count)
    if poor.any():
        planes.normal[label[poor[label]]] = guide[poor[label]]
        return _planes_along(facets, label, planes.normal, planes.area)
    return planes


def _least(values: Floats, label: Ints, count: int) -> Floats:
    """Return the least value (count,) of each label (t,)."""
    least = np.full(count, np.inf)
    np.minimum.at(least, label, values)
    return least


def facets_of(points: Floats, triangles: Ints, shell: Ints) -> Facets:
    """Return the facets of a mesh: points (n, 3), triangles (t, 3) and the shell (t,) of each."""
    corners = np.take(points, triangles, axis=0)
    area = 0.5 * cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size, normal = length_and_unit(area)
    tolerance = PLANAR * _extent(corners, shell)[shell]
    longest = np.maximum.reduce([length(corners[:, i] - corners[:, i - 1]) for i in range(3)])
    return Facets(corners, area, normal, tolerance, 2.0 * size <= _THIN * tolerance * longest)


def _extent(corners: Floats, shell: Ints) -> Floats:
    """Return the largest coordinate (s,) that counts of each shell (t,) of triangles (t, 3, 3)."""
    order, start = grouped(shell, int(shell.max()) + 1)
    a, b, c = corners[order].transpose(1, 0, 2)
    lower = np.minimum.reduceat(np.minimum(np.minimum(a, b), c), start[:-1], axis=0)
    upper = np.maximum.reduceat(np.maximum(np.maximum(a, b), c), start[:-1], axis=0)
    half = 0.5 * (upper - lower).max(axis=1)
    extent: Floats = np.clip(np.maximum(np.abs(lower), np.abs(upper)).max(axis=1), half, FARTHEST * half)
    return extent


def grouped(label: Ints, count: int) -> tuple[Ints, Ints]:
    """Return an order (k,) that brings equal labels (k,) together, and where each label's begin (count + 1,).

    Labels are 0 to count - 1.
    """
    order = stable_order(label, count)
    start = np.concatenate([[0], np.cumsum(np.bincount(label, minlength=count))]).astype(np.intp)
    return order, start


def planes_of(facets: Facets, label: Ints, count: int) -> Planes:
    """Return the planes of regions of the facets: label (t,) from 0 to count - 1, each at least once."""
    order, start = grouped(label, count)
    area = np.add.reduceat(facets.area[order], start[:-1], axis=0)
    size, normal = length_and_unit(area)
    return _planes_along(facets, label, normal, size)


def _planes_along(facets: Facets, label: Ints, normal: Floats, area: Floats) -> Planes:
    """Return the planes with given normals (f, 3), halfway between the lowest and the highest corners."""
    order, start = grouped(label, len(normal))
    begin, owner = start[:-1], label[order]
    origin = facets.corners[order[begin], 0]
    heights = dot(normal[owner][:, None], facets.corners[order] - origin[owner][:, None])
    low = np.minimum.reduceat(np.minimum.reduce(heights, axis=1), begin)
    high = np.maximum.reduceat(np.maximum.reduce(heights, axis=1), begin)
    opposed = ~facets.thin[order] & (dot(normal[owner], facets.normal[order]) <= 0.0)
    deviation = np.where(np.logical_or.reduceat(opposed, begin), np.inf, 0.5 * (high - low))
    return Planes(normal, origin + 0.5 * (low + high)[:, None] * normal, area, deviation)


def _facing(facets: Facets, edges: EdgeTable, flat: Bools) -> tuple[Ints, Floats]:
    """Return the two sides (k, 2) at each edge that faces may span, and the heights (k, 2) of the corners
    opposite over the other triangle's plane.
    """
    paired = edges.sides[edges.paired & (edges.balance == 0)]
    sides = paired[flat[paired // 3].all(axis=1)]
    face, opposite = sides // 3, (sides % 3 + 2) % 3
    apex = facets.corners[face, opposite]
    origin = facets.corners[face[:, 0], sides[:, 0] % 3]
    heights = np.abs(dot(facets.normal[face[:, ::-1]], apex - origin[:, None]))
    return sides, heights


def _fallen_apart(facets: Facets, label: Ints) -> Ints:
    """Return labels (t,) in which regions that are not planar have become single triangles."""
    several = np.flatnonzero((np.bincount(label) > 1)[label])
    if len(several) == 0:
        return label
    part, region = facets.take(several), _numbered(label[several])
    planes = planes_of(part, region, int(region.max()) + 1)
    tolerance = _least(part.tolerance, region, len(planes.area))
    alone = several[(planes.deviation > tolerance)[region]]
    apart = label.copy()
    apart[alone] = int(label.max()) + 1 + np.arange(len(alone))
    return apart


def _grown(facets: Facets, label: Ints, joins: Ints) -> tuple[Ints, Floats]:
    """Return labels (t,) after regions have taken in neighbours, and the normals (t, 3) of their planes.

    Args:
        facets: the triangles.
        label: the region (t,) of each.
        joins: triangles (k, 2) that may join across an edge.
    """
    if len(joins) == 0:
        return label, facets.normal
    active = np.flatnonzero(np.isin(label, label[joins]))
    part, old = facets.take(active), label[active]
    region = _numbered(old)
    planes = planes_of(part, region, int(region.max()) + 1)
    joins = np.searchsorted(active, joins)
    for turn in itertools.count():
        joins = joins[region[joins[:, 0]] != region[joins[:, 1]]]
        if len(joins) == 0:
            break
        small, large = _asking(region[joins], planes.area, turn)
        fits = _fit(part, region, planes, small, large)
        joins = joins[~_between(region[joins], small[~fits], large[~fits])]
        region, planes = _joined(part, region, planes, small[fits], large[fits])
    grown = label.copy()
    _, first, number = np.unique(region, return_index=True, return_inverse=True)
    grown[active] = old[first][number]
    normals = facets.normal.copy()
    normals[active] = planes.normal[region]
    return grown, normals


def _asking(pairs: Ints, area: Floats, turn: int) -> tuple[Ints, Ints]:
    """Return regions (m,), each once, and the largest neighbours (m,) that they ask in this turn.

    Half of the regions ask and the other half are asked, drawn anew in each turn, so that no region does
    both.  None asks a smaller one than itself.

    Args:
        pairs: neighbouring regions (k, 2).
        area: of all regions (r,).
        turn: the number of the turn.
    """
    first, second = pairs.T
    swap = (area[first] > area[second]) | ((area[first] == area[second]) & (first > second))
    small, large = np.where(swap, second, first), np.where(swap, first, second)
    mixed = (np.arange(len(area), dtype=np.uint64) + np.uint64(turn * len(area) + 1)) * HASH_FACTOR
    mixed = (mixed ^ (mixed >> np.uint64(29))) * HASH_FACTOR
    asks = (mixed >> np.uint64(63)).astype(bool)
    some = asks[small] & ~asks[large]
    small, large = small[some], large[some]
    order = np.lexsort((large, area[large], small))
    last = np.diff(small[order], append=-1) != 0
    return small[order][last], large[order][last]


def _fit(facets: Facets, region: Ints, planes: Planes, small: Ints, large: Ints) -> Bools:
    """Return whether regions (m,) lie in the planes of others (m,), within the tolerance."""
    target = np.full(len(planes.area), -1)
    target[small] = large
    rows = np.flatnonzero(target[region] >= 0)
    plane = target[region[rows]]
    normal = planes.normal[plane]
    heights = dot(normal[:, None], facets.corners[rows] - planes.point[plane][:, None])
    off = np.abs(heights).max(axis=1) > facets.tolerance[rows]
    off |= ~facets.thin[rows] & (dot(normal, facets.normal[rows]) <= 0.0)
    fits = np.ones(len(planes.area), dtype=bool)
    fits[region[rows[off]]] = False
    return fits[small]


def _between(pairs: Ints, first: Ints, second: Ints) -> Bools:
    """Return which pairs (k, 2) of regions are among the pairs (first (m,), second (m,)), in any order."""
    count = int(pairs.max()) + 1
    keys = np.minimum(pairs[:, 0], pairs[:, 1]) * count + np.maximum(pairs[:, 0], pairs[:, 1])
    return np.isin(keys, np.minimum(first, second) * count + np.maximum(first, second))


def _joined(facets: Facets, region: Ints, planes: Planes, small: Ints, large: Ints) -> tuple[Ints, Planes]:
    """Return the regions (t,) after each small one (m,) has become a part of a large one (m,), and the
    planes.

    A region keeps its plane where the plane of the whole is farther from a corner than the tolerance.
    """
    into = np.arange(len(planes.area))
    into[small] = large
    region = into[region]
    changed = np.unique(large)
    number = np.full(len(planes.area), -1)
    number[changed] = np.arange(len(changed))
    rows = np.flatnonzero(number[region] >= 0)
    if len(rows):
        part = facets.take(rows)
        found = planes_of(part, number[region[rows]], len(changed))
        planes.area[changed] = found.area
        better = found.deviation <= _least(part.tolerance, number[region[rows]], len(changed))
        planes.normal[changed[better]] = found.normal[better]
        planes.point[changed[better]] = found.point[better]
    return region, planes


def _numbered(label: Ints) -> Ints:
    """Return labels (t,) renumbered by where each first occurs; negative ones become -1."""
    first = np.full(int(label.max(initial=-1)) + 2, len(label))
    np.minimum.at(first, np.maximum(label, -1) + 1, np.arange(len(label)))
    begins = np.sort(first[1:])
    begins = begins[begins < len(label)]
    rank = np.full(len(first), -1)
    rank[label[begins] + 1] = np.arange(len(begins))
    numbered: Ints = rank[np.maximum(label, -1) + 1]
    return numbered
