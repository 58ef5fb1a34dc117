"""Linkages: parts joined by joints (Choi and Cremer 1999, section 4.1).

A linkage is a value: the parts, which are bodies in their own frames, the joints (`mechanics.joints`), and
    other
constraints between parts.  Any topology will do: chains, trees, closed loops, several figures at once.

Parts that welds or locked joints connect are one rigid group: it has one centre of mass and one orientation,
    and
the joints within it have no equations.  What is welded to the world does not move.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Floats, Ints
from ..bodies import Body
from ..contact.system import FIXED
from ..errors import JointError
from ..mechanics.joints import LOCKED, Joint
from ..rigid import Pose, rotation_vector
from .constraints import Constraint


@dataclass(frozen=True, eq=False)
class Linkage:
    """m parts and what joins them.

    Attributes:
        parts: the bodies (m), each in its own frame.
        names: of the parts, for messages.
        joints: between parts, by number, or a part and the world.
        constraints: what else is to hold between parts.
        weights: how reluctant each part (m,) is to move, 1 for one like the others.
        stiffness: resistance (n, 6) of the joints' free axes to a change from the reference pose: 1 resists a
            unit shift or turn as one part does.
        locked: the numbers of joints that keep their present coordinates.
        ghosts: the numbers of parts that nothing touches, such as a bone without a mesh.
    """

    parts: tuple[Body, ...]
    names: tuple[str, ...]
    joints: tuple[Joint, ...]
    constraints: tuple[Constraint, ...]
    weights: Floats
    stiffness: Floats
    locked: frozenset[int]
    ghosts: frozenset[int] = frozenset()

    @classmethod
    def of(
        cls,
        parts: Sequence[Body],
        joints: Sequence[Joint],
        *,
        names: Sequence[str] | None = None,
        constraints: Sequence[Constraint] = (),
        weights: Sequence[float] | None = None,
        stiffness: Mapping[int, Sequence[float]] | None = None,
        locked: Collection[int] = (),
        ghosts: Collection[int] = (),
    ) -> Linkage:
        """Return a linkage of parts and joints that have a meaning.

        Raises:
            JointError: a joint, a constraint, a weight or a stiffness has none.
        """
        m = len(parts)
        named = tuple(names) if names is not None else tuple(f"part {i}" for i in range(m))
        if m == 0 or len(named) != m:
            raise JointError("linkage", f"it has {m} parts and {len(named)} names", "give each part a name")
        for joint in joints:
            joint.check(m)
        for constraint in constraints:
            constraint.check(m)
        weight = np.ones(m) if weights is None else np.array(weights, np.float64)
        if weight.shape != (m,) or not np.isfinite(weight).all() or (weight <= 0.0).any():
            raise JointError("linkage", f"its weights are {weight}", f"give {m} positive numbers")
        stiff = _stiffness(joints, stiffness or {})
        for number in locked:
            if not 0 <= number < len(joints):
                raise JointError(
                    "linkage", f"joint {number} is locked, there are {len(joints)}", "name one of them"
                )
        return cls(
            tuple(parts),
            named,
            tuple(joints),
            tuple(constraints),
            weight,
            stiff,
            frozenset(locked),
            frozenset(ghosts),
        )

    def __len__(self) -> int:
        return len(self.parts)

    def with_locked(self, joints: Collection[int]) -> Linkage:
        """Return the linkage with other joints locked."""
        return replace(self, locked=frozenset(joints))

    def size(self, poses: Sequence[Pose]) -> float:
        """Return the figure's size at poses (m): the longest side of a box around all parts, a length."""
        centre = np.array(
            [pose.points(part.mass.center) for part, pose in zip(self.parts, poses, strict=True)]
        )
        radius = np.array([[part.radius] for part in self.parts])
        return float(((centre + radius).max(axis=0) - (centre - radius).min(axis=0)).max())

    def welds(self) -> Ints:
        """Return the numbers of the joints that make one rigid group of the parts that they join."""
        rigid = [
            i for i, each in enumerate(self.joints) if i in self.locked or all(a == LOCKED for a in each.axes)
        ]
        return np.array(rigid, np.intp)

    def joint_gaps(self, poses: Sequence[Pose], tolerance: float = 1e-6) -> list[tuple[str, float, float]]:
        """Return the names of the joints that are open at poses (m), how far (a length), and by what turn
        (radians).

        tolerance: over the figure's size, and in radians, up to which a joint is closed.
        """
        length = self.size(poses)
        found = []
        for joint in self.joints:
            gap, turn = _opening(joint, poses)
            if gap > tolerance * length or turn > tolerance:
                found.append((joint.anchors.name, gap, turn))
        return found


def _opening(joint: Joint, poses: Sequence[Pose]) -> tuple[float, float]:
    """Return how far the locked axes of a joint are open: a length, and an angle."""
    anchors = joint.anchors
    ends = ((anchors.first, anchors.frame1), (anchors.second, anchors.frame2))
    first, second = (frame if number == FIXED else poses[number].compose(frame) for number, frame in ends)
    apart = first.inverse().compose(second)
    shift = [x for x, axis in zip(apart.translation, joint.axes[:3], strict=True) if axis.locked]
    locked = [axis.locked for axis in joint.axes[3:]]
    vector = rotation_vector(apart.rotation)
    if sum(locked) == 2:  # about one axis any turn is free: what is left is how far that axis leans
        along = apart.matrix[locked.index(False), locked.index(False)]
        turn = float(np.arccos(np.clip(along, -1.0, 1.0)))
        turn = 0.0 if turn < 1e-7 else turn  # rounding of arccos near 1
    elif sum(locked) == 1:
        turn = float(abs(2.0 * np.arcsin(np.clip(apart.rotation[1 + locked.index(True)], -1.0, 1.0))))
    else:
        turn = float(np.linalg.norm(vector)) if all(locked) else 0.0
    return float(np.linalg.norm(shift)) if shift else 0.0, turn


def _stiffness(joints: Sequence[Joint], given: Mapping[int, Sequence[float]]) -> Floats:
    stiffness = np.zeros((len(joints), 6))
    for number, values in given.items():
        if not 0 <= number < len(joints):
            raise JointError(
                "linkage", f"joint {number} has a stiffness, there are {len(joints)}", "name one of them"
            )
        row = np.array(values, np.float64)
        if row.shape != (6,) or not np.isfinite(row).all() or (row < 0.0).any():
            name = joints[number].anchors.name
            raise JointError(name, f"its stiffness is {values}", "give six numbers that are at least zero")
        stiffness[number] = np.where([axis.locked for axis in joints[number].axes], 0.0, row)
    return stiffness
