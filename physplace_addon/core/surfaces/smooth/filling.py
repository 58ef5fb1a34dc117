"""Patches between curves that meet their neighbours in one tangent plane, after Chiyokura and Kimura (1983).

Along a curve c(t) the tangent plane is spanned by c' and g(t) = (1 - t) g0 + t g1.  A patch's derivative
across it is D(t) = k(t) g(t) + h(t) c'(t), with k and h linear; its ends, the tangents of the next curves
there, give both ends of k and h.  So D is a cubic, D0 to D3 its control points, and c_i + D_i/3 the patch's
next row.  The patches on both sides have the same plane, whatever their k and h.  A corner's inner point is
told by two curves: that is Gregory's patch.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from ...vectors import dot
from ..gregory import GregoryNets
from .network import Network, across


def filled(network: Network) -> GregoryNets:
    """Return the patches of a network's quadrilaterals (n,)."""
    curve = network.control.reshape(-1, 4, 4, 3)
    rows = _next_rows(curve, across(network.control, network.normals).reshape(-1, 4, 2, 3))
    control = np.empty((len(curve), 4, 4, 3))
    control[:, :, 0], control[:, 3] = curve[:, 0], curve[:, 1]
    control[:, ::-1, 3], control[:, 0, ::-1] = curve[:, 2], curve[:, 3]
    after, before = rows[:, :, 0], np.roll(rows[:, :, 1], 1, axis=1)
    means = 0.5 * (after + before)
    turned = np.array([1.0, -1.0, 1.0, -1.0])[:, None]  # whether the curve after a corner is one along u
    twists = turned * (after - before)
    places = ((0, 0), (1, 0), (1, 1), (0, 1))
    apart = np.empty((len(curve), 2, 2, 3))
    for corner, (u, v) in enumerate(places):
        control[:, 1 + u, 1 + v], apart[:, u, v] = means[:, corner], twists[:, corner]
    return GregoryNets(control, np.zeros(len(curve), dtype=np.bool_), apart)


def _next_rows(curve: Floats, side: Floats) -> Floats:
    """The inner points (n, 4, 2, 3) beside each of the four curves (n, 4, 4, 3), near its start and its
    end.
    """
    shape = curve.shape[:2]
    slope = 3.0 * np.diff(curve, axis=2).reshape(-1, 3, 3)
    first = 3.0 * (np.roll(curve, 1, axis=1)[:, :, 2] - curve[:, :, 0]).reshape(-1, 3)
    last = 3.0 * (np.roll(curve, -1, axis=1)[:, :, 1] - curve[:, :, 3]).reshape(-1, 3)
    g = side.reshape(-1, 2, 3)
    k = [dot(first, g[:, 0])[:, None], dot(last, g[:, 1])[:, None]]
    h = [_share(first, slope[:, 0]), _share(last, slope[:, 2])]
    square = [k[0] * g[:, 0], 0.5 * (k[0] * g[:, 1] + k[1] * g[:, 0]), k[1] * g[:, 1]]
    near = (square[0] + 2.0 * square[1] + 2.0 * h[0] * slope[:, 1] + h[1] * slope[:, 0]) / 3.0
    far = (2.0 * square[1] + square[2] + h[0] * slope[:, 2] + 2.0 * h[1] * slope[:, 1]) / 3.0
    inner = curve[:, :, 1:3].reshape(-1, 2, 3) + np.stack([near, far], axis=1) / 3.0
    return inner.reshape(*shape, 2, 3)


def _share(of: Floats, along: Floats) -> Floats:
    share: Floats = (dot(of, along) / dot(along, along))[:, None]
    return share
