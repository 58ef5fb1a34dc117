# SPDX-License-Identifier: GPL-3.0-or-later
"""Blobs from Blender's metaballs, and metaballs from blobs.

Balls and capsules become balls and cylinders of a sum, each with the Gaussian that is nearest at its surface
(`core/implicit/functions/gaussians/metaball_kernels.py`). Ellipsoids, cubes and planes have no Gaussian: they
become ellipsoids and rounded boxes that are joined smoothly. What is lost is named, and how far the new
surface is from the old one is measured at the vertices of the metaballs' mesh.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from bpy.types import Context, Mesh, MetaBall, MetaElement, Object
from mathutils import Matrix, Vector

from ...core.arrays import Floats
from ...core.implicit.functions.gaussians.metaball_kernels import gaussian_of, metaball_of
from ...core.wording import counted
from ..access import custom_properties, scene_of, view_layer_of
from ..affine import is_similarity
from ..errors import SceneError
from .elements.elements import Cylinder, Ellipsoid, Sphere
from .elements.solids import ROUNDING, Solid
from .empty_transforms import EmptyTransform
from .making import add_blob, add_element, homes_of
from .models import BlobModel, read_blob
from .objects import (
    BIAS_OF_RADII,
    BLOB,
    DIFFERENCE,
    INTERSECTION,
    JOIN,
    MIRROR,
    SUBTRACT,
    SUM,
    WEIGHT,
    is_blob,
    is_on,
    number_of,
    parts_of,
)

THRESHOLD = 0.6  # of a new metaball, as Blender has it
LEAST_THRESHOLD = 1e-3  # a lower one counts as this: its Gaussians would have no end of weight
STIFFEST = 10.0  # greatest stiffness that Blender allows
_TURN = Matrix.Diagonal(Vector((-1.0, 1.0, 1.0, 1.0)))


@dataclass(frozen=True, eq=False)
class Converted:
    """What was made.

    Attributes:
        made: the new object.
        lost: what of the old one the new one has not, in words.
        apart: the farthest that the two surfaces are from each other, over the size of the whole; NaN where
            there was no surface to compare.
    """

    made: Object
    lost: tuple[str, ...]
    apart: float


def family_of_metaballs(context: Context, active: Object) -> list[Object]:
    """Return the metaball objects that make one surface with a given one: those of its name, by number."""
    name = _family_name(active)
    found = [obj for obj in scene_of(context).objects if obj.type == "META" and _family_name(obj) == name]
    return sorted(found, key=lambda obj: (obj.name != name, obj.name))


def _family_name(obj: Object) -> str:
    name, _, number = obj.name.rpartition(".")
    return name if name and number.isdigit() else obj.name


def from_metaballs(context: Context, active: Object) -> Converted:
    """Make a blob of a metaball and all that make one surface with it. Raises SceneError."""
    family = family_of_metaballs(context, active)
    elements = [(obj, each) for obj in family for each in _data(obj).elements if not each.hide]
    if not elements:
        raise SceneError(active.name, "it has no elements", "add one to it in Edit Mode")
    surface = _surface_of_metaballs(context, family[0])
    threshold = max(float(_data(family[0]).threshold), LEAST_THRESHOLD)
    blob = add_blob(context, SUM, tuple(family[0].matrix_world.translation.to_tuple()))
    blob["blob.smooth"] = 0.0
    lost = Counter[str]()
    if float(_data(family[0]).threshold) < LEAST_THRESHOLD:
        lost.update([f"a threshold below {LEAST_THRESHOLD:g}: it is {LEAST_THRESHOLD:g} instead"])
    for obj, element in elements:
        place = Matrix.Translation(-blob.location) @ obj.matrix_world
        lost.update(_add(context, blob, element, place, threshold))
    for obj in family:
        lost.update(["keys and drivers of a metaball object"] if obj.animation_data is not None else [])
    mesh = blob.data
    assert isinstance(mesh, Mesh)
    for material in _data(family[0]).materials:
        mesh.materials.append(material)
    view_layer_of(context).update()
    return Converted(blob, _words(lost), _apart(read_blob(blob), surface))


def _add(
    context: Context, blob: Object, element: MetaElement, place: Matrix, threshold: float
) -> Iterable[str]:
    """Add a metaball's element to a blob, at a place (4, 4) of its object; return what of it is lost."""
    lost = [] if is_similarity(np.array(place)) else ["uneven scale of an element's object"]
    scale = abs(place.determinant()) ** (1.0 / 3.0)
    sigma, weight = gaussian_of(scale * element.radius, element.stiffness, threshold, BIAS_OF_RADII)
    sign = -1.0 if element.use_negative else 1.0
    here = place @ Matrix.Translation(element.co) @ element.rotation.to_matrix().to_4x4()
    if element.type == "BALL":
        _empties(context, blob, "sphere", [here.translation], sigma, {WEIGHT: sign * weight})
    elif element.type == "CAPSULE":
        ends = [here @ Vector((way * element.size_x, 0.0, 0.0)) for way in (-1.0, 1.0)]
        _empties(context, blob, "cylinder", ends, sigma, {WEIGHT: sign * weight})
    else:
        lone = sigma * np.sqrt(max(np.log(weight / BIAS_OF_RADII), 0.01))
        _add_solid(context, blob, element, here, float(lone))
        lost.append(f"melting of {_a(element.type)}: it is joined smoothly instead")
    return lost


