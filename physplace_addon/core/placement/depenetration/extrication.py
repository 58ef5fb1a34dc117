"""Extrication: an interfering start is resolved by the least motion that clears it.

1. *Shallow* overlaps: interface points with a depth are rows of a programme for the least displacement from
   the start that lifts them all, solved again and again where it leads (`lifting`).
2. *Deep* ones: the shortest shifts that clear the body, in all directions (`clearings`).  Several bodies are
   cleared of the world and of those before them, one after the other.
3. From each of these clear poses the bodies are drawn back towards their starts, turning too, as far as
   nothing overlaps (`retreat`); the least displacement found is the answer.

What is found is a least displacement of its neighbourhood, and the least of several neighbourhoods.  Nothing
says that a still smaller one, by way of a large turn, does not exist.

A floor has two clear sides if it is a sheet or thin.  A body whose centre of mass is above is not cleared to
below it, unless all other ways are more than twice as long; several bodies are not cleared to the far side of
any wall of the world, unless all other ways are four times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats
from ...bodies import Body
from ...contact.system import Assembly
from ...rigid import Pose
from ..settings import Settings
from ..start import near_the_origin
from ..state import State
from ..stepping import Moved
from .configuration_space import Walls, sure_depth, ways_out
from .least_motion import CLEARANCE, Home, cleared, lifted, retreat, still

_SHALLOW = (0.02, 0.1)  # depths / R that are lifted directly
_ROUNDING = 1e-9  # depth / R that a start may have
_SMALL = 0.02  # a displacement than which no other way out will be smaller
_WAYS, _IN_VAIN = 6, 2  # ways out that one body tries, and how many of them without finding a better one
_AROUND, _FAR_AROUND = 2.0, 4.0  # how much longer a way that no wall bars may be: of one body, of several
_MOST_AIR = 0.05  # over R
_TURNING = 2.0  # by how much turning may shorten a shift


@dataclass(frozen=True, eq=False)
class Extricated:
    """Where bodies (m) overlap nothing, near where they were.

    poses: their frames to the world.  motion (6 m,): how far each was moved, (dX / R_b, dTheta) of its centre
    of mass, R_b its radius.  unheld: the part of that motion which contacts do not demand, at most 1; where
    it is zero, any smaller motion overlaps, to first order.
    """

    poses: tuple[Pose, ...]
    motion: Floats
    unheld: float

    @property
    def pose(self) -> Pose:
        """The pose of the first body, or the only one."""
        return self.poses[0]

    @property
    def size(self) -> float:
        """The length of the motion: (sum |dX|^2 / R_b^2 + |dTheta|^2)^1/2."""
        return float(np.sqrt(self.motion @ self.motion))


def extricate(
    active: Body, pose: Pose, world: Sequence[Body], settings: Settings | None = None
) -> Extricated | None:
    """Return the least motion that makes a body overlap nothing; none at all if it overlaps nothing as it is.

    Overlaps no deeper than `settings.start_tolerance` are none, and are lifted away; `settings.gravity` tells
    what stands over what.  A body that is moved ends 1e-6 R clear.  Return None if it cannot be cleared.
    """
    return extricate_several([active], [pose], world, settings)


def extricate_several(
    actives: Sequence[Body],
    poses: Sequence[Pose],
    world: Sequence[Body],
    settings: Settings | None = None,
    air: float = 0.0,
) -> Extricated | None:
    """Return the least motion by which bodies (m) overlap neither the world nor one another.

    Lengths count the same whichever body is moved.  Shallow overlaps are shared by all, deep ones by a few
    bodies, the less so the more they are; of many, each one's own motion is the least, given those before it,
    and the larger come first.  air: room over R, at most 0.05, that is left around what is moved: a heap
    packed without any cannot move.  Otherwise as `extricate`.
    """
    settings = settings or Settings()
    origin, starts, bodies = near_the_origin(actives, poses, world)
    assembly = Assembly.of(actives, starts, bodies)
    tolerance = max(settings.start_tolerance, _ROUNDING * assembly.radius)
    alone = len(actives) == 1
    down = np.asarray(settings.gravity or (0.0, 0.0, 0.0), dtype=np.float64) if alone else None
    around, tries = (_AROUND, _WAYS) if alone else (_FAR_AROUND, 1)
    task = _Task(Walls(bodies, down), around, tries, tolerance, min(max(air, CLEARANCE), _MOST_AIR))
    state = task.freed(assembly) if alone else task.all_freed(assembly)
    if state is None:
        return None
    home = task.home(assembly)
    ends = [
        given if pose is start else Pose(pose.rotation, pose.translation + origin)
        for given, start, pose in zip(poses, starts, state.assembly.poses, strict=True)
    ]
    return Extricated(tuple(ends), home.displacement(state.assembly), home.unheld(state))


@dataclass(frozen=True, eq=False)
class _Task:
    """How bodies are to be cleared: what walls not to pass, and how much longer a way around them may be; how
    many ways out are tried; the depth of an overlap that is none, a length; the clearance to keep, over R.
    """

    walls: Walls
    around: float
    tries: int
    tolerance: float
    clearance: float

    def home(self, assembly: Assembly) -> Home:
        """Return where bodies stand, to be drawn back to."""
        return Home(assembly.poses, self.clearance)

    def freed(self, assembly: Assembly) -> State | None:
        """Clear one body by the least displacement."""
        home, body, pose = self.home(assembly), assembly.bodies[0].body, assembly.poses[0]
        best = self._nearly_clear(assembly, _depth(body, pose, assembly.parts))
        least = np.inf if best is None else home.size(best)
        if least < _SMALL:
            return best
        ways = ways_out(body, pose, assembly.parts, self.walls, self.tries, self.around)
        detour = np.where(ways.barred, self.around, 1.0)
        cost = detour * ways.lengths / assembly.radius
        in_vain = 0
        for i in np.argsort(cost, kind="stable")[: self.tries].tolist():
            if cost[i] > _TURNING * least or in_vain == _IN_VAIN:
                break
            in_vain += 1
            shifted = assembly.displaced(np.concatenate([ways.shifts[i] / assembly.radius, np.zeros(3)]))
            found = self._drawn_back(cleared(shifted, self.tolerance), home, least / float(detour[i]))
            if found is not None and detour[i] * home.size(found) < least:
                best, least, in_vain = found, float(detour[i]) * home.size(found), 0
        return best

    def all_freed(self, assembly: Assembly) -> State | None:
        """Clear bodies of the world and of one another: all at once if that is easy, else one by one."""
        found = self._nearly_clear(assembly, _depth_of_all(assembly))
        if found is not None:
            return found
        poses, placed = list(assembly.poses), list(assembly.parts)
        for i in np.argsort(-assembly.radii, kind="stable").tolist():
            body = assembly.bodies[i].body
            alone = self.freed(Assembly.of([body], [poses[i]], placed))
            if alone is None:
                return None
            poses[i] = alone.assembly.poses[0]
            placed.append(body.transformed(poses[i].matrix4))
        return self._drawn_back(cleared(assembly.at(poses), self.tolerance), self.home(assembly))

    def _nearly_clear(self, assembly: Assembly, depth: float) -> State | None:
        """Return bodies where they are, if they overlap nothing, or lifted from overlaps that are shallow,
        but of at least `depth` over R.
        """
        home = self.home(assembly)
        clear = cleared(assembly, self.tolerance) if depth == 0.0 else None
        if clear is not None:
            return still(clear, home)
        for shallow in _SHALLOW:
            found = self._drawn_back(lifted(assembly, home, shallow), home) if depth < shallow else None
            if found is not None:
                return found
        return None

    def _drawn_back(self, clear: Moved | None, home: Home, best: float = np.inf) -> State | None:
        """Draw clear bodies back home, and look with nothing known whether they are clear there, too."""
        if clear is None:
            return None
        again = cleared(retreat(clear, home, best).assembly, _ROUNDING * clear[0].radius)
        return None if again is None else still(again, home)


def _depth(body: Body, pose: Pose, others: Sequence[Body]) -> float:
    """Return how deep a body surely overlaps others, over R; no deeper than what is shallow."""
    deepest = _SHALLOW[-1] * body.radius
    return sure_depth(body, pose, others, deepest) / body.radius if others else 0.0


def _depth_of_all(assembly: Assembly) -> float:
    """Return the greatest depth by which bodies surely overlap the world or those before them."""
    depth, placed = 0.0, list(assembly.parts)
    for prepared, pose in zip(assembly.bodies, assembly.poses, strict=True):
        depth = max(depth, _depth(prepared.body, pose, placed))
        if depth >= _SHALLOW[-1]:
            break
        placed.append(prepared.body.transformed(pose.matrix4))
    return depth
