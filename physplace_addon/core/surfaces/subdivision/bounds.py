"""Proven bounds on the distance from limit patches to the two triangles of a cell.

A cell within one Bezier net has the bound of `cell_bounds`.  Any other is taken apart into the nets of its
leaves, about an extraordinary corner those of some levels and the points around what is left there; the
surface lies in their convex hulls, because all weights of Catmull-Clark are positive.  A plane through the
diagonal gives each triangle its own side.  The distance to one triangle is a convex function: over the part
of a hull on its side it is greatest at the hull's points there, or where lines between them cross the plane;
there it is at most that to the diagonal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import ArrayRecord, Floats, Ints
from ...vectors import cross, dot, length
from ..bernstein import CUBIC, part_matrices, sub_matrices
from ..cell_bounds import bilinear_bounds, cell_corners, distances_to_triangles
from ..curves.piecewise import distance_to_segment
from .nets import LimitNets, Tips, turned

# Factor times `enough` above which a simple bound is left as it is, since no better one will do.
_HOPELESS = 6.0
_SMALL = 0.1  # largest size of what is left about an extraordinary corner, over `enough`
_TRIANGLES = ([0, 1, 2], [3, 2, 1])  # the corners of a cell's triangles
_RINGS = np.array([[0.5, 0.0], [0.5, 0.5], [0.0, 0.5]])  # lower corners of a level's patches
# Lower corners of the four children of a node.
_CHILDREN = np.array([[0.0, 0.0], [0.5, 0.0], [0.5, 0.5], [0.0, 0.5]])


def regular_bounds(control: Floats, cells_u: int, cells_v: int) -> Floats:
    """Return the bounds (m, cells_u cells_v) of equal cells of bicubic nets (m, 4, 4, 3), scene units."""
    first = np.einsum("aip,mpqx->maiqx", sub_matrices(cells_u), control)
    parts = np.einsum("bjq,maiqx->mabijx", sub_matrices(cells_v), first).reshape(-1, 4, 4, 3)
    corners = parts[:, [0, 3, 0, 3], [0, 0, 3, 3]]
    bend_u, bend_v = (
        6.0 * np.linalg.norm(np.diff(parts, n=2, axis=axis), axis=3).max(axis=(1, 2)) for axis in (1, 2)
    )
    bounds = bilinear_bounds(corners, bend_u, bend_v) + _flat(corners)
    return bounds.reshape(len(control), cells_u * cells_v)


def _flat(corners: Floats) -> Floats:
    """Return infinity for cells (k, 4, 3) one of whose triangles has no area, else 0."""
    sides = [corners[:, b] - corners[:, a] for a, b in ((0, 1), (0, 2), (3, 2), (3, 1))]
    least = np.minimum(length(cross(sides[0], sides[1])), length(cross(sides[2], sides[3])))
    longest = np.max([dot(side, side) for side in sides], axis=0)
    return np.where(least > 1e-9 * longest, 0.0, np.inf)


@dataclass(frozen=True, eq=False)
class _Parts(ArrayRecord):
    """Parts of cells (k,): rectangles lower, upper (k, 2) in nodes of the tree."""

    cell: Ints
    node: Ints
    lower: Floats
    upper: Floats


def hull_bounds(nets: LimitNets, patch: Ints, lower: Floats, upper: Floats, enough: float) -> Floats:
    """Return the bounds (k,) of any rectangles of parameters of quadrilaterals, scene units.

    Args:
        nets: the quadrilaterals.
        patch: which of them (k,).
        lower, upper: the rectangles (k, 2).
        enough: the length that bounds will be compared with; what is left about an extraordinary corner is
            small beside it.
    """
    corner = cell_corners(lower, upper)
    corners = nets.slopes(np.repeat(patch, 4), corner.reshape(-1, 2)).point.reshape(-1, 4, 3)
    found = _Found([], [], [], [])
    parts = _Parts(np.arange(len(patch)), nets.roots[patch], lower, upper)
    while len(parts.cell):
        split = nets.tree.child[parts.node] >= 0
        _take_apart(nets, parts.take(np.flatnonzero(~split)), _SMALL * enough, found)
        parts = _in_children(nets, parts.take(np.flatnonzero(split)))
    return _bounds_of(found, corners, enough)


@dataclass(frozen=True, eq=False)
class _Found:
    """Bezier nets that cells were taken apart into, with their cells, and other points around them."""

    cell: list[Ints]
    control: list[Floats]
    left_cell: list[Ints]
    left: list[Floats]


def _bounds_of(found: _Found, corners: Floats, enough: float) -> Floats:
    cell, control = np.concatenate(found.cell), np.concatenate(found.control)
    count = np.bincount(np.concatenate([cell, *found.left_cell]), minlength=len(corners))
    single = np.flatnonzero(count[cell] == 1)
    simple = regular_bounds(control[single], 1, 1)[:, 0]
    kept = (simple <= enough) | (simple > _HOPELESS * enough)
    rest = np.setdiff1d(np.arange(len(cell)), single[kept])
    bounds = _flat(corners)
    bounds[cell[single[kept]]] = simple[kept]
    _raise(bounds, corners, cell[rest], control[rest].reshape(-1, 16, 3))
    for own, points in zip(found.left_cell, found.left, strict=True):
        nearer = np.minimum.reduce([_reach(points, corners[own][:, three]) for three in _TRIANGLES])
        np.maximum.at(bounds, own, nearer)
    return bounds


def _raise(bounds: Floats, corners: Floats, cell: Ints, points: Floats) -> None:
    """Raise the bounds (k,) of cells to the distances of hulls of points (m, p, 3) (in place)."""
    four = corners[cell]
    diagonal = four[:, 2] - four[:, 1]
    away = four[:, 3] - four[:, 0]
    away = away - (dot(away, diagonal) / np.maximum(dot(diagonal, diagonal), 1e-300))[:, None] * diagonal
    side = np.einsum("mpx,mx->mp", points - four[:, None, 1], away)
    for three, beyond in zip(_TRIANGLES, (side, -side), strict=True):
        rows = np.flatnonzero((beyond <= 0.0).any(axis=1))
        here = (beyond <= 0.0)[rows]
        instead = points[rows, np.argmax(here, axis=1)][:, None]
        kept = np.where(here[..., None], points[rows], instead)
        np.maximum.at(bounds, cell[rows], _reach(kept, four[rows][:, three]))
    astride = np.flatnonzero((side <= 0.0).any(axis=1) & (side > 0.0).any(axis=1))
    across = _across(points[astride], side[astride], four[astride, 1], four[astride, 2])
    np.maximum.at(bounds, cell[astride], across)


def _across(points: Floats, side: Floats, start: Floats, stop: Floats) -> Floats:
    """Return the largest distance (m,) from a diagonal of where lines between points (m, p, 3) cross its
    plane.
    """
    first, second = np.triu_indices(points.shape[1], 1)
    row, pair = np.nonzero((side[:, first] <= 0.0) != (side[:, second] <= 0.0))
    one, two = points[row, first[pair]], points[row, second[pair]]
    share = side[row, first[pair]] / (side[row, first[pair]] - side[row, second[pair]])
    away = distance_to_segment(one + share[:, None] * (two - one), start[row], stop[row])
    most = np.zeros(len(points))
    np.maximum.at(most, row, away)
    return most


def _reach(points: Floats, triangle: Floats) -> Floats:
    """Return the largest distance (m,) of points (m, p, 3) from triangles (m, 3, 3)."""
    most: Floats = distances_to_triangles(points, triangle).max(axis=1, initial=0.0)
    return most


def _in_children(nets: LimitNets, parts: _Parts) -> _Parts:
    """Return the parts that lie in each child."""
    found = []
    for number, origin in enumerate(_CHILDREN):
        low = np.clip(2.0 * (parts.lower - origin), 0.0, 1.0)
        high = np.clip(2.0 * (parts.upper - origin), 0.0, 1.0)
        rows = np.flatnonzero((high > low).all(axis=1))
        child = nets.tree.child[parts.node[rows]] + number
        found.append(_Parts(parts.cell[rows], child, low[rows], high[rows]))
    return _Parts.join(found)


def _take_apart(nets: LimitNets, parts: _Parts, small: float, found: _Found) -> None:
    """Add the nets of leaves, cut to the parts (in place)."""
    net = nets.tree.net[parts.node]
    whole = parts.take(np.flatnonzero(net >= 0))
    found.cell.append(whole.cell)
    found.control.append(sub_nets_over(nets.leaves.control[net[net >= 0]], whole.lower, whole.upper))
    for number, tips in enumerate(nets.tips):
        own = parts.take(np.flatnonzero((net < 0) & (nets.tree.kind[parts.node] == number)))
        row, corner = nets.tree.row[own.node], nets.tree.corner[own.node]
        ends = turned(own.lower, corner), turned(own.upper, corner)
        own = replace(own, lower=np.minimum(*ends), upper=np.maximum(*ends))
        levels = _levels(tips, small)
        for level in range(levels if len(own.cell) else 0):
            _take_level(tips, row, own, level, found)
        rows = np.flatnonzero((own.lower < 2.0**-levels).all(axis=1))
        left = tips.powers.rings[levels] @ tips.points[row[rows]] + tips.limit[row[rows], None]
        found.left_cell.append(own.cell[rows])
        found.left.append(left)


def _levels(tips: Tips, small: float) -> int:
    """Return the first level at which the neighbourhoods are smaller than a length."""
    growth = np.abs(tips.powers.rings).sum(axis=2).max(axis=1)
    reach = growth * np.abs(tips.points).max(initial=0.0)
    return int(np.argmax(np.append(reach[:-1] <= small, True)))


def _take_level(tips: Tips, row: Ints, own: _Parts, level: int, found: _Found) -> None:
    for ring, origin in enumerate(_RINGS):
        low = np.clip(2.0 * (own.lower * 2.0**level - origin), 0.0, 1.0)
        high = np.clip(2.0 * (own.upper * 2.0**level - origin), 0.0, 1.0)
        rows = np.flatnonzero((high > low).all(axis=1))
        one = np.ones(len(rows), dtype=np.intp)
        control = tips.nets(row[rows], level * one, ring * one).reshape(-1, 4, 4, 3)
        found.cell.append(own.cell[rows])
        found.control.append(
            sub_nets_over(control + tips.limit[row[rows], None, None], low[rows], high[rows])
        )


def sub_nets_over(control: Floats, lower: Floats, upper: Floats) -> Floats:
    """Return the nets (k, 4, 4, 3) of parts [lower, upper] (k, 2) of bicubic nets (k, 4, 4, 3)."""
    if not lower.any() and (upper == 1.0).all():
        return control
    u, v = (part_matrices(lower[:, axis], upper[:, axis], CUBIC) for axis in (0, 1))
    rows = (u @ control.reshape(-1, 4, 12)).reshape(-1, 4, 4, 3)
    parts: Floats = v[:, None] @ rows
    return parts


def quarter_nets(control: Floats) -> Floats:
    """Return nets (4 m, 4, 4, 3): each of those given (m, 4, 4, 3) cut into four, quarter by quarter."""
    shape = (len(control), 2)
    cut = [
        sub_nets_over(control, np.broadcast_to(0.5 * child, shape), np.broadcast_to(0.5 * child + 0.5, shape))
        for child in 2.0 * _CHILDREN
    ]
    return np.concatenate(cut)
