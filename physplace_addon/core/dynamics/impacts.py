"""Impacts: all that hits at one time, bodies and limits of joints, gets its impulses at once.

Bouma and Vanecek 1991, section 3: where a contact closes with u_n < 0 before, it opens with -e u_n after,
Newton's restitution; impulses only push.  So does what runs into a limit of a joint.  Islands in which
nothing hits keep their rates.  The paper has no friction; with it Newton's law may add energy, so then the
rates are brought back towards those without a bounce until they do not.

What a body of given motion strikes may leave with more energy than it had, as from a bat.  The work that
impulses do on bodies of given motion counts with the energy of the others, so an impact is the same however
fast all of its bodies move together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Bools, Floats
from ..contact.system import FIXED
from ..mechanics.joints.equations import JointRows
from .contacts import Contacts
from .joints.least_loads import least_loads
from .joints.limit_impacts import share_without_gain
from .joints.loads import JointForces
from .scene import Scene
from .sleeping import islands
from .step import Moment
from .velocity_problem import VelocityProblem


@dataclass(frozen=True, eq=False)
class Impact:
    """The bodies after an impact.

    contacts: those that touched.  speed (k,): how fast they closed before.  hits (k,): which of them hit.
    limits: those that were run into (n,).  limit_speed (n,): how fast, lengths a second.
    impulses: of joints on their second bodies.
    """

    moment: Moment
    contacts: Contacts
    speed: Floats
    hits: Bools
    limits: JointRows
    limit_speed: Floats
    impulses: JointForces


def impact_at(scene: Scene, moment: Moment) -> Impact | None:
    """Return the impact at a moment; None if nothing that touches closes faster than `Scene.slow`."""
    rates = moment.motion.rates
    opening, _ = moment.contacts.speeds(rates)
    hits = opening < -scene.slow_at(moment.points)
    some = (hits & moment.touching).any()
    if not some and len(scene.joints) == 0:
        return None
    joints = scene.joint_constraints(moment.motion, moment.coordinates)
    limits = joints.reached
    closing = -scene.joints.length * limits.rates(rates)
    runs_into = np.logical_and(_moves(scene, limits), closing > scene.slow)
    if not some and not runs_into.any():
        return None
    touching = np.flatnonzero(moment.touching)
    contacts, opening, hits = moment.contacts.take(touching), opening[touching], hits[touching]
    terms = joints.for_rates()
    given = scene.given | ~_reached_by(scene, contacts, hits, limits, runs_into)
    problem = VelocityProblem(scene.blocks(moment.motion), given, contacts, terms)
    closed, none = np.zeros(len(contacts)), np.zeros((len(contacts), 2))
    solved = stopped = problem.solve(rates, closed, none)
    if stopped is None:
        return None
    found, impulses = stopped.rates, least_loads(joints, problem, stopped, closed, none, scene.slow)
    bounce = np.where(hits, -contacts.restitution * opening, 0.0)
    thrown = np.where(runs_into, scene.joints.restitution[limits.joint, limits.axis] * closing, 0.0)
    if bounce.any() or thrown.any():
        back = replace(terms, limits=terms.limits.with_value(thrown / scene.joints.length))
        problem = replace(problem, joints=back)
        solved = problem.solve(rates, bounce, none)
        if solved is not None:
            works = problem.work_on_given(stopped), problem.work_on_given(solved)
            share = share_without_gain(problem.blocks, rates, stopped.rates, solved.rates, works)
            found = stopped.rates + share * (solved.rates - stopped.rates)
            more = least_loads(joints, problem, solved, bounce, none, scene.slow)
            impulses = impulses.times(1.0 - share).plus(more.times(share))
    return Impact(
        moment.with_rates(found),
        contacts,
        -opening,
        hits,
        limits.take(runs_into),
        closing[runs_into],
        impulses,
    )


def _reached_by(scene: Scene, contacts: Contacts, hits: Bools, limits: JointRows, runs_into: Bools) -> Bools:
    """Return which bodies (m,) are of an island in which a contact (k,) hits, or a limit (n,) is run into."""
    number = islands(len(scene), scene.given, contacts.points, scene.joints.body)
    points = contacts.points
    bodies = np.concatenate([points.body1[hits], points.body2[hits], limits.body[runs_into].ravel()])
    bodies = bodies[bodies != FIXED]
    return np.isin(number, number[bodies[~scene.given[bodies]]])


def _moves(scene: Scene, rows: JointRows) -> Bools:
    """Return which rows (k,) are of a body whose motion is not given."""
    free = np.append(~scene.given, False)  # the last is the fixed world
    return np.asarray(free[rows.body].any(axis=1))
