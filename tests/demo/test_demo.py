"""The demo as it is run from a terminal: what it writes, and what it prints."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _demo(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "demo", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def _size(picture: Path) -> tuple[int, int]:
    width, height = struct.unpack_from(">II", picture.read_bytes(), 16)
    return width, height


def _crate(word: str, path: Path) -> str:
    """What the helper prints of a file with a crate above a floor; it must succeed."""
    command = [sys.executable, str(ROOT / "tests" / "demo" / "crate.py"), word, str(path)]
    return subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=True
    ).stdout


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("out")


@pytest.fixture(scope="module")
def answer(out: Path) -> subprocess.CompletedProcess[str]:
    """The bowl and the spoon, with small pictures."""
    return _demo("--small", "--out", str(out))


def test_the_demo_writes_three_pictures_and_a_scene(
    out: Path, answer: subprocess.CompletedProcess[str]
) -> None:
    assert answer.returncode == 0, answer.stderr
    pictures = ["after.png", "before.png", "contacts.png"]
    assert sorted(path.name for path in out.iterdir()) == [*pictures, "spoon_in_bowl.blend"]
    assert {_size(out / name) for name in pictures} == {(160, 120)}


def test_the_demo_prints_two_tables_progress_and_one_sentence_but_nothing_of_blender_s_log(
    out: Path, answer: subprocess.CompletedProcess[str]
) -> None:
    rests = re.findall(r'(\w+)\n-+\nAt rest on "(\w+)", stable\n', answer.stdout)
    assert rests == [("Bowl", "Floor"), ("Spoon", "Bowl")]
    *lines, last = [line for line in answer.stdout.splitlines() if line]
    progress, table = (
        r"(Rendering|Placing) [\w.]+ \.\.\. \d+\.\d s",
        r"\w+|-+|At rest on .*|[A-Z][a-z ]+ {2,}\S.*",
    )
    assert [line for line in lines if not re.fullmatch(f"{progress}|{table}", line)] == []
    assert all(path.name in last for path in out.iterdir())
    assert last.endswith(f"are in {out}.")


@pytest.mark.parametrize("suffix", [".blend", ".obj", ".glb"])
def test_an_object_of_a_file_is_placed_on_the_rest_of_it(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"my{suffix}"
    _crate("write", path)
    answer = _demo("--file", str(path), "--active", "Crate", "--out", str(tmp_path))
    assert answer.returncode == 0, answer.stderr
    placed = tmp_path / "my_placed.blend"
    assert answer.stdout.splitlines()[-1] == f"The scene with Crate placed is in {placed}."
    assert "heights: 0.0 2.0\n" in _crate("heights", placed)


def test_a_name_that_is_not_in_the_file_is_answered_with_those_that_are(tmp_path: Path) -> None:
    path = tmp_path / "my.blend"
    _crate("write", path)
    answer = _demo("--file", str(path), "--active", "Spoon", "--out", str(tmp_path))
    assert answer.returncode == 1
    assert 'There is no object "Spoon"' in answer.stderr
    assert "Crate" in answer.stderr
    assert "Floor" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_a_file_that_cannot_be_read_is_said_and_so_is_what_is_asked_of_none(tmp_path: Path) -> None:
    broken = tmp_path / "für Blender.glb"
    broken.write_text("no glTF")
    for words, code, said in (
        (("--file", str(broken), "--out", str(tmp_path)), 1, f"{broken} cannot be read: "),
        (("--active", "Spoon", "--out", str(tmp_path)), 2, "--file"),
        (("--out", str(broken)), 2, f"{broken} cannot be a folder"),
    ):
        answer = _demo(*words)
        assert answer.returncode == code, answer.stderr
        assert said in answer.stderr
        assert "Traceback" not in answer.stderr


def test_what_does_not_come_to_rest_ends_with_1(tmp_path: Path) -> None:
    path = tmp_path / "my.blend"
    _crate("write", path)
    answer = _demo("--file", str(path), "--active", "Floor", "--out", str(tmp_path))
    assert answer.returncode == 1, answer.stderr
    assert "for ever" in answer.stdout
    assert (tmp_path / "my_placed.blend").exists()
