"""Placement: the loop of Figure 2 (Snyder 1995), state by state to a certified rest.

A step (`stepping`) from a state free of overlap either gives the next one, or it fails - it overlaps or gains
energy: then eps is halved and the state stays.  Where nothing is near and gravity alone acts, a body falls to
just above what is first below it, in one step.  Once the pressing contacts hold, the rest itself is solved
for and examined (`equilibrium`).  Every state is kept: `branch` goes on from any of them, with other forces
or settings, and leaves this placement as it is.

What uses a placement stands beside it: `manipulation` moves a body by hand, `replication` copies, and
`checking` certifies.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ..arrays import Floats, Ints
from ..bodies import Body
from ..contact.system import (
    Adjusted,
    BilateralContacts,
    Blocked,
    ContactSystem,
    InterfacePoints,
    NumberedPair,
    adjusted,
    advanced,
    feature_keys,
)
from ..mechanics.coordinates import Coordinates
from ..mechanics.forces import Force
from ..mechanics.joints import Joint
from ..mechanics.start import clear_start
from ..rigid import Pose
from .certificate import Certificate, Status
from .checking import certificates
from .equilibrium import (
    LEAST_FALL,
    Refusal,
    Rest,
    imbalance,
    lower_nearby,
    motions_that_end,
    reasons_stuck,
    rest_by_friction,
    rest_near,
)
from .problem import Problem, Setup
from .settings import Settings
from .state import State
from .stepping import PRESSING_FORCE, PlacementStep, fallen_freely, free_fall, solve_step

_SMALLEST_STEP = 1e-9  # eps, over R, below which a placement is stuck: steps of rounding's size
_LEAST_PACE = 1e-6  # step of a blocked body, over R, below which all bodies go slower
_LEVEL_STATES = 8  # states without a gain in energy after which there is none to be had
_LEVEL = 1e-6  # slope, in weights, below which what no state has got off for a while is level
_NUDGE = 1e-2  # motion, over R, that ends a metastable rest
_START_ROUNDING = 1e-9  # overlap / R at the start that is always lifted away


class Placement:
    """Places an active body among fixed ones, or several that move at once (`of_several`).

    Poses take a body's frame to the world; the bodies of `world` already stand in it.  `step` never raises
    for a hard case: `status` says how it ended.

    Attributes:
        setup: the bodies, their start poses, the world, settings and forces.
        problem: what its steps solve.
        status: RUNNING, or how it ended.
        steps: loops so far, failed ones counted.
        states: every state so far.
    """

    def __init__(
        self,
        active: Body,
        pose: Pose,
        world: Sequence[Body],
        settings: Settings | None = None,
        forces: Sequence[Force] = (),
        bilateral_pairs: Collection[NumberedPair] = (),
    ) -> None:
        self._begin(Setup.of([active], [pose], world, settings, forces, bilateral_pairs))

    @classmethod
    def of_several(
        cls,
        actives: Sequence[Body],
        poses: Sequence[Pose],
        world: Sequence[Body],
        settings: Settings | None = None,
        forces: Sequence[Force] = (),
        bilateral_pairs: Collection[NumberedPair] = (),
        joints: Sequence[Joint] = (),
    ) -> Placement:
        """Place bodies that all move, and push each other, at once.

        bilateral_pairs: pairs of bodies, by number, the moving ones first, then those of the world.  Where
        they come to touch, their contacts become bilateral.
        joints: between these bodies, and of moving ones with the world.

        Raises PlacementError for no bodies, not a pose for each, or a pair of bodies that are not there; and
        JointError for a joint that has no meaning or is open.
        """
        return cls.from_setup(Setup.of(actives, poses, world, settings, forces, bilateral_pairs, joints))

    @classmethod
    def from_setup(cls, setup: Setup) -> Placement:
        """Begin a placement from all that it is given."""
        placement = cls.__new__(cls)
        placement._begin(setup)
        return placement

    def _begin(self, setup: Setup) -> None:
        self.setup, self.status, self.steps = setup, Status.RUNNING, 0
        self._falling = np.zeros((0, 6 * len(setup.bodies)))
        self._pressing: Ints = np.zeros((0, 0), np.intp)  # the features that pressed in the last step
        self._failure: Refusal | None = None  # of the last step that failed
        self._refused: Refusal | None = None  # of the last rest that was examined
        system, origin, coordinates, external = setup.begun()
        self.problem = Problem(self.settings, external)
        together = coordinates.falling_together(system)
        is_loose = together is None or bool((together >= 0).any())
        system, points = self._cleared(system, coordinates)
        if self.status.is_running and system.fixed is None and external.falls_freely and is_loose:
            self.status = Status.NO_SUPPORT
        energy, eps = external.energy(system), self.settings.eps_max
        first = State(system, points, BilateralContacts.none(), origin, energy, eps, coordinates)
        self.states: list[State] = []
        self._since = 0  # the state that the run began or went on with
        self._append(first)

    @property
    def settings(self) -> Settings:
        """The settings."""
        return self.setup.settings

    @property
    def forces(self) -> tuple[Force, ...]:
        """The external forces besides gravity, in the world."""
        return self.setup.forces

    @property
    def state(self) -> State:
        """The last state."""
        return self.states[-1]

    def _cleared(self, system: ContactSystem, coordinates: Coordinates) -> Adjusted:
        """Find the first points; lift what overlaps by rounding, or end at once."""
        tolerance = max(self.settings.start_tolerance, _START_ROUNDING * system.radius)
        cleared = clear_start(system, self.problem.reach(self.settings.eps_max), tolerance, coordinates)
        if cleared is None:
            self.status = Status.INTERFERING_START
            return Adjusted(system, InterfacePoints.none())
        return cleared

    def run(self, on_step: Callable[[State], bool] | None = None) -> Certificate:
        """Step to the end and certify it.  on_step is called after each step; if it returns False the
        placement is interrupted.
        """
        while self.status is Status.RUNNING:
            state = self.step()
            if on_step is not None and not on_step(state):
                self.interrupt()
        return self.certificate()

    def interrupt(self) -> None:
        """End here, if it is not at an end."""
        if self.status is Status.RUNNING:
            self.status = Status.INTERRUPTED

    def step(self) -> State:
        """Make one loop of Figure 2: a new state, or the old one with eps halved, or an end."""
        if self.status is not Status.RUNNING:
            return self.state
        if self.steps >= self.settings.step_limit:
            self.status = Status.STEP_LIMIT
            return self.state
        self.steps += 1
        step = solve_step(self.problem, self.state)
        if step is None:
            return self._fail(Refusal.NO_STEP)
        still = rest_by_friction(self.problem, self.state, step)
        if still is not None and motions_that_end(self.problem, still) is None:
            self._append(still)
            self.status = Status.BALANCED_BY_FRICTION
            return self.state
        if self.problem.external.falls_freely:
            fallen = self._fallen(step)
            if fallen is not None:
                return fallen
        rest = rest_near(self.problem, self.state, step) if self._is_settled(step) else None
        if isinstance(rest, Rest):
            return self._end_or_leave(rest)
        self._refused = rest or self._refused
        return self._take(step)

    def _is_settled(self, step: PlacementStep) -> bool:
        """Return whether what presses is what pressed in the step before: among several bodies, only then is
        a rest to be expected.
        """
        keys = feature_keys(self.state.local_points.take(step.forces > PRESSING_FORCE))
        before, self._pressing = self._pressing, np.unique(keys, axis=0)
        return len(self.state.system) == 1 or np.array_equal(before, self._pressing)

    def _end_or_leave(self, rest: Rest) -> State:
        """End at a rest, or go on from it where a small free motion lowers the bodies."""
        lower = lower_nearby(self.problem, rest.state)
        return self._finish(rest) if lower is None else self._accept(lower)

    def _take(self, step: PlacementStep) -> State:
        solve_again = partial(solve_step, self.problem, self.state)
        reach, trust = self.problem.reach(self.state.eps), self.state.eps
        taken = advanced(self.state, step, solve_again, reach, trust, is_refused=self._is_higher)
        if isinstance(taken, Blocked):
            return self._obstruct(taken, self.state.coordinates.lengths(self.state.system, step.x))
        return self._accept(taken, step.x)

    def _obstruct(self, blocked: Blocked, lengths: Floats) -> State:
        """Stay, and let those bodies of a heap that are blocked go slower; where that is no help, halve eps.

        lengths: of the step (m,) that failed, over R.
        """
        blocks = self.state.coordinates.blocks_of_bodies(self.state.system, blocked.bodies)
        if 0 < len(blocks) < len(lengths) and lengths[blocks].max() > _LEAST_PACE:
            self._failure = Refusal.OBSTRUCTED
            self.states[-1] = self.state.slowed(blocks, lengths)
            return self.state
        return self._fail(Refusal.OBSTRUCTED, float(lengths.max()))

    def _fallen(self, step: PlacementStep) -> State | None:
        """Let all bodies that nothing supports fall freely to just above what comes first, the lowest first;
        None if none falls farther than a step.
        """
        unsupported, shift = free_fall(self.problem, self.state, step)
        if not np.isfinite(shift).all():
            self.status = Status.NO_SUPPORT
            return self.state
        if not shift.any():
            return self._take(step) if len(unsupported) == 1 and unsupported.all() else None
        return self._accept(fallen_freely(self.problem, self.state, shift))

    def _accept(self, taken: Adjusted, step: Floats | None = None) -> State:
        """Go on to a new state unless it is higher than one before; step: the x (d,) that led there."""
        if self._is_higher(taken):
            length = np.inf if step is None else self.state.coordinates.length(self.state.system, step)
            return self._fail(Refusal.HIGHER, length)
        energy = self.problem.external.energy(taken.system)
        self._append(self.state.followed_by(taken, energy, self.settings, step))
        if self.problem.has_lowest and self._no_lower():
            return self._at_lowest()
        return self.state

    def _is_higher(self, taken: Adjusted) -> bool:
        """Return whether it is higher than a state before."""
        lowest = min(state.energy for state in self.states[self._since :])
        return self.problem.rises(lowest, taken.system)

    def _at_lowest(self) -> State:
        """End where no state has been lower for a while; go on where a small free motion lowers the bodies.

        What nearly balances and cannot fall is as low as it gets.  What is far from balance has only not been
        let fall: the step failed.
        """
        falling = motions_that_end(self.problem, self.state)
        if falling is not None:
            return self._end_or_leave(Rest(self.states.pop(), falling))
        lower = lower_nearby(self.problem, self.state, _LEVEL)
        if lower is not None:
            return self._accept(lower)
        if imbalance(self.problem, self.state) > LEAST_FALL:
            return self._fail(Refusal.UNBALANCED)
        self.status = Status.AT_ENERGY_MINIMUM
        return self.state

    def _no_lower(self) -> bool:
        recent = [state.energy for state in self.states[self._since :][-_LEVEL_STATES:]]
        noise = self.problem.noise(self.state.system)
        return len(recent) == _LEVEL_STATES and recent[0] - recent[-1] < noise

    def _fail(self, why: Refusal, length: float = np.inf) -> State:
        """Halve eps and stay (loop failure).

        length: of the step that failed, over R.  An eps above it would let the same step fail again, so it is
        halved until it is less.
        """
        self._failure = why
        eps = 0.5 * self.state.eps
        while eps > max(length, _SMALLEST_STEP):
            eps *= 0.5
        self.states[-1] = replace(self.state, eps=eps, ease=None, motion=None)
        if self.state.eps < _SMALLEST_STEP:
            self.status = Status.STUCK
        return self.state

    def _finish(self, rest: Rest) -> State:
        self._append(rest.state)
        self._falling = rest.falling
        if len(rest.falling) and self.settings.leave_metastable:
            return self._nudged(rest)
        self.status = Status.BALANCED
        return self.state

    def _nudged(self, rest: Rest) -> State:
        """Leave a metastable rest by a small motion, drawn among those that end it."""
        draw = np.random.default_rng([self.settings.seed, self.steps])
        mix = draw.normal(size=len(rest.falling))
        motion = _NUDGE * (mix / np.sqrt(mix @ mix)) @ rest.falling
        coordinates, system = rest.state.coordinates, rest.state.system
        trial = coordinates.displaced(system, coordinates.of_motion(system, motion))
        reach = self.problem.reach(self.settings.eps_max)
        taken = adjusted(rest.state, trial, rest.state.local_points, reach, 2.0 * _NUDGE)
        return self._accept(taken) if isinstance(taken, Adjusted) else self._fail(Refusal.OBSTRUCTED)

    def _append(self, state: State) -> None:
        """Keep a state; the contacts of bilateral pairs that it is the first to have become bilateral."""
        awake = replace(state, system=replace(state.system, moving=state.coordinates.moving))
        self.states.append(self._with_bilateral_pairs(awake))

    def _with_bilateral_pairs(self, state: State) -> State:
        pairs = self.setup.bilateral_pairs
        if not pairs:
            return state
        touching = self.problem.contacts(state.system, state.local_points)
        if self.states:
            before = self.problem.contacts(self.state.system, self.state.local_points)
            known = BilateralContacts.of(before).rows(touching)
            touching = touching.take(np.setdiff1d(np.arange(len(touching)), known))
        return replace(state, bilateral=self.setup.with_pairs(state.bilateral, touching, pairs))

    def branch(
        self,
        at: int = -1,
        settings: Settings | None = None,
        forces: Sequence[Force] | None = None,
        bilateral: BilateralContacts | None = None,
        world: Sequence[Body] | None = None,
        bilateral_pairs: Collection[NumberedPair] | None = None,
    ) -> Placement:
        """Go on from the state `at`, perhaps with other settings, forces, or another world; this placement
        stays as it is.

        Bilateral contacts know their bodies by number: a world to which some are added has these at its end.
        The way from there is the one that a placement begun at that state's poses takes.  Bilateral contacts
        stay so, and those of pairs that are new here become so, unless others are given.

        Raises PlacementError for a world with a body that has no coefficient where `surface_friction` is set.
        """
        origin = self.states[at]
        pairs = self.setup.bilateral_pairs if bilateral_pairs is None else frozenset(bilateral_pairs)
        placement = Placement.from_setup(
            replace(
                self.setup,
                poses=origin.poses,
                settings=self.settings if settings is None else settings,
                forces=self.forces if forces is None else tuple(forces),
                world=self.setup.world if world is None else tuple(world),
                bilateral_pairs=pairs,
            )
        )
        kept, begun = bilateral, placement.state
        if kept is None:
            touching = placement.problem.contacts(begun.system, begun.local_points)
            fresh = pairs - self.setup.bilateral_pairs
            kept = placement.setup.with_pairs(origin.bilateral, touching, fresh)
        before = self.states[: range(len(self.states))[at]]
        placement.states = [*before, replace(begun, bilateral=kept)]
        placement._since = len(placement.states) - 1
        return placement

    def go_on_from(self, state: State) -> None:
        """Append a state that did not come from a step, such as one that a body was moved to by hand, and run
        on from it.
        """
        self._append(state)
        self._run_on_from(len(self.states) - 1)

    def _run_on_from(self, number: int) -> None:
        self._since, self.steps, self.status = number, 0, Status.RUNNING
        self._falling = self._falling[:0]

    @property
    def is_stable(self) -> bool:
        """Whether it is at rest, and no motion is known that would end that."""
        return self.status.at_rest and len(self._falling) == 0

    def certificate(self) -> Certificate:
        """Report on the last state: of the body, or the first of several."""
        return self.certificates()[0]

    def certificates(self) -> list[Certificate]:
        """Report on the last state, for each body."""
        found = certificates(self.setup, self.problem, self.state, self.status, self.steps, self.is_stable)
        reasons = reasons_stuck(self._failure, self._refused) if self.status is Status.STUCK else ()
        return [replace(report, notes=report.notes + reasons) for report in found]
