"""A simulated user: mouse, keyboard and screen of the one Blender window.

Everything that takes time is awaited. Time is counted in ticks: one turn of Blender's main loop, in which it
handles the events, then draws. Places are (x, y) pixels of the window, from its lower left corner.
"""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, cast

import bpy
import numpy as np
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Quaternion, Vector

from physplace_addon.scene.access import present
from tests.blender_data import current_view_layer, of_type, operators_of, window_manager
from tests.window import extension, framebuffer

Place = tuple[int, int]
Point = Sequence[float] | Vector | np.ndarray

FROM_THE_FRONT = Quaternion((1.0, 0.0, 0.0), 1.5707963267948966)

PAGES, PAGE = 3, 8  # how often to scroll on in a region, and by how many turns of the wheel

DIGITS = ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")
SHARES = (0.5, 0.2, 0.84)  # of a region's width, at which buttons are
KEYS = {**dict(zip("0123456789", DIGITS, strict=True)), ".": "PERIOD", "-": "MINUS", " ": "SPACE"}


@contextmanager
def looked_up() -> Iterator[list[str]]:
    """Take down what Blender looks up in its manual, without opening that."""
    found: list[str] = []
    operator: Any = importlib.import_module("bl_operators.wm").WM_OT_doc_view_manual
    before = operator.execute

    def execute(self: Any, _context: object) -> set[str]:
        found.append(self.doc_id)
        return {"CANCELLED"}

    operator.execute = execute
    try:
        yield found
    finally:
        operator.execute = before


@types.coroutine
def tick() -> Generator[None]:
    """Let Blender go once round its main loop."""
    yield


