# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that are placed at once: what was read of them, what solves, and where they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import bpy
import numpy as np
from bpy.types import Context, Object

from ...core.arrays import Floats
from ...core.contact.points.nearest import nearest_point
from ...core.placement import Connection, Force, Local, Status
from ...core.placement.contact_query import Found, Standing
from ...core.rigid import Pose
from ...overlay.marks import Marks, in_the_way, marks_of_state
from ...scene.reading.scenario import Subject, read
from ...scene.reading.visible import Family
from ...scene.writing.outcome import Outcome, move
from ...scene.writing.preview import Preview
from ...scene.writing.transform import check_stands_at
from ..rests.rests import key_as_rests
from ..view import View
from .point_handle import Grip, Kind
from .run import Session, session_of, settings_for
from .solving import Placing

SAME = 0.02  # of a pull's strength: a change that does not bend the way


class Go:
    """One placement, from what is read to what is written.

    free: where bodies stand that the hand has put through things; None where nothing overlaps.  ties: what
    draws points to places from now on.  key_frame: where the rest shall be keyed, or None.
    """

    def __init__(
        self, context: Context, movers: Sequence[Object], poses: Sequence[Pose] | None = None
    ) -> None:
        """Read the objects and begin, from where they are unless told. Raises PhysPlaceError."""
        self.scenario = read(context, movers)
        self._preview = Preview(self.subjects)
        self._preview.check_obeyed(context)
        session = session_of(self.scenario, settings_for(context, self.scenario), (), poses)
        self.placing = Placing(session)
        self.free = self.placing.state.poses if self.interferes else None
        self.ties: list[Connection] = []
        self.key_frame: int | None = None
        self._families = tuple(frozenset(Family.of(mover).names) for mover in movers)
        self._owners = frozenset(self.scenario.owners).intersection(bpy.data.objects.keys())
        self._standing: Standing | None = None
        self._found: tuple[Pose, Found] | None = None
        if poses is not None:
            self._preview.show(context, poses)
            self._preview.stay()

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """The objects that move."""
        return self.scenario.subjects

    @property
    def poses(self) -> tuple[Pose, ...]:
        """Where everything is shown."""
        return self.placing.state.poses if self.free is None else self.free

    @property
    def interferes(self) -> bool:
        """Whether what is shown overlaps something."""
        return self.placing.solver.status is Status.INTERFERING_START

    @property
    def starts(self) -> dict[str, Pose]:
        """The objects, and the poses that the hand let them go at."""
        state = self.placing.solver.states[self.placing.began]
        return {subject.name: pose for subject, pose in zip(self.subjects, state.poses, strict=True)}

    def body_of(self, full_name: str) -> int | None:
        """The number of the body that an object of this full name is part of; None for the world's."""
        return next((i for i, names in enumerate(self._families) if full_name in names), None)

    def grip(self, kind: Kind, body: int, point: Floats) -> Grip:
        """Hold a body at the point nearest to one (3,) of the world."""
        shape = self.subjects[body].body
        at = nearest_point(shape, self.poses[body].inverse().points(point))
        return Grip(kind, body, at.point, at.normal, shape.radius)

    # how it moves

    def fly(self, body: int, pose: Pose) -> None:
        """Show a body at a pose, whatever is there."""
        self.free = self._with(body, pose)

    def put(self, body: int, pose: Pose) -> None:
        """Begin anew with a body at a pose, whatever is there."""
        poses = self._with(body, pose)
        settings, forces = self.placing.solver.settings, self.placing.solver.forces

        def begin() -> Session:
            return session_of(self.scenario, settings, forces, poses)

        self.placing.start_again(begin)
        self.free = poses if self.interferes else None
        self._standing = self._found = None

    def pull(self, view: View, mouse: Floats, grip: Grip) -> None:
        """Pull, or push, at the point that is held; hardly another pull than acts already changes nothing."""
        pose, solver = self.poses[grip.body], self.placing.solver
        force = grip.force(pose, view.under_mouse(mouse, grip.held_at(pose)))
        forces: list[Force] = [*self.ties] if force is None else [*self.ties, force]
        if solver.settings.check_energy or not _are_alike(forces, solver.forces):
            self.placing.act(forces, check_energy=False)

    def _with(self, body: int, pose: Pose) -> tuple[Pose, ...]:
        return (*self.poses[:body], pose, *self.poses[body + 1 :])

    # what is seen

    @property
    def is_undisturbed(self) -> bool:
        """Whether the objects are as they are shown, and none of the world's is deleted."""
        return self._preview.is_undisturbed and self._owners.issubset(bpy.data.objects.keys())

    def show(self, context: Context) -> None:
        """Put the objects where they are now; what may overlap is see-through."""
        self._preview.show(context, self.poses, see_through=self.free is not None)

    def put_back(self, context: Context) -> None:
        """Put the objects that are still there back to where they were."""
        self._preview.restore(context)

    def marks(self, body: int, target: Pose | None) -> Marks:
        """What is drawn; target: where the hand wants to have a body, if it is in one."""
        if self.free is not None:
            return self._overlaps(body)
        state = self.placing.state
        marks = marks_of_state(self.placing.solver, state)
        if target is None:
            return marks
        return replace(marks, collisions=in_the_way(state, body, target))

    def ties_shown(self) -> list[tuple[Floats, Floats]]:
        """From where to where each tie pulls (3,), as the bodies are shown."""
        return [(self.poses[tie.body].points(tie.point), tie.target) for tie in self.ties]

    def is_clear(self, body: int) -> bool:
        """Whether the body that the hand moves through things overlaps none."""
        return not len(self._cuts(body))

    def _overlaps(self, body: int) -> Marks:
        """Where the body that the hand moves through things cuts them."""
        return replace(Marks.none(), collisions=self._cuts(body), radius=self.subjects[body].body.radius)

    def _cuts(self, body: int) -> Floats:
        """Where the body overlaps anything (c, 3)."""
        subject, pose = self.subjects[body], self.poses[body]
        if self._standing is None:
            still = [
                other.body.transformed(self.poses[i].matrix4)
                for i, other in enumerate(self.subjects)
                if i != body
            ]
            self._standing = Standing.of(subject.body, pose, [*self.scenario.world, *still])
        if self._found is None or self._found[0] is not pose:
            self._found = pose, self._standing.at(pose, self.scenario.rounding)
        return self._found[1].collisions

    # how it ends

    def check_writable(self, context: Context) -> None:
        """Raise SceneError for an object that does not stand where it is put."""
        self.show(context)
        for subject, pose in zip(self.subjects, self.poses, strict=True):
            check_stands_at(context, bpy.data.objects[subject.name], subject.world_matrix(pose))

    def write(self, context: Context) -> list[Outcome]:
        """Write the objects where they are shown, as placed. Raises PhysPlaceError, with them put back."""
        self.placing.cut()
        written = self.placing.session.write(context)
        if self.key_frame is not None:
            key_as_rests(context, written, self.key_frame)
        self._preview.stay()
        return written

    def leave(self, context: Context, poses: Sequence[Pose]) -> None:
        """Leave the objects at poses, not placed. Raises SceneError, with them put back."""
        move(context, self.subjects, poses)


def _are_alike(first: Sequence[Force], second: Sequence[Force]) -> bool:
    """Whether forces are the same, but for pulls at one point that hardly differ."""
    return len(first) == len(second) and all(
        one is other or (isinstance(one, Local) and isinstance(other, Local) and _is_like(one, other))
        for one, other in zip(first, second, strict=True)
    )


def _is_like(one: Local, other: Local) -> bool:
    change = one.strength * one.direction - other.strength * other.direction
    small = float(np.sqrt(change @ change)) <= SAME * other.strength
    return small and one.body == other.body and np.array_equal(one.point, other.point)
