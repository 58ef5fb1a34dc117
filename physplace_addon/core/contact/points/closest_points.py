"""Closest points on curved faces.

The point S(u) of a face closest to P is stationary for |P - S|^2 / 2.  With the offset D = P - S, the frame
E and the outward normal N of the face, its second fundamental form h, and g = N . D, one Newton round is

    A du = E . D,    A = 1 - g h.

Eigenvalues of A are raised to a positive bound, so that a round goes downhill also where P is farther from
the face than its centre of curvature.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Floats, Ints
from ...bodies.topology.seams import Seams
from ...vectors import dot
from ..features import FeatureGeometry, FeaturePoints
from .iteration import Progress, apply, clipped, inverse_2x2, tangential

_LEAST_EIGENVALUE = 0.1  # of A, without unit: a round is at most ten times as long as the tangential offset
_LAST = 1e-10  # of R: length of a round after which none follows: it would be of the order of its square
_LONGEST = 0.3  # of R: a round on a curved face, over which its curvature may change
_AT_BORDER = 1e-7  # of R: tangential offset from which a closest point stands at a border


def closest_points_on_faces(
    point: Floats, base: FeaturePoints, radius: float, rounds: int
) -> tuple[FeaturePoints, FeatureGeometry]:
    """Return the points of faces closest to given points, and their geometry.

    Args:
        point: (k, 3) in the frame of the contact.
        base: faces (k), with the points on them from which the search starts.
        radius: R, the length that tolerances and steps are relative to.
        rounds: of Newton's method, at most.
    """
    base = base.copy()
    rows, live, progress = np.arange(len(point)), base, Progress(radius)
    for _ in range(rounds):
        at = live.geometry()
        step = _newton_step(point[rows], at, radius)
        size = np.abs(step).max(axis=1)
        going = progress.going(size, point[rows], at.point)
        if not going.any():
            break
        if not going.all():
            rows, live, progress = rows[going], live.take(np.nonzero(going)[0]), progress.take(going)
            at, step, size = at.take(going), step[going], size[going]
        live = live.moved(tangential(at, step))
        base.put(rows, live)
        more = size > _LAST * radius
        if not more.any():
            break
        if not more.all():
            rows, live, progress = rows[more], live.take(np.nonzero(more)[0]), progress.take(more)
    return base, base.geometry()


def closest_points_across_seams(
    point: Floats, base: FeaturePoints, seams: Seams, radius: float, rounds: int
) -> tuple[FeaturePoints, FeatureGeometry]:
    """Return the points of faces closest to given points, and their geometry; where the closest point of a
    face stands at its border, that of the face beyond the nearest seam, if that is closer.

    seams: those of the faces' body; the others as in `closest_points_on_faces`.
    """
    base, at = closest_points_on_faces(point, base, radius, rounds)
    offset = point - at.point
    beside = offset - dot(offset, at.normal)[:, None] * at.normal
    rows = np.flatnonzero(dot(beside, beside) > (_AT_BORDER * radius) ** 2)
    rows, neighbour = _across(base.take(rows), at.point[rows], seams, rows)
    if len(rows) == 0:
        return base, at
    there, at_there = closest_points_on_faces(point[rows], neighbour, radius, rounds)
    beyond = point[rows] - at_there.point
    closer = dot(beyond, beyond) < dot(offset[rows], offset[rows])
    base, at = base.copy(), at.copy()
    base.put(rows[closer], there.take(closer))
    at.put(rows[closer], at_there.take(closer))
    return base, at


def _across(base: FeaturePoints, place: Floats, seams: Seams, rows: Ints) -> tuple[Ints, FeaturePoints]:
    """Return which rows (m,) of `rows` (k,) are on faces that border others, and the points (m) beyond.

    place (k, 3): the points on the faces, at whose nearest seam the others begin, in the contact's frame.
    """
    local = place if base.pose is None else base.pose.inverse().points(place)
    other = seams.take(seams.face[:, 0] != seams.face[:, 1])
    face, beyond = other.face.T.ravel(), other.face[:, ::-1].T.ravel()
    uv = other.uv[:, ::-1].mean(axis=2).transpose(1, 0, 2).reshape(-1, 2)
    middle = np.tile(other.places.mean(axis=1), (2, 1))
    found, nearest = [], []
    for row, (own, at) in enumerate(zip(base.piece.tolist(), local, strict=True)):
        mine = np.flatnonzero(face == own)
        if len(mine):
            offset = middle[mine] - at
            found.append(row)
            nearest.append(mine[dot(offset, offset).argmin()])
    kept, chosen = np.array(found, dtype=np.intp), np.array(nearest, dtype=np.intp)
    return rows[kept], replace(base.take(kept), piece=beyond[chosen], param=uv[chosen])


def _newton_step(point: Floats, at: FeatureGeometry, radius: float) -> Floats:
    """Return the step (k, 2) along the tangents; on a plane it is exact."""
    offset = point - at.point
    along = apply(at.tangents, offset)
    if not at.curvature.any():
        return along
    gap = dot(at.normal, offset)
    inverse = inverse_2x2(np.eye(2) - gap[:, None, None] * at.curvature, _LEAST_EIGENVALUE)
    return clipped(apply(inverse, along), _LONGEST * radius)
