"""What operators act at: points of the world, and other objects by name.

What all operators share: when they can run, how they refuse, how they show progress, what they say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import bpy
import numpy as np
from bpy.types import Context, Object, Operator, Window, WindowManager

from ..core.arrays import Floats
from ..core.errors import PhysPlaceError
from ..core.wording import counted, in_words
from ..scene.access import active_object, present, scene_of, window_manager_of
from ..scene.blobs.objects import blob_of
from ..scene.errors import SceneError
from ..scene.reading.visible import Family
from ..scene.writing.outcome import Outcome

# SPDX-License-Identifier: GPL-3.0-or-later






def place_of(operator: object, context: Context, name: str) -> Floats:
    """The point (3,) of an operator's property; where it was not given, that of the 3D cursor, which it then
    keeps, so that adjusting the operator's other properties does not move it.
    """
    properties = cast("Operator", operator).properties
    if not properties.is_property_set(name):
        setattr(operator, name, scene_of(context).cursor.location)
    return np.array(getattr(operator, name), dtype=np.float64)


def other_object(context: Context, name: str) -> Object:
    """An object of the scene that does not move with the active one.

    Raises SceneError for any other.
    """
    found: Object | None = scene_of(context).objects.get(name)
    if found is None:
        raise SceneError(name, "the scene has no such object", "choose one that it has")
    if found.name_full in Family.of(present(active_object(context))).names:
        raise SceneError(name, "it moves with the active object", "choose another object")
    return found


# SPDX-License-Identifier: GPL-3.0-or-later





if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


@dataclass(frozen=True)
class Conclusion:
    """What an operator says in the end, and whether all is well, or the artist should take heed."""

    well: bool
    text: str


class ObjectOperator(Operator):
    """An operator on the active object: one undo step; bad input is an error and leaves the scene alone."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        """A grey button says why."""
        reason = cls.why_grey(context)
        if reason is not None:
            cls.poll_message_set(reason)
        return reason is None

    @classmethod
    def why_grey(cls, context: Context) -> str | None:
        """The reason why it cannot run now, or None: it needs an active object in Object Mode."""
        return why_not(context)

    def execute(self, context: Context) -> set[OperatorReturnItems]:
        """Do the work, or say why it cannot be done."""
        try:
            conclusion = self.work(context)
        except PhysPlaceError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"} if conclusion.well else {"WARNING"}, conclusion.text)
        return {"FINISHED"}

    def work(self, context: Context) -> Conclusion:
        """Read the scene, solve, write the scene. Raises PhysPlaceError, with nothing written."""
        raise NotImplementedError


def why_no_object_mode(context: Context) -> str | None:
    """The reason why the mode is a wrong one, or None."""
    return None if context.mode == "OBJECT" else "Only in Object Mode: leave the mode you are in first"


def why_not(context: Context) -> str | None:
    """The reason why no object can be placed now, or None."""
    no_object = active_object(context) is None
    return why_no_object_mode(context) or (
        "There is no active object: click the object to place" if no_object else None
    )


def why_no_blob(context: Context) -> str | None:
    """The reason why there is no blob to work on, or None."""
    no_blob = blob_of(active_object(context)) is None
    return why_no_object_mode(context) or (
        "The active object is no blob: add one, or click one of its elements" if no_blob else None
    )


@contextmanager
def progress(manager: WindowManager, total: int) -> Iterator[WindowManager]:
    """The cursor shows how much of `total` is done, and shows itself again whatever happens."""
    manager.progress_begin(0, total)
    try:
        yield manager
    finally:
        manager.progress_end()


@contextmanager
def in_a_window() -> Iterator[Context]:
    """The context of a window, which a timer does not have by itself: its scene, view layer and mode."""
    context = bpy.context
    windows = window_manager_of(context).windows
    if context.window is not None or len(windows) == 0:
        yield context
        return
    with context.temp_override(window=windows[0]):
        yield bpy.context


@contextmanager
def waiting(window: Window | None) -> Iterator[None]:
    """The cursor says that this takes a moment."""
    if window is None:
        yield
        return
    window.cursor_modal_set("WAIT")
    try:
        yield
    finally:
        window.cursor_modal_restore()


def conclude(outcomes: Sequence[Outcome]) -> Conclusion:
    """How objects' placements or checks ended: all is well if all are at rest."""
    certificates = [outcome.certificate for outcome in outcomes]
    well = all(certificate.status.at_rest for certificate in certificates)
    if len(outcomes) > 1:
        counts = Counter(certificate.status for certificate in certificates)
        ends = [f"{count} of them {status.message}" for status, count in counts.items()]
        text = "; ".join(ends) if len(ends) > 1 else certificates[0].status.message
        overlaps = [
            f'"{outcome.subject.name}" overlaps {in_words(outcome.certificate.overlapped)}'
            for outcome in outcomes
            if outcome.certificate.overlapped
        ]
        return Conclusion(well, "; ".join([f"{len(outcomes)} objects: {text}", *overlaps]))
    (certificate,) = certificates
    figures = f"{counted(certificate.steps, 'step')}, {counted(len(certificate.contacts), 'contact')}"
    return Conclusion(well, f'"{outcomes[0].subject.name}": {certificate.message} ({figures})')
