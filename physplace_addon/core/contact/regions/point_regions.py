"""Contact regions of interface points: what the touching points of curved features span together.

A curved feature touches at a point, along a line or over a face, and its interface points are samples of
that.  Points with one plane and one normal belong together; those of two curved faces only as samples of one
contact curve or area.  What lies in the line or plane of such samples, as the rim of a cylinder at the ends
of its line, is of their region.  So a region of curved features has the same form as one of flat features
(`contact_regions`), and each region of interface points is one, whatever its features.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import dot, length_and_unit
from ..body_pair import BodyPair
from ..features import FACE, VERTEX
from ..points.interface_points import InterfacePoints
from .boundary import PlacedBoundary, boundary_of
from .contact_regions import UNLABELLED, ContactRegions, EntityPairs, RegionPoints, RegionRows
from .convex_hulls import hull_corners
from .region_analysis import contact_regions

_SAME_NORMAL = 1e-3  # largest difference of unit normals, in each component, of points of one region
_SAME_PLANE = 1e-6  # largest height over R of a point above the plane of its region: that of touching points
_AT_ONCE = 1_000_000  # places times segments in one batch: it bounds the memory
_SPAN = 1e-6  # least extent over R of points that span a line or a face; points closer together are one


def regions_of_pair(body_pair: BodyPair, points: InterfacePoints, tolerance: float) -> ContactRegions:
    """Return all contact regions of two bodies: of their flat features, then those of curved ones.

    Args:
        body_pair: the bodies; body 1 is the active one.
        points: their touching interface points, in the pair's frame; those of flat features are left out.
        tolerance: a length; flat features that are no farther apart touch.
    """
    flat, radius = contact_regions(body_pair, tolerance), body_pair.radius
    of_curved = _of_curved(body_pair, points, tolerance)
    found = regions_of_points(points.take(of_curved), radius)[0]
    inside = _inside_faces(flat.points.point1, flat.point_normals, found, radius)
    lower = np.bincount(flat.points.region[~inside], minlength=len(flat)) == 0
    lower &= flat.dimension < FACE
    if lower.any():
        of_curved |= _inside_faces(points.point1, points.normal, found, radius)
        found = regions_of_points(points.take(of_curved), radius)[0]
    return ContactRegions.join([flat.take(~lower), found])


def _inside_faces(places: Floats, normals: Floats, found: ContactRegions, radius: float) -> Bools:
    """Return which places (k, 3) lie in the plane of a region of dimension 2 and have its normal.

    normals (k, 3): theirs; radius: R.
    """
    faces = np.flatnonzero(found.dimension == FACE)
    on_planes = found.points.point1[found.point_start[faces]]
    height = dot(places[:, None] - on_planes, found.normal[faces])
    inside = np.abs(height) < _SAME_PLANE * radius
    inside &= np.abs(normals[:, None] - found.normal[faces]).max(axis=2, initial=0.0) < _SAME_NORMAL
    return np.asarray(inside.any(axis=1))


def _of_curved(body_pair: BodyPair, points: InterfacePoints, tolerance: float) -> Bools:
    """Return which points (k,) are of a feature that the flat features' regions leave out."""
    of_curved = np.zeros(len(points), bool)
    for prepared, pose, dim, index, place in (
        (body_pair.active, body_pair.pose, points.dim1, points.index1, points.point1),
        (body_pair.world, None, points.dim2, points.index2, points.point2),
    ):
        if not prepared.is_plain:
            of_curved |= ~prepared.flat_or_straight(dim, index) & (dim != VERTEX)
            of_curved |= _on_borders(PlacedBoundary(boundary_of(prepared), pose), place, tolerance)
    return of_curved


