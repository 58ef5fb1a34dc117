"""Pairs of nodes of two trees: how a breadth-first traversal widens and narrows them (paper 3.2).

A pair whose nodes both have children is replaced by its four pairs of children.  The size rule: where
one box is small against the other, only the big one is opened.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..rigid import Pose
from .tree import BoxTree

__all__ = ["Motion", "corners_of", "first_pairs", "leaf_triangles", "opened"]

SIZE_RATIO = 3.0
"""A node this many times larger than its partner is opened alone."""

_EPSILON = float(np.finfo(np.float64).eps)


class Motion:
    """A pose as it acts on boxes (6, k) of centres and half extents, and on corners (9, k)."""

    def __init__(self, pose: Pose) -> None:
        self.matrix: Floats = np.ascontiguousarray(pose.matrix)
        self.magnitude: Floats = np.abs(self.matrix)
        self.translation: Floats = pose.translation[:, None]

    def boxes(self, boxes: Floats) -> tuple[Floats, Floats]:
        """Centres and half extents (3, k) of the boxes around the moved boxes (6, k)."""
        return self.matrix @ boxes[:3] + self.translation, self.magnitude @ boxes[3:]

    def corners(self, corners: Floats) -> Floats:
        """Triangles (corner 3, axis 3, k) moved."""
        moved: Floats = np.matmul(self.matrix, corners) + self.translation
        return moved

    def rounding(self, tree1: BoxTree, tree2: BoxTree) -> float:
        """A bound of the rounding errors of coordinates, with which every test is widened."""
        far = float(np.abs(self.translation).max())
        return 16.0 * _EPSILON * (tree1.magnitude + far + tree2.magnitude)


def corners_of(tree: BoxTree, triangle: Ints) -> Floats:
    """Corners (corner 3, axis 3, k) of triangles (k,)."""
    rows = np.take(tree.flat_triangles, triangle, axis=0)
    return np.ascontiguousarray(rows.T).reshape(3, 3, -1)


def first_pairs(tree1: BoxTree, tree2: BoxTree) -> tuple[Ints, Ints]:
    """Every pair of the two trees' top nodes."""
    return np.repeat(tree1.top, tree2.top.size), np.tile(tree2.top, tree1.top.size)


def opened(tree1: BoxTree, tree2: BoxTree, node1: Ints, node2: Ints) -> tuple[Ints, Ints, Bools]:
    """Pairs of children of the pairs (node1, node2), and which of the given pairs are two leaves.

    Pairs of two leaves have no children and are missing from the result.
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
            ~both,
        )
    some = open1 | open2
    first = np.concatenate([below1[some], below1[open1] + 1, below1[open2], below1[both] + 1])
    second = np.concatenate([below2[some], below2[open1], below2[open2] + 1, below2[both] + 1])
    return first, second, ~some


def leaf_triangles(tree1: BoxTree, tree2: BoxTree, node1: Ints, node2: Ints) -> tuple[Ints, Ints]:
    """Triangle pairs of pairs of leaves."""
    count1, count2 = tree1.count[node1], tree2.count[node2]
    count = count1 * count2
    owner = np.repeat(np.arange(count.size), count)
    place = np.arange(owner.size) - (np.cumsum(count) - count)[owner]
    place1, place2 = np.divmod(place, count2[owner])
    return tree1.order[tree1.start[node1][owner] + place1], tree2.order[tree2.start[node2][owner] + place2]
