"""Pairs of nodes of two trees, and how a traversal goes on from them to their children.

Source: Snyder 1995, section 3.2.

A pair whose nodes both have children is replaced by its four pairs of children.  Where one box is much larger
than the other, only the larger one is replaced by its children.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..rigid import Pose, Poses
from .tree import BoxTree

__all__ = ["Motion", "Motions", "corners_of", "first_pairs", "leaf_triangles", "opened", "traversed"]

SIZE_RATIO = 3.0
"""A node whose diagonal is this many times that of its partner is replaced by its children alone."""

_FEW = 128
"""Up to so many node pairs are replaced by their grandchildren, because a test of few pairs costs more than
the pairs that it would drop."""

_LEAVES_AT_ONCE = 1024
"""Leaf pairs whose triangles are tested at once, so that intermediate arrays stay in the cache."""

_EPSILON = float(np.finfo(np.float64).eps)


class Motion:
    """A pose prepared to place many boxes (6, k), centre and half extent, and triangles (3, 3, k)."""

    def __init__(self, pose: Pose) -> None:
        self.matrix: Floats = np.ascontiguousarray(pose.matrix)
        self.magnitude: Floats = np.abs(self.matrix)
        self.translation: Floats = pose.translation[:, None]

    def boxes(self, boxes: Floats) -> tuple[Floats, Floats]:
        """Return centres and half extents (3, k) of the axis-aligned boxes around placed boxes (6, k)."""
        return self.matrix @ boxes[:3] + self.translation, self.magnitude @ boxes[3:]

    def corners(self, corners: Floats) -> Floats:
        """Return triangles (corner 3, axis 3, k) placed."""
        moved: Floats = np.matmul(self.matrix, corners) + self.translation
        return moved

    def take(self, rows: Ints) -> Motion:
        """Return this motion: it is the same for all rows."""
        return self

    def turned(self, vectors: Floats) -> Floats:
        """Return vectors (3, k) after the rotation."""
        turned: Floats = self.matrix @ vectors
        return turned

    def turned_back(self, vectors: Floats) -> Floats:
        """Return vectors (3, k) after the inverse rotation."""
        turned: Floats = self.matrix.T @ vectors
        return turned

    def extents(self, half: Floats) -> Floats:
        """Return the half extents (3, k) around turned boxes of half extents (3, k)."""
        extents: Floats = self.magnitude @ half
        return extents

    def rounding(self, tree1: BoxTree, tree2: BoxTree) -> float:
        """Return a bound, a length, of the rounding errors of coordinates; every test is widened by it."""
        far = float(np.abs(self.translation).max())
        return 16.0 * _EPSILON * (tree1.magnitude + far + tree2.magnitude)


class Motions:
    """A pose of its own for each of k boxes or triangles: what a `Motion` does, row by row."""

    def __init__(self, matrix: Floats, translation: Floats) -> None:
        """matrix (3, 3, k), translation (3, k): axes first, so that arithmetic goes along the rows."""
        self.matrix, self.translation = matrix, translation

    @classmethod
    def of(cls, poses: Poses) -> Motions:
        """Return the motions of k poses."""
        matrix = np.ascontiguousarray(poses.matrix.transpose(1, 2, 0))
        return cls(matrix, np.ascontiguousarray(poses.translation.T))

    def take(self, rows: Ints) -> Motions:
        """Return the motions of rows (m,)."""
        return Motions(np.take(self.matrix, rows, axis=2), np.take(self.translation, rows, axis=1))

    def boxes(self, boxes: Floats) -> tuple[Floats, Floats]:
        """Return centres and half extents (3, k) of the axis-aligned boxes around placed boxes (6, k)."""
        return self.turned(boxes[:3]) + self.translation, self.extents(boxes[3:])

    def corners(self, corners: Floats) -> Floats:
        """Return triangles (corner 3, axis 3, k) placed."""
        return np.stack([self.turned(corner) + self.translation for corner in corners])

    def turned(self, vectors: Floats) -> Floats:
        """Return vectors (3, k) after the rotations."""
        return _product(self.matrix, vectors)

    def turned_back(self, vectors: Floats) -> Floats:
        """Return vectors (3, k) after the inverse rotations."""
        return _product(self.matrix.transpose(1, 0, 2), vectors)

    def extents(self, half: Floats) -> Floats:
        """Return the half extents (3, k) around turned boxes of half extents (3, k)."""
        return _product(np.abs(self.matrix), half)

    def rounding(self, tree1: BoxTree, tree2: BoxTree) -> float:
        """Return a bound, a length, of the rounding errors of coordinates; every test is widened by it."""
        far = float(np.abs(self.translation).max(initial=0.0))
        return 16.0 * _EPSILON * (tree1.magnitude + far + tree2.magnitude)


def _product(matrix: Floats, vectors: Floats) -> Floats:
    """Return the products (3, k) of matrices (3, 3, k) and vectors (3, k)."""
    product: Floats = matrix[:, 0] * vectors[0]
    product += matrix[:, 1] * vectors[1]
    product += matrix[:, 2] * vectors[2]
    return product


def corners_of(tree: BoxTree, triangle: Ints) -> Floats:
    """Return the corners (corner 3, axis 3, k) of triangles (k,) of a tree."""
    rows = np.take(tree.flat_triangles, triangle, axis=0)
    return np.ascontiguousarray(rows.T).reshape(3, 3, -1)


def first_pairs(tree1: BoxTree, tree2: BoxTree) -> tuple[Ints, Ints]:
    """Return every pair of the two trees' top nodes, as two arrays (k,)."""
    return np.repeat(tree1.top, tree2.top.size), np.tile(tree2.top, tree1.top.size)


