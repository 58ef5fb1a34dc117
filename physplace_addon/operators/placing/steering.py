# SPDX-License-Identifier: GPL-3.0-or-later
"""What an artist does to objects that are being placed: by keys, by the hand, by pulling at a point.

It holds the placement under way and those finished before it with Tab, and what is shown of each. An operator
gives it ticks, mouse and actions, and asks it to write or to put back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import bpy
import numpy as np
from bpy.types import Context, Event, Object

from ...core.arrays import Floats
from ...core.rigid import Pose
from ...core.wording import counted
from ...overlay.marks import Marks
from ...scene.access import scene_of, view_layer_of
from ...scene.errors import SceneError
from ...scene.reading.scenario import Subject
from ...scene.reading.settings import settings_of
from ...scene.writing.outcome import Outcome
from ..view import View, object_under
from .item import Go
from .point_handle import Grip, Kind
from .solving import Placing
from .transform_input import AXES, Hand


class Steering:
    """Placements of selected objects, and the hand that is on them."""

    def __init__(
        self,
        context: Context,
        movers: Sequence[Object],
        *,
        together: bool,
        poses: Sequence[Pose] | None = None,
    ) -> None:
        self._names = [mover.name for mover in movers]
        self._together = together
        self._active_name = movers[0].name
        self._turn = 0
        self.body = 0
        self.finished: list[Go] = []
        count = len(movers) if together else 1
        self.go = Go(context, movers[:count], None if poses is None else poses[:count])
        self.hand: Hand | None = None
        self.grip: Grip | None = None
        self.through = False
        self._mouse: Floats = np.zeros(2)
        self._asks = ""
        self._followed: tuple[bytes, bytes, str] | None = None  # what the hand asked for when last seen
        self._is_new = True
        self.touching = 0

    @property
    def placing(self) -> Placing:
        """The placement that is steered."""
        return self.go.placing

    @property
    def subject(self) -> Subject:
        """The object that the hand is on."""
        return self.go.subjects[self.body]

    @property
    def interferes(self) -> bool:
        """Whether what is shown overlaps something."""
        return self.go.interferes

    @property
    def part_done(self) -> float | None:
        """How much of the steps at most is done, where one takes so long that it must be told; else None."""
        solver, is_slow = self.placing.solver, self.placing.is_slow and self.hand is None
        return solver.steps / solver.settings.step_limit if is_slow else None

    # what time does

    def tick(self, context: Context, view: View, seconds: float) -> bool:
        """Work for so long; tell whether anything is seen of it."""
        if self.hand is not None:
            return self._follow(view, self.hand, seconds)
        if self.grip is not None and self.grip.kind is not Kind.TIE:
            self.go.pull(view, self._mouse, self.grip)
        is_new, self._is_new = self._is_new, False
        return self.placing.advance(seconds) or is_new

    def show(self, context: Context) -> None:
        """Put the objects where they are now; what may overlap is see-through."""
        self.go.show(context)

    def marks(self, view: View) -> Marks:
        """What is drawn of what is shown."""
        target = None if self.hand is None else self.hand.target(view, self._mouse)
        marks = self.go.marks(self.body, target)
        self.touching = len(marks.contacts)
        pulls = self.go.ties_shown()
        if self.grip is not None:
            held = self.grip.held_at(self.go.poses[self.grip.body])
            pulls.append((held, view.under_mouse(self._mouse, held)))
        return replace(marks, pulls=np.array(pulls).reshape(-1, 2, 3))

    # what the mouse does

    def follow(self, view: View, event: Event) -> None:
        """Follow the mouse."""
        self._mouse = view.mouse(event)
        if self.hand is not None:
            self.hand = self.hand.followed(view, self._mouse)

    def take_in_hand(self, view: View, event: Event, *, turns: bool, axis: str | None = None) -> None:
        """Hold the body at its centre, to move or to turn it, perhaps only along an axis."""
        if self.hand is not None:
            self.let_go(keep=False)
        self.follow(view, event)
        pose = self.go.poses[self.body]
        centre = pose.points(self.subject.body.mass.center)
        number, self._followed = None if axis is None else AXES[axis], None
        self.hand = Hand(turns, pose, centre, self._mouse, number).followed(view, self._mouse)
        self._asks = self.hand.asks(view, self._mouse)

    def let_go(self, *, keep: bool) -> None:
        """Take the hand away; if nothing shall be kept of what it did, the body is where it was taken."""
        hand, self.hand = self.hand, None
        if hand is not None and not keep:
            self.go.put(self.body, hand.start)
        elif self.go.free is not None:
            self.go.put(self.body, self.go.free[self.body])

    def grip_at(self, context: Context, view: View, event: Event, kind: Kind) -> bool:
        """Hold the point under the mouse, if that is of a body that is placed."""
        self.follow(view, event)
        seen = object_under(context, view, self._mouse)
        body = None if seen is None else self.go.body_of(seen[0])
        if seen is None or body is None or self.go.free is not None:
            return False
        self.body = body
        self.grip = self.go.grip(kind, body, seen[1])
        return True

    def tie_to(self, context: Context, view: View, event: Event) -> None:
        """Tie the point that is held to what is under the mouse, or to the place there."""
        grip, self.grip = self.grip, None
        assert grip is not None
        self.follow(view, event)
        held = grip.held_at(self.go.poses[grip.body])
        seen = object_under(context, view, self._mouse)
        self.go.ties.append(grip.tie(view.under_mouse(self._mouse, held) if seen is None else seen[1]))
        self._act(context)

    def release(self, context: Context) -> None:
        """Let the point go."""
        self.grip = None
        self._act(context)

    # what keys do

    def toggle_through(self) -> None:
        """Let the hand go through things, or no more."""
        self.through, self._followed = not self.through, None
        if not self.through and self.go.free is not None:
            self.go.put(self.body, self.go.free[self.body])

    def toggle_friction(self, context: Context) -> None:
        """Friction of the settings from here on, or none."""
        self.placing.toggle_friction(settings_of(scene_of(context)).friction)

    def next(self, context: Context) -> None:
        """Leave this object here, and go on with the next one that is selected."""
        if self._together:
            self.body = (self.body + 1) % len(self.go.subjects)
            return
        if self.interferes:
            raise SceneError(self.subject.name, "it overlaps something", "move it clear first")
        present = [name for name in self._names if name in bpy.data.objects]
        if len(present) < 2:
            raise SceneError(self.subject.name, "no other object is selected", "select those to place first")
        following = bpy.data.objects[present[(present.index(self._names[self._turn]) + 1) % len(present)]]
        go = Go(context, [following])
        self.finished.append(self.go)
        self.go, self.body, self._is_new = go, 0, True
        self._turn = self._names.index(following.name)
        self._make_active(context, following.name)

    def key_here(self, context: Context) -> None:
        """Key this rest, when it is confirmed, on the frame that is shown now; or no more."""
        self.go.key_frame = scene_of(context).frame_current if self.go.key_frame is None else None

    # how it ends

    @property
    def goes(self) -> list[Go]:
        """All that were placed, in turn."""
        return [*self.finished, self.go]

    @property
    def is_undisturbed(self) -> bool:
        """Whether the objects are as they are shown."""
        latest = {go.subjects[0].name: go for go in self.goes}
        return all(go.is_undisturbed for go in latest.values())

    def write(self, context: Context) -> list[Outcome]:
        """Write the objects where they are shown. Raises PhysPlaceError, with all put back."""
        try:
            for go in self.goes:
                go.check_writable(context)
        finally:
            self.put_back(context)
        return [outcome for go in self.goes for outcome in go.write(context)]

    @property
    def starts(self) -> dict[str, Pose]:
        """The objects placed now, and the poses that the hand let them go at."""
        return self.go.starts

    def figures(self) -> str:
        """How far it is, in a line."""
        if self.hand is not None:
            return "   |   ".join([f"{self.subject.name}: {self._asks}", *self.touches()])
        if self.go.free is not None:
            return "   |   ".join([self.subject.name, *self.touches()])
        placing, solver = self.placing, self.placing.solver
        name = self.subject.name if len(self.go.subjects) == 1 else f"{len(self.go.subjects)} objects"
        status = (
            "on its way" if placing.is_running or not placing.is_last else solver.status.message.split(":")[0]
        )
        parts = [f"{name}: {'paused, ' if placing.paused else ''}{status}"]
        parts.append(f"state {placing.shown} of {len(solver.states) - 1}")
        parts += [f"{placing.step_seconds:.1f} s a step"] if placing.is_slow else []
        parts += self.touches()
        settings = solver.settings
        parts += [f"friction {settings.friction:.2g}"] if settings.friction > 0.0 else []
        parts += [] if settings.check_energy else ["may rise"]
        parts += [counted(len(self.go.ties), "tie")] if self.go.ties else []
        parts += [f"keyed on frame {self.go.key_frame}"] if self.go.key_frame is not None else []
        return "   |   ".join(parts)

    def touches(self) -> list[str]:
        """What it touches or overlaps, in words."""
        if self.go.free is not None:
            overlaps = [] if self.go.is_clear(self.body) else ["overlaps something: move it clear"]
            return [*overlaps, "goes through things"]
        told = [counted(self.touching, "contact")]
        return [*told, "goes through things"] if self.through else told

    def leave(self, context: Context) -> None:
        """Leave the object where the hand has it; it was not placed. Raises SceneError, with it put back."""
        poses = self.go.poses
        self.put_back(context)
        self.go.leave(context, poses)

    def put_back(self, context: Context) -> None:
        """Put everything back to where it was."""
        for go in reversed(self.goes):
            go.put_back(context)
        self._make_active(context, self._active_name)

    def show_again(self, context: Context) -> None:
        """Show everything where it is, after it was put back."""
        for go in self.goes:
            go.show(context)
        self._make_active(context, self.subject.name)

    def _follow(self, view: View, hand: Hand, seconds: float) -> bool:
        """Have the body where the hand asks for it: as far as things let it, or through them, if it may or as
        long as it overlaps any.  Tell whether it moved, or stands and is asked for elsewhere: else nothing is
        shown anew, not even what is asked for.
        """
        target, before = hand.target(view, self._mouse), self.placing.state
        asks = hand.asks(view, self._mouse)
        wanted = target.translation.tobytes(), target.rotation.tobytes(), asks
        under_way = False
        if self.through or self.go.free is not None:
            self.go.fly(self.body, target)
            if not self.through and self.go.is_clear(self.body):
                self.go.put(self.body, target)
        else:
            under_way = hand.returns and self.placing.drag(hand.start, self.body, hand.pivot, None, seconds)
            if not under_way:
                self.hand = replace(hand, returns=False)
                under_way = self.placing.drag(target, self.body, hand.pivot, hand.axes, seconds)
        if self.placing.state is before and (under_way or wanted == self._followed):
            return False
        self._asks, self._followed = asks, wanted
        return True

    def _make_active(self, context: Context, name: str) -> None:
        objects = view_layer_of(context).objects
        if name in objects:
            objects.active = objects[name]

    def _act(self, context: Context) -> None:
        self.placing.act(self.go.ties, check_energy=settings_of(scene_of(context)).check_energy)
