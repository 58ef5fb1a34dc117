"""The tree of boxes over one body's triangles: flat arrays, built once, placed by a pose.

Source: Snyder 1995, section 3.1.

Boxes stand in the body's own frame and contain their triangles grown by the bound of their distance to the
true surface (his Figure 3b), so a collision of the true surfaces is never missed.  Nodes are numbered level
by level: a level's boxes are the unions of the next level's, found with one numpy call each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from ..arrays import TINY, Floats, Ints
from ..vectors import coordinate_cross, coordinate_dot, coordinate_length
from .blocks import Blocks, blocks_of
from .partition import Partition, partition

if TYPE_CHECKING:
    from ..bodies import Body

__all__ = [
    "BoxTree",
    "build_tree",
    "highest_below",
    "remember",
    "remember_mapped",
    "tree_of",
    "triangle_boxes",
    "with_boxes",
]

_ONE_NORMAL = 1e-6  # difference of unit normals up to which they may count as one
_MIXING = np.array([73856093, 19349669, 83492791])  # primes that spread normals over labels
_LABELS = 1 << 14  # so many that few normals share one
_ANY_DIRECTION = np.array([0.61, 0.53, 0.59])  # upwards: along no plane that anybody draws
LEAF_SIZE = 2
"""Most triangles in a leaf.  Queries take longest with 8 or 16; 1 to 4 differ by a few per cent."""

TOP_SIZE = 16
"""Most nodes of one level at which a traversal starts, instead of going down from the root level by level."""


_EPSILON = float(np.finfo(np.float64).eps)


class Slabs(NamedTuple):
    """How far nodes and triangles, grown by their bounds, reach along one direction; see `slabs`.

    direction (3,): the unit normal of the triangles of the largest area in all.
    share: of the whole area that they are.
    lower, upper (n,): the ends of each node, lengths.  triangles: those of each triangle, two arrays (t,).
    """

    direction: Floats
    share: float
    lower: Floats
    upper: Floats
    triangles: tuple[Floats, Floats]


@dataclass(frozen=True, eq=False)
class BoxTree:
    """A binary tree of boxes over t triangles, with n nodes numbered level by level.

    lower, upper (n, 3): the boxes' corners, lengths in the body's frame.
    children (n, 2): node numbers, -1 for a leaf.
    start, count (n,), order (t,): the triangles below a node are ``order[start : start + count]``.
    level_start (levels + 1,): level d holds the nodes ``level_start[d] .. level_start[d + 1] - 1``.
    triangles (t, 3, 3), bound (t,): what the tree was built over, lengths.
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
        """The first child (n,) of each node, -1 for a leaf; the second child is the next node."""
        return np.ascontiguousarray(self.children[:, 0])

    @cached_property
    def boxes(self) -> Floats:
        """The boxes (6, n): centre, then half extent, rounded outwards."""
        center = 0.5 * self.lower + 0.5 * self.upper
        half = np.maximum(self.upper - center, center - self.lower)
        half = half * (1.0 + 4.0 * _EPSILON) + 2.0 * _EPSILON * np.abs(center)
        return np.ascontiguousarray(np.concatenate([center, half], axis=1).T)

    @property
    def parts(self) -> Partition:
        """Which triangles are below which nodes."""
        return Partition(self.order, self.start, self.count, self.children, self.level_start)

    @cached_property
    def blocks(self) -> Blocks:
        """The tree in blocks of up to eight children."""
        return blocks_of(self.parts, self.boxes, self.triangles, self.bound)

    @cached_property
    def planes_below(self) -> Floats:
        """Bounds (8, n) of the planes of all triangles below each node, see `directional`."""
        return _planes_below(self)

    @cached_property
    def slabs(self) -> Slabs:
        """How far each node reaches along the normal of the largest flat part, see `slabs`."""
        return _slabs(self)

    @cached_property
    def opening_size(self) -> Floats:
        """Half the diagonal (n,) of each box; -1 for a leaf, which has no children to go on with."""
        half = self.boxes[3:]
        diagonal = np.sqrt((half * half).sum(axis=0))
        return np.where(self.first_child >= 0, diagonal, -1.0)

    @cached_property
    def top(self) -> Ints:
        """A few nodes (m,) that together hold every triangle, where a traversal starts."""
        widths = np.diff(self.level_start)
        too_wide = np.flatnonzero(widths > TOP_SIZE)
        level = int(too_wide[0]) - 1 if too_wide.size else len(widths) - 1
        above = np.arange(self.level_start[level])
        leaves = above[self.first_child[: above.size] < 0]
        return np.concatenate([leaves, np.arange(self.level_start[level], self.level_start[level + 1])])

    @cached_property
    def magnitude(self) -> float:
        """The largest coordinate, a length: the scale of rounding errors."""
        return float(max(np.abs(self.lower[0]).max(), np.abs(self.upper[0]).max()))

    @cached_property
    def is_grown(self) -> bool:
        """Whether any triangle has a bound that is not zero."""
        return bool(self.bound.any())

    @cached_property
    def flat_triangles(self) -> Floats:
        """The triangles as rows (t, 9)."""
        return np.ascontiguousarray(self.triangles).reshape(-1, 9)

    @cached_property
    def planes(self) -> Floats:
        """Each triangle's plane (t, 5): the unit normal, then how far its corners reach below and above it.

        Heights are lengths along the normal over the first corner.  They are zero except for slivers, whose
        normal is mostly rounding error.  A triangle without area has zeros only.
        """
        edges = (self.triangles[:, 1:] - self.triangles[:, :1]).transpose(1, 2, 0)
        normal, _ = _normals(self.triangles)
        heights = coordinate_dot(normal[:, None], edges.transpose(1, 0, 2))
        low, high = np.minimum(heights.min(axis=0), 0.0), np.maximum(heights.max(axis=0), 0.0)
        return np.ascontiguousarray(np.concatenate([normal, low[None], high[None]]).T)


