"""External pseudo-forces: gravity, pushes and pulls at a point, connections (Snyder 1995, section 5.1).

Each returns a wrench, an energy, and the derivative of the wrench by the poses, for all m bodies of a
system at once (d = 6 m).  Forces are in units of one body's weight (of the mean weight, where several move),
energies in that times R.  With a point's arm r from its body's centre of mass, P = X + r and a force F on it,

    w = dP/dx' F / R,    dP/dx = (R_b 1, -[r]x),

and a connection, of energy E = s phi(|y|) / R with y = target - P, has F = s y / max(|y|, delta): of constant
size, as in the paper, but for the last delta, where it fades, so that it has a balance (the paper's jumps
from one side to the other).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..contact.system import ContactSystem
from ..errors import PlacementError
from ..rigid import skew
from ..vectors import cross

_FADING = 1e-5  # delta / R_b: length of a connection below which it fades, far below what anybody sees


class Force(Protocol):
    """A force from outside on the bodies of a system.

    has_energy: whether it comes from a potential, so that an energy falls as the bodies follow it.
    """

    has_energy: ClassVar[bool]

    def wrench(self, system: ContactSystem) -> Floats:
        """Return the wrenches (F, T / R) on all bodies (d,), in units of one body's weight."""
        ...

    def energy(self, system: ContactSystem) -> float:
        """Return the pseudo potential energy, in units of one body's weight times R."""
        ...

    def change(self, system: ContactSystem) -> Floats:
        """Return the derivative (d, d) of the wrench by the bodies' twists x (d,)."""
        ...

    def stiffness(self, system: ContactSystem) -> Floats:
        """Return a bound (d, d) from above on the energy's second derivative within a step."""
        ...

    def sizes(self, system: ContactSystem) -> Floats:
        """Return the size of the force on each body (m,), in units of one body's weight."""
        ...

    def seen_from(self, origin: Floats) -> Force:
        """Return the same force in a world whose origin is moved to a place (3,)."""
        ...


@dataclass(frozen=True, eq=False)
class Gravity:
    """Each body's weight (m,) at its centre of mass along a unit direction (3,); it has no torque."""

    direction: Floats
    weights: Floats
    has_energy: ClassVar[bool] = True

    @classmethod
    def along(cls, direction: Sequence[float], weights: Floats | None = None) -> Gravity:
        """Return gravity along a direction (3,) of any length; weights (m,), None for one of 1.

        Raises PlacementError for a direction of length zero.
        """
        return cls(unit_vector(direction, "gravity"), np.ones(1) if weights is None else weights)

    def wrench(self, system: ContactSystem) -> Floats:
        """Return the wrenches (d,): W_b R_b / R along the direction, and no torques."""
        out = np.zeros((len(system), 6))
        out[:, :3] = (self.weights * system.radii / system.radius)[:, None] * self.direction
        return out.ravel()

    def energy(self, system: ContactSystem) -> float:
        """Return - sum W_b D . X_b / R, X_b the centres of mass, in units of one body's weight times R."""
        return -float(self.weights @ (system.centres @ self.direction)) / system.radius

    def change(self, system: ContactSystem) -> Floats:
        """Return zeros (d, d): it is the same everywhere."""
        return np.zeros((6 * len(system), 6 * len(system)))

    stiffness = change

    def sizes(self, system: ContactSystem) -> Floats:
        """Return the weights (m,)."""
        return self.weights

    def seen_from(self, origin: Floats) -> Gravity:
        """Return the same force: it is the same everywhere."""
        return self


