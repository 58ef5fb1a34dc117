"""How far bodies may go on the paths of a step before any two of them come too near to each other."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ..arrays import Floats, Ints
from ..contact.system import InterfacePoints, RigidPaths, motion_stops
from .motion import Motion
from .scene import Scene
from .step import Moment

_ROUNDS: Final = 30  # of the search for the place where curved surfaces come too near
_CLOSE: Final = 0.5  # gap, over the one to be kept, that is too near
_SHRUNK: Final = 0.4  # the same over the gap at the start, where that is less
_ENOUGH: Final = 1e-9  # of the paths: width of the search's end


class FreePart(NamedTuple):
    """The part of paths that may be gone, 1 for all of them, and the pairs of bodies (j, 2) that end it."""

    part: float
    pairs: Ints


def free_part(scene: Scene, start: Moment, end: Motion) -> FreePart:
    """Return how far bodies may go on the paths from a moment to a motion.

    On its path a body shifts and turns evenly.  Nothing comes nearer than half of the gap that contacts keep,
    or .4 of what it was at the start where that is less.
    """
    twists = start.motion.twists_to(scene.inertia, end)
    shift = scene.inertia.radius[:, None] * twists[:, :3]
    stops = motion_stops(start.system, RigidPaths(shift, np.zeros_like(shift), twists[:, 3:]), scene.hold)
    first = stops.first
    if len(stops.undecided) and stops.undecided_times.min() < first:
        curved = _free_part_of_curved(scene, start, first * twists)
        if curved < 1.0:
            return FreePart(curved * first, stops.undecided)
    return FreePart(first, stops.stopped_first(_ENOUGH))


def _free_part_of_curved(scene: Scene, start: Moment, twists: Floats) -> float:
    """Return the part of paths by twists (m, 6) at whose end curved surfaces are not too near each other.

    Their interface points tell: they are solved again where the bodies are, and new ones are looked for.
    """
    known = start.points.gap
    least = np.minimum(_CLOSE * scene.hold, _SHRUNK * float(known.min(initial=np.inf)))
    free, stopped = 0.0, 1.0
    if not _is_too_near(scene, start, twists, 1.0, least):
        return 1.0
    for _ in range(_ROUNDS):
        middle = 0.5 * (free + stopped)
        if _is_too_near(scene, start, twists, middle, least):
            stopped = middle
        else:
            free = middle
        if stopped - free < _ENOUGH:
            break
    return free


def _is_too_near(scene: Scene, start: Moment, twists: Floats, share: float, least: float) -> bool:
    """Return whether a gap is less than the least one, a length, at a part of the paths."""
    there = scene.system(start.motion.displaced(scene.inertia, share * twists))
    points: InterfacePoints = there.track(start.points)
    return bool(points.gap.min(initial=np.inf) < least) or len(there.missed_crossings(points)) > 0
