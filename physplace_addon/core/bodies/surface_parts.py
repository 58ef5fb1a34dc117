"""Triangles of a body refined where that is needed, with bounds on their distance to the true surface.

*Bounds.*  Those of a part (`part_rows`) are measured at its sides, those of a whole triangle at the sides of
its parts, too.  A part has the larger of a quarter of what its whole has and of what is measured at itself.
Deviations across the part, along its normal, are bounded by themselves: those in its plane are larger, and
count little where surfaces are nearly parallel, as where they touch.  Unlike `Body.triangle_bound`, these are
bounds of each part from its own piece of the face, so that parts may be judged one by one.

*Poles.*  At a pole, where one parameter means nothing, many narrow triangles meet.  All of them are one part
instead, a cap: the flat triangle around the circle that its points have about the pole, as seen along the
normal there.  A cap is cut into a smaller one and into sectors around that.

*Flat triangles* with straight sides are exact, and are never cut.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from ..arrays import PORTION, Bools, Floats, Ints
from ..vectors import cross, dot, length
from .body import Body
from .part_rows import (
    MARGIN,
    PARTS,
    FlatParts,
    PartRows,
    cut_parts,
    measured_bounds,
    whole_triangles,
    with_middles,
)

_ROUNDING: Final = 4e-15  # over the largest coordinate: what bounds are raised by
_POLE: Final = 1e-9  # of the longer partial derivative: length of the other one that marks a pole
_ALIKE: Final = 1e-12  # difference of parameters, over their size, that are one
_MOST: Final = 200_000  # parts that a body keeps: above, all are dropped before the next search
_ROOM: Final = 1024  # rows that there is room for at first
_UNMEASURED: Final = 1.5  # of bounds, where the parts of triangles are not measured
_ROLE: Final = "surface parts"
_REACH: Final = "reach of surface parts"

_SECTORS: Final = 8  # around a pole
_RINGS: Final = 3  # at which a cap is measured
_EQUILATERAL = np.pi * np.array([0.0, 2.0 / 3.0, 4.0 / 3.0])


class SurfaceParts:
    """The triangles of one body and their parts, by row numbers, made as they are needed and kept.

    rounding: what every bound of a curved part is raised by, a length.
    """

    def __init__(self, body: Body) -> None:
        """Begin with the caps alone."""
        self._body = body
        self.rounding = _ROUNDING * float(np.abs(body.triangles).max(initial=0.0))
        self._of_triangle = np.full(len(body.triangles), -1, np.intp)
        self._count = 0
        self._rows = PartRows.room(_ROOM)
        self._first_child, self._child_count = np.zeros((2, _ROOM), np.intp)
        self._whole = np.full(_ROOM, -1, np.intp)
        caps, triangle, cap = _caps(body)
        self._of_triangle[triangle] = self._added(caps)[cap]

    @classmethod
    def of(cls, body: Body) -> SurfaceParts:
        """Return the parts that a body keeps."""
        known = body.derived.get(_ROLE)
        if isinstance(known, cls) and known._count <= _MOST:
            return known
        made = cls(body)
        body.derived[_ROLE] = made
        return made

    @property
    def room(self) -> int:
        """How many parts there is room for: a number is less."""
        return len(self._whole)

    def wholes(self, numbers: Ints) -> Ints:
        """Return the part (k,) from which each part was cut; -1 for whole triangles, caps and their parts."""
        found: Ints = self._whole[numbers]
        return found

    def rows(self, numbers: Ints) -> PartRows:
        """Return what is known of parts (k,)."""
        return self._rows.take(numbers)

    def flat_parts(self, numbers: Ints) -> FlatParts:
        """Return where the faces are of parts (k,)."""
        rows = self._rows
        return FlatParts(
            rows.triangle[numbers],
            *(
                each.take(numbers, axis=0)
                for each in (rows.corners, rows.normal, rows.across, rows.along, rows.beyond)
            ),
        )

    def of_triangles(self, triangles: Ints) -> Ints:
        """Return the parts (k,) that are whole triangles (k,) of the tessellation, or the caps of these."""
        wanted = np.unique(triangles)
        new = wanted[self._of_triangle[wanted] < 0]
        if len(new):
            self._of_triangle[new] = self._added(whole_triangles(self._body, new))
            curved = new[self._body.triangle_bound[new] > 0.0]
            self._measure(self._of_triangle[curved])
        found: Ints = self._of_triangle[triangles]
        return found

    def children(self, numbers: Ints) -> tuple[Ints, Ints]:
        """Return the parts (m,) of parts (k,), and of which of these, 0 to k - 1, each is one (m,)."""
        new = numbers[self._child_count[numbers] == 0]
        if len(new):
            self._cut(np.unique(new))
        count = self._child_count[numbers]
        begin = np.cumsum(count) - count
        whole = np.repeat(np.arange(len(numbers)), count)
        return (self._first_child[numbers] - begin)[whole] + np.arange(len(whole)), whole

    def with_some_cut(self, numbers: Ints, wanted: Bools) -> tuple[Ints, Ints]:
        """Return parts (m,), the wanted ones of parts (k,) cut, and of which of these each is one (m,)."""
        kept, cut = np.flatnonzero(~wanted), np.flatnonzero(wanted)
        children, whole = self.children(numbers[cut])
        return np.concatenate([numbers[kept], children]), np.concatenate([kept, cut[whole]])

    def _added(self, rows: PartRows) -> Ints:
        """Add rows (k,), and return their numbers (k,)."""
        count, room = self._count + len(rows.across), len(self._rows.across)
        if count > room:
            known, more = self._rows, max(count, 2 * room) - room
            self._rows = PartRows.room(room + more)
            self._rows.put(slice(0, room), known)
            self._first_child, self._child_count = (
                np.concatenate([each, np.zeros(more, np.intp)])
                for each in (self._first_child, self._child_count)
            )
            self._whole = np.concatenate([self._whole, np.full(more, -1, np.intp)])
        numbers = np.arange(self._count, count)
        self._rows.put(slice(self._count, count), rows)
        self._count = count
        return numbers

    def _measure(self, numbers: Ints) -> None:
        """Raise the bounds of whole triangles (k,) by what is measured at their parts."""
        whole = self._rows.take(numbers)
        made, number = cut_parts(self._body, whole)
        _, across, along = measured_bounds(made, whole.normal[number])
        np.maximum.at(whole.across, number, 4.0 * across + self.rounding)
        np.maximum.at(whole.along, number, 4.0 * along + self.rounding)
        self._rows.put(numbers, whole)

    def _cut(self, numbers: Ints) -> None:
        """Make the parts of parts (k,)."""
        polar = self._rows.pole[numbers] >= 0
        plain = numbers[~polar]
        whole = self._rows.take(plain)
        made, number = cut_parts(self._body, whole)
        normal, across, along = measured_bounds(made)
        lean = length(cross(whole.normal[number], normal))
        inherited = whole.across[number], whole.along[number]
        across = np.maximum(0.25 * (inherited[0] + lean * inherited[1]), across) + self.rounding
        along = np.maximum(0.25 * (inherited[1] + lean * inherited[0]), along) + self.rounding
        parts = self._added(replace(made, normal=normal, across=across, along=along))
        self._first_child[plain], self._child_count[plain] = parts[:: len(PARTS)], len(PARTS)
        self._whole[parts] = plain[number]
        for part in numbers[polar].tolist():
            cap, sectors = _parts_of_cap(self._body, self._rows.take(np.array([part])))
            children = self._added(PartRows.join([cap, sectors]))
            self._measure(children[1:])
            self._first_child[part], self._child_count[part] = children[0], len(children)


def reach_of_parts(body: Body) -> float:
    """Return by how much more than its own bound a piece of the face over a triangle may be from it, a
    length.
    """
    known = body.derived.get(_REACH)
    if not isinstance(known, float):
        known = _reach(body, np.flatnonzero(body.triangle_bound > 0.0))
        body.derived[_REACH] = known
    return known


def _reach(body: Body, triangles: Ints) -> float:
    most = 0.0
    for begin in range(0, len(triangles), PORTION):
        some = triangles[begin : begin + PORTION]
        excess = _UNMEASURED * whole_triangles(body, some).bound - body.triangle_bound[some]
        most = max(most, float(excess.max()))
    return most


def _caps(body: Body) -> tuple[PartRows, Ints, Ints]:
    """Return the caps (c,) at the poles of a body, their triangles (n,), and the cap of each (n,)."""
    curved = np.flatnonzero(body.triangle_bound > 0.0)
    free = _free_parameters(body, body.triangle_face[curved], body.triangle_uv[curved])
    polar = np.flatnonzero(free.any(axis=(1, 2)))
    corner = free[polar].any(axis=2).argmax(axis=1)
    pole = free[polar, corner].argmax(axis=1)
    uv, each = body.triangle_uv[curved[polar]], np.arange(len(polar))
    ends = np.stack([uv[each, (corner + i) % 3] for i in (1, 2)], axis=1)
    wide = np.abs(ends[each, 0, pole] - ends[each, 1, pole]) > _ALIKE * (1.0 + np.abs(ends[each, 0, pole]))
    triangle, pole, uv, ends, corner = curved[polar][wide], pole[wide], uv[wide], ends[wide], corner[wide]
    each = np.arange(len(pole))
    at, far, turns = uv[each, corner, 1 - pole], ends[each, 0, 1 - pole], ends[each, :, pole]
    keys = np.stack([body.triangle_face[triangle], pole, at, far], axis=1)
    found, cap = np.unique(keys, axis=0, return_inverse=True)
    cap = cap.reshape(-1)
    parts = []
    for number, key in enumerate(found):
        mine = np.flatnonzero(cap == number)
        free_one = int(key[1])
        corners = np.empty((3, 2))
        corners[:, free_one] = [turns[mine].min(), turns[mine].min(), turns[mine].max()]
        corners[:, 1 - free_one] = [key[2], key[3], key[3]]
        parts.append(_cap(body, int(triangle[mine[0]]), free_one, corners))
    return PartRows.join([PartRows.room(0), *parts]), triangle, cap


def _free_parameters(body: Body, face: Ints, uv: Floats) -> Bools:
    """Return which parameters (k, 3, 2) of the corners of triangles on faces (k,) do not move the point."""
    free = np.zeros(uv.shape, dtype=np.bool_)
    owner = body.face_surface[face]
    for number in np.unique(owner).tolist():
        rows = np.flatnonzero(owner == number)
        index = np.repeat(body.face_index[face[rows]], 3)
        found = body.surfaces[number].derivatives(index, uv[rows].reshape(-1, 2))
        speed = np.sqrt(np.stack([dot(found.du, found.du), dot(found.dv, found.dv)], axis=1))
        speed = speed.reshape(-1, 3, 2)
        free[rows] = speed <= _POLE * speed.max(axis=(1, 2), keepdims=True)
    return free


def _cap(body: Body, triangle: int, pole: int, uv: Floats) -> PartRows:
    """Return one cap, by the parameters (3, 2) of its pole and of both ends of its border."""
    turn = np.linspace(uv[1, pole], uv[2, pole], 2 * _SECTORS + 1)
    out = uv[0, 1 - pole] + np.linspace(0.0, 1.0, _RINGS + 1)[1:] * (uv[1, 1 - pole] - uv[0, 1 - pole])
    every = np.empty((_RINGS, len(turn), 2))
    every[..., pole], every[..., 1 - pole] = turn, out[:, None]
    flat = np.concatenate([uv[:1], every.reshape(-1, 2)])
    points = body.face_points(np.full(len(flat), body.triangle_face[triangle]), flat)
    top, points = points[0], points[1:]
    border = points.reshape(_RINGS, -1, 3)[-1]
    normal = cross(border[:-1] - top, border[1:] - top).sum(axis=0)
    size = float(np.sqrt(normal @ normal))
    normal = normal / size if size > 0.0 else np.array([0.0, 0.0, 1.0])
    height = (points - top) @ normal
    beside = points - top - height[:, None] * normal
    radius = MARGIN * float(length(beside).max())
    low, high = min(float(height.min()), 0.0), max(float(height.max()), 0.0)
    first = border[0] - top - ((border[0] - top) @ normal) * normal
    first = first / max(float(np.sqrt(first @ first)), np.finfo(np.float64).tiny)
    around = np.cos(_EQUILATERAL)[:, None] * first + np.sin(_EQUILATERAL)[:, None] * cross(normal, first)
    rows = PartRows.room(1)
    rows.triangle[0], rows.pole[0], rows.uv[0], rows.normal[0] = triangle, pole, uv, normal
    rows.corners[0] = top + 0.5 * (low + high) * normal + 2.0 * radius * around
    rows.beyond[0] = 2.0 * radius
    rows.along[0] = _ROUNDING * float(np.abs(points).max())
    rows.across[0] = 0.5 * MARGIN * (high - low) + rows.along[0]
    return rows


def _parts_of_cap(body: Body, rows: PartRows) -> tuple[PartRows, PartRows]:
    """Return the smaller cap of one, and the sectors around that with what is measured at their sides."""
    triangle, pole, uv = int(rows.triangle[0]), int(rows.pole[0]), rows.uv[0]
    inner = uv.copy()
    inner[1:, 1 - pole] = 0.5 * (uv[0, 1 - pole] + uv[1:, 1 - pole])
    turn = np.linspace(uv[1, pole], uv[2, pole], _SECTORS + 1)
    corner = np.empty((2, len(turn), 2))  # at the smaller cap and at the border
    corner[..., pole] = turn
    corner[0, :, 1 - pole], corner[1, :, 1 - pole] = inner[1, 1 - pole], uv[1, 1 - pole]
    sides = [corner[0, :-1], corner[1, :-1], corner[1, 1:], corner[0, 1:]]
    both = [np.stack([sides[i] for i in three], axis=1) for three in ((0, 1, 2), (0, 2, 3))]
    made = PartRows.room(2 * _SECTORS)
    made.triangle[:], made.uv[:] = triangle, np.concatenate(both)
    face = np.full(3 * len(made.across), body.triangle_face[triangle])
    made.corners[:] = body.face_points(face, made.uv.reshape(-1, 2)).reshape(-1, 3, 3)
    made = with_middles(body, made)
    normal, across, along = measured_bounds(made)
    return _cap(body, triangle, pole, inner), replace(made, normal=normal, across=across, along=along)
