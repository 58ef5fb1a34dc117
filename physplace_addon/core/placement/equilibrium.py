"""Equilibrium: the search for a rest near a state, and its examination.

Once the set of pressing contacts stays the same, the rest that they hold is solved for by Newton's method in
all unknowns (`newton_refinement`) and examined.  It is accepted if no contact pulls (bilateral ones may),
nothing overlaps, the energy is not higher, and the forces balance (Snyder 1995, section 5.2).  A rest that
some small motion would end is metastable (section 6): it is accepted with those motions named.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Bools, Floats
from ..contact.system import (
    CONTACT_CLEARANCE,
    FIXED,
    OVERLAP,
    ContactSystem,
    InterfacePoints,
    is_clear,
    least_correction,
)
from ..mechanics.friction import coulomb_balance
from ..mechanics.stability import second_order
from ..optimization.step_qp import Step
from .contact_forces import contact_forces
from .newton_refinement import Refinement, refine
from .problem import Problem
from .state import State
from .stepping import PRESSING_FORCE, forces_on_minima

# Largest residual wrench at rest, in units of the external one.
BALANCED_RESIDUAL = 5e-7
# Largest gap over R eps_max^2 that the turn of one step can leave at a contact, to second order.
_CLOSABLE = 1.0
# Corrections that close such gaps; each is a Newton step.
_CLOSINGS = 5
# Length over R of the motion by which a suspected fall is tried: above the noise, below any feature.
_TRIAL = 1e-3
# Passes over all bodies in which their heights on one another are found.
_TRIAL_SWEEPS = 3


@dataclass(frozen=True, eq=False)
class Rest:
    """A rest that passed the examination.

    Attributes:
        state: the bodies at rest.
        falling: the motions (n, 6 m), (dX / R, dTheta) of each body, that would end it; none if it is stable.
    """

    state: State
    falling: Floats


def rest_near(problem: Problem, state: State, step: Step) -> Rest | None:
    """Return the rest that the pressing contacts of a step hold; None if there is none near."""
    if state.coordinates.length(state.system, step.x) > 0.7 * state.eps:
        return None
    settled = forces_on_minima(state.system, state.local_points, step.forces)
    rest = _refined(problem, state, settled)
    if rest is None and ((np.abs(settled) > PRESSING_FORCE) != (np.abs(step.forces) > PRESSING_FORCE)).any():
        rest = _refined(problem, state, step.forces)
    return rest


def _refined(problem: Problem, state: State, forces: Floats) -> Rest | None:
    rows = np.abs(forces) > PRESSING_FORCE
    rows[state.bilateral.rows(state.local_points)] = True
    pressing = state.local_points.take(rows)
    # one for all: a curved edge that lies on a floor would go through it, were only its corners lifted
    clearance = np.full(
        len(pressing), CONTACT_CLEARANCE if state.system.between_flat_features(pressing).any() else 0.0
    )
    refined = refine(state.system, pressing, forces[rows], problem.external, clearance)
    if (
        refined is None
        or state.coordinates.length(state.system, refined.moved) > 4.0 * problem.settings.eps_max
    ):
        return None
    return _examined(problem, state, refined)


def _examined(problem: Problem, state: State, refined: Refinement) -> Rest | None:
    rest = _accepted(problem, state, refined.system, refined.points)
    if rest is None or (len(rest.local_points) == 0 and problem.external.falls_freely):
        return None
    falling = motions_that_end(problem, rest)
    if falling is None or (len(falling) and np.abs(falling @ refined.moved).max() > 1e-9):
        return None
    return Rest(rest, falling)


def motions_that_end(problem: Problem, state: State) -> Floats | None:
    """Return the motions (n, 6 m) that end a balance, n = 0 if it is stable; None where nothing balances."""
    system, found = state.system, contact_forces(problem, state)
    if not is_balanced(problem, system, found.residual):
        return None
    bend, hessians = problem.external.change(system), system.hessians(found.points)
    suspected = second_order(found.gradients, hessians, found.forces, 0.5 * (bend + bend.T)).falling
    falling = [motion for motion in suspected if _falls(problem, state, motion)]
    return np.array(falling).reshape(-1, 6 * len(system))


def is_balanced(problem: Problem, system: ContactSystem, residual: Floats) -> bool:
    """Return whether a residual wrench (6 m,) is negligible beside the external forces on each body."""
    sizes = problem.external.sizes(system)
    return bool((np.abs(residual.reshape(-1, 6)).max(axis=1) < BALANCED_RESIDUAL * sizes).all())


def held_by_friction(problem: Problem, system: ContactSystem, touching: InterfacePoints) -> bool:
    """Return whether friction at the touching points holds the bodies (Snyder 1995, section 5.2)."""
    if len(touching) == 0:
        return False
    normals, wrench = system.in_world(touching).normal, problem.external.wrench(system)
    _, residual = coulomb_balance(wrench, system.wrench_maps(touching), normals, problem.settings.friction)
    return is_balanced(problem, system, residual)


def rest_by_friction(problem: Problem, state: State, step: Step) -> State | None:
    """Return the state at rest by friction; None if there is none.

    The contacts may hold the bodies as they stand.  Or those that press in the next step hold them once the
    gaps are closed that the turn of a step has left.
    """
    if problem.settings.friction == 0.0:
        return None
    system, points = state.system, state.local_points
    touching = problem.contacts(system, points)
    if held_by_friction(problem, system, touching):
        return _accepted(problem, state, system, touching)
    closable = points.gap < _CLOSABLE * problem.settings.eps_max**2 * system.radius
    pressing = points.take(closable & (step.forces > PRESSING_FORCE))
    for _ in range(_CLOSINGS):
        shift = least_correction(system, state.coordinates, pressing, np.arange(len(pressing)))
        if shift is None or state.coordinates.length(system, shift) > problem.settings.eps_max:
            return None
        system = system.displaced(shift)
        pressing = system.track(pressing)
        if (pressing.gap < problem.touching * system.radius).all():
            break
    if not held_by_friction(problem, system, problem.contacts(system, pressing)):
        return None
    return _accepted(problem, state, system, pressing)


def _accepted(problem: Problem, state: State, system: ContactSystem, known: InterfacePoints) -> State | None:
    """Return the state in which the bodies stand as in `system`; None if something overlaps there."""
    tracked = system.track(InterfacePoints.join([known, state.local_points]))
    found = system.generate(problem.reach(state.eps), tracked, state.system)
    if found.gap.min(initial=0.0) < -OVERLAP * system.radius:
        return None
    if problem.rises(state.energy, system) or not is_clear(state.system, system, found):
        return None
    return replace(
        state,
        system=system,
        local_points=found,
        bilateral=state.bilateral.followed(found),
        energy=problem.external.energy(system),
    )


def _falls(problem: Problem, state: State, motion: Floats) -> bool:
    """Return whether a small motion, either way, lowers the bodies.

    It is tried, since at a flat pole the second derivative vanishes.
    """
    if problem.external.gravity is None:
        return True
    up = -problem.external.gravity.direction
    here = problem.external.energy(state.system)
    for x in (_TRIAL * motion, -_TRIAL * motion):
        tried = state.system.displaced(x)
        for _ in range(2):
            known = tried.track(state.local_points)
            found = tried.in_world(tried.generate(problem.reach(state.eps), known, None))
            lift = _least_heights(found, up, len(tried))
            if lift is None:
                return True
            shift = np.zeros((len(tried), 6))
            shift[:, :3] = (lift / tried.radii)[:, None] * up
            tried = tried.displaced(shift.ravel())
        if problem.external.energy(tried) < here - problem.noise(tried):
            return True
    return False


def _least_heights(points: InterfacePoints, up: Floats, count: int) -> Floats | None:
    """Return the least heights (m,), scene units, by which bodies are clear of what is under them.

    Negative heights let a body down.  None if a body stands on nothing.
    """
    rise = points.normal @ up
    heights = np.zeros(count)
    for _ in range(_TRIAL_SWEEPS if count > 1 else 1):
        for body in range(count):
            mine, others = _seen_by(points, rise, heights, body)
            pushing = mine > 1e-6
            if not pushing.any():
                return None
            heights[body] = (others[pushing] / mine[pushing]).max()
    return heights


def _seen_by(points: InterfacePoints, rise: Floats, heights: Floats, body: int) -> tuple[Floats, Floats]:
    """Return for the k points of a body how their gaps grow as it rises (k,), and what they lack (k,).

    The other bodies stand at `heights`.
    """
    first: Bools = points.body1 == body
    second: Bools = points.body2 == body
    other = np.where(first, points.body2, points.body1)
    there = np.where(other == FIXED, 0.0, heights[other])
    sign = np.where(first, 1.0, -1.0)
    rows = first | second
    own = (sign * rise)[rows]
    return own, (own * there[rows]) - points.gap[rows]
