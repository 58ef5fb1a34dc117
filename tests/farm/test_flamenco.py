"""The job type for Flamenco, against what its manual says that a job type's script has and is given.

The manager itself cannot be had as a package: its part, the values `author` and `job`, is played by a few
lines.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from py_mini_racer import JSEvalException, MiniRacer

SCRIPT = Path(__file__).resolve().parents[2] / "farm" / "physplace_variations.js"

MANAGER = """
const author = {
    Task: (name, type) => ({name, type, commands: [], addCommand(command) { this.commands.push(command); }}),
    Command: (name, parameters) => ({name, parameters}),
};
function compiled(settings) {
    const tasks = [];
    compileJob({settings, addTask: (task) => tasks.push(task)});
    return JSON.stringify(tasks);
}
"""
KINDS = {"string": str, "int32": int}


def manager() -> MiniRacer:
    """A JavaScript machine that has the script and what the manager gives it."""
    machine = MiniRacer()
    machine.eval(SCRIPT.read_text() + MANAGER)
    return machine


def compiled(**settings: object) -> list[dict[str, Any]]:
    """The tasks of a job with these settings."""
    tasks: list[dict[str, Any]] = json.loads(str(manager().call("compiled", settings)))
    return tasks


def test_its_settings_are_of_flamenco_s_kinds_and_described() -> None:
    kind = json.loads(str(manager().eval("JSON.stringify(JOB_TYPE)")))
    assert kind["label"]
    for setting in kind["settings"]:
        assert setting["description"]
        assert isinstance(setting.get("default", KINDS[setting["type"]]()), KINDS[setting["type"]])


def test_the_tasks_do_each_variation_once() -> None:
    tasks = compiled(job_file="/farm/job.json", variations=45, chunk_size=20)
    done: list[int] = []
    for task in tasks:
        assert task["type"] == "blender"
        (command,) = task["commands"]
        assert command["name"] == "exec"
        words = command["parameters"]["args"]
        assert command["parameters"]["exe"] == "{blender}"
        assert words[:3] == ["--command", "physplace", "/farm/job.json"]
        assert all(isinstance(word, str) for word in words)
        first, count = (int(words[words.index(name) + 1]) for name in ("--first", "--count"))
        done += range(first, first + count)
    assert done == list(range(45))
    assert len({task["name"] for task in tasks}) == len(tasks) == 3


def test_settings_without_a_meaning_are_refused() -> None:
    with pytest.raises(JSEvalException, match="at least 1"):
        compiled(job_file="job.json", variations=10, chunk_size=0)
