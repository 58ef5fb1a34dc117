"""How an object follows the mouse that holds it, tick by tick."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from bpy_extras.view3d_utils import region_2d_to_location_3d
from mathutils import Vector

from tests.window.user import Place, User


def place_of(name: str) -> np.ndarray:
    """Where an object is (3,)."""
    return np.array(bpy.data.objects[name].matrix_world.translation)


class Track:
    """Where the mouse asks an object to be, `asked` (n, 3), and where it is, `at` (n, 3), after each tick.

    What is asked is that the object's origin goes as the point in its depth that is under the mouse; `along`
    (3,) is the one axis that it may go along.
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
        """Move the mouse straight to a place by so many events, one a tick."""
        x, y = self.user.place
        for step in range(1, steps + 1):
            share = step / steps
            await self.user.glide_to((x + share * (place[0] - x), y + share * (place[1] - y)), steps=1)
            self._note()

    async def wait(self, ticks: int) -> None:
        """Let the object come after."""
        for _ in range(ticks):
            await self.user.wait(1)
            self._note()

    async def until_it_stands(self) -> None:
        """Let the object come after until it stands."""
        await self.wait(4)
        while self._at[-1].tolist() != self._at[-4].tolist():
            await self.wait(1)

    def since(self, tick: int) -> Track:
        """What has been since a tick."""
        later = Track.__new__(Track)
        later.__dict__ |= {**self.__dict__, "_asked": self._asked[tick:], "_at": self._at[tick:]}
        return later

    def most_beyond_what_was_asked(self) -> float:
        """By how much a tick moved it farther than to where it was asked to be."""
        return float((_steps(self.at) - _lengths(self.asked[1:] - self.at[:-1])).max())

    def most_beyond_the_mouse(self) -> float:
        """By how much it moved farther in a tick than the mouse."""
        return float((_steps(self.at) - _steps(self.asked)).max())

    def most_beside_the_mouse(self, normal: np.ndarray) -> float:
        """How far its step along a wall differs from the mouse's, in any tick."""
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


def _lengths(vectors: np.ndarray) -> np.ndarray:
    lengths: np.ndarray = np.linalg.norm(vectors, axis=1)
    return lengths


def _steps(places: np.ndarray) -> np.ndarray:
    return _lengths(np.diff(places, axis=0))
