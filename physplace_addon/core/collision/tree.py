"""The box hierarchy of one body (paper 3.1): flat arrays, built once, moved by a pose.

Boxes stand in the body's own frame and contain their triangles grown by the bound of the distance
to the true surface (paper Figure 3b), so a collision of the true surfaces is never missed.  Nodes
are numbered level by level: a level's boxes are the unions of the next level's, one numpy call each.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Floats, Ints
from ..vectors import coordinate_cross, coordinate_dot, coordinate_length
from .face_planes import planes_below
from .partition import Partition, partition

if TYPE_CHECKING:
    from ..bodies import Body

__all__ = ["BoxTree", "build", "refit", "remember", "tree_of", "triangle_boxes", "with_boxes"]

LEAF_SIZE = 2
"""Triangles in a leaf."""

TOP_SIZE = 16


@dataclass(frozen=True, eq=False)
class BoxTree:
    """A binary tree of boxes over t triangles; n nodes, level by level.

    lower, upper (n, 3): boxes; children (n, 2): node numbers, -1 for a leaf; the triangles below a
    node are ``order[start : start + count]``; level d is ``level_start[d] .. level_start[d + 1] - 1``.
    triangles (t, 3, 3) and bound (t,) are what the tree was built over.
    """

    lower: Floats
    upper: Floats
    children: Ints
    start: Ints
    count: Ints
    order: Ints
    level_start: Ints
    triangles: Floats
    bound: Floats

    @cached_property
    def first_child(self) -> Ints:
        """(n,) the first child, -1 for a leaf; the second is the next node."""
        return np.ascontiguousarray(self.children[:, 0])

    @cached_property
    def boxes(self) -> Floats:
        """(6, n) centre and half extent, rounded outwards."""
        center = 0.5 * self.lower + 0.5 * self.upper
        half = np.maximum(self.upper - center, center - self.lower)
        half = half * (1.0 + 4.0 * _EPSILON) + 2.0 * _EPSILON * np.abs(center)
        return np.ascontiguousarray(np.concatenate([center, half], axis=1).T)

    @cached_property
    def planes_below(self) -> Floats:
        """(8, n) the normals and the heights of all triangles below each node, see `planes`."""
        return planes_below(self)

    @cached_property
    def opening_size(self) -> Floats:
        """(n,) half the diagonal of each box that has children, -1 for a leaf: it is never opened."""
        half = self.boxes[3:]
        diagonal = np.sqrt((half * half).sum(axis=0))
        return np.where(self.first_child >= 0, diagonal, -1.0)

    @cached_property
    def top(self) -> Ints:
        """A few nodes that together hold every triangle: where a traversal starts."""
        widths = np.diff(self.level_start)
        too_wide = np.flatnonzero(widths > TOP_SIZE)
        level = int(too_wide[0]) - 1 if too_wide.size else len(widths) - 1
        above = np.arange(self.level_start[level])
        leaves = above[self.first_child[: above.size] < 0]
        return np.concatenate([leaves, np.arange(self.level_start[level], self.level_start[level + 1])])

    @cached_property
    def magnitude(self) -> float:
        """The largest coordinate, the scale of rounding errors."""
        return float(max(np.abs(self.lower[0]).max(), np.abs(self.upper[0]).max()))

    @cached_property
    def flat_triangles(self) -> Floats:
        """(t, 9) view of the triangles, for taking rows."""
        return np.ascontiguousarray(self.triangles).reshape(-1, 9)

    @cached_property
    def planes(self) -> Floats:
        """(t, 5) unit normal, and the lowest and the highest corner along it over the first corner.

        The latter are zero but for a sliver, whose normal is mostly rounding error; of no area: all zero.
        """
        first = self.triangles[:, 0]
        edges = (self.triangles[:, 1:] - first[:, None]).transpose(1, 2, 0)
        normal = coordinate_cross(edges[0], edges[1])
        size = coordinate_length(normal)
        normal = normal / np.where(size > 0.0, size, 1.0)
        heights = coordinate_dot(normal[:, None], edges.transpose(1, 0, 2))
        low, high = np.minimum(heights.min(axis=0), 0.0), np.maximum(heights.max(axis=0), 0.0)
        return np.ascontiguousarray(np.concatenate([normal, low[None], high[None]]).T)


_EPSILON = float(np.finfo(np.float64).eps)


def build(triangles: Floats, bound: Floats | None = None, leaf_size: int = LEAF_SIZE) -> BoxTree:
    """The tree over `triangles` (t, 3, 3), each grown by `bound` (t,) (default none).

    Raises ValueError for no triangles or non-finite corners: what a body is made of is checked
    where it is made.  Source: paper 3.1.
    """
    triangles = np.ascontiguousarray(triangles, dtype=np.float64)
    bound = _checked(triangles, bound)
    lower, upper = triangle_boxes(triangles, bound)
    parts = partition(lower, upper, leaf_size)
    return with_boxes(parts, lower, upper, triangles, bound)


def refit(tree: BoxTree, triangles: Floats, bound: Floats | None = None) -> BoxTree:
    """The same hierarchy over moved triangles (t, 3, 3): only the boxes are computed again."""
    triangles = np.ascontiguousarray(triangles, dtype=np.float64)
    bound = _checked(triangles, bound)
    if triangles.shape != tree.triangles.shape:
        raise ValueError(f"refit expects triangles {tree.triangles.shape}, got {triangles.shape}")
    parts = Partition(tree.order, tree.start, tree.count, tree.children, tree.level_start)
    return with_boxes(parts, *triangle_boxes(triangles, bound), triangles, bound)


def tree_of(body: Body) -> BoxTree:
    """The tree of `body`, built at the first call and forgotten with the body."""
    known = _trees.get(id(body))
    if known is not None and known[0]() is body:
        return known[1]
    tree = build(body.triangles, body.triangle_bound)
    remember(body, tree)
    return tree


def remember(body: Body, tree: BoxTree) -> None:
    """Let `tree_of(body)` answer `tree`."""
    key = id(body)
    _trees[key] = (weakref.ref(body, lambda _: _trees.pop(key, None)), tree)


_trees: dict[int, tuple[weakref.ref[Body], BoxTree]] = {}


def _checked(triangles: Floats, bound: Floats | None) -> Floats:
    if triangles.ndim != 3 or triangles.shape[1:] != (3, 3) or not len(triangles):
        raise ValueError(f"expected triangles (t, 3, 3) with t > 0, got {triangles.shape}")
    bound = np.zeros(len(triangles)) if bound is None else np.asarray(bound, dtype=np.float64)
    if bound.shape != (len(triangles),):
        raise ValueError(f"expected bound {(len(triangles),)}, got {bound.shape}")
    if not (np.isfinite(triangles).all() and np.isfinite(bound).all() and (bound >= 0.0).all()):
        raise ValueError("triangle corners and bounds must be finite, bounds not negative")
    return bound


def triangle_boxes(triangles: Floats, bound: Floats) -> tuple[Floats, Floats]:
    """Lower and upper corners (t, 3) of the triangles' boxes, grown by `bound`."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    lower = np.minimum(np.minimum(a, b), c) - bound[:, None]
    upper = np.maximum(np.maximum(a, b), c) + bound[:, None]
    return lower, upper


