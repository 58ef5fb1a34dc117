"""What a simulation is given: bodies and how they begin, what they stand among, laws and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..arrays import Bools, Floats
from ..bodies import Body
from ..contact.system import FIXED, ContactSystem, InterfacePoints
from ..errors import PhysPlaceError
from ..mechanics.inertia import Inertia
from ..mechanics.joints import Joint
from ..mechanics.joints.equations import Joints
from ..mechanics.origin import near_the_origin
from ..rigid import Pose
from ..vectors import dot
from .contacts import SurfaceLaws
from .driving.pulls import PullForce
from .driving.tracks import Track
from .joints.constraints import JointConstraints
from .joints.forces import spring_energy
from .motion import BodyDamping, Motion, anchor_frames

_MOST_TURN = 100.0  # radians in a time step: faster ones would take more than a hundred times as many steps
HOLD = 1e-5  # gap that bodies in contact keep, over the largest radius of those that move
_SLOW = 1.5  # speed of an approach, over what gravity gives in a step, below which nothing bounces
_WEIGHTLESS = 1e-6  # the same over R / h, where there is no gravity
_SLANTED = 1e-3  # sine of the angle by which faces that touch may be slanted to each other by their gaps


class SimulationError(PhysPlaceError):
    """A simulation cannot begin."""


def _check_masses(bodies: Sequence[Body]) -> None:
    """Raise SimulationError for a body whose mass or inertia is not a finite number above 0."""
    for body in bodies:
        mass = body.mass.mass
        if not (np.isfinite(mass) and mass > 0.0):
            remedy = "expected a finite number above 0; let it stand still if nothing is to move it"
            raise SimulationError(f'"{body.name}": its mass is {mass:g}, {remedy}')
        inertia = body.mass.inertia
        if not (np.isfinite(inertia).all() and np.linalg.eigvalsh(inertia)[0] > 0.0):
            raise SimulationError(f'"{body.name}": its inertia must be positive about every axis')


def _check_laws(bodies: Sequence[Body], laws: SurfaceLaws) -> None:
    """Raise SimulationError for a body whose coefficient is negative or not finite."""
    for word, values in (("friction", laws.friction), ("restitution", laws.restitution)):
        for body, value in zip(bodies, values.tolist(), strict=True):
            if not 0.0 <= value < np.inf:
                raise SimulationError(
                    f'"{body.name}": its {word} is {value:g}, expected a finite number of 0 or more'
                )


def through_each_other(joints: Joints) -> frozenset[tuple[int, int]]:
    """Return the pairs of bodies that joints let go through each other."""
    pairs = np.sort(joints.body[~joints.collide], axis=1)
    return frozenset((first, second) for first, second in pairs.tolist() if first != FIXED)


@dataclass(frozen=True, eq=False)
class Scene:
    """Bodies that move among fixed ones.

    template: the bodies, at poses that mean nothing.
    inertia: theirs.
    laws: friction and restitution.
    gravity (3,): acceleration, lengths over s^2.
    given (m,): bodies whose motion is given, which nothing stops.
    tracks: the motions that are given, by the numbers of their bodies; without one a body stands still.
    joints: between the bodies, and of bodies with the world.
    origin (3,): in the scene, of the coordinates in which all of these and motions are given.
    step: the longest step in time, s.
    damping: of the bodies' velocities.
    pulled (m, 6): by what a pull changes rates, 1/s^2.
    """

    template: ContactSystem
    inertia: Inertia
    laws: SurfaceLaws
    gravity: Floats
    given: Bools
    tracks: Mapping[int, Track]
    joints: Joints
    origin: Floats
    step: float
    damping: BodyDamping
    pulled: Floats
    kicks: Floats = field(init=False)

    def __post_init__(self) -> None:
        kicks = self.pulled.copy()
        kicks[:, :3] += self.gravity / self.inertia.radius[:, None]
        kicks[self.given] = 0.0
        object.__setattr__(self, "kicks", kicks)

    @classmethod
    def of(
        cls,
        bodies: Sequence[Body],
        poses: Sequence[Pose],
        world: Sequence[Body],
        laws: SurfaceLaws,
        gravity: Floats,
        tracks: Mapping[int, Track] | None = None,
        joints: Sequence[Joint] = (),
        step: float = 1.0 / 240.0,
        damping: Floats | None = None,
    ) -> Scene:
        """Return the scene of moving bodies at poses among fixed ones.

        Args:
            bodies: those that move.
            poses: of their own frames, one each.
            world: those that stand still, in the scene.
            laws: friction and restitution of all of them.
            gravity: acceleration (3,), lengths over s^2.
            tracks: the motions that are given, by the numbers of their bodies.
            joints: between the bodies, and of bodies with the world.
            step: the longest step in time, s.
            damping: shares (m, 2), 0 to 1, of their velocities and angular velocities that bodies lose in a
                second; none unless it is given.

        Raises:
            SimulationError: no bodies, a pose or a coefficient too few; a mass, a coefficient, gravity or a
                step that has no meaning: it names the body; or a damping that is no share.
            JointError: a joint that has no meaning.
        """
        count, tracks = len(bodies), dict(tracks or {})
        if count == 0 or count != len(poses):
            raise SimulationError(f"expected a pose for each body, found {count} and {len(poses)}")
        if len(laws.friction) != count + len(world) or len(laws.restitution) != count + len(world):
            raise SimulationError(f"expected {count + len(world)} coefficients of friction and restitution")
        if not (np.isfinite(step) and step > 0.0):
            raise SimulationError(f"the time step must be positive, it is {step}")
        shares = np.zeros((count, 2)) if damping is None else damping
        if shares.shape != (count, 2) or not ((shares >= 0.0) & (shares <= 1.0)).all():
            raise SimulationError(f"expected damping from 0 to 1 of {count} bodies, found {shares.tolist()}")
        _check_masses(bodies)
        _check_laws([*bodies, *world], laws)
        if np.shape(gravity) != (3,) or not np.isfinite(gravity).all():
            raise SimulationError(f"gravity must be three finite numbers, it is {gravity}")
        for joint in joints:
            joint.check(count)
        given = np.isin(np.arange(count), list(tracks))
        inertia = Inertia.of(bodies)
        origin, near, parts = near_the_origin(bodies, poses, world)
        own = Joints.of([joint.seen_from(origin) for joint in joints], inertia)
        through = frozenset((first, second) for first in tracks for second in (*tracks, FIXED))
        template = replace(
            ContactSystem.of(bodies, near, parts),
            never_meeting=through | through_each_other(own),
            cone_tolerance=_SLANTED,
            jointly=True,
        )
        return cls(
            template,
            inertia,
            laws,
            gravity,
            given,
            {number: track.seen_from(origin) for number, track in tracks.items()},
            own,
            origin,
            step,
            BodyDamping.of(shares, step),
            np.zeros((count, 6)),
        )

    def motion(self, poses: Sequence[Pose], velocity: Floats, spin: Floats) -> Motion:
        """Return the motion of the bodies at poses in the scene.

        Args:
            poses: one each.
            velocity: of their centres of mass (m, 3), lengths a second.
            spin: their angular velocities (m, 3), radians a second.

        Raises:
            SimulationError: velocities that are not finite, or turn a body too far in a step: it names the
                body.
        """
        self._check_speeds(velocity, spin)
        found = Motion.of(self.inertia, poses, velocity, spin)
        return replace(found, centre=found.centre - self.origin)

    def poses(self, motion: Motion) -> tuple[Pose, ...]:
        """Return the poses of the bodies' own frames in the scene."""
        own = motion.poses(self.inertia)
        return tuple(Pose(pose.rotation, pose.translation + self.origin) for pose in own)

    def _check_speeds(self, velocity: Floats, spin: Floats) -> None:
        """Raise SimulationError for velocities and angular velocities (m, 3) that no step can follow."""
        for number, body in enumerate(self.template.bodies):
            name = body.body.name
            for word, found in (("velocity", velocity[number]), ("angular velocity", spin[number])):
                if not np.isfinite(found).all():
                    raise SimulationError(f'"{name}": its {word} must be finite, it is {found}')
            turn = float(np.sqrt(spin[number] @ spin[number])) * self.step
            if turn > _MOST_TURN:
                raise SimulationError(
                    f'"{name}": it turns by {turn:.3g} radians in a time step, expected at most '
                    f"{_MOST_TURN:g}; slow it down, or take more steps a second"
                )

    def __len__(self) -> int:
        return len(self.inertia)

    @property
    def hold(self) -> float:
        """D, the gap that bodies in contact keep, a length."""
        return HOLD * float(self.inertia.radius.max())

    @property
    def slow(self) -> float:
        """The speed, lengths a second, of an approach that ends without a bounce.

        So a ball that bounces comes to rest after finitely many impacts: its hops become shorter than three
        steps, and then there are no more.
        """
        weight = float(np.sqrt(self.gravity @ self.gravity)) * self.step
        return max(_SLOW * weight, _WEIGHTLESS * float(self.inertia.radius.min()) / self.step)

    def slow_at(self, points: InterfacePoints) -> Floats:
        """Return the same speed (k,) for points: higher by what a pull gives their bodies in a step."""
        parts = self.pulled.reshape(-1, 2, 3)
        most = np.append(
            self.inertia.radius * np.sqrt(dot(parts, parts)).sum(axis=1), 0.0
        )  # at last the world
        by_pull: Floats = _SLOW * self.step * (most[points.body1] + most[points.body2])
        return self.slow + by_pull

    def holding(self, asleep: Bools) -> Scene:
        """Return the scene with bodies (m,) that do not move, and pairs of them that are not searched."""
        if not asleep.any():
            return self
        given = self.given | asleep
        awake = tuple(np.flatnonzero(~asleep).tolist())
        return replace(self, given=given, template=replace(self.template, moving=awake))

    def with_joints(self, joints: Joints, through: frozenset[tuple[int, int]]) -> Scene:
        """Return the scene with some of its joints alone: pairs that others let through each other meet
        again, but for those in `through`.
        """
        free = through_each_other(self.joints) - through_each_other(joints) - through
        template = replace(self.template, never_meeting=self.template.never_meeting - free)
        return replace(self, joints=joints, template=template)

    def joint_constraints(self, motion: Motion, coordinates: Floats) -> JointConstraints:
        """Return the rows of the joints at a motion, with coordinates (n, 6) to count turns from."""
        if len(self.joints) == 0:
            return self._without_joints
        return JointConstraints.at(self.joints, self.inertia, motion, coordinates)

    @cached_property
    def _without_joints(self) -> JointConstraints:
        """No rows, which are the same wherever bodies are."""
        anywhere = Motion(*(np.zeros((len(self), width)) for width in (3, 4, 6)))
        return JointConstraints.at(self.joints, self.inertia, anywhere, np.zeros((0, 6)))

    def pulled_by(self, force: PullForce | None) -> Scene:
        """Return the scene with a pull over the next step."""
        if force is None:
            return self
        pulled = np.zeros_like(self.pulled)
        pulled[force.pull.body] = force.kick
        return replace(self, pulled=pulled)

    def moving_without(self, bodies: Bools) -> Scene:
        """Return the scene with some more bodies (m,) whose motion is given."""
        return replace(self, given=self.given | bodies) if bodies.any() else self

    def kicked(self, rates: Floats, accelerations: Floats, h: float) -> Floats:
        """Return rates (m, 6) after accelerations (m, 6), 1/s^2, and damping in h seconds without motion."""
        changed = self.damping.kept(h) * rates + self.damping.times(h) * accelerations
        found: Floats = np.where(self.given[:, None], rates, changed)
        return found

    def blocks(self, motion: Motion, h: float = 0.0) -> Floats:
        """Return the mass matrices (m, 6, 6), by the rates of twists, that impulses meet.

        Damping takes its part of what a force F gives in h seconds: h F = blocks (u - u^), with the rates u^
        that there are without it.  An impulse at one time, h = 0, meets the masses alone.
        """
        resistance = h / self.damping.times(h) if h > 0.0 else np.ones((len(self), 6))
        blocks: Floats = resistance[:, :, None] * self.inertia.blocks(motion.rotation)
        return blocks

    def system(self, motion: Motion) -> ContactSystem:
        """Return the contact system of the bodies where they are."""
        return self.template.at(motion.poses(self.inertia))

    @property
    def last_given_time(self) -> float:
        """The time, s, after which no given motion goes on."""
        return max((track.still_from for track in self.tracks.values()), default=0.0)

    def given_rates(self, time: float, motion: Motion, h: float) -> Floats:
        """Return rates (m, 6): those of bodies on tracks lead in h seconds to where they then are."""
        rates, still = motion.rates.copy(), np.zeros((1, 3))
        for number, track in self.tracks.items():
            own = self.inertia.take(np.array([number]))
            then = Motion.of(own, [track.pose(time + h)], still, still)
            rates[number] = motion.take(np.array([number])).twists_to(own, then)[0] / h
        return rates

    def energy(self, motion: Motion, coordinates: Floats) -> float:
        """Return the kinetic energy and that of gravity, of the bodies whose motion is not given, and that of
        the springs of joints with coordinates (n, 6).
        """
        free = np.flatnonzero(~self.given)
        inertia, mine = self.inertia.take(free), motion.take(free)
        own = mine.kinetic_energy(inertia) - float((inertia.mass * (mine.centre @ self.gravity)).sum())
        if len(self.joints) == 0:
            return own
        return own + spring_energy(anchor_frames(self.joints, self.inertia, motion), coordinates)
