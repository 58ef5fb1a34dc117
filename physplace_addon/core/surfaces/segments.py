"""Straight edges: line segments as one curve with many edges, `C(t) = a + t (b - a)`, t from 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from .base import Curve, EdgeGeometry


@dataclass(frozen=True, eq=False)
class Segments(Curve):
    """Straight edges: ends (e, 2, 3), and the conormals (e, 2, 3) of the faces that meet there.

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
        """Points and unit tangents (k, 3), and zero curvature (k, 3)."""
        start, along = self._sides(edge)
        point = start + t[:, None] * along
        tangent = along / np.linalg.norm(along, axis=1, keepdims=True)
        return EdgeGeometry(point, tangent, np.zeros_like(point))

    def move(self, edge: Ints, t: Floats, distance: Floats) -> Floats:
        """Parameters (k,) a given arc length (k,) farther along the tangent, stopped at the ends."""
        _, along = self._sides(edge)
        moved: Floats = np.clip(t + distance / np.linalg.norm(along, axis=1), 0.0, 1.0)
        return moved

    def conormals(self, edge: Ints, t: Floats) -> Floats:
        """The conormals (k, 2, 3) of the two faces; NaN where there is none."""
        conormals: Floats = self.face_conormals[edge]
        return conormals

    def transformed(self, affine: Floats) -> Segments:
        """The segments after an affine map (4, 4), with the conormals of the mapped faces."""
        ends = (self.ends.reshape(-1, 3) @ affine[:3, :3].T + affine[:3, 3]).reshape(-1, 2, 3)
        inward = (self.face_conormals.reshape(-1, 3) @ affine[:3, :3].T).reshape(-1, 2, 3)
        return Segments(ends, across((ends[:, 1] - ends[:, 0])[:, None], inward))

    def _sides(self, edge: Ints) -> tuple[Floats, Floats]:
        ends = self.ends[edge]
        return ends[:, 0], ends[:, 1] - ends[:, 0]


def across(along: Floats, inward: Floats) -> Floats:
    """The unit directions (..., 3) of vectors pointing into faces, made perpendicular to edges `along` (...,
    3).
    """
    part = np.einsum("...i,...i->...", along, inward) / np.einsum("...i,...i->...", along, along)
    conormal = inward - part[..., None] * along
    unit: Floats = conormal / np.sqrt(np.einsum("...i,...i->...", conormal, conormal))[..., None]
    return unit


def joined_segments(parts: Sequence[Segments]) -> Segments:
    """Several sets of straight edges as one curve: the edges of the parts one after another."""
    ends = np.concatenate([part.ends for part in parts])
    return Segments(ends, np.concatenate([part.face_conormals for part in parts]))
