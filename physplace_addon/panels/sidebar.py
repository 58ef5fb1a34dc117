# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar tab PhysPlace: placing and checking, forces, settings, the active object's last report.

Blender cuts the middle out of a label that is too long for its panel, so long texts are broken into lines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

import blf
from bl_ui.utils import PresetPanel
from bpy.types import Context, Panel, UILayout

from ..core.mesh.cleaning import PLACELESS
from ..core.placement import Status
from ..operators.example import PHYSPLACE_OT_example_open
from ..operators.forces.connect import PHYSPLACE_OT_connect
from ..operators.forces.push import PHYSPLACE_OT_nudge, PHYSPLACE_OT_push
from ..operators.placing.check import PHYSPLACE_OT_check
from ..operators.placing.drop import PHYSPLACE_OT_drop_selected
from ..operators.placing.extricate import PHYSPLACE_OT_extricate
from ..operators.placing.live_check import running, switches_of
from ..operators.placing.place import PHYSPLACE_OT_place
from ..operators.placing.replicate import PHYSPLACE_OT_replicate
from ..operators.settings_presets import SUBFOLDER, PHYSPLACE_OT_settings_preset_add
from ..scene.access import active_object, present, scene_of
from ..scene.reading.settings import settings_of
from ..scene.reading.subjects.movers import named_whole, whole_of
from ..scene.reading.subjects.options import Onto
from ..scene.writing.report import Report, figures_of, last_report, notes_of, sentence_of
from ..scene.writing.surface_meshes import definition_error
from ..translations.spoken import spoken

Icon = Literal["INFO", "ERROR", "CHECKMARK", "BLANK1"]
UNIT: Final = 20  # height of a button in pixels, at an interface scale of 1
MARGINS: Final = 3.0  # width beside a text in units: the panel's borders, its tabs, the label's margins
FONT: Final = 0  # number of Blender's default font
LINES: Final = 2  # of a report that has no more words: one that has more moves what is below


class PHYSPLACE_PT_place(Panel):
    """Placing and checking the active object."""

    bl_idname = "PHYSPLACE_PT_place"
    bl_label = "Place"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "PhysPlace"

    def draw_header_preset(self, _: Context) -> None:
        """Draw the menu of examples into the header, where it takes no line from the panels below."""
        examples = present(self.layout).row()
        examples.emboss = "NONE"
        examples.operator_menu_enum(PHYSPLACE_OT_example_open.bl_idname, "example", icon="FILE_3D")

    def draw(self, context: Context) -> None:
        """Draw the operators of placing, and the name of the active object."""
        layout = present(self.layout)
        active = active_object(context)
        column = layout.column(align=True)
        column.operator(PHYSPLACE_OT_place.bl_idname, icon="IMPORT")
        reason = PHYSPLACE_OT_place.disabled_reason(context)
        if reason is not None:
            draw_paragraph(context, layout, reason, "INFO")
        if len(context.selected_objects) > 1:
            column.operator(PHYSPLACE_OT_drop_selected.bl_idname, icon="SORT_ASC")
            together = column.operator(PHYSPLACE_OT_place.bl_idname, text="Place Selected Together")
            together.together = True
        column.operator(PHYSPLACE_OT_check.bl_idname, icon="VIEWZOOM")
        column.prop(switches_of(context), "live_check", icon="HIDE_OFF", toggle=True)
        live = running()
        if live is not None:
            column.label(text=spoken(live.line), icon="INFO", translate=False)
        column = layout.column(align=True)
        column.operator(PHYSPLACE_OT_replicate.bl_idname, icon="DUPLICATE")
        column.operator(PHYSPLACE_OT_extricate.bl_idname, icon="EXPORT")
        if active is not None:
            layout.label(text=spoken(named_whole(active)), icon="OBJECT_DATA", translate=False)
            wrong = definition_error(active)
            if wrong:
                draw_paragraph(context, layout, wrong, "ERROR")


class PHYSPLACE_PT_options(Panel):
    """Onto what objects fall, and how they stand before they do."""

    bl_idname = "PHYSPLACE_PT_options"
    bl_label = "Options"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "PhysPlace"
    bl_parent_id = PHYSPLACE_PT_place.bl_idname
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        """Draw the options."""
        layout, chosen = present(self.layout), settings_of(scene_of(context))
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(chosen, "onto")
        if chosen.onto == Onto.COLLECTION.value:
            layout.prop(chosen, "onto_collection")
        layout.prop(chosen, "stance")
        layout.prop(chosen, "whole_models")


class PHYSPLACE_PT_forces(Panel):
    """Pushing, nudging and drawing the active object."""

    bl_idname = "PHYSPLACE_PT_forces"
    bl_label = "Forces"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "PhysPlace"
    bl_parent_id = PHYSPLACE_PT_place.bl_idname
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        """Draw the forces, and the place where they act."""
        layout = present(self.layout)
        row = layout.row(align=True)
        row.operator(PHYSPLACE_OT_nudge.bl_idname)
        row.operator(PHYSPLACE_OT_push.bl_idname)
        row.operator(PHYSPLACE_OT_connect.bl_idname)
        layout.label(text="At the 3D cursor", icon="PIVOT_CURSOR")


