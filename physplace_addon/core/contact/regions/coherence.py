"""Temporal coherence: a contact region that persists keeps its normal and its labels.

Bouma and Vanecek 1991, sections 8 to 10.  Where a vertex meets an edge or a vertex, or two edges lie along
each other, the normal is not determined by the geometry of the moment, and what the formulas give may throw a
sliding block off its course (Figure 8).  So it is that of the step before:

    A region x/y persists if before there was a region x0/y0 of which x0 is x, bounds it or is bounded by it,
    and y0 is related to y so, too: a vertex on a face comes to an edge of the face, then to an end of the
    edge.  If more than one is, the one with more in common, then the nearest, is taken.
    A region without a face takes the normal of the face that gave it before, where that face now is.
    A new region without a face takes that of a region that persists, if it lies in the plane of that region,
    and its entity bounds a face that touches there: the next finger that a block slides over meets the border
    of the same face as those before.

Normals of faces, and of two edges that cross, are determined, and always those of the moment.

Labels of points persist likewise within a region: first those of the same two entities, then those of
related ones, nearest first.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import dot, length
from ..body_pair import BodyPair
from ..features import EDGE, FACE
from ..row_lists import row_keys
from .boundary import PlacedBoundary, boundary_of
from .contact_regions import NO_FACE, UNLABELLED, ContactRegions, EntityPairs, RegionRows
from .point_contacts import joined

_SAME = 4  # what two pairs of the same entities have in common


def followed(
    body_pair: BodyPair, now: ContactRegions, before: ContactRegions, tolerance: float
) -> ContactRegions:
    """Return the regions of a pair with the normals and labels of those that they continue.

    Those that continue one are marked as temporary contacts.  Each step's regions must follow the last one's,
    the first one's no regions, so that labels are not used twice.

    Args:
        body_pair: the bodies where they are now.
        now: their regions.
        before: their regions at the step before, as this function returned them.
        tolerance: the length that `now` was found with.
    """
    first = PlacedBoundary(boundary_of(body_pair.active), body_pair.pose)
    second = PlacedBoundary(boundary_of(body_pair.world), None)
    source = _continued(first, second, now, before)
    rows = _with_normals_of_before(first, second, now.rows, before.rows, source)
    found = _with_normals_beside(first, second, replace(now, rows=rows), source >= 0, tolerance)
    return _labelled(first, second, found, before, source)


def _continued(
    first: PlacedBoundary, second: PlacedBoundary, now: ContactRegions, before: ContactRegions
) -> Ints:
    """Return for each region (r,) the row of the one that it continues, -1 for none."""
    here = np.repeat(np.arange(len(now)), len(before))
    there = np.tile(np.arange(len(before)), len(now))
    like = _likeness(first, second, now.rows.entities.take(here), before.rows.entities.take(there))
    like[now.rows.curved[here] != before.rows.curved[there]] = 0
    like[now.rows.curved[here] & (like < _SAME)] = 0
    kept = np.flatnonzero(like > 0)
    here, there = here[kept], there[kept]
    apart = length(_middles(now)[here] - _middles(before)[there])
    return _matched(here, there, like[kept], apart, len(now))


def _likeness(first: PlacedBoundary, second: PlacedBoundary, pairs: EntityPairs, others: EntityPairs) -> Ints:
    """Return how much pairs of entities (k,) have in common with others: 2 to 4; 0 if either is unrelated."""
    like1 = first.boundary.likeness(pairs.dim1, pairs.index1, others.dim1, others.index1)
    like2 = second.boundary.likeness(pairs.dim2, pairs.index2, others.dim2, others.index2)
    return np.where((like1 > 0) & (like2 > 0), like1 + like2, 0)


def _middles(found: ContactRegions) -> Floats:
    """Return the mean (r, 3) of the points of each region."""
    start = found.point_start
    return np.add.reduceat(found.points.point2, start[:-1], axis=0) / np.diff(start)[:, None]


def _matched(here: Ints, there: Ints, like: Ints, apart: Floats, count: int) -> Ints:
    """Return for each of `count` rows the other row that it is paired with, or -1, no row used twice.

    Candidates (k,) are pairs of rows; of those, the most like and then the nearest are taken first.
    """
    result = np.full(count, -1)
    order = np.lexsort((apart, -like))
    here, there = here[order], there[order]
    while len(here):
        best = np.intersect1d(np.unique(here, return_index=True)[1], np.unique(there, return_index=True)[1])
        result[here[best]] = there[best]
        left = ~np.isin(here, here[best]) & ~np.isin(there, there[best])
        here, there = here[left], there[left]
    return result


def _with_normals_of_before(
    first: PlacedBoundary, second: PlacedBoundary, rows: RegionRows, before: RegionRows, source: Ints
) -> RegionRows:
    """Return regions (r,) of which those without a face have the normals of the regions they continue."""
    bare = np.flatnonzero((source >= 0) & _without_face(rows))
    return _taking_normals(first, second, rows, bare, before, source[bare])


def _without_face(rows: RegionRows) -> Bools:
    """Return which regions (r,) have a normal that their entities leave open."""
    pairs = rows.entities
    crossing = (rows.dimension == 0) & (pairs.dim1 == EDGE) & (pairs.dim2 == EDGE)
    without: Bools = ~rows.curved & ~crossing & (pairs.dim1 != FACE) & (pairs.dim2 != FACE)
    return without


def _taking_normals(
    first: PlacedBoundary,
    second: PlacedBoundary,
    rows: RegionRows,
    here: Ints,
    given: RegionRows,
    there: Ints,
) -> RegionRows:
    """Return the regions (r,) with the normals of others for some: those of their faces where these now are.

    here, there (k,): rows of the regions, and of the given ones.
    """
    taken = given.take(there)
    normal = taken.normal.copy()
    for placed, face in ((first, taken.face1), (second, taken.face2)):
        known = np.flatnonzero(face != NO_FACE)
        outward = placed.face_normals(face[known])
        turned = dot(outward, normal[known]) < 0.0
        normal[known] = np.where(turned[:, None], -outward, outward)
    changed = rows.copy()
    changed.normal[here], changed.face1[here], changed.face2[here] = normal, taken.face1, taken.face2
    return changed


def _with_normals_beside(
    first: PlacedBoundary, second: PlacedBoundary, found: ContactRegions, persists: Bools, tolerance: float
) -> ContactRegions:
    """Return the regions; new ones without a face have the normal of one that persists beside them."""
    rows = found.rows
    new = np.flatnonzero(~persists & _without_face(rows))
    old = np.flatnonzero(persists & ((rows.face1 != NO_FACE) | (rows.face2 != NO_FACE)))
    here, there = np.repeat(new, len(old)), np.tile(old, len(new))
    pairs = rows.entities.take(here)
    beside = np.zeros(len(here), bool)
    face1, face2 = _faces_touching(rows)
    for placed, dim, index, face in (
        (first, pairs.dim1, pairs.index1, face1[there]),
        (second, pairs.dim2, pairs.index2, face2[there]),
    ):
        beside |= (face != NO_FACE) & (
            placed.boundary.likeness(dim, index, np.full(len(face), FACE), face) > 0
        )
    middles = _middles(found)
    height = dot(rows.normal[there], middles[here] - middles[there])
    kept = np.flatnonzero(beside & (np.abs(height) <= 2.0 * tolerance))
    order = kept[np.argsort(length(middles[here[kept]] - middles[there[kept]]), kind="stable")]
    chosen = order[np.unique(here[order], return_index=True)[1]]
    return replace(found, rows=_taking_normals(first, second, rows, here[chosen], rows, there[chosen]))


def _faces_touching(rows: RegionRows) -> tuple[Ints, Ints]:
    """Return the faces (r,) of body 1 and of body 2 that touch, or did so before; NO_FACE for none."""
    pairs = rows.entities
    return (
        np.where(pairs.dim1 == FACE, pairs.index1, rows.face1),
        np.where(pairs.dim2 == FACE, pairs.index2, rows.face2),
    )


def _labelled(
    first: PlacedBoundary,
    second: PlacedBoundary,
    found: ContactRegions,
    before: ContactRegions,
    source: Ints,
) -> ContactRegions:
    """Return the regions and their points with the labels of what they continue, and new ones."""
    known = np.flatnonzero(source >= 0)
    region = np.full(len(found), UNLABELLED)
    region[known] = before.rows.label[source[known]]
    point = np.full(len(found.points), UNLABELLED)
    matched = _continued_points(first, second, found, before, source)
    known = np.flatnonzero(matched >= 0)
    point[known] = before.points.label[matched[known]]
    following = before.next_label
    for labels in (region, point):
        new = np.flatnonzero(labels == UNLABELLED)
        labels[new] = following + np.arange(len(new))
        following += len(new)
    rows = replace(found.rows, label=region, temporary=source >= 0)
    return replace(found, rows=rows, points=replace(found.points, label=point), next_label=following)


def _continued_points(
    first: PlacedBoundary, second: PlacedBoundary, found: ContactRegions, before: ContactRegions, source: Ints
) -> Ints:
    """Return for each point (m,) the row of the one that it continues in the same region, -1 for none."""
    points, others = found.points, before.points
    result = np.full(len(points), -1)
    owner = source[points.region]
    columns = [np.concatenate([owner, others.region]) + 1]
    for one, other in (
        (points.entities.dim1, others.entities.dim1),
        (points.entities.index1, others.entities.index1),
        (points.entities.dim2, others.entities.dim2),
        (points.entities.index2, others.entities.index2),
    ):
        columns.append(np.concatenate([one, other]))
    key = np.unique(row_keys(*columns), return_inverse=True)[1].reshape(-1)
    own, theirs = key[: len(points)], key[len(points) :]
    single = np.bincount(own, minlength=len(key)) == 1
    single &= np.bincount(theirs, minlength=len(key)) == 1
    _, here, there = np.intersect1d(own, theirs, return_indices=True)
    here, there = here[single[own[here]]], there[single[own[here]]]
    result[here] = there
    open_here = np.flatnonzero((result < 0) & (owner >= 0))
    open_there = np.setdiff1d(np.arange(len(others)), there)
    row_here = np.argsort(owner[open_here], kind="stable")
    _, here, there = joined(
        owner[open_here][row_here], open_here[row_here], others.region[open_there], open_there, len(before)
    )
    like = _likeness(first, second, points.entities.take(here), others.entities.take(there))
    like[found.rows.curved[points.region[here]] & (like < _SAME)] = 0
    kept = np.flatnonzero(like > 0)
    here, there = here[kept], there[kept]
    apart = length(points.point2[here] - others.point2[there])
    matched = _matched(here, there, like[kept], apart, len(points))
    return np.where(result >= 0, result, matched)
