# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the window tests: tests/window, in a real Blender with a window, worked by simulated events.

    python3 tools/test_window.py                    Blender 4.3 of Debian trixie, in a room made for it
    python3 tools/test_window.py --blender sid      Blender 5.2 LTS of Debian sid
    python3 tools/test_window.py --blender /path/to/blender
    further words go to pytest

The window is one of Xvfb's, an X server without a screen, so nothing disturbs the tests and they disturb
nobody. Where no Blender can be had this fails and says what to do; with --available a room that cannot be
made is listed as not run instead.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time

import pythons
import setup
import window_room

ADVICE = """\
{reason}.
The window tests need a Blender. Debian as root makes one by itself; elsewhere, on Linux:
  1. get Blender 4.3 or newer from blender.org or from the distribution;
  2. install Xvfb and Mesa's OpenGL (on Debian and Ubuntu: apt-get install xvfb libgl1-mesa-dri libegl1);
  3. make test-window BLENDER=/path/to/blender"""


class NoBlender(Exception):
    """There is no Blender to test with; the message says how to get one."""


class NoRoom(NoBlender):
    """A room was wanted and could not be made."""


def options_for(blender: str) -> list[str]:
    """What tells pytest which Blender to start.

    Raises NoBlender.
    """
    if blender in window_room.SUITES:
        try:
            return ["--room", str(window_room.make(blender))]
        except window_room.RoomError as error:
            reason = f"A room with the Blender of Debian {blender} cannot be made: {error}"
            raise NoRoom(ADVICE.format(reason=reason)) from error
    program = shutil.which(blender)
    if program is None:
        raise NoBlender(ADVICE.format(reason=f"{blender} is not a program that can be started"))
    if shutil.which("Xvfb") is None:
        raise NoBlender(ADVICE.format(reason="Xvfb was not found"))
    return ["--blender", program]


def main() -> int:
    """Get a Blender, run pytest; its exit code."""
    parser = argparse.ArgumentParser(description="Runs the tests that need a Blender with a window.")
    parser.add_argument("--blender", default="trixie", help="a program, or trixie, or sid")
    parser.add_argument("--available", action="store_true", help="no failure where a room cannot be made")
    arguments, words = parser.parse_known_args()
    try:
        setup.set_up_blender(setup.default_blender(), setup.ROOT / ".venv")
        options = options_for(arguments.blender)
    except NoRoom as error:
        print(f"\nNOT RUN: {error}", file=sys.stderr)
        return 0 if arguments.available else 1
    except (NoBlender, setup.SetupError, pythons.PythonError) as error:
        print(f"\nwindow tests: {error}", file=sys.stderr)
        return 1
    started = time.monotonic()
    command = [str(setup.ROOT / ".venv" / "bin" / "python"), "-m", "pytest", "tests/window", *options, *words]
    code = subprocess.run(command, cwd=setup.ROOT, stdin=subprocess.DEVNULL).returncode
    outcome = "FAILED" if code else "passed"
    print(f"Window tests, {arguments.blender}: {outcome} in {time.monotonic() - started:.0f} s")
    return code


if __name__ == "__main__":
    sys.exit(main())
