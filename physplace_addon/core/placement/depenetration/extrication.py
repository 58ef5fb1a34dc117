"""Extrication: the least motion that clears bodies which overlap at the start.

1. *Shallow* overlaps: interface points with a negative gap are rows of a quadratic programme for the least
   displacement from the start.  It is solved again at the poses that it leads to (`least_displacement`).
2. *Deep* overlaps: the shortest translations that clear the body, in all directions (`configuration_space`).
   Several bodies are cleared of the world and of those before them, one after the other.
3. From each of these clear poses the bodies are moved back towards their starts, with rotations, as far as
   nothing overlaps (`least_motion_from`).  The least displacement found is the answer.

What is found is a least displacement of its neighbourhood, and the least of several neighbourhoods.  Nothing
says that a still smaller one, by way of a large turn, does not exist.

A floor has two clear sides if it is a sheet or thin.  A body whose centre of mass is above is not cleared to
below it, unless all other displacements are more than twice as long; several bodies are not cleared to the
far side of any wall of the world, unless all other displacements are four times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats
from ...bodies import Body
from ...contact.system import RETURN_CLEARANCE, Adjusted, ContactSystem
from ...jobs import Job, Progress, finished
from ...mechanics.origin import near_the_origin
from ...rigid import Pose
from ...vectors import unit
from ..settings import Settings
from ..state import State
from .configuration_space import Obstacles, clearing_displacements, sure_depth
from .least_motion import LeastMotion, cleared, least_displacement, moving_least, state_of

# Depths over R of overlaps that interface points alone resolve, tried one after the other.
_SHALLOW = (0.02, 0.1)
# Depth over R that a start may have by rounding.
_ROUNDING = 1e-9
# Size of a displacement so small that no other one is looked for.
_SMALL = 0.02
# Translations that are tried for one body, and how many in a row may bring nothing better.
_TRANSLATIONS, _IN_VAIN = 6, 2
# How much longer a translation may be that no obstacle bars: for one body, and for several.
_AROUND, _FAR_AROUND = 2.0, 4.0
# Most room over R that may be left around a body.
_MOST_AIR = 0.05
# Motion over the depth of a shallow overlap that surely clears it.
_SURELY = 1.05
# Largest factor by which rotating may shorten a translation.
_TURNING = 2.0


@dataclass(frozen=True, eq=False)
class Extricated:
    """Poses of m bodies that overlap nothing, near where they were.

    Attributes:
        poses: each takes a body's frame to the world.
        motion: (6 m,), how far each body was moved: (dX / R_b, dTheta) of its centre of mass, R_b its radius.
        unbalanced: the part of that motion which contacts do not demand, at most 1.  Where it is zero, any
            smaller motion overlaps, to first order.
    """

    poses: tuple[Pose, ...]
    motion: Floats
    unbalanced: float

    @property
    def pose(self) -> Pose:
        """Return the pose of the first body, or of the only one."""
        return self.poses[0]

    @property
    def size(self) -> float:
        """Return the length of the motion: (sum |dX|^2 / R_b^2 + |dTheta|^2)^1/2."""
        return float(np.sqrt(self.motion @ self.motion))


def extricate(
    active: Body, pose: Pose, world: Sequence[Body], settings: Settings | None = None
) -> Extricated | None:
    """Return the least motion that makes a body overlap nothing; None if it cannot be cleared.

    A body that overlaps nothing is not moved.  One that is moved ends 1e-6 R clear.

    Args:
        active: the body, in its own frame.
        pose: takes its frame to the world.
        world: the other bodies, in the world.
        settings: `start_tolerance` is the depth, in scene units, that is corrected and does not count as an
            overlap; the direction of `gravity` decides which side of a floor is above.
    """
    return extricate_several([active], [pose], world, settings)


def extricate_several(
    actives: Sequence[Body],
    poses: Sequence[Pose],
    world: Sequence[Body],
    settings: Settings | None = None,
    air: float = 0.0,
) -> Extricated | None:
    """Return the least motion by which m bodies overlap neither the world nor one another.

    Lengths count the same whichever body is moved.  Shallow overlaps are resolved for all bodies at once.
    Deep ones are resolved body by body, the largest first: each one's own motion is the least, given those
    before it.

    Args:
        actives: the bodies (m), each in its own frame.
        poses: each takes a body's frame to the world.
        world: the other bodies, in the world.
        settings: as for `extricate`.
        air: room over R, at most 0.05, that is left around what is moved: a heap without any cannot move.

    Returns:
        the poses and the motion; None if the bodies cannot be cleared.
    """
    return finished(extricating(actives, poses, world, settings, air))


def extricating(
    actives: Sequence[Body],
    poses: Sequence[Pose],
    world: Sequence[Body],
    settings: Settings | None = None,
    air: float = 0.0,
    depth: float | None = None,
) -> Job[Extricated | None]:
    """Find the least motion as `extricate_several`, in slices: one a step on the way back.

    depth: over R, the deepest overlap that is cleared; None for any.
    """
    settings = settings or Settings()
    origin, starts, bodies = near_the_origin(actives, poses, world)
    system = ContactSystem.of(actives, starts, bodies)
    tolerance = max(settings.start_tolerance, _ROUNDING * system.radius)
    alone = len(actives) == 1
    down = np.asarray(settings.gravity or (0.0, 0.0, 0.0), dtype=np.float64) if alone else None
    around, tries = (_AROUND, _TRANSLATIONS) if alone else (_FAR_AROUND, 1)
    up = -unit(np.asarray(settings.gravity, dtype=np.float64)) if any(settings.gravity or ()) else None
    clearance = min(max(air, RETURN_CLEARANCE), _MOST_AIR)
    task = _Task(Obstacles(bodies, down), around, tries, tolerance, clearance, up)
    if depth is not None:
        state = yield from task.clearing_shallow(system, depth)
    else:
        state = yield from task.freeing(system) if alone else task.freeing_all(system)
    if state is None:
        return None
    objective = task.objective(system)
    ends = [
        given if pose is start else Pose(pose.rotation, pose.translation + origin)
        for given, start, pose in zip(poses, starts, state.system.poses, strict=True)
    ]
    return Extricated(tuple(ends), objective.displacement(state.system), objective.unbalanced(state))


@dataclass(frozen=True, eq=False)
class _Task:
    """How bodies are to be cleared.

    Attributes:
        obstacles: what a translation must not lead through.
        around: how much longer than the shortest a translation around them may be.
        tries: number of translations that are tried.
        tolerance: depth, in scene units, of an overlap that does not count.
        clearance: c / R that is kept.
        up: (3,), against gravity, of unit length; None without gravity.
    """

    obstacles: Obstacles
    around: float
    tries: int
    tolerance: float
    clearance: float
    up: Floats | None

    def objective(self, system: ContactSystem) -> LeastMotion:
        """Return the objective of staying where the bodies stand."""
        return LeastMotion(system.poses, self.clearance)

    def freeing(self, system: ContactSystem) -> Job[State | None]:
        """Clear one body by the least displacement, in slices; return its state, None if that fails."""
        objective, body, pose = self.objective(system), system.bodies[0].body, system.poses[0]
        name = f'Freeing "{body.name}"'
        yield Progress(name)
        best = yield from self._clearing_nearly(system, _depth(body, pose, system.parts))
        least = np.inf if best is None else objective.size(best)
        if least < _SMALL:
            return best
        yield Progress(f"{name}: looking for ways out")
        displacements = clearing_displacements(
            body, pose, system.parts, self.obstacles, self.tries, self.around
        )
        detour = np.where(displacements.barred, self.around, 1.0)
        cost = detour * displacements.lengths / system.radius
        in_vain = 0
        for i in np.argsort(cost, kind="stable")[: self.tries].tolist():
            if cost[i] > _TURNING * least or in_vain == _IN_VAIN:
                break
            in_vain += 1
            yield Progress(f"{name}: way {in_vain}")
            shifted = system.displaced(np.concatenate([displacements.shifts[i] / system.radius, np.zeros(3)]))
            found = yield from self._moving_back(
                cleared(shifted, self.tolerance), objective, least / float(detour[i])
            )
            if found is not None and detour[i] * objective.size(found) < least:
                best, least, in_vain = found, float(detour[i]) * objective.size(found), 0
        return best

    def freeing_all(self, system: ContactSystem) -> Job[State | None]:
        """Clear bodies of the world and of one another, in slices; return their state, None if that fails.

        All are cleared at once if their overlaps are shallow, else one by one.
        """
        found = yield from self._clearing_nearly(system, _depth_of_all(system))
        if found is not None:
            return found
        poses, placed = list(system.poses), list(system.parts)
        for i in np.argsort(-system.radii, kind="stable").tolist():
            body = system.bodies[i].body
            alone = yield from self.freeing(ContactSystem.of([body], [poses[i]], placed))
            if alone is None:
                return None
            poses[i] = alone.system.poses[0]
            placed.append(body.transformed(poses[i].matrix4))
        together = cleared(system.at(poses), self.tolerance)
        return (yield from self._moving_back(together, self.objective(system)))

    def clearing_shallow(self, system: ContactSystem, depth: float) -> Job[State | None]:
        """Clear bodies of overlaps no deeper than `depth`, over R; return None if there are deeper ones.

        An open sheet has no inside, so no interface point says how deep something has sunk through it: from
        that the bodies are lifted.
        """
        objective = self.objective(system)
        clear = least_displacement(system, objective, depth)
        if clear is None and self.up is not None:
            lift = np.zeros((len(system), 6))
            lift[:, :3] = (_SURELY * depth * system.radius / system.radii)[:, None] * self.up
            clear = cleared(system.displaced(lift.ravel()), self.tolerance)
        found = yield from self._moving_back(clear, objective)
        most = _SURELY * depth * np.sqrt(len(system)) * system.radii.max() / system.radius
        return None if found is None or objective.size(found) > most else found

    def _clearing_nearly(self, system: ContactSystem, depth: float) -> Job[State | None]:
        """Clear bodies that overlap nothing or little; return None if their overlaps are deep.

        depth: a lower bound of the deepest overlap, over R.
        """
        objective = self.objective(system)
        clear = cleared(system, self.tolerance) if depth == 0.0 else None
        if clear is not None:
            return state_of(clear, objective)
        for shallow in _SHALLOW:
            if depth >= shallow:
                continue
            found = yield from self._moving_back(least_displacement(system, objective, shallow), objective)
            if found is not None:
                return found
        return None

    def _moving_back(
        self, clear: Adjusted | None, objective: LeastMotion, best: float = np.inf
    ) -> Job[State | None]:
        """Move clear bodies back towards their starts, in slices; return their state.

        Interface points are searched once more with nothing known; None if they show an overlap.
        """
        if clear is None:
            return None
        state = yield from moving_least(clear, objective, best)
        again = cleared(state.system, _ROUNDING * clear[0].radius)
        return None if again is None else state_of(again, objective)


def _depth(body: Body, pose: Pose, others: Sequence[Body]) -> float:
    """Return how deep a body surely overlaps others, over R; no deeper than what is shallow."""
    deepest = _SHALLOW[-1] * body.radius
    return sure_depth(body, pose, others, deepest) / body.radius if others else 0.0


def _depth_of_all(system: ContactSystem) -> float:
    """Return the greatest depth by which bodies surely overlap the world or those before them."""
    depth, placed = 0.0, list(system.parts)
    for prepared, pose in zip(system.bodies, system.poses, strict=True):
        depth = max(depth, _depth(prepared.body, pose, placed))
        if depth >= _SHALLOW[-1]:
            break
        placed.append(prepared.body.transformed(pose.matrix4))
    return depth
