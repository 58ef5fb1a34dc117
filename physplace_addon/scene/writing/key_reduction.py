# SPDX-License-Identifier: GPL-3.0-or-later
"""Which states of a path need a key, so that Blender's interpolation stays within a given error.

Ramer, Douglas and Peucker's method on location and rotation together. Between two keys Blender interpolates
each channel linearly: a state between them is then off by a length d of the object's location in the world
and an angle a (radians). A point of the body is off by at most `d + a r`, r the largest distance of the
body's points from the object's origin. The error is this over the body's radius R. The state with the largest
error becomes a key until all errors are small enough. Every key is a state of the path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.arrays import Floats
from .. import rotations
from .transform import Channels


@dataclass(frozen=True)
class MotionScale:
    """How far a body's points move with its object's channels.

    Attributes:
        mode: the object's rotation mode.
        length: the largest motion of a point, over R, for a unit of the object's location.
        turn: the same for a radian of its rotation.
    """

    mode: str
    length: float
    turn: float


def needed_keys(
    path: Sequence[Channels], frames: Sequence[float], measure: MotionScale, error: float
) -> list[int]:
    """Return the numbers of a path's states that need a key: the first, the last and some between.

    Args:
        path: the channels of the states.
        frames: their frames, increasing.
        measure: turns differences of channels into errors.
        error: the largest error, over R; 0 keeps all states.
    """
    if error <= 0.0 or len(path) < 3:
        return list(range(len(path)))
    ways = _SampledPath.of(path, frames, measure)
    chosen = {0, len(path) - 1}
    open_ends = [(0, len(path) - 1)]
    while open_ends:
        first, last = open_ends.pop()
        if last - first < 2:
            continue
        errors = ways.errors(first, last)
        if errors.max() > error:
            worst = first + 1 + int(errors.argmax())
            chosen.add(worst)
            open_ends += [(first, worst), (worst, last)]
    return sorted(chosen)


@dataclass(frozen=True, eq=False)
class _SampledPath:
    """The n states: frames (n,), locations (n, 3), rotations (n, 3) or (n, 4), matrices (n, 3, 3)."""

    frames: Floats
    locations: Floats
    rotations: Floats
    matrices: Floats
    measure: MotionScale

    @classmethod
    def of(cls, path: Sequence[Channels], frames: Sequence[float], measure: MotionScale) -> _SampledPath:
        turns = np.array([values.rotation for values in path])
        return cls(
            np.asarray(frames, dtype=np.float64),
            np.array([values.location for values in path]),
            turns,
            rotations.matrix_of(measure.mode, turns),
            measure,
        )

    def errors(self, first: int, last: int) -> Floats:
        """Return the errors over R of the states strictly between two keys: (last - first - 1,)."""
        between = slice(first + 1, last)
        share = (self.frames[between] - self.frames[first]) / (self.frames[last] - self.frames[first])
        shown = self.locations[first] + share[:, None] * (self.locations[last] - self.locations[first])
        turned = self.rotations[first] + share[:, None] * (self.rotations[last] - self.rotations[first])
        lengths = np.linalg.norm(shown - self.locations[between], axis=1)
        off = rotations.matrix_of(self.measure.mode, turned) - self.matrices[between]
        sines = np.linalg.norm(off, axis=(1, 2)) / np.sqrt(8.0)  # of half the angle
        angles = 2.0 * np.arcsin(np.minimum(sines, 1.0))
        errors: Floats = self.measure.length * lengths + self.measure.turn * angles
        return errors
