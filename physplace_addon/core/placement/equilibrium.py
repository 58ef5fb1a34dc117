"""Is there a rest near, and is it one?  The end of a placement (DESIGN section 3).

Once the pressing contacts hold, the rest itself is solved for (`polish`) and examined: it is accepted if no
contact pulls (but those that stick), nothing overlaps, the energy is not higher and no motion lowers it, or
the motions that do are those of a metastable balance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Bools, Floats
from ..contact.points.interface_points import FIXED, InterfacePoints
from ..contact.system import Assembly
from ..mechanics.balance import even_forces
from ..mechanics.friction import coulomb_balance
from ..mechanics.stability import second_order
from ..optimization.step_qp import Step, length
from .newton_refinement import Polished, polish
from .problem import CLEARANCE, OVERLAP, Problem
from .state import State
from .stepping import PRESSES, lift_clear, on_settled, passes_nothing

BALANCED_RESIDUAL = 5e-7  # of a wrench at rest, in units of the external one
_CLOSABLE = 1.0  # gap / R over eps_max^2 that a turn leaves at a contact
_CLOSINGS = 5
_TRIAL = 1e-3  # motion by which a suspected fall is tried
_TRIAL_SWEEPS = 3


@dataclass(frozen=True, eq=False)
class Rest:
    """A rest that stood the examination, and the motions (n, 6 m) that would end it: none if it is stable."""

    state: State
    falling: Floats


def rest_near(problem: Problem, state: State, step: Step) -> Rest | None:
    """Solve for the rest that a step's pressing contacts hold, if there is one near."""
    if length(step.x) > 0.7 * state.eps:
        return None
    settled = on_settled(state.assembly, state.local_points, step.forces)
    rest = _polished(problem, state, settled)
    if rest is None and ((np.abs(settled) > PRESSES) != (np.abs(step.forces) > PRESSES)).any():
        rest = _polished(problem, state, step.forces)
    return rest


def _polished(problem: Problem, state: State, forces: Floats) -> Rest | None:
    rows = np.abs(forces) > PRESSES
    rows[state.sticky.rows(state.local_points)] = True
    pressing = state.local_points.take(rows)
    # one for all: a curved edge that lies on a floor would go through it, were only its corners lifted
    clearance = np.full(len(pressing), CLEARANCE if state.assembly.flat(pressing).any() else 0.0)
    polished = polish(state.assembly, pressing, forces[rows], problem.load, clearance)
    if polished is None or length(polished.moved) > 4.0 * problem.settings.eps_max:
        return None
    return _examined(problem, state, polished)


def _examined(problem: Problem, state: State, polished: Polished) -> Rest | None:
    rest = _accepted(problem, state, polished.assembly, polished.points)
    if rest is None or (len(rest.local_points) == 0 and problem.load.falls_freely):
        return None
    falling = motions_that_end(problem, rest)
    if falling is None or (len(falling) and np.abs(falling @ polished.moved).max() > 1e-9):
        return None
    return Rest(rest, falling)


def motions_that_end(problem: Problem, state: State) -> Floats | None:
    """Return the motions (n, 6 m) by which a balance falls, none if it is stable; None for no balance."""
    assembly = state.assembly
    touching = problem.contacts(assembly, state.local_points)
    gradients = assembly.gradients(touching)
    wrench = problem.load.wrench(assembly)
    forces = pushes(wrench, gradients, state.sticky.rows(touching))
    if not is_balanced(problem, assembly, wrench + gradients.T @ forces):
        return None
    bend = problem.load.change(assembly)
    suspected = second_order(gradients, assembly.hessians(touching), forces, 0.5 * (bend + bend.T)).falling
    falling = [motion for motion in suspected if _falls(problem, state, motion)]
    return np.array(falling).reshape(-1, 6 * len(assembly))


def pushes(wrench: Floats, gradients: Floats, stuck: np.ndarray) -> Floats:
    """Return even balancing forces (k,), >= 0 but for contacts that stick (rows)."""
    forces = even_forces(wrench, np.concatenate([gradients, -gradients[stuck]]))
    out = forces[: len(gradients)].copy()
    out[stuck] -= forces[len(gradients) :]
    return out


