"""How an object follows the mouse that holds it, move by move."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from bpy_extras.view3d_utils import region_2d_to_location_3d
from mathutils import Vector

from tests.window.placements import operator
from tests.window.user import Place, User


def place_of(name: str) -> np.ndarray:
    """Where an object is (3,)."""
    return np.array(bpy.data.objects[name].matrix_world.translation)


class Track:
    """Where the mouse asks an object to be, `asked` (n, 3), and where it is, `at` (n, 3).

    Both are noted after each move, and in each tick while it comes after by itself. What is asked is that the
    object's origin goes as the point in its depth that is under the mouse; `along` (3,) is the one axis that
    it may go along.
    """

    def __init__(self, user: User, name: str, along: Sequence[float] | None = None) -> None:
        self.user, self.name, self.pressed = user, name, user.place
        self.origin = place_of(name)
        self.kept = np.eye(3) if along is None else np.outer(along, along)
        self._asked, self._at = [self.origin], [self.origin]

    @property
    def asked(self) -> np.ndarray:
        return np.array(self._asked)

    @property
    def at(self) -> np.ndarray:
        return np.array(self._at)

    async def glide(self, place: Place, steps: int) -> None:
        """Move the mouse straight to a place by so many events, each when the one before is followed.

        So a slow machine, where several moves may come between two ticks of the drag, sees the same motion.
        """
        x, y = self.user.place
        for step in range(1, steps + 1):
            share = step / steps
            await self.user.glide_to((x + share * (place[0] - x), y + share * (place[1] - y)), steps=1)
            await self.user.until(lambda: not (operator().keeps_events or operator().session.is_following))
            self._note()

    async def until_it_stands(self, ticks: int = 500) -> None:
        """Let the object come after until it stands; fail if it moves on."""
        for _ in range(ticks):
            if not _comes_after():
                return
            await self.user.wait(1)
            self._note()
        raise AssertionError(f'"{self.name}" still moves after {ticks} ticks')

    def since(self, moves: int) -> Track:
        """What has been since a number of moves."""
        later = Track.__new__(Track)
        later.__dict__ |= {**self.__dict__, "_asked": self._asked[moves:], "_at": self._at[moves:]}
        return later

    def most_beyond_what_was_asked(self) -> float:
        """By how much a note finds it farther than to where it was asked to be."""
        return float((_steps(self.at) - _lengths(self.asked[1:] - self.at[:-1])).max())

    def most_beyond_the_mouse(self) -> float:
        """By how much it moved farther in a move than the mouse."""
        return float((_steps(self.at) - _steps(self.asked)).max())

    def most_beside_the_mouse(self, normal: np.ndarray) -> float:
        """How far its step along a wall differs from the mouse's, in any move."""
        along = np.eye(3) - np.outer(normal, normal)
        return float(_lengths((np.diff(self.at, axis=0) - np.diff(self.asked, axis=0)) @ along).max())

    def _note(self) -> None:
        now, then = (self._in_its_depth(place) for place in (self.user.place, self.pressed))
        self._asked.append(self.origin + self.kept @ (now - then))
        self._at.append(place_of(self.name))

    def _in_its_depth(self, place: Place) -> np.ndarray:
        region, view = self.user.region(), self.user.view
        pixel = Vector((place[0] - region.x, place[1] - region.y))
        return np.array(region_2d_to_location_3d(region, view, pixel, Vector(self.origin.tolist())))


def _comes_after() -> bool:
    """Whether what is dragged has yet to follow the mouse, or to catch up with where it was pressed."""
    session = operator().session
    catches_up = session.transform is None or session.transform.pressed is not None
    return bool(operator().keeps_events or session.is_following or catches_up)


def _lengths(vectors: np.ndarray) -> np.ndarray:
    lengths: np.ndarray = np.linalg.norm(vectors, axis=1)
    return lengths


def _steps(places: np.ndarray) -> np.ndarray:
    return _lengths(np.diff(places, axis=0))
