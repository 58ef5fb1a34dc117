"""A tree in blocks of up to eight children: three levels of the binary tree at once.

A round of numpy calls costs more than the few hundred pairs that it would drop, so a traversal goes down
three levels at a time.  An *inner* block holds the boxes of up to eight nodes, each of which is a block of
its own.  A *bottom* block holds up to eight triangles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from .partition import Partition

__all__ = ["Blocks", "blocks_of"]

WIDTH = 8
"""Children of an inner block, and triangles of a bottom block, at most."""

_LEVELS = 3
"""Levels of the binary tree from a block to its children at most: 2^3 = 8."""

TOP_SIZE = 64
"""Most blocks of the row at which a traversal starts: the pairs of all of them are tested by one round."""

_NOWHERE = -1e200
"""Half extent, a length, of the box of an empty place: it is never near another one."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """W blocks, of which V are inner and U bottom ones; block 0 holds everything.

    top (v,): a few blocks that together hold everything, where a traversal starts.
    node (W,): the node of the binary tree that each block stands for.
    own (W, 6): each block's box, centre and half extent, in the body's frame.
    size (W,): half the diagonal of that box, a length; -1 for a bottom block.
    row (W,): its place among the inner blocks, or among the bottom blocks.
    boxes (V, 48), child (V, 8): the children's boxes, coordinate by coordinate, and numbers; -1 for none.
    corners (U, 9 m): the coordinates of the m triangles in each, by axis, corner and triangle, lengths; NaN
    where there is none.  bound, triangle (U, m): their bounds and numbers.
    """

    top: Ints
    node: Ints
    own: Floats
    size: Floats
    row: Ints
    boxes: Floats
    child: Ints
    corners: Floats
    bound: Floats
    triangle: Ints


def blocks_of(parts: Partition, boxes_of_nodes: Floats, triangles: Floats, bound: Floats) -> Blocks:
    """Return the blocks of a binary tree.

    Args:
        parts: which of the t triangles are below which of the n nodes.
        boxes_of_nodes: centre and half extent (6, n).
        triangles, bound: (t, 3, 3) and (t,), lengths.
    """
    node, child, top = _rounds(parts)
    is_inner = (child >= 0).any(axis=0)
    inner, bottom = np.flatnonzero(is_inner), np.flatnonzero(~is_inner)
    row = np.empty(node.size, dtype=np.intp)
    row[inner], row[bottom] = np.arange(inner.size), np.arange(bottom.size)
    own = np.ascontiguousarray(np.take(boxes_of_nodes, node, axis=1).T)
    child = np.ascontiguousarray(child[:, inner].T)
    boxes = own[child]
    boxes[child < 0] = [0.0, 0.0, 0.0, _NOWHERE, _NOWHERE, _NOWHERE]
    triangle = _triangles(parts, node[bottom])
    corners = np.take(triangles, triangle, axis=0)
    corners[triangle < 0] = np.nan
    return Blocks(
        top=top,
        node=node,
        own=own,
        size=np.where(is_inner, np.sqrt((own[:, 3:] * own[:, 3:]).sum(axis=1)), -1.0),
        row=row,
        boxes=boxes.transpose(0, 2, 1).reshape(inner.size, 6 * WIDTH),
        child=child,
        corners=corners.transpose(0, 3, 2, 1).reshape(bottom.size, -1),
        bound=bound[triangle],
        triangle=triangle,
    )


def _rounds(parts: Partition) -> tuple[Ints, Ints, Ints]:
    """Return the node (W,) of each block, the blocks (8, W) of its children or -1, and the top ones (v,)."""
    nodes, children, total = [], [], 1
    node = np.zeros(1, dtype=np.intp)
    ended, top = node[:0], node
    while node.size:
        here = np.arange(total - node.size, total)
        slots = _children(parts, node)
        held = slots >= 0
        child = np.full(slots.shape, -1, dtype=np.intp)
        child[held] = total + np.arange(int(held.sum()))
        nodes.append(node)
        children.append(child.T)
        if ended.size + node.size <= TOP_SIZE:
            top = np.concatenate([ended, here])
        ended = np.concatenate([ended, here[~held.any(axis=1)]])
        node = slots[held]
        total += node.size
    return np.concatenate(nodes), np.concatenate(children, axis=1), top


def _children(parts: Partition, node: Ints) -> Ints:
    """Return the nodes (k, 8) that are children of the blocks at nodes (k,), -1 for none.

    They hold at most the greatest power of 8 that is less than what the block holds, so that the bottom
    blocks of a balanced tree are full.
    """
    powers = WIDTH ** np.arange(1, 21)
    most = powers[np.searchsorted(powers, parts.count[node]) - 1]
    is_inner = (parts.count[node] > WIDTH) & (parts.children[node, 0] >= 0)
    slots = np.where(is_inner, node, -1)[:, None]
    for _ in range(_LEVELS):
        first = np.where(slots >= 0, parts.children[slots, 0], -1)
        opened = (first >= 0) & (parts.count[slots] > most[:, None])
        pair = [np.where(opened, first, slots), np.where(opened, first + 1, -1)]
        slots = np.stack(pair, axis=2).reshape(len(node), -1)
    return slots


def _triangles(parts: Partition, node: Ints) -> Ints:
    """Return the triangles (k, m) below nodes (k,), -1 where there are less than m."""
    place = np.arange(int(parts.count[node].max()))
    held = place < parts.count[node, None]
    return np.where(held, parts.order[np.where(held, parts.start[node, None] + place, 0)], -1)
