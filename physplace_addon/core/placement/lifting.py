"""Shallow overlaps: the least displacement that lifts them, found where bodies stand.

As long as an overlap is so shallow that interface points know its depth and its direction, the least
displacement x from the start solves

    min 1/2 x' s x    with    g + J (x - x_now) >= c

for the points of the poses x_now that the last solution led to; it ends where nothing overlaps there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..contact.points.generation import Reach
from ..contact.points.interface_points import InterfacePoints
from ..contact.system import Assembly, grouped
from ..optimization.step_qp import length, solve_programme
from .retreat import FIRST, Home, reach_of
from .start import behind_walls, clear_start
from .stepping import Moved

_ROUNDING = 1e-9  # depth / R that is no overlap
_ROUNDS = 12


def cleared(assembly: Assembly, tolerance: float) -> Moved | None:
    """Return bodies that overlap nothing by more than a tolerance (a length), lifted from what is less, with
    their interface points; else None.
    """
    return clear_start(assembly, reach_of(FIRST), tolerance)


def lifted(assembly: Assembly, home: Home, depth: float) -> Moved | None:
    """Lift overlaps no deeper than `depth` over R, by the least displacement from home of all bodies.

    Return None if there are deeper ones.
    """
    reach = Reach(curved=depth, flat=depth, samples=depth)
    matrix, moved = np.diag(home.scales(assembly)), replace(assembly, sure=2.0 * depth)
    for _ in range(_ROUNDS):
        points = _overlaps_and_gaps(moved, reach)
        if home.shortfall(moved, points) <= 0.5 * home.clearance:
            return cleared(assembly.at(moved.poses), _ROUNDING * assembly.radius)
        room = home.clearance - points.gap / moved.radius
        step = solve_programme(matrix, home.pull(moved), moved.gradients(points), room)
        if step is None or length(step.x) > 2.0 * depth:
            return None
        moved = moved.displaced(step.x)
    return None


def _overlaps_and_gaps(assembly: Assembly, reach: Reach) -> InterfacePoints:
    """Find the points of bodies that may overlap, but not what only lies behind a wall."""
    points = assembly.find(reach, InterfacePoints.none(), None)
    parts = [points.take(slice(0))]
    for pair, rows in grouped(points):
        part, rounding = points.take(rows), _ROUNDING * assembly.radius
        behind = behind_walls(assembly.encounter(pair), assembly.solids(pair), part, rounding)
        parts.append(part.take(~behind))
    return InterfacePoints.join(parts)
