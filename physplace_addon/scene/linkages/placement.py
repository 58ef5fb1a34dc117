# SPDX-License-Identifier: GPL-3.0-or-later
"""A linkage that was read, as placement takes it: bodies with masses, joints that are free, stiff or locked.

How stiff a joint is, from 0 for free to 1 for locked, is said by

    the property `physplace_stiffness` of a bone, or of the object that has a constraint;
    else, for each axis, the bone's stiffness for inverse kinematics;
    else by the operator, but for axes that have a spring of their own.

Below 1 a joint holds its pose by a torque of at most k / (1 - k) times the figure's weight times the radius
of a ball around it; a shift, by that many weights.  Springs of Generic Spring constraints act as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from bpy.types import Context, Object, PoseBone

from ...core.articulation import AngleRanges, EulerAngles
from ...core.bodies import Body
from ...core.contact.system import FIXED, NumberedPair
from ...core.jobs import Job, Progress
from ...core.mechanics.joints import Axis, Joint, Motor
from ...core.placement import Settings
from ...core.placement.checking import overlapping
from ...core.placement.problem import STANDARD_GRAVITY, Setup
from ...core.rigid import Pose
from ...core.wording import in_words
from ..access import custom_properties, present, scene_of
from ..dynamics.rigid_bodies import weighed
from ..errors import SceneError
from ..reading.settings import settings_of
from .known_poses import rest_around
from .linkages import FoundLinkage, Part, ReadJoint
from .reading import LinkageScenario

STIFFNESS: Final = "physplace_stiffness"
_GHOST: Final = 1e-3  # mass of a bone without a mesh, over the least of the others


@dataclass(frozen=True, eq=False)
class PlacedFigure:
    """A figure that comes to rest.

    setup: for placement.  notes: what was found and left out, a phrase each.
    """

    setup: Setup
    notes: tuple[str, ...]


def preparing(
    context: Context,
    scenario: LinkageScenario,
    poses: Sequence[Pose],
    settings: Settings,
    stiffness: float,
) -> Job[PlacedFigure]:
    """Return, in slices, a linkage with its parts at poses in the world, for placement.

    Parts that overlap in the rest pose, or where they are, may go through each other: they are named.

    stiffness: 0 to 1, of joints that have none of their own.

    Raises:
        PhysPlaceError: a property or a mass that has no meaning: it names the object.
    """
    found = scenario.found
    bodies = _weighed_bodies(found)
    gravity = _acceleration(context)
    strength = _strength(bodies, scenario, gravity)
    joints = [_resting(read, found, stiffness, strength) for read in found.joints]
    joined = {_pair(each.anchors.first, each.anchors.second) for each in joints if not each.collide}
    apart = {pair for pair in joined if pair[1] != FIXED} | _ghost_pairs(found.parts)
    through = list[str]()
    for some, when in ((rest_around(found), " at rest"), (poses, "")):
        overlaps = yield from overlapping(bodies, some, (), settings.start_tolerance, apart)
        apart |= {_pair(*overlap.bodies) for overlap in overlaps}
        through += [f"{in_words(each.names)} overlap{when}, and go through each other" for each in overlaps]
    yield Progress("Preparing the joints")
    ranges = AngleRanges.of(_ranges(found.joints))
    setup = Setup.of(
        bodies,
        poses,
        scenario.world.bodies,
        settings,
        (),
        (),
        joints,
        gravity,
        ranges,
        apart,
    )
    left_out = [note for note in scenario.left_out if note not in found.springs]
    return PlacedFigure(setup, (*through, *(f"left out of account: {each}" for each in left_out)))


def _weighed_bodies(found: FoundLinkage) -> list[Body]:
    """Return the bodies of the parts, each with its mass; one without a surface weighs next to nothing."""
    bodies = [_weighed(part) for part in found.parts]
    solid = [body.mass.mass for body, part in zip(bodies, found.parts, strict=True) if part.is_solid]
    if not solid:
        raise SceneError(found.objects[0].name, "nothing of it has faces", "give its bones meshes")
    least = _GHOST * min(solid)
    return [
        body if part.is_solid else replace(body, mass=body.mass.weighing(least))
        for body, part in zip(bodies, found.parts, strict=True)
    ]


def _weighed(part: Part) -> Body:
    """Return the body of a part; of an object with the mass that its rigid body has."""
    if part.bone is not None or not part.is_solid:
        return part.body
    return weighed(part.body, part.objects[0].reference.object)


def _acceleration(context: Context) -> float:
    """Return the size of the acceleration of gravity, lengths over s^2."""
    scene = scene_of(context)
    if not settings_of(scene).use_scene_gravity:
        return STANDARD_GRAVITY
    return float(np.linalg.norm(np.array(scene.gravity, dtype=np.float64)))


def _strength(bodies: Sequence[Body], scenario: LinkageScenario, gravity: float) -> tuple[float, float]:
    """Return the force and the torque that joints of stiffness 1/2 hold with."""
    weight = gravity * sum(body.mass.mass for body in bodies)
    return weight, weight * scenario.around.balls[0].radius


def _resting(read: ReadJoint, found: FoundLinkage, stiffness: float, strength: tuple[float, float]) -> Joint:
    """Return a joint with its springs and with what holds its axes.

    strength: the force and the torque of a stiffness of 1/2.
    """
    joint = read.driven or read.joint
    own = _own_stiffness(read, found)
    axes = []
    for number, axis in enumerate(joint.axes):
        share = own if own is not None else _share(read.stiffness[number])
        if own is None and share == 0.0 and axis.spring is None:
            share = stiffness
        axes.append(_held(axis, share, strength[number // 3]))
    return replace(joint, axes=(axes[0], axes[1], axes[2], axes[3], axes[4], axes[5]))


def _share(stiffness: float) -> float:
    """Return k of s = k / (1 - k)."""
    return stiffness / (1.0 + stiffness)


def _held(axis: Axis, stiffness: float, strength: float) -> Axis:
    if axis.locked or stiffness == 0.0:
        return replace(axis, motor=None)
    greatest = np.inf if stiffness >= 1.0 else stiffness / (1.0 - stiffness) * strength
    return replace(axis, motor=Motor(0.0, greatest))


def _own_stiffness(read: ReadJoint, found: FoundLinkage) -> float | None:
    """Return the stiffness that a property gives a joint; None without one. Raises SceneError."""
    owner = _owner(read, found)
    if owner is None:
        return None
    value = custom_properties(owner).get(STIFFNESS)
    if value is None:
        return None
    if isinstance(value, (int, float)) and 0.0 <= value <= 1.0:
        return float(value)
    raise SceneError(
        owner.name,
        f'its property "{STIFFNESS}" is {value!r}',
        "set it to a number from 0 for free to 1 for locked",
    )


def _owner(read: ReadJoint, found: FoundLinkage) -> Object | PoseBone | None:
    """Return the object or bone that has a joint."""
    if read.holder is not None:
        return read.holder.object
    second = read.joint.anchors.second
    place = None if second == FIXED else found.parts[second].bone
    if place is None:
        return None
    return present(place.armature.object.pose).bones[place.bone]


def _ghost_pairs(parts: Sequence[Part]) -> set[NumberedPair]:
    """Return all pairs with a part that has no surface."""
    count, pairs = len(parts), set[NumberedPair]()
    for number, part in enumerate(parts):
        if not part.is_solid:
            pairs.add((number, FIXED))
            pairs |= {_pair(number, other) for other in range(count) if other != number}
    return pairs


def _pair(first: int, second: int) -> NumberedPair:
    """Return two numbers with the lesser first, and FIXED last."""
    if FIXED in (first, second):
        return max(first, second), FIXED
    return min(first, second), max(first, second)


def _ranges(joints: Sequence[ReadJoint]) -> dict[int, EulerAngles]:
    return {
        number: EulerAngles.of(read.frames, read.turns.order, read.turns.lower, read.turns.upper)
        for number, read in enumerate(joints)
        if read.turns is not None and read.frames is not None
    }
