"""The contact adjustment phase (Snyder 1995, section 4.1): bodies that were moved are brought clear again.

After a step the interface points are solved again at the trial pose.  The envelope theorem gives the change
of a solved gap g_i / R by the coordinates q, J_i dq, without the surface parameters.  So the adjustment is
the least change of coordinates that obeys every tracked point,

    min |dq|    with    g_i / R + J_i dq >= c,

c the contact clearance; then the points are solved again.  Zero to two rounds are enough as a rule.  Whatever
is adjusted is also checked: nothing may overlap that no point accounts for, and nothing flat may have been
crossed on the way from the configuration before.

What may move is a value, the coordinates (`core.mechanics.coordinates`), of which only what `PoseCoordinates`
names is used here.  Lengths of coordinates are over R: the farthest that a point of a body moves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..optimization.step_qp import NO_ROWS, Step, solve_qp
from .bilateral import BilateralContacts
from .contact_system import ContactSystem
from .points.creation import Reach
from .points.interface_points import FIXED, InterfacePoints, feature_keys, rows_with_keys

CONTACT_CLEARANCE = 1e-10  # gap / R to which contacts are closed: above rounding, below what anybody sees
RETURN_CLEARANCE = 1e-6  # least gap / R that depenetration keeps: what stands beside a face is not over it
OVERLAP = 1e-11  # depth / R that a valid configuration may keep: a tenth of the contact clearance
_CORRECTIONS = 6  # rounds of the adjustment after which it has failed
_MORE_CORRECTIONS = 10  # the most rounds that a heap is given besides
_ATTEMPTS = 5  # steps that are solved for, each obeying what the one before would have crossed
_DEEP = 1e-6  # depth / R of an overlap that a step's rows should have prevented
_SAME = 1e-6  # difference of two gradients of one contact
_FAR = 0.1  # distance / R from all known points at which an overlap is another one
_BESIDE = 1e-3  # distance / R from a known point of the same features at which a point is another one
_DEPENDENT = 1e-7  # singular value of gradients, over the largest, that counts as zero
_CROSSED = 0.2  # distance over their span from which bodies may come to cross in a step


class PoseCoordinates(Protocol):
    """What the adjustment needs of coordinates q (d,) to poses.

    many: the number of coordinates above which programmes are taken as sparse.
    """

    many: int

    def size(self, system: ContactSystem) -> int:
        """Return d."""
        ...

    def displaced(self, system: ContactSystem, x: Floats) -> ContactSystem:
        """Return the system with its coordinates changed by x (d,)."""
        ...

    def gradients(self, system: ContactSystem, points: InterfacePoints) -> Floats:
        """Return the derivatives J (k, d) of the points' gap / R."""
        ...

    def limit_rows(self, system: ContactSystem) -> tuple[Floats, Floats]:
        """Return the gaps (n,) and gradients (n, d) of limits that coordinates have of themselves."""
        ...

    def length(self, system: ContactSystem, x: Floats) -> float:
        """Return the farthest, over R, that a point of a body moves by x (d,)."""
        ...


class Configuration(Protocol):
    """Bodies that overlap nothing, with all their interface points: what a step begins with."""

    @property
    def system(self) -> ContactSystem:
        """The bodies, where they stand."""
        ...

    @property
    def local_points(self) -> InterfacePoints:
        """The interface points, each in the frame of its second body."""
        ...

    @property
    def bilateral(self) -> BilateralContacts:
        """The contacts that may not separate."""
        ...

    @property
    def coordinates(self) -> PoseCoordinates:
        """What may move."""
        ...


class Adjusted(NamedTuple):
    """Bodies where they stand clear, and all their interface points."""

    system: ContactSystem
    points: InterfacePoints


@dataclass(frozen=True, eq=False)
class Obstructed:
    """A step runs into what its QP did not know of: points, as seen from where it began."""

    points: InterfacePoints


@dataclass(frozen=True, eq=False)
class Blocked:
    """Overlaps that were not lifted.

    Attributes:
        bodies: the numbers of the moving bodies that they are between; none where that is not known.
    """

    bodies: Ints

    @classmethod
    def at(cls, points: InterfacePoints) -> Blocked:
        """Return what is blocked at given points."""
        both = np.unique(np.concatenate([points.body1, points.body2]))
        return cls(both[both != FIXED])


Correction = Callable[[ContactSystem, InterfacePoints, Ints], Floats | None]
"""The change of coordinates (d,) that lifts overlaps, given the rows of the bilateral contacts."""


