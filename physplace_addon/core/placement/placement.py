"""Placement: the loop of Figure 2 (Snyder 1995), state by state to a certified rest.

A step (`stepping`) from a state free of overlap either gives the next one, or it fails - it overlaps or gains
energy: then eps is halved and the state stays.  Where nothing is near and gravity alone acts, a body falls to
just above what is first below it, in one step.  Once the pressing contacts hold, the rest itself is solved
for and examined (`resting`).  Every state is kept: `branch` goes on from any of them, with other forces or
from another pose, and leaves this placement as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ..arrays import Floats, Ints
from ..bodies import Body
from ..contact.bilateral import Sticky
from ..contact.points.interface_points import InterfacePoints
from ..contact.system import Assembly
from ..errors import PlacementError
from ..mechanics.external_wrench import Load
from ..mechanics.forces import Force
from ..optimization.step_qp import Step
from ..rigid import Pose
from .certificate import Certificate, Status, certify
from .checking import check, interfering
from .diagnostics import remarks
from .equilibrium import Rest, motions_that_end, rest_by_friction, rest_near
from .manipulation.dragging import dragged, free_way
from .manipulation.hand import Hand
from .manipulation.repositioning import moved_by_hand
from .problem import Problem
from .settings import Settings
from .start import clear_start, near_the_origin
from .state import State
from .stepping import Moved, moved, programme, settled

_SMALLEST_STEP = 1e-9
_LEVEL_STATES = 8  # states without a gain in energy after which there is none to be had
_NUDGE = 1e-2  # motion that ends a metastable rest


class Placement:
    """Places an active body among fixed ones, or several that move at once (`of_several`).

    Poses take a body's frame to the world; the bodies of `world` already stand in it.  `step` never raises
    for a hard case: `status` says how it ended.  `states` holds every state so far.
    """

    def __init__(
        self,
        active: Body,
        pose: Pose,
        world: Sequence[Body],
        settings: Settings | None = None,
        forces: Sequence[Force] = (),
    ) -> None:
        self._begin([active], [pose], world, settings or Settings(), forces)

    @classmethod
    def of_several(
        cls,
        actives: Sequence[Body],
        poses: Sequence[Pose],
        world: Sequence[Body],
        settings: Settings | None = None,
        forces: Sequence[Force] = (),
    ) -> Placement:
        """Place bodies that all move, and push each other, at once.

        Raises PlacementError for no bodies, or not a pose for each.
        """
        if not actives or len(actives) != len(poses):
            raise PlacementError(f"expected a pose for each body, found {len(actives)} and {len(poses)}")
        placement = cls.__new__(cls)
        placement._begin(actives, poses, world, settings or Settings(), forces)
        return placement

    def _begin(
        self,
        actives: Sequence[Body],
        poses: Sequence[Pose],
        world: Sequence[Body],
        settings: Settings,
        forces: Sequence[Force],
    ) -> None:
        self.settings, self.forces = settings, tuple(forces)
        self.status, self.steps = Status.RUNNING, 0
        self._actives, self._start, self._world = tuple(actives), poses[0], tuple(world)
        self._falling = np.zeros((0, 6 * len(actives)))
        origin, near, parts = near_the_origin(actives, poses, world)
        assembly = Assembly.of(actives, near, parts)
        self._problem = Problem(settings, Load.of(settings.gravity, forces, assembly, origin))
        points = InterfacePoints.none()
        if self._falls_for_ever(assembly):
            self.status = Status.NO_SUPPORT
        else:
            assembly, points = self._cleared(assembly)
        energy = self._problem.load.energy(assembly)
        self.states = [State(assembly, points, Sticky.none(), origin, energy, settings.eps_max)]
        self._since = 0  # the state that the last way begins with

    def _falls_for_ever(self, assembly: Assembly) -> bool:
        return assembly.fixed is None and self._problem.load.falls_freely

    def _cleared(self, assembly: Assembly) -> Moved:
        """Find the first points; lift what overlaps by rounding, or end at once."""
        tolerance = max(self.settings.start_tolerance, 1e-9 * assembly.radius)
        cleared = clear_start(assembly, self._problem.reach(self.settings.eps_max), tolerance)
        if cleared is None:
            self.status = Status.INTERFERING_START
            return assembly, InterfacePoints.none()
        return cleared

    @property
    def state(self) -> State:
        """The last state."""
        return self.states[-1]

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
        step = programme(self._problem, self.state)
        if step is None:
            return self._fail()
        held = rest_by_friction(self._problem, self.state, step)
        if held is not None and motions_that_end(self._problem, held) is None:
            self.states.append(held)
            self.status = Status.BALANCED_BY_FRICTION
            return held
        if self._problem.load.falls_freely:
            fallen = self._fallen(step)
            if fallen is not None:
                return fallen
        rest = rest_near(self._problem, self.state, step)
        return self._finish(rest) if rest is not None else self._take(step)

    def _take(self, step: Step) -> State:
        def again(extra: InterfacePoints) -> Step | None:
            return programme(self._problem, self.state, extra)

        taken = moved(self.state, step, again, self._problem.reach(self.state.eps))
        return self._fail() if taken is None else self._accept(taken)

    def _fallen(self, step: Step) -> State | None:
        """Let bodies that nothing holds fall freely to just above what comes first; None if none falls
        farther than a step.
        """
        assembly = self.state.assembly
        held = np.zeros(len(assembly) + 1, bool)  # the last is the fixed world's, and FIXED its number
        pressing = self.state.local_points.take(step.forces > 0.0)
        held[pressing.body1] = held[pressing.body2] = True
        shift = np.zeros((len(assembly), 6))
        for body in np.nonzero(~held[:-1])[0].tolist():
            way = self._free_way(body)
            if not np.isfinite(way):
                self.status = Status.NO_SUPPORT
                return self.state
            if way > self.state.eps * assembly.radii[body]:
                shift[body, :3] = way / assembly.radii[body] * self._direction
                break
        if not shift.any():
            return None if held[:-1].any() or len(assembly) > 1 else self._take(step)
        fallen = assembly.displaced(shift.ravel())
        reach = self._problem.reach(self.state.eps)
        if len(assembly) == 1:
            return self._accept((fallen, fallen.find(reach, InterfacePoints.none(), fallen)))
        taken = settled(self.state, fallen, self.state.local_points, reach, self.state.eps)
        return self._accept(taken) if isinstance(taken, tuple) else self._fail()

    @property
    def _direction(self) -> Floats:
        gravity = self._problem.load.gravity
        assert gravity is not None
        return gravity.direction

    def _free_way(self, body: int) -> float:
        """How far a body may fall, everything else standing still."""
        near = 0.2 * self.settings.eps_max * float(self.state.assembly.radii[body])
        return free_way(self.state.assembly, body, self._direction, near)

    def _accept(self, taken: Moved) -> State:
        assembly, points = taken
        lowest = min(state.energy for state in self.states[self._since :])
        if self._problem.rises(lowest, assembly):
            return self._fail()
        eps = min(self.settings.recovery * self.state.eps, self.settings.eps_max)
        energy = self._problem.load.energy(assembly)
        sticky = self.state.sticky.followed(points)
        self.states.append(State(assembly, points, sticky, self.state.origin, energy, eps))
        if self._problem.has_lowest and self._no_lower():
            falling = motions_that_end(self._problem, self.state)
            if falling is not None:
                return self._finish(Rest(self.states.pop(), falling))
            self.status = Status.AT_ENERGY_MINIMUM
        return self.state

    def _no_lower(self) -> bool:
        recent = [state.energy for state in self.states[self._since :][-_LEVEL_STATES:]]
        noise = self._problem.noise(self.state.assembly)
        return len(recent) == _LEVEL_STATES and recent[0] - recent[-1] < noise

    def _fail(self) -> State:
        """Halve eps and stay (loop failure)."""
        self.states[-1] = replace(self.state, eps=0.5 * self.state.eps)
        if self.state.eps < _SMALLEST_STEP:
            self.status = Status.STUCK
        return self.state

    def _finish(self, rest: Rest) -> State:
        self.states.append(rest.state)
        self._falling = rest.falling
        if len(rest.falling) and self.settings.leave_metastable:
            return self._nudged(rest)
        self.status = Status.BALANCED
        return rest.state

    def _nudged(self, rest: Rest) -> State:
        """Leave a metastable rest by a small motion, drawn among those that end it."""
        draw = np.random.default_rng([self.settings.seed, self.steps])
        mix = draw.normal(size=len(rest.falling))
        trial = rest.state.assembly.displaced(_NUDGE * (mix / np.sqrt(mix @ mix)) @ rest.falling)
        reach = self._problem.reach(self.settings.eps_max)
        taken = settled(rest.state, trial, rest.state.local_points, reach, 2.0 * _NUDGE)
        return self._accept(taken) if isinstance(taken, tuple) else self._fail()

    def stick(self, rows: Ints) -> None:
        """Let contacts, rows of `state.points`, slide but not separate from here on (4.2).

        Raises PlacementError for a row that does not touch.
        """
        chosen = self.state.local_points.take(np.asarray(rows, dtype=np.intp))
        if (chosen.gap > 1e-6 * self.state.assembly.radius).any():
            raise PlacementError("sticky contacts: expected points that touch, found a gap")
        self.states[-1] = replace(self.state, sticky=Sticky.of(chosen))

    def branch(
        self, at: int = -1, settings: Settings | None = None, forces: Sequence[Force] | None = None
    ) -> Placement:
        """Go on from the state `at`, perhaps with other settings or forces; this placement stays as it is.

        The way from there is the one that a placement begun at that state's poses takes.  Contacts that
        stick still do.
        """
        origin = self.states[at]
        placement = Placement.of_several(
            self._actives,
            origin.poses,
            self._world,
            self.settings if settings is None else settings,
            self.forces if forces is None else forces,
        )
        first = replace(placement.state, sticky=origin.sticky)
        placement._since = range(len(self.states))[at]
        placement.states = [*self.states[: placement._since], first]
        return placement

    def reposition(self, pose: Pose, cut: bool = False, body: int = 0) -> bool:
        """Move a body by hand from the last state to a pose, in the world, and let it run on from there.

        Return False, and leave all as it is, if something is in the way; with `cut` the body stops there.
        """
        local = Pose(pose.rotation, pose.translation - self.state.origin)
        return self._go_on_from(moved_by_hand(self._problem, self.state, body, local, cut))

    def drag(
        self, target: Pose, body: int = 0, pivot: Floats | None = None, axes: Floats | None = None
    ) -> bool:
        """Move a body by hand one step towards a target, in the world, sliding along what it touches, and let
        it run on from there.  Return False, and leave all as it is, if it comes no nearer.

        It is shifted to the target's translation and keeps its orientation; with a pivot (3,), it is turned
        about that to the target's orientation, the shorter way.  axes (k, 3): the only directions in which,
        or about which, it may move.
        """
        if self.status is Status.INTERFERING_START:
            return False
        origin = self.state.origin
        local = Pose(target.rotation, target.translation - origin)
        about = None if pivot is None else np.asarray(pivot, dtype=np.float64) - origin
        return self._go_on_from(dragged(self._problem, self.state, Hand.of(body, local, about, axes)))

    def _go_on_from(self, state: State | None) -> bool:
        if state is None:
            return False
        self._since, self.steps, self.status = len(self.states), 0, Status.RUNNING
        self._falling = self._falling[:0]
        self.states.append(state)
        return True

    def replicate(self) -> Placement:
        """Begin to place a copy from the same start pose; the body placed here joins the world.

        Raises PlacementError if this one is not at rest, or several move at once.
        """
        if len(self._actives) != 1 or not self.status.at_rest:
            raise PlacementError(f"only one body that is at rest can be copied: {self.status.message}")
        placed = self._actives[0].transformed(self.state.pose.matrix4)
        world = [*self._world, placed]
        return Placement(self._actives[0], self._start, world, self.settings, self.forces)

    def certificate(self) -> Certificate:
        """Report on the last state: of the body, or the first of several."""
        return self.certificates()[0]

    def certificates(self) -> list[Certificate]:
        """Report on the last state, for each body."""
        if self.status is Status.INTERFERING_START and len(self._actives) == 1:
            report = check(self._actives[0], self.state.pose, self._world, self.settings, self.forces)
            return [replace(report, status=self.status, steps=self.steps, stable=False)]
        stable = self.status.at_rest and len(self._falling) == 0
        reports = [
            replace(
                certify(self._problem, self.state, body, self.status, self.steps),
                stable=stable,
                notes=remarks(self._actives[body], self._world),
            )
            for body in range(len(self._actives))
        ]
        if self.status is not Status.INTERFERING_START:
            return reports
        tolerance, standing = (
            self.settings.start_tolerance,
            list(zip(self._actives, self.state.poses, strict=True)),
        )
        still = [body.transformed(pose.matrix4) for body, pose in standing]
        return [
            interfering(report, *standing[i], [*self._world, *still[:i], *still[i + 1 :]], tolerance)
            for i, report in enumerate(reports)
        ]
