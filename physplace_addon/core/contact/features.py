"""Features of every dimension: their points, tangents and curvature, and motion along them.

A boundary is a complex of faces (dimension 2), edges (1) and vertices (0).  The equations of an interface
point need from a feature

    P        its point,
    T_a      its orthonormal tangents: two on a face, one on an edge, none at a vertex (the rest is zero),
    d2P_ab   its second derivatives by arc length along them: h_ab N on a face, kappa on an edge,
    N        the outward normal of a face.

So one formula on zero-padded arrays serves a pair of any two kinds.  Everything here is in the frame of the
contact, which is the frame of a pair's second body.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..arrays import SHARED, ArrayRecord, Floats, Ints
from ..bodies import Body
from ..bodies.topology import pieces_of
from ..rigid import Pose, Poses
from ..vectors import dot

VERTEX, EDGE, FACE = 0, 1, 2


@dataclass(frozen=True, eq=False)
class FeatureGeometry(ArrayRecord):
    """The local geometry of k features at one point of each.

    point (k, 3).
    tangents (k, 2, 3), unit and orthogonal; zero rows beyond the feature's dimension.
    normal (k, 3), unit and outward on faces, zero elsewhere.
    curvature (k, 2, 2), 1/length: normal . d2P of faces, zero elsewhere.
    curvature_vector (k, 3), 1/length: d2P of edges, zero elsewhere.
    """

    point: Floats
    tangents: Floats
    normal: Floats
    curvature: Floats
    curvature_vector: Floats

    @classmethod
    def empty(cls, count: int) -> FeatureGeometry:
        """Return arrays of zeros for `count` features, to be filled with `put`."""
        return cls(
            np.zeros((count, 3)),
            np.zeros((count, 2, 3)),
            np.zeros((count, 3)),
            np.zeros((count, 2, 2)),
            np.zeros((count, 3)),
        )

    def carried(self, poses: Poses) -> FeatureGeometry:
        """Return the features, each after a rigid motion of its own: k poses."""
        return FeatureGeometry(
            poses.points(self.point),
            poses.vectors(self.tangents),
            poses.vectors(self.normal),
            self.curvature,
            poses.vectors(self.curvature_vector),
        )

    def curvature_along(self, direction: Floats) -> Floats:
        """Return direction . d2P, shape (k, 2, 2), 1/length, for unit directions (k, 3)."""
        out = dot(direction, self.normal)[:, None, None] * self.curvature
        out[:, 0, 0] += dot(direction, self.curvature_vector)
        return out


@dataclass(frozen=True, eq=False)
class FeaturePoints(ArrayRecord):
    """Points on k features of one body.

    dim (k,): VERTEX, EDGE or FACE; piece (k,): the piece of the feature, a face, edge or vertex as the body
        numbers them.
    param (k, 2): (u, v) on a face, (t, unused) on an edge, unused at a vertex.
    pose: takes the body's frame to that of the contact, one for all or k poses; None is the identity.
    """

    body: Body = field(metadata=SHARED)
    pose: Pose | Poses | None
    dim: Ints
    piece: Ints
    param: Floats

    @property
    def index(self) -> Ints:
        """The features (k,) themselves: planar faces and straight edges by their first pieces."""
        return whole_features(self.body, self.dim, self.piece)

    def geometry(self) -> FeatureGeometry:
        """Return the geometry of all features at their points, in the frame of the contact."""
        k = len(self.dim)
        point, normal, curvature_vector = np.zeros((k, 3)), np.zeros((k, 3)), np.zeros((k, 3))
        tangents, curvature = np.zeros((k, 2, 3)), np.zeros((k, 2, 2))
        for dim, rows in self._rows_by_dimension():
            piece, param = self.piece[rows], self.param[rows]
            if dim == FACE:
                face = self.body.face_geometry(piece, param)
                point[rows], tangents[rows] = face.point, face.frame
                normal[rows], curvature[rows] = face.normal, face.curvature
            elif dim == EDGE:
                edge = self.body.edge_geometry(piece, param[:, 0])
                point[rows], tangents[rows, 0], curvature_vector[rows] = (
                    edge.point,
                    edge.tangent,
                    edge.curvature,
                )
            else:
                point[rows] = self.body.vertices[piece]
        if self.pose is not None:
            point, tangents = self.pose.points(point), self.pose.vectors(tangents)
            normal, curvature_vector = self.pose.vectors(normal), self.pose.vectors(curvature_vector)
        return FeatureGeometry(point, tangents, normal, curvature, curvature_vector)

    def in_own_frame(self, vectors: Floats) -> Floats:
        """Return vectors (k, 3) of the frame of the contact in that of the body."""
        if isinstance(self.pose, Poses):
            return self.pose.inverse().vectors(vectors)
        return vectors if self.pose is None else vectors @ self.pose.matrix

    def moved(self, displacement: Floats) -> FeaturePoints:
        """Return the points after geodesic tracing by a displacement (k, 3): only its tangential part counts.

        A point goes on over all pieces of its feature, and stops at its border; a vertex does not move.
        """
        local = self.in_own_frame(displacement)
        pieces, piece, param = pieces_of(self.body), self.piece.copy(), self.param.copy()
        for dim, rows in self._rows_by_dimension():
            start, here = self.piece[rows], self.param[rows]
            if dim == FACE:
                piece[rows], param[rows] = pieces.moved_on_faces(self.body, start, here, local[rows])
            elif dim == EDGE:
                tangent = self.body.edge_geometry(start, here[:, 0]).tangent
                along = dot(tangent, local[rows])
                piece[rows], param[rows, 0] = pieces.moved_on_edges(self.body, start, here[:, 0], along)
        return replace(self, piece=piece, param=param)

    def _rows_by_dimension(self) -> list[tuple[int, Ints | slice]]:
        if len(self.dim) == 0:
            return []
        if (self.dim == self.dim[0]).all():
            return [(int(self.dim[0]), slice(None))]
        return [(int(dim), np.nonzero(self.dim == dim)[0]) for dim in np.unique(self.dim)]


def whole_features(body: Body, dim: Ints, piece: Ints) -> Ints:
    """Return the features (k,) that pieces (k,) of dimensions dim (k,) are of: the numbers of their first
    pieces.
    """
    pieces, index = pieces_of(body), piece.copy()
    faces, edges = dim == FACE, dim == EDGE
    index[faces], index[edges] = pieces.face[piece[faces]], pieces.edge[piece[edges]]
    return index
