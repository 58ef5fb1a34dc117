# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact Regions: where the selected objects touch, listed, drawn, and reported for scripts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from bpy.props import FloatProperty, IntProperty
from bpy.types import Context, Operator, Scene

from ...core.errors import PlacementError
from ...core.placement.contact_query import ContactQuery
from ...core.rigid import Pose
from ...overlay.regions import RegionMarks
from ...scene.access import scene_of, view_layer_of
from ...scene.reading.selection import ComparedBody, read_selection
from ...scene.units import length_text
from ...scene.writing.region_report import (
    PairContact,
    last_regions,
    overlaps_in_words,
    region_report,
    remove_regions,
    shapes_in_words,
    write_regions,
)
from ...translations.spoken import spoken
from ..common import Conclusion, ObjectOperator, cursor_progress, object_mode_reason
from .shown import clear, show, shown

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

_LARGEST: Final = 0.1  # of an object's radius: the largest tolerance, above which its features are one


class PHYSPLACE_OT_contact_regions(ObjectOperator):
    """Find the regions in which the selected objects touch, draw them and keep a report."""

    bl_idname = "physplace.contact_regions"
    bl_label = "Contact Regions"
    bl_description = (
        "Find where the selected objects touch each other, or where the only selected one touches all else: "
        "the points, lines and faces of contact. Nothing is moved; they are drawn, and listed in a report"
    )

    if TYPE_CHECKING:
        tolerance: float
    else:
        tolerance: FloatProperty(
            name="Tolerance",
            description=(
                "How far apart surfaces may be and still count as touching. At 0, only what "
                "rounding of Blender's coordinates can part counts"
            ),
            default=0.0,
            min=0.0,
            soft_max=0.1,
            precision=5,
            subtype="DISTANCE",
        )

    @classmethod
    def disabled_reason(cls, context: Context) -> str | None:
        """Return why it cannot run now, or None: it needs a selected object, in Object Mode."""
        none = len(view_layer_of(context).objects.selected) == 0
        return object_mode_reason(context) or (
            "Nothing is selected: select objects to see where they touch each other" if none else None
        )

    def work(self, context: Context) -> Conclusion:
        """Ask core about each pair of objects that are near; keep the report, and draw what was found."""
        compared = read_selection(context)
        pairs, marks = [], []
        near = compared.near_pairs(_checked_tolerance(self.tolerance))
        _check_sizes(scene_of(context), near, self.tolerance)
        with cursor_progress() as progress:
            for number, (first, second) in enumerate(near):
                pair, mark = _contact(first, second, self.tolerance)
                if len(pair.regions) or pair.penetrates:
                    pairs.append(pair)
                    marks.append(mark)
                progress.show((number + 1) / len(near))
        report = region_report(pairs, compared.left_out)
        write_regions(scene_of(context), report)
        clear()
        if pairs:
            show(marks, compared.objects)
        overlaps = overlaps_in_words(scene_of(context), report)
        text = "; ".join([shapes_in_words(report), *overlaps, *compared.left_out])
        return Conclusion(not report["penetrations"], text)


def _checked_tolerance(tolerance: float) -> float:
    """Return the tolerance, in scene units.  Raises PlacementError where it is no finite length."""
    if not np.isfinite(tolerance) or tolerance < 0.0:
        raise PlacementError(f"tolerance: it is {tolerance}; give a finite length of 0 or more")
    return tolerance


def _check_sizes(scene: Scene, near: Sequence[tuple[ComparedBody, ComparedBody]], tolerance: float) -> None:
    """Raise PlacementError where a tolerance, in scene units, is no small part of an object."""
    bodies = [compared for pair in near for compared in pair]
    smallest = min(bodies, key=lambda compared: compared.body.radius, default=None)
    if smallest is not None and tolerance > _LARGEST * smallest.body.radius:
        most = _LARGEST * smallest.body.radius
        raise PlacementError(
            f'tolerance: {length_text(tolerance, scene)} is too large for "{smallest.name}", of which all '
            f"would touch; give at most {length_text(most, scene)}, or leave that object out"
        )


def _contact(first: ComparedBody, second: ComparedBody, tolerance: float) -> tuple[PairContact, RegionMarks]:
    """Return the contact of two bodies, and what is drawn of it."""
    query = ContactQuery.of(first.body, Pose.identity(), [second.body])
    found = query.at(Pose.identity(), max(tolerance, first.rounding + second.rounding))
    depth = found.overlap if found.overlaps else 0.0
    pair = PairContact(first.name, second.name, found.regions, depth, found.collisions)
    size = min(first.body.radius, second.body.radius)
    return pair, RegionMarks(pair.regions, pair.places, size)


class PHYSPLACE_OT_contact_regions_clear(Operator):
    """Take the contact regions and their report away."""

    bl_idname = "physplace.contact_regions_clear"
    bl_label = "Clear Contact Regions"
    bl_description = "Draw the contact regions no more, and remove their report"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether there is anything to take away; the button's tooltip gives the reason if not."""
        if shown() is not None or last_regions(scene_of(context)) is not None:
            return True
        cls.poll_message_set(spoken("There are no contact regions to clear"))
        return False

    def execute(self, context: Context) -> set[OperatorReturnItems]:
        """Clear the drawing and the report."""
        clear()
        remove_regions(scene_of(context))
        return {"FINISHED"}


class PHYSPLACE_OT_contact_region_pick(Operator):
    """Pick one of the drawn regions out."""

    bl_idname = "physplace.contact_region_pick"
    bl_label = "Pick Contact Region"
    bl_description = "Draw this region white and in front of everything; press it again to end that"
    bl_options = {"INTERNAL"}

    if TYPE_CHECKING:
        number: int
    else:
        number: IntProperty(name="Number", description="The region's number in the report", min=0)

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether regions are drawn; the button's tooltip gives the reason if not."""
        if shown() is not None:
            return True
        cls.poll_message_set(spoken("The regions are not drawn now: press Contact Regions again"))
        return False

    def execute(self, context: Context) -> set[OperatorReturnItems]:
        """Pick it out."""
        regions = shown()
        if regions is not None:
            regions.choose(self.number)
        return {"FINISHED"}
