"""Temporary contact or penetration: what becomes of regions while the bodies dig into each other.

Bouma and Vanecek 1991, sections 6 and 10.  A temporary contact x/y may drift: its points may lie deeper in
the other body than the collision tolerance.  All edges of both bodies that come near are classified against
the other body twice, within the tolerance and within the drift:

    a stretch that is in by the first and in by the second, too, is deeper than any drift: a collision,
    a stretch that is in by the first and on an entity by the second, or out and beside one, is an allowed
    drift if a temporary contact is with that entity or with what it bounds, and else a collision: a new
    entity was met.

By the second classification the sector between two regions that are adjacent belongs to both, so they are
judged together, as Figure 11 wants.

A contact point holds while it stays with both entities of its region: its projection on y is in y (Figure
10).  A region is broken if none of its points holds, and collides if an edge that begins at its
entities does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from ...arrays import ArrayRecord, Bools, Floats, Ints
from ...bodies import Body
from ...collision import build_tree, closest_on_triangle, near_pairs
from ...collision.classification import IN, OUT, EdgeClassification, classify_edges
from ...vectors import cross, dot, length
from ..body_pair import BodyPair
from ..features import EDGE, FACE, VERTEX
from .boundary import PlacedBoundary, boundary_of
from .contact_regions import ContactRegions, EntityPairs
from .point_contacts import pose_between

_NO_REGION = -1


class ContactState(IntEnum):
    """What became of a temporary contact."""

    HOLDS = 0
    BROKEN = 1
    COLLIDES = 2


@dataclass(frozen=True, eq=False)
class Penetrations(ArrayRecord):
    """k stretches of edges that lie inside the other body, deeper than the tolerance.

    body (k,): whose edge it is, 1 or 2.  edge (k,): its number in the topology.
    start, end (k, 3): the ends of the stretch, in the frame of the pair.
    region (k,): the row of the temporary contact that allows it, -1 for a collision.
    """

    body: Ints
    edge: Ints
    start: Floats
    end: Floats
    region: Ints

    def __len__(self) -> int:
        return len(self.body)

    @property
    def collides(self) -> Bools:
        """Which of the stretches (k,) no temporary contact allows."""
        collides: Bools = self.region == _NO_REGION
        return collides


@dataclass(frozen=True, eq=False)
class TemporaryContacts:
    """Temporary contacts, judged where the bodies are now.

    regions: they, with their points where they are now, one on each body, whether these dig in or not.
    state (r,): a ContactState each.  holds (m,): whether each of their points does.
    penetrations: all stretches of edges that are inside the other body.
    """

    regions: ContactRegions
    state: Ints
    holds: Bools
    penetrations: Penetrations


def judged(
    body_pair: BodyPair, temporary: ContactRegions, tolerance: float, drift: float
) -> TemporaryContacts:
    """Return what became of temporary contacts of flat features, and all penetrations.

    Args:
        body_pair: two solids where they are now.
        temporary: their contact regions that are temporary contacts, found at an earlier pose.
        tolerance: a length; what is less deep does not penetrate.
        drift: the largest depth, a length, that a temporary contact may reach; more than the tolerance.
    """
    first = PlacedBoundary(boundary_of(body_pair.active), body_pair.pose)
    second = PlacedBoundary(boundary_of(body_pair.world), None)
    rows = temporary.rows.entities
    through = Penetrations.join(
        [
            _penetrations(1, first, second, body_pair.world.body, rows.dim2, rows.index2, tolerance, drift),
            _penetrations(2, second, first, body_pair.active.body, rows.dim1, rows.index1, tolerance, drift),
        ]
    )
    regions, holds = _moved(first, second, temporary, drift)
    colliding = through.take(through.collides)
    state = np.full(len(temporary), int(ContactState.BROKEN))
    state[regions.points.region[holds]] = ContactState.HOLDS
    for body, placed, dim, index in ((1, first, rows.dim1, rows.index1), (2, second, rows.dim2, rows.index2)):
        edges = colliding.edge[colliding.body == body]
        state[_touch_edges(placed, dim, index, edges)] = ContactState.COLLIDES
    return TemporaryContacts(regions, state, holds, through)


def _penetrations(
    body: int,
    mover: PlacedBoundary,
    other: PlacedBoundary,
    solid: Body,
    dim: Ints,
    index: Ints,
    tolerance: float,
    drift: float,
) -> Penetrations:
    """Return the stretches of one body's edges inside the other.

    body: the number of the edges' body.  dim, index (r,): the entities of the other body that the temporary
    contacts are with.
    """
    edge = _near_edges(mover, other, drift)
    ends = mover.edge_ends(edge)
    own = ends if other.pose is None else other.pose.inverse().points(ends.reshape(-1, 3)).reshape(-1, 2, 3)
    if len(edge) == 0:
        none, points = np.zeros(0, np.intp), np.zeros((0, 3))
        return Penetrations(none, none, points, points, none)
    fine, wide = (classify_edges(own, solid, within) for within in (tolerance, drift))
    row = _rows(fine)
    inside = np.flatnonzero(fine.after == IN)
    stretch = np.stack([fine.parameter[inside], fine.parameter[inside + 1]], axis=1)
    region = _allowing(other, wide, row[inside], stretch, length(ends[:, 1] - ends[:, 0]), dim, index, drift)
    at = ends[row[inside], None, 0] + stretch[..., None] * (ends[:, 1] - ends[:, 0])[row[inside], None]
    return Penetrations(np.full(len(inside), body), edge[row[inside]], at[:, 0], at[:, 1], region)


def _near_edges(mover: PlacedBoundary, other: PlacedBoundary, reach: float) -> Ints:
    """Return the straight edges (k,) of one body that may come within a reach of the other's triangles."""
    tree = mover.boundary.edge_tree
    if tree is None:
        return np.zeros(0, np.intp)
    pairs = near_pairs(tree, pose_between(mover, other), other.boundary.triangles, reach)
    return mover.boundary.tree_edges[np.unique(pairs[:, 0])]


