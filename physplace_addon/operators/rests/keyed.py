# SPDX-License-Identifier: GPL-3.0-or-later
"""Rests as keys: key the rest that the active object comes to on a frame, and place all its rests again.

Everything is placed, in slices, before anything is written. If the keys of one object cannot be written, no
object is changed. Between two slices the scene is as the artist left it: a rest's frame is shown only while
what is seen there is read, with the new keys of the objects that were placed before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.props import BoolProperty
from bpy.types import Context, Object

from ...core.errors import PhysPlaceError
from ...core.jobs import Job, Progress, finished
from ...core.placement import Force, Local, Status
from ...core.wording import in_words
from ...scene.access import present, scene_of, view_layer_of
from ...scene.errors import RestError, SceneError
from ...scene.reading.scenario import Scenario, completed, read, reading
from ...scene.reading.settings import gravity_direction
from ...scene.reading.subjects.movers import active_mover, check_editable, selected_movers
from ...scene.reading.visible import Family
from ...scene.rests import rest_forces, rests
from ...scene.writing.actions import keys_restored_on_error
from ...scene.writing.outcome import Outcome
from ...scene.writing.preview import Preview
from ..common import Conclusion, NeedsShape, ObjectOperator, no_active_object_reason
from ..placing.run import beginning, key_options, reading_to_move, settings_for
from ..sliced import SlicedOperator

if TYPE_CHECKING:
    from ...core.rigid import Pose
    from ...rest_properties import PhysPlaceRest


class PHYSPLACE_OT_keyframe_rest(NeedsShape, SlicedOperator):
    """Place the active object, and key its rest on the present frame."""

    bl_idname = "physplace.keyframe_rest"
    bl_label = "Keyframe Rest"
    bl_description = (
        "Place the active object and key its rest, location and rotation, on the present frame. The rest is "
        "kept in the list with the place the object fell from, to be placed again when the scene has changed"
    )

    def job(self, context: Context) -> Job[Conclusion]:
        """Place it from where it was put by hand, key it, and keep the rest."""
        name, frame = active_mover(context).name, scene_of(context).frame_current
        scenario = yield from reading_to_move(context)
        obj = bpy.data.objects[name]
        start, known = rests.manual_start(obj, scenario.subject), rests.rest_on(obj, frame)
        forces = rest_forces.forces_of(context, obj, known, scenario.subject) if known else []
        outcome = yield from _placing(context, _fallen_from(scenario, start), forces, nullcontext)
        if not outcome.certificate.status.at_rest:
            raise SceneError(name, outcome.certificate.status.message, "nothing was keyed")
        obj = bpy.data.objects[name]
        known = rests.rest_on(obj, frame)
        placed = [rests.PlacedRest(frame, outcome, known.keyed_frame if known else None)]
        with rests.frame_restored(context, [obj]), keys_restored_on_error(obj):
            frames = rests.key_rests(context, obj, placed, _path_options(context))
        view_layer_of(context).update()
        rest = rests.store_rest(obj, placed[0])
        rests.select_rest(obj, frame)
        rests.store_shown_rest(context, obj, placed)
        path = f", {frames - 1} keys on the way" if frames > 1 else ""
        return Conclusion(True, f'"{obj.name}": "{rest.name}" keyed on frame {frame}{path}')


def key_as_rests(context: Context, outcomes: Sequence[Outcome], frame: int) -> None:
    """Key where objects stand now on a frame, and keep that with their rests.

    Raises SceneError, with the keys of that object as they were, for channels that cannot be keyed.
    """
    for outcome in outcomes:
        obj = outcome.subject.object
        known = rests.rest_on(obj, frame)
        placed = [rests.PlacedRest(frame, outcome, known.keyed_frame if known else None)]
        with rests.frame_restored(context, [obj]), keys_restored_on_error(obj):
            rests.key_rests(context, obj, placed, None)
        rests.store_rest(obj, placed[0])
        rests.select_rest(obj, frame)
        rests.store_shown_rest(context, obj, placed)


class NeedsRests:
    """Says when an operator on the rests of the active object cannot run."""

    @classmethod
    def disabled_reason(cls, context: Context) -> str | None:
        """Return why it cannot run now: it needs an active object with a rest, in Object Mode."""
        return no_active_object_reason(context) or _no_rests_reason(active_mover(context))


def chosen(obj: Object) -> PhysPlaceRest:
    """Return the chosen rest. Raises SceneError if there is none."""
    rest = rests.active_rest(obj)
    if rest is None:
        raise SceneError(obj.name, "no rest is chosen", "click one in the list")
    return rest


class PHYSPLACE_OT_rests_replace(NeedsRests, SlicedOperator):
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

    def job(self, context: Context) -> Job[Conclusion]:
        """Place all rests, object by object, then key them."""
        objects = self._objects(context)
        names = [obj.name for obj in objects]
        tasks = [(obj.name, key) for obj in objects for key in _rest_keys(obj)]
        yield from reading(context, objects)  # so that most bodies are kept when a rest's frame is shown
        done: dict[str, list[rests.PlacedRest]] = {name: [] for name in names}
        for number, (name, key) in enumerate(tasks):
            words = f'{number + 1} of {len(tasks)}: "{name}", "{key.name}" on frame {key.frame}'
            yield Progress(words, number / len(tasks))
            later = names[names.index(name) + 1 :]
            before = {other: done[other] for other in names[: names.index(name)]}
            outcome = yield from _placing_on(context, name, key, before, later)
            done[name].append(rests.PlacedRest(key.frame, outcome, key.keyed_frame))
        frames = self._keyed(context, done)
        path = f", {frames - len(tasks)} keys on the way" if frames > len(tasks) else ""
        return Conclusion(True, f"{in_words(names)}: {len(tasks)} rests placed and keyed again{path}")

    def _keyed(self, context: Context, done: Mapping[str, Sequence[rests.PlacedRest]]) -> int:
        """Key and store the rests of objects, by name; return the number of keyed frames."""
        frames, objects = 0, {name: bpy.data.objects[name] for name in done}
        with rests.frame_restored(context, list(objects.values())), ExitStack() as undo:
            for name, obj in objects.items():
                undo.enter_context(keys_restored_on_error(obj))
                frames += rests.key_rests(context, obj, done[name], _path_options(context))
        for name, placed in done.items():
            for rest in placed:
                rests.store_rest(bpy.data.objects[name], rest)
            rests.store_shown_rest(context, bpy.data.objects[name], placed)
        return frames

    def _objects(self, context: Context) -> list[Object]:
        active = active_mover(context)
        if not self.selected:
            return [active]
        chosen = [
            obj for obj in selected_movers(context, with_active=False) if len(rests.rests_of(obj).rests)
        ]
        down = np.array(gravity_direction(scene_of(context)))
        return sorted(chosen, key=lambda obj: -float(down @ np.array(obj.matrix_world.translation)))


class PHYSPLACE_OT_rest_remove(NeedsRests, ObjectOperator):
    """Remove the chosen rest from the list, with its keys."""

    bl_idname = "physplace.rest_remove"
    bl_label = "Remove Rest"
    bl_description = (
        "Remove the chosen rest from the list, and its keys, with those on the way to it, from the curves"
    )

    def work(self, context: Context) -> Conclusion:
        """Remove the rest and its keys."""
        obj = active_mover(context)
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


def _rest_keys(obj: Object) -> list[_RestKey]:
    """Return the rests of an object by frame, as values. Raises SceneError for two on one frame."""
    return [_RestKey(rest.name, rest.frame, rest.keyed_frame) for rest in rests.rests_by_frame(obj)]


@contextmanager
def _shown_on(
    context: Context, name: str, frame: int, keyed: Mapping[str, Sequence[rests.PlacedRest]]
) -> Iterator[None]:
    """Show an object's frame, with new keys of other objects by name, while the block lasts."""
    objects = [bpy.data.objects[each] for each in (*keyed, name)]
    with rests.frame_restored(context, objects, always=True), ExitStack() as undo:
        for other, placed in zip(objects, keyed.values(), strict=False):
            undo.enter_context(keys_restored_on_error(other, always=True))
            rests.key_rests(context, other, placed, None)
        rests.show_frame(context, frame)
        yield


