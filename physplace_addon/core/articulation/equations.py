"""All equations of a linkage and its goals as one structure of rows (Choi and Cremer 1999, equation 6).

Joints become rows by their locked axes (`rows`): three coincident coordinates for a spherical joint, equal
axes for a pin, shifts along a turning frame for a slider.  Joints within a rigid group have none.  Stiff axes
of joints are soft rows, coordinate - reference + l / s = 0; goals are soft rows with a very small compliance,
so that what cannot be met is met in the sense of least squares (`least_motion`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from ..arrays import Bools, Floats, Ints
from ..contact.system import FIXED
from ..mechanics.joints import Joint
from ..mechanics.joints.equations import AnchorFrames, JointRows, Joints, limit_rows
from ..mechanics.joints.second_derivatives import coordinate_hessians
from ..optimization.dual_equations import DualEquations
from .configuration import Configuration
from .euler_angles import AngleRows, angle_limits
from .goals import Goal
from .groups import RigidGroups
from .rows import (
    CoincidentPoints,
    FrameShifts,
    JointAxes,
    PerpendicularAxes,
    RowBatch,
    Rows,
    joined_rows,
    merged,
)

JOINT_COMPLIANCE = 1e-9  # of rows that must hold: redundant ones then make nothing singular
GOAL_COMPLIANCE = 1e-6  # of a goal of weight 1, beside the unit cost of moving a part by the figure's size


@dataclass(frozen=True, eq=False)
class Equations:
    """The rows of a linkage and its goals.

    Attributes:
        groups: the rigid groups.
        joints: those between groups.
        numbers (j,): of these joints among the linkage's.
        batches: the rows, those of joints and constraints first, then stiff axes, then goals.
        goal_batches: the number of those of goals, the last ones.
        goals: which are to be met.
        goal_rows: the rows of each goal.
        hard (n,): rows that must hold exactly: joints and constraints.
        goal (n,): the number of the goal that a row belongs to, -1 for none.
        compliance (n,): C.
    """

    groups: RigidGroups
    joints: Joints
    numbers: Ints
    batches: tuple[RowBatch, ...]
    goal_batches: int
    goals: tuple[Goal, ...]
    goal_rows: tuple[slice, ...]
    hard: Bools
    goal: Ints
    compliance: Floats

    @classmethod
    def of(cls, groups: RigidGroups, goals: Sequence[Goal], reference: Configuration) -> Equations:
        """Return the equations; stiff axes resist changes from the reference."""
        linkage = groups.linkage
        anchored = [(i, groups.anchored(joint)) for i, joint in enumerate(linkage.joints)]
        anchored = [(i, joint) for i, joint in anchored if joint.anchors.first != joint.anchors.second]
        numbers, between = np.array([i for i, _ in anchored], np.intp), [joint for _, joint in anchored]
        joints = Joints.of(between, groups.inertia)
        firm: list[RowBatch] = list(_joint_batches(groups, between, joints))
        batches = [constraint.batch(groups) for constraint in linkage.constraints]
        firm += [batch for batch in batches if len(batch.body)]
        stiff = _stiff_axes(groups, joints, numbers, reference)
        before = sum(len(batch.body) for batch in firm)
        compliance = np.full(before, JOINT_COMPLIANCE)
        if stiff is not None:
            firm.append(stiff[0])
            compliance = np.concatenate([compliance, stiff[1]])
        hard = np.arange(len(compliance)) < before
        nothing = np.full(len(compliance), -1, np.intp)
        bare = cls(groups, joints, numbers, tuple(firm), 0, (), (), hard, nothing, compliance)
        return bare.with_goals(goals)

    def __len__(self) -> int:
        return len(self.hard)

    @cached_property
    def soft(self) -> Bools:
        """The rows (n,) that resist: those of stiff axes."""
        return ~self.hard & (self.goal < 0)

    @cached_property
    def body(self) -> Ints:
        """The groups (n, 2) of the rows, FIXED for the world."""
        bodies = [batch.body for batch in self.batches]
        return np.concatenate([np.zeros((0, 2), np.intp), *bodies])

    @cached_property
    def dual(self) -> DualEquations:
        """The structure of the normal equations, found once."""
        return DualEquations(self.body, len(self.groups))

    def with_goals(self, goals: Sequence[Goal]) -> Equations:
        """Return the equations with other goals; where these have rows of the same groups, the structure
        stays.
        """
        of_goals = [goal.batches(self.groups) for goal in goals]
        firm = len(self.batches) - self.goal_batches
        batches = (*self.batches[:firm], *(batch for some in of_goals for batch in some))
        found = replace(self, batches=batches, goals=tuple(goals), goal_batches=len(batches) - firm)
        if self.has_goals_like(found):
            kept = ("dual", "places", "body", "bend_exactly", "bending_both", "soft", "angles", "_limited")
            found.__dict__.update({name: getattr(self, name) for name in kept})
            return found
        first = int(np.count_nonzero(self.goal < 0))
        counts = [sum(len(batch.body) for batch in some) for some in of_goals]
        starts = first + np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
        weights = np.array([each.weight for each in goals])
        return replace(
            found,
            goal_rows=tuple(slice(int(a), int(b)) for a, b in pairwise(starts)),
            hard=np.concatenate([self.hard[:first], np.zeros(sum(counts), bool)]),
            goal=np.concatenate([self.goal[:first], np.repeat(np.arange(len(goals)), counts)]),
            compliance=np.concatenate(
                [self.compliance[:first], np.repeat(GOAL_COMPLIANCE / weights, counts)]
            ),
        )

    def rows(self, configuration: Configuration) -> Rows:
        """Return all rows at a configuration."""
        if not self.batches:
            return Rows.straight(np.zeros(0), np.zeros((0, 2, 6)))
        return joined_rows(self._merged, configuration)

    @cached_property
    def _merged(self) -> list[RowBatch]:
        return merged(self.batches)

    @cached_property
    def places(self) -> Ints:
        """The places (18 n,) of the entries of d a' of both groups of all rows, among the sums of all groups.

        The world's sums are the last.
        """
        group = np.where(self.body == FIXED, len(self.groups), self.body)
        places: Ints = (9 * group.reshape(-1, 1) + np.arange(9)).ravel()
        return places

    @cached_property
    def bend_exactly(self) -> Bools:
        """Which groups (k,) have only rows whose bend is known."""
        exactly = np.concatenate([np.zeros(0, bool), *[batch.bends_exactly for batch in self.batches]])
        found = np.ones(len(self.groups) + 1, bool)  # the last one is the world
        found[self.body[~exactly]] = False
        return found[:-1]

    @cached_property
    def bending_both(self) -> Ints:
        """The rows (k,) whose second derivatives by both of their groups `hessians` gives."""
        both = [np.full(len(batch.body), batch.bends_both) for batch in self.batches]
        return np.flatnonzero(np.concatenate([np.zeros(0, bool), *both]))

    def hessians(self, configuration: Configuration) -> Floats:
        """Return the second derivatives (k, 12, 12) of the rows `bending_both`."""
        found = [batch.hessians(configuration) for batch in self.batches if batch.bends_both]
        return np.concatenate([np.zeros((0, 12, 12)), *found])

    def frames(self, configuration: Configuration) -> AnchorFrames:
        """Return where the joints' anchor frames are."""
        return AnchorFrames.at(self.joints, self.groups.inertia, configuration.centre, configuration.turn)

    def coordinates(self, configuration: Configuration, near: Floats | None = None) -> Floats:
        """Return the joints' coordinates (j, 6): shifts over L, and turns."""
        return self.frames(configuration).coordinates(near)

    @cached_property
    def angles(self) -> AngleRows | None:
        """The limits of Euler angles; None without any."""
        return angle_limits(self.groups.linkage.constraints, self.groups)

    @cached_property
    def _limited(self) -> tuple[Ints, Joints]:
        """Which of the joints have limits, and these alone."""
        has = np.isfinite(self.joints.lower) | np.isfinite(self.joints.upper)
        numbers = np.flatnonzero(has.any(axis=1))
        return numbers, self.joints.take(numbers)

    @property
    def has_limits(self) -> bool:
        """Whether a joint has a limit."""
        return self.angles is not None or bool(len(self._limited[0]))

    def _limited_frames(self, configuration: Configuration) -> AnchorFrames:
        """Return where the anchor frames of joints with limits are."""
        limited, inertia = self._limited[1], self.groups.inertia
        return AnchorFrames.at(limited, inertia, configuration.centre, configuration.turn)

    def limits(self, configuration: Configuration, near: Floats | None = None) -> JointRows:
        """Return the gaps of the joints' limits, then those of Euler angles.

        near (j, 6): coordinates of the joints from which whole turns are counted.
        """
        numbers = self._limited[0]
        known = None if near is None else near[numbers]
        mine = limit_rows(self._limited_frames(configuration), known)
        mine = replace(mine, joint=numbers[mine.joint])
        if self.angles is None:
            return mine
        rows = self.angles.rows(configuration)
        number = np.full(len(rows.value), -1, np.intp)
        return JointRows.join([mine, JointRows(rows.blocks, self.angles.body, rows.value, number, number)])

    def limit_hessians(self, configuration: Configuration, numbers: Ints) -> Floats:
        """Return the second derivatives (k, 12, 12) of some gaps of limits by their two groups' twists."""
        ends = self._limited[1].lower, self._limited[1].upper
        below, above = (int(np.isfinite(end).sum()) for end in ends)
        mine, found = numbers[numbers < below + above], np.zeros((0, 12, 12))
        if len(mine):
            frames = self._limited_frames(configuration)
            sign = np.where(mine >= below, -1.0, 1.0)
            found = coordinate_hessians(frames, limit_rows(frames).take(mine), sign)
        if self.angles is None or len(mine) == len(numbers):
            return found
        others = self.angles.hessians(configuration, numbers[numbers >= below + above] - (below + above))
        return np.concatenate([found, others])

    def goals_moved_since(self, before: Equations, at: Configuration) -> float:
        """Return how far goals have moved from the like ones of other equations, over L or in radians.

        at: where the groups are.
        """
        pairs = zip(self.goals, before.goals, strict=True)
        return max((goal.led_from(other, self.groups, at) for goal, other in pairs), default=0.0)

    def has_goals_like(self, before: Equations) -> bool:
        """Return whether the goals are those of other equations, apart from where they lead."""
        return [goal.kind for goal in before.goals] == [goal.kind for goal in self.goals]

    def joint_error(self, values: Floats) -> float:
        """Return the largest error of a joint's or constraint's row, of values (n,) of all rows."""
        return float(np.abs(values[self.hard]).max(initial=0.0))

    def unmet(self, values: Floats) -> float:
        """Return the largest error of a goal's row, over L or in radians, of values (n,) of all rows."""
        return float(np.abs(values[self.goal >= 0]).max(initial=0.0))

    def goal_errors(self, values: Floats) -> Floats:
        """Return how far each goal (g,) is from being met, lengths or radians, for the values (n,) of all
        rows.
        """
        sizes = [float(np.linalg.norm(values[mine])) for mine in self.goal_rows]
        units = [1.0 if each.is_turn else self.groups.length for each in self.goals]
        errors: Floats = np.array(sizes) * np.array(units)
        return errors


