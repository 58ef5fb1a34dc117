# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects move, and whether they can.

Whatever a moving shape depends on must move with it, or its shape would change as it moves: objects that its
modifiers refer to, such as an armature, a lattice or a cutter, and the other metaballs of one metaball family
(visible ones whose names are alike up to a number). `check_moves_whole` raises SceneError where one of them
stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bpy.types import ArrayModifier, BooleanModifier, Context, Depsgraph, Modifier, Object

from ...access import active_object, extended, library_of, original, view_layer_of
from ...blobs.objects import blob_of, is_blob, is_element
from ...errors import SceneError
from ..definitions import has_definition

SHAPELESS = frozenset(  # modifiers that move no point
    {
        *("DATA_TRANSFER", "NORMAL_EDIT", "WEIGHTED_NORMAL", "UV_PROJECT", "UV_WARP"),
        *("VERTEX_WEIGHT_EDIT", "VERTEX_WEIGHT_MIX", "VERTEX_WEIGHT_PROXIMITY"),
    }
)
DEFORMING_PARENTS = frozenset({"ARMATURE", "LATTICE"})
SHAPES = frozenset({"MESH", "CURVE", "SURFACE", "META", "FONT"})  # types of objects that may have faces
NODES = "NODES"  # the type of a modifier that may give faces to an object of any type that has modifiers


def selected_movers(context: Context, *, with_active: bool = True) -> list[Object]:
    """Return the active object and those selected with it, the active one first.

    A part stands for its whole, and a child of another one of them moves with that and is left out. Raises
    SceneError if none is active.

    with_active: whether the active object counts although it is not selected and others are, as one does that
    was clicked with Shift to take it out of what is selected.
    """
    active, known = active_mover(context), dict[Object, int]()
    selected = [whole_of(obj, known) for obj in view_layer_of(context).objects.selected]
    counts = with_active or active in selected or not selected
    chosen = list(dict.fromkeys([active, *selected] if counts else selected))
    return [obj for obj in chosen if not any(parent in chosen for parent in ancestors(obj))]


def ancestors(obj: Object) -> list[Object]:
    """Return the object's parent, the parent of that, and so on."""
    return [] if obj.parent is None else [obj.parent, *ancestors(obj.parent)]


def active_mover(context: Context) -> Object:
    """Return the object that moves when the active one is placed. Raises SceneError if none is active."""
    active = active_object(context)
    if active is None:
        raise SceneError("(none)", "no object is active", "click the object to place")
    return whole_of(active)


def whole_of(obj: Object, known: dict[Object, int] | None = None) -> Object:
    """Return the whole that an object is a part of: its blob, or its model; else the object itself.

    A model is what hangs on an empty and has several visible shapes, as importers make it of one file. The
    outermost such empty moves. An empty with one shape is the artist's own handle, and stays. So do parts
    that are rigid bodies of their own.

    known: the numbers of shapes on empties that were looked at before, to which others are added.
    """
    blob = blob_of(obj)
    if blob is not None or not _joins_models(obj):
        return blob or obj
    counts = {} if known is None else known
    for empty in filter(_is_handle, ancestors(obj)[::-1]):
        if empty not in counts:
            counts[empty] = _shapes_on(empty)
        if counts[empty] > 1:
            return empty
    return obj


def named_whole(obj: Object) -> str:
    """Return the quoted name of the whole that an object is a part of; a model's with its shapes' number."""
    whole = whole_of(obj)
    is_model = _is_handle(whole) and _joins_models(whole)
    return f'"{whole.name}"' + (f", whole: {_shapes_on(whole)} shapes" if is_model else "")


def _joins_models(obj: Object) -> bool:
    """Return whether parts stand for wholes by the settings of an object's scenes, if it has any."""
    groups = [getattr(extended(scene), "physplace", None) for scene in obj.users_scene]
    return all(group is not None and group.whole_models for group in groups)


