# SPDX-License-Identifier: GPL-3.0-or-later
"""A batch job: the JSON file that says which scene is varied, what is scattered in it, and where results go.

    {
      "scene": "table.blend",                     beside the job file, or a full path
      "output": "variations",                     a folder, the same
      "variations": 1000,
      "seed": 1,
      "objects": [{"name": "Spoon", "box": [[-0.3, -0.3, 0.4], [0.3, 0.3, 0.6]], "turn": "any"}],
      "order": "in_turn",                         or "together"
      "tries": 10,                                how often objects are scattered anew that overlap
      "settings": {"friction": 0.4},              of `scene.physplace`
      "save": ["json", "blend"]
    }

Only `scene`, `output`, `variations` and `objects` have to be given.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ...core.errors import PhysPlaceError
from ...core.wording import in_words

TURNS: Final = ("none", "heading", "any")
ORDERS: Final = ("in_turn", "together")
SAVED: Final = ("json", "blend")
RESULT_FORMAT: Final = 3  # number of it: results of another one are made anew
FARTHEST: Final = 1e12  # of a corner from the world's origin: single precision tells nothing beyond

Setting = bool | int | float | str | tuple[float, ...]
Corner = tuple[float, float, float]


class BatchError(PhysPlaceError):
    """A batch that cannot be done: names the file and the entry, what was found, and a remedy."""

    def __init__(self, file: Path, entry: str, found: str, remedy: str) -> None:
        super().__init__(f'"{file.name}": {entry}: {found}; {remedy}')


@dataclass(frozen=True)
class Scattered:
    """An object that every variation puts elsewhere.

    lower, upper: corners of the box, in the world, in which its origin is put.
    turn: how it is turned from how it stands: "none", "heading" (about the world's z) or "any".
    """

    name: str
    lower: Corner
    upper: Corner
    turn: str


@dataclass(frozen=True)
class BatchJob:
    """A job as its file has it, with paths that are whole."""

    file: Path
    scene: Path
    output: Path
    variations: int
    objects: tuple[Scattered, ...]
    seed: int = 0
    order: str = "in_turn"
    tries: int = 10
    settings: Mapping[str, Setting] = field(default_factory=dict)
    save: tuple[str, ...] = ("json",)

    def digest(self, libraries: Sequence[Path] = ()) -> str:
        """Return a text that changes with what the result of a variation depends on, and with its format.

        How many variations there are, and where they are put, does not count.

        Args:
            libraries: the files that the scene links data from.

        Raises:
            OSError: a file cannot be read.
        """
        objects = [[each.name, each.lower, each.upper, each.turn] for each in self.objects]
        settings = sorted(self.settings.items())
        counts = [RESULT_FORMAT, objects, self.seed, self.order, self.tries, settings, self.save]
        files = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (self.scene, *libraries)]
        text = json.dumps(counts) + "".join(files)
        return hashlib.sha256(text.encode()).hexdigest()


def read_job(file: Path) -> BatchJob:
    """Return the job that a file describes.

    Raises:
        BatchError: the file cannot be read, or an entry has no meaning.
    """
    try:
        entries = json.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise BatchError(
            file, "the job", f"it cannot be read ({error.strerror})", "check its path"
        ) from error
    except (ValueError, RecursionError) as error:
        raise BatchError(file, "the job", f"it is no JSON ({error})", "mend it there") from error
    return _Reader(file, entries, "the job").job()


class _Reader:
    """Reads the entries of one JSON object, and names those that have no meaning."""

    def __init__(self, file: Path, entries: object, what: str) -> None:
        self.file, self.what = file, what
        if not isinstance(entries, dict):
            raise BatchError(
                file, what, f"it is {_kind(entries)}", "expected an object with names and values"
            )
        self.entries: dict[str, Any] = entries

    def job(self) -> BatchJob:
        """Return the job."""
        self.knows({*BatchJob.__dataclass_fields__} - {"file"})
        scene = self.path("scene")
        if not scene.is_file():
            raise self.error("scene", f"there is no file {scene}", "give the path of a .blend file")
        listed = self.get("objects", list, [])
        objects = tuple(
            _Reader(self.file, each, f"objects[{number}]").scattered() for number, each in enumerate(listed)
        )
        if not objects:
            raise self.error("objects", "it lists none", "list what shall be scattered")
        twice = sorted({each.name for each in objects if [one.name for one in objects].count(each.name) > 1})
        if twice:
            raise self.error("objects", f"{in_words(twice)} are listed twice", "list each object once")
        return BatchJob(
            self.file,
            scene,
            self.path("output"),
            self.whole("variations", 1),
            objects,
            self.whole("seed", 0, 0),
            self.choice("order", ORDERS, "in_turn"),
            self.whole("tries", 1, 10),
            self.settings(),
            tuple(self.choices("save", SAVED, ["json"])),
        )

    def scattered(self) -> Scattered:
        """Return an object's entry."""
        self.knows({"name", "box", "turn"})
        box = self.get("box", list)
        if len(box) != 2 or not all(isinstance(corner, list) and len(corner) == 3 for corner in box):
            raise self.error("box", f"found {box}", "give two corners of three numbers each")
        if not all(_is_number(value) and abs(value) <= FARTHEST for corner in box for value in corner):
            raise self.error("box", f"found {box}", f"give numbers that are at most {FARTHEST:g}")
        lower, upper = box
        if any(low > high for low, high in zip(lower, upper, strict=True)):
            raise self.error(
                "box", f"{lower} is not below {upper} on every axis", "give the lower corner first"
            )
        name = self.get("name", str)
        turn = self.choice("turn", TURNS, "none")
        return Scattered(name, (lower[0], lower[1], lower[2]), (upper[0], upper[1], upper[2]), turn)

    def settings(self) -> dict[str, Setting]:
        """Return the settings; whether the scene has them is seen when it is open."""
        found = self.get("settings", dict, {})
        for name, value in found.items():
            if not isinstance(value, bool | int | float | str | list):
                raise self.error(f"settings.{name}", f"found {_kind(value)}", "give a number, text or a list")
            if isinstance(value, float) and not math.isfinite(value):
                raise self.error(f"settings.{name}", f"found {value}", "give a finite number")
        return {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}

    def knows(self, names: set[str]) -> None:
        """See that there is no other entry, as a misspelt one would be."""
        others = sorted(set(self.entries) - names)
        if others:
            raise self.error(others[0], "there is no such entry", f"the entries are {_all(sorted(names))}")

    def get(self, name: str, kind: type, default: Any = None) -> Any:
        """Return an entry of a kind."""
        value = self.entries.get(name, default)
        if value is None:
            raise self.error(name, "it is not there", "give it")
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.error(name, f"found {_kind(value)}", f"expected {_NAMES[kind]}")
        return value

    def whole(self, name: str, least: int, default: int | None = None) -> int:
        """Return a whole number."""
        value: int = self.get(name, int, default)
        if value < least:
            raise self.error(name, f"found {value}", f"give at least {least}")
        return value

    def choice(self, name: str, choices: Sequence[str], default: str) -> str:
        """Return one of a few words."""
        value: str = self.get(name, str, default)
        if value not in choices:
            raise self.error(name, f'found "{value}"', f"choose one of {_all(choices)}")
        return value

    def choices(self, name: str, choices: Sequence[str], default: list[str]) -> list[str]:
        """Return some of a few words; "json" is always among them."""
        values: list[str] = self.get(name, list, default)
        for value in values:
            if value not in choices:
                raise self.error(name, f"found {value!r}", f"choose of {_all(choices)}")
        return sorted({*values, "json"})

    def path(self, name: str) -> Path:
        """Return a path, seen from the folder of the job's file."""
        text: str = self.get(name, str)
        try:
            return (self.file.parent / text).resolve()
        except (ValueError, OSError) as error:  # a sign that no path has, links that go round
            raise self.error(name, f"found {text!r} ({error})", "give a path") from error

    def error(self, entry: str, found: str, remedy: str) -> BatchError:
        """Return the error of an entry."""
        return BatchError(self.file, f"{self.what}, {entry}", found, remedy)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_NAMES: Final = {
    str: "a text",
    int: "a whole number",
    list: "a list",
    dict: "an object with names and values",
}


def _all(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _kind(value: object) -> str:
    names: dict[type, str] = {bool: "true or false", float: "a number", type(None): "null", **_NAMES}
    return names.get(type(value), "something else")
