# SPDX-License-Identifier: GPL-3.0-or-later
"""Replicate: copies of the active object fall from where it fell from, one after another.

The active object counts as one of them: if it was not placed since it was last put somewhere by hand, it is
placed first. All is solved before the first copy is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import Context

from ...core import bodies
from ...core.bodies import Body
from ...core.errors import PhysPlaceError
from ...core.jobs import Job, Progress
from ...core.placement import Filled, Placement
from ...core.placement.replication import Spacing, Turn, Turns, filling
from ...scene.access import present, scene_of
from ...scene.errors import SceneError
from ...scene.reading.scenario import Scenario, completed
from ...scene.reading.subjects.subject import Subject
from ...scene.reading.visible import Family
from ...scene.references import ObjectReference
from ...scene.writing import duplicate
from ...scene.writing.outcome import Outcome, write_rests
from ..common import Conclusion, NeedsShape, other_object
from ..sliced import SlicedOperator
from .options import PlacementProperties
from .run import key_options, poses_to_fall_from, reading_to_move, settings_for


class PHYSPLACE_OT_replicate(NeedsShape, PlacementProperties, SlicedOperator):
    """Let copies of the active object come to rest, each from the same start."""

    bl_options = {"REGISTER", "UNDO", "PRESET"}
    bl_idname = "physplace.replicate"
    bl_label = "Replicate"
    bl_description = (
        "Copy the active object, with linked data, and let each copy fall from where the object fell from, "
        "onto those before it. Place it first, or put it where the copies shall start"
    )

    if TYPE_CHECKING:
        count: int
        until_full: bool
        container: str
        margin: float
        turn: str
        seed: int
    else:
        count: IntProperty(
            name="Copies",
            description="The number of copies to place",
            default=1,
            min=1,
            soft_max=100,
        )
        until_full: BoolProperty(
            name="Until Full",
            description="Go on until the next copy would not stay in the container",
            default=False,
        )
        container: StringProperty(
            name="Container",
            description="The name of the object the copies must stay in; those that do not are not kept",
        )
        margin: FloatProperty(
            name="Margin",
            description=(
                "How far copies keep away from each other, seen in the direction in which they fall: each "
                "falls beside those before it. 0 lets them fall onto each other"
            ),
            subtype="DISTANCE",
            default=0.0,
            min=0.0,
            soft_max=1.0,
        )
        turn: EnumProperty(
            name="Random Turn",
            description="How each copy is turned, by chance, before it falls",
            items=(
                ("NONE", "None", "All copies fall alike"),
                ("HEADING", "Heading", "About the direction in which they fall: upright things stay upright"),
                ("ANY", "Any", "In any way"),
            ),
            default="NONE",
        )
        seed: IntProperty(
            name="Seed",
            description="Number that the random turns are drawn from. The same seed gives the same turns",
            default=0,
            min=0,
        )

    def draw(self, context: Context) -> None:
        """Draw the container as a choice of the scene's objects; the number is grey when filling up."""
        layout = present(self.layout)
        layout.use_property_split = True
        column = layout.column()
        column.active = not self.until_full
        column.prop(self, "count")
        layout.prop(self, "until_full")
        layout.prop_search(self, "container", scene_of(context), "objects")
        layout.prop(self, "margin")
        column = layout.column(align=True)
        column.prop(self, "turn")
        seed = column.column()
        seed.active = self.turn != Turn.NONE.value
        seed.prop(self, "seed")
        self.draw_options(layout)

    def job(self, context: Context) -> Job[Conclusion]:
        """Solve all copies, then make those that stay."""
        scenario = yield from self._scenario(context)
        subject = scenario.subject
        first = 0 if subject.is_placed else 1  # the object itself is placed, too
        while True:
            filled = yield from self._filling(context, scenario, first)
            met = [[state.pose] for copy in filled.placed for state in copy.states]
            met = [poses for poses in met if scenario.misses(poses)]
            if not met:
                break
            for poses in met:  # a copy came near something that was not read: all fall anew among it
                scenario = yield from completed(context, scenario, poses)
        if not filled.placed:
            raise SceneError(
                subject.name,
                f"no copy of it comes to rest from its start ({filled.reason})",
                "put it clear of everything, above the place where the copies shall lie",
            )
        copies = write_copies(context, subject, filled.placed, first)
        enough = self.until_full or copies == self.count
        wanted = "" if enough else f" of {self.count}. The next one: {filled.reason}"
        return Conclusion(enough, f'"{subject.name}": copies at rest: {copies}{wanted}')

    def _scenario(self, context: Context) -> Job[Scenario]:
        """Read the object, what is near where it falls from, and the container."""
        named = Family.of(other_object(context, self.container)).names if self.container else frozenset()
        movers = self.movers(context, together=False)
        options = self.chosen_options(context, movers)
        if options.ground is not None:
            options = replace(options, ground=options.ground | named)
        scenario = yield from reading_to_move(context, movers, named, options)
        return (yield from completed(context, scenario, [scenario.subject.start]))

    def _filling(self, context: Context, scenario: Scenario, first: int) -> Job[Filled]:
        subject, world = scenario.subject, scenario.world
        container = container_of(context, scenario, self.container) if self.container else None
        if self.until_full and container is None:
            raise SceneError(subject.name, "nothing is given to fill with it", "choose a container")
        lying = (subject.body.transformed(subject.pose.matrix4),) if subject.is_placed else ()
        world = (*world, *lying)
        count = None if self.until_full else self.count + first
        yield Progress("Beginning")
        settings = settings_for(context, scenario)
        released = replace(scenario, subjects=(replace(subject, pose=subject.start),))
        (start,) = poses_to_fall_from(context, released)
        turns, spacing = Turns(Turn(self.turn), self.seed), Spacing(self.margin or None, lying)
        return (
            yield from filling(subject.body, start, world, settings, (), count, container, turns, spacing)
        )


def container_of(context: Context, scenario: Scenario, name: str) -> Body:
    """Return the body of an object and its children, which copies must stay in.

    Raises SceneError for one that is not there, or not visible.
    """
    container = other_object(context, name)
    parts = scenario.bodies_of(Family.of(container).names)
    if not parts:
        raise SceneError(name, "it has no visible faces", "choose a container that can be seen")
    return parts[0] if len(parts) == 1 else bodies.merge(parts, name)


def write_copies(context: Context, subject: Subject, placed: Sequence[Placement], first: int) -> int:
    """Write the placements: the `first` ones, none or one, to the object itself, the others to new copies.

    Returns how many copies there are; they are selected. Raises SceneError, with all as it was, if a
    transform cannot be written.
    """
    obj = subject.object
    copies = [duplicate.duplicate(context, obj) for _ in placed[first:]]
    references = [ObjectReference.of(each) for each in (*[obj] * first, *copies)]
    outcomes = [
        Outcome(
            replace(subject, reference=reference), [state.pose for state in copy.states], copy.certificate()
        )
        for reference, copy in zip(references, placed, strict=True)
    ]
    keys = key_options(scene_of(context))
    try:
        write_rests(context, outcomes, replace(keys, in_turn=True) if keys else None)
    except PhysPlaceError:
        for copy in copies:
            duplicate.remove(copy)
        raise
    if copies:
        duplicate.select_only(context, copies)
    return len(copies)
