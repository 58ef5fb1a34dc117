"""What the manual's pages say of operators and scripts is so: names, properties, and every block of code."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import bpy
import pytest

import manual_properties
from tests.addon.recipes.pages import recipes
from tests.blender_data import current_view_layer, physplace, scene_settings
from tests.scene import scenes
from tests.scene.linkages.standing_figure import upright_figure

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *DOCS.glob("recipes/*.md")])
RECIPES = {recipe.name for recipe in recipes()}  # whose code is run with their steps
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
RIG = '"Rig"'  # the name of the figure in blocks that pose one, which takes long
BLOCKS = [
    pytest.param(block, id=f"{page.stem}-{number}", marks=[pytest.mark.slow] * (RIG in block))
    for page in PAGES
    if page.relative_to(DOCS).with_suffix("").as_posix() not in RECIPES
    for number, block in enumerate(BLOCK.findall(page.read_text()))
]


def operators_of(page: Path) -> dict[str, str]:
    """The operators that a page lists in tables, each with what it says of their properties."""
    return dict(re.findall(r"^\| `physplace\.(\w+)` \|(.*)\|$", page.read_text(), re.MULTILINE))


def test_the_pages_have_tables_of_operators_and_blocks_of_code() -> None:
    assert sum(len(operators_of(page)) for page in PAGES) > 20
    assert len(BLOCKS) > 4


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_operator_that_a_page_names_is_there_with_its_properties(page: Path) -> None:
    for name in re.findall(r"(?:`|bpy\.ops\.)physplace\.(\w+)(?:`|\()", page.read_text()):
        assert name in dir(physplace), name
    for name, text in operators_of(page).items():
        properties = getattr(physplace, name).get_rna_type().properties
        named = set(re.findall(r"`([a-z]\w*)`", text))
        assert named <= set(properties.keys()), name


def test_every_operator_has_its_line_in_the_list_of_all_with_its_name() -> None:
    listed = re.findall(
        r"^\| ([^|`]+) \| `physplace\.(\w+)` \|", (DOCS / "operators.md").read_text(), re.MULTILINE
    )
    known = {name: getattr(physplace, name).get_rna_type().name for name in dir(physplace)}
    keys = {name for name in known if name.endswith("_key")}  # what a key does in the preferences: no command
    assert {name: label for label, name in listed} == {name: known[name] for name in known.keys() - keys}


def test_every_operator_has_a_picture_in_its_section_of_the_list() -> None:
    missing = []
    for section in re.split(r"^## ", (DOCS / "operators.md").read_text(), flags=re.MULTILINE):
        shown = " ".join(re.findall(r"^!\[([^\]]*)\]\(images/", section, re.MULTILINE))
        labels = re.findall(r"^\| ([^|`]+) \| `physplace\.\w+` \|", section, re.MULTILINE)
        missing += [label for label in labels if label not in shown]
    assert missing == ["Update Old Blob"], "which is shown for a blob of an earlier version alone"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_setting_that_a_page_names_is_there(page: Path) -> None:
    for name in re.findall(r"scene\.physplace\.(\w+)", page.read_text()):
        assert hasattr(scene_settings(), name), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_custom_property_that_a_page_names_is_one_that_the_extension_knows(page: Path) -> None:
    sources = "".join(path.read_text() for path in (DOCS.parent / "physplace_addon").rglob("*.py"))
    for name in re.findall(r"`(physplace_[a-z_]+)`", page.read_text()):
        assert f'"{name}"' in sources, name


def test_the_page_of_properties_is_as_the_code_has_them() -> None:
    written = manual_properties.PAGE.read_text()
    assert written == manual_properties.page(), "write it anew: tools/manual_properties.py"


def test_the_page_of_properties_has_every_custom_property_that_the_code_names() -> None:
    sources = "".join(path.read_text() for path in (DOCS.parent / "physplace_addon").rglob("*.py"))
    named = set(re.findall(r'"(physplace_[a-z_]+)"', sources)) - {"physplace_addon"}
    assert {*manual_properties.SET, *manual_properties.KEPT} == named


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_of_code_runs_as_it_stands(block: str, tmp_path: Path) -> None:
    scenes.floor()
    if RIG in block:
        upright_figure("Rig").location.z = 0.005
        current_view_layer().update()
    else:
        for number, name in enumerate(("Cube", "Spoon", "Ball", "Magnet", "Fridge", "Shelf", "Hook")):
            scenes.cube(name, (3.0 * number, 0.0, 1.2))
        scenes.activate(bpy.data.objects["Magnet"])
    (tmp_path / "block.py").write_text("import bpy\n" + block)
    runpy.run_path(str(tmp_path / "block.py"))
