# SPDX-License-Identifier: GPL-3.0-or-later
"""Rests as keys: key the rest that the active object comes to on a frame, and place all its rests again.

Everything is placed before anything is written. If the keys of one object cannot be written, no object is
changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.props import BoolProperty
from bpy.types import Context, Object

from ...core.errors import PhysPlaceError
from ...core.jobs import finished
from ...core.placement import Force, Local
from ...core.wording import in_words
from ...scene.access import active_object, present, scene_of
from ...scene.errors import RestError, SceneError
from ...scene.reading.scenario import Scenario, check_editable, read, selected_movers
from ...scene.reading.settings import gravity_direction
from ...scene.reading.visible import Family
from ...scene.rests import rest_forces, rests
from ...scene.writing.actions import keys_restored_on_error
from ...scene.writing.outcome import Outcome
from ..common import Conclusion, ObjectOperator, no_active_object_reason
from ..placing.run import beginning, key_options, scenario_of, settings_for

if TYPE_CHECKING:
    from ...core.rigid import Pose
    from ...properties import PhysPlaceRest


class PHYSPLACE_OT_keyframe_rest(ObjectOperator):
    """Place the active object, and key its rest on the present frame."""

    bl_idname = "physplace.keyframe_rest"
    bl_label = "Keyframe Rest"
    bl_description = (
        "Place the active object and key its rest, location and rotation, on the present frame. The rest is "
        "kept in the list with the place the object fell from, to be placed again when the scene has changed"
    )

    def work(self, context: Context) -> Conclusion:
        """Place it from where it was put by hand, key it, and keep the rest."""
        obj, frame = present(active_object(context)), scene_of(context).frame_current
        scenario = finished(scenario_of(context))
        start = rests.manual_start(obj, scenario.subject)
        known = rests.rest_on(obj, frame)
        forces = rest_forces.forces_of(context, obj, known, scenario.subject) if known else []
        outcome = _placed(context, scenario, start, forces)
        if not outcome.certificate.status.at_rest:
            raise SceneError(obj.name, outcome.certificate.status.message, "nothing was keyed")
        placed = [rests.PlacedRest(frame, outcome, known.keyed_frame if known else None)]
        with rests.frame_restored(context, obj), keys_restored_on_error(obj):
            frames = rests.key_rests(context, obj, placed, _path_options(context))
        rest = rests.store_rest(obj, placed[0])
        rests.select_rest(obj, rest.name)
        rests.store_shown_rest(context, obj, placed)
        path = f", {frames - 1} keys on the way" if frames > 1 else ""
        return Conclusion(True, f'"{obj.name}": "{rest.name}" keyed on frame {frame}{path}')


def key_as_rests(context: Context, outcomes: Sequence[Outcome], frame: int) -> None:
    """Key where objects stand now on a frame, and keep that with their rests.

    Raises SceneError, with the keys of that object as they were, for channels that cannot be keyed.
    """
    for outcome in outcomes:
        obj = bpy.data.objects[outcome.subject.name]
        known = rests.rest_on(obj, frame)
        placed = [rests.PlacedRest(frame, outcome, known.keyed_frame if known else None)]
        with rests.frame_restored(context, obj), keys_restored_on_error(obj):
            rests.key_rests(context, obj, placed, None)
        rests.select_rest(obj, rests.store_rest(obj, placed[0]).name)
        rests.store_shown_rest(context, obj, placed)


class RestsOperator(ObjectOperator):
    """An operator on the rests of the active object."""

    @classmethod
    def disabled_reason(cls, context: Context) -> str | None:
        """Return why it cannot run now: it needs an active object with a rest, in Object Mode."""
        return no_active_object_reason(context) or _no_rests_reason(present(active_object(context)))


def chosen(obj: Object) -> PhysPlaceRest:
    """Return the chosen rest. Raises SceneError if there is none."""
    rest = rests.active_rest(obj)
    if rest is None:
        raise SceneError(obj.name, "no rest is chosen", "click one in the list")
    return rest


class PHYSPLACE_OT_rests_replace(RestsOperator):
    """Place all rests of the active object again, each in the scene of its frame."""

    bl_idname = "physplace.rests_replace"
    bl_label = "Place Rests Again"
    bl_description = (
        "Place every rest in the list again, each from its own start and in the scene as it is on its frame, "
        "and key it. If one finds no rest, nothing is changed"
    )

    if TYPE_CHECKING:
        selected: bool
    else:
        selected: BoolProperty(
            name="All Selected",
            description=(
                "Place the rests of all selected objects again, those of lower objects first; "
                "otherwise only those of the active object"
            ),
            default=False,
        )

    def work(self, context: Context) -> Conclusion:
        """Object by object: place all rests, then key them."""
        objects = self._objects(context)
        done: list[tuple[Object, list[rests.PlacedRest]]] = []
        frames = 0
        with ExitStack() as undo:
            for obj in objects:
                undo.enter_context(rests.frame_restored(context, obj))
            for number, obj in enumerate(objects):
                placed = _placed_again(context, obj, objects[number + 1 :])
                undo.enter_context(keys_restored_on_error(obj))
                frames += rests.key_rests(context, obj, placed, _path_options(context))
                done.append((obj, placed))
        for obj, placed in done:
            for rest in placed:
                rests.store_rest(obj, rest)
            rests.store_shown_rest(context, obj, placed)
        count = sum(len(placed) for _, placed in done)
        names = in_words([obj.name for obj in objects])
        path = f", {frames - count} keys on the way" if frames > count else ""
        return Conclusion(True, f"{names}: {count} rests placed and keyed again{path}")

    def _objects(self, context: Context) -> list[Object]:
        active = present(active_object(context))
        if not self.selected:
            return [active]
        chosen = [obj for obj in selected_movers(context) if len(rests.rests_of(obj).rests)]
        down = np.array(gravity_direction(scene_of(context)))
        return sorted(chosen, key=lambda obj: -float(down @ np.array(obj.matrix_world.translation)))


class PHYSPLACE_OT_rest_remove(RestsOperator):
    """Remove the chosen rest from the list, with its keys."""

    bl_idname = "physplace.rest_remove"
    bl_label = "Remove Rest"
    bl_description = (
        "Remove the chosen rest from the list, and its keys, with those on the way to it, from the curves"
    )

    def work(self, context: Context) -> Conclusion:
        """Remove the rest and its keys."""
        obj = present(active_object(context))
        check_editable(obj)
        rest = chosen(obj)
        name = rest.name
        rests.remove_rest(obj, rests.rests_of(obj).active_rest)
        return Conclusion(True, f'"{obj.name}": "{name}" removed')


@dataclass(frozen=True, eq=False)
class _RestKey:
    """A rest's name, its frame, and the frame of its keys, as values."""

    name: str
    frame: int
    keyed_frame: int