class User:
    """Events and pictures of the window.

    screen_dump: Xvfb's screen. pictures: the folder of screenshots. found: where the buttons of operators
    were last, in this Blender, with their commands.
    """

    found: ClassVar[dict[tuple[str, str, Sequence[float]], tuple[Place, str]]] = {}

    def __init__(self, screen_dump: Path, pictures: Path) -> None:
        self.screen_dump = screen_dump
        self.pictures = pictures
        self.place: Place = (0, 0)

    @property
    def window(self) -> bpy.types.Window:
        """The window."""
        return window_manager().windows[0]

    @property
    def area(self) -> bpy.types.Area:
        """The 3D viewport."""
        return next(area for area in self.window.screen.areas if area.type == "VIEW_3D")

    @property
    def space(self) -> bpy.types.SpaceView3D:
        """What the 3D viewport shows."""
        return of_type(self.area.spaces.active, bpy.types.SpaceView3D)

    @property
    def view(self) -> bpy.types.RegionView3D:
        """From where the 3D viewport looks."""
        return present(self.space.region_3d)

    def region(self, kind: str = "WINDOW") -> bpy.types.Region:
        """A region of the 3D viewport: WINDOW, UI (the sidebar), TOOLS, HEADER, HUD (the redo panel)."""
        return next(region for region in self.area.regions if region.type == kind)

    # Time

    async def wait(self, ticks: int = 3) -> None:
        """Let Blender work through its events and draw."""
        for _ in range(ticks):
            await tick()

    async def until(self, condition: Callable[[], object], ticks: int = 500) -> None:
        """Wait for something; fail if it has not come after so many ticks."""
        for _ in range(ticks):
            if condition():
                return
            await tick()
        await self.screenshot("still-waiting")
        raise AssertionError(
            f"still waiting after {ticks} ticks; {extension.headers() or 'nothing is running'}"
        )

    # Keyboard

    async def press(
        self, key: str, *, shift: bool = False, ctrl: bool = False, alt: bool = False, text: str = ""
    ) -> None:
        """Press and release a key by Blender's name for it ("SPACE", "RET", "G"), with modifiers held."""
        held = {"shift": shift, "ctrl": ctrl, "alt": alt}
        await self._modifiers(held, "PRESS")
        letter = "" if ctrl or alt or len(key) > 1 else key if shift else key.lower()
        self._event(key, "PRESS", unicode=text or letter or None, **held)
        await self.wait(1)
        self._event(key, "RELEASE", **held)
        await self._modifiers(held, "RELEASE")
        await self.wait()

    async def type_text(self, text: str) -> None:
        """Type letters, digits, points and minus signs."""
        for letter in text:
            key = KEYS.get(letter, letter.upper())
            await self.press(key, shift=letter.isupper(), text=letter)

    async def undo(self) -> None:
        """Ctrl Z."""
        await self.press("Z", ctrl=True)

    async def redo(self) -> None:
        """Ctrl Shift Z."""
        await self.press("Z", ctrl=True, shift=True)

    # Mouse

    async def move_to(self, place: Sequence[float]) -> None:
        """Put the mouse somewhere."""
        self.place = (int(place[0]), int(place[1]))
        self._event("MOUSEMOVE", "NOTHING")
        await self.wait(2)

    async def click(
        self,
        place: Sequence[int] | None = None,
        button: str = "LEFTMOUSE",
        *,
        shift: bool = False,
        ctrl: bool = False,
        alt: bool = False,
    ) -> None:
        """Click somewhere, or where the mouse is."""
        if place is not None:
            await self.move_to(place)
        await self.press(button, shift=shift, ctrl=ctrl, alt=alt)

    async def drag(
        self,
        start: Sequence[int],
        *stops: Sequence[int],
        steps: int = 10,
        button: str = "LEFTMOUSE",
        shift: bool = False,
        ctrl: bool = False,
        alt: bool = False,
    ) -> None:
        """Press at the start, move by so many steps to each stop, release."""
        held = {"shift": shift, "ctrl": ctrl, "alt": alt}
        await self.move_to(start)
        await self.hold(button, **held)
        for stop in stops:
            await self.glide_to(stop, steps, **held)
        await self.release(button, **held)

    async def hold(self, button: str = "LEFTMOUSE", **held: bool) -> None:
        """Press a button or key and keep it down, so that a test can look at what happens meanwhile."""
        await self._modifiers(held, "PRESS")
        self._event(button, "PRESS", **held)
        await self.wait(1)

    async def release(self, button: str = "LEFTMOUSE", **held: bool) -> None:
        """Let go of what is held."""
        self._event(button, "RELEASE", **held)
        await self._modifiers(held, "RELEASE")
        await self.wait()

    async def glide_to(self, place: Sequence[float], steps: int = 10, **held: bool) -> None:
        """Move the mouse straight to a place by so many events, one a tick."""
        x, y = self.place
        for step in range(1, steps + 1):
            share = step / steps
            self.place = (round(x + share * (place[0] - x)), round(y + share * (place[1] - y)))
            self._event("MOUSEMOVE", "NOTHING", **held)
            await self.wait(1)

    # Places

    def at(self, point: Point) -> Place:
        """Where a point of the scene is on the screen."""
        region, place = self.region(), np.array(point).tolist()
        seen = location_3d_to_region_2d(region, self.view, Vector(place))
        assert seen is not None, f"{tuple(place)} is behind the viewer"
        return round(region.x + seen.x), round(region.y + seen.y)

    async def look_from_the_front(
        self, centre: Sequence[float] = (0.0, 0.0, 2.0), distance: float = 20.0
    ) -> None:
        """Look along +y without perspective: x is to the right, z up."""
        view = self.view
        view.view_perspective, view.view_rotation = "ORTHO", FROM_THE_FRONT
        view.view_location, view.view_distance = centre, distance
        await self.wait()

    # Buttons and menus

    async def open_tab(self, tab: str = "PhysPlace") -> None:
        """Open a tab of the sidebar, which knows its tabs once it has been drawn with them."""
        self.space.show_region_ui = True
        self.region("UI").tag_redraw()
        await self.until(lambda: not self.region("UI").is_property_readonly("active_panel_category"))
        await self.wait()
        cast("Any", self.region("UI")).active_panel_category = tab
        self.region("UI").tag_redraw()
        await self.wait()
        assert self.region("UI").active_panel_category == tab

    def open_tab_name(self) -> str:
        """The name of the tab of the sidebar that is open; "" where the sidebar is hidden."""
        region: Any = self.region("UI")
        is_drawn = self.space.show_region_ui and not region.is_property_readonly("active_panel_category")
        return str(region.active_panel_category) if is_drawn else ""

    async def find_button(self, operator: str, region: str = "UI", shares: Sequence[float] = SHARES) -> Place:
        """Put the mouse on the button of an operator ("physplace.place"): where that is.

        Looks for it as the artist would, moving the mouse over the region, first to where it was last; where
        what is shown of the region has none, scrolls on.
        """
        known = self.found.get((operator, region, shares))
        if known is not None:
            await self.move_to(known[0])
            if self.command_under_mouse(region) == known[1]:
                return known[0]
        for _ in range(PAGES):
            for place in self._places_over(self.region(region), shares):
                await self.move_to(place)
                command = self.command_under_mouse(region)
                if f"{operator}(" in command:
                    self.found[operator, region, shares] = place, command
                    return place
            await self.scroll(PAGE, region)
        raise AssertionError(f"no button for {operator} was found in the region {region}")

    async def scroll(self, notches: int, region: str = "UI") -> None:
        """Turn the wheel over a region, towards its end."""
        over = self.region(region)
        await self.move_to((over.x + over.width // 3, over.y + over.height // 2))
        for _ in range(notches):
            await self.press("WHEELDOWNMOUSE")

    async def click_button(self, operator: str, region: str = "UI") -> None:
        """Click the button of an operator."""
        await self.click(await self.find_button(operator, region))

    def command_under_mouse(self, region: str = "UI") -> str:
        """The command of the button under the mouse, as Blender would write it in Python; "" if none."""
        with bpy.context.temp_override(window=self.window, area=self.area, region=self.region(region)):
            if not operators_of("ui").copy_python_command_button.poll():
                return ""
            window_manager().clipboard = ""
            bpy.ops.ui.copy_python_command_button()
        return window_manager().clipboard

    def item_under_mouse(self, region: str = "UI") -> str:
        """What the button or field under the mouse is, as the manual's index has it; "" if there is none.

        "PHYSPLACE_OT_x.radius" of a property, or "physplace.x" of an operator.
        """
        with bpy.context.temp_override(window=self.window, area=self.area, region=self.region(region)):
            if not operators_of("wm").doc_view_manual_ui_context.poll():
                return ""
            with looked_up() as found:
                bpy.ops.wm.doc_view_manual_ui_context()
        return found[0].removeprefix("bpy.types.").removeprefix("bpy.ops.") if found else ""

    async def find_field(self, field: str, region: str = "UI") -> Place:
        """Put the mouse on a field ("View3DCursor.location"), of several on the uppermost: where that is."""
        for place in self._places_over(self.region(region), shares=(0.75,)):
            await self.move_to(place)
            if self.item_under_mouse(region) == field:
                return place
        raise AssertionError(f"no field {field} was found in the region {region}")

    async def type_into(self, place: Place, *texts: str) -> None:
        """Click a field, and type into it and those after it."""
        await self.click(place)
        for number, text in enumerate(texts):
            if number:
                await self.press("TAB")
            await self.press("A", ctrl=True)
            await self.type_text(text)
        await self.press("RET")

    async def choose_in_open_menu(self, command: str, most: int = 60) -> None:
        """Choose the entry of the open menu whose command has some text, by the Down key."""
        manager = window_manager()
        for _ in range(most):
            await self.press("DOWN_ARROW")
            manager.clipboard = ""
            await self.press("C", ctrl=True)
            if command in manager.clipboard:
                await self.press("RET")
                return
        await self.screenshot("menu")
        raise AssertionError(f"the menu has no entry {command}")

    async def entries_of_open_menu(self, most: int = 60) -> list[str]:
        """The commands of the menu that is open, from the top, by the Down key and Ctrl C on each entry."""
        manager = window_manager()
        entries: list[str] = []
        for _ in range(most):
            await self.press("DOWN_ARROW")
            manager.clipboard = ""
            await self.press("C", ctrl=True)
            if entries and manager.clipboard == entries[0]:
                return entries
            entries.append(manager.clipboard)
        raise AssertionError(f"the menu has more than {most} entries: {entries}")

    # What is seen

    async def screenshot(self, name: str) -> Path:
        """Keep a picture of the window."""
        await self.wait()
        path = self.pictures / f"{name}.png"
        framebuffer.write_png(path, framebuffer.screen(self.screen_dump))
        return path

    # The scene

    def scene_is_ready(self) -> None:
        """The scene that the test has built is what undo goes back to."""
        current_view_layer().update()
        bpy.ops.ed.undo_push(message="The test's scene")

    # What the rest is made of

    def _event(self, kind: str, value: str, **words: object) -> None:
        x, y = self.place
        cast("Any", self.window).event_simulate(type=kind, value=value, x=x, y=y, **words)

    async def _modifiers(self, held: dict[str, bool], value: str) -> None:
        for modifier in (name for name, is_held in held.items() if is_held):
            self._event(f"LEFT_{modifier.upper()}", value)
            await self.wait(1)

    def _places_over(self, region: bpy.types.Region, shares: Sequence[float]) -> Generator[Place]:
        """Places of which at least one is on each button: those are 20 pixels high."""
        for share in shares:
            x = region.x + int(share * region.width)
            yield from ((x, y) for y in range(region.y + region.height - 4, region.y, -16))
