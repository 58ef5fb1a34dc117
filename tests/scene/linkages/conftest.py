"""The extension's settings, for each test of a linkage."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import physplace_addon


@pytest.fixture(autouse=True)
def _addon(_empty_scene: None) -> Iterator[None]:
    physplace_addon.register()
    try:
        yield
    finally:
        physplace_addon.unregister()
