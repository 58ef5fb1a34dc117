# SPDX-License-Identifier: GPL-3.0-or-later
"""The body of a blob: the solid within its exact surface, in the blob's own coordinates."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bpy.types import Object

from ...core.bodies import Body
from ...core.bodies.implicit_complex import SMOOTHER
from ...core.bodies.implicit_solid import making_blob_body
from ...core.errors import BlobError
from ...core.jobs import Job, finished
from ..errors import SceneError
from ..reading.kept_bodies import MadeBody, digest
from .frames import present_model
from .models import BlobModel
from .objects import SMOOTH

KEYED = (
    "its elements are where they are keyed, not where its control points take them: "
    "go to its frame anew with Show on Playback on, or bake it"
)
_SMOOTHER = f'raise "{SMOOTH}" (Smooth Joins) on it, or on the blob among its elements that is sharp'


@dataclass(frozen=True, eq=False)
class BlobSource:
    """What the body of a blob is made of; is_solved: whether its surface is that of its control points."""

    model: BlobModel
    is_solved: bool

    @property
    def content(self) -> bytes:
        """What the surface is."""
        return digest("blob", self.model.definition, self.is_solved)

    def made(self) -> MadeBody:
        """Return the body in the blob's coordinates. Raises SceneError."""
        return finished(self.making())

    def making(self) -> Job[MadeBody]:
        """Do what `made` does, in slices."""
        body = yield from _making(self.model)
        return MadeBody(body if self.is_solved else replace(body, notes=(*body.notes, KEYED)))


def blob_source(blob: Object) -> BlobSource:
    """Return a blob as it is now (`present_model`). Raises SceneError."""
    return BlobSource(*present_model(blob))


def _making(model: BlobModel) -> Job[Body]:
    try:
        return (yield from making_blob_body(model.function, model.name))
    except BlobError as error:
        remedy = error.remedy.replace(SMOOTHER, _SMOOTHER)
        raise SceneError(model.name, f"its surface is no body to place: {error.found}", remedy) from error
