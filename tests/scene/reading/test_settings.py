"""The scene's settings reach the solver, and the solver's defaults are the scene's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

import physplace_addon
from physplace_addon.core.placement import Settings
from physplace_addon.scene.reading.settings import placement_settings
from tests.blender_data import current_scene, scene_settings

DOWN = (0.0, 0.0, -1.0)


@pytest.fixture(autouse=True)
def _addon() -> Iterator[None]:
    physplace_addon.register()
    try:
        yield
    finally:
        physplace_addon.unregister()


def test_what_is_not_changed_is_the_solver_s_own_choice() -> None:
    settings = placement_settings(current_scene(), DOWN, 0.0)
    defaults = Settings()
    assert replace(settings, eps_max=defaults.eps_max) == defaults
    assert settings.eps_max == pytest.approx(defaults.eps_max)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("eps_max", 0.25),
        ("step_limit", 123),
        ("check_energy", False),
        ("friction", 0.5),
        ("alpha", 0.25),
        ("leave_metastable", True),
        ("seed", 7),
    ],
)
def test_each_setting_reaches_the_solver(name: str, value: object) -> None:
    setattr(scene_settings(), name, value)
    settings = placement_settings(current_scene(), DOWN, 0.0)
    assert getattr(settings, name) == value


def test_no_gravity_is_none() -> None:
    assert placement_settings(current_scene(), None, 0.0).gravity is None
