# SPDX-License-Identifier: GPL-3.0-or-later
"""Back to the rest pose, and to the mirrored one: a figure takes a pose that is known without a solver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bpy.types import Context

from ...core.jobs import Job
from ...core.wording import counted, listed
from ...scene.access import active_object, present
from ...scene.linkages.known_poses import KnownPose, checking, mirrored_pose, rest_pose
from ...scene.linkages.linkages import FoundLinkage
from ...scene.linkages.posing import LinkagePose
from ...scene.linkages.reading import reading_linkage
from ..common import Conclusion
from ..sliced import SlicedOperator
from .targets import PosesFigures

REST: Final = "rest pose"
MIRRORED: Final = "mirrored pose"


class PHYSPLACE_OT_linkage_rest(PosesFigures, SlicedOperator):
    """Take a jointed figure back to its rest pose."""

    bl_idname = "physplace.linkage_rest"
    bl_label = "Back to Rest Pose"
    bl_description = (
        "Take a jointed figure back to its rest pose: bones to the armature's, objects on constraints to "
        "the pose from which their joints count. Locked channels of bones stay, and no part is put into "
        "anything"
    )

    def job(self, context: Context) -> Job[Conclusion]:
        """Find the rest pose, and leave the figure in it."""
        return _taking(context, rest_pose, REST)


class PHYSPLACE_OT_linkage_mirror(PosesFigures, SlicedOperator):
    """Mirror the pose of a jointed figure."""

    bl_idname = "physplace.linkage_mirror"
    bl_label = "Mirror Pose"
    bl_description = (
        "Mirror the pose of a jointed figure: bones as Paste Pose Flipped does, objects over the plane of "
        "those whose names end as left and right. Locked channels of bones stay, and no part is put into "
        "anything"
    )

    def job(self, context: Context) -> Job[Conclusion]:
        """Find the mirrored pose, and leave the figure in it."""
        return _taking(context, mirrored_pose, MIRRORED)


def _taking(context: Context, known: Callable[[FoundLinkage, int], KnownPose], what: str) -> Job[Conclusion]:
    """Put the active object's figure into a pose, in slices. Raises PhysPlaceError, with nothing changed."""
    active = present(active_object(context))
    scenario = yield from reading_linkage(context, active)
    found = scenario.found
    root = next(iter(found.part_shown_by(active.name_full)), 0)
    asked = yield from checking(context, scenario, known(found, root), what)
    count = LinkagePose(found).write(context, asked.poses)
    texts = [f'"{found.objects[0].name}": {counted(count, "part")} moved', f"it is in its {what}"]
    texts += [listed(asked.notes)] if asked.notes else []
    texts += [f"left out of account: {listed(scenario.left_out)}"] if scenario.left_out else []
    return Conclusion(not asked.notes, "; ".join(texts))
