"""Where rigid bodies are and how they move: the state that dynamics changes.

Positions are those of the centres of mass.  Velocities are given, as everywhere in contact and mechanics, as
rates of twists u = (V / R_b, omega): the velocity of the centre of mass over the body's own radius, and the
angular velocity, both in the scene's axes and per second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import ArrayRecord, Floats
from ..mechanics.inertia import Inertia
from ..mechanics.joints.closure import Positions
from ..mechanics.joints.equations import AnchorFrames, Joints
from ..rigid import (
    Pose,
    poses_of,
    quaternion_conjugate,
    quaternion_matrix,
    quaternion_product,
    rotation_vector,
)

_VANISHED = 36.0  # times in a step by which a velocity falls by e, so that rounding is left of it


@dataclass(frozen=True, eq=False)
class BodyDamping(ArrayRecord):
    """Velocities of m bodies that fall off by themselves: u' = a - L u under an acceleration a.

    So do Blender's rigid bodies, which multiply velocities by (1 - d)^h in a time h: L = -log(1 - d).
    Over a time h in which a stays as it is,

        u(h) = exp(-L h) u + T a,    T = (1 - exp(-L h)) / L.

    rates (m, 6): the diagonal of L, 1/s, by the rates of twists.
    """

    rates: Floats

    @classmethod
    def of(cls, shares: Floats, step: float) -> BodyDamping:
        """Return the damping of bodies that lose shares d (m, 2), 0 to 1, of their velocities and of their
        angular velocities in a second.

        A share of 1 is all of it in a step, s.
        """
        with np.errstate(divide="ignore"):
            rates = np.minimum(-np.log1p(-shares), _VANISHED / step)
        return cls(np.repeat(rates, 3, axis=1))

    @classmethod
    def none(cls, count: int) -> BodyDamping:
        """Return no damping of so many bodies."""
        return cls(np.zeros((count, 6)))

    def kept(self, h: float) -> Floats:
        """Return exp(-L h) (m, 6), the part of a velocity that is left after h seconds."""
        kept: Floats = np.exp(-h * self.rates)
        return kept

    def times(self, h: float) -> Floats:
        """Return T (m, 6), s: the time in which an acceleration does without damping what it does in h."""
        decay = h * self.rates
        times: Floats = h * np.where(decay > 0.0, -np.expm1(-decay) / np.where(decay > 0.0, decay, 1.0), 1.0)
        return times


@dataclass(frozen=True, eq=False)
class Motion(ArrayRecord):
    """The motion of m bodies at one time.

    centre (m, 3): centres of mass in the scene, lengths.
    rotation (m, 4): unit quaternions that turn the bodies' own frames into the scene.
    rates (m, 6): u = (V / R_b, omega), 1/s.
    """

    centre: Floats
    rotation: Floats
    rates: Floats

    def __len__(self) -> int:
        return len(self.centre)

    @classmethod
    def of(cls, inertia: Inertia, poses: Sequence[Pose], velocity: Floats, spin: Floats) -> Motion:
        """Return the motion of bodies at poses.

        Args:
            inertia: of the bodies.
            poses: one each.
            velocity: of their centres of mass (m, 3), lengths a second.
            spin: their angular velocities (m, 3), radians a second, in the scene's axes.
        """
        centre = [pose.points(own) for pose, own in zip(poses, inertia.centre, strict=True)]
        rates = np.concatenate([velocity / inertia.radius[:, None], spin], axis=1)
        return cls(np.array(centre), np.array([pose.rotation for pose in poses]), rates)

    def poses(self, inertia: Inertia) -> tuple[Pose, ...]:
        """Return the poses of the bodies' own frames."""
        arms = (quaternion_matrix(self.rotation) @ inertia.centre[:, :, None])[:, :, 0]
        origins = self.centre - arms
        return poses_of(self.rotation, origins)

    def velocity(self, inertia: Inertia) -> Floats:
        """Return the velocities (m, 3) of the centres of mass, lengths a second."""
        velocity: Floats = inertia.radius[:, None] * self.rates[:, :3]
        return velocity

    @property
    def spin(self) -> Floats:
        """The angular velocities (m, 3), radians a second."""
        return self.rates[:, 3:]

    def displaced(self, inertia: Inertia, twists: Floats) -> Motion:
        """Return the bodies moved by twists (m, 6) = (dX / R_b, dTheta); their rates stay as they are."""
        there = Positions(self.centre, self.rotation).displaced(inertia.radius, twists)
        return Motion(there.centre, there.rotation, self.rates)

    def twists_to(self, inertia: Inertia, other: Motion) -> Floats:
        """Return the twists (m, 6), (dX / R_b, dTheta), by which bodies shift and turn evenly to another
        place.
        """
        turn = rotation_vector(quaternion_product(other.rotation, quaternion_conjugate(self.rotation)))
        return np.concatenate([(other.centre - self.centre) / inertia.radius[:, None], turn], axis=1)

    def kinetic_energies(self, inertia: Inertia) -> Floats:
        """Return the bodies' kinetic energies (m,), mass times length^2 over s^2."""
        momenta = (inertia.blocks(self.rotation) @ self.rates[:, :, None])[:, :, 0]
        energies: Floats = 0.5 * (momenta * self.rates).sum(axis=1)
        return energies

    def kinetic_energy(self, inertia: Inertia) -> float:
        """Return the kinetic energy of all bodies."""
        return float(self.kinetic_energies(inertia).sum())

    def angular_momentum(self, inertia: Inertia) -> Floats:
        """Return the angular momenta (m, 3) about the bodies' own centres of mass."""
        momenta: Floats = (inertia.tensors(self.rotation) @ self.spin[:, :, None])[:, :, 0]
        return momenta


def anchor_frames(joints: Joints, inertia: Inertia, motion: Motion) -> AnchorFrames:
    """Return where the anchor frames of joints are in a motion."""
    return AnchorFrames.at(joints, inertia, motion.centre, motion.rotation)
