"""The midpoints of a mesh's edges, brought onto the surface: those of edges along creases onto the crease.

An edge is taken to be on a crease where its two triangles meet at an angle, and both sides of the surface go
on doing so ever nearer to the place (`crease_points`).
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import dot, length, length_and_unit
from ..functions.base import ImplicitFunction
from ..projection import projected
from .crease_points import CreasePoints, on_creases
from .mesh_topology import MeshTopology, area_vectors

_TURN = 0.3  # radians between the two triangles at an edge that may be on a crease
_REACH = 0.5  # lengths of the edge that the crease may be from its midpoint


def edge_middles(function: ImplicitFunction, points: Floats, topology: MeshTopology, which: Bools) -> Floats:
    """Return the midpoints (k, 3) of some edges (m,) of a closed mesh of points (n, 3), on the surface."""
    ends = points[topology.ends[which]]
    sizes = length(ends[:, 1] - ends[:, 0])
    middles = projected(function, ends.mean(axis=1), 0.25 * float(sizes.max(initial=0.0)))
    may_be, near = _sharp(points, topology, which)
    found, known = on_creases(function, near, _REACH * sizes[may_be])
    middles[np.flatnonzero(may_be)[known]] = found.places[known]
    return middles


def quartered(function: ImplicitFunction, points: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    """Return points and triangles where each triangle is cut in four, with its new corners on the surface."""
    topology = MeshTopology.of(triangles, len(points))
    middles = edge_middles(function, points, topology, np.ones(len(topology.ends), dtype=np.bool_))
    a, b, c = triangles.T
    ab, bc, ca = len(points) + topology.edge_of.T
    quarters = np.concatenate(
        [np.stack(three, axis=1) for three in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
    )
    return np.concatenate([points, middles]), quarters


def _sharp(points: Floats, topology: MeshTopology, which: Bools) -> tuple[Bools, CreasePoints]:
    """Return which of some edges (k,) are between triangles at an angle, and the midpoints of these edges
    with the normals of the triangles.
    """
    order = np.argsort(topology.edge_of.ravel(), kind="stable")
    pairs = order[np.searchsorted(topology.edge_of.ravel()[order], np.flatnonzero(which))[:, None] + [0, 1]]
    triangles = pairs // 3
    normals = length_and_unit(area_vectors(points, topology.triangles))[1][triangles]
    sharp = length(normals[:, 1] - normals[:, 0]) > _TURN
    middles = points[topology.ends[which][sharp]].mean(axis=1)
    inwards = points[topology.triangles[triangles[sharp, 1]]].mean(axis=1) - middles
    return sharp, CreasePoints(middles, normals[sharp], dot(inwards, normals[sharp, 0]) < 0.0)
