"""Every command that the README and `make help` name is one that .ci/run runs."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# What chooses a Python, a Blender or more words is no command of its own: `make test-all` has other Blenders.
OPTIONS = {"PYTHON", "BLENDER", "ARGS"}

# Not run by name: this one does two things. The first takes minutes and is run anyway, the second would write
# into docs/.
INSTEAD = {"manual-pictures": ["make test-window", "python3 tools/manual_pictures.py"]}

# What the tests run by themselves: this file calls it.
HELP = "help"

Command = tuple[str, frozenset[str]]  # a target, and the variables that are given with it


def _commands(line: str) -> Iterator[Command]:
    """The targets of a command line that begins with make, each with the variables given."""
    words = [word for word in shlex.split(line, comments=True)[1:] if not word.startswith("-")]
    variables = frozenset(word.split("=")[0] for word in words if "=" in word) - OPTIONS
    targets = [word for word in words if "=" not in word]
    yield from ((target, variables) for target in targets or [HELP])


def _of_the_readme() -> set[Command]:
    text = (ROOT / "README.md").read_text()
    lines = re.findall(r"^ {4}(make\b.*)$", text, re.MULTILINE) + re.findall(r"`(make\b[^`]*)`", text)
    return {command for line in lines for command in _commands(line)}


def _of_help() -> set[Command]:
    text = subprocess.run(
        ["make", "--no-print-directory", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    lines = re.findall(r"^ *(make\b.*?)(?: {2}.*)?$", text, re.MULTILINE)
    return {command for line in lines for command in _commands(line)}


def _ci() -> str:
    """The lines of .ci/run that do something, each in one piece, without functions that are never called."""
    text = (ROOT / ".ci" / "run").read_text().replace("\\\n", " ")
    text = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    for body, name in re.findall(r"^((\w+)\(\) \{\n(?:.*\n)*?\}\n)", text, re.MULTILINE):
        if len(re.findall(rf"\b{name}\b", text)) == 1:
            text = text.replace(body, "")
    return text


def _of_ci() -> set[Command]:
    lines = re.findall(r"^(?:section \"[^\"]*\" | *)(make\b[^;&|\n]*)", _ci(), re.MULTILINE)
    called = {command for line in lines for command in _commands(line)}
    return called | {(needed, variables) for target, variables in called for needed in _needs(target)}


def _needs(target: str) -> list[str]:
    """The targets that the Makefile makes before a target."""
    rule = re.search(rf"^{re.escape(target)}:(.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert rule is not None, f"the Makefile has no target {target}"
    return rule[1].split()


def _is_run(command: Command) -> bool:
    target, variables = command
    if target in INSTEAD:
        return all(part in _ci() for part in INSTEAD[target])
    return any(target == run and variables <= given for run, given in _of_ci())


def _named() -> list[Command]:
    named = (_of_the_readme() | _of_help()) - {(HELP, frozenset())}
    return sorted(named, key=lambda command: (command[0], sorted(command[1])))


def test_the_readme_and_help_name_commands() -> None:
    assert {("demo", frozenset()), ("types", frozenset()), ("test", frozenset())} <= _of_the_readme()
    assert {("demo", frozenset({"FILE", "ACTIVE"})), ("clean", frozenset())} <= _of_help()


@pytest.mark.parametrize("command", _named(), ids=lambda each: " ".join([each[0], *sorted(each[1])]))
def test_every_command_that_is_named_is_run_by_ci(command: Command) -> None:
    assert _is_run(command), f"{command[0]} is not in .ci/run"


def test_every_target_that_people_may_call_is_in_help() -> None:
    called, _made_by_others = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(called.split()) - {HELP} == {target for target, _ in _of_help()}


@pytest.mark.parametrize("target", INSTEAD)
def test_what_is_run_instead_of_a_target_is_what_the_target_does(target: str) -> None:
    recipe = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert recipe is not None
    assert [re.findall(r"tools/\w+\.py", line) for line in recipe[1].splitlines()] == [
        ["tools/test_window.py"],
        ["tools/manual_pictures.py"],
    ]


def test_a_command_that_ci_does_not_run_is_found() -> None:
    assert not _is_run(("nothing", frozenset()))
    assert not _is_run(("test", frozenset({"FILE"})))
