"""Subdivision of the space about an implicit surface into boxes of which something is proven.

Proven ranges of F and of its slopes put a box into one of four classes (after Snyder 1992, and Plantinga and
Vegter 2004):

- inside, F < 0 all over it, or outside, F > 0;
- graph: along some direction v the slope F_x . v is above 0 all over it. The surface, if it is there at all,
  is then the graph of a function over the plane across v. No component of it, nor of what it bounds, lies in
  the box as a whole;
- undecided, which is halved along each axis until a depth or a number of boxes is reached.

Every critical point of F is in a box of another class than graph: no small component can hide in a graph.
The directions are those of `rising_directions`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from ...arrays import Bools, Floats, Ints
from ..functions.base import ImplicitFunction
from .box_tree import DEEPEST, HALVES, BoxTree
from .rising_directions import rising_directions

_FIRST = 2  # halvings before any box is examined: 1/4 of the cube's side
_EXAMINED = 4096  # boxes whose slopes are evaluated at once, which bounds the memory


class BoxClass(IntEnum):
    """What is proven of a box."""

    INSIDE = -1
    GRAPH = 0
    OUTSIDE = 1
    UNDECIDED = 2


@dataclass(frozen=True)
class SearchLimits:
    """How far a search goes.

    Attributes:
        most: boxes that are examined, after which the search ends.
        least: side of the smallest boxes, in scene units.
        margin: share of the surface's box by which the cube that is searched is larger on each side; by an
            odd one, so that planes of symmetry cut no box.
    """

    most: int = 140_000
    least: float = 0.0
    margin: float = 0.0371


@dataclass(frozen=True, eq=False)
class ClassifiedBoxes:
    """An octree with the class of each of its n boxes.

    Attributes:
        tree: the boxes.
        kind: the class of each (n,), a `BoxClass`.
        direction: a unit direction (n, 3) along which F rises in each graph; 0 of other boxes.
        examined: how many boxes were examined up to here.
    """

    tree: BoxTree
    kind: Ints
    direction: Floats
    examined: int

    def which(self, *kinds: BoxClass) -> Bools:
        """Return which boxes (n,) are of any of some classes."""
        return np.asarray(np.isin(self.kind, kinds))


def subdivided(function: ImplicitFunction, box: Floats, limits: SearchLimits) -> ClassifiedBoxes:
    """Return the classified boxes of a cube about a box (2, 3) that is not empty."""
    side = float((box[1] - box[0]).max())
    side = max(side, 1e-12 * float(np.abs(box).max()), 1e-300)
    low, size = box.mean(axis=0) - (0.5 + limits.margin) * side, (1.0 + 2.0 * limits.margin) * side
    axis = np.arange(2**_FIRST)
    numbers = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    return _halved_on(function, low, size, numbers, _FIRST, [], limits, 0)


def subdivided_on(
    function: ImplicitFunction, boxes: ClassifiedBoxes, limits: SearchLimits
) -> ClassifiedBoxes:
    """Return the boxes, the undecided ones halved on and on within limits that are wider."""
    sides, depth = boxes.tree.sides, boxes.tree.depth
    open_ = boxes.which(BoxClass.UNDECIDED) & (depth < DEEPEST) & (0.5 * sides >= limits.least)
    if not open_.any() or boxes.examined + 8 * int(open_.sum()) > limits.most:
        return boxes
    return refined(function, boxes, open_, limits)


def refined(
    function: ImplicitFunction, boxes: ClassifiedBoxes, some: Bools, limits: SearchLimits
) -> ClassifiedBoxes:
    """Return the boxes, some of them (n,) halved once at least."""
    tree = boxes.tree
    kept = [(tree.numbers[~some], tree.depth[~some], boxes.kind[~some], boxes.direction[~some])]
    examined = boxes.examined
    for depth in np.unique(tree.depth[some]).tolist():
        own = tree.numbers[some & (tree.depth == depth)]
        found = _halved_on(function, tree.low, tree.size, eighths(own), depth + 1, [], limits, examined)
        kept.append((found.tree.numbers, found.tree.depth, found.kind, found.direction))
        examined = found.examined
    return joined(tree.low, tree.size, kept, examined)


def eighths(numbers: Ints) -> Ints:
    """Return the numbers (8 k, 3) of the eighths of boxes (k, 3)."""
    return np.asarray((2 * numbers[:, None] + HALVES).reshape(-1, 3), dtype=np.intp)


Part = tuple[Ints, Ints, Ints, Floats]  # numbers (n, 3), depths, classes (n,) and directions (n, 3) of boxes


def _halved_on(
    function: ImplicitFunction,
    low: Floats,
    size: float,
    numbers: Ints,
    depth: int,
    kept: list[Part],
    limits: SearchLimits,
    examined: int,
) -> ClassifiedBoxes:
    """Return boxes, classified, the undecided ones halved on and on within the limits."""
    while True:
        side = size * 0.5**depth
        kind, direction = classes_of(function, low + side * numbers, np.full(len(numbers), side))
        examined += len(numbers)
        open_ = kind == BoxClass.UNDECIDED
        last = depth >= DEEPEST or 0.5 * side < limits.least
        last = last or examined + 8 * int(open_.sum()) > limits.most
        done = np.ones(len(kind), dtype=np.bool_) if last else ~open_
        depths = np.full(int(done.sum()), depth, dtype=np.intp)
        kept.append((numbers[done], depths, kind[done], direction[done]))
        if done.all():
            return joined(low, size, kept, examined)
        numbers, depth = eighths(numbers[~done]), depth + 1


def joined(low: Floats, size: float, parts: list[Part], examined: int) -> ClassifiedBoxes:
    """Return the boxes that parts of a cube have, in the order of the tree.

    Args:
        low: the cube's lowest corner (3,).
        size: its side, in scene units.
        parts: the boxes, which fill the cube.
        examined: how many were examined up to here.
    """
    numbers, depth, kind = (np.concatenate([part[i] for part in parts]) for i in range(3))
    order, direction = BoxTree.order(numbers, depth), np.concatenate([part[3] for part in parts])
    tree = BoxTree(low, size, numbers[order], depth[order])
    return ClassifiedBoxes(tree, kind[order], direction[order], examined)


def classes_of(function: ImplicitFunction, low: Floats, sides: Floats) -> tuple[Ints, Floats]:
    """Return the class (k,) of each box, and the directions (k, 3) of graphs.

    Args:
        function: F.
        low: the lowest corners of the boxes (k, 3).
        sides: their sides (k,), in scene units.
    """
    least, most = function.range(low, low + sides[:, None])
    kind = np.full(len(low), BoxClass.UNDECIDED, dtype=np.intp)
    kind[most < 0.0], kind[least > 0.0] = BoxClass.INSIDE, BoxClass.OUTSIDE
    direction, open_ = np.zeros(low.shape), np.flatnonzero(kind == BoxClass.UNDECIDED)
    for start in range(0, len(open_), _EXAMINED):
        some = open_[start : start + _EXAMINED]
        found, proven = rising_directions(function, low[some], sides[some])
        kind[some[proven]], direction[some[proven]] = BoxClass.GRAPH, found[proven]
    return kind, direction
