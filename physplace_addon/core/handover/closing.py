"""The first state of a placement that ends a simulation: the gaps that bodies in contact kept are closed.

Where more contacts are a gap apart than can close at once, they do not all close.  So the gaps g / R are
closed by least squares, and none becomes less than the clearance c of contacts:

    min 1/2 |g / R + J x - c|^2 + 1/2 d |x|^2    with    g / R + J x >= c.

The small d keeps bodies from moving where no gap changes.  What it leaves of a gap, a part d, the next round
closes.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ..arrays import Floats
from ..contact.system import CONTACT_CLEARANCE, Adjusted, ContactSystem, InterfacePoints, adjusted
from ..optimization.step_qp import solve_qp
from ..placement.problem import Problem
from ..placement.state import State

_ROUNDS: Final = 8
_CLOSED: Final = CONTACT_CLEARANCE  # change over R after which nothing is left to close
_STILL: Final = 1e-3  # d
_FARTHEST: Final = 10.0  # motion, over the gap, beyond which bodies do more than close it


def closed_contacts(problem: Problem, state: State, gap: float) -> State | None:
    """Return a state with the contacts closed that are up to a gap, a length, apart; None if that overlaps
    something or moves bodies much farther than the gap.
    """
    system, points = state.system, state.local_points
    points = points.take(points.gap < gap)
    farthest = _FARTHEST * gap / system.radius
    for _ in range(_ROUNDS):
        change = _closing(system, points)
        if change is None or state.coordinates.length(system, change) > farthest:
            return None
        system = state.coordinates.displaced(system, change)
        points = system.track(points)
        if np.abs(change).max(initial=0.0) < _CLOSED:
            break
    reach = problem.reach(problem.settings.eps_max)
    taken = adjusted(state, system, state.local_points, reach, farthest)
    if not isinstance(taken, Adjusted):
        return None
    return state.followed_by(taken, problem.external.energy(taken.system), problem.settings, None)


def _closing(system: ContactSystem, points: InterfacePoints) -> Floats | None:
    """Return the motion x (6 m,) that closes points as far as they can be; None if there is none."""
    rows, room = system.gradients(points), CONTACT_CLEARANCE - points.gap / system.radius
    matrix = rows.T @ rows + _STILL * np.eye(rows.shape[1])
    step = solve_qp(matrix, rows.T @ room, rows, room)
    return None if step is None else step.x
