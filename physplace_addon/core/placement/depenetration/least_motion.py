"""Back towards where bodies started, as far as nothing overlaps: the least change of pose in their
neighbourhood.

With x_b = (dX / R_b, dTheta) the displacement of body b from its start, what is to be least is

    E = 1/2 sum_b s_b |x_b|^2,    s_b = (R_b / R)^2,

so that lengths count the same, whichever body is moved.  From poses free of overlap the bodies are drawn
down this slope by steps of the solver's kind (`stepping`): near pairs are rows g + J dx >= c of a programme
with the slope -s x for a wrench and s - sum f_i H_i for a matrix; nothing is passed through; what would
overlap is lifted.  Where it ends, contact forces f >= 0 balance the pull, sum f_i J_i = s x: the conditions
of Karush, Kuhn and Tucker for the least |x|.

Shallow overlaps: the least displacement that lifts them, found where bodies stand.

As long as an overlap is so shallow that interface points know its depth and its direction, the least
displacement x from the start solves

    min 1/2 x' s x    with    g + J (x - x_now) >= c

for the points of the poses x_now that the last solution led to; it ends where nothing overlaps there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Floats
from ...contact.bilateral import Sticky
from ...contact.points.generation import Reach
from ...contact.points.interface_points import InterfacePoints
from ...contact.system import Assembly, grouped
from ...optimization.non_negative import nonnegative_least_squares
from ...optimization.step_qp import Step, length, solve_programme, trust_step
from ...rigid import Pose, quaternion_conjugate, quaternion_product, rotation_vector
from ..start import behind_walls, clear_start
from ..state import State
from ..stepping import Moved, Obstructed, moved, on_settled, settled

FIRST = 0.05  # a step / R, and the least that is looked ahead: bounds of tessellations are shorter
_FARTHEST = 0.1  # the longest step / R
CLEARANCE = 1e-6  # c / R at least: room for what stands beside a face not to count as over it
_FLAT = 0.05  # reach / R of flat pairs, of which there are many
_STEPS = 100  # of one body; what a step costs grows as the square of their number
_GROWTH, _FASTER = 1.5, 4.0  # of the longest next step over the one before, and over the step taken
_SMALLEST, _SMALL = 4.0 * CLEARANCE, 1e-3  # longest step at which it ends, and to which short steps lead
_POOR = 0.1  # of the gain that a step promised: there may be contacts that tracked ones hide
_DEAR = 4.0  # cost of missing clearance, over the pull
_LATELY, _HOPE = 4, 5.0  # over how many states a gain is looked at, and how often it may come again
_STANDS = 1e-8  # a step / R after which it is where it should be


def reach_of(step: float) -> Reach:
    """How far to look for pairs, over the radii, before a step (over R)."""
    return Reach(curved=1.5 * max(step, FIRST), flat=_FLAT, samples=2.0 * step)


@dataclass(frozen=True, eq=False)
class Home:
    """Where bodies (m) started, and the clearance c / R that they keep."""

    starts: tuple[Pose, ...]
    clearance: float = CLEARANCE

    def displacement(self, assembly: Assembly) -> Floats:
        """Return x (6 m,): how far each body is from its start, (dX / R_b, dTheta) of its centre of mass."""
        out = np.zeros((len(assembly), 6))
        out[:, :3] = (assembly.centres - assembly.at(self.starts).centres) / assembly.radii[:, None]
        for row, pose, start in zip(out, assembly.poses, self.starts, strict=True):
            if pose is not start:  # rounding would turn even what stands still
                turn = quaternion_product(pose.rotation, quaternion_conjugate(start.rotation))
                row[3:] = rotation_vector(turn)
        return out.ravel()

    def scales(self, assembly: Assembly) -> Floats:
        """Return s (6 m,)."""
        return np.repeat((assembly.radii / assembly.radius) ** 2, 6)

    def energy(self, assembly: Assembly) -> float:
        """Return E."""
        return 0.5 * float(self.scales(assembly) @ self.displacement(assembly) ** 2)

    @staticmethod
    def size(state: State) -> float:
        """Return (2 E)^1/2."""
        return float(np.sqrt(2.0 * state.energy))

    def pull(self, assembly: Assembly) -> Floats:
        """Return -s x (6 m,): the slope of half a turn's squared angle is its rotation vector."""
        wrench: Floats = -self.scales(assembly) * self.displacement(assembly)
        return wrench

    def rows(self, assembly: Assembly, points: InterfacePoints) -> tuple[Floats, Floats]:
        """Return J (k, 6 m) and c - g (k,), but no more than twice the least clearance at a time."""
        room = self.clearance - points.gap / assembly.radius
        return assembly.gradients(points), np.minimum(room, max(2.0 * CLEARANCE, 0.1 * self.clearance))

    def shortfall(self, assembly: Assembly, points: InterfacePoints) -> float:
        """Return how much of the clearance is missing, over R."""
        return max(0.0, self.clearance - float(points.gap.min(initial=np.inf)) / assembly.radius)

    def merit(self, state: State) -> float:
        """Return E and what it costs to win back the clearance."""
        wrench = self.pull(state.assembly)
        missing = self.shortfall(state.assembly, state.local_points)
        return state.energy + _DEAR * missing * float(np.sqrt(wrench @ wrench))

    def unheld(self, state: State) -> float:
        """Return what the contacts do not hold of the pull, over the pull: zero at a least displacement."""
        wrench = self.pull(state.assembly)
        near = state.local_points.gap < 2.0 * self.clearance * state.assembly.radius
        gradients = state.assembly.gradients(state.local_points.take(near))
        residual = wrench + gradients.T @ nonnegative_least_squares(gradients.T, -wrench)
        size = float(wrench @ wrench)
        return float(np.sqrt(residual @ residual / size)) if size > 0.0 else 0.0


