# SPDX-License-Identifier: GPL-3.0-or-later
"""Live meshes: the mesh of every blob follows its surface when its elements or the frame change.

Blender calls a handler after every update of the scene. There the mesh is made anew, as fine as a bounded
time allows: modifiers and whatever else depends on it see it in the same update. Where the last making was a
short while ago, a timer makes it, so that meshes never take more than a share of the time. A timer also makes
it as fine as the blob's particles once nothing has changed for a moment.

Renders, and Blender without a window, have no timer: there each mesh is made at once and as fine as it
should be, within a longer time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from time import perf_counter
from typing import Final

import bpy
from bpy.types import Context, Depsgraph, Mesh, Object, Scene

from ...core.errors import PhysPlaceError
from ...scene.access import custom_properties, original, persistent, present, view_layer_of
from ...scene.blobs import live_mesh
from ...scene.blobs.frames import present_model, rendered_model
from ...scene.blobs.live_mesh import LiveMesh
from ...scene.blobs.models import BlobModel
from ...scene.blobs.objects import LIVE, blob_of, is_blob, is_whole_blob, surface_of
from ...scene.changes import own_changes
from ..common import in_a_window

MOVING: Final = 0.035  # seconds that a mesh may take while its blob is changed: 10 times a second and more
STILL: Final = 0.4  # seconds that it may take when nothing has changed for a moment
AT_ONCE: Final = 20.0  # seconds that it may take for a render, or without a window
CALM: Final = 0.25  # seconds without a change after which a finer mesh is made
REST: Final = 1.5  # times that a making took, for which the next one waits at least
SOON: Final = 0.02  # seconds until a timer looks again


class LiveStatus(Enum):
    """How a blob's live mesh is; `message` says it to a person."""

    CURRENT = "Live mesh: up to date"
    COARSE = "Live mesh: coarse while it changes"
    BOUNDED = "Live mesh: as fine as its cost allows; enlarge Particle Size to have all of it"
    WAITING = "Live mesh: too costly to follow, made when it is still"
    OFF = "Live mesh: switched off"
    NONE = "No live mesh: a blob of an earlier version"
    LOCKED = "Live mesh: not its own to write: linked, or in Edit Mode"
    PROBLEM = "Live mesh: not made"

    @property
    def message(self) -> str:
        """A sentence for a person."""
        return self.value

    @property
    def is_well(self) -> bool:
        """Whether the mesh is all that it should be."""
        return self is LiveStatus.CURRENT


@dataclass
class _Followed:
    """What is known of a blob's mesh: the surface that was seen last, how it was made last, when, what is
    wrong, whether it is behind, and whether it is as fine as its cost allows.
    """

    seen: str = ""
    made: LiveMesh | None = None
    ended: float = 0.0
    problem: str = ""
    is_behind: bool = False
    is_bounded: bool = False


class LiveMeshes:
    """The live meshes of all blobs, by the session's numbers of these.

    is_refining: whether what changes in the scene now is live meshes alone. is_rendering: whether a render
    shows the meshes: then they are those of its frame.
    """

    def __init__(self) -> None:
        self._known: dict[int, _Followed] = {}
        self._changed = 0.0
        self.is_refining = self.is_rendering = False

    def forget(self) -> None:
        """Know nothing of any blob, as after another file was opened."""
        self._known.clear()

    def status(self, blob: Object) -> LiveStatus:
        """Return how a blob's live mesh is."""
        known = self._known.get(blob.session_uid, _Followed())
        surface = surface_of(blob)
        if surface is None:
            return LiveStatus.NONE
        if not is_live(blob):
            return LiveStatus.OFF
        if live_mesh.is_locked(surface):
            return LiveStatus.LOCKED
        if known.problem:
            return LiveStatus.PROBLEM
        if known.is_behind:
            return LiveStatus.WAITING
        if known.made is not None and known.made.is_coarse:
            return LiveStatus.BOUNDED if known.is_bounded else LiveStatus.COARSE
        return LiveStatus.CURRENT

    def is_seen(self, blob: Object) -> bool:
        """Return whether a blob's mesh follows its surface, so that nothing else has to show it."""
        unseen = (LiveStatus.NONE, LiveStatus.OFF, LiveStatus.LOCKED, LiveStatus.PROBLEM)
        return self.status(blob) not in unseen

    def problem(self, blob: Object) -> str:
        """Return why a blob's mesh cannot be made, in one line; empty if it can."""
        return self._known.get(blob.session_uid, _Followed()).problem.partition("\n")[0]

    def follow(self, blobs: Iterable[Object], depsgraph: Depsgraph | None = None) -> bool:
        """Make the meshes of blobs anew if they are not up to date; return whether a timer has to go on.

        depsgraph: the evaluated scene of a render, for which each is made at once and as fine as it should
        be; None for the scene that the artist works in.
        """
        left = [self._follow(blob, MOVING if depsgraph is None else AT_ONCE, depsgraph) for blob in blobs]
        return any(left)

    def clear_parts(self, depsgraph: Depsgraph) -> None:
        """Take away the meshes of blobs that an update has made parts of others: they show nothing alone."""
        for obj in _updated(depsgraph):
            if is_blob(obj) and blob_of(obj) != obj:
                mesh = live_mesh.own_mesh(obj)
                if mesh is not None:
                    live_mesh.clear(mesh)

    def refine(self, blobs: Iterable[Object]) -> float | None:
        """Make meshes that are behind, and finer ones when all is still.

        Returns the seconds after which to call it again; None if nothing is left to do.
        """
        calm = perf_counter() - self._changed >= CALM
        left = [self._follow(blob, STILL if calm else MOVING) for blob in blobs]
        return SOON if any(left) else None

    def _follow(self, blob: Object, seconds: float, depsgraph: Depsgraph | None = None) -> bool:
        """Make a blob's mesh anew within so many seconds, if need be; return whether there is more to do."""
        surface = surface_of(blob)
        mesh = None if surface is None or not is_live(blob) else live_mesh.own_mesh(surface)
        if mesh is None:
            return False
        known = self._known.setdefault(blob.session_uid, _Followed())
        try:
            model = present_model(blob)[0] if depsgraph is None else rendered_model(blob, depsgraph)
            content = live_mesh.content_of(model)
            if content != known.seen:
                known.seen, self._changed = content, perf_counter()
            return self._made(known, mesh, model, content, seconds)
        except PhysPlaceError as error:
            known.problem, known.made = str(error), None
            self._write_nothing(present(surface), mesh)
            return False

    def _made(self, known: _Followed, mesh: Mesh, model: BlobModel, content: str, seconds: float) -> bool:
        known.problem = ""
        before, now = live_mesh.first_guess(model), perf_counter()
        if known.made is not None:
            before = replace(known.made, finest=before.finest)
        spacing = before.spacing_within(seconds)
        waits = seconds <= MOVING and now < known.ended + REST * before.seconds
        made_from, made_spacing = live_mesh.made_of(mesh)
        if made_from == content and made_spacing <= live_mesh.FINER * spacing:
            known.made = LiveMesh(content, made_spacing, before.finest, before.seconds)
            known.is_behind, known.is_bounded = False, seconds > MOVING
            return known.made.is_coarse and not known.is_bounded
        known.is_behind = made_from != content
        if waits or (seconds <= MOVING and spacing > live_mesh.COARSEST * before.finest):
            return True
        known.made = live_mesh.make(mesh, model, content, spacing, exact=seconds > MOVING)
        known.ended, known.is_behind = perf_counter(), False
        known.is_bounded = seconds > MOVING
        return known.made.is_coarse and not known.is_bounded

    def _write_nothing(self, surface: Object, mesh: Mesh) -> None:
        """Take away a mesh whose surface is not there, unless another object has it, too."""
        if not live_mesh.is_shared(surface):
            live_mesh.clear(mesh)


