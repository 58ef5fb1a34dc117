"""Equilibrium: the search for a rest near a state, and its examination.

Once the set of pressing contacts stays the same, the rest that they hold is solved for by Newton's method in
all unknowns (`newton_refinement`) and examined.  It is accepted if no contact pulls (bilateral ones may),
nothing overlaps, the energy is not higher, and the forces balance (Snyder 1995, section 5.2).  A rest that
some small motion would end is metastable (section 6): it is accepted with those motions named.

Jointed bodies rest where limits of joints press and brakes hold.  So the rest is solved for in coordinates
that keep these as they are; that limits only push, and that brakes do not hold with more than they can, is
examined as for contacts (`contact_forces`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from ..arrays import Floats, Ints
from ..contact.system import (
    CONTACT_CLEARANCE,
    OVERLAP,
    Adjusted,
    ContactSystem,
    InterfacePoints,
    adjusted,
    closing_change,
    is_clear,
    least_correction,
)
from ..mechanics.coordinates import FREE_BODIES, Coordinates, twist_lengths
from ..mechanics.free_motions import falling_motions, firm_contacts, places
from ..mechanics.stability import SecondOrder, held_motions, second_order
from .contact_forces import CLOSED_LIMIT, ContactForces, contact_forces, forces_with_friction
from .newton_refinement import Refinement, refine
from .problem import Problem
from .state import State
from .stepping import PRESSING_FORCE, PlacementStep, forces_on_minima

# Largest residual wrench at rest, in units of the external one.
BALANCED_RESIDUAL = 5e-7
# Largest gap over R eps_max^2 that the turn of one step can leave at a contact, to second order.
_CLOSABLE = 1.0
# Corrections that close such gaps; each is a Newton step.
_CLOSINGS = 5
# Lengths over R of the motions by which a fall to second order is tried.
_SECOND_ORDER_MOTIONS = (1e-3, 1e-2)
# Loss of energy, over the length of such a motion and in weights, that is a fall.
_LEAST_SLOPE = 1e-4
# Energy, in weights times R, by which a body tips on faces that are level to single precision.
_ROUGHNESS = 1e-7
# Loss of energy, over the length of a free motion and in weights, by which what balances is no rest.
LEAST_FALL = 1e-3
# Lengths over R of the free motions that are tried from a rest, the longest first.
_FREE_MOTIONS = (3e-3, 3e-4)
# Motion of a brake, radians or lengths over the largest radius, in a step through which it holds.
_STILL = 1e-9
# Distance over R of contacts at one place: far above rounding, far below any feature.
_ONE_PLACE = 1e-6


class Refusal(Enum):
    """Why a step failed or a rest was refused; the value says it to a person."""

    NO_STEP = "the contacts leave no step"
    OBSTRUCTED = "every step overlaps something"
    UNCONVERGED = "the pressing contacts have no common rest nearby"
    OVERLAPS = "something overlaps there"
    HIGHER = "it would rise"
    PASSED = "something was passed on the way"
    UNBALANCED = "the contacts do not balance it"
    UNSUPPORTED = "nothing supports it"


def reasons_stuck(failed: Refusal | None, refused: Refusal | None) -> tuple[str, ...]:
    """Return notes on why it is stuck: what made the last step fail, and what refused the last rest."""
    step = (f"stuck: {failed.value}",) if failed is not None else ()
    rest = (f"no rest here: {refused.value}",) if refused is not None else ()
    return step + rest


@dataclass(frozen=True, eq=False)
class Rest:
    """A rest that passed the examination.

    Attributes:
        state: the bodies at rest.
        falling: the motions (n, 6 m), (dX / R, dTheta) of each body, that would end it; none if it is stable.
    """

    state: State
    falling: Floats


def rest_near(problem: Problem, state: State, step: PlacementStep) -> Rest | Refusal | None:
    """Return the rest that the pressing contacts of a step hold, or why it is none; None for a long step, and
    for one in which a brake gives way.
    """
    if (state.coordinates.lengths(state.system, step.x) > 0.7 * state.longest).any():
        return None
    held = _held(state, step)
    if held is None:
        return None
    settled = forces_on_minima(state.system, state.local_points, step.forces)
    rest = _refined(problem, held, settled)
    moved = (np.abs(settled) > PRESSING_FORCE) != (np.abs(step.forces) > PRESSING_FORCE)
    if isinstance(rest, Refusal) and moved.any():
        rest = _refined(problem, held, step.forces)
    if isinstance(rest, Refusal):
        return _as_it_stands(problem, state) or rest
    coordinates = state.coordinates.counted_from(rest.state.system)
    return replace(rest, state=replace(rest.state, coordinates=coordinates))


def _held(state: State, step: PlacementStep) -> State | None:
    """Return the state in coordinates that keep the limits that press in a step and all that is braked; None
    where a brake gives way in it.
    """
    braked = state.coordinates.brakes(state.system).gradients @ step.x
    if np.abs(braked).max(initial=0.0) > _STILL:
        return None
    pressing: Ints = np.flatnonzero(step.limit_forces > PRESSING_FORCE)
    held = state.coordinates.holding(state.system, pressing, np.arange(len(braked)))
    return replace(state, coordinates=held)


def _as_it_stands(problem: Problem, state: State) -> Rest | None:
    """Return the state itself as a rest, where its contacts balance it; None where they do not.

    More contacts than can touch exactly have no rest that they all hold.
    """
    if len(problem.contacts(state.system, state.local_points)) == 0 and not state.coordinates.bend:
        return None
    falling = motions_that_end(problem, state)
    return None if falling is None else Rest(state, falling)


def _refined(problem: Problem, state: State, forces: Floats) -> Rest | Refusal:
    rows = np.abs(forces) > PRESSING_FORCE
    rows[state.bilateral.rows(state.local_points)] = True
    pressing = state.local_points.take(rows)
    # one for all: a curved edge that lies on a floor would go through it, were only its corners lifted
    clearance = np.full(
        len(pressing), CONTACT_CLEARANCE if state.system.between_flat_features(pressing).any() else 0.0
    )
    refined = refine(state.system, pressing, forces[rows], problem.external, clearance, state.coordinates)
    farthest = 4.0 * problem.settings.eps_max
    if refined is None or twist_lengths(refined.moved).max() > farthest:
        return Refusal.UNCONVERGED
    return _examined(problem, state, refined)


def _examined(problem: Problem, state: State, refined: Refinement) -> Rest | Refusal:
    rest = _accepted(problem, state, refined.system, refined.points)
    if isinstance(rest, Refusal):
        return rest
    if len(rest.local_points) == 0 and problem.external.falls_freely and not state.coordinates.bend:
        return Refusal.UNSUPPORTED
    falling = motions_that_end(problem, rest)
    if falling is None or (len(falling) and np.abs(falling @ refined.moved).max() > 1e-9):
        return Refusal.UNBALANCED
    return Rest(rest, falling)


def motions_that_end(problem: Problem, state: State) -> Floats | None:
    """Return the motions (n, 6 m) that end a balance, n = 0 if it is stable; None where nothing balances."""
    found = contact_forces(problem, state)
    if not is_balanced(problem, state.system, found.residual):
        return None
    held = with_forces_held(state, found)
    suspected = free_curvature(problem, held, found).falling
    pressing = found.points.take(np.abs(found.forces) > PRESSING_FORCE)
    falling = [
        held.coordinates.motion(held.system, motion)
        for motion in suspected
        if _falls(problem, held, motion, pressing)
    ]
    return np.array(falling).reshape(-1, 6 * len(state.system))


def with_forces_held(state: State, found: ContactForces) -> State:
    """Return a balanced state in coordinates that keep the limits that press, and all that is braked."""
    pressing = found.limits[found.limit_forces > PRESSING_FORCE]
    coordinates = state.coordinates.holding(state.system, pressing, np.arange(len(found.braking)))
    return replace(state, coordinates=coordinates)


def free_curvature(problem: Problem, held: State, found: ContactForces) -> SecondOrder:
    """Return the energy's second derivative at a balance, on the motions that keep all pressing contacts.

    Args:
        problem: the settings and the external forces.
        held: the state, in coordinates of `with_forces_held`.
        found: its contact forces.
    """
    system, coordinates = held.system, held.coordinates
    change, curvature = problem.external.change(system), system.curvature(found.points, found.forces)
    if not coordinates.bend:
        return second_order(found.gradients, curvature, found.forces, 0.5 * (change + change.T))
    load = problem.external.wrench(system) + system.gradients(found.points).T @ found.forces
    energy = coordinates.stiffness(system, -curvature - 0.5 * (change + change.T), load)
    limits = coordinates.limits(system)
    idle = limits.gradients[limits.gaps < CLOSED_LIMIT]
    rows = np.concatenate([coordinates.gradients(system, found.points), idle])
    return second_order(rows, -energy, np.concatenate([found.forces, np.zeros(len(idle))]))


def lower_nearby(problem: Problem, state: State, least: float = LEAST_FALL) -> Adjusted | None:
    """Return the bodies after a small free motion that lowers them; None if no such motion is found.

    Contacts at one place may be alternatives, of which a motion need obey only one
    (`mechanics.free_motions`).  So motions that obey only some of the contacts are tried as steps are: what
    they lead to overlaps nothing.

    Args:
        problem: the settings and the external forces.
        state: where the bodies stand, balanced by their contacts.
        least: the loss of energy, over the length of the motion and in weights, that counts.
    """
    system, external = state.system, problem.external
    rows = problem.touching_rows(system, state.local_points)
    touching = state.local_points.take(rows)
    held = _with_all_held(state)
    coordinates = held.coordinates
    load = external.wrench(system)  # joints may bear all of it, and leave of its wrench what is rounding
    motions = falling_motions(
        coordinates.wrench(system, load),
        coordinates.gradients(system, touching),
        places(system.in_world(touching), _ONE_PLACE * system.radius),
        state.bilateral.rows(touching),
        least * float(np.sqrt(load @ load)),
        firm_contacts(system, touching, _FREE_MOTIONS[0]),
    )
    for motion in motions:
        for length in _FREE_MOTIONS:
            trial, loss = (
                coordinates.displaced(system, length * motion),
                least * length + 2.0 * problem.touching,
            )
            lower = _lowered(problem, held, trial, length, loss)
            if lower is not None:
                return lower
    return None


def _with_all_held(state: State) -> State:
    """Return a balanced state in coordinates that keep the limits that are met, and all that is braked."""
    if not state.coordinates.bend:
        return state
    met: Ints = np.flatnonzero(state.coordinates.limits(state.system).gaps < CLOSED_LIMIT)
    braked = np.arange(len(state.coordinates.brakes(state.system)))
    return replace(state, coordinates=state.coordinates.holding(state.system, met, braked))


def is_balanced(problem: Problem, system: ContactSystem, residual: Floats) -> bool:
    """Return whether a residual wrench (6 m,) is negligible beside the external forces on each body."""
    sizes = problem.external.sizes(system)
    return bool((np.abs(residual.reshape(-1, 6)).max(axis=1) < BALANCED_RESIDUAL * sizes).all())


def imbalance(problem: Problem, state: State) -> float:
    """Return the largest component of what the contacts leave unbalanced, over the load on each body."""
    residual = np.abs(contact_forces(problem, state).residual).reshape(-1, 6).max(axis=1)
    return float((residual / np.maximum(problem.external.sizes(state.system), 1e-300)).max())


def held_by_friction(
    problem: Problem, system: ContactSystem, touching: InterfacePoints, coordinates: Coordinates = FREE_BODIES
) -> bool:
    """Return whether friction at the touching points holds the bodies (Snyder 1995, section 5.2)."""
    if len(touching) == 0:
        return False
    found = forces_with_friction(problem, system, touching, coordinates)
    return is_balanced(problem, system, found.residual)


def rest_by_friction(problem: Problem, state: State, step: PlacementStep) -> State | None:
    """Return the state at rest by friction; None if there is none.

    The contacts may hold the bodies as they stand.  Or those that press in the next step hold them once the
    gaps are closed that the turn of a step has left.
    """
    if not problem.settings.has_friction:
        return None
    system, points, coordinates = state.system, state.local_points, state.coordinates
    touching = problem.contacts(system, points)
    if held_by_friction(problem, system, touching, coordinates):
        return _or_none(_accepted(problem, state, system, touching))
    closable = points.gap < _CLOSABLE * problem.settings.eps_max**2 * system.radius
    pressing = points.take(closable & (step.forces > PRESSING_FORCE))
    for _ in range(_CLOSINGS):
        shift = least_correction(system, state.coordinates, pressing, np.arange(len(pressing)))
        if shift is None or state.coordinates.length(system, shift) > problem.settings.eps_max:
            return None
        system = coordinates.displaced(system, shift) if coordinates.bend else system.displaced(shift)
        pressing = system.track(pressing)
        if (pressing.gap < problem.touching * system.radius).all():
            break
    if not held_by_friction(problem, system, problem.contacts(system, pressing), coordinates):
        return None
    return _or_none(_accepted(problem, state, system, pressing))


def _or_none(found: State | Refusal) -> State | None:
    return found if isinstance(found, State) else None


def _accepted(
    problem: Problem, state: State, system: ContactSystem, known: InterfacePoints
) -> State | Refusal:
    """Return the state in which the bodies stand as in `system`, or why there is none; what costs least is
    asked first.
    """
    if problem.rises(state.energy, system):
        return Refusal.HIGHER
    known = known.take(system.searched(known))
    tracked = system.track(InterfacePoints.join([known, state.local_points]))
    if tracked.gap.min(initial=0.0) < -OVERLAP * system.radius or system.triangles_overlap(OVERLAP):
        return Refusal.OVERLAPS
    found = system.generate(problem.reach(state.eps), tracked, state.system)
    if found.gap.min(initial=0.0) < -OVERLAP * system.radius:
        return Refusal.OVERLAPS
    if not is_clear(state.system, system, found):
        return Refusal.PASSED
    return replace(
        state,
        system=replace(system, moving=state.system.moving),
        local_points=found,
        bilateral=state.bilateral.followed(found),
        energy=problem.external.energy(system),
    )


def _falls(problem: Problem, state: State, motion: Floats, pressing: InterfacePoints) -> bool:
    """Return whether a small motion, either way, lowers the bodies while the pressing contacts stay closed.

    It is tried, since at a flat pole the second derivative vanishes, and since what stands on faces that are
    level to rounding tips by as much.
    """
    if problem.external.gravity is None:
        return True
    firm = held_motions(state.coordinates.gradients(state.system, pressing))
    for length in _SECOND_ORDER_MOTIONS:
        for way in (length, -length):
            moved = state.coordinates.displaced(state.system, way * motion)
            trial = _closed(state, firm, moved, pressing)
            least = _LEAST_SLOPE * length + _ROUGHNESS
            if trial is not None and _lowered(problem, state, trial, length, least) is not None:
                return True
    return False


def _closed(
    state: State, firm: Floats, system: ContactSystem, pressing: InterfacePoints
) -> ContactSystem | None:
    """Return the bodies changed by as little as closes the pressing contacts, as nearly as the motions `firm`
    (d, n) can; None where limits of joints cannot be kept.
    """
    for _ in range(_CLOSINGS):
        pressing = system.track(pressing)
        shift = closing_change(system, state.coordinates, pressing, firm)
        if np.abs(shift).max(initial=0.0) < CONTACT_CLEARANCE:
            break
        system = state.coordinates.displaced(system, shift)
    if (state.coordinates.limit_rows(system)[0] >= -CONTACT_CLEARANCE).all():
        return system
    back = least_correction(system, state.coordinates, system.track(pressing))
    return None if back is None else state.coordinates.displaced(system, back)


def _lowered(
    problem: Problem, state: State, trial: ContactSystem, length: float, least: float
) -> Adjusted | None:
    """Return the bodies of a trial clear of one another; None unless a state has more energy.

    Args:
        problem: the settings and the external forces.
        state: where the bodies were.
        trial: where a small motion has taken them.
        length: of that motion, over R.
        least: the loss of energy that counts, in weights times R, beside noise.
    """
    reach = problem.reach(problem.settings.eps_max)
    most = problem.external.energy(state.system) - least - problem.noise(state.system)

    def is_lower(system: ContactSystem) -> bool:
        return problem.external.energy(system) < most

    taken = adjusted(state, trial, state.local_points, reach, 2.0 * length, is_wanted=is_lower)
    return taken if isinstance(taken, Adjusted) and is_lower(taken.system) else None