def still(moved: Moved, home: Home, eps: float = FIRST) -> State:
    """Return the state of bodies that are drawn home; eps: the longest next step."""
    return State(*moved, Sticky.none(), np.zeros(3), home.energy(moved[0]), eps)


def retreat(clear: Moved, home: Home, best: float = np.inf) -> State:
    """Draw bodies that overlap nothing, with their interface points, back home.

    Return where nothing lowers E any more; sooner, if (2 E)^1/2 will hardly become less than `best`.
    """
    state = still(clear, home)
    energies = [state.energy]
    while len(energies) <= _STEPS // len(home.starts) ** 2 and state.eps > _SMALLEST:
        step = _programme(state, home)
        if step is not None and length(step.x) < _STANDS:
            break
        found = None if step is None else _moved(state, step, home)
        if found is not None and home.merit(found) < home.merit(state):
            state = found
        else:
            taken = state.eps if step is None else length(step.x)
            state = replace(state, eps=0.5 * min(state.eps, taken))
        energies.append(state.energy)
        if _hopeless(energies, 0.5 * best**2):
            break
    return state


def _hopeless(energies: list[float], best: float) -> bool:
    """Tell whether many more gains as that of the last states would not do."""
    gain = energies[-min(_LATELY, len(energies))] - energies[-1]
    return len(energies) > 2 * _LATELY and energies[-1] - _HOPE * gain > best


def _moved(state: State, step: Step, home: Home) -> State | None:
    """Take a step, and then keep the clearance that the solver's own corrections do not ask for."""
    following = min(max(_FASTER * length(step.x), _SMALL), _GROWTH * state.eps, _FARTHEST)
    reach = reach_of(following)
    found = moved(state, step, lambda extra: _programme(state, home, extra), reach)
    if found is not None and home.shortfall(*found) > 0.5 * home.clearance:
        size = len(step.x)
        lift = solve_programme(np.eye(size), np.zeros(size), *home.rows(*found))
        if lift is None:
            return None
        settled_there = settled(state, found[0].displaced(lift.x), found[1], reach, state.eps)
        found = None if isinstance(settled_there, Obstructed) else settled_there
    if found is None:
        return None
    promised = 0.5 * float(home.pull(state.assembly) @ step.x)
    if state.energy - home.energy(found[0]) < _POOR * promised:
        found = found[0], found[0].find(reach, InterfacePoints.none(), state.assembly)
    return still(found, home, following)


def _programme(state: State, home: Home, extra: InterfacePoints | None = None) -> Step | None:
    assembly, points = state.assembly, state.local_points
    if extra is not None:
        points = InterfacePoints.join([points, extra])
    gradients, room = home.rows(assembly, points)
    matrix, wrench = np.diag(home.scales(assembly)), home.pull(assembly)
    predictor = trust_step(matrix, wrench, gradients, room, state.eps)
    if predictor is None or not predictor.forces.any():
        return predictor
    forces = on_settled(assembly, points, predictor.forces)
    rows = forces > 0.0
    bend = np.einsum("i,iab->ab", forces[rows], assembly.hessians(points.take(rows)))
    return trust_step(matrix - bend, wrench, gradients, room, state.eps) or predictor


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
