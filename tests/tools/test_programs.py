"""The programs that the Makefile starts can be imported: what they import from elsewhere is still there."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

import extension_zips
import install_extension

ROOT = Path(__file__).resolve().parents[2]


def _modules() -> list[str]:
    packages = ("demo", "benchmarks")
    inside = [f"{package}.{path.stem}" for package in packages for path in (ROOT / package).glob("*.py")]
    return sorted(inside) + sorted(path.stem for path in (ROOT / "tools").glob("*.py"))


@pytest.mark.parametrize("module", _modules())
def test_every_module_of_the_programs_can_be_imported(module: str) -> None:
    importlib.import_module(module)


@pytest.mark.parametrize("program", [extension_zips, install_extension])
@pytest.mark.parametrize("words", [[], ["bulid"], ["build", "validate"]])
def test_programs_that_are_called_in_a_wrong_way_say_how_they_are_called(
    program: ModuleType,
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.argv", [program.__name__, *words])
    assert program.main() == 2
    said = capsys.readouterr().err
    assert str(program.__doc__).strip() in said or "there is no file" in said


def test_a_manifest_without_wheels_is_not_taken_for_a_wrong_word(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = tmp_path / "blender_manifest.toml"
    manifest.write_text('version = "1.0.0"\n')
    monkeypatch.setattr(extension_zips, "MANIFEST", manifest)
    monkeypatch.setattr(extension_zips, "BUILT_FROM", tmp_path / "built-from")
    monkeypatch.setattr(extension_zips, "ROOT", tmp_path)
    (tmp_path / "LICENSE").touch()
    monkeypatch.setattr("sys.argv", ["extension_zips", "build"])
    assert extension_zips.main() == 1
    assert "has no list named wheels" in capsys.readouterr().err
