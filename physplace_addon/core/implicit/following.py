"""How a surface goes after its control points, step by step (Witkin and Heckbert 1994, sections 3.4 and 5).

Where pinned points are off the surface, as when an element was taken from under them, or on their way, they
are served first, by a step of their own, or several: what is dragged far would leave little of it to them.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from .control_points import ControlPoints
from .equations import FARTHEST, Mobility, Pace, Sight
from .feet import feet
from .function import ImplicitFunction
from .single_step import NOTHING, Followed, Missed, length_of, on_it, single_step

_SPRING = 0.3  # of the way to the cursor in a step
_APPROACHES = 4  # steps at once to pinned points that are off the surface


def follow(
    function: ImplicitFunction,
    controls: ControlPoints,
    desired: Floats,
    mobility: Mobility,
    pace: Pace,
    known: Floats,
    last: Followed | None = None,
) -> Followed:
    """Make a step.  desired (m,) is the change of the parameters wished for it, Q dt; mobility gives B for
    the parameters that may change; known (r, 3) are places on the surface, for feet of points far off it;
    the last step, if given, saves work.
    """
    seen, missed = (None, NOTHING) if last is None else (last.sight, last.missed)
    sight, controls = _sight(function, controls, pace, known, seen)
    way, dragged = controls.way(_SPRING, pace.stride), controls.dragged
    if np.count_nonzero((controls.free | sight.farther(pace.near)) & ~dragged):
        if not np.count_nonzero(dragged):
            return _come_to(function, sight, controls, way, desired, mobility, missed, pace)
        function, sight, controls = _pinned_first(function, controls, way, mobility, pace)
        way = dragged[:, None] * way
    return single_step(
        function, sight, controls, way, desired, mobility, missed, pace, FARTHEST * pace.stride
    )


def _pinned_first(
    function: ImplicitFunction, controls: ControlPoints, way: Floats, mobility: Mobility, pace: Pace
) -> tuple[ImplicitFunction, Sight, ControlPoints]:
    """Have the surface come to the points that are not dragged, as if there were no others."""
    others, still = ~controls.dragged, np.zeros(len(pace.scales))
    own = controls.only(others)
    sight = Sight.of(function, own, pace)
    made = _come_to(function, sight, own, way[others], still, mobility, NOTHING, pace)
    positions = controls.position.copy()
    positions[others] = made.controls.position
    controls = on_it(made.function, controls.at(positions), controls.dragged, pace)
    return made.function, Sight.of(made.function, controls, pace), controls


def _come_to(
    function: ImplicitFunction,
    sight: Sight,
    controls: ControlPoints,
    way: Floats,
    desired: Floats,
    mobility: Mobility,
    missed: Missed,
    pace: Pace,
) -> Followed:
    """Make a step, and more where the pinned are not reached by it, no farther than one may go."""
    left = FARTHEST * pace.stride
    for _ in range(_APPROACHES):
        made = single_step(function, sight, controls, way, desired, mobility, missed, pace, left)
        left -= length_of(made.function.parameters - function.parameters, pace)
        reached = not (made.off > pace.near)[~controls.free].any()
        if reached or made.function is function or left <= 0.0:
            break
        function, sight, controls, missed = made.function, made.sight, made.controls, made.missed
        way, desired = np.zeros_like(way), np.zeros_like(desired)
    return made


def _sight(
    function: ImplicitFunction, controls: ControlPoints, pace: Pace, known: Floats, seen: Sight | None
) -> tuple[Sight, ControlPoints]:
    """Look at the control points; set those that are farther off the surface than a stride on feet on it."""
    shown = seen if seen is not None and seen.shows(function, controls, pace) else None
    sight = shown or Sight.of(function, controls, pace)
    apart = sight.farther(pace.stride)
    if not np.count_nonzero(apart):
        return sight, controls
    controls = controls.on_feet(apart, feet(function, controls.target[apart], pace.size, known))
    return Sight.of(function, controls, pace), controls
