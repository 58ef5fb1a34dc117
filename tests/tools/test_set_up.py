"""The set-up tells people what is missing, in words they can act on."""

import sys
from pathlib import Path

import pytest

import pythons
import setup
import shared_libraries


def fake_python(folder: Path, answer: str) -> Path:
    program = folder / "python3.99"
    program.write_text(f"#!/bin/sh\n{answer}\n")
    program.chmod(0o755)
    return program


def test_the_running_python_is_found() -> None:
    assert pythons.find(sys.version_info[:2]) == sys.executable


def test_a_python_that_is_not_there_is_named() -> None:
    with pytest.raises(pythons.PythonError, match=r"Python 3\.99 was not found"):
        pythons.find((3, 99))


def test_a_python_on_the_path_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = fake_python(tmp_path, "echo 3 99 1")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert pythons.find((3, 99)) == str(program)


def test_a_python_without_venv_is_told_the_debian_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_python(tmp_path, "echo 3 99 0")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(pythons.PythonError, match="apt install python3-venv"):
        pythons.find((3, 99))


@pytest.mark.slow
def test_a_program_that_fails_is_not_taken_for_a_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_python(tmp_path, "exit 127")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(pythons.PythonError, match="was not found"):
        pythons.find((3, 99))


def test_an_environment_that_cannot_be_made_is_said_and_leaves_no_part_of_it(tmp_path: Path) -> None:
    program, folder = fake_python(tmp_path, 'mkdir "$3"; exit 1'), tmp_path / "for Blender"
    with pytest.raises(setup.SetupError, match="for Blender"):
        setup.create(folder, str(program), (3, 99))
    assert not folder.exists()


def test_without_a_fitting_python_both_that_fit_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "BLENDERS", {"9.9": (3, 98)})
    with pytest.raises(pythons.PythonError, match=r"Python 3\.11 nor Python 3\.13"):
        setup.default_blender()


def test_pins_of_an_included_file_count(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one==1\n-r b.txt\n")
    (tmp_path / "b.txt").write_text("two==2\n")
    before = setup.stamp_of(tmp_path / "a.txt", "python")
    (tmp_path / "b.txt").write_text("two==3\n")
    assert setup.stamp_of(tmp_path / "a.txt", "python") != before


@pytest.mark.skipif(sys.platform != "linux", reason="ELF files are Linux's")
def test_the_libraries_a_program_needs_are_read_from_its_file() -> None:
    assert "libc.so.6" in shared_libraries.needed_by(Path(sys.executable).resolve())
    assert shared_libraries.needed_by(Path(__file__)) == []


@pytest.mark.skipif(sys.platform != "linux", reason="the names are Linux's")
def test_only_what_cannot_be_loaded_is_missing() -> None:
    assert shared_libraries.missing(["libc.so.6", "libnobody.so.1"]) == ["libnobody.so.1"]


def test_each_missing_library_is_told_with_its_debian_package() -> None:
    text = shared_libraries.advice(["libXi.so.6", "libEGL.so.1"])
    assert "libXi.so.6" in text
    assert "apt-get install libegl1 libxi6" in text
