# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure that sits down: placement moves it state by state, and each is shown in the scene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from bpy.types import Context, Object

from ...core.jobs import Job, Progress, finished
from ...core.placement import Certificate, Placement, State, Status, joint_reactions
from ...core.placement.certificate import joined_certificate
from ...core.wording import counted
from ...overlay.marks import Marks, marks_of_state
from ...scene.access import scene_of
from ...scene.linkages.linkages import FoundLinkage
from ...scene.linkages.placement import PlacedFigure, preparing
from ...scene.linkages.posing import LinkagePose
from ...scene.linkages.reading import LinkageScenario, reading_around, reading_linkage
from ...scene.reading.nearness import Travel
from ...scene.reading.settings import gravity_direction, placement_settings
from ...scene.writing.report import write_joint_report, write_report
from ..common import Conclusion
from ..session import History, InteractiveSession, Pacing, one_line

LEFT_IN_PLACE: Final = frozenset({Status.NO_SUPPORT, Status.INTERFERING_START})
_SLOW: Final = 0.5  # seconds of a step from which on the header shows how long a step takes


class SittingFigure:
    """A figure, what is around it, and the solver that brings it to rest.

    scenario: the figure, and what was read around it.
    """

    def __init__(self, scenario: LinkageScenario, figure: PlacedFigure, fall: Travel) -> None:
        self.scenario, self._figure, self._fall = scenario, figure, fall
        self.solver = Placement.from_setup(figure.setup)
        self._earlier_steps = 0

    @property
    def found(self) -> FoundLinkage:
        """The figure as it was read."""
        return self.scenario.found

    @property
    def is_near_unread(self) -> bool:
        """Whether the next step may meet something that is not read."""
        return self.scenario.misses(self.solver.state.poses, [self._fall])

    def reading(self, context: Context) -> Job[None]:
        """Read, in slices, what the figure may come near now, and go on among it."""
        always = frozenset(self.scenario.world.owners)
        poses = self.solver.state.poses
        self.scenario = yield from reading_around(context, self.found, poses, [self._fall], always)
        self._earlier_steps += self.solver.steps
        self.solver = self.solver.branch(-1, world=self.scenario.world.bodies)

    def running(self, context: Context) -> Job[None]:
        """Step to the end, in slices, and read what comes near on the way."""
        while self.solver.status.is_running:
            if self.is_near_unread:
                yield from self.reading(context)
            self.solver.step()
            done = self.solver.steps / self.solver.settings.step_limit
            yield Progress(f"Sitting down: step {self.solver.steps}", done)

    def branch(self, at: int) -> None:
        """Go on from an earlier state."""
        self._earlier_steps += self.solver.steps
        self.solver = self.solver.branch(at)

    def certificates(self) -> list[Certificate]:
        """Return the certificate of each part."""
        return [
            replace(each, steps=each.steps + self._earlier_steps, notes=(*self._figure.notes, *each.notes))
            for each in self.solver.certificates()
        ]

    def write(self, context: Context, preview: LinkagePose, state: State) -> Conclusion:
        """Leave the figure in a state, or where it was if that cannot be, and write the reports.

        Raises SceneError, with everything put back, if something else owns a transform.
        """
        if self.solver.status in LEFT_IN_PLACE:
            preview.restore(context)
        else:
            preview.write(context, state.poses)
        certificates = self.certificates()
        whole = joined_certificate(certificates, [part.body.name for part in self.found.parts])
        reactions = joint_reactions(self.solver.problem, state, self.solver.status)
        for obj in self.found.objects:
            write_report(obj, _certificate_of(self.found, obj, certificates) or whole)
            write_joint_report(obj, reactions)
        name = self.found.objects[0].name
        figures = f"{counted(whole.steps, 'step')}, {counted(len(whole.contacts), 'contact')}"
        unstable = "" if whole.stable or not whole.status.at_rest else "; the least nudge would end this rest"
        text = f'"{name}": {whole.message} ({figures}){unstable}'
        return Conclusion(whole.status.at_rest, "; ".join([text, *self._figure.notes]))


def _certificate_of(
    found: FoundLinkage, obj: Object, certificates: Sequence[Certificate]
) -> Certificate | None:
    """Return the certificate of the part that an object is; None for an armature or a joint's object."""
    for part, certificate in zip(found.parts, certificates, strict=True):
        if part.bone is None and part.objects and part.objects[0].reference.found() == obj:
            return certificate
    return None


