"""Limit patches of quadrilaterals, evaluated many at once: each one Bezier net, or a tree of them.

A quadrilateral that is not regular is cut in four until its parts are regular or ready; a ready part is three
nets for each level about its extraordinary corner (see `extraordinary`).  The parameters (u, v) of the whole
quadrilateral name all of it, so its sides match those of its neighbours.

Nearer to an extraordinary point than the parameter 2^-20 its curvature, which may grow without bound or
depend on the direction, is the one at that distance, and second derivatives are normal to the surface.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ...arrays import SHARED, Bools, Floats, Ints
from ...vectors import cross, dot, length
from ..bernstein import bernstein
from ..bezier.nets import BezierNets
from ..geometry import Derivatives
from ..patches import Patches, Slopes, normals_and_forms
from .extraordinary import LEVELS, Powers

LAST_CURVED_LEVEL = 20  # the level from which on curvature is no longer followed
_CHILD = np.array([[0, 3], [1, 2]])  # number of a child by its halves of u and v
# Number of a level's patch by its halves of u and v; at the tip the middle one.
_RING = np.array([[1, 2], [0, 1]])


@dataclass(frozen=True, eq=False)
class Tips:
    """Ready parts (m,) with one kind of neighbourhood.

    powers: of that kind.  points (m, points, 3): of the neighbourhoods, relative to the limits.  limit (m,
    3): the limit points of the extraordinary corners.
    """

    powers: Powers
    points: Floats
    limit: Floats

    @classmethod
    def of(cls, powers: Powers, points: Floats) -> Tips:
        """Return the parts with these neighbourhoods."""
        limit = np.einsum("p,mpx->mx", powers.limit, points)
        return cls(powers, points - limit[:, None], limit)

    def nets(self, rows: Ints, level: Ints, ring: Ints) -> Floats:
        """Return the Bezier nets (k, 16, 3), relative to the limits, of patches `ring` (k,), 0 to 2, of
        levels (k,).
        """
        nets: Floats = self.powers.nets[level, ring] @ self.points[rows]
        return nets


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes (m,) of the trees of quadrilaterals.

    child: the first of four children, or -1.  net: the Bezier net, or -1.  kind: that of the tip, row: its
    row there, and corner: its extraordinary corner, or -1.
    """

    child: Ints
    net: Ints
    kind: Ints
    row: Ints
    corner: Ints


@dataclass(frozen=True, eq=False)
class LimitNets(Patches):
    """The limit over quadrilaterals (n,).

    leaves: the nets that nodes refer to.  polar (n,): false, since there are no poles.  roots (n,): their
    nodes in the tree.  tips: the ready parts by kind.
    """

    leaves: BezierNets = field(metadata=SHARED)
    polar: Bools
    roots: Ints
    tree: Tree
    tips: tuple[Tips, ...]

    def __len__(self) -> int:
        return len(self.roots)

    @property
    def pole(self) -> Floats:
        """Zero (n, 3): there are none."""
        return np.zeros((len(self), 3))

    @cached_property
    def reach(self) -> float:
        """The largest coordinate of all control points, scene units."""
        most = [np.abs(tips.points + tips.limit[:, None]).max(initial=0.0) for tips in self.tips]
        return float(max([np.abs(self.leaves.control).max(initial=0.0), *most]))

    def slopes(self, patch: Ints, at: Floats) -> Slopes:
        """Return points and tangents of quadrilaterals (k,) at parameters (k, 2)."""
        return _slopes(self._jets(patch, at, 1))

    def forms(self, patch: Ints, at: Floats) -> tuple[Slopes, Floats, Floats]:
        """Return the slopes, the unit normals (k, 3), and n . d2S (k, 2, 2)."""
        jets = self._jets(patch, at, 2)
        return (_slopes(jets), *normals_and_forms(jets[:, 1, 0], jets[:, 0, 1], jets))

    def derivatives(self, patch: Ints, at: Floats) -> Derivatives:
        """Return the partial derivatives to second order, bounded near extraordinary points."""
        jets = self._jets(patch, at, 2)
        first, second = ((1, 0), (0, 1)), ((2, 0), (1, 1), (0, 2))
        return Derivatives(jets[:, 0, 0], *(jets[:, a, b] for a, b in (*first, *second)))

    def _jets(self, patch: Ints, at: Floats, order: int) -> Floats:
        """Return derivatives d^(a + b) / du^a dv^b of S, indexed (k, a, b, 3), a and b up to `order`."""
        node, at, scale = self.descend(patch, at)
        net = self.tree.net[node]
        if (net >= 0).all():
            jets = self.leaves.jets(net, at, order)
        else:
            jets = np.empty((len(patch), order + 1, order + 1, 3))
            jets[net >= 0] = self.leaves.jets(net[net >= 0], at[net >= 0], order)
            for number, tips in enumerate(self.tips):
                rows = np.flatnonzero((net < 0) & (self.tree.kind[node] == number))
                if len(rows):
                    row, corner = self.tree.row[node[rows]], self.tree.corner[node[rows]]
                    jets[rows] = _turned_jets(tip_jets(tips, row, turned(at[rows], corner), order), corner)
        if (scale != 1.0).any():
            jets *= _powers(scale, order)
        return jets

    def descend(self, patch: Ints, at: Floats) -> tuple[Ints, Floats, Floats]:
        """Return the leaves (k,) of the tree at parameters (k, 2), the parameters there, and 1 / their sizes
        (k,).
        """
        node, scale = self.roots[patch], np.ones(len(patch))
        split = np.flatnonzero(self.tree.child[node] >= 0)
        at = at.copy() if len(split) else at
        while len(split):
            half = at[split] >= 0.5
            node[split] = (
                self.tree.child[node[split]] + _CHILD[half[:, 0].astype(int), half[:, 1].astype(int)]
            )
            at[split] = 2.0 * at[split] - half
            scale[split] *= 2.0
            split = split[self.tree.child[node[split]] >= 0]
        return node, at, scale


