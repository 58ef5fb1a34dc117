# SPDX-License-Identifier: GPL-3.0-or-later
"""One placement of a session: what was read of its objects, what solves, and where the objects are shown."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Final

import bpy
import numpy as np
from bpy.types import Context, Object

from ...core.arrays import Floats
from ...core.contact.system import closest_boundary_point
from ...core.jobs import Job, Progress
from ...core.placement import Connection, Force, Local, Status
from ...core.placement.checking import names_of_overlapped, overlapping
from ...core.placement.contact_query import ContactQuery, QueriedContacts
from ...core.rigid import Pose
from ...core.wording import in_words
from ...overlay.marks import Marks, blocking_contacts, marks_of_state
from ...scene.changes import check_as_read
from ...scene.differences import SceneWatch
from ...scene.reading.nearness import Travel
from ...scene.reading.scenario import Scenario, reading, reading_more
from ...scene.reading.subjects.movers import named_whole
from ...scene.reading.subjects.options import PlacementOptions
from ...scene.reading.subjects.subject import Subject
from ...scene.reading.visible import Family
from ...scene.references import ObjectReference
from ...scene.writing.actions import keys_restored_on_error
from ...scene.writing.outcome import Outcome, move
from ...scene.writing.preview import Preview
from ...scene.writing.read_back import check_world_matrix
from ..rests.keyed import key_as_rests
from ..view import View, nearest_pixel
from .extricate import cleared_of_overlaps
from .manipulation.point_handle import PointAction, PointHandle
from .run import PlacementRun, begin_run, beginning, settings_for
from .steered_solver import SteeredSolver

SAME_PULL: Final = 0.02  # change of a pull, over its strength, that is too small to branch for
NEAR: Final = 20.0  # pixels between the mouse and a contact within which the mouse is on it


class PlacementItem:
    """One placement, from what is read to what is written.

    steered: the solver. overlapping: the poses of all bodies while one was moved through things; None while
    nothing overlaps. ties: what draws points to places from now on. key_frame: the frame that the rest will
    be keyed on; None for no key. is_from_place: whether its first state follows from where the objects stood
    and the options alone. name: of the first object, as the header has it.
    """

    def __init__(self, run: PlacementRun, preview: Preview, watch: SceneWatch) -> None:
        self._preview = preview
        self._watch, self._is_outdated = watch, False
        self.steered = SteeredSolver(run)
        self.overlapping = self.steered.state.poses if self.interferes else None
        self.overlapped: tuple[str, ...] = ()
        self.ties: list[Connection] = []
        self.key_frame: int | None = None
        self.is_from_place = True
        self.name = named_whole(self.subjects[0].object)
        self._owners = self._owners_now()
        self._standing: ContactQuery | None = None
        self._found: tuple[Pose, QueriedContacts] | None = None

    @classmethod
    def beginning(
        cls,
        context: Context,
        movers: Sequence[Object],
        options: PlacementOptions | None = None,
        poses: Sequence[Pose] | None = None,
    ) -> Job[PlacementItem]:
        """Read the objects and begin, in slices, from where they stand unless poses are given.

        options: the scene's if None. Raises PhysPlaceError.
        """
        watch = SceneWatch(context)
        scenario = yield from reading(context, movers, options=options)
        preview = Preview(scenario.subjects)
        preview.check_writable(context)
        yield Progress("Beginning")
        run = yield from beginning(context, scenario, settings_for(context, scenario), (), poses)
        if poses is not None:
            preview.show(context, poses)
            preview.accept()
        item = cls(run, preview, watch)
        item.is_from_place = poses is None
        if item.interferes:
            yield from item.finding_overlapped()
        return item

    @property
    def scenario(self) -> Scenario:
        """The objects, and what was read around them."""
        return self.steered.run.scenario

    def finding_overlapped(self) -> Job[None]:
        """Find, in slices, the names of what is overlapped where the objects are now."""
        solver = self.steered.solver
        setup, poses = solver.setup, solver.state.poses
        overlaps = yield from overlapping(setup.bodies, poses, setup.world, setup.settings.start_tolerance)
        found = [name for body in range(len(poses)) for name in names_of_overlapped(overlaps, body)]
        self.overlapped = tuple(dict.fromkeys(found))

    def extricating(self, context: Context) -> Job[None]:
        """Free the objects of all overlaps by the least motion, in slices, and begin there.

        Raises PlacementError if no motion was found that clears them.
        """
        here = tuple(
            replace(subject, pose=pose, start=pose)
            for subject, pose in zip(self.subjects, self.poses, strict=True)
        )
        settings, forces = self.steered.solver.settings, self.steered.solver.forces
        cleared = yield from cleared_of_overlaps(context, replace(self.scenario, subjects=here), settings)
        scenario = replace(cleared, subjects=self.subjects)
        poses = [subject.pose for subject in cleared.subjects]
        self.steered.start_again(lambda: begin_run(scenario, settings, forces, poses))
        self._begun_anew()

    def _begun_anew(self) -> None:
        self.is_from_place = False
        self.overlapping = self.steered.state.poses if self.interferes else None
        self.overlapped = ()
        self._standing = self._found = None

    # what is read on the way

    def is_near_unread(self, body: int, target: Pose | None) -> bool:
        """Return whether what moves may meet something that is not read; target: that of a body by hand."""
        if self.scenario.misses(self.poses):
            return True
        return target is not None and self.scenario.misses(self.poses, [self._travel(body, target)])

    def is_outdated(self, context: Context) -> bool:
        """Return whether something else has changed the scene since the world was read.

        It is looked now and then whether other objects are visible.
        """
        self._note_differences(context)
        return self._is_outdated

    def _note_differences(self, context: Context, *, at_once: bool = False) -> None:
        differing = self._watch.differing(context, at_once=at_once)
        self._is_outdated = self._is_outdated or bool(differing)

    def reading(self, context: Context, body: int, target: Pose | None) -> Job[None]:
        """Read, in slices, what is visible and near now, and go on with it.

        Raises PhysPlaceError, which names it, if one of the objects is not the one any more that was read.
        """
        self._note_differences(context, at_once=True)
        if self._is_outdated:
            check_as_read(context, self.subjects)
            self._preview.check_shown(context)
            self._is_outdated = False
        travels = [] if target is None else [self._travel(body, target)]
        scenario = yield from reading_more(context, self.scenario, self.poses, travels)
        self.steered.go_on_in(scenario)
        self._standing = self._found = None
        self._owners = self._owners_now()
        if self.interferes and self.overlapping is None:  # what was changed is where the objects are
            self._begun_anew()
            yield from self.finding_overlapped()

    def _owners_now(self) -> dict[str, ObjectReference]:
        """Return the objects that show the world, by name: all but those that are linked."""
        names = frozenset(self.scenario.owners).intersection(bpy.data.objects.keys())
        return {name: ObjectReference.of(bpy.data.objects[name]) for name in names}

    def _travel(self, body: int, target: Pose) -> Travel:
        """Return the way of a body to a pose."""
        return Travel(target.translation - self.poses[body].translation, 1.0)

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """The objects that move."""
        return self.scenario.subjects

    @property
    def poses(self) -> tuple[Pose, ...]:
        """The poses that the bodies are shown at, in the world."""
        return self.steered.state.poses if self.overlapping is None else self.overlapping

    @property
    def interferes(self) -> bool:
        """Whether what is shown overlaps something."""
        return self.steered.solver.status is Status.INTERFERING_START

    @property
    def starts(self) -> dict[ObjectReference, Pose]:
        """The objects, and the poses that they were released at."""
        history = self.steered.history
        poses = history.states[history.began].poses
        return {subject.reference: pose for subject, pose in zip(self.subjects, poses, strict=True)}

    def body_of(self, full_name: str) -> int | None:
        """Return the number of the body that an object of this full name is part of; None for the world's."""
        families = [Family.of(subject.object).names for subject in self.subjects]
        return next((i for i, names in enumerate(families) if full_name in names), None)

    def handle_at(self, action: PointAction, body: int, place: Floats) -> PointHandle:
        """Return a handle at the point of a body that is nearest to a place (3,) of the world."""
        shape = self.subjects[body].body
        at = closest_boundary_point(shape, self.poses[body].inverse().points(place))
        return PointHandle(action, body, at.point, at.normal, shape.radius)

    # how it moves

    def move_through(self, body: int, pose: Pose) -> None:
        """Show a body at a pose, whatever is there."""
        self.overlapping, self.overlapped = self._with(body, pose), ()

    def put(self, body: int, pose: Pose) -> None:
        """Begin anew with a body at a pose, whatever is there."""
        poses = self._with(body, pose)
        settings, forces = self.steered.solver.settings, self.steered.solver.forces

        def begin() -> PlacementRun:
            return begin_run(self.scenario, settings, forces, poses)

        self.steered.start_again(begin)
        self._begun_anew()

    def pull(self, view: View, mouse: Floats, handle: PointHandle) -> None:
        """Pull or push at a handle; a force that hardly differs from the present one changes nothing."""
        pose, solver = self.poses[handle.body], self.steered.solver
        force = handle.force(pose, view.under_mouse(mouse, handle.in_world(pose)))
        forces: list[Force] = [*self.ties] if force is None else [*self.ties, force]
        if solver.settings.check_energy or not _are_alike(forces, solver.forces):
            self.steered.apply_forces(forces, check_energy=False)

    def toggle_bilateral(self, view: View, mouse: Floats) -> bool:
        """Let the contact under the mouse stick, or no more. Return False if there is none."""
        if self.overlapping is not None:
            return False
        state, problem = self.steered.state, self.steered.solver.problem
        touching = problem.touching_rows(state.system, state.points)
        touching = touching[~state.points.on_curve[touching]]
        number = nearest_pixel(state.points.point1[touching], view, mouse, NEAR)
        if number is None:
            return False
        contacts = state.bilateral.toggled(state.local_points, int(touching[number]))
        self.steered.set_bilateral(contacts)
        return True

    def _with(self, body: int, pose: Pose) -> tuple[Pose, ...]:
        return (*self.poses[:body], pose, *self.poses[body + 1 :])

    # what is seen

    @property
    def is_undisturbed(self) -> bool:
        """Whether the objects are as they are shown, and none of the world's is deleted."""
        return self._preview.is_undisturbed and self._world_is_there()

    def _world_is_there(self) -> bool:
        """Return whether all objects that show the world exist, be it under other names."""
        missing = self._owners.keys() - bpy.data.objects.keys()
        return all(self._owners[name].found() for name in missing)

    def show(self, context: Context) -> None:
        """Put the objects where they are now; what may overlap is see-through."""
        self._preview.show(context, self.poses, see_through=self.overlapping is not None)

    def put_back(self, context: Context) -> None:
        """Put the objects that are still there back to where they were."""
        self._preview.restore(context)

    def marks(self, body: int, target: Pose | None) -> Marks:
        """Return what is drawn; target: the pose that the artist asks of a body, if it is moved by hand."""
        if self.overlapping is not None:
            return self._overlaps(body)
        state = self.steered.state
        marks = marks_of_state(self.steered.solver, state)
        if target is None:
            return marks
        return replace(marks, collisions=blocking_contacts(state, body, target))

    def ties_shown(self) -> list[tuple[Floats, Floats]]:
        """Return from where to where (3,) each tie draws, in the world, as the bodies are shown."""
        return [(self.poses[tie.body].points(tie.point), tie.target) for tie in self.ties]

    def overlap_in_words(self) -> str:
        """Return what it overlaps, and what to do about it."""
        what = in_words(self.overlapped) if self.overlapped else "something"
        return f"overlaps {what}: free it by Extricate, or move it clear"

    def is_clear(self, body: int) -> bool:
        """Return whether a body that is moved through things overlaps none."""
        return not len(self._collisions(body))

    def _overlaps(self, body: int) -> Marks:
        """Return marks where a body that is moved through things cuts them."""
        radius = self.subjects[body].body.radius
        return replace(Marks.none(), collisions=self._collisions(body), radius=radius)

    def _collisions(self, body: int) -> Floats:
        """Return where a body overlaps anything (c, 3), in the world."""
        subject, pose = self.subjects[body], self.poses[body]
        if self._standing is None:
            still = [
                other.body.transformed(self.poses[i].matrix4)
                for i, other in enumerate(self.subjects)
                if i != body
            ]
            self._standing = ContactQuery.of(subject.body, pose, [*self.scenario.world, *still])
        if self._found is None or self._found[0] is not pose:
            self._found = pose, self._standing.at(pose, self.scenario.rounding)
        return self._found[1].collisions

    # how it ends

    def check_writable(self, context: Context) -> None:
        """Raise SceneError for an object that does not stand where it is put."""
        self.show(context)
        for subject, pose in zip(self.subjects, self.poses, strict=True):
            check_world_matrix(context, subject.object, subject.space, subject.world_matrix(pose))

    def write(self, context: Context) -> list[Outcome]:
        """Write the objects where they are shown, as placed; `put_back` still takes them to where they were.

        Raises PhysPlaceError.
        """
        self.steered.drop_later_states()
        self.steered.solver.interrupt()
        written = self.steered.run.write(context)
        if self.key_frame is not None:
            key_as_rests(context, written, self.key_frame)
        return written

    def accept(self) -> None:
        """Make where the objects are now that to which they are put back."""
        self._preview.accept()

    def leave(self, context: Context, poses: Sequence[Pose]) -> None:
        """Leave the objects at poses, not placed. Raises SceneError, with them put back."""
        move(context, self.subjects, poses)


def written_in_turn(context: Context, items: Sequence[PlacementItem]) -> list[Outcome]:
    """Write placements, one after another. Raises PhysPlaceError, with objects and keys all put back."""
    objects = {subject.reference: subject.object for item in items for subject in item.subjects}
    with ExitStack() as undo:
        for obj in objects.values():
            undo.enter_context(keys_restored_on_error(obj))
        outcomes = [outcome for item in items for outcome in item.write(context)]
    for item in items:
        item.accept()
    return outcomes


def _are_alike(first: Sequence[Force], second: Sequence[Force]) -> bool:
    """Return whether forces are the same, except for pulls at one point that hardly differ."""
    return len(first) == len(second) and all(
        one is other or (isinstance(one, Local) and isinstance(other, Local) and _is_like(one, other))
        for one, other in zip(first, second, strict=True)
    )


def _is_like(one: Local, other: Local) -> bool:
    change = one.strength * one.direction - other.strength * other.direction
    small = float(np.sqrt(change @ change)) <= SAME_PULL * other.strength
    return small and one.body == other.body and np.array_equal(one.point, other.point)
