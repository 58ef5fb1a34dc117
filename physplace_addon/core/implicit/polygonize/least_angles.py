"""Larger least angles of a mesh on an implicit surface, by local changes that keep its topology.

What ends Delaunay refinement, and what cuts edges afterwards, leaves a few thin triangles. Of each, these
changes are tried (Freitag and Ollivier-Gooch 1997), on the surface:

- an edge is flipped to the other diagonal of its two triangles;
- an edge is collapsed into one of its ends, if both have no other neighbours in common than the two across
  it, which keeps the topology (Dey, Edelsbrunner, Guha and Nekhayev 1999);
- a corner is moved, about as far as the next ones are.

The change with the greatest least angle is made, if that is greater than before and the new triangles are
near enough to the surface, face as those before, and cut through no others. A triangle is tried again only
after others next to it were changed. Points on creases and next to them stay, and so do edges between these;
there thin triangles are left as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ...arrays import Floats, Ints
from ...vectors import cross, dot, length, length_and_unit
from ..functions.base import ImplicitFunction
from ..neighbours import nearest
from ..projection import distances_within, projected
from .creases.normal_jumps import creases
from .mesh_topology import area_vectors
from .self_intersection import cross_each_other

_AIM = np.radians(17.0)  # triangles of smaller angles are changed
_ROUNDS = 40  # most rounds in which thin triangles are changed
_BETTER = 1e-3  # radians that a change has to gain
# least cosine between the normal of a new triangle and that of all that were there, unless one of these was
# farther from it, as where triangles close the depth of a slit
_FACING = 0.6
_SHARES = (0.15, 0.3, 0.5)  # of the distance to its neighbours: how far a corner is moved
_STEPS = 4  # Newton's steps that bring it onto the surface
_WAYS = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)  # directions of that, in radians
# shares of the corners in the places of a triangle whose distance to the surface is measured
_PLACES = (
    np.array([(i, j, 4 - i - j) for i in range(5) for j in range(5 - i) if max(i, j, 4 - i - j) < 4]) / 4.0
)


@dataclass(frozen=True, eq=False)
class _Change:
    """A local change.

    Attributes:
        removed: the numbers (r,) of triangles that go.
        added: the triangles (a, 3) that come.
        corner: the point that is moved; -1 if none is.
        place: where to (3,).
        angle: the least angle of those of the new triangles that are not at creases, in radians.
    """

    removed: Ints
    added: Ints
    corner: int
    place: Floats
    angle: float


def with_larger_angles(
    function: ImplicitFunction, points: Floats, triangles: Ints, within: float, beside: float
) -> tuple[Floats, Ints]:
    """Return a mesh whose triangles have larger angles where some are thin, but at creases.

    Args:
        function: F.
        points: points (n, 3) on the surface.
        triangles: a closed mesh (t, 3) through them.
        within: how far new triangles may be from the surface, in scene units.
        beside: how near to a crease points stay as they are, in scene units.
    """
    if not (least_angles(points[triangles]) < _AIM).any():
        return points, triangles
    mesh = _LocalChanges(function, points.copy(), triangles, within, beside)
    for _ in range(_ROUNDS):
        if not mesh.improved():
            break
    return mesh.points, mesh.triangles


def least_angles(corners: Floats) -> Floats:
    """Return the least angle (t,) of triangles (t, 3, 3), in radians."""
    sides = length_and_unit(np.roll(corners, -1, axis=-2) - corners)[1]
    cosines = -dot(sides, np.roll(sides, 1, axis=-2))
    return np.asarray(np.arccos(np.clip(cosines.max(axis=-1), -1.0, 1.0)))


class _LocalChanges:
    """A mesh whose thin triangles are changed, in rounds."""

    def __init__(
        self, function: ImplicitFunction, points: Floats, triangles: Ints, within: float, beside: float
    ) -> None:
        self.function, self.points, self.triangles, self._within = function, points, triangles, within
        places = creases(function, points, triangles)[0]
        self._stays = nearest(points, places)[0] < beside if len(places) else np.zeros(len(points), np.bool_)
        self._new = np.ones(len(points), dtype=np.bool_)  # points about which triangles were not tried yet

    def improved(self) -> bool:
        """Return whether some triangles were changed in a round, the thinnest first."""
        angles = least_angles(self.points[self.triangles])
        stay, new = (own[self.triangles].any(axis=1) for own in (self._stays, self._new))
        thin = np.flatnonzero((angles < _AIM) & ~stay & new)
        self._index(thin)
        changes: list[_Change] = []
        for row in thin[np.argsort(angles[thin], kind="stable")].tolist():
            change = self._best(row)
            if change is not None:
                changes.append(change)
                self._added.append(change.added)
                self._busy[self.triangles[change.removed]] = True
                if change.corner >= 0:
                    self.points[change.corner] = change.place
        self._apply(changes)
        return bool(changes)

    def _index(self, thin: Ints) -> None:
        """Find what the round needs: triangles by their corners, and boxes of triangles."""
        self._busy = np.zeros(len(self.points), dtype=np.bool_)
        self._added: list[Ints] = []
        flat = self.triangles.ravel()
        order = np.argsort(flat, kind="stable")
        starts = np.searchsorted(flat[order], np.arange(len(self.points) + 1))
        self._order, self._starts = order // 3, starts
        if len(thin):
            corners = self.points[self.triangles]
            self._middles = cKDTree(corners.mean(axis=1))
            self._reaches = length(corners - corners.mean(axis=1, keepdims=True)).max(axis=1)

    def _star(self, point: int) -> Ints:
        """Return the triangles (k,) at a point."""
        return self._order[self._starts[point] : self._starts[point + 1]]

    def _beside(self, point: int) -> set[int]:
        """Return the points that have an edge to a point."""
        return set(self.triangles[self._star(point)].ravel().tolist()) - {point}

    def _apply(self, changes: list[_Change]) -> None:
        """Replace triangles by those of changes. What is farther from these than a triangle is as before."""
        if changes:
            stays = np.ones(len(self.triangles), dtype=np.bool_)
            stays[np.concatenate([change.removed for change in changes])] = False
            added = [change.added for change in changes]
            self.triangles = np.concatenate([self.triangles[stays], *added])
            self._new = np.zeros(len(self.points), dtype=np.bool_)
            self._new[self.triangles[self._busy[self.triangles].any(axis=1)]] = True

    def _best(self, row: int) -> _Change | None:
        """Return the best change that is allowed of a thin triangle, None if there is none."""
        if self._busy[self.triangles[row]].any():
            return None
        found = [
            change
            for change in (*self._flips(row), *self._collapses(row), *self._moves(row))
            if not self._busy[self.triangles[change.removed]].any() and self._gains(change)
        ]
        found.sort(key=lambda change: -change.angle)
        return next((change for change in found if self._is_allowed(change)), None)

    def _flips(self, row: int) -> Iterator[_Change]:
        """Yield flips of the edges of a triangle."""
        for a, b, c in _turns(self.triangles[row]):
            pair = np.intersect1d(self._star(a), self._star(b))
            across = set(self.triangles[pair].ravel().tolist()) - {a, b, c}
            if len(pair) != 2 or len(across) != 1 or self._stays[[a, b]].all():
                continue
            d = across.pop()
            if d not in self._beside(c):
                yield self._change(pair, np.array([[a, d, c], [d, b, c]]))

    def _collapses(self, row: int) -> Iterator[_Change]:
        """Yield collapses of the edges of a triangle into either end."""
        for a, b, _ in _turns(self.triangles[row]):
            if len(self._beside(a) & self._beside(b)) != 2:
                continue
            for gone, kept in ((a, b), (b, a)):
                star = self._star(gone)
                if self._stays[gone] or len(self._beside(kept)) <= 3:
                    continue
                rest = self.triangles[star]
                rest = rest[~(rest == kept).any(axis=1)]
                yield self._change(star, np.where(rest == gone, kept, rest))

    def _moves(self, row: int) -> Iterator[_Change]:
        """Yield the best move of each corner of a triangle."""
        for corner in self.triangles[row].tolist():
            star = self._star(corner)
            ring = self.points[sorted(self._beside(corner))]
            here, size = self.points[corner], float(length(ring - self.points[corner]).min())
            normal = length_and_unit(self.function.gradient(here[None])[1])[1][0]
            first = length_and_unit(ring[0] - here - ((ring[0] - here) @ normal) * normal)[1]
            ways = np.cos(_WAYS)[:, None] * first + np.sin(_WAYS)[:, None] * cross(normal, first)
            places = np.concatenate(
                [ring.mean(axis=0)[None], *(here + share * size * ways for share in _SHARES)]
            )
            places = projected(self.function, places, size, _STEPS)
            triangles = self.triangles[star]
            corners = np.repeat(self.points[triangles][None], len(places), axis=0)
            corners[:, triangles == corner] = places[:, None]
            angles = least_angles(corners[:, ~self._stays[triangles].any(axis=1)]).min(axis=1)
            yield self._change(star, triangles, corner, places[np.argmax(angles)])

    def _change(self, removed: Ints, added: Ints, corner: int = -1, place: Floats | None = None) -> _Change:
        """Return a change, with its least angle."""
        there = np.zeros(3) if place is None else place
        counted = ~self._stays[added].any(axis=1)
        corners = self._corners(added, corner, there)
        angle = least_angles(corners[counted]).min(initial=np.pi) if len(added) else 0.0
        return _Change(np.asarray(removed), added, corner, there, float(angle))

    def _corners(self, triangles: Ints, corner: int, place: Floats) -> Floats:
        """Return the corners of triangles (k, 3, 3), one of them moved to a place."""
        found = self.points[triangles]
        if corner >= 0:
            found[triangles == corner] = place
        return found

    def _gains(self, change: _Change) -> bool:
        """Return whether the least angle is greater after a change, and no less at creases."""
        before = least_angles(self.points[self.triangles[change.removed]])
        beside = self._stays[self.triangles[change.removed]].any(axis=1)
        if change.angle < before[~beside].min(initial=np.pi) + _BETTER:
            return False
        after = least_angles(self._corners(change.added, change.corner, change.place))
        return bool(after.min() >= before.min())

    def _is_allowed(self, change: _Change) -> bool:
        """Return whether new triangles are near enough, face as those before, and cut through no others."""
        new = self._corners(change.added, change.corner, change.place)
        vectors = area_vectors(self.points, self.triangles[change.removed])
        before, old = length_and_unit(vectors.sum(axis=0))[1], length_and_unit(vectors)[1]
        facing = length_and_unit(cross(new[:, 1] - new[:, 0], new[:, 2] - new[:, 0]))[1]
        if not np.isfinite(new).all() or (facing @ before).min() < min(_FACING, (old @ before).min()):
            return False
        places = np.einsum("sc,tci->tsi", _PLACES, new).reshape(-1, 3)
        away = distances_within(self.function, places, np.repeat(new, len(_PLACES), axis=0))
        return bool(away.max() <= self._within) and not self._cuts(change, new)

    def _cuts(self, change: _Change, new: Floats) -> bool:
        """Return whether new triangles (a, 3, 3) cut through each other, or through any that are there, were
        removed in this round, or were added in it.
        """
        middles = new.mean(axis=1)
        reaches = length(new - middles[:, None]).max(axis=1)
        near = self._middles.query_ball_point(middles, reaches + self._reaches.max())
        rows = np.setdiff1d(np.concatenate([np.array(own, dtype=np.intp) for own in near]), change.removed)
        points = self.points
        if change.corner >= 0:
            points = points.copy()
            points[change.corner] = change.place
        others = np.concatenate([self.triangles[rows], *self._added, change.added])
        one, other = np.indices((len(change.added), len(others))).reshape(2, -1)
        apart = other != len(others) - len(change.added) + one
        return bool(cross_each_other(points, change.added[one[apart]], others[other[apart]]).any())


def _turns(triangle: Ints) -> list[tuple[int, int, int]]:
    """Return the corners of a triangle, begun with each of them."""
    a, b, c = triangle.tolist()
    return [(a, b, c), (b, c, a), (c, a, b)]
