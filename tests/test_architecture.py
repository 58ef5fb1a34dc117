"""The shape of the house: which part may import which, and what no part may do.

Each test lists all offenders at once.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "physplace_addon"
SOURCES = sorted(PACKAGE.rglob("*.py"))
BLENDER = {"aud", "bl_math", "bl_ui", "blf", "bmesh", "bpy", "bpy_extras", "gpu", "gpu_extras", "mathutils"}
NETWORK = {"ftplib", "http", "requests", "smtplib", "socket", "ssl", "urllib"}
THREADS = {"asyncio", "concurrent", "multiprocessing", "subprocess", "threading"}

WRITERS = {"ctypes", "os", "pickle", "shelve", "shutil", "sqlite3", "tempfile"}
WRITING = {  # methods and operators that write, move or delete files
    *("write_text", "write_bytes", "mkdir", "makedirs", "unlink", "rmdir", "touch", "savetxt", "tofile"),
    *("save_mainfile", "save_as_mainfile", "save_userpref", "save_homefile", "save_render"),
}

# Each part of the extension, and the parts it may import. Within itself a part may import freely.
MAY_IMPORT = {
    "__init__": {"registration"},
    "translations": set[str](),
    "registration": {"translations", "properties", "rest_properties", "panels", "operators", "overlay"},
    "presets": set(),
    "properties": {"core"},
    "rest_properties": {"blob_properties"},
    "blob_properties": set(),
    "panels": {"properties", "rest_properties", "operators", "scene", "overlay", "core", "translations"},
    "operators": {"properties", "rest_properties", "scene", "overlay", "core", "translations"},
    "overlay": {"core"},
    "scene": {"properties", "rest_properties", "blob_properties", "core"},
    "core": set[str](),
}

# The packages and modules of core from the bottom up. Each may import those of the rows below its own.
CORE_LAYERS = [
    {"__init__", "arrays", "errors", "jobs", "solver", "wording"},
    {"vectors"},
    {"rigid", "formulas"},
    {"quaternions"},
    {"mesh"},
    {"surfaces", "implicit"},
    {"bodies"},
    {"collision", "optimization"},
    {"contact"},
    {"mechanics"},
    {"placement", "dynamics", "articulation"},
    {"handover"},
]
DOORS = {"contact": {"system"}}  # packages of core that others enter by these modules alone

LONGEST_MODULE = 400  # lines
LARGEST_PACKAGE = 15  # modules beside __init__

# Private words that the field does not have: they name no module, class or public function.
PRIVATE_WORDS = {
    *("feet", "foot", "halo", "halos", "heed", "heeds", "meant", "told", "tells", "bars", "wants", "grip"),
    *("encounter", "encounters", "assembly", "programme", "nonnegative", "load", "polish", "sticky"),
    *("remarks", "standing", "lifting", "retreat", "clearings", "forest", "covering", "isolated", "united"),
    *("lids", "doubles", "needles", "walking", "walked", "valleys", "bends", "resting", "hand", "way", "go"),
}
# Words that are the field's as parts of a name, and say nothing as the whole of one.
BARE_WORDS = {
    *("samples", "seeds", "sides", "cones", "directions", "views", "finding", "solving", "relaxation"),
    *("crossing", "crossings", "cells", "components", "splitting", "restricted", "depths"),
}


def module_name(path: Path) -> str:
    """physplace_addon/core/rigid.py is physplace_addon.core.rigid."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in SOURCES}
CORE = {name: path for name, path in MODULES.items() if name.startswith(f"{PACKAGE.name}.core")}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Full names of what a file imports, relative imports resolved; `from a import b` gives a.b."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    package = list(path.relative_to(PACKAGE.parent).parts[:-1])
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = base + (node.module.split(".") if node.module else [])
            yield from (".".join([*base, alias.name]) for alias in node.names)


def imported_modules(path: Path) -> set[str]:
    """The modules of the extension that a file imports, by full name."""
    found = set()
    for name in imports(path):
        if name.split(".")[0] == PACKAGE.name:
            found.add(name if name in MODULES else name.rsplit(".", 1)[0])
    return found


def own_imports(path: Path) -> Iterator[list[str]]:
    """What a file imports from PhysPlace itself, as parts after the package's name."""
    for name in sorted(imported_modules(path)):
        parts = name.split(".")[1:]
        if parts:
            yield parts


def part_of(path: Path) -> list[str]:
    """physplace_addon/core/rigid.py is ["core", "rigid"]."""
    return list(path.relative_to(PACKAGE).with_suffix("").parts)


def layer_of(module: str) -> int:
    for layer, members in enumerate(CORE_LAYERS):
        if module in members:
            return layer
    raise AssertionError(f"core/{module} has no place in CORE_LAYERS")


