# SPDX-License-Identifier: GPL-3.0-or-later
"""One run of a simulation of objects of the scene, frame by frame: begun, stepped, taken up again, keyed."""

from __future__ import annotations

from math import ceil, floor
from typing import Final

from bpy.types import Context

from ...core.dynamics.simulation import Simulation, SimulationState, SimulationStatus
from ...core.errors import PhysPlaceError
from ...core.jobs import Job, Progress, finished
from ...core.placement.checking import names_of_overlapped, overlapping
from ...core.wording import counted, in_words, listed
from ...scene.access import scene_of
from ...scene.dynamics.motion_keys import SimulatedPath, write_motion
from ...scene.dynamics.reading import DynamicScenario
from ...scene.errors import SceneError
from ...scene.reading.settings import settings_of
from ..common import Conclusion

_NEARLY: Final = 1e-6  # part of a step by which a time may be off that is a whole number of steps


class SimulationRun:
    """A simulation, and its states on whole frames.

    scenario: what was read. frames: the states on the first frame and on each one after it.
    """

    def __init__(self, scenario: DynamicScenario) -> None:
        self.scenario = scenario
        self._simulation = Simulation(scenario.scene, scenario.motion)
        self.frames: list[SimulationState] = [self._simulation.state]
        seconds, step = scenario.seconds_a_frame, scenario.scene.step
        self._steps_a_frame = max(ceil(seconds / step - _NEARLY), 1)
        if self.status is SimulationStatus.INTERFERING_START:
            raise _overlap(scenario)

    @property
    def status(self) -> SimulationStatus:
        """How the simulation stands."""
        return self._simulation.status

    @property
    def is_running(self) -> bool:
        """Whether there is a frame left that differs from the one before."""
        return self.status.is_running and self.last_frame < self.scenario.last_frame

    @property
    def last_frame(self) -> int:
        """The last frame that has a state."""
        return self.scenario.first_frame + len(self.frames) - 1

    @property
    def part_done(self) -> float:
        """The part of all frames that is done, from 0 to 1."""
        return (len(self.frames) - 1) / (self.scenario.last_frame - self.scenario.first_frame)

    def step(self) -> None:
        """Go on by a step, at most to the next frame."""
        seconds, simulation = self.scenario.seconds_a_frame, self._simulation
        start, end = (len(self.frames) - 1) * seconds, len(self.frames) * seconds
        number = floor((simulation.state.time - start) * self._steps_a_frame / seconds + _NEARLY) + 1
        until = end if number >= self._steps_a_frame else start + number * seconds / self._steps_a_frame
        state = simulation.run(until)
        if state.time >= end or self.status is SimulationStatus.AT_REST:
            self.frames.append(state)
            simulation.states[:] = [state]  # those between two frames are not shown again

    def go_on_from(self, number: int) -> None:
        """Give up the states after one of them, and go on from there."""
        if number == len(self.frames) - 1:
            return
        del self.frames[number + 1 :]
        self._simulation.go_on_from(self.frames[number])

    def running(self) -> Job[None]:
        """Step to the last frame, or to rest, in slices."""
        while self.is_running:
            self.step()
            words = f"Simulating frame {self.last_frame} of {self.scenario.last_frame}"
            yield Progress(words, self.part_done)

    def write(self, context: Context) -> Conclusion:
        """Key the motion so far, of objects that stand as they were read. Raises SceneError."""
        scenario = self.scenario
        poses = [scenario.poses(state.motion) for state in self.frames]
        paths = [
            SimulatedPath(subject, [each[i] for each in poses]) for i, subject in enumerate(scenario.subjects)
        ]
        error = settings_of(scene_of(context)).key_error
        count = write_motion(context, paths, scenario.first_frame, error)
        return self._conclusion(count)

    def _conclusion(self, keys: int) -> Conclusion:
        scenario, names = self.scenario, in_words([subject.name for subject in self.scenario.subjects])
        moved = f"{names}: frames {scenario.first_frame} to {self.last_frame}, {counted(keys, 'key')}"
        ends = [] if self.status.is_running else [self.status.message]
        left_out = [f"left out of account: {listed(scenario.left_out)}"] if scenario.left_out else []
        well = self.status not in (SimulationStatus.SQUEEZED, SimulationStatus.JAMMED)
        return Conclusion(well, "; ".join([moved, *ends, *left_out]))


def _overlap(scenario: DynamicScenario) -> PhysPlaceError:
    """Return the error that names what overlaps at the start."""
    poses = scenario.scene.poses(scenario.motion)
    found = finished(overlapping(scenario.bodies, poses, scenario.world, scenario.rounding))
    for i, body in enumerate(scenario.bodies):
        names = names_of_overlapped(found, i)
        if names:
            remedy = "free it by Extricate, or move it clear"
            return SceneError(body.name, f"it overlaps {in_words(names)} at the start", remedy)
    return PhysPlaceError(f"{SimulationStatus.INTERFERING_START.message}; move them apart")
