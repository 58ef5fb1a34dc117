"""Restricted Delaunay triangulation: triangles through points of an implicit surface.

A triangle of the points' Delaunay tetrahedra is restricted to the surface if its dual edge, between the
centres of the circumspheres on its two sides, crosses the surface; that is so where F has another sign at one
centre than at the other. So the restricted triangles are the boundary of the tetrahedra whose centres are
inside: they have no border, and each knows its outer side, whatever the points. They have the surface's
topology where the points are dense enough for its curvature and its narrow parts (Boissonnat and Oudot 2005).
Where they are not, some points are left out, or triangles meet at them in several fans, or face another way
than F_x: there points are added, twice as dense each time. Components that are proven to be all are
triangulated one by one, with what each encloses in place of the inside.

Many points on one sphere have no definite tetrahedra, and Qhull's time is quadratic in them. For the
combinatorics alone they are moved by a thousandth of their distances.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.spatial import Delaunay, QhullError, cKDTree

from ...arrays import Bools, Floats, Ints
from ...vectors import cross, dot, length_and_unit
from ..functions.base import ImplicitFunction
from ..projection import projected
from ..sizing_field import greatest_curvature
from ..surface_components.component_search import SurfaceComponents
from .mesh_topology import MeshTopology, area_vectors
from .surface_sampling import low_discrepancy, thinned

_ROUNDS = 8  # rounds in which points are added
_STIR = 1e-3  # share of the distance to the next point by which points are moved for Qhull
# least cosine between a triangle's normal and F_x at one of its corners; at creases not at all
_FACING = 0.35
_LARGE = 0.25  # spacings: smaller triangles may face otherwise, as some do across creases
_TURN = 0.7  # radians that the surface's normal turns over a ring's radius at most
_FAR = 1e6  # sizes of the whole: the centres of flat tetrahedra are taken to be no farther away
_RING = 6  # points laid around a bad one
_APART = 0.6  # radii of a ring: the least distance of points that are added from one another and from others
_SAME = 0.05  # spacings: points nearer to each other than this are one
# times as many bad points as at first, and bad points, after which more of them only make things worse
_HOPELESS, _MANY_BAD = 4, 600
_MOST_POINTS = 60_000  # points after which no more are added
# the triangle opposite to each corner, outwards in a tetrahedron of positive volume
_OPPOSITE = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])


@dataclass(frozen=True, eq=False)
class RestrictedDelaunay:
    """Triangles through points on the surface.

    Attributes:
        points: the points (n, 3).
        triangles: their numbers (t, 3), wound outwards.
        bad: the points (n,) where the triangles are no surface, or not the right one.
    """

    points: Floats
    triangles: Ints
    bad: Bools


def restricted_delaunay(
    function: ImplicitFunction, points: Floats, spacing: float, components: SurfaceComponents
) -> RestrictedDelaunay:
    """Return triangles through points of the surface, and through more points where these do not suffice.

    Args:
        function: F.
        points: points (n, 3) near the surface.
        spacing: their usual distance, in scene units.
        components: those of the surface.

    Returns:
        The triangulation; bad points are left if eight rounds do not suffice, or make more of them, as where
        the body is much thinner than its points are apart.
    """
    points = thinned(projected(function, points, 0.5 * spacing), np.full(len(points), _SAME * spacing))
    found = _examined(function, points, spacing, components)
    enough = max(_HOPELESS * int(found.bad.sum()), _MANY_BAD)
    for _ in range(_ROUNDS):
        if not found.bad.any() or len(points) > _MOST_POINTS or found.bad.sum() > enough:
            break
        points = _densified(function, found, spacing)
        found = _examined(function, points, spacing, components)
    return found


def _examined(
    function: ImplicitFunction, points: Floats, spacing: float, components: SurfaceComponents
) -> RestrictedDelaunay:
    """Return the triangulation of points (n, 3), with bad ones marked."""
    if len(components) > 1 and components.proven and len(points):
        triangles = _of_each(components, points, spacing)
    else:
        triangles = _boundary(lambda places: function.value(places) < 0.0, points, spacing)
    topology = MeshTopology.of(triangles, len(points))
    bad = topology.non_manifold | ~topology.used
    if len(triangles):
        normals = length_and_unit(function.gradient(points)[1])[1]
        facing = length_and_unit(area_vectors(points, triangles))[1]
        cosine = np.einsum("ti,tci->tc", facing, normals[triangles])
        side = points[triangles] - points[np.roll(triangles, 1, axis=1)]
        large = np.einsum("tci,tci->tc", side, side).max(axis=1) > (_LARGE * spacing) ** 2
        bad[triangles[(cosine.max(axis=1) < _FACING) & large]] = True
    return RestrictedDelaunay(points, triangles, bad)


def _of_each(components: SurfaceComponents, points: Floats, spacing: float) -> Ints:
    """Return triangles (t, 3) through points (n, 3) of several components, each triangulated by itself.

    So two components may come as near to each other as they like. What a component encloses may be outside.
    """
    number = components.numbers_of(points)
    unknown = np.flatnonzero(number < 0)
    known = np.flatnonzero(number >= 0)
    if len(unknown) and len(known):
        number[unknown] = number[known[np.asarray(cKDTree(points[known]).query(points[unknown])[1])]]
    found = [np.zeros((0, 3), dtype=np.intp)]
    for own in range(len(components)):
        rows = np.flatnonzero(number == own)
        triangles = _boundary(partial(components.within, own), points[rows], spacing)
        if components.is_hollow(own):
            triangles = triangles[:, ::-1]
        found.append(rows[triangles])
    return np.concatenate(found)


def _boundary(within: Callable[[Floats], Bools], points: Floats, spacing: float) -> Ints:
    """Return the triangles (t, 3) between tetrahedra whose centres are within and others."""
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
    inside = np.append(within(centres + middle), False)
    tetrahedron, corner = np.nonzero(inside[:-1, None] & ~inside[mesh.neighbors])
    triangles = simplices[tetrahedron[:, None], _OPPOSITE[corner]]
    turned: Ints = np.where((volume[tetrahedron] < 0.0)[:, None], triangles[:, ::-1], triangles)
    return turned


def _circumcentres(corners: Floats) -> tuple[Floats, Floats]:
    """Return the circumcentres (s, 3) of tetrahedra (s, 4, 3), and six times their signed volumes (s,)."""
    a, b, c = (corners[:, i] - corners[:, 0] for i in (1, 2, 3))
    bc, ca, ab = cross(b, c), cross(c, a), cross(a, b)
    volume = dot(a, bc)
    squares = (dot(side, side)[:, None] for side in (a, b, c))
    offset = sum(square * normal for square, normal in zip(squares, (bc, ca, ab), strict=True))
    flat = np.where(volume == 0.0, np.finfo(np.float64).tiny, volume)
    with np.errstate(over="ignore", invalid="ignore"):
        centre = corners[:, 0] + 0.5 * offset / flat[:, None]
    far = _FAR * float(np.abs(corners).max())
    return np.clip(np.where(np.isfinite(centre), centre, corners[:, 0]), -far, far), volume


def _densified(function: ImplicitFunction, found: RestrictedDelaunay, spacing: float) -> Floats:
    """Return the points, and rings of points around the bad ones.

    A ring is half as wide as the distance to the next point, or as far as the surface does not turn too much.
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

    They are the images of the axes x and y in the mirror that makes the axis z the normal, or its opposite.
    """
    between = normals.copy()
    between[:, 2] += np.copysign(1.0, normals[:, 2])
    shares = between[:, :2] / np.abs(between[:, 2:])
    return np.asarray(np.eye(3)[:2] - shares[:, :, None] * between[:, None])
