"""The add-on, registered for each test in an empty scene and taken away after it."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import pytest

import physplace_addon
from tests.addon.blobs.two_balls import two_balls


@pytest.fixture(autouse=True)
def _addon_in_an_empty_scene() -> Iterator[None]:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    physplace_addon.register()
    try:
        yield
    finally:
        physplace_addon.unregister()


@pytest.fixture
def blob() -> bpy.types.Object:
    """Two balls side by side that flow into each other, pinned at both ends."""
    return two_balls()