def with_boxes(parts: Partition, lower: Floats, upper: Floats, triangles: Floats, bound: Floats) -> BoxTree:
    """Boxes of the leaves from the triangles' (t, 3), then of the levels upwards."""
    node_lower = np.empty((len(parts.start), 3))
    node_upper = np.empty((len(parts.start), 3))
    leaf = np.flatnonzero(parts.children[:, 0] < 0)
    leaf = leaf[np.argsort(parts.start[leaf], kind="stable")]
    node_lower[leaf] = np.minimum.reduceat(lower[parts.order], parts.start[leaf], axis=0)
    node_upper[leaf] = np.maximum.reduceat(upper[parts.order], parts.start[leaf], axis=0)
    for level in range(len(parts.level_start) - 2, -1, -1):
        node = np.arange(parts.level_start[level], parts.level_start[level + 1])
        node = node[parts.children[node, 0] >= 0]
        first, second = parts.children[node, 0], parts.children[node, 1]
        node_lower[node] = np.minimum(node_lower[first], node_lower[second])
        node_upper[node] = np.maximum(node_upper[first], node_upper[second])
    return BoxTree(
        node_lower,
        node_upper,
        parts.children,
        parts.start,
        parts.count,
        parts.order,
        parts.level_start,
        triangles,
        bound,
    )