@dataclass(frozen=True, eq=False)
class Local:
    """A push or pull at a point of a body.

    It has no energy: while energies are checked (`Settings.check_energy`) it moves the body, but never
    against the forces that have one.

    Attributes:
        point: (3,), in the body's frame, scene units.
        direction: (3,), in the body's frame, of any length; it is kept as a unit vector.
        strength: the size of the force, in units of one body's weight.
        body: the number of the body.

    Raises:
        PlacementError: for a point that is not finite, no direction, or a strength that is not above 0.
    """

    point: Floats
    direction: Floats
    strength: float = 1.0
    body: int = 0
    has_energy: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", checked_vector(self.point, "local force: point"))
        object.__setattr__(self, "direction", unit_vector(self.direction, "local force: direction"))
        _check_strength(self.strength, "local force")

    def wrench(self, system: ContactSystem) -> Floats:
        """Return the wrench (d,) of the force Q d at the arm Q (p - c).

        Q is the body's rotation, c its centre of mass in its own frame.
        """
        out = np.zeros((len(system), 6))
        force, arm = self._force_and_arm(system)
        scale = system.radii[self.body]
        out[self.body] = np.concatenate([scale * force, cross(arm, force)]) / system.radius
        return out.ravel()

    def energy(self, system: ContactSystem) -> float:
        """Return 0: it does not come from a potential."""
        return 0.0

    def change(self, system: ContactSystem) -> Floats:
        """Return the derivative (d, d): force and arm turn with the body."""
        out = np.zeros((len(system), 6, len(system), 6))
        force, arm = self._force_and_arm(system)
        scale = system.radii[self.body]
        turning = np.concatenate([-scale * skew(force), -skew(cross(arm, force))])
        out[self.body, :, self.body, 3:] = turning / system.radius
        return out.reshape(6 * len(system), -1)

    def stiffness(self, system: ContactSystem) -> Floats:
        """Return zeros (d, d): it has no energy."""
        return np.zeros((6 * len(system), 6 * len(system)))

    def sizes(self, system: ContactSystem) -> Floats:
        """Return the strength for its body, 0 for others (m,)."""
        return _on_bodies(system, {self.body: self.strength})

    def seen_from(self, origin: Floats) -> Local:
        """Return the same force: it is defined in the body's frame."""
        return self

    def _force_and_arm(self, system: ContactSystem) -> tuple[Floats, Floats]:
        pose = system.poses[self.body]
        force: Floats = self.strength * pose.vectors(self.direction)
        return force, pose.points(self.point) - system.centres[self.body]


