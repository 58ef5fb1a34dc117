"""Recipes done and seen without a window, in Blender's Python module."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from physplace_addon import panels
from physplace_addon.scene.access import custom_properties
from physplace_addon.scene.writing.report import last_report, sentence_of
from tests.blender_data import current_scene, current_view_layer, mesh_of, physplace, scene_settings
from tests.oracles.triangles import crossings
from tests.scene import scenes

PANELS = "".join(path.read_text() for path in Path(panels.__file__).parent.glob("*.py"))
ON_SELECTED = {"drop_selected", "simulate"}
TOGETHER = "Place Selected Together"  # a button of Place at Rest with this switched on


@dataclass(frozen=True)
class Call:
    """A call of an operator, and on what: the frame, the active object, those selected if that matters, and
    where all objects are.
    """

    operator: str
    properties: dict[str, Any]
    frame: int
    active: str
    selected: frozenset[str]
    places: dict[str, np.ndarray]


def call_of(name: str, properties: dict[str, Any]) -> Call:
    """Return the call of an operator in the scene as it is."""
    current_view_layer().update()
    objects = current_scene().objects
    selected = [obj.name for obj in objects if obj.select_get()] if name in ON_SELECTED else []
    places = {obj.name: scenes.world_matrix(obj) for obj in objects}
    active = current_view_layer().objects.active
    return Call(
        name,
        properties,
        current_scene().frame_current,
        active.name if active else "",
        frozenset(selected),
        places,
    )


class AllButTheLast:
    """Operators as a script calls them: the last of so many calls is not done, since what it does goes by the
    scene and its properties alone.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self.calls: list[Call] = []

    def __getattr__(self, name: str) -> Callable[..., set[str]]:
        def called(**properties: Any) -> set[str]:
            self.calls.append(call_of(name, properties))
            last = len(self.calls) >= self._count
            return {"FINISHED"} if last else getattr(physplace, name)(**properties)

        return called


class ScriptHands:
    """Does what a recipe says by operators and properties.

    An operator is called when the next step is no adjustment of it: in a window, too, an adjusted operator is
    as if it had been run so from the start. calls: all calls so far.
    """

    def __init__(self) -> None:
        self._pending: tuple[str, dict[str, Any]] | None = None
        self.calls: list[Call] = []

    def choose(self, entry: str, button: str) -> None:
        """Call the button's operator with the entry of its only menu."""
        self.finish()
        name = _operator_of(button)
        menus = [each for each in _properties(name).values() if each.type == "ENUM"]
        found = [
            (each.identifier, item.identifier)
            for each in menus
            for item in each.enum_items
            if item.name == entry
        ]
        assert found, f"{button} has no entry {entry}"
        assert f"PHYSPLACE_OT_{name}.bl_idname" in PANELS, f"no panel has a menu {button}"
        self._pending = name, dict(found[:1])

    def click(self, names: list[str]) -> None:
        """Select the objects that the present scene has."""
        self.finish()
        for obj in current_view_layer().objects:
            obj.select_set(False)
        for name in names:
            current_scene().objects[name].select_set(True)
        scenes.activate(current_scene().objects[names[-1]])

    def press(self, button: str) -> None:
        """Call the button's operator, which runs to its end."""
        self.finish()
        self._pending = ("place", {"together": True}) if button == TOGETHER else (_operator_of(button), {})
        assert f"PHYSPLACE_OT_{self._pending[0]}.bl_idname" in PANELS, f"no panel has a button {button}"

    press_until_rest = press_and_enter = press

    def press_until(self, button: str, frame: int) -> None:
        """Call the button's operator for the frames from the present one on."""
        self.press(button)
        assert self._pending is not None
        self._pending[1]["frames"] = frame - current_scene().frame_current

    def adjust(self, name: str, value: str) -> None:
        """Have the operator called with this, too."""
        assert self._pending is not None, "nothing was pressed"
        operator, properties = self._pending
        (found,) = [each for each in _properties(operator).values() if each.name == name]
        assert not found.is_hidden, f"{name} is not shown"
        properties[found.identifier] = _typed(found, value)

    def set(self, panel: str, name: str, value: str) -> None:
        """Set the setting of the scene that has this name."""
        self.finish()
        settings = scene_settings()
        (found,) = [each for each in settings.bl_rna.properties if each.name == name]
        setattr(settings, found.identifier, _typed(found, value))

    def put_cursor(self, place: list[float]) -> None:
        """Put the scene's cursor there."""
        self.finish()
        current_scene().cursor.location = place

    def move(self, name: str, axis: str, distance: float) -> None:
        """Change the object's location; in a window only the active one moves."""
        self.finish()
        obj = current_scene().objects[name]
        assert current_view_layer().objects.active == obj, f"{name} has to be clicked first"
        matrix = obj.matrix_world.copy()
        matrix.translation["XYZ".index(axis)] += distance
        obj.matrix_world = matrix
        current_view_layer().update()

    def go_to(self, frame: int) -> None:
        """Set the scene's frame."""
        self.finish()
        current_scene().frame_set(frame)

    def finish(self) -> None:
        """Call the operator that waits for its properties."""
        if self._pending is not None:
            name, properties = self._pending
            self._pending = None
            self.calls.append(call_of(name, properties))
            assert getattr(physplace, name)(**properties) == {"FINISHED"}, name


