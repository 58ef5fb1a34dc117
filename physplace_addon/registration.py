# SPDX-License-Identifier: GPL-3.0-or-later
"""The ordered list of what PhysPlace adds to Blender. Unregistering is its exact reverse.

A class stands after every class it refers to: settings first, then operators, then the panels that show both.
If something cannot be registered, all that was registered before it is taken away again, so that Blender
never keeps half an extension.
"""

from collections.abc import Callable
from contextlib import ExitStack
from typing import cast

import bpy

from . import translations
from .operators import (
    example,
    menus,
    modal,
    modal_handlers,
    preferences,
    scene_handlers,
    settings_presets,
    tool,
)
from .operators.batch import command
from .operators.blobs import add, bake, control_add, live, mesh, metaballs, playback, sculpt, whole
from .operators.forces import connect, push
from .operators.keys import keymaps, pie_key
from .operators.linkages import drag as linkage_drag
from .operators.linkages import known as linkage_known
from .operators.linkages import sit as linkage_sit
from .operators.linkages import solve as linkage_solve
from .operators.placing import check, drop, extricate, live_check, place, replicate
from .operators.placing.manipulation import drag
from .operators.regions import contact_regions
from .operators.regions import shown as shown_regions
from .operators.rests import forces
from .operators.rests import keyed as rest_operators
from .operators.simulating import simulate
from .overlay import drawing
from .panels import blobs as blob_panels
from .panels import linkages as linkage_panels
from .panels import regions as region_panels
from .panels import rests as rest_panels
from .panels import sidebar, simulating
from .properties import PhysPlaceSettings
from .rest_properties import OVERRIDABLE, PhysPlaceObject, PhysPlaceRest, PhysPlaceRestForce

CLASSES: tuple[type, ...] = (
    PhysPlaceSettings,
    PhysPlaceRestForce,
    PhysPlaceRest,
    PhysPlaceObject,
    live_check.PhysPlaceSwitches,
    *keymaps.OPERATORS,
    preferences.PhysPlacePreferences,
    place.PHYSPLACE_OT_place,
    drag.PHYSPLACE_OT_drag,
    tool.PHYSPLACE_GGT_drag,
    check.PHYSPLACE_OT_check,
    push.PHYSPLACE_OT_nudge,
    push.PHYSPLACE_OT_push,
    connect.PHYSPLACE_OT_connect,
    replicate.PHYSPLACE_OT_replicate,
    drop.PHYSPLACE_OT_drop_selected,
    extricate.PHYSPLACE_OT_extricate,
    contact_regions.PHYSPLACE_OT_contact_regions,
    contact_regions.PHYSPLACE_OT_contact_regions_clear,
    contact_regions.PHYSPLACE_OT_contact_region_pick,
    add.PHYSPLACE_OT_blob_add,
    control_add.PHYSPLACE_OT_blob_control_add,
    sculpt.PHYSPLACE_OT_blob_sculpt,
    mesh.PHYSPLACE_OT_blob_mesh,
    mesh.PHYSPLACE_OT_blob_particles,
    metaballs.PHYSPLACE_OT_blob_from_metaballs,
    metaballs.PHYSPLACE_OT_blob_to_metaballs,
    whole.PHYSPLACE_OT_blob_delete,
    whole.PHYSPLACE_OT_blob_duplicate,
    whole.PHYSPLACE_OT_blob_update,
    whole.PHYSPLACE_OT_blob_element_delete,
    bake.PHYSPLACE_OT_blob_bake,
    bake.PHYSPLACE_OT_blob_free_bake,
    rest_operators.PHYSPLACE_OT_keyframe_rest,
    rest_operators.PHYSPLACE_OT_rests_replace,
    rest_operators.PHYSPLACE_OT_rest_remove,
    forces.PHYSPLACE_OT_rest_push_add,
    forces.PHYSPLACE_OT_rest_connection_add,
    forces.PHYSPLACE_OT_rest_force_remove,
    simulate.PHYSPLACE_OT_simulate,
    linkage_drag.PHYSPLACE_OT_linkage_drag,
    linkage_solve.PHYSPLACE_OT_linkage_pull,
    linkage_solve.PHYSPLACE_OT_linkage_solve,
    linkage_sit.PHYSPLACE_OT_linkage_sit,
    linkage_known.PHYSPLACE_OT_linkage_mirror,
    linkage_known.PHYSPLACE_OT_linkage_rest,
    example.PHYSPLACE_OT_example_open,
    settings_presets.PHYSPLACE_OT_settings_preset_add,
    menus.PHYSPLACE_MT_object,
    menus.PHYSPLACE_MT_pie,
    sidebar.PHYSPLACE_PT_place,
    sidebar.PHYSPLACE_PT_report,
    sidebar.PHYSPLACE_PT_report_figures,
    sidebar.PHYSPLACE_PT_options,
    sidebar.PHYSPLACE_PT_forces,
    rest_panels.PHYSPLACE_UL_rests,
    rest_panels.PHYSPLACE_PT_rests,
    region_panels.PHYSPLACE_PT_regions,
    sidebar.PHYSPLACE_PT_settings_presets,
    sidebar.PHYSPLACE_PT_settings,
    simulating.PHYSPLACE_PT_simulate,
    linkage_panels.PHYSPLACE_PT_figures,
    blob_panels.PHYSPLACE_PT_blobs,
)

