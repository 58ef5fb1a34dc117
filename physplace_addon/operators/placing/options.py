# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of placing that an operator has itself, so that Adjust Last Operation and presets change them.

What was not given is taken from the scene's settings, and is then shown as the operator's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty, StringProperty
from bpy.types import Context, Object, Operator, Scene, UILayout

from ...properties import FRICTION, LARGEST_STEP, LEAVE_UNSTABLE, ONTO, STANCE
from ...scene.access import scene_of
from ...scene.errors import SceneError
from ...scene.reading.settings import gravity_vector, settings_of
from ...scene.reading.subjects.movers import selected_movers
from ...scene.reading.subjects.options import Onto, PlacementOptions, Stance, ground_of

Direction = tuple[float, float, float]


class PlacementProperties:
    """Properties of an operator that places: how objects stand first, onto what they fall, and how."""

    if TYPE_CHECKING:
        stance: str
        onto: str
        onto_collection: str
        direction: tuple[float, float, float]
        step: float
        friction: float
        leave_unstable: bool
    else:
        stance: EnumProperty(**STANCE)
        onto: EnumProperty(**ONTO)
        onto_collection: StringProperty(
            name="Collection",
            description="The name of the collection that they may come to rest on",
        )
        direction: FloatVectorProperty(
            name="Direction",
            description="The direction things fall in; only the direction counts, not the length",
            subtype="XYZ",
            default=(0.0, 0.0, -1.0),
        )
        step: FloatProperty(**LARGEST_STEP)
        friction: FloatProperty(**FRICTION)
        leave_unstable: BoolProperty(**LEAVE_UNSTABLE)

    def movers(self, context: Context, *, together: bool, with_active: bool = False) -> list[Object]:
        """Return the objects to place, the active one first: with `together` all that are selected, unless
        these are what it falls onto. Raises SceneError if none is active.

        with_active: whether the active one counts among several although it is not selected.
        """
        _fill_in(self, scene_of(context))
        alone = not together or self.onto == Onto.SELECTED.value
        return selected_movers(context, with_active=alone or with_active)[: 1 if alone else None]

    def chosen_options(self, context: Context, movers: Sequence[Object]) -> PlacementOptions:
        """Return the options. Raises SceneError if nothing is left that objects may rest on."""
        _fill_in(self, scene_of(context))
        name = self.onto_collection
        if name and name not in bpy.data.collections:
            raise SceneError(name, "there is no such collection", "choose one that there is")
        collection = bpy.data.collections[name] if name else None
        usual, direction = gravity_vector(scene_of(context)), cast("Direction", tuple(self.direction))
        return PlacementOptions(
            direction=None if direction == usual else direction,
            step=self.step,
            friction=self.friction,
            leave_unstable=self.leave_unstable,
            ground=ground_of(context, movers, Onto(self.onto), collection),
            stance=Stance(self.stance),
        )

    def draw_options(self, layout: UILayout) -> None:
        """Draw the options."""
        layout.use_property_split = True
        layout.prop(self, "stance")
        layout.prop(self, "onto")
        if self.onto == Onto.COLLECTION.value:
            layout.prop_search(self, "onto_collection", bpy.data, "collections")
        layout.prop(self, "direction")
        column = layout.column(align=True)
        column.prop(self, "step")
        column.prop(self, "friction")
        layout.prop(self, "leave_unstable")


def _fill_in(operator: PlacementProperties, scene: Scene) -> None:
    """Set those properties of an operator that are not given to what the scene's settings have.

    What Blender remembers from the operator's last run is not given.
    """
    settings, properties = settings_of(scene), cast("Operator", operator).properties
    usual: dict[str, Any] = {
        "stance": settings.stance,
        "onto": settings.onto,
        "onto_collection": settings.onto_collection.name if settings.onto_collection else "",
        "direction": gravity_vector(scene),
        "step": settings.eps_max,
        "friction": settings.friction,
        "leave_unstable": settings.leave_metastable,
    }
    for name, value in usual.items():
        if not properties.is_property_set(name):
            setattr(operator, name, value)
