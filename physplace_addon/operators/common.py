# SPDX-License-Identifier: GPL-3.0-or-later
"""What all operators share: when they can run, how they refuse, how they show progress, how they report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, cast

import bpy
import numpy as np
from bpy.types import Area, Context, Object, Operator, Window

from ..core.arrays import Floats
from ..core.errors import PhysPlaceError
from ..core.mesh.cleaning import PLACELESS
from ..core.wording import in_words
from ..scene.access import active_object, scene_of, window_manager_of
from ..scene.blobs.objects import blob_of
from ..scene.errors import SceneError
from ..scene.reading.subjects.movers import active_mover, may_have_shape, whole_of
from ..scene.reading.visible import Family
from ..scene.writing.outcome import Outcome
from ..scene.writing.report import report_of, sentence_of
from ..translations.spoken import spoken

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


Kind = Literal["INFO", "WARNING", "ERROR"]
FREED: Final = "freed of an overlap at its start by a motion of"  # how such a note of a report begins


@dataclass(frozen=True)
class Conclusion:
    """The report of an operator that has ended; well: whether it is no warning."""

    well: bool
    text: str

    @property
    def kind(self) -> Kind:
        """The kind of Blender's report that it is."""
        return "INFO" if self.well else "WARNING"


def tell(operator: Operator, kind: Kind, text: str) -> None:
    """Report a sentence as an operator, in the language of Blender's interface."""
    operator.report({kind}, spoken(text))


class ObjectOperator(Operator):
    """An operator on the active object: one undo step; wrong input is an error and changes nothing."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether it can run; the button's tooltip gives the reason where it cannot."""
        reason = cls.disabled_reason(context)
        if reason is not None:
            cls.poll_message_set(spoken(reason))
        return reason is None

    @classmethod
    def disabled_reason(cls, context: Context) -> str | None:
        """Return why it cannot run now, or None: it needs an active object, in Object Mode."""
        return no_active_object_reason(context)

    def execute(self, context: Context) -> set[OperatorReturnItems]:
        """Do the work and report it, or report why it cannot be done."""
        try:
            conclusion = self.work(context)
        except PhysPlaceError as error:
            tell(self, "ERROR", str(error))
            return {"CANCELLED"}
        tell(self, conclusion.kind, conclusion.text)
        return {"FINISHED"}

    def work(self, context: Context) -> Conclusion:
        """Read the scene, solve, write the scene. Raises PhysPlaceError, with nothing written."""
        raise NotImplementedError


def object_mode_reason(context: Context) -> str | None:
    """Return why nothing can be done in this mode; None in Object Mode."""
    return None if context.mode == "OBJECT" else "Only in Object Mode: leave the mode you are in first"


def no_active_object_reason(context: Context) -> str | None:
    """Return why no object can be placed now, or None."""
    no_object = active_object(context) is None
    return object_mode_reason(context) or (
        "There is no active object: click the object to place" if no_object else None
    )


def shapeless_reason(context: Context) -> str | None:
    """Return why the active object can touch nothing, or None: a light or a camera has no faces."""
    active = active_object(context)
    if active is None or may_have_shape(whole_of(active)):
        return None
    kind = active.type.replace("_", " ").lower()
    article = "an" if kind[0] in "aeiou" else "a"
    return f'"{active.name}" is {article} {kind}, which has no faces: click an object that has some'


class NeedsShape:
    """Says when an operator that lets the active object touch others cannot run."""

    @classmethod
    def disabled_reason(cls, context: Context) -> str | None:
        """Return why it cannot run now: it needs an active object that may have faces, in Object Mode."""
        return no_active_object_reason(context) or shapeless_reason(context)


def no_blob_reason(context: Context) -> str | None:
    """Return why there is no blob to work on, or None."""
    no_blob = blob_of(active_object(context)) is None
    return object_mode_reason(context) or (
        "The active object is no blob: add one, or click one of its elements" if no_blob else None
    )


def location_property(operator: object, context: Context, name: str) -> Floats:
    """Return the place (3,) of an operator's property, in the world.

    Where it was not given, it is set to the place of the 3D cursor, so that adjusting the operator's other
    properties does not move it.
    """
    properties = cast("Operator", operator).properties
    if not properties.is_property_set(name):
        setattr(operator, name, scene_of(context).cursor.location)
    return np.array(getattr(operator, name), dtype=np.float64)


