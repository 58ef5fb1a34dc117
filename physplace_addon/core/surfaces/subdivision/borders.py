"""Edges and vertices of limit surfaces: borders and creases, and the points where they turn.

Along an edge that is sharp for ever the limit is a cubic B-spline, one Bezier piece to a cage edge, except
towards the end of a dart, or where sharpness fades: there it is halved until its parts are cubics.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import unit
from ..bezier.borders import BorderChain, PatchSides
from ..bezier.chains import BorderSides, chain_successors, link_chains
from ..bezier.joins import Joins
from ..bezier.nets import BezierSides, start_tangents
from ..curves.piecewise import distance_to_segment
from ..patches import Patches
from .cage import Cage

_HALVINGS = 26  # halvings of a side: a part shorter than 2^-26 of it counts as one cubic
# Shares of the turn between the two sides of a corner at which directions are taken.
_FAN = np.linspace(0.0, 1.0, 5)
# Parameters of the corners of a quadrilateral.
_AT = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
SIDE = np.array([2, 1, 3, 0])  # the side of the unit square that each half-edge of a face runs along
RISING = np.array([True, True, False, False])  # whether each half-edge runs by rising parameter
# Shares of a part at which it is compared with a cubic; four of them fix the cubic, the others test it.
_PROBES = np.array([0.0, 0.25, 0.4375, 0.5625, 0.75, 1.0])
_SAME = 1e-12  # largest distance over the extent, between a side and a cubic that are the same: rounding


def joins_of(cage: Cage) -> Joins:
    """Return how the sides of a cage's quadrilaterals are joined; smoothly unless the edge is sharp
    for ever.
    """
    shape = (len(cage.sizes), 4)
    twin = cage.twin.reshape(shape)
    paired = twin >= 0
    patch, side = np.where(paired, twin // 4, -1), np.where(paired, SIDE[twin % 4], -1)
    backwards = paired & (RISING[twin % 4] == RISING)
    smooth = paired & ~cage.sharp.reshape(shape)
    place = np.argsort(SIDE)
    return Joins(patch[:, place], side[:, place], backwards[:, place], smooth[:, place])


@dataclass(frozen=True, eq=False)
class CubicPieces:
    """Cubic pieces of sides (s,), in order along each side.

    control (m, 4, 3): their control points.  share (m, 2): where on its side each starts and ends.  starts (s
    + 1,): where each side's pieces begin.
    """

    control: Floats
    share: Floats
    starts: Ints

    def along(self, side: int, backwards: bool) -> tuple[Floats, Floats]:
        """Return control points (p, 4, 3) and shares (p, 2) of one side's pieces, in the order they are
        followed.
        """
        rows = slice(int(self.starts[side]), int(self.starts[side + 1]))
        control, share = self.control[rows], self.share[rows]
        return (control[::-1, ::-1], 1.0 - share[::-1, ::-1]) if backwards else (control, share)


@dataclass(frozen=True, eq=False)
class LimitChain(BorderChain):
    """A chain whose sides are of one cubic piece or several: `first` and `second` repeat a side for each.

    share (m, 2): which part of its side each piece is, as it is followed.
    """

    curve: BezierSides
    share: Floats

    def _place(self, t: Floats) -> tuple[Ints, Floats]:
        piece, part = super()._place(t)
        low, high = self.share[piece].T
        return piece, low + part * (high - low)

    @cached_property
    def side_pieces(self) -> Ints:
        """The pieces at which the chain's sides begin, and their number (s + 1,)."""
        return np.append(np.flatnonzero(self.share[:, 0] == 0.0), len(self.share))

    def parameters(self, side: int, share: Floats) -> Floats:
        """Return t (k,) of shares (k,) of the way along one of the chain's sides."""
        rows = slice(int(self.side_pieces[side]), int(self.side_pieces[side + 1]))
        knots = self.knots[rows.start : rows.stop + 1]
        return np.interp(share, np.append(self.share[rows, 0], 1.0), knots)

    def chord_bounds(self, edge: Ints, lower: Floats, upper: Floats) -> Floats:
        """Return the largest distance (k,) from their chords of the control points of the arcs' pieces."""
        first, last = np.searchsorted(self.knots, lower, side="right") - 1, np.searchsorted(self.knots, upper)
        count = np.maximum(last - first, 1)
        arc = np.repeat(np.arange(len(lower)), count)
        piece = first[arc] + np.arange(len(arc)) - np.repeat(np.cumsum(count) - count, count)
        low, high = np.maximum(lower[arc], self.knots[piece]), np.minimum(upper[arc], self.knots[piece + 1])
        control = self.curve.sub_control(low, high)
        begins = np.flatnonzero(np.diff(arc, prepend=-1))
        ends = np.append(begins[1:], len(arc)) - 1
        start, stop = control[begins, 0][arc], control[ends, 3][arc]
        away = [distance_to_segment(control[:, i], start, stop) for i in range(4)]
        bounds: Floats = np.maximum.reduceat(np.max(away, axis=0), begins)
        return bounds


