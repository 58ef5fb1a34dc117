"""Where exact shapes touch, measured on the shapes alone: positions and normals.

A touching pair's normal is the field's gradient.  Where the field has none (it is that of a corner, a rim or
an apex) it is the direction of the shortest way between the two after they have been drawn a hair apart;
drawing apart along the normal just found makes it exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tests.oracles.arrays import Floats
from tests.oracles.facing import Facing, Minima, Solid, nearest, repeated

HAIR = 1e-3  # by which touching solids are drawn apart, over the radius
DIFFERENCE = 1e-6  # step of the field's differences, over the radius
SMOOTH = 1e-6  # by which a smooth field's gradient may miss the length 1
WEIGHTS = np.array([1, -8, 8, -1]) / 12  # of the difference of fourth order at -2, -1, 1, 2 steps
STEPS = np.array([-2, -1, 1, 2])


@dataclass(frozen=True)
class Contacts:
    """k touching points: on solid `first` (k,) and solid `second` (k,) of a list; position (k, 3); normal
    (k, 3), which pushes the first one away from the second.
    """

    first: np.ndarray
    second: np.ndarray
    position: np.ndarray
    normal: np.ndarray

    def __len__(self) -> int:
        return len(self.first)


def contacts(solids: list[Solid], pairs: Sequence[tuple[int, int]], within: float, radius: float) -> Contacts:
    """Measure where the solids of each pair (i, j) are nearer to each other than `within` (a length)."""
    found = [(i, j, *touching(solids[i], solids[j], within, radius)) for i, j in pairs]
    return Contacts(
        np.concatenate([np.full(len(x), i) for i, _, x, _ in found]),
        np.concatenate([np.full(len(x), j) for _, j, x, _ in found]),
        np.concatenate([x for *_, x, _ in found]),
        np.concatenate([n for *_, n in found]),
    )


def touching(first: Solid, second: Solid, within: float, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """Positions (k, 3) at which two solids are nearer than `within`, and normals (k, 3) pushing the first."""
    facing = Facing(first.shape, second.shape)
    minima, _ = nearest(facing, first, second, within, radius, farthest=1.0)
    turn, move = repeated(*facing.relative(first, second), len(minima.patch))
    at = facing.points(minima, turn, move)
    slope = _gradient(facing.field, at, radius)
    length = np.linalg.norm(slope, axis=1)
    normal = slope / length[:, None]
    sharp = np.nonzero(length < 1 - SMOOTH)[0]
    if len(sharp):
        at[sharp], normal[sharp] = _drawn_apart(
            facing, minima.take(sharp), turn[sharp], move[sharp], normal[sharp], radius
        )
    at = at - facing.thickness * normal
    frame = second if facing.first_walks else first
    sign = 1.0 if facing.first_walks else -1.0
    return at @ frame.rotation.T + frame.position, sign * normal @ frame.rotation.T


def _drawn_apart(
    facing: Facing, minima: Minima, turn: Floats, move: Floats, normal: Floats, radius: float
) -> tuple[Floats, Floats]:
    """Points (n, 3) and normals (n, 3) of places where the field has a corner, from a hair's distance.

    On a curve of contact a place may walk off along it: then it keeps its mean normal.
    """
    start, mean, hair = facing.points(minima, turn, move), normal, HAIR * radius
    for _ in range(3):
        apart = move + hair * normal
        minima, _ = facing.refined(minima, turn, apart, scale=0.05)
        at = facing.points(minima, turn, apart)
        slope = _gradient(facing.field, at, radius)
        at, normal = at - hair * normal, slope / np.linalg.norm(slope, axis=1, keepdims=True)
    stayed = np.linalg.norm(at - start, axis=1, keepdims=True) < 5 * hair
    return np.where(stayed, at, start), np.where(stayed, normal, mean)


def _gradient(field: Callable[[Floats], Floats], x: Floats, radius: float) -> np.ndarray:
    """Differences' gradient (n, 3) of the field at points (n, 3): of length 1 where the field is smooth."""
    probes = x[:, None, None] + DIFFERENCE * radius * STEPS[:, None, None] * np.eye(3)[None, None]
    value = field(probes.reshape(-1, 3)).reshape(len(x), 4, 3)
    result: np.ndarray = np.einsum("s,nsi->ni", WEIGHTS, value) / (DIFFERENCE * radius)
    return result
