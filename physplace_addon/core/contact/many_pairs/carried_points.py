"""Interface points carried by their bodies: gaps and slips after a motion, without solving for the points.

Where nothing of either body is curved, the gap of the same two features after the bodies have moved has a
closed form.  The points p1 and p2, fixed to their bodies, stay on the features' planes and lines, so the gap
is n . (p1 - p2):

    a vertex over a face:    n goes with the body that has the face,
    two edges:               n is the direction of t1 x t2, t each edge's tangent.

Edges that are nearly parallel cross far away as soon as they turn a little.  There the feet are found, too,
p1 + d1 t1 and p2 + d2 t2 with

    d1 = (t2 x o) . n / |n|^2,    d2 = (t1 x o) . n / |n|^2,    o = p1 - p2, n = t1 x t2,

and where one leaves its edge there is no closed form.

A vertex beside an edge is away from it by the length of what p1 - p2 has across the edge, and from another
vertex by that of p1 - p2.

Slips are those of one point m of both bodies, between p1 and p2: forces at two points g apart, of opposite
directions, would turn the two together by g n x f.  The normal n goes with one body, w2, say.  So

    dp1 / dt - dp2 / dt - g w2 x n = V1(p1) - V2(p1),

which is the slip that a common turn of both leaves alone: m is the point on the body with which the normal
does not go.

What is curved rolls: its contact leaves the point m where it was, on both bodies.  A disk that rolls by an
angle t without a slip leaves its own a distance R (t - sin t) behind.  So there the motion of m is no slip.
Of points along a line of contact, which may slide along it while no body moves, the motion of m tells more of
the slip along the line: the gap of two faces hardly curves in this direction, but it does across.  Of points
of an area of contact it tells more in all directions.

Of other points it tells nothing about whether the features still face each other: their ends are not looked
at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...rigid import Poses
from ...vectors import cross, dot, length, unit
from ..features import EDGE, FACE, VERTEX, FeaturePoints
from ..points.interface_points import PARALLEL, SOFT, InterfacePoints
from ..points.iteration import eigen_2x2
from ..points.minimization import gap_expansion
from .placed_bodies import PlacedBodies

_CROSSING = 1e-3  # sine of the angle of two edges below which small turns change the normal much


@dataclass(frozen=True, eq=False)
class CarriedPoints:
    """k interface points whose features do not change while the bodies move.

    body1, body2 (k,): numbers of the bodies, FIXED for the world.
    own1, own2 (k, 3): the points in the frames of their bodies.
    common1, common2 (k, 3): the one point at which both slip, in the frames of both bodies.
    carrier (k,): the body that carries the normal, where it is a face's; own_normal (k, 3): in its frame.
    edges: which (k,) are two edges that cross; narrow: which are two that are nearly parallel; tangent1,
        tangent2 (k, 3): theirs, in the frames of their bodies, for which t1 x t2 looks along the normal.
    ends (k, 2, 2): how far the latter reach along the tangents from the first and from the second points,
        back (negative) and on.
    beside: which (k,) are a vertex beside an edge or a vertex; tangent1 + tangent2: of that edge, or 0, since
        a vertex has none.
    closed (k,): those whose gaps have a closed form.
    rolling (k,): those that roll over both of their bodies, on no area of contact.
    line (k, 3): the unit direction in the scene of the line of contact on which these do; 0 for no line.
    """

    body1: Ints
    body2: Ints
    own1: Floats
    own2: Floats
    common1: Floats
    common2: Floats
    carrier: Ints
    own_normal: Floats
    edges: Bools
    narrow: Bools
    ends: Floats
    beside: Bools
    tangent1: Floats
    tangent2: Floats
    closed: Bools
    rolling: Bools
    line: Floats

    @classmethod
    def of(cls, bodies: PlacedBodies, points: InterfacePoints) -> CarriedPoints:
        """Return points (k,), in the frame of the scene, as the bodies carry them from where they are."""
        back1, back2 = (bodies.frames.take(each).inverse() for each in (points.body1, points.body2))
        carrier = np.where(points.dim2 == FACE, points.body2, points.body1)
        curved = _curved(bodies)
        plain = ~(curved[points.body1] | curved[points.body2])
        tangent1, tangent2, sine = _tangents(bodies, points, plain)
        edges, narrow = sine > _CROSSING, (sine > PARALLEL) & (sine <= _CROSSING)
        beside = _beside(points) & plain
        common = common_points(bodies, points)
        over_face = (points.dim1 == VERTEX) & (points.dim2 == FACE)
        under_face = (points.dim1 == FACE) & (points.dim2 == VERTEX)
        alone, line = _alone(bodies, points), _lines(bodies, points, plain)
        rolling = (alone & (points.dim1 != VERTEX) & (points.dim2 != VERTEX)) | line.any(axis=1)
        return cls(
            points.body1,
            points.body2,
            back1.points(points.point1),
            back2.points(points.point2),
            back1.points(common),
            back2.points(common),
            carrier,
            bodies.frames.take(carrier).inverse().vectors(points.normal),
            edges,
            narrow,
            _ends(bodies, points, narrow, (tangent1, tangent2)),
            beside,
            tangent1,
            tangent2,
            plain & (edges | narrow | beside | over_face | under_face),
            ~plain & rolling,
            line,
        )

    def after(self, frames: Poses, chosen: Ints) -> tuple[Floats, Floats]:
        """Return the gaps (n,) of chosen points after a motion, NaN without a closed form, and how far the
        first body has moved against the second at their common points (n, 3).

        frames: the poses of all bodies then, with the fixed world's last.
        """
        body1, body2 = self.body1[chosen], self.body2[chosen]
        first, second = frames.take(body1), frames.take(body2)
        point1, point2 = first.points(self.own1[chosen]), second.points(self.own2[chosen])
        normal = frames.take(self.carrier[chosen]).vectors(self.own_normal[chosen])
        t1, t2 = first.vectors(self.tangent1[chosen]), second.vectors(self.tangent2[chosen])
        edges, beside = self.edges[chosen], self.beside[chosen]
        normal[edges] = unit(cross(t1[edges], t2[edges]))
        offset, tangent = point1 - point2, t1 + t2
        gaps = np.where(self.closed[chosen], dot(normal, offset), np.nan)
        across = offset[beside] - dot(offset, tangent)[beside, None] * tangent[beside]
        gaps[beside] = length(across)
        narrow = np.flatnonzero(self.narrow[chosen])
        if len(narrow):
            ends, sides = self.ends[chosen[narrow]], normal[narrow]
            gaps[narrow] = _gaps_of_narrow(t1[narrow], t2[narrow], offset[narrow], ends, sides)
        return gaps, self.common_after(frames, chosen) - second.points(self.common2[chosen])

    def common_after(self, frames: Poses, chosen: Ints) -> Floats:
        """Return where the first bodies have carried the common points (n, 3) of chosen points to."""
        return frames.take(self.body1[chosen]).points(self.common1[chosen])


def common_points(bodies: PlacedBodies, points: InterfacePoints) -> Floats:
    """Return the points (k, 3) of both bodies at which points (k,), in the frame of the scene, slip.

    A vertex slips on an edge, both on a face, and what is curved on what is flat.  Of two that are alike the
    smaller body's point counts more: over its radius the gap is more.
    """
    curved = _curved(bodies)
    radius = np.append(bodies.radii, np.inf)  # at last the fixed ones, as if they were infinitely large
    one, other = points.body1, points.body2
    first = (points.dim1 < points.dim2) | ((points.dim1 == points.dim2) & (curved[one] > curved[other]))
    second = (points.dim2 < points.dim1) | ((points.dim1 == points.dim2) & (curved[other] > curved[one]))
    alike = 1.0 / (1.0 + radius[one] / radius[other])
    share = np.where(first, 1.0, np.where(second, 0.0, alike))[:, None]
    common: Floats = share * points.point1 + (1.0 - share) * points.point2
    return common


def _curved(bodies: PlacedBodies) -> Bools:
    """Return which bodies (m + 1,) have something curved, the fixed world last."""
    every = (*bodies.bodies, bodies.fixed)
    return np.array([body is not None and not body.is_plain for body in every])


def _alone(bodies: PlacedBodies, points: InterfacePoints) -> Bools:
    """Return which points (k,) are held where they are by how the bodies curve apart."""
    held: Bools = ~points.on_curve & (points.softest * _lesser_radii(bodies, points) >= SOFT)
    return held


def _lesser_radii(bodies: PlacedBodies, points: InterfacePoints) -> Floats:
    """Return the radius (k,) of the smaller body of points (k,), lengths."""
    radius = np.append(bodies.radii, np.inf)
    return np.asarray(np.minimum(radius[points.body1], radius[points.body2]))


def _lines(bodies: PlacedBodies, points: InterfacePoints, plain: Bools) -> Floats:
    """Return unit directions (k, 3) in the scene of the lines of contact that points (k,) are on; 0 for none.

    They are the directions in which the gap of two faces hardly curves, where it does in the other one.
    """
    found, radius = np.zeros_like(points.normal), _lesser_radii(bodies, points)
    faces = (points.dim1 == FACE) & (points.dim2 == FACE) & ~plain
    rows = np.flatnonzero(faces & (points.softest * radius < SOFT))
    if len(rows) == 0:
        return found
    some, body = bodies.numbered_among_all(points.take(rows))
    first, second = (
        FeaturePoints(body, bodies.frames.take(number), dim, piece, param).geometry()
        for number, dim, piece, param in (
            (some.body1, some.dim1, some.piece1, some.param1),
            (some.body2, some.dim2, some.piece2, some.param2),
        )
    )
    values, vectors = eigen_2x2(gap_expansion(first, second, some.side).hessian)
    curved = values[:, 1] * radius[rows] >= SOFT
    along = (vectors[:, None, :, 0] @ first.tangents)[:, 0]
    found[rows[curved]] = along[curved]
    return found


def _beside(points: InterfacePoints) -> Bools:
    """Return which points (k,) are a vertex beside an edge or a vertex."""
    of_first = (points.dim1 == VERTEX) & (points.dim2 != FACE)
    found: Bools = of_first | ((points.dim2 == VERTEX) & (points.dim1 == EDGE))
    return found


def _gaps_of_narrow(t1: Floats, t2: Floats, offset: Floats, ends: Floats, sides: Floats) -> Floats:
    """Return the gaps (n,) of edges that are nearly parallel, NaN where a foot leaves its edge.

    Args:
        t1, t2: their tangents (n, 3).
        offset: from a point of the second to one of the first (n, 3).
        ends: (n, 2, 2) how far they reach from these points.
        sides: vectors (n, 3) on whose side the first one is.
    """
    across = cross(t1, t2)
    square = dot(across, across)
    crossing = square > PARALLEL**2
    square = np.where(crossing, square, 1.0)
    feet = np.stack([dot(cross(tangent, offset), across) / square for tangent in (t2, t1)], axis=1)
    inside = ((feet >= ends[:, :, 0]) & (feet <= ends[:, :, 1])).all(axis=1)
    gaps = np.copysign(1.0, dot(across, sides)) * dot(across, offset) / np.sqrt(square)
    return np.where(crossing & inside, gaps, np.nan)


def _tangents(bodies: PlacedBodies, points: InterfacePoints, plain: Bools) -> tuple[Floats, Floats, Floats]:
    """Return the tangents (k, 3) of edges of plain bodies, 0 for other features, in the frames of their
    bodies, and the sines (k,) of the angles between two of them; t1 x t2 looks along the normal.
    """
    tangent1, tangent2 = np.zeros_like(points.normal), np.zeros_like(points.normal)
    sine = np.zeros(len(points))
    rows = np.flatnonzero(((points.dim1 == EDGE) | (points.dim2 == EDGE)) & plain)
    if len(rows) == 0:
        return tangent1, tangent2, sine
    tangent1[rows], tangent2[rows] = bodies.tangents_of_edges(points.take(rows))
    pairs = ((points.body1, tangent1), (points.body2, tangent2))
    t1, t2 = (bodies.frames.take(body).vectors(tangent) for body, tangent in pairs)
    across = cross(t1, t2)
    sine = length(across)
    turned = (sine > 0.0) & (dot(across, points.normal) < 0.0)
    tangent1[turned] *= -1.0
    return tangent1, tangent2, sine


def _ends(
    bodies: PlacedBodies, points: InterfacePoints, narrow: Bools, tangents: tuple[Floats, Floats]
) -> Floats:
    """Return how far (k, 2, 2) both edges of narrow points (k,) reach back and on along their tangents."""
    found, rows = np.zeros((len(points), 2, 2)), np.flatnonzero(narrow)
    if len(rows):
        for side, reached in enumerate(bodies.ends_of_edges(points.take(rows))):
            along = (reached * tangents[side][rows, None]).sum(axis=2)
            found[rows, side] = np.sort(along, axis=1)
    return found
