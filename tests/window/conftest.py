"""Tests that run inside a Blender with a window: `make test-window`. CONTRIBUTING.md says how to write one.

A test here is an `async def` with the argument `user`. pytest finds it; Blender runs it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from tests.window.blender import Blender
from tests.window.programs import Programs
from tests.window.staging import probe
from window_room import ROOT

SECONDS = 120.0


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--room", help="the folder of a room with a Blender, see tools/window_room.py")
    parser.addoption("--blender", default="blender", help="the Blender to start")


@pytest.fixture(scope="session")
def blender(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Blender]:
    """The Blender of this run; its pictures stay in out/window/<its version>."""
    room = pytestconfig.getoption("room")
    programs = Programs(Path(room) if room else None, pytestconfig.getoption("blender"))
    found = probe(programs)
    pictures = ROOT / "out" / "window" / found.version.split()[0]
    started = Blender(programs, found, tmp_path_factory.mktemp("window"), pictures)
    try:
        yield started
        problem = started.quit()
        if problem is not None:
            pytest.fail(problem, pytrace=False)
    finally:
        started.close()


@pytest.fixture
def user(blender: Blender) -> Blender:
    """Marks a test that Blender runs. What the test itself gets is a `tests.window.user.User`."""
    return blender


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Have Blender run the test if it is one for Blender."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    module = ".".join(pyfuncitem.path.relative_to(ROOT).with_suffix("").parts)
    arguments = pyfuncitem.callspec.params if hasattr(pyfuncitem, "callspec") else {}
    blender = cast("Blender", pyfuncitem.funcargs["user"])
    problem = blender.run(module, pyfuncitem.originalname, arguments, SECONDS)
    if problem is not None:
        pytest.fail(problem, pytrace=False)
    return True
