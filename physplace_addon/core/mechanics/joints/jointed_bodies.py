"""Jointed bodies: coordinates of all motions that keep joints closed, of trees and loops alike.

Joints are equations Phi(x) = 0 of the bodies' twists x.  A tree of joints has coordinates that hold
everywhere, a loop has none.  But every closed position has coordinates that hold around it (Rheinboldt's
tangent space parametrization): with J = dPhi/dx there and an orthonormal basis Z of the motions that J leaves
free, J Z = 0, the position of q is

    x(q) = Z q + n,    n orthogonal to Z, least such that Phi(x(q)) = 0,

which Newton's method finds, with steps of least norm.  As a solver begins anew from every state, it needs no
more.  Compared with equations beside the free bodies' programme (multipliers as unknowns, 6 m columns), all
that there is for coordinates serves as it is: programmes have as few unknowns as the figure has freedoms, no
row is redundant where a loop repeats equations, and second derivatives are those of the motions that are
really free, as a test of stability needs them.  What it costs is one decomposition of J for each position.

To second order, with J+ the pseudo-inverse of J,

    T = Z,    J C = -Z' Phi'' Z,    sum_a g_a C_a = -sum_r mu_r Z' Phi''_r Z,    mu = (J+)' g.

For g the wrench on the bodies, -mu are the reactions of the joints.

Limits of joints are inequalities g(q) >= 0; `displaced` closes those that are violated like equations.  An
axis that a motor of speed 0 brakes is held against a generalized force up to the motor's greatest one; with
an infinite one it is locked where it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...contact.system import FIXED, ContactSystem, InterfacePoints
from ...errors import JointError
from ...rigid import Pose
from ..coordinates import ROUNDING, Brakes, CoordinateLimits, Coordinates, twist_lengths
from ..inertia import Inertia
from .closure import Positions, closed_positions, least_motion, rounding
from .equations import (
    AnchorFrames,
    JointRows,
    Joints,
    coordinate_rows,
    equation_rows,
    limit_rows,
)
from .kinds import Joint
from .second_derivatives import coordinate_hessians
from .tangent_space import TangentSpace
from .turn_ranges import NoRanges, TurnRanges

_NEAR = 0.25  # gap to a limit, radians or lengths over the largest radius, that no usual step goes
_FAR = 1.0  # change of a coordinate after which whole turns are counted from there
_OPEN = 1e-3  # gap over the largest radius, or turn, of a joint that does not meet
_ROUNDS = 30  # Newton steps of a closure; three are usual
_HALVINGS = 6  # of a motion at the end of which joints do not close


@dataclass(frozen=True, eq=False)
class JointedBodies(Coordinates):
    """Bodies that joints connect; those without a joint move freely.

    joints: between the bodies.
    inertia: of the bodies.
    held (n, 6): axes that are equations besides the locked ones, at the coordinates `near`.
    near (n, 6): coordinates from which whole turns are counted.
    energy: the energy, in the joints' unit, of one weight times R, in which generalized forces are given.
    ranges: of turns, besides the joints.
    slack (r,): what their limits are violated by at the start, which is allowed.
    kept (r,): the limits of these that are equations.
    """

    joints: Joints
    inertia: Inertia
    held: Bools
    near: Floats
    energy: float = 1.0
    ranges: TurnRanges = field(default_factory=NoRanges)
    slack: Floats = field(default_factory=lambda: np.zeros(0))
    kept: Bools = field(default_factory=lambda: np.zeros(0, bool))
    _spaces: WeakKeyDictionary[ContactSystem, TangentSpace] = field(
        default_factory=WeakKeyDictionary, init=False, repr=False
    )

    @classmethod
    def of(
        cls,
        joints: Sequence[Joint],
        system: ContactSystem,
        energy: float = 1.0,
        ranges: TurnRanges | None = None,
    ) -> JointedBodies:
        """Return the coordinates of a system's bodies.

        Args:
            joints: between them, in the frame of the system.
            system: the bodies, with the joints nearly closed.
            energy: of one weight times R, in the unit of the joints' forces times lengths.
            ranges: of turns, besides the joints.

        A joint that begins beyond a limit may stay there, but go no farther.

        Raises:
            JointError: a joint has no meaning, a motor that drives it, or is open.
        """
        for joint in joints:
            for axis in joint.axes:
                if axis.motor is not None and axis.motor.speed != 0.0:
                    found = f"a motor drives it at a speed of {axis.motor.speed:g}"
                    raise JointError(
                        joint.anchors.name, found, "give it the speed 0: then it brakes the joint"
                    )
        inertia = Inertia.of([body.body for body in system.bodies])
        arrays = Joints.of(joints, inertia)
        frames = _positions(system).frames(arrays, inertia)
        _check_meeting(frames)
        now = frames.coordinates() * arrays.units
        arrays = replace(arrays, lower=np.minimum(arrays.lower, now), upper=np.maximum(arrays.upper, now))
        held = ~np.isnan(arrays.speed) & np.isposinf(arrays.greatest)
        chosen = NoRanges() if ranges is None else ranges
        slack = np.minimum(chosen.limits(_positions(system)).value, 0.0)
        kept = np.zeros(len(slack), bool)
        return cls(arrays, inertia, held, frames.coordinates(), energy, chosen, slack, kept)

    def size(self, system: ContactSystem) -> int:
        """Return d, the number of free motions where the bodies are."""
        return int(self._space(system).basis.shape[1])

    def displaced(self, system: ContactSystem, x: Floats) -> ContactSystem:
        """Return the system after a change x (d,), with the joints closed and no limit violated.

        A motion at whose end the joints do not close is made in halves; where it leads nowhere, it ends.
        Linkages that rounding alone would move stay where they are.
        """
        return self._displaced(system, self._space(system).basis @ x, _HALVINGS)

    def _displaced(self, system: ContactSystem, twists: Floats, halvings: int) -> ContactSystem:
        moves = self._moves(twists)
        if not moves.any():
            return system
        start = _positions(system)
        there = start.displaced(self.inertia.radius, np.where(moves[:, None], twists.reshape(-1, 6), 0.0))
        closed = self._closed(there, moves)
        if closed is not None:
            return self._at(system, closed, moves)
        if halvings == 0:
            return system
        half = self._displaced(system, 0.5 * twists, halvings - 1)
        basis = self._space(half).basis
        return self._displaced(half, basis @ (basis.T @ (0.5 * twists)), halvings - 1)

    def closed(self, system: ContactSystem) -> ContactSystem:
        """Return the system moved by as little as closes the joints.

        Raises:
            JointError: they cannot all be closed; it names the one that is open most.
        """
        metric = np.tile(np.eye(6), (len(system), 1, 1))
        found = closed_positions(self.joints, self.inertia, _positions(system), lambda _: metric)
        return replace(self._at(system, found, np.ones(len(system), bool)), moving=system.moving)

    def _closed(self, positions: Positions, moves: Bools) -> Positions | None:
        """Return positions with the joints of bodies that move (m,) closed and no limit violated; None where
        Newton's method does not lead there.
        """
        enough, unit = rounding(self.joints, positions), np.tile(np.eye(6), (len(moves), 1, 1))
        before = np.inf
        for _ in range(_ROUNDS):
            rows = self._open_rows(positions, moves)
            worst = float(np.abs(rows.value).max(initial=0.0))
            if worst <= enough or (worst <= 10.0 * enough and worst >= before):
                return positions
            before = worst
            positions = positions.displaced(self.inertia.radius, least_motion(rows, unit))
        return None

    def _open_rows(self, positions: Positions, moves: Bools) -> JointRows:
        frames = positions.frames(self.joints, self.inertia)
        limits, _ = self._limits(frames, 0.0)
        ranges, _ = self._ranges(positions, 0.0)
        every = JointRows.join([self._equations(positions, frames), limits, ranges])
        mine = np.append(moves, False)[every.body]
        return every.take(mine[:, 0] | mine[:, 1])

    def _equations(self, positions: Positions, frames: AnchorFrames) -> JointRows:
        """Return the equations of locked axes, then of those that are held, then of ranges of turns."""
        held = coordinate_rows(frames, self.held, self.near)
        held = held.with_value(held.value - self.near[held.joint, held.axis])
        rows = [equation_rows(frames), held, self.ranges.equations(positions)]
        limits = self._gaps(positions).take(self.kept)
        return JointRows.join([*rows, limits])

    def _gaps(self, positions: Positions) -> JointRows:
        """Return all limits of turns."""
        limits = self.ranges.limits(positions)
        return limits.with_value(limits.value - self.slack)

    def _ranges(self, positions: Positions, most: float) -> tuple[JointRows, Ints]:
        """Return the limits of turns with gaps below `most`, and their numbers."""
        limits = self._gaps(positions)
        chosen: Ints = np.flatnonzero((limits.value < most) & ~self.kept)
        return limits.take(chosen), chosen

    def _moves(self, twists: Floats) -> Bools:
        """Return which bodies (m,) are of linkages that twists (6 m,) move by more than rounding."""
        number = self.linkages
        farthest = np.zeros(len(number))
        np.maximum.at(farthest, number, twist_lengths(twists))
        moves: Bools = farthest[number] > ROUNDING
        return moves

    def _at(self, system: ContactSystem, positions: Positions, moves: Bools) -> ContactSystem:
        poses = list(system.poses)
        for body in np.flatnonzero(moves).tolist():
            turned = Pose(positions.rotation[body], np.zeros(3))
            origin = positions.centre[body] - turned.points(self.inertia.centre[body])
            poses[body] = Pose(positions.rotation[body], origin)
        moved = set(np.flatnonzero(moves).tolist()).union(system.moving or ())
        return replace(system.at(poses), moving=tuple(sorted(moved)))

    def twists(self, system: ContactSystem) -> Floats:
        """Return T = Z (6 m, d)."""
        return self._space(system).basis

    def curvature(self, system: ContactSystem, gradients: Floats) -> Floats:
        """Return sum_a g_a C_a (k, d, d) for gradients (k, 6 m): how paths bend that keep joints closed."""
        space = self._space(system)
        multipliers = gradients @ space.inverse
        return -np.tensordot(multipliers, space.bending, axes=1).astype(np.float64)

    def hessians(self, system: ContactSystem, points: InterfacePoints) -> Floats:
        """Return the second derivatives H_q (k, d, d) of the points' gap / R by the coordinates."""
        blocks = system.hessian_blocks(points).reshape(-1, 12, 12)
        own = self._space(system).projected(blocks, np.stack([points.body1, points.body2], axis=1))
        bending = self.curvature(system, system.gradients(points))
        return own + bending

    def reactions(self, system: ContactSystem, wrench: Floats) -> tuple[JointRows, Floats]:
        """Return the equations of the joints and the multipliers (k,) that balance a wrench (6 m,) as far as
        joints can.
        """
        space = self._space(system)
        return space.rows, -(wrench @ space.inverse)

    def of_motion(self, system: ContactSystem, motion: Floats) -> Floats:
        """Return Z' x for twists x (6 m,) or (n, 6 m)."""
        found: Floats = motion @ self._space(system).basis
        return found

    def on_bodies(self, system: ContactSystem, force: Floats) -> Floats:
        """Return the wrench Z f (6 m,) of a generalized force f (d,)."""
        found: Floats = self._space(system).basis @ force
        return found

    def limits(self, system: ContactSystem) -> CoordinateLimits:
        """Return the limits of joints that are near."""
        space = self._space(system)
        rows, sign = self._limits(space.frames, _NEAR)
        ranges, chosen = self._ranges(_positions(system), _NEAR)
        blocks = coordinate_hessians(space.frames, rows, sign)
        if len(chosen):
            blocks = np.concatenate([blocks, self.ranges.hessians(_positions(system))[1][chosen]])
            rows = JointRows.join([rows, ranges])
        dense = rows.dense(len(system))
        own = space.projected(blocks, rows.body)
        return CoordinateLimits(rows.value, dense @ space.basis, own + self.curvature(system, dense))

    def limit_rows(self, system: ContactSystem) -> tuple[Floats, Floats]:
        """Return the gaps (n,) and gradients (n, d) of the limits that are near."""
        rows = self._near_limits(system)
        return rows.value, rows.dense(len(system)) @ self._space(system).basis

    def _near_limits(self, system: ContactSystem) -> JointRows:
        """Return the limits of joints, and then of turns, that are near."""
        joints, _ = self._limits(self.frames(system), _NEAR)
        return JointRows.join([joints, self._ranges(_positions(system), _NEAR)[0]])

    def _limits(self, frames: AnchorFrames, most: float) -> tuple[JointRows, Floats]:
        """Return the limits with gaps below `most`, and 1 or -1 (k,): the sign of the coordinate in them."""
        rows = limit_rows(frames, self.near)
        sign = np.where(np.arange(len(rows)) < np.isfinite(self.joints.lower).sum(), 1.0, -1.0)
        chosen: Bools = (rows.value < most) & ~self.held[rows.joint, rows.axis]
        return rows.take(chosen), sign[chosen]

    def brakes(self, system: ContactSystem) -> Brakes:
        """Return the axes that friction holds, but for those that are held anyway."""
        space = self._space(system)
        rows = self._brakes(space.frames)
        greatest = (self.joints.greatest * self.joints.units)[rows.joint, rows.axis] / self.energy
        return Brakes(rows.dense(len(system)) @ space.basis, greatest)

    def limit_and_brake_rows(self, system: ContactSystem) -> tuple[JointRows, JointRows]:
        """Return the rows, by the twists, of `limits` and of `brakes`."""
        return self._near_limits(system), self._brakes(self.frames(system))

    def _brakes(self, frames: AnchorFrames) -> JointRows:
        braked = ~np.isnan(self.joints.speed) & (self.joints.greatest > 0.0) & ~self.held
        return coordinate_rows(frames, braked, self.near)

    def holding(self, system: ContactSystem, limits: Ints, brakes: Ints) -> JointedBodies:
        """Return the coordinates of the motions that keep some limits and brakes, by number, as they are."""
        if len(limits) + len(brakes) == 0:
            return self
        frames = self._space(system).frames
        held, near = self.held.copy(), np.where(self.held, self.near, frames.coordinates(self.near))
        own = self._limits(frames, _NEAR)[0]
        for rows in (own.take(limits[limits < len(own)]), self._brakes(frames).take(brakes)):
            held[rows.joint, rows.axis] = True
        kept = self.kept.copy()
        kept[self._ranges(_positions(system), _NEAR)[1][limits[limits >= len(own)] - len(own)]] = True
        return replace(self, held=held, near=near, kept=kept)

    def counted_from(self, system: ContactSystem) -> JointedBodies:
        """Return the coordinates with whole turns counted from where the bodies are now, if that is far."""
        now = np.where(self.held, self.near, self.frames(system).coordinates(self.near))
        return replace(self, near=now) if np.abs(now - self.near).max(initial=0.0) > _FAR else self

    def _bent(self, positions: Positions) -> Floats:
        """Return the second derivatives of the equations of turns, and of limits that are kept."""
        equations, limits = self.ranges.hessians(positions)
        return np.concatenate([equations, limits[self.kept]])

    def frames(self, system: ContactSystem) -> AnchorFrames:
        """Return where the anchor frames of the joints are."""
        return self._space(system).frames

    def falling_together(self, system: ContactSystem) -> Ints:
        """Return the linkage (m,) of each body, -1 for one that is joined to the world."""
        number = self.linkages.copy()
        to_world = self.joints.body.max(axis=1)[(self.joints.body == FIXED).any(axis=1)]
        number[np.isin(number, number[to_world])] = -1
        return number

    @cached_property
    def linkages(self) -> Ints:
        """The number of the linkage (m,) that each body is a part of."""
        return self.joints.linkages(len(self.inertia))

    def blocks_of_bodies(self, system: ContactSystem, bodies: Ints) -> Ints:
        """Return the linkages that some bodies, by number, are parts of, each once."""
        return np.unique(self.linkages[bodies])

    def of_blocks(self, values: Floats) -> Floats:
        """Return for each linkage (b,) the greatest of its bodies' values (m,)."""
        greatest = np.full(int(self.linkages.max()) + 1, -np.inf)
        np.maximum.at(greatest, self.linkages, values)
        return greatest

    def blocks(self, system: ContactSystem) -> Ints:
        """Return the linkage (d,) that each coordinate belongs to."""
        return self._space(system).block

    def lengths(self, system: ContactSystem, x: Floats) -> Floats:
        """Return the largest shift, over the radius of the linkage's largest body, plus turn of a body by x
        (d,), for each linkage (b,): a finger may go with its arm.
        """
        twists = (self._space(system).basis @ x).reshape(-1, 6)
        shifts = twists[:, :3] * (self.inertia.radius / self.largest)[:, None]
        return self.of_blocks(twist_lengths(np.concatenate([shifts, twists[:, 3:]], axis=1)))

    @cached_property
    def largest(self) -> Floats:
        """The radius (m,) of the largest body of each body's linkage, a length."""
        return self.of_blocks(self.inertia.radius)[self.linkages]

    def _space(self, system: ContactSystem) -> TangentSpace:
        """Return the free motions of a system; they are kept as long as the system is."""
        found = self._spaces.get(system)
        if found is None:
            positions = _positions(system)
            frames = positions.frames(self.joints, self.inertia)
            rows = self._equations(positions, frames)
            counts = int(self.joints.locked.sum()), int(self.held.sum())
            found = TangentSpace.of(frames, rows, counts, self.linkages, lambda: self._bent(positions))
            self._spaces[system] = found
        return found


def _check_meeting(frames: AnchorFrames) -> None:
    """Raise a JointError for a joint whose locked axes are open by more than rounding explains."""
    joints, error = frames.joints, np.abs(frames.residuals())
    error[~joints.locked] = 0.0
    if error.max(initial=0.0) <= _OPEN:
        return
    joint, axis = np.unravel_index(int(error.argmax()), error.shape)
    size = float(error[joint, axis])
    found = f"a gap of {size * joints.length:.3g}" if axis < 3 else f"an angle of {np.degrees(size):.3g} deg"
    raise JointError(
        joints.name(int(joint)), f"its bodies do not meet, {found} is open", "move them together"
    )


def _positions(system: ContactSystem) -> Positions:
    return Positions(system.centres, np.array([pose.rotation for pose in system.poses]))