def advanced(
    start: Configuration,
    step: Step,
    solve_again: Callable[[InterfacePoints], Step | None],
    reach: Reach,
    trust: float,
    correction: Correction | None = None,
    is_refused: Callable[[Adjusted], bool] | None = None,
) -> Adjusted | Blocked:
    """Return where a step leads that crosses nothing, adjusted so that nothing overlaps; what is blocked if
    it fails.

    Args:
        start: where the step begins.
        step: the step to try first.
        solve_again: returns the step that obeys the given points, too; None if there is none.
        reach: how far interface points are searched, over the bodies' radii.
        trust: the longest step, over R; the adjustment may add twice as much.
        correction: how overlaps are lifted; by the least correction unless another is given.
        is_refused: whether the caller has no use for where a step leads.  It is solved again, then, with the
            points that were found there.
    """
    known = start.local_points
    for _ in range(_ATTEMPTS):
        trial = start.coordinates.displaced(start.system, step.x)
        fresh = not_among(start.system.swept_contacts(trial, max(2.0 * trust, _CROSSED)), known)
        if len(fresh) == 0:
            taken = adjusted(start, trial, known, reach, 2.0 * trust, correction, is_free=True)
            if isinstance(taken, Obstructed):
                fresh = taken.points
            else:
                if isinstance(taken, Adjusted) and is_refused is not None and is_refused(taken):
                    fresh = _lifted_from(start, taken, known)
                if len(fresh) == 0:
                    return taken
        known = InterfacePoints.join([known, fresh])
        next_step = solve_again(known.take(slice(len(start.local_points), None)))
        if next_step is None:
            break
        step = next_step
    return Blocked.at(fresh)


def adjusted(
    start: Configuration,
    trial: ContactSystem,
    known: InterfacePoints,
    reach: Reach,
    farthest: float,
    correction: Correction | None = None,
    is_free: bool = False,
    is_wanted: Callable[[ContactSystem], bool] | None = None,
) -> Adjusted | Obstructed | Blocked:
    """Return a trial changed by as little as lifts every overlap, with all its points; what is blocked if it
    fails.

    Args:
        start: the valid configuration that the trial was moved from.
        trial: the bodies at the trial poses.
        known: the points to track, of the start and others that the way showed.
        reach: how far interface points are searched, over the bodies' radii.
        farthest: the longest correction, over R.
        correction: how overlaps are lifted; by the least correction unless another is given.
        is_free: nothing unknown crosses on the way to the trial; otherwise that is checked.
        is_wanted: whether bodies clear of the known points are worth the search for other points; else the
            adjustment has failed.
    """
    depth, blocked = OVERLAP * trial.radius, Blocked(NO_ROWS)
    for _ in range(_corrections(trial)):
        tracked = trial.track(known)
        known = tracked if len(tracked) == len(known) else known  # the next round goes on from these
        if _lowest_gap(tracked) >= -depth:
            if is_wanted is not None and not is_wanted(trial):
                return blocked
            left = not_among(known.take(trial.between_flat_features(known)), tracked)
            found = trial.generate(reach, InterfacePoints.join([tracked, left]), start.system)
            if _lowest_gap(found) >= -depth:
                crossed = InterfacePoints.none() if is_free else start.system.swept_contacts(trial, _CROSSED)
                missed = not_among(crossed, known)
                missed = not_among(missed, mirrored(trial, trial.track(missed), found))
                if len(missed) == 0 and not _parted(start, trial, found):
                    crossed_within = trial.missed_crossings(found)
                    if not crossed_within and not trial.triangles_overlap(OVERLAP, start.system):
                        return Adjusted(trial, found)
                    deep = trial.points_at_crossings(crossed_within, reach, start.system)
                    cut = trial.points_at_overlaps(OVERLAP, start.system)
                    if len(deep) + len(cut) == 0 and (crossed_within or _lowest_gap(found) >= 0.0):
                        return blocked
                    known = InterfacePoints.join([known, deep])
                    found = InterfacePoints.join([found, deep, cut])
                else:
                    known = InterfacePoints.join([known, missed])
                    found = InterfacePoints.join([found, trial.track(missed)])
            else:
                obstacles = _elsewhere(start, trial, found, tracked)
                if len(obstacles):
                    return Obstructed(obstacles)
                known = InterfacePoints.join([known, found.take(found.gap < -depth)])
            tracked = InterfacePoints.join([tracked, found])
        blocked = Blocked.at(tracked.take(tracked.gap < -depth))
        change = _correct(start, trial, tracked, correction)
        if change is None or start.coordinates.length(trial, change) > farthest:
            break
        trial, is_free = start.coordinates.displaced(trial, change), False
    return blocked


def _corrections(system: ContactSystem) -> int:
    """Return the rounds after which the adjustment of a system has failed: what is lifted in one place of a
    heap may overlap in the next one.
    """
    return _CORRECTIONS + min(_MORE_CORRECTIONS, 2 * (len(system) - 1))


def _correct(
    start: Configuration, trial: ContactSystem, points: InterfacePoints, correction: Correction | None
) -> Floats | None:
    bilateral = start.bilateral.rows(points)
    if correction is not None:
        return correction(trial, points, bilateral)
    return least_correction(trial, start.coordinates, points, bilateral)


def _elsewhere(
    start: Configuration, trial: ContactSystem, found: InterfacePoints, tracked: InterfacePoints
) -> InterfacePoints:
    """Return, as seen from the start and fixed to their places, the overlaps of a trial far from all tracked
    points: no minimum stood there yet, as at the far end of a rod that comes down level.
    """
    deep = found.take(found.gap < -_DEEP * trial.radius)
    offset = trial.in_world(deep).point1[:, None] - trial.in_world(tracked).point1
    away = np.sqrt(np.einsum("ijk,ijk->ij", offset, offset)).min(axis=1, initial=np.inf)
    deep = deep.take(away > _FAR * trial.radius)
    return _as_seen_from(start, deep)