def _a(kind: str) -> str:
    """Return the kind of an element, for a sentence."""
    return {"ELLIPSOID": "an ellipsoid", "CUBE": "a cube", "PLANE": "a plane"}.get(kind, kind.lower())


def _empties(
    context: Context, blob: Object, kind: str, ends: list[Vector], radius: float, own: dict[str, float]
) -> None:
    """Add an element with the places of its empties, in the blob's coordinates."""
    matrix = Matrix.Translation(ends[0]) @ Matrix.Scale(radius, 4)
    made = add_element(context, blob, kind, matrix, properties=own)
    for empty, end in zip(made, ends, strict=True):
        empty.location = end


def _add_solid(context: Context, blob: Object, element: MetaElement, here: Matrix, lone: float) -> None:
    """Add an ellipsoid or a rounded box, as large as the element is alone."""
    scale = abs(here.determinant()) ** (1.0 / 3.0)
    sizes = scale * np.array([element.size_x, element.size_y, element.size_z])
    if element.type == "ELLIPSOID":
        kind, half = "sphere", lone * sizes / scale
    else:
        kind, half = "rounded_box", lone + sizes * (1.0 if element.type == "CUBE" else np.array([1, 1, 0]))
    turned = here.to_quaternion().to_matrix().to_4x4()
    matrix = Matrix.Translation(here.translation) @ turned @ Matrix.Diagonal((*half.tolist(), 1.0))
    (made,) = add_element(context, blob, kind, matrix, subtract=bool(element.use_negative))
    made[JOIN] = lone
    if kind == "rounded_box":
        made[ROUNDING] = min(1.0, lone / float(np.cbrt(np.prod(half))))


def to_metaballs(context: Context, blob: Object) -> Converted:
    """Make a metaball of a blob. Raises SceneError, with nothing made, for one whose elements are cut."""
    combination = custom_properties(blob)[BLOB]
    if combination in (INTERSECTION, DIFFERENCE):
        found = f'its elements are combined by "{combination}", which metaballs cannot'
        raise SceneError(blob.name, found, "convert its mesh (Mesh from Blob), or combine them by sum")
    model = read_blob(blob)
    data: MetaBall = bpy.data.metaballs.new(f"{blob.name} Metaball")
    data.threshold = THRESHOLD
    lost = Counter[str]()
    bias = number_of(blob, "blob.bias", BIAS_OF_RADII)
    for obj in parts_of(blob):
        lost.update(_lost_of_part(obj))
    for slot in model.slots:
        lost.update(_to_element(data, slot.element, bias))
    if not len(data.elements):
        bpy.data.metaballs.remove(data)
        raise SceneError(blob.name, "none of its elements can be a metaball", "add a ball or a cylinder")
    data.resolution = data.render_resolution = _resolution(model)
    made = bpy.data.objects.new(data.name, data)
    for home in homes_of(context, blob):
        for parent in _around(context, home):
            parent.objects.link(made)
    made.matrix_world = Matrix(model.frame.tolist())
    if isinstance(blob.data, Mesh):
        for material in blob.data.materials:
            data.materials.append(material)
    view_layer_of(context).update()
    return Converted(made, _words(lost), _apart(model, _surface_of_metaballs(context, made)))


def _around(context: Context, home: Any) -> list[Any]:
    """Return the collections that hold a collection; the scene's own if none does."""
    scene = scene_of(context).collection
    found = [each for each in (scene, *scene.children_recursive) if home.name in each.children]
    return found[:1] or [scene]


def _lost_of_part(obj: Object) -> list[str]:
    lost = ["that a part is a blob of its own"] if is_blob(obj) else []
    if is_on(obj, SUBTRACT):
        lost.append("sharp subtraction: it is a negative element")
    return lost


