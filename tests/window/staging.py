"""Installs PhysPlace in a Blender from its zip, as an artist does.

A Blender whose Python the zip has wheels for gets the zip of this platform; one that a distribution has built
with another Python gets the zip without wheels, and uses the distribution's scipy.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import tomllib
from pathlib import Path
from typing import NamedTuple

import extension_zips
from tests.window.programs import Programs

INSTALLED = extension_zips.ROOT / "build" / "installed"

PROBE = """
import json, sys, bpy
print("PROBE", json.dumps([bpy.app.version_string, list(sys.version_info[:2])]))
"""


class Found(NamedTuple):
    """What a Blender is."""

    version: str
    python: tuple[int, int]


def probe(programs: Programs) -> Found:
    """Ask Blender what it is; raises RuntimeError if it does not start."""
    words = [programs.blender, "--background", "--factory-startup", "--python-expr", PROBE]
    command = programs.command(*words)
    answer = subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=extension_zips.ROOT
    )
    line = re.search("^PROBE (.*)$", answer.stdout, re.MULTILINE)
    if line is None:
        raise RuntimeError(f"{programs.blender} does not start:\n{answer.stdout}{answer.stderr}")
    version, (major, minor) = json.loads(line[1])
    return Found(version, (major, minor))


def package_for(found: Found) -> Path:
    """Return the zip that an artist would take for this Blender."""
    names = tomllib.loads(extension_zips.MANIFEST.read_text())["wheels"]
    has_wheel = any("-cp{}{}-".format(*found.python) in name for name in names)
    return extension_zips.package_for(
        extension_zips.this_platform() if has_wheel else extension_zips.SYSTEM_SCIPY
    )


def installed(programs: Programs, found: Found) -> Path:
    """Return a user's folder in which the zip is installed, which the first run after a build makes.

    Raises RuntimeError if Blender does not install it, or prints a traceback.
    """
    if not extension_zips.up_to_date():
        extension_zips.build()
    folder = INSTALLED / f"{found.version}-{extension_zips.BUILT_FROM.read_text()}"
    if not folder.exists():
        INSTALLED.mkdir(parents=True, exist_ok=True)
        for old in INSTALLED.glob(f"{found.version}-*"):
            shutil.rmtree(old)
        unfinished = Path(tempfile.mkdtemp(dir=INSTALLED))
        install(programs, found, unfinished)
        unfinished.rename(folder)
    return folder


def install(programs: Programs, found: Found, user_folder: Path) -> None:
    """Install the zip in a user's folder; raises RuntimeError if Blender does not, or prints a traceback."""
    words = [programs.blender, "--command", "extension", "install-file", "--repo", "user_default", "--enable"]
    answer = subprocess.run(
        programs.command(*words, str(package_for(found))),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        cwd=extension_zips.ROOT,
        env={**os.environ, "BLENDER_USER_RESOURCES": str(user_folder)},
    )
    printed = answer.stdout + answer.stderr
    if answer.returncode != 0 or "Traceback" in printed or "Error" in printed:
        raise RuntimeError(f"the extension does not install in Blender {found.version}:\n{printed}")
