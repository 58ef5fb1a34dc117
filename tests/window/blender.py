"""Starts Blender in a window that is on no screen, orders tests from it, and notices all that goes wrong.

A test has failed if an assertion in it fails, if anything in Blender prints a traceback meanwhile (an
operator, a panel, a draw handler), if Blender crashes, or if there is no answer in time. After a failure
Blender is started anew, so that a test never meets what another left behind.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import time
import warnings
from pathlib import Path

from tests.window import staging
from tests.window.programs import SIZE, Programs, Screen
from window_room import ROOT

SECONDS_TO_START = 120.0
FAULTS = re.compile(
    r"Traceback \(most recent call last\)|rna_uiItem|UILayout\.|unknown (operator|menu|panel)"
)
SHOWN_OF_LOG = 6000
# Of the machine, and nothing for Blender to follow.
NOT_OURS = re.compile(r"(WAYLAND_DISPLAY|LANG|LANGUAGE|LC_\w+)$")

# What tests may use in Blender's own Python besides numpy: plain Python code, so it fits any.
LIBRARIES = ("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments")


class Blender:
    """One Blender, started when it is first needed and again after a failure.

    `folder` takes all its files, one folder a start; `pictures` the screenshots.
    """

    def __init__(self, programs: Programs, found: staging.Found, folder: Path, pictures: Path) -> None:
        self.programs = programs
        self.found = found
        self.folder = folder
        self.pictures = pictures
        self.starts = 0
        self.process: subprocess.Popen[bytes] | None = None
        self.screen: Screen | None = None
        self.mailbox = folder
        self.log = folder
        self.why_it_does_not_start: str | None = None

    def run(self, module: str, name: str, arguments: dict[str, object], seconds: float) -> str | None:
        """Do one test; None, or the text that says what went wrong."""
        if self.process is None and self.why_it_does_not_start is None:
            self.why_it_does_not_start = self._started_twice()
        if self.why_it_does_not_start is not None:
            return self.why_it_does_not_start
        problem = self.judged(module, name, arguments, seconds)
        if problem is not None:
            self.close()
        return problem

    def judged(self, module: str, name: str, arguments: dict[str, object], seconds: float) -> str | None:
        """Do one test in a Blender that runs, and leave that running; None, or what went wrong."""
        seen = self.log.stat().st_size
        problem = self._ask(module, name, arguments, seconds)
        printed = self.log.read_bytes()[seen:].decode(errors="replace")
        if problem is None and not FAULTS.search(printed):
            return None
        reason = problem or "An error in Blender while the test ran."
        return f"{reason}\n--- Blender printed ---\n{printed[-SHOWN_OF_LOG:]}"

    def new_user(self, folder: Path) -> None:
        """Make a user's folder with the extension, a copy of the one in which it was installed."""
        shutil.copytree(staging.installed(self.programs, self.found), folder, symlinks=True)

    def quit(self) -> str | None:
        """Let Blender end by itself; None, or what went wrong."""
        if self.process is None:
            return None
        self._order({"name": "quit"})
        try:
            code: object = self.process.wait(SECONDS_TO_START)
        except subprocess.TimeoutExpired:
            code = "none: it hangs"
        self.close()
        if code == 0:
            return None
        printed = self.log.read_text(errors="replace")[-SHOWN_OF_LOG:]
        return f"Blender did not quit cleanly, exit code {code}:\n{printed}"

    def close(self) -> None:
        """End Blender and its screen, whatever they do."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
        if self.screen is not None:
            self.screen.close()
        self.process = self.screen = None

    def _started_twice(self) -> str | None:
        """Start Blender, once more if it does not come up, which the summary then warns of; what went wrong.

        All tests that follow would fail for one start on a machine that had stopped for two minutes.
        """
        problem = self._started()
        if problem is not None:
            warnings.warn(problem, stacklevel=2)
            problem = self._started()
        return problem

    def _started(self) -> str | None:
        """Start Blender; None, or what went wrong."""
        self.starts += 1
        self.mailbox = self.folder / f"start-{self.starts}"
        self.log = self.mailbox / "log.txt"
        self.screen = Screen(self.programs, self.mailbox / "screen")
        libraries = self.mailbox / "libraries"
        _link_libraries(libraries)
        self.new_user(self.mailbox / "user")
        command = [self.programs.blender, "--factory-startup", "--enable-event-simulate"]
        command += ["--gpu-backend", "opengl", "--window-geometry", "0", "0", *map(str, SIZE)]
        command += ["--python", str(Path(__file__).with_name("driver.py")), "--"]
        command += [str(libraries), str(self.mailbox), str(self.screen.dump)]
        environment = {name: value for name, value in os.environ.items() if not NOT_OURS.match(name)}
        environment |= {
            "LC_ALL": "C.UTF-8",  # English, on whatever machine
            "DISPLAY": self.screen.display,
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "BLENDER_USER_RESOURCES": str(self.mailbox / "user"),
        }
        with self.log.open("wb") as log:
            # Blender ends when this pipe does: it never outlives pytest.
            self.process = subprocess.Popen(
                self.programs.command(*command),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=ROOT,
                env=environment,
            )
        problem = self._ask("tests.window.driver", "ready", {}, SECONDS_TO_START)
        if problem is None:
            return None
        self.close()
        return f"Blender did not start: {problem}\n{self.log.read_text(errors='replace')}"

    def _order(self, order: dict[str, object]) -> None:
        unfinished = self.mailbox / "order.unfinished"
        unfinished.write_text(json.dumps(order))
        unfinished.rename(self.mailbox / "order.json")

    def _ask(self, module: str, name: str, arguments: dict[str, object], seconds: float) -> str | None:
        """Order a test and wait for the answer; None, or what went wrong."""
        assert self.process is not None
        pictures = self.pictures / module.rsplit(".", 1)[-1]
        order = {"module": module, "name": name, "arguments": arguments, "pictures": str(pictures)}
        self._order({**order, "seconds": 0.9 * seconds})
        answer, deadline = self.mailbox / "answer.json", time.monotonic() + seconds
        while not answer.exists():
            if self.process.poll() is not None:
                return f"Blender ended, exit code {self.process.returncode}."
            if time.monotonic() > deadline:
                return f"Blender hangs: no answer in {seconds:.0f} s."
            time.sleep(0.01)
        error = json.loads(answer.read_text())["error"]
        answer.unlink()
        return None if error is None else str(error)


def _link_libraries(folder: Path) -> None:
    folder.mkdir()
    for library in LIBRARIES:
        spec = importlib.util.find_spec(library)
        assert spec is not None, library
        source = Path(str(spec.origin))
        source = source.parent if source.name == "__init__.py" else source
        (folder / source.name).symlink_to(source)
