"""Runs inside Blender: does one test after another as they are ordered, a step a tick.

A test is a coroutine. Each tick of Blender's main loop resumes it until its next `await`. Orders come and
answers go as JSON files in a folder (see blender.py): {"module", "name", "arguments", ...} there, {"error"}
back, null if all went well.
"""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import json
import os
import select
import sys
import time
import traceback
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import bpy

C_LIBRARY = ctypes.CDLL(None)

TICK = 0.005  # seconds between two steps of a test, in which operators tick by timers of their own
# Seconds to sleep in a turn of the main loop without a step: where events are simulated, Blender itself never
# sleeps, and takes a core from the other Blender that is tested.
TURN = 0.001
ROOT = Path(__file__).resolve().parent.parent.parent
TESTS = str(ROOT / "tests")
WIDEST_VALUE = 200


class Driver:
    """What goes on in this Blender. `folder` is where orders and answers are."""

    def __init__(self, folder: Path, screen_dump: Path) -> None:
        self.folder = folder
        self.screen_dump = screen_dump
        self.running: Coroutine[Any, None, None] | None = None
        self.due = 0.0

    def tick(self) -> float:
        """Take one step of what is running, or see whether there is an order, once it is time for that."""
        left = self.due - time.monotonic()
        if left > 0.0:
            time.sleep(min(left, TURN))
            return 0.0
        self.due = time.monotonic() + TICK
        if select.select([sys.stdin], [], [], 0)[0]:
            os._exit(1)  # pytest is gone
        self._flush()
        if self.running is None:
            self._take_order()
        if self.running is not None:
            self._step()
        return 0.0

    def _flush(self) -> None:
        """What Python and Blender itself have printed is in the log, even if the next step crashes."""
        sys.stdout.flush()
        sys.stderr.flush()
        C_LIBRARY.fflush(None)

    def _take_order(self) -> None:
        path = self.folder / "order.json"
        if not path.exists():
            return
        order = json.loads(path.read_text())
        path.unlink()
        if order["name"] == "quit":
            bpy.ops.wm.quit_blender()
            return
        faulthandler.dump_traceback_later(order["seconds"])
        self.running = self._perform(order)

    def _step(self) -> None:
        assert self.running is not None
        try:
            with _context_of_the_viewport():
                self.running.send(None)
        except StopIteration:
            self._answer(None)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            self._answer(_explain(error))

    def _answer(self, error: str | None) -> None:
        faulthandler.cancel_dump_traceback_later()
        self.running = None
        self._flush()
        unfinished = self.folder / "answer.unfinished"
        unfinished.write_text(json.dumps({"error": error}))
        unfinished.rename(self.folder / "answer.json")

    async def _perform(self, order: dict[str, Any]) -> None:
        from tests.blender_data import preferences
        from tests.window import extension, rewriting
        from tests.window.user import User

        user = User(self.screen_dump, Path(order["pictures"]))
        await _fresh_start(user)
        if extension.MODULE not in preferences().addons:
            extension.enable()
            gc.collect()
            gc.freeze()  # what is loaded are 120,000 objects that stay: each collection would take 0.12 s
        test = getattr(rewriting.load(order["module"], ROOT), order["name"])
        await test(user=user, **order["arguments"])
        await user.wait()
        under_way = extension.open_sessions()
        assert not under_way, f"the test has left an operator open: {under_way}"
        listen = extension.listeners()
        assert not listen, f"what has ended listens to changes still: {listen}"


async def _fresh_start(user: Any) -> None:
    """An empty scene in one 3D viewport, the tool that Blender begins with, the mouse beside the toolbar."""
    from tests.window import afresh

    await afresh.begin(user)
    with _context_of_the_viewport():
        bpy.ops.wm.tool_set_by_id(name="builtin.select_box")  # Blender 5.2 keeps the one that was chosen
    await user.move_to((user.region().x + user.region().width // 3, user.region().y + 100))


def _context_of_the_viewport() -> Any:
    """The context that a script sees which the artist starts with the mouse over the 3D viewport."""
    from tests.blender_data import window_manager

    window = window_manager().windows[0]
    area = next((area for area in window.screen.areas if area.type == "VIEW_3D"), None)
    if area is None:
        return bpy.context.temp_override(window=window)
    region = next(region for region in area.regions if region.type == "WINDOW")
    return bpy.context.temp_override(window=window, area=area, region=region)


def _explain(error: BaseException) -> str:
    """The traceback from the test on, with the values of its variables."""
    report = traceback.TracebackException.from_exception(error, capture_locals=True)
    report.stack = traceback.StackSummary.from_list([f for f in report.stack if f.filename != __file__])
    for frame in report.stack:
        is_of_a_test = frame.filename.startswith(TESTS) and frame.name != "<module>"
        values = (frame.locals or {}).items() if is_of_a_test else ()
        frame.locals = {name: value[:WIDEST_VALUE] for name, value in values if name[0] != "@"}
    return "".join(report.format())


async def ready(user: Any) -> None:
    """The test that does nothing: Blender is up and the extension is enabled."""


def _prefer_what_tests_need() -> None:
    from tests.blender_data import preferences

    chosen = preferences()
    chosen.use_preferences_save = False
    chosen.view.show_splash = False
    chosen.view.show_tooltips = False
    chosen.view.smooth_view = 0
    chosen.system.viewport_aa = "OFF"


def main() -> None:
    """Be ready for orders; the words after `--` are pytest's folder, where orders are, and the screen."""
    libraries, folder, screen_dump = sys.argv[sys.argv.index("--") + 1 :]
    sys.path.insert(0, str(ROOT))
    sys.path.append(libraries)
    _prefer_what_tests_need()
    bpy.app.timers.register(Driver(Path(folder), Path(screen_dump)).tick, persistent=True)


if __name__ == "__main__":
    main()
