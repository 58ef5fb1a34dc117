# SPDX-License-Identifier: GPL-3.0-or-later
"""Place: the active object, or all that are selected at once, come to rest on everything else visible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpy.props import BoolProperty
from bpy.types import Context

from .common import Conclusion, ObjectOperator, conclude
from .session import scenario_of, session_of, settings_for


class PHYSPLACE_OT_place(ObjectOperator):
    """Let the active object, with its children, fall until it rests on what else is visible.

    Exact surfaces touch exactly, nothing passes through anything.
    """

    bl_idname = "physplace.place"
    bl_label = "Place at Rest"
    bl_description = (
        "Let the active object, with its children, fall until it rests on whatever else is visible. "
        "It passes through nothing, and the rest is a true balance"
    )

    if TYPE_CHECKING:
        together: bool
    else:
        together: BoolProperty(
            name="Selected Together",
            description=(
                "Let all selected objects fall at once, pushing each other, until all of them rest. "
                "Otherwise only the active object moves"
            ),
            default=False,
        )

    def work(self, context: Context) -> Conclusion:
        """Run the solver to its end and write where the objects came to rest."""
        scenario = scenario_of(context, together=self.together)
        session = session_of(scenario, settings_for(context, scenario))
        session.run(context)
        return conclude(session.write(context))
