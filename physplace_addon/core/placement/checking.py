"""Certificates without a placement: what a body overlaps and touches where it stands, while nothing moves."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..bodies import Body
from ..collision import tree_of
from ..contact.system import FIXED, BilateralContacts, NumberedPair
from ..jobs import Job, Progress, finished
from ..mechanics.external_wrench import ExternalWrench
from ..mechanics.forces import Force
from ..rigid import Pose
from .certificate import Certificate, Status, certify
from .contact_query import ContactQuery, QueriedContacts
from .diagnostics import diagnose
from .equilibrium import held_by_friction, lower_nearby, motions_that_end
from .problem import Problem, Setup
from .settings import Settings
from .state import State


def check(
    active: Body,
    pose: Pose,
    world: Sequence[Body],
    settings: Settings | None = None,
    forces: Sequence[Force] = (),
) -> Certificate:
    """Return the certificate of the active body at a pose.

    Its status is INTERFERING_START where the body overlaps something by more than
    `settings.start_tolerance`; BALANCED where the contacts balance it; BALANCED_BY_FRICTION where they do
    with the friction of the settings; else RUNNING.  Its overlap is the deepest one, inf for a body wholly
    inside another, and `overlapped` names the bodies.

    Args:
        active: the body, in its own frame.
        pose: takes its frame to the world.
        world: the other bodies, in the world.
        settings: those of a placement; the defaults if None.
        forces: external forces beside gravity.
    """
    settings = settings or Settings()
    found = ContactQuery.of(active, pose, world).at(pose, settings.start_tolerance)
    system = found.system
    load = ExternalWrench.of(settings.gravity, forces, system, found.origin)
    problem = Problem(settings, load, found.touching / system.radius)
    energy = problem.external.energy(system)
    state = State(system, found.points, BilateralContacts.none(), found.origin, energy, settings.eps_max)
    status, stable = _judged(problem, state, found.overlaps)
    report = replace(certify(problem, state, status, 0)[0], stable=stable)
    interferes = status is Status.INTERFERING_START
    names = tuple[str, ...]()
    if interferes:
        overlaps = finished(overlapping([active], [pose], world, settings.start_tolerance))
        names = names_of_overlapped(overlaps, 0)
    overlap = _depth(found, report)
    met = bodies_named(world, (*report.contacts.other, *names))
    return replace(report, overlap=overlap, notes=diagnose(active, met), overlapped=names)


def bodies_named(bodies: Sequence[Body], names: Collection[str]) -> list[Body]:
    """Return those of some bodies that have one of some names."""
    return [body for body in bodies if body.name in names]


def _depth(found: QueriedContacts, report: Certificate) -> float:
    """Return the deepest overlap, scene units: that of a query, or where it finds none that of the points."""
    return found.overlap if found.overlaps else report.overlap


def certificates(
    setup: Setup, problem: Problem, state: State, status: Status, steps: int, stable: bool
) -> list[Certificate]:
    """Return the report on a state of a placement for each of its bodies (m).

    stable: whether no motion is known that would end the rest.
    """
    if status is Status.INTERFERING_START and len(setup.bodies) == 1:
        report = check(setup.bodies[0], state.pose, setup.world, setup.settings, setup.forces)
        return [replace(report, status=status, steps=steps, stable=False)]
    reports = [
        replace(report, stable=stable, notes=diagnose(body, bodies_named(setup.world, report.contacts.other)))
        for body, report in zip(setup.bodies, certify(problem, state, status, steps), strict=True)
    ]
    if status is not Status.INTERFERING_START:
        if len(reports) > 1 or state.system.fixed is None:
            return reports
        found = ContactQuery(state.system, state.origin).at(state.pose, setup.settings.start_tolerance)
        return [replace(reports[0], overlap=_depth(found, reports[0]))]
    tolerance = setup.settings.start_tolerance
    through = state.system.never_meeting
    overlaps = finished(overlapping(setup.bodies, state.poses, setup.world, tolerance, through))
    depths = [[overlap.depth for overlap in overlaps if i in overlap.bodies] for i in range(len(reports))]
    return [
        replace(
            report,
            stable=False,
            overlap=max(depths[i], default=0.0),
            overlapped=names_of_overlapped(overlaps, i),
        )
        for i, report in enumerate(reports)
    ]


@dataclass(frozen=True, eq=False)
class Overlap:
    """Two bodies that overlap where they stand.

    Attributes:
        bodies: their numbers; the moving bodies come first, then those of the world.
        names: their names.
        query: the contacts of the first of them with the second.
        pose: of the first.
        rounding: the depth, in scene units, that is no overlap.
    """

    bodies: tuple[int, int]
    names: tuple[str, str]
    query: ContactQuery
    pose: Pose
    rounding: float

    @cached_property
    def depth(self) -> float:
        """The depth of the deepest overlap, scene units; to measure it takes longer than to find that the
        bodies overlap.  It is inf where one is wholly inside the other.
        """
        return self.query.at(self.pose, self.rounding).overlap


def overlapping(
    bodies: Sequence[Body],
    poses: Sequence[Pose],
    world: Sequence[Body],
    rounding: float,
    through: Collection[NumberedPair] = (),
) -> Job[list[Overlap]]:
    """Return, in slices, the pairs of bodies that overlap, each once.

    Args:
        bodies: the moving bodies (m), each in its own frame.
        poses: take their frames to the world (m).
        world: the fixed bodies, in the world.
        rounding: the depth, in scene units, that is no overlap.
        through: pairs of bodies, by number, the lesser first and FIXED last for the world, that may go
            through each other.
    """
    moved = [body.transformed(pose.matrix4) for body, pose in zip(bodies, poses, strict=True)]
    standing, found = [*moved, *world], list[Overlap]()
    for first, (body, pose) in enumerate(zip(bodies, poses, strict=True)):
        yield Progress("Looking what overlaps", first / len(bodies))
        mine = tree_of(moved[first])
        # each pair once: with the world, and with the moving bodies that come later
        for second in [*range(len(bodies), len(standing)), *range(first + 1, len(bodies))]:
            other = tree_of(standing[second])
            if (first, second if second < len(bodies) else FIXED) in through:
                continue
            if (other.lower[0] <= mine.upper[0]).all() and (other.upper[0] >= mine.lower[0]).all():
                query = ContactQuery.of(body, pose, [standing[second]])
                if query.overlaps(pose, rounding):
                    names = (body.name, standing[second].name)
                    found.append(Overlap((first, second), names, query, pose, rounding))
    return found


def names_of_overlapped(overlaps: Sequence[Overlap], body: int) -> tuple[str, ...]:
    """Return the names of the bodies that a body, by number, overlaps, each once."""
    names = []
    for overlap in overlaps:
        if body in overlap.bodies:
            names.append(overlap.names[1 - overlap.bodies.index(body)])
    return tuple(dict.fromkeys(names))


def _judged(problem: Problem, state: State, interferes: bool) -> tuple[Status, bool]:
    """Return how bodies stand, and whether they are at rest so that no motion is known that would end it."""
    if interferes:
        return Status.INTERFERING_START, False
    ending = motions_that_end(problem, state)
    if ending is not None and lower_nearby(problem, state) is None:
        return Status.BALANCED, len(ending) == 0
    touching = problem.contacts(state.system, state.local_points)
    if problem.settings.has_friction and held_by_friction(problem, state.system, touching, state.coordinates):
        return Status.BALANCED_BY_FRICTION, True
    return Status.RUNNING, False
