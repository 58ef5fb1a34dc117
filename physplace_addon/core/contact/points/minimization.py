"""Bring pairs of features to their extremal pair: minimization, safeguarded, that ends in Newton's own
convergence.

Snyder 1995, section 4.4, iterates on "the points' difference is along a normal, the normals are opposite" by
SVD. Those equations hold at every stationary pair, also at saddles and at the far side.  We minimize instead
the signed gap

    phi(m) = nu . (P(m) - B(b)),   b the foot of P on the base:  E_a . (P - B) = 0,

of a *mover* (a face, an edge or a vertex) to a *base* face with outward normal nu, and frame E.  With the
base's second fundamental form h and g = phi, the foot moves by A db = E.(P - B) + (E T') dm, A = I - g h;
the signed distance to the base has Hessian C = -h A^-1 in E; and so, T being the mover's tangents,

    grad phi = T . nu,        K = nu . d2P + (T E') C (E T').

One round is a Newton step in (m, b) together.  K is split into its eigenvalues: a negative one is taken by
its size (a minimum is sought, not a saddle), steps are clipped, and points that are *held* do not move along
soft directions. Edge against edge, and pairs with a vertex, have no base face: they minimize the squared
distance.

Feet of fixed points on faces: the rounds of `relaxation` with a mover that stays where it is.

With offset D = P - B, outward normal N and second fundamental form h of the base in its frame E, and g = N .
D, the foot moves by A db = E.D, A = I - g h.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...vectors import cross, dot
from ..features import FeatureGeometry, FeaturePoints
from .iteration import Progress, apply, clipped, eigen_2x2, inverse_2x2, tangential

_ROUNDS = 18
_SOFT_ROUNDS = (
    12  # after which soft directions are left alone: their steps keep the stiff ones from converging
)
_SOLVED = 1e-9  # of R: a correction after which a pair still counts as solved
_NO_GAIN = 1e-14  # of R: what the gap may still fall along a soft direction, which is then left alone


@dataclass(frozen=True)
class ExtremalPairs:
    """k solved pairs of mover and base (or of first and second feature).

    first, second: the features at their new parameters; at_first, at_second: their geometry there; converged
    (k,): the foot is one, inside the base, and the pair is stationary in its stiff directions; settled (k,):
    in the soft ones, too.
    """

    first: FeaturePoints
    second: FeaturePoints
    at_first: FeatureGeometry
    at_second: FeatureGeometry
    converged: Bools
    settled: Bools


@dataclass(frozen=True)
class FaceTerms:
    """The quantities of the module's formulas for k pairs over a base face: g (k,), nu (k, 3), foot error
    E.(P - B) (k, 2), A^-1 (k, 2, 2), C (k, 2, 2), T E' (k, 2, 2), grad phi (k, 2), K (k, 2, 2).
    """

    gap: Floats
    outward: Floats
    foot_error: Floats
    foot_inverse: Floats
    base_bend: Floats
    across: Floats
    gradient: Floats
    stiffness: Floats


def face_terms(mover: FeatureGeometry, base: FeatureGeometry, side: Floats) -> FaceTerms:
    """Evaluate the formulas of this module; side (k,) is +1 where the base's normal points to the mover,
    else -1.
    """
    outward = side[:, None] * base.normal
    offset = mover.point - base.point
    gap = dot(outward, offset)
    h = side[:, None, None] * base.curvature
    foot_error = (base.tangents @ offset[:, :, None])[:, :, 0]
    foot_inverse = inverse_2x2(np.eye(2) - gap[:, None, None] * h, 0.1)
    base_bend = -h @ foot_inverse
    across = mover.tangents @ base.tangents.transpose(0, 2, 1)
    gradient = (mover.tangents @ outward[:, :, None])[:, :, 0]
    stiffness = mover.bend(outward) + across @ base_bend @ across.transpose(0, 2, 1)
    return FaceTerms(gap, outward, foot_error, foot_inverse, base_bend, across, gradient, stiffness)


def minimize_gap(
    mover: FeaturePoints,
    base: FeaturePoints,
    side: Floats,
    held: Bools,
    radius: float,
    softness: float,
    rounds: int = _ROUNDS,
) -> ExtremalPairs:
    """Minimize the signed gap of movers (k) to base faces (k).

    side (k,) as in `face_terms`; held (k,) points stay where they are along directions in which K < softness
    (1/length) and are stationary in the others.  radius is the length R that tolerances and steps are
    relative to.
    """
    mover, base = replace(mover, param=mover.param.copy()), replace(base, param=base.param.copy())
    on_planes = base.geometry()
    if not on_planes.curvature.any():
        return _relax_on_planes(mover, base, on_planes, side, held, radius, softness, rounds)
    live = _Live.all_of(mover, base, side, held)
    error, settled = np.full(len(side), np.inf), np.zeros(len(side), bool)
    progress = Progress(radius)
    for round_ in range(rounds):
        at_mover, at_base = live.mover.geometry(), live.base.geometry()
        terms = face_terms(at_mover, at_base, live.side)
        frozen = round_ >= _SOFT_ROUNDS
        walk, foot, error[live.rows] = _newton_step(terms, live.mover, live.held | frozen, radius, softness)
        size = np.maximum(np.abs(walk).max(axis=1), np.abs(foot).max(axis=1))
        if not frozen:
            settled[live.rows] = size <= _SOLVED * radius
        going = progress.going(size, at_mover.point, at_base.point)
        if not going.any():
            break
        if not going.all():
            live, progress = live.take(going), progress.take(going)
            at_mover, at_base, walk, foot = (
                at_mover.take(going),
                at_base.take(going),
                walk[going],
                foot[going],
            )
        live = live.moved(tangential(at_mover, walk), tangential(at_base, foot))
        mover.param[live.rows], base.param[live.rows] = live.mover.param, live.base.param
    at_mover, at_base = mover.geometry(), base.geometry()
    return ExtremalPairs(mover, base, at_mover, at_base, error <= _SOLVED * radius, ~held & settled)


def _relax_on_planes(
    mover: FeaturePoints,
    base: FeaturePoints,
    planes: FeatureGeometry,
    side: Floats,
    held: Bools,
    radius: float,
    softness: float,
    rounds: int,
) -> ExtremalPairs:
    """The same where every base is flat: A = 1, C = 0, and the foot need be looked for only at the end."""
    outward = side[:, None] * planes.normal
    error, settled = np.zeros(len(side)), np.ones(len(side), bool)
    progress = Progress(radius)
    for round_ in range(rounds if (mover.dim > 0).any() else 0):
        at_mover = mover.geometry()
        gradient = (at_mover.tangents @ outward[:, :, None])[:, :, 0]
        frozen = round_ >= _SOFT_ROUNDS
        walk, error = _walk(gradient, at_mover.bend(outward), mover, held | frozen, radius, softness)
        size = np.abs(walk).max(axis=1)
        if not frozen:
            settled = size <= _SOLVED * radius
        if not progress.going(size, at_mover.point, at_mover.point).any():
            break
        mover = mover.moved(tangential(at_mover, walk))
    at_mover, at_base = mover.geometry(), planes
    for _ in range(2):
        offset = at_mover.point - at_base.point
        base = base.moved(offset - dot(offset, at_base.normal)[:, None] * at_base.normal)
        at_base = base.geometry()
    beside = (at_base.tangents @ (at_mover.point - at_base.point)[:, :, None])[:, :, 0]
    solved = _SOLVED * radius
    error = np.maximum(error, np.abs(beside).max(axis=1))
    return ExtremalPairs(mover, base, at_mover, at_base, error <= solved, ~held & settled)


@dataclass(frozen=True)
class _Live:
    """The pairs that still move: their rows among all, and what the iteration needs of them."""

    rows: Ints
    mover: FeaturePoints
    base: FeaturePoints
    side: Floats
    held: Bools

    @classmethod
    def all_of(cls, mover: FeaturePoints, base: FeaturePoints, side: Floats, held: Bools) -> _Live:
        return cls(np.arange(len(side)), mover, base, side, held)

    def moved(self, walk: Floats, foot: Floats) -> _Live:
        return replace(self, mover=self.mover.moved(walk), base=self.base.moved(foot))

    def take(self, going: Bools) -> _Live:
        rows = np.nonzero(going)[0]
        mover, base = self.mover.take(rows), self.base.take(rows)
        return _Live(self.rows[rows], mover, base, self.side[rows], self.held[rows])


def _newton_step(
    terms: FaceTerms, mover: FeaturePoints, held: Bools, radius: float, softness: float
) -> tuple[Floats, Floats, Floats]:
    """Return the mover's and the foot's step (k, 2), and the error (k,): that of the foot and of the stiff
    directions.
    """
    to_foot = apply(terms.foot_inverse, terms.foot_error)
    gradient = terms.gradient + apply(terms.across, apply(terms.base_bend, terms.foot_error))
    walk, error = _walk(gradient, terms.stiffness, mover, held, radius, softness)
    foot = to_foot + apply(terms.foot_inverse, apply(terms.across.transpose(0, 2, 1), walk))
    return walk, clipped(foot, 0.3 * radius), np.maximum(error, np.abs(to_foot).max(axis=1))


def _walk(
    gradient: Floats, stiffness: Floats, mover: FeaturePoints, held: Bools, radius: float, softness: float
) -> tuple[Floats, Floats]:
    """Return the mover's step (k, 2), and its part along the stiff directions (k,), before clipping."""
    values, vectors = eigen_2x2(stiffness)
    along = apply(vectors.transpose(0, 2, 1), gradient)
    scale = np.maximum(np.abs(values), 1e-6 / radius)
    step = -along / scale
    soft = values < softness
    error = np.where(soft, 0.0, np.abs(step)).max(axis=1)
    step[soft & (held[:, None] | (along**2 < _NO_GAIN * radius * scale))] = 0.0
    walk = clipped(apply(vectors, step), 0.1 * radius)
    walk[mover.dim < 2, 1] = 0.0
    walk[mover.dim < 1, 0] = 0.0
    return walk, error