def _placing_on(
    context: Context,
    name: str,
    rest_key: _RestKey,
    keyed: Mapping[str, Sequence[rests.PlacedRest]],
    later: Sequence[str],
) -> Job[Outcome]:
    """Place an object in the scene of a rest's frame, in slices.

    keyed: the objects that were placed before, by name. later: those that are placed after it; they do not
    count. Raises RestError for a rest that fails.
    """
    try:
        with _shown_on(context, name, rest_key.frame, keyed):
            obj = bpy.data.objects[name]
            scenario = _without(read(context, [obj]), later)
            Preview(scenario.subjects).check_writable(context)
            rest = present(rests.rest_on(obj, rest_key.frame))
            forces = rest_forces.forces_of(context, obj, rest, scenario.subject)
            from_start = _fallen_from(scenario, rests.start_of(rest))
            from_start = finished(completed(context, from_start, [from_start.subject.pose]))
        shown = partial(_shown_on, context, name, rest_key.frame, keyed)
        outcome = yield from _placing(context, from_start, forces, shown)
    except PhysPlaceError as error:
        raise RestError(name, rest_key.name, rest_key.frame, str(error)) from error
    status = outcome.certificate.status
    if not status.at_rest:
        remedy = "go to that frame, move it, and press Keyframe Rest"
        raise RestError(name, rest_key.name, rest_key.frame, f"{status.message}; {remedy}")
    return outcome


def _without(scenario: Scenario, later: Sequence[str]) -> Scenario:
    """Return a scenario in which objects, by name, do not count."""
    absent = frozenset[str]().union(*(Family.of(bpy.data.objects[name]).names for name in later))
    others = [owner for owner in scenario.owners if owner not in absent]
    world = tuple(scenario.bodies_of(frozenset(others)))
    return replace(scenario, world=world, owners=tuple(others), absent=absent)


def _fallen_from(scenario: Scenario, start: Pose) -> Scenario:
    """Return a scenario whose object falls from a start."""
    return replace(scenario, subjects=(replace(scenario.subject, pose=start, start=start),))


def _placing(
    context: Context,
    scenario: Scenario,
    forces: Sequence[Force],
    shown: Callable[[], AbstractContextManager[None]],
) -> Job[Outcome]:
    """Let what a scenario moves fall, with forces, in slices.

    A push has no potential energy, so steps may gain energy. shown: the scene is read within it.
    """
    settings = settings_for(context, scenario)
    if any(isinstance(force, Local) for force in forces):
        settings = replace(settings, check_energy=False)
    run = yield from beginning(context, scenario, settings, forces)
    while run.solver.status is Status.RUNNING:
        if run.is_near_unread:
            with shown():
                finished(run.reading(context))
        yield from run.running(context, run.solver.steps + 1)
    (outcome,) = run.outcomes()
    return outcome


def _path_options(context: Context) -> rests.PathOptions | None:
    keys = key_options(scene_of(context))
    return rests.PathOptions(keys.frame_step, keys.error) if keys else None


def _no_rests_reason(obj: Object) -> str | None:
    if len(rests.rests_of(obj).rests):
        return None
    return "The active object has no rests: move it over the place where it shall rest, and add one"