def build_tree(triangles: Floats, bound: Floats | None = None, leaf_size: int = LEAF_SIZE) -> BoxTree:
    """Return the tree over triangles (t, 3, 3), each grown by its bound (t,), a length (default 0).

    Raises:
        ValueError: no triangles, wrong shapes, or numbers that are not finite.
    """
    triangles = np.ascontiguousarray(triangles, dtype=np.float64)
    bound = _checked(triangles, bound)
    lower, upper = triangle_boxes(triangles, bound)
    parts = partition(lower, upper, leaf_size)
    return with_boxes(parts, lower, upper, triangles, bound)


def tree_of(body: Body) -> BoxTree:
    """Return the tree of a body: it is built at the first call and freed together with the body."""
    tree = body.derived.get(_TREE)
    if not isinstance(tree, BoxTree):
        source = cast("Body | None", body.derived.pop(_SOURCE, None))
        tree = build_tree(body.triangles, body.triangle_bound) if source is None else _mapped(body, source)
        remember(body, tree)
    return tree


def remember(body: Body, tree: BoxTree) -> None:
    """Make `tree_of(body)` return this tree."""
    body.derived[_TREE] = tree


def remember_mapped(body: Body, source: Body) -> None:
    """Give a body, which is another one after an affine map, that one's tree with boxes of its own triangles;
    it is made when it is asked for.

    Finding which triangles stand together takes most of the time that a tree takes, and a map keeps it.
    """
    body.derived[_SOURCE] = source


def _mapped(body: Body, source: Body) -> BoxTree:
    tree = tree_of(source)
    parts = Partition(tree.order, tree.start, tree.count, tree.children, tree.level_start)
    lower, upper = triangle_boxes(body.triangles, body.triangle_bound)
    return with_boxes(parts, lower, upper, body.triangles, body.triangle_bound)


_TREE = "tree"
_SOURCE = "source of the tree"


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
    """Return the lower and upper corners (t, 3) of the boxes of triangles (t, 3, 3), grown by bounds (t,)."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    lower = np.minimum(np.minimum(a, b), c) - bound[:, None]
    upper = np.maximum(np.maximum(a, b), c) + bound[:, None]
    return lower, upper


def with_boxes(parts: Partition, lower: Floats, upper: Floats, triangles: Floats, bound: Floats) -> BoxTree:
    """Return the tree of a partition, whose boxes hold the triangles' own (t, 3)."""
    ends = _highest(parts, np.concatenate([-lower.T, upper.T]))
    return BoxTree(
        -ends[:3].T,
        ends[3:].T,
        parts.children,
        parts.start,
        parts.count,
        parts.order,
        parts.level_start,
        triangles,
        bound,
    )