def minimize_distance(first: FeaturePoints, second: FeaturePoints, radius: float) -> ExtremalPairs:
    """Minimize the distance between features (k) of which none is a face: edges and vertices.

    With D = P1 - P2 and T the tangents (zero for a vertex) one round solves
    [1 + D.k1, -T1.T2; -T1.T2, 1 - D.k2] (d1, d2) = (-D.T1, D.T2), its eigenvalues kept from zero.
    """
    size = np.zeros(len(first.dim))
    progress = Progress(radius)
    for _ in range(_ROUNDS):
        at_first, at_second = first.geometry(), second.geometry()
        t1, t2 = at_first.tangents[:, 0], at_second.tangents[:, 0]
        offset = at_first.point - at_second.point
        matrix = np.empty((len(offset), 2, 2))
        matrix[:, 0, 0] = 1.0 + dot(offset, at_first.bend_vector)
        matrix[:, 1, 1] = 1.0 - dot(offset, at_second.bend_vector)
        matrix[:, 0, 1] = matrix[:, 1, 0] = -dot(t1, t2)
        force = np.stack([-dot(offset, t1), dot(offset, t2)], axis=1)
        step = clipped(apply(inverse_2x2(matrix, 1e-9), force), 0.3 * radius)
        size = np.abs(step).max(axis=1)
        if not progress.going(size, at_first.point, at_second.point).any():
            break
        first = first.moved(step[:, 0, None] * t1)
        second = second.moved(step[:, 1, None] * t2)
    else:
        at_first, at_second = first.geometry(), second.geometry()
    solved = size <= _SOLVED * radius
    return ExtremalPairs(first, second, at_first, at_second, solved, solved)