def opened(tree1: BoxTree, tree2: BoxTree, node1: Ints, node2: Ints) -> tuple[Ints, Ints, Ints, Bools]:
    """Return the pairs that follow pairs of nodes (k,), two arrays and the rows (m,) of those that they
    follow; and which of the given pairs (k,) are two leaves, which nothing follows.
    """
    size1, size2 = tree1.opening_size[node1], tree2.opening_size[node2]
    open1, open2 = size1 * SIZE_RATIO >= size2, size2 * SIZE_RATIO >= size1
    below1 = np.where(open1, tree1.first_child[node1], node1)
    below2 = np.where(open2, tree2.first_child[node2], node2)
    both = open1 & open2
    if both.all():
        return (
            np.concatenate([below1, below1, below1 + 1, below1 + 1]),
            np.concatenate([below2, below2 + 1, below2, below2 + 1]),
            np.tile(np.arange(node1.size), 4),
            ~both,
        )
    leaves = ~(open1 | open2)
    some, only1, only2, all4 = (np.flatnonzero(rows) for rows in (~leaves, open1, open2, both))
    first = np.concatenate([below1[some], below1[only1] + 1, below1[only2], below1[all4] + 1])
    second = np.concatenate([below2[some], below2[only1], below2[only2] + 1, below2[all4] + 1])
    return first, second, np.concatenate([some, only1, only2, all4]), leaves


def leaf_triangles(tree1: BoxTree, tree2: BoxTree, node1: Ints, node2: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the triangle pairs of pairs of leaves (k,), as two arrays, and the row (m,) of each."""
    count1, count2 = tree1.count[node1], tree2.count[node2]
    count = count1 * count2
    owner = np.repeat(np.arange(count.size), count)
    place = np.arange(owner.size) - (np.cumsum(count) - count)[owner]
    place1, place2 = np.divmod(place, count2[owner])
    triangle1 = tree1.order[tree1.start[node1][owner] + place1]
    return triangle1, tree2.order[tree2.start[node2][owner] + place2], owner


class PairTest(Protocol):
    """Which pairs of nodes, and which of triangles, a traversal keeps (k,)."""

    def nodes(self, node1: Ints, node2: Ints, pair: Ints) -> Bools:
        """Return which pairs of nodes may have pairs of triangles below them that are kept."""
        ...

    def triangles(self, triangle1: Ints, triangle2: Ints, pair: Ints) -> Bools:
        """Return which pairs of triangles are kept."""
        ...


def traversed(tree1: BoxTree, tree2: BoxTree, test: PairTest, node1: Ints, node2: Ints, pair: Ints) -> Ints:
    """Return the triangle pairs that a test keeps, breadth first on arrays of node pairs.

    node1, node2 (k,): the nodes at which to start.
    pair (k,): the number of the pair of bodies that each pair of nodes is of.  It comes first in what is
    returned (m, 3).
    """
    leaves: list[tuple[Ints, Ints, Ints]] = []
    while node1.size:
        kept = np.flatnonzero(test.nodes(node1, node2, pair))
        node1, node2, pair = node1[kept], node2[kept], pair[kept]
        for _ in range(2 if kept.size <= _FEW else 1):
            below1, below2, row, is_leaf = opened(tree1, tree2, node1, node2)
            if below1.size < 4 * node1.size:
                done = np.flatnonzero(is_leaf)
                leaves.append((node1[done], node2[done], pair[done]))
            node1, node2, pair = below1, below2, pair[row]
    result = [np.empty((0, 3), dtype=np.intp)]
    if leaves:
        leaf1, leaf2, pair = (np.concatenate(parts) for parts in zip(*leaves, strict=True))
        for begin in range(0, leaf1.size, _LEAVES_AT_ONCE):
            part = slice(begin, begin + _LEAVES_AT_ONCE)
            triangle1, triangle2, owner = leaf_triangles(tree1, tree2, leaf1[part], leaf2[part])
            number = pair[part][owner]
            kept = np.flatnonzero(test.triangles(triangle1, triangle2, number))
            result.append(np.stack([number[kept], triangle1[kept], triangle2[kept]], axis=1))
    return np.concatenate(result)
