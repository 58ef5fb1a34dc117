"""A smooth face of limit patches: traces over it pass extraordinary vertices.

About such a vertex P the surface is, to first order, homogeneous: along a ray of parameters m (a, b) it is at
the distance r m^k from P, k = -log2 of the subdominant eigenvalue, always in the same direction.  Newton's
steps in the parameters fail where one is longer than the distance to P.  Those begin at another place
instead: on the ray, among some for each patch, that leads most towards the target, as far out as the target
is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import dot, length
from ..bezier.sheet import BezierSheet
from .nets import LimitNets

# Directions of rays along both spokes of a corner.
_RAYS = np.array([[1.0, 0.15], [1.0, 0.6], [0.6, 1.0], [0.15, 1.0]])
_NEAR = 2.0**-10  # m at which rays are measured, where the surface is nearly homogeneous.
_FAR = 0.9  # m up to which rays are followed.
_CLOSE = 0.5  # distance from the vertex over the length of a step, below which the step begins on a ray


@dataclass(frozen=True, eq=False)
class ExtraordinaryVertices:
    """The extraordinary vertices of a face.

    points (h, 3): where they are.  of_corner (n, 4): the vertex at each corner of the quadrilaterals, -1 for
    none. first (h + 1,): where the rays of each vertex begin, sorted by vertex.

    Of each ray (r,): patch, corner, ray (r, 2) in parameters, unit direction (r, 3), reach r and power k.
    """

    points: Floats
    of_corner: Ints
    first: Ints
    patch: Ints
    corner: Ints
    ray: Floats
    direction: Floats
    reach: Floats
    power: Floats


def extraordinary_vertices_of(nets: LimitNets, vertices: Ints, extraordinary: Bools) -> ExtraordinaryVertices:
    """Return the extraordinary vertices of a face and their rays.

    Args:
        nets: its quadrilaterals.
        vertices: of the cage at their corners (n, 4).
        extraordinary: which corners (n, 4) are extraordinary.
    """
    patch, corner = np.nonzero(extraordinary)
    found, vertex = np.unique(vertices[patch, corner], return_inverse=True)
    of_corner = np.full(vertices.shape, -1, dtype=np.intp)
    of_corner[patch, corner] = vertex
    order = np.argsort(vertex, kind="stable")
    patch, corner, vertex = (np.repeat(column[order], len(_RAYS)) for column in (patch, corner, vertex))
    ray = np.tile(_RAYS, (len(order), 1))
    middle = nets.slopes(patch, along_spokes(corner, 0.0 * ray)).point
    near, nearer = (
        nets.slopes(patch, along_spokes(corner, m * ray)).point - middle for m in (_NEAR, 0.5 * _NEAR)
    )
    reach = length(near)
    points = np.empty((len(found), 3))
    points[vertex] = middle
    first = np.searchsorted(vertex, np.arange(len(found) + 1))
    power = np.log2(reach / length(nearer))
    direction = near / reach[:, None]
    return ExtraordinaryVertices(points, of_corner, first, patch, corner, ray, direction, reach, power)


def along_spokes(corner: Ints, along: Floats) -> Floats:
    """Return the parameters (k, 2) of points given along the two spokes of corners (k,) of the square."""
    a, b = along.T
    u = np.choose(corner, [a, 1.0 - b, 1.0 - a, b])
    v = np.choose(corner, [b, a, 1.0 - b, 1.0 - a])
    return np.stack([u, v], axis=1)


@dataclass(frozen=True, eq=False)
class LimitSheet(BezierSheet):
    """One face of limit patches, and the extraordinary vertices on it."""

    extraordinary: ExtraordinaryVertices

    def _begin(self, patch: Ints, at: Floats, step: Floats) -> tuple[Ints, Floats, Floats]:
        """Return where to trace from, patches and parameters, and by how much (k, 3), to where steps lead."""
        upper = at >= 0.5
        corner = np.where(upper[:, 1], np.where(upper[:, 0], 2, 3), upper[:, 0])
        rows = np.flatnonzero(self.extraordinary.of_corner[patch, corner] >= 0)
        if not len(rows):
            return patch, at, step
        vertex = self.extraordinary.of_corner[patch[rows], corner[rows]]
        here = self.nets.slopes(patch[rows], at[rows]).point
        close = length(here - self.extraordinary.points[vertex]) < _CLOSE * length(step[rows])
        rows, vertex, here = rows[close], vertex[close], here[close]
        patch, at, step = patch.copy(), at.copy(), step.copy()
        if len(rows):
            target = here + step[rows]
            other, there = self._on_rays(vertex, target - self.extraordinary.points[vertex])
            left = target - self.nets.slopes(other, there).point
            better = length(left) < length(step[rows])
            chosen = rows[better]
            patch[chosen], at[chosen], step[chosen] = other[better], there[better], left[better]
        return patch, at, step

    def _on_rays(self, vertex: Ints, offset: Floats) -> tuple[Ints, Floats]:
        """Return patches (k,) and parameters (k, 2) on the rays of vertices (k,) that lead most towards
        offsets (k, 3).
        """
        extraordinary = self.extraordinary
        count = extraordinary.first[vertex + 1] - extraordinary.first[vertex]
        row = np.repeat(np.arange(len(vertex)), count)
        begin = np.cumsum(count) - count
        ray = extraordinary.first[vertex][row] + np.arange(len(row)) - begin[row]
        towards = dot(extraordinary.direction[ray], offset[row])
        most = np.flatnonzero(towards == np.maximum.reduceat(towards, begin)[row])
        best = ray[most[np.searchsorted(row[most], np.arange(len(vertex)))]]
        ahead = np.maximum(dot(extraordinary.direction[best], offset), 0.0)
        share = _NEAR * (ahead / extraordinary.reach[best]) ** (1.0 / extraordinary.power[best])
        along = np.minimum(share, _FAR)[:, None] * extraordinary.ray[best]
        return extraordinary.patch[best], along_spokes(extraordinary.corner[best], along)
