"""Two prepared bodies and the pose of the first in the frame of the second.

The first is called *active*, the second the *world*; in a pair of two moving bodies the world is the second
body, in its own frame.  All positions of interface points and all normals are in that frame.

`BodyPairs` are rows of many pairs at once: what is computed of rows of features of one pair is computed of
rows of all pairs in the same way, with a pose and tolerances for each row.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..rigid import Pose, Poses
from ..vectors import dot
from .contact_body import ContactBody
from .features import EDGE, FACE, FeatureGeometry, FeaturePoints
from .points.interface_points import FIXED, InterfacePoints
from .row_lists import IndexPairs, distinct_pairs, row_keys

CONE_TOLERANCE = 1e-6  # sine of the angle by which a normal may leave a cone: above single-precision rounding
SIGN_TOLERANCE = 1e-7  # of R: rounding of single-precision input may push a feature so far through another


class _Outside:
    """What the faces of two bodies know of their outsides."""

    active: ContactBody
    world: ContactBody

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


@dataclass(frozen=True, eq=False)
class BodyPair(_Outside):
    """The active body at a pose in the world's frame.

    radius: the length R that tolerances are relative to.
    sign_tolerance: a length.  A gap of smaller size does not show by its sign on which side of each other two
    features are, since rounding may have pushed one through the other.
    cone_tolerance: sine of the angle by which the normal of two edges or vertices may leave their cones.
    derived: what is computed of the pair once and freed with it, by name.
    """

    active: ContactBody
    world: ContactBody
    pose: Pose
    radius: float
    sign_tolerance: float
    cone_tolerance: float = CONE_TOLERANCE
    derived: dict[str, object] = field(default_factory=dict, init=False, repr=False)

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

    def take(self, rows: Ints | Bools) -> BodyPair:
        """Return this pair: it is that of all rows."""
        return self

    def of_points(self, points: InterfacePoints) -> BodyPair:
        """Return this pair: all points are its own."""
        return self

    def each(self, lengths: float | Floats) -> float | Floats:
        """Return the length itself: the one pair's is that of all rows."""
        return lengths

    def numbers(self, count: int) -> IndexPairs:
        """Return the numbers of both bodies (k,) that points get until they are labelled."""
        return np.zeros(count, np.intp), np.full(count, FIXED)

    def distinct(self, a: Ints, b: Ints) -> tuple[BodyPair, Ints, Ints]:
        """Return the distinct pairs of features (m,) of rows (k,), ascending, and what pairs they are of."""
        return (self, *distinct_pairs(a, b))

    def moved_since(self, before: AnyPairs) -> float:
        """Return `farthest_displacement`."""
        assert isinstance(before, BodyPair)
        return farthest_displacement(before, self)

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


@dataclass(frozen=True, eq=False)
class PairTable:
    """Pairs of parts of one `ContactBody` in which bodies are joined, or of these and one other, p of them.

    first, second (p,): the numbers of the moving bodies, FIXED where the second ones stand still.
    poses: p poses, of the first body in the frame of the second.
    roots: the nodes (p,) of the tree below which the first and the second bodies are.
    radius, sign_tolerance (p,): lengths, as of a `BodyPair`.
    cone_tolerance: one for all.
    """

    first: Ints
    second: Ints
    poses: Poses
    roots: IndexPairs
    radius: Floats
    sign_tolerance: Floats
    cone_tolerance: float

    def numbers_of(self, points: InterfacePoints) -> Ints:
        """Return the number (k,) of the pair that each point is of."""
        width = 2 + int(self.second.max(initial=0))
        keys = self.first * width + self.second + 1
        order = np.argsort(keys)
        place = np.searchsorted(keys, points.body1 * width + points.body2 + 1, sorter=order)
        return order[place]


@dataclass(frozen=True, eq=False)
class BodyPairs(_Outside):
    """Rows of many pairs of bodies.

    active: a body in which the first bodies are joined.  world: the same one if the second ones are, too,
    else the one second body.  Features are numbered as in these.
    number (k,): the pair in the table that each row is of.
    """

    active: ContactBody
    world: ContactBody
    table: PairTable
    number: Ints

    @cached_property
    def pose(self) -> Poses:
        """The poses of the first bodies in the frames of the second ones, one for each row."""
        return self.table.poses.take(self.number)

    @property
    def radius(self) -> Floats:
        """R of each row (k,), a length."""
        return self.table.radius[self.number]

    @property
    def sign_tolerance(self) -> Floats:
        """The `BodyPair.sign_tolerance` of each row (k,), a length."""
        return self.table.sign_tolerance[self.number]

    @property
    def cone_tolerance(self) -> float:
        """The `BodyPair.cone_tolerance` of all rows."""
        return self.table.cone_tolerance

    def take(self, rows: Ints | Bools) -> BodyPairs:
        """Return the given rows."""
        return replace(self, number=self.number[rows])

    def of_points(self, points: InterfacePoints) -> BodyPairs:
        """Return the pairs that points are of, row by row."""
        return replace(self, number=self.table.numbers_of(points))

    def each(self, lengths: float | Floats) -> float | Floats:
        """Return for each row (k,) that of lengths of pairs (p,)."""
        return lengths[self.number] if isinstance(lengths, np.ndarray) else lengths

    def numbers(self, count: int) -> IndexPairs:
        """Return the numbers of both bodies (k,) of each row."""
        return self.table.first[self.number], self.table.second[self.number]

    def distinct(self, a: Ints, b: Ints) -> tuple[BodyPairs, Ints, Ints]:
        """Return the distinct pairs of features (m,) of rows (k,), ascending, and what pairs they are of."""
        rows = np.unique(row_keys(self.number, a, b), return_index=True)[1]
        return self.take(rows), a[rows], b[rows]

    def moved_since(self, before: AnyPairs) -> Floats:
        """Return the `farthest_displacement` of each pair (p,) since other poses of the same pairs."""
        assert isinstance(before, BodyPairs)
        return self.moved_from(before.table.poses)

    def moved_from(self, before: Poses) -> Floats:
        """Return the same since poses (p,) of the table's pairs."""
        nodes, tree = self.table.roots[0], self.active.tree
        ends = np.stack([tree.lower[nodes], tree.upper[nodes]])
        corners = np.stack([ends[_CORNERS[:, axis], :, axis] for axis in range(3)], axis=2).transpose(1, 0, 2)
        offset = self.table.poses.points(corners) - before.points(corners)
        farthest: Floats = np.sqrt(dot(offset, offset).max(axis=1))
        return farthest

    def first(self, points: InterfacePoints) -> FeaturePoints:
        """Return the first features of the points."""
        pose = self.of_points(points).pose
        return FeaturePoints(self.active.body, pose, points.dim1, points.piece1, points.param1)

    def second(self, points: InterfacePoints) -> FeaturePoints:
        """Return the second features of the points."""
        return FeaturePoints(self.world.body, None, points.dim2, points.piece2, points.param2)

    def evaluate(self, points: InterfacePoints) -> tuple[FeatureGeometry, FeatureGeometry]:
        """Return the geometry of both features of the points."""
        return self.first(points).geometry(), self.second(points).geometry()


AnyPairs = BodyPair | BodyPairs
"""One pair for all rows, or a pair for each."""

_CORNERS = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)])


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
