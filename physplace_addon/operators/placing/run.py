# SPDX-License-Identifier: GPL-3.0-or-later
"""A placement under way: the objects that move, and their solver. Begun, run or stepped, then written.

Everything is held by name or as numbers, never as a Blender object, so a session outlives what undo replaces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bpy.types import Context, Scene

from ...core.placement import Force, Placement, Settings, State, Status
from ...core.rigid import Pose
from ...scene.access import scene_of, window_manager_of
from ...scene.reading.scenario import Scenario, Subject, read, selected_movers
from ...scene.reading.settings import gravity_direction, placement_settings, settings_of
from ...scene.writing.keys import KeyOptions
from ...scene.writing.outcome import Outcome, write_reports_only, write_rests
from ..common import progress

LEFT_IN_PLACE = frozenset({Status.NO_SUPPORT, Status.INTERFERING_START})


@dataclass(eq=False)
class Session:
    """Objects, one for each body that the solver moves; `earlier` steps were taken by solvers before it."""

    subjects: tuple[Subject, ...]
    solver: Placement
    earlier: int = 0

    def run(self, context: Context) -> None:
        """Step to the end, and show how far it is."""
        with progress(window_manager_of(context), self.solver.settings.step_limit) as shown:

            def on_step(_: State) -> bool:
                shown.progress_update(self.solver.steps)
                return True

            self.solver.run(on_step)

    def outcomes(self) -> list[Outcome]:
        """How it ended, or stands, for each object."""
        ways = zip(*(state.poses for state in self.solver.states), strict=True)
        return [
            Outcome(subject, way, replace(certificate, steps=certificate.steps + self.earlier))
            for subject, way, certificate in zip(self.subjects, ways, self.solver.certificates(), strict=True)
        ]

    def write(self, context: Context) -> list[Outcome]:
        """Move the objects to where they stand now, or leave them where it cannot be; keep the reports."""
        outcomes = self.outcomes()
        if self.solver.status in LEFT_IN_PLACE:
            write_reports_only(outcomes)
        else:
            write_rests(context, outcomes, keys_of(scene_of(context)))
        return outcomes


def scenario_of(context: Context, *, together: bool = False) -> Scenario:
    """The active object, or all that are selected with it, and the world they are in."""
    return read(context, selected_movers(context) if together else None)


def settings_for(context: Context, scenario: Scenario, *, weight: bool = True) -> Settings:
    """The scene's settings for what it moves; `weight` tells whether gravity acts.

    Raises PlacementError for gravity without a direction.
    """
    scene = scene_of(context)
    return placement_settings(scene, gravity_direction(scene) if weight else None, scenario.rounding)


def session_of(
    scenario: Scenario, settings: Settings, forces: Sequence[Force] = (), poses: Sequence[Pose] | None = None
) -> Session:
    """Begin to place what a scenario moves, from where it stands unless other poses are given."""
    subjects = scenario.subjects
    bodies = [subject.body for subject in subjects]
    starts = [subject.pose for subject in subjects] if poses is None else poses
    return Session(subjects, Placement.of_several(bodies, starts, scenario.world, settings, forces))


def keys_of(scene: Scene) -> KeyOptions | None:
    """Where the path shall be keyed, if the settings ask for it."""
    chosen = settings_of(scene)
    if not chosen.key_path:
        return None
    return KeyOptions(scene.frame_current, chosen.frame_step, error=chosen.key_error)
