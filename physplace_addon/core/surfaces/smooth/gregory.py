"""Gregory's patches: bicubic Bezier nets whose four inner points each move between two places.

The inner point at the corner with local parameters (s, t), 0 at the corner, is

    (s A + t B) / (s + t) = 1/2 (A + B) + 1/2 (s - t)/(s + t) (A - B),

so that along the side t = 0 the cross-boundary derivatives are those of A, along s = 0 those of B (Gregory
1974; Chiyokura and Kimura 1983).  The patch is therefore the bicubic one of the means, and four times

    9/2 (1 - s)^2 (1 - t)^2 q(s, t) (A - B),    q = s t (s - t)/(s + t).

With r = s/(s + t), p = 1 - r, which are 1/2 at the corner itself:

    q = s t (r - p),    q_s = t (r^2 + 2 r p - p^2),    q_ss = 4 p^3,    q_st = r^3 + 3 r^2 p - 3 r p^2 - p^3,

and q(s, t) = -q(t, s).  So |q_s| <= t, 0 <= q_ss <= 4, |q| <= s t, and the second derivative by s of the
whole factor is at most 9/2 (1 - t)^2 (4 (1 - s)^2 + 4 t (1 - s) + 2 s t) <= 9/2 (1 - t)^2 (4 + 4 t) <= 18.

*Filling a network* (Chiyokura and Kimura 1983): patches between curves meet their neighbours in one tangent
plane.  Along a curve c(t) the tangent plane is spanned by c' and g(t) = (1 - t) g0 + t g1.  A patch's
derivative across it is D(t) = k(t) g(t) + h(t) c'(t), with k and h linear; its ends, the tangents of the next
curves there, give both ends of k and h.  So D is a cubic, D0 to D3 its control points, and c_i + D_i/3 the
patch's next row.  The patches on both sides have the same plane, whatever their k and h.  Two curves give a
corner's inner point: that is Gregory's patch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ...arrays import Floats, Ints
from ...vectors import dot, length
from ..bernstein import sub_matrices
from ..bezier.nets import BezierNets
from ..cell_bounds import bilinear_bounds
from .network import Network, cross_boundary_directions

# Which corners are at u = 1, and which at v = 1.
_FAR_U, _FAR_V = np.array([False, False, True, True]), np.array([False, True, False, True])


@dataclass(frozen=True, eq=False)
class GregoryNets(BezierNets):
    """Bicubic patches with twists.

    control (n, 4, 4, 3): control points, with the means of the inner ones.  twists (n, 2, 2, 3): A - B at
    each corner, indexed by the ends of u and of v; A belongs to the side along u.
    """

    twists: Floats

    def jets(self, patch: Ints, at: Floats, order: int) -> Floats:
        """Return d^(a + b) / du^a dv^b of S, indexed (k, a, b, 3); those with a + b above 2 are the
        means'.
        """
        jets = super().jets(patch, at, order)
        twists = self.twists[patch].reshape(len(patch), 4, 3)
        for (a, b), factor in twist_factors(at, order).items():
            jets[:, a, b] += (factor[:, None] @ twists)[:, 0]
        return jets

    def cell_bounds(self, patch: int, cells_u: int, cells_v: int) -> tuple[Floats, Floats, Floats]:
        """Return the bounds of `SidedPatches`."""
        return _cell_bounds(self.take(np.array([patch])), cells_u, cells_v)

    def bounds(self, counts: Ints) -> Floats:
        """Return the bounds (c,) of all cells, counts (n, 2) in each patch, cells u outermost,
        scene units.
        """
        sizes = counts.prod(axis=1)
        first = np.concatenate([[0], np.cumsum(sizes)])
        bounds = np.empty(int(first[-1]))
        kinds, kind = np.unique(counts, axis=0, return_inverse=True)
        for number, (cells_u, cells_v) in enumerate(kinds.tolist()):
            rows = np.flatnonzero(kind.ravel() == number)
            found = _cell_bounds(self.take(rows), cells_u, cells_v)[0]
            bounds[first[rows][:, None] + np.arange(cells_u * cells_v)] = found.reshape(len(rows), -1)
        return bounds


def _cell_bounds(nets: GregoryNets, cells_u: int, cells_v: int) -> tuple[Floats, Floats, Floats]:
    """Return the bounds (n cells,) of equal cells of all patches, and their parts along u and along v."""
    rows = np.einsum("aip,mpqx->maiqx", sub_matrices(cells_u), nets.control)
    parts = np.einsum("bjq,maiqx->mabijx", sub_matrices(cells_v), rows).reshape(-1, 4, 4, 3)
    twist = length(nets.twists.reshape(-1, 3)).reshape(-1, 4)
    value, more_u, more_v = ((twist @ table.T).ravel() for table in _largest(cells_u, cells_v))
    bend_u, bend_v = (_most(np.diff(parts, n=2, axis=axis)) for axis in (1, 2))
    apart = bilinear_bounds(parts[:, [0, 3, 0, 3], [0, 0, 3, 3]], bend_u, bend_v) + 2.0 * value
    u, v = np.arange(cells_u + 1) / cells_u, np.arange(cells_v + 1) / cells_v
    at = np.stack(np.meshgrid(u, v, indexing="ij"), axis=-1).reshape(-1, 2)
    patch = np.repeat(np.arange(len(nets)), len(at))
    points = nets.slopes(patch, np.tile(at, (len(nets), 1))).point.reshape(len(nets), len(u), len(v), 3)
    four = [points[:, :-1, :-1], points[:, 1:, :-1], points[:, :-1, 1:], points[:, 1:, 1:]]
    bend_u, bend_v = bend_u + more_u, bend_v + more_v
    whole = bilinear_bounds(np.stack(four, axis=3).reshape(-1, 4, 3), bend_u, bend_v)
    return np.minimum(apart, whole), bend_u, bend_v


@lru_cache(maxsize=256)
def _largest(cells_u: int, cells_v: int) -> tuple[Floats, Floats, Floats]:
    """Return bounds (cells, 4) over equal cells on the factor of each corner's twist.

    They are bounds on its value, and on its second derivatives by u and by v times the squares of the cells'
    sizes.
    """
    cells = np.array([cells_u, cells_v])
    lower = np.stack([axis.ravel() for axis in np.indices((cells_u, cells_v))], axis=1) / cells
    (s0, s1), (t0, t1) = _from_corners(lower, lower + 1.0 / cells)
    share = np.maximum((s1 - t0) / (s1 + t0), (t1 - s0) / (t1 + s0))
    value = 4.5 * _most_rise(s0, s1) * _most_rise(t0, t1) * share
    bend_u, bend_v = _most_bends(lower, lower + 1.0 / cells)
    return value, bend_u / cells_u**2, bend_v / cells_v**2


def _from_corners(lower: Floats, upper: Floats) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Return the least and the largest s and t, (k, 4) each, over rectangles, as seen from each corner."""
    ends = []
    for far, low, high in zip((_FAR_U, _FAR_V), lower.T[:, :, None], upper.T[:, :, None], strict=True):
        ends.append((np.maximum(np.where(far, 1.0 - high, low), 0.0), np.where(far, 1.0 - low, high)))
    return ends[0], ends[1]


