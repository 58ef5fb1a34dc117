# SPDX-License-Identifier: GPL-3.0-or-later
"""One run of the placement solver for objects of the scene: begun, run to its end or stepped, then written.

Objects are kept by name or as numbers, never as Blender objects, so that a run outlives what undo replaces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import is_not

import bpy
import numpy as np
from bpy.types import Context, Object, Scene

from ...core.contact.system import BilateralContacts
from ...core.jobs import Job, Progress
from ...core.placement import Force, Placement, Settings, Status
from ...core.placement.depenetration.extrication import extricating
from ...core.rigid import Pose
from ...core.wording import in_words
from ...scene.access import scene_of
from ...scene.reading.bilateral import bilateral_pairs
from ...scene.reading.nearness import Travel
from ...scene.reading.scenario import Scenario, completed, reading
from ...scene.reading.settings import gravity_direction, placement_settings, settings_of
from ...scene.reading.subjects.options import PlacementOptions, Stance
from ...scene.reading.subjects.stance import stood
from ...scene.reading.subjects.subject import Subject
from ...scene.units import length_text
from ...scene.writing.keys import KeyOptions
from ...scene.writing.outcome import Outcome, write_reports_only, write_rests
from ...scene.writing.preview import Preview
from ..common import FREED

LEFT_IN_PLACE = frozenset({Status.NO_SUPPORT, Status.INTERFERING_START})


@dataclass(eq=False)
class PlacementRun:
    """Objects, one for each body that the solver moves, and the solver.

    scenario: the objects, and what was read around them. earlier_steps: the number of steps that solvers took
    from which this one was branched. freed_by: the longest motion, in scene units, that freed an object of
    overlaps at the start.
    """

    scenario: Scenario
    solver: Placement
    earlier_steps: int = 0
    freed_by: float = 0.0

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """The objects."""
        return self.scenario.subjects

    def running(self, context: Context, most: int | None = None) -> Job[None]:
        """Step to the end, or at most so many steps, in slices, and read what comes near on the way."""
        name = in_words([subject.name for subject in self.subjects])
        while self.solver.status is Status.RUNNING and (most is None or self.solver.steps < most):
            if self.is_near_unread:
                yield from self.reading(context)
            self.solver.step()
            done = self.solver.steps / self.solver.settings.step_limit
            yield Progress(f"Placing {name}: step {self.solver.steps}", done)

    @property
    def is_near_unread(self) -> bool:
        """Whether the next step may meet something that is not read."""
        return self.scenario.misses(self.solver.state.poses)

    def reading(self, context: Context, travels: Sequence[Travel] = ()) -> Job[None]:
        """Read, in slices, what the objects may come near, and go on with it.

        travels: where they may go besides falling.
        """
        scenario = yield from completed(context, self.scenario, self.solver.state.poses, travels)
        self.go_on_in(scenario)

    def go_on_in(self, scenario: Scenario) -> None:
        """Go on among what was read anew. What sticks does so no more if something has gone."""
        if scenario is self.scenario:
            return
        before, world = self.solver.setup.world, scenario.world
        gone = len(world) < len(before) or any(map(is_not, before, world))
        if gone or len(world) > len(before):
            pairs = bilateral_pairs(scenario)
            bilateral = BilateralContacts.none() if gone else None
            steps = self.solver.steps
            self.solver = self.solver.branch(-1, None, None, bilateral, world, pairs)
            self.earlier_steps += steps
        self.scenario = scenario

    def outcomes(self) -> list[Outcome]:
        """Return the path and the certificate of each object, as far as it has come."""
        paths = zip(*(state.poses for state in self.solver.states), strict=True)
        certificates = self.solver.certificates()
        freed = (f"{FREED} {self.freed_by_text()}",) if self.freed_by > 0.0 else ()
        return [
            Outcome(
                subject,
                path,
                replace(
                    certificate,
                    steps=certificate.steps + self.earlier_steps,
                    notes=(*freed, *certificate.notes),
                ),
            )
            for subject, path, certificate in zip(self.subjects, paths, certificates, strict=True)
        ]

    def freed_by_text(self) -> str:
        """Return the length of the motion that freed an object of overlaps at the start, in words."""
        return length_text(self.freed_by, scene_of(bpy.context))

    def write(self, context: Context) -> list[Outcome]:
        """Move the objects to where they stand now, or leave them where that cannot be; write the reports."""
        outcomes = self.outcomes()
        if self.solver.status in LEFT_IN_PLACE:
            write_reports_only(outcomes)
        else:
            write_rests(context, outcomes, key_options(scene_of(context)))
        return outcomes

    def branched(
        self,
        at: int,
        settings: Settings | None = None,
        forces: Sequence[Force] | None = None,
        bilateral: BilateralContacts | None = None,
    ) -> PlacementRun:
        """Return a run that goes on from the state `at`; what is None stays as it is there."""
        solver = self.solver.branch(at, settings, forces, bilateral)
        return PlacementRun(self.scenario, solver, self.earlier_steps + self.solver.steps, self.freed_by)


def reading_to_move(
    context: Context,
    movers: Sequence[Object] | None = None,
    also: frozenset[str] = frozenset(),
    options: PlacementOptions | None = None,
) -> Job[Scenario]:
    """Read what is to be moved and what is around it, in slices; as `reading`.

    Raises SceneError, before anything is solved, for an object whose transform something else owns, or that
    does not move as one rigid body.
    """
    scenario = yield from reading(context, movers, also, options)
    Preview(scenario.subjects).check_writable(context)
    return scenario


def settings_for(context: Context, scenario: Scenario, *, weight: bool = True) -> Settings:
    """Return the settings for what a scenario moves; weight: whether gravity acts.

    Raises PlacementError for gravity without a direction.
    """
    scene, options = scene_of(context), scenario.options
    down = gravity_direction(scene, options.direction) if weight else None
    return placement_settings(scene, down, scenario.rounding, options)


def begin_run(
    scenario: Scenario, settings: Settings, forces: Sequence[Force] = (), poses: Sequence[Pose] | None = None
) -> PlacementRun:
    """Begin to place what a scenario moves, from where it stands unless other poses are given.

    Raises SceneError for a property `physplace_bilateral` that names no object.
    """
    subjects = scenario.subjects
    bodies = [subject.body for subject in subjects]
    starts = [subject.pose for subject in subjects] if poses is None else poses
    pairs = bilateral_pairs(scenario)
    solver = Placement.of_several(bodies, starts, scenario.world, settings, forces, bilateral_pairs=pairs)
    return PlacementRun(scenario, solver)


def beginning(
    context: Context,
    scenario: Scenario,
    settings: Settings,
    forces: Sequence[Force] = (),
    poses: Sequence[Pose] | None = None,
) -> Job[PlacementRun]:
    """Begin to place as `begin_run`, in slices, after reading what is near where it begins.

    Without poses, objects stand as the options say. What overlaps there a little is freed by the least
    motion.
    """
    starts = poses
    if starts is None:
        starts = poses_to_fall_from(context, scenario)
        scenario = _with_starts(scenario, starts)
    scenario = yield from completed(context, scenario, starts)
    run = begin_run(scenario, settings, forces, starts)
    depth = settings_of(scene_of(context)).free_depth
    if run.solver.status is not Status.INTERFERING_START or depth == 0.0:
        return run
    yield Progress("Freeing what overlaps a little")
    bodies = [subject.body for subject in scenario.subjects]
    found = yield from extricating(bodies, starts, scenario.world, settings, depth=depth)
    if found is None:
        return run
    motions = np.linalg.norm(found.motion.reshape(-1, 6)[:, :3], axis=1)
    run = begin_run(_with_starts(scenario, found.poses), settings, forces, found.poses)
    run.freed_by = float((motions * [body.radius for body in bodies]).max())
    return run


def poses_to_fall_from(context: Context, scenario: Scenario) -> list[Pose]:
    """Return the poses of what a scenario moves, turned as its options say."""
    stance, direction = scenario.options.stance, scenario.options.direction
    if stance is Stance.AS_IT_IS:
        return [subject.pose for subject in scenario.subjects]
    down = np.array(gravity_direction(scene_of(context), direction))
    return stood(scenario.subjects, scenario.world, down, stance)


def _with_starts(scenario: Scenario, poses: Sequence[Pose]) -> Scenario:
    """Return a scenario whose objects keep in mind where they begin, if it is elsewhere than they stand."""
    subjects = (
        subject if pose is subject.pose else replace(subject, start=pose)
        for subject, pose in zip(scenario.subjects, poses, strict=True)
    )
    return replace(scenario, subjects=tuple(subjects))


def key_options(scene: Scene) -> KeyOptions | None:
    """Return on which frames the path is keyed; None if the settings do not ask for keys."""
    chosen = settings_of(scene)
    if not chosen.key_path:
        return None
    return KeyOptions(scene.frame_current, chosen.frame_step, error=chosen.key_error)
