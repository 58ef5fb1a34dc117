# SPDX-License-Identifier: GPL-3.0-or-later
"""The interactive session of sculpting a blob: its empties on one side, the sculpting solver on the other.

The artist may move control points and elements with any tool, type properties, add and delete empties, and
undo. Each tick reads all of that; the surface follows it, and what the solver changes is written back. A
control point that was moved is pulled towards its empty until it is there, or comes no nearer. Then the empty
is put where the surface is. An element that was moved stays as the artist has it for some ticks, and the
solver changes only the others.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import bpy
import numpy as np
from bpy.types import Context, Object

from ...core.arrays import Floats
from ...core.errors import PhysPlaceError
from ...core.implicit.control.control_points import ControlPoints
from ...core.implicit.control.sculpting import Sculpting
from ...core.implicit.control.state import SculptSettings, SculptState, SculptStatus
from ...core.wording import counted
from ...overlay.disks import BlobMarks
from ...scene.access import view_layer_of
from ...scene.affine import is_invertible
from ...scene.blobs.elements.elements import EmptyUpdate
from ...scene.blobs.empties import Empties
from ...scene.blobs.making import add_control
from ...scene.blobs.models import SHARE, BlobModel, read_blob, sculpt_settings, surface_bounds
from ...scene.blobs.objects import family_of
from ...scene.errors import SceneError
from ...scene.reading.subjects.movers import check_editable
from ...scene.writing.duplicate import Selected, select_only
from ..session import InteractiveSession, Pacing
from ..view import View, nearest_pixel
from .rays import blob_marks, inverse, surface_near, surface_under, transformed

SEED: Final = 1
STALLED: Final = 12  # steps without coming nearer after which a pulled control point is as near as it can be
FIXED_TICKS: Final = 20  # ticks after an element was moved in which the solver leaves it where it is


class BlobSession(InteractiveSession):
    """A blob that is sculpted: read, stepped and written in every tick.

    model: the blob as it was read last. empties: its objects in the scene. problem: why it cannot be solved
    now; None if it can. dragged: the name of the control point that the mouse drags; None for none. lost: the
    names of deleted objects that `put_back` could not make again.
    """

    def __init__(self, context: Context, blob: Object) -> None:
        """Begin with a blob as it is. Raises PhysPlaceError, with nothing changed."""
        for obj in family_of(blob):
            check_editable(obj)
        self.model = read_blob(blob)
        self.empties = Empties(blob)
        self.problem: str | None = None
        self.dragged: str | None = None
        self._pulled: dict[str, int] = {}
        self._arrived: set[str] = set()
        self._moved_elements: dict[str, int] = {}
        self.lost: list[str] = []
        self._selected = Selected.of(context)
        controls = ControlPoints.pinned(
            [transform.centre.tolist() for transform in self.model.controls],
            [transform.name for transform in self.model.controls],
        )
        settings = sculpt_settings(self.model)
        self.solver = Sculpting(self.model.sculpted(), settings, np.random.default_rng(SEED), controls)
        self._before_drag, self._model_before_drag = self.state, self.model
        self._moved_in_drag: set[str] = set()
        self._pacing = Pacing()

    @property
    def state(self) -> SculptState:
        """The surface and its control points as they are."""
        return self.solver.state

    @property
    def is_undisturbed(self) -> bool:
        """Whether the blob is still there."""
        return self.empties.is_there

    def show_again(self, context: Context) -> None:
        """Do nothing: the session writes to the scene all the time."""

    def put_back(self, context: Context) -> None:
        """Make the blob as it was before the session, and select what was selected."""
        self.lost = self.empties.restore(context)
        self._selected.restore(context)

    # what the artist does

    def tick(self, context: Context, seconds: float) -> bool:
        """Read what has changed, step for so many seconds, write; return whether to draw anything anew."""
        changed = self.look(context)
        if self.problem is not None or not self.is_undisturbed:
            return changed
        stepped = self.step(seconds)
        if stepped:
            self.empties.write(context, self._seatings())
        return stepped or changed

    def look(self, context: Context) -> bool:
        """Read what the artist has changed since the last tick; return whether that is anything."""
        changed = self.empties.changed()
        self._count_ticks()
        if not self.empties.is_there or not (changed or self.problem is not None):
            return bool(changed)
        try:
            self._read(context, changed)
        except PhysPlaceError as error:
            self.problem = str(error)
        return True

    def _read(self, context: Context, changed: frozenset[str]) -> None:
        """Read what has changed; the whole blob, unless only control points have. Raises PhysPlaceError."""
        there = changed.issubset(bpy.data.objects.keys())
        controls = [transform.name for transform in self.model.controls]
        if self.problem is None and there and changed.issubset(controls):
            self.model = self.model.with_current_controls(changed)
            self.empties.take_snapshots_of(changed)
            self._take_controls(changed, jump=False)
            return
        view_layer_of(context).update()
        model = read_blob(bpy.data.objects[self.empties.blob])
        settings = self._settings_of(model)  # may refuse: then what was moved is not yet taken as read
        self.empties.take_snapshots()
        self.problem = None
        self._take(model, settings, changed)

    def _settings_of(self, model: BlobModel) -> SculptSettings | None:
        """Return the settings for a blob as it is now; None to keep the present ones. Raises SceneError."""
        if model.settings != self.model.settings:
            return sculpt_settings(model)
        known, bounds = self.solver.settings, surface_bounds(model)
        former = known.floaters.bounds
        if bounds is former or (bounds is not None and former is not None and np.array_equal(bounds, former)):
            return None
        return replace(known, floaters=replace(known.floaters, bounds=bounds))

    def _take(self, model: BlobModel, settings: SculptSettings | None, changed: frozenset[str]) -> None:
        """Go on with the blob as it is now; settings: other ones, or None."""
        elements = {name for slot in model.slots for name in slot.names}
        moved = changed.intersection(elements)
        self._moved_elements.update(dict.fromkeys(moved, FIXED_TICKS))
        self._moved_in_drag.update(moved)
        before, self.model = self.model, model.without_rounding(self.model_now(), moved)
        if settings is not None:
            self.solver.settings = settings
        if moved or not self.model.is_combined_as(before):
            self._change_function()
        self._take_controls(changed, jump=bool(moved))

    def model_now(self) -> BlobModel:
        """Return the model with the parameters that the solver has found."""
        return self.model.with_sculpted(self.state.function)

    def _change_function(self) -> None:
        self.solver.change_function(self.model.sculpted(frozenset(self._moved_elements)))

    def _count_ticks(self) -> None:
        """Let the solver change elements again that were not moved for some ticks."""
        if not self._moved_elements:
            return
        self._moved_elements = {name: ticks - 1 for name, ticks in self._moved_elements.items() if ticks > 1}
        if not self._moved_elements:
            self.model = self.model_now()
            self._change_function()

    def _take_controls(self, changed: frozenset[str], jump: bool) -> None:
        names = {transform.name: transform for transform in self.model.controls}
        for name in [name for name in self.state.controls.names if name not in names]:
            self.solver.remove(self.index(name))
            self._pulled.pop(name, None)
            self.dragged = None if self.dragged == name else self.dragged
        for name, transform in names.items():
            if name not in self.state.controls.names:
                self.solver.add(transform.centre, name)
            elif name in changed and name != self.dragged:
                if jump:
                    self.solver.pin(self.index(name), transform.centre)
                else:
                    self.pull(name, transform.centre)

    def add_control(self, context: Context, place: Floats) -> str:
        """Pin the surface at a place (3,) of the blob's coordinates; return the control point's name."""
        made = add_control(context, bpy.data.objects[self.empties.blob], place)
        name = made.name
        select_only(context, [made])
        self.look(context)
        return name

    def index(self, name: str) -> int:
        """Return the number of a control point."""
        return self.state.controls.names.index(name)

    def pull(self, name: str, place: Floats) -> None:
        """Pull a control point towards a place (3,) of the blob's coordinates."""
        self._pulled[name] = 0
        self.solver.drag(self.index(name), place)

    def begin_drag(self, name: str) -> None:
        """Begin to drag a control point with the mouse."""
        self.dragged, self._moved_in_drag = name, set()
        self._before_drag, self._model_before_drag = self.state, self.model_now()

    def end_drag(self) -> None:
        """End dragging: the control point stays where the surface has come to."""
        if self.dragged is not None and self.dragged in self.state.controls.names:
            self._release(self.dragged)
        self.dragged = None

    def cancel_drag(self, context: Context) -> None:
        """Go back to before dragging; what something else has moved, added or deleted meanwhile stays so.

        Raises PhysPlaceError where the blob cannot be read now.
        """
        before, now, dragged = self._before_drag, self.state, self.dragged
        alike = before.controls.names == now.controls.names and before.function.names == now.function.names
        if alike and not self._moved_in_drag:
            self.solver.resume_from(before)
        else:
            self._take_elements_back(context)
        self.end_drag()
        if dragged in self.state.controls.names:
            place = before.controls.position[before.controls.names.index(dragged)]
            self.solver.pin(self.index(dragged), place)

    def _take_elements_back(self, context: Context) -> None:
        """Make elements as before dragging, but for those that something else has moved."""
        before, moved = self._model_before_drag, frozenset(self._moved_in_drag)
        self.empties.write(context, [each for each in before.updates() if each.name not in moved])
        self.model = read_blob(bpy.data.objects[self.empties.blob]).without_rounding(before, moved)
        self._change_function()

    def _release(self, name: str) -> None:
        self._pulled.pop(name, None)
        self._arrived.add(name)
        self.solver.release(self.index(name))

    # what the surface does

    def step(self, seconds: float) -> bool:
        """Step for so many seconds, or until the surface is at rest; return whether it has changed."""
        return bool(self._pacing.work(self._step, seconds))

    def _step(self) -> bool:
        runs = self.state.status is SculptStatus.RUNNING or bool(self._pulled)
        if runs:
            self.solver.step()
            self._release_arrived()
        return runs

    def _release_arrived(self) -> None:
        """Pin control points that are where they are pulled to, or come no nearer."""
        state, near = self.state, 1e-3 * self.solver.settings.floaters.radius
        for name in [name for name in self._pulled if name != self.dragged]:
            i = state.controls.names.index(name)
            self._pulled[name] = self._pulled[name] + 1 if state.stuck[i] else 0
            if state.left[i] <= near or self._pulled[name] >= STALLED:
                self._release(name)

    def _seatings(self) -> list[EmptyUpdate]:
        """Return what is written: the elements that the artist has not moved just now, the control point that
        is dragged, and those that were released.
        """
        updates = [each for each in self.model_now().updates() if each.name not in self._moved_elements]
        for transform in self.model.controls:
            if transform.name == self.dragged or transform.name in self._arrived:
                place = self.state.controls.position[self.index(transform.name)]
                updates.append(EmptyUpdate(transform.name, transform.location_for(place), transform.scale))
        self._arrived.clear()
        return updates

    def settle(self, steps: int) -> None:
        """Step until the surface has come to its control points, at most so many steps."""
        for _ in range(steps):
            if self.solver.step().status is not SculptStatus.RUNNING:
                break

    def write(self, context: Context) -> None:
        """Write what the solver has found to the scene."""
        self.empties.write(context, self._seatings())

    # what is seen

    def control_near(self, view: View, mouse: Floats, pixels: float) -> str | None:
        """Return the name of the control point that is seen nearest to the mouse, within so many pixels."""
        near = nearest_pixel(self.in_world(self.state.controls.position), view, mouse, pixels)
        return None if near is None else self.state.controls.names[near]

    def under_mouse(self, view: View, mouse: Floats, name: str) -> Floats:
        """Return the place (3,) under the mouse as far away as a control point, in the blob's coordinates."""
        depth = self.in_world(self.state.controls.position[self.index(name)][None])[0]
        return np.asarray(self.in_blob(view.under_mouse(mouse, depth)[None])[0])

    def hit(self, view: View, mouse: Floats) -> Floats | None:
        """Return where the surface is under the mouse (3,), in the blob's coordinates; or None."""
        return surface_under(self.state.function, self.frame, view, mouse)

    @property
    def frame(self) -> Floats:
        """The blob's world matrix (4, 4) as it is now; while it flattens space, as it was read last."""
        now = np.array(bpy.data.objects[self.empties.blob].matrix_world, dtype=np.float64)
        return now if is_invertible(now) else self.model.frame

    def in_world(self, places: Floats) -> Floats:
        """Return places (k, 3) of the blob's coordinates in the world."""
        return transformed(self.frame, places)

    def in_blob(self, places: Floats) -> Floats:
        """Return places (k, 3) of the world in the blob's coordinates."""
        return transformed(inverse(self.frame), places)

    def nearest(self, world: Floats) -> Floats:
        """Return a place (3,) of the surface, in the blob's coordinates, near one of the world.

        Raises:
            SceneError: none was found.
        """
        size = self.solver.settings.floaters.radius / SHARE
        place = surface_near(self.state.function, self.in_blob(world[None])[0], size)
        if place is None:
            raise SceneError(
                self.model.name, "no surface was found there", "give a place that is nearer to it"
            )
        return place

    def marks(self, chosen: Floats | None = None) -> BlobMarks:
        """Return what is drawn; chosen: a place (3,) of the surface that is drawn as a control point."""
        marks = blob_marks(self.state, self.frame)
        return marks if chosen is None else marks.with_control(self.in_world(chosen[None]))

    def figures(self) -> str:
        """Return how the surface is, in one line."""
        if self.problem is not None:
            return self.problem
        state = self.state
        particles = counted(len(state.floaters), "particle")
        points = counted(len(state.controls), "control point")
        return f'"{self.model.name}": {particles}, {points}; {state.message}'