def _is_handle(obj: Object) -> bool:
    """Return whether an object is an empty that only holds others: no instance, joint or element."""
    joins = obj.rigid_body_constraint is not None
    return obj.type == "EMPTY" and obj.instance_type == "NONE" and not joins and not is_element(obj)


def may_have_shape(obj: Object) -> bool:
    """Return whether an object, or one that hangs on it, may have faces by its type, or shows others."""
    return _is_shape(obj) or any(_is_shape(child) for child in obj.children_recursive)


def _is_shape(obj: Object) -> bool:
    by_type = _has_shape_by_type(obj)
    return by_type or obj.instance_type != "NONE" or has_definition(obj) or is_blob(obj)


def _has_shape_by_type(obj: Object) -> bool:
    return obj.type in SHAPES or any(modifier.type == NODES for modifier in obj.modifiers)


def _shapes_on(empty: Object) -> int:
    """Return how many visible shapes hang on an empty as one thing; 0 if a part is a rigid body itself."""
    parts = empty.children_recursive
    if any(part.rigid_body is not None for part in parts):
        return 0
    return sum(_has_shape_by_type(part) and part.visible_get() for part in parts)


def check_editable(obj: Object) -> None:
    """Raise SceneError for an object whose transform may not be written, because it is linked."""
    remedy = "make a library override (Object > Relations > Make Library Override)"
    library = library_of(obj)
    if library is not None:
        raise SceneError(obj.name, f'it is linked from "{library.filepath}"', remedy)
    override = obj.override_library
    if override is not None and override.is_system_override:
        raise SceneError(obj.name, "its library override is not editable", "make the override editable")
    action = obj.animation_data.action if obj.animation_data else None
    if action is not None and library_of(action) is not None:
        raise SceneError(obj.name, f'its action "{action.name}" is linked', "make the action local")


def check_moves_whole(obj: Object, depsgraph: Depsgraph) -> None:
    """Raise SceneError, naming both, if the shape of an object or a child depends on one that stays."""
    members = [obj, *obj.children_recursive]
    for member in members:
        for what, other in _needed(member, depsgraph):
            if other not in members:
                raise SceneError(
                    member.name,
                    f'{what} "{other.name}", which does not move with it',
                    "parent one to the other and place the parent, or make it a mesh of its own",
                )


def _needed(member: Object, depsgraph: Depsgraph) -> Iterator[tuple[str, Object]]:
    """Yield the objects that a shape depends on, each with a phrase that says how."""
    for modifier in member.modifiers:
        if modifier.show_viewport and modifier.type not in SHAPELESS:
            for other in _objects_of(modifier):
                yield f'its modifier "{modifier.name}" depends on', other
    if member.parent is not None and member.parent_type in DEFORMING_PARENTS:
        yield "it is deformed by", member.parent
    if member.type == "META":
        for other in depsgraph.objects:
            if other.type == "META" and _blob(other) == _blob(member):
                yield "it is one blob with", original(other)


def _objects_of(modifier: Modifier) -> Iterator[Object]:
    """Yield the objects on whose places a modifier depends."""
    for prop in modifier.bl_rna.properties:
        other = getattr(modifier, prop.identifier) if prop.type == "POINTER" else None
        if isinstance(other, Object) and _counts(modifier, prop.identifier):
            yield other
    if isinstance(modifier, BooleanModifier) and modifier.operand_type == "COLLECTION":
        yield from modifier.collection.all_objects if modifier.collection else ()


def _counts(modifier: Modifier, name: str) -> bool:
    """Return whether it matters to a modifier where the object stands that a property of it names.

    Caps of an array, and the curve that it is as long as, only give their shapes.
    """
    if isinstance(modifier, ArrayModifier):
        return name == "offset_object" and modifier.use_object_offset
    return not isinstance(modifier, BooleanModifier) or modifier.operand_type == "OBJECT"


def _blob(ball: Object) -> str:
    """Return the common part of the names of all metaballs of one family."""
    return re.sub(r"\.\d+$", "", ball.name)
