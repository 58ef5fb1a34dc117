"""Triangles of a mesh that meet elsewhere than in the corners and edges that they share.

An edge pierces a triangle if its ends are on either side of the triangle's plane, and the line through them
passes the three sides of the triangle the same way around. All of these are signs of volumes of tetrahedra.
A volume that rounding of the coordinates alone can cause counts as zero: neighbours in one plane touch each
other to within it. Two triangles cross if an edge of one pierces the other and has no corner in common with
it, or if they share an edge and lie on each other.

Triangles that may meet are found by balls around them, of sizes that differ by less than a factor of two in
each search, so that a few large triangles do not bring all others near to each other.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from ...arrays import Bools, Floats, Ints
from ...vectors import coordinate_cross, coordinate_dot, coordinate_length

# Largest error of the volume of a tetrahedron, over the largest coordinate and the sum of the products of two
# of the lengths of three edges: each coordinate has half a unit in the last place, an edge thus at most
# sqrt(3), and the sums and products add fewer than fourteen.
_ROUNDING = 16.0 * float(np.finfo(np.float64).eps)
_AT_ONCE = 4096  # pairs that are tested at once, so that intermediate arrays stay in the cache
_NEXT = np.array([1, 2, 0])


def crossing_triangles(points: Floats, triangles: Ints, which: Bools | None = None) -> Ints:
    """Return the pairs (k, 2) of triangles that cross each other, each pair once.

    Args:
        points: the points (n, 3).
        triangles: their numbers (t, 3).
        which: triangles (t,) of which each pair has one at least; all of them unless given.
    """
    which = np.ones(len(triangles), dtype=np.bool_) if which is None else which
    low, high = _boxes(points, triangles)
    middles, reaches = 0.5 * (low + high).T, 0.5 * coordinate_length(high - low)
    sizes = np.frexp(reaches)[1]
    found = [np.zeros((0, 2), dtype=np.intp)]
    for size in np.unique(sizes):
        second = np.flatnonzero(sizes == size)
        tree = cKDTree(middles[second])
        for own in np.unique(sizes[which]):
            first = np.flatnonzero(which & (sizes == own))
            reach = float(reaches[first].max() + reaches[second].max())
            near = cKDTree(middles[first]).sparse_distance_matrix(tree, reach, output_type="ndarray")
            one, other = first[near["i"]], second[near["j"]]
            once = ((one < other) | ~which[other]) & (near["v"] <= reaches[one] + reaches[other])
            found.append(np.stack([one[once], other[once]], axis=1))
    pairs = np.concatenate(found)
    parts = np.array_split(pairs, len(pairs) // _AT_ONCE + 1)
    crossing = [cross_each_other(points, *triangles[part.T]) for part in parts]
    return np.asarray(pairs[np.concatenate(crossing)])


def cross_each_other(points: Floats, first: Ints, second: Ints) -> Bools:
    """Return which triangles (k, 3) over points (n, 3) cross others (k, 3), each its own, (k,)."""
    crossing = np.zeros(len(first), dtype=np.bool_)
    (low, high), (lower, higher) = _boxes(points, first), _boxes(points, second)
    near = ((low <= higher) & (lower <= high)).all(axis=0)
    error = _ROUNDING * max(float(np.abs(corner).max(initial=0.0)) for corner in (low, high, lower, higher))
    common = first.T[:, None] == second.T[None, :]
    shared, shares = common.any(axis=1), common.any(axis=0)
    neighbours = shared.sum(axis=0) >= 2
    rows = np.flatnonzero(near & ~neighbours)
    a, b = points.T[:, first[rows].T], points.T[:, second[rows].T]
    crossing[rows] = _pierce(a, b, shared[:, rows], error) | _pierce(b, a, shares[:, rows], error)
    rows = np.flatnonzero(neighbours)
    a, b = points.T[:, first[rows].T], points.T[:, second[rows].T]
    crossing[rows] = _lie_on_each_other(
        a, b, np.argmin(shared[:, rows], axis=0), np.argmin(shares[:, rows], axis=0), error
    )
    return crossing


def _boxes(points: Floats, triangles: Ints) -> tuple[Floats, Floats]:
    """Return the lower and upper corners (3, t) of boxes around triangles (t, 3) over points (n, 3)."""
    a, b, c = (points.T[:, own] for own in triangles.T)
    return np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)


def _pierce(edges_of: Floats, triangles: Floats, shared: Bools, error: float) -> Bools:
    """Return which triangles are pierced by an edge of others (k,).

    Args:
        edges_of: the others' corners (axis 3, corner 3, k).
        triangles: their corners (axis 3, corner 3, k).
        shared: which corners (3, k) of the others are also corners of the triangles.
        error: that of coordinates, in scene units.
    """
    start = triangles[:, :1]
    side = _signs(edges_of - start, triangles[:, 1:2] - start, triangles[:, 2:] - start, error)
    side[shared] = 0.0
    through = side * side[_NEXT] < 0.0
    pierced: Bools = through.any(axis=0)
    rows = np.flatnonzero(pierced)  # few: most neighbours are on one side of each other
    starts, around = edges_of[:, :, None, rows], triangles[:, None, :, rows]
    ends, after = starts[:, _NEXT], around[:, :, _NEXT]
    passed = _signs(ends - starts, around - starts, after - starts, error)
    inside = (passed >= 0.0).all(axis=1) | (passed <= 0.0).all(axis=1)
    pierced[rows] = (through[:, rows] & inside).any(axis=0)
    return pierced


def _lie_on_each_other(a: Floats, b: Floats, apex: Ints, others_apex: Ints, error: float) -> Bools:
    """Return which triangles lie in one plane with others, and on the same side of the edge they share, (k,).

    Args:
        a, b: corners of the triangles and of the others (axis 3, corner 3, k).
        apex, others_apex: the corners (k,) that they do not share; any where they share all.
        error: that of coordinates, in scene units.
    """
    rows = np.arange(len(apex))
    start = a[:, _NEXT[apex], rows]
    edge = a[:, _NEXT[_NEXT[apex]], rows] - start
    one, other = a[:, apex, rows] - start, b[:, others_apex, rows] - start
    flat = _signs(edge, one, other, error) == 0.0
    return np.asarray(
        flat & (coordinate_dot(coordinate_cross(edge, one), coordinate_cross(edge, other)) > 0.0)
    )


def _signs(a: Floats, b: Floats, c: Floats, error: float) -> Floats:
    """Return the signs (...) of a . b x c of vectors (3, ...), 0 where errors (a length) of their coordinates
    decide them.
    """
    volumes = coordinate_dot(a, coordinate_cross(b, c))
    one, two, three = coordinate_length(a), coordinate_length(b), coordinate_length(c)
    bounds = error * (one * (two + three) + two * three)
    return np.where(np.abs(volumes) > bounds, np.sign(volumes), 0.0)
