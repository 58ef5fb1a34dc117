"""What an artist does in the window to follow a recipe of the manual: with mouse and keys alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

import bpy
from bpy_extras import view3d_utils
from mathutils import Vector

from tests.blender_data import active_object, current_scene, physplace, window_manager
from tests.window import extension
from tests.window.user import Place, User

AMID = ((0, 0), (2, 0), (-2, 0), (0, 2), (0, -2))  # pixels: so thin is a handle
AROUND = [(10 * i, 10 * j) for i in (-1, 0, 1) for j in (-1, 0, 1)]  # Blender takes what is in front there
PANELS = ("Place", "Simulate", "Jointed Figures", "Blobs")  # of the tab, from the top
PANEL_OF = {
    **{"Simulate": "Simulate", "Sit Down": "Jointed Figures"},
    **dict.fromkeys(("Add Blob", "Add Control Point", "Sculpt Blob"), "Blobs"),
}
TITLE, PITCH = 12, 28  # pixels: of the first title, and to the next title
FIRST = (31, 45)  # pixels from a title to its first buttons, of which one may lie beside the middle
BUTTON = 21  # pixels from a button to the next one
GIZMOS = 50  # pixels at the right of the view
MIDDLE, RIGHT = (0.5, 0.2), (0.84,)  # where buttons are, over the width of the sidebar
AT_RIGHT = {"Keyframe Rest"}
AT_REST = re.compile(r"[:;] at rest")


class WindowHands:
    """Does what a recipe says, as an artist would."""

    def __init__(self, user: User) -> None:
        self._user = user
        self._found: dict[str, Place] = {}  # where buttons were the last time

    async def choose(self, entry: str, button: str) -> None:
        """Open the menu of a button, and choose an entry."""
        user, name = self._user, _names()[button]
        await self._open_panel(button)
        if button == "Open Example":  # in the title of the first panel
            region = user.region("UI")
            await user.click((region.x + region.width - 60, region.y + region.height - TITLE))
        else:  # Add Blob; Blender does not tell of a menu what it is of
            x, y = await user.find_button("physplace.blob_control_add")
            await user.click((x, y + BUTTON))
        found = [
            f"{prop.identifier}='{item.identifier}'"
            for prop in _properties(name).values()
            if prop.type == "ENUM"
            for item in prop.enum_items
            if item.name == entry
        ]
        await user.choose_in_open_menu(found[0])
        await user.wait(6)

    async def click(self, names: list[str]) -> None:
        """Click objects, each but the first with Shift."""
        for number, name in enumerate(names):
            place = await self._place_of(name)
            await self._user.click(place, shift=number > 0)
            assert active_object().name == name

    async def _place_of(self, name: str) -> Place:
        """Return where an object can be clicked: if it is nowhere seen, without the sidebar, then from nearer
        and nearer, as who knows Blender looks.
        """
        user, obj = self._user, current_scene().objects[name]
        for nearer in (False, False, True, True, True, True):
            place = self._seen(name)
            if place is not None:
                return place
            if nearer:
                user.view.view_location = obj.matrix_world.translation
                user.view.view_distance *= 0.6
            user.space.show_region_ui = False
            await user.wait(20)
        raise AssertionError(f"{name} is not seen")

    async def press(self, button: str) -> None:
        """Press a button of the sidebar, which needs no more than that."""
        await self._press(button)
        await self._ended()

    async def press_until_rest(self, button: str) -> None:
        """Press a button of the sidebar; confirm once it is at rest."""
        await self._press(button)
        await self._user.until(lambda: any(map(AT_REST.search, extension.headers())), ticks=3000)
        await self._enter()

    async def press_and_enter(self, button: str) -> None:
        """Press a button of the sidebar, and Enter."""
        await self._press(button)
        await self._enter()

    async def press_until(self, button: str, frame: int) -> None:
        """Press a button that simulates; confirm once a frame is shown."""
        await self._press(button)
        await self._user.until(lambda: current_scene().frame_current >= frame, ticks=3000)
        await self._enter()

    async def adjust(self, name: str, value: str) -> None:
        """Set a property in Adjust Last Operation, at the lower left."""
        user, operator = self._user, window_manager().operators[-1]
        properties: Any = operator.properties
        (prop,) = [each for each in properties.bl_rna.properties if each.name == name]
        await user.until(lambda: user.region("HUD").height > 1)
        region = user.region("HUD")
        if region.height < 2 * PITCH:  # it is folded
            await user.click((region.x + BUTTON, region.y + region.height - TITLE))
            await user.wait(10)
        place = await self._field(f"{operator.bl_idname}.{prop.identifier}", "HUD")
        if prop.type == "BOOLEAN":
            await user.click(place)
        else:
            await user.type_into(place, value)
        await user.wait(6)

    async def put_cursor(self, place: list[float]) -> None:
        """Type the 3D cursor's place into the tab View."""
        user = self._user
        await user.open_tab("View")
        await user.type_into(await self._field("View3DCursor.location"), *(f"{number:g}" for number in place))

    async def move(self, name: str, axis: str, distance: float) -> None:
        """Move the active object along an axis with Blender's own keys."""
        assert active_object().name == name, "it has to be clicked first"
        await self._user.move_to(self._in_the_view())
        await self._user.press("G")
        await self._user.press(axis)
        await self._user.type_text(f"{distance:g}")
        await self._user.press("RET")

    async def go_to(self, frame: int) -> None:
        """Go to a later frame by the arrow keys."""
        await self._user.move_to(self._in_the_view())
        while current_scene().frame_current < frame:
            await self._user.press("RIGHT_ARROW")

    # What the rest is made of

    async def _press(self, button: str) -> None:
        user, name = self._user, f"physplace.{_names()[button]}"
        await self._open_panel(button)
        if name in self._found:
            await user.move_to(self._found[name])
        if f"{name}(" not in user.command_under_mouse():
            self._found[name] = await user.find_button(name, shares=RIGHT if button in AT_RIGHT else MIDDLE)
        await user.click()

    async def _field(self, name: str, region: str = "UI") -> Place:
        """Put the mouse on a field: where it was the last time, or else wherever it is."""
        if name in self._found:
            await self._user.move_to(self._found[name])
        if self._user.item_under_mouse(region) != name:
            self._found[name] = await self._user.find_field(name, region)
        return self._found[name]

    async def _enter(self) -> None:
        await self._user.move_to(self._in_the_view())
        await self._user.press("RET")
        await self._ended()

    async def _ended(self) -> None:
        await self._user.until(lambda: not extension.open_sessions(), ticks=3000)

    async def _open_panel(self, button: str) -> None:
        """Open the panel of a button, and fold those above it, for it may be out of sight below them."""
        user, wanted = self._user, PANEL_OF.get(button, "Place")
        if user.open_tab_name() != "PhysPlace":
            await user.open_tab()
        region = user.region("UI")
        x, y = region.x + region.width // 2, region.y + region.height - TITLE
        for panel in PANELS[: PANELS.index(wanted) + 1]:
            is_open = False
            for below in FIRST:
                await user.move_to((x, y - below))
                is_open |= user.item_under_mouse() != ""
            if is_open != (panel == wanted):
                await user.click((region.x + 2 * BUTTON, y))
                await user.wait(10)
            y -= PITCH

    def _in_the_view(self) -> Place:
        region = self._user.region()
        return region.x + region.width // 3, region.y + region.height // 3

    def _seen(self, name: str) -> Place | None:
        """A place of the window where an object is seen, and nothing else some pixels around it; or None."""
        obj = current_scene().objects[name]
        evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
        mesh: Any = evaluated.data
        places = [*(face.center for face in mesh.polygons), *(corner.co for corner in mesh.vertices)]
        pixels = [self._user.at(obj.matrix_world @ place) for place in places]
        free = (place for place in dict.fromkeys(pixels) if self._is_free(*place))
        return next((place for place in free if self._is_amid(place, name)), None)

    def _is_amid(self, place: Place, name: str) -> bool:
        """Whether an object is seen at a place and beside it, and nothing in front of it around."""
        x, y = place
        if any(self._under((x + dx, y + dy))[0] != name for dx, dy in AMID):
            return False
        _, far = self._under(place)
        seen = [self._under((x + dx, y + dy)) for dx, dy in AROUND]
        return all(other == name or distance > far for other, distance in seen)

    def _is_free(self, x: int, y: int) -> bool:
        """Whether nothing of Blender's is over the view there: no region, no buttons at the right."""
        view, sidebar = self._user.region(), self._user.region("UI")
        right = sidebar.x if self._user.space.show_region_ui else view.x + view.width
        inside = view.x <= x and view.y <= y < view.y + view.height
        beside = [each for each in self._user.area.regions if each.type not in ("WINDOW", "UI")]
        over = any(0 <= x - each.x < each.width and 0 <= y - each.y < each.height for each in beside)
        return inside and not over and x < right - GIZMOS

    def _under(self, place: Place) -> tuple[str, float]:
        """The name of what is seen at a place of the window, and how far away; "" for nothing."""
        region, view = self._user.region(), self._user.view
        at = Vector((place[0] - region.x, place[1] - region.y))
        ray = view3d_utils.region_2d_to_vector_3d(region, view, at)
        eye = view3d_utils.region_2d_to_origin_3d(region, view, at)
        scene = cast("Any", current_scene())  # the stub says that a ray gives nothing
        hits, at_place, *_, found, _ = scene.ray_cast(bpy.context.evaluated_depsgraph_get(), eye, ray)
        return (str(found.name), (at_place - eye).length) if hits else ("", float("inf"))


class Steps:
    """Takes down what hands are to do: (what, with which words)."""

    def __init__(self) -> None:
        self.all: list[tuple[str, tuple[Any, ...]]] = []

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *words: self.all.append((name, words))


def _names() -> dict[str, str]:
    """The names of operators by their buttons' words."""
    return {getattr(physplace, name).get_rna_type().name: name for name in dir(physplace)}


def _properties(operator: str) -> dict[str, Any]:
    return dict(getattr(physplace, operator).get_rna_type().properties.items())
