"""Delaunay tetrahedra of weighted points, and the places that tell on which side of a surface they are.

A tetrahedron is inside where its centre is, of equal power to its corners. Along a knife, a sharp convex
crease, that does not hold: the zones of its points keep all others about as far away as its links are long,
where the body is much thinner than that. The centre of a tetrahedron with corners on the knife and on both of
its sides is then off the plane that halves the knife, out of the body even, by as much as its corners are at
different distances from the crease. But it lies between the two sides, and so does its centroid. So it is
with tetrahedra beside the zones, as far as the body is thinner than points come near to each other: their
centres, too, are where chance has them, and holes through the body were left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import ConvexHull, Delaunay

from ...arrays import Bools, Floats, Ints
from ...vectors import cross, dot, length_and_unit
from ..functions.base import ImplicitFunction

_ALIKE = 0.9  # least cosine between the normals of one face at different points
_FAR = 1e6  # sizes of the whole: the centres of flat tetrahedra are taken to be no farther away


@dataclass(frozen=True, eq=False)
class Knives:
    """Which points are on sharp convex creases, or beside them in what is thin, and between which sides.

    Attributes:
        function: F.
        places: all points (n, 3).
        axes: the normal of one side less that of the other (n, 3), of points on knives; 0 of others.
        normals: the unit normals of both sides (n, 2, 3) of points on creases; 0 of others.
        ends: the number (n,) of `ended` for each point at which several knives end; -1 of others.
        ended: the axes (e, k, 3) of these knives; 0 where there are fewer.
        beside: the number (n,) of `faces` for each point beside a knife where the body is thinner than points
            come near to each other; -1 of others.
        faces: the unit normals of both sides (f, 2, 3) along knives.
    """

    function: ImplicitFunction
    places: Floats
    axes: Floats
    normals: Floats
    ends: Ints
    ended: Floats
    beside: Ints
    faces: Floats

    @classmethod
    def none(cls, function: ImplicitFunction, places: Floats) -> Knives:
        """Return that none of some points (n, 3) is on a crease."""
        normals, (ends, beside) = np.zeros((len(places), 2, 3)), np.full((2, len(places)), -1)
        return cls(function, places, np.zeros(places.shape), normals, ends, normals[:0], beside, normals[:0])

    def taken(self, rows: Ints) -> Knives:
        """Return some of the points, by their numbers (k,)."""
        names = ("places", "axes", "normals", "ends", "beside")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def rows_across(self, simplices: Ints) -> Ints:
        """Return the numbers (k,) of tetrahedra (s, 4) with corners on both sides of a knife, and on it or
        where the body is thin beside it.
        """
        on: Bools = (self.axes != 0.0).any(axis=1)
        at: Bools = np.asarray(on[simplices].any(axis=1))
        rows = self._with_corners_on(np.flatnonzero(at), simplices, on)
        return np.concatenate([rows, self._thin(np.flatnonzero(~at), simplices)])

    def _with_corners_on(self, rows: Ints, simplices: Ints, on: Bools) -> Ints:
        """Return those of tetrahedra (k,) with corners on a knife (n,) that have some on both its sides."""
        if not len(rows):
            return rows
        corners = simplices[rows]
        used, number = np.unique(corners, return_inverse=True)
        number = number.reshape(corners.shape)
        axes = self.axes[np.take_along_axis(corners, on[corners].argmax(axis=1)[:, None], axis=1)]
        # on a crease that ends at the knife F has the gradient of either side, of which one may be across it
        slopes = np.repeat(self.function.gradient(self.places[used])[1][:, None], 2, axis=1)
        creased = self.normals[used].any(axis=(1, 2))
        slopes[creased] = self.normals[used][creased]
        along = dot(slopes[number], axes[:, :, None])
        along = np.take_along_axis(along, np.abs(along).argmax(axis=2)[..., None], axis=2)[..., 0]
        along[on[corners] | self._end_there(corners, axes[:, 0])] = 0.0
        both: Bools = (along.min(axis=1) < 0.0) & (along.max(axis=1) > 0.0)
        both[both] = ~_on_one_face(slopes[number[both]], on[corners[both]])
        return rows[both]

    def _end_there(self, corners: Ints, axes: Floats) -> Bools:
        """Return at which corners (k, 4) of tetrahedra the knife with some axes (k, 3) ends, among others."""
        there, ends = np.zeros(corners.shape, dtype=np.bool_), self.ends[corners]
        row, corner = np.nonzero(ends >= 0)
        ended = length_and_unit(self.ended[ends[row, corner]])[1]
        cosine = np.abs(dot(ended, length_and_unit(axes[row])[1][:, None]))
        there[row, corner] = cosine.max(axis=1, initial=0.0) > _ALIKE
        return there

    def _thin(self, rows: Ints, simplices: Ints) -> Ints:
        """Return those of tetrahedra (k,) all of whose corners are beside a knife, on both of its sides."""
        rows = rows[(self.beside[simplices[rows]] >= 0).all(axis=1)]
        if not len(rows):
            return rows
        corners = simplices[rows]
        used, number = np.unique(corners, return_inverse=True)
        units = length_and_unit(self.function.gradient(self.places[used])[1])[1]
        faces = self.faces[self.beside[corners[:, 0]]]
        cosines = np.einsum("kci,ksi->kcs", units[number.reshape(corners.shape)], faces)
        alike = cosines.max(axis=2).min(axis=1) > _ALIKE
        side = cosines.argmax(axis=2)
        return np.asarray(rows[alike & (side.min(axis=1) != side.max(axis=1))])


def _on_one_face(slopes: Floats, on: Bools) -> Bools:
    """Return which tetrahedra (k,) are flat on the face in which a knife ends.

    Their centroids are on the surface, and their centres far outside of it.

    Args:
        slopes: the gradients (k, 4, 2, 3) on both sides of their corners.
        on: which of the corners (k, 4) are on the knife.
    """
    units = length_and_unit(slopes)[1]
    order = np.argsort(on, axis=1, kind="stable")[:, :3]
    first, second, third = (units[np.arange(len(on)), order[:, i]] for i in range(3))
    alike = np.zeros((len(on), 2), dtype=np.bool_)
    for side in (0, 1):
        own = first[:, side, None]
        alike[:, side] = (dot(second, own) > _ALIKE).any(axis=1) & (dot(third, own) > _ALIKE).any(axis=1)
    return np.asarray(alike.any(axis=1) & (on.sum(axis=1) == 1))


def delaunay_tetrahedra(points: Floats, weights: Floats) -> tuple[Ints, Ints]:
    """Return the Delaunay tetrahedra (s, 4) of weighted points (n, 3), and their neighbours (s, 4) opposite
    to each corner, -1 where there is none.

    With weights they are the lower side of the hull of the points lifted to x . x - w (Aurenhammer 1987).
    """
    if not weights.any():
        mesh = Delaunay(points)
        return mesh.simplices.astype(np.intp), mesh.neighbors.astype(np.intp)
    lifted = np.concatenate([points, (dot(points, points) - weights)[:, None]], axis=1)
    hull = ConvexHull(lifted, qhull_options="Qbb Q12 Qt")
    lower = hull.equations[:, 3] < 0.0
    number = np.where(lower, np.cumsum(lower) - 1, -1)
    return hull.simplices[lower].astype(np.intp), number[hull.neighbors[lower]].astype(np.intp)


def circumcentres(corners: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the centres (s, 3), of equal power to the corners, of tetrahedra (s, 4, 3) with weights (s, 4),
    and six times their signed volumes (s,).
    """
    a, b, c = (corners[:, i] - corners[:, 0] for i in (1, 2, 3))
    bc, ca, ab = cross(b, c), cross(c, a), cross(a, b)
    volume = dot(a, bc)
    more = weights[:, 1:] - weights[:, :1]
    squares = ((dot(side, side) - more[:, i])[:, None] for i, side in enumerate((a, b, c)))
    offset = sum(square * normal for square, normal in zip(squares, (bc, ca, ab), strict=True))
    flat = np.where(volume == 0.0, np.finfo(np.float64).tiny, volume)
    with np.errstate(over="ignore", invalid="ignore"):
        centre = corners[:, 0] + 0.5 * offset / flat[:, None]
    far = _FAR * float(np.abs(corners).max())
    return np.clip(np.where(np.isfinite(centre), centre, corners[:, 0]), -far, far), volume
