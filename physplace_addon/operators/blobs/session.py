# SPDX-License-Identifier: GPL-3.0-or-later
"""A blob under the artist's hands: its empties on one side, the sculpting solver on the other.

The artist may move control points and elements with whatever tool, type properties, add and delete empties,
undo. Each tick all that is read; the surface follows it, and what the solver changes is written back. A
control point that was moved is pulled towards its empty, until it is there, or comes no nearer: then the
empty is put where the surface is. An element that was moved stays as the artist has it for a while, and the
others make up for it.
"""

from __future__ import annotations

from time import perf_counter
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
from ...scene.blobs.elements import Seating
from ...scene.blobs.empties import Empties
from ...scene.blobs.making import add_control
from ...scene.blobs.models import SHARE, BlobModel, floater_settings, read_blob
from ...scene.blobs.objects import family_of
from ...scene.reading.scenario import check_editable
from ...scene.writing.duplicate import Selected, select_only
from ..view import View
from .rays import blob_marks, inverse, nearest_pixel, surface_near, surface_under, transformed

SEED: Final = 1
STALLED: Final = 12  # steps without coming nearer, after which a pulled control point is where it can be
KEEPS_HOLD: Final = 20  # ticks for which an element is the artist's after it was moved


class BlobSession:
    """Reads, steps and writes a blob until it is done."""

    def __init__(self, context: Context, blob: Object) -> None:
        """Begin with a blob as it is. Raises PhysPlaceError, with nothing changed."""
        for obj in family_of(blob):
            check_editable(obj)
        self.model = read_blob(blob)
        self.empties = Empties(blob)
        self.problem: str | None = None
        self.held: str | None = None
        self._pulled: dict[str, int] = {}
        self._arrived: set[str] = set()
        self._grabbed: dict[str, int] = {}
        self.lost: list[str] = []
        self._selected = Selected.of(context)
        controls = ControlPoints.pinned(
            [seat.centre.tolist() for seat in self.model.controls],
            [seat.name for seat in self.model.controls],
        )
        settings = SculptSettings(floater_settings(self.model))
        self.solver = Sculpting(self.model.sculpted(), settings, np.random.default_rng(SEED), controls)
        self._before = self.state

    @property
    def state(self) -> SculptState:
        """The surface as it is."""
        return self.solver.state

    @property
    def is_undisturbed(self) -> bool:
        """Whether the blob is still there."""
        return self.empties.is_there

    @property
    def part_done(self) -> float | None:
        """Nothing here takes long."""
        return None

    def show_again(self, context: Context) -> None:
        """All that is done is in the scene already."""

    def put_back(self, context: Context) -> None:
        """Have the blob as it was, and what was selected; `lost` names what cannot be had."""
        self.lost = self.empties.restore(context)
        self._selected.restore(context)

    # what the artist does

    def tick(self, context: Context, seconds: float) -> bool:
        """Heed what has changed, step for so long, write; tell whether anything is to be drawn anew."""
        changed = self.look(context)
        if self.problem is not None or not self.is_undisturbed:
            return changed
        stepped = self.step(seconds)
        if stepped:
            self.empties.write(context, self._seatings())
        return stepped or changed

    def look(self, context: Context) -> bool:
        """Heed what the artist has changed since; tell whether that is anything."""
        changed = self.empties.changed()
        self._let_go()
        if not self.empties.is_there or not (changed or self.problem is not None):
            return bool(changed)
        try:
            self._read(context, changed)
        except PhysPlaceError as error:
            self.problem = str(error)
        return True

    def _read(self, context: Context, changed: frozenset[str]) -> None:
        """Read what has changed: while control points are moved, nothing else is. Raises PhysPlaceError."""
        there = changed.issubset(bpy.data.objects.keys())
        if self.problem is None and there and changed.issubset(seat.name for seat in self.model.controls):
            self.model = self.model.with_controls_as_they_are(changed)
            self.empties.look_at(changed)
            self._take_controls(changed, jump=False)
            return
        view_layer_of(context).update()
        model = read_blob(bpy.data.objects[self.empties.blob])
        self.empties.look_again()
        self.problem = None
        self._take(model, changed)

    def _take(self, model: BlobModel, changed: frozenset[str]) -> None:
        """Go on with the blob as the artist has it now. Raises SceneError."""
        resized = floater_settings(model) if model.sigma != self.model.sigma else None
        elements = {name for slot in model.slots for name in slot.names}
        moved = changed.intersection(elements)
        self._grabbed.update(dict.fromkeys(moved, KEEPS_HOLD))
        before, self.model = self.model, model.without_rounding(self.model_now(), moved)
        if resized is not None:
            self.solver.settings = SculptSettings(resized)
        if moved or not self.model.is_combined_as(before):
            self._change_function()
        self._take_controls(changed, jump=bool(moved))

    def model_now(self) -> BlobModel:
        """The model with the parameters that the solver has given it."""
        return self.model.with_sculpted(self.state.function)

    def _change_function(self) -> None:
        grabbed = frozenset(self._grabbed)
        self.solver.change_function(self.model.sculpted(grabbed))

    def _let_go(self) -> None:
        """Elements that the artist has not moved for a while are the solver's again."""
        if not self._grabbed:
            return
        self._grabbed = {name: ticks - 1 for name, ticks in self._grabbed.items() if ticks > 1}
        if not self._grabbed:
            self.model = self.model_now()
            self._change_function()

    def _take_controls(self, changed: frozenset[str], jump: bool) -> None:
        names = {seat.name: seat for seat in self.model.controls}
        for name in [name for name in self.state.controls.names if name not in names]:
            self.solver.remove(self.index(name))
            self._pulled.pop(name, None)
            self.held = None if self.held == name else self.held
        for name, seat in names.items():
            if name not in self.state.controls.names:
                self.solver.add(seat.centre, name)
            elif name in changed and name != self.held:
                if jump:
                    self.solver.pin(self.index(name), seat.centre)
                else:
                    self.pull(name, seat.centre)

    def add_control(self, context: Context, place: Floats) -> str:
        """Pin the surface at a place (3,) of the blob's coordinates; tell the control point's name."""
        made = add_control(context, bpy.data.objects[self.empties.blob], place)
        name = made.name
        select_only(context, [made])
        self.look(context)
        return name

    def index(self, name: str) -> int:
        """The number of a control point."""
        return self.state.controls.names.index(name)

    def pull(self, name: str, place: Floats) -> None:
        """Pull a control point towards a place (3,) of the blob's coordinates."""
        self._pulled[name] = 0
        self.solver.drag(self.index(name), place)

    def take(self, name: str) -> None:
        """The hand takes hold of a control point."""
        self.held, self._before = name, self.state

    def let_go(self) -> None:
        """The hand lets go of what it holds: it stays where the surface has come to."""
        if self.held is not None and self.held in self.state.controls.names:
            self._release(self.held)
        self.held = None

    def take_back(self) -> None:
        """All is as when the hand took hold, if the blob is still made in the same way."""
        before, now = self._before, self.state
        alike = before.controls.names == now.controls.names and before.function.names == now.function.names
        if alike:
            self.solver.resume_from(before)
        self.let_go()

    def _release(self, name: str) -> None:
        self._pulled.pop(name, None)
        self._arrived.add(name)
        self.solver.release(self.index(name))

    # what the surface does

    def step(self, seconds: float) -> bool:
        """Step for so long, or until the surface is at rest; tell whether it was not."""
        end = perf_counter() + seconds
        stepped = False
        while self.state.status is SculptStatus.RUNNING or self._pulled:
            self.solver.step()
            self._arrive()
            stepped = True
            if perf_counter() >= end:
                break
        return stepped

    def _arrive(self) -> None:
        """Control points that are where they are pulled to, or come no nearer, are pinned there."""
        state, near = self.state, 1e-3 * self.solver.settings.floaters.radius
        for name in [name for name in self._pulled if name != self.held]:
            i = state.controls.names.index(name)
            self._pulled[name] = self._pulled[name] + 1 if state.stuck[i] else 0
            if state.left[i] <= near or self._pulled[name] >= STALLED:
                self._release(name)

    def _seatings(self) -> list[Seating]:
        """What is written: all elements but those in the artist's hands; the control point that is held, and
        those that were let go of.
        """
        seatings = [each for each in self.model_now().seatings() if each.name not in self._grabbed]
        for seat in self.model.controls:
            if seat.name == self.held or seat.name in self._arrived:
                place = self.state.controls.position[self.index(seat.name)]
                seatings.append(Seating(seat.name, seat.location_for(place), seat.scale))
        self._arrived.clear()
        return seatings

    def settle(self, steps: int) -> None:
        """Step until the surface has come to its control points, so many steps at most."""
        for _ in range(steps):
            if self.solver.step().status is not SculptStatus.RUNNING:
                break

    def write(self, context: Context) -> None:
        """Write what the solver has come to."""
        self.empties.write(context, self._seatings())

    # what is seen

    def control_near(self, view: View, mouse: Floats, pixels: float) -> str | None:
        """The name of the control point next to the mouse, so many pixels off at most."""
        near = nearest_pixel(self.in_world(self.state.controls.position), view, mouse, pixels)
        return None if near is None else self.state.controls.names[near]

    def under_mouse(self, view: View, mouse: Floats, name: str) -> Floats:
        """The place (3,), in the blob's coordinates, under the mouse and as far away as a control point."""
        depth = self.in_world(self.state.controls.position[self.index(name)][None])[0]
        return np.asarray(self.in_blob(view.under_mouse(mouse, depth)[None])[0])

    def hit(self, view: View, mouse: Floats) -> Floats | None:
        """Where the surface is under the mouse (3,), in the blob's coordinates; None where it is not."""
        return surface_under(self.state.function, self.frame, view, mouse)

    @property
    def frame(self) -> Floats:
        """The blob's world matrix (4, 4) as it is now; while it flattens space, as it was read last."""
        now = np.array(bpy.data.objects[self.empties.blob].matrix_world, dtype=np.float64)
        return now if is_invertible(now) else self.model.frame

    def in_world(self, places: Floats) -> Floats:
        """Places (k, 3) of the blob's coordinates in the world."""
        return transformed(self.frame, places)

    def in_blob(self, places: Floats) -> Floats:
        """Places (k, 3) of the world in the blob's coordinates."""
        return transformed(inverse(self.frame), places)

    def nearest(self, world: Floats) -> Floats | None:
        """A place of the surface (3,) near one (3,) of the world, in the blob's coordinates; or None."""
        size = self.solver.settings.floaters.radius / SHARE
        return surface_near(self.state.function, self.in_blob(world[None])[0], size)

    def marks(self, chosen: Floats | None = None) -> BlobMarks:
        """What is drawn; chosen: a place (3,) of the surface, as if a control point were there."""
        marks = blob_marks(self.state, self.frame)
        return marks if chosen is None else marks.with_control(self.in_world(chosen[None]))

    def figures(self) -> str:
        """How it is, in a line."""
        if self.problem is not None:
            return self.problem
        state = self.state
        particles = counted(len(state.floaters), "particle")
        points = counted(len(state.controls), "control point")
        return f"{self.model.name}: {particles}, {points}; {state.message}"
