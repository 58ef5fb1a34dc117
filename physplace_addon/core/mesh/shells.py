"""How often a closed surface winds around points, and which it encloses: a ray from those meets it an odd
number of times. A point is wound around once more for each time the ray leaves than it enters.

The ray runs along a direction in general position, so that it meets no edge of what is modelled on axes and
grids. With the triangles sorted by where they begin across the ray, a point's candidates are a run of them.

The shells of a solid: which are inside out, which are cavities, which add no matter.

A shell is a set of faces connected through edges. If all shells together enclose a negative volume, all are
turned over. One that still encloses a negative volume is a cavity if it lies in a positive shell, and turned
over if it does not. A positive shell inside the solid is matter inside matter, and adds none: it is filled
on both sides. With w the number of positive shells around a shell, less the cavities around it, matter ends
at a positive shell where w = 0, and at a cavity where w = 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats, Ints
from .mass import signed_volumes

_AXES = np.linalg.qr(np.array([[0.83, 0.31, 0.46], [-0.29, 0.95, 0.12], [0.41, 0.23, -0.88]]))[0]
_AXES *= np.sign(np.linalg.det(_AXES))  # right-handed, to tell which way triangles are wound
_AT_ONCE = 1_000_000  # pairs of a point and a triangle


def encloses(corners: Floats, points: Floats) -> Bools:
    """Whether closed triangles (t, 3, 3), wound either way, enclose points (m, 3) that are not on them."""
    inside: Bools = windings(corners, points) % 2 == 1
    return inside


def windings(corners: Floats, points: Floats) -> Ints:
    """How often closed triangles (t, 3, 3) wind around points (m, 3) that are not on them, (m,): 1 inside of
    what is wound outward, -1 of what is inside out.
    """
    turned, seen = corners @ _AXES, points @ _AXES
    turned = turned[np.argsort(turned[:, :, 0].min(axis=1))]
    begins, widest = turned[:, :, 0].min(axis=1), float(np.ptp(turned[:, :, 0], axis=1).max())
    first = np.searchsorted(begins, seen[:, 0] - widest)
    count = np.searchsorted(begins, seen[:, 0], side="right") - first
    winds = np.zeros(len(points), dtype=np.intp)
    for rows in _portions(count):
        point = np.repeat(rows, count[rows])
        place = np.arange(len(point)) - np.repeat(np.cumsum(count[rows]) - count[rows], count[rows])
        met = _meets(turned[first[point] + place], seen[point])
        found = np.bincount(point - rows[0], weights=met, minlength=len(rows))
        winds[rows] = found.astype(np.intp)
    return winds


def _portions(count: Ints) -> list[Ints]:
    """The numbers of points with `count` (m,) candidates each, in portions that fit into memory."""
    portion = np.cumsum(count) // _AT_ONCE
    return np.split(np.arange(len(count)), np.flatnonzero(np.diff(portion)) + 1)


def _meets(corners: Floats, points: Floats) -> Ints:
    """Whether rays from points (k, 3) along the third axis meet triangles (k, 3, 3): 1 where they go out, -1
    where they go in, else 0.
    """
    arms = corners - points[:, None]
    following = np.roll(arms, -1, axis=1)
    turn = arms[:, :, 0] * following[:, :, 1] - arms[:, :, 1] * following[:, :, 0]
    around = (turn > 0.0).all(axis=1) | (turn < 0.0).all(axis=1)
    total = turn.sum(axis=1)
    height = (turn * np.roll(arms[:, :, 2], 1, axis=1)).sum(axis=1)
    met: Ints = np.where(around & (height * total > 0.0), np.sign(total), 0.0).astype(np.intp)
    return met


LEAST_VOLUME = 1e-8  # of area times diagonal; the weld leaves no real solid thinner than that
OUTER = 64  # shells, the largest, in which others are looked for


@dataclass(frozen=True, eq=False)
class Shells:
    """Which triangles (t,) to turn over, which of them part matter from none (t,), and what they enclose."""

    turned: Bools
    filled: Bools
    volume: float
    notes: tuple[str, ...]


def shells(corners: Floats, labels: Ints, two_sided: Bools) -> Shells:
    """Judge the shells of closed triangles (t, 3, 3), near the origin, with the shell (t,) of each.

    Triangles that lay there both ways round, two_sided (t,), are not counted as turned.
    """
    volumes = np.bincount(labels, weights=signed_volumes(corners))
    sign = 1.0 if volumes.sum() >= 0.0 else -1.0
    outer, around = _around(corners, labels)
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


def _around(corners: Floats, labels: Ints) -> tuple[Ints, Bools]:
    """The largest shells (o,), and whether each holds the others (o, s); none, where there is one shell."""
    if not labels.any():
        return np.zeros(0, dtype=np.intp), np.zeros((0, 1), dtype=bool)
    order = np.argsort(labels, kind="stable")
    begins = np.flatnonzero(np.diff(labels[order], prepend=-1))
    lower = np.minimum.reduceat(corners.min(axis=1)[order], begins)
    upper = np.maximum.reduceat(corners.max(axis=1)[order], begins)
    first = corners[order[begins], 0]
    outer = np.argsort(-np.prod(upper - lower, axis=1))[:OUTER]
    around = np.zeros((len(outer), len(begins)), dtype=bool)
    for row, shell in enumerate(outer.tolist()):
        inner = np.flatnonzero(((lower > lower[shell]) & (upper < upper[shell])).all(axis=1))
        if len(inner):
            around[row, inner] = encloses(corners[labels == shell], first[inner])
    return outer, around
