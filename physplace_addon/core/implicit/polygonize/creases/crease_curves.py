"""Creases of an implicit surface as curves: points along them, how these are linked, and their zones.

Two neighbours are linked where the normals of both sides are alike and the tangents are those of an arc. What
is no crease point stays out of the points' zones, balls about them that cover the links. With the squares of
their radii as weights of the Delaunay tetrahedra, links become edges of these, and the two sides of a crease
are not joined across it (the protecting balls of Cheng, Dey and Ramos 2010).

At a corner end several creases. Each of them has a point of its own there, with the normals of its own sides,
from which it leads one way; together these are one vertex.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial import cKDTree

from ....arrays import Bools, Floats, Ints
from ....vectors import dot, length, length_and_unit
from .crease_points import NO_POINTS, CreasePoints

_FAR = 1.6  # steps: how far ahead a neighbour may be
_AHEAD = 0.6  # least cosine between the tangent and the way to a neighbour
_ARC = 0.8  # least cosine between the tangent at a neighbour and that of an arc of a circle that leads there
_ALIKE = 0.7  # least cosine between the normals of neighbours, side by side
_NEAREST = 24  # points among which neighbours are looked for
_SHORT = 0.9  # shortest links: a zone is no wider
# times the shortest link that it meets: a longer one is halved, but not twice as long ones, as halving leaves
_UNEVEN = 2.1
_ZONE = 0.65  # longest links: what is no crease point is no nearer to a crease point
# longest links but those of acute corners: no zone is made narrower for points of other creases that it has
# inside, as those of both ends would not cover a link of 2 of these
_COVERS = 0.55
_ACUTE = 0.6  # radians: creases that meet at less in a corner are about as near as their points there
_CONCENTRIC = 1e-2  # of their length: how much the links of a corner differ that are taken as equal
# of the zones at the other ends of such links: how far that about the corner reaches into them
_OVERLAP = 0.6
_WIDE = 0.97  # of their length: that zone is no wider
_ZONES = 6  # points of the least power at a place in whose zones it may be


@dataclass(frozen=True, eq=False)
class CreaseCurves:
    """Points along creases.

    Attributes:
        points: the points (n).
        steps: how far apart they shall be about each (n,), in scene units.
        leads: whether the crease leads on from it (n, 2), against the tangent and along it.
        ended: whether it was looked for there (n, 2) in vain.
        corners: which points (n,) are where creases end.
    """

    points: CreasePoints
    steps: Floats
    leads: Bools
    ended: Bools
    corners: Bools

    @classmethod
    def of(cls, points: CreasePoints, steps: Floats, leads: Bools | None = None) -> CreaseCurves:
        """Return points with their steps (n,); those from which the crease does not lead both ways (n, 2) are
        corners.
        """
        both = np.ones((len(points), 2), dtype=np.bool_) if leads is None else leads
        corners = np.asarray(~both.all(axis=1), dtype=np.bool_)
        return cls(points, steps, both, np.zeros(both.shape, dtype=np.bool_), corners)

    def __len__(self) -> int:
        return len(self.points)

    def taken(self, rows: Ints | Bools) -> CreaseCurves:
        """Return some of the points, by their numbers (k,) or marks (n,)."""
        leads, ended, corners = self.leads[rows], self.ended[rows], self.corners[rows]
        return CreaseCurves(self.points.taken(rows), self.steps[rows], leads, ended, corners)

    def joined(self, other: CreaseCurves) -> CreaseCurves:
        """Return these points and others."""
        return CreaseCurves(
            self.points.joined(other.points),
            np.concatenate([self.steps, other.steps]),
            np.concatenate([self.leads, other.leads]),
            np.concatenate([self.ended, other.ended]),
            np.concatenate([self.corners, other.corners]),
        )

    @property
    def inwards(self) -> Floats:
        """The directions (n, 3) in which the crease leads on from its ends; 0 of others."""
        way = self.leads[:, 1].astype(np.float64) - self.leads[:, 0]
        return np.asarray(way[:, None] * self.points.tangents)

    @cached_property
    def ahead(self) -> Ints:
        """The neighbour (n, 2) of each point against the tangent and along it; -1 where there is none."""
        count = len(self)
        if count < 2:
            return np.full((count, 2), -1)
        places, normals, tangents = self.points.places, self.points.normals, self.points.tangents
        near = np.asarray(cKDTree(places).query(places, min(_NEAREST, count))[1], dtype=np.intp)
        apart, unit = length_and_unit(places[near] - places[:, None])
        alike = np.maximum(
            dot(normals[near], normals[:, None]).min(axis=2),
            dot(normals[near], normals[:, None, ::-1]).min(axis=2),
        )
        along = dot(unit, tangents[:, None])
        # on an arc of a circle the tangent at one end is that at the other in the mirror of the chord
        mirrored = dot(2.0 * along[..., None] * unit - tangents[:, None], tangents[near])
        # the neighbour looks back on its side 0 where its tangent is along the chord
        back = np.where(dot(unit, tangents[near]) > 0.0, self.leads[near, 0], self.leads[near, 1])
        may_be = (apart > 0.0) & (apart <= _FAR * self.steps[:, None]) & back
        may_be &= (alike >= _ALIKE) & (np.abs(mirrored) >= _ARC)
        found = np.full((count, 2), -1)
        for side, sign in enumerate((-1.0, 1.0)):
            far = np.where(may_be & (sign * along >= _AHEAD), apart, np.inf)
            best = np.argmin(far, axis=1)
            rows = np.flatnonzero(np.isfinite(far[np.arange(count), best]) & self.leads[:, side])
            found[rows, side] = near[rows, best[rows]]
        return self._with_corners_behind(found)

    def _with_corners_behind(self, ahead: Ints) -> Ints:
        """Return the neighbours (n, 2) of points, with the corners whose next point they are.

        These may be much farther from it than the one after is.
        """
        rows, sides = np.nonzero((ahead >= 0) & self.corners[:, None])
        after = ahead[rows, sides]
        way = self.points.places[rows] - self.points.places[after]
        behind = (dot(way, self.points.tangents[after]) > 0.0).astype(np.intp)
        open_ = (ahead[after, behind] < 0) & self.leads[after, behind]
        ahead[after[open_], behind[open_]] = rows[open_]
        return ahead

    @cached_property
    def links(self) -> Ints:
        """The numbers (m, 2) of linked points."""
        rows, sides = np.nonzero(self.ahead >= 0)
        both = np.sort(np.stack([rows, self.ahead[rows, sides]], axis=1), axis=1)
        vertices = self.vertex_of[both]
        once = np.unique(np.sort(vertices, axis=1), axis=0, return_index=True)[1]
        return np.asarray(both[once], dtype=np.intp)

    @cached_property
    def gaps(self) -> Floats:
        """The lengths (m,) of the links."""
        return length(self.points.places[self.links[:, 1]] - self.points.places[self.links[:, 0]])

    @cached_property
    def _numbered(self) -> tuple[Ints, Ints]:
        if not len(self):
            return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
        _, first, number = np.unique(self.points.places, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        return first[order], place[number.ravel()]

    @cached_property
    def knife_axes(self) -> Floats:
        """The normal of one side less that of the other at each vertex (v, 3) on a knife or at its end; 0 at
        others, and where several end.
        """
        axes = self.axes_of_knives
        several: Bools = np.asarray(axes[:, 1:].any(axis=(1, 2)))
        return np.where(several[:, None], 0.0, axes[:, 0])

    @cached_property
    def axes_of_knives(self) -> Floats:
        """The normal of one side less that of the other, of each knife that is at each vertex (v, k, 3); 0
        where there are fewer.
        """
        rows = np.flatnonzero(self.points.knives)
        rows = rows[np.argsort(self.vertex_of[rows], kind="stable")]
        vertex, own = self.vertex_of[rows], self.points.normals[rows]
        turn = np.arange(len(rows)) - np.searchsorted(vertex, vertex)
        axes = np.zeros((len(self.vertices), int(turn.max(initial=1)) + 1, 3))
        axes[vertex, turn] = own[:, 0] - own[:, 1]
        return axes

    @property
    def vertices(self) -> Ints:
        """A point (v,) of each vertex, in their order."""
        return self._numbered[0]

    @property
    def vertex_of(self) -> Ints:
        """The vertex (n,) that each point is at."""
        return self._numbered[1]

    @cached_property
    def _shortest_and_longest(self) -> tuple[Floats, Floats]:
        """The lengths (v,), (v,) of the shortest and the longest link of vertices, or their steps."""
        count = len(self.vertices)
        longest, shortest = np.zeros(count), np.full(count, np.inf)
        for end in self.vertex_of[self.links].T:
            np.maximum.at(longest, end, self.gaps)
            np.minimum.at(shortest, end, self.gaps)
        linked, steps = longest > 0.0, self.steps[self.vertices]
        return np.where(linked, shortest, steps), np.where(linked, longest, steps)

    @cached_property
    def least_angles(self) -> Floats:
        """The least angle (v,) in radians between creases that end at each vertex; infinite where there are
        none.
        """
        least = np.full(len(self.vertices), np.inf)
        ends = np.flatnonzero(self.leads.any(axis=1) & ~self.leads.all(axis=1))
        inwards, vertex = self.inwards[ends], self.vertex_of[ends]
        order = np.argsort(vertex, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(vertex[order])) + 1):
            if len(rows) > 1:
                first, second = np.triu_indices(len(rows), 1)
                apart = length(inwards[rows[first]] - inwards[rows[second]])
                least[vertex[rows[0]]] = 2.0 * np.arcsin(np.minimum(0.5 * apart.min(), 1.0))
        return least

    @property
    def acute(self) -> Bools:
        """Which vertices (v,) are corners where creases meet at an acute angle."""
        return np.asarray((self.least_angles < _ACUTE) & (self.least_angles > 0.0))

    @cached_property
    def concentric(self) -> Bools:
        """Which vertices (v,) are acute corners whose links are as long as each other."""
        shortest, longest = self._shortest_and_longest
        linked = np.bincount(self.vertex_of[self.links].ravel(), minlength=len(self.vertices))
        ends = np.bincount(self.vertex_of[self.corners], minlength=len(self.vertices))
        equal = (longest <= (1.0 + _CONCENTRIC) * shortest) & (linked == ends)
        return np.asarray(self.acute & equal)

    @cached_property
    def zones(self) -> Floats:
        """How near to each vertex (v,) no other point may be that is not on a crease, in scene units."""
        shortest, longest = self._shortest_and_longest
        plain = np.minimum(_ZONE * longest, _SHORT * shortest)
        # beside another crease, as at the root of a fin, zones have no points of that inside
        plain = np.minimum(plain, np.maximum(_SHORT * self._to_next, _COVERS * self._longest_plain))
        # a ball about an acute corner reaches almost to the next points, however small those about them are
        wide = np.zeros(len(plain))
        ends = self.vertex_of[self.links]
        for own, other in (ends.T, ends.T[::-1]):
            np.maximum.at(wide, own, self.gaps - _OVERLAP * plain[other])
        wide = np.minimum(wide, _WIDE * shortest)
        return np.where(self.concentric, np.maximum(wide, plain), plain)

    @cached_property
    def _to_next(self) -> Floats:
        """How far the next vertex is from each (v,), of whichever crease; infinite where there is but one."""
        count = len(self.vertices)
        if count < 2:
            return np.full(count, np.inf)
        return np.asarray(self.tree.query(self.points.places[self.vertices], 2)[0])[:, 1]

    @cached_property
    def _longest_plain(self) -> Floats:
        """The length (v,) of the longest link of vertices, but those of acute corners; infinite where there
        is none.
        """
        longest, ends = np.zeros(len(self.vertices)), self.vertex_of[self.links]
        plain = ~self.concentric[ends].any(axis=1)
        for end in ends[plain].T:
            np.maximum.at(longest, end, self.gaps[plain])
        return np.where(longest > 0.0, longest, np.inf)

    def zone_at(self, places: Floats) -> Ints:
        """Return a vertex (k,) in whose zone each place (k, 3) is; -1 where it is in none."""
        if not len(self) or not len(places):
            return np.full(len(places), -1)
        count = min(_ZONES, len(self.vertices))
        lifted = np.pad(places, ((0, 0), (0, 1)))
        near = np.reshape(self._power_tree.query(lifted, count)[1], (len(places), count))
        share = length(self.points.places[self.vertices][near] - places[:, None]) / self.zones[near]
        best = np.argmin(share, axis=1)
        rows = np.arange(len(places))
        return np.where(share[rows, best] < 1.0, near[rows, best], -1)

    @cached_property
    def uneven(self) -> Bools:
        """Which links (m,) are much longer than others that they meet, or than their ends' zones reach."""
        ends, shortest = self.vertex_of[self.links], self._shortest_and_longest[0]
        uncovered = self.gaps > self.zones[ends].sum(axis=1)
        long = self.gaps > _UNEVEN * shortest[ends].min(axis=1)
        return np.asarray(uncovered | (long & ~self.concentric[ends].any(axis=1)))

    @cached_property
    def covering(self) -> Bools:
        """Which links (m,) end where the zone has another vertex in it: that may be in no tetrahedron."""
        covers = self._to_next < self.zones
        return np.asarray(covers[self.vertex_of[self.links]].any(axis=1))

    @cached_property
    def _power_tree(self) -> cKDTree:
        """The vertices, to find those of the least power: squared distances are that and a constant."""
        weights = self.zones**2
        beside = np.sqrt(weights.max() - weights)
        return cKDTree(np.concatenate([self.points.places[self.vertices], beside[:, None]], axis=1))

    @cached_property
    def tree(self) -> cKDTree:
        """The vertices, to find the nearest ones."""
        return cKDTree(self.points.places[self.vertices])


def no_curves() -> CreaseCurves:
    """Return that there are no creases."""
    return CreaseCurves.of(NO_POINTS, np.zeros(0))