def _most_bends(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Return bounds (k, 4) over rectangles [lower, upper] (k, 2) on the second derivatives of the twists'
    factors, by u and by v.
    """
    (s0, s1), (t0, t1) = _from_corners(lower, upper)
    bends = [
        4.5
        * (1.0 - d0) ** 2
        * (4.0 * (d1 / (e0 + d1)) ** 3 * (1.0 - e0) ** 2 + 4.0 * d1 * (1.0 - e0) + 2.0 * e1 * d1)
        for e0, e1, d0, d1 in ((s0, s1, t0, t1), (t0, t1, s0, s1))
    ]
    return bends[0], bends[1]


def _most_rise(low: Floats, high: Floats) -> Floats:
    """Return the most of s (1 - s)^2 between two values; its maximum is at 1/3."""
    at = np.clip(1.0 / 3.0, low, high)
    return np.asarray(at * (1.0 - at) ** 2)


def _most(second: Floats) -> Floats:
    most: Floats = 6.0 * np.sqrt(np.einsum("mijx,mijx->mij", second, second).max(axis=(1, 2)))
    return most


def twist_factors(at: Floats, order: int) -> dict[tuple[int, int], Floats]:
    """Return the derivatives (k, 4) by u and v, up to `order`, of the factors of the twists, by (order u,
    order v).
    """
    sign = np.array([1.0, 1.0, -1.0, -1.0]), np.array([1.0, -1.0, 1.0, -1.0])
    s = np.where(sign[0] > 0.0, at[:, :1], 1.0 - at[:, :1])
    t = np.where(sign[1] > 0.0, at[:, 1:], 1.0 - at[:, 1:])
    both = s + t
    r = np.where(both > 0.0, s / np.where(both > 0.0, both, 1.0), 0.5)
    p = 1.0 - r
    ws, wt = 4.5 * (1.0 - s) ** 2, (1.0 - t) ** 2
    ws_s, wt_t = -9.0 * (1.0 - s), -2.0 * (1.0 - t)
    q = s * t * (r - p)
    found = {(0, 0): ws * wt * q}
    if order > 0:
        q_s, q_t = t * (r * r + 2.0 * r * p - p * p), -s * (p * p + 2.0 * r * p - r * r)
        found[1, 0] = sign[0] * wt * (ws_s * q + ws * q_s)
        found[0, 1] = sign[1] * ws * (wt_t * q + wt * q_t)
    if order > 1:
        q_st = r**3 + 3.0 * r * p * (r - p) - p**3
        found[2, 0] = wt * (9.0 * q + 2.0 * ws_s * q_s + 4.0 * ws * p**3)
        found[0, 2] = ws * (2.0 * q + 2.0 * wt_t * q_t - 4.0 * wt * r**3)
        mixed = ws_s * (wt_t * q + wt * q_t) + ws * (wt_t * q_s + wt * q_st)
        found[1, 1] = sign[0] * sign[1] * mixed
    return found


def fill_network(network: Network) -> GregoryNets:
    """Return the patches of a network's quadrilaterals (n,)."""
    curve = network.control.reshape(-1, 4, 4, 3)
    rows = _next_rows(curve, cross_boundary_directions(network.control, network.normals).reshape(-1, 4, 2, 3))
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
    """Return the inner points (n, 4, 2, 3) beside each of the four curves (n, 4, 4, 3), near its start and
    its end.
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