def cubic_pieces_of(nets: Patches, patch: Ints, side: Ints) -> CubicPieces:
    """Return the sides (s,) of quadrilaterals (s,), cut into cubic pieces."""
    row, low, size = np.arange(len(patch)), np.zeros(len(patch)), np.ones(len(patch))
    rows: list[Ints] = []
    lows: list[Floats] = []
    sizes: list[Floats] = []
    controls: list[Floats] = []
    for halving in range(_HALVINGS + 1):
        control, exact = _cubics(nets, patch[row], side[row], low, size)
        exact |= halving == _HALVINGS
        rows.append(row[exact])
        lows.append(low[exact])
        sizes.append(size[exact])
        controls.append(control[exact])
        row = np.repeat(row[~exact], 2)
        low, size = np.repeat(low[~exact], 2), np.repeat(0.5 * size[~exact], 2)
        low[1::2] += size[1::2]
    row, low = np.concatenate(rows), np.concatenate(lows)
    order = np.lexsort((low, row))
    share = np.stack([low, low + np.concatenate(sizes)], axis=1)[order]
    starts = np.searchsorted(row[order], np.arange(len(patch) + 1))
    return CubicPieces(np.concatenate(controls)[order], share, starts)


def _cubics(nets: Patches, patch: Ints, side: Ints, low: Floats, size: Floats) -> tuple[Floats, Bools]:
    """Return the cubics (m, 4, 3) through parts of sides, and whether they are the parts, to rounding."""
    along = low[:, None] + size[:, None] * _PROBES
    at = np.empty((*along.shape, 2))
    across = (side < 2)[:, None]
    fixed = (side % 2).astype(np.float64)[:, None]
    at[..., 0], at[..., 1] = np.where(across, fixed, along), np.where(across, along, fixed)
    found = nets.slopes(np.repeat(patch, len(_PROBES)), at.reshape(-1, 2)).point
    points = found.reshape(len(patch), len(_PROBES), 3)
    t, fitted = _PROBES[:, None], [0, 1, 4, 5]
    basis = np.hstack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3])
    control = np.linalg.inv(basis[fitted]) @ points[:, fitted]
    control[:, 0], control[:, 3] = points[:, 0], points[:, 5]
    miss = np.abs(basis @ control - points).max(axis=(1, 2))
    return control, miss <= _SAME * np.abs(points).max(initial=0.0)


def edges_of(cage: Cage, nets: Patches) -> tuple[list[LimitChain], BorderSides]:
    """Return all borders and creases of a cage linked into chains, and their sides."""
    borders, pieces = _borders(cage, nets)
    row_of = {
        place: row for row, place in enumerate(zip(borders.first.patch, borders.first.side, strict=True))
    }
    chains = []
    for chain in link_chains(borders):
        sides = zip(chain.first.patch, chain.first.side, chain.first.backwards, strict=True)
        pieces_followed = [pieces.along(row_of[patch, side], bool(back)) for patch, side, back in sides]
        repeat = np.repeat(np.arange(len(pieces_followed)), [len(share) for _, share in pieces_followed])
        control = np.concatenate([control for control, _ in pieces_followed])
        share = np.concatenate([share for _, share in pieces_followed])
        first, second = chain.first.take(repeat), chain.second.take(repeat)
        chains.append(LimitChain(nets, first, second, chain.closed, BezierSides(control), share))
    return chains, borders


