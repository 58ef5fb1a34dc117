"""Does any small motion that does not penetrate lower the energy?  By trying, on exact shapes.

A motion shifts and turns the active solids a little.  Then each is lifted along gravity, or lowered, to where
the sum of weight times height is least with nothing overlapping: a linear programme in the lifts,

    min  sum w_i l_i   with  g_k + s_k (l_i - l_j) >= 0

for every near place k of solids i and j, of gap g_k, whose rise s_k with the lift is first measured by
differences and then what the last lift has shown.  Gaps are measured again at the new places until nothing
moves any more.  Where a place can't be cleared by a small lift (a wall) the motion is impossible and says
nothing.

Before a motion counts as lowering the energy, all places are looked for afresh where it ends, so that an
overlap that came from elsewhere is obeyed, too: a fall that is reported is one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import null_space
from scipy.optimize import OptimizeResult, linprog, nnls

from tests.oracles.arrays import Floats, Ints
from tests.oracles.balance import wrenches
from tests.oracles.contacts import Contacts
from tests.oracles.facing import Facing, Minima, Solid, nearest

SIZES = (1e-2, 1e-3, 1e-4)
ROUNDING = 1e-9  # of an energy, over the radius
CLEAR = 1e-12  # depth / radius that is no overlap
FARTHEST = 20.0  # lifts are at most this times the motion's size
ROUNDS = 15
PLACES = 10  # of a pair
UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Fall:
    """A motion (m, 6), shifts over the radius and turns in radians, that lowers the energy by `drop` (over
    the sum of weights and the radius).
    """

    drop: float
    motion: np.ndarray


@dataclass(frozen=True)
class Tried:
    """How many motions were tried, how many of them walls forbid, and the fall that was found, if any."""

    count: int
    impossible: int
    fall: Fall | None


class Scene:
    """Solids of which the first `active` may move, and the pairs of them that may meet."""

    def __init__(
        self, solids: list[Solid], active: int = 1, radius: float = 1.0, weights: ArrayLike | None = None
    ) -> None:
        self.solids, self.active, self.radius = list(solids), active, radius
        given = np.ones(active) if weights is None else np.asarray(weights, float)
        self.weights = given / given.sum()
        self.pairs = [(i, j) for i in range(active) for j in range(i + 1, len(solids))]
        self.facings = [Facing(solids[i].shape, solids[j].shape) for i, j in self.pairs]

    def moved(self, motion: Floats, lifts: Floats) -> list[Solid]:
        """The solids after a motion (m, 6) and lifts (m,), all over the radius."""
        x = np.array(motion, float)
        x[:, 2] += lifts
        active = [s.displaced(one, self.radius) for s, one in zip(self.solids, x, strict=False)]
        return active + self.solids[self.active :]

    def places(self, solids: Sequence[Solid], within: float) -> list[Minima]:
        """For each pair, where the solids are nearer than `within` (a length)."""
        return [
            nearest(facing, solids[i], solids[j], within, self.radius, PLACES)[0]
            for (i, j), facing in zip(self.pairs, self.facings, strict=True)
        ]

    def energy(self, motion: Floats, lifts: Floats) -> float:
        """Change of the energy by a motion (m, 6) and lifts (m,)."""
        return float(self.weights @ (motion[:, 2] + lifts))


def steepest_fall(scene: Scene, motions: Floats, allowed: float = ROUNDING) -> Tried:
    """Try motions (n, m, 6); of those that lower the energy by more than `allowed` return the one that does
    most, confirmed.
    """
    size = max(float(np.abs(motions).max()), 1e-4)
    places = scene.places(scene.solids, 4 * size * scene.radius)
    lifts = _least_lifts(scene, places, motions, size)
    possible = np.isfinite(lifts).all(axis=1)
    drops = np.array(
        [-scene.energy(*one) if ok else 0.0 for *one, ok in zip(motions, lifts, possible, strict=True)]
    )
    for row in np.argsort(-drops, kind="stable"):
        if drops[row] <= allowed:
            break
        drop = _confirmed(scene, places, motions[row], lifts[row], size)
        if drop > allowed:
            return Tried(len(motions), int((~possible).sum()), Fall(drop, motions[row]))
    return Tried(len(motions), int((~possible).sum()), None)


def _confirmed(scene: Scene, places: Sequence[Minima], motion: Floats, lifts: Floats, size: float) -> float:
    """The drop after the places where it ends were looked for afresh, as often as that finds overlaps."""
    for _ in range(5):
        there = scene.moved(motion, lifts)
        found = scene.places(there, 0.0)
        deep = [
            p.take(_gaps(f, p, there, pair) < -CLEAR * scene.radius)
            for p, f, pair in zip(found, scene.facings, scene.pairs, strict=True)
        ]
        if sum(len(p.patch) for p in deep) == 0:
            return -scene.energy(motion, lifts)
        places = [Minima.join([a, b]) for a, b in zip(places, deep, strict=True)]
        lifts = _least_lifts(scene, places, motion[None], size)[0]
        if not np.isfinite(lifts).all():
            return 0.0
    return 0.0


def _gaps(facing: Facing, minima: Minima, solids: Sequence[Solid], pair: tuple[int, int]) -> Floats:
    turn, move = facing.relative(solids[pair[0]], solids[pair[1]])
    count = len(minima.patch)
    return facing.gaps(
        minima.patch, minima.parameter[:, None], np.tile(turn, (count, 1, 1)), np.tile(move, (count, 1))
    )[:, 0]


class _Walk:
    """The near places of all the motions at once: n motions by k places."""

    def __init__(self, scene: Scene, places: Sequence[Minima], motions: Floats) -> None:
        self.scene, self.motions = scene, motions
        self.owner = np.repeat(np.arange(len(places)), [len(p.patch) for p in places])
        self.minima = Minima.join(list(places))
        self.parameter = np.tile(self.minima.parameter, (len(motions), 1, 1))
        self.pairs = np.array(scene.pairs)[self.owner]

    def gaps(self, lifts: Floats, rows: tuple[Ints, Ints], scale: float) -> tuple[Floats, Floats]:
        """Gaps (r,) of the places at rows (motion (r,), place (r,)), and their rise with the first's lift."""
        gap, rise = np.zeros(len(rows[0])), np.zeros(len(rows[0]))
        solids = {n: self.scene.moved(self.motions[n], lifts[n]) for n in np.unique(rows[0])}
        for number, (i, j) in enumerate(self.scene.pairs):
            mine = np.nonzero(self.owner[rows[1]] == number)[0]
            if len(mine):
                pairs = [(solids[n][i], solids[n][j]) for n in rows[0][mine]]
                gap[mine], rise[mine] = self._of_pair(number, pairs, rows[0][mine], rows[1][mine], scale)
        return gap / self.scene.radius, rise

    def _of_pair(
        self, number: int, pairs: Sequence[tuple[Solid, Solid]], motion: Ints, place: Ints, scale: float
    ) -> tuple[Floats, Floats]:
        facing, step = self.scene.facings[number], 1e-7 * self.scene.radius
        turn, move = (
            np.array(part) for part in zip(*(facing.relative(*pair) for pair in pairs), strict=True)
        )
        start = replace(self.minima.take(place), parameter=self.parameter[motion, place])
        minima, gap = facing.refined(start, turn, move, scale)
        self.parameter[motion, place] = minima.parameter
        up = np.array([(b if facing.first_walks else a).rotation.T @ UP for a, b in pairs])
        p = minima.parameter[:, None]
        ahead = facing.gaps(minima.patch, p, turn, move + step * up)[:, 0]
        behind = facing.gaps(minima.patch, p, turn, move - step * up)[:, 0]
        return gap, (ahead - behind) / (2 * step) * (1.0 if facing.first_walks else -1.0)


