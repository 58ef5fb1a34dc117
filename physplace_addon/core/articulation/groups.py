"""The rigid groups of a linkage, and the metric of least motion.

Metric.  A motion from (r0, e0) costs E = 1/2 sum w_g (|r - r0|^2 + 4 k_g^2 |e - e0|^2) / L^2 (equation 1 with
weights), k_g^2 = R_g^2 / 3 the mean square distance of a rod's points, so that shifts and turns cost what
they move points. With (c, v) = e e0*, c >= 0,

    |e - e0|^2 = 2 - 2 c,    dE = w_g ((r - r0) / L . dX / L + 2 k_g^2 / L^2 v . dTheta),

its second derivatives are w_g by shifts and w_g k_g^2 / L^2 c by turns, since 2 dv = c dTheta + dTheta x v,
and the unit rows e'e = 1 have the multiplier that makes the gradient by e tangential.  Their normals e are
orthogonal to all others' 2 J_Theta G, so that they do not take part in the normal equations (`explicit_kkt`
has them).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from ..arrays import Floats, Ints
from ..contact.system import FIXED
from ..errors import JointError
from ..mechanics.inertia import Inertia
from ..mechanics.joints import Joint
from ..quaternions import products
from ..rigid import Pose, poses_of, quaternion_conjugate
from .configuration import Configuration, twists_between
from .linkage import Linkage

_LEAST_COSINE = 0.1  # of half a turn, from the reference: at half of a whole turn E has no curvature
_LEAST_LEVER = 1e-3  # of k_g over L: a bead's turn costs no less, so that rows stay comparable


@dataclass(frozen=True, eq=False)
class RigidGroups:
    """The rigid groups of a linkage at poses.

    Attributes:
        linkage: the linkage.
        length: L, the figure's size.
        part_group (m,): the group of each part, FIXED for what is welded to the world.
        offsets (m): the frames of the parts in their groups' frames; in the scene for FIXED ones.
        mass (k,), radius (k,): of the groups; radius is that of a ball about the centre of mass.
        weight (k,): w_g.
        lever (k,): k_g / L.
    """

    linkage: Linkage
    length: float
    part_group: Ints
    offsets: tuple[Pose, ...]
    mass: Floats
    radius: Floats
    weight: Floats
    lever: Floats

    @classmethod
    def of(cls, linkage: Linkage, poses: Sequence[Pose]) -> tuple[RigidGroups, Configuration]:
        """Return the groups of a linkage at poses (m), and their configuration.

        Raises JointError for one of which nothing can move.
        """
        length = linkage.size(poses)
        numbers, placed = _welded(linkage, poses)
        count = int(numbers.max(initial=-1)) + 1
        if count == 0:
            first = linkage.joints[int(linkage.welds()[0])].anchors.name
            found = "it and others weld all parts to the world, so that none can move"
            raise JointError(first, found, "let it turn or shift")
        masses = np.array([part.mass.mass for part in linkage.parts])
        centres = np.array(
            [pose.points(part.mass.center) for part, pose in zip(linkage.parts, placed, strict=True)]
        )
        mass, centre, radius, weight = np.zeros(count), np.zeros((count, 3)), np.zeros(count), np.zeros(count)
        frames = []
        for group in range(count):
            mine = np.flatnonzero(numbers == group)
            mass[group], weight[group] = masses[mine].sum(), linkage.weights[mine].sum()
            centre[group] = masses[mine] @ centres[mine] / mass[group]
            reach = np.linalg.norm(centres[mine] - centre[group], axis=1)
            radius[group] = max(
                r + linkage.parts[i].radius for r, i in zip(reach, mine.tolist(), strict=True)
            )
            frames.append(Pose(placed[mine[0]].rotation, centre[group]))
        offsets = tuple(
            pose if group == FIXED else frames[group].inverse().compose(pose)
            for group, pose in zip(numbers.tolist(), placed, strict=True)
        )
        lever = np.maximum(radius / (np.sqrt(3.0) * length), _LEAST_LEVER)
        turn = np.array([frame.rotation for frame in frames]).reshape(-1, 4)
        groups = cls(linkage, length, numbers, offsets, mass, radius, weight, lever)
        return groups, Configuration(centre, turn)

    def __len__(self) -> int:
        return len(self.mass)

    @cached_property
    def inertia(self) -> Inertia:
        """What joints and their rows need of the groups: lengths are in units of L."""
        k = len(self)
        unit = np.tile(np.eye(3), (k, 1, 1))
        return Inertia(self.mass, np.full(k, self.length), np.zeros((k, 3)), unit, np.ones((k, 3)))

    @cached_property
    def reach(self) -> Floats:
        """The farthest (k,), over L, that a point of a group or an anchor of a joint is from its centre."""
        far = self.radius.copy()
        for joint in self.linkage.joints:
            anchors = self.anchored(joint).anchors
            for group, frame in ((anchors.first, anchors.frame1), (anchors.second, anchors.frame2)):
                if group != FIXED:
                    far[group] = max(far[group], float(np.linalg.norm(frame.translation)))
        over: Floats = far / self.length
        return over

    def reach_of(self, x: Floats) -> float:
        """Return the farthest, over L, that a point of a group moves by twists x (k, 6), to first order."""
        parts = np.sqrt(np.einsum("kij,kij->ki", x.reshape(-1, 2, 3), x.reshape(-1, 2, 3)))
        return float((parts[:, 0] + self.reach * parts[:, 1]).max(initial=0.0))

    def moved_by(self, first: Configuration, second: Configuration) -> float:
        """Return the farthest, over L, that a point of a group is moved between two configurations."""
        return self.reach_of(twists_between(first, second, self.length))

    @cached_property
    def metric(self) -> Floats:
        """M (k, 6), the diagonal by which twists cost at the reference."""
        return np.repeat(np.stack([self.weight, self.weight * self.lever**2], axis=1), 3, axis=1)

    def gradient(self, reference: Configuration, configuration: Configuration) -> Floats:
        """Return dE (k, 6) by twists at a configuration, for motions from a reference."""
        between = products(configuration.turn, quaternion_conjugate(reference.turn))
        turned = np.where(between[:, :1] < 0.0, -between[:, 1:], between[:, 1:])
        shifted = (configuration.centre - reference.centre) / self.length
        gradient: Floats = self.metric * np.concatenate([shifted, 2.0 * turned], axis=1)
        return gradient

    def curvature(self, reference: Configuration, configuration: Configuration) -> Floats:
        """Return the diagonal (k, 6) of the second derivatives of E by twists at a configuration, for motions
        from a reference, but no turn's below `_LEAST_COSINE` of what it is there.
        """
        cosine = np.abs(np.einsum("ki,ki->k", configuration.turn, reference.turn))
        curvature = self.metric.copy()
        curvature[:, 3:] *= np.maximum(cosine, _LEAST_COSINE)[:, None]
        return curvature

    def cost(self, reference: Configuration, configuration: Configuration) -> float:
        """Return E of a motion from a reference."""
        shift = (configuration.centre - reference.centre) / self.length
        alike = np.abs(np.einsum("ki,ki->k", configuration.turn, reference.turn))
        turns = 8.0 * self.lever**2 * (1.0 - alike)
        return 0.5 * float(self.weight @ ((shift**2).sum(axis=1) + turns))

    def anchored(self, joint: Joint) -> Joint:
        """Return a joint of parts as one of their groups."""
        anchors = joint.anchors
        first, frame1 = self.frame(anchors.first, anchors.frame1)
        second, frame2 = self.frame(anchors.second, anchors.frame2)
        renumbered = type(anchors)(anchors.name, first, second, frame1, frame2)
        return type(joint)(renumbered, joint.axes, joint.collide)

    def frame(self, part: int, frame: Pose) -> tuple[int, Pose]:
        """Return the group of a part, or FIXED, and a frame in that group's frame that is given in the
        part's.
        """
        if part == FIXED:
            return FIXED, frame
        return int(self.part_group[part]), self.offsets[part].compose(frame)

    def point(self, part: int, point: Floats) -> tuple[int, Floats]:
        """Return the group of a part, or FIXED, and a point (3,) of the part in that group's frame."""
        if part == FIXED:
            return FIXED, np.asarray(point, np.float64)
        return int(self.part_group[part]), self.offsets[part].points(np.asarray(point, np.float64))

    def poses(self, configuration: Configuration) -> tuple[Pose, ...]:
        """Return where the parts (m) are; those of a configuration are made once."""
        found = self._placed.get(configuration)
        if found is None:
            found = self._placed[configuration] = self._made_poses(configuration)
        return found

    @cached_property
    def _placed(self) -> WeakKeyDictionary[Configuration, tuple[Pose, ...]]:
        return WeakKeyDictionary()

    def _made_poses(self, configuration: Configuration) -> tuple[Pose, ...]:
        centre, matrix = configuration.frames
        turn = configuration.turns[self.part_group]
        turned, shifted = self._offset_arrays
        rotation = products(turn, turned)
        places = centre[self.part_group] + (matrix[self.part_group] @ shifted[:, :, None])[:, :, 0]
        made = poses_of(rotation, places)
        return tuple(
            offset if group == FIXED else pose
            for group, offset, pose in zip(self.part_group.tolist(), self.offsets, made, strict=True)
        )

    def centres(self, configuration: Configuration) -> Floats:
        """Return the parts' centres of mass (m, 3)."""
        centre, matrix = configuration.frames
        found: Floats = centre[self.part_group] + (matrix[self.part_group] @ self._own_centres)[:, :, 0]
        return found

    @cached_property
    def _own_centres(self) -> Floats:
        """The parts' centres of mass (m, 3, 1) in the frames of their groups."""
        parts = zip(self.offsets, self.linkage.parts, strict=True)
        return np.array([offset.points(part.mass.center) for offset, part in parts]).reshape(-1, 3, 1)

    @cached_property
    def _offset_arrays(self) -> tuple[Floats, Floats]:
        """The rotations (m, 4) and translations (m, 3) of the offsets."""
        rotation = np.array([each.rotation for each in self.offsets]).reshape(-1, 4)
        return rotation, np.array([each.translation for each in self.offsets]).reshape(-1, 3)

    def configuration(self, poses: Sequence[Pose]) -> Configuration:
        """Return the configuration at poses (m) of the parts, of which the first of each group counts."""
        firsts = [int(np.flatnonzero(self.part_group == group)[0]) for group in range(len(self))]
        frames = [poses[part].compose(self.offsets[part].inverse()) for part in firsts]
        turn = np.array([frame.rotation for frame in frames]).reshape(-1, 4)
        return Configuration(np.array([frame.translation for frame in frames]).reshape(-1, 3), turn)


