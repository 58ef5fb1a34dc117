"""Duplicate faces of a mesh: one of each is kept, and whether both orientations were there.

Triangles with the same corners are duplicates.  So are flat faces of more corners, although their duplicates
with the opposite orientation are often divided into other triangles: coplanar triangles that are joined
across edges are a flat region if they lie in one plane as a whole, which a finely divided bend does not, and
two flat regions with the same border edges are duplicates.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats, Ints, portions
from ..vectors import coordinate_arrays, coordinate_cross
from .edges import HASH_FACTOR, EdgeTable, component_labels

EVEN, ODD, BOTH = 1, 2, 3
"""Orientations: the corners are an even or an odd permutation of their increasing order; BOTH = EVEN |
ODD."""

PLANAR = 8.0
"""Greatest height of a flat region across its plane, over the width that is allowed at an edge: that of
rounding, which is as large anywhere in the region, while a bend adds up from edge to edge."""


def unique_triangles(triangles: Ints, two_sided: Bools) -> tuple[Ints, Bools]:
    """Return the first (m,) of each set of triangles with the same corners, and which (m,) are two-sided.

    A triangle is two-sided if it is there in both orientations.

    Args:
        triangles: (t, 3).
        two_sided: triangles (t,) already known to be two-sided.
    """
    some = _suspects(triangles)
    single, both = np.ones(len(triangles), dtype=bool), two_sided.copy()
    if len(some):
        first, found = _first_of_each(triangles[some], two_sided[some])
        single[some] = False
        single[some[first]], both[some[first]] = True, found
    kept = np.flatnonzero(single)
    return kept, both[kept]


def _suspects(triangles: Ints) -> Ints:
    """Return the triangles (s,), increasing, that share their hash with another, as all duplicates do.

    The hash is the sum of the corners' hashes, so that the corners' order does not matter.
    """
    bits = (4 * len(triangles)).bit_length()
    mixed = np.arange(int(triangles.max(initial=0)) + 1, dtype=np.uint64) * HASH_FACTOR
    mixed ^= mixed >> np.uint64(32)
    mixed *= HASH_FACTOR
    a, b, c = triangles.T
    hashed = ((mixed[a] + mixed[b] + mixed[c]) >> np.uint64(64 - bits)).astype(np.intp)
    return np.flatnonzero(np.bincount(hashed)[hashed] > 1)


def _first_of_each(triangles: Ints, two_sided: Bools) -> tuple[Ints, Bools]:
    """Return what unique_triangles does, by a sort of all corners; the first ones (m,) are in no order."""
    a, b, c = triangles.T
    low, high = np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)
    middle = a + b + c - low - high
    outer = low * (int(high.max()) + 1) + high
    order = np.lexsort((middle, outer))
    outer, middle = outer[order], middle[order]
    new = np.ones(len(outer), dtype=bool)
    new[1:] = (outer[1:] != outer[:-1]) | (middle[1:] != middle[:-1])
    begins = np.flatnonzero(new)
    ways = np.where(two_sided, BOTH, np.where((a < b).astype(int) + (b < c) + (c < a) == 2, EVEN, ODD))
    return order[begins], np.bitwise_or.reduceat(ways[order], begins) == BOTH


def unique_regions(
    points: Floats, triangles: Ints, edges: EdgeTable, width: float, two_sided: Bools
) -> tuple[Bools, Bools]:
    """Return which triangles (t,) to keep, one of all flat regions with the same border, and which are
    two-sided.

    Args:
        points, triangles, edges: the mesh, (n, 3), (t, 3) and m edges.
        width: largest height, a length, of a corner over the triangle across the edge in one plane.
        two_sided: triangles (t,) already known to be two-sided.
    """
    inner = _coplanar(points, triangles, edges, width)
    region = component_labels(edges.faces[inner], len(triangles))
    first = _first_with_border(region, edges, ~inner)
    twin = first != np.arange(len(first))
    if not twin.any():
        return np.ones(len(triangles), dtype=bool), two_sided
    facing = _area_vectors(points[triangles], region)
    some = np.unique(np.concatenate([np.flatnonzero(twin), first[twin]]))
    flat = np.zeros(len(first), dtype=bool)
    flat[some] = _planar(points, triangles, region, some, facing, width)
    twin &= flat & flat[first]
    opposed = np.einsum("ri,ri->r", facing, facing[first]) < 0.0
    opposed |= np.bincount(region, weights=two_sided, minlength=len(first)) > 0
    both = np.zeros(len(first), dtype=bool)
    both[first[twin & opposed]] = True
    return ~twin[region], two_sided | both[region]


def _area_vectors(corners: Floats, region: Ints) -> Floats:
    """Return twice the area vectors (r, 3) of regions, from triangles (t, 3, 3) and their regions (t,)."""
    double = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return np.stack([np.bincount(region, weights=axis) for axis in double.T], axis=1)


def _planar(points: Floats, triangles: Ints, region: Ints, some: Ints, facing: Floats, width: float) -> Bools:
    """Return which regions (s,) lie within PLANAR widths of a plane, of those with numbers `some` (s,),
    increasing.

    facing (r, 3): vectors along the normals of all regions.
    """
    rows = np.flatnonzero(np.isin(region, some))
    owner = np.searchsorted(some, region[rows])
    size = np.linalg.norm(facing[some], axis=1)
    normal = facing[some] / np.where(size > 0.0, size, 1.0)[:, None]
    origin = np.empty((len(some), 3))
    origin[owner] = points[triangles[rows, 0]]
    height = np.einsum("tci,ti->tc", points[triangles[rows]] - origin[owner][:, None], normal[owner])
    low, high = np.zeros(len(some)), np.zeros(len(some))
    np.minimum.at(low, owner, height.min(axis=1))
    np.maximum.at(high, owner, height.max(axis=1))
    planar: Bools = (size > 0.0) & (high - low <= PLANAR * width)
    return planar


def _coplanar(points: Floats, triangles: Ints, edges: EdgeTable, width: float) -> Bools:
    """Return at which edges (m,) two coplanar triangles meet on opposite sides of the edge."""
    paired, opposite = edges.paired, np.roll(triangles, 1, axis=1).ravel()
    coplanar = np.empty(len(paired), dtype=bool)
    for rows in portions(len(coplanar)):
        around = np.concatenate([edges.ends[rows], opposite[edges.sides[rows]]], axis=1)
        origin, end, third, fourth = coordinate_arrays(np.take(points, around, axis=0))
        along, first, second = end - origin, third - origin, fourth - origin
        normal, other = coordinate_cross(along, first), coordinate_cross(along, second)
        height = np.abs(np.einsum("ij,ij->j", normal, second))
        flat = height <= width * np.sqrt(np.einsum("ij,ij->j", normal, normal))
        coplanar[rows] = paired[rows] & flat & (np.einsum("ij,ij->j", normal, other) < 0.0)
    return coplanar


def _first_with_border(region: Ints, edges: EdgeTable, border: Bools) -> Ints:
    """Return for each of r regions the first one (r,) that has the same border edges."""
    sides = np.repeat(border, edges.count)
    edge = np.repeat(np.arange(len(border)), edges.count)[sides]
    owner = region[edges.order[sides] // 3]
    triangles = np.bincount(region)
    first = np.arange(len(triangles))
    length = np.bincount(owner, minlength=len(first))
    sizes = np.unique(length[(triangles > 1) & (length > 0)])  # what has no border is no flat region
    some = np.isin(length, sizes)[owner]
    owner, edge = owner[some], edge[some]
    order = np.lexsort((edge, owner))
    owner, edge = owner[order], edge[order]
    for size in sizes.tolist():
        alike = np.flatnonzero(length == size)
        rows = edge[length[owner] == size].reshape(-1, size)
        _, foremost, same = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        first[alike] = alike[foremost[same.ravel()]]
    return first
