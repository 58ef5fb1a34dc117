"""What a body overlaps and touches where it stands; nothing moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..bodies import Body
from ..contact.assembly import Assembly
from ..contact.crossing import depths_of_triangles, unexplained_collisions
from ..contact.encounter import Encounter
from ..contact.finding import Reach, find_points
from ..contact.points import FIXED, InterfacePoints
from ..rigid import Pose
from .certificate import Certificate, Status, certify
from .forces import Force, Load
from .problem import Problem
from .resting import held_by_friction, motions_that_end
from .settings import Settings
from .start import behind_walls, contained, near_the_origin
from .state import State
from .sticky import Sticky

TOUCHING = 1e-6  # gap / R of a contact, if the scene's rounding is finer
_REACHES = (0.02, 0.1, 0.5)  # of R
_MANY = 10**8  # pairs of triangles above which only the first of these is tried


def check(
    active: Body,
    pose: Pose,
    world: Sequence[Body],
    settings: Settings | None = None,
    forces: Sequence[Force] = (),
) -> Certificate:
    """Report overlaps and contacts of the active body at a pose.

    status is INTERFERING_START where it overlaps something by more than `settings.start_tolerance`, BALANCED
    where the contacts hold it, BALANCED_BY_FRICTION where they do with the settings' friction, else RUNNING.
    overlap is the deepest overlap found; where curved bodies overlap deeper than could be looked for, that
    depth, at most R / 2; inf for a body wholly inside another.
    """
    settings = settings or Settings()
    notes = active.notes + tuple(note for body in world for note in body.notes)
    origin, poses, parts = near_the_origin([active], [pose], world)
    touching = max(settings.start_tolerance / active.radius, TOUCHING)
    assembly = replace(Assembly.of([active], poses, parts), sure=2.0 * touching)
    problem = Problem(settings, Load.of(settings.gravity, forces, assembly, origin), touching)
    points, overlap = InterfacePoints.none(), 0.0
    if parts:
        points, overlap = _points_within(assembly.encounter((0, FIXED)), parts, touching * active.radius)
    state = State(assembly, points, Sticky.none(), origin, problem.load.energy(assembly), settings.eps_max)
    report = certify(problem, state, 0, Status.RUNNING, 0)
    overlap = max(overlap, report.overlap)
    status = _status(problem, state, overlap > touching * active.radius)
    return replace(report, status=status, overlap=overlap, notes=notes)


def _status(problem: Problem, state: State, interferes: bool) -> Status:
    if interferes:
        return Status.INTERFERING_START
    if motions_that_end(problem, state) is not None:
        return Status.BALANCED
    touching = problem.contacts(state.assembly, state.local_points)
    if problem.settings.friction > 0.0 and held_by_friction(problem, state.assembly, touching):
        return Status.BALANCED_BY_FRICTION
    return Status.RUNNING


def _points_within(
    encounter: Encounter, world: Sequence[Body], touching: float
) -> tuple[InterfacePoints, float]:
    """Find the points, looking the farther the deeper the bodies overlap; return them, and how deep an
    overlap is at least that no point tells of.
    """
    if contained(encounter, world):
        return InterfacePoints.none(), float("inf")
    deepest = float(depths_of_triangles(encounter).max(initial=0.0))
    for part in _REACHES:
        reach = part * encounter.radius
        points = find_points(encounter, Reach(reach, reach, reach), InterfacePoints.none(), None)
        points = points.take(~behind_walls(encounter, world, points, touching))
        if len(unexplained_collisions(encounter, points)) == 0:
            return points, deepest
        if len(encounter.active.body.triangles) * len(encounter.world.body.triangles) > _MANY:
            break
    return points, max(deepest, reach)