def _least_lifts(scene: Scene, places: Sequence[Minima], motions: Floats, size: float) -> np.ndarray:
    """Lifts (n, m) over the radius of least energy that clear everything, nan where a wall forbids it."""
    walk, lifts = _Walk(scene, places, motions), np.zeros((len(motions), scene.active))
    if len(walk.owner) == 0:
        return lifts - FARTHEST * size
    gaps, rises = np.full((2, len(motions), len(walk.owner)), 0.0)
    live, step = np.arange(len(motions)), np.zeros_like(lifts)
    for round_ in range(ROUNDS):
        lifted = _relative(step[live], walk.pairs)
        gaps[live] += rises[live] * lifted  # what is expected; those that may matter are measured
        motion, place = np.nonzero(
            gaps[live] < size * (2 * size + 0.1 * np.abs(lifted).max(axis=1, keepdims=True))
        )
        rows = live[motion], place
        gap, rise = walk.gaps(lifts, rows, 0.1 if round_ else 1.0)
        told = np.abs(lifted[motion, place]) > 1e-7
        shown = rises[rows] + (gap - gaps[rows]) / np.where(told, lifted[motion, place], 1.0)
        rises[rows] = np.where(told, np.clip(shown, -1, 1), rise)
        gaps[rows] = gap
        step[live] = [
            _programme(gaps[n], rises[n], walk.pairs, scene.weights, lifts[n], FARTHEST * size) for n in live
        ]
        lifts[live] += step[live]
        live = live[np.abs(step[live]).max(axis=1) > 1e-13]
        if len(live) == 0:
            return lifts
    lifts[live] = np.nan
    return lifts