def _borders(cage: Cage, nets: Patches) -> tuple[BorderSides, CubicPieces]:
    """Return all sides that are sharp for ever, creases once; their nodes are numbers of the cage's
    vertices.
    """
    twin = cage.twin
    half = np.flatnonzero(cage.sharp & ((twin < 0) | (np.arange(len(twin)) < twin)))
    other = twin[half]
    none = np.zeros(len(half), dtype=np.bool_)
    first = PatchSides(half // 4, SIDE[half % 4], none)
    lone = other < 0
    backwards = ~lone & (RISING[half % 4] == RISING[other % 4])
    second = PatchSides(np.where(lone, -1, other // 4), np.where(lone, -1, SIDE[other % 4]), backwards)
    ends = np.stack([cage.corners[half], cage.heads[half]], axis=1)
    nodes = np.where(RISING[half % 4][:, None], ends, ends[:, ::-1])
    pieces = cubic_pieces_of(nets, first.patch, first.side)
    starts, stops = pieces.control[pieces.starts[:-1]], pieces.control[pieces.starts[1:] - 1]
    leaving = np.stack([start_tangents(starts), start_tangents(stops[:, ::-1])], axis=1)
    found, number = np.unique(nodes, return_inverse=True)
    places = found[:, None].astype(np.float64)
    return BorderSides(first, second, number.reshape(-1, 2), leaving, places), pieces


def vertices_of(
    cage: Cage, nets: Patches, borders: BorderSides
) -> tuple[Floats, list[Floats], list[tuple[int, int]]]:
    """Return the vertices of a limit surface: where chains end, and where a vertex is sharp by itself.

    Returns:
        the vertices (nv, 3); for each the unit directions (m, 3) of the body there; and for each a patch and
        its corner, 0 to 3.
    """
    successors = chain_successors(borders)
    numbers = _cage_vertices(borders)
    ends = [numbers[s, e] for s in range(len(numbers)) for e in (0, 1) if (s, e) not in successors]
    alone = np.setdiff1d(np.flatnonzero(np.isinf(cage.vertex_sharpness)), numbers)
    sharp = np.union1d(np.array(ends, dtype=np.intp), np.intersect1d(alone, cage.corners))
    half = np.flatnonzero(np.isin(cage.corners, sharp))
    half = half[np.argsort(cage.corners[half], kind="stable")]
    fans = _fans(nets, half)
    starts = np.searchsorted(cage.corners[half], sharp)
    directions = [part.reshape(-1, 3) for part in np.split(fans, starts[1:])] if len(sharp) else []
    first = half[starts]
    points = nets.slopes(first // 4, _AT[first % 4]).point
    return points, directions, [(int(h) // 4, int(h) % 4) for h in first]


def _cage_vertices(borders: BorderSides) -> Ints:
    """Return the cage's vertices (m, 2) at the ends of sides."""
    return borders.places[:, 0].astype(np.intp)[borders.nodes]


def _fans(nets: Patches, half: Ints) -> Floats:
    """Return unit directions (h, 5, 3) from corners of quadrilaterals into them, from one side to
    the other.
    """
    at = _AT[half % 4]
    slopes = nets.slopes(half // 4, at)
    along = unit(slopes.along * (1.0 - 2.0 * at[:, :1]))[:, None]
    across = unit(slopes.across * (1.0 - 2.0 * at[:, 1:]))[:, None]
    ways = (1.0 - _FAN)[:, None] * along + _FAN[:, None] * across
    fans: Floats = ways / np.linalg.norm(ways, axis=2, keepdims=True)
    return fans
