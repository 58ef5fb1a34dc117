"""A step that ends on the path of a longer one that was tried."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...contact.system import FIXED
from ..joints.free_linkages import FreeLinkages, moved_linkages
from ..scene import Scene
from ..sleeping import islands
from ..step import Drift, Moment, drifted_freely
from .trials import WHOLE, Trial, free_part, hindered_bodies

_CLOSER: Final = 0.1  # of the gap to be kept: contacts that come nearer in a step cut short are not steady


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


def cut_short(
    scene: Scene, moment: Moment, trial: Trial, share: float, hindering: tuple[int, ...], h: float
) -> FreeDrift | Blocked:
    """Return a drift that ends after a share of it, before anything breaks.

    What is hindered, or stops what closes, goes on its path to there, with the angular momentum that it has.
    The other islands and linkages move as in a step of so much time, if that is free: else they would have
    got the kick of a longer one.
    """
    if share == 0.0:
        return Blocked(hindering)
    held, drift, start = trial.held, trial.drift, moment.motion
    twists = share * start.twists_to(scene.inertia, drift.motion)
    reached = start.displaced(scene.inertia, twists)
    turning = drift.motion.angular_momentum(scene.inertia)[:, :, None]
    spin = np.linalg.solve(scene.inertia.tensors(reached.rotation), turning)[:, :, 0]
    rates = np.concatenate([drift.motion.rates[:, :3], spin], axis=1)
    rates = np.where(held.given[:, None], drift.motion.rates, rates)
    drift = replace(drift, motion=replace(reached, rates=rates), joints=drift.joints.times(share))
    cut = Trial(held, drift, share * trial.part, trial.linkages.before_end(share))
    anew = _steady_anew(scene, moment, trial, cut, np.array(hindering, np.intp), h)
    if anew is not None and free_part(scene, moment, anew.drift.motion).part >= WHOLE:
        cut = anew
    return FreeDrift(held, cut.drift, cut.part, hindering, cut.linkages)


def _steady_anew(
    scene: Scene, moment: Moment, trial: Trial, cut: Trial, hindering: Ints, h: float
) -> Trial | None:
    """Return a trial that is cut short, in which all that is steady has moved for just that time: islands
    whose contacts press as evenly in a shorter time, so with a share of their impulses, and linkages that
    touch nothing; None if there is no such thing.
    """
    start, time = moment.motion, cut.part * h
    freely = [scene.kicked(start.rates, trial.held.kicks, 0.5 * h * part) for part in (trial.part, cut.part)]
    half = freely[1] + cut.part / trial.part * (trial.drift.half - freely[0])
    steady = _steady(trial, half, time, hindering)
    motion = cut.drift.motion.copy()
    moved = drifted_freely(trial.held, replace(start, rates=half), time)
    motion.put(steady, moved.take(steady))
    linkages = cut.linkages
    if linkages.bodies.any() and not linkages.bodies[hindering].any():
        anew = moved_linkages(scene, start, moment.coordinates, hindered_bodies(scene, moment), time)
        if anew.time == time and not anew.broken.any():
            linkages = anew
            motion.put(linkages.bodies, anew.motion.take(linkages.bodies))
    if not steady.any() and linkages is cut.linkages:
        return None
    return cut._replace(drift=replace(cut.drift, motion=motion), linkages=linkages)


def _steady(trial: Trial, half: Floats, time: float, hindering: Ints) -> Bools:
    """Return the bodies (m,) whose contacts stay as far apart at rates (m, 6) for a time, s.

    hindering (n,): bodies that are not among them, nor are their islands.
    """
    drift, held = trial.drift, trial.held
    pressing = np.flatnonzero(drift.impulses[:, 0] > 0.0)
    contacts, points = drift.contacts.take(pressing), drift.contacts.points.take(pressing)
    number = islands(len(held), held.given, points, held.joints.body)
    opened = time * contacts.speeds(half)[0] + time**2 * drift.bending.opened[pressing]
    closes = points.gap + opened < np.minimum(points.gap, drift.kept[pressing]) - _CLOSER * held.hold
    bodies = np.concatenate([points.body1[closes], points.body2[closes], hindering])
    bodies = bodies[bodies != FIXED]
    return ~np.isin(number, number[bodies[~held.given[bodies]]]) & ~held.given
