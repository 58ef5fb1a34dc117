"""One tree over several bodies (Snyder 1995, section 3).

The bodies' own trees are kept as they are.  A small tree over their root boxes, the top-level tree, is put on
top.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Ints
from .partition import Partition, partition
from .tree import BoxTree, triangle_boxes, with_boxes

__all__ = ["join_trees", "roots_of_parts"]


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
