"""One tree over several bodies (Snyder 1995, section 3).

The bodies' own trees are kept as they are.  A small tree over their root boxes, the top-level tree, is put on
top.  Where each body has a pose of its own, their trees are parts of one tree, and pairs of them are
traversed together from their roots.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..rigid import Poses
from .node_pairs import Motions, corners_of, traversed
from .partition import Partition, partition
from .tree import BoxTree, triangle_boxes, with_boxes
from .triangle_pairs import beyond_plane

__all__ = ["join_trees", "roots_of_parts", "swept_pairs_of_parts"]


def join_trees(*trees: BoxTree) -> BoxTree:
    """Return one tree over one or more trees in the same frame; triangles are numbered tree after tree.

    Raises:
        ValueError: no tree is given.
    """
    if not trees:
        raise ValueError("join_trees expects at least one tree")
    if len(trees) == 1:
        return trees[0]
    lower = np.stack([tree.lower[0] for tree in trees])
    upper = np.stack([tree.upper[0] for tree in trees])
    triangles = np.concatenate([tree.triangles for tree in trees])
    bound = np.concatenate([tree.bound for tree in trees])
    return with_boxes(
        _grafted(partition(lower, upper, 1), trees), *triangle_boxes(triangles, bound), triangles, bound
    )


def roots_of_parts(tree: BoxTree, triangles: Ints) -> Ints:
    """Return the node (n,) of a joined tree that is the root of each tree that it was joined of.

    triangles (n,): how many triangles each of these has, in the order in which they were joined.
    """
    first_triangle = np.cumsum(triangles) - triangles
    place = np.empty_like(tree.order)
    place[tree.order] = np.arange(len(tree.order))
    start = np.minimum.reduceat(place, first_triangle)
    below = (tree.start[:, None] == start) & (tree.count[:, None] == triangles)
    roots: Ints = below.argmax(axis=0)
    return roots


def swept_pairs_of_parts(
    tree: BoxTree, roots: tuple[Ints, Ints], start: Poses, end: Poses | None, reach: Floats | None = None
) -> Ints:
    """Return what `swept_pairs` returns of many pairs of bodies at once: (k, 3), the pair's number first.

    Args:
        tree: that of all bodies.
        roots: the nodes below which are the first and the second bodies of p pairs, (p,) each.
        start, end: p poses, from the frame of the first to that of the second; no end where they stand still.
        reach: how near each pair (p,) must come, lengths; None for touching.
    """
    poses = [start] if end is None else [start, end]
    query = _Sweeping(tree, [Motions.of(each) for each in poses], reach)
    return traversed(tree, tree, query, *roots, np.arange(roots[0].size))


class _Sweeping:
    """Which pairs of nodes and triangles may meet while the first ones move on straight lines, or stand."""

    def __init__(self, tree: BoxTree, motions: Sequence[Motions], reach: Floats | None) -> None:
        self._tree, self._motions = tree, motions
        rounding = max(motion.rounding(tree, tree) for motion in motions)
        self._reach = rounding + (np.zeros(motions[0].translation.shape[1]) if reach is None else reach)

    def nodes(self, node1: Ints, node2: Ints, pair: Ints) -> Bools:
        boxes1, boxes2 = np.take(self._tree.boxes, node1, axis=1), np.take(self._tree.boxes, node2, axis=1)
        places = [motion.take(pair).boxes(boxes1) for motion in self._motions]
        lower = reduce(np.minimum, (center - half for center, half in places))
        upper = reduce(np.maximum, (center + half for center, half in places))
        apart = np.maximum(lower - boxes2[:3] - boxes2[3:], boxes2[:3] - boxes2[3:] - upper)
        near: Bools = apart.max(axis=0) <= self._reach[pair]
        return near

    def triangles(self, triangle1: Ints, triangle2: Ints, pair: Ints) -> Bools:
        own, fixed = corners_of(self._tree, triangle1), corners_of(self._tree, triangle2)
        moved = np.concatenate([motion.take(pair).corners(own) for motion in self._motions])
        allowed = self._tree.bound[triangle1] + self._tree.bound[triangle2] + self._reach[pair]
        apart = np.maximum(moved.min(axis=0) - fixed.max(axis=0), fixed.min(axis=0) - moved.max(axis=0))
        near: Bools = apart.max(axis=0) <= allowed
        return near & ~beyond_plane(fixed, moved, allowed)


def _grafted(top: Partition, trees: tuple[BoxTree, ...]) -> Partition:
    """Return the partition with trees in place of the leaves of `top`, its nodes renumbered level by
    level.
    """
    sequence = [trees[i] for i in top.order]
    sizes = np.array([len(tree.order) for tree in trees])
    triangle_offset = np.cumsum(sizes) - sizes
    block = np.concatenate([[0], np.cumsum(sizes[top.order])])
    nodes = np.array([len(top.start)] + [len(tree.start) for tree in sequence])
    node_offset = np.cumsum(nodes)[:-1]

    children = [top.children]
    for tree, offset in zip(sequence, node_offset, strict=True):
        children.append(np.where(tree.children >= 0, tree.children + offset, -1))
    below = [tree.start + begin for tree, begin in zip(sequence, block[:-1], strict=True)]
    start = np.concatenate([block[top.start], *below])
    top_count = block[top.start + top.count] - block[top.start]
    count = np.concatenate([top_count, *(tree.count for tree in sequence)])
    order = np.concatenate([trees[i].order + triangle_offset[i] for i in top.order])
    alias = np.arange(len(start))
    leaf = np.flatnonzero(top.children[:, 0] < 0)
    alias[leaf] = node_offset[top.start[leaf]]
    return _breadth_first(np.concatenate(children), start, count, order, alias)


def _breadth_first(children: Ints, start: Ints, count: Ints, order: Ints, alias: Ints) -> Partition:
    """Return the partition of the nodes below node 0, numbered level by level.

    alias (n,): the node that stands for each; a leaf of the top-level tree is replaced by the root of a tree.
    """
    levels = [alias[:1]]
    while levels[-1].size:
        below = children[levels[-1]]
        levels.append(alias[below[below[:, 0] >= 0].ravel()])
    old = np.concatenate(levels)
    number = np.full(len(alias), -1, dtype=np.intp)
    number[old] = np.arange(old.size)
    below = children[old]
    return Partition(
        order=order,
        start=start[old],
        count=count[old],
        children=np.where(below >= 0, number[alias[below]], -1),
        level_start=np.concatenate([[0], np.cumsum([level.size for level in levels[:-1]])]),
    )
