"""How far bodies may go on the paths of a step before any two of them come too near to each other.

On its path a body shifts and turns evenly.  The true surfaces, flat and curved, are followed by safe steps
(`motion_stops`), which need not know where they touch.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from ..arrays import Ints
from ..collision.rigid_paths import STOP_SHARE
from ..contact.system import InterfacePoints, MotionStops, Pair, RigidPaths, motion_stops
from ..vectors import length
from .motion import Motion
from .scene import Scene
from .step import Moment

_ENOUGH: Final = 1e-9  # of the paths: pairs that stop within so much stop together
_TURN: Final = 2.0  # radians: most that a body turns in a step


class FreePart(NamedTuple):
    """The part of paths that may be gone, 1 for all of them, and the pairs of bodies (j, 2) that end it."""

    part: float
    pairs: Ints


def free_part(scene: Scene, start: Moment, end: Motion) -> FreePart:
    """Return how far bodies may go on the paths from a moment to a motion.

    Nothing comes nearer than half of the gap that contacts keep, or .4 of what it was at the start where that
    is less.
    """
    stops = path_stops(scene, start, end)
    return FreePart(stops.first, stops.stopped_first(_ENOUGH))


def path_stops(scene: Scene, start: Moment, end: Motion) -> MotionStops:
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
