"""Control points: places that the surface passes through (Witkin and Heckbert 1994, sections 3.4 and 5).

A point is pinned and stays where it is, or it is dragged: a spring pulls it towards the cursor, with a
velocity that is proportional to the vector to it, so that a cursor that jumps makes no jump in the
surface.  A point that is pinned where the surface is not is a foot on the surface, until that has come to
the pin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...arrays import Bools, Floats
from ...errors import SculptingError


@dataclass(frozen=True, eq=False)
class ControlPoints:
    """n control points: position (n, 3), where they are on the surface, and target (n, 3), where they are
    wanted, in scene units; dragged (n,): by the cursor; names (n), for messages.
    """

    position: Floats
    target: Floats
    dragged: Bools
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.position)

    @classmethod
    def pinned(cls, position: Floats | Sequence[Sequence[float]], names: Sequence[str] = ()) -> ControlPoints:
        """Pin the surface to positions (n, 3).  Raises SculptingError for what is no place."""
        at = np.array(position, dtype=np.float64).reshape(-1, 3)
        for place in at:
            checked(place)
        called = tuple(names) or tuple(f"{number + 1}" for number in range(len(at)))
        return cls(at, at.copy(), np.zeros(len(at), dtype=bool), called)

    def with_point(self, place: Floats, name: str = "") -> ControlPoints:
        """Pin the surface at one more place (3,)."""
        more = ControlPoints.pinned(checked(place)[None], [name or self._unused()])
        return ControlPoints(
            np.vstack([self.position, more.position]),
            np.vstack([self.target, more.target]),
            np.append(self.dragged, False),
            self.names + more.names,
        )

    def _unused(self) -> str:
        return next(str(n) for n in range(len(self) + 1, 2 * len(self) + 2) if str(n) not in self.names)

    def without(self, index: int) -> ControlPoints:
        """Leave a point out; those behind it move up."""
        self._check(index)
        return self.only(np.arange(len(self)) != index)

    def only(self, some: Bools) -> ControlPoints:
        """Return some of them (n,)."""
        names = tuple(name for name, kept in zip(self.names, some, strict=True) if kept)
        return ControlPoints(self.position[some], self.target[some], self.dragged[some], names)

    def dragged_to(self, index: int, target: Floats) -> ControlPoints:
        """Drag a point towards a target (3,) from now on."""
        self._check(index)
        targets, dragged = self.target.copy(), self.dragged.copy()
        targets[index], dragged[index] = checked(target), True
        return ControlPoints(self.position, targets, dragged, self.names)

    def released(self, index: int) -> ControlPoints:
        """Pin a point where it is now."""
        self._check(index)
        return self.pinned_at(index, self.position[index])

    def pinned_at(self, index: int, place: Floats) -> ControlPoints:
        """Pin a point to another place (3,)."""
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
        """Return them with those on their way at rows of positions (n, 3)."""
        there = np.where(self.free[:, None], position, self.position)
        return ControlPoints(there, self.target, self.dragged, self.names)

    def moved_to_surface(self, apart: Bools, feet: Floats) -> ControlPoints:
        """Return them with some (n,) at feet (k, 3), on their way to where they are pinned or dragged."""
        position = self.position.copy()
        position[apart] = feet
        return replace(self, position=position)

    def moves(self, share: float, longest: float) -> Floats:
        """Return how far each goes in a step (n, 3): a share of the way to the cursor, or all to the pin."""
        part = np.where(self.dragged, share, 1.0)
        capped = np.minimum(part, longest / np.maximum(self.distance_left, 1e-300))
        return np.asarray(capped[:, None] * self._way_left)

    @cached_property
    def distance_left(self) -> Floats:
        """How far each is from its target (n,)."""
        return np.asarray(np.sqrt(np.einsum("ni,ni->n", self._way_left, self._way_left)))

    @cached_property
    def _way_left(self) -> Floats:
        return self.target - self.position

    def _check(self, index: int) -> None:
        if not 0 <= index < len(self):
            raise SculptingError(f"control point {index}: there are {len(self)}; count from 0")


def checked(place: Floats) -> Floats:
    """Return a place as an array (3,).  Raises SculptingError for anything but three finite numbers."""
    found = np.array(place, dtype=np.float64)
    if found.shape != (3,) or not np.isfinite(found).all():
        raise SculptingError(f"control point: expected a place of three finite numbers, found {place!r}")
    return found
