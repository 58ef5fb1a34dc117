"""What a body overlaps and touches where it stands; nothing moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..bodies import Body
from ..contact.crossing import meeting_triangles, unexplained_collisions
from ..contact.encounter import ContactBody, Encounter
from ..contact.features import cross, dot
from ..contact.finding import Reach, find_points
from ..contact.points import InterfacePoints
from ..rigid import Pose
from .certificate import BALANCED_RESIDUAL, Certificate, Status, certify, nothing_touched
from .forces import Gravity
from .settings import Settings
from .start import behind_walls, contained

TOUCHING = 1e-6  # gap / R of a contact, if the scene's rounding is finer

_REACHES = (0.02, 0.1, 0.5)  # of R


def check(active: Body, pose: Pose, world: Sequence[Body], settings: Settings | None = None) -> Certificate:
    """Report overlaps and contacts of the active body at a pose.

    status is INTERFERING_START where it overlaps something by more than `settings.start_tolerance`, BALANCED
    where the contacts hold it, else RUNNING.  overlap is the deepest overlap found, inf for a body wholly
    inside another.
    """
    settings = settings or Settings()
    notes = active.notes + tuple(note for body in world for note in body.notes)
    if not world:
        return nothing_touched(Status.RUNNING, 0, notes)
    encounter = Encounter(ContactBody.of([active]), ContactBody.of(world), pose, active.radius)
    touching = max(settings.start_tolerance, TOUCHING * active.radius)
    points = _points_within(encounter, world, touching)
    report = certify(encounter, points, Gravity.along(settings.gravity), touching, Status.RUNNING, 0)
    overlap = max(report.overlap, _depth_of_triangles(encounter))
    overlap = float("inf") if contained(encounter, world) else overlap
    if overlap > touching:
        status = Status.INTERFERING_START
    else:
        held = max(report.residual_force, report.residual_torque) < BALANCED_RESIDUAL
        status = Status.BALANCED if held else Status.RUNNING
    return replace(report, status=status, overlap=overlap, notes=notes)


def _points_within(encounter: Encounter, world: Sequence[Body], touching: float) -> InterfacePoints:
    """Find the points, looking the farther the deeper the bodies overlap."""
    for part in _REACHES:
        reach = part * encounter.radius
        points = find_points(encounter, Reach(reach, reach, reach), InterfacePoints.none(), None)
        points = points.take(~behind_walls(encounter, world, points, touching))
        if len(unexplained_collisions(encounter, points)) == 0:
            break
    return points


def _depth_of_triangles(encounter: Encounter) -> float:
    """Return how deep flat triangles cut through each other: the deepest pair, each by the lesser of both
    planes.
    """
    pairs = meeting_triangles(encounter)
    if len(pairs) == 0:
        return 0.0
    first = encounter.pose.points(encounter.active.body.triangles[pairs[:, 0]])
    second = encounter.world.body.triangles[pairs[:, 1]]
    return float(np.minimum(_depth(first, second), _depth(second, first)).max())


def _depth(plane: np.ndarray, other: np.ndarray) -> np.ndarray:
    normal = cross(plane[:, 1] - plane[:, 0], plane[:, 2] - plane[:, 0])
    normal /= np.sqrt(dot(normal, normal))[:, None]
    height = dot(other - plane[:, :1], normal[:, None])
    depth: np.ndarray = np.minimum(-height.min(axis=1), height.max(axis=1)).clip(min=0.0)
    return depth
