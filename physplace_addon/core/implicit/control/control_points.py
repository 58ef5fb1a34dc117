"""Control points: places that the surface passes through (Witkin and Heckbert 1994, sections 3.4 and 5).

A point is pinned and stays where it is, or it is dragged. A spring pulls a dragged point towards the cursor,
"the velocity of the dragged particle proportional to the vector from the point to the 3-D cursor position",
so that a cursor that jumps makes no jump in the surface. A point that is pinned where the surface is not
starts at a close point of the surface and is on its way until it has come to the pin.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...arrays import Bools, Floats
from ...errors import SculptingError
from ...vectors import column_length


@dataclass(frozen=True, eq=False)
class ControlPoints:
    """n control points; lengths are in scene units.

    Attributes:
        position: where they are on the surface (n, 3).
        target: where they are wanted (n, 3).
        dragged: which of them follow the cursor (n,).
        names: their names (n), for messages.
    """

    position: Floats
    target: Floats
    dragged: Bools
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.position)

    @classmethod
    def pinned(cls, position: Floats | Sequence[Sequence[float]], names: Sequence[str] = ()) -> ControlPoints:
        """Return points that pin the surface to positions (n, 3).

        Raises:
            SculptingError: for anything but three finite numbers each.
        """
        at = np.array(position, dtype=np.float64).reshape(-1, 3)
        for place in at:
            checked(place)
        called = tuple(names) or tuple(f"{number + 1}" for number in range(len(at)))
        return cls(at, at.copy(), np.zeros(len(at), dtype=bool), called)

    def with_point(self, place: Floats, name: str = "") -> ControlPoints:
        """Return the points and one more, pinned at a place (3,). Raises SculptingError for no place."""
        more = ControlPoints.pinned(checked(place)[None], [name or self._unused()])
        return ControlPoints(
            np.vstack([self.position, more.position]),
            np.vstack([self.target, more.target]),
            np.append(self.dragged, False),
            self.names + more.names,
        )

    def _unused(self) -> str:
        """Return the smallest number that names no point."""
        return next(str(n) for n in range(len(self) + 1, 2 * len(self) + 2) if str(n) not in self.names)

    def without(self, index: int) -> ControlPoints:
        """Return the points without one; those behind it move up. Raises SculptingError for no such point."""
        self._check(index)
        return self.take(np.arange(len(self)) != index)

    def take(self, some: Bools) -> ControlPoints:
        """Return some of the points, by a mask (n,)."""
        names = tuple(name for name, kept in zip(self.names, some, strict=True) if kept)
        return ControlPoints(self.position[some], self.target[some], self.dragged[some], names)

    def carried(self, flags: Bools, others: ControlPoints) -> Bools:
        """Return flags of these points (n,) for other points (k,): of those of the same names that are wanted
        at the same places; False for the others.
        """
        if not np.count_nonzero(flags):
            return np.zeros(len(others), dtype=np.bool_)
        own = zip(self.names, self.target.tolist(), flags, strict=True)
        flagged = [(name, target) for name, target, flag in own if flag]
        pairs = zip(others.names, others.target.tolist(), strict=True)
        return np.array([pair in flagged for pair in pairs], dtype=np.bool_)

    def dragged_to(self, index: int, target: Floats) -> ControlPoints:
        """Return the points with one dragged towards a target (3,) from now on.

        Raises:
            SculptingError: for no such point, and for no place.
        """
        self._check(index)
        targets, dragged = self.target.copy(), self.dragged.copy()
        targets[index], dragged[index] = checked(target), True
        return ControlPoints(self.position, targets, dragged, self.names)

    def released(self, index: int) -> ControlPoints:
        """Return the points with one pinned where it is now. Raises SculptingError for no such point."""
        self._check(index)
        return self.pinned_at(index, self.position[index])

    def pinned_at(self, index: int, place: Floats) -> ControlPoints:
        """Return the points with one pinned at another place (3,).

        Raises:
            SculptingError: for no such point, and for no place.
        """
        self._check(index)
        positions, targets, dragged = self.position.copy(), self.target.copy(), self.dragged.copy()
        positions[index] = targets[index] = checked(place)
        dragged[index] = False
        return replace(self, position=positions, target=targets, dragged=dragged)

    @cached_property
    def free(self) -> Bools:
        """Which points (n,) are on their way: dragged, or not yet where they are pinned."""
        return np.asarray(self.dragged | (self.distance_left > 0.0))

    def at(self, position: Floats) -> ControlPoints:
        """Return the points at other positions (n, 3), their targets as before."""
        return ControlPoints(position, self.target, self.dragged, self.names)

    def moved_to_surface(self, apart: Bools, feet: Floats) -> ControlPoints:
        """Return the points with some of them (n,) at places on the surface (k, 3), their
        targets as before.
        """
        position = self.position.copy()
        position[apart] = feet
        return self.at(position)

    def moves(self, share: float, longest: float) -> Floats:
        """Return how far each point goes in a step (n, 3): a share of the way to the cursor, or all of it to
        the pin.

        Args:
            share: the share of a dragged point.
            longest: the longest move in scene units.
        """
        vector, distance = self._left
        part = 1.0 - (1.0 - share) * self.dragged
        capped = np.minimum(part, longest / np.maximum(distance, 1e-300))
        return np.asarray(capped[:, None] * vector)

    @property
    def distance_left(self) -> Floats:
        """How far each point is from its target (n,), in scene units."""
        return self._left[1]

    @cached_property
    def _left(self) -> tuple[Floats, Floats]:
        """The vectors (n, 3) from the points to their targets, and their lengths (n,)."""
        vector = self.target - self.position
        return vector, column_length(vector)

    def _check(self, index: int) -> None:
        """Raise SculptingError for a number that no point has."""
        if not 0 <= index < len(self):
            raise SculptingError(f"control point {index}: there are {len(self)}; count from 0")


def checked(place: Floats) -> Floats:
    """Return a place as an array (3,).

    Raises:
        SculptingError: for anything but three finite numbers.
    """
    found = np.array(place, dtype=np.float64)
    if found.shape != (3,) or not all(map(math.isfinite, found.tolist())):
        raise SculptingError(f"control point: expected a place of three finite numbers, found {place!r}")
    return found
