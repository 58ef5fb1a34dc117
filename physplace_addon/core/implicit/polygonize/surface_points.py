"""The points that a mesh is made through: those on creases, and all others, which stay out of their zones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.spatial import cKDTree

from ...arrays import Floats, Ints
from ...vectors import dot, length, length_and_unit
from ..functions.base import ImplicitFunction
from ..neighbours import nearest
from .creases.crease_curves import CreaseCurves, no_curves
from .creases.crease_following import crease_curves, halved_links
from .creases.crease_points import crease_points_between
from .tetrahedra import Knives

_NUMBERS = np.int64(1) << 31  # points whose names make different keys of pairs
_NEIGHBOURS = 6  # neighbours of a point between which and the point creases are looked for


@dataclass(frozen=True, eq=False)
class SurfacePoints:
    """Points on a surface.

    Attributes:
        places: where they are (n, 3), those on creases first.
        names: a number of each (n,) that no other point has or had.
        curves: the creases.
        unnamed: the least number that is no name.
    """

    places: Floats
    names: Ints
    curves: CreaseCurves
    unnamed: int

    @classmethod
    def of(cls, places: Floats) -> SurfacePoints:
        """Return points (n, 3), none of which is known to be on a crease."""
        return cls(places, np.arange(len(places)), no_curves(), len(places))

    def with_curves(self, curves: CreaseCurves) -> SurfacePoints:
        """Return the points with other creases, without those that are in their zones."""
        old, count = len(self.curves.vertices), len(curves.vertices)
        stays = curves.zone_at(self.places[old:]) < 0
        names = self.unnamed + np.arange(count)
        return SurfacePoints(
            np.concatenate([curves.points.places[curves.vertices], self.places[old:][stays]]),
            np.concatenate([names, self.names[old:][stays]]),
            curves,
            self.unnamed + count,
        )

    def with_more(self, more: Floats) -> SurfacePoints:
        """Return these points and others (k, 3), but those in the zones of creases."""
        more = more[self.curves.zone_at(more) < 0]
        names = np.concatenate([self.names, self.unnamed + np.arange(len(more))])
        places = np.concatenate([self.places, more])
        return replace(self, places=places, names=names, unnamed=self.unnamed + len(more))

    @cached_property
    def weights(self) -> Floats:
        """The squares of the radii (n,) of the zones about points on creases; 0 of others."""
        return np.pad(self.curves.zones**2, (0, len(self.places) - len(self.curves.vertices)))

    @property
    def plain(self) -> Floats:
        """The places (k, 3) of the points that are not on creases."""
        return self.places[len(self.curves.vertices) :]

    def normals(self, function: ImplicitFunction) -> Floats:
        """Return the unit normals (n, 2, 3) of the surface, on a crease those of both sides."""
        plain = length_and_unit(function.gradient(self.plain)[1])[1]
        return np.concatenate(
            [self.curves.points.normals[self.curves.vertices], np.repeat(plain[:, None], 2, axis=1)]
        )

    def knives(self, function: ImplicitFunction, thinnest: float) -> Knives:
        """Return which of the points are on knives, or beside them where the body is thinner than a length,
        and between which sides.
        """
        knives, curves, count = Knives.none(function, self.places), self.curves, len(self.curves.vertices)
        axes, normals = curves.knife_axes, curves.points.normals[curves.vertices]
        knives.axes[:count], knives.normals[:count] = axes, normals
        ends = np.flatnonzero(curves.axes_of_knives[:, 1:].any(axis=(1, 2)))
        knives.ends[ends] = np.arange(len(ends))
        on = np.flatnonzero(axes.any(axis=1))
        knives.beside[count:] = self._beside(on, axes[on], thinnest)
        return replace(knives, ended=curves.axes_of_knives[ends], faces=normals[on])

    def _beside(self, on: Ints, axes: Floats, thinnest: float) -> Ints:
        """Return beside which vertex of a knife each plain point (k,) is where the body is thinner than some
        length, as the place of that among these vertices (v,) with axes (v, 3); -1 where it is not.

        At an angle a the axis is 2 cos(a / 2) long, and the body 2 tan(a / 2) times as thick as the point is
        far from the knife.
        """
        if not len(on):
            return np.full(len(self.plain), -1)
        rows = self.curves.vertices[on]
        apart, near = nearest(self.plain, self.places[on])
        along = np.abs(dot(self.plain - self.places[on][near], self.curves.points.tangents[rows][near]))
        away = np.sqrt(np.maximum(apart**2 - along**2, 0.0))
        cosine = np.minimum(0.5 * length(axes), 1.0)
        thick = 2.0 * (np.sqrt(1.0 - cosine**2) / cosine)[near] * away
        return np.where((thick < thinnest) & (along <= self.curves.steps[rows][near]), near, -1)


def neighbouring(points: Floats) -> Ints:
    """Return pairs (m, 2) of points (n, 3) that are near to each other."""
    if len(points) < 2:
        return np.zeros((0, 2), dtype=np.intp)
    near = np.asarray(cKDTree(points).query(points, min(_NEIGHBOURS + 1, len(points)))[1], dtype=np.intp)
    first = np.repeat(near[:, 0], near.shape[1] - 1)
    return np.unique(np.sort(np.stack([first, near[:, 1:].ravel()], axis=1), axis=1), axis=0)


class CreaseSearch:
    """Finds creases between points, once between each two, and takes them into the points.

    Narrow notches are no creases to follow (`crease_points`): beside these, sides are nearer to each other
    than points of a crease are apart, and triangles could not tell them apart.
    """

    def __init__(self, function: ImplicitFunction, spacing: float, within: float) -> None:
        """Begin where points are a spacing apart and triangles may be so far within the surface."""
        self.function, self.spacing, self.within = function, spacing, within
        self._follows = True
        self._examined = np.zeros(0, dtype=np.int64)

    def taken_into(self, points: SurfacePoints, pairs: Ints, crowded: Ints) -> SurfacePoints:
        """Return points with the creases that were found.

        Args:
            points: the points (n, 3).
            pairs: the numbers (m, 2) of points between which a crease may be.
            crowded: points (k,) on creases where these need more points.
        """
        if not self._follows:
            return points
        new = self._not_examined(points, pairs)
        found = crease_points_between(self.function, points.places[new])
        if not len(found) and not len(crowded):
            return points
        curves = halved_links(self.function, points.curves, crowded, self.spacing)
        curves = crease_curves(self.function, curves, found, self.spacing, self.within)
        return points if len(curves) == len(points.curves) else points.with_curves(curves)

    def given_up(self, points: SurfacePoints) -> SurfacePoints:
        """Return points without creases, which are followed no more."""
        self._follows = False
        return points.with_curves(no_curves()) if len(points.curves) else points

    def _not_examined(self, points: SurfacePoints, pairs: Ints) -> Ints:
        """Return those of pairs (m, 2) that were not examined yet, and of which no point is on a crease."""
        pairs = pairs[(pairs >= len(points.curves.vertices)).all(axis=1)]
        names = np.sort(points.names[pairs], axis=1).astype(np.int64)
        keys = names[:, 0] * _NUMBERS + names[:, 1]
        new = ~np.isin(keys, self._examined)
        self._examined = np.concatenate([self._examined, keys[new]])
        return pairs[new]