def _to_element(data: MetaBall, element: object, bias: float) -> list[str]:
    """Add an element of a blob to a metaball; return what of it is lost."""
    if isinstance(element, Sphere):
        _ball(data, "BALL", element.transform, element.transform.radius, bias)
        return []
    if isinstance(element, Cylinder):
        _capsule(data, element, bias)
        return []
    if isinstance(element, Ellipsoid):
        half = np.linalg.norm(element.transform.axes, axis=0)
        made = _ball(data, "ELLIPSOID", element.transform, 1.0, bias)
        made.size_x, made.size_y, made.size_z = half.tolist()
        return ["sharp union of an ellipsoid: it melts"]
    if isinstance(element, Solid) and ROUNDING in custom_properties(bpy.data.objects[element.transform.name]):
        half = np.linalg.norm(element.transform.axes, axis=0)
        lone = 0.3 * float(half.min())
        made = _ball(data, "CUBE", element.transform, lone, bias)
        made.size_x, made.size_y, made.size_z = np.maximum(half - lone, 0.0).tolist()
        return [f"shape of {element.shape.kind}: it is a cube with round edges, and melts"]
    kind = element.shape.kind if isinstance(element, Solid) else type(element).__name__.lower()
    return [f"{kind} element"]


def _ball(data: MetaBall, kind: Any, transform: EmptyTransform, radius: float, bias: float) -> MetaElement:
    """Add an element of one place, and its twin if it has one; return the first."""
    obj = bpy.data.objects[transform.name]
    own = transform.axes / np.linalg.norm(transform.axes, axis=0)
    own = own * np.array([1.0, 1.0, np.sign(np.linalg.det(own))])
    frame = Matrix(own.tolist()).to_4x4()
    frame.translation = Vector(transform.centre.tolist())
    made = [_placed(data, kind, frame, radius, bias, obj)]
    if is_on(obj, MIRROR):
        made.append(_placed(data, kind, _TURN @ frame @ _TURN, radius, bias, obj))
    return made[0]


def _capsule(data: MetaBall, cylinder: Cylinder, bias: float) -> None:
    obj = bpy.data.objects[cylinder.start.name]
    start, end = (Vector(each.centre.tolist()) for each in (cylinder.start, cylinder.end))
    for turn in (Matrix(), _TURN) if is_on(obj, MIRROR) else (Matrix(),):
        one, other = turn @ start, turn @ end
        frame = Vector((1.0, 0.0, 0.0)).rotation_difference(other - one).to_matrix().to_4x4()
        frame.translation = 0.5 * (one + other)
        made = _placed(data, "CAPSULE", frame, cylinder.start.radius, bias, obj)
        made.size_x = 0.5 * (other - one).length


def _placed(data: MetaBall, kind: Any, frame: Matrix, radius: float, bias: float, obj: Object) -> MetaElement:
    """Add an element in a frame (4, 4) with the kernel of a Gaussian of such a radius."""
    weight = number_of(obj, WEIGHT, 1.0)
    made = data.elements.new(type=kind)
    reach, stiffness = metaball_of(radius, max(abs(weight), 1e-3), THRESHOLD, bias)
    made.co, made.rotation = frame.translation, frame.to_quaternion()
    made.radius, made.stiffness = reach, min(stiffness, STIFFEST)
    made.use_negative = weight < 0.0 or is_on(obj, SUBTRACT)
    return made


def _resolution(model: BlobModel) -> float:
    box = model.function.box()
    return max(0.01, 0.03 * float(np.ptp(box, axis=0).max())) if np.isfinite(box).all() else 0.1


def _surface_of_metaballs(context: Context, first: Object) -> Floats:
    """Return the vertices (n, 3) of a metaball's surface, in the world; none where there is no surface."""
    depsgraph = context.evaluated_depsgraph_get()
    evaluated = first.evaluated_get(depsgraph)
    mesh: Mesh = evaluated.to_mesh()
    found = np.zeros(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", found)
    world = np.array(evaluated.matrix_world, dtype=np.float64)
    evaluated.to_mesh_clear()
    places: Floats = found.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
    return places


def _apart(model: BlobModel, places: Floats) -> float:
    """Return how far a blob's surface is from places (n, 3) of the world, over their extent, about."""
    if not len(places):
        return float("nan")
    back = np.linalg.inv(model.frame)
    own = places @ back[:3, :3].T + back[:3, 3]
    value, slope = model.function.gradient(own)
    off = np.abs(value) / np.maximum(np.linalg.norm(slope, axis=1), np.finfo(np.float64).tiny)
    return float(np.max(off) / np.ptp(own, axis=0).max())


def _data(obj: Object) -> MetaBall:
    data = obj.data
    assert isinstance(data, MetaBall)
    return data


def _words(lost: Counter[str]) -> tuple[str, ...]:
    """Return what is lost, each kind once, with how often."""
    return tuple(text if count == 1 else f"{text} ({counted(count, 'time')})" for text, count in lost.items())
