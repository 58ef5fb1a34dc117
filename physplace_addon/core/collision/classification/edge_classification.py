"""Classification of edges against a solid: in, out or on, and what they pierce.

Bouma and Vanecek 1991, sections 5 and 10, Figure 9: the classification of an edge is a sequence of places, at
each the vertex, edge or face of the solid that is met there, and between them whether the edge is in the
solid, out of it, or on one of its edges or faces.  Their index is a partition of space; here it is the tree
of boxes over the solid's triangles.

1. Near pairs of an edge and a triangle come from the tree.  Their incidences are found with exact signs
   (`incidences`), and put in order along each edge (`parameters`).
2. Between two places that both lie on one triangle in whose plane the edge lies, the edge is on that
   triangle, or on its side if the edge is on the side's line.
3. Elsewhere the winding number of the solid decides, positive in it.  It is found by a ray (`winding`) once,
   and then changes by one wherever the edge goes through the inside of one triangle and meets nothing else.
4. Corners, sides and triangles are named as the vertices, edges and faces of the topology.  Where several
   meet, the one of least dimension counts, and of these the first.  A place is left out if the same
   entity, or the same side, is before it, at it and after it.

All is exact for the doubles that are given: neighbouring triangles never disagree.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...bodies import Body
from ...bodies.topology import Topology, topology_of
from ...rigid import Pose
from ..traversal import near_pairs
from ..tree import BoxTree, build_tree, tree_of
from .incidences import (
    AT_END,
    AT_START,
    CORNER,
    INTERIOR,
    SIDE,
    Covers,
    Incidences,
    incidences_of,
)
from .parameters import exact_parameters, ranks
from .winding import winding_numbers

VERTEX, EDGE, FACE = 0, 1, 2
IN, OUT, END = 3, 4, 5
"""What is met or passed: an entity of the solid by its dimension, its inside, its outside; after the end of
an edge comes nothing, END."""

_KINDS = 1 << 48
"""A label is this times a kind, plus one, plus the number of the entity, which is less."""

_NOTHING = (END + 1) * _KINDS
"""The label where nothing is known yet; all others are less."""

_WIDE = 1e-6
"""Least difference of parameters between which a middle is taken in double precision."""

_STEPS = 1 << 24
"""A middle taken so is a multiple of 1 / _STEPS."""

_SEED = 1991
"""Of the directions of rays: the result does not depend on them, the time hardly."""


@dataclass(frozen=True, eq=False)
class EdgeClassification:
    """The sequences of k edges.  The places along edge i are the rows start[i] to start[i + 1] - 1.

    start (k + 1,).  point (m, 3), parameter (m,): the places, in order, first and last the ends (0 and 1).
    at, at_entity (m,): what is there: VERTEX, EDGE or FACE and its number in the topology; IN or OUT, -1.
    after, after_entity (m,): what the edge passes from there to the next place: EDGE or FACE and its number,
        IN or OUT, -1; END, -1 at the last.
    """

    start: Ints
    point: Floats
    parameter: Floats
    at: Ints
    at_entity: Ints
    after: Ints
    after_entity: Ints


def classify_edges(edges: Floats, body: Body) -> EdgeClassification:
    """Return the classification of edges (k, 2, 3), in the body's frame, against a body.

    All that is not on a body that is no solid is out of it.

    Raises:
        ValueError: wrong shapes, numbers that are not finite, or an edge without length.
    """
    segments = _checked(edges)
    topology, tree = topology_of(body), tree_of(body)
    segment, triangle = near_pairs(build_tree(segments[:, [0, 1, 1]]), Pose.identity(), tree, 0.0).T
    found, covers = incidences_of(segments, tree.triangles, segment, triangle)
    once, number = _distinct(topology, found)
    ends = _ends(len(segments))
    all_found = Incidences.join([found.take(once), ends])
    place, t = ranks(segments, tree.triangles, all_found)
    places = _Places.of(all_found, place, t)
    at = np.full(len(places.first), _NOTHING)
    np.minimum.at(at, place[: len(once)], _labels(topology, found.take(once)))
    after = _on_boundary(topology, covers, found, place[: len(once)][number], len(at))
    after[places.last] = _key(END, -1)
    free = after == _NOTHING
    if body.closed:
        simple = np.bincount(place[: len(once)], minlength=len(at)) == 1
        after[free] = _in_or_out(segments, tree, places, all_found, simple, free)
    after[free & (after == _NOTHING)] = _key(OUT, -1)
    before = np.roll(after, 1)
    # The faces and edges that a stretch is on contain its ends.
    at = np.minimum(at, np.minimum(before, after))
    return _reduced(segments, topology, places, at, before, after)


def _checked(edges: Floats) -> Floats:
    segments = np.ascontiguousarray(edges, dtype=np.float64)
    if segments.ndim != 3 or segments.shape[1:] != (2, 3) or not len(segments):
        raise ValueError(f"expected edges (k, 2, 3) with k > 0, got {segments.shape}")
    if not np.isfinite(segments).all():
        raise ValueError("the ends of edges must be finite")
    if (segments[:, 0] == segments[:, 1]).all(axis=1).any():
        raise ValueError("edges must have two different ends")
    return segments


@dataclass(frozen=True, eq=False)
class _Places:
    """The m places along all edges, in order.

    first (m,): an incidence at each.  segment (m,): the edge.  t (m,): the parameter.  last (m,): whether it
    is the end of its edge.
    """

    first: Ints
    segment: Ints
    t: Floats
    last: Bools

    @classmethod
    def of(cls, found: Incidences, place: Ints, t: Floats) -> _Places:
        first = np.unique(place, return_index=True)[1]
        segment = found.segment[first]
        return cls(first, segment, t[first], np.diff(segment, append=-1) != 0)


def _ends(count: int) -> Incidences:
    """Return incidences with nothing at both ends of edges, `count` of them."""
    segment, zero = np.tile(np.arange(count), 2), np.zeros(2 * count, dtype=np.intp)
    return Incidences(segment, zero, zero, zero, np.repeat([AT_START, AT_END], count), zero, zero)


def _distinct(topology: Topology, found: Incidences) -> tuple[Ints, Ints]:
    """Return the first (n,) of all incidences of an edge with one corner, side or interior, and which of
    these each incidence (k,) is.  Both ends of an edge may be on one side, or in one interior.
    """
    corners = topology.triangles[found.triangle]
    rows = np.arange(len(corners))
    here, there = corners[rows, found.place], corners[rows, (found.place + 1) % 3]
    there = np.where(found.kind == SIDE, there, here)
    low, high = np.minimum(here, there), np.maximum(here, there)
    low = np.where(found.kind == INTERIOR, found.triangle, low)
    high = np.where(found.kind == INTERIOR, -1, high)
    end = np.where((found.way == AT_START) | (found.way == AT_END), found.way, -1)
    order = np.lexsort((end, high, low, found.segment))
    keys = np.stack([found.segment, low, high, end])[:, order]
    new = np.concatenate([[True], (np.diff(keys, axis=1) != 0).any(axis=0)])[: len(order)]
    number = np.empty(len(order), dtype=np.intp)
    number[order] = np.cumsum(new) - 1
    return order[new], number


def _key(dimension: Ints | int, entity: Ints | int) -> Ints:
    """Return one number (k,) for each label: a kind, and the number of an entity.  Lower dimensions have
    less.
    """
    return np.asarray(dimension, dtype=np.intp) * _KINDS + entity + 1


def _labels(topology: Topology, found: Incidences) -> Ints:
    """Return the labels (k,) of the corners, sides and interiors of triangles that are met."""
    side = topology.side_edges[found.triangle, found.place]
    face = topology.triangle_face[found.triangle]
    label = np.where((found.kind == SIDE) & (side >= 0), _key(EDGE, side), _key(FACE, face))
    rows = np.flatnonzero(found.kind == CORNER)
    point = topology.triangles[found.triangle[rows], found.place[rows]]
    dimension, entity = topology.point_entities
    label[rows] = _key(dimension[point], entity[point])
    return label


def _on_boundary(topology: Topology, covers: Covers, found: Incidences, place: Ints, count: int) -> Ints:
    """Return the label (count,) of what each place's edge passes after it on the boundary, or _NOTHING.

    Args:
        topology: of the solid.
        covers: edges in the planes of triangles.
        found: all incidences (k,).
        place: of each (k,).
        count: of places.
    """
    after = np.full(count, _NOTHING)
    span = len(topology.triangles)
    pair, which = np.unique(found.segment * span + found.triangle, return_inverse=True)
    least, most = np.full(len(pair), count), np.full(len(pair), -1)
    np.minimum.at(least, which, place)
    np.maximum.at(most, which, place)
    wanted = covers.segment * span + covers.triangle
    row = np.searchsorted(pair, wanted)
    some = np.flatnonzero(np.isin(wanted, pair))
    some = some[least[row[some]] < most[row[some]]]
    triangle, side, row = covers.triangle[some], covers.side[some], row[some]
    edge = np.where(side >= 0, topology.side_edges[triangle, side], -1)
    label = np.where(edge >= 0, _key(EDGE, edge), _key(FACE, topology.triangle_face[triangle]))
    length = most[row] - least[row]
    begin = np.cumsum(length) - length
    rows = np.arange(int(length.sum())) + np.repeat(least[row] - begin, length)
    np.minimum.at(after, rows, np.repeat(label, length))
    return after


def _in_or_out(
    segments: Floats, tree: BoxTree, places: _Places, found: Incidences, simple: Bools, free: Bools
) -> Ints:
    """Return the labels of the stretches after free places (m,): IN or OUT.

    Args:
        segments: the edges (k, 2, 3).
        tree: of the solid's triangles.
        places: the m places.
        found: all incidences.
        simple: whether just one thing is met at each place (m,).
        free: whether the edge is not on the boundary after each place (m,).
    """
    rows = np.flatnonzero(free)
    crossing = np.where(simple & (np.roll(places.last, 1) == 0), found.crossing[places.first], 0)
    linked = (np.diff(rows, prepend=-2) == 1) & (crossing[rows] != 0)
    group = np.cumsum(~linked) - 1
    change = np.cumsum(np.where(linked, -crossing[rows], 0))
    width = places.t[rows + 1] - places.t[rows]
    order = np.lexsort((width, group))
    widest = order[np.diff(group[order], append=-1) != 0]
    chosen = rows[widest]
    middles = _middles(segments, tree, places, found, chosen)
    rng = np.random.default_rng(_SEED)
    winding = winding_numbers(tree, segments[places.segment[chosen]], middles, rng)
    winding = winding[group] + change - change[widest][group]
    return np.where(winding > 0, _key(IN, -1), _key(OUT, -1))


def _middles(
    segments: Floats, tree: BoxTree, places: _Places, found: Incidences, rows: Ints
) -> list[Fraction]:
    """Return parameters between places (k,) and the next ones, fractions of powers of two."""
    low, high = places.t[rows], places.t[rows + 1]
    middle = [Fraction(round(_STEPS * t), _STEPS) for t in 0.5 * (low + high)]
    narrow = np.flatnonzero(high - low <= _WIDE)
    ends = [
        exact_parameters(segments, tree.triangles, found.take(places.first[rows[narrow] + i])) for i in (0, 1)
    ]
    for i, first, last in zip(narrow, *ends, strict=True):
        steps = 1 << (int(4 / (last - first))).bit_length()
        middle[i] = Fraction(round((first + last) / 2 * steps), steps)
    return middle


def _reduced(
    segments: Floats, topology: Topology, places: _Places, at: Ints, before: Ints, after: Ints
) -> EdgeClassification:
    """Return the classification without places at which nothing changes.

    Args:
        segments: the edges (k, 2, 3).
        topology: of the solid.
        places: the m places.
        at, before, after: labels (m,) of what is there, before and after.
    """
    begins = np.roll(places.last, 1)
    kept = np.flatnonzero(begins | places.last | (at != before) | (at != after))
    segment, t = places.segment[kept], places.t[kept]
    ends = segments[segment]
    point = ends[:, 0] + t[:, None] * (ends[:, 1] - ends[:, 0])
    point[places.last[kept]] = ends[places.last[kept], 1]
    kind, entity = at[kept] // _KINDS, at[kept] % _KINDS - 1
    point[kind == VERTEX] = topology.vertices[entity[kind == VERTEX]]
    passed = after[kept]
    start = np.searchsorted(segment, np.arange(len(segments) + 1))
    return EdgeClassification(start, point, t, kind, entity, passed // _KINDS, passed % _KINDS - 1)
