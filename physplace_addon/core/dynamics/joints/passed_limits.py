"""Limits of joints that bodies run into within a step: it ends when the first one is reached.

What approaches a limit slowly is stopped by the step itself, as in a contact.  What is faster may pass it in
a trial; the trial is repeated, shorter or a little longer, until the gap x of the limit is zero at its end:
with the gaps at its beginning and at its end, x_0 and x_1, the next one takes x_0 / (x_0 - x_1) of its time.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...mechanics.joints.equations import limit_rows
from ..motion import Motion, anchor_frames
from ..scene import Scene
from ..step import Moment
from .constraints import AT_LIMIT

_ENDS_AT = 0.5 * AT_LIMIT  # gap, over R or radians, at the end of a step that reaches a limit


def _limited(scene: Scene) -> bool:
    return bool((np.isfinite(scene.joints.lower) | np.isfinite(scene.joints.upper)).any())


def fast_limits(scene: Scene, motion: Motion, coordinates: Floats, crowded: Bools) -> Bools:
    """Return the limits (k,), as rows of `limit_rows`, that are approached too fast for a step to stop it.

    crowded (m + 1,): bodies among so many contacts that their steps obey all, the world last.
    """
    if not _limited(scene):
        return np.zeros(0, np.bool_)
    rows = limit_rows(anchor_frames(scene.joints, scene.inertia, motion), coordinates)
    speed = -scene.joints.length * rows.rates(motion.rates)
    fast: Bools = (rows.value > AT_LIMIT) & (speed > scene.slow) & ~crowded[rows.body].any(axis=1)
    return fast


def part_to_limit(
    scene: Scene, start: Motion, end: Motion, coordinates: Floats, passing: Bools, exactly: bool
) -> float:
    """Return the part of a step after which the first of the passing limits (k,) is reached; 1 for none.

    Args:
        scene: without what has moved by itself.
        start: of the step.
        end: of its drift.
        coordinates: of the joints (n, 6) at its start.
        passing: limits that bodies may run into.
        exactly: whether the step was shortened to reach one; then it may be longer, too.
    """
    if not passing.any():
        return 1.0
    before, after = (
        limit_rows(anchor_frames(scene.joints, scene.inertia, motion), coordinates) for motion in (start, end)
    )
    moves = np.append(~scene.given, False)  # the last is the fixed world
    passing = passing & moves[after.body].any(axis=1)
    gaps, closed = after.value[passing], (before.value - after.value)[passing]
    least = float(gaps.min(initial=np.inf))
    if least >= -_ENDS_AT and not (exactly and np.isfinite(least) and least > _ENDS_AT):
        return 1.0
    return float((before.value[passing] / np.maximum(closed, 1e-300)).min())


def slowly_reached(scene: Scene, start: Moment, end: Moment, apart: Bools) -> Ints:
    """Return the joints (k,) of which a limit is reached in a step without an impact.

    Args:
        scene: what is simulated.
        start: of the step.
        end: of it.
        apart: bodies (m,) that have moved by themselves.
    """
    if not _limited(scene):
        return np.zeros(0, np.intp)
    before, after = (
        limit_rows(anchor_frames(scene.joints, scene.inertia, at.motion), at.coordinates)
        for at in (start, end)
    )
    slow = -scene.joints.length * after.rates(end.motion.rates) <= scene.slow
    ours = np.append(~apart, True)[after.body].all(axis=1)
    new = (before.value > AT_LIMIT) & (after.value <= AT_LIMIT) & slow & ours
    return np.asarray(np.unique(after.joint[new]))
