"""The zip in a window: installed again, or removed, it leaves nothing behind and prints nothing."""

from __future__ import annotations

import os
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import bpy
import pytest

from tests.blender_data import preferences
from tests.window import extension
from tests.window.leftovers import drawings, timed_functions, timers
from tests.window.placements import begun, cube_at
from tests.window.user import User

ROOT = Path(__file__).resolve().parents[2]
REPOSITORY, NAME = "user_default", "physplace"


def package() -> Path:
    """The zip that is installed: with wheels if there are some for this Python."""
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text())
    python = f"-cp{sys.version_info[0]}{sys.version_info[1]}-"
    has_wheel = any(python in wheel for wheel in manifest["wheels"])
    kind = "linux_x64" if has_wheel else "system_scipy"
    return ROOT / "dist" / f"physplace-{manifest['version']}-{kind}.zip"


def install() -> None:
    """Install the zip and enable it, as Install from Disk does."""
    bpy.ops.extensions.package_install_files(filepath=str(package()), repo=REPOSITORY, enable_on_install=True)


def remove() -> None:
    """Remove the extension, as Uninstall in the preferences does."""
    names = [repo.module for repo in preferences_repositories()]
    bpy.ops.extensions.package_uninstall(repo_index=names.index(REPOSITORY), pkg_id=NAME)


def preferences_repositories() -> list[bpy.types.UserExtensionRepo]:
    return list(preferences().extensions.repos)


@contextmanager
def removed() -> Iterator[None]:
    """It is removed in the block, and installed again after it."""
    remove()
    try:
        yield
    finally:
        install()


@contextmanager
def printed() -> Iterator[list[str]]:
    """Collect the lines that Blender and Python write on the console in the block."""
    lines: list[str] = []
    before = os.dup(1), os.dup(2)
    sys.stdout.flush()
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        try:
            yield lines
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for number, kept in enumerate(before, 1):
                os.dup2(kept, number)
                os.close(kept)
            file.seek(0)
            lines += file.read().decode(errors="replace").splitlines()
            print("\n".join(lines))


def files() -> list[str]:
    """The files of the extension, and of scipy's wheels, in the user's folder."""
    folder = Path(bpy.utils.resource_path("USER"))
    paths = [path for path in folder.rglob("*") if path.is_file() and {NAME, "scipy"} & set(path.parts)]
    return [str(path.relative_to(folder)) for path in paths]


def modules() -> list[str]:
    """The extension's modules that Python has loaded."""
    return [name for name in sys.modules if name.startswith(extension.MODULE)]


def handlers() -> Counter[str]:
    """How often each function of the extension is in a list of Blender's handlers."""
    lists = {name: getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)}
    return Counter(
        f"{name}: {function.__module__}.{function.__name__}"
        for name, functions in lists.items()
        if isinstance(functions, list)
        for function in functions
    )


def own_traces() -> set[str]:
    """What the extension hangs on Blender, without what Python tells apart by its address."""
    return {each for each in extension.traces() if NAME in each.lower() and " at 0x" not in each}


async def test_installed_over_an_installed_one_it_is_there_once_and_works(user: User) -> None:
    before, functions = own_traces(), handlers()
    with printed() as lines:
        install()
        await user.wait(10)
    assert [line for line in lines if line] == []
    assert sorted(own_traces() ^ before) == []
    assert handlers() == functions
    await begun(user)
    await user.press("RET")
    assert cube_at().z == pytest.approx(1.0, abs=1e-5)


async def test_removed_it_leaves_nothing_and_comes_back(user: User) -> None:
    before = own_traces()
    with printed() as lines, removed():
        await user.wait(10)
        await user.open_tab("View")
        assert files() == []
        assert own_traces() == set()
        assert not [each for each in handlers() if NAME in each]
        assert modules() == []
    assert [line for line in lines if line] == []
    await user.wait(10)
    assert sorted(own_traces() ^ before) == []
    await begun(user)
    await user.press("ESC")


async def test_removed_while_it_places_it_puts_everything_back_first(user: User) -> None:
    await begun(user, until=None)
    await user.until(lambda: cube_at().z < 2.9)
    await user.press("H")
    functions = timed_functions()
    assert len(drawings()) >= 2  # its marks, and the list of its keys
    assert len(functions) > 100
    with printed() as lines, removed():
        assert cube_at().z == 3.0
        await user.wait(10)
        assert modules() == []
        assert drawings() == []
        assert not [each for each in functions if bpy.app.timers.is_registered(each)]
        assert await timers(user) == 0
    assert [line for line in lines if line] == []
    await user.wait(10)
