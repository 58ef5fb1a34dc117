# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies kept from one reading of the scene to the next, by what their meshes are.

A body's key is a digest of the arrays and settings that it is made of, so linked and equal meshes share one,
whatever their names, and a changed mesh has another. Pose and scale are no part of it. A body after an affine
map is kept, too, with the box tree of the first one fitted to it.

All that hangs on a body (tree, topology, what contact looks up) counts as its memory. Above the limit the
bodies that were used longest ago are forgotten.
"""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, fields, replace
from hashlib import blake2b

import numpy as np

from ...core.arrays import Floats
from ...core.bodies import Body
from ...core.collision import remember_mapped
from ...core.errors import MeshError
from ...core.jobs import Job
from ...core.surfaces.flat import Segments, Triangles

LIMIT = 512e6  # bytes that bodies may take, unless the artist chose another limit


@dataclass(frozen=True, eq=False)
class MadeBody:
    """What was made of a mesh.

    Attributes:
        body: None for a mesh without faces, or one whose faces bound nothing.
        notes: why another kind of body was not made.
        error: why its faces bound nothing.
    """

    body: Body | None
    notes: tuple[str, ...] = ()
    error: MeshError | None = None


class KeptBodies:
    """The cache: what was made, by key, in the order of use.

    limit: the most bytes that it takes after `trim`.
    """

    def __init__(self, limit: float = LIMIT) -> None:
        self.limit = limit
        self._made: OrderedDict[Hashable, object] = OrderedDict()

    def __len__(self) -> int:
        return len(self._made)

    def made(self, key: Hashable, make: Callable[[], MadeBody]) -> MadeBody:
        """Return what was made of a key, or make it."""
        known = self._made.get(key)
        if not isinstance(known, MadeBody):
            known = self._made[key] = make()
        self._made.move_to_end(key)
        return known

    def making(self, key: Hashable, make: Callable[[], Job[MadeBody]]) -> Job[None]:
        """Make what is not known of a key, in slices; a job that is left before its end keeps nothing."""
        if not isinstance(self._made.get(key), MadeBody):
            self._made[key] = yield from make()

    def has_body(self, key: Hashable) -> bool:
        """Return whether a body is kept for a key."""
        known = self._made.get(key)
        return isinstance(known, MadeBody) and known.body is not None

    def is_bodiless(self, key: Hashable) -> bool:
        """Return whether it is known that no body can be made for a key."""
        known = self._made.get(key)
        return isinstance(known, MadeBody) and known.body is None

    def placed(self, key: Hashable, body: Body, affine: Floats, name: str) -> Body:
        """Return the body of a key after an affine map (4, 4), with a name."""
        whole = ("placed", key, name, affine.tobytes())
        known = self._made.get(whole)
        if not isinstance(known, Body):
            known = body.transformed(affine, name=name)
            remember_mapped(known, body)
            self._made[whole] = known
        self._made.move_to_end(whole)
        return known

    def same(self, key: Hashable, body: Body) -> Body:
        """Return the body kept under a key if it is equal to this one, or else keep this one."""
        known = self._made.get(key)
        if not isinstance(known, Body) or not _are_equal(known, body):
            known = self._made[key] = body
        self._made.move_to_end(key)
        return known

    def trim(self) -> None:
        """Forget what was used longest ago until the rest is within the limit."""
        seen: set[int] = set()
        used = 0
        for key in reversed(list(self._made)):
            used += _new_bytes([self._made[key]], seen)
            if used > self.limit:
                del self._made[key]

    def clear(self) -> None:
        """Forget everything, and free its memory."""
        self._made.clear()
        gc.collect()

    @property
    def bytes(self) -> int:
        """The memory of all that is kept."""
        return _new_bytes(self._made.values(), set())


kept = KeptBodies()
"""The bodies that all readings share."""


def digest(*parts: object) -> bytes:
    """Return a digest of arrays and of plain values, such that equal ones have equal digests."""
    found = blake2b(digest_size=16)
    for part in parts:
        if isinstance(part, np.ndarray):
            found.update(f"{part.dtype.str}{part.shape}".encode())
            found.update(np.ascontiguousarray(part).data)
        elif isinstance(part, (tuple, list)):
            found.update(f"{len(part)}(".encode() + digest(*part))
        else:
            found.update(f"{part!r};".encode())
    return found.digest()


def _new_bytes(roots: Iterable[object], seen: set[int]) -> int:
    """Return the bytes of all arrays that can be reached and are not among those seen; they are added."""
    found, waiting = 0, list(roots)
    while waiting:
        each = waiting.pop()
        if id(each) in seen or isinstance(each, (str, bytes, int, float, type)):
            continue
        seen.add(id(each))
        if isinstance(each, np.ndarray):
            found += each.nbytes if each.base is None else 0
            waiting += [] if each.base is None else [each.base]
            waiting += list(each) if each.dtype == object else []
        elif isinstance(each, dict):
            waiting += each.values()
        elif isinstance(each, (tuple, list)):
            waiting += each
        else:
            waiting += getattr(each, "__dict__", {}).values()
    return found


_GEOMETRY = (  # of the fields of a body, those that may be arrays made anew although nothing has changed
    *("face_surface", "face_index", "edge_curve", "edge_index", "vertices", "cone_start", "cone_directions"),
    *("triangles", "triangle_face", "triangle_uv", "triangle_bound", "triangle_corners", "segments"),
    *("segment_edge", "segment_t", "segment_bound", "segment_owner", "vertex_owner", "face_flat"),
)


def _are_equal(first: Body, second: Body) -> bool:
    """Return whether two bodies are the same in everything that is kept of them."""
    plain = (first.name, first.point_count, first.radius, first.closed, first.notes)
    if plain != (second.name, second.point_count, second.radius, second.closed, second.notes):
        return False
    return (
        all(_is_same(getattr(first, name), getattr(second, name)) for name in _GEOMETRY)
        and all(
            _is_same(getattr(first.mass, each.name), getattr(second.mass, each.name))
            for each in fields(first.mass)
        )
        and _are_same_owners(first.surfaces, second.surfaces)
        and _are_same_owners(first.curves, second.curves)
    )


def _is_same(first: object, second: object) -> bool:
    return first is second or np.array_equal(np.asarray(first), np.asarray(second))


def _are_same_owners(first: tuple[object, ...], second: tuple[object, ...]) -> bool:
    """Return whether surfaces or curves are the same; flat ones, whose corners the body has, may be new."""
    return len(first) == len(second) and all(
        one is other or (isinstance(one, (Triangles, Segments)) and type(one) is type(other))
        for one, other in zip(first, second, strict=True)
    )


def with_notes(body: Body, notes: tuple[str, ...]) -> Body:
    """Return a body with notes before its own; itself without any."""
    return replace(body, notes=(*notes, *body.notes)) if notes else body
