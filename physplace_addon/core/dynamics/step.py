"""A step in time of bodies in contact: RATTLE with inequalities and friction.

Half a kick, a drift, half a kick (Andersen 1983), on the rotation group: the drift turns bodies as they turn
freely.  With the first kick come impulses that leave no gap less than it may be where the drift ends; with
the second come those that leave no contact closing there.  Both are velocity problems, so each only takes
energy, but for what the paths bend.  That is measured where the drift ends and put right by solving again:
so the step is of second order and symmetric while the same contacts press, which are the temporary hinges of
Bouma and Vanecek 1991 (section 6), and a contact that sticks stays where it is.  What rolls sticks so that
the integral of its slip velocity over the drift vanishes, by the trapezoidal rule.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..contact.system import (
    CarriedPoints,
    ContactSystem,
    InterfacePoints,
    Reach,
    feature_keys,
    rows_with_keys,
)
from ..jobs import Slices
from ..mechanics.joints.equations import JointRows
from ..optimization.friction_cones import tangents
from ..vectors import cross, dot, length
from .bending import Bending, Coarse, Turns, kept_gaps
from .contacts import Contacts, tracked_each
from .free_rotation import free_motion
from .joints.least_loads import least_loads
from .joints.loads import JointForces
from .motion import Motion, anchor_frames
from .scene import Scene
from .velocity_problem import Solved, VelocityProblem

TOUCHING = 1.3  # gap, over the one to be kept, of contacts
_CLOSE = 0.5  # gap, over the same, below which contacts open again
_OPENING = 0.2  # part of what is missing by which they do in a step
_ROUNDS = 3  # in which the bending of paths is put right
_ROUNDS_OF_JOINTS = 8  # the same with joints
_CLOSED = 1e-13  # change of a joint's residual that need not be put right, and
_OPEN = 1e-6  # one that is too much where all rounds are over
FEW = 32  # contacts, of an island or in all, up to which exactness comes before time: also in finding events
_ALONE = 8  # contacts in all, up to which steps are fine enough for how the smallest body swings
_FASTER = 1.0  # speed, over the one before a step, up to which what is reached in it is known before
_NEARBY = 4.0  # of the gap to be kept: what is known even of bodies that stand still
_REACH = Reach(1.0, 1.0, 1.0)  # over the travel of bodies
_NO_GRAVITY = np.zeros(3)


@dataclass(frozen=True, eq=False)
class Moment:
    """Bodies at one time.

    time: seconds.
    motion: where they are and how they move.
    system: the contact system there.
    points: the interface points within reach, in the frames of their pairs.
    contacts: the same, as rows of a velocity problem.
    kept (k,): the gaps that contacts keep, lengths (`Drift.kept`).
    bending: of the paths before, at the contacts, over the square of their time.
    forces (k, 3): impulses of contacts in the half step before, along normals and tangents, over its time.
    coordinates (n, 6): of the joints, their turns unwrapped.
    """

    time: float
    motion: Motion
    system: ContactSystem
    points: InterfacePoints
    contacts: Contacts
    kept: Floats
    bending: Bending
    forces: Floats
    coordinates: Floats

    @property
    def touching(self) -> Bools:
        """Which of the points (k,) are contacts."""
        touching: Bools = self.points.gap <= TOUCHING * self.kept
        return touching

    @cached_property
    def carried(self) -> CarriedPoints:
        """The points as the bodies carry them on."""
        return CarriedPoints.of(self.system, self.contacts.points)

    def tracked(
        self, there: ContactSystem, rows: Ints, near: InterfacePoints
    ) -> tuple[Ints, InterfacePoints]:
        """Return which rows (n,) of the points stay on their features elsewhere, and these points, there.

        near: the points (k,) as they are near there.
        """
        places = there.frames.take(self.points.body1[rows]).points(self.carried.own1[rows])
        return tracked_each(there, near.take(rows), places)

    def with_rates(self, rates: Floats) -> Moment:
        """Return the moment with other rates (m, 6)."""
        return replace(self, motion=replace(self.motion, rates=rates))


@dataclass(frozen=True, eq=False)
class Drift:
    """A step up to the end of its drift.

    motion: where it ends, without the second kick.
    contacts: those that the step obeyed; impulses (k, 3): of the first kick, along normals and tangents;
        forces (k, 3): the same over half of the step's time.
    half: the rates (m, 6) with which the drift began.
    joints: the impulses of the first kick that joints give their second bodies.
    tracked: the start's points (k,), those that were tracked as they are near its end.
    kept (k,): the gaps that contacts keep, lengths.  Where paths bend away from each other by b, that is more
        than the scene's: the even way from gap g to gap g' comes down to g - (b - g' + g)^2 / (4 b).  So from
        g = m + y b it stays above m if g' >= m + (1 - sqrt(y))^2 b, and it goes on so at y = 1/4.
    """

    motion: Motion
    contacts: Contacts
    impulses: Floats
    forces: Floats
    half: Floats
    joints: JointForces
    tracked: InterfacePoints
    kept: Floats
    bending: Bending


def travel(scene: Scene, motion: Motion, h: float) -> Floats:
    """Return how far (m,) from each body interface points are searched before a step of h seconds, lengths.

    What touches it may make it faster by as much as it is already, or closes slowly itself.
    """
    by_spin = np.sqrt(dot(motion.spin, motion.spin))
    speed = scene.inertia.radius * (np.sqrt(dot(motion.rates[:, :3], motion.rates[:, :3])) + by_spin)
    by_pull = length(scene.pulled[:, :3]) + length(scene.pulled[:, 3:])
    faster = float(np.sqrt(scene.gravity @ scene.gravity)) + scene.inertia.radius * by_pull
    found: Floats = (_FASTER * speed + scene.slow + faster * h) * h + _NEARBY * scene.hold
    return found


def moment_at(
    scene: Scene, time: float, motion: Motion, before: Moment | None, drift: Drift | None, h: float
) -> Moment:
    """Return bodies at a time with their interface points.

    Args:
        scene: what is simulated.
        time: seconds.
        motion: of the bodies then.
        before: the moment that a motion free of overlap led here from; None for none.
        drift: that motion.
        h: the next step, s.
    """
    system = replace(scene.system(motion), travel=travel(scene, motion, h))
    earlier = InterfacePoints.none() if before is None else before.points if drift is None else drift.tracked
    points = system.generate_from(_REACH, earlier, None if before is None else before.system)
    contacts = Contacts.of(system, points, scene.laws)
    near = None if before is None else before.coordinates
    coordinates = anchor_frames(scene.joints, scene.inertia, motion).coordinates(near)
    kept, bending = np.full(len(points), scene.hold), Bending.none(len(points))
    forces = np.zeros((len(points), 3))
    if drift is not None:
        rows = rows_with_keys(feature_keys(points), feature_keys(drift.contacts.points))
        known = np.flatnonzero(rows >= 0)
        kept[known] = drift.kept[rows[known]]
        bending.put(known, drift.bending.take(rows[known]))
        forces[known] = drift.forces[rows[known]]
    return Moment(time, motion, system, points, contacts, kept, bending, forces, coordinates)


def drifted(
    scene: Scene, start: Moment, h: float, left_out: Bools, passing: Bools, longer: Drift | None = None
) -> Slices[Drift | Coarse | None]:
    """Return, in slices, the first kick and the drift of a step of h seconds; None if no rates obey its
    contacts; `Coarse` where it bends paths too much.

    Args:
        scene: what is simulated.
        start: of the step.
        h: its time, s.
        left_out: the start's points (k,) that it may run into.
        passing: the limits of joints (n,) that it may pass (`passed_limits`).
        longer: a drift of the same contacts from the same start over a longer time, to begin with.
    """
    motion, hold = start.motion, scene.hold
    chosen = np.flatnonzero(~left_out)
    points, contacts = start.points.take(chosen), start.contacts.take(chosen)
    joints = scene.joint_constraints(motion, start.coordinates)
    rates = scene.kicked(motion.rates, scene.kicks, 0.5 * h)
    bending = (start.bending.take(chosen) if longer is None else longer.bending).times(h**2)
    missed, tracked = joints.nothing_missed, start.points
    like: Solved | None = None
    impulses = 0.5 * h * (start.forces[chosen] if longer is None else longer.forces)
    rounds = _ROUNDS if len(scene.joints) == 0 else _ROUNDS_OF_JOINTS
    blocks = scene.blocks(motion, 0.5 * h)
    for round_ in range(rounds + 1):
        terms = joints.for_drift(missed, h, passing)
        problem = VelocityProblem(blocks, scene.given, contacts, terms)
        kept = kept_gaps(points.gap, bending.evenly, hold)
        bounds, slip = (_least_opening(points.gap, kept, hold) - bending.opened) / h, -bending.slid / h
        solved = problem.solve(rates, bounds, slip, like, impulses)
        if solved is None:  # where there is no room on either side, gaps need not open
            bounds = np.minimum(bounds, 0.0)
            solved = problem.solve(rates, bounds, slip)
        if solved is None:
            return None
        like = solved
        end = drifted_freely(scene, Motion(motion.centre, motion.rotation, solved.rates), h)
        forces = solved.impulses / (0.5 * h)
        borne = least_loads(joints, problem, solved, bounds, slip, scene.slow)
        drift = Drift(
            end,
            contacts,
            solved.impulses,
            forces,
            solved.rates,
            borne,
            tracked,
            kept,
            bending.times(1.0 / h**2),
        )
        may_touch = _may_touch(scene, points, drift, h)
        new_missed = joints.missed(end, solved.rates, h) if len(scene.joints) else missed
        changed, held = np.abs(new_missed - missed), len(joints.held)
        if (len(may_touch) == 0 and len(scene.joints) == 0) or round_ == rounds:
            return drift if changed[:held].max(initial=0.0) <= _OPEN else Coarse(0.5)
        as_known, bending = bending, bending.copy()
        known, bent, tracked = _bending(scene, start, chosen, drift, may_touch, h)
        bending.put(known, bent)
        share = _finer_share(scene, start, drift, bending, (joints.held, new_missed[:held]), h)
        if share < 1.0:
            return Coarse(share)
        drift = replace(drift, tracked=tracked, bending=bending.times(1.0 / h**2))
        if bending.is_nearly(as_known, points.gap, hold) and changed.max(initial=0.0) <= _CLOSED:
            break
        missed = new_missed
        yield
    return drift


def _least_opening(gap: Floats, kept: Floats, hold: float) -> Floats:
    """Return by how much gaps (k,) open at least in a step, lengths: to what is kept, or back to it.

    kept (k,): the gaps that contacts keep.  hold: the least of them.
    """
    back = _OPENING * np.maximum(_CLOSE * hold - gap, 0.0)
    least: Floats = np.where((kept > hold) | (gap > TOUCHING * hold), kept - gap, back)
    return least


def _finer_share(
    scene: Scene, start: Moment, drift: Drift, bending: Bending, joints: tuple[JointRows, Floats], h: float
) -> float:
    """Return the share of a drift's h seconds in which no path bends too much, 1 for all of it.

    bending: at its contacts.  joints: the equations (n,), and by how much their paths bend.
    """
    crowded = bool(np.count_nonzero(start.touching) > _ALONE)
    turns = Turns.of(scene.inertia.radius, drift.half, scene.kicks, h, crowded)
    pressing, (held, missed) = np.flatnonzero(drift.impulses[:, 0] > 0.0), joints
    points, bent = drift.contacts.points.take(pressing), bending.take(pressing)
    pairs = np.stack([points.body1, points.body2], axis=1)
    share = turns.finer_share(pairs, np.abs(bent.opened))  # what spins in place slips, and bends no path
    if len(held) == 0:
        return share
    moved = np.append(~scene.given, False)[held.body].any(axis=1)
    return min(share, turns.finer_share(held.body[moved], scene.joints.length * np.abs(missed[moved])))


def drifted_freely(scene: Scene, half: Motion, h: float) -> Motion:
    """Return where bodies drift to in h seconds; those whose motion is given shift and turn evenly."""
    end = free_motion(scene.inertia, half, _NO_GRAVITY, h)
    if not scene.given.any():
        return end
    by_track = half.displaced(scene.inertia, h * half.rates)
    given = scene.given[:, None]
    return Motion(
        np.where(given, by_track.centre, end.centre),
        np.where(given, by_track.rotation, end.rotation),
        np.where(given, half.rates, end.rates),
    )


def _may_touch(scene: Scene, points: InterfacePoints, drift: Drift, h: float) -> Ints:
    """Return the contacts (n,) that press, or might touch at an end of a drift for what their paths bend."""
    turn = h * np.sqrt(dot(drift.half[:, 3:], drift.half[:, 3:]))
    bend = np.append(0.5 * scene.inertia.radius * turn**2, 0.0)  # the last is the fixed world's
    opening, _ = drift.contacts.speeds(drift.half)
    most = bend[points.body1] + bend[points.body2] + TOUCHING * drift.kept
    nearest = points.gap + h * np.minimum(opening, 0.0)
    rows: Ints = np.flatnonzero((drift.impulses[:, 0] > 0.0) | (nearest < most))
    return rows


def _bending(
    scene: Scene, start: Moment, obeyed: Ints, drift: Drift, chosen: Ints, h: float
) -> tuple[Ints, Bending, InterfacePoints]:
    """Return which of the chosen contacts (n,) stay on their features in a drift, how their paths bend, and
    all points near its end.

    obeyed (k,): which of the start's points are the drift's contacts.
    """
    gap, moved, tracked = _gaps_and_shifts(scene, start, obeyed[chosen], drift, chosen, h)
    contacts, points = drift.contacts, start.points.take(obeyed[chosen])
    known = np.flatnonzero(~np.isnan(gap))
    chosen, opened = chosen[known], (gap - points.gap)[known]
    opening, slip = (each[chosen] for each in contacts.speeds(drift.half))
    evenly = contacts.speeds(start.motion.twists_to(scene.inertia, drift.motion))[0][chosen]
    across = np.stack(tangents(contacts.points.normal[chosen]), axis=1)
    slid = np.einsum("kij,kj->ki", across, moved[known])
    return chosen, Bending(opened - h * opening, slid - h * slip, opened - evenly), tracked


def _gaps_and_shifts(
    scene: Scene, start: Moment, carried: Ints, drift: Drift, chosen: Ints, h: float
) -> tuple[Floats, Floats, InterfacePoints]:
    """Return the gaps (n,) of chosen contacts after a drift, NaN where they leave their features, how far the
    first body has slipped over the second (n, 3), and all points near there.

    Where they roll, it is their slip velocity's integral by the trapezoidal rule, but not along a line.

    carried (n,): which of the start's points they are.
    """
    there = scene.system(drift.motion)
    gap, shift = start.carried.after(there.frames, carried)
    unknown = np.flatnonzero(np.isnan(gap))
    if len(unknown) == 0:
        return gap, shift, drift.tracked
    kept, found = start.tracked(there, carried[unknown], drift.tracked)
    unknown, tracked = unknown[kept], drift.tracked.copy()
    tracked.put(carried[unknown], found)
    gap[unknown] = found.gap
    rolls = np.flatnonzero(start.carried.rolling[carried[unknown]])
    unknown, found = unknown[rolls], found.take(rolls)
    line = start.carried.line[carried[unknown]]
    before = drift.contacts.take(chosen[unknown]).slip_velocity(drift.half)
    there_now = Contacts.of(there, found, scene.laws)
    after = there_now.slip_velocity(drift.motion.rates)
    spin = np.append(drift.motion.spin, np.zeros((1, 3)), axis=0)  # the last is the fixed world's
    gone = dot(line, there_now.points.point1 - start.carried.common_after(there.frames, carried[unknown]))
    after -= gone[:, None] * cross(spin[found.body1] - spin[found.body2], line)  # as if it had not slid on it
    rolled = 0.5 * h * (before + after)
    shift[unknown] = rolled + dot(line, shift[unknown] - rolled)[:, None] * line
    return gap, shift, tracked


def settled(
    scene: Scene,
    start: Moment,
    end: Moment,
    h: float,
    bouncing: Contacts | None = None,
    speed: Floats | None = None,
) -> tuple[Moment, Contacts, Floats, JointForces] | None:
    """Return the end of a drift after the second kick, with the contacts that took part, their impulses, and
    those of joints on their second bodies; None if no rates obey them.

    What else approaches faster than `Scene.slow` is left to an impact.

    Args:
        scene: what is simulated.
        start: of the step.
        end: of its drift.
        h: the time that it took, s.
        bouncing: contacts (k,) that the drift has stopped, although they closed fast.
        speed: at which they open now (k,), lengths a second.
    """
    rates = scene.kicked(end.motion.rates, scene.kicks, 0.5 * h)
    chosen = np.flatnonzero(end.touching)
    contacts, least = end.contacts.take(chosen), np.zeros(len(chosen))
    kept = contacts.speeds(rates)[0] > -scene.slow_at(contacts.points)
    if bouncing is not None and speed is not None and len(speed):
        rows = rows_with_keys(feature_keys(contacts.points), feature_keys(bouncing.points))
        least = np.where(rows >= 0, speed[rows], 0.0)
        kept |= rows >= 0
    contacts, chosen, least = contacts.take(np.flatnonzero(kept)), chosen[kept], least[kept]
    blocks, none = scene.blocks(end.motion, 0.5 * h), np.zeros((len(contacts), 2))
    joints = scene.joint_constraints(end.motion, end.coordinates)
    terms = joints.for_end(start.coordinates, end.motion.rates, blocks, scene.given, h, scene.slow)
    problem = VelocityProblem(blocks, scene.given, contacts, terms)
    impulses = 0.5 * h * end.forces[chosen]
    solved = problem.solve(rates, least, none, impulses=impulses)
    if solved is None and least.any():
        least = np.zeros(len(contacts))
        solved = problem.solve(rates, least, none, impulses=impulses)
    if solved is None:
        return None
    forces = np.zeros_like(end.forces)
    forces[chosen] = solved.impulses / (0.5 * h)
    settled_end = replace(end.with_rates(solved.rates), forces=forces)
    borne = least_loads(joints, problem, solved, least, none, scene.slow)
    return settled_end, contacts, solved.impulses, borne
