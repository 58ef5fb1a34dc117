# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact regions that were found last, in the sidebar."""

from __future__ import annotations

from typing import Final, Literal

from bpy.types import Context, Panel, UILayout

from ..core.wording import counted
from ..operators.regions.contact_regions import (
    PHYSPLACE_OT_contact_region_pick,
    PHYSPLACE_OT_contact_regions,
    PHYSPLACE_OT_contact_regions_clear,
)
from ..operators.regions.shown import shown
from ..scene.access import present, scene_of
from ..scene.writing.region_report import (
    SHAPES,
    Region,
    RegionReport,
    last_regions,
    overlaps_in_words,
    shapes_in_words,
)
from ..translations.spoken import spoken
from .sidebar import PHYSPLACE_PT_place, draw_paragraph

MOST: Final = 20  # regions that are listed; the report has all

_ICONS: Final[tuple[Literal["DOT", "IPO_LINEAR", "MESH_PLANE"], ...]] = ("DOT", "IPO_LINEAR", "MESH_PLANE")


class PHYSPLACE_PT_regions(Panel):
    """Finding the contact regions of the selected objects, and the list of them."""

    bl_idname = "PHYSPLACE_PT_regions"
    bl_label = "Contact Regions"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "PhysPlace"
    bl_parent_id = PHYSPLACE_PT_place.bl_idname

    def draw(self, context: Context) -> None:
        """Draw the button, the summary, and one line a region."""
        layout = present(self.layout)
        report = last_regions(scene_of(context))
        row = layout.row(align=True)
        row.operator(PHYSPLACE_OT_contact_regions.bl_idname, icon="SELECT_INTERSECT")
        row.operator(PHYSPLACE_OT_contact_regions_clear.bl_idname, text="", icon="X")
        if report is None:
            return
        layout.label(text=spoken(shapes_in_words(report)), translate=False)
        for overlap in overlaps_in_words(scene_of(context), report):
            draw_paragraph(context, layout, overlap, "ERROR")
        _draw_regions(layout, report)
        for note in report["notes"]:
            draw_paragraph(context, layout, note, "INFO")


def _draw_regions(layout: UILayout, report: RegionReport) -> None:
    drawn = shown()
    column = layout.column(align=True)
    for number, region in enumerate(report["regions"][:MOST]):
        row = column.row(align=True)
        row.alignment = "LEFT"
        pick = row.operator(
            PHYSPLACE_OT_contact_region_pick.bl_idname,
            text=_line(region),
            translate=False,
            icon=_ICONS[region["dimension"]],
            emboss=drawn is not None and drawn.chosen == number,
        )
        pick.number = number
    left = report["count"] - MOST
    if left > 0:
        layout.label(text=spoken(f"and {counted(left, 'more region')}"), icon="BLANK1", translate=False)


def _line(region: Region) -> str:
    shape = SHAPES[region["dimension"]]
    points = "" if shape == "point" else f", {counted(len(region['gaps']), 'point')}"
    return f"{region['object_1']} - {region['object_2']}: {spoken(shape + points)}"
