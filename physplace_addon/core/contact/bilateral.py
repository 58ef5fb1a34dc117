"""Contacts that may not separate (Snyder 1995, section 4.2): they slide, but a force that pulls keeps them.

A sticky contact is a feature of a moving body held to another body: which feature of that one it meets may
change as it slides over it.  Where a body's feature meets the other at several places (a corner in a corner
of the room), the contact whose normal is most like the one before is the same one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from .points.interface_points import InterfacePoints

_SAME_WAY = 0.7  # cosine between the normals of one contact in two states


@dataclass(frozen=True, eq=False)
class Sticky:
    """k contacts: (k, 4) of body1, dim1, index1, body2, and the normals (k, 3) they were last met with."""

    keys: Ints
    normals: Floats

    def __len__(self) -> int:
        return len(self.keys)

    @classmethod
    def none(cls) -> Sticky:
        """Nothing sticks."""
        return cls(np.zeros((0, 4), np.intp), np.zeros((0, 3)))

    @classmethod
    def of(cls, points: InterfacePoints) -> Sticky:
        """Let contacts stick."""
        return cls(_keys(points), points.normal)

    def rows(self, points: InterfacePoints) -> Ints:
        """Return the rows, among the points of a state, of the contacts that stick; one that has slid off
        its feature is gone.
        """
        keys, rows = _keys(points), []
        for key, normal in zip(self.keys, self.normals, strict=True):
            same = (keys == key).all(axis=1) & (points.normal @ normal > _SAME_WAY) & ~points.held
            if same.any():
                candidates = np.nonzero(same)[0]
                rows.append(int(candidates[np.argmin(np.abs(points.gap[candidates]))]))
        return np.unique(np.array(rows, dtype=np.intp))

    def followed(self, points: InterfacePoints) -> Sticky:
        """The same contacts where they are now."""
        return Sticky.of(points.take(self.rows(points))) if len(self) else self


def _keys(points: InterfacePoints) -> Ints:
    return np.stack([points.body1, points.dim1, points.index1, points.body2], axis=1)
