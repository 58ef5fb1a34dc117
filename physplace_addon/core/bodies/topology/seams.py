"""Seams of curved faces: who borders whom, at which parameters, and how smoothly.

A seam is a side that two triangles of the tessellation share, where the faces on both sides differ, or where
one face goes on at other parameters: a crease, a join of two patches, the line on which a closed surface of
revolution begins and ends.  With outward normals n1 and n2 on both sides, and t along the side as the first
triangle runs through it, its exterior angle is atan2((n1 x n2) . t, n1 . n2): positive where the seam is
convex, zero where the tangent plane goes on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import ArrayRecord, Bools, Floats, Ints
from ...mesh.cleaning import weld
from ...mesh.edges import edge_table
from ...vectors import cross, dot, unit
from ..body import Body

_SAME = 1e-7  # of R: distance of points that are one, as joined patches take it
_GOES_ON = 1e-9  # of the parameters' size: difference at which a face goes on at the same ones
_SMOOTH = 2e-4  # radians: exterior angle of a seam over which the tangent plane goes on


@dataclass(frozen=True, eq=False)
class Seams(ArrayRecord):
    """s pieces of seams, each a side of two triangles, in the body's frame.

    triangles (s, 2): on both sides.  face (s, 2): their faces.
    places (s, 2, 3): the ends, in the order of the first triangle, scene units.
    uv (s, 2, 2, 2): the parameters on each face, first axis after s, of each end.
    angle (s,): the exterior angle, radians, of the end where it is larger in size.
    """

    triangles: Ints
    face: Ints
    places: Floats
    uv: Floats
    angle: Floats

    def __len__(self) -> int:
        return len(self.angle)

    @property
    def smooth(self) -> Bools:
        """Over which pieces (s,) the tangent plane goes on."""
        return np.asarray(np.abs(self.angle) <= _SMOOTH)


def seams_of(body: Body) -> Seams:
    """Return the seams of a body's curved faces, those with flat faces among them.

    Sides at a border, and those that more than two triangles share, are no seams.
    """
    points = body.triangles.reshape(-1, 3)
    number = weld(points, _SAME * body.radius)[1].reshape(-1, 3)
    edges = edge_table(number)
    first, second = edges.sides[edges.paired & (edges.balance == 0)].T
    triangles = np.stack([first // 3, second // 3], axis=1)
    uv = np.stack([_side_parameters(body, first), _side_parameters(body, second)[:, ::-1]], axis=1)
    face = body.triangle_face[triangles]
    scale = np.abs(uv).max(axis=(1, 2, 3), initial=1.0)
    apart = np.abs(uv[:, 0] - uv[:, 1]).max(axis=(1, 2)) > _GOES_ON * scale
    found = np.flatnonzero(((face[:, 0] != face[:, 1]) | apart) & ~body.face_flat[face].all(axis=1))
    places = np.stack([points[first[found]], points[_next_corner(first[found])]], axis=1)
    angle = _exterior_angles(body, face[found], uv[found], places)
    return Seams(triangles[found], face[found], places, uv[found], angle)


def _next_corner(corner: Ints) -> Ints:
    """Return the corners (k,), numbered three a triangle, that follow some."""
    following: Ints = corner - corner % 3 + (corner + 1) % 3
    return following


def _side_parameters(body: Body, corner: Ints) -> Floats:
    """Return the parameters (k, 2, 2) of both ends of the sides that begin at corners (k,)."""
    uv = body.triangle_uv.reshape(-1, 2)
    return np.stack([uv[corner], uv[_next_corner(corner)]], axis=1)


def _exterior_angles(body: Body, face: Ints, uv: Floats, places: Floats) -> Floats:
    """Return the exterior angles (s,), radians, of the end of each piece where it is larger in size."""
    shape = uv.shape[:3]
    every = np.broadcast_to(face[:, :, None], shape)
    normal = body.face_geometry(every.ravel(), uv.reshape(-1, 2)).normal.reshape(*shape, 3)
    along = unit(places[:, 1] - places[:, 0])[:, None]
    turn = cross(normal[:, 0], normal[:, 1])
    angle = np.arctan2(dot(turn, np.broadcast_to(along, turn.shape)), dot(normal[:, 0], normal[:, 1]))
    largest = np.abs(angle).argmax(axis=1)
    angles: Floats = angle[np.arange(len(angle)), largest]
    return angles