class PHYSPLACE_PT_settings_presets(PresetPanel, Panel):
    """The presets of the settings: a list to choose from, and a field for the name of a new one."""

    bl_idname = "PHYSPLACE_PT_settings_presets"
    bl_label = "Settings Presets"
    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    preset_subdir = SUBFOLDER
    preset_operator = "script.execute_preset"
    preset_add_operator = PHYSPLACE_OT_settings_preset_add.bl_idname


class PHYSPLACE_PT_settings(Panel):
    """The settings of the scene."""

    bl_idname = "PHYSPLACE_PT_settings"
    bl_label = "Settings"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "PhysPlace"
    bl_parent_id = PHYSPLACE_PT_place.bl_idname
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header_preset(self, _: Context) -> None:
        """Draw the menu of presets into the header."""
        PHYSPLACE_PT_settings_presets.draw_panel_header(present(self.layout))

    def draw(self, context: Context) -> None:
        """Draw gravity, steps, contact, unstable rests and keys."""
        chosen = settings_of(scene_of(context))
        layout = present(self.layout)
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(chosen, "use_scene_gravity")
        if not chosen.use_scene_gravity:
            layout.prop(chosen, "gravity")
        steps = layout.column(align=True)
        steps.prop(chosen, "eps_max")
        steps.prop(chosen, "step_limit")
        steps.prop(chosen, "check_energy")
        steps.prop(chosen, "free_depth")
        contact = layout.column(align=True)
        contact.prop(chosen, "friction")
        share = contact.column()
        share.active = chosen.friction > 0.0
        share.prop(chosen, "alpha")
        contact.prop(chosen, "balance")
        layout.prop(chosen, "curve_smooth")
        chance = layout.column(align=True)
        chance.prop(chosen, "leave_metastable")
        seed = chance.column()
        seed.active = chosen.leave_metastable
        seed.prop(chosen, "seed")
        keys = layout.column(align=True)
        keys.prop(chosen, "key_path")
        frames = keys.column()
        frames.active = chosen.key_path
        frames.prop(chosen, "frame_step")
        frames.prop(chosen, "key_error")


class PHYSPLACE_PT_report(Panel):
    """How the active object's last placement or check ended."""

    bl_idname = "PHYSPLACE_PT_report"
    bl_label = "Last Report"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "PhysPlace"
    bl_parent_id = PHYSPLACE_PT_place.bl_idname

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether there is an active object; its first report then moves no button below."""
        return active_object(context) is not None

    def draw(self, context: Context) -> None:
        """Draw how it ended, in words, and a remedy where there is one."""
        report, layout = _report_of_active(context), present(self.layout)
        if report is None:
            draw_paragraph(context, layout, "Not placed or checked yet", "BLANK1", least=LINES)
            return
        well = Status[str(report["status"])].at_rest and report["stable"]
        draw_paragraph(context, layout, sentence_of(report), "CHECKMARK" if well else "ERROR", least=LINES)
        for note in notes_of(report):
            if note.endswith(PLACELESS):
                draw_paragraph(context, layout, note, "ERROR")
        if report.get("status") == Status.INTERFERING_START.name:
            remedy = layout.row()
            remedy.alert = True
            remedy.operator(PHYSPLACE_OT_extricate.bl_idname, icon="EXPORT")


class PHYSPLACE_PT_report_figures(Panel):
    """The figures of the last report, and what was found and assumed of the objects."""

    bl_idname = "PHYSPLACE_PT_report_figures"
    bl_label = "Figures and Notes"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "PhysPlace"
    bl_parent_id = PHYSPLACE_PT_report.bl_idname
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        """Draw one line a figure, and the notes below."""
        report = _report_of_active(context)
        if report is None:
            return
        layout = present(self.layout)
        for row in figures_of(report, scene_of(context)):
            line = layout.split(factor=0.55)
            line.label(text=spoken(row.label), translate=False)
            line.label(text=spoken(row.value), translate=False)
        for note in notes_of(report):
            draw_paragraph(context, layout, note, "INFO")


def _report_of_active(context: Context) -> Report | None:
    """Return the report of what moves when the active object is placed; None for none."""
    active = active_object(context)
    return None if active is None else last_report(whole_of(active))


def draw_paragraph(context: Context, layout: UILayout, text: str, icon: Icon, *, least: int = 1) -> None:
    """Draw a text in as many lines as the panel needs for it, at least so many, with an icon before."""
    preferences = present(context.preferences)
    scale = preferences.system.ui_scale
    blf.size(FONT, present(preferences.ui_styles)[0].widget.points * scale)
    room = present(context.region).width - (MARGINS + 1.0) * UNIT * scale
    column = layout.column(align=True)
    column.scale_y = 0.8  # closer than lines that have nothing to do with each other
    size: Any = blf.dimensions  # the stub says that it returns nothing
    lines = wrapped(spoken(text), room, lambda part: float(size(FONT, part)[0]))
    for line in [*lines, *[""] * (least - len(lines))]:
        column.label(text=line, icon=icon, translate=False)
        icon = "BLANK1"


def wrapped(text: str, room: float, width: Callable[[str], float]) -> list[str]:
    """Return a text broken between words into lines.

    Args:
        text: the text.
        room: the largest width of a line; a wider word has a line of its own.
        width: returns the width of a text, in the same unit as room.
    """
    lines: list[str] = []
    for word in text.split():
        if lines and width(f"{lines[-1]} {word}") <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
