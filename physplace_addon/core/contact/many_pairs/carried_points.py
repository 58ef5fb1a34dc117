"""Interface points carried by their bodies: gaps and slips after a motion, without solving for the points.

Where both features are flat, the gap of the same two after the bodies have moved has a closed form.  The
points p1 and p2, fixed to their bodies, stay on the features' planes and lines, so the gap is n . (p1 - p2):

    a vertex over a face:    n goes with the body that has the face,
    two edges:               n is the direction of t1 x t2, t each edge's tangent.

A vertex beside an edge is away from it by the length of what p1 - p2 has across the edge, and from another
vertex by that of p1 - p2.

It tells nothing about whether the features still face each other: their ends are not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...rigid import Poses
from ...vectors import cross, dot, length, unit
from ..features import EDGE, FACE, VERTEX
from ..points.interface_points import InterfacePoints
from .placed_bodies import PlacedBodies

_CROSSING = 1e-3  # sine of the angle of two edges below which small turns change the normal much


@dataclass(frozen=True, eq=False)
class CarriedPoints:
    """k interface points whose features do not change while the bodies move.

    body1, body2 (k,): numbers of the bodies, FIXED for the world.
    point1, point2 (k, 3): where they were found, in the frame of the scene.
    own1, own2 (k, 3): the points in the frames of their bodies.
    carrier (k,): the body that carries the normal, where it is a face's; own_normal (k, 3): in its frame.
    edges: which (k,) are two edges that cross; tangent1, tangent2 (k, 3): theirs, in the frames of their
        bodies, for which t1 x t2 looks along the normal.
    beside: which (k,) are a vertex beside an edge or a vertex; tangent1 + tangent2: of that edge, or 0, since
        a vertex has none.
    closed (k,): those whose gaps have a closed form.
    """

    body1: Ints
    body2: Ints
    point1: Floats
    point2: Floats
    own1: Floats
    own2: Floats
    carrier: Ints
    own_normal: Floats
    edges: Bools
    beside: Bools
    tangent1: Floats
    tangent2: Floats
    closed: Bools

    @classmethod
    def of(cls, bodies: PlacedBodies, points: InterfacePoints) -> CarriedPoints:
        """Return points (k,), in the frame of the scene, as the bodies carry them from where they are."""
        back1, back2 = (bodies.frames.take(each).inverse() for each in (points.body1, points.body2))
        carrier = np.where(points.dim2 == FACE, points.body2, points.body1)
        joined = bodies.between_joined(points)
        tangent1, tangent2, edges = _tangents(bodies, points, joined)
        beside = _beside(points) & joined
        over_face = (points.dim1 == VERTEX) & (points.dim2 == FACE)
        under_face = (points.dim1 == FACE) & (points.dim2 == VERTEX)
        return cls(
            points.body1,
            points.body2,
            points.point1,
            points.point2,
            back1.points(points.point1),
            back2.points(points.point2),
            carrier,
            bodies.frames.take(carrier).inverse().vectors(points.normal),
            edges,
            beside,
            tangent1,
            tangent2,
            joined & (edges | beside | over_face | under_face),
        )

    def after(self, frames: Poses, chosen: Ints) -> tuple[Floats, Floats]:
        """Return the gaps (n,) of chosen points after a motion, NaN without a closed form, and how far the
        first body's points have moved against those of the second (n, 3).

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
        return gaps, (point1 - self.point1[chosen]) - (point2 - self.point2[chosen])


def _beside(points: InterfacePoints) -> Bools:
    """Return which points (k,) are a vertex beside an edge or a vertex."""
    of_first = (points.dim1 == VERTEX) & (points.dim2 != FACE)
    found: Bools = of_first | ((points.dim2 == VERTEX) & (points.dim1 == EDGE))
    return found


def _tangents(bodies: PlacedBodies, points: InterfacePoints, joined: Bools) -> tuple[Floats, Floats, Bools]:
    """Return the tangents (k, 3) of edges of joined bodies, 0 for other features, in the frames of their
    bodies, and which points (k,) are of two edges that cross; t1 x t2 of these looks along the normal.
    """
    tangent1, tangent2 = np.zeros_like(points.normal), np.zeros_like(points.normal)
    rows = np.flatnonzero(((points.dim1 == EDGE) | (points.dim2 == EDGE)) & joined)
    if len(rows) == 0:
        return tangent1, tangent2, np.zeros(len(points), bool)
    tangent1[rows], tangent2[rows] = bodies.tangents_of_edges(points.take(rows))
    pairs = ((points.body1, tangent1), (points.body2, tangent2))
    t1, t2 = (bodies.frames.take(body).vectors(tangent) for body, tangent in pairs)
    across = cross(t1, t2)
    crossing: Bools = dot(across, across) > _CROSSING**2
    tangent1[crossing] *= np.sign(dot(across, points.normal))[crossing, None]
    return tangent1, tangent2, crossing
