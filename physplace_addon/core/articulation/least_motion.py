"""Newton's method for the least motion of a linkage (Choi and Cremer 1999, section 5).

    min E(q)    s.t.    Phi(q) + C (l - l') = 0,    g(q) >= 0,

E the cost of moving from a reference (`groups`), Phi all rows (`equations`) with compliance C, and g gaps:
joint limits and clearances.  With multipliers l and z the conditions are dE = J' l + G' z, z >= 0, z . g = 0.
A Newton step x solves

    K x + dE = J' l + G' z,    J x + Phi + C (l - l') = 0,    G x + g >= 0,

    A l = -Phi + C l' + J K^-1 (dE - G' z),    A = J K^-1 J' + C    (`optimization.dual_equations`),

and with B = J K^-1 G', x_0 the step without gaps, the gaps are a small linear complementarity problem
(`complementarity`),

    S = G K^-1 G' - B' A^-1 B,    0 <= z,    S z + G x_0 + g >= 0.

Hessian.  The paper's block is 1, which leaves out the bend of the constraints: it then diverges for goals far
away.  Here K = ddE - sum l_i H_i with the H_i of `rows`, a 3x3 matrix for the turn of each group, exact for
spherical joints, pins and point goals.  Where it is not positive definite, its eigenvalues are taken by their
sizes, so that a step goes away from a saddle; but not where joints, goals and pressing gaps leave no motion
that way (`optimization.saddle_systems`).  With that, and with what pressing gaps bend by two groups at once,
the normal of a contact and the axes of a limit that turn with one of them, convergence is quadratic there,
too.  What still oscillates is damped: where a step turns back and is hardly shorter than the one before.  A
step that leaves a saddle grows in the same direction and is not.

Rows that cannot hold.  l' are the multipliers of the step before for joints, so that these hold exactly in
the end (method of multipliers), also where rows repeat others; C is made smaller where that is slow
(`tracking`).  For a goal l' is that too as long as it is nearly met; else it is 0, which leaves the least
squares of all goals by their weights, and the least motion among these poses.  A straight arm then points at
what it cannot reach, and nothing is singular.  l' is bounded, so that goals that are just out of reach end
as least squares, too; but not where it holds against goals of less weight that pull as hard.

Slack variables.  The paper makes an inequality an equation g - Y^2 = 0 (equation 15).  That has no derivative
where Y = 0, where it presses, and each contact that comes or goes changes the structure of A; an active set
leaves A as it is.  On 101 random planar arms of five links at their limits, both without the bend of the
constraints, active sets took 11.5 Newton steps in the mean; slack variables, begun at Y = sqrt(g), took 16.9,
and missed the pose in 6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from ..arrays import ArrayRecord, Bools, Floats, Ints
from ..contact.system import FIXED
from ..optimization.complementarity import complementary
from ..optimization.saddle_systems import SaddleSystem, eigen, raised_inverse
from .configuration import Configuration
from .equations import Equations
from .rows import Rows

_MET = 1e-3  # of a goal's rows, over L or in radians, up to which its multipliers are carried on
_STRONGEST = 1e3  # of these, over the unit cost: what is just out of reach does not pull for ever
_PENALTY = 100.0  # of gaps that press, over the metric
_SLIGHT = 1e-2  # of a bend by two groups, over the metric, that is left out
_BENT = 0.02  # of a stiff axis, radians or over L, from where its bend counts
_MOST_BENDS = 48  # of these, the greatest: each takes a solution of all rows
_BENDS = 1e-9  # of the bend, over M, that is worth a matrix
_CHOICES = 12  # rounds in which gaps are chosen that a step closes
_CLOSES = 1e-10  # gap below which it is closed, over L
_ROUNDING = 1e-9  # of a gap's multiplier, over the greatest of all rows, that does not press
_OSCILLATES = 0.7  # length of a step that turns back, over the one before, above which steps are damped
_FIRST_DAMPING, _MORE, _LESS, _LEAST_DAMPING = 0.5, 2.0, 0.3, 1e-2


@dataclass(frozen=True, eq=False)
class Gaps(ArrayRecord):
    """Inequalities g(q) >= 0 at a configuration.

    gap (k,): g, over L or radians.
    blocks (k, 2, 6): their derivatives by the twists of two groups; those of the world mean nothing.
    body (k, 2): these groups, FIXED for the world.
    direction, arm (k, 2, 3): d and a of what bends (`rows`); 0 where that is not known.
    hessians: gives, for the numbers (j,) of some gaps, the rest (j, 12, 12) of their second derivatives by
        the twists of both groups; None for nothing.
    """

    gap: Floats
    blocks: Floats
    body: Ints
    direction: Floats
    arm: Floats
    hessians: Callable[[Ints], Floats] | None = None

    @classmethod
    def straight(cls, gap: Floats, blocks: Floats, body: Ints) -> Gaps:
        """Return gaps whose bend is not known."""
        nothing = np.zeros((len(gap), 2, 3))
        return cls(gap, blocks, body, nothing, nothing)

    @classmethod
    def none(cls) -> Gaps:
        """Return no gaps."""
        return cls.straight(np.zeros(0), np.zeros((0, 2, 6)), np.zeros((0, 2), np.intp))

    def after(self, x: Floats) -> Floats:
        """Return the gaps (k,) after twists (m, 6), to first order."""
        with_world = np.concatenate([x, np.zeros((1, 6))])
        found: Floats = self.gap + (self.blocks * with_world[self.body]).sum(axis=(1, 2))
        return found

    def dense(self, count: int) -> Floats:
        """Return the derivatives G (k, 6 m) by all twists."""
        out = np.zeros((len(self.gap), count + 1, 6))
        each = np.arange(len(self.gap))
        for slot in (0, 1):
            out[each, self.body[:, slot]] += self.blocks[:, slot]
        return out[:, :count].reshape(len(self.gap), 6 * count)


@dataclass(frozen=True, eq=False)
class Anchor:
    """A configuration to which a motion is held back: E from there, times a strength, is added."""

    configuration: Configuration
    strength: float


@dataclass(frozen=True, eq=False)
class Iterate:
    """Where Newton's method is.

    configuration: q.  multipliers (n,): l.  pressing (k,): z of the gaps of the last step.
    length: of the last step, the farthest that a point moved, over L.  damping: of the next one.
    step (k, 6): the last step's twists; None before the first.
    """

    configuration: Configuration
    multipliers: Floats
    pressing: Floats
    length: float = np.inf
    damping: float = 0.0
    step: Floats | None = None

    @classmethod
    def start(cls, configuration: Configuration, equations: Equations) -> Iterate:
        """Return the first iterate, without multipliers."""
        return cls(configuration, np.zeros(len(equations)), np.zeros(0))

    def afresh(self) -> Iterate:
        """Return it without the last step, from where Newton's method begins anew."""
        return replace(self, length=np.inf, damping=0.0, step=None)

    def with_gaps(self, count: int) -> Iterate:
        """Return it among a number of gaps, the first of which are those of the last step."""
        more = max(count - len(self.pressing), 0) if len(self.pressing) else 0
        return replace(self, pressing=np.pad(self.pressing, (0, more)))

    def presses(self) -> Bools:
        """Return which gaps (k,) press by more than rounding of what they are pressed by."""
        most = max(1.0, float(np.abs(self.multipliers).max(initial=0.0)))
        pressing: Bools = self.pressing > _ROUNDING * most
        return pressing