class SceneEyes:
    """Sees the present scene."""

    def report_says(self, name: str, sentence: str) -> None:
        """Compare the words of an object's last report."""
        report = last_report(current_scene().objects[name])
        assert report is not None
        assert sentence_of(report) == sentence

    def nothing_overlaps(self) -> None:
        """Look for triangles of two meshes that cross, by an oracle of its own, and trust no report."""
        bodies = {obj.name: _triangles(obj) for obj in current_scene().objects if _is_seen(obj)}
        names = sorted(bodies)
        for number, one in enumerate(names):
            for other in names[number + 1 :]:
                assert not len(crossings(bodies[one], bodies[other], _tolerance(one, other))), (one, other)

    def is_within(self, name: str, count: int, other: str) -> None:
        """Count the objects whose origin is in the box around another."""
        around = _triangles(current_scene().objects[other]).reshape(-1, 3)
        places = [
            scenes.world_matrix(obj)[:3, 3] for obj in current_scene().objects if obj.name.startswith(name)
        ]
        inside = [at for at in places if (around.min(axis=0) < at).all() and (at < around.max(axis=0)).all()]
        assert len(inside) >= count, (len(inside), len(places))

    def stands_higher(self, name: str, frame: int, height: float, before: int) -> None:
        """Compare the heights of an object on two frames."""
        heights = []
        for each in (before, frame):
            current_scene().frame_set(each)
            heights.append(scenes.world_matrix(current_scene().objects[name])[2, 3])
        assert abs(heights[1] - heights[0] - height) < 1e-4 * abs(height), heights

    def lies_lower(self, name: str, below: float) -> None:
        """Look at an object on the last frame that is keyed."""
        obj = current_scene().objects[name]
        if obj.animation_data is not None and obj.animation_data.action is not None:
            current_scene().frame_set(int(obj.animation_data.action.frame_range[1]))
        height = scenes.world_matrix(obj)[2, 3]
        assert height < below, height

    def is_between(self, name: str, height: float, other: float) -> None:
        """Look at an object's height as it is."""
        found = scenes.world_matrix(current_scene().objects[name])[2, 3]
        assert height < found < other, found


def _operator_of(button: str) -> str:
    names = [name for name in dir(physplace) if getattr(physplace, name).get_rna_type().name == button]
    assert len(names) == 1, f"buttons named {button}: {names}"
    return names[0]


def _properties(operator: str) -> dict[str, Any]:
    return dict(getattr(physplace, operator).get_rna_type().properties.items())


def _typed(prop: Any, value: str) -> object:
    if prop.type == "BOOLEAN":
        return {"on": True, "off": False}[value]
    return value if prop.type == "STRING" else {"INT": int, "FLOAT": float}[prop.type](value)


def _is_seen(obj: bpy.types.Object) -> bool:
    return isinstance(obj.data, bpy.types.Mesh) and len(obj.data.polygons) > 0 and obj.visible_get()


def _tolerance(*names: str) -> float:
    """How deep shown meshes may cut although nothing overlaps: those of exact surfaces are chords of them."""
    objects = [current_scene().objects[name] for name in names]
    share = 4e-3 if any("surface" in custom_properties(obj) for obj in objects) else 1e-5
    return share * min(max(obj.dimensions[:]) for obj in objects)


def _triangles(obj: bpy.types.Object) -> np.ndarray:
    mesh = mesh_of(obj)
    mesh.calc_loop_triangles()
    corners = np.array([triangle.vertices[:] for triangle in mesh.loop_triangles])
    matrix = scenes.world_matrix(obj)
    points = np.array([vertex.co[:] for vertex in mesh.vertices]) @ matrix[:3, :3].T + matrix[:3, 3]
    triangles: np.ndarray = points[corners]
    return triangles
