"""The shape of the house: which part may import which, and what no part may do."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "physplace_addon"
SOURCES = sorted(PACKAGE.rglob("*.py"))
BLENDER = {"aud", "bl_math", "bl_ui", "blf", "bmesh", "bpy", "bpy_extras", "gpu", "gpu_extras", "mathutils"}

# The arrows: each part, and the parts it may import. Within itself a part may import freely.
MAY_IMPORT = {
    "__init__": {"registration"},
    "registration": {"properties", "panels", "operators", "overlay"},
    "properties": {"core"},
    "panels": {"properties", "operators", "scene", "overlay", "core"},
    "operators": {"properties", "scene", "overlay", "core"},
    "overlay": {"core"},
    "scene": {"properties", "core"},
    "core": set(),
}

# The parts of core, each with its modules, and what each may import besides the foundation.
CORE_PARTS = {
    "foundation": ["__init__", "errors", "arrays", "wording"],
    "rigid": ["rigid", "mass", "enclosing_ball"],
    "formulas": ["formulas"],
    "surfaces": ["surfaces"],
    "bodies": ["bodies", "body", "body_*", "polyhedron", "mesh_*"],
    "implicit": ["implicit"],
    "collision": ["collision"],
    "contact": ["contact"],
    "polyhedra": ["polyhedra"],
    "placement": ["placement"],
    "dynamics": ["dynamics"],
    "articulation": ["articulation"],
}
BELOW_CONTACT = {"foundation", "rigid", "surfaces", "bodies", "collision"}
CORE_MAY_IMPORT = {
    "foundation": {"foundation"},
    "rigid": {"foundation"},
    "formulas": {"foundation"},
    "surfaces": {"foundation", "rigid", "formulas"},
    "implicit": {"foundation", "rigid", "formulas"},
    "bodies": {"foundation", "rigid", "surfaces", "implicit"},
    "collision": BELOW_CONTACT,
    "contact": BELOW_CONTACT,
    "polyhedra": BELOW_CONTACT,
    "placement": BELOW_CONTACT | {"contact", "polyhedra"},
    "dynamics": BELOW_CONTACT | {"contact", "polyhedra"},
    "articulation": BELOW_CONTACT | {"contact", "polyhedra"},
}


def module_name(path: Path) -> str:
    """physplace_addon/core/rigid.py is physplace_addon.core.rigid."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Full names of what a file imports, relative imports resolved; `from a import b` gives a.b."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    package = list(path.relative_to(PACKAGE.parent).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = base + (node.module.split(".") if node.module else [])
            yield from (".".join([*base, alias.name]) for alias in node.names)


def own_imports(path: Path) -> Iterator[list[str]]:
    """Imports from PhysPlace itself, as parts after the package's name."""
    for name in imports(path):
        first, *rest = name.split(".")
        if first == PACKAGE.name:
            yield rest


def core_part(module: str) -> str | None:
    """The part of core that a module directly under core belongs to; None if it has not been given one."""
    for part, patterns in CORE_PARTS.items():
        if any(fnmatch(module, pattern) for pattern in patterns):
            return part
    return None


def relative_parts(path: Path) -> list[str]:
    """physplace_addon/core/rigid.py is ["core", "rigid"]."""
    return list(path.relative_to(PACKAGE).with_suffix("").parts)


CORE = [path for path in SOURCES if relative_parts(path)[0] == "core"]
CORE_MODULES = [module_name(path) for path in CORE]


def labels(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(PACKAGE)) for path in paths]


IMPORT_WITHOUT_BLENDER = """
import importlib, sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in set(sys.argv[1].split(",")):
            raise ImportError(name + " is blocked")
sys.meta_path.insert(0, Blocked())
for name in sys.argv[2:]:
    importlib.import_module(name)
"""


def test_every_module_of_core_imports_without_blender() -> None:
    command = [sys.executable, "-c", IMPORT_WITHOUT_BLENDER, ",".join(sorted(BLENDER)), *CORE_MODULES]
    answer = subprocess.run(command, cwd=PACKAGE.parent, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize("path", CORE, ids=labels(CORE))
def test_core_needs_nothing_but_numpy_scipy_and_the_standard_library(path: Path) -> None:
    allowed = set(sys.stdlib_module_names) | {"numpy", "scipy", PACKAGE.name}
    assert {name.split(".")[0] for name in imports(path)} <= allowed


@pytest.mark.parametrize("path", SOURCES, ids=labels(SOURCES))
def test_imports_between_parts_run_one_way(path: Path) -> None:
    part = relative_parts(path)[0]
    assert part in MAY_IMPORT, f"{part} is not a part of the house (MAY_IMPORT)"
    imported = {rest[0] for rest in own_imports(path) if rest}
    assert imported <= MAY_IMPORT[part] | {part}


@pytest.mark.parametrize("path", CORE, ids=labels(CORE))
def test_imports_inside_core_run_one_way(path: Path) -> None:
    part = core_part(relative_parts(path)[1])
    assert part is not None, "give this module a part of core (CORE_PARTS)"
    imported = {rest[1] for rest in own_imports(path) if rest[0] == "core" and len(rest) > 1}
    for module in imported:
        assert core_part(module) in CORE_MAY_IMPORT[part] | {part}, f"{part} may not import {module}"


@pytest.mark.parametrize("path", SOURCES, ids=labels(SOURCES))
def test_the_extension_imports_itself_only_relatively(path: Path) -> None:
    """Installed, the package is called bl_ext.<repository>.physplace: its name here does not exist there."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and not node.level:
            assert not (node.module or "").startswith(PACKAGE.name), f"line {node.lineno}"
        if isinstance(node, ast.Import):
            assert not any(alias.name.startswith(PACKAGE.name) for alias in node.names), f"line {node.lineno}"


@pytest.mark.parametrize("path", SOURCES, ids=labels(SOURCES))
def test_nothing_is_evaluated_and_the_search_path_is_left_alone(path: Path) -> None:
    tree = ast.parse(path.read_text())
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not names & {"eval", "exec", "compile", "__import__", "bl_info"}
    attributes = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert "sys.path" not in attributes


@pytest.mark.parametrize("path", SOURCES, ids=labels(SOURCES))
def test_nothing_reaches_for_the_network_or_starts_threads(path: Path) -> None:
    network = {"ftplib", "http", "requests", "smtplib", "socket", "ssl", "urllib"}
    threads = {"asyncio", "concurrent", "multiprocessing", "subprocess", "threading"}
    assert not {name.split(".")[0] for name in imports(path)} & (network | threads)
