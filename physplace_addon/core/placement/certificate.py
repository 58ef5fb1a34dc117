"""How a placement ended, and the certificate of rest (DESIGN section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from ..arrays import Floats
from ..contact.encounter import Encounter
from ..contact.features import FACE
from ..contact.linearization import gap_gradient, gap_hessian
from ..contact.points import InterfacePoints
from .forces import Gravity, even_forces
from .friction import contact_maps, required_friction
from .stability import second_order, support_margin


class Status(Enum):
    """Running, or how a placement ended; `message` says it to a person."""

    RUNNING = "not at rest"
    BALANCED = "at rest: contact forces balance it"
    BALANCED_BY_FRICTION = "at rest: contact forces and friction balance it"
    AT_ENERGY_MINIMUM = "at rest as low as it gets: the contacts found do not balance it exactly"
    STUCK = "stuck: no step, however small, is free of overlap; move it a little and place it again"
    NO_SUPPORT = "nothing is below it: it would fall for ever"
    INTERFERING_START = "it overlaps something where it starts: move it clear and place it again"
    STEP_LIMIT = (
        "the step limit was reached before it came to rest: place it again from here, or raise the limit"
    )
    INTERRUPTED = "interrupted; where it stands is free of overlap"

    @property
    def message(self) -> str:
        """A sentence for a person."""
        return self.value

    @property
    def at_rest(self) -> bool:
        """Whether the body may stay where it is."""
        return self in (Status.BALANCED, Status.BALANCED_BY_FRICTION, Status.AT_ENERGY_MINIMUM)


@dataclass(frozen=True, eq=False)
class Contacts:
    """k touching points: position (k, 3) in the world; normal (k, 3), from the world to the active body;
    force (k,) >= 0 in units of the external force; kind, such as "vertex/face", active body first; region,
    "point", "line" or "face": what the points of that contact span together.
    """

    position: Floats
    normal: Floats
    force: Floats
    kind: tuple[str, ...]
    region: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.force)

    @classmethod
    def none(cls) -> Contacts:
        """Return no contacts."""
        return cls(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), (), ())


@dataclass(frozen=True, eq=False)
class Certificate:
    """What a finished placement can prove of its rest.

    steps: loops, failed ones counted.  overlap, gap: the deepest overlap and widest gap among the contacts,
    scene units. residual_force, residual_torque: |F_e + sum f n| and |T_e + sum f r x n| / R, in units of
    the external force. required_friction: the least Coulomb coefficient that holds it (0: none; inf: none
    would).  stable: False for a metastable rest.  support_margin: how far the centre of mass stands inside
    its support, scene units.  notes: what was found and assumed of the bodies.
    """

    status: Status
    steps: int
    contacts: Contacts
    overlap: float
    gap: float
    residual_force: float
    residual_torque: float
    required_friction: float
    stable: bool
    support_margin: float
    notes: tuple[str, ...]


BALANCED_RESIDUAL = 5e-7  # of a wrench at rest, in units of the external one
_SAME_NORMAL = 1e-3
_SAME_PLANE = 1e-6  # height / R
_SPAN = 1e-6  # extent / R above which points span a line or a face


def regions(points: InterfacePoints, radius: float) -> tuple[str, ...]:
    """Name, for each contact (k,), what it spans with the others that belong to it: a point, a line or a
    face.

    Contacts of one plane and normal belong together, but for those of two curved faces: these are points by
    themselves unless they are samples of one contact curve.
    """
    features = np.stack([points.dim1, points.index1, points.dim2, points.index2], axis=1)
    by_faces = (points.dim1 == FACE) & (points.dim2 == FACE)
    names = []
    for i in range(len(points)):
        offset = points.point1 - points.point1[i]
        alike = np.abs(points.normal - points.normal[i]).max(axis=1) < _SAME_NORMAL
        alike &= np.abs(offset @ points.normal[i]) < _SAME_PLANE * radius
        alike &= (features == features[i]).all(axis=1) if by_faces[i] else ~by_faces
        extents = np.linalg.svd(offset[alike] - offset[alike].mean(axis=0), compute_uv=False)
        names.append(("point", "line", "face")[min(2, int((extents > _SPAN * radius).sum()))])
    return tuple(names)


def nothing_touched(status: Status, steps: int, notes: tuple[str, ...]) -> Certificate:
    """Report on a body that touches nothing: its whole weight is unbalanced."""
    return Certificate(status, steps, Contacts.none(), 0.0, 0.0, 1.0, 0.0, float("inf"), False, 0.0, notes)


def certify(
    encounter: Encounter,
    points: InterfacePoints,
    gravity: Gravity,
    touching: float,
    status: Status,
    steps: int,
) -> Certificate:
    """Report on where a body stands among solved points; those with a gap below `touching` (a length) are
    contacts.
    """
    near = points.take(points.gap < touching)
    if len(near) == 0:
        return nothing_touched(status, steps, ())
    gradients = gap_gradient(near, encounter.centre, encounter.radius)
    forces = even_forces(gravity.wrench, gradients)
    residual = gravity.wrench + gradients.T @ forces
    held = bool(np.abs(residual).max() < BALANCED_RESIDUAL)
    arms = (near.point1 - encounter.centre) / encounter.radius
    hessians = gap_hessian(near, *encounter.evaluate(near), encounter.centre, encounter.radius)
    return Certificate(
        status,
        steps,
        Contacts(near.point1, near.normal, forces, tuple(near.kinds()), regions(near, encounter.radius)),
        overlap=max(0.0, -float(points.gap.min())),
        gap=float(near.gap.max()),
        residual_force=float(np.sqrt(residual[:3] @ residual[:3])),
        residual_torque=float(np.sqrt(residual[3:] @ residual[3:])),
        required_friction=0.0 if held else required_friction(gravity.wrench, contact_maps(arms), near.normal),
        stable=held and second_order(gradients, hessians, forces).stable,
        support_margin=support_margin(near.point1, encounter.centre, gravity.direction),
        notes=(),
    )
