# SPDX-License-Identifier: GPL-3.0-or-later
"""Transform input: what the mouse, axis locks and typed numbers ask for, as in Blender's Move and Rotate."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

import bpy
import numpy as np

from ....core.arrays import Floats
from ....core.rigid import Pose, quaternion_conjugate, quaternion_product, rotation_vector
from ....scene.access import scene_of
from ....scene.units import length_of, length_text
from ...input_events import InputEvent
from ...keys.key_hints import KeyHint
from ...view import View

NUMBERS: Final = ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")
AXES: Final = {"X": 0, "Y": 1, "Z": 2}
DIGITS: Final = {
    **{name: str(i) for i, name in enumerate(NUMBERS)},
    **{f"NUMPAD_{digit}": digit for digit in "0123456789"},
    "PERIOD": ".",
    "NUMPAD_PERIOD": ".",
}
MINUS: Final = ("MINUS", "NUMPAD_MINUS")
ACCEPTS: Final = ("RET", "NUMPAD_ENTER", "LEFTMOUSE")
TRANSFORM_HINTS: Final = (
    KeyHint("axis", "X Y Z", ("EVENT_X", "EVENT_Y", "EVENT_Z")),
    KeyHint("plane", "Shift", ("EVENT_SHIFT",)),
    KeyHint("amount", "0-9"),
    KeyHint.of("leave it there", "RET"),
    KeyHint.of("put it back", "ESC"),
)
_EDGE_ON: Final = 0.1  # cosine between a locked plane's normal and the view; below, the plane is seen edge-on
_DIGITS: Final = 5  # of a length that is shown
_NOTHING: Final = 1e-6  # share of a body's motion, or of its place, that is not shown
_HEAD_ON: Final = 1e-4  # squared sine between an axis and a pixel's ray; below, no pixel gives a place on it


@dataclass(frozen=True, eq=False)
class TransformInput:
    """A body that is moved or turned by hand, about its centre of mass.

    turns: it is turned, not moved. start: its pose when the input began. centre (3,): its centre of mass
    then, in the world. mouse (2,): where the mouse was then, in pixels of the region. axis: 0, 1 or 2 for the
    world's x, y or z; None for all directions. plane: the axis is the one that it may *not* move along.
    typed: the text of a number that counts instead of the mouse, in the scene's unit or degrees. turned: the
    angle that the mouse has gone around the centre, in radians. pressed (2,): where the mouse was pressed,
    some pixels before that became a drag; None once the body has caught up. returns: the axis was changed,
    and the body first goes back to its start.
    """

    turns: bool
    start: Pose
    centre: Floats
    mouse: Floats
    axis: int | None = None
    plane: bool = False
    typed: str = ""
    turned: float = 0.0
    pressed: Floats | None = None
    returns: bool = False
    _last_angle: float | None = field(default=None)

    def accepts(self, event: InputEvent) -> bool:
        """Return whether an event is the press of a key for an axis or a number."""
        return event.value == "PRESS" and (
            event.type in AXES or event.type in DIGITS or event.type in MINUS or event.type == "BACK_SPACE"
        )

    def with_key(self, event: InputEvent) -> TransformInput:
        """Return the input after the press of a key that it accepts."""
        if event.type in AXES:
            axis, plane = AXES[event.type], event.shift and not self.turns
            same = (self.axis, self.plane) == (axis, plane)
            return replace(self, axis=None if same else axis, plane=plane and not same, returns=True)
        if event.type == "BACK_SPACE":
            return replace(self, typed=self.typed[:-1])
        if event.type in MINUS:
            return replace(self, typed=self.typed[1:] if self.typed.startswith("-") else f"-{self.typed}")
        digit = DIGITS[event.type]
        return self if digit == "." and "." in self.typed else replace(self, typed=self.typed + digit)

    def with_mouse(self, view: View, mouse: Floats) -> TransformInput:
        """Return the input after the mouse moved to a pixel (2,), its angle about the centre added up."""
        at = view.pixel(self.centre)
        if not self.turns or at is None or not np.any(mouse - at):
            return self
        angle = float(np.arctan2(*(mouse - at)[::-1]))
        if self._last_angle is None:
            return replace(self, _last_angle=angle)
        step = (angle - self._last_angle + np.pi) % (2.0 * np.pi) - np.pi
        return replace(self, _last_angle=angle, turned=self.turned + step)

    def catching_up(self, view: View, most: float) -> TransformInput:
        """Return the input a tick later, closer to where the mouse was pressed.

        The pixels that made a press a drag count too, but by at most `most` scene units a tick. So the body
        does not jump, and in the end the mouse is where it was pressed on the body.
        """
        if self.pressed is None or self.turns:
            return self
        owed = replace(self, mouse=self.pressed)._shift(view, self.mouse)
        size = float(np.sqrt(owed @ owed))
        if size <= most:
            return replace(self, mouse=self.pressed, pressed=None)
        return replace(self, mouse=self.mouse + most / size * (self.pressed - self.mouse))

    @property
    def pivot(self) -> Floats | None:
        """The point (3,) that the body is turned about, in the world; None if it is moved."""
        return self.centre if self.turns else None

    @property
    def axes(self) -> Floats | None:
        """The only directions (k, 3) that the body may move along, or turn about; None for all."""
        if self.axis is None:
            return None
        unit = np.eye(3)
        kept: Floats = np.delete(unit, self.axis, axis=0) if self.plane else unit[self.axis : self.axis + 1]
        return kept

    def target(self, view: View, mouse: Floats) -> Pose:
        """Return the pose that is asked of the body, in the world, for the mouse at a pixel (2,)."""
        if self.turns:
            about = self._about(view)
            return self.start.displaced(np.zeros(3), self._asked_angle(view, about) * about, self.centre)
        shift = self._shift(view, mouse)
        if self._has_number:
            length = length_of(self.typed, scene_of(bpy.context))
            shift = length * np.eye(3)[0 if self.axis is None else self.axis]
        return self.start.displaced(shift, np.zeros(3), self.centre)

    def description(self, view: View, pose: Pose) -> str:
        """Return how far the body has got, which is at a pose now, in words for the header."""
        locks = "" if self.axis is None else f" {'locking' if self.plane else 'along'} {'XYZ'[self.axis]}"
        if self.turns:
            angle = np.round(np.degrees(self._angle_of(view, pose)), 2) + 0.0  # no minus before zero
            return f"Turn {angle:.2f}°{locks.replace('along', 'about')}{self._typing()}"
        scene, shift = scene_of(bpy.context), self._shown_shift(pose)
        lengths = ", ".join(length_text(float(length), scene, _DIGITS) for length in shift)
        return f"Move {lengths}{locks}{self._typing()}"

    def _shown_shift(self, pose: Pose) -> Floats:
        """Return how far the body has moved (3,), what is small beside it or beside its place left out."""
        shift = pose.translation - self.start.translation
        largest = float(np.abs([shift, self.start.translation]).max())
        shown: Floats = np.where(np.abs(shift) < _NOTHING * largest, 0.0, shift)
        return shown

    def _typing(self) -> str:
        return f" [{self.typed}|]" if self.typed else ""

    @property
    def _has_number(self) -> bool:
        return bool(self.typed.strip("-."))

    def _about(self, view: View) -> Floats:
        axis: Floats = view.towards if self.axis is None else np.eye(3)[self.axis]
        return axis

    def _angle(self, view: View, about: Floats) -> float:
        return -self.turned if float(about @ view.towards) < 0.0 else self.turned

    def _asked_angle(self, view: View, about: Floats) -> float:
        return float(np.radians(float(self.typed))) if self._has_number else self._angle(view, about)

    def _angle_of(self, view: View, pose: Pose) -> float:
        """Return the angle by which a pose is turned, whole turns counted as they were asked for."""
        about = self._about(view)
        asked = self._asked_angle(view, about)
        turn = quaternion_product(pose.rotation, quaternion_conjugate(self.start.rotation))
        found = float(rotation_vector(turn) @ about)
        return float(asked + (found - asked + np.pi) % (2.0 * np.pi) - np.pi)

    def _shift(self, view: View, mouse: Floats) -> Floats:
        if self.axis is None or self.plane:
            free: Floats = view.under_mouse(mouse, self.centre) - view.under_mouse(self.mouse, self.centre)
            return free if self.axis is None else self._on_plane(view, mouse, free)
        along: Floats = np.eye(3)[self.axis]
        shift: Floats = (self._along(view, mouse, along) - self._along(view, self.mouse, along)) * along
        return shift

    def _along(self, view: View, mouse: Floats, along: Floats) -> float:
        """Return how far along a line through the centre a pixel's ray comes nearest to it."""
        origin, ray = view.ray(mouse)
        across = ray - (ray @ along) * along
        size = float(across @ across)
        if size < _HEAD_ON:
            return 0.0
        offset = self.centre - origin
        depth = float(offset @ across) / size
        return float((origin + depth * ray - self.centre) @ along)

    def _on_plane(self, view: View, mouse: Floats, free: Floats) -> Floats:
        assert self.axis is not None
        normal: Floats = np.eye(3)[self.axis]
        if abs(float(normal @ view.towards)) < _EDGE_ON:
            flat: Floats = free - (free @ normal) * normal
            return flat
        ends = []
        for pixel in (mouse, self.mouse):
            origin, ray = view.ray(pixel)
            ends.append(origin + float((self.centre - origin) @ normal) / float(ray @ normal) * ray)
        shift: Floats = ends[0] - ends[1]
        return shift
