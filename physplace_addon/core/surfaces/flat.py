"""Flat faces and straight edges: triangles as one surface with many faces, segments as one curve.

Face i is S(u, v) = c0 + u (c1 - c0) + v (c2 - c0) on u, v >= 0, u + v <= 1, so (u, v) are the barycentric
weights of its second and third corner.  Tangents a, b have the reciprocal basis a* = b x N / |N|^2 and b* = N
x a / |N|^2 with N = a x b, which gives the parameters of a displacement: du = a* . d, dv = b* . d.

Edge i is C(t) = a + t (b - a), t from 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import ArrayRecord, Floats, Ints
from ..vectors import cross, dot, length, unit
from .base import Curve, Surface
from .geometry import Derivatives, EdgeGeometry, FaceGeometry

# Parameters at which the three sides of a triangle start.
_STARTS = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
_SIDES = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 1.0]])  # how the parameters change along each side


@dataclass(frozen=True, eq=False)
class Triangles(ArrayRecord, Surface):
    """Flat triangular faces, corners (t, 3, 3), scene units.

    orientation (t,): +1 where the outward normal is that of the corners' right-handed order, -1 where it is
    the opposite one.  After a mirroring map it is -1, so that (u, v) keep their corners.
    """

    corners: Floats
    orientation: Floats

    @classmethod
    def from_corners(cls, corners: ArrayLike) -> Triangles:
        """Return faces whose outward normals are those of their corners' right-handed order, corners (t, 3,
        3).
        """
        array = np.asarray(corners, dtype=np.float64).reshape(-1, 3, 3)
        return cls(array, np.broadcast_to(np.float64(1.0), (len(array),)))

    @property
    def face_count(self) -> int:
        """The number of triangles."""
        return len(self.corners)

    @property
    def flat(self) -> bool:
        """Always true."""
        return True

    def derivatives(self, face: Ints, uv: Floats) -> Derivatives:
        """Return the point, the two sides as first derivatives, and zero second derivatives, each (k, 3)."""
        origin, along_u, along_v = self._sides(face)
        point = origin + uv[:, :1] * along_u + uv[:, 1:] * along_v
        zero = np.zeros_like(point)
        return Derivatives(point, along_u, along_v, zero, zero, zero)

    def geometry(self, face: Ints, uv: Floats) -> FaceGeometry:
        """Return points (k, 3), frames (k, 2, 3), outward normals (k, 3), and zero curvature (k, 2, 2)."""
        origin, along_u, along_v = self._sides(face)
        point = origin + uv[:, :1] * along_u + uv[:, 1:] * along_v
        normal = cross(along_u, along_v)
        normal *= (self.orientation[face] / length(normal))[:, None]
        frame = np.empty((len(face), 2, 3))
        frame[:, 0] = unit(along_u)
        frame[:, 1] = cross(normal, frame[:, 0])
        return FaceGeometry(point, frame, normal, np.zeros((len(face), 2, 2)))

    def move(self, face: Ints, uv: Floats, displacement: Floats) -> Floats:
        """Return the parameters (k, 2) of the point of each triangle closest to point(uv) + displacement,
        exactly.
        """
        _, along_u, along_v = self._sides(face)
        normal = cross(along_u, along_v)
        step = np.empty_like(uv)
        step[:, 0] = dot(cross(along_v, normal), displacement)
        step[:, 1] = dot(cross(normal, along_u), displacement)
        step /= dot(normal, normal)[:, None]
        return closest_in_triangles(along_u, along_v, uv + step)

    def transformed(self, affine: Floats) -> Triangles:
        """Return the triangles after an affine map (4, 4): the same (u, v) name the images of the same
        points.
        """
        corners = (self.corners.reshape(-1, 3) @ affine[:3, :3].T + affine[:3, 3]).reshape(-1, 3, 3)
        sign = np.sign(np.linalg.det(affine[:3, :3]))
        return Triangles(corners, self.orientation * sign)

    def _sides(self, face: Ints) -> tuple[Floats, Floats, Floats]:
        corners = self.corners[face]
        return corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]


def closest_in_triangles(along_u: Floats, along_v: Floats, uv: Floats) -> Floats:
    """Return the parameters (k, 2) of the points of triangles closest to points (k, 2) of their planes.

    Parameters inside come back unchanged.

    Args:
        along_u: the sides (k, 3) from the first to the second corner.
        along_v: the sides (k, 3) from the first to the third corner.
        uv: the points' parameters, of any size.
    """
    result = uv.copy()
    outside = np.flatnonzero((uv[:, 0] < 0.0) | (uv[:, 1] < 0.0) | (uv.sum(axis=1) > 1.0))
    if len(outside) == 0:
        return result
    result[outside] = _nearest_on_border(along_u[outside], along_v[outside], uv[outside])
    return result


def _nearest_on_border(along_u: Floats, along_v: Floats, uv: Floats) -> Floats:
    tangents = np.stack([along_u, along_v], axis=1)
    sides = np.einsum("sa,kai->ksi", _SIDES, tangents)
    offset = np.einsum("ksa,kai->ksi", uv[:, None] - _STARTS, tangents)
    along = np.einsum("ksi,ksi->ks", offset, sides) / np.einsum("ksi,ksi->ks", sides, sides)
    along = np.clip(along, 0.0, 1.0)
    gap = offset - along[..., None] * sides
    best = np.argmin(np.einsum("ksi,ksi->ks", gap, gap), axis=1)
    rows = np.arange(len(uv))
    nearest: Floats = _STARTS[best] + along[rows, best][:, None] * _SIDES[best]
    return nearest


@dataclass(frozen=True, eq=False)
class Segments(ArrayRecord, Curve):
    """Straight edges: ends (e, 2, 3), scene units, and the conormals (e, 2, 3) of the faces that meet there.

    A conormal is a unit direction in a face, across the edge, pointing into the face; NaN where there is no
    face. An edge where more than two faces meet has both NaN: it may touch from every side.
    """

    ends: Floats
    face_conormals: Floats

    @property
    def edge_count(self) -> int:
        """The number of segments."""
        return len(self.ends)

    def geometry(self, edge: Ints, t: Floats) -> EdgeGeometry:
        """Return points and unit tangents (k, 3), and zero curvature (k, 3)."""
        start, along = self._sides(edge)
        point = start + t[:, None] * along
        tangent = along / np.linalg.norm(along, axis=1, keepdims=True)
        return EdgeGeometry(point, tangent, np.zeros_like(point))

    def move(self, edge: Ints, t: Floats, distance: Floats) -> Floats:
        """Return parameters (k,) a given arc length (k,) farther along the tangent, stopped at the ends."""
        _, along = self._sides(edge)
        moved: Floats = np.clip(t + distance / np.linalg.norm(along, axis=1), 0.0, 1.0)
        return moved

    def conormals(self, edge: Ints, t: Floats) -> Floats:
        """Return the conormals (k, 2, 3) of the two faces; NaN where there is none."""
        conormals: Floats = self.face_conormals[edge]
        return conormals

    def transformed(self, affine: Floats) -> Segments:
        """Return the segments after an affine map (4, 4), with the conormals of the mapped faces."""
        ends = (self.ends.reshape(-1, 3) @ affine[:3, :3].T + affine[:3, 3]).reshape(-1, 2, 3)
        inward = (self.face_conormals.reshape(-1, 3) @ affine[:3, :3].T).reshape(-1, 2, 3)
        return Segments(ends, unit_conormals((ends[:, 1] - ends[:, 0])[:, None], inward))

    def _sides(self, edge: Ints) -> tuple[Floats, Floats]:
        ends = self.ends[edge]
        return ends[:, 0], ends[:, 1] - ends[:, 0]


def unit_conormals(along: Floats, inward: Floats) -> Floats:
    """Return the unit directions (..., 3) of vectors `inward` (..., 3), made perpendicular to edges `along`
    (..., 3).
    """
    part = np.einsum("...i,...i->...", along, inward) / np.einsum("...i,...i->...", along, along)
    conormal = inward - part[..., None] * along
    unit: Floats = conormal / np.sqrt(np.einsum("...i,...i->...", conormal, conormal))[..., None]
    return unit
