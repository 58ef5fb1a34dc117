"""How the gap of an interface point answers to the active body's pose: its gradient J and its Hessian H.

The pose is moved by x = (dX / R, dTheta): the centre of mass by dX, then a turn about it.  Gaps are divided
by R, so J and H have no unit.  At a solved point the surface parameters drop out of the first derivative
(the envelope theorem):

    J = (n, r x n / R),    r = P1 - X.

For the second they follow the pose along y_x = -K^-1 Phi_x.  With a *base* face (see `relaxation`), C its
bend, T the mover's tangents, and A = dP/dx of the mover relative to the base, A = s (R 1, -[r]x), s = +1 if
the base is the world's and -1 if it is the active body's (then r = P2 - X and nu = -n),

    H = A' C A + nu . d2P/dx2 - Phi K^+ Phi',   Phi_xa = A' C T_a + nu . s (e_x x T_a),
    nu . d2P/dx2 = sym(nu r') - (nu . r) 1

on the turns (plus nu . (e_i x e_j) R between turn i and shift j if s = -1).

K^+ leaves out directions along which the pair is soft: the point does not move along them.  For two edges
n = T1 x T2 / |T1 x T2|, k1 and k2 are their bend vectors, and P1 and P2 slide by the solution of

    [1 + g n.k1, -c; -c, 1 - g n.k2] (t1, t2) = (-T1 . A - g n . (e x T1), T2 . A),   c = T1 . T2,

and H_ij = (D_j n) . A_i + n . (e_i x T1) t1_j + n . d2P/dx2.  Pairs with a vertex and no face only keep the
last term: the curvature 1/g of their distance is no property of the bodies.  All of it agrees with finite
differences (tests).

The gap's answer to the motion of both bodies, from its answer to that of the first alone.

A gap does not change when both bodies move together, so it is a function of E = D_b^-1 D_a, with D_a and D_b
the displacements x = (dX / R, dTheta), each about its own centre of mass: turned by Theta, then moved by dX.
With J and H its gradient and Hessian by x_a (`linearization`), s = X_a - X_b over R, and T x_b = (dX_b +
dTheta_b x s, dTheta_b), E moves X_a, to second order, by

    y = x_a - T x_b + q,
    q = (Theta_b x d_b - Theta_b x d_a + 1/2 Theta_b x (Theta_b x s), -1/2 Theta_b x Theta_a),

so that g = g0 + J . y + 1/2 y' H y gives

    J_b = -J T,    H_ab = -H T + C_ab,    H_bb = T' H T + C_bb,

where C holds the second derivatives of J . q.  It agrees with finite differences (tests).
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from ...rigid import skew
from ...vectors import cross, dot
from ..features import EDGE, FACE, FeatureGeometry
from .interface_points import InterfacePoints
from .iteration import eigen_2x2
from .minimization import FaceTerms, edge_normal, face_terms

SOFT = 0.3  # K R below which a direction counts as soft for held samples
FLAT = 1e-6  # K R below which any point keeps its place along the direction


def gap_gradient(points: InterfacePoints, centre: Floats, radius: float) -> Floats:
    """Return J, shape (k, 6): d(gap / R) by (dX / R, dTheta), about the centre of mass `centre` (3,)."""
    arm = (points.point1 - centre) / radius
    return np.concatenate([points.normal, cross(arm, points.normal)], axis=1)


def gap_hessian(
    points: InterfacePoints, first: FeatureGeometry, second: FeatureGeometry, centre: Floats, radius: float
) -> Floats:
    """Return H (k, 6, 6) of the gaps of points whose features are evaluated as `first` and `second`."""
    hessian = np.zeros((len(points), 6, 6))
    on_world = points.dim2 == FACE
    on_active = (points.dim1 == FACE) & ~on_world
    edges = (points.dim1 == EDGE) & (points.dim2 == EDGE)
    rest = ~(on_world | on_active | edges)
    for rows, sign, mover, base in ((on_world, 1.0, first, second), (on_active, -1.0, second, first)):
        if rows.any():
            hessian[rows] = _over_face(
                points.take(rows), mover.take(rows), base.take(rows), sign, centre, radius
            )
    if edges.any():
        hessian[edges] = _edge_edge(points.take(edges), first.take(edges), second.take(edges), centre, radius)
    if rest.any():
        hessian[rest] = _turning(points.normal[rest], points.point1[rest] - centre) / radius
    return 0.5 * (hessian + hessian.transpose(0, 2, 1))


def _point_motion(arm: Floats, radius: float) -> Floats:
    """Return dP/dx (k, 3, 6) of points at `arm` (k, 3) from the centre."""
    motion = np.zeros((len(arm), 3, 6))
    motion[:, :, :3] = radius * np.eye(3)
    motion[:, 0, 4], motion[:, 0, 5] = arm[:, 2], -arm[:, 1]
    motion[:, 1, 3], motion[:, 1, 5] = -arm[:, 2], arm[:, 0]
    motion[:, 2, 3], motion[:, 2, 4] = arm[:, 1], -arm[:, 0]
    return motion


def _turning(normal: Floats, arm: Floats) -> Floats:
    """Return normal . d2P/dx2 (k, 6, 6) of points fixed in the turning body, length units."""
    out = np.zeros((len(arm), 6, 6))
    outer = normal[:, :, None] * arm[:, None, :]
    out[:, 3:, 3:] = 0.5 * (outer + outer.transpose(0, 2, 1)) - dot(normal, arm)[:, None, None] * np.eye(3)
    return out


def _swing(vectors: Floats, normal: Floats) -> Floats:
    """Return normal . (e_x x vectors_a) for the turns x: (k, 6, a), zero for the shifts."""
    out = np.zeros((len(vectors), 6, vectors.shape[1]))
    out[:, 3:] = cross(vectors, normal[:, None, :]).transpose(0, 2, 1)
    return out


def soft_inverse(stiffness: Floats, threshold: Floats) -> Floats:
    """Return K^+ (k, 2, 2): eigenvalues of size below threshold (k,) have no inverse."""
    values, vectors = eigen_2x2(stiffness)
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
    radius: float,
) -> Floats:
    terms: FaceTerms = face_terms(mover, base, points.side)
    arm = mover.point - centre
    motion = sign * _point_motion(arm, radius)
    bend = base.tangents.transpose(0, 2, 1) @ terms.base_bend @ base.tangents
    turning = _turning(terms.outward, arm)
    if sign < 0.0:
        mixed = radius * _cross_matrix(terms.outward)
        turning[:, 3:, :3] += mixed
        turning[:, :3, 3:] += mixed.transpose(0, 2, 1)
    phi = motion.transpose(0, 2, 1) @ bend @ mover.tangents.transpose(0, 2, 1)
    phi += sign * _swing(mover.tangents, terms.outward)
    threshold = np.where(points.on_curve, SOFT, FLAT) / radius
    follow = phi @ soft_inverse(terms.stiffness, threshold) @ phi.transpose(0, 2, 1)
    return (motion.transpose(0, 2, 1) @ bend @ motion + turning - follow) / radius


def _cross_matrix(normal: Floats) -> Floats:
    """Return M (k, 3, 3) with M_ij = normal . (e_i x e_j)."""
    out = np.zeros((len(normal), 3, 3))
    out[:, 0, 1], out[:, 1, 0] = normal[:, 2], -normal[:, 2]
    out[:, 1, 2], out[:, 2, 1] = normal[:, 0], -normal[:, 0]
    out[:, 2, 0], out[:, 0, 2] = normal[:, 1], -normal[:, 1]
    return out


def _edge_edge(
    points: InterfacePoints, first: FeatureGeometry, second: FeatureGeometry, centre: Floats, radius: float
) -> Floats:
    t1, t2 = first.tangents[:, 0], second.tangents[:, 0]
    arm = points.point1 - centre
    motion = _point_motion(arm, radius)
    cosine = dot(t1, t2)
    _, sine = edge_normal(first, second)
    sine = np.maximum(sine, 1e-3)
    n, gap = points.normal, points.gap[:, None, None]
    pull1 = -(t1[:, None] @ motion) - gap * _swing(t1[:, None], n).transpose(0, 2, 1)
    pull2 = t2[:, None] @ motion
    stiff1 = 1.0 + gap * dot(n, first.bend_vector)[:, None, None]
    stiff2 = 1.0 - gap * dot(n, second.bend_vector)[:, None, None]
    cosine = cosine[:, None, None]
    determinant = np.maximum(stiff1 * stiff2 - cosine**2, 1e-6)
    slide1 = (stiff2 * pull1 + cosine * pull2) / determinant
    slide2 = (stiff1 * pull2 + cosine * pull1) / determinant
    by_t1 = (
        cross(first.bend_vector, t2)[:, :, None] * slide1 + cross(t1, second.bend_vector)[:, :, None] * slide2
    )
    by_turn = np.zeros_like(motion)
    by_turn[:, :, 3:] = cross(cross(np.eye(3)[None], t1[:, None]), t2[:, None]).transpose(0, 2, 1)
    turn_of_normal = (by_t1 + by_turn) * (points.side / sine)[:, None, None]
    turn_of_normal -= n[:, :, None] * (n[:, None] @ turn_of_normal)
    out = motion.transpose(0, 2, 1) @ turn_of_normal + _swing(t1[:, None], n) @ slide1
    result: Floats = (out + _turning(n, arm)) / radius
    return result


def carried(separation: Floats) -> Floats:
    """Return T (6, 6): how a motion of the second body, about its centre, moves the first one's, which is
    `separation` (3,) from it over R.
    """
    out = np.eye(6)
    out[:3, 3:] = -skew(separation)
    return out


def gradient_by_second(gradient: Floats, separation: Floats) -> Floats:
    """Return J_b (k, 6) of gaps with gradients J (k, 6) by the first body."""
    return -gradient @ carried(separation)


def hessian_by_both(gradient: Floats, hessian: Floats, separation: Floats) -> tuple[Floats, Floats]:
    """Return H_ab and H_bb (k, 6, 6) of gaps with gradients J (k, 6) and Hessians H (k, 6, 6) by the first
    body.
    """
    move = carried(separation)
    mixed = -hessian @ move
    second = move.T @ hessian @ move
    normal, torque = gradient[:, :3], gradient[:, 3:]
    # n . (e_i x e_j) = -skew(n)_ij, for the turn i and the shift j
    mixed[:, :3, 3:] += -skew(normal)
    mixed[:, 3:, 3:] += -0.5 * skew(torque)
    second[:, 3:, :3] += -skew(normal)
    second[:, :3, 3:] += skew(normal)
    outer = normal[:, :, None] * separation
    second[:, 3:, 3:] += 0.5 * (outer + outer.transpose(0, 2, 1))
    second[:, 3:, 3:] -= (normal @ separation)[:, None, None] * np.eye(3)
    return mixed, second
