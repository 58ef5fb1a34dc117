"""Where Blender and the X server come from, and the X server."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import window_room

SIZE = (800, 600)
SECONDS_TO_END = 10.0


@dataclass(frozen=True)
class Programs:
    """Programs of a room (tools/window_room.py), or of this machine."""

    room: Path | None
    blender: str

    def command(self, *words: str) -> list[str]:
        """The command that runs one of them."""
        return window_room.command_in(self.room, *words) if self.room else list(words)


class Screen:
    """An X server that keeps its screen in a file, and ends when its one client does."""

    def __init__(self, programs: Programs, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.dump = folder / "Xvfb_screen0"
        log = folder / "log.txt"
        reading, writing = os.pipe()
        words = ["Xvfb", "-terminate", "-nocursor", "-displayfd", str(writing), "-fbdir", str(folder)]
        words += ["-screen", "0", "{}x{}x24".format(*SIZE)]
        with log.open("wb") as file:
            self.process = subprocess.Popen(
                programs.command(*words),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                pass_fds=(writing,),
            )
        os.close(writing)
        with os.fdopen(reading) as answer:
            number = answer.readline().strip()
        if not number:
            raise RuntimeError(f"Xvfb did not start:\n{log.read_text()}")
        self.display = f":{number}"

    def close(self) -> None:
        """Let the server end; it has lost its client."""
        try:
            self.process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
