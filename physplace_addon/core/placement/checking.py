"""What a body overlaps and touches where it stands; nothing moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..bodies import Body
from ..collision import tree_of
from ..contact.bilateral import Sticky
from ..mechanics.external_wrench import Load
from ..mechanics.forces import Force
from ..rigid import Pose
from .certificate import Certificate, Status, certify
from .contact_query import Standing
from .diagnostics import remarks
from .equilibrium import held_by_friction, motions_that_end
from .problem import Problem
from .settings import Settings
from .state import State


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
    overlap is the deepest overlap; inf for a body wholly inside another; overlapped names what it overlaps.
    """
    settings = settings or Settings()
    found = Standing.of(active, pose, world).at(pose, settings.start_tolerance)
    assembly = found.assembly
    load = Load.of(settings.gravity, forces, assembly, found.origin)
    problem = Problem(settings, load, found.touching / assembly.radius)
    energy = problem.load.energy(assembly)
    state = State(assembly, found.points, Sticky.none(), found.origin, energy, settings.eps_max)
    report = certify(problem, state, 0, Status.RUNNING, 0)
    status = _status(problem, state, found.overlaps)
    interferes = status is Status.INTERFERING_START
    names = overlapped(active, pose, world, settings.start_tolerance) if interferes else ()
    overlap = found.overlap if found.overlaps else report.overlap
    return replace(report, status=status, overlap=overlap, notes=remarks(active, world), overlapped=names)


def interfering(
    report: Certificate, active: Body, pose: Pose, others: Sequence[Body], rounding: float
) -> Certificate:
    """The report on a body that overlaps others where it starts: how deep, and which."""
    overlap = Standing.of(active, pose, others).at(pose, rounding).overlap
    return replace(
        report, stable=False, overlap=overlap, overlapped=overlapped(active, pose, others, rounding)
    )


def overlapped(active: Body, pose: Pose, others: Sequence[Body], rounding: float) -> tuple[str, ...]:
    """The names of those of the other bodies that a body at a pose overlaps, each once, by more than
    rounding, a length.
    """
    corners = pose.points(active.triangles.reshape(-1, 3))
    lower, upper = corners.min(axis=0), corners.max(axis=0)
    names = []
    for other in others:
        tree = tree_of(other)
        if (tree.lower[0] <= upper).all() and (tree.upper[0] >= lower).all():
            found = Standing.of(active, pose, [other]).at(pose, rounding)
            names += [other.name] * found.overlaps
    return tuple(dict.fromkeys(names))


def _status(problem: Problem, state: State, interferes: bool) -> Status:
    if interferes:
        return Status.INTERFERING_START
    if motions_that_end(problem, state) is not None:
        return Status.BALANCED
    touching = problem.contacts(state.assembly, state.local_points)
    if problem.settings.friction > 0.0 and held_by_friction(problem, state.assembly, touching):
        return Status.BALANCED_BY_FRICTION
    return Status.RUNNING
