# SPDX-License-Identifier: GPL-3.0-or-later
"""The interactive session of a simulation: shown as it goes, paused, scrubbed, pulled by the mouse, changed,
taken up from any frame.

While it is paused the artist may change the scene.  What it goes on with is read again, and what is kept are
the frames up to the one that is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

import numpy as np
from bpy.types import Context

from ...core.arrays import Floats
from ...core.dynamics.state import SimulationState
from ...core.handover.handover import HandoverStatus
from ...core.jobs import Job, Progress
from ...core.rigid import Pose
from ...core.wording import counted
from ...overlay.marks import Marks
from ...scene.access import active_object
from ...scene.differences import SceneWatch
from ...scene.dynamics.preview import MotionPreview
from ...scene.dynamics.reading import DynamicScenario, read_dynamics
from ...scene.errors import SceneError
from ...scene.reading.subjects.subject import Subject, subjects_now
from ...scene.reading.visible import Family
from ..common import Conclusion
from ..input_events import InputEvent
from ..placing.manipulation.transform_input import TransformInput
from ..session import History, InteractiveSession, Pacing, one_line
from ..view import View, object_under
from .pulled_point import PulledPoint
from .run import SimulationRun


class SimulationSession(InteractiveSession):
    """A simulation under the artist's eyes.

    run: what is simulated. history: its states on whole frames, and which one is shown. paused: whether it
    waits. pulled: the point that the mouse pulls; None for none. transform: how an object is moved or turned
    by hand, while it is paused; None if none is. has_changed: whether it has gone on with a changed scene.
    """

    def __init__(self, context: Context, scenario: DynamicScenario, watch: SceneWatch) -> None:
        """Begin with what was read; watch: since before it was."""
        self._preview = MotionPreview(context, scenario.subjects)
        self._preview.check_writable(context)
        self.run = SimulationRun(scenario)
        self.history: History[SimulationState] = History(self.run.frames)
        self.paused = self.has_changed = False
        self.pulled: PulledPoint | None = None
        self.transform: TransformInput | None = None
        self._body = 0  # that is moved by hand
        self._by_hand: dict[int, Pose] = {}  # where objects were put on the frame that is shown
        self._waits_again = False  # it was paused when the point was taken
        self._description = ""
        self._mouse: Floats = np.zeros(2)
        self._pacing = Pacing()
        self._watch = watch

    @classmethod
    def beginning(cls, context: Context, frames: int) -> Job[SimulationSession]:
        """Read the scene, in slices, for so many frames from the present one. Raises PhysPlaceError."""
        watch = SceneWatch(context, by_name=False)
        scenario = yield from read_dynamics(context, frames)
        return cls(context, scenario, watch)

    # what time does

    def tick(self, seconds: float) -> bool:
        """Work for so many seconds; return whether there is a new frame to show."""
        before = len(self.run.frames)
        if self._pacing.work(self._step, seconds) and len(self.run.frames) > before:
            self.history.show_latest()
            return True
        return False

    def difference(self, context: Context, *, is_next: bool) -> str | None:
        """Return what something else has changed while it runs, as a phrase; None for nothing.

        is_next: whether the next frame is to be shown, which may show or hide what is animated.
        """
        return None if self.paused else self._watch.difference(context, at_once=is_next)

    def _step(self) -> bool:
        runs = not self.paused and not self._is_ahead and self._has_to_step
        if runs:
            self.run.step()
        return runs

    @property
    def _has_to_step(self) -> bool:
        self.run.pull(None if self.pulled is None else self.pulled.pull)
        return self.run.is_running

    @property
    def _is_ahead(self) -> bool:
        """Whether it runs faster than time: while something is pulled it must not."""
        if self.pulled is None:
            return False
        frames = len(self.run.frames) - 1 - self.pulled.frame
        return frames * self.run.scenario.seconds_a_frame > perf_counter() - self.pulled.since

    # what keys do

    def pause(self) -> None:
        """Wait on the frame that is shown."""
        self.release()
        self.paused = True

    def scrub(self, by: int) -> None:
        """Pause and show an earlier or later frame, as far as there is one."""
        self.pause()
        before = self.history.shown
        self.history.scrub(by)
        if self.history.shown != before:
            self._by_hand.clear()

    def going_on(self, context: Context) -> Job[None]:
        """Go on from the frame that is shown, with the scene as it is now; later frames are given up.

        Raises PhysPlaceError, with all frames kept, if the scene cannot be simulated as it is now.
        """
        number, is_pulled = self.history.shown, self.pulled is not None
        moved = self._moved_by_hand(context, self.run.scenario_at(number))
        scenario = self.run.scenario
        self._watch.forget(context)
        again = yield from read_dynamics(context, scenario.last_frame - self.frame, scenario)
        if self.run.go_on_with(number, again, moved):
            self._preview.go_on_with(self.run.scenario.subjects)
            self.has_changed = True
        self._by_hand.clear()
        self.history.show_latest()
        self.paused = is_pulled and self.pulled is None
        if self.pulled is not None:
            self.pulled = replace(self.pulled, since=perf_counter())

    def _moved_by_hand(self, context: Context, before: DynamicScenario) -> list[Pose | None]:
        """Return where the objects of a frame were put by hand, or by any of Blender's own ways."""
        now = subjects_now(context, [subject.object for subject in before.subjects])
        elsewhere = self._preview.moved()
        return [subject.pose if elsewhere[i] else self._by_hand.get(i) for i, subject in enumerate(now)]

    # what the mouse does

    def follow(self, view: View, mouse: Floats) -> None:
        """Follow the mouse, which is at a pixel (2,)."""
        self._mouse = mouse
        if self.pulled is not None:
            self.pulled = self.pulled.towards(view.under_mouse(mouse, self.pulled.taken))
        if self.transform is not None:
            self.transform = self.transform.with_mouse(view, mouse)
            self._put_by_hand(view, self.transform)

    def take_point(self, context: Context, view: View, event: InputEvent) -> bool:
        """Take the point under the mouse; return False if that is of no object that is simulated."""
        self._mouse = view.mouse(event)
        seen = object_under(context, view, self._mouse)
        body = None if seen is None else self._body_of(seen[0])
        if seen is None or body is None:
            return False
        if not self.history.is_latest or self.run.has_frames_left:
            scene, pose = self.run.scenario.scene, self._poses()[body]
            self.pulled = PulledPoint.of(scene, body, pose, seen[1], self.history.shown, perf_counter())
            self._waits_again = self.paused
            return True
        remedy = "go back to an earlier frame first, or set a later end of the scene and simulate again"
        raise SceneError(self._subjects[body].name, "all frames are done", remedy)

    def release(self) -> None:
        """Let go of what the mouse holds; it waits again if it did before."""
        if self.pulled is not None:
            self.pulled, self.paused = None, self.paused or self._waits_again
            self.run.pull(None)

    def begin_transform(self, context: Context, view: View, mouse: Floats, *, turns: bool) -> None:
        """Begin to move or to turn the active object by hand, through whatever is there.

        Where that is not simulated it is the object under the mouse. Raises SceneError if neither is.
        """
        if self.transform is not None:
            self.end_transform(keep=False)
        self._mouse, self._body = mouse, self._body_by_hand(context, view, mouse)
        self.pause()
        pose = self._poses()[self._body]
        centre = pose.points(self._subjects[self._body].body.mass.center)
        self.transform = TransformInput(turns, pose, centre, mouse).with_mouse(view, mouse)
        self._put_by_hand(view, self.transform)

    def type(self, view: View, event: InputEvent) -> None:
        """Take a key for an axis or a number."""
        if self.transform is not None:
            self.transform = replace(self.transform.with_key(event), returns=False)
            self._put_by_hand(view, self.transform)

    def end_transform(self, *, keep: bool) -> None:
        """End moving or turning by hand; without `keep` the object goes back to where that began."""
        transform, self.transform = self.transform, None
        if transform is not None and not keep:
            self._by_hand[self._body] = transform.start

    def _put_by_hand(self, view: View, transform: TransformInput) -> None:
        pose = transform.target(view, self._mouse)
        self._by_hand[self._body] = pose
        self._description = transform.description(view, pose)

    def _body_by_hand(self, context: Context, view: View, mouse: Floats) -> int:
        """Return the number of the body that keys move. Raises SceneError for none."""
        active, seen = active_object(context), object_under(context, view, mouse)
        names = [*([active.name_full] if active else []), *([seen[0]] if seen else [])]
        found = next((body for body in map(self._body_of, names) if body is not None), None)
        if found is None:
            name = active.name if active else "(none)"
            raise SceneError(name, "it is not simulated", "point at an object that is")
        return found

    def _body_of(self, name: str) -> int | None:
        """Return the number of the simulated body that an object is part of, by its full name."""
        for i, subject in enumerate(self._subjects):
            if name in Family.of(subject.object).names:
                return i
        return None

    # what is shown

    @property
    def frame(self) -> int:
        """The frame that is shown."""
        return self.run.first_frame + self.history.shown

    @property
    def _subjects(self) -> Sequence[Subject]:
        return self.run.scenario.subjects

    def _poses(self) -> list[Pose]:
        """Return where the objects are shown."""
        poses = [*self.run.poses(self.history.shown)]
        for number, pose in self._by_hand.items():
            poses[number] = pose
        return poses

    def show(self, context: Context) -> None:
        """Show the objects on the frame."""
        self._preview.show(context, self.frame, self._poses())

    def show_next(self, context: Context) -> None:
        """Show the objects on a new frame; what is animated may come into view on it, or go out of it."""
        self.show(context)
        self._watch.look(context)

    def marks(self) -> Marks:
        """Return what is drawn: the contacts that press, and the pull."""
        touching = self.history.state.touching
        places = touching.place[touching.active] + self.run.scenario_at(self.history.shown).scene.origin
        pulls = [] if self.pulled is None else [self.pulled.line(self._poses()[self.pulled.pull.body])]
        return replace(
            Marks.none(),
            contacts=places,
            normals=np.zeros_like(places),
            forces=np.zeros(len(places)),
            bilateral=np.zeros(len(places), dtype=bool),
            patches=tuple(places[:, None]),
            pulls=np.array(pulls).reshape(-1, 2, 3),
        )

    def is_on_its_frame(self, context: Context) -> bool:
        """Return whether nobody else has changed the frame."""
        return self._preview.is_on_its_frame(context)

    @property
    def is_undisturbed(self) -> bool:
        """Whether the objects are as they are shown; while it is paused they may be moved."""
        return self._preview.is_there if self.paused else self._preview.is_undisturbed

    @property
    def part_done(self) -> float | None:
        """The part of the frames that is done, while it runs."""
        return self.run.part_done if self.run.is_running and not self.paused else None

    def show_again(self, context: Context) -> None:
        """Show the frame again, after it was put back."""
        self.show(context)

    def put_back(self, context: Context) -> None:
        """Put everything back to where it was."""
        self._preview.restore(context)

    def check_keyable(self, context: Context) -> None:
        """Put everything back. Raises SceneError, too, if `write` would."""
        self.put_back(context)
        self.run.check_keyable(context)

    def write(self, context: Context) -> Conclusion:
        """Key all frames so far. Raises SceneError, with everything put back."""
        self.put_back(context)
        return self.run.write(context)

    # what the header says

    def progress(self) -> Progress:
        """Return the figures of the frame that is shown, and the part of the frames that is done."""
        run, state = self.run, self.history.state
        if self.transform is not None:
            return Progress(f'"{self._subjects[self._body].name}": {self._description}')
        name = None if self.pulled is None else self._subjects[self.pulled.pull.body].name
        status = self._status() if name is None else f'pulls "{name}"'
        parts = [f"{'paused, ' if self.paused else ''}{status}"]
        seconds = self.history.shown * run.scenario.seconds_a_frame
        parts.append(f"frame {self.frame} of {run.scenario.last_frame}, {seconds:.2f} s")
        parts.append(counted(int(state.touching.active.sum()), "contact"))
        parts.append(f"energy {state.energy:.4g}")
        asleep, free = int(state.sleep.asleep.sum()), len(run.scenario_at(self.history.shown).subjects)
        parts += [f"{asleep} of {free} asleep"] if asleep else []
        return Progress(one_line(parts), run.part_done)

    def figures(self) -> str:
        """Return the figures of the frame that is shown, in one line."""
        return self.progress().words

    def _status(self) -> str:
        run = self.run
        if not self.history.is_latest:
            return "it moves"
        if run.is_running:
            return HandoverStatus.RUNNING.message if run.is_ending else "it moves"
        return "; ".join(run.end_words()) or "all frames are done"