def newton_step(
    equations: Equations,
    reference: Configuration,
    at: Iterate,
    rows: Rows,
    gaps: Gaps | None = None,
    longest: float = np.inf,
    anchor: Anchor | None = None,
    softness: Floats | float = 1.0,
) -> Iterate:
    """Return the iterate after a step of Newton's method.

    Args:
        equations: of the linkage and its goals.
        reference: from where the motion is the least.
        at: where the step begins.
        rows: those of the equations there.
        gaps: what has to stay positive.
        longest: how far a point may move at most, over L.
        anchor: what the motion is held back to, besides the reference.
        softness: compliance of the rows (n,), over that of the equations.
    """
    groups = equations.groups
    cost = groups.gradient(reference, at.configuration)
    curvature = groups.curvature(reference, at.configuration)
    if anchor is not None:
        cost = cost + anchor.strength * groups.gradient(anchor.configuration, at.configuration)
        curvature += anchor.strength * groups.curvature(anchor.configuration, at.configuration)
    damped = np.where(equations.soft, 1.0 / (1.0 + at.damping), 1.0)
    compliance = damped * softness * equations.compliance
    saddle, right = _saddle(equations, at, rows, gaps, curvature, compliance)
    prior = _prior_multipliers(equations, at, rows)
    x, multipliers = saddle.solved(right - cost, compliance * prior - damped * rows.value)
    pressing = np.zeros(0)
    if gaps is not None and len(gaps.gap):
        x, multipliers, pressing = _pressed(saddle, gaps, x, multipliers, at.pressing)
    far = groups.reach_of(x)
    share = min(1.0, longest / far) if far > 0.0 else 1.0
    if share < 1.0:
        x, multipliers = share * x, at.multipliers + share * (multipliers - at.multipliers)
    moved = at.configuration.moved(x, groups.length)
    damping = _next_damping(at, x, share * far, share < 1.0)
    return Iterate(moved, multipliers, pressing, share * far, damping, x)


