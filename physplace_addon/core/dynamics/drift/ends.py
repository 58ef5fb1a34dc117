"""Where a trial of a step should end: at a hit, at the end of a slip, at a limit of a joint."""

from __future__ import annotations

from typing import Final

import numpy as np

from ...arrays import Bools, Ints
from ...contact.system import InterfacePoints
from ...vectors import length
from ..joints.passed_limits import part_to_limit
from ..scene import Scene
from ..step import FEW, TOUCHING, Drift, Moment
from .trials import Trial

_MEETS: Final = 0.9  # gap, over the one to be kept, at the end of a trial that leads to a hit foreseen, and
_DEEPER: Final = 0.6  # one below which it leads too far
_SURELY: Final = 1.1  # approach, over the one along an even way, up to which a hit is looked for
_SLIPS: Final = 1e-3  # slip, over the speed of an approach without a bounce, whose end is looked for


def closing_fast(scene: Scene, moment: Moment, h: float) -> Bools:
    """Return which points (k,) close too fast for a contact that a step obeys: they are run into."""
    opening, _ = moment.contacts.speeds(moment.motion.rates + 0.5 * h * scene.kicks)
    fast: Bools = (opening < -scene.slow_at(moment.points)) & ~moment.touching
    return fast


def rolled_to(moment: Moment) -> Bools:
    """Return which points (k,) are samples of contact curves between bodies that touch.

    What rolls along a curve comes to the next sample as a wheel to the next spot of the road: that closes
    fast, but is not hit.  Taken for a hit it would end the step, after ever shorter trials, and the next one.
    """
    points, bodies = moment.points, len(moment.motion.centre) + 1
    pair = points.body1 * bodies + points.body2  # FIXED is -1
    rolled: Bools = points.on_curve & np.isin(pair, pair[moment.touching])
    return rolled


def share_to_limit(moment: Moment, trial: Trial, passing: Bools, reaches: bool) -> float:
    """Return the time at which a trial should end for the first limit that it runs into, over its own."""
    return part_to_limit(trial.held, moment.motion, trial.drift.motion, moment.coordinates, passing, reaches)


def share_to_hit(scene: Scene, moment: Moment, trial: Trial, h: float, left_out: Bools, meets: bool) -> float:
    """Return the share of a trial, maybe more than 1, after which the first contact that it may run into is
    met; 1 where the trial may stay as it is.

    The gap at the end of a drift of a part p of h seconds is g + p h u + p^2 b, with u the speed at which it
    opens at first and b, of the kick and of bent paths, from the end of this trial.  So a hit is met without
    a search of the path that leads beyond it.

    left_out (k,): the moment's points that may be run into.
    meets: whether the trial is to end at a hit, and not before.
    """
    fast = np.flatnonzero(left_out)
    if len(fast) == 0:
        return 1.0
    opened, _ = moment.contacts.speeds(moment.motion.twists_to(scene.inertia, trial.drift.motion))
    ahead = moment.points.gap[fast] + _SURELY * np.minimum(opened[fast], 0.0) < TOUCHING * scene.hold
    kept, found = moment.tracked(scene.system(trial.drift.motion), fast[ahead], trial.drift.tracked)
    fast, end = fast[ahead][kept], found.gap
    first, over = end < _DEEPER * scene.hold, end > TOUCHING * scene.hold
    if len(fast) == 0 or not (first.any() or (meets and over.all())):
        return 1.0
    part, gap = trial.part, moment.points.gap[fast]
    slope = h * moment.contacts.speeds(moment.motion.rates)[0][fast]
    bend = (end - gap - part * slope) / part**2
    room = gap - _MEETS * scene.hold
    root = slope**2 - 4.0 * bend * room  # below 0 of what comes nearer and lifts again, with room left
    size = np.sqrt(np.maximum(root, 0.0)) - slope
    met = np.divide(2.0 * room, size, out=np.full_like(size, np.inf), where=(size > 0.0) & (root >= 0.0))
    return float(met.min()) / part if (met > 0.0).all() and np.isfinite(met.min()) else 1.0


def part_to_end_of_slip(scene: Scene, moment: Moment, drift: Drift, h: float) -> float:
    """Return the part of a step of h seconds at whose end friction first ends a slip; 1 for none.

    Friction slows a slip evenly, and half of it in the first half of the step.  What stands still in
    that half already had come to rest before it ended.  That is true of contacts that do not close at the
    start: what closes slips on until it is stopped, and then at once, in a step however short.
    """
    pressing = np.flatnonzero(drift.impulses[:, 0] > 0.0)
    if len(pressing) == 0 or np.count_nonzero(moment.touching) > FEW:
        return 1.0
    contacts = drift.contacts.take(pressing)
    opening, slip = contacts.speeds(moment.motion.rates)
    before, half = length(slip), length(contacts.speeds(drift.half)[1])
    slips = (before > _SLIPS * scene.slow) & (half < before) & (opening > -_SLIPS * scene.slow)
    if not slips.any():
        return 1.0
    share = before[slips] / (2.0 * (before[slips] - half[slips]))
    first = float(share.min())
    return first if first > 0.5 * (1.0 + _SLIPS) else 0.5


def are_hit(points: InterfacePoints, left_out: Bools, pairs: Ints) -> bool:
    """Return whether one of pairs of bodies (j, 2) is hit, at a point that a step does not obey (k,) or that
    was too far away to be one of the points (k,).
    """
    every = list(zip(points.body1.tolist(), points.body2.tolist(), strict=True))
    obeyed = {pair for pair, left in zip(every, left_out.tolist(), strict=True) if not left}
    fast = {pair for pair, left in zip(every, left_out.tolist(), strict=True) if left}
    return any((pair := (first, second)) in fast or pair not in obeyed for first, second in pairs.tolist())
