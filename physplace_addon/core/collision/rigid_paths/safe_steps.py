"""How far two primitives may go on rigid paths and stay farther apart than a stop distance.

Every bound of the distance used here is a function f(s) of the step s with f > stop where it holds, known by
its value, slope and curvature at s = 0 and a bound J of its third derivative:

    f(s) - stop >= c0 + c1 s + c2 s^2 / 2 - J s^3 / 6.

The step goes to the first root of the right side.  It never passes the true one, and it converges to it like
Newton's method where the two primitives meet at a speed; things that recede or slide pass at once.

The functions, all exact at s = 0 in the place where the primitives are closest:

- *A plane fixed in B* through the closest point of B's primitive, across the direction m of the shortest
  distance.  B's primitive is convex, so it stays behind the plane, and the height of A's is a lower bound.
  For a vertex over a triangle's inside it is the height in the moving triangle's frame.
- *The triangle's own plane*, also where the closest point is on its border: a vertex may slide over it.
- *A plane fixed in A*, likewise, for two edges.
- *The distance of two lines*, z . (e1 x e2) / |e1 x e2|, for two edges that cross: neither plane would turn
  with both.  All is multiplied by |e1 x e2|, whose growth is bounded to second order.
- *The distance less the speed*, whatever the shape.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import TINY, Floats
from ...vectors import coordinate_cross, coordinate_dot, coordinate_length
from ..closest_points import segment_parameters, triangle_parameters
from .relative_paths import RelativeMotion

_LEAST_SINE = 1e-9
"""Sine of the angle of two segments up to which the direction across both is mostly rounding error."""

_SHRINKINGS = 2
"""How often a step is tried again with the remainder of a shorter one."""


def point_distances(points: Floats, triangles: Floats) -> Floats:
    """Return the distances (k,) of points (3, k) from triangles (corner 3, axis 3, k)."""
    return coordinate_length(_from_triangle(points, triangles))


def segment_distances(first: Floats, second: Floats) -> Floats:
    """Return the distances (k,) of segments (end 2, axis 3, k)."""
    s, t = segment_parameters(first, second)
    return coordinate_length(_along(first, s) - _along(second, t))


def point_steps(
    motion: RelativeMotion, bounds: Floats, arms: Floats, triangles: Floats, stop: Floats, left: Floats
) -> tuple[Floats, Floats]:
    """Return steps (k,) that points of A may go against triangles of B, and the distances (k,) before them.

    Args:
        motion: of A against B, at the start of the step.
        bounds: of the first three derivatives of the points (3, 1, k).
        arms: of the points (1, 3, k), at tau = 0.
        triangles: (corner 3, axis 3, k).
        stop: lengths (k,).
        left: the longest step (k,).
    """
    arm = motion.arms(arms[0])
    place = motion.offset + arm
    rate, change = motion.turning(arm)
    rate, change = motion.rate + rate, motion.change + change
    miss = _from_triangle(place, triangles)
    distance = coordinate_length(miss)
    towards = miss / np.maximum(distance, TINY)
    normal = coordinate_cross(triangles[1] - triangles[0], triangles[2] - triangles[0])
    normal /= np.maximum(coordinate_length(normal), TINY)
    height = coordinate_dot(normal, place - triangles[0])
    normal *= np.sign(height)
    values = np.stack([distance, np.abs(height)])
    slopes = np.stack([coordinate_dot(towards, rate), coordinate_dot(normal, rate)])
    curvatures = np.stack([coordinate_dot(towards, change), coordinate_dot(normal, change)])
    steps = safe_steps(values - stop, slopes, curvatures, bounds[2], left).max(axis=0)
    longest: Floats = np.maximum(steps, _by_speed(distance - stop, bounds[0, 0], left))
    return longest, distance


@dataclass(frozen=True, eq=False)
class _ClosestPoint:
    """The closest points of k segments A, fixed in A, against those of segments B.

    motion: of A against B.  left (k,): the longest step.
    apart (3, k): from B's closest point.  clear (k,): the distance less the stop distance.
    towards (3, k): the unit direction of `apart`.
    rate, change (3, k): the first two derivatives of the point.
    bounds (3, k): of its first three derivatives.  spin (3, k): of those of unit vectors fixed in A.
    """

    motion: RelativeMotion
    left: Floats
    apart: Floats
    clear: Floats
    towards: Floats
    rate: Floats
    change: Floats
    bounds: Floats
    spin: Floats


def segment_steps(
    motion: RelativeMotion,
    bounds: Floats,
    spin: Floats,
    arms: Floats,
    segments: Floats,
    stop: Floats,
    left: Floats,
) -> tuple[Floats, Floats]:
    """Return steps (k,) that segments of A may go against segments of B, and the distances (k,) before them.

    bounds (3, 2, k), arms (2, 3, k): of the ends; segments (end 2, axis 3, k); spin (3, k): the bounds k1, k2
    and k3 of `relative_paths`; the rest as in `point_steps`.
    """
    ends = motion.offset + motion.arms(arms)
    s, t = segment_parameters(ends, segments)
    here, there = _along(ends, s), _along(segments, t)
    apart = here - there
    distance = coordinate_length(apart)
    rate, change = motion.turning(here - motion.offset)
    at = _ClosestPoint(
        motion,
        left,
        apart,
        distance - stop,
        apart / np.maximum(distance, TINY),
        motion.rate + rate,
        motion.change + change,
        bounds.max(axis=1),
        spin,
    )
    side_a, side_b = ends[1] - ends[0], segments[1] - segments[0]
    lines, sine = _lines(at, side_a, side_b, stop)
    below = zip(
        _planes_in_b(at, ends - here, bounds[2]), _planes_in_a(at, there - segments), lines, strict=True
    )
    value, slope, curvature, jerk = (np.concatenate(each) for each in below)
    steps = safe_steps(value, slope, curvature, jerk, left)
    before_planes = np.maximum(np.minimum(steps[0], steps[1]), np.minimum(steps[2], steps[3]))
    of_lines = np.where(sine > _LEAST_SINE, steps[4], 0.0)
    by_speed = _by_speed(at.clear, at.bounds[0], left)
    longest: Floats = np.maximum(np.maximum(before_planes, of_lines), by_speed)
    return longest, distance


_Bounds = tuple[Floats, Floats, Floats, Floats]  # value, slope, curvature and jerk (n, k) of n functions


def _planes_in_b(at: _ClosestPoint, ends: Floats, jerk: Floats) -> _Bounds:
    """Return the heights of both ends of A above the plane fixed in B.

    ends (2, 3, k): from the closest point of A; jerk (2, k): bounds of their third derivatives.
    """
    vectors, towards = ends.transpose(1, 0, 2), at.towards[:, None]
    turning, bending = at.motion.turning(vectors)
    value = at.clear + coordinate_dot(towards, vectors)
    slope = coordinate_dot(towards, at.rate[:, None] + turning)
    curvature = coordinate_dot(towards, at.change[:, None] + bending)
    return value, slope, curvature, jerk


def _planes_in_a(at: _ClosestPoint, ends: Floats) -> _Bounds:
    """Return the heights of both ends of B above the plane fixed in A.

    With m fixed in A and z from an end of B to A's closest point, f = m . z, f' = m' . z + m . z', and so on.
    ends (2, 3, k): from those of B to its closest point.
    """
    turning, bending = at.motion.turning(at.towards)
    approach = coordinate_dot(at.towards, at.rate)
    curved = coordinate_dot(at.towards, at.change) + 2.0 * coordinate_dot(turning, at.rate)
    vectors = ends.transpose(1, 0, 2)
    arms = at.apart[:, None] + vectors
    value = at.clear + coordinate_dot(at.towards[:, None], vectors)
    slope = coordinate_dot(turning[:, None], arms) + approach
    curvature = coordinate_dot(bending[:, None], arms) + curved
    return value, slope, curvature, product_jerk(at.bounds, at.spin, coordinate_length(arms), at.left)


def _lines(at: _ClosestPoint, side_a: Floats, side_b: Floats, stop: Floats) -> tuple[_Bounds, Floats]:
    """Return the distance of the lines of two segments with sides (3, k), and the sine (k,) of their angle.

    With unit sides e1 and e2, N = e1 x e2 and F = z . N, the lines are |F| / |N| apart.  |N|, a sine, grows
    by at most |N|' s + (k2 + k1^2 / |N|) s^2 / 2.
    """
    side_a = side_a / np.maximum(coordinate_length(side_a), TINY)
    side_b = side_b / np.maximum(coordinate_length(side_b), TINY)
    normal = coordinate_cross(side_a, side_b)
    turning, bending = (coordinate_cross(each, side_b) for each in at.motion.turning(side_a))
    value = coordinate_dot(at.apart, normal)
    sign = np.sign(value)
    slope = coordinate_dot(at.rate, normal) + coordinate_dot(at.apart, turning)
    curvature = coordinate_dot(at.change, normal) + coordinate_dot(at.apart, bending)
    curvature += 2.0 * coordinate_dot(at.rate, turning)
    sine = coordinate_length(normal)
    over_sine = 1.0 / np.maximum(sine, _LEAST_SINE)
    growth = coordinate_dot(normal, turning) * over_sine
    growing = at.spin[1] + at.spin[0] ** 2 * over_sine
    bounds = (
        (sign * value - stop * sine)[None],
        (sign * slope - stop * growth)[None],
        (sign * curvature - stop * growing)[None],
        product_jerk(at.bounds, at.spin, coordinate_length(at.apart), at.left)[None],
    )
    return bounds, sine


def product_jerk(bounds: Floats, spin: Floats, arm: Floats, left: Floats) -> Floats:
    """Return a bound (..., k) of the third derivative of m . z over steps, with m a unit vector fixed in A.

    Args:
        bounds: of the first three derivatives (3, k) of the point of A to which z leads.
        spin: those (3, k) of unit vectors fixed in A.
        arm: the length of z at first (..., k).
        left: the steps (k,).
    """
    far = arm + bounds[0] * left
    mixed = spin[0] * bounds[1] + spin[1] * bounds[0]
    jerk: Floats = bounds[2] + 3.0 * mixed + spin[2] * far
    return jerk


def safe_steps(value: Floats, slope: Floats, curvature: Floats, jerk: Floats, left: Floats) -> Floats:
    """Return steps (..., k), at most `left` (k,), up to which value + slope s + curvature s^2 / 2 - jerk s^3
    / 6 stays positive; 0 where the value is not positive.

    Up to a length L, s^3 <= L s^2: that leaves a quadratic function.  L then shrinks towards its root.
    """
    longest: Floats = _before_root(value, slope, curvature - jerk * (left / 3.0), left)
    for _ in range(_SHRINKINGS):
        limit = np.minimum(left, 2.0 * longest)
        step = _before_root(value, slope, curvature - jerk * (limit / 3.0), limit)
        longest = np.maximum(longest, step)
    return longest


def _before_root(value: Floats, slope: Floats, curvature: Floats, limit: Floats) -> Floats:
    """Return the first positive root (..., k) of value + slope s + curvature s^2 / 2, at most a limit.

    Of its two forms the one is taken that adds numbers of one sign: the other loses a root far from a value
    near zero.
    """
    square = slope * slope - 2.0 * curvature * value
    size = np.abs(slope) + np.sqrt(np.maximum(square, 0.0))
    rises = slope > 0.0
    dividend, divisor = np.where(rises, size, 2.0 * value), np.where(rises, -curvature, size)
    has_root = (square >= 0.0) & (divisor > 0.0)
    roots: Floats = np.divide(dividend, divisor, out=np.full_like(value, np.inf), where=has_root)
    before: Floats = np.where(value > 0.0, np.minimum(roots, limit), 0.0)
    return before


def _by_speed(clear: Floats, speed: Floats, left: Floats) -> Floats:
    """Return the steps (k,) that distances less stop distances allow at bounds of the speed (k,)."""
    steps: Floats = np.minimum(np.maximum(clear, 0.0) / np.maximum(speed, TINY), left)
    return steps


def _along(segments: Floats, parameter: Floats) -> Floats:
    """Return the points (3, k) of segments (end 2, axis 3, k) at parameters (k,)."""
    points: Floats = segments[0] + parameter * (segments[1] - segments[0])
    return points


def _from_triangle(points: Floats, triangles: Floats) -> Floats:
    """Return the vectors (3, k) from triangles (corner 3, axis 3, k), where closest, to points (3, k)."""
    barycentric, _ = triangle_parameters(points, triangles)
    miss: Floats = points - (barycentric[:, None] * triangles).sum(axis=0)
    return miss
