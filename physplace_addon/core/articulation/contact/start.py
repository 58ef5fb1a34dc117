"""The start of a linkage: its joints are closed, and parts that touch get the gap that contacts keep.

A figure comes in single precision: joints are open by rounding, and feet stand on a floor or a little in it.
Both are put right by the least motion, Newton's method with the gaps of all interface points as rows.  Where
there is no room for the gap D, a smaller one is tried.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...contact.system import FIXED, OVERLAP, ContactSystem, InterfacePoints, Reach
from ...jobs import Job, Progress
from ...mechanics.start import overlaps_and_gaps
from ..configuration import Configuration
from ..equations import Equations
from ..least_motion import Iterate, newton_step
from .clearances import CarriedGaps, without_far_world

_CLOSED = 1e-12  # error of a joint, over L, that is rounding
_ROUNDED = 1e-9  # the same where rounding allows no better
_ROUNDS = 30  # of closing joints
_PARTINGS = 6  # rounds in which bodies are parted
_SHARES = (1.0, 0.3, 0.1)  # of D that are tried
_SHALLOW = 2e-3  # depth, over the least radius, up to which bodies that overlap are parted
_NEARLY = 0.7  # of a gap that is enough
_MOST_AT_ONCE = 200  # interface points, the lowest ones, that are parted in a round


def closed_configuration(equations: Equations, configuration: Configuration) -> Configuration | None:
    """Return the configuration of least motion whose joints are closed to rounding; None if there is none
    near.
    """
    at, error = Iterate.start(configuration, equations), np.inf
    for _ in range(_ROUNDS):
        rows = equations.rows(at.configuration)
        error = equations.joint_error(rows.value)
        if error <= _CLOSED:
            return at.configuration
        at = newton_step(equations, configuration, at, rows, longest=0.2)
    return at.configuration if error <= _ROUNDED else None


def looking_up_the_world(system: ContactSystem, kept: float) -> Job[None]:
    """Make, in slices, what `parted` looks up of the world's triangles; nothing if no part is near to it.

    kept: D, a length.
    """
    reach, world = _reach(system, kept), system.fixed
    near = without_far_world(system, reach).pairs(reach)
    if world is None or not world.is_plain or not any(second == FIXED for _, second in near):
        return
    makers: tuple[Callable[[], object], ...] = (
        lambda: world.edge_normal_bounds,
        lambda: world.vertex_normal_bounds,
        lambda: world.normal_bounds,
        lambda: world.tree.planes_below,
    )
    for number, make in enumerate(makers):
        make()
        yield Progress("Looking for what the figure touches", (number + 1) / len(makers))


def _reach(system: ContactSystem, kept: float) -> float:
    """Return how far, over R, interface points are searched at the start."""
    return 2.0 * kept / system.radius + _SHALLOW


def parted(
    equations: Equations, configuration: Configuration, system: ContactSystem, kept: float
) -> tuple[Configuration, InterfacePoints]:
    """Return a configuration with gaps between bodies, and the interface points that are still too near.

    Args:
        equations: of the linkage, without goals.
        configuration: with closed joints.
        system: the bodies there.
        kept: D, a length.
    """
    radius = system.radius
    depth = _SHALLOW * radius
    unsure = replace(system, sign_tolerance=max(system.sign_tolerance, 2.0 * _SHALLOW))
    low = InterfacePoints.none()
    for share in _SHARES:
        gap = share * kept
        reach = _reach(system, kept)
        found = configuration
        for _ in range(_PARTINGS):
            there = without_far_world(unsure.at(equations.groups.poses(found)), reach)
            points = overlaps_and_gaps(there, Reach(reach, reach, reach), depth)
            low = there.in_world(points.take(points.gap < _NEARLY * gap))
            if not len(low) and not there.misses_collision(points, OVERLAP):
                return found, low
            lowest = points.take(np.argsort(points.gap, kind="stable")[:_MOST_AT_ONCE])
            found = _moved_apart(equations, configuration, found, there.in_world(lowest), gap)
    return configuration, low


def _moved_apart(
    equations: Equations, first: Configuration, at: Configuration, points: InterfacePoints, gap: float
) -> Configuration:
    """Return the configuration of least motion from a first one in which interface points have a gap."""
    rows = CarriedGaps.of(equations.groups, at, points, gap)
    rows.kept[:] = gap
    iterate = Iterate.start(at, equations)
    for _ in range(4):
        gaps = rows.gaps(iterate.configuration, equations.groups.length)
        values = equations.rows(iterate.configuration)
        iterate = newton_step(equations, first, iterate, values, gaps, 0.1)
    closed = closed_configuration(equations, iterate.configuration)
    return at if closed is None else closed
