# SPDX-License-Identifier: GPL-3.0-or-later
"""What an object says of itself as a rigid body: by Blender's rigid body settings, or by custom properties.

A custom property comes before Blender's setting, and that before the scene's default.

    moves            Blender's *Type* is Active and *Dynamic* is on; without these settings, any object
    friction         `physplace_friction`, Blender's *Friction*
    restitution      `physplace_restitution`, Blender's *Bounciness*
    damping          Blender's *Damping Translation* and *Rotation*; none without these settings
    mass             `physplace_mass` or `physplace_density` (`scene/reading/masses.py`), Blender's *Mass*

An object that an artist has animated beyond the frame where the simulation begins is not moved: it follows
its animation, as does one with Blender's *Animated* on.  Keys of Blender's type *Generated* are those of an
earlier simulation, and do not count as such.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Object, RigidBodyObject, Scene

from ...core.bodies import Body
from ...core.mesh.cleaning import PLACELESS
from ...core.wording import in_words
from ..access import custom_properties
from ..errors import SceneError
from ..reading.masses import DENSITY, MASS
from ..reading.settings import settings_of
from ..writing.actions import curves_of
from ..writing.keys import GENERATED, transform_curves
from .changing_shapes import changes_shape

FRICTION = "physplace_friction"
RESTITUTION = "physplace_restitution"
SHAPES_AS_SEEN = frozenset({"CONVEX_HULL", "MESH", "COMPOUND"})  # the first is what a new rigid body has
ACTIVE = "ACTIVE"


@dataclass(frozen=True)
class SurfaceLaw:
    """The coefficients of friction and restitution of an object's surface."""

    friction: float
    restitution: float


def surface_law(obj: Object | None, scene: Scene) -> SurfaceLaw:
    """Return the coefficients of an object, or the scene's defaults for None.

    Raises SceneError for a custom property that is no such number.
    """
    defaults = settings_of(scene)
    friction, restitution = defaults.body_friction, defaults.body_restitution
    if obj is None:
        return SurfaceLaw(friction, restitution)
    if obj.rigid_body is not None:
        friction, restitution = obj.rigid_body.friction, obj.rigid_body.restitution
    return SurfaceLaw(
        coefficient(obj, FRICTION, friction, np.inf), coefficient(obj, RESTITUTION, restitution, 1.0)
    )


def coefficient(obj: Object, key: str, otherwise: float, most: float) -> float:
    """Return a custom property of an object from 0 to most, or what it is otherwise.

    Raises SceneError for one that is no such number.
    """
    value = custom_properties(obj).get(key, otherwise)
    if isinstance(value, (int, float)) and 0.0 <= value <= most and value < np.inf:
        return float(value)
    remedy = "set it to 0 or more" if most == np.inf else f"set it to a number from 0 to {most:g}"
    raise SceneError(obj.name, f'its property "{key}" is {value!r}', remedy)


def damping_shares(obj: Object) -> tuple[float, float]:
    """Return the shares of its velocity and of its angular velocity that an object loses in a second."""
    body = obj.rigid_body
    return (0.0, 0.0) if body is None else (float(body.linear_damping), float(body.angular_damping))


def is_free(obj: Object, frame: int) -> bool:
    """Return whether an object moves by its weight and its contacts from a frame on."""
    body = obj.rigid_body
    if body is None:
        return not _animated_after(obj, frame)
    if body.type != ACTIVE or not body.enabled:
        return False
    return not body.kinematic or (_has_generated_keys(obj) and not _animated_after(obj, frame))


def not_free_reason(obj: Object) -> str:
    """Return why an object that is not free does not move, as a phrase."""
    body = obj.rigid_body
    if body is None:
        return "has keys after the present frame, and follows them"
    if body.type != ACTIVE:
        return "is a passive rigid body"
    return "is an animated rigid body" if body.enabled else "is a rigid body that is not dynamic"


def _animated_after(obj: Object, frame: int) -> bool:
    points = [point for curve in transform_curves(obj) for point in curve.keyframe_points]
    return any(point.type != GENERATED and point.co[0] > frame for point in points)


def _has_generated_keys(obj: Object) -> bool:
    return any(point.type == GENERATED for curve in transform_curves(obj) for point in curve.keyframe_points)


