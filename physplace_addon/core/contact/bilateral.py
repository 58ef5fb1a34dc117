"""Bilateral contacts (Snyder 1995, section 4.2): they slide but may not separate, whatever force pulls.

A bilateral contact ties a feature of a moving body to another body.  Which feature of that other body it
meets may change as it slides.  Where a body's feature meets the other body at several places (a corner in a
corner of the room), the contact whose normal is most like the one before is the same contact.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..bodies import Body
from .features import EDGE, FACE, VERTEX
from .points.interface_points import FIXED, InterfacePoints

_SAME_NORMAL = 0.7  # least cosine between the normals of one contact in two states

NumberedPair = tuple[int, int]
"""Two bodies by number: the m moving ones come first, then the fixed ones in the order of the world."""


@dataclass(frozen=True, eq=False)
class BilateralContacts:
    """k bilateral contacts.

    Attributes:
        keys: (k, 4), for each contact body1, dim1, index1 and body2 of its interface point.
        normals: (k, 3), unit, in the frame of the second body, as they were last met.
    """

    keys: Ints
    normals: Floats

    def __len__(self) -> int:
        return len(self.keys)

    @classmethod
    def none(cls) -> BilateralContacts:
        """Return no contacts."""
        return cls(np.zeros((0, 4), np.intp), np.zeros((0, 3)))

    @classmethod
    def of(cls, points: InterfacePoints) -> BilateralContacts:
        """Return the contacts at interface points, which are in the frames of their second bodies."""
        return cls(_keys(points), points.normal)

    def rows(self, points: InterfacePoints) -> Ints:
        """Return the rows of these contacts among the points of a state, ascending; a contact that has slid
        off its feature has none.
        """
        keys, rows = _keys(points), []
        for key, normal in zip(self.keys, self.normals, strict=True):
            same = (keys == key).all(axis=1) & (points.normal @ normal > _SAME_NORMAL) & ~points.on_curve
            if same.any():
                candidates = np.nonzero(same)[0]
                rows.append(int(candidates[np.argmin(np.abs(points.gap[candidates]))]))
        return np.unique(np.array(rows, dtype=np.intp))

    def followed(self, points: InterfacePoints) -> BilateralContacts:
        """Return the same contacts as they are at the points of another state."""
        return BilateralContacts.of(points.take(self.rows(points))) if len(self) else self

    def with_all(self, points: InterfacePoints) -> BilateralContacts:
        """Return these contacts and those at the points, each once."""
        fresh = points.take(np.setdiff1d(np.arange(len(points)), self.rows(points)))
        return BilateralContacts(
            np.concatenate([self.keys, _keys(fresh)]), np.concatenate([self.normals, fresh.normal])
        )

    def without(self, points: InterfacePoints, rows: Ints) -> BilateralContacts:
        """Return these contacts but those at some rows of a state's points."""
        return BilateralContacts.of(points.take(np.setdiff1d(self.rows(points), rows)))

    def toggled(self, points: InterfacePoints, row: int) -> BilateralContacts:
        """Return these contacts with that at a row of a state's points added, or without it if it was one."""
        if row in self.rows(points):
            return self.without(points, np.array([row]))
        return self.with_all(points.take(np.array([row])))


def _keys(points: InterfacePoints) -> Ints:
    return np.stack([points.body1, points.dim1, points.index1, points.body2], axis=1)


def of_pairs(
    points: InterfacePoints, pairs: Collection[NumberedPair], count: int, world: Sequence[Body]
) -> Bools:
    """Return which points (k,) are between the two bodies of one of some pairs, in either order.

    Args:
        points: interface points of a contact system.
        pairs: pairs of body numbers, the `count` moving bodies first, then those of the world.
        count: m, the number of moving bodies.
        world: the fixed bodies, in the order in which the system was made of them.
    """
    second = np.where(points.body2 == FIXED, count + _part(points, world), points.body2)
    chosen: Bools = np.zeros(len(points), bool)
    for one, other in pairs:
        chosen |= (points.body1 == one) & (second == other) | (points.body1 == other) & (second == one)
    return chosen


def _part(points: InterfacePoints, world: Sequence[Body]) -> Ints:
    """Return the number (k,), among the fixed bodies, that the points' second feature belongs to, where the
    second body is fixed: features of a kind are numbered through all fixed bodies.
    """
    out = np.zeros(len(points), np.intp)
    counts = {
        FACE: [body.face_count for body in world],
        EDGE: [body.edge_count for body in world],
        VERTEX: [len(body.vertices) for body in world],
    }
    for dim, each in counts.items():
        rows = (points.body2 == FIXED) & (points.dim2 == dim)
        out[rows] = np.searchsorted(np.cumsum(each), points.index2[rows], side="right")
    return out