def _lifted_from(start: Configuration, taken: Adjusted, known: InterfacePoints) -> InterfacePoints:
    """Return, as seen from the start, the points that touch at an adjusted trial and are not known."""
    touching = taken.points.take(taken.points.gap <= _DEEP * taken.system.radius)
    seen = _as_seen_from(start, touching)
    offset = seen.point1[:, None] - known.point1
    same = (feature_keys(seen)[:, None] == feature_keys(known)).all(axis=2)
    same &= np.einsum("ijk,ijk->ij", offset, offset) <= (_BESIDE * taken.system.radius) ** 2
    return seen.take(~same.any(axis=1))


def _as_seen_from(start: Configuration, points: InterfacePoints) -> InterfacePoints:
    """Return points of a trial at the start, fixed to their places."""
    return start.system.track(replace(points, on_curve=np.ones(len(points), bool)))


def mirrored(system: ContactSystem, points: InterfacePoints, known: InterfacePoints) -> InterfacePoints:
    """Return those points that are known ones seen from the wrong side: the same gap and gradient, negative.

    Where an edge comes to lie in a face, it touches the face's border, too; the side on which it was before,
    beside the face, is not the one on which it is now.
    """
    if len(points) == 0 or len(known) == 0:
        return points.take(np.zeros(len(points), bool))
    mine = np.column_stack([points.gap / system.radius, system.gradients(points)])
    other = np.column_stack([known.gap / system.radius, system.gradients(known)])
    sums = np.abs(mine[:, None] + other)
    same: Bools = (sums[:, :, 0] < OVERLAP) & (sums[:, :, 1:].max(axis=2) < _SAME)
    found: Bools = np.asarray(same.any(axis=1))
    return points.take(found)


def _lowest_gap(points: InterfacePoints) -> float:
    return float(points.gap.min(initial=np.inf))


def _parted(start: Configuration, trial: ContactSystem, points: InterfacePoints) -> bool:
    """Return whether bilateral contacts have come apart."""
    gaps = points.gap[start.bilateral.rows(points)]
    return bool((gaps > 2.0 * CONTACT_CLEARANCE * trial.radius).any())


def is_clear(before: ContactSystem, trial: ContactSystem, found: InterfacePoints) -> bool:
    """Return whether, as the last check, nothing overlaps at a trial with the points `found`, and nothing
    flat was crossed on the way from `before`.

    A corner that has come to touch, as that of a curved sheet at rest, has not crossed by rounding.
    """
    if trial.misses_collision(found, OVERLAP):
        return False
    crossed = trial.track(before.swept_contacts(trial, _CROSSED))
    crossed = not_among(crossed, mirrored(trial, crossed, found))
    return _lowest_gap(crossed) >= -OVERLAP * trial.radius


def least_correction(
    system: ContactSystem,
    coordinates: PoseCoordinates,
    points: InterfacePoints,
    bilateral: Ints | None = None,
) -> Floats | None:
    """Return the least change of coordinates (d,) that gives every point the contact clearance, to first
    order, and bilateral ones (rows) no more than that; None if there is none.

    Points that have half of it are only kept from losing it: what stands still is not moved by rounding.
    """
    gradients = coordinates.gradients(system, points)
    gaps, size = points.gap / system.radius, coordinates.size(system)
    equations = NO_ROWS if bilateral is None else bilateral
    lifted = gaps < 0.5 * CONTACT_CLEARANCE
    lifted[equations] = True
    room = CONTACT_CLEARANCE - gaps
    room = np.where(lifted, room, np.minimum(room, 0.0))
    own, limits = coordinates.limit_rows(system)
    if len(own):
        gradients = np.concatenate([gradients, limits])
        room = np.concatenate([room, np.minimum(-own, 0.0)])
    step = solve_qp(np.eye(size), np.zeros(size), gradients, room, equations, coordinates.many)
    return None if step is None else step.x


def closing_change(
    system: ContactSystem, coordinates: PoseCoordinates, points: InterfacePoints, motions: Floats
) -> Floats:
    """Return the least change of coordinates (d,) that brings the gaps of points nearest to the contact
    clearance, to first order and by least squares.

    Points may depend on one another, as five on a line do.  As equations these contradict each other by
    rounding or curvature, and almost do so a little way off, where only the way back would obey all.

    Args:
        system: the bodies.
        coordinates: what may move.
        points: those that are to touch.
        motions: (d, n), orthonormal, the only motions that are made: of touching points, those that they do
            not leave free.
    """
    lift = CONTACT_CLEARANCE - points.gap / system.radius
    gradients = coordinates.gradients(system, points) @ motions
    change: Floats = motions @ np.linalg.lstsq(gradients, lift, rcond=_DEPENDENT)[0]
    return change


def not_among(points: InterfacePoints, known: InterfacePoints) -> InterfacePoints:
    """Return the points whose pair of features none of `known` has."""
    return points.take(rows_with_keys(feature_keys(points), feature_keys(known)) < 0)
