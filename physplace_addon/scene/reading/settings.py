# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene's PhysPlace settings as core's settings of a placement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from bpy.types import Scene

from ...core.errors import PlacementError
from ...core.placement import Settings
from ..access import extended

if TYPE_CHECKING:
    from ...properties import PhysPlaceSettings

BALANCES: Final = {"NONNEGATIVE": "non_negative", "SVD": "svd"}  # core's names of what files keep


def settings_of(scene: Scene) -> PhysPlaceSettings:
    """Return a scene's property group `scene.physplace`."""
    settings: PhysPlaceSettings = extended(scene).physplace
    return settings


def placement_settings(scene: Scene, gravity: tuple[float, float, float] | None, rounding: float) -> Settings:
    """Return core's settings; rounding: the largest overlap at the start by rounding, scene units."""
    chosen = settings_of(scene)
    return Settings(
        gravity=gravity,
        start_tolerance=rounding,
        eps_max=chosen.eps_max,
        step_limit=chosen.step_limit,
        balance=BALANCES[chosen.balance],
        check_energy=chosen.check_energy,
        friction=chosen.friction,
        alpha=chosen.alpha,
        leave_metastable=chosen.leave_metastable,
        seed=chosen.seed,
    )


def gravity_direction(scene: Scene) -> tuple[float, float, float]:
    """Return the unit vector of gravity: the scene's, or that of the settings.

    Raises PlacementError if its length is zero or not finite.
    """
    chosen = settings_of(scene)
    vector = np.array(scene.gravity if chosen.use_scene_gravity else chosen.gravity, dtype=np.float64)
    length = float(np.linalg.norm(vector))
    if not (np.isfinite(length) and length > 0.0):
        source = (
            "the scene's gravity" if chosen.use_scene_gravity else "the gravity of the PhysPlace settings"
        )
        raise PlacementError(f"{source} is {vector.tolist()}: it has no direction; set one, like (0, 0, -1)")
    x, y, z = (vector / length).tolist()
    return x, y, z