def _on_borders(placed: PlacedBoundary, places: Floats, tolerance: float) -> Bools:
    """Return which points (k, 3) are at vertices or edges that border a curved face."""
    topology = placed.topology
    corners = placed.vertices(np.flatnonzero(topology.vertex_curved))
    ends = placed.edge_ends(np.flatnonzero(topology.edge_curved))
    segments = np.concatenate([ends, np.repeat(corners[:, None], 2, axis=1)])
    along = segments[:, 1] - segments[:, 0]
    square = dot(along, along)
    on_border = np.zeros(len(places), bool)
    for rows in np.array_split(np.arange(len(places)), 1 + len(places) * len(segments) // _AT_ONCE):
        offset = places[rows, None] - segments[:, 0]
        share = dot(offset, along) / np.where(square > 0.0, square, 1.0)
        miss = offset - share.clip(0.0, 1.0)[:, :, None] * along
        on_border[rows] = (dot(miss, miss) <= tolerance**2).any(axis=1)
    return on_border


def regions_of_points(points: InterfacePoints, radius: float) -> tuple[ContactRegions, Ints]:
    """Return the regions of touching interface points, and the region (k,) that each point belongs to.

    The entities of a region are those of the highest dimension among its points', numbers of the bodies' own
    features.

    Args:
        points: the touching points (k), all in one frame.
        radius: R, a length that the tolerances are relative to.
    """
    member = _joined(points, _members(points, radius), radius)
    count = int(member.max(initial=-1)) + 1
    total: Floats = np.stack(
        [np.bincount(member, points.normal[:, axis], count) for axis in range(3)], axis=1
    )
    normal = length_and_unit(total)[1]
    spans = [_span(points.point1[member == region], radius) for region in range(count)]
    dimension = np.array([dim for dim, _ in spans], dtype=np.intp)
    kept = np.concatenate(
        [
            np.zeros(0, np.intp),
            *(
                _extreme(points, np.flatnonzero(member == region), normal[region], span)
                for region, span in enumerate(spans)
            ),
        ]
    )
    pairs = EntityPairs(points.dim1, points.index1, points.dim2, points.index2)
    main = np.stack([_highest(member, dim, count) for dim in (points.dim1, points.dim2)])
    entities = EntityPairs(
        points.dim1[main[0]], points.index1[main[0]], points.dim2[main[1]], points.index2[main[1]]
    )
    found = RegionPoints(
        member[kept],
        pairs.take(kept),
        points.point1[kept],
        points.point2[kept],
        np.full(len(kept), UNLABELLED),
    )
    rows = RegionRows.new(dimension, entities, normal, curved=True)
    first = np.searchsorted(found.region, np.arange(count))
    rows.body1[:], rows.body2[:] = points.body1[kept[first]], points.body2[kept[first]]
    return ContactRegions(rows, found), member


def _members(points: InterfacePoints, radius: float) -> Ints:
    """Return the region (k,) of each point: that of the first point whose plane and normal it shares."""
    features = np.stack([points.dim1, points.index1, points.dim2, points.index2], axis=1)
    by_faces: Bools = (points.dim1 == FACE) & (points.dim2 == FACE)
    member = np.full(len(points), -1)
    for region in range(len(points)):
        left = np.flatnonzero(member < 0)
        if len(left) == 0:
            break
        i = left[0]
        alike = _alike(points, i, radius)[left]
        alike &= (features[left] == features[i]).all(axis=1) if by_faces[i] else ~by_faces[left]
        alike[0] = True
        member[left[alike]] = region
    return member


def _joined(points: InterfacePoints, member: Ints, radius: float) -> Ints:
    """Return the regions (k,) of points, of which those that lie in a larger one are joined with it."""
    count = int(member.max(initial=-1)) + 1
    spans = [_span(points.point1[member == region], radius) for region in range(count)]
    first = np.unique(member, return_index=True)[1]
    joined = np.arange(count)
    for host in sorted(range(count), key=lambda region: -spans[region][0]):
        dimension, axis = spans[host]
        offset = points.point1 - points.point1[first[host]]
        inside = _alike(points, int(first[host]), radius)
        if dimension == 1:
            across = offset - (offset @ axis)[:, None] * axis
            inside &= dot(across, across) <= (_SPAN * radius) ** 2
        outside = np.bincount(member[~inside], minlength=count) > 0
        for region in range(count) if dimension and joined[host] == host else ():
            if not outside[region] and spans[region][0] <= dimension and joined[region] == region:
                joined[region] = host
    numbers: Ints = np.unique(joined[member], return_inverse=True)[1].reshape(-1)
    return numbers


def _alike(points: InterfacePoints, i: int, radius: float) -> Bools:
    """Return which points (k,) have the bodies, the normal and the plane of one of them."""
    alike: Bools = np.abs(points.normal - points.normal[i]).max(axis=1) < _SAME_NORMAL
    alike &= np.abs((points.point1 - points.point1[i]) @ points.normal[i]) < _SAME_PLANE * radius
    alike &= (points.body1 == points.body1[i]) & (points.body2 == points.body2[i])
    return alike


def _span(places: Floats, radius: float) -> tuple[int, Floats]:
    """Return the dimension of what points (n, 3) span, at most 2, and the direction (3,) of their spread."""
    _, extents, axes = np.linalg.svd(places - places.mean(axis=0), full_matrices=False)
    return min(2, int((extents > _SPAN * radius).sum())), axes[0]


def _extreme(points: InterfacePoints, rows: Ints, normal: Floats, span: tuple[int, Floats]) -> Ints:
    """Return the rows that a region is reduced to: the lowest point, the two ends, the hull's corners."""
    dimension, axis = span
    if dimension == 0:
        return rows[[points.gap[rows].argmin()]]
    places = points.point1[rows]
    if dimension == 1:
        along = places @ axis
        return rows[[along.argmin(), along.argmax()]]
    return rows[hull_corners(places, np.zeros(len(rows), np.intp), normal[None])]


def _highest(member: Ints, dim: Ints, count: int) -> Ints:
    """Return for each of `count` regions the first row (k,) of a member of the highest dimension."""
    order = np.lexsort((-dim, member))
    highest: Ints = order[np.searchsorted(member[order], np.arange(count))]
    return highest