def sitting_figure(context: Context, active: Object, stiffness: float, friction: float) -> Job[SittingFigure]:
    """Return, in slices, the figure of an object, ready to sit down. Raises PhysPlaceError.

    stiffness: 0 to 1, of joints that have none of their own. friction: of all contacts.
    """
    scene = scene_of(context)
    down = gravity_direction(scene)
    fall = Travel(np.array(down))
    near = yield from reading_linkage(context, active)
    LinkagePose(near.found).check_writable(context)
    scenario = yield from reading_around(context, near.found, near.found.poses, [fall])
    settings = replace(placement_settings(scene, down, scenario.rounding), friction=friction)
    figure = yield from preparing(context, scenario, near.found.poses, settings, stiffness)
    return SittingFigure(scenario, figure, fall)


class SittingSession(InteractiveSession):
    """A figure that sits down under the artist's eyes.

    paused: whether it waits. What changes around the figure meanwhile is read once it goes on, or is left.
    """

    def __init__(self, figure: SittingFigure) -> None:
        self._figure = figure
        self._preview = LinkagePose(figure.found)
        self._pacing = Pacing()
        self._history: History[State] = History(figure.solver.states)
        self.paused = self._is_outdated = False

    @property
    def state(self) -> State:
        """The state that is shown."""
        return self._history.state

    @property
    def names(self) -> frozenset[str]:
        """The full names of the objects of the figure, as they were when it was read."""
        return self._figure.found.families

    @property
    def is_running(self) -> bool:
        """Whether it steps as time passes."""
        return not self.paused and self._figure.solver.status.is_running

    @property
    def part_done(self) -> float | None:
        """The part of the steps allowed that is done, where a step takes long; None otherwise."""
        solver = self._figure.solver
        return solver.steps / solver.settings.step_limit if self._is_slow else None

    @property
    def _is_slow(self) -> bool:
        return self.is_running and self._pacing.step_seconds > _SLOW

    def tick(self, seconds: float) -> bool:
        """Step for so many seconds; return whether there is anything new to show."""
        if not self._pacing.work(self._step, seconds):
            return False
        self._history.show_latest()
        return True

    def _step(self) -> bool:
        runs = self.is_running and not self.has_to_read()
        if runs:
            self._figure.solver.step()
        return runs

    def note_difference(self) -> None:
        """Remember that what is around the figure is not as it was read."""
        self._is_outdated = True

    def has_to_read(self) -> bool:
        """Return whether what is around is to be read before the figure goes on: it is not what was read, or
        the figure may come near something that is not read.
        """
        if self.paused:
            return False
        return self._is_outdated or (self.is_running and self._figure.is_near_unread)

    def reading(self, context: Context) -> Job[None]:
        """Read, in slices, what is near now, and go on with it from the last state."""
        self._is_outdated = False
        yield from self._figure.reading(context)
        self._history = History(self._figure.solver.states)

    def toggle_pause(self) -> None:
        """Pause, or go on from the state that is shown."""
        if self.paused:
            self._drop_later_states()
        self.paused = not self.paused

    def _drop_later_states(self) -> None:
        """Make the state that is shown the last one."""
        if not self._history.is_latest:
            self._figure.branch(self._history.shown)
            self._history = History(self._figure.solver.states)

    def scrub(self, by: int) -> None:
        """Pause and show an earlier or later state, as far as there is one."""
        self.paused = True
        self._history.scrub(by)

    def show(self, context: Context) -> None:
        """Show the figure in the state."""
        self._preview.show(context, self.state.poses)

    def marks(self) -> Marks:
        """Return what is drawn of the state."""
        return marks_of_state(self._figure.solver, self.state)

    @property
    def is_undisturbed(self) -> bool:
        """Whether all objects and bones are as they are shown."""
        return self._preview.is_undisturbed

    def show_again(self, context: Context) -> None:
        """Show the state again, after it was put back."""
        self.show(context)

    def put_back(self, context: Context) -> None:
        """Put everything back to where it was."""
        self._preview.restore(context)

    def write(self, context: Context) -> Conclusion:
        """Leave the figure as it is shown, among what is around it now; later states are given up.

        Raises PhysPlaceError, with everything put back.
        """
        self._drop_later_states()
        if self._is_outdated:
            finished(self.reading(context))
        return self._figure.write(context, self._preview, self._figure.solver.state)

    def figures(self) -> str:
        """Return how far it is, in one line."""
        solver = self._figure.solver
        is_on_its_way = self.is_running or not self._history.is_latest
        status = "on its way" if is_on_its_way else solver.status.message.split(":")[0]
        name = self._figure.found.objects[0].name
        parts = [
            f'"{name}": {"paused, " if self.paused else ""}{status}',
            f"state {self._history.shown} of {len(solver.states) - 1}",
            counted(len(solver.problem.contacts(self.state.system, self.state.local_points)), "contact"),
        ]
        parts += [f"{self._pacing.step_seconds:.1f} s a step"] if self._is_slow else []
        return one_line(parts)
