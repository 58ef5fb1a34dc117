# SPDX-License-Identifier: GPL-3.0-or-later
"""The interactive session of placing and dragging: what an artist does to objects by keys and by the mouse.

It has the placement that is steered, and those finished before it with Tab. An operator gives it ticks, mouse
and actions, and has it write or put back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from bpy.types import Context, Object

from ...core.arrays import Floats
from ...core.jobs import Job
from ...core.rigid import Pose
from ...core.wording import counted
from ...overlay.marks import Marks
from ...scene.access import scene_of, view_layer_of
from ...scene.errors import SceneError
from ...scene.reading.settings import settings_of
from ...scene.reading.subjects.options import PlacementOptions
from ...scene.reading.subjects.subject import Subject
from ...scene.references import ObjectReference
from ...scene.writing.outcome import Outcome
from ..input_events import InputEvent
from ..session import InteractiveSession, one_line
from ..view import View, object_under
from .item import PlacementItem, written_in_turn
from .manipulation.point_handle import PointAction, PointHandle
from .manipulation.transform_input import AXES, TransformInput
from .steered_solver import SteeredSolver


class PlacementSession(InteractiveSession):
    """Placements of selected objects, one after another or all at once.

    item: the placement that is steered. finished: those before it. body: the number of the body that keys and
    mouse move. transform: how it is moved or turned by hand; None if not. handle: the point that the mouse
    has taken; None for none. through: whether a body moved by hand passes through things. is_reading: whether
    the world is being read, without which nothing goes on.
    """

    def __init__(self, movers: Sequence[ObjectReference], item: PlacementItem, *, together: bool) -> None:
        self._movers = list(movers)
        self._together = together
        self._active = movers[0]
        self._turn = 0
        self.body = 0
        self.finished: list[PlacementItem] = []
        self.item = item
        self.transform: TransformInput | None = None
        self.handle: PointHandle | None = None
        self.through = False
        self.is_reading = False
        self._mouse: Floats = np.zeros(2)
        self._asked_for: Pose | None = None  # of the body, by hand
        self._description = ""
        self._requested: tuple[bytes, bytes, str] | None = None  # the pose and the typing when last shown
        self._is_new = True
        self._contact_count = self._bilateral_count = 0
        self._is_on_its_way = False

    @classmethod
    def beginning(
        cls,
        context: Context,
        movers: Sequence[Object],
        options: PlacementOptions | None = None,
        *,
        together: bool,
        poses: Sequence[Pose] | None = None,
    ) -> Job[PlacementSession]:
        """Begin with the first mover, or with all, in slices. Raises PhysPlaceError, with nothing changed.

        options: those of all placements; the scene's if None.
        """
        references = [ObjectReference.of(mover) for mover in movers]
        count = len(movers) if together else 1
        some = None if poses is None else poses[:count]
        item = yield from PlacementItem.beginning(context, movers[:count], options, some)
        if item.interferes and poses is not None:  # copies begin where there is room
            yield from item.extricating(context)
        return cls(references, item, together=together)

    @property
    def steered(self) -> SteeredSolver:
        """The solver that is steered."""
        return self.item.steered

    @property
    def subject(self) -> Subject:
        """The object that keys and mouse move."""
        return self.item.subjects[self.body]

    @property
    def interferes(self) -> bool:
        """Whether what is shown overlaps something."""
        return self.item.interferes

    @property
    def is_following(self) -> bool:
        """Whether the body that is moved by hand is on its way to where it is asked to be."""
        return self.transform is not None and self._is_on_its_way

    @property
    def part_done(self) -> float | None:
        """The part of the steps allowed that is done, where a step takes long; None otherwise."""
        solver, is_slow = self.steered.solver, self.steered.is_slow and self.transform is None
        return solver.steps / solver.settings.step_limit if is_slow else None

    # what time does

    def tick(self, context: Context, view: View, seconds: float) -> bool:
        """Work for so many seconds; return whether anything is to be shown anew."""
        if self.transform is not None:
            return self._apply_transform(view, self.transform, seconds)
        if self.handle is not None and self.handle.action is not PointAction.TIE:
            self.item.pull(view, self._mouse, self.handle)
        is_new, self._is_new = self._is_new, False
        return self.steered.advance(seconds) or is_new

    def has_to_read(self, context: Context) -> bool:
        """Return whether something has come near that is not read, or has come into view or out of it."""
        return self.item.is_near_unread(self.body, self._asked_for) or self.item.is_outdated(context)

    def reading(self, context: Context) -> Job[None]:
        """Read, in slices, what is near and visible now, and go on with it."""
        self.is_reading = True
        yield from self.item.reading(context, self.body, self._asked_for)
        self.is_reading, self._is_new = False, True

    def show(self, context: Context) -> None:
        """Put the objects where they are now; what may overlap is see-through."""
        self.item.show(context)

    def marks(self, view: View) -> Marks:
        """Return what is drawn of what is shown."""
        target = None if self.transform is None else self.transform.target(view, self._mouse)
        marks = self.item.marks(self.body, target)
        self._contact_count, self._bilateral_count = len(marks.contacts), int(marks.bilateral.sum())
        pulls = self.item.ties_shown()
        if self.handle is not None:
            point = self.handle.in_world(self.item.poses[self.handle.body])
            pulls.append((point, view.under_mouse(self._mouse, point)))
        return replace(marks, pulls=np.array(pulls).reshape(-1, 2, 3))

    # what the mouse does

    def follow(self, view: View, mouse: Floats) -> None:
        """Follow the mouse, which is at a pixel (2,)."""
        self._mouse = mouse
        if self.transform is not None:
            self.transform, self._is_on_its_way = self.transform.with_mouse(view, self._mouse), True

    def begin_transform(self, view: View, mouse: Floats, *, turns: bool, axis: str | None = None) -> None:
        """Begin to move or to turn the body by hand, perhaps only along an axis."""
        if self.transform is not None:
            self.end_transform(keep=False)
        self.follow(view, mouse)
        pose = self.item.poses[self.body]
        centre = pose.points(self.subject.body.mass.center)
        number, self._requested = None if axis is None else AXES[axis], None
        begun = TransformInput(turns, pose, centre, self._mouse, number)
        self.transform = begun.with_mouse(view, self._mouse)
        self._description = self.transform.description(view, pose)

    def type(self, event: InputEvent) -> None:
        """Take a key for an axis or a number, where a body is moved by hand."""
        if self.transform is not None:
            self.transform, self._is_on_its_way = self.transform.with_key(event), True

    def end_transform(self, *, keep: bool) -> None:
        """End moving or turning by hand; without `keep` the body goes back to where that began."""
        transform, self.transform, self._asked_for = self.transform, None, None
        if transform is not None and not keep:
            self.item.put(self.body, transform.start)
        elif self.item.overlapping is not None:
            self.item.put(self.body, self.item.overlapping[self.body])

    def take_point(self, context: Context, view: View, event: InputEvent, action: PointAction) -> bool:
        """Take the point under the mouse; return False if that is of no body that is placed."""
        self.follow(view, view.mouse(event))
        seen = object_under(context, view, self._mouse)
        body = None if seen is None else self.item.body_of(seen[0])
        if seen is None or body is None or self.item.overlapping is not None:
            return False
        self.body = body
        self.handle = self.item.handle_at(action, body, seen[1])
        return True

    def tie_to(self, context: Context, view: View, event: InputEvent) -> None:
        """Tie the point that was taken to what is under the mouse, or to the place there."""
        handle, self.handle = self.handle, None
        assert handle is not None
        self.follow(view, view.mouse(event))
        point = handle.in_world(self.item.poses[handle.body])
        seen = object_under(context, view, self._mouse)
        self.item.ties.append(handle.tie(view.under_mouse(self._mouse, point) if seen is None else seen[1]))
        self._apply_ties(context)

    def release_point(self, context: Context) -> None:
        """Release the point that was taken."""
        self.handle = None
        self._apply_ties(context)

    # what keys do

    def toggle_through(self) -> None:
        """Let a body that is moved by hand pass through things, or no more."""
        self.through, self._requested = not self.through, None
        if not self.through and self.item.overlapping is not None:
            self.item.put(self.body, self.item.overlapping[self.body])

    def toggle_friction(self, context: Context) -> None:
        """Let the settings' friction act from here on, or none."""
        self.steered.toggle_friction(settings_of(scene_of(context)).friction)

    def toggle_bilateral(self, view: View, event: InputEvent) -> None:
        """Let the contact under the mouse stick from here on, or no more. Raises SceneError for none."""
        self.follow(view, view.mouse(event))
        if not self.item.toggle_bilateral(view, self._mouse):
            remedy = "point at a corner of its outline, or at its point"
            raise SceneError(self.subject.name, "no contact is under the mouse", remedy)

    def next(self, context: Context) -> Job[None]:
        """Leave this object here, and go on with the next one that is selected, which is read in slices."""
        if self._together:
            self.body = (self.body + 1) % len(self.item.subjects)
            return
        if self.interferes:
            raise SceneError(self.subject.name, "it overlaps something", "move it clear first")
        following = self._following()
        if following is None:
            raise SceneError(self.subject.name, "no other object is selected", "select those to place first")
        item = yield from PlacementItem.beginning(context, [following.object], self.item.scenario.options)
        self.finished.append(self.item)
        self.item, self.body, self._is_new = item, 0, True
        self._turn = self._movers.index(following)
        self._make_active(context, following)

    def _following(self) -> ObjectReference | None:
        """Return the object that is placed after this one; None for no other."""
        present = [mover for mover in self._movers if mover.found() is not None]
        if len(present) < 2:
            return None
        return present[(present.index(self._movers[self._turn]) + 1) % len(present)]

    def extricating(self, context: Context) -> Job[None]:
        """Free what is placed of all that it overlaps by the least motion, in slices."""
        if self.transform is None and self.item.overlapping is not None:
            yield from self.item.extricating(context)
            self._is_new = True

    def key_here(self, context: Context) -> None:
        """Key this rest, once it is confirmed, on the frame that is shown now; or no more."""
        frame = scene_of(context).frame_current
        self.item.key_frame = frame if self.item.key_frame is None else None

    # how it ends

    @property
    def items(self) -> list[PlacementItem]:
        """All placements of the session, in turn."""
        return [*self.finished, self.item]

    @property
    def is_undisturbed(self) -> bool:
        """Whether the objects are as they are shown."""
        latest = {item.subjects[0].reference: item for item in self.items}
        return all(item.is_undisturbed for item in latest.values())

    def write(self, context: Context) -> list[Outcome]:
        """Write the objects where they are shown. Raises PhysPlaceError, with everything put back."""
        try:
            for item in self.items:
                item.check_writable(context)
        finally:
            self.put_back(context)
        return written_in_turn(context, self.items)

    @property
    def starts(self) -> dict[ObjectReference, Pose]:
        """The objects that are placed now, each with the pose that it was released at."""
        return self.item.starts

    def leave(self, context: Context) -> None:
        """Leave the object where it was moved by hand, not placed. Raises SceneError, with it put back."""
        poses = self.item.poses
        self.put_back(context)
        self.item.leave(context, poses)

    def put_back(self, context: Context) -> None:
        """Put everything back to where it was."""
        for item in reversed(self.items):
            item.put_back(context)
        self._make_active(context, self._active)

    def show_again(self, context: Context) -> None:
        """Show everything where it is, after it was put back."""
        for item in self.items:
            item.show(context)
        self._make_active(context, self.subject.reference)

    # what the header says

    def figures(self) -> str:
        """Return how far the placement is, in one line."""
        if self.transform is not None:
            return one_line([f'"{self.subject.name}": {self._description}', *self.contact_figures()])
        if self.item.overlapping is not None:
            return one_line([f'"{self.subject.name}"', *self.contact_figures()])
        steered, solver = self.steered, self.steered.solver
        settings, history, subjects = solver.settings, steered.history, self.item.subjects
        name = self.item.name if len(subjects) == 1 else f"{len(subjects)} objects"
        status = "on its way" if self._may_go_on else solver.status.message.split(":")[0]
        parts = [f"{name}: {'paused, ' if steered.paused else ''}{status}"]
        parts.append(f"state {history.shown} of {len(solver.states) - 1}")
        parts += [f"{steered.pacing.step_seconds:.1f} s a step"] if steered.is_slow else []
        parts += self.contact_figures()
        parts += [f"freed by {steered.run.freed_by_text()}"] if steered.run.freed_by > 0.0 else []
        parts += [f"friction {settings.friction:.2g}"] if settings.friction > 0.0 else []
        parts += [] if settings.check_energy else ["may rise"]
        parts += [counted(len(self.item.ties), "tie")] if self.item.ties else []
        parts += [f"keyed on frame {self.item.key_frame}"] if self.item.key_frame is not None else []
        return one_line(parts)

    @property
    def _may_go_on(self) -> bool:
        return self.steered.is_running or not self.steered.history.is_latest

    def offers(self, context: Context) -> list[tuple[str, str]]:
        """Return which actions apply now that an artist may not think of, each with what it would do."""
        if self.handle is not None and self.handle.action is PointAction.TIE:
            return [("TIE", "ties that point to where it is clicked")]
        if self.transform is not None or self.item.overlapping is not None:
            return []
        solver, offers = self.steered.solver, list[tuple[str, str]]()
        if self._may_go_on:
            offers.append(("CONFIRM", "leaves it here, before it rests"))
        elif solver.status.at_rest:
            offers += [] if solver.is_stable else [("LEAVE", "tips it over")]
            frame = scene_of(context).frame_current
            offers += [("KEY", f"keys it on frame {frame}")] if self.item.key_frame is None else []
        following = None if self._together else self._following()
        return offers + ([("NEXT", f'goes on with "{following.name}"')] if following else [])

    def contact_figures(self) -> list[str]:
        """Return what the object touches or overlaps, in words."""
        if self.item.overlapping is not None:
            overlaps = [] if self.item.is_clear(self.body) else [self.item.overlap_in_words()]
            return [*overlaps, "goes through things"]
        contacts = counted(self._contact_count, "contact")
        bilateral = f", {self._bilateral_count} sticking" if self._bilateral_count else ""
        return [contacts + bilateral, *(["goes through things"] if self.through else [])]

    # what the rest is made of

    def _apply_transform(self, view: View, transform: TransformInput, seconds: float) -> bool:
        """Move the body to where the artist asks for it, as far as it gets.

        It passes through things if it may, or as long as it overlaps any. Returns whether anything is to be
        shown anew: it moved, or it stands still and is asked to be elsewhere.
        """
        target, before = transform.target(view, self._mouse), self.steered.state
        self._asked_for = target
        if self.item.is_near_unread(self.body, target):
            return False
        requested = target.translation.tobytes(), target.rotation.tobytes(), transform.typed
        self._is_on_its_way = False
        if self.through or self.item.overlapping is not None:
            self.item.move_through(self.body, target)
            if not self.through and self.item.is_clear(self.body):
                self.item.put(self.body, target)
        else:
            self._is_on_its_way = self._drag(transform, target, seconds)
        if self.steered.state is before and (self._is_on_its_way or requested == self._requested):
            return False
        self._description = transform.description(view, self.item.poses[self.body])
        self._requested = requested
        return True

    def _drag(self, transform: TransformInput, target: Pose, seconds: float) -> bool:
        """Slide the body towards a pose, first back to its start if its axis was changed."""
        pivot = transform.pivot
        if transform.returns and self.steered.drag(transform.start, self.body, pivot, None, seconds):
            return True
        self.transform = replace(transform, returns=False)
        return self.steered.drag(target, self.body, pivot, transform.axes, seconds)

    def _make_active(self, context: Context, reference: ObjectReference) -> None:
        objects, obj = view_layer_of(context).objects, reference.found()
        if obj is not None and obj.name in objects:
            objects.active = obj

    def _apply_ties(self, context: Context) -> None:
        check_energy = settings_of(scene_of(context)).check_energy
        self.steered.apply_forces(self.item.ties, check_energy=check_energy)
