"""The workflow for a public service names only what the project has."""

from __future__ import annotations

import re
from pathlib import Path

import setup

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = (ROOT / ".github" / "workflows" / "ci.yml").read_text()


def test_every_make_target_of_the_workflow_is_there() -> None:
    named = set(re.findall(r"\bmake ([a-z-]+)", WORKFLOW))
    assert {"lint", "types", "manual", "test", "validate"} <= named
    for target in named:
        assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE), target


def test_it_tests_every_blender_with_the_python_that_it_is_made_for() -> None:
    rows = re.findall(r'blender: "([\d.]+)", python: "([\d.]+)"', WORKFLOW)
    assert {blender: tuple(map(int, python.split("."))) for blender, python in rows} == setup.BLENDERS


def test_every_file_and_folder_that_it_names_is_there() -> None:
    for name in re.findall(r"\b(?:tests|tools|requirements)/[\w/.]+", WORKFLOW):
        assert (ROOT / name).exists(), name