def explicit_kkt(equations: Equations, configuration: Configuration) -> sparse.csr_array:
    """Return the KKT matrix [M, -J'; -J, 0] of equation 6 in full coordinates, unit rows and all; M is 1.

    Seven coordinates a group, then a multiplier for each unit row, then one for each other row.
    """
    k, rows = len(equations.groups), equations.rows(configuration)
    to_turn = 2.0 * _rates_of_euler_parameters(configuration.turn)
    row, column, entry = [], [], []
    for slot in (0, 1):
        group = equations.body[:, slot]
        moves = np.flatnonzero(group != FIXED)
        turn = np.einsum("ni,nij->nj", rows.blocks[moves, slot, 3:], to_turn[group[moves]])
        block = np.concatenate([rows.blocks[moves, slot, :3], turn], axis=1)
        row.append(np.repeat(k + moves, 7))
        column.append((7 * group[moves][:, None] + np.arange(7)).ravel())
        entry.append(block.ravel())
    row.append(np.repeat(np.arange(k), 4))
    column.append((7 * np.arange(k)[:, None] + 3 + np.arange(4)).ravel())
    entry.append(2.0 * configuration.turn.ravel())
    shape = (k + len(equations), 7 * k)
    jacobian = sparse.csr_array((np.concatenate(entry), (np.concatenate(row), np.concatenate(column))), shape)
    jacobian.eliminate_zeros()
    below = sparse.csr_array((shape[0], shape[0]))
    whole: list[list[Any]] = [[sparse.eye_array(7 * k), -jacobian.T], [-jacobian, below]]
    return sparse.csr_array(sparse.block_array(whole))


