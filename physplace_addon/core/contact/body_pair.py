"""Two prepared bodies and the pose of the first in the frame of the second.

The first is called *active*, the second the *world*; in a pair of two moving bodies the world is the second
body, in its own frame.  All positions of interface points and all normals are in that frame.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..rigid import Pose
from ..vectors import dot
from .contact_body import ContactBody
from .features import EDGE, FACE, FeatureGeometry, FeaturePoints
from .points.interface_points import InterfacePoints

SIGN_TOLERANCE = 1e-7  # of R: rounding of single-precision input may push a feature so far through another


@dataclass(frozen=True, eq=False)
class BodyPair:
    """The active body at a pose in the world's frame.

    radius: the length R that tolerances are relative to.
    sign_tolerance: a length.  A gap of smaller size does not show by its sign on which side of each other two
    features are, since rounding may have pushed one through the other.
    """

    active: ContactBody
    world: ContactBody
    pose: Pose
    radius: float
    sign_tolerance: float

    @classmethod
    def of(cls, active: ContactBody, world: ContactBody, pose: Pose) -> BodyPair:
        """Return the pair of two prepared bodies; R is the active one's radius."""
        radius = active.body.radius
        return cls(active, world, pose, radius, SIGN_TOLERANCE * radius)

    def at(self, pose: Pose) -> BodyPair:
        """Return the same two bodies with the active one at another pose."""
        return replace(self, pose=pose)

    def displaced(self, x: Floats) -> BodyPair:
        """Return the pair after the active body has moved by x (6,) = (dX / R, dTheta), about its centre."""
        return self.at(self.pose.displaced(self.radius * x[:3], x[3:], self.centre))

    @property
    def is_plain(self) -> bool:
        """Whether nothing of either body is curved."""
        return self.active.is_plain and self.world.is_plain

    @property
    def centre(self) -> Floats:
        """The active body's centre of mass (3,)."""
        return self.pose.points(self.active.body.mass.center)

    def active_knows_outside(self, points: InterfacePoints) -> Bools:
        """Return which points (k,) are on a face of the active body whose normal is known to look outside."""
        trusted = np.zeros(len(points), bool)
        faces = points.dim1 == FACE
        trusted[faces] = self.active.trusted[points.index1[faces]]
        return trusted

    def knows_outside(self, points: InterfacePoints) -> Bools:
        """Return which points (k,) are over a base face whose normal is known to look outside.

        The base is the world's face if there is one, else the active body's.
        """
        on_world = points.dim2 == FACE
        trusted: Bools = self.active_knows_outside(points) & ~on_world
        trusted[on_world] = self.world.trusted[points.index2[on_world]]
        return trusted

    def side_is_certain(self, points: InterfacePoints) -> Bools:
        """Return which points' sides (k,) follow from a trusted normal of either face, at any distance."""
        certain = self.active_knows_outside(points)
        faces = points.dim2 == FACE
        certain[faces] |= self.world.trusted[points.index2[faces]]
        return certain

    def curve_feature(self, points: InterfacePoints) -> Ints:
        """Return a number (k,) for the feature along which each point's contact curve runs.

        It is the edge if there is one, else the face that is not flat.  Its partner may change along the
        curve, as the triangles of a floor do.
        """
        flat1 = self.active.flat_face(points.dim1, points.index1)
        on_active = (points.dim1 == EDGE) | ((points.dim2 == FACE) & ~flat1)
        dim = np.where(on_active, points.dim1, points.dim2)
        index = np.where(on_active, points.index1, points.index2)
        number: Ints = 2 * ((FACE + 1) * index + dim) + on_active
        return number

    def first(self, points: InterfacePoints) -> FeaturePoints:
        """Return the active body's features of the points."""
        return FeaturePoints(self.active.body, self.pose, points.dim1, points.piece1, points.param1)

    def second(self, points: InterfacePoints) -> FeaturePoints:
        """Return the world's features of the points."""
        return FeaturePoints(self.world.body, None, points.dim2, points.piece2, points.param2)

    def evaluate(self, points: InterfacePoints) -> tuple[FeatureGeometry, FeatureGeometry]:
        """Return the geometry of both features of the points."""
        return self.first(points).geometry(), self.second(points).geometry()


def farthest_displacement(before: BodyPair, now: BodyPair) -> float:
    """Return the farthest, a length, that any point of the active body has moved between two poses.

    The distance moved is a convex function of the place, so a corner of the body's box has moved farthest.
    """
    lower, upper = now.active.tree.lower[0], now.active.tree.upper[0]
    corners = np.array(np.meshgrid(*np.stack([lower, upper], axis=1))).reshape(3, -1).T
    offset = now.pose.points(corners) - before.pose.points(corners)
    return float(np.sqrt(dot(offset, offset).max()))


def displacement_since(before: BodyPair, now: BodyPair, at: Floats, on_active: bool) -> Floats:
    """Return how far (k,) points fixed in one body have moved against the other between two poses.

    Args:
        at: (k, 3) where the points are now.
        on_active: whether they are fixed in the active body, else in the world.
    """
    own = now.pose.inverse().points(at)
    offset = at - before.pose.points(own) if on_active else own - before.pose.inverse().points(at)
    distance: Floats = np.sqrt(dot(offset, offset))
    return distance
