"""Creases of an implicit surface, found by where its normals jump.

Between two points of the surface whose normals differ, the half of the way where they differ more is taken
again and again.  Where the surface is smooth they agree in the end; where they do not there is a crease.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Bools, Floats, Ints
from .feet import on_surface
from .function import ImplicitFunction
from .mesh_links import Links

_TURN = 0.1  # radians between the ends of an edge that is looked at
_HALVINGS = 14
_JUMP = 0.05  # radians that are left at a crease


def creases(function: ImplicitFunction, points: Floats, triangles: Ints) -> tuple[Floats, Bools]:
    """Return places (k, 3) on creases that edges of a mesh cross, and whether each is an edge outwards, on
    which other bodies could rest, (k,); else it is one inwards, as where two shapes meet.
    """
    ends = points[Links.of(triangles, len(points)).ends]
    normals = np.stack([_normals(function, ends[:, i]) for i in (0, 1)], axis=1)
    least = _TURN
    for _ in range(_HALVINGS):
        jump = _length(normals[:, 1] - normals[:, 0])
        ends, normals = ends[jump > least], normals[jump > least]
        if len(ends):
            ends, normals = _halved(function, ends, normals)
        least = _JUMP
    jumps = normals[:, 1] - normals[:, 0]
    found = _length(jumps) > _JUMP
    outward: Bools = np.einsum("ki,ki->k", jumps, ends[:, 1] - ends[:, 0])[found] > 0.0
    return ends[found, 0], outward


def _halved(function: ImplicitFunction, ends: Floats, normals: Floats) -> tuple[Floats, Floats]:
    """The half (k, 2, 3) of each way between two ends where the normals differ more."""
    middle = on_surface(function, ends.mean(axis=1), 0.25 * float(_length(ends[:, 1] - ends[:, 0]).max()))
    normal = _normals(function, middle)
    first = _length(normal - normals[:, 0]) >= _length(normals[:, 1] - normal)
    rows = np.arange(len(ends))[:, None], np.where(first, 0, 1)[:, None] + np.arange(2)
    three = (
        np.stack([own[:, 0], new, own[:, 1]], axis=1) for own, new in ((ends, middle), (normals, normal))
    )
    halves, turned = (own[rows] for own in three)
    return halves, turned


def _normals(function: ImplicitFunction, points: Floats) -> Floats:
    gradient = function.gradient(points)[1]
    normals: Floats = gradient / np.maximum(_length(gradient), np.finfo(np.float64).tiny)[:, None]
    return normals


def _length(vectors: Floats) -> Floats:
    length: Floats = np.sqrt(np.einsum("ki,ki->k", vectors, vectors))
    return length
