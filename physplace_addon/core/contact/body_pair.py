"""How far faces that count as flat bend after all: quadrilaterals in single precision are two triangles whose
planes differ by rounding.

Such an edge is no feature (mesh_features.FLAT), so nothing keeps an edge of another body, that lies along
the face, from dipping into it where the face bends away: by no more than the sine of the bend times how far
the two reach beside each other. That is no overlap that a smaller step could avoid.

Two bodies prepared for contact, and the pose in which they meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..bodies import Body, merge
from ..collision import BoxTree, Directions, join, remember, tree_of
from ..mesh.edges import edge_table
from ..mesh.features import FLAT
from ..rigid import Pose
from ..surfaces.flat import Segments
from .features import EDGE, FACE, FeatureGeometry, Features, dot
from .normal_bounds import directions_of, edge_spreads, vertex_spreads
from .points.interface_points import InterfacePoints


def bends_of(body: Body, flat: Bools) -> Floats:
    """For each triangle (t,) the largest sine, up to FLAT, of its angles with its neighbours; flat (t,):
    which are of flat faces. Others have none.
    """
    bends = np.zeros(len(flat))
    rows = np.flatnonzero(flat)
    edges = edge_table(body.triangle_corners[rows])
    pairs = edges.faces[edges.paired]
    a, b, c = body.triangles[rows].transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    normal /= np.sqrt(np.einsum("ti,ti->t", normal, normal))[:, None]
    turn = np.cross(normal[pairs[:, 0]], normal[pairs[:, 1]])
    sine = np.sqrt(np.einsum("ti,ti->t", turn, turn))
    for side in pairs.T:
        np.maximum.at(bends, rows[side], np.where(sine <= FLAT, sine, 0.0))
    return bends


SIDE_IS_SURE = 1e-7  # gap / R above which the distance tells the side


@dataclass(frozen=True, eq=False)
class Owned:
    """Which features (segments or vertices) each triangle owns, row-compressed: items[start[t]:start[t +
    1]].
    """

    start: Ints
    items: Ints

    @classmethod
    def of(cls, items: Ints, owner: Ints, triangle_count: int) -> Owned:
        """Invert `owner` (n,), the triangle of each of `items` (n,)."""
        counts = np.bincount(owner, minlength=triangle_count)
        start = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
        return cls(start, items[np.argsort(owner, kind="stable")])

    @cached_property
    def owns(self) -> Bools:
        """Which triangles (t,) own any."""
        owns: Bools = np.diff(self.start) > 0
        return owns

    def of_triangles(self, triangles: Ints) -> tuple[Ints, Ints]:
        """Return (row (m,), item (m,)): every item owned by triangles[row]."""
        counts = self.start[triangles + 1] - self.start[triangles]
        row = np.repeat(np.arange(len(triangles)), counts)
        first = np.repeat(self.start[triangles] - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
        return row, self.items[first + np.arange(len(row))]


@dataclass(frozen=True, eq=False)
class ContactBody:
    """A body with what contact asks of it again and again.

    trusted (nf,): the face belongs to a closed, oriented solid, so its normal says which side is outside.
    straight (ne,): the edge is a straight segment.  triangle_flat (t,): the triangle is of a flat face;
    triangle_plain (t,): and owns no bent edge; triangle_size (t,): longest side.  segments, vertices: what
    each triangle owns; bent edges and straight ones apart, as their pairs are found in different ways.
    """

    body: Body
    tree: BoxTree
    trusted: Bools
    straight: Bools
    triangle_flat: Bools
    triangle_plain: Bools
    triangle_size: Floats
    segments: Owned
    straight_segments: Owned
    vertices: Owned

    @cached_property
    def is_plain(self) -> bool:
        """Whether nothing of it is curved."""
        return bool(self.triangle_plain.all())

    @cached_property
    def farthest_bound(self) -> float:
        """The largest of the bounds of its triangles' distance from the true surface."""
        return float(self.body.triangle_bound.max())

    @cached_property
    def bends(self) -> Floats:
        """`bends_of` (t,)."""
        return bends_of(self.body, self.triangle_flat)

    @cached_property
    def has_flat_parts(self) -> bool:
        """Whether it has a flat face, a straight edge or a vertex."""
        return bool(self.triangle_flat.any() or self.straight.any() or len(self.body.vertices))

    @cached_property
    def directions(self) -> Directions:
        """In which directions its flat features can be met."""
        return directions_of(self)

    @cached_property
    def edge_spreads(self) -> Floats:
        """`directions.edge_spreads` (e, 3)."""
        return edge_spreads(self)

    @cached_property
    def vertex_spreads(self) -> Floats:
        """`directions.vertex_spreads` (v, 3)."""
        return vertex_spreads(self)

    @cached_property
    def triangle_hulled(self) -> Bools:
        """Which triangles (t,) may miss waves of their faces, which hulls tell of."""
        body = self.body
        owner, uv = body.face_surface[body.triangle_face], body.triangle_uv
        hulled = np.zeros(len(owner), bool)
        for number, surface in enumerate(body.surfaces):
            if surface.has_hulls:
                rows = np.flatnonzero(owner == number)
                face = body.face_index[body.triangle_face[rows]]
                hulled[rows] = surface.may_wave(face, uv[rows].min(axis=1), uv[rows].max(axis=1))
        return hulled

    @cached_property
    def triangle_centre(self) -> Floats:
        """The triangles' centres (t, 3) in the body's frame."""
        centre: Floats = self.body.triangles.mean(axis=1)
        return centre

    @classmethod
    def of(cls, bodies: Sequence[Body]) -> ContactBody:
        """Prepare one body, or several that never move against each other (the world)."""
        body = bodies[0]
        if len(bodies) > 1:
            body = merge(list(bodies), "world", bodies[0].mass)  # it stands still, whatever it weighs
            remember(body, join(*(tree_of(part) for part in bodies)))
        trusted = np.repeat([b.closed for b in bodies], [len(b.face_surface) for b in bodies])
        straight_curve = np.array([isinstance(curve, Segments) for curve in body.curves], dtype=bool)
        straight = straight_curve[body.edge_curve] if len(straight_curve) else np.zeros(0, bool)
        side = body.triangles - np.roll(body.triangles, 1, axis=1)
        count = len(body.triangles)
        flat = body.face_flat[body.triangle_face]
        plain = flat.copy()
        plain[body.segment_owner[~straight[body.segment_edge]]] = False
        every, lines = np.arange(len(body.segments)), np.nonzero(straight[body.segment_edge])[0]
        return cls(
            body,
            tree_of(body),
            trusted,
            straight,
            flat,
            plain,
            np.sqrt(dot(side, side).max(axis=1)),
            Owned.of(every, body.segment_owner, count),
            Owned.of(lines, body.segment_owner[lines], count),
            Owned.of(np.arange(len(body.vertices)), body.vertex_owner, count),
        )


