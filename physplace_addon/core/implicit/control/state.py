"""Settings, states and status of sculpting."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from ...arrays import Bools, Floats
from ...wording import in_words
from ..functions.base import ImplicitFunction
from ..particles.floaters import Floaters, FloaterSettings
from ..projection import distances_to_surface
from .control_points import ControlPoints


class SculptStatus(Enum):
    """What the surface is doing; `message` says it to a person. No member is an end: steps may
    always go on.
    """

    RUNNING = "the surface is moving"
    SETTLED = "at rest: the surface passes through all control points"
    HELD_BACK = "at rest, but the surface cannot pass through all control points"
    ENDLESS = (
        "it goes no farther: the surface would be infinite; pull it back, or intersect it with what is not"
    )
    VANISHED = "there is no surface: its elements are too small or too far apart; enlarge one"

    @property
    def message(self) -> str:
        """A sentence for a person."""
        return self.value

    @property
    def is_running(self) -> bool:
        """Whether the surface is still moving."""
        return self is SculptStatus.RUNNING


@dataclass(frozen=True)
class SculptSettings:
    """Settings of sculpting.

    Where the floaters' `focus_size` is above 0 and no focus is set, floaters are denser near dragged points.

    Attributes:
        floaters: the settings of the floaters.
        keep_normals: whether the surface's normal at a dragged point is kept as far as possible.
    """

    floaters: FloaterSettings
    keep_normals: bool = False


@dataclass(frozen=True, eq=False)
class SculptState:
    """A surface after a step.

    Attributes:
        function: F.
        floaters: the particles that sample it.
        controls: its control points.
        stuck: the control points (n,) that get no nearer to where they are wanted.
        status: what the surface is doing.
        steps: the number of steps up to here.
    """

    function: ImplicitFunction
    floaters: Floaters
    controls: ControlPoints
    stuck: Bools
    status: SculptStatus = SculptStatus.RUNNING
    steps: int = 0

    @cached_property
    def off(self) -> Floats:
        """How far off the surface each control point is (n,), to first order, in scene units."""
        value, gradient = self.function.gradient(self.controls.position)
        return distances_to_surface(value, gradient)

    @property
    def left(self) -> Floats:
        """How far each control point is from where it is wanted (n,), in scene units."""
        return self.controls.distance_left

    @property
    def message(self) -> str:
        """What the surface is doing, in a sentence that names the control points that it cannot follow."""
        names = [name for name, stuck in zip(self.controls.names, self.stuck, strict=True) if stuck]
        if not names:
            return self.status.message
        farthest = float(np.max(np.maximum(self.off, self.left)[self.stuck]))
        points = "point" if len(names) == 1 else "points"
        return (
            f"{self.status.message}: control {points} {in_words(names)} out of reach, by up to "
            f"{farthest:.3g}; release or remove some, free more parameters, or add an element"
        )