def _rates_of_euler_parameters(turn: Floats) -> Floats:
    """Return G (k, 3, 4) of Euler parameters e (k, 4), for which dTheta = 2 G de."""
    w, x, y, z = turn.T
    rows = [[-x, w, -z, y], [-y, z, w, -x], [-z, -y, x, w]]
    return np.array(rows).transpose(2, 0, 1)


def _joint_batches(groups: RigidGroups, between: Sequence[Joint], joints: Joints) -> Iterator[RowBatch]:
    """Return the rows of locked axes."""
    length = groups.length
    every: Bools = np.asarray(joints.locked[:, :3].all(axis=1), np.bool_)
    local = np.array(
        [[joint.anchors.frame1.translation, joint.anchors.frame2.translation] for joint in between]
    )
    local = local.reshape(-1, 2, 3)
    if every.any():
        yield CoincidentPoints(joints.body[every], local[every], length)
    one, axis = np.nonzero(joints.locked[:, :3] & ~every[:, None])
    if len(one):
        axes = np.array([between[i].anchors.frame1.matrix[:, k] for i, k in zip(one, axis, strict=True)])
        yield FrameShifts(joints.body[one], local[one], axes, length)
    equal = [(number, *each) for number, joint in enumerate(between) for each in _equal_axes(joint)]
    if equal:
        number, first, second = np.array(equal, np.intp).T
        frame1 = np.array([between[i].anchors.frame1.matrix for i in number])
        frame2 = np.array([between[i].anchors.frame2.matrix for i in number])
        each = np.arange(len(number))
        u, v, partner = frame1[each, :, first], frame2[each, :, second], frame1[each, :, second]
        yield PerpendicularAxes(joints.body[number], u, v, partner)
    lone, turn = np.nonzero(joints.locked[:, 3:] & (joints.locked[:, 3:].sum(axis=1) == 1)[:, None])
    if len(lone):
        nothing = np.full(len(lone), np.nan)
        yield JointAxes(joints, groups.inertia, lone, 3 + turn, nothing, np.zeros((len(joints), 6)))


def _equal_axes(joint: Joint) -> list[tuple[int, int]]:
    """Return the axes of the first frame and of the second that are at right angles, where two turns or all
    three are locked.
    """
    locked = [k for k in range(3) if joint.axes[3 + k].locked]
    if len(locked) == 3:
        return [(0, 2), (1, 2), (1, 0)]
    if len(locked) == 2:
        free = 3 - sum(locked)
        return [(locked[0], free), (locked[1], free)]
    return []


def _stiff_axes(
    groups: RigidGroups, joints: Joints, numbers: Ints, reference: Configuration
) -> tuple[JointAxes, Floats] | None:
    """Return the rows of stiff axes, and their compliance."""
    stiffness = groups.linkage.stiffness[numbers] if len(numbers) else np.zeros((0, 6))
    joint, axis = np.nonzero(stiffness)
    if not len(joint):
        return None
    frames = AnchorFrames.at(joints, groups.inertia, reference.centre, reference.turn)
    near = frames.coordinates()
    rows = JointAxes(joints, groups.inertia, joint, axis, near[joint, axis], near)
    return rows, 1.0 / stiffness[joint, axis]
