"""Certificates without a placement: what a body overlaps and touches where it stands, while nothing moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..bodies import Body
from ..collision import tree_of
from ..contact.system import BilateralContacts
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
    status = _status(problem, state, found.overlaps)
    report = certify(problem, state, status, 0)[0]
    interferes = status is Status.INTERFERING_START
    names = overlapped(active, pose, world, settings.start_tolerance) if interferes else ()
    overlap = _depth(found, report)
    return replace(report, overlap=overlap, notes=diagnose(active, world), overlapped=names)


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
        replace(report, stable=stable, notes=diagnose(body, setup.world))
        for body, report in zip(setup.bodies, certify(problem, state, status, steps), strict=True)
    ]
    if status is not Status.INTERFERING_START:
        if len(reports) > 1 or state.system.fixed is None:
            return reports
        found = ContactQuery(state.system, state.origin).at(state.pose, setup.settings.start_tolerance)
        return [replace(reports[0], overlap=_depth(found, reports[0]))]
    tolerance, standing = setup.settings.start_tolerance, list(zip(setup.bodies, state.poses, strict=True))
    still = [body.transformed(pose.matrix4) for body, pose in standing]
    return [
        interfering(report, *standing[i], [*setup.world, *still[:i], *still[i + 1 :]], tolerance)
        for i, report in enumerate(reports)
    ]


def interfering(
    report: Certificate, active: Body, pose: Pose, others: Sequence[Body], rounding: float
) -> Certificate:
    """Return the report on a body that overlaps others where it starts, with the depth and the names.

    Args:
        report: what is known besides.
        active: the body, in its own frame.
        pose: takes its frame to the world.
        others: all other bodies, in the world.
        rounding: the depth, in scene units, that is no overlap.
    """
    overlap = ContactQuery.of(active, pose, others).at(pose, rounding).overlap
    return replace(
        report, stable=False, overlap=overlap, overlapped=overlapped(active, pose, others, rounding)
    )


def overlapped(active: Body, pose: Pose, others: Sequence[Body], rounding: float) -> tuple[str, ...]:
    """Return the names of the bodies that a body at a pose overlaps, each once.

    Args:
        active: the body, in its own frame.
        pose: takes its frame to the world.
        others: all other bodies, in the world.
        rounding: the depth, in scene units, that is no overlap.
    """
    corners = pose.points(active.triangles.reshape(-1, 3))
    lower, upper = corners.min(axis=0), corners.max(axis=0)
    names = []
    for other in others:
        tree = tree_of(other)
        if (tree.lower[0] <= upper).all() and (tree.upper[0] >= lower).all():
            found = ContactQuery.of(active, pose, [other]).at(pose, rounding)
            names += [other.name] * found.overlaps
    return tuple(dict.fromkeys(names))


def _status(problem: Problem, state: State, interferes: bool) -> Status:
    if interferes:
        return Status.INTERFERING_START
    if motions_that_end(problem, state) is not None and lower_nearby(problem, state) is None:
        return Status.BALANCED
    touching = problem.contacts(state.system, state.local_points)
    if problem.settings.friction > 0.0 and held_by_friction(problem, state.system, touching):
        return Status.BALANCED_BY_FRICTION
    return Status.RUNNING