def _slopes(jets: Floats) -> Slopes:
    return Slopes(jets[:, 0, 0], jets[:, 1, 0], jets[:, 0, 1], np.ones(len(jets)))


def turned(at: Floats, corner: Ints) -> Floats:
    """Return parameters (k, 2) along the two spokes of a corner (k,) of the unit square."""
    u, v = at.T
    first = np.choose(corner, [u, v, 1.0 - u, 1.0 - v])
    second = np.choose(corner, [v, 1.0 - u, 1.0 - v, u])
    return np.stack([first, second], axis=1)


def _turned_jets(jets: Floats, corner: Ints) -> Floats:
    """Return derivatives by the parameters of the square, from those along the spokes of corners (k,)."""
    order = np.arange(jets.shape[1])
    swapped = np.where((corner % 2 == 1)[:, None, None, None], jets.swapaxes(1, 2), jets)
    by_u = np.where((corner == 1) | (corner == 2), -1.0, 1.0)[:, None] ** order
    by_v = np.where((corner == 2) | (corner == 3), -1.0, 1.0)[:, None] ** order
    turned: Floats = swapped * (by_u[:, :, None] * by_v[:, None, :])[..., None]
    return turned


def _powers(scale: Floats, order: int) -> Floats:
    power = scale[:, None] ** np.arange(order + 1)
    powers: Floats = (power[:, :, None] * power[:, None, :])[..., None]
    return powers


def tip_jets(tips: Tips, rows: Ints, at: Floats, order: int) -> Floats:
    """Return derivatives (k, order + 1, order + 1, 3) at parameters (k, 2) from the extraordinary corner."""
    level = np.clip(-np.frexp(at.max(axis=1))[1], 0, LEVELS - 1)
    jets = _ring_jets(tips, rows, level, at * 2.0 ** level[:, None], order)
    jets[:, 0, 0] += tips.limit[rows]
    jets[at.max(axis=1) < 2.0**-LEVELS, 0, 0] = tips.limit[rows[at.max(axis=1) < 2.0**-LEVELS]]
    deep = np.flatnonzero(level > LAST_CURVED_LEVEL)
    if order > 1 and len(deep):
        _calmed(tips, rows[deep], at[deep] * 2.0 ** level[deep, None], jets, deep)
    return jets


def _ring_jets(tips: Tips, rows: Ints, level: Ints, local: Floats, order: int) -> Floats:
    """Return derivatives, relative to the limit, at `local` (k, 2) in the square of a level (k,)."""
    half = local >= 0.5
    within = np.maximum(2.0 * local - np.where(half.any(axis=1, keepdims=True), half, True), 0.0)
    weights = bernstein(within, order)
    product = np.einsum("kai,kbj->kabij", weights[:, 0], weights[:, 1])
    ring = _RING[half[:, 0].astype(int), half[:, 1].astype(int)]
    nets = tips.powers.nets[level, ring]
    by_points = product.reshape(len(rows), -1, 16) @ nets
    jets = (by_points @ tips.points[rows]).reshape(len(rows), order + 1, order + 1, 3)
    scaled: Floats = jets * _powers(np.ldexp(1.0, level + 1), order)
    return scaled


def _calmed(tips: Tips, rows: Ints, local: Floats, jets: Floats, deep: Ints) -> None:
    """Put in the second derivatives, normal to the surface, that give the curvature at the last
    curved level.
    """
    away = _ring_jets(tips, rows, np.full(len(rows), LAST_CURVED_LEVEL), local, 2)
    normal = cross(away[:, 1, 0], away[:, 0, 1])
    normal /= length(normal)[:, None]
    growth = length(jets[deep, 1, 0]) / length(away[:, 1, 0])
    for a, b in ((2, 0), (1, 1), (0, 2)):
        jets[deep, a, b] = (growth**2 * dot(normal, away[:, a, b]))[:, None] * normal
