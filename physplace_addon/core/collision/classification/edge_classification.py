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

Without a tolerance all is exact for the doubles that are given: neighbouring triangles never disagree.  With
one, what comes that near counts as met (`near_incidences`), and the rest is the same.
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
from .near_incidences import near_incidences, near_places
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


def classify_edges(edges: Floats, body: Body, tolerance: float = 0.0) -> EdgeClassification:
    """Return the classification of edges against a body.

    All that is not on a body that is no solid is out of it.

    Args:
        edges: (k, 2, 3), in the body's frame.
        body: a polyhedron; curved faces are taken as their triangles, and have the number -1.
        tolerance: largest distance, a length, at which an edge is on something; 0 for exact answers.

    Raises:
        ValueError: wrong shapes, numbers that are not finite, an edge without length, a negative tolerance.
    """
    segments = _checked(edges, tolerance)
    topology, tree = topology_of(body), tree_of(body)
    met = _met(segments, topology, tree, tolerance)
    places, place = met.places, met.place[: met.count]
    at = np.full(len(places.first), _NOTHING)
    np.minimum.at(at, place, _labels(topology, met.once.take(slice(met.count))))
    after = _on_boundary(topology, met.covers, met.found, place[met.number], len(at))
    after[places.last] = _key(END, -1)
    free = after == _NOTHING
    if body.closed:
        after[free] = _in_or_out(segments, tree, met, free)
    after[free & (after == _NOTHING)] = _key(OUT, -1)
    before = np.roll(after, 1)
    # The faces and edges that a stretch is on contain its ends.
    at = np.minimum(at, np.minimum(before, after))
    return _reduced(segments, topology, places, at, before, after)


