"""Placement: the loop of Figure 2 (Snyder 1995), state by state to a certified rest.

A step from a state free of overlap:

1. contact and near extremal pairs are rows g + J x >= c of a quadratic programme, whose solution x is the
   next move: gravity's push, what contacts do not hold of it, no farther than eps R (`programme`);
2. flat features that would cross on the way join the rows, and the programme is solved again (`crossing`);
3. at the new pose all points are found, and the least change of pose lifts what overlaps (the contact
   adjustment phase);
4. a step that still overlaps or gains energy fails: eps is halved and the state stays.

Where nothing is near the body falls to just above what is first below it, in one step.  Once the pressing
contacts hold, the rest itself is solved for (`polish`) and examined; it is accepted if no contact pulls,
nothing overlaps, the energy is not higher and no motion lowers it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Floats
from ..bodies import Body
from ..collision import free_travel
from ..contact.crossing import crossing_points, triangles_cross, unexplained_collisions
from ..contact.curves import sampled_feature
from ..contact.encounter import ContactBody, Encounter
from ..contact.finding import Reach, find_points, flat_pair, solve_tracked
from ..contact.linearization import gap_gradient, gap_hessian
from ..contact.points import InterfacePoints
from ..rigid import Pose
from .certificate import BALANCED_RESIDUAL, Certificate, Status, certify, nothing_touched
from .checking import check
from .forces import Gravity, even_forces
from .polish import Polished, polish
from .programme import Step, curvature, length, paper_step, trust_step
from .settings import Settings
from .stability import second_order
from .start import CLEARANCE, OVERLAP, clear_start, lift_clear, near_the_origin
from .state import State

TOUCHING = 1e-8  # gap / R of a contact
ENERGY_NOISE = 2e-9  # what the noise of the gaps can cost
_PRESSES = 1e-6  # force of a contact that takes part in a rest
_TRIAL = 1e-3  # motion by which a suspected fall is tried
_SMALLEST_STEP = 1e-9
_CORRECTIONS = 6
_TRIES = 5
_LEVEL_STATES = 8  # states without a gain in energy after which there is none to be had


@dataclass(frozen=True, eq=False)
class _Rest:
    """A rest that stood the examination."""

    encounter: Encounter
    state: State
    stable: bool


class Placement:
    """Places an active body among fixed ones.

    Poses take the active body's frame to the world; the bodies of `world` already stand in it.  `step` never
    raises for a hard case: `status` says how it ended.  `states` holds every state so far.
    """

    def __init__(
        self, active: Body, pose: Pose, world: Sequence[Body], settings: Settings | None = None
    ) -> None:
        self.settings = settings or Settings()
        self.status = Status.RUNNING
        self.steps = 0
        self._active, self._gravity = active, Gravity.along(self.settings.gravity)
        self._origin, pose, self._bodies = near_the_origin(active, pose, world)
        self._radius = active.radius
        self._stable = True
        self.states: list[State] = []
        points = InterfacePoints.none()
        if self._bodies:
            self._encounter = Encounter.of(ContactBody.of([active]), ContactBody.of(self._bodies), pose)
            points = self._start()
            pose = self._encounter.pose
        else:
            self.status = Status.NO_SUPPORT
        self.states.append(self._state(pose, points, self.settings.eps_max))

    @property
    def _eps(self) -> float:
        return self.state.eps if self.states else self.settings.eps_max

    @property
    def state(self) -> State:
        """The last state."""
        return self.states[-1]

    @property
    def reach(self) -> Reach:
        """How far points are looked for: as far as one step and its corrections can go."""
        farthest = self.settings.eps_max * self._radius
        return Reach(
            curved=1.5 * farthest,
            flat=min(1.0, 0.05 / self.settings.eps_max) * farthest,
            samples=2.0 * self._eps * self._radius,
        )

    def _state(self, pose: Pose, points: InterfacePoints, eps: float) -> State:
        centre = pose.points(self._active.mass.center)
        return State(pose, points, self._origin, self._gravity.energy(centre, self._radius), eps)

    def _start(self) -> InterfacePoints:
        """Find the first points; lift what overlaps by rounding, or end at once."""
        tolerance = max(self.settings.start_tolerance, 1e-9 * self._radius)
        cleared = clear_start(self._encounter, self._bodies, self.reach, tolerance)
        if cleared is None:
            self.status = Status.INTERFERING_START
            return InterfacePoints.none()
        self._encounter, points = cleared
        return points

    def run(self, on_step: Callable[[State], bool] | None = None) -> Certificate:
        """Step to the end.  on_step is called after each step; if it returns False the placement is
        interrupted.
        """
        while self.status is Status.RUNNING:
            state = self.step()
            if on_step is not None and not on_step(state) and self.status is Status.RUNNING:
                self.status = Status.INTERRUPTED
        return self.certificate()

    def step(self) -> State:
        """Make one loop of Figure 2: a new state, or the old one with eps halved, or an end."""
        if self.status is not Status.RUNNING:
            return self.state
        if self.steps >= self.settings.step_limit:
            self.status = Status.STEP_LIMIT
            return self.state
        self.steps += 1
        step = self._programme()
        if step is not None and not (step.forces > 0.0).any():
            return self._fall(step)
        rest = self._rest(step) if step is not None else None
        if rest is not None:
            return self._finish(rest)
        moved = self._moved(step) if step is not None else None
        return self._fail() if moved is None else self._accept(moved)

    def _programme(self, extra: InterfacePoints | None = None) -> Step | None:
        points = (
            self.state.local_points
            if extra is None
            else InterfacePoints.join([self.state.local_points, extra])
        )
        gradients, hessians = self._linearized(self._encounter, points)
        room = np.minimum(CLEARANCE - points.gap / self._radius, 2.0 * CLEARANCE)
        wrench, trust = self._gravity.wrench, self.state.eps
        if self.settings.balance == "svd":
            return paper_step(wrench, gradients, points.gap < TOUCHING * self._radius, trust)
        predictor = trust_step(np.zeros((6, 6)), wrench, gradients, room, trust)
        if predictor is None:
            return None
        forces = _on_settled(self._encounter, points, predictor.forces)
        step = trust_step(curvature(forces, gradients, hessians), wrench, gradients, room, trust)
        if step is not None and (step.forces[points.held] > _PRESSES).any():
            bend = curvature(step.forces, gradients, hessians)  # a true curve of support: it does not roll
            step = trust_step(bend, wrench, gradients, room, trust)
        return step or predictor

    def _linearized(self, encounter: Encounter, points: InterfacePoints) -> tuple[Floats, Floats]:
        gradients = gap_gradient(points, encounter.centre, self._radius)
        return gradients, gap_hessian(points, *encounter.evaluate(points), encounter.centre, self._radius)

    def _fall(self, step: Step) -> State:
        """Nothing holds the body: let it fall freely to just above what comes first; if that is no farther
        than a step, take the step.
        """
        near = 0.2 * self.settings.eps_max * self._radius
        direction = self._gravity.direction
        active, world = self._encounter.active, self._encounter.world
        way = free_travel(active.tree, self._encounter.pose, world.tree, direction, near)
        if not np.isfinite(way):
            self.status = Status.NO_SUPPORT
            return self.state
        if way <= self.state.eps * self._radius:
            moved = self._moved(step)
            return self._fail() if moved is None else self._accept(moved)
        fallen = self._encounter.displaced(np.concatenate([way / self._radius * direction, np.zeros(3)]))
        return self._accept((fallen, find_points(fallen, self.reach, InterfacePoints.none(), None)))

    def _moved(self, step: Step) -> tuple[Encounter, InterfacePoints] | None:
        """Take the step, obeying what it would cross, and lift what overlaps; None if it fails."""
        known = self.state.local_points
        for _ in range(_TRIES):
            trial = self._encounter.displaced(step.x)
            crossing = crossing_points(self._encounter, trial)
            fresh = not_among(crossing, known)
            if len(fresh) == 0:
                return self._settled(trial, known)
            known = InterfacePoints.join([known, fresh])
            again = self._programme(known.take(slice(len(self.state.local_points), None)))
            if again is None:
                return None
            step = again
        return None

    def _settled(self, trial: Encounter, known: InterfacePoints) -> tuple[Encounter, InterfacePoints] | None:
        """The contact adjustment phase (4.1): the least change of pose that lifts every overlap, points
        solved again.
        """
        depth = OVERLAP * self._radius
        for _ in range(_CORRECTIONS):
            tracked = solve_tracked(trial, known)
            if len(tracked) == 0 or tracked.gap.min() >= -depth:
                found = find_points(trial, self.reach, tracked, self._encounter)
                if len(found) == 0 or found.gap.min() >= -depth:
                    return (trial, found) if self._passes_nothing(trial, found) else None
                known = InterfacePoints.join([known, found.take(found.gap < -depth)])
                tracked = InterfacePoints.join([tracked, found])
            lift = lift_clear(trial, tracked)
            if lift is None or length(lift) > 2.0 * self.state.eps:
                return None
            trial = trial.displaced(lift)
        return None

    def _passes_nothing(self, trial: Encounter, found: InterfacePoints) -> bool:
        return (
            len(unexplained_collisions(trial, found)) == 0
            and len(crossing_points(self._encounter, trial)) == 0
            and not triangles_cross(trial, OVERLAP * self._radius)
        )

    def _accept(self, moved: tuple[Encounter, InterfacePoints]) -> State:
        encounter, points = moved
        eps = min(self.settings.recovery * self.state.eps, self.settings.eps_max)
        state = self._state(encounter.pose, points, eps)
        if state.energy > self.state.energy + ENERGY_NOISE:
            return self._fail()
        self._encounter = encounter
        self.states.append(state)
        if self._no_lower():
            self.status = Status.AT_ENERGY_MINIMUM
        return state

    def _no_lower(self) -> bool:
        recent = [state.energy for state in self.states[-_LEVEL_STATES:]]
        return len(recent) == _LEVEL_STATES and recent[0] - recent[-1] < ENERGY_NOISE

    def _fail(self) -> State:
        """Halve eps and stay (loop failure)."""
        self.states[-1] = replace(self.state, eps=0.5 * self.state.eps)
        if self.state.eps < _SMALLEST_STEP:
            self.status = Status.STUCK
        return self.state

    def _rest(self, step: Step) -> _Rest | None:
        """Solve for the rest that the step's pressing contacts hold, if there is one near."""
        if length(step.x) > 0.7 * self.state.eps:
            return None
        settled = _on_settled(self._encounter, self.state.local_points, step.forces)
        rest = self._polished(settled)
        if rest is None and ((settled > _PRESSES) != (step.forces > _PRESSES)).any():
            rest = self._polished(step.forces)
        return rest

    def _polished(self, forces: Floats) -> _Rest | None:
        rows = forces > _PRESSES
        pressing = self.state.local_points.take(rows)
        clearance = np.where(flat_pair(self._encounter, pressing), CLEARANCE, 0.0)
        polished = polish(self._encounter, pressing, forces[rows], self._gravity.wrench, clearance)
        if polished is None or length(polished.moved) > 4.0 * self.settings.eps_max:
            return None
        return self._examined(polished)

    def _examined(self, polished: Polished) -> _Rest | None:
        encounter = polished.encounter
        known = solve_tracked(encounter, InterfacePoints.join([polished.points, self.state.local_points]))
        found = find_points(encounter, self.reach, known, self._encounter)
        touching = found.take(found.gap < TOUCHING * self._radius)
        state = self._state(encounter.pose, found, self.state.eps)
        if (
            len(touching) == 0
            or found.gap.min() < -OVERLAP * self._radius
            or not self._passes_nothing(encounter, found)
        ):
            return None
        if state.energy > self.state.energy + ENERGY_NOISE:
            return None
        gradients, hessians = self._linearized(encounter, touching)
        forces = even_forces(self._gravity.wrench, gradients)
        residual = self._gravity.wrench + gradients.T @ forces
        if np.abs(residual).max() > BALANCED_RESIDUAL:
            return None
        suspected = second_order(gradients, hessians, forces).falling
        falling = [motion for motion in suspected if self._falls(encounter, found, motion)]
        if falling and np.abs(np.array(falling) @ polished.moved).max() > 1e-9:
            return None
        return _Rest(encounter, state, stable=not falling)

    def _falls(self, encounter: Encounter, points: InterfacePoints, motion: Floats) -> bool:
        """Try whether a small motion, either way, lowers the body (at a flat pole the second derivative
        cannot tell).
        """
        up = -self._gravity.direction
        here = self._gravity.energy(encounter.centre, self._radius)
        for x in (_TRIAL * motion, -_TRIAL * motion):
            tried = encounter.displaced(x)
            for _ in range(2):
                found = find_points(tried, self.reach, solve_tracked(tried, points), None)
                rise = found.normal @ up
                pushing = rise > 1e-6
                if not pushing.any():
                    return True
                lift = float((-found.gap[pushing] / rise[pushing]).max()) / self._radius
                tried = tried.displaced(np.concatenate([lift * up, np.zeros(3)]))
            if self._gravity.energy(tried.centre, self._radius) < here - ENERGY_NOISE:
                return True
        return False

    def _finish(self, rest: _Rest) -> State:
        self._encounter = rest.encounter
        self._stable = rest.stable
        self.states.append(rest.state)
        self.status = Status.BALANCED
        return rest.state

    def certificate(self) -> Certificate:
        """Report on the last state."""
        if not self._bodies:
            return nothing_touched(self.status, self.steps, self._notes())
        if self.status is Status.INTERFERING_START:
            report = check(self._active, self.state.local_pose, self._bodies, self.settings)
            report = replace(report, status=self.status, steps=self.steps)
        else:
            touching = TOUCHING * self._radius
            report = certify(
                self._encounter, self.state.local_points, self._gravity, touching, self.status, self.steps
            )
        contacts = replace(report.contacts, position=report.contacts.position + self._origin)
        stable = self.status.at_rest and self._stable
        return replace(report, contacts=contacts, stable=stable, notes=self._notes())

    def _notes(self) -> tuple[str, ...]:
        return self._active.notes + tuple(note for body in self._bodies for note in body.notes)


def not_among(points: InterfacePoints, known: InterfacePoints) -> InterfacePoints:
    """Return the points whose pair of features none of `known` has."""
    if len(points) == 0 or len(known) == 0:
        return points
    mine, theirs = (np.stack([p.dim1, p.index1, p.dim2, p.index2], axis=1) for p in (points, known))
    return points.take(~(mine[:, None] == theirs[None]).all(axis=2).any(axis=1))


def _on_settled(encounter: Encounter, points: InterfacePoints, forces: Floats) -> Floats:
    """Move the forces of samples of a contact curve to its true minimum, if that is known: the samples guard
    the step, but only the minimum knows how the body rolls.
    """
    moved = forces.copy()
    if not points.held.any() or not (moved[points.held] > 0.0).any():
        return moved
    features = sampled_feature(encounter, points)
    lowest: dict[tuple[bool, int, int], int] = {}
    for row in np.nonzero(~points.held)[0][np.argsort(points.gap[~points.held])].tolist():
        lowest.setdefault(features[row], row)
    for row in np.nonzero(points.held & (forces > 0.0))[0].tolist():
        if features[row] in lowest:
            moved[lowest[features[row]]] += moved[row]
            moved[row] = 0.0
    return moved
