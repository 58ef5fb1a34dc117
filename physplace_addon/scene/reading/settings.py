# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene's PhysPlace settings as core's settings of a placement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from bpy.types import Scene

from ...core.errors import PlacementError
from ...core.placement import Settings
from ..access import extended
from .subjects.options import PlacementOptions

if TYPE_CHECKING:
    from ...properties import PhysPlaceSettings

BALANCES: Final = {"NONNEGATIVE": "non_negative", "SVD": "svd"}  # core's names of what files keep


def settings_of(scene: Scene) -> PhysPlaceSettings:
    """Return a scene's property group `scene.physplace`."""
    settings: PhysPlaceSettings = extended(scene).physplace
    return settings


def placement_settings(
    scene: Scene,
    gravity: tuple[float, float, float] | None,
    rounding: float,
    options: PlacementOptions | None = None,
) -> Settings:
    """Return core's settings.

    Args:
        scene: has the settings.
        gravity: its direction; None for none.
        rounding: the largest overlap at the start by rounding, scene units.
        options: what it sets comes before the scene's settings.
    """
    chosen, own = settings_of(scene), options or PlacementOptions()
    leaves = chosen.leave_metastable if own.leave_unstable is None else own.leave_unstable
    return Settings(
        gravity=gravity,
        start_tolerance=rounding,
        eps_max=own.step or chosen.eps_max,
        step_limit=chosen.step_limit,
        balance=BALANCES[chosen.balance],
        check_energy=chosen.check_energy,
        friction=chosen.friction if own.friction is None else own.friction,
        alpha=chosen.alpha,
        leave_metastable=leaves,
        seed=chosen.seed,
    )


def gravity_vector(scene: Scene) -> tuple[float, float, float]:
    """Return gravity as the scene has it, or the settings, of any length."""
    chosen = settings_of(scene)
    x, y, z = np.array(scene.gravity if chosen.use_scene_gravity else chosen.gravity).tolist()
    return x, y, z


def gravity_direction(
    scene: Scene, direction: tuple[float, float, float] | None = None
) -> tuple[float, float, float]:
    """Return the unit vector of gravity: a direction of any length, else the scene's or that of the settings.

    Raises PlacementError if its length is zero or not finite.
    """
    vector = np.array(gravity_vector(scene) if direction is None else direction, dtype=np.float64)
    length = float(np.linalg.norm(vector))
    if not (np.isfinite(length) and length > 0.0):
        of_scene = settings_of(scene).use_scene_gravity
        own = "the scene's gravity" if of_scene else "the gravity of the PhysPlace settings"
        source = own if direction is None else "the direction to fall in"
        raise PlacementError(f"{source} is {vector.tolist()}: it has no direction; set one, like (0, 0, -1)")
    x, y, z = (vector / length).tolist()
    return x, y, z
