"""Contact regions: where two bodies touch, as few pairs of entities as say it all.

Bouma and Vanecek 1991, section 5: a region x/y is a pair of entities, vertices, edges or faces, that touch.
It is a point, lies in a line or lies in a plane, and has one normal.  Of all pairs that touch, only those
are regions that neither bound nor lie in one of higher dimension (Definition 2).

A region may be disconnected: the same two faces may touch in several places.  It is one region all the same,
with one normal, and its points are the corners of the convex hull of all of it, since these carry any force
that the region can carry.  The points of a line are its two ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import ArrayRecord, Bools, Floats, Ints
from ...rigid import Pose
from ...vectors import dot
from ..features import FACE
from ..points.interface_points import FIXED, KIND_NAMES

NO_FACE = -1  # in place of a face's number
UNLABELLED = -1  # the label of a region or point that no `followed` has given one yet


@dataclass(frozen=True, eq=False)
class EntityPairs(ArrayRecord):
    """k pairs of an entity of body 1 and one of body 2.

    dim1, index1, dim2, index2 (k,): dimensions, and numbers in the bodies' topologies; where a feature is
    curved, numbers in the body itself.
    """

    dim1: Ints
    index1: Ints
    dim2: Ints
    index2: Ints

    def __len__(self) -> int:
        return len(self.dim1)

    @classmethod
    def none(cls) -> EntityPairs:
        """Return no pairs."""
        return cls(*(np.zeros(0, np.intp) for _ in range(4)))

    def swapped(self) -> EntityPairs:
        """Return the pairs with the bodies' roles exchanged."""
        return EntityPairs(self.dim2, self.index2, self.dim1, self.index1)


@dataclass(frozen=True, eq=False)
class RegionPoints(ArrayRecord):
    """m points of regions.

    region (m,): the row of each point's region; ascends.
    entities (m,): the two entities that meet in the point.
    point1, point2 (m, 3): the points on both bodies.
    label (m,): the point's label, stable through time and unique between two bodies; or UNLABELLED.
    """

    region: Ints
    entities: EntityPairs
    point1: Floats
    point2: Floats
    label: Ints

    def __len__(self) -> int:
        return len(self.region)

    @classmethod
    def none(cls) -> RegionPoints:
        """Return no points."""
        none, points = np.zeros(0, np.intp), np.zeros((0, 3))
        return cls(none, EntityPairs.none(), points, points, none)


@dataclass(frozen=True, eq=False)
class RegionRows(ArrayRecord):
    """r regions without their points.

    dimension (r,): 0, 1 or 2.
    entities (r,): the two entities x/y that touch.
    normal (r, 3): unit, from body 2 to body 1.
    face1, face2 (r,): the planar face of body 1 or of body 2 that gives the normal; NO_FACE for none.
    label (r,): stable through time and unique between two bodies; or UNLABELLED.
    temporary (r,): a contact that lasted from one state to the next, not one that is new.
    curved (r,): a region of interface points, with a curved feature.
    body1, body2 (r,): numbers of the moving bodies; body2 is FIXED where the second one stands still.
    """

    dimension: Ints
    entities: EntityPairs
    normal: Floats
    face1: Ints
    face2: Ints
    label: Ints
    temporary: Bools
    curved: Bools
    body1: Ints
    body2: Ints

    def __len__(self) -> int:
        return len(self.dimension)

    @classmethod
    def new(cls, dimension: Ints, entities: EntityPairs, normal: Floats, curved: bool = False) -> RegionRows:
        """Return regions (r,) between body 0 and the fixed ones that have no history yet."""
        r = len(dimension)
        flat = not curved
        of_second = flat & (entities.dim2 == FACE)
        of_first = flat & (entities.dim1 == FACE) & ~of_second
        return cls(
            dimension,
            entities,
            normal,
            np.where(of_first, entities.index1, NO_FACE),
            np.where(of_second, entities.index2, NO_FACE),
            np.full(r, UNLABELLED),
            np.zeros(r, bool),
            np.full(r, curved),
            np.zeros(r, np.intp),
            np.full(r, FIXED),
        )


