"""Quadratic models of the parts of curved faces, with bounds of what they leave out.

A part (`surface_parts`) is known by its corners c_i and by points of the face over the middles of its sides.
Two functions of second order pass through these six points:

- *a map* of the barycentric coordinates l_i in the parameters (`part_rows`),

      x(l) = l_0 c_0 + l_1 c_1 + l_2 c_2 + 4 (l_0 l_1 d_01 + l_1 l_2 d_12 + l_2 l_0 d_20);

- *a height* over the plane of the part, by the barycentric coordinates m_i of a point's foot on that plane,

      h(m) = a_01 m_0 m_1 + a_12 m_1 m_2 + a_20 m_2 m_0,

  which tells of any point near the part how far it is above the face, whatever the parameters are.

What they leave out is of third order, where the deviation of a flat part is of second: it is measured at the
points over the middles of the sides of the part's own parts.  A function of fourth order that is 0 at all of
these and at the six is 0, and of a cubic one the largest value is at most 1.03 times what is measured.  Where
second derivatives jump at a line that cuts off a corner, these points may miss that, but those of the whole
that the part was cut from do not: so a quarter of what is measured there counts, too, which is twice of what
a cubic function gives.

Flat triangles and caps, and parts of which it would not be known better, have flat models.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ..arrays import ArrayRecord, Floats, Ints
from ..vectors import cross, dot, length
from .body import Body
from .part_rows import FIRST, MARGIN, PARTS, SECOND, PartRows
from .surface_parts import SurfaceParts

_OF_WHOLE: Final = 0.25  # of what is measured at the whole that a part was cut from
_CUBIC: Final = 8.0  # what that is over what is measured at the part, of cubic functions
_SKEWED: Final = 0.25  # determinant of products of coordinates, over that of true middles, of no heights
_ROLE: Final = "quadratic parts"

# Barycentric coordinates of the corners and of the middles of the sides of a part, and of the middles of the
# sides of its own parts (12, 3).
_NODES = np.concatenate([np.eye(3), 0.5 * (np.eye(3)[FIRST] + np.eye(3)[SECOND])])
_WITHIN = (0.5 * (_NODES[PARTS][:, FIRST] + _NODES[PARTS][:, SECOND])).reshape(-1, 3)


@dataclass(frozen=True, eq=False)
class QuadraticRows(ArrayRecord):
    """The models of k parts.

    sides (k, 3, 3): d_01, d_12, d_20, lengths, in the axes of the body.
    across, along (k,): how far the map is from the face at most, along the part's normal and in its plane,
        lengths.
    bulges (k, 3): a_01, a_12, a_20, lengths, along the part's normal.
    height (k,): how far the face is above or below the height over the part's plane at most, a length.
    """

    sides: Floats
    across: Floats
    along: Floats
    bulges: Floats
    height: Floats

    @classmethod
    def room(cls, count: int) -> QuadraticRows:
        """Return room for so many models."""
        return cls(
            np.zeros((count, 3, 3)),
            np.zeros(count),
            np.zeros(count),
            np.zeros((count, 3)),
            np.zeros(count),
        )


class QuadraticParts:
    """The models of the parts of one body, by the numbers of these, made as they are needed and kept."""

    def __init__(self, parts: SurfaceParts) -> None:
        """Begin with none."""
        self._parts = parts
        self._known = np.zeros(0, np.bool_)
        self._rows = QuadraticRows.room(0)
        self._errors = np.zeros((0, 3))  # measured, of `across`, `along` and `height`; NaN before that

    @classmethod
    def of(cls, body: Body, parts: SurfaceParts) -> QuadraticParts:
        """Return the models that a body keeps, whose parts these are."""
        known = body.derived.get(_ROLE)
        if isinstance(known, cls) and known._parts is parts:
            return known
        made = body.derived[_ROLE] = cls(parts)
        return made

    def rows(self, numbers: Ints) -> QuadraticRows:
        """Return the models of parts (k,)."""
        more = self._parts.room - len(self._known)
        if more > 0:
            self._known = np.concatenate([self._known, np.zeros(more, np.bool_)])
            self._rows = QuadraticRows.join([self._rows, QuadraticRows.room(more)])
            self._errors = np.concatenate([self._errors, np.full((more, 3), np.nan)])
        new = np.unique(numbers[~self._known[numbers]])
        if len(new):
            whole = self._parts.wholes(new)
            asked = np.unique(np.concatenate([new, whole[whole >= 0]]))
            self._measure(asked[np.isnan(self._errors[asked, 0])])
            self._bound(new, whole)
        return self._rows.take(numbers)

    def _measure(self, numbers: Ints) -> None:
        """Measure what models of parts (k,) leave out."""
        rows = self._parts.rows(numbers)
        self._errors[numbers] = np.stack([rows.across, rows.along, rows.across], axis=1)
        bent = (rows.pole < 0) & (rows.bound > 0.0)
        numbers, rows = numbers[bent], rows.take(bent)
        within = self._parts.rows(self._parts.children(numbers)[0]).middles
        found = _measured(rows, within.reshape(len(numbers), len(_WITHIN), 3))
        self._errors[numbers] = np.stack([found.across, found.along, found.height], axis=1)
        self._rows.put(numbers, found)

    def _bound(self, numbers: Ints, whole: Ints) -> None:
        """Bound what models of parts (k,), cut from wholes (k,), leave out, or make them flat."""
        own = self._errors[numbers]
        above = np.where(whole[:, None] >= 0, self._errors[whole], _CUBIC * own)
        across, along, height = (MARGIN * np.maximum(own, _OF_WHOLE * above) + self._parts.rounding).T
        flat, found = self._parts.rows(numbers), self._rows.take(numbers)
        mapped, risen = (across < flat.across) & (along <= flat.along), height < flat.across
        model = QuadraticRows(
            np.where(mapped[:, None, None], found.sides, 0.0),
            np.where(mapped, across, flat.across),
            np.where(mapped, along, flat.along),
            np.where(risen[:, None], found.bulges, 0.0),
            np.where(risen, height, flat.across),
        )
        self._rows.put(numbers, model)
        self._known[numbers] = True


def _measured(rows: PartRows, within: Floats) -> QuadraticRows:
    """Return models of parts (k,), with what they leave out at points (k, 12, 3) of faces over `_WITHIN`."""
    corners, normal = rows.corners, rows.normal
    sides = rows.middles - 0.5 * (corners[:, FIRST] + corners[:, SECOND])
    deviation = within - _WITHIN @ corners
    missed = deviation - 4.0 * _products(_WITHIN) @ sides
    across = dot(missed, normal[:, None])
    along = length(missed - across[..., None] * normal[:, None])
    over = _gradients(corners, normal).transpose(0, 2, 1)
    products = _products(_NODES[3:] + sides @ over)
    known = np.abs(np.linalg.det(products)) > _SKEWED / 4.0**3
    products[~known] = np.eye(3)
    bulges = np.asarray(np.linalg.solve(products, dot(sides, normal[:, None])[..., None])[..., 0], np.float64)
    risen = (_products(_WITHIN + deviation @ over) @ bulges[..., None])[..., 0]
    height = np.abs(dot(deviation, normal[:, None]) - risen).max(axis=1)
    return QuadraticRows(
        sides,
        np.abs(across).max(axis=1),
        along.max(axis=1),
        bulges,
        np.where(known, height, np.inf),
    )


def _products(coordinates: Floats) -> Floats:
    """Return m_0 m_1, m_1 m_2 and m_2 m_0 (..., 3) of barycentric coordinates (..., 3)."""
    products: Floats = coordinates[..., FIRST] * coordinates[..., SECOND]
    return products


def _gradients(corners: Floats, normal: Floats) -> Floats:
    """Return those (k, 3, 3) of the barycentric coordinates in the planes of triangles (k, 3, 3) with unit
    normals (k, 3); 0 where they have no area.
    """
    across = cross(normal[:, None], corners[:, [2, 0, 1]] - corners[:, [1, 2, 0]])
    height = dot(across, corners - corners[:, [1, 2, 0]])[..., None]
    gradients: Floats = np.divide(across, height, out=np.zeros_like(across), where=height > 0.0)
    return gradients