def _rows(found: EdgeClassification) -> Ints:
    """Return the edge (m,) that each place of a classification is on."""
    return np.repeat(np.arange(len(found.start) - 1), np.diff(found.start))


def _allowing(
    other: PlacedBoundary,
    wide: EdgeClassification,
    row: Ints,
    stretch: Floats,
    size: Floats,
    dim: Ints,
    index: Ints,
    drift: float,
) -> Ints:
    """Return for each stretch (k,) inside a body the temporary contact that allows it, or -1.

    Args:
        other: the body.
        wide: the classification of the edges within the drift.
        row, stretch: the edge (k,) of each stretch, and the parameters (k, 2) of its ends.
        size: the length of each edge.
        dim, index: the entities (r,) of the body in temporary contact.
        drift: a length.
    """
    counts = np.diff(wide.start)[row]
    piece = np.repeat(np.arange(len(row)), counts)
    place = np.arange(len(piece)) - np.repeat(np.cumsum(counts) - counts, counts) + wide.start[row][piece]
    last = place + 1 == wide.start[row[piece] + 1]
    piece, place = piece[~last], place[~last]
    low = np.maximum(wide.parameter[place], stretch[piece, 0])
    high = np.minimum(wide.parameter[place + 1], stretch[piece, 1])
    share = high - low
    most = np.zeros(len(row))
    np.maximum.at(most, piece, share)
    counted = (share > 0.0) & ((share * size[row[piece]] > 2.0 * drift) | (share == most[piece]))
    piece, place = piece[counted], place[counted]
    at_end = wide.parameter[place + 1] - high[counted] < low[counted] - wide.parameter[place]
    beside, passed = place + at_end, wide.after[place] == OUT
    kind = np.where(passed, wide.at[beside], wide.after[place])
    entity = np.where(passed, wide.at_entity[beside], wide.after_entity[place])
    found = _region_of(other, kind, entity, dim, index)
    region = np.full(len(row), _NO_REGION)
    region[piece] = found
    region[piece[found == _NO_REGION]] = _NO_REGION
    return region


def _region_of(other: PlacedBoundary, kind: Ints, entity: Ints, dim: Ints, index: Ints) -> Ints:
    """Return for entities (k,) of a body the first of those in contact (r,) that each bounds or is, or -1."""
    here, there = np.repeat(np.arange(len(kind)), len(dim)), np.tile(np.arange(len(dim)), len(kind))
    on_boundary = kind[here] <= FACE
    here, there = here[on_boundary], there[on_boundary]
    like = other.boundary.likeness(kind[here], entity[here], dim[there], index[there])
    related = np.flatnonzero(like > 0)
    found = np.full(len(kind), _NO_REGION)
    found[here[related][::-1]] = there[related][::-1]
    return found


