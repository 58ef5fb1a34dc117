"""What a body overlaps and touches where it stands; nothing moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..bodies import Body
from ..contact.crossing import depths_of_triangles, unexplained_collisions
from ..contact.encounter import ContactBody, Encounter
from ..contact.finding import Reach, find_points
from ..contact.points import InterfacePoints
from ..rigid import Pose
from .certificate import BALANCED_RESIDUAL, Certificate, Status, certify, nothing_touched
from .forces import Gravity
from .settings import Settings
from .start import behind_walls, contained, near_the_origin

TOUCHING = 1e-6  # gap / R of a contact, if the scene's rounding is finer

_REACHES = (0.02, 0.1, 0.5)  # of R
_MANY = 10**8  # pairs of triangles above which only the first of these is tried


def check(active: Body, pose: Pose, world: Sequence[Body], settings: Settings | None = None) -> Certificate:
    """Report overlaps and contacts of the active body at a pose.

    status is INTERFERING_START where it overlaps something by more than `settings.start_tolerance`, BALANCED
    where the contacts hold it, else RUNNING.  overlap is the deepest overlap found; where curved bodies
    overlap deeper than could be looked for, that depth, at most R / 2; inf for a body wholly inside another.
    """
    settings = settings or Settings()
    notes = active.notes + tuple(note for body in world for note in body.notes)
    if not world:
        return nothing_touched(Status.RUNNING, 0, notes)
    origin, pose, world = near_the_origin(active, pose, world)
    touching = max(settings.start_tolerance, TOUCHING * active.radius)
    encounter = Encounter.of(ContactBody.of([active]), ContactBody.of(world), pose)
    encounter = replace(encounter, sure=2.0 * touching)
    points, deeper = _points_within(encounter, world, touching)
    report = certify(encounter, points, Gravity.along(settings.gravity), touching, Status.RUNNING, 0)
    overlap = max(report.overlap, deeper, float(depths_of_triangles(encounter).max(initial=0.0)))
    overlap = float("inf") if contained(encounter, world) else overlap
    if overlap > touching:
        status = Status.INTERFERING_START
    else:
        held = max(report.residual_force, report.residual_torque) < BALANCED_RESIDUAL
        status = Status.BALANCED if held else Status.RUNNING
    contacts = replace(report.contacts, position=report.contacts.position + origin)
    return replace(report, contacts=contacts, status=status, overlap=overlap, notes=notes)


def _points_within(
    encounter: Encounter, world: Sequence[Body], touching: float
) -> tuple[InterfacePoints, float]:
    """Find the points, looking the farther the deeper the bodies overlap; return them, and how deep an
    overlap is at least of which no point was found.
    """
    for part in _REACHES:
        reach = part * encounter.radius
        points = find_points(encounter, Reach(reach, reach, reach), InterfacePoints.none(), None)
        points = points.take(~behind_walls(encounter, world, points, touching))
        if len(unexplained_collisions(encounter, points)) == 0:
            return points, 0.0
        if len(encounter.active.body.triangles) * len(encounter.world.body.triangles) > _MANY:
            break
    return points, reach
