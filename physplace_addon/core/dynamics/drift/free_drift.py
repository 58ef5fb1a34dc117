"""The drift of a step on paths that are free, or the part of it up to what bodies run into."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ...arrays import Bools
from ...contact.system import FIXED
from ...jobs import Slices
from ...vectors import length
from ..bending import Coarse
from ..joints.free_linkages import FreeLinkages
from ..motion import Motion
from ..scene import Scene
from ..step import FEW, Moment
from .cut_short import Blocked, FreeDrift, cut_short
from .ends import are_hit, part_to_end_of_slip, share_to_hit, share_to_limit
from .trials import WHOLE, FreePart, drifted_with_linkages, free_part

_TRIALS: Final = 8  # of shorter and shorter steps
_NEARLY_WHOLE: Final = 0.9  # part of a step of many contacts that is cut off without solving again, or
_BEYOND: Final = 0.01  # half of what is left then: a trial leads so far beyond a hit, to meet it
_SHORTER: Final = 0.5  # least part of a step that is tried where contacts it obeys come too near on the way
_FREER: Final = 1.1  # part that is free, over the one before, if a shorter trial helps: else something is hit
_SPARING: Final = 0.8  # the same over the part that is free: more of it would hardly be free then, either
_SURPLUS: Final = 0.02  # of what is probably missing, by which a trial is shorter still
_TURN: Final = 2.0  # radians: most that a body turns in a step


class Searched(NamedTuple):
    """The part of a step that a trial took, and the part of the step up to which its path was free."""

    part: float
    free: float

    def all_free(self, after: Searched) -> float:
        """Return the part of a step that will probably be free in all of a trial, by two that were not.

        Where a path bends, a shorter trial is not free up to where a longer one was: of what rolls along a
        curve nearly half of the rest is missing each time.  So the line through both is followed to where as
        much is free as is tried, and a little farther.
        """
        slope = (self.free - after.free) / (self.part - after.part) if self.part > after.part else 0.0
        if slope <= 0.0:
            return after.free
        missing = (after.part - after.free) * (slope / (1.0 - slope) if slope < 1.0 else np.inf)
        return max(after.free - (1.0 + _SURPLUS) * missing, _SHORTER * after.free)


def free_drift(
    scene: Scene, moment: Moment, h: float, left_out: Bools, passing: Bools
) -> Slices[FreeDrift | FreeLinkages | Coarse | Blocked | None]:
    """Return, in slices, the drift of a step of h seconds, or of a part of it; None if no rates obey its
    contacts.

    Where joints of a linkage that touches nothing break at once, no time passes: then that is returned.
    Where the step bends paths too much, `Coarse` is.

    left_out: which of the moment's points (k,) it may run into.
    passing: which limits of joints (n,) it may run into.
    """
    hindering: tuple[int, ...] = ()
    longest, reaches = 1.0, False  # the step ends at a limit
    meets = False  # the step ends at a hit that was foreseen
    last = Searched(1.0, 0.0)
    trial = yield from drifted_with_linkages(scene, moment, h, 1.0, left_out, passing)
    for _ in range(_TRIALS):
        yield
        if trial is None or isinstance(trial, FreeLinkages | Coarse):
            return trial
        part = trial.part
        nearly = min(_NEARLY_WHOLE, 1.0 - 2.0 * _BEYOND / part) if len(moment.points) > FEW else WHOLE
        shorter = part_to_end_of_slip(scene, moment, trial.drift, part * h)
        to_limit = share_to_limit(moment, trial, passing, reaches)
        if to_limit != 1.0 and min(to_limit, longest / part) < shorter:
            longest, reaches = (part if to_limit < 1.0 else longest), True
            shorter = min(to_limit, longest / part)
        elif (
            shorter >= nearly
            and (to_hit := min(share_to_hit(scene, moment, trial, h, left_out, meets), longest / part)) != 1.0
        ):
            shorter, meets = to_hit, True
        elif shorter >= nearly:
            found = free_part(scene, moment, trial.drift.motion)
            shorter = found.part
            if shorter >= WHOLE:
                return FreeDrift(trial.held, trial.drift, part, hindering, trial.linkages)
            hindering = _hindering(found)
            if shorter > nearly or shorter == 0.0:
                return cut_short(scene, moment, trial, shorter, hindering, h)
            now = Searched(part, part * shorter)
            hit = are_hit(moment.points, left_out, found.pairs)
            shorter, last = _shorter_trial(last, now, hit, nearly), now
            meets = False  # what is in the way is nearer than the hit
        yield
        trial = yield from drifted_with_linkages(
            scene, moment, h, part * shorter, left_out, passing, trial.drift
        )
    if trial is None or isinstance(trial, FreeLinkages | Coarse):
        return trial
    yield
    found = free_part(scene, moment, trial.drift.motion)
    hindering = _hindering(found) or hindering
    if found.part >= WHOLE:
        return FreeDrift(trial.held, trial.drift, trial.part, hindering, trial.linkages)
    return cut_short(scene, moment, trial, found.part, hindering, h)


def _hindering(found: FreePart) -> tuple[int, ...]:
    """Return the moving bodies of the pairs that end paths."""
    return tuple(np.unique(found.pairs[found.pairs != FIXED]).tolist())


def _shorter_trial(last: Searched, now: Searched, hit: bool, nearly: float) -> float:
    """Return the share of the trial that was searched now that is tried next.

    last: what was searched before.
    hit: whether what ends the path is run into, and not obeyed.
    nearly: the share that is as good as all of it.
    """
    share = now.free / now.part
    if not hit and now.free >= _FREER * last.free:
        return max(_SHORTER, _SPARING * share)  # bending falls with the square of the step
    if nearly < WHOLE:
        return min(share + _BEYOND / now.part, nearly)
    return last.all_free(now) / now.part


def without_wrapping(motion: Motion, h: float, until: float | None) -> tuple[float, float | None]:
    """Return a time step in which no body turns so far that its path could be mistaken for a shorter one, s,
    and the time at its end where that is still to be met.
    """
    fastest = float(length(motion.spin).max(initial=0.0))
    return (h, until) if fastest * h <= _TURN else (_TURN / fastest, None)