def weighed(body: Body, obj: Object) -> Body:
    """Return an object's body with the mass of its rigid body settings, unless a property gives one.

    Raises SceneError for a mass that is zero or not finite.
    """
    settings = obj.rigid_body
    members = (obj, *obj.children_recursive)
    if settings is None or any(key in custom_properties(each) for each in members for key in (MASS, DENSITY)):
        return body
    if not 0.0 < settings.mass < np.inf:
        raise SceneError(
            obj.name,
            f"the mass of its rigid body is {settings.mass:g}",
            "set it to a number above 0 in the Physics properties",
        )
    return replace(body, mass=body.mass.weighing(settings.mass))


class LeftOut:
    """Settings that a simulation leaves out of account, each with the objects that have it."""

    def __init__(self) -> None:
        self._names: dict[str, list[str]] = {}

    def add(self, setting: str, name: str) -> None:
        """Add an object with a setting."""
        names = self._names.setdefault(setting, [])
        if name not in names:
            names.append(name)

    def notes(self) -> tuple[str, ...]:
        """Return a phrase for each setting, which names its objects."""
        return tuple(f"{setting} of {in_words(names)}" for setting, names in self._names.items())


def leave_out_settings(left_out: LeftOut, movers: Sequence[Object]) -> None:
    """Add the rigid body settings of moving objects that do not count, where an artist has changed them."""
    for obj in movers:
        for member in (obj, *obj.children_recursive):
            leave_out_keys(left_out, member)
            leave_out_changes_of_shape(left_out, member)
            if member.rigid_body is not None:
                for setting in _not_counted(member.rigid_body):
                    left_out.add(setting, member.name)
        for child in obj.children_recursive:
            is_active = child.rigid_body is not None and child.rigid_body.type == ACTIVE
            if is_active or next(transform_curves(child), None) is not None:
                left_out.add("the motion by itself, as it moves with its parent,", child.name)


def leave_out_keys(left_out: LeftOut, obj: Object) -> None:
    """Add what animates an object's rigid body or constraint, which count as they are on the first frame."""
    _leave_out_animation(left_out, obj, ("rigid_body",), "the rigid body settings")


def leave_out_changes_of_shape(left_out: LeftOut, obj: Object) -> None:
    """Add what changes an object's mesh from frame to frame: it counts as it is on the first frame."""
    if changes_shape(obj):
        left_out.add("the changing shape", obj.name)


def leave_out_lost_faces(left_out: LeftOut, bodies: Iterable[Body]) -> None:
    """Add the faces of bodies that have a vertex which is nowhere: they count as not there."""
    for body in bodies:
        leave_out_lost_faces_of(left_out, body, body.name)


def leave_out_lost_faces_of(left_out: LeftOut, body: Body, name: str) -> None:
    """Add the faces of a body that have a vertex which is nowhere, by the name of the object they are of."""
    if any(note.endswith(PLACELESS) for note in body.notes):
        left_out.add("the faces with vertices that are not finite numbers", name)


def leave_out_scene_keys(left_out: LeftOut, scene: Scene) -> None:
    """Add what animates gravity or the rigid body world of a scene, which count as on the first frame."""
    paths = ("gravity", "use_gravity", "rigidbody_world")
    _leave_out_animation(left_out, scene, paths, "gravity or the rigid body world")


def _leave_out_animation(left_out: LeftOut, owner: Object | Scene, paths: tuple[str, ...], of: str) -> None:
    """Add the keys, and the drivers, of some paths of an object or a scene."""
    data = owner.animation_data
    drivers = () if data is None else data.drivers
    for word, curves in (("the keys", curves_of(owner)), ("the drivers", drivers)):
        if any(curve.data_path.startswith(paths) for curve in curves):
            left_out.add(f"{word} of {of}", owner.name)


def _not_counted(body: RigidBodyObject) -> Iterable[str]:
    changed = {
        "the collision shape": body.collision_shape not in SHAPES_AS_SEEN,
        "the collision margin": body.use_margin,
        "the collision collections": list(body.collision_collections) != [True] + 19 * [False],
        "the deactivation": body.use_deactivation or body.use_start_deactivated,
        "the deforming shape": body.use_deform,
    }
    return [setting for setting, is_changed in changed.items() if is_changed]


def leave_out_fields(left_out: LeftOut, scene: Scene) -> None:
    """Add the force fields of a scene, which do not count."""
    for obj in scene.objects:
        if obj.field is not None and obj.field.type != "NONE":
            left_out.add("the force field", obj.name)
