"""How deep bodies overlap, meshes by their triangles and exact surfaces by signed distances of their own.

Two meshes: the deepest crossing of their triangles (`tests.oracles.soups`).  Two exact shapes: the least
signed distance of the one over the other's surface (`tests.oracles.overlap`); a surface without a thickness,
such as that of a blob, which only bounds its distance, is the one that is walked over.  A shape and a mesh:
the least signed distance d over the triangles, by branch and bound: d changes no faster than the point moves,
and where d + c |x|^2 / 2 is convex, as it is near all surfaces here, d(y) >= d(x) + d'(x) . (y - x) -
c |y - x|^2 / 2 for the points y of a triangle, which is least at a corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Protocol

import numpy as np

from physplace_addon.core.arrays import Floats
from physplace_addon.core.bodies import Body
from physplace_addon.core.rigid import Pose
from tests.oracles.frames import rotation_of
from tests.oracles.overlap import separation
from tests.oracles.shapes import Field, Walker
from tests.oracles.soups import Soup, deepest_crossing

FINEST = 0.05  # of the size of all triangles: parts of which only the lowest are cut further
CANDIDATES = 128  # such parts: enough for a rim that digs in, not for faces that lie on one another
LEVELS = 40
EXACTLY = 1e-3  # of a depth: that of a part about which is known


class ExactShape(Walker, Field, Protocol):
    """A shape with a signed distance, and with a surface to walk over."""

    def distance_and_slope(self, x: Floats, /) -> tuple[Floats, Floats]: ...

    @property
    def concavity(self) -> tuple[float, float]: ...


class Judgeable(Protocol):
    """A body with an exact shape, or None for its triangles."""

    @property
    def body(self) -> Body: ...

    @property
    def shape(self) -> ExactShape | None: ...


def deepest_overlap(things: Sequence[Judgeable], poses: Sequence[Pose]) -> tuple[float, str]:
    """Return the depth of the deepest overlap, a length, 0 for none, and the names of both bodies.

    things: those that move at their poses, then those that stand.
    """
    still = [Pose.identity()] * (len(things) - len(poses))
    placed = [*poses, *still]
    boxes = [_box(thing.body, pose) for thing, pose in zip(things, placed, strict=True)]
    deepest, names = 0.0, ""
    for i in range(len(poses)):
        for j in range(i + 1, len(things)):
            if ((boxes[i][0] > boxes[j][1]) | (boxes[j][0] > boxes[i][1])).any():
                continue
            depth = overlap_of(things[i], placed[i], things[j], placed[j])
            if depth > deepest:
                deepest, names = depth, f"{things[i].body.name} {i} and {things[j].body.name} {j}"
    return deepest, names


def overlap_of(one: Judgeable, at_one: Pose, other: Judgeable, at_other: Pose) -> float:
    """Return how deep two bodies overlap, a length, 0 if they do not."""
    if one.shape is None and other.shape is None:
        return _crossing(one.body, at_one, other.body, at_other)
    turn, there = rotation_of(at_one.rotation), at_one.translation
    turn_other, there_other = rotation_of(at_other.rotation), at_other.translation
    if one.shape is not None and other.shape is not None:
        if one.shape.core()[1] > 0.0 and other.shape.core()[1] == 0.0:
            return overlap_of(other, at_other, one, at_one)
        apart = separation(one.shape, turn, there, other.shape, turn_other, there_other, below=0.0)
        return max(0.0, -apart)
    if one.shape is None:
        return overlap_of(other, at_other, one, at_one)
    placed = other.body.triangles @ turn_other.T + there_other
    return max(0.0, -_least_distance(one.shape, (placed - there) @ turn, one.body))


def _box(body: Body, pose: Pose) -> tuple[Floats, Floats]:
    points = pose.points(body.points)
    spare = float(body.triangle_bound.max())
    return points.min(axis=0) - spare, points.max(axis=0) + spare


@cache
def _soup(body: Body) -> Soup:
    return Soup.of(body.triangles)


def _crossing(one: Body, at_one: Pose, other: Body, at_other: Pose) -> float:
    first = _soup(one).moved(rotation_of(at_one.rotation), at_one.translation)
    second = _soup(other).moved(rotation_of(at_other.rotation), at_other.translation)
    return deepest_crossing(first, second)


def _least_distance(shape: ExactShape, triangles: Floats, body: Body) -> float:
    """Return the least signed distance of triangles (t, 3, 3), in the shape's frame; positive where it is
    surely not negative.
    """
    low, high = _box(body, Pose.identity())
    parts, size = triangles, float(np.linalg.norm(high - low))
    falls, near = shape.concavity
    least = np.inf
    for _ in range(LEVELS):
        parts = parts[((parts.min(axis=1) <= high) & (parts.max(axis=1) >= low)).all(axis=1)]
        if not len(parts):
            break
        middle = parts.mean(axis=1)
        radius = np.linalg.norm(parts - middle[:, None], axis=2).max(axis=1)
        value, slope = shape.distance_and_slope(middle)
        least = min(least, float(value.min()))
        regular = np.abs(value) + radius < near
        bound = value - radius
        bound[regular] = np.maximum(bound, _supported(parts, middle, value, slope, falls))[regular]
        some = np.flatnonzero((bound <= min(least, 0.0)) & regular)
        if len(some):
            corners = parts[some].transpose(1, 0, 2)
            value, slope = shape.distance_and_slope(corners.reshape(-1, 3))
            least = min(least, float(value.min()))
            each = _supported(np.tile(parts[some], (3, 1, 1)), corners.reshape(-1, 3), value, slope, falls)
            bound[some] = np.maximum(bound[some], each.reshape(3, -1).max(axis=0))
        hopeful = (bound <= min(least, 0.0)) & (radius > EXACTLY * -least)
        small = np.flatnonzero(hopeful & (radius <= FINEST * size))
        small = small[np.argsort(bound[small])[:CANDIDATES]]
        parts = _quartered(parts[np.concatenate([np.flatnonzero(hopeful & (radius > FINEST * size)), small])])
    return least


def _supported(parts: Floats, x: Floats, value: Floats, slope: Floats, falls: float) -> Floats:
    """Return a bound (t,) on the distance of triangles (t, 3, 3) from that at points x (t, 3)."""
    way = parts - x[:, None]
    least: Floats = (np.einsum("tck,tk->tc", way, slope) - 0.5 * falls * (way**2).sum(axis=2)).min(axis=1)
    return value + least


def _quartered(parts: Floats) -> Floats:
    middles = 0.5 * (parts + np.roll(parts, -1, axis=1))
    corners = [np.stack([parts[:, i], middles[:, i], middles[:, i - 1]], axis=1) for i in range(3)]
    return np.concatenate([*corners, middles])
