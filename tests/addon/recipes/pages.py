"""The manual's recipes as they are written: steps, what comes of them, and the script that does the same.

A page is a recipe if it has a heading "Do it". Of the numbered lists below that heading every sentence is a
step; of the list below "What you get" every sentence is a claim. Text between the lists explains, and is not
read. The block of code below "The same from a script" does the same as the steps.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).resolve().parents[3] / "docs"
# Pages whose last step takes long.
LONG = {
    *("recipes/creature-from-three-blobs", "recipes/fill-a-jar"),
    *("recipes/spoon-in-a-bowl", "recipes/wall-that-falls"),
}
STEPS, CLAIMS, SCRIPT = "## Do it", "## What you get", "## The same from a script"


@dataclass(frozen=True)
class Recipe:
    """A page; name: its path in docs, without its ending."""

    name: str
    steps: list[str]
    claims: list[str]
    script: str


def recipes() -> list[Recipe]:
    """All recipes of the manual."""
    pages = sorted([*DOCS.glob("*.md"), *DOCS.glob("recipes/*.md")])
    return [_recipe(page) for page in pages if f"\n{STEPS}\n" in page.read_text()]


def _recipe(page: Path) -> Recipe:
    text = page.read_text()
    (code,) = re.findall(r"^```python\n(.*?)^```", _section(text, SCRIPT), re.MULTILINE | re.DOTALL)
    return Recipe(
        page.relative_to(DOCS).with_suffix("").as_posix(),
        _sentences(_section(text, STEPS), r"\d+\. "),
        _sentences(_section(text, CLAIMS), r"- "),
        code,
    )


def _section(text: str, heading: str) -> str:
    """What is below a heading, down to the next one."""
    found = re.search(rf"^{re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found is not None, heading
    return found[1]


def _sentences(section: str, marker: str) -> list[str]:
    """The sentences of all items of a section's lists; the lines of an item after its first are indented."""
    items = re.findall(rf"^{marker}(.*(?:\n +\S.*)*)", section, re.MULTILINE)
    lines = [re.sub(r"\s+", " ", item) for item in items]
    return [sentence for line in lines for sentence in re.split(r"(?<=\.)\s+(?=[A-Z*])", line)]
