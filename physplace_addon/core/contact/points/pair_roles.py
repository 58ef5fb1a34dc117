"""The roles of two bodies: the *mover*, whose feature moves over a face of the other one, the *base*.

Every search for seeds runs once in each of the two roles.  In the closed forms and equations the base is the
one whose outward normal is nu.
"""

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
from .interface_points import InterfacePoints


@dataclass(frozen=True)
class PairRoles:
    """A body pair in one of its two roles; on_active: the mover is the active body, else the world."""

    body_pair: BodyPair
    on_active: bool

    @property
    def mover(self) -> ContactBody:
        """The body whose feature moves."""
        return self.body_pair.active if self.on_active else self.body_pair.world

    @property
    def base(self) -> ContactBody:
        """The body over whose face it moves."""
        return self.body_pair.world if self.on_active else self.body_pair.active

    @property
    def mover_pose(self) -> Pose | None:
        """The mover's pose in the frame of the contact; None is the identity."""
        return self.body_pair.pose if self.on_active else None

    @property
    def base_pose(self) -> Pose | None:
        """The base's pose in the frame of the contact; None is the identity."""
        return None if self.on_active else self.body_pair.pose

    def mover_features(self, dim: int, index: Ints, param: Floats) -> FeaturePoints:
        """Return points on features (k,) of the mover, all of one dimension, at parameters (k, 2)."""
        return FeaturePoints(self.mover.body, self.mover_pose, np.full(len(index), dim), index, param)

    def base_faces(self, index: Ints, param: Floats) -> FeaturePoints:
        """Return points on faces (k,) of the base at parameters (k, 2)."""
        return FeaturePoints(self.base.body, self.base_pose, np.full(len(index), FACE), index, param)

    def points(self, mover: FeaturePoints, base: FeaturePoints) -> InterfacePoints:
        """Return the unsolved interface points of pairs of features (k)."""
        return (
            InterfacePoints.unsolved(mover, base) if self.on_active else InterfacePoints.unsolved(base, mover)
        )


def nearest_partner(key_a: Ints, key_b: Ints, points: Floats, partners: Floats) -> Ints:
    """Return for each distinct (key_a, key_b) the row whose partner triangle has the nearest centre.

    points (k, 3); partners (k, 3, 3), the corners of the triangles.
    """
    offset = points - partners.mean(axis=1)
    order = np.argsort(dot(offset, offset), kind="stable")
    return order[first_of_each_pair(key_a[order], key_b[order])]


def closest_parameters(roles: PairRoles, points: Floats, triangles: Ints, corners: Floats) -> Floats:
    """Return the parameters (k, 2) of the base's faces at the points of triangles closest to given points.

    points (k, 3); triangles (k,) of the base and their corners (k, 3, 3) in the frame of the contact.
    """
    barycentric = closest_on_triangle(points, corners).barycentric
    return (barycentric[:, None, :] @ roles.base.body.triangle_uv[triangles])[:, 0]
