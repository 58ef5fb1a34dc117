"""Which pairs of triangles meet, by signs where these are certain.

Triangles in general position share a point if and only if an edge of one pierces the other: its ends are on
either side of the plane, and it passes the three edges on the same side.  With corners p_i of one and q_j of
the other relative to q_0, edges v_j = q_j+1 - q_j, normals n, the signs are those of

    n . p_i                     the heights over the other's plane
    D_0i = v_0 . m_i            the sides on which edges i and j pass each other,
    D_1i = v_1 . m_i + n . (p_i+1 - p_i)          with m_i = p_i x p_i+1
    D_2i = -(v_0 + v_1) . m_i

A displacement by d changes a height by at most d |n|, and D_ji by at most d |v_j| |p_i+1 - p_i|.  Where none
of these numbers is within what the allowed distance and rounding can change, no such displacement changes a
sign: the triangles meet, or are farther apart than allowed.  A plane alone decides where the other triangle
is beyond it.  All other pairs are in doubt.

Triangles are stored for both roles at once, (corner 3, axis 5, body 2, k), with axes x, y, z, x, y: a vector
product is then the difference of two products of slices.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Floats, Ints

__all__ = ["Meeting", "are_beyond_planes", "beside", "meeting"]

_EPSILON = float(np.finfo(np.float64).eps)

_ROUNDINGS = 256.0 * _EPSILON
"""Bound of the rounding error of a height or side, over the cube of the pair's largest coordinate."""

_DISPLACED = 16.0
"""Bound of what a displacement changes a height or side, over it and the square of that coordinate."""


class Meeting(NamedTuple):
    """Which of k pairs of triangles meet for certain, and which are in doubt: their numbers."""

    certain: Ints
    doubtful: Ints


def beside(first: Floats, second: Floats) -> Floats:
    """Return triangles (corner 3, axis 3, k) of two bodies as one array (corner 3, axis 5, body 2, k)."""
    both = np.empty((3, 5, 2, first.shape[2]))
    both[:, :3, 0], both[:, 3:, 0] = first, first[:, :2]
    both[:, :3, 1], both[:, 3:, 1] = second, second[:, :2]
    return both


def are_beyond_planes(both: Floats, distance: Floats) -> Bools:
    """Return whether one triangle is beyond the other's plane by more than a distance (k,), a length, (k,).

    The heights of the triangle's own corners count, too: the normal of a sliver is mostly rounding error, and
    a direction separates two sets only if both are projected on it.

    Args:
        both: the pairs (corner 3, axis 5, body 2, k).
        distance: lengths (k,).
    """
    edges = both[1:] - both[0]
    normal = _cross(edges[0], edges[1])
    height = np.einsum("abk,cabk->cbk", normal, both[:, :3, ::-1] - both[0, :3])
    own = np.einsum("abk,cabk->cbk", normal, edges[:, :3])
    margin = distance * np.sqrt(np.einsum("abk,abk->bk", normal, normal))
    above = height.min(axis=0) > np.maximum(own.max(axis=0), 0.0) + margin
    below = height.max(axis=0) < np.minimum(own.min(axis=0), 0.0) - margin
    result: Bools = (above | below).any(axis=0)
    return result


def meeting(both: Floats, allowed: Floats) -> Meeting:
    """Return which pairs of triangles meet, and which may be within an allowed distance (k,), a length.

    Args:
        both: the pairs (corner 3, axis 5, body 2, k).
        allowed: lengths (k,).
    """
    edges = both[1:] - both[0]
    offset = both[:, :3, ::-1] - both[0, :3]
    height = np.einsum("abk,cabk->cbk", _cross(edges[0], edges[1]), offset)
    size = np.abs(offset, out=offset).reshape(18, -1).max(axis=0)
    slack = size * size * (_DISPLACED * allowed + _ROUNDINGS * size)
    apart = (height.min(axis=0) > slack) | (height.max(axis=0) < -slack)
    near = np.flatnonzero(~(apart[0] | apart[1]))
    height, slack = np.take(height, near, axis=2), slack[near]
    side = _sides(np.take(both, near, axis=3), height[:, 0])
    pierced = _pierced(height > 0.0, side > 0.0)
    np.abs(height, out=height)
    np.abs(side, out=side)
    least = np.minimum(height.reshape(6, -1).min(axis=0), side.reshape(9, -1).min(axis=0))
    sure = least > slack
    return Meeting(near[sure & pierced], near[~sure])


def _cross(a: Floats, b: Floats) -> Floats:
    """Return the vector products (3, ...) of coordinate arrays (5, ...) with axes x, y, z, x, y."""
    product: Floats = a[1:4] * b[2:5]
    product -= a[2:5] * b[1:4]
    return product


def _sides(both: Floats, height: Floats) -> Floats:
    """Return D (edge j of the first 3, edge i of the second 3, k).

    height: of the second's corners over the first's plane (corner 3, k).
    """
    offset = (both[:, :, 1] - both[0, :, 0]).transpose(1, 0, 2)
    moment = np.empty((3, 3, both.shape[3]))
    moment[:, :2] = _cross(offset[:, :2], offset[:, 1:])
    moment[:, 2] = _cross(offset[:, 2], offset[:, 0])
    edges = both[1:, :3, 0] - both[:2, :3, 0]
    side = np.empty((3, 3, both.shape[3]))
    np.einsum("eak,ack->eck", edges, moment, out=side[:2])
    np.negative(side[0] + side[1], out=side[2])
    side[1, :2] += height[1:] - height[:2]
    side[1, 2] += height[0] - height[2]
    return side


def _pierced(up: Bools, left: Bools) -> Bools:
    """Return whether an edge of one triangle pierces the other, (k,).

    up (corner 3, plane of body 2, k): the other's corner is above it.  left (3, 3, k): the sign of D.
    """
    across = np.empty_like(up)
    across[:2], across[2] = up[:2] != up[1:], up[2] != up[0]
    by_second = (left[0] == left[1]) & (left[1] == left[2])
    by_first = (left[:, 0] == left[:, 1]) & (left[:, 1] == left[:, 2])
    result: Bools = ((across[:, 0] & by_second) | (across[:, 1] & by_first)).any(axis=0)
    return result
