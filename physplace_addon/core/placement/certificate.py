"""How a placement ended, and its certificate of rest.

The certificate is computed from the last state alone, after the loop has ended.  Overlap and gap are those of
the interface points, which lie on the true surfaces.  The contact forces f >= 0 are the even ones of
`contact_forces`; with them the residual wrench F_e + sum f_i J_i shows how well they balance the external
wrench (Snyder 1995, section 5.2).  Stability is the sign of the energy's second derivative along the motions
that keep all pressing contacts (`mechanics.stability`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from ..arrays import Floats
from ..contact.system import ContactSystem, InterfacePoints, regions_of_points
from ..mechanics.friction import required_friction
from ..mechanics.stability import support_margin
from ..mechanics.surface_numbers import surface_numbers
from ..wording import in_words
from .contact_forces import ContactForces, contact_forces, forces_with_friction
from .equilibrium import free_curvature, is_balanced, with_forces_held
from .problem import Problem
from .state import State


class Status(Enum):
    """Whether a placement is running, or how it ended; `message` says it to a person."""

    RUNNING = "not at rest"
    BALANCED = "at rest: contact forces balance it"
    BALANCED_BY_FRICTION = "at rest: contact forces and friction balance it"
    AT_ENERGY_MINIMUM = "at rest as low as it gets: the contacts found do not balance it exactly"
    STUCK = "stuck: no step, however small, is free of overlap; move it a little and place it again"
    NO_SUPPORT = "nothing is below it: it would fall for ever"
    INTERFERING_START = "it overlaps something: move it clear"
    STEP_LIMIT = (
        "the step limit was reached before it came to rest: place it again from here, or raise the limit"
    )
    INTERRUPTED = "left on its way: it overlaps nothing, but is not at rest"

    @property
    def message(self) -> str:
        """Return a sentence for a person."""
        return self.value

    @property
    def is_running(self) -> bool:
        """Return whether a step may still change anything."""
        return self is Status.RUNNING

    @property
    def at_rest(self) -> bool:
        """Return whether the body may stay where it is."""
        return self in (Status.BALANCED, Status.BALANCED_BY_FRICTION, Status.AT_ENERGY_MINIMUM)


@dataclass(frozen=True, eq=False)
class Contacts:
    """The k touching points of one body.

    Attributes:
        position: (k, 3), in the world, scene units.
        normal: unit directions (k, 3) in the world, towards the body.
        force: (k,) >= 0, in units of the external force.
        kind: the two features, this body's first, such as "vertex/face".
        region: what the points of the same contact span together: "point", "line" or "face".
        other: the name of the other body.
    """

    position: Floats
    normal: Floats
    force: Floats
    kind: tuple[str, ...]
    region: tuple[str, ...]
    other: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.force)

    @classmethod
    def none(cls) -> Contacts:
        """Return no contacts."""
        return cls(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), (), (), ())


@dataclass(frozen=True, eq=False)
class Certificate:
    """What is known of a rest when its placement has ended.

    Attributes:
        status: how it ended.
        steps: passes of the loop, failed ones counted.
        contacts: the touching points and their forces.
        overlap: the deepest overlap, scene units.
        gap: the widest gap among the contacts, scene units.
        residual_force: |F_e + sum f n|, in units of the external force; what friction leaves of it, too, of
            what it balances.
        residual_torque: |T_e + sum f r x n| / R, likewise.
        required_friction: the least Coulomb coefficient that holds it; 0 for none, inf where none would.
        stable: False for a metastable rest.
        support_margin: how far the centre of mass stands inside its support, scene units.
        notes: what was found and assumed of the bodies.
        overlapped: the names of the bodies that it overlaps.
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
    def supports(self) -> tuple[str, ...]:
        """Return the names of the bodies that push it, the one that does so most first."""
        pushes: dict[str, float] = {}
        for name, force in zip(self.contacts.other, self.contacts.force.tolist(), strict=True):
            pushes[name] = pushes.get(name, 0.0) + force
        pushing = (name for name, force in pushes.items() if force > _PUSHES)
        return tuple(sorted(pushing, key=lambda name: -pushes[name]))

    @property
    def message(self) -> str:
        """Return how it ended, in a sentence for a person that names what is overlapped."""
        if not self.overlapped:
            return self.status.message
        return self.status.message.replace("something", in_words(self.overlapped))


def joined_certificate(certificates: Sequence[Certificate], names: Collection[str]) -> Certificate:
    """Return the certificate of several bodies taken as one figure: their contacts with others, and the
    largest figures of any.

    names: of these bodies.
    """
    contacts = [each.contacts for each in certificates]
    other = tuple(name for each in contacts for name in each.other)
    outer = np.array([name not in names for name in other], bool)
    kinds = [kind for each in contacts for kind in each.kind]
    regions = [region for each in contacts for region in each.region]
    rows = np.flatnonzero(outer).tolist()
    return replace(
        certificates[0],
        contacts=Contacts(
            np.concatenate([each.position for each in contacts])[outer],
            np.concatenate([each.normal for each in contacts])[outer],
            np.concatenate([each.force for each in contacts])[outer],
            tuple(kinds[row] for row in rows),
            tuple(regions[row] for row in rows),
            tuple(other[row] for row in rows),
        ),
        overlap=max(each.overlap for each in certificates),
        gap=max(each.gap for each in certificates),
        residual_force=max(each.residual_force for each in certificates),
        residual_torque=max(each.residual_torque for each in certificates),
        support_margin=max(each.support_margin for each in certificates),
        notes=tuple(dict.fromkeys(note for each in certificates for note in each.notes)),
        overlapped=tuple(dict.fromkeys(name for each in certificates for name in each.overlapped)),
    )


