"""An empty Blender scene for each test."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import pytest


@pytest.fixture(autouse=True)
def _empty_scene() -> Iterator[None]:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    yield
    bpy.ops.wm.read_factory_settings(use_empty=True)
