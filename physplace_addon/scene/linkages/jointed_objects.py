# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects are of one linkage: what constraints, parents and armatures join to one of them.

A rigid body constraint joins the bodies of its two objects. A child moves with its parent, unless the parent
is a bone: then it is of the armature. A passive rigid body stands still: it is joined to, but nothing beyond
it is of the linkage.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bpy.types import ArmatureModifier, Object, RigidBodyConstraint, Scene

PASSIVE = "PASSIVE"


@dataclass(frozen=True, eq=False)
class Members:
    """The objects of a linkage that have parts of their own, and its armatures."""

    objects: tuple[Object, ...]
    armatures: tuple[Object, ...]


def members_of(scene: Scene, active: Object) -> Members:
    """Return the objects and armatures that are joined to an object, its own first."""
    constraints = list(_constraints(scene))
    named = {end for constraint in constraints for end in _ends(constraint)}
    waiting, found = [_root(active, named)], list[Object]()
    while waiting:
        root = waiting.pop(0)
        if root in found:
            continue
        found.append(root)
        for constraint in constraints:
            roots = [_root(end, named) for end in _ends(constraint)]
            if root in roots:
                waiting += [each for each in roots if each != root and not stands(each)]
    return Members(
        tuple(obj for obj in found if obj.type != "ARMATURE"),
        tuple(obj for obj in found if obj.type == "ARMATURE"),
    )


def holders_of(scene: Scene) -> Iterator[Object]:
    """Yield the objects that have an enabled constraint."""
    for holder in scene.objects:
        constraint = holder.rigid_body_constraint
        if constraint is not None and constraint.enabled:
            yield holder


def _constraints(scene: Scene) -> Iterator[RigidBodyConstraint]:
    for holder in holders_of(scene):
        constraint = holder.rigid_body_constraint
        if constraint is not None:
            yield constraint


def _ends(constraint: RigidBodyConstraint) -> list[Object]:
    return [end for end in (constraint.object1, constraint.object2) if end is not None]


def _root(obj: Object, named: set[Object]) -> Object:
    """Return the object or the armature that an object moves with."""
    root = obj
    above: Object | None = obj
    while above is not None:
        if above.type == "ARMATURE":
            return above
        deforming = _deforming_armature(above)
        if deforming is not None:
            return deforming
        if above in named:
            root = above
        if above.parent is not None and above.parent.type == "ARMATURE" and above.parent_type != "BONE":
            return root
        above = above.parent
    return root


def _deforming_armature(obj: Object) -> Object | None:
    if obj.parent is not None and obj.parent_type == "ARMATURE":
        return obj.parent
    for modifier in obj.modifiers:
        if isinstance(modifier, ArmatureModifier) and modifier.show_viewport and modifier.object is not None:
            return modifier.object
    return None


def stands(obj: Object) -> bool:
    """Return whether an object stands still: it is a passive rigid body."""
    return obj.rigid_body is not None and obj.rigid_body.type == PASSIVE