def other_object(context: Context, name: str) -> Object:
    """Return an object of the scene that does not move with the active one.

    Raises SceneError for any other name.
    """
    found: Object | None = scene_of(context).objects.get(name)
    if found is None:
        raise SceneError(name, "the scene has no such object", "choose one that it has")
    if found.name_full in Family.of(active_mover(context)).names:
        raise SceneError(name, "it moves with the active object", "choose another object")
    return found


class CursorProgress:
    """Progress at the mouse cursor, for as long as there is any to show."""

    def __init__(self) -> None:
        self._is_shown = False

    def show(self, part: float | None) -> None:
        """Show which part of the work is done, from 0 to 1; None shows the mouse cursor itself again."""
        manager = window_manager_of(bpy.context)
        if part is not None and not self._is_shown:
            manager.progress_begin(0.0, 1.0)
        elif part is None and self._is_shown:
            manager.progress_end()
        self._is_shown = part is not None
        if part is not None:
            manager.progress_update(part)


@contextmanager
def cursor_progress() -> Iterator[CursorProgress]:
    """Give progress at the mouse cursor that ends with the block, also after an error."""
    progress = CursorProgress()
    progress.show(0.0)
    try:
        yield progress
    finally:
        progress.show(None)


@contextmanager
def wait_cursor(window: Window | None) -> Iterator[None]:
    """Show the cursor that asks to wait; nothing without a window."""
    if window is None:
        yield
        return
    window.cursor_modal_set("WAIT")
    try:
        yield
    finally:
        window.cursor_modal_restore()


@contextmanager
def in_a_window() -> Iterator[Context]:
    """Give the context of a window, which a timer does not have: its scene, view layer and mode."""
    context = bpy.context
    windows = window_manager_of(context).windows
    if context.window is not None or len(windows) == 0:
        yield context
        return
    with context.temp_override(window=windows[0]):
        yield bpy.context


def largest_view() -> tuple[Window, Area] | None:
    """Return the window and area of the largest 3D view; None for none."""
    windows = window_manager_of(bpy.context).windows
    views = [(window, area) for window in windows for area in window.screen.areas if area.type == "VIEW_3D"]
    return max(views, key=lambda each: each[1].width * each[1].height, default=None)


@contextmanager
def in_the_largest_view() -> Iterator[Context]:
    """Give the context of the largest 3D view, with its local view; without any, as `in_a_window`."""
    found = largest_view()
    if found is None:
        with in_a_window() as context:
            yield context
        return
    window, area = found
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=window, area=area, region=region):
        yield bpy.context


def conclude(outcomes: Sequence[Outcome]) -> Conclusion:
    """Return how the placements or checks of objects ended; it is no warning if all are at rest."""
    certificates = [outcome.certificate for outcome in outcomes]
    well = all(certificate.status.at_rest for certificate in certificates)
    lost = list(dict.fromkeys(note for outcome in outcomes for note in _on_lost_faces(outcome)))
    well = well and not lost
    if len(outcomes) > 1:
        counts = Counter(certificate.status for certificate in certificates)
        ends = [f"{count} of them {status.message}" for status, count in counts.items()]
        text = "; ".join(ends) if len(ends) > 1 else certificates[0].status.message
        overlaps = [
            f'"{outcome.subject.name}" overlaps {in_words(outcome.certificate.overlapped)}'
            for outcome in outcomes
            if outcome.certificate.overlapped
        ]
        return Conclusion(well, "; ".join([f"{len(outcomes)} objects: {text}", *overlaps, *lost]))
    (certificate,) = certificates
    freed = [note for note in certificate.notes if note.startswith(FREED)]
    text = f'"{outcomes[0].subject.name}": {sentence_of(report_of(certificate))}'
    return Conclusion(well, "; ".join([text, *freed, *lost]))


def _on_lost_faces(outcome: Outcome) -> list[str]:
    """Return the notes on faces of an object, and of those around it, that count as not there."""
    name, own = outcome.subject.name, outcome.subject.body.notes
    notes = [note for note in outcome.certificate.notes if note.endswith(PLACELESS)]
    return [f'"{name}": {note}' if note in own else note for note in notes]
