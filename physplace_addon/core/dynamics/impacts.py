"""Impacts: all bodies that hit each other at one time get their impulses at once.

Bouma and Vanecek 1991, section 3: where a contact closes with u_n < 0 before, it opens with -e u_n after,
Newton's restitution; impulses only push.  The paper has no friction; with it Newton's law may add energy, so
then the rates are brought back towards those without a bounce until they do not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats
from .contacts import Contacts
from .scene import Scene
from .step import Moment, impact_problem


@dataclass(frozen=True, eq=False)
class Impact:
    """The bodies after an impact, the contacts that touched, how fast these closed (k,) before, and which of
    them hit (k,).
    """

    moment: Moment
    contacts: Contacts
    speed: Floats
    hits: Bools


def impact_at(scene: Scene, moment: Moment) -> Impact | None:
    """Return the impact at a moment; None if nothing that touches closes faster than `Scene.slow`."""
    rates = moment.motion.rates
    opening, _ = moment.contacts.speeds(rates)
    hits = opening < -scene.slow_at(moment.points)
    if not (hits & moment.touching).any():
        return None
    touching = np.flatnonzero(moment.touching)
    contacts, opening, hits = moment.contacts.take(touching), opening[touching], hits[touching]
    problem = impact_problem(scene, moment, contacts)
    none = np.zeros((len(contacts), 2))
    stopped = problem.solve(rates, np.zeros(len(contacts)), none)
    if stopped is None:
        return None
    found = stopped.rates
    bounce = np.where(hits, -contacts.restitution * opening, 0.0)
    if bounce.any():
        bounced = problem.solve(rates, bounce, none)
        if bounced is not None:
            found = _without_gain(problem.blocks, rates, stopped.rates, bounced.rates)
    return Impact(moment.with_rates(found), contacts, -opening, hits)


def _without_gain(blocks: Floats, before: Floats, stopped: Floats, bounced: Floats) -> Floats:
    """Return the rates (m, 6) as near to `bounced`, from `stopped`, as have no more energy than before."""

    def product(a: Floats, b: Floats) -> float:
        return float(np.einsum("bi,bij,bj->", a, blocks, b))

    change = bounced - stopped
    a, b, c = product(change, change), product(stopped, change), product(stopped, stopped)
    most = product(before, before)
    if a + 2.0 * b + c <= most or a == 0.0:
        return bounced
    share = (-b + np.sqrt(max(b * b - a * (c - most), 0.0))) / a
    found: Floats = stopped + min(max(share, 0.0), 1.0) * change
    return found
