# SPDX-License-Identifier: GPL-3.0-or-later
"""The ghost of a rest: where an object that is held by hand would come to rest if it were let go now.

A placement of its own runs from where the object is held, a little in each tick. A new one begins only when
the last is at its end, so that there is a ghost to see while the hand moves, if it lags a little.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from scipy.spatial import ConvexHull

from ....core.arrays import Floats
from ....core.bodies import Body
from ....core.placement import State, Status
from ....overlay.colours import chosen_colours
from ....overlay.layers import Layer, Primitive
from ...session import Pacing
from ..item import PlacementItem
from ..run import PlacementRun, begin_run

OPACITY: Final = 0.35
MOST_FACES: Final = 20000  # triangles of a ghost; what has more is shown as its convex hull


class RestGhost:
    """The rest that a held object would take."""

    def __init__(self) -> None:
        self._run: PlacementRun | None = None
        self._from: State | None = None
        self._pacing = Pacing()
        self.shown: PlacementRun | None = None

    def advance(self, item: PlacementItem, seconds: float) -> bool:
        """Look on for a rest for so many seconds; return whether another one was found."""
        if item.overlapping is not None:
            found, self.shown = self.shown is not None, None
            return found
        if self._run is None or not self._goes_on(self._run):
            if self._from is item.steered.state:
                return False
            self._from, self._run = item.steered.state, run_from_here(item)
        run = self._run
        self._pacing.work(lambda: self._step(run), seconds)
        if run.solver.status.at_rest:
            found, self.shown = self.shown is not run, run
            return found
        return False

    def run_of(self, item: PlacementItem) -> PlacementRun | None:
        """Return the run that has ended at a rest from where the object is held; None if there is none."""
        is_here = self._from is item.steered.state
        ended = self._run is not None and self._run.solver.status.at_rest and is_here
        return self._run if ended else None

    def layers(self) -> list[Layer]:
        """Return the ghost as see-through faces; nothing while no rest is known."""
        if self.shown is None:
            return []
        colour = (*chosen_colours().contact[:3], OPACITY)
        poses = self.shown.solver.state.poses
        bodies = [subject.body for subject in self.shown.subjects]
        corners = [pose.points(_faces(body)) for body, pose in zip(bodies, poses, strict=True)]
        return [Layer(Primitive.TRIANGLES, np.concatenate(corners), colour, 0.0)]

    @staticmethod
    def _goes_on(run: PlacementRun) -> bool:
        """Return whether a run has steps left among what is read: the rest is read when it is let go."""
        return run.solver.status is Status.RUNNING and not run.is_near_unread

    def _step(self, run: PlacementRun) -> bool:
        goes_on = self._goes_on(run)
        if goes_on:
            run.solver.step()
        return goes_on


def run_from_here(item: PlacementItem) -> PlacementRun:
    """Return a run that lets the objects of a placement go where they are shown."""
    subjects = (replace(subject, start=pose) for subject, pose in zip(item.subjects, item.poses, strict=True))
    scenario = replace(item.scenario, subjects=tuple(subjects))
    return begin_run(scenario, item.steered.solver.settings, (), item.poses)


def _faces(body: Body) -> Floats:
    """Return the corners (3 n, 3) of a body's triangles, or of its hull's."""
    triangles = body.triangles
    if len(triangles) > MOST_FACES:
        points = triangles.reshape(-1, 3)
        triangles = points[ConvexHull(points).simplices]
    return triangles.reshape(-1, 3)
