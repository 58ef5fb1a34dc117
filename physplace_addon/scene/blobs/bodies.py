# SPDX-License-Identifier: GPL-3.0-or-later
"""The body of a blob: the solid within its exact surface, in the blob's own coordinates."""

from __future__ import annotations

from dataclasses import replace

from bpy.types import Object

from ...core.bodies import Body
from ...core.bodies.implicit_complex import SMOOTHER
from ...core.bodies.implicit_solid import blob_body
from ...core.errors import BlobError
from ..errors import SceneError
from .frames import present_model
from .models import BlobModel
from .objects import SMOOTH

KEYED = (
    "its elements are where they are keyed, not where its control points take them: "
    "go to its frame anew with Show on Playback on, or bake it"
)
MOST = 16  # largest number of bodies in the cache
_SMOOTHER = f'raise "{SMOOTH}" (Smooth Joins) on it, or on the blob among its elements that is sharp'

_known: dict[tuple[object, ...], Body] = {}


def body_of_blob(blob: Object) -> Body:
    """Return the body of a blob as it is now (`present_model`); recent ones are cached. Raises SceneError."""
    model, is_solved = present_model(blob)
    key = (model.name, *model.definition)
    if key not in _known:
        while len(_known) >= MOST:
            _known.pop(next(iter(_known)))
        _known[key] = _made(model)
    body = _known[key]
    return body if is_solved else replace(body, notes=(*body.notes, KEYED))


def _made(model: BlobModel) -> Body:
    try:
        return blob_body(model.function, model.name)
    except BlobError as error:
        remedy = error.remedy.replace(SMOOTHER, _SMOOTHER)
        raise SceneError(model.name, f"its surface is no body to place: {error.found}", remedy) from error
