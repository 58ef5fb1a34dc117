# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender shows of PhysPlace in other languages, from gettext's files beside this one.

A file is named after its language, such as `de.po`. Blender looks the names of operators up in a context of
their own, all else in its default one, so each text counts in both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final

import bpy

CONTEXTS: Final = ("*", "Operator")
LOCALES: Final = {"de": ("de", "de_DE")}  # how Blender's versions name a language
ENTRY: Final = re.compile(r'^msgid ((?:".*"\n)+)msgstr ((?:".*"(?:\n|\Z))+)', re.MULTILINE)


def read(text: str) -> dict[str, str]:
    """Return the translations of a gettext file's text; its head, and what is not translated, is left out."""
    pairs = ((_joined(found[1]), _joined(found[2])) for found in ENTRY.finditer(text))
    return {source: target for source, target in pairs if source and target}


def _joined(lines: str) -> str:
    """Return a text that is written as quoted strings, one a line; their escapes are those of JSON."""
    return "".join(str(json.loads(line)) for line in lines.splitlines())


@cache
def translations() -> dict[str, dict[str, str]]:
    """Return all translations that are here, by the name of the language's file."""
    files = sorted(Path(__file__).parent.glob("*.po"))
    return {file.stem: read(file.read_text(encoding="utf-8")) for file in files}


@contextmanager
def registered() -> Iterator[None]:
    """Give Blender the translations for as long as the block lasts."""
    known = {
        locale: {(context, source): target for context in CONTEXTS for source, target in texts.items()}
        for language, texts in translations().items()
        for locale in LOCALES[language]
    }
    bpy.app.translations.register(__name__, known)
    try:
        yield
    finally:
        bpy.app.translations.unregister(__name__)