def saddle_twists(equations: Equations, reference: Configuration, at: Iterate, rows: Rows) -> Floats | None:
    """Return twists (m, 6) along which the Lagrangian bends down, as of rods in a straight line that are
    pressed from their ends; None if there are none.  reference: from where the motion is the least.
    """
    bend = _bend(equations, at, rows, None)
    if bend is None:
        return None
    turning = equations.groups.curvature(reference, at.configuration)[:, 3]
    stiff = turning[:, None, None] * np.eye(3) - bend
    values, vectors = np.linalg.eigh(stiff)
    if values[:, 0].min(initial=0.0) >= 0.0:
        return None
    twists = np.zeros((len(stiff), 6))
    lowest = np.where(values[:, :1] < 0.0, vectors[:, :, 0], 0.0)
    sign = np.where(lowest[:, :1] * np.sign(lowest.sum(axis=1, keepdims=True)) < 0.0, -1.0, 1.0)
    twists[:, 3:] = lowest * sign * np.where(np.arange(len(stiff)) % 2, -1.0, 1.0)[:, None]
    return twists


def _prior_multipliers(equations: Equations, at: Iterate, rows: Rows) -> Floats:
    """Return l' (n,): those of the step before for rows that can hold, and 0 for others."""
    prior = np.where(equations.hard, at.multipliers, 0.0)
    goals = list(zip(equations.goals, equations.goal_rows, strict=True))
    met = [np.abs(rows.value[mine]).max(initial=0.0) < _MET for _, mine in goals]
    lightest = min(
        (goal.weight for (goal, _), done in zip(goals, met, strict=True) if not done), default=np.inf
    )
    for (goal, mine), done in zip(goals, met, strict=True):
        if goal.hard and done:
            strongest = _STRONGEST * max(1.0, goal.weight / lightest)
            prior[mine] = np.clip(at.multipliers[mine], -strongest, strongest)
    return prior


_FIRST = np.arange(3)


def _bend(equations: Equations, at: Iterate, rows: Rows, gaps: Gaps | None) -> Floats | None:
    """Return sum l_i H_i (k, 3, 3) of the groups' turns; None where it is nothing."""
    count = len(equations.groups)
    total = np.zeros((count, 3, 3))
    if at.multipliers.any():
        total = _outer_sums(at.multipliers, rows.direction, rows.arm, equations.places, count)
    if gaps is not None and len(at.pressing) == len(gaps.gap):
        some = np.flatnonzero(at.pressing)
        pressing = gaps.take(some)
        group = np.where(pressing.body == FIXED, count, pressing.body)
        places = (9 * group.reshape(-1, 1) + np.arange(9)).ravel()
        total = total + _outer_sums(at.pressing[some], pressing.direction, pressing.arm, places, count)
    if float(np.abs(total).max(initial=0.0)) < _BENDS:
        return None
    bend: Floats = 0.5 * (total + total.transpose(0, 2, 1))
    bend[:, _FIRST, _FIRST] -= np.einsum("kii->k", total)[:, None]
    return bend


