# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the virtual environments that the Makefile's targets run in.

    python3 tools/setup.py                       Blender's newest LTS for this Python, in .venv
    python3 tools/setup.py --blender 4.2         that Blender, in .venv-4.2
    python3 tools/setup.py --tools checks        the linter and the type checker, in .venv-checks
    python3 tools/setup.py --tools manual        the generator of the manual's site, in .venv-manual

Versions are pinned in requirements/. An environment that is already as its pins say is left alone. Runs under
any Python from 3.9 on, and needs nothing but that Python.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pythons
import shared_libraries

ROOT = Path(__file__).resolve().parent.parent

# Which Python each Blender is made for. The order is the order of preference within one Python.
BLENDERS = {"4.5": (3, 11), "5.2": (3, 13), "4.2": (3, 11)}

# Environments without Blender; each has its file in requirements/.
TOOLS = ("checks", "manual")

STAMP = "physplace-pins"


class SetupError(Exception):
    """The environment cannot be made; the message says what to do."""


def default_blender() -> str:
    """The Blender for the Python that runs this script, else for any that this machine has."""
    running = sys.version_info[:2]
    for blender, version in sorted(BLENDERS.items(), key=lambda item: item[1] != running):
        try:
            pythons.find(version)
        except pythons.PythonError:
            if version == running:
                raise
            continue
        return blender
    raise pythons.PythonError(
        f"This is Python {pythons.name_of(running)}, and neither Python 3.11 nor Python 3.13 was found,\n"
        "on PATH or in pyenv. Blender's module needs one of these two: install it, or say where it is:\n"
        "    make PYTHON=/path/to/python3.11 ..."
    )


def pins(requirements: Path) -> str:
    """The text of a requirements file and of those it includes."""
    lines = requirements.read_text().splitlines()
    included = [line.split()[1] for line in lines if line.startswith("-r ")]
    return "\n".join(lines + [pins(requirements.parent / name) for name in included])


def stamp_of(requirements: Path, python: str) -> str:
    """A text that changes when the pins or the interpreter do."""
    return hashlib.sha256((pins(requirements) + python).encode()).hexdigest() + "\n"


def is_whole(folder: Path, version: pythons.Version) -> bool:
    """Whether the folder holds a working environment of this Python; venv installs pip last of all."""
    found = pythons.probe(str(folder / "bin" / "python"))
    return found is not None and found[0] == version and (folder / "bin" / "pip").exists()


def create(folder: Path, python: str, version: pythons.Version) -> None:
    """Make an empty environment, in place of one that is broken or has another Python."""
    if folder.exists() and not is_whole(folder, version):
        shutil.rmtree(folder)
    if not folder.exists() and subprocess.run([python, "-m", "venv", str(folder)]).returncode != 0:
        shutil.rmtree(folder, ignore_errors=True)
        raise SetupError(f"{python} could not make the environment {folder}; its own message is above.")


def install(folder: Path, requirements: Path) -> None:
    """Install the pins with the environment's own pip."""
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install"]
    options = ["--quiet", "--only-binary=:all:", "--requirement", str(requirements)]
    if subprocess.run(pip + options, stdin=subprocess.DEVNULL).returncode != 0:
        raise SetupError(
            f"pip could not install {requirements.name}; its own message is above. If it found no bpy:\n"
            "Blender publishes the module for Linux x86-64, macOS and Windows x64."
        )


def check_blender(folder: Path) -> None:
    """See that `import bpy` works; if not, say which shared libraries are missing, with their packages."""
    bpy_folder = next(iter(folder.glob("lib/python*/site-packages/bpy")), None)
    if sys.platform == "linux" and bpy_folder is not None:
        absent = shared_libraries.missing(shared_libraries.needed_from_outside(bpy_folder))
        if absent:
            raise SetupError(shared_libraries.advice(absent))
    command: list[str] = [str(folder / "bin" / "python"), "-c", "import bpy"]
    answer = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if answer.returncode != 0:
        raise SetupError(f"Blender's module does not start in {folder.name}:\n{answer.stderr}")


def make_environment(folder: Path, requirements: Path, version: pythons.Version, with_blender: bool) -> None:
    """Bring one environment to what its pins say.

    Raises SetupError or pythons.PythonError, with a text for the reader, when that cannot be done.
    """
    python = pythons.find(version)
    stamp, stamped = folder / STAMP, stamp_of(requirements, python)
    if stamp.exists() and stamp.read_text() == stamped:
        return
    print(f"Setting up {folder.name}: {requirements.stem}, Python {pythons.name_of(version)}", flush=True)
    create(folder, python, version)
    install(folder, requirements)
    if with_blender:
        check_blender(folder)
    stamp.write_text(stamped)


def set_up_blender(blender: str, folder: Path) -> None:
    """The environment with one Blender, for the demo and the tests."""
    if blender not in BLENDERS:
        raise SetupError(f"There are pins for Blender {', '.join(sorted(BLENDERS))}: not for {blender}.")
    make_environment(folder, ROOT / "requirements" / f"blender-{blender}.txt", BLENDERS[blender], True)


def set_up_tools(name: str) -> None:
    """An environment of tools that need no Blender: either Python will do."""
    version = BLENDERS[default_blender()]
    make_environment(ROOT / f".venv-{name}", ROOT / "requirements" / f"{name}.txt", version, False)


def main() -> int:
    """Read the command line, make one environment."""
    parser = argparse.ArgumentParser(description="Makes PhysPlace's virtual environments.")
    parser.add_argument("--blender", help="4.2, 4.5 or 5.2; without it, the newest LTS for this Python")
    parser.add_argument("--tools", choices=TOOLS, help="tools that need no Blender instead")
    arguments = parser.parse_args()
    try:
        if arguments.tools:
            set_up_tools(arguments.tools)
        elif arguments.blender:
            set_up_blender(arguments.blender, ROOT / f".venv-{arguments.blender}")
        else:
            set_up_blender(default_blender(), ROOT / ".venv")
    except (SetupError, pythons.PythonError) as error:
        print(f"\nset-up: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
