# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences that are made of what was found, in the language that is chosen in Blender.

Blender translates texts that are always the same: names, tooltips, labels. Headers, reports and reasons are
made of clauses with names and numbers in them. They are made in English, everywhere, and translated as a
whole where they are shown, by this: a clause is looked up among templates, whose holes `{}` take any words,
and these are translated in turn. What is no template is parted at a joint, such as a semicolon: after that
what follows is a template, or else at the outermost. What stands in quotes is a name, and stays.

The templates are gettext's files in the folder `sentences`. A translation may number its holes, `{1} {0}`; a
hole in quotes takes a name alone, `{#}` a number alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

import bpy

from . import LOCALES, read, translations

JOINTS: Final = ("   |   ", "; ", ": ", ", ", " and ")  # of clauses, the outermost first
HOLE: Final = re.compile(r"\{\}")
QUOTED: Final = re.compile(r'"[^"]*"')
_FIRST_NAME: Final = 0xE000  # the sign that stands for the first quoted name: one that nobody writes
_KEPT: Final = 512  # translated sentences
NUMBER: Final = r"(-?\d[\d.e+-]*)"
NAME: Final = f"([{chr(_FIRST_NAME)}-{chr(_FIRST_NAME + 999)}])"


@dataclass(frozen=True, eq=False)
class Sentences:
    """The templates of a language. fixed: texts without holes. templates: (pattern, translation), those with
    the most words first.
    """

    fixed: dict[str, str]
    templates: list[tuple[re.Pattern[str], str]] = field(default_factory=list)

    @classmethod
    def of(cls, *texts: dict[str, str]) -> Sentences:
        """Return the templates of translations by their English texts; of equal texts the last counts."""
        known = {source: target for each in texts for source, target in each.items()}
        holed = sorted((source for source in known if "{" in source), key=lambda text: -len(text))
        fixed = {source: target for source, target in known.items() if "{" not in source}
        return cls(fixed, [(_pattern(source), _numbered(known[source])) for source in holed])

    def translated(self, text: str) -> str:
        """Return a text in this language; what is unknown stays as it is."""
        names: list[str] = QUOTED.findall(text)
        numbers = iter(range(len(names)))
        shown = self._clause(QUOTED.sub(lambda _: chr(_FIRST_NAME + next(numbers)), text))
        for number, name in enumerate(names):
            shown = shown.replace(chr(_FIRST_NAME + number), name)
        return shown

    def _clause(self, text: str) -> str:
        known = self._known(text)
        if known is not None:
            return known
        for joint in _joints_in(text):
            end = self._known(text[joint.end() :])
            if end is not None:
                return self._clause(text[: joint.start()]) + self._joint(joint[0]) + end
        between = next((joint for joint in JOINTS if joint in text), None)
        if between is None:
            return text
        return self._joint(between).join(self._clause(part) for part in text.split(between))

    def _joint(self, joint: str) -> str:
        word = joint.strip()
        return joint.replace(word, self.fixed.get(word, word))

    def _known(self, text: str) -> str | None:
        """Return a translated clause; None for none. It may begin a sentence, with a capital letter."""
        exactly = self._exactly(text)
        small = text[:1].lower() + text[1:]
        if exactly is not None or small == text:
            return exactly
        as_beginning = self._exactly(small)
        return None if as_beginning is None else as_beginning[:1].upper() + as_beginning[1:]

    def _exactly(self, text: str) -> str | None:
        if text in self.fixed:
            return self.fixed[text]
        for pattern, target in self.templates:
            found = pattern.fullmatch(text)
            if found is not None:
                return target.format(*(self._clause(part) for part in found.groups()))
        return None


def _joints_in(text: str) -> Iterator[re.Match[str]]:
    return re.finditer("|".join(map(re.escape, JOINTS)), text)


def _pattern(source: str) -> re.Pattern[str]:
    """Return what a template matches; of the three outermost joints only a colon may be in its last words."""
    parts = re.split(r'("\{\}"|\{\}|\{#\})', source)
    holes = {'"{}"': NAME, "{}": r"((?:(?!   \|   |; |: ).)+?)", "{#}": NUMBER}
    pattern = "".join(holes.get(part) or re.escape(part) for part in parts)
    ends_open = source.endswith("{}")
    return re.compile(
        pattern.removesuffix(holes["{}"]) + r"((?:(?!   \|   |; ).)+)" if ends_open else pattern
    )


def _numbered(target: str) -> str:
    """Return a translation with numbers in its holes, which the names' own quotes go into."""
    numbers = iter(range(target.count("{}")))
    return HOLE.sub(lambda _: f"{{{next(numbers)}}}", target).replace('"{', "{").replace('}"', "}")


@cache
def sentences(language: str) -> Sentences:
    """Return the templates of a language, by the name of its file, with the names that Blender shows."""
    file = Path(__file__).parent / "sentences" / f"{language}.po"
    return Sentences.of(translations()[language], read(file.read_text(encoding="utf-8")))


def spoken(text: str) -> str:
    """Return a sentence in the language of Blender's interface, where it is translated."""
    language = shown_language()
    return text if language is None else _translated(language, text)


@lru_cache(_KEPT)
def _translated(language: str, text: str) -> str:
    return sentences(language).translated(text)


def shown_language() -> str | None:
    """Return the language that Blender's interface is shown in; None for English and unknown ones."""
    preferences = bpy.context.preferences
    if preferences is None or not preferences.view.use_translate_interface:
        return None
    locale = bpy.app.translations.locale
    return next((language for language, locales in LOCALES.items() if locale in locales), None)