# Settings that hang on Blender's own data: (Blender's type, the attribute's name, the settings' class).
POINTERS: tuple[tuple[type, str, type], ...] = (
    (bpy.types.Scene, "physplace", PhysPlaceSettings),
    (bpy.types.Object, "physplace", PhysPlaceObject),
    (bpy.types.WindowManager, "physplace", live_check.PhysPlaceSwitches),
)

# Entries in Blender's own menus: (the menu, the function that draws them).
MENUS = (
    (bpy.types.VIEW3D_MT_object, menus.draw_object_menu),
    (bpy.types.VIEW3D_MT_object_context_menu, menus.draw_context_menu),
    (bpy.types.VIEW3D_MT_add, menus.draw_add_menu),
    (bpy.types.VIEW3D_MT_pose, menus.draw_pose_menu),
)

# Functions that Blender calls: (the name of Blender's list, the function).
HANDLERS = (*modal_handlers.HANDLERS, *scene_handlers.HANDLERS, *playback.HANDLERS, *live.HANDLERS)

_registered = ExitStack()


def register() -> None:
    """Register the classes, hang the settings on Blender's types, add to its menus, handlers and keymaps."""
    with ExitStack() as undo:
        for cls in CLASSES:
            bpy.utils.register_class(cls)
            undo.callback(bpy.utils.unregister_class, cls)
        for owner, name, settings in POINTERS:
            # the stub says that it gives nothing
            pointer = cast("Callable[..., object]", bpy.props.PointerProperty)
            setattr(owner, name, pointer(type=settings, override=OVERRIDABLE))
            undo.callback(delattr, owner, name)
        for menu, draw in MENUS:
            menu.append(draw)
            undo.callback(menu.remove, draw)
        for moment, handler in HANDLERS:
            handlers = getattr(bpy.app.handlers, moment)
            handlers.append(handler)
            undo.callback(handlers.remove, handler)
        bpy.utils.register_tool(tool.PhysPlaceDragTool, after={"builtin.transform"}, separator=True)
        undo.callback(bpy.utils.unregister_tool, tool.PhysPlaceDragTool)
        undo.enter_context(keymaps.added_keymaps())
        undo.enter_context(pie_key.added_key())
        undo.enter_context(preferences.bodies_kept())
        undo.enter_context(preferences.colours_chosen())
        undo.enter_context(preferences.what_is_dropped_placed())
        undo.enter_context(settings_presets.presets_found())
        undo.enter_context(command.added_command())
        undo.enter_context(translations.registered())
        undo.callback(drawing.close_all)
        undo.callback(live_check.stop)
        undo.callback(shown_regions.clear)
        undo.callback(playback.stop)
        undo.callback(live.stop)
        undo.callback(modal.close_all)
        _registered.enter_context(undo.pop_all())


def unregister() -> None:
    """Undo `register` in the reverse order; running operators and drawings end first."""
    _registered.close()