def _checked(edges: Floats, tolerance: float) -> Floats:
    if not tolerance >= 0.0:
        raise ValueError(f"expected a tolerance >= 0, got {tolerance}")
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
    is the end of its edge.  low, high (m,): the least and the largest parameter of what is met there.
    """

    first: Ints
    segment: Ints
    t: Floats
    last: Bools
    low: Floats
    high: Floats

    @classmethod
    def of(cls, found: Incidences, place: Ints, t: Floats) -> _Places:
        first = np.unique(place, return_index=True)[1]
        segment = found.segment[first]
        last = np.diff(segment, append=-1) != 0
        low, high = np.ones(len(first)), np.zeros(len(first))
        np.minimum.at(low, place, t)
        np.maximum.at(high, place, t)
        middle = np.where(last, 1.0, np.where(np.roll(last, 1), 0.0, t[first]))
        return cls(first, segment, middle, last, low, high)


@dataclass(frozen=True, eq=False)
class _Met:
    """What edges meet.

    found: all incidences (k,).  once: each corner, side and interior once (`count` of them), then both ends
    of all edges.  number (k,): which of these each of `found` is.  place: of each of `once`, in order.
    places: the places.  covers: edges that may be on triangles.  exact: whether there is no tolerance.
    """

    found: Incidences
    once: Incidences
    count: int
    number: Ints
    place: Ints
    places: _Places
    covers: Covers
    exact: bool


def _met(segments: Floats, topology: Topology, tree: BoxTree, tolerance: float) -> _Met:
    """Return what edges (k, 2, 3) meet, from their near triangles."""
    near = near_pairs(build_tree(segments[:, [0, 1, 1]]), Pose.identity(), tree, tolerance)
    segment, triangle = near.T
    exact, ends = tolerance == 0.0, _ends(len(segments))
    if exact:
        found, covers = incidences_of(segments, tree.triangles, segment, triangle)
        rows, number = _distinct(topology, found)
        once = Incidences.join([found.take(rows), ends])
        place, t = ranks(segments, tree.triangles, once)
    else:
        found, t, covers = near_incidences(segments, tree.triangles, segment, triangle, tolerance)
        rows, number = _distinct(topology, found)
        once = Incidences.join([found.take(rows), ends])
        t = np.concatenate([t[rows], ends.way == AT_END])
        place = near_places(segments, once, t, tolerance)
    return _Met(found, once, len(rows), number, place, _Places.of(once, place, t), covers, exact)


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
    rows, side = _closures(found)
    key = 4 * (found.segment[rows] * span + found.triangle[rows]) + side + 1
    part, which = np.unique(key, return_inverse=True)
    least, most = np.full(len(part), count), np.full(len(part), -1)
    np.minimum.at(least, which, place[rows])
    np.maximum.at(most, which, place[rows])
    wanted = 4 * (covers.segment * span + covers.triangle) + covers.side + 1
    some = np.flatnonzero(np.isin(wanted, part))
    row = np.searchsorted(part, wanted[some])
    long = least[row] < most[row]
    some, row = some[long], row[long]
    triangle, side = covers.triangle[some], covers.side[some]
    edge = np.where(side >= 0, topology.side_edges[triangle, side], -1)
    label = np.where(edge >= 0, _key(EDGE, edge), _key(FACE, topology.triangle_face[triangle]))
    length = most[row] - least[row]
    begin = np.cumsum(length) - length
    rows = np.arange(int(length.sum())) + np.repeat(least[row] - begin, length)
    np.minimum.at(after, rows, np.repeat(label, length))
    return after


def _closures(found: Incidences) -> tuple[Ints, Ints]:
    """Return each incidence (m,) with each side (m,), 0 to 2, that it lies on, and all with -1 for the whole
    triangle.
    """
    rows = [np.arange(len(found.kind))]
    sides = [np.full(len(found.kind), -1)]
    for kind, before in ((CORNER, 0), (CORNER, 2), (SIDE, 0)):
        rows.append(np.flatnonzero(found.kind == kind))
        sides.append((found.place[rows[-1]] + before) % 3)
    return np.concatenate(rows), np.concatenate(sides)


def _in_or_out(segments: Floats, tree: BoxTree, met: _Met, free: Bools) -> Ints:
    """Return the labels of the stretches after free places (m,): IN or OUT.

    Args:
        segments: the edges (k, 2, 3).
        tree: of the solid's triangles.
        met: what the edges meet, at m places.
        free: whether the edge is not on the boundary after each place (m,).
    """
    rows, places = np.flatnonzero(free), met.places
    simple = np.bincount(met.place[: met.count], minlength=len(free)) == 1
    crossing = np.where(simple & ~np.roll(places.last, 1), met.once.crossing[places.first], 0)
    linked = (np.diff(rows, prepend=-2) == 1) & (crossing[rows] != 0)
    group = np.cumsum(~linked) - 1
    change = np.cumsum(np.where(linked, -crossing[rows], 0))
    width = places.low[rows + 1] - places.high[rows]
    order = np.lexsort((width, group))
    widest = order[np.diff(group[order], append=-1) != 0]
    chosen = rows[widest]
    middles = _middles(segments, tree, met, chosen)
    rng = np.random.default_rng(_SEED)
    winding = winding_numbers(tree, segments[places.segment[chosen]], middles, rng)
    winding = winding[group] + change - change[widest][group]
    return np.where(winding > 0, _key(IN, -1), _key(OUT, -1))


def _middles(segments: Floats, tree: BoxTree, met: _Met, rows: Ints) -> list[Fraction]:
    """Return parameters between places (k,) and the next ones, fractions of powers of two."""
    low, high = met.places.high[rows], met.places.low[rows + 1]
    if not met.exact:
        return [Fraction(t) for t in 0.5 * (low + high)]
    middle = [Fraction(round(_STEPS * t), _STEPS) for t in 0.5 * (low + high)]
    narrow = np.flatnonzero(high - low <= _WIDE)
    ends = [
        exact_parameters(segments, tree.triangles, met.once.take(met.places.first[rows[narrow] + i]))
        for i in (0, 1)
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
