# SPDX-License-Identifier: GPL-3.0-or-later
"""The body of a blob: what its exact surface encloses, in the blob's own coordinates."""

from __future__ import annotations

from bpy.types import Object

from ..core.bodies import Body
from ..core.body_blob import blob_body
from ..core.body_blob_complex import SMOOTHER
from ..core.errors import BlobError
from .blob_models import BlobModel, read_blob
from .blobs import SMOOTH
from .errors import SceneError

MOST = 16  # bodies that are remembered
_SMOOTHER = f'raise "{SMOOTH}" (Smooth Joins) on it, or on the blob among its elements that is sharp'

_known: dict[tuple[object, ...], Body] = {}


def body_of_blob(blob: Object) -> Body:
    """The body of a blob as it is now; what was asked for lately is remembered. Raises SceneError."""
    model = read_blob(blob)
    key = (model.name, *model.definition)
    if key not in _known:
        while len(_known) >= MOST:
            _known.pop(next(iter(_known)))
        _known[key] = _made(model)
    return _known[key]


def _made(model: BlobModel) -> Body:
    try:
        return blob_body(model.function, model.name)
    except BlobError as error:
        remedy = error.remedy.replace(SMOOTHER, _SMOOTHER)
        raise SceneError(model.name, f"its surface is no body to place: {error.found}", remedy) from error
