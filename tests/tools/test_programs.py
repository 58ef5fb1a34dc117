"""The programs that the Makefile starts can be imported: what they import from elsewhere is still there."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _modules() -> list[str]:
    packages = ("demo", "benchmarks")
    inside = [f"{package}.{path.stem}" for package in packages for path in (ROOT / package).glob("*.py")]
    return sorted(inside) + sorted(path.stem for path in (ROOT / "tools").glob("*.py"))


@pytest.mark.parametrize("module", _modules())
def test_every_module_of_the_programs_can_be_imported(module: str) -> None:
    importlib.import_module(module)
