"""Triangles through points of an implicit surface: their Delaunay tetrahedra's boundary between inside and
out.

A triangle of the Delaunay tetrahedra is restricted to the surface if its dual edge, between the centres of
the circumspheres on its two sides, crosses it; that is so where F has another sign at one than at the other.
So the restricted triangles are the boundary of the tetrahedra whose centres are inside: they have no border,
and each knows its outer side, whatever the points.  They are a surface of the right kind where the points
are dense enough for its bends and narrows (Boissonnat and Oudot 2005); where they are not, that shows as
points that the triangles leave out or meet at in several fans, or as triangles that face another way than
F_x.  There points are added, twice as dense each time.

Many points on one sphere have no definite tetrahedra, and Qhull is quadratic in them: for the combinatorics
alone they are moved by a thousandth of their distances.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import Delaunay, QhullError, cKDTree

from ...arrays import Bools, Floats, Ints
from ...vectors import length_and_unit
from ..functions.base import ImplicitFunction
from ..projection import projected
from ..sizing_field import greatest_curvature
from .mesh_topology import MeshTopology, area_vectors
from .surface_sampling import low_discrepancy, thinned

_ROUNDS = 8
_STIR = 1e-3  # of the way to the next point
_FACING = 0.35  # least cosine between a triangle and F_x at one of its corners: at creases not at all of them
_LARGE = 0.25  # of the spacing: smaller triangles may face otherwise, as some do across creases
_TURN = 0.7  # radians that the surface turns over a ring's radius at most
_FAR = 1e6  # of the whole's size: centres of flat tetrahedra are no farther
_RING = 6  # points laid about a bad one
_APART = 0.6  # of a ring's radius: the least distance between points that are added, and from others
_SAME = 0.05  # of the spacing: points nearer than that are one
_MOST_POINTS = 200_000
_OPPOSITE = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])  # outwards in a tetrahedron of volume > 0


@dataclass(frozen=True, eq=False)
class RestrictedDelaunay:
    """Points on the surface (n, 3), triangles (t, 3) through them, outwards; bad (n,): where they are no
    surface, or not the right one.
    """

    points: Floats
    triangles: Ints
    bad: Bools


def restricted_delaunay(function: ImplicitFunction, points: Floats, spacing: float) -> RestrictedDelaunay:
    """Return triangles through points (n, 3) of the surface, and through some more where these do not do.

    spacing: the points' usual distance, in scene units.  Bad points are left if eight rounds do not suffice.
    """
    points = thinned(projected(function, points, 0.5 * spacing), np.full(len(points), _SAME * spacing))
    found = _examined(function, points, spacing)
    for _ in range(_ROUNDS):
        if not found.bad.any() or len(points) > _MOST_POINTS:
            break
        points = _densified(function, found, spacing)
        found = _examined(function, points, spacing)
    return found


def _examined(function: ImplicitFunction, points: Floats, spacing: float) -> RestrictedDelaunay:
    triangles = _boundary(function, points, spacing)
    links = MeshTopology.of(triangles, len(points))
    bad = links.broken | ~links.used
    if len(triangles):
        normals = length_and_unit(function.gradient(points)[1])[1]
        facing = length_and_unit(area_vectors(points, triangles))[1]
        cosine = np.einsum("ti,tci->tc", facing, normals[triangles])
        side = points[triangles] - points[np.roll(triangles, 1, axis=1)]
        large = np.einsum("tci,tci->tc", side, side).max(axis=1) > (_LARGE * spacing) ** 2
        bad[triangles[(cosine.max(axis=1) < _FACING) & large]] = True
    return RestrictedDelaunay(points, triangles, bad)


def _boundary(function: ImplicitFunction, points: Floats, spacing: float) -> Ints:
    """The triangles (t, 3) between tetrahedra whose centres are inside and those whose are not."""
    none = np.zeros((0, 3), dtype=np.intp)
    if len(points) < 4:
        return none
    middle = points.mean(axis=0)
    distance = np.minimum(np.asarray(cKDTree(points).query(points, 2)[0])[:, 1], spacing)
    stirred = points - middle + _STIR * distance[:, None] * low_discrepancy(len(points))
    try:
        mesh = Delaunay(stirred)
    except QhullError:
        return none
    simplices = mesh.simplices.astype(np.intp)
    centres, volume = _circumcentres(stirred[simplices])
    inside = np.append(function.value(centres + middle) < 0.0, False)
    tetrahedron, corner = np.nonzero(inside[:-1, None] & ~inside[mesh.neighbors])
    triangles = simplices[tetrahedron[:, None], _OPPOSITE[corner]]
    turned: Ints = np.where((volume[tetrahedron] < 0.0)[:, None], triangles[:, ::-1], triangles)
    return turned


def _circumcentres(corners: Floats) -> tuple[Floats, Floats]:
    """The centres (s, 3) of the spheres about tetrahedra (s, 4, 3), and six times their signed volumes."""
    a, b, c = (corners[:, i] - corners[:, 0] for i in (1, 2, 3))
    bc, ca, ab = np.cross(b, c), np.cross(c, a), np.cross(a, b)
    volume = np.einsum("si,si->s", a, bc)
    squares = (np.einsum("si,si->s", side, side)[:, None] for side in (a, b, c))
    offset = sum(square * normal for square, normal in zip(squares, (bc, ca, ab), strict=True))
    flat = np.where(volume == 0.0, np.finfo(np.float64).tiny, volume)
    with np.errstate(over="ignore", invalid="ignore"):
        centre = corners[:, 0] + 0.5 * offset / flat[:, None]
    far = _FAR * float(np.abs(corners).max())
    return np.clip(np.where(np.isfinite(centre), centre, corners[:, 0]), -far, far), volume


def _densified(function: ImplicitFunction, found: RestrictedDelaunay, spacing: float) -> Floats:
    """The points, and rings about the bad ones, half as wide as the way to the next point, or as far as the
    surface does not turn too much.
    """
    points, bad = found.points, np.flatnonzero(found.bad)
    tree = cKDTree(points)
    bend = np.maximum(greatest_curvature(function, points[bad]), _TURN / spacing)
    width = np.minimum(0.5 * np.asarray(tree.query(points[bad], 2)[0])[:, 1], _TURN / bend)
    tangents = _across(length_and_unit(function.gradient(points[bad])[1])[1])
    angle = 2.0 * np.pi * (np.arange(_RING) / _RING + low_discrepancy(len(bad))[:, :1])
    way = np.cos(angle)[..., None] * tangents[:, None, 0] + np.sin(angle)[..., None] * tangents[:, None, 1]
    reach = np.repeat(width, _RING)
    ring = (points[bad, None] + width[:, None, None] * way).reshape(-1, 3)
    ring = projected(function, ring, 0.5 * float(width.max(initial=0.0)))
    least = _APART * reach
    free = tree.query(ring)[0] >= least
    order = np.argsort(-reach[free], kind="stable")
    return np.concatenate([points, thinned(ring[free][order], least[free][order])])


def _across(normals: Floats) -> Floats:
    """Return two unit vectors (k, 2, 3) at right angles to each other and to each unit vector (k, 3).

    They are what is left of the axes x and y in the mirror that makes the axis z the normal, or its opposite.
    """
    between = normals.copy()
    between[:, 2] += np.copysign(1.0, normals[:, 2])
    shares = between[:, :2] / np.abs(between[:, 2:])
    return np.asarray(np.eye(3)[:2] - shares[:, :, None] * between[:, None])
