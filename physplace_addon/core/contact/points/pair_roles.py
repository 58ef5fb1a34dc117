"""Two bodies seen from the side whose feature moves over the other's face."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Ints
from ...collision import closest_on_triangle
from ...rigid import Pose
from ...vectors import dot
from ..body_pair import BodyPair
from ..contact_body import ContactBody
from ..features import FACE, FeaturePoints
from ..row_lists import first_of_each_pair
from .interface_points import FIXED, InterfacePoints


@dataclass(frozen=True)
class PairRoles:
    """An body_pair seen from the side whose feature moves over the other's face.

    on_active: the mover is the active body's.
    """

    body_pair: BodyPair
    on_active: bool

    @property
    def mover(self) -> ContactBody:
        """The body whose feature moves."""
        return self.body_pair.active if self.on_active else self.body_pair.world

    @property
    def base(self) -> ContactBody:
        """The body whose face is moved over."""
        return self.body_pair.world if self.on_active else self.body_pair.active

    @property
    def mover_pose(self) -> Pose | None:
        """The mover's pose, None for the world's identity."""
        return self.body_pair.pose if self.on_active else None

    @property
    def base_pose(self) -> Pose | None:
        """The base's pose, None for the world's identity."""
        return None if self.on_active else self.body_pair.pose

    def mover_features(self, dim: int, index: Ints, param: Floats) -> FeaturePoints:
        """Features of the mover."""
        return FeaturePoints(self.mover.body, self.mover_pose, np.full(len(index), dim), index, param)

    def base_faces(self, index: Ints, param: Floats) -> FeaturePoints:
        """Faces of the base."""
        return FeaturePoints(self.base.body, self.base_pose, np.full(len(index), FACE), index, param)

    def points(self, mover: FeaturePoints, base: FeaturePoints) -> InterfacePoints:
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
    return order[first_of_each_pair(key_a[order], key_b[order])]


def uv_at(view: PairRoles, points: Floats, triangles: Ints, corners: Floats) -> Floats:
    """Return the base's parameters (k, 2) nearest to points (k, 3) on triangles (k,), corners (k, 3, 3)."""
    barycentric = closest_on_triangle(points, corners).barycentric
    return (barycentric[:, None, :] @ view.base.body.triangle_uv[triangles])[:, 0]
