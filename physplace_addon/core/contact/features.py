"""Features of every dimension behind one face: where they are, how they run, how they bend, how to walk on
them.

A boundary is a complex of faces (dimension 2), edges (1) and vertices (0), DESIGN section 2.  The equations
of an interface point only ask a feature for

    P        its point,
    T_a      its orthonormal tangents (two for a face, one for an edge, none for a vertex; the rest is zero),
    d2P_ab   its second derivatives by arc length along them: h_ab N on a face, kappa on an edge,
    N        the outward normal of a face,

so a pair of any two kinds is one formula on zero-padded arrays.  Everything here is in the frame of the
world.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..bodies import Body
from ..rigid import Pose
from ..vectors import dot

VERTEX, EDGE, FACE = 0, 1, 2


@dataclass(frozen=True)
class FeatureGeometry:
    """k evaluated features, world frame.

    point (k, 3); tangents (k, 2, 3), zero rows beyond the feature's dimension; normal (k, 3), outward on
    faces and zero elsewhere; curvature (k, 2, 2), normal . d2P of faces, 1/length; bend_vector (k, 3), d2P
    of edges, 1/length.
    """

    point: Floats
    tangents: Floats
    normal: Floats
    curvature: Floats
    bend_vector: Floats

    def take(self, rows: Ints | Bools | slice) -> FeatureGeometry:
        """Return the given rows."""
        return FeatureGeometry(
            self.point[rows],
            self.tangents[rows],
            self.normal[rows],
            self.curvature[rows],
            self.bend_vector[rows],
        )

    @classmethod
    def empty(cls, count: int) -> FeatureGeometry:
        """Return room for that many features."""
        return cls(
            np.zeros((count, 3)),
            np.zeros((count, 2, 3)),
            np.zeros((count, 3)),
            np.zeros((count, 2, 2)),
            np.zeros((count, 3)),
        )

    def put(self, rows: Ints | Bools, part: FeatureGeometry) -> None:
        """Write `part` over some rows; only for whoever has just made this room."""
        for field in fields(self):
            getattr(self, field.name)[rows] = getattr(part, field.name)

    def seen_from(self, pose: Pose) -> FeatureGeometry:
        """Return the same features after a rigid motion of the frame they are given in."""
        return FeatureGeometry(
            pose.points(self.point),
            pose.vectors(self.tangents),
            pose.vectors(self.normal),
            self.curvature,
            pose.vectors(self.bend_vector),
        )

    def bend(self, direction: Floats) -> Floats:
        """Return direction . d2P, shape (k, 2, 2), for unit directions (k, 3)."""
        out = dot(direction, self.normal)[:, None, None] * self.curvature
        out[:, 0, 0] += dot(direction, self.bend_vector)
        return out


@dataclass(frozen=True)
class FeaturePoints:
    """k features of one body, each with the parameters of the point on it.

    dim (k,) holds VERTEX, EDGE or FACE; index (k,) the feature's number in the body; param (k, 2) holds (u,
    v) on a face, (t, unused) on an edge.  pose takes the body's frame to the world's; None means that they
    are the same.
    """

    body: Body
    pose: Pose | None
    dim: Ints
    index: Ints
    param: Floats

    def geometry(self) -> FeatureGeometry:
        """Evaluate all features, grouped by dimension."""
        k = len(self.dim)
        point, normal, bend_vector = np.zeros((k, 3)), np.zeros((k, 3)), np.zeros((k, 3))
        tangents, curvature = np.zeros((k, 2, 3)), np.zeros((k, 2, 2))
        for dim, rows in self._groups():
            index, param = self.index[rows], self.param[rows]
            if dim == FACE:
                face = self.body.face_geometry(index, param)
                point[rows], tangents[rows] = face.point, face.frame
                normal[rows], curvature[rows] = face.normal, face.curvature
            elif dim == EDGE:
                edge = self.body.edge_geometry(index, param[:, 0])
                point[rows], tangents[rows, 0], bend_vector[rows] = edge.point, edge.tangent, edge.curvature
            else:
                point[rows] = self.body.vertices[index]
        if self.pose is not None:
            turn = self.pose.matrix.T
            point, tangents, normal = self.pose.points(point), tangents @ turn, normal @ turn
            bend_vector = bend_vector @ turn
        return FeatureGeometry(point, tangents, normal, curvature, bend_vector)

    def moved(self, displacement: Floats) -> FeaturePoints:
        """Walk on each feature by the tangential part of a world displacement (k, 3), in its domain."""
        local = displacement if self.pose is None else displacement @ self.pose.matrix
        param = self.param.copy()
        for dim, rows in self._groups():
            index, here = self.index[rows], self.param[rows]
            if dim == FACE:
                param[rows] = self.body.face_move(index, here, local[rows])
            elif dim == EDGE:
                tangent = self.body.edge_geometry(index, here[:, 0]).tangent
                param[rows, 0] = self.body.edge_move(index, here[:, 0], dot(tangent, local[rows]))
        return replace(self, param=param)

    def take(self, rows: Ints | slice) -> FeaturePoints:
        """Return the features of the given rows."""
        return replace(self, dim=self.dim[rows], index=self.index[rows], param=self.param[rows])

    def _groups(self) -> list[tuple[int, Ints | slice]]:
        if len(self.dim) == 0:
            return []
        if (self.dim == self.dim[0]).all():
            return [(int(self.dim[0]), slice(None))]
        return [(int(dim), np.nonzero(self.dim == dim)[0]) for dim in np.unique(self.dim)]