def _welded(linkage: Linkage, poses: Sequence[Pose]) -> tuple[Ints, list[Pose]]:
    """Return the group (m,) of each part, FIXED for what is welded to the world, and the poses of all parts
    with
    their welds closed: those of fixed joints by their anchors, those of locked ones as the poses have them.
    """
    m = len(linkage)
    links: dict[int, list[tuple[int, Pose]]] = {number: [] for number in range(m + 1)}
    joined = []
    for number in linkage.welds().tolist():
        anchors = linkage.joints[number].anchors
        first, second = anchors.first % (m + 1), anchors.second % (m + 1)  # FIXED = -1 is the last
        if number in linkage.locked:
            here, there = ((*poses, Pose.identity())[end] for end in (first, second))
            relative = here.inverse().compose(there)
        else:
            relative = anchors.frame1.compose(anchors.frame2.inverse())
        links[first].append((second, relative))
        links[second].append((first, relative.inverse()))
        joined.append((first, second))
    ends = np.array(joined, np.intp).reshape(-1, 2)
    graph = sparse.coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), (m + 1, m + 1))
    label = connected_components(graph, directed=False)[1]
    placed: dict[int, Pose] = {}
    for root in [m, *range(m)]:
        if root in placed:
            continue
        placed[root] = Pose.identity() if root == m else poses[root]
        waiting = [root]
        while waiting:
            here_number = waiting.pop()
            for other, relative in links[here_number]:
                if other not in placed:
                    placed[other] = placed[here_number].compose(relative)
                    waiting.append(other)
    moving = label[:m] != label[m]
    numbers = np.full(m, FIXED, np.intp)
    numbers[moving] = np.unique(label[:m][moving], return_inverse=True)[1].ravel()
    return numbers, [placed[i] for i in range(m)]
