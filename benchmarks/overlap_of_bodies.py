"""How deep bodies overlap, meshes by their triangles and exact surfaces by signed distances of their own.

Two meshes: the deepest crossing of their triangles (`tests.oracles.soups`).  Two exact shapes: the least
signed distance of the one over the other's surface (`tests.oracles.overlap`).  A shape and a mesh: the least
signed distance over the triangles, by branch and bound, as the distance changes no faster than the point
moves, and by a zoom about the lowest parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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

FINEST = 0.05  # of the size of all triangles: parts that are searched by zooming
CANDIDATES = 12  # lowest parts that are zoomed into
ROUNDS = 22
SHRUNK = 0.4
GRID = np.linspace(0.0, 1.0, 7)


class ExactShape(Walker, Field, Protocol):
    """A shape with a signed distance, and with a surface to walk over."""


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
    distance = shape.signed_distance
    low, high = _box(body, Pose.identity())
    near = ((triangles.min(axis=1) <= high) & (triangles.max(axis=1) >= low)).all(axis=1)
    parts, size = triangles[near], float(np.linalg.norm(high - low))
    least, fine = np.inf, []
    while len(parts):
        middle = parts.mean(axis=1)
        radius = np.linalg.norm(parts - middle[:, None], axis=2).max(axis=1)
        value = distance(middle)
        least = min(least, float(value.min()))
        hopeful = value - radius <= 0.0
        small = hopeful & (radius <= FINEST * size)
        order = np.argsort((value - radius)[small])[:CANDIDATES]
        fine.append(parts[small][order])
        parts = _quartered(parts[hopeful & ~small])
    for part in fine:
        if len(part):
            least = min(least, _zoomed(distance, part))
    return least


def _quartered(parts: Floats) -> Floats:
    middles = 0.5 * (parts + np.roll(parts, -1, axis=1))
    corners = [np.stack([parts[:, i], middles[:, i], middles[:, i - 1]], axis=1) for i in range(3)]
    return np.concatenate([*corners, middles])


def _zoomed(distance: Callable[[Floats], Floats], parts: Floats) -> float:
    """Return the least distance over triangles (k, 3, 3), found by ever finer grids about the lowest."""
    a, ab, bc = parts[:, 0], parts[:, 1] - parts[:, 0], parts[:, 2] - parts[:, 1]
    low, width, best = np.zeros((len(parts), 2)), np.ones((len(parts), 2)), np.inf
    for _ in range(ROUNDS):
        s = low[:, :1] + width[:, :1] * GRID
        t = low[:, 1:] + width[:, 1:] * GRID
        s, t = np.repeat(s, len(GRID), axis=1), np.tile(t, (1, len(GRID)))
        points = a[:, None] + s[..., None] * (ab[:, None] + t[..., None] * bc[:, None])
        value = distance(points.reshape(-1, 3)).reshape(len(parts), -1)
        lowest = value.argmin(axis=1)
        best = min(best, float(value.min()))
        rows = np.arange(len(parts))
        middle = np.stack([s[rows, lowest], t[rows, lowest]], axis=1)
        width = SHRUNK * width
        low = np.clip(middle - 0.5 * width, 0.0, 1.0 - width)
    return best
