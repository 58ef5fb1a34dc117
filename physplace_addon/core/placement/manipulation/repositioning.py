"""Moving a body by hand from a valid state, as far as nothing is in the way (Snyder 1995, section 2).

The way is the screw motion's simplest kin: the centre of mass goes straight while the body turns about one
axis.  A point of the body that is r from its centre of mass moves by at most |dX| + |dTheta| r, and r can be
twice R.  The way is looked at in parts so short that no part passes what the interface points cannot see,
longer ones where nothing is near; first touch is found by halving the part that failed.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Floats
from ...collision import clearance
from ...contact.points.interface_points import FIXED, InterfacePoints
from ...contact.system import Assembly, Pair
from ...rigid import Pose, quaternion_conjugate, quaternion_product, rotation_vector
from ..problem import OVERLAP, Problem
from ..state import State
from ..stepping import passes_nothing
from .hand import lever

_HALVINGS = 40
_SAFE = 0.9  # part of the clearance that is moved at once


def moved_by_hand(problem: Problem, state: State, body: int, pose: Pose, cut: bool) -> State | None:
    """Return the state with one body at `pose`, in the solver's own frame; None if something is in the way.

    With cut, the body stops where it first touches instead.
    """
    way = _Way(state.assembly, body, pose)
    part, here = problem.settings.eps_max / max(way.length, 1e-300), state
    done = 0.0
    while done < 1.0:
        ahead = min(1.0, done + max(part, _free_part(here.assembly, body, way.length)))
        there = _reached(problem, here, way.at(ahead))
        if there is None:
            return _first_touch(problem, here, way, done, ahead) if cut else None
        here, done = there, ahead
    return here


class _Way:
    """The way of one body to a pose, everything else at rest; no point of it goes farther than length R."""

    def __init__(self, assembly: Assembly, body: int, pose: Pose) -> None:
        self._assembly, self._body, self._pose = assembly, body, pose
        centre = pose.points(assembly.bodies[body].body.mass.center)
        turn = quaternion_product(pose.rotation, quaternion_conjugate(assembly.poses[body].rotation))
        self._shift, self._turn = centre - assembly.centres[body], rotation_vector(turn)
        far = lever(assembly, body, assembly.centres[body])
        self.length = _size(self._shift) / float(assembly.radii[body]) + far * _size(self._turn)

    def at(self, part: float) -> Assembly:
        """Where everything stands after a part of the way; after all of it, exactly at the pose."""
        poses, centre = list(self._assembly.poses), self._assembly.centres[self._body]
        poses[self._body] = self._pose
        if part < 1.0:
            here: Pose = self._assembly.poses[self._body]
            poses[self._body] = here.displaced(part * self._shift, part * self._turn, centre)
        return self._assembly.at(poses)


def _free_part(assembly: Assembly, body: int, way: float) -> float:
    """Which part of the way surely touches nothing."""
    others = [FIXED] if assembly.fixed is not None else []
    others += [other for other in range(len(assembly)) if other != body]
    nearest = np.inf
    for other in others:
        pair: Pair = (body, other)
        encounter = assembly.encounter(pair)
        nearest = min(nearest, clearance(encounter.active.tree, encounter.pose, encounter.world.tree))
    return float(_SAFE * nearest / (assembly.radii[body] * max(way, 1e-300)))


def _reached(problem: Problem, before: State, assembly: Assembly) -> State | None:
    """The state with everything where it is in `assembly`, or None if it overlaps or passed something."""
    reach = problem.reach(problem.settings.eps_max)
    tracked = assembly.solve(before.local_points)
    if _deepest(tracked) < -OVERLAP * assembly.radius:
        return None
    found = assembly.find(reach, tracked, before.assembly)
    if _deepest(found) < -OVERLAP * assembly.radius or not passes_nothing(before.assembly, assembly, found):
        return None
    return replace(
        before,
        assembly=assembly,
        local_points=found,
        sticky=before.sticky.followed(found),
        energy=problem.load.energy(assembly),
        eps=problem.settings.eps_max,
    )


def _size(vector: Floats) -> float:
    return float(np.sqrt(vector @ vector))


def _deepest(points: InterfacePoints) -> float:
    return float(points.gap.min(initial=np.inf))


def _first_touch(problem: Problem, here: State, way: _Way, done: float, ahead: float) -> State:
    for _ in range(_HALVINGS):
        if (ahead - done) * way.length < OVERLAP:
            break
        middle = 0.5 * (done + ahead)
        there = _reached(problem, here, way.at(middle))
        if there is None:
            ahead = middle
        else:
            here, done = there, middle
    return here