def assert_none(offenders: Iterable[str]) -> None:
    listed = sorted(offenders)
    assert not listed, "\n".join(["", *listed])


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
    command = [sys.executable, "-c", IMPORT_WITHOUT_BLENDER, ",".join(sorted(BLENDER)), *CORE]
    answer = subprocess.run(command, cwd=PACKAGE.parent, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr


def test_core_needs_nothing_but_numpy_scipy_and_the_standard_library() -> None:
    allowed = set(sys.stdlib_module_names) | {"numpy", "scipy", PACKAGE.name}
    offenders = [
        f"{name} imports {other}"
        for name, path in CORE.items()
        for other in {other.split(".")[0] for other in imports(path)} - allowed
    ]
    assert_none(offenders)


def test_imports_between_parts_run_one_way() -> None:
    offenders = []
    for path in SOURCES:
        part = part_of(path)[0]
        assert part in MAY_IMPORT, f"{part} is not a part of the house (MAY_IMPORT)"
        others = {parts[0] for parts in own_imports(path)} - MAY_IMPORT[part] - {part}
        offenders += [f"{module_name(path)} imports {other}" for other in sorted(others)]
    assert_none(offenders)


def test_imports_inside_core_run_one_way() -> None:
    offenders = []
    for name, path in CORE.items():
        own = part_of(path)[1]
        for parts in own_imports(path):
            other = parts[1] if len(parts) > 1 else "__init__"
            if other != own and layer_of(other) >= layer_of(own) > 0:
                offenders.append(f"{name} imports {'.'.join(parts)}")
    assert_none(offenders)


def test_a_package_with_a_door_is_entered_by_it() -> None:
    offenders = []
    for name, path in MODULES.items():
        for parts in own_imports(path):
            package = parts[1] if parts[0] == "core" and len(parts) > 1 else ""
            inside = part_of(path)[:2] == ["core", package]
            if package in DOORS and not inside and parts[2:] not in [[door] for door in DOORS[package]]:
                offenders.append(f"{name} imports {'.'.join(parts)}")
    assert_none(offenders)


def test_no_circle_of_files_imports_itself() -> None:
    circles = {name: imported_modules(path) - {name} for name, path in MODULES.items()}
    while outside := {
        name
        for name, others in circles.items()
        if not others & circles.keys() or not any(name in importer for importer in circles.values())
    }:
        circles = {name: others for name, others in circles.items() if name not in outside}
    assert_none(f"{name} imports {other}" for name in circles for other in circles[name] & circles.keys())


def test_the_extension_imports_itself_only_relatively() -> None:
    """Installed, the package is called bl_ext.<repository>.physplace: its name here does not exist there."""
    offenders = []
    for name, path in MODULES.items():
        for node in ast.walk(parsed(path)):
            absolute = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom) and not node.level
                else []
            )
            offenders += [f"{name} imports {other}" for other in absolute if other.startswith(PACKAGE.name)]
    assert_none(offenders)


def test_nothing_is_evaluated_and_the_search_path_is_left_alone() -> None:
    forbidden = {"eval", "exec", "compile", "__import__", "bl_info"}
    offenders = []
    for name, path in MODULES.items():
        nodes = list(ast.walk(parsed(path)))
        used = {node.id for node in nodes if isinstance(node, ast.Name)} & forbidden
        if any(ast.unparse(node) == "sys.path" for node in nodes if isinstance(node, ast.Attribute)):
            used.add("sys.path")
        offenders += [f"{name} uses {word}" for word in sorted(used)]
    assert_none(offenders)


def test_nothing_reaches_for_the_network_or_starts_threads() -> None:
    offenders = [
        f"{name} imports {other}"
        for name, path in MODULES.items()
        for other in {other.split(".")[0] for other in imports(path)} & (NETWORK | THREADS)
    ]
    assert_none(offenders)


def test_nothing_writes_files_but_a_batch_into_its_job_s_folder_and_presets_into_the_extension_s() -> None:
    offenders = []
    for name, path in MODULES.items():
        if name.startswith(
            tuple(f"{PACKAGE.name}.operators.{each}" for each in ("batch.", "settings_presets"))
        ):
            continue
        used = {other.split(".")[0] for other in imports(path)} & WRITERS
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                used |= {called} if called == "open" or called.rsplit(".", 1)[-1] in WRITING else set[str]()
        offenders += [f"{name} uses {word}" for word in sorted(used)]
    assert_none(offenders)


def test_modules_of_core_are_short_and_packages_are_small() -> None:
    offenders = []
    for name, path in CORE.items():
        lines = path.read_text().count("\n")
        if lines > LONGEST_MODULE:
            offenders.append(f"{name} has {lines} lines")
    for folder in {path.parent for path in SOURCES}:
        modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        if len(modules) > LARGEST_PACKAGE:
            offenders.append(f"{folder.relative_to(PACKAGE.parent)} has {len(modules)} modules")
    assert_none(offenders)


def words_of(name: str) -> set[str]:
    """drop_small and DropSmall are made of drop and small."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    return set(snake.split("_")) - {""}


def is_private_word(name: str) -> bool:
    words = words_of(name)
    return bool(words & PRIVATE_WORDS) or "_".join(sorted(words)) in BARE_WORDS


def test_no_module_class_or_public_function_has_a_private_word_for_its_name() -> None:
    offenders = [name for name in MODULES if is_private_word(name.rsplit(".", 1)[-1])]
    for name, path in MODULES.items():
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                public = not node.name.startswith("_") or isinstance(node, ast.ClassDef)
                if public and is_private_word(node.name):
                    offenders.append(f"{name}: {node.name}")
    assert_none(offenders)


def test_the_architecture_page_names_only_what_is_there() -> None:
    page = (PACKAGE.parent / "docs" / "architecture.md").read_text()
    named = re.findall(r"`((?:core|scene|operators|overlay|panels)/[\w/.]*)`", page)
    assert len(named) > 50
    assert_none(name for name in named if not (PACKAGE / name).exists())
