"""Flat parts of the triangles of a body: what is known of them, and how far the true face is from them.

A triangle of a curved face is cut at the middles of its sides in the parameters, and so are its parts; every
corner is a point of the true face.

A point of the face over a part is compared with the point of the flat part that has the same barycentric
coordinates l_i in the parameters.  Where second derivatives are constant, the two differ by

    4 (l_0 l_1 d_01 + l_1 l_2 d_12 + l_2 l_0 d_20),

d_ij the deviation of the face from the middle of the side's chord: that is largest at such a middle or near
the centre, where it is 4/9 of their sum.  Over a half of a part it is a quarter.  A margin (`MARGIN`) is for
second derivatives that change between the places at which they are measured.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from ..arrays import ArrayRecord, Floats, Ints
from ..vectors import cross, dot, length
from .body import Body

MARGIN: Final = 1.3  # of bounds, for second derivatives between the places at which they are measured
_CENTRE: Final = 4.0 / 9.0  # of the sum of the deviations at the middles of the sides: that at the centre

FIRST, SECOND = np.array([0, 1, 2]), np.array([1, 2, 0])
"""Corners of a triangle at the ends of its sides."""

PARTS = np.array([[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]])
"""The corners of the parts of one, among its corners 0 to 2 and the middles 3 to 5 of its sides."""


class FlatParts(NamedTuple):
    """The flat parts of k parts, and how far the face is from them; see `PartRows`."""

    triangle: Ints
    corners: Floats
    normal: Floats
    across: Floats
    along: Floats
    beyond: Floats


@dataclass(frozen=True, eq=False)
class PartRows(ArrayRecord):
    """k parts of the triangles of a body, in its frame.

    triangle (k,): of the tessellation, one of several for a cap.
    pole (k,): of a cap, the parameter, 0 or 1, that means nothing at the pole; -1 of others.
    uv (k, 3, 2): parameters of the corners; of a cap those of the pole and of both ends of its border.
    corners (k, 3, 3): their places; of a cap those of the triangle around it.
    middles (k, 3, 3): points of the face at the middles of the sides, not of caps.
    normal (k, 3): unit, of the flat parts; 0 where they have no area.
    across, along (k,): how far the part's piece of the face is from it at most, along its normal and in its
        plane, lengths.
    beyond (k,): how far the part reaches beyond its piece and these bounds, a length; 0 but for caps.
    """

    triangle: Ints
    pole: Ints
    uv: Floats
    corners: Floats
    middles: Floats
    normal: Floats
    across: Floats
    along: Floats
    beyond: Floats

    @property
    def bound(self) -> Floats:
        """How far the pieces are from the parts at most (k,), lengths."""
        return self.across + self.along

    @classmethod
    def room(cls, count: int) -> PartRows:
        """Return room for so many parts."""
        return cls(
            np.zeros(count, np.intp),
            np.full(count, -1, np.intp),
            np.zeros((count, 3, 2)),
            np.zeros((count, 3, 3)),
            np.zeros((count, 3, 3)),
            np.zeros((count, 3)),
            np.zeros(count),
            np.zeros(count),
            np.zeros(count),
        )


def whole_triangles(body: Body, triangles: Ints) -> PartRows:
    """Return whole triangles (k,) of the tessellation with the bounds that are measured at their sides."""
    rows = PartRows.room(len(triangles))
    rows.triangle[:] = triangles
    rows.uv[:], rows.corners[:] = body.triangle_uv[triangles], body.triangles[triangles]
    rows.normal[:] = _normals(rows.corners)
    curved = np.flatnonzero(body.triangle_bound[triangles] > 0.0)
    if len(curved):
        found = with_middles(body, rows.take(curved))
        normal, across, along = measured_bounds(found)
        rows.put(curved, replace(found, normal=normal, across=across, along=along))
    return rows


def _normals(corners: Floats) -> Floats:
    """Return the unit normals (k, 3) of triangles (k, 3, 3); 0 where they have no area."""
    normal = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = length(normal)
    unit: Floats = normal / np.where(size > 0.0, size, 1.0)[:, None]
    return unit


def with_middles(body: Body, rows: PartRows) -> PartRows:
    """Return parts with the middles of their sides."""
    middle = 0.5 * (rows.uv[:, FIRST] + rows.uv[:, SECOND])
    face = np.repeat(body.triangle_face[rows.triangle], 3)
    return replace(rows, middles=body.face_points(face, middle.reshape(-1, 2)).reshape(-1, 3, 3))


def measured_bounds(rows: PartRows, normal: Floats | None = None) -> tuple[Floats, Floats, Floats]:
    """Return unit normals (k, 3) of parts, and the bounds across and along them (k,), lengths, that the
    deviations at their middles give.

    normal: others that are to be taken.
    """
    corners = rows.corners
    deviation = np.empty((len(corners), 4, 3))
    deviation[:, :3] = rows.middles - 0.5 * (corners[:, FIRST] + corners[:, SECOND])
    deviation[:, 3] = _CENTRE * deviation[:, :3].sum(axis=1)
    normal = _normals(corners) if normal is None else normal
    height = dot(deviation, normal[:, None])
    beside = length(deviation - height[..., None] * normal[:, None])
    return normal, MARGIN * np.abs(height).max(axis=1), MARGIN * beside.max(axis=1)


def cut_parts(body: Body, rows: PartRows) -> tuple[PartRows, Ints]:
    """Return the parts of parts (k,) that are no caps, without bounds, and of which of these each is one."""
    uv = np.concatenate([rows.uv, 0.5 * (rows.uv[:, FIRST] + rows.uv[:, SECOND])], axis=1)
    corners = np.concatenate([rows.corners, rows.middles], axis=1)
    number = np.repeat(np.arange(len(uv)), len(PARTS))
    made = replace(
        PartRows.room(len(number)),
        triangle=rows.triangle[number],
        uv=uv[:, PARTS].reshape(-1, 3, 2),
        corners=corners[:, PARTS].reshape(-1, 3, 3),
    )
    return with_middles(body, made), number
