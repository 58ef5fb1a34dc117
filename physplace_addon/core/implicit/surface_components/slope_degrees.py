"""How many times the slope F_x covers the sphere of directions over the boundary of boxes inside a surface.

The unit normals of a closed surface cover the unit sphere chi / 2 times, chi being its Euler characteristic
(Gauss and Bonnet). Where no box is undecided, all that is inside but in no box inside is in graphs, where F_x
is not 0. So F_x / |F_x| over the boundary of a region's boxes covers the sphere as many times as over the
surface itself: one is moved to the other without F_x ever being 0 on the way. So chi is proven.

Each square of that boundary is the side of a graph, over all of which F_x is within a right angle of the
graph's direction v. So is the arc between any two of its values there, and F_x may be replaced by what goes
along such arcs between its values n at the corners. What this covers is the sum over the sides from a to b of
all squares of the signed triangles v n_a n_b, whose solid angles follow from

    tan(angle / 2) = v . n_a x n_b / (1 + v . n_a + n_a . n_b + n_b . v);

a whole number of spheres, but for rounding. Sides on which other squares have corners are halved there, so
that all squares that share a side go the same arcs.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints
from ...vectors import cross, dot, length_and_unit
from ..functions.base import ImplicitFunction
from .box_tree import DEEPEST, FACES, BoxTree
from .subdivision import BoxClass, ClassifiedBoxes

_BITS = DEEPEST + 1  # of a corner's number along one axis
_SHORTEST = 1 << _BITS * np.arange(3)  # differences of the keys of corners that no side is between
_ROUNDING = 1e-3  # spheres by which a sum may be off a whole number
# the corners of a side of a box across each axis, anticlockwise seen from above it
_AROUND = np.array([[[0, 0, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1]]])
_AROUND = np.concatenate([np.roll(_AROUND, axis, axis=2) for axis in range(3)])


def slope_degrees(function: ImplicitFunction, boxes: ClassifiedBoxes, group: Ints, count: int) -> Ints | None:
    """Return how many times F_x covers the sphere over the boundary of each group (count,) of boxes inside.

    Args:
        function: F.
        boxes: the classified boxes, none of them undecided.
        group: the group (n,) of each box inside; -1 of those that do not matter.
        count: the number of groups.

    Returns:
        The signed numbers, which are half the Euler characteristics of the surface about the groups; None if
            rounding hides them.
    """
    box, graph, corners = _squares(boxes, group)
    directions = boxes.direction[graph]
    keys = _keys(corners)
    known = np.unique(keys)
    normals = _normals(function, boxes.tree, known)
    owners = np.repeat(np.arange(len(keys)), 4)
    start, end = keys.ravel(), np.roll(keys, -1, axis=1).ravel()
    start, end, owners = _halved_at_corners(start, end, owners, known)
    a, b = (normals[np.searchsorted(known, own)] for own in (start, end))
    v = directions[owners]
    above = dot(v, a), dot(v, b)
    if not (np.minimum(*above) > 0.0).all():
        return None
    angles = 2.0 * np.arctan2(dot(v, cross(a, b)), 1.0 + above[0] + above[1] + dot(a, b))
    covered = np.bincount(group[box][owners], angles, count) / (4.0 * np.pi)
    whole = np.round(covered)
    return whole.astype(np.intp) if np.abs(covered - whole).max(initial=0.0) <= _ROUNDING else None


def _squares(boxes: ClassifiedBoxes, group: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the squares between boxes inside that are in a group (n,), and graphs.

    Returns:
        The box (m,) and the graph (m,) of each, and its corners (m, 4, 3) as numbers at the deepest level,
            anticlockwise seen from the graph.
    """
    tree, found = boxes.tree, []
    inside, graph = group >= 0, boxes.which(BoxClass.GRAPH)
    for step in FACES:
        own, beside = tree.neighbours(np.flatnonzero(inside | graph), step[None])
        outwards = inside[own] & graph[beside]
        inwards = graph[own] & inside[beside] & (tree.depth[own] > tree.depth[beside])
        axis = int(np.flatnonzero(step)[0])
        for which, turned in ((outwards, step[axis] < 0), (inwards, step[axis] > 0)):
            square = tree.numbers[own[which], None] + _AROUND[axis] + np.maximum(step, 0)
            square = square << (DEEPEST - tree.depth[own[which]])[:, None, None]
            pair = (own[which], beside[which]) if which is outwards else (beside[which], own[which])
            found.append((*pair, square[:, ::-1] if turned else square))
    first, second, corners = (np.concatenate([part[i] for part in found]) for i in range(3))
    return first, second, corners


def _keys(corners: Ints) -> Ints:
    """Return one number (...) for each corner's three (..., 3)."""
    own = corners.astype(np.int64)
    return np.asarray((own[..., 0] << 2 * _BITS) | (own[..., 1] << _BITS) | own[..., 2])


def _normals(function: ImplicitFunction, tree: BoxTree, keys: Ints) -> Floats:
    """Return the unit vectors (c, 3) along F_x at corners, by their keys (c,)."""
    mask = (1 << _BITS) - 1
    numbers = np.stack([keys >> 2 * _BITS, (keys >> _BITS) & mask, keys & mask], axis=1)
    places = tree.low + tree.size * 0.5**DEEPEST * numbers
    return length_and_unit(function.gradient(places)[1])[1]


def _halved_at_corners(start: Ints, end: Ints, owners: Ints, known: Ints) -> tuple[Ints, Ints, Ints]:
    """Return sides from corners (s,) to corners (s,) of squares (s,), halved where a known corner is in their
    middle.
    """
    whole = []
    while len(start):
        middle = (start + end) >> 1
        row = np.minimum(np.searchsorted(known, middle), len(known) - 1)
        halved = (known[row] == middle) & ~np.isin(np.abs(end - start), _SHORTEST)
        whole.append((start[~halved], end[~halved], owners[~halved]))
        start, middle, end, owners = start[halved], middle[halved], end[halved], owners[halved]
        start, end, owners = (
            np.concatenate([start, middle]),
            np.concatenate([middle, end]),
            np.concatenate([owners, owners]),
        )
    if not whole:
        return start, end, owners
    first, second, third = (np.concatenate([part[i] for part in whole]) for i in range(3))
    return first, second, third
