"""Creases of an implicit surface, found by where its normals jump.

Between two points of the surface whose normals differ, the half of the segment where they differ more is
taken again and again. Where the surface is smooth the normals agree in the end; where they do not, although
the segment has become short, there is a crease.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....arrays import Bools, Floats, Ints
from ....vectors import dot, length, length_and_unit
from ...functions.base import ImplicitFunction
from ...projection import projected_along
from ..mesh_topology import MeshTopology

_TURN = 0.1  # radians between the normals at the ends of a segment that is examined
_HALVINGS = 14  # halvings of a segment
_JUMP = 0.05  # radians between the normals that are left at a crease
# share of a segment within which a crease turns by _JUMP; a segment to another sheet stays long
_SHORT = 2.0**-13


@dataclass(frozen=True, eq=False)
class NormalJumps:
    """Where normals jump.

    Attributes:
        places: where (k, 3), on creases.
        normals: the unit normals (k, 2, 3) on both sides.
        convex: whether the crease is a convex edge there (k,).
        sizes: how far the two points are apart (k,) between which it was found, in scene units.
    """

    places: Floats
    normals: Floats
    convex: Bools
    sizes: Floats


def creases(function: ImplicitFunction, points: Floats, triangles: Ints) -> tuple[Floats, Bools]:
    """Return creases that the edges of a mesh cross.

    Args:
        function: F.
        points: the points of the mesh (n, 3), on the surface.
        triangles: its triangles (t, 3).

    Returns:
        Places (k, 3) on creases, and whether each is a convex edge (k,), on which other bodies could rest;
            otherwise it is a concave one, as where two shapes meet.
    """
    return creases_between(function, points[MeshTopology.of(triangles, len(points)).ends])


def creases_between(function: ImplicitFunction, ends: Floats) -> tuple[Floats, Bools]:
    """Return creases between neighbouring points (n, 2, 3) of the surface, as `creases` does."""
    found = jumps_between(function, ends)
    return found.places, found.convex


def jumps_between(
    function: ImplicitFunction, ends: Floats, turn: float = _TURN, jump: float = _JUMP
) -> NormalJumps:
    """Return where the normals jump between neighbouring points of the surface.

    Args:
        function: F.
        ends: pairs of points (n, 2, 3).
        turn: radians between the normals at the ends of a pair that is examined.
        jump: radians between the normals that are left at a crease.
    """
    normals = np.stack([_normals(function, ends[:, i]) for i in (0, 1)], axis=1)
    least, size = turn, length(ends[:, 1] - ends[:, 0])
    for _ in range(_HALVINGS):
        large = length(normals[:, 1] - normals[:, 0]) > least
        ends, normals, size = ends[large], normals[large], size[large]
        if len(ends):
            ends, normals = _halved(function, ends, normals)
        least = jump
    jumps, ways = normals[:, 1] - normals[:, 0], ends[:, 1] - ends[:, 0]
    turned = length(jumps)
    found = (turned > jump) & (turned * _SHORT * size >= jump * length(ways))
    outward: Bools = dot(jumps, ways)[found] > 0.0
    return NormalJumps(ends[found, 0], normals[found], outward, size[found])


def _halved(function: ImplicitFunction, ends: Floats, normals: Floats) -> tuple[Floats, Floats]:
    """Return the half (k, 2, 3) of each segment where the normals differ more, and the normals
    at its ends.
    """
    middle = projected_along(
        function, ends.mean(axis=1), normals.sum(axis=1), length(ends[:, 1] - ends[:, 0])
    )
    normal = _normals(function, middle)
    first = length(normal - normals[:, 0]) >= length(normals[:, 1] - normal)
    rows = np.arange(len(ends))[:, None], np.where(first, 0, 1)[:, None] + np.arange(2)
    three = (
        np.stack([own[:, 0], new, own[:, 1]], axis=1) for own, new in ((ends, middle), (normals, normal))
    )
    halves, turned = (own[rows] for own in three)
    return halves, turned


def _normals(function: ImplicitFunction, points: Floats) -> Floats:
    """Return the unit normals (k, 3) at points (k, 3)."""
    return length_and_unit(function.gradient(points)[1])[1]
