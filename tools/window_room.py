# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a room for window tests: a folder with Debian's Blender, an X server, and OpenGL in software.

    python3 tools/window_room.py make SUITE [SUITE ...]       make rooms of these Debians: trixie, sid
    python3 tools/window_room.py run ROOM PROGRAM [words]     run a program of the room

A room is entered in a mount namespace of its own. What is mounted there is seen by nobody else and is gone
when the program ends, whatever ends it: removing the folder can never reach the machine's own /dev or /tmp.
The project and /tmp have the same paths inside as outside.

Needs Debian (or what descends from it) and root. Runs under any Python from 3.9 on.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ROOT / ".window"
STAMP = "physplace-packages"

PACKAGES = [
    *("blender", "python3-numpy", "python3-scipy", "python3-requests", "python3-zstandard"),
    *("xvfb", "libgl1-mesa-dri", "libglx-mesa0", "libgl1", "libegl1", "libegl-mesa0"),
]

# Debian's releases. trixie has Blender 4.3, sid 5.2 LTS or whatever is newest, which needs python3-cattr and
# does not ask for it.
SUITES = {"trixie": PACKAGES, "sid": [*PACKAGES, "python3-cattr"]}

# Nobody reads manuals in a room.
UNWANTED = ("doc", "man", "locale", "info")

# The languages that Blender offers, by the numbers that it knows: it begins with 1. Debian has the list among
# what is unwanted. Blender's own words stay English.
LANGUAGES = "0:Automatic (Automatic):DEFAULT\n1:English (English):en_US\n5:German (Deutsch):de_DE\n"

MS_BIND, MS_REC = 4096, 16384


class RoomError(Exception):
    """The room cannot be made; the message says why."""


def why_impossible() -> str | None:
    """The reason why this machine cannot make rooms, or None."""
    if sys.platform != "linux" or shutil.which("apt-get") is None:
        return "this is not Debian"
    if os.geteuid() != 0:
        return "only root can make a chroot"
    return None


def make(suite: str) -> Path:
    """The folder of a suite's room, made if it is not there or its list of packages has changed.

    Raises RoomError.
    """
    room, packages = ROOMS / suite, SUITES[suite]
    stamp = hashlib.sha256(" ".join(packages).encode()).hexdigest()
    if room.exists() and (room / STAMP).exists() and (room / STAMP).read_text() == stamp:
        name_languages(room)
        return room
    reason = why_impossible()
    if reason:
        raise RoomError(reason)
    unfinished = ROOMS / f"{suite}.unfinished"
    for folder in (room, unfinished):
        shutil.rmtree(folder, ignore_errors=True)
    ROOMS.mkdir(exist_ok=True)
    bootstrap(suite, unfinished, packages)
    (unfinished / "etc" / "mtab").symlink_to("/proc/self/mounts")
    (unfinished / STAMP).write_text(stamp)
    name_languages(unfinished)
    return unfinished.rename(room)


def name_languages(room: Path) -> None:
    """Have the Blender of a room offer the languages that tests choose."""
    file = room / "usr" / "share" / "locale" / "languages"
    if not file.exists() or file.read_text() != LANGUAGES:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(LANGUAGES)


def bootstrap(suite: str, folder: Path, packages: list[str]) -> None:
    """Debian of this suite, with these packages and what they need, in a folder."""
    if shutil.which("mmdebstrap") is None:
        apt("update")
        apt("install", "--yes", "--no-install-recommends", "mmdebstrap")
    print(f"Making a room with the Blender of Debian {suite}, which takes some minutes", flush=True)
    command = ["unshare", "--mount", "mmdebstrap", "--mode=root", "--variant=apt", "--quiet"]
    # Signatures are checked all the same; a mirror that stands still for a week shall not stop the tests.
    command += ['--aptopt=Acquire::Check-Valid-Until "false"', "--dpkgopt=force-unsafe-io"]
    command += [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in UNWANTED]
    command += ["--include=" + ",".join(packages), suite, str(folder), mirror()]
    if subprocess.run(command, stdin=subprocess.DEVNULL).returncode != 0:
        shutil.rmtree(folder, ignore_errors=True)
        raise RoomError(f"mmdebstrap could not install {suite}; its own message is above")


def apt(*words: str) -> None:
    """Run apt-get; raises RoomError if it fails."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "--quiet=2", "--option=Dpkg::Use-Pty=0", *words]
    if subprocess.run(command, env=environment, stdin=subprocess.DEVNULL).returncode != 0:
        raise RoomError(f"apt-get {words[0]} failed; its own message is above")


def mirror() -> str:
    """Where this machine gets Debian from, by its own apt sources."""
    command = ["apt-get", "indextargets", "--format", "$(ORIGIN) $(CODENAME) $(REPO_URI)"]
    command += ["Created-By: Packages"]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    targets = [line.split() for line in listing.splitlines()]
    addresses = [words[-1] for words in targets if words[0] == "Debian" and "security" not in words[1]]
    if not addresses:
        raise RoomError("this machine's apt sources name no Debian mirror, or `apt-get update` was never run")
    return addresses[0]


def command_in(room: Path, *words: str) -> list[str]:
    """The command that runs a program of the room, which ends with whoever started it, whatever it does."""
    entering = [
        "setpriv",
        "--pdeathsig",
        "KILL",
        "unshare",
        "--mount",
        "--pid",
        "--fork",
        "--kill-child",
        "--mount-proc",
    ]
    return [*entering, sys.executable, str(Path(__file__).resolve()), "run", str(room), *words]


def run(room: Path, words: list[str]) -> None:
    """Become a program of the room; this process must already have a mount namespace of its own."""
    for folder in ("/proc", "/dev", "/tmp", str(ROOT)):
        inside = Path(f"{room}{folder}")
        inside.mkdir(parents=True, exist_ok=True)
        bind(folder, str(inside))
    here = Path.cwd()
    os.chroot(room)
    os.chdir(here if here.is_relative_to(ROOT) else ROOT)
    os.execvp(words[0], words)


def bind(source: str, target: str) -> None:
    """Show a folder, with all that is mounted in it, at another place too."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(source.encode(), target.encode(), None, MS_BIND | MS_REC, None) != 0:
        raise OSError(ctypes.get_errno(), "mount failed", target)


def main() -> int:
    """Make rooms, or run a program in one."""
    command, words = sys.argv[1:2], sys.argv[2:]
    if command == ["make"] and words and set(words) <= set(SUITES):
        return make_all(words)
    if command == ["run"] and len(words) > 1:
        run(Path(words[0]), words[1:])
        return 1
    print(__doc__, file=sys.stderr)
    return 2


def make_all(suites: list[str]) -> int:
    """Make the rooms that can be made; the exit code."""
    failed = 0
    for suite in suites:
        try:
            make(suite)
        except RoomError as error:
            print(f"A room with the Blender of Debian {suite} cannot be made: {error}", file=sys.stderr)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
