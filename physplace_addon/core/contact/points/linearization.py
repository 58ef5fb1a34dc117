"""Gradient J and Hessian H of an interface point's gap by the active body's pose.

The pose is moved by x = (dX, dTheta): a turn about the centre of mass X, which moves by dX.  All is in
lengths and radians.  At a solved point the surface parameters drop out of the first derivative (the envelope
theorem):

    J = (n, r x n),    r = P1 - X.

In the second derivative the parameters y follow the pose along y_x = -K^-1 Phi_x.  Over a *base* face (see
`minimization`), with C the Hessian of the distance to the base in space, T the mover's tangents, and
A = dP/dx of the mover relative to the base, A = s (1, -[r]x), where s = +1 if the base is the world's and
s = -1 if it is the active body's (then r = P2 - X and nu = -n),

    H = A' C A + nu . d2P/dx2 - Phi K^+ Phi',   Phi_xa = A' C T_a + nu . s (e_x x T_a),
    nu . d2P/dx2 = sym(nu r') - (nu . r) 1

on the turns (plus nu . (e_i x e_j) between turn i and shift j if s = -1).  K^+ leaves out directions along
which the pair is soft: there the point does not follow.

For two edges n = T1 x T2 / |T1 x T2|, k1 and k2 are their curvature vectors, and P1 and P2 slide by the
solution of

    [1 + g n.k1, -c; -c, 1 - g n.k2] (t1, t2) = (-T1 . A - g n . (e x T1), T2 . A),   c = T1 . T2,

and H_ij = (D_j n) . A_i + n . (e_i x T1) t1_j + n . d2P/dx2.  Pairs with a vertex and without a face keep the
last term alone: the curvature 1/g of their distance is no property of the bodies.

The formulas agree with finite differences (tests).
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from ...vectors import cross, dot
from ..features import EDGE, FACE, FeatureGeometry
from .interface_points import SOFT, InterfacePoints
from .iteration import eigen_2x2
from .minimization import edge_normal, gap_expansion

_FLAT = 1e-6  # K R below which no point follows along a direction, as of a cylinder's line on a plane
_LEAST_SINE = 1e-3  # of two edges' angle: below it the normal turns too fast for a step of any use
_LEAST_DETERMINANT = 1e-6  # of the edges' 2 x 2 system, without unit; zero where they are parallel


def gap_gradient(points: InterfacePoints, centre: Floats) -> Floats:
    """Return J (k, 6): dgap by (dX, dTheta), about the centres of mass (k, 3) or one for all (3,).

    Points and centres are given in the same frame.
    """
    return np.concatenate([points.normal, cross(points.point1 - centre, points.normal)], axis=1)


def gap_hessian(
    points: InterfacePoints, first: FeatureGeometry, second: FeatureGeometry, centre: Floats, radius: Floats
) -> Floats:
    """Return H (k, 6, 6): second derivatives of the gap by (dX, dTheta), symmetric.

    first, second: the geometry of the points' features, in the frame of points and centres.
    centre (k, 3): the centres of mass of the first bodies.
    radius (k,): R, the lengths that tell soft directions.
    """
    hessian = np.zeros((len(points), 6, 6))
    on_world = points.dim2 == FACE
    on_active = (points.dim1 == FACE) & ~on_world
    edges = (points.dim1 == EDGE) & (points.dim2 == EDGE)
    rest = ~(on_world | on_active | edges)
    for rows, sign, mover, base in ((on_world, 1.0, first, second), (on_active, -1.0, second, first)):
        if rows.any():
            hessian[rows] = _over_face(
                points.take(rows), mover.take(rows), base.take(rows), sign, centre[rows], radius[rows]
            )
    if edges.any():
        hessian[edges] = _edge_edge(points.take(edges), first.take(edges), second.take(edges), centre[edges])
    if rest.any():
        hessian[rest] = _turning(points.normal[rest], points.point1[rest] - centre[rest])
    return 0.5 * (hessian + hessian.transpose(0, 2, 1))


def _point_motion(arm: Floats) -> Floats:
    """Return dP/dx (k, 3, 6) of points at `arm` (k, 3) from the centre."""
    motion = np.zeros((len(arm), 3, 6))
    motion[:, :, :3] = np.eye(3)
    motion[:, 0, 4], motion[:, 0, 5] = arm[:, 2], -arm[:, 1]
    motion[:, 1, 3], motion[:, 1, 5] = -arm[:, 2], arm[:, 0]
    motion[:, 2, 3], motion[:, 2, 4] = arm[:, 1], -arm[:, 0]
    return motion


def _turning(normal: Floats, arm: Floats) -> Floats:
    """Return normal . d2P/dx2 (k, 6, 6) of points fixed in the turning body."""
    out = np.zeros((len(arm), 6, 6))
    outer = normal[:, :, None] * arm[:, None, :]
    out[:, 3:, 3:] = 0.5 * (outer + outer.transpose(0, 2, 1)) - dot(normal, arm)[:, None, None] * np.eye(3)
    return out


def _turned_tangents(tangents: Floats, normal: Floats) -> Floats:
    """Return normal . (e_x x T_a) (k, 6, a) of tangents (k, a, 3) for the turns x; zero for the shifts."""
    out = np.zeros((len(tangents), 6, tangents.shape[1]))
    out[:, 3:] = cross(tangents, normal[:, None, :]).transpose(0, 2, 1)
    return out


def soft_inverse(hessian: Floats, threshold: Floats) -> Floats:
    """Return K^+ (k, 2, 2), a length; eigenvalues of size below threshold (k,), 1/length, have no inverse."""
    values, vectors = eigen_2x2(hessian)
    soft = np.abs(values) < threshold[:, None]
    inverse = np.where(soft, 0.0, 1.0 / np.where(soft, 1.0, values))
    product: Floats = np.einsum("kai,ki,kbi->kab", vectors, inverse, vectors)
    return product


def _over_face(
    points: InterfacePoints,
    mover: FeatureGeometry,
    base: FeatureGeometry,
    sign: float,
    centre: Floats,
    radius: Floats,
) -> Floats:
    terms = gap_expansion(mover, base, points.side)
    arm = mover.point - centre
    motion = sign * _point_motion(arm)
    in_space = base.tangents.transpose(0, 2, 1) @ terms.distance_hessian @ base.tangents
    turning = _turning(terms.outward, arm)
    if sign < 0.0:
        mixed = _triple_products(terms.outward)
        turning[:, 3:, :3] += mixed
        turning[:, :3, 3:] += mixed.transpose(0, 2, 1)
    phi = motion.transpose(0, 2, 1) @ in_space @ mover.tangents.transpose(0, 2, 1)
    phi += sign * _turned_tangents(mover.tangents, terms.outward)
    threshold = np.where(points.on_curve, SOFT, _FLAT) / radius
    follow = phi @ soft_inverse(terms.hessian, threshold) @ phi.transpose(0, 2, 1)
    return motion.transpose(0, 2, 1) @ in_space @ motion + turning - follow


def _triple_products(normal: Floats) -> Floats:
    """Return M (k, 3, 3) with M_ij = normal . (e_i x e_j)."""
    out = np.zeros((len(normal), 3, 3))
    out[:, 0, 1], out[:, 1, 0] = normal[:, 2], -normal[:, 2]
    out[:, 1, 2], out[:, 2, 1] = normal[:, 0], -normal[:, 0]
    out[:, 2, 0], out[:, 0, 2] = normal[:, 1], -normal[:, 1]
    return out


def _edge_edge(
    points: InterfacePoints, first: FeatureGeometry, second: FeatureGeometry, centre: Floats
) -> Floats:
    t1, t2 = first.tangents[:, 0], second.tangents[:, 0]
    arm = points.point1 - centre
    motion = _point_motion(arm)
    cosine = dot(t1, t2)
    _, sine = edge_normal(first, second)
    sine = np.maximum(sine, _LEAST_SINE)
    n, gap = points.normal, points.gap[:, None, None]
    pull1 = -(t1[:, None] @ motion) - gap * _turned_tangents(t1[:, None], n).transpose(0, 2, 1)
    pull2 = t2[:, None] @ motion
    stiff1 = 1.0 + gap * dot(n, first.curvature_vector)[:, None, None]
    stiff2 = 1.0 - gap * dot(n, second.curvature_vector)[:, None, None]
    cosine = cosine[:, None, None]
    determinant = np.maximum(stiff1 * stiff2 - cosine**2, _LEAST_DETERMINANT)
    slide1 = (stiff2 * pull1 + cosine * pull2) / determinant
    slide2 = (stiff1 * pull2 + cosine * pull1) / determinant
    by_slide1 = cross(first.curvature_vector, t2)[:, :, None] * slide1
    by_slide2 = cross(t1, second.curvature_vector)[:, :, None] * slide2
    by_turn = np.zeros_like(motion)
    by_turn[:, :, 3:] = cross(cross(np.eye(3)[None], t1[:, None]), t2[:, None]).transpose(0, 2, 1)
    change_of_normal = (by_slide1 + by_slide2 + by_turn) * (points.side / sine)[:, None, None]
    change_of_normal -= n[:, :, None] * (n[:, None] @ change_of_normal)
    out = motion.transpose(0, 2, 1) @ change_of_normal + _turned_tangents(t1[:, None], n) @ slide1
    result: Floats = out + _turning(n, arm)
    return result
