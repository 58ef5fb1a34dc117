"""How a placement ended, and the certificate of rest (DESIGN section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from ..arrays import Floats
from ..contact.features import FACE
from ..contact.points.interface_points import InterfacePoints
from ..contact.system import Assembly
from ..mechanics.friction import required_friction
from ..mechanics.stability import second_order, support_margin
from ..wording import in_words
from .equilibrium import is_balanced, pushes
from .problem import Problem
from .state import State


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
    its support, scene units.  notes: what was found and assumed of the bodies.  overlapped: the names of the
    bodies that it overlaps.
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
    overlapped: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """How it ended, in a sentence for a person that names what is overlapped."""
        if not self.overlapped:
            return self.status.message
        return self.status.message.replace("something", in_words(self.overlapped))


_SAME_NORMAL = 1e-3
_SAME_PLANE = 1e-6  # height / R
_SPAN = 1e-6  # extent / R above which points span a line or a face


def regions(points: InterfacePoints, radius: float) -> tuple[str, ...]:
    """Name, for each contact (k,), what it spans with the others that belong to it: a point, a line or a
    face.

    Contacts of one plane and normal belong together, but for those of two curved faces: these are points by
    themselves unless they are samples of one contact curve.
    """
    columns = (points.body1, points.dim1, points.index1, points.body2, points.dim2, points.index2)
    features = np.stack(columns, axis=1)
    by_faces = (points.dim1 == FACE) & (points.dim2 == FACE)
    names = []
    for i in range(len(points)):
        offset = points.point1 - points.point1[i]
        alike = np.abs(points.normal - points.normal[i]).max(axis=1) < _SAME_NORMAL
        alike &= np.abs(offset @ points.normal[i]) < _SAME_PLANE * radius
        alike &= (points.body1 == points.body1[i]) & (points.body2 == points.body2[i])
        alike &= (features == features[i]).all(axis=1) if by_faces[i] else ~by_faces
        extents = np.linalg.svd(offset[alike] - offset[alike].mean(axis=0), compute_uv=False)
        names.append(("point", "line", "face")[min(2, int((extents > _SPAN * radius).sum()))])
    return tuple(names)


def certify(problem: Problem, state: State, body: int, status: Status, steps: int) -> Certificate:
    """Report on where one of a state's bodies stands; its points that touch are contacts.

    Friction and stability are those of all bodies together.
    """
    assembly = state.assembly
    touching = problem.contacts(assembly, state.local_points)
    world = assembly.in_world(touching)
    gradients, wrench = assembly.gradients(touching), problem.load.wrench(assembly)
    forces = pushes(wrench, gradients, state.sticky.rows(touching))
    residual = wrench + gradients.T @ forces
    held = is_balanced(problem, assembly, residual)
    own = residual.reshape(-1, 6)[body] / problem.load.sizes(assembly)[body]
    change = problem.load.change(assembly)
    mine = (touching.body1 == body) | (touching.body2 == body)
    gaps = state.local_points.gap[(state.local_points.body1 == body) | (state.local_points.body2 == body)]
    contacts = _contacts(world.take(mine), forces[mine], body, state)
    return Certificate(
        status,
        steps,
        contacts,
        overlap=max(0.0, -float(gaps.min(initial=0.0))),
        gap=float(touching.gap[mine].max(initial=0.0)),
        residual_force=float(np.sqrt(own[:3] @ own[:3])),
        residual_torque=float(np.sqrt(own[3:] @ own[3:])),
        required_friction=0.0 if held else required_friction(wrench, assembly.maps(touching), world.normal),
        stable=held
        and second_order(gradients, assembly.hessians(touching), forces, 0.5 * (change + change.T)).stable,
        support_margin=_margin(problem, assembly, contacts, body, state),
        notes=(),
    )


def _contacts(points: InterfacePoints, forces: Floats, body: int, state: State) -> Contacts:
    """Contacts as a body sees them: its own points, normals towards it."""
    second = points.body2 == body
    kinds = [_turned(kind) if turn else kind for kind, turn in zip(points.kinds(), second, strict=True)]
    return Contacts(
        np.where(second[:, None], points.point2, points.point1) + state.origin,
        np.where(second[:, None], -points.normal, points.normal),
        forces,
        tuple(kinds),
        regions(points, state.assembly.radius),
    )


def _turned(kind: str) -> str:
    first, second = kind.split("/")
    return f"{second}/{first}"


def _margin(problem: Problem, assembly: Assembly, contacts: Contacts, body: int, state: State) -> float:
    if problem.load.gravity is None:
        return 0.0
    centre = assembly.centres[body] + state.origin
    return support_margin(contacts.position, centre, problem.load.gravity.direction)