@dataclass(frozen=True, eq=False)
class Connection:
    """Draws a point of a body to a target, in the world or on another moving body, which is then drawn as
    strongly the other way.

    Attributes:
        point: (3,), in the body's frame, scene units.
        target: (3,), in the world, or in the frame of the other body, scene units.
        strength: the size of the force, in units of one body's weight.
        body: the number of the body.
        other: the number of the other body; None for a target in the world.

    Raises:
        PlacementError: for points that are not finite, a strength that is not above 0, or a body connected to
            itself.
    """

    point: Floats
    target: Floats
    strength: float = 1.0
    body: int = 0
    other: int | None = None
    has_energy: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", checked_vector(self.point, "connection: point"))
        object.__setattr__(self, "target", checked_vector(self.target, "connection: target"))
        _check_strength(self.strength, "connection")
        if self.other == self.body:
            raise PlacementError(f"connection: expected two bodies, found body {self.body} twice")

    def wrench(self, system: ContactSystem) -> Floats:
        """Return the wrench (d,), -dy/dx' F / R."""
        pull, _, by_pose = self._pulled(system)
        wrench: Floats = -by_pose.T @ pull / system.radius
        return wrench

    def energy(self, system: ContactSystem) -> float:
        """Return s |y| / R, rounded off at delta, in units of one body's weight times R."""
        _, offset, _ = self._pulled(system)
        length, fading = float(np.sqrt(offset @ offset)), self._fading(system)
        rounded = length - 0.5 * fading if length > fading else 0.5 * length**2 / fading
        return self.strength * rounded / system.radius

    def change(self, system: ContactSystem) -> Floats:
        """Return the derivative (d, d): the force follows y, the arms turn with the bodies."""
        pull, offset, by_pose = self._pulled(system)
        length, fading = float(np.sqrt(offset @ offset)), self._fading(system)
        by_offset = self.strength / max(length, fading) * np.eye(3)
        if length > fading:
            by_offset -= self.strength / length**3 * np.outer(offset, offset)
        result: Floats = -by_pose.T @ by_offset @ by_pose / system.radius
        return result + self._turning(system, pull)

    def stiffness(self, system: ContactSystem) -> Floats:
        """Return a bound (d, d) of the energy's second derivative.

        It is that of the spring of the same force and length, whose energy is nowhere below this one's, and
        of the arms' turning.
        """
        pull, offset, by_pose = self._pulled(system)
        length = max(float(np.sqrt(offset @ offset)), self._fading(system))
        spring: Floats = self.strength / length * by_pose.T @ by_pose / system.radius
        turning = self._turning(system, pull)
        return spring - 0.5 * (turning + turning.T)

    def _turning(self, system: ContactSystem, pull: Floats) -> Floats:
        """Return how the torques change because the arms turn (d, d)."""
        out = np.zeros((6 * len(system), 6 * len(system)))
        for body, arm, force in self._ends(system, pull):
            turns = slice(6 * body + 3, 6 * body + 6)
            out[turns, turns] += np.outer(arm, force) - (arm @ force) * np.eye(3)
        return out / system.radius

    def sizes(self, system: ContactSystem) -> Floats:
        """Return the strength for its one or two bodies, 0 for others (m,)."""
        ends = {self.body: self.strength}
        if self.other is not None:
            ends[self.other] = self.strength
        return _on_bodies(system, ends)

    def seen_from(self, origin: Floats) -> Connection:
        """Return the connection with a target of the world moved along; one of a body is in its frame."""
        return self if self.other is not None else replace(self, target=self.target - origin)

    def _fading(self, system: ContactSystem) -> float:
        return _FADING * float(system.radii[self.body])

    def _pulled(self, system: ContactSystem) -> tuple[Floats, Floats, Floats]:
        """Return F (3,) on the point, y (3,), and dy/dx (3, d)."""
        own = system.poses[self.body].points(self.point)
        other = self.target if self.other is None else system.poses[self.other].points(self.target)
        by_pose = np.zeros((3, len(system), 6))
        by_pose[:, self.body] = -_point_motion(system, self.body, own)
        if self.other is not None:
            by_pose[:, self.other] = _point_motion(system, self.other, other)
        offset = other - own
        length = max(float(np.sqrt(offset @ offset)), self._fading(system))
        return self.strength / length * offset, offset, by_pose.reshape(3, -1)

    def _ends(self, system: ContactSystem, pull: Floats) -> list[tuple[int, Floats, Floats]]:
        own = system.poses[self.body].points(self.point) - system.centres[self.body]
        ends = [(self.body, own, pull)]
        if self.other is not None:
            there = system.poses[self.other].points(self.target) - system.centres[self.other]
            ends.append((self.other, there, -pull))
        return ends


def _point_motion(system: ContactSystem, body: int, point: Floats) -> Floats:
    arm = point - system.centres[body]
    return np.concatenate([system.radii[body] * np.eye(3), -skew(arm)], axis=1)


def _on_bodies(system: ContactSystem, strengths: dict[int, float]) -> Floats:
    out = np.zeros(len(system))
    for body, strength in strengths.items():
        out[body] = strength
    return out


def checked_vector(vector: ArrayLike, name: str) -> Floats:
    """Return a vector (3,) of finite numbers; raise PlacementError, which says what it is, for others."""
    v = np.array(vector, dtype=np.float64)
    if v.shape != (3,) or not np.isfinite(v).all():
        raise PlacementError(f"{name}: expected three finite numbers, found {vector!r}")
    return v


def unit_vector(vector: ArrayLike, name: str) -> Floats:
    """Return a direction (3,) of length 1; raise PlacementError for one that has none."""
    v = checked_vector(vector, name)
    length = float(np.sqrt(v @ v))
    if not length > 0.0:
        raise PlacementError(
            f"{name}: expected a direction of three finite numbers, not all zero; found {vector!r}"
        )
    unit: Floats = v / length
    return unit


def _check_strength(strength: float, name: str) -> None:
    if not (np.isfinite(strength) and strength > 0.0):
        raise PlacementError(f"{name}: expected a strength above 0, found {strength}")
