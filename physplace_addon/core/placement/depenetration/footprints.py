# SPDX-License-Identifier: GPL-3.0-or-later
"""The least shift across gravity that keeps a margin between a body and others, seen along gravity.

The footprint of a body is its shadow along gravity.  Let h_k(B) be how far the footprint of B reaches along a
direction u_k across gravity.  A body A that is shifted by s is at least a margin m away from B, seen along
gravity, if for some k

    u_k . s >= d_k(B) = h_k(B) - min(u_k . A) + m,

for then a strip of width m, perpendicular to u_k, lies between the two footprints.  So with a fixed set of
directions each B forbids a convex polygon of shifts, the obstacle of B in the plane of shifts: those with
u_k . s < d_k(B) for all k.  It is a little larger than the exact one, never smaller.

The least shift outside all polygons is 0, or the foot of the perpendicular from 0 on an edge, or a point
where two edges cross; it is the nearest of these that is in no polygon.  There is always one, as the polygons
are bounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...bodies import Body
from ...rigid import Pose
from ...vectors import unit

DIRECTIONS: Final = 16  # that divide the full turn evenly; a disc's obstacle is 2 % larger than the exact one
ANGLES: Final = 32  # tried for the first direction, in a quarter turn, then around the best of them
ROUNDS: Final = 4  # of trying them: to 4e-5 radians
ROUNDING: Final = 1e-12  # of a length, over the size of what is compared
LEAST_SINE: Final = 1e-6  # between two edges that cross; below, they count as parallel


def least_shift(
    body: Body, pose: Pose, others: Sequence[Body], margin: float, gravity: Sequence[float]
) -> Floats:
    """Return the least shift (3,) across gravity that keeps a body's footprint away from those of others.

    Args:
        body: in its own frame.
        pose: of the body, in the world.
        others: in the world's frame.
        margin: the least distance between the footprints.
        gravity: (3,), its direction, of any length but zero.
    """
    if not others:
        return np.zeros(3)
    across = _across(unit(np.asarray(gravity, dtype=np.float64)))
    first = _narrow_angle(pose.points(body.triangles.reshape(-1, 3)) @ across.T)
    angles = first + 2.0 * np.pi / DIRECTIONS * np.arange(DIRECTIONS)
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    in_world = directions @ across
    least = -_reach(body, pose, -in_world)
    reach = np.array([_reach(each, None, in_world) for each in others])
    shift: Floats = _nearest_free(directions, reach - least + margin) @ across
    return shift


def _across(down: Floats) -> Floats:
    """Return two unit directions (2, 3), perpendicular to each other and to a unit direction (3,)."""
    helper = np.eye(3)[int(np.argmin(np.abs(down)))]
    first = unit(np.cross(down, helper))
    return np.array([first, np.cross(down, first)])


def _narrow_angle(points: Floats) -> float:
    """Return the angle of a side of the least rectangle around points (n, 2)."""

    def area(angle: float) -> float:
        cos, sin = np.cos(angle), np.sin(angle)
        return float(np.ptp(points @ (cos, sin)) * np.ptp(points @ (-sin, cos)))

    best, width = 0.0, 0.5 * np.pi
    for _ in range(ROUNDS):
        tried = [best, *(best + width * np.linspace(-0.5, 0.5, ANGLES))]
        best, width = tried[int(np.argmin([area(angle) for angle in tried]))], 3.0 * width / ANGLES
    return float(best)


def _reach(body: Body, pose: Pose | None, directions: Floats) -> Floats:
    """Return how far (k,) the surface of a body in a pose reaches along directions (k, 3) at most."""
    corners = body.triangles.reshape(-1, 3)
    placed = corners if pose is None else pose.points(corners)
    reach: Floats = (placed @ directions.T + np.repeat(body.triangle_bound, 3)[:, None]).max(axis=0)
    return reach


def _nearest_free(directions: Floats, limits: Floats) -> Floats:
    """Return the point (2,) nearest to 0 at which no obstacle has all u_k . s < d_k.

    Args:
        directions: (k, 2), the u_k.
        limits: (n, k), the d_k of n obstacles.
    """
    rounding = ROUNDING * float(np.abs(limits).max())
    candidates = np.concatenate([np.zeros((1, 2)), *_candidates(directions, limits, rounding)])
    for point in candidates[np.argsort(np.einsum("ij,ij->i", candidates, candidates))]:
        if (directions @ point - limits).max(axis=1).min() >= -rounding:
            nearest: Floats = point
            return nearest
    raise AssertionError("the obstacles are bounded, so a corner of one of them is free")


def _candidates(directions: Floats, limits: Floats, rounding: float) -> tuple[Floats, Floats]:
    """Return the feet of the perpendiculars on the edges, and the points where edges cross, (m, 2) each."""
    obstacle, edge = np.divmod(np.arange(limits.size), len(directions))
    normal, limit = directions[edge], limits.ravel()
    feet = limit[:, None] * normal
    feet = feet[_is_on(feet, directions, limits[obstacle], rounding)]
    one, two = _edges_that_may_cross(limits, rounding)
    sine = normal[one, 0] * normal[two, 1] - normal[one, 1] * normal[two, 0]
    crossing = np.abs(sine) > LEAST_SINE
    one, two, sine = one[crossing], two[crossing], sine[crossing]
    x = (limit[one] * normal[two, 1] - limit[two] * normal[one, 1]) / sine
    y = (limit[two] * normal[one, 0] - limit[one] * normal[two, 0]) / sine
    points = np.column_stack([x, y])
    is_on_one = _is_on(points, directions, limits[obstacle[one]], rounding)
    points, two = points[is_on_one], two[is_on_one]
    return feet, points[_is_on(points, directions, limits[obstacle[two]], rounding)]


def _edges_that_may_cross(limits: Floats, rounding: float) -> tuple[Ints, Ints]:
    """Return pairs (m,), (m,) of edges of obstacles, limits (n, k), that no strip along a direction parts.

    Among many copies most obstacles are far from each other: all pairs of edges would fill the memory.
    """
    count = limits.shape[1]
    across = np.roll(limits, count // 2, axis=1)  # of the opposite directions
    first, second = np.nonzero(np.triu(((limits[:, None] + across) >= -rounding).all(axis=2)))
    one, two = np.divmod(np.arange(count * count), count)
    pairs = first[:, None] * count + one, second[:, None] * count + two
    once = pairs[0] < pairs[1]
    return pairs[0][once], pairs[1][once]


def _is_on(points: Floats, directions: Floats, limits: Floats, rounding: float) -> Bools:
    """Return which points (m, 2), each on the line of an edge of an obstacle (m, k), are on that edge."""
    is_on: Bools = (points @ directions.T - limits).max(axis=1) <= rounding
    return is_on
