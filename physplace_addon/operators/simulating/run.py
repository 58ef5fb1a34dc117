# SPDX-License-Identifier: GPL-3.0-or-later
"""One run of a simulation of objects of the scene, frame by frame: begun, stepped, taken up again, keyed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from bpy.types import Context

from ...core.dynamics.driving.pulls import Pull
from ...core.dynamics.motion import Motion
from ...core.dynamics.simulation import Simulation
from ...core.dynamics.state import SimulationState, SimulationStatus
from ...core.errors import PhysPlaceError
from ...core.jobs import Job, Progress, Slices, finished
from ...core.placement.checking import names_of_overlapped, overlapping
from ...core.rigid import Pose
from ...core.wording import counted, in_words, listed
from ...scene.access import scene_of
from ...scene.dynamics.going_on import is_unchanged, motion_going_on
from ...scene.dynamics.motion_keys import SimulatedPath, check_motion, write_motion
from ...scene.dynamics.reading import DynamicScenario
from ...scene.errors import SceneError
from ...scene.reading.settings import settings_of
from ..common import Conclusion
from .ending import Ending

_DONE: Final = object()


@dataclass(frozen=True, eq=False)
class _Part:
    """The part of a run that begins on one of its frames, with what was read there.

    began: the number of the frame. scenario, simulation: what was read, and its simulation from there on.
    ending: how it ends.
    """

    began: int
    scenario: DynamicScenario
    simulation: Simulation
    ending: Ending

    @classmethod
    def of(cls, began: int, scenario: DynamicScenario, motion: Motion, broken: Sequence[str] = ()) -> _Part:
        """Begin a part, in which joints of some names have broken already.

        Raises PhysPlaceError for what overlaps, or joints that cannot be closed.
        """
        simulation = Simulation(scenario.scene, motion, broken)
        if simulation.status is SimulationStatus.INTERFERING_START:
            raise _overlap(scenario, motion, simulation.involved)
        return cls(began, scenario, simulation, Ending(scenario, simulation))

    def begins_like(self, before: _Part, state: SimulationState) -> None:
        """Count whole turns of joints on from a state of the part before."""
        self.simulation.count_turns_from(before.simulation.joint_coordinates(state))


class SimulationRun:
    """A simulation, and its states on whole frames.

    frames: the states on the first frame and on each one after it.
    """

    def __init__(self, scenario: DynamicScenario) -> None:
        self._parts = [_Part.of(0, scenario, scenario.motion)]
        self.frames: list[SimulationState] = [self._simulation.state]
        self._begun: Slices[None] | None = None  # the step that is not finished; None for none

    @property
    def scenario(self) -> DynamicScenario:
        """What was read last."""
        return self._parts[-1].scenario

    @property
    def _simulation(self) -> Simulation:
        return self._parts[-1].simulation

    @property
    def _ending(self) -> Ending:
        return self._parts[-1].ending

    @property
    def status(self) -> SimulationStatus:
        """How the simulation stands."""
        return self._simulation.status

    @property
    def end(self) -> str:
        """How the simulation stands, with the names of the objects that keep it from going on."""
        involved = self.scenario.names(self._simulation.involved)
        return f"{self.status.message}: {in_words(involved)}" if involved else self.status.message

    @property
    def is_running(self) -> bool:
        """Whether there is a frame left that differs from the one before."""
        may_differ = self.status.is_running or self._ending.is_on
        return may_differ and not self._ending.is_proven and self.has_frames_left

    @property
    def has_frames_left(self) -> bool:
        """Whether the last frame is not reached."""
        return self._room > 0

    @property
    def first_frame(self) -> int:
        """The first frame."""
        return self._parts[0].scenario.first_frame

    @property
    def _room(self) -> int:
        """How many frames are left."""
        return self.scenario.last_frame - self.last_frame

    @property
    def is_ending(self) -> bool:
        """Whether placement looks for the rest at its end."""
        return self._ending.is_on

    def end_words(self) -> list[str]:
        """Return how it ended, a phrase each; none while frames are left, or where it moves on the last."""
        ends = self._ending.words()
        if self._ending.is_proven or self.status.is_running:
            return ends
        return [self.end, *ends]

    @property
    def last_frame(self) -> int:
        """The last frame that has a state."""
        return self.first_frame + len(self.frames) - 1

    @property
    def part_done(self) -> float:
        """The part of all frames that is done, from 0 to 1."""
        return (len(self.frames) - 1) / (self.scenario.last_frame - self.first_frame)

    def scenario_at(self, number: int) -> DynamicScenario:
        """Return what was read for a frame by its number."""
        return self._part_at(number).scenario

    def _part_at(self, number: int) -> _Part:
        return next(part for part in reversed(self._parts) if part.began <= number)

    def poses(self, number: int) -> tuple[Pose, ...]:
        """Return where the objects are on a frame; those that were added later, where they were then."""
        now = self.scenario_at(number).poses(self.frames[number].motion)
        later = (part for part in self._parts if part.began > number)
        return (*now, *(pose for part in later for pose in part.scenario.first_poses[len(now) :]))

    def pull(self, pull: Pull | None) -> None:
        """Pull an object at a point from now on, or nothing any more; a pull undoes the end."""
        if pull is not None and self._ending.give_up():
            self._begun = None
            self._simulation.go_on_from(self.frames[-1])
        self._simulation.pull(pull)

    def step(self) -> None:
        """Go on by a slice of a step."""
        if self._ending.is_on:
            last = self._ending.step()
            self.frames += [] if last is None else [last]
            return
        self._begun = self._begun or self._stepping()
        if next(self._begun, _DONE) is _DONE:
            self._begun = None

    def _stepping(self) -> Slices[None]:
        """Go on in slices by one of the equal steps to the next frame, or to an event before its end."""
        part = self._parts[-1]
        simulation = part.simulation
        end = (len(self.frames) - part.began) * part.scenario.seconds_a_frame
        state = yield from simulation.stepping_towards(end)
        self._ending.watch(state)
        if state.time >= end or self.status is SimulationStatus.AT_REST:
            self.frames.append(state)
            simulation.states[:] = [state]  # those between two frames are not shown again
            self._ending.begin_if_ready(len(self.frames) - 1, self._room)

    def go_on_from(self, number: int) -> None:
        """Give up the states after one of them, and go on from there."""
        if number == len(self.frames) - 1:
            return
        self._begun = None
        del self.frames[number + 1 :]
        self._parts = [part for part in self._parts if part.began <= number]
        if not self._ending.go_back_to(number):
            self._simulation.go_on_from(self.frames[number])

    def go_on_with(self, number: int, again: DynamicScenario, moved: Sequence[Pose | None]) -> bool:
        """Give up the states after one of them, and go on from there with what was read again.

        Args:
            number: the state's.
            again: the same objects, and perhaps more, on that frame.
            moved: where the known ones were put by hand; None for those that were not.

        Returns:
            Whether anything has changed. If not, the same simulation goes on.

        Raises:
            PhysPlaceError: what was read overlaps, or cannot be joined; all states are kept.
        """
        before = self._part_at(number)
        state, since = self.frames[number], number - before.began
        if not any(pose is not None for pose in moved) and is_unchanged(before.scenario, since, again):
            self.go_on_from(number)
            return False
        if number == 0:
            again = again.standing_like(before.scenario, moved)
        motion = motion_going_on(before.scenario, state.motion, again, moved, keeps_velocity=number > 0)
        part = _Part.of(number, again, motion, before.simulation.broken_names(state))
        part.begins_like(before, state)
        self._begun = None
        self._parts = [*(each for each in self._parts if each.began < number), part]
        self.frames[number:] = [part.simulation.state]
        return True

    def running(self) -> Job[None]:
        """Step to the last frame, or to rest, in slices."""
        while self.is_running:
            self.step()
            words = f"Simulating frame {self.last_frame} of {self.scenario.last_frame}"
            yield Progress(words, self.part_done)

    def write(self, context: Context) -> Conclusion:
        """Key the motion so far, of objects that stand as they were read. Raises SceneError."""
        count = write_motion(context, self._paths(), settings_of(scene_of(context)).key_error)
        return self._conclusion(count)

    def check_keyable(self, context: Context) -> None:
        """Raise SceneError as `write` would, with nothing keyed."""
        check_motion(context, self._paths(), settings_of(scene_of(context)).key_error)

    def _paths(self) -> list[SimulatedPath]:
        """Return the paths of all objects."""
        poses = [self.poses(number) for number in range(len(self.frames))]
        return [self._path(i, [each[i] for each in poses]) for i in range(len(self.scenario.subjects))]

    def _path(self, number: int, poses: Sequence[Pose]) -> SimulatedPath:
        """Return the path of one of the objects, from the frame on which it was first read."""
        part = next(each for each in self._parts if len(each.scenario.subjects) > number)
        first, last = part.scenario.subjects[number].space.channels, self.scenario.subjects[number]
        channels = first.in_mode(last.space.mode, last.space.channels.rotation)
        subject = replace(last, space=replace(last.space, channels=channels))
        return SimulatedPath(subject, part.scenario.first_frame, poses[part.began :])

    @property
    def _broke(self) -> list[str]:
        """The names of the joints that have broken, quoted."""
        return [f'"{name}"' for name in self._simulation.broken_names(self.frames[-1])]

    def _conclusion(self, keys: int) -> Conclusion:
        scenario, names = self.scenario, in_words([subject.name for subject in self.scenario.subjects])
        moved = f"{names}: frames {self.first_frame} to {self.last_frame}, {counted(keys, 'key')}"
        left_out = [f"left out of account: {listed(scenario.left_out)}"] if scenario.left_out else []
        broke = self._broke
        broken = [f"broken: {listed(broke)}"] if broke else []
        well = self.status not in (SimulationStatus.SQUEEZED, SimulationStatus.JAMMED)
        return Conclusion(well, "; ".join([moved, *broken, *self.end_words(), *left_out]))


def _overlap(scenario: DynamicScenario, motion: Motion, involved: Sequence[int]) -> PhysPlaceError:
    """Return the error that names what overlaps at the start, or else what is involved, by number."""
    poses = scenario.scene.poses(motion)
    found = finished(overlapping(scenario.bodies, poses, scenario.world, scenario.rounding))
    for i, body in enumerate(scenario.bodies):
        names = names_of_overlapped(found, i)
        if names:
            remedy = "free it by Extricate, or move it clear"
            return SceneError(body.name, f"it overlaps {in_words(names)} at the start", remedy)
    first, *others = scenario.names(involved) or [""]
    if others:
        where = f"it lies so near to {in_words(others)} at the start that its side of it cannot be told"
        return SceneError(first, where, "move it a little to the side on which it is to be")
    return PhysPlaceError(f"{SimulationStatus.INTERFERING_START.message}; move them apart")
