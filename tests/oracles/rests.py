"""Where a body can rest on a plane: local minima of the height of its centre of mass over orientations.

For unit "down" d in the body's frame the height of the centre over the supporting plane is the support
function h(d) = max over the surface of d . (x - centre). It is a maximum of smooth branches h_i(d) = d .
x_i(d), so a rest is a minimax point on the sphere: up to three branches are active and a convex combination
of their points x_i lies along d (the centre stands over its support). In the retraction d(delta) = unit(d +
E delta),

    h_i = h_i + E'x_i . delta + 1/2 delta' (E' dx_i/dd E - h_i I) delta + ...

A sequential quadratic programme on these finds the neighbourhood; Newton on its optimality conditions, the
active set held, polishes to rounding. Solids of revolution need one angle only: bisection on the sign of
dh/dangle.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from tests.oracles.arrays import Floats, Ints
from tests.oracles.frames import angle_between, sphere_directions, tangents, unit
from tests.oracles.shapes import Branching, Polyhedron, Resting, Revolution, Superquadric


@dataclass(frozen=True)
class Rest:
    """A local minimum: the height of the centre, down in the body's frame (3,), how far it is from where we
    began (radians), and the number of active points (0: not counted)."""

    height: float
    down: np.ndarray
    tilt: float
    supports: int = 0


def nearest_rest(shape: Resting, down: ArrayLike) -> Rest:
    """The local minimum of the height that belongs to the direction `down` (3,) of gravity in the body's
    frame.
    """
    down = unit(down)
    if isinstance(shape, Revolution):
        return _rest_of_revolution(shape, down)
    if isinstance(shape, Superquadric):
        return _rest_on_an_axis(shape, down)
    if isinstance(shape, Polyhedron):
        return _rest_of_polyhedron(shape, down)
    assert isinstance(shape, Branching)
    return _rest_of_branches(shape, down)


def is_local_minimum(shape: Resting, rest: Rest, radius: float = 1e-3) -> bool:
    """No direction on small circles about the rest is lower: the definition, by sampling."""
    frame = tangents(rest.down)
    turn = np.arange(24) * np.pi / 12
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=1) @ frame.T
    around = np.concatenate([unit(rest.down + s * radius * ring) for s in (1.0, 0.1)])
    return bool(np.all(shape.support(around) >= rest.height - 1e-13))


def all_rests(shape: Resting, starts: int = 60) -> list[Rest]:
    """Distinct local minima reached from an even set of starts."""
    found: list[Rest] = []
    for down in sphere_directions(starts):
        rest = nearest_rest(shape, down)
        if all(angle_between(rest.down, other.down) > 1e-5 for other in found):
            found.append(rest)
    return sorted(found, key=lambda rest: rest.height)


def _rest_of_revolution(shape: Revolution, down: Floats) -> Rest:
    start = float(shape.angle(down[None])[0])

    def slopes(angles: Floats) -> Floats:
        folded = np.pi - np.abs(np.pi - np.abs(angles))  # beyond a pole the body's mirror image
        result: Floats = shape.slopes(folded) * np.where((angles < 0) | (angles > np.pi), -1, 1)
        return result

    if (
        np.max(np.abs(slopes(start + np.array([-1e-3, 0, 1e-3])))) < 1e-12
    ):  # a ball: every direction is a rest
        return Rest(float(shape.support(down[None])[0]), down, 0.0)
    low, high = _bracket(slopes, start)
    for _ in range(12):
        angles = np.linspace(low, high, 33)
        rising = np.argmax(slopes(angles)[1:] >= 0)
        low, high = angles[rising], angles[rising + 1]
    angle = (low + high) / 2
    turn = np.arctan2(down[1], down[0])
    rest = np.array([np.sin(angle) * np.cos(turn), np.sin(angle) * np.sin(turn), np.cos(angle)])
    return Rest(float(shape.support(rest[None])[0]), rest, abs(angle - start))


def _bracket(slopes: Callable[[Floats], Floats], start: float) -> tuple[float, float]:
    """An interval over which the slope turns from falling to rising: tight about the start, or the first
    downhill.
    """
    width = np.asarray(10.0 ** np.arange(-9, -1), float)
    tight = (slopes(start - width) < 0) & (slopes(start + width) > 0)
    if tight.any():
        return start - width[tight][0], start + width[tight][0]
    way = 1.0 if slopes(np.array([start]))[0] <= 0 else -1.0
    angles = np.asarray(start + way * np.arange(0, 3.2, 0.005), float)
    falling = slopes(angles) * way < 0
    falling[0] = True
    end = np.argmin(falling)
    return tuple(sorted((angles[end - 1], angles[end])))


def _rest_on_an_axis(shape: Superquadric, down: Floats) -> Rest:
    """A superquadric's rests are on its axes; those that sampling shows to be minima."""
    axes = np.concatenate([np.eye(3), -np.eye(3)])
    heights = shape.support(axes)
    rests = [Rest(float(h), a, angle_between(a, down), 1) for h, a in zip(heights, axes, strict=True)]
    return min((r for r in rests if is_local_minimum(shape, r, 1e-2)), key=lambda rest: rest.tilt)


