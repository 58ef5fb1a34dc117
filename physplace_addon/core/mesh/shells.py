"""The shells of a solid: which are inside out, which are cavities, which add no matter.

A shell is a set of faces connected through edges.  If all shells together enclose a negative volume, all are
turned over.  One that still encloses a negative volume is a cavity if it lies in a positive shell, and turned
over if it does not.  A positive shell inside the solid is matter inside matter, and adds none: it is filled
on both sides.  With w the number of positive shells around a shell, less the cavities around it, matter ends
at a positive shell where w = 0, and at a cavity where w = 1.

A shell lies in another of larger volume, in whose box it is, if four places just inside of it do: near the
corners that are farthest out along four directions, each under a triangle there.  So a shell that goes
through the other is beside it, and one may touch the other from inside, or share a corner or a wall with it:
what lies on the surface tells nothing, what lies under it does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..vectors import cross, length
from .inside import encloses
from .mass import signed_volumes

LEAST_VOLUME = 1e-8
"""Least volume of a solid, over its area times its bounding box's diagonal.  Welding leaves none thinner."""

OUTER = 64
"""Shells, the largest by their boxes, that are tested for others inside.  It bounds the time, which grows
with the product of outer and inner shells."""

_UNDER = 1e-4
"""Depth of a place inside a shell under its triangle, over the root of that triangle's area: far above
rounding."""

_INWARDS = 0.1
"""Share of the way from a triangle's corner to its middle at which such a place lies."""

_DIRECTIONS = np.array([[1.0, 1.1, 1.2], [1.0, -1.1, -1.2], [-1.0, 1.1, -1.2], [-1.0, -1.1, 1.2]])
"""Directions along which the corners that are farthest out are looked for: those of a tetrahedron, nearly."""


@dataclass(frozen=True, eq=False)
class Shells:
    """Which triangles (t,) to turn over, which (t,) have matter on one side only, and the volume they
    enclose.
    """

    turned: Bools
    filled: Bools
    volume: float
    notes: tuple[str, ...]


def shells(corners: Floats, labels: Ints, two_sided: Bools) -> Shells:
    """Return what the shells of closed triangles are: inside out, cavities, or without matter of their own.

    Args:
        corners: (t, 3, 3), near the origin, so that volumes keep their digits.
        labels: the shell (t,) of each triangle.
        two_sided: triangles (t,) that were there in both orientations; the notes do not count them as turned.
    """
    volumes = np.bincount(labels, weights=signed_volumes(corners)).astype(np.float64, copy=False)
    sign = 1.0 if volumes.sum() >= 0.0 else -1.0
    outer, around = _around(corners, labels, volumes)
    negative = sign * volumes < 0.0
    cavity = negative & (around & ~negative[outer][:, None]).any(axis=0)
    direction = np.where(cavity, -1, 1)
    depth = direction[outer] @ around
    filled = depth == np.where(cavity, 1, 0)
    turned = (negative & ~cavity) != (sign < 0.0)
    volume = float((direction * np.abs(volumes))[filled].sum())
    return Shells(
        turned[labels], filled[labels], volume, tuple(_notes(turned[labels] & ~two_sided, cavity, filled))
    )


def _notes(turned: Bools, cavity: Bools, filled: Bools) -> list[str]:
    counts = {
        "faces of inside-out shells turned over": int(turned.sum()),
        "inner shells taken as cavities": int(cavity.sum()),
        "inner shells that add no mass": int((~filled & ~cavity).sum()),
    }
    return [f"{count} {what}" for what, count in counts.items() if count]


def _around(corners: Floats, labels: Ints, volumes: Floats) -> tuple[Ints, Bools]:
    """Return the largest shells (o,), and whether each encloses the others (o, s); none if there is one
    shell.

    Args:
        corners: (t, 3, 3).
        labels: the shell (t,) of each triangle.
        volumes: of the shells (s,), negative where they are inside out.
    """
    if not labels.any():
        return np.zeros(0, dtype=np.intp), np.zeros((0, 1), dtype=bool)
    order = np.argsort(labels, kind="stable")
    begins = np.flatnonzero(np.diff(labels[order], prepend=-1))
    lower = np.minimum.reduceat(corners.min(axis=1)[order], begins)
    upper = np.maximum.reduceat(corners.max(axis=1)[order], begins)
    outer = np.argsort(-np.prod(upper - lower, axis=1))[:OUTER]
    size = np.abs(volumes)
    around = (lower >= lower[outer][:, None]).all(axis=2) & (upper <= upper[outer][:, None]).all(axis=2)
    around &= size < size[outer][:, None]
    some = np.flatnonzero(around.any(axis=0))
    if len(some):
        chosen = np.flatnonzero(np.isin(labels, some))
        places = _places_inside(corners[chosen], np.searchsorted(some, labels[chosen]), volumes[some])
    for row in np.flatnonzero(around.any(axis=1)).tolist():
        inner = np.flatnonzero(around[row])
        inside = encloses(corners[labels == outer[row]], places[np.searchsorted(some, inner)].reshape(-1, 3))
        around[row, inner] = inside.reshape(len(inner), -1).all(axis=1)
    return outer, around


def _places_inside(corners: Floats, labels: Ints, volumes: Floats) -> Floats:
    """Return four places (s, 4, 3) just inside of each shell; arguments as `_around` takes them."""
    order = np.argsort(labels, kind="stable")
    begins = np.flatnonzero(np.diff(labels[order], prepend=-1))
    places = np.empty((len(begins), len(_DIRECTIONS), 3))
    for number, direction in enumerate(_DIRECTIONS):
        heights = corners @ direction
        top = heights.max(axis=1)
        highest = np.flatnonzero(top == np.maximum.reduceat(top[order], begins)[labels])[::-1]
        first = np.empty(len(begins), dtype=np.intp)
        first[labels[highest]] = highest
        triangle, rows = corners[first], np.arange(len(begins))
        corner = triangle[rows, heights[first].argmax(axis=1)]
        normal = cross(triangle[:, 1] - triangle[:, 0], triangle[:, 2] - triangle[:, 0])
        double = length(normal)  # twice the area A, so that sqrt(A) n = normal / sqrt(2 double)
        depth = np.where(volumes < 0.0, -_UNDER, _UNDER) / np.sqrt(2.0 * np.where(double > 0.0, double, 1.0))
        inwards = _INWARDS * (triangle.mean(axis=1) - corner)
        places[:, number] = corner + inwards - depth[:, None] * normal
    return places