def _planes_below(tree: BoxTree) -> Floats:
    """Return m, h, low and high (8, n) of each node, in the symbols of `directional`, rounded outwards."""
    planes = np.ascontiguousarray(tree.planes[tree.order].T)
    normal, bound = planes[:3], tree.bound[tree.order]
    over_origin = (normal * tree.triangles[tree.order, 0].T).sum(axis=0)
    low, high = over_origin + planes[3] - bound, over_origin + planes[4] + bound
    result = np.empty((8, len(tree.start)))
    for begin, end in zip(tree.level_start[:-1], tree.level_start[1:], strict=True):
        place, first = _below(tree.start[begin:end], tree.count[begin:end])
        normals = np.take(normal, place, axis=1)
        lower = np.minimum.reduceat(normals, first, axis=1)
        upper = np.maximum.reduceat(normals, first, axis=1)
        middle = 0.5 * (lower + upper)
        result[:3, begin:end] = middle
        result[3:6, begin:end] = np.maximum(upper - middle, middle - lower) * (1.0 + 4.0 * _EPSILON)
        centers = np.repeat(tree.boxes[:3, begin:end], tree.count[begin:end], axis=1)
        offset = (normals * centers).sum(axis=0)
        result[6, begin:end] = np.minimum.reduceat(low[place] - offset, first)
        result[7, begin:end] = np.maximum.reduceat(high[place] - offset, first)
    return result


def _slabs(tree: BoxTree) -> Slabs:
    direction, share = _largest_flat_part(tree)
    heights = tree.triangles @ direction
    rounding = 16.0 * _EPSILON * tree.magnitude
    low, high = heights.min(axis=1) - tree.bound - rounding, heights.max(axis=1) + tree.bound + rounding
    ends = highest_below(tree, np.stack([-low, high]))
    return Slabs(direction, share, -ends[0], ends[1], (low, high))


def _largest_flat_part(tree: BoxTree) -> tuple[Floats, float]:
    """Return the unit normal (3,) that triangles of the greatest area have, either way round, and the share
    of all area that they are.
    """
    normal, size = _normals(tree.triangles)
    normal *= np.where(_ANY_DIRECTION @ normal < 0.0, -1.0, 1.0)
    digits = (normal / _ONE_NORMAL).round().astype(np.int64)
    label = (_MIXING @ digits) % _LABELS
    areas = np.bincount(label, size, _LABELS)
    largest = int(np.argmax(areas))
    share = float(areas[largest] / max(areas.sum(), TINY))
    return normal[:, np.argmax(label == largest)].copy(), share


def _normals(triangles: Floats) -> tuple[Floats, Floats]:
    """Return the unit normals (3, t) of triangles, zero without area, and twice their areas (t,)."""
    edges = (triangles[:, 1:] - triangles[:, :1]).transpose(1, 2, 0)
    normal = coordinate_cross(edges[0], edges[1])
    size = coordinate_length(normal)
    return normal / np.where(size > 0.0, size, 1.0), size


def highest_below(tree: BoxTree, values: Floats) -> Floats:
    """Return the highest value (m, n) below each node, of values (m, t) of the triangles."""
    return _highest(tree.parts, values.astype(np.float64))


def _highest(parts: Partition, values: Floats) -> Floats:
    """Return the highest value (m, n) below each node, of values (m, t), from the leaves level by level."""
    result = np.empty((len(values), len(parts.start)))
    leaf = np.flatnonzero(parts.children[:, 0] < 0)
    leaf = leaf[np.argsort(parts.start[leaf], kind="stable")]
    result[:, leaf] = np.maximum.reduceat(np.take(values, parts.order, axis=1), parts.start[leaf], axis=1)
    for level in range(len(parts.level_start) - 2, -1, -1):
        node = np.arange(parts.level_start[level], parts.level_start[level + 1])
        first = parts.children[node, 0]
        node, first = node[first >= 0], first[first >= 0]
        result[:, node] = np.maximum(np.take(result, first, axis=1), np.take(result, first + 1, axis=1))
    return result


def _below(start: Ints, count: Ints) -> tuple[Ints, Ints]:
    """Return the places in the tree's order of all triangles below nodes, and where each node's begin."""
    first = np.cumsum(count) - count
    return np.arange(int(count.sum())) - np.repeat(first - start, count), first
