# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of one placement: onto what, how objects stand first, and how they fall.

An operator has options of its own (`operators/placing/options.py`), which begin as the scene's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from bpy.types import Collection, Context, Object

from ...access import extended, scene_of, view_layer_of
from ...errors import SceneError
from ..visible import Family
from .movers import whole_of

if TYPE_CHECKING:
    from ....properties import PhysPlaceSettings


class Onto(Enum):
    """What objects may come to rest on."""

    EVERYTHING = "EVERYTHING"
    SELECTED = "SELECTED"
    COLLECTION = "COLLECTION"


class Stance(Enum):
    """How objects are turned before they fall: not at all, their z axes up, or along the ground's normal."""

    AS_IT_IS = "AS_IT_IS"
    UPRIGHT = "UPRIGHT"
    GROUND = "GROUND"


@dataclass(frozen=True)
class PlacementOptions:
    """The options of one placement. What is None is as the scene's settings have it.

    Attributes:
        direction: in which things fall, of any length.
        step: the largest motion in a step, over R.
        friction: Coulomb's coefficient.
        leave_unstable: whether an unstable rest is left by a nudge.
        ground: the full names of the objects that count besides those that move; None for all.
        stance: how objects are turned before they fall.
    """

    direction: tuple[float, float, float] | None = None
    step: float | None = None
    friction: float | None = None
    leave_unstable: bool | None = None
    ground: frozenset[str] | None = None
    stance: Stance = Stance.AS_IT_IS


def options_of(context: Context, movers: Sequence[Object]) -> PlacementOptions:
    """Return the options that the scene's settings give to what moves; it is not turned.

    A script may read without the extension's settings. Raises SceneError as `ground_of` does.
    """
    settings: PhysPlaceSettings | None = getattr(extended(scene_of(context)), "physplace", None)
    if settings is None:
        return PlacementOptions()
    return PlacementOptions(ground=ground_of(context, movers, Onto(settings.onto), settings.onto_collection))


def ground_of(
    context: Context, movers: Sequence[Object], onto: Onto, collection: Collection | None
) -> frozenset[str] | None:
    """Return the full names of the only objects that movers may rest on, or touch; None for all.

    Raises SceneError if there are none.
    """
    if onto is Onto.EVERYTHING:
        return None
    moving = frozenset[str]().union(*(Family.of(mover).names for mover in movers))
    if onto is Onto.SELECTED:
        found = [whole_of(obj) for obj in view_layer_of(context).objects.selected]
        remedy = "select what it shall fall onto, too, or choose Everything for Onto"
        missing = "no other object is selected for it to fall onto"
    elif collection is None:
        found, remedy = [], "choose the collection to fall onto, or Everything for Onto"
        missing = "no collection is chosen for it to fall onto"
    else:
        found, remedy = list(collection.all_objects), "choose another one, or Everything for Onto"
        missing = f'the collection "{collection.name}" has no other object for it to fall onto'
    ground = frozenset[str]().union(*(Family.of(obj).names for obj in found))
    if ground <= moving:
        raise SceneError(movers[0].name, missing, remedy)
    return ground