_PUSHES = 1e-6  # least force, over the weight, that is not rounding
_SPANS = ("point", "line", "face")


def spans(points: InterfacePoints, radius: float) -> tuple[str, ...]:
    """Return for each of k contacts what its contact region is: "point", "line" or "face".

    Args:
        points: the touching points (k), in the world.
        radius: R of the system, scene units.
    """
    found, member = regions_of_points(points, radius)
    return tuple(_SPANS[dimension] for dimension in found.dimension[member].tolist())


def certify(problem: Problem, state: State, status: Status, steps: int) -> list[Certificate]:
    """Return the certificates (m) of a state's bodies where they stand.

    Friction and stability are those of all bodies together.

    Args:
        problem: the settings and the external wrench.
        state: where the bodies stand, and their interface points.
        status: how the placement ended.
        steps: passes of the loop.
    """
    system = state.system
    found = contact_forces(problem, state)
    touching, residual = found.points, found.residual
    held = is_balanced(problem, system, residual)
    if status is Status.BALANCED_BY_FRICTION:
        residual = forces_with_friction(problem, system, touching, state.coordinates).residual
    braced = with_forces_held(state, found)
    shared = _Shared(
        found,
        residual.reshape(-1, 6) / problem.external.sizes(system)[:, None],
        0.0 if held else _required_friction(problem, braced, touching),
        held and free_curvature(problem, braced, found).stable,
    )
    return [_of_body(problem, state, body, shared, status, steps) for body in range(len(system))]


def _required_friction(problem: Problem, held: State, touching: InterfacePoints) -> float:
    """Return the least coefficient of friction that holds a state whose joints hold as they do."""
    system, coordinates = held.system, held.coordinates
    wrench = coordinates.wrench(system, problem.external.wrench(system))
    return required_friction(
        wrench, coordinates.wrench_maps(system, touching), system.in_world(touching).normal
    )


@dataclass(frozen=True, eq=False)
class _Shared:
    """What the certificates of all bodies have in common.

    found: the contact forces of all.
    residual (m, 6): what they leave unbalanced, over the load on each body.
    required_friction, stable: as in `Certificate`.
    """

    found: ContactForces
    residual: Floats
    required_friction: float
    stable: bool


def _of_body(
    problem: Problem, state: State, body: int, shared: _Shared, status: Status, steps: int
) -> Certificate:
    system, touching, own = state.system, shared.found.points, shared.residual[body]
    mine = (touching.body1 == body) | (touching.body2 == body)
    gaps = state.local_points.gap[(state.local_points.body1 == body) | (state.local_points.body2 == body)]
    world = system.in_world(touching.take(mine))
    contacts = _contacts(world, shared.found.forces[mine], body, state)
    return Certificate(
        status,
        steps,
        contacts,
        overlap=max(0.0, -float(gaps.min(initial=0.0))),
        gap=float(touching.gap[mine].max(initial=0.0)),
        residual_force=float(np.sqrt(own[:3] @ own[:3])),
        residual_torque=float(np.sqrt(own[3:] @ own[3:])),
        required_friction=shared.required_friction,
        stable=shared.stable,
        support_margin=_margin(problem, system, contacts, body, state),
        notes=(),
    )


def _contacts(points: InterfacePoints, forces: Floats, body: int, state: State) -> Contacts:
    """Return the contacts of a body: positions on its own surface, normals towards it."""
    second = points.body2 == body
    kinds = [_turned(kind) if turn else kind for kind, turn in zip(points.kinds(), second, strict=True)]
    return Contacts(
        np.where(second[:, None], points.point2, points.point1) + state.origin,
        np.where(second[:, None], -points.normal, points.normal),
        forces,
        tuple(kinds),
        spans(points, state.system.radius),
        _others(points, body, state.system),
    )


def _others(points: InterfacePoints, body: int, system: ContactSystem) -> tuple[str, ...]:
    """Return the name of the body that touches a body at each of its points."""
    first, second = surface_numbers(system, points)
    names = [*(each.body.name for each in system.bodies), *(part.name for part in system.parts)]
    return tuple(names[number] for number in np.where(first == body, second, first).tolist())


def _turned(kind: str) -> str:
    first, second = kind.split("/")
    return f"{second}/{first}"


def _margin(problem: Problem, system: ContactSystem, contacts: Contacts, body: int, state: State) -> float:
    if problem.external.gravity is None:
        return 0.0
    centre = system.centres[body] + state.origin
    return support_margin(contacts.position, centre, problem.external.gravity.direction)