@dataclass(frozen=True, eq=False)
class Encounter:
    """The active body at a pose among the world, and the length R that tolerances are relative to.

    sure: the gap, a length, above which the distance of two features tells on which side they are; below it,
    rounding may have pushed one through the other.
    """

    active: ContactBody
    world: ContactBody
    pose: Pose
    radius: float
    sure: float

    @classmethod
    def of(cls, active: ContactBody, world: ContactBody, pose: Pose) -> Encounter:
        """Return the encounter of two prepared bodies; R is the active one's radius."""
        radius = active.body.radius
        return cls(active, world, pose, radius, SIDE_IS_SURE * radius)

    def at(self, pose: Pose) -> Encounter:
        """Return the same two bodies with the active one elsewhere."""
        return replace(self, pose=pose)

    @property
    def is_plain(self) -> bool:
        """Whether nothing of either body is curved."""
        return self.active.is_plain and self.world.is_plain

    @property
    def centre(self) -> Floats:
        """The active body's centre of mass (3,) in the world."""
        return self.pose.points(self.active.body.mass.center)

    def displaced(self, x: Floats) -> Encounter:
        """Move the active body by x (6,) = (dX / R, dTheta): about its centre of mass."""
        return self.at(self.pose.displaced(self.radius * x[:3], x[3:], self.centre))

    def active_knows_outside(self, points: InterfacePoints) -> Bools:
        """Tell which points are on a face of the active body that knows its outside, shape (k,)."""
        trusted = np.zeros(len(points), bool)
        faces = points.dim1 == FACE
        trusted[faces] = self.active.trusted[points.index1[faces]]
        return trusted

    def knows_outside(self, points: InterfacePoints) -> Bools:
        """Tell which points over a face are over one that knows its outside, shape (k,)."""
        on_world = points.dim2 == FACE
        trusted: Bools = self.active_knows_outside(points) & ~on_world
        trusted[on_world] = self.world.trusted[points.index2[on_world]]
        return trusted

    def side_is_certain(self, points: InterfacePoints) -> Bools:
        """Tell which points' sides follow from a trusted normal, whatever the distance, shape (k,)."""
        certain = self.active_knows_outside(points)
        faces = points.dim2 == FACE
        certain[faces] |= self.world.trusted[points.index2[faces]]
        return certain

    def sampled_feature(self, points: InterfacePoints) -> Ints:
        """Number the feature (k,) along which each point's contact curve runs: the edge if there is one, else
        the face that is not flat.  Its partner may change on the way, as triangles of a floor do.
        """
        flat1 = np.zeros(len(points), bool)
        faces = points.dim1 == FACE
        flat1[faces] = self.active.body.face_flat[points.index1[faces]]
        on_active = (points.dim1 == EDGE) | ((points.dim2 == FACE) & ~flat1)
        dim = np.where(on_active, points.dim1, points.dim2)
        index = np.where(on_active, points.index1, points.index2)
        number: Ints = 2 * ((FACE + 1) * index + dim) + on_active
        return number

    def first(self, points: InterfacePoints) -> Features:
        """The active body's features of the points."""
        return Features(self.active.body, self.pose, points.dim1, points.index1, points.param1)

    def second(self, points: InterfacePoints) -> Features:
        """The world's features of the points."""
        return Features(self.world.body, None, points.dim2, points.index2, points.param2)

    def evaluate(self, points: InterfacePoints) -> tuple[FeatureGeometry, FeatureGeometry]:
        """Evaluate both features of the points."""
        return self.first(points).geometry(), self.second(points).geometry()