def edge_normal(at_first: FeatureGeometry, at_second: FeatureGeometry) -> tuple[Floats, Floats]:
    """Return T1 x T2 normalized (k, 3) and its length before, the sine of the edges' angle (k,)."""
    n = cross(at_first.tangents[:, 0], at_second.tangents[:, 0])
    sine = np.sqrt(dot(n, n))
    return n / np.maximum(sine, 1e-300)[:, None], sine


_LONGEST = 0.3  # of R, on curved faces


def closest_points_on_faces(
    point: Floats, base: FeaturePoints, radius: float, rounds: int
) -> tuple[FeaturePoints, FeatureGeometry]:
    """Return the feet of points (k, 3) on base faces, from where these are, after so many rounds at most, and
    their geometry.  radius: the length R that tolerances and steps are relative to.
    """
    base = replace(base, param=base.param.copy())
    rows, live, progress = np.arange(len(point)), base, Progress(radius)
    for _ in range(rounds):
        at = live.geometry()
        step = _to_foot(point[rows], at, radius)
        going = progress.going(np.abs(step).max(axis=1), point[rows], at.point)
        if not going.any():
            break
        if not going.all():
            rows, live, progress = rows[going], live.take(np.nonzero(going)[0]), progress.take(going)
            at, step = at.take(going), step[going]
        live = live.moved(tangential(at, step))
        base.param[rows] = live.param
    return base, base.geometry()


def _to_foot(point: Floats, at: FeatureGeometry, radius: float) -> Floats:
    """The step (k, 2) to the foot; of a plane it is exact."""
    offset = point - at.point
    across = apply(at.tangents, offset)
    if not at.curvature.any():
        return across
    gap = dot(at.normal, offset)
    return clipped(
        apply(inverse_2x2(np.eye(2) - gap[:, None, None] * at.curvature, 0.1), across), _LONGEST * radius
    )
