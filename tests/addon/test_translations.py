"""Every text that Blender shows of PhysPlace has its translation, and is shown in it."""

from __future__ import annotations

import re
from typing import Any

import bpy
import pytest

from physplace_addon.translations import read, translations
from tests.addon.shown_strings import shown
from tests.blender_data import preferences

NAMED = re.compile(r"physplace_\w+|%\w|\{\w*\}|\d+(?:\.\d+)?|\bF9\b")


@pytest.mark.slow
@pytest.mark.parametrize("language", sorted(translations()))
def test_every_text_is_translated_and_nothing_else(language: str) -> None:
    texts = translations()[language]
    assert sorted(shown() - texts.keys()) == []
    assert sorted(texts.keys() - shown()) == []


@pytest.mark.parametrize("language", sorted(translations()))
def test_what_is_named_or_filled_in_stands_in_the_translation_too(language: str) -> None:
    for source, target in translations()[language].items():
        assert sorted(NAMED.findall(source)) == sorted(NAMED.findall(target)), source
        assert source.endswith(":") == target.endswith(":"), source
        assert not target.endswith("."), source


def test_blender_shows_them_in_the_language_that_is_chosen() -> None:
    locale = next((each for each in bpy.app.translations.locales if each in ("de", "de_DE")), None)
    if locale is None:
        pytest.skip("this Blender is built without languages, as its Python module is")
    view = preferences().view
    before = view.language
    view.language = locale
    view.use_translate_interface = view.use_translate_tooltips = True
    try:
        translated: Any = bpy.app.translations.pgettext_iface  # the stub says that it returns nothing
        named = translated("Place at Rest", "Operator")
        assert named == translations()["de"]["Place at Rest"]
    finally:
        view.language = before


def test_a_text_of_several_lines_and_with_quotes_is_read_whole() -> None:
    entry = 'msgid ""\n"one "\n"\\"two\\""\nmsgstr ""\n"eins "\n"\\"zwei\\""\n'
    assert read(entry) == {'one "two"': 'eins "zwei"'}
    assert read('msgid "one"\nmsgstr ""\n') == {}
