# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses of objects: their volume, unless custom properties give something else.

`physplace_density` is the mass of a unit of volume, or of area where nothing is enclosed; 1 unless given.
`physplace_mass` is the mass of all that the object itself shows, with its instances, without its children.
`physplace_center_of_mass` names an object, such as an empty, at the centre of mass, which must move along: on
the object that is placed, that of all that moves; on a child, that of what the child shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np
from bpy.types import Depsgraph, Object

from ...core import bodies
from ...core.bodies import Body
from ...core.rigid import Pose
from ..access import custom_properties, original
from ..errors import SceneError

DENSITY = "physplace_density"
MASS = "physplace_mass"
CENTER = "physplace_center_of_mass"


@dataclass(frozen=True, eq=False)
class BodyPart:
    """A body in the frame of the moving object, and the full name of the object that shows it."""

    owner: str
    body: Body


def body_part(body: Body, shown: Object, owner: Object) -> BodyPart:
    """Return the body of an object that is shown, by itself or as an instance of an owner.

    Its density is its own, or else the owner's. Its mass is set where it is an instance with a mass.
    """
    shown, owner = original(shown), original(owner)
    density = _positive(shown, DENSITY)
    density = _positive(owner, DENSITY) if density is None else density
    mass = _positive(shown, MASS) if shown != owner else None
    if density is not None:
        body = replace(body, mass=replace(body.mass, density=density))
    if mass is not None:
        body = replace(body, mass=body.mass.weighing(mass))
    return BodyPart(owner.name_full, body)


def combined_body(
    parts: Sequence[BodyPart], members: Sequence[Object], pose: Pose, depsgraph: Depsgraph
) -> Body:
    """Return the parts of an object at a pose as one body.

    members: the object first, then its descendants. Raises SceneError for a property without meaning.
    """
    family = {member.name_full for member in members}
    heaps = []
    for member in members:
        own = [part.body for part in parts if part.owner == member.name_full]
        mass = _positive(member, MASS)
        if own:
            heap = bodies.merge(own, own[0].name if len(own) == 1 else member.name)
            heap = heap if mass is None else replace(heap, mass=heap.mass.weighing(mass))
            heaps.append(heap if member is members[0] else _centred(heap, member, pose, family, depsgraph))
        else:
            _check_nothing_to_weigh(member, member is members[0])
    whole = heaps[0] if len(heaps) == 1 else bodies.merge(heaps, members[0].name)
    return _centred(whole, members[0], pose, family, depsgraph)


def _check_nothing_to_weigh(member: Object, moves: bool) -> None:
    for key in (DENSITY, MASS) if moves else (DENSITY, MASS, CENTER):
        if key in custom_properties(member):
            raise SceneError(
                member.name,
                f'its property "{key}" has nothing to weigh: it has no faces itself',
                "give the property to the objects that have, or remove it",
            )


def _positive(obj: Object, key: str) -> float | None:
    """Return the number of a property; None without it. Raises SceneError unless it is above 0."""
    value = custom_properties(obj).get(key)
    if value is None:
        return None
    if isinstance(value, (int, float)) and 0.0 < value < np.inf:
        return float(value)
    raise SceneError(obj.name, f'its property "{key}" is {value!r}', "set it to a number above 0")


def _centred(body: Body, member: Object, pose: Pose, family: Iterable[str], depsgraph: Depsgraph) -> Body:
    """Return the body with its centre of mass where the member's property names it."""
    name = custom_properties(member).get(CENTER)
    if name is None:
        return body
    found = name if isinstance(name, Object) else bpy.data.objects.get(name if isinstance(name, str) else "")
    if found is None:
        raise SceneError(
            member.name,
            f'its property "{CENTER}" names no object: {name!r}',
            "set it to the name of an empty that stands at the centre of mass",
        )

    def refusal(wrong: str, remedy: str) -> SceneError:
        return SceneError(member.name, f'its property "{CENTER}" names "{found.name}", which {wrong}', remedy)

    if found.name_full not in family:
        raise refusal("does not move with it", "make that a child of the object that moves")
    evaluated = found.evaluated_get(depsgraph)
    if not evaluated.is_evaluated:  # Blender leaves its place as it was when it last was enabled
        raise refusal("is disabled in viewports, or is not in the view layer", "enable it, and hide it by H")
    place = np.array(evaluated.matrix_world, dtype=np.float64)[:3, 3]
    if not np.isfinite(place).all():
        raise refusal("stands nowhere: its location is not finite", "reset its location")
    return replace(body, mass=replace(body.mass, center=pose.inverse().points(place)))
