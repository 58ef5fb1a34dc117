# SPDX-License-Identifier: GPL-3.0-or-later
"""A point of a part goes to a place without the mouse: read the figure, solve, leave it in its pose.

Three ways to get there: as a drag does, tick by tick along a straight line; pulled along a path, a state for
each frame; and solved for the goal, of which the end alone counts. Pins hold meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Final

import numpy as np
from bpy.types import Context

from ...core.arrays import Floats
from ...core.articulation import Goal, LinkageDrag, LinkagePull, LinkageScene, LinkageSolve
from ...core.jobs import Job, Progress
from ...core.rigid import Pose
from ...scene.access import active_object, present, scene_of
from ...scene.linkages.known_poses import rest_around
from ...scene.linkages.pins import read_pins
from ...scene.linkages.posing import LinkagePose
from ...scene.linkages.preparation import PreparedLinkage
from ...scene.linkages.reading import reading_around, reading_linkage
from ...scene.reading.nearness import Travel
from ..common import Conclusion
from .session import UNSEEN, conclusion
from .targets import PointOfPart, along, part_of_name, point_of_part

TICK: Final = 0.02  # over the figure's size, that the goal of a drag without a mouse moves in a tick
_MOST_TICKS: Final = 2000  # of a drag or a solution that goes on and on


@dataclass(frozen=True, eq=False)
class GoalOfPart:
    """What is asked for.

    part: the name of the part; "" for the active one. point (3,): in the world, where it is taken; None for
    its tip. path: the points (n, 3) to go to one after another, in the world. frames: of a pull. keyed:
    whether these are keyed.
    """

    part: str
    point: Floats | None
    path: Floats
    frames: int = 1
    keyed: bool = False


class GoalRun:
    """A linkage, the point that is led, and all its goals when that is at a place."""

    def __init__(self, prepared: PreparedLinkage, led: PointOfPart, way: Floats) -> None:
        self.prepared, self.led = prepared, led
        start = prepared.scenario.found.parts[led.part].pose.points(led.point)
        self.way = np.concatenate([start[None], way])
        self.state = prepared.scene.start
        poses, found = self.state.poses, prepared.scenario.found
        self._pins = [pin.goal(poses[pin.part]) for pin in read_pins(found)]

    def goals(self, tau: float) -> list[Goal]:
        """Return the goals at a share of the path, from 0 to 1."""
        target = along(self.way, tau)
        return [self.prepared.point_goal(self.led.part, self.led.point, target), *self._pins]

    @property
    def length(self) -> float:
        """The length of the path."""
        return float(np.linalg.norm(np.diff(self.way, axis=0), axis=1).sum())


PosingSolver = LinkageDrag | LinkagePull | LinkageSolve
# each runs a solver to its end, and gives the poses of all states that count, and the solver
Way = Callable[[GoalRun, GoalOfPart], Job[tuple[list[tuple[Pose, ...]], PosingSolver]]]


def dragging(run: GoalRun, asked: GoalOfPart) -> Job[tuple[list[tuple[Pose, ...]], PosingSolver]]:
    """Lead the point along the path in small steps, as the mouse does."""
    scene = run.prepared.scene
    ticks = max(ceil(run.length / (TICK * scene.groups.length)), 1)
    solver = LinkageDrag(scene, run.state, run.goals(0.0))
    for tick in range(1, ticks + 1):
        solver.move_to(run.goals(tick / ticks))
        solver.step()
        yield Progress("Dragging", tick / ticks)
    yield from _coming_to_rest(scene, solver, Progress("Dragging", 1.0))
    return [run.prepared.poses(solver.state)], solver


def pulling(run: GoalRun, asked: GoalOfPart) -> Job[tuple[list[tuple[Pose, ...]], PosingSolver]]:
    """Lead the point along the path, a state for each frame."""
    solver = LinkagePull(run.prepared.scene, run.state, run.goals, asked.frames)
    states = [run.prepared.poses(run.state)]
    while solver.status.is_running and len(states) <= asked.frames:
        states.append(run.prepared.poses(solver.step()))
        yield Progress("Pulling", (len(states) - 1) / asked.frames)
    return states, solver


def solved(run: GoalRun, asked: GoalOfPart) -> Job[tuple[list[tuple[Pose, ...]], PosingSolver]]:
    """Solve for the end of the path."""
    scene = run.prepared.scene
    solver = LinkageSolve(scene, run.state, run.goals(1.0))
    yield from _coming_to_rest(scene, solver, Progress("Solving"))
    return [run.prepared.poses(solver.state)], solver


def _coming_to_rest(scene: LinkageScene, solver: LinkageDrag | LinkageSolve, progress: Progress) -> Job[None]:
    """Go on until a solver has ended, or what it does cannot be seen."""
    for _ in range(_MOST_TICKS):
        before = solver.state
        if not solver.status.is_running:
            return
        if solver.step() is not before and scene.farthest_move(before, solver.state) <= UNSEEN:
            solver.stop()
        yield progress


def posing(context: Context, asked: GoalOfPart, way: Way) -> Job[Conclusion]:
    """Pose the active object's figure, in slices. Raises PhysPlaceError, with nothing changed."""
    scenario = yield from reading_linkage(context, present(active_object(context)))
    found = scenario.found
    part = part_of_name(context, found, asked.part)
    led = point_of_part(found, part, None if asked.point is None else asked.point.tolist())
    shown = LinkagePose(found)
    shown.check_writable(context)
    start = found.parts[part].pose.points(led.point)
    travels = _travels(start, asked.path)
    if scenario.misses(found.poses, travels):
        always = frozenset(scenario.world.owners)
        scenario = yield from reading_around(context, found, found.poses, travels, always)
    prepared = yield from PreparedLinkage.preparing(scenario, found.poses, rest_around(found))
    run = GoalRun(prepared, led, asked.path)
    states, solver = yield from way(run, asked)
    if asked.keyed:
        first = scene_of(context).frame_current
        count = shown.write_path(context, states, first)
        scene_of(context).frame_set(first + len(states) - 1)
    else:
        count = shown.write(context, states[-1])
    return conclusion(run.prepared, count, solver)


def _travels(start: Floats, way: Floats) -> list[Travel]:
    """Return the ways, as the linkage may go along, from where it is to each point of a path."""
    shifts = way - start
    lengths = np.linalg.norm(shifts, axis=1)
    return [Travel(each / far, far) for each, far in zip(shifts, lengths.tolist(), strict=True) if far > 0.0]