def _rest_of_polyhedron(shape: Polyhedron, down: Floats) -> Rest:
    """The facets of the hull over which the centre of mass stands, edges and corners being no minima."""
    planes = np.unique(np.round(shape.hull.equations, 9), axis=0)
    heights = -planes[:, 3] - planes[:, :3] @ shape.centre
    points = shape.points - shape.centre
    rests = []
    for normal, height in zip(unit(planes[:, :3]), heights, strict=True):
        foot = points[points @ normal > height - 1e-7]
        if _stands_over(foot, normal):
            exact = float(np.max(points @ normal))
            rests.append(Rest(exact, normal, angle_between(normal, down), len(foot)))
    return min(rests, key=lambda rest: rest.tilt)


def _stands_over(foot: Floats, normal: Floats) -> bool:
    flat = foot @ tangents(normal)
    turn = np.sort(np.arctan2(flat[:, 1], flat[:, 0]))
    return bool(np.max(np.diff(np.append(turn, turn[0] + 2 * np.pi))) < np.pi)


def _rest_of_branches(shape: Branching, down: Floats) -> Rest:
    start, d, trust = down, down, 0.2
    height = np.max(shape.branches(d).values)
    for _ in range(200):
        pieces = _model(shape, d)
        delta = _minimax_step(*pieces, trust)
        trial = unit(d + tangents(d) @ delta)
        lower = np.max(shape.branches(trial).values)
        if lower < height:
            d, height, trust = trial, lower, min(2 * trust, 0.3)
        else:
            trust /= 4
        if np.linalg.norm(delta) < 1e-9 or trust < 1e-10:
            break
    d, supports = _polish(shape, d)
    height = float(np.max(shape.branches(d).values))
    return Rest(height, d, angle_between(d, start), supports)


def _model(shape: Branching, d: Floats) -> tuple[Floats, Floats, Floats]:
    """Values (m,), gradients (m, 2), Hessians (m, 2, 2) of the highest branches in the chart about d."""
    b = shape.branches(d)
    keep = np.argsort(-b.values)[:6]
    keep = keep[b.values[keep] > b.values.max() - 0.5]
    frame = tangents(d)
    hessian = np.einsum("ia,kij,jb->kab", frame, b.derivatives[keep], frame)
    hessian = hessian - b.values[keep, None, None] * np.eye(2)
    return b.values[keep], b.points[keep] @ frame, hessian


def _minimax_step(values: Floats, gradients: Floats, hessians: Floats, trust: float) -> Floats:
    """Step (2,) that lowers the largest piece: least of the regularized minimax models, over all active
    sets.
    """
    blend = hessians[0]
    lowest = np.linalg.eigvalsh(blend)[0]
    shift = max(1e-3, 1e-3 - lowest)
    for _ in range(60):
        delta = _best_active_set(values, gradients, blend + shift * np.eye(2))
        if np.linalg.norm(delta) <= trust:
            break
        shift *= 2
    return delta


def _best_active_set(values: Floats, gradients: Floats, b: Floats) -> Floats:
    best, least = np.zeros(2), np.inf
    for size in range(1, min(3, len(values)) + 1):
        active = np.array(list(combinations(range(len(values)), size)))
        delta, weights = _solve_active(values[active], gradients[active], b)
        model = np.max(values + delta @ gradients.T, axis=1) + np.einsum("ka,ab,kb->k", delta, b, delta) / 2
        model[np.min(weights, axis=1) < -1e-12] = np.inf
        if model.min() < least:
            best, least = delta[np.argmin(model)], model.min()
    return best


def _solve_active(values: Floats, gradients: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Steps (k, 2) and weights (k, m) at which the m pieces of each set are equal and balance."""
    k, m = values.shape
    kkt = np.zeros((k, 3 + m, 3 + m))
    kkt[:, :2, :2] = b
    kkt[:, :2, 3:], kkt[:, 3:, :2] = np.swapaxes(gradients, 1, 2), gradients
    kkt[:, 2, 3:], kkt[:, 3:, 2] = 1, -1
    right = np.concatenate([np.zeros((k, 2)), np.ones((k, 1)), -values], axis=1)
    solution = np.einsum("kij,kj->ki", np.linalg.pinv(kkt, rcond=1e-13), right)
    return solution[:, :2], solution[:, 3:]


def _polish(shape: Branching, d: Floats) -> tuple[Floats, int]:
    """Newton on the optimality conditions with the touching branches held; number of branches with a
    force.
    """
    for _ in range(12):
        values, gradients, hessians = _model(shape, d)
        near = np.nonzero(values > values[0] - 1e-6)[0][:4]
        near = _pressing(values[near], gradients[near], near)
        weights = _solve_active(values[None, near], gradients[None, near], np.eye(2))[1][0]
        b = np.einsum("k,kab->ab", weights, hessians[near])
        delta = _solve_active(values[None, near], gradients[None, near], b)[0][0]
        if np.linalg.norm(delta) > 1e-2:
            break
        d = unit(d + tangents(d) @ delta)
        if np.linalg.norm(delta) < 1e-15:
            break
    return d, len(near)


def _pressing(values: Floats, gradients: Floats, near: Ints) -> Ints:
    """The smallest active set that carries the body, among the near branches."""
    for size in (1, 2, 3):
        choices = []
        for active in combinations(range(len(near)), min(size, len(near))):
            chosen = list(active)
            weights = np.linalg.lstsq(
                np.vstack([gradients[chosen].T, np.ones(len(chosen))]), np.array([0, 0, 1.0]), rcond=None
            )[0]
            left = np.linalg.norm(weights @ gradients[chosen])
            if np.all(weights > -1e-9) and left < 1e-4:
                choices.append((left, chosen))
        if choices:
            return near[min(choices)[1]]
    return near[:3]
