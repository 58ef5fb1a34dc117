"""Drifts that are tried for a part of a step, with the linkages that move by themselves, and their paths.

On its path a body shifts and turns evenly.  The true surfaces, flat and curved, are followed by safe steps
(`motion_stops`), which need not know where they touch.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from ...arrays import Bools, Ints
from ...contact.system import InterfacePoints, Pair, RigidPaths, motion_stops
from ...jobs import Slices
from ..bending import Coarse
from ..joints.free_linkages import FreeLinkages, moved_linkages
from ..motion import Motion
from ..scene import Scene
from ..step import Drift, Moment, drifted

WHOLE: Final = 1.0 - 1e-9  # part of a step that is all of it
_AT_ONCE: Final = 1e-6  # part of a step, from its beginning, within which joints break at once
_ENOUGH: Final = 1e-9  # of the paths: pairs that stop within so much stop together


class FreePart(NamedTuple):
    """The part of paths that may be gone, 1 for all of them, and the pairs of bodies (j, 2) that end it."""

    part: float
    pairs: Ints


class Trial(NamedTuple):
    """A drift that takes a part of a step, and the scene without what has moved by itself to its end."""

    held: Scene
    drift: Drift
    part: float
    linkages: FreeLinkages


def drifted_with_linkages(
    scene: Scene,
    moment: Moment,
    h: float,
    part: float,
    left_out: Bools,
    passing: Bools,
    longer: Drift | None = None,
) -> Slices[Trial | FreeLinkages | Coarse | None]:
    """Return the drift of a part of a step of h seconds, or of less where a joint breaks, with the linkages
    that touch nothing; these alone where they break at once, and `Coarse` where it bends paths too much.

    longer: the drift that was tried before, of a longer part; None for none.
    """
    hindered = hindered_bodies(scene, moment)
    moved = moved_linkages(scene, moment.motion, moment.coordinates, hindered, part * h)
    if moved.broken.any() and moved.time < _AT_ONCE * h:
        return moved
    part = min(part, moved.time / h)
    held = scene.moving_without(moved.bodies)
    drift = yield from drifted(held, moment, part * h, left_out, passing, longer)
    if isinstance(drift, Coarse):
        return Coarse(part * drift.share)
    if drift is None or not moved.bodies.any():
        return None if drift is None else Trial(held, drift, part, moved)
    motion = drift.motion.copy()
    motion.put(moved.bodies, moved.motion.take(moved.bodies))
    return Trial(held, replace(drift, motion=motion), part, moved)


def hindered_bodies(scene: Scene, moment: Moment) -> Bools:
    """Return which bodies (m,) are given, pulled or near others: no linkage with them moves by itself."""
    hindered = np.append(scene.given, False)  # the last is the fixed world's
    hindered[:-1] |= scene.pulled.any(axis=1)
    hindered[moment.points.body1] = hindered[moment.points.body2] = True
    return hindered[:-1]


def free_part(scene: Scene, start: Moment, end: Motion) -> FreePart:
    """Return how far bodies may go on the paths from a moment to a motion.

    Nothing comes nearer than half of the gap that contacts keep, or .4 of what it was at the start where that
    is less.
    """
    twists = start.motion.twists_to(scene.inertia, end)
    shift = scene.inertia.radius[:, None] * twists[:, :3]
    paths = RigidPaths(shift, np.zeros_like(shift), twists[:, 3:])
    curved = np.flatnonzero(~start.system.between_joined(start.points))  # nothing of joined bodies is curved
    stops = motion_stops(start.system, paths, scene.hold, _nearest(start.points.take(curved)))
    return FreePart(stops.first, stops.stopped_first(_ENOUGH))


def _nearest(points: InterfacePoints) -> dict[Pair, float]:
    """Return the least gap of the points of each pair of bodies, a length."""
    found: dict[Pair, float] = {}
    for first, second, gap in zip(
        points.body1.tolist(), points.body2.tolist(), points.gap.tolist(), strict=True
    ):
        found[first, second] = min(gap, found.get((first, second), np.inf))
    return found