def _relative(lifts: Floats, pairs: Ints) -> Floats:
    """How much more the first solid of each place (k, 2) is lifted than the second, (l, k)."""
    padded = np.hstack([lifts, np.zeros((len(lifts), int(pairs.max()) + 1))])
    return padded[:, pairs[:, 0]] - padded[:, pairs[:, 1]]


def _programme(
    gaps: Floats, rises: Floats, pairs: Ints, weights: Floats, lifts: Floats, farthest: float
) -> Floats:
    """The change (m,) of the lifts; nan where there is none."""
    if len(weights) == 1:
        return _interval(gaps, rises, float(lifts[0]), farthest)
    unit = max(1e-9, float(np.abs(gaps[gaps < 0]).max(initial=0.0)))
    rows = np.zeros((len(gaps), len(weights)))
    for end, sign in ((0, -1.0), (1, 1.0)):
        mine = np.nonzero(pairs[:, end] < len(weights))[0]
        rows[mine, pairs[mine, end]] += sign * rises[mine]
    bounds = np.stack([-farthest - lifts, farthest - lifts], axis=1) / unit
    solved: Callable[..., OptimizeResult] = linprog
    found = solved(
        weights,
        A_ub=rows,
        b_ub=gaps / unit,
        bounds=bounds,
        method="highs",
    )
    return unit * found.x if found.status == 0 else np.full(len(weights), np.nan)


def _interval(gaps: Floats, rises: Floats, lift: float, farthest: float) -> Floats:
    """The programme of one body: the lower end of what all places allow."""
    flat = np.abs(rises) < 1e-9
    ends = -gaps / np.where(flat, 1.0, rises)
    low = max(float(ends[~flat & (rises > 0)].max(initial=-np.inf)), -farthest - lift)
    high = min(float(ends[~flat & (rises < 0)].min(initial=np.inf)), farthest - lift)
    possible = low <= high and bool((gaps[flat] >= -CLEAR).all())
    return np.array([low if possible else np.nan])


def motions(
    scene: Scene,
    touching: Contacts,
    random: np.random.Generator,
    mixes: int = 20,
    sizes: tuple[float, float, float] = SIZES,
) -> np.ndarray:
    """Small motions (n, m, 6) to try: none at all; for each body the six axes both ways and random mixes; for
    all of them what the contacts leave free, both ways, and mixes of it; and where the unbalanced rest of the
    forces would take them.
    """
    m = scene.active
    alone = np.concatenate([np.eye(6), -np.eye(6), _unit(random.normal(size=(mixes, 6)))])
    each = np.zeros((m, len(alone), m, 6))
    for body in range(m):
        each[body, :, body] = alone
    columns = wrenches(touching, [s.centre for s in scene.solids[:m]], np.full(m, scene.radius))
    free = null_space(columns.T, rcond=1e-6).T
    free = np.concatenate([free, random.normal(size=(mixes if len(free) else 0, len(free))) @ free])
    pull = np.zeros((m, 6))
    pull[:, 2] = -scene.weights
    left = pull.ravel() + columns @ nnls(columns, -pull.ravel())[0]
    ways = [each.reshape(-1, 6 * m), free, -free, *([left[None]] if np.linalg.norm(left) > 1e-7 else [])]
    units = _unit(np.concatenate(ways)).reshape(-1, m, 6)
    return np.concatenate([np.zeros((1, m, 6)), *(size * units for size in sizes)])


def _unit(x: Floats) -> Floats:
    result: Floats = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return result