def is_balanced(problem: Problem, assembly: Assembly, residual: Floats) -> bool:
    """Whether a residual wrench (6 m,) is nothing beside what pulls at each body."""
    sizes = problem.load.sizes(assembly)
    return bool((np.abs(residual.reshape(-1, 6)).max(axis=1) < BALANCED_RESIDUAL * sizes).all())


def held_by_friction(problem: Problem, assembly: Assembly, touching: InterfacePoints) -> bool:
    """Whether friction at contacts holds the bodies where they stand (5.2)."""
    if len(touching) == 0:
        return False
    normals, wrench = assembly.in_world(touching).normal, problem.load.wrench(assembly)
    _, residual = coulomb_balance(wrench, assembly.maps(touching), normals, problem.settings.friction)
    return is_balanced(problem, assembly, residual)


def rest_by_friction(problem: Problem, state: State, step: Step) -> State | None:
    """Return the state at rest by friction, if the contacts hold the bodies as they are, or those that press
    in the next step will once the gaps that a turning step has left are closed.
    """
    if problem.settings.friction == 0.0:
        return None
    assembly, points = state.assembly, state.local_points
    touching = problem.contacts(assembly, points)
    if held_by_friction(problem, assembly, touching):
        return _accepted(problem, state, assembly, touching)
    closable = points.gap < _CLOSABLE * problem.settings.eps_max**2 * assembly.radius
    pressing = points.take(closable & (step.forces > PRESSES))
    for _ in range(_CLOSINGS):
        shift = lift_clear(assembly, pressing, np.arange(len(pressing)))
        if shift is None or length(shift) > problem.settings.eps_max:
            return None
        assembly = assembly.displaced(shift)
        pressing = assembly.solve(pressing)
        if (pressing.gap < problem.touching * assembly.radius).all():
            break
    if not held_by_friction(problem, assembly, problem.contacts(assembly, pressing)):
        return None
    return _accepted(problem, state, assembly, pressing)


def _accepted(problem: Problem, state: State, assembly: Assembly, known: InterfacePoints) -> State | None:
    """The state in which the bodies stand as in `assembly`, or None if something overlaps there."""
    tracked = assembly.solve(InterfacePoints.join([known, state.local_points]))
    found = assembly.find(problem.reach(state.eps), tracked, state.assembly)
    if found.gap.min(initial=0.0) < -OVERLAP * assembly.radius:
        return None
    if problem.rises(state.energy, assembly) or not passes_nothing(state.assembly, assembly, found):
        return None
    return replace(
        state,
        assembly=assembly,
        local_points=found,
        sticky=state.sticky.followed(found),
        energy=problem.load.energy(assembly),
    )


def _falls(problem: Problem, state: State, motion: Floats) -> bool:
    """Try whether a small motion, either way, lowers the bodies (at a flat pole the second derivative cannot
    tell).
    """
    if problem.load.gravity is None:
        return True
    up = -problem.load.gravity.direction
    here = problem.load.energy(state.assembly)
    for x in (_TRIAL * motion, -_TRIAL * motion):
        tried = state.assembly.displaced(x)
        for _ in range(2):
            known = tried.solve(state.local_points)
            found = tried.in_world(tried.find(problem.reach(state.eps), known, None))
            lift = _least_heights(found, up, len(tried))
            if lift is None:
                return True
            shift = np.zeros((len(tried), 6))
            shift[:, :3] = (lift / tried.radii)[:, None] * up
            tried = tried.displaced(shift.ravel())
        if problem.load.energy(tried) < here - problem.noise(tried):
            return True
    return False


def _least_heights(points: InterfacePoints, up: Floats, count: int) -> Floats | None:
    """Return how far each body (m,) must be lifted, or may be let down, so that it just stands clear of what
    is under it; None if one stands on nothing.
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
    """Return, of the points that push a body, how their gaps grow as it rises (k,), and what they lack, with
    the other bodies where they are.
    """
    first: Bools = points.body1 == body
    second: Bools = points.body2 == body
    other = np.where(first, points.body2, points.body1)
    there = np.where(other == FIXED, 0.0, heights[other])
    sign = np.where(first, 1.0, -1.0)
    rows = first | second
    own = (sign * rise)[rows]
    return own, (own * there[rows]) - points.gap[rows]
