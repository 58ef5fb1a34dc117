"""Whether a surface that has changed is still made as it was, proven by boxes of one class for both.

Let F be the function before and G that after. If both are negative all over a box, or both are positive, or
both rise along one direction v, then so are, or so do, all of (1 - t) F + t G for t from 0 to 1. If this
holds for each of the boxes that fill a cube, and both surfaces are within it, then no zero of any of these
functions is a critical point, and none comes to the cube's boundary. So from F to G the surface moves without
ever being torn or closed (Milnor 1963, theorem 3.1, for the level sets of t): there are as many components as
before, of the same kind.

Where F levels off far away, what rises on there stands for it, as `least_slope` says; it has the same zeros.

A box that has come to the surface, or was left by it, has another class than before; most of these rise along
a common direction all the same. Those that do not are halved.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints
from ..functions.base import ImplicitFunction
from .rising_directions import unit_slopes
from .subdivision import BoxClass, ClassifiedBoxes, Part, eighths, joined

_HALVINGS = 3  # of boxes in which surfaces change too much to be seen as alike


def common_boxes(
    before: ImplicitFunction, after: ImplicitFunction, boxes: ClassifiedBoxes
) -> ClassifiedBoxes | None:
    """Return boxes that are of one class for two functions, which proves that their surfaces are isotopic.

    Args:
        before: F.
        after: G.
        boxes: those of F, none of them undecided, in a cube that holds the whole surface.

    Returns:
        The boxes, some of them halved, with classes that hold for both. None where that is not found out with
        little work, or where G has surface outside of the cube.
    """
    tree, box = boxes.tree, after.box()
    if not ((box[0] >= tree.low).all() and (box[1] <= tree.low + tree.size).all()):
        return None
    kind, direction = _classes_kept(after, boxes)
    done = kind != BoxClass.UNDECIDED
    kept: list[Part] = [(tree.numbers[done], tree.depth[done], kind[done], direction[done])]
    numbers, depth, examined = tree.numbers[~done], tree.depth[~done], boxes.examined
    for _ in range(_HALVINGS):
        if not len(numbers):
            return joined(tree.low, tree.size, kept, examined)
        sides = tree.size * 0.5 ** depth.astype(np.float64)[:, None]
        low = tree.low + sides * numbers
        kind, direction = _common_classes(before, after, low, low + sides)
        examined += len(numbers)
        done = kind != BoxClass.UNDECIDED
        kept.append((numbers[done], depth[done], kind[done], direction[done]))
        numbers, depth = eighths(numbers[~done]), (depth[~done] + 1).repeat(8)
    return None if len(numbers) else joined(tree.low, tree.size, kept, examined)


def _classes_kept(after: ImplicitFunction, boxes: ClassifiedBoxes) -> tuple[Ints, Floats]:
    """Return the classes (n,) and directions (n, 3) of boxes that hold for another function, too; others are
    undecided.
    """
    tree = boxes.tree
    low = tree.low + tree.sides[:, None] * tree.numbers
    high = low + tree.sides[:, None]
    least, most = after.range(low, high)
    kept = (boxes.kind == BoxClass.INSIDE) & (most < 0.0)
    kept |= (boxes.kind == BoxClass.OUTSIDE) & (least > 0.0)
    graphs = np.flatnonzero(boxes.kind == BoxClass.GRAPH)
    kept[graphs] = after.least_slope(low[graphs], high[graphs], boxes.direction[graphs], 0.0) > 0.0
    return np.where(kept, boxes.kind, BoxClass.UNDECIDED), boxes.direction


def _common_classes(
    before: ImplicitFunction, after: ImplicitFunction, low: Floats, high: Floats
) -> tuple[Ints, Floats]:
    """Return the classes (k,) that boxes with corners (k, 3) have for two functions, and the directions
    (k, 3) of graphs.
    """
    kind, direction = np.full(len(low), BoxClass.UNDECIDED, dtype=np.intp), np.zeros(low.shape)
    (least, most), (other_least, other_most) = before.range(low, high), after.range(low, high)
    kind[(most < 0.0) & (other_most < 0.0)] = BoxClass.INSIDE
    kind[(least > 0.0) & (other_least > 0.0)] = BoxClass.OUTSIDE
    open_ = np.flatnonzero(kind == BoxClass.UNDECIDED)
    low, high = low[open_], high[open_]
    slopes = [unit_slopes(function.gradient(0.5 * (low + high))[1]) for function in (before, after)]
    halfway = unit_slopes(slopes[0] + slopes[1])
    rises = [function.least_slope(low, high, halfway, 0.0) > 0.0 for function in (before, after)]
    graph = rises[0] & rises[1]
    kind[open_[graph]], direction[open_[graph]] = BoxClass.GRAPH, halfway[graph]
    return kind, direction