def _placed_again(context: Context, obj: Object, later: Sequence[Object]) -> list[rests.PlacedRest]:
    """Place all rests of an object, each in the scene of its frame, without those that are placed later.

    Raises RestError for a rest that fails.
    """
    absent = frozenset[str]().union(*(Family.of(other).names for other in later))
    return [
        rests.PlacedRest(key.frame, _placed_on(context, obj, key, absent), key.keyed_frame)
        for key in [_RestKey(rest.name, rest.frame, rest.keyed_frame) for rest in rests.rests_by_frame(obj)]
    ]


def _placed_on(context: Context, obj: Object, rest_key: _RestKey, absent: frozenset[str]) -> Outcome:
    try:
        rests.show_frame(context, rest_key.frame)
        scenario = read(context, [obj])
        others = [owner for owner in scenario.owners if owner not in absent]
        world = tuple(scenario.bodies_of(frozenset(others)))
        scenario = replace(scenario, world=world, owners=tuple(others), absent=absent)
        rest = present(rests.rest_on(obj, rest_key.frame))
        forces = rest_forces.forces_of(context, obj, rest, scenario.subject)
        outcome = _placed(context, scenario, rests.start_of(rest), forces)
    except PhysPlaceError as error:
        raise RestError(obj.name, rest_key.name, rest_key.frame, str(error)) from error
    status = outcome.certificate.status
    if not status.at_rest:
        remedy = "go to that frame, move it, and press Keyframe Rest"
        raise RestError(obj.name, rest_key.name, rest_key.frame, f"{status.message}; {remedy}")
    return outcome


def _placed(context: Context, scenario: Scenario, start: Pose, forces: Sequence[Force]) -> Outcome:
    """Let what a scenario moves fall from a start, with forces.

    A push has no potential energy, so steps may gain energy.
    """
    subject = replace(scenario.subject, pose=start, start=start)
    from_start = replace(scenario, subjects=(subject,))
    settings = settings_for(context, from_start)
    if any(isinstance(force, Local) for force in forces):
        settings = replace(settings, check_energy=False)
    run = finished(beginning(context, from_start, settings, forces))
    finished(run.running(context))
    (outcome,) = run.outcomes()
    return outcome


def _path_options(context: Context) -> rests.PathOptions | None:
    keys = key_options(scene_of(context))
    return rests.PathOptions(keys.frame_step, keys.error) if keys else None


def _no_rests_reason(obj: Object) -> str | None:
    if len(rests.rests_of(obj).rests):
        return None
    return "The active object has no rests: move it over the place where it shall rest, and add one"
