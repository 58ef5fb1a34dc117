"""Does a small free motion lower a body of triangles?  By trying, with no code of the solver.

A motion lifts the body straight up, shifts and turns it there by a small twist, and lets it down again to
the first touch.  How far down that is follows exactly from the vertical distances of corners over triangles
and of edges over edges.  A motion whose way up, turn, or end cuts through anything does not count: a fall
that is reported is one.  Coordinates are those of the world, up is +z, turns are about the centre of mass.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.oracles.arrays import Floats, Ints
from tests.oracles.frames import rotation_of
from tests.oracles.soups import Soup, deepest_crossing
from tests.oracles.triangles import near_boxes

LIFTS = (4.0, 20.0)  # heights to which a body is lifted, over the size of the motion
DOWN = 5.0  # farthest way down below its place, over the size of the motion
UPRIGHT = 1e-9  # area of a triangle seen from above, over its size squared, that is none
PARALLEL = 1e-14  # the same of two edges
ROUNDING = 1e-12  # of the coordinates of a point in a triangle and on an edge
ABOVE = 1e-6  # of R: vertical distance of what is above, not in touch
CUT = 1e-9  # of R: depth that is no overlap on the way
END = 1e-4  # over the size of the motion: depth at its end by which the fall is sure
SHARES = (1.0, 0.5, 0.25, 0.75)  # of the turn at which it is examined
MOST_EXAMINED = 200  # motions
LEAST = 1e-4  # falls, over the size of the motion, that are not worth an examination


def small_motions(random: np.random.Generator, count: int, least: float = 3e-4, most: float = 1e-2) -> Floats:
    """Random motions (count, 6), shifts over R and turns in radians, of sizes between two over R."""
    ways = random.normal(size=(count, 6))
    sizes = np.exp(random.uniform(np.log(least), np.log(most), count))
    result: Floats = ways * (sizes / np.linalg.norm(ways, axis=1))[:, None]
    return result


@dataclass(frozen=True)
class Resting:
    """A body of triangles where it stands among others, its centre of mass (3,) and its radius R."""

    body: Soup
    world: Soup
    centre: Floats
    radius: float

    def moved(self, motion: Floats, height: float, share: float = 1.0) -> Soup:
        """The body after a share of a motion (6,), and then higher by a length."""
        turn = _turn(share * motion[3:])
        shift = share * self.radius * motion[:3] + [0.0, 0.0, height]
        return self.body.moved(turn, self.centre - turn @ self.centre + shift)


def greatest_fall(at: Resting, motions: Floats) -> float:
    """The greatest loss of height of the centre of mass, over the motion's size, that any of the motions (n,
    6) gives; negative if all of them raise it.
    """
    sizes = at.radius * np.linalg.norm(motions, axis=1)
    vertical = _Vertical.of(at, float(sizes.max()))
    ceiling = vertical.ceiling(at)
    falls = np.stack(
        [vertical.falls(at, motions, sizes, factor * sizes, ceiling) for factor in LIFTS], axis=1
    )
    for place in np.argsort(-falls, axis=None)[:MOST_EXAMINED]:
        row, lift = np.unravel_index(place, falls.shape)
        fall = float(falls[row, lift])
        if fall < LEAST or _is_free(
            at, motions[row], fall, float(sizes[row]), LIFTS[lift] * float(sizes[row])
        ):
            return fall
    return 0.0


def _is_free(at: Resting, motion: Floats, fall: float, size: float, lift: float) -> bool:
    """Whether nothing is cut while the body turns, lifted, and at the end."""
    turning = (deepest_crossing(at.moved(motion, lift, share), at.world) for share in SHARES)
    if any(depth > CUT * at.radius for depth in turning):
        return False
    end = at.moved(motion, -fall * size - at.radius * float(motion[2]))
    return deepest_crossing(end, at.world) < END * size


@dataclass(frozen=True)
class _Vertical:
    """The pairs of features that may come to be above one another: corners of the body over triangles,
    triangles over corners of the world, sharp edges over sharp edges.
    """

    corners: Ints
    triangles: Ints
    edges: Ints

    @classmethod
    def of(cls, at: Resting, size: float) -> _Vertical:
        """The pairs within the reach of motions of a size, a length."""
        body, world = at.body, at.world
        pad = np.array([LIFTS[0], LIFTS[0], LIFTS[-1] + DOWN + 1.0]) * size
        mine, theirs = np.nonzero(body.sharp_edge)[0], np.nonzero(world.sharp_edge)[0]
        pairs = near_boxes(body.points[body.edges[mine]], world.points[world.edges[theirs]], pad)
        return cls(
            near_boxes(body.points[:, None], world.triangles, pad),
            near_boxes(body.triangles, world.points[:, None], pad),
            np.stack([mine[pairs[:, 0]], theirs[pairs[:, 1]]], axis=1),
        )

    def ceiling(self, at: Resting) -> float:
        """How far the body may be lifted."""
        gaps = self._gaps(at, at.body.points[None])[0]
        return float(-gaps[gaps < -ABOVE * at.radius].max(initial=-np.inf))

    def falls(self, at: Resting, motions: Floats, sizes: Floats, lifts: Floats, ceiling: float) -> Floats:
        """The loss of height (n,), over the motion's size, after each lift (n,); -inf beyond the ceiling."""
        found = np.empty(len(motions))
        many = len(self.corners) + len(self.triangles) + len(self.edges)
        for rows in np.array_split(np.arange(len(motions)), len(motions) * many // 400_000 + 1):
            turns = np.array([_turn(motion[3:]) for motion in motions[rows]])
            points = (at.body.points - at.centre) @ turns.transpose(0, 2, 1) + at.centre
            points += at.radius * motions[rows, None, :3]
            points[..., 2] += lifts[rows, None]
            gaps = self._gaps(at, points)
            way = np.fmin.reduce(np.where(gaps >= 0, gaps, np.nan), axis=1, initial=np.inf)
            found[rows] = np.minimum(way, lifts[rows] + DOWN * sizes[rows])
        drop = found - lifts - at.radius * motions[:, 2]
        return np.where(lifts < ceiling, drop / sizes, -np.inf)

    def _gaps(self, at: Resting, points: Floats) -> Floats:
        """Heights (n, k) of the body, its points at (n, p, 3), over the world; nan if not over it."""
        body, world = at.body, at.world
        over = _heights(points[:, self.corners[:, 0]], world.triangles[self.corners[:, 1]][None])
        under = -_heights(
            world.points[self.triangles[:, 1]][None], points[:, body.corners[self.triangles[:, 0]]]
        )
        mine = points[:, body.edges[self.edges[:, 0]]]
        across = _edge_heights(mine, world.points[world.edges[self.edges[:, 1]]][None])
        return np.concatenate([over, under, across], axis=1)


def _heights(points: Floats, triangles: Floats) -> Floats:
    """Heights of points (..., 3) over triangles (..., 3, 3); nan beside them and over upright ones."""
    first = triangles[..., 0, :]
    u, v, w = triangles[..., 1, :] - first, triangles[..., 2, :] - first, points - first
    area = _area(u, v)
    seen = np.abs(area) > UPRIGHT * np.maximum(np.abs(u).max(-1), np.abs(v).max(-1)) ** 2
    area = np.where(seen, area, 1.0)
    s, t = _area(w, v) / area, _area(u, w) / area
    seen = seen & (s >= -ROUNDING) & (t >= -ROUNDING) & (s + t <= 1.0 + ROUNDING)
    return np.where(seen, w[..., 2] - s * u[..., 2] - t * v[..., 2], np.nan)


def _edge_heights(first: Floats, second: Floats) -> Floats:
    """Heights of edges (..., 2, 3) over others where they cross, seen from above; nan where they do not."""
    u, v = first[..., 1, :] - first[..., 0, :], second[..., 1, :] - second[..., 0, :]
    w = second[..., 0, :] - first[..., 0, :]
    area = _area(u, v)
    cross = np.abs(area) > PARALLEL * np.abs(u[..., :2]).max(-1) * np.abs(v[..., :2]).max(-1)
    area = np.where(cross, area, 1.0)
    s, t = _area(w, v) / area, _area(w, u) / area
    for share in (s, t):
        cross = cross & (share >= -ROUNDING) & (share <= 1.0 + ROUNDING)
    return np.where(cross, s * u[..., 2] - w[..., 2] - t * v[..., 2], np.nan)


def _area(u: Floats, v: Floats) -> Floats:
    """The area that two vectors (..., 3) span, seen from above."""
    result: Floats = u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]
    return result


def _turn(vector: Floats) -> Floats:
    """The rotation (3, 3) of a rotation vector (3,)."""
    half = 0.5 * float(np.linalg.norm(vector))
    return rotation_of(np.concatenate([[np.cos(half)], 0.5 * np.sinc(half / np.pi) * vector]))