live = LiveMeshes()


def is_live(blob: Object) -> bool:
    """Return whether a blob's mesh is to follow its surface."""
    return custom_properties(blob).get(LIVE, False) not in (False, 0)


def follow_all() -> None:
    """Have the meshes of all blobs of the view layer follow."""
    _follow(_whole_blobs(bpy.context), bpy.context.evaluated_depsgraph_get() if bpy.app.background else None)


def _whole_blobs(context: Context) -> list[Object]:
    """Return the blobs of the view layer; while a file is loaded it has places for objects that are gone."""
    places: Iterable[Object | None] = view_layer_of(context).objects
    return [obj for obj in places if obj is not None and is_whole_blob(obj)]


def _follow(blobs: Iterable[Object], depsgraph: Depsgraph | None) -> None:
    if live.follow(blobs, depsgraph) and depsgraph is None:
        follow_soon()


def follow_soon() -> None:
    """Have Blender's timer look at the meshes of all blobs."""
    if not bpy.app.timers.is_registered(_go_on):
        bpy.app.timers.register(_go_on, first_interval=SOON)


def _go_on() -> float | None:
    """Make what is behind, and what is coarse; Blender's timer calls it."""
    with in_a_window() as context:
        return _refined(context)


def _refined(context: Context) -> float | None:
    blobs = _whole_blobs(context)
    if live.is_rendering:
        return CALM
    with own_changes(context):
        live.is_refining = True
        try:
            left = live.refine(blobs)
            context.evaluated_depsgraph_get()
        finally:
            live.is_refining = False
    return left


@persistent
def _on_update(_scene: Scene, depsgraph: Depsgraph) -> None:
    is_render = depsgraph.mode == "RENDER"
    if live.is_refining or (live.is_rendering and not is_render):
        return
    live.clear_parts(depsgraph)
    _follow(_blobs_of(depsgraph), depsgraph if is_render or bpy.app.background else None)


@persistent
def _on_replaced(*_: object) -> None:
    with in_a_window():
        follow_all()


@persistent
def _on_render(*_: object) -> None:
    live.is_rendering = True


@persistent
def _on_rendered(*_: object) -> None:
    live.is_rendering = False
    with in_a_window():
        follow_all()


@persistent
def _on_loaded(*_: object) -> None:
    live.forget()
    with in_a_window():
        follow_all()


def _blobs_of(depsgraph: Depsgraph) -> list[Object]:
    """Return the whole blobs of which an update has changed anything."""
    found: dict[int, Object] = {}
    for obj in _updated(depsgraph):
        blob = blob_of(obj)
        if blob is not None and surface_of(blob) is not None:
            found[blob.session_uid] = blob
    return list(found.values())


def _updated(depsgraph: Depsgraph) -> list[Object]:
    """Return the objects that an update has changed, as they are in the file."""
    return [original(update.id) for update in depsgraph.updates if isinstance(update.id, Object)]


def stop() -> None:
    """Make no mesh any more."""
    if bpy.app.timers.is_registered(_go_on):
        bpy.app.timers.unregister(_go_on)
    live.forget()


HANDLERS = (
    ("depsgraph_update_post", _on_update),
    ("frame_change_post", _on_update),
    ("undo_post", _on_replaced),
    ("redo_post", _on_replaced),
    ("load_post", _on_loaded),
    ("render_init", _on_render),
    ("render_complete", _on_rendered),
    ("render_cancel", _on_rendered),
)