def _saddle(
    equations: Equations, at: Iterate, rows: Rows, gaps: Gaps | None, curvature: Floats, compliance: Floats
) -> tuple[SaddleSystem, Floats]:
    """Return the KKT system of a step, and what pressing gaps add to its right-hand side (k, 6).

    curvature (k, 6): of the cost.  compliance (n,): C.
    """
    bend, more = _bend(equations, at, rows, gaps), 1.0 + at.damping
    curvature = more * curvature
    inverse, raised = 1.0 / curvature, np.zeros((0, *curvature.shape))
    if bend is not None:
        inverse, raised = raised_inverse(curvature, more * bend, equations.bend_exactly)
    equations.dual.factor(rows.blocks, inverse, compliance)
    plain = SaddleSystem.of(equations.dual, inverse, len(equations))
    changes, signs, right = _of_both_groups(equations, at, gaps)
    return plain.lowered(raised, np.sqrt(more) * changes, signs, curvature), more * right


def _of_both_groups(equations: Equations, at: Iterate, gaps: Gaps | None) -> tuple[Floats, Floats, Floats]:
    """Return what bends by two groups at once adds: U (u, k, 6) and S (u,), and to r (k, 6).

    It is how stiff axes bend, and gaps that pressed in the step before, and a penalty of these.
    """
    rows = equations.bending_both
    pull = at.multipliers[rows]
    slight = equations.soft[rows] & (np.abs(pull) * equations.compliance[rows] < _BENT)
    pull[slight] = 0.0  # beside how stiff they are
    some = np.zeros(0, np.intp)
    if gaps is not None and gaps.hessians is not None and len(at.pressing) == len(gaps.gap):
        some = np.flatnonzero(at.pressing)
    right = np.zeros(equations.groups.metric.shape)
    if not pull.any() and not len(some):
        return np.zeros((0, *right.shape)), np.zeros(0), right
    body, hessians = equations.body[rows], equations.hessians(at.configuration)
    if gaps is None or gaps.hessians is None or not len(some):
        return *_mixed_bend(equations, body, hessians, pull), right
    body, hessians = np.concatenate([body, gaps.body[some]]), np.concatenate([hessians, gaps.hessians(some)])
    changes, signs = _mixed_bend(equations, body, hessians, np.concatenate([pull, at.pressing[some]]))
    penalty, right = _closing(equations, gaps.take(some))
    return np.concatenate([changes, penalty]), np.concatenate([signs, np.ones(len(some))]), right


def _closing(equations: Equations, gaps: Gaps) -> tuple[Floats, Floats]:
    """Return the directions (p, k, 6) of a penalty of gaps that press, and what they add to r (k, 6).

    They are expected to close, G x + g = 0.  So w G'G x = -w G'g holds, too, whatever w, and with it only
    motions that they leave free must be positive.
    """
    metric = equations.groups.metric
    closing = gaps.dense(len(metric)).reshape(-1, *metric.shape)
    weight = _PENALTY / np.einsum("pkj,kj->p", closing**2, 1.0 / metric)
    right: Floats = -np.einsum("p,pkj->kj", weight * gaps.gap, closing)
    return np.sqrt(weight)[:, None, None] * closing, right


