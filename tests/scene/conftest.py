"""An empty Blender scene for each test."""

from __future__ import annotations

import bpy
import pytest


@pytest.fixture(autouse=True)
def _empty_scene() -> None:
    # read_factory_settings also registers all of Blender's own add-ons anew, which takes six times as long
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
