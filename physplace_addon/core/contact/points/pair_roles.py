"""Two bodies seen from the side whose feature moves over the other's face."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Ints
from ...collision import closest_on_triangle
from ...rigid import Pose
from ..body_pair import ContactBody, Encounter
from ..features import FACE, Features, dot
from ..regions.candidates import unique_pairs
from .interface_points import FIXED, InterfacePoints


@dataclass(frozen=True)
class View:
    """An encounter seen from the side whose feature moves over the other's face.

    on_active: the mover is the active body's.
    """

    encounter: Encounter
    on_active: bool

    @property
    def mover(self) -> ContactBody:
        """The body whose feature moves."""
        return self.encounter.active if self.on_active else self.encounter.world

    @property
    def base(self) -> ContactBody:
        """The body whose face is moved over."""
        return self.encounter.world if self.on_active else self.encounter.active

    @property
    def mover_pose(self) -> Pose | None:
        """The mover's pose, None for the world's identity."""
        return self.encounter.pose if self.on_active else None

    @property
    def base_pose(self) -> Pose | None:
        """The base's pose, None for the world's identity."""
        return None if self.on_active else self.encounter.pose

    def mover_features(self, dim: int, index: Ints, param: Floats) -> Features:
        """Features of the mover."""
        return Features(self.mover.body, self.mover_pose, np.full(len(index), dim), index, param)

    def base_faces(self, index: Ints, param: Floats) -> Features:
        """Faces of the base."""
        return Features(self.base.body, self.base_pose, np.full(len(index), FACE), index, param)

    def points(self, mover: Features, base: Features) -> InterfacePoints:
        """Pair features into unsolved interface points (no positions, no gap)."""
        a, b = (mover, base) if self.on_active else (base, mover)
        k = len(a.dim)
        empty = np.zeros((k, 3))
        return InterfacePoints(
            a.dim,
            a.index,
            a.param,
            b.dim,
            b.index,
            b.param,
            np.ones(k),
            np.zeros(k, bool),
            np.full(k, np.inf),
            empty,
            empty,
            empty,
            np.zeros(k),
            np.zeros(k, np.intp),
            np.full(k, FIXED),
        )


def nearest_partner(key_a: Ints, key_b: Ints, points: Floats, partners: Floats) -> Ints:
    """For each distinct (key_a, key_b) return the row whose partner triangle (k, 3, 3) has the nearest
    centre.
    """
    offset = points - partners.mean(axis=1)
    order = np.argsort(dot(offset, offset), kind="stable")
    return order[unique_pairs(key_a[order], key_b[order])]


def uv_at(view: View, points: Floats, triangles: Ints, corners: Floats) -> Floats:
    """Return the base's parameters (k, 2) nearest to points (k, 3) on triangles (k,), corners (k, 3, 3)."""
    barycentric = closest_on_triangle(points, corners).barycentric
    return (barycentric[:, None, :] @ view.base.body.triangle_uv[triangles])[:, 0]
