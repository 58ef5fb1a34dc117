"""`blender --command physplace` as a farm calls it: its exit codes, in a real Blender without a window."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.window.blender import Blender
from window_room import ROOT

SCENE = """
import bpy
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.mesh.primitive_plane_add(size=2.0)
bpy.context.object.name = "Table"
bpy.ops.mesh.primitive_cube_add(size=0.2, location=(0.0, 0.0, 1.0))
bpy.context.object.name = "Cube"
bpy.ops.wm.save_as_mainfile(filepath={path!r})
"""
OVER_THE_TABLE, BESIDE_IT = 0.0, 50.0


class Batches:
    """A Blender with the extension, and a folder with a scene and job files."""

    def __init__(self, blender: Blender, folder: Path) -> None:
        self.blender, self.folder = blender, folder
        blender.new_user(folder / "user")
        scene = SCENE.format(path=str(folder / "scene.blend"))
        made = self.run("--background", "--factory-startup", "--python-expr", scene)
        assert (folder / "scene.blend").exists(), made.stdout + made.stderr

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run Blender to its end."""
        return subprocess.run(
            self.blender.programs.command(self.blender.programs.blender, *words),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            cwd=ROOT,
            env={**os.environ, "LC_ALL": "C.UTF-8", "BLENDER_USER_RESOURCES": str(self.folder / "user")},
            timeout=120.0,
        )

    def job(self, name: str, x: float) -> str:
        """Write a job of one variation that begins at x; return its path."""
        job = {
            "scene": "scene.blend",
            "output": name,
            "variations": 1,
            "objects": [{"name": "Cube", "box": [[x, 0.0, 1.0], [x, 0.0, 1.0]], "turn": "none"}],
            "save": ["json"],
        }
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(job))
        return str(path)


@pytest.fixture(scope="module")
def batches(blender: Blender, tmp_path_factory: pytest.TempPathFactory) -> Batches:
    """Its folder has a space and an umlaut in its name."""
    return Batches(blender, tmp_path_factory.mktemp("für eine Farm"))


@pytest.mark.parametrize(
    ("name", "x", "words", "code", "said"),
    [
        ("resting", OVER_THE_TABLE, (), 0, "variation 0: at rest"),
        ("restless", BESIDE_IT, (), 1, "variation 0: NOT at rest"),
        ("accepted", BESIDE_IT, ("--accept-restless",), 0, "1 not at rest"),
    ],
)
def test_a_batch_ends_with_the_code_that_the_manual_says(
    batches: Batches, name: str, x: float, words: tuple[str, ...], code: int, said: str
) -> None:
    ended = batches.run("--command", "physplace", batches.job(name, x), *words)
    printed = ended.stdout + ended.stderr
    assert ended.returncode == code, printed
    assert said in printed
    assert "Traceback" not in printed
    assert (batches.folder / name / "000000.json").exists()


def test_a_job_that_cannot_be_read_is_said_with_its_file_and_ends_with_2(batches: Batches) -> None:
    (batches.folder / "broken.json").write_text("{")
    ended = batches.run("--command", "physplace", str(batches.folder / "broken.json"))
    assert ended.returncode == 2, ended.stdout + ended.stderr
    assert "broken.json" in ended.stderr
    assert "Traceback" not in ended.stdout + ended.stderr
