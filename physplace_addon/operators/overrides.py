# SPDX-License-Identifier: GPL-3.0-or-later
"""Library overrides keep what PhysPlace stores on them, also where the library knows nothing of PhysPlace.

When it saves, Blender 5 compares an override with what it overrides. If that has no group of PhysPlace's
properties at all, the whole group counts as replaced, which cannot be read back: rests would be lost. To look
at a group makes it, so all are looked at before.
"""

from __future__ import annotations

import bpy

from ..scene.access import extended, persistent


@persistent
def _before_save(*_: object) -> None:
    for block in (*bpy.data.objects, *bpy.data.scenes):
        override = block.override_library
        if override is not None and override.reference is not None:
            _ = extended(override.reference).physplace


HANDLERS = (("save_pre", _before_save),)
