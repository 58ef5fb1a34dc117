"""The drift of a step on paths that are free, or the part of it up to what bodies run into.

On its path a body shifts and turns evenly.  The true surfaces, flat and curved, are followed by safe steps
(`motion_stops`), which need not know where they touch.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from ..arrays import Bools, Ints
from ..collision.rigid_paths import STOP_SHARE
from ..contact.system import (
    FIXED,
    InterfacePoints,
    MotionStops,
    Pair,
    RigidPaths,
    feature_keys,
    motion_stops,
    rows_with_keys,
)
from ..jobs import Slices
from ..vectors import length
from .joints.free_linkages import FreeLinkages, moved_linkages
from .joints.passed_limits import part_to_limit
from .motion import Motion
from .scene import Scene
from .step import TOUCHING, Drift, Moment, drifted

_TRIALS: Final = 8  # of shorter and shorter steps
_NEARLY_WHOLE: Final = 0.9  # part of a step of many contacts that is cut off without solving again, or
_BEYOND: Final = 0.01  # half of what is left then: a trial leads so far beyond a hit, to meet it
_SHORTER: Final = 0.5  # least part of a step that is tried where contacts it obeys come too near on the way
_FREER: Final = 1.1  # part that is free, over the one before, if a shorter trial helps: else something is hit
_SPARING: Final = 0.8  # the same over the part that is free: more of it would hardly be free then, either
FEW: Final = 32  # contacts, of an island or in all, up to which impacts and ends of slips are found in time
_MEETS: Final = 0.9  # gap, over the one to be kept, at the end of a trial that leads to a hit foreseen, and
_DEEPER: Final = 0.6  # one below which it leads too far
_SURELY: Final = 1.1  # approach, over the one along an even way, up to which a hit is looked for
_SLIPS: Final = 1e-3  # slip, over the speed of an approach without a bounce, whose end is looked for
_AT_ONCE: Final = 1e-6  # part of a step, from its beginning, within which joints break at once
_WHOLE: Final = 1.0 - 1e-9  # part of a step that is all of it
_ENOUGH: Final = 1e-9  # of the paths: pairs that stop within so much stop together
_TURN: Final = 2.0  # radians: most that a body turns in a step


class FreePart(NamedTuple):
    """The part of paths that may be gone, 1 for all of them, and the pairs of bodies (j, 2) that end it."""

    part: float
    pairs: Ints


class _Trial(NamedTuple):
    """A drift that takes a part of a step, and the scene without what has moved by itself to its end."""

    held: Scene
    drift: Drift
    part: float
    linkages: FreeLinkages


class FreeDrift(NamedTuple):
    """A drift whose paths are free.

    held: the scene without what has moved by itself to its end.
    drift: of the other bodies; its motion is that of all.
    part: of the step, that it takes.
    hindering: the bodies (n,) that a path met first, if any did.
    linkages: what has moved by itself.
    """

    held: Scene
    drift: Drift
    part: float
    hindering: tuple[int, ...]
    linkages: FreeLinkages


class Blocked(NamedTuple):
    """Bodies (n,) that touch or overlap already, so that nothing can move on."""

    bodies: tuple[int, ...]


def closing_fast(scene: Scene, moment: Moment, h: float) -> Bools:
    """Return which points (k,) close too fast for a contact that a step obeys: they are run into."""
    opening, _ = moment.contacts.speeds(moment.motion.rates + 0.5 * h * scene.kicks)
    fast: Bools = (opening < -scene.slow_at(moment.points)) & ~moment.touching
    return fast


def free_drift(
    scene: Scene, moment: Moment, h: float, left_out: Bools, passing: Bools
) -> Slices[FreeDrift | FreeLinkages | Blocked | None]:
    """Return, in slices, the drift of a step of h seconds, or of a part of it; None if no rates obey its
    contacts.

    Where joints of a linkage that touches nothing break at once, no time passes: then that is returned.

    left_out: which of the moment's points (k,) it may run into.
    passing: which limits of joints (n,) it may run into.
    """
    hindering: tuple[int, ...] = ()
    longest, reaches = 1.0, False  # the step ends at a limit
    meets = False  # the step ends at a hit that was foreseen
    freed = 0.0  # part of the step that was free in a trial before
    trial = yield from _drifted_with_linkages(scene, moment, h, 1.0, left_out, passing)
    for _ in range(_TRIALS):
        yield
        if trial is None or isinstance(trial, FreeLinkages):
            return trial
        part = trial.part
        nearly = min(_NEARLY_WHOLE, 1.0 - 2.0 * _BEYOND / part) if len(moment.points) > FEW else _WHOLE
        shorter = _part_to_end_of_slip(scene, moment, trial.drift, part * h)
        to_limit = _part_to_limit(moment, trial, passing, reaches)
        if to_limit != 1.0 and min(to_limit, longest / part) < shorter:
            longest, reaches = (part if to_limit < 1.0 else longest), True
            shorter = min(to_limit, longest / part)
        elif (
            shorter >= nearly
            and (to_hit := min(_share_to_hit(scene, moment, trial, h, left_out, meets), longest / part))
            != 1.0
        ):
            shorter, meets = to_hit, True
        elif shorter >= nearly:
            shorter, pairs = free_part(scene, moment, trial.drift.motion)
            if shorter >= _WHOLE:
                return FreeDrift(trial.held, trial.drift, part, hindering, trial.linkages)
            hindering = tuple(np.unique(pairs[pairs != FIXED]).tolist())
            if shorter > nearly or shorter == 0.0:
                return _cut_short(scene, moment, trial, shorter, hindering)
            hit = _are_hit(moment.points, left_out, pairs) or part * shorter < _FREER * freed
            freed = part * shorter
            shorter = _shorter_trial(shorter, nearly, part, hit)
            meets = False  # what is in the way is nearer than the hit
        yield
        trial = yield from _drifted_with_linkages(
            scene, moment, h, part * shorter, left_out, passing, trial.drift
        )
    if trial is None or isinstance(trial, FreeLinkages):
        return trial
    yield
    shorter, pairs = free_part(scene, moment, trial.drift.motion)
    hindering = tuple(np.unique(pairs[pairs != FIXED]).tolist()) or hindering
    if shorter >= _WHOLE:
        return FreeDrift(trial.held, trial.drift, trial.part, hindering, trial.linkages)
    return _cut_short(scene, moment, trial, shorter, hindering)


def _shorter_trial(free: float, nearly: float, part: float, hit: bool) -> float:
    """Return the share of a trial of a part of a step, free as far as a share, that is tried next."""
    if not hit:
        return max(_SHORTER, _SPARING * free)  # bending falls with the square of the step
    return min(free + _BEYOND / part, nearly) if nearly < _WHOLE else free


def _part_to_limit(moment: Moment, trial: _Trial, passing: Bools, reaches: bool) -> float:
    """Return the time at which a trial should end for the first limit that it runs into, over its own."""
    return part_to_limit(trial.held, moment.motion, trial.drift.motion, moment.coordinates, passing, reaches)


def _share_to_hit(
    scene: Scene, moment: Moment, trial: _Trial, h: float, left_out: Bools, meets: bool
) -> float:
    """Return the share of a trial, maybe more than 1, after which the first contact of curved bodies that it
    may run into is met; 1 where the trial may stay as it is.

    The gap at the end of a drift of a part p of h seconds is g + p h u + p^2 b, with u the speed at which it
    opens at first and b, of the kick and of bent paths, from the end of this trial.  So a hit is met without
    a search of the path that leads beyond it.

    left_out (k,): the moment's points that may be run into.
    meets: whether the trial is to end at a hit, and not before.
    """
    fast = np.flatnonzero(left_out & ~_between_plain(moment))
    if len(fast) == 0:
        return 1.0
    opened, _ = moment.contacts.speeds(moment.motion.twists_to(scene.inertia, trial.drift.motion))
    ahead = moment.points.gap[fast] + _SURELY * np.minimum(opened[fast], 0.0) < TOUCHING * scene.hold
    points = moment.points.take(fast[ahead])
    found = scene.system(trial.drift.motion).track(points)
    rows = rows_with_keys(feature_keys(points), feature_keys(found))
    fast, end = fast[ahead][rows >= 0], found.gap[rows[rows >= 0]]
    first, over = end < _DEEPER * scene.hold, end > TOUCHING * scene.hold
    if len(fast) == 0 or not (first.any() or (meets and over.all())):
        return 1.0
    part, gap = trial.part, moment.points.gap[fast]
    slope = h * moment.contacts.speeds(moment.motion.rates)[0][fast]
    bend = (end - gap - part * slope) / part**2
    room = gap - _MEETS * scene.hold
    size = np.sqrt(np.maximum(slope**2 - 4.0 * bend * room, 0.0)) - slope
    met = np.divide(2.0 * room, size, out=np.full_like(size, np.inf), where=size > 0.0)
    return float(met.min()) / part if (met > 0.0).all() and np.isfinite(met.min()) else 1.0


def _between_plain(moment: Moment) -> Bools:
    """Return which points (k,) of a moment are between two bodies of which nothing is curved: their paths are
    searched quickly.
    """
    system = moment.system
    plain = np.array([body is None or body.is_plain for body in (*system.bodies, system.fixed)])
    both: Bools = plain[moment.points.body1] & plain[moment.points.body2]
    return both


def _part_to_end_of_slip(scene: Scene, moment: Moment, drift: Drift, h: float) -> float:
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


def _drifted_with_linkages(
    scene: Scene,
    moment: Moment,
    h: float,
    part: float,
    left_out: Bools,
    passing: Bools,
    longer: Drift | None = None,
) -> Slices[_Trial | FreeLinkages | None]:
    """Return the drift of a part of a step of h seconds, or of less where a joint breaks, with the linkages
    that touch nothing; these alone where they break at once.

    longer: the drift that was tried before, of a longer part; None for none.
    """
    hindered = np.append(scene.given, False)  # the last is the fixed world's
    hindered[:-1] |= scene.pulled.any(axis=1)
    hindered[moment.points.body1] = hindered[moment.points.body2] = True
    moved = moved_linkages(scene, moment.motion, moment.coordinates, hindered[:-1], part * h)
    if moved.broken.any() and moved.time < _AT_ONCE * h:
        return moved
    part = min(part, moved.time / h)
    held = scene.moving_without(moved.bodies)
    drift = yield from drifted(held, moment, part * h, left_out, passing, longer)
    if drift is None or not moved.bodies.any():
        return None if drift is None else _Trial(held, drift, part, moved)
    motion = drift.motion.copy()
    motion.put(moved.bodies, moved.motion.take(moved.bodies))
    return _Trial(held, replace(drift, motion=motion), part, moved)


def _are_hit(points: InterfacePoints, left_out: Bools, pairs: Ints) -> bool:
    """Return whether one of pairs of bodies (j, 2) is hit, at a point that a step does not obey (k,) or that
    was too far away to be one of the points (k,).
    """
    every = list(zip(points.body1.tolist(), points.body2.tolist(), strict=True))
    obeyed = {pair for pair, left in zip(every, left_out.tolist(), strict=True) if not left}
    fast = {pair for pair, left in zip(every, left_out.tolist(), strict=True) if left}
    return any((pair := (first, second)) in fast or pair not in obeyed for first, second in pairs.tolist())


def _cut_short(
    scene: Scene, moment: Moment, trial: _Trial, share: float, hindering: tuple[int, ...]
) -> FreeDrift | Blocked:
    """Return a drift that ends on its path after a share of it, before anything breaks."""
    if share == 0.0:
        return Blocked(hindering)
    twists = share * moment.motion.twists_to(scene.inertia, trial.drift.motion)
    reached = moment.motion.displaced(scene.inertia, twists)
    drift = replace(trial.drift, motion=replace(reached, rates=trial.drift.motion.rates))
    linkages = trial.linkages.before_end(share)
    return FreeDrift(trial.held, drift, share * trial.part, hindering, linkages)


def free_part(scene: Scene, start: Moment, end: Motion) -> FreePart:
    """Return how far bodies may go on the paths from a moment to a motion.

    Nothing comes nearer than half of the gap that contacts keep, or .4 of what it was at the start where that
    is less.
    """
    stops = _path_stops(scene, start, end)
    return FreePart(stops.first, stops.stopped_first(_ENOUGH))


def _path_stops(scene: Scene, start: Moment, end: Motion) -> MotionStops:
    """Return where bodies stop on the paths from a moment to a motion."""
    twists = start.motion.twists_to(scene.inertia, end)
    shift = scene.inertia.radius[:, None] * twists[:, :3]
    paths = RigidPaths(shift, np.zeros_like(shift), twists[:, 3:])
    opened, _ = start.contacts.speeds(twists)
    ends = replace(start.points, gap=start.points.gap + opened)
    expected = [pair for pair, gap in _nearest(ends).items() if gap < STOP_SHARE * scene.hold]
    return motion_stops(start.system, paths, scene.hold, _nearest(start.points), expected)


def _nearest(points: InterfacePoints) -> dict[Pair, float]:
    """Return the least gap of the points of each pair of bodies, a length."""
    found: dict[Pair, float] = {}
    for first, second, gap in zip(
        points.body1.tolist(), points.body2.tolist(), points.gap.tolist(), strict=True
    ):
        found[first, second] = min(gap, found.get((first, second), np.inf))
    return found


def without_wrapping(motion: Motion, h: float, until: float | None) -> tuple[float, float | None]:
    """Return a time step in which no body turns so far that its path could be mistaken for a shorter one, s,
    and the time at its end where that is still to be met.
    """
    fastest = float(length(motion.spin).max(initial=0.0))
    return (h, until) if fastest * h <= _TURN else (_TURN / fastest, None)
