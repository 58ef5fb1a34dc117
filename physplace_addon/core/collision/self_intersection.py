"""Self-intersection of a body: pairs of its triangles that cut through each other, or lie on each other.

Two triangles cut each other if an edge of one pierces the other: its ends lie on either side of the plane,
and it passes through the inside, both by more than a tolerance.  So neighbours, which share a corner or an
edge, and triangles that only touch do not count.  Two coplanar triangles lie on each other if no line along a
side of either separates them, to within the tolerance.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..vectors import coordinate_cross, coordinate_dot, coordinate_length
from .node_pairs import corners_of, leaf_triangles, opened
from .tree import BoxTree

__all__ = ["self_crossings", "self_overlays"]

_AT_ONCE = 4096
"""Pairs of leaves whose triangles are tested at once, so that intermediate arrays stay in the cache."""

_NEXT = np.array([1, 2, 0])


def self_crossings(tree: BoxTree, tolerance: float) -> Ints:
    """Return the pairs (k, 2) of a tree's triangles that cut through each other by over a tolerance, a
    length.
    """
    return _pairs(tree, lambda a, b: _pierces(a, b, tolerance) | _pierces(b, a, tolerance))


def self_overlays(tree: BoxTree, tolerance: float) -> Ints:
    """Return the pairs (k, 2) of a tree's triangles that overlap in a plane by over a tolerance, a length."""
    return _pairs(tree, lambda a, b: _overlies(a, b, tolerance) & _overlies(b, a, tolerance))


def _pairs(tree: BoxTree, meet: Callable[[Floats, Floats], Bools]) -> Ints:
    """Return the pairs (k, 2) of a tree's triangles for which a test of (corner 3, axis 3, n) each is
    true.
    """
    node1, node2 = _leaf_pairs(tree)
    found = [np.empty((0, 2), dtype=np.intp)]
    for begin in range(0, len(node1), _AT_ONCE):
        part = slice(begin, begin + _AT_ONCE)
        first, second, _ = leaf_triangles(tree, tree, node1[part], node2[part])
        a, b = corners_of(tree, first), corners_of(tree, second)
        near = np.flatnonzero((first != second) & _boxes_meet(a, b))
        a, b = a[..., near], b[..., near]
        met = near[meet(a, b)]
        found.append(np.sort(np.stack([first[met], second[met]], axis=1), axis=1))
    return np.unique(np.concatenate(found), axis=0)


def _leaf_pairs(tree: BoxTree) -> tuple[Ints, Ints]:
    """Return the pairs of leaves whose boxes meet, each once, and each leaf with itself.

    Two triangles of different leaves are below two siblings somewhere, so the search starts at all siblings.
    """
    leaves = np.flatnonzero(tree.first_child < 0)
    pairs = [(leaves, leaves)]
    node1 = tree.first_child[tree.first_child >= 0]
    node2 = node1 + 1
    while node1.size:
        near = np.flatnonzero(_nodes_meet(tree, node1, node2))
        node1, node2 = node1[near], node2[near]
        below1, below2, _, is_leaf = opened(tree, tree, node1, node2)
        pairs.append((node1[is_leaf], node2[is_leaf]))
        node1, node2 = below1, below2
    return np.concatenate([pair[0] for pair in pairs]), np.concatenate([pair[1] for pair in pairs])


def _nodes_meet(tree: BoxTree, node1: Ints, node2: Ints) -> Bools:
    first, second = np.take(tree.boxes, node1, axis=1), np.take(tree.boxes, node2, axis=1)
    apart = np.abs(first[:3] - second[:3]) - first[3:] - second[3:]
    meet: Bools = apart.max(axis=0) <= 0.0
    return meet


def _boxes_meet(a: Floats, b: Floats) -> Bools:
    """Return whether the boxes of triangles (corner 3, axis 3, k) meet, (k,)."""
    apart = np.maximum(a.min(axis=0) - b.max(axis=0), b.min(axis=0) - a.max(axis=0))
    meet: Bools = apart.max(axis=0) <= 0.0
    return meet


def _overlies(plane: Floats, other: Floats, tolerance: float) -> Bools:
    """Return whether triangles lie in the planes of others and partly inside each of their sides.

    Args:
        plane, other: triangles (corner 3, axis 3, k).
        tolerance: a length.
    """
    normal, inward = _normals(plane)
    offset = other.transpose(1, 0, 2)[:, None] - plane.transpose(1, 0, 2)[:, :, None]
    flat = np.abs(coordinate_dot(normal[:, None], offset[:, 0])).max(axis=0) <= tolerance
    inside = coordinate_dot(inward[:, :, None], offset).max(axis=1) > tolerance
    overlies: Bools = flat & inside.all(axis=0)
    return overlies


def _normals(triangle: Floats) -> tuple[Floats, Floats]:
    """Return unit normals (axis 3, k) of triangles (corner 3, axis 3, k), and the inward ones of their sides.

    Those of the sides (axis 3, side 3, k) lie in the triangles' planes.
    """
    sides = (triangle[_NEXT] - triangle).transpose(1, 0, 2)
    normal = _unit(coordinate_cross(sides[:, 0], -sides[:, 2]))
    return normal, _unit(coordinate_cross(normal[:, None], sides))


def _pierces(plane: Floats, other: Floats, tolerance: float) -> Bools:
    """Return whether an edge of `other` pierces `plane`, triangles (corner 3, axis 3, k), (k,)."""
    normal = _unit(coordinate_cross(plane[1] - plane[0], plane[2] - plane[0]))
    height = coordinate_dot(normal[:, None], (other - plane[0]).transpose(1, 0, 2))
    after = height[_NEXT]
    through = (height * after < 0.0) & (np.minimum(np.abs(height), np.abs(after)) > tolerance)
    pierced: Bools = through.any(axis=0)
    rows = np.flatnonzero(pierced)  # few: neighbours, which most pairs are, do not pass through a plane
    plane, other, height, after = plane[..., rows], other[..., rows], height[:, rows], after[:, rows]
    through = through[:, rows]
    _, inward = _normals(plane)
    offset = other.transpose(1, 0, 2)[:, None] - plane.transpose(1, 0, 2)[:, :, None]
    depth = coordinate_dot(inward[:, :, None], offset)
    share = height / np.where(through, height - after, 1.0)
    inside = depth + share * (depth[:, _NEXT] - depth) > tolerance
    pierced[rows] = (through & inside.all(axis=0)).any(axis=0)
    return pierced


def _unit(vectors: Floats) -> Floats:
    """Return vectors (axis 3, ...) of length 1, but zero ones."""
    unit: Floats = vectors / np.maximum(coordinate_length(vectors), np.finfo(np.float64).tiny)
    return unit
