"""Flat faces: a set of triangles as one surface with many faces.

Face i is `S(u, v) = c0 + u (c1 - c0) + v (c2 - c0)` on `u, v >= 0, u + v <= 1`, so (u, v) are the
barycentric weights of its second and third corner. Tangents a, b have the reciprocal basis a* = b x N /
|N|^2 and b* = N x a / |N|^2 with N = a x b, which reads off the parameters of a displacement: du = a* . d,
dv = b* . d.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints
from ..vectors import cross, dot, length, unit
from .base import Derivatives, FaceGeometry, Surface


@dataclass(frozen=True, eq=False)
class Triangles(Surface):
    """Flat triangular faces, corners (t, 3, 3).

    `orientation` (t,) is +1 where the outward normal is that of the corners' right-handed order, -1 where
    it is the opposite one (after a mirroring map, so that (u, v) keep their corners).
    """

    corners: Floats
    orientation: Floats

    @classmethod
    def from_corners(cls, corners: ArrayLike) -> Triangles:
        """Faces whose outward normals are those of their corners' right-handed order, corners (t, 3, 3)."""
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
        """The point, the two sides as first derivatives, and zero second derivatives, each (k, 3)."""
        origin, along_u, along_v = self._sides(face)
        point = origin + uv[:, :1] * along_u + uv[:, 1:] * along_v
        zero = np.zeros_like(point)
        return Derivatives(point, along_u, along_v, zero, zero, zero)

    def geometry(self, face: Ints, uv: Floats) -> FaceGeometry:
        """Points (k, 3), frames (k, 2, 3), outward normals (k, 3), and zero curvature (k, 2, 2)."""
        origin, along_u, along_v = self._sides(face)
        point = origin + uv[:, :1] * along_u + uv[:, 1:] * along_v
        normal = cross(along_u, along_v)
        normal *= (self.orientation[face] / length(normal))[:, None]
        frame = np.empty((len(face), 2, 3))
        frame[:, 0] = unit(along_u)
        frame[:, 1] = cross(normal, frame[:, 0])
        return FaceGeometry(point, frame, normal, np.zeros((len(face), 2, 2)))

    def move(self, face: Ints, uv: Floats, displacement: Floats) -> Floats:
        """Parameters (k, 2) of the point of each triangle nearest to point(uv) + displacement (k, 3),
        exactly.
        """
        _, along_u, along_v = self._sides(face)
        normal = cross(along_u, along_v)
        step = np.empty_like(uv)
        step[:, 0] = dot(cross(along_v, normal), displacement)
        step[:, 1] = dot(cross(normal, along_u), displacement)
        step /= dot(normal, normal)[:, None]
        return nearest_in_triangle(along_u, along_v, uv + step)

    def transformed(self, affine: Floats) -> Triangles:
        """The triangles after an affine map (4, 4): the same (u, v) name the images of the same points."""
        corners = (self.corners.reshape(-1, 3) @ affine[:3, :3].T + affine[:3, 3]).reshape(-1, 3, 3)
        sign = np.sign(np.linalg.det(affine[:3, :3]))
        return Triangles(corners, self.orientation * sign)

    def _sides(self, face: Ints) -> tuple[Floats, Floats, Floats]:
        corners = self.corners[face]
        return corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]


def nearest_in_triangle(along_u: Floats, along_v: Floats, uv: Floats) -> Floats:
    """The parameters (k, 2) of the points of triangles nearest to points (k, 2) of their planes.

    The triangles have sides (k, 3) from their first corners. Parameters inside come back unchanged.
    """
    result = uv.copy()
    outside = np.flatnonzero((uv[:, 0] < 0.0) | (uv[:, 1] < 0.0) | (uv.sum(axis=1) > 1.0))
    if len(outside) == 0:
        return result
    result[outside] = _nearest_on_border(along_u[outside], along_v[outside], uv[outside])
    return result


_STARTS = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
_SIDES = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 1.0]])


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


def joined_triangles(parts: Sequence[Triangles]) -> Triangles:
    """Several sets of flat faces as one surface: the faces of the parts one after another."""
    corners = np.concatenate([part.corners for part in parts])
    return Triangles(corners, np.concatenate([part.orientation for part in parts]))
