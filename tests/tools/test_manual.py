"""The manual: its pictures are there, and what it points at too."""

from __future__ import annotations

import re
from pathlib import Path

import bpy
import numpy as np
import pytest

import manual_pictures
from tests.window import framebuffer

ROOT = Path(manual_pictures.ROOT)
MANUAL, BLOBS, README = ROOT / "docs" / "manual.md", ROOT / "docs" / "blobs.md", ROOT / "README.md"
SIMULATING = ROOT / "docs" / "simulating.md"
POSING = ROOT / "docs" / "posing.md"
SITTING = ROOT / "docs" / "sitting.md"
OPERATORS = ROOT / "docs" / "operators.md"
RECIPES = ROOT / "docs" / "recipes" / "index.md"
PAGES = (MANUAL, BLOBS, SIMULATING, POSING, SITTING, OPERATORS, RECIPES)
LARGEST = 250_000  # bytes


def _pictures(page: Path) -> set[Path]:
    """The pictures of the project that a page shows; badges come from elsewhere."""
    names = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text())
    return {(page.parent / name).resolve() for name in names if not name.startswith("https:")}


def test_every_picture_that_is_named_is_there_and_every_one_there_is_named() -> None:
    named = set[Path]().union(*map(_pictures, (*PAGES, README)))
    assert named == set((ROOT / "docs" / "images").iterdir())


def test_every_picture_of_the_window_tests_is_in_the_manual_and_small() -> None:
    for name in manual_pictures.CUTS:
        picture = ROOT / "docs" / "images" / name
        assert picture in set[Path]().union(*map(_pictures, PAGES))
        assert picture.stat().st_size < LARGEST


def test_pictures_come_from_the_blender_that_took_them_all_whichever_ended_last(tmp_path: Path) -> None:
    older, newer = tmp_path / "4.3.2", tmp_path / "5.2.0"
    for shot in manual_pictures.screenshots():
        (older / shot).parent.mkdir(parents=True, exist_ok=True)
        (older / f"{shot}.png").touch()
    (newer / "test_rests_panel").mkdir(parents=True)
    (newer / "test_rests_panel" / "three-rests.png").touch()
    assert not manual_pictures.missing(older)
    assert manual_pictures.missing(newer)
    assert manual_pictures.newest(tmp_path) == older


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_place_that_the_manual_points_at_is_a_heading(page: Path) -> None:
    for name, place in re.findall(r"\]\((\w*(?:\.md)?)#([^)]+)\)", re.sub(r"\n *", "", page.read_text())):
        headings = re.findall(r"^#+ (.*)$", (page.parent / (name or page.name)).read_text(), re.MULTILINE)
        assert place in {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_a_picture_is_the_screenshot_s_own_pixels_between_its_edges(tmp_path: Path) -> None:
    y, x, c = np.ogrid[:5, :6, :3]
    whole = ((17 * y + 5 * x + 90 * c) % 256).astype(np.uint8)
    framebuffer.write_png(tmp_path / "whole.png", whole)
    edges = manual_pictures.Cut("whole", 1, 2, 5, 4)
    rows = manual_pictures.cut(manual_pictures.read(tmp_path / "whole.png"), edges)
    manual_pictures.write(tmp_path / "part.png", rows)
    seen = bpy.data.images.load(str(tmp_path / "part.png"))
    shown = np.rint(255.0 * np.array(seen.pixels)).reshape(seen.size[1], seen.size[0], 4)
    np.testing.assert_array_equal(shown[::-1, :, :3], whole[2:4, 1:5])
