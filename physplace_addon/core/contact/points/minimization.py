"""Extremal pairs by safeguarded minimization, with Newton's own convergence at the end.

Snyder 1995, section 4.4, solves "the points' difference is along a normal, the normals are opposite" by SVD.
Those equations hold at every stationary pair, also at saddles and on the far side of a body.  Here the signed
gap of a *mover* (a face, an edge or a vertex) to a *base* face is minimized instead,

    phi(m) = nu . (P(m) - B(b)),   with B the closest point of the base:  E_a . (P - B) = 0,

nu the base's outward normal and E its frame.  With the base's second fundamental form h and g = phi, B moves
by A db = E . (P - B) + (E T') dm, A = 1 - g h, where T are the mover's tangents.  The signed distance to the
base has the Hessian C = -h A^-1 in E, so

    grad phi = T . nu,        K = nu . d2P + (T E') C (E T').

One round is a Newton step in (m, b) together.  A negative eigenvalue of K is replaced by its size, because a
minimum is wanted and not a saddle; steps are clipped; samples of contact curves do not move along soft
directions.  Edges against edges, and pairs with a vertex, have no base face: their squared distance is
minimized.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import ArrayRecord, Bools, Floats, Ints
from ...vectors import cross, dot
from ..features import FeatureGeometry, FeaturePoints
from .iteration import Progress, apply, clipped, eigen_2x2, inverse_2x2, tangential

_ROUNDS = 18  # of Newton's method; a fair start needs 1 to 7
_SOFT_ROUNDS = 12  # rounds after which soft directions rest: their steps keep the stiff ones from converging
_SOLVED = 1e-9  # of R: length of the last correction up to which a pair counts as solved
_LAST = 1e-10  # of R: length of a correction after which none follows: it would be of the order of its square
_NO_GAIN = 1e-14  # of R: fall of the gap along a soft direction that is not worth a step
_LEAST_SHAPE = 0.1  # least eigenvalue of A, without unit, beyond the base's centre of curvature
_LEAST_STIFFNESS = 1e-6  # least K R: flatter directions are treated as if they had it
_CAP = 0.01  # -K R above which a gap curves down, as it does nowhere near a minimum
_LONGEST_ON_MOVER = 0.1  # of R: a step of the mover, over which K may change
_LONGEST = 0.3  # of R: a step of the base's closest point, or along an edge
_LEAST_OF_DISTANCE = 1e-9  # least eigenvalue, without unit, of the squared distance's Hessian by arc length


@dataclass(frozen=True)
class ExtremalPairs:
    """k pairs of mover and base, or of first and second feature, after their iteration.

    first, second: the features at their new parameters; at_first, at_second: their geometry there.
    converged (k,): the closest point is one, inside the base, and the pair is stationary in its stiff
    directions.
    settled (k,): it is stationary in the soft ones, too.
    """

    first: FeaturePoints
    second: FeaturePoints
    at_first: FeatureGeometry
    at_second: FeatureGeometry
    converged: Bools
    settled: Bools


@dataclass(frozen=True)
class GapExpansion:
    """The gap of k movers over base faces to second order, in the symbols of this module.

    gap (k,): g, a length; outward (k, 3): nu, unit.
    offset (k, 2): E . (P - B), a length, zero where B is the closest point.
    inverse_shape (k, 2, 2): A^-1, without unit.
    distance_hessian (k, 2, 2): C, 1/length; tangent_map (k, 2, 2): T E', without unit.
    gradient (k, 2): grad phi, without unit; hessian (k, 2, 2): K, 1/length.
    """

    gap: Floats
    outward: Floats
    offset: Floats
    inverse_shape: Floats
    distance_hessian: Floats
    tangent_map: Floats
    gradient: Floats
    hessian: Floats


def gap_expansion(mover: FeatureGeometry, base: FeatureGeometry, side: Floats) -> GapExpansion:
    """Return the gap's expansion; side (k,) is +1 where the base's normal points to the mover, else -1."""
    outward = side[:, None] * base.normal
    offset = mover.point - base.point
    gap = dot(outward, offset)
    h = side[:, None, None] * base.curvature
    tangential_offset = (base.tangents @ offset[:, :, None])[:, :, 0]
    inverse_shape = inverse_2x2(np.eye(2) - gap[:, None, None] * h, _LEAST_SHAPE)
    distance_hessian = -h @ inverse_shape
    tangent_map = mover.tangents @ base.tangents.transpose(0, 2, 1)
    gradient = (mover.tangents @ outward[:, :, None])[:, :, 0]
    hessian = mover.curvature_along(outward) + tangent_map @ distance_hessian @ tangent_map.transpose(0, 2, 1)
    return GapExpansion(
        gap, outward, tangential_offset, inverse_shape, distance_hessian, tangent_map, gradient, hessian
    )


def minimize_gap(
    mover: FeaturePoints,
    base: FeaturePoints,
    side: Floats,
    on_curve: Bools,
    radius: float | Floats,
    softness: float | Floats,
    patience: int | None = None,
) -> ExtremalPairs:
    """Minimize the signed gaps of movers (k) to base faces (k).

    Args:
        side: (k,) as in `gap_expansion`.
        on_curve: (k,) samples of contact curves; they keep their place where K < softness.
        radius: R, the length that tolerances and steps are relative to, one for all or (k,).
        softness: 1/length, likewise.
        patience: rounds after which a pair that is far from a minimum is given up (`Progress`).
    """
    mover, base = mover.copy(), base.copy()
    radius, softness = np.broadcast_to(radius, len(side)), np.broadcast_to(softness, len(side))
    on_planes = base.geometry()
    if not on_planes.curvature.any():
        return _minimize_over_planes(mover, base, on_planes, side, on_curve, radius, softness, patience)
    live = _Unfinished(np.arange(len(side)), mover, base, side, on_curve, radius, softness)
    error, settled = np.full(len(side), np.inf), np.zeros(len(side), bool)
    progress = Progress(radius, patience)
    for round_ in range(_ROUNDS):
        at_mover, at_base = live.mover.geometry(), live.base.geometry()
        terms = gap_expansion(at_mover, at_base, live.side)
        frozen = round_ >= _SOFT_ROUNDS
        resting = live.on_curve | frozen
        step, base_step, error[live.rows], far = _newton_step(
            terms, live.mover, resting, live.radius, live.softness
        )
        size = np.maximum(np.abs(step).max(axis=1), np.abs(base_step).max(axis=1))
        if not frozen:
            settled[live.rows] = size <= _SOLVED * live.radius
        going = progress.going(size, at_mover.point, at_base.point, far)
        if not going.any():
            break
        if not going.all():
            live, progress = live.take(going), progress.take(going)
            at_mover, at_base = at_mover.take(going), at_base.take(going)
            step, base_step, size = step[going], base_step[going], size[going]
        live = live.moved(tangential(at_mover, step), tangential(at_base, base_step))
        mover.put(live.rows, live.mover)
        base.put(live.rows, live.base)
        more = size > _LAST * live.radius
        if not more.any():
            break
        if not more.all():
            live, progress = live.take(more), progress.take(more)
    at_mover, at_base = mover.geometry(), base.geometry()
    return ExtremalPairs(mover, base, at_mover, at_base, error <= _SOLVED * radius, ~on_curve & settled)


def _minimize_over_planes(
    mover: FeaturePoints,
    base: FeaturePoints,
    planes: FeatureGeometry,
    side: Floats,
    on_curve: Bools,
    radius: Floats,
    softness: Floats,
    patience: int | None,
) -> ExtremalPairs:
    """Do the same over flat bases: A = 1 and C = 0, and the closest points are found once, at the end."""
    outward = side[:, None] * planes.normal
    live = _Unfinished(np.arange(len(side)), mover, base, side, on_curve, radius, softness)
    error, settled = np.zeros(len(side)), np.ones(len(side), bool)
    progress = Progress(radius, patience)
    for round_ in range(_ROUNDS if (mover.dim > 0).any() else 0):
        at_mover, up = live.mover.geometry(), outward[live.rows]
        gradient = (at_mover.tangents @ up[:, :, None])[:, :, 0]
        frozen = round_ >= _SOFT_ROUNDS
        hessian = at_mover.curvature_along(up)
        step, error[live.rows], far = _mover_step(
            gradient, hessian, live.mover, live.on_curve | frozen, live.radius, live.softness
        )
        size = np.abs(step).max(axis=1)
        if not frozen:
            settled[live.rows] = size <= _SOLVED * live.radius
        going = progress.going(size, at_mover.point, at_mover.point, far)
        if not going.any():
            break
        if not going.all():
            live, progress = live.take(going), progress.take(going)
            at_mover, step, size = at_mover.take(going), step[going], size[going]
        live = replace(live, mover=live.mover.moved(tangential(at_mover, step)))
        mover.put(live.rows, live.mover)
        more = size > _LAST * live.radius
        if not more.any():
            break
        if not more.all():
            live, progress = live.take(more), progress.take(more)
    at_mover, at_base = mover.geometry(), planes
    for _ in range(2):
        offset = at_mover.point - at_base.point
        base = base.moved(offset - dot(offset, at_base.normal)[:, None] * at_base.normal)
        at_base = base.geometry()
    beside = (at_base.tangents @ (at_mover.point - at_base.point)[:, :, None])[:, :, 0]
    solved = _SOLVED * radius
    error = np.maximum(error, np.abs(beside).max(axis=1))
    return ExtremalPairs(mover, base, at_mover, at_base, error <= solved, ~on_curve & settled)


@dataclass(frozen=True, eq=False)
class _Unfinished(ArrayRecord):
    """The pairs that still move: their rows among all pairs, and what the iteration needs of them."""

    rows: Ints
    mover: FeaturePoints
    base: FeaturePoints
    side: Floats
    on_curve: Bools
    radius: Floats
    softness: Floats

    def moved(self, of_mover: Floats, of_base: Floats) -> _Unfinished:
        return replace(self, mover=self.mover.moved(of_mover), base=self.base.moved(of_base))


def _newton_step(
    terms: GapExpansion, mover: FeaturePoints, on_curve: Bools, radius: Floats, softness: Floats
) -> tuple[Floats, Floats, Floats, Bools]:
    """Return the steps (k, 2) of mover and base, the error (k,) of the offset and stiff directions, and which
    pairs (k,) are far from a minimum.
    """
    to_closest = apply(terms.inverse_shape, terms.offset)
    gradient = terms.gradient + apply(terms.tangent_map, apply(terms.distance_hessian, terms.offset))
    step, error, far = _mover_step(gradient, terms.hessian, mover, on_curve, radius, softness)
    of_base = to_closest + apply(terms.inverse_shape, apply(terms.tangent_map.transpose(0, 2, 1), step))
    error = np.maximum(error, np.abs(to_closest).max(axis=1))
    return step, clipped(of_base, _LONGEST * radius), error, far


def _mover_step(
    gradient: Floats,
    hessian: Floats,
    mover: FeaturePoints,
    on_curve: Bools,
    radius: Floats,
    softness: Floats,
) -> tuple[Floats, Floats, Bools]:
    """Return the mover's step (k, 2), its length along the stiff directions (k,) before clipping, and which
    pairs (k,) are far from a minimum: their gaps curve down, or their steps are clipped.
    """
    values, vectors = eigen_2x2(hessian)
    along = apply(vectors.transpose(0, 2, 1), gradient)
    scale = np.maximum(np.abs(values), _LEAST_STIFFNESS / radius[:, None])
    step = -along / scale
    soft = values < softness[:, None]
    error = np.where(soft, 0.0, np.abs(step)).max(axis=1)
    step[soft & (on_curve[:, None] | (along**2 < _NO_GAIN * radius[:, None] * scale))] = 0.0
    wanted = apply(vectors, step)
    far = (values[:, 0] < -_CAP / radius) | (dot(wanted, wanted) > (_LONGEST_ON_MOVER * radius) ** 2)
    step = clipped(wanted, _LONGEST_ON_MOVER * radius)
    step[mover.dim < 2, 1] = 0.0
    step[mover.dim < 1, 0] = 0.0
    return step, error, far & ~on_curve


def minimize_distance(first: FeaturePoints, second: FeaturePoints, radius: float | Floats) -> ExtremalPairs:
    """Minimize the distances between features (k) of which none is a face: edges and vertices.

    With D = P1 - P2, T the tangents (zero for a vertex) and k the curvature vectors, one round solves
    [1 + D.k1, -T1.T2; -T1.T2, 1 - D.k2] (d1, d2) = (-D.T1, D.T2), with eigenvalues kept from zero.
    """
    first, second = first.copy(), second.copy()
    size, rows, limit = np.zeros(len(first.dim)), np.arange(len(first.dim)), np.asarray(radius)
    progress, one, two = Progress(radius), first, second
    for _ in range(_ROUNDS):
        step, at_first, at_second = _distance_step(one, two, _LONGEST * limit)
        size[rows] = length = np.abs(step).max(axis=1)
        going = progress.going(length, at_first.point, at_second.point)
        if not going.any():
            break
        if not going.all():
            rows, one, two, progress = rows[going], one.take(going), two.take(going), progress.take(going)
            at_first, at_second = at_first.take(going), at_second.take(going)
            step, length = step[going], length[going]
            limit = limit[going] if limit.ndim else limit
        one = one.moved(step[:, 0, None] * at_first.tangents[:, 0])
        two = two.moved(step[:, 1, None] * at_second.tangents[:, 0])
        first.put(rows, one)
        second.put(rows, two)
        more = length > _LAST * limit
        if not more.any():
            break
        if not more.all():
            rows, one, two, progress = rows[more], one.take(more), two.take(more), progress.take(more)
            limit = limit[more] if limit.ndim else limit
    at_first, at_second = first.geometry(), second.geometry()
    solved = size <= _SOLVED * radius
    return ExtremalPairs(first, second, at_first, at_second, solved, solved)


def _distance_step(
    first: FeaturePoints, second: FeaturePoints, longest: Floats
) -> tuple[Floats, FeatureGeometry, FeatureGeometry]:
    """Return the steps (k, 2) of `minimize_distance` along both tangents, and where they begin."""
    at_first, at_second = first.geometry(), second.geometry()
    t1, t2 = at_first.tangents[:, 0], at_second.tangents[:, 0]
    offset = at_first.point - at_second.point
    matrix = np.empty((len(offset), 2, 2))
    matrix[:, 0, 0] = 1.0 + dot(offset, at_first.curvature_vector)
    matrix[:, 1, 1] = 1.0 - dot(offset, at_second.curvature_vector)
    matrix[:, 0, 1] = matrix[:, 1, 0] = -dot(t1, t2)
    force = np.stack([-dot(offset, t1), dot(offset, t2)], axis=1)
    step = clipped(apply(inverse_2x2(matrix, _LEAST_OF_DISTANCE), force), longest)
    return step, at_first, at_second


def edge_normal(at_first: FeatureGeometry, at_second: FeatureGeometry) -> tuple[Floats, Floats]:
    """Return T1 x T2 of pairs of edges, normalized (k, 3), and the sine of their angle (k,)."""
    n = cross(at_first.tangents[:, 0], at_second.tangents[:, 0])
    sine = np.sqrt(dot(n, n))
    return n / np.maximum(sine, 1e-300)[:, None], sine