def _mixed_bend(equations: Equations, body: Ints, hessians: Floats, pull: Floats) -> tuple[Floats, Floats]:
    """Return U (u, k, 6) and S (u,) of what some rows and gaps bend by two groups at once.

    It is - sum l_i H_i = U S U'.  What is small beside the metric is left out.

    Args:
        equations: of the groups.
        body (p, 2): these groups of each.
        hessians (p, 12, 12): H_i.
        pull (p,): their multipliers.
    """
    count = len(equations.groups)
    key, number = np.unique((body + 1) @ np.array([count + 1, 1]), return_inverse=True)
    pairs = np.stack(np.divmod(key, count + 1), axis=1) - 1
    each = np.arange(len(body) + 1)  # one entry a column
    by_pair = sparse.csc_array((-pull, number.ravel(), each), shape=(len(pairs), len(body)))
    sums = (by_pair @ hessians.reshape(len(body), 144)).reshape(-1, 12, 12)
    metric = np.concatenate([equations.groups.metric, np.full((1, 6), np.inf)])  # nothing moves the world
    root = np.sqrt(metric[pairs]).reshape(-1, 12)
    values, vectors = eigen(sums / root[:, :, None] / root[:, None])
    pair, which = np.nonzero(np.abs(values) > _SLIGHT)
    most = np.sort(np.argsort(-np.abs(values[pair, which]), kind="stable")[:_MOST_BENDS])
    pair, which = pair[most], which[most]
    size = np.sqrt(np.abs(values[pair, which]))
    moves = np.isfinite(root)[pair]
    parts = np.where(moves, np.where(moves, root[pair], 0.0) * vectors[pair, :, which] * size[:, None], 0.0)
    changes = np.zeros((len(pair), count + 1, 6))
    for slot in (0, 1):
        changes[np.arange(len(pair)), pairs[pair, slot]] += parts[:, 6 * slot : 6 * slot + 6]
    return changes[:, :count], np.sign(values[pair, which])


def _outer_sums(multipliers: Floats, direction: Floats, arm: Floats, places: Ints, count: int) -> Floats:
    """Return the sums (k, 3, 3) of l d a' of rows (n,) over groups; places as in `Equations.places`."""
    pull = multipliers[:, None, None] * direction
    outer = pull[..., :, None] * arm[..., None, :]
    sums: Floats = np.bincount(places, outer.ravel(), 9 * (count + 1)).astype(np.float64, copy=False)
    return sums.reshape(-1, 3, 3)[:count]


def _pressed(
    saddle: SaddleSystem, gaps: Gaps, x: Floats, multipliers: Floats, pressing: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the step x (k, 6), the multipliers l (n,) and z of the gaps, from those without gaps.

    Few of the gaps matter: those that have pressed, those that the step without them closes, and those that a
    step with these closes.
    """
    z, count = np.zeros(len(gaps.gap)), len(x)
    before = pressing > 0.0 if len(pressing) == len(z) else np.zeros(len(z), bool)
    more = np.flatnonzero((gaps.after(x) < 0.0) | before)
    active, chosen = before[more], more[:0]
    pushed, back = np.zeros((0, count, 6)), np.zeros((len(multipliers), 0))
    moved, changed = x, multipliers
    for _ in range(_CHOICES):
        if not len(more):
            break
        chosen = np.concatenate([chosen, more])
        found, its_multipliers = saddle.solved_for(gaps.take(more).dense(count).reshape(-1, count, 6))
        pushed, back = np.concatenate([pushed, found]), np.concatenate([back, its_multipliers], axis=1)
        some = gaps.take(chosen)
        matrix = some.dense(count) @ pushed.reshape(len(chosen), -1).T
        z[:] = 0.0
        z[chosen] = complementary(0.5 * (matrix + matrix.T), some.after(x), active)
        moved = x + np.einsum("c,ckj->kj", z[chosen], pushed)
        changed = multipliers + back @ z[chosen]
        after = gaps.after(moved)
        after[chosen] = 0.0
        more = np.flatnonzero(after < -_CLOSES)
        active = np.concatenate([z[chosen] > 0.0, np.ones(len(more), bool)])
    return moved, changed, z


def _next_damping(at: Iterate, x: Floats, length: float, cut: bool) -> float:
    if cut or at.step is None:
        return at.damping
    turns_back = float((at.step * x).sum()) < 0.0
    if turns_back and length > _OSCILLATES * at.length and length > 1e-9:
        return max(_MORE * at.damping, _FIRST_DAMPING)
    less = _LESS * at.damping
    return less if less > _LEAST_DAMPING else 0.0