def _touch_edges(placed: PlacedBoundary, dim: Ints, index: Ints, edges: Ints) -> Bools:
    """Return which entities (r,) have an end of one of some edges (k,) in their closure."""
    ends = np.unique(placed.topology.edge_vertices[edges])
    here, there = np.repeat(np.arange(len(dim)), len(ends)), np.tile(ends, len(dim))
    like = placed.boundary.likeness(dim[here], index[here], np.full(len(there), VERTEX), there)
    touch: Bools = np.bincount(here[like > 0], minlength=len(dim)) > 0
    return touch


def _moved(
    first: PlacedBoundary, second: PlacedBoundary, temporary: ContactRegions, drift: float
) -> tuple[ContactRegions, Bools]:
    """Return temporary contacts with their points where they are now, and which points (m,) hold."""
    points, pairs = temporary.points, temporary.points.entities
    rows = temporary.rows.entities.take(points.region)
    at = _places(first, second, pairs)
    foot1, near1 = _closest(first, rows.dim1, rows.index1, at, drift)
    foot2, near2 = _closest(second, rows.dim2, rows.index2, at, drift)
    moved = replace(
        points,
        point1=np.where((pairs.dim1 == VERTEX)[:, None], at, foot1),
        point2=np.where(((pairs.dim1 != VERTEX) & (pairs.dim2 == VERTEX))[:, None], at, foot2),
    )
    return replace(temporary, points=moved), near1 & near2


def _places(first: PlacedBoundary, second: PlacedBoundary, pairs: EntityPairs) -> Floats:
    """Return where the contacts (m,) of pairs of entities are now, (m, 3)."""
    at = np.zeros((len(pairs), 3))
    own, other = pairs.dim1 == VERTEX, (pairs.dim1 != VERTEX) & (pairs.dim2 == VERTEX)
    at[own], at[other] = first.vertices(pairs.index1[own]), second.vertices(pairs.index2[other])
    crossing = np.flatnonzero(~own & ~other)
    ends1, ends2 = first.edge_ends(pairs.index1[crossing]), second.edge_ends(pairs.index2[crossing])
    u, v, offset = ends1[:, 1] - ends1[:, 0], ends2[:, 1] - ends2[:, 0], ends2[:, 0] - ends1[:, 0]
    across = cross(u, v)
    size = dot(across, across)
    share = dot(cross(offset, v), across) / np.where(size > 0.0, size, 1.0)
    at[crossing] = ends1[:, 0] + share[:, None] * u
    return at


def _closest(
    placed: PlacedBoundary, dim: Ints, index: Ints, at: Floats, reach: float
) -> tuple[Floats, Bools]:
    """Return the closest points (m, 3) of entities (m,) to points (m, 3), and which are within a reach.

    Where the point is farther from a face, it is returned itself.
    """
    foot = at.copy()
    rows = np.flatnonzero(dim == VERTEX)
    foot[rows] = placed.vertices(index[rows])
    rows = np.flatnonzero(dim == EDGE)
    ends = placed.edge_ends(index[rows])
    along = ends[:, 1] - ends[:, 0]
    share = dot(at[rows] - ends[:, 0], along) / dot(along, along)
    foot[rows] = ends[:, 0] + share.clip(0.0, 1.0)[:, None] * along
    near = length(at - foot) <= reach
    rows = np.flatnonzero(dim == FACE)
    near[rows] = False
    if len(rows):
        found, places = _closest_on_faces(placed, index[rows], at[rows], reach)
        foot[rows[found]], near[rows[found]] = places, True
    return foot, near


def _closest_on_faces(placed: PlacedBoundary, face: Ints, at: Floats, reach: float) -> tuple[Ints, Floats]:
    """Return which points (k, 3) are within a reach of planar faces (k,), and the closest points there."""
    own = at if placed.pose is None else placed.pose.inverse().points(at)
    triangles = placed.boundary.triangles
    tree = build_tree(np.repeat(own[:, None], 3, axis=1))
    pairs = near_pairs(tree, pose_between(placed, placed), triangles, reach)
    pairs = pairs[placed.topology.triangle_face[pairs[:, 1]] == face[pairs[:, 0]]]
    point = pairs[:, 0]
    corners = triangles.triangles[pairs[:, 1]]
    foot = (closest_on_triangle(own[point], corners).barycentric[:, None] @ corners)[:, 0]
    apart = length(own[point] - foot)
    order = np.lexsort((apart, point))
    order = order[apart[order] <= reach]
    found, first = np.unique(point[order], return_index=True)
    return found, placed.points(foot[order[first]])
