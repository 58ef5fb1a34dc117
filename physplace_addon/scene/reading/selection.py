# SPDX-License-Identifier: GPL-3.0-or-later
"""The selected objects, and what they are compared with, as bodies that stand where they are seen.

Each selected object is one, together with its children that are not selected themselves and with all that it
or they instance. If only one is selected, everything else that is visible is compared with it. Nothing in the
scene is changed, so linked objects count as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from bpy.types import Context, Object

from ...core.arrays import Bools, Floats, Ints
from ...core.bodies import Body
from ..access import custom_properties, evaluated_scene, original, view_layer_of
from ..affine import without_noise
from ..blobs.models import read_blob
from ..blobs.objects import blob_of, is_blob
from ..errors import SceneError
from .shapes import BodyReader
from .subjects.movers import ancestors, whole_of
from .subjects.subject import rounding_at
from .visible import IGNORE, Family, VisibleItem, viewport_of, visible_items


@dataclass(frozen=True, eq=False)
class ComparedBody:
    """A body where an object shows it, in the world.

    Attributes:
        name: the object's name.
        objects: the full names of that object and of the one whose shape it shows, itself or as an instance.
        selected: the number of the selected object that it is a part of; None for a part of the rest.
        body: the body.
        lower, upper: (3,), the corners of a box that holds it, also where it is curved.
        rounding: the largest error of one of its points by single precision, in scene units.
    """

    name: str
    objects: frozenset[str]
    selected: int | None
    body: Body
    lower: Floats
    upper: Floats
    rounding: float


@dataclass(frozen=True, eq=False)
class ComparedBodies:
    """The bodies of the selected objects and of what they are compared with.

    Attributes:
        bodies: those of selected objects first, then in the order of the objects' names.
        left_out: why selected objects that have no shape are left out.
    """

    bodies: tuple[ComparedBody, ...]
    left_out: tuple[str, ...]

    @property
    def objects(self) -> frozenset[str]:
        """The full names of the objects that show the bodies, and of those whose shapes they show."""
        return frozenset().union(*(compared.objects for compared in self.bodies))

    def near_pairs(self, distance: float) -> list[tuple[ComparedBody, ComparedBody]]:
        """Return the pairs whose boxes are no farther apart than a distance and their roundings.

        The parts of one object make no pair, nor do two bodies of the rest.
        """
        count = len(self.bodies)
        if count == 0:
            return []
        lower = np.stack([compared.lower for compared in self.bodies])
        upper = np.stack([compared.upper for compared in self.bodies])
        reach = np.array([compared.rounding for compared in self.bodies])
        group = np.array([-1 if each.selected is None else each.selected for each in self.bodies])
        first, second = _near(lower, upper, reach, distance)
        apart = group[first] != group[second]
        pairs = zip(first[apart].tolist(), second[apart].tolist(), strict=True)
        return [(self.bodies[one], self.bodies[other]) for one, other in pairs]


def _near(lower: Floats, upper: Floats, reach: Floats, distance: float) -> tuple[Ints, Ints]:
    """Return the numbers (k,), (k,) of boxes (n, 3) that are near, the lower number first."""
    near: Bools = np.triu(np.ones((len(lower), len(lower)), dtype=np.bool_), 1)
    apart = distance + reach[:, None] + reach
    for axis in range(3):
        near &= lower[:, None, axis] <= upper[None, :, axis] + apart
        near &= lower[None, :, axis] <= upper[:, None, axis] + apart
    first, second = np.nonzero(near)
    return first, second


def selected_objects(context: Context) -> list[Object]:
    """Return the selected objects, a blob in place of its elements; a parent before its children.

    A part of a model that is selected alone stands for the whole; several are compared with one another.
    """
    selected = list(view_layer_of(context).objects.selected)
    if len(selected) == 1:
        return [whole_of(selected[0])]
    chosen = dict.fromkeys(blob_of(obj) or obj for obj in selected)
    return sorted(chosen, key=lambda obj: len(ancestors(obj)))


def read_selection(context: Context) -> ComparedBodies:
    """Return the selected objects as bodies; if there is only one, with all else that is visible.

    Raises:
        PhysPlaceError: a SceneError or another, that names the object, what is wrong and a remedy.
    """
    chosen = selected_objects(context)
    if not chosen:
        raise SceneError("(none)", "no object is selected", "select objects with faces")
    depsgraph = evaluated_scene(context)
    reader = BodyReader(depsgraph)
    items = visible_items(depsgraph, [Family.of(obj) for obj in chosen], viewport_of(context))
    found = list(_compared(reader, items, alone=len(chosen) == 1))
    shown = {compared.selected for compared in found}
    shapeless = [obj for number, obj in enumerate(chosen) if number not in shown]
    reasons = [_reason(obj, reader) for obj in shapeless]
    if len(chosen) - len(shapeless) < min(2, len(chosen)):
        raise reasons[0]
    found.sort(key=lambda compared: (compared.selected is None, compared.name))
    left_out = tuple(f'"{reason.name}" is left out: {reason.found}' for reason in reasons)
    return ComparedBodies(tuple(found), left_out)


def _compared(reader: BodyReader, items: Iterable[VisibleItem], *, alone: bool) -> Iterator[ComparedBody]:
    """Yield the bodies of selected objects, and all others if one object is selected alone."""
    for item in items:
        if item.family is None and not alone:
            continue
        body = reader.body(item, without_noise(item.matrix))
        if body is not None:
            points, bound = body.points, float(body.triangle_bound.max())
            lower, upper = points.min(axis=0) - bound, points.max(axis=0) + bound
            farthest = float(np.abs([lower, upper]).max())
            name = original(item.shower).name
            objects = frozenset((item.owner, original(item.evaluated).name_full))
            yield ComparedBody(name, objects, item.family, body, lower, upper, rounding_at(farthest))


def _reason(obj: Object, reader: BodyReader) -> SceneError:
    """Return the error that says why a selected object shows no body."""
    if not obj.visible_get():
        return SceneError(obj.name, "it is hidden", "show it (Alt H, or the eye in the Outliner)")
    if custom_properties(obj).get(IGNORE, False):
        return SceneError(obj.name, f'its property "{IGNORE}" leaves it out', "set it to 0")
    if is_blob(obj):
        read_blob(obj)  # says what it has not
    error = reader.left_out.get(obj.name)
    if error is not None:
        return SceneError(obj.name, error.found, error.remedy)
    return SceneError(obj.name, "it has no faces", "give it a mesh with faces, or a surface, or deselect it")