@dataclass(frozen=True, eq=False)
class ContactRegions:
    """The contact regions of one or more pairs of bodies, each in the frame of the pair's second body.

    rows: the regions; points: their points, in the order of the regions.
    next_label: greater than all labels ever given.
    """

    rows: RegionRows
    points: RegionPoints
    next_label: int = 0

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def none(cls) -> ContactRegions:
        """Return no regions."""
        rows = RegionRows.new(np.zeros(0, np.intp), EntityPairs.none(), np.zeros((0, 3)))
        return cls(rows, RegionPoints.none())

    @property
    def dimension(self) -> Ints:
        """The dimension (r,) of each region: 0, 1 or 2."""
        return self.rows.dimension

    @property
    def normal(self) -> Floats:
        """The unit normal (r, 3) of each region, from body 2 to body 1."""
        return self.rows.normal

    @property
    def point_start(self) -> Ints:
        """The points of region i are the rows point_start[i] to point_start[i + 1] - 1; (r + 1,)."""
        counts = np.bincount(self.points.region, minlength=len(self))
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)

    @property
    def point_normals(self) -> Floats:
        """The normal (m, 3) of each point's region."""
        normals: Floats = self.rows.normal[self.points.region]
        return normals

    @property
    def gaps(self) -> Floats:
        """The signed gap (m,) at each point along the normal, a length; negative where it is dug in."""
        return dot(self.point_normals, self.points.point1 - self.points.point2)

    def points_of(self, region: int) -> RegionPoints:
        """Return the points of one region."""
        start = self.point_start
        return self.points.take(slice(int(start[region]), int(start[region + 1])))

    def kinds(self) -> list[str]:
        """Return the kind of each region, body 1 first: "face/edge"."""
        pairs = self.rows.entities
        names = zip(pairs.dim1.tolist(), pairs.dim2.tolist(), strict=True)
        return [f"{KIND_NAMES[first]}/{KIND_NAMES[second]}" for first, second in names]

    def take(self, chosen: Ints | Bools) -> ContactRegions:
        """Return some of the regions, numbers (n,) or a mask (r,), with their points."""
        rows = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen
        start = self.point_start
        counts = start[rows + 1] - start[rows]
        region = np.repeat(np.arange(len(rows)), counts)
        place = np.arange(len(region)) - np.repeat(np.cumsum(counts) - counts, counts) + start[rows][region]
        points = replace(self.points.take(place), region=region)
        return ContactRegions(self.rows.take(rows), points, self.next_label)

    @classmethod
    def join(cls, parts: Sequence[ContactRegions]) -> ContactRegions:
        """Return the regions of one or more parts, in their order."""
        shifts = np.cumsum([0, *(len(part) for part in parts)])
        points = [
            replace(part.points, region=part.points.region + shift)
            for part, shift in zip(parts, shifts[:-1].tolist(), strict=True)
        ]
        return cls(
            RegionRows.join([part.rows for part in parts]),
            RegionPoints.join(points),
            max(part.next_label for part in parts),
        )

    def between(self, body1: int, body2: int) -> ContactRegions:
        """Return these regions as those of two numbered bodies."""
        rows = replace(self.rows, body1=np.full(len(self), body1), body2=np.full(len(self), body2))
        return replace(self, rows=rows)

    def carried(self, poses: Sequence[Pose]) -> ContactRegions:
        """Return the regions in the world, those of each pair after the pose of its second body.

        poses: one for each moving body.
        """
        normal, point1, point2 = self.normal.copy(), self.points.point1.copy(), self.points.point2.copy()
        of_points = self.rows.body2[self.points.region]
        for body in np.unique(self.rows.body2[self.rows.body2 != FIXED]).tolist():
            mine, its = self.rows.body2 == body, of_points == body
            normal[mine] = poses[body].vectors(normal[mine])
            point1[its], point2[its] = poses[body].points(point1[its]), poses[body].points(point2[its])
        points = replace(self.points, point1=point1, point2=point2)
        return replace(self, rows=replace(self.rows, normal=normal), points=points)
