"""Which sides and corners of patches are the edges and vertices of their body.

The sides without a smooth join are gathered, a crease once.  Their ends are nodes.  Where just two ends meet
and the tangent goes on, so does the chain; every other node is a vertex, and so is a pole whose meridians do
not leave in one plane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from ...arrays import Bools, Floats, Ints
from ...mesh.edges import component_labels
from ..patches import POLE_SIDE, SidedPatches
from .borders import BorderChain, PatchSides
from .joins import SMOOTH_SINE, Joins
from .nets import COINCIDENT
from .poles import PoleChart

_NONE = -1  # stands for no patch
# Shares of the turn between the two sides of a patch's corner at which directions are taken.
_FAN = np.linspace(0.0, 1.0, 5)


@dataclass(frozen=True, eq=False)
class BorderSides:
    """All border sides.

    first: the sides; second: those across a crease.  nodes (m, 2): at their starts and ends.  leaving (m, 2,
    3): unit tangents away from those nodes, into the side.  places (nodes, 3): where the nodes are.
    """

    first: PatchSides
    second: PatchSides
    nodes: Ints
    leaving: Floats
    places: Floats


class ChainSides(NamedTuple):
    """Sides of a chain in order, those across them, and whether it ends where it began."""

    first: PatchSides
    second: PatchSides
    closed: bool


def borders_of(nets: SidedPatches, joins: Joins, size: float) -> BorderSides:
    """Return the sides of patches that are open or creases.

    Args:
        nets: the patches.
        joins: how they are joined.
        size: half the diagonal of the body's box; ends within 1e-7 of it are one node.
    """
    patch, side = np.nonzero(~joins.smooth & ~_at_pole(nets))
    other, other_side = joins.patch[patch, side], joins.side[patch, side]
    once = (other == _NONE) | (4 * patch + side < 4 * other + other_side)
    patch, side, other, other_side = patch[once], side[once], other[once], other_side[once]
    none = np.zeros(len(patch), dtype=np.bool_)
    backwards = joins.backwards[patch, side]
    ends = nets.ends
    nodes, places = _nodes(ends.places[patch, side].reshape(-1, 3), COINCIDENT * size)
    return BorderSides(
        PatchSides(patch, side, none),
        PatchSides(other, other_side, backwards),
        nodes.reshape(-1, 2),
        ends.leaving[patch, side],
        places,
    )


def _at_pole(nets: SidedPatches) -> Bools:
    at_pole = np.zeros((len(nets), 4), dtype=np.bool_)
    at_pole[nets.polar, POLE_SIDE] = True
    return at_pole


def _nodes(points: Floats, near: float) -> tuple[Ints, Floats]:
    """Return numbers (k,) of points (k, 3), those within `near` alike, and where the numbers are (n, 3)."""
    if not len(points):
        return np.empty(0, dtype=np.intp), np.empty((0, 3))
    pairs = cKDTree(points).query_pairs(2.0 * near, output_type="ndarray")
    number = component_labels(pairs, len(points))
    places = np.empty((int(number.max()) + 1, 3))
    places[number] = points
    return number, places


def chain_successors(borders: BorderSides) -> dict[tuple[int, int], tuple[int, int]]:
    """Return for each (side, end) the (side, end) with which the chain goes on there."""
    successors = {}
    flat = borders.nodes.ravel()
    for node in range(len(borders.places)):
        meeting = np.nonzero(flat == node)[0].tolist()
        if len(meeting) != 2:
            continue
        (a, b), (c, d) = divmod(meeting[0], 2), divmod(meeting[1], 2)
        turn = borders.leaving[a, b] + borders.leaving[c, d]
        alike = (borders.second.patch[a] == _NONE) == (borders.second.patch[c] == _NONE)
        if alike and float(np.linalg.norm(turn)) < SMOOTH_SINE:
            successors[a, b], successors[c, d] = (c, d), (a, b)
    return successors


def chains_of(nets: SidedPatches, borders: BorderSides) -> list[BorderChain]:
    """Return the edges of patches with these borders."""
    return [
        BorderChain(nets, *each, nets.side_curve(each.first.patch, each.first.side, each.first.backwards))
        for each in link_chains(borders)
    ]


def link_chains(borders: BorderSides) -> list[ChainSides]:
    """Return all border sides linked into chains."""
    successors = chain_successors(borders)
    left = set(range(len(borders.nodes)))
    chains = []
    starts = [(side, end) for side in sorted(left) for end in (0, 1) if (side, end) not in successors]
    for side, end in [*starts, *((side, 0) for side in sorted(left))]:
        if side in left:
            rows, against, closed = _followed(side, end, successors, left)
            turned = np.array(against)
            first = borders.first.take(np.array(rows)).reversed(turned)
            second = borders.second.take(np.array(rows)).reversed(turned)
            chains.append(ChainSides(first, second, closed))
    return chains


def _followed(
    side: int, end: int, successors: dict[tuple[int, int], tuple[int, int]], left: set[int]
) -> tuple[list[int], list[bool], bool]:
    """Return the sides from one end on, which of them are followed against their parameter, and whether they
    close.
    """
    rows, against, start = [], [], (side, end)
    while side in left:
        left.discard(side)
        rows.append(side)
        against.append(end == 1)
        if (side, 1 - end) not in successors:
            return rows, against, False
        side, end = successors[side, 1 - end]
    return rows, against, (side, end) == start


def vertices_of(
    nets: SidedPatches, borders: BorderSides, poles: Sequence[PoleChart], size: float
) -> tuple[Floats, list[Floats], list[tuple[int, int, int]]]:
    """Return the vertices of patches with these borders and poles.

    Returns:
        the vertices (nv, 3); for each the unit directions (m, 3) of the body there; and for each a corner of
        a patch: its number and the ends, 0 or 1, of u and of v.
    """
    successors = chain_successors(borders)
    ends = [(s, e) for s in range(len(borders.nodes)) for e in (0, 1) if (s, e) not in successors]
    sharp = sorted({int(borders.nodes[end]) for end in ends})
    places = [borders.places[node] for node in sharp]
    places += [pole.point for pole in poles if not pole.smooth]
    directions, corners = [], []
    for place in places:
        patch, u, v = np.nonzero(_corners_at(nets, place, COINCIDENT * size))
        directions.append(np.concatenate([_fan(nets, *each) for each in zip(patch, u, v, strict=True)]))
        corners.append((int(patch[0]), int(u[0]), int(v[0])))
    return np.array(places).reshape(-1, 3), directions, corners


def _corners_at(nets: SidedPatches, place: Floats, near: float) -> Bools:
    """Return which corners of patches (n, u end, v end) lie at a place (3,)."""
    there: Bools = np.linalg.norm(nets.corners - place, axis=3) <= 2.0 * near
    return there


def _fan(nets: SidedPatches, patch: int, u: int, v: int) -> Floats:
    """Return unit directions (5, 3) into a patch at its corner: between its two sides, or down from
    its pole.
    """
    if nets.polar[patch] and v == 1:
        at = np.column_stack([_FAN, np.ones(len(_FAN))])
        ways = -nets.slopes(np.full(len(_FAN), patch), at).across
    else:
        slopes = nets.slopes(np.array([patch]), np.array([[float(u), float(v)]]))
        along, across = slopes.along * (1 - 2 * u), slopes.across * (1 - 2 * v)
        along, across = along / np.linalg.norm(along), across / np.linalg.norm(across)
        ways = (1.0 - _FAN)[:, None] * along + _FAN[:, None] * across
    fan: Floats = ways / np.linalg.norm(ways, axis=1, keepdims=True)
    return fan
